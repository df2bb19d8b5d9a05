"""Attitude estimation: sensors, attitude from directions, and the multiplicative extended Kalman filter."""

from .mekf import MEKF, Update, consistency_band
from .propagators import FirstOrder, Propagator, Stepped
from .sensors import Gyro, VectorSensor
from .wahba import least_squares_attitude, triad

__all__ = [
    "MEKF",
    "FirstOrder",
    "Gyro",
    "Propagator",
    "Stepped",
    "Update",
    "VectorSensor",
    "consistency_band",
    "least_squares_attitude",
    "triad",
]
