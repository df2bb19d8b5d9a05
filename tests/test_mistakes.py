"""Plausible mistakes, in Python and in the command: each is answered by one message that says what to do.

A row of the table: the mistake, and words that its message must hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import polhode as ph
from polhode.bodies import Box, Ellipsoid, Polyhedron, Sphere
from polhode.cli import main
from polhode.control import Wheels

LONGEST = 700  # characters of a message

SCENARIO = """
[units]
length = "m"
time = "s"
mass = "kg"
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 3.0]
[state]
omega = [0.7, -0.6, 0.5]
[run]
step = 0.1
t_end = 2.0
"""

FILES = {
    "case.toml": SCENARIO,
    "unquoted.toml": "[system]\ntype = FreeRigidBody\n",
    "colon.toml": "title: my case\n",
    "comma.toml": "[run]\nstep = 0,1\n",
    "twice.toml": "[run]\nstep = 1\n[run]\n",
    "empty.toml": "",
    "table.toml": SCENARIO.replace("[state]", "[stat]"),
    "script.py": "import polhode as ph\n",
}


@cache
def body() -> ph.FreeRigidBody:
    return ph.FreeRigidBody([1, 2, 3])


@cache
def state() -> ph.State:
    return body().state(omega=[0.7, -0.6, 0.5])


@cache
def traj() -> ph.Trajectory:
    return ph.simulate(state(), step=0.1, steps=20)


@cache
def pair() -> ph.FullTwoBodyProblem:
    return ph.FullTwoBodyProblem(Sphere(1.0, 0.1, name="Beta"), Sphere(2.0, 0.1, name="Alpha"))


def run(**options: Any) -> ph.Trajectory:
    return ph.simulate(state(), **({"step": 0.1, "t_end": 1.0} | options))


def controlled(controller: Any = lambda t, now: {}, every: Any = 0.1, **options: Any) -> ph.Trajectory:
    craft = ph.Gyrostat([1, 2, 2.5], torque=["u1", "u2", "u3"], parameters={"u1": 0.0, "u2": 0.0, "u3": 0.0})
    return ph.simulate(craft.state(), step=0.1, t_end=1.0, controller=controller, every=every, **options)


IN_PYTHON: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "a system for a state": (lambda: ph.simulate(body(), t_end=1.0), ["state = ", ".state(omega="]),  # type: ignore[arg-type]
    "no end": (lambda: ph.simulate(state(), step=0.1), ["t_end", "say when the run ends", "t_end or steps"]),
    "two ends": (lambda: run(steps=3), ["give either t_end or steps"]),
    "an end between steps": (lambda: run(step=0.3), ["whole number of steps", "use t_end = 0.9", "0.25"]),
    "the other direction": (lambda: run(t_end=-1.0), ["t_end = -1.0", "a time after the start"]),
    "dt for step": (lambda: ph.simulate(state(), dt=0.1, t_end=1.0), ["'dt'", "did you mean 'step'", "t_end="]),  # type: ignore[call-arg]
    "a step without its name": (lambda: ph.simulate(state(), 0.1, 1.0), ["Use simulate(state, step=0.01, t_end=10.0)"]),  # type: ignore[misc]
    "a method by its name": (lambda: run(method="LGVI"), ["method = 'LGVI'", "such as LGVI(order=2)"]),
    "an order that there is not": (lambda: ph.LGVI(order=3), ["order = 3", "2, 4, 6, 8"]),
    "a method that does not fit": (lambda: run(method=ph.SymmetricMoserVeselov()), ["cannot integrate FreeRigidBody", "LGVI"]),
    "a step that is too long": (lambda: run(step=100.0, t_end=1000.0), ["the largest usable step", "a good choice"]),
    "an event that is not one": (lambda: run(events=[abs]), ["events", "[Contact()] or [Crossing(name, function)]"]),
    "an event of the time alone": (lambda: run(events=[ph.Crossing("noon", lambda now: 0.5 - now.t)]), ["one number for each", "t_end and t_eval"]),
    "an event of a single state": (lambda: run(events=[ph.Crossing("a", lambda now: now.omega[0])]), ["one number for each", "state.omega[..., 0]"]),
    "the same with as many states as axes": (
        lambda: run(t_end=0.2, events=[ph.Crossing("a", lambda now: now.omega[0])]),
        ["6 states", "shape (3,)", "state.omega[..., 0]"],
    ),
    "a contact of one body": (lambda: run(events=[ph.Contact()]), ["at least two bodies"]),
    "moments of no body": (lambda: ph.FreeRigidBody([1, 1, 3]), ["(3 > 1 + 1)", "allow_unphysical=True"]),
    "a rate of two numbers": (lambda: body().state(omega=[0.7, -0.6]), ["omega", "shape (3,), not (2,)"]),
    "rate and momentum": (lambda: body().state(omega=[1, 0, 0], Pi=[1, 0, 0]), ["either omega or Pi"]),
    "a matrix that does not rotate": (lambda: body().state(R=[[1, 0, 0], [0, 1, 0], [0, 0, 2]]), ["R = ", "a rotation"]),
    "a misspelt field": (lambda: traj().omgea, ["omgea", "did you mean 'omega'", "Its fields are R, q, omega, Pi"]),
    "a time for an index": (lambda: traj()[1.5], ["traj.at(1.5)"]),  # type: ignore[call-overload]
    "a sample too far": (lambda: traj()[100], ["sample 100", "0 to 20"]),
    "a time after the run": (lambda: traj().at(100.0), ["t = 100.0", "times from 0 to 2"]),
    "a figure of other systems": (lambda: traj().plot("orbit"), ["figure = 'orbit'", "invariants, rates"]),
    "one axes for two panels": (lambda: traj().plot("rates", ax=3), ["ax = 3", "a list of 2 Axes"]),
    "a result that is not there": (lambda: ph.load("nowhere.nc"), ["nowhere.nc", "does not exist"]),
    "a movie of a kind unknown": (lambda: traj().movie("run.avi"), ["run.avi", ".mp4 or .gif"]),
    "a mesh that is not there": (lambda: Polyhedron.from_file("rock.obj", density=1.0), ["rock.obj", "does not exist"]),
    "a mass below zero": (lambda: Ellipsoid(-1.0, [1, 2, 3]), ["mass = -1.0", "a positive number"]),
    "bodies of one name": (lambda: ph.FullBodyProblem([Sphere(1.0, 0.1, name="A")] * 2), ["'A'", "give each its own"]),
    "a body that is not there": (lambda: pair().body_number("Gamma"), ["'Gamma'", "0 to 1", "Beta, Alpha"]),
    "no position": (lambda: pair().state(V=[0, 1, 0]), ["the relative position X, or orbital elements"]),
    "a misnamed element": (lambda: pair().state(elements={"a": 1.0, "ecc": 0.1}), ["elements", "a, q, e, inclination"]),
    "a quantity without units": (lambda: run(t_end="30 days"), ["t_end = '30 days'", "name the unit of time", 'time = "s"']),
    "a quantity of the wrong kind": (lambda: run(t_end="3 km", units={"time": "s"}), ["t_end = '3 km'", "of time", "'30 days'"]),
    "a misspelt unit": (lambda: run(step="1 secnd", units={"time": "s"}), ["step", "'secnd'", "did you mean 'second'"]),
    "units by one word": (lambda: run(units="SI"), ["units = 'SI'", "{'length': 'km'"]),
    "a misspelt kind of unit": (lambda: run(units={"lenght": "km"}), ["'lenght' is unknown", "length, time, mass, angle"]),
    "a unit of another kind": (lambda: run(units={"length": "s"}), ["units.length = 's'", "one of m, km"]),
    "a unit in capitals": (lambda: run(units={"time": "Days"}), ["units.time = 'Days'", "did you mean 'days'"]),
    "a date in words": (lambda: run(epoch="May 4, 2031"), ["epoch = 'May 4, 2031'", "2031-05-04T12:00:00"]),
    "a time system of no standard": (lambda: run(epoch={"date": "2031-05-04", "time_system": "ET"}), ["'ET'", "TDB"]),
    "dates without an epoch": (lambda: traj().to_pandas(dates=True), ["need an epoch and a unit of time"]),
    "a short name of the rate": (lambda: body().state(w=[1, 0, 0]), ["did you mean 'omega'", "FreeRigidBody.state()", "R, q"]),
    "the other letter of the inertia": (lambda: ph.FreeRigidBody(J=[1, 2, 3]), ["did you mean 'inertia'", "FreeRigidBody()"]),  # type: ignore[call-arg]
    "no inertia": (lambda: ph.FreeRigidBody(), ["missing", "Its arguments are inertia"]),  # type: ignore[call-arg]
    "a position of the other form": (lambda: pair().state(x=[1, 0, 0]), ["did you mean 'X'", "elements"]),  # type: ignore[call-arg]
    "three sides of a box": (lambda: Box(1.0, 2.0, 3.0), ["Box()", "Its arguments are sides, mass"]),  # type: ignore[misc]
    "color for colour": (lambda: Sphere(1.0, 0.1, color="red"), ["did you mean 'colour'"]),  # type: ignore[call-arg]
    "a misspelt option of a method": (lambda: ph.LGVI(oder=4), ["LGVI()", "did you mean 'order'"]),  # type: ignore[call-arg]
    "a misspelt class": (lambda: ph.FreeRigidbody, ["did you mean 'FreeRigidBody'?"]),  # type: ignore[attr-defined]
    "several states at once": (lambda: ph.simulate([state()] * 2, t_end=1.0), ["2 states", "ensemble(states, ...)"]),  # type: ignore[arg-type]
    "degrees in a text": (lambda: body().state(omega="30 degree/s"), ["'30 degree/s'", "shape (3,)", "in scenario files only"]),
    "an angle with a unit": (lambda: body().state(euler=["60 deg", 0, 0]), ["euler", "in scenario files only"]),
    "axes that there are not": (lambda: body().state(euler=[1, 0, 0], sequence="XYQ"), ["sequence = 'XYQ'", "three of X, Y, Z"]),
    "a class for a method": (lambda: run(method=ph.LGVI), ["a method, such as LGVI(order=2)"]),
    "a span of times": (lambda: ph.simulate(state(), t_span=(0, 1)), ["'t_span'", "Use simulate(state, step=0.01, t_end=10.0)"]),  # type: ignore[call-arg]
    "half a step": (lambda: ph.simulate(state(), step=0.1, steps=10.5), ["steps = 10.5", "a whole number"]),  # type: ignore[arg-type]
    "a tolerance beyond doubles": (lambda: ph.simulate(state(), t_end=1.0, tolerance=1e-20), ["tolerance", "from 1e-13"]),
    "times out of order": (lambda: ph.simulate(state(), t_eval=[0, 2, 1]), ["t_eval", "in rising order"]),
    "a circle by e = 1": (lambda: pair().state(elements={"a": 1.0, "e": 1.0}), ["elements.a", "for a parabola give q"]),
    "a formula with a name without value": (lambda: ph.AttitudeBody([1, 2, 3], potential="m*R33"), ["m is not among them", "parameters"]),
    "a formula in NumPy": (lambda: ph.AttitudeBody([1, 2, 3], potential="np.sin(R33)"), ["a formula in R11 … R33"]),
    "an orbit in kilometres": (lambda: ph.Orbit(6850.0), ["semimajor = 6850.0", "outside the planet", "6.37814e+06"]),
    "two figures at once": (lambda: traj().plot(["rates", "euler"]), ["figure", "one name, of invariants, rates"]),  # type: ignore[arg-type]
    "a result as a table": (lambda: traj().save("run.csv"), ["a NetCDF file (.nc)", "write_csv"]),
    "a result for MATLAB": (lambda: traj().save("run.mat"), ["run.mat", "NumPy arrays"]),
    "a field in brackets": (lambda: traj()["omega"], ["traj['omega']", "a number, a slice"]),  # type: ignore[call-overload]
    "the other body of one": (lambda: traj().rotations("Alpha"), ["body = 'Alpha'", "there is one body"]),
    "units in a list": (lambda: run(units=["km", "s"]), ["units = ['km', 's']", "{'length': 'km'"]),
    "metres for minutes": (lambda: run(t_end="1 m", units={"time": "s"}), ["t_end = '1 m'", "a quantity of time"]),
    "a Julian date": (lambda: run(epoch=2451545.0), ["epoch = 2451545.0", "a date like"]),
    "a month too many": (lambda: run(epoch="2031-13-04"), ["epoch = '2031-13-04'", "a date like"]),
    "a misspelt unit of angles": (lambda: run(units={"angle": "degreees"}), ["units.angle = 'degreees'", "did you mean 'degrees'"]),
    "a number for a unit": (lambda: run(units={"time": 5}), ["units.time = 5", "one of s, ms"]),
    "a prefix too many": (lambda: run(units={"mass": "Mkg"}), ["units.mass = 'Mkg'", "one of kg, g"]),
    "an interval of Python's": (lambda: run(t_end=timedelta(days=1)), ["t_end = datetime.timedelta(days=1)", "a finite number"]),
    "a duration below zero": (lambda: run(t_end="-30 s", units={"time": "s"}), ["t_end = -30.0", "a time after the start"]),
    "an end between steps, in units": (lambda: run(t_end="1 min", step="7 s", units={"time": "s"}), ["t_end = 60.0", "use t_end = 56"]),
    "units for the view": (lambda: traj().view(units={"time": "s"}), ["Trajectory.view()", "Its arguments are height"]),
    "axes for ax": (lambda: traj().plot("rates", axes=None), ["Trajectory.plot()", "did you mean 'ax'", "figure, ax"]),
    "frames per second": (lambda: traj().movie("a.gif", fps=25), ["Trajectory.movie()", "Its arguments are path, seconds"]),
    "a part by a quantity, without units": (lambda: traj().between("1 s", "2 s"), ["start = '1 s'", "name the unit of time"]),
    "a part by words": (lambda: traj().between(end="soon"), ["end = 'soon'", "a number, or a quantity of time"]),
    "a part by an array": (lambda: traj().between([0.5, 1.0]), ["start = [0.5, 1.0]", "a single number"]),
    "a time of words": (lambda: traj().at(["now", 1.0]), ["t = ['now', 1.0]", "a time, or a list of times"]),
    "a time with a unit of length": (lambda: traj().labelled({"time": "s"}).at("3 km"), ["t = '3 km'", "a quantity of time"]),
    "a pace in words": (lambda: controlled(every="fast"), ["every = 'fast'", "a number, or a quantity of time"]),
    "a pace of two numbers": (lambda: controlled(every=[0.1, 0.2]), ["every = [0.1, 0.2]", "a single number"]),
    "a pace between steps": (lambda: controlled(every=0.25), ["every = 0.25", "a whole number of steps of 0.1"]),
    "a command that is unknown": (lambda: controlled(lambda t, now: {"u4": 1.0}), ["{'u4': 1.0}", "values of u1, u2, u3"]),
    "a command without names": (lambda: controlled(lambda t, now: [0, 0, 0]), ["controller = [0, 0, 0]", "values of u1, u2, u3"]),
    "a command that is no number": (lambda: controlled(lambda t, now: {"u1": float("nan")}), ["parameters.u1 = nan", "finite numbers"]),
    "wheels in a plane": (lambda: Wheels([[1, 0, 0], [0, 1, 0]]), ["axes", "three independent directions"]),
    "a rate in degrees": (lambda: body().state(omega_deg=[1, 2, 3]), ["did you mean 'omega'"]),
    "one moment": (lambda: ph.FreeRigidBody(3.0), ["inertia = 3.0", "three principal moments"]),
    "a colour by a fancy name": (lambda: Sphere(1.0, 0.1, colour="blurple"), ["colour = 'blurple'", "#rrggbb"]),
    "mass and density": (lambda: Box([1, 2, 3], mass=1.0, density=2.0), ["mass = 1.0", "either mass or density"]),
    "a controller of the state alone": (lambda: controlled(lambda now: {}), ["controller = ", "a function of the time and the state: too many"]),
    "a command of an axis too many": (lambda: controlled(lambda t, now: {"u1": now.omega}), ["parameters.u1 = ", "a single number"]),
    "a field misspelt by a controller": (lambda: controlled(lambda t, now: {"u1": now.omgea[0]}), ["a state of Gyrostat", "did you mean 'omega'"]),
    "an estimator by its name": (lambda: controlled(estimator="mekf"), ["estimator = 'mekf'", "a function of the time and the state"]),
    "a limit of wheels by another name": (lambda: Wheels(np.eye(3), max_torque=1.0), ["Wheels()", "did you mean 'torque'", "axes, torque, momentum"]),  # type: ignore[call-arg]
    "a letter of an orbit": (lambda: ph.Orbit(7e6, e=0.1), ["Orbit()", "did you mean 'eccentricity'"]),  # type: ignore[call-arg]
    "an inclination in degrees": (lambda: ph.Orbit(7e6, inclination="51 deg"), ["inclination = '51 deg'", "a number; quantities with units"]),  # type: ignore[arg-type]
    "a crossing without a name": (lambda: ph.Crossing(lambda now: now.omega[..., 0], "a"), ["name = ", "Crossing('up', function)"]),  # type: ignore[arg-type]
    "the energy as a field": (lambda: traj().energy, ["has no 'energy'", "invariants()['energy']"]),
    "the time by its name": (lambda: traj().time, ["has no 'time'", "did you mean 't'"]),
    "a short name in a state": (lambda: state().w, ["a state of FreeRigidBody", "did you mean 'omega'"]),
    "an ellipse for an ellipsoid": (lambda: Ellipsoid(1.0, [1, 2]), ["semiaxes = [1, 2]", "shape (3,), not (2,)"]),
    "a constant by a word": (lambda: ph.FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(1.0, 0.1), G="SI"), ["G = 'SI'", "expected numbers"]),  # type: ignore[arg-type]
    "a misspelt mass of a rotor": (lambda: ph.Rotor([0.02, 0.01], mas=1.0), ["Rotor()", "did you mean 'mass'"]),  # type: ignore[call-arg]
    "a controller without a pace": (lambda: run(controller=lambda t, now: {}), ["every = None", "from one sample of the controller"]),
}  # fmt: skip

IN_THE_COMMAND: dict[str, list[str]] = {
    "run nowhere": ["no file or example", "polhode examples"],
    "run kw44": ["did you mean 'kw4'"],
    "run nowhere.toml": ["nowhere.toml", "No such file"],
    "run .": ["folder", "a scenario is a TOML file"],
    "run result.nc": ["this is a result", "polhode info"],
    "rnu case.toml": ["Did you mean 'run'"],
    "run case.toml --set run.stp=1": ["run.stp is unknown", "did you mean 'step'", "t_end"],
    "run case.toml --set step=1": ["step is unknown", "did you mean 'run.step'"],
    "run case.toml --set run.step": ["KEY=VALUE"],
    "run case.toml --set run.step=0.3": ["run.t_end = 2.0", "whole number of steps", "use t_end = 1.8"],
    "run case.toml --set run.t_end=": ["run.t_end is missing", "t_end or steps"],
    "run case.toml --set system.type=FreeRigidbody": ["system.type", "did you mean 'FreeRigidBody'"],
    "run case.toml --set method.type=lgvi": ["method.type = 'lgvi'", "did you mean 'LGVI'"],
    "run case.toml --set state.w=1": ["state.w is unknown", "omega, Pi"],
    "run case.toml --set run.t_end=30dais": ["run.t_end = '30dais'", "did you mean 'days'"],
    "run case.toml --set run.t_end=30km": ["run.t_end = '30km'", "a quantity of time", "'30 days'"],
    "run case.toml --set state.omega=5degrees": ["state.omega = '5degrees'", "rad/time", "'5 degree/s'"],
    "run case.toml --set units.time=fortnight": ["units.time = 'fortnight'", "one of s, ms"],
    "run case.toml --set units.lenght=km": ["units.lenght is unknown", "did you mean 'length'"],
    "run case.toml --set units=SI": ["units = 'SI'", "a table with the names of the units"],
    "run case.toml --set epoch.date=soon": ["epoch.date = 'soon'", "a date like 2031-05-04"],
    "run case.toml --set units.time= --set run.t_end=1min": [
        "run.t_end = '1min'",
        "a number, or name the unit of time",
    ],
    "info case.toml": ["case.toml", "this is a scenario", "polhode run"],
    "plot result.nc --figure orbits": ["figure = 'orbits'", "one of invariants"],
    "plot result.nc --from-time 3days": ["the run is from 0 to 2"],
    "plot result.nc --from-time soon": ["--from-time = 'soon'", "a number, or a quantity of time"],
    "export result.nc --to spk": ["has no position", "--to ck and aem"],
    "export result.nc --to scv": ["--to = 'scv'", "did you mean 'csv'"],
    "export result.nc --to aem --body 3": ["--body = 3", "0 or 'body'"],
    "export result.nc --to aem --epoch soon": ["epoch = 'soon'", "a date like"],
    "movie result.nc --out a.avi": ["a.avi", ".mp4 or .gif"],
    "ensemble case.toml": ["no [ensemble] table"],
    "analyse case.toml": ["no [analysis] table", "exponents, chaos_map, section"],
    "run unquoted.toml": ["line 2", "in 'type = FreeRigidBody'", "text needs quotes"],
    "run colon.toml": ["in 'title: my case'", "= between a key and its value"],
    "run script.py": ["a Python program", "python script.py"],
    "run case.toml --out result.nc": ["result.nc is a file, not a folder"],
    "run case.toml --set run.steps=5": ["run.steps = 5", "either t_end or steps"],
    "run case.toml --set system.mass=3": ["system.mass is unknown", "inertia"],
    "run case.toml --set method.order=3": ["method.order = 3", "2, 4, 6, 8"],
    "run case.toml --set output.plots=['orbit']": ["output.plots", "invariants, rates"],
    "run case.toml --set output.file=a.csv": ["output.file = 'a.csv'", "ending in .nc"],
    "run case.toml --set state.omega=['1m/s','0','0']": ["state.omega[0] = '1m/s'", "'5 degree/s'"],
    "run case.toml --set run.t_end='1h30min'": ["run.t_end = '1h30min'", "not a product of units"],
    "run case.toml --set units.angle=grad": ["units.angle = 'grad'", "degree"],
    "run case.toml --set epoch.date=2031-02-30": ["epoch.date = '2031-02-30'", "a date like"],
    "run case.toml --set epoch.date=2031-02-03 --set epoch.time_system=GPST": ["'GPST'", "'GPS', 'MET'"],
    "run case.toml --tolerance 0": ["run.tolerance = 0.0", "from 1e-13 to 0.01"],
    "resume nowhere": ["there is no unfinished run"],
    "plot result.nc --from-time 1.5 --to-time 0.5": ["a span with samples", "from 0 to 2"],
    "plot result.nc --format jpg": ["format = 'jpg'", "png, pdf, svg, eps"],
    "view result.nc --html nowhere/v.html": ["the folder nowhere does not exist"],
    "export result.nc": ["--to = ''", "one of csv, zarr, spice"],
    "export result.nc --to csv --field omgea": ["field = 'omgea'", "did you mean 'omega'"],
    "describe Gyroscope": ["system = 'Gyroscope'", "Gyrostat"],
    "new FreeRigidBody --out case.toml": ["case.toml", "exists already"],
    "run case.toml --step 0.1": ["No such option: --step", "--set run.step=VALUE"],
    "run case.toml --method LGVI": ["No such option: --method", "--set method.type=VALUE"],
    "check case.toml --t_end 3": ["No such option: --t_end", "--set run.t_end=VALUE"],
    "analyse case.toml --save-every 3": ["No such option: --save-every", "--set run.save_every=VALUE"],
    "run case.toml --set epoch=2031-05-04": ["a table with the date of t = 0", "epoch.date ="],
    "run case.toml --set run.step=0.1s2": ["run.step = '0.1s2'", "a quantity of time"],
    "run case.toml --set run.save_every=0": ["run.save_every = 0", "at least 1"],
    "run case.toml --set run.t_end=inf": ["run.t_end = inf", "a finite number"],
    "run case.toml --set run.tolerance=1e-6": ["step and tolerance exclude each other"],
    "describe LGVI": ["system = 'LGVI'", "this is a method", "polhode methods"],
    "movie result.nc --out a.gif --seconds 0": ["seconds = 0.0", "a number above 0"],
    "export result.nc --to csv --out nowhere/a.csv": ["the folder nowhere does not exist"],
    "run comma.toml": ["in 'step = 0,1'", "decimals have a point: step = 0.1"],
    "run case.toml --set run.t_end = 3": ["extra argument", "--set KEY=VALUE without spaces"],
    "info kw4": ["path = 'kw4'", "`polhode run kw4` makes a result"],
    "plot kw4 --figure orbit": ["path = 'kw4'", "`polhode run kw4` makes a result"],
    "view result.nc --html view.pdf": ["--html = 'view.pdf'", "a name that ends in .html"],
    "resume case.toml": ["no unfinished run", "the folder of a run that was stopped"],
    "describe freerigidbody": ["did you mean 'FreeRigidBody'?"],
    "new gyrostat": ["did you mean 'Gyrostat'?"],
    "examples two_dumbells": ["did you mean 'two_dumbbells'?"],
    "run twice.toml": ["Cannot declare ('run',) twice", "at line 3"],
    "run empty.toml": ["the file is empty", "[system], [state] and [run]"],
    "run table.toml": ["stat is unknown", "did you mean 'state'?"],
    "run case.toml --set state.omega=[1,2]": ["state.omega = [1, 2]", "shape (3,), not (2,)"],
    "run case.toml --set system.inertia=1": ["system.inertia = 1", "three principal moments or a 3×3 matrix"],
    "run case.toml --tolerance tiny": ["'--tolerance'", "a valid number"],
    "movie result.nc --out a.gif --seconds 10s": ["'--seconds'", "a valid number"],
    "plot result.nc --format PNG": ["format = 'PNG'", "did you mean 'png'?"],
    "export result.nc --to oem": ["has no position and velocity", "--to ck and aem"],
    "studio nowhere.toml": ["nowhere.toml", "No such file"],
    "studio --port 99999": ["'--port'", "less than or equal to 65535"],
    "reproduce nothing": ["'nothing'", "attitude, full_body"],
}


def check(message: str, words: list[str]) -> None:
    assert len(message) < LONGEST
    for word in words:
        assert word in message


@pytest.mark.parametrize("mistake", IN_PYTHON)
def test_in_python(mistake: str) -> None:
    attempt, words = IN_PYTHON[mistake]
    with pytest.raises((ph.PolhodeError, TypeError, IndexError, AttributeError)) as caught:
        attempt()
    check(str(caught.value), words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mistakes")
    for name, text in FILES.items():
        (place / name).write_text(text)
    traj().labelled({"time": "s"}).save(place / "result.nc")
    return place


@pytest.mark.parametrize("command", IN_THE_COMMAND)
def test_in_the_command(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, command.split(), env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    check(re.sub(r"[│╭╮╰╯─\s]+", " ", result.stderr), IN_THE_COMMAND[command])
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "result.nc"])  # nothing is left behind


def test_there_are_enough() -> None:
    assert len(IN_PYTHON) >= 50
    assert len(IN_THE_COMMAND) >= 50
