"""`ensemble`: it checks what is asked for, cuts the members into blocks, and runs these in threads.

The compiled loops release the interpreter's lock, so that threads use all cores. A block's samples depend on nothing but its
members: not on the number of threads, nor on the size of the blocks, nor on the order in which they finish.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.dates import Epoch
from ..core.facade import above
from ..core.method import Method
from ..core.representation import Form
from ..core.units import Units
from ..errors import InvalidInputError
from ..methods import LGVI
from ..scalars.lanes import lane_width
from ..simulation.accuracy import check_tolerance
from ..simulation.arguments import check_arguments, check_end, check_step, check_times, count_steps, is_whole
from ..simulation.records import labels
from .blocks import Failure, Job, MemberWarning, Schedule, StopFlag
from .member_warnings import issued
from .members import Members, as_members
from .progress import members_bar
from .result import Ensemble
from .tasks import Done, Reduction, Task

Array = NDArray[np.float64]

LARGEST_BLOCK = 2048
THREADS_OF_A_CLUSTER = 32  # that a store has enough blocks for; nobody knows how many there will be
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
    units: Units | Mapping[str, str] | None = None,
    epoch: Epoch | str | Mapping[str, str] | None = None,
    store: str | os.PathLike[str] | None = None,
    client: Any = None,
) -> Ensemble:
    """Integrate many members at once, each with the same bits as `simulate` gives it alone.

    `states` is a list of states of systems of one class, whose numbers may differ; or one state whose values have an axis
    for the members in front; or a function of the member's number that makes a state, together with the number of
    `members`. `step`, `t_end`, `steps`, `tolerance`, `t_eval`, `method`, `units` and `epoch` are those of `simulate`.

    `save`: "final" keeps the last state of each member; "all" every step; a number n every n-th step, the first and the
    last. `reduce`: functions by name, of an `Ensemble` with some of the members and all samples that `save` asks for, which
    return an array with the members first. The result then holds these arrays in `reductions`, and the final states.
    `inputs`: numbers in which members differ, by name, for figures and files.

    Members run side by side in the lanes of the processor's vector registers, and in as many threads as there are
    processors (`workers`). A member that fails is masked and listed in `failures`; the others go on. What gives reason to
    look at members again is listed in `warnings`; of each kind one `RunWarning` is issued, about the first of them.

    `store`: the name of a Zarr folder, to which blocks of members are written as they finish. What is there already, from a
    call with the same arguments that was interrupted, is not computed again. `client`: a `dask.distributed.Client`, or the
    address of a scheduler, that computes the blocks on its workers.

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
    job = job_of(as_members(states, members), step, t_end, steps, tolerance, t_eval, method, save, lane_width)
    task = Task(job, check_reductions(reduce), check_inputs(inputs, len(job.members)))
    details, threads = labels(provenance, units, epoch), check_workers(workers)
    if store is not None:
        return issued(stream_to(store, task, client, threads, progress, details).load())
    if client is not None:
        raise InvalidInputError("store", store, problem="a run on a cluster needs a store: the name of a Zarr folder")
    began, parts = time.perf_counter(), Parts(task)
    for done in run_blocks(task, blocks_of(job, threads), threads, progress):
        parts.add(done)
    return issued(parts.ensemble(details, time.perf_counter() - began))


def stream(
    states: Any,
    store: str | os.PathLike[str],
    *,
    members: int | None = None,
    client: Any = None,
    workers: int | None = None,
    progress: bool = False,
    provenance: Mapping[str, Any] | None = None,
    units: Units | Mapping[str, str] | None = None,
    epoch: Epoch | str | Mapping[str, str] | None = None,
    reduce: Mapping[str, Reduction] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    **options: Any,
) -> Any:
    """`ensemble` for more members than fit into the memory: returns the store (`polhode.io.ensemble_store.EnsembleStore`),
    whose `parts()` are ensembles of one block each. `options` are the other arguments of `ensemble`."""
    names = ("step", "t_end", "steps", "tolerance", "t_eval", "method")
    unknown = set(options) - {*names, "save", "lane_width"}
    if unknown:
        raise TypeError(f"stream() got an unexpected keyword argument {min(unknown)!r}")
    step, t_end, steps, tolerance, t_eval, method = (options.get(name) for name in names)
    save, width = options.get("save", "final"), options.get("lane_width", 0)
    job = job_of(as_members(states, members), step, t_end, steps, tolerance, t_eval, method, save, width)
    task = Task(job, check_reductions(reduce), check_inputs(inputs, len(job.members)))
    return stream_to(store, task, client, check_workers(workers), progress, labels(provenance, units, epoch))


class Parts:
    """The parts of an ensemble, put together as they come."""

    def __init__(self, task: Task) -> None:
        job, self.task = task.job, task
        count = len(job.members)
        self.t = job.times[-1:] if task.reductions else job.times
        self.states = np.full((count, len(self.t), job.size), np.nan)
        self.initial = np.full((count, job.size), np.nan)
        self.reductions: dict[str, Array] = {}
        self.failures: list[Failure] = []
        self.warnings: list[MemberWarning] = []

    def add(self, done: Done) -> None:
        """Put a block in its place."""
        part = slice(done.numbers.start, done.numbers.stop)
        self.initial[part], self.states[part] = done.initial, done.states
        self.failures += done.failures
        self.warnings += done.warnings
        for name, values in done.reductions.items():
            empty = np.full((len(self.states), *values.shape[1:]), np.nan)
            self.reductions.setdefault(name, empty)[part] = values

    def ensemble(self, provenance: dict[str, Any], seconds: float) -> Ensemble:
        """All of it."""
        self.states.flags.writeable = self.initial.flags.writeable = False
        failures, told = (tuple(sorted(each, key=lambda one: one.member)) for each in (self.failures, self.warnings))
        return self.task.ensemble(
            self.task.job.members,
            t=self.t,
            states=self.states,
            initial=self.initial,
            failures=failures,
            warnings=told,
            reductions=self.reductions,
            inputs=self.task.inputs,
            provenance=provenance,
            seconds=seconds,
        )


def job_of(
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
    """What is done with every member, checked."""
    first = found.first
    check_arguments(first, LGVI() if method is None else method)
    if not is_whole(width) or width < 0:
        raise InvalidInputError("lane_width", width, "a positive whole number, or 0 for the best one")
    stepless = method is not None and (method.adaptive or not method.order)
    if stepless and tolerance is not None:
        problem = f"{method!r} has an accuracy of its own: leave out tolerance or method"
        raise InvalidInputError("tolerance", tolerance, problem=problem)
    if method is not None or step is not None:
        method = LGVI() if method is None else method
        method.check(first.system)
    form = Form.DEFAULT if method is None else method.representation
    if save not in ("final", "all") and (not is_whole(save) or int(save) < 1):
        raise InvalidInputError("save", save, '"final", "all", or a positive whole number n for every n-th step')
    every = int(save) if is_whole(save) else 1
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
    if t_eval is not None and is_whole(save):
        raise InvalidInputError("save", save, problem="a number and t_eval exclude each other")
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
        check_tolerance(tolerance)
        options["tolerance"] = tolerance
    return Job(found, method, form, times, None, options, int(width))


def check_inputs(inputs: Mapping[str, ArrayLike] | None, count: int) -> dict[str, Array]:
    """`inputs` as arrays with the members first."""
    if not isinstance(inputs, Mapping | None) or not all(isinstance(name, str) for name in inputs or ()):
        raise InvalidInputError("inputs", inputs, "arrays with the members first, by name")
    found = {}
    for name, values in (inputs or {}).items():
        try:
            found[name] = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            found[name] = np.empty(0)
        if not found[name].ndim or len(found[name]) != count:
            raise InvalidInputError(f"inputs[{name!r}]", values, f"an array of {count} numbers, one per member")
    return found


def check_workers(workers: int | None) -> int:
    """How many threads to use: by default as many as there are processors."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_whole(workers) or workers < 1:
        raise InvalidInputError("workers", workers, "a positive whole number")
    return int(workers)


def check_reductions(reduce: Mapping[str, Reduction] | None) -> Mapping[str, Reduction]:
    """`reduce`, if it is what it should be."""
    if reduce is None:
        return {}
    if not isinstance(reduce, Mapping) or not all(isinstance(k, str) and callable(f) for k, f in reduce.items()):
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


def run_blocks(task: Task, blocks: list[range], threads: int, progress: bool = False) -> Generator[Done, None, None]:
    """The computed blocks, as they finish; only a few are in memory at a time."""
    stop = StopFlag()
    task = replace(task, job=replace(task.job, stop=stop))
    with (
        members_bar(progress, len(task.job.members), blocks) as bar,
        ThreadPoolExecutor(threads, thread_name_prefix="ensemble") as pool,
    ):
        waiting = iter(blocks)
        running: set[Future[Done]] = set()
        try:
            while True:
                while len(running) < threads + 2 and (numbers := next(waiting, None)) is not None:
                    running.add(pool.submit(task, numbers))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda each: each.exception() is not None):  # what is good first
                    found = future.result()
                    if bar is not None:
                        bar.add(len(found.numbers), len(found.failures))
                    yield found
        finally:  # after an interruption or an error nobody wants the rest
            stop.set()
            for future in running:
                future.cancel()


def stream_to(
    store: str | os.PathLike[str],
    task: Task,
    client: Any,
    threads: int,
    progress: bool,
    provenance: Mapping[str, Any],
) -> Any:
    """Compute the blocks that a store does not have yet, in threads or on a cluster, and write each when it is done.
    Returns the store."""
    kept, task = above("ensemble_store")(store), replace(task, described=True)
    blocks = kept.begin(task, blocks_of(task.job, THREADS_OF_A_CLUSTER), provenance)
    if client is None:
        computed = run_blocks(task, blocks, threads, progress)
    else:
        from .cluster import run_on_cluster

        computed = run_on_cluster(client, task, blocks, progress)
    with kept.held(), closing(computed):  # whatever happens, nobody computes what is not written
        for done in computed:
            kept.write(done)
    return kept
