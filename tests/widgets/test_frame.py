"""Frames against vectors that `struct` made; js/test/frame.test.ts reads the same ones."""

import json
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.floats.widgets.frame import frame, packed, read_frame, unpacked

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "frames.json").read_text())


def arrays_of(case):
    return {
        name: np.array([*map(int if dtype[0] == "u" else float, numbers)], dtype).reshape(shape)
        for name, dtype, shape, numbers in case["arrays"]
    }


@pytest.mark.parametrize("case", CASES)
def test_a_frame_is_that_of_the_vectors_and_is_read_back(case):
    data, arrays = bytes.fromhex(case["bytes"]), arrays_of(case)
    assert frame(arrays, **case["head"]) == data
    head, read = read_frame(data)
    assert head == case["head"]
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
        assert read[name].tobytes() == array.tobytes()


def test_arrays_of_any_byte_order_and_layout_travel_in_one():
    array = np.arange(6, dtype=">f4").reshape(2, 3)
    for other in (array, array.T.copy().T, array[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(read_frame(frame({"a": other}))[1]["a"], array)


@given(st.lists(st.binary(max_size=40)))
def test_summaries_are_packed_as_they_are_stored(parts):
    assert unpacked(read_frame(frame(packed(parts)))[1]) == parts


def test_a_name_may_be_any_text():
    names = ["__proto__", "1", "0", "é中", "\ud800", '"\\\n']
    assert list(read_frame(frame(dict.fromkeys(names, b"x")))[1]) == names


def described(text):
    return struct.pack("<I", len(text)) + text


WRONG = [
    b"",
    b"\xff\xff\xff\xff{}",
    described(b"{}"),
    described(b"[" * 100_000),
    described(b'{"arrays": 1}'),
    described(b'{"arrays": [["a", "u1"]]}'),
    described(b'{"arrays": [["a", "O", [1]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", [-1]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", [true]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", [2, 2, 2]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", [100000000000000000000, 0]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", ["1"]]]}') + bytes(64),
    described(b'{"arrays": [[1, "u1", [1]]]}') + bytes(64),
    described(b'{"arrays": [["a", [], [1]]]}') + bytes(64),
    described(b'{"arrays": [["a", "u1", [' + b"1" * 5000 + b"]]]}") + bytes(64),
]


@pytest.mark.parametrize("data", WRONG, ids=lambda data: repr(data[:60]))
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(ValueError, match="not a frame of arrays"):
        read_frame(data)


WHOLE = bytes.fromhex(CASES[-1]["bytes"])


@pytest.mark.parametrize("end", range(0, len(WHOLE) - 7))  # the last array has four bytes and four of padding
def test_a_cut_frame_is_refused(end):
    with pytest.raises(ValueError, match="not a frame of arrays"):
        read_frame(WHOLE[:end])


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_a_changed_frame_raises_no_other_error(at, byte):
    with suppress(ValueError):
        read_frame(WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :])
