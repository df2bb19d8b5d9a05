"""How an uncertain start spreads: the covariance of the state over time.

First order: `P(t) = Φ P Φᵀ` with the exact tangent map Φ of the method. Unscented or Monte-Carlo: the covariance of many
runs about the nominal one. The two agree as long as the spread is small; where they part, first order is not enough.
Coordinates are those of the layout of the method: for one body (ξ, δΠ).
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.checks import check_finite, check_integer, check_positive
from ..core.facade import above
from ..core.layout import Layout
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import Method
from ..simulation.driver import run_without_warnings, simulate
from ..simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CovarianceRun:
    """The nominal motion, and at each of its samples the covariance (n, d, d) of first order and, if asked for, that of
    other runs about it, with their mean offset (n, d)."""

    trajectory: Trajectory
    names: tuple[str, ...]
    first_order: Array
    sampled: Array | None = None
    offset: Array | None = None

    @property
    def t(self) -> Array:
        """The times."""
        return self.trajectory.t

    def sigma(self, *, sampled: bool = False) -> Array:
        """Standard deviations (n, d)."""
        P = self.sampled if sampled and self.sampled is not None else self.first_order
        return np.asarray(np.sqrt(np.diagonal(P, axis1=-2, axis2=-1)))

    @property
    def nonlinearity(self) -> float:
        """The largest difference of the two covariances, relative to the standard deviations of first order: those of a
        variable as a whole, because single components can be very small at times."""
        if self.sampled is None:
            return float("nan")
        variables = np.array([name.partition("[")[0] for name in self.names])
        variances, unit = self.sigma() ** 2, np.ones((len(self.first_order), len(variables)))
        for name in set(variables):
            own = variables == name
            mean = np.sqrt(variances[:, own].mean(axis=1, keepdims=True))
            unit[:, own] = np.where(mean > 0.0, mean, 1.0)
        return float(np.abs((self.sampled - self.first_order) / (unit[:, :, None] * unit[:, None, :])).max())

    def plot(self, *, sigmas: float = 3.0) -> Figure:
        """The spread of the attitude: standard deviations over time, and ellipses of the body axes on the unit sphere."""
        if "R[0]" not in self.names:
            raise InvalidInputError("plot", self.names, "a run of a system whose state has the attitude R")
        return above("plot_covariance")(self, sigmas=sigmas)  # type: ignore[no-any-return]

    def view(
        self, height: int = 480, *, sigmas: float = 3.0, sampled: bool = False, save: str | PathLike[str] | None = None
    ) -> Any:
        """The animated view in a notebook, with transparent ellipsoids of the positions and ellipses of the ends of the body
        axes, so many standard deviations wide. `sampled` takes the covariance of the other runs; `save` also writes the view as
        one HTML file."""
        many = check_positive("sigmas", sigmas)
        return above("view_covariance")(self, height, many, sampled, None if save is None else Path(save))


def propagate_covariance(
    state: State,
    P: ArrayLike,
    *,
    runs: str | int | None = None,
    seed: int = 0,
    method: Method | None = None,
    **options: Any,
) -> CovarianceRun:
    """The covariance of the state over time, from `P` (d, d) at the start. `options` are those of `simulate`: step and
    t_end, steps, save_every or t_eval; or t_end and tolerance, for which method and step are chosen.

    `runs="unscented"` compares with 2d runs from sigma points, a number with that many random runs from `seed`.

    >>> import polhode as ph
    >>> start = ph.Pendulum3D.example()
    >>> small = propagate_covariance(start, 1e-8 * np.eye(6), runs="unscented", step=0.05, steps=40)
    >>> large = propagate_covariance(start, 1e-1 * np.eye(6), runs="unscented", step=0.05, steps=40)
    >>> small.nonlinearity < 1e-5 < 1e-2 < large.nonlinearity
    True
    """
    nominal = simulate(state, method=method, tangent=True, **options)
    layout = state.system.representations[nominal.method.representation].layout
    if nominal.accuracy is not None:  # the other runs take the steps that were chosen
        options = {name: given for name, given in options.items() if name != "tolerance"} | {"step": nominal.step}
    d = layout.dimension
    matrix = check_finite("P", P, (d, d))
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0) or np.linalg.eigvalsh(matrix)[0] < -1e-12 * np.trace(
        matrix
    ):
        raise InvalidInputError("P", P, "a symmetric matrix with no negative eigenvalue")
    assert nominal.tangent is not None
    first = nominal.tangent @ matrix @ np.swapaxes(nominal.tangent, -1, -2)
    names = nominal.tangent_names
    if runs is None:
        return CovarianceRun(nominal, names, first)
    values, axes = np.linalg.eigh(matrix)
    root = axes * np.sqrt(np.maximum(values, 0.0))
    if runs == "unscented":
        offsets = np.sqrt(d) * np.concatenate([root.T, -root.T])
    else:
        count = check_integer("runs", runs, 2)
        offsets = np.random.default_rng(seed).normal(size=(count, d)) @ root.T
    y0 = state.system.enter(nominal.method.representation, state)
    centre = _rows(layout, nominal)
    clouds = []
    for offset in offsets:
        start = State(state.system, layout.unpack(layout.retract(y0, offset)), state.t)
        run = run_without_warnings(start, method=nominal.method, **options)
        clouds.append(layout.difference(centre, _rows(layout, run)))
    cloud = np.stack(clouds)  # (runs, n, d)
    mean = cloud.mean(axis=0)
    free = len(offsets) if runs == "unscented" else len(offsets) - 1
    off = cloud - mean
    return CovarianceRun(nominal, names, first, np.einsum("kni,knj->nij", off, off) / free, mean)


def _rows(layout: Layout, run: Trajectory) -> Array:
    return np.concatenate([run.values[v.name].reshape(len(run), -1) for v in layout.variables], axis=1)
