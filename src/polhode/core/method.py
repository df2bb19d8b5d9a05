"""What every method has: its traits, a check that it fits a system, and a run.

Traits are data on the class. The tables in the documentation are made from them, and so are the tests: a method that
claims a trait is tested for it on every system that it accepts.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import IncompatibleMethodError
from ..scalars import double
from ..scalars.protocol import EVALUATIONS, ITERATIONS, MOST_ITERATIONS, REPORT_SIZE, RETRIES, SOLVES, WORST_RESIDUAL
from .call_help import explain_methods
from .facade import above
from .layout import Layout
from .registry import described_subclasses
from .representation import Form, Representation
from .scalar_packing import Directions, spread, spread_parameters
from .system import State, System
from .varied_parameters import VariedParameters

if TYPE_CHECKING:
    from numba import types

Array = NDArray[np.float64]


class Report:
    """What a run counts: the slots of `polhode.scalars.protocol`, by name."""

    def __init__(self) -> None:
        self.numbers = np.zeros(REPORT_SIZE)

    @property
    def iterations(self) -> int:
        """Iterations of implicit solves in all."""
        return int(self.numbers[ITERATIONS])

    @property
    def mean_iterations(self) -> float:
        """Iterations per solve, on average."""
        return self.iterations / max(float(self.numbers[SOLVES]), 1.0)

    @property
    def most_iterations(self) -> int:
        """The most iterations in one solve."""
        return int(self.numbers[MOST_ITERATIONS])

    @property
    def worst_residual(self) -> float:
        """The largest relative residual that a solve was left with."""
        return math.sqrt(self.numbers[WORST_RESIDUAL])

    @property
    def retries(self) -> int:
        """How often a step was done again in shorter pieces."""
        return int(self.numbers[RETRIES])

    @property
    def evaluations(self) -> int:
        """Calls of flows: drifts, or right-hand sides."""
        return int(self.numbers[EVALUATIONS])


@dataclass(frozen=True)
class Start:
    """What a run starts from: a state in the representation and the scalar of the run.

    `y` is the flat array of the state and `p` that of the system's parameters, as the flows on this scalar read them.
    """

    state: State
    step: float
    kind: types.Type
    representation: Representation
    y: Array
    p: Array
    directions: Directions = field(default_factory=lambda: slice(None))

    @classmethod
    def of(
        cls,
        state: State,
        step: float,
        form: str = Form.DEFAULT,
        kind: types.Type = double,
        directions: Directions = slice(None),
    ) -> Start:
        """The start from `state`, in the representation of this name; duals carry the derivatives by `directions`."""
        system = state.system
        representation = system.representations[form]
        y = spread(representation.layout, system.enter(form, state), kind, directions)
        p = _numbers(system, lambda each: each.parameters(), kind, directions)
        return cls(state, step, kind, representation, y, p, directions)

    def numbers(self, read: Callable[[System], Array]) -> Array:
        """Other numbers of the system that flows read as parameters, as they do on the scalar of the run."""
        return _numbers(self.state.system, read, self.kind, self.directions)


def _numbers(system: System, read: Callable[[System], Array], kind: types.Type, directions: Directions) -> Array:
    """What `read` reads of a system, for this scalar."""
    varied = directions.derivatives(read) if isinstance(directions, VariedParameters) else None
    return spread_parameters(read(system), kind, varied)


class Run(ABC):
    """A method at work on one system from one state.

    `y` is a flat array whose first `carried` numbers are everything it carries from one step to the next.
    """

    layout: Layout
    y: Array
    carried: int
    report: Report
    kind: types.Type = double
    """The scalar that it runs on."""
    dense: ClassVar[bool] = False
    """Whether the method has a dense output of its own, `follow`."""

    @property
    def sample(self) -> Array:
        """What the run carries now."""
        return self.y[: self.carried]

    @property
    def differentiated(self) -> int:
        """How many of the numbers that it carries, from the first on, have partial derivatives where it runs on duals."""
        return self.carried

    @property
    def row(self) -> Array:
        """What is saved of it: a row of samples, from which `states` makes a state."""
        return self.sample

    @property
    def row_size(self) -> int:
        """How many numbers a row of samples has."""
        return self.carried

    @abstractmethod
    def advance(self, first: int, count: int, every: int, samples: Array) -> tuple[int, int]:
        """Do the steps number `first` … `first + count − 1`, writing `row` into the rows of `samples` after each step
        whose number is a multiple of `every`. Returns a status, 0 for success, and the number of steps done."""

    def begin(self, first: int) -> None:
        """Compile what `advance` needs, or find it in the cache, so that this is not counted as the run's time; with the
        state after step number `first` as the method itself has it."""
        self.advance(first, 0, 1, np.empty((0, self.row_size)))

    def follow(self, times: Array, samples: Array) -> tuple[int, int]:
        """Optional, with `dense = True`: go from the present sample through `times`, in the direction of the step, none of
        them before it, by the method's own dense output. Writes `sample` at each time into the rows of `samples`, as far as
        there are rows, and leaves the run at the last. Returns a status, 0 for success, and the number of times reached.

        A sample must not depend on which others are asked for.
        """
        raise NotImplementedError(f"{type(self).__name__} has no dense output of its own")

    def walk(self, steps: int) -> tuple[int, float]:
        """Optional, for an adaptive method: do so many steps of its own length; the sample is where they end. Returns a
        status, 0 for success, and the time there."""
        raise NotImplementedError(f"{type(self).__name__} has no steps of its own")

    def set_out(self, start: Start) -> bool:
        """Optional: begin anew from there, with the bits of a new run, but without what depends on the system alone being made
        again. False where this run cannot: then nothing is changed."""
        return False

    def restarted(self, state: State, step: float) -> Run | None:
        """Optional: the run set to begin anew, with another step, from its first state or one beside it, so that what depends
        on the system alone is not set up again. None where a new run has to be made."""
        return None

    def solve_roughly(self, change: float) -> None:  # noqa: B027
        """Optional, for an implicit method: until it is restarted, leave a step as soon as a further iteration would change it
        by no more than this, relative to its size."""

    def states(self, samples: Array) -> Array:
        """The states (n, size of the layout times width) that rows of samples stand for."""
        return samples

    def restore(self, sample: Array) -> None:
        """Go back to an earlier sample."""
        self.y[: self.carried] = sample

    def restore_row(self, row: Array) -> None:
        """Go back to an earlier row of samples: the same state, if not all that the run carried there."""
        self.restore(row)


class Method(ABC):
    """Base of all methods."""

    summary: ClassVar[str]
    reference: ClassVar[str]
    order: int = 0
    symplectic: bool = False
    symmetric: bool = False
    preserves_momentum: bool = False
    preserves_energy: bool = False
    preserves_group: bool = False
    implicit: bool = False
    adaptive: bool = False
    turns_exactly: bool = False  # whether the free rotation is exact, however far a body turns in a step
    iteration: str = "Newton iterations"  # what its implicit solves count
    carries_state: bool = True  # whether what a run carries begins with the state of its last sample
    in_lanes: bool = True  # whether a run on lanes computes as many members at once; else members run one by one
    representation: str = Form.DEFAULT

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        explain_methods(cls, ("__init__",))

    @abstractmethod
    def why_not(self, system: System) -> str | None:
        """Why this method cannot integrate `system`, in words; None if it can."""

    @abstractmethod
    def run(self, start: Start) -> Run:
        """A run from there."""

    def start(self, state: State, step: float, kind: types.Type = double, directions: Directions = slice(None)) -> Run:
        """A run from `state` with this step, on this scalar; duals carry the derivatives by `directions`."""
        return self.run(Start.of(state, step, self.representation, kind, directions))

    def check(self, system: System) -> None:
        """Raise `IncompatibleMethodError` if the two do not fit."""
        reason = self.why_not(system)
        if reason is not None:
            kinds = {name: kind for name, kind in known_methods().items() if kind().why_not(system) is None}
            able = [f"{kind()!r} without options" if kind is type(self) else name for name, kind in kinds.items()]
            raise IncompatibleMethodError(
                f"{self!r} cannot integrate {type(system).__name__}: {reason}; {', '.join(able) or 'no method'} can"
            )

    def options(self) -> dict[str, Any]:
        """The constructor's arguments, as plain data."""
        return {}

    def further_references(self, system: System) -> dict[str, str]:
        """What to cite beside `reference` for a run of `system`: the sources of coefficients, by what these are for."""
        return {}

    @classmethod
    def variants(cls) -> list[Method]:
        """Every setting of this method whose traits differ: what tables list and tests run."""
        return [cls()]

    def traits(self) -> dict[str, bool]:
        """What the method promises, by name: what tables list and tests measure."""
        return {
            "symplectic": self.symplectic,
            "symmetric": self.symmetric,
            "momentum": self.preserves_momentum,
            "energy": self.preserves_energy,
            "group": self.preserves_group,
            "implicit": self.implicit,
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.options().items())})"

    def _repr_html_(self) -> str:
        return above("method_html")(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.options() == other.options()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(repr(self))


class MethodOfOrders(Method):
    """A method that comes in several orders, of which a subclass takes one in its constructor."""

    orders: ClassVar[tuple[int, ...]]

    def options(self) -> dict[str, Any]:
        return {"order": self.order}

    @classmethod
    def variants(cls) -> list[Method]:
        make: Any = cls
        return [make(order=order) for order in cls.orders]


def sampled_steps(first: int, count: int, every: int) -> NDArray[np.int64]:
    """Of the `count` steps after step `first`, those with a sample: every `every`-th step, and the last.

    >>> sampled_steps(3, 9, 5)
    array([ 5, 10, 12])
    """
    last = first + count
    numbers = np.arange((first // every + 1) * every, last + 1, every)
    return np.append(numbers, last) if count and last % every else numbers


def known_methods() -> dict[str, type[Method]]:
    """Every method class, by name."""
    return described_subclasses(Method)
