"""The run directory: writing and reading events, and everything computed from them.

`events` and `records` define what is recorded; `journal` writes it and `reader` reads it back, both through
`snapshots` for gradients. `figures` folds events into a run's state and says where each figure is shown.
`status` tells whether a run is alive, and stops it; `queue`, `lock` and `devices` decide when it may start.
`run`, `comparison` and `export` are what a user holds.
"""
