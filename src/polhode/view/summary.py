"""A trajectory in words and tables, for reports, notebooks and the command line."""

from __future__ import annotations

from .._version import __version__
from ..bodies import Body, Polyhedron
from ..core.system import System
from ..plain_text import printable
from ..simulation.trajectory import Trajectory
from ..tables import Table
from .clock import Clock

NOTHING_CONSERVED = "This system has no conserved quantities."


def title_of(trajectory: Trajectory) -> str:
    """The title stored in the provenance, or else the system's name."""
    return printable(str(trajectory.provenance.get("title") or type(trajectory.system).__name__))


def description_of(trajectory: Trajectory) -> str:
    """The description stored in the provenance; empty if there is none."""
    return printable(str(trajectory.provenance.get("description") or "").strip())


def headline(trajectory: Trajectory) -> str:
    """System, method and step in one line.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> headline(ph.simulate(start, step=0.1, steps=10))
    'FreeRigidBody by LGVI(order=2), step 0.1'
    """
    return f"{type(trajectory.system).__name__} by {trajectory.method!r}, step {trajectory.step:g}"


def conservation_rows(trajectory: Trajectory) -> list[dict[str, str]]:
    """One row per conserved quantity: name, meaning, first value, worst deviation (absolute, and relative to the scale
    of the quantity), and the slope of its trend over time.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> [row["quantity"] for row in conservation_rows(ph.simulate(start, step=0.1, steps=10))]
    ['energy', 'spatial_momentum', 'momentum_norm']
    """
    conserved = trajectory.system.conserved
    return [
        {
            "quantity": quantity.name,
            "meaning": conserved[quantity.name].meaning,
            "first value": f"{quantity.first:.10g}",
            "worst deviation": f"{quantity.worst:.1e}",
            "relative": f"{quantity.relative:.1e}",
            "slope": f"{quantity.slope:+.1e}",
        }
        for quantity in trajectory.conservation()
    ]


def conservation_table(trajectory: Trajectory) -> Table:
    """The table of conserved quantities; it has no rows if the system has none."""
    return Table("Conserved quantities", conservation_rows(trajectory))


def conservation_html(trajectory: Trajectory) -> str:
    """The table of conserved quantities as HTML, or a sentence if there are none."""
    table = conservation_table(trajectory)
    return table._repr_html_() if len(table) else f"<p>{NOTHING_CONSERVED}</p>"


def mesh_reports(system: System) -> dict[str, str]:
    """What was done to the meshes of a system's bodies: units, repeated vertices, mass centre, axes."""
    bodies: list[Body | None] = [*system.bodies] or [system.shape]
    named = zip(system.body_labels, bodies, strict=False)  # of coupled bodies there are labels only
    found = {f"mesh of {name}": body.placement for name, body in named if type(body) is Polyhedron}
    return {name: str(placement).replace("\n", "; ") for name, placement in found.items()}


def time_span(trajectory: Trajectory) -> str:
    """The times of a run; where its units are named, also as people read them, and as dates where it has an epoch.

    >>> import polhode as ph
    >>> traj = ph.simulate(ph.FreeRigidBody.example(), step=60.0, steps=2160, units={"time": "s"}, method=ph.Exact())
    >>> time_span(traj)
    '0 … 129600 s (1 d 12 h)'
    """
    first, last, clock = float(trajectory.t[0]), float(trajectory.t[-1]), Clock.of(trajectory)
    span = f"{first:.12g} … {last:.12g}"
    if clock.seconds is None:
        return span
    lasts = Clock(clock.extent, clock.seconds).text(abs(last - first))
    dates = f"; {clock.text(first).split(', ')[1]} … {clock.text(last).split(', ')[1]}" if clock.epoch else ""
    return f"{span} {trajectory.units.time} ({lasts}{dates})"


def units_text(trajectory: Trajectory) -> str:
    """The units of a run in words."""
    return ", ".join(f"{base} in {unit}" for base, unit in trajectory.units.describe().items() if base != "angle")


def run_details(trajectory: Trajectory) -> dict[str, str]:
    """Everything needed to repeat the run, and nothing about the machine."""
    stats, provenance = trajectory.stats, trajectory.provenance
    details = {
        "polhode": __version__,
        "system": truncated(repr(trajectory.system)),
        "method": repr(trajectory.method),
        "step": f"{trajectory.step:g}",
        "time": time_span(trajectory),
        **({"units": units_text(trajectory)} if trajectory.units else {}),
        "steps": f"{stats.steps:,}, of which {len(trajectory):,} samples were saved",
    }
    if trajectory.accuracy is not None:
        details["accuracy"] = str(trajectory.accuracy)
    details |= mesh_reports(trajectory.system)
    if stats.max_iterations:
        details[trajectory.method.iteration] = (
            f"{stats.mean_iterations:.2f} on average, {stats.max_iterations} at most; "
            f"worst relative residual {stats.worst_residual:.1e}"
        )
    if stats.retries:
        details["steps done again"] = f"{stats.retries:,}, in shorter pieces"
    if trajectory.warnings:
        details["warnings"] = "; ".join(map(str, trajectory.warnings))
    if "scenario_file" in provenance:
        details["scenario"] = printable(str(provenance["scenario_file"]))
    if provenance.get("overrides"):
        details["overrides"] = printable(", ".join(map(str, provenance["overrides"])))
    return details


def truncated(text: str, longest: int = 600) -> str:
    """The beginning of a text that may be as long as a whole mesh.

    >>> truncated("abcdefgh", 4)
    'abcd … (8 characters)'
    """
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text):,} characters)"


def citations(trajectory: Trajectory) -> dict[str, str]:
    """What to cite for the method, the coefficients of its higher orders, and the system, by their names.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> list(citations(ph.simulate(start, step=0.1, steps=10, method=ph.LGVI(order=4))))
    ['LGVI', 'composition of order 4', 'FreeRigidBody']
    """
    method, system = trajectory.method, trajectory.system
    references = {type(method).__name__: method.reference, **method.further_references(system)}
    references[type(system).__name__] = system.reference
    return {name: spell_out_labels(reference) for name, reference in references.items()}


SOURCES = {
    "LLM07": "T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907",
    "LLM17": "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics on Manifolds (2017)",
    "MP16": "Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69",
    "GR20": "C. G. Gebhardt, I. Romero, J. Nonlinear Sci. 30 (2020) 3199",
    "BCMR02": "A. M. Bloch, P. E. Crouch, J. E. Marsden, T. S. Ratiu, Nonlinearity 15 (2002) 1309",
}


def spell_out_labels(reference: str) -> str:
    """A reference, followed by the full source of each label in brackets.

    >>> spell_out_labels("[MP16] sec. V")
    '[MP16] sec. V. [MP16]: Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69'
    """
    named = {
        label: source for label, source in SOURCES.items() if f"[{label}]" in reference and source not in reference
    }
    return ". ".join([reference, *(f"[{label}]: {source}" for label, source in named.items())])
