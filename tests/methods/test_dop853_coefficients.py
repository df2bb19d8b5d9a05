"""The numbers of Dormand and Prince's method, against those of SciPy's class of that name."""

from __future__ import annotations

import numpy as np
from scipy.integrate import DOP853

from polhode.methods.dop853_coefficients import COLUMNS, DENSE, ERROR_3, ERROR_5, NODES, STAGES, STARTS, WEIGHTS


def filled(*rows: dict[int, float]) -> np.ndarray:
    """The rows with all their entries."""
    return np.array([[row.get(j, 0.0) for j in range(16)] for row in rows])


def test_the_rows_are_those_of_others() -> None:
    expected = np.zeros((22, 16))
    expected[:12, :12], expected[12, :12], expected[13:16] = DOP853.A, DOP853.B, DOP853.A_EXTRA
    expected[16, :13], expected[17, :13], expected[18:] = DOP853.E5, DOP853.E3, DOP853.D
    np.testing.assert_allclose(filled(*STAGES, ERROR_5, ERROR_3, *DENSE), expected, rtol=1e-14, atol=1e-17)
    np.testing.assert_allclose(NODES, [*DOP853.C, 1.0, *DOP853.C_EXTRA], rtol=1e-14)


def test_what_the_loop_reads_are_the_rows() -> None:
    for k, row in enumerate((*STAGES, ERROR_5, ERROR_3, *DENSE)):
        part = slice(STARTS[k], STARTS[k + 1])
        assert dict(zip(COLUMNS[part].tolist(), WEIGHTS[part].tolist(), strict=True)) == row
