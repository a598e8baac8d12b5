"""The verbs of `gamehost admin` about the people on a host."""

import argparse
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from gamehost.commands.verb import Facts, Verb
from gamehost.ops.escaping import escaped


def kicked_line(facts: Facts) -> Iterator[str]:
    """What came of a kick."""
    seat = "" if facts["table"] is None else f"; the seat at table {facts['table']} is kept"
    yield f"{escaped(facts['name'])}: the connection is closed{seat}"


def ban_line(facts: Facts) -> Iterator[str]:
    """One ban."""
    end = "for ever" if facts["until"] is None else f"until {moment(facts['until'])}"
    yield f"{escaped(facts['target'])}  {facts['kind']}  since {moment(facts['since'])}  {end}"


def banned_line(facts: Facts) -> Iterator[str]:
    """What came of a new ban."""
    end = "for ever" if facts["until"] is None else f"until {moment(facts['until'])}"
    yield f"{escaped(facts['target'])} is banned {end}; connections closed: {facts['connections']}"


def unbanned_line(facts: Facts) -> Iterator[str]:
    """What came of the end of a ban."""
    yield f"{escaped(facts['target'])} is not banned any more"


def moment(seconds: int) -> str:
    """A time on the wall: `2026-01-31T12:00:00Z`."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the player's name")


def _target(parser: argparse.ArgumentParser) -> None:
    words = "a name, an address, or a network such as 192.0.2.0/24; name:1.2.3.4 is a name"
    parser.add_argument("target", metavar="NAME|ADDRESS|NETWORK", help=words)


class _Period(argparse.Action):
    """The words `for TIME`; without them a ban is for ever."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        words = values or []
        if not words:
            return
        number = _PERIOD.fullmatch("".join(words[1:])) if words[0] == "for" else None
        if number is None:
            parser.error(
                f"expected nothing more, or a time such as: for 30min, for 12h, for 7d; got {' '.join(words)!r}"
            )
        setattr(namespace, self.dest, int(number[1]) * _UNITS[number[2]])


#: The units of a time, in seconds.
_UNITS: Mapping[str, int] = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}
_PERIOD = re.compile(r"([0-9]{1,9})(s|min|h|d)", re.ASCII)


def _ban(parser: argparse.ArgumentParser) -> None:
    _target(parser)
    words = "a time such as 30min, 12h or 7d; without it the ban is for ever"
    parser.add_argument("seconds", nargs="*", action=_Period, default=None, metavar="for TIME", help=words)


def said_line(facts: Facts) -> Iterator[str]:
    """What came of words to all."""
    yield f"told: {facts['told']}; not told, because their wire has no words for it: {facts['not_told']}"


def drain_line(facts: Facts) -> Iterator[str]:
    """What came of a drain."""
    if not facts["draining"]:
        yield "the host goes on, and new matches begin"
    elif last := facts["tables"] + facts["remote_games"]:
        yield f"no new matches begin; the host ends after the last of {last}"
    else:
        yield "no match is played; the host ends now"


def reloaded_lines(facts: Facts) -> Iterator[str]:
    """What came of new settings."""
    if not (facts["changed"] or facts["need_a_restart"]):
        yield "nothing is different"
    yield from (f"changed: {name}" for name in facts["changed"])
    yield from (f"needs a restart: {name}" for name in facts["need_a_restart"])


def _text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="one line; quote it")


def _cancel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cancel", action="store_true", help="begin new matches again, and go on")


PEOPLE_VERBS: Mapping[str, Verb] = {
    "kick": Verb("end a player's connection; the player may come back", kicked_line, add_arguments=_name),
    "ban": Verb("let a name, an address or a network in no more", banned_line, add_arguments=_ban),
    "unban": Verb("end a ban", unbanned_line, add_arguments=_target),
    "bans": Verb("all bans, one line for each", item=ban_line),
    "say": Verb("say something to all, on the wires that have words for it", said_line, add_arguments=_text),
    "reload": Verb("read the file with the settings again, and use what can change", reloaded_lines),
    "drain": Verb("begin no new matches, and end after the last one", drain_line, add_arguments=_cancel),
}
