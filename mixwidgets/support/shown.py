"""How values show themselves: tables as text and as HTML, and Catalogue, a mapping that is one."""

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

V = TypeVar("V")
Rows = Sequence[Sequence[object]]


def text_table(names: Sequence[str], rows: Rows) -> str:
    """The rows under the columns' names, aligned."""
    cells = [[str(cell) for cell in row] for row in (names, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def html_table(names: Sequence[str], rows: Rows, caption: str = "") -> str:
    """The same for a notebook. The first cell of a row is its heading; `names` may be empty."""
    heads = "".join(f"<th scope=col>{_safe(name)}</th>" for name in names)
    body = "".join(
        f"<tr><th scope=row>{_safe(first)}</th>{''.join(f'<td>{_safe(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if names else ""
    title = f"<caption>{_safe(caption)}</caption>" if caption else ""
    return f"<table>{title}{head}<tbody>{body}</tbody></table>"


def _safe(cell: object) -> str:
    return html.escape(str(cell))


class Catalogue(Mapping[str, V]):
    """Values by name, immutable; shown as a table, and documented as what they are."""

    def __init__(
        self, values: Mapping[str, V], names: Sequence[str], row: Callable[[V], Sequence[object]], doc: str
    ) -> None:
        """names: of the columns after that of the name; row: of a value, its cells."""
        self._values, self._names, self._row = dict(values), ("name", *names), row
        self.__doc__ = doc

    def __getitem__(self, name: str) -> V:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return text_table(self._names, self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._names, self._rows())

    def _rows(self) -> list[list[object]]:
        return [[name, *self._row(value)] for name, value in self.items()]
