"""The figures of a trajectory by name; `figures_for(system)` lists those that apply to a system.

They are matplotlib `Figure` objects that do not use pyplot: they open no window and change no global state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.system import System
from ...errors import InvalidInputError
from ...io.atomic_files import make_folder, replacing
from ...io.scenario.validation import nearest
from ...simulation.trajectory import Trajectory
from .damper import has_damper, plot_dissipation
from .direction_paths import has_body_direction, plot_direction_path
from .momenta import plot_coupled_bodies, plot_euler_angles, plot_momenta
from .orbits import has_mutual_orbit, has_positions, plot_elements, plot_energies, plot_libration, plot_orbits
from .phase_plane import has_angles, has_joints, plot_joint_paths, plot_phase_plane
from .sphere_paths import plot_body_axes, plot_polhode
from .style import styled
from .time_series import plot_attitude, plot_invariants, plot_rates

if TYPE_CHECKING:
    from matplotlib.figure import Figure


KINDS = ("png", "pdf", "svg", "eps")  # of files


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: how to draw it, its caption, and whether it applies to a system."""

    draw: Callable[..., Figure]  # of a trajectory and `ax`, the axes to draw into
    caption: str
    applies_to: Callable[[System], bool]


def _has(**shapes: tuple[int, ...]) -> Callable[[System], bool]:
    """Whether a system has these fields in these shapes."""
    return lambda system: all(n in system.fields and system.fields[n].shape == shape for n, shape in shapes.items())


def _has_polhode(system: System) -> bool:
    return _has(Pi=(3,))(system) and {"energy", "momentum_norm"} <= set(system.conserved) and system.inertia is not None


def _has_coupled_bodies(system: System) -> bool:
    field = system.fields.get("omega")
    return field is not None and len(field.shape) == 2 and "x" not in system.fields


def _has_momenta(system: System) -> bool:
    # for one body that conserves all of it there is nothing to show
    one = _has(R=(3, 3), Pi=(3,), omega=(3,))(system) and "spatial_momentum" not in system.conserved
    return one or _has_coupled_bodies(system)


FIGURES: dict[str, FigureKind] = {
    "invariants": FigureKind(
        plot_invariants, "deviations of the conserved quantities", lambda system: bool(system.conserved)
    ),
    "rates": FigureKind(plot_rates, "angular velocity and momentum in the body frame", _has(omega=(3,), Pi=(3,))),
    "attitude": FigureKind(plot_attitude, "quaternion, rotation angle and axis", _has(q=(4,))),
    "euler": FigureKind(plot_euler_angles, "two sets of Euler angles", _has(R=(3, 3), q=(4,), omega=(3,))),
    "momenta": FigureKind(plot_momenta, "angular momentum in space", _has_momenta),
    "bodies": FigureKind(
        plot_coupled_bodies, "rates of coupled bodies and the angles between them", _has_coupled_bodies
    ),
    "phase": FigureKind(plot_phase_plane, "angle and rate, with curves of equal energy", has_angles),
    "path": FigureKind(plot_joint_paths, "paths of the joints in the plane", has_joints),
    "tip": FigureKind(
        plot_direction_path, "path of the mass centre, the dipole or the point of the force", has_body_direction
    ),
    "polhode": FigureKind(plot_polhode, "path of the angular momentum on the energy ellipsoid", _has_polhode),
    "orbit": FigureKind(plot_orbits, "paths of the mass centres and their distances", has_positions),
    "elements": FigureKind(plot_elements, "osculating elements of the mutual orbit", has_mutual_orbit),
    "libration": FigureKind(plot_libration, "angles of the long axes from the line of centres", has_mutual_orbit),
    "energies": FigureKind(plot_energies, "kinetic and potential energy", lambda system: system.offers("energies")),
    "dissipation": FigureKind(
        plot_dissipation, "energy dissipated by the damper, and direction of the spin", has_damper
    ),
    "body_axes": FigureKind(plot_body_axes, "directions of the body axes in space", _has(R=(3, 3), omega=(3,))),
}


def figures_for(system: System) -> list[str]:
    """The names of the figures that apply to a system.

    >>> import polhode as ph
    >>> figures_for(ph.FreeRigidBody([1, 2, 3]))
    ['invariants', 'rates', 'attitude', 'euler', 'polhode', 'body_axes']
    """
    return [name for name, kind in FIGURES.items() if kind.applies_to(system)]


def check_figures(names: Sequence[str], system: System) -> list[str]:
    """`names` without repetitions; an error if one of them does not apply to the system."""
    known = figures_for(system)
    for name in names:
        if not isinstance(name, str):
            raise InvalidInputError("figure", name, f"one name, of {', '.join(known)}")
        if name not in known:
            raise InvalidInputError("figure", name, f"one of {', '.join(known)}{nearest(name, known)}")
    return list(dict.fromkeys(names))


def save_figures(
    trajectory: Trajectory,
    directory: str | PathLike[str],
    names: Sequence[str] | None = None,
    *,
    prefix: str = "",
    kind: str = "png",
) -> list[Path]:
    """Draw figures (default: all that apply) as files `prefix + name + ".png"`, or of another `kind`, and return their paths.

    >>> import tempfile, polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> traj = ph.simulate(start, step=0.1, steps=100)
    >>> [path.name for path in save_figures(traj, tempfile.mkdtemp(), ["rates"])]
    ['rates.png']
    """
    chosen = figures_for(trajectory.system) if names is None else check_figures(names, trajectory.system)
    return write_figures({prefix + name: partial(FIGURES[name].draw, trajectory) for name in chosen}, directory, kind)


@styled
def write_figures(
    drawings: Mapping[str, Callable[[], Figure]], directory: str | PathLike[str], kind: str = "png"
) -> list[Path]:
    """Draw each figure into a file of its name and of this `kind`, and return the paths."""
    if kind not in KINDS:
        raise InvalidInputError("format", kind, f"one of {', '.join(KINDS)}{nearest(kind, KINDS)}")
    folder = make_folder(directory)
    paths = [folder / f"{name}.{kind}" for name in drawings]
    for file, draw in zip(paths, drawings.values(), strict=True):
        with replacing(file) as beside:
            draw().savefig(beside, format=kind)
    return paths
