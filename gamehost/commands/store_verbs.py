"""The verbs of `gamehost admin` for the store: backups and accounts."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from getpass import getpass
from pathlib import Path
from typing import Any

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
    words = "keep a copy in which the check finds faults, because the store has them, and print them"
    parser.add_argument("--accept-faults", action="store_true", help=words)


def _backup_lines(facts: Facts) -> Iterator[str]:
    yield from (f"fault: {escaped(fault)}" for fault in facts["faults"])
    yield (
        f"{escaped(facts['file'])}: {facts['rows']} rows and {facts['accounts']} accounts copied and checked, "
        f"{facts['bytes'] / 1e6:.1f} MB"
    )


class _ReadPassword(argparse.Action):
    """Reads a password from standard input. On a command line, other users of the machine could see it."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: Any) -> None:
        text = getpass("New password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        namespace.password = text


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the account")


def _add_list_arguments(parser: argparse.ArgumentParser) -> None:
    words = "a pattern for names, such as 'a*' (default: all)"
    parser.add_argument("pattern", nargs="?", default="*", metavar="PATTERN", help=words)


def _add_reset_arguments(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    words = "read the new password from standard input (without it, the host makes one and it is printed)"
    parser.add_argument("--stdin", nargs=0, action=_ReadPassword, default=argparse.SUPPRESS, help=words)


def _add_force(parser: argparse.ArgumentParser) -> None:
    words = "give up the seat that the player has in a match: the player loses it"
    parser.add_argument("--force", action="store_true", help=words)


def _add_rename_arguments(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    parser.add_argument("new_name", metavar="NEW", help="its new name")
    _add_force(parser)


def _add_delete_arguments(parser: argparse.ArgumentParser) -> None:
    _add_name(parser)
    _add_force(parser)


def _account_line(facts: Facts) -> Iterator[str]:
    where = "here" if facts["present"] else "away"
    seat = "" if facts["table"] is None else f"  seat at table {facts['table']}"
    last = facts["last_log_in"] or "unknown"
    yield f"{escaped(facts['name'])}  {where}  last log-in: {last}{seat}"


def _closed(facts: Facts) -> str:
    return f"; connections closed: {facts['connections']}" if facts["connections"] else ""


def _reset_lines(facts: Facts) -> Iterator[str]:
    seat = "" if facts["table"] is None else f"; the seat at table {facts['table']} is kept"
    yield f"{escaped(facts['name'])} has a new password{_closed(facts)}{seat}"
    if "password" in facts:
        yield f"password: {facts['password']}"


def _given_up(facts: Facts) -> str:
    return "" if facts["table"] is None else f"; the seat at table {facts['table']} is given up"


def _renamed_lines(facts: Facts) -> Iterator[str]:
    yield f"the account has the name {escaped(facts['name'])} now{_closed(facts)}{_given_up(facts)}"


def _deleted_lines(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['name'])} is deleted{_closed(facts)}{_given_up(facts)}"


STORE_VERBS: Mapping[str, Verb] = {
    "backup": Verb(
        "copy the store to a file on which a host can start; moves go on meanwhile",
        _backup_lines,
        add_arguments=_add_backup_arguments,
    ),
    "account list": Verb("accounts, one line for each", item=_account_line, add_arguments=_add_list_arguments),
    "account reset": Verb(
        "give an account a new password; the player is disconnected", _reset_lines, add_arguments=_add_reset_arguments
    ),
    "account rename": Verb("give an account another name", _renamed_lines, add_arguments=_add_rename_arguments),
    "account delete": Verb(
        "delete an account; its name is free then", _deleted_lines, add_arguments=_add_delete_arguments
    ),
}
