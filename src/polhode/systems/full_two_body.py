"""Two rigid bodies that attract each other, in coordinates relative to the second body's frame.

`X = R₂ᵀ(x₁ − x₂)`, `R = R₂ᵀR₁`, `V = R₂ᵀ(ẋ₁ − ẋ₂)`, `Omega = R Ω₁` and `Omega2 = Ω₂`, all in frame 2; `Gamma = m V` with
the reduced mass m, `Pi = R J₁ Rᵀ Ω`, `Pi2 = J₂ Ω₂`. The inertial motion of body 2, `x2`, `v2`, `R2`, is carried along.

    Γ̇ + Ω₂×Γ = −∂U/∂X,   Π̇ + Ω₂×Π = −M,   Π̇₂ + Ω₂×Π₂ = X×∂U/∂X + M,
    Ẋ + Ω₂×X = Γ/m,   Ṙ = S(Ω)R − S(Ω₂)R;   γ̇₂ = R₂∂U/∂X,  ẋ₂ = γ₂/m₂,  Ṙ₂ = R₂S(Ω₂)            (62–69 of [LLM07])

The discrete step (116–125) is half a kick, the drift

    h S(Π) = F Jd_R − Jd_R Fᵀ,  h S(Π₂) = F₂ Jd₂ − Jd₂ F₂ᵀ,  X ↦ F₂ᵀ(X + hΓ/m),  R ↦ F₂ᵀ F R,  (Γ, Π, Π₂) ↦ F₂ᵀ(Γ, Π, Π₂),

and half a kick. It is the inertial map of `FullBodyProblem`, exactly reduced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies import Body
from ..bodies.inertia import Inertia
from ..errors import InvalidInput
from ..geometry import so3
from ..geometry.implicit import largest_step, solve_increment_
from ..geometry.layout import Euclidean, Layout, Rotations, Variable
from ..geometry.products import cayley_increment, compose, turned_back
from ..geometry.vectors import (
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    cross,
    negate,
    scale,
    subtract,
    transpose,
)
from ..gravity import moment_on_second, mutual
from ..scalars import compiled, double, flow, get3, get9, par, par6, put3, put9
from .attitude import NO_SOLUTION, check_rotation, record
from .base import Field, Invariant, Representation, State, System, check_finite
from .full_body import FullBodyProblem
from .pairs import Pairs, build_pairs

Array = NDArray[np.float64]

# parameters: m₁, m₂, then six numbers each of J₁, J₁⁻¹, J₂, J₂⁻¹, then the block of the interaction
J1, J1_INVERSE, J2, J2_INVERSE, BLOCK = 2, 8, 14, 20, 26
# entries of the state
X, R, X2, R2, GAMMA, PI, PI2, GAMMA2 = 0, 3, 12, 15, 24, 27, 30, 33
FORCES, WORK = 36, 48
RELATIVE = Layout(
    Variable("X", Euclidean(3)),
    Variable("R", Rotations()),
    Variable("x2", Euclidean(3)),
    Variable("R2", Rotations()),
    Variable("Gamma", Euclidean(3), kicked=True),
    Variable("Pi", Euclidean(3), kicked=True),
    Variable("Pi2", Euclidean(3), kicked=True),
    Variable("gamma2", Euclidean(3), kicked=True),
)


@flow
def drift(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """(116)–(125) of [LLM07] without force; the first body's increment is found in its own frame, F = R F₁ Rᵀ."""
    A, Pi, Pi2 = get9(y, R, S), get3(y, PI, S), get3(y, PI2, S)
    g = scale(h, apply_transposed(A, Pi))
    c1, iterations, defect, failed = solve_increment_(par6(p, J1, S), par6(p, J1_INVERSE, S), g)
    record(out, iterations, defect)
    c2, iterations, defect, failed2 = solve_increment_(par6(p, J2, S), par6(p, J2_INVERSE, S), scale(h, Pi2))
    record(out, iterations, defect)
    if failed or failed2:
        return NO_SOLUTION
    m1, m2 = par(p, 0, S), par(p, 1, S)
    Gamma, gamma2 = get3(y, GAMMA, S), get3(y, GAMMA2, S)
    E2 = cayley_increment(c2)
    moved = add(get3(y, X, S), scale(h * (m1 + m2) / (m1 * m2), Gamma))
    put3(y, X, S, turned_back(E2, moved))
    put9(y, R, S, transpose(compose(transpose(compose(A, cayley_increment(c1))), E2)))
    put3(y, X2, S, add(get3(y, X2, S), scale(h / m2, gamma2)))
    put9(y, R2, S, compose(get9(y, R2, S), E2))
    put3(y, GAMMA, S, turned_back(E2, Gamma))
    put3(y, PI, S, turned_back(E2, Pi))
    put3(y, PI2, S, turned_back(E2, Pi2))
    return 0


@flow
def rhs(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """The motion without gravity."""
    A = get9(y, R, S)
    Gamma, Pi, Pi2 = get3(y, GAMMA, S), get3(y, PI, S), get3(y, PI2, S)
    m1, m2 = par(p, 0, S), par(p, 1, S)
    Omega2 = apply_symmetric(par6(p, J2_INVERSE, S), Pi2)
    # Ṙ = R S(Ω₁ − RᵀΩ₂), in the first body's frame
    own = subtract(apply_symmetric(par6(p, J1_INVERSE, S), apply_transposed(A, Pi)), apply_transposed(A, Omega2))
    put3(out, X, S, add(scale((m1 + m2) / (m1 * m2), Gamma), cross(get3(y, X, S), Omega2)))
    put3(out, X2, S, scale(1.0 / m2, get3(y, GAMMA2, S)))
    for k in range(3):
        put3(out, R + 3 * k, S, cross(get3(y, R + 3 * k, S), own))
        put3(out, R2 + 3 * k, S, cross(get3(y, R2 + 3 * k, S), Omega2))
    put3(out, GAMMA, S, cross(Gamma, Omega2))
    put3(out, PI, S, cross(Pi, Omega2))
    put3(out, PI2, S, cross(Pi2, Omega2))
    put3(out, GAMMA2, S, scale(0.0, Pi2))
    return 0


@flow
def force(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """−∂U/∂X, −M, X×∂U/∂X + M and R₂∂U/∂X."""
    place = get3(y, X, S)
    _, F, M = mutual(S, place, get9(y, R, S), p, BLOCK, y, WORK)
    put3(y, FORCES, S, negate(F))
    put3(y, FORCES + 3, S, negate(M))
    put3(y, FORCES + 6, S, moment_on_second(place, F, M))
    put3(y, FORCES + 9, S, apply(get9(y, R2, S), F))
    return 0


@compiled
def potentials(S: Any, samples: Array, p: Array, y: Array, U: Array) -> None:
    """The potential of every row of `samples`; `y` is the flat array with its workspace."""
    for row in range(samples.shape[0]):
        y[: samples.shape[1]] = samples[row]
        U[row] = mutual(S, get3(y, X, S), get9(y, R, S), p, BLOCK, y, WORK)[0]


class FullTwoBodyProblem(System):
    """Two bodies under mutual gravity, in the frame of the second; see `FullBodyProblem` for the arguments.

    >>> from polhode.bodies import Dumbbell
    >>> pair = FullTwoBodyProblem(Dumbbell(1.5, 0.25, radius=0.02), Dumbbell(3.0, 0.5, radius=0.03), gravity="points")
    >>> state = pair.state(X=[1, 0, 0.3], V=[0, 1, 0])
    >>> float(state.x2[0].round(12))        # the mass centre is the origin
    -0.333333333333
    """

    summary = "two bodies under mutual gravity, relative coordinates"
    reference = (
        "T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907 [LLM07], 54–69, 110–125"
    )
    fields = {
        "X": Field((3,), "position of body 1 relative to body 2, in frame 2", "length"),
        "V": Field((3,), "inertial relative velocity, in frame 2", "length/time"),
        "R": Field((3, 3), "attitude of body 1 relative to body 2, frame 1 to frame 2"),
        "Omega": Field((3,), "angular velocity of body 1, in frame 2", "rad/time"),
        "Omega1": Field((3,), "angular velocity of body 1, in frame 1", "rad/time"),
        "Omega2": Field((3,), "angular velocity of body 2, in frame 2", "rad/time"),
        "x2": Field((3,), "position of body 2", "length"),
        "v2": Field((3,), "velocity of body 2", "length/time"),
        "R2": Field((3, 3), "attitude of body 2, frame 2 to inertial"),
        "x1": Field((3,), "position of body 1", "length"),
        "v1": Field((3,), "velocity of body 1", "length/time"),
        "R1": Field((3, 3), "attitude of body 1, frame 1 to inertial"),
        "Gamma": Field((3,), "relative linear momentum, in frame 2", "mass length/time"),
        "Pi": Field((3,), "angular momentum of body 1, in frame 2", "mass length²/time"),
        "Pi2": Field((3,), "angular momentum of body 2, in frame 2", "mass length²/time"),
        "gamma2": Field((3,), "linear momentum of body 2, inertial", "mass length/time"),
    }
    conserved = {
        "energy": Invariant("energy", "kinetic and potential energy"),
        "linear_momentum": Invariant("momentum", "total linear momentum"),
        "angular_momentum": Invariant("momentum", "total angular momentum about the mass centre"),
    }

    def __init__(
        self,
        body1: Body | Mapping[str, Any],
        body2: Body | Mapping[str, Any],
        *,
        gravity: int | str = 2,
        G: float = 1.0,
    ) -> None:
        self.pairs: Pairs = build_pairs([body1, body2], gravity, G)
        (self.body1, self.body2), self.G, self.gravity = self.pairs.bodies, self.pairs.G, gravity
        self.inertia1 = Inertia.of(self.body1.inertia, field="body1.inertia")
        self.inertia2 = Inertia.of(self.body2.inertia, field="body2.inertia")
        self.m1, self.m2 = self.body1.mass, self.body2.mass
        self.reduced_mass = self.m1 * self.m2 / (self.m1 + self.m2)
        self._representation = Representation(
            RELATIVE, drift=drift, force=force, rhs=rhs, workspace=self.pairs.workspace
        )

    @property
    def representations(self) -> Mapping[str, Representation]:
        return {"matrix": self._representation}

    def describe(self) -> dict[str, Any]:
        bodies = {"body1": self.body1.describe(), "body2": self.body2.describe()}
        return bodies | {"gravity": self.gravity, "G": self.G}

    def parameters(self) -> Array:
        block = self.pairs.blocks[0, 1].parameters()
        return np.concatenate([[self.m1, self.m2], self.inertia1.entries(), self.inertia2.entries(), block])

    def state(
        self,
        *,
        X: ArrayLike,
        V: ArrayLike = (0.0, 0.0, 0.0),
        R: ArrayLike | None = None,
        Omega1: ArrayLike | None = None,
        Omega: ArrayLike | None = None,
        Omega2: ArrayLike = (0.0, 0.0, 0.0),
        R2: ArrayLike | None = None,
        x2: ArrayLike | None = None,
        v2: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state; the spin of body 1 is given as `Omega1` in its own frame or as `Omega` in frame 2. By default the
        mass centre rests at the origin."""
        if Omega is not None and Omega1 is not None:
            raise InvalidInput("Omega1", Omega1, "either Omega or Omega1, not both")
        A, A2 = (np.eye(3) if M is None else check_rotation(name, M) for name, M in (("R", R), ("R2", R2)))
        place, velocity = check_finite("X", X, (3,)), check_finite("V", V, (3,))
        if Omega is not None:
            own = A.T @ check_finite("Omega", Omega, (3,))
        else:
            own = check_finite("Omega1", np.zeros(3) if Omega1 is None else Omega1, (3,))
        share = self.m1 / (self.m1 + self.m2)
        start = -share * A2 @ place if x2 is None else check_finite("x2", x2, (3,))
        speed = -share * A2 @ velocity if v2 is None else check_finite("v2", v2, (3,))
        values = {
            "X": place,
            "R": A,
            "x2": start,
            "R2": A2,
            "Gamma": self.reduced_mass * velocity,
            "Pi": A @ self.inertia1.matrix @ own,
            "Pi2": self.inertia2.matrix @ check_finite("Omega2", Omega2, (3,)),
            "gamma2": self.m2 * speed,
        }
        return State(self, values, float(check_finite("t", t, ())))

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        A, A2 = values["R"], values["R2"]
        if name == "V":
            return values["Gamma"] / self.reduced_mass
        if name == "v2":
            return values["gamma2"] / self.m2
        if name == "Omega2":
            return values["Pi2"] @ self.inertia2.inverse
        if name == "Omega1":
            return np.einsum("...ji,...j->...i", A, values["Pi"]) @ self.inertia1.inverse
        if name == "Omega":
            return np.einsum("...ij,...j->...i", A, self.derive("Omega1", values))
        if name == "R1":
            return A2 @ A
        relative = {"x1": "X", "v1": "V"}[name]
        return self.derive(f"{name[0]}2", values) + np.einsum("...ij,...j->...i", A2, self.derive(relative, values))

    def potential(self, values: Mapping[str, Array]) -> Array:
        """The mutual potential energy (leading axes allowed)."""
        lead = values["X"].shape[:-1]
        rows = np.concatenate([values["X"].reshape(-1, 3), values["R"].reshape(-1, 9)], axis=1)
        y, U = np.zeros(WORK + self.pairs.workspace), np.empty(len(rows))
        potentials(double, np.ascontiguousarray(rows), self.parameters(), y, U)
        return U.reshape(lead)

    def energies(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The parts of the energy and their sum."""

        def half(a: str, b: str) -> Array:
            return 0.5 * np.sum(self.derive(a, values) * self.derive(b, values), axis=-1)

        parts = {
            "translation": self.m1 * half("v1", "v1") + half("gamma2", "v2"),
            "rotation of body 1": half("Pi", "Omega"),
            "rotation of body 2": half("Pi2", "Omega2"),
            "potential": self.potential(values),
        }
        return parts | {"total": np.sum(list(parts.values()), axis=0)}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """E, γ_T and π_T of [LLM07], section 5."""
        inside = np.cross(values["X"], values["Gamma"]) + values["Pi"] + values["Pi2"]
        return {
            "energy": self.energies(values)["total"],
            "linear_momentum": self.m1 * self.derive("v1", values) + values["gamma2"],
            "angular_momentum": np.einsum("...ij,...j->...i", values["R2"], inside),
        }

    def magnitudes(self, state: State) -> dict[str, float]:
        sizes = self.inertial().magnitudes(self.to_inertial(state))
        return {"linear_momentum": sizes["linear_momentum"]}

    def inertial(self) -> FullBodyProblem:
        """The same two bodies in inertial coordinates."""
        return FullBodyProblem([self.body1, self.body2], gravity=self.gravity, G=self.G)

    def to_inertial(self, state: State) -> State:
        """A state of `inertial()` that is the same motion."""
        rates = [state.Omega1, state.Omega2]
        places = {"x": [state.x1, state.x2], "v": [state.v1, state.v2], "R": [state.R1, state.R2], "omega": rates}
        return self.inertial().state(**{k: np.stack(v) for k, v in places.items()}, t=state.t)

    def from_inertial(self, state: State) -> State:
        """The state of this system that is the same motion as one of `inertial()`."""
        (x1, x2), (v1, v2), (R1, A2), (Omega1, Omega2) = state.x, state.v, state.R, state.omega
        relative = {"X": A2.T @ (x1 - x2), "V": A2.T @ (v1 - v2), "R": A2.T @ R1}
        return self.state(**relative, Omega1=Omega1, Omega2=Omega2, R2=A2, x2=x2, v2=v2, t=state.t)

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The canonical form of the inertial coordinates, pulled back to the relative ones."""
        v = RELATIVE.unpack(y)
        A, A2, one = v["R"], v["R2"], np.eye(3)
        Pi1 = A.T @ v["Pi"]
        # columns: δX, ξ, δx₂, ξ₂, δΓ, δΠ, δΠ₂, δγ₂; rows: δx₁, δx₂, ξ₁, ξ₂, δγ₁, δγ₂, δΠ₁, δΠ₂
        T = np.zeros((8, 3, 8, 3))
        T[0, :, 0], T[0, :, 2], T[0, :, 3] = A2, one, -A2 @ so3.hat(v["X"])
        T[1, :, 2] = one
        T[2, :, 1], T[2, :, 3] = one, A.T
        T[3, :, 3] = one
        part = self.m1 / self.reduced_mass
        T[4, :, 4], T[4, :, 3], T[4, :, 7] = part * A2, -part * A2 @ so3.hat(v["Gamma"]), self.m1 / self.m2 * one
        T[5, :, 7] = one
        T[6, :, 5], T[6, :, 1] = A.T, so3.hat(Pi1)
        T[7, :, 6] = one
        flat = T.reshape(24, 24)
        form = np.zeros((24, 24))
        form[:12, 12:], form[12:, :12] = np.eye(12), -np.eye(12)
        form[6:9, 6:9], form[9:12, 9:12] = -so3.hat(Pi1), -so3.hat(v["Pi2"])
        return flat.T @ form @ flat

    def largest_step(self, state: State) -> float:
        first = largest_step(self.inertia1.matrix, state.R.T @ state.Pi)
        return float(min(first, largest_step(self.inertia2.matrix, state.Pi2)))

    @classmethod
    def example(cls) -> State:
        from ..bodies import Ellipsoid

        pair = cls(Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22]), gravity=4, G=1.0)
        tilt = so3.exp([0.2, -0.3, 0.4])
        return pair.state(
            X=[1.5, 0.1, 0.2], V=[0.1, 1.0, 0.05], R=tilt, Omega1=[0.3, -0.4, 0.8], Omega2=[-0.2, 0.1, 0.5]
        )
