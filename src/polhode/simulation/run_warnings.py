"""What gives reason to look at a run again: each check says, at most once, what was found, where, and what to do.

The checks read the saved samples and the counts of the run, after it. They cost little beside the run: of long
trajectories so many samples are read, evenly spaced, and the energy is computed for one in forty steps at most.

    StepWarning          a body turns by more than half a radian in a step, or two bodies pass each other in less than two
                         steps; methods of order p are allowed p/2 times as much, and adaptive ones anything
    SolverWarning        one solve took many more iterations than the mean, or steps had to be done again
    EnergyWarning        a conserved energy has changed by a tenth of its largest part, or drifts steadily
    AccuracyWarning      rounding or chaos did not allow the tolerance
    NearContactWarning   circumscribed spheres overlapped while the mutual gravity was expanded in inertia integrals; or
                         bodies overlapped themselves
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body
from ..bodies.separation import Separation
from ..core.system import System
from ..errors import (
    AccuracyWarning,
    EnergyWarning,
    InvalidInputError,
    NearContactWarning,
    RunWarning,
    SolverWarning,
    StepWarning,
)
from ..methods import GaussLegendre, Splitting
from ..systems.full_body.placements import Placements, placements

if TYPE_CHECKING:
    from .trajectory import Trajectory

Array = NDArray[np.float64]

LONGEST_TURN = 0.5  # rad per step, for a method of order 2
LONGEST_PASSAGE = 0.5  # way per step, in units of the distance, for a method of order 2
MANY_ITERATIONS, MANY_TIMES = 8, 3.0  # in one solve, and relative to the mean
MANY_RETRIES = 0.01  # of the steps
LARGE_CHANGE = 0.1  # of the energy, relative to its largest part
NUMBERS = 400_000  # that a check reads at most
ENERGIES, FEWEST_ENERGIES = 256, 64  # samples of the energy
SMALLEST_DRIFT = 1e-6  # of the energy, relative to its largest part
RATES = ("omega", "Omega1", "Omega2")


def run_warnings(trajectory: Trajectory) -> dict[str, RunWarning]:
    """Every warning that a run deserves, by the name of the check: each at most once."""
    checks = (_accuracy, _iterations, _energy)
    of_the_whole = {check.__name__: warning for check in checks for warning in check(trajectory)}
    return warnings_of_samples(trajectory) | of_the_whole


def warnings_of_samples(trajectory: Trajectory) -> dict[str, RunWarning]:
    """Those that look at each sample for itself."""
    seen, checks = _Seen(trajectory), (_turns, _encounters, _near_contact, _overlap)
    return {check.__name__: warning for check in checks for warning in check(seen)}


class _Seen:
    """The samples of a trajectory that are looked at, one by one, and where the bodies are there."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory, self.system = trajectory, trajectory.system
        self.samples = _every(trajectory, most_samples(trajectory.system))
        self.values = _values(trajectory, self.samples)
        self.place = placements(self.system, self.values)

    def time(self, k: Any) -> float:
        """The time of one of them."""
        return float(self.trajectory.t[self.samples[k]])

    def apart(self, field: str, pairs: Sequence[tuple[int, int]]) -> Array:
        """By how much the bodies of each pair differ in a field of their placements, (sample, pair)."""
        found, (i, j) = getattr(self.place, field), np.array(pairs).T
        return np.asarray(np.linalg.norm(found[:, i] - found[:, j], axis=-1))


def most_samples(system: System) -> int:
    """How many samples the checks read that look at each sample for itself."""
    n = len(system.bodies)
    return NUMBERS // (10 * max(n * (n - 1) // 2, n, 1))


def _every(trajectory: Trajectory, count: int) -> NDArray[np.int64]:
    """The numbers of at most so many samples, evenly spaced, the first and the last among them."""
    return _evenly(len(trajectory), max(2, count))


@lru_cache(maxsize=16)
def _evenly(n: int, count: int) -> NDArray[np.int64]:
    return np.arange(n) if n <= count else np.unique(np.linspace(0, n - 1, count).astype(np.int64))


def _values(trajectory: Trajectory, samples: NDArray[np.int64]) -> Mapping[str, Array]:
    if len(samples) == len(trajectory):
        return trajectory.values
    return {name: array.take(samples, axis=0) for name, array in trajectory.values.items()}


def _allowed(trajectory: Trajectory, limit: float) -> float:
    """What a step of this method may do: so much for each two orders; nothing is too much where steps adapt."""
    method = trajectory.method
    return limit * max(1.0, method.order / 2.0) if method.order and not method.adaptive else math.inf


def _accuracy(trajectory: Trajectory) -> Iterator[RunWarning]:
    accuracy = trajectory.accuracy
    if accuracy is not None and accuracy.estimated_error > accuracy.tolerance:
        yield AccuracyWarning(
            f"the estimated error at the end is {accuracy.estimated_error:.1e}, above the tolerance of "
            f"{accuracy.tolerance:g}: rounding, or chaos that magnifies it, allows no less; a shorter run may, or take a "
            "larger tolerance"
        )


def _turns(seen: _Seen) -> Iterator[RunWarning]:
    trajectory, system = seen.trajectory, seen.system
    limit = _allowed(trajectory, LONGEST_TURN)
    names = [name for name in RATES if name in system.fields]
    if trajectory.method.turns_exactly or limit == math.inf or not names:
        return
    worst, where, who = 0.0, 0, names[0]
    for name in names:
        rate = system.derive(name, seen.values)
        if max(-rate.min(), rate.max()) * abs(trajectory.step) < limit / 2.0:  # so do three components together
            continue
        squares = rate * rate
        if system.fields[name].shape[-1:] == (3,):
            squares = squares.sum(axis=-1)
        k = int(squares.argmax())
        size = math.sqrt(squares.flat[k])
        if size > worst:
            worst, where, who = size, k // (squares.size // len(seen.samples)), name
    turn = worst * abs(trajectory.step)
    if turn > limit:
        yield StepWarning(
            f"at t = {seen.time(where):g} a body turns by {turn:.2g} rad in a step (|{who}| = {worst:.3g}): "
            f"with {trajectory.method!r} take a step below {limit / worst:.2g}{_exact_turns(trajectory)}"
        )


def _exact_turns(trajectory: Trajectory) -> str:
    """The methods for this system that need not resolve its rotation, as advice."""
    able = [kind.__name__ for kind in (Splitting, GaussLegendre) if kind().why_not(trajectory.system) is None]
    return f", or use {' or '.join(able)}, whose steps contain the exact free rotation" if able else ""


def _pairs(system: System) -> list[tuple[int, int]]:
    """All pairs of bodies."""
    return list(combinations(range(len(system.bodies)), 2))


def _encounters(seen: _Seen) -> Iterator[RunWarning]:
    limit, pairs = _allowed(seen.trajectory, LONGEST_PASSAGE), _pairs(seen.system)
    if not pairs or limit == math.inf:
        return
    apart, step = seen.apart("x", pairs), abs(seen.trajectory.step)
    ways = step * seen.apart("v", pairs) / apart
    k, pair = np.unravel_index(int(np.argmax(ways)), ways.shape)
    if ways[k, pair] > limit:
        first, second = (seen.system.body_labels[body] for body in pairs[pair])
        yield StepWarning(
            f"at t = {seen.time(k):g} {first} and {second} are {apart[k, pair]:.3g} apart and move by {ways[k, pair]:.2g} of "
            f"that in a step, which does not resolve the encounter: take a step below {step * limit / ways[k, pair]:.2g}, "
            "or DOP853, whose steps adapt"
        )


def _iterations(trajectory: Trajectory) -> Iterator[RunWarning]:
    stats, what = trajectory.stats, trajectory.method.iteration
    if stats.max_iterations >= MANY_ITERATIONS and stats.max_iterations > MANY_TIMES * stats.mean_iterations:
        yield SolverWarning(
            f"a step took {stats.max_iterations} {what}, where the mean is {stats.mean_iterations:.1f}: the step is near "
            "its largest usable length somewhere on the way; half of it is a good choice"
        )
    elif stats.retries > MANY_RETRIES * stats.steps:
        yield SolverWarning(
            f"{stats.retries:,} of {stats.steps:,} steps did not converge and were done again in shorter pieces: take a "
            "step of half the length"
        )


def _energy(trajectory: Trajectory) -> Iterator[RunWarning]:
    system = trajectory.system
    samples = _every(trajectory, min(ENERGIES, trajectory.stats.steps // 40))
    if not system.conserves_energy or len(samples) < 2:
        return
    values, t = _values(trajectory, samples), trajectory.t.take(samples)
    parts = system.energies(values, t) if system.offers("energies") else {"total": system.energy(values)}
    energy = parts["total"]
    scale = max(abs(size) for part in parts.values() for size in np.ravel(part).tolist())
    first, *others = energy.tolist()
    advice = "take a shorter step" + ("" if trajectory.method.symplectic else ", or a symplectic method such as LGVI")
    k = next((k for k, now in enumerate(others, 1) if abs(now - first) > LARGE_CHANGE * scale), None)
    if k is not None:
        yield EnergyWarning(
            f"the energy, which is conserved, has changed from {first:.4g} to {energy[k]:.4g} at t = {t[k]:g}: the "
            f"steps do not resolve the motion before that; {advice}"
        )
        return
    slope = _steady_slope(t, energy) if len(samples) >= FEWEST_ENERGIES else 0.0
    if abs(slope * (t[-1] - t[0])) > SMALLEST_DRIFT * scale:
        yield EnergyWarning(f"the energy, which is conserved, drifts by {slope:.1e} per unit of time; {advice}")


def _steady_slope(t: Array, energy: Array) -> float:
    """The slope of the energy, if it is one: in four parts of the run, each of which holds several oscillations, the means
    lie on a line to within a third, and the line rises by more than the oscillations. Else zero."""
    quarters = np.array_split(np.arange(len(t)), 4)
    means = np.array([energy[q].mean() for q in quarters])
    rises = np.diff(means)
    if not (np.all(rises > 0.0) or np.all(rises < 0.0)) or np.abs(rises).min() < 0.5 * np.abs(rises).max():
        return 0.0
    slope, level = np.polyfit(t, energy, 1)
    rest = energy - (slope * t + level)
    if min(np.count_nonzero(np.diff(np.sign(rest[q]))) for q in quarters) < 4:
        return 0.0
    return float(slope) if abs(slope * (t[-1] - t[0])) > 4.0 * float(rest.std()) else 0.0


def near_contact(trajectory: Trajectory) -> Iterator[RunWarning]:
    """The first pair whose circumscribed spheres overlap while its gravity is expanded."""
    return _near_contact(_Seen(trajectory))


def _near_contact(seen: _Seen) -> Iterator[RunWarning]:
    system = seen.system
    least = system.least_distances
    if not least:
        return
    bounds, pairs = np.array(list(least.values())), list(least)
    gaps = seen.apart("x", pairs) / bounds
    inside = np.any(gaps < 1.0, axis=1)
    if inside.any():
        k = int(np.argmax(inside))
        pair = int(np.argmin(gaps[k]))
        first, second = (system.body_labels[body] for body in pairs[pair])
        yield NearContactWarning(
            f"from t = {seen.time(k):g} on the circumscribed spheres of {first} and {second} overlap (mass "
            f"centres nearer than {bounds[pair]:.4g}), where the expansion of their gravity need not converge: take "
            'gravity = "shapes", which is valid up to contact'
        )


def _overlap(seen: _Seen) -> Iterator[RunWarning]:
    """Where the mass centres of a pair are nearest, measured by the size of its bodies; but not at the end, where a run may
    have been ended by a contact."""
    system, pairs = seen.system, _pairs(seen.system)
    if not pairs or len(seen.samples) < 2:
        return
    radii = [body.radius for body in system.bodies]
    gaps = seen.apart("x", pairs)[:-1] - [radii[i] + radii[j] for i, j in pairs]
    nearest = gaps.argmin(axis=0)
    for pair in np.flatnonzero(gaps.min(axis=0) < 0.0):
        k, (first, second) = nearest[pair], pairs[pair]
        if _meet(seen.place, k, first, second, system.bodies):
            names = system.body_labels
            yield NearContactWarning(
                f"at t = {seen.time(k):g} {names[first]} and {names[second]} overlap, where their gravity is not "
                "valid: to end the run at the contact, give events=[Contact()]"
            )
            return


def _meet(place: Placements, k: int, first: int, second: int, bodies: Sequence[Body]) -> bool:
    """Whether two bodies touch at sample k; never, where a body has no shape that is known."""
    frame = place.R[k, second].T  # as `Separation` wants it: the first body as seen from the second
    try:
        separation = Separation(bodies[first], bodies[second])
    except InvalidInputError:
        return False
    X, R = frame @ (place.x[k, first] - place.x[k, second]), frame @ place.R[k, first]
    return separation.possible and separation(X, R) == 0.0
