"""The command line: `polhode run SCENARIO.toml` and the other commands.

Wrong input ends in one message on stderr and exit code 2; a run that fails on the way saves the samples before the failure
and exits with 1; Ctrl-C exits with 130. Slow imports are made inside the commands that need them.
"""

from . import (  # each adds its commands to the app
    analyse,
    bench,
    ensemble,
    exchange,
    lists,
    reproduce,
    results,
    run,
    studio,
)
from .base import main

__all__ = ["analyse", "bench", "ensemble", "exchange", "lists", "main", "reproduce", "results", "run", "studio"]
