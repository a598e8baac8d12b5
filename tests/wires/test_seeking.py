"""What players seek on the wires that play all games, and the codes of private tables."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.lobby.queue import Queue
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.all_games import PLAYED
from gamehost.wires.seeking import CODE_LENGTH, CODE_LETTERS, SeekRefused, Sought, Wanted, new_code, wanted
from tests.kit.memory_host import MemoryHost

GAMES = {played.game.name: played for played in PLAYED}


def settings_for(queue: Queue, settings: Settings) -> Settings:
    """As the lobby of a host does it."""
    return MemoryHost().lobby.settings_for(queue, settings)


def checked(sought: Sought) -> Wanted:
    """What is sought, checked."""
    return wanted(sought, GAMES, settings_for)


class WantedTests(SynchronousTestCase):
    """Whether it can be had, and where it is looked for."""

    def test_any_opponent_will_do(self) -> None:
        """Without own wishes for the match, players of two meet in the game's queue; those of Eriantys at tables."""
        self.assertTrue(checked(Sought("onitama")).in_queue)
        self.assertTrue(checked(Sought("onitama", wish=Seat(1))).in_queue)
        for sought in (
            Sought("onitama", private=True),
            Sought("onitama", settings={"move_time": "60"}),
            Sought("eriantys"),
        ):
            self.assertFalse(checked(sought).in_queue)

    def test_what_cannot_be_had(self) -> None:
        """The refusal says what can, and repeats nothing."""
        for sought, words in (
            (Sought("canary"), "onitama, eriantys, paper-soccer, stratego"),
            (Sought("onitama", seats=3), "2 players"),
            (Sought("eriantys", seats=5), "2 to 4 players"),
            (Sought("eriantys", seats=3, wish=Seat(0)), "tables of two"),
            (Sought("onitama", settings={"canary": "1"}), "deal"),
            (Sought("onitama", settings={"move_time": "canary"}), "move_time"),
        ):
            error = self.assertRaises(SeekRefused, checked, sought)
            self.assertIn(words, str(error))
            self.assertNotIn("canary", str(error))

    def test_a_table_that_fits(self) -> None:
        """The same number of players and the same settings; in a game of two, the other seat."""
        mine = checked(Sought("stratego", settings={"move_time": "60"}, wish=Seat(0)))
        for fits, table in (
            (False, OpenTable(TableId(1), 2, mine.settings, ("ann",))),
            (True, OpenTable(TableId(1), 2, mine.settings, ("ann",), reversed=True)),
            (False, OpenTable(TableId(1), 2, {**mine.settings, "move_time": "61"}, ("ann",), reversed=True)),
            (False, OpenTable(TableId(1), 3, mine.settings, ("ann",), reversed=True)),
        ):
            self.assertIs(mine.fits(table), fits)


class CodeTests(SynchronousTestCase):
    """What others must know to join a private table."""

    def test_codes(self) -> None:
        """Of letters that nobody takes for each other, as the random numbers say."""
        numbers = iter(range(CODE_LENGTH))
        self.assertEqual(new_code(lambda n: next(numbers) % n), CODE_LETTERS[:CODE_LENGTH])
        self.assertFalse(set("IO01") & set(CODE_LETTERS))
