"""The coefficients of the Gauss–Legendre methods fulfil the conditions that define them."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.methods.gauss.tables import gauss_table


@pytest.mark.parametrize("s", [1, 2, 4, 6, 8])
def test_quadrature_collocation_and_symplecticity(s: int) -> None:
    table = gauss_table(s)
    c, b, mu = table.nodes, table.weights, table.stage.reshape(s, s).T
    for k in range(2 * s):
        assert b @ c**k == pytest.approx(1.0 / (k + 1), abs=1e-15)
    for k in range(s):
        np.testing.assert_allclose((mu * b) @ c**k, c ** (k + 1) / (k + 1), atol=1e-15)
    assert np.array_equal(mu + mu.T, np.ones((s, s)))  # exactly: no rounding spoils it


@pytest.mark.parametrize("s", [2, 4, 6, 8])
def test_a_polynomial_is_carried_on(s: int) -> None:
    table = gauss_table(s)
    nu = table.ahead.reshape(s, s).T * table.weights
    for k in range(s):
        expected = ((1.0 + table.nodes) ** (k + 1) - 1.0) / (k + 1)
        np.testing.assert_allclose(nu @ table.nodes**k, expected, rtol=1e-10)


@pytest.mark.parametrize("s", [2, 4, 6, 8])
def test_the_end_of_the_next_step_and_legendre_polynomials(s: int) -> None:
    table = gauss_table(s)
    b, c, P = table.weights, table.nodes, table.legendre.reshape(s, s)
    for k in range(s):
        assert (table.following * b) @ c**k == pytest.approx((2.0 ** (k + 1) - 1.0) / (k + 1), rel=1e-10)
        expected = (2 * k + 1) * np.polynomial.legendre.Legendre.basis(k)(2.0 * c - 1.0)
        np.testing.assert_allclose(P[k], expected, atol=1e-13 * (2 * k + 1))
