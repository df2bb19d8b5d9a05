"""Steps for forces that depend on the velocity: by the discrete Lagrange–d'Alembert principle, with the same half kicks
as the variational ones and the force's virtual work at the two ends of a step; or all at its start, as for stiff damping."""

from __future__ import annotations

from typing import Any

from ..core.method import Method
from ..core.representation import Form
from .variational import Variational


class ForcedLGVI(Variational):
    """Lie group integrator by the discrete Lagrange–d'Alembert principle, on rotation matrices and kinetic momenta.

    As symmetric and as accurate as `LGVI`, and it stays on the group; but it is not symplectic, and what it does to a
    momentum map that depends on the force is only right to its order.

    >>> ForcedLGVI()
    ForcedLGVI(order=2)
    """

    summary = "discrete Lagrange–d'Alembert, rotation matrices"
    reference = "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics (2018)"
    symplectic = False
    preserves_momentum = False
    representation = Form.FORCED
    lacking = "this method is for magnetic fields, dampers, tides and torques on gyrostats"


class FullKickVI(Variational):
    """Variational integrator on unit quaternions with the whole impulse at the start of a step, of order 1.

    Of a damper the impulse is implicit: a relative motion that decays within a step is gone after it, however stiff the
    damping; the schemes of order 2 let it ring. Momenta are conserved all the same. Of a torque on a gyrostat without damper
    it is `h τ` of the node, as in the programs of [MP16]: to compare with those.

    >>> FullKickVI()
    FullKickVI()
    """

    summary = "whole impulse at the start of a step, unit quaternions"
    reference = "Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69 [MP16], with corrected signs"
    symplectic = False
    symmetric = False
    representation = Form.FULL_KICK
    lacking = "this method is for gyrostats with a damper or a torque"

    order = 1

    def __init__(self) -> None:
        """There is nothing to choose: a composition would need it symmetric."""

    def options(self) -> dict[str, Any]:
        return {}

    @classmethod
    def variants(cls) -> list[Method]:
        return [cls()]


__all__ = ["ForcedLGVI", "FullKickVI"]
