"""Lanes: W doubles side by side in one LLVM vector, so that one kernel call serves W members of an ensemble.

Every operation is the IEEE operation of each lane, without reassociation, and products are fused with sums only where a
kernel says so (`multiply_add`): a lane holds, bit for bit, what the scalar run of its member holds. Comparisons give a `Mask`, which `where` selects by.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import extending, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

# Called from compiled code with other arguments than its definition shows: the type checker need not know.
intrinsic: Any = extending.intrinsic

DOUBLE = ir.DoubleType()
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)


@cache
def register_width() -> int:
    """How many doubles a vector register of this machine's CPU holds."""
    features = llvmlite.binding.get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


def lane_width() -> int:
    """How many doubles to take side by side: two registers hide the latency of one another."""
    return 2 * register_width()


class Lanes(types.Type):
    """The type of `width` doubles in one vector."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


class Mask(types.Type):
    """The type of `width` truth values: what comparing lanes gives."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Mask({width})")


def vector(width: int, element: ir.Type = DOUBLE) -> ir.VectorType:
    """The LLVM type of this many doubles side by side."""
    return ir.VectorType(element, width)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Lanes) -> None:
        super().__init__(manager, fe_type, vector(fe_type.width))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Mask) -> None:
        super().__init__(manager, fe_type, vector(fe_type.width, ir.IntType(1)))


def splat(builder: Any, value: Any, width: int) -> Any:
    """The vector all of whose elements are `value`."""
    kind = vector(width, value.type)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, INT32(0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(vector(width, INT32), [0] * width))


def element(builder: Any, value: Any, i: int) -> Any:
    """One lane of a vector."""
    return builder.extract_element(value, INT32(i))


def widened(builder: Any, value: Any, kind: types.Type, width: int) -> Any:
    """`value` as a vector: itself if it is one, else splat."""
    return value if isinstance(kind, (Lanes, Mask)) else splat(builder, value, width)


def is_real(kind: types.Type) -> bool:
    """Whether a type is a plain number."""
    return isinstance(kind, (types.Float, types.Integer))


def lanes_width(args: tuple[types.Type, ...]) -> int | None:
    """The common width of the lanes among `args`, or None where the operation is not one of lanes."""
    widths = {a.width for a in args if isinstance(a, Lanes)}
    fits = len(widths) == 1 and all(isinstance(a, Lanes) or is_real(a) for a in args)
    return widths.pop() if fits else None


def _binary(op: Callable[..., Any], emit: Callable[..., Any], result: type[types.Type]) -> None:
    @infer_global(op)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[types.Type, ...], kws: Any) -> Any:
            width = lanes_width(args) if len(args) == 2 else None
            if width is not None:
                return signature(result(width), *(a if isinstance(a, Lanes) else types.float64 for a in args))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, y = (widened(builder, v, k, sig.return_type.width) for v, k in zip(args, sig.args, strict=True))
        return emit(builder, x, y)

    for operands in ((Lanes, Lanes), (Lanes, types.float64), (types.float64, Lanes)):
        lower_builtin(op, *operands)(lower)


# each operation with its in-place form, which means the same for numbers
ARITHMETIC = {
    "fadd": (operator.add, operator.iadd),
    "fsub": (operator.sub, operator.isub),
    "fmul": (operator.mul, operator.imul),
    "fdiv": (operator.truediv, operator.itruediv),
}
for _name, _ops in ARITHMETIC.items():
    for _op in _ops:
        _binary(_op, lambda b, x, y, name=_name: getattr(b, name)(x, y), Lanes)

COMPARISONS = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
for _op, _symbol in COMPARISONS.items():
    # as for doubles: every comparison with NaN is false, except that NaN != x is true
    if _symbol == "!=":
        _binary(_op, lambda b, x, y: b.fcmp_unordered("!=", x, y), Mask)
    else:
        _binary(_op, lambda b, x, y, s=_symbol: b.fcmp_ordered(s, x, y), Mask)


def _mask_binary(op: Callable[..., Any], name: str) -> None:
    @infer_global(op)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[types.Type, ...], kws: Any) -> Any:
            if len(args) == 2 and isinstance(args[0], Mask) and args[0] == args[1]:
                return signature(args[0], *args)

    @lower_builtin(op, Mask, Mask)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)


_mask_binary(operator.and_, "and_")
_mask_binary(operator.or_, "or_")


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: tuple[types.Type, ...], kws: Any) -> Any:
        if isinstance(args[0], Lanes):
            return signature(args[0], *args)


@lower_builtin(operator.neg, Lanes)
def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])
