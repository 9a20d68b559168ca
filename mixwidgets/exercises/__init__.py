"""Questions to predict and to check: what they ask, which answers are right, what is said of others."""
