"""The full body problem: n rigid bodies that attract each other, in inertial coordinates.

`x`, `v` position and velocity, `R` attitude (body → inertial), `omega` body rate, `gamma = m v`, `Pi = J omega`.

    γ̇ᵢ = −∂U/∂xᵢ,   Π̇ᵢ = Πᵢ × ωᵢ + Mᵢ,   ẋᵢ = γᵢ/mᵢ,   Ṙᵢ = Rᵢ S(ωᵢ)                  (29–32 of [LLM07])

The discrete step (92–96) is half a kick by the forces and moments, a straight line for each position with the discrete
free rotation for each attitude, and half a kick. Perturbations add to the kicks; tides (`dissipation`) act
on both ends of the free motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies import Body
from ...core.checks import check_finite, check_nonzero, check_rotation
from ...core.layout import Layout, Variable
from ...core.manifolds import Copies, Euclidean, Rotations
from ...core.representation import Canonical, Form, Representation
from ...core.system import Field, Invariant, State
from ...errors import InvalidInputError
from ...geometry import so3
from ...geometry.increments.rigid import largest_step
from ...scalars import double
from ...scalars.protocol import REPORT_SIZE
from .base import GravitatingBodies
from .inertial_energy import energy_flow
from .inertial_flows import (
    FREE_BODY,
    FREE_HEADER,
    HEADER,
    PERTURBATIONS,
    add_perturbations,
    drift,
    drift_forced,
    evaluate,
    exact_drift,
    force_at,
    moment_at,
    position_at,
    potentials,
    rhs,
    rhs_forced,
    rhs_lagrangian,
    sum_pairs,
    to_rates,
    workspace_at,
)
from .pair_gravity import spin_momentum
from .parallel_pairs import FEWEST_PAIRS, parallel_forces, parallel_workspace
from .perturbations import Perturbation
from .representations import forces_with, gravity_forces, representations_of, with_lists
from .tides import TidalFriction

Array = NDArray[np.float64]


class FullBodyProblem(GravitatingBodies):
    """Bodies under mutual gravity, in inertial coordinates.

    `bodies`: mass distributions of `polhode.bodies` (or their descriptions). `gravity`: "points" for the exact sum over
    point masses, "polyhedron" for the exact field of a mesh in which points move, "shapes" for the true shapes of meshes,
    ellipsoids and points, valid up to contact (`polhode.gravity.Shapes`), or an order N ≥ 2 of the expansion in
    inertia integrals, valid while the circumscribed spheres do not overlap; a single point mass may be a body, and does not turn. `G` is the gravitational constant.
    `perturbations`: a list of `DistantBody`, `UniformField` and `ExternalPotential` (or their tables). `dissipation`: a list of `TidalFriction`, for the method `ForcedLGVI`.

    >>> from polhode.bodies import Sphere
    >>> problem = FullBodyProblem([Sphere(1.0, 0.1), Sphere(1.0, 0.1)], gravity=2)
    >>> state = problem.state(x=[[1, 0, 0], [-1, 0, 0]], v=[[0, 0.5, 0], [0, -0.5, 0]])
    >>> float(state.invariants()["energy"])
    -0.25
    """

    summary = "n bodies under mutual gravity, inertial coordinates"
    reference = (
        "T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907 [LLM07], 25–32, 77–96"
    )
    fields = {
        "x": Field((-1, 3), "positions", "length"),
        "v": Field((-1, 3), "velocities", "length/time"),
        "R": Field((-1, 3, 3), "rotation matrices, body to inertial"),
        "omega": Field((-1, 3), "angular velocities, each in its body's frame", "rad/time"),
        "gamma": Field((-1, 3), "linear momenta", "mass length/time"),
        "Pi": Field((-1, 3), "angular momenta, each in its body's frame", "mass length²/time"),
    }
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "kinetic and potential energy"),
        "linear_momentum": Invariant("momentum", "total linear momentum", "mass length/time"),
        "angular_momentum": Invariant("momentum", "total angular momentum about the origin"),
    }

    def __init__(
        self,
        bodies: Sequence[Body | Mapping[str, Any]],
        *,
        gravity: int | str = 2,
        G: float = 1.0,
        perturbations: Sequence[Perturbation | Mapping[str, Any]] = (),
        dissipation: Sequence[TidalFriction | Mapping[str, Any]] = (),
    ) -> None:
        if isinstance(bodies, (str, Mapping)) or not isinstance(bodies, Sequence) or len(bodies) < 1:
            raise InvalidInputError("bodies", bodies, "a list of at least one body")
        named = {f"bodies[{i}]": body for i, body in enumerate(bodies)}
        self._attract(named, gravity, G, perturbations, dissipation)
        self.n = len(self.bodies)
        self.masses = np.array([b.mass for b in self.bodies])
        self.inertias = self.pairs.inertias

    @cached_property
    def representations(self) -> Mapping[str, Representation]:
        functions = self.perturbations.functions
        perturb = add_perturbations if self.perturbations else None
        forces = gravity_forces(self.pairs.kernel, sum_pairs, perturb, to_rates)
        forces = forces_with(functions, forces, add_perturbations, to_rates, PERTURBATIONS)
        pairs, room = len(self.pairs.blocks), self.pairs.workspace
        if pairs >= FEWEST_PAIRS and functions is None:
            forces, room = parallel_forces(self.pairs.kernel, perturb), parallel_workspace(pairs, room)
        return representations_of(
            layouts=(_layout(self.n, "gamma", "Pi"), _layout(self.n, "v", "omega")),
            drifts=(drift, drift_forced, exact_drift),
            slopes=(rhs, rhs_forced, rhs_lagrangian),
            forces=forces,
            workspace=max(room, self.perturbations.workspace),
            damped=bool(self.tides),
        )

    def describe(self) -> dict[str, Any]:
        return {"bodies": [b.describe() for b in self.bodies]} | self._describe_gravity()

    def canonical(self) -> Canonical:
        places = [
            (position_at(i), position_at(j), self.G * (self.masses[i] + self.masses[j]))
            for i, j in combinations(range(self.n), 2)
        ]
        own = None if self.perturbations or self.tides else energy_flow(self.pairs.kernel)
        return Canonical(self.representations[Form.DEFAULT], self.parameters(), attractions=places, energy=own)

    def free_parameters(self) -> Array:
        bodies = [
            FREE_BODY.pack(inverse_mass=1.0 / b.mass, principal=J.principal_entries())
            for b, J in zip(self.bodies, self.inertias, strict=True)
        ]
        return np.concatenate([FREE_HEADER.pack(bodies=self.n), *bodies])

    def parameters(self) -> Array:
        room = self.pairs.workspace
        header = HEADER.pack(bodies=self.n, pairs=len(self.pairs.blocks), perturbations=0.0, tides=0.0, room=room)
        bodies = [np.append(b.mass, J.entries()) for b, J in zip(self.bodies, self.inertias, strict=True)]
        head = np.concatenate([header, *bodies])
        table, blocks = self.pairs.table(head.size)
        return with_lists(np.concatenate([head, table, blocks]), PERTURBATIONS, self.perturbations, self.tides)

    def state(
        self,
        *,
        x: ArrayLike,
        v: ArrayLike | None = None,
        R: ArrayLike | None = None,
        omega: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        Pi: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state; velocities and rates default to zero, attitudes to the identity."""
        n = self.n
        if v is not None and gamma is not None:
            raise InvalidInputError("gamma", gamma, "either v or gamma, not both")
        if omega is not None and Pi is not None:
            raise InvalidInputError("Pi", Pi, "either omega or Pi, not both")
        attitudes = np.broadcast_to(np.eye(3), (n, 3, 3)) if R is None else check_finite("R", R, (n, 3, 3))
        values = {
            "x": check_finite("x", x, (n, 3)),
            "R": np.stack([check_rotation(f"R[{i}]", A) for i, A in enumerate(attitudes)]),
            "gamma": check_finite("gamma", gamma, (n, 3))
            if gamma is not None
            else self.masses[:, None] * check_finite("v", np.zeros((n, 3)) if v is None else v, (n, 3)),
            "Pi": check_finite("Pi", Pi, (n, 3))
            if Pi is not None
            else self._spins(check_finite("omega", np.zeros((n, 3)) if omega is None else omega, (n, 3))),
        }
        if not np.isfinite(self.potential(values)):
            raise InvalidInputError(
                "x", x, problem="two bodies are at the same place: their mutual potential is not finite there"
            )
        return State(self, values, float(check_finite("t", t, ())))

    def state_from_pair(self, x: ArrayLike, R: ArrayLike, step: float, *, t: float = 0.0) -> State:
        """The state at time `t` from the configurations there and one order-2 step later, the data of the Lagrangian
        form: `x` (2, n, 3) and `R` (2, n, 3, 3). The momenta are those of (92) and (94), with the half kick."""
        places = check_finite("x", x, (2, self.n, 3))
        attitudes = check_finite("R", R, (2, self.n, 3, 3))
        h = check_nonzero("step", step)
        start = self.state(x=places[0], R=attitudes[0], t=t)
        F = np.swapaxes(start.R, -1, -2) @ attitudes[1]
        Jd = np.stack([J.nonstandard for J in self.inertias])
        forces, moments = self.forces(start)
        gamma = self.masses[:, None] * (places[1] - places[0]) / h - 0.5 * h * forces
        return self.state(x=places[0], R=start.R, gamma=gamma, Pi=so3.vee2(F @ Jd) / h - 0.5 * h * moments, t=t)

    def forces(self, state: State) -> tuple[Array, Array]:
        """The force on every body, and the moment in its frame."""
        n, form = self.n, self.representations[Form.DEFAULT]
        y = np.concatenate([self.enter(Form.DEFAULT, state), np.zeros(form.forces + form.workspace)])
        assert form.force is not None
        evaluate(double, form.force.on(double), y, self.parameters(), state.t, np.zeros(REPORT_SIZE))
        forces, moments = y[force_at(n, 0) : moment_at(n, 0)], y[moment_at(n, 0) : workspace_at(n)]
        return forces.reshape(n, 3), moments.reshape(n, 3)

    def _spins(self, omega: Array) -> Array:
        """The angular momenta of bodies that turn with these rates."""
        given = zip(self.inertias, omega, strict=True)
        return np.stack([spin_momentum(f"omega[{i}]", J, w) for i, (J, w) in enumerate(given)])

    def _times_inertia(self, omega: Array) -> Array:
        return np.einsum("nij,...nj->...ni", np.stack([J.matrix for J in self.inertias]), omega)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "v":
            return values["gamma"] / self.masses[:, None]
        if name == "gamma":
            return values["v"] * self.masses[:, None]
        if name == "Pi":
            return self._times_inertia(values["omega"])
        return np.einsum("nij,...nj->...ni", np.stack([J.inverse for J in self.inertias]), values["Pi"])

    def potential(self, values: Mapping[str, Array]) -> Array:
        """The mutual potential energy (leading axes allowed)."""
        lead, n = values["x"].shape[:-2], self.n
        rows = np.concatenate([values["x"].reshape(-1, 3 * n), values["R"].reshape(-1, 9 * n)], axis=1)
        y, U = np.zeros(workspace_at(n) + self.pairs.workspace), np.empty(len(rows))
        potentials(self.pairs.kernel)(double, np.ascontiguousarray(rows), self.parameters(), y, U)
        return U.reshape(lead)

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """The parts of the energy and their sum; the time `t` must be given where perturbations move."""
        parts = {
            "translation": 0.5 * np.sum(self.derive("gamma", values) * self.derive("v", values), axis=(-2, -1)),
            "rotation": 0.5 * np.sum(self.derive("Pi", values) * self.derive("omega", values), axis=(-2, -1)),
            "potential": self.potential(values),
        }
        if self.perturbations:
            parts["perturbations"] = self.perturbations.energy(t, values["x"], values["R"])
        return parts | {"total": np.sum(list(parts.values()), axis=0)}

    def dissipated_power(self, values: Mapping[str, Array]) -> Array:
        """The rate at which tides take energy out."""
        spin = np.einsum("...nij,...nj->...ni", values["R"], self.derive("omega", values))
        return self.tides.power(values["x"], self.derive("v", values), spin)

    def angular_momentum(self, values: Mapping[str, Array]) -> Array:
        """The total angular momentum: about the origin, or about the point for which perturbations leave it conserved."""
        x, gamma = values["x"], self.derive("gamma", values)
        about = np.zeros(3) if self.perturbations.centre is None else self.perturbations.centre
        if self.perturbations and self.perturbations.falls_alike:
            about = np.einsum("n,...ni->...i", self.masses / self.masses.sum(), x)
        spins = np.einsum("...nij,...nj->...ni", values["R"], self.derive("Pi", values))
        return np.sum(np.cross(x, gamma) + spins, axis=-2) - np.cross(about, gamma.sum(axis=-2))

    def linear_momentum(self, values: Mapping[str, Array]) -> Array:
        """The total linear momentum."""
        return self.derive("gamma", values).sum(axis=-2)

    def magnitudes(self, state: State) -> dict[str, float]:
        turning = (
            np.linalg.norm(np.cross(state.x, state.gamma), axis=-1).sum() + np.linalg.norm(state.Pi, axis=-1).sum()
        )
        return {
            "linear_momentum": float(np.linalg.norm(state.gamma, axis=-1).sum()),
            "angular_momentum": float(turning),
        }

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The canonical form: `dx ∧ dγ` and, for each body, that of T*SO(3) left-trivialised."""
        Pi = self.representations[representation].layout.unpack(y)["Pi"]
        d = 6 * self.n
        form = np.zeros((2 * d, 2 * d))
        form[:d, d:], form[d:, :d] = np.eye(d), -np.eye(d)
        for i in range(self.n):
            part = slice(3 * self.n + 3 * i, 3 * self.n + 3 * i + 3)
            form[part, part] = -so3.hat(Pi[i])
        return form

    def largest_step(self, state: State) -> float:
        limits = [largest_step(J.matrix, Pi) for J, Pi in zip(self.inertias, state.Pi, strict=True)]
        return float(np.min(limits))

    def separations(self, x: Array) -> dict[tuple[int, int], Array]:
        """The distance of every pair of mass centres."""
        return {(i, j): np.linalg.norm(x[..., i, :] - x[..., j, :], axis=-1) for i, j in combinations(range(self.n), 2)}

    @classmethod
    def example(cls) -> State:
        from ...bodies import Ellipsoid

        shapes = ([0.3, 0.25, 0.2], [0.2, 0.18, 0.15], [0.15, 0.12, 0.1])
        problem = cls([Ellipsoid(m, s) for m, s in zip((1.0, 0.6, 0.4), shapes, strict=True)], gravity=2, G=1.0)
        # a pair on a nearly circular orbit, a third body seven times as far on another; the mass centre at rest
        return problem.state(
            x=[[0.75, -2.8, 0.0], [-1.25, -2.8, 0.0], [0.0, 11.2, 0.0]],
            v=[[0.0756, 0.3354, 0.0], [0.0756, -0.559, 0.0], [-0.3024, 0.0, 0.0]],
            omega=[[0.4, -0.3, 1.6], [-0.2, 0.5, 1.3], [0.3, 0.2, -1.5]],
        )


def _layout(n: int, *momenta: str) -> Layout:
    """Positions and attitudes of n bodies, then their momenta or velocities."""
    places = (Variable("x", Copies(Euclidean(3), n)), Variable("R", Copies(Rotations(), n)))
    return Layout(*places, *(Variable(name, Copies(Euclidean(3), n), kicked=True) for name in momenta))
