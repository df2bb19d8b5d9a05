"""The package as users get it: what wheel and source archive hold, and what works without the optional packages."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from polhode.core.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "polhode"


def run(*command: str, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=1000, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with wheel and source archive."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", str(folder), cwd=ROOT)
    return folder


@pytest.mark.verify
def test_the_wheel_holds_every_file(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {p.relative_to(PACKAGE.parent).as_posix() for p in PACKAGE.rglob("*") if p.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    examples = {f"polhode/examples/{p.name}" for p in (ROOT / "examples").iterdir() if p.is_file()}
    assert files | examples <= names


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_it_installs_and_runs(built, kind, tmp_path):
    (archive,) = built.glob(kind)
    place = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    run(*pip, "--target", str(place), str(archive), cwd=tmp_path)
    env = {"PYTHONPATH": str(place), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    where = run(sys.executable, "-c", "import polhode; print(polhode.__file__)", cwd=tmp_path, **env)
    assert Path(where.strip()).is_relative_to(place)
    command = [sys.executable, "-m", "polhode.cli"]
    assert "planar_pendulum" in run(*command, "examples", cwd=tmp_path, **env)
    run(*command, "run", "planar_pendulum", "--set", "run.t_end=1.0", cwd=tmp_path, **env)
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.verify
def test_the_source_archive_can_be_tested(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as stream:
        names = {name.partition("/")[2] for name in stream.getnames()}
    assert {"pyproject.toml", "Makefile", "LICENSE", "tests/test_package.py", "examples/two_dumbbells.toml"} <= names
    assert not any(name.startswith(("docs/made", "site", ".venv")) for name in names)


PLAIN = f"""
import importlib.util, sys
missing = {list(EXTRAS)!r}
sys.modules.update(dict.fromkeys(missing))
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in missing else real(name, *more)
from polhode.cli import main
main(sys.argv[1:])
"""


def test_all_extras_can_be_missing(tmp_path):
    """A run ends well, and says that there are no figures; what needs an extra says in one line what to install."""
    env = {"PYTHONPATH": str(PACKAGE.parent)}
    short = ["--set", "run.t_end=1.0"]
    said = run(sys.executable, "-c", PLAIN, "run", "planar_pendulum", *short, cwd=tmp_path, **env)
    assert "pip install 'polhode[plot]'" in said
    assert (tmp_path / "out" / "report.html").exists()
    assert "PlanarPendulum" in run(sys.executable, "-c", PLAIN, "info", "out/planar_pendulum.nc", cwd=tmp_path, **env)
    for asked, extra in {
        "plot out/planar_pendulum.nc": "plot",
        "export out/planar_pendulum.nc --to zarr": "zarr",
    }.items():
        command = [sys.executable, "-c", PLAIN, *asked.split()]
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert f"pip install 'polhode[{extra}]'" in done.stderr


def test_every_extra_is_explained():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    readme = (ROOT / "README.md").read_text()
    for extra in set(extras) - {"test", "docs", "dev"}:
        assert f"| `{extra}` |" in readme


def test_every_optional_package_is_in_the_extra_that_its_message_names():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for package, (extra, _) in EXTRAS.items():
        assert any(needed.startswith(f"{package}>=") for needed in extras[extra]), package
