"""A body in the plane, on SO(2), in any potential of its angle, with damping and any torque (problem 6.3 of [LLM17]).

    J ω̇ = −U'(θ) − d ω + τ(t, θ, ω),    U = Σ (kₙ/n)(1 − cos nθ) + Σ (sₙ/n) sin nθ + any other.

Between the half kicks of potential and torque, the discrete Lagrange–d'Alembert principle with the damping's impulses
`½ d sin θ` at both ends gives, for a step that turns by θ,

    (J + ½ h d) sin θ = h p,    p ↦ p (J − ½ h d)/(J + ½ h d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite
from ...core.representation import Form, Representation
from ...core.system import Invariant, State
from ...errors import InvalidInputError
from ...scalars import (
    Dual,
    Flow,
    any_of,
    atan2,
    attach,
    duals,
    flow,
    get,
    kernel,
    par,
    partial,
    plain_parameters,
    put,
    rate,
    seeded,
    sqrt,
    value,
    where,
)
from ...scalars.functions import overloads
from ...scalars.protocol import NO_NODE_RATE, SUCCESS, par_int
from ..inputs.angle_function import AnglePotential, Torque
from ..inputs.named_parameters import NamedParameters
from ..inputs.user_flow import UserFlow
from ..inputs.user_functions import remembered
from ..stability.equilibria import Equilibria, Equilibrium
from .base import BODY, CIRCLE, COSINE, ENERGY, FORCE, INERTIA, MOMENTUM, SINE, CircleSystem, turn_by_sine, turning
from .roots import angles_of_zero, chebyshev_roots

Array = NDArray[np.float64]
PLANE = BODY.then(damping=1, torque=1, cosines=1, sines=1)  # behind these counts come the numbers kₙ, then the sₙ
DAMPING, TORQUE, COSINES, SINES = PLANE.offsets("damping", "torque", "cosines", "sines")
FIRST = PLANE.end
MOST_ITERATIONS, SPACING, SMALL, RESIDUAL_BOUND = 50, 2.0**-26, 1e-30, 1e-24
ONE, NAN = duals(1), float("nan")


@kernel
def harmonic_moment(S: Any, p: Any, c: Any, s: Any) -> Any:
    """`−Σ kₙ sin nθ − Σ sₙ cos nθ`, by the addition theorem, and a torque that is a number."""
    u, v, total = c, s, par(p, TORQUE, S) + 0.0 * s
    cosines, sines = par_int(p, COSINES, S), par_int(p, SINES, S)
    for n in range(max(cosines, sines)):
        if n < cosines:
            total = total - par(p, FIRST + n, S) * v
        if n < sines:
            total = total - par(p, FIRST + cosines + n, S) * u
        u, v = u * c - v * s, v * c + u * s
    return total


@flow
def harmonic_force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The moment of the harmonics, and of a torque that is a number, into its slot."""
    put(y, FORCE, S, harmonic_moment(S, p, get(y, COSINE, S), get(y, SINE, S)))
    return SUCCESS


@flow
def drift_damped(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`(J + ½ h d) sin θ = h p`, `p ↦ p (J − ½ h d)/(J + ½ h d)`."""
    J, loss, momentum = par(p, INERTIA, S), 0.5 * h * par(p, DAMPING, S), get(y, MOMENTUM, S)
    status = turn_by_sine(S, y, h * momentum / (J + loss))
    if status == SUCCESS:
        put(y, MOMENTUM, S, momentum * ((J - loss) / (J + loss)))
    return status


@rate
def rhs_damped(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`θ̇ = p/J`, `ṗ = −d p/J`."""
    omega = turning(S, y, p, dy)
    put(dy, MOMENTUM, S, -par(p, DAMPING, S) * omega)
    return SUCCESS


@remembered
def torque_force(slope: Any, given: Torque | None, read: Any, at: int) -> Flow:
    """The flow that puts the moment of harmonics, of a potential with this `slope` or none, and of a torque into its slot.
    Named parameters are read from `at` on.

    A torque acts with the rate at the node, `ω = (s + (h/2) τ(ω))/J`, s the momentum after the half kick of the potential:
    Newton's method on values, with slopes by differences; on duals the exact slope there gives the partials.
    """
    torque = None if given is None else given.law

    @kernel
    def angle_of(S: Any, y: Any) -> Any:
        return atan2(get(y, SINE, S), get(y, COSINE, S))

    @kernel
    def conservative(S: Any, y: Any, p: Any) -> Any:
        M = harmonic_moment(S, p, get(y, COSINE, S), get(y, SINE, S))
        if slope is not None:
            M = M - slope(S, p, angle_of(S, y))
        return M

    def without(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        put(y, FORCE, S, conservative(S, y, p))
        return SUCCESS

    if torque is None:
        return UserFlow(without)

    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        M, angle, half = conservative(S, y, p), angle_of(S, y), 0.5 * h
        start = get(y, MOMENTUM, S) + half * M
        values = plain_parameters(S)
        J, numbers, theta, s = par(p, INERTIA, values), read(values, p, at), value(angle), value(start)
        omega, last = s / J, 0.0 * s + 1e300
        moving = omega * omega >= 0.0
        iterations = 0
        while h != 0.0 and any_of(moving) and iterations < MOST_ITERATIONS:
            f = value(torque(t, theta, omega, numbers))
            d = SPACING * (1.0 + sqrt(omega * omega))
            bend = (value(torque(t, theta, omega + d, numbers)) - f) / d
            step = (omega - (s + half * f) / J) / (1.0 - half * bend / J)
            omega = where(moving, omega - step, omega)
            square = step * step
            moving = moving & (square > SMALL * omega * omega) & (square < last)
            last = square
            iterations += 1
        kick = half * value(torque(t, theta, omega, numbers)) / J
        off = omega - s / J - kick
        found = off * off <= RESIDUAL_BOUND * (omega * omega + kick * kick + s * s / (J * J))
        if any_of(where(found, 0.0, 1.0) > 0.5):
            put(y, FORCE, S, NAN)
            return NO_NODE_RATE
        inertia, whole = par(p, INERTIA, S), read(S, p, at)
        exact = with_slope(omega, start / inertia, angle, torque, t, half / inertia, numbers, whole)
        put(y, FORCE, S, M + torque(t, angle, exact, whole))
        return SUCCESS

    return UserFlow(force, torque=given)  # type: ignore[arg-type]  # which it asks to compile itself


def with_slope(omega: Any, free: Any, angle: Any, torque: Any, t: Any, share: Any, numbers: Any, whole: Any) -> Any:
    """The solution ω of `ω = free + share τ(t, angle, ω)` with the partials that those of the angle, of `free` and of the
    named parameters imply; ω itself where there are none. `numbers` are these parameters without partials, `whole` with."""
    return omega


@overloads(with_slope)
def _with_slope(omega: Any, free: Any, angle: Any, torque: Any, t: Any, share: Any, numbers: Any, whole: Any) -> Any:
    if not isinstance(free, Dual):
        return lambda omega, free, angle, torque, t, share, numbers, whole: omega

    def on_duals(omega: Any, free: Any, angle: Any, torque: Any, t: Any, share: Any, numbers: Any, whole: Any) -> Any:
        bend = partial(torque(t, seeded(ONE, value(angle), -1), seeded(ONE, omega, 0), numbers), 0)
        here = omega + 0.0 * free
        return attach(omega, (here - free - share * torque(t, angle, here, whole)) / (1.0 - value(share) * bend))

    return on_duals


class PlanarBody(CircleSystem):
    """A body in the plane, on SO(2), in any potential of its angle, with damping and any torque.

    `harmonics`, `sine_harmonics`: kₙ and sₙ of `U = Σ (kₙ/n)(1 − cos nθ) + Σ (sₙ/n) sin nθ`; every smooth potential on the
    circle is such a sum. With `U = k₁(1 − ½ tr R) + (k₂/2)(1 − ½ tr R²)`, that of problem 6.3's example, `harmonics = [k₁, k₂]`.
    `potential`: any other U(θ), as a formula in theta, a kernel or a Python function; it is added to the harmonics.
    `damping`: d of a torque −dω. `torque`: a number, a formula in t, theta and omega, or a kernel of the time or of
    (t, theta, omega). `parameters`: values of the names in these formulas, and of further arguments of these functions.

    >>> body = PlanarBody(1.0, harmonics=[1.0, -1.5])
    >>> [e.label for e in body.equilibria()]
    ['θ = -1.230959', 'θ = 0', 'θ = 1.230959', 'θ = 3.141593']
    >>> body = PlanarBody(1.0, potential="1 - cos(theta) + 0.5*sin(theta)", damping=0.1)
    >>> [e.label for e in body.equilibria()]
    ['θ = -0.4636476', 'θ = 2.677945']
    >>> body = PlanarBody(1.0, potential="-k*cos(theta)", parameters={"k": 2})
    >>> float(body.state(theta=0.0).invariants()["energy"])
    -2.0
    """

    summary = "body in the plane with any potential of its angle"
    reference = "[LLM17] problem 6.3"
    conserved: Mapping[str, Invariant] = ENERGY

    def __init__(
        self,
        inertia: float,
        harmonics: ArrayLike = (),
        *,
        sine_harmonics: ArrayLike = (),
        potential: Any = None,
        damping: float = 0.0,
        torque: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(inertia)
        self.harmonics = _numbers("harmonics", harmonics)
        self.sine_harmonics = _numbers("sine_harmonics", sine_harmonics)
        named = self.named = NamedParameters(parameters, FIRST + self.harmonics.size + self.sine_harmonics.size)
        self.potential = None if potential is None else AnglePotential(potential, parameters=named)
        self.damping = float(check_finite("damping", damping, ()))
        if self.damping < 0.0:
            raise InvalidInputError("damping", damping, "a number that is not negative")
        self.torque = None if torque is None else Torque(torque, parameters=named)
        named.check_used()
        slope = None if self.potential is None else self.potential.slope
        varying = None if self.torque is None or self.torque.number is not None else self.torque
        simple = slope is None and varying is None
        self.force = harmonic_force if simple else torque_force(slope, varying, named.read, named.at)
        self.hamiltonian = self.torque is None and not self.damping
        acts = self.harmonics.any() or self.sine_harmonics.any() or self.potential is not None
        momentum = {} if acts else {"momentum": Invariant("momentum", "angular momentum p")}
        self.conserved = {**ENERGY, **momentum} if self.hamiltonian else {}

    @property
    def representations(self) -> Mapping[str, Representation]:
        if not self.damping:
            return super().representations
        return {Form.DEFAULT: Representation(CIRCLE, drift=drift_damped, force=self.force, rhs=rhs_damped)}

    def describe(self) -> dict[str, Any]:
        found: dict[str, Any] = {"inertia": self.J, "harmonics": self.harmonics.tolist()}
        if self.sine_harmonics.size:
            found["sine_harmonics"] = self.sine_harmonics.tolist()
        if self.potential is not None:
            found["potential"] = self.potential.describe()
        if self.damping:
            found["damping"] = self.damping
        if self.torque is not None:
            found["torque"] = self.torque.describe()
        return found | self.named.describe()

    def parameters(self) -> Array:
        constant = 0.0 if self.torque is None else self.torque.number or 0.0
        cosines, sines = self.harmonics.size, self.sine_harmonics.size
        numbers = PLANE.pack(damping=self.damping, torque=constant, cosines=cosines, sines=sines)
        return np.concatenate([BODY.pack(J=self.J), numbers, self.harmonics, self.sine_harmonics, self.named.numbers()])

    def potential_energy(self, z: Array) -> Array:
        angle = np.arctan2(z[..., 1], z[..., 0])
        n, m = np.arange(1, self.harmonics.size + 1), np.arange(1, self.sine_harmonics.size + 1)
        # 1 − cos nθ = 2 sin²(nθ/2)
        U = np.sum(self.harmonics / n * 2.0 * np.sin(0.5 * n * angle[..., None]) ** 2, axis=-1)
        U = U + np.sum(self.sine_harmonics / m * np.sin(m * angle[..., None]), axis=-1)
        return U if self.potential is None else U + self.potential(angle)

    def moment_at_rest(self, theta: Array) -> Array:
        """−U' and the torque at t = 0, at angles."""
        n, m = np.arange(1, self.harmonics.size + 1), np.arange(1, self.sine_harmonics.size + 1)
        M = -np.sin(n * theta[..., None]) @ self.harmonics - np.cos(m * theta[..., None]) @ self.sine_harmonics
        if self.potential is not None:
            M = M - self.potential.slope_at(theta)
        return M if self.torque is None else M + self.torque.at_rest(theta)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = super().invariants(values) | {"momentum": values["p"]}
        return {name: found[name] for name in self.conserved}

    @classmethod
    def example(cls) -> State:
        body = cls(1.3, harmonics=[0.8, 0.5, -0.2], sine_harmonics=[0.1, -0.3])
        return body.state(theta=0.9, omega=0.7)

    def equilibria(self) -> Equilibria:
        """The angles where nothing turns the body at rest. Of harmonics in cosines, `Σ kₙ sin nθ = sin θ · d/dc Σ (kₙ/n) Tₙ(c)
        = 0`, c = cos θ and Tₙ Chebyshev's polynomials: 0, π, and pairs ±θ; of all else they are found by a search."""
        even = self.potential is None and self.torque is None and not self.sine_harmonics.any()
        if even and not self.harmonics.any():
            return Equilibria([Equilibrium("any attitude", self.state())], "any turn")
        if even:
            k = np.trim_zeros(self.harmonics, "b")
            slope = np.polynomial.chebyshev.chebder(np.concatenate([[0.0], k / np.arange(1, k.size + 1)]))
            pairs = [np.arccos(c) for c in chebyshev_roots(slope)]
            inner = [a for a in pairs if 1e-7 < a < np.pi - 1e-7]
            angles = sorted([0.0, np.pi, *inner, *(-a for a in inner)])
        else:
            angles = angles_of_zero(self.moment_at_rest)
        return Equilibria(Equilibrium(f"θ = {a:.7g}", self.state(theta=a)) for a in angles)


def _numbers(field: str, given: ArrayLike) -> Array:
    """Any count of finite numbers."""
    count = len(np.atleast_1d(np.asarray(given, dtype=object))) if np.size(given) else 0
    return check_finite(field, given, (count,))
