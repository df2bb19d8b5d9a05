"""n rigid bodies whose attitudes are coupled by a potential, each with a rotor perhaps (6.15 and 6.18 of [LLM17]).

    L = Σ ½ ωᵢ·Jᵢωᵢ + aᵢ·ωᵢ − U(R₁, …, Rₙ),   Πᵢ = Jᵢωᵢ + aᵢ,   Π̇ᵢ = Πᵢ × ωᵢ + Mᵢ.

The coupling given by matrices is `U = −Σ tr(C_ijᵀ Rᵢᵀ Rⱼ)`. With Q = RᵢᵀRⱼ the pair contributes `vee(QCᵀ − CQᵀ)` to Mᵢ
and `vee(QᵀC − CᵀQ)` to Mⱼ; it is invariant under common rotations, so Σ RᵢΠᵢ is conserved, by the discrete map too.
Any other potential is given as in `inputs.attitude_potential`. The discrete equations of the bodies are solved one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import Inertia, InertiaLike
from ...core.checks import check_finite, check_rotation
from ...core.layout import Layout, Variable
from ...core.manifolds import Copies, Euclidean, Rotations
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State, System
from ...errors import InvalidInputError, PolhodeError
from ...geometry import so3
from ...geometry.increments.rigid import largest_step
from ...scalars import Flow
from ..inputs.attitude_potential import Potential, potential_of
from ..inputs.damping import check_damping
from ..inputs.external_moment import ExternalMoment
from ..inputs.named_parameters import NamedParameters
from ..inputs.user_flow import potential_force
from ..stability.equilibria import Equilibria, Equilibrium, check_rate
from ..stability.equilibrium_search import SAME, attitude_distance, balanced_attitudes, moments_at_rest
from .flows import (
    BODY_SIZE,
    COMPONENTS,
    COUPLING,
    COUPLINGS,
    HEADER,
    drift_bodies,
    drift_rotors,
    exact_drift_bodies,
    pair_moments,
    rhs_bodies,
)
from .moments import with_moments
from .relative_equilibria import (
    distance_up_to_common_rotation,
    distance_up_to_vertical_rotation,
    half_turns,
    resting_classes,
    turning,
    whole_turns,
)
from .symmetry import is_unchanged_by_rotations

Array = NDArray[np.float64]


@lru_cache(32)
def _representations(layout: Layout, force: Flow, n: int, rotors: bool, forced: bool) -> Mapping[str, Representation]:
    """Of so many bodies with this force, with rotors or damping, and with moments that act or not."""
    workspace = COMPONENTS * n
    if rotors:
        return {Form.DEFAULT: Representation(layout, drift_rotors, force, rhs_bodies, workspace)}
    exact = None if forced else exact_drift_bodies
    return {Form.DEFAULT: Representation(layout, drift_bodies, force, rhs_bodies, workspace, exact)}


class CoupledBodies(System):
    """n rigid bodies with coupled attitudes; fields have the body as their first axis.

    `inertias`: one per body. `couplings`: rows [i, j, C] with bodies i, j counted from 0 and C a number or a 3×3 matrix, for
    `U = −Σ tr(Cᵀ Rᵢᵀ Rⱼ)`; or `potential`: any U(R1, …, Rn). `gyros`: the vector a of each body. `dampings`: of each body D of a
    moment −Dω, a number, three numbers or a matrix. `moments`: of each body nothing (None), three numbers or formulas, or a
    kernel of the time or of (t, R, omega) of that body, in the "body" or "inertial" ("space") `frame`. `parameters`: values
    of the names in the potential and in the moments.

    >>> from polhode import linearize
    >>> pair = CoupledBodies([[1, 2, 2.5], [2, 1.5, 1]], couplings=[[0, 1, 0.7]])
    >>> linearize(pair.equilibria()[0]).verdict
    'stable'
    """

    summary = "n rigid bodies with coupled attitudes"
    reference = "[LLM17] problem 6.18"

    def __init__(
        self,
        inertias: Sequence[InertiaLike],
        couplings: Iterable[Any] = (),
        gyros: ArrayLike | None = None,
        *,
        potential: Any = None,
        dampings: Sequence[ArrayLike] | None = None,
        moments: Sequence[Any] | None = None,
        frame: str = "body",
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        given = _listed("inertias", inertias, "a list with the inertia of at least one body", least=1)
        self.inertias = [
            Inertia.of(J, allow_unphysical=allow_unphysical, field=f"inertias[{i}]") for i, J in enumerate(given)
        ]
        rows = _listed("couplings", couplings, "a list of rows [i, j, C]")
        self._allow_unphysical = allow_unphysical
        n = self.n = len(self.inertias)
        self.gyros = np.zeros((n, 3)) if gyros is None else check_finite("gyros", gyros, (n, 3))
        self.couplings = [check_coupling(f"couplings[{k}]", row, n) for k, row in enumerate(rows)]
        listed = COUPLINGS.size + len(self.couplings) * COUPLING.size
        self.named = NamedParameters(parameters, HEADER.size + n * BODY_SIZE + listed)
        self.potential: Potential | None = None
        if potential is not None:
            self.potential = potential_of(potential, n, parameters=self.named)
        if self.potential is not None and self.couplings:
            raise InvalidInputError("potential", potential, "either couplings or a potential, not both")
        self.fields = {
            "R": Field((n, 3, 3), "rotation matrices, body to inertial"),
            "omega": Field((n, 3), "angular velocities in the body frames", "rad/time"),
            "Pi": Field((n, 3), "angular momenta in the body frames, J omega + a", "mass length²/time"),
        }
        self.layout = Layout(
            Variable("R", Copies(Rotations(), n)), Variable("Pi", Copies(Euclidean(3), n), kicked=True)
        )
        self.conserved = {"energy": Invariant("energy", "Σ ½ ω·Jω + U")}
        self._relative = self.potential is None or is_unchanged_by_rotations(self.potential)
        if self._relative:
            momentum = Invariant("momentum", "angular momentum of all bodies, Σ R Π")
            self.conserved = {**self.conserved, "spatial_momentum": momentum}
        self.dampings = [check_damping(f"dampings[{i}]", D) for i, D in enumerate(self._each("dampings", dampings))]
        self.damped = any(D.any() for D in self.dampings)
        self.moments = [
            ExternalMoment.of(moment, frame, f"moments[{i}]", self.named)
            for i, moment in enumerate(self._each("moments", moments))
        ]
        self.named.check_used()
        forced = any(moment.acts for moment in self.moments)
        self.hamiltonian = not (self.damped or forced)
        if not self.hamiltonian:
            self.conserved = {}
        self._force: Any = pair_moments
        if self.potential is not None:
            self._force = potential_force(self.potential.write)
        if forced:
            self._force = with_moments(self._force, self.moments, self.named.at + self.named.numbers().size)

    def _each(self, field: str, given: Any) -> list[Any]:
        """One of these per body; none stands for nothing on each."""
        if given is None:
            return [None] * self.n
        return _listed(field, given, f"a list with one entry for each of the {self.n} bodies", self.n, self.n)

    @property
    def representations(self) -> Mapping[str, Representation]:
        forced = any(moment.acts for moment in self.moments)
        return _representations(self.layout, self._force, self.n, bool(self.gyros.any()) or self.damped, forced)

    def free_parameters(self) -> Array:
        return np.concatenate([[self.n], *(J.principal_entries() for J in self.inertias)])

    @property
    def corners(self) -> tuple[float, ...]:
        return tuple(time for moment in self.moments for time in moment.corners)

    def parameters(self) -> Array:
        each = zip(self.inertias, self.gyros, self.dampings, strict=True)
        bodies = [np.concatenate([J.entries(), a, D.reshape(-1)]) for J, a, D in each]
        couplings = [COUPLING.pack(i=i, j=j, C=C) for i, j, C in self.couplings]
        head, count = HEADER.pack(bodies=self.n), COUPLINGS.pack(couplings=len(couplings))
        pulses = [moment.pulse for moment in self.moments] if any(moment.acts for moment in self.moments) else []
        return np.concatenate([head, *bodies, count, *couplings, self.named.numbers(), *pulses])

    def describe(self) -> dict[str, Any]:
        given: dict[str, Any] = {"inertias": [J.describe(short=False) for J in self.inertias]}
        if self.couplings:
            given["couplings"] = [[i, j, C.tolist()] for i, j, C in self.couplings]
        if self.potential is not None:
            given["potential"] = self.potential.describe()
        if self.gyros.any():
            given["gyros"] = self.gyros.tolist()
        if self.damped:
            given["dampings"] = [D.tolist() for D in self.dampings]
        if any(moment.acts for moment in self.moments):
            given["moments"] = [moment.describe().get("moment") for moment in self.moments]
            given |= {"frame": self.moments[0].frame} if self.moments[0].frame != "body" else {}
        return given | self.named.describe() | ({"allow_unphysical": True} if self._allow_unphysical else {})

    def state(
        self,
        *,
        R: ArrayLike | None = None,
        omega: ArrayLike | None = None,
        Pi: ArrayLike | None = None,
        t: float = 0.0,
    ) -> State:
        """A state from the attitudes `R` (n, 3, 3) (default: identity) and the rates `omega` or momenta `Pi` (n, 3)."""
        n = self.n
        if omega is not None and Pi is not None:
            raise InvalidInputError("Pi", Pi, "either omega or Pi, not both")
        attitudes = np.tile(np.eye(3), (n, 1, 1)) if R is None else check_finite("R", R, (n, 3, 3))
        attitudes = np.array([check_rotation(f"R[{i}]", A) for i, A in enumerate(attitudes)])
        if Pi is not None:
            momenta = check_finite("Pi", Pi, (n, 3))
        else:
            rates = check_finite("omega", np.zeros((n, 3)) if omega is None else omega, (n, 3))
            momenta = np.einsum("ijk,ik->ij", self._J(), rates) + self.gyros
        return State(self, {"R": attitudes, "Pi": momenta}, float(check_finite("t", t, ())))

    def _J(self, inverse: bool = False) -> Array:
        return np.array([J.inverse if inverse else J.matrix for J in self.inertias])

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        if name == "omega":
            return np.einsum("ijk,...ik->...ij", self._J(inverse=True), values["Pi"] - self.gyros)
        raise PolhodeError(f"no field {name!r}")

    def potential_energy(self, R: Array) -> Array:
        """U at attitudes (..., n, 3, 3)."""
        if self.potential is not None:
            return self.potential.energy(*(R[..., i, :, :] for i in range(self.n)))
        U = np.zeros(R.shape[:-3])
        for i, j, C in self.couplings:
            U = U - np.einsum("ab,...ca,...cb->...", C, R[..., i, :, :], R[..., j, :, :])
        return U

    @property
    def body_labels(self) -> list[str]:
        named = [None if J.body is None else J.body.name for J in self.inertias]
        return [name or f"body{i}" for i, name in enumerate(named)]

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """The kinetic energy of each body, the potential energy, and their sum."""
        omega = self.derive("omega", values)
        kinetic = 0.5 * np.einsum("...ij,ijk,...ik->...i", omega, self._J(), omega)
        parts = {f"kinetic, {name}": kinetic[..., i] for i, name in enumerate(self.body_labels)}
        potential = self.potential_energy(values["R"])
        return parts | {"potential": potential, "total": kinetic.sum(axis=-1) + potential}

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        found = {
            "energy": self.energies(values)["total"],
            "spatial_momentum": np.einsum("...nij,...nj->...i", values["R"], values["Pi"]),
        }
        return {name: found[name] for name in self.conserved if name in found}

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The sum of the canonical forms of the bodies, left-trivialised."""
        n = self.n
        form = np.zeros((6 * n, 6 * n))
        for i, Pi in enumerate(self.layout.unpack(y)["Pi"]):
            here, there = slice(3 * i, 3 * i + 3), slice(3 * (n + i), 3 * (n + i) + 3)
            form[here, here], form[here, there], form[there, here] = -so3.hat(Pi), np.eye(3), -np.eye(3)
        return form

    def largest_step(self, state: State) -> float:
        kinetic = state.Pi - self.gyros
        return min(float(largest_step(J.matrix, P)) for J, P in zip(self.inertias, kinetic, strict=True))

    @classmethod
    def example(cls) -> State:
        matrix = [[0.5, 0.1, 0.0], [-0.2, 0.4, 0.1], [0.0, 0.3, 0.6]]
        system = cls(
            [[1.0, 2.0, 2.5], [[1.5, 0.1, 0.0], [0.1, 1.2, 0.1], [0.0, 0.1, 0.9]], [2.0, 1.5, 1.0]],
            couplings=[[0, 1, 0.7], [1, 2, matrix]],
            gyros=[[0.2, 0.0, 0.3], [0.0, 0.0, 0.0], [-0.1, 0.4, 0.0]],
        )
        R = so3.exp([[0.3, -0.2, 0.5], [-0.4, 0.1, 0.2], [0.2, 0.6, -0.3]])
        return system.state(R=R, omega=[[0.5, -0.4, 0.6], [0.3, 0.7, -0.2], [-0.4, 0.2, 0.5]])

    def equilibria(self) -> Equilibria:
        """Attitudes at which the bodies rest; where only the relative ones matter, one of those that differ by a common
        rotation. Couplings by matrices that make a tree: all, in closed form. Otherwise those that Newton's method finds."""
        relative = self._relative
        starts, complete = self._starts()
        found = balanced_attitudes(
            moments_at_rest(self),
            starts,
            [] if relative else whole_turns(starts),
            lambda R: float(self.potential_energy(R)),
            distance_up_to_common_rotation if relative else attitude_distance,
            symmetry=3 if relative else 0,
            complete=complete,
        )
        states = [Equilibrium(self._label(R), self.state(R=R)) for R in found]
        return Equilibria(states, "common turns of all bodies" if relative else "")

    def _starts(self) -> tuple[list[Array], bool]:
        """Attitudes at which the bodies may rest, and whether these are all but for a common rotation."""
        if self.potential is not None:
            return half_turns(self.n), False
        return resting_classes(self.n, self.couplings)

    def _label(self, R: Array) -> str:
        aligned = distance_up_to_common_rotation(R, np.tile(np.eye(3), (self.n, 1, 1))) <= SAME
        return "aligned" if aligned else f"U = {float(self.potential_energy(R)):.6g}"

    def steady_rotations(self, Omega: float) -> list[Equilibrium]:
        """Rotations of all bodies as one about e₃ with rate `Omega`, those that Newton's method finds from bodies as they
        may rest and from random attitudes; one of each circle."""
        rate = check_rate(Omega)
        if not self._relative or not self.hamiltonian:
            allowed = "couplings, or a formula that is unchanged by common rotations"
            raise InvalidInputError("potential", self.potential and self.potential.describe(), allowed)
        J = self._J()

        def augmented(R: Array) -> float:
            Gamma = R[:, 2]
            spin = 0.5 * rate**2 * np.einsum("ni,nij,nj->", Gamma, J, Gamma) + rate * np.sum(self.gyros * Gamma)
            return float(self.potential_energy(R)) - float(spin)

        found = balanced_attitudes(
            turning(moments_at_rest(self), J, self.gyros, rate),
            whole_turns(self._starts()[0]),
            [],
            augmented,
            distance_up_to_vertical_rotation,
            symmetry=1,
        )
        return [
            Equilibrium(
                f"rotation as one, U = {float(self.potential_energy(R)):.6g}", self.state(R=R, omega=rate * R[:, 2])
            )
            for R in found
        ]


def _listed(field: str, given: Any, allowed: str, least: int = 0, most: float = np.inf) -> list[Any]:
    """The entries of a list of `least` to `most`."""
    try:
        entries = None if isinstance(given, (str, Mapping)) else list(given)
    except TypeError:  # of what is no list
        entries = None
    if entries is None or not least <= len(entries) <= most:
        raise InvalidInputError(field, given, allowed)
    return entries


def check_coupling(field: str, row: Any, n: int) -> tuple[int, int, Array]:
    """One coupling [i, j, C]; bodies are counted from 0."""
    allowed = f"[i, j, C] with two different bodies from 0 to {n - 1}, and C a number or a 3×3 matrix"
    try:
        i, j, C = row
    except (TypeError, ValueError):
        raise InvalidInputError(field, row, allowed) from None
    if not all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) and 0 <= k < n for k in (i, j)) or i == j:
        raise InvalidInputError(field, row, allowed)
    alone = np.ndim(np.array(C, dtype=object)) == 0
    matrix = float(check_finite(field, C, ())) * np.eye(3) if alone else check_finite(field, C, (3, 3))
    return int(i), int(j), matrix
