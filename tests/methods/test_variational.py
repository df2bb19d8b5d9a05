"""Which of the variational methods carry the increment of the last interval instead of the momentum at the node."""

from __future__ import annotations

import polhode as ph


def test_only_the_lagrangian_form_is_staggered() -> None:
    assert ph.LGVI(form="lagrangian").staggered
    assert not ph.LGVI().staggered
    assert not ph.QuaternionVI().staggered
