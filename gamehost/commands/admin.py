"""
`gamehost admin`: asks a running host, through the socket beside its store, and shows the answer.

The verbs are in `gamehost.commands.admin_verbs`. Text that players sent is escaped.
"""

import argparse
import json
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from gamehost.commands.admin_verbs import VERBS
from gamehost.ops.unix_socket import SocketUnusable, short_path

#: The exit status if no host can be asked.
NO_HOST = 3

#: Options of the command that are no arguments of a request.
_OWN = frozenset({"verb", "verb_of_group", "store", "admin", "json"})


class _NoHost(Exception):
    """No host answers. The message says why."""


def main(argv: Sequence[str], out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    """
    Ask one thing.

    :param argv: the words after `gamehost admin`
    :returns: the exit status: 0, or 1 if the host does not do it, or 3 if no host can be asked
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    words = parser().parse_args(argv)
    if words.verb_of_group is not None:
        words.verb = f"{words.verb} {words.verb_of_group}"
    path = socket_beside(words.store) if words.admin is None else Path(words.admin)
    if path is None:
        print("gamehost admin: a host with this store has a socket only where --admin says", file=err)
        return NO_HOST
    arguments = {name: value for name, value in vars(words).items() if name not in _OWN and value is not None}
    try:
        return _show(words, _answers(path, {"command": words.verb, "arguments": arguments}), out, err)
    except (_NoHost, SocketUnusable) as error:
        print(f"gamehost admin: {error}", file=err)
        return NO_HOST


def socket_beside(store: str) -> Path | None:
    """Where the socket of a host is by default; `None`: the store is no file, and there is no socket by default."""
    return None if store == "memory" or "://" in store else Path(f"{store}.admin")


def parser() -> argparse.ArgumentParser:
    """What the command takes. Its own options may stand before the verb and behind it."""
    top = argparse.ArgumentParser(
        prog="gamehost admin",
        description="Look at a running host, and tell it what to do. The default store is gamehost.sqlite.",
    )
    _add_options(top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    groups: dict[str, Any] = {}
    for name, verb in VERBS.items():
        group, _, of_group = name.rpartition(" ")
        if group and group not in groups:
            others = [one.split()[1] for one in VERBS if one.startswith(f"{group} ")]
            parent = verbs.add_parser(group, help=", ".join(others))
            groups[group] = parent.add_subparsers(dest="verb_of_group", required=True, metavar="VERB")
        one = groups.get(group, verbs).add_parser(of_group, help=verb.help, description=verb.help)
        verb.add_arguments(one)
        _add_options(one)
    top.set_defaults(store="gamehost.sqlite", admin=None, json=False, verb_of_group=None)
    return top


def _add_options(parser: argparse.ArgumentParser) -> None:
    # A default of the parser for a verb would replace what was given before the verb.
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--store", default=argparse.SUPPRESS, metavar="PATH", help="the host's store")
    where.add_argument("--admin", default=argparse.SUPPRESS, metavar="PATH", help="the host's socket")
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer in JSON")


def _answers(path: Path, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """
    The lines of the answer to a request.

    :raises _NoHost: nobody answers, or not to the end
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        try:
            with short_path(path) as short:
                one.connect(short)
            one.sendall(json.dumps(request).encode("ascii") + b"\n")
            with one.makefile("rb") as lines:
                for line in lines:
                    answer: Mapping[str, Any] = json.loads(line)
                    yield answer
                    if "item" not in answer:
                        return
        except (FileNotFoundError, ConnectionRefusedError):
            raise _NoHost(f"no host runs with the socket {path}; name its store with --store") from None
        except OSError as error:
            raise _NoHost(f"{path}: {error.strerror or error}") from None
    raise _NoHost("the host has ended before its answer was complete")


def _show(words: argparse.Namespace, answers: Iterable[Mapping[str, Any]], out: TextIO, err: TextIO) -> int:
    verb = VERBS[words.verb]
    status = 0
    try:
        for answer in answers:
            if "error" in answer:
                print(f"gamehost admin: {answer['error']}", file=err)
                status = int(answer["status"])
            elif words.json:
                facts = answer.get("item", answer.get("end"))
                if facts or "item" in answer:
                    print(json.dumps(facts), file=out)
            else:
                lines = verb.item(answer["item"]) if "item" in answer else verb.end(answer["end"])
                for line in lines:
                    print(line, file=out)
        out.flush()
    except BrokenPipeError:
        # The reader, for instance `head`, has read enough. Python flushes `out` at the exit, so it must not be a closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    return status
