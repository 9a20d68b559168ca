"""The parts of watch: hooks on a loop, what is seen of a step, what is kept of it, and what is said."""
