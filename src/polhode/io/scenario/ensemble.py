"""From the [ensemble] table of a scenario to its members.

[ensemble]
members = 1000                    # for each point of the grid, if there is one
seed = 1
sampling = "random"               # or "sobol", "latin_hypercube"
save = 10                         # or "final" (the default), "all"
[[ensemble.vary]]
key = "state.omega"               # about the value in the file; "state.omega[2]" for one component
distribution = "normal"           # or "uniform", "log_uniform" (low, high), "sphere" (radius)
std = 0.05
[[ensemble.vary]]
key = "state.q"                   # or "state.R"
distribution = "attitude"         # uniform, or with std: about the attitude in the file
[[ensemble.vary]]
key = "system.inertia[0]"
low = 0.8                         # a grid: no distribution; or values = [0.8, 1.0, 1.3]
high = 1.2
count = 5
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.method import Method
from ...core.system import State, System
from ...ensemble import Ensemble, distributions, ensemble, stream
from ...ensemble.distributions import Distribution
from ...ensemble.members import Members
from ...geometry import quaternion
from ...systems.registry import known_systems
from ..ensemble_store import EnsembleStore
from .build import build_method, build_object, build_state, locate_errors, provenance_of
from .document import EnsembleTable, RunTable, Scenario, VaryTable, scenario_from_text
from .validation import ScenarioError

Array = NDArray[np.float64]
KEY = re.compile(r"(system|state)((?:\.\w+|\[\d+\])+)")
PART = re.compile(r"\.(\w+)|\[(\d+)\]")
LONGEST_KEY = 1000  # characters; Python reads whole numbers of some thousand digits only
MOST_MEMBERS = 100_000_000
VARIED = "ensemble.vary.key"


class ScenarioMembers(Members):
    """The members of a scenario's ensemble, made from its tables with other values in some keys."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def __reduce__(self) -> tuple[Any, ...]:
        return known_members, (self.scenario.name, self.scenario.text, self.scenario.overrides)

    def __len__(self) -> int:
        return len(self.draws.numbers)

    @cached_property
    def draws(self) -> Draws:
        """The values of all members."""
        return draw(self.scenario)

    @cached_property
    def _known(self) -> dict[str, type[System]]:
        return known_systems()  # which every member asks for

    @cached_property
    def _base(self) -> System:
        return build_object(self.scenario.name, "system", self.scenario.document.system, self._known)  # type: ignore[no-any-return]

    @property
    def system(self) -> System | None:
        """The one that all share, unless a key of [system] is varied."""
        return None if any(key.startswith("system.") for key in self.draws.inputs) else self._base

    def state(self, i: int) -> State:
        document = self.scenario.document
        tables = {"state": deepcopy(document.state), "system": document.system}
        if self.system is None:
            tables["system"] = deepcopy(document.system)
        for key, values in self.draws.inputs.items():
            place(self.scenario.name, tables, key, values[i].tolist())
        where = f"{self.scenario.name}, member {i}"
        system = self.system or build_object(where, "system", tables["system"], self._known)
        if i == 0 or self.system is None:
            return build_state(where, system, tables["state"])
        with locate_errors(where, "state"):  # its keys are those of the first, which were checked
            return system.state(**tables["state"])  # type: ignore[no-any-return]


@lru_cache(maxsize=2)
def known_members(name: str, text: str, overrides: tuple[str, ...]) -> ScenarioMembers:
    """The members of a scenario, whose values are drawn once in a process that computes many blocks of them."""
    return ScenarioMembers(scenario_from_text(name, text, overrides))


@dataclass(frozen=True)
class Draws:
    """The number of each member, and by key the values of all members."""

    numbers: range
    inputs: dict[str, Array]


def draw(scenario: Scenario) -> Draws:
    """The values of all members: points of the grid, and random numbers that depend on the seed and the member alone."""
    table, where = ensemble_table(scenario), scenario.name
    grids = {vary.key: grid_values(where, i, vary) for i, vary in enumerate(table.vary) if vary.distribution is None}
    points = int(np.prod([len(values) for values in grids.values()], dtype=object))
    count = points * table.members
    if count > MOST_MEMBERS:
        raise ScenarioError(where, "ensemble.members", table.members, problem=f"there would be {count:.3g} members")
    laws = {v.key: distribution(scenario, i, v) for i, v in enumerate(table.vary) if v.distribution is not None}
    if len(grids) + len(laws) < len(table.vary):
        raise ScenarioError(where, "ensemble.vary", message="ensemble.vary names a key twice")
    if not laws and table.members > 1:
        problem = "without a distribution all members of a point of the grid would be the same"
        raise ScenarioError(where, "ensemble.members", table.members, problem=problem)
    inputs: dict[str, Array] = {}
    index = np.arange(count) // table.members
    for key, values in reversed(grids.items()):  # the last grid runs fastest
        inputs[key] = values[index % len(values)]
        index //= len(values)
    dimension = sum(law.dimension for law in laws.values())
    unit, at = distributions.unit_points(count, dimension, table.seed, table.sampling), 0
    for key, law in laws.items():
        inputs[key] = law.values(unit[:, at : at + law.dimension])
        at += law.dimension
        if key.partition("[")[0].endswith(".R"):
            inputs[key] = quaternion.to_matrix(inputs[key]) if inputs[key].shape[1:] == (4,) else inputs[key]
    return Draws(range(count), {vary.key: inputs[vary.key] for vary in table.vary})


def ensemble_table(scenario: Scenario) -> EnsembleTable:
    """The [ensemble] table of a scenario."""
    table = scenario.document.ensemble
    if table is None:
        message = "there is no [ensemble] table: it says what differs between members"
        raise ScenarioError(scenario.name, "ensemble", message=message)
    return table


def grid_values(where: str, i: int, vary: VaryTable) -> Array:
    """The values of a grid."""
    spot = f"ensemble.vary[{i}]"
    unused = [name for name in ("mean", "std", "radius") if getattr(vary, name) is not None]
    if unused:
        raise ScenarioError(where, f"{spot}.{unused[0]}", getattr(vary, unused[0]), problem="needs a distribution")
    if (vary.values is None) == (vary.count is None):
        message = f"{spot}: give a distribution, or values, or low, high and count"
        raise ScenarioError(where, spot, message=message)
    if vary.values is not None:
        try:
            return np.array(vary.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ScenarioError(where, f"{spot}.values", vary.values, "numbers, or lists of equal length") from None
    ends = (vary.low, vary.high)
    if not all(isinstance(end, (int, float)) for end in ends):
        raise ScenarioError(where, f"{spot}.low", vary.low, problem="a grid needs low and high, each one number")
    low, high = (float(end) for end in ends)  # type: ignore[arg-type]
    if vary.spacing == "log" and not (low > 0.0 and high > 0.0):
        raise ScenarioError(where, f"{spot}.low", low, problem="a logarithmic grid needs positive numbers")
    make: Any = np.linspace if vary.spacing == "linear" else np.geomspace
    return np.asarray(make(low, high, vary.count), dtype=np.float64)


def distribution(scenario: Scenario, i: int, vary: VaryTable) -> Distribution:
    """The distribution that a table asks for."""
    used = {
        "normal": ("mean", "std"),
        "uniform": ("low", "high"),
        "log_uniform": ("low", "high"),
        "sphere": ("radius",),
        "attitude": ("std",),
    }[str(vary.distribution)]
    spot, where = f"ensemble.vary[{i}]", scenario.name
    for name in ("mean", "std", "low", "high", "radius", "values", "count"):
        if getattr(vary, name) is not None and name not in used:
            problem = f"not an option of the distribution {vary.distribution!r}, which has {', '.join(used)}"
            raise ScenarioError(where, f"{spot}.{name}", getattr(vary, name), problem=problem)
    given = {name: getattr(vary, name) for name in used if getattr(vary, name) is not None}
    if vary.distribution == "normal" and "mean" not in given:
        given["mean"] = value_at(scenario, vary.key)
        if given["mean"] is None:
            raise ScenarioError(where, f"{spot}.mean", message=f"{spot}.mean is missing: the file has no {vary.key}")
    if vary.distribution == "attitude":
        name = vary.key.rpartition(".")[2]
        if name not in ("q", "R"):
            raise ScenarioError(where, f"{spot}.key", vary.key, 'an attitude, "state.q" or "state.R"')
        base = value_at(scenario, vary.key)
        given["base"] = base if base is None or name == "q" else quaternion.from_matrix(base)
    required = [name for name in used if name not in given and name not in ("radius", "std")]
    required += ["std"] if vary.distribution == "normal" and "std" not in given else []
    if required:
        raise ScenarioError(where, f"{spot}.{required[0]}", message=f"{spot}.{required[0]} is missing")
    with locate_errors(where, spot):
        return getattr(distributions, str(vary.distribution))(**given)  # type: ignore[no-any-return]


def parts_of_key(where: str, key: str, field: str = VARIED) -> tuple[str, list[str | int]]:
    """The table that a key is in, and the names and numbers that lead to it.

    >>> parts_of_key("body.toml", "system.bodies[1].mass")
    ('system', ['bodies', 1, 'mass'])
    """
    match = KEY.fullmatch(key)
    if match is None or len(key) > LONGEST_KEY:
        allowed = 'a key of [system] or [state], such as "state.omega[2]" or "system.body1.mass"'
        raise ScenarioError(where, field, key, allowed)
    return match[1], [name or int(number) for name, number in PART.findall(match[2])]


def place(where: str, tables: dict[str, Any], key: str, value: Any, field: str = VARIED) -> None:
    """Put a value into the tables; what lies on the way to it has to be there."""
    table, parts = parts_of_key(where, key, field)
    inner = tables[table]
    try:
        for part in parts[:-1]:
            inner = inner[part]
        inner[parts[-1]] = value
    except (KeyError, IndexError, TypeError):
        raise ScenarioError(where, field, key, problem="the file has nothing at this place") from None


def value_at(scenario: Scenario, key: str) -> Any:
    """The value that the file has for a key; None if there is none."""
    table, parts = parts_of_key(scenario.name, key)
    inner = getattr(scenario.document, table)
    try:
        for part in parts:
            inner = inner[part]
    except (KeyError, IndexError, TypeError):
        return None
    return inner


@dataclass(frozen=True)
class EnsemblePlan:
    """The ensemble of a scenario, ready to run: its members, and the arguments of `polhode.ensemble`."""

    scenario: Scenario
    members: ScenarioMembers
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> Method | None:
        """The method that the scenario names."""
        return self.options["method"]  # type: ignore[no-any-return]

    def run(self, **more: Any) -> Ensemble:
        """Run all members; `more` are further arguments of `polhode.ensemble`."""
        with locate_errors(self.scenario.name, "ensemble"):
            return ensemble(self.members, **self.options, **more)

    def stream(self, store: Path, **more: Any) -> EnsembleStore:
        """Run all members that a store does not have yet; `more` are further arguments of `polhode.ensemble.stream`."""
        with locate_errors(self.scenario.name, "ensemble"):
            return stream(self.members, store, **self.options, **more)  # type: ignore[no-any-return]


def build_ensemble(scenario: Scenario) -> EnsemblePlan:
    """Build the ensemble of a scenario, and check all that can be checked without running.

    >>> from polhode.io.scenario.document import load_scenario
    >>> from polhode.io.scenario.examples import find_example
    >>> plan = build_ensemble(load_scenario(find_example("tumbling_ensemble"), ["ensemble.members=3"]))
    >>> len(plan.run())
    3
    """
    where, table, run = scenario.name, ensemble_table(scenario), scenario.document.run
    members = ScenarioMembers(scenario)
    with locate_errors(where, "ensemble"):
        first = members.state(0)
    method = build_method(where, scenario.document.method, run, first.system)
    for name, wrong in (("tangent", run.tangent), ("contact", run.contact != "ignore")):
        if wrong:
            raise ScenarioError(where, f"run.{name}", getattr(run, name), problem="not possible in ensembles yet")
    options = {"method": method, "save": table.save, "inputs": members.draws.inputs, **extent(run)}
    return EnsemblePlan(scenario, members, options | {"provenance": provenance_of(scenario)})


def extent(run: RunTable) -> dict[str, Any]:
    """How far to run, as arguments."""
    names = ("step", "tolerance", "t_end", "steps", "t_eval")
    return {name: getattr(run, name) for name in names if getattr(run, name) is not None}


__all__ = ["EnsemblePlan", "ScenarioMembers", "build_ensemble"]
