"""The axes of figures: new ones or those that a caller gives, and their labels in the units of the run.

Curves are drawn in the run's own numbers. Where its units are named, the ticks of an axis may count in another unit, so that
a run of 1,296,000 s is read in days: what a caller adds to the axes is still in the run's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...core.system import System
from ...core.units import KNOWN, Units
from ...ensemble.result import Ensemble
from ...errors import InvalidInputError
from ...simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SECOND, MINUTE, HOUR, DAY, YEAR = 1.0, 60.0, 3600.0, 86400.0, 365.25 * 86400.0
TIMES = {SECOND: "s", MINUTE: "min", HOUR: "hours", DAY: "days", YEAR: "Julian years"}
LENGTHS = {1e-6: "µm", 1e-3: "mm", 1.0: "m", 1e3: "km", KNOWN["au"][0]: "au"}
LONG_TIME, LONG_LENGTH, SHORT = 1000.0, 10_000.0, 0.1  # beyond these numbers another unit is read more easily
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Given = Any  # None, one `Axes`, or a sequence of them


def panels(
    given: Given, layout: Sequence[Sequence[str]], size: tuple[float, float], **options: Any
) -> tuple[Figure, list[Axes]]:
    """The figure and its panels: new ones in this layout (as of `Figure.subplot_mosaic`), or the axes that a caller gave."""
    names = list(dict.fromkeys(name for row in layout for name in row))
    if given is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        made = figure.subplot_mosaic([list(row) for row in layout], **options)
        return figure, [made[name] for name in names]
    axes = list(np.ravel(given))
    if len(axes) != len(names) or not all(hasattr(ax, "plot") for ax in axes):
        many = "one Axes of matplotlib" if len(names) == 1 else f"a list of {len(names)} Axes of matplotlib"
        raise InvalidInputError("ax", given, f"{many}: this figure has {len(names)} panel{'s' * (len(names) > 1)}")
    return axes[0].figure, axes


def legend_below(figure: Figure, ax: Axes, given: Given, columns: int) -> None:
    """A legend below a figure of its own, or inside the axes that a caller gave."""
    if given is None:
        figure.legend(loc="outside lower center", ncols=columns)
    else:
        ax.legend(fontsize=8)


def body_labels(system: System) -> list[str]:
    """The names of the bodies as matplotlib prints them: nothing in them is a formula, and none is left out of a legend."""
    return [plain_label(name) for name in system.body_labels]


def plain_label(text: str) -> str:
    """A text that matplotlib prints as it is.

    >>> plain_label("_a$b$")
    ' _a\\\\$b\\\\$'
    """
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def label_time(axis: Axis, trajectory: Trajectory | Ensemble) -> None:
    """Label an axis with the time, in the unit in which its extent is read most easily."""
    units, epoch = trajectory.units, trajectory.epoch
    extent = float(np.ptp(trajectory.t))
    scale, name = readable(units.size("time"), units.time, extent, TIMES, LONG_TIME)
    since = f" since {epoch}" if epoch is not None and name else ""
    axis.set_label_text(f"time ({name}{since})" if name else "time")
    scale_ticks(axis, scale)


def label_length(axis: Axis, units: Units, largest: ArrayLike, text: str = "") -> tuple[float, str]:
    """Label an axis of lengths; returns the scale of its numbers and the name of its unit, empty where there is none."""
    size = float(np.max(np.abs(largest), initial=0.0))
    scale, name = readable(units.size("length"), units.length, size, LENGTHS, LONG_LENGTH)
    axis.set_label_text(f"{text} ({name})".strip() if name else text)
    scale_ticks(axis, scale)
    return scale, name


def label_rate(axis: Axis, units: Units, letter: str) -> None:
    """Label an axis of angular velocities, which are drawn in rad."""
    label_quantity(axis, units, "rad/time", letter, unnamed="rad/time")
    if units.angle is not None and units.time is not None:
        size = KNOWN[units.angle][0]
        axis.set_label_text(f"{letter} ({superscripts(f'{units.angle} {units.time}-1')})")
        scale_ticks(axis, 1.0 / size)


def label_quantity(axis: Axis, units: Units, dimension: str, text: str, *, unnamed: str = "") -> None:
    """Label an axis with a quantity of some dimension; where the run names no units, with `unnamed` for its unit."""
    unit = units.of(dimension) if units else unnamed
    axis.set_label_text(f"{text} ({superscripts(unit)})" if unit else text)


def label_angle(axis: Axis, units: Units, text: str = "angle") -> None:
    """Label an axis of angles, which are drawn in degrees."""
    name = units.angle or "degree"
    axis.set_label_text(f"{text} ({'degrees' if name == 'degree' else name})")
    scale = KNOWN["degree"][0] / KNOWN[name][0]
    if scale != 1.0:
        axis.set_major_formatter(lambda x, _: tick_text(x * scale))


def readable(
    size: float | None, own: str | None, extent: float, known: dict[float, str], longest: float
) -> tuple[float, str]:
    """The factor from the run's unit, of a `size` in SI units and called `own`, to the unit to read an extent in, and its name.

    >>> readable(1.0, "s", 1296000.0, TIMES, LONG_TIME)[1], readable(1.0, "s", 60.0, TIMES, LONG_TIME)
    ('days', (1.0, 's'))
    """
    if size is None or own is None:
        return 1.0, ""
    if not extent or SHORT <= extent < longest:
        return 1.0, known.get(size, own)
    fitting = [unit for unit in known if extent * size / unit >= 3.0] or [min(known)]
    return size / fitting[-1], known[fitting[-1]]


def superscripts(unit: str | None) -> str:
    """A unit as it is printed.

    >>> superscripts("kg m2 s-1")
    'kg m² s⁻¹'
    """
    return "".join(c.translate(SUPERSCRIPTS) if c in "-0123456789" else c for c in unit or "")


def scale_ticks(axis: Axis, scale: float) -> None:
    """Count the ticks of an axis in another unit, `scale` of which are one of the numbers drawn."""
    if scale == 1.0:
        return
    from matplotlib.ticker import AutoLocator

    class Scaled(AutoLocator):
        def tick_values(self, vmin: float, vmax: float) -> Any:
            return np.asarray(super().tick_values(vmin * scale, vmax * scale)) / scale

    axis.set_major_locator(Scaled())
    axis.set_major_formatter(lambda x, _: tick_text(x * scale))


def tick_text(value: float) -> str:
    """A tick's number without rounding errors."""
    return f"{round(value, 12):.10g}".replace("-", "−")
