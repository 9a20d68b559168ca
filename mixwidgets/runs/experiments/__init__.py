"""The description of a run: recipe, loss scale, experiment, grid of experiments."""
