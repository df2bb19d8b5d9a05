"""A. M. Bloch, P. E. Crouch, J. E. Marsden, T. S. Ratiu, "The symmetric representation of the rigid body equations and
their discretization" (2002): the rigid body on SO(n) × SO(n).

The paper has formulas and no tables. Each comparison evaluates one formula for a generic body. The residual of a correct
formula must vanish; a misprint is compared by its value as published, its corrected value, and the value of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..control import DiscreteProblem
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
from .base import Comparison, correct_statement, counted, misprint

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
DIFFERENCES = 1e-11  # the error of derivatives by differences of order 4


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
    right_angle = group.exp(0.5 * np.pi * C)
    R1, R2 = (group.exp(a * C) for a in (0.7, np.pi - 0.7))
    M2 = momentum(Q, Q @ R2)
    half_turn = 2.0 * np.outer(c, c) - np.eye(3)
    singular = np.linalg.svd(forms.symmetric_form(Q, Q @ half_turn), compute_uv=False)[-1]
    reason = "angles θ and π − θ give the same M: S must be QᵀP + PᵀQ > 0, all angles below π/2"
    return [
        misprint("after prop. 3.6", "QᵀP, a rotation by a right angle about c", np.eye(3) + C, np.outer(c, c) + C, right_angle,
            "I + ĉ is not a rotation; the rotation by a right angle about c is ccᵀ + ĉ"),
        correct_statement("after prop. 3.6", "‖M‖ − 2 for this QᵀP", float(norm(momentum(Q, Q @ right_angle))) - 2.0),
        correct_statement("def. 3.5", "M for the angles 0.7 and π − 0.7: the difference", _largest(momentum(Q, Q @ R1) - M2)),
        misprint("def. 3.5", "P from the M of the angle π − 0.7", Q @ R2, Q @ R1, costate(Q, M2), reason),
        misprint("prop. 3.11", "least singular value of Ω_gl where QᵀP is half a turn, over that in general", 1.0, 0.0,
            singular / np.linalg.svd(forms.symmetric_form(Q, P), compute_uv=False)[-1], reason),
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
        misprint("(3.12)", "derivative of P by M", printed, found, costate_derivative(Q, P, XI),
            "correct only if δM and M commute; in general δP = P η with R η + η Rᵀ = δM, R = QᵀP", DIFFERENCES),
        misprint("(3.15)", "{F, H}, which is dF/dt", 2.0 * half, rate, bracket, "the metric is ½ tr(AᵀB), not tr(AᵀB)"),
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
    integrals = np.array([manakov_integrals(WEIGHT, m) for m in momenta])
    start, h = RigidBodySOn(LAMBDA).state(Q=Q, M=M), 0.05
    unit = simulate(start, step=1.0, steps=10, method=MoserVeselov())
    run, fine = (simulate(start, step=step, t_end=4.0, method=MoserVeselov()) for step in (h, h / 2))
    exact = simulate(start, step=4.0, steps=1, method=TIGHT)
    order = np.log2(_largest(run.Q[-1] - exact.Q[-1]) / _largest(fine.Q[-1] - exact.Q[-1]))
    action, lower = float(body.action(path)), 0
    for k in range(20):
        moved = list(path)
        moved[5] = path[5] @ group.exp(1e-2 * group.hat(np.random.default_rng(k).normal(size=3)))
        lower += int(float(body.action(moved)) < action)
    reason = "M_k of (4.1) belongs with Q_{k−1}: the image of Ψ is (Q_k, M_{k+1})"
    return [
        misprint("(4.5), prop. 4.1", "momentum in space after 10 steps, called constant", path[10] @ momenta[9] @ path[10].T,
            Q @ M @ Q.T, unit.m[-1], reason),
        correct_statement("(4.5)", "Q_k after 10 steps less that of the diagram", _largest(unit.Q[-1] - path[10])),
        correct_statement("(4.3)", "change of Manakov's integrals over 10 steps", _largest(integrals - integrals[0])),
        Comparison("section 4", "order of the discrete equations, from steps 0.05 and 0.025", 2.0, float(order), 1e-3),
        correct_statement("(6.8)", "Σ tr(ΛU_k) − the sum over the path", action - sum(np.sum(L * (a.T @ b)) for a, b in pairwise(path))),
        misprint("(6.8), (6.9)", "displacements of 20 that lower Σ tr(ΛU_k), a minimum", 0, 20, lower, "solutions maximise the sum", 0.0),
    ]  # fmt: skip


def _solving() -> list[Comparison]:
    """Section 7: J_D(U) = M."""
    U = solve(WEIGHT, M)
    solutions = all_solutions(WEIGHT, M)
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
        misprint("thm 7.4", "largest |Re| in the spectrum of the Hamiltonian matrix where U is unique", 0.0, LAMBDA[2],
            np.abs(real.real).max(), "for odd n there is always a real pair; at the edge of the domain there is one solution",
            DIFFERENCES),
        counted("thm 7.4", "rotations U with J_D(U) = M, for M well inside", 4, len(solutions)),
        correct_statement("thm 7.4", "their UᵀU − 1 and UΛ − ΛUᵀ − M", max(
            max(_largest(u.T @ u - np.eye(3)), _largest(u @ L - L @ u.T - M)) for u in solutions)),
        correct_statement("thm 7.5", "h_max |m| over I₃ along axis 3, less 1: the domain", largest - 1.0),
    ]  # fmt: skip


def _control() -> list[Comparison]:
    """Sections 5 and 6."""
    Omega = SymmetricRigidBodySOn(LAMBDA).state(Q=Q, P=P).Omega

    def energy(U: Array) -> float:
        """(5.4) with the corrected sign."""
        return 0.5 * float(np.sum(P * (Q @ U))) - 0.125 * float(np.sum(U * WEIGHT.J(U)))

    slope_of_energy = max(abs(float(_slope(lambda t, X=X: energy(Omega + t * X)))) for X in (XI, ETA, C))  # type: ignore[misc]
    body = DiscreteBody(LAMBDA)
    Q1, P1 = body.phi_H(Q, P)
    U, R = Q.T @ Q1, Q.T @ P
    first, second = (float(x) for x in forms.discrete_hamiltonian_of_momentum(WEIGHT, M))
    V = np.array([[0.3, -0.5, 0.2], [0.7, 0.1, -0.4], [0.2, 0.6, 0.5]])
    slope = float(_slope(lambda t: float(forms.discrete_hamiltonian(WEIGHT, Q + t * V, P1))))
    stationary = WEIGHT.J_inverse(momentum(Q, P))  # of (5.4): with its published sign, the negative of this
    B = P - Q @ P.T @ Q
    doubled = WEIGHT.J_inverse(Q.T @ B - B.T @ Q)
    return [
        _second_derivative(),
        misprint("(5.4)", "the control U where ∂H/∂U = 0", -stationary, stationary, Omega, "the sign is minus (or P is −P)"),
        correct_statement("(5.4)", "corrected: ∂H/∂U there, with − ¼⟨U, JU⟩", slope_of_energy, DIFFERENCES),
        misprint("(5.5)", "control from the costate", doubled, 0.5 * doubled, Omega, "the costate with QᵀB skew is B/2"),
        misprint("(6.17)", "the generating function, by tr S and tr ΛU", first - second, first + second,
            forms.discrete_hamiltonian(WEIGHT, Q, P1), "the sign is plus for the flow (6.11), (6.12)"),
        correct_statement("(6.17)", "P_k less ∂H⁺/∂Q_k", float(np.sum(P * V)) - slope, DIFFERENCES),
        correct_statement("(6.12)", "P_{k+1} − P_k U_k", _largest(P1 - P @ U)),
        correct_statement("(4.7)", "Q_{k+1}ᵀP_{k+1} − Uᵀ QᵀP U", _largest(Q1.T @ P1 - U.T @ R @ U)),
    ]  # fmt: skip


def _second_derivative() -> Comparison:
    """(6.6) for min Σ ½ u² + x u + x³ with x ↦ x + u + x²: u* = p − x, H = p (x + u + x²) − ½ u² − x u − x³."""
    problem = DiscreteProblem(lambda x, u: x + u + x * x, lambda x, u: 0.5 * u[0] * u[0] + x[0] * u[0] + x[0] ** 3)
    x, p_next = 0.3, 0.7
    p = p_next * (1.0 + 2.0 * x) - (p_next - x) - 3.0 * x * x  # ∂H/∂x at the best u

    def ahead(dx: float, dp: float) -> float:
        return float(problem.advance([x + dx], [p + dp], [p_next - x])[1][0])

    # at a constant p_{k+1} the derivative of p_k by x_k follows from those of p_{k+1} by x_k and p_k
    found = -float(_slope(lambda e: ahead(e, 0.0))) / float(_slope(lambda e: ahead(0.0, e)))
    fixed = 2.0 * p_next - 6.0 * x  # ∂²H/∂x² at fixed u; u*, of slope −1, adds 1
    return misprint(
        "(6.6)",
        "derivative of p_k by x_k, in one dimension",
        fixed,
        fixed + 1.0,
        found,
        "the second derivatives are those of H after inserting u*(p, x)",
        1e-8,  # Newton's method of each step leaves 1e-13, differences divide by 1e-3 and by 0.6
    )


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
    # the operator of E_L is the derivative of M by Ω in the direction −ΩW
    derivative = _slope(lambda t: body.Sigma_L(Q @ group.exp(-t * XI), Q1)[1])
    K = body.weight_after(Q1, Q2)
    rest = np.eye(3) - L @ L - K @ U @ L
    heavy = np.array([10.0, 11.0, 12.0])
    near = group.exp(0.5 * C)
    size = float(norm(np.diag(heavy) @ near.T - near @ np.diag(heavy)))
    moment = near.T @ np.diag(heavy)
    right = 0.5 * np.linalg.svd(np.trace(moment) * np.eye(3) - moment, compute_uv=False)[-1]
    least = np.linalg.svd(forms.lagrangian_form(heavy, np.eye(3), near), compute_uv=False)[-1]
    return [
        correct_statement("section 7", "ψ φL − φH ψ", commutes),
        misprint("def. of E_L", "its operator on W", L @ XI @ Omega + Omega @ XI @ L, L @ XI @ Omega.T + Omega @ XI @ L, derivative,
            "it should be ΛWΩᵀ + ΩWΛ", DIFFERENCES),
        misprint("before thm 7.2", f"least singular value of Ω_L where ‖J_D U‖ = {size:.3g} > 2", 0.0, right, float(least),
            "S_L restricts only ψ; Ω_L is symplectic wherever the map of E_L is invertible"),
        correct_statement("(7.16)", "P_k − (Q_k Σ_k − Q_{k−1} Λ)", _largest(body.costate_before(Q, Q1) - P1)),
        misprint("(7.19)", "Λ_k²", rest - L @ U @ K, rest - L @ U.T @ K, K @ K, "the second term has U_kᵀ"),
        correct_statement("(7.21)", "P_k − (Q_k Λ_k + Q_{k+1} Λ)", _largest(body.costate_after(Q1, Q2) - P1)),
    ]  # fmt: skip


def _lax() -> list[Comparison]:
    """Section 8: Lax equations with a parameter."""
    lam = 0.7
    first, second = discrete_lax_step(WEIGHT, M, lam)
    body = DiscreteBody(LAMBDA)
    after = lax_matrix(WEIGHT, body.Phi(Q, M)[1], lam)
    U = solve(WEIGHT, M)
    run = simulate(RigidBodySOn(LAMBDA).state(Q=Q, M=M), step=1.0, t_end=4.0, method=TIGHT)

    def coefficients(m: Array, weight: Array) -> Array:
        return np.concatenate([np.atleast_1d(np.asarray(x, np.float64)).ravel() for x in trace_coefficients(m, weight)])

    last, start = run.M[-1], run.M[0]
    return [
        correct_statement("(8.9)", "Ω^λ M^λ (Ω^λ)⁻¹ − (M_{k+1} + λΛ²)", _largest(first - after)),
        correct_statement("(8.11)", "(U + λΛ)⁻¹ M^λ (U + λΛ) − (M_{k+1} + λΛ²)", _largest(second - after)),
        misprint("(8.10)", "M from U", U.T @ L - L @ U, U @ L - L @ U.T, M, "it should be J_D(U) = UΛ − ΛUᵀ"),
        misprint("(8.8)", "change of the coefficients over t = 4, called constant", coefficients(last, L) - coefficients(start, L),
            np.zeros_like(coefficients(start, L)), coefficients(last, L @ L) - coefficients(start, L @ L), "diag(0, Λ) should be diag(0, Λ²), as in (2.4)"),
    ]  # fmt: skip
