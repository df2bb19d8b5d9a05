"""The problems of the benchmark, by name."""

from __future__ import annotations

from functools import partial

from ..methods import LGVI
from . import motions
from .accuracy import accuracy_entries
from .ensembles import accurate_ensemble_entries, ensemble_entries, lane_entries
from .entries import YARDSTICK, Effort, Entry, Problem
from .filters import filter_entries
from .free_body import CJob, job
from .full_body import cluster_entries, pair_entries
from .near_contact import contact_entries
from .small_costs import formula_entries, import_entries, son_entries
from .step_costs import step_entries
from .tangents import tangent_entries
from .yardstick import Yardstick

STEP, STEPS = 0.02, 30_000


def _motion(name: str, title: str, make: motions.MotionMaker) -> Problem:
    return Problem(name, title, "run", accuracy_entries(make), accuracy=True)


_PROBLEMS = (
    _motion("free_body", "Free body, t = 100", motions.free_body),
    _motion("heavy_top", "Heavy asymmetric top, t = 1000", motions.heavy_top),
    _motion("dumbbells", "Two dumbbells, t = 30", motions.dumbbells),
    _motion("binary", "Eccentric binary, gravity to order 2, t = 100", motions.binary),
    *(
        _motion(f"binary_{k}", f"Irregular binary, gravity to order {k}", partial(motions.irregular_binary, k))
        for k in (4, 6, 8)
    ),
    Problem("steps", "A step of the free body, per member", "step", step_entries),
    Problem("two_bodies", "A step of two bodies", "step", pair_entries),
    Problem("many_bodies", "A step of many bodies, per pair", "pair and step", cluster_entries),
    Problem("contact", "Gravity near contact: a step, and the error of the forces", "step", contact_entries),
    Problem("son", "Rotation in n dimensions: a step", "step", son_entries),
    Problem("ensemble", "10,000 free bodies, 1,000 steps", "step and member", ensemble_entries),
    Problem("lanes", "Lanes beside doubles: a step, per member", "step and member", lane_entries),
    Problem("accurate_ensemble", "10,000 free bodies, t = 10", "member", accurate_ensemble_entries, accuracy=True),
    Problem("filters", "The attitude filter: a call", "call", filter_entries),
    Problem("tangents", "A step with its tangent map", "step", tangent_entries),
    Problem("formula", "A potential given as a formula: a step", "step", formula_entries),
    Problem("import", "Importing the package", "import", import_entries),
)
PROBLEMS = {problem.name: problem for problem in _PROBLEMS}


def yardstick(effort: Effort, peers: tuple[str, ...]) -> Entry:
    """A step of the free body in C; our own where C is left out."""
    steps = effort.count(STEPS)
    run = CJob(Yardstick(), STEP, steps=steps) if "c" in peers else job(LGVI(), STEP, steps=steps)
    return Entry(YARDSTICK, "", run, steps)
