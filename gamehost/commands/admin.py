"""
`gamehost admin`: asks a running host, through the socket beside its store, and shows the answer.

The verbs are in `gamehost.commands.admin_verbs`. Text that players sent is escaped.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from gamehost.commands.admin_verbs import VERBS
from gamehost.commands.asking import NoHost, answers, socket_beside
from gamehost.commands.printing import while_read
from gamehost.commands.verb import Verb

#: The exit status if no host can be asked.
NO_HOST = 3

#: Options of the command that are no arguments of a request.
_OWN = frozenset({"verb", "verb_of_group", "store", "admin", "json"})


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
        return _show(words, answers(path, {"command": words.verb, "arguments": arguments}), out, err)
    except NoHost as error:
        print(f"gamehost admin: {error}", file=err)
        return NO_HOST


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


def _show(words: argparse.Namespace, given: Iterable[Mapping[str, Any]], out: TextIO, err: TextIO) -> int:
    verb = VERBS[words.verb]
    status = 0
    with while_read(out):
        for answer in given:
            if "error" in answer:
                print(f"gamehost admin: {answer['error']}", file=err)
                status = int(answer["status"])
            elif words.json:
                facts = answer.get("item", answer.get("end"))
                if facts or "item" in answer:
                    print(json.dumps(facts), file=out)
            else:
                for line in _lines(verb, answer):
                    print(line, file=out)
    return status


def _lines(verb: Verb, answer: Mapping[str, Any]) -> list[str]:
    try:
        return [*(verb.item(answer["item"]) if "item" in answer else verb.end(answer["end"]))]
    except KeyError:
        # A host of an older release, which was started before this one was installed, tells less. It has done what was asked.
        return [json.dumps(answer.get("item", answer.get("end")))]
