"""What computed: the versions that a run's records name."""

import platform
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import torch

import mixwidgets


def versions() -> Mapping[str, str]:
    """Version by package name, and Python's."""
    return MappingProxyType(
        {
            "python": platform.python_version(),
            "mixwidgets": mixwidgets.__version__,
            "numpy": np.__version__,
            "torch": torch.__version__,
        }
    )
