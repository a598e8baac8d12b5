"""
A wire: a codec and a conversation for each connection, and the settings that all wires have.

A wire is one folder under `gamehost.wires` and one `Wire`. Everything else about connections is the same for all wires,
and is in `gamehost.net.connection`.

A conversation gets the client's messages, and sends messages through its peer. It never sees bytes, and a peer never
sees a game. A table of states and message types says which messages are accepted. All others get the same answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from attrs import frozen
from msgspec import Struct
from msgspec.structs import force_setattr, replace
from twisted.logger import Logger

from gamehost.accounts.login import LoginAttempt, LoginRefused
from gamehost.accounts.names import NameRefused, checked_name, key_of, place_of, typed_name
from gamehost.games.base import Game, Seat
from gamehost.journal.records import TableId
from gamehost.journal.replay import History
from gamehost.lobby.questions import Found
from gamehost.lobby.sessions import Queue, Session, split_key
from gamehost.settings import Settings, refuse_unknown, setting, yes_or_no
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.interfaces import Back, Displaced, NoNewMatches, SeatHandle, Suspended, Unmatched
from gamehost.wires.framing import BLANK, Control, OtherProtocol, WireError, wrong_port

if TYPE_CHECKING:
    # A wire gets its lobby as an argument: loading the wire does not need the lobby's module.
    from gamehost.lobby.lobby import Lobby


#: Sent to a connection if a newer connection of the same player has taken its session.
DISPLACED = "you have logged in again elsewhere"
#: Sent to a player that no other one has joined.
UNMATCHED = "nobody came for a day"
#: The message to the players of a suspended table.
SUSPENDED = "a fault has stopped this match; nobody has won; if the owner lets it go on, log in again for your seat"
#: Seconds that a client has after a match for its next log-in. A person looks at the last board first.
AFTER_MATCH_SECONDS = 600.0


class Claim(Struct, frozen=True):
    """The name or place in a message that belongs to one host of a cluster."""

    #: The name of a log-in as it was sent, without the key of a guest; empty: this is no log-in.
    name: str = ""
    #: The queue in which the player will wait; `None`: in no queue.
    queue: Queue | None = None
    #: Whether this host handles the message even if another host has the name: the player gets another name then.
    stays: bool = False
    #: The key of a place that has to be here, such as a waiting table: see `gamehost.accounts.names.place_of`. If it
    #: has no home, this host becomes its home. If its home is elsewhere, the message is handled there, or here if the
    #: conversation cannot go there.
    place: str = ""
    #: Whether the place must exist already: another client has opened it.
    opened: bool = False
    #: Whether the place alone decides which host handles the message, and not the name.
    by_place: bool = False
    #: Whether a client that has logged in logs out with this message.
    anew: bool = False
    #: The key of the name. It is computed here if it is not given.
    key: str = ""

    def __post_init__(self) -> None:
        if self.name and not self.key:
            force_setattr(self, "key", key_of(self.name))


M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
M_contra = TypeVar("M_contra", contravariant=True)


class Peer(Protocol[M_contra]):
    """One client, as its conversation sees it."""

    @property
    def address(self) -> str:
        """The client's address without the port; empty if the transport has no addresses."""

    def say(self, message: M_contra) -> None:
        """Send a message. After `hang_up` it is dropped."""

    def say_newest(self, message: M_contra, key: str) -> None:
        """Send a message. While the client does not read, it waits, and a later one of the same key replaces it."""

    def refuse(self, message: M_contra) -> None:
        """Send a refusal. Too many of them in a short time end the connection."""

    def say_and_hold(self, message: M_contra, seconds: float) -> None:
        """
        Send a message, and nothing behind it for a number of seconds: for clients that lose messages that come too
        soon.

        Messages of this time are held, and sent in order at its end. `hold` ends the hold sooner. A hold behind a held
        message begins when that message is sent. If the connection is closed, everything is sent at once.
        """

    def say_past(self, message: M_contra) -> None:
        """Send a message even during a hold, before all messages that wait."""

    def hold(self, seconds: float) -> None:
        """Send nothing for so many seconds from now on. This replaces the current hold; 0 ends the current hold."""

    @property
    def hold_seconds(self) -> float:
        """The seconds until the current hold ends; 0: there is no hold."""

    def unsay(self, unwanted: Callable[[Any], bool]) -> bool:
        """
        Drop the unwanted messages among those that wait for the end of a hold. Returns whether there was one. A hold behind a
        message is dropped with it.
        """

    def logged_in(self) -> None:
        """The client has logged in, or has sent all that it needs for that. The deadline for logging in ends."""

    def logged_out(self, seconds: float = 0) -> None:
        """The client is not logged in any more. It has as long to log in as a new connection, or longer: this many seconds."""

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call `ring` after a number of seconds. This replaces an earlier alarm; the connection's end cancels it."""

    def no_alarm(self) -> None:
        """Cancel the alarm, if there is one."""

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None:
        """
        Call `beat` regularly until the connection ends, with the seconds for which the client has sent no byte. All
        connections of a listener share one timer, so all of them must give the same interval.
        """

    def exempt_from_rate(self) -> None:
        """The last message was an answer that the host waits for. It does not count against the rate limit."""

    def move_accepted(self) -> None:
        """
        The last message was a move, and it was accepted. It does not count against the rate limit of messages, but against
        that of moves. Above that, input pauses for a moment.
        """

    def journaled(self, size: int) -> None:
        """
        Count the bytes that the last message has added to the journal, besides the few of each move. Above the rate of
        its address, input pauses for a moment.
        """

    def hang_up(self, reason: str = "") -> None:
        """Handle no more input, and close once everything is sent. The reason, if there is one, goes to the log."""


class Conversation(Protocol[M_contra]):
    """The course of one connection, from its first message to its last."""

    @property
    def at_table(self) -> bool:
        """Whether the client has a part in a match: its messages go first."""

    def begin(self) -> None:
        """The connection was made. Called first, and once."""

    def hear(self, message: M_contra) -> None:
        """Act on a message of the client."""

    def wire_error(self, error: WireError) -> None:
        """Say that the client sent what cannot be understood. The peer hangs up right after this."""

    def say_closing(self, reason: str) -> None:
        """Say why the host ends this connection. The peer hangs up right after this."""

    def say_shutdown(self, reason: str) -> None:
        """Say that the host stops. The peer hangs up right after this."""

    def end(self) -> None:
        """The connection is lost. Called last, and once."""


#: The methods of a state in which no message is expected.
_NOTHING: Mapping[type, Callable[..., None]] = {}


class _LastSaid:
    """
    The last event that was sent to players of a wire, and the message for it. A table sends an event to one player
    after the other.
    """

    __slots__ = ("event", "message")

    def __init__(self) -> None:
        self.event: Any = None
        self.message: Any = None


class BaseConversation(Generic[M]):
    """
    The shared part of the conversations of all wires: the state, the two tables, entering the lobby and leaving it.

    Subclasses set `HEARS`, `SAYS` and `TELLS`, and write `unexpected` and `say_closing`.

    :param peer: the client
    :param lobby: where players meet
    """

    #: (state, type of message) -> method. Other messages go to `unexpected`.
    HEARS: ClassVar[Mapping[tuple[Enum, type], Callable[..., None]]] = {}
    #: (state, type of message) -> method that returns the claim of this message. Other messages claim nothing.
    CLAIMS: ClassVar[Mapping[tuple[Enum, type], Callable[..., Claim | None]]] = {}
    #: Type of event -> method that makes the message for it. The message is the same for all players of a table on this
    #: wire, and is made once.
    SAYS: ClassVar[Mapping[type, Callable[..., Any]]] = {}
    #: Type of event -> method that sends it. Other events go to `tell_other`.
    TELLS: ClassVar[Mapping[type, Callable[..., None]]] = {}

    #: The description of this port for clients of another protocol, as of `guidance.wrong_port`; empty: they get none.
    SPEAKS: ClassVar[str] = ""
    #: The format of this wire, if `guidance.other_protocol` knows it.
    WRITTEN_IN: ClassVar[str] = ""

    _last_said: ClassVar[_LastSaid]
    #: By the `id` of the state: the hash of a member of an enum is made in Python each time.
    _HEARD_IN: ClassVar[Mapping[int, Mapping[type, Callable[..., None]]]] = {}

    log = Logger()

    def __init_subclass__(cls) -> None:
        heard: dict[int, dict[type, Callable[..., None]]] = {}
        for (state, kind), method in cls.HEARS.items():
            heard.setdefault(id(state), {})[kind] = method
        cls._HEARD_IN = heard
        cls._last_said = _LastSaid()

    def __init__(self, peer: Peer[M], lobby: "Lobby", state: Enum) -> None:
        self.peer = peer
        self.lobby = lobby
        self.session: Session | None = None
        self.handle: SeatHandle[Any] | None = None
        self._directory = lobby.directory
        self._game_finished = False
        self.set_state(state)

    @property
    def address(self) -> str:
        return self.peer.address

    @property
    def by_hand(self) -> str:
        """The command for people to play on this host in a terminal; empty: there is no port for them."""
        return self._directory.by_hand

    @property
    def at_table(self) -> bool:
        """As of `Conversation`. A client that has just finished a match goes first with its next log-in, too."""
        return self.handle is not None or self._game_finished

    def set_state(self, state: Enum) -> None:
        self.state = state
        self._heard = self._HEARD_IN.get(id(state), _NOTHING)

    def begin(self) -> None:
        """Say nothing; wires in which the server speaks first override this."""

    def hear(self, message: M) -> None:
        """Call the method that `HEARS` has for a message in this state."""
        method = self._heard.get(type(message))
        if method is not None:
            method(self, message)
        elif isinstance(message, Control):
            message.answer(self.peer)
        elif message is not BLANK:
            self.unexpected(message)

    def claim(self, message: M) -> Claim | None:
        """
        The claim of a message that comes next, by `CLAIMS`. Used only on hosts of a cluster.

        `None`: it is no log-in, or one that is refused whoever has the name.
        """
        method = self.CLAIMS.get((self.state, type(message)))
        return None if method is None else method(self, message)

    def adopt(self, session: Session) -> None:
        """Continue for another host of the cluster, which has put the client into a queue. For wires that `Wire.spreads`."""
        raise NotImplementedError

    def parcel(self) -> str | None:
        """
        The state that another host of the cluster needs to continue this conversation, besides its session. `None`:
        only this host can continue now. By default that is the case at a table.

        To be written for wires with more than a log-in to pass on.
        """
        return None if self.session is not None and self.session.table_id is not None else ""

    def unpack(self, parcel: str, session: Session | None) -> None:
        """
        Continue for another host of the cluster. The client has already received the beginning.

        :param parcel: the result of `parcel` there
        :param session: of a client that has logged in
        """
        if session is not None:
            self.adopt(session)

    def unexpected(self, message: M) -> None:
        """Answer a message that is not expected in this state."""
        raise NotImplementedError

    def wire_error(self, error: WireError) -> None:
        """By default the error is sent as the reason for closing."""
        self.say_closing(self.explained(error))

    def explained(self, error: WireError) -> str:
        """Why nothing more can be understood; for a client of another protocol, what this port speaks."""
        if isinstance(error, OtherProtocol) and self.SPEAKS:
            return wrong_port(error.opening, self.SPEAKS, self.WRITTEN_IN) or str(error)
        return str(error)

    def say_closing(self, reason: str) -> None:
        raise NotImplementedError

    def say_shutdown(self, reason: str) -> None:
        """By default this is sent as any other reason for closing."""
        self.say_closing(reason)

    def logged_in(self, session: Session) -> None:
        """
        The lobby has accepted the client. To be called while its log-in is handled.

        A log-in after a finished game does not count against the rate limit, because the next game begins with it.
        """
        self.session = session
        self.peer.logged_in()
        if self._game_finished:
            self._game_finished = False
            self.peer.exempt_from_rate()

    def act(self, action: Any, careful: bool = False) -> bool:
        """
        Act at the table. Whether the action was accepted.

        Accepted actions have a rate limit of their own. It slows a client down and never refuses, because two quick bots
        are not a flood.

        :param careful: as in `SeatHandle.act`
        """
        assert self.handle is not None
        accepted = self.handle.act(action, careful)
        if accepted:
            self.peer.move_accepted()
        return accepted

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The player has a seat at a table. The table's events follow."""
        self.handle = handle

    def leave_table(self, state: Enum) -> None:
        self.handle = None
        self._game_finished = True
        self.set_state(state)

    def name_of(self, seat: Seat) -> str:
        """The name of the player in a seat of this player's table."""
        assert self.handle is not None
        return self.handle.names[seat]

    def deliver(self, event: Any) -> None:
        """
        Send an event of the table to the client. If that fails, only this connection is closed.

        An event that has no method goes to `tell_other`.
        """
        kind = type(event)
        say = self.SAYS.get(kind)
        try:
            if say is None:
                method = self.TELLS.get(kind) or _TOLD_ON_ALL_WIRES.get(kind) or type(self).tell_other
                method(self, event)
                return
            last = self._last_said
            if last.event is not event:
                last.event, last.message = event, say(self, event)
            self.peer.say(last.message)
        except Exception:
            self.log.failure("telling a {event} failed", event=kind.__name__)
            self.peer.hang_up("a fault of the host")

    def tell_other(self, event: Any) -> None:
        """
        Send an event that is not in `TELLS`. By default it is dropped; wires for all games send it as one of their
        messages.
        """

    def tell_displaced(self, event: Displaced) -> None:
        """A newer connection of the same player has taken the session: end this one."""
        self.session = self.handle = None
        self.say_closing(DISPLACED)
        self.peer.hang_up(DISPLACED)

    def tell_unmatched(self, event: Unmatched) -> None:
        """The player has waited too long for an opponent: end the connection."""
        self.say_closing(UNMATCHED)
        self.peer.hang_up(UNMATCHED)

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """The host begins no more matches: end the connection."""
        self.say_closing(event.why)
        self.peer.hang_up(event.why)

    def say_notice(self, text: str) -> bool:
        """Send a notice of the host's owner. Returns whether the wire has a message for it; by default it has none."""
        return False

    def tell_suspended(self, event: Suspended) -> None:
        """A fault of the host has stopped the match, and the player is free: end the connection."""
        self.say_closing(SUSPENDED)
        self.peer.hang_up(SUSPENDED)

    def end(self) -> None:
        """Leave the lobby: a seat is reserved. A client that stays connected has `AFTER_MATCH_SECONDS` to log in again."""
        if self.session is not None:
            session, self.session = self.session, None
            self.lobby.leave(session, self)
            self.peer.logged_out(AFTER_MATCH_SECONDS)


class AccountConversation(BaseConversation[M]):
    """
    The shared part of the conversations of wires with accounts: a password is checked, and the client waits for the
    result.
    """

    _attempt: LoginAttempt | None = None

    def check_password(self, checking: Enum, name: str, password: str, wire: str, strong: bool = False) -> None:
        """
        Check the password of an account. `password_checked` is called with the result, at once or later.

        :param checking: the state until then
        :param strong: whether a new account needs a strong password: the wire's document does not say what it needs
        """
        self.set_state(checking)
        # From here on the client waits for the host, so the time to log in is not counted.
        self.peer.logged_in()
        asked = (name, password, wire, self.peer.address, self, self._checked, strong, self.tell_log_in_waits)
        attempt = self.lobby.log_in(*asked)
        if self.state is checking:
            self._attempt = attempt

    def tell_log_in_waits(self, seconds: float) -> None:
        """
        Tell the client about how many seconds later its password will be checked. By default the wire has no message
        for it.
        """

    def _checked(self, outcome: Session | LoginRefused) -> None:
        self._attempt = None
        try:
            self.password_checked(outcome)
        except Exception:
            self.log.failure("answering a log-in failed")
            self.end_by_fault()

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """The session, or why there is none. A fault in here ends this connection only."""
        raise NotImplementedError

    def end_by_fault(self) -> None:
        self.peer.hang_up("a fault of the host")

    def forget_attempt(self) -> None:
        """Cancel a running check."""
        if self._attempt is not None:
            self._attempt.cancel()
            self._attempt = None

    def end(self) -> None:
        """The connection is lost: a check of a password is cancelled, and a seat is reserved."""
        self.forget_attempt()
        super().end()


class GuestConversation(BaseConversation[M]):
    """
    A conversation as `gamehost.wires.base.common_wire` makes it.

    A message with `log_in` as its method claims the guest's name in its first field. A wire with another log-in sets
    `CLAIMS`.

    :param wire: the wire's name
    :param queue: where its players wait
    :param strict: as the wire's page says
    """

    #: The state of a connection at its beginning.
    FIRST: ClassVar[Enum]
    #: The state of a connection that waits for an opponent. A wire that `spreads` needs it, or an `adopt` of its own.
    WAITING: ClassVar[Enum]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.CLAIMS:
            log_ins = (key for key, method in cls.HEARS.items() if method.__name__ == "log_in")
            cls.CLAIMS = dict.fromkeys(log_ins, GuestConversation.claim_of_log_in)

    def __init__(self, peer: Peer[M], lobby: "Lobby", wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, self.FIRST)
        self._wire, self._queue, self._strict = wire, queue, strict

    def claim_of_log_in(self, message: Any) -> Claim | None:
        return claim_of_guest(getattr(message, type(message).__match_args__[0]))

    def adopt(self, session: Session) -> None:
        """Wait for an opponent."""
        self.logged_in(session)
        self.set_state(self.WAITING)
        self.lobby.play(session, self._queue)

    def act_or_refuse(self, action: Any, refuse: Callable[[str], object]) -> None:
        """Act. If no action could be read in a move, `action` is the reason, a text: refuse the move with it."""
        refuse(action) if isinstance(action, str) else self.act(action)


class BackWithEvents(BaseConversation[M]):
    """
    A conversation of a protocol that repeats earlier events to a player that is back: `Back` of the own seat has its
    `events`.

    They are read from the journal. Events that come meanwhile are sent after `Back`. If they cannot be read, `Back` has
    none. If there are more than `gamehost.journal.replay.MANY`, it has the last ones or none.
    """

    #: Events that came after a `Back` that waits for its `events`; `None`: no `Back` waits.
    _behind: list[Any] | None = None
    _withdraw: Callable[[], None] | None = None

    def deliver(self, event: Any) -> None:
        if self._behind is not None:
            self._behind.append(event)
        elif isinstance(event, Back) and self.handle is not None and event.seat == self.handle.seat:
            self._behind = []
            self._read(event, self.handle)
        else:
            super().deliver(event)

    def _read(self, event: Back[Any], handle: SeatHandle[Any]) -> None:
        def told(events: Sequence[Any]) -> None:
            behind, self._behind = self._behind, None
            for one in (replace(event, events=events), *(behind or ())):
                super(BackWithEvents, self).deliver(one)

        def found(answer: Any) -> None:
            _, history = answer
            told([one for _, one in history.events] if isinstance(history, History) else ())

        async def look() -> Found:
            return Found(await question.read())

        try:
            question = self._directory.own_history(handle.table, handle.n)
        except WatchRefused:
            told(())
            return
        questions, key = self._directory.questions, ("events", question.key)
        self._withdraw = questions.tell(self.address, key, look, found, lambda refusal: told(()))

    def end(self) -> None:
        if self._withdraw is not None:
            self._withdraw()
        super().end()


#: Type of event -> method, for events that a wire need not have in its `TELLS`.
_TOLD_ON_ALL_WIRES: Mapping[type, Callable[..., None]] = {
    Displaced: BaseConversation.tell_displaced,
    Unmatched: BaseConversation.tell_unmatched,
    NoNewMatches: BaseConversation.tell_no_new_matches,
    Suspended: BaseConversation.tell_suspended,
}


def claim_of_table(table: TableId, opened: bool = True) -> Claim:
    """The claim of a client that wants to go to the host of a table. The other parameter is that of `Claim`."""
    return Claim(place=place_of(table), opened=opened)


def claim_of_guest(text: str, queue: Queue | None = None, strict: bool = False, typed: bool = False) -> Claim | None:
    """
    The claim of a guest's log-in; the arguments are those of `Lobby.enter`.

    :param text: the name, or `NAME:KEY`
    :param queue: where the player will wait for an opponent; `None`: not in a queue
    :param strict: the wire has no keys
    """
    try:
        name, _ = (text, "") if strict else split_key(text)
    except NameRefused:
        return None
    return claim_of_account(name, queue)


def claim_of_account(name: str, queue: Queue | None = None, typed: bool = False) -> Claim | None:
    """The claim of an account's log-in, or of a guest's without a key behind the name. `typed`: as of `Lobby.enter`."""
    try:
        checked = typed_name(name) if typed else checked_name(name)
    except NameRefused:
        return None
    return Claim(checked.text, queue, key=checked.key)


#: The version of the interface between the host and its wires. A new version may be refused by an older host, and an old
#: one by a newer host.
API = 1


class Codec(Protocol[M]):
    """Turns bytes into messages and messages into bytes. Each connection has its own; a codec knows no transport."""

    @property
    def unfinished(self) -> bool:
        """
        Whether a message is incomplete so far.

        If none has, and all messages were taken, a new codec can read what comes next. See `Wire.spreads`.
        """

    def feed(self, data: bytes) -> Iterator[M]:
        """
        The messages that are complete now. The iterator must be exhausted before more is fed.

        :raises WireError: (from the iterator) nothing after this point can be trusted, and nothing more may be fed
        """

    def encode(self, message: M) -> bytes:
        """The bytes of a message."""


class ReadsWhole(Protocol[M_co]):
    """A codec with a quick way to read a segment that is exactly one message, as nearly all segments are."""

    def whole(self, data: bytes) -> M_co | None:
        """
        The message that the bytes are; `None`: they are not exactly one, or something waits before them. Then nothing has
        changed, and they are to be fed.

        :raises WireError: as `Codec.feed`
        """


@runtime_checkable
class Numbered(Protocol):
    """A codec that numbers what it writes."""

    #: The number of the next message. A codec that continues for one at another host of a cluster begins with the
    #: number of that one.
    sequence: int


@runtime_checkable
class Ending(Protocol[M_co]):
    """A codec of a protocol in which the end of a connection is a message."""

    def ending(self, stopping: bool) -> M_co | None:
        """
        The last message; `None`: there is none.

        :param stopping: whether the host stops
        """


class WireConfig(Protocol[M]):
    """A wire with its settings, for one listener. Makes the codec and the conversation of each connection."""

    def new_codec(self) -> Codec[M]: ...

    def new_conversation(self, peer: Peer[M], lobby: "Lobby") -> Conversation[M]: ...


@frozen
class CommonWireConfig(Generic[M]):
    """The configuration of a wire that has no settings but `COMMON_OPTIONS`."""

    #: The wire's name.
    wire: str
    new_codec: Callable[[], Codec[M]]
    conversation: Callable[[Peer[M], "Lobby", str, Queue, bool], Conversation[M]]
    strict: bool
    queue: Queue

    def new_conversation(self, peer: Peer[M], lobby: "Lobby") -> Conversation[M]:
        return self.conversation(peer, lobby, self.wire, self.queue, self.strict)


class SeatKey(Enum):
    """The proof with which a player takes a seat back after a lost connection."""

    NAME = "the name"
    PASSWORD = "the name and a password, without which nobody logs in"
    #: A program that has ended cannot come back.
    TOKEN = "a token, which the host has given to the program"


@frozen
class Wire(Generic[M]):
    """A wire format, as the host knows it."""

    #: Lower case, for options and the journal: `onitama`.
    name: str
    #: A few words for the help text.
    title: str
    #: A Twisted endpoint string. The host's own wires listen there by default; others listen only where an option says.
    endpoint: str
    #: The games that can be played on it.
    games: Sequence[Game[Any, Any]]
    #: Reads the wire's own settings. Raises `BadOption`.
    configure: Callable[[Settings], WireConfig[M]]
    #: Every setting of the wire by name, with its unit and default in words.
    options: Mapping[str, str]
    #: Settings that also have an option of their own: `--NAME` means `yes`.
    flags: Sequence[str] = ()
    #: Settings that also have an option of their own, with a value: `--NAME=TEXT`.
    values: Sequence[str] = ()
    #: The version of the plug-in interface that the wire was written for; see `API`.
    api: int = 1
    #: Whether the host cannot start if a port of this wire is in use. Otherwise the port is left out.
    must_listen: bool = True
    #: Whether people type on it, and read first: they have a minute to log in and to finish a line.
    for_people: bool = False
    #: Seconds to log in that its clients need at least: more than the limits say if they connect before a name is typed.
    login_seconds: float = 0.0
    #: The most bytes that are written in one piece, because its clients can read no more at once; 0: any number. No
    #: message may be longer.
    write_bytes: int = 0
    #: Whether its players may be at any host of a cluster. All others are at one of them.
    spreads: bool = False
    #: Whether its clients may also speak WebSocket, on the same port. Then each text is a line without its end, so the
    #: codec is one of lines that end in `\\n`, such as a `LineCodec`. The client speaks first.
    websocket: bool = False
    #: Whether a player that was away at the end of a match receives it after the next log-in, by `seated`, `Back` and
    #: `Over`.
    tells_missed_end: bool = False
    #: The proof with which a seat is taken back.
    seat_key: SeatKey = SeatKey.NAME


#: The settings that all wires have, in words.
COMMON_OPTIONS: Mapping[str, str] = {
    "strict": "yes: the document's messages only, no extensions; default no",
    "separate": "yes: this wire's players meet each other only; default no",
}


def common_settings(
    settings: Settings, wire: str, game: Game[Any, Any], required: Mapping[str, str] = {}
) -> tuple[bool, Queue]:
    """
    The values of `COMMON_OPTIONS`: whether the wire is strict, and the queue of its players.

    :param required: settings of the game without which the wire's clients cannot play
    :raises BadOption: one of them cannot be used
    """
    separate = setting(settings, "separate", False, yes_or_no)
    strict = setting(settings, "strict", False, yes_or_no)
    return strict, Queue(game, wire if separate else "", required)


def common_wire(
    name: str,
    title: str,
    endpoint: str,
    game: Game[Any, Any],
    new_codec: Callable[[], Codec[M]],
    conversation: Callable[[Peer[M], "Lobby", str, Queue, bool], Conversation[M]],
    strict_codec: Callable[[], Codec[M]] | None = None,
    required: Mapping[str, str] = {},
    **more: Any,
) -> Wire[M]:
    """
    A wire that has no settings but `COMMON_OPTIONS`. The first four arguments are as in `Wire`.

    :param new_codec: makes the codec of one connection
    :param conversation: makes a conversation from a peer, the lobby, the wire's name, its queue, and whether it is strict
    :param strict_codec: makes the codec in strict mode, if that needs another one
    :param required: settings without which its clients cannot play
    :param more: other fields of `Wire`
    """

    def configure(settings: Settings) -> WireConfig[M]:
        refuse_unknown(settings, COMMON_OPTIONS)
        strict, queue = common_settings(settings, name, game, required)
        codec = strict_codec if strict and strict_codec is not None else new_codec
        return CommonWireConfig(name, codec, conversation, strict, queue)

    return Wire(name, title, endpoint, games=(game,), configure=configure, options=COMMON_OPTIONS, **more)
