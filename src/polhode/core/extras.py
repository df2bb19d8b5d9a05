"""Optional packages: extras of this one, each imported where it is used.

Where one is missing, the error says in one line what to install.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import PolhodeError

# the extra of pyproject.toml in which each package is, and what needs it
EXTRAS = {
    "matplotlib": ("plot", "a figure or a movie"),
    "xarray": ("xarray", "a dataset"),
    "pandas": ("xarray", "a table of pandas"),
    "trimesh": ("shapes", "a mesh file"),
    "spiceypy": ("spice", "a SPICE kernel"),
    "ppigrf": ("igrf", "the reference model of the geomagnetic field"),
    "zarr": ("zarr", "a Zarr folder"),
    "distributed": ("cluster", "a cluster"),
}


def extra(package: str) -> Any:
    """The package, imported; an error that says what to install where it is missing.

    >>> extra("trimesh").__name__
    'trimesh'
    """
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise PolhodeError(missing(package)) from None


def missing(package: str) -> str:
    """What to say where a package is missing.

    >>> missing("trimesh")
    "a mesh file needs trimesh: pip install 'polhode[shapes]'"
    """
    name, purpose = EXTRAS[package]
    return f"{purpose} needs {package}: pip install 'polhode[{name}]'"
