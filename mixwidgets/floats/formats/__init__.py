"""What a float format is, and exact decoding, encoding and rounding. NumPy only."""
