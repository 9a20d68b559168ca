"""The run directory: events written, read back, and what follows from them."""
