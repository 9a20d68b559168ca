"""The training core, the only room that needs torch; it knows no widget."""
