"""Gradient summaries of a training step, and `watch` for a training loop of the user's own."""

from mixwidgets.support.installed import require

require("Watching a training loop", "train", "torch")  # before any module here imports torch
