"""CCSDS messages: what is written is what the standards say, and what is read is what was written."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pytest

import polhode as ph
from polhode.io.exchange.ccsds import read_ccsds, write_aem, write_oem
from polhode.io.exchange.epoch_and_frame import EpochAndFrame, iso_date, seconds_past_j2000
from polhode.io.exchange.inertial_motion import motions

HERE = EpochAndFrame(epoch="2031-05-04T03:02:01.5", frame="J2000", centre="DIDYMOS", km=0.001, seconds=3600.0)


@pytest.fixture(scope="module")
def pair():
    start = ph.FullTwoBodyProblem.example()
    return ph.simulate(start, step=0.013, steps=200, save_every=3)


def transformation(Q):
    """The matrix of a quaternion (Q1, Q2, Q3, QC) that takes coordinates in frame A to frame B (504.0-B, annex)."""
    x, y, z, c = Q
    return np.array(
        [
            [x * x - y * y - z * z + c * c, 2 * (x * y + z * c), 2 * (x * z - y * c)],
            [2 * (x * y - z * c), -x * x + y * y - z * z + c * c, 2 * (y * z + x * c)],
            [2 * (x * z + y * c), 2 * (y * z - x * c), -x * x - y * y + z * z + c * c],
        ]
    )


def test_an_attitude_message_says_what_the_standard_wants(pair, tmp_path):
    write_aem(motions(pair, 1), tmp_path / "run.aem", HERE)
    lines = (tmp_path / "run.aem").read_text().splitlines()
    assert lines[0] == "CCSDS_AEM_VERS = 2.0"
    assert re.fullmatch(r"CREATION_DATE = \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", lines[1])
    assert lines[2].startswith("ORIGINATOR = ")
    metadata = dict(line.split(" = ") for line in lines[lines.index("META_START") + 1 : lines.index("META_STOP")])
    assert metadata == {
        "OBJECT_NAME": "body2",
        "OBJECT_ID": "body2",
        "CENTER_NAME": "DIDYMOS",
        "REF_FRAME_A": "EME2000",
        "REF_FRAME_B": "SC_BODY_1",
        "TIME_SYSTEM": "TDB",
        "START_TIME": "2031-05-04T03:02:01.500000000000",
        "STOP_TIME": HERE.date(pair.t[-1]),
        "ATTITUDE_TYPE": "QUATERNION/ANGVEL",
        "ANGVEL_FRAME": "SC_BODY_1",
    }
    data = lines[lines.index("DATA_START") + 1 : lines.index("DATA_STOP")]
    assert len(data) == len(pair)
    assert max(map(len, lines)) <= 254
    for k in (0, 17, len(pair) - 1):
        date, *numbers = data[k].split()
        assert date == HERE.date(pair.t[k])
        Q, rate = np.array(numbers[:4], float), np.array(numbers[4:], float)
        assert np.abs(transformation(Q) - pair.R2[k].T).max() < 1e-14  # inertial to body
        assert np.allclose(np.deg2rad(rate), pair.Omega2[k] / 3600.0, rtol=1e-15, atol=0.0)


def test_an_orbit_message_says_what_the_standard_wants(pair, tmp_path):
    write_oem(motions(pair), tmp_path / "run.oem", HERE)
    lines = (tmp_path / "run.oem").read_text().splitlines()
    assert lines[0] == "CCSDS_OEM_VERS = 2.0"
    assert lines.count("META_START") == lines.count("META_STOP") == 2
    start = lines.index("META_STOP")
    metadata = dict(line.split(" = ") for line in lines[lines.index("META_START") + 1 : start])
    assert (metadata["CENTER_NAME"], metadata["REF_FRAME"], metadata["INTERPOLATION"]) == (
        "DIDYMOS",
        "EME2000",
        "HERMITE",
    )
    date, *numbers = lines[start + 2].split()
    assert date == metadata["START_TIME"] == "2031-05-04T03:02:01.500000000000"
    assert np.allclose(np.array(numbers[:3], float), pair.x1[0] * 1e-3, rtol=1e-15)  # kilometres
    assert np.allclose(np.array(numbers[3:], float), pair.v1[0] * 1e-3 / 3600.0, rtol=1e-15)


@pytest.mark.parametrize("reference", [EpochAndFrame(), HERE], ids=["default", "given"])
def test_messages_come_back_to_their_printed_precision(pair, reference, tmp_path):
    write_aem(motions(pair), tmp_path / "run.aem", reference)
    write_oem(motions(pair), tmp_path / "run.oem", reference)
    attitudes, orbits = (read_ccsds(tmp_path / f"run.{kind}", reference) for kind in ("aem", "oem"))
    for before, attitude, orbit in zip(motions(pair), attitudes, orbits, strict=True):
        assert attitude.name == orbit.name == before.name
        for after in (attitude, orbit):
            assert np.abs(after.t - before.t).max() * reference.seconds < 1e-12
        # 17 digits: the quaternion itself is bit for bit
        assert np.array_equal(ph.quaternion.to_matrix(ph.quaternion.normalized(before.q)), attitude.R)
        assert np.abs(attitude.R - before.R).max() < 1e-15
        assert np.allclose(attitude.omega, before.omega, rtol=1e-15, atol=1e-17)
        exact = {"rtol": 0.0, "atol": 0.0} if reference.km == 1.0 else {"rtol": 4e-16, "atol": 0.0}
        assert np.allclose(orbit.x, before.x, **exact)
        assert np.allclose(orbit.v, before.v, **exact)


def test_older_and_other_conventions_are_read(tmp_path):
    """Version 1 may have the scalar first and the opposite direction; rates may be in the inertial frame."""
    q = ph.quaternion.normalized([0.1, -0.2, 0.3, 0.9])
    head = (
        "CREATION_DATE = 2020-01-01\nORIGINATOR = X\nMETA_START\nCOMMENT more = text\nOBJECT_NAME = A\nOBJECT_ID = 1\n"
    )
    frames = "REF_FRAME_A = ICRF\nREF_FRAME_B = SC_BODY_1\nTIME_SYSTEM = UTC\nSTART_TIME = 2000-001T12:00:00\n"
    rest = frames + "STOP_TIME = 2000-001T12:00:01\n"
    x, y, z, w = -q[0], -q[1], -q[2], q[3]
    first = f"ATTITUDE_DIR = B2A\nATTITUDE_TYPE = QUATERNION\nQUATERNION_TYPE = FIRST\nMETA_STOP\nDATA_START\n2000-001T12:00:01.5 {w!r} {x!r} {y!r} {z!r}\nDATA_STOP\n"
    first = first.replace("np.float64(", "").replace(")", "")
    (tmp_path / "old.aem").write_text("CCSDS_AEM_VERS = 1.0\n" + head + rest + first)
    (old,) = read_ccsds(tmp_path / "old.aem")
    assert np.abs(old.R[0] - ph.quaternion.to_matrix(q)).max() < 1e-15
    assert old.t.tolist() == [1.5]
    assert old.omega is None
    numbers = " ".join(map(str, [*map(float, q), 1.0, 2.0, 3.0]))
    new = f"ATTITUDE_TYPE = QUATERNION/ANGVEL\nANGVEL_FRAME = ICRF\nMETA_STOP\nDATA_START\n2000-01-01T12:00:01 {numbers}\nDATA_STOP\n"
    (tmp_path / "new.aem").write_text("CCSDS_AEM_VERS = 2.0\n" + head + rest + new)
    (motion,) = read_ccsds(tmp_path / "new.aem")
    assert np.allclose(motion.R[0] @ motion.omega[0], np.deg2rad([1.0, 2.0, 3.0]))
    assert motion.metadata["REF_FRAME_A"] == "ICRF"


GOOD = """CCSDS_OEM_VERS = 2.0
CREATION_DATE = 2020-01-01
ORIGINATOR = X
META_START
OBJECT_NAME = A
OBJECT_ID = A
CENTER_NAME = EARTH
REF_FRAME = EME2000
TIME_SYSTEM = TDB
START_TIME = 2000-01-01T12:00:00
STOP_TIME = 2000-01-01T12:00:01
META_STOP
2000-01-01T12:00:00 1 2 3 4 5 6
2000-01-01T12:00:01 1 2 3 4 5 6 0 0 0
COVARIANCE_START
EPOCH = 2000-01-01T12:00:00
1.0
COVARIANCE_STOP
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CCSDS_OEM_VERS = 2.0", "CCSDS_OEM_VERS = 9.0", "line 1"),
        ("CCSDS_OEM_VERS = 2.0", "something else", "line 1"),
        ("REF_FRAME = EME2000\n", "", "REF_FRAME before META_STOP"),
        ("TIME_SYSTEM = TDB", "TIME_SYSTEM", "line 9.*KEYWORD = value"),
        ("META_STOP\n", "", "line 12"),
        ("00 1 2 3 4 5 6", "00 1 2 3 4 5", "line 13.*6 numbers"),
        ("00 1 2 3 4 5 6", "00 1 2 three 4 5 6", "line 13"),
        ("00 1 2 3 4 5 6", "00 1 2 nan 4 5 6", "line 13"),
        ("2000-01-01T12:00:01 1", "2000-01-01T11:00:01 1", "path = .*not a valid message: .*ascending"),
        ("2000-01-01T12:00:01 1", "2000-13-01T11:00:01 1", "date"),
        (GOOD, "", "line 1"),
        (GOOD, "CCSDS_OEM_VERS = 2.0\n", "at least one segment"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old, new, message, tmp_path):
    (tmp_path / "good.oem").write_text(GOOD)
    assert read_ccsds(tmp_path / "good.oem")[0].x[1].tolist() == [1.0, 2.0, 3.0]
    assert GOOD.count(old) == 1
    (tmp_path / "bad.oem").write_text(GOOD.replace(old, new))
    with pytest.raises(ph.InvalidInputError, match=message):
        read_ccsds(tmp_path / "bad.oem")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ph.InvalidInputError, match="No such file"):
        read_ccsds(tmp_path / "none.oem")
    (tmp_path / "binary.oem").write_bytes(bytes(range(256)))
    with pytest.raises(ph.InvalidInputError, match="plain text"):
        read_ccsds(tmp_path / "binary.oem")


def test_a_body_without_position_has_no_orbit_message(tmp_path):
    start = ph.FreeRigidBody.example()
    trajectory = ph.simulate(start, step=0.1, steps=3)
    with pytest.raises(ph.PolhodeError, match="no position"):
        write_oem(motions(trajectory), tmp_path / "run.oem")
    assert list(tmp_path.iterdir()) == []


def test_samples_closer_than_dates_tell(tmp_path):
    start = ph.FreeRigidBody.example()
    trajectory = ph.simulate(start, step=1e-13, steps=3)
    with pytest.raises(ph.PolhodeError, match="closer in time"):
        write_aem(motions(trajectory), tmp_path / "run.aem")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["2000-01-01T12:00:00", "1999-12-31T23:59:59.999999999999", "2024-02-29", "9999-12-31T23:59:59.5"]
)
def test_dates_come_back(text):
    assert seconds_past_j2000(iso_date(seconds_past_j2000(text))) == seconds_past_j2000(text)


def test_dates_against_the_calendar():
    from datetime import datetime

    for text in ("1969-07-20T20:17:40", "2000-02-29T00:00:00", "2100-03-01T06:30:00"):
        days = datetime.fromisoformat(text) - datetime.fromisoformat("2000-01-01T12:00:00")
        assert seconds_past_j2000(text) == Decimal(int(days.total_seconds()))
    for wrong in ("yesterday", "2023-02-29", "2023-01-01T25:00:00", "2023-000", "", None, 3):
        with pytest.raises(ph.InvalidInputError, match="a date like"):
            seconds_past_j2000(wrong)


@pytest.mark.parametrize(
    "wrong", [{"km": 0.0}, {"seconds": -1.0}, {"km": float("nan")}, {"epoch": "now"}, {"frame": "A\nB"}, {"centre": ""}]
)
def test_an_epoch_or_frame_that_is_wrong(wrong):
    with pytest.raises(ph.InvalidInputError, match=next(iter(wrong))):
        EpochAndFrame(**wrong)


@pytest.mark.parametrize("attitude", ["0 0 0 0", "0 0 0 1e-320", "1e308 1e308 1e308 1e308"])
def test_what_is_no_attitude_is_refused_with_the_file(attitude, tmp_path):
    file = tmp_path / "run.aem"
    meta = "OBJECT_NAME = a\nREF_FRAME_A = EME2000\nREF_FRAME_B = SC_BODY_1\nTIME_SYSTEM = TDB\nSTART_TIME = 0\nSTOP_TIME = 0"
    rows = f"ATTITUDE_TYPE = QUATERNION\nMETA_STOP\nDATA_START\n2000-01-01T12:00:00 {attitude}\nDATA_STOP\n"
    file.write_text(f"CCSDS_AEM_VERS = 2.0\nORIGINATOR = a\nMETA_START\n{meta}\n{rows}")
    with pytest.raises(ph.InvalidInputError, match=r"run.aem': not a valid message: .*quaternion"):
        read_ccsds(file)
