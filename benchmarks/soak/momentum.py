"""`python -m benchmarks.soak.momentum`: how the errors of conserved momenta grow with the number of steps.

Every system with a conserved momentum, with `LGVI` and `QuaternionVI`, from several starts near its example. The error after
N steps is the root mean square over the starts; the exponent is the slope of its logarithm over that of N. Rounding
without bias makes a random walk, with exponent ½; a bias makes 1. Its standard error is found by drawing among the starts
again and again. Errors are relative to the size of the momentum, or of the whole Π where what is conserved is a component of
it, which may well be near zero; where Π grows (under a constant moment, as N), to the largest so far. Of casimirs of higher
degree the roots are compared, which are sizes of the momentum like |Π|.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polhode.bodies import Ellipsoid
from polhode.core.method import Method, Start
from polhode.core.scalar_packing import side_by_side
from polhode.core.system import State, System
from polhode.methods import LGVI, QuaternionVI
from polhode.scalars import lanes
from polhode.systems import ConstantSpaceMoment, FullBodyProblem, FullTwoBodyProblem, known_systems

Array = NDArray[np.float64]
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, DATA = DOCS / "soak.md", DOCS / "soak.json"
BEGIN, END = "<!-- made by python -m benchmarks.soak.momentum -->", "<!-- end -->"
STEP = 0.05
SPREAD = 0.03  # of the starts, about the example
FIRST, PER_DECADE = 1_000, 4  # the step number of the first sample, and how many samples follow in each decade
REDRAWN = 400
STARTS, ATTEMPTS = 8, 4  # how many, and how many more may be tried: bodies that collide have no momentum to follow


@dataclass(frozen=True)
class Growth:
    """The errors (root mean square over the starts) of one momentum after so many steps."""

    system: str
    method: str
    quantity: str
    starts: int
    steps: list[int]
    errors: list[float]
    uncertainty: float | None = None
    """Standard error of the exponent."""

    @property
    def exponent(self) -> float:
        """Slope of log error over log N; later samples count as much as earlier ones."""
        return slope(self.steps, np.array(self.errors))

    def at(self, steps: int) -> float | None:
        """The error after so many steps, if the run was that long."""
        return self.errors[self.steps.index(steps)] if steps in self.steps else None


def slope(steps: list[int], errors: Array) -> float:
    """Of log error over log N, where there is an error; zero where there is none."""
    there = errors > 0.0
    return float(np.polyfit(np.log(steps)[there], np.log(errors[there]), 1)[0]) if there.sum() > 1 else 0.0


def root_mean_square(errors: Array) -> Array:
    """Over the starts, which are the rows."""
    return np.asarray(np.sqrt(np.mean(np.square(errors), axis=0)))


def uncertainty(steps: list[int], errors: Array) -> float:
    """Standard error of the exponent: its spread when the starts are drawn anew from themselves."""
    random, count = np.random.default_rng(3), len(errors)
    drawn = [slope(steps, root_mean_square(errors[random.integers(0, count, count)])) for _ in range(REDRAWN)]
    return float(np.std(drawn))


def bound_pair(relative: bool) -> State:
    """Two ellipsoids far apart on an orbit that is nearly circular: the examples, and closer pairs, collide in the end."""
    first, second = Ellipsoid(0.6, [0.3, 0.25, 0.2]), Ellipsoid(1.0, [0.35, 0.3, 0.22])
    problem = FullTwoBodyProblem(first, second)
    state = problem.state(X=[4.0, 0.0, 0.1], V=[0.0, 0.63, 0.0], Omega1=[0.2, -0.3, 0.5], Omega2=[-0.3, 0.2, 0.4])
    return state if relative else problem.to_inertial(state)


def slowly_driven() -> State:
    """The example of `ConstantSpaceMoment` with a hundredth of its moment: under all of it the body turns so fast after
    2.4·10⁶ steps that the step has no solution."""
    state = ConstantSpaceMoment.example()
    body = ConstantSpaceMoment(state.system.inertia.matrix, moment=0.01 * state.system.constant)
    return body.state(R=state.R, Pi=state.Pi)


LASTING: dict[str, Callable[[], State]] = {
    "FullTwoBodyProblem": lambda: bound_pair(relative=True),
    "FullBodyProblem": lambda: bound_pair(relative=False),
    "ConstantSpaceMoment": slowly_driven,
}
"""States in the place of examples whose motion ends before the run."""


def pairs(names: list[str], orders: list[int]) -> Iterator[tuple[State, Method]]:
    """The example of every system that conserves a momentum, with every method that is to conserve it."""
    for name, cls in known_systems().items():
        if names and name not in names:
            continue
        state = LASTING.get(name, cls.example)()
        for method in [make(order=order) for make in (LGVI, QuaternionVI) for order in orders]:
            if momenta(state.system) and method.why_not(state.system) is None:
                yield state, method


def momenta(system: System) -> list[str]:
    """The conserved momenta."""
    return [name for name, invariant in system.conserved.items() if invariant.kind in ("momentum", "casimir")]


def starts(state: State, method: Method, count: int) -> Iterator[State]:
    """States near this one: each variable is moved at random along its manifold."""
    layout = state.system.representations[method.representation].layout
    y = state.system.enter(method.representation, state)
    random = np.random.default_rng(7)
    for _ in range(count):
        moved = layout.retract(y, SPREAD * random.standard_normal(layout.dimension))
        values = layout.unpack(moved)
        if isinstance(state.system, FullBodyProblem):  # else the pair moves away from the origin
            share = state.system.masses / state.system.masses.sum()
            values["gamma"] -= share[:, None] * values["gamma"].sum(axis=0)
        yield State(state.system, values, state.t)


def sample_steps(last: int) -> list[int]:
    """Evenly spaced in the logarithm, up to `last`."""
    decades = np.log10(last / FIRST)
    return [round(FIRST * 10**x) for x in np.linspace(0.0, decades, round(decades * PER_DECADE) + 1)]


def errors(members: list[State], method: Method, numbers: list[int]) -> dict[str, Array] | None:
    """The relative error of each momentum at these steps, a row for each of these starts, which run side by side in lanes;
    None where the run of one of them ends early, in a collision."""
    system, kind = members[0].system, lanes(len(members))
    start = Start.of(members[0], STEP, method.representation, kind)
    states = np.array([system.enter(method.representation, member) for member in members])
    run = method.run(replace(start, y=side_by_side(states, kind).reshape(-1)))
    layout = run.layout
    rows, done = [run.sample.copy()], 0
    for number in numbers:
        status, _ = run.advance(done, number - done, number + 1, np.empty((0, run.row_size)))
        if status != 0:
            return None
        rows.append(run.sample.copy())
        done = number
    lanes_of_rows = run.states(np.array(rows))[:, : layout.size * len(members)].reshape(len(rows), layout.size, -1)
    each = [relative(layout.unpack(lanes_of_rows[..., k]), member) for k, member in enumerate(members)]
    return {name: np.array([found[name] for found in each]) for name in momenta(system)}


def relative(values: dict[str, Array], state: State) -> dict[str, Array]:
    """The relative error of each momentum in the rows after the first."""
    system = state.system
    found, sizes = system.invariants(values), system.magnitudes(state)
    result = {}
    for name in momenta(system):
        components = found[name].reshape(len(found[name]), -1)
        if name == "casimirs":
            components = sizes_of_momentum(components)
        whole = values["Pi"] if "Pi" in values and name != "linear_momentum" else components
        norms = np.maximum(*(np.linalg.norm(each.reshape(len(components), -1), axis=1) for each in (whole, components)))
        size = sizes.get(name, 0.0) or np.maximum.accumulate(norms)[1:]
        difference = np.linalg.norm(components[1:] - components[0], axis=1)
        result[name] = difference / np.where(np.asarray(size) > 0.0, size, 1.0)
    return result


def sizes_of_momentum(casimirs: Array) -> Array:
    """`|tr M²|^(1/2), |tr M⁴|^(1/4), …` of rows of the casimirs on SO(n): of degree 1 in M, as all other momenta."""
    return np.abs(casimirs) ** (0.5 / np.arange(1, casimirs.shape[1] + 1))


def measured(state: State, method: Method, last: int, count: int) -> list[Growth]:
    """The growth of every momentum."""
    numbers = sample_steps(last)
    members = list(starts(state, method, ATTEMPTS * count))
    all_errors = errors(members[:count], method, numbers)
    if all_errors is None:  # some collide: find the others one by one
        alone = [found for member in members if (found := errors([member], method, numbers)) is not None][:count]
        if not alone:
            return []
        all_errors = {name: np.concatenate([found[name] for found in alone]) for name in momenta(state.system)}
    return [
        Growth(
            type(state.system).__name__,
            repr(method),
            name,
            len(values),
            numbers,
            [float(e) for e in root_mean_square(values)],
            uncertainty(numbers, values),
        )
        for name, values in all_errors.items()
    ]


def table(found: list[Growth]) -> str:
    """One row per momentum, in Markdown."""
    rows = [
        "| system | method | momentum | starts | steps | exponent | error at 10⁶ | error at 10⁷ | error at the end |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for growth in sorted(found, key=lambda growth: (growth.system, growth.method, growth.quantity)):
        errors = [growth.at(10**6), growth.at(10**7), growth.errors[-1]]
        cells = [growth.system, growth.method, growth.quantity, f"{growth.starts}", f"{growth.steps[-1]:.0e}"]
        spread = "" if growth.uncertainty is None else f" ± {growth.uncertainty:.2f}"
        cells += [f"{growth.exponent:.2f}{spread}", *("" if e is None else f"{e:.1e}" for e in errors)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def merged(old: list[Growth], new: list[Growth]) -> list[Growth]:
    """Both; of the same momentum the longer run, or else the new one."""
    kept = {(g.system, g.method, g.quantity): g for g in old}
    for growth in new:
        key = growth.system, growth.method, growth.quantity
        if key not in kept or kept[key].steps[-1] <= growth.steps[-1]:
            kept[key] = growth
    return list(kept.values())


def write(found: list[Growth]) -> None:
    """The numbers into the data file, and the table into the page."""
    DATA.write_text(json.dumps([asdict(growth) for growth in found], indent=1) + "\n")
    text = PAGE.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{head}\n{table(found)}\n{tail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=float, default=1e7)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--orders", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--systems", nargs="*", default=[], help="default: all that conserve a momentum")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    given = parser.parse_args()
    found = [] if given.anew or not DATA.exists() else [Growth(**entry) for entry in json.loads(DATA.read_text())]
    for state, method in pairs(given.systems, given.orders):
        new = measured(state, method, int(given.steps), given.starts)
        for growth in new:
            text = f"{growth.exponent:5.2f} ± {growth.uncertainty:.2f} {growth.errors[-1]:.1e}"
            print(f"{growth.system:22s} {growth.method:24s} {growth.quantity:22s} {text}", flush=True)
        found = merged(found, new)
        write(found)


if __name__ == "__main__":
    main()
