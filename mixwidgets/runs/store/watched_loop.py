"""WatchedLoop: what the run directory of a user's own training loop has instead of an experiment."""

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.runs.store.records import from_json_text
from mixwidgets.support.checks import whole_number

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class WatchedLoop:
    """A training loop observed by `watch`. Its recipe, seed and number of steps are unknown."""

    kind: ClassVar[str] = "watched_loop"
    """Distinguishes its JSON from an experiment's."""
    model: str
    """The name of the model's class."""
    format: str
    """The format to which tables and reports refer."""
    every: int
    """Steps between gradient snapshots."""

    batch_size: ClassVar[float] = math.nan
    """The number of examples per step is unknown."""
    loss_weight: ClassVar[float] = 1.0
    """A factor in the user's loss is unknown."""

    def learning_rate_at(self, step: int) -> float:
        """NaN: the learning rate is unknown."""
        return math.nan

    def recipe_name_at(self, step: int) -> str:
        """Empty: the recipe is unknown."""
        return ""

    @property
    def title(self) -> str:
        """A one-line description."""
        return f"{self.model}, watched every {self.every} steps"

    def compute_format_at(self, step: int) -> str:
        """The format to which tables of its gradients refer."""
        return self.format

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with the schema version."""
        return {"schema": SCHEMA, "kind": self.kind, **asdict(self)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """The inverse of `to_dict`. ValueError or TypeError for anything else."""
        if fields.get("schema") != SCHEMA or set(fields) != {"schema", "kind", "model", "format", "every"}:
            raise ValueError("it is no watched loop as this mixwidgets writes them; upgrade mixwidgets?")
        return cls(
            model=from_json_text(fields["model"]),
            format=get_format(from_json_text(fields["format"])).name,
            every=whole_number("every", fields["every"], 1, 10_000_000),
        )
