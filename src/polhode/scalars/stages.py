"""Lanes as the stages of one step: each lane holds the same quantity at another time, and sums mix the lanes.

Unlike the lanes of an ensemble these depend on each other. A matrix of W × W coefficients is kept as W columns, each in
one vector, so that `mixed` needs W products and no shuffle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from .functions import fused
from .lanes import DOUBLE, INT32, INT64, intrinsic, splat, vector


@intrinsic
def columns(typing: Any, array: Any, kind: Any) -> Any:
    """The W columns of a W × W matrix, each as lanes, from the array that holds them one after another."""
    lanes = kind.instance_type
    result = types.UniTuple(lanes, lanes.width)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        found = []
        for j in range(lanes.width):
            place = builder.gep(data, [INT64(j * lanes.width)])
            column = builder.load(builder.bitcast(place, vector(lanes.width).as_pointer()))
            column.align = 8
            found.append(column)
        return context.make_tuple(builder, result, found)

    return result(array, kind), emit


def _total(builder: Any, parts: list[Any]) -> Any:
    """The sum of these, in pairs."""
    half = len(parts) // 2
    return builder.fadd(_total(builder, parts[:half]), _total(builder, parts[half:])) if half else parts[0]


@intrinsic
def mixed(typing: Any, matrix: Any, array: Any, i: Any) -> Any:
    """The matrix with these columns times entry `i` of `array`, taken as a vector of its W lanes."""
    width = matrix.count

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[1]).data
        start = builder.gep(data, [builder.mul(args[2], INT64(width))])
        parts: list[Any] = []  # four sums hide each other's latency
        for j in range(width):
            number = builder.load(builder.gep(start, [INT64(j)]))
            column, wide = builder.extract_value(args[0], j), splat(builder, number, width)
            if j < 4:
                parts.append(builder.fmul(column, wide))
            else:
                parts[j % 4] = fused(builder, column, wide, parts[j % 4])
        return _total(builder, parts)

    return matrix.dtype(matrix, array, types.int64), emit


def _folded(builder: Any, v: Any, width: int, join: Callable[..., Any], nothing: float) -> Any:
    """All lanes joined to one number: the first with the last, and so on, until one is left.

    The outer stages, whose weights are small, so meet their mirror images first. A middle one meets `nothing`.
    """
    while width > 1:
        half = width - width // 2
        front = ir.Constant(vector(half, INT32), list(range(half)))
        back = ir.Constant(vector(half, INT32), [width - 1 - k for k in range(half)])
        a, b = builder.shuffle_vector(v, v, front), builder.shuffle_vector(v, v, back)
        if width % 2:
            b = builder.insert_element(b, ir.Constant(DOUBLE, nothing), INT32(half - 1))
        v, width = join(builder, a, b), half
    return builder.extract_element(v, INT32(0))


@intrinsic
def lane_sum(typing: Any, x: Any) -> Any:
    """The sum of all lanes."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _folded(builder, args[0], x.width, lambda builder, a, b: builder.fadd(a, b), 0.0)

    return types.float64(x), emit


def _larger(builder: Any, a: Any, b: Any) -> Any:
    newer = builder.or_(builder.fcmp_ordered(">", b, a), builder.fcmp_unordered("uno", b, b))
    return builder.select(newer, b, a)


@intrinsic
def lane_top(typing: Any, x: Any) -> Any:
    """The largest of all lanes; NaN if any is."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _folded(builder, args[0], x.width, _larger, float("-inf"))

    return types.float64(x), emit


__all__ = ["columns", "lane_sum", "lane_top", "mixed"]
