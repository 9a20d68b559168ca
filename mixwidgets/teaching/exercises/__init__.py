"""Exercises: questions, rules for right answers, feedback on wrong ones, and coding tasks."""
