"""The engine of js/training in a process of Node: each call is a request, see js/training/serve.ts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Self

import numpy as np

from mixwidgets import FloatFormat
from mixwidgets.runs.experiments.loss_scale import LossScale

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).with_name("node")


def definition(fmt) -> dict:
    """A format as the engine reads it."""
    return {
        "name": fmt.name,
        "exponentBits": fmt.exponent_bits,
        "fractionBits": fmt.fraction_bits,
        "bias": fmt.bias,
        "signed": fmt.signed,
        "infinity": fmt.infinity,
        "nan": fmt.nan,
        "hasZero": fmt.has_zero,
    }


def request(settings) -> dict:
    """The reference's Settings, or some of its fields by name, as the engine reads them."""
    fields = settings if isinstance(settings, dict) else vars(settings)
    return {_camel(name): _plain(value) for name, value in fields.items()}


def _plain(value):
    if isinstance(value, LossScale):
        names = ("kind", "init_scale", "growth_interval", "growth_factor", "backoff_factor")
        return {_camel(name): getattr(value, name) for name in names}
    return definition(value) if isinstance(value, FloatFormat) else value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


class Engine:
    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        command = [NODE, "js/training/serve.ts"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()  # closes its input, at which it ends

    def train(self, settings: dict, steps: int, changes: dict[int, dict] | None = None) -> dict:
        """Reports of each step with a digest of all weights and gradients, and the last weights."""
        return self._ask("train", settings=settings, steps=steps, changes=changes or {})

    def look(self, settings: dict, steps: int, changes: dict[int, dict] | None = None) -> dict:
        """The numbers of the step after these, with a digest of the arrays at each station."""
        return self._ask("look", settings=settings, steps=steps, changes=changes or {})

    def round(self, fmt, x, uniform=None):
        """float64 x, rounded; by draws if given."""
        more = {} if uniform is None else {"uniform": np.asarray(uniform).tolist()}
        return self._floats("round", x, format=definition(fmt), **more)

    def function(self, name: str, x):
        """float64 of exp, log or tanh."""
        return self._floats("functions", x, name=name)

    def _floats(self, kind: str, x, **request):
        answer = self._ask(kind, x=np.asarray(x, "<f8").tobytes().hex(), **request)
        return np.frombuffer(bytes.fromhex(answer), "<f8")

    def _ask(self, kind: str, **request):
        self._process.stdin.write(json.dumps({kind: request}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(self._process.communicate()[1])
        return json.loads(answer, parse_int=float)  # JavaScript writes 5e16 as an integer
