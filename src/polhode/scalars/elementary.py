"""The elementary functions of one or two numbers, for every scalar there is.

Each is an ordinary Python function whose body is its NumPy form. In compiled code a double gets what the C library
gives, a lane the same call and hence the same bits, and a dual its derivative besides, in a form that loses no digits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from .compile import kernel
from .duals import Dual, combined, dual_of, make, parts, scaled
from .functions import overloads, value
from .lanes import DOUBLE, INT32, Lanes, element, intrinsic, is_real, lanes_width, vector, widened

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


def _each(builder: Any, name: str, width: int, operands: list[Any]) -> Any:
    """The C library's function `name`, lane by lane: the same call, hence the same bits, as for a double."""
    result = ir.Constant(vector(width), ir.Undefined)
    for i in range(width):
        one = _call(builder, name, DOUBLE, [element(builder, x, i) for x in operands])
        result = builder.insert_element(result, one, INT32(i))
    return result


def _lane_by_lane(name: str) -> Any:
    """The function of one number that is called lane by lane."""

    @intrinsic
    def apply(typing: Any, x: Any) -> Any:
        return x(x), lambda context, builder, sig, args: _each(builder, name, x.width, list(args))

    return apply


def _lane_by_lane_two(name: str) -> Any:
    """The function of two numbers, lanes or doubles, that is called lane by lane; of two doubles the call itself."""

    @intrinsic
    def apply(typing: Any, x: Any, y: Any) -> Any:
        width = lanes_width((x, y))
        kinds = tuple(a if isinstance(a, Lanes) else types.float64 for a in (x, y))

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if width is None:
                return _call(builder, name, DOUBLE, list(args))
            return _each(
                builder, name, width, [widened(builder, a, k, width) for a, k in zip(args, kinds, strict=True)]
            )

        return (types.float64 if width is None else Lanes(width))(*kinds), emit

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


def _register(function: Callable[[Any], Any], on_double: Any, on_lanes: Any, on_dual: Any) -> None:
    @overloads(function)
    def _choose(x: Any) -> Any:
        if is_real(x):
            return on_double
        if isinstance(x, Lanes):
            return on_lanes
        return on_dual if isinstance(x, Dual) else None


# --- roots and absolute values: instructions of the processor ---------------------------------------------------------


def sqrt(x: Any) -> Any:
    """Square root."""
    return math.sqrt(x) if type(x) is float and x >= 0.0 else np.sqrt(x)


def absolute(x: Any) -> Any:
    """Absolute value; its derivative at 0 is taken as +1."""
    return np.abs(x)


def _dual_sqrt(x: Any) -> Any:
    root = math.sqrt(value(x))
    return _chain(root, 0.5 / root, x)


def _dual_absolute(x: Any) -> Any:
    v = value(x)
    return _chain(math.fabs(v), -1.0 if v < 0.0 else 1.0, x)


_vector_sqrt, _vector_fabs = _vector_intrinsic("sqrt"), _vector_intrinsic("fabs")
_register(sqrt, lambda x: math.sqrt(x), lambda x: _vector_sqrt(x), _dual_sqrt)
_register(absolute, lambda x: math.fabs(x), lambda x: _vector_fabs(x), _dual_absolute)

# --- functions of one number, from the C library ----------------------------------------------------------------------


def sin(x: Any) -> Any:
    """Sine."""
    return np.sin(x)


def cos(x: Any) -> Any:
    """Cosine."""
    return np.cos(x)


def tan(x: Any) -> Any:
    """Tangent."""
    return np.tan(x)


def asin(x: Any) -> Any:
    """The angle in [−π/2, π/2] whose sine is x."""
    return np.arcsin(x)


def acos(x: Any) -> Any:
    """The angle in [0, π] whose cosine is x."""
    return np.arccos(x)


def atan(x: Any) -> Any:
    """The angle in (−π/2, π/2) whose tangent is x."""
    return np.arctan(x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return np.sinh(x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return np.cosh(x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return np.tanh(x)


def exp(x: Any) -> Any:
    """Exponential function."""
    return np.exp(x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return np.log(x)


def log1p(x: Any) -> Any:
    """`log(1 + x)`, accurate for small x."""
    return np.log1p(x)


def _from_c(function: Callable[[Any], Any], on_double: Any, slope: Callable[[Any, Any], Any]) -> None:
    """Register what the C library has under the same name; `slope(x, f)` is the derivative at x, where its value is f."""
    on_each, derivative = _lane_by_lane(function.__name__), kernel(slope)

    def on_dual(x: Any) -> Any:
        v = value(x)
        f = on_double(v)
        return _chain(f, derivative(v, f), x)

    _register(function, lambda x: on_double(x), lambda x: on_each(x), on_dual)


_from_c(sin, math.sin, lambda x, f: math.cos(x))
_from_c(cos, math.cos, lambda x, f: -math.sin(x))
_from_c(tan, math.tan, lambda x, f: 1.0 + f * f)
_from_c(asin, math.asin, lambda x, f: 1.0 / math.sqrt((1.0 - x) * (1.0 + x)))
_from_c(acos, math.acos, lambda x, f: -1.0 / math.sqrt((1.0 - x) * (1.0 + x)))
_from_c(atan, math.atan, lambda x, f: 1.0 / (1.0 + x * x))
_from_c(sinh, math.sinh, lambda x, f: math.cosh(x))
_from_c(cosh, math.cosh, lambda x, f: math.sinh(x))
_from_c(tanh, math.tanh, lambda x, f: (1.0 / math.cosh(x)) ** 2)  # 1 − f² would lose its digits
_from_c(exp, math.exp, lambda x, f: f)
_from_c(log, math.log, lambda x, f: 1.0 / x)
_from_c(log1p, math.log1p, lambda x, f: 1.0 / (1.0 + x))

# --- functions of two numbers, from the C library ---------------------------------------------------------------------


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), in (−π, π]."""
    return np.arctan2(y, x)


def power(x: Any, y: Any) -> Any:
    """`x` to the power `y`: for a negative x a whole one, else NaN."""
    return np.power(x, y)


SMALL, LARGE = 1e-290, 1e290  # within these a power has all its digits
_c_atan2, _c_pow = _lane_by_lane_two("atan2"), _lane_by_lane_two("pow")


def _dual_atan2(y: Any, x: Any) -> Any:
    a, b = value(y), value(x)
    size = max(math.fabs(a), math.fabs(b))
    u, v = a / size, b / size
    r = size * (u * u + v * v)
    return _chain_two(_c_atan2(a, b), v / r, y, -u / r, x)


def _dual_power(x: Any, y: Any) -> Any:
    a, b = value(x), value(y)
    f = _c_pow(a, b)
    slope = f / a if SMALL < math.fabs(f) < LARGE else _c_pow(a, b - 1.0)
    return _chain_two(f, b * slope if b != 0.0 else 0.0, x, f * math.log(a) if f != 0.0 else 0.0, y)


def _register_two(function: Callable[[Any, Any], Any], on_plain: Any, on_dual: Any) -> None:
    @overloads(function)
    def _choose(a: Any, b: Any) -> Any:
        if (is_real(a) and is_real(b)) or lanes_width((a, b)) is not None:
            return on_plain
        return None if dual_of((a, b)) is None else on_dual


_register_two(atan2, lambda y, x: _c_atan2(y, x), _dual_atan2)
_register_two(power, lambda x, y: _c_pow(x, y), _dual_power)


@overloads(operator.pow, prefer_literal=True)
@overloads(operator.ipow, prefer_literal=True)
def _raised(x: Any, y: Any) -> Any:
    """`x ** y` of lanes and duals: a whole power that is written out by the products that Numba takes for doubles, a
    real one by `power`; of a whole number that is found at run time there is none."""
    if lanes_width((x, y)) is None and dual_of((x, y)) is None:
        return None
    if not isinstance(y, types.IntegerLiteral):
        return None if isinstance(y, types.Integer) else lambda x, y: power(x, y)
    product, lines, bits = "1.0", [], f"{abs(y.literal_value):b}"[::-1]
    for i, bit in enumerate(bits):
        lines.append(f"x{i} = x{i - 1} * x{i - 1}" if i else "x0 = x")
        if bit == "1":
            lines.append(f"y{i} = {product} * x{i}")
            product = f"y{i}"
    lines.append(f"return 1.0 / {product}" if y.literal_value < 0 else f"return {product}")
    space: dict[str, Any] = {}
    exec("\n    ".join(["def raised(x, y):", *lines]), space)
    return space["raised"]
