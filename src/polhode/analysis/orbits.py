"""The mutual orbit of two bodies of a trajectory: osculating elements, distance, and how the bodies librate.

The orbit is that of the first body of a pair about the second, with `mu = G (m₁ + m₂)`: what the two would do from here on
if they were points. Bodies are counted from 0.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import Body
from ..core.extras import extra
from ..errors import InvalidInputError
from ..gravity.kepler import Elements, elements
from ..simulation.trajectory import Trajectory
from ..systems.full_body.placements import Placements, placements

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
Pair = tuple[int | str, int | str]  # bodies by number or by name

ROUND = 1e-6  # two moments that differ by less than this part of them make no long axis


def mutual_elements(trajectory: Trajectory, pair: Pair = (0, 1)) -> Elements:
    """The osculating elements over time.

    >>> import polhode as ph
    >>> from polhode.bodies import Sphere
    >>> pair = ph.FullTwoBodyProblem(Sphere(1.0, 0.1), Sphere(3.0, 0.1))
    >>> start = pair.state(elements={"a": 2.0, "e": 0.3, "inclination": 0.5})
    >>> traj = ph.simulate(start, step=0.05, t_end=10.0, method=ph.LGVI(6))
    >>> orbit = mutual_elements(traj)
    >>> bool(np.ptp(orbit.e) < 1e-6), bool(np.ptp(orbit.a) < 1e-6)
    (True, True)
    """
    i, j = body_numbers(trajectory, pair)
    first, second = trajectory.system.bodies[i], trajectory.system.bodies[j]
    r, v, _ = _relative(trajectory, (i, j))
    system: Any = trajectory.system
    return elements(r, v, system.G * (first.mass + second.mass))


def mutual_distance(trajectory: Trajectory, pair: Pair = (0, 1)) -> Array:
    """The distance of the mass centres over time."""
    return np.asarray(np.linalg.norm(_relative(trajectory, body_numbers(trajectory, pair))[0], axis=-1))


def libration(trajectory: Trajectory, pair: Pair = (0, 1)) -> Array:
    """The angle of each body's long axis from the line of centres, in the plane of the orbit, (time, 2).

    The long axis, that of the least moment of inertia, has no sign: angles lie in (−π/2, π/2], and are positive where the
    axis is ahead of the line in the sense of the orbital motion. NaN for a body that has no long axis.
    """
    numbers = body_numbers(trajectory, pair)
    r, v, place = _relative(trajectory, numbers)
    normal = np.cross(r, v)
    size = np.linalg.norm(normal, axis=-1, keepdims=True)
    if not np.all(size > 0.0):
        raise InvalidInputError("trajectory", trajectory, "a motion that is not along the line of centres")
    normal = normal / size
    ahead = np.cross(normal, r)
    angles = []
    for number in numbers:
        axis = long_axis(trajectory.system.bodies[number])
        pointing = place.R[:, number] @ (np.full(3, np.nan) if axis is None else axis)
        angle = np.arctan2(np.sum(pointing * ahead, axis=-1), np.sum(pointing * r, axis=-1))
        angles.append(0.5 * np.pi - np.mod(0.5 * np.pi - angle, np.pi))
    return np.stack(angles, axis=-1)


def long_axis(body: Body) -> Array | None:
    """The axis of the least moment of inertia, in the body's frame, if there is one."""
    moments, axes = np.linalg.eigh(body.inertia)
    return None if moments[1] - moments[0] <= ROUND * moments[1] else axes[:, 0]


def orbit_dataset(trajectory: Trajectory, pair: Pair = (0, 1)) -> xarray.Dataset:
    """Elements, distance and libration angles over time, as a dataset.

    >>> import polhode as ph
    >>> start = ph.FullTwoBodyProblem.example()
    >>> list(orbit_dataset(ph.simulate(start, step=0.02, steps=5)))[:4]
    ['a', 'e', 'q', 'inclination']
    """
    xarray = extra("xarray")
    numbers = body_numbers(trajectory, pair)
    orbit, units = mutual_elements(trajectory, numbers), trajectory.units
    meanings = {
        "a": ("semi-major axis", "length"),
        "e": ("eccentricity", "1"),
        "q": ("distance of the periapsis", "length"),
        "inclination": ("inclination", "rad"),
        "node": ("longitude of the ascending node", "rad"),
        "periapsis": ("argument of the periapsis", "rad"),
        "true_anomaly": ("true anomaly", "rad"),
        "mean_anomaly": ("mean anomaly", "rad"),
        "period": ("period of the osculating orbit", "time"),
    }
    data: dict[str, Any] = {
        name: (
            "time",
            getattr(orbit, name),
            {"long_name": meaning, "units": (units.of(unit.strip("1")) or unit) if units else unit},
        )
        for name, (meaning, unit) in meanings.items()
    }
    data["distance"] = (
        "time",
        mutual_distance(trajectory, pair),
        {"long_name": "distance", "units": units.of("length") or "length"},
    )
    about = {"long_name": "long axis from the line of centres", "units": "rad"}
    data["libration"] = (("time", "body"), libration(trajectory, pair), about)
    labels = [trajectory.system.body_labels[i] for i in numbers]
    coords = {
        "time": ("time", trajectory.t, {"units": units.of("time") or "consistent"}),
        "body": list(numbers),
        "name": ("body", labels),
    }
    return xarray.Dataset(data, coords=coords, attrs=trajectory.attributes())


def body_numbers(trajectory: Trajectory, pair: Pair) -> tuple[int, int]:
    """The numbers of two bodies that are given by their numbers from 0 or their names."""
    names = trajectory.system.body_labels
    if len(trajectory.system.bodies) < 2:
        raise InvalidInputError("trajectory", trajectory, "a trajectory of at least two bodies in space")
    if isinstance(pair, str) or not isinstance(pair, Collection) or len(pair) != 2:
        raise InvalidInputError("pair", pair, f"two bodies, by their numbers from 0 or of {', '.join(names)}")
    i, j = (trajectory.system.body_number(body, "pair") for body in pair)
    if i == j:
        raise InvalidInputError("pair", pair, "two different bodies")
    return i, j


def _relative(trajectory: Trajectory, pair: tuple[int, int]) -> tuple[Array, Array, Placements]:
    place = placements(trajectory.system, trajectory.values)
    i, j = pair
    return place.x[:, i] - place.x[:, j], place.v[:, i] - place.v[:, j], place
