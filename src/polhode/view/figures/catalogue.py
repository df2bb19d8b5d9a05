"""Figures of a trajectory, one function each, found by name: `figures_for(traj)` says which make sense for it.

They are matplotlib `Figure` objects that no window and no global state knows of: save them, or show them as you like.
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
from .damper import dissipation, has_damper
from .direction_paths import has_pointer, tip
from .momenta import bodies, euler, momenta
from .orbits import elements, energies, has_mutual_orbit, has_positions, libration, orbit
from .phase_plane import has_angles, has_joints, path, phase
from .sphere_paths import body_axes, polhode
from .style import styled
from .time_series import attitude, invariants, rates

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Kind:
    """A kind of figure: how to draw it, what it shows, and whether it makes sense for a system."""

    draw: Callable[[Trajectory], Figure]
    shows: str
    fits: Callable[[System], bool]


def _has(**shapes: tuple[int, ...]) -> Callable[[System], bool]:
    """Whether a system has these fields in these shapes."""
    return lambda system: all(n in system.fields and system.fields[n].shape == shape for n, shape in shapes.items())


def _has_polhode(system: System) -> bool:
    return _has(Pi=(3,))(system) and {"energy", "momentum_norm"} <= set(system.conserved) and hasattr(system, "inertia")


def _has_coupled_bodies(system: System) -> bool:
    field = system.fields.get("omega")
    return hasattr(system, "bodies") and field is not None and len(field.shape) == 2 and "x" not in system.fields


def _has_momenta(system: System) -> bool:
    # of one body that keeps all of it there is nothing to see
    one = _has(R=(3, 3), Pi=(3,), omega=(3,))(system) and "spatial_momentum" not in system.conserved
    return one or _has_coupled_bodies(system)


FIGURES: dict[str, Kind] = {
    "invariants": Kind(invariants, "how well each conserved quantity was kept", lambda system: bool(system.conserved)),
    "rates": Kind(rates, "angular velocity and momentum in the body", _has(omega=(3,), Pi=(3,))),
    "attitude": Kind(attitude, "quaternion, rotation angle and axis", _has(q=(4,))),
    "euler": Kind(euler, "two sets of Euler angles", _has(R=(3, 3), q=(4,), omega=(3,))),
    "momenta": Kind(momenta, "angular momentum in space", _has_momenta),
    "bodies": Kind(bodies, "rates of coupled bodies and the angles between them", _has_coupled_bodies),
    "phase": Kind(phase, "angle and rate, among the curves of equal energy", has_angles),
    "path": Kind(path, "paths of the joints in the plane", has_joints),
    "tip": Kind(tip, "where the mass centre, the dipole or the point of attack goes", has_pointer),
    "polhode": Kind(polhode, "the momentum's path on the energy ellipsoid", _has_polhode),
    "orbit": Kind(orbit, "paths of the mass centres and their distances", has_positions),
    "elements": Kind(elements, "osculating elements of the mutual orbit", has_mutual_orbit),
    "libration": Kind(libration, "long axes against the line of centres", has_mutual_orbit),
    "energies": Kind(energies, "kinetic and potential energy", lambda system: hasattr(system, "energies")),
    "dissipation": Kind(dissipation, "energy that a damper takes, and where the spin goes", has_damper),
    "body_axes": Kind(body_axes, "where the body's axes point in space", _has(R=(3, 3), omega=(3,))),
}


def figures_of(system: System) -> list[str]:
    """The names of the figures that make sense for a system."""
    return [name for name, kind in FIGURES.items() if kind.fits(system)]


def figures_for(trajectory: Trajectory) -> list[str]:
    """The names of the figures that make sense for a trajectory.

    >>> import polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> figures_for(ph.simulate(start, step=0.1, steps=10))
    ['invariants', 'rates', 'attitude', 'euler', 'polhode', 'body_axes']
    """
    return figures_of(trajectory.system)


def check_figures(names: Sequence[str], system: System) -> list[str]:
    """`names`, each once, if each is a figure of this system."""
    known = figures_of(system)
    for name in names:
        if name not in known:
            raise InvalidInputError("figure", name, f"one of {', '.join(known)}{nearest(name, known)}")
    return list(dict.fromkeys(names))


def save_figures(
    trajectory: Trajectory,
    directory: str | PathLike[str],
    names: Sequence[str] | None = None,
    *,
    prefix: str = "",
) -> list[Path]:
    """Draw figures (default: all that make sense) as PNG files `prefix + name + ".png"`, and say where they are.

    >>> import tempfile, polhode as ph
    >>> start = ph.FreeRigidBody.example()
    >>> traj = ph.simulate(start, step=0.1, steps=100)
    >>> [path.name for path in save_figures(traj, tempfile.mkdtemp(), ["rates"])]
    ['rates.png']
    """
    chosen = figures_for(trajectory) if names is None else check_figures(names, trajectory.system)
    return write_figures({prefix + name: partial(FIGURES[name].draw, trajectory) for name in chosen}, directory)


@styled
def write_figures(drawings: Mapping[str, Callable[[], Figure]], directory: str | PathLike[str]) -> list[Path]:
    """Draw one figure after the other into a PNG file of its name, and say where they are."""
    folder = make_folder(directory)
    paths = [folder / f"{name}.png" for name in drawings]
    for file, draw in zip(paths, drawings.values(), strict=True):
        with replacing(file) as beside:
            draw().savefig(beside)
    return paths
