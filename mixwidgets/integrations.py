"""`watch` in the trainers of other libraries: callbacks for Hugging Face's Trainer and for Lightning.

Accelerate needs none: pass the model and the optimiser from its `prepare` to `mixwidgets.watch`.
"""

import sys
from pathlib import Path
from typing import Any

from mixwidgets.diagnosis.watching.watch import Watcher, watch
from mixwidgets.runs.store.journal import free_path


class _Watching:
    """The base of both callbacks."""

    watcher: Watcher | None = None
    """The watcher of the newest training; None before the first."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__()
        self._options = options

    def start(self, *loop: Any) -> None:
        self.stop()
        options = dict(self._options)
        if self.watcher and options.get("path") is not None:
            options["path"] = free_path(Path(options["path"]))
        self.watcher = watch(*loop, **options)

    def stop(self) -> None:
        """Remove every hook. Calling it twice is harmless."""
        if self.watcher:
            self.watcher.stop()


def trainer_callback(**options: Any) -> Any:
    """A `transformers.TrainerCallback` that watches a Trainer's model: `callbacks=[trainer_callback()]`.

    options: the options of `watch` other than model, optimizer and scaler, such as `every=10`. With `path`,
        each further training is recorded in the next free folder beside it, such as `path-2`.

    Its attribute `watcher` is set when the training begins. If an error ends the training, Trainer does not
    call callbacks: call `Watcher.stop`. It does not pass them the loss of a step either; see its own log.
    """
    from transformers import TrainerCallback

    class WatchCallback(_Watching, TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **loop: Any) -> None:
            self.start(loop["model"], loop["optimizer"])

        def on_train_end(self, *_: Any, **__: Any) -> None:
            self.stop()

    return WatchCallback(options)


def lightning_callback(**options: Any) -> Any:
    """A `Callback` that watches a Lightning model: `Trainer(callbacks=[lightning_callback()])`.

    options: as in `trainer_callback`. Its `.watcher` also has the losses.

    It belongs to the package `lightning` or, if that is not imported, to `pytorch_lightning`.
    """
    if "lightning" in sys.modules:
        from lightning.pytorch import Callback
    else:
        from pytorch_lightning import Callback

    class WatchCallback(_Watching, Callback):  # type: ignore[misc]
        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            self.start(pl_module, trainer.optimizers, _scaler(trainer))

        def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
            if self.watcher and not _scaler(trainer):  # a scaler has already reported this loss
                self.watcher.loss(loss)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self.stop()

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            self.stop()

    return WatchCallback(options)


def _scaler(trainer: Any) -> Any:
    return getattr(trainer.precision_plugin, "scaler", None)
