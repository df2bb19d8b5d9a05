"""The full body problem: n rigid bodies that attract each other, in inertial coordinates.

`x`, `v` position and velocity, `R` attitude (body → inertial), `omega` body rate, `gamma = m v`, `Pi = J omega`.

    γ̇ᵢ = −∂U/∂xᵢ,   Π̇ᵢ = Πᵢ × ωᵢ + Mᵢ,   ẋᵢ = γᵢ/mᵢ,   Ṙᵢ = Rᵢ S(ωᵢ)                  (29–32 of [LLM07])

The discrete step (92–96) is half a kick by the forces and moments, a straight line for each position with the discrete
free rotation for each attitude, and half a kick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bodies import Body
from ..bodies.inertia import Inertia
from ..errors import InvalidInput
from ..geometry import so3
from ..geometry.implicit import largest_step, solve_increment_
from ..geometry.layout import Copies, Euclidean, Layout, Rotations, Variable
from ..geometry.products import cayley_increment, compose, turned_back
from ..geometry.vectors import add, apply_symmetric, cross, negate, scale
from ..gravity import mutual_inertial
from ..gravity.counts import count
from ..scalars import compiled, double, flow, get3, get9, kernel, par, par6, put, put3, put9
from .attitude import NO_SOLUTION, check_rotation, record
from .base import Field, Invariant, Representation, State, System, check_finite
from .pairs import Pairs, build_pairs

Array = NDArray[np.float64]

# parameters: n, the number of pairs, then for each body its mass, six numbers of J and six of J⁻¹, then for each pair
# the two bodies and where the block of its interaction begins, then the blocks
BODY = 13
HEADER = 2


@kernel
def body_at(i: Any) -> Any:
    """Where the parameters of body i begin."""
    return HEADER + BODY * i


@flow
def drift(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """Positions along γ/m, attitudes by the discrete free body (92, 94–96 of [LLM07])."""
    n = count(p, 0, S)
    for i in range(n):
        b = body_at(i)
        R, Pi = get9(y, 3 * n + 9 * i, S), get3(y, 15 * n + 3 * i, S)
        c, iterations, defect, failed = solve_increment_(par6(p, b + 1, S), par6(p, b + 7, S), scale(h, Pi))
        record(out, iterations, defect)
        if failed:
            return NO_SOLUTION
        E = cayley_increment(c)
        put9(y, 3 * n + 9 * i, S, compose(R, E))
        put3(y, 15 * n + 3 * i, S, turned_back(E, Pi))
        velocity = scale(1.0 / par(p, b, S), get3(y, 12 * n + 3 * i, S))
        put3(y, 3 * i, S, add(get3(y, 3 * i, S), scale(h, velocity)))
    return 0


@flow
def rhs(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """The motion without gravity."""
    n = count(p, 0, S)
    for i in range(n):
        b = body_at(i)
        R, Pi = get9(y, 3 * n + 9 * i, S), get3(y, 15 * n + 3 * i, S)
        omega = apply_symmetric(par6(p, b + 7, S), Pi)
        put3(out, 3 * i, S, scale(1.0 / par(p, b, S), get3(y, 12 * n + 3 * i, S)))
        put3(out, 3 * n + 9 * i, S, cross(R[0:3], omega))
        put3(out, 3 * n + 9 * i + 3, S, cross(R[3:6], omega))
        put3(out, 3 * n + 9 * i + 6, S, cross(R[6:9], omega))
        for k in range(3):
            put(out, 12 * n + 3 * i + k, S, 0.0)
        put3(out, 15 * n + 3 * i, S, cross(Pi, omega))
    return 0


@kernel
def pair_gravity(S: Any, y: Any, p: Any, n: Any, k: Any) -> Any:
    """Bodies i and j of pair k, and U, ∂U/∂xᵢ, Mᵢ, Mⱼ; the workspace lies behind the slots for the forces."""
    at = body_at(n) + 3 * k
    i, j, block = count(p, at, S), count(p, at + 1, S), count(p, at + 2, S)
    xi, Ri = get3(y, 3 * i, S), get9(y, 3 * n + 9 * i, S)
    xj, Rj = get3(y, 3 * j, S), get9(y, 3 * n + 9 * j, S)
    U, F, Mi, Mj = mutual_inertial(S, xi, Ri, xj, Rj, p, block, y, 24 * n)
    return i, j, U, F, Mi, Mj


@flow
def force(S: Any, y: Any, p: Any, t: float, h: float, out: Any) -> int:
    """−∂U/∂x and M of every body, summed over pairs."""
    n, pairs = count(p, 0, S), count(p, 1, S)
    f, m = 18 * n, 21 * n
    for e in range(6 * n):
        put(y, f + e, S, 0.0)
    for k in range(pairs):
        i, j, _, F, Mi, Mj = pair_gravity(S, y, p, n, k)
        put3(y, f + 3 * i, S, add(get3(y, f + 3 * i, S), negate(F)))
        put3(y, f + 3 * j, S, add(get3(y, f + 3 * j, S), F))
        put3(y, m + 3 * i, S, add(get3(y, m + 3 * i, S), Mi))
        put3(y, m + 3 * j, S, add(get3(y, m + 3 * j, S), Mj))
    return 0


@compiled
def potentials(S: Any, samples: Array, p: Array, y: Array, U: Array) -> None:
    """The potential of every row of `samples`; `y` is the flat array with its workspace."""
    n, pairs = count(p, 0, S), count(p, 1, S)
    for row in range(samples.shape[0]):
        y[: samples.shape[1]] = samples[row]
        U[row] = 0.0
        for k in range(pairs):
            U[row] += pair_gravity(S, y, p, n, k)[2]


class FullBodyProblem(System):
    """Bodies under mutual gravity, in inertial coordinates.

    `bodies`: mass distributions of `polhode.bodies` (or their descriptions). `gravity`: "points" for the exact sum over
    point masses, or an order N ≥ 2 of the expansion in inertia integrals. `G` is the gravitational constant.

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
    conserved = {
        "energy": Invariant("energy", "kinetic and potential energy"),
        "linear_momentum": Invariant("momentum", "total linear momentum"),
        "angular_momentum": Invariant("momentum", "total angular momentum about the origin"),
    }

    def __init__(self, bodies: Sequence[Body | Mapping[str, Any]], *, gravity: int | str = 2, G: float = 1.0) -> None:
        if isinstance(bodies, (str, Mapping)) or not isinstance(bodies, Sequence) or len(bodies) < 1:
            raise InvalidInput("bodies", bodies, "a list of at least one body")
        self.pairs: Pairs = build_pairs(bodies, gravity, G)
        self.bodies, self.G, self.gravity = self.pairs.bodies, self.pairs.G, gravity
        self.n = len(self.bodies)
        self.masses = np.array([b.mass for b in self.bodies])
        self.inertias = [Inertia.of(b.inertia, field=f"bodies[{i}].inertia") for i, b in enumerate(self.bodies)]
        copies = [Copies(m, self.n) for m in (Euclidean(3), Rotations(), Euclidean(3), Euclidean(3))]
        names = (("x", False), ("R", False), ("gamma", True), ("Pi", True))
        layout = Layout(*(Variable(name, m, kicked=k) for (name, k), m in zip(names, copies, strict=True)))
        self._representation = Representation(layout, drift=drift, force=force, rhs=rhs, workspace=self.pairs.workspace)

    @property
    def representations(self) -> Mapping[str, Representation]:
        return {"matrix": self._representation}

    def describe(self) -> dict[str, Any]:
        return {"bodies": [b.describe() for b in self.bodies], "gravity": self.gravity, "G": self.G}

    def parameters(self) -> Array:
        bodies = [np.concatenate([[b.mass], J.entries()]) for b, J in zip(self.bodies, self.inertias, strict=True)]
        head = np.concatenate([[self.n, len(self.pairs.blocks)], *bodies])
        table, blocks = self.pairs.table(head.size)
        return np.concatenate([head, table, blocks])

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
            raise InvalidInput("gamma", gamma, "either v or gamma, not both")
        if omega is not None and Pi is not None:
            raise InvalidInput("Pi", Pi, "either omega or Pi, not both")
        attitudes = np.broadcast_to(np.eye(3), (n, 3, 3)) if R is None else check_finite("R", R, (n, 3, 3))
        values = {
            "x": check_finite("x", x, (n, 3)),
            "R": np.stack([check_rotation(f"R[{i}]", A) for i, A in enumerate(attitudes)]),
            "gamma": check_finite("gamma", gamma, (n, 3))
            if gamma is not None
            else self.masses[:, None] * check_finite("v", np.zeros((n, 3)) if v is None else v, (n, 3)),
            "Pi": check_finite("Pi", Pi, (n, 3))
            if Pi is not None
            else self._times_inertia(check_finite("omega", np.zeros((n, 3)) if omega is None else omega, (n, 3))),
        }
        return State(self, values, float(check_finite("t", t, ())))

    def _times_inertia(self, omega: Array) -> Array:
        return np.einsum("nij,...nj->...ni", np.stack([J.matrix for J in self.inertias]), omega)

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "v":
            return values["gamma"] / self.masses[:, None]
        return np.einsum("nij,...nj->...ni", np.stack([J.inverse for J in self.inertias]), values["Pi"])

    def potential(self, values: Mapping[str, Array]) -> Array:
        """The mutual potential energy (leading axes allowed)."""
        layout = self._representation.layout
        lead = values["x"].shape[:-2]
        rows = np.concatenate([np.asarray(values[v.name]).reshape(*lead, -1) for v in layout.variables], axis=-1)
        rows = np.ascontiguousarray(rows.reshape(-1, layout.size))
        y = np.zeros(layout.size + self._representation.forces + self._representation.workspace)
        U = np.empty(len(rows))
        potentials(double, rows, self.parameters(), y, U)
        return U.reshape(lead)

    def energies(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The parts of the energy and their sum."""
        parts = {
            "translation": 0.5 * np.sum(values["gamma"] * self.derive("v", values), axis=(-2, -1)),
            "rotation": 0.5 * np.sum(values["Pi"] * self.derive("omega", values), axis=(-2, -1)),
            "potential": self.potential(values),
        }
        return parts | {"total": parts["translation"] + parts["rotation"] + parts["potential"]}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        spins = np.einsum("...nij,...nj->...ni", values["R"], values["Pi"])
        return {
            "energy": self.energies(values)["total"],
            "linear_momentum": values["gamma"].sum(axis=-2),
            "angular_momentum": np.sum(np.cross(values["x"], values["gamma"]) + spins, axis=-2),
        }

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
        Pi = self._representation.layout.unpack(y)["Pi"]
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
        from ..bodies import Ellipsoid

        shapes = ([0.3, 0.25, 0.2], [0.2, 0.18, 0.15], [0.15, 0.12, 0.1])
        problem = cls([Ellipsoid(m, s) for m, s in zip((1.0, 0.6, 0.4), shapes, strict=True)], gravity=2, G=1.0)
        # a close pair, nearly circular, and a third body four times as far away; the mass centre at rest
        return problem.state(
            x=[[0.5625, -1.2, 0.0], [-0.9375, -1.2, 0.0], [0.0, 4.8, 0.0]],
            v=[[-0.11547, 0.3873, -0.02], [-0.11547, -0.6455, -0.02], [0.46188, 0.0, 0.08]],
            omega=[[0.4, -0.3, 0.6], [-0.2, 0.5, 0.3], [0.3, 0.2, -0.5]],
        )
