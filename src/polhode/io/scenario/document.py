"""Scenarios: one TOML file describes a run completely.

    title = "A free body"
    [system]
    type = "FreeRigidBody"            # the class; the other keys are its constructor's arguments
    inertia = [1.0, 2.0, 3.0]
    [state]                           # the arguments of its `state`
    omega = [0.7, -0.6, 0.5]
    [method]                          # optional; LGVI of order 2 if left out
    type = "LGVI"
    order = 4
    [run]
    step = 0.01
    t_end = 100.0                     # or steps = 10000
    save_every = 10
    contact = "stop"                  # or "continue" (note it and go on), "ignore" (the default)
    [output]                          # optional
    file = "free_body.nc"             # default: the scenario's own name
    plots = true                      # false, or a list of figures

Which keys [system], [state] and [method] may have is read off the signatures of the classes that they name; those of the
bodies, in `body_tables`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from ...core.method import Method, known_methods
from ...core.system import State, System
from ...errors import IncompatibleMethodError, InvalidInputError, PolhodeError
from ...simulation.arguments import MOST_STEPS, count_steps
from ...simulation.driver import resume, simulate
from ...simulation.events import Contact, Event
from ...simulation.trajectory import Trajectory
from ...systems.registry import known_systems
from ..atomic_files import LONGEST_NAME
from .bodies import with_bodies
from .validation import ScenarioError, Table, arguments, expect, nearest, validate

LARGEST_FILE = 1_000_000
DEFAULT_METHOD = {"type": "LGVI"}


def _nonzero(value: float) -> float:
    return expect(value != 0, value, "a nonzero number")


def _plots(value: Any) -> Any:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return expect(names or isinstance(value, bool), value, "true, false, or a list of figure names")


def _file_name(value: Any) -> Any:
    plain = isinstance(value, str) and value.endswith(".nc") and value[0] != "." and value.isprintable()
    expect(plain and not set(value) & set('/\\:*?"<>|'), value, "a file name without a folder, ending in .nc")
    return expect(len(os.fsencode(value)) <= LONGEST_NAME, value, f"a file name of at most {LONGEST_NAME} bytes")


class RunTable(Table):
    """How far to go, and what to keep."""

    step: Annotated[float, AfterValidator(_nonzero)] = Field(description="the time step, a nonzero number")
    t_end: float | None = Field(default=None, description="the time to end at, a whole number of steps away")
    steps: int | None = Field(default=None, ge=0, description="the number of steps, instead of t_end")
    save_every: int = Field(default=1, ge=1, le=MOST_STEPS, description="keep every so many steps")
    tangent: bool = Field(default=False, description="whether to compute the tangent map too")
    contact: Literal["ignore", "stop", "continue"] = Field(default="ignore", description="what to do when bodies touch")


class OutputTable(Table):
    """What to write."""

    file: Annotated[str | None, BeforeValidator(_file_name)] = Field(default=None, description="the result's file name")
    plots: Annotated[bool | list[str], BeforeValidator(_plots)] = Field(default=True, description="whether, or which")


class Document(Table):
    """A scenario file."""

    title: str = Field(default="", description="what this run is, in one line")
    description: str = Field(default="", description="more about it")
    system: dict[str, Any] = Field(description="a table with the system's type and its parameters")
    state: dict[str, Any] = Field(description="a table with the initial state; what is left out has its default")
    method: dict[str, Any] = Field(default=DEFAULT_METHOD, description="a table with the method's type and options")
    run: RunTable = Field(description="a table with step, and t_end or steps")
    output: OutputTable = OutputTable()


@dataclass(frozen=True)
class Plan:
    """What a scenario would run, and how large the samples in memory are, in bytes."""

    system: System
    state: State
    method: Method
    steps: int
    samples: int
    memory: int
    events: list[Event]


@dataclass(frozen=True)
class Scenario:
    """A scenario: its name, its text, changes made to it as "key=value", and what it says."""

    name: str
    text: str
    overrides: tuple[str, ...]
    document: Document

    @property
    def output_name(self) -> str:
        """The name of the result's file."""
        return self.document.output.file or f"{Path(self.name).stem}.nc"

    def build(self) -> tuple[System, State, Method]:
        """The system, its initial state and the method."""
        system = self._make("system", self.document.system, known_systems())
        with self._located("state"):
            state = system.state(**arguments(self.name, "state", type(system).state, self.document.state))
        if not all(np.all(np.isfinite(value)) for value in state.values.values()):
            raise ScenarioError(self.name, "state", problem="the state is not finite: its numbers are too large")
        return system, state, self._make("method", self.document.method, known_methods())

    def plan(self) -> Plan:
        """All that can be checked without running."""
        system, state, method = self.build()
        try:
            method.check(system)
        except IncompatibleMethodError as error:
            raise ScenarioError(self.name, "method.type", problem=f"method.type: {error}") from error
        run = self.document.run
        if run.t_end is not None and run.steps is not None:
            raise ScenarioError(self.name, "run.steps", run.steps, "either t_end or steps, not both")
        if run.t_end is None and run.steps is None:
            raise ScenarioError(
                self.name, "run.t_end", problem="run.t_end is missing: either t_end or steps must be given"
            )
        if run.steps is not None:
            self._memory(system, method, run.steps)
        with self._located("run"):
            steps = count_steps(state.t, run.step, run.t_end, run.steps)
        samples, memory = self._memory(system, method, steps)
        events: list[Event] = [] if run.contact == "ignore" else [Contact(stop=run.contact == "stop")]
        for event in events:
            try:
                event.check(system)
            except InvalidInputError as error:
                raise ScenarioError(self.name, "run.contact", run.contact, error.allowed) from error
        return Plan(system, state, method, steps, samples, memory, events)

    def _memory(self, system: System, method: Method, steps: int) -> tuple[int, int]:
        """How many samples so many steps leave, and their size in bytes, if this machine can hold them."""
        run, layout = self.document.run, system.representations[method.representation].layout
        samples = 1 + -(-steps // run.save_every)
        memory = 8 * samples * layout.size * (1 + layout.dimension if run.tangent else 1)
        if memory > _physical_memory():
            allowed = (
                f"a larger number: {samples:.3g} samples would take {memory / 1e9:.3g} GB, more than this machine has"
            )
            raise ScenarioError(self.name, "run.save_every", run.save_every, allowed)
        return samples, memory

    def run(self, *, progress: bool = False, steps: int | None = None, earlier: Trajectory | None = None) -> Trajectory:
        """Run it, or only its first `steps`, or what an `earlier`, unfinished run of it left; the result's provenance
        holds the scenario's text."""
        plan = self.plan()
        if earlier is not None:
            self._check_earlier(plan, earlier)
            with self._located("run"):
                return resume(earlier, steps=plan.steps - earlier.stats.steps, events=plan.events, progress=progress)
        provenance: dict[str, Any] = {"scenario": self.text, "scenario_file": self.name}
        if self.overrides:
            provenance["overrides"] = list(self.overrides)
        with self._located("run"):
            return simulate(
                plan.state,
                method=plan.method,
                step=self.document.run.step,
                steps=plan.steps if steps is None else min(steps, plan.steps),
                save_every=self.document.run.save_every,
                tangent=self.document.run.tangent,
                events=plan.events,
                progress=progress,
                provenance=provenance,
            )

    def _check_earlier(self, plan: Plan, earlier: Trajectory) -> None:
        """Refuse to go on from the run of something else."""
        run, start = self.document.run, earlier.state(0)
        here = {
            "system": (earlier.system.describe(), plan.system.describe()),
            "method": (repr(earlier.method), repr(plan.method)),
            "step": (earlier.step, run.step),
            "save_every": (earlier.save_every, run.save_every),
            "start": (start.t, plan.state.t),
        }
        other = [name for name, (there, wanted) in here.items() if there != wanted]
        if not other:
            representation = plan.method.representation
            first, wanted = (plan.system.enter(representation, state) for state in (start, plan.state))
            other = [] if np.array_equal(first, wanted) else ["state"]
        if other:
            raise ScenarioError(self.name, "from", problem=f"the run to go on from has another {' and '.join(other)}")
        if earlier.carry is None or earlier.stats.steps > plan.steps:
            ended = earlier.provenance.get("ended", f"{earlier.stats.steps:,} steps are done")
            raise ScenarioError(self.name, "from", problem=f"there is nothing left to do: {ended}")

    def _make(self, section: str, table: dict[str, Any], known: Mapping[str, type[Any]]) -> Any:
        """The object that a table names by its `type`."""
        given = dict(table)
        name = given.pop("type", None)
        if name is None:
            raise ScenarioError(
                self.name, f"{section}.type", problem=f"{section}.type is missing: one of {', '.join(known)}"
            )
        if not isinstance(name, str) or name not in known:
            allowed = f"one of {', '.join(known)}{nearest(str(name), known)}"
            raise ScenarioError(self.name, f"{section}.type", name, allowed)
        with self._located(section):
            given = with_bodies(self.name, section, known[name], given)
            return known[name](**arguments(self.name, section, known[name].__init__, given))

    @contextmanager
    def _located(self, section: str) -> Iterator[None]:
        """Errors about an argument become errors about its place in the file."""
        try:
            yield
        except ScenarioError:
            raise
        except InvalidInputError as error:
            raise ScenarioError(self.name, f"{section}.{error.field}", error.value, error.allowed) from error
        except PolhodeError:
            raise
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            problem = f"{section}: its numbers are too large, too small or too far apart to compute with ({error})"
            raise ScenarioError(self.name, section, problem=problem) from error


def load_scenario(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario. `overrides` change it: `["run.step=0.01", "method.type=QuaternionVI"]`; "run.steps=" removes.

    >>> from polhode.io.scenario.examples import find_example
    >>> scenario = load_scenario(find_example("free_rigid_body"), ["run.steps=10"])
    >>> scenario.run().stats.steps
    10
    """
    file = Path(path)
    text = _read(file)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(file.name, "file", problem="lists are nested too deeply") from None
    except ValueError as error:
        raise ScenarioError(file.name, "file", problem=f"not TOML: {error}") from None
    if not document:
        raise ScenarioError(file.name, "file", problem=f"the file is empty; it needs {_tables()}")
    document.setdefault("method", dict(DEFAULT_METHOD))
    for override in overrides:
        _override(document, override)
    return Scenario(file.name, text, tuple(overrides), validate(file.name, (), Document, document))


def _read(file: Path) -> str:
    """The text of a scenario file."""
    if file.is_dir():
        raise ScenarioError(str(file), "file", problem="this is a folder; a scenario is a TOML file")
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ScenarioError(str(file), "file", problem=f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise ScenarioError(file.name, "file", problem=f"larger than {LARGEST_FILE // 1000} kB: this is no scenario")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(file.name, "file", problem=f"not a text file in UTF-8 (at byte {error.start})") from None


def _tables() -> str:
    needed = [f"[{name}]" for name, field in Document.model_fields.items() if field.is_required()]
    return ", ".join(needed[:-1]) + f" and {needed[-1]}"


def _override(document: dict[str, Any], text: str) -> None:
    """Put one "table.key=value" into the document; the value is TOML, or else text. "table.key=" takes the key out."""
    key, equals, value = (part.strip() for part in text.partition("="))
    *tables, last = key.split(".")
    if not equals or not all([*tables, last]) or len(text.splitlines()) > 1:
        raise ScenarioError("--set", "set", text, "KEY=VALUE on one line, as in run.step=0.01")
    for name in tables:
        document = document.setdefault(name, {})
        if not isinstance(document, dict):
            raise ScenarioError("--set", "set", text, f"a key of a table, and {name} is none")
    if not value:
        document.pop(last, None)
        return
    try:
        document[last] = tomllib.loads(f"value = {value}")["value"]
    except ValueError:
        document[last] = value


def _physical_memory() -> float:
    """This machine's memory in bytes; infinite where it cannot be asked."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")
