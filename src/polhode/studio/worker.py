"""The process that runs scenarios for the studio: `python -m polhode.studio.worker` reads jobs and writes what they give,
each a line of JSON. It ends when nobody writes to it any more."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import warnings
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, TextIO

from ..core.extras import missing
from ..errors import ConvergenceError, PolhodeError, RunWarning
from ..io.scenario.build import Plan, build_plan
from ..io.scenario.document import scenario_from_text
from ..simulation.progress import rate_text
from ..simulation.trajectory import Trajectory
from ..view.figures.catalogue import FIGURES, check_figures, figures_for
from ..view.figures.style import has_matplotlib, styled
from ..view.html.notebook import to_png
from ..view.html.page import scene_data
from ..view.scene.scene import scene
from ..view.summary import conservation_rows, headline
from .form import NAME

Message = dict[str, Any]


def results(text: str) -> Iterator[Message]:
    """What running a scenario gives, piece by piece: the plan, the motion with what was conserved, and figures.

    >>> from polhode.io.scenario.examples import find_example
    >>> next(results(find_example("free_rigid_body").read_text()))
    {'kind': 'plan', 'steps': 100000}
    """
    try:
        plan = build_plan(scenario_from_text(NAME, text))
        names = _figures(plan)
        yield {"kind": "plan", "steps": plan.steps}
        try:
            trajectory = plan.run()
        except ConvergenceError as error:
            yield {"kind": "failed", "message": str(error)}
            if error.trajectory is None or len(error.trajectory) < 2:
                return
            trajectory = error.trajectory
        yield motion(trajectory)
        for name in names:
            yield {"kind": "figure", "name": name, "caption": FIGURES[name].caption, "png": _png(trajectory, name)}
    except PolhodeError as error:
        yield {"kind": "failed", "message": str(error)}
    except MemoryError:
        yield {"kind": "failed", "message": "not enough memory; a larger run.save_every saves fewer samples"}


def motion(trajectory: Trajectory) -> Message:
    """The scene of a trajectory, the table of conserved quantities, and what it cost."""
    shown, stats = scene(trajectory), trajectory.stats
    notes = [str(warning) for warning in trajectory.warnings] + [str(event) for event in trajectory.events]
    if trajectory.accuracy:
        notes.insert(0, str(trajectory.accuracy))
    if not has_matplotlib():
        notes.append(f"No figures are drawn: {missing('matplotlib')}.")
    cost = f"{stats.steps:,} steps in {stats.seconds:.2g} s: {rate_text(stats.steps_per_second)}"
    return {
        "kind": "motion",
        "scene": None if shown.is_empty else scene_data(shown),
        "note": shown.note,
        "headline": headline(trajectory),
        "cost": cost,
        "conserved": conservation_rows(trajectory),
        "notes": notes,
    }


def _figures(plan: Plan) -> list[str]:
    if not has_matplotlib():
        return []
    asked = plan.scenario.document.output.plots
    return figures_for(plan.system) if isinstance(asked, bool) else check_figures(asked, plan.system)


@styled
def _png(trajectory: Trajectory, name: str) -> str:
    return b64encode(to_png(FIGURES[name].draw(trajectory), dpi=90)).decode("ascii")


def main() -> None:
    """Run the jobs that come in by standard input, one after the other."""
    output, sys.stdout = sys.stdout, sys.stderr  # what libraries print is not an answer
    jobs: queue.Queue[Message] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin, jobs), daemon=True).start()
    warnings.simplefilter("ignore", RunWarning)  # said with the result
    warnings.simplefilter("ignore", RuntimeWarning)
    while True:
        job = jobs.get()
        for message in results(job["text"]):
            _write(output, job, message)
        _write(output, job, {"kind": "end"})


def _read(lines: TextIO, jobs: queue.Queue[Message]) -> None:
    for line in lines:
        jobs.put(json.loads(line))
    os._exit(0)  # even in the middle of a run: nobody wants it any more


def _write(output: TextIO, job: Message, message: Message) -> None:
    output.write(json.dumps(message | {"job": job["job"]}) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
