"""The verbs of `gamehost admin` about matches."""

import argparse
from collections.abc import Iterator, Mapping

from gamehost.commands.verb import Facts, Verb
from gamehost.ops.escaping import escaped


def table_line(facts: Facts) -> Iterator[str]:
    """One match."""
    players = ", ".join(_player(seat) for seat in facts["seats"])
    notes = ["private"] * facts["private"] + ["suspended"] * (facts["phase"] == "suspended")
    more = f"  ({', '.join(notes)})" if notes else ""
    entries = "entry" if facts["entries"] == 1 else "entries"
    watchers = f"  {facts['watchers']} watch" if facts["watchers"] else ""
    yield f"{facts['table']}  {facts['game']}  {players}  {facts['entries']} {entries}{watchers}{more}"


def _player(seat: Facts) -> str:
    away = "" if seat["here"] else ", away"
    return f"{escaped(seat['name'])} ({seat['wire']}{away})"


def shown_lines(facts: Facts) -> Iterator[str]:
    """The position of a match, and its players."""
    private = ", private" if facts["private"] else ""
    yield f"table {facts['table']}: {facts['game']}{private}, {facts['phase']}, after entry {facts['entries']}"
    for number, seat in enumerate(facts["seats"]):
        yield f"seat {number}: {_seat(seat)}"
    for line in facts["board"] or ["this game has no picture in text"]:
        yield escaped(line)
    if facts["awaited"]:
        yield escaped(facts["awaited"])


def _seat(seat: Facts) -> str:
    clock = "" if seat["clock_seconds"] is None else f", {seat['clock_seconds']:g} s on the clock"
    kept = "" if seat["here"] else f", the seat is kept for {seat['kept_seconds']} s"
    return f"{_player(seat)}{', a house player' if seat['house'] else ''}{clock}{kept}"


def _table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=int, metavar="TABLE", help="the number of the match")


MATCH_VERBS: Mapping[str, Verb] = {
    "tables": Verb("the matches that are played, one line for each", item=table_line),
    "show": Verb("the position of a match, as a watcher may see it", shown_lines, add_arguments=_table),
}
