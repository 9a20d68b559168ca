"""Watching the training of an unmodified script: the model whose weights its first optimiser steps.

The model is looked for among all objects of the process when that optimiser first steps: too late for the
outputs of this step. Other models, and processes that the script starts, are not watched.
"""

import gc
import os
import runpy
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from mixwidgets.diagnosis.watching.observer import PASS_IT
from mixwidgets.diagnosis.watching.targets import weights_of
from mixwidgets.diagnosis.watching.watch import Watcher, watch
from mixwidgets.runs.store.errors import in_words


class WatchedScript:
    """Runs a Python file as `python FILE ARGS…` does, and watches the model of its first optimiser."""

    def __init__(self, **options: Any) -> None:
        """options: those of `watch` other than model, optimizer and scaler."""
        self.watcher: Watcher | None = None
        """None before the first step of an optimiser."""
        self._options, self._failure = options, ""
        self._optimizers: weakref.WeakSet[torch.optim.Optimizer] = weakref.WeakSet()
        self._names: list[str] = []

    def run(
        self, script: str | os.PathLike[str], arguments: Sequence[str] = (), *, is_module: bool = False
    ) -> None:
        """`is_module`: `script` is the dotted name of a module, as after `python -m`. Errors of the script,
        and non-zero exits, end the watching and are passed on."""
        path, argv = sys.path[:], sys.argv[:]
        sys.argv = [os.fspath(script), *arguments]
        sys.path.insert(0, str(Path.cwd()) if is_module else os.fspath(Path(script).resolve().parent))
        hook = register_optimizer_step_pre_hook(self._steps)
        try:
            if is_module:
                runpy.run_module(os.fspath(script), run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(os.fspath(script), run_name="__main__")
        except SystemExit as end:
            if end.code:
                self._end(end)
                raise
        except BaseException as error:
            self._end(error)
            raise
        finally:
            self._end(None)
            hook.remove()
            sys.path[:], sys.argv[:] = path, argv

    def notes(self) -> list[str]:
        """What was not watched, and the watcher's notes, in sentences."""
        if not self._names:
            return [
                "No torch optimiser stepped in this process, or a GradScaler skipped every step, so nothing "
                "was watched."
            ]
        notes = [self._failure] if self._failure else []
        if len(self._names) > 1:
            names = ", ".join(self._names)
            notes.append(
                f"{len(self._names)} optimisers stepped, {names}; only the model of the first was watched, "
                "in its steps."
            )
        told = self.watcher.notes if self.watcher else []
        return [
            *notes,
            *(note.removesuffix(f" {PASS_IT}") for note in told),
        ]  # there is no code of the user's

    def _end(self, error: BaseException | None) -> None:
        if self.watcher:
            self.watcher.__exit__(None if error is None else type(error), error, None)

    def _steps(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        if optimizer in self._optimizers:
            return
        self._optimizers.add(optimizer)
        self._names.append(type(optimizer).__name__)
        if len(self._names) > 1:
            return
        try:
            model = _model_of(optimizer)
            if model is None:
                self._failure = f"{self._names[0]} steps tensors outside any module; nothing was watched."
            else:
                self.watcher = watch(model, optimizer, **self._options)
        except Exception as error:  # an internal error, or wrong arguments: the script goes on
            self._failure = f"Nothing was watched: {in_words(error)}."


def _model_of(optimizer: torch.optim.Optimizer) -> nn.Module | None:
    """The smallest of the modules that hold most of the stepped weights; a wrapper of torch.compile is
    preferred to the module inside."""
    stepped = weights_of(optimizer)
    best, best_key = None, (0, False, 0)
    for module in gc.get_objects():
        if issubclass(type(module), nn.Module):
            with suppress(AttributeError):  # not yet initialised
                held = sum(id(weight) in stepped for weight in module.parameters())
                key = (held, hasattr(module, "_orig_mod"), -sum(1 for _ in module.modules()))
                if held and key > best_key:
                    best, best_key = module, key
    return best
