"""What is run: a recipe, a loss scale, an experiment, a grid of experiments."""
