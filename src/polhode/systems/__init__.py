"""Systems: what moves. One physical system a class."""

from .base import State, System, known_systems
from .free_rigid_body import FreeRigidBody

__all__ = ["FreeRigidBody", "State", "System", "known_systems"]
