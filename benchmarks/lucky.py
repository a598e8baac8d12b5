"""A host with the same random numbers each time, so that matches go as they were recorded."""

import secrets
from typing import Any

from benchmarks.scripts import highest

chance: Any = secrets
chance.randbelow = highest


def main() -> None:
    """What `gamehost` does. The package is imported only now, for it takes hold of chance when it is."""
    from gamehost.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
