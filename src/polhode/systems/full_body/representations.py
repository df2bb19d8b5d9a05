"""What the inertial and the relative full body problem share: their forms, and what perturbations leave conserved.

"default"      the Hamiltonian form, in momenta: `LGVI`, or right-hand sides alone if there are tides
"forced"      the same variables where there are tides: `ForcedLGVI`
"lagrangian"  the continuous equations in velocities (without tides); the discrete Lagrangian form is `LGVI(form="lagrangian")`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout
from ...core.representation import Form, Representation
from ...core.system import Invariant
from ...scalars import Flow, Rate, flow, kernel
from ...scalars.protocol import SUCCESS, par_int
from ..inputs.user_flow import UserFlow
from ..inputs.user_functions import remembered
from .perturbation_kernels import Functions, perturbation_forces
from .perturbations import PerturbationSet
from .tides import Tides

Array = NDArray[np.float64]


def representations_of(
    layouts: tuple[Layout, Layout],
    drifts: tuple[Flow, Flow, Flow],
    slopes: tuple[Rate, Rate, Rate],
    forces: tuple[Flow, Flow],
    workspace: int,
    damped: bool,
) -> dict[str, Representation]:
    """The representations: of momenta and velocities the layouts and forces; the free motion and right-hand side without
    and with tides, the exact free motion, and the right-hand side in velocities."""
    momenta = Representation(layouts[0], force=forces[0], workspace=workspace)
    if damped:
        return {
            Form.DEFAULT: replace(momenta, rhs=slopes[1]),
            Form.FORCED: replace(momenta, drift=drifts[1], rhs=slopes[1]),
        }
    velocities = Representation(layouts[1], force=forces[1], rhs=slopes[2], workspace=workspace)
    return {
        Form.DEFAULT: replace(momenta, drift=drifts[0], rhs=slopes[0], exact_drift=drifts[2]),
        Form.LAGRANGIAN: velocities,
    }


@cache
def gravity_forces(gravity: Any, attract: Any, add_perturbations: Any, to_rates: Any) -> tuple[Flow, Flow]:
    """The forces on momenta and on velocities. `attract(S, y, p, gravity)` puts those of mutual gravity into the slots,
    `add_perturbations` adds the others, and `to_rates` turns them into what they do to velocities. Without perturbations,
    `add_perturbations` is None: compiling them takes as long as all the rest."""

    @flow
    def force(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        attract(S, y, p, gravity)
        if add_perturbations is not None:
            add_perturbations(S, y, p, t, perturbation_forces)
        return SUCCESS

    @flow
    def force_on_velocities(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        attract(S, y, p, gravity)
        if add_perturbations is not None:
            add_perturbations(S, y, p, t, perturbation_forces)
        to_rates(S, y, p)
        return SUCCESS

    return force, force_on_velocities


def forces_with(
    functions: Functions | None, forces: tuple[Flow, Flow], add_perturbations: Any, to_rates: Any, header: int
) -> tuple[Flow, Flow]:
    """Those forces, a user's functions compiled in if there are any; `header` is where the parameters say where the
    perturbations begin."""
    if functions is None:
        return forces
    kernels = functions.update_positions, functions.potential_forces
    return _forces_with(*kernels, forces[0], add_perturbations, to_rates, header)


@remembered
def _forces_with(
    update_positions: Any,
    potential_forces: Any,
    force: Flow,
    add_perturbations: Any,
    to_rates: Any,
    header: int,
) -> tuple[Flow, Flow]:
    @kernel
    def whole(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        update_positions(S, p, par_int(p, header, S), t)
        status = force(S, y, p, t, h, report)  # type: ignore[operator]
        if potential_forces is not None:
            add_perturbations(S, y, p, t, potential_forces)
        return status

    def force_whole(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        return whole(S, y, p, t, h, report)

    def force_whole_lagrangian(S: Any, y: Any, p: Any, t: float, h: float, report: Any) -> int:
        status = whole(S, y, p, t, h, report)
        to_rates(S, y, p)
        return status

    return UserFlow(force_whole), UserFlow(force_whole_lagrangian)


def with_lists(p: Array, header: int, perturbations: PerturbationSet, tides: Tides) -> Array:
    """Parameters with the lists of perturbations and tides behind them; where they begin is put at `header` and behind it."""
    first = perturbations.parameters(p.size)
    second = tides.parameters()
    p[header] = p.size if first.size else 0.0
    p[header + 1] = p.size + first.size if second.size else 0.0
    return np.concatenate([p, first, second])


def still_conserved(
    all_of: Mapping[str, Invariant], perturbations: PerturbationSet, tides: Tides
) -> dict[str, Invariant]:
    """Those conserved quantities that perturbations and tides leave."""
    left = {
        name: one for name, one in all_of.items() if perturbations.conserves(name) and not (tides and name == "energy")
    }
    if "angular_momentum" in left and perturbations:
        where = "the mass centre" if perturbations.centre is None else "the distant body"
        left["angular_momentum"] = Invariant("momentum", f"total angular momentum about {where}")
    return left
