"""What others use: explicit Runge–Kutta methods of fixed step, for comparison. They keep nothing but their order."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.method import Method, Start
from ..core.representation import Form
from ..core.system import System
from .loops import RungeKuttaRun, Tableau


class ExplicitRungeKutta(Method):
    """An explicit Runge–Kutta method given by its tableau.

    `representation`: which of the system's forms of the equations to integrate, where it offers several.
    """

    tableau: ClassVar[Tableau]

    def __init__(self, representation: str = Form.DEFAULT) -> None:
        self.representation = str(representation)

    def options(self) -> dict[str, Any]:
        return {"representation": self.representation} if self.representation != Form.DEFAULT else {}

    def why_not(self, system: System) -> str | None:
        representation = system.representations.get(self.representation)
        if representation is None or representation.rhs is None:
            return f"it offers no right-hand side for the representation {self.representation!r}"
        return None

    def run(self, start: Start) -> RungeKuttaRun:
        return RungeKuttaRun(start, self.tableau)


class RK4(ExplicitRungeKutta):
    """The classical Runge–Kutta method of order 4."""

    summary = "classical Runge–Kutta"
    reference = "W. Kutta, Z. Math. Phys. 46 (1901) 435"
    order = 4
    tableau = Tableau(
        np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]]),
        np.array([1.0, 2.0, 2.0, 1.0]) / 6.0,
        np.array([0, 0.5, 0.5, 1.0]),
    )


class Midpoint(ExplicitRungeKutta):
    """The explicit midpoint rule, of order 2."""

    summary = "explicit midpoint rule"
    reference = "C. Runge, Math. Ann. 46 (1895) 167"
    order = 2
    tableau = Tableau(np.array([[0, 0], [0.5, 0]]), np.array([0, 1.0]), np.array([0, 0.5]))


__all__ = ["RK4", "Midpoint"]
