"""The verbs of `gamehost admin` for the store: backups and accounts."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from gamehost.commands.verb import Facts, Verb
from gamehost.ops.escaping import escaped


def absolute(text: str) -> str:
    """A path of this process, for the host, which runs in a folder of its own."""
    return str(Path(text).absolute())


def _add_backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=absolute, metavar="FILE", help="a new file, in a folder that the host can write to"
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier backup")


def _backup_lines(facts: Facts) -> Iterator[str]:
    yield (
        f"{escaped(facts['file'])}: {facts['rows']} rows and {facts['accounts']} accounts copied and checked, "
        f"{facts['bytes'] / 1e6:.1f} MB"
    )


STORE_VERBS: Mapping[str, Verb] = {
    "backup": Verb(
        "copy the store to a file on which a host can start; moves go on meanwhile",
        _backup_lines,
        add_arguments=_add_backup_arguments,
    ),
}
