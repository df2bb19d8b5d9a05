"""The linearised motion about an equilibrium, or a relative equilibrium, of any system, from dual numbers.

A motion is followed in the coordinates of the layout's tangent basis: for a rotation, `R = R_e(t) exp(S(ξ))`. With
`v = vee(RᵀṘ)` this gives `ξ̇ = δv − [v, ξ]`: about a steady rotation the frame turns with the body, and the coefficients
are constant. The derivative of the right-hand side is the exact one of the compiled flows.

A verdict is reached by Lagrange and Dirichlet's theorem: where the second variation of the (augmented) energy, `Ω A`
with the symplectic form Ω and the matrix A, has one sign, the equilibrium is stable. For a steady motion it need have one
sign only where the momentum maps keep their values, and up to the motion itself (the energy–momentum method). Where an
eigenvalue has a positive real part, it is unstable; otherwise all that the linearisation can say is that it is
spectrally stable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, PolhodeError
from ..geometry.layout import Layout
from ..scalars import compiled, double, duals
from .base import Representation, State, System

Array = NDArray[np.float64]
STEADY = 1e-8  # how steady a state must be, relative to its rates
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


@compiled
def _call(S, flow, y, p, t, out):  # type: ignore[no-untyped-def]
    return flow(S, y, p, t, 0.0, out)


def slope_and_derivative(
    representation: Representation, y: Array, seeds: Array, p: Array, t: float, *, force_only: bool = False
) -> tuple[Array, Array]:
    """dy/dt at y, or the part of it that the force makes, and its derivatives along the columns of `seeds`."""
    layout, rhs, force = representation.layout, representation.rhs, representation.force
    if rhs is None:
        raise PolhodeError("this system offers no right-hand side to linearise")
    columns = seeds.shape[1]
    kind = duals(columns) if columns else double
    entries = np.zeros((layout.size + representation.forces + representation.workspace, 1 + columns))
    entries[: layout.size, 0], entries[: layout.size, 1:] = y, seeds
    flat, out = entries.reshape(-1), np.zeros(layout.size * (1 + columns))
    if not force_only:
        _call(kind, rhs.on(kind), flat, p, t, out)
    slope = out.reshape(layout.size, 1 + columns)
    if force is not None:
        _call(kind, force.on(kind), flat, p, t, np.zeros(4))
        slope[layout.kicked] += flat.reshape(entries.shape)[layout.size : layout.size + representation.forces]
    return slope[:, 0], slope[:, 1:]


def linearize(state: State, name: str = "matrix") -> Linearization:
    """Linearise the motion of `state.system` about `state`, which must be an equilibrium or a relative one."""
    system = state.system
    representation = system.representations[name]
    y, p = system.enter(name, state), system.parameters()
    v, A = _rate_and_matrix(representation, y, p, state.t)
    _check_steady(state, representation.layout, v, A)
    eigenvalues: NDArray[np.complex128] = np.linalg.eigvals(A).astype(np.complex128)
    order = np.lexsort((eigenvalues.imag, eigenvalues.real))
    verdict, explanation = _verdict(system, name, y, v, A, eigenvalues, p, state.t)
    return Linearization(state, A, eigenvalues[order], verdict, explanation)


def _rate_and_matrix(representation: Representation, y: Array, p: Array, t: float) -> tuple[Array, Array]:
    """The rate v in the coordinates of the tangent basis at y, and the matrix A of `ẋ = A x`."""
    layout = representation.layout
    basis, width = layout.basis(y), min(layout.dimension, 6)
    columns: list[Array] = []
    slope = np.zeros(layout.size)
    for first in range(0, layout.dimension, width):
        seeds = np.zeros((layout.size, width))  # the last block may be short: zeros fill it up
        block = basis[:, first : first + width]
        seeds[:, : block.shape[1]] = block
        slope, changes = slope_and_derivative(representation, y, seeds, p, t)
        columns += [layout.coordinates(y, changes[:, j]) for j in range(block.shape[1])]
    v = layout.coordinates(y, slope)
    # reading δ(RS(v)) in coordinates gives δv + ½ ξ × v; what is wanted is δv − v × ξ
    return v, np.stack(columns, axis=1) - 0.5 * np.stack(
        [layout.bracket(v, e) for e in np.eye(layout.dimension)], axis=1
    )


def is_steady(state: State, name: str = "matrix") -> bool:
    """Whether nothing moves at `state`."""
    representation = state.system.representations[name]
    y = state.system.enter(name, state)
    slope, _ = slope_and_derivative(representation, y, np.zeros((y.size, 0)), state.system.parameters(), state.t)
    return bool(np.abs(slope).max() <= STEADY)


def _check_steady(state: State, layout: Layout, v: Array, A: Array) -> None:
    """In a relative equilibrium the momenta stay and so does the rate: `v̇ = A v` vanishes."""
    momenta = v[_momenta(layout)]
    size = 1.0 + np.abs(v).max() + np.abs(A).max()
    off = max(np.abs(momenta).max(initial=0.0), np.abs(A @ v).max() / (1.0 + np.abs(v).max()))
    if not off <= STEADY * size:
        raise InvalidInput("state", state, f"an equilibrium or a relative one; here the rates change by {off:.2g}")


def _momenta(layout: Layout) -> slice:
    """The coordinates of the kicked variables."""
    dimensions = np.cumsum([0, *(v.manifold.dimension for v in layout.variables)])
    kicked = [i for i, v in enumerate(layout.variables) if v.kicked]
    return slice(int(dimensions[kicked[0]]), int(dimensions[kicked[-1] + 1])) if kicked else slice(0, 0)


def _verdict(
    system: System, name: str, y: Array, v: Array, A: Array, eigenvalues: NDArray[np.complex128], p: Array, t: float
) -> tuple[str, str]:
    scale = max(float(np.abs(eigenvalues).max()), 1e-300)
    growth = float(eigenvalues.real.max())
    if growth > ZERO * scale:
        return "unstable", f"a disturbance grows as exp({growth:.6g} t)"
    if growth < -ZERO * scale:
        return "stable", f"every disturbance decays, at least as exp({growth:.6g} t)"
    if system.hamiltonian:
        try:
            form = system.symplectic_form(name, y)
        except PolhodeError:
            form = None
        if form is not None:
            hessian = 0.5 * (form @ A + (form @ A).T)
            values, vectors = np.linalg.eigh(hessian)
            size = np.abs(values).max()
            null = np.abs(values) <= ZERO * size
            one_sign = np.all(values[~null] > 0) or np.all(values[~null] < 0)
            if one_sign and not null.any():
                return "stable", "the energy has a strict extremum here"
            at_rest = not np.any(np.abs(v) > STEADY)
            if one_sign and at_rest and _is_family(system.representations[name], y, vectors[:, null], p, t):
                return (
                    "stable",
                    f"the energy has an extremum here, up to drift along a family of {null.sum()} dimensions",
                )
            if not at_rest and _is_formally_stable(hessian, _momentum_slopes(system, name, y), v):
                return "stable", "the energy has an extremum here at fixed momentum, up to a shift along the motion"
    return "spectrally stable", "no eigenvalue has a positive real part; more the linearisation does not say"


def _is_family(representation: Representation, y: Array, directions: Array, p: Array, t: float) -> bool:
    """Whether the equilibrium at y belongs to a family of them along every one of these directions: Newton's method finds
    another one from some way along it, and not the same again."""
    layout = representation.layout
    for direction in directions.T:
        for length in (0.3, -0.2):
            moved = layout.retract(y, length * direction)
            for _ in range(12):
                v, A = _rate_and_matrix(representation, moved, p, t)
                if np.abs(v).max() <= 1e-10:
                    break
                moved = layout.retract(moved, np.asarray(np.linalg.lstsq(A, -v, rcond=1e-6)[0], np.float64))
            else:
                return False
            if layout.distance(moved, y) < 0.1 * abs(length):
                return False
    return True


def _momentum_slopes(system: System, name: str, y: Array) -> Array:
    """The derivatives of the kept momentum maps by the coordinates at y, as rows."""
    layout = system.representations[name].layout
    names = [key for key, kept in system.conserved.items() if kept.kind == "momentum"]

    def momenta(x: Array) -> Array:
        kept = system.invariants(layout.unpack(layout.retract(y, x)))
        return np.concatenate([np.zeros(0), *(np.atleast_1d(kept[key]) for key in names)])

    h = 1e-5
    columns = [(momenta(h * e) - momenta(-h * e)) / (2.0 * h) for e in np.eye(layout.dimension)]
    return np.stack(columns, axis=1)


def _is_formally_stable(hessian: Array, slopes: Array, v: Array) -> bool:
    """Whether the second variation has one sign on the disturbances that change no momentum, but for those along v."""
    along = v / np.linalg.norm(v)
    _, sizes, rows = np.linalg.svd(np.vstack([slopes, along]))
    rank = int(np.sum(sizes > 1e-7 * sizes[0]))
    within = rows[rank:]
    values = np.linalg.eigvalsh(within @ hessian @ within.T)
    large = np.abs(values) > ZERO * np.abs(hessian).max()
    return bool(np.all(large) and (np.all(values > 0.0) or np.all(values < 0.0)) and values.size)
