"""What every system has: parameters, states, conserved quantities, and flows that methods are made of.

A system is a class in a file of its own; `polhode.list_systems()` lists all of them. Its state is stored in one or
more *representations*, for instance the attitude as a matrix or as a quaternion. A representation is a layout of
variables and the compiled flows on it:

    drift  the kinetic part of a variational step, with no force          (y, p, t, h) ↦ y at t + h
    force  what changes the momenta at fixed configuration, put into the slots that follow the variables in y
    exact_drift  the true motion with no force, which a splitting is made of
    rhs    the continuous motion with no force                             (y, p, t) ↦ dy/dt

A method asks for the representation and the flows that it needs, and knows nothing else about the system.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import PolhodeError
from .call_help import explain_methods, no_field
from .facade import above
from .hooks import Hooks
from .layout import Layout
from .representation import Canonical, Form, Representation

if TYPE_CHECKING:
    from ..systems.stability.equilibria import Equilibria

Array = NDArray[np.float64]
USUAL_UNITS = {"energy": "mass length²/time²", "momentum": "mass length²/time"}  # of conserved quantities by kind
ClosedForm = Callable[[Array], dict[str, Array]]


@dataclass(frozen=True)
class Field:
    """A quantity that users see: in states, trajectories and files."""

    shape: tuple[int, ...]
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Invariant:
    """A conserved quantity. `kind`: "energy" (or what plays its part), "momentum" (a momentum map), "casimir", or
    "integral" for any other. `unit` is its dimension; None where it is not one for all components."""

    kind: str
    meaning: str
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.unit is None:
            object.__setattr__(self, "unit", USUAL_UNITS.get(self.kind))


class State:
    """A point of a system's phase space at a time; its fields are attributes, as in `state.R`, `state.omega`.

    `values` are what the state was made from, or what the method that arrived at it carried; every other field is
    derived from them. They are never rewritten, so that a run started from `traj.final` goes on bit for bit.
    """

    def __init__(self, system: System, values: Mapping[str, ArrayLike], t: float = 0.0) -> None:
        self.system = system
        self.t = float(t)
        arrays = {name: np.array(v, dtype=np.float64) for name, v in values.items()}
        for array in arrays.values():
            array.flags.writeable = False
        self.values: Mapping[str, Array] = MappingProxyType(arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.system, dict(self.values), self.t)

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self.system.fields:
            owner = f"a state of {type(self.system).__name__}"
            raise AttributeError(no_field(owner, name, self.system.fields, self.system.conserved))
        return self.system.derive(name, self.values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.system.fields]

    def __repr__(self) -> str:
        fields = ", ".join(f"{n}={np.array2string(np.asarray(v), precision=6)}" for n, v in self.values.items())
        return f"State({type(self.system).__name__}, t={self.t:g}, {fields})".replace("\n", "")

    def _repr_html_(self) -> str:
        return above("state_html")(self)

    def invariants(self) -> dict[str, Array]:
        """The conserved quantities at this state; one that no double holds is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.system.invariants(self.values)


class System(Hooks):
    """Base of all systems: the contract. What else may be asked of one is in `Hooks`."""

    summary: ClassVar[str]
    reference: ClassVar[str]
    fields: Mapping[str, Field]
    conserved: Mapping[str, Invariant]
    hamiltonian: bool = True  # False where the flow conserves no symplectic form: dissipation, nonholonomic
    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        explain_methods(cls, ("__init__", "state"))

    def __new__(cls, *args: Any, **named: Any) -> Self:
        system = super().__new__(cls)
        system._arguments = tuple(map(_snapshot, args)), {name: _snapshot(value) for name, value in named.items()}
        return system

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew from the same arguments: compiled code stays in the process that has it."""
        return _rebuilt, (type(self), *self._arguments)

    @property
    @abstractmethod
    def representations(self) -> Mapping[str, Representation]:
        """The ways to store the state, by name."""

    @abstractmethod
    def parameters(self) -> Array:
        """The numbers that the flows read, as a flat array."""

    def free_parameters(self) -> Array:
        """The numbers that the exact drifts of its representations read."""
        raise PolhodeError(f"{type(self).__name__} has no exact drift")

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The constructor's arguments as plain data: what a scenario file or a result's provenance holds."""

    @abstractmethod
    def state(self, *args: Any, **values: Any) -> State:
        """A checked state; what is not given has its natural default."""

    @abstractmethod
    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        """The field `name`, computed from the values at hand (leading axes allowed)."""

    @abstractmethod
    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The conserved quantities named in `conserved` (leading axes allowed)."""

    @property
    def conserves_energy(self) -> bool:
        """Whether one of the conserved quantities is an energy."""
        return any(invariant.kind == "energy" for invariant in self.conserved.values())

    def energy(self, values: Mapping[str, Array]) -> Array:
        """The conserved energy alone (leading axes allowed)."""
        name = next(name for name, invariant in self.conserved.items() if invariant.kind == "energy")
        return self.invariants(values)[name]

    @classmethod
    @abstractmethod
    def example(cls) -> State:
        """A system in general position and a state of it with rates of order one: what tests start from."""

    def enter(self, representation: str, state: State) -> Array:
        """The flat array of `state` in a representation, without force slots."""
        layout = self.representations[representation].layout
        return layout.pack({v.name: self.derive(v.name, state.values) for v in layout.variables})

    def canonical(self) -> Canonical:
        """The motion in canonical variables; those of the default representation are, unless a system says otherwise."""
        return Canonical(self.representations[Form.DEFAULT], self.parameters())

    def magnitudes(self, state: State) -> dict[str, float]:
        """The size of the terms that a conserved quantity is summed from, for those that may well be near zero: what
        its deviation is compared with. Others are compared with their own first value."""
        return {}

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """The matrix of the symplectic form at `y`, in the coordinates of the layout's tangent basis."""
        raise PolhodeError(f"{type(self).__name__} gives no symplectic form for the representation {representation!r}")

    def relative_state(self, values: Mapping[str, Array], t: float) -> State:
        """The state with these values of the variables, of which those that are `ignorable` may be set anew."""
        return State(self, values, t)

    def ignorable_columns(self, layout: Layout, start: Array, states: Array, elapsed: Array) -> Mapping[str, Array]:
        """The columns of the tangent map from `start` (size,) to `states` (n, size), so much later, that belong to each of the
        variables that are `ignorable`: (n, dimension, count), as the symmetry of the system gives them."""
        raise NotImplementedError(f"{type(self).__name__} has no ignorable variables")

    def equilibria(self) -> Equilibria:
        """Equilibria, as labelled states, one of each class that the symmetry of the system takes to each other: a list, with
        that `symmetry` in words, and `all` the states that were found."""
        raise PolhodeError(f"no equilibria of {type(self).__name__} are known here")

    def largest_step(self, state: State) -> float:
        """The step beyond which the motion without force has no variational step of order 2 from `state` (infinite where
        there is no such bound). `polhode.largest_step` finds that of any method, with the forces."""
        return float("inf")

    def closed_form(self, state: State) -> ClosedForm:
        """The closed-form solution from `state` as a function of the times, where there is one: what depends on the state
        alone is done once, here."""
        raise PolhodeError(f"no closed form of the motion of {type(self).__name__} is known here")

    def exact(self, state: State, t: ArrayLike) -> dict[str, Array]:
        """The closed-form solution at times `t`, where there is one."""
        return self.closed_form(state)(np.asarray(t, dtype=np.float64))

    @property
    def has_exact(self) -> bool:
        """Whether there is a closed-form solution."""
        return type(self).closed_form is not System.closed_form

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self.describe().items())
        return f"{type(self).__name__}({arguments})"

    def _repr_html_(self) -> str:
        return above("system_html")(self)


def _snapshot(argument: Any) -> Any:
    """An argument as it is now, whatever its owner does with it later."""
    return copy(argument) if isinstance(argument, (np.ndarray, list, dict)) else argument


def _rebuilt(cls: type[System], args: tuple[Any, ...], named: dict[str, Any]) -> System:
    """The system that these arguments make."""
    return cls(*args, **named)


def energy_parts(total: Array, potential: Array) -> dict[str, Array]:
    """Kinetic and potential energy, and their sum: what figures show."""
    return {"kinetic": total - potential, "potential": potential, "total": total}
