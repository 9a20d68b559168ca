"""What a float format is, and exact decoding, encoding and rounding. NumPy for arrays only."""
