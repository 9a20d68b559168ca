"""scikit-learn's digits as bytes that a page can be sent: no scikit-learn is needed to show them.

`python -m mixwidgets.task.digit_rows` writes the file anew, from scikit-learn.
"""

from __future__ import annotations

import zlib
from pathlib import Path

_FILE = Path(__file__).with_suffix(".bin")


def digit_rows() -> bytes:
    """65 bytes for each of the 1,797 digits, in the order of `load_digits`: 64 pixels of 0 … 16, row by row,
    then the label. The first 360 are held out."""
    return zlib.decompress(_FILE.read_bytes())


def _write() -> None:
    from mixwidgets.task.digits import load_digits

    training, held_out = load_digits()
    rows = [
        bytes([*(int(pixel) for pixel in 16 * image.ravel()), int(label)])
        for images, labels in (held_out, training)
        for image, label in zip(images.numpy(), labels.numpy(), strict=True)
    ]
    _FILE.write_bytes(zlib.compress(b"".join(rows), 9))


if __name__ == "__main__":
    _write()
