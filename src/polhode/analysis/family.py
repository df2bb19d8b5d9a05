"""Families of equilibria, relative equilibria and periodic motions over a parameter, with their stability.

A family starts from one member and is followed by pseudo-arclength (`continuation`): through folds, at which the parameter
turns back, and past branch points, at which another family crosses. Both are located, and so are changes of stability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.checks import check_integer, check_positive
from ..core.facade import above
from ..core.system import State, System
from ..core.varied_parameters import VariedParameters, parameter_names
from ..errors import InvalidInputError, PolhodeError
from .branches import branch_starts, without_twins
from .continuation import SHORTEST, Continuation, Node
from .family_problems import PERIOD, FamilyParameter, FamilyProblem, PeriodicProblem, SteadyProblem
from .periodic import PeriodicMotion
from .phase_space import PhaseSpace
from .quantities import Quantity, quantity
from .relative_equilibria import RelativeEquilibrium

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..tables import Table

Array = NDArray[np.float64]
Member = RelativeEquilibrium | PeriodicMotion


@dataclass(frozen=True)
class FamilyEvent:
    """What happens at one member: "fold", "branch point" or "stability" (it changes there without either)."""

    kind: str
    index: int
    value: float

    def __repr__(self) -> str:
        return f"FamilyEvent({self.kind} at {self.value:.10g}, member {self.index})"


@dataclass(frozen=True)
class Family:
    """Members of a family in the order in which they were found. `values` are those of the parameter; `events` are the folds,
    branch points and changes of stability, each of which is a member too; `ended` says why it ends."""

    parameter: str
    values: Array
    members: Sequence[Member]
    events: Sequence[FamilyEvent]
    ended: str
    _walk: _Walk | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, index: int) -> Member:
        return self.members[index]

    @property
    def states(self) -> list[State]:
        """The state of each member, of a system with its value of the parameter."""
        return [member.state for member in self.members]

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether each member is spectrally stable."""
        return np.array([member.verdict != "unstable" for member in self.members])

    @property
    def spectra(self) -> list[NDArray[np.complex128]]:
        """Of each member the eigenvalues, or the Floquet multipliers, without those that symmetries make."""
        return [m.normal_multipliers if isinstance(m, PeriodicMotion) else m.normal_eigenvalues for m in self.members]

    def quantity(self, given: str | Quantity) -> Array:
        """A quantity of each member: "period", a conserved quantity (of a vector its length), text such as "R[2, 2]" or
        "X[0]", or a function of the state."""
        return np.array([_value(member, given) for member in self.members])

    def branches(self, event: FamilyEvent | int, distance: float = 0.05) -> list[Member]:
        """Members of the families that cross this one at an event (or at its number among `events`): starts for `family`.

        `distance` is how far from the event they lie, in the units of `step`. Of members that a symmetry takes to each
        other, such as both sides of a pitchfork, one is returned; none where no other family begins.
        """
        own = self.events[event] if isinstance(event, int) else event
        if self._walk is None or own not in self.events:
            raise InvalidInputError("event", event, "one of the events that this family found itself")
        return self._walk.branches(own.index, check_positive("distance", distance))

    def table(self, quantities: Sequence[str] = ()) -> Table:
        """The members as a table: the parameter, the period, quantities, stability and events."""
        return above("family_table")(self, quantities)  # type: ignore[no-any-return]

    def plot(self, y: str | Quantity = "energy", ax: Axes | None = None) -> Figure:
        """A quantity over the parameter: stable members drawn through, unstable ones dashed, events marked."""
        return above("plot_family")(self, y, ax)  # type: ignore[no-any-return]

    def save(self, path: str | Path) -> Path:
        """Write parameter, states, spectra and events to a JSON file; `polhode.io.family_file.load_family_states`
        reads the states."""
        return above("save_family")(self, path)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        events = ", ".join(f"{e.kind} at {e.value:.6g}" for e in self.events) or "no events"
        span = f"{self.values[0]:.6g} … {self.values[-1]:.6g}"
        return f"Family({len(self)} members, {self.parameter} = {span}; {events}; {self.ended})"


class FamilyEndedError(PolhodeError):
    """A family ends before the value that it was to reach. `family` holds the members up to there."""

    family: Family | None = None


def family(
    start: State | RelativeEquilibrium | PeriodicMotion,
    parameter: str | Callable[[float], System],
    *,
    to: float | None = None,
    within: Sequence[float] | None = None,
    direction: int = 1,
    value: float | None = None,
    hold: Sequence[str] = (),
    step: float = 0.05,
    most: int = 200,
) -> Family:
    """The family of motions that `start` belongs to, over a parameter.

    `start`: a state, for a family of equilibria; or what `relative_equilibrium`, `periodic` or `libration_near` found.
    `parameter`: the name of a number of the system, such as "mass", "inertia[0]" or "parameters.k"; a function that makes the
    system from a number, whose `value` at the start is given too; a conserved quantity (of a vector its length); or "period".
    The family is followed `to` a value, which it has to reach; or while the parameter is `within` two values, at first along
    the `direction` 1 (growing) or −1, and then also back through folds. `hold` are conserved quantities, or "period", that
    keep the values of the start; of what is not held as little as possible changes. `step` is the length of the first
    step: 1 for the range of the parameter, or for a change of the state by the size of its variables. `most` members are
    looked for.

    >>> import polhode as ph
    >>> body = ph.AttitudeBody([1, 2, 2.5], potential="0.5*R33**2 - k*R33", parameters={"k": 2.0})
    >>> found = family(body.state(), "parameters.k", to=0.5, step=0.2)  # upright, stable for k > 1
    >>> [(event.kind, round(event.value, 9)) for event in found.events], found[-1].verdict
    ([('stability', 1.0)], 'unstable')
    """
    name = parameter if isinstance(parameter, str) else "parameter"
    state = start if isinstance(start, State) else start.state
    relative = isinstance(start, RelativeEquilibrium) or (
        isinstance(start, PeriodicMotion) and (start.symmetry.size > 0 or bool(state.system.ignorable))
    )
    space = PhaseSpace(state, relative)
    first, make, exact = _parameter(start, space, parameter, value)
    low, high, sign = _range(first, to, within, direction)
    if isinstance(hold, str):
        raise InvalidInputError("hold", hold, "a list of names")
    if PERIOD in hold and not isinstance(start, PeriodicMotion):
        raise InvalidInputError("hold", PERIOD, problem="only periodic motions have a period to hold")
    described = FamilyParameter(name, make and lru_cache(REMEMBERED)(make), high - low, exact)
    problem: FamilyProblem
    if isinstance(start, PeriodicMotion):
        problem = PeriodicProblem(space, described, hold, start)
    else:
        problem = SteadyProblem(space, described, hold)
    walk = _Walk(problem, low, high, check_positive("step", step), check_integer("most", most, 2))
    return walk.run(first, sign, to)


class _Walk:
    """The members found so far, and the way on."""

    def __init__(self, problem: FamilyProblem, low: float, high: float, step: float, most: int) -> None:
        self.problem, self.curve = problem, Continuation(problem)
        self.low, self.high, self.step, self.most = low, high, step, most
        self.values: list[float] = []
        self.members: list[Member] = []
        self.events: list[FamilyEvent] = []
        self._known: dict[int, tuple[Node, Member]] = {}
        self._located: dict[int, tuple[Node, Node]] = {}  # at an event, and the member before it

    def member(self, node: Node) -> Member:
        """The motion at a node, found once."""
        if id(node) not in self._known:
            self._known[id(node)] = node, self.problem.member(node.point, node.residual)
        return self._known[id(node)][1]

    def add(self, node: Node, kind: str = "") -> None:
        """A member, at which something may happen."""
        self.members.append(self.member(node))
        self.values.append(node.point.value)
        if kind:
            self.events.append(FamilyEvent(kind, len(self.members) - 1, node.point.value))

    def run(self, first: float, sign: float, to: float | None) -> Family:
        """All members."""
        start = self.problem.start()
        node = self.curve.first(type(start)(start.y, start.further, first), sign)
        self.add(node)
        length, name = self.step, self.problem.parameter.name
        while len(self.members) < self.most:
            found = self.curve.step(node, length)
            there, iterations = found or (None, 0)
            outside = there is not None and not self.low <= there.point.value <= self.high
            last = self._last(node, there) if there is not None and outside else None
            if there is None or (outside and last is None):
                length *= 0.5
                if length < SHORTEST * self.step:
                    return self._ended(f"no further member was found beyond {name} = {node.point.value:.8g}", to)
                continue
            self._look(node, there, length)
            if last is not None:
                self.add(last)
                return self._finished(last.point.value, to)
            self.add(there)
            if self._back(there):
                return self._ended("the family is closed", to)
            node = there
            length = min(length * (1.4 if iterations <= QUICK_ENOUGH else 1.0), 4.0 * self.step)
        return self._ended(f"stopped after {self.most} members, at {name} = {self.values[-1]:.8g}", to)

    def _last(self, node: Node, there: Node) -> Node | None:
        """The member at the end of the range that the family leaves between two members."""
        edge = self.high if there.point.value > self.high else self.low
        return self.curve.at_value(there if abs(there.tangent[-1]) > abs(node.tangent[-1]) else node, edge)

    def _back(self, there: Node) -> bool:
        """Whether this is the first member again."""
        if len(self.members) < 6 or abs(self.values[-1] - self.values[0]) > 0.5 * self.step * (self.high - self.low):
            return False
        reach = self.problem.space.reach
        first, layout = self.problem.start().y, self.problem.space.layout
        apart = np.abs(layout.coordinates(first, there.point.y - first) / reach)[self.problem.space.kept].max()
        return bool(apart < 0.25 * self.step)

    def _look(self, node: Node, there: Node, length: float) -> None:
        """Add what happens between two members, in the range of the parameter."""
        found: list[tuple[float | None, str]] = []
        if node.tangent[-1] * there.tangent[-1] < 0.0:
            found.append((self.curve.fold(node, length), "fold"))
        if node.border(node) * node.border(there) < 0.0:
            found.append((self.curve.branch(node, length), "branch point"))
        if self._unstable(node) != self._unstable(there):
            known = sorted(distance for distance, _ in found if distance is not None)
            found.append((self._change(node, length, known), "stability"))
        for distance, kind in sorted((at, kind) for at, kind in found if at is not None):
            self._add_event(self.curve.at(node, distance), node, kind)

    def _change(self, node: Node, length: float, known: list[float]) -> float | None:
        """The distance at which the stability changes; None where it does so at one of the events that are `known`."""
        beside = BESIDE * length
        marks = [0.0, *(event + way for event in known for way in (-beside, beside)), length]
        states = [self._unstable_at(node, mark) for mark in marks]
        between = [k for k in range(len(marks) - 1) if states[k] != states[k + 1]]
        if not between or between[0] % 2:  # on both sides of a known event, which is then what changes it
            return None
        near, far = marks[between[0]], marks[between[0] + 1]
        distance = self.curve.where(node, near, far, lambda at: self._unstable(at) - 0.5, self.problem.precision)
        return None if distance is None else self._refined(node, distance, length)

    def _unstable_at(self, node: Node, distance: float) -> float:
        at = self.curve.at(node, distance)
        return np.nan if at is None else self._unstable(at)

    def _refined(self, node: Node, distance: float, length: float) -> float:
        """The distance at which a pair of eigenvalues passes through zero, by interpolation: next to zero it cannot be told
        from those that symmetries make."""
        if isinstance(self.problem, SteadyProblem):
            rate = self.problem.space.rate
            near = self.curve.at(node, distance + BESIDE * length)
            if near is not None and abs(self._least(near)) < (NEAR_ZERO * rate) ** 2:
                found = self.curve.zero(node, distance, 0.05 * length, self._least)
                return distance if found is None else found
        return distance

    def _least(self, node: Node) -> float:
        """The square of the least normal eigenvalue: real where it is one of a pair on an axis."""
        member = self.member(node)
        assert isinstance(member, RelativeEquilibrium)
        squares = member.normal_eigenvalues**2
        return float(squares[np.argmin(np.abs(squares))].real)

    def branches(self, index: int, distance: float) -> list[Member]:
        """Members next to the event at a member, of the families that cross there."""
        node, before = self._located[index]
        found = [self.member(each) for each in branch_starts(self.curve, before, node, distance)]
        return without_twins(found, _properties)

    def _add_event(self, node: Node | None, before: Node, kind: str) -> None:
        """Add a member at which something happens, if there is one."""
        if node is not None and self.low <= node.point.value <= self.high:
            self._located[len(self.members)] = node, before
            self.add(node, kind)

    def _unstable(self, node: Node) -> float:
        return float(self.member(node).verdict == "unstable")

    def _family(self, ended: str) -> Family:
        name = self.problem.parameter.name
        return Family(name, np.array(self.values), self.members, self.events, ended, self)

    def _finished(self, value: float, to: float | None) -> Family:
        name = self.problem.parameter.name
        if to is None or value == to:
            return self._family(f"reached {name} = {value:.8g}")
        return self._ended(f"back at {name} = {value:.8g}", to)

    def _ended(self, why: str, to: float | None) -> Family:
        """The family, or the error that it does not reach its end."""
        found = self._family(why)
        if to is None:
            return found
        folds = [event for event in self.events if event.kind == "fold"]
        turned = f"; it turns back at a fold at {folds[0].value:.8g}" if folds else ""
        error = FamilyEndedError(f"the family does not reach {found.parameter} = {to:.8g}: {why}{turned}")
        error.family = found
        raise error


REMEMBERED = 16  # systems
NEAR_ZERO = 0.1  # eigenvalue, in the rate of the motion, that may pass through zero
BESIDE = 1e-3  # of a step: so near to a fold or a branch point a change of stability is a part of it
QUICK_ENOUGH = 4  # iterations, after which a longer step is tried


def _parameter(
    start: Any, space: PhaseSpace, parameter: str | Callable[[float], System], value: float | None
) -> tuple[float, Callable[[float], System] | None, bool]:
    """The value at the start, how a system is made from another, and whether `simulate` differentiates by it."""
    system = space.system
    if callable(parameter):
        if value is None:
            raise InvalidInputError("value", None, "the value of the parameter at the start, where a function is given")
        made = parameter(float(value))
        if type(made) is not type(system):
            raise InvalidInputError("parameter", parameter, f"a function that makes a {type(system).__name__}")
        return float(value), parameter, False
    if value is not None:
        raise InvalidInputError("value", value, problem=f"the start has its own value of {parameter}")
    if parameter == PERIOD and isinstance(start, PeriodicMotion):
        return start.period, None, False
    if parameter in system.conserved:
        return _scalar(space.values(space.y, [parameter])), None, False
    known = parameter_names(system)
    if parameter not in known:
        own = [*system.conserved, *([PERIOD] if isinstance(start, PeriodicMotion) else [])]
        raise InvalidInputError("parameter", parameter, f"one of {', '.join([*own, *known])}, or a function")
    varied = VariedParameters(system, [parameter])
    return float(varied.values[0]), lambda number: varied.system_with([number]), True


def _range(
    first: float, to: float | None, within: Sequence[float] | None, direction: int
) -> tuple[float, float, float]:
    """The range of the parameter, and in which direction it changes first."""
    if (to is None) == (within is None):
        raise InvalidInputError("to", to, problem="give either to, a value, or within, two values")
    if direction not in (-1, 1):
        raise InvalidInputError("direction", direction, "1 (the parameter grows at first) or -1 (it falls)")
    if to is not None:
        if not np.isfinite(to) or abs(to - first) <= 1e-9 * max(abs(first), abs(to)):
            raise InvalidInputError("to", to, f"a number other than the value {first:.8g} of the start")
        return min(first, float(to)), max(first, float(to)), float(np.sign(to - first))
    assert within is not None
    if len(within) != 2 or not within[0] < within[1] or not within[0] <= first <= within[1]:
        raise InvalidInputError("within", within, f"two rising numbers about the value {first:.8g} of the start")
    return float(within[0]), float(within[1]), float(direction)


def _value(member: Member, given: str | Quantity) -> float:
    """A quantity of a member."""
    if given == PERIOD:
        if not isinstance(member, PeriodicMotion):
            raise InvalidInputError("quantity", given, problem="equilibria have no period")
        return member.period
    if isinstance(given, str) and given in member.state.system.conserved:
        return _scalar(member.state.invariants()[given])
    return float(quantity(member.state.system, given)(member.state))


def _properties(member: Member) -> Array:
    """What members have in common that a symmetry takes to each other: conserved quantities, the period and the spectrum."""
    conserved = [_scalar(value) for value in member.state.invariants().values()]
    if isinstance(member, PeriodicMotion):
        return np.array([*conserved, member.period, *np.sort(np.abs(member.normal_multipliers))])
    spectrum = member.normal_eigenvalues / (member.rate or 1.0)
    return np.array([*conserved, *np.sort(np.abs(spectrum.real)), *np.sort(np.abs(spectrum.imag))])


def _scalar(value: Array) -> float:
    """A number, or the length of a vector."""
    return float(np.ravel(value)[0]) if np.size(value) == 1 else float(np.linalg.norm(value))
