"""How the game's boards become boards of the Java program, and how its settings are read."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import Won, board_of
from gamehost.games.eriantys.pieces import Character, Colour, Tower
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.values import evolve
from gamehost.settings import BadOption
from gamehost.wires.eriantys_java import rendering
from gamehost.wires.eriantys_java.conversation import SILENT_SECONDS, WIRE, JavaConfig, configure
from gamehost.wires.eriantys_java.events import JavaOptions
from gamehost.wires.eriantys_java.messages import UpdateBoard
from gamehost.wires.eriantys_java.values import CharacterEnum, Color, EndOfGameReason
from gamehost.wires.eriantys_java.values import Tower as JavaTower
from tests.kit.games.eriantys_table import circle, new_position, rich, with_islands, with_school

NAMES = ("ann", "bob")


def shown(position: Position) -> UpdateBoard:
    """A board, in Ann's turn."""
    return rendering.board_of(board_of(position), NAMES, Seat(0))


class BoardTests(SynchronousTestCase):
    """Everything visible, and nothing else."""

    def test_the_normal_game(self) -> None:
        """Three nulls in place of cards, no coins; the bag and the hands are empty."""
        board = shown(new_position(2))
        self.assertEqual(board.dashboard.characters, (None, None, None))
        self.assertEqual((board.dashboard.bag.students, board.dashboard.playedCharacter), ((), None))
        for player in board.players:
            self.assertEqual((player.availableAssistants, player.schoolBoard.coins, player.status), ((), 0, None))
            self.assertFalse(player.schoolBoard.diningRoom.enableCoins)
        self.assertEqual(board.dashboard.motherNaturePosition, 0)

    def test_what_characters_change(self) -> None:
        """Steps, towers, a colour, more influence of the player whose turn it is; the card says that it is used."""
        for character in Character:
            position = evolve(rich(character, Character.FARMER), character=character)
            if character is Character.HARVESTER:
                position = evolve(position, banned=Colour.RED)
            dashboard = shown(position).dashboard
            self.assertEqual(dashboard.additionalMNMovements, 2 if character is Character.MESSENGER else 0)
            self.assertEqual(dashboard.doNotCountTowers, character is Character.CENTAUR)
            self.assertEqual(dashboard.doNotCountColor, Color.RED if character is Character.HARVESTER else None)
            more = {"ann": 2} if character is Character.KNIGHT else {}
            self.assertEqual([island.extraInfluence for island in dashboard.islands], [more] * 12)
            self.assertEqual(dashboard.playedCharacter, CharacterEnum[f"Char{int(character)}"])
            card = dashboard.characters[0]
            assert card is not None
            self.assertEqual((card.isActive, card.UsedBy), (True, "ann"))
            self.assertEqual(card.students is None, int(character) not in (1, 7, 11))
            self.assertLess(len(card.description), 80)

    def test_professors_and_islands(self) -> None:
        """An owner by name, here and on the school board; islands that have grown together."""
        position = with_islands(new_position(2), circle((4, Tower.WHITE), *[(1, None)] * 8))
        board = shown(evolve(position, professors=(Seat(1), None, None, None, Seat(1))))
        self.assertEqual([one.owner for one in board.dashboard.professors], ["bob", None, None, None, "bob"])
        self.assertEqual(board.players[1].schoolBoard.professors, (Color.YELLOW, Color.PINK))
        island = board.dashboard.islands[0]
        self.assertEqual((island.numUnits, island.towerColor), (4, JavaTower.WHITE))


class ReasonTests(SynchronousTestCase):
    """Why a match has ended."""

    def reason(self, position: Position | None, team: Tower | None) -> EndOfGameReason:
        """The reason that is told."""
        board = None if position is None else board_of(position)
        return rendering.reason_of(Won(team, (Seat(0),), "why", None), board)

    def test_reasons(self) -> None:
        """The last tower, few islands, or the last round; decided by towers, professors, or not at all."""
        position, reason = new_position(2), EndOfGameReason
        ahead = with_school(position, 0, towers=5)
        professor = evolve(position, professors=(Seat(0), None, None, None, None))
        few = with_islands(position, circle((4, None), (4, None), (4, None)))
        self.assertIs(self.reason(with_school(position, 0, towers=0), Tower.BLACK), reason.LAST_TOWER_BUILD)
        self.assertIs(self.reason(ahead, Tower.BLACK), reason.LAST_ROUND_TOWER)
        self.assertIs(self.reason(professor, Tower.BLACK), reason.LAST_ROUND_PROFESSOR)
        self.assertIs(self.reason(position, Tower.BLACK), reason.LAST_ROUND_TOWER)
        self.assertIs(self.reason(position, None), reason.LAST_ROUND_TIE)
        self.assertIs(self.reason(few, None), reason.THREE_ISLANDS_REMAINING_TIE)
        self.assertIs(self.reason(with_school(few, 0, towers=1), Tower.BLACK), reason.THREE_ISLANDS_REMAINING_TOWER)
        self.assertIs(self.reason(None, None), reason.LAST_ROUND_TIE)
        self.assertIs(self.reason(None, Tower.BLACK), reason.LAST_ROUND_TOWER)


class SettingsTests(SynchronousTestCase):
    """The wire's token."""

    def test_every_setting_is_read(self) -> None:
        """With its unit."""
        config = configure({"pace": "50", "ack_seconds": "3", "ping": "1", "separate": "yes"})
        self.assertEqual(config.options, JavaOptions(0.05, 3.0, 1.0))
        self.assertEqual(config.queue.pool, "eriantys-java")
        self.assertEqual(configure({}).queue.pool, "")
        self.assertEqual(configure({}).options, JavaOptions())

    def test_what_cannot_be_used_is_named(self) -> None:
        """A pace is a number of milliseconds up to a second."""
        for name, text in (("pace", "1001"), ("pace", "0.5"), ("ping", "x"), ("strict", "yes")):
            self.assertIn(name, str(self.assertRaises(BadOption, configure, {name: text})))

    def test_the_host_starts_without_the_port(self) -> None:
        """The wire is an extra service; and a person has time to type a name."""
        self.assertFalse(WIRE.must_listen)
        self.assertEqual((WIRE.endpoint, WIRE.login_seconds), ("tcp:25565:interface=127.0.0.1", 120))
        self.assertGreater(SILENT_SECONDS, 5)

    def test_a_board_is_encoded_once_for_a_listener(self) -> None:
        """Its codecs share the last one."""
        config: JavaConfig = configure({})
        board = shown(new_position(2))
        first, second = config.new_codec(), config.new_codec()
        self.assertIs(first._object(board), second._object(board))
