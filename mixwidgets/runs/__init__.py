"""The former home of some documented modules, which can be imported from here for one more version."""

import sys
from importlib import import_module
from warnings import warn

_MOVED = {
    "events": "mixwidgets.store.events",
    "loss_scale": "mixwidgets.experiments.loss_scale",
    "operands": "mixwidgets.experiments.operands",
    "task": "mixwidgets.task.catalogue",
}

warn(
    f"mixwidgets.runs was taken apart: import from {', '.join(_MOVED.values())}",
    DeprecationWarning,
    stacklevel=2,
)
for _name, _module in _MOVED.items():
    sys.modules[f"{__name__}.{_name}"] = import_module(_module)
