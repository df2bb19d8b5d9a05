"""`python -m polhode.cli` runs the command line."""

from . import main

main()
