"""`simulate` and `resume`: they check the input, choose what is not given, and return a trajectory.

Time is `t0 + n·step` with an integer n. Everything that the method carries from step to step is stored with the result, so
that `resume` continues the run bit for bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import unwrap
from os import PathLike
from typing import Any, ParamSpec

from numpy.typing import ArrayLike

from ..core.call_help import explain_calls
from ..core.checks import check_positive
from ..core.dates import Epoch
from ..core.facade import above
from ..core.system import State
from ..core.units import Units
from ..errors import InvalidInputError
from ..methods import LGVI, Exact, Method
from .arguments import check_arguments, check_events, count_steps
from .checkpoints import run_in_legs, run_to_disk
from .events import Event
from .findings import in_words
from .fixed_step import job_of
from .job import Job
from .records import labels
from .sampled_control import Controller, Estimator, run_with_controller
from .sampling import Grid
from .tangent_columns import TangentColumns
from .to_tolerance import simulate_to_tolerance
from .trajectory import Trajectory

P = ParamSpec("P")


def _warned(run: Callable[P, Trajectory]) -> Callable[P, Trajectory]:
    """`run`, after which each warning about the trajectory is issued once, to its caller."""

    @wraps(run)
    def inner(*args: P.args, **kwargs: P.kwargs) -> Trajectory:
        trajectory = run(*args, **kwargs)
        for warning in trajectory.warnings:
            warnings.warn(warning, stacklevel=2)
        return trajectory

    return inner


OTHER_WORDS = {
    "dt": "step",
    "h": "step",
    "tol": "tolerance",
    "rtol": "tolerance",
    "tf": "t_end",
    "tend": "t_end",
    "T": "t_end",
}


@_warned
@explain_calls("simulate(state, step=0.01, t_end=10.0)", OTHER_WORDS)
def simulate(
    state: State,
    *,
    step: float | str | None = None,
    t_end: float | str | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    t_eval: ArrayLike | None = None,
    method: Method | None = None,
    save_every: int = 1,
    events: Sequence[Event] = (),
    progress: bool = False,
    tangent: bool | str | Sequence[str] = False,
    provenance: Mapping[str, Any] | None = None,
    units: Units | Mapping[str, str] | None = None,
    epoch: Epoch | str | Mapping[str, str] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    controller: Controller | None = None,
    every: float | str | None = None,
    estimator: Estimator | None = None,
    store: str | PathLike[str] | None = None,
) -> Trajectory:
    """Integrate the system of `state`, starting there, to `t_end` (which may lie before it).

    Without a `step`, method and step are chosen so that the error at the end is at most `tolerance` (default 1e-9): in rad
    for attitudes and angles, relative to its size for any other variable. `traj.accuracy` says what was chosen and
    estimates the error by a second run. A tolerance that rounding does not allow is answered by an `AccuracyWarning`.

    With a fixed `step` (negative: backwards in time) give either `t_end` or the number of `steps`; `method` then defaults to
    `LGVI(order=2)`. Every `save_every`-th step is saved, and always the first and the last. `events` are detected in every step, saved or not (see
    `polhode.simulation.events`); they are listed in `traj.events`, each with its `t` and `state`. An event that stops the run is its last sample.

    With `t_eval` the samples are at these times instead, in the direction of the step, and `t_end` is by default the last of
    them. They need not be on the grid of the steps. A method with a dense output of its own (`DOP853`) reads them off
    that, and needs no `step` unless there are events. Every other method goes on in whole steps, and to each time takes
    one shorter step from the last whole one before it: as accurate as the method, on the manifold, and no sample changes
    another. Such a run cannot be resumed.

    What gives reason to look at the result again, such as a step that is too long for an encounter, is answered by a
    `RunWarning`, each at most once; `traj.warnings` has all of them.

    With `tangent=True` the result also has `traj.tangent`, the derivative of each sample with respect to the first, exact
    for the discrete map. Rows and columns follow the variables of the state. A change of a rotation is the vector ξ in
    `R exp(S(ξ))`, a change of a momentum is the difference: for one body (ξ, δΠ). `tangent=["state", "mass", "inertia"]`
    adds a column for the derivative by each of these parameters of the system, at fixed variables of the first sample;
    `"parameters"` stands for all of them. `traj.tangent_names` names the columns.

    Ctrl-C raises `RunInterruptedError`, whose `.trajectory` holds what was computed; `resume` continues from there. An error
    in a potential or an event that you gave ends the run, and has the same `.trajectory`. With `checkpoint`, a folder,
    what was computed is stored there about every `checkpoint_every` seconds, and so is what was found of method and step; the
    same call goes on from it, bit for bit.

    With a fixed step and `controller`, a function of the time and the state, the named parameters of the system take the
    values that it returns, as in `{"u": [0.1, 0.0, 0.0]}`, and hold them until it is asked again after the time `every`. If
    there is an `estimator`, the controller gets `estimator(t, state)` instead of the true state. `traj.commands` holds what it commanded.

    `units`, such as `{"length": "km", "time": "s", "mass": "kg"}`, name the units that the numbers are in, and `epoch` is the
    date of t = 0: figures, files and exports then say so, and no number of the run changes. `step`, `t_end` and `every` may
    then be quantities with a unit, such as `"30 days"`.

    A result that is larger than memory goes to the file `store` instead: samples are written as they are computed, and the
    trajectory that is returned is only the last of them. A call that did not finish is continued by the same call. Read the
    file with `load`, or parts of it with `xarray.open_dataset`.

    >>> import polhode as ph
    >>> traj = ph.simulate(ph.Pendulum3D.example(), t_end=50.0, tolerance=1e-9)
    >>> traj.method, traj.accuracy.estimated_error < 1e-9
    (GaussLegendre(order=16), True)
    >>> body = ph.FreeRigidBody(inertia=[1, 2, 3])
    >>> traj = ph.simulate(body.state(omega=[0.7, -0.6, 0.5]), step=0.1, t_end=10.0)
    >>> len(traj), traj.R.shape
    (101, (101, 3, 3))
    >>> traj.drift()["energy"] < 1e-14
    True
    >>> ph.simulate(traj.final, step=0.1, t_eval=[10.05, 11.3, 20.0]).t
    array([10.05, 11.3 , 20.  ])
    """
    chosen = LGVI() if method is None else method
    check_arguments(state, chosen)
    provenance = labels(provenance, units, epoch)
    if isinstance(step, str):
        step = Units.given(units).number("step", step, "time")
    if isinstance(t_end, str):
        t_end = Units.given(units).number("t_end", t_end, "time")
    if isinstance(every, str):
        every = Units.given(units).number("every", every, "time")
    if controller is not None:
        _check_alone(
            tolerance=tolerance, t_eval=t_eval, events=events, tangent=tangent, checkpoint=checkpoint, store=store
        )
        chosen.check(state.system)
        extent = every, step, t_end, steps, save_every
        return run_with_controller(state, chosen, controller, estimator, *extent, provenance)
    for name, given in (("every", every), ("estimator", estimator)):
        if given is not None:
            raise InvalidInputError(name, given, problem=f"{name} belongs to a controller, and there is none")
    options: dict[str, Any] = {"save_every": save_every, "events": events, "tangent": tangent, "progress": progress}
    options["provenance"] = provenance
    stepless = method is not None and (method.adaptive or not method.order)  # such a method needs no step
    if stepless and tolerance is not None:
        raise InvalidInputError(
            "tolerance", tolerance, problem=f"{method!r} has an accuracy of its own: leave out tolerance or method"
        )
    if step is None and not (stepless and t_eval is not None):
        if steps is not None:
            raise InvalidInputError("steps", steps, problem="steps need a step: give step too, or t_end alone")
        if store is not None:
            raise InvalidInputError("store", str(store), problem="store needs a step: give step too")
        check_events(events, state.system, TangentColumns.of(state.system, tangent) is not None)  # before a long search
        found = partial(simulate_to_tolerance, state, t_end, tolerance, t_eval, method, options)
        return found() if checkpoint is None else _stored(found, checkpoint, state, checkpoint_every, events)
    if tolerance is not None:
        raise InvalidInputError(
            "tolerance", tolerance, problem="step and tolerance exclude each other: give one of them"
        )
    job, total = job_of(state, chosen, step=step, t_end=t_end, steps=steps, t_eval=t_eval, **options)
    if store is None and (checkpoint is None or isinstance(chosen, Exact)):  # whose samples are each computed by itself
        return job.complete(total)
    if store is None:
        return _stored(
            lambda stored: job.complete(total, lambda n: run_in_legs(job, n, *stored)),
            checkpoint,
            state,
            checkpoint_every,
            job.events,
        )
    if t_eval is not None:
        raise InvalidInputError("store", str(store), problem="store and t_eval exclude each other")
    seconds = check_positive("checkpoint_every", checkpoint_every, zero=True)
    if checkpoint is not None:
        raise InvalidInputError(
            "checkpoint", str(checkpoint), problem="store has checkpoints of its own: give one of them"
        )
    folder = above("segments_beside")(store, state.system, in_words(job.events))
    with folder.held():
        last = run_to_disk(job, total, folder, seconds)
        above("write_streamed")(folder, store)
        folder.remove()
    return last


def _stored(
    run: Callable[[tuple[Any, float]], Trajectory],
    path: str | PathLike[str] | None,
    state: State,
    every: float,
    events: Sequence[Event],
) -> Trajectory:
    """A run that stores what it computes in a folder, which belongs to it alone meanwhile."""
    seconds = check_positive("checkpoint_every", every, zero=True)
    folder = above("checkpoint_folder")(path, state.system, in_words(events))
    with folder.held():
        return run((folder, seconds))


run_without_warnings: Callable[..., Trajectory] = unwrap(simulate)
"""`simulate` for the library itself: the warnings about the run are in `traj.warnings` only."""


def _check_alone(**others: Any) -> None:
    """Refuse what a run with a controller does not do."""
    for name, given in others.items():
        if given is not None and given is not False and given != ():
            raise InvalidInputError(name, given, problem=f"{name} and controller exclude each other")


@_warned
def resume(
    trajectory: Trajectory,
    *,
    t_end: float | None = None,
    steps: int | None = None,
    events: Sequence[Event] = (),
    progress: bool = False,
) -> Trajectory:
    """Continue a run to `t_end`, or for a number of further `steps`. Returns the whole trajectory.

    The result is bit for bit that of one uninterrupted run; only `Exact` agrees to rounding.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> half = ph.simulate(start, step=0.1, steps=50)
    >>> bool((resume(half, steps=50).R == ph.simulate(start, step=0.1, steps=100).R).all())
    True
    """
    if not isinstance(trajectory, Trajectory):
        raise InvalidInputError("trajectory", trajectory, "the trajectory of an earlier run")
    if trajectory.carry is None or trajectory.reached is not None:
        raise InvalidInputError(
            "trajectory",
            trajectory,
            problem="this run cannot be continued: it was ended by an event, was sampled at t_eval, or is a part or a combination of runs",
        )
    start, done = trajectory.state(0), trajectory.stats.steps
    if steps is None:
        total = count_steps(start.t, trajectory.step, t_end, None)
        if total < done:
            raise InvalidInputError("t_end", t_end, f"a time at or after the end of the run, t = {trajectory.t[-1]:g}")
    else:
        total = done + count_steps(start.t, trajectory.step, t_end, steps)
    system, columns = trajectory.system, trajectory.tangent_columns
    watched = check_events(events, system, columns is not None)
    every, provenance = trajectory.save_every, dict(trajectory.provenance)
    schedule = Grid(start.t, trajectory.step, every)
    job = Job(system, trajectory.method, start, schedule, watched, columns, progress, provenance)
    return job.run(total, trajectory)
