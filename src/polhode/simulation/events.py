"""Events during a run: a contact of bodies, or any function of the state that passes through zero.

`simulate(..., events=[Contact()])` examines every step, saved or not. In a step with an event, the time of the event is
found by bisection with shorter steps of the same method (see `dense_output`), to 1e-12 of the step.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..bodies.separation import Separation, shape_of
from ..core.call_help import explained
from ..core.checks import check_flag
from ..core.system import State, System
from ..errors import InvalidInputError
from ..systems.full_body.placements import placements

Array = NDArray[np.float64]
Within = Callable[[int, float], State]  # the state a fraction of a step after node k

NARROW = 1e-12  # in steps: bisection ends here
SHORTEST = 1.0 / 1024.0  # in steps: a contact that lasts less than this may not be detected
SAFETY = 1.5  # bound of the speed inside a step, relative to the larger of the speeds at its ends


@dataclass(frozen=True)
class Found:
    """An event a `fraction` of a step after node `k`; `what` says which bodies or which function."""

    k: int
    fraction: float
    what: str


class Event(ABC):
    """An event to detect. `stop`: whether the run ends there."""

    name: str
    stop: bool

    def check(self, system: System) -> None:  # noqa: B027  (most events can happen to any system)
        """Raise `InvalidInputError` if this event cannot happen in `system`."""

    def holds(self, state: State) -> list[str]:
        """What already holds at `state`, one text for each event."""
        return []

    @abstractmethod
    def search(self, states: State, step: float, within: Within) -> Iterator[Found]:
        """Every event in the steps between `states`, whose values have an axis of nodes in front."""


@explained
class Crossing(Event):
    """A function of the state that falls through zero from one step to the next.

    `function(state)` gets states with an axis in front and returns one number for each; change its sign to find where it
    rises. A fall and a rise inside one step are not detected.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> crossing = Crossing("spun up", lambda state: 1.1 - state.omega[..., 0], stop=True)
    >>> traj = ph.simulate(start, step=0.1, t_end=20.0, events=[crossing])
    >>> float(traj.final.omega[0].round(9))
    1.1
    """

    def __init__(self, name: str, function: Callable[[State], Array], *, stop: bool = False) -> None:
        if not isinstance(name, str):
            raise InvalidInputError("name", name, "a text, and after it the function, as in Crossing('up', function)")
        if not callable(function):
            raise InvalidInputError("function", function, "a function of states")
        self.name, self.function, self.stop = name, function, stop
        self._checked = False

    def __repr__(self) -> str:
        return f"Crossing({self.name!r}, stop={self.stop})"

    def search(self, states: State, step: float, within: Within) -> Iterator[Found]:
        if not self._checked:
            self._check(states)
        g = np.asarray(self.function(states))
        for k in np.flatnonzero((g[:-1] > 0.0) & (g[1:] <= 0.0)).tolist():
            yield Found(k, bisect(partial(self._happened, within, k), 0.0, 1.0), self.name)

    def _check(self, states: State) -> None:
        """Refuse a function of a single state, whose numbers would be taken for those of several states."""
        for repeated in (1, 2):  # an axis of a field may be as long as there are states, but not as twice as many
            some = {name: np.concatenate([v] * repeated) for name, v in states.values.items()}
            count, found = len(next(iter(some.values()))), np.shape(self.function(State(states.system, some, states.t)))
            if found != (count,):
                problem = f"its function gets {count} states at once and returns one number for each, not an array of shape {found}"
                advice = (
                    "write state.omega[..., 0] for state.omega[0]; for events at given times there are t_end and t_eval"
                )
                raise InvalidInputError("events", self, problem=f"{problem}: {advice}")
        self._checked = True

    def _happened(self, within: Within, k: int, fraction: float) -> bool:
        return bool(self.function(within(k, fraction)) <= 0.0)


@explained
class Contact(Event):
    """Two bodies of the full body problem touch, by their true shapes. `stop=False` records each contact and continues.

    The separation decreases no faster than the sum of three speeds: the relative speed of the mass centres, and for each
    body the speed of its farthest point about its mass centre. As long as it cannot reach zero, it is not computed. So
    bodies far apart cost one comparison of distances per step, and bodies near each other a distance now and then.

    >>> import polhode as ph
    >>> from polhode.bodies import Sphere
    >>> pair = ph.FullTwoBodyProblem(Sphere(1.0, 0.2), Sphere(1.0, 0.3))
    >>> traj = ph.simulate(pair.state(X=[1, 0, 0]), step=0.01, t_end=2.0, events=[Contact()])
    >>> traj.events[0].what, float(np.linalg.norm(traj.final.X).round(10))
    ('body1 and body2', 0.5)
    """

    name = "contact"

    def __init__(self, *, stop: bool = True) -> None:
        self.stop = check_flag("stop", stop)
        self._pairs: dict[tuple[int, int], Separation] = {}

    def __repr__(self) -> str:
        return f"Contact(stop={self.stop})"

    def check(self, system: System) -> None:
        bodies = system.bodies
        if len(bodies) < 2:
            problem = f"Contact needs at least two bodies in space; {type(system).__name__} does not have them"
            raise InvalidInputError("events", self, problem=problem)
        for name, body in zip(system.body_names, bodies, strict=True):
            shape_of(name, body)
        pairs = {(i, j): Separation(bodies[i], bodies[j]) for i, j in combinations(range(len(bodies)), 2)}
        self._pairs = {pair: shape for pair, shape in pairs.items() if shape.possible}
        if not self._pairs:
            problem = "no two of these bodies can touch: points without a radius never do; give them a radius"
            raise InvalidInputError("events", self, problem=problem)
        self._names = system.body_labels
        self._radii = np.array([body.radius for body in bodies])

    def holds(self, state: State) -> list[str]:
        x = placements(state.system, state.values).x
        near = [pair for pair, shape in self._pairs.items() if np.linalg.norm(x[pair[0]] - x[pair[1]]) <= shape.reach]
        return [self._label(pair) for pair in near if self._separation(state, pair) <= 0.0]

    def time_left(self, state: State) -> tuple[float, float, str]:
        """How long no pair can touch if all go on as fast as at `state`, in what time the pair concerned moves by its own size,
        and which pair that is."""
        place, found = placements(state.system, state.values), []
        spins = self._radii * np.linalg.norm(place.omega, axis=-1)
        for (i, j), shape in self._pairs.items():
            speed = float(np.linalg.norm(place.v[i] - place.v[j])) + spins[i] + spins[j] or math.ulp(0.0)
            gap = float(np.linalg.norm(place.x[i] - place.x[j])) - shape.reach
            left = gap if gap > shape.reach else self._separation(state, (i, j))
            found.append((left / speed, shape.reach / speed, self._label((i, j))))
        return min(found)

    def search(self, states: State, step: float, within: Within) -> Iterator[Found]:
        pairs = list(self._pairs)
        i, j = np.array(pairs).T
        place = placements(states.system, states.values)
        reach = np.array([shape.reach for shape in self._pairs.values()])
        gaps = np.linalg.norm(place.x[:, i] - place.x[:, j], axis=-1) - reach
        spins = self._radii * np.linalg.norm(place.omega, axis=-1)
        speeds = np.linalg.norm(place.v[:, i] - place.v[:, j], axis=-1) + spins[:, i] + spins[:, j]
        # how far the separation can fall in each step
        falls = SAFETY * abs(step) * np.maximum(speeds[:-1], speeds[1:])
        near = np.any(gaps[:-1] + gaps[1:] <= falls, axis=0)
        for p in np.flatnonzero(near):
            for k, fraction in self._touches(states, pairs[p], gaps[:, p], falls[:, p], within):
                yield Found(k, fraction, self._label(pairs[p]))

    def _touches(
        self, states: State, pair: tuple[int, int], gaps: Array, falls: Array, within: Within
    ) -> Iterator[tuple[int, float]]:
        """Steps and fractions at which a pair begins to touch."""
        gone = np.concatenate([[0.0], np.cumsum(falls)])
        k, known = 0, {}

        def at(node: int) -> float:
            if node not in known:
                known[node] = self._separation(_node(states, node), pair)
            return known[node]

        while k < len(falls):
            left = gaps[k] if gaps[k] > falls[k] else at(k)
            if left > falls[k]:  # no contact before the sum of the falls reaches the separation
                k = max(k + 1, int(np.searchsorted(gone, gone[k] + left)) - 1)
                continue
            if at(k) > 0.0:
                fraction = self._touch_within(pair, k, at(k), at(k + 1), falls[k], within)
                if fraction is not None:
                    yield k, fraction
            k += 1

    def _touch_within(
        self, pair: tuple[int, int], k: int, first: float, last: float, fall: float, within: Within
    ) -> float | None:
        """The fraction of step k at which the separation becomes zero, or None. Intervals in which it cannot become zero are skipped."""
        pending = [(0.0, first, 1.0, last)]
        while pending:
            a, ga, b, gb = pending.pop()
            if gb <= 0.0 and (b - a) <= SHORTEST:
                return bisect(lambda s: self._separation(within(k, s), pair) <= 0.0, a, b)
            if gb > 0.0 and (ga + gb > fall * (b - a) or b - a <= SHORTEST):
                continue
            middle = 0.5 * (a + b)
            gm = self._separation(within(k, middle), pair)
            if gm > 0.0:
                pending.append((middle, gm, b, gb))
            pending.append((a, ga, middle, gm))  # the earlier half is examined first
        return None

    def _separation(self, state: State, pair: tuple[int, int]) -> float:
        place = placements(state.system, state.values)
        i, j = pair
        frame = place.R[j].T
        return self._pairs[pair](frame @ (place.x[i] - place.x[j]), frame @ place.R[i])

    def _label(self, pair: tuple[int, int]) -> str:
        """The two bodies by their names."""
        return f"{self._names[pair[0]]} and {self._names[pair[1]]}"


def bisect(happened: Callable[[float], bool], low: float, high: float) -> float:
    """The least fraction, to `NARROW`, at which `happened` is true; it is true at `high` and false at `low`."""
    while high - low > NARROW:
        middle = 0.5 * (low + high)
        if happened(middle):
            high = middle
        else:
            low = middle
    return high


def _node(states: State, k: int) -> State:
    return State(states.system, {name: array[k] for name, array in states.values.items()}, states.t)


def events_in_order(events: list[Event], states: State, step: float, within: Within) -> Iterator[tuple[Event, Found]]:
    """The events in the steps between `states` in order of time, up to the first that ends the run."""
    found = [(event, one) for event in events for one in event.search(states, step, within)]
    for event, one in sorted(found, key=lambda pair: (pair[1].k, pair[1].fraction)):
        yield event, one
        if event.stop:
            return
