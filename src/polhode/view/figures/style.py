"""The style of the figures: colours that colour-blind readers can distinguish (Okabe and Ito), sizes and lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ...core.extras import missing
from ...errors import PolhodeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
PALETTE = [BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK]
GREY = "#666666"

RC_PARAMS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "savefig.facecolor": "white",
}

P = ParamSpec("P")
T = TypeVar("T")


def has_matplotlib() -> bool:
    """Whether figures can be drawn."""
    return find_spec("matplotlib") is not None


def check_matplotlib() -> None:
    """Say what is missing if figures cannot be drawn."""
    if not has_matplotlib():
        raise PolhodeError(missing("matplotlib"))


def styled(function: Callable[P, T]) -> Callable[P, T]:
    """Run `function` with this style, and leave matplotlib's settings as they were."""

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> T:
        check_matplotlib()
        import matplotlib
        from cycler import cycler

        params: Any = RC_PARAMS | {"axes.prop_cycle": cycler(color=PALETTE)}
        with matplotlib.rc_context(params):
            return function(*args, **kwargs)

    return inner


def legend_beside(ax: Axes) -> None:
    """A legend to the right of the axes, where it covers no curve."""
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
