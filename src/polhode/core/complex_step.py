"""Derivatives by a complex step: a direction, made so small that products of two vanish, in the imaginary part of the
argument is carried along by every analytic function. Nothing cancels, so that they are exact to rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TINY = 1e-100


def derivative_along(function: Callable[[Any], Any], x: Array, direction: Array) -> Array:
    """The derivative at x of an analytic function of arrays, along a direction of their shape.

    >>> derivative_along(np.sin, np.array([0.0, np.pi]), np.array([1.0, 2.0]))
    array([ 1., -2.])
    """
    return np.asarray(np.imag(function(x + 1j * TINY * direction)) / TINY)


def with_imaginary_part(x: Any) -> NDArray[Any]:
    """An array of doubles, or, where x has an imaginary part, of complex numbers.

    >>> with_imaginary_part(1).dtype, with_imaginary_part([1j, 2]).dtype
    (dtype('float64'), dtype('complex128'))
    """
    return np.asarray(x, dtype=np.complex128 if np.iscomplexobj(x) else np.float64)
