"""A user's own task: a class that travels to a run's process as its source text.

`protocol` says what a run asks of the class, `own` what an experiment holds of it. `source` makes the text,
and the class anew; `names` writes above it what it takes from its surroundings, as far as `imports` finds it.
"""
