"""Units: sizes against SciPy's constants, compound units, quantities, and what is refused."""

from __future__ import annotations

import math

import pytest
from scipy import constants

from polhode.core.units import BASE, KNOWN, TABLE, Units, parse
from polhode.errors import InvalidInputError

SIZES = {
    "km": constants.kilo,
    "au": constants.au,
    "inch": constants.inch,
    "foot": constants.foot,
    "mile": constants.mile,
    "minute": constants.minute,
    "hour": constants.hour,
    "days": constants.day,
    "week": constants.week,
    "Julian_year": constants.Julian_year,
    "g": constants.gram,
    "tonne": constants.metric_ton,
    "lb": constants.pound,
    "degree": constants.degree,
    "arcmin": constants.arcmin,
    "arcsecond": constants.arcsec,
    "rpm": 2 * math.pi / 60,
    "km/h": constants.kmh,
    "g/cm3": 1000.0,
    "N m": 1.0,
    "kg m2 s-2": 1.0,
    "degree/day": constants.degree / constants.day,
    "km^3/s^2": 1e9,
    "m³ kg⁻¹ s⁻²": 1.0,
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str) -> None:
    assert parse(name)[0] == pytest.approx(SIZES[name], rel=1e-15)


def test_a_stroke_divides_by_one_factor() -> None:
    assert parse("m/s/s")[1] == parse("m s-2")[1] == parse("m/s^2")[1] == (1, -2, 0, 0)
    assert parse("m/s kg")[1] == (1, -1, 1, 0)
    assert parse("J")[1:] == parse("N m")[1:] == parse("kg m2/s2")[1:]


@pytest.mark.parametrize("text", ["mm m m", "km-", "3 km", "m//s", "kmh", "m^", "m s^-", "meter:", "m12"])
def test_what_is_not_a_product_of_units(text: str) -> None:
    if text == "mm m m":
        assert parse(text)[1] == (3, 0, 0, 0)
    else:
        with pytest.raises(ValueError, match=r"not a known unit|not a product of units"):
            parse(text)


def test_quantities_are_converted_into_the_units_of_the_run() -> None:
    units = Units(length="km", time="h", mass="t")
    assert units.number("t", "30 days", "time") == 720.0
    assert units.number("t", "-1.5e1 minutes", "time") == -0.25
    assert units.number("x", "1100 m", "length") == 1.1
    assert units.number("v", "10 m/s", "length/time") == pytest.approx(36.0, rel=1e-15)
    assert units.number("G", "6.6743e-11 m3 kg-1 s-2", "length³/mass/time²") == pytest.approx(
        6.6743e-11 * 1e-9 * 1e3 * 3600**2, rel=1e-14
    )
    assert units.number("theta", "30 degree", "rad") == math.radians(30.0)
    assert Units().number("theta", "30°", "rad") == math.radians(30.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("30 dais", "did you mean 'days'"),
        ("30 km", "a quantity of time, such as '30 days'"),
        ("thirty days", "a number, or a quantity of time"),
        ("1e400 d" + " " * 200, "a number, or a quantity"),
        ("3 s/", "not a product of units"),
    ],
)
def test_quantities_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match="t_end") as caught:
        Units(time="s").number("t_end", text, "time")
    assert words in str(caught.value)


def test_units_that_are_not_named() -> None:
    with pytest.raises(InvalidInputError, match="give a number, or name the unit of time first in units"):
        Units(length="m").number("t_end", "3 s", "time")
    assert Units(length="m").of("length/time") is None
    assert Units().of("rad") == "rad"
    assert Units().of("") == "1"
    assert not Units()
    assert Units(angle="degree")


@pytest.mark.parametrize("base", BASE)
def test_each_base_takes_its_own_units_only(base: str) -> None:
    own = [name for name, (_, powers) in KNOWN.items() if powers[BASE.index(base)] == 1 and sum(map(abs, powers)) == 1]
    assert all(getattr(Units(**{base: name}), base) == name for name in own)
    for wrong in ({"length": "s", "time": "m", "mass": "m", "angle": "m"}[base], 3, "", "kmh"):
        with pytest.raises(InvalidInputError, match=f"units.{base}"):
            Units(**{base: wrong})


def test_the_table_has_no_name_twice() -> None:
    names = [name for sizes in TABLE.values() for each in sizes for name in each.split()]
    assert len(names) == len(set(names))
