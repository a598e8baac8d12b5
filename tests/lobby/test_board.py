"""Those who watch: the board, the lists, and the matches of this host and of others that can be seen."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby import played
from gamehost.lobby.board import EVERY, Board, Changes, Shown
from gamehost.lobby.directory import PlayedTable
from gamehost.lobby.lists import LISTED, WaitingByGame
from gamehost.lobby.sessions import Queue, Session
from gamehost.tables.followed import FollowedTable
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.table import Table
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.watching import Pair, Stream, Watcher


@frozen
class Words:
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


class Reader(Stream):
    def tell(self, data: bytes) -> None:
        self.data += data + b"\n"

    def read(self) -> list[str]:
        text, self.data = self.data.decode().splitlines(), b""
        return text


class Watching(Stream):
    def shown(self, table: object, look: object, delay: float) -> bytes:
        return b"shown"

    def event(self, table: object, event: object, n: int) -> bytes:
        return b"event"


class BoardCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost(wires=(TOY_WIRE,))
        self.words = Words([])

    @property
    def board(self) -> Board:
        return self.host.lobby.directory.board

    def look(self) -> Reader:
        reader = Reader()
        self.board.look(reader, self.words)
        return reader

    def enter(self, name: str) -> Session:
        conversation: Any = self.host.connect("toy").protocol.conversation
        return self.host.lobby.enter(name, "toy", "", conversation)


class BoardTests(BoardCase):
    def test_all_at_first_and_differences_then(self) -> None:
        ann, bob = self.host.come("ann", "bob")
        [carl] = self.host.come("carl")
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
        """Rows say how many watch, also if nothing else has changed. Who looks at the board and watches is not counted."""
        self.host.come("ann", "bob")
        reader, galleries, table = self.look(), self.host.lobby.galleries, self.host.lobby.tables[TableId(1)]
        self.assertEqual(reader.read(), ["all; 1 ann+bob at 1: 0"])
        watcher = Watching()
        galleries.watch(table, watcher, watcher)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0, 1 watch"])
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), [])
        self.assertEqual(self.look().read(), ["all; 1 ann+bob at 1: 0, 1 watch"])
        self.board.look(watcher, self.words)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])
        self.board.look_away(watcher)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0, 1 watch"])
        galleries.unwatch(table.id, watcher)
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])

    def test_encoded_once(self) -> None:
        readers = [self.look() for _ in range(5)]
        self.words.made.clear()
        self.host.come("ann", "bob")
        self.host.wait(EVERY)
        self.assertEqual(self.words.made, ["1 ann+bob at 1: 0"])
        self.assertEqual([reader.read()[-1] for reader in readers], self.words.made * 5)

    def test_a_newcomer_s_next_differences_are_right(self) -> None:
        first = self.look()
        ann, _ = self.host.come("ann", "bob")
        second = self.look()
        self.assertEqual((first.read(), second.read()), (["all"], ["all"]))
        ann.say("+1")
        self.host.wait(EVERY)
        self.assertEqual((first.read(), second.read()), (["1 ann+bob at 2: 1"],) * 2)

    def test_nothing_is_shown_before_it_is_durable(self) -> None:
        self.host = MemoryHost(wires=(TOY_WIRE,), journal=RecordingJournal())
        ann, _ = self.host.come("ann", "bob")
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
        self.host = MemoryHost({"toy.watch_delay": "5"}, wires=(TOY_WIRE,))
        ann, bob = self.host.come("ann", "bob")
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

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / EVERY)):
            self.host.wait(EVERY)

    def test_private_tables_are_not_listed(self) -> None:
        reader = self.look()
        lobby, queue = self.host.lobby, Queue(TOY)
        sessions = [self.enter(name) for name in ("ann", "bob")]
        private = lobby.open_table(sessions[0], queue, 2, {"code": "K7QM2X4A"}).table
        self.host.wait(EVERY)
        lobby.join(sessions[1], queue, private, "K7QM2X4A")
        self.host.wait(EVERY)
        self.assertEqual(reader.read(), ["all"])
        self.assertRaises(WatchRefused, lobby.directory.watch, private, reader, self.words)

    def test_open_tables_are_listed_with_those_who_wait(self) -> None:
        reader = self.look()
        self.host.lobby.open_table(self.enter("ann"), Queue(TOY), 2, {})
        self.host.wait(EVERY)
        self.assertEqual(reader.read()[1:], ["toy: [('ann',)]"])

    def test_the_newest_are_listed(self) -> None:
        self.host = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        reader = self.look()
        self.host.come(*(f"guest{number}" for number in range(2 * LISTED + 4)))
        self.host.wait(EVERY)
        [_, told] = reader.read()
        self.assertEqual((told.count(" at "), told.startswith("3 guest4+guest5 ")), (LISTED, True))


class NobodyTests(BoardCase):
    def test_no_timer_and_no_audience(self) -> None:
        self.host.come("ann", "bob")
        [table] = self.host.lobby.tables.values()
        timers = len(self.host.clock.getDelayedCalls())
        first, second = self.look(), self.look()
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers + 1)
        self.assertTrue(table.watched)
        self.board.look_away(first)
        self.board.look_away(first)
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers + 1)
        self.board.look_away(second)
        self.assertEqual(len(self.host.clock.getDelayedCalls()), timers)
        self.assertFalse(table.watched)
        self.look()
        self.host.lobby.close()
        self.assertEqual(self.host.clock.getDelayedCalls(), [])

    def test_a_fault_ends_the_board_alone(self) -> None:
        ann, bob = self.host.come("ann", "bob")
        reader = self.look()
        self.patch(Words, "changes", lambda self, changes: 1 // 0)
        ann.say("+1")
        self.host.wait(EVERY)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        ann.heard()
        bob.say("+1")
        self.assertEqual(ann.heard(), ["count 2 9"])
        self.assertEqual(len(reader.read()), 1)


class LeaderTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pair = Pair()
        self.leader, self.first = self.pair.leader, self.pair.first
        self.lobby = self.leader.lobby
        self.tables = self.lobby.directory.played

    def kinds(self, count: int = 9) -> list[tuple[int, type]]:
        return [(table.id, type(table)) for table in self.tables.newest(count)]

    def test_all_tables(self) -> None:
        self.first.come(*"abcd")
        self.leader.come(*"efgh")
        self.pair.wait(played.LIST_IDLE)
        everything = [(1002, Table), (1001, Table), (2, FollowedTable), (1, FollowedTable)]
        self.assertEqual([self.kinds(count) for count in (9, 3, 1)], [everything, everything[:3], everything[:1]])
        self.assertEqual(len(self.tables), 4)
        self.assertEqual(
            [type(self.tables.get(TableId(number))) for number in (1, 1001, 9)][:2], [FollowedTable, Table]
        )
        self.assertIsNone(self.tables.get(TableId(9)))

    def test_the_lists(self) -> None:
        ann, _ = self.first.come("ann", "bob")
        self.leader.come("carl", "dora")
        self.pair.wait(played.LIST_IDLE)
        ann.say("+1")
        self.pair.wait(played.LIST_IDLE)
        directory = self.lobby.directory
        shown = [
            PlayedTable(TableId(1), "toy", ("ann", "bob"), ("toy", "toy"), 0),
            PlayedTable(TableId(1001), "toy", ("carl", "dora"), ("toy", "toy"), 0),
        ]
        self.assertEqual((directory.tables(), directory.counts().tables), (shown, 2))

    def test_the_board(self) -> None:
        ann, bob = self.first.come("ann", "bob")
        self.leader.come("carl", "dora")
        self.pair.wait(played.LIST_IDLE)
        reader = Reader()
        self.lobby.directory.board.look(reader, Words([]))
        self.assertEqual(reader.read(), ["all; 1001 carl+dora at 1: 0"])
        self.pair.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])
        ann.say("+2")
        bob.say("+2")
        self.pair.wait(played.READ_EVERY)
        self.pair.wait(played.READ_EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 3: 4"])
        ann.say("bye")
        for _ in range(4):
            self.pair.wait(EVERY)
        self.assertEqual(reader.read()[-1], "1 gone")
        self.lobby.directory.board.look_away(reader)
        self.assertEqual([one.watched for one in self.tables.newest(9) if isinstance(one, FollowedTable)], [])

    def test_a_complete_board(self) -> None:
        """It has what the store says of other hosts when somebody asks, and that does not take until the next difference."""
        self.first.come("ann", "bob")
        self.pair.wait(played.LIST_IDLE)
        ann, _ = self.first.come("carl", "dora")
        ann.say("+1")
        self.pair.wait(played.LIST_EVERY)
        reader, complete, board = Reader(), list[bool](), self.lobby.directory.board
        board.look(reader, Words([]))
        board.when_complete(lambda: complete.append(True))
        self.assertEqual((reader.read(), complete), (["all"], []))
        self.pair.wait()
        self.pair.wait()
        self.assertEqual((reader.read(), complete), (["1 ann+bob at 1: 0; 2 carl+dora at 2: 1"], [True]))

    def test_the_host_takes_over(self) -> None:
        """Each match is in the list once: as the followed table as long as somebody watches it."""
        self.first.come(*"abcd")
        self.pair.wait(played.LIST_IDLE)
        table, watcher = self.tables.get(TableId(1)), Watcher()
        assert table is not None
        table.watch(watcher)
        self.pair.wait()
        self.pair.take_over()
        for name in "ac":
            self.leader.come(name)
        self.assertEqual(self.kinds(), [(2, Table), (1, FollowedTable)])
        self.pair.wait(played.LIST_IDLE)
        self.assertEqual((self.kinds(), len(self.tables)), ([(2, Table), (1, FollowedTable)], 2))
        self.assertIs(self.tables.get(TableId(1)), table)
        table.unwatch(watcher)
        self.assertEqual(self.kinds(), [(2, Table), (1, Table)])

    def test_it_is_switched_on_once(self) -> None:
        self.first.come("ann", "bob")
        self.pair.wait(played.LIST_IDLE)
        table = self.tables.get(TableId(1))
        self.lobby.directory.played.follow({TOY.name: TOY})
        self.assertIs(self.tables.get(TableId(1)), table)
        self.lobby.close()
        self.assertEqual(self.leader.clock.getDelayedCalls(), [])
