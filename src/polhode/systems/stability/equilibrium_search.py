"""Attitudes at which moments balance, found by Newton's method: from starts that a system knows, then from random ones.

What counts as no moment is measured, so that it has the moment's own units and knows its rounding: some times that by
which its change over a turn of 1e-7 departs from its derivative. Random starts, always the same ones, go on until many
in a row have brought nothing new; longer as long as the indices of isolated zeros, the signs of the determinants, do not
add up to 0, the Euler number of SO(3). Of a family of solutions, where the derivative has a null direction more than the
symmetry makes, those from the given starts are members enough, and others only well apart from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, permutations, product
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...bodies.inertia import Inertia
from ...core.representation import Form
from ...core.system import System
from ...geometry import so3, unchecked
from .tangent_dynamics import slope_and_derivative

Array = NDArray[np.float64]
Balance = Callable[[Array], tuple[Array, Array]]
"""Of attitudes (n, 3, 3): what shall vanish, 3n numbers, and its derivative along `R exp(S(ξ))`, (3n, 3n)."""

GENERATORS = so3.hat(np.eye(3))
SEED, PROBES, TURN = 1, 12, 1e-7
RESOLUTION = 10.0  # zero is what is below so many times the measured departure
PATIENCE, MOST_STARTS, MOST_ITERATIONS = 30, 400, 30
SAME, NULL = 1e-6, 1e-6
SPACING = 0.6  # of further members of a family: less than what is between opposite directions, in entries of matrices


class BodyInPotential(Protocol):
    """What the search for attitudes of rest asks of a system, beside what every system has."""

    inertia: Inertia

    def potential_energy(self, R: Array) -> Array:
        """U at attitudes (..., 3, 3)."""
        ...


def resting_attitudes(system: BodyInPotential, frames: Iterable[Array] = ()) -> list[Array]:
    """The attitudes with no moment; of a family of them, some members. The starts bring the axes of the body to
    those of space, then its principal axes to those of space and of `frames` (orthogonal matrices, axes as columns)."""
    cube, principal = np.array(cube_attitudes())[:, None], right_handed(system.inertia.axes)
    further = [R for B in (np.eye(3), *map(right_handed, frames)) for R in B @ cube @ principal.T]
    found = balanced_attitudes(
        moments_at_rest(cast(System, system)),
        list(cube),
        further,
        lambda R: float(system.potential_energy(R[0])),
        attitude_distance,
    )
    return [R[0] for R in found]


def moments_at_rest(system: System) -> Balance:
    """The moments at rest; attitudes come first in the state. A moment that depends on the momenta does so by the rate, and
    then those of a body at rest are the same at all attitudes."""
    representation, p = system.representations[Form.DEFAULT], system.parameters()
    rest, kicked = system.enter(Form.DEFAULT, system.state()), representation.layout.kicked

    def moments(R: Array) -> tuple[Array, Array]:
        y, columns, M = rest.copy(), [], np.zeros(0)
        y[: R.size] = R.reshape(-1)
        for i, tangents in enumerate((R[:, None] @ GENERATORS).reshape(-1, 3, 9)):
            seeds = np.zeros((y.size, 3))
            seeds[9 * i : 9 * i + 9] = tangents.T
            slope, changes = slope_and_derivative(representation, y, seeds, p, 0.0, force_only=True)
            M = slope[kicked]
            columns.append(changes[kicked])
        return M, np.hstack(columns)

    return moments


def balanced_attitudes(
    balance: Balance,
    starts: Sequence[Array],
    further: Sequence[Array],
    energy: Callable[[Array], float],
    distance: Callable[[Array, Array], float],
    symmetry: int = 0,
    complete: bool = False,
) -> list[Array]:
    """The attitudes (n, 3, 3) where `balance` vanishes: from `starts`, then from `further` ones and from random ones, which
    add to a family already known only members well apart.

    `energy`: what is the same all over a family; `distance`: how far two sets of attitudes are from being the same;
    `symmetry`: how many null directions there are by symmetry; `complete`: the starts are known to lead to all.
    """
    random, n = np.random.default_rng(SEED), len(starts[0])
    zero, size, acts = resolution(balance, random, n)
    found: list[Array] = []
    families: list[float] = []
    idle, index = -len(starts) - len(further), 0.0
    for R in starts if complete or not acts else chain(starts, further, random_attitudes(random, MOST_STARTS, n)):
        missing = index != 0.0 and not families and not symmetry
        if idle >= (8 * PATIENCE if missing else PATIENCE):
            break
        idle += 1
        arrived = refined(balance, R, zero)
        if arrived is None:
            continue
        near = min((distance(arrived, other) for other in found), default=np.inf)
        if near <= SAME:
            continue
        slopes = balance(arrived)[1]
        sizes = np.linalg.svd(slopes, compute_uv=False)
        family, U = np.sum(sizes <= NULL * sizes[0]) > symmetry, energy(arrived)
        known = family and any(abs(U - other) <= SAME * size for other in families)
        if known and near <= SPACING and idle > -len(further):
            continue
        found.append(arrived)
        families += [U] if family else []
        index += np.linalg.slogdet(slopes)[0]
        idle = idle if known else min(idle, 0)
    return found


def resolution(balance: Balance, random: np.random.Generator, n: int) -> tuple[float, float, bool]:
    """What of `balance` counts as zero, how large its derivative is, and whether there is more of it than that."""
    departure = size = most = 0.0
    for R in random_attitudes(random, PROBES, n):
        turn = TURN * random.uniform(-1.0, 1.0, size=(n, 3))
        (here, slopes), (there, _) = balance(R), balance(R @ unchecked.rotation_exp(turn))
        departure = max(departure, float(np.abs(there - here - slopes @ turn.reshape(-1)).max()))
        size, most = max(size, float(np.abs(slopes).max())), max(most, float(np.abs(here).max()))
    zero = RESOLUTION * departure
    return zero, size, most > zero


def refined(balance: Balance, R: Array, zero: float) -> Array | None:
    """Newton's method from R, with turns of at most half a radian; None where it does not arrive."""
    for _ in range(MOST_ITERATIONS):
        off, slopes = balance(R)
        if np.abs(off).max() <= zero:
            return so3.project(R)
        step = np.linalg.lstsq(slopes, -off, rcond=1e-9)[0].reshape(-1, 3)
        longest = float(np.linalg.norm(step, axis=1).max())
        R = R @ unchecked.rotation_exp(step * min(1.0, 0.5 / longest) if longest > 0.0 else step)
    return None


def attitude_distance(R: Array, other: Array) -> float:
    """The largest difference between the entries of attitudes (n, 3, 3) and of others."""
    return float(np.abs(R - other).max())


def right_handed(axes: Array) -> Array:
    """Orthogonal axes as a rotation: all are reversed where they are left-handed."""
    return np.asarray(axes * np.sign(np.linalg.det(axes)), np.float64)


def random_attitudes(random: np.random.Generator, count: int, n: int) -> Array:
    """Sets of n attitudes each, evenly spread over the rotations: (count, n, 3, 3)."""
    q = random.normal(size=(count, n, 4))
    return unchecked.to_matrix(q / np.linalg.norm(q, axis=-1, keepdims=True))


def cube_attitudes() -> list[Array]:
    """The 24 rotations that take the coordinate axes to coordinate axes."""
    matrices = [
        np.diag(signs)[list(order)] for order in permutations(range(3)) for signs in product((1.0, -1.0), repeat=3)
    ]
    return [R for R in matrices if np.linalg.det(R) > 0]
