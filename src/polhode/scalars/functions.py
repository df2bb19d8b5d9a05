"""What a kernel may call to choose, and to take numbers apart, for every scalar there is (see also `elementary`).

Each is an ordinary Python function whose body is its NumPy form, so that kernels run on arrays too; compiled code gets
the form for doubles, lanes or duals. Kernels do not branch on a value: they compute both sides and choose by `where`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import overload

from .duals import Dual, combined, dual_of, make, negated, parts, registers, scaled, zero_partials
from .lanes import DOUBLE, INT32, INT64, Lanes, Mask, element, intrinsic, is_real, lanes_width, splat, vector, widened
from .linked import LINKED

# The forms are inlined by LLVM and obey C's rules for division, as kernels do; `strict` would compare annotations.
_overload = functools.partial(
    overload, strict=False, jit_options={"forceinline": True, "error_model": "numpy", **LINKED}
)


def overloads(function: Any, **options: Any) -> Callable[[Any], Any]:
    """Compiled code gets the form of `function` that the decorated one chooses. A function outside of the scalars remembers
    it, so that fingerprints count what its forms are made of."""

    def register(choose: Any) -> Any:
        if not choose.__module__.startswith(f"{__package__}."):
            function.forms = choose
        return _overload(function, **options)(choose)

    return register


# --- value and partials ------------------------------------------------------------------------------------------------


def value(x: Any) -> Any:
    """`x` without its partial derivatives: what an iterative solve works on."""
    return x


@intrinsic
def _dual_value(typing: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return parts(builder, args[0], x)[0]

    return types.float64(x), emit


@overloads(value)
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
        return make(builder, args[0], negated(builder, parts(builder, args[1], correction)[1]))

    return correction(types.float64, correction), emit


@overloads(attach)
def _attach(x: Any, correction: Any) -> Any:
    if isinstance(correction, Dual):
        return lambda x, correction: _attach_dual(x, correction)
    return lambda x, correction: x


def on_duals(function: Callable[..., None]) -> Callable[..., None]:
    """Make `function(S, ...)` do its work where `S` is a dual scalar, and nothing, at no cost, for other scalars."""

    @functools.wraps(function)
    def skipped(*args: Any) -> None:
        """Python has no duals."""

    @overloads(skipped)
    def _choose(*args: Any) -> Any:
        dual = isinstance(getattr(args[0], "instance_type", None), Dual)
        return (lambda *args: function(*args)) if dual else (lambda *args: None)

    return skipped


@overloads(operator.pos)
def _positive(x: Any) -> Any:
    """`+x` of lanes and duals."""
    return (lambda x: x) if isinstance(x, (Lanes, Dual)) else None


# --- arithmetic --------------------------------------------------------------------------------------------------------


def multiply_add(x: Any, y: Any, z: Any) -> Any:
    """`x y + z`, rounded once where the processor can, and then on every scalar alike."""
    return x * y + z


def fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """`llvm.fmuladd`: a fused product where the processor has one, else a product and a sum."""
    suffix = f"v{x.type.count}f64" if isinstance(x.type, ir.VectorType) else "f64"
    kind = ir.FunctionType(x.type, [x.type] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.{suffix}"), [x, y, z])


@intrinsic
def _multiply_add_of(typing: Any, x: Any, y: Any, z: Any) -> Any:
    kinds = (x, y, z)
    dual, width = dual_of(kinds), lanes_width(kinds)
    result = dual or (types.float64 if width is None else Lanes(width))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if dual is not None:
            (u, du), (v, dv), (w, dw) = (parts(builder, a, k) for a, k in zip(args, sig.args, strict=True))
            partials = combined(builder, "fadd", scaled(builder, du, v), scaled(builder, dv, u))
            return make(builder, fused(builder, u, v, w), combined(builder, "fadd", partials, dw))
        if width is not None:
            args = [widened(builder, a, k, width) for a, k in zip(args, sig.args, strict=True)]
        return fused(builder, *args)

    return result(*(types.float64 if is_real(a) else a for a in kinds)), emit


@overloads(multiply_add)
def _multiply_add(x: Any, y: Any, z: Any) -> Any:
    kinds = (x, y, z)
    if dual_of(kinds) or lanes_width(kinds) or all(map(is_real, kinds)):
        return lambda x, y, z: _multiply_add_of(x, y, z)


# --- choosing --------------------------------------------------------------------------------------------------------


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where `condition` holds, else `y`; both are computed."""
    if type(condition) is bool and type(x) is float and type(y) is float:
        return x if condition else y
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
            return make(
                builder, builder.select(c, u, v), [builder.select(c, d, e) for d, e in zip(du, dv, strict=True)]
            )
        if isinstance(result, Lanes):
            x, y = (widened(builder, a, k, result.width) for a, k in zip((x, y), sig.args[1:], strict=True))
        return builder.select(c, x, y)

    operands = (types.float64 if is_real(a) else a for a in (x, y))
    return result(condition, *operands), emit


@overloads(where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    if isinstance(condition, (types.Boolean, Mask)):
        return lambda condition, x, y: _select(condition, x, y)


def largest(x: Any, y: Any) -> Any:
    """The larger of two numbers; `x` where they are equal or either is NaN."""
    return where(y > x, y, x)


@overloads(largest)
def _largest(x: Any, y: Any) -> Any:
    return lambda x, y: where(y > x, y, x)


def smallest(x: Any, y: Any) -> Any:
    """The smaller of two numbers; `x` where they are equal or either is NaN."""
    return where(y < x, y, x)


@overloads(smallest)
def _smallest(x: Any, y: Any) -> Any:
    return lambda x, y: where(y < x, y, x)


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


@overloads(any_of)
def _any_of(condition: Any) -> Any:
    return (lambda condition: _any_lane(condition)) if isinstance(condition, Mask) else (lambda condition: condition)


def worst(x: Any) -> Any:
    """The largest value in any lane, as a plain double; NaN if any lane is NaN."""
    return np.max(x)


@intrinsic
def _worst_lane(typing: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        top, count = args[0], x.width
        while count > 1:  # the worse of each two lanes, of which one has to stand twice where their number is odd
            half = -(-count // 2)
            low, high = (
                builder.shuffle_vector(top, top, ir.Constant(vector(half, INT32), [min(i, count - 1) for i in places]))
                for places in (range(half), range(half, 2 * half))
            )
            # an unordered comparison is true if either is NaN; taking the NaN of the two keeps it to the end
            newer = builder.or_(builder.fcmp_ordered(">", high, low), builder.fcmp_unordered("uno", high, high))
            top, count = builder.select(newer, high, low), half
        return element(builder, top, 0)

    return types.float64(x), emit


@overloads(worst)
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
        partials = []
        for places in registers(dual.partials):
            n = len(places)
            here = builder.icmp_signed("==", splat(builder, args[2], n), ir.Constant(vector(n, INT64), list(places)))
            partials.append(builder.uitofp(here, vector(n)))
        return make(builder, args[1], partials)

    return dual(kind, types.float64, types.int64), emit


@overloads(seeded)
def _seeded(kind: Any, x: Any, i: Any) -> Any:
    return lambda kind, x, i: _seed(kind, x, i)


def constant(kind: Any, x: Any) -> Any:
    """The dual number `x` of type `kind` with partial derivatives zero (compiled code only)."""
    raise TypeError("constant works in compiled code only")


@overloads(constant)
def _constant(kind: Any, x: Any) -> Any:
    return lambda kind, x: _seed(kind, x, -1)


def partial(x: Any, i: Any) -> Any:
    """The i-th partial derivative that the dual number `x` carries (compiled code only)."""
    raise TypeError("partial works in compiled code only")


@intrinsic
def _partial_of(typing: Any, x: Any, i: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = ir.Constant(DOUBLE, float("nan"))
        for d, places in zip(parts(builder, args[0], x)[1], registers(x.partials), strict=True):
            for k, place in enumerate(places):
                found = builder.select(builder.icmp_signed("==", args[1], INT64(place)), element(builder, d, k), found)
        return found

    return types.float64(x, types.int64), emit


@overloads(partial)
def _partial(x: Any, i: Any) -> Any:
    return (lambda x, i: _partial_of(x, i)) if isinstance(x, Dual) else (lambda x, i: 0.0)
