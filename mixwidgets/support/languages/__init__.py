"""All texts of mixwidgets, one folder per language."""
