"""Every method on every system that accepts it: what the class claims is what is measured.

`python -m tests.verification.table` prints what is measured of the traits that are not claimed, too.
"""

from __future__ import annotations

import pytest

from polhode import LGVI, RK4, FreeRigidBody

from .promises import FEW, PROMISES, Case, claims
from .subjects import Subject


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=str(c), marks=[pytest.mark.verify] if c.verify else []) for c in claims()]
)
def test_promise(case: Case) -> None:
    found = PROMISES[case.promise](case.method, case.subject, case.steps)
    assert found.holds, f"{case.method!r} on {case.subject.name} breaks its promise {case.promise!r}: {found.text}"


def test_the_claims_can_fail() -> None:
    """The measurements tell the methods that promise nothing from those that do."""
    subject = Subject("FreeRigidBody", FreeRigidBody.example)

    class Boaster(RK4):
        symplectic = symmetric = preserves_momentum = preserves_energy = preserves_group = True
        order = 5

    for name, promise in PROMISES.items():
        assert promise.claimed(Boaster())
        assert not promise(Boaster(), subject, FEW).holds, name
        assert promise(LGVI(), subject, FEW).holds, name


def test_what_is_claimed_is_tried() -> None:
    """No trait of any method is left out: each is tried in the short tests and in the long ones."""
    cases = list(claims())
    tried = {(type(case.method).__name__, case.promise, case.verify) for case in cases}
    assert {("LGVI", name, verify) for name in PROMISES for verify in (False, True)} <= tried
    assert len({case.subject.name for case in cases if not case.verify}) == len({case.subject.name for case in cases})
