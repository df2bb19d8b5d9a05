"""Bodies with one angle: the circle SO(2), its variational step, and what the systems on it share.

`z = (cos θ, sin θ)`, `R = [[cos θ, −sin θ], [sin θ, cos θ]]`, `p = J ω`. The chord discretisation of the kinetic energy,
`(1 − cos θ) J/h` over a step that turns by θ, gives

    J sin θ = h p,   R ↦ R exp(θ S),   p ↦ p                                    (3.4 and 6.3–6.4 of [LLM17])

between half kicks: no iteration is needed, and it has a solution while h|p| ≤ J.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite, check_positive
from ...core.layout import Layout, Variable
from ...core.manifolds import Circle, Euclidean
from ...core.parameters import ParameterLayout
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State, System, energy_parts
from ...errors import InvalidInputError, PolhodeError
from ...scalars import Flow, any_of, flow, get, kernel, par, put, rate, sin, sqrt, value, where
from ...scalars.protocol import NO_SOLUTION, SUCCESS

Array = NDArray[np.float64]
CIRCLE = Layout(Variable("z", Circle()), Variable("p", Euclidean(0), kicked=True))
COSINE, MOMENTUM = CIRCLE.offsets("z", "p")
SINE = COSINE + 1
(FORCE,) = CIRCLE.force_slots("p")
BODY = ParameterLayout(J=1)  # a system's own parameters follow
(INERTIA,) = BODY.offsets("J")
FREE_BODY = ParameterLayout(J_inverse=1)  # parameters of the exact drift
(INVERSE_INERTIA,) = FREE_BODY.offsets("J_inverse")
ENERGY: Mapping[str, Invariant] = {"energy": Invariant("energy", "½ J ω² + U(θ)")}


@kernel
def turned(c: Any, s: Any, versine: Any, sine: Any) -> tuple[Any, Any]:
    """(c, s) turned by the angle with this `1 − cos` and sine, and put back on the circle by one Newton step."""
    u, v = c - (c * versine + s * sine), s + (c * sine - s * versine)
    n = 1.5 - 0.5 * (u * u + v * v)
    return n * u, n * v


@kernel
def turn_by_sine(S: Any, y: Any, sine: Any) -> int:
    """`R ↦ R exp(θ S)` with this sin θ, |θ| < π/2."""
    square = sine * sine
    if any_of(where(value(square) < 1.0, 0.0, 1.0) > 0.5):
        return NO_SOLUTION
    c, s = turned(get(y, COSINE, S), get(y, SINE, S), square / (1.0 + sqrt(1.0 - square)), sine)
    put(y, COSINE, S, c)
    put(y, SINE, S, s)
    return SUCCESS


@flow
def drift_circle(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`R ↦ R exp(θ S)` with `J sin θ = h p`."""
    return turn_by_sine(S, y, h * get(y, MOMENTUM, S) / par(p, INERTIA, S))


@flow
def exact_drift_circle(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """A turn by `h p/J`."""
    angle = h * get(y, MOMENTUM, S) * par(p, INVERSE_INERTIA, S)
    half = sin(0.5 * angle)
    c, s = turned(get(y, COSINE, S), get(y, SINE, S), 2.0 * half * half, sin(angle))
    put(y, COSINE, S, c)
    put(y, SINE, S, s)
    return SUCCESS


@kernel
def turning(S: Any, y: Any, p: Any, dy: Any) -> Any:
    """Put the rates of cos θ and sin θ; returns `θ̇ = p/J`."""
    omega = get(y, MOMENTUM, S) / par(p, INERTIA, S)
    put(dy, COSINE, S, -omega * get(y, SINE, S))
    put(dy, SINE, S, omega * get(y, COSINE, S))
    return omega


@rate
def rhs_circle(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`θ̇ = p/J`."""
    turning(S, y, p, dy)
    put(dy, MOMENTUM, S, 0.0)
    return SUCCESS


def angle_of(z: Array) -> Array:
    """The angles θ in [−π, π] of (cos θ, sin θ); an imaginary part of these is carried along."""
    theta = np.arctan2(z[..., 1].real, z[..., 0].real)
    if not np.iscomplexobj(z):
        return theta
    c, s = z[..., 0], z[..., 1]
    return theta + 1j * (c.real * s.imag - s.real * c.imag) / (c.real**2 + s.real**2)


def about_third_axis(R: Array, omega: Array) -> tuple[Array, Array]:
    """Rotations of the plane (..., 2, 2) and their rates (...) as rotations about the third axis of space."""
    rotations = np.zeros((*R.shape[:-2], 3, 3))
    rotations[..., :2, :2] = R
    rotations[..., 2, 2] = 1.0
    return rotations, omega[..., None] * np.array([0.0, 0.0, 1.0])


class CircleSystem(System):
    """A body with one angle; a subclass gives `force`, its parameters and the potential energy U(θ)."""

    fields: Mapping[str, Field] = {
        "R": Field((2, 2), "rotation matrix, body to inertial"),
        "z": Field((2,), "cosine and sine of the angle"),
        "theta": Field((), "angle, from −π to π", "rad"),
        "omega": Field((), "angular velocity", "rad/time"),
        "p": Field((), "angular momentum", "mass length²/time"),
    }
    force: Flow | None = None

    def __init__(self, J: float) -> None:
        self.J = check_positive("inertia", J)

    @property
    def representations(self) -> Mapping[str, Representation]:
        circle = Representation(
            CIRCLE, drift=drift_circle, exact_drift=exact_drift_circle, force=self.force, rhs=rhs_circle
        )
        return {Form.DEFAULT: circle}

    def free_parameters(self) -> Array:
        return FREE_BODY.pack(J_inverse=1.0 / self.J)

    def state(
        self,
        *,
        theta: float | None = None,
        R: ArrayLike | None = None,
        omega: float | None = None,
        p: float | None = None,
        t: float = 0.0,
    ) -> State:
        """A state from the angle `theta` or the rotation matrix `R`, and the rate `omega` or the momentum `p`."""
        if theta is not None and R is not None:
            raise InvalidInputError("R", R, "either theta or R, not both")
        if omega is not None and p is not None:
            raise InvalidInputError("p", p, "either omega or p, not both")
        if R is not None:
            z = self.circle_point(R)
        else:
            angle = float(check_finite("theta", 0.0 if theta is None else theta, ()))
            z = np.array([np.cos(angle), np.sin(angle)])
        if p is None:
            momentum = self.J * float(check_finite("omega", 0.0 if omega is None else omega, ()))
        else:
            momentum = float(check_finite("p", p, ()))
        return State(self, {"z": z, "p": momentum}, float(check_finite("t", t, ())))

    def circle_point(self, R: ArrayLike) -> Array:
        """(cos θ, sin θ) of a rotation matrix."""
        A = check_finite("R", R, (2, 2))
        z = np.array([A[0, 0] + A[1, 1], A[1, 0] - A[0, 1]]) / 2.0
        if np.abs(A - [[z[0], -z[1]], [z[1], z[0]]]).max() > 1e-6 or abs(z @ z - 1.0) > 1e-6:
            raise InvalidInputError("R", R, "a rotation of the plane, [[c, −s], [s, c]] with c² + s² = 1")
        return z / np.linalg.norm(z)

    def rotation(self, z: Array) -> Array:
        """The rotation matrices of (cos θ, sin θ)."""
        c, s = z[..., 0], z[..., 1]
        return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "R":
            return self.rotation(values["z"])
        if name == "theta":
            return angle_of(values["z"])
        if name == "omega":
            return values["p"] / self.J
        raise PolhodeError(f"no field {name!r}")

    def inertial_rotation(self, values: Mapping[str, Array], t: Array) -> tuple[Array, Array]:
        """Rotations of the plane as rotations about the third axis."""
        return about_third_axis(self.derive("R", values), self.derive("omega", values))

    def potential_energy(self, z: Array) -> Array:
        """U at (cos θ, sin θ)."""
        raise NotImplementedError

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        potential = self.potential_energy(values["z"])
        return energy_parts(0.5 * values["p"] ** 2 / self.J + potential, potential)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {"energy": self.energies(values)["total"]}

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """`dθ ∧ dp`."""
        return np.array([[0.0, 1.0], [-1.0, 0.0]])

    def largest_step(self, state: State) -> float:
        return float(self.J / abs(state.p)) if state.p else float("inf")
