"""The fastest half turn of a ball is not about its axis.

Run it as a script, or cell by cell.
"""

# %% A ball of inertia 1 whose torque has three components, each at most 1
import numpy as np

import polhode as ph
from polhode.control import manoeuvre

ball = ph.AttitudeBody([1, 1, 1], moment=["u1", "u2", "u3"], parameters={"u1": 0, "u2": 0, "u3": 0})
end = ball.state(R=ph.so3.exp([0, 0, np.pi]))

# %% About the axis: half of the time speeding up, half of it slowing down
along = manoeuvre(ball.state(), end, minimise="time", limits=1.0)
print(f"about the axis: {along.T:.5f}, closed form {2 * np.sqrt(np.pi):.5f}")

# %% From other first guesses the search finds a way that uses all three components, at their limits throughout
best = manoeuvre(ball.state(), end, minimise="time", limits=1.0, starts=4)
print(f"off the axis:   {best.T:.5f}, with {np.mean(np.abs(best.u) > 0.999):.0%} of the commands at their limits")

# %% The simulator does the same motion
print(f"simulated, it ends {best.miss:.1e} from the end and differs by {best.deviation:.1e} on the way")
best.plot().savefig("fastest_turn.png")
