"""first_difference: where a model in low precision has larger errors than rounding explains."""
