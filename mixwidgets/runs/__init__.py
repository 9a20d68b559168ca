"""The vocabulary that training, widgets and the command line share: recipes, tasks, experiments, runs."""
