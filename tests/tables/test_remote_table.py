"""The table of a remote game: its clock stands still without a master, and a lost player is out at once."""

from typing import Any

from attrs import define, evolve, field
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.remote.master import REMOTE, Move, Next
from gamehost.journal.records import SeatRecord, TableHeader, TableId
from gamehost.lobby.remote_game import RemoteTable
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import SeatHandle
from gamehost.testing.journals import RecordingJournal

MASTER = Seat(2)


@define(eq=False)
class Sitter:
    handle: SeatHandle[Any] | None = None
    heard: list[str] = field(factory=list)

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        self.heard.append(type(event).__name__)


class RemoteTableTests(SynchronousTestCase):
    """Ann, Bob and a master, in a game with ten seconds for a move and five for an answer."""

    def setUp(self) -> None:
        self.clock, self.journal, self.ended = Clock(), RecordingJournal(), 0
        context = evolve(TableContext(self.clock, self.journal), grace=0.0)
        seats = tuple(SeatRecord(name, "paper-soccer") for name in ("ann", "bob", "#nim"))
        opening = TableHeader("remote", 1, seats, {"type": "nim", "move_time": "10", "answer_time": "5"})
        self.table = RemoteTable.prepare(context, TableId(1), REMOTE, opening, self.over, lambda table, seat: None)
        self.sitters = [Sitter(), Sitter(), Sitter()]
        self.table.open(opening, self.sitters)
        self.act(2, Next(Seat(0), b""))

    def over(self, table: Any) -> None:
        self.ended += 1

    def act(self, seat: int, action: Any) -> None:
        handle = self.sitters[seat].handle
        assert handle is not None and handle.act(action)

    @property
    def outcome(self) -> str:
        return self.journal.entries[TableId(1)][-1].outcome

    def test_a_lost_player_is_out(self) -> None:
        self.table.disconnect(Seat(0))
        self.assertEqual(self.outcome, "bob won (left): the others have left")
        self.assertEqual((self.ended, self.table.finished), (1, True))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_time_stands_still(self) -> None:
        self.clock.advance(6)
        self.table.stand_still()
        self.table.stand_still()
        self.clock.advance(100)
        self.assertEqual((self.table.now(), self.clock.getDelayedCalls()), (6000, []))
        self.table.go_on()
        self.table.go_on()
        self.clock.advance(3.9)
        self.assertEqual(self.ended, 0)
        self.clock.advance(0.2)
        self.assertEqual(self.outcome, "bob won (time): the others have not moved in time")

    def test_a_move_while_it_stands(self) -> None:
        """It is taken, and the master owes a state from the moment when time goes on."""
        self.table.stand_still()
        self.act(0, Move(b""))
        self.assertTrue(self.table.owes_state)
        self.clock.advance(60)
        self.table.go_on()
        self.clock.advance(4.9)
        self.assertFalse(self.table.finished)
        self.clock.advance(0.2)
        self.assertEqual(self.outcome, "nobody won (time): the master has not answered")

    def test_nobody_wins_a_game_without_a_master(self) -> None:
        self.table.void()
        self.assertEqual(self.outcome, "nobody won (left): the master is gone")
        self.assertEqual([sitter.heard[-2:] for sitter in self.sitters], [["Ended", "Over"]] * 3)
        self.table.void()
        self.assertEqual(self.ended, 1)
