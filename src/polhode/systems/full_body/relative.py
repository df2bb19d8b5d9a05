"""Two rigid bodies that attract each other, in coordinates relative to the second body's frame.

`X = R₂ᵀ(x₁ − x₂)`, `R = R₂ᵀR₁`, `V = R₂ᵀ(ẋ₁ − ẋ₂)`, `Omega = R Ω₁` and `Omega2 = Ω₂`, all in frame 2; `Gamma = m V` with
the reduced mass m, `Pi = R J₁ Rᵀ Ω`, `Pi2 = J₂ Ω₂`. The inertial motion of body 2, `x2`, `v2`, `R2`, is carried along.

    Γ̇ + Ω₂×Γ = −∂U/∂X,   Π̇ + Ω₂×Π = −M,   Π̇₂ + Ω₂×Π₂ = X×∂U/∂X + M,
    Ẋ + Ω₂×X = Γ/m,   Ṙ = S(Ω)R − S(Ω₂)R;   γ̇₂ = R₂∂U/∂X,  ẋ₂ = γ₂/m₂,  Ṙ₂ = R₂S(Ω₂)            (62–69 of [LLM07])

The discrete step (116–125) is half a kick, the drift

    h S(Π) = F Jd_R − Jd_R Fᵀ,  h S(Π₂) = F₂ Jd₂ − Jd₂ F₂ᵀ,  X ↦ F₂ᵀ(X + hΓ/m),  R ↦ F₂ᵀ F R,  (Γ, Π, Π₂) ↦ F₂ᵀ(Γ, Π, Π₂),

and half a kick. It is the inertial map of `FullBodyProblem`, exactly reduced.

Perturbations from outside act at `x₁ = x₂ + R₂X`, `R₁ = R₂R` and `x₂`, `R₂`: they need the inertial motion that is carried
along. With their forces f₁, f₂ (inertial) and moments M₁, M₂ (each in its body's frame), the pair feels

    m R₂ᵀ(f₁/m₁ − f₂/m₂) on Γ,    R M₁ on Π,    M₂ on Π₂,    f₂ on γ₂.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...core.checks import check_finite, check_rotation
from ...core.layout import Layout
from ...core.representation import Canonical, Representation
from ...core.system import Field, Invariant, State
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.increments.rigid import largest_step, symmetric_entries
from .base import GravitatingBodies
from .ignorable_columns import ignorable_columns
from .inertial import FullBodyProblem
from .perturbations import Perturbation, energies_of
from .relative_flows import (
    FREE_PAIR,
    PAIR,
    PERTURBATIONS,
    RELATIVE,
    VELOCITIES,
    add_perturbations,
    drift,
    drift_forced,
    exact_drift,
    mutual_force,
    rhs,
    rhs_forced,
    rhs_lagrangian,
    to_rates,
)
from .representations import forces_with, gravity_forces, representations_of, with_lists
from .tides import TidalFriction

Array = NDArray[np.float64]


class FullTwoBodyProblem(GravitatingBodies):
    """Two bodies under mutual gravity, in the frame of the second; see `FullBodyProblem` for the arguments. Body
    1 is number 0 and body 2 number 1 where perturbations and tides name bodies.

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
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "kinetic and potential energy"),
        "linear_momentum": Invariant("momentum", "total linear momentum", "mass length/time"),
        "angular_momentum": Invariant("momentum", "total angular momentum about the mass centre"),
    }

    def __init__(
        self,
        body1: Body | Mapping[str, Any],
        body2: Body | Mapping[str, Any],
        *,
        gravity: int | str = 2,
        G: float = 1.0,
        perturbations: Sequence[Perturbation | Mapping[str, Any]] = (),
        dissipation: Sequence[TidalFriction | Mapping[str, Any]] = (),
    ) -> None:
        self._attract({"body1": body1, "body2": body2}, gravity, G, perturbations, dissipation)
        self.body1, self.body2 = self.bodies
        self.inertia1, self.inertia2 = self.pairs.inertias
        self.m1, self.m2 = self.body1.mass, self.body2.mass
        self.reduced_mass = self.m1 * self.m2 / (self.m1 + self.m2)
        self.ignorable = () if self.perturbations else ("x2", "R2", "gamma2")

    def relative_state(self, values: Mapping[str, Array], t: float) -> State:
        """The state with this relative motion, with the mass centre at rest at the origin."""
        named: dict[str, Any] = {name: values[name] for name in ("X", "R", "Pi", "Pi2", "R2")}
        return self.state(**named, V=self.derive("V", values), t=t)

    def ignorable_columns(self, layout: Layout, start: Array, states: Array, elapsed: Array) -> Mapping[str, Array]:
        return ignorable_columns(layout, self.m2, start, states, elapsed)

    @cached_property
    def representations(self) -> Mapping[str, Representation]:
        functions = self.perturbations.functions
        forces = gravity_forces(
            self.pairs.kernel, mutual_force, add_perturbations if self.perturbations else None, to_rates
        )
        return representations_of(
            layouts=(RELATIVE, VELOCITIES),
            drifts=(drift, drift_forced, exact_drift),
            slopes=(rhs, rhs_forced, rhs_lagrangian),
            forces=forces_with(functions, forces, add_perturbations, to_rates, PERTURBATIONS),
            workspace=max(self.pairs.workspace, self.perturbations.workspace),
            damped=bool(self.tides),
        )

    def canonical(self) -> Canonical:
        from .canonical_pair import canonical_pair

        return canonical_pair(self)

    @property
    def body_names(self) -> list[str]:
        return ["body1", "body2"]

    @property
    def body_labels(self) -> list[str]:
        return [body.name or argument for body, argument in zip(self.bodies, self.body_names, strict=True)]

    def describe(self) -> dict[str, Any]:
        return {"body1": self.body1.describe(), "body2": self.body2.describe()} | self._describe_gravity()

    def free_parameters(self) -> Array:
        first, second = self.inertia1.principal_entries(), self.inertia2.principal_entries()
        return FREE_PAIR.pack(m1=self.m1, m2=self.m2, body1=first, body2=second)

    def parameters(self) -> Array:
        first, second = self.inertia1, self.inertia2
        own = PAIR.pack(
            m1=self.m1,
            m2=self.m2,
            J1=symmetric_entries(first.matrix),
            J1_inverse=symmetric_entries(first.inverse),
            J2=symmetric_entries(second.matrix),
            J2_inverse=symmetric_entries(second.inverse),
            perturbations=0.0,
            tides=0.0,
        )
        own = np.concatenate([own, self.pairs.blocks[0, 1].parameters()])
        return with_lists(own, PERTURBATIONS, self.perturbations, self.tides)

    def state(
        self,
        *,
        X: ArrayLike | None = None,
        V: ArrayLike | None = None,
        elements: Mapping[str, float] | None = None,
        R: ArrayLike | None = None,
        q: ArrayLike | None = None,
        Omega1: ArrayLike | None = None,
        Omega: ArrayLike | None = None,
        Pi: ArrayLike | None = None,
        R2: ArrayLike | None = None,
        q2: ArrayLike | None = None,
        Omega2: ArrayLike | None = None,
        Pi2: ArrayLike | None = None,
        synchronous: Sequence[str | int] = (),
        x2: ArrayLike | None = None,
        v2: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state. The orbit of body 1 about body 2 is given by `X`, `V` in frame 2 or by its osculating `elements` in
        space: `a` or `q`, `e`, `inclination`, `node`, `periapsis`, and `true_anomaly` or `mean_anomaly`; see
        `polhode.gravity.kepler`. The spin of body 1 is `Omega1` in its own frame, or `Omega` or `Pi` in frame 2. Bodies
        named in `synchronous` point their long axis at the other and, unless a spin is given, turn once per orbit. By
        default the mass centre rests at the origin."""
        from .initial_state import pair_start

        given = {name: value for name, value in locals().items() if name not in ("self", "t", "pair_start")}
        values = pair_start(self, given)
        if not np.isfinite(self.potential(values)):
            raise InvalidInputError(
                "X", values["X"], problem="the bodies overlap: their mutual potential is not finite there"
            )
        return State(self, values, float(check_finite("t", t, ())))

    def state_from_pair(
        self, X: ArrayLike, R: ArrayLike, R2: ArrayLike, step: float, *, x2: ArrayLike | None = None, t: float = 0.0
    ) -> State:
        """The state at time `t` from the configurations there and one order-2 step later, the data of the Lagrangian
        form: `X` (2, 3), `R` and `R2` (2, 3, 3), and `x2` (2, 3), by default with the mass centre at rest at the origin."""
        places, attitudes = check_finite("X", X, (2, 3)), check_finite("R", R, (2, 3, 3))
        frames = np.stack([check_rotation(f"R2[{k}]", A) for k, A in enumerate(check_finite("R2", R2, (2, 3, 3)))])
        arms = np.einsum("kij,kj->ki", frames, places)
        second = -self.m1 / (self.m1 + self.m2) * arms if x2 is None else check_finite("x2", x2, (2, 3))
        x, turns = np.stack([second + arms, second], axis=1), np.stack([frames @ attitudes, frames], axis=1)
        return self.from_inertial(self.inertial().state_from_pair(x, turns, step, t=t))

    def forces(self, state: State) -> tuple[Array, Array]:
        """The force on body 1 and body 2, inertial, and the moment on each in its own frame."""
        return self.inertial().forces(self.to_inertial(state))

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        A, A2 = values["R"], values["R2"]
        if name == "V":
            return values["Gamma"] / self.reduced_mass
        if name == "Gamma":
            return values["V"] * self.reduced_mass
        if name == "v2":
            return values["gamma2"] / self.m2
        if name == "gamma2":
            return values["v2"] * self.m2
        if name == "Omega2":
            return values["Pi2"] @ self.inertia2.inverse
        if name == "Pi2":
            return values["Omega2"] @ self.inertia2.matrix
        if name == "Omega1":
            if "Omega" in values:
                return np.einsum("...ji,...j->...i", A, values["Omega"])
            return np.einsum("...ji,...j->...i", A, values["Pi"]) @ self.inertia1.inverse
        if name == "Omega":
            return np.einsum("...ij,...j->...i", A, self.derive("Omega1", values))
        if name == "Pi":
            return np.einsum("...ij,...j->...i", A, self.derive("Omega1", values) @ self.inertia1.matrix)
        if name == "R1":
            return A2 @ A
        relative = {"x1": "X", "v1": "V"}[name]
        return self.derive(f"{name[0]}2", values) + np.einsum("...ij,...j->...i", A2, self.derive(relative, values))

    def _both(self, name: str, values: Mapping[str, Array]) -> Array:
        """x, v or R of both bodies."""
        axis = -3 if name == "R" else -2
        return np.stack([self.derive(f"{name}1", values), self.derive(f"{name}2", values)], axis=axis)

    def potential(self, values: Mapping[str, Array]) -> Array:
        """The mutual potential energy (leading axes allowed)."""
        pair = self.pairs.blocks[0, 1]
        return energies_of(pair.parameters(), pair.workspace, values["X"], values["R"])

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """The parts of the energy and their sum; the time `t` must be given where perturbations move."""

        def half(a: str, b: str) -> Array:
            return 0.5 * np.sum(self.derive(a, values) * self.derive(b, values), axis=-1)

        first, second = self.body_labels
        parts = {
            "translation": self.m1 * half("v1", "v1") + half("gamma2", "v2"),
            f"rotation of {first}": half("Pi", "Omega"),
            f"rotation of {second}": half("Pi2", "Omega2"),
            "potential": self.potential(values),
        }
        if self.perturbations:
            parts["perturbations"] = self.perturbations.energy(t, self._both("x", values), self._both("R", values))
        return parts | {"total": np.sum(list(parts.values()), axis=0)}

    def dissipated_power(self, values: Mapping[str, Array]) -> Array:
        """The rate at which tides take energy out."""
        spins = [
            np.einsum("...ij,...j->...i", self.derive(f"R{k}", values), self.derive(f"Omega{k}", values)) for k in "12"
        ]
        return self.tides.power(self._both("x", values), self._both("v", values), np.stack(spins, axis=-2))

    def angular_momentum(self, values: Mapping[str, Array]) -> Array:
        """π_T of [LLM07], section 5: about the mass centre, or about the one distant body at rest."""
        inside = np.cross(values["X"], self.derive("Gamma", values)) + self.derive("Pi", values)
        about = np.zeros(3)
        if self.perturbations.centre is not None:
            place = (self.m1 * self.derive("x1", values) + self.m2 * values["x2"]) / (self.m1 + self.m2)
            about = np.cross(place - self.perturbations.centre, self.linear_momentum(values))
        return np.einsum("...ij,...j->...i", values["R2"], inside + self.derive("Pi2", values)) + about

    def linear_momentum(self, values: Mapping[str, Array]) -> Array:
        """γ_T of [LLM07], section 5."""
        return self.m1 * self.derive("v1", values) + self.derive("gamma2", values)

    def magnitudes(self, state: State) -> dict[str, float]:
        sizes = self.inertial().magnitudes(self.to_inertial(state))
        return {"linear_momentum": sizes["linear_momentum"]}

    def inertial(self) -> FullBodyProblem:
        """The same two bodies in inertial coordinates."""
        return FullBodyProblem(
            [self.body1, self.body2],
            gravity=self.gravity,
            G=self.G,
            perturbations=self.perturbations.list,
            dissipation=self.tides.list,
        )

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
        from ...bodies import Ellipsoid

        pair = cls(Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22]), gravity=4, G=1.0)
        tilt = so3.exp([0.2, -0.3, 0.4])
        return pair.state(
            X=[1.5, 0.1, 0.2], V=[0.1, 1.0, 0.05], R=tilt, Omega1=[0.3, -0.4, 0.8], Omega2=[-0.2, 0.1, 0.5]
        )
