"""A user's own task: a class that travels to a run's process as its source text.

    protocol   what a run asks of the class
    source     the class → its text, and back
    names      what the text takes from its surroundings: imports and constants to write above it
    imports    what a run's process can import
    own        the task as an experiment holds it
"""
