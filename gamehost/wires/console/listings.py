"""Lists of people, matches and those who wait, as lines for a terminal. Each says what to type about it. Pure."""

from collections.abc import Mapping, Sequence

from gamehost.lobby.board import WaitingByGame
from gamehost.lobby.directory import Counts, Person, PlayedTable
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.console.screens.base import listed
from gamehost.wires.console.words import counted, title

#: So many lines of a list are shown.
LINES = 40


def greeting(games: Sequence[str], counts: Counts) -> list[str]:
    """The first lines of a connection."""
    now = f"{counted(counts.tables, 'table')}, {counted(counts.people, 'person', 'people')}, {counts.waiting} waiting."
    return [f"gamehost: {listed([title(game) for game in games])}. {now}", f"Type help, or: play {games[0]}"]


def people(found: Sequence[Person]) -> list[str]:
    """Who is here."""
    if not found:
        return ["Nobody is here under a name. To play, type: play onitama"]
    return _shortened([f"  {one.name:20}  {_doing(one)}" for one in found])


def _doing(person: Person) -> str:
    on = "" if person.wire == "console" else f", on the wire {person.wire}"
    if not person.game:
        return f"is here{on}"
    where = "in a private match" if person.table is None else f"in match {person.table}"
    return f"plays {title(person.game)} {where}{on}"


def tables(found: Sequence[PlayedTable]) -> list[str]:
    """The matches that are played."""
    if not found:
        return ["No match is played that can be watched. To begin one, type: play onitama"]
    lines = [f"  {'match':>5}  {'game':12}  {'moves':>5}  players"]
    lines += [
        f"  {one.table:>5}  {title(one.game):12}  {one.n:>5}  {', '.join(one.names)}"
        + (f" ({counted(one.watchers, 'watcher')})" if one.watchers else "")
        for one in found
    ]
    return [*_shortened(lines), f"To look on at one, type: watch {found[-1].table}"]


def waiting(found: WaitingByGame, games: Sequence[str]) -> list[str]:
    """Who waits for opponents, and what to type to play with them."""
    lines: list[str] = []
    for game in games:
        one = found.get(game)
        if one is None:
            continue
        lines += [f"  {title(game):12}  {name}: type play {game}" for name in one.names]
        lines += [f"  {title(game):12}  {_table_words(table)}: type join {table.table}" for table in one.tables]
    return _shortened(lines) if lines else ["Nobody waits. To play, type: play onitama"]


def _table_words(table: OpenTable) -> str:
    chosen = settings_words(table.settings)
    return f"{', '.join(table.names)} ({len(table.names)} of {table.seats} players{chosen})"


def settings_words(settings: Settings) -> str:
    """The settings of a match that say anything, behind a comma; empty: none does."""
    told = {name: text for name, text in settings.items() if text not in ("", "0", "no") and name != "code"}
    return "".join(f", {name}={text}" for name, text in sorted(told.items()))


def waiting_line(table: OpenTable) -> str:
    """How things stand at the table where somebody waits."""
    if len(table.names) == table.seats:
        return f"All {table.seats} players are here."
    missing = counted(table.seats - len(table.names), "player")
    return f"You wait at table {table.table} for {missing} more. Here: {', '.join(table.names)}."


def _shortened(lines: Sequence[str]) -> list[str]:
    if len(lines) <= LINES:
        return list(lines)
    return [*lines[:LINES], f"  ... and {len(lines) - LINES} more."]


def settings_lines(settings: Mapping[str, str]) -> list[str]:
    """What `set` shows."""
    return [f"  {name:8}  {value}" for name, value in settings.items()]
