"""What a fit returns, and what it cannot find: combinations of unknowns that the observations do not determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.facade import above
from ..core.system import State
from ..errors import PolhodeError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

UNOBSERVABLE = 1e-9  # the least singular value of scaled derivatives that can be told from rounding
PART = 0.02  # of a combination: what is smaller is not named


@dataclass(frozen=True)
class Fit:
    """The best state and parameters, and the covariance of both, in the order of `names`: the coordinates of the state,
    then the parameters. `residuals` are, for each observation, the times and the differences in standard deviations;
    `observed` is how many independent numbers were seen."""

    state: State
    parameters: Mapping[str, float]
    names: tuple[str, ...]
    covariance: Array
    residuals: Mapping[str, tuple[Array, Array]]
    observed: int
    cost: float
    runs: int

    @property
    def sigma(self) -> dict[str, float]:
        """The standard deviation of each unknown."""
        return dict(zip(self.names, np.sqrt(np.diagonal(self.covariance)).tolist(), strict=True))

    @property
    def correlation(self) -> Array:
        """The correlation matrix of the unknowns."""
        sigma = np.sqrt(np.diagonal(self.covariance))
        return np.asarray(self.covariance / np.outer(sigma, sigma))

    @property
    def chi_square(self) -> float:
        """The sum of the squared residuals of all observations: near `degrees_of_freedom` where the noise is as said."""
        return float(sum(np.sum(r**2) for _, r in self.residuals.values()))

    @property
    def degrees_of_freedom(self) -> int:
        """The number of observed numbers, less that of the unknowns."""
        return self.observed - len(self.names)

    def plot(self) -> Figure:
        """The residuals over time."""
        return above("plot_fit")(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.8g} ± {self.sigma[name]:.1g}" for name, value in self.parameters.items())
        return f"Fit({found or 'state'}; chi-square {self.chi_square:.4g} for {self.degrees_of_freedom} degrees of freedom)"


def check_observable(J: Array, named: list[int], names: tuple[str, ...], sizes: Array) -> None:
    """Raise an error that names the combination, where the derivatives J of all residuals do not determine one.

    `named` are the columns of the unknowns that `names` names, and `sizes` the sizes of these.
    """
    lengths = np.linalg.norm(J, axis=0)
    if np.any(lengths[named] == 0.0):
        blind = [names[i] for i in np.flatnonzero(lengths[named] == 0.0)]
        advice = f"keep {'these' if len(blind) > 1 else 'it'} fixed, or give a prior or other observations"
        raise PolhodeError(f"the observations do not depend on {', '.join(blind)}: {advice}")
    _, values, rows = np.linalg.svd(J / lengths, full_matrices=False)
    if values[-1] > UNOBSERVABLE * values[0]:
        return
    direction = (rows[-1] / lengths)[named]
    shares = np.abs(direction / sizes)
    parts = [(names[i], float(direction[i])) for i in np.flatnonzero(shares > PART * shares.max())]
    largest = max((value for _, value in parts), key=abs)
    ratio = ", ".join(f"{name}: {value / largest:.3g}" for name, value in parts)
    raise PolhodeError(
        "the observations do not determine one combination of the unknowns: they look the same where these change "
        f"together in the ratio {ratio}; fix one of them, or give a prior or other observations"
    )
