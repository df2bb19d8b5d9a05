"""Steering: the cheapest way to turn a body from one attitude to another, in three and in four dimensions.

Run it as a script, or cell by cell.
"""

# %% The cost is ¼∫⟨U, J(U)⟩ dt; its extremals are free motions of the body
import numpy as np

import polhode as ph
from polhode import control, son

Lambda = [1.0, 1.5, 2.2]
Q_T = son.exp(son.hat([1.2, -0.7, 0.9]))
turn = control.steer(Lambda, np.eye(3), Q_T, duration=4.0, starts=12)
print(turn)

# %% Other extremals were found, all of them more expensive
for M0, cost in turn.others:
    print(f"  cost {cost:9.4f}, initial momentum {son.vee(M0).round(3)}")

# %% The control, and the costate of the maximum principle, along the way
motion = turn.trajectory(8)
for t, U in zip(motion.t, son.vee(motion.Omega), strict=True):
    print(f"  t = {t:3.1f}: U = {U.round(4)}")
P = turn.costate(motion.t)
A = P @ np.swapaxes(motion.Q, -1, -2)
print(f"P Qᵀ is constant to {np.abs(A - A[0]).max():.0e}")

# %% A rotation about a fixed axis is not the cheapest way
straight = son.log(Q_T) / 4.0
print(
    f"about a fixed axis it costs {0.125 * 4.0 * np.sum(straight * turn.body.weight.J(straight)):.6f}, not {turn.cost:.6f}"
)

# %% In N steps: the discrete problem, whose cost tends to the continuous one with order 2
print("\n  N    cost          error · N²")
for N in (4, 8, 16, 32):
    steps = control.steer_discrete(Lambda, np.eye(3), Q_T, N, duration=4.0, starts=1)
    print(f"{N:4d}    {steps.cost:.9f}   {(steps.cost - turn.cost) * N * N:+.5f}")

# %% Four dimensions
Q4 = son.exp(son.hat([0.5, -0.7, 0.9, 0.3, -0.4, 0.6]))
turn4 = control.steer([1, 2, 3, 4], np.eye(4), Q4, duration=4.0, starts=4)
print("\nSO(4):", turn4)

# %% The same principle for your own problem: a pendulum is brought to rest in twelve steps
h = 0.25
pendulum = control.DiscreteProblem(
    lambda x, u: np.array([x[0] + h * x[1], x[1] - h * np.sin(x[0]) + h * u[0]]),
    lambda x, u: 0.5 * h * u[0] ** 2,
)
path = pendulum.solve([1.0, 0.0], [0.0, 0.0], steps=12, u=[0.0])
print(
    f"\nthe pendulum stops with cost {path.cost:.6f}, end point met to {path.miss:.0e}; controls {path.u[:, 0].round(3)}"
)

# %% An end point out of reach is an error that says how far it is missed
try:
    control.steer_discrete(Lambda, np.eye(3), son.exp(son.hat([0.0, 0.0, 3.0])), 1, starts=2)
except ph.PolhodeError as error:
    print(f"\n{type(error).__name__}: {error}")
