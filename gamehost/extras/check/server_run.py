"""
Plays a scenario with a server. The checker plays all clients. A replica, which is a private host, makes the messages that the
server must send to each client.

Server and replica receive the same messages in the same order. After each step the checker waits until the server has sent all
messages that it must send. So the order of the messages of two clients is always known.
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

#: A function that plays a scenario: it connects clients, and sends messages.
Script = Callable[["ServerRun"], Awaitable[None]]


class Stopped(Exception):
    """The scenario must end, because a finding makes the rest of it meaningless."""


class Skipped(Exception):
    """The scenario cannot judge this server. The message gives the reason."""


class Unreachable(Exception):
    """There is no connection to the server. The message gives the reason."""


@frozen
class Opening:
    """The random choices of a server for a match, which the replica must repeat."""

    #: Settings of the game, by their names without the name of the game.
    settings: Mapping[str, str] = {}
    #: The first random number that the match draws; `None`: it draws none.
    draws: int | None = None
    match_id: str = ""


class Spelling(ABC):
    """
    Makes and compares the messages of a wire, so that scripts for servers need not know them. Each run has a spelling
    of its own.

    The defaults are those of most wires: no extensions, no random choices at the beginning, no ids and no secrets.
    """

    #: Whether the random choices of the server must be known before its messages about a match can be judged.
    waits_for_opening = False

    @abstractmethod
    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """Returns the messages of a log-in."""

    async def enter(self, run: "ServerRun", user: "User", after: "User | None" = None) -> None:
        """
        Makes a user wait for a match. On most wires, a log-in is enough for this.

        :param after: the user that waits already, so that the match begins; `None`: no user waits
        """
        await run.say(user, *self.log_in(user.name, user.password), draw=run.draw_at_opening(after))

    async def enter_again(self, run: "ServerRun", user: "User", after: "User | None" = None) -> None:
        """Makes a user wait for the next match after a match, on the same connection. See `enter`."""
        await run.say(user, *self.again(user.name, run.match_id), draw=run.draw_at_opening(after))

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """
        Returns the messages that begin the next match on a connection, by default a log-in; empty: the next match
        begins without a message.
        """
        return self.log_in(name, "")

    @abstractmethod
    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """Returns the messages for an action of the game; empty: the effects of the action cannot be judged."""

    def documented(self, message: Any) -> Any | None:
        """Returns a server's message without the parts that are extensions; `None`: the whole message is an extension."""
        return message

    def precedes(self, message: Any, following: Any) -> bool:
        """Returns whether a message is an extension because of the next message, as the reason before a refusal is."""
        return False

    def with_id(self, message: Any, match_id: str) -> Any:
        """Returns a message with the id of another match, if messages of its class have such an id."""
        return message

    def opening(self, message: Any, first: str) -> Opening | None:
        """
        Returns the random choices that a server's message contains; `None`: the message is not about the beginning of a match.

        :param first: the name of the player that came first
        :raises ValueError: the match begins, but the message lacks a value that is needed. The error names the setting
            with which the match can be judged nevertheless.
        """
        return None

    def secret(self, got: Any, expected: Any) -> str:
        """Returns the part of a server's message that its receiver may not know, in words; empty: there is none."""
        return ""


class OpeningDraw:
    """
    Finds out the random choices of a server at the beginning of a match, from its messages.

    :param first: the name of the player that came first
    :param settings: the settings from the command line
    """

    def __init__(self, spelling: Spelling, first: str, settings: Mapping[str, str]) -> None:
        """
        Makes the object.

        :param spelling: finds the random choices in messages of the server
        :param first: the name of the player that came first
        :param settings: the settings that are given for the server
        """
        self._spelling = spelling
        self._first = first
        self._settings = settings
        self._opening: Opening | None = None
        #: Why the match cannot be judged; empty: it can.
        self._cannot_judge = ""

    @property
    def known(self) -> bool:
        """Whether the server has sent its random choices."""
        return self._opening is not None

    def hear(self, message: Any) -> None:
        """
        Looks for the random choices in a message of the server. If a needed value is missing, the match cannot be
        judged, unless a setting gives this value.
        """
        try:
            self._opening = self._spelling.opening(message, self._first)
        except ValueError as error:
            self._opening = Opening()
            # The error names the setting that would help.
            if not any(name in str(error) for name in self._settings):
                self._cannot_judge = str(error)

    def repeat(self, run: "ServerRun") -> None:
        """
        Makes the replica begin its match with the same random choices.

        :raises Skipped: the server does not send a value that is needed
        """
        if self._cannot_judge:
            raise Skipped(self._cannot_judge)
        if self._opening is not None:
            run.begin_with(self._opening)


@frozen
class ServerChecks:
    """What `gamehost check` needs to judge a server of a wire: the laws of the wire's document, and the scenarios."""

    wire: str
    #: The laws of the document: by the name of a message's class, and `turn` for all others.
    laws: Mapping[str, Law]
    scenarios: Sequence[Scenario]
    new_spelling: Callable[[], Spelling]


#: The name of the server in the handshake of WebSocket.
HOST = "localhost"
#: A function that connects a protocol to the server under test.
Dial = Callable[[TwistedProtocol], Deferred[Any]]


class _ServerLine(TwistedProtocol):
    """A connection to the server under test. It reports to its user."""

    def __init__(self, user: "User") -> None:
        self._user = user

    def dataReceived(self, data: bytes) -> None:
        self._user.received(self, data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._user.lost(self)


class User:
    """
    A client that the checker plays: its connections to the server and to the replica, and the messages that are due.

    :param transcript: records the messages of this client. All clients of a run have the same list of lines.
    :param seed: the seed of the house player that knows legal actions
    """

    def __init__(self, name: str, password: str, run: "ServerRun", transcript: Transcript, seed: int) -> None:
        """
        Makes a client that the checker plays. It is not connected yet.

        :param run: judges the messages of the server
        :param seed: the seed of the player that chooses its moves
        """
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
        #: The messages that the server must still send.
        self.expected: deque[Any] = deque()
        #: The messages that the server has sent, and that are not judged yet.
        self.unjudged: deque[Any] = deque()
        #: All messages that the server has sent.
        self.heard: list[Any] = []
        #: The bytes of the message that is being read.
        self._raw = bytearray()

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the server."""
        return self._line is not None

    def connect(self, wire: Wire[Any], dial: Dial, cut: Callable[[Any], SegmentedTransport]) -> Deferred[Any]:
        """
        Connects to the server.

        :param dial: connects a protocol to the server
        :param cut: wraps the transport, so that bytes are sent in other segments
        :returns: fires when the connection is made, and fails if it cannot be made
        """
        client = client_of(wire.name)
        assert client is not None
        self._codec, self._below = client.codec(), client_bytes(wire)
        # An earlier connection may have ended in the middle of a message.
        self._raw.clear()
        self._transcript.connected_again()
        self._line = line = _ServerLine(self)

        def made(_: Any) -> None:
            """Called when the connection is made: sends the opening of a WebSocket, if the wire needs one."""
            self._transport = cut(line.transport)
            self._transport.write(self._below.opening(HOST))

        return dial(line).addCallback(made)

    def said(self, messages: Sequence[Any]) -> bytes:
        """Records messages of this client, and returns their bytes. They are not sent yet."""
        data = b""
        for message in messages:
            raw = self._codec.encode(message)
            self._transcript.said(message, raw)
            # Both clients write into one transcript, so the line gets the name of this client.
            self._name_last()
            data += raw
        return data

    def send(self, data: bytes) -> None:
        """Sends bytes to the server, if there is a connection."""
        if self._line is not None:
            self._transport.write(self._below.sent(data))

    def close(self) -> None:
        """Closes the connection to the server."""
        # `_line` is `None` from now on, so `lost` and `received` ignore this connection.
        line, self._line = self._line, None
        if line is not None and line.transport is not None:
            line.transport.loseConnection()
        self._transcript.note(f"{self.name}: the checker closes the connection")

    def received(self, line: _ServerLine, data: bytes) -> None:
        """
        Called with bytes of the server to this client: reads the messages, records each with its own bytes, and passes
        it to the run, which judges it.
        """
        # The checker has closed this connection.
        if line is not self._line:
            return
        try:
            # `below` is the data without the framing of a WebSocket. `due` is what a WebSocket must answer, such as a
            # pong.
            below, due = self._below.received(data), self._below.answers()
            if due:
                self._transport.write(due)
            # A piece has one message at most, so the bytes of each message are known.
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
        """Called when a connection is lost. If the checker has not closed it, the server has."""
        if line is self._line:
            self._line = None
            self._transcript.note(f"{self.name}: the server closes the connection")
            self._run.closed(self)

    def _name_last(self) -> None:
        """Adds the name of this client to the last line of the transcript."""
        line = self._transcript.lines[-1]
        self._transcript.lines[-1] = evolve(line, meaning=f"{self.name}: {line.meaning}")


#: How many seconds the server has for an answer.
ANSWERS = 5.0
#: If the server has answered nothing in any scenario for so many seconds, no further scenario begins.
LOG_IN_WITHIN = 30.0
#: The most differences between two messages that a finding lists.
MOST_TOLD = 5


@frozen
class ServerUnderTest:
    """The server under test, and the options with which it is checked."""

    clock: IReactorTime
    wire: Wire[Any]
    #: The checks of clients. Their readings give the meanings of messages.
    reading: WireChecks
    checks: ServerChecks
    dial: Dial
    #: Whether the server may send only messages of the document, and no extensions.
    strict: bool
    #: Settings of the wire and its game, by their full names.
    settings: dict[str, str]
    password: str = "correct horse"


#: The most seconds until a connection is made.
CONNECTS = 10.0
#: If no answer is due, the checker waits so many seconds. The server must send nothing in this time.
QUIET = 0.2
#: The letters with which players' names end.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: The most seconds of a scenario.
WHOLE = 120.0
#: The checker waits so many seconds after it has closed a connection, so that the server detects it.
PARTING = 0.05


class ServerRun(Run):
    """
    Plays one scenario with one server. Its methods without `_` are for scripts.

    :param tag: letters at the end of the players' names, which make the names different in each scenario
    :param done: called once with the outcome, or with `Unreachable`
    """

    def __init__(
        self,
        server: ServerUnderTest,
        scenario: Scenario,
        seed: int,
        tag: str,
        done: Callable[[Outcome | Unreachable], None],
    ) -> None:
        """
        Makes the run of a scenario with a server under test. The checker plays all clients, and a replica of the match
        says which messages the server must send.

        :param tag: is added to the names of the players
        :param done: called with the outcome
        """
        super().__init__(server.clock, server.checks.laws, scenario, seed)
        client = client_of(server.wire.name)
        assert client is not None
        self._server = server
        self._new_codec = client.codec
        self.spelling: Spelling = server.checks.new_spelling()
        self._lines: list[TranscriptLine] = []
        #: The unusual step that is being tried, in words for the title of a finding; empty: the step is an ordinary one.
        self._trying = ""
        self._done = done
        self._tag = tag
        self.strict = server.strict
        self.game = server.wire.games[0]
        self.replica = Replica(server.wire, server.settings, server.strict, seed)
        self.users: list[User] = []
        #: Fires when the script may continue; `None`: it does not wait.
        self._waiting: Deferred[None] | None = None
        self._timer = Timer()
        #: The random choices that the server will send now; `None`: it will send none. The replica receives the message that
        #: leads to them only after they are known.
        self._draw: OpeningDraw | None = None
        #: The opening of the last match, as the server has sent it.
        self.opening: Opening | None = None
        #: How many moves of the match were played.
        self.moves = 0
        self.match_id = ""
        self._over = False

    #: Whether the server has sent any message.
    connected = False

    # -- from start to end

    def start(self) -> None:
        """Begins to play the script."""
        Deferred.fromCoroutine(self._play()).addErrback(
            lambda failure: self._done(Unreachable(f"the checker itself failed: {failure.getErrorMessage()}"))
        )

    async def _play(self) -> None:
        """Plays the script to its end, and reports the outcome."""
        played = True
        unreachable: Unreachable | None = None
        assert self.scenario.script is not None
        try:
            await self.scenario.script(self)
            # A wrong message may still come.
            await self.pause(QUIET)
        # A breach was found, and the script has ended by it.
        except Stopped:
            pass
        except Skipped as reason:
            played = False
            self._new_transcript().note(f"skipped: {reason}")
        except Unreachable as error:
            unreachable = error
        # First, so that what comes from now on is not judged.
        self._over = True
        for user in self.users:
            user.close()
        self.replica.host.lobby.close()
        # A finding is more useful than the fact that the server cannot be reached now.
        if not self._findings and unreachable is not None:
            self._done(unreachable)
            return
        self._done(self.outcome(self._lines, played))

    # -- what scripts do

    def new_user(self, name: str) -> User:
        """Makes a client that is not connected yet. The tag of the run is added to its name."""
        user = User(name + self._tag, self._server.password, self, self._new_transcript(), self.chance.below(2**31))
        self.users.append(user)
        return user

    async def connect(self, user: User) -> None:
        """
        Connects a client to the server and to the replica, and waits for the messages that the server must send.

        :raises Unreachable: the server cannot be reached
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
        """
        Closes the connections of a client to the server and to the replica, and waits for the messages that the other
        client must get. Messages to the dropped client are not expected any more.
        """
        user.close()
        user.expected.clear()
        if user.replica is not None:
            # The replica may still write something to this client.
            user.replica.lose()
        user.expected.clear()
        await self.all_answered()
        await self.pause(PARTING)

    async def say(self, user: User, *messages: Any, trying: str = "", draw: OpeningDraw | None = None) -> None:
        """
        Sends messages of a client in one segment, and waits for all messages that the server must send because of them.

        :param trying: the unusual step that is tried, in words that follow "after"; empty: the messages are ordinary
        :param draw: the random choices that the server makes because of the messages; `None`: it makes none
        """
        self._stop_if_late()
        self._trying = trying
        data = user.said(messages)
        # Random choices: the server must come first, because the replica repeats its choices.
        if draw is not None:
            await self._send_and_find_out(user, data, draw)
        # The replica's match has an id of its own.
        heard = data
        if self.match_id:
            own = user.seat.match_id
            heard = b"".join(self._new_codec().encode(self.spelling.with_id(message, own)) for message in messages)
        if user.replica is not None:
            user.replica.hear(heard)
        if draw is None:
            user.send(data)
        else:
            # Choices that were not used are dropped. From now on the replica draws by itself.
            self.replica.draw_next(())
            self._judge_all()
        await self.all_answered()
        self._trying = ""

    async def _send_and_find_out(self, user: User, data: bytes, draw: OpeningDraw) -> None:
        """
        Sends bytes to the server, waits until it has sent its random choices, and makes the replica repeat them.

        :raises Skipped: the server does not send a choice that is needed
        """
        self._draw = draw
        user.send(data)
        await self._wait(ANSWERS, lambda: draw.known)
        self._draw = None
        draw.repeat(self)

    def draw_at_opening(self, first: User | None) -> OpeningDraw | None:
        """
        Returns an object that finds out the random choices of the next match; `None`: the wire has none, or no match begins.

        :param first: the user that waits; `None`: no user waits
        """
        if first is None or not self.spelling.waits_for_opening:
            return None
        return OpeningDraw(self.spelling, first.name, self._server.settings)

    def begin_with(self, opening: Opening) -> None:
        """Makes the next match of the replica begin with the same random choices as the server's match."""
        self.opening, self.match_id = opening, opening.match_id
        self.replica.begin_with(opening.settings)
        # Only on some wires the server draws something that settings cannot give.
        if opening.draws is not None:
            self.replica.draw_next((opening.draws,))

    async def play(self, most: int) -> bool:
        """
        Plays legal moves. Returns whether the match is over.

        :param most: how many moves are played at most
        """
        for _ in range(most):
            user, action = self.on_turn()
            # Nobody must act: the match is over.
            if user is None:
                return True
            if not await self.act(user, action):
                return False
        return self.on_turn()[0] is None

    async def act(self, user: User, action: Any) -> bool:
        """Plays one legal move. Returns `False` if the move was not sent, because its effects cannot be judged."""
        # Without messages the move cannot be judged: for example, the server draws a card that the replica cannot
        # foresee.
        messages = self.spelling.says(action, user.seat.seat, self.match_id)
        if messages:
            await self.say(user, *messages)
            self.moves += 1
        return bool(messages)

    def on_turn(self) -> tuple[User | None, Any]:
        """Returns the user that must act, and a legal action for it. Both are `None` if the match is over."""
        for user in self.users:
            player = user.seat.player
            notation = player.answer() if player is not None else None
            if notation is not None:
                return user, self.game.read(notation)
        return None, None

    def other(self, user: User) -> User:
        """Returns another player of the match."""
        return next(one for one in self.users if one is not user and one.seat.player is not None)

    async def all_answered(self) -> None:
        """
        Waits until the server has sent all messages that it must send. If none is due, waits a moment for wrong messages.

        :raises Stopped: a message has not come in time, or is wrong
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
        Waits for some seconds.

        :raises Stopped: a message has come that is not allowed now
        """
        await self._wait(seconds, lambda: False)

    async def _wait(self, seconds: float, enough: Callable[[], bool]) -> None:
        """
        Waits until a condition is true, or until the time is over.

        :param enough: the condition, which is tested after each message of the server
        :raises Stopped: there is a breach
        """
        self._stop_if_found()
        # The messages may have come already.
        if enough():
            return
        self._enough = enough
        self._waiting = Deferred()
        self._timer.set(self.clock, seconds, self._go_on)
        await self._waiting
        self._stop_if_found()

    def _go_on(self) -> None:
        """Lets the script continue, if it waits."""
        waiting, self._waiting = self._waiting, None
        self._timer.stop()
        if waiting is not None:
            waiting.callback(None)

    def _stop_if_found(self) -> None:
        """
        Ends the scenario after a breach.

        :raises Stopped: there is a breach
        """
        if self.breached:
            raise Stopped

    def _stop_if_late(self) -> None:
        """
        Ends the scenario if it has taken too long.

        :raises Stopped: it has taken too long
        """
        if self.clock.seconds() - self._began > WHOLE:
            happened = f"The scenario was ended after {WHOLE:g} s; the server was slow."
            self.found(Grade.NOTE, "the scenario was very long", "turn", happened)
            raise Stopped

    # -- from the users

    def received(self, user: User, message: Any) -> None:
        """Called with each message of the server to a user. Judges it as soon as the replica has made its own message."""
        if self._over:
            return
        # `documented` returns the message without extensions. If it differs, the message has some.
        if self.strict and self.spelling.documented(message) != message:
            self._extension(user, message)
        # For the check: this server answers.
        self.connected = True
        user.unjudged.append(message)
        if self._draw is not None:
            self._draw.hear(message)
        self._judge_all()

    def expects(self, user: User, message: Any) -> None:
        """
        Called by the replica with a message that the server must send to a user, too. A message that is an extension is
        not expected from the server.
        """
        if self.match_id:
            message = self.spelling.with_id(message, self.match_id)
        documented = self.spelling.documented(message)
        if documented is not None:
            # The new message makes the one before it unnecessary, so either may come.
            if user.expected and self.spelling.precedes(user.expected[-1], documented):
                user.expected.pop()
            user.expected.append(documented)

    def closed(self, user: User) -> None:
        """Called when the server has closed a connection. It is a breach, unless the replica has closed it, too."""
        # After the end of the run, a close is expected. `user.replica` is the same user's connection to the replica, the
        # private host that shows what a server must do; `None`: the user was not connected.
        if self._over or user.replica is None or user.replica.closed:
            return
        self._breach("the server closes the connection", "turn", f"The server closed the connection of {user.name}.")

    def _judge_all(self) -> None:
        """Judges all messages that can be judged, and lets the script continue if that is possible now."""
        for user in self.users:
            self._judge(user)
        if self._waiting is not None and (self.breached or self._enough()):
            self._go_on()

    def _judge(self, user: User) -> None:
        """Compares the server's messages to a user with the expected ones. Extensions are skipped."""
        while user.unjudged and not self._over:
            got = self.spelling.documented(user.unjudged[0])
            if got is None:
                user.unjudged.popleft()
                continue
            # With random choices to come, the replica makes its messages later. Without them, nothing was due.
            if not user.expected:
                if self._draw is None:
                    user.unjudged.popleft()
                    self._surplus(user, got)
                return
            user.unjudged.popleft()
            # A message that the next expected one makes unnecessary.
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
        """Called when the server has sent bytes that are not a message: adds a breach."""
        self._breach(f"bytes that are no message: {error}", "framing", f"{user.name} could not read: {error}.")

    def _new_transcript(self) -> Transcript:
        """Makes the transcript of a client. All transcripts of the run write into the same list of lines."""
        server = self._server
        host = server.wire.configure({}).new_codec()
        client = self._new_codec()
        return Transcript(
            server.reading, self.clock.seconds, client.encode, host.encode, self._lines, began=self._began
        )

    def _breach(self, title: str, law: str, happened: str) -> None:
        """Adds a breach, with the unusual step that was tried. The script stops then."""
        if self._trying:
            title, happened = f"{title} after {self._trying}", f"{happened} The checker tried {self._trying}."
        self.found(Grade.BREACH, title, law, happened)
        # Later, because the caller may still be in the middle of its work.
        if self._waiting is not None:
            self.clock.callLater(0, self._go_on)

    def _extension(self, user: User, message: Any) -> None:
        """Adds a finding for a message that is an extension, or contains one."""
        name = type(message).__name__
        self.found(
            Grade.FRAGILE,
            f"{name} is not as in the document",
            name,
            happened=f"The server sends {user.name} what the document does not have; another client may not understand it.",
        )

    def _surplus(self, user: User, got: Any) -> None:
        """Adds a breach for a message that came when none was due."""
        name = type(got).__name__
        self._breach(
            f"{name} is sent, and nothing was due", name, f"The server sent {user.name} {name}; nothing was due."
        )

    def _missing(self, user: User) -> None:
        """
        Adds a breach for a message that has not come in time.

        :raises Stopped: always
        """
        name = type(user.expected[0]).__name__
        happened = f"{user.name} was due {name}, and it did not come within {ANSWERS:g} s."
        self._breach(f"{name} is missing", name, happened)
        raise Stopped

    def _mismatch(self, user: User, got: Any, expected: Any) -> None:
        """Adds a breach for a message that differs from the expected one: another class, a secret, or wrong values."""
        name, due = type(got).__name__, type(expected).__name__
        # Another class: the message that was due is named.
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
    Compares two messages of the same class.

    :param got: the server's message
    :param expected: the replica's message
    :returns: for each difference, the name of the field, and a sentence without its full stop
    """
    for name in expected.__struct_fields__:
        theirs, mine = getattr(got, name), getattr(expected, name)
        if theirs != mine:
            yield name, f"{name} is {_shown(theirs)}, expected {_shown(mine)}"


def _shown(value: Any) -> str:
    """Returns a value as it is shown in a finding. Texts have quotation marks."""
    return repr(value) if type(value) is str else str(value)


def tag(seed: int, number: int) -> str:
    """
    Returns four letters that make names different in each scenario, and mostly in each check.

    :param seed: the seed of the check
    :param number: the number of the scenario
    """
    value, letters = seed * 1_009 + number, ""
    for _ in range(4):
        value, letter = divmod(value, 26)
        letters = _LETTERS[letter] + letters
    return letters


def address_of(text: str) -> tuple[str, int]:
    """
    Reads a host and a port, such as `127.0.0.1:8893` or `[::1]:8893`.

    :raises ValueError: the text has another form
    """
    host, separator, port = text.rpartition(":")
    # An IPv6 address has brackets around it.
    host = host.removeprefix("[").removesuffix("]")
    if not separator or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError("expected HOST:PORT, such as 127.0.0.1:8893")
    return host, int(port)


def dialled(reactor: Any, host: str, port: int) -> Dial:
    """Returns a function that connects a protocol to a server."""
    endpoint = HostnameEndpoint(reactor, host.encode("idna"), port, CONNECTS)
    return lambda protocol: connectProtocol(endpoint, protocol)
