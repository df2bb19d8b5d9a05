"""Scalars in flat arrays of doubles: entry i occupies 1, W or 1+K doubles, by the scalar's type.

`get`, `put`   entry i of a state or workspace array
`accumulate`   add to entry i, and keep what the rounding of the sum loses; `accumulated`: the sum, to be put there
`tail`         an array from an index on
`local`        a short array on the stack
`par`          entry i of a parameter array: lanes hold one value per member, `parameter_duals` partial derivatives
`plain_parameters` the token with which `par` leaves partial derivatives out
`load`, `store` W neighbouring doubles of a plain array as lanes, with a tail that may be shorter than W
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

from .compile import kernel
from .duals import Dual, ParameterDual, ParameterValues, make, parts, registers, zero_partials
from .functions import value
from .lanes import DOUBLE, INT32, INT64, Lanes, element, intrinsic, lane_width, splat, vector, widened

double = types.float64


def lanes(width: int | None = None) -> Lanes:
    """The lane scalar of this width; by default the one that is fastest on this machine's CPU."""
    return Lanes(width or lane_width())


def duals(partials: int) -> Dual:
    """The dual scalar with this many partial derivatives."""
    return Dual(partials)


def parameter_duals(partials: int) -> ParameterDual:
    """The dual scalar with this many partial derivatives, which parameters carry too."""
    return ParameterDual(partials)


def width(kind: types.Type) -> int:
    """How many doubles an entry of this scalar occupies."""
    if isinstance(kind, Lanes):
        return kind.width
    return 1 + kind.partials if isinstance(kind, Dual) else 1


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any, stride: int) -> Any:
    """Pointer to the first double of entry `index`."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [builder.mul(index, INT64(stride))])


def _read(builder: Any, pointer: Any, kind: Any) -> Any:
    instruction = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    instruction.align = 8
    return instruction


def _write(builder: Any, pointer: Any, number: Any) -> None:
    instruction = builder.store(number, builder.bitcast(pointer, number.type.as_pointer()))
    instruction.align = 8


def _partial_places(builder: Any, pointer: Any, kind: Dual) -> Iterator[tuple[Any, Any]]:
    """Where each vector of partials lies behind the value, and its type."""
    for places in registers(kind.partials):
        yield builder.gep(pointer, [INT64(1 + places.start)]), vector(len(places))


def _read_scalar(builder: Any, pointer: Any, kind: types.Type) -> Any:
    if isinstance(kind, Lanes):
        return _read(builder, pointer, vector(kind.width))
    if isinstance(kind, Dual):
        partials = [_read(builder, place, piece) for place, piece in _partial_places(builder, pointer, kind)]
        return make(builder, _read(builder, pointer, DOUBLE), partials)
    return _read(builder, pointer, DOUBLE)


@intrinsic
def get(typing: Any, array: Any, i: Any, kind: Any) -> Any:
    """Entry `i` of `array`, as a scalar of type `kind`."""
    scalar = kind.instance_type

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _place(context, builder, array, args[0], args[1], width(scalar))
        return _read_scalar(builder, pointer, scalar)

    return scalar(array, types.int64, kind), emit


@intrinsic
def par(typing: Any, array: Any, i: Any, kind: Any) -> Any:
    """Parameter `i`: lanes where the run is on lanes, a dual where parameters are differentiated, otherwise a double."""
    given = kind.instance_type
    scalar = given if isinstance(given, (Lanes, ParameterDual)) else types.float64
    stride = 1 + given.partials if isinstance(given, ParameterValues) else width(scalar)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _place(context, builder, array, args[0], args[1], stride)
        return _read_scalar(builder, pointer, scalar)

    return scalar(array, types.int64, kind), emit


@intrinsic
def plain_parameters(typing: Any, kind: Any) -> Any:
    """The token to read the same parameters with, without partial derivatives, as an implicit equation does that is solved on
    values: `par(p, i, plain_parameters(S))` is `value(par(p, i, S))`."""
    given = kind.instance_type
    plain = types.TypeRef(ParameterValues(given.partials)) if isinstance(given, ParameterDual) else kind
    return plain(kind), lambda context, builder, sig, args: context.get_dummy_value()


@intrinsic
def put(typing: Any, array: Any, i: Any, kind: Any, x: Any) -> Any:
    """Set entry `i` of `array` to `x`, of type `kind` or a plain double."""
    scalar = kind.instance_type

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _place(context, builder, array, args[0], args[1], width(scalar))
        number, given = args[3], sig.args[3]
        if isinstance(scalar, Dual):
            plain, partials = parts(builder, number, given)
            _write(builder, pointer, plain)
            partials = zero_partials(scalar.partials) if partials is None else partials
            for (place, _), d in zip(_partial_places(builder, pointer, scalar), partials, strict=True):
                _write(builder, place, d)
        elif isinstance(scalar, Lanes):
            _write(builder, pointer, widened(builder, number, given, scalar.width))
        else:
            _write(builder, pointer, number)
        return context.get_dummy_value()

    given = x if isinstance(x, (Lanes, Dual)) else types.float64
    return types.void(array, types.int64, kind, given), emit


@intrinsic
def remainder_scalar(typing: Any, kind: Any) -> Any:
    """The token of what a sum of scalars loses: partial derivatives have no remainders. They are wanted to fewer digits, and
    are most of what a run on duals carries."""
    scalar = types.NumberClass(double) if isinstance(kind.instance_type, Dual) else kind
    return scalar(kind), lambda context, builder, sig, args: context.get_dummy_value()


@kernel
def accumulated(a: Any, i: Any, S: Any, x: Any) -> Any:
    """The sum of entry `i`, its remainder and `x`, for this entry; the new remainder is what the rounding of the sum loses.

    Remainders lie before the array, those of its first entries last.
    """
    rest, T = -1 - i, remainder_scalar(S)
    before, change = get(a, i, S), get(a, rest, T) + x
    after = before + change
    put(a, rest, T, value(change) - (value(after) - value(before)))
    return after


@kernel
def accumulate(a: Any, i: Any, S: Any, x: Any) -> None:
    """Add `x` to entry `i`, and keep what is lost."""
    put(a, i, S, accumulated(a, i, S, x))


@kernel
def hand_over(a: Any, i: Any, j: Any, S: Any) -> None:
    """Add the remainder of entry `i` to entry `j`, so that no rounding changes the sum of the two but that of entry `j`."""
    forget = -1 - i
    accumulate(a, j, S, get(a, forget, remainder_scalar(S)))
    put(a, forget, remainder_scalar(S), 0.0)


@intrinsic
def tail(typing: Any, array: Any, i: Any) -> Any:
    """The doubles of `array` from index `i` on, for as long as `array` lives: nobody counts this use of them."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        whole = context.make_array(array)(context, builder, args[0])
        part = context.make_array(array)(context, builder)
        length = builder.sub(builder.extract_value(whole.shape, 0), args[1])
        shape = builder.insert_value(whole.shape, length, 0)
        context.populate_array(
            part,
            data=builder.gep(whole.data, [args[1]]),
            shape=shape,
            strides=whole.strides,
            itemsize=whole.itemsize,
            meminfo=None,
            parent=None,
        )
        return part._getvalue()

    return array(array, types.int64), emit


@extending.intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def local(typing: Any, size: Any) -> Any:
    """An array of so many doubles, a constant, on the stack of the function that asks for it and for as long as that runs.
    Where all indices are constants too, its entries live in registers."""
    array = types.float64[::1]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = cgutils.alloca_once(builder, ir.ArrayType(DOUBLE, size.literal_value))
        made = context.make_array(array)(context, builder)
        context.populate_array(
            made,
            data=builder.bitcast(place, DOUBLE.as_pointer()),
            shape=ir.Constant(ir.ArrayType(INT64, 1), [size.literal_value]),
            strides=ir.Constant(ir.ArrayType(INT64, 1), [8]),
            itemsize=INT64(8),
            meminfo=None,
            parent=None,
        )
        return made._getvalue()

    return array(size), emit


def _guarded(builder: Any, i: int, count: Any) -> Any:
    return builder.icmp_signed("<", INT64(i), count)


@intrinsic
def load(typing: Any, array: Any, i: Any, kind: Any, count: Any) -> Any:
    """`count` ≤ W doubles of `array` from index `i` on; the lanes beyond repeat the first of them."""
    scalar = kind.instance_type

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _place(context, builder, array, args[0], args[1], 1)
        first = _read(builder, pointer, DOUBLE)
        whole = builder.icmp_signed(">=", args[3], INT64(scalar.width))
        place = builder.alloca(vector(scalar.width))
        with builder.if_else(whole) as (then, otherwise):
            with then:
                builder.store(_read(builder, pointer, vector(scalar.width)), place)
            with otherwise:
                builder.store(splat(builder, first, scalar.width), place)
                for lane in range(1, scalar.width):
                    with builder.if_then(_guarded(builder, lane, args[3])):
                        number = _read(builder, builder.gep(pointer, [INT64(lane)]), DOUBLE)
                        merged = builder.insert_element(builder.load(place), number, INT32(lane))
                        builder.store(merged, place)
        return builder.load(place)

    return scalar(array, types.int64, kind, types.int64), emit


@intrinsic
def store(typing: Any, array: Any, i: Any, x: Any, count: Any) -> Any:
    """Write the first `count` ≤ W lanes of `x` to `array` from index `i` on; nothing beyond is touched."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _place(context, builder, array, args[0], args[1], 1)
        whole = builder.icmp_signed(">=", args[3], INT64(x.width))
        with builder.if_else(whole) as (then, otherwise):
            with then:
                _write(builder, pointer, args[2])
            with otherwise:
                for lane in range(x.width):
                    with builder.if_then(_guarded(builder, lane, args[3])):
                        _write(builder, builder.gep(pointer, [INT64(lane)]), element(builder, args[2], lane))
        return context.get_dummy_value()

    return types.void(array, types.int64, x, types.int64), emit


# --- short runs of entries as tuples ----------------------------------------------------------------------------------


@kernel
def get3(a: Any, i: Any, S: Any) -> Any:
    """Three entries from `i` on."""
    return get(a, i, S), get(a, i + 1, S), get(a, i + 2, S)


@kernel
def get4(a: Any, i: Any, S: Any) -> Any:
    """Four entries from `i` on."""
    return get(a, i, S), get(a, i + 1, S), get(a, i + 2, S), get(a, i + 3, S)


@kernel
def get9(a: Any, i: Any, S: Any) -> Any:
    """Nine entries from `i` on, such as a matrix row by row."""
    return get3(a, i, S) + get3(a, i + 3, S) + get3(a, i + 6, S)


@kernel
def par3(a: Any, i: Any, S: Any) -> Any:
    """Three parameters from `i` on."""
    return par(a, i, S), par(a, i + 1, S), par(a, i + 2, S)


@kernel
def par6(a: Any, i: Any, S: Any) -> Any:
    """Six parameters from `i` on, such as a symmetric matrix."""
    return par3(a, i, S) + par3(a, i + 3, S)


@kernel
def par9(a: Any, i: Any, S: Any) -> Any:
    """Nine parameters from `i` on, such as a matrix row by row."""
    return par6(a, i, S) + par3(a, i + 6, S)


@kernel
def put3(a: Any, i: Any, S: Any, x: Any) -> None:
    """Set three entries from `i` on."""
    put(a, i, S, x[0])
    put(a, i + 1, S, x[1])
    put(a, i + 2, S, x[2])


@kernel
def add3(a: Any, i: Any, S: Any, x: Any) -> None:
    """Add three numbers to the entries from `i` on."""
    put(a, i, S, get(a, i, S) + x[0])
    put(a, i + 1, S, get(a, i + 1, S) + x[1])
    put(a, i + 2, S, get(a, i + 2, S) + x[2])


@kernel
def accumulated3(a: Any, i: Any, S: Any, x: Any) -> Any:
    """The sums of three entries from `i` on and three numbers; what they lose is kept."""
    return accumulated(a, i, S, x[0]), accumulated(a, i + 1, S, x[1]), accumulated(a, i + 2, S, x[2])


@kernel
def accumulate3(a: Any, i: Any, S: Any, x: Any) -> None:
    """Add three numbers to the entries from `i` on, and keep what is lost."""
    accumulate(a, i, S, x[0])
    accumulate(a, i + 1, S, x[1])
    accumulate(a, i + 2, S, x[2])


@kernel
def hand_over3(a: Any, i: Any, j: Any, S: Any) -> None:
    """Add the remainders of the three entries from `i` on to those from `j` on."""
    hand_over(a, i, j, S)
    hand_over(a, i + 1, j + 1, S)
    hand_over(a, i + 2, j + 2, S)


@kernel
def put4(a: Any, i: Any, S: Any, x: Any) -> None:
    """Set four entries from `i` on."""
    put3(a, i, S, x[0:3])
    put(a, i + 3, S, x[3])


@kernel
def put9(a: Any, i: Any, S: Any, x: Any) -> None:
    """Set nine entries from `i` on."""
    put3(a, i, S, x[0:3])
    put3(a, i + 3, S, x[3:6])
    put3(a, i + 6, S, x[6:9])
