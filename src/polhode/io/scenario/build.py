"""From a scenario to a run: the system, its initial state and the method are built once, checked, and kept as a `Plan`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.method import Method, known_methods
from ...core.system import State, System
from ...errors import IncompatibleMethodError, InvalidInputError, PolhodeError
from ...simulation.arguments import check_times, count_steps
from ...simulation.dense_output import whole_steps
from ...simulation.driver import resume, simulate
from ...simulation.events import Contact, Event
from ...simulation.trajectory import Trajectory
from ...systems.registry import known_systems
from ..memory import physical_memory
from .bodies import build_bodies
from .document import RunTable, Scenario
from .validation import ScenarioError, arguments, nearest


@dataclass(frozen=True)
class Plan:
    """A scenario ready to run; `memory` is the size of its samples in bytes."""

    scenario: Scenario
    system: System
    state: State
    method: Method
    steps: int
    samples: int
    memory: int
    events: list[Event]

    def run(
        self,
        *,
        progress: bool = False,
        steps: int | None = None,
        checkpoint: Path | None = None,
        checkpoint_every: float = 60.0,
    ) -> Trajectory:
        """Run it, or only its first `steps`, from its `checkpoint` on if there is one; the result's provenance holds the scenario's title, description and text."""
        run = self.scenario.document.run
        with _locate_errors(self.scenario.name, "run"):
            return simulate(
                self.state,
                method=self.method,
                step=run.step,
                **self._extent(steps),
                tangent=run.tangent,
                events=self.events,
                progress=progress,
                provenance=_provenance(self.scenario),
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
            )

    def _extent(self, steps: int | None) -> dict[str, Any]:
        """How far to run and what to save: the scenario's own, or its first `steps`."""
        run = self.scenario.document.run
        if run.t_eval is not None and steps is None:
            return {"t_eval": run.t_eval, "t_end": run.t_end}
        return {"steps": self.steps if steps is None else min(steps, self.steps), "save_every": run.save_every}

    def resume(self, earlier: Trajectory, *, progress: bool = False) -> Trajectory:
        """Run what is left to do after an `earlier`, unfinished run of the same scenario."""
        _check_earlier(self, earlier)
        with _locate_errors(self.scenario.name, "run"):
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
    system = _build(where, "system", document.system, known_systems())
    state = _build_state(where, system, document.state)
    method = _build(where, "method", document.method, known_methods())
    try:
        method.check(system)
    except IncompatibleMethodError as error:
        raise ScenarioError(where, "method.type", message=f"method.type: {error}") from error
    run = document.run
    steps = _count_steps(where, run, state, method)
    samples, memory = _check_memory(where, run, system, method, steps)
    return Plan(scenario, system, state, method, steps, samples, memory, _build_events(where, run, system))


def _build(where: str, section: str, table: dict[str, Any], known: Mapping[str, type[Any]]) -> Any:
    """The object that a table names by its `type`."""
    given = dict(table)
    name = given.pop("type", None)
    if name is None:
        raise ScenarioError(where, f"{section}.type", message=f"{section}.type is missing: one of {', '.join(known)}")
    if not isinstance(name, str) or name not in known:
        allowed = f"one of {', '.join(known)}{nearest(str(name), known)}"
        raise ScenarioError(where, f"{section}.type", name, allowed)
    with _locate_errors(where, section):
        given = build_bodies(where, section, known[name], given)
        return known[name](**arguments(where, section, known[name].__init__, given))


def _build_state(where: str, system: System, table: dict[str, Any]) -> State:
    with _locate_errors(where, "state"):
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


def _count_steps(where: str, run: RunTable, state: State, method: Method) -> int:
    """The whole steps of the run; with chosen times, up to the last of them."""
    if run.t_eval is not None:
        for name, given in (("steps", run.steps is not None), ("save_every", run.save_every != 1)):
            if given:
                problem = f"{name} and t_eval exclude each other"
                raise ScenarioError(where, f"run.{name}", getattr(run, name), problem=problem)
        with _locate_errors(where, "run"):
            _, end = check_times(run.t_eval, state.t, run.step, run.t_end)
            return whole_steps(state.t, end, run.step)[0]
    if run.t_end is not None and run.steps is not None:
        raise ScenarioError(where, "run.steps", run.steps, problem="give either t_end or steps, not both")
    if run.t_end is None and run.steps is None:
        raise ScenarioError(where, "run.t_end", message="run.t_end is missing: give either t_end or steps")
    if run.steps is not None:
        _check_memory(where, run, state.system, method, run.steps)
    with _locate_errors(where, "run"):
        return count_steps(state.t, run.step, run.t_end, run.steps)


def _check_memory(where: str, run: RunTable, system: System, method: Method, steps: int) -> tuple[int, int]:
    """The number of samples of so many steps and their size in bytes; an error if this machine cannot hold them."""
    layout = system.representations[method.representation].layout
    samples = 1 + -(-steps // run.save_every) if run.t_eval is None else len(run.t_eval)
    memory = 8 * samples * layout.size * (1 + layout.dimension if run.tangent else 1)
    if memory > physical_memory():
        problem = f"{samples:.3g} samples would take {memory / 1e9:.3g} GB, more than this machine has: use a larger save_every"
        raise ScenarioError(where, "run.save_every", run.save_every, problem=problem)
    return samples, memory


def _provenance(scenario: Scenario) -> dict[str, Any]:
    document = scenario.document
    found: dict[str, Any] = {"title": document.title, "description": document.description}
    found |= {"scenario": scenario.text, "scenario_file": scenario.name}
    if scenario.overrides:
        found["overrides"] = list(scenario.overrides)
    return found


def _check_earlier(plan: Plan, earlier: Trajectory) -> None:
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
        representation = plan.method.representation
        there, here = (plan.system.enter(representation, state) for state in (start, plan.state))
        different = [] if np.array_equal(there, here) else ["state"]
    if different:
        message = f"the earlier run cannot be continued: it has another {' and '.join(different)}"
        raise ScenarioError(where, "from", message=message)
    if earlier.carry is None or earlier.stats.steps > plan.steps:
        ended = earlier.provenance.get("ended", f"{earlier.stats.steps:,} steps are done")
        raise ScenarioError(where, "from", message=f"there is nothing left to do: {ended}")


@contextmanager
def _locate_errors(where: str, section: str) -> Iterator[None]:
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
