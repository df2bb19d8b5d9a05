"""Where the initial states of an ensemble come from: a list of states, one state with arrays, or a function of the number.

States of a large ensemble are made block by block, where they are needed: they are never all in memory at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.representation import Form
from ..core.system import State, System
from ..errors import InvalidInputError

Array = NDArray[np.float64]


class Members(ABC):
    """The members of an ensemble, counted from 0."""

    @abstractmethod
    def __len__(self) -> int:
        """How many there are."""

    @abstractmethod
    def state(self, i: int) -> State:
        """The initial state of member `i`; raises an error where there is none."""

    @property
    def system(self) -> System | None:
        """The system that all members share; None where each has its own."""
        return None

    @cached_property
    def first(self) -> State:
        """A state that stands for all: that of the first member that has one."""
        error: Exception | None = None
        for i in range(len(self)):
            try:
                return self.state(i)
            except Exception as raised:  # of the user's own function
                error = error or raised
        assert error is not None
        raise error

    def together(self, numbers: range) -> State | None:
        """These members as one state with arrays, where they share their system and need not be made one by one."""
        return None

    def part(self, numbers: range) -> Members:
        """Some of the members, counted from 0 again: what another process is sent."""
        return MembersPart(self, numbers)


class MembersPart(Members):
    """Some of the members, counted from 0 again."""

    def __init__(self, whole: Members, numbers: range) -> None:
        self.whole, self.numbers = whole, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def state(self, i: int) -> State:
        return self.whole.state(self.numbers[i])

    @property
    def system(self) -> System | None:
        return self.whole.system

    @cached_property
    def first(self) -> State:
        """The first state of all members."""
        return self.whole.first


class ListedMembers(Members):
    """Members given as a list of states."""

    def __init__(self, states: Sequence[State]) -> None:
        self.states = list(states)
        shared = {id(state.system) for state in self.states}
        self._system = self.states[0].system if len(shared) == 1 else None

    def __len__(self) -> int:
        return len(self.states)

    def state(self, i: int) -> State:
        return self.states[i]

    @property
    def system(self) -> System | None:
        return self._system

    def together(self, numbers: range) -> State | None:
        if self._system is None:
            return None
        some = self.states[numbers.start : numbers.stop]
        names = some[0].values.keys()
        if any(state.values.keys() != names for state in some):
            return None
        return State(self._system, {name: np.stack([s.values[name] for s in some]) for name in names}, some[0].t)

    def part(self, numbers: range) -> Members:
        return ListedMembers(self.states[numbers.start : numbers.stop])


class StackedMembers(Members):
    """Members given as one state, the values of which have an axis for the members in front."""

    def __init__(self, stack: State) -> None:
        self.stack = stack

    def __len__(self) -> int:
        return len(next(iter(self.stack.values.values())))

    def state(self, i: int) -> State:
        return State(self.stack.system, {name: array[i] for name, array in self.stack.values.items()}, self.stack.t)

    @property
    def system(self) -> System | None:
        return self.stack.system

    def together(self, numbers: range) -> State:
        part, stack = slice(numbers.start, numbers.stop), self.stack
        return State(stack.system, {name: v[part] for name, v in stack.values.items()}, stack.t)

    def part(self, numbers: range) -> Members:
        return StackedMembers(self.together(numbers))


@dataclass
class MadeMembers(Members):
    """Members made by a function of their number, when they are needed."""

    make: Callable[[int], State]
    count: int

    def __len__(self) -> int:
        return self.count

    def state(self, i: int) -> State:
        state = self.make(i)
        if not isinstance(state, State):
            raise InvalidInputError("states", state, "a function of the member's number that returns a state")
        return state


def flat_rows(stack: State, form: str) -> Array | None:
    """The members of a state with arrays as flat rows in a representation; None where it needs other variables."""
    system, values = stack.system, stack.values
    variables = system.representations[form].layout.variables
    if type(system).enter is not System.enter or any(v.name not in values for v in variables):
        return None
    return np.concatenate([values[v.name].reshape(len(values[v.name]), -1) for v in variables], axis=1)


def as_members(states: Any, members: int | None = None) -> Members:
    """What a user gave, as `Members`.

    >>> import polhode as ph
    >>> body = ph.FreeRigidBody([1, 2, 3])
    >>> len(as_members([body.state(omega=[1, 0, 0.1 * i]) for i in range(5)]))
    5
    >>> len(as_members(lambda i: body.state(omega=[1, 0, 0.1 * i]), 100))
    100
    """
    if isinstance(states, Members):
        return _checked(states)
    if callable(states) and not isinstance(states, State):
        if not isinstance(members, (int, np.integer)) or isinstance(members, bool) or members < 1:
            raise InvalidInputError("members", members, "a positive whole number, how many states the function makes")
        return _checked(MadeMembers(states, int(members)))
    if members is not None:
        raise InvalidInputError("members", members, problem="give members only with a function that makes states")
    if isinstance(states, State):
        return _checked(_stacked(states))
    try:
        listed = list(states)
    except TypeError:
        listed = []
    if not listed or not all(isinstance(state, State) for state in listed):
        raise InvalidInputError("states", states, "a list of states, a state with arrays, or a function of the number")
    return _checked(ListedMembers(listed))


def _checked(found: Members) -> Members:
    """Members of one class, which start at the same time."""
    first = found.first
    if isinstance(found, ListedMembers):
        for i, state in enumerate(found.states):
            why = mismatch(first, state)
            if why:
                raise InvalidInputError(f"states[{i}]", state, problem=why)
    return found


def mismatch(first: State, state: State) -> str:
    """Why these two cannot be members of one ensemble; nothing where they can."""
    if type(state.system) is not type(first.system):
        return f"members are of one class: the first is a {type(first.system).__name__}"
    if state.t != first.t:
        return f"members start at the same time: the first at t = {first.t:g}, this one at t = {state.t:g}"
    if state.system is not first.system and _shapes(state.system) != _shapes(first.system):
        return f"members have variables of the same shapes: the first has {_shapes(first.system)}"
    return ""


def _shapes(system: System) -> dict[str, tuple[int, ...]]:
    """The shapes of the variables of a state."""
    return {v.name: v.manifold.shape for v in system.representations[Form.DEFAULT].layout.variables}


def _stacked(stack: State) -> StackedMembers:
    """One state whose values have an axis for the members in front."""
    form = next(
        (r for r in stack.system.representations.values() if {v.name for v in r.layout.variables} == set(stack.values)),
        None,
    )
    if form is None:
        raise InvalidInputError("states", stack, "a state with arrays of the variables of its system")
    lengths = set()
    for variable in form.layout.variables:
        shape, own = stack.values[variable.name].shape, variable.manifold.shape
        if len(shape) != len(own) + 1 or shape[1:] != own or not shape[0]:
            problem = f"{variable.name} has the shape {shape}; with an axis for the members in front it is (n, {', '.join(map(str, own))})"
            raise InvalidInputError("states", stack, problem=problem)
        lengths.add(shape[0])
    if len(lengths) > 1:
        raise InvalidInputError("states", stack, "arrays for the same number of members")
    return StackedMembers(stack)
