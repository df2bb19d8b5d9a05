"""Forms, Hamiltonians and the Dirac bracket: each against the definition that it condenses."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import son
from polhode.systems.son import symplectic_forms as forms
from polhode.systems.son.discrete_diagram import DiscreteBody
from polhode.systems.son.maps import costate, momentum

LAMBDA = np.array([0.6, 0.9, 1.5])
RNG = np.random.default_rng(4)
Q = son.random(RNG, 3)
M = son.hat(RNG.standard_normal(3) * 0.5)
P = costate(Q, M)


def skew() -> np.ndarray:
    return son.hat(RNG.standard_normal(3))


def difference(function, size=0.01):
    """The derivative at 0, by central differences of order 8."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(w * (function(k * size) - function(-k * size)) / size for k, w in weights.items())


def test_matrices_of_forms_are_the_forms() -> None:
    xi1, xi2, eta1, eta2 = (skew() for _ in range(4))
    first, second = (np.concatenate([son.vee(a), son.vee(b)]) for a, b in ((xi1, eta1), (xi2, eta2)))
    value = forms.omega_gl((Q @ xi1, P @ eta1), (Q @ xi2, P @ eta2))
    assert np.isclose(first @ forms.symmetric_form(Q, P) @ second, value, rtol=1e-13)
    value = forms.omega_canonical(Q, M, (Q @ xi1, eta1), (Q @ xi2, eta2))
    assert np.isclose(first @ forms.canonical_form(Q, M) @ second, value, rtol=1e-13)
    value = forms.omega_L(LAMBDA, Q, P, (Q @ xi1, P @ eta1), (Q @ xi2, P @ eta2))
    assert np.isclose(first @ forms.lagrangian_form(LAMBDA, Q, P) @ second, value, rtol=1e-13)
    assert np.isclose(
        forms.omega_L(np.ones(3), Q, P, (Q @ xi1, P @ eta1), (Q @ xi2, P @ eta2)),
        forms.omega_gl((Q @ xi1, P @ eta1), (Q @ xi2, P @ eta2)),
    )


def test_the_canonical_form_is_exact() -> None:
    """ω = −dθ with θ(δQ, δM) = ⟨M, QᵀδQ⟩: dθ by the derivatives of θ along right-invariant extensions of the fields."""
    x = [np.concatenate([RNG.standard_normal(3), RNG.standard_normal(3)]) for _ in range(2)]

    def theta(shift: np.ndarray, direction: np.ndarray) -> float:
        """θ on the field `direction` (left-invariant in Q, constant in M), at the point reached by `shift`."""
        moved = M + son.hat(shift[3:])
        return float(son.vee(moved) @ direction[:3])

    a = difference(lambda t: theta(t * x[0], x[1])) - difference(lambda t: theta(t * x[1], x[0]))
    bracket = son.vee(son.hat(x[0][:3]) @ son.hat(x[1][:3]) - son.hat(x[1][:3]) @ son.hat(x[0][:3]))
    d_theta = a - float(son.vee(M) @ bracket)
    assert np.isclose(x[0] @ forms.canonical_form(Q, M) @ x[1], -d_theta, rtol=1e-10)


@pytest.mark.parametrize("spatial", [False, True])
def test_the_form_of_the_right_is_that_of_the_transposed(spatial: bool) -> None:
    """Pulled back by (Q, M) ↦ (Qᵀ, Mᵀ), and by (Q, m) ↦ (Q, M)."""
    xi, Z = RNG.standard_normal((2, 2, 3))
    vectors = []
    for a, b in zip(xi, Z, strict=True):
        turned = lambda t, a=a: (Q @ son.exp(t * son.hat(a))).T  # noqa: E731
        V = difference(turned)
        if spatial:  # the right body has M = Q m Qᵀ; the left, of Qᵀ and Mᵀ, is what the form is known for
            m = Q.T @ M @ Q
            W = difference(lambda t, b=b, m=m, g=turned: g(t).T @ (m + t * son.hat(b)) @ g(t)).T
        else:
            W = son.hat(b).T
        vectors.append((V, W))
    expected = forms.omega_canonical(Q.T, M.T, *vectors)
    found = (
        np.concatenate([xi[0], Z[0]])
        @ forms.canonical_form(Q, M, right=True, spatial=spatial)
        @ np.concatenate([xi[1], Z[1]])
    )
    assert np.isclose(found, expected, rtol=1e-9)
    vectors = [
        (
            difference(lambda t, a=a: (Q @ son.exp(t * son.hat(a))).T),
            difference(lambda t, b=b: (P @ son.exp(t * son.hat(b))).T),
        )
        for a, b in zip(xi, Z, strict=True)
    ]
    found = np.concatenate([xi[0], Z[0]]) @ forms.symmetric_form(Q, P, right=True) @ np.concatenate([xi[1], Z[1]])
    assert np.isclose(found, forms.omega_gl(*vectors), rtol=1e-9)


def test_the_hamiltonian_vector_field_is_the_motion() -> None:
    """(3.6)–(3.8): Ω_gl(X_H, ·) = dH with X_H = (QΩ, PΩ), and ∇H is the gradient."""
    weight = forms.Weight.of(LAMBDA)
    Omega = weight.J_inverse(momentum(Q, P))
    X = (Q @ Omega, P @ Omega)
    G1, G2 = forms.hamiltonian_gradient(LAMBDA, Q, P)
    assert np.allclose(X[0], G2)
    assert np.allclose(X[1], -G1)
    for _ in range(3):
        V, W = RNG.standard_normal((2, 3, 3))
        slope = difference(lambda t, V=V, W=W: forms.hamiltonian(LAMBDA, Q + t * V, P + t * W))
        assert np.isclose(forms.omega_gl(X, (V, W)), slope, rtol=1e-9)
        assert np.isclose(0.5 * np.sum(G1 * V) + 0.5 * np.sum(G2 * W), slope, rtol=1e-9)
    energy = 0.25 * float(np.sum(momentum(Q, P) * Omega))
    assert np.isclose(forms.hamiltonian(LAMBDA, Q, P), 0.5 * energy)


def test_the_discrete_hamiltonian_generates_the_step() -> None:
    """(6.17) as a nuclear norm: P_k and Q_{k+1} are its gradients, its value the sum of two constants."""
    body = DiscreteBody(LAMBDA)
    Q1, P1 = body.phi_H(Q, P)
    for _ in range(3):
        V = RNG.standard_normal((3, 3))
        slope = difference(lambda t, V=V: forms.discrete_hamiltonian(LAMBDA, Q + t * V, P1))
        assert np.isclose(np.sum(P * V), slope, rtol=1e-8)
        slope = difference(lambda t, V=V: forms.discrete_hamiltonian(LAMBDA, Q, P1 + t * V))
        assert np.isclose(np.sum(Q1 * V), slope, rtol=1e-8)
    terms = forms.discrete_hamiltonian_of_momentum(LAMBDA, momentum(Q, P))
    assert np.isclose(sum(terms), forms.discrete_hamiltonian(LAMBDA, Q, P1), rtol=1e-13)
    assert np.allclose(terms, forms.discrete_hamiltonian_of_momentum(LAMBDA, momentum(Q1, P1)), rtol=1e-13)


def test_the_dirac_bracket_is_that_of_the_restricted_form() -> None:
    """(3.15) for linear functions F = ½ tr(AᵀQ) + ½ tr(BᵀP): `{F, K} = Ω(X_F, X_K)` with X found from the form on S."""
    gradients, fields = [], []
    form = forms.symmetric_form(Q, P)
    basis = son.hat(np.eye(3))
    for _ in range(2):
        A, B = RNG.standard_normal((2, 3, 3))
        gradients.append(lambda Q, P, A=A, B=B: (A, B))
        slopes = np.concatenate(
            [0.5 * np.einsum("ij,aij->a", A, Q @ basis), 0.5 * np.einsum("ij,aij->a", B, P @ basis)]
        )
        fields.append(np.linalg.solve(form.T, slopes))  # Ω(X, ·) = dF
    expected = fields[0] @ form @ fields[1]
    assert np.isclose(forms.dirac_bracket(*gradients, Q, P), expected, rtol=1e-11)
    assert np.isclose(forms.dirac_bracket(gradients[1], gradients[0], Q, P), -expected, rtol=1e-11)


def test_the_bracket_with_the_hamiltonian_is_the_motion() -> None:
    """dF(X_H) = {F, H}."""
    A, B = RNG.standard_normal((2, 3, 3))
    Omega = forms.Weight.of(LAMBDA).J_inverse(momentum(Q, P))
    rate = 0.5 * float(np.sum(A * (Q @ Omega)) + np.sum(B * (P @ Omega)))
    found = forms.dirac_bracket(lambda Q, P: (A, B), lambda Q, P: forms.hamiltonian_gradient(LAMBDA, Q, P), Q, P)
    assert np.isclose(found, rate, rtol=1e-11)


def test_where_the_lagrangian_form_degenerates() -> None:
    near = Q @ son.exp(0.3 * skew())
    n = 3
    basis = son.hat(np.eye(n))
    Omega = near.T @ Q
    L = np.diag(LAMBDA)
    operator = son.vee(L @ basis @ Omega.T + Omega @ basis @ L).T
    assert np.isclose(forms.omega_L_degeneracy(LAMBDA, Q, near), abs(np.linalg.det(operator)), rtol=1e-12)
    flipped = Q @ np.diag([-1.0, -1.0, 1.0])
    assert forms.omega_L_degeneracy([1.0, 2.0, 2.0], Q, flipped) < 1e-12  # −1, −2 and 2: two sum to zero
