"""The mini-experiments behind the lessons. `python -m benchmarks.experiments` runs them on five seeds."""
