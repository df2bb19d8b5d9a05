"""A browser, and a run to look at in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import polhode as ph
from polhode.bodies import Dumbbell, Ellipsoid

from .browser import browser


@pytest.fixture(scope="module")
def run() -> ph.Trajectory:
    """An ellipsoid and a dumbbell around each other."""
    pair = ph.FullTwoBodyProblem(Dumbbell(1.0, 0.5, radius=0.1), Ellipsoid(2.0, [0.35, 0.25, 0.2]), gravity=2)
    state = pair.state(X=[1.5, 0.0, 0.2], V=[0.0, 1.3, 0.0], Omega1=[0.0, 0.4, 2.0], Omega2=[0.3, 0.0, 1.0])
    return ph.simulate(state, step=0.02, steps=400)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver
