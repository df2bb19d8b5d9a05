"""The director schemes against the plain systems of 15 and 16 equations, closed forms, and what they promise."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import convergence
from polhode.analysis.structure import difference_map, tangent_map
from polhode.core.scalar_packing import side_by_side
from polhode.geometry import bishop
from polhode.scalars import lanes
from polhode.systems import DirectorBody, NonTwistingBody
from tests.tiers import later

J = np.array([[3.0, -1 / 7, 0.0], [-1 / 7, 4.0, 0.0], [0.0, 0.0, 5.0]])
E = 0.5 * np.trace(J) * np.eye(3) - J
MASS = np.kron(E, np.eye(3))
STEP = 0.005
PEAK = np.array([-61.8125, -26.875, 0.0])
LOAD = {"profile": "triangle", "coefficients": PEAK.tolist()}
SCHEMES = [ph.EnergyMomentum(), ph.LagrangeDAlembert()]
BOTH = pytest.mark.parametrize("cls", [DirectorBody, NonTwistingBody])


# --- the schemes as they are written: directors, six multipliers, and one more for the twist ---------------------------


def directors(q):
    return q[0:3], q[3:6], q[6:9]


def h_of(q):
    d1, d2, d3 = directors(q)
    return np.array([(d1 @ d1 - 1) / 2, (d2 @ d2 - 1) / 2, (d3 @ d3 - 1) / 2, d2 @ d3, d1 @ d3, d1 @ d2])


def H_of(q):
    (d1, d2, d3), o = directors(q), np.zeros(3)
    rows = [(d1, o, o), (o, d2, o), (o, o, d3), (o, d3, d2), (d3, o, d1), (d2, d1, o)]
    return np.array([np.concatenate(row) for row in rows])


def G_of(q, a):
    return np.concatenate([(1 - a) * q[3:6], -a * q[0:3], np.zeros(3)])[None]


def load_on(t, q):
    f = 2 * t if t < 0.5 else 2 - 2 * t if t < 1 else 0.0
    m = f * (PEAK[0] * q[0:3] + PEAK[1] * q[3:6])
    return np.concatenate([0.5 * np.cross(m, d) for d in directors(q)])


def newton(residual, x):
    """With derivatives by the complex step, exact to rounding."""
    for _ in range(20):
        K = np.array([residual(x + 1e-30j * e).imag / 1e-30 for e in np.eye(x.size)]).T
        dx = np.linalg.solve(K, residual(x).real)
        x = x - dx
        if np.abs(dx[:9]).max() < 1e-15:
            return x
    raise AssertionError("the plain system did not converge")


def plain_energy_momentum(q, v, t, a, twistless):
    """(92) as it stands; returns q, its velocity, λ and μ."""

    def residual(x):
        q1, lam, mu = x[:9], x[9:15], x[15:]
        qm = (q + q1) / 2
        balance = 2 / STEP**2 * MASS @ (q1 - q - STEP * v) + H_of(qm).T @ lam - load_on(t + STEP / 2, qm)
        if not twistless:
            return np.concatenate([balance, h_of(q1)])
        return np.concatenate([balance + G_of(qm, a).T @ mu, h_of(q1), G_of(qm, a) @ (q1 - q)])

    x = newton(residual, np.concatenate([q + STEP * v, np.zeros(6 + twistless)]))
    return x[:9], 2 / STEP * (x[:9] - q) - v, x[9:15], x[15:]


def plain_lagrange_dalembert(q, v, t, a, twistless):
    """(124) as it stands, with the signs of p⁺ and p⁻ as they must be; returns as above."""
    p = MASS @ v

    def residual(x):
        q1, lam, mu = x[:9], x[9:15], x[15:]
        qm = (q + q1) / 2
        balance = MASS @ (q1 - q) / STEP - p + STEP / 2 * (H_of(q).T @ lam - load_on(t + STEP / 2, qm))
        if not twistless:
            return np.concatenate([balance, h_of(q1)])
        return np.concatenate([balance + STEP / 2 * G_of(q, a).T @ mu, h_of(q1), G_of(qm, a) @ (q1 - q)])

    x = newton(residual, np.concatenate([q + STEP * v, np.zeros(6 + twistless)]))
    q1 = x[:9]
    p1 = MASS @ (q1 - q) / STEP + STEP / 2 * load_on(t + STEP / 2, (q + q1) / 2)
    C = np.vstack([H_of(q1), G_of(q1, a)]) if twistless else H_of(q1)
    W = np.linalg.inv(MASS)
    v1 = W @ (p1 - C.T @ np.linalg.solve(C @ W @ C.T, C @ W @ p1))
    return q1, v1, x[9:15], x[15:]


PLAIN = {"EnergyMomentum": plain_energy_momentum, "LagrangeDAlembert": plain_lagrange_dalembert}


@pytest.mark.parametrize("a", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("scheme", [ph.EnergyMomentum, ph.LagrangeDAlembert])
@BOTH
def test_three_equations_do_what_sixteen_do(cls, scheme, a) -> None:
    """The rotation, the momentum, the velocities and all multipliers, under a load that turns the rate."""
    twistless = cls is NonTwistingBody
    body = cls(J, moment=LOAD)
    state = body.state(omega=[1.5, 4.5, 0.0 if twistless else 3.0], t=0.3)
    traj = ph.simulate(state, step=STEP, steps=4, method=scheme(a=a))
    lam, mu = traj.method.multipliers(traj)
    q, v = state.R.T.reshape(-1), body.velocities(state.values).T.reshape(-1)
    for k in range(4):
        q, v, plain_lam, plain_mu = PLAIN[scheme.__name__](q, v, traj.t[k], a, twistless)
        p = MASS @ v
        R, pi = q.reshape(3, 3).T, sum(np.cross(d, f) for d, f in zip(directors(q), directors(p), strict=True))
        assert np.abs(traj.R[k + 1] - R).max() < 1e-13
        assert np.abs(traj.Pi[k + 1] - R.T @ pi).max() < 1e-13 * np.abs(pi).max() + 3e-14
        velocities = body.velocities(traj.state(k + 1).values).T.reshape(-1)
        assert np.abs(velocities - v).max() < 1e-12 / STEP
        assert np.abs(lam[k] - plain_lam).max() < 1e-8 * np.abs(plain_lam).max()
        assert np.abs(mu[k] - (plain_mu[0] if twistless else 0.0)) < 1e-8 * np.abs(plain_lam).max()


@pytest.mark.parametrize("scheme", [ph.EnergyMomentum, ph.LagrangeDAlembert])
def test_nothing_depends_on_a(scheme) -> None:
    """Neither the motion nor the force of constraint; only how λ₆ and μ share it."""
    body = NonTwistingBody(J, moment=LOAD)
    runs = [ph.simulate(body.state(omega=[1.5, 4.5, 0]), step=STEP, t_end=1.0, method=scheme(a=a)) for a in (0, 0.5, 1)]
    for run in runs[1:]:
        assert np.abs(run.R - runs[0].R).max() <= 1e-10
        assert np.abs(run.Pi - runs[0].Pi).max() <= 1e-10
    (lam0, mu0), (lam1, mu1) = (run.method.multipliers(run) for run in (runs[0], runs[2]))
    assert np.allclose(mu0, mu1, rtol=1e-12)
    assert np.abs(mu0).max() > 1.0
    assert np.allclose(lam1[:, 5] - lam0[:, 5], mu0, rtol=1e-9)


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_the_turn_of_a_free_step() -> None:
    """Without a moment tan(θ/2) = h|ω|/2 in the energy–momentum scheme, sin θ = h|ω| in Lagrange–d'Alembert's."""
    body = NonTwistingBody(J)
    state = body.state(R=ph.so3.exp([0.4, -0.3, 0.9]), omega=[6, -18, 0])
    rate, h = np.hypot(6, 18), 0.02
    for scheme, angle in zip(SCHEMES, (2 * np.arctan(h * rate / 2), np.arcsin(h * rate)), strict=True):
        R = ph.simulate(state, step=h, steps=1, method=scheme).R
        assert np.allclose(ph.so3.log(R[0].T @ R[1]), angle * np.array([6, -18, 0]) / rate, atol=1e-14)


def test_lagrange_dalembert_is_the_variational_step_of_the_standard_body() -> None:
    example = ph.FreeRigidBody.example()
    body = DirectorBody(example.system.inertia.matrix)
    state = body.state(q=example.q, Pi=example.Pi)
    ours = ph.simulate(state, step=0.2, steps=200, method=ph.LagrangeDAlembert())
    theirs = ph.simulate(example, step=0.2, steps=200, method=ph.LGVI())
    assert np.abs(ours.R - theirs.R).max() < 1e-12
    assert np.abs(ours.Pi - theirs.Pi).max() < 1e-12


def test_the_standard_body_agrees_with_the_exact_one_and_lgvi_at_second_order() -> None:
    example = ph.FreeRigidBody.example()
    body = DirectorBody(example.system.inertia.matrix)
    state = body.state(q=example.q, Pi=example.Pi)
    counts = [100, 200, 400]
    against_exact = convergence(state, ph.EnergyMomentum(), 5.0, counts)
    assert np.all(np.abs(against_exact.orders - 2.0) < 0.05)
    gaps = []
    for n in counts:
        ours = ph.simulate(state, step=5.0 / n, steps=n, method=ph.EnergyMomentum()).final
        theirs = ph.simulate(example, step=5.0 / n, steps=n, method=ph.LGVI()).final
        gaps.append(float(ph.so3.distance(ours.R, theirs.R)))
    assert np.allclose(np.diff(np.log2(gaps)), -2.0, atol=0.05)


def test_case_1_runs_on_a_great_circle_at_second_order() -> None:
    body = NonTwistingBody(J)
    state = body.state(omega=[6, -18, 0])
    traj = ph.simulate(state, step=STEP, t_end=5.0, method=ph.EnergyMomentum())
    assert np.abs(traj.R[:, :, 2] @ state.omega).max() / np.linalg.norm(state.omega) <= 1e-10
    assert np.ptp(traj.R[:, 2, 2]) > 1.9, "all around it"
    orders = convergence(state, ph.EnergyMomentum(), 5.0, [1000, 2000, 4000]).orders
    assert np.all(np.abs(orders - 2.0) < 0.01)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_directors_do_not_twist_even_under_load(scheme) -> None:
    body = NonTwistingBody(J, moment=LOAD)
    traj = ph.simulate(body.state(omega=[1.5, 4.5, 0]), step=STEP, t_end=5.0, method=scheme)
    assert np.abs(bishop.twist_angle(traj.R)).max() < 1e-12
    frame = bishop.non_twisting_frame(traj.R[:, :, 2], d1=traj.R[0, :, 0])
    assert np.abs(frame - traj.R).max() < 1e-12


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_a_hundred_thousand_steps() -> None:
    body = NonTwistingBody(J)
    state = body.state(R=ph.so3.exp([0.4, -0.3, 0.9]), omega=[6, -18, 0])
    traj = ph.simulate(state, step=STEP, steps=100_000, save_every=100, method=ph.EnergyMomentum())
    assert {kept.name: kept.relative <= 1e-9 for kept in traj.conservation()} == {
        "energy": True,
        "Pi1": True,
        "Pi2": True,
    }
    off = np.einsum("nji,njk->nik", traj.R, traj.R) - np.eye(3)
    assert np.abs(off).max() <= 1e-12
    assert traj.stats.worst_residual <= 1e-12


def test_after_a_load_the_energy_stays_and_the_momenta_ripple_no_more_than_the_stretch() -> None:
    """A load leaves a stretch of order h² behind. It does not grow, the energy is kept to rounding with it, and the two
    momenta to its square."""
    loaded = NonTwistingBody(J, moment=LOAD)
    final = ph.simulate(loaded.state(omega=[1.5, 4.5, 0]), step=STEP, t_end=1.0, method=ph.EnergyMomentum()).final
    free = NonTwistingBody(J)
    state = ph.State(free, final.values)
    traj = ph.simulate(state, step=STEP, steps=100_000, save_every=97, method=ph.EnergyMomentum())
    stretch = np.abs(traj.stretch).max(axis=1)
    assert stretch[0] > 1e-8
    assert stretch.max() < 1e-5
    drift = traj.drift()
    assert drift["energy"] < 1e-11 * traj.kinetic_energy[0]
    assert max(drift["Pi1"], drift["Pi2"]) < 1e-9 * np.linalg.norm(traj.Pi[0])


def test_a_step_is_cheap() -> None:
    """At most 50 times the variational step of the free body, which is as fast as its like in C: 5 µs for its 100 ns."""
    free = ph.FreeRigidBody.example()
    cases = {
        "yard-stick": (free, ph.LGVI()),
        "standard": (DirectorBody.example(), ph.EnergyMomentum()),
        "non-twisting": (NonTwistingBody.example(), ph.EnergyMomentum()),
        "loaded": (
            NonTwistingBody(J, moment={"coefficients": [1e-3, 0, 0]}).state(omega=[1, 0, 0]),
            ph.EnergyMomentum(),
        ),
    }
    best = {}
    for name, (state, method) in cases.items():
        run = lambda n, s=state, m=method: ph.simulate(s, step=0.01, steps=n, save_every=n, method=m)  # noqa: E731
        run(1000)
        best[name] = min(run(20_000).stats.seconds / 20_000 for _ in range(5))
    assert max(best.values()) <= 50 * best["yard-stick"], best


# --- other scalars, and failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", later(SCHEMES, lambda scheme: isinstance(scheme, ph.EnergyMomentum), repr))
def test_tangent_map_under_load(scheme) -> None:
    """From dual numbers, against differences of order 8: the load's derivative is in it."""
    example = DirectorBody.example()
    moment = {"profile": "triangle", "coefficients": [2.0, -1.0, 0.5], "duration": 1.0}
    body = DirectorBody(example.system.inertia.matrix, moment=moment, frame="space")
    state = body.state(q=example.q, omega=example.omega)
    assert ph.simulate(state, step=0.1, steps=10, method=scheme).stats.max_iterations <= 4, "Newton's pace"
    exact = tangent_map(state, scheme, 0.1, 4)
    assert np.abs(exact - difference_map(state, scheme, 0.1, 4)).max() < 1e-12


@pytest.mark.verify
def test_lanes_run_as_if_alone() -> None:
    """Bit for bit, each with its own load, some of them none."""
    kind, method = lanes(4), ph.EnergyMomentum()
    rates = ([0.5, 1, 0], [1.5, 4.5, 0], [0, 0, 0], [-3, 2, 0])
    loads = (None, LOAD, {"coefficients": [0.3, 0.2, 0.0]}, {"profile": "triangle", "coefficients": [1, 2, 3]})
    bodies = [NonTwistingBody(J, moment=load) for load in loads]
    states = [body.state(omega=rate) for body, rate in zip(bodies, rates, strict=True)]
    alone = []
    for state in states:
        run = method.start(state, 0.05)
        run.advance(0, 40, 41, np.empty((0, run.carried)))
        alone.append(run.sample.copy())
    run = method.start(states[0], 0.05, kind)
    run.y[: run.carried] = side_by_side(
        np.array([b.enter(method.representation, s) for b, s in zip(bodies, states, strict=True)]), kind
    )
    run.p[:] = side_by_side(np.array([body.parameters() for body in bodies]), kind)
    run.advance(0, 40, 41, np.empty((0, run.carried)))
    assert np.array_equal(run.sample.reshape(-1, 4).T, np.array(alone))


def test_a_run_goes_on_from_its_final_state_bit_for_bit() -> None:
    state = DirectorBody.example()
    for scheme in SCHEMES:
        whole = ph.simulate(state, step=0.05, steps=40, method=scheme).final
        half = ph.simulate(state, step=0.05, steps=20, method=scheme).final
        rest = ph.simulate(half, step=0.05, steps=20, method=scheme).final
        for name, value in whole.values.items():
            assert np.array_equal(rest.values[name], value), name


@pytest.mark.verify
def test_a_users_moment_at_second_order() -> None:
    """A function of time, attitude and rate, by both schemes, against the right-hand side; it is solved for, not lagged."""

    def moment(t, R, omega):
        return 0.5 * t - 2.0 * omega[0], R[6] - omega[1] * omega[1], 0.0 * t

    body = NonTwistingBody(J, moment=moment, frame="space")
    state = body.state(R=ph.so3.exp([0.2, 0.3, -0.1]), omega=[0.9, -0.7, 0.0])
    for scheme in SCHEMES:
        result = convergence(state, scheme, 4.0, [80, 160, 320])
        assert np.all(np.abs(result.orders - 2.0) < 0.1), (scheme, result)
        there = ph.simulate(state, step=0.05, steps=20, method=scheme).final
        back = ph.simulate(there, step=-0.05, steps=20, method=scheme).final
        assert np.allclose(back.R, state.R, atol=1e-13), "symmetric"
    scheme = ph.LagrangeDAlembert()
    assert np.abs(tangent_map(state, scheme, 0.1, 3) - difference_map(state, scheme, 0.1, 3)).max() < 1e-12


def test_too_large_a_step_says_how_large_it_may_be() -> None:
    state = NonTwistingBody.example()
    limit = state.system.largest_step(state)
    assert np.isclose(limit, 1.0 / np.linalg.norm(state.omega))
    ph.simulate(state, step=0.999 * limit, steps=20, method=ph.LagrangeDAlembert())
    with pytest.raises(ph.ConvergenceError, match=f"largest usable step from this state is {limit:.6g}"):
        ph.simulate(state, step=1.001 * limit, steps=20, method=ph.LagrangeDAlembert())
    ph.simulate(state, step=3.0 * limit, steps=20, method=ph.EnergyMomentum())


def test_what_cannot_be_used_is_named() -> None:
    for a in (-0.1, 1.1, "half", True, float("nan")):
        with pytest.raises(ph.InvalidInputError, match="a number from 0 to 1"):
            ph.EnergyMomentum(a=a)
    with pytest.raises(ph.IncompatibleMethodError, match="not described by directors"):
        ph.LagrangeDAlembert().check(ph.FreeRigidBody([1, 2, 3]))
    state = NonTwistingBody.example()
    traj = ph.simulate(state, step=0.1, steps=10, save_every=2, method=ph.EnergyMomentum())
    with pytest.raises(ph.InvalidInputError, match="save_every=1"):
        traj.method.multipliers(traj)


def test_the_discrete_energy_of_a_steady_spin() -> None:
    """About the third axis the other two directors move along chords: ½ J₃₃ (2 sin(½ h ω)/h)²."""
    h, omega = 0.2, 1.5
    turns = ph.so3.exp(h * omega * np.arange(4)[:, None] * [0.0, 0.0, 1.0])
    run = SimpleNamespace(system=DirectorBody(J), R=turns, step=h)
    expected = 0.5 * J[2, 2] * (2.0 * np.sin(0.5 * h * omega) / h) ** 2
    np.testing.assert_allclose(ph.LagrangeDAlembert.discrete_energy(run), expected, rtol=1e-12)
