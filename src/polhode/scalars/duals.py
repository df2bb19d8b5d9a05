"""Dual numbers: a value and K partial derivatives, carried through every operation by the chain rule.

A kernel run on duals gives, with its value, the exact derivative of what it computes: of the very same floating-point
map, not of a formula written beside it. The value is bit for bit that of the run on doubles.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from .lanes import ARITHMETIC, COMPARISONS, DOUBLE, is_real, splat, vector


class Dual(types.Type):
    """The type of a double with `partials` partial derivatives."""

    def __init__(self, partials: int) -> None:
        self.partials = partials
        super().__init__(name=f"Dual({partials})")


def storage(partials: int) -> ir.LiteralStructType:
    return ir.LiteralStructType([DOUBLE, vector(partials)])


@register_model(Dual)
class _DualModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Dual) -> None:
        super().__init__(manager, fe_type, storage(fe_type.partials))


def zero_partials(partials: int) -> Any:
    return ir.Constant(vector(partials), [0.0] * partials)


def make(builder: Any, value: Any, partials: Any) -> Any:
    """The dual number with this value and these partials."""
    empty = ir.Constant(storage(partials.type.count), ir.Undefined)
    return builder.insert_value(builder.insert_value(empty, value, 0), partials, 1)


def parts(builder: Any, x: Any, kind: types.Type) -> tuple[Any, Any]:
    """Value and partials of `x`; the partials of a plain double are None."""
    if isinstance(kind, Dual):
        return builder.extract_value(x, 0), builder.extract_value(x, 1)
    return x, None


def scaled(builder: Any, partials: Any, factor: Any) -> Any:
    """`factor` times `partials`; None stands for partials that are all zero."""
    return None if partials is None else builder.fmul(partials, splat(builder, factor, partials.type.count))


def combined(builder: Any, name: str, a: Any, b: Any) -> Any:
    """`a + b` or `a − b` of two vectors of partials, either of which may be None."""
    if b is None:
        return a
    if a is None:
        return b if name == "fadd" else builder.fneg(b)
    return getattr(builder, name)(a, b)


def _sum(name: str) -> Callable[..., Any]:
    def emit(b: Any, x: Any, dx: Any, y: Any, dy: Any) -> Any:
        return make(b, getattr(b, name)(x, y), combined(b, name, dx, dy))

    return emit


def _product(b: Any, x: Any, dx: Any, y: Any, dy: Any) -> Any:
    return make(b, b.fmul(x, y), combined(b, "fadd", scaled(b, dx, y), scaled(b, dy, x)))


def _quotient(b: Any, x: Any, dx: Any, y: Any, dy: Any) -> Any:
    q = b.fdiv(x, y)
    reciprocal = b.fdiv(ir.Constant(DOUBLE, 1.0), y)
    return make(b, q, scaled(b, combined(b, "fsub", dx, scaled(b, dy, q)), reciprocal))


def dual_of(args: tuple[types.Type, ...]) -> Dual | None:
    """The common dual type among `args`, or None where the operation is not one of duals."""
    duals = {a for a in args if isinstance(a, Dual)}
    fits = len(duals) == 1 and all(isinstance(a, Dual) or is_real(a) for a in args)
    return duals.pop() if fits else None


def _binary(op: Callable[..., Any], emit: Callable[..., Any], result: types.Type | None = None) -> None:
    @infer_global(op)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[types.Type, ...], kws: Any) -> Any:
            dual = dual_of(args) if len(args) == 2 else None
            if dual is not None:
                operands = (a if isinstance(a, Dual) else types.float64 for a in args)
                return signature(result or dual, *operands)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, dx = parts(builder, args[0], sig.args[0])
        y, dy = parts(builder, args[1], sig.args[1])
        return emit(builder, x, dx, y, dy)

    for operands in ((Dual, Dual), (Dual, types.float64), (types.float64, Dual)):
        lower_builtin(op, *operands)(lower)


_RULES = {"fadd": _sum("fadd"), "fsub": _sum("fsub"), "fmul": _product, "fdiv": _quotient}
for _name, _ops in ARITHMETIC.items():
    for _op in _ops:
        _binary(_op, _RULES[_name])
for _op, _symbol in COMPARISONS.items():
    _compare = "fcmp_unordered" if _symbol == "!=" else "fcmp_ordered"
    _binary(
        _op,
        lambda b, x, dx, y, dy, c=_compare, s=_symbol: getattr(b, c)(s, x, y),
        types.boolean,
    )


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: tuple[types.Type, ...], kws: Any) -> Any:
        if isinstance(args[0], Dual):
            return signature(args[0], *args)


@lower_builtin(operator.neg, Dual)
def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    x, dx = parts(builder, args[0], sig.args[0])
    return make(builder, builder.fneg(x), builder.fneg(dx))
