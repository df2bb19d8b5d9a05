"""From the [analysis] table of a scenario to a result: `polhode analyse`.

    [analysis]
    kind = "exponents"                # or "chaos_map", "section", "family"

    [analysis]
    kind = "chaos_map"
    indicator = "megno"               # or "fli", "lyapunov"
    x = { key = "state.omega[2]", low = 0.0, high = 2.0, count = 8 }
    y = { key = "system.inertia[1]", values = [1.0, 1.2, 1.4] }

    [analysis]
    kind = "section"
    section = "omega[0]"
    crossings = 100
    axes = ["R[2, 2]", "omega[2]"]    # of the figure

    [analysis]
    kind = "family"
    motion = "relative_equilibrium"   # near the state; or "equilibrium", "periodic", "libration"
    parameter = "angular_momentum"
    to = 0.5                          # or within = [0.2, 1.0]
    quantities = ["energy"]           # of the table; the first is drawn

Runs take step, t_end or steps from [run], and the method from [method]; without a step one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis import chaos_map, family, libration_near, lyapunov, periodic, poincare, relative_equilibrium
from ...core.method import Method
from ...core.system import State, System
from ...errors import InvalidInputError
from ...systems.registry import known_systems
from .build import build_method, build_object, build_state, locate_errors
from .document import AnalysisTable, AxisTable, Scenario
from .ensemble import place
from .validation import ScenarioError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AnalysisPlan:
    """A scenario with an [analysis] table, checked: its state, the method, and what `run` computes."""

    scenario: Scenario
    table: AnalysisTable
    state: State
    method: Method | None

    def run(self) -> Any:
        """The result: a `LyapunovSpectrum`, `ChaosMap`, `PoincareSection` or `Family`."""
        with locate_errors(self.scenario.name, "analysis"):
            return KINDS[self.table.kind](self)

    @property
    def extent(self) -> dict[str, Any]:
        """Step, end and method of a run."""
        run = self.scenario.document.run
        return {"step": run.step, "t_end": run.t_end, "method": self.method}


def build_analysis(scenario: Scenario) -> AnalysisPlan:
    """The checked plan of a scenario."""
    document = scenario.document
    if document.analysis is None:
        kinds = ", ".join(KINDS)
        raise ScenarioError(
            scenario.name, "analysis", message=f"there is no [analysis] table: it says what to compute ({kinds})"
        )
    for key in REQUIRED[document.analysis.kind]:
        if getattr(document.analysis, key) in (None, []):
            raise ScenarioError(
                scenario.name, f"analysis.{key}", None, f"a value: kind {document.analysis.kind!r} needs it"
            )
    system: System = build_object(scenario.name, "system", document.system, known_systems())
    method = build_method(scenario.name, document.method, document.run, system)
    return AnalysisPlan(scenario, document.analysis, build_state(scenario.name, system, document.state), method)


def _exponents(plan: AnalysisPlan) -> Any:
    return lyapunov(plan.state, steps=plan.scenario.document.run.steps, **plan.extent)


def _chaos_map(plan: AnalysisPlan) -> Any:
    table, where, document = plan.table, plan.scenario.name, plan.scenario.document
    assert table.x is not None
    assert table.y is not None
    keys = table.x.key, table.y.key

    def make_state(*values: float) -> State:
        tables = {"state": deepcopy(document.state), "system": deepcopy(document.system)}
        for name, key, value in zip("xy", keys, values, strict=True):
            place(where, tables, key, value, f"analysis.{name}.key")
        system = build_object(where, "system", tables["system"], known_systems())
        return build_state(where, system, tables["state"])

    x, y = (_axis(where, name, axis) for name, axis in (("x", table.x), ("y", table.y)))
    return chaos_map(make_state, x, y, indicator=table.indicator, labels=keys, steps=document.run.steps, **plan.extent)


def _axis(where: str, name: str, axis: AxisTable) -> Array:
    """The values of one axis of a map."""
    if axis.values is not None:
        return np.array(axis.values)
    if axis.low is None or axis.high is None or axis.count is None:
        raise ScenarioError(where, f"analysis.{name}", axis.key, "values, or low, high and count")
    return np.linspace(axis.low, axis.high, axis.count)


def _section(plan: AnalysisPlan) -> Any:
    table = plan.table
    assert table.section is not None
    return poincare(plan.state, table.section, crossings=table.crossings, direction=table.direction, **plan.extent)


def _family(plan: AnalysisPlan) -> Any:
    table = plan.table
    assert table.parameter is not None
    options: dict[str, Any] = {"steps": table.steps, "method": plan.method}
    start: Any = plan.state
    if table.motion == "periodic":
        if table.period is None:
            raise ScenarioError(plan.scenario.name, "analysis.period", None, "a guess of the period")
        start = periodic(plan.state, table.period, relative=table.relative, hold=table.hold_start, **options)
    elif table.motion != "equilibrium":
        start = relative_equilibrium(plan.state, hold=table.hold_start)
    if table.motion == "libration":
        start = libration_near(start, table.mode, amplitude=table.amplitude, **options)
    return family(
        start,
        table.parameter,
        to=table.to,
        within=table.within,
        direction=table.direction or 1,
        hold=table.hold,
        step=table.arc,
        most=table.most,
    )


KINDS: dict[str, Callable[[AnalysisPlan], Any]] = {
    "exponents": _exponents,
    "chaos_map": _chaos_map,
    "section": _section,
    "family": _family,
}
REQUIRED: dict[str, tuple[str, ...]] = {
    "exponents": (),
    "chaos_map": ("x", "y"),
    "section": ("section", "axes"),
    "family": ("parameter",),
}


def check_axes(plan: AnalysisPlan) -> None:
    """Refuse quantities that the state does not have, before anything is computed."""
    from ...analysis.quantities import quantity

    if len(plan.table.axes) == 1:
        raise ScenarioError(plan.scenario.name, "analysis.axes", plan.table.axes, "two quantities")
    for i, text in enumerate(plan.table.axes):
        try:
            quantity(plan.state.system, text, f"axes[{i}]")
        except InvalidInputError as error:
            raise ScenarioError.located(plan.scenario.name, f"analysis.axes[{i}]", error) from error
