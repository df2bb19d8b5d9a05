"""The command itself: its version, the lists that it prints, and what it imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

import polhode as ph

from .command import polhode

pytestmark = pytest.mark.usefixtures("in_new_folder")


def test_version():
    assert polhode("--version").stdout == f"polhode {ph.__version__}\n"


def test_systems_and_methods_are_listed():
    systems, methods = polhode("systems").stdout, polhode("methods").stdout
    for word in ("FreeRigidBody", "inertia, allow_unphysical=False"):  # a table or paragraphs, as there is room
        assert word in systems
    for name, cls in {"LGVI": ph.LGVI, "RK4": ph.RK4}.items():
        assert name in methods
        assert cls.reference in " ".join(methods.split())  # in lines as wide as there is room
    assert "2, 4, 6, 8" in methods


def test_the_command_itself_and_what_it_imports():
    """In a process of its own: the exit code, no traceback, and help without the slow imports."""
    code = "import sys; from polhode.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    for slow in ("matplotlib", "xarray", "netCDF4", "pydantic"):
        assert slow not in done.stdout.split()
    done = subprocess.run(
        [sys.executable, "-m", "polhode.cli", "run", "none.toml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "polhode: none.toml: cannot be read: No such file or directory\n"
