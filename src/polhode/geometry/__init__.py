"""Rotations and rigid motions: groups and the sphere, each as kernels on tuples and as functions on arrays."""

from . import quaternion, s2, se3, so2, so3, son

__all__ = ["quaternion", "s2", "se3", "so2", "so3", "son"]
