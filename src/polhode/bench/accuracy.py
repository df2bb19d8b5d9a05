"""Motions that are computed to an accuracy: our methods with several steps or tolerances, and the programs of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..core.method import Method
from ..core.system import State
from ..methods import DOP853, LGVI, Exact, GaussLegendre, Splitting
from ..simulation.driver import simulate
from .entries import Effort, Entry
from .motions import End, Motion, error
from .peers import PEERS, TOLERANCES, Run

REFERENCE_STEPS = 4  # times as many as the finest run
# how many steps the other methods of fixed step take, in units of GaussLegendre's fewest
MULTIPLES = {2: 64, 4: 16, 8: 3}


class Steps:
    """Steps of one of our methods, from the start each time it is called."""

    def __init__(self, motion: Motion, method: Method, steps: int) -> None:
        self.motion, self.steps = motion, steps
        self.run = method.start(motion.state, motion.duration / steps)
        self._start = self.run.sample.copy()
        self._samples = np.empty((0, self.run.row_size))

    def __call__(self) -> bool:
        self.run.restore(self._start)
        status, _ = self.run.advance(0, self.steps, self.steps + 1, self._samples)
        return status == 0

    def end(self, done: bool) -> End:
        """Where the bodies are after a call."""
        if not done:
            raise ArithmeticError("a step has no solution")
        row = self.run.layout.unpack(self.run.states(self.run.row[None])[0])
        return self.motion.of_state(State(self.motion.state.system, row, self.motion.duration))


def our_runs(motion: Motion) -> Iterator[Run]:
    """Our methods, each with several steps or tolerances."""

    def run(method: Method, name: str, setting: str, steps: int) -> Run:
        taken = Steps(motion, method, steps)
        return name, setting, taken, taken.end

    for n in motion.steps:
        yield run(GaussLegendre(), "GaussLegendre(16)", f"{n} steps", n)
    for order, multiple in MULTIPLES.items():
        for doubling in range(6):
            n = motion.steps[0] * multiple * 2**doubling
            yield run(LGVI(order=order), f"LGVI({order})", f"{n} steps", n)
    if Splitting().why_not(motion.state.system) is None:
        for doubling in range(1, 7):
            n = motion.steps[0] * 2**doubling
            yield run(Splitting(order=6), "Splitting(6)", f"{n} steps", n)
    for tolerance in TOLERANCES:
        yield run(DOP853(rtol=tolerance, atol=tolerance), "DOP853", f"{tolerance:g}", 1)
    if motion.state.system.has_exact:
        yield run(Exact(), "Exact", "closed form", 1)


def truth_of(motion: Motion) -> End:
    """The end of the motion, by the closed form or by a fine run."""
    if motion.state.system.has_exact:
        return motion.of_state(simulate(motion.state, step=motion.duration, steps=1, method=Exact()).final)
    fine = Steps(motion, GaussLegendre(), REFERENCE_STEPS * motion.steps[-1])
    return fine.end(fine())


def accuracy_entries(make: Callable[[], Motion]) -> Callable[[Effort, tuple[str, ...]], Iterator[Entry]]:
    """The entries of a motion: ours, and those of the peers."""

    def entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
        motion = make()
        truth = truth_of(motion)

        def wrong(where: Callable[[object], End]) -> Callable[[object], float]:
            def of(result: object) -> float:
                found = error(where(result), truth)
                if not math.isfinite(found):
                    raise ArithmeticError("not a solution")
                return found

            return of

        others = [(PEERS[name].runs, PEERS[name].threads) for name in peers]
        for source, threads in [(our_runs, False), *others]:
            for number, (solver, setting, run, where) in enumerate(source(motion) if source is not None else ()):
                if not effort.quick or number % 3 == 0:
                    yield Entry(solver, setting, run, error=wrong(where), on_the_wall=threads)

    return entries
