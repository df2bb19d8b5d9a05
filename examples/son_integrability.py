"""Integrability: the integrals of the rigid body on SO(n), which its discretization conserves too, at any step.

Run it as a script, or cell by cell.
"""

# %% A body in six dimensions has nine integrals besides the energy and the momentum in space
import numpy as np

import polhode as ph
from polhode import son
from polhode.systems.son.integrals import manakov_integrals, manakov_labels
from polhode.systems.son.lax import lax_matrix

body = ph.RigidBodySOn([0.7, 0.9, 1.2, 1.6, 1.9, 2.3])
state = body.state(M=0.4 * np.cos(np.arange(15.0)))
print("the coefficients of λʲ in tr (M + λΛ²)ᵏ, (k, j) =", manakov_labels(6))
print(np.round(state.invariants()["manakov"], 4))

# %% The discrete body conserves them at every step up to the largest; only the phase has an error
limit = body.largest_step(state)
print(f"\nthe largest step is {limit:.4f}; relative drift over 10 000 steps:")
for fraction in (0.01, 0.1, 0.5, 0.9):
    run = ph.simulate(state, step=fraction * limit, steps=10_000, save_every=100, method=ph.MoserVeselov())
    drift = {quantity.name: quantity.relative for quantity in run.conservation()}
    print(f"  step {fraction:4.2f} of it: " + ", ".join(f"{name} {value:.0e}" for name, value in drift.items()))

# %% A general method does not conserve them
run = ph.simulate(state, step=0.1 * limit, steps=10_000, save_every=100, method=ph.RK4())
print("  RK4 at 0.10:      " + ", ".join(f"{quantity.name} {quantity.relative:.0e}" for quantity in run.conservation()))

# %% Why: M + λΛ² only changes its basis from step to step, for every λ at once
run = ph.simulate(state, step=0.5 * limit, steps=200, method=ph.MoserVeselov())
M0 = run.M[0]
for lam in (0.0, 0.5, 2.0):
    eigenvalues = np.linalg.eigvals(lax_matrix(body.weight, run.M[::50], lam))
    spectra = np.concatenate([np.sort(eigenvalues.real), np.sort(eigenvalues.imag)], axis=-1)
    print(
        f"λ = {lam}: eigenvalues move by {np.abs(spectra - spectra[0]).max():.0e}, M itself by {np.abs(run.M - M0).max():.1f}"
    )

# %% In three dimensions the discrete momentum is the continuous one, with the time scaled by a constant factor
small = ph.RigidBodySOn([1.0, 1.5, 2.2])
start = small.state(M=[0.6, -0.9, 1.1])
for step in (0.1, 1.0):
    run = ph.simulate(start, step=step, steps=20, method=ph.MoserVeselov())
    # the rate c for which M(c h) is M₁ to first order, refined
    c = 1.0
    for _ in range(8):
        late = ph.simulate(start, step=c * step, steps=1, method=ph.DOP853(1e-13, 1e-15)).final
        velocity = late.M @ late.Omega - late.Omega @ late.M
        c += float(np.sum((run.M[1] - late.M) * velocity) / np.sum(velocity * velocity)) / step
    exact = ph.simulate(start, step=c * step, steps=20, method=ph.DOP853(1e-13, 1e-15))
    print(f"step {step}: c = {c:.9f}, and after 20 steps the momenta differ by {np.abs(exact.M - run.M).max():.0e}")

# %% The integrals depend on M and Λ only through invariants: a rotation of the whole body does not change them
Q = son.random(np.random.default_rng(0), 6)
turned = Q @ state.M @ Q.T
weight = Q @ np.diag([0.7, 0.9, 1.2, 1.6, 1.9, 2.3]) @ Q.T
difference = manakov_integrals(weight, turned) - manakov_integrals(body.weight, state.M)
print(f"\nin other axes they are the same to {np.abs(difference).max():.0e}")
