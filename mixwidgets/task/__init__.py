"""What can be trained: the built-in tasks, each with its model, and a task of the user's own."""
