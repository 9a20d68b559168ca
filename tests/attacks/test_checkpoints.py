"""What a checkpoint states costs no more than its bytes, and is told."""

import json
import subprocess
import sys

import numpy as np
import pytest

from mixwidgets.floats.gradients.survey import survey
from tests.attacks import checkpoints

pytest.importorskip("torch")
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits a child's memory")

TOLD = {
    "no_values_in_2_62_rows": (1, ""),
    "many_tensors": (4_613, "than a file of this size holds: 25,387."),
    "shared_dicts": (1, "the same as an earlier part: 60."),
    "shared_lists": (0, "than a file of this size holds: 1."),
    "wide_lists": (0, "than a file of this size holds: 1."),
    "an_expanded_value": (0, "than a file of this size holds: 1."),
    "many_expanded_values": (1, "than a file of this size holds: 999."),
    "a_cycle": (1, "the same as an earlier part: 1."),
    "a_list_in_itself": (0, "than a file of this size holds: 1."),
    "deep_dicts": (0, "too deep or have too long a name: 1."),
    "a_pipe": (0, "a pipe or a device"),
}
"""The tensors, and what the notes say."""


@linux
def test_a_hostile_checkpoint_is_told(tmp_path):
    command = [sys.executable, "-m", "tests.attacks.checkpoints", tmp_path]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    told = {name: (rows, note) for name, rows, note in map(json.loads, child.stdout.splitlines())}
    assert {name: rows for name, (rows, _) in told.items()} == {
        name: rows for name, (rows, _) in TOLD.items()
    }
    for name, (_, note) in told.items():
        assert TOLD[name][1] in note
        assert bool(TOLD[name][1]) == bool(note)


def test_a_mapping_in_memory_may_contain_itself():
    state = {"weight": np.ones(2, np.float32)}
    state["itself"] = state
    table = survey(state, "float16")
    assert list(table.tensor) == ["weight"]
    assert table.attrs["notes"] == ["Left out, because they are the same as an earlier part: 1."]


def test_tied_weights_count_under_each_of_their_names(tmp_path):
    import torch

    weight = torch.ones(3, 5)
    torch.save({"embedding": weight, "head": weight}, tmp_path / "tied.pt")
    table = survey(tmp_path / "tied.pt", "float16")
    assert [*table.tensor] == ["embedding", "head"]
    assert table.attrs["notes"] == []


CODES = [0x21, 0x43, 0x65, 0x87, 0x0F, 0xF0, 0x9A, 0xCB]
VALUES = [0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -6, 0, 0, -6, -1, -0.5, -1.5, -2]


@pytest.mark.parametrize("shape", [[16], [4, 4], [2, 2, 4]])
def test_tensors_of_float4_are_read(tmp_path, shape):
    """Two values a byte, the first in the low bits, as in OCP MX and torch.float4_e2m1fn_x2."""
    header = {"weight": {"dtype": "F4", "shape": shape, "data_offsets": [0, 8]}}
    path = checkpoints.write_safetensors(tmp_path / "four.safetensors", header, bytes(CODES))
    formats = ["float16", "float8_e4m3fn", "nvfp4", "int4_g128"]
    table = survey(path, formats)
    want = survey({"weight": np.array(VALUES, np.float32).reshape(shape)}, formats)
    assert table.drop(columns="dtype").equals(want.drop(columns="dtype"))
    assert (table["values"] == 16).all()


def test_float4_of_torch_is_read_from_a_state_too():
    import torch

    packed = torch.tensor(CODES, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    table, want = survey({"weight": packed}), survey({"weight": np.array(VALUES, np.float32)})
    assert table.drop(columns="dtype").equals(want.drop(columns="dtype"))


def test_a_dtype_that_torch_lacks_is_named(tmp_path):
    header = {
        "six": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [0, 3]},
        "weight": {"dtype": "F32", "shape": [1], "data_offsets": [3, 7]},
    }
    path = checkpoints.write_safetensors(tmp_path / "six.safetensors", header, bytes(7))
    table = survey(path, "float16")
    assert [*table.tensor] == ["weight"]
    assert table.attrs["notes"] == ["Left out, because their dtype cannot be read: 'six (F6_E2M3)'."]
