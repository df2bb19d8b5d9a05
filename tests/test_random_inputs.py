"""Whatever is given to a constructor, to `state` or to a scenario: it is accepted, or refused in words."""

from __future__ import annotations

import inspect
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode
from polhode import bodies, control, estimation, systems
from polhode.core.method import known_methods
from polhode.core.system import State, System
from polhode.errors import PolhodeError
from polhode.io.scenario.build import build_plan
from polhode.io.scenario.document import scenario_from_text
from polhode.systems import known_systems

from .io.scenario.scenarios import GOOD
from .random_inputs import anything, cases, changed, words

SYSTEMS = {name: cls.example() for name, cls in known_systems().items() if cls.__module__.startswith("polhode.")}

FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def arguments(function: Any) -> list[str]:
    """The names of what a function takes."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds and p.name != "self"]


def accepted_or_refused(call: Any, *positional: Any, **named: Any) -> Any:
    """The result; None where the call is refused in one of our errors, whose text is one paragraph."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, for numbers near the largest double
        warnings.filterwarnings("ignore", ".*a Python function is called")  # which any callable may be taken for
        try:
            return call(*positional, **named)
        except PolhodeError as error:
            refusal: Exception = error
        except TypeError as error:  # as of any function of Python: an argument that it does not have, or one too few
            if not re.search(r"(__init__|state|of)\(\) .*argument", str(error)):
                raise
            refusal = error
    assert str(refusal).strip()
    assert "\x1b" not in str(refusal)
    return None


def right_arguments(system: System) -> dict[str, Any]:
    """The arguments that made an example, and those that it left out."""
    given_ones = dict(system._arguments[1])
    names = arguments(type(system))
    given_ones |= dict(zip(names, system._arguments[0], strict=False))
    return {name: value for name, value in given_ones.items() if name in names}


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems(name: str) -> None:
    system = SYSTEMS[name].system
    defaults = {
        p.name: p.default
        for p in inspect.signature(type(system)).parameters.values()
        if p.default is not inspect.Parameter.empty
    }
    right = defaults | right_arguments(system)

    @cases(0.5 / len(SYSTEMS))
    @given(changed(right))
    def check(values: dict[str, Any]) -> None:
        found = accepted_or_refused(type(system), **values)
        if found is not None:
            repr(found)
            found.describe()

    check()


@pytest.mark.parametrize("name", SYSTEMS)
def test_states(name: str) -> None:
    state = SYSTEMS[name]
    known = {n: v for n, v in state.values.items() if n in arguments(state.system.state)}
    right = dict.fromkeys(arguments(state.system.state)) | known | {"t": 0.0}

    @cases(0.3 / len(SYSTEMS))
    @given(changed(right))
    def check(values: dict[str, Any]) -> None:
        found = accepted_or_refused(state.system.state, **values)
        assert found is None or isinstance(found, State)

    check()


@cases(0.05)
@given(st.sampled_from(sorted(known_methods())), st.data())
def test_methods(name: str, data: st.DataObject) -> None:
    cls = known_methods()[name]
    values = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(arguments(cls), anything)))
    accepted_or_refused(cls, **values)


TOP = SYSTEMS["FreeRigidBody"]
FILTER = estimation.MEKF(TOP, 1e-4 * np.eye(6))
CONSTRUCTORS: dict[Any, dict[str, Any]] = {
    bodies.Ellipsoid: {"mass": 1.0, "semiaxes": [0.3, 0.2, 0.1]},
    bodies.Sphere: {"mass": 1.0, "radius": 0.3},
    bodies.PointMasses: {"masses": [1.0, 2.0], "positions": [[0.0, 0.0, 0.1], [0.0, 0.2, 0.0]]},
    bodies.Dumbbell: {"mass": 1.0, "length": 0.5, "radius": 0.1},
    bodies.GivenIntegrals: {
        "integrals": {(0, 0, 0): 1.0, (2, 0, 0): 0.1, (0, 2, 0): 0.1, (0, 0, 2): 0.1},
        "radius": 1.0,
    },
    bodies.Polyhedron: {"vertices": np.vstack([np.zeros(3), np.eye(3)]), "faces": FACES, "mass": 1.0},
    bodies.Inertia.of: {"value": [1.0, 2.0, 2.5], "allow_unphysical": False},
    polhode.Rotor: {
        "inertia": [0.1, 0.2],
        "mass": 0.5,
        "position": [0.1, 0.0, 0.0],
        "axis": [0.0, 0.0, 1.0],
        "speed": 3.0,
    },
    polhode.UniformField: {"g": [0.0, 0.0, -1.0]},
    polhode.DistantBody: {"mass": 3.0, "position": [9.0, 0.0, 0.0], "order": 2, "tidal": False},
    polhode.ExternalPotential: {"potential": "x*x + y", "bodies": None, "length": 1.0},
    polhode.KeplerOrbit: {"semimajor": 9.0, "period": 30.0, "eccentricity": 0.1, "centre": (0.0, 0.0, 0.0)},
    polhode.TidalFriction: {"on": 0, "by": 1, "k2": 0.5, "radius": 0.3, "lag": 0.02},
    polhode.Contact: {"stop": True},
    polhode.Crossing: {"name": "up", "function": lambda state: state.omega[0], "stop": False},
    estimation.Brightness: {
        "body": bodies.Box([3.0, 2.0, 1.0], mass=1.0),
        "sun": [1.0, 0.0, 0.0],
        "observer": [0.0, 1.0, 0.0],
        "lambert": 0.1,
        "field": "R",
    },
    estimation.Gyro: {"sigma": 1e-3, "bias_walk": 1e-6, "name": "gyro"},
    estimation.VectorSensor: {"reference": [0.0, 0.0, 1.0], "sigma": 1e-3, "name": "sun"},
    estimation.MEKF: {"state": TOP, "covariance": 1e-4 * np.eye(6), "acceleration_noise": 1e-10, "gate": None},
    estimation.FilterInLoop: {
        "mekf": FILTER,
        "sensors": [estimation.VectorSensor([0.0, 0.0, 1.0], 1e-3)],
        "rng": 1,
        "bias": None,
    },
    control.Wheels: {"axes": np.eye(3), "torque": 1.0, "momentum": 2.0},
    control.Thrusters: {"positions": np.eye(3), "directions": np.ones((3, 3)), "force": 1.0, "minimum_on": 0.1},
    bodies.Box: {"sides": [0.3, 0.2, 0.1], "mass": 1.0, "colour": "#0072B2", "name": "brick"},
    bodies.Cylinder: {"radius": 0.3, "height": 0.2, "density": 1.0, "inner_radius": 0.1},
    bodies.Cone: {"radius": 0.3, "height": 0.2, "mass": 1.0},
    bodies.Part: {"body": bodies.Sphere(1.0, 0.3), "position": [0.0, 0.0, 1.0], "axis": [1.0, 0.0, 0.0]},
    bodies.Compound: {
        "parts": [bodies.Sphere(1.0, 0.3), {"type": "box", "sides": [1, 1, 1], "mass": 1}],
        "recentre": True,
    },
    polhode.Orbit: {"semimajor": 8e6, "eccentricity": 0.1, "inclination": 0.5, "anomaly": 0.1, "J2": 1e-3},
    polhode.MagneticField: {"coefficients": [[1, 0, -3e-5, 0.0]], "radius": 6.4e6, "rate": 7e-5, "angle": 0.1},
    polhode.Plate: {"area": 1.0, "normal": [0.0, 0.0, 1.0], "centre": [0.1, 0.0, 0.0], "specular": 0.2, "drag": 2.2},
    polhode.GravityGradient: {},
    polhode.ResidualDipole: {"moment": [0.0, 0.0, 0.1], "field": None},
    polhode.SolarPressure: {"plates": [polhode.Plate(1.0, [0, 0, 1])], "sun": [1.0, 0.0, 0.0], "pressure": 4.6e-6},
    polhode.AirDrag: {"plates": [polhode.Plate(1.0, [0, 0, 1])], "density": 4e-12, "scale_height": 6e4, "base": 4e5},
    polhode.Units: {"length": "km", "time": "s", "mass": "kg", "angle": "degree"},
    polhode.Epoch: {"date": "2031-05-04", "time_system": "TDB", "frame": "J2000", "centre": "ORIGIN"},
}
# made by functions, or read from a file that is checked: their constructors take what those have found
RESULTS = {
    *("State", "Ensemble", "Trajectory", "Equilibrium", "Linearization", "Placement", "Inertia", "Fit", "Update"),
    *("CovarianceRun", "Observation", "FirstOrder", "Stepped", "DiscreteProblem", "DiscreteSteering", "Extremal"),
    *("Geodesic", "Steering", "TwoSidedSteering", "Manoeuvre"),
}


def test_every_public_constructor_is_tried() -> None:
    """Or is said to be of a result: a new class has to be given its place here. Systems and methods find theirs."""
    found = {
        value.__name__: value
        for module in (polhode, bodies, systems, estimation, control)
        for value in (getattr(module, name) for name in module.__all__)
        if inspect.isclass(value) and not issubclass(value, BaseException) and not inspect.isabstract(value)
    }
    tried = {*SYSTEMS, *known_methods(), *(make.__name__ for make in CONSTRUCTORS), *RESULTS}
    abstract = {"Body", "Method", "System", "Propagator"}
    assert found.keys() - tried - abstract == set()


@pytest.mark.parametrize("make", CONSTRUCTORS, ids=lambda make: make.__qualname__)
def test_constructors(make: Any) -> None:
    right = CONSTRUCTORS[make]
    assert set(right) <= set(arguments(make))
    assert accepted_or_refused(make, **right) is not None

    @cases(0.1 / len(CONSTRUCTORS))
    @given(changed(right))
    def check(values: dict[str, Any]) -> None:
        found = accepted_or_refused(make, **values)
        if found is not None:
            repr(found)

    check()


@cases(0.1)
@given(st.data())
def test_scenarios(data: st.DataObject) -> None:
    """A text with a few characters cut out, doubled, or replaced by others."""
    text = GOOD
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 12))
        new = data.draw(st.one_of(words, st.just(text[place : place + length] * 2)))
        text = text[:place] + new + text[place + length :]
    accepted_or_refused(lambda: build_plan(scenario_from_text("some.toml", text)))
