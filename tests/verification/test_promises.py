"""Every method on every system that accepts it: what the class claims is what is measured.

The table methods × systems × promises is printed at the end of the tests. A promise that is not made shows the number
that was found, without a mark.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polhode import LGVI, RK4, FreeRigidBody
from polhode.core.system import System
from polhode.methods import Method

from .promises import PROMISES, pairs
from .specimens import Specimen

MARKS = {True: "✓", False: "✗", None: " "}


def name(case: tuple[Method, type[System] | Specimen]) -> str:
    return f"{case[1].__name__}-{case[0]!r}"


@pytest.mark.parametrize("promise", list(PROMISES))
@pytest.mark.parametrize("case", list(pairs()), ids=name)
def test_promise(
    case: tuple[Method, type[System] | Specimen], promise: str, record_property: Callable[[str, object], None]
) -> None:
    method, system = case
    cell = PROMISES[promise](method, system.example())
    record_property("promise", (system.__name__, repr(method), promise, f"{MARKS[cell.holds]} {cell.text}"))
    assert cell.text, "an empty cell needs a reason"
    assert cell.holds is not False, f"{method!r} on {system.__name__} breaks its promise {promise!r}: {cell.text}"


def test_the_claims_can_fail() -> None:
    """The measurements tell the methods that promise nothing from those that do."""
    state = FreeRigidBody.example()

    class Boaster(RK4):
        symplectic = symmetric = preserves_momentum = preserves_energy = preserves_group = True
        order = 5

    for promise, measure in PROMISES.items():
        assert measure(Boaster(), state).holds is False, promise
        assert measure(LGVI(), state).holds is True, promise
