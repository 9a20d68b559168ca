"""The widgets: traits and validation. The page does the drawing; a process of its own does the training."""
