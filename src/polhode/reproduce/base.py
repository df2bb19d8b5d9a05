"""One comparison with a source: a published value and the one computed here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

AGREES, MISPRINT, DIFFERS = "agrees", "misprint", "differs"
ROUNDING = 1e-11  # the largest residual that rounding errors explain


@dataclass(frozen=True)
class Comparison:
    """One published number and ours.

    `place` is the place in the source, `quantity` what the number is. `tolerance` is how far ours may be from the
    published one: a unit of its last digit, or the accuracy of the source. `misprint` is the reason if the published
    number is wrong; then the two must not agree.

    >>> row = Comparison("Table 1", "t = 1", published=3.994933, computed=3.994928, tolerance=2e-4)
    >>> row.verdict, row.as_expected
    ('agrees', True)
    """

    place: str
    quantity: str
    published: float
    computed: float
    tolerance: float
    misprint: str = ""

    @property
    def difference(self) -> float:
        """How far our value is from the published one."""
        return self.computed - self.published

    @property
    def agrees(self) -> bool:
        """Whether the two numbers agree within the tolerance; NaN never agrees."""
        return abs(self.difference) <= self.tolerance

    @property
    def verdict(self) -> str:
        """Whether the two agree, in words."""
        if self.misprint:
            return DIFFERS if self.agrees else MISPRINT
        return AGREES if self.agrees else DIFFERS

    @property
    def as_expected(self) -> bool:
        """Whether the numbers agree or, for a misprint, disagree."""
        return self.verdict != DIFFERS

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "place": self.place,
            "quantity": self.quantity,
            "published": self.published,
            "computed": self.computed,
            "difference": self.difference,
            "verdict": self.verdict,
            "reason": self.misprint,
        }


@dataclass(frozen=True)
class BoundComparison(Comparison):
    """A published bound: our number must be at most `published`, or at least that with `lower`."""

    lower: bool = False

    @property
    def agrees(self) -> bool:
        return self.computed >= self.published if self.lower else self.computed <= self.published


def at_most(place: str, quantity: str, published: float, computed: float, misprint: str = "") -> BoundComparison:
    """A published upper bound."""
    return BoundComparison(place, f"{quantity} ≤", published, float(computed), 0.0, misprint)


def at_least(place: str, quantity: str, published: float, computed: float, misprint: str = "") -> BoundComparison:
    """A published lower bound."""
    return BoundComparison(place, f"{quantity} ≥", published, float(computed), 0.0, misprint, lower=True)


def correct_statement(place: str, quantity: str, residual: Any, tolerance: float = ROUNDING) -> Comparison:
    """A published equation whose residual must vanish."""
    return Comparison(place, quantity, 0.0, float(residual), tolerance)


def wrong_statement(place: str, quantity: str, residual: Any, reason: str) -> Comparison:
    """A published equation whose residual does not vanish, with the reason."""
    return Comparison(place, quantity, 0.0, float(residual), 1e-6, reason)


def table_row(row: Comparison) -> dict[str, str]:
    """A comparison as a row of a table; `misprint_reasons` gives the text below the table."""
    ours = f"{row.computed:.8g}" if row.published else f"{row.computed:.1e}"  # of a residual only the size matters
    numbers = {"published": f"{row.published:.8g}", "ours": ours, "difference": f"{row.difference:.1e}"}
    return {"place": row.place, "quantity": row.quantity, **numbers, "verdict": row.verdict}


def misprint_reasons(rows: Iterable[Comparison]) -> list[str]:
    """The reason for each misprint, after its place."""
    return [f"{row.place}: {row.misprint}" for row in rows if row.misprint]


def unexpected(rows: Iterable[Comparison]) -> list[Comparison]:
    """The comparisons whose verdict is not the expected one."""
    return [row for row in rows if not row.as_expected]
