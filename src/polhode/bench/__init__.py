"""How fast polhode is, beside other programs and beside the same algorithm in C, all timed in one run.

`problems.py` lists what is timed, `peers.py` the programs of others, `measure.py` how it is timed, and `report.py` what is
kept of it. Every time is given as a ratio to the yard-stick: a step of the free body in C, compiled on the spot.
"""

from .entries import Bar, Effort, Entry, Problem
from .measure import measure
from .report import Change, Report, Result, Row, changes

__all__ = ["Bar", "Change", "Effort", "Entry", "Problem", "Report", "Result", "Row", "changes", "measure"]
