"""What a method claims, measured: one function a promise, for any system and method.

Each returns a `Cell`: what to print, whether the claim holds, and, where nothing could be measured, why. A new system
or method gets its rows by being defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from polhode.analysis import group_defect, measured_order, symmetry_defect, symplectic_defect
from polhode.analysis.convergence import distance, reference_final
from polhode.core.system import State, System
from polhode.errors import ConvergenceError, PolhodeError
from polhode.methods import Method, known_methods
from polhode.simulation.driver import simulate
from polhode.simulation.trajectory import Trajectory
from polhode.systems import known_systems

from .specimens import SPECIMENS, Specimen

EPSILON = np.finfo(float).eps
STEP = 0.05
MANY = 100_000


@dataclass(frozen=True)
class Cell:
    """`text` for the table; `holds` is None where the promise is not made."""

    text: str
    holds: bool | None = None

    def __post_init__(self) -> None:
        assert self.holds is None or type(self.holds) is bool, "a NumPy truth value would slip through `is`"


def pairs() -> Iterator[tuple[Method, type[System] | Specimen]]:
    """Every setting of every method with every system that accepts it."""
    for system in (*known_systems().values(), *SPECIMENS):
        state = system.example()
        for cls in known_methods().values():
            yield from ((method, system) for method in cls.variants() if method.why_not(state.system) is None)


def order(method: Method, state: State) -> Cell:
    if method.order == 0 or method.adaptive:
        # no order in the step: compare with the other reference
        truth = reference_final(state, 5.0, closed_form=method.adaptive)
        error = distance(simulate(state, step=0.5, steps=10, method=method).final, truth)
        return Cell(f"error {error:.0e}", error < 1e-10)
    orders = measured_order(state, method, 5.0).orders
    return Cell(" ".join(f"{o:.2f}" for o in orders), bool(np.all(np.abs(orders - method.order) < 0.2)))


_RUNS: dict[tuple[Method, str], Trajectory] = {}


def _long_run(method: Method, state: State) -> Trajectory:
    """The run that momentum, energy and group are read from; a short one for an adaptive method."""
    key = method, f"{state.system!r} {state!r}"
    if key not in _RUNS:
        steps = 1000 if method.adaptive else MANY
        run = simulate(state, step=STEP, steps=steps, save_every=steps // 1000, method=method)
        _RUNS[key] = run
    return _RUNS[key]


def _wanted(state: State, *kinds: str) -> list[str]:
    return [name for name, invariant in state.system.conserved.items() if invariant.kind in kinds]


def momentum(method: Method, state: State) -> Cell:
    names = _wanted(state, "momentum", "casimir")
    if not names:
        return Cell("the system has none")
    run = _long_run(method, state)
    steps, kept = run.stats.steps, {k.name: k for k in run.conservation()}
    worst = max(kept[name].relative for name in names)
    return Cell(f"{worst:.0e}", bool(worst <= 50 * EPSILON * np.sqrt(steps)) if method.preserves_momentum else None)


def energy(method: Method, state: State) -> Cell:
    names = _wanted(state, "energy")
    if not names:
        return Cell("the system keeps none")
    trajectory = _long_run(method, state)
    steps = trajectory.stats.steps
    (kept,) = [k for k in trajectory.conservation() if k.name == names[0]]
    text = f"{kept.relative:.0e}"
    rounding = 50 * EPSILON * np.sqrt(steps)
    if method.preserves_energy:
        return Cell(text, bool(kept.relative <= rounding))
    if not method.symplectic:
        return Cell(text)
    deviation = np.abs(trajectory.invariants()[names[0]] - kept.first)
    half = len(deviation) // 2
    bounded = deviation[half:].max() <= 1.75 * deviation[:half].max() + rounding * abs(kept.first)
    # a steady drift doubles from half to half and ends where it strays farthest, a growth as √t makes 1.4 and 0.8 of
    # these; what oscillates, however slowly, stays below both
    drifted = abs(kept.slope) * (trajectory.t[-1] - trajectory.t[0])
    level = drifted <= 0.2 * kept.worst + rounding * abs(kept.first)
    return Cell(f"{text} bounded", bool(bounded and level))


def symplectic(method: Method, state: State) -> Cell:
    if method.adaptive:
        return Cell("adaptive")
    if not state.system.hamiltonian:
        return Cell("the system keeps no symplectic form")
    try:
        defect = symplectic_defect(state, method, STEP)
    except PolhodeError as reason:
        return Cell(str(reason), False if method.symplectic else None)
    return Cell(f"{defect:.0e}", defect <= 1e-10 if method.symplectic else None)


def symmetric(method: Method, state: State) -> Cell:
    defect = symmetry_defect(state, method, STEP)
    return Cell(f"{defect:.0e}", defect <= 1e-11 if method.symmetric else None)


def group(method: Method, state: State) -> Cell:
    defect = group_defect(_long_run(method, state))
    return Cell(f"{defect:.0e}", defect <= 1e-13 if method.preserves_group else None)


def _unless_it_stops(measure: Callable[[Method, State], Cell]) -> Callable[[Method, State], Cell]:
    """A run that breaks down is an answer too, and a broken promise if the method makes any."""

    def measured(method: Method, state: State) -> Cell:
        try:
            return measure(method, state)
        except ConvergenceError as error:
            promised = method.symplectic or method.symmetric or method.preserves_momentum or method.preserves_energy
            return Cell(f"stops at t = {error.time:.0f}", False if promised else None)

    return measured


PROMISES: dict[str, Callable[[Method, State], Cell]] = {
    measure.__name__: _unless_it_stops(measure) for measure in (order, momentum, energy, symplectic, symmetric, group)
}
