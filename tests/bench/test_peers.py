"""Programs of others are left out where they are not installed, and solve the same motion where they are."""

from __future__ import annotations

import ctypes
import sys
import types

import numpy as np
import pytest

import polhode as ph
from polhode.bench import peers
from polhode.bench.accuracy import truth_of
from polhode.bench.motions import dumbbells, error, free_body
from polhode.bench.peers import PEERS
from polhode.bench.run import run_benchmark


def test_what_is_missing_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    lines = [peer.missing() for peer in PEERS.values()]
    assert all(lines)
    assert not any("\n" in line for line in lines)
    assert "GPL" in PEERS["rebound"].missing()


def test_an_unknown_peer_is_named() -> None:
    with pytest.raises(ph.InvalidInputError, match="peer = 'matlab': expected one of c, heyoka"):
        run_benchmark(["free_body"], ["matlab"])


def test_scipy_solves_the_same_motion() -> None:
    motion = free_body()
    truth = truth_of(motion)
    solvers = set()
    for solver, setting, run, where in PEERS["scipy"].runs(motion):
        if setting == "1e-08":
            solvers.add(solver)
            assert error(where(run()), truth) < 1e-4
    assert solvers == {"SciPy DOP853", "SciPy DOP853, our rates"}


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
@pytest.mark.parametrize("make", [free_body, dumbbells])
@pytest.mark.parametrize("name", ["heyoka", "diffrax", "rebound", "numbalsoda"])
def test_peers_solve_the_same_motion(name: str, make) -> None:
    pytest.importorskip(name)
    motion = make()
    truth = truth_of(motion)
    wrong = [error(where(run()), truth) for _, _, run, where in PEERS[name].runs(motion)]
    assert min(wrong) < 1e-8


def test_numbalsoda_is_called_as_its_manual_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs a Fortran compiler to install; this stands in for it, and looks at the right-hand side it is given."""
    from numba import types as nb

    pointer = nb.CPointer(nb.float64)
    module = types.ModuleType("numbalsoda")

    def solver(address, start, times, rtol, atol):
        call = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 3)(address)
        y, dy = (ctypes.c_double * len(start))(*start), (ctypes.c_double * len(start))()
        call(0.0, y, dy, None)
        return np.array([start, np.array(dy)]), True

    module.lsoda_sig = nb.void(nb.float64, pointer, pointer, pointer)  # type: ignore[attr-defined]
    module.lsoda = module.dop853 = solver  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbalsoda", module)
    motion = free_body()
    runs = list(PEERS["numbalsoda"].runs(motion))
    assert {run[0] for run in runs} == {"numbalsoda LSODA", "numbalsoda DOP853"}
    np.testing.assert_allclose(runs[0][2](), motion.rates(motion.start.tolist()), rtol=1e-14)
