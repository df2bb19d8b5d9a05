"""Central differences of order 8: `f'(0) = Σ WEIGHTS[n] f(OFFSETS[n] h) / h + O(h⁸)`."""

from __future__ import annotations

OFFSETS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0)
WEIGHTS = (4 / 5, -4 / 5, -1 / 5, 1 / 5, 4 / 105, -4 / 105, -1 / 280, 1 / 280)
