"""`watch` inside other libraries' trainers: a callback for Hugging Face's Trainer, and one for Lightning.

Accelerate needs none: pass what `accelerator.prepare` gives, `mixwidgets.watch(model, optimizer)`.
"""

import sys
from typing import Any

from mixwidgets.observe.watch import Watcher, watch


class _Watching:
    """What both callbacks have."""

    watcher: Watcher | None = None
    """Of the newest training; None before the first."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__()
        self._options = options

    def start(self, *loop: Any) -> None:
        self.stop()
        self.watcher = watch(*loop, **self._options).start()

    def stop(self) -> None:
        """Remove every hook; harmless twice."""
        if self.watcher:
            self.watcher.stop()


def trainer_callback(**options: Any) -> Any:
    """A `transformers.TrainerCallback` that watches what a Trainer trains: `callbacks=[trainer_callback()]`.

    options: what `watch` takes beside the model, the optimiser and the scaler, such as `every=10`.

    Its `.watcher` has what was seen, from the training's begin on. Where an error ends the training, Trainer
    tells no callback: call `.stop()`. Nor does it tell the loss of a step, which its own log has.
    """
    from transformers import TrainerCallback

    class WatchCallback(_Watching, TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **loop: Any) -> None:
            self.start(loop["model"], loop["optimizer"])

        def on_train_end(self, *_: Any, **__: Any) -> None:
            self.stop()

    return WatchCallback(options)


def lightning_callback(**options: Any) -> Any:
    """A `Callback` that watches what Lightning trains: `Trainer(callbacks=[lightning_callback()])`.

    options: as of `trainer_callback`. Its `.watcher` has what was seen, losses too.

    It is of the package `lightning` or, where that is not imported, of `pytorch_lightning`.
    """
    if "lightning" in sys.modules:
        from lightning.pytorch import Callback
    else:
        from pytorch_lightning import Callback

    class WatchCallback(_Watching, Callback):  # type: ignore[misc]
        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            self.start(pl_module, trainer.optimizers, _scaler(trainer))

        def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
            if self.watcher and not _scaler(trainer):  # which has scaled this loss, and tells it
                self.watcher.loss(loss)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self.stop()

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            self.stop()

    return WatchCallback(options)


def _scaler(trainer: Any) -> Any:
    return getattr(trainer.precision_plugin, "scaler", None)
