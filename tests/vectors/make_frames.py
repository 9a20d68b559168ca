"""Writes frames.json: arrays, and the bytes of their frame, put together with `struct` alone.

    python tests/vectors/make_frames.py

pytest and vitest both read the file: what kernel and page write and read must agree with it.
"""

import json
import struct
from pathlib import Path

TYPES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f4": "f", "f8": "d"}

# (head, {name: (dtype, shape, numbers as text)})
CASES = [
    ({}, {}),
    ({"names": ["a", ["b"]], "total": 7}, {"bytes": ("u1", [3], ["0", "255", "7"])}),
    (
        {"format": "float16"},
        {
            "one": ("u1", [1], ["1"]),
            "two": ("u2", [2, 1], ["1", "65535"]),
            "four": ("u4", [3], ["1", "2", "4294967295"]),
            "eight": ("u8", [1, 2], ["1", "18446744073709551615"]),
            "none": ("f8", [0, 5], []),
            "single": ("f4", [3, 2], ["1", "-0", "NaN", "Infinity", "-Infinity", "0.10000000149011612"]),
            "double": ("f8", [2, 2], ["0.1", "5e-324", "-0", "NaN"]),
            "": ("f4", [1], ["2.5"]),
        },
    ),
]


def padded(data: bytes, start: int, fill: bytes) -> bytes:
    return data + fill * (-(start + len(data)) % 8)


def frame(head: dict, arrays: dict) -> bytes:
    described = [[name, dtype, shape] for name, (dtype, shape, _) in arrays.items()]
    text = padded(json.dumps({"arrays": described, **head}, separators=(",", ":")).encode(), 4, b" ")
    data = struct.pack("<I", len(text)) + text
    for dtype, _, numbers in arrays.values():
        values = [int(text) if dtype[0] == "u" else float(text) for text in numbers]
        data += padded(struct.pack(f"<{len(values)}{TYPES[dtype]}", *values), 0, b"\0")
    return data


if __name__ == "__main__":
    cases = [
        {
            "head": head,
            "arrays": [[name, *array] for name, array in arrays.items()],
            "bytes": frame(head, arrays).hex(),
        }
        for head, arrays in CASES
    ]
    lines = ",\n".join(json.dumps(case) for case in cases)
    Path(__file__).with_name("frames.json").write_text(f"[\n{lines}\n]\n")
