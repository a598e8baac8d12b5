"""
Plays a game of a contest on a host that is already running. The host reserves the seats for the contest's players.
"""

import hmac
import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from typing import Any

from twisted.internet.endpoints import UNIXClientEndpoint
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from gamehost.extras.contest.game import STOPPED, VOID, ContestGame, Person
from gamehost.extras.contest.judging import Decision, is_over
from gamehost.extras.contest.plan import PERSON
from gamehost.journal.notation import read_notation
from gamehost.journal.records import TableRecord
from gamehost.ops import SocketUnusable, short_path
from gamehost.ops.workers import ProgramProcess
from gamehost.settings import settings_of

#: How often a running host is asked to reserve seats while a player is still in its last match, and the seconds between.
ASKED, AGAIN = 40, 0.2


def secret_of(admin: Path) -> bytes:
    """
    Returns the secret from which the passwords of contests on a host are made. Its file is next to the admin socket of the
    host, and is made if it is missing.

    :param admin: the path of the admin socket
    :raises OSError: the file cannot be written
    """
    path = admin.with_name(f"{admin.name}.contests")
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(token_bytes(32))
    return path.read_bytes()


class HostedGame(ContestGame):
    """
    A game on a host that is already running. The host reserves the seats for the players. Everybody on the host can watch.

    :param where: host and port of the wire
    :param admin: the path of the admin socket, through which the owner of the host sends commands
    """

    def __init__(self, where: tuple[str, int], admin: Path, *arguments: Any, **named: Any) -> None:
        """
        Makes a game that is played on a running host.

        :param where: the address and port of the wire on that host
        :param admin: the path of the host's admin socket
        """
        super().__init__(*arguments, **named)
        self._where = where
        self._admin = admin
        #: The connection on which the host reports about this game.
        self._line: Any = None
        #: Whether the match has begun.
        self._begins = False
        #: The finished match; `None`: it is not finished.
        self._record: TableRecord | None = None
        #: How often the host was asked to reserve the seats.
        self._asked = 0
        # Accounts remain on that host after the contest. So each name always has the same password there, and only the owner
        # of the host can compute it.
        secret = secret_of(admin)
        self.passwords = [hmac.digest(secret, name.encode(), "sha256").hex()[:16] for name in self.names]

    @property
    def record(self) -> TableRecord | None:
        return self._record

    @property
    def begun(self) -> bool:
        return self._begins

    def _open(self) -> None:
        """Asks the host to reserve the seats. Its answers come to `_heard`."""
        self._asked += 1
        game = self._game
        settings = settings_of(game.name, self._plan.settings, {*game.options, "game_time", "increment"})
        people = [name for name, command in zip(self.names, self._commands, strict=True) if command == PERSON]
        # Programs with `{key}` in their command log in by a key. The host gets only the digest of each key.
        keyed = [seat for seat, command in enumerate(self._commands) if any("{key}" in word for word in command)]
        digests = {self.names[seat]: sha256(self.keys[seat].encode()).hexdigest() for seat in keyed}
        asked = {
            "names": list(self.names),
            "people": people,
            "digests": digests,
            "game": game.name,
            "settings": settings,
        }
        self._line = _OwnersLine("contest game", asked, self._heard, self._lost_host)
        self._ask(self._line)

    def _ask(self, line: "_OwnersLine") -> None:
        """Connects a request to the admin socket of the host. If that fails, the request is lost."""
        factory = Factory.forProtocol(lambda: line)
        factory.noisy = False
        # Paths of sockets are limited to about a hundred characters, so a short path is made until the connection
        # exists.
        context = ExitStack()
        try:
            path = context.enter_context(short_path(self._admin))
        except (OSError, SocketUnusable) as error:
            line.lost(str(error))
            return
        connecting = UNIXClientEndpoint(self._reactor, path).connect(factory)
        connecting.addErrback(lambda failure: line.lost(failure.getErrorMessage()))
        connecting.addBoth(lambda result: context.close())

    def _close(self) -> None:
        """Closes the connection of the request for seats, so that the host ends the reservation."""
        # Without a line, `_lost_host` does nothing: the loss of the connection is wanted.
        line, self._line = self._line, None
        if line is not None and line.transport is not None:
            line.transport.loseConnection()

    def _gone(self, seat: int, program: ProgramProcess | Person) -> None:
        """
        Called when the program of a seat has ended during the match. Asks the host, again and again until the game is
        decided, to let the seat's player leave the match.
        """
        # The request is repeated: the host may not have noticed yet that the program's connection is lost.
        self._ask(_OwnersLine("contest leave", {"name": self.names[seat]}))
        self._timers[f"leave {seat}"] = self._reactor.callLater(AGAIN, self._gone, seat, program)

    def _heard(self, answer: Mapping[str, Any]) -> None:
        """
        Reacts to a line of the host about this game: the seats are reserved, a player waits, the match has begun or ended, or
        the host has refused.
        """
        # A report has an `item`; the last line has `end` or `error`.
        item = answer.get("item", {})
        if self._decision is not None:
            return
        if "reserved" in item:
            self._start_next()
        elif "waits" in item:
            self.waits(item["waits"])
        elif "table" in item:
            self._begins = True
        # The match has ended, or the host has stopped it.
        elif "end" in answer:
            self._record = read_notation(answer["end"]["record"]).record
            if is_over(self._record):
                self.over()
            else:
                self._decide(Decision((), VOID, "the host has stopped its match"))
        elif "error" in answer and self._asked < ASKED and not self._programs:
            self._close()  # a player's last game may be just over, and its program still logged in: ask again
            self._timers["again"] = self._reactor.callLater(AGAIN, self._open)
        elif "error" in answer:
            self._lost_host(answer["error"])

    def _lost_host(self, why: str) -> None:
        """
        Ends the game without a decision, because the connection to the host is lost or the host refuses. The game does
        not count. Does nothing if this game has closed the connection itself.

        :param why: the reason, for people
        """
        if self._line is not None:
            self._decide(Decision((), STOPPED, f"the host does not go on with it: {why}"))


class _OwnersLine(LineReceiver):
    """
    A connection to the admin socket of a host that sends one request and receives the answer.

    :param heard: called with each line of the answer; `None`: the first line ends the connection
    :param lost: called with the reason when the connection is lost
    """

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: Any

    def __init__(
        self,
        command: str,
        arguments: Mapping[str, Any],
        heard: Callable[[Mapping[str, Any]], None] | None = None,
        lost: Callable[[str], None] = lambda why: None,
    ) -> None:
        """
        Makes a connection for one request of the host's owner.

        :param command: the command of the admin socket
        :param arguments: its arguments
        :param heard: called with each line of the answer; `None`: the first line ends the request
        :param lost: called with the reason if the connection cannot be made or is lost
        """
        self._request = {"command": command, "arguments": arguments}
        self._heard = heard
        self.lost = lost

    def connectionMade(self) -> None:
        self.sendLine(json.dumps(self._request).encode())

    def lineReceived(self, line: bytes) -> None:
        """Called with a line of the host's answer."""
        # Nobody wants the answer, so one line is enough to know that the request was carried out.
        if self._heard is None:
            self.transport.loseConnection()
        else:
            self._heard(json.loads(line))

    def connectionLost(self, reason: Failure | None = None) -> None:
        self.lost("its connection is lost")
