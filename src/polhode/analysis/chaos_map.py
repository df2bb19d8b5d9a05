"""A chaos indicator over a grid of two parameters: which motions are regular, and which are chaotic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_integer, one_of
from ..core.facade import above
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from .chaos import fast_lyapunov_indicator, lyapunov, megno

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

INDICATORS: dict[str, Callable[..., float]] = {
    "megno": lambda state, **run: megno(state, **run).value,
    "fli": lambda state, **run: fast_lyapunov_indicator(state, **run).value,
    "lyapunov": lambda state, **run: lyapunov(state, **run).largest,
}


@dataclass(frozen=True)
class ChaosMap:
    """`values[j, i]` is the indicator for `x[i]` and `y[j]`; NaN where there is no state or its run failed, for which
    `failures[j, i]` has the reason."""

    indicator: str
    labels: tuple[str, str]
    x: Array
    y: Array
    values: Array
    failures: Mapping[tuple[int, int], str]

    def plot(self) -> Figure:
        """The map, as a figure."""
        return above("plot_chaos_map")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        known = self.values[np.isfinite(self.values)]
        span = f"{known.min():.4g} … {known.max():.4g}" if known.size else "nowhere known"
        return f"ChaosMap({self.indicator} over {self.labels[0]} × {self.labels[1]}, {len(self.x)} × {len(self.y)}, {span})"


def chaos_map(
    make_state: Callable[[float, float], State | None],
    x: ArrayLike,
    y: ArrayLike,
    *,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    method: Method | None = None,
    indicator: str = "megno",
    labels: Sequence[str] = ("x", "y"),
    workers: int = 1,
) -> ChaosMap:
    """An indicator ("megno", "fli" or "lyapunov": the largest exponent) of the motion from `make_state(x, y)`, for all
    pairs of the values `x` and `y`.

    The two may be anything that a state or its system depends on. `make_state` returns None where there is no such state.
    Without a `step`, each motion has one that resolves it. `workers` is the number of threads.

    >>> import polhode as ph
    >>> def top(inertia, rate):
    ...     body = ph.Pendulum3D([1.0, inertia, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    ...     return body.state(q=[0.5, 0, 0, 1], omega=[0, 0.2, rate])
    >>> found = chaos_map(top, [1.0, 1.45], [0.1, 0.2, 0.3], step=0.05, t_end=200.0, labels=["I2", "spin"])
    >>> found.values.shape, bool((found.values[:, 0] < found.values[:, 1]).all())  # I2 = 1 is Lagrange's top
    ((3, 2), True)
    """
    xs, ys = (_axis(name, values) for name, values in (("x", x), ("y", y)))
    one_of("indicator", indicator, INDICATORS)
    check_integer("workers", workers, 1)
    if isinstance(labels, str) or len(labels) != 2:
        raise InvalidInputError("labels", labels, "two names, of x and of y")
    options: dict[str, Any] = {"step": step, "t_end": t_end, "steps": steps, "method": method}
    values, failures = np.full((len(ys), len(xs)), np.nan), {}

    def fill(place: tuple[int, int]) -> None:
        j, i = place
        state = make_state(float(xs[i]), float(ys[j]))
        if state is None:
            failures[place] = "there is no state for these values"
            return
        try:
            values[place] = INDICATORS[indicator](state, **options)
        except InvalidInputError:
            raise
        except PolhodeError as error:
            failures[place] = str(error)

    places = [(j, i) for j in range(len(ys)) for i in range(len(xs))]
    if workers == 1:
        for place in places:
            fill(place)
    else:
        with ThreadPoolExecutor(int(workers)) as pool:
            list(pool.map(fill, places))
    return ChaosMap(indicator, (str(labels[0]), str(labels[1])), xs, ys, values, failures)


def _axis(name: str, values: ArrayLike) -> Array:
    """The values of one parameter."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1 or array.size < 2 or np.any(np.diff(array) <= 0.0):
        raise InvalidInputError(name, values, "at least two numbers in rising order")
    return check_finite(name, array, array.shape)
