"""Derivatives of functions `f(R, v)` that have no formula: of kernels by dual numbers, of Python functions by differences.

Both give the six slopes on plain doubles, `gradient(x, out)`, of the twelve numbers x: ∂f/∂v and ∂ξ f. Second derivatives
are central differences of order 8 of these: 13 digits or so for a function that varies over angles and vectors of order
one. On lanes all is done for each lane; on duals the chain rule does the rest.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ...core import callbacks
from ...core.finite_differences import OFFSETS, WEIGHTS
from ...geometry.unchecked import rotation_exp
from ...geometry.vectors import Matrix, Vector
from ...scalars import Dual, duals, get, kernel, partial, put, seeded, value, width
from ...scalars.compile import dispatcher_of
from ...scalars.functions import overloads
from .dual_gradients import SPACING
from .user_flow import check_differentiable
from .user_functions import remembered

Array = NDArray[np.float64]
SIX = duals(6)
ENTRIES, NUMBERS, SLOPES = 9, 12, 6  # of R, of R and v, of the gradient
ORDER = (0, 7, 14, 8, 2, 1)  # of the six entries of ∂²f/∂v² in a 3 × 6 table of the derivatives of ∂f/∂v
Derivatives = tuple[Callable[[Any], Any], Any, Any]


def kernel_derivatives(formula: Any, field: str = "function", given: Any = None) -> Derivatives:
    """The value, and the kernels `first` and `second`, of a kernel of R and v, made of what a user has `given` as `field`."""
    check_differentiable(field, given, formula, types.UniTuple(SIX, ENTRIES), types.UniTuple(SIX, NUMBERS - ENTRIES))
    return _derivatives_of(formula)


@remembered
def _derivatives_of(formula: Any) -> Derivatives:
    @kernel
    def gradient(x: Any, out: Any) -> None:
        a, b, c = seeded(SIX, 0.0, 3), seeded(SIX, 0.0, 4), seeded(SIX, 0.0, 5)
        R = (
            x[0] + x[1] * c - x[2] * b,
            x[1] + x[2] * a - x[0] * c,
            x[2] + x[0] * b - x[1] * a,
            x[3] + x[4] * c - x[5] * b,
            x[4] + x[5] * a - x[3] * c,
            x[5] + x[3] * b - x[4] * a,
            x[6] + x[7] * c - x[8] * b,
            x[7] + x[8] * a - x[6] * c,
            x[8] + x[6] * b - x[7] * a,
        )
        v = (seeded(SIX, x[9], 0), seeded(SIX, x[10], 1), seeded(SIX, x[11], 2))
        found = formula(R, v) + 0.0 * a
        for k in range(SLOPES):
            out[k] = partial(found, k)

    return lambda x: formula(tuple(x[:ENTRIES]), tuple(x[ENTRIES:])), *by_differences(gradient)


def python_derivatives(function: Callable[..., Any]) -> Derivatives:
    """The value, and the kernels `first` and `second`, of a Python function of arrays, called back from compiled code."""

    def slopes(x: Array, out: Array) -> None:
        R, v = x[:ENTRIES].reshape(3, 3), x[ENTRIES:]
        size = spacing_of(v)
        for k in range(SLOPES):
            e = np.eye(3)[k % 3]
            out[k] = sum(
                weight / size * float(function(R, v + offset * size * e))
                if k < 3
                else weight / SPACING * float(function(R @ rotation_exp(offset * SPACING * e), v))
                for offset, weight in zip(OFFSETS, WEIGHTS, strict=True)
            )

    def called(x_address: int, out_address: int) -> None:
        x = np.ctypeslib.as_array((ctypes.c_double * NUMBERS).from_address(x_address))
        out = np.ctypeslib.as_array((ctypes.c_double * SLOPES).from_address(out_address))
        out[:] = np.nan  # what stays if the function fails: the run then stops with its error
        callbacks.call(slopes, x, out)

    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(called)

    @kernel
    def gradient(x: Any, out: Any) -> None:
        callback(x.ctypes, out.ctypes)

    def value_at(x: Any) -> Array:
        rows = np.stack(np.broadcast_arrays(*x), axis=-1)
        found = [float(function(row[:ENTRIES].reshape(3, 3), row[ENTRIES:])) for row in rows.reshape(-1, NUMBERS)]
        return np.array(found).reshape(rows.shape[:-1])

    return value_at, *by_differences(gradient)


def spacing_of(v: Array) -> float:
    """The spacing of differences along a vector."""
    return SPACING * math.sqrt(1.0 + float(v @ v))


def by_differences(gradient: Any) -> tuple[Any, Any]:
    """The kernels `first` and `second` from the gradient on plain doubles."""
    slopes_at = gradient.dispatcher

    @dispatcher_of
    def table_at(x: Any, table: Any) -> None:
        """The derivative of the gradient, 6 × 6: rows its components, columns by v and along the group."""
        there, out = np.empty(NUMBERS), np.empty(SLOPES)
        spacing = SPACING * math.sqrt(1.0 + x[9] * x[9] + x[10] * x[10] + x[11] * x[11])
        table[:] = 0.0
        for k in range(SLOPES):
            for n in range(len(OFFSETS)):
                there[:] = x
                if k < 3:
                    size = spacing
                    there[ENTRIES + k] += OFFSETS[n] * size
                else:
                    size = SPACING
                    a, b = (k - 2) % 3, (k - 1) % 3
                    c, s = math.cos(OFFSETS[n] * size), math.sin(OFFSETS[n] * size)
                    for row in range(0, ENTRIES, 3):
                        there[row + a] = c * x[row + a] + s * x[row + b]
                        there[row + b] = c * x[row + b] - s * x[row + a]
                slopes_at(there, out)
                for i in range(SLOPES):
                    table[SLOPES * i + k] += WEIGHTS[n] / size * out[i]

    @dispatcher_of
    def first_at(x: Any, out: Any) -> None:
        slopes_at(x, out)

    @dispatcher_of
    def second_at(x: Any, out: Any) -> None:
        table = np.empty(SLOPES * SLOPES)
        table_at(x, table)
        for k in range(6):
            out[k] = table[ORDER[k]]
        for i in range(3):
            for j in range(3):
                out[6 + 3 * i + j] = table[SLOPES * i + 3 + j]

    @kernel
    def first(x: Any) -> Any:
        return slopes_of_any(x, first_at, table_at)

    @kernel
    def second(x: Any) -> Any:
        return curvatures_of_any(x, second_at)

    return first, second


def _on_rows(x: Any, function: Any, count: int) -> tuple[Array, ...]:
    """`function(x, out)` on arrays, row by row."""
    rows = np.ascontiguousarray(np.stack(np.broadcast_arrays(*x), axis=-1), dtype=np.float64)
    out = np.empty((*rows.shape[:-1], count))
    for row, result in zip(rows.reshape(-1, NUMBERS), out.reshape(-1, count), strict=True):
        function(row, result)
    return tuple(np.moveaxis(out, -1, 0))


def slopes_of_any(x: Any, first_at: Any, table_at: Any) -> Any:
    """The six slopes at x, whose numbers are of any scalar."""
    return _on_rows(x, first_at, SLOPES)


def curvatures_of_any(x: Any, second_at: Any) -> Any:
    """The fifteen second derivatives at x, of doubles or lanes."""
    return _on_rows(x, second_at, 15)


@kernel
def entries6(a: Any, S: Any) -> Any:
    """Six entries of an array."""
    return get(a, 0, S), get(a, 1, S), get(a, 2, S), get(a, 3, S), get(a, 4, S), get(a, 5, S)


@kernel
def entries15(a: Any, S: Any) -> Any:
    """Fifteen entries of an array."""
    rest = get(a, 6, S), get(a, 7, S), get(a, 8, S), get(a, 9, S), get(a, 10, S), get(a, 11, S)
    return entries6(a, S) + rest + (get(a, 12, S), get(a, 13, S), get(a, 14, S))


@kernel
def group_part(x: Any, x0: Any) -> Vector:
    """ξ = vee(R₀ᵀ R), whose value is zero and whose partials are those of R along the group."""
    R: Matrix = x[0:9]
    xi = 0.5 * (x0[2] * R[1] - x0[1] * R[2] + x0[5] * R[4] - x0[4] * R[5] + x0[8] * R[7] - x0[7] * R[8])
    eta = 0.5 * (x0[0] * R[2] - x0[2] * R[0] + x0[3] * R[5] - x0[5] * R[3] + x0[6] * R[8] - x0[8] * R[6])
    zeta = 0.5 * (x0[1] * R[0] - x0[0] * R[1] + x0[4] * R[3] - x0[3] * R[4] + x0[7] * R[6] - x0[6] * R[7])
    return xi, eta, zeta


def lane_by_lane(kind: Any, count: int, read: Any) -> Any:
    """The kernel that calls `function(x, out)` for each lane of a scalar, and reads so many results."""
    W = width(kind)

    @kernel
    def call(x: Any, function: Any) -> Any:
        row, out, given, found = np.empty(NUMBERS), np.empty(count), np.empty(NUMBERS * W), np.empty(count * W)
        for i in range(NUMBERS):
            put(given, i, kind, x[i])
        for lane in range(W):
            for i in range(NUMBERS):
                row[i] = given[i * W + lane]
            function(row, out)
            for i in range(count):
                found[i * W + lane] = out[i]
        return read(found, kind)

    return call


@overloads(slopes_of_any)
def _slopes_of_any(x: Any, first_at: Any, table_at: Any) -> Any:
    kind = x.dtype
    if not isinstance(kind, Dual):
        call = lane_by_lane(kind, SLOPES, entries6)
        return lambda x, first_at, table_at: call(x, first_at)
    W = width(kind)

    def on_duals(x: Any, first_at: Any, table_at: Any) -> Any:
        x0, out, table, found = np.empty(NUMBERS), np.empty(SLOPES), np.empty(SLOPES * SLOPES), np.empty(SLOPES * W)
        for i in range(NUMBERS):
            x0[i] = value(x[i])
        first_at(x0, out)
        table_at(x0, table)
        xi = group_part(x, x0)
        v = (x[9] - x0[9], x[10] - x0[10], x[11] - x0[11])
        for i in range(SLOPES):
            at = SLOPES * i
            along_v = table[at] * v[0] + table[at + 1] * v[1] + table[at + 2] * v[2]
            along_group = table[at + 3] * xi[0] + table[at + 4] * xi[1] + table[at + 5] * xi[2]
            put(found, i, kind, out[i] + (along_v + along_group))
        return entries6(found, kind)

    return on_duals


@overloads(curvatures_of_any)
def _curvatures_of_any(x: Any, second_at: Any) -> Any:
    call = lane_by_lane(x.dtype, 15, entries15)
    return lambda x, second_at: call(x, second_at)
