"""The attitude filter, online: a prediction and an update with a star's direction, per call from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..estimation import MEKF, FirstOrder, Propagator, Stepped, VectorSensor
from ..methods import LGVI, RK4
from ..systems import FreeRigidBody, Pendulum3D
from .entries import Bar, Effort, Entry

CALLS = 500
INTERVAL = 0.05
FIRST_ORDER = "first-order prediction"


def propagators() -> dict[str, Propagator]:
    """Ways to predict; the first-order one, `Φ = 1 + F h`, is the textbook's."""
    return {
        FIRST_ORDER: FirstOrder(RK4()),
        "LGVI 2 prediction, exact tangent": Stepped(LGVI()),
        "LGVI 4 prediction, exact tangent": Stepped(LGVI(order=4)),
    }


def filter_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """Predictions alone, and with an update after each."""
    calls = effort.count(CALLS)
    systems = {
        "free body": FreeRigidBody([1.0, 2.0, 2.5]),
        "heavy top": Pendulum3D([1.0, 2.0, 2.5], mass=1.0, rho0=[0.0, 0.0, 0.3]),
    }
    star = VectorSensor([0.0, 0.6, 0.8], sigma=1e-3)
    for name, system in systems.items():
        state = system.state(omega=[0.1, -0.2, 0.3])

        def filtering(way: Propagator, update: bool, state=state) -> Callable[[], MEKF]:  # type: ignore[no-untyped-def]
            def run() -> MEKF:
                mekf = MEKF(state, 1e-4 * np.eye(6), propagator=way)
                for _ in range(calls):
                    mekf.predict(INTERVAL)
                    if update:
                        mekf.update(star, star.expected(mekf.state.R))
                return mekf

            return run

        for label, way in propagators().items():
            bar = None if label == FIRST_ORDER else Bar(FIRST_ORDER)
            yield Entry(label, f"{name}, predict", filtering(way, update=False), calls, bar)
        yield Entry(
            "LGVI 2 prediction, exact tangent", f"{name}, predict and update", filtering(Stepped(LGVI()), True), calls
        )
