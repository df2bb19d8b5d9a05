"""The functions a kernel may call besides `+ − * /` and comparisons, for every scalar there is.

Each is an ordinary Python function whose body is its NumPy form, so that kernels run on arrays too; compiled code gets
the form for doubles, lanes or duals. Kernels do not branch on a value: they compute both sides and choose by `where`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import overload

from .duals import Dual, combined, dual_of, make, parts, scaled, zero_partials
from .lanes import DOUBLE, Lanes, Mask, element, intrinsic, is_real, lanes_width, vector, widened

# The forms are inlined by LLVM and obey C's rules for division, as kernels do; `strict` would compare annotations.
_overload = functools.partial(overload, strict=False, jit_options={"forceinline": True, "error_model": "numpy"})

# --- pieces for the compiled forms ------------------------------------------------------------------------------------


def _call(builder: Any, name: str, kind: Any, args: list[Any]) -> Any:
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [a.type for a in args]), name)
    return builder.call(function, args)


def _vector_intrinsic(name: str) -> Any:
    """The LLVM intrinsic `name` on all lanes at once."""

    @intrinsic
    def apply(typing: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _call(builder, f"llvm.{name}.v{x.width}f64", vector(x.width), list(args))

        return x(x), emit

    return apply


def _lane_by_lane(name: str) -> Any:
    """The C library's function `name`, lane by lane: the same call, hence the same bits, as for a double."""

    @intrinsic
    def apply(typing: Any, x: Any, y: Any) -> Any:
        width = lanes_width((x, y))
        if width is None:
            return None

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            x, y = (widened(builder, a, k, width) for a, k in zip(args, sig.args, strict=True))
            result = ir.Constant(vector(width), ir.Undefined)
            for i in range(width):
                operands = [element(builder, x, i)] + ([element(builder, y, i)] if name == "atan2" else [])
                result = builder.insert_element(result, _call(builder, name, DOUBLE, operands), ir.IntType(32)(i))
            return result

        return Lanes(width)(*(a if isinstance(a, Lanes) else types.float64 for a in (x, y))), emit

    return apply


@intrinsic
def _chain(typing: Any, value: Any, slope: Any, x: Any) -> Any:
    """The dual number `value` with partials `slope` times those of `x`."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make(builder, args[0], scaled(builder, parts(builder, args[2], x)[1], args[1]))

    return x(types.float64, types.float64, x), emit


@intrinsic
def _chain_two(typing: Any, value: Any, slope: Any, x: Any, other: Any, y: Any) -> Any:
    """The dual number `value` with partials `slope` times those of `x` plus `other` times those of `y`; one of the two
    may be a plain double."""
    operands = tuple(a if isinstance(a, Dual) else types.float64 for a in (x, y))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        dx = scaled(builder, parts(builder, args[2], operands[0])[1], args[1])
        dy = scaled(builder, parts(builder, args[4], operands[1])[1], args[3])
        return make(builder, args[0], combined(builder, "fadd", dx, dy))

    double = types.float64
    dual: Any = dual_of((x, y))
    return dual(double, double, operands[0], double, operands[1]), emit


@intrinsic
def _dual_value(typing: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return parts(builder, args[0], x)[0]

    return types.float64(x), emit


# --- value and partials ------------------------------------------------------------------------------------------------


def value(x: Any) -> Any:
    """`x` without its partial derivatives: what an iterative solve works on."""
    return x


@_overload(value)
def _value(x: Any) -> Any:
    return (lambda x: _dual_value(x)) if isinstance(x, Dual) else (lambda x: x)


def attach(x: Any, correction: Any) -> Any:
    """`x`, solved for on values alone, with the partials that `x − correction` has.

    If `x` solves `r(x, g) = 0` and `correction = (∂r/∂x)⁻¹ r(x, g)` is computed with the partials of `g`, then by the
    implicit function theorem these are the exact partials of the solution. For doubles and lanes it is `x` itself.
    """
    return x


@intrinsic
def _attach_dual(typing: Any, x: Any, correction: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make(builder, args[0], builder.fneg(parts(builder, args[1], correction)[1]))

    return correction(types.float64, correction), emit


@_overload(attach)
def _attach(x: Any, correction: Any) -> Any:
    if isinstance(correction, Dual):
        return lambda x, correction: _attach_dual(x, correction)
    return lambda x, correction: x


def on_duals(function: Callable[..., None]) -> Callable[..., None]:
    """Make `function(S, ...)` do its work where `S` is a dual scalar, and nothing, at no cost, for other scalars."""

    def skipped(*args: Any) -> None:
        """Python has no duals."""

    @_overload(skipped)
    def _choose(*args: Any) -> Any:
        dual = isinstance(getattr(args[0], "instance_type", None), Dual)
        return (lambda *args: function(*args)) if dual else (lambda *args: None)

    return skipped


# --- functions of one or two numbers ---------------------------------------------------------------------------------


def sqrt(x: Any) -> Any:
    """Square root."""
    return np.sqrt(x)


def absolute(x: Any) -> Any:
    """Absolute value; its derivative at 0 is taken as +1."""
    return np.abs(x)


def sin(x: Any) -> Any:
    """Sine."""
    return np.sin(x)


def cos(x: Any) -> Any:
    """Cosine."""
    return np.cos(x)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), in (−π, π]."""
    return np.arctan2(y, x)


def _register(function: Callable[[Any], Any], on_double: Any, on_lanes: Any, on_dual: Any) -> None:
    @_overload(function)
    def _choose(x: Any) -> Any:
        if is_real(x):
            return on_double
        if isinstance(x, Lanes):
            return on_lanes
        return on_dual if isinstance(x, Dual) else None


def _dual_sqrt(x: Any) -> Any:
    root = math.sqrt(_dual_value(x))
    return _chain(root, 0.5 / root, x)


def _dual_absolute(x: Any) -> Any:
    v = _dual_value(x)
    return _chain(math.fabs(v), -1.0 if v < 0.0 else 1.0, x)


def _dual_sin(x: Any) -> Any:
    v = _dual_value(x)
    return _chain(math.sin(v), math.cos(v), x)


def _dual_cos(x: Any) -> Any:
    v = _dual_value(x)
    return _chain(math.cos(v), -math.sin(v), x)


_vector_sqrt, _vector_fabs = _vector_intrinsic("sqrt"), _vector_intrinsic("fabs")
_each_sin, _each_cos, _each_atan2 = _lane_by_lane("sin"), _lane_by_lane("cos"), _lane_by_lane("atan2")
_register(sqrt, lambda x: math.sqrt(x), lambda x: _vector_sqrt(x), _dual_sqrt)
_register(absolute, lambda x: math.fabs(x), lambda x: _vector_fabs(x), _dual_absolute)
_register(sin, lambda x: math.sin(x), lambda x: _each_sin(x, 0.0), _dual_sin)
_register(cos, lambda x: math.cos(x), lambda x: _each_cos(x, 0.0), _dual_cos)


@_overload(atan2)
def _atan2(y: Any, x: Any) -> Any:
    if is_real(x) and is_real(y):
        return lambda y, x: math.atan2(y, x)
    if lanes_width((x, y)) is not None:
        return lambda y, x: _each_atan2(y, x)
    if dual_of((x, y)) is None:
        return None

    def on_duals(y: Any, x: Any) -> Any:
        a, b = value(y), value(x)
        r2 = a * a + b * b
        return _chain_two(math.atan2(a, b), b / r2, y, -a / r2, x)

    return on_duals


# --- choosing --------------------------------------------------------------------------------------------------------


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where `condition` holds, else `y`; both are computed."""
    return np.where(condition, x, y)


@intrinsic
def _select(typing: Any, condition: Any, x: Any, y: Any) -> Any:
    dual, width = dual_of((x, y)), lanes_width((x, y))
    if isinstance(condition, Mask) and (width or condition.width) == condition.width and dual is None:
        result: types.Type = Lanes(condition.width)
    elif isinstance(condition, types.Boolean) and dual is not None:
        result = dual
    elif isinstance(condition, types.Boolean):
        result = types.float64 if width is None else Lanes(width)
    else:
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        c, x, y = args
        if isinstance(result, Dual):
            (u, du), (v, dv) = (parts(builder, a, k) for a, k in zip((x, y), sig.args[1:], strict=True))
            du, dv = (zero_partials(result.partials) if d is None else d for d in (du, dv))
            return make(builder, builder.select(c, u, v), builder.select(c, du, dv))
        if isinstance(result, Lanes):
            x, y = (widened(builder, a, k, result.width) for a, k in zip((x, y), sig.args[1:], strict=True))
        return builder.select(c, x, y)

    operands = (types.float64 if is_real(a) else a for a in (x, y))
    return result(condition, *operands), emit


@_overload(where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    if isinstance(condition, (types.Boolean, Mask)):
        return lambda condition, x, y: _select(condition, x, y)


def largest(x: Any, y: Any) -> Any:
    """The larger of two numbers; `x` where they are equal or either is NaN."""
    return where(y > x, y, x)


@_overload(largest)
def _largest(x: Any, y: Any) -> Any:
    return lambda x, y: where(y > x, y, x)


# --- from many lanes to one answer -----------------------------------------------------------------------------------


def any_of(condition: Any) -> Any:
    """Whether `condition` holds in any lane."""
    return np.any(condition)


@intrinsic
def _any_lane(typing: Any, mask: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = ir.IntType(mask.width)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], bits), bits(0))

    return types.boolean(mask), emit


@_overload(any_of)
def _any_of(condition: Any) -> Any:
    return (lambda condition: _any_lane(condition)) if isinstance(condition, Mask) else (lambda condition: condition)


def worst(x: Any) -> Any:
    """The largest value in any lane, as a plain double; NaN if any lane is NaN."""
    return np.max(x)


@intrinsic
def _worst_lane(typing: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = [element(builder, args[0], i) for i in range(x.width)]
        top = lanes[0]
        for lane in lanes[1:]:
            # an unordered comparison is true if either is NaN; taking the NaN of the two keeps it to the end
            newer = builder.or_(builder.fcmp_ordered(">", lane, top), builder.fcmp_unordered("uno", lane, lane))
            top = builder.select(newer, lane, top)
        return top

    return types.float64(x), emit


@_overload(worst)
def _worst(x: Any) -> Any:
    return (lambda x: _worst_lane(x)) if isinstance(x, Lanes) else (lambda x: value(x))


# --- starting a derivative ---------------------------------------------------------------------------------------------


def seeded(kind: Any, x: Any, i: Any) -> Any:
    """The dual number `x` of type `kind` whose i-th partial derivative is 1 (compiled code only)."""
    raise TypeError("seeded works in compiled code only")


@intrinsic
def _seed(typing: Any, kind: Any, x: Any, i: Any) -> Any:
    dual = kind.instance_type

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        index = builder.trunc(args[2], ir.IntType(32))
        one = builder.insert_element(zero_partials(dual.partials), ir.Constant(DOUBLE, 1.0), index)
        return make(builder, args[1], one)

    return dual(kind, types.float64, types.int64), emit


@_overload(seeded)
def _seeded(kind: Any, x: Any, i: Any) -> Any:
    return lambda kind, x, i: _seed(kind, x, i)


def partial(x: Any, i: Any) -> Any:
    """The i-th partial derivative that the dual number `x` carries (compiled code only)."""
    raise TypeError("partial works in compiled code only")


@intrinsic
def _partial_of(typing: Any, x: Any, i: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        index = builder.trunc(args[1], ir.IntType(32))
        return builder.extract_element(parts(builder, args[0], x)[1], index)

    return types.float64(x, types.int64), emit


@_overload(partial)
def _partial(x: Any, i: Any) -> Any:
    return (lambda x, i: _partial_of(x, i)) if isinstance(x, Dual) else (lambda x, i: 0.0)
