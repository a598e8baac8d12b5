"""Servers that refuse, that are strict, and that say what cannot be: the programs say why they cannot go on."""

from typing import Any

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move, Place, PlaceRows, Ready
from gamehost.players.base import Level, Player
from gamehost.players.registry import new_player
from gamehost.programs.stratego_board import attacked, set_up_board
from gamehost.programs.wire_player import ProgramError, WirePlayer
from gamehost.wires.eriantys import messages as eriantys
from gamehost.wires.eriantys import values
from gamehost.wires.onitama import messages as onitama
from gamehost.wires.open import messages as open_wire
from gamehost.wires.paper_soccer import messages as soccer
from gamehost.wires.stratego_frames import messages as frames
from gamehost.wires.stratego_lines import messages as lines
from tests.kit.wire_players import program_of

CARDS = "white=boar,ox;black=crab,eel;spare=tiger"
BOARD = "ppkpp/...../...../..K../PP.PP"
ROWS = ("F123344455", "5566667777", "8888899999", "999SBBBBBB")


def easy(game: str, seat: Seat) -> Player:
    """A player of a game."""
    return new_player(game, seat, Level.EASY, 1, effort=0.05)


def program(wire: str) -> WirePlayer:
    """A program that has just begun."""
    made = program_of(wire, "ann", "secret", easy)
    made.begin()
    return made


class ServersTests(SynchronousTestCase):
    """Message by message."""

    def check(self, wire: str, *messages: Any, says: str) -> None:
        """The last message is one with which the program cannot go on."""
        playing = program(wire)
        for message in messages[:-1]:
            playing.hear(message)
        self.assertIn(says, str(self.assertRaises(ProgramError, playing.hear, messages[-1])))

    def test_onitama(self) -> None:
        """Errors, and cards, squares and boards that there are not."""
        start = onitama.Start("ann", "bob", CARDS)
        self.check("onitama", onitama.Error("this name is in use"), says="the server says: this name is in use")
        self.check("onitama", onitama.Start("ann", "bob"), says="does not say which cards")
        self.check("onitama", onitama.Start("ann", "bob", "boar,ox"), says="deals cards otherwise")
        self.check("onitama", onitama.Start("ann", "bob", CARDS.replace("ox", "cat")), says="a card that there is not")
        self.check("onitama", start, onitama.MoveWasMade("ox", "c1", "c9"), says="a square that there is not")
        self.check("onitama", onitama.MoveWasMade("ox", "c1", "c2"), says="a match that has not begun")
        self.check("onitama", onitama.Reconnect("ann", "green", BOARD, CARDS, "bob"), says="expected white or black")
        self.check("onitama", onitama.Reconnect("ann", "black", "", CARDS, "bob"), says="not five rows")
        playing = program("onitama")
        playing.hear(onitama.Start("bob", "ann", CARDS))
        for message in (onitama.StalemateCard("ox", "dragon"), onitama.Logout("bob"), onitama.GameOver("draw")):
            playing.hear(message)
        self.assertEqual(playing.result, "nobody has won")

    def test_paper_soccer(self) -> None:
        """Refused log-ins, errors, illegal moves, and a server that stops."""
        self.check("paper-soccer", soccer.LoginResponse(soccer.LoginError.NICK), says="refuses the log-in: NICK")
        self.check("paper-soccer", soccer.Error("what?"), says="the server says: what?")
        self.check("paper-soccer", soccer.ServerShutdown(), says="the server stops")
        self.check("paper-soccer", soccer.GameState("1", "ann", ((5, 5),)), says="tells of an illegal move")
        playing = program("paper-soccer")
        playing.hear(soccer.GameState("1", "ann"))
        playing.think()
        playing.hear(soccer.Error("no"))
        self.assertEqual(len(playing.think()), 1)

    def test_stratego_lines(self) -> None:
        """Refused log-ins, moves and battles that cannot be, and a draw."""
        new = (lines.New(), lines.Color("red"))
        self.check("stratego-lines", lines.AuthErr(), lines.AuthReq(), says="the name or the password is wrong")
        self.check("stratego-lines", lines.AuthErr(), lines.Err("too many"), lines.AuthReq(), says="too many")
        self.check("stratego-lines", lines.New(), lines.Color("green"), says="expected red or blue")
        for message, words in (
            (lines.Moved("A4", "A5"), "where no such piece stands"),
            (lines.Moved("A7", "A4", "V"), "a battle that cannot be"),
            (lines.Moved("A11", "A4"), "a move that is none"),
        ):
            playing = program("stratego-lines")
            for one in new:
                playing.hear(one)
            self.assertEqual(len(playing.think()), 4)
            playing.hear(lines.EndSetup())
            self.assertIn(words, str(self.assertRaises(ProgramError, playing.hear, message)))
        playing = program("stratego-lines")
        for one in new:
            playing.hear(one)
        playing.hear(lines.Winner("none"))
        self.assertEqual(playing.result, "nobody has won")

    def test_a_refused_set_up(self) -> None:
        """The same color once more: it is sent again; a refused move is asked for again."""
        playing = program("stratego-lines")
        for message in (lines.New(), lines.Color("red")):
            playing.hear(message)
        playing.think()
        playing.hear(lines.Err("no"))
        playing.hear(lines.EndSetup())
        playing.hear(lines.GetMove())
        self.assertEqual(len(playing.think()), 1)
        playing.hear(lines.Err("no"))
        playing.hear(lines.GetMove())
        self.assertEqual(len(playing.think()), 1)

    def test_stratego_frames(self) -> None:
        """Errors, refused set-ups, and a server that does not say the side."""
        self.check("stratego-frames", frames.Error("no room"), says="the server says: no room")
        self.check("stratego-frames", frames.Connected(), frames.PlacementInvalid(), says="refuses the set-up")
        for first, y in ((True, 0), (False, 6)):
            playing = program("stratego-frames")
            for message in (*((frames.Wait(),) if first else ()), frames.Connected()):
                playing.hear(message)
            said = playing.think()
            self.assertEqual((len(said), said[0].y, said[-1]), (41, y, frames.Ready("ready")))
        playing.hear(frames.GameOver("tie"))
        self.assertEqual(playing.result, "nobody has won")
        self.assertEqual(playing.act(Ready()), (frames.Ready("ready"),))

    def test_coming_back_to_a_set_up(self) -> None:
        """The pieces that are not placed yet are placed one by one."""
        playing = program("stratego-frames")
        board = "F1" + "." * 38 + set_up_board(Seat(0), ROWS)[40:]
        for message in (frames.Connected(), frames.Side("1"), frames.Board(board)):
            playing.hear(message)
        placed = []
        while isinstance((said := playing.think())[0], frames.Setup):
            placed.append(said[0])
            playing.hear(frames.PlacementValid())
        self.assertEqual((len(placed), said), (38, (frames.Ready("ready"),)))
        self.assertEqual(len({(one.x, one.y) for one in placed}), 38)
        self.assertIsInstance(PlaceRows(ROWS), PlaceRows)
        self.assertEqual(playing.act(Place("1", 2, 3)), (frames.Setup("1", 2, 3),))

    def test_attacks(self) -> None:
        """The squares of an attack, from two boards: whoever stays."""
        before = set_up_board(Seat(0), ROWS)
        before = before[:40] + "#" + before[41:60] + "." + before[61:]
        for attacker, winner, stays in (("7", "attacker", "#"), ("9", "tie", "."), ("9", "defender", "9")):
            after = before[:30] + stays + before[31:40] + "." + before[41:]
            self.assertEqual(attacked(before, after, Seat(0), attacker, "9", winner), Move(0, 4, 0, 3), winner)
        self.assertIsNone(attacked(before, before, Seat(0), "9", "9", "tie"))
        self.assertIsNone(attacked(before, before[:40] + "." + before[41:], Seat(0), "9", "F", "defender"))

    def test_eriantys(self) -> None:
        """Errors, strangers, games that are gone, and what a sparing server leaves out."""
        started = eriantys.MatchStarted(("ann", "bob"))
        error = eriantys.ErrorMessage(values.Error.TAKEN_NICKNAME)
        self.check("eriantys", error, says="the server says: TAKEN_NICKNAME")
        self.check("eriantys", eriantys.MatchStarted(("bob", "carl")), says="without this player")
        self.check("eriantys", started, eriantys.PlayedAssistant(1, "carl"), says="not in the match")
        playing = program("eriantys")
        self.assertEqual(playing.hear(eriantys.Ping()), [eriantys.Pong()])
        for fault in (values.Error.GAME_NOT_FOUND, values.Error.FULL_GAME):
            self.assertEqual(playing.hear(eriantys.ErrorMessage(fault)), [eriantys.RequestGames()])
        info = values.GameInfo(7, 1, 2, False)
        self.assertEqual(playing.hear(eriantys.AvailableGames((info,))), [eriantys.JoinAvailableGame(7)])
        self.assertEqual(playing.hear(started), [eriantys.Acknowledgement()])
        for message in (eriantys.SelectCloud(), eriantys.WhereToMove(), eriantys.SelectColor()):
            playing.hear(message)
        playing.hear(eriantys.ErrorMessage(values.Error.INVALID_ACTION, "not now", UNSET))
        playing.hear(eriantys.CommunicateWinner(None, "", "x"))
        playing.hear(eriantys.CommunicationMessage(values.Communication.LAST_ROUND))
        said = playing.hear(eriantys.CommunicationMessage(values.Communication.CLOSING_GAME))
        self.assertEqual((playing.result, said), ("nobody has won", [eriantys.Acknowledgement()]))

    def test_open(self) -> None:
        """Refused log-ins, refusals without end, a host that stops, and one with a fault."""
        for message, words in (
            (open_wire.Sorry("no"), "the host says: no"),
            (open_wire.Bye("gone"), "the host says: gone"),
            (open_wire.Suspended(3), "a fault of the host"),
        ):
            self.check("open", message, says=words)
        self.check("open", *[open_wire.Refused("no", 1)] * 10, says="the host refuses: no")
        playing = program("open")
        self.assertEqual(playing.hear(open_wire.Entered("ann", table=3)), ())
        self.assertEqual(playing.hear(open_wire.Entered("ann")), (open_wire.Seek("onitama"),))
        self.assertRaises(NotImplementedError, playing.act, None)
        guest = program_of("open", "ann", "", easy)
        self.assertEqual(guest.begin(), (open_wire.Enter("ann"),))
