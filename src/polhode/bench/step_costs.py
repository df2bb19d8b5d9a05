"""A step of the free body by our methods on every scalar, beside the same algorithms in C."""

from __future__ import annotations

from collections.abc import Iterator

import llvmlite.binding

from ..core.method import Method
from ..methods import LGVI, RK4, Midpoint, QuaternionVI
from ..methods.composition import composition_stages
from ..scalars import Dual, Lanes, duals, lane_width, lanes
from .entries import Bar, Effort, Entry
from .free_body import AGREEMENT, CJob, NaiveJob, difference_from_c, job, same_as_doubles
from .yardstick import STRICT, ExplicitYardstick, Yardstick, as_polhode

STEP_SIZES = (0.2, 0.02)
STEPS = 30_000
NAIVE_SPAN = 10.0
WIDTHS = (4, 8, 16)
PARTIALS = 6
C, OURS = "C", "LGVI 2"
EXPLICIT: tuple[Method, ...] = (RK4(), Midpoint())


def explicit_yardstick(method: Method, *flags: str) -> ExplicitYardstick:
    """The same method in C."""
    return ExplicitYardstick(type(method).__name__.lower(), *flags)


def lane_bar() -> float:
    """How many members lanes should do in the time of one."""
    features = llvmlite.binding.get_host_cpu_features()
    return 6.0 if features.get("avx512f") else 3.0 if features.get("avx2") else 1.5


def step_entries(effort: Effort, peers: tuple[str, ...]) -> Iterator[Entry]:
    """All scalars and methods at every step size. What is compared is the same computation: that is checked first."""
    libraries = {C: Yardstick(), "C without FMA": Yardstick(STRICT)} if "c" in peers else {}
    steps = effort.count(STEPS)
    for step in STEP_SIZES:
        check(step, libraries, effort)
        for entry in entries_at(step, libraries, steps):
            naive = entry.solver == "SciPy DOP853 on NumPy"
            if not naive or "scipy" in peers:
                yield entry


def entries_at(step: float, libraries: dict[str, Yardstick], steps: int) -> Iterator[Entry]:
    """Everything that is timed at this step size."""
    setting, in_c = f"h = {step:g}", bool(libraries)
    for name, library in libraries.items():
        yield Entry(name, setting, CJob(library, step, steps=steps), steps)
    yield Entry(OURS, setting, job(LGVI(), step, steps=steps), steps, Bar(C, 1.3) if in_c else None)
    yield Entry("QuaternionVI 2", setting, job(QuaternionVI(), step, steps=steps), steps)
    for order in (4, 6, 8):
        substeps = len(composition_stages(order))
        run = job(LGVI(order=order), step, steps=max(1, steps // substeps))
        yield Entry(f"LGVI {order}, a substep", setting, run, run.steps * substeps, Bar(OURS))
    for width in WIDTHS:
        default = width == lane_width()
        run = job(LGVI(), step, lanes(width), steps=steps)
        bar = Bar(OURS, lane_bar() if default else None, gain=True)
        yield Entry(f"LGVI 2, {width} lanes{'*' if default else ''}", setting, run, steps * width, bar)
    dual = job(LGVI(), step, duals(PARTIALS), steps=steps)
    yield Entry(f"LGVI 2, {PARTIALS} partials", setting, dual, steps, Bar(OURS, 2.5))
    for method in EXPLICIT:
        name = type(method).__name__
        if in_c:
            yield Entry(f"{name} in C", setting, CJob(explicit_yardstick(method), step, steps=steps), steps)
        mine = job(method, step, steps=steps)
        yield Entry(name, setting, mine, steps, Bar(f"{name} in C", 1.3) if in_c else None)
    yield Entry("SciPy DOP853 on NumPy", setting, NaiveJob(NAIVE_SPAN), NAIVE_SPAN / step)


def check(step: float, libraries: dict[str, Yardstick], effort: Effort) -> None:
    """What is compared must be the same computation."""
    steps = effort.count(1000)
    for name, library in libraries.items():
        difference = difference_from_c(library, step, steps)
        assert difference <= AGREEMENT, f"polhode and {name} differ by {difference:.1e} at step {step}"
    for method in EXPLICIT if libraries else ():
        difference = difference_from_c(explicit_yardstick(method, *as_polhode()), step, steps, method)
        assert difference == 0.0, f"{method!r} and C that rounds alike differ by {difference:.1e} at step {step}"
    kinds: list[Lanes | Dual] = [*map(lanes, WIDTHS), duals(PARTIALS)]
    for kind in kinds:
        assert same_as_doubles(LGVI(), step, kind, steps), (
            f"{kind} is not bit for bit the run on doubles at step {step}"
        )
