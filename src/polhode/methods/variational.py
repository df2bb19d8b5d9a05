"""Lie group variational integrators, on rotation matrices and on unit quaternions, of order 2, 4, 6 and 8.

One step is a half kick by the force, the discrete free motion, and a half kick: the map that the discrete Hamilton's
principle gives for a kinetic energy discretised on the group and the trapezoidal rule for the potential. It is
symplectic and symmetric and conserves every momentum map of the discrete Lagrangian. Higher orders compose it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.checks import one_of
from ..core.method import Method, MethodOfOrders, Start
from ..core.representation import Form
from ..core.system import System
from .composition import ORDERS, composition_references, composition_stages
from .loops import DriftKickRun


class Variational(MethodOfOrders):
    """What the variational methods share; they differ in the representation of the state."""

    orders = ORDERS
    symplectic = True
    symmetric = True
    preserves_momentum = True
    preserves_group = True
    implicit = True
    staggered = False
    lacking: ClassVar[str] = "no variational step of it is known here"  # what a system lacks that this cannot integrate

    def __init__(self, order: int = 2) -> None:
        self.order = one_of("order", order, ORDERS)

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.drift is None:
            own = system.no_variational_step if self.representation in (Form.DEFAULT, Form.QUATERNION) else ""
            return own or self.lacking
        return None

    def further_references(self, system: System) -> dict[str, str]:
        return composition_references(self.order)

    def run(self, start: Start) -> DriftKickRun:
        stages = composition_stages(max(self.order, 2))  # a scheme of order 1 is a single step, too
        return DriftKickRun(start, stages, staggered=self.staggered)


class LGVI(Variational):
    """Lie group variational integrator on rotation matrices.

    `order` 2, 4, 6 or 8. `form="hamiltonian"` carries the attitude and the momentum at the node. `form="lagrangian"`
    carries the attitude and the increment of the last interval, (R_{k−1}, R_k): the same map in other variables. The
    increment F is stored by its momentum, `h S(P) = Jd F − Fᵀ Jd`, which fixes it and, unlike the product of two
    attitudes, neither loses digits nor drifts; a force then acts once per node, with the mean of the two intervals.

    >>> LGVI(order=4)
    LGVI(order=4)
    """

    summary = "Lie group variational, rotation matrices"
    reference = "T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907 [LLM07]"

    def __init__(self, order: int = 2, form: str = "hamiltonian") -> None:
        super().__init__(order)
        self.form = one_of("form", form, ("hamiltonian", "lagrangian"))
        self.staggered = form == "lagrangian"

    def options(self) -> dict[str, Any]:
        return {"order": self.order} | ({} if self.form == "hamiltonian" else {"form": self.form})

    @classmethod
    def variants(cls) -> list[Method]:
        return [cls(order=order, form=form) for form in ("hamiltonian", "lagrangian") for order in ORDERS]


class QuaternionVI(Variational):
    """Variational integrator on unit quaternions: the same map as LGVI, on a double cover.

    >>> QuaternionVI()
    QuaternionVI(order=2)
    """

    summary = "variational, unit quaternions"
    reference = "Z. R. Manchester, M. A. Peck, J. Guid. Control Dyn. 39 (2016) 69 [MP16]"
    representation = Form.QUATERNION
    lacking = "no variational step of it is known here on unit quaternions"


__all__ = ["LGVI", "QuaternionVI"]
