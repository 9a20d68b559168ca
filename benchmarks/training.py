"""The cost of watching every gradient in a training step, of our loop against one written by hand, and of the
presets with low-bit operands."""

import ctypes
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context

import torch
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from benchmarks.pairs import Measure, compare
from mixwidgets.diagnosis.watching.watch import Watcher, watch
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.explicit import ExplicitTrainer
from mixwidgets.runs.training.gradients import summarise
from mixwidgets.runs.training.ranks import Part
from mixwidgets.runs.training.weights import make_optimizer

PAIRS = 15  # a step takes a few milliseconds, which a busy host disturbs
_WITH_ACTIVATIONS = ("gradients", "activations")
_STILL = 1e-9  # a step size that leaves the model unchanged: training it would change the time of a step
EXPERIMENTS = {  # each with the steps of one measurement
    "digits_cnn": (Experiment(task="digits_cnn", device="cpu", learning_rate=_STILL), 20),
    "char_gpt of size 3": (
        Experiment(task="char_gpt", device="cpu", learning_rate=_STILL, task_options={"size": 3}),
        10,
    ),
}
LOW_BITS = {  # tasks, each with the steps of one measurement
    "student_teacher": 10,
    "char_gpt": 2,
}


class _Watched(ExplicitTrainer):
    """The loop, with a function that receives the gradients of each step."""

    def __init__(self, experiment: Experiment, watch: Callable[[Mapping[str, Tensor]], object]) -> None:
        super().__init__(experiment, torch.device("cpu"))
        self._watch = watch

    def backward(self, part: Part) -> tuple[Tensor, Mapping[str, Tensor]]:
        loss, gradients = super().backward(part)
        self._watch(gradients)
        return loss, gradients


def _tracker(gradients: Mapping[str, Tensor]) -> None:
    """What `wandb.watch` computes for each gradient (wandb/integration/torch/wandb_torch.py,
    `log_tensor_stats`, without the logging)."""
    for gradient in gradients.values():
        flat = gradient.detach().clone().reshape(-1)
        if (~torch.isfinite(flat)).all().item():
            continue
        if not torch.isfinite(flat).all():
            flat = flat[torch.isfinite(flat)]
        low, high = flat.min().item(), flat.max().item()
        if low < high:
            flat.histc(bins=64, min=low, max=high).cpu().detach().clone().tolist()
            torch.linspace(low, high, steps=65).tolist()


def _trainer(trainer: ExplicitTrainer, steps: int, every: int | None = None) -> Measure:
    """Seconds for a number of steps; each `every`-th is observed and summarised as for a journal."""

    def measure() -> float:
        start = time.process_time()
        for number in range(steps):
            _, snapshot = trainer.step(number, observed=every is not None and number % every == 0)
            if snapshot is not None:
                dict(snapshot.summaries)
        return time.process_time() - start

    return measure


@contextmanager
def _least(model: nn.Module, optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """The cost of torch alone: a hook on each layer with parameters that sums its output, one
    that does nothing on each parameter, and copying and summing the gradients before the step.
    """
    weights = list(model.parameters())

    def read_output(layer: nn.Module, inputs: object, output: Tensor) -> None:
        output.detach().sum().item()

    def read_gradients(*_: object) -> None:
        torch.cat([weight.grad.reshape(-1) for weight in weights if weight.grad is not None]).sum().item()

    layers = [layer for layer in model.modules() if next(layer.parameters(recurse=False), None) is not None]
    with ExitStack() as placed:
        for layer in layers:
            placed.callback(layer.register_forward_hook(read_output).remove)
        for weight in weights:
            handle = weight.register_post_accumulate_grad_hook(lambda _: None)  # type: ignore[no-untyped-call]
            placed.callback(handle.remove)
        placed.callback(optimizer.register_step_pre_hook(read_gradients).remove)
        yield


def _by_hand(
    experiment: Experiment,
    steps: int,
    around: Callable[
        [nn.Module, torch.optim.Optimizer], AbstractContextManager[Watcher | None]
    ] = lambda *_: nullcontext(),
    *,
    whole: bool = False,
) -> Measure:
    """The same steps in float32, as PyTorch's tutorials write them, in a context. A watcher has then read
    all of them; with `whole`, starting, reading the newest summaries and ending are timed too."""
    task = tasks[experiment.task].build(experiment.task_options)
    torch.manual_seed(experiment.seed)
    model = task.model()
    optimizer = make_optimizer(experiment, list(model.parameters()))
    batches = task.batches(experiment.batch_size, experiment.seed)

    def measure() -> float:
        began = time.process_time()
        with around(model, optimizer) as watcher:
            start = time.process_time()
            for _ in range(steps):
                inputs, targets = next(batches)
                optimizer.zero_grad()
                loss = task.loss(model(inputs), targets)
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                loss.item()
            if watcher is not None:
                assert watcher.step == steps  # reads them
            seconds = time.process_time() - start
            if watcher is not None:
                dict(watcher.summaries)
        return time.process_time() - began if whole else seconds

    return measure


def _of(experiment: Experiment, steps: int, writer: SummaryWriter) -> dict[str, object]:
    def add_histograms(gradients: Mapping[str, Tensor]) -> None:
        for name, gradient in gradients.items():
            writer.add_histogram(name, gradient)

    def new(recipe: str = "fp32") -> ExplicitTrainer:
        return ExplicitTrainer(experiment.replace(recipe=recipe), torch.device("cpu"))

    def watched(watch: Callable[[Mapping[str, Tensor]], object]) -> Measure:
        return _trainer(_Watched(experiment, watch), steps)

    def with_activations(every: int) -> Measure:
        return _by_hand(experiment, steps, partial(watch, every=every, of=_WITH_ACTIVATIONS))

    plain, by_hand = _trainer(new(), steps), _by_hand(experiment, steps)
    reach = "≤ 1.07" if experiment.task == "char_gpt" else "≤ 1.12"

    def against(base: Measure, measure: Measure, **more: str) -> dict[str, object]:
        return {**compare(base, measure, PAIRS), **more}

    return {
        "observed every step / not": against(plain, _trainer(new(), steps, 1), reach=reach),
        "observed every 10 steps / not": against(plain, _trainer(new(), steps, 10), reach="≤ 1.03"),
        "exact summaries alone, every step / none": against(plain, watched(summarise)),
        "wandb's statistics every step / none": against(plain, watched(_tracker)),
        "TensorBoard's histograms every step / none": against(plain, watched(add_histograms)),
        "our loop, not observed / by hand": against(by_hand, plain),
        "by hand, watched every step / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=1)), reach=reach
        ),
        "by hand, watched every 10 steps / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=10)), reach="≤ 1.03"
        ),
        "by hand, watched and compared every step / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=1, changes_every=1))
        ),
        "by hand, watched, no step observed but the first / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=10_000))
        ),
        "by hand, watched every step, outputs checked every 10 steps / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=1, outputs_every=10))
        ),
        "by hand, watched every 10 steps, outputs checked every step / not": against(
            by_hand, _by_hand(experiment, steps, partial(watch, every=10, outputs_every=1))
        ),
        "by hand, compared every step / watched every step": against(
            _by_hand(experiment, steps, partial(watch, every=1)),
            _by_hand(experiment, steps, partial(watch, every=1, changes_every=1)),
            reach="≤ 1.02 for the GPT",
        ),
        "by hand, activations watched too, every step / not": against(
            by_hand, with_activations(1), reach="≤ 1.15 for the GPT"
        ),
        "by hand, activations watched too, every 10 steps / not": against(
            by_hand, with_activations(10), reach="≤ 1.03 for the GPT"
        ),
        "by hand, one step watched, begun, asked for and ended / one step": against(
            _by_hand(experiment, 1), _by_hand(experiment, 1, partial(watch, every=1), whole=True)
        ),
        "by hand, torch's hooks, sums and one copy alone / not": against(
            by_hand, _by_hand(experiment, steps, _least)
        ),
        "float16 storage, not observed / float32": against(plain, _trainer(new("fp16_static"), steps)),
    }


def _low_bits(task: str, steps: int) -> dict[str, object]:
    """Steps of the other presets with low-bit operands against those of nvfp4."""

    def of(recipe: str) -> Measure:
        experiment = Experiment(task=task, device="cpu", recipe=recipe, learning_rate=_STILL)
        return _trainer(ExplicitTrainer(experiment, torch.device("cpu")), steps)

    nvfp4 = of("nvfp4")
    reaches = {"nvfp4_published": {"reach": "≤ 1.5"}, "nvfp4_four_over_six": {"reach": "≤ 2"}}
    return {
        f"{name} / nvfp4": compare(nvfp4, of(name), 7) | reaches.get(name, {})
        for name, recipe in recipes.items()
        if recipe.operands is not None and recipe.operands.products == "emulated" and name != "nvfp4"
    }


def _keep_pages() -> None:
    """Make glibc keep freed pages (mallopt(3): M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD).

    Otherwise each step returns up to 450 pages to the system and gets them back, depending on the
    addresses of its tensors: two runs of one loop can differ by a quarter.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, size in ((-1, 1 << 30), (-2, 1 << 28), (-3, 1 << 30)):
            mallopt(parameter, size)


def measure() -> dict[str, object]:
    """Measure in a separate process, so that the heaps of other benchmarks are not affected."""
    with ProcessPoolExecutor(1, get_context("spawn"), _keep_pages) as own:
        return own.submit(_measure).result()


def _measure() -> dict[str, object]:
    with training_settings(), tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        found = {name: _of(*which, writer) for name, which in EXPERIMENTS.items()}
        return found | {f"low bits, {task}": _low_bits(task, steps) for task, steps in LOW_BITS.items()}
