"""The command `polhode` from its first moment: Ctrl-C while the package is being imported ends it as it does later, with
exit code 130 and without a traceback. It is beside the package, since to import a part of that is to import all of it."""

import sys


def main() -> None:
    """Import the command, and run it."""
    try:
        from polhode.cli import main as command
    except KeyboardInterrupt:
        sys.exit(130)
    command()
