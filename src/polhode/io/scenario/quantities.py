"""Quantities with their units in a scenario, such as `t_end = "30 days"`, become numbers in the units of its [units].

The keys that take one, with their dimensions, are listed here; elsewhere text stays text, as in formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.dates import Epoch
from ...core.units import QUANTITY, Units
from ...errors import InvalidInputError
from .validation import ScenarioError

LENGTH, TIME, MASS, ANGLE, RATE = "length", "time", "mass", "rad", "rad/time"
SPEED, INERTIA, SPIN = "length/time", "mass length²", "mass length²/time"


def _keys(table: Mapping[str, str]) -> dict[str, str]:
    """Dimensions by key, from keys by dimension."""
    return {key: dimension for dimension, keys in table.items() for key in keys.split()}


RUN = _keys({TIME: "step t_end t_eval"})
STATE = _keys(
    {
        TIME: "t",
        LENGTH: "X x x2",
        SPEED: "V v v2",
        ANGLE: "theta euler",
        RATE: "omega Omega Omega1 Omega2 omega_D",
        SPIN: "Pi Pi2 p rho",
        "mass length/time": "gamma",
    }
)
ORBIT = _keys({LENGTH: "a q", ANGLE: "inclination node periapsis true_anomaly mean_anomaly"})
SYSTEM = _keys(
    {
        LENGTH: "radius radii semiaxes sides height inner_radius position pivot length length1 centre1 centre2 rho0 positions point",
        MASS: "mass mass1 mass2 masses",
        INERTIA: "inertia inertia1 inertia2 inertia_cm inertias damper_inertia",
        RATE: "n",
        TIME: "lag period",
        "length/time²": "g",
        "mass/length³": "density",
        "length³/mass/time²": "G",
    }
)
ORBIT_OF_DISTANT_BODY = _keys({LENGTH: "semimajor centre", TIME: "period", ANGLE: "inclination node periapsis anomaly"})
ORBIT_OF_SATELLITE = _keys({LENGTH: "semimajor", ANGLE: "inclination node periapsis anomaly", "length³/time²": "mu"})
TABLES = {
    "run": RUN,
    "state": STATE,
    "system": SYSTEM,
    "elements": ORBIT,
    "position": ORBIT_OF_DISTANT_BODY,
    "orbit": ORBIT_OF_SATELLITE,
}
FORMULAS = ("position",)  # keys that take formulas too
VARIED = ("mean", "std", "low", "high", "radius", "values")


def convert_quantities(where: str, document: dict[str, Any]) -> dict[str, Any]:
    """The document with numbers for its quantities, after its units and its epoch are checked.

    >>> text = {"units": {"time": "h"}, "run": {"step": "90 s", "t_end": "2 days"}}
    >>> convert_quantities("a.toml", text)["run"]
    {'step': 0.025, 't_end': 48.0}
    """
    named = document.get("units", {})
    if not isinstance(named, dict) or not named.keys() <= Units.__dataclass_fields__.keys():
        return document  # this is the first thing to say
    units = check_labels(where, document)
    converted = {
        name: _convert(where, name, name, value, TABLES[name], units) if name in ("run", "state", "system") else value
        for name, value in document.items()
    }
    ensemble = document.get("ensemble")
    if isinstance(ensemble, dict) and isinstance(ensemble.get("vary"), list):
        vary = [_convert_varied(where, f"ensemble.vary[{i}]", one, units) for i, one in enumerate(ensemble["vary"])]
        converted["ensemble"] = ensemble | {"vary": vary}
    return converted


def check_labels(where: str, document: Mapping[str, Any]) -> Units:
    """The units of a document, whose epoch is checked too; what is not even a table is left to the check of its tables."""
    units, epoch = document.get("units"), document.get("epoch")
    try:
        if isinstance(epoch, dict) and "date" in epoch and set(epoch) <= set(Epoch.__dataclass_fields__):
            Epoch(**epoch)
        return Units(**units) if isinstance(units, dict) else Units()
    except InvalidInputError as error:
        field = (
            error.field
            if error.field.startswith("units.")
            else f"epoch.{error.field}".replace("epoch.epoch", "epoch.date")
        )
        raise ScenarioError.located(where, field, error) from error


def _convert(where: str, place: str, key: str, value: Any, known: Mapping[str, str], units: Units) -> Any:
    """A value of a scenario, with numbers for the quantities in it; `known` are the dimensions of the keys of its table."""
    if isinstance(value, dict):
        inner = TABLES.get(key, known)
        return {k: _convert(where, f"{place}.{k}", k, v, inner, units) for k, v in value.items()}
    if isinstance(value, list):
        return [_convert(where, f"{place}[{i}]", key, v, known, units) for i, v in enumerate(value)]
    if not isinstance(value, str) or key not in known or not (units or QUANTITY.fullmatch(value)):
        return value
    if key in FORMULAS and ((match := QUANTITY.fullmatch(value)) is None or match[2] == "/"):
        return value  # such as "2*cos(t)" or "1/t"
    try:
        return units.number(place, value, known[key])
    except InvalidInputError as error:
        raise ScenarioError.located(where, place, error) from error


def _convert_varied(where: str, place: str, table: Any, units: Units) -> Any:
    """A table of what differs between members: its values have the dimension of the key that differs."""
    if not isinstance(table, dict) or not isinstance(table.get("key"), str):
        return table
    tables, _, last = table["key"].split("[")[0].rpartition(".")
    known = TABLES.get(tables.rpartition(".")[2]) or TABLES.get(tables.partition(".")[0]) or {}
    keys = dict.fromkeys(VARIED, known[last]) if last in known else {}
    return {k: _convert(where, f"{place}.{k}", k, v, keys, units) for k, v in table.items()}
