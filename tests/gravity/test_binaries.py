"""Real binaries: forces printed by other codes, and the error of each order for 1999 KW4's shapes."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.bodies import Ellipsoid, GivenIntegrals, Polyhedron
from polhode.gravity import Expansion
from tests.bodies.shapes import ALPHA, BETA, shape_file
from tests.shared import golden


def test_forces_of_two_ellipsoids():
    # theirs: A the primary, B the secondary, r from A to B in A; ours: body 1 is B, body 2 is A, X = r, R = C_B2A
    data = golden("full_two_body/ellipsoids_o2_lgvi_h40_1000")
    parameters, start, forces = data["parameters"], data["initial_state"], data["forces_at_initial_state"]
    A, B = (
        Ellipsoid.of_density(parameters[f"shape_{n}"]["density"], parameters[f"shape_{n}"]["semi_axes_m"]) for n in "AB"
    )
    for body, name in ((A, "A"), (B, "B")):
        assert body.mass == pytest.approx(parameters[f"mass_{name}"], rel=1e-14)
        np.testing.assert_allclose(np.diag(body.inertia), parameters[f"I_{name}"], rtol=1e-13)
    given = [GivenIntegrals(parameters[f"T_{n}"]) for n in "BA"]
    for pair in (Expansion(B, A, 2, parameters["G"]), Expansion(*given, 2, parameters["G"])):
        U, F, M = pair.evaluate(start["r_A"], start["C_B2A"])
        on1, on2 = pair.moments(start["r_A"], start["C_B2A"])
        assert pytest.approx(forces["U_J"], rel=1e-14) == U
        np.testing.assert_allclose(F, forces["dU_dr_in_A_N"], rtol=1e-13)
        np.testing.assert_allclose(on1, forces["torque_on_B_in_A_Nm"], rtol=1e-12)
        np.testing.assert_allclose(on2, forces["torque_on_A_in_A_Nm"], rtol=1e-11)
        assert np.all(on1 == -M)


@pytest.fixture(scope="module")
def kw4():
    data = golden("full_two_body/kw4_polyhedra_o2_lgvi_h60_200")
    shapes = {"A": ALPHA, "B": BETA}
    bodies = {
        n: Polyhedron.from_file(
            shape_file(file), density=data["parameters"][f"shape_{n}"]["density"], scale=1000.0, principal=True
        )
        for n, file in shapes.items()
    }
    return data, bodies["A"], bodies["B"]


def test_kw4_meshes_are_those_of_the_other_code(kw4):
    data, A, B = kw4
    for name, body in (("A", A), ("B", B)):
        assert body.mass == pytest.approx(data["parameters"][f"mass_{name}"], rel=1e-13)
        np.testing.assert_allclose(np.diag(body.inertia), data["parameters"][f"I_{name}"], rtol=1e-12)


def test_kw4_error_of_each_order(kw4):
    data, A, B = kw4
    X, R = data["initial_state"]["r_A"], data["initial_state"]["C_B2A"]
    U = {n: Expansion(B, A, n, data["parameters"]["G"]).evaluate(X, R)[0] for n in (2, 3, 4, 6, 8, 10, 14)}
    errors = {n: U[n] / U[14] - 1.0 for n in U}
    assert errors[2] == pytest.approx(-3.5e-4, rel=0.02)
    assert errors[3] == pytest.approx(-1.3e-4, rel=0.03)
    assert errors[4] == pytest.approx(-1.2e-5, rel=0.03)
    assert errors[6] == pytest.approx(-7e-7, rel=0.02)
    assert abs(errors[8]) < 5e-8
    assert abs(errors[10]) < 3e-9
