"""Gradient summaries of a training step, and `watch` for a training loop of the user's own."""
