"""The environment of a spacecraft: each torque by hand, and a body with rotors that moves in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.analysis import measured_order, symplectic_defect
from polhode.core.representation import Form
from polhode.errors import InvalidInputError
from polhode.systems.environment.environment import Environment
from polhode.systems.environment.orbit import EARTH_MU, EARTH_RADIUS, EARTH_RATE

J = np.array([[10.0, 0.3, -0.2], [0.3, 12.0, 0.5], [-0.2, 0.5, 7.0]])
ORBIT = ph.Orbit(6.9e6, 0.02, 1.7, 0.3, 0.5, 0.7, J2=1.08e-3)
R = ph.so3.exp([0.4, -0.7, 0.2])
PLATES = [
    ph.Plate(1.5, [0.2, -0.3, 1.0], [0.1, 0.2, 0.5], specular=0.3, diffuse=0.2),
    ph.Plate(0.7, [-1.0, 0.1, -0.8], [-0.3, 0.1, -0.2], specular=0.1, diffuse=0.5, drag=2.5),
    ph.Plate(0.9, [0.5, 1.0, -0.3], [-0.1, 0.4, 0.0]),
]
POTENTIALS = [ph.GravityGradient(), ph.ResidualDipole([0.3, -0.2, 0.5])]
ALL = [*POTENTIALS, ph.SolarPressure(PLATES, [1.0, 0.3, 0.2]), ph.AirDrag(PLATES)]


def torque(part: Any, t: float, attitude: np.ndarray = R, orbit: ph.Orbit = ORBIT) -> np.ndarray:
    (found,) = Environment(orbit, [part], ph.Gyrostat(J).inertia.entries()).torques(t, attitude).values()
    return found


def test_gravity_gradient_is_that_of_mass_points() -> None:
    """A sum over six points of the body, whose pulls differ by a part in 10⁷: nine digits are left, and the terms beyond the
    second order are of the size of the body by the distance."""
    moments, axes = np.linalg.eigh(J)
    lengths = np.sqrt(0.5 * (moments.sum() / 2 - moments))  # of two points of mass 1 on each axis
    points = np.concatenate([lengths[:, None] * axes.T, -lengths[:, None] * axes.T])
    np.testing.assert_allclose(sum(np.dot(x, x) * np.eye(3) - np.outer(x, x) for x in points), J, atol=1e-12)
    r = R.T @ ORBIT.at(100.0)[0]
    expected = sum(np.cross(x, -EARTH_MU * (r + x) / np.linalg.norm(r + x) ** 3) for x in points)
    np.testing.assert_allclose(torque(ph.GravityGradient(), 100.0), expected, atol=1e-6 * np.linalg.norm(expected))


def test_a_dipole_turns_towards_the_field() -> None:
    field, t = ph.MagneticField(angle=1.2), 700.0
    B = field.at(t, ORBIT.at(t)[0])
    expected = np.cross([0.3, -0.2, 0.5], R.T @ B)
    found = torque(ph.ResidualDipole([0.3, -0.2, 0.5], field), t)
    np.testing.assert_allclose(found, expected, atol=1e-13 * np.linalg.norm(expected))


def test_sunlight_on_one_plate() -> None:
    """Towards the Sun: a black plate is pushed along the light, a mirror with twice that, a white one with 1 + 2/3."""
    orbit = ph.Orbit(8e6)  # at t = 0 between planet and Sun
    for specular, diffuse, factor in ((0.0, 0.0, 1.0), (1.0, 0.0, 2.0), (0.0, 1.0, 5.0 / 3.0)):
        plate = ph.Plate(2.0, [1, 0, 0], [0.0, 0.5, 0.0], specular=specular, diffuse=diffuse)
        found = torque(ph.SolarPressure([plate], [1, 0, 0], pressure=3.0), 0.0, np.eye(3), orbit)
        np.testing.assert_allclose(found, np.cross([0, 0.5, 0], [-3.0 * 2.0 * factor, 0, 0]), atol=1e-14)
        half = ph.so3.exp([0.0, 0.0, np.pi / 3])  # cos = 1/2
        s = half.T @ [1.0, 0.0, 0.0]
        force = -3.0 * 2.0 * 0.5 * ((1 - specular) * s + 2 * (0.5 * specular + diffuse / 3) * np.array([1.0, 0, 0]))
        found = torque(ph.SolarPressure([plate], [1, 0, 0], pressure=3.0), 0.0, half, orbit)
        np.testing.assert_allclose(found, np.cross([0, 0.5, 0], force), atol=1e-14)
        away = torque(ph.SolarPressure([plate], [-1, 0, 0], pressure=3.0), 0.25 * orbit.period, np.eye(3), orbit)
        np.testing.assert_array_equal(away, np.zeros(3))


def test_there_is_no_sunlight_in_the_shadow() -> None:
    """On a circle of radius a the shadow is the arc |angle| < asin(radius/a) on the side away from the Sun."""
    orbit = ph.Orbit(8e6)
    edge = 0.5 - np.arcsin(EARTH_RADIUS / 8e6) / (2 * np.pi)
    light = ph.SolarPressure([ph.Plate(1.0, [1, 0, 0], [0, 1, 0])], [1, 0, 0])
    times = np.array([edge - 1e-6, edge + 1e-6, 0.5, 1 - edge - 1e-6, 1 - edge + 1e-6]) * orbit.period
    lit = [bool(torque(light, t, np.eye(3), orbit).any()) for t in times]
    assert lit == [True, False, False, False, True]


def test_drag_on_one_plate() -> None:
    """F = −½ ρ C A (n·u) u, with the air's own turning, and a density that falls by e in a scale height."""
    drag = ph.AirDrag(PLATES[:1], density=1e-11, base=300e3, scale_height=50e3)
    t = 50.0
    for attitude in (R, R @ ph.so3.exp([np.pi, 0.0, 0.0])):
        r, v = ORBIT.at(t)
        u = attitude.T @ (v - np.cross([0.0, 0.0, EARTH_RATE], r))
        plate = PLATES[0]
        density = 1e-11 * np.exp(-(np.linalg.norm(r) - EARTH_RADIUS - 300e3) / 50e3)
        force = -0.5 * density * plate.drag * plate.area * max(0.0, float(np.dot(plate.normal, u))) * u
        expected = np.cross(plate.centre, force)
        np.testing.assert_allclose(torque(drag, t, attitude), expected, atol=1e-12 * np.linalg.norm(density * u * u))


def test_a_box_about_its_mass_centre_feels_no_torque() -> None:
    for part in (ph.SolarPressure(ph.box_plates([1, 2, 3]), [1, 0.2, 0.1]), ph.AirDrag(ph.box_plates([1, 2, 3]))):
        shifted = type(part)(ph.box_plates([1, 2, 3], [0.1, 0.0, 0.0]))
        assert np.linalg.norm(torque(part, 0.0)) < 1e-13 * np.linalg.norm(torque(shifted, 0.0))


def in_orbit(state: ph.State, orbit: ph.Orbit, inertia: np.ndarray) -> ph.State:
    """The state of a body of `OrbitingBody`, in inertial axes, in an environment of the gravity gradient alone."""
    r, v = orbit.at(state.t)
    radial, normal = r / np.linalg.norm(r), np.cross(r, v) / np.linalg.norm(np.cross(r, v))
    frame = np.stack([np.cross(normal, radial), normal, radial], axis=1)
    body = ph.Gyrostat(inertia, orbit=orbit, environment=[ph.GravityGradient()])
    return body.state(R=frame @ state.R, omega=state.omega, t=state.t)


def test_a_circular_orbit_is_that_of_an_orbiting_body() -> None:
    """Two formulations of one motion: in LVLH axes and in inertial ones. Both are of order 2."""
    orbit = ph.Orbit(1.0, mu=1.21, radius=0.5)  # n = 1.1
    start = ph.OrbitingBody.example()
    inertia = start.system.inertia.matrix
    expected = ph.simulate(start, step=0.005, t_end=4.0).final
    found = ph.simulate(in_orbit(start, orbit, inertia), step=0.005, t_end=4.0).final
    there = in_orbit(expected, orbit, inertia)
    assert ph.so3.distance(found.R, there.R) < 1e-4
    np.testing.assert_allclose(found.omega, there.omega, atol=1e-4)


def test_pitch_librates_with_the_known_frequency() -> None:
    """Small motion about the normal of a circular orbit: n √(3 (J₁ − J₃)/J₂), axis 1 along the velocity, 3 radial."""
    orbit, moments = ph.Orbit(1.0, mu=1.0, radius=0.5), np.array([2.2, 2.5, 1.2])
    small = 1e-3
    upright = ph.OrbitingBody(moments, n=1.0).state(R=ph.so3.exp([0.0, small, 0.0]), omega=[0.0, 1.0, 0.0])
    run = ph.simulate(in_orbit(upright, orbit, np.diag(moments)), step=0.002, t_end=9.0, save_every=50)
    r, _ = orbit.at(run.t)
    outward = np.einsum("tji,tj->ti", run.R, r)  # r̂ in the body
    pitch = np.arctan2(-outward[:, 0], outward[:, 2])
    frequency = np.sqrt(3.0 * (2.2 - 1.2) / 2.5)
    np.testing.assert_allclose(pitch, small * np.cos(frequency * run.t), atol=2e-3 * small)


@pytest.mark.parametrize("kind", [ph.Gyrostat, ph.DampedGyrostat])
def test_the_momentum_of_a_body_with_rotors_changes_by_the_torque(kind: Any) -> None:
    """Simpson's rule over three steps and the torques on the way, of all parts together."""
    damper = {"damper_inertia": 0.5, "damping": 0.2} if kind is ph.DampedGyrostat else {}
    body = kind(J, **damper, rho=[0.3, -0.1, 0.2], orbit=ORBIT, environment=ALL)
    run = ph.simulate(body.state(R=R, omega=[0.01, -0.02, 0.005]), step=0.5, steps=4)
    momentum = np.einsum("tij,tj->ti", run.R, body.total_momentum(run.values))
    torques = np.einsum("tij,tj->ti", run.R, sum(body.environment.torques(run.t, run.R).values()))
    impulse = 0.5 / 3.0 * (torques[0] + 4 * torques[1] + 2 * torques[2] + 4 * torques[3] + torques[4])
    change = momentum[-1] - momentum[0]
    assert np.linalg.norm(change) > 1e-6
    np.testing.assert_allclose(change, impulse, atol=1e-4 * np.linalg.norm(change))
    assert body.conserved == {}
    assert not body.autonomous


def test_other_numbers_need_no_compiling() -> None:
    one = ph.Gyrostat(J, orbit=ORBIT, environment=ALL)
    other = ph.Gyrostat([3, 4, 5], orbit=ph.Orbit(8e6), environment=[ph.AirDrag(PLATES[:1]), ph.GravityGradient()])
    formulas = {"rotor_torque": ["u*t", 0, 0], "parameters": {"u": 0.1}}
    third, fourth = (ph.Gyrostat(J, orbit=ORBIT, environment=parts, **formulas) for parts in (ALL, ALL[:1]))
    for form in (Form.DEFAULT, Form.QUATERNION):
        assert one.representations[form].force is other.representations[form].force
        assert third.representations[form].force is fourth.representations[form].force


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_with_wheels_and_a_controller(share: float) -> None:
    """Commands that are the torque itself, or half of it in a formula that is compiled. A controller that commands nothing
    changes nothing; one that does turns the wheels, and the momentum of the whole changes by the environment alone."""
    names = {"u1": 0.0, "u2": 0.0, "u3": 0.0}
    formulas = list(names) if share == 1.0 else [f"{name}/{share}" for name in names]
    body = ph.Gyrostat(J, rotor_torque=formulas, parameters=names, orbit=ORBIT, environment=ALL)
    assert body.representations[Form.DEFAULT].force.fusible == (share == 1.0)
    alone = ph.Gyrostat(J, orbit=ORBIT, environment=ALL)
    given = {"R": R, "omega": [0.01, -0.02, 0.005]}
    idle = ph.simulate(body.state(**given), step=0.5, steps=4, controller=lambda t, state: {}, every=1.0)
    expected = ph.simulate(alone.state(**given), step=0.5, steps=4)
    np.testing.assert_allclose(idle.R[-1], expected.R[-1], atol=1e-14)
    run = ph.simulate(
        body.state(**given),
        step=0.5,
        steps=4,
        controller=lambda t, state: {"u1": 0.3 * share, "u2": -0.2 * share * t},
        every=1.0,
    )
    np.testing.assert_allclose(run.rho[-1], [0.6, -0.2, 0.0], atol=1e-14)
    momentum, still = (np.einsum("tij,tj->ti", each.R, each.Pi) for each in (run, expected))
    assert ph.so3.distance(run.R[-1], expected.R[-1]) > 0.01
    np.testing.assert_allclose(momentum[-1], still[-1], atol=0.1 * np.linalg.norm(still[-1] - still[0]))


def test_data_makes_it_again() -> None:
    body = ph.Gyrostat(J, orbit=ORBIT, environment=ALL)
    plain = body.describe()
    again = ph.Gyrostat(**plain)
    assert again.describe() == plain
    np.testing.assert_array_equal(again.parameters(), body.parameters())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"environment": [ph.GravityGradient()]}, "orbit = None: expected an Orbit"),
        ({"orbit": ORBIT}, "no effect without an environment"),
        ({"orbit": ORBIT, "environment": ph.GravityGradient()}, "a list such as"),
        ({"orbit": ORBIT, "environment": [ph.GravityGradient(), ph.GravityGradient()]}, "each kind of part once"),
        ({"orbit": ORBIT, "environment": [{"type": "wind"}]}, r"environment\[0\].type = 'wind': expected one of"),
        ({"orbit": {"semimajr": 7e6}, "environment": ALL}, "orbit.semimajr = .*unknown key"),
        (
            {"orbit": ORBIT, "environment": [{"type": "air_drag", "plates": [{"area": -1.0, "normal": [0, 0, 1]}]}]},
            r"environment\[0\].plates\[0\].area = -1.0: expected a positive number",
        ),
        (
            {"orbit": ORBIT, "environment": [{"type": "solar_pressure", "plates": [], "sun": [0, 0, 1]}]},
            "at least one Plate",
        ),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        ph.Gyrostat(J, **given)


def test_plates_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"normal = \[0, 0, 0\]: expected a nonzero vector"):
        ph.Plate(1.0, [0, 0, 0])
    with pytest.raises(InvalidInputError, match=r"their sum 1\.2 is above 1"):
        ph.Plate(1.0, [0, 0, 1], specular=0.7, diffuse=0.5)


@pytest.mark.verify
def test_the_step_is_variational_where_it_can_be() -> None:
    """Symplectic with the potentials, not with drag; of order 2 and 4 with everything. Units in which the orbit is of size 1
    and the torques are large."""
    orbit = ph.Orbit(1.0, 0.2, 0.5, mu=1.0, radius=0.5)
    field = ph.MagneticField([[1, 0, -1.0, 0.0], [1, 1, 0.2, 0.3], [2, 1, 0.2, 0.1]], radius=0.7, rate=0.3)
    potentials = [ph.GravityGradient(), ph.ResidualDipole([0.3, -0.2, 0.5], field)]
    forces = [
        ph.SolarPressure(PLATES, [1.0, 0.3, 0.2], pressure=0.05),
        ph.AirDrag(PLATES, density=0.1, base=0.4, scale_height=0.5, radius=0.5, rate=0.3),
    ]
    inertia = [2.0, 2.5, 1.2]
    given = {"R": R, "omega": [0.5, -0.4, 0.6]}
    conservative = ph.Gyrostat(inertia, rho=[0.1, 0.2, 0.0], orbit=orbit, environment=potentials).state(**given)
    everything = ph.Gyrostat(inertia, rho=[0.1, 0.2, 0.0], orbit=orbit, environment=potentials + forces).state(**given)
    for method in (ph.LGVI(), ph.QuaternionVI(), ph.LGVI(order=4)):
        assert symplectic_defect(conservative, method, 0.1) < 1e-12
    assert symplectic_defect(everything, ph.LGVI(), 0.1) > 1e-4
    assert conservative.system.hamiltonian
    assert not everything.system.hamiltonian
    for method in (ph.LGVI(), ph.LGVI(order=4)):
        for order in measured_order(conservative, method, 2.0).orders:
            assert order == pytest.approx(method.order, abs=0.2)
    smooth = ph.Gyrostat(inertia, orbit=orbit, environment=[*potentials, forces[1]]).state(**given)
    exact = ph.simulate(smooth, step=0.1, t_end=0.5, method=ph.DOP853()).final
    errors = [ph.so3.distance(ph.simulate(smooth, step=h, t_end=0.5).R[-1], exact.R) for h in (0.05, 0.025, 0.0125)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.2)


def test_the_plates_of_a_box_look_outwards() -> None:
    for plate in ph.box_plates([1.0, 2.0, 3.0], [0.5, 0.0, 0.0]):
        outwards = np.asarray(plate.centre) - [0.5, 0.0, 0.0]
        assert outwards == pytest.approx(np.abs(plate.normal) @ [0.5, 1.0, 1.5] * np.asarray(plate.normal))
