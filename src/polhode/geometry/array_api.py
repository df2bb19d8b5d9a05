"""From a kernel on tuples to a function on arrays.

A kernel runs on anything with arithmetic, NumPy arrays included. So the array form of a formula is the formula itself,
called on the components of the arrays: it broadcasts over the leading axes and holds no mathematics of its own. What
an argument has to be, a rotation or a direction, is checked here too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError

Shape = tuple[int, ...]
NO_NUMBERS = (bool, np.bool_, str, bytes, complex, np.complexfloating, list)  # a list: one inside a ragged list
SCALAR: Shape = ()
VECTOR: Shape = (3,)
QUATERNION: Shape = (4,)
MATRIX: Shape = (3, 3)
NEAR = 1e-6  # how far from a rotation something may be that is taken for one
ROUGH = 0.1  # and that is meant as one, or as a unit vector or a skew matrix: what drifted, or was found by differences


def doubles(x: ArrayLike) -> NDArray[np.float64]:
    """`x` as an array of doubles; truth values and text are refused, at any depth.

    >>> doubles([1, [2.0, "3"]])
    Traceback (most recent call last):
    ...
    TypeError: these are not numbers
    """
    if type(x) is np.ndarray and x.dtype == np.float64:
        return x
    if isinstance(x, float):  # NumPy's doubles are, too
        return np.array(x)
    given = np.asarray(x) if hasattr(x, "dtype") else np.array(x, dtype=object)
    kinds = set(map(type, given.flat)) if given.dtype == object else {given.dtype.type}
    if any(issubclass(kind, NO_NUMBERS) for kind in kinds):
        raise TypeError("these are not numbers")
    try:
        return np.asarray(given, dtype=np.float64)
    except OverflowError:
        raise ValueError("a number is too large") from None


def as_array(name: str, x: ArrayLike, shape: Shape, *, tangents: bool = False) -> NDArray[np.float64]:
    """`x` as an array of doubles whose last axes are `shape`; with `tangents` it may be complex."""
    try:
        array = x if tangents and isinstance(x, np.ndarray) and x.dtype == np.complex128 else doubles(x)
    except (TypeError, ValueError):
        wanted = f"numbers in an array of shape (..., {', '.join(map(str, shape))})" if shape else "numbers"
        raise InvalidInputError(name, x, wanted) from None
    if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
        wanted = f"an array whose last axes are {shape}" if shape else "numbers"
        raise InvalidInputError(name, f"an array of shape {array.shape}", wanted)
    return array


def finite(name: str, x: ArrayLike, shape: Shape) -> NDArray[np.float64]:
    """`x` as an array of finite numbers."""
    array = as_array(name, x, shape)
    if not np.isfinite(array).all():
        raise InvalidInputError(name, array, "finite numbers")
    return array


def nonzero(name: str, x: ArrayLike, shape: Shape, allowed: str) -> NDArray[np.float64]:
    """`x` as vectors that have a direction.

    >>> nonzero("x", [[1, 0, 0], [0, 0, 0]], VECTOR, "a nonzero vector")
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: x = [0., 0., 0.]: expected a nonzero vector
    """
    array = finite(name, x, shape)
    bad = np.all(array == 0.0, axis=-1)
    if bad.any():
        raise InvalidInputError(name, array[bad][0], allowed)
    return array


def units(name: str, x: ArrayLike, shape: Shape, allowed: str) -> NDArray[np.float64]:
    """`x` as vectors that are meant to be of unit length: x·x within `ROUGH` of 1."""
    array = as_array(name, x, shape)
    with np.errstate(all="ignore"):
        bad = ~(np.abs(np.sum(array * array, axis=-1) - 1.0) <= ROUGH)
    if bad.any():
        raise InvalidInputError(name, array[bad][0], allowed)
    return array


def skews(name: str, A: ArrayLike, shape: Shape) -> NDArray[np.float64]:
    """`A` as matrices that are meant to be skew: A + Aᵀ within `ROUGH` times A of 0, or `NEAR`.

    >>> skews("A", [[0, 1], [1, 0]], (2, 2))
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: A = [[0., 1.], [1., 0.]]: expected a skew matrix, Aᵀ = −A
    """
    array = finite(name, A, shape)
    size = np.abs(array).max(axis=(-2, -1))
    with np.errstate(over="ignore"):
        bad = np.abs(array + np.swapaxes(array, -1, -2)).max(axis=(-2, -1)) > np.maximum(NEAR, ROUGH * size)
    if bad.any():
        raise InvalidInputError(name, array[bad][0], "a skew matrix, Aᵀ = −A")
    return array


def rotations(name: str, R: ArrayLike, shape: Shape, near: float = ROUGH) -> NDArray[np.float64]:
    """`R` as matrices that are meant as rotations: RᵀR within `near` of 1, and det R > 0.

    >>> rotations("R", [[1, 0], [0, -1]], (2, 2))
    Traceback (most recent call last):
    ...
    polhode.errors.InvalidInputError: R = [[ 1.,  0.], [ 0., -1.]]: expected a rotation matrix
    """
    array = as_array(name, R, shape)
    if array.shape == MATRIX and _is_rotation(array, near):
        return array
    with np.errstate(all="ignore"):
        off = np.abs(np.swapaxes(array, -1, -2) @ array - np.eye(shape[0])).max(axis=(-2, -1))
        bad = ~((off <= near) & (np.linalg.det(array) > 0.0))
    if bad.any():
        raise InvalidInputError(name, array[bad][0], "a rotation matrix")
    return array


def _is_rotation(R: NDArray[np.float64], near: float) -> bool:
    """The same for one matrix, on Python's numbers: much faster."""
    a, b, c = R.T.tolist()
    (a0, a1, a2), (b0, b1, b2), (c0, c1, c2) = a, b, c
    lengths = (x * x + y * y + z * z - 1.0 for x, y, z in (a, b, c))
    angles = a0 * b0 + a1 * b1 + a2 * b2, b0 * c0 + b1 * c1 + b2 * c2, c0 * a0 + c1 * a1 + c2 * a2
    volume = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
    return volume > 0.0 and all(abs(off) <= near for off in (*lengths, *angles))


def components(array: NDArray[np.float64], shape: Shape) -> Any:
    """The entries over the last axes as a tuple of arrays (or the array itself for a scalar)."""
    if not shape:
        return array
    flat: NDArray[np.float64] = array.reshape(array.shape[: array.ndim - len(shape)] + (math.prod(shape),))
    return tuple(flat[..., i] for i in range(flat.shape[-1]))


def assembled(entries: Any, shape: Shape) -> NDArray[np.float64]:
    """The inverse of `components`."""
    if not shape:
        return np.asarray(entries, dtype=np.float64)
    flat = np.stack(np.broadcast_arrays(*entries), axis=-1)
    return flat.reshape(flat.shape[:-1] + shape)


def check_leading(names: Sequence[str], arrays: Sequence[NDArray[np.float64]], shapes: Sequence[Shape]) -> None:
    """Refuse arrays whose leading axes do not go together."""
    leading = [a.shape[: a.ndim - len(s)] for a, s in zip(arrays, shapes, strict=True)]
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise InvalidInputError(names[-1], f"leading axes {leading[-1]}", f"ones that go with {leading[:-1]}") from None


def on_numbers(
    kernel: Callable[..., Any], arrays: Sequence[NDArray[np.float64]], shapes: Sequence[Shape]
) -> NDArray[np.float64]:
    """`kernel` of one argument of each shape: on Python's numbers or, where it divides by zero or compares complex ones, on
    NumPy's."""
    with np.errstate(all="ignore"):
        try:
            return np.array(
                kernel(*(tuple(a.ravel().tolist()) if s else a.item() for a, s in zip(arrays, shapes, strict=True)))
            )
        except (ZeroDivisionError, OverflowError, TypeError):
            return np.array(kernel(*(tuple(a.flat) if s else a.flat[0] for a, s in zip(arrays, shapes, strict=True))))


def front(
    kernel: Callable[..., Any], *shapes: Shape, names: tuple[str, ...], tangents: bool = False
) -> Callable[..., NDArray[np.float64]]:
    """The array form of `kernel`: `shapes` are those of its arguments and, last, of its result. With `tangents` arrays may be
    complex: a tangent vector, made small, in the imaginary part is carried along (not by `absolute` and `atan2`)."""
    *inputs, output = shapes
    sizes = [math.prod(shape) for shape in inputs]

    def on_arrays(*args: ArrayLike) -> NDArray[np.float64]:
        arrays = [as_array(n, a, s, tangents=tangents) for n, a, s in zip(names, args, inputs, strict=True)]
        if [a.size for a in arrays] == sizes:  # one of each: on numbers, much faster
            leading = [a.shape[: a.ndim - len(s)] for a, s in zip(arrays, inputs, strict=True)]
            return on_numbers(kernel, arrays, inputs).reshape(max(leading, key=len) + output)
        check_leading(names, arrays, inputs)
        with np.errstate(all="ignore"):  # both sides of a `where` are computed, and one of them may divide by zero
            return assembled(kernel(*(components(a, s) for a, s in zip(arrays, inputs, strict=True))), output)

    on_arrays.__doc__ = kernel.__doc__
    on_arrays.__name__ = getattr(kernel, "__name__", "front")
    return on_arrays
