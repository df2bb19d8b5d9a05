"""`python -m polhode.cli` is the command too."""

from . import main

main()
