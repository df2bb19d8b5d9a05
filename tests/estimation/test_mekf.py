"""The filter: its matrices, its accuracy over sample intervals, and its own opinion of its errors."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.estimation import MEKF, FirstOrder, Gyro, Stepped, VectorSensor, consistency_band, propagators, triad
from tests.tiers import later

BODY = ph.FreeRigidBody(inertia=[1, 2, 3])
START = BODY.state(omega=np.radians([4, -5, 6]))
SENSORS = [VectorSensor([1, 0, 0], np.radians(0.5), "sun"), VectorSensor([0, 1, 0], np.radians(1.0), "magnetometer")]
COVARIANCE = np.diag(np.radians([1.4] * 3 + [0.5] * 3) ** 2)


def filtered(interval: float, propagator, seed: int, samples: int = 60, **options):
    """Runs the filter on simulated measurements: attitude errors in degrees and NEES over the second half."""
    rng = np.random.default_rng(seed)
    truth = ph.simulate(START, step=interval, steps=samples, method=ph.Exact())
    seen = [sensor.measure(truth.R[0], rng) for sensor in SENSORS]
    R = triad(SENSORS[0].reference, SENSORS[1].reference, *seen)
    first = BODY.state(R=R, omega=START.omega + np.radians(0.5) * rng.normal(size=3))
    kalman = MEKF(first, COVARIANCE, propagator=propagator, **options)
    errors, nees, nis = [], [], []
    for k in range(1, samples + 1):
        kalman.predict(interval)
        nis += [kalman.update(sensor, sensor.measure(truth.R[k], rng)).nis for sensor in SENSORS]
        errors.append(np.degrees(np.linalg.norm(kalman.error(truth.state(k))[:3])))
        nees.append(kalman.nees(truth.state(k)))
    return np.array(errors[samples // 2 :]), np.array(nees[samples // 2 :]), np.array(nis[samples:])


@pytest.mark.parametrize("interval", [0.1, 1.0, 5.0, 10.0, 20.0])
def test_with_substeps_the_error_stays_small_at_every_sample_interval(interval: float) -> None:
    """TRIAD alone has 1.4 degrees; half of that is the bar for 0.5 degrees steady error."""
    samples = 200 if interval < 1 else 60
    runs = [filtered(interval, Stepped(ph.LGVI(), substep=1.0), seed, samples)[0] for seed in range(2)]
    assert np.sqrt(np.mean(np.square(runs))) < 0.5


def test_a_tuned_filter_is_consistent() -> None:
    """NEES and NIS of independent runs lie in their 95 % bands: the model's error is below the process noise."""
    quiet = {"acceleration_noise": 1e-14}  # the truth has none, and the model hardly any error
    runs = [filtered(5.0, Stepped(ph.LGVI(order=4), substep=0.5), seed, 40, **quiet) for seed in range(20)]
    low, high = consistency_band(6, len(runs))
    assert low < np.mean([nees[-1] for _, nees, _ in runs]) < high
    low, high = consistency_band(2, sum(len(nis) for *_, nis in runs))
    assert 0.97 * low < np.mean([nis for *_, nis in runs]) < 1.03 * high


def test_an_optimistic_filter_is_found_out() -> None:
    """One first-order step a sample: the covariance says a fraction of the error that there is."""
    runs = [filtered(5.0, FirstOrder(ph.Midpoint()), seed, 40) for seed in range(3)]
    assert np.mean([nees[-1] for _, nees, _ in runs]) > 5 * consistency_band(6, 3)[1]


def test_one_step_beyond_the_fold_says_so() -> None:
    kalman = MEKF(START, COVARIANCE, propagator=Stepped(ph.LGVI(), substep=np.inf))
    kalman.predict(7.36)
    with pytest.raises(ph.ConvergenceError, match=r"7\.36"):
        MEKF(START, COVARIANCE, propagator=Stepped(ph.LGVI(), substep=np.inf)).predict(7.38)


def test_phi_is_the_closed_form_of_the_step() -> None:
    """Section 10 of the equations: Φ of one variational step from its own φ."""
    h, J = 0.5, BODY.inertia.matrix
    _, Phi = Stepped(ph.LGVI(), substep=1.0)(START, h)
    F = START.R.T @ ph.simulate(START, step=h, steps=1).R[1]
    phi, s = ph.quaternion.from_matrix(F)[:3], ph.quaternion.from_matrix(F)[3]
    M, S = J @ phi, ph.so3.hat(phi)
    common = s * J - np.outer(M, phi) / s
    start, end = (2 / h * (common + sign * (S @ J - ph.so3.hat(M))) for sign in (1, -1))
    attitude = 2 * (s * np.eye(3) - S + np.outer(phi, phi) / s) @ np.linalg.solve(start, J)
    rate = np.linalg.solve(J, end) @ np.linalg.solve(start, J)
    np.testing.assert_allclose(Phi, np.block([[F.T, attitude], [np.zeros((3, 3)), rate]]), atol=1e-13)
    assert np.linalg.det(Phi) == pytest.approx(1.0, abs=1e-13)


def test_first_order_phi_approaches_the_tangent() -> None:
    exact = Stepped(ph.LGVI(order=8), substep=0.1)(START, 1.0)[1]
    errors = [np.abs(FirstOrder(ph.RK4(), substep=h)(START, 1.0)[1] - exact).max() for h in (0.1, 0.05, 0.025)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(1.0, abs=0.05)


def _drag(t, R, omega):
    return -5.0 * omega[0], -5.0 * omega[1] + 0.1 * R[3], -5.0 * omega[2]


def _driven(t, R, omega):
    return 0.02 * omega[0], 0.001, 0.0


LINEAR = ph.AttitudeBody([1, 2, 2.5], linear=["0.3*R12*R33", "0.2*R31", "0.1*R11**2"])
DRIVEN = ph.Gyrostat([1, 2, 3], torque=_drag, rotor_torque=_driven)
WITH_LINEAR_TERM = [ph.ChargedBody.example(), ph.ChargedPoints.example(), LINEAR.state(omega=[0.5, 0.4, -0.3])]
WITH_TORQUES = [ph.Pendulum3D.example(), ph.OrbitingBody.example(), DRIVEN.state(omega=[0.5, 0.4, -0.3])]


@pytest.mark.verify
@pytest.mark.parametrize("start", WITH_LINEAR_TERM + WITH_TORQUES, ids=lambda start: type(start.system).__name__)
def test_first_order_phi_has_all_torques(start: ph.State) -> None:
    """F is the rate of the tangent of short accurate steps, by differences of order 8."""
    F = (FirstOrder(ph.RK4())(start, 0.5)[1] - np.eye(6)) / 0.5
    accurate, h = Stepped(ph.RK4(), substep=0.001), 0.004
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    rate = sum(w * (accurate(start, k * h)[1] - accurate(start, -k * h)[1]) for k, w in weights.items()) / h
    np.testing.assert_allclose(F, rate, atol=1e-9)


def test_a_wild_measurement_is_refused_by_the_gate() -> None:
    kalman = MEKF(START, COVARIANCE, gate=0.999)
    before = kalman.covariance
    update = kalman.update(SENSORS[0], [0, 1, 0])
    assert not update.accepted
    np.testing.assert_array_equal(kalman.covariance, before)
    assert kalman.update(SENSORS[0], SENSORS[0].expected(START.R)).accepted


@pytest.mark.parametrize("unit", [1.0, 3e-5])
def test_the_gate_and_the_nis_count_two_degrees_of_a_direction(unit: float) -> None:
    rng, spread, count = np.random.default_rng(5), 0.01, 3000
    updates = []
    for _ in range(count):
        R = START.R @ ph.so3.exp(spread * rng.normal(size=3))
        updates.append(
            MEKF(START, spread**2 * np.eye(6), gate=0.9).update(SENSORS[0], unit * SENSORS[0].measure(R, rng))
        )
    assert np.mean([update.accepted for update in updates]) == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / count))
    low, high = consistency_band(updates[0].dof, count, 0.9999)
    assert low < np.mean([update.nis for update in updates]) < high
    assert updates[0].dof == 2


def test_the_gate_and_the_nis_count_three_degrees_of_a_gyro() -> None:
    rng, gyro, count = np.random.default_rng(6), Gyro(sigma=0.01), 3000
    updates = []
    for _ in range(count):
        truth = START.omega + 0.1 * rng.normal(size=3)
        kalman = MEKF(START, 0.01 * np.eye(9), gyro=gyro, gate=0.9)
        updates.append(kalman.update(gyro, gyro.measure(truth, 0.1 * rng.normal(size=3), rng)))
    assert np.mean([update.accepted for update in updates]) == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / count))
    low, high = consistency_band(updates[0].dof, count, 0.9999)
    assert low < np.mean([update.nis for update in updates]) < high


def test_a_gyro_bias_is_found() -> None:
    rng = np.random.default_rng(4)
    gyro, bias = Gyro(sigma=np.radians(0.05)), np.radians([0.5, -0.3, 0.2])
    truth = ph.simulate(START, step=1.0, steps=150, method=ph.Exact())
    start = np.diag(np.radians([1.4] * 3 + [1.0] * 3 + [1.0] * 3) ** 2)
    kalman = MEKF(START, start, gyro=gyro, propagator=Stepped(ph.LGVI(order=4)))
    for k in range(1, 151):
        kalman.predict(1.0)
        kalman.update(gyro, gyro.measure(truth.omega[k], bias, rng))
        for sensor in SENSORS:
            kalman.update(sensor, sensor.measure(truth.R[k], rng))
    spread = np.sqrt(np.diagonal(kalman.covariance)[6:])
    assert np.all(np.abs(kalman.bias - bias) < 4 * spread)
    assert np.all(spread < np.radians(0.05))


def test_bad_input_is_named() -> None:
    for options, field in (
        ({"covariance": np.eye(5)}, "covariance"),
        ({"covariance": -np.eye(6)}, "covariance"),
        ({"covariance": np.eye(6), "gate": 2.0}, "gate"),
        ({"covariance": np.eye(6), "acceleration_noise": -1.0}, "acceleration_noise"),
        ({"covariance": np.eye(6) + 1.5e-9 * np.eye(6, k=1)}, "covariance"),
        ({"covariance": np.eye(6), "propagator": 3}, "propagator"),
        ({"covariance": np.eye(6), "propagator": 0}, "propagator"),
        ({"covariance": np.eye(6), "propagator": Stepped}, "propagator"),
        ({"covariance": np.eye(6), "gate": "a"}, "gate"),
        ({"covariance": np.eye(9), "gyro": SENSORS[0]}, "gyro"),
    ):
        with pytest.raises(ph.InvalidInputError) as caught:
            MEKF(START, **options)
        assert caught.value.field == field
    assert MEKF(START, np.eye(6) + 0.5e-9 * np.eye(6, k=1)).covariance.shape == (6, 6)  # symmetric but for rounding
    with pytest.raises(ph.InvalidInputError, match="gyro"):
        MEKF(START, COVARIANCE).update(Gyro(0.1), [0, 0, 0])
    with pytest.raises(ph.InvalidInputError, match="nonzero direction"):
        MEKF(START, COVARIANCE).update(SENSORS[0], [0, 0, 0])
    for gyro, size in ((None, 6), (Gyro(0.1), 9)):
        with pytest.raises(ph.InvalidInputError, match="sensor"):
            MEKF(START, np.eye(size), gyro=gyro).update("sun", [1, 0, 0])
    with pytest.raises(ph.InvalidInputError, match="state"):
        MEKF(3, COVARIANCE)
    for truth in (3, ph.CoupledBodies.example(), ph.PlanarPendulum.example()):
        with pytest.raises(ph.InvalidInputError, match="truth"):
            MEKF(START, COVARIANCE).nees(truth)
    assert MEKF(START, COVARIANCE).nees(ph.DampedGyrostat.example()) > 0
    for walk in ("a", np.inf, -1.0):
        with pytest.raises(ph.InvalidInputError, match="bias_walk"):
            Gyro(0.1, bias_walk=walk)
    for substep in (0, -1, np.nan, "a", True, np.array([1.0, 2.0])):
        for propagator in (Stepped, FirstOrder):
            with pytest.raises(ph.InvalidInputError, match="substep"):
                propagator(ph.LGVI(), substep=substep)
    for arguments, field in (((6, 100, 95), "probability"), ((-6, 100), "degrees"), ((6, 0), "samples")):
        with pytest.raises(ph.InvalidInputError, match=field):
            consistency_band(*arguments)


def test_no_process_noise_and_a_method_as_propagator() -> None:
    kalman = MEKF(START, COVARIANCE, propagator=ph.QuaternionVI(), acceleration_noise=0.0)
    assert kalman.propagator == Stepped(kalman.propagator.method)
    kalman.predict(1.0)
    assert np.linalg.det(kalman.covariance) == pytest.approx(np.linalg.det(COVARIANCE))


@pytest.mark.parametrize("sigma", [0.005, 0.1])
def test_a_measurement_may_have_any_unit(sigma: float) -> None:
    """The same direction, in gauss, in tesla or of length 1 but for noise, makes the same update."""
    seen, sensor = np.array([1.0, 0.004, -0.003]), VectorSensor([1, 0, 0], sigma)
    filters = [MEKF(START, COVARIANCE, gate=0.999) for _ in range(4)]
    updates = [kalman.update(sensor, u * seen) for kalman, u in zip(filters, (1.0, 0.5, 3e-5, 1e4), strict=True)]
    for kalman, update in zip(filters, updates, strict=True):
        assert update.accepted
        assert update.nis < 1.0
        np.testing.assert_allclose(update.innovation, seen / np.linalg.norm(seen) - [1, 0, 0], atol=1e-15)
        np.testing.assert_allclose(kalman.state.R, filters[0].state.R, atol=1e-15)


def test_a_diverged_filter_says_so() -> None:
    fast = BODY.state(omega=[2.0, -3.0, 1.0])
    with pytest.raises(ph.PolhodeError, match="diverged") as caught:
        MEKF(fast, COVARIANCE, propagator=FirstOrder(ph.Midpoint())).predict(2.0)
    assert not isinstance(caught.value, ph.InvalidInputError)


def differences(propagator: Stepped, start: ph.State, dt: float, h: float = 1e-3) -> np.ndarray:
    """Φ by differences of order 8 of where the propagator itself ends."""
    end, _ = propagator(start, dt)

    def offset(x: np.ndarray) -> np.ndarray:
        moved = start.system.moved(start, start.R @ ph.so3.exp(x[:3]), start.omega + x[3:])
        other, _ = propagator(moved, dt)
        return np.array([*ph.so3.log(end.R.T @ other.R), *(other.omega - end.omega)])

    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return np.stack(
        [sum(w * (offset(k * e) - offset(-k * e)) for k, w in weights.items()) / h for e in h * np.eye(6)], axis=1
    )


@pytest.mark.parametrize(
    "start", later(WITH_LINEAR_TERM, lambda x: x is not WITH_LINEAR_TERM[0], lambda x: type(x.system).__name__)
)
def test_phi_where_the_momentum_depends_on_the_attitude(start: ph.State) -> None:
    propagator = Stepped(ph.LGVI(), substep=0.05)
    np.testing.assert_allclose(propagator(start, 0.5)[1], differences(propagator, start, 0.5), atol=1e-10)


def test_a_rotor_that_turns_with_the_body_is_not_differentiated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its momentum does not depend on the attitude: differences would only take time, four times that of the steps."""
    body = ph.AttitudeBody([1.0, 1.5, 2.2], potential="R33", gyro=[0.3, -0.2, 0.4])
    start, propagator = body.state(omega=[0.4, -0.3, 0.8]), Stepped(substep=0.05)
    monkeypatch.setattr(propagators, "_by_attitude", None)
    np.testing.assert_allclose(propagator(start, 0.5)[1], differences(propagator, start, 0.5), atol=1e-10)
    first = FirstOrder(ph.LGVI())(start, 1e-4)[1]
    np.testing.assert_allclose(first, propagator(start, 1e-4)[1], atol=1e-7)


def test_phi_of_steps_on_the_kinetic_momentum() -> None:
    start, propagator = ph.ChargedBody.example(), Stepped(ph.ForcedLGVI(), substep=0.05)
    np.testing.assert_allclose(propagator(start, 0.5)[1], differences(propagator, start, 0.5), atol=1e-10)


def test_phi_of_a_method_that_chooses_its_steps() -> None:
    start = ph.Pendulum3D.example()
    adaptive = Stepped(ph.DOP853(rtol=1e-12, atol=1e-14), substep=0.5)
    final, Phi = adaptive(start, 1.0)
    expected, fine = Stepped(ph.LGVI(order=8), substep=0.05)(start, 1.0)
    np.testing.assert_allclose(final.Pi, expected.Pi, atol=1e-9)
    np.testing.assert_allclose(Phi, fine, atol=1e-9 * np.linalg.norm(fine))


def test_a_method_that_does_not_know_the_system_says_which_do() -> None:
    with pytest.raises(ph.IncompatibleMethodError, match=r"Exact\(\) cannot integrate Pendulum3D.*LGVI"):
        Stepped(ph.Exact())(ph.Pendulum3D.example(), 0.1)


def test_steps_on_other_variables_are_refused() -> None:
    with pytest.raises(ph.PolhodeError, match="momentum Pi"):
        Stepped(ph.RK4("split"), substep=0.05)(ph.DirectorBody.example(), 0.1)


@pytest.mark.parametrize(
    "rest",
    later([{"rho": [0.02, 0.05, -0.04]}, {"rotor_torque": _driven}], lambda rest: "rotor_torque" in rest),
    ids=["rotors", "commanded"],
)
def test_a_gyrostat_as_the_model(rest: dict) -> None:
    """Φ against differences of the same prediction, and an error below that of the sensors."""
    body = ph.Gyrostat([1, 2, 3], **rest)
    start = body.state(omega=np.radians([4, -5, 6]))
    propagator = Stepped(ph.LGVI(), substep=0.5)
    np.testing.assert_allclose(propagator(start, 2.0)[1], differences(propagator, start, 2.0), atol=1e-10)
    rng = np.random.default_rng(3)
    truth = ph.simulate(start, step=0.1, steps=3000, save_every=50, method=ph.LGVI(order=4))
    kalman, errors = MEKF(start, COVARIANCE, propagator=propagator), []
    for k in range(1, 61):
        kalman.predict(5.0)
        for sensor in SENSORS:
            kalman.update(sensor, sensor.measure(truth.R[k], rng))
        errors.append(np.degrees(np.linalg.norm(kalman.error(truth.state(k))[:3])))
    np.testing.assert_allclose(kalman.state.rho, truth.rho[-1], atol=5e-3)
    assert np.sqrt(np.mean(np.square(errors[30:]))) < 0.7


def test_a_damper_is_refused() -> None:
    state = ph.DampedGyrostat.example()
    with pytest.raises(ph.PolhodeError, match="damper"):
        MEKF(state, COVARIANCE)


@pytest.mark.parametrize("T", [0.3, 7.0, -2.0])
def test_the_process_noise_is_that_of_many_small_impulses(T: float) -> None:
    """A white angular acceleration of density q: in each short time dt an impulse of variance q·dt, which moves the angle
    by what is left of the time. The sum over them is independent of the closed form; so is cutting the time in two."""
    kalman = MEKF(START, COVARIANCE, acceleration_noise=3e-4)
    n = 4000
    left = abs(T) * (np.arange(n) + 0.5) / n
    moves = np.stack([left, np.ones(n)])
    expected = np.kron(3e-4 * abs(T) / n * moves @ moves.T, np.eye(3))
    np.testing.assert_allclose(kalman.process_noise(T), expected, rtol=1e-6, atol=1e-18)
    Phi = np.kron([[1.0, abs(T)], [0.0, 1.0]], np.eye(3))
    twice = Phi @ kalman.process_noise(T) @ Phi.T + kalman.process_noise(T)
    np.testing.assert_allclose(kalman.process_noise(2 * T), twice, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize("walk", [0.02, 5.0])
def test_the_bias_walks_in_the_filter_as_in_the_sensor(walk: float) -> None:
    """The variance that the filter adds over T is that of the biases which the sensor makes, at any number of stops."""
    gyro, T = Gyro(sigma=0.1, bias_walk=walk), 3.7
    kalman = MEKF(START, np.eye(9), gyro=gyro)
    rng = np.random.default_rng(11)
    ends = np.array([gyro.biases([1.0, 2.0, 3.0], np.linspace(0.0, T, 6), rng)[-1] for _ in range(4000)])
    spread = np.mean((ends - [1.0, 2.0, 3.0]) ** 2)
    added = kalman.process_noise(T)[6:, 6:]
    np.testing.assert_allclose(added, added[0, 0] * np.eye(3))
    assert added[0, 0] == pytest.approx(spread, rel=0.06)  # 12,000 squares: 1.3 % is one standard deviation


def test_a_prediction_is_the_run_of_its_steps() -> None:
    """The short way of the filter through its few steps, against `simulate`, bit for bit; also where a moment depends on
    time, and from a time other than zero."""
    pushed = ph.AttitudeBody([1, 2, 3], moment=["t/100", "0", "0"]).state(omega=[0.1, -0.2, 0.3], t=2.0)
    for start in (START, pushed):
        run = ph.simulate(start, step=1.2 / 3, steps=3, method=ph.LGVI(), tangent=True)
        state, Phi = Stepped(ph.LGVI(), substep=0.4)(start, 1.2)
        assert state.t == pytest.approx(run.final.t, abs=1e-15)
        np.testing.assert_array_equal(state.R, run.final.R)
        np.testing.assert_array_equal(state.Pi, run.final.Pi)
        J, into = start.system.inertia.matrix, np.eye(6)
        into[3:, 3:] = J
        assert run.tangent is not None
        np.testing.assert_allclose(into @ Phi, run.tangent[-1] @ into, atol=1e-14)


def test_a_filter_keeps_its_run_from_sample_to_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Predictions are those of new runs, bit for bit, when systems, methods, steps and times alternate; yet a
    run is made anew only when another kind of system comes."""
    heavy = {"mass": 1.0, "rho0": [0.0, 0.1, 0.3]}
    tops = [ph.Pendulum3D([1, 2, 2.5], g=g, **heavy).state(omega=[0.1, -0.2, 0.3], t=g) for g in (9.8, 3.7)]
    methods = [ph.LGVI(), ph.LGVI(order=4), ph.LGVI(form="lagrangian"), ph.QuaternionVI()]
    cases = [(state, method, dt) for state in (*tops, START) for method in methods for dt in (0.3, 0.1)]
    fresh = [Stepped(method)(state, dt) for state, method, dt in cases]
    stepped = {method: Stepped(method) for method in methods}
    made = []
    for kind in (ph.LGVI, ph.QuaternionVI):
        run = kind.run
        monkeypatch.setattr(kind, "run", lambda self, start, run=run: made.append(self) or run(self, start))
    for _ in range(2):
        for (state, method, dt), (expected, Phi) in zip(cases, fresh, strict=True):
            found, matrix = stepped[method](state, dt)
            assert found.t == expected.t
            assert all(np.array_equal(found.values[name], expected.values[name]) for name in expected.values)
            np.testing.assert_array_equal(matrix, Phi)
    assert len(made) == 2 * 2 * len(methods)  # in each round one for both tops, and one for the free body


def test_the_band_leaves_half_of_the_rest_on_each_side() -> None:
    """Quantiles of χ² from tables: of one degree 0.025 and 0.975, of six 0.05 and 0.95."""
    assert consistency_band(1, 1) == pytest.approx((0.000982, 5.02389), rel=1e-4)
    assert consistency_band(3, 2, 0.9) == pytest.approx((1.63538 / 2, 12.59159 / 2), rel=1e-4)
