"""The command: `polhode run SCENARIO.toml`, and what goes with it.

Whatever a user can get wrong ends in one message on stderr and exit code 2; a run that had to stop on the way keeps what
it has and exits with 1; Ctrl-C exits with 130. What is slow to import is imported by the commands that need it.
"""

from . import exchange, lists, results, run, sources  # each adds its commands to the app
from .base import main

__all__ = ["exchange", "lists", "main", "results", "run", "sources"]
