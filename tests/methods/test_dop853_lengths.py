"""How long steps were where they were shortest: the mean of four together, without those of the start."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.methods.dop853_lengths import CONTROLS, FEW, LONGEST, SHORTEST, STEPS, note_length, up_to_corner


def noted(*lengths: float) -> np.ndarray:
    control = np.zeros(CONTROLS)
    for length in lengths:
        note_length(control, length)
    return control


def test_steps_that_double_are_those_of_the_start() -> None:
    assert noted(1.0, 2.0, 4.0, 8.0)[STEPS] == 0
    control = noted(1.0, 2.0, 4.0, 7.0)  # of which the last two are alike
    assert (control[STEPS], control[SHORTEST], control[LONGEST]) == (2, 5.5, 7.0)


@pytest.mark.parametrize("more", range(4))
def test_the_first_few_have_one_mean(more: int) -> None:
    """However short the first of them are: there are no four together yet."""
    lengths = [1.0, *np.linspace(1.0, 2.0, FEW - 1), *(3.0,) * more]
    assert noted(*lengths[:3])[SHORTEST] == pytest.approx(np.mean(lengths[:3]))
    means = [np.mean(lengths[k : k + FEW]) for k in range(len(lengths) - FEW + 1)]
    assert noted(*lengths)[SHORTEST] == pytest.approx(min(means))


def test_a_step_ends_at_the_first_corner_in_it() -> None:
    corners = np.array([1.0, 2.0])
    assert up_to_corner(0.5, 3.0, corners) == 0.5
    assert up_to_corner(1.0, 3.0, corners) == 1.0
    assert up_to_corner(2.0, 3.0, corners) == 3.0
    assert up_to_corner(3.5, -3.0, corners) == -1.5
