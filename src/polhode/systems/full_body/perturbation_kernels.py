"""What perturbs each body: uniform fields, point masses that are far away, potentials that a user gives.

Each is an energy W(x, R, t) of one body; ∂W/∂x and the moment −∂W/∂R in the body's frame are added to what the bodies do
to one another. A point mass M at c, seen from the body's mass centre at distance d = x − c, gives

    W = −GMm/|d| + what the shape adds (the expansion of `polhode.gravity` without its monopole),

or, in a frame whose origin falls freely towards it, the same less what it does at the origin:

    W = −GMm (1/|d| − 1/|c| − x·c/|c|³),      ∂W/∂x = GMm (x + f c)/|d|³,
    q = x·(x − 2c)/|c|²,  f = (1 + q)^{3/2} − 1,

written so that no digits cancel however far c is (Battin's form).

Parameters: how many there are, and for each where its numbers begin. These are, by the kind that stands first,
    a uniform field    g
    a distant body     GM, whether tidal, whether on an orbit, the orbit (or c and zeros), the block of each body's shape
    a potential        for each body whether it acts on it

A place that is a function of time is written where that of a body at rest is read, before the forces are evaluated; so
only a user's own function is compiled anew, and all the rest is found in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.parameters import ParameterLayout
from ...geometry.vectors import Matrix, Vector, add, apply_transposed, dot, negate, scale, subtract
from ...gravity.dispatch import SECOND_ORDER
from ...gravity.expansion import expansion
from ...gravity.kepler_equation import eccentric_anomaly
from ...gravity.second_order import second_order
from ...scalars import Lanes, compiled, cos, kernel, par, par3, sin, sqrt
from ...scalars.functions import overloads
from ...scalars.protocol import par_int
from ..inputs.sympy_kernels import kernel_from_text

UNIFORM, DISTANT, POTENTIAL = range(3)  # the kinds
LIST = ParameterLayout(count=1)
# behind a potential come its named parameters and on which bodies it acts
UNIFORM_NUMBERS, POTENTIAL_NUMBERS = ParameterLayout(kind=1, g=3), ParameterLayout(kind=1)
ORBIT_NUMBERS = ParameterLayout(centre=3, P=3, Q=3, eccentricity=1, rate=1, anomaly=1, iterations=1)
# `named`: where its named parameters begin; behind a distant body come the places of the bodies' shapes
DISTANT_NUMBERS = ParameterLayout(kind=1, strength=1, tidal=1, on_orbit=1, named=1, orbit=ORBIT_NUMBERS.size)
FIRST, BLOCKS, BEHIND_POTENTIAL = LIST.end, DISTANT_NUMBERS.end, POTENTIAL_NUMBERS.end
(FIELD,) = UNIFORM_NUMBERS.offsets("g")
STRENGTH, TIDAL, ON_ORBIT, NAMED, ORBIT = DISTANT_NUMBERS.offsets("strength", "tidal", "on_orbit", "named", "orbit")
CENTRE, AXIS_P, AXIS_Q = ORBIT_NUMBERS.offsets("centre", "P", "Q")
ECCENTRICITY, RATE, ANOMALY, ITERATIONS = ORBIT_NUMBERS.offsets("eccentricity", "rate", "anomaly", "iterations")


@kernel
def orbit_place(centre: Vector, P: Vector, Q: Vector, e: Any, rate: Any, start: Any, iterations: int, t: Any) -> Vector:
    """Where a body on a Kepler ellipse is: P towards the periapsis as long as the semimajor axis, Q the other one."""
    E = eccentric_anomaly(start + rate * t, e, iterations)
    return add(centre, add(scale(cos(E) - e, P), scale(sin(E), Q)))


@kernel
def monopole(mu: Any, x: Vector, c: Vector, tidal: int) -> tuple[Any, Vector]:
    """W and ∂W/∂x of a point at x with GMm = mu; less what acts at the origin, if tidal."""
    d = subtract(x, c)
    r2 = dot(d, d)
    r = sqrt(r2)
    W, F = -mu / r, scale(mu / (r2 * r), d)
    if tidal > 0:
        c2, x2 = dot(c, c), dot(x, x)
        q = (x2 - 2.0 * dot(x, c)) / c2
        s = sqrt(1.0 + q)
        f = q * (3.0 + q * (3.0 + q)) / (1.0 + s * (1.0 + q))
        W = -mu / sqrt(c2) * (0.5 * q * q * (s + 2.0) / (s * (1.0 + s) * (1.0 + s)) - 0.5 * x2 / c2)
        F = scale(mu / (r2 * r), add(x, scale(f, c)))
    return W, F


@kernel
def place_of(S: Any, p: Any, at: int, t: float, zero: Any) -> Vector:
    """Where the distant body is at time t, as numbers of the state's kind."""
    o = at + ORBIT
    place = add((zero, zero, zero), par3(p, o + CENTRE, S))
    if par_int(p, at + ON_ORBIT, S) > 0:
        P, Q = par3(p, o + AXIS_P, S), par3(p, o + AXIS_Q, S)
        numbers = par(p, o + ECCENTRICITY, S), par(p, o + RATE, S), par(p, o + ANOMALY, S)
        seen = orbit_place(par3(p, o + CENTRE, S), P, Q, *numbers, par_int(p, o + ITERATIONS, S), t)
        place = add((zero, zero, zero), seen)
    return place


@compiled
def perturbation_forces(
    S: Any, t: float, i: int, m: Any, x: Vector, R: Matrix, p: Any, at: int, work: Any, w: int
) -> tuple[Any, Vector, Vector]:
    """W, ∂W/∂x and the moment, in its frame, of body i with mass m at x and attitude R: of all that is given by numbers.
    The list begins at `at`."""
    zero = 0.0 * x[0]
    W, F, M = zero, (zero, zero, zero), (zero, zero, zero)
    for k in range(par_int(p, at, S)):
        own = par_int(p, at + FIRST + k, S)
        kind = par_int(p, own, S)
        if kind == UNIFORM:
            g = par3(p, own + FIELD, S)
            W = W - m * dot(g, x)
            F = add(F, scale(-m, g))
        if kind == DISTANT:
            c = place_of(S, p, own, t, zero)
            W0, F0 = monopole(m * par(p, own + STRENGTH, S), x, c, par_int(p, own + TIDAL, S))
            block = par_int(p, own + BLOCKS + i, S)
            d = subtract(x, c)
            if par_int(p, block, S) == SECOND_ORDER:
                W1, F1, M1 = second_order(S, d, R, p, block, work, w)
            else:
                W1, F1, M1 = expansion(S, d, R, p, block, work, w)
            W = W + W0 + W1
            F = add(F, add(F0, F1))
            M = add(M, apply_transposed(R, negate(M1)))
    return W, F, M


def put_place(S: Any, p: Any, i: Any, c: Any) -> None:
    """Write three numbers among the parameters, from entry i on, the same for every lane."""
    raise TypeError("put_place works in compiled code only")


@overloads(put_place)
def _put_place(S: Any, p: Any, i: Any, c: Any) -> Any:
    members = S.instance_type.width if isinstance(S.instance_type, Lanes) else 1

    def put(S: Any, p: Any, i: Any, c: Any) -> None:
        for member in range(members):
            p[i * members + member] = c[0]
            p[(i + 1) * members + member] = c[1]
            p[(i + 2) * members + member] = c[2]

    return put


@dataclass(frozen=True)
class Functions:
    """A user's functions, to be compiled into a force.

    `update_positions(S, p, at, t)` writes the places of distant bodies. `potential_forces`, of the same signature as
    `perturbation_forces`, evaluates the user's potentials; None where there are none.
    """

    update_positions: Any
    potential_forces: Any

    @classmethod
    def of(cls, places: dict[int, Any], potentials: dict[int, tuple[Any, int]]) -> Functions:
        """From functions `(S, p, at, t) -> place`, and `(S, p, at, t, x, R) -> (W, F, M)` with how many named parameters they
        have, by their number in the list; `at` is where these begin in p."""
        lines = ["def update_positions(S, p, at, t):", "    pass"]
        for k in places:
            lines.append(f"    own = par_int(p, at + {FIRST + k}, S)")
            lines.append(f"    put_place(S, p, own + {ORBIT + CENTRE}, f{k}(S, p, par_int(p, own + {NAMED}, S), t))")
        names = {"put_place": put_place, "par_int": par_int} | {f"f{k}": f for k, f in places.items()}
        update_positions = kernel_from_text("update_positions", lines, names)
        if not potentials:
            return cls(update_positions, None)
        lines = ["def potential_forces(S, t, i, m, x, R, p, at, work, w):", "    zero = 0.0 * x[0]"]
        lines.append("    W, F, M = zero, (zero, zero, zero), (zero, zero, zero)")
        for k, (_, named) in potentials.items():
            lines.append(f"    own = par_int(p, at + {FIRST + k}, S) + {BEHIND_POTENTIAL}")
            lines.append(f"    if par_int(p, own + {named} + i, S) > 0:")
            lines.append(f"        w{k}, f{k}, m{k} = U{k}(S, p, own, t, x, R)")
            lines.append(f"        W, F, M = W + w{k}, add(F, f{k}), add(M, m{k})")
        lines.append("    return W, F, M")
        names = {"add": add, "par_int": par_int} | {f"U{k}": U for k, (U, _) in potentials.items()}
        return cls(update_positions, kernel_from_text("potential_forces", lines, names))
