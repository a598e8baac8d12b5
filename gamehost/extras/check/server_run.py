"""
One scenario with one server. The checker plays all clients; a replica of the host makes the messages that the server
must send to each.

Both receive the same messages in the same order. After each step the checker waits until the server has sent its
messages. So the order of the messages of two clients is always known.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.python.failure import Failure

from gamehost._twisted import Timer
from gamehost.extras.check.base import Grade, Law, Outcome, Run, Scenario, TranscriptLine, WireChecks
from gamehost.extras.check.private_host import Replica, ReplicaConnection, SeatOfUser
from gamehost.extras.check.transcript import SegmentedTransport, Transcript, pieces_of
from gamehost.games.base import Seat
from gamehost.programs.clients import client_of
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError
from gamehost.wires.websocket import ClientBytes, client_bytes

Script = Callable[["ServerRun"], Awaitable[None]]


class Stopped(Exception):
    """The scenario is over, because a finding makes the rest of it meaningless."""


class Skipped(Exception):
    """The scenario says nothing about this server. The message says why."""


class Unreachable(Exception):
    """There is no connection to the server. The message says why."""


@frozen
class Opening:
    """Random choices of a server for a match, which the replica must repeat."""

    #: Settings of the game, without their prefix.
    settings: Mapping[str, str] = {}
    #: The first random number that the match draws; `None`: it draws none.
    draws: int | None = None
    match_id: str = ""


class Spelling(ABC):
    """
    The messages of a wire for the concepts that every game has. Each run has its own.

    The defaults are those of most wires: no extensions, no random choices at the beginning, no ids and no secrets.
    """

    #: Whether matches have an opening that must be known before they can be judged.
    waits_for_opening = False

    @abstractmethod
    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """The messages of a log-in."""

    async def enter(self, run: "ServerRun", user: "User", after: "User | None" = None) -> None:
        """
        Let a user wait for a match, by default by a log-in. The match begins if another user waits already: `after`.
        """
        await run.say(user, *self.log_in(user.name, user.password), draw=run.draw_at_opening(after))

    async def enter_again(self, run: "ServerRun", user: "User", after: "User | None" = None) -> None:
        """The same after a match, on the same connection."""
        await run.say(user, *self.again(user.name, run.match_id), draw=run.draw_at_opening(after))

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The messages that begin the next match on a connection, by default a log-in; none: it begins by itself."""
        return self.log_in(name, "")

    @abstractmethod
    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """The messages of an action of the game; none: its effects cannot be judged."""

    def documented(self, message: Any) -> Any | None:
        """A server's message without what is an extension; `None`: all of it is one."""
        return message

    def precedes(self, message: Any, following: Any) -> bool:
        """Whether a message is an extension because of the one that follows it: the reason of a refusal, for example."""
        return False

    def with_id(self, message: Any, match_id: str) -> Any:
        """The same message with another match's id, where it has one."""
        return message

    def opening(self, message: Any, first: str) -> Opening | None:
        """
        The contents of a server's message about the beginning of a match; `None`: it has none.

        :param first: the name of the player that came first
        :raises ValueError: the match begins, but the message lacks a value that is needed; the error names the setting
            that helps
        """
        return None

    def secret(self, got: Any, expected: Any) -> str:
        """The part of a server's message that its receiver may not know; empty: none."""
        return ""


class OpeningDraw:
    """
    The random choices at the beginning of a match.

    :param first: the name of the player that came first
    :param settings: the settings that the user has given
    """

    def __init__(self, spelling: Spelling, first: str, settings: Mapping[str, str]) -> None:
        self._spelling = spelling
        self._first = first
        self._settings = settings
        self._opening: Opening | None = None
        #: Why the match cannot be judged; empty: it can.
        self._cannot_judge = ""

    @property
    def known(self) -> bool:
        return self._opening is not None

    def hear(self, message: Any) -> None:
        try:
            self._opening = self._spelling.opening(message, self._first)
        except ValueError as error:
            self._opening = Opening()
            if not any(name in str(error) for name in self._settings):
                self._cannot_judge = str(error)

    def repeat(self, run: "ServerRun") -> None:
        """
        Let the replica begin the match like the server.

        :raises Skipped: the server does not send a value that is needed
        """
        if self._cannot_judge:
            raise Skipped(self._cannot_judge)
        if self._opening is not None:
            run.begin_with(self._opening)


@frozen
class ServerChecks:
    wire: str
    #: The laws of the document: by the name of a message's class, and `turn` for all others.
    laws: Mapping[str, Law]
    scenarios: Sequence[Scenario]
    new_spelling: Callable[[], Spelling]


#: The server's name in the handshake of WebSocket.
HOST = "localhost"
#: Connects a protocol with the server under test.
Dial = Callable[[TwistedProtocol], Deferred[Any]]


class _ServerLine(TwistedProtocol):
    def __init__(self, user: "User") -> None:
        self._user = user

    def dataReceived(self, data: bytes) -> None:
        self._user.received(self, data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._user.lost(self)


class User:
    """
    One client.

    :param transcript: of this client; several clients may share its lines
    :param expected: the messages that the server must still send
    """

    def __init__(self, name: str, password: str, run: "ServerRun", transcript: Transcript, seed: int) -> None:
        self.name = name
        self.password = password
        self.seat = SeatOfUser(seed)
        self._run = run
        self._transcript = transcript
        self._line: _ServerLine | None = None
        self._transport: Any = None
        self._codec: Any = None
        self._below = ClientBytes()
        self.replica: ReplicaConnection | None = None
        #: The messages that the server must still send, and those that it has sent and that are not judged yet.
        self.expected: deque[Any] = deque()
        self.unjudged: deque[Any] = deque()
        #: All messages that the server has sent.
        self.heard: list[Any] = []
        self._raw = bytearray()

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the server."""
        return self._line is not None

    def connect(self, wire: Wire[Any], dial: Dial, cut: Callable[[Any], SegmentedTransport]) -> Deferred[Any]:
        """Connect with the server. Fires when that has been done, and fails if it cannot be."""
        client = client_of(wire.name)
        assert client is not None
        self._codec, self._below = client.codec(), client_bytes(wire)
        self._raw.clear()
        self._transcript.connected_again()
        self._line = line = _ServerLine(self)

        def made(_: Any) -> None:
            self._transport = cut(line.transport)
            self._transport.write(self._below.opening(HOST))

        return dial(line).addCallback(made)

    def said(self, messages: Sequence[Any]) -> bytes:
        data = b""
        for message in messages:
            raw = self._codec.encode(message)
            self._transcript.said(message, raw)
            self._name_last()
            data += raw
        return data

    def send(self, data: bytes) -> None:
        if self._line is not None:
            self._transport.write(self._below.sent(data))

    def close(self) -> None:
        line, self._line = self._line, None
        if line is not None and line.transport is not None:
            line.transport.loseConnection()
        self._transcript.note(f"{self.name}: the checker closes the connection")

    def received(self, line: _ServerLine, data: bytes) -> None:
        if line is not self._line:
            return
        try:
            below, due = self._below.received(data), self._below.answers()
            if due:
                self._transport.write(due)
            for piece in pieces_of(self._codec, below):
                self._raw += piece
                for message in self._codec.feed(piece):
                    self._transcript.heard(message, bytes(self._raw))
                    self._name_last()
                    self._raw.clear()
                    self.heard.append(message)
                    self._run.received(self, message)
        except WireError as error:
            self._line = None
            self._run.unreadable(self, error)

    def lost(self, line: _ServerLine) -> None:
        if line is self._line:
            self._line = None
            self._transcript.note(f"{self.name}: the server closes the connection")
            self._run.closed(self)

    def _name_last(self) -> None:
        line = self._transcript.lines[-1]
        self._transcript.lines[-1] = evolve(line, meaning=f"{self.name}: {line.meaning}")


#: Seconds for an answer that the server owes.
ANSWERS = 5.0
#: If a server has answered nothing for so many seconds in any scenario, no further one is begun.
LOG_IN_WITHIN = 30.0
#: The most differences between two messages that a finding lists.
MOST_TOLD = 5


@frozen
class ServerUnderTest:
    """The server, as a scenario needs it."""

    clock: IReactorTime
    wire: Wire[Any]
    #: The checks of clients: their readings say what messages mean.
    reading: WireChecks
    checks: ServerChecks
    dial: Dial
    strict: bool
    #: Settings of the wire and its game, by their full names.
    settings: dict[str, str]
    password: str = "correct horse"


#: Seconds for a connection.
CONNECTS = 10.0
#: Seconds in which a server that owes nothing must send nothing.
QUIET = 0.2
#: Players' names end in letters of these.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Seconds for a whole scenario.
WHOLE = 120.0
#: Seconds of silence after a connection was closed, so that the server knows of it.
PARTING = 0.05


class ServerRun(Run):
    """
    One scenario with one server.

    :param done: called once with the outcome, or with `Unreachable`
    :param tag: makes the names of the players different in each scenario
    """

    def __init__(
        self,
        server: ServerUnderTest,
        scenario: Scenario,
        seed: int,
        tag: str,
        done: Callable[[Outcome | Unreachable], None],
    ) -> None:
        super().__init__(server.clock, server.checks.laws, scenario, seed)
        client = client_of(server.wire.name)
        assert client is not None
        self._server = server
        self._new_codec = client.codec
        self.spelling: Spelling = server.checks.new_spelling()
        self._lines: list[TranscriptLine] = []
        #: The current trial, for the title of a finding; empty: an ordinary step.
        self._trying = ""
        self._done = done
        self._tag = tag
        self.strict = server.strict
        self.game = server.wire.games[0]
        self.replica = Replica(server.wire, server.settings, server.strict, seed)
        self.users: list[User] = []
        self._waiting: Deferred[None] | None = None
        self._timer = Timer()
        #: Random choices that the server is about to send, before the replica gets the message that leads to them.
        self._draw: OpeningDraw | None = None
        #: The opening of the last match, as the server has sent it.
        self.opening: Opening | None = None
        #: How many moves of the match were played.
        self.moves = 0
        self.match_id = ""
        self._over = False

    #: Whether the server has said anything.
    connected = False

    # -- from start to end

    def start(self) -> None:
        Deferred.fromCoroutine(self._play()).addErrback(
            lambda failure: self._done(Unreachable(f"the checker itself failed: {failure.getErrorMessage()}"))
        )

    async def _play(self) -> None:
        played = True
        unreachable: Unreachable | None = None
        assert self.scenario.script is not None
        try:
            await self.scenario.script(self)
            await self.pause(QUIET)
        except Stopped:
            pass
        except Skipped as reason:
            played = False
            self._new_transcript().note(f"skipped: {reason}")
        except Unreachable as error:
            unreachable = error
        self._over = True
        for user in self.users:
            user.close()
        self.replica.host.lobby.close()
        if not self._findings and unreachable is not None:
            self._done(unreachable)
            return
        self._done(self.outcome(self._lines, played))

    # -- what scripts do

    def new_user(self, name: str) -> User:
        """A player that is not connected yet."""
        user = User(name + self._tag, self._server.password, self, self._new_transcript(), self.chance.below(2**31))
        self.users.append(user)
        return user

    async def connect(self, user: User) -> None:
        """
        Connect with the server.

        :raises Unreachable: that cannot be done
        """
        clock, cut, chance = self.clock, self.scenario.cut, self.chance
        try:
            await user.connect(
                self._server.wire, self._server.dial, lambda line: SegmentedTransport(line, clock, cut, chance)
            )
        except Exception as error:
            raise Unreachable(str(error)) from None
        user.replica = ReplicaConnection(self.replica, user.seat, lambda message: self.expects(user, message))
        await self.all_answered()

    async def drop(self, user: User) -> None:
        user.close()
        user.expected.clear()
        if user.replica is not None:
            user.replica.lose()
        user.expected.clear()
        await self.all_answered()
        await self.pause(PARTING)

    async def say(self, user: User, *messages: Any, trying: str = "", draw: OpeningDraw | None = None) -> None:
        """
        Send messages in one piece, and wait for the answers.

        :param trying: the trial, in words that follow "after"
        :param draw: the random choices that the server makes because of them
        """
        self._stop_if_late()
        self._trying = trying
        data = user.said(messages)
        if draw is not None:
            await self._send_and_find_out(user, data, draw)
        heard = data
        if self.match_id:
            own = user.seat.match_id
            heard = b"".join(self._new_codec().encode(self.spelling.with_id(message, own)) for message in messages)
        if user.replica is not None:
            user.replica.hear(heard)
        if draw is None:
            user.send(data)
        else:
            self.replica.draw_next(())
            self._judge_all()
        await self.all_answered()
        self._trying = ""

    async def _send_and_find_out(self, user: User, data: bytes, draw: OpeningDraw) -> None:
        """
        Send, and wait until the server has sent its random choices.

        :raises Skipped: the following messages cannot be judged
        """
        self._draw = draw
        user.send(data)
        await self._wait(ANSWERS, lambda: draw.known)
        self._draw = None
        draw.repeat(self)

    def draw_at_opening(self, first: User | None) -> OpeningDraw | None:
        """The random choices of a match that begins with the waiting user; `None`: there are none, or no user waits."""
        if first is None or not self.spelling.waits_for_opening:
            return None
        return OpeningDraw(self.spelling, first.name, self._server.settings)

    def begin_with(self, opening: Opening) -> None:
        """Begin the next match of the replica like the server's."""
        self.opening, self.match_id = opening, opening.match_id
        self.replica.begin_with(opening.settings)
        if opening.draws is not None:
            self.replica.draw_next((opening.draws,))

    async def play(self, most: int) -> bool:
        """Play legal moves, so many at most. Returns whether the match is over."""
        for _ in range(most):
            user, action = self.on_turn()
            if user is None:
                return True
            if not await self.act(user, action):
                return False
        return self.on_turn()[0] is None

    async def act(self, user: User, action: Any) -> bool:
        """Play one legal move. Returns whether it can be judged."""
        messages = self.spelling.says(action, user.seat.seat, self.match_id)
        if messages:
            await self.say(user, *messages)
            self.moves += 1
        return bool(messages)

    def on_turn(self) -> tuple[User | None, Any]:
        """The user that is to act, and a legal action; `None`: the match is over."""
        for user in self.users:
            player = user.seat.player
            notation = player.answer() if player is not None else None
            if notation is not None:
                return user, self.game.read(notation)
        return None, None

    def other(self, user: User) -> User:
        """Another player at the table."""
        return next(one for one in self.users if one is not user and one.seat.player is not None)

    async def all_answered(self) -> None:
        """
        Wait until the server has sent all that it must.

        :raises Stopped: it does not
        """
        if any(user.expected for user in self.users):
            await self._wait(ANSWERS, lambda: not any(user.expected for user in self.users))
            for user in self.users:
                if user.expected:
                    self._missing(user)
        else:
            await self.pause(QUIET)

    async def pause(self, seconds: float) -> None:
        """
        Wait.

        :raises Stopped: a message came that is not allowed here
        """
        await self._wait(seconds, lambda: False)

    async def _wait(self, seconds: float, enough: Callable[[], bool]) -> None:
        self._stop_if_found()
        if enough():
            return
        self._enough = enough
        self._waiting = Deferred()
        self._timer.set(self.clock, seconds, self._go_on)
        await self._waiting
        self._stop_if_found()

    def _go_on(self) -> None:
        waiting, self._waiting = self._waiting, None
        self._timer.stop()
        if waiting is not None:
            waiting.callback(None)

    def _stop_if_found(self) -> None:
        if self.breached:
            raise Stopped

    def _stop_if_late(self) -> None:
        if self.clock.seconds() - self._began > WHOLE:
            happened = f"The scenario was ended after {WHOLE:g} s; the server was slow."
            self.found(Grade.NOTE, "the scenario was very long", "turn", happened)
            raise Stopped

    # -- from the users

    def received(self, user: User, message: Any) -> None:
        if self._over:
            return
        if self.strict and self.spelling.documented(message) != message:
            self._extension(user, message)
        self.connected = True
        user.unjudged.append(message)
        if self._draw is not None:
            self._draw.hear(message)
        self._judge_all()

    def expects(self, user: User, message: Any) -> None:
        """The server must send a message."""
        if self.match_id:
            message = self.spelling.with_id(message, self.match_id)
        documented = self.spelling.documented(message)
        if documented is not None:
            if user.expected and self.spelling.precedes(user.expected[-1], documented):
                user.expected.pop()
            user.expected.append(documented)

    def closed(self, user: User) -> None:
        if self._over or user.replica is None or user.replica.closed:
            return
        self._breach("the server closes the connection", "turn", f"The server closed the connection of {user.name}.")

    def _judge_all(self) -> None:
        for user in self.users:
            self._judge(user)
        if self._waiting is not None and (self.breached or self._enough()):
            self._go_on()

    def _judge(self, user: User) -> None:
        while user.unjudged and not self._over:
            got = self.spelling.documented(user.unjudged[0])
            if got is None:
                user.unjudged.popleft()
                continue
            if not user.expected:
                if self._draw is None:
                    user.unjudged.popleft()
                    self._surplus(user, got)
                return
            user.unjudged.popleft()
            if self.spelling.precedes(got, user.expected[0]):
                continue
            expected = user.expected.popleft()
            if got != expected:
                self._mismatch(user, got, expected)
                return

    # -- findings

    def last_lines(self) -> tuple[TranscriptLine, ...]:
        return tuple(self._lines[-10:])

    def unreadable(self, user: User, error: WireError) -> None:
        """The server has sent bytes that are no message."""
        self._breach(f"bytes that are no message: {error}", "framing", f"{user.name} could not read: {error}.")

    def _new_transcript(self) -> Transcript:
        server = self._server
        host = server.wire.configure({}).new_codec()
        client = self._new_codec()
        return Transcript(
            server.reading, self.clock.seconds, client.encode, host.encode, self._lines, began=self._began
        )

    def _breach(self, title: str, law: str, happened: str) -> None:
        if self._trying:
            title, happened = f"{title} after {self._trying}", f"{happened} The checker tried {self._trying}."
        self.found(Grade.BREACH, title, law, happened)
        if self._waiting is not None:
            self.clock.callLater(0, self._go_on)

    def _extension(self, user: User, message: Any) -> None:
        name = type(message).__name__
        self.found(
            Grade.FRAGILE,
            f"{name} is not as in the document",
            name,
            happened=f"The server sends {user.name} what the document does not have; another client may not understand it.",
        )

    def _surplus(self, user: User, got: Any) -> None:
        name = type(got).__name__
        self._breach(
            f"{name} is sent, and nothing was due", name, f"The server sent {user.name} {name}; nothing was due."
        )

    def _missing(self, user: User) -> None:
        """
        A message has not come.

        :raises Stopped: always
        """
        name = type(user.expected[0]).__name__
        happened = f"{user.name} was due {name}, and it did not come within {ANSWERS:g} s."
        self._breach(f"{name} is missing", name, happened)
        raise Stopped

    def _mismatch(self, user: User, got: Any, expected: Any) -> None:
        name, due = type(got).__name__, type(expected).__name__
        if name != due:
            happened = f"The server sent {user.name} {name}, where {due} was due."
            self._breach(f"{name} instead of {due}", due, happened)
        elif secret := self.spelling.secret(got, expected):
            self._breach(f"{name} tells a secret", due, f"The server sent {user.name} {name}: {secret}.")
        else:
            found = list(differences(got, expected))
            words = ", ".join(name for name, _ in found)
            told = "; ".join(text for _, text in found[:MOST_TOLD])
            more = f"; and {len(found) - MOST_TOLD} more differences" if len(found) > MOST_TOLD else ""
            self._breach(f"{name}: wrong {words}", due, f"The server sent {user.name} {name}: {told}{more}.")


def differences(got: Any, expected: Any) -> Iterator[tuple[str, str]]:
    """
    The differences of two messages of one class.

    :returns: for each difference the name of the field, and a sentence without its full stop
    """
    for name in expected.__struct_fields__:
        theirs, mine = getattr(got, name), getattr(expected, name)
        if theirs != mine:
            yield name, f"{name} is {_shown(theirs)}, expected {_shown(mine)}"


def _shown(value: Any) -> str:
    return repr(value) if type(value) is str else str(value)


def tag(seed: int, number: int) -> str:
    """Letters that make names different in each scenario, and mostly in each check."""
    value, letters = seed * 1_009 + number, ""
    for _ in range(4):
        value, letter = divmod(value, 26)
        letters = _LETTERS[letter] + letters
    return letters


def address_of(text: str) -> tuple[str, int]:
    """
    Host and port of `127.0.0.1:8893` or `[::1]:8893`.

    :raises ValueError: the text is something else
    """
    host, separator, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not separator or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError("expected HOST:PORT, such as 127.0.0.1:8893")
    return host, int(port)


def dialled(reactor: Any, host: str, port: int) -> Dial:
    endpoint = HostnameEndpoint(reactor, host.encode("idna"), port, CONNECTS)
    return lambda protocol: connectProtocol(endpoint, protocol)
