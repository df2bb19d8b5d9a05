"""A. M. Bloch, P. E. Crouch, J. E. Marsden, T. S. Ratiu, "The symmetric representation of the rigid body equations and
their discretization" (2002): the rigid body on SO(n) × SO(n).

The paper has formulas and no tables. Each comparison evaluates the residual of one formula for a generic body: the paper
claims 0 (or a sign, a count, a number), and our number stands beside it. For a misprint the reason is given, and the
next comparison evaluates the corrected formula.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..geometry import son as group
from ..geometry.increments.momentum_weight import Weight, largest_factor
from ..geometry.increments.moser_veselov import solve
from ..geometry.increments.riccati import all_solutions, hamiltonian_matrix
from ..methods import DOP853, MoserVeselov
from ..simulation.driver import simulate
from ..systems import RigidBodySOn, SymmetricRigidBodySOn
from ..systems.son import symplectic_forms as forms
from ..systems.son.discrete_diagram import DiscreteBody
from ..systems.son.integrals import manakov_integrals, trace_coefficients
from ..systems.son.lax import discrete_lax_step, lax_matrix, lax_pair
from ..systems.son.maps import costate, costate_derivative, momentum, norm
from .base import ROUNDING, Comparison, correct_statement, wrong_statement

Array = NDArray[np.float64]

LAMBDA = np.array([0.6, 0.9, 1.5])
WEIGHT = Weight.of(LAMBDA)
L = np.diag(LAMBDA)
Q = group.exp(group.hat([0.3, -0.2, 0.5]))
M = group.hat([0.35, -0.42, 0.28])
P = costate(Q, M)
XI, ETA = group.hat([0.4, 0.1, -0.3]), group.hat([-0.2, 0.5, 0.3])
C = group.hat([2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0])
TIGHT = DOP853(rtol=1e-13, atol=1e-15)
DIFFERENCES = 1e-7  # the residual that central differences leave


def compare_son() -> list[Comparison]:
    """Every statement of the paper that can be tested numerically."""
    return [
        *_continuous(),
        *_domain(),
        *_derivative_and_bracket(),
        *_discrete(),
        *_solving(),
        *_control(),
        *_diagram(),
        *_lax(),
    ]


def _slope(function: Callable[[float], Array | float], size: float = 1e-3) -> Array:
    """The derivative at 0, by central differences of order 4."""
    near, far = (np.asarray(function(k * size)) - np.asarray(function(-k * size)) for k in (1.0, 2.0))
    return np.asarray((8.0 * near - far) / (12.0 * size), np.float64)


def _largest(A: Array) -> float:
    return float(np.abs(A).max())


def _continuous() -> list[Comparison]:
    """Sections 2 and 3: the two forms of the motion, and their conserved quantities."""
    body, symmetric = RigidBodySOn(LAMBDA), SymmetricRigidBodySOn(LAMBDA)
    one = simulate(body.state(Q=Q, M=M), step=1.0, t_end=10.0, method=TIGHT)
    two = simulate(symmetric.state(Q=Q, P=P), step=1.0, t_end=10.0, method=TIGHT)
    integrals = np.array([manakov_integrals(WEIGHT, m) for m in one.M])
    flow = two.P @ np.swapaxes(two.Q, -1, -2)
    A, W = lax_pair(WEIGHT, M, 0.7)
    return [
        correct_statement("thm 3.12", "Q of SRBn less Q of RBn at t = 10", _largest(one.Q[-1] - two.Q[-1])),
        correct_statement("section 3", "change of P Qᵀ over t = 10", _largest(flow - flow[0])),
        correct_statement("(2.4)", "d(M + λΛ²)/dt − [M + λΛ², Ω + λΛ]", _lax_residual(A, W)),
        correct_statement("(2.4)", "change of Manakov's integrals over t = 10", _largest(integrals - integrals[0])),
        correct_statement(
            "(3.6)",
            "H less half the kinetic energy",
            forms.hamiltonian(WEIGHT, Q, P) - 0.125 * np.sum(M * WEIGHT.J_inverse(M)),
        ),
    ]


def _lax_residual(A: Array, W: Array) -> float:
    Omega = WEIGHT.J_inverse(M)
    return _largest(M @ Omega - Omega @ M - (A @ W - W @ A))


def _domain() -> list[Comparison]:
    """The map Ψ: (Q, P) ↦ (Q, QᵀP − PᵀQ) and the domain on which it is one to one."""
    c = group.vee(C)
    printed, right = np.eye(3) + C, np.outer(c, c) + C
    R1, R2 = (group.exp(a * C) for a in (0.7, np.pi - 0.7))
    half_turn = 2.0 * np.outer(c, c) - np.eye(3)
    singular = np.linalg.svd(forms.symmetric_form(Q, Q @ half_turn), compute_uv=False)[-1]
    inside = np.linalg.svd(forms.symmetric_form(Q, P), compute_uv=False)[-1]
    reason = "angles θ and π − θ give the same M: S must be QᵀP + PᵀQ > 0, all angles below π/2"
    return [
        wrong_statement("after prop. 3.6", "QᵀP = I + ĉ: distance from a rotation", _largest(printed.T @ printed - np.eye(3)),
               "the rotation by a right angle about c is ccᵀ + ĉ"),
        correct_statement("after prop. 3.6", "corrected: ccᵀ + ĉ: distance from a rotation", _largest(right.T @ right - np.eye(3))),
        correct_statement("after prop. 3.6", "corrected: ‖M‖ − 2 for QᵀP = ccᵀ + ĉ", float(norm(right - right.T)) - 2.0),
        correct_statement("def. 3.5", "M for the angles 0.7 and π − 0.7: the difference", _largest((R1 - R1.T) - (R2 - R2.T))),
        wrong_statement("def. 3.5", "P for the same two angles: the difference", _largest(R1 - R2), reason),
        Comparison("prop. 3.11", "least singular value of Ω_gl where QᵀP is half a turn, over that in general", 1.0,
            float(singular / inside), 0.5, reason),
        correct_statement("(3.3)", "Ψ(Q, Q exp(sinh⁻¹(M/2))) − M", _largest(momentum(Q, P) - M)),
    ]  # fmt: skip


def _derivative_and_bracket() -> list[Comparison]:
    """(3.11), (3.12), (3.15)."""
    found = _slope(lambda t: costate(Q, M + t * XI))
    printed = 0.5 * P @ np.linalg.inv(_square_root(np.eye(3) + M @ M / 4.0)) @ XI
    pulled = forms.omega_canonical(
        Q, M, (Q @ XI, _slope(lambda t: momentum(Q @ group.exp(t * XI), P @ group.exp(t * ETA)))), _second_tangent()
    )
    flat = forms.omega_gl((Q @ XI, P @ ETA), (Q @ ETA, P @ C))

    A, B = (
        np.array([[0.3, -0.5, 0.2], [0.7, 0.1, -0.4], [0.2, 0.6, 0.5]]),
        np.array([[-0.2, 0.4, 0.9], [0.3, -0.6, 0.1], [0.8, 0.2, -0.3]]),
    )
    Omega = WEIGHT.J_inverse(M)
    rate = 0.5 * float(np.sum(A * (Q @ Omega)) + np.sum(B * (P @ Omega)))
    bracket = forms.dirac_bracket(lambda q, p: (A, B), lambda q, p: forms.hamiltonian_gradient(WEIGHT, q, p), Q, P)
    # gradients for the metric tr(AᵀB) are half as large, and its product is twice as large
    G1, G2 = forms.hamiltonian_gradient(WEIGHT, Q, P)
    half = forms.dirac_bracket(lambda q, p: (A / 2.0, B / 2.0), lambda q, p: (G1 / 2.0, G2 / 2.0), Q, P)
    return [
        correct_statement("(3.11)", "Ψ*ω − 2 Ω_gl", pulled - 2.0 * flat, DIFFERENCES),
        wrong_statement("(3.12)", "dP/dM less the printed product", _largest(found - printed),
               "correct only if δM and M commute; in general δP = P η with R η + η Rᵀ = δM, R = QᵀP"),
        correct_statement("(3.12)", "corrected: dP/dM less that η", _largest(found - costate_derivative(Q, P, XI)), DIFFERENCES),
        Comparison("(3.15)", "{F, H} over dF/dt with the metric tr(AᵀB)", 1.0, float(2.0 * half / rate), 1e-6,
            "the metric is ½ tr(AᵀB)"),
        Comparison("(3.15)", "corrected: {F, H} over dF/dt", 1.0, float(bracket / rate), ROUNDING),
    ]  # fmt: skip


def _second_tangent() -> tuple[Array, Array]:
    """A second tangent vector of (Q, M) for (3.11)."""
    return Q @ ETA, _slope(lambda t: momentum(Q @ group.exp(t * ETA), P @ group.exp(t * C)))


def _square_root(A: Array) -> Array:
    """The square root of a symmetric positive matrix."""
    w, V = np.linalg.eigh(A)
    return np.asarray((V * np.sqrt(w)) @ V.T, np.float64)


def _discrete() -> list[Comparison]:
    """Section 4: Moser and Veselov's equations."""
    body = DiscreteBody(LAMBDA)
    path, momenta = [Q], [M]
    for _ in range(10):
        q, m = body.Phi(path[-1], momenta[-1])
        path.append(q)
        momenta.append(m)
    paired = np.array([q @ m @ q.T for q, m in zip(path, momenta, strict=True)])
    printed = np.array([q @ m @ q.T for q, m in zip(path[1:], momenta[:-1], strict=True)])  # M_k of (4.1) with Q_k
    integrals = np.array([manakov_integrals(WEIGHT, m) for m in momenta])
    h = 0.1
    run = simulate(RigidBodySOn(LAMBDA).state(Q=Q, M=M), step=h, t_end=4.0, method=MoserVeselov())
    fine = simulate(RigidBodySOn(LAMBDA).state(Q=Q, M=M), step=h / 2, t_end=4.0, method=MoserVeselov())
    exact = simulate(RigidBodySOn(LAMBDA).state(Q=Q, M=M), step=4.0, steps=1, method=TIGHT)
    order = np.log2(_largest(run.Q[-1] - exact.Q[-1]) / _largest(fine.Q[-1] - exact.Q[-1]))
    action, lower = float(body.action(path)), 0
    for k in range(20):
        moved = list(path)
        moved[5] = path[5] @ group.exp(1e-2 * group.hat(np.random.default_rng(k).normal(size=3)))
        lower += int(float(body.action(moved)) < action)
    reason = "M_k of (4.1) belongs with Q_{k−1}: the image of Ψ is (Q_k, M_{k+1})"
    return [
        wrong_statement("(4.5), prop. 4.1", "change of Q_k M_k Q_kᵀ over 10 steps", _largest(printed - printed[0]), reason),
        correct_statement("(4.5)", "corrected: change of Q_k M_{k+1} Q_kᵀ over 10 steps", _largest(paired - paired[0])),
        correct_statement("(4.3)", "change of Manakov's integrals over 10 steps", _largest(integrals - integrals[0])),
        Comparison("section 4", "order of the discrete equations", 2.0, float(order), 0.05),
        Comparison("(6.8), (6.9)", "share of displacements that raise Σ tr(ΛU_k), a minimum", 1.0, 1.0 - lower / 20.0, 0.5,
            "solutions maximise the sum"),
        Comparison("(6.8), (6.9)", "corrected: share of displacements that lower the sum", 1.0, lower / 20.0, 1e-9),
    ]  # fmt: skip


def _solving() -> list[Comparison]:
    """Section 7: J_D(U) = M."""
    U = solve(WEIGHT, M)
    S = U @ L - M / 2.0
    riccati = S @ S + S @ (M / 2.0) + (M / 2.0).T @ S - (M @ M / 4.0 + L @ L)
    spectrum = np.linalg.eigvals(hamiltonian_matrix(WEIGHT, M))
    pairs = np.concatenate([w := np.linalg.eigvals(U @ L), -w])
    gap = max(float(np.abs(pairs - x).min()) for x in spectrum)
    edge = group.hat([0.0, 0.0, LAMBDA[0] + LAMBDA[1]])
    largest = float(largest_factor(WEIGHT, edge))
    real = np.linalg.eigvals(hamiltonian_matrix(WEIGHT, 0.999999 * edge))
    return [
        correct_statement("(4.16)", "UΛ − ΛUᵀ − M", _largest(U @ L - L @ U.T - M)),
        correct_statement("(7.14)", "S² + SM/2 + (M/2)ᵀS − M²/4 − Λ²", _largest(riccati)),
        correct_statement("lemma 7.3", "spectrum of the Hamiltonian matrix less ± that of UΛ", gap),
        wrong_statement(
            "thm 7.4",
            "largest |Re| in the spectrum of the Hamiltonian matrix where U is unique",
            float(np.abs(real.real).max()),
            "for odd n there is always a real pair, and at the edge of the domain there is still one solution",
        ),
        Comparison("thm 7.4", "rotations U with J_D(U) = M, for M well inside", 4.0, float(len(all_solutions(WEIGHT, M))), 0.5),
        Comparison("thm 7.5", "h_max |m| over I₃ along axis 3: the domain", 1.0, largest, 1e-9),
    ]  # fmt: skip


def _control() -> list[Comparison]:
    """Sections 5 and 6."""
    Omega = WEIGHT.J_inverse(M)

    def energy(U: Array, sign: float) -> float:
        return 0.5 * float(np.sum(P * (Q @ U))) + sign * 0.125 * float(np.sum(U * WEIGHT.J(U)))

    slopes = {
        sign: max(abs(float(_slope(lambda t, s=sign, X=X: energy(Omega + t * X, s)))) for X in (XI, ETA, C))  # type: ignore[misc]
        for sign in (1.0, -1.0)
    }
    body = DiscreteBody(LAMBDA)
    Q1, P1 = body.phi_H(Q, P)
    U, R = Q.T @ Q1, Q.T @ P
    value = float(forms.discrete_hamiltonian(WEIGHT, Q, P1))
    first, second = (float(x) for x in forms.discrete_hamiltonian_of_momentum(WEIGHT, M))
    V = np.array([[0.3, -0.5, 0.2], [0.7, 0.1, -0.4], [0.2, 0.6, 0.5]])
    slope = float(_slope(lambda t: float(forms.discrete_hamiltonian(WEIGHT, Q + t * V, P1))))
    # min Σ ½ u² + x u + x² with x ↦ x + u + x²: u* = p − x, H = p (x + u* + x²) − ½ u*² − x u* − x²
    x, p = 0.3, 0.7
    whole = float(_slope(lambda t: _scalar_rate(x + t, p)))
    fixed = 2.0 * p - 2.0  # ∂²H/∂x² at fixed u
    B = P - Q @ P.T @ Q
    doubled = WEIGHT.J_inverse(Q.T @ B - B.T @ Q)
    return [
        wrong_statement("(6.6)", "∂²H/∂x² at fixed u less the derivative of p_k by x_k, in one dimension", fixed - whole,
               "the second derivatives are those of H after inserting u*(p, x)"),
        correct_statement("(6.6)", "corrected: ∂²H/∂x² after inserting u*, less the same", fixed + 1.0 - whole, DIFFERENCES),
        wrong_statement("(5.4)", "∂H/∂U at (5.3), with + ¼⟨U, JU⟩", slopes[1.0], "the sign is minus (or P is −P)"),
        correct_statement("(5.4)", "corrected: ∂H/∂U at (5.3), with − ¼⟨U, JU⟩", slopes[-1.0], DIFFERENCES),
        Comparison("(5.5)", "control from the costate B over the true one", 1.0,
            float(np.linalg.norm(doubled) / np.linalg.norm(Omega)), 1e-6, "the costate with QᵀB skew is B/2"),
        Comparison("(6.17)", "tr S − tr ΛU over the generating function", 1.0, (first - second) / value, 1e-6,
            "the sign is plus for the flow (6.11), (6.12)"),
        Comparison("(6.17)", "corrected: tr S + tr ΛU over the generating function", 1.0, (first + second) / value, ROUNDING),
        correct_statement("(6.17)", "P_k less ∂H⁺/∂Q_k", float(np.sum(P * V)) - slope, DIFFERENCES),
        correct_statement("(6.12)", "P_{k+1} − P_k U_k", _largest(P1 - P @ U)),
        correct_statement("(4.7)", "Q_{k+1}ᵀP_{k+1} − Uᵀ QᵀP U", _largest(Q1.T @ P1 - U.T @ R @ U)),
    ]  # fmt: skip


def _scalar_rate(x: float, p: float) -> float:
    """∂H/∂x of the scalar problem in `_control`, at the best u."""
    u = p - x
    return p * (1.0 + 2.0 * x) - u - 2.0 * x


def _diagram() -> list[Comparison]:
    """Section 7: the diagram of maps, the forms and the interpolation."""
    body = DiscreteBody(LAMBDA)
    Q1, M1 = body.Phi(Q, M)
    Q2, _ = body.Phi(Q1, M1)
    P1 = body.psi(Q, Q1)[1]
    commutes = max(
        _largest(a - b) for a, b in zip(body.psi(*body.phi_L(Q, Q1)), body.phi_H(*body.psi(Q, Q1)), strict=True)
    )
    Omega, U = Q1.T @ Q, Q1.T @ Q2
    printed = L @ XI @ Omega + Omega @ XI @ L
    right = L @ XI @ Omega.T + Omega @ XI @ L
    K = body.weight_after(Q1, Q2)
    wrong = K @ K + L @ U @ K + K @ U @ L + L @ L - np.eye(3)
    good = K @ K + L @ U.T @ K + K @ U @ L + L @ L - np.eye(3)
    heavy = np.array([10.0, 11.0, 12.0])
    near = group.exp(0.5 * C)
    size = float(norm(np.diag(heavy) @ near.T - near @ np.diag(heavy)))
    least = np.linalg.svd(forms.lagrangian_form(heavy, np.eye(3), near), compute_uv=False)[-1]
    twice = float(
        np.sum(C * (Q @ XI @ ETA)) - np.sum(C * (Q @ ETA @ XI))
    )  # ∂_t∂_s φ(g e^{sY} e^{tX}), φ = tr(Cᵀg), less X ↔ Y
    along = float(np.sum(C * (Q @ (ETA @ XI - XI @ ETA))))
    return [
        Comparison("(7.6)", "DDφ(X, Y) − DDφ(Y, X) over Dφ([X, Y])", 1.0, twice / along, 1e-6,
            "minus, with DDφ as defined; it cancels with the sign of M([·, ·]) in (10.6) and (10.7)"),
        correct_statement("section 7", "ψ φL − φH ψ", commutes),
        wrong_statement("def. of E_L", "symmetric part of ΛWΩ + ΩWΛ", _largest(printed + printed.T), "it should be ΛWΩᵀ + ΩWΛ"),
        correct_statement("def. of E_L", "corrected: symmetric part of ΛWΩᵀ + ΩWΛ", _largest(right + right.T)),
        Comparison("before thm 7.2", f"least singular value of Ω_L where ‖J_D U‖ = {size:.3g} > 2", 0.0, float(least), 1e-6,
            "S_L restricts only ψ; Ω_L is symplectic wherever the map of E_L is invertible"),
        correct_statement("(7.16)", "P_k − (Q_k Σ_k − Q_{k−1} Λ)", _largest(body.costate_before(Q, Q1) - P1)),
        wrong_statement("(7.19)", "Λ_k² + ΛU_kΛ_k + Λ_kU_kΛ + Λ² − 1", _largest(wrong), "the second term has U_kᵀ"),
        correct_statement("(7.19)", "corrected: Λ_k² + ΛU_kᵀΛ_k + Λ_kU_kΛ + Λ² − 1", _largest(good)),
        correct_statement("(7.21)", "P_k − (Q_k Λ_k + Q_{k+1} Λ)", _largest(body.costate_after(Q1, Q2) - P1)),
    ]  # fmt: skip


def _lax() -> list[Comparison]:
    """Section 8: Lax equations with a parameter."""
    lam = 0.7
    first, second = discrete_lax_step(WEIGHT, M, lam)
    body = DiscreteBody(LAMBDA)
    after = lax_matrix(WEIGHT, body.Phi(Q, M)[1], lam)
    U = solve(WEIGHT, M)
    other = U.T @ L - L @ U
    run = simulate(RigidBodySOn(LAMBDA).state(Q=Q, M=M), step=1.0, t_end=4.0, method=TIGHT)

    def drift(weight: Array) -> float:
        coefficients = [trace_coefficients(m, weight) for m in run.M]
        return max(_largest(np.asarray(k) - np.asarray(coefficients[0])) for k in coefficients)

    return [
        correct_statement("(8.9)", "Ω^λ M^λ (Ω^λ)⁻¹ − (M_{k+1} + λΛ²)", _largest(first - after)),
        correct_statement("(8.11)", "(U + λΛ)⁻¹ M^λ (U + λΛ) − (M_{k+1} + λΛ²)", _largest(second - after)),
        wrong_statement("(8.10)", "ΩᵀΛ − ΛΩ less M, with Ω = U", _largest(other - M), "it should be J_D(U) = UΛ − ΛUᵀ"),
        wrong_statement(
            "(8.8)", "change of the coefficients with diag(0, Λ) over t = 4", drift(L), "it should be Λ², as in (2.4)"
        ),
        correct_statement("(8.8)", "corrected: the same with diag(0, Λ²)", drift(L @ L)),
    ]
