"""WatchedLoop: what a run directory holds in place of an experiment where the training loop is the user's."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from mixwidgets.checks import whole_number
from mixwidgets.formats.catalogue import get_format
from mixwidgets.store.records import from_json_text

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class WatchedLoop:
    """A training loop that `watch` looked at. Its recipe, seed and number of steps are not known here."""

    kind: ClassVar[str] = "watched_loop"
    """Distinguishes its JSON from an experiment's."""
    model: str
    """The name of the model's class."""
    format: str
    """The format whose losses are told."""
    every: int
    """Steps from one gradient snapshot to the next."""

    @property
    def title(self) -> str:
        """It in words, on one line."""
        return f"{self.model}, watched every {self.every} steps"

    @property
    def batch_size(self) -> float:
        """NaN: how many examples a step takes is not known."""
        return float("nan")

    @property
    def loss_weight(self) -> float:
        """1: a factor in the user's own loss is not known."""
        return 1.0

    @property
    def compute_format(self) -> str:
        """The format that tables of its gradients are about."""
        return self.format

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with the schema's version."""
        return {"schema": SCHEMA, "kind": self.kind, **asdict(self)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """The reverse of `to_dict`; ValueError or TypeError for what it cannot have made."""
        if fields.get("schema") != SCHEMA or set(fields) != {"schema", "kind", "model", "format", "every"}:
            raise ValueError("it is no watched loop as this mixwidgets writes them; upgrade mixwidgets?")
        return cls(
            model=from_json_text(fields["model"]),
            format=get_format(from_json_text(fields["format"])).name,
            every=whole_number("every", fields["every"], 1, 10_000_000),
        )
