"""watch: exact summaries of the gradients in the user's own training loop."""

import atexit
import inspect
import os
import reprlib
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.counting import OUTPUTS
from mixwidgets.diagnosis.watching.finite import PLACES
from mixwidgets.diagnosis.watching.history import History, NonFinite, ScaleChange, Snapshot
from mixwidgets.diagnosis.watching.hooks import LoopHooks
from mixwidgets.diagnosis.watching.observer import Observer
from mixwidgets.diagnosis.watching.report import is_gradient, report
from mixwidgets.diagnosis.watching.scalars import ScalarLog
from mixwidgets.diagnosis.watching.targets import OF_OUTPUTS, Loop, check_loop, listed
from mixwidgets.floats.formats.block_catalogue import BlockFormats, any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.gradients.boundaries import signed_format
from mixwidgets.floats.gradients.summary import best_loss_scale
from mixwidgets.runs.store.errors import in_words, reason_of
from mixwidgets.runs.store.events import RunStarted
from mixwidgets.runs.store.journal import Journal, create_watched_run, free_path
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.training.gradients import STEPS, Summaries, prepare
from mixwidgets.support.checks import whole_number
from mixwidgets.support.installed import device_name, versions
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.suggestion import did_you_mean

if TYPE_CHECKING:
    import pandas as pd


def watch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer] | None = None,
    scaler: torch.amp.GradScaler | None = None,
    every: int = 10,
    format: str = "float16",
    path: str | os.PathLike[str] | None = None,
    of: str | Sequence[str] = ("gradients",),
    names: str | Sequence[str] | Callable[[str], bool] | None = None,
    block_formats: BlockFormats = (),
    block_axis: int | None = None,
    scale_rule: str | None = None,
    extra: Mapping[str, object] = MappingProxyType({}),
    changes_every: int = 10,
    outputs_every: int | None = None,
    **misspelt: object,
) -> "Watcher":
    """Observe a training loop without changing it, from now on: `watcher = watch(model, optimizer)`.

    It ends with `watcher.stop()`, or with the block of `with watch(model, optimizer) as watcher: …`. A
    watcher that nobody holds, and that records and logs nowhere, ends by itself.

    model: its floating-point parameters are watched, as soon as they require gradients.
    optimizer: the loop's optimiser, or several; a step ends when each of them has stepped. For a wrapper
        (Accelerate's, a Lookahead) the optimiser inside is watched. Without optimiser and scaler, each
        backward pass is a step.
    scaler: the loop's GradScaler. If it is enabled, a step ends with `scaler.update()` instead, and is
        skipped if the scaler skips one of these optimisers.
    every: optimiser steps between observed steps; the first step is observed.
    format: the name of the format to which `report()` refers.
    path: a folder, missing or empty, that becomes the run directory of the observed steps: `open_run(path)`.
        When watching is restarted, it records in the next free folder beside it, such as `path-2`.
    of: what is summarised: "gradients" of parameters, "activations" (module outputs, in all calls of a step),
        "activation_gradients" (with respect to these), "weights" (after the step).
    names: which parameters and modules, by their dotted names: a pattern such as "blocks.*.mlp.*", a sequence
        of patterns, or a function of a name; None: all.
    block_formats: block formats such as "mxfp8_e4m3" and "nvfp4", in which observed tensors are recorded too,
        for `report("nvfp4")`. This rounds each of them on the host.
    block_axis: the axis along which blocks run, in tensors that have it. The default is that of `survey` for
        gradients and weights, and the last for module outputs and their gradients.
    scale_rule: how the scales of blocks are chosen, a name that all of `block_formats` know
        (`BlockFormat.scale_rules`); None: the first of each.
    extra: what the loop updates beside the model once in each step, by name, such as {"ema": ema}: a module,
        a tensor, a mapping or list of tensors, or an object with `shadow_params`.
    changes_every: optimiser steps, at least, between observed steps in which weights and extras are compared
        with what they were before. With every=1 and changes_every=1 that is each step, which costs a small
        network a few per cent more, since each weight is copied and read twice.
    outputs_every: optimiser steps between those in which the outputs of modules are checked for an inf or a
        NaN, and their largest magnitudes kept (`Watcher.frames`); None: in observed steps only.

    Gradients are read at the end of each backward pass of an observed step, before they are clipped or
    unscaled, and are reported unscaled by the GradScaler's scale (a scale of your own is not known). For
    accumulated gradients, the last backward pass before the step counts; under DistributedDataParallel they
    are the mean over the processes; with FSDP, only this process's shards are counted. Gradients without a
    backward pass are read when the optimiser steps. Training results do not change by a bit.

    In observed steps the gradients' norm is taken again as the optimiser steps, and in some of them weights
    are compared with what they were before (`Snapshot.changes`; of a tensor with more than 2^16 values, a
    regular sample). In every step the gradients, the buffers and the loss are checked for an inf or a NaN;
    outputs of modules are in observed steps (see `outputs_every`), and in all after the first inf or NaN
    (`Watcher.first_non_finite`).

    TypeError or ValueError for a model without parameters to train, an optimiser of another model, an unknown
    format, kind or rule, names that match nothing, or a number of steps below 1.
    """
    if misspelt:
        word, accepted = next(iter(misspelt)), [*inspect.signature(watch).parameters][:-1]
        raise TypeError(f"watch takes no {word!r}.{did_you_mean(word, accepted)}")
    loop = check_loop(model, optimizer, scaler, of, names, block_formats, block_axis, scale_rule, extra)
    return Watcher(loop, every, format, path, changes_every, outputs_every).start()


_RECORDING: weakref.WeakSet["Watcher"] = weakref.WeakSet()


@atexit.register
def _end_recordings() -> None:
    """So that the run of a watcher which nobody stopped says how it ended."""
    for watcher in list(_RECORDING):
        watcher._stop("stopped", "The process ended while it was watched.")


class Watcher:
    """Observes a training loop until `stop`, or the end of its `with`. Made by `watch`, which starts it."""

    def __init__(
        self,
        loop: Loop,
        every: int,
        format: str,
        path: str | os.PathLike[str] | None,
        changes_every: int,
        outputs_every: int | None,
    ) -> None:
        self.every = whole_number("every", every, 1, 10_000_000)
        """Optimiser steps between observed steps."""
        if isinstance(any_format(format), BlockFormat):
            raise ValueError(
                f"format takes a float format; got {format!r}. For a block format write "
                f"watch(…, block_formats={format!r}), and then report({format!r})."
            )
        self.format = signed_format(format).name
        """The format to which `report()` refers."""
        self._loop, self._path, self._has_run = loop, path, False
        weights = list(loop.parameters().values()) or list(loop.model.parameters())
        devices = {weight.device: None for weight in weights}
        self._device = next((device for device in devices if device.type != "cpu"), torch.device("cpu"))
        changes_every = whole_number("changes_every", changes_every, 1, 10_000_000)
        outputs_every = self.every if outputs_every is None else outputs_every
        outputs_every = whole_number("outputs_every", outputs_every, 1, 10_000_000)
        self._observer = Observer(loop, self._device, self.every, changes_every, outputs_every)
        self._hooks = LoopHooks(loop, self._observer)
        self._is_watching = False
        if path is not None:
            self._hooks.recorder = self
            _RECORDING.add(self)

    def start(self) -> Self:
        """Start or resume watching; harmless while watching.

        With `path`, OSError if it is not empty or cannot be written.
        """
        if self._is_watching:
            return self
        are_outputs_counted = not set(OF_OUTPUTS).isdisjoint(self._loop.of)
        prepare(list(self._loop.parameters().values()), OUTPUTS if are_outputs_counted else STEPS)
        self._observer.start(None if self._path is None else self._new_journal(self._path))
        try:
            self._hooks.place()
        except Exception as error:
            self._observer.stop(reason_of(error), in_words(error))
            raise
        self._is_watching = True
        return self

    def stop(self) -> None:
        """Remove every hook and end the journal; harmless while not watching. What was observed is kept."""
        message = "Watching was ended."
        if self._history.is_broken:
            message += " The newest gradients that were observed hold an inf or NaN."
        self._stop("completed", message)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.stop()
        elif isinstance(error, KeyboardInterrupt | GeneratorExit):
            self._stop("stopped", "The loop was interrupted.")
        else:
            self._stop(reason_of(error), in_words(error))

    def loss(self, loss: float | Tensor) -> Any:
        """Report the loss of the current step, before it ends; the losses of micro-batches are added, and of
        those in an optimiser's closure the last counts. Returns the loss: `watcher.loss(loss).backward()`.

        Not needed for a loss that goes through `scaler.scale`. TypeError unless it is a number or a tensor
        with one element.
        """
        if not (isinstance(loss, Real) or (isinstance(loss, Tensor) and loss.numel() == 1)):
            raise TypeError(f"watcher.loss takes a number or a tensor of one; got {reprlib.repr(loss)}.")
        if self._observer.is_active:
            self._observer.step.add_own_loss(loss)
        return loss

    def log_to(
        self, where: str | Callable[..., object], folder: str | os.PathLike[str] = "tensorboard"
    ) -> Self:
        """Log each further observed step as scalars: `watch(model, optimizer).log_to("tensorboard")`.

        where: "tensorboard"; "wandb" or "mlflow", which log to their active run; or a function that is called
            with a dict of names and numbers, and `step=`.
        folder: for TensorBoard's event files; each start of watching begins a new one.

        The numbers are "loss" (if seen), "loss_scale", "grad_norm" (after the backward pass),
        "optimizer_norm" (as the optimiser steps), of each weight and extra "changed/…" and "below_half_ulp/…"
        (see `Change`), and for each tensor the shares of its non-zero values
        that the watcher's format loses: "flushed/conv1.weight", "subnormal/…", "overflow/…", and
        "not_finite/…". For block formats that are recorded: "nvfp4_flushed/…", "nvfp4_clipped/…" and
        "nvfp4_relative_error/…". A target that raises an error is left out from there on, as `notes` says.
        ValueError for another name, ModuleNotFoundError if the package is not installed.
        """
        self._observer.logs.append(ScalarLog(where, folder, self.format))
        self._hooks.recorder = self
        return self

    @property
    def step(self) -> int:
        """How many steps were seen."""
        return self._history.steps

    @property
    def summaries(self) -> Summaries:
        """The summaries of the newest observed step, unscaled, by name (see `Snapshot`); empty before the
        first."""
        newest = self._history.newest
        return newest.summaries if newest else MappingProxyType({})

    @property
    def history(self) -> tuple[Snapshot, ...]:
        """The observed steps, oldest first: at most 256 steps and 16,384 summaries.

        When there are too many, every other one is dropped, so that the first and the newest remain.
        """
        return tuple(self._history.snapshots)

    @property
    def skipped(self) -> int:
        """How many steps were skipped because of an inf or a NaN."""
        return self._history.skipped

    @property
    def skipped_steps(self) -> tuple[int, ...]:
        """The numbers of the newest thousand skipped steps."""
        return tuple(self._history.skipped_steps)

    @property
    def scale_changes(self) -> tuple[ScaleChange, ...]:
        """The newest thousand changes of the loss scale."""
        return tuple(self._history.scale_changes)

    @property
    def first_non_finite(self) -> NonFinite | None:
        """Where an inf or a NaN was first seen, in any step; within a step, what is computed first comes
        first."""
        first = self._history.first_non_finite.values()
        return min(first, key=lambda value: (value.step, PLACES.index(value.where)), default=None)

    @property
    def frames(self) -> dict[int, dict[str, float]]:
        """The largest magnitude of each module's outputs, by step and by module in the order of the forward
        pass: of the newest five steps whose outputs were checked (see `outputs_every` of `watch`), up to the
        first with an inf or a NaN in one. `pandas.DataFrame(watcher.frames)` has a column for each step."""
        return {step: dict(outputs) for step, outputs in self._history.frames.items()}

    @property
    def notes(self) -> list[str]:
        """What cannot be observed, what happened, and what went wrong in watch itself, in sentences."""
        happened = list(self._history.sentences())
        noted = [*self._observer.notes(), *self._without_gradient()]
        unseen = [] if self._history.newest else [self._nothing_yet()]
        failed = filter(None, [self._observer.failure])
        return [*unseen, *self._loop.blind_spots(), *happened, *noted, *failed]

    def _nothing_yet(self) -> str:
        """Why no gradients were seen, and what to do."""
        seen, passed = self._observer, [type(each).__name__ for each in self._loop.optimizers]
        start = "No gradients were seen yet: "
        if not self._is_watching and not seen.forward_passes:
            return f"{start}{self._loop.model_name} was not trained while it was watched; call start() first."
        if self.step:
            return (
                f"{start}in {self.step:,} steps neither the end of a backward pass nor the optimiser's step "
                "had any. Pass watch the optimisers that step within the backward pass."
            )
        if seen.backward_passes and seen.scaler is not None:
            return (
                f"{start}a step ends with scaler.update(), which was not called after "
                f"{seen.backward_passes:,} backward passes. Call scaler.step(optimizer), then "
                "scaler.update()."
            )
        if seen.backward_passes:
            return (
                f"{start}{seen.backward_passes:,} backward passes were seen, but no step of "
                f"{listed(passed)}: call optimizer.step(), or pass watch the optimiser that the loop steps."
            )
        if seen.forward_passes:
            return (
                f"{start}{self._loop.model_name} was called {seen.forward_passes:,} times, but no backward "
                "pass reached its weights: call loss.backward(), on a loss that depends on its output."
            )
        return (
            f"{start}{self._loop.model_name} was not called yet in training. Run the loop, with this model "
            "and not a copy of it."
        )

    def _without_gradient(self) -> Iterator[str]:
        newest = self._history.newest
        if newest and "gradients" in self._loop.of:
            asking = [name for name, weight in self._loop.parameters().items() if weight.requires_grad]
            missing = [name for name in asking if name not in newest.summaries]
            if missing:
                yield f"These parameters got no gradient in step {newest.step:,}: {listed(missing)}."

    def report(self, format: str | BlockFormat | None = None) -> "pd.DataFrame":
        """What `format` loses of the newest observed step, in sentences, the worst tensor first, and the
        numbers of each tensor as a DataFrame with a row for it.

        format: a name; default: the watcher's format. A block format has to be one of `block_formats`.

        The columns: step, name, loss_scale (the current one; 1 for activations and weights, which are not
        scaled), count, the number of values in each class at that scale (zero … nan; missing if the summary
        cannot decide), best_loss_scale (of gradients), changed and below_half_ulp (shares of a weight's
        values, see `Change`, in the newest step that was compared) and finding. `report().attrs["notes"]` has
        the `notes`. It prints as sentences: what happened, then the findings; a notebook folds the numbers.

        For a block format, tensors are rounded as they arrive, gradients with a loss scale that is a power of
        two. The columns: step, name, loss_scale, count, zero, not_finite, the fields of a `BlockRecord` after
        `format` (missing if the format was not recorded) and finding.
        """
        from mixwidgets.diagnosis.watching.told import told  # loads pandas

        newest = self._history.newest
        step = (newest.step, newest.loss_scale, newest.summaries) if newest else (0, 1.0, {})
        compared = self._history.compared
        changes = compared.changes if compared else {}
        wanted = self.format if format is None else format
        table = report(*step, wanted, chosen_language(), changes)
        return told(table, newest, compared, self.notes, chosen_language(), any_format(wanted).name)

    def best_loss_scale(self, format: str | None = None) -> float:
        """The best power of two for the gradients of the newest observed step (see
        `LossScaleExplorer.best_loss_scale`). LookupError before there are any.

        format: a name; default: the watcher's format.
        """
        gradients = [summary for name, summary in self.summaries.items() if is_gradient(name)]
        if not gradients:
            if not any("gradients" in kind for kind in self._loop.of):
                raise LookupError(f"gradients are not watched: watch(…, of={self._loop.of!r}) omits them.")
            raise LookupError(" ".join(self.notes))
        return best_loss_scale(gradients, self.format if format is None else format)

    def __del__(self) -> None:
        hooks: LoopHooks | None = getattr(self, "_hooks", None)
        if hooks is not None:
            hooks.remove()

    def _new_journal(self, path: str | os.PathLike[str]) -> Journal:
        path = free_path(Path(path)) if self._has_run else path
        what = WatchedLoop(model=self._loop.model_name, format=self.format, every=self.every)
        create_watched_run(what, path)
        self._has_run = True
        journal = Journal(path)
        journal.append(
            RunStarted(
                device=str(self._device),
                device_name=device_name(self._device),
                backend="the watched loop's own",
                versions=versions(),
            )
        )
        return journal

    def _stop(self, reason: str, message: str) -> None:
        if not self._is_watching:
            return
        self._is_watching = False
        self._hooks.remove()
        self._observer.stop(reason, message)

    def __repr__(self) -> str:
        doing = "watching" if self._is_watching else "not watching"
        return f"<Watcher: {self._loop.model_name}, {doing}, {self.step} steps, {self.skipped} skipped>"

    @property
    def _history(self) -> History:
        self._observer.catch_up()
        return self._observer.history
