"""`ensemble`: it checks what is asked for, cuts the members into blocks, and runs these in threads.

The compiled loops release the interpreter's lock, so that threads use all cores. A block's samples depend on nothing but its
members: not on the number of threads, nor on the size of the blocks, nor on the order in which they finish.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.method import Method
from ..core.representation import Form
from ..errors import InvalidInputError
from ..methods import LGVI
from ..scalars.lanes import lane_width
from ..simulation.accuracy import check_tolerance
from ..simulation.arguments import check_arguments, check_end, check_step, check_times, count_steps, whole
from .blocks import Block, Failure, Job, Schedule, StopFlag, run_block
from .members import Members, as_members
from .result import Ensemble

Array = NDArray[np.float64]
Reduction = Callable[[Ensemble], ArrayLike]

LARGEST_BLOCK = 2048
BLOCK_NUMBERS = 2**21  # doubles of samples in a block: 16 MB


def ensemble(
    states: Any,
    *,
    members: int | None = None,
    step: float | None = None,
    t_end: float | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    t_eval: ArrayLike | None = None,
    method: Method | None = None,
    save: str | int = "final",
    reduce: Mapping[str, Reduction] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    workers: int | None = None,
    lane_width: int = 0,
    progress: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> Ensemble:
    """Integrate many members at once, each with the same bits as `simulate` gives it alone.

    `states` is a list of states of systems of one class, whose numbers may differ; or one state whose values have an axis
    for the members in front; or a function of the member's number that makes a state, together with the number of
    `members`. `step`, `t_end`, `steps`, `tolerance`, `t_eval` and `method` are those of `simulate`.

    `save`: "final" keeps the last state of each member; "all" every step; a number n every n-th step, the first and the
    last. `reduce`: functions by name, of an `Ensemble` with some of the members and all samples that `save` asks for, which
    return an array with the members first. The result then holds these arrays in `reductions`, and the final states.
    `inputs`: numbers in which members differ, by name, for figures and files.

    Members run side by side in the lanes of the processor's vector registers, and in as many threads as there are
    processors (`workers`). A member that fails is masked and listed in `failures`; the others go on.

    >>> import polhode as ph
    >>> body = ph.FreeRigidBody([1, 2, 3])
    >>> spins = [body.state(omega=[0.3, 1.0, 0.01 * i]) for i in range(100)]
    >>> ens = ensemble(spins, step=0.1, t_end=20.0, save=10)
    >>> ens.R.shape, ens.failures
    ((100, 21, 3, 3), ())
    >>> alone = ph.simulate(spins[7], step=0.1, t_end=20.0, save_every=10)
    >>> bool((ens.R[7] == alone.R).all())
    True
    """
    job = _job(as_members(states, members), step, t_end, steps, tolerance, t_eval, method, save, lane_width)
    count = len(job.members)
    kept = {name: np.asarray(values) for name, values in (inputs or {}).items()}
    for name, values in kept.items():
        if not len(values.shape) or len(values) != count:
            raise InvalidInputError(f"inputs[{name!r}]", values, f"an array of {count} numbers, one per member")
    threads = _check_workers(workers)
    reductions = _check_reductions(reduce)
    size = job.members.first.system.representations[job.form].layout.size
    final = job.times[-1:] if reductions else job.times
    whole_ensemble = Ensemble(
        members=job.members,
        method=job.method if job.schedule is not None or tolerance is None else None,
        form=job.form,
        step=None if job.schedule is None else job.schedule.step,
        t=final,
        states=np.full((count, len(final), size), np.nan),
        initial=np.full((count, size), np.nan),
        inputs=kept,
        provenance=dict(provenance or {}),
    )
    found: dict[str, Array] = {}
    failures: list[Failure] = []
    began = time.perf_counter()
    for block in run_blocks(job, blocks_of(job, threads), threads, progress):
        part = slice(block.numbers.start, block.numbers.stop)
        whole_ensemble.initial[part] = block.initial
        whole_ensemble.states[part] = block.states[:, -len(final) :]
        failures += block.failures
        for name, values in reduced(whole_ensemble, job, block, reductions).items():
            found.setdefault(name, np.full((count, *values.shape[1:]), np.nan))[part] = values
    whole_ensemble.states.flags.writeable = whole_ensemble.initial.flags.writeable = False
    return replace(
        whole_ensemble,
        failures=tuple(sorted(failures, key=lambda failure: failure.member)),
        reductions=found,
        seconds=time.perf_counter() - began,
    )


def _job(
    found: Members,
    step: float | None,
    t_end: float | None,
    steps: int | None,
    tolerance: float | None,
    t_eval: ArrayLike | None,
    method: Method | None,
    save: str | int,
    width: int,
) -> Job:
    """What is done with every member."""
    first = found.first
    check_arguments(first, LGVI() if method is None else method)
    if not whole(width) or width < 0:
        raise InvalidInputError("lane_width", width, "a positive whole number, or 0 for the best one")
    stepless = method is not None and (method.adaptive or not method.order)
    if method is not None or step is not None:
        method = LGVI() if method is None else method
        method.check(first.system)
    form = Form.DEFAULT if method is None else method.representation
    if save not in ("final", "all") and (not whole(save) or int(save) < 1):
        raise InvalidInputError("save", save, '"final", "all", or a positive whole number n for every n-th step')
    every = int(save) if whole(save) else 1
    final = save == "final"
    if step is not None and t_eval is None:
        if tolerance is not None:
            raise InvalidInputError("tolerance", tolerance, problem="step and tolerance exclude each other")
        size = check_step(step)
        schedule = Schedule(first.t, size, count_steps(first.t, size, t_end, steps), every, final)
        return Job(found, method, form, schedule.times, schedule, lane_width=int(width))
    if steps is not None:
        raise InvalidInputError("steps", steps, problem="steps need a step, and no t_eval")
    if step is not None and tolerance is not None:
        raise InvalidInputError("tolerance", tolerance, problem="step and tolerance exclude each other")
    if t_eval is None and not final:
        raise InvalidInputError(
            "save", save, problem="to a tolerance each member has steps of its own: give t_eval, or save='final'"
        )
    options: dict[str, Any] = {"step": step}
    if t_eval is not None:
        times, end = check_times(t_eval, first.t, step, t_end)
        options |= {"t_eval": times, "t_end": end}
    else:
        end = check_end(first.t, t_end)
        times = np.array([end])
        options |= {"t_end": end}
    if step is None and not (stepless and t_eval is not None):
        options["tolerance"] = check_tolerance(tolerance)
    return Job(found, method, form, times, None, options, int(width))


def _check_workers(workers: int | None) -> int:
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not whole(workers) or workers < 1:
        raise InvalidInputError("workers", workers, "a positive whole number")
    return int(workers)


def _check_reductions(reduce: Mapping[str, Reduction] | None) -> Mapping[str, Reduction]:
    if reduce is None:
        return {}
    if not isinstance(reduce, Mapping) or not all(callable(function) for function in reduce.values()):
        raise InvalidInputError("reduce", reduce, "functions of an ensemble, by name")
    return reduce


def blocks_of(job: Job, threads: int = 1) -> list[range]:
    """The members in blocks: whole lanes, enough of them for all threads, and none too large for the memory."""
    count, W = len(job.members), job.lane_width or lane_width()
    first = job.members.first.system.representations[job.form]
    numbers = first.layout.size * (len(job.times) + 4) + first.workspace
    most = max(W, min(LARGEST_BLOCK, BLOCK_NUMBERS // numbers, -(-count // (4 * threads))))
    size = most // W * W
    return [range(a, min(a + size, count)) for a in range(0, count, size)]


def run_blocks(job: Job, blocks: list[range], threads: int, progress: bool = False) -> Iterator[Block]:
    """The computed blocks, as they finish; only a few are in memory at a time."""
    stop = StopFlag()
    job = replace(job, stop=stop)
    shown: Any = nullcontext()
    if progress:
        from .progress import MembersBar

        shown = MembersBar(len(job.members))
    with shown as bar, ThreadPoolExecutor(threads, thread_name_prefix="ensemble") as pool:
        waiting = iter(blocks)
        running: set[Future[Block]] = set()
        try:
            while True:
                while len(running) < threads + 2 and (numbers := next(waiting, None)) is not None:
                    running.add(pool.submit(run_block, job, numbers))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    block = future.result()
                    if bar is not None:
                        bar.add(len(block.numbers), len(block.failures))
                    yield block
        finally:  # after an interruption or an error nobody wants the rest
            stop.set()
            for future in running:
                future.cancel()


def reduced(whole_ensemble: Ensemble, job: Job, block: Block, reductions: Mapping[str, Reduction]) -> dict[str, Array]:
    """What the user's functions make of a block."""
    if not reductions:
        return {}
    part = range(block.numbers.start, block.numbers.stop)
    seen = replace(
        whole_ensemble,
        members=Part(job.members, part),
        t=job.times,
        states=block.states,
        initial=block.initial,
        failures=tuple(replace(f, member=f.member - part.start) for f in block.failures),
        inputs={name: values[part.start : part.stop] for name, values in whole_ensemble.inputs.items()},
    )
    found = {}
    for name, function in reductions.items():
        values = np.asarray(function(seen), dtype=np.float64)
        if not values.ndim or len(values) != len(part):
            problem = f"it returned an array of the shape {values.shape} for {len(part)} members, which come first"
            raise InvalidInputError(f"reduce[{name!r}]", function, problem=problem)
        found[name] = values
    return found


class Part(Members):
    """Some of the members, counted from 0 again."""

    def __init__(self, whole_members: Members, numbers: range) -> None:
        self.whole, self.numbers = whole_members, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def state(self, i: int) -> Any:
        return self.whole.state(self.numbers[i])

    @property
    def system(self) -> Any:
        return self.whole.system

    @property
    def first(self) -> Any:  # type: ignore[override]
        """That of all members."""
        return self.whole.first
