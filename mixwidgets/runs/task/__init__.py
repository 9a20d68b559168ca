"""What can be trained: the built-in tasks with their models, and users' own tasks."""
