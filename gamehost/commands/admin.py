"""
`gamehost admin`: sends a request to a running host, through the socket beside its store, and prints the answer.

Each verb is an object: its request, and how its answer is printed. The host finds the function for the request by the
verb's name. So this program imports no part of the host. Text from players is escaped.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from attrs import frozen

from gamehost.commands.command_line import NoHost, answers, socket_beside, while_read
from gamehost.ops import escaped

#: A part of an answer: names and values.
Facts: TypeAlias = Mapping[str, Any]


def no_lines(facts: Facts) -> Iterable[str]:
    """Show nothing."""
    return ()


@frozen
class Argument:
    """An argument of a verb. In the request it has the same name."""

    name: str
    #: A few words for the help text.
    help: str
    #: The options for `ArgumentParser.add_argument`.
    options: Mapping[str, Any] = {}


@frozen
class Verb:
    """
    A verb of the command. In the host, the function with the verb's name in `gamehost.admin.host` carries it out:
    `account_list` for `account list`.
    """

    #: A few words for the help text.
    help: str = ""
    #: Makes the lines to print for the end of an answer.
    end: Callable[[Facts], Iterable[str]] = no_lines
    #: Makes the lines to print for one item.
    item: Callable[[Facts], Iterable[str]] = no_lines
    arguments: Sequence[Argument] = ()
    #: Whether the request changes something. Such requests are logged.
    acts: bool = False


def tables_line(facts: Facts) -> Iterator[str]:
    """The line below the list of matches: how many sleep, or that there is no match."""
    if facts["asleep"]:
        yield f"asleep, with no player at the table: {facts['asleep']}"
    elif not facts["played"]:
        yield "no match is played"


def lost_line(facts: Facts) -> Iterator[str]:
    """The line of a match that must be resumed or ended, with the reason."""
    if "fault" in facts:
        players = ", ".join(escaped(name or "(nobody)") for name in facts["players"])
        yield f"{facts['table']}  {facts['game']} of {players}: stopped by a fault of the game: {escaped(facts['fault'])}"
        return
    held = "has no row of it" if facts["held"] is None else f"has rows up to {facts['held']}"
    yield f"{facts['table']}  players received row {facts['told']}; the database {held}"


def none_lost_line(facts: Facts) -> Iterator[str]:
    if not facts["lost"]:
        yield "no match is suspended: the store has all rows that players received, and no game has had a fault"


def resumed_line(facts: Facts) -> Iterator[str]:
    yield f"table {facts['table']} continues; its players get their seats when they log in"


def ended_line(facts: Facts) -> Iterator[str]:
    yield f"table {facts['table']} was given up; its players are free"


def opened_line(facts: Facts) -> Iterator[str]:
    yield f"matches of {escaped(facts['game'])} begin again"


def extended_line(facts: Facts) -> Iterator[str]:
    yield f"match {facts['table']} does not end by time before {moment(facts['until'])}"


def kicked_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['name'])}: the connection is closed{_kept(facts)}"


def ban_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['target'])}  {facts['kind']}  since {moment(facts['since'])}  {_until(facts)}"


def _until(facts: Facts) -> str:
    return "for ever" if facts["until"] is None else f"until {moment(facts['until'])}"


def banned_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['target'])} is banned {_until(facts)}; connections closed: {facts['connections']}"


def unbanned_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['target'])} is not banned any more"


def moment(seconds: int) -> str:
    """
    A date and time in UTC, such as `2026-01-31T12:00:00Z`.

    :param seconds: since 1970
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


class _Period(argparse.Action):
    """Reads the words `for TIME` of a ban. Without these words a ban is for ever."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """
        Convert the words after the target of a ban, such as `for 12h`, to seconds. Without such words, the ban has no
        end.
        """
        words = values or []
        if not words:
            return
        number = _PERIOD.fullmatch("".join(words[1:])) if words[0] == "for" else None
        if number is None:
            parser.error(
                f"expected nothing more, or a time such as: for 30min, for 12h, for 7d; got {' '.join(words)!r}"
            )
        setattr(namespace, self.dest, int(number[1]) * _UNITS[number[2]])


class _Words(argparse.Action):
    """Joins all words to one text, so that quotation marks are not needed."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        setattr(namespace, self.dest, " ".join(values))


#: The units of a time, in seconds.
_UNITS: Mapping[str, int] = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}
_PERIOD = re.compile(r"([0-9]{1,9})(s|min|h|d)", re.ASCII)


def said_line(facts: Facts) -> Iterator[str]:
    yield f"told: {facts['told']}; not sent, because their wire has no words for it: {facts['not_told']}"


def drain_line(facts: Facts) -> Iterator[str]:
    """The answer to `drain`: what the host does now."""
    if not facts["draining"]:
        yield "the host continues, and new matches begin"
    elif last := facts["tables"] + facts["remote_games"]:
        # The host waits for the end of this number of matches.
        yield f"no new matches begin; the host ends after the last of {last}"
    else:
        yield "no match is played; the host ends now"


def reloaded_lines(facts: Facts) -> Iterator[str]:
    """The settings that have changed, and those that need a restart."""
    if not (facts["changed"] or facts["need_a_restart"]):
        yield "nothing is different"
    yield from (f"changed: {name}" for name in facts["changed"])
    yield from (f"needs a restart: {name}" for name in facts["need_a_restart"])


def table_line(facts: Facts) -> Iterator[str]:
    """The line of a match in the list of matches."""
    players = ", ".join(_player(seat) for seat in facts["seats"])
    # `True` counts as 1, and `False` as 0: the list has the words that are right.
    notes = ["private"] * facts["private"] + ["suspended"] * (facts["phase"] == "suspended")
    more = f"  ({', '.join(notes)})" if notes else ""
    entries = "entry" if facts["entries"] == 1 else "entries"
    watchers = f"  {facts['watchers']} watch" if facts["watchers"] else ""
    yield f"{facts['table']}  {facts['game']}  {players}  {facts['entries']} {entries}{watchers}{more}"


def rating_line(facts: Facts) -> Iterator[str]:
    span = "fixed" if facts["kind"] == "house" else f"{facts['low']} to {facts['high']}"
    yield f"{facts['rating']:>4}  {escaped(facts['name'])}  {span}  matches: {facts['matches']}"


def _player(seat: Facts) -> str:
    away = "" if seat["here"] else ", away"
    return f"{escaped(seat['name'])} ({seat['wire']}{away})"


def shown_lines(facts: Facts) -> Iterator[str]:
    """The position of a match: its seats, and its board as text."""
    private = ", private" if facts["private"] else ""
    yield f"table {facts['table']}: {facts['game']}{private}, {facts['phase']}, after entry {facts['entries']}"
    for number, seat in enumerate(facts["seats"]):
        yield f"seat {number}: {_seat_words(seat)}"
    for line in facts["board"] or ["this game has no picture in text"]:
        yield escaped(line)
    if facts["awaited"]:
        yield escaped(facts["awaited"])


def _seat_words(seat: Facts) -> str:
    """The text about one seat of a match."""
    clock = "" if seat["clock_seconds"] is None else f", {seat['clock_seconds']:g} s on the clock"
    kept = "" if seat["here"] else f", the seat is kept for {seat['kept_seconds']} s"
    return f"{_player(seat)}{', a house player' if seat['house'] else ''}{clock}{kept}"


def absolute(text: str) -> str:
    """Make a path absolute, because the host runs in another folder."""
    return str(Path(text).absolute())


def backup_lines(facts: Facts) -> Iterator[str]:
    """The faults of a backup, and the line about its contents."""
    yield from (f"fault: {escaped(fault)}" for fault in facts["faults"])
    yield (
        f"{escaped(facts['file'])}: {facts['rows']} rows and {facts['accounts']} accounts copied and checked, "
        f"{facts['bytes'] / 1e6:.1f} MB"
    )


class _ReadPassword(argparse.Action):
    """Reads a password from standard input: other users of the machine could see it on a command line."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: Any) -> None:
        text = getpass("New password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        namespace.password = text


def account_line(facts: Facts) -> Iterator[str]:
    """The line of an account in the list of accounts."""
    where = "here" if facts["present"] else "away"
    seat = "" if facts["table"] is None else f"  seat at table {facts['table']}"
    last = facts["last_log_in"] or "unknown"
    yield f"{escaped(facts['name'])}  {where}  last log-in: {last}{seat}"


def device_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['device'] or '(without a name)')}  since {facts['since']}  last used {facts['seen']}"


def devices_line(facts: Facts) -> Iterator[str]:
    if not facts["devices"]:
        yield "each log-in to this account needs its password"


def _closed(facts: Facts) -> str:
    return f"; connections closed: {facts['connections']}" if facts["connections"] else ""


def _kept(facts: Facts) -> str:
    return "" if facts["table"] is None else f"; the seat at table {facts['table']} is kept"


def reset_lines(facts: Facts) -> Iterator[str]:
    """What has happened to an account, and its new password if the host has made it."""
    yield f"{escaped(facts['name'])} has a new password{_closed(facts)}{_kept(facts)}"
    if "password" in facts:
        yield f"password: {facts['password']}"


def _given_up(facts: Facts) -> str:
    return "" if facts["table"] is None else f"; the seat at table {facts['table']} is given up"


def renamed_line(facts: Facts) -> Iterator[str]:
    yield f"the account has the name {escaped(facts['name'])} now{_closed(facts)}{_given_up(facts)}"


def deleted_line(facts: Facts) -> Iterator[str]:
    yield f"{escaped(facts['name'])} is deleted{_closed(facts)}{_given_up(facts)}"


def member_line(facts: Facts) -> Iterator[str]:
    more = "  (this member)" if facts["this"] else ""
    yield f"{facts['epoch']}  {escaped(facts['name'])}  {escaped(facts['address'])}{more}"


def own_lines(facts: Facts) -> Iterator[str]:
    yield f"this member: people: {facts['people']}; tables: {facts['tables']}, and {facts['tables_asleep']} asleep"
    yield f"this member: {_relays(facts)}"


def _relays(facts: Facts) -> str:
    return f"relayed connections: {facts['relays_out']} to other members, {facts['relays_in']} from them"


def status_lines(facts: Facts) -> Iterator[str]:
    """The lines about the state of the host."""
    yield f"gamehost {facts['version']}, up for {duration(facts['uptime_seconds'])}"
    if facts["closed"]:
        yield f"closed: {facts['closed']}"
    if games := facts["closed_games"]:
        yield f"games that are closed because of faults: {', '.join(map(escaped, games))}"
    by_wire = facts["connections_by_wire"]
    for one in facts["listeners"]:
        yield f"{one['name']} listens on {one['where']}; connections: {by_wire.get(one['name'], 0)}"
    yield f"connections: {facts['connections']} ({facts['connections_refused']} refused), HTTP {facts['http_connections']}"
    yield f"people: {facts['people']}, {facts['waiting']} of them wait"
    yield f"tables: {facts['tables']}, and {facts['tables_asleep']} asleep; remote games: {facts['remote_games']}"
    yield from _journal_lines(facts["journal"])
    if cluster := facts["cluster"]:
        yield f"cluster: {cluster['members']} members; this one is number {cluster['epoch']}; {_relays(cluster)}"
    yield f"limits: {facts['limits']}"


def _journal_lines(facts: Facts) -> Iterator[str]:
    """The lines about the journal in the state of the host."""
    yield f"journal: pressure {facts['pressure']}, room {facts['room']}"
    if "commits" in facts:
        mean = "" if facts["mean_commit_ms"] is None else f", {facts['mean_commit_ms']:g} ms each"
        waiting = f"{facts['waiting_changes']} changes wait, the oldest for {facts['waiting_seconds']:g} s"
        yield f"journal: {facts['changes']} changes in {facts['commits']} commits{mean}; {waiting}"


def person_line(facts: Facts) -> Iterator[str]:
    """The line of a player in the list of players."""
    if facts["house"]:
        kind = "house"
    else:
        kind = "account" if facts["account"] else "guest"
    origin = f"  from {escaped(facts['address'])}" if facts["address"] and not facts["house"] else ""
    game = f" ({facts['game']})" if facts["game"] else ""
    table = "" if facts["table"] is None else f"  table {facts['table']}{game}"
    yield f"{escaped(facts['name'])}  {kind}  {facts['wire']}{origin}{table}"


def duration(seconds: float) -> str:
    """A length of time for people, such as `3 d 4 h` or `5 min 7 s`."""
    parts = []
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count:.0f} {unit}")
    # The two largest units are enough.
    return " ".join(parts[:2]) or "0 s"


_FLAG = {"action": "store_true"}
_MATCH = Argument("table", "the number of the match", {"type": int, "metavar": "TABLE"})
_PLAYER = Argument("name", "the player's name", {"metavar": "NAME"})
_ACCOUNT = Argument("name", "the account", {"metavar": "NAME"})
_TARGET = Argument(
    "target",
    "a name, an address, or a network such as 192.0.2.0/24; name:1.2.3.4 is a name",
    {"metavar": "NAME|ADDRESS|NETWORK"},
)
_PERIOD_OF_BAN = Argument(
    "seconds",
    "a time such as 30min, 12h or 7d; without it the ban is for ever",
    {"nargs": "*", "action": _Period, "default": None, "metavar": "for TIME"},
)
_FILE = Argument("file", "a new file, in a folder that the host can write to", {"type": absolute, "metavar": "FILE"})
_ACCEPT_FAULTS = Argument(
    "--accept-faults", "keep a copy in which the check finds faults, because the store has them, and print them", _FLAG
)
_PATTERN = Argument(
    "pattern",
    "a pattern for names, such as 'a*' (default: all)",
    {"nargs": "?", "default": "*", "metavar": "PATTERN"},
)
_PASSWORD = Argument(
    "--stdin",
    "read the new password from standard input (without it, the host makes one and it is printed)",
    {"nargs": 0, "action": _ReadPassword, "default": argparse.SUPPRESS},
)
_GIVE_UP = Argument("--force", "give up the seat that the player has in a match: the player loses it", _FLAG)

#: The verbs by their names. In a name of two words, the first word is a group of verbs.
VERBS: Mapping[str, Verb] = {
    "status": Verb("how the host is: ports, connections, tables, the journal", status_lines),
    "who": Verb("the present players, one line each", item=person_line),
    "tables": Verb("the matches that are played, one line for each", tables_line, table_line),
    "ladder": Verb(
        "the ratings in a game, one line for each player",
        item=rating_line,
        arguments=[Argument("game", "the game", {"metavar": "GAME"})],
    ),
    "show": Verb("the position of a match, as a watcher may see it", shown_lines, arguments=[_MATCH]),
    "lost list": Verb(
        "matches that are suspended, because their moves are lost or their game has a fault", none_lost_line, lost_line
    ),
    "lost resume": Verb(
        "let such a match continue from the moves that are stored", resumed_line, arguments=[_MATCH], acts=True
    ),
    "lost end": Verb("give such a match up; its record is not removed", ended_line, arguments=[_MATCH], acts=True),
    "game open": Verb(
        "begin matches of a game again that was closed because of its faults",
        opened_line,
        arguments=[Argument("game", "the game", {"metavar": "NAME"})],
        acts=True,
    ),
    "slow extend": Verb(
        "give time to a slow match: it does not end by time for some days, whoever is to move",
        extended_line,
        arguments=[_MATCH, Argument("days", "1 to 365", {"type": int, "metavar": "DAYS"})],
        acts=True,
    ),
    "kick": Verb("end a player's connection; the player may come back", kicked_line, arguments=[_PLAYER], acts=True),
    "ban": Verb(
        "let a name, an address or a network in no more", banned_line, arguments=[_TARGET, _PERIOD_OF_BAN], acts=True
    ),
    "unban": Verb("end a ban", unbanned_line, arguments=[_TARGET], acts=True),
    "bans": Verb("all bans, one line for each", item=ban_line),
    "say": Verb(
        "say something to all, on the wires that have words for it",
        said_line,
        arguments=[Argument("text", "one line", {"nargs": "+", "action": _Words, "metavar": "TEXT"})],
        acts=True,
    ),
    "reload": Verb("read the file with the settings again, and use what can change", reloaded_lines, acts=True),
    "drain": Verb(
        "begin no new matches, and end after the last one",
        drain_line,
        arguments=[Argument("--cancel", "begin new matches again, and continue", _FLAG)],
        acts=True,
    ),
    "backup": Verb(
        "copy the store to a file on which a host can start; moves continue meanwhile",
        backup_lines,
        arguments=[_FILE, Argument("--force", "replace an earlier backup", _FLAG), _ACCEPT_FAULTS],
        acts=True,
    ),
    "account list": Verb("accounts, one line for each", item=account_line, arguments=[_PATTERN]),
    "account devices": Verb(
        "the devices that log in without the password; account reset ends them all",
        devices_line,
        item=device_line,
        arguments=[_ACCOUNT],
    ),
    "account reset": Verb(
        "give an account a new password; the player is disconnected",
        reset_lines,
        arguments=[_ACCOUNT, _PASSWORD],
        acts=True,
    ),
    "account rename": Verb(
        "give an account another name",
        renamed_line,
        arguments=[_ACCOUNT, Argument("new_name", "its new name", {"metavar": "NEW"}), _GIVE_UP],
        acts=True,
    ),
    "account delete": Verb(
        "delete an account; its name is free then", deleted_line, arguments=[_ACCOUNT, _GIVE_UP], acts=True
    ),
    "cluster": Verb("the hosts of the cluster, one line for each, and what this one has", own_lines, member_line),
}

#: All requests to a host: the verbs, and the requests of `gamehost journal` and `gamehost contest`.
REQUESTS: Mapping[str, Verb] = {
    **VERBS,
    "journal ends": Verb(),
    "journal newest": Verb(),
    "journal rows": Verb(),
    "contest game": Verb(acts=True),
    "contest leave": Verb(),
}


#: The exit status if no host answers.
NO_HOST = 3

#: Options that are for this command, and are not sent with the request.
_OWN = frozenset({"verb", "verb_of_group", "store", "admin", "json"})


def main(argv: Sequence[str], out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    """
    Send one request, and print the answer.

    :param argv: the words after `gamehost admin`
    :returns: the exit status: 0, or 1 if the host refuses the request, or 3 if no host answers
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    words = parser().parse_args(argv)
    # A verb such as `account list` has two words.
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
    """
    Make the parser of the command line. The options `--store`, `--admin` and `--json` may be given before or after the
    verb.
    """
    top = argparse.ArgumentParser(
        prog="gamehost admin",
        description="Look at a running host, and tell it what to do. The default store is gamehost.sqlite.",
    )
    _add_options(top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    groups: dict[str, Any] = {}
    for name, verb in VERBS.items():
        # A name of one word belongs to no group, so `group` is empty.
        group, _, of_group = name.rpartition(" ")
        if group and group not in groups:
            others = [one.split()[1] for one in VERBS if one.startswith(f"{group} ")]
            parent = verbs.add_parser(group, help=", ".join(others))
            groups[group] = parent.add_subparsers(dest="verb_of_group", required=True, metavar="VERB")
        one = groups.get(group, verbs).add_parser(of_group, help=verb.help, description=verb.help)
        for argument in verb.arguments:
            one.add_argument(argument.name, help=argument.help, **argument.options)
        _add_options(one)
    top.set_defaults(store="gamehost.sqlite", admin=None, json=False, verb_of_group=None)
    return top


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that are possible before and after the verb."""
    # No default values here: in the parser of a verb they would replace an option that was given before the verb.
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--store", default=argparse.SUPPRESS, metavar="PATH", help="the host's store")
    where.add_argument("--admin", default=argparse.SUPPRESS, metavar="PATH", help="the host's socket")
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer in JSON")


def _show(words: argparse.Namespace, given: Iterable[Mapping[str, Any]], out: TextIO, err: TextIO) -> int:
    """Print the lines of an answer, and return the exit status."""
    verb = VERBS[words.verb]
    status = 0
    with while_read(out):
        for answer in given:
            if "error" in answer:
                print(f"gamehost admin: {answer['error']}", file=err)
                status = int(answer["status"])
            elif words.json:
                facts = answer.get("item", answer.get("end"))
                # An empty end says nothing; an empty item is an item.
                if facts or "item" in answer:
                    print(json.dumps(facts), file=out)
            else:
                for line in verb.item(answer["item"]) if "item" in answer else verb.end(answer["end"]):
                    print(line, file=out)
    return status
