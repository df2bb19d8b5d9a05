"""Measured orders: how fast the error decreases with the step, against the closed form or a tight adaptive run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.representation import Form
from ..core.system import State
from ..errors import PolhodeError
from ..methods import DOP853, Exact, Method
from ..simulation.driver import run_without_warnings

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Convergence:
    """Errors at the end of the same time span for several steps, and the orders between neighbours."""

    steps: Array
    errors: Array

    @property
    def orders(self) -> Array:
        """The observed order between each two neighbouring step sizes."""
        return np.diff(np.log(self.errors)) / np.diff(np.log(self.steps))


def reference_final(state: State, duration: float, *, closed_form: bool = True) -> State:
    """The state `duration` later, by the closed form where there is one, else by a tight adaptive run."""
    method = Exact() if closed_form and state.system.has_exact else DOP853(rtol=3e-14, atol=1e-15)
    return run_without_warnings(state, step=duration, steps=1, method=method).final


def distance(a: State, b: State, representation: str = Form.DEFAULT) -> float:
    """The largest distance of any variable of two states of the same system."""
    layout = a.system.representations[representation].layout
    x, y = (layout.pack({v.name: getattr(s, v.name) for v in layout.variables}) for s in (a, b))
    return float(layout.distance(x, y))


def convergence(
    state: State, method: Method, duration: float, counts: list[int], reference: State | None = None
) -> Convergence:
    """Errors after `duration` with each of these numbers of steps."""
    truth = reference or reference_final(state, duration)
    errors = [
        distance(run_without_warnings(state, step=duration / n, steps=n, save_every=n, method=method).final, truth)
        for n in counts
    ]
    return Convergence(duration / np.array(counts, dtype=float), np.array(errors))


def measured_order(
    state: State,
    method: Method,
    duration: float,
    *,
    coarsest: int = 8,
    floor: float = 2e-11,
    reference: State | None = None,
) -> Convergence:
    """The three smallest steps whose error is still above `floor`, refined by 1.5 from `coarsest` steps on.

    >>> import polhode as ph
    >>> orders = measured_order(ph.FreeRigidBody.example(), ph.LGVI(order=4), 5.0).orders
    >>> bool(np.all(np.abs(orders - 4) < 0.2))
    True
    """
    truth = reference or reference_final(state, duration)
    counts: list[int] = []
    errors: list[float] = []
    n = coarsest
    while n < 200_000:
        try:
            error = float(convergence(state, method, duration, [n], truth).errors[0])
        except PolhodeError:
            error = np.inf  # too coarse for the implicit solve
        if error < floor or (len(errors) >= 3 and error < 1e-4 and method.order <= 2):
            break
        if error < 0.05:
            counts.append(n)
            errors.append(error)
        n = int(np.ceil(1.5 * n))
    if len(counts) < 3:
        raise PolhodeError(
            f"{method!r}: the order cannot be measured: fewer than three steps lie between the coarsest and the rounding plateau"
        )
    return Convergence(duration / np.array(counts[-3:], dtype=float), np.array(errors[-3:]))
