"""
What is said on one connection: the seam between a wire's words and everything else.

A conversation hears messages and says messages through its line; it never sees bytes, and a line never sees a game. What
may be heard when is data: a table of states and message types. Anything that is not in the table has one answer.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from twisted.logger import Logger

from gamehost.games.base import Seat
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import SeatHandle, Suspended
from gamehost.wires.framing import BLANK, WireError

#: What is said at a table at which nothing goes on.
SUSPENDED = "the table is suspended by a fault of the host; its record is kept"

M = TypeVar("M")
M_contra = TypeVar("M_contra", contravariant=True)


class Peer(Protocol[M_contra]):
    """The way to one client, as its conversation sees it."""

    @property
    def address(self) -> str:
        """Where the client is, without the port; empty where there is no such thing."""

    def say(self, message: M_contra) -> None:
        """Send a message. After `hang_up` it goes nowhere."""

    def refuse(self, message: M_contra) -> None:
        """Send a refusal. Too many of them in a short time end the connection."""

    def logged_in(self) -> None:
        """The client has logged in, or said all that it can say to that end: it may stay."""

    def logged_out(self) -> None:
        """The client is not logged in, or not any more: it may stay as long as one that has just come."""

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Have `ring` called after so long. It takes the place of an earlier alarm, and goes with the connection."""

    def no_alarm(self) -> None:
        """Let no alarm ring."""

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None:
        """
        Have `beat` called every so many seconds, with the seconds for which the client has sent no byte; it goes with
        the connection. All connections of a listener share one timer, so all of them say the same number of seconds.
        """

    def exempt_from_rate(self) -> None:
        """What was heard last was an answer that the host waits for: it does not count towards the rate of messages."""

    def hang_up(self, reason: str = "") -> None:
        """Close once everything said is sent, and hear nothing more. The reason, if any, goes to the log."""


class Conversation(Protocol[M_contra]):
    """One connection's talk, from the first word to the last."""

    def begin(self) -> None:
        """The connection is there. Called first, once."""

    def hear(self, message: M_contra) -> None:
        """The client said something."""

    def wire_error(self, error: WireError) -> None:
        """What the client sent cannot be understood; the line hangs up right after this."""

    def say_closing(self, reason: str) -> None:
        """The host ends this connection, for the reason given; the line hangs up right after this."""

    def say_shutdown(self, reason: str) -> None:
        """The host stops in good order; the line hangs up right after this."""

    def end(self) -> None:
        """The connection is gone. Called last, once."""


class BaseConversation(Generic[M]):
    """
    What the conversations of all wires share: the state, the two tables, and the way in and out of the lobby.

    Subclasses set `HEARS` and `TELLS`, and write `unexpected` and `say_closing`.

    :param line: the way to the client
    :param lobby: where players meet
    """

    #: (state, type of message) -> method. What is not here is out of place.
    HEARS: ClassVar[Mapping[tuple[Enum, type], Callable[..., None]]] = {}
    #: Type of event -> method. What is not here is not told on this wire.
    TELLS: ClassVar[Mapping[type, Callable[..., None]]] = {}

    _HEARD_IN: ClassVar[Mapping[Enum, Mapping[type, Callable[..., None]]]] = {}

    log = Logger()

    def __init_subclass__(cls) -> None:
        heard: dict[Enum, dict[type, Callable[..., None]]] = {}
        for (state, kind), method in cls.HEARS.items():
            heard.setdefault(state, {})[kind] = method
        cls._HEARD_IN = heard

    def __init__(self, peer: Peer[M], lobby: Lobby, state: Enum) -> None:
        self.peer = peer
        self.lobby = lobby
        self.session: Session | None = None
        self.handle: SeatHandle[Any] | None = None
        self._game_finished = False
        self.set_state(state)

    def set_state(self, state: Enum) -> None:
        """Go over to another state."""
        self.state = state
        self._heard = self._HEARD_IN.get(state, {})

    def begin(self) -> None:
        """Nothing is said first, unless the wire does."""

    def hear(self, message: M) -> None:
        """Act on a message as the table says."""
        method = self._heard.get(type(message))
        if method is not None:
            method(self, message)
        elif message is not BLANK:
            self.unexpected(message)

    def unexpected(self, message: M) -> None:
        """Answer what this state does not await."""
        raise NotImplementedError

    def wire_error(self, error: WireError) -> None:
        """What cannot be understood is a reason like others, unless the wire has words of its own for it."""
        self.say_closing(str(error))

    def say_closing(self, reason: str) -> None:
        """Say why the host ends this connection."""
        raise NotImplementedError

    def say_shutdown(self, reason: str) -> None:
        """A host that stops is a reason like others, unless the wire has words of its own for it."""
        self.say_closing(reason)

    def logged_in(self, session: Session) -> None:
        """
        The lobby has let the client in; to be called while its log-in is heard.

        A log-in after a finished game does not count towards the rate of messages: it is how the next game begins.
        """
        self.session = session
        self.peer.logged_in()
        if self._game_finished:
            self._game_finished = False
            self.peer.exempt_from_rate()

    def act(self, action: Any) -> None:
        """
        Act at the table.

        What is accepted does not count towards the rate of messages: a match has a pace of its own, and two quick bots
        are no flood.
        """
        assert self.handle is not None
        if self.handle.act(action):
            self.peer.exempt_from_rate()

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Take a chair at a table; its events follow."""
        self.handle = handle

    def leave_table(self, state: Enum) -> None:
        """The match is over: nothing more comes from the table."""
        self.handle = None
        self._game_finished = True
        self.set_state(state)

    def name_of(self, seat: Seat) -> str:
        """Who sits there, at this player's table."""
        assert self.handle is not None
        return self.handle.names[seat]

    def deliver(self, event: Any) -> None:
        """Tell an event of the table. A fault in here is this connection's alone."""
        method = self.TELLS.get(type(event))
        if method is None:
            return
        try:
            method(self, event)
        except Exception:
            self.log.failure("telling a {event} failed", event=type(event).__name__)
            self.peer.hang_up("a fault of the host")

    def tell_suspended(self, event: Suspended) -> None:
        """The host has a fault at this table."""
        self.say_closing(SUSPENDED)

    def end(self) -> None:
        """Leave the lobby: a seat is kept, a place in the queue is not."""
        if self.session is not None:
            session, self.session = self.session, None
            self.lobby.leave(session, self)
