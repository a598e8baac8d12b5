"""`gamehost player`: its command, and the programs of all wires."""

import argparse
import io
import os
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from attrs import evolve
from msgspec import UNSET
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import LONGEST_LINE, LONGEST_MOVES
from gamehost.extras.bots.command import PlayerProtocol, endpoint, main, parser, password_of, playable, players_of
from gamehost.extras.bots.command import play as play_on
from gamehost.extras.bots.wires.onitama import OnitamaPlayer
from gamehost.extras.bots.wires.stratego_lines import attacked
from gamehost.extras.dialects.litama import messages as litama
from gamehost.extras.dialects.litama.codec import LitamaCodec
from gamehost.extras.dialects.onitama_final import messages as final
from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt
from gamehost.games.onitama.messages import View
from gamehost.games.play import new_player
from gamehost.games.stratego.master import board_of_set_up
from gamehost.games.stratego.rules import Move, Place, PlaceRows, Ready
from gamehost.players.base import Level, Player
from gamehost.plugins import WIRES
from gamehost.programs.clients import clients
from gamehost.programs.wire_player import MOST_REFUSALS, ProgramError, WirePlayer
from gamehost.wires.eriantys import messages as eriantys
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama import messages as onitama
from gamehost.wires.open import messages as open_wire
from gamehost.wires.open.codec import SERVER_LINE_LIMIT, OpenCodec
from gamehost.wires.paper_soccer import messages as soccer
from gamehost.wires.stratego_frames import messages as frames
from gamehost.wires.stratego_lines import messages as lines
from tests import long
from tests.kit.memory_host import MemoryHost
from tests.kit.players import RULES, HouseProcess, WirePerson, play, program_of
from tests.kit.players import WIRES as PLAYABLE

START = b"START|bob|ann|white=boar,ox;black=crab,eel;spare=tiger\n"


class PasswordTests(SynchronousTestCase):
    GOOD = ("stratego-lines", "--to", "127.0.0.1:1", "--name", "ann")

    def test_where_it_comes_from(self) -> None:
        """A command is seen by everybody on the machine; a file and the environment are not."""
        path = self.mktemp()
        Path(path).write_text("from a file\nsecond line\n", "utf-8")
        self.patch(os, "environ", {"GAMEHOST_PASSWORD": "from the environment"})
        for more, expected in (
            ((), "from the environment"),
            (("--password-file", path), "from a file"),
            (("--password", "said", "--password-file", path), "said"),
        ):
            with self.subTest(expected):
                self.assertEqual(password_of(parser(WIRES).parse_args([*self.GOOD, *more])), expected)
        self.assertIn("others on this machine can see it", " ".join(parser(WIRES).format_help().split()))

    def test_a_file_that_cannot_be_used(self) -> None:
        empty = self.mktemp()
        Path(empty).touch()
        for path, expected in (
            (self.mktemp(), "cannot be read: No such file"),
            (empty, "a password in the first line"),
        ):
            with self.subTest(expected), redirect_stderr(io.StringIO()) as told:
                self.assertRaises(SystemExit, parser(WIRES).parse_args, [*self.GOOD, "--password-file", path])
                self.assertIn(expected, told.getvalue())


class ConnectionTests(SynchronousTestCase):
    def connect(self, games: int = 1) -> PlayerProtocol:
        self.said: list[str] = []
        player = OnitamaPlayer("ann", "", players_of(Level.EASY, WIRES[0].games))
        protocol = PlayerProtocol(player, PLAYABLE["onitama"], games, self.said.append)
        self.transport = StringTransport()
        protocol.makeConnection(self.transport)
        return protocol

    def test_two_matches(self) -> None:
        protocol = self.connect(2)
        protocol.dataReceived(START + b"MOVE_WAS_MADE|ox|c1|c2\n")
        self.assertIn(b"LOGIN|ann\nMAKE_MOVE|", self.transport.value())
        protocol.dataReceived(b"GAME_OVER|bob\n")
        self.assertTrue(self.transport.value().endswith(b"\nLOGIN|ann\n"))
        self.assertFalse(self.transport.disconnecting)
        protocol.dataReceived(START + b"GAME_OVER|ann\nERROR|late\n")
        self.assertTrue(self.transport.disconnecting)
        protocol.connectionLost(Failure(OSError()))
        self.assertIsNone(self.successResultOf(protocol.done))
        self.assertEqual(self.said, ["bob has won", "ann has won"])

    def test_what_goes_wrong(self) -> None:
        for data, words in (
            (b"ERROR|this name is in use\n", "the server says: this name is in use"),
            (b"HTTP/1.1 400 Bad Request\n", "what came is not this wire: "),
            (b"", "the server has closed the connection"),
        ):
            protocol = self.connect()
            protocol.dataReceived(data)
            protocol.connectionLost(Failure(OSError()))
            self.assertIn(words, str(self.successResultOf(protocol.done)))


class CommandTests(SynchronousTestCase):
    def test_all_wires(self) -> None:
        """Each of the host's own wires that can be played by a program has one; but not those of published clients."""
        self.assertEqual(set(playable(WIRES)), set(clients()) - {"eriantys-java"})

    def test_endpoints(self) -> None:
        for text, expected in (
            ("127.0.0.1:8893", "tcp:127.0.0.1:8893"),
            ("[::1]:8893", r"tcp:\:\:1:8893"),
            ("unix:/run/onitama", "unix:/run/onitama"),
            ("tls:games.example.org:443", "tls:games.example.org:443"),
        ):
            self.assertEqual(endpoint(text), expected)
        for text in (":8893", "host:", "host:99999", "host:port"):
            self.assertRaises(argparse.ArgumentTypeError, endpoint, text)

    def test_wrong_arguments(self) -> None:
        good = ["--to", "127.0.0.1:1", "--name", "ann"]
        for words, expected in (
            (["chess", *good], "WIRE"),
            (["onitama", *good, "--level", "best"], "--level"),
            (["onitama", *good, "--games", "0"], "expected a number from 1"),
            (["onitama", "--name", "ann"], "--to"),
            (["onitama", "--to", "nowhere:x", "--name", "ann"], "expected HOST:PORT"),
            (["stratego-lines", *good], "stratego-lines needs --password"),
        ):
            with redirect_stderr(io.StringIO()) as errors:
                ended = self.assertRaises(SystemExit, main, words, WIRES, None)
            self.assertEqual(ended.code, 2)
            self.assertIn(expected, errors.getvalue())
        self.assertEqual(parser(WIRES).parse_args(["open", *good]).game, "onitama")

    def test_main(self) -> None:
        class Reactor(MemoryReactorClock):
            def run(self) -> None:
                for call, more, others in self.whenRunningHooks:
                    call(*more, **others)
                for *_, factory, _timeout, _address in self.tcpClients:
                    protocol: Any = factory.buildProtocol(None)
                    protocol.makeConnection(StringTransport())
                    protocol.dataReceived(self.data)

            def stop(self) -> None:
                pass

            data = START + b"GAME_OVER|ann\n"

        for data, status, said, error in (
            (START + b"GAME_OVER|ann\n", 0, "ann has won\n", ""),
            (b"ERROR|no\n", 1, "", "gamehost player: the server says: no\n"),
            (START + b"GAME_OVER|\x1b[2J\n", 0, "\\x1b[2J has won\n", ""),
            (b"ERROR|\x1b[2J\n", 1, "", "gamehost player: the server says: \\x1b[2J\n"),
        ):
            reactor: Any = Reactor()
            reactor.data = data
            out, err = io.StringIO(), io.StringIO()
            self.assertEqual(
                main(["onitama", "--to", "127.0.0.1:1", "--name", "ann"], WIRES, reactor, out, err), status
            )
            self.assertEqual((out.getvalue(), err.getvalue()), (said, error))

    def test_signs_of_life(self) -> None:
        """Where the server wants them, the program sends them until it ends, however long somebody thinks."""
        clock, transport = MemoryReactorClock(), StringTransport()
        words = parser(WIRES).parse_args(["onitama-final", "--to", "127.0.0.1:1", "--name", "ann"])
        wire = playable(WIRES)["onitama-final"]
        done = play_on(words, wire, program("onitama-final"), clock, lambda line: None)
        *_, factory, _timeout, _address = clock.tcpClients[0]
        protocol: Any = factory.buildProtocol(None)
        protocol.makeConnection(transport)
        self.assertEqual(transport.value(), b"LOGIN|ann\0")
        clock.pump([5.0] * 5)
        self.assertEqual(transport.value(), b"LOGIN|ann\0" + b"PING|PING\0" * 2)
        protocol.connectionLost(Failure(OSError()))
        self.assertEqual(self.successResultOf(done), "the server has closed the connection")
        self.assertEqual(clock.getDelayedCalls(), [])

    def test_a_log_in_that_is_never_answered(self) -> None:
        """A server that answers at once has 30 seconds. One of Onitama says nothing until somebody else comes."""
        for wire, reason in (("open", "the server has not answered the log-in for 30 s"), ("onitama", None)):
            clock = MemoryReactorClock()
            words = parser(WIRES).parse_args([wire, "--to", "127.0.0.1:1", "--name", "ann"])
            done = play_on(words, playable(WIRES)[wire], program(wire), clock, lambda line: None)
            *_, factory, _timeout, _address = clock.tcpClients[0]
            protocol: Any = factory.buildProtocol(None)
            protocol.makeConnection(StringTransport())
            clock.advance(30.0)
            if reason is None:
                self.assertNoResult(done)
            else:
                self.assertEqual(self.successResultOf(done), reason)

    def test_a_line_without_an_end(self) -> None:
        """It has the bounds of the client's library: for a match, and for the history that the program has asked for."""
        seated = open_wire.Seated(3, "onitama", 1, ["bob", "ann"], ["open", "open"], 1)
        back = open_wire.Back(3, 5, 1, View(BOARD, (["boar", "ox"], ["crab", "eel"]), "tiger", Seat(0)))
        for opening, limit in (
            ((open_wire.Entered("ann"),), LONGEST_LINE),
            ((seated,), LONGEST_MOVES),
            ((seated, back), SERVER_LINE_LIMIT),
            ((seated, back, open_wire.History(3, 5, [])), LONGEST_MOVES),
        ):
            with self.subTest(limit):
                protocol = PlayerProtocol(program("open"), playable(WIRES)["open"], 1, lambda line: None)
                protocol.makeConnection(StringTransport())
                protocol.dataReceived(b"".join(map(OpenCodec().encode, opening)))
                protocol.dataReceived(b"[" * limit)
                self.assertNoResult(protocol.done)
                protocol.dataReceived(b"[")
                expected = f"what came is not this wire: a line longer than {limit} bytes"
                self.assertEqual(self.successResultOf(protocol.done), expected)

    def test_games_that_nobody_plays(self) -> None:
        self.assertRaises(ProgramError, players_of(Level.EASY), "chess", Seat(0))


CARDS = "white=boar,ox;black=crab,eel;spare=tiger"
BOARD = "ppkpp/...../...../..K../PP.PP"
ROWS = ("F123344455", "5566667777", "8888899999", "999SBBBBBB")


def easy(game: str, seat: Seat) -> Player:
    return new_player(game, seat, Level.EASY, 1, effort=0.05)


def program(wire: str) -> WirePlayer:
    made = program_of(wire, "ann", "secret", easy)
    made.begin()
    return made


class ServersTests(SynchronousTestCase):
    def check(self, wire: str, *messages: Any, says: str) -> None:
        """The last message is one with which the program cannot go on."""
        playing = program(wire)
        for message in messages[:-1]:
            playing.hear(message)
        self.assertIn(says, str(self.assertRaises(ProgramError, playing.hear, messages[-1])))

    def test_litama_says_which_match_it_has_made(self) -> None:
        """On one line, once: somebody has to give it to the other player."""
        playing, said = program("litama"), list[str]()
        protocol = PlayerProtocol(playing, evolve(PLAYABLE["litama"], websocket=False), 1, said.append)
        protocol.makeConnection(StringTransport())
        for index in (0, 1):
            entered = litama.Entered("create" if index == 0 else "join", "5" * 24, "7" * 64, index)
            protocol.dataReceived(LitamaCodec().encode(entered))
        self.assertEqual(said, ["match " + "5" * 24])

    def test_litama(self) -> None:
        entered = litama.Entered("create", "second", "token", 0)
        self.check(
            "litama", entered, litama.Failed("second", "Game not started", "move"), says="refuses: Game not started"
        )
        # A move was on its way when the first match ended.
        self.check(
            "litama",
            litama.Failed("first", "Game ended", "move"),
            entered,
            litama.Failed("first", "Game ended", "move"),
            litama.Failed("", "Invalid", "create"),
            says="says: Invalid",
        )

    def test_a_litama_match_ends_while_no_connection_is_open(self) -> None:
        """No `state` says how."""
        playing = program("litama")
        playing.hear(litama.Entered("create", "second", "token", 0))
        self.assertEqual([message.text for message in playing.begin()], ["spectate second token"])
        playing.hear(litama.Failed("first", "Game ended", "move"))
        self.assertIsNone(playing.result)
        playing.hear(litama.Failed("second", "Game ended", "spectate"))
        self.assertEqual(playing.result, "nobody has won")
        self.assertNotIn("spectate", playing.again()[0].text)

    def test_onitama(self) -> None:
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

    def test_onitama_final(self) -> None:
        cards = ("crab", "eel", "tiger", "boar", "ox")
        start = final.Start("bob", "ann", cards)
        board = ("bP", "bP", "bK", "bP", "bP", *("--",) * 15, "wP", "wP", "wK", "wP", "wP")
        move = final.MoveWasMade("ox", "4", "2", "3", "2")
        for messages, says in (
            ([final.Failed("this name is in use")], "the server says: this name is in use"),
            ([final.Start("bob", "ann", (*cards[:4], "cat"))], "a card that there is not"),
            ([move], "a match that has not begun"),
            ([start, final.MoveWasMade("ox", "4", "2", "9", "2")], "an illegal move"),
            ([start, move, move], "an illegal move"),
            ([start, final.PassWasMade("eel")], "a card that the player does not have"),
            ([final.Restore("bob", "ann", cards, True, True, ("xx",) * 25)], "RECONNECT has a square"),
        ):
            self.check("onitama-final", *messages, says=says)
        playing = program("onitama-final")
        playing.hear(final.Restore("bob", "ann", cards, False, False, board))
        self.assertEqual(len(playing.think()), 1)
        playing.hear(final.InvalidMove("no"))
        self.assertEqual(len(playing.think()), 1)
        for message in (final.PassWasMade("eel"), final.Disconnect("ann"), final.GameOver("draw")):
            playing.hear(message)
        self.assertEqual(playing.result, "nobody has won")

    def test_paper_soccer(self) -> None:
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
        playing = program("stratego-frames")
        board = "F1" + "." * 38 + board_of_set_up(Seat(0), ROWS)[40:]
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
        before = board_of_set_up(Seat(0), ROWS)
        before = before[:40] + "#" + before[41:60] + "." + before[61:]
        for attacker, winner, stays in (("7", "attacker", "#"), ("9", "tie", "."), ("9", "defender", "9")):
            after = before[:30] + stays + before[31:40] + "." + before[41:]
            self.assertEqual(attacked(before, after, Seat(0), attacker, "9", winner), Move(0, 4, 0, 3), winner)
        self.assertIsNone(attacked(before, before, Seat(0), "9", "9", "tie"))
        self.assertIsNone(attacked(before, before[:40] + "." + before[41:], Seat(0), "9", "F", "defender"))

    def test_eriantys(self) -> None:
        started = eriantys.MatchStarted(("ann", "bob"))
        error = eriantys.ErrorMessage(eriantys.Error.TAKEN_NICKNAME)
        self.check("eriantys", error, says="the server says: TAKEN_NICKNAME")
        self.check("eriantys", eriantys.MatchStarted(("bob", "carl")), says="without this player")
        self.check("eriantys", started, eriantys.PlayedAssistant(1, "carl"), says="not in the match")
        playing = program("eriantys")
        self.assertEqual(playing.hear(eriantys.Ping()), [eriantys.Pong()])
        for fault in (eriantys.Error.GAME_NOT_FOUND, eriantys.Error.FULL_GAME):
            self.assertEqual(playing.hear(eriantys.ErrorMessage(fault)), [eriantys.RequestGames()])
        info = eriantys.GameInfo(7, 1, 2, False)
        self.assertEqual(playing.hear(eriantys.AvailableGames((info,))), [eriantys.JoinAvailableGame(7)])
        self.assertEqual(playing.hear(started), [eriantys.Acknowledgement()])
        for message in (eriantys.SelectCloud(), eriantys.WhereToMove(), eriantys.SelectColor()):
            playing.hear(message)
        playing.hear(eriantys.ErrorMessage(eriantys.Error.INVALID_ACTION, "not now", UNSET))
        playing.hear(eriantys.CommunicateWinner(None, "", "x"))
        playing.hear(eriantys.CommunicationMessage(eriantys.Communication.LAST_ROUND))
        said = playing.hear(eriantys.CommunicationMessage(eriantys.Communication.CLOSING_GAME))
        self.assertEqual((playing.result, said), ("nobody has won", [eriantys.Acknowledgement()]))

    def test_open(self) -> None:
        for message, words in (
            (open_wire.Sorry("no"), "the host says: no"),
            (open_wire.Bye("gone"), "the host says: gone"),
            (open_wire.Suspended(3), "a fault of the host"),
        ):
            self.check("open", message, says=words)
        self.check("open", *[open_wire.Refused("no", 1)] * 10, says="the host refuses: no")
        seated = open_wire.Seated(3, "onitama", 1, ["bob", "ann"], ["open", "open"], 1)
        playing = program("open")
        playing.hear(seated)
        for view in (7, {"board": BOARD}, None):
            wrong = self.assertRaises(WireError, playing.hear, open_wire.Back(3, 1, 1, view))
            self.assertEqual(str(wrong), "a view that is none of onitama")
        moved = {"kind": "moved", "seat": 0, "card": "ox", "from": "c1", "to": "z9"}
        wrong = self.assertRaises(WireError, playing.hear, open_wire.Event(3, 2, moved))
        self.assertEqual(str(wrong), "an event of onitama that cannot be")
        playing = program("open")
        self.assertEqual(playing.hear(open_wire.Entered("ann", table=3)), ())
        self.assertEqual(playing.hear(open_wire.Entered("ann")), (open_wire.Seek("onitama"),))
        self.assertRaises(NotImplementedError, playing.act, None)
        guest = program_of("open", "ann", "", easy)
        self.assertEqual(guest.begin(), (open_wire.Enter("ann"),))


class WholeMatches(SynchronousTestCase):
    @long
    def test_somebody_who_waits(self) -> None:
        """Gets an opponent after 20 seconds, plays to the end, and once more."""
        for wire in PLAYABLE:
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            games = 1 if wire.startswith("stratego") else 2
            person = WirePerson(host, wire, games=games)
            play(host, [person], process)
            self.assertEqual(len(person.results), games, wire)
            for result in person.results:
                self.assertRegex(result, "^(ann( [(](red|blue)[)])?|easy[.][0-9]+|red|blue) has won$")
            self.assertEqual([one.refused for one in process.seen if one.refused], [])

    @long
    def test_the_process_and_the_connection_are_lost(self) -> None:
        for wire in PLAYABLE:
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            person = WirePerson(host, wire)

            def each(number: int, process: HouseProcess = process, person: WirePerson = person) -> None:
                period = 40 if person.wire.startswith("stratego") else 7
                if number % period == period - 1:
                    process.kill()
                    process.restart()
                if number % period == 4 and person.program.match is not None:
                    person.drop()

            play(host, [person], process, each)
            self.assertEqual(len(host.journal.openings), 1, "all in one match")
            self.assertGreater(len(process.seen), 1, wire)
            self.assertEqual([one.refused for one in process.seen if one.refused], [])

    def test_against_each_other(self) -> None:
        for wires in (
            *(("onitama", "open"), ("onitama-final", "onitama-final"), ("paper-soccer", "paper-soccer")),
            ("stratego-lines", "stratego-frames"),
        ):
            host = MemoryHost()
            people = [
                WirePerson(host, wire, name, level=Level.RANDOM)
                for wire, name in zip(wires, ("ann", "bob"), strict=True)
            ]
            play(host, people)
            self.assertEqual(len(host.journal.openings), 1)

    def test_a_restart_of_the_host(self) -> None:
        for wire in ("onitama", "paper-soccer", "eriantys"):
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            person = WirePerson(host, wire, level=Level.RANDOM)
            for _ in range(30):
                if person.program.match is not None and any(table.n > 4 for table in host.lobby.tables.values()):
                    break
                if not (person.go_on() | process.until_idle()):
                    host.wait(2)
            host.lobby.close()
            again = MemoryHost(house_rules=RULES, journal=host.journal.restarted())
            process = HouseProcess(again)
            person = WirePerson(again, wire, level=Level.RANDOM)
            play(again, [person], process)
            self.assertEqual((len(person.results), len(again.journal.openings)), (1, 1), wire)


class WirePlayerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.heard: list[Any] = []
        self.player = OnitamaPlayer("ann", "", lambda game, seat: self)

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def refused(self, notation: bytes) -> None:
        self.heard.append(notation)

    def answer(self) -> bytes | None:
        return b"ox c1 c2"

    def test_a_turn(self) -> None:
        self.assertEqual(self.player.think(), ())
        self.player.hear(m.Start("ann", "bob", "white=boar,ox;black=crab,eel;spare=tiger"))
        self.assertEqual(self.player.think(), (m.MakeMove("ox", "c1", "c2"),))
        self.assertIsInstance(self.heard[0], Dealt)
        self.assertEqual(self.player.think(), ())

    def test_refusals(self) -> None:
        self.player.hear(m.Start("ann", "bob", "white=boar,ox;black=crab,eel;spare=tiger"))
        for _ in range(MOST_REFUSALS - 1):
            self.assertEqual(len(self.player.think()), 1)
            self.player.hear(m.InvalidMove("no such card"))
        self.player.think()
        error = self.assertRaises(ProgramError, self.player.hear, m.InvalidMove("no such card"))
        self.assertEqual(str(error), "the server refuses: no such card")

    def test_out_of_place(self) -> None:
        self.assertRaises(ProgramError, self.player.tell, Dealt)
        self.assertRaises(ProgramError, self.player.refused, "")
        self.assertEqual(Seat(0), 0)
