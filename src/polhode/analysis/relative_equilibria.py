"""Relative equilibria: motions that are nothing but a symmetry, such as steady rotations and synchronous orbits.

They satisfy `v(x) = Σ cᵢ gᵢ(x)`: the motion v is a combination of the symmetries gᵢ that momentum maps generate. Newton's
method finds the state x and the rates c; what a relative equilibrium shares with others of its family (its place on the
orbit of the symmetries, and the values that are not held) changes as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.system import State
from ..errors import PolhodeError
from .phase_space import PhaseSpace
from .reduction import eigenvalues, without_kernel

Array = NDArray[np.float64]
CLOSED = 1e-12  # the residual, in the rate of the motion, at which the search ends
ACCEPTED = 1e-9
ITERATIONS = 40
LONGEST = 0.3  # step, relative to the sizes of the variables
LOST = 1e-10  # of the largest: singular values of directions that do not matter
NULL = 1e-9  # singular value of the linearised motion, in its rate, that is none
UNSTABLE = 1e-6  # growth, in the rate of the motion, that is not rounding of a zero eigenvalue (which are defective)


@dataclass(frozen=True)
class RelativeEquilibrium:
    """A state that moves along symmetries only: `rates` are those along each conserved momentum of `names`.

    `eigenvalues` are those of the linearised motion seen from the moving frame; `normal_eigenvalues` are without the zeros
    that symmetries and their conserved momenta make, and decide on stability.
    """

    state: State
    names: tuple[str, ...]
    rates: Array
    eigenvalues: NDArray[np.complex128]
    normal_eigenvalues: NDArray[np.complex128]
    residual: float
    rate: float

    @property
    def growth(self) -> float:
        """The largest real part of an eigenvalue; zero where it is rounding."""
        largest = float(self.normal_eigenvalues.real.max(initial=0.0))
        return largest if largest > UNSTABLE * self.rate else 0.0

    @property
    def verdict(self) -> str:
        """ "unstable" or "spectrally stable"."""
        return "unstable" if self.growth else "spectrally stable"

    def __repr__(self) -> str:
        return f"RelativeEquilibrium({self.verdict}, growth {self.growth:.6g}, {self.state!r})"


def relative_equilibrium(guess: State, *, hold: Sequence[str] = ()) -> RelativeEquilibrium:
    """The relative equilibrium near `guess`, with the values of the conserved quantities `hold` that the guess has.

    >>> import polhode as ph
    >>> top = ph.Pendulum3D([1.0, 1.2, 0.5], mass=1.0, rho0=[0, 0, -0.4], g=2.0)
    >>> found = relative_equilibrium(top.state(q=[0.02, 0.05, 0, 1], omega=[0, 0, 6.0]))
    >>> found.verdict, bool(abs(found.state.R[2, 2] - 1) < 1e-12)  # a sleeping top
    ('spectrally stable', True)
    """
    space = PhaseSpace(guess)
    held = space.check_names("hold", hold)
    y, wanted = space.y, space.values(space.y, held)
    unit = np.maximum(np.abs(wanted), 1.0)

    def residual(x: Array, c: Array) -> Array:
        off = (space.field(x) - space.generators(x) @ c)[space.kept] / (space.rate or 1.0)
        return np.concatenate([off, (space.values(x, held) - wanted) / unit])

    G = space.generators(y)
    c: Array = np.asarray(np.linalg.lstsq(G, space.field(y), rcond=LOST)[0], np.float64) if G.size else np.zeros(0)
    d, units, before = space.layout.dimension, space.reach / space.scale, np.inf
    for _ in range(ITERATIONS):
        r = residual(y, c)
        size = float(np.abs(r).max())
        if size < CLOSED or (size < ACCEPTED and size > 0.5 * before):
            break
        before = size
        by_rates = np.vstack([-space.generators(y)[space.kept] / (space.rate or 1.0), np.zeros((len(wanted), len(c)))])
        by_state = np.vstack(
            [space.matrix(y, c)[space.kept] / (space.rate or 1.0), space.slopes(y, held) / unit[:, None]]
        )
        by_state *= np.where(space.kept, units, 0.0)
        step = np.linalg.lstsq(np.hstack([by_state, by_rates]), -r, rcond=LOST)[0]
        step *= min(1.0, LONGEST / max(float(np.abs(step[:d]).max()), LONGEST))
        y, c = space.moved(y, step[:d] * units), c + step[d:]
    off = float(np.abs(residual(y, c)).max())
    if not off < ACCEPTED:
        raise PolhodeError(f"no relative equilibrium was found near the guess: rates still differ by {off:.1e}")
    return described(space, y, c, off)


def described(space: PhaseSpace, y: Array, c: Array, off: float) -> RelativeEquilibrium:
    """The relative equilibrium at y, which moves along the symmetries at the rates c."""
    matrix, state = space.matrix(y, c), space.state(y)
    kept = matrix[np.ix_(space.kept, space.kept)]
    return RelativeEquilibrium(
        state,
        tuple(space.momenta),
        _rates(state, c),
        eigenvalues(matrix),
        eigenvalues(without_kernel(kept, NULL * space.rate)),
        off,
        space.rate,
    )


def _rates(state: State, c: Array) -> Array:
    """The rates along all momenta: where ignorable variables are left out, they follow from how these move."""
    if not state.system.ignorable:
        return c
    space = PhaseSpace(state)
    space.reduced, space.acting = False, space.momenta
    G = space.generators_at(space.y)
    return np.asarray(np.linalg.lstsq(G, space.field(space.y), rcond=LOST)[0], np.float64)
