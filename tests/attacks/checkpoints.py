"""Hostile checkpoints: python -m tests.attacks.checkpoints FOLDER, in a process with limits, surveys each.

Prints a line of JSON for each: its name, the number of rows, and the notes or the error in words. To add an
attack, add a function to `ATTACKS`, which gets a folder and returns the file that it writes there.
"""

import json
import os
import resource
import struct
import sys
from pathlib import Path

MEMORY = 1 << 30  # bytes of data: an interpreter with torch and pandas takes 400 MB
SECONDS = 60  # of a core, to fail rather than hang


def write_safetensors(path, header, data=b""):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def no_values_in_2_62_rows(folder):
    weight = {"dtype": "F32", "shape": [1 << 62, 0], "data_offsets": [0, 0]}
    return write_safetensors(folder / "rows.safetensors", {"weight": weight})


def many_tensors(folder):
    one = lambda at: {"dtype": "F32", "shape": [1], "data_offsets": [4 * at, 4 * at + 4]}  # noqa: E731
    header = {f"weight.{at}": one(at) for at in range(30_000)}
    return write_safetensors(folder / "tensors.safetensors", header, bytes(120_000))


def _saved(content, path):
    import torch

    torch.save(content, path)
    return path


def shared_dicts(folder):
    import torch

    part = {"weight": torch.ones(1)}
    for _ in range(60):
        part = {"a": part, "b": part}
    return _saved(part, folder / "shared.pt")


def shared_lists(folder):
    part = [1.0, 2.0]
    for _ in range(60):
        part = [part, part]
    return _saved({"weight": part}, folder / "lists.pt")


def wide_lists(folder):
    part = [1.0] * 100
    for _ in range(3):
        part = [part] * 100
    return _saved({"weight": part}, folder / "wide.pt")


def an_expanded_value(folder):
    import torch

    return _saved({"weight": torch.ones(1).expand(10**12)}, folder / "expanded.pt")


def many_expanded_values(folder):
    import torch

    one = torch.ones(1)
    return _saved({str(name): one.expand(10**6) for name in range(1_000)}, folder / "many.pt")


def a_cycle(folder):
    import torch

    state = {"weight": torch.ones(1)}
    state["itself"] = state
    return _saved(state, folder / "cycle.pt")


def a_list_in_itself(folder):
    state = [1.0]
    state += [state, state]
    return _saved({"weight": state}, folder / "list.pt")


def deep_dicts(folder):
    import torch

    state = {"weight": torch.ones(1)}
    for _ in range(300):
        state = {"a": state}
    return _saved(state, folder / "deep.pt")


def a_pipe(folder):
    os.mkfifo(folder / "pipe.pt")
    return folder / "pipe.pt"


ATTACKS = (
    no_values_in_2_62_rows,
    many_tensors,
    shared_dicts,
    shared_lists,
    wide_lists,
    an_expanded_value,
    many_expanded_values,
    a_cycle,
    a_list_in_itself,
    deep_dicts,
    a_pipe,
)


def main():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    from mixwidgets.floats.gradients.survey import survey

    for attack in ATTACKS:
        path = attack(Path(sys.argv[1]))
        try:
            table = survey(path, "float16")
        except (OSError, ValueError) as error:
            told = [0, str(error)]
        else:
            told = [len(table), " ".join(table.attrs["notes"])]
        print(json.dumps([attack.__name__, *told]), flush=True)


if __name__ == "__main__":
    main()
