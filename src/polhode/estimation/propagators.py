"""How a filter predicts its estimate from one measurement to the next: the state, and the matrix Φ for the covariance.

The error is (δθ, δω): `R_true = R exp S(δθ)`, `ω_true = ω + δω`, both in the body frame. `Stepped` uses any compiled
method with substeps, and takes Φ from the tangent of the very steps it makes (run on dual numbers). `FirstOrder` makes
the same steps and takes `Φ = 1 + F T`, as textbook filters do, with F of the continuous motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import ceil, isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.callbacks import watch_callbacks
from ..core.finite_differences import OFFSETS, WEIGHTS
from ..core.method import Run, Start
from ..core.representation import Form
from ..core.system import State, System
from ..errors import InvalidInputError, PolhodeError
from ..geometry import so3
from ..methods import LGVI, Method
from ..scalars import duals
from ..simulation.arguments import finite_number
from ..simulation.driver import run_without_warnings
from ..systems.attitude.base import AttitudeSystem
from ..systems.attitude.general import GeneralBody
from ..systems.spacecraft.damped_gyrostat import DampedGyrostat
from ..systems.stability.tangent_dynamics import rate_and_matrix

Array = NDArray[np.float64]

MOST_DIRECTIONS = 12  # that one run on duals carries


class Propagator(Protocol):
    """Anything that predicts: the state after `dt`, and Φ (6×6) of the error (δθ, δω) over it."""

    def __call__(self, state: State, dt: float) -> tuple[State, Array]: ...


def _body(state: State) -> AttitudeSystem:
    if not isinstance(state, State):
        raise InvalidInputError("state", state, "a state made by system.state(...) or a trajectory's final state")
    if not isinstance(state.system, AttitudeSystem):
        raise PolhodeError(f"a filter of the attitude needs a system on SO(3), not {type(state.system).__name__}")
    if isinstance(state.system, DampedGyrostat):
        raise PolhodeError(
            "a filter of attitude and rate cannot be used with a damper: it does not estimate the rate of the damper"
        )
    if isinstance(state.system, GeneralBody):
        raise PolhodeError("a filter needs a kinetic energy that is quadratic in the rate: use AttitudeBody")
    return state.system


def on_group(state: State) -> State:
    """The state with its attitude brought back to a rotation: methods that leave the group need it."""
    if not np.linalg.norm(state.R.T @ state.R - np.eye(3)) < 1.0:
        raise PolhodeError(
            f"the filter diverged: at t = {state.t:g} the attitude of its method is no longer near a rotation; "
            "use shorter substeps, or a method that stays on the group, such as LGVI()"
        )
    return _body(state).moved(state, so3.project(state.R), state.omega)


@dataclass(frozen=True)
class Stepped:
    """Substeps of at most `substep` with `method`, and the product of their exact tangents."""

    method: Method = field(default_factory=LGVI)
    substep: float = 1.0
    # the run to set out with again, if there is one
    _idle: dict[str, Run] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Stepped, (self.method, self.substep)

    def __call__(self, state: State, dt: float) -> tuple[State, Array]:
        system, (final, tangent) = _body(state), _steps(state, dt, self, tangent=True)
        momentum = tangent[3:6, :6] if len(tangent) == 6 else tangent[3:6, :6] - tangent[6:9, :6]  # less the rotors'
        turns = _slope_matters(state, self.method)
        if turns:
            momentum = momentum - _by_attitude(_linear_term(system), final.R) @ tangent[:3, :6]
        Phi = np.empty((6, 6))  # first of (δθ, δΠ); rotors' momentum that is part of the state is known at the start
        Phi[:3], Phi[3:] = tangent[:3, :6], system.inertia.inverse @ momentum
        if turns:
            Phi[:, :3] += Phi[:, 3:] @ _by_attitude(_linear_term(system), state.R)
        Phi[:, 3:] = Phi[:, 3:] @ system.inertia.matrix
        return final, Phi


@dataclass(frozen=True)
class FirstOrder:
    """Substeps of at most `substep` with `method`; `Φ = 1 + F h` for each."""

    method: Method
    substep: float = np.inf

    def __post_init__(self) -> None:
        _check(self)

    def __call__(self, state: State, dt: float) -> tuple[State, Array]:
        Phi, count = np.eye(6), _count(dt, self.substep)
        for _ in range(count):
            Phi = (np.eye(6) + motion_matrix(state) * (dt / count)) @ Phi
            state, _ = _steps(state, dt / count, self, tangent=False)
        return state, Phi


def motion_matrix(state: State) -> Array:
    """F of `ẋ = F x` for the error x = (δθ, δω) near a state, with all torques: that of (δθ, δΠ), in other variables.

    From `J δω = δΠ − δA − δρ` with `δA = A′ δθ`, where `A′` turns with the body: `J δω̇ = δΠ̇ − A′ δθ̇ − Ȧ′ δθ − δρ̇`.
    """
    system = _body(state)
    J, y = system.inertia.matrix, system.enter(Form.DEFAULT, state)
    _, A = rate_and_matrix(system.representations[Form.DEFAULT], y, system.parameters(), state.t)
    slope, turning = np.zeros((3, 3)), np.zeros((3, 3))
    if _term_turns(system, state.R):
        term = _linear_term(system)
        slope = _by_attitude(term, state.R)
        turning = _by_attitude(lambda R: _by_attitude(term, R), state.R) @ state.omega
    into = np.eye(6)
    into[3:, :3], into[3:, 3:] = slope, J
    A = A[:, :6] @ into
    rotors = A[6:9] if len(A) == 9 else 0.0
    rate = A[3:6] - slope @ A[:3] - rotors - turning @ np.eye(3, 6)
    return np.concatenate([A[:3], np.linalg.solve(J, rate)])


def _slope_matters(state: State, method: Method) -> bool:
    """Whether the momentum in which the method steps depends on the attitude at a constant rate: as `Π = Jω + A(R)` does,
    and P = Jω does not."""
    system = _body(state)
    names = system.representations[method.representation].layout.slices
    if "P" not in names and "Pi" not in names:
        raise PolhodeError(
            f"a filter needs a method in the attitude and the momentum Pi; {method!r} uses other variables"
        )
    return "P" not in names and _term_turns(system, state.R)


def _term_turns(system: AttitudeSystem, R: Array) -> bool:
    """Whether A in `Π = Jω + A(R)` depends on R: of a stack of attitudes there is then a stack of it."""
    return np.ndim(system.linear_term(R[None])) > 1


def _linear_term(system: AttitudeSystem) -> Callable[[Array], Array]:
    return lambda R: np.broadcast_to(system.linear_term(R), R.shape[:-1])


def _by_attitude(function: Callable[[Array], Array], R: Array, size: float = 4e-3) -> Array:
    """The derivative of `function(R exp S(ξ))` by ξ, as a last axis, from central differences of order 8."""
    weights = np.array(WEIGHTS[::2]) / size  # of the points ahead
    ways = size * np.array(OFFSETS[::2])[:, None, None] * np.eye(3)
    ahead, behind = (
        function(R @ so3.exp(sign * ways).reshape(4, 3, *(1,) * (R.ndim - 2), 3, 3)) for sign in (1.0, -1.0)
    )
    return np.moveaxis(np.tensordot(weights, ahead - behind, 1), 0, -1)


def _check(how: Stepped | FirstOrder) -> None:
    if not isinstance(how.method, Method):
        raise InvalidInputError("method", how.method, "a method, such as LGVI()")
    endless = isinstance(how.substep, float) and how.substep == np.inf
    if not (endless or (finite_number(how.substep) and how.substep > 0)):
        raise InvalidInputError("substep", how.substep, "a positive number, or inf for one step")


def _count(dt: float, substep: float) -> int:
    return max(1, ceil(abs(dt) / substep * (1 - 1e-12)))


def _steps(state: State, dt: float, how: Stepped | FirstOrder, *, tangent: bool) -> tuple[State, Array]:
    count = _count(dt, how.substep)
    found = _few_steps(state, dt / count, count, how) if tangent and isinstance(how, Stepped) else None
    if found is None:
        run = run_without_warnings(
            state, step=dt / count, steps=count, save_every=count, method=how.method, tangent=tangent
        )
        found = run.final, run.tangent[-1] if run.tangent is not None else np.eye(6)
    final, matrix = found
    return (final if how.method.preserves_group else on_group(final)), matrix


def _few_steps(state: State, step: float, count: int, how: Stepped) -> tuple[State, Array] | None:
    """The state after so many steps and their tangent, as `simulate` finds them, without what only a long run needs. None
    where something is amiss: `simulate` then says what."""
    system, method = state.system, how.method
    dimension = system.representations[method.representation].layout.dimension if _fits(method, system) else 0
    if not 0 < dimension <= MOST_DIRECTIONS or not isfinite(step):
        return None
    kind, directions = _duals(dimension), slice(0, dimension)
    with watch_callbacks():
        start = Start.of(state, step, method.representation, kind, directions)
        run = how._idle.pop("run", None)  # taken out, so that no other thread has it meanwhile
        if run is None or not run.set_out(start):
            run = method.run(start)
        status, _ = run.advance(0, count, count + 1, np.empty((0, run.row_size)))
    row = run.row
    if status or not np.isfinite(row).all():
        return None
    entries = run.states(row[None]).reshape(run.layout.size, 1 + dimension)
    y = entries[:, 0]
    how._idle["run"] = run
    return State(system, run.layout.unpack(y), state.t + count * step), run.layout.coordinates_at(y, entries[:, 1:])


_duals = cache(duals)


def _fits(method: Method, system: System) -> bool:
    return not method.adaptive and method.representation in system.representations and method.why_not(system) is None
