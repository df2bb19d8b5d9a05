"""The programs of others, on the same motions. Each is used where it is installed; none is needed.

heyoka is under the MPL and REBOUND under the GPL: they are never installed by polhode, only used where the user has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.method import Start
from ..core.system import State
from ..methods.loops import RightHandSide
from .motions import End, Motion
from .yardstick import NoCompilerError, compiler

Array = NDArray[np.float64]
Run = tuple[str, str, Callable[[], Any], Callable[[Any], End]]  # solver, setting, run, and where the bodies are
TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14)


@dataclass(frozen=True)
class Peer:
    """A program: the module that must be there, how it is installed, its runs on a motion, if it takes part in those, and
    whether they are done in threads of its own."""

    name: str
    module: str
    install: str
    runs: Callable[[Motion], Iterator[Run]] | None = None
    threads: bool = False

    def missing(self) -> str:
        """Why it is left out, in one line; nothing where it can be used."""
        if self.name == "c":
            try:
                compiler()
            except NoCompilerError as error:
                return f"c: {error}; the yard-stick is polhode's own step on doubles"
            return ""
        if find_spec(self.module) is None:
            return f"{self.name} is not installed: left out ({self.install})"
        return ""

    @property
    def version(self) -> str:
        """The version of the installed package."""
        try:
            return version(self.module) if self.module else ""
        except PackageNotFoundError:
            return ""


def scipy_runs(motion: Motion) -> Iterator[Run]:
    """SciPy's DOP853, on equations in Python and on our compiled right-hand side."""
    from scipy.integrate import solve_ivp

    def run(rates: Callable[[float, Array], Any], start: Array, tolerance: float) -> Array:
        span = (0.0, motion.duration)
        found: Array = solve_ivp(rates, span, start, "DOP853", [span[1]], rtol=tolerance, atol=tolerance).y[:, -1]
        return found

    system, start = motion.state.system, Start.of(motion.state, 0.0)
    ours = RightHandSide(start)

    def end(y: Array) -> End:
        return motion.of_state(State(system, start.representation.layout.unpack(y), motion.duration))

    for tolerance in TOLERANCES[1:8:2]:
        setting = f"{tolerance:g}"
        yield "SciPy DOP853, our rates", setting, partial(run, ours, start.y, tolerance), end
        if motion.rates is not None:
            python = partial(run, lambda t, y: motion.rates(y.tolist()), motion.start, tolerance)  # type: ignore[misc]
            yield "SciPy DOP853", setting, python, motion.of_numbers


def heyoka_runs(motion: Motion) -> Iterator[Run]:
    """heyoka's Taylor method on the same equations."""
    import heyoka

    if motion.rates is None:
        return
    names = heyoka.make_vars(*(f"y{i}" for i in range(motion.start.size)))
    rates = [heyoka.expression(0.0) + rate for rate in motion.rates(names)]

    def run(integrator: Any) -> Array:
        integrator.time = 0.0
        integrator.state[:] = motion.start
        integrator.propagate_until(motion.duration)
        found: Array = integrator.state.copy()
        return found

    for tolerance in (*TOLERANCES[1:], 1e-15):
        integrator = heyoka.taylor_adaptive(list(zip(names, rates, strict=True)), motion.start, tol=tolerance)
        yield "heyoka", f"{tolerance:g}", partial(run, integrator), motion.of_numbers


def diffrax_runs(motion: Motion) -> Iterator[Run]:
    """diffrax' Dopri8 on the same equations, compiled by JAX in double precision."""
    import diffrax
    import jax
    import jax.numpy as jnp

    if motion.rates is None:
        return
    jax.config.update("jax_enable_x64", True)
    rates = motion.rates
    term = diffrax.ODETerm(lambda t, y, args: jnp.stack([jnp.asarray(rate) for rate in rates(list(y))]))
    start = jnp.asarray(motion.start)

    @jax.jit
    def solve(y: Any, tolerance: Any) -> Any:
        steps = diffrax.PIDController(rtol=tolerance, atol=tolerance)
        return diffrax.diffeqsolve(
            term, diffrax.Dopri8(), 0.0, motion.duration, None, y, stepsize_controller=steps, max_steps=10**6
        ).ys[-1]

    for tolerance in TOLERANCES[1::2]:
        yield "diffrax Dopri8", f"{tolerance:g}", partial(_ready, solve, start, tolerance), motion.of_numbers


def _ready(solve: Callable[..., Any], *arguments: Any) -> Array:
    """The result of JAX, once it is there."""
    return np.asarray(solve(*arguments))


def rebound_runs(motion: Motion) -> Iterator[Run]:
    """REBOUND's Bulirsch–Stoer on a user's equations, compiled by Numba."""
    import rebound
    from numba import cfunc, types
    from rebound.ode import ODEDER

    from .equations import compiled_rates

    if motion.rates is None:
        return
    rates, doubles = compiled_rates(motion), types.CPointer(types.float64)

    @cfunc(types.void(types.voidptr, doubles, doubles, types.float64))
    def derivatives(ode, dy, y, t):  # type: ignore[no-untyped-def]
        rates(y, dy)

    call = ODEDER(derivatives.address)

    def run(tolerance: float) -> Array:
        simulation = rebound.Simulation()
        simulation.integrator = "bs"
        settings = getattr(simulation, "ri_bs", simulation.integrator)  # before and since version 5
        settings.eps_rel = settings.eps_abs = tolerance
        ode = simulation.create_ode(length=motion.start.size, needs_nbody=False)
        ode._derivatives = call
        np.ctypeslib.as_array(ode.y, motion.start.shape)[:] = motion.start
        simulation.integrate(motion.duration)
        return np.ctypeslib.as_array(ode.y, motion.start.shape).copy()  # elsewhere than before

    run.keep = derivatives  # type: ignore[attr-defined]  # the machine code must outlive its address
    for tolerance in TOLERANCES[1::2]:
        yield "REBOUND BS", f"{tolerance:g}", partial(run, tolerance), motion.of_numbers


def numbalsoda_runs(motion: Motion) -> Iterator[Run]:
    """LSODA and DOP853 in Fortran and C++, on the same equations, compiled by Numba."""
    import numbalsoda
    from numba import cfunc

    from .equations import compiled_rates

    if motion.rates is None:
        return
    rates = compiled_rates(motion)

    @cfunc(numbalsoda.lsoda_sig)
    def derivatives(t, y, dy, p):  # type: ignore[no-untyped-def]
        rates(y, dy)

    span = np.array([0.0, motion.duration])

    def run(solver: Any, tolerance: float) -> Array:
        found, success = solver(derivatives.address, motion.start, span, rtol=tolerance, atol=tolerance)
        return np.asarray(found[-1]) if success else np.full(motion.start.size, np.nan)

    for name, solver in (("numbalsoda LSODA", numbalsoda.lsoda), ("numbalsoda DOP853", numbalsoda.dop853)):
        for tolerance in TOLERANCES[1:8:2]:
            yield name, f"{tolerance:g}", partial(run, solver, tolerance), motion.of_numbers


PEERS = {
    peer.name: peer
    for peer in (
        Peer("c", "", "a C and a C++ compiler"),
        Peer("heyoka", "heyoka", "pip install heyoka; MPL-2.0", heyoka_runs),
        Peer("diffrax", "diffrax", "pip install 'polhode[bench]'", diffrax_runs, threads=True),
        Peer("rebound", "rebound", "pip install rebound; GPL-3", rebound_runs),
        Peer("numbalsoda", "numbalsoda", "pip install numbalsoda, which needs a Fortran compiler", numbalsoda_runs),
        Peer("scipy", "scipy", "pip install scipy", scipy_runs),
    )
}
