"""Whether a potential of several attitudes is unchanged when all of them are turned together.

A turn of space about n changes `U(R₁, …, Rₙ)` at the rate `n·Σ r × ∂U/∂r`, over all columns r of all attitudes. For a
formula of smooth functions this vanishes identically if it does so at some attitudes in general position: these are
drawn once and for all, and zero is 1e-12 of the terms that add up to it. Of functions that are not formulas, or that
have corners or pieces, nothing is said.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..inputs.attitude_potential import Potential, SymbolicPotential, entries
from ..inputs.sympy_kernels import attitude_symbols, formula_kernel, has_corners, on_arrays
from ..stability.equilibrium_search import random_attitudes

Array = NDArray[np.float64]
TRIALS, ZERO = 8, 1e-12


def is_unchanged_by_rotations(potential: Potential) -> bool:
    """Whether it is known to depend on relative attitudes only."""
    import sympy

    if not isinstance(potential, SymbolicPotential) or has_corners(potential.expression):
        return False
    symbols = [x for R in attitude_symbols(potential.bodies) for x in R]
    named = potential.parameters
    slopes = [sympy.diff(potential.expression, x) for x in symbols]
    formula = formula_kernel("potential", slopes, [*symbols, *named.symbols])
    R = random_attitudes(np.random.default_rng(1), TRIALS, potential.bodies)
    values = on_arrays(formula, [*(x for i in range(potential.bodies) for x in entries(R[:, i])), *named.values])
    G = np.stack(values, axis=-1).reshape(R.shape)
    # columns of R and of the slopes, as rows
    r, g = (np.swapaxes(A, -1, -2).reshape(TRIALS, -1, 3) for A in (R, G))
    off = np.abs(np.cross(r, g).sum(axis=1)).max(axis=-1)
    return bool(np.all(off <= ZERO * np.linalg.norm(g, axis=-1).sum(axis=-1)))
