"""Where the energy is: the parts that figures show and tables sum up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def energy_parts(total: Array, potential: Array) -> dict[str, Array]:
    """Kinetic and potential energy, and their sum."""
    return {"kinetic": total - potential, "potential": potential, "total": total}
