"""A table without wires, and those who watch it: what they are told, as bytes, and what its history says."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from attrs import define, field, frozen
from twisted.internet.task import Clock

from gamehost.fairness import Slices
from gamehost.games.base import Game, JournalledChance, Seat
from gamehost.games.eriantys.messages import MESSAGES as ERIANTYS
from gamehost.games.messages import Messages
from gamehost.games.onitama.messages import MESSAGES as ONITAMA
from gamehost.games.paper_soccer.messages import MESSAGES as PAPER_SOCCER
from gamehost.games.stratego.messages import MESSAGES as STRATEGO
from gamehost.journal.records import Entry, SeatRecord, TableHeader, TableId
from gamehost.journal.replay import History, new_master, replay
from gamehost.lobby.played import READ_EVERY, PlayedTables
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.gallery import Galleries
from gamehost.tables.interfaces import Archived, Look, Over, SeatHandle, WatchableTable
from gamehost.tables.table import Table
from tests.kit.example_game import TOY, TOY_WIRE, Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.tables.test_table import TableCase

MESSAGES: dict[str, Messages] = {
    "onitama": ONITAMA,
    "stratego": STRATEGO,
    "paper-soccer": PAPER_SOCCER,
    "eriantys": ERIANTYS,
}


@frozen
class MessagesEncoder:
    """What happens as a line of JSON: a look, an event of the game with its number, or the name of another event."""

    messages: Messages = field(eq=id, hash=False)

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        return line(["look", look.n, self.messages.view(look.view), look.away])

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        if type(event).__module__ == "gamehost.tables.interfaces":
            return line([type(event).__name__, n])
        message = self.messages.event(event)
        return b"" if message is None else line(["event", n, message])


def line(message: Any) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def written(messages: Messages, history: History[Any]) -> list[bytes]:
    """The events of a history, as `MessagesEncoder` writes them."""
    made = [(n, messages.event(event)) for n, event in history.events]
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
    def messages(self) -> Messages:
        return MESSAGES[self.game.name]

    @property
    def entries(self) -> Sequence[Entry]:
        return self.journal.entries[self.table.id]

    @property
    def over(self) -> bool:
        return self.table._master.result is not None or self.table.phase not in (Phase.PLAYING, Phase.DORMANT)

    def watch(self) -> Stream:
        stream = Stream()
        self.galleries.watch(self.table, stream, MessagesEncoder(self.messages))
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

    def until_idle(self) -> None:
        self.journal.release()
        self.turn()

    def look_at(self, n: int) -> bytes:
        """A watcher's view after so many entries, as JSON."""
        chance = JournalledChance()
        master = replay(self.game, new_master(self.game, self.opening, chance), chance, self.entries[:n])
        return msgspec.json.encode(self.messages.view(master.view(None)))


# Two hosts on one store: one plays, and the other one follows its tables.


def follow(world: MemoryHost, *games: Game[Any, Any]) -> PlayedTables:
    """Follow the tables of a host, without a host of one's own."""
    return following(world.clock, world.journal.beside(), *games)


def following(clock: Any, journal: Any, *games: Game[Any, Any]) -> PlayedTables:
    """The tables of other hosts that write to this journal."""
    tables = PlayedTables(clock, journal, Slices(clock), {})
    tables.follow({game.name: game for game in games or (TOY,)})
    return tables


@define(eq=False)
class FollowedWorld(WatchedTable):
    """As `WatchedTable`, but those who watch are at another host."""

    followed: PlayedTables = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.followed = following(self.clock, self.journal.beside(), self.game)

    @property
    def watched(self) -> WatchableTable | None:
        """The table, if it is known and not over."""
        return self.followed.get(self.table.id)

    def watch(self) -> Stream:
        stream = Stream()
        if (table := self.watched) is not None:
            self.galleries.watch(table, stream, MessagesEncoder(self.messages))
        return stream

    def turn(self) -> None:
        self.clock.advance(READ_EVERY)
        self.clock.advance(0)


class Pair:
    """Two hosts of the toy game on one store. `first` plays, and `leader` shows its matches."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        settings = {"toy.goal": "1000"} | (settings or {})
        self.first = MemoryHost(settings, wires=(TOY_WIRE,))
        self.leader = MemoryHost(settings, journal=self.first.journal.beside(), wires=(TOY_WIRE,))
        self.leader.lobby.directory.played.follow({TOY.name: TOY})

    def wait(self, seconds: float = READ_EVERY) -> None:
        self.first.wait(seconds)
        self.leader.wait(seconds)

    def take_over(self) -> list[TableId]:
        """The first host ends, and the leader has its tables."""
        ours, theirs = self.leader.journal, self.first.journal
        found = [one for one in ours.unfinished() if one.table in theirs.own]
        ours.own |= theirs.own
        self.leader.lobby.restore({TOY.name: TOY}, found)
        return [one.table for one in found]


# What those who watch a table are told, whichever host plays the match.


class Watcher:
    """An audience that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def shown(self, look: Look[Any]) -> None:
        self.told.append(look)

    def deliver(self, event: Any, n: int) -> None:
        self.told.append((n, event))

    def read(self) -> list[Any]:
        told, self.told = self.told, []
        return told


class WatchingContract(TableCase):
    def watchable(self, world: MemoryHost) -> WatchableTable:
        """Table 1, for somebody who watches."""
        raise NotImplementedError

    def pass_on(self, world: MemoryHost) -> None:
        """Have those who watch told of what has happened."""

    def away(self, *seats: int) -> tuple[Seat, ...] | None:
        return tuple(map(Seat, seats))

    def shown(self, world: MemoryHost, table: WatchableTable) -> Watcher:
        """One more who watches."""
        watcher = Watcher()
        self.assertTrue(table.watch(watcher))
        self.pass_on(world)
        return watcher

    def watched(self, world: MemoryHost) -> tuple[Client, Client, WatchableTable, Watcher]:
        ann, bob = self.seat(world)
        table = self.watchable(world)
        return ann, bob, table, self.shown(world, table)

    def test_a_look_then_what_happens(self) -> None:
        """The count of things that happened goes with each; the look is of the watcher's own view."""
        world = self.world()
        ann, bob, table, watcher = self.watched(world)
        self.assertEqual(watcher.read(), [Look(1, self.away(), Counted(0, 9))])
        ann.say("+2")
        bob.say("+7")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [(2, Counted(2, 9))], "refusals are for one player")
        bob.say("+2")
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual([n for n, _ in watcher.read()], [3, 4, 4])
        self.assertEqual(table.n, 4)

    def test_the_end(self) -> None:
        """It is the last thing that an audience is told, and a table that is over cannot be watched."""
        world = self.world(settings={"toy.goal": "1"})
        ann, _, table, watcher = self.watched(world)
        watcher.read()
        ann.say("+1")
        self.pass_on(world)
        (_, counted), (n, over) = watcher.read()
        self.assertEqual((counted, n, over.result.winners), (Counted(1, 9), 2, (0,)))
        self.assertIsInstance(over, Over)
        self.assertFalse(table.watch(watcher))

    def test_a_seat_is_given_up(self) -> None:
        """The end says who has won."""
        world = self.world()
        ann, _, _, watcher = self.watched(world)
        ann.say("bye")
        self.pass_on(world)
        n, over = watcher.read()[-1]
        self.assertEqual((n, over.result.winners, over.result.cause.value), (2, (1,), "left"))

    def test_no_longer(self) -> None:
        world = self.world()
        ann, bob, table, watcher = self.watched(world)
        watcher.read()
        late = Watcher()
        table.watch(late)
        table.unwatch(late)
        late.read()
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual((watcher.read(), late.read()), ([(2, Counted(1, 9))], []))
        table.unwatch(watcher)
        table.unwatch(watcher)
        bob.say("+1")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [])
        again = self.shown(world, table)
        self.assertEqual((again.read(), table.n), ([Look(3, self.away(), Counted(2, 9))], 3))

    def test_a_second_look(self) -> None:
        """One that watches already is shown the match anew, and is told nothing twice."""
        world = self.world()
        ann, _, table, watcher = self.watched(world)
        watcher.read()
        table.watch(watcher)
        ann.say("+1")
        self.pass_on(world)
        self.assertEqual(watcher.read(), [Look(1, self.away(), Counted(0, 9)), (2, Counted(1, 9))])

    def test_a_deserted_table(self) -> None:
        world = self.world()
        ann, bob, table, _ = self.watched(world)
        ann.say("+1")
        ann.drop()
        bob.drop()
        self.pass_on(world)
        late = self.shown(world, table)
        self.assertEqual(late.read(), [Look(2, self.away(0, 1), Counted(1, 9))])
        world.wait(86_401)
        self.pass_on(world)
        self.assertEqual(late.read(), [(2, Archived())])

    def test_numbers_go_on_after_a_restart(self) -> None:
        journal = RecordingJournal()
        world = self.world(journal=journal)
        ann, _ = self.seat(world)
        ann.say("+1")
        again = self.world(journal=journal.restarted())
        bob = self.back(again, "bob")
        again.until_idle()
        watcher = self.shown(again, self.watchable(again))
        self.assertEqual(watcher.read(), [Look(2, self.away(0), Counted(1, 9))])
        bob.say("+1")
        self.pass_on(again)
        self.assertEqual(watcher.read(), [(3, Counted(2, 9))])


del TableCase
