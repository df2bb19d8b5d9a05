"""An attitude filter on a gyrostat: two vector sensors, no gyro, and how the sample interval matters.

Run it as a script, or cell by cell.
"""

# %% A satellite with a momentum wheel, seen by a sun sensor and a magnetometer
from functools import cache

import numpy as np

import polhode as ph
from polhode.estimation import MEKF, FirstOrder, Stepped, VectorSensor, triad

wheel = ph.Rotor([0.02, 0.012], axis=[0.0, 0.6, 0.8], speed=5.0)
satellite = ph.Gyrostat([1.0, 2.0, 3.0], rotors=[wheel])
start = satellite.state(omega=np.radians([4.0, -5.0, 6.0]))
sensors = [VectorSensor([1, 0, 0], np.radians(0.5), "sun"), VectorSensor([0, 1, 0], np.radians(1.0), "magnetometer")]


# %% The true motion, seen every `interval` seconds
@cache
def true_motion(interval, samples):
    substeps = max(1, round(interval / 0.05))
    return ph.simulate(
        start,
        step=interval / substeps,
        steps=samples * substeps,
        save_every=substeps,
        method=ph.LGVI(order=6),
    )


# %% The filter, online: predict, update
def squared_errors(interval, propagator, seed, samples=60):
    """Squared attitude errors in square degrees over the second half of a run."""
    rng = np.random.default_rng(seed)
    truth = true_motion(interval, samples)
    seen = [sensor.measure(truth.R[0], rng) for sensor in sensors]
    guess = satellite.state(
        R=triad(sensors[0].reference, sensors[1].reference, *seen),
        omega=start.omega + np.radians(0.5) * rng.normal(size=3),
    )
    kalman = MEKF(guess, np.diag(np.radians([1.4] * 3 + [0.5] * 3) ** 2), propagator=propagator)
    errors = []
    for k in range(1, samples + 1):
        kalman.predict(interval)
        for sensor in sensors:
            kalman.update(sensor, sensor.measure(truth.R[k], rng))
        errors.append(np.linalg.norm(kalman.error(truth.state(k))[:3]))
    return np.square(np.degrees(errors[samples // 2 :]))


def rms_error(interval, propagator, seeds=5):
    """RMS attitude error in degrees over runs with different noise, of which a single one may have a large error."""
    return np.sqrt(np.mean([squared_errors(interval, propagator, seed) for seed in range(seeds)]))


# %% With substeps and their tangent map the error is small at any sample interval; with one step per sample it is not
filters = {
    "variational, one step per sample": Stepped(ph.LGVI(), substep=np.inf),
    "variational, substeps of 1 s": Stepped(ph.LGVI(), substep=1.0),
    "RK4, substeps of 1 s": Stepped(ph.RK4(), substep=1.0),
    "midpoint, one step, 1 + FT": FirstOrder(ph.Midpoint()),
}
intervals = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
print("sample interval (s)            ", *(f"{T:8g}" for T in intervals))
for name, propagator in filters.items():
    row = []
    for T in intervals:
        try:
            row.append(f"{rms_error(T, propagator):7.3f}°")
        except ph.PolhodeError as error:
            row.append(f"{'none' if isinstance(error, ph.ConvergenceError) else 'lost':>8}")
    print(f"{name:32s}", *row)
print("none: a step has no solution; lost: the filter diverges; TRIAD alone has 1.4°")

# %% The message of the error
try:
    MEKF(start, 1e-3 * np.eye(6), propagator=Stepped(ph.LGVI(), substep=np.inf)).predict(20.0)
except ph.ConvergenceError as error:
    print(f"\n{error}")
