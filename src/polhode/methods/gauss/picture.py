"""The equations of motion seen from the free motion of a nearby symmetric top, in canonical variables.

An attitude is (q, p) in T*R⁴, with `π = ½ Im(p q̄)` the momentum in space and `Π = ½ Im(q̄ p)` in the body; an angle is
(u, p) in T*R² likewise; a place is (x, P). The Hamiltonian is split as H = A + B with the exactly known motion of

    A = Σ |P|²/2m + Σ b |π|²/2 + κ (e·Π)²/2,

and the step is done in the variables `w = φ^A_{−τ}(z)`, τ being the time from the middle of the step. They are canonical,
and |q|², linear and angular momenta are quadratic in them: a Gauss–Legendre method conserves these and is symplectic.
The fewer digits B has, the longer the steps and the fewer the iterations.

Let the system's own equations say `Ṙ = R S(ω)` and `Π̇`. With `n = |q|²`, `X = τ b π`, `δω = ω − bΠ − κ(e·Π) e`,
`ν = Π̇ − κ (e·Π) Π × e` and `μ = R ν`,

    q̇ = o q − ½ g q e,    ṗ = o p − ½ g p e + (2/n) (exp(−X) μ) q,    o = ½ (R δω − τ b dexp_{−X} μ),    g = τ κ e·ν.

For places `ẋ = v − P/m − τ F/m`, `Ṗ = F`; for angles `u̇ = o i u`, `ṗ = o i p + M i u/n`, `o = δω − τ b M`. So all that a
system has to give are its equations; where these have no Hamiltonian the same formulas hold, only symplecticity is lost.
"""

from __future__ import annotations

from typing import Any

from ...geometry.vectors import add_scaled, apply, cross, dot, scale, subtract, sum_of_products
from ...scalars import get, get3, get4, get9, kernel, largest, multiply_add, put, put3, put4, put9
from ..uncounted import uncounted_kernel
from .quaternion_products import (
    add4,
    from_left,
    from_right,
    plus4,
    plus_left,
    plus_right,
    rotation,
    scale4,
    twice_momenta,
)
from .turning import cosine_and_sine, doubled, half_turn, small_turn

# what a part of the state is, and the columns of a row that describes it: where it begins in w, where its configuration
# and its momentum begin in the system's array, how many numbers each has, where its constants begin, its workspace
ROTATION, ANGLE, PLACE, OTHER = range(4)
KIND, AT, CONFIGURATION, MOMENTUM, SIZE, CONSTANTS, WORK = range(7)
COLUMNS = 7
CONJUGATE = 4  # how far p lies behind q in w
B, KAPPA, AXIS, ROTATION_CONSTANTS = 0, 1, 2, 5  # where b, κ and e are among the constants of an attitude, and how many
# its workspace: X, functions of its square, 2/|q|², κ e·Π
TURN, SINE, VERSINE, CUBIC, FACTOR, ALONG, ROTATION_WORK = 0, 3, 4, 5, 6, 7, 8


@kernel
def axis_of(c: Any, k: Any) -> Any:
    """e, from the constants of an attitude, which begin at k."""
    return c[k + AXIS], c[k + AXIS + 1], c[k + AXIS + 2]


@kernel
def place_rotation(S: Any, w: Any, row: Any, c: Any, tau: Any, y: Any, work: Any) -> None:
    """Put the attitude and the body momentum at the time τ into y, and what the rates need into the workspace."""
    i, k, j = row[AT], row[CONSTANTS], row[WORK]
    q, e = get4(w, i, S), axis_of(c, k)
    twice, twice_body = twice_momenta(q, get4(w, i + CONJUGATE, S))
    pi = scale(0.5, twice)
    axial = 0.5 * dot(e, twice_body)  # e·Π, the same at all times of the free motion
    along = c[k + KAPPA] * axial
    X = scale(tau * c[k + B], pi)
    z = 0.0625 * dot(X, X)
    c1, k1 = small_turn(z)
    c2, k2 = doubled(z, c1, k1)
    s2, cosine = 1.0 - (4.0 * z) * k2, 1.0 - (4.0 * z) * c2
    c4, k4 = doubled(4.0 * z, c2, k2)
    factor = 2.0 / multiply_add(q[3], q[3], dot(q[0:3], q[0:3]))
    own_cosine, own_sine = cosine_and_sine((0.5 * tau) * along)
    # the products do not wait for the series: (s X, c) q (s' e, c')
    Xq, qe, sine = from_left(X, q), from_right(q, e), 0.5 * s2
    turned = plus4(scale4(cosine * own_cosine, q), sine * own_cosine, Xq)
    turned = plus4(plus4(turned, cosine * own_sine, qe), sine * own_sine, from_right(Xq, e))
    put9(y, row[CONFIGURATION], S, rotation(turned, factor))
    # the momentum circles e
    Pi, sine, versine = scale(0.5, twice_body), 2.0 * own_sine * own_cosine, 2.0 * own_sine * own_sine
    put3(y, row[MOMENTUM], S, add_scaled(add_scaled(Pi, sine, cross(Pi, e)), -versine, add_scaled(Pi, -axial, e)))
    put3(work, j + TURN, S, X)
    put(work, j + SINE, S, s2 * cosine)
    put(work, j + VERSINE, S, c4)
    put(work, j + CUBIC, S, k4)
    put(work, j + FACTOR, S, factor)
    put(work, j + ALONG, S, along)


@kernel
def rotation_rates(
    S: Any, w: Any, row: Any, c: Any, tau: Any, y: Any, dy: Any, work: Any, weight: Any, out: Any
) -> None:
    """The rates of q and p, times a weight."""
    i, k, j, at = row[AT], row[CONSTANTS], row[WORK], row[CONFIGURATION]
    R, Pi, X = get9(y, at, S), get3(y, row[MOMENTUM], S), get3(work, j + TURN, S)
    e, b, kappa, along = axis_of(c, k), c[k + B], c[k + KAPPA], get(work, j + ALONG, S)
    sine, versine = get(work, j + SINE, S), get(work, j + VERSINE, S)
    half = 0.5 * weight
    # RᵀṘ = S(ω)
    r, s, t = get3(dy, at, S), get3(dy, at + 3, S), get3(dy, at + 6, S)
    omega = (
        sum_of_products(R[2], r[1], R[5], s[1], R[8], t[1]),
        sum_of_products(R[0], r[2], R[3], s[2], R[6], t[2]),
        sum_of_products(R[1], r[0], R[4], s[0], R[7], t[0]),
    )
    d = apply(R, subtract(add_scaled(omega, -b, Pi), scale(along, e)))
    torque = add_scaled(get3(dy, row[MOMENTUM], S), -along, cross(Pi, e))
    mu, own = apply(R, torque), scale((-kappa * half) * tau * dot(torque, e), e)
    V = cross(X, mu)
    W = cross(X, V)
    bent = add_scaled(add_scaled(mu, -versine, V), get(work, j + CUBIC, S), W)
    o = add_scaled(scale(half, d), (-b * half) * tau, bent)
    push = scale(weight * get(work, j + FACTOR, S), add_scaled(add_scaled(mu, -sine, V), versine, W))
    q, p = get4(w, i, S), get4(w, i + CONJUGATE, S)
    put4(out, i, S, plus_left(from_right(q, own), o, q))
    put4(out, i + CONJUGATE, S, add4(plus_left(from_right(p, own), push, q), from_left(o, p)))


@kernel
def turn_freely(S: Any, w: Any, row: Any, c: Any, h: Any, out: Any) -> Any:
    """What the free motion of the symmetric top adds to q and p in the time h; returns the square of the angle."""
    i, k = row[AT], row[CONSTANTS]
    q, p, e = get4(w, i, S), get4(w, i + CONJUGATE, S), axis_of(c, k)
    twice, twice_body = twice_momenta(q, p)
    X = scale(0.5 * h * c[k + B], twice)
    square = dot(X, X)
    s, versine = half_turn(square)
    angle = (0.5 * h * c[k + KAPPA]) * dot(e, twice_body)
    own = angle * angle
    sine, versine2 = half_turn(own)
    v, f = scale(0.5 * s, X), -0.25 * square * versine
    u, g = scale(0.5 * angle * sine, e), -0.25 * own * versine2
    put4(out, i, S, turn_added(q, v, f, u, g))
    put4(out, i + CONJUGATE, S, turn_added(p, v, f, u, g))
    return square + own


@kernel
def turn_added(q: Any, v: Any, f: Any, u: Any, g: Any) -> Any:
    """`(v, 1 + f) q (u, 1 + g) − q`."""
    a = plus4(from_left(v, q), f, q)
    b = add4(a, q)
    return plus_right(plus4(a, g, b), b, u)


@kernel
def place_angle(S: Any, w: Any, row: Any, c: Any, tau: Any, y: Any, work: Any) -> None:
    """Put (cos θ, sin θ) and the momentum at the time τ into y."""
    i, k = row[AT], row[CONSTANTS]
    a, b, r, s = get4(w, i, S)
    inverse = 1.0 / (a * a + b * b)
    momentum = a * s - b * r
    angle = tau * c[k] * momentum
    square = angle * angle
    sine, versine = half_turn(4.0 * square)
    cosine, sine = 1.0 - square * versine, angle * sine
    # the length of u drifts by rounding only; one Newton step towards 1/|u| takes it out
    root = 0.5 * (1.0 + inverse)
    put(y, row[CONFIGURATION], S, root * (cosine * a - sine * b))
    put(y, row[CONFIGURATION] + 1, S, root * (cosine * b + sine * a))
    put(y, row[MOMENTUM], S, momentum)
    put(work, row[WORK], S, inverse)


@kernel
def angle_rates(S: Any, w: Any, row: Any, c: Any, tau: Any, y: Any, dy: Any, work: Any, weight: Any, out: Any) -> None:
    """The rates of u and p, times a weight."""
    i, at, b = row[AT], row[CONFIGURATION], c[row[CONSTANTS]]
    moment = get(dy, row[MOMENTUM], S)
    omega = get(y, at, S) * get(dy, at + 1, S) - get(y, at + 1, S) * get(dy, at, S)
    o = weight * (omega - b * get(y, row[MOMENTUM], S) - tau * b * moment)
    push = weight * (moment * get(work, row[WORK], S))
    u, v, r, s = get4(w, i, S)
    put4(out, i, S, (-o * v, o * u, -o * s - push * v, o * r + push * u))


@kernel
def swing_freely(S: Any, w: Any, row: Any, c: Any, h: Any, out: Any) -> Any:
    """What a turn at constant momentum adds to u and p in the time h; returns the square of the angle."""
    i = row[AT]
    a, b, r, s = get4(w, i, S)
    angle = h * c[row[CONSTANTS]] * (a * s - b * r)
    square = angle * angle
    sine, versine = half_turn(4.0 * square)
    f, sine = -square * versine, angle * sine
    put4(out, i, S, (f * a - sine * b, f * b + sine * a, f * r - sine * s, f * s + sine * r))
    return square


@uncounted_kernel
def place_parts(S: Any, w: Any, parts: Any, count: Any, c: Any, tau: Any, y: Any, work: Any) -> None:
    """Put the first `count` parts, at the time τ from the middle of the step, into the system's array."""
    for k in range(count):
        row = parts[k]
        if row[KIND] == ROTATION:
            place_rotation(S, w, row, c, tau, y, work)
        elif row[KIND] == ANGLE:
            place_angle(S, w, row, c, tau, y, work)
        elif row[KIND] == PLACE:
            for i in range(row[SIZE]):
                P = get(w, row[AT] + row[SIZE] + i, S)
                x = multiply_add(tau * c[row[CONSTANTS] + i], P, get(w, row[AT] + i, S))
                put(y, row[CONFIGURATION] + i, S, x)
                put(y, row[MOMENTUM] + i, S, P)
        else:
            for i in range(row[SIZE]):
                put(y, row[CONFIGURATION] + i, S, get(w, row[AT] + i, S))


@uncounted_kernel
def part_rates(
    S: Any, w: Any, parts: Any, count: Any, c: Any, tau: Any, y: Any, dy: Any, work: Any, weight: Any, out: Any
) -> None:
    """The rates of the first `count` parts from those of the system, `dy`, times a weight."""
    for k in range(count):
        row = parts[k]
        if row[KIND] == ROTATION:
            rotation_rates(S, w, row, c, tau, y, dy, work, weight, out)
        elif row[KIND] == ANGLE:
            angle_rates(S, w, row, c, tau, y, dy, work, weight, out)
        elif row[KIND] == PLACE:
            for i in range(row[SIZE]):
                slowness = c[row[CONSTANTS] + i]
                F, P = get(dy, row[MOMENTUM] + i, S), get(y, row[MOMENTUM] + i, S)
                beyond = get(dy, row[CONFIGURATION] + i, S) - slowness * P
                put(out, row[AT] + i, S, weight * (beyond - (tau * slowness) * F))
                put(out, row[AT] + row[SIZE] + i, S, weight * F)
        else:
            for i in range(row[SIZE]):
                put(out, row[AT] + i, S, weight * get(dy, row[CONFIGURATION] + i, S))


@uncounted_kernel
def move_freely(S: Any, w: Any, parts: Any, count: Any, c: Any, h: Any, out: Any) -> Any:
    """What the free motion adds to the first `count` parts in the time h; returns the square of the largest angle."""
    widest = 0.0 * get(w, 0, S)
    for k in range(count):
        row = parts[k]
        if row[KIND] == ROTATION:
            widest = largest(widest, turn_freely(S, w, row, c, h, out))
        elif row[KIND] == ANGLE:
            widest = largest(widest, swing_freely(S, w, row, c, h, out))
        elif row[KIND] == PLACE:
            for i in range(row[SIZE]):
                P = get(w, row[AT] + row[SIZE] + i, S)
                put(out, row[AT] + i, S, (h * c[row[CONSTANTS] + i]) * P)
                put(out, row[AT] + row[SIZE] + i, S, 0.0)
        else:
            for i in range(row[SIZE]):
                put(out, row[AT] + i, S, 0.0)
    return widest
