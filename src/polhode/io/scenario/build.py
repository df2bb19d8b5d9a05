"""From a scenario to a run: the system, its initial state and the method are built once, checked, and kept as a `Plan`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.method import Method, known_methods
from ...core.system import State, System
from ...errors import IncompatibleMethodError, InvalidInputError, PolhodeError
from ...methods import LGVI
from ...simulation.accuracy import check_tolerance, likely_run
from ...simulation.arguments import check_end, check_times, count_steps
from ...simulation.dense_output import whole_steps
from ...simulation.driver import resume, simulate
from ...simulation.events import Contact, Event
from ...simulation.trajectory import Trajectory
from ...systems.inputs.limits import formulas_of_a_file
from ...systems.registry import known_systems
from ..memory import physical_memory
from .bodies import build_bodies
from .document import RunTable, Scenario
from .validation import ScenarioError, arguments, nearest

LIBRARIES = 200_000_000  # bytes of Python, compiled code and the libraries for files, whatever is run
STREAMING = 60_000_000  # bytes of the samples that a run holds which writes them as it goes
SHARE = 0.5  # of this machine's memory, beyond which a run writes its samples as it goes


@dataclass(frozen=True)
class Plan:
    """A scenario ready to run; `memory` is what it takes at most to run and save it, in bytes. `stored` are the bytes,
    before they are compressed, that a run writes which has more samples than memory can hold, as it goes; else None.

    A run to a tolerance chooses its steps, and its method too if the scenario names none: what is not known yet is None.
    """

    scenario: Scenario
    system: System
    state: State
    method: Method | None
    steps: int | None
    samples: int | None
    memory: int | None
    events: list[Event]
    stored: int | None = None

    def run(
        self,
        *,
        progress: bool = False,
        steps: int | None = None,
        checkpoint: Path | None = None,
        checkpoint_every: float = 60.0,
        store: Path | None = None,
    ) -> Trajectory:
        """Run it, or only its first `steps`, from its `checkpoint` on if there is one. The result's provenance holds the
        scenario's title, description and text.

        With `store` the samples go to this file as they are computed, and the last one is returned."""
        run = self.scenario.document.run
        if self.stored is not None and store is None and steps is None:
            raise _too_large(self.scenario.name, run, self.samples, self.stored, "this machine has")
        with locate_errors(self.scenario.name, "run"):
            return simulate(
                self.state,
                method=self.method,
                **self._extent(steps),
                tangent=run.tangent,
                events=self.events,
                progress=progress,
                provenance=provenance_of(self.scenario),
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
                store=store,
            )

    def _extent(self, steps: int | None) -> dict[str, Any]:
        """How far to run and what to save: the scenario's own, or its first `steps`."""
        run = self.scenario.document.run
        if self.steps is None:
            times = {"save_every": run.save_every} if run.t_eval is None else {"t_eval": run.t_eval}
            return {"tolerance": run.tolerance, "t_end": run.t_end, **times}
        if run.t_eval is not None and steps is None:
            return {"step": run.step, "t_eval": run.t_eval, "t_end": run.t_end}
        count = self.steps if steps is None else min(steps, self.steps)
        return {"step": run.step, "steps": count, "save_every": run.save_every}

    def fixed(self) -> Plan:
        """The plan with the method and the step that a run to a tolerance will probably take: for its costs."""
        if self.steps is not None:
            return self
        document, name = self.scenario.document, self.scenario.name
        run, end = document.run, _check_extent(name, document.run, self.state)
        with locate_errors(name, "run"):
            tolerance, fastest = check_tolerance(run.tolerance), run.tolerance is not None
            method, steps = likely_run(self.state, end, tolerance, self.method, fastest=fastest, events=self.events)
        known = {"step": (end - self.state.t) / steps, "steps": steps, "tolerance": None, "t_end": None, "t_eval": None}
        scenario = replace(self.scenario, document=document.model_copy(update={"run": run.model_copy(update=known)}))
        samples, memory, _ = _check_memory(name, run, self.state, method, steps)
        return replace(self, scenario=scenario, method=method, steps=steps, samples=samples, memory=memory)

    def check_room(self, folder: Path) -> None:
        """Refuse a run whose samples do not fit on the disk that this folder is, or will be, on."""
        there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        if self.stored is not None and self.stored > shutil.disk_usage(there).free:
            raise _too_large(
                self.scenario.name, self.scenario.document.run, self.samples, self.stored, "the disk has room for"
            )

    def resume(self, earlier: Trajectory, *, progress: bool = False) -> Trajectory:
        """Run what is left to do after an `earlier`, unfinished run of the same scenario."""
        if self.steps is None:
            message = (
                "a run to a tolerance cannot be continued from a result: the same command goes on from its checkpoints"
            )
            raise ScenarioError(self.scenario.name, "from", message=message)
        _check_earlier(self, self.steps, earlier)
        with locate_errors(self.scenario.name, "run"):
            return resume(earlier, steps=self.steps - earlier.stats.steps, events=self.events, progress=progress)


def build_plan(scenario: Scenario) -> Plan:
    """Build the system, the state and the method of a scenario, and check all that can be checked without running.

    >>> from polhode.io.scenario.document import load_scenario
    >>> from polhode.io.scenario.examples import find_example
    >>> plan = build_plan(load_scenario(find_example("free_rigid_body"), ["run.steps=10"]))
    >>> plan.run().stats.steps
    10
    """
    where, document = scenario.name, scenario.document
    system = build_object(where, "system", document.system, known_systems())
    state = build_state(where, system, document.state)
    run = document.run
    method = build_method(where, document.method, run, system)
    events = _build_events(where, run, system)
    if run.step is None:
        _check_extent(where, run, state)
        samples = None if run.t_eval is None else len(run.t_eval)
        return Plan(scenario, system, state, method, None, samples, None, events)
    method = LGVI() if method is None else method
    if run.tolerance is not None:
        problem = "step and tolerance exclude each other: give one of them"
        raise ScenarioError(where, "run.tolerance", run.tolerance, problem=problem)
    steps = _count_steps(where, run, run.step, state, method)
    samples, memory, stored = _check_memory(where, run, state, method, steps)
    return Plan(scenario, system, state, method, steps, samples, memory, events, stored)


def build_object(where: str, section: str, table: dict[str, Any], known: Mapping[str, type[Any]]) -> Any:
    """The object that a table names by its `type`."""
    given = dict(table)
    name = given.pop("type", None)
    if name is None:
        raise ScenarioError(where, f"{section}.type", message=f"{section}.type is missing: one of {', '.join(known)}")
    if not isinstance(name, str) or name not in known:
        allowed = f"one of {', '.join(known)}{nearest(str(name), known)}"
        raise ScenarioError(where, f"{section}.type", name, allowed)
    with locate_errors(where, section), formulas_of_a_file():
        given = build_bodies(where, section, known[name], given)
        return known[name](**arguments(where, section, known[name].__init__, given))


def build_method(where: str, table: dict[str, Any], run: RunTable, system: System) -> Method | None:
    """The method that a scenario names, or None; with a step, options without a type are those of LGVI."""
    if not table:
        return None
    default = {} if run.step is None else {"type": LGVI.__name__}
    method: Method = build_object(where, "method", default | table, known_methods())
    try:
        method.check(system)
    except IncompatibleMethodError as error:
        raise ScenarioError(where, "method.type", message=f"method.type: {error}") from error
    return method


def build_state(where: str, system: System, table: dict[str, Any]) -> State:
    """The initial state that a table describes."""
    with locate_errors(where, "state"):
        state: State = system.state(**arguments(where, "state", type(system).state, table))
    if not all(np.all(np.isfinite(value)) for value in state.values.values()):
        raise ScenarioError(where, "state", message="the state is not finite: its numbers are too large")
    return state


def _build_events(where: str, run: RunTable, system: System) -> list[Event]:
    if run.contact == "ignore":
        return []
    contact = Contact(stop=run.contact == "stop")
    try:
        contact.check(system)
    except InvalidInputError as error:
        raise ScenarioError(where, "run.contact", run.contact, error.allowed, problem=error.problem) from error
    return [contact]


def _check_times(where: str, run: RunTable, state: State) -> float:
    """The end of a run with chosen times."""
    for name, given in (("steps", run.steps is not None), ("save_every", run.save_every != 1)):
        if given:
            problem = f"{name} and t_eval exclude each other"
            raise ScenarioError(where, f"run.{name}", getattr(run, name), problem=problem)
    with locate_errors(where, "run"):
        return check_times(run.t_eval, state.t, run.step, run.t_end)[1]


def _check_extent(where: str, run: RunTable, state: State) -> float:
    """The end of a run to a tolerance."""
    if run.steps is not None:
        problem = "a number of steps needs a step: give step too, or t_end instead of steps"
        raise ScenarioError(where, "run.steps", run.steps, problem=problem)
    if run.t_eval is None and run.t_end is None:
        raise ScenarioError(where, "run.t_end", message="run.t_end is missing: the time to end at")
    end = run.t_end if run.t_eval is None else _check_times(where, run, state)
    with locate_errors(where, "run"):
        return check_end(state.t, end)


def _count_steps(where: str, run: RunTable, step: float, state: State, method: Method) -> int:
    """The whole steps of the run; with chosen times, up to the last of them."""
    if run.t_eval is not None:
        end = _check_times(where, run, state)
        with locate_errors(where, "run"):
            return whole_steps(state.t, end, step)[0]
    if run.t_end is not None and run.steps is not None:
        raise ScenarioError(where, "run.steps", run.steps, problem="give either t_end or steps, not both")
    if run.t_end is None and run.steps is None:
        raise ScenarioError(where, "run.t_end", message="run.t_end is missing: give either t_end or steps")
    if run.steps is not None:
        _check_memory(where, run, state, method, run.steps)
    with locate_errors(where, "run"):
        return count_steps(state.t, step, run.t_end, run.steps)


def _check_memory(where: str, run: RunTable, state: State, method: Method, steps: int) -> tuple[int, int, int | None]:
    """The number of samples of so many steps, the bytes that running and saving them take at most, and those of the file if it
    has to be written as the run goes; an error if that is not possible."""
    samples = 1 + -(-steps // run.save_every) if run.t_eval is None else len(run.t_eval)
    held, written = _numbers(state, method, run.tangent)
    memory = LIBRARIES + 8 * samples * (held + written)
    if memory <= SHARE * physical_memory():
        return samples, memory, None
    if run.step is not None and run.t_eval is None:
        return samples, LIBRARIES + STREAMING, 2 * 8 * samples * written  # in segments, then in one file
    if memory > physical_memory():
        raise _too_large(where, run, samples, memory, "this machine has")
    return samples, memory, None


def _too_large(where: str, run: RunTable, samples: int | None, size: int, room: str) -> ScenarioError:
    problem = f"{samples:.3g} samples would take {size / 1e9:.3g} GB, more than {room}: use a larger save_every"
    return ScenarioError(where, "run.save_every", run.save_every, problem=problem)


def _numbers(state: State, method: Method, tangent: bool) -> tuple[int, int]:
    """How many numbers per sample are held when it is saved, the state twice, and how many the file tells of it."""
    layout = state.system.representations[method.representation].layout
    map_size = layout.size * layout.dimension if tangent else 0
    fields = sum(np.size(state.system.derive(name, state.values)) for name in state.system.fields)
    written = fields + sum(np.size(value) for value in state.invariants().values())
    return 2 * (layout.size + map_size), int(written)


def provenance_of(scenario: Scenario) -> dict[str, Any]:
    """What a result says of the scenario that it was made from."""
    document = scenario.document
    found: dict[str, Any] = {"title": document.title, "description": document.description}
    found |= {"scenario": scenario.text, "scenario_file": scenario.name}
    named = document.units.model_dump(exclude_none=True)
    found |= {"units": named} if named else {}
    found |= {"epoch": document.epoch.model_dump()} if document.epoch else {}
    if scenario.overrides:
        found["overrides"] = list(scenario.overrides)
    return found


def _check_earlier(plan: Plan, steps: int, earlier: Trajectory) -> None:
    """Refuse to continue the run of another scenario, or one that is complete."""
    where, run, start = plan.scenario.name, plan.scenario.document.run, earlier.state(0)
    compared = {
        "system": (earlier.system.describe(), plan.system.describe()),
        "method": (repr(earlier.method), repr(plan.method)),
        "step": (earlier.step, run.step),
        "save_every": (earlier.save_every, run.save_every),
        "start": (start.t, plan.state.t),
    }
    different = [name for name, (there, here) in compared.items() if there != here]
    if not different:
        representation = earlier.method.representation
        there, here = (plan.system.enter(representation, state) for state in (start, plan.state))
        different = [] if np.array_equal(there, here) else ["state"]
    if different:
        message = f"the earlier run cannot be continued: it has another {' and '.join(different)}"
        raise ScenarioError(where, "from", message=message)
    if earlier.carry is None or earlier.stats.steps > steps:
        ended = earlier.provenance.get("ended", f"{earlier.stats.steps:,} steps are done")
        raise ScenarioError(where, "from", message=f"there is nothing left to do: {ended}")


@contextmanager
def locate_errors(where: str, section: str) -> Iterator[None]:
    """Turn errors about an argument into errors about its place in the scenario."""
    try:
        yield
    except ScenarioError:
        raise
    except InvalidInputError as error:
        raise ScenarioError.located(where, f"{section}.{error.field}", error) from error
    except PolhodeError:
        raise
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        message = f"{section}: its numbers are too large, too small or too far apart to compute with ({error})"
        raise ScenarioError(where, section, message=message) from error
