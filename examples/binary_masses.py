"""The masses of a binary and the elongation of its secondary, from noisy observations of its relative motion.

Run it as a script, or cell by cell.
"""

# %% A pair of ellipsoids: an elongated primary, and a secondary that librates about its synchronous rotation
import numpy as np

import polhode as ph
from polhode.bodies import Ellipsoid
from polhode.estimation import Observation, fit


def pair(m1, m2, a):
    """Masses, and the longest semiaxis of the secondary; G = 1."""
    return ph.FullTwoBodyProblem(Ellipsoid(m1, [1.0, 0.8, 0.7]), Ellipsoid(m2, [a, 0.25, 0.22]), gravity=2)


def start(system):
    """Three primary radii apart, somewhat slower than on a circle."""
    return system.state(X=[-3, 0, 0], V=[0, -0.576, 0], Omega2=[0, 0, 0.2], Omega=[0, 0, 1.1])


# %% Two orbits, seen with noise: where the primary is, in the frame of the secondary, and its attitude there
true = start(pair(1.0, 0.08, 0.32))
motion = ph.simulate(true, step=0.1, t_end=60.0, method=ph.LGVI(), save_every=10)
rng = np.random.default_rng(4)
places = motion.X + 1e-3 * rng.normal(size=motion.X.shape)
attitudes = motion.R @ ph.so3.exp(5e-3 * rng.normal(size=motion.X.shape))
seen = [Observation.field(motion.t, "X", places, 1e-3), Observation.attitude(motion.t, attitudes, 5e-3, field="R")]

# %% What is known beforehand: the state roughly, in these standard deviations; no observation depends on where the pair is in space
guess = start(pair(1.01, 0.085, 0.325))
known = {"X": 0.01, "R": 0.01, "x2": 1e-6, "R2": 1e-6, "Gamma": 4e-3, "Pi": 1e-2, "Pi2": 3e-5, "gamma2": 1e-6}


def covariance(sigma):
    """Of the state, from a standard deviation for each of its variables."""
    return np.diag(np.repeat([value**2 for value in sigma.values()], 3))


# %% The orbit gives the sum of the masses, the libration of the secondary that of the primary, and its elongation
unknowns = ["state", "body1.mass", "body2.mass", "body2.semiaxes[0]"]
found = fit(guess, seen, unknowns, step=0.1, method=ph.LGVI(), state_covariance=covariance(known))
print(found)
for name, truth in zip(unknowns[1:], (1.0, 0.08, 0.32), strict=True):
    error = (found.parameters[name] - truth) / found.sigma[name]
    print(f"  {name}: {found.parameters[name]:.5f}, off by {error:+.1f} standard deviations")
    assert abs(error) < 4.0

# %% With G unknown too, only G times the masses can be determined: motions with heavier bodies and a smaller G look the same
loose = known | dict.fromkeys(("Gamma", "Pi", "Pi2"), 1e3)  # momenta are masses times rates: they must be unknown too
try:
    fit(found.state, seen, ["G", *unknowns], step=0.1, method=ph.LGVI(), state_covariance=covariance(loose))
except ph.PolhodeError as error:
    print(error)
