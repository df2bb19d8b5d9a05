"""Fifty-digit references for the geometry tests, and the groups as one table.

The references know nothing of closed forms: the exponential of a matrix is its Taylor series, and the derivative of the
exponential is a block of the exponential of a larger matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

from polhode.geometry import quaternion, se3, so2, so3, son

mp.mp.dps = 50
EPS = float(np.finfo(float).eps)


def exact(array: Any) -> Any:
    """An array of doubles or 50-digit numbers as a matrix of 50-digit numbers, without rounding."""
    return mp.matrix([[mp.mpf(x) for x in row] for row in np.atleast_2d(array).tolist()])


def rounded(matrix: Any) -> np.ndarray:
    """A matrix of 50-digit numbers, rounded to doubles."""
    return np.array([[float(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)])


def error(array: Any, matrix: Any) -> float:
    """The largest error of the doubles in `array` against `matrix`, by its largest entry, in units of ε."""
    difference = exact(array) - matrix
    return float(max(abs(x) for x in difference) / max(abs(x) for x in matrix) / EPS)


def exponential(A: Any) -> Any:
    return mp.expm(A, method="taylor")


def trivialised(A: Any, V: Any) -> dict[str, Any]:
    """exp(−A) D, "right", and D exp(−A), "left", with D the derivative of exp at A along V."""
    n = A.rows
    block = mp.zeros(2 * n)
    for i in range(n):
        for j in range(n):
            block[i, j] = block[n + i, n + j] = A[i, j]
            block[i, n + j] = V[i, j]
    whole = exponential(block)
    D, inverse = whole[0:n, n : 2 * n], exponential(-A)
    return {"right": inverse * D, "left": D * inverse}


@dataclass(frozen=True)
class Group:
    """What the generic suite needs to know of a group; vectors of the algebra are arrays (..., dim)."""

    name: str
    dim: int
    identity: np.ndarray
    exp: Callable[..., Any]
    log: Callable[..., Any]
    compose: Callable[..., Any]
    inverse: Callable[..., Any]
    cayley: Callable[..., Any]
    cayley_inverse: Callable[..., Any]
    distance: Callable[..., Any]
    random: Callable[..., Any]  # (rng, size)
    hat: Callable[..., Any]  # the matrix of a vector, (..., dim) → (..., n, n)
    matrix: Callable[..., Any]  # the matrix of a group element
    angle: Callable[..., Any]  # the largest angle of exp(x)
    module: Any

    def __repr__(self) -> str:
        return self.name

    @property
    def rank(self) -> int:
        """The number of axes of an element."""
        return self.identity.ndim

    def dexp(self, name: str, x: Any, v: Any) -> Any:
        """A dexp function of the group, on vectors."""
        function = getattr(self.module, name)
        if self.module is son:
            return son.vee(function(son.hat(x), son.hat(v)))
        return function(x, v)

    def vectors(self, rng: np.random.Generator, size: Any, angle: float) -> np.ndarray:
        """Random vectors of the algebra whose largest angle is `angle`."""
        shape = (size,) if isinstance(size, int) else tuple(size)
        x = rng.standard_normal((*shape, self.dim))
        return x * (angle / self.angle(x))[..., None]


def _matmul(g: Any, h: Any) -> Any:
    return np.matmul(g, h)


def _transposed(g: Any) -> Any:
    return np.swapaxes(g, -1, -2)


def _norm(x: Any) -> Any:
    return np.linalg.norm(x, axis=-1)


def twist_hat(xi: Any) -> np.ndarray:
    xi = np.asarray(xi)
    A = np.zeros((*xi.shape[:-1], 4, 4))
    A[..., :3, :3], A[..., :3, 3] = so3.hat(xi[..., :3]), xi[..., 3:]
    return A


def _same(g: Any) -> Any:
    return g


SO2 = Group(
    "SO2", 1, np.eye(2), lambda x: so2.exp(np.asarray(x)[..., 0]), lambda g: so2.log(g)[..., None], so2.compose,
    so2.inverse, lambda x: so2.cayley(np.asarray(x)[..., 0]), lambda g: so2.cayley_inverse(g)[..., None],
    so2.distance, so2.random, lambda x: so2.hat(np.asarray(x)[..., 0]), _same, _norm, so2,
)  # fmt: skip
SO3 = Group(
    "SO3", 3, np.eye(3), so3.exp, so3.log, _matmul, _transposed, so3.cayley, so3.cayley_inverse, so3.distance,
    so3.random, so3.hat, _same, _norm, so3,
)  # fmt: skip
S3 = Group(
    "S3", 3, np.array([0.0, 0.0, 0.0, 1.0]), quaternion.exp, quaternion.log, quaternion.multiply, quaternion.conjugate,
    quaternion.cayley, quaternion.cayley_inverse, quaternion.distance, quaternion.random, so3.hat,
    quaternion.to_matrix, _norm, quaternion,
)  # fmt: skip
SE3 = Group(
    "SE3", 6, np.eye(4), se3.exp, se3.log, se3.compose, se3.inverse, se3.cayley, se3.cayley_inverse, se3.distance,
    se3.random, twist_hat, _same, lambda x: np.linalg.norm(np.asarray(x)[..., :3], axis=-1), se3,
)  # fmt: skip


def _son(n: int) -> Group:
    return Group(
        f"SO({n})", n * (n - 1) // 2, np.eye(n), lambda x: son.exp(son.hat(x)), lambda g: son.vee(son.log(g)), _matmul,
        _transposed, lambda x: son.cayley(son.hat(x)), lambda g: son.vee(son.cayley_inverse(g)), son.distance,
        lambda rng, size: son.random(rng, n, size), son.hat, _same,
        lambda x: np.linalg.norm(son.hat(x), ord=2, axis=(-2, -1)), son,
    )  # fmt: skip


GROUPS = [SO2, SO3, S3, SE3, *(_son(n) for n in (2, 3, 4, 5))]
WITH_DEXP = [g for g in GROUPS if hasattr(g.module, "dexp_right")]
