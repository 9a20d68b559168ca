"""Everything that mixwidgets says, by language: one folder for each."""
