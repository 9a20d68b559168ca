"""A stranger's recorded step ends no kernel, runs no code, and costs no more than its bytes."""

import json
import os
import random
import struct
import sys
from copy import deepcopy

import pytest

torch = pytest.importorskip("torch")

import mixwidgets as mw  # noqa: E402
from tests.difference.recorded import loss, made, unscaled  # noqa: E402

HEAD = "mixwidgets_step"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    model, batch = made("faulty")
    base = mw.record_step(model, batch, loss, file=folder / "base", step=unscaled)
    other = mw.record_step(
        model, batch, loss, "fp16_dynamic", file=folder / "other", reference=base, step=unscaled
    )
    return base, other


def parts(path):
    """The header, the head of the step, and the data of a file."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    return header, json.loads(header["__metadata__"][HEAD]), data[8 + size :]


def written(path, header, head, data):
    header = {**header, "__metadata__": {HEAD: head if isinstance(head, str) else json.dumps(head)}}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def places(value, at=()):
    """The ways to every value in nested JSON."""
    yield at
    for key, part in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(part, (*at, key))


def with_value(head, way, value):
    head = deepcopy(head)
    part = head
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = value
    return head


ODD = [
    None,
    True,
    -1,
    2**63,
    10**400,
    1.5,
    "nan",
    "inf",
    "",
    "\ud800",
    "float32",
    [],
    [[]],
    {},
    {"a": 1},
    [0] * 10,
]


@pytest.mark.parametrize("which", [0, 1])
def test_a_value_of_another_kind_anywhere(files, which, tmp_path):
    header, head, data = parts(files[which])
    draw = random.Random(which)
    ways = [*places(head)][1:]
    chosen = [(key,) for key in head] + draw.sample(ways, 150)
    told = 0
    for way in chosen:
        bad = written(tmp_path / "bad", header, with_value(head, way, draw.choice(ODD)), data)
        pair = [*files]
        pair[which] = bad
        try:
            mw.compare_steps(*pair)
        except ValueError:
            told += 1
    assert told > len(chosen) / 2


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"version": 1}', '{"version": 2}'])
def test_a_head_of_another_kind(files, text, tmp_path):
    header, _, data = parts(files[1])
    with pytest.raises(ValueError, match="is a damaged recording of a step"):
        mw.compare_steps(files[0], written(tmp_path / "bad", header, text, data))


def test_a_place_that_is_named_a_thousand_times(files, tmp_path):
    """Each would cost a pass over its tensor."""
    header, head, data = parts(files[1])
    call = next(call for call in head["calls"] if call[4])
    call[4] *= 1000
    with pytest.raises(ValueError, match="a place is named twice"):
        mw.compare_steps(files[0], written(tmp_path / "bad", header, head, data))


def test_shapes_and_offsets_beyond_the_file(files, tmp_path):
    header, head, data = parts(files[0])
    name = next(name for name in header if name.endswith(" output"))
    for change in (
        {"shape": [1 << 62]},
        {"shape": [1 << 62, 1 << 62]},
        {"data_offsets": [0, 1 << 40]},
        {"dtype": "I32"},
    ):
        bad = written(tmp_path / "bad", {**header, name: header[name] | change}, head, data)
        with pytest.raises(ValueError, match=r"'.*bad'"):
            mw.compare_steps(bad, files[1])


def test_half_a_file(files, tmp_path):
    bad = tmp_path / "bad"
    for path in files:
        data = path.read_bytes()
        for size in (0, 4, 100, len(data) // 2, len(data) - 1):
            bad.write_bytes(data[:size])
            with pytest.raises(ValueError, match="is no safetensors file"):
                mw.compare_steps(*(bad if each == path else each for each in files))


@pytest.mark.skipif(sys.platform == "win32", reason="has no FIFOs")
def test_a_pipe(files, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no plain file"):
        mw.compare_steps(files[0], tmp_path / "pipe")


def test_names_are_no_markup(files, tmp_path):
    """The page shows them as text."""
    header, head, data = parts(files[1])
    for place in head["places"]:
        place[0] = place[0].replace("3", "<img src=x onerror=alert(1)>")
    for call in head["calls"]:
        call[0] = call[0].replace("3", "<img src=x onerror=alert(1)>")
    found = mw.compare_steps(files[0], written(tmp_path / "bad", header, head, data))
    page = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page
