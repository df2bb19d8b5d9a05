"""What figures, files and analyses may ask of a system beyond its contract.

Every hook has a neutral answer, so that it can be called on any system. A system overrides those for which it has more to
say; `offers` returns whether it does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError

if TYPE_CHECKING:
    from ..bodies import Body
    from ..bodies.inertia import Inertia
    from .system import Field, State

Array = NDArray[np.float64]


class Hooks(ABC):
    """The optional part of a system."""

    fields: Mapping[str, Field]

    inertia: Inertia | None = None
    """The inertia, where the system is one rigid body."""

    bodies: Sequence[Body] = ()
    """The bodies that the coordinates place in space, in the order of the fields; none where positions are not part of the
    state."""

    named: Any = None
    """The named parameters of formulas and functions (`systems.inputs.named_parameters`), which a controller may set; None
    where the system takes none."""

    no_variational_step: str = ""
    """Why there is no variational step in the usual variables, and which method to take; nothing where there is one."""

    same_bits_in_lanes: bool = True
    """Whether a run in lanes has the same bits as each of its members alone."""

    starts_anywhere: bool = True
    """Whether its energy, where `energies` does not say, is a number in every state that its variables allow."""

    attitude_rate: str = "omega"
    """The field with the rate at which the attitude `R` turns: another than `omega` where R is relative to a frame that
    turns itself."""

    closed_form_steps: int = 0
    """So many steps of high order take about as long as to find the constants of the closed form; 0 where these are found at
    once."""

    ignorable: Sequence[str] = ()
    """Variables of the default representation that the motion of the others does not depend on, such as the attitude of the
    frame that relative coordinates are seen from."""

    @property
    def corners(self) -> Sequence[float]:
        """Times at which a force sets in, ends or has a corner: steps that follow the motion end there."""
        return ()

    @property
    def shape(self) -> Body | None:
        """The body with the shape that the system was given, where it is one rigid body: what pictures show."""
        return None

    @property
    def body_names(self) -> list[str]:
        """What `bodies` are called in the arguments that made the system: what errors name."""
        return [f"bodies[{i}]" for i in range(len(self.bodies))]

    @property
    def body_labels(self) -> list[str]:
        """What the bodies are called in figures, files and messages: their own names, or else `body0`, `body1`, …, and one
        alone `body`."""
        if self.bodies:
            return [body.name or f"body{i}" for i, body in enumerate(self.bodies)]
        return [(self.shape.name if self.shape is not None else None) or "body"]

    def body_number(self, body: int | str, field: str = "body") -> int:
        """The number, from 0, of a body that is given by its number or its name.

        >>> import polhode as ph
        >>> pair = ph.FullTwoBodyProblem.example().system
        >>> pair.body_number("body2"), pair.body_number(0)
        (1, 0)
        """
        names = self.body_labels
        if isinstance(body, str) and body in names:
            return names.index(body)
        if isinstance(body, bool) or not isinstance(body, int | np.integer) or not 0 <= body < len(names):
            several = f"a number from 0 to {len(names) - 1}, or one of {', '.join(names)}"
            raise InvalidInputError(field, body, several if len(names) > 1 else f"0 or {names[0]!r}: there is one body")
        return int(body)

    @property
    def least_distances(self) -> Mapping[tuple[int, int], float]:
        """For pairs of bodies, counted from 0: how far apart the mass centres must be for the mutual gravity to be valid
        whatever the attitudes; none where it always is."""
        return {}

    @property
    def until_contact(self) -> bool:
        """Whether the mutual gravity of bodies is that of their true shapes, so that a motion ends where they touch."""
        return False

    @property
    def pointer(self) -> tuple[str, Array] | None:
        """A direction of the body that is worth following, such as that of its dipole: a name and a body vector."""
        return None

    @property
    def landmarks(self) -> dict[str, Array]:
        """Directions of space that matter, such as that of a field: vectors by name."""
        return {}

    def energies(self, values: Mapping[str, Array], t: ArrayLike | None = None) -> dict[str, Array]:
        """The parts of the energy and their sum, `total` (leading axes allowed). The time `t` matters only where what acts
        on the system depends on it."""
        return {}

    def joints(self, theta: Array) -> Array:
        """Where the joints of a chain of links in a plane are, (..., n, 2), at these angles; the first joint is at the
        origin."""
        return np.zeros((*np.shape(theta)[:-1], 0, 2))

    def steady_spin_energies(self, state: State) -> list[float]:
        """The kinetic energies, in ascending order, of all steady spins with the angular momentum of `state`."""
        return []

    def inertial_rotation(self, values: Mapping[str, Array], t: Array) -> tuple[Array, Array] | None:
        """Attitudes, body to inertial, and rates in the body frame, at the times `t`: (n, 3, 3) and (n, 3), or with an axis
        for several bodies after the first; None where there are none."""
        if "R" not in self.fields or "omega" not in self.fields:
            return None
        return self.derive("R", values), self.derive("omega", values)

    @abstractmethod
    def derive(self, name: str, values: Mapping[str, Array]) -> Array:
        """The field `name`, as the contract has it."""

    def offers(self, hook: str) -> bool:
        """Whether the system has an answer of its own to this hook.

        >>> import polhode as ph
        >>> ph.Pendulum3D.example().system.offers("energies"), ph.FreeRigidBody.example().system.offers("energies")
        (True, False)
        """
        own: Any = getattr(type(self), hook)
        return own is not getattr(Hooks, hook)
