"""Method and step of an analysis or a fit that was given none: chosen from a quick run of the motion.

Nothing is done a second time to see whether the choice was right, as `simulate(..., tolerance=...)` does: sections, exponents and
fits need steps that resolve the motion, not an error at one end.
"""

from __future__ import annotations

from typing import Any

from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import LGVI, Method
from ..systems.stability.tangent_dynamics import tangent_dynamics
from .accuracy import DEFAULT_TOLERANCE, likely_run
from .arguments import check_arguments, check_end, check_start, check_step

RESOLVED = 1e-6  # the tolerance that steps of an analysis are made for
STRETCH = 100.0  # natural times of a motion that are looked at where no end is given


def method_and_step(
    state: State, method: Method | None, step: Any, t_end: Any, *, accurate: bool = False
) -> tuple[Method, float]:
    """The method and the step of an analysis from `state` to `t_end`, of which any may be None.

    With a step, the method is `LGVI(order=2)` unless another is given. Without one it is `LGVI(order=4)`, or if the motion
    itself has to be `accurate` the one that a run to a tolerance would take; the step divides the way to `t_end`.

    >>> import polhode as ph
    >>> method, step = method_and_step(ph.Pendulum3D.example(), None, None, 20.0)
    >>> method, abs(20.0 / step - round(20.0 / step)) < 1e-9, 0.01 < step < 0.2
    (LGVI(order=4), True, True)
    """
    check_arguments(state, LGVI() if method is None else method)
    check_start(state)
    if step is not None:
        method = method or LGVI()
        method.check(state.system)
        return method, check_step(step)
    end = check_end(state.t, t_end) if t_end is not None else state.t + STRETCH / _rate(state)
    if not accurate:
        method = method or LGVI(order=4)
    if method is not None:
        method.check(state.system)
    method, steps = likely_run(state, end, DEFAULT_TOLERANCE if accurate else RESOLVED, method, tangent=True)
    return method, (end - state.t) / steps


def _rate(state: State) -> float:
    """How fast the motion is near the state."""
    system = state.system
    form = system.representations[Form.DEFAULT]
    y = system.enter(Form.DEFAULT, state)
    rate = tangent_dynamics(form, y, system.parameters(), state.t).rate if form.rhs is not None else 0.0
    if not rate:
        raise InvalidInputError(
            "step", None, problem="step is missing: this motion shows no time scale to choose it by"
        )
    return rate
