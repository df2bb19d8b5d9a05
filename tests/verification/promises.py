"""What a method claims, measured: one entry of `PROMISES` per claim, for any system and method.

A new system or method is tried by being defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from polhode.analysis import group_defect, measured_order, symmetry_defect, symplectic_defect
from polhode.analysis.convergence import distance
from polhode.core.system import State, System
from polhode.errors import ConvergenceError, PolhodeError
from polhode.methods import LGVI, GaussLegendre, Method, QuaternionVI, Splitting, known_methods
from polhode.simulation.driver import simulate
from polhode.systems.attitude.forced import ForcedAttitude

from .subjects import DURATION, STEP, SUBJECTS, Subject

EPSILON = np.finfo(float).eps
FEW, MANY = 2_000, 100_000
# of settings that differ from others in one number, or in the variables of the same map, these stand for all systems
FEW_SYSTEMS = ("FreeRigidBody", "Pendulum3D", "FullTwoBodyProblem")
# splittings are the same kicks about the same free rotation: in short tests these stand for all
KICKED = ("Pendulum3D", "PlanarPendulum")


@dataclass(frozen=True)
class Found:
    """What was measured, in a few characters, and whether that is what the method claims."""

    text: str
    holds: bool


@dataclass(frozen=True)
class Promise:
    """A claim: which methods make it, on which systems there is something to measure, and how it is measured.

    `measure` takes the number of steps of the run that it reads; only where `long` is true does it use it.
    """

    claimed: Callable[[Method], bool]
    applies: Callable[[Method, System], bool]
    measure: Callable[[Method, Subject, int], Found]
    long: bool = False

    def __call__(self, method: Method, subject: Subject, steps: int) -> Found:
        try:
            return self.measure(method, subject, steps)
        except ConvergenceError as error:
            return Found(f"stops at t = {error.time:.0f}", False)


@cache
def pairs() -> tuple[tuple[Method, Subject], ...]:
    """Every setting of every method with every system that accepts it."""
    found = []
    for subject in SUBJECTS:
        for cls in known_methods().values():
            for method in cls.variants():
                spared = (isinstance(method, LGVI) and method.form == "lagrangian" and method.order > 2) or (
                    isinstance(method, GaussLegendre) and (method.order < 16 or method.adaptive)
                )
                spared = spared or (
                    isinstance(method, QuaternionVI) and isinstance(subject.state.system, ForcedAttitude)
                )
                if method.why_not(subject.state.system) is None and not (spared and subject.name not in FEW_SYSTEMS):
                    found.append((method, subject))
    return tuple(found)


def _order(method: Method, subject: Subject, steps: int) -> Found:
    # the errors of the steepest methods reach rounding before they fall evenly; their own tests measure their order, in
    # multiprecision or where it shows
    steep = isinstance(method, (Splitting, GaussLegendre))
    shown = 4 if steep else 6 if subject.name in ("GeneralBody", "PlanarBody") else 8
    if method.order == 0 or method.adaptive:
        truth = subject.reference if method.adaptive else subject.adaptive_reference
        return _error(method, subject, 10, truth)
    if method.order <= shown:
        try:
            orders = measured_order(subject.state, method, DURATION, reference=subject.reference).orders
            return Found(" ".join(f"{o:.2f}" for o in orders), bool(np.all(np.abs(orders - method.order) < 0.2)))
        except PolhodeError:  # three steps between the coarsest and rounding are not there
            pass
    return _error(method, subject, 400 if isinstance(method, Splitting) else 100, subject.adaptive_reference)


def _error(method: Method, subject: Subject, steps: int, truth: State) -> Found:
    """No order in the step, or none that double precision shows: compare with the other reference."""
    error = distance(simulate(subject.state, step=DURATION / steps, steps=steps, method=method).final, truth)
    return Found(f"error {error:.0e}", error < 1e-10)


def _conserved(system: System, *kinds: str) -> list[str]:
    return [name for name, invariant in system.conserved.items() if invariant.kind in kinds]


def _momentum(method: Method, subject: Subject, steps: int) -> Found:
    run = subject.run(method, steps)
    found = {row.name: row.relative for row in run.conservation()}
    worst = max(found[name] for name in _conserved(subject.state.system, "momentum", "casimir"))
    return Found(f"{worst:.0e}", bool(worst <= 50 * EPSILON * np.sqrt(steps)))


def _energy(method: Method, subject: Subject, steps: int) -> Found:
    name = _conserved(subject.state.system, "energy")[0]
    run = subject.run(method, steps)
    (found,) = [row for row in run.conservation() if row.name == name]
    text, rounding = f"{found.relative:.0e}", 50 * EPSILON * np.sqrt(steps)
    if method.preserves_energy:
        return Found(text, bool(found.relative <= rounding))
    deviation = np.abs(run.invariants()[name] - found.first)
    half = len(deviation) // 2
    bounded = deviation[half:].max() <= 3.0 * deviation[:half].max() + rounding * abs(found.first)
    # a steady drift ends where it strays farthest, and a growth as √t ends at 0.8 of it; what wanders without growing, and
    # in chaos it wanders slowly and on every processor in another way, stays below a half
    drifted = abs(found.slope) * (run.t[-1] - run.t[0])
    level = drifted <= 0.5 * found.worst + rounding * abs(found.first)
    return Found(f"{text} bounded" if bounded and level else f"{text} drifts", bool(bounded and level))


def _symplectic(method: Method, subject: Subject, steps: int) -> Found:
    try:
        defect = symplectic_defect(subject.state, method, STEP)
    except PolhodeError as reason:
        return Found(str(reason), False)
    return Found(f"{defect:.0e}", defect <= 1e-10)


def _symmetric(method: Method, subject: Subject, steps: int) -> Found:
    defect = symmetry_defect(subject.state, method, STEP)
    return Found(f"{defect:.0e}", defect <= 1e-11)


def _group(method: Method, subject: Subject, steps: int) -> Found:
    defect = group_defect(subject.run(method, steps))
    return Found(f"{defect:.0e}", defect <= 1e-13)


def _always(*_: object) -> bool:
    return True


PROMISES = {
    "order": Promise(_always, _always, _order),
    "momentum": Promise(
        lambda method: method.preserves_momentum,
        lambda method, system: bool(_conserved(system, "momentum", "casimir")),
        _momentum,
        long=True,
    ),
    "energy": Promise(
        lambda method: method.preserves_energy or method.symplectic,
        lambda method, system: bool(_conserved(system, "energy")),
        _energy,
        long=True,
    ),
    "symplectic": Promise(
        lambda method: method.symplectic,
        lambda method, system: system.hamiltonian and not method.adaptive,
        _symplectic,
    ),
    "symmetric": Promise(lambda method: method.symmetric, _always, _symmetric),
    "group": Promise(lambda method: method.preserves_group, _always, _group, long=True),
}


FIRST = ("FreeRigidBody", "Pendulum3D")  # the systems on which Gauss-Legendre is tried in the short tests
FEW_DIMENSIONS = 6
GIVEN_BY_FORMULAS = ("AttitudeBody", "ChargedPoints", "GeneralBody")  # which every process compiles anew


@dataclass(frozen=True)
class Case:
    """A claim to be tried; `verify` says that it belongs to the long tests."""

    subject: Subject
    method: Method
    promise: str
    steps: int
    verify: bool

    def __str__(self) -> str:
        steps = f"-{self.steps}" if PROMISES[self.promise].long else ""
        return f"{self.subject.name}-{self.method!r}-{self.promise}{steps}"


def claims() -> Iterator[Case]:
    """What is claimed: short runs of the lowest order first, then long ones, and the higher orders."""
    for method, subject in pairs():
        lowest = method.options().get("order", 2) == (16 if isinstance(method, GaussLegendre) else 2)
        lowest = lowest and (not isinstance(method, Splitting) or subject.name in KICKED)
        for name, promise in PROMISES.items():
            if promise.claimed(method) and promise.applies(method, subject.state.system):
                if lowest:
                    # compiling duals of many numbers takes long, and so does every loop of Gauss-Legendre
                    layout = subject.state.system.representations[method.representation].layout
                    slow = "SOn" in subject.name or subject.name in GIVEN_BY_FORMULAS
                    later = name == "symplectic" and (layout.dimension > FEW_DIMENSIONS or slow)
                    if isinstance(method, GaussLegendre):
                        later = name == "symplectic" or bool(method.adaptive) or subject.name not in FIRST
                    yield Case(subject, method, name, FEW, verify=later)
                if promise.long or not lowest:
                    yield Case(subject, method, name, MANY, verify=True)
