"""From a kernel on tuples to a function on arrays.

A kernel runs on anything with arithmetic, NumPy arrays included. So the array form of a formula is the formula itself,
called on the components of the arrays: it broadcasts over the leading axes and holds no mathematics of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput

Shape = tuple[int, ...]
SCALAR: Shape = ()
VECTOR: Shape = (3,)
QUATERNION: Shape = (4,)
MATRIX: Shape = (3, 3)


def as_array(name: str, x: ArrayLike, shape: Shape) -> NDArray[np.float64]:
    """`x` as an array of doubles whose last axes are `shape`."""
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(name, x, f"numbers in an array of shape (..., {', '.join(map(str, shape))})") from None
    if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
        wanted = f"an array whose last axes are {shape}" if shape else "numbers"
        raise InvalidInput(name, f"an array of shape {array.shape}", wanted)
    return array


def components(array: NDArray[np.float64], shape: Shape) -> Any:
    """The entries over the last axes as a tuple of arrays (or the array itself for a scalar)."""
    if not shape:
        return array
    flat: NDArray[np.float64] = array.reshape(array.shape[: array.ndim - len(shape)] + (-1,))
    return tuple(flat[..., i] for i in range(flat.shape[-1]))


def assembled(entries: Any, shape: Shape) -> NDArray[np.float64]:
    """The inverse of `components`."""
    if not shape:
        return np.asarray(entries, dtype=np.float64)
    flat = np.stack(np.broadcast_arrays(*entries), axis=-1)
    return flat.reshape(flat.shape[:-1] + shape)


def front(kernel: Callable[..., Any], *shapes: Shape, names: tuple[str, ...]) -> Callable[..., NDArray[np.float64]]:
    """The array form of `kernel`: `shapes` are those of its arguments and, last, of its result."""
    *inputs, output = shapes

    def on_arrays(*args: ArrayLike) -> NDArray[np.float64]:
        arrays = [as_array(n, a, s) for n, a, s in zip(names, args, inputs, strict=True)]
        leading = [a.shape[: a.ndim - len(s)] for a, s in zip(arrays, inputs, strict=True)]
        try:
            np.broadcast_shapes(*leading)
        except ValueError:
            raise InvalidInput(names[-1], f"leading axes {leading[-1]}", f"ones that go with {leading[:-1]}") from None
        with np.errstate(all="ignore"):  # both sides of a `where` are computed, and one of them may divide by zero
            return assembled(kernel(*(components(a, s) for a, s in zip(arrays, inputs, strict=True))), output)

    on_arrays.__doc__ = kernel.__doc__
    on_arrays.__name__ = getattr(kernel, "__name__", "front")
    return on_arrays
