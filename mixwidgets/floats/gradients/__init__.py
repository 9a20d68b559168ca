"""Summaries of gradients that give exact counts at every loss scale. NumPy only, never torch."""
