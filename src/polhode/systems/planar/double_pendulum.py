"""The double planar pendulum, on SO(2)² (problem 6.5 of [LLM17]).

Absolute angles θ₁, θ₂, hanging at 0; J₁, J₂ about the joints; `A = J₁ + m₂l₁²`, `w = m₂l₁l_c2`, `g₁ = (m₁l_c1 + m₂l₁) g`,
`g₂ = m₂l_c2 g`; `δ = θ₂ − θ₁`:

    T = ½ A ω₁² + ½ J₂ ω₂² + w cos δ ω₁ω₂,   U = −g₁ cos θ₁ − g₂ cos θ₂,   p = ∂T/∂ω.

Where the mass centres lie beside the lines of the links, at (x, −y) from the joint of a link that hangs, `l_c2` is the
distance √(x² + y²), `δ = θ₂ − θ₁ + κ` with κ the angle of the second mass centre from its line, and U has sines too.

The discrete kinetic energy takes chords of the paths of the masses. Over a step that turns the links by α and β,

    h p₁ = A sin α + 2w sin(β/2) cos(δ + β/2),      p₁ ↦ p₁ + (4w/h) sin(α/2) sin(β/2) sin(δ + (β − α)/2),
    h p₂ = J₂ sin β + 2w sin(α/2) cos(δ − α/2),     p₂ ↦ p₂ − (the same),

solved for α and β by Newton's method; where that fails, the root is followed from zero. It is the one system here whose equations are not linear in the increments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite, check_positive
from ...core.layout import Layout, Variable
from ...core.manifolds import Circle, Copies, Euclidean
from ...core.parameters import ParameterLayout
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State, System, energy_parts
from ...errors import InvalidInputError, PolhodeError
from ...scalars import any_of, attach, cos, flow, get, get4, kernel, par, put, put4, rate, sin, value, where, worst
from ...scalars.protocol import NO_SOLUTION, SUCCESS, record
from ..stability.equilibria import Equilibria, Equilibrium
from .base import about_third_axis, angle_of, turned

Array = NDArray[np.float64]
PAIR = Layout(Variable("z", Copies(Circle(), 2)), Variable("p", Euclidean(2), kicked=True))
ANGLES, MOMENTA = PAIR.offsets("z", "p")
(FORCES,) = PAIR.force_slots("p")
LINKS = ParameterLayout(A=1, J2=1, w=1, offset=2, g1=2, g2=2)
INERTIA1, INERTIA2, COUPLING, OFFSET, WEIGHT1, WEIGHT2 = LINKS.offsets("A", "J2", "w", "offset", "g1", "g2")
MAX_ITERATIONS = 25
# The root is followed in so many parts of h p, each with so many corrections, none of which is longer, squared, than:
PARTS, CORRECTIONS, LONGEST = 2048, 3, 0.1
RESIDUAL_BOUND = 1e-26  # squared, relative to h p
RIGHT_ANGLE = 2.467  # squared
CENTRES = ("centre1", "centre2")


@kernel
def inertias(S: Any, p: Any) -> tuple[Any, Any, Any]:
    """A, J₂ and w."""
    return par(p, INERTIA1, S), par(p, INERTIA2, S), par(p, COUPLING, S)


@kernel
def momenta(S: Any, y: Any) -> tuple[Any, Any]:
    """p₁ and p₂."""
    return get(y, MOMENTA, S), get(y, MOMENTA + 1, S)


@kernel
def relative_angle(S: Any, p: Any, z: Any) -> tuple[Any, Any]:
    """cos δ and sin δ from the cosines and sines of the angles."""
    c1, s1, c2, s2 = z
    c, s, u, v = c1 * c2 + s1 * s2, c1 * s2 - s1 * c2, par(p, OFFSET, S), par(p, OFFSET + 1, S)
    return c * u - s * v, s * u + c * v


@kernel
def put_pair(S: Any, y: Any, z: Any, p1: Any, p2: Any) -> None:
    """Set the cosines and sines of the angles, and the momenta; or their derivatives."""
    put4(y, ANGLES, S, z)
    put(y, MOMENTA, S, p1)
    put(y, MOMENTA + 1, S, p2)


@kernel
def pair_residual(A: Any, B: Any, w: Any, d: tuple[Any, Any], g: tuple[Any, Any], a: Any, b: Any) -> tuple[Any, Any]:
    """The two equations for α and β, with d = (cos δ, sin δ) and g = h p."""
    sa, sb = sin(0.5 * a), sin(0.5 * b)
    after = d[0] * cos(0.5 * b) - d[1] * sb  # cos(δ + β/2)
    before = d[0] * cos(0.5 * a) + d[1] * sa  # cos(δ − α/2)
    return A * sin(a) + 2.0 * w * sb * after - g[0], B * sin(b) + 2.0 * w * sa * before - g[1]


@kernel
def pair_correction(A: Any, B: Any, w: Any, d: Any, a: Any, b: Any, r: Any) -> tuple[Any, Any, Any]:
    """The Newton correction of (α, β) for the residual r, and the determinant."""
    saa, sbb = A * cos(a), B * cos(b)
    sab = w * (d[0] * cos(b) - d[1] * sin(b))  # w cos(δ + β)
    sba = w * (d[0] * cos(a) + d[1] * sin(a))  # w cos(δ − α)
    determinant = saa * sbb - sab * sba
    return (sbb * r[0] - sab * r[1]) / determinant, (saa * r[1] - sba * r[0]) / determinant, determinant


@kernel
def pair_defect(A: Any, B: Any, w: Any, d: Any, g: Any, a: Any, b: Any) -> Any:
    """What (α, β) leave of the equations, squared, relative to h p."""
    r, size = pair_residual(A, B, w, d, g, a, b), g[0] * g[0] + g[1] * g[1]
    return (r[0] * r[0] + r[1] * r[1]) / where(size > 0.0, size, 1.0)


@kernel
def continued_root(A: Any, B: Any, w: Any, d: Any, g: Any) -> tuple[Any, Any, Any]:
    """The root (α, β) that joins zero as h p grows from zero to g, and its determinant; not a positive one where the root
    is lost on the way, at a fold."""
    a, b = 0.0 * g[0], 0.0 * g[1]
    determinant = 1.0 + a
    for part in range(1, PARTS + 1):
        here, share = determinant, part / PARTS
        for _ in range(CORRECTIONS):
            r = pair_residual(A, B, w, d, (share * g[0], share * g[1]), a, b)
            da, db, here = pair_correction(A, B, w, d, a, b, r)
            determinant = where(da * da + db * db < LONGEST, determinant, -1.0)
            a, b = where(determinant > 0.0, a - da, a), where(determinant > 0.0, b - db, b)
        determinant = where(determinant > 0.0, here, determinant)
    for _ in range(CORRECTIONS):
        da, db, here = pair_correction(A, B, w, d, a, b, pair_residual(A, B, w, d, g, a, b))
        a, b = where(determinant > 0.0, a - da, a), where(determinant > 0.0, b - db, b)
    return a, b, determinant


@flow
def drift_pair(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """The links turned by α and β, by Newton's method, and the momentum that they exchange."""
    A, B, w = inertias(S, p)
    c1, s1, c2, s2 = get4(y, ANGLES, S)
    p1, p2 = momenta(S, y)
    d, g = relative_angle(S, p, (c1, s1, c2, s2)), (h * p1, h * p2)
    d0, g0 = (value(d[0]), value(d[1])), (value(g[0]), value(g[1]))
    A0, B0, w0 = value(A), value(B), value(w)
    spread = A0 * B0 - w0 * w0 * d0[0] * d0[0]
    a, b = (B0 * g0[0] - w0 * d0[0] * g0[1]) / spread, (A0 * g0[1] - w0 * d0[0] * g0[0]) / spread
    moving, iterations, determinant = a * a + b * b >= 0.0, 0, spread
    while any_of(moving) and iterations < MAX_ITERATIONS:
        da, db, here = pair_correction(A0, B0, w0, d0, a, b, pair_residual(A0, B0, w0, d0, g0, a, b))
        a, b, determinant = where(moving, a - da, a), where(moving, b - db, b), where(moving, here, determinant)
        moving = moving & (da * da + db * db > 1e-19)
        iterations += 1
    defect = pair_defect(A0, B0, w0, d0, g0, a, b)
    # the wanted root joins zero, with a positive determinant all the way: as it does where no link turns by a right angle
    good = (defect <= RESIDUAL_BOUND) & (determinant > 0.0) & (a * a < RIGHT_ANGLE) & (b * b < RIGHT_ANGLE)
    if any_of(where(good, 0.0, 1.0) > 0.5):
        fa, fb, determinant = continued_root(A0, B0, w0, d0, g0)
        a, b = where(good, a, fa), where(good, b, fb)
        defect = pair_defect(A0, B0, w0, d0, g0, a, b)
        good = good | ((defect <= RESIDUAL_BOUND) & (determinant > 0.0))
        iterations += PARTS * CORRECTIONS
    record(report, iterations, worst(defect))
    if any_of(where(good, 0.0, 1.0) > 0.5):
        return NO_SOLUTION
    da, db, _ = pair_correction(A0, B0, w0, d0, a, b, pair_residual(A, B, w, d, g, a, b))
    alpha, beta = attach(a, da), attach(b, db)
    sa, sb, half = sin(0.5 * alpha), sin(0.5 * beta), 0.5 * (beta - alpha)
    exchange = 4.0 * w / h * sa * sb * (d[1] * cos(half) + d[0] * sin(half))
    u1, v1 = turned(c1, s1, 2.0 * sa * sa, sin(alpha))
    u2, v2 = turned(c2, s2, 2.0 * sb * sb, sin(beta))
    put_pair(S, y, (u1, v1, u2, v2), p1 + exchange, p2 - exchange)
    return SUCCESS


@rate
def rhs_pair(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """`θ̇ = M⁻¹p`, `ṗ₁ = w sin δ ω₁ω₂ = −ṗ₂`."""
    A, B, w = inertias(S, p)
    c1, s1, c2, s2 = get4(y, ANGLES, S)
    p1, p2 = momenta(S, y)
    cosine, sine = relative_angle(S, p, (c1, s1, c2, s2))
    wc, ws = w * cosine, w * sine
    spread = A * B - wc * wc
    omega1, omega2 = (B * p1 - wc * p2) / spread, (A * p2 - wc * p1) / spread
    turning = (-omega1 * s1, omega1 * c1, -omega2 * s2, omega2 * c2)
    put_pair(S, dy, turning, ws * omega1 * omega2, -ws * omega1 * omega2)
    return SUCCESS


@flow
def pair_weight(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
    """`M = −g sin θ − g′ cos θ` on each link, (g, g′) its two weights."""
    for k in range(2):
        at, weight = ANGLES + 2 * k, WEIGHT1 + 2 * k
        put(y, FORCES + k, S, -par(p, weight, S) * get(y, at + 1, S) - par(p, weight + 1, S) * get(y, at, S))
    return SUCCESS


class DoublePlanarPendulum(System):
    """Two links in a vertical plane, the second hinged to the first; both hang at θ = 0.

    `inertia1`, `inertia2`: of the links about their upper joints; `length1`: of the first link, joint to joint;
    `centre1`, `centre2`: from each upper joint to the link's centre of mass, as a distance along the link, or as two numbers
    (x, y) for one beside it, at (x, −y) from the joint when the link hangs.

    >>> from polhode import linearize
    >>> body = DoublePlanarPendulum(0.4, 0.3, mass1=1.0, mass2=0.8, length1=0.6, centre1=0.3, centre2=0.25)
    >>> [(e.label, linearize(e).verdict) for e in body.equilibria()][0]
    ('both hanging', 'stable')
    """

    summary = "double pendulum in a plane"
    reference = "[LLM17] problem 6.5"
    fields: Mapping[str, Field] = {
        "R": Field((2, 2, 2), "rotation matrices of the links"),
        "z": Field((2, 2), "cosine and sine of each angle"),
        "theta": Field((2,), "angles of the links, from −π to π", "rad"),
        "omega": Field((2,), "angular velocities", "rad/time"),
        "p": Field((2,), "canonical momenta", "mass length²/time"),
    }
    conserved: Mapping[str, Invariant] = {"energy": Invariant("energy", "½ p·M⁻¹p − g₁ cos θ₁ − g₂ cos θ₂")}
    representations: Mapping[str, Representation] = {  # type: ignore[assignment]
        Form.DEFAULT: Representation(PAIR, drift=drift_pair, force=pair_weight, rhs=rhs_pair)
    }

    def __init__(
        self,
        inertia1: float,
        inertia2: float,
        mass1: float,
        mass2: float,
        length1: float,
        centre1: float | ArrayLike,
        centre2: float | ArrayLike,
        g: float = 9.81,
    ) -> None:
        self.given: dict[str, Any] = {
            name: check_positive(name, number)
            for name, number in {
                "inertia1": inertia1,
                "inertia2": inertia2,
                "mass1": mass1,
                "mass2": mass2,
                "length1": length1,
            }.items()
        }
        self.given |= {"centre1": _centre("centre1", centre1), "centre2": _centre("centre2", centre2)}
        self.given["g"] = self.g = float(check_finite("g", g, ()))
        inertia1, self.J2, mass1, mass2, length1 = list(self.given.values())[:5]
        # beside and below the joint
        self.centres = np.array(
            [[0.0, c] if np.ndim(c) == 0 else c for c in (self.given[name] for name in CENTRES)], np.float64
        )
        one, two = self.centres
        far = float(np.hypot(*two))
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            self.A, self.w = inertia1 + mass2 * (length1 * length1), mass2 * length1 * far
            self.offset = two[::-1] / far  # cos κ and sin κ
            loads = np.array([mass1 * one + mass2 * np.array([0.0, length1]), mass2 * two])
            self.hanging = -np.arctan2(loads[:, 0], loads[:, 1])
            self.g1, self.g2 = loads[:, ::-1] * self.g
        if not np.all(np.isfinite([*self.parameters(), self.w * self.w])):
            raise InvalidInputError("mass2", mass2, "masses and lengths whose moments of inertia are finite")
        if self.J2 * mass2 * (length1 * length1) < self.w * self.w * (1.0 - 1e-12):
            raise InvalidInputError(
                "inertia2", inertia2, f"at least mass2 · centre2² = {mass2 * (far * far):g}, about the joint"
            )
        if self.g == 0.0:
            self.conserved = {**self.conserved, "momentum": Invariant("momentum", "total angular momentum p₁ + p₂")}

    def describe(self) -> dict[str, Any]:
        return dict(self.given)

    def parameters(self) -> Array:
        return LINKS.pack(A=self.A, J2=self.J2, w=self.w, offset=self.offset, g1=self.g1, g2=self.g2)

    def mass_matrix(self, z: Array) -> Array:
        """M at (cos θ, sin θ) of the links, (..., 2, 2)."""
        cosine = np.sum(z[..., 0, :] * z[..., 1, :], axis=-1)
        sine = z[..., 0, 0] * z[..., 1, 1] - z[..., 0, 1] * z[..., 1, 0]
        coupling = self.w * (cosine * self.offset[0] - sine * self.offset[1])
        M = np.empty((*coupling.shape, 2, 2), dtype=coupling.dtype)
        M[..., 0, 0], M[..., 1, 1] = self.A, self.J2
        M[..., 0, 1] = M[..., 1, 0] = coupling
        return M

    def state(
        self,
        *,
        theta: ArrayLike | None = None,
        omega: ArrayLike | None = None,
        p: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state from the angles `theta` and the rates `omega` or momenta `p`, two of each."""
        if omega is not None and p is not None:
            raise InvalidInputError("p", p, "either omega or p, not both")
        angles = check_finite("theta", np.zeros(2) if theta is None else theta, (2,))
        z = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        if p is None:
            momenta = self.mass_matrix(z) @ check_finite("omega", np.zeros(2) if omega is None else omega, (2,))
        else:
            momenta = check_finite("p", p, (2,))
        return State(self, {"z": z, "p": momenta}, float(check_finite("t", t, ())))

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        z = values["z"]
        c, s = z[..., 0], z[..., 1]
        if name == "R":
            return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
        if name == "theta":
            return angle_of(z)
        if name == "omega":
            return np.asarray(np.linalg.solve(self.mass_matrix(z), values["p"][..., None])[..., 0])
        raise PolhodeError(f"no field {name!r}")

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """Kinetic and potential energy, and their sum."""
        z = values["z"]
        potential = -z[..., 0, :] @ (self.g1 * [1.0, -1.0]) - z[..., 1, :] @ (self.g2 * [1.0, -1.0])
        kinetic = 0.5 * np.sum(values["p"] * self.derive("omega", values), axis=-1)
        return energy_parts(kinetic + potential, potential)

    def inertial_rotation(self, values: Mapping[str, Array], t: Array) -> tuple[Array, Array]:
        """Rotations of the plane as rotations about the third axis."""
        return about_third_axis(self.derive("R", values), self.derive("omega", values))

    def joints(self, theta: Array) -> Array:
        """Where the second joint and the second link's mass centre are, (..., 2, 2), with the first joint at the origin."""
        down = np.stack([np.sin(theta), -np.cos(theta)], axis=-1)
        beside = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        middle = self.given["length1"] * down[..., 0, :]
        far = self.centres[1, 0] * beside[..., 1, :] + self.centres[1, 1] * down[..., 1, :]
        return np.stack([middle, middle + far], axis=-2)

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = {
            "energy": self.energies(values)["total"],
            "momentum": values["p"].sum(axis=-1),
        }
        return {name: found[name] for name in self.conserved}

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """`Σ dθᵢ ∧ dpᵢ`."""
        return np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    @classmethod
    def example(cls) -> State:
        body = cls(1.0, 0.6, mass1=1.0, mass2=0.8, length1=0.7, centre1=0.4, centre2=0.5, g=3.0)
        return body.state(theta=[0.5, -0.4], omega=[0.3, 0.4])

    def equilibria(self) -> Equilibria:
        """Each link hanging or upright."""
        labels = {(0, 0): "both hanging", (0, 1): "second upright", (1, 0): "first upright", (1, 1): "both upright"}
        return Equilibria(
            Equilibrium(label, self.state(theta=self.hanging + np.pi * np.array(up))) for up, label in labels.items()
        )


def _centre(field: str, given: float | ArrayLike) -> float | list[float]:
    """A distance along the link, or two numbers that are not both zero."""
    if np.ndim(np.asarray(given, dtype=object)) == 0:
        return check_positive(field, given)  # type: ignore[arg-type]
    numbers = check_finite(field, given, (2,))
    if not numbers.any():
        raise InvalidInputError(field, given, "a mass centre that is not at the joint")
    return [float(x) for x in numbers]
