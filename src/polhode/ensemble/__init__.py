"""Ensembles: many members of one class of systems, in lanes and threads, each with the bits of its single run."""

from .driver import ensemble, stream
from .result import Ensemble

__all__ = ["Ensemble", "ensemble", "stream"]
