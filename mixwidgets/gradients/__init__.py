"""Summaries of gradients, from which every loss scale is answered exactly. NumPy only; never torch."""
