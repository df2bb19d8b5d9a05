"""The two-sided problem on p × q matrices, and the coupled double brackets that its extremals obey.

    Q̇ = U Q − Q V,   Ṗ = U P − P V,     U = J_U⁻¹(PQ† − QP†),   V = J_V⁻¹(P†Q − Q†P)               (5.7)–(5.9) of [BCMR02]

with U ∈ u(p), V ∈ u(q): the extremals of min ¼∫⟨U, J_U U⟩ + ⟨V, J_V V⟩ from Q₀ to Q_T, Q̇ = UQ − QV (5.6). In one matrix,
Q̂ = (0, Q; −Q†, 0), it is the pair of double brackets

    dQ̂/dt = [Q̂, Ĵ⁻¹[P̂, Q̂]],    dP̂/dt = [P̂, Ĵ⁻¹[P̂, Q̂]],    Ĵ = diag(J_U, J_V)                                  (5.10)

`J_U → ∞` leaves the symmetric left-invariant rigid body and `J_V → ∞` the right-invariant one. The operators are those of the
rigid body here, J(U) = ΛU + UΛ with a real diagonal Λ, whose entries may be infinite. Real matrices are turned by SO(p) and
SO(q), complex ones, whose real and imaginary parts are variables of their own, by U(p) and U(q).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.checks import check_finite
from ...core.layout import Layout, Variable
from ...core.manifolds import Matrices
from ...core.parameters import ParameterLayout
from ...core.representation import Form, Representation
from ...core.system import Field, Invariant, State, System
from ...errors import InvalidInputError, PolhodeError
from ...geometry.flat_matrices import multiply
from ...scalars import compiled, get, par, put, rate
from ...scalars.protocol import SUCCESS, par_int
from .integrals import trace_coefficients

Array = NDArray[np.float64]
SHAPE = ParameterLayout(rows=1, columns=1)  # then come the entries of Ĵ⁻¹
ROWS, COLUMNS = SHAPE.offsets("rows", "columns")
WEIGHTS = SHAPE.end
Operator = Callable[[NDArray[Any]], NDArray[Any]]


# --- right-hand sides on arrays, real or complex --------------------------------------------------------------------------


def _dagger(A: NDArray[Any]) -> NDArray[Any]:
    return np.swapaxes(np.conj(A), -1, -2)


def controls(
    J_U_inverse: Operator, J_V_inverse: Operator, Q: ArrayLike, P: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The optimal `U = J_U⁻¹(PQ† − QP†)` and `V = J_V⁻¹(P†Q − Q†P)` (5.8)."""
    Q, P = np.asarray(Q), np.asarray(P)
    left, right = P @ _dagger(Q), _dagger(P) @ Q
    return J_U_inverse(left - _dagger(left)), J_V_inverse(right - _dagger(right))


def two_sided_rhs(
    J_U_inverse: Operator, J_V_inverse: Operator, Q: ArrayLike, P: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(Q̇, Ṗ) of (5.9) for real or complex p × q matrices and any operators J_U, J_V."""
    U, V = controls(J_U_inverse, J_V_inverse, Q, P)
    Q, P = np.asarray(Q), np.asarray(P)
    return U @ Q - Q @ V, U @ P - P @ V


def hatted(Q: ArrayLike) -> NDArray[Any]:
    """`Q̂ = (0, Q; −Q†, 0)` in u(p + q) (5.11)."""
    Q = np.asarray(Q)
    p, q = Q.shape[-2:]
    hat = np.zeros((*Q.shape[:-2], p + q, p + q), dtype=Q.dtype)
    hat[..., :p, p:], hat[..., p:, :p] = Q, -_dagger(Q)
    return hat


def double_bracket_rhs(J_inverse: Operator, Qh: ArrayLike, Ph: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """`([Q̂, Ĵ⁻¹[P̂, Q̂]], [P̂, Ĵ⁻¹[P̂, Q̂]])` (5.10), for any Ĵ on u(p + q)."""
    Qh, Ph = np.asarray(Qh), np.asarray(Ph)
    W = J_inverse(Ph @ Qh - Qh @ Ph)
    return Qh @ W - W @ Qh, Ph @ W - W @ Ph


def inverse_operator(Lambda: ArrayLike) -> Operator:
    """J⁻¹ for `J(U) = ΛU + UΛ`, Λ diagonal; an infinite entry gives zero."""
    values = np.asarray(Lambda, dtype=np.float64)
    sums = values[:, None] + values
    return lambda K: K / sums


def block_manakov_integrals(Lambda: ArrayLike, Q: ArrayLike, P: ArrayLike) -> Array:
    """The coefficients of λʲ in tr([P̂, Q̂] + λ diag(0, Λ²))ᵏ (8.8), k ≤ 2n: constant along SRBn.

    [P̂, Q̂] = diag(−m, M) holds both momenta (8.7), and the integrals are those of M plus a constant for each j = 0.
    """
    Qh, Ph = hatted(np.asarray(Q, dtype=np.float64)), hatted(np.asarray(P, dtype=np.float64))
    squared = np.square(np.asarray(Lambda, dtype=np.float64))
    return trace_coefficients(Ph @ Qh - Qh @ Ph, np.diag(np.concatenate([np.zeros_like(squared), squared])))


# --- the same as a system -------------------------------------------------------------------------------------------------


@compiled
def _hatted(S: Any, y: Any, c: int, a: int, rows: int, columns: int) -> None:
    n = rows + columns
    for i in range(n * n):
        put(y, c + i, S, 0.0)
    for i in range(rows):
        for j in range(columns):
            x = get(y, a + i * columns + j, S)
            put(y, c + i * n + rows + j, S, x)
            put(y, c + (rows + j) * n + i, S, -x)


@rate
def rhs_two_sided(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """The double brackets (5.10) on (Q, P)."""
    rows, columns = par_int(p, ROWS, S), par_int(p, COLUMNS, S)
    n, size = rows + columns, rows * columns
    k = n * n
    Q, P, W, X = 2 * size, 2 * size + k, 2 * size + 2 * k, 2 * size + 3 * k
    _hatted(S, y, Q, 0, rows, columns)
    _hatted(S, y, P, size, rows, columns)
    multiply(S, y, X, P, Q, n)
    for i in range(n):
        for j in range(n):
            K = get(y, X + i * n + j, S) - get(y, X + j * n + i, S)
            put(y, W + i * n + j, S, K * par(p, WEIGHTS + i * n + j, S))
    for which in range(2):
        multiply(S, y, X, Q if which == 0 else P, W, n)
        for i in range(rows):
            for j in range(columns):
                # of skew matrices A and W, [A, W] = A W − (A W)ᵀ
                a, b = get(y, X + i * n + rows + j, S), get(y, X + (rows + j) * n + i, S)
                put(dy, which * size + i * columns + j, S, a - b)
    return SUCCESS


@compiled
def _put_control(
    S: Any, y: Any, p: Any, c: int, n: int, m: int, first: int, right: int, offset: int, width: int
) -> None:
    """`U = J_U⁻¹(PQ† − QP†)`, or `V = J_V⁻¹(P†Q − Q†P)` if `right`, to c: n × n real parts, then imaginary ones. m is the
    number of terms, `first` that of complex entries, and the weights lie from `offset` on in rows of `width`."""
    row, term = (1, n) if right else (m, 1)  # from one entry of the product to the next, and from one term
    Q, Q_imag, P, P_imag = 0, first, 2 * first, 3 * first
    for i in range(n):
        for j in range(n):
            re, im = 0.0 * get(y, 0, S), 0.0 * get(y, 0, S)
            for k in range(m):
                here, there = i * row + k * term, j * row + k * term
                a, b = get(y, P + here, S), get(y, P_imag + here, S)
                x, d = get(y, Q + there, S), get(y, Q_imag + there, S)
                e, f = get(y, P + there, S), get(y, P_imag + there, S)
                u, v = get(y, Q + here, S), get(y, Q_imag + here, S)
                re = re + (a * x + b * d) - (u * e + v * f)
                # P Q̄ − Q P̄ from the left, P̄ Q − Q̄ P from the right
                im = im + ((a * d - b * x) - (u * f - v * e) if right else (b * x - a * d) - (v * e - u * f))
            weight = par(p, offset + i * width + j, S)
            put(y, c + i * n + j, S, re * weight)
            put(y, c + n * n + i * n + j, S, im * weight)


@rate
def rhs_unitary(S: Any, y: Any, p: Any, t: float, dy: Any, report: Any) -> int:
    """(5.9) on complex (Q, P), as real and imaginary parts: `Q̇ = UQ − QV`, `Ṗ = UP − PV`."""
    rows, columns = par_int(p, ROWS, S), par_int(p, COLUMNS, S)
    width, size = rows + columns, rows * columns
    U = 4 * size
    V = U + 2 * rows * rows
    corner = WEIGHTS + rows * width + rows
    _put_control(S, y, p, U, rows, columns, size, 0, WEIGHTS, width)
    _put_control(S, y, p, V, columns, rows, size, 1, corner, width)
    for which in range(2):
        X = 2 * which * size
        for i in range(rows):
            for j in range(columns):
                re, im = 0.0 * get(y, 0, S), 0.0 * get(y, 0, S)
                for k in range(rows):
                    a, b = get(y, U + i * rows + k, S), get(y, U + (rows + i) * rows + k, S)
                    x, z = get(y, X + k * columns + j, S), get(y, X + size + k * columns + j, S)
                    re, im = re + (a * x - b * z), im + (a * z + b * x)
                for k in range(columns):
                    a, b = get(y, V + k * columns + j, S), get(y, V + (columns + k) * columns + j, S)
                    x, z = get(y, X + i * columns + k, S), get(y, X + size + i * columns + k, S)
                    re, im = re - (x * a - z * b), im - (x * b + z * a)
                put(dy, X + i * columns + j, S, re)
                put(dy, X + size + i * columns + j, S, im)
    return SUCCESS


class CoupledDoubleBrackets(System):
    """Motion of p × q matrices from both sides: the coupled double brackets.

    `left`: p numbers Λ of J_U, `right`: q numbers of J_V; infinite ones let nothing turn from that side. `unitary`: whether the
    matrices are complex; the fields Q and P then are their real parts, beside Q_imag and P_imag, and `matrices` joins them.

    >>> body = CoupledDoubleBrackets(left=[np.inf, np.inf, np.inf], right=[1, 2, 3])     # the symmetric rigid body
    >>> body.state(Q=np.eye(3), P=np.eye(3)).Q.shape
    (3, 3)
    """

    summary = "coupled double brackets: p × q matrices turned from both sides"
    reference = "section 5 of [BCMR02]; A. M. Bloch, R. W. Brockett, P. E. Crouch, Comm. Math. Phys. 187 (1997) 357"
    fields = {
        "Q": Field((2, 3), "the matrix that is moved"),
        "P": Field((2, 3), "its costate"),
    }
    conserved = {
        "energy": Invariant("energy", "the Hamiltonian ¼⟨U, J_U U⟩ + ¼⟨V, J_V V⟩", ""),
        "singular_values": Invariant("casimir", "singular values of Q and of P"),
        "momentum_norms": Invariant("casimir", "norms of PQᵀ − QPᵀ and PᵀQ − QᵀP"),
    }

    def __init__(self, left: ArrayLike, right: ArrayLike, *, unitary: bool = False) -> None:
        if not isinstance(unitary, bool | np.bool_):
            raise InvalidInputError("unitary", unitary, "True or False")
        self.unitary = bool(unitary)
        self.left, self.right = _side("left", left, self.unitary), _side("right", right, self.unitary)
        self.rows, self.columns = len(self.left), len(self.right)
        meanings = {name: field.meaning for name, field in type(self).fields.items()}
        if self.unitary:
            meanings |= {f"{name}_imag": f"{meaning}, imaginary part" for name, meaning in meanings.items()}
        self.fields = {  # type: ignore[misc]  # as the class has them, in this body's shape
            name: Field((self.rows, self.columns), meaning) for name, meaning in meanings.items()
        }

    def describe(self) -> dict[str, Any]:
        described: dict[str, Any] = {"left": self.left.tolist(), "right": self.right.tolist()}
        return described | ({"unitary": True} if self.unitary else {})

    def parameters(self) -> Array:
        inverse = np.zeros((self.rows + self.columns,) * 2)
        for Lambda, part in ((self.left, slice(0, self.rows)), (self.right, slice(self.rows, None))):
            sums = Lambda[:, None] + Lambda
            if not self.unitary:
                np.fill_diagonal(sums, np.inf)
            inverse[part, part] = 1.0 / sums
        return np.concatenate([SHAPE.pack(rows=self.rows, columns=self.columns), inverse.reshape(-1)])

    @property
    def representations(self) -> Mapping[str, Representation]:
        return _representations(self.rows, self.columns, self.unitary)

    def state(self, *, Q: ArrayLike, P: ArrayLike, t: float = 0.0) -> State:
        """A state from two p × q matrices, real or, if the system is unitary, complex."""
        shape, values = (self.rows, self.columns), {}
        for name, given in (("Q", Q), ("P", P)):
            if self.unitary and np.iscomplexobj(given):
                values[name] = check_finite(name, np.real(given), shape)
                values[f"{name}_imag"] = check_finite(name, np.imag(given), shape)
            else:
                values[name] = check_finite(name, given, shape)
                values |= {f"{name}_imag": np.zeros(shape)} if self.unitary else {}
        return State(self, values, float(check_finite("t", t, ())))

    def matrices(self, values: Mapping[str, Array] | Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Q and P of a state, of a trajectory or of values by name; complex ones if the system is unitary."""
        at = values.__getitem__ if isinstance(values, Mapping) else lambda name: getattr(values, name)
        if not self.unitary:
            return at("Q"), at("P")
        return at("Q") + 1j * at("Q_imag"), at("P") + 1j * at("P_imag")

    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        if name in values:
            return values[name]
        raise PolhodeError(f"no field {name!r}")

    def invariants(self, values: Mapping[str, Array]) -> dict[str, Array]:
        Q, P = self.matrices(values)
        left, right = P @ _dagger(Q), _dagger(P) @ Q
        momenta = left - _dagger(left), right - _dagger(right)
        energies = [
            0.125 * np.sum((np.conj(K) * inverse_operator(Lambda)(K)).real, axis=(-2, -1))
            for K, Lambda in zip(momenta, (self.left, self.right), strict=True)
        ]
        stretches = [np.asarray(np.linalg.svd(A, compute_uv=False), dtype=np.float64) for A in (Q, P)]
        return {
            "energy": energies[0] + energies[1],
            "singular_values": np.concatenate(stretches, axis=-1),
            "momentum_norms": np.stack([np.linalg.norm(K, axis=(-2, -1)) for K in momenta], axis=-1),
        }

    def symplectic_form(self, representation: str, y: Array) -> Array:
        """Ω_gl (3.5): `½ Re tr(η₂† ξ₁ − η₁† ξ₂)`."""
        one = 0.5 * np.eye(self.rows * self.columns * (2 if self.unitary else 1))
        return np.block([[np.zeros_like(one), one], [-one, np.zeros_like(one)]])

    @classmethod
    def example(cls) -> State:
        body = cls(left=[0.7, 1.1], right=[0.5, 0.9, 1.6])
        return body.state(Q=[[0.9, -0.3, 0.2], [0.1, 0.8, -0.5]], P=[[0.4, 0.7, -0.6], [-0.8, 0.3, 0.5]])


def _side(field: str, value: ArrayLike, unitary: bool) -> Array:
    try:
        Lambda = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        Lambda = np.empty(0)
    if Lambda.ndim != 1 or not len(Lambda) or np.isnan(Lambda).any():
        raise InvalidInputError(field, value, "a list of numbers, infinite ones where nothing turns")
    if len(Lambda) > 1 and not np.sum(np.sort(Lambda)[:2]) > 0.0:
        raise InvalidInputError(field, value, "Λᵢ + Λⱼ > 0 for i ≠ j")
    if unitary and not np.all(Lambda > 0.0):
        raise InvalidInputError(field, value, "positive numbers, where matrices are complex")
    return Lambda


@cache
def _representations(rows: int, columns: int, unitary: bool) -> Mapping[str, Representation]:
    names = ("Q", "Q_imag", "P", "P_imag") if unitary else ("Q", "P")
    layout = Layout(*(Variable(name, Matrices(rows, columns)) for name in names))
    if unitary:
        return {Form.DEFAULT: Representation(layout, rhs=rhs_unitary, workspace=2 * (rows * rows + columns * columns))}
    return {Form.DEFAULT: Representation(layout, rhs=rhs_two_sided, workspace=4 * (rows + columns) ** 2)}
