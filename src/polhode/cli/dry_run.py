"""What a run would do: its steps, memory, files and time, from a trial of its first steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import say

if TYPE_CHECKING:
    from ..io.scenario.build import Plan

TRIAL_STEPS = 1000  # to check that they work and to measure their speed


def show_plan(plan: Plan, figures: list[str]) -> None:
    """Print what would run, with the time it would take as estimated from its first steps."""
    from ..simulation.accuracy import DEFAULT_TOLERANCE
    from ..simulation.step_limit import largest_step, rounded_down
    from ..view.summary import mesh_reports, truncated

    trial, chosen = plan.fixed(), plan.steps is None
    step, steps, method = trial.scenario.document.run.step, trial.steps, trial.method
    assert step is not None
    assert steps is not None
    assert method is not None
    rows = {
        "system": truncated(repr(plan.system)),
        **mesh_reports(plan.system),
        "state": repr(plan.state),
        "method": repr(method),
        "time": f"{plan.state.t:g} … {plan.state.t + steps * step:.12g}: {'about ' * chosen}{steps:,} steps of {step:g}",
        "samples": f"{trial.samples:,}",
        "memory": f"about {(trial.memory or 0) / 1e6:,.0f} MB",
        "output": ", ".join([plan.scenario.output_name, *figures]),
    }
    if plan.stored is not None:
        rows["disk"] = (
            f"at most {plan.stored / 1e9:.3g} GB: more samples than memory holds, written as they are computed"
        )
    if chosen:
        rows["tolerance"] = (
            f"{plan.scenario.document.run.tolerance or DEFAULT_TOLERANCE:g}; steps as estimated from a quick first run"
        )
    elif method.implicit:
        limit = largest_step(plan.state, method, near=step)
        rows["largest step"] = f"{rounded_down(limit)} from this state"
    if steps:
        # the first trial also compiles; a run to a tolerance takes a second run to estimate its error
        seconds = min(trial.run(steps=TRIAL_STEPS).stats.seconds for _ in range(2)) * (1 + chosen)
        rows["estimated"] = f"{seconds * steps / min(steps, TRIAL_STEPS):.2g} s"
    for name, text in rows.items():
        say(f"{name:13} {text}")
