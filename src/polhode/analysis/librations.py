"""Small oscillations about a relative equilibrium, as periodic motions: where Lyapunov's families begin.

An eigenvalue ±iν of the linearised motion, seen from the frame that moves with the equilibrium, belongs to oscillations with
the period 2π/ν. Lyapunov's theorem continues them to a family of periodic motions, periodic up to the symmetries of the
system; this finds a first member with a small amplitude.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from .periodic import PeriodicMotion, periodic
from .phase_space import PhaseSpace
from .relative_equilibria import RelativeEquilibrium

Array = NDArray[np.float64]
REAL = 1e-6  # part of an eigenvalue, relative to the rate of the motion, below which it is none


def frequencies(equilibrium: RelativeEquilibrium) -> Array:
    """The frequencies ν of the small oscillations, by falling size: of the normal eigenvalues ±iν.

    >>> import polhode as ph
    >>> from polhode.analysis import relative_equilibrium
    >>> hanging = ph.Pendulum3D([1.0, 1.2, 0.5], mass=1.0, rho0=[0, 0, 0.4], g=2.0).equilibria()[0]
    >>> frequencies(relative_equilibrium(hanging)).round(6)
    array([0.830455, 0.766965])
    """
    found, zero = equilibrium.normal_eigenvalues, REAL * equilibrium.rate
    return np.asarray(np.sort(found.imag[(np.abs(found.real) < zero) & (found.imag > zero)])[::-1])


def libration_near(
    equilibrium: RelativeEquilibrium,
    mode: int = 0,
    *,
    amplitude: float = 0.02,
    steps: int = 100,
    method: Method | None = None,
) -> PeriodicMotion:
    """The periodic motion, up to the symmetries of the system, near the small oscillation number `mode` of `frequencies`.

    `amplitude` is relative to the sizes of the variables. The conserved momenta are those of the equilibrium, moved by the
    oscillation; `steps` of `method` make a period.
    """
    size, known = check_positive("amplitude", amplitude), frequencies(equilibrium)
    if not 0 <= check_integer("mode", mode, 0) < len(known):
        what = "a number below " + str(len(known)) if len(known) else "an equilibrium with imaginary eigenvalues"
        raise InvalidInputError("mode", mode, what)
    space = PhaseSpace(equilibrium.state)
    c = equilibrium.rates if space.acting else np.zeros(0)
    matrix = space.matrix(space.y, c)
    matrix[~space.kept] = 0.0
    matrix[:, ~space.kept] = 0.0
    values, vectors = np.linalg.eig(matrix)
    nearest = int(np.argmin(np.abs(values - 1j * known[mode])))
    wave = vectors[:, nearest] * space.scale / space.reach
    wave = wave * np.exp(-1j * np.angle(wave[np.argmax(np.abs(wave))]))
    displaced = space.layout.retract(space.y, np.asarray(size * wave.real / np.abs(wave).max() * space.reach))
    period = 2.0 * np.pi / float(known[mode])
    guess = State(space.system, space.layout.unpack(displaced), space.t)
    energy = [name for name, each in space.system.conserved.items() if each.kind == "energy"]
    found = periodic(
        guess, period, steps=steps, method=method, relative=True, hold=[*energy, *space.bounding], symmetry=c * period
    )
    if abs(found.period - period) > 0.2 * period:
        raise PolhodeError(
            f"the motion that was found has the period {found.period:.6g}, not about {period:.6g}; give a smaller amplitude"
        )
    return found
