"""SPICE kernels, read back by SPICE."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.io.exchange.epoch_and_frame import EpochAndFrame
from polhode.io.exchange.inertial_motion import motions
from polhode.io.exchange.spice import write_spice

spice = pytest.importorskip("spiceypy")

REFERENCES = {
    "default": EpochAndFrame(),
    "given": EpochAndFrame(epoch="2031-05-04T03:02:01.5", frame="ECLIPJ2000", centre="SUN", km=0.001, seconds=60.0),
}


@pytest.fixture(scope="module")
def pair():
    start = ph.FullTwoBodyProblem.example()
    return ph.simulate(start, step=0.02, steps=400, save_every=4, method=ph.LGVI(order=4))


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Load the kernels of a folder, and forget them afterwards."""
    monkeypatch.chdir(tmp_path)
    yield lambda name: spice.furnsh(str(name))
    spice.kclear()


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_spice_gives_back_what_was_written(pair, reference, tmp_path, loaded):
    files = write_spice(motions(pair), tmp_path / "run.nc", reference)
    assert {file.suffix for file in files} == {".bc", ".bsp", ".tsc", ".tf", ".tls", ".tm"}
    assert sorted(tmp_path.iterdir()) == sorted(files)
    loaded(files[-1].name)
    centre = 10 if reference.centre == "SUN" else -200000
    for number, motion in enumerate(motions(pair), 1):
        size, speed = np.abs(motion.x).max(), np.abs(motion.v).max()
        for k, et in enumerate(reference.ephemeris_time(motion.t)):
            ticks = spice.sce2c(-200000, et)
            C, rate, found = spice.ckgpav(-(200000 + number) * 1000, ticks, 0.0, reference.frame)
            assert found == ticks
            assert np.abs(C.T - motion.R[k]).max() < 1e-12
            inertial = motion.R[k] @ motion.omega[k] / reference.seconds
            assert np.abs(rate - inertial).max() < 1e-12 * np.abs(inertial).max()
            assert np.abs(spice.pxform(f"RUN_BODY{number}", reference.frame, et) - motion.R[k]).max() < 1e-12
            state, _ = spice.spkgeo(-(200000 + number), et, reference.frame, centre)
            assert np.abs(state[:3] / reference.km - motion.x[k]).max() < 1e-12 * size
            assert np.abs(state[3:] * reference.seconds / reference.km - motion.v[k]).max() < 1e-12 * speed


def test_between_the_samples(pair, tmp_path, loaded):
    """Attitudes by turns at constant rate, positions by Hermite's polynomials: of second and of eighth order."""
    fine = motions(pair)[0]
    every = slice(None, None, 2)
    coarse = [type(fine)(fine.name, fine.t[every], fine.R[every], fine.omega[every], fine.x[every], fine.v[every])]
    loaded(write_spice(coarse, tmp_path / "run")[-1].name)
    off, far = [], []
    for k in range(1, len(fine) - 1, 2):
        C, _ = spice.ckgp(-200001000, spice.sce2c(-200000, fine.t[k]), 0.0, "J2000")
        off.append(np.abs(C.T - fine.R[k]).max())
        far.append(np.abs(spice.spkgeo(-200001, fine.t[k], "J2000", -200000)[0][:3] - fine.x[k]).max())
    assert 1e-5 < max(off) < 5e-3
    assert max(far) < 1e-7


def test_dates_through_the_clock_and_leap_seconds(pair, tmp_path, loaded):
    loaded(write_spice(motions(pair), tmp_path / "run", EpochAndFrame(epoch="2031-05-04T03:02:01.5"))[-1].name)
    assert spice.str2et("2031-05-04 03:02:01.5 TDB") == float(
        EpochAndFrame(epoch="2031-05-04T03:02:01.5").ephemeris_time([0.0])[0]
    )
    # TDB − UTC: 32.184 s and, since 2017, 37 leap seconds, but for two milliseconds
    assert abs(spice.str2et("2026-01-01 00:00:00") - spice.str2et("2026-01-01 00:00:00 TDB") - 69.184) < 2e-3
    assert abs(spice.str2et("1980-06-01 00:00:00") - spice.str2et("1980-06-01 00:00:00 TDB") - 51.184) < 2e-3
    assert spice.sce2s(-200000, spice.str2et("2031-05-04 03:02:02.5 TDB")) == "1/00000000001:0000"
    assert spice.bodn2c("RUN_BODY2") == -200002


def test_only_attitudes_or_only_positions(pair, tmp_path):
    suffixes = {file.suffix for file in write_spice(motions(pair, 0), tmp_path / "a", position=False)}
    assert ".bc" in suffixes
    assert ".bsp" not in suffixes
    suffixes = {file.suffix for file in write_spice(motions(pair, 0), tmp_path / "b", attitude=False)}
    assert ".bsp" in suffixes
    assert ".bc" not in suffixes


def test_a_run_backwards_and_before_the_epoch(tmp_path, loaded):
    start = ph.FullTwoBodyProblem.example()
    trajectory = ph.simulate(start, step=-0.02, steps=50)
    loaded(write_spice(motions(trajectory), tmp_path / "run")[-1].name)
    C, _ = spice.ckgp(-200001000, spice.sce2c(-200000, trajectory.t[20]), 0.0, "J2000")
    assert np.abs(C.T - trajectory.R1[20]).max() < 1e-12


def of_free_body(**options):
    start = ph.FreeRigidBody.example()
    return ph.simulate(start, **{"step": 0.1, "steps": 20} | options)


@pytest.mark.parametrize(
    ("trajectory", "options", "message"),
    [
        (of_free_body(), {}, "no position"),
        (of_free_body(steps=0), {"position": False}, "at least two samples"),
        (of_free_body(steps=400, save_every=50), {"position": False}, "revolutions between two samples"),
        (
            of_free_body(step=1e-9),
            {"position": False, "reference": EpochAndFrame(epoch="2031-05-04")},
            "closer in time",
        ),
        (of_free_body(), {"position": False, "reference": EpochAndFrame(seconds=1e12)}, "longer than the clock"),
        (of_free_body(), {"position": False, "reference": EpochAndFrame(frame="NARNIA")}, "frame = 'NARNIA'"),
        (of_free_body(), {"position": False, "reference": EpochAndFrame(time_system="UTC")}, "TDB"),
        (of_free_body(), {"position": False, "id": 5}, "id = 5"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_nothing(trajectory, options, message, tmp_path):
    with pytest.raises(ph.PolhodeError, match=message):
        write_spice(motions(trajectory), tmp_path / "run", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_spice_does_not_take(tmp_path):
    with pytest.raises(ph.InvalidInputError, match="that SPICE allows"):
        write_spice(motions(of_free_body()), tmp_path / "ein Lauf", position=False)


def test_a_failure_of_spice_is_told_and_leaves_nothing(pair, tmp_path, monkeypatch):
    def fails(*arguments):
        raise spice.utils.exceptions.SpiceyError("SPICE(DISKFULL)")

    monkeypatch.setattr(spice, "spkw13", fails)
    with pytest.raises(ph.PolhodeError, match="SPICE could not write bsp"):
        write_spice(motions(pair), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
