"""Scenario files: one TOML file describes a run completely. Here it is read and its tables are validated.

    title = "A free body"
    [system]
    type = "FreeRigidBody"            # the class; the other keys are its constructor's arguments
    inertia = [1.0, 2.0, 3.0]
    [state]                           # the arguments of its `state`
    omega = [0.7, -0.6, 0.5]
    [method]                          # optional; LGVI of order 2 if left out (without a step: chosen)
    type = "LGVI"
    order = 4
    [run]
    step = 0.01                       # or tolerance = 1e-9, the error at the end; this is also the default
    t_end = 100.0                     # or steps = 10000
    save_every = 10                   # or t_eval = [0.0, 12.5, 100.0], the times of the samples
    contact = "stop"                  # or "continue" (record it and go on), "ignore" (the default)
    [output]                          # optional
    file = "free_body.nc"             # default: the scenario's own name
    plots = true                      # false, or a list of figures
    [units]                           # optional: names of the units that all numbers are in; "30 days" is then allowed too
    length = "m"
    time = "s"
    mass = "kg"
    [epoch]                           # optional: the date of t = 0
    date = 2031-05-04T00:00:00
    [ensemble]                        # optional, for `polhode ensemble`; see `ensemble.py`
    members = 1000
    [[ensemble.vary]]
    key = "state.omega[2]"
    distribution = "normal"
    std = 0.1
    [analysis]                        # optional, for `polhode analyse`; see `analysis.py`
    kind = "exponents"

The keys of [system], [state] and [method] are the arguments of the classes that they name; `build.py` validates them
where it makes the system, the state and the method. Tables of bodies are described in `bodies.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from ...simulation.accuracy import LOOSEST, TIGHTEST
from ...simulation.arguments import MOST_STEPS
from ..atomic_files import LONGEST_NAME
from .quantities import convert_quantities
from .toml_reader import DEEPEST, read_toml
from .validation import NUMBERS, ScenarioError, Table, expect, optional_numbers, validate

LARGEST_FILE = 1_000_000  # bytes
MOST_VALUES = 1_000_000  # of one key on a grid


def _nonzero(value: float) -> float:
    return expect(value != 0, value, "a nonzero number")


def _tolerance(value: float) -> float:
    return expect(TIGHTEST <= value <= LOOSEST, value, f"a number from {TIGHTEST:g} to {LOOSEST:g}")


def _plots(value: Any) -> Any:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return expect(names or isinstance(value, bool), value, "true, false, or a list of figure names")


def _file_name(value: Any) -> Any:
    plain = isinstance(value, str) and value.endswith(".nc") and value[0] != "." and value.isprintable()
    expect(plain and not set(value) & set('/\\:*?"<>|'), value, "a file name without a folder, ending in .nc")
    return expect(len(os.fsencode(value)) <= LONGEST_NAME, value, f"a file name of at most {LONGEST_NAME} bytes")


def _date(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value  # TOML has dates of its own


def _save(value: Any) -> Any:
    counted = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_STEPS
    return expect(counted or value in ("final", "all"), value, '"final", "all", or a positive whole number')


Numbers = Annotated[Any, BeforeValidator(optional_numbers), WithJsonSchema(NUMBERS)]


class RunTable(Table):
    """How far to integrate, and which samples to save."""

    step: Annotated[float, AfterValidator(_nonzero)] | None = Field(
        default=None, description="the time step, a nonzero number"
    )
    tolerance: Annotated[float, AfterValidator(_tolerance)] | None = Field(
        default=None, description="the error allowed at the end, instead of step; 1e-9 if neither is given"
    )
    t_end: float | None = Field(default=None, description="the time to end at; with step, a whole number of steps away")
    steps: int | None = Field(default=None, ge=0, description="the number of steps, instead of t_end")
    t_eval: list[float] | None = Field(
        default=None, min_length=1, description="the times of the samples, instead of steps"
    )
    save_every: int = Field(
        default=1, ge=1, le=MOST_STEPS, description="the number of steps from one sample to the next"
    )
    tangent: bool = Field(default=False, description="whether to compute the tangent map too")
    contact: Literal["ignore", "stop", "continue"] = Field(default="ignore", description="what to do when bodies touch")


class OutputTable(Table):
    """What to write."""

    file: Annotated[str | None, BeforeValidator(_file_name)] = Field(default=None, description="the result's file name")
    plots: Annotated[bool | list[str], BeforeValidator(_plots)] = Field(
        default=True, description="true, false, or the figures to draw"
    )


class VaryTable(Table):
    """One key of [system] or [state] in which the members of an ensemble differ: by a distribution, or on a grid."""

    key: str = Field(description='the key, such as "state.omega", "state.omega[2]" or "system.body1.mass"')
    distribution: Literal["normal", "uniform", "log_uniform", "sphere", "attitude"] | None = Field(
        default=None, description="random numbers; left out for a grid"
    )
    mean: Numbers = Field(default=None, description="of a normal distribution; default: the value in the file")
    std: Numbers = Field(
        default=None, description="standard deviation; of an attitude in rad, about the one in the file"
    )
    low: Numbers = Field(default=None, description="the least value")
    high: Numbers = Field(default=None, description="the largest value")
    radius: float | None = Field(default=None, description="the length of vectors on a sphere; default 1")
    values: list[Any] | None = Field(default=None, min_length=1, description="the values of a grid")
    count: int | None = Field(
        default=None, ge=1, le=MOST_VALUES, description="how many values a grid has from low to high"
    )
    spacing: Literal["linear", "log"] = Field(default="linear", description="of a grid from low to high")


class EnsembleTable(Table):
    """Many members that differ in some keys: `polhode ensemble`."""

    members: int = Field(default=1, ge=1, description="how many members there are, for each point of the grid if any")
    seed: int = Field(default=0, ge=0, description="of the random numbers")
    sampling: Literal["random", "sobol", "latin_hypercube"] = Field(
        default="random", description="independent numbers, or numbers that are spread evenly"
    )
    save: Annotated[str | int, BeforeValidator(_save)] = Field(
        default="final", description='"final", "all", or n for every n-th step'
    )
    vary: list[VaryTable] = Field(min_length=1, description="what differs between the members")


class UnitsTable(Table):
    """The units that the numbers of the scenario are in, by their names in UDUNITS."""

    length: str | None = Field(default=None, description="such as m, km, au")
    time: str | None = Field(default=None, description="such as s, min, h, day")
    mass: str | None = Field(default=None, description="such as kg, g, t")
    angle: str | None = Field(
        default=None, description="that figures show angles in: degree or rad; numbers without a unit are in rad"
    )


class EpochTable(Table):
    """The date of t = 0, and the inertial frame of the coordinates."""

    date: Annotated[str, BeforeValidator(_date)] = Field(description="such as 2031-05-04T12:00:00")
    time_system: str = Field(default="TDB", description="that of the date: TDB, TT, UTC, …")
    frame: str = Field(default="J2000", description="the inertial frame")
    centre: str = Field(default="ORIGIN", description="the body at its origin")


class AxisTable(Table):
    """One axis of a chaos map."""

    key: str = Field(description='a key of [system] or [state], such as "state.omega[2]"')
    values: list[float] | None = Field(default=None, min_length=2, description="the values, rising")
    low: float | None = Field(default=None, description="the least value, instead of values")
    high: float | None = Field(default=None, description="the largest value")
    count: int | None = Field(
        default=None, ge=2, le=MOST_VALUES, description="how many values there are from low to high"
    )


class AnalysisTable(Table):
    """What `polhode analyse` computes; which keys matter depends on the kind."""

    kind: Literal["exponents", "chaos_map", "section", "family"] = Field(description="what to compute")
    indicator: Literal["megno", "fli", "lyapunov"] = Field(default="megno", description="of a chaos map")
    x: AxisTable | None = Field(default=None, description="the first axis of a chaos map")
    y: AxisTable | None = Field(default=None, description="the second axis of a chaos map")
    section: str | None = Field(default=None, description='what vanishes on the section, such as "omega[0] - 0.2"')
    crossings: int | None = Field(default=None, ge=1, description="how many crossings; without it, all until t_end")
    direction: Literal[-1, 0, 1] = Field(default=1, description="of crossings, or in which a family starts")
    axes: list[str] = Field(default=[], max_length=2, description="the two quantities of the figure of a section")
    motion: Literal["equilibrium", "relative_equilibrium", "periodic", "libration"] = Field(
        default="relative_equilibrium", description="of a family: which kind of motion to find near the state"
    )
    parameter: str | None = Field(default=None, description="of a family: a parameter, a conserved quantity or period")
    to: float | None = Field(default=None, description="the value that the parameter of a family has to reach")
    within: list[float] | None = Field(default=None, min_length=2, max_length=2, description="its range, instead of to")
    hold: list[str] = Field(
        default=[],
        description="of a family: quantities that all its members have in common, such as a conserved momentum",
    )
    hold_start: list[str] = Field(
        default=[], description="of a family: quantities that the first member has in common with the state"
    )
    arc: float = Field(default=0.05, gt=0.0, description="the first step along a family; 1 is the whole range")
    most: int = Field(default=200, ge=2, description="the most members of a family")
    period: float | None = Field(default=None, gt=0.0, description="a guess, for a family of periodic motions")
    relative: bool = Field(default=False, description="whether periodic motions are so up to symmetries")
    mode: int = Field(default=0, ge=0, description="of a libration: its number, by falling frequency")
    amplitude: float = Field(default=0.02, gt=0.0, description="of the first libration, relative to the variables")
    steps: int = Field(default=100, ge=1, description="steps per period")
    quantities: list[str] = Field(default=["energy"], min_length=1, description="columns of the table of a family")


class Document(Table):
    """A scenario file."""

    title: str = Field(default="", description="what this run is, in one line")
    description: str = Field(default="", description="more about it")
    system: dict[str, Any] = Field(description="a table with the system's type and its parameters")
    state: dict[str, Any] = Field(description="a table with the initial state; what is left out has its default")
    method: dict[str, Any] = Field(default={}, description="a table with the method's type and options")
    run: RunTable = Field(description="a table with t_end, and step or tolerance")
    output: OutputTable = Field(default=OutputTable(), description="a table with what to write")
    units: UnitsTable = Field(default=UnitsTable(), description="a table with the names of the units")
    epoch: EpochTable | None = Field(
        default=None, description='a table with the date of t = 0, as in epoch.date = "2031-05-04"'
    )
    ensemble: EnsembleTable | None = Field(default=None, description="a table with what differs between members")
    analysis: AnalysisTable | None = Field(default=None, description="a table with what `polhode analyse` computes")


@dataclass(frozen=True)
class Scenario:
    """A scenario that was read: its file's name and text, the "key=value" overrides, and the validated document."""

    name: str
    text: str
    overrides: tuple[str, ...]
    document: Document

    @property
    def output_name(self) -> str:
        """The name of the result's file."""
        return self.document.output.file or f"{Path(self.name).stem}.nc"


def load_scenario(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario. `overrides` change it: `["run.step=0.01", "method.type=QuaternionVI"]`; "run.steps=" removes.

    >>> from polhode.io.scenario.examples import find_example
    >>> scenario = load_scenario(find_example("free_rigid_body"), ["run.steps=10"])
    >>> scenario.document.run.steps
    10
    """
    file = Path(path)
    return scenario_from_text(file.name, _read(file), overrides)


def _why_not_toml(name: str, text: str, error: ValueError) -> str:
    """What tomllib says, the line that it is about, and advice where the reason can be guessed."""
    if name.endswith(".py"):
        return f"this is a Python program, not a scenario: run it with `python {name}`"
    place = re.search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    line = lines[int(place[1]) - 1].strip() if place and int(place[1]) <= len(lines) else ""
    advice = ""
    if re.fullmatch(r"[\w.]+\s*=\s*[A-Za-z_][^\"']*", line):
        advice = "; text needs quotes"
    elif re.fullmatch(r"[\w.]+\s*:.*", line):
        advice = "; TOML has = between a key and its value"
    elif re.fullmatch(r"[\w.]+\s*=\s*[+-]?\d+,\d+", line):
        advice = "; decimals have a point: " + line.replace(",", ".")
    return f"not TOML: {error}" + (f", in {line[:60]!r}" if line else "") + advice


def scenario_from_text(name: str, text: str, overrides: Sequence[str] = ()) -> Scenario:
    """The scenario that a file of this name with this text holds."""
    try:
        document = read_toml(text)
    except ValueError as error:
        raise ScenarioError(name, "file", message=_why_not_toml(name, text, error)) from None
    if not document:
        raise ScenarioError(name, "file", message=f"the file is empty; it needs {_required_tables()}")
    for override in overrides:
        _apply_override(document, override)
    document = convert_quantities(name, document)
    return Scenario(name, text, tuple(overrides), validate(name, (), Document, document))


def _read(file: Path) -> str:
    """The text of a scenario file."""
    if file.suffix in (".nc", ".zarr"):
        raise ScenarioError(
            str(file), "file", message="this is a result; a scenario is a TOML file: see polhode info FILE"
        )
    if file.is_dir():
        raise ScenarioError(str(file), "file", message="this is a folder; a scenario is a TOML file")
    if file.is_fifo() and file.parts[:2] != ("/", "dev"):  # those in /dev are what a shell hands over
        raise ScenarioError(str(file), "file", message="this is a pipe, on which a reader may wait forever")
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # a null character in the name
        raise ScenarioError(str(file), "file", message=f"cannot be read: {getattr(error, 'strerror', error)}") from None
    if len(content) > LARGEST_FILE:
        raise ScenarioError(file.name, "file", message=f"larger than {LARGEST_FILE // 1000} kB: not a scenario file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(file.name, "file", message=f"not a text file in UTF-8 (at byte {error.start})") from None


def _required_tables() -> str:
    needed = [f"[{name}]" for name, field in Document.model_fields.items() if field.is_required()]
    return ", ".join(needed[:-1]) + f" and {needed[-1]}"


def _apply_override(document: dict[str, Any], text: str) -> None:
    """Put one "table.key=value" into the document; the value is TOML, or else text. "table.key=" removes the key."""
    key, equals, value = (part.strip() for part in text.partition("="))
    *tables, last = key.split(".")
    if not equals or not all([*tables, last]) or len(text.splitlines()) > 1 or len(tables) > DEEPEST // 2:
        raise ScenarioError("--set", "set", text, "KEY=VALUE on one line, as in run.step=0.01")
    for name in tables:
        document = document.setdefault(name, {})
        if not isinstance(document, dict):
            raise ScenarioError("--set", "set", text, problem=f"{name!r} is not a table")
    if not value:
        document.pop(last, None)
        return
    try:
        document[last] = read_toml(f"value = {value}")["value"]
    except ValueError:
        document[last] = value
