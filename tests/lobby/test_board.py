"""The board: what it shows, when it tells differences, and that it costs nothing while nobody looks."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby.queues import Queue
from gamehost.lobby.sessions import Session
from gamehost.lobby.watching import EVERY, LISTED, Board, Changes, Shown, WaitingByGame
from gamehost.tables.gallery import WatchRefused
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost


@frozen
class Words:
    """An encoder for people; `made` counts what it made."""

    made: list[str]

    def __hash__(self) -> int:
        return 1

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        return self._note(["all", *map(self._row, shown), *self._waiting(waiting)])

    def changes(self, changes: Changes) -> bytes:
        return self._note(
            [
                *map(self._row, changes.changed),
                *(f"{table} gone" for table in changes.gone),
                *self._waiting(changes.waiting),
            ]
        )

    def _row(self, shown: Shown) -> str:
        table, look, watchers = shown
        watched = f", {watchers} watch" if watchers else ""
        if look is None:
            return f"{table.id} {'+'.join(table.names)}"
        return f"{table.id} {'+'.join(table.names)} at {look.n}: {look.view.count}{watched}"

    def _waiting(self, waiting: object) -> list[str]:
        assert isinstance(waiting, dict)
        return [
            f"{game}: {'nobody' if one is None else [*one.names, *(table.names for table in one.tables)]}"
            for game, one in waiting.items()
        ]

    def _note(self, words: list[str]) -> bytes:
        self.made.append("; ".join(words))
        return self.made[-1].encode()


class Reader:
    """One who looks."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def tell(self, data: bytes) -> None:
        self.text.append(data.decode())

    def closed(self, table: TableId) -> None:
        """Not asked for here."""

    def read(self) -> list[str]:
        """What it was told since the last call."""
        text, self.text = self.text, []
        return text


class Watching:
    """One who watches, and their encoder."""

    address = ""

    def tell(self, data: bytes) -> None:
        """Nothing is made of it."""

    def closed(self, table: TableId) -> None:
        """Nor of this."""

    def shown(self, table: object, look: object, delay: float) -> bytes:
        """The same bytes for everything."""
        return b"shown"

    def event(self, table: object, event: object, n: int) -> bytes:
        """The same."""
        return b"event"


class BoardCase(SynchronousTestCase):
    """A host of the toy game, and those who look at it."""

    def setUp(self) -> None:
        self.host = MemoryHost(wires=(TOY_WIRE,))
        self.words = Words([])

    @property
    def board(self) -> Board:
        return self.host.lobby.spectators.board

    def look(self) -> Reader:
        """One more who looks."""
        reader = Reader()
        self.board.look(reader, self.words)
        return reader

    def enter(self, name: str) -> Session:
        """A player who has logged in, and does not wait."""
        conversation: Any = self.host.connect("toy").protocol._conversation
        return self.host.lobby.enter(name, "toy", "", conversation)

    def come(self, *names: str) -> list[Client]:
        """Players who play each other, two by two."""
        clients = [self.host.connect("toy") for _ in names]
        for client, name in zip(clients, names, strict=True):
            client.say(f"hi {name}")
        return clients


class BoardTests(BoardCase):
    """What those who look are told."""

    def test_all_at_first_and_differences_then(self) -> None:
        """At most twice a second, and only if something is different."""
        ann, bob = self.come("ann", "bob")
        [carl] = self.come("carl")
        reader = self.look()
        self.assertEqual(reader.read(), ["all; 1 ann+bob at 1: 0; toy: ['carl']"])
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), [])
        ann.say("+2")
        bob.say("+1")
        self.assertEqual(reader.read(), [])
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 3: 3"])
        carl.drop()
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["toy: nobody"])
        ann.say("bye")
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 gone"])

    def test_watchers(self) -> None:
        """Rows say how many watch, also if nothing else has changed."""
        self.come("ann", "bob")
        reader, galleries, table = self.look(), self.host.lobby.galleries, self.host.lobby.tables[TableId(1)]
        self.assertEqual(reader.read(), ["all; 1 ann+bob at 1: 0"])
        watcher = Watching()
        galleries.watch(table, watcher, watcher)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0, 1 watch"])
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), [])
        self.assertEqual(self.look().read(), ["all; 1 ann+bob at 1: 0, 1 watch"])
        galleries.unwatch(table.id, watcher)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])

    def test_encoded_once(self) -> None:
        """However many look with the same encoder."""
        readers = [self.look() for _ in range(5)]
        self.words.made.clear()
        self.come("ann", "bob")
        self.host.wait(EVERY)
        self.assertEqual(self.words.made, ["1 ann+bob at 1: 0"])
        self.assertEqual([reader.read()[-1] for reader in readers], self.words.made * 5)

    def test_a_newcomer_is_told_what_the_others_know(self) -> None:
        """So the next differences are right for all."""
        first = self.look()
        ann, _ = self.come("ann", "bob")
        second = self.look()
        self.assertEqual((first.read(), second.read()), (["all"], ["all"]))
        ann.say("+1")
        self.host.wait(EVERY)
        self.assertEqual((first.read(), second.read()), (["1 ann+bob at 2: 1"],) * 2)

    def test_nothing_is_shown_before_it_is_durable(self) -> None:
        """A move that is not on disk is not on the board."""
        self.host = MemoryHost(wires=(TOY_WIRE,), journal=RecordingJournal())
        ann, _ = self.come("ann", "bob")
        reader = self.look()
        self.host.journal.late = True
        ann.say("+2")
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["all; 1 ann+bob at 1: 0"])
        self.host.journal.late = False
        self.host.journal.release()
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 2: 2"])

    def test_a_game_that_is_shown_later(self) -> None:
        """How a match stands is on the board after the delay, and not before; that it is played is there at once."""
        self.host = MemoryHost({"toy.watch_delay": "5"}, wires=(TOY_WIRE,))
        ann, bob = self.come("ann", "bob")
        reader = self.look()
        self.assertEqual(reader.read(), ["all; 1 ann+bob"])
        ann.say("+2")
        self.host.wait(4.9)
        self.assertEqual(reader.read(), [])
        self.assertEqual(self.look().read(), ["all; 1 ann+bob"])
        self.pass_time(0.6)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])
        bob.say("+1")
        self.pass_time(4.5)
        self.assertEqual(reader.read(), [])
        self.pass_time(1.0)
        self.assertEqual(reader.read(), ["1 ann+bob at 2: 2"])
        self.pass_time(5.5)
        self.assertEqual(reader.read(), ["1 ann+bob at 3: 3"])
        self.assertIsNone(self.host.lobby.directory.tables()[0].n)

    def pass_time(self, seconds: float) -> None:
        """In steps of the board."""
        for _ in range(round(seconds / EVERY)):
            self.host.wait(EVERY)

    def test_private_tables_are_not_listed(self) -> None:
        """Neither while they wait, nor while they are played."""
        reader = self.look()
        lobby, queue = self.host.lobby, Queue(TOY)
        sessions = [self.enter(name) for name in ("ann", "bob")]
        private = lobby.open_table(sessions[0], queue, 2, {"code": "K7QM2X4A"}).table
        self.host.wait(EVERY)
        lobby.join(sessions[1], queue, private, "K7QM2X4A")
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["all"])
        self.assertRaises(WatchRefused, lobby.spectators.watch, private, reader, self.words)

    def test_open_tables_are_listed(self) -> None:
        """With those who wait there."""
        reader = self.look()
        self.host.lobby.open_table(self.enter("ann"), Queue(TOY), 2, {})
        self.host.wait(EVERY)
        self.assertEqual(reader.read()[1:], ["toy: [('ann',)]"])

    def test_the_newest_are_listed(self) -> None:
        """No more than fit into a message."""
        self.host = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        reader = self.look()
        self.come(*(f"guest{number}" for number in range(2 * LISTED + 4)))
        self.host.wait(EVERY)
        [_, told] = reader.read()
        self.assertEqual((told.count(" at "), told.startswith("3 guest4+guest5 ")), (LISTED, True))


class NobodyTests(BoardCase):
    """Nothing is paid while nobody looks."""

    def test_no_timer_and_no_audience(self) -> None:
        """Before somebody looks, after the last one has gone, and when the host has stopped."""
        self.come("ann", "bob")
        [table] = self.host.lobby.tables.values()
        timers = len(self.host.clock.getDelayedCalls())
        first, second = self.look(), self.look()
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers + 1)
        self.assertEqual(len(table._outbox.audience), 1)
        self.board.look_away(first)
        self.board.look_away(first)
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers + 1)
        self.board.look_away(second)
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers)
        self.assertEqual(table._outbox.audience, [])
        self.look()
        self.host.lobby.close()
        self.assertEqual(self.host.clock.getDelayedCalls(), [])

    def test_a_fault_ends_the_board_alone(self) -> None:
        """Players do not notice it."""
        ann, bob = self.come("ann", "bob")
        reader = self.look()
        self.patch(Words, "changes", lambda self, changes: 1 // 0)
        ann.say("+1")
        self.host.wait(EVERY)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        ann.heard()
        bob.say("+1")
        self.assertEqual(ann.heard(), ["count 2 9"])
        self.assertEqual(len(reader.read()), 1)
