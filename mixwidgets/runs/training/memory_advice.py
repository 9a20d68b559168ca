"""Advice on what needs less memory, for a run that ran out of it."""

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.precision import DTYPES

_MOST_RECIPES = 3


def advice(experiment: Experiment, weights: int | None) -> str:
    """What to change, and, if the number of trained weights is known, the bytes that this and other recipes
    take."""
    batch, parts = experiment.batch_size, experiment.micro_batches
    lines = []
    if 2 * parts <= batch:
        lines = [
            f"To use less: micro_batches={2 * parts} (it is {parts}) computes the same batch of {batch} in "
            f"smaller parts; batch_size={batch // 2} also uses less."
        ]
    if weights:
        here = bytes_per_weight(experiment)
        found = {name: bytes_per_weight(experiment.replace(recipe=name)) for name in recipes}
        fewer = sorted((size, name) for name, size in found.items() if size < here)[:_MOST_RECIPES]
        told = "; ".join(f"{name} {_in_words(size * weights)}" for size, name in fewer)
        less = f"; other recipes use less: {told}" if told else ""
        lines.append(
            "Weights, their copies and gradients, and the optimiser's state take "
            f"{_in_words(here * weights)} in addition to the activations{less}."
        )
    return " ".join(lines) or "To use less memory, use a smaller model."


def bytes_per_weight(experiment: Experiment) -> int:
    """Bytes per trained weight during a step, without activations: the weight, its narrow copy, its gradients
    and the optimiser's state."""
    recipe = experiment.recipe
    narrow, state = DTYPES[recipe.compute_format].itemsize, DTYPES[recipe.optimizer_format].itemsize
    wide = 4
    moments = 2 if experiment.optimizer == "adam" else 1 if experiment.momentum else 0
    if narrow == wide:
        return wide + wide + moments * state
    if recipe.loop == "amp":  # autocast copies most weights; gradients are float32
        return wide + narrow + wide + moments * wide
    kept = wide if recipe.master_weights or recipe.optimizer_format == "float32" else 0
    return kept + narrow + (narrow + wide) + moments * state


def _in_words(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.3g} {unit}"
