"""Where a function of the time says that a distant body is, written among the parameters for every scalar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode.scalars import double, lanes, loop
from polhode.systems.full_body.perturbation_kernels import put_place


@loop
def write(S: Any, p: Any) -> None:
    put_place(S, p, 1, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(("kind", "members"), [(double, 1), (lanes(4), 4)], ids=["double", "lanes"])
def test_every_member_has_the_place(kind: Any, members: int) -> None:
    p = np.zeros(5 * members)
    write.on(kind, p)
    np.testing.assert_array_equal(p.reshape(5, members), np.outer([0.0, 1.0, 2.0, 3.0, 0.0], np.ones(members)))
