"""What systems say of their fields is what their states have."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.core.system import System
from polhode.systems import known_systems


@pytest.mark.parametrize("system", known_systems().values(), ids=lambda system: system.__name__)
def test_shapes(system: type[System]) -> None:
    """Those of the example; −1 is a length that the class leaves open."""
    state = system.example()
    for name, field in state.system.fields.items():
        shape = np.shape(getattr(state, name))
        assert len(shape) == len(field.shape), name
        assert all(declared in (-1, length) for declared, length in zip(field.shape, shape, strict=True)), name
