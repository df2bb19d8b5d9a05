"""Moments that are computed on plain doubles, for states of any scalar.

The gradient of a user's potential is a function on doubles. On lanes it is called for each member; on duals its own
derivative is taken by central differences of order 8 along the group, and by the named parameters where the duals
differentiate by these, and the chain rule does the rest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.finite_differences import OFFSETS, WEIGHTS
from ...scalars import Dual, Lanes, ParameterDual
from ...scalars.functions import overloads

ENTRIES, COMPONENTS = 9, 3  # of an attitude, and of a momentum or moment; a state is attitudes, momenta, moments
SPACING = 0.02  # truncation and rounding are both about 1e-14 here, for functions that vary over angles of order one


def moments_at(bodies: int) -> int:
    """Where the force slots begin in a state of so many attitudes and momenta."""
    return (ENTRIES + COMPONENTS) * bodies


def write_moments(S: Any, y: Any, p: Any, at: Any, named: Any, gradient: Any, bodies: Any) -> None:
    """Put the moments of `bodies` attitudes into the force slots; `gradient(R, V, M)` computes them on doubles, with the
    `named` parameters V that begin at `at` in p."""
    raise TypeError("write_moments works in compiled code only")


@overloads(write_moments, jit_options={"error_model": "numpy"})
def _write_moments(S: Any, y: Any, p: Any, at: Any, named: Any, gradient: Any, bodies: Any) -> Any:
    kind = S.instance_type
    if isinstance(kind, Lanes):
        W = kind.width

        def on_lanes(S: Any, y: Any, p: Any, at: Any, named: Any, gradient: Any, bodies: Any) -> None:
            attitudes, size, moments = ENTRIES * bodies, COMPONENTS * bodies, (ENTRIES + COMPONENTS) * bodies
            R, V, M = np.empty(attitudes), np.empty(named), np.empty(size)
            for lane in range(W):
                for i in range(named):
                    V[i] = p[(at + i) * W + lane]
                for i in range(attitudes):
                    R[i] = y[i * W + lane]
                gradient(R, V, M)
                for i in range(size):
                    y[(moments + i) * W + lane] = M[i]

        return on_lanes
    if isinstance(kind, Dual):
        K = kind.partials
        stride = 1 + K if isinstance(kind, ParameterDual) else 1  # of entries of p

        def on_duals(S: Any, y: Any, p: Any, at: Any, named: Any, gradient: Any, bodies: Any) -> None:
            width = 1 + K
            attitudes, size, moments = ENTRIES * bodies, COMPONENTS * bodies, (ENTRIES + COMPONENTS) * bodies
            R, M, there, slope = np.empty(attitudes), np.empty(size), np.empty(attitudes), np.empty(size)
            for i in range(attitudes):
                R[i] = y[i * width]
            V = np.empty(named)
            for i in range(named):
                V[i] = p[(at + i) * stride]
            gradient(R, V, M)
            for i in range(size):
                y[(moments + i) * width] = M[i]
                for k in range(K):
                    y[(moments + i) * width + 1 + k] = 0.0
            for direction in range(size):
                body, axis = direction // COMPONENTS, direction % COMPONENTS
                a, b = (axis + 1) % 3, (axis + 2) % 3
                slope[:] = 0.0
                for n in range(8):
                    c, s = math.cos(OFFSETS[n] * SPACING), math.sin(OFFSETS[n] * SPACING)
                    there[:] = R
                    for row in range(ENTRIES * body, ENTRIES * (body + 1), COMPONENTS):
                        there[row + a] = c * R[row + a] + s * R[row + b]
                        there[row + b] = c * R[row + b] - s * R[row + a]
                    gradient(there, V, M)
                    for i in range(size):
                        slope[i] += WEIGHTS[n] / SPACING * M[i]
                for k in range(K):
                    # ξ = vee(Rᵀ δR): its component along `axis` from the columns a and b
                    xi = 0.0
                    for row in range(ENTRIES * body, ENTRIES * (body + 1), COMPONENTS):
                        xi += R[row + b] * y[(row + a) * width + 1 + k] - R[row + a] * y[(row + b) * width + 1 + k]
                    xi *= 0.5
                    for i in range(size):
                        y[(moments + i) * width + 1 + k] += slope[i] * xi
            for j in range(named if stride > 1 else 0):
                here = V[j]
                unit = SPACING * (abs(here) if here != 0.0 else 1.0)
                slope[:] = 0.0
                for n in range(8):
                    V[j] = here + OFFSETS[n] * unit
                    gradient(R, V, M)
                    for i in range(size):
                        slope[i] += WEIGHTS[n] / unit * M[i]
                V[j] = here
                for k in range(K):
                    for i in range(size):
                        y[(moments + i) * width + 1 + k] += slope[i] * p[(at + j) * stride + 1 + k]

        return on_duals

    def on_doubles(S: Any, y: Any, p: Any, at: Any, named: Any, gradient: Any, bodies: Any) -> None:
        attitudes, size, moments = ENTRIES * bodies, COMPONENTS * bodies, (ENTRIES + COMPONENTS) * bodies
        gradient(y[:attitudes], p[at : at + named], y[moments : moments + size])

    return on_doubles
