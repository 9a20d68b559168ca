"""A recorded step in a safetensors file, whose metadata has its calls, places, notes and errors as JSON.

The tensors are those at the boundaries ("3 fc output"), the summaries of a step that ran on a reference's
tensors ("found 3", bytes), and the gradients that the user's step leaves ("step fc.weight"). A file of a
stranger runs no code, and costs no more than its bytes: safetensors refuses shapes beyond them, and a place
belongs to one call.
"""

import errno
import json
import os
import stat
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.fingerprints import Fingerprint
from mixwidgets.diagnosis.difference.modes import Note
from mixwidgets.diagnosis.difference.passes import RECEIVED, Place
from mixwidgets.diagnosis.difference.record import (
    BACKWARD,
    FORWARD,
    CallRecord,
    Error,
    Raised,
    StepRecord,
)
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.records import from_json_count, from_json_number, from_json_text, to_json
from mixwidgets.runs.training.precision import DTYPES, name_of
from mixwidgets.support.files import replacing
from mixwidgets.support.installed import require

_HEAD = "mixwidgets_step"
_VERSION = 1
_FLOATS = {
    name_of(dtype): dtype
    for dtype in vars(torch).values()
    if isinstance(dtype, torch.dtype) and dtype.is_floating_point and "x2" not in str(dtype)
}
_STORED = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_DIRECTIONS = {FORWARD: FORWARD, BACKWARD: BACKWARD}
_WRITTEN_BY = "mw.record_step(model, batch, loss, file=…) writes such a file"


@dataclass(eq=False)
class StepFile:
    """What a file holds."""

    name: str
    """Its path."""
    id: str
    reference: str
    """The id of the file on whose tensors the step ran; "" if it ran on its own."""
    prints: dict[str, Fingerprint]
    """Of the model's inputs and weights."""
    record: StepRecord


def require_safetensors() -> None:
    require("A recorded step", "train", "safetensors")


def write_step(file: StepFile) -> None:
    """Write the file, whole or not at all. Raises OSError if that fails."""
    from safetensors.torch import save_file

    record = file.record
    numbers = {place: i for i, place in enumerate(dict.fromkeys(_places(record)))}
    tensors = {
        **{
            _tensor_name(numbers[place], place): tensor if tensor.dtype in _STORED else tensor.float()
            for place, tensor in record.tensors.items()
        },
        **{f"step {name}": tensor.clone() for name, tensor in record.stepped.items()},
        **{
            f"found {numbers[place]}": torch.frombuffer(bytearray(summary.to_bytes()), dtype=torch.uint8)
            for place, summary in record.summaries.items()
            if place.what != RECEIVED
        },
    }
    head = {
        "version": _VERSION,
        "id": file.id,
        "reference": file.reference,
        "is_reference": record.is_reference,
        "prints": {
            name: [each.shape, each.dtype, each.digest, to_json(each.norm)]
            for name, each in file.prints.items()
        },
        "format": name_of(record.dtype),
        "loss_scale": record.loss_scale,
        "step": record.step,
        "notes": record.notes,
        "places": [[place.module, place.call, place.what, place.index] for place in numbers],
        "calls": [_call_out(call, numbers) for call in record.calls],
        "errors": _errors_out(record.errors, numbers),
        "rounding": _errors_out(record.rounding or {}, numbers),
        "rounding_of_step": record.rounding_of_step and _error_out(record.rounding_of_step),
        "sums": [[numbers[place], numbers[whole]] for place, whole in record.sums.items()],
        "raised": record.raised
        and [_call_out(record.raised.call, numbers), record.raised.kind, record.raised.message],
    }
    path = Path(file.name)
    with replacing(path) as temporary:
        save_file(
            {name: tensor.cpu().contiguous() for name, tensor in tensors.items()},
            temporary,
            {_HEAD: json.dumps(head, allow_nan=False, separators=(",", ":"))},
        )
        with temporary.open("r+b") as written:  # Windows syncs only what it may write
            os.fsync(written.fileno())


def _places(record: StepRecord) -> list[Place]:
    of_calls = [place for call in record.calls for place in call.places]
    measured = (*record.tensors, *record.errors, *(record.rounding or ()))
    return [*of_calls, *measured, *record.sums, *record.sums.values()]


def _tensor_name(number: int, place: Place) -> str:
    return f"{number} {place.module} {place.what}"


def _call_out(call: CallRecord, numbers: dict[Place, int]) -> list[Any]:
    notes = [[*astuple(note)] for note in call.notes]
    for note in notes:
        note[1] = name_of(note[1])
    return [*call[:4], [numbers[place] for place in call.places], notes, call.strayed]


def _errors_out(errors: dict[Place, Error], numbers: dict[Place, int]) -> list[Any]:
    return [[numbers[place], _error_out(error)] for place, error in errors.items()]


def _error_out(error: Error) -> list[Any]:
    *numbers, worst, distinct = astuple(error)
    return [*map(to_json, (*numbers, *worst, *distinct))]


def read_step(path: str | os.PathLike[str]) -> StepFile:
    """The step in a file. Raises ValueError if it holds none, and OSError if it cannot be read."""
    require_safetensors()
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not stat.S_ISREG(Path(name).stat().st_mode):
        raise OSError(errno.EINVAL, f"this is no plain file; {_WRITTEN_BY}", name)
    try:
        opened: Any = safe_open(name, framework="pt", device="cpu")
    except SafetensorError as error:
        raise ValueError(f"{name!r} is no safetensors file: {error}. {_WRITTEN_BY}.") from None
    text = (opened.metadata() or {}).get(_HEAD)
    if text is None:
        raise ValueError(f"{name!r} is a safetensors file without a recorded step; {_WRITTEN_BY}.")
    try:
        return _decoded(name, json.loads(text), opened)
    except (SafetensorError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"{name!r} is a damaged recording of a step: {error}. Record it again.") from None


def _decoded(name: str, head: Any, opened: Any) -> StepFile:
    if head["version"] != _VERSION:
        raise ValueError(f"its version is {head['version']!r:.40}, and this release reads version {_VERSION}")
    places = [
        Place(from_json_text(m), from_json_count(c), from_json_text(w), from_json_count(i))
        for m, c, w, i in head["places"]
    ]
    calls = [_call_in(call, places) for call in head["calls"]]
    computed = [place for call in calls for place in call.places]
    if len({*computed}) < len(computed) or len({*places}) < len(places):
        raise ValueError("a place is named twice")
    numbers = {place: i for i, place in enumerate(places)}
    reference = from_json_text(head["reference"])
    errors = _errors_in(head["errors"], places)
    tensors, summaries = {}, {}
    if reference:
        needed = [place for place in errors if place.what != RECEIVED]
        summaries = {place: _summary(opened, numbers[place]) for place in needed}
    else:
        tensors = {place: _floats(opened, _tensor_name(numbers[place], place)) for place in computed}
    scale = from_json_number(head["loss_scale"])
    if not 0 < scale < float("inf"):
        raise ValueError(f"its loss scale is {scale}")
    raised, of_step = head["raised"], head["rounding_of_step"]
    record = StepRecord(
        dtype=DTYPES[head["format"]],
        loss_scale=scale,
        calls=calls,
        step=from_json_text(head["step"]),
        stepped={
            key.removeprefix("step "): _floats(opened, key)
            for key in opened.keys()  # noqa: SIM118  (no mapping)
            if key.startswith("step ")
        },
        notes=[*map(from_json_text, head["notes"])],
        tensors=tensors,
        errors=errors,
        summaries=summaries,
        rounding=_errors_in(head["rounding"], places) if reference else None,
        rounding_of_step=of_step and _error_in(of_step),
        sums={
            places[from_json_count(place)]: places[from_json_count(whole)] for place, whole in head["sums"]
        },
        raised=raised and Raised(_call_in(raised[0], places), *map(from_json_text, raised[1:])),
        is_reference=head["is_reference"] is True and not reference,
    )
    prints = {
        from_json_text(key): Fingerprint(
            tuple(map(from_json_count, shape)),
            from_json_text(dtype),
            from_json_text(digest),
            from_json_number(norm),
        )
        for key, (shape, dtype, digest, norm) in head["prints"].items()
    }
    return StepFile(name, from_json_text(head["id"]), reference, prints, record)


def _call_in(call: Any, places: list[Place]) -> CallRecord:
    module, kind, number, direction, computed, notes, strayed = call
    return CallRecord(
        from_json_text(module),
        from_json_text(kind),
        from_json_count(number),
        _DIRECTIONS[direction],
        [places[from_json_count(place)] for place in computed],
        [_note_in(note) for note in notes],
        strayed is True,
    )


def _note_in(note: Any) -> Note:
    op, dtype, coarse, flushed, beyond, by_zero, terms, line = note
    return Note(
        from_json_text(op),
        _FLOATS[dtype],
        coarse is True,
        from_json_number(flushed),
        from_json_number(beyond),
        by_zero is True,
        from_json_count(terms),
        line and (from_json_text(line[0]), from_json_count(line[1])),
    )


def _errors_in(errors: Any, places: list[Place]) -> dict[Place, Error]:
    return {places[from_json_count(place)]: _error_in(error) for place, error in errors}


def _error_in(error: Any) -> Error:
    absolute, norm, count, not_finite, flushed, largest, exact, found, before, after = error
    return Error(
        from_json_number(absolute),
        from_json_number(norm),
        from_json_count(count),
        from_json_count(not_finite),
        from_json_count(flushed),
        from_json_number(largest),
        (from_json_number(exact), from_json_number(found)),
        (from_json_count(before), from_json_count(after)),
    )


def _floats(opened: Any, name: str) -> Tensor:
    tensor: Tensor = opened.get_tensor(name)
    if tensor.dtype not in _STORED:
        raise ValueError(f"{name!r} is of {name_of(tensor.dtype)}, not of {', '.join(map(name_of, _STORED))}")
    return tensor


def _summary(opened: Any, number: int) -> GradientSummary:
    return GradientSummary.from_bytes(opened.get_tensor(f"found {number}").numpy().tobytes())
