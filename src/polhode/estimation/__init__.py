"""Estimation: sensors, attitude from directions, the multiplicative extended Kalman filter, fits to observations."""

from .brightness import Brightness
from .covariance import CovarianceRun, propagate_covariance
from .fit import fit
from .fit_result import Fit
from .in_the_loop import FilterInLoop
from .mekf import MEKF, Update, consistency_band
from .observations import Observation
from .propagators import FirstOrder, Propagator, Stepped
from .sensors import Gyro, VectorSensor
from .wahba import least_squares_attitude, triad

__all__ = [
    "MEKF",
    "Brightness",
    "CovarianceRun",
    "FilterInLoop",
    "FirstOrder",
    "Fit",
    "Gyro",
    "Observation",
    "Propagator",
    "Stepped",
    "Update",
    "VectorSensor",
    "consistency_band",
    "fit",
    "least_squares_attitude",
    "propagate_covariance",
    "triad",
]
