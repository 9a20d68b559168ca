"""Mixed-precision training in NumPy, the twin of js/training: equal to it to the bit.

float64 holds every product of two float32 values exactly. What a line computes in float64 is rounded once, to
a tensor's format (`Format`) or to float32 (`f32`); each sum runs over its terms from the first to the last.
The steps are those of Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.
"""

import copy
import hashlib
import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import mixwidgets as mw
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.task.digit_rows import digit_rows

EXTENT, POINTS = 3, 256
DATA, ORDER, ROUNDING, WEIGHTS = 1, 2, 3, 16  # streams of random numbers
BETA_1, BETA_2 = 0.9, 0.999


def f32(x):
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(np.float32).astype(np.float64)


class Format:
    """A float format that keeps NaN also where it has none, since a page goes on with what it has."""

    def __init__(self, fmt: mw.FloatFormat) -> None:
        self.fmt = fmt

    def round(self, x):
        if self.fmt.name == "float32":
            return f32(x)
        is_nan = np.isnan(x)
        return np.where(is_nan, np.nan, self.fmt.round(np.where(is_nan, 0.0, x)))

    def round_by(self, uniform, x):
        """Stochastic rounding: to the greater magnitude if the distance from the lesser exceeds the draw."""
        exponent = np.clip(np.frexp(x)[1] - 1, self.fmt.emin, self.fmt.emax + 1)
        ulp = np.ldexp(1.0, exponent - self.fmt.fraction_bits)
        low = np.floor(np.abs(x) / ulp)
        up = np.abs(x) / ulp - low > uniform
        return self.round(np.copysign((low + up) * ulp, x))


FLOAT32 = Format(mw.get_format("float32"))


# Random numbers, by counting.


def mixed(bits):
    bits = np.atleast_1d(np.asarray(bits, np.uint32))
    bits = (bits ^ (bits >> 16)) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> 13)) * np.uint32(0xC2B2AE35)
    return bits ^ (bits >> 16)


class Stream:
    def __init__(self, seed: int, name: int) -> None:
        self.key = mixed(mixed((seed + 0x9E3779B9) % 2**32) + np.uint32(name))
        self.count = 0

    def draw(self, n: int):
        counts = np.arange(self.count, self.count + n, dtype=np.uint64).astype(np.uint32)
        self.count += n
        return (mixed(mixed(counts) + self.key) >> 8) / 2**24

    def one(self) -> float:
        return float(self.draw(1)[0])


class Batches:
    def __init__(self, count: int, stream: Stream) -> None:
        self.order, self.at, self.stream = np.arange(count), count, stream

    def next(self, size: int):
        rows = []
        for _ in range(size):
            if self.at == len(self.order):
                for last in range(self.at - 1, 0, -1):
                    other = int(self.stream.one() * (last + 1))
                    self.order[[last, other]] = self.order[[other, last]]
                self.at = 0
            rows.append(self.order[self.at])
            self.at += 1
        return np.array(rows)


# The tasks.


def point(task: str, i: int, stream: Stream):
    def between(low, high):
        return low + (high - low) * stream.one()

    def normal():
        total = -6.0
        for _ in range(12):
            total += stream.one()
        return total

    if task == "gaussians":
        centre = (0.4 if i % 2 else -0.4) * EXTENT
        return [min(max(centre + 0.3 * EXTENT * normal(), -EXTENT), EXTENT) for _ in range(2)]
    if task == "spiral":
        c, s = 1.0, 0.0
        for _ in range(i // 2 % (POINTS // 2)):
            c, s = c * COS - s * SIN, s * COS + c * SIN
        radius = (-0.95 if i % 2 else 0.95) * EXTENT * ((i // 2 + 1) / (POINTS // 2))
        noise = 0.03 * EXTENT
        return [radius * c + between(-noise, noise), radius * s + between(-noise, noise)]
    while True:
        x, y = between(-EXTENT, EXTENT), between(-EXTENT, EXTENT)
        square = (x * x + y * y) / (EXTENT * EXTENT)
        apart = min(abs(x), abs(y)) > 0.06 * EXTENT
        if task == "circle" and (square < 0.25 if i % 2 else 0.49 < square < 1):
            return [x, y]
        if task == "xor" and apart and (x * y < 0 if i % 2 else x * y > 0):
            return [x, y]


COS, SIN = 0.996312612182778, 0.0857973123444399  # of 1.75/128 of a turn


def examples(task: str, seed: int):
    """Those to train on, and those held out: inputs (n, features) and labels (n,), in float64."""
    if task == "digits":
        rows = np.frombuffer(digit_rows(), np.uint8).reshape(-1, 65)
        return [(part[:, :64] / 16, part[:, 64].astype(int)) for part in (rows[360:], rows[:360])]
    stream = Stream(seed, DATA)
    labels = np.arange(POINTS) % 2
    return [(f32([point(task, i, stream) for i in range(POINTS)]), labels) for _ in range(2)]


# Functions, from + − × ÷ alone.


def exp(x):
    x = np.asarray(x, np.float64)
    inside = np.where(np.abs(x) <= 110, x, 0)
    k = np.floor(inside * 1.4426950408889634 + 0.5)
    r = inside - k * 0.6931471803691238 - k * 1.9082149292705877e-10
    total = np.full_like(r, 1 / math.factorial(11))
    for n in range(10, -1, -1):
        total = total * r + 1 / math.factorial(n)
    total = np.ldexp(total, k.astype(int))
    return np.where(np.isnan(x), np.nan, np.where(x < -110, 0, np.where(x > 110, np.inf, total)))


def log(s):
    s = np.asarray(s, np.float64)
    f, k = np.frexp(np.where(np.isfinite(s), s, 1))
    f, k = np.where(f * 2 > math.sqrt(2), f, f * 2), np.where(f * 2 > math.sqrt(2), k, k - 1)
    t = (f - 1) / (f + 1)
    u = t * t
    total = np.full_like(u, 1 / 13)
    for n in (11, 9, 7, 5, 3, 1):
        total = total * u + 1 / n
    return np.where(np.isfinite(s), 2 * t * total + k * 1.9082149292705877e-10 + k * 0.6931471803691238, s)


def tanh(x):
    x = np.asarray(x, np.float64)
    e = exp(-2 * np.abs(x))
    y = (1 - e) / (1 + e)
    return np.where(np.abs(x) < 2.0**-10, x * (1 - x * x / 3), np.where(x < 0, -y, y))


# Training.

NO_SCALE = LossScale()


def _floored(rule: LossScale) -> LossScale:
    """In Python a run ends when its scale has fallen to 0; a page goes on, so the engine's stops falling."""
    return rule.replace(min_scale=2.0**-126) if rule.kind == "dynamic" else rule


@dataclass(frozen=True)
class Settings:
    """The settings of js/training/settings.ts, by the same names in Python's spelling."""

    task: str
    layers: tuple[int, ...]
    activation: str = "tanh"
    weight_format: mw.FloatFormat = FLOAT32.fmt
    activation_format: mw.FloatFormat = FLOAT32.fmt
    gradient_format: mw.FloatFormat = FLOAT32.fmt
    master_weights: bool = True
    accumulation: str = "float32"
    optimizer: str = "adam"
    learning_rate: float = 0.01
    momentum: float = 0.9
    eps: float = 1e-8
    optimizer_format: mw.FloatFormat = FLOAT32.fmt
    weight_rounding: str = "nearest"
    loss_scale: LossScale = NO_SCALE
    loss_weight: float = 1.0
    batch_size: int = 32
    seed: int = 0


def product(fmt: Format, accumulation: str, a, b):
    """a · b, each sum in float32 or rounded to the format after each term; a zero is then +0."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for term in range(a.shape[1]):
        added = total + a[:, term, None] * b[term]
        total = f32(added) if accumulation == "float32" else fmt.round(added) + 0.0
    return total


def cross_entropy(logits, labels, scale: float):
    """The mean loss, and the gradients of `scale` times it by the logits; softmax in float32."""
    largest = logits[:, 0]
    for logit in logits.T[1:]:
        largest = np.where(logit > largest, logit, largest)
    powers = f32(exp(f32(logits - largest[:, None])))
    total = np.zeros(len(labels))
    for power in powers.T:
        total = f32(total + power)
    truth = logits[np.arange(len(labels)), labels]
    losses = f32(f32(log(total)) + f32(largest - truth))
    mean = 0.0
    for loss in losses:
        mean = f32(mean + loss)
    wrong = f32(powers / total[:, None]) - (np.arange(logits.shape[1]) == labels[:, None])
    return f32(mean / len(labels)), wrong * f32(scale / len(labels))


def digest(tensors) -> str:
    """A hash of all bits of some tensors; one NaN stands for all."""
    plain = [np.where(np.isnan(tensor), np.nan, tensor).astype("<f4").tobytes() for tensor in tensors]
    return hashlib.sha256(b"".join(plain)).hexdigest()[:8]


def digests(look: dict) -> dict:
    """A look with a hash in place of each list of tensors."""
    return {
        name: digest(value) if isinstance(value, list) else digests(value) if name == "twin" else value
        for name, value in look.items()
    }


@dataclass(frozen=True)
class Pass:
    """What a step computes before its check, each list from the first layer to the last."""

    read: list  # weights and biases in turn
    values: list  # each layer's input
    sums: list
    errors: list  # gradients by the sums, scaled
    gradients: list  # of weights and biases in turn, scaled
    loss: float


def passes(s: Settings, kept, inputs, labels, scale: float) -> Pass:
    """Forward and backward for a batch."""
    weights, values_in, gradients_in = map(Format, (s.weight_format, s.activation_format, s.gradient_format))
    # 1. Forward on the weights' copies (3.1), in the activation format.
    read = [weights.round(one) for one in kept]
    values, sums = [values_in.round(inputs)], []
    for weight, bias in zip(read[::2], read[1::2], strict=True):
        sums.append(values_in.round(product(values_in, s.accumulation, values[-1], weight) + bias))
        activated = tanh(sums[-1]) if s.activation == "tanh" else np.where(sums[-1] < 0, 0, sums[-1])
        values.append(values_in.round(activated))
    # 2. The loss in float32 (3.3), times the loss scale (3.2).
    loss, delta = cross_entropy(sums[-1], labels, s.loss_weight * scale)
    # 3. Backward, in the gradient format.
    errors, gradients = [gradients_in.round(delta)], []
    for layer in range(len(read) // 2 - 1, -1, -1):
        delta, ones = errors[0], np.ones((1, len(labels)))
        by_bias = gradients_in.round(product(gradients_in, s.accumulation, ones, delta))
        by_weight = gradients_in.round(product(gradients_in, s.accumulation, values[layer].T, delta))
        gradients = [by_weight, by_bias, *gradients]
        if layer:
            below = gradients_in.round(product(gradients_in, s.accumulation, delta, read[2 * layer].T))
            value = values[layer]
            slope = 1 - value * value if s.activation == "tanh" else (value > 0) * 1.0
            errors = [gradients_in.round(below * slope), *errors]
    return Pass(read, [*values[:-1], sums[-1]], sums, errors, gradients, float(loss))


def held_out_loss(trainer: "Trainer") -> float:
    """The mean loss of the examples that are not trained on, without the loss weight."""
    return passes(trainer.settings, trainer.kept, *trainer.held_out, 1.0).loss


def in_float32(s: Settings) -> Settings:
    """The same settings in float32 alone, without a loss scale."""
    wide = dict.fromkeys(
        ("weight_format", "activation_format", "gradient_format", "optimizer_format"), FLOAT32.fmt
    )
    return replace(
        s, **wide, master_weights=True, accumulation="float32", weight_rounding="nearest", loss_scale=NO_SCALE
    )


class Trainer:
    def __init__(self, settings: Settings) -> None:
        (self.inputs, self.labels), self.held_out = examples(settings.task, settings.seed)
        self.order = Batches(len(self.labels), Stream(settings.seed, ORDER))
        self.draws = Stream(settings.seed, ROUNDING)
        self.settings = settings
        self.scale = _floored(settings.loss_scale).start()
        classes = 10 if settings.task == "digits" else 2
        self.widths = [self.inputs.shape[1], *settings.layers, classes]
        self.kept, self.powers = [], (1.0, 1.0)
        for layer, (inputs, outputs) in enumerate(pairwise(self.widths)):
            for i, shape in enumerate([(inputs, outputs), (1, outputs)]):
                draws = Stream(settings.seed, WEIGHTS + 2 * layer + i).draw(math.prod(shape))
                first = f32((2 * draws - 1) / math.sqrt(inputs)).reshape(shape)
                self.kept.append(self.kept_in.round(first))
        self.first = [np.zeros_like(kept) for kept in self.kept]
        self.second = [np.zeros_like(kept) for kept in self.kept]

    @property
    def kept_in(self) -> Format:
        return FLOAT32 if self.settings.master_weights else Format(self.settings.weight_format)

    def change(self, **changes) -> None:
        """Go on with other formats or hyper-parameters; not another task, seed or network."""
        old, self.settings = self.settings, replace(self.settings, **changes)
        if old.loss_scale != self.settings.loss_scale:
            self.scale = _floored(self.settings.loss_scale).start()
        self.kept = [self.kept_in.round(kept) for kept in self.kept]
        if old.optimizer != self.settings.optimizer:
            self.powers = (1.0, 1.0)
            self.first = [np.zeros_like(kept) for kept in self.kept]
            self.second = [np.zeros_like(kept) for kept in self.kept]
        state = Format(self.settings.optimizer_format)
        self.first, self.second = [[state.round(one) for one in some] for some in (self.first, self.second)]

    def digest(self) -> str:
        return digest([tensor for pair in zip(self.kept, self.gradients, strict=True) for tensor in pair])

    @np.errstate(all="ignore")
    def step(self) -> dict:
        """One step, and what the engine reports of it."""
        s, scale = self.settings, self.scale.scale
        batch = self.order.next(s.batch_size)
        done = passes(s, self.kept, self.inputs[batch], self.labels[batch], scale)
        loss, gradients = done.loss, done.gradients
        # 4. Whether to skip, and the next scale (3.2).
        found_inf = not all(np.isfinite(gradient).all() for gradient in gradients)
        skipped = s.loss_scale.skips(found_inf)
        self.scale = _floored(s.loss_scale).after(self.scale, found_inf)
        # 5. Unscale in float32 (3.2) and update the weights that are kept (3.1).
        unchanged = 0 if skipped else self.update([f32(g * f32(1 / scale)) for g in gradients])
        self.gradients = gradients
        return {
            "loss": loss,
            "lossScale": scale,
            "foundInf": found_inf,
            "skipped": skipped,
            "unchanged": unchanged,
            "zeroGradients": int(sum((gradient == 0).sum() for gradient in gradients)),
            "digest": self.digest(),
        }

    @np.errstate(all="ignore")
    def look(self) -> dict:
        """All that the next step goes through, and float32's step from the same weights; neither is taken."""
        own, twin = (copy.deepcopy(self) for _ in range(2))
        own.settings, twin.settings = self.settings, in_float32(self.settings)
        batch = own.order.next(self.settings.batch_size)
        inputs, labels, scale = self.inputs[batch], self.labels[batch], self.scale.scale

        def side(trainer: Trainer, scale: float) -> dict:
            done = passes(trainer.settings, self.kept, inputs, labels, scale)
            found_inf = not all(np.isfinite(gradient).all() for gradient in done.gradients)
            skipped = trainer.settings.loss_scale.skips(found_inf)
            unscaled = [f32(g * f32(1 / scale)) for g in done.gradients]
            trainer.updates = [np.zeros_like(kept) for kept in self.kept]
            if not skipped:
                trainer.update(unscaled)
            return {
                "lossScale": scale,
                "kept": self.kept,
                "loss": done.loss,
                "foundInf": found_inf,
                "skipped": skipped,
                **{name: getattr(done, name) for name in ("read", "values", "sums", "errors")},
                "gradient": done.gradients,
                "unscaled": unscaled,
                "before": [one for pair in zip(self.first, self.second, strict=True) for one in pair],
                "after": [one for pair in zip(trainer.first, trainer.second, strict=True) for one in pair],
                "update": trainer.updates,
                "next": trainer.kept,
            }

        seen = side(own, scale)
        after = _floored(self.settings.loss_scale).after(self.scale, seen["foundInf"])
        other = side(twin, 1.0)
        del other["skipped"]  # it never is
        return {**seen, "nextScale": after.scale, "twin": other}

    def update(self, gradients) -> int:
        s, state = self.settings, Format(self.settings.optimizer_format)
        self.powers = (self.powers[0] * BETA_1, self.powers[1] * BETA_2)
        unchanged, self.updates = 0, []
        for i, gradient in enumerate(gradients):
            if s.optimizer == "momentum":
                gradient = self.first[i] = state.round(s.momentum * self.first[i] + gradient)
            if s.optimizer == "adam":
                self.first[i] = state.round(BETA_1 * self.first[i] + (1 - BETA_1) * gradient)
                self.second[i] = state.round(BETA_2 * self.second[i] + (1 - BETA_2) * gradient * gradient)
                below = state.round(np.sqrt(self.second[i] / (1 - self.powers[1])) + s.eps)
                update = s.learning_rate * (self.first[i] / (1 - self.powers[0])) / below
            else:
                update = s.learning_rate * gradient
            update, before = f32(update), self.kept[i]
            self.updates.append(update)
            if s.weight_rounding == "stochastic" and not s.master_weights:
                draws = self.draws.draw(before.size).reshape(before.shape)
                self.kept[i] = self.kept_in.round_by(draws, before - update)
            else:
                self.kept[i] = self.kept_in.round(before - update)
            unchanged += int(((update != 0) & (self.kept[i] == before)).sum())
        return unchanged
