"""What a command prints: its text, and the one line that says why a command line cannot be used."""

import os
import sys
from typing import NoReturn


def print_text(text: str) -> None:
    """Write to standard output. A reader that has gone, such as `head`, is no error."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        # The interpreter flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_with_usage_error(reason: object, hint: str = "gamehost run --help lists the options") -> NoReturn:
    """
    End with one line on standard error.

    :raises SystemExit: always; the status is 2, as usual for a wrong command line
    """
    print(f"gamehost: {reason} ({hint})", file=sys.stderr)
    raise SystemExit(2)
