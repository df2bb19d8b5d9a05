"""Datasets of named arrays: what xarray makes of a file and what it makes of the dataset itself are the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polhode.io.dataset import Dataset, Variable
from polhode.io.netcdf import read_netcdf, write_netcdf

xarray = pytest.importorskip("xarray")


def dataset() -> Dataset:
    values = np.random.default_rng(7).normal(size=(5, 4, 3))
    variables = {
        "x": Variable(("member", "time", "xyz"), values, {"units": "m", "long_name": "Ort, µ"}),
        "end": Variable(("member",), np.array([-0.0, np.inf, np.nan, 5e-324, 9.969209968386869e36])),
        "mass": Variable((), np.array(3.0)),
        "member": Variable(("member",), np.arange(5.0)),
        "time": Variable(("time",), np.linspace(0.0, 1.0, 4), {"units": "s"}),
        "spin": Variable(("member",), np.linspace(2.0, 3.0, 5)),
    }
    return Dataset(variables, {"title": "Größe", "steps": 12, "step": 0.1}, ("member", "time", "spin"))


def test_a_file_has_the_same_bits_dimensions_attributes_and_coordinates(tmp_path: Path) -> None:
    before = dataset()
    write_netcdf(before, tmp_path / "run.nc")
    after = read_netcdf(tmp_path / "run.nc")
    assert after.attrs == before.attrs
    assert set(after.coordinates) == set(before.coordinates)
    for name, variable in before.variables.items():
        assert after.variables[name].dims == variable.dims
        assert after[name].tobytes() == variable.values.tobytes()
        assert {k: v for k, v in after.variables[name].attrs.items() if k != "coordinates"} == variable.attrs


def test_xarray_opens_the_file_as_the_dataset_that_to_xarray_gives(tmp_path: Path) -> None:
    write_netcdf(dataset(), tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as opened:
        xarray.testing.assert_identical(opened.load(), dataset().to_xarray())


def test_there_and_back_through_xarray() -> None:
    after = Dataset.of_xarray(dataset().to_xarray())
    assert after.sizes == dataset().sizes
    assert set(after.coordinates) == {"member", "time", "spin"}
    assert {name: v.dims for name, v in after.variables.items()} == {n: v.dims for n, v in dataset().variables.items()}


def test_texts_in_a_file_of_others_are_left_out(tmp_path: Path) -> None:
    xarray.Dataset({"name": ("n", ["a", "b"]), "x": ("n", [1.0, 2.0])}).to_netcdf(tmp_path / "other.nc")
    assert list(read_netcdf(tmp_path / "other.nc").variables) == ["x"]


@pytest.mark.verify
def test_a_file_with_a_damaged_attribute_does_not_end_the_process(tmp_path: Path) -> None:
    """In a process of its own: the library's error when it closes the file is a crash, not an exception."""
    write_netcdf(dataset(), tmp_path / "run.nc")
    content = (tmp_path / "run.nc").read_bytes()
    code = """
import gc, sys
import subprocess
import sys
from pathlib import Path
from polhode.errors import InvalidInputError
from polhode.io.netcdf import read_netcdf
file = Path(sys.argv[1])
content = file.read_bytes()
starts = [i for i in range(len(content)) if content.startswith(b"OCHK", i) or content.startswith(b"OHDR", i)]
refused = 0
for start in starts:
    for place in range(start, start + 160, 5):
        file.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        try:
            read_netcdf(file)
        except InvalidInputError:
            refused += 1
        gc.collect()
print(refused)
"""
    assert b"OHDR" in content
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run.nc")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 20
