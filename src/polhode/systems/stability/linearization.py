"""The linearised motion about an equilibrium, or a relative equilibrium, of any system, and what it says about stability.

Where the second variation of the (augmented) energy, `Ω A` with the symplectic form Ω and the matrix A, has one sign, an
equilibrium is stable, by Lagrange and Dirichlet's theorem. For a steady motion it need have one sign only where the
momentum maps keep their values, and up to the motion itself (the energy–momentum method). Where an eigenvalue has a
positive real part, it is unstable; otherwise all that the linearisation can say is that it is spectrally stable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.layout import Layout
from ...core.representation import Form
from ...core.system import State, System
from ...errors import InvalidInputError, PolhodeError
from .tangent_dynamics import STEADY, TangentDynamics, coordinate_blocks, rate_and_matrix, tangent_dynamics
from .time_dependence import check_autonomous

Array = NDArray[np.float64]
MIXED = 3  # how many mixtures of the directions of a family are tried, for each of them
NEARBY = 0.5  # how far from where it set out, relative to the way there, Newton's method may find a member of a family
ZERO = 1e-6  # what counts as a zero eigenvalue: where zeros are defective rounding grows to its square root


@dataclass(frozen=True)
class Linearization:
    """`ẋ = matrix x` with x = (ξ, δΠ) in the coordinates of the state's layout."""

    state: State
    matrix: Array
    eigenvalues: NDArray[np.complex128]
    verdict: str
    explanation: str

    def __repr__(self) -> str:
        values = ", ".join(f"{complex(x):.6g}" for x in self.eigenvalues)
        return f"Linearization({self.verdict}: {self.explanation}; eigenvalues {values})"


def linearize(state: State, name: str = Form.DEFAULT) -> Linearization:
    """Linearise the motion of `state.system` about `state`, which must be an equilibrium or a relative one."""
    system = state.system
    y, p = system.enter(name, state), system.parameters()
    near = tangent_dynamics(system.representations[name], y, p, state.t)
    _check_steady(state, system.representations[name].layout, near)
    check_autonomous(state, system.representations[name], y, p, near)
    eigenvalues: NDArray[np.complex128] = np.linalg.eigvals(near.A).astype(np.complex128)
    if near.rate == 0.0:  # nothing acts back on itself
        eigenvalues = np.zeros_like(eigenvalues)
    order = np.lexsort((eigenvalues.imag, eigenvalues.real))
    return Linearization(state, near.A, eigenvalues[order], *_verdict(state, name, near, eigenvalues))


def _check_steady(state: State, layout: Layout, near: TangentDynamics) -> None:
    """In a relative equilibrium the momenta stay and so does the rate: `v̇ = A v` vanishes."""
    changes = near.scaled_A @ near.scaled_v / near.rate if near.rate else np.zeros_like(near.v)
    for variable, i in zip(layout.variables, coordinate_blocks(layout), strict=True):
        if variable.kicked:
            changes[i] = np.maximum(np.abs(changes[i]), np.abs(near.scaled_v[i]))
    if not near.vanishes(changes, STEADY):
        off = f", by {np.abs(changes).max() / near.rate:.2g} of their size" if near.rate else ""
        raise InvalidInputError("state", state, f"an equilibrium or a relative one; here the rates change{off}")


def _verdict(state: State, name: str, near: TangentDynamics, eigenvalues: NDArray[np.complex128]) -> tuple[str, str]:
    """ "stable", "unstable" or "spectrally stable", and why."""
    scale = max(float(np.abs(eigenvalues).max()), 1e-2 * near.rate)
    growth = float(eigenvalues.real.max())
    if growth > ZERO * scale:
        return "unstable", f"a disturbance grows as exp({growth:.6g} t)"
    if growth < -ZERO * scale:
        return "stable", f"every disturbance decays, at least as exp({growth:.6g} t)"
    if near.at_rest and _has_attracting_family(state, name, near, int(np.sum(eigenvalues.real >= -ZERO * scale))):
        return "stable", "every disturbance decays, up to drift along a family of equilibria"
    why = _extremum(state, name, near)
    if why:
        return "stable", f"the energy has {why}"
    return "spectrally stable", "no eigenvalue has a positive real part; the linearisation says no more than that"


def _has_attracting_family(state: State, name: str, near: TangentDynamics, central: int) -> bool:
    """Whether the `central` eigenvalues that do not decay are zeros that belong to a family of equilibria."""
    _, sizes, rows = np.linalg.svd(near.scaled_A)
    still = rows[sizes <= ZERO * near.rate]
    return len(still) == central and _is_family(state, name, near, still)


def _extremum(state: State, name: str, near: TangentDynamics) -> str:
    """The kind of extremum that the energy has at a state of a Hamiltonian system; nothing if it has none."""
    system, y = state.system, state.system.enter(name, state)
    if not system.hamiltonian:
        return ""
    try:
        form = system.symplectic_form(name, y)
    except PolhodeError:
        return ""
    hessian = 0.5 * (form @ near.A + (form @ near.A).T)
    unit = near.scale.copy()
    for i in coordinate_blocks(system.representations[name].layout):
        size = np.abs(hessian[i, i]).max(initial=0.0)
        if size > 0.0:
            unit[i] = 1.0 / np.sqrt(size)
    hessian = hessian * unit * unit[:, None]
    values, vectors = np.linalg.eigh(hessian)
    null = np.abs(values) <= ZERO
    if near.at_rest:
        if not (np.all(values[~null] > 0) or np.all(values[~null] < 0)):
            return ""
        if not null.any():
            return "a strict extremum here"
        directions = vectors[:, null].T * unit / near.scale
        if _is_family(state, name, near, directions):
            many = "one dimension" if null.sum() == 1 else f"{null.sum()} dimensions"
            return f"an extremum here, up to drift along a family of {many}"
    elif _is_formally_stable(hessian, _momentum_slopes(system, name, y, near) * unit / near.scale, near.v / unit):
        return "an extremum here at fixed momentum, up to a shift along the motion"
    return ""


def _is_family(state: State, name: str, near: TangentDynamics, directions: Array) -> bool:
    """Whether the equilibrium belongs to a family of them along all that these directions span, in natural units: Newton's
    method finds another one from some way along each, and along mixtures of them, near to where it set out."""
    system = state.system
    representation, y, p = system.representations[name], system.enter(name, state), system.parameters()
    layout = representation.layout
    mixtures = np.random.default_rng(0).normal(size=(MIXED * len(directions), len(directions)))
    for direction in np.vstack([directions, mixtures @ directions]) if len(directions) > 1 else directions:
        for length in (0.3, -0.2):
            along = length * direction / np.abs(direction).max()
            moved = layout.retract(y, along * near.scale)
            off = np.zeros_like(along)
            for _ in range(12):
                v, A = rate_and_matrix(representation, moved, p, state.t)
                if near.vanishes(v / near.scale, 1e-10):
                    break
                scaled = A * near.scale / near.scale[:, None]
                step = np.linalg.lstsq(scaled, -v / near.scale, rcond=ZERO)[0]
                moved, off = layout.retract(moved, np.asarray(step * near.scale, np.float64)), off + step
                if not np.abs(off).max() < NEARBY * abs(length):
                    return False
            else:
                return False
    return True


def _momentum_slopes(system: System, name: str, y: Array, near: TangentDynamics) -> Array:
    """The derivatives of the conserved momentum maps by the coordinates at y in natural units, as rows of one size."""
    layout = system.representations[name].layout
    names = [key for key, invariant in system.conserved.items() if invariant.kind == "momentum"]

    def momenta(x: Array) -> Array:
        found = system.invariants(layout.unpack(layout.retract(y, x)))
        return np.concatenate([np.zeros(0), *(np.atleast_1d(found[key]) for key in names)])

    h = 1e-5
    columns = [(momenta(h * e) - momenta(-h * e)) / (2.0 * h) for e in np.diag(near.scale)]
    return np.stack(columns, axis=1)


def _is_formally_stable(hessian: Array, slopes: Array, v: Array) -> bool:
    """Whether the second variation has one sign on the disturbances that change no momentum, but for those along v."""
    sizes = np.abs(slopes).max(initial=0.0)
    rows = np.vstack([slopes / (sizes or 1.0), v / np.linalg.norm(v)])
    _, sizes, rows = np.linalg.svd(rows)
    within = rows[int(np.sum(sizes > 1e-7 * sizes[0])) :]
    values = np.linalg.eigvalsh(within @ hessian @ within.T)
    large = np.abs(values) > ZERO
    return bool(np.all(large) and (np.all(values > 0.0) or np.all(values < 0.0)) and values.size)
