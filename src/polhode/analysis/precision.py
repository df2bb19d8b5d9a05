"""The second quotient of precision: the order of a method from three runs, with no reference solution.

    Q(t) = ‖ξ(t, h) − ξ(t, h/2)‖ / ‖ξ(t, h/2) − ξ(t, h/4)‖ → 2^order            (120)–(123) of [GR20]

where ξ(t, h) is what a run with step h gives at time t. Where `measured_order` needs a closed form or a run to trust and
looks at the end of a time span, this needs the method alone and looks at every sample on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..errors import InvalidInputError
from ..methods import Method
from ..simulation.driver import run_without_warnings
from ..simulation.trajectory import Trajectory

Array = NDArray[np.float64]

REFINEMENTS = (1, 2, 4)


@dataclass(frozen=True)
class QuotientOfPrecision:
    """Q at times `t`, and the two differences of which it is the quotient."""

    t: Array
    coarse: Array
    fine: Array

    @property
    def values(self) -> Array:
        """Q(t); NaN where the two finer runs agree to the last digit."""
        return np.divide(self.coarse, self.fine, out=np.full_like(self.fine, np.nan), where=self.fine > 0.0)

    @property
    def orders(self) -> Array:
        """The order that each quotient gives, log₂ Q."""
        return np.log2(self.values)


def quotient_of_precision(
    state: State,
    method: Method,
    step: float,
    t_end: float | None = None,
    *,
    duration: float | None = None,
    variable: str | None = None,
    save_every: int = 1,
) -> QuotientOfPrecision:
    """Q at every `save_every`-th step, over all variables that the method carries or over one field of the system.

    Give `t_end` or the `duration`. The step must be small enough for the error to be that of the leading order, and
    large enough for the differences to stand out from rounding.

    >>> import polhode as ph
    >>> state = ph.FreeRigidBody.example()
    >>> quotient_of_precision(state, ph.RK4(), 0.02, 2.0, variable="R", save_every=50).values.round(1)
    array([16., 16.])
    """
    if (t_end is None) == (duration is None):
        raise InvalidInputError("t_end", t_end, problem="give either t_end or duration, not both")
    fields = state.system.fields
    if variable is not None and variable not in fields:
        raise InvalidInputError("variable", variable, f"None for all, or one of {', '.join(fields)}")
    end = state.t + duration if duration is not None else t_end
    runs = [
        run_without_warnings(state, step=step / k, t_end=end, method=method, save_every=save_every * k)
        for k in REFINEMENTS
    ]
    samples = [_flat(run, variable)[1:] for run in runs]  # all start from the same state
    coarse, fine = (np.linalg.norm(a - b, axis=1) for a, b in pairwise(samples))
    return QuotientOfPrecision(runs[0].t[1:], coarse, fine)


def _flat(run: Trajectory, variable: str | None) -> Array:
    """The samples as rows."""
    if variable is not None:
        return run.system.derive(variable, run.values).reshape(len(run), -1)
    return np.concatenate([array.reshape(len(run), -1) for array in run.values.values()], axis=1)
