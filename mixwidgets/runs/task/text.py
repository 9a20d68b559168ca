"""English text that ships with Python, for models that predict the next character."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Generator, Tensor
from torch.nn import functional

from mixwidgets.runs.task.protocol import Predict

ALPHABET = "\n" + "".join(map(chr, range(32, 127)))
"""The 96 characters: the line feed and printable ASCII. 96 is a multiple of the MX block's 32."""
CONTEXT = 64
"""T: how many characters an example has."""
_HELD_OUT = 0.1  # the last tenth of the text is never trained on
_WINDOWS = 128  # of CONTEXT characters each: the held-out examples


def load_text() -> tuple[Tensor, Tensor]:
    """The training and the held-out text, as int64 indices into ALPHABET.

    It is the reference text of Python's `help()` (`pydoc_data.topics`), 465,000 characters in Python 3.11. It
    differs between versions of Python, so losses are comparable only within one version; the alphabet, and so
    the number of weights, is always the same. Non-ASCII characters (dashes, quotation marks) become "?".
    """
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in sorted(topics))
    codes = np.frombuffer(text.encode("ascii", errors="replace"), np.uint8)
    indices = torch.from_numpy(np.clip(codes, 31, 126).astype(np.int64) - 31)  # "\n" and other controls: 0
    end = round(len(indices) * (1 - _HELD_OUT))
    return indices[:end], indices[end:]


def windows(text: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """(inputs, targets), both (n, T), starting at `starts` (n,); a target is the next character."""
    taken = text[starts.unsqueeze(1) + torch.arange(CONTEXT + 1)]
    return taken[:, :-1], taken[:, 1:]


class NextCharacter:
    """Base of the text tasks: outputs are logits (n, T, 96), inputs and targets indices (n, T)."""

    def __init__(self) -> None:
        self.training, held_out = load_text()
        starts = torch.linspace(0, len(held_out) - CONTEXT - 1, _WINDOWS).long()
        self.held_out = windows(held_out, starts)

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        generator = Generator().manual_seed(seed)
        while True:
            starts = torch.randint(len(self.training) - CONTEXT, (batch_size,), generator=generator)
            yield windows(self.training, starts)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Nats per character."""
        return functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())

    def evaluate(self, predict: Predict) -> dict[str, float]:
        inputs, targets = self.held_out
        logits = predict(inputs)
        accuracy = (logits.argmax(-1) == targets).double().mean()
        return {"loss": self.loss(logits, targets).item(), "accuracy": accuracy.item()}
