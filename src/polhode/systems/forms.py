"""What the inertial and the relative full body problem share: their forms, and what perturbations leave conserved.

"matrix"      the Hamiltonian form, in momenta: `LGVI`, or right-hand sides alone if there are tides
"forced"      the same variables where there are tides: `ForcedLGVI`
"lagrangian"  the continuous equations in velocities (without tides); the discrete Lagrangian form is `LGVI(form="lagrangian")`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.layout import Layout
from ..scalars import Flow
from .base import Invariant, Representation
from .dissipation import Tides
from .perturbations import Outside

Array = NDArray[np.float64]


def forms(
    layouts: tuple[Layout, Layout],
    drifts: tuple[Flow, Flow],
    slopes: tuple[Flow, Flow, Flow],
    forces: tuple[Flow, Flow],
    workspace: int,
    damped: bool,
) -> dict[str, Representation]:
    """The representations: of momenta and velocities the layouts and forces; the free motion and right-hand side without
    and with tides, and the right-hand side in velocities."""
    momenta = Representation(layouts[0], force=forces[0], workspace=workspace)
    if damped:
        return {"matrix": replace(momenta, rhs=slopes[1]), "forced": replace(momenta, drift=drifts[1], rhs=slopes[1])}
    velocities = Representation(layouts[1], force=forces[1], rhs=slopes[2], workspace=workspace)
    return {"matrix": replace(momenta, drift=drifts[0], rhs=slopes[0]), "lagrangian": velocities}


def with_lists(p: Array, header: int, outside: Outside, tides: Tides) -> Array:
    """Parameters with the lists of perturbations and tides behind them; where they begin is put at `header`."""
    first = outside.parameters(p.size)
    second = tides.parameters()
    p[header] = p.size if first.size else 0.0
    p[header + 1] = p.size + first.size if second.size else 0.0
    return np.concatenate([p, first, second])


def still_conserved(all_of: Mapping[str, Invariant], outside: Outside, tides: Tides) -> dict[str, Invariant]:
    """Those conserved quantities that perturbations and tides leave."""
    kept = {name: one for name, one in all_of.items() if outside.kept(name) and not (tides and name == "energy")}
    if "angular_momentum" in kept and outside:
        where = "the mass centre" if outside.centre is None else "the distant body"
        kept["angular_momentum"] = Invariant("momentum", f"total angular momentum about {where}")
    return kept
