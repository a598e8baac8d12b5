"""A table without wires, and those who watch it: what they are told, as bytes, and what its history says."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from attrs import define, field, frozen
from twisted.internet.task import Clock

from gamehost.games.base import Game, Seat
from gamehost.games.chance import JournalledChance
from gamehost.games.eriantys.face import FACE as ERIANTYS
from gamehost.games.face import Face
from gamehost.games.onitama.face import FACE as ONITAMA
from gamehost.games.paper_soccer.face import FACE as PAPER_SOCCER
from gamehost.games.stratego.face import FACE as STRATEGO
from gamehost.journal.history import History
from gamehost.journal.records import Entry, SeatRecord, TableHeader, TableId
from gamehost.journal.replay import new_master, replay
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import Look, SeatHandle, WatchableTable
from gamehost.tables.table import Table
from tests.kit.journals import RecordingJournal

FACES: dict[str, Face] = {"onitama": ONITAMA, "stratego": STRATEGO, "paper-soccer": PAPER_SOCCER, "eriantys": ERIANTYS}


@frozen
class FaceEncoder:
    """What happens as a line of JSON: a look, an event of the game with its number, or the name of another event."""

    face: Face = field(eq=id, hash=False)

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        return line(["look", look.n, self.face.view(look.view), look.away])

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        if type(event).__module__ == "gamehost.tables.interfaces":
            return line([type(event).__name__, n])
        message = self.face.event(event)
        return b"" if message is None else line(["event", n, message])


def line(message: Any) -> bytes:
    """A line of JSON."""
    return msgspec.json.encode(message) + b"\n"


def written(face: Face, history: History[Any]) -> list[bytes]:
    """The events of a history, as `FaceEncoder` writes them."""
    made = [(n, face.event(event)) for n, event in history.events]
    return [line(["event", n, message]) for n, message in made if message is not None]


class Stream:
    """A watcher: all that it was told."""

    address = ""

    def __init__(self) -> None:
        self.data = b""
        self.ended = False

    def tell(self, data: bytes) -> None:
        self.data += data

    def closed(self, table: TableId) -> None:
        self.ended = True

    @property
    def lines(self) -> list[bytes]:
        """Line by line."""
        return self.data.splitlines(keepends=True)


class QuietPlayer:
    """A player who is told everything and says nothing."""

    def __init__(self) -> None:
        self.handle: SeatHandle[Any] | None = None

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        pass


@define(eq=False)
class WatchedTable:
    """A table with players of its own, a journal that may be late, and galleries."""

    game: Game[Any, Any]
    seats: int
    settings: dict[str, str] = field(factory=dict)
    late: bool = False
    rng: random.Random = field(factory=lambda: random.Random(0))
    clock: Clock = field(init=False, factory=Clock)
    opening: TableHeader = field(init=False)
    journal: RecordingJournal = field(init=False)
    players: list[QuietPlayer] = field(init=False)
    table: Table[Any, Any] = field(init=False)
    galleries: Galleries = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.journal = RecordingJournal(self.late)
        self.galleries = Galleries(self.clock)
        context = TableContext(self.clock, self.journal, grace=3600.0, rng=self.rng.randrange)
        names = ("ann", "bob", "carl", "dora")[: self.seats]
        seats = tuple(SeatRecord(name, "open") for name in names)
        self.opening = TableHeader(self.game.name, self.game.version, seats, self.settings)
        number = self.journal.new_table()
        self.table = Table.prepare(
            context, number, self.game, self.opening, lambda table: None, lambda table, seat: None
        )
        self.players = [QuietPlayer() for _ in names]
        self.table.open(self.opening, self.players)

    @property
    def face(self) -> Face:
        return FACES[self.game.name]

    @property
    def entries(self) -> Sequence[Entry]:
        """All of its record."""
        return self.journal.entries[self.table.id]

    @property
    def over(self) -> bool:
        return self.table._master.result is not None or self.table.phase not in (Phase.PLAYING, Phase.DORMANT)

    def watch(self) -> Stream:
        """One more who watches."""
        stream = Stream()
        self.galleries.watch(self.table, stream, FaceEncoder(self.face))
        return stream

    def act(self, seat: Seat, action: Any) -> None:
        """Act for a seat. If its player is not there, nothing is done."""
        handle = self.table._outbox.places[seat].handle
        if handle is not None:
            handle.act(action)

    def drop(self, seat: Seat) -> None:
        self.table.disconnect(seat)

    def come_back(self, seat: Seat) -> None:
        """The seat's player is there again, if the seat is still kept."""
        place = self.table._outbox.places[seat]
        if not place.taken and not self.over:
            self.players[seat] = QuietPlayer()
            self.table.reconnect(seat, self.players[seat])

    def turn(self) -> None:
        """Those who watch are told what has happened."""
        self.clock.advance(0)

    def settle(self) -> None:
        """Everything becomes durable, and is told to everybody."""
        self.journal.release()
        self.turn()

    def look_at(self, n: int) -> bytes:
        """A watcher's view after so many entries, as JSON."""
        chance = JournalledChance()
        master = replay(self.game, new_master(self.game, self.opening, chance), chance, self.entries[:n])
        return msgspec.json.encode(self.face.view(master.view(None)))
