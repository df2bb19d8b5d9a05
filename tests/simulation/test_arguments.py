"""What a run is given: whole numbers of steps, states of the system, events."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InvalidInputError
from polhode.simulation.arguments import MOST_STEPS, count_steps

BODY = ph.FreeRigidBody([1, 2, 3])


@pytest.mark.parametrize(
    ("t0", "step", "t_end", "n"),
    [
        (0.0, 0.1, 0.1 * 3, 3),
        (0.0, 0.1, 0.3, 3),
        (0.0, 1 / 3, 100.0, 300),
        (0.0, -0.1, -0.7, 7),
        (1e9, 0.1, 1e9 + 12.3, 123),
        (1e9, 1e-3, 1e9 + 1e-3, 1),
        (0.0, 1e-3, 1e6, 10**9),
        (0.0, 2 * math.pi / 1000, 2 * math.pi, 1000),
        (0.3, 0.1, 0.3, 0),
    ],
)
def test_rounding_is_no_part_of_a_step(t0: float, step: float, t_end: float, n: int) -> None:
    assert count_steps(t0, step, t_end, None) == n


def test_whatever_is_computed_as_the_last_time_is_counted() -> None:
    rng = np.random.default_rng(2)
    for _ in range(2000):
        step, n = 10.0 ** rng.uniform(-4, 3), int(10 ** rng.uniform(0, 8))
        t0 = float(rng.choice([0.0, rng.normal(), 10.0 ** rng.uniform(0, 6)]))
        assert count_steps(t0, step, t0 + n * step, None) == n
        assert count_steps(0.0, step / n, step, None) == n


@pytest.mark.parametrize(
    ("step", "t_end", "said"),
    [
        (1e12, 50.0, "0 steps"),
        (0.1, 1e-11, "0 steps"),
        (1e30, 50.0, "1e+30 (1 steps)"),
        (1e-3, 1e6 + 4e-4, "1000000000 steps"),
        (0.1, 0.25, "step = 0.125 (2 steps) or 0.08333333333333333 (3 steps)"),
        (0.1, 10**400, "a finite number"),
        (1e-300, 1.0, "at most"),
    ],
)
def test_a_part_of_a_step_is_refused(step: float, t_end: float, said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        count_steps(0.0, step, t_end, None)
    assert said in str(caught.value)


def test_what_a_refusal_proposes_is_accepted() -> None:
    with pytest.raises(InvalidInputError) as caught:
        count_steps(0.1, 0.7, 100.0, None)
    words = caught.value.allowed.replace(",", " ").split()
    ends = [float(words[words.index("t_end") + 2]), float(words[words.index("or") + 1])]
    sizes = [float(word) for word in caught.value.allowed.split("step = ")[1].replace("(", " ").split()[::4]]
    assert [count_steps(0.1, 0.7, end, None) for end in ends] == [142, 143]
    assert [count_steps(0.1, size, 100.0, None) for size in sizes] == [142, 143]


def test_times_that_doubles_cannot_tell_apart() -> None:
    for given in ({"t_end": 1e17 + 160, "steps": None}, {"t_end": None, "steps": 5}):
        with pytest.raises(InvalidInputError, match=r"step = 0.1.*doubles are 16 apart"):
            count_steps(1e17, 0.1, **given)
    with pytest.raises(InvalidInputError, match="times are finite"):
        count_steps(0.0, 1e308, None, 5)
    assert count_steps(1e17, 0.1, None, 0) == 0


@pytest.mark.parametrize("name", ["steps", "save_every"])
def test_numbers_that_nobody_counts_to(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{name} = 1000"):
        ph.simulate(BODY.state(), step=0.1, **{"steps": 1} | {name: 10**30})
    assert count_steps(0.0, 1.0, None, MOST_STEPS - 1) == MOST_STEPS - 1


def test_the_state_knows_its_system() -> None:
    with pytest.raises(InvalidInputError, match=r"state = .*a state made by system.state"):
        ph.simulate(BODY, step=0.1, steps=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"state = .*a state made by system.state"):
        ph.largest_step(BODY)  # type: ignore[arg-type]
    assert ph.simulate(BODY.state(), step=0.1, steps=1).system is BODY


@pytest.mark.parametrize("events", [None, 3, "Contact", ph.Contact, ph.Contact()])
def test_events_are_a_list(events: object) -> None:
    with pytest.raises(InvalidInputError, match="events"):
        ph.simulate(BODY.state(), step=0.1, steps=1, events=events)


def test_numbers_of_numpy_are_numbers(tmp_path) -> None:
    method = ph.LGVI(order=np.int64(4))
    assert (method, hash(method)) == (ph.LGVI(4), hash(ph.LGVI(4))) == (ph.LGVI(4.0), hash(ph.LGVI(4.0)))
    ph.simulate(BODY.state(), step=np.array(0.1), steps=np.int64(1), method=method).save(tmp_path / "run.nc")
    assert ph.DOP853(rtol=np.float32(1e-6)).rtol == pytest.approx(1e-6)


def test_numbers_that_are_too_large_or_small_to_square() -> None:
    for size in (2.0**600, 2.0**-600):
        assert np.array_equal(BODY.state(q=[size, 0, 0, size]).q, BODY.state(q=[1, 0, 0, 1]).q)
    with pytest.raises(InvalidInputError, match=r"omega = .*momentum is finite"):
        BODY.state(omega=[1e308, 1e308, 1e308])


def test_a_body_does_not_change() -> None:
    with pytest.raises(ValueError, match="read-only"):
        BODY.inertia.matrix[0, 0] = 50.0
