"""Small oscillations about a relative equilibrium, as periodic motions: where Lyapunov's families begin.

An eigenvalue ±iν of the linearised motion, seen from the frame that moves with the equilibrium, belongs to oscillations with
the period 2π/ν. Lyapunov's theorem continues them to a family of periodic motions, periodic up to the symmetries of the
system; this finds a first member with a small amplitude.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError, PolhodeError
from ..methods import Method
from .periodic import PeriodicMotion, periodic
from .phase_space import PhaseSpace
from .reduction import eigenvectors
from .relative_equilibria import RelativeEquilibrium

Array = NDArray[np.float64]
REAL = 1e-6  # part of an eigenvalue, relative to the rate of the motion, below which it is none
HALVINGS = 6  # of the amplitude, until a motion is found


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
    return _Oscillation(equilibrium, float(known[mode]), steps, method).found(size, HALVINGS)


class _Oscillation:
    """A small oscillation with the frequency ν, and the periodic motions near it."""

    def __init__(self, equilibrium: RelativeEquilibrium, nu: float, steps: int, method: Method | None) -> None:
        self.space, self.steps, self.method, self.period = (
            PhaseSpace(equilibrium.state),
            steps,
            method,
            2.0 * np.pi / nu,
        )
        space = self.space
        self.rates = equilibrium.rates if space.acting else np.zeros(0)
        matrix = space.matrix(space.y, self.rates)
        matrix[~space.kept] = 0.0
        matrix[:, ~space.kept] = 0.0
        values, left, right = eigenvectors(matrix)
        nearest = int(np.argmin(np.abs(values - 1j * nu)))
        wave = right[:, nearest] * space.scale / space.reach
        wave = wave * np.exp(-1j * np.angle(wave[np.argmax(np.abs(wave))])) / np.abs(wave).max()
        self.wave = wave  # its real part is the displacement with amplitude 1, in units of the variables
        other = left[:, nearest].conj() * space.reach / space.scale
        self.part = 2.0 * other / (other @ wave)  # what gives amplitude and phase of a displacement
        self.energies = [name for name, each in space.system.conserved.items() if each.kind == "energy"]

    def moved(self, y: Array, displacement: Array) -> Array:
        """y displaced, in units of the variables."""
        return self.space.moved(y, np.asarray(displacement * self.space.reach / self.space.scale))

    def displacement(self, y: Array, other: Array) -> Array:
        """The displacement from y to a state near it, in units of the variables."""
        found = self.space.layout.coordinates(y, other - y) / self.space.reach
        return np.where(self.space.kept, found, 0.0)

    def found(self, size: float, halvings: int) -> PeriodicMotion:
        """The motion with the amplitude `size`: from the linear motion, or from the motion with half the amplitude."""
        try:
            return self.corrected(self.moved(self.space.y, size * self.wave.real), self.period, size)
        except PolhodeError:
            if not halvings:
                raise
        half = self.found(0.5 * size, halvings - 1)
        y = self.space.system.enter(Form.DEFAULT, half.state)
        phase = np.angle(complex(self.part @ self.displacement(self.space.y, y)))
        linear = 0.5 * size * (self.wave * np.exp(1j * phase)).real
        curved = self.displacement(self.moved(self.space.y, linear), y)  # grows with the square of the size
        period = self.period + 4.0 * (half.period - self.period)
        return self.corrected(self.moved(y, linear + 3.0 * curved), period, size)

    def corrected(self, y: Array, period: float, size: float) -> PeriodicMotion:
        """The periodic motion near y, which must be one of this oscillation."""
        held = [*self.energies, *self.space.bounding]
        found = periodic(
            State(self.space.system, self.space.layout.unpack(y), self.space.t),
            period,
            steps=self.steps,
            method=self.method,
            relative=True,
            hold=held,
            symmetry=self.rates * period,
        )
        there = self.displacement(self.space.y, self.space.system.enter(Form.DEFAULT, found.state))
        own = abs(complex(self.part @ there)) / size
        if abs(found.period - self.period) > 0.2 * self.period or not 0.5 < own < 2.0:
            raise PolhodeError(
                f"the motion that was found, with the period {found.period:.6g}, does not belong to the oscillation with "
                f"the period {self.period:.6g}; give a smaller amplitude"
            )
        return found
