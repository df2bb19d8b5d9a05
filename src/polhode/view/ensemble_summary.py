"""The tables of an ensemble: how well its members conserved what is conserved, and how they ended."""

from __future__ import annotations

import numpy as np

from ..ensemble.result import Ensemble

HEADINGS = ("quantity", "median", "95 % of members", "worst")


def drift_rows(ensemble: Ensemble) -> list[tuple[str, ...]]:
    """For each conserved quantity: the median, the 95 % quantile and the largest of the members' largest deviations."""
    if ensemble.failed.all():
        return []
    rows = []
    for name, values in ensemble.drift().items():
        good = values[~ensemble.failed]
        numbers = (np.median(good), np.quantile(good, 0.95), np.max(good))
        rows.append((name, *(f"{number:.2e}" for number in numbers)))
    return rows


def input_rows(ensemble: Ensemble) -> list[tuple[str, ...]]:
    """For each number in which members differ: its name, and how far it ranges."""
    rows = []
    for name, values in ensemble.inputs.items():
        columns = np.asarray(values, dtype=np.float64).reshape(len(ensemble), -1)
        for k, column in enumerate(columns.T):
            label = name if columns.shape[1] == 1 else f"{name}[{k}]"
            rows.append((label, *(f"{number:.6g}" for number in (column.min(), np.median(column), column.max()))))
    return rows
