"""first_difference: where a model's low precision parts from its reference for a reason other than rounding."""
