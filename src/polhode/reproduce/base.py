"""One comparison with a source: a published value and the one computed here.

Every comparison can fail. A number of a table must agree to its last published digit; a statement must hold to rounding; a
bound must be met, by a number that is also found without the library. A misprint names the corrected value: ours must agree
with that, and differ from the published one. A number that is not finite never agrees with anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

AGREES, MISPRINT, DIFFERS = "agrees", "misprint", "differs"
ROUNDING = 1e-11  # the largest residual that rounding errors explain, relative to numbers of size 1


@dataclass(frozen=True)
class Comparison:
    """A published number and ours.

    `place` is the place in the source, `quantity` what the number is. `tolerance` is the largest difference that counts as
    agreement. If the published number is wrong, `corrected` is the right one and `reason` says what is wrong; then ours
    must agree with `corrected` and not with `published`. `text` is the number as it was published, if it was.

    >>> row = Comparison("Table 1", "t = 1", published=3.9949, computed=3.99488, tolerance=5e-5)
    >>> row.verdict, row.as_expected
    ('agrees', True)
    """

    place: str
    quantity: str
    published: float
    computed: float
    tolerance: float
    corrected: float | None = None
    reason: str = ""
    text: str = ""

    @property
    def expected(self) -> float:
        """The number that ours must agree with: the published one, or its correction."""
        return self.published if self.corrected is None else self.corrected

    @property
    def difference(self) -> float:
        """Ours less the expected number."""
        return self.computed - self.expected

    @property
    def agrees(self) -> bool:
        """Whether ours agrees with the expected number within the tolerance."""
        return math.isfinite(self.computed) and abs(self.difference) <= self.tolerance

    @property
    def verdict(self) -> str:
        """One of "agrees", "misprint" (ours agrees with the corrected number only) and "differs"."""
        if not self.agrees:
            return DIFFERS
        if self.corrected is None:
            return AGREES
        return MISPRINT if self.contradicts else DIFFERS

    @property
    def contradicts(self) -> bool:
        """Whether ours clearly differs from the published number."""
        return abs(self.computed - self.published) > 2.0 * self.tolerance

    @property
    def as_expected(self) -> bool:
        """Whether ours agrees with the published number or, for a misprint, with the corrected one only."""
        return self.verdict != DIFFERS

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "place": self.place,
            "quantity": self.quantity,
            "published": self.published,
            "corrected": self.corrected,
            "computed": self.computed,
            "difference": self.difference,
            "verdict": self.verdict,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class BoundComparison(Comparison):
    """A published bound: our number must be at most that, or at least that with `lower`.

    `independent` is the same number found without the library: ours must agree with it within the tolerance, so that no
    error hides behind the bound. Only what should vanish, and is rounding, has none.
    """

    lower: bool = False
    independent: float | None = None

    @property
    def difference(self) -> float:
        """Ours less the independent number, or less the bound where there is none."""
        return self.computed - (self.published if self.independent is None else self.independent)

    @property
    def agrees(self) -> bool:
        if not math.isfinite(self.computed):
            return False
        met = self.computed >= self.published if self.lower else self.computed <= self.published
        return met and (self.independent is None or abs(self.difference) <= self.tolerance)

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"independent": self.independent}


def last_digit(text: str) -> float:
    """One unit of the last digit of a published number.

    >>> last_digit("2.6966e-7"), last_digit("20.571428"), last_digit("9")
    (1e-11, 1e-06, 1.0)
    """
    exponent = Decimal(text).as_tuple().exponent
    return float(Decimal(1).scaleb(int(exponent)))


def published_value(
    place: str,
    quantity: str,
    text: str,
    computed: float,
    *,
    truncated: bool = False,
    digits: int | None = None,
    tolerance: float | None = None,
) -> Comparison:
    """A number of a table or of the text. Ours must round to it, or be cut off to it if the source is `truncated`.

    If the source is less accurate than its number of digits, `digits` is the number of digits that can agree, or
    `tolerance` its known accuracy.

    >>> published_value("Table 1", "x", "1.25", 1.2549).verdict, published_value("Table 1", "x", "1.25", 1.2551).verdict
    ('agrees', 'differs')
    """
    unit = last_digit(text)
    if digits is not None:
        unit *= 10.0 ** (len(Decimal(text).as_tuple().digits) - digits)
    if tolerance is None:
        tolerance = (1.0 if truncated else 0.5) * unit * (1.0 + 1e-9)  # with room for a tie
    return Comparison(place, quantity, float(text), float(computed), tolerance, text=text)


def counted(place: str, quantity: str, published: int, computed: int) -> Comparison:
    """A published number of things, which must be exact."""
    return Comparison(place, quantity, float(published), float(computed), 0.0)


def at_most(
    place: str,
    quantity: str,
    published: float,
    computed: float,
    independent: float | None = None,
    relative: float = ROUNDING,
) -> BoundComparison:
    """A published upper bound, and the same number found without the library, to this relative tolerance."""
    tolerance = relative * abs(independent or 0.0)
    return BoundComparison(place, f"{quantity} ≤", published, float(computed), tolerance, independent=independent)


def at_least(
    place: str,
    quantity: str,
    published: float,
    computed: float,
    independent: float | None = None,
    relative: float = ROUNDING,
) -> BoundComparison:
    """A published lower bound, and the same number found without the library, to this relative tolerance."""
    return replace(
        at_most(place, quantity, published, computed, independent, relative), quantity=f"{quantity} ≥", lower=True
    )


def correct_statement(place: str, quantity: str, residual: Any, tolerance: float = ROUNDING) -> Comparison:
    """A published equation whose residual must vanish."""
    return Comparison(place, quantity, 0.0, float(residual), tolerance)


def misprint(
    place: str,
    quantity: str,
    published: ArrayLike,
    corrected: ArrayLike,
    computed: ArrayLike,
    reason: str,
    tolerance: float = ROUNDING,
) -> Comparison:
    """A misprinted formula: its value as published, its corrected value, and the value that the library gives.

    Of vectors and matrices one component is shown: the one where ours is farthest from the corrected value if that is
    more than the tolerance, or else the one that the misprint changes most.

    >>> misprint("(1)", "a sum", [1.0, 5.0], [1.0, 2.0], [1.0, 2.0], "a wrong sign").verdict
    'misprint'
    """
    p, c, ours = (_flat(value) for value in (published, corrected, computed))
    error = np.abs(ours - c)
    error[~np.isfinite(error)] = np.inf
    k = int(np.argmax(error if error.max() > tolerance else np.abs(p - c)))
    return Comparison(place, quantity, float(p[k]), float(ours[k]), tolerance, float(c[k]), reason)


def _flat(value: ArrayLike) -> NDArray[np.float64]:
    return np.array(value, dtype=np.float64).reshape(-1)


def table_row(row: Comparison) -> dict[str, str]:
    """A comparison as a row of a table; `misprint_reasons` gives the text below the table."""
    numbers = {
        "published": row.text or _number(row.published),
        "corrected": "" if row.corrected is None else _number(row.corrected),
        "ours": _like(row.text, row.computed) if row.text else _number(row.computed, residual=row.expected == 0.0),
        "difference": f"{row.difference:.1e}",
    }
    return {"place": row.place, "quantity": row.quantity, **numbers, "verdict": row.verdict}


def _number(value: float, *, residual: bool = False) -> str:
    return f"{value:.1e}" if residual else f"{value:.8g}"  # of a residual only the size matters


def _like(text: str, value: float) -> str:
    """A number with two more digits than the published one.

    >>> _like("20.571428", 20.57142857142857), _like("2.6966e-7", 2.6963351e-7)
    ('20.57142857', '2.696335e-07')
    """
    digits = Decimal(text).as_tuple()
    if "e" in text.lower():
        return f"{value:.{len(digits.digits) + 1}e}"
    return f"{value:.{max(0, -int(digits.exponent)) + 2}f}"


def misprint_reasons(rows: Iterable[Comparison]) -> list[str]:
    """The reason for each misprint, after its place."""
    return [f"{row.place}: {row.reason}" for row in rows if row.reason]


def unexpected(rows: Iterable[Comparison]) -> list[Comparison]:
    """The comparisons whose verdict is not the expected one."""
    return [row for row in rows if not row.as_expected]
