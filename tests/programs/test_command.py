"""`gamehost player`: its arguments, one connection, and what it says at the end."""

import argparse
import io
from contextlib import redirect_stderr
from typing import Any

from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.players.base import Level
from gamehost.plugins import WIRES
from gamehost.programs.command import PlayerProtocol, endpoint, main, parser, playable, players_of
from gamehost.programs.wire_player import ProgramError
from gamehost.wires.onitama.client import OnitamaPlayer, PipesClientCodec

START = b"START|bob|ann|white=boar,ox;black=crab,eel;spare=tiger\n"


class ConnectionTests(SynchronousTestCase):
    """A program and a server that the test writes."""

    def connect(self, games: int = 1) -> PlayerProtocol:
        self.said: list[str] = []
        player = OnitamaPlayer("ann", "", players_of(Level.EASY, WIRES[0].games))
        protocol = PlayerProtocol(player, PipesClientCodec(), games, self.said.append)
        self.transport = StringTransport()
        protocol.makeConnection(self.transport)
        return protocol

    def test_two_matches(self) -> None:
        """It says who has won, begins the next one, and closes the connection after the last."""
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
        """An error of the server, another protocol, and a connection that is lost."""
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
    """The arguments."""

    def test_all_wires(self) -> None:
        """Each of the host's own wires that can be played by a program has one; but not those of published clients."""
        with_codec = {wire.name for wire in WIRES if wire.client_codec is not None}
        self.assertEqual(set(playable(WIRES)), with_codec - {"eriantys-java", "onitama-final"})

    def test_endpoints(self) -> None:
        """`HOST:PORT` is TCP; all else is an endpoint of Twisted."""
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
        """They are named, and the status is 2."""
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
        """The status says whether all was played, and an error is one line."""

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
        ):
            reactor: Any = Reactor()
            reactor.data = data
            out, err = io.StringIO(), io.StringIO()
            self.assertEqual(
                main(["onitama", "--to", "127.0.0.1:1", "--name", "ann"], WIRES, reactor, out, err), status
            )
            self.assertEqual((out.getvalue(), err.getvalue()), (said, error))

    def test_games_that_nobody_plays(self) -> None:
        """Those of other packages."""
        self.assertRaises(ProgramError, players_of(Level.EASY), "chess", Seat(0))
