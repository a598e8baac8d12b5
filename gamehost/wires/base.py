"""
A wire: the codec and the conversation of each connection, and the settings that all wires have.

A wire is a folder under `gamehost.wires` and an instance of `Wire`. `gamehost.net.connection` does everything else for a
connection, the same for all wires.

A conversation gets the client's messages, and sends messages through its peer. It never sees bytes, and a peer never sees a
game. A table of states and message types says which messages a conversation accepts. All other messages get the same answer.
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
    # A wire gets its lobby as an argument, so importing the wire need not import the lobby's module.
    from gamehost.lobby.lobby import Lobby


#: Sent to a connection if a newer connection of the same player has taken its session.
DISPLACED = "you have logged in again elsewhere"
#: Sent to a player who has waited at a table for a day without an opponent.
UNMATCHED = "nobody came for a day"
#: The message to the players of a suspended table.
SUSPENDED = "a fault has stopped this match; nobody has won; if the owner lets it go on, log in again for your seat"
#: Seconds that a client has after a match for its next log-in. A person looks at the last board first.
AFTER_MATCH_SECONDS = 600.0


class Claim(Struct, frozen=True):
    """A name or a place in a client's message that only one host of a cluster may use. That host handles the message."""

    #: The name of a log-in as it was sent, without the key of a guest; empty: the message is not a log-in.
    name: str = ""
    #: The queue in which the player will wait; `None`: the player will not wait in a queue.
    queue: Queue | None = None
    #: Whether this host handles the message even if another host has the name. Then the player gets another name.
    stays: bool = False
    #: The key of a place that the message needs, such as a waiting table (see `names.place_of`). A place without a host is
    #: taken by this one. If another host has it, that host handles the message, unless the conversation cannot move.
    place: str = ""
    #: Whether the place must exist already, because another client has opened it.
    opened: bool = False
    #: Whether only the place decides which host handles the message, not the name.
    by_place: bool = False
    #: Whether this message logs a client out that is logged in.
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
    """The client of a conversation: sends messages to it, and controls its connection."""

    @property
    def address(self) -> str:
        """The client's address without the port; empty if the transport has no addresses."""

    def say(self, message: M_contra) -> None:
        """Sends a message. After `hang_up` the message is dropped."""

    def say_newest(self, message: M_contra, key: str) -> None:
        """Sends a message. While the client does not read, the message waits, and a later one with the same key replaces it."""

    def refuse(self, message: M_contra) -> None:
        """Sends a refusal. Too many refusals in a short time end the connection."""

    def say_and_hold(self, message: M_contra, seconds: float) -> None:
        """
        Sends a message, and delays all messages after it for a number of seconds: some clients lose messages that come too
        soon.

        The delayed messages are sent in order at the end. `hold` can end the delay sooner. For a message that must wait itself,
        the delay begins when it is sent. If the connection is closed, everything is sent at once.
        """

    def say_past(self, message: M_contra) -> None:
        """Sends a message before all messages that wait, even during a delay of `say_and_hold`."""

    def hold(self, seconds: float) -> None:
        """Delays all messages for a number of seconds from now on. This replaces the present delay; 0 ends it."""

    @property
    def hold_seconds(self) -> float:
        """The seconds until the present delay ends; 0: there is no delay."""

    def unsay(self, unwanted: Callable[[Any], bool]) -> bool:
        """
        Drops those messages that wait for the end of a delay and that `unwanted` accepts. Returns whether there was one. A
        delay after a dropped message is dropped, too.
        """

    def logged_in(self) -> None:
        """Ends the deadline for logging in: the client has logged in, or has sent everything that it needs for that."""

    def logged_out(self, seconds: float = 0) -> None:
        """Starts the deadline for logging in again, as for a new connection, or longer: this number of seconds."""

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Calls `ring` after a number of seconds, instead of an earlier alarm. The end of the connection cancels the alarm."""

    def no_alarm(self) -> None:
        """Cancels the alarm, if there is one."""

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None:
        """
        Calls `beat` at regular intervals until the connection ends, with the number of seconds since the client's last byte.
        All connections of a listener share one timer, so all of them must use the same interval.
        """

    def exempt_from_rate(self) -> None:
        """Does not count the last message against the rate limit, because it was an answer that the host has asked for."""

    def move_accepted(self) -> None:
        """
        Counts the last message against the rate limit of moves instead of the limit of messages: it was a move, and was
        accepted. Above the limit of moves, the host pauses reading for a moment.
        """

    def journaled(self, size: int) -> None:
        """
        Counts the bytes that the last message has added to the journal, besides the few bytes of each move. Above the rate of
        the client's address, the host pauses reading for a moment.
        """

    def hang_up(self, reason: str = "") -> None:
        """Ignores all further input, and closes the connection when everything is sent. The reason, if any, goes to the log."""


class Conversation(Protocol[M_contra]):
    """Everything that is said on one connection, from its first message to its last: handles the client's messages."""

    @property
    def at_table(self) -> bool:
        """Whether the client plays a match. Then its messages are handled before those of other clients."""

    def begin(self) -> None:
        """Called first, and once: the connection was made."""

    def hear(self, message: M_contra) -> None:
        """Handles a message of the client."""

    def wire_error(self, error: WireError) -> None:
        """Sends an error: the client's bytes cannot be understood. The peer hangs up right after this."""

    def say_closing(self, reason: str) -> None:
        """Sends the reason for which the host closes this connection. The peer hangs up right after this."""

    def say_shutdown(self, reason: str) -> None:
        """Sends that the host stops. The peer hangs up right after this."""

    def end(self) -> None:
        """Called last, and once: the connection is lost."""


#: The methods of a state in which no message is expected.
_NOTHING: Mapping[type, Callable[..., None]] = {}


class _LastSaid:
    """
    The last event that was sent to players of a wire, and the message for it. A table sends an event to its players in turn,
    and the message is made only once.
    """

    __slots__ = ("event", "message")

    def __init__(self) -> None:
        self.event: Any = None
        self.message: Any = None


class BaseConversation(Generic[M]):
    """
    The shared part of the conversations of all wires: the state, the methods for messages and events, and leaving the lobby.

    Subclasses set `HEARS`, `SAYS` and `TELLS`, and write `unexpected` and `say_closing`.

    :param peer: the client
    :param lobby: the lobby, in which players find opponents
    """

    #: (state, type of a client's message) -> method that handles it. Other messages are passed to `unexpected`.
    HEARS: ClassVar[Mapping[tuple[Enum, type], Callable[..., None]]] = {}
    #: (state, type of message) -> method that returns the claim of this message. Other messages claim nothing.
    CLAIMS: ClassVar[Mapping[tuple[Enum, type], Callable[..., Claim | None]]] = {}
    #: Type of a table's event -> method that makes the message for it. The message is the same for all players of a table on
    #: this wire, so it is made only once.
    SAYS: ClassVar[Mapping[type, Callable[..., Any]]] = {}
    #: Type of a table's event -> method that sends it, for events that are in no other table. Other events are passed to
    #: `tell_other`.
    TELLS: ClassVar[Mapping[type, Callable[..., None]]] = {}

    #: The description of this port for clients of another protocol (see `framing.wrong_port`); empty: there is none.
    SPEAKS: ClassVar[str] = ""
    #: The format of this wire, if it is a result of `framing.other_protocol`.
    WRITTEN_IN: ClassVar[str] = ""

    _last_said: ClassVar[_LastSaid]
    #: `HEARS` by state. The keys are the `id` of the state, because Python code computes the hash of an enum's member each
    #: time.
    _HEARD_IN: ClassVar[Mapping[int, Mapping[type, Callable[..., None]]]] = {}

    log = Logger()

    def __init_subclass__(cls) -> None:
        """Groups the table `HEARS` of a wire by state, and gives the wire its own memory of the last message."""
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
        # Whether a match of this client has ended, and the client has not logged in again.
        self._game_finished = False
        self.set_state(state)

    @property
    def address(self) -> str:
        return self.peer.address

    @property
    def by_hand(self) -> str:
        """The command with which people can play on this host in a terminal; empty: the host has no port for this."""
        return self._directory.by_hand

    @property
    def at_table(self) -> bool:
        """
        Whether the client's messages are handled before those of other clients: during a match, and after it until the
        next log-in.
        """
        return self.handle is not None or self._game_finished

    def set_state(self, state: Enum) -> None:
        self.state = state
        self._heard = self._HEARD_IN.get(id(state), _NOTHING)

    def begin(self) -> None:
        """Sends nothing. Wires on which the server speaks first override this method."""

    def hear(self, message: M) -> None:
        """Calls the method that `HEARS` has for this message in the present state."""
        method = self._heard.get(type(message))
        if method is not None:
            method(self, message)
        # A message of the layer below, such as a ping, is answered in every state.
        elif isinstance(message, Control):
            message.answer(self.peer)
        # Empty lines are ignored.
        elif message is not BLANK:
            self.unexpected(message)

    def claim(self, message: M) -> Claim | None:
        """
        Returns which name or place the client's next message needs, so that the right host of a cluster handles it. The
        table `CLAIMS` decides. Used only on hosts of a cluster.

        `None`: the message needs no special host, or every host would refuse it.
        """
        method = self.CLAIMS.get((self.state, type(message)))
        return None if method is None else method(self, message)

    def adopt(self, session: Session) -> None:
        """Continues for another host of the cluster, which has put the client into a queue. For wires with `Wire.spreads`."""
        raise NotImplementedError

    def parcel(self) -> str | None:
        """
        Returns the state that another host of the cluster needs to continue this conversation, besides the session.
        Empty: the other host needs nothing more. `None`: only this host can continue now. By default this is so at a
        table.

        Wires that must pass on more than a log-in override this method.
        """
        return None if self.session is not None and self.session.table_id is not None else ""

    def unpack(self, parcel: str, session: Session | None) -> None:
        """
        Continues for another host of the cluster. The client has already received the beginning of the conversation.

        :param parcel: the result of `parcel` at the other host
        :param session: the session of a client that is logged in; `None`: the client is not logged in
        """
        if session is not None:
            self.adopt(session)

    def unexpected(self, message: M) -> None:
        """Answers a message that is not accepted in this state."""
        raise NotImplementedError

    def wire_error(self, error: WireError) -> None:
        """Sends the error as the reason for closing. Some wires override this method, because they have a message for it."""
        self.say_closing(self.explained(error))

    def explained(self, error: WireError) -> str:
        """Returns why the bytes cannot be understood. A client of another protocol is informed what this port speaks."""
        if isinstance(error, OtherProtocol) and self.SPEAKS:
            return wrong_port(error.opening, self.SPEAKS, self.WRITTEN_IN) or str(error)
        return str(error)

    def say_closing(self, reason: str) -> None:
        raise NotImplementedError

    def say_shutdown(self, reason: str) -> None:
        """Sends that the host stops. Some wires override this method, because they have a message for it."""
        self.say_closing(reason)

    def logged_in(self, session: Session) -> None:
        """
        Stores the session of a client that the lobby has accepted. Must be called while the log-in is handled.

        A log-in after a finished match does not count against the rate limit, because a client needs it for each new match.
        """
        self.session = session
        self.peer.logged_in()
        if self._game_finished:
            self._game_finished = False
            self.peer.exempt_from_rate()

    def act(self, action: Any, careful: bool = False) -> bool:
        """
        Performs an action at the table. Returns whether the action was accepted.

        Accepted actions have a rate limit of their own. It slows a client down and never refuses an action, because two
        fast bots are not a flood.

        :param careful: see `SeatHandle.act`: whether an action that loses the match at once is refused, too
        """
        assert self.handle is not None
        accepted = self.handle.act(action, careful)
        if accepted:
            self.peer.move_accepted()
        return accepted

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Stores the handle of the player's seat at a table. The table's events follow."""
        self.handle = handle

    def leave_table(self, state: Enum) -> None:
        self.handle = None
        self._game_finished = True
        self.set_state(state)

    def name_of(self, seat: Seat) -> str:
        """Returns the name of the player in a seat of this player's table."""
        assert self.handle is not None
        return self.handle.names[seat]

    def deliver(self, event: Any) -> None:
        """
        Sends an event of the table to the client. If this fails, only this connection is closed.

        An event without a method in the tables is passed to `tell_other`.
        """
        kind = type(event)
        say = self.SAYS.get(kind)
        try:
            if say is None:
                method = self.TELLS.get(kind) or _TOLD_ON_ALL_WIRES.get(kind) or type(self).tell_other
                method(self, event)
                return
            # The message is made once for all players of the table: its first receiver makes it.
            last = self._last_said
            if last.event is not event:
                last.event, last.message = event, say(self, event)
            self.peer.say(last.message)
        # A fault in one wire's code must not disturb the table and its other players.
        except Exception:
            self.log.failure("telling a {event} failed", event=kind.__name__)
            self.peer.hang_up("a fault of the host")

    def tell_other(self, event: Any) -> None:
        """Sends an event that is not in `TELLS`. By default the event is dropped; wires for all games send it as a message."""

    def tell_displaced(self, event: Displaced) -> None:
        """Ends this connection, because a newer connection of the same player has taken the session."""
        # The session belongs to the newer connection now, so `end` must not leave the lobby.
        self.session = self.handle = None
        self.say_closing(DISPLACED)
        self.peer.hang_up(DISPLACED)

    def tell_unmatched(self, event: Unmatched) -> None:
        """Ends the connection, because the player has waited too long for an opponent."""
        self.say_closing(UNMATCHED)
        self.peer.hang_up(UNMATCHED)

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """Ends the connection, because the host begins no more matches."""
        self.say_closing(event.why)
        self.peer.hang_up(event.why)

    def say_notice(self, text: str) -> bool:
        """Sends a notice of the host's owner. Returns whether the wire has a message for notices; by default it has none."""
        return False

    def tell_suspended(self, event: Suspended) -> None:
        """Ends the connection, because a fault of the host has stopped the match."""
        self.say_closing(SUSPENDED)
        self.peer.hang_up(SUSPENDED)

    def end(self) -> None:
        """
        Leaves the lobby; a seat at a table remains reserved. If the connection continues, the client has
        `AFTER_MATCH_SECONDS` to log in again.
        """
        if self.session is not None:
            session, self.session = self.session, None
            self.lobby.leave(session, self)
            self.peer.logged_out(AFTER_MATCH_SECONDS)


class AccountConversation(BaseConversation[M]):
    """
    The shared part of the conversations of wires with passwords. The host checks a password, and the client waits for the
    result.
    """

    _attempt: LoginAttempt | None = None

    def check_password(self, checking: Enum, name: str, password: str, wire: str, strong: bool = False) -> None:
        """
        Checks the password of an account. `password_checked` is called with the result, at once or later.

        :param checking: the state of the conversation during the check
        :param strong: whether a new account must have a strong password. `False`: any password is accepted, because the
            wire's document has no rule for passwords
        """
        self.set_state(checking)
        # From here on the client waits for the host, so the deadline for logging in ends.
        self.peer.logged_in()
        asked = (name, password, wire, self.peer.address, self, self._checked, strong, self.tell_log_in_waits)
        attempt = self.lobby.log_in(*asked)
        # Unless the result has come already, it can be cancelled later.
        if self.state is checking:
            self._attempt = attempt

    def tell_log_in_waits(self, seconds: float) -> None:
        """Informs the client that its password will be checked in about this number of seconds. By default nothing is sent."""

    def _checked(self, outcome: Session | LoginRefused) -> None:
        """Passes the result of a check to `password_checked`. A fault there ends only this connection."""
        self._attempt = None
        try:
            self.password_checked(outcome)
        except Exception:
            self.log.failure("answering a log-in failed")
            self.end_by_fault()

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Handles the result of a check: the session, or the refusal. A fault in this method ends only this connection."""
        raise NotImplementedError

    def end_by_fault(self) -> None:
        self.peer.hang_up("a fault of the host")

    def forget_attempt(self) -> None:
        """Cancels the check of a password, if one is running."""
        if self._attempt is not None:
            self._attempt.cancel()
            self._attempt = None

    def end(self) -> None:
        """Cancels the check of a password, and leaves the lobby. A seat at a table remains reserved."""
        self.forget_attempt()
        super().end()


class GuestConversation(BaseConversation[M]):
    """
    The shared part of the conversations of wires without passwords, made by `gamehost.wires.base.common_wire`.

    A message with the method `log_in` claims the guest's name, its first field. Wires with another log-in set `CLAIMS`.

    :param wire: the wire's name
    :param queue: the queue in which the wire's players wait for opponents
    :param strict: whether the wire follows the document without extensions
    """

    #: The state of a connection at its beginning.
    FIRST: ClassVar[Enum]
    #: The state of a connection that waits for an opponent. A wire with `spreads` needs it, or its own `adopt`.
    WAITING: ClassVar[Enum]

    def __init_subclass__(cls) -> None:
        """Lets each message with the method `log_in` claim the guest's name, unless the wire has its own `CLAIMS`."""
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
        """Continues to wait for an opponent, at this host of the cluster."""
        self.logged_in(session)
        self.set_state(self.WAITING)
        self.lobby.play(session, self._queue)

    def act_or_refuse(self, action: Any, refuse: Callable[[str], object]) -> None:
        """
        Performs an action that was read from a client's move, or refuses the move.

        :param action: the action; a text is the reason why the move could not be read
        :param refuse: called with this reason
        """
        if isinstance(action, str):
            refuse(action)
        else:
            self.act(action)


class BackWithEvents(BaseConversation[M]):
    """
    A conversation of a protocol that repeats earlier events to a player who comes back. `Back` gets these events in `events`.

    They are read from the journal; later events are sent after `Back`. If the journal cannot be read, `Back` has no events. If
    there are more than `gamehost.journal.replay.MANY`, it has the last ones or none.
    """

    #: Events that have come while a `Back` waits for its `events`; `None`: no `Back` waits.
    _behind: list[Any] | None = None
    _withdraw: Callable[[], None] | None = None

    def deliver(self, event: Any) -> None:
        """
        Delivers the events in their order. When this player comes back, the earlier events of the match are read first;
        events that come meanwhile wait.
        """
        if self._behind is not None:
            self._behind.append(event)
        elif isinstance(event, Back) and self.handle is not None and event.seat == self.handle.seat:
            # This player itself is back, not another one of the table.
            self._behind = []
            self._read(event, self.handle)
        else:
            super().deliver(event)

    def _read(self, event: Back[Any], handle: SeatHandle[Any]) -> None:
        """Reads the events of the match for `Back`, and then delivers `Back` and the events that came meanwhile."""

        def told(events: Sequence[Any]) -> None:
            behind, self._behind = self._behind, None
            for one in (replace(event, events=events), *(behind or ())):
                super(BackWithEvents, self).deliver(one)

        def found(answer: Any) -> None:
            # The answer is the name of the game and its history. Without a history, it says why there is none.
            _, history = answer
            told([one for _, one in history.events] if isinstance(history, History) else ())

        async def look() -> Found:
            return Found(await question.read())

        try:
            question = self._directory.own_history(handle.table, handle.n)
        except WatchRefused:
            # The journal cannot be read now: `Back` is sent without events.
            told(())
            return
        # Questions with the same key share one reading of the journal.
        questions, key = self._directory.questions, ("events", question.key)
        self._withdraw = questions.tell(self.address, key, look, found, lambda refusal: told(()))

    def end(self) -> None:
        if self._withdraw is not None:
            self._withdraw()
        super().end()


#: Type of event -> the method that sends it, unless the wire has another one in its `TELLS`.
_TOLD_ON_ALL_WIRES: Mapping[type, Callable[..., None]] = {
    Displaced: BaseConversation.tell_displaced,
    Unmatched: BaseConversation.tell_unmatched,
    NoNewMatches: BaseConversation.tell_no_new_matches,
    Suspended: BaseConversation.tell_suspended,
}


def claim_of_table(table: TableId, opened: bool = True) -> Claim:
    """
    Returns the claim of a client that must continue at the host of this table.

    :param opened: whether the table must exist already
    """
    return Claim(place=place_of(table), opened=opened)


def claim_of_guest(text: str, queue: Queue | None = None, strict: bool = False, typed: bool = False) -> Claim | None:
    """
    Returns the claim of a guest's log-in; `None`: the name is not valid. The arguments are those of `Lobby.enter`.

    :param text: the name, or `NAME:KEY`
    :param queue: the queue in which the player will wait for an opponent; `None`: no queue
    :param strict: whether the wire has no keys, so that the whole text is the name
    """
    try:
        name, _ = (text, "") if strict else split_key(text)
    except NameRefused:
        return None
    return claim_of_account(name, queue)


def claim_of_account(name: str, queue: Queue | None = None, typed: bool = False) -> Claim | None:
    """Returns the claim of a log-in without a guest's key; `None`: the name is not valid. `typed` is as in `Lobby.enter`."""
    try:
        checked = typed_name(name) if typed else checked_name(name)
    except NameRefused:
        return None
    return Claim(checked.text, queue, key=checked.key)


#: The version of the interface between the host and its wires. A host can refuse a wire with a version that is too new or too
#: old for it.
API = 1


class Codec(Protocol[M]):
    """Turns bytes into messages, and messages into bytes. Each connection has its own codec."""

    @property
    def unfinished(self) -> bool:
        """
        Whether the last message is incomplete so far.

        If it is complete, and all messages were taken, a new codec can read the bytes that follow. See `Wire.spreads`.
        """

    def feed(self, data: bytes) -> Iterator[M]:
        """
        Returns the messages that are complete now. The caller must exhaust the iterator before it feeds more bytes.

        :raises WireError: (from the iterator) the bytes after this point must be ignored, and no more bytes may be fed
        """

    def encode(self, message: M) -> bytes:
        """Returns the bytes of a message."""


class ReadsWhole(Protocol[M_co]):
    """A codec with a fast method for a segment that is exactly one message, as nearly all segments are."""

    def whole(self, data: bytes) -> M_co | None:
        """
        Returns the message, if the bytes are exactly one. `None`: they are not, or earlier bytes wait; the caller must `feed`
        them.

        :raises WireError: as `Codec.feed`
        """


@runtime_checkable
class Numbered(Protocol):
    """A codec that numbers the messages that it writes."""

    #: The number of the next message. At another host of a cluster, the new codec continues with the old one's number.
    sequence: int


@runtime_checkable
class Ending(Protocol[M_co]):
    """A codec of a protocol that needs a last message at the end of a connection."""

    def ending(self, stopping: bool) -> M_co | None:
        """
        Returns the last message of the connection, such as the close frame of WebSocket; `None`: the connection ends
        without one.

        :param stopping: whether the connection ends because the host stops
        """


class WireConfig(Protocol[M]):
    """A wire with its settings, for one port. Makes the codec and the conversation of each connection."""

    def new_codec(self) -> Codec[M]: ...

    def new_conversation(self, peer: Peer[M], lobby: "Lobby") -> Conversation[M]: ...


@frozen
class CommonWireConfig(Generic[M]):
    """The configuration of a wire that has no settings except `COMMON_OPTIONS`."""

    #: The wire's name.
    wire: str
    new_codec: Callable[[], Codec[M]]
    conversation: Callable[[Peer[M], "Lobby", str, Queue, bool], Conversation[M]]
    strict: bool
    queue: Queue

    def new_conversation(self, peer: Peer[M], lobby: "Lobby") -> Conversation[M]:
        return self.conversation(peer, lobby, self.wire, self.queue, self.strict)


class SeatKey(Enum):
    """The proof that a player must give to take a seat back after a lost connection."""

    NAME = "the name"
    PASSWORD = "the name and a password, without which nobody logs in"
    #: Only the running program has the token. After the program has ended, its player cannot come back.
    TOKEN = "a token, which the host has given to the program"


@frozen
class Wire(Generic[M]):
    """A wire format, as a plug-in declares it to the host."""

    #: Lower case, for options and the journal: `onitama`.
    name: str
    #: A few words for the help text.
    title: str
    #: A Twisted endpoint string. The host's own wires listen there by default; wires of plug-ins listen only at the endpoint in
    #: an option.
    endpoint: str
    #: The games that can be played on it.
    games: Sequence[Game[Any, Any]]
    #: Reads the wire's own settings. Raises `BadOption`.
    configure: Callable[[Settings], WireConfig[M]]
    #: Every setting of the wire by name, with its unit and default in words.
    options: Mapping[str, str]
    #: Settings that also exist as an option without a value: `--NAME` sets `yes`.
    flags: Sequence[str] = ()
    #: Settings that also exist as an option with a value: `--NAME=TEXT`.
    values: Sequence[str] = ()
    #: The version of the plug-in interface that the wire was written for; see `API`.
    api: int = 1
    #: Whether the host refuses to start if a port of this wire is in use. Otherwise it starts without this port.
    must_listen: bool = True
    #: Whether people type on this wire: they have a minute to log in and to finish a line.
    for_people: bool = False
    #: The least seconds for logging in: more than the host's limit if clients connect before a person types a name.
    login_seconds: float = 0.0
    #: The most bytes that the host writes at once, because clients of this wire can read no more at once; 0: any number. No
    #: message may be longer.
    write_bytes: int = 0
    #: Whether players of this wire may be at any host of a cluster. Players of all other wires are at the same host.
    spreads: bool = False
    #: Whether clients may also use WebSocket on the same port. Each text is then a line without its end, so the codec must read
    #: lines that end in `\\n`, such as a `LineCodec`. The client must speak first.
    websocket: bool = False
    #: Whether a player that was away at the end of a match receives it after the next log-in (`seated`, `Back`, `Over`).
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
    Returns the values of `COMMON_OPTIONS`: whether the wire is strict, and the queue of its players.

    :param required: settings of the game that the wire's clients need to be able to play
    :raises BadOption: the value of a setting is not valid
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
    Makes a wire that has no settings except `COMMON_OPTIONS`. The first four arguments are as in `Wire`.

    :param new_codec: makes the codec of one connection
    :param conversation: makes a conversation from a peer, the lobby, the wire's name, its queue, and whether it is strict
    :param strict_codec: makes the codec in strict mode, if strict mode needs another codec
    :param required: settings of the game that the wire's clients need to be able to play
    :param more: other fields of `Wire`
    """

    def configure(settings: Settings) -> WireConfig[M]:
        """Reads the settings of one port. Strict mode may have a codec of its own."""
        refuse_unknown(settings, COMMON_OPTIONS)
        strict, queue = common_settings(settings, name, game, required)
        codec = strict_codec if strict and strict_codec is not None else new_codec
        return CommonWireConfig(name, codec, conversation, strict, queue)

    return Wire(name, title, endpoint, games=(game,), configure=configure, options=COMMON_OPTIONS, **more)
