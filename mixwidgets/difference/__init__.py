"""first_difference: where a model in low precision errs by more than rounding."""
