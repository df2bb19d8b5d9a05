"""Tables of the systems and methods, made from the data of the classes: `polhode.list_systems()`, `polhode.list_methods()`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .core.method import Method, known_methods
from .core.system import System
from .systems.registry import known_systems

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Row = dict[str, Any]

SHORT = 12  # characters of a cell that is not broken into lines


@dataclass(frozen=True)
class Table:
    """Rows of a table, each a dict with the same keys; it can be shown as text, HTML, Markdown, and in a terminal.

    >>> table = Table("Planets", [{"name": "Earth", "moons": ["Moon"]}, {"name": "Venus", "moons": []}])
    >>> table
    name   moons
    -----  -----
    Earth  Moon
    Venus  —
    >>> table[0]["moons"]
    ['Moon']
    """

    title: str
    rows: Sequence[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Row:
        return self.rows[index]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.rows[0]) if self.rows else []

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [[_text(row[column]) for column in self.columns] for row in self.rows]

    def __repr__(self) -> str:
        lines = [self.columns, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, ["-" * width for width in widths])
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.cells())
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def to_markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.cells()]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

    def to_rich(self, width: int, *, leave_out: Sequence[str] = ()) -> RichTable:
        """The table for a terminal of this `width`, at least `least_width`, without the columns in `leave_out`."""
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = [column for column in self.columns if column not in leave_out]
        table = RichTable(title=self.title, title_justify="left")
        for column, space in self._widths(shown, width).items():
            table.add_column(column, style="bold" if column == shown[0] else "", width=space)
        for row in self.rows:
            table.add_row(*(Text(_text(row[column])) for column in shown))
        return table

    def least_width(self, *, leave_out: Sequence[str] = ()) -> int:
        """The characters in a line that a terminal needs to show all columns but those in `leave_out`, no word broken."""
        return 1 + sum(3 + self._least(column) for column in self.columns if column not in leave_out)

    def to_records(self, width: int) -> str:
        """The table as paragraphs, one per row, for a terminal that is too narrow for the columns.

        >>> print(Table("Planets", [{"name": "Earth", "what": "blue", "moons": ["Moon"]}]).to_records(40))
        Planets
        <BLANKLINE>
        Earth: blue
          moons  Moon
        """
        first, second, *others = self.columns
        margin = 2 + max((len(column) for column in others), default=0) + 2
        lines = [self.title]
        for row in self.rows:
            lines += ["", *wrap(f"{_text(row[first])}: {_text(row[second])}", width, subsequent_indent="  ")]
            for column in others:
                label = f"  {column:{margin - 2}}"
                lines += wrap(_text(row[column]), width, initial_indent=label, subsequent_indent=" " * margin)
        return "\n".join(lines)

    def _widths(self, columns: Sequence[str], width: int) -> dict[str, int]:
        """The widths of columns in a line of this `width`: what each needs, and the rest for those that want most."""
        widths = {column: self._least(column) for column in columns}
        wanted = {column: max(len(column), *(len(_text(row[column])) for row in self.rows)) for column in columns}
        for _ in range(width - 1 - sum(3 + space for space in widths.values())):
            column = max(columns, key=lambda column: wanted[column] - widths[column])
            widths[column] += wanted[column] > widths[column]
        return widths

    def _unbroken(self, column: str) -> bool:
        """Whether the cells of a column stay on one line: those of the first, and single words."""
        return column == self.columns[0] or not any(" " in _text(row[column]) for row in self.rows)

    def _least(self, column: str) -> int:
        """The characters that a column needs: for its longest word, and for texts so short that they stay on one line."""
        cells = [column, *(_text(row[column]) for row in self.rows)]
        whole = len(max(cells, key=len)) if self._unbroken(column) else SHORT
        return max(len(part) for cell in cells for part in ([cell] if len(cell) <= whole else cell.split()))


def list_systems() -> Table:
    """Every system: its state, what it conserves, and the methods that fit it.

    >>> [row["conserved"] for row in list_systems() if row["system"] == "FreeRigidBody"]
    [['energy', 'spatial_momentum', 'momentum_norm']]
    """
    return Table("Systems", [system_row(name, cls) for name, cls in known_systems().items()])


def list_methods() -> Table:
    """Every method: its orders, traits and reference. Settings that differ in traits have their own row.

    >>> [row["order"] for row in list_methods() if row["method"] == "LGVI"]
    [[2, 4, 6, 8]]
    """
    return Table("Methods", [row for name, cls in known_methods().items() for row in _method_rows(name, cls)])


def system_row(name: str, cls: type[System]) -> Row:
    """The row of one system."""
    # flows and conserved quantities may depend on the parameters: take those of an example in general position
    body = cls.example().system
    return {
        "system": name,
        "what": cls.summary,
        "arguments": _arguments(cls),
        "state": list(body.fields),
        "conserved": list(body.conserved),
        "methods": [method for method, kind in known_methods().items() if fits(kind, body)],
        "reference": cls.reference,
    }


def _method_rows(name: str, cls: type[Method]) -> Iterator[Row]:
    by_traits: dict[tuple[str, ...], list[Method]] = {}
    for variant in cls.variants():
        traits = tuple(trait for trait, has in variant.traits().items() if has)
        by_traits.setdefault(traits, []).append(variant)
    for i, (traits, variants) in enumerate(by_traits.items()):
        yield {
            "method": name,
            "what": f"{cls.summary}, with {_settings(variants[0])}" if i else cls.summary,
            "arguments": _arguments(cls),
            "order": sorted({variant.order for variant in variants if variant.order}),
            "traits": list(traits),
            "reference": cls.reference,
        }


def _settings(method: Method) -> str:
    """The settings of a method as its repr has them, in words that a table can break."""
    return repr(method).partition("(")[2].removesuffix(")").replace("=", " = ")


def fits(method: type[Method], body: System) -> bool:
    """Whether the method, in any of its settings, can integrate the system."""
    return any(variant.why_not(body) is None for variant in method.variants())


def _arguments(cls: type[Any]) -> list[str]:
    """The constructor's arguments, with their defaults."""
    parameters = inspect.signature(cls).parameters.values()
    return [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters]


def _text(value: Any) -> str:
    return (", ".join(map(str, value)) if isinstance(value, list) else str(value)) or "—"
