"""What the suite costs, as ratios measured side by side. `python -m benchmarks` writes results/."""
