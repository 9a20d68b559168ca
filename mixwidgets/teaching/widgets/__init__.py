"""The widgets: traits and validation. The page does the drawing, and a separate process the training."""
