"""
Checks a copy of a store, in a process of its own: `python -m gamehost.storage.check_copy FILE`.

To read every row takes seconds of one core. A host must not spend them in its own process.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage.inspect import reading

#: Above this the operating system serves other processes first.
NICENESS = 10


def faults_of(copy: Path) -> list[str]:
    """What is wrong with a copy, one sentence each: its file, its rows, or its high-water mark."""
    try:
        with reading(copy) as journal:
            return journal.verify().faults
    except StoreUnusable as error:
        return [str(error)]


def main(arguments: Sequence[str]) -> int:
    """Print the faults. The exit status is 1 if there is one."""
    os.nice(NICENESS)
    faults = faults_of(Path(arguments[0]))
    print(*faults, sep="\n", end="")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
