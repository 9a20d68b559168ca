"""The classroom site: the widgets, presets and questions as pages that need no kernel and no network."""
