"""Decides what runs where and when: launched runs, sweeps, and their processes."""
