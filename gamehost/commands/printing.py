"""What a command prints: its text, and the one line that says why a command line cannot be used."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

from gamehost.ops.escaping import escaped, shortened


@contextmanager
def while_read(out: TextIO) -> Iterator[None]:
    """A context in which something is printed. It ends early if the reader has gone, such as `head`: that is no error."""
    try:
        yield
        out.flush()
    except BrokenPipeError:
        # The interpreter flushes `out` once more when it ends, so `out` must not be a closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def print_text(text: str) -> None:
    """Write to standard output. A reader that has gone is no error."""
    with while_read(sys.stdout):
        print(text, end="")


def exit_with_usage_error(reason: object, hint: str = "gamehost run --help lists the options") -> NoReturn:
    """
    End with one line on standard error. It quotes what was given, which may be long and have control characters.

    :raises SystemExit: always; the status is 2, as usual for a wrong command line
    """
    print(f"gamehost: {shortened(escaped(str(reason)))} ({hint})", file=sys.stderr)
    raise SystemExit(2)
