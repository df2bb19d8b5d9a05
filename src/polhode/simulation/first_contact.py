"""Where bodies whose gravity is that of their true shapes touch: the motion to compute ends there.

Inside each other such bodies attract as no real bodies do, and steps that follow that motion are very many. So before a run to a
tolerance a quick run looks for the first contact, at times at which one is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.callbacks import raise_stop, watch_callbacks
from ..core.method import Start
from ..core.representation import Form
from ..core.system import State
from ..errors import InvalidInputError
from ..methods import DOP853
from ..methods.dop853_lengths import CARRIED, LENGTH
from .events import Contact, Event

QUICK = 1e-5  # the tolerance of the quick run
SAFETY = 2.0  # by so much bodies may become faster until they are examined again
LEAST_WAY = 1e-3  # of their size, by which they may overlap when this is noticed
FIRST = 1e-6  # part of the run at which the first step, which is done then, tells how long it is


class Touch(NamedTuple):
    """Bodies that touch for the first time, and the times at which they were examined last before that, and first after it."""

    before: float
    after: float
    bodies: str


@watch_callbacks()  # a user's error is raised by the run itself
def first_contact(state: State, t_end: float) -> Touch | None:
    """The first contact of bodies whose gravity is not valid beyond it; None if there is none, or gravity always is."""
    system = state.system
    if not system.until_contact:
        return None
    contact = Contact()
    try:
        contact.check(system)
    except InvalidInputError:  # none of them has a surface
        return None
    run = DOP853(rtol=QUICK, atol=QUICK).run(Start.of(state, t_end - state.t))
    layout, direction = system.representations[Form.DEFAULT].layout, np.sign(t_end - state.t)
    before, t = state.t, state.t
    while True:
        here = State(system, layout.unpack(run.states(run.row[None])[0]), t)
        left, size, bodies = contact.time_left(here)
        if left <= 0.0 and t != state.t:  # at the start bodies may leave each other
            return Touch(before, t, bodies)
        if t == t_end:
            return None
        step = abs(float(run.y[LENGTH - CARRIED])) or FIRST * abs(t_end - t)  # in which speeds are alike
        wait = min(max(left / SAFETY, LEAST_WAY * size), step)
        before, t = t, float(t_end if wait >= abs(t_end - t) else t + direction * wait)
        status, _ = run.follow(np.array([t]), np.empty((0, run.row_size)))
        raise_stop()
        if status:
            return None


def contact_at_the_end(state: State, t_end: float, events: Sequence[Event]) -> Touch | None:
    """The contact before `t_end` that ends the run; an error if bodies touch, and no event ends the run there."""
    touch = first_contact(state, t_end)
    if touch is None or (touch.before != state.t and any(isinstance(e, Contact) and e.stop for e in events)):
        return touch
    problem = (
        f"near t = {touch.after:g} {touch.bodies} touch, and inside each other their gravity is not valid: end the run before, "
        "or there with events=[Contact()]"
    )
    raise InvalidInputError("t_end", t_end, problem=problem)
