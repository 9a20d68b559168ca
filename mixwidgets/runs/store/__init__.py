"""The run directory: writing and reading events, and everything computed from them."""
