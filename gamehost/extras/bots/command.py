"""
`gamehost player`: a program that plays on a documented wire, against any server that speaks it.

It logs in, plays, writes the winner to standard output, and ends with the status 0. If it cannot continue, it writes one line
with the reason to standard error, and ends with the status 1.
"""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TextIO

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import clientFromString
from twisted.internet.interfaces import IDelayedCall, ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from gamehost._twisted import run_until_done
from gamehost.commands.command_line import number
from gamehost.games.base import Game, Seat
from gamehost.games.installed import installed
from gamehost.games.play import player_of
from gamehost.ops import NO_TEXT, escaped, is_text
from gamehost.ops.workers import PASSWORD
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.programs.clients import client_of, clients
from gamehost.programs.wire_player import NewPlayer, ProgramError, WirePlayer
from gamehost.wires.base import Codec, SeatKey, Wire
from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost.wires.websocket import client_bytes


class PlayerProtocol(Protocol):
    """
    The connection of a program to a server. It passes the server's messages to a player, and sends the player's messages.

    :param games: how many matches are played
    :param say: called with each line for standard output
    """

    transport: Any

    def __init__(self, player: WirePlayer, wire: Wire[Any], games: int, say: Callable[[str], object]) -> None:
        """
        Makes the connection of a player.

        :param player: the program that plays
        :param games: how many matches it plays
        :param say: prints a line
        """
        client = client_of(wire.name)
        assert client is not None
        self._player = player
        self._codec: Codec[Any] = client.codec()
        self._below = client_bytes(wire)
        #: How many matches are still to be played.
        self._left = games
        self._print = say
        #: Fires at the end: with `None`, or with the reason why the program cannot continue.
        self.done: Deferred[str | None] = Deferred()
        #: Whether the server has sent any message.
        self._answered = False

    def connectionMade(self) -> None:
        """
        Called when the connection is made: sends the opening of the transport and the first messages of the player.
        """
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
        opening = self._below.opening(getattr(self.transport.getPeer(), "host", "localhost"))
        self._say(self._player.begin(), opening)

    def dataReceived(self, data: bytes) -> None:
        """
        Called with bytes of the server: passes each message to the player, and sends the player's answers. Errors end
        the program.
        """
        if isinstance(self._codec, ClientLineCodec):
            # How long a line may be depends on what the player waits for.
            self._codec.allow(self._player.longest_line or self._codec.LIMIT)
        try:
            below = self._below.received(data)
            # What a WebSocket must answer, such as a pong.
            self._say((), self._below.answers())
            for message in self._codec.feed(below):
                self._answered = True
                self._say(self._player.hear(message))
                if self._player.news:
                    self._print(self._player.news)
                    self._player.news = ""
                if self._player.result is not None and self._finished(self._player.result):
                    return
            # Once after all messages: only the newest position needs a move.
            self._say(self._player.think())
        except ProgramError as error:
            self._end(str(error))
        except WireError as error:
            self._end(f"what came is not this wire: {error}")

    def check_answered(self) -> None:
        """Called when the time for the answer to the log-in is over. Without an answer the program ends."""
        if not self._answered:
            self._end(f"the server has not answered the log-in for {self._player.ANSWERED_WITHIN:g} s")

    def keep_alive(self) -> None:
        """Called at regular times: sends a sign of life, so that the server does not close a connection without moves."""
        if not self.done.called:
            self._say(self._player.alive())

    def _finished(self, result: str) -> bool:
        """
        Called when a match is over: prints the result, and begins the next match. Returns whether it was the last match.
        """
        self._print(result)
        self._left -= 1
        if self._left:
            self._say(self._player.again())
            return False
        self._end(None)
        return True

    def _say(self, messages: Sequence[Any], before: bytes = b"") -> None:
        """
        Sends messages.

        :param before: bytes that are sent before them
        """
        data = before + self._below.sent(b"".join(map(self._codec.encode, messages)))
        if data:
            self.transport.write(data)

    def _end(self, reason: str | None) -> None:
        """
        Closes the connection, and reports the end.

        :param reason: why the program cannot continue; `None`: all matches were played
        """
        self.transport.loseConnection()
        # A lost connection calls this method, too.
        if not self.done.called:
            self.done.callback(reason)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self.done.called:
            self.done.callback("the server has closed the connection")


def main(
    argv: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any, out: TextIO = sys.stdout, err: TextIO = sys.stderr
) -> int:
    """
    Runs `gamehost player`.

    :param argv: the words after `gamehost player`
    :param wires: the installed wires
    :returns: the exit status
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    words = parser(wires).parse_args(argv)
    wire = playable(wires)[words.wire]
    client = client_of(wire.name)
    assert client is not None and client.player is not None
    password = password_of(words)
    if wire.seat_key is SeatKey.PASSWORD and not password:
        parser(wires).error(f"{wire.name} needs --password-file, --password, or {PASSWORD} in the environment")
    player = client.player(words.name, password, players_of(Level(words.level), wire.games), words.game)
    player.joins = words.match
    player.seats = words.seats

    def begin() -> "Deferred[str | None]":
        """Begins to play. A failed connection is a reason to end."""
        playing = play(words, wire, player, reactor, lambda line: print(escaped(line), file=out, flush=True))
        return playing.addErrback(lambda failure: f"{failure.getErrorMessage()}")

    reason = run_until_done(reactor, begin, "interrupted")
    if reason is not None:
        print(f"gamehost player: {escaped(' '.join(reason.split()))}", file=err)
    return 0 if reason is None else 1


def playable(wires: Sequence[Wire[Any]]) -> Mapping[str, Wire[Any]]:
    """Returns the wires for which there is a program that plays, by their names."""
    playing = {name for name, client in clients().items() if client.player is not None}
    return {wire.name: wire for wire in wires if wire.name in playing}


def play(
    words: argparse.Namespace, wire: Wire[Any], player: WirePlayer, reactor: Any, say: Callable[[str], object]
) -> "Deferred[str | None]":
    """
    Connects to a server, and plays.

    :param words: the options
    :param say: called with each line for standard output
    :returns: fires at the end with `None`, or with the reason why the program cannot continue
    """
    protocol = PlayerProtocol(player, wire, words.games, say)
    connecting = clientFromString(reactor, words.to).connect(Factory.forProtocol(lambda: protocol))
    # Sends signs of life at regular times.
    alive = LoopingCall(protocol.keep_alive)
    alive.clock = reactor

    def stopped(reason: str | None) -> str | None:
        """Stops the signs of life, and passes its argument on."""
        alive.stop()
        return reason

    def connected(_: object) -> "Deferred[str | None]":
        """Called when the connection is made: starts the timers of the player. Fires when the player has ended."""
        if player.ANSWERED_WITHIN:
            waiting = reactor.callLater(player.ANSWERED_WITHIN, protocol.check_answered)
            protocol.done.addCallback(partial(_cancelled, waiting))
        if player.ALIVE_EVERY:
            alive.start(player.ALIVE_EVERY, now=False)
            protocol.done.addCallback(stopped)
        return protocol.done

    done: Deferred[str | None] = connecting.addCallback(connected)
    return done


def _cancelled(call: IDelayedCall, reason: str | None) -> str | None:
    """A callback that cancels a timer, and passes its argument on."""
    if call.active():
        call.cancel()
    return reason


def players_of(level: Level, games: Sequence[Game[Any, Any]] = ()) -> NewPlayer:
    """
    Returns a function that makes house players.

    :param level: how strong they are
    :param games: the games that they can play
    """
    known = {game.name: game for game in games}

    def new_player(game: str, seat: Seat) -> Player:
        """
        Makes a house player for a match.

        :raises ProgramError: there is none for this game
        """
        if game not in known:
            raise ProgramError(f"nobody plays {game} here")
        return player_of(known[game], seat, level, Thinking(SeededChance(secrets.randbelow(2**64)), time.process_time))

    return new_player


def endpoint(text: str) -> str:
    """
    Reads the value of `--to`: `HOST:PORT`, or a client endpoint of Twisted. Returns a client endpoint of Twisted.

    :raises ArgumentTypeError: it is neither
    """
    if text.startswith("[") or (text.count(":") == 1 and not text.startswith("unix:")):
        host, _, port = text.rpartition(":")
        # Colons have a meaning in endpoints of Twisted, and an IPv6 address has some.
        host = host.strip("[]").replace(":", r"\:")
        if not host or not port.isdigit() or int(port) > 65_535:
            raise argparse.ArgumentTypeError("expected HOST:PORT, such as 127.0.0.1:8893")
        return f"tcp:{host}:{port}"
    return text


def spoken(text: str) -> str:
    """
    Checks a value that the server will receive, and returns it.

    :raises ArgumentTypeError: it has characters that are not text
    """
    if not is_text(text):
        raise argparse.ArgumentTypeError(NO_TEXT)
    return text


def add_password(made: argparse.ArgumentParser, what_for: str) -> None:
    """
    Adds the options for a password, which `password_of` reads.

    :param what_for: the purpose of the password, for the help text
    """
    seen = f"others on this machine can see it in the list of processes: --password-file or {PASSWORD} is safer"
    made.add_argument("--password", default="", type=spoken, help=f"{what_for}; {seen}")
    made.add_argument("--password-file", type=_first_line, metavar="FILE", help="the password is its first line")


def password_of(words: argparse.Namespace) -> str:
    """Returns the password from the command line, from a file, or from the environment; empty: none was given."""
    in_environment = os.fsencode(os.environ.get(PASSWORD, "")).decode("utf-8", "replace")
    return str(words.password or words.password_file or in_environment)


def _first_line(path: str) -> str:
    """
    Returns the first line of a file, which is a password.

    :raises ArgumentTypeError: the file cannot be read, or its first line is empty
    """
    try:
        with open(path, encoding="utf-8") as file:
            line = file.readline().rstrip("\r\n")
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'no UTF-8'}"
        ) from None
    if not line:
        raise argparse.ArgumentTypeError(f"{path}: expected a password in the first line")
    return line


def parser(wires: Sequence[Wire[Any]]) -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    names = sorted(playable(wires))
    made = argparse.ArgumentParser("gamehost player", description=(__doc__ or "").split("\n\n")[0].strip())
    made.add_argument("wire", choices=names, metavar="WIRE", help=", ".join(names))
    made.add_argument("--to", required=True, type=endpoint, metavar="HOST:PORT", help="where the server listens")
    made.add_argument("--name", required=True, type=spoken, help="the name to log in under")
    add_password(made, "for stratego-lines, and for accounts on the open wire")
    made.add_argument(
        "--match",
        default="",
        type=spoken,
        metavar="ID",
        help="for litama: the match to join; default: a new one, printed",
    )
    made.add_argument("--level", default="easy", choices=[level.value for level in Level], help="how strong (easy)")
    made.add_argument("--games", default=1, type=number, metavar="NUMBER", help="how many matches (1)")
    made.add_argument("--game", default="onitama", choices=sorted(installed().games), help="on the open wire (onitama)")
    made.add_argument("--seats", default=0, type=number, metavar="NUMBER", help="players of a match of Eriantys (2)")
    return made
