"""What figures, files and analyses may ask of any system."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.core.hooks import Hooks
from polhode.systems import known_systems


@pytest.mark.parametrize("name", known_systems())
def test_every_system_answers(name: str) -> None:
    state = known_systems()[name].example()
    system = state.system
    values = {key: array[None] for key, array in state.values.items()}
    assert system.attitude_rate in system.fields or "q" not in system.fields
    assert len(system.body_names) == len(system.bodies)
    assert system.offers("energies") == bool(system.energies(values, np.array([state.t])))
    if system.offers("energies"):
        energy = next((key for key, each in system.conserved.items() if each.kind == "energy"), None)
        total = system.energies(values, np.array([state.t]))["total"]
        if energy is not None:
            np.testing.assert_allclose(total, system.invariants(values)[energy], rtol=1e-12, atol=1e-12)
    assert system.conserves_energy == any(each.kind == "energy" for each in system.conserved.values())
    if system.conserves_energy:
        names = [key for key, each in system.conserved.items() if each.kind == "energy"]
        np.testing.assert_array_equal(system.energy(values), system.invariants(values)[names[0]])
    rotation = system.inertial_rotation(values, np.array([state.t]))
    if rotation is not None and "x1" not in system.fields:
        R, omega = rotation
        assert R.shape[-2:] == (3, 3)
        assert omega.shape == R.shape[:-1]
        np.testing.assert_allclose(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=1e-12)


def test_the_default_answers_are_neutral() -> None:
    class Plain(Hooks):
        """A system with nothing to add."""

        fields = {}

        def derive(self, name, values):
            raise KeyError(name)

    plain = Plain()
    assert plain.inertia is None
    assert plain.pointer is None
    assert not [
        *plain.bodies,
        *plain.body_names,
        *plain.landmarks,
        *plain.energies({}),
        *plain.steady_spin_energies(None),
    ]
    assert plain.joints(np.zeros((5, 2))).shape == (5, 0, 2)
    assert plain.inertial_rotation({}, np.zeros(1)) is None
    assert not plain.offers("energies")
