"""scikit-learn's handwritten digits as bytes: neither training on them nor showing them needs scikit-learn.

`python -m mixwidgets.runs.task.digit_rows` writes the file anew from scikit-learn.
"""

import zlib
from pathlib import Path

_FILE = Path(__file__).with_suffix(".bin")

HELD_OUT = 360
"""How many of the 1,797 digits are never trained on: the first ones."""


def digit_rows() -> bytes:
    """65 bytes for each of the 1,797 digits: 64 pixels of 0 … 16, row by row, then the label."""
    return zlib.decompress(_FILE.read_bytes())


def _write() -> None:
    import numpy as np
    from sklearn import datasets

    digits = datasets.load_digits()
    rows = np.random.default_rng(0).permutation(np.column_stack([digits.data, digits.target]))
    _FILE.write_bytes(zlib.compress(rows.astype(np.uint8).tobytes(), 9))


if __name__ == "__main__":
    _write()
