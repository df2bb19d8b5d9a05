"""Motion in four dimensions: left and right, one rotation or two, and how they correspond.

Run it as a script, or cell by cell.
"""

# %% A body with Λ = diag(1, 2, 3, 4): six planes to turn in, two Casimir functions
import numpy as np

import polhode as ph
from polhode.systems.son import maps as son_maps
from polhode.systems.son.discrete_diagram import DiscreteBody

body = ph.RigidBodySOn([1, 2, 3, 4])
M0 = np.array([[0, 0.5, -0.3, 0.7], [-0.5, 0, 0.9, -0.4], [0.3, -0.9, 0, 0.2], [-0.7, 0.4, -0.2, 0]])
state = body.state(M=M0)
run = ph.simulate(state, step=0.1, t_end=200.0, method=ph.MoserVeselov())
print(run)
for quantity in run.conservation():
    print(f"  {quantity.name:17} {quantity.relative:.1e}")

# %% The two frequencies of the momentum are constant, although M itself changes
angles = np.sort(np.abs(np.linalg.eigvals(run.M[::500]).imag), axis=-1)[:, ::2]
print("\nthe two frequencies of M at some times:\n", angles.round(10))
print("one of its entries meanwhile:", run.M[::500, 0, 1].round(4))

# %% The symmetric representation: two rotations with the same body rate
twin = ph.SymmetricRigidBodySOn([1, 2, 3, 4])
pair = ph.simulate(twin.state(M=M0), step=0.1, t_end=200.0, method=ph.SymmetricMoserVeselov())
print(f"\nQ of both: {np.abs(pair.Q - run.Q).max():.0e} apart;", end=" ")
print(f"M = QᵀP − PᵀQ: {np.abs(pair.M - run.M).max():.0e};", end=" ")
print(f"P Qᵀ moved by {pair.drift()['PQt']:.0e}")
print("all angles between Q and P below 90°:", bool(np.all(son_maps.in_S(pair.Q, pair.P))))

# %% The right-invariant body is the transposed one
right = ph.RigidBodySOn([1, 2, 3, 4], side="right")
mirrored = ph.simulate(right.state(M=M0.T), step=0.1, t_end=200.0, method=ph.MoserVeselov())
print(f"\nright against left, transposed: {np.abs(np.swapaxes(mirrored.Q, -1, -2) - run.Q).max():.0e}")

# %% A fast motion is scaled to ‖M‖ < 2 by scaling time
fast = 10.0 * M0
small, slower = son_maps.scaled(fast)
print(
    f"\n‖M‖ = {float(son_maps.norm(fast)):.3f} becomes {float(son_maps.norm(small)):.3f} with the time scaled by {slower:.4f}"
)

# %% Two attitudes are enough: the diagram of the three forms commutes
discrete = DiscreteBody([1, 2, 3, 4], step=0.1)
Q0, Q1 = run.Q[0], run.Q[1]
Q1, Q2 = discrete.phi_L(Q0, Q1)
Q1, P1 = discrete.psi(Q0, Q1)
print(f"\nthe next attitude from the last two: {np.abs(Q2 - run.Q[2]).max():.0e}")
print(f"P between them, by interpolation: {np.abs(discrete.costate_before(Q0, Q1) - P1).max():.0e}")

# %% Halving the step quarters the error: order 2, on a problem without a closed form
exact = ph.simulate(state, step=10.0, steps=1, method=ph.DOP853(3e-14, 1e-15)).final
print("\nstep     error of Q at t = 10")
for step in (0.4, 0.2, 0.1, 0.05):
    end = ph.simulate(state, step=step, t_end=10.0, method=ph.MoserVeselov()).final
    print(f"{step:5.2f}    {np.abs(end.Q - exact.Q).max():.3e}")
