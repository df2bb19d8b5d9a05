"""How systems, states, methods and trajectories save and show themselves.

Files, pictures and pages belong to layers above the objects that they show. This table is the one place where a lower
layer reaches up: by name, when asked, and never at import. Nothing else in the package imports upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ABOVE = {
    "system_html": "polhode.view.html.notebook",
    "state_html": "polhode.view.html.notebook",
    "method_html": "polhode.view.html.notebook",
    "trajectory_html": "polhode.view.html.notebook",
    "plot": "polhode.view.html.notebook",
    "view": "polhode.view.html.notebook",
    "save_movie": "polhode.view.movie.writer",
    "save": "polhode.io.trajectory_file",
    "checkpoint_folder": "polhode.io.checkpoint_folder",
    "segments_beside": "polhode.io.streamed_file",
    "write_streamed": "polhode.io.streamed_file",
    "attributes": "polhode.io.trajectory_file",
    "to_dataset": "polhode.io.trajectory_file",
    "body_rotations": "polhode.io.exchange.inertial_motion",
    "plot_lyapunov": "polhode.view.figures.chaos",
    "plot_indicator": "polhode.view.figures.chaos",
    "plot_chaos_map": "polhode.view.figures.chaos",
    "family_table": "polhode.view.figures.family",
    "plot_family": "polhode.view.figures.family",
    "save_family": "polhode.io.family_file",
    "plot_covariance": "polhode.view.figures.covariance",
    "view_covariance": "polhode.view.html.notebook",
    "plot_fit": "polhode.view.figures.fit",
    "plot_manoeuvre": "polhode.view.figures.manoeuvre",
    "plot_section": "polhode.view.figures.section",
    "orbit_dataset": "polhode.analysis.orbits",
    "ensemble_dataset": "polhode.io.ensemble_file",
    "ensemble_store": "polhode.io.ensemble_store",
    "save_ensemble": "polhode.io.ensemble_file",
    "load_ensemble": "polhode.io.ensemble_file",
    "plot_ensemble": "polhode.view.figures.ensembles",
}


def above(name: str) -> Callable[..., Any]:
    """The function `name` of the layer above that has it.

    >>> above("save").__module__
    'polhode.io.trajectory_file'
    """
    return getattr(import_module(ABOVE[name]), name)  # type: ignore[no-any-return]
