"""Chapter 6 of T. Lee, M. Leok, N. H. McClamroch, "Global Formulations of Lagrangian and Hamiltonian Dynamics on
Manifolds" (2018): rotating rigid bodies.

The chapter has formulas and no tables. Each comparison evaluates one statement for a body in general position. For a
correct statement the residual must vanish; for a misprint the table shows the value of the formula as published, its
corrected value, and the value that the system of this library gives.
"""

from __future__ import annotations

from .attitude_orbit import compare_orbit
from .attitude_pendulums import compare_pendulums
from .attitude_problems import compare_problems
from .attitude_rotations import compare_rotations
from .base import Comparison


def compare_attitude() -> list[Comparison]:
    """Every statement of the chapter that can be tested numerically."""
    return [*compare_rotations(), *compare_pendulums(), *compare_orbit(), *compare_problems()]
