"""A row of a comparison with a source: what is printed there, and what is found here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

AGREES, WRONG_PRINT, DIFFERS = "agrees", "the print is wrong", "differs"
DEFECT = 1e-11  # what rounding leaves of a defect


@dataclass(frozen=True)
class Row:
    """One printed number.

    `where` names the place in the source, `what` the quantity. `tolerance` is how far the found number may be from the
    printed one: a unit of its last digit, or what the source's own accuracy allows. `misprint` says why the print is
    wrong, where it is; then the two must not agree.

    >>> row = Row("Table 1", "t = 1", printed=3.994933, found=3.994928, tolerance=2e-4)
    >>> row.verdict, row.holds
    ('agrees', True)
    """

    where: str
    what: str
    printed: float
    found: float
    tolerance: float
    misprint: str = ""

    @property
    def difference(self) -> float:
        return self.found - self.printed

    @property
    def verdict(self) -> str:
        close = abs(self.difference) <= self.tolerance  # false for NaN
        if self.misprint:
            return DIFFERS if close else WRONG_PRINT
        return AGREES if close else DIFFERS

    @property
    def holds(self) -> bool:
        """Whether the row is as it should be: agreement, or a misprint that shows."""
        return self.verdict != DIFFERS

    def plain(self) -> dict[str, Any]:
        """As plain data, for tables and files."""
        return {
            "where": self.where,
            "what": self.what,
            "printed": self.printed,
            "found": self.found,
            "difference": self.difference,
            "verdict": self.verdict,
            "why": self.misprint,
        }


@dataclass(frozen=True)
class Bound(Row):
    """A claim of the text: the number found is at most the one in its place, or `at_least` it."""

    at_least: bool = False

    @property
    def verdict(self) -> str:
        kept = self.found >= self.printed if self.at_least else self.found <= self.printed
        if self.misprint:
            return DIFFERS if kept else WRONG_PRINT
        return AGREES if kept else DIFFERS


def at_most(where: str, what: str, printed: float, found: float, misprint: str = "") -> Bound:
    return Bound(where, f"{what} ≤", printed, float(found), 0.0, misprint)


def at_least(where: str, what: str, printed: float, found: float, misprint: str = "") -> Bound:
    return Bound(where, f"{what} ≥", printed, float(found), 0.0, misprint, at_least=True)


def holds(where: str, what: str, found: Any, tolerance: float = DEFECT) -> Row:
    """A statement that leaves no defect."""
    return Row(where, what, 0.0, float(found), tolerance)


def fails(where: str, what: str, found: Any, why: str, printed: float = 0.0) -> Row:
    """A printed statement that numbers contradict."""
    return Row(where, what, printed, float(found), 1e-6, why)


def brief(row: Row) -> dict[str, str]:
    """A row as a table shows it; why a print is wrong is said below the table."""
    found = f"{row.found:.8g}" if row.printed else f"{row.found:.1e}"  # of a defect the size is enough
    numbers = {"printed": f"{row.printed:.8g}", "found": found, "difference": f"{row.difference:.1e}"}
    return {"where": row.where, "what": row.what, **numbers, "verdict": row.verdict}


def reasons(rows: Iterable[Row]) -> list[str]:
    """Why each print is wrong that is."""
    return [f"{row.where}: {row.misprint}" for row in rows if row.misprint]


def failing(rows: Iterable[Row]) -> list[Row]:
    """The rows that are not as they should be."""
    return [row for row in rows if not row.holds]
