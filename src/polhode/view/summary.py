"""What is said about a trajectory in words and tables: in reports and notebooks."""

from __future__ import annotations

import tomllib
from typing import Any

from .._version import __version__
from ..bodies import Polyhedron
from ..core.system import System
from ..simulation.trajectory import Trajectory
from ..systems.full_body.placements import bodies_of, body_names
from ..tables import Table


def scenario_of(trajectory: Trajectory) -> dict[str, Any]:
    """The scenario that a trajectory is from, as far as it says; empty if it is from none."""
    try:
        return tomllib.loads(str(trajectory.provenance.get("scenario", "")))
    except ValueError:
        return {}


def title_of(trajectory: Trajectory) -> str:
    """The title of the scenario that a trajectory is from, or else the system's name."""
    return str(scenario_of(trajectory).get("title") or type(trajectory.system).__name__)


def headline(trajectory: Trajectory) -> str:
    """System, method and step in a line.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> headline(ph.simulate(start, step=0.1, steps=10))
    'FreeRigidBody by LGVI(order=2), step 0.1'
    """
    return f"{type(trajectory.system).__name__} by {trajectory.method!r}, step {trajectory.step:g}"


def kept_table(trajectory: Trajectory) -> Table:
    """What was kept, and how well."""
    conserved = trajectory.system.conserved
    return Table(
        "What was kept",
        [
            {
                "quantity": kept.name,
                "meaning": conserved[kept.name].meaning,
                "first value": f"{kept.first:.10g}",
                "worst deviation": f"{kept.worst:.1e}",
                "relative": f"{kept.relative:.1e}",
                "slope": f"{kept.slope:+.1e}",
            }
            for kept in trajectory.conservation()
        ],
    )


def mesh_reports(system: System) -> dict[str, str]:
    """What was done to the meshes of a system's bodies: units, repeated vertices, mass centre, axes."""
    named = zip(body_names(system), bodies_of(system), strict=True)
    found = {f"mesh of {name}": body.placement for name, body in named if isinstance(body, Polyhedron)}
    return {name: str(placement).replace("\n", "; ") for name, placement in found.items()}


def facts(trajectory: Trajectory) -> dict[str, str]:
    """How the run was made: all that is needed to make it again, and nothing of the machine."""
    stats, said = trajectory.stats, trajectory.provenance
    found = {
        "polhode": __version__,
        "system": shortened(repr(trajectory.system)),
        "method": repr(trajectory.method),
        "step": f"{trajectory.step:g}",
        "time": f"{trajectory.t[0]:.12g} … {trajectory.t[-1]:.12g}",
        "steps": f"{stats.steps:,}, of which {len(trajectory):,} samples were kept",
    }
    found |= mesh_reports(trajectory.system)
    if stats.max_iterations:
        found["Newton iterations"] = (
            f"{stats.mean_iterations:.2f} on average, {stats.max_iterations} at most; "
            f"worst relative residual {stats.worst_residual:.1e}"
        )
    if "scenario_file" in said:
        found["scenario"] = str(said["scenario_file"])
    if said.get("overrides"):
        found["changed"] = ", ".join(map(str, said["overrides"]))
    return found


def shortened(text: str, most: int = 600) -> str:
    """The beginning of a text that may be a whole mesh.

    >>> shortened("abcdefgh", 4)
    'abcd … (8 characters)'
    """
    return text if len(text) <= most else f"{text[:most]} … ({len(text):,} characters)"


def citations(trajectory: Trajectory) -> dict[str, str]:
    """What to cite for the method and the system, by their names."""
    used = {type(trajectory.method).__name__: trajectory.method.reference}
    used[type(trajectory.system).__name__] = trajectory.system.reference
    return {name: expanded(reference) for name, reference in used.items()}


SOURCES = {
    "LLM07": "T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907",
    "LLM17": "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics on Manifolds (2017)",
    "MP16": "Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69",
    "GR20": "C. G. Gebhardt, I. Romero, J. Nonlinear Sci. 30 (2020) 3199",
    "BCMR02": "A. M. Bloch, P. E. Crouch, J. E. Marsden, T. S. Ratiu, Nonlinearity 15 (2002) 1309",
}


def expanded(reference: str) -> str:
    """A reference with what its bracketed labels stand for.

    >>> expanded("[MP16] sec. V")
    '[MP16] sec. V. [MP16]: Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69'
    """
    named = {
        label: source for label, source in SOURCES.items() if f"[{label}]" in reference and source not in reference
    }
    return ". ".join([reference, *(f"[{label}]: {source}" for label, source in named.items())])
