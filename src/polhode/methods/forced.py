"""The discrete Lagrange–d'Alembert step, for systems that offer one beside the variational: the same half kicks, but a
velocity-dependent force enters by its virtual work at the two ends of a step."""

from __future__ import annotations

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
    representation = "forced"


__all__ = ["ForcedLGVI"]
