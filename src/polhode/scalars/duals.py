"""Dual numbers: a value and K partial derivatives, carried through every operation by the chain rule.

A kernel run on duals gives, with its value, the exact derivative of what it computes: of the very same floating-point
map, not of a formula written beside it. The value is bit for bit that of the run on doubles; partials may be contracted
(a product and a sum in one instruction).

In compiled code the partials are a list of vectors, each of which fits a register of the CPU: LLVM would cut one vector
of an odd length into pieces at every operation anew.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from .lanes import ARITHMETIC, COMPARISONS, DOUBLE, is_real, register_width, splat, vector

CONTRACT = ("contract",)
REGISTER = register_width()


class Dual(types.Type):
    """The type of a double with `partials` partial derivatives."""

    def __init__(self, partials: int) -> None:
        self.partials = partials
        super().__init__(name=f"{type(self).__name__}({partials})")


class ParameterDual(Dual):
    """The same, where the parameters of a system carry partial derivatives too: what a flow reads with `par` is a dual."""


class ParameterValues(types.Type):
    """What stands for `ParameterDual(partials)` where parameters are read without their partials."""

    def __init__(self, partials: int) -> None:
        self.partials = partials
        super().__init__(name=f"ParameterValues({partials})")


def registers(partials: int) -> list[range]:
    """Which of so many partials stand together in a vector, for each of the vectors."""
    found: list[range] = []
    first = 0
    while first < partials:
        length = min(REGISTER, 1 << ((partials - first).bit_length() - 1))
        found.append(range(first, first + length))
        first += length
    return found


def storage(partials: int) -> ir.LiteralStructType:
    """The LLVM type of a dual."""
    return ir.LiteralStructType([DOUBLE, *(vector(len(r)) for r in registers(partials))])


@register_model(Dual)
@register_model(ParameterDual)
class _DualModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Dual) -> None:
        super().__init__(manager, fe_type, storage(fe_type.partials))


def zero_partials(partials: int) -> list[Any]:
    """Vectors of zeros for this many partials."""
    return [ir.Constant(vector(len(r)), [0.0] * len(r)) for r in registers(partials)]


def make(builder: Any, value: Any, partials: list[Any]) -> Any:
    """The dual number with this value and these partials."""
    members = [value, *partials]
    dual = ir.Constant(ir.LiteralStructType([member.type for member in members]), ir.Undefined)
    for i, member in enumerate(members):
        dual = builder.insert_value(dual, member, i)
    return dual


def parts(builder: Any, x: Any, kind: types.Type) -> tuple[Any, Any]:
    """Value and partials of `x`; the partials of a plain double are None."""
    if isinstance(kind, Dual):
        value, *partials = (builder.extract_value(x, i) for i in range(len(x.type.elements)))
        return value, partials
    return x, None


def scaled(builder: Any, partials: list[Any] | None, factor: Any) -> Any:
    """`factor` times `partials`; None stands for partials that are all zero."""
    if partials is None:
        return None
    return [builder.fmul(d, splat(builder, factor, d.type.count), flags=CONTRACT) for d in partials]


def negated(builder: Any, partials: list[Any]) -> list[Any]:
    """The negatives of partials."""
    return [builder.fneg(d) for d in partials]


def combined(builder: Any, name: str, a: list[Any] | None, b: list[Any] | None) -> Any:
    """`a + b` or `a − b` of two lists of partials, either of which may be None."""
    if b is None:
        return a
    if a is None:
        return b if name == "fadd" else negated(builder, b)
    return [getattr(builder, name)(d, e, flags=CONTRACT) for d, e in zip(a, b, strict=True)]


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
    return make(builder, builder.fneg(x), negated(builder, dx))
