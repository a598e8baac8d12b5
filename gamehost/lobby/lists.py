"""
Lists of players: the present ones, and those that wait for opponents.

The hosts of a cluster show each other their lists. So the lists of all hosts are equal, at most one second after a
change.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen
from msgspec import DecodeError, Struct, json

from gamehost.journal.records import TableId
from gamehost.tables.interfaces import OpenTable

#: The most people, and the most players that wait for a game, in a list.
LISTED = 200


class Person(Struct, frozen=True):
    """A connected player, in the list of players."""

    name: str
    wire: str
    #: Whether the player has an account; otherwise it is a guest.
    account: bool
    #: The game of the player's current match; empty: the player has no match.
    game: str
    #: The number of that match; `None` if the match is private, or the player has no match.
    table: TableId | None
    #: The display name; empty if it equals the name.
    shown: str = ""


class WaitingTable(Struct, frozen=True):
    """A public table that waits for players."""

    #: The name of the game.
    game: str
    #: The pool of wires that see the table; empty: all wires do. As in `Queue.key`.
    pool: str
    table: OpenTable


class Page(Struct, frozen=True):
    """The directory of one host, as it is sent to the other hosts of a cluster."""

    #: The present players by name, at most `LISTED`.
    people: Sequence[Person] = ()
    #: The names of the players that wait for any opponent, by the name of the game. Queues with a pool are left out.
    waiting: Mapping[str, Sequence[str]] = {}
    tables: Sequence[WaitingTable] = ()
    #: The numbers of people, of waiting people, and of sleeping tables.
    counts: tuple[int, int, int] = (0, 0, 0)

    def write(self) -> str:
        return json.encode(self).decode("utf-8")


@frozen
class Waiting:
    """The players that wait for one game."""

    #: The players that wait for any opponent.
    names: tuple[str, ...] = ()
    #: The tables with waiting players.
    tables: tuple[OpenTable, ...] = ()
    #: The display names of this host's players that wait for any opponent, by their names.
    shown_as: Mapping[str, str] = {}


#: By the name of the game; games without waiting players are left out.
WaitingByGame = Mapping[str, Waiting]


def waiting_everywhere(here: WaitingByGame, pages: Sequence[Page]) -> WaitingByGame:
    """
    Join the players that wait at this host with those of the other hosts. Tables with a pool are left out: the wires of a
    pool play only among themselves.
    """
    if not pages:
        return here  # this host has no cluster
    names = {game: list(one.names) for game, one in here.items()}
    tables = {game: list(one.tables) for game, one in here.items()}
    for page in pages:
        for game, others in page.waiting.items():
            names.setdefault(game, []).extend(others)
        for table in page.tables:
            if not table.pool:
                tables.setdefault(table.game, []).append(table.table)
    return {
        game: Waiting(
            tuple(names.get(game, ())[:LISTED]),
            tuple(tables.get(game, ())[:LISTED]),
            here[game].shown_as if game in here else {},
        )
        for game in sorted({*names, *tables})
    }


def read_page(text: str) -> Page:
    """
    Read the directory of another host from JSON. The result is an empty directory if this release cannot read the text,
    for example because the other host has another release.
    """
    try:
        return json.decode(text, type=Page)
    except DecodeError:
        return Page()
