"""The rotating body given by three directors: the standard one, and the one that does not spin about its third.

Letters as in `director_steps`: the directors d₁, d₂, d₃ are the columns of R; `omega`, `Pi` in the body frame;
`π = R Π` in space, split into `π⊥ + π∥ d₃`; E Euler's inertia. [GR20]: C. G. Gebhardt, I. Romero, "The rotating rigid
body model based on a non-twisting frame", J. Nonlinear Sci. 30 (2020) 3199; the theory page says where its print is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...bodies.inertia import InertiaLike
from ...core.checks import check_finite
from ...core.representation import Form, Representation
from ...core.system import ClosedForm, Field, Invariant, State
from ...errors import InvalidInputError, PolhodeError
from ...geometry import unchecked
from ..attitude.base import AttitudeSystem
from ..attitude.free_exact import free_closed_form
from ..attitude.state_arguments import GivenState
from ..inputs.external_moment import MOMENT, ExternalMoment
from ..inputs.named_parameters import NamedParameters
from .steps import director_representations

Array = NDArray[np.float64]

PARALLEL = 1e-12  # a component along d₃ smaller than this, relative to the whole, is rounding


class DirectorBody(AttitudeSystem):
    """A rigid body about a fixed point, as three orthonormal directors under six constraints.

    `inertia`: three principal moments or a symmetric 3×3 matrix, in the basis of the directors.
    `moment`: nothing; a table `{profile, coefficients, start, duration}`, that is a vector times a profile of time
    ("constant", or "triangle" that rises from `start`, peaks half-way and has fallen after `duration`); three formulas in
    t, R11 … R33 and omega1 … omega3; or a function `moment(t, R, omega) -> (m1, m2, m3)` of the time, the nine entries of
    R row by row, and the body rate. `parameters`: values of the names in the formulas, and of further arguments of the
    function.
    `frame`: whether the components of the moment are along the directors ("body") or fixed ("inertial", or "space").

    >>> body = DirectorBody([1, 2, 2.5], moment={"profile": "triangle", "coefficients": [0, 0, 1]}, frame="space")
    >>> body.state(omega=[0.5, 0, 0]).directors[0]
    array([1., 0., 0.])
    """

    summary = "rotating body by three directors"
    reference = "[GR20] sec. 3"
    fields = {
        **AttitudeSystem.fields,
        "directors": Field((3, 3), "d1, d2, d3 in space, as rows"),
        "pi_perp": Field((3,), "angular momentum in space, across d3", "mass length²/time"),
        "pi_par": Field((), "angular momentum along d3", "mass length²/time"),
        "stretch": Field(
            (6,), "symmetric part of RᵀdR/dt (xx, yy, zz, yz, xz, xy), not zero in EnergyMomentum only", "rad/time"
        ),
        "kinetic_energy": Field((), "kinetic energy of the directors", "mass length²/time²"),
    }
    conserved: Mapping[str, Invariant] = {
        "energy": Invariant("energy", "kinetic energy"),
        "spatial_momentum": Invariant("momentum", "angular momentum in the inertial frame, R Π"),
    }
    no_variational_step = "its state is kept as directors, for which EnergyMomentum and LagrangeDAlembert are made"
    twistless: ClassVar[bool] = False
    _representations: Mapping[str, Representation] = director_representations(twistless=False)

    def __init__(
        self,
        inertia: InertiaLike,
        *,
        moment: Any = None,
        frame: str = "body",
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, allow_unphysical=allow_unphysical)
        self.named = NamedParameters(parameters, MOMENT.end)
        self.moment = ExternalMoment.of(moment, frame, parameters=self.named)
        self.named.check_used()
        self.conserved = {} if self.moment.acts else type(self).conserved
        self.hamiltonian = type(self).hamiltonian and not self.moment.acts
        if self.moment.function is not None:
            self._representations = director_representations(self.twistless, self.moment.function, self.moment.user)

    @property
    def representations(self) -> Mapping[str, Representation]:
        return self._representations

    def describe(self) -> dict[str, Any]:
        return super().describe() | self.moment.describe() | self.named.describe()

    @property
    def corners(self) -> tuple[float, ...]:
        return self.moment.corners

    def parameters(self) -> Array:
        return np.concatenate([super().parameters(), MOMENT.pack(pulse=self.moment.pulse), self.named.numbers()])

    def state(self, *, directors: ArrayLike | None = None, **given: Unpack[GivenState]) -> State:  # type: ignore[override]
        """A state from an attitude (`directors` as rows, or `R`, `q`, `q_wxyz` or `euler`; default: identity) and a rate
        (`omega` or the body momentum `Pi`; default: at rest)."""
        if directors is not None:
            if any(given.get(name) is not None for name in ("R", "q", "q_wxyz", "euler")):
                raise InvalidInputError("directors", directors, "one of directors, R, q, q_wxyz and euler, not more")
            given["R"] = check_finite("directors", directors, (3, 3)).T
        state = super().state(**given)
        field = "omega" if given.get("Pi") is None else "Pi"
        self._check_spin(state, field, given.get(field))
        return state

    def _check_spin(self, state: State, field: str, given: Any) -> None:
        """Raise an error where the body cannot spin like this; one without constraint can always."""

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values or name in ("R", "q"):
            return super().derive(name, values)
        R = self.derive("R", values)
        if name == "stretch":
            return np.zeros((*R.shape[:-2], 6))
        if name == "directors":
            return np.swapaxes(R, -1, -2)
        if name == "Pi":
            return np.einsum("...ji,...j->...i", R, values["pi_perp"]) + values["pi_par"][..., None] * [0.0, 0.0, 1.0]
        Pi = self.derive("Pi", values)
        if name == "pi_par":
            return Pi[..., 2]
        if name == "pi_perp":
            return np.einsum("...ij,...j->...i", R[..., :2], Pi[..., :2])
        E, Sigma = self.inertia.nonstandard, self._stretch(values)
        omega = (Pi - unchecked.vee2(Sigma @ E)) @ self.inertia.inverse
        if name == "omega":
            return omega
        if name == "kinetic_energy":
            V = unchecked.hat(omega) + Sigma
            return 0.5 * np.einsum("...ij,jk,...ik->...", V, E, V)
        raise PolhodeError(f"no field {name!r}")

    def _stretch(self, values: Mapping[str, Array]) -> Array:
        """Σ as matrices."""
        return self.derive("stretch", values)[..., [[0, 5, 4], [5, 1, 3], [4, 3, 2]]]

    def velocities(self, values: Mapping[str, Array]) -> Array:
        """The velocities of the directors, `Ṙ = R (S(ω) + Σ)`, as columns."""
        return self.derive("R", values) @ (unchecked.hat(self.derive("omega", values)) + self._stretch(values))

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        R, Pi = self.derive("R", values), self.derive("Pi", values)
        found = {
            "energy": self.derive("kinetic_energy", values),
            "spatial_momentum": np.einsum("...ij,...j->...i", R, Pi),
            "Pi1": Pi[..., 0],
            "Pi2": Pi[..., 1],
        }
        return {name: found[name] for name in self.conserved}

    def symplectic_form(self, representation: str, y: Array) -> Array:
        if representation in (Form.SPLIT, Form.DIRECTOR_VELOCITIES):
            raise PolhodeError(
                f"the representation {representation!r} has more variables than phase space has dimensions"
            )
        return super().symplectic_form(representation, y)

    @property
    def has_exact(self) -> bool:
        return not self.moment.acts

    def closed_form(self, state: State) -> ClosedForm:
        """The motion in Jacobi's elliptic functions."""
        return free_closed_form(self.inertia.matrix, state)

    @classmethod
    def example(cls) -> State:
        body = cls(inertia=[[1.0, 0.1, -0.05], [0.1, 2.0, 0.2], [-0.05, 0.2, 2.5]])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.6])


class NonTwistingBody(DirectorBody):
    """A body whose directors move without twist: a nonholonomic constraint keeps it from spinning about d₃.

    d₃ must be a principal axis, so that the momentum has no component along it either. Where no moment acts, the
    components of the momentum along d₁ and d₂ are constant, d₃ runs along a great circle, and the momentum in space
    turns with the body: this is another mechanical system than the free body, not another description of it.
    Arguments as for `DirectorBody`; of a moment only the part across d₃ does anything. Of the `omega` or `Pi` of a state the
    third component must be zero.

    >>> body = NonTwistingBody([[3, -1 / 7, 0], [-1 / 7, 4, 0], [0, 0, 5]])
    >>> {name: round(float(x), 6) for name, x in body.state(omega=[6, -18, 0]).invariants().items()}
    {'energy': 717.428571, 'Pi1': 20.571429, 'Pi2': -72.857143}
    """

    summary = "rotating body that does not spin about d3 (nonholonomic)"
    reference = "[GR20] sec. 4"
    hamiltonian = False
    no_variational_step = "its constraint is nonholonomic, for which LagrangeDAlembert and EnergyMomentum are made"
    conserved = {
        "energy": Invariant("energy", "kinetic energy"),
        "Pi1": Invariant("momentum", "component of the angular momentum along d1"),
        "Pi2": Invariant("momentum", "component of the angular momentum along d2"),
    }
    twistless = True
    _representations = director_representations(twistless=True)

    def __init__(
        self,
        inertia: InertiaLike,
        *,
        moment: Any = None,
        frame: str = "body",
        parameters: Mapping[str, Any] | None = None,
        allow_unphysical: bool = False,
    ) -> None:
        super().__init__(inertia, moment=moment, frame=frame, parameters=parameters, allow_unphysical=allow_unphysical)
        J = self.inertia.matrix
        if np.abs(J[2, :2]).max() > PARALLEL * np.abs(J).max():
            raise InvalidInputError("inertia", inertia, "a matrix with the third axis principal (J13 = J23 = 0)")

    def _check_spin(self, state: State, field: str, given: Any) -> None:
        if abs(state.Pi[2]) > PARALLEL * np.linalg.norm(state.Pi):
            raise InvalidInputError(
                field, given, "a vector without a third component: this body does not spin about d3"
            )

    def enter(self, representation: str, state: State) -> Array:
        """The energy–momentum scheme meets the constraint half-way through a step, and its states to order 2; every
        other representation starts without the rest."""
        y = super().enter(representation, state)
        names = self.representations[representation].layout.slices
        if "stretch" not in names and "Pi" in names:
            y[names["Pi"].stop - 1] = 0.0
        elif "pi_par" in names:
            y[names["pi_par"]] = 0.0
        return y

    def symplectic_form(self, representation: str, y: Array) -> Array:
        raise PolhodeError("a nonholonomic system conserves no symplectic form")

    def largest_step(self, state: State) -> float:
        """1/|ω|, where the Lagrange–d'Alembert equations have a fold; the energy–momentum scheme has none."""
        rate = float(np.linalg.norm(state.omega[:2]))
        return 1.0 / rate if rate > 0.0 else float("inf")

    def closed_form(self, state: State) -> ClosedForm:
        """`R(t) = R(0) exp(t S(ω))`, with ω = (ω₁, ω₂, 0) constant."""
        R, Pi = state.R, state.Pi * [1.0, 1.0, 0.0]
        omega = Pi @ self.inertia.inverse

        def motion(t: Array) -> dict[str, Array]:
            angles = np.multiply.outer(t - state.t, omega)
            return {"R": R @ unchecked.rotation_exp(angles), "Pi": np.broadcast_to(Pi, angles.shape).copy()}

        return motion

    @classmethod
    def example(cls) -> State:
        body = cls(inertia=[[1.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 2.5]])
        return body.state(q=[0.1, -0.2, 0.3, 0.9], omega=[0.9, -0.7, 0.0])
