"""How loops call flows: by pointers to the arrays' first entries.

Numba hands an array to a first-class function as seven numbers, so that a flow with four arrays costs 28 of them, twice,
which is more than what a short flow does. Here a flow is entered with one pointer for each array, in registers. A flow
therefore knows no length of its arrays: it indexes them from the front.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing import signature
from numba.extending import NativeValue, lower_builtin, models, register_model, unbox

from .lanes import INT64, Lanes, vector

ENTRY = ir.DoubleType().as_pointer()
ENDLESS = 2**40  # stands for the length of an array, which a flow does not ask for
CACHE_LINE = 64


class FlowType(types.Callable):
    """The type of a flow with these arguments: the token of the scalar first, then arrays, doubles and lanes."""

    def __init__(self, arguments: tuple[types.Type, ...]) -> None:
        self.arguments = arguments
        super().__init__(name=f"Flow({', '.join(map(str, arguments))})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        return None if kws or len(args) != len(self.arguments) else self._signature()

    def get_call_signatures(self) -> Any:
        return [self._signature()], False

    def get_impl_key(self, sig: Any) -> Any:
        return type(self)

    def _signature(self) -> Any:
        return signature(types.int64, *self.arguments, recvr=self)


@register_model(FlowType)
class _FlowModel(models.PrimitiveModel):
    """The address of the machine code."""

    def __init__(self, manager: Any, fe_type: FlowType) -> None:
        super().__init__(manager, fe_type, INT64)


@unbox(FlowType)
def _unbox_flow(kind: FlowType, value: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(number)


def _passed(arguments: tuple[types.Type, ...]) -> list[tuple[int, types.Type]]:
    """Those arguments that are passed on: the token says nothing at run time."""
    return [(i, kind) for i, kind in enumerate(arguments) if isinstance(kind, (types.Array, types.Float, Lanes))]


def _machine_type(arguments: tuple[types.Type, ...]) -> ir.FunctionType:
    return ir.FunctionType(INT64, [_machine_kind(kind) for _, kind in _passed(arguments)])


def _machine_kind(kind: types.Type) -> ir.Type:
    if isinstance(kind, types.Array):
        return ENTRY
    return vector(kind.width) if isinstance(kind, Lanes) else ir.DoubleType()


@lower_builtin(FlowType, types.VarArg(types.Any))
def _call_flow(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    arguments = tuple(sig.args[1:])
    values = [
        context.make_array(kind)(context, builder, args[1 + i]).data if isinstance(kind, types.Array) else args[1 + i]
        for i, kind in _passed(arguments)
    ]
    entry = builder.inttoptr(args[0], _machine_type(arguments).as_pointer())
    return builder.call(entry, values)


def add_entry(context: Any, library: Any, fndesc: Any) -> None:
    """Add to a compiled flow's library the function by which loops enter it. The flow is not inlined into it: long flows
    are then slower by a tenth, and short ones no faster.

    Its stack is aligned to a cache line (see `aligned`).
    """
    module = context.create_module("flow_entry")
    inner = ir.Function(
        module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
    )
    entry = ir.Function(module, _machine_type(fndesc.argtypes), fndesc.llvm_cfunc_wrapper_name)
    entry.attributes.add("nounwind")
    entry.attributes.alignstack = CACHE_LINE
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    given = dict(zip((i for i, _ in _passed(fndesc.argtypes)), entry.args, strict=True))
    arguments = [
        _endless_array(context, builder, kind, given[i])
        if isinstance(kind, types.Array)
        else given.get(i, context.get_dummy_value())
        for i, kind in enumerate(fndesc.argtypes)
    ]
    _, status = context.call_conv.call_function(
        builder, inner, fndesc.restype, fndesc.argtypes, arguments, attrs=("noinline",)
    )
    builder.ret(status)
    library.add_ir_module(module)


def _endless_array(context: Any, builder: Any, kind: types.Array, pointer: Any) -> Any:
    """The array of doubles that begins there."""
    array = context.make_array(kind)(context, builder)
    size = INT64(8)
    shape = builder.insert_value(ir.Constant(ir.ArrayType(INT64, 1), ir.Undefined), INT64(ENDLESS), 0)
    strides = builder.insert_value(ir.Constant(ir.ArrayType(INT64, 1), ir.Undefined), size, 0)
    context.populate_array(array, data=pointer, shape=shape, strides=strides, itemsize=size, meminfo=None, parent=None)
    return array._getvalue()
