"""
A client of the open wire without input and output. It gets bytes and times, and returns messages and bytes to send.

The owner of the connection calls::

    core.connection_made(now)            when the connection is made
    core.received(data, now)             when bytes have come; returns the messages in them
    core.connection_lost(why)            when the connection is lost; returns a `Lost`: whether and when to connect again
    core.tick(now)                       at the time `core.due`
    core.take_output()                   after each of these, and after `say` and `act`: returns the bytes to send
    core.fault                           if this is set: close the connection, which cannot be used any more

`say` sends a message of `gamehost.wires.open.messages` to the host; `act` sends an action. The clients for asyncio and
for Twisted are subclasses with a connection.

The core logs in on each new connection. A guest sends the key from its last log-in, and so gets its seat back. Requests
that last are sent again: for the list of tables, for watched tables, and for a match that has not begun yet.

Events and views are structs of the game: `gamehost.games.<game>.messages`. The core updates a view with each event, so
that it equals the host's current view for this seat. A view does not know the rules: positions in `gamehost.games` know
which moves are legal. Events do not contain everything: in Eriantys, `turn` and `statuses` remain as in the last view
from the host.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from secrets import SystemRandom
from typing import Any, Literal, TypeAlias, get_args

from attrs import define, field, frozen
from msgspec import UNSET, UnsetType, ValidationError, convert
from msgspec.structs import replace

from gamehost.games.base import Game, Seat
from gamehost.games.installed import installed
from gamehost.games.messages import Messages
from gamehost.games.paper_soccer.rules import Foul
from gamehost.games.play import heard_back, messages_of
from gamehost.wires.framing import WireError
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import OpenClientCodec

# What a client knows of the tables where it plays or watches.


#: The installed games that have messages, so that their events and views can be read.
GAMES: Mapping[str, Game[Any, Any]] = {
    name: game for name, game in installed().games.items() if messages_of(game) is not None
}
#: The messages of these games.
MESSAGES: Mapping[str, Messages] = {
    name: messages for name, game in GAMES.items() if (messages := messages_of(game)) is not None
}

#: The name of the game, by the class of an event.
_GAME_OF: Mapping[type, str] = {
    kind: name for name, messages in MESSAGES.items() for kind in get_args(messages.event_type)
}


def read(game: str, value: Any, part: Literal["event", "view", "action"]) -> Any:
    """
    Convert an event, a view, or an action in parts to a struct of the game.

    :param value: the value that was read from JSON
    :return: the struct; the unchanged value if the game or the value is not known here, for instance because the host
        is newer
    """
    messages = MESSAGES.get(game)
    try:
        return value if messages is None else convert(value, getattr(messages, f"{part}_type"))
    except ValidationError:
        return value


#: The exceptions that a game may raise when a well-formed message contains an impossible card, square or move.
IMPOSSIBLE = (LookupError, ValueError, TypeError, AttributeError, Foul)


def understood(game: str, event: Any) -> Any:
    """
    Convert the struct of an event to the event of the game master.

    :param event: the result of `read`
    :return: the event; `None`: the event is not known here, or no player needs it
    :raises WireError: the event is impossible
    """
    try:
        return MESSAGES[game].read_event(event)
    except IMPOSSIBLE:
        raise WireError(f"an event of {game} that cannot be") from None


def caught_up(game: str, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
    """
    The events to give to a player that comes back to a match, by `gamehost.games.play.heard_back`.

    :param view: the current view of the seat, from `read`
    :param before: the earlier events, from `read`
    :raises WireError: the view or an event is not of this game, or is impossible
    """
    if not isinstance(view, MESSAGES[game].view_type):
        raise WireError(f"a view that is none of {game}")
    try:
        return heard_back(GAMES[game], view, before, seat)
    except IMPOSSIBLE:
        raise WireError(f"a view or a history of {game} that cannot be") from None


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """
    Update a view with an event.

    :param view: the view before the event; `None`: not known yet
    :param event: the result of `read`
    :param seat: the seat with this view; `None`: a watcher's view
    :return: the view after the event; the unchanged view if the event changes nothing, or if the game is not known
        here, or if the event does not fit the view; `None`: the view is not known after this event
    """
    name = _GAME_OF.get(type(event))
    # The event is not a struct, because the game or the event is not known here.
    if name is None:
        return view
    messages, eye = MESSAGES[name], None if seat is None else Seat(seat)
    try:
        # `None`: the view is not known, or is one that only a newer host understands.
        before = messages.read_view(view, eye) if isinstance(view, messages.view_type) else None
        after = GAMES[name].follow(before, messages.read_event(event), eye)
        # The game returns the same object if the event changes nothing.
        return view if after is before else messages.view(after)
    except IMPOSSIBLE:
        # The event does not fit the view, for example because of another version of the game at the host. The caller
        # continues with what it knows.
        return view


@define(eq=False)
class Table:
    """What the client knows of a table, after the last message about it."""

    number: int
    #: The game's name.
    game: str
    #: The client's seat; `None`: the client watches.
    seat: int | None
    #: For each seat: the player's name, and the wire on which the player plays.
    names: list[str]
    wires: list[str]
    #: The number of the last entry of the journal with a message that has come.
    n: int
    #: The current view of the client's seat, or of a watcher, as a struct of the game. `None`: not known yet.
    view: Any = None
    #: The seats with players that are not connected.
    away: set[int] = field(factory=set)
    #: The end of the match; `None`: it has not ended.
    over: m.Over | None = None
    #: For each seat: how many milliseconds were left when the last view or event came; `None`: the match has no clocks.
    clocks: list[int] | None = None


class Tables:
    """All tables of a client. A table with an ended match is stored until the next table comes."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        #: The table at which the client has a seat, until the match is over.
        self.own: Table | None = None

    def get(self, number: int) -> Table | None:
        """The table with this number, if the client plays or watches there."""
        return self._tables.get(number)

    def forget(self, number: int) -> None:
        """Drop a table, because the client has stopped watching it. The table with the client's seat is not dropped."""
        if self.own is None or self.own.number != number:
            self._tables.pop(number, None)

    def entered(self, number: int | UnsetType) -> None:
        """
        Note at which table the client has a seat after a new log-in. If it had a seat at another table before, that
        table is dropped.

        :param number: the table; `UNSET`: the client has no seat now
        """
        if self.own is not None and self.own.number != number:
            self._tables.pop(self.own.number, None)
            self.own = None

    def hear(self, message: m.ServerMessage) -> m.ServerMessage:
        """
        Update the table of a message.

        :return: the message, with its event or view as a struct of the game
        :raises WireError: the message names a seat that the table does not have
        """
        # A new table: one with a seat for the client, or one to watch.
        match message:
            case m.Seated(number, game, seat, names, wires, n):
                _check_seats(message, len(names))
                self.own = self._begin(Table(number, game, seat, names, wires, n, clocks=_clocks(message)))
                return message
            case m.Shown():
                _check_seats(message, len(message.names))
                view = read(message.game, message.view, "view")
                names, wires, away = message.names, message.wires, set(message.away)
                # The table of the client's own seat is not replaced by that of a watcher.
                if self.own is None or self.own.number != message.table:
                    shown = Table(
                        message.table, message.game, None, names=names, wires=wires, n=message.n, view=view, away=away
                    )
                    shown.clocks = _clocks(message)
                    self._begin(shown)
                return replace(message, view=view)
        # Any other message may be about a known table.
        # -1 is the number of no table: the message is not about a table.
        table = self._tables.get(getattr(message, "table", -1))
        if table is None:
            return message
        _check_seats(message, len(table.names))
        return self._follow(table, message)

    def _begin(self, table: Table) -> Table:
        """Add a table, and drop the tables with ended matches."""
        # A list, because the dictionary changes in the loop.
        for number in [number for number, known in self._tables.items() if known.over is not None]:
            del self._tables[number]
        self._tables[table.number] = table
        return table

    def _follow(self, table: Table, message: m.ServerMessage) -> m.ServerMessage:
        """Update a table with a message about it. Returns the message with structs of the game."""
        match message:
            case m.Event(_, n, event):
                event = read(table.game, event, "event")
                table.n = n
                table.view = followed(table.view, event, table.seat)
                table.clocks = _clocks(message)
                return replace(message, event=event)
            case m.History(_, n, events):
                told = [m.Numbered(one.n, read(table.game, one.event, "event")) for one in events]
                return replace(message, events=told)
            case m.Moves(_, _, moves):
                shown = [replace(one, parts=read(table.game, one.parts, "action")) for one in moves]
                view = UNSET if message.view is UNSET else read(table.game, message.view, "view")
                return replace(message, moves=shown, view=view)
            case m.Away(_, n, seat) | m.Left(_, n, seat):
                table.n = n
                table.away.add(seat)
            case m.Replaced(_, n, seat, name):
                table.n = n
                table.names[seat] = name
            case m.Back(_, n, seat, view):
                table.n = n
                table.away.discard(seat)
                # Only the player that is back receives the view.
                if view is not UNSET:
                    table.view = read(table.game, view, "view")
                    return replace(message, view=table.view)
            case m.Over(_, n):
                table.n = n
                table.over = message
                self._end(table)
            case m.Suspended():
                self._tables.pop(table.number)
                self._end(table)
        return message

    def _end(self, table: Table) -> None:
        if table is self.own:
            self.own = None


def _check_seats(message: m.ServerMessage, seats: int) -> None:
    """
    Check the seats that a message names.

    :raises WireError: the table does not have a seat
    """
    seat = getattr(message, "seat", None)
    # Messages have their seats in one of these three fields, or in none.
    named = (*(() if seat is None else (seat,)), *getattr(message, "winners", ()), *getattr(message, "away", ()))
    if any(not 0 <= one < seats for one in named):
        name = type(message).__struct_config__.tag
        raise WireError(f"{name} names a seat that the table does not have; expected 0 to {seats - 1}")


def _clocks(message: m.Seated | m.Shown | m.Event) -> list[int] | None:
    return None if message.clocks is UNSET else message.clocks


# The client.


#: After how many seconds the client first tries to connect again. Each further pause is twice as long, up to
#: `LONGEST_PAUSE`.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
#: Each pause is multiplied by a random number between these two, so that many clients do not come back at the same
#: time.
SPREAD = (0.7, 1.3)
#: After how many seconds without a byte from the host the core sends a ping.
PING_AFTER = 10.0
#: If no byte comes within this many seconds after a ping, the client closes the connection.
PONG_WITHIN = 5.0
#: How long a line of the host may be, in bytes: before a match, and in a match, where a list of 1,000 moves may come.
#: If the client has asked for another list, such as the list of tables, lines may be longer.
LONGEST_LINE, LONGEST_MOVES = 65_536, 1_048_576
#: Within how many seconds the host must answer a log-in.
LOG_IN_WITHIN = 30.0


class ClientError(Exception):
    """A message cannot be sent now."""


class NotConnected(ClientError):
    """There is no connection, or the log-in is not answered yet."""


class NotSeated(ClientError):
    """The client has no seat in a match."""


@frozen
class Lost:
    """The connection is lost, or could not be made."""

    #: For people.
    why: str
    #: In how many seconds the client connects again; `None`: it does not.
    again: float | None


#: Everything that a client reports: messages of the host, and the loss of the connection.
Heard: TypeAlias = m.ServerMessage | Lost


class _State(Enum):
    OFFLINE = "offline"
    #: The log-in is not answered yet.
    ENTERING = "entering"
    #: Logged in, or connected without a log-in.
    READY = "ready"
    #: The host refused the log-in.
    REFUSED = "refused"


#: Messages that the host never answers with a list.
_WITHOUT_LISTS = (m.Enter, m.LogIn, m.Seek, m.Stop, m.Act, m.AskMoves, m.Claim, m.Ping, m.Leave)


class ClientCore:
    """
    A client of the open wire, with what it knows of its tables.

    :param login: `Enter` for a guest, `LogIn` for an account; `None`: to watch only
    :param chance: gives numbers from 0 to 1, to spread the attempts to connect; by default random ones
    """

    def __init__(self, login: m.Enter | m.LogIn | None, chance: Callable[[], float] | None = None) -> None:
        #: The first message on the next connection. After the host has given a key, the message contains the key. A
        #: program that stores this message can take its seat back later.
        self.login = login
        #: The tables that the client plays or watches.
        self.tables = Tables()
        #: Why the connection must be closed; `None`: it can be used.
        self.fault: str | None = None
        #: The time at which `tick` must be called; `None`: no such time.
        self.due: float | None = None
        self._chance = chance or SystemRandom().random
        self._state = _State.OFFLINE
        self._codec = OpenClientCodec()
        self._output = bytearray()
        self._pinged = False
        self._failures = 0
        self._last_id = 0
        self._bye: m.Bye | None = None
        #: Requests that last over connections, in this field and the fields `_mine`, `_watched` and `_seek`.
        self._lobby = False
        self._mine = False
        #: Whether the host may answer with a list.
        self._listens = False
        self._watched: dict[int, m.Watch] = {}
        self._seek: m.Seek | None = None
        #: The table to which the client returns, from `Entered` until the host sends `Back` with its view.
        self._returns: int | UnsetType = UNSET

    @property
    def ready(self) -> bool:
        """
        Whether the client is logged in, and has its seat again if it had one. For a client without a log-in: whether it
        is connected.
        """
        return self._state is _State.READY and self._returns is UNSET

    @property
    def own(self) -> Table | None:
        """
        The table where the client has a seat, until the match is over; otherwise `None`. It may already be `None` while
        the caller handles a message from before the end, so use `tables.get(message.table)` for the table of a message.
        """
        return self.tables.own

    @property
    def seeking(self) -> bool:
        """Whether the client has asked for opponents and has no seat yet."""
        return self._seek is not None

    # -- the connection

    def connection_made(self, now: float) -> None:
        """
        Begin with a new connection. To be called when the connection is made.

        :param now: the time in seconds of any clock
        """
        self._codec = OpenClientCodec()
        self._output.clear()
        self._bye = self.fault = None
        self._returns = UNSET
        if self.login is None:
            self._state = _State.READY
            self._ask_again()
        else:
            self._state = _State.ENTERING
            self._put(self.login)
        self.waited(now)

    def connection_lost(self, why: str) -> Lost:
        """Note that the connection is lost, or could not be made. Returns when to connect again."""
        # The host has refused the log-in, so another connection would be refused, too.
        refused = self._state is _State.REFUSED
        # `bye`: the last message of a host that has closed the connection itself.
        bye, why = self._bye, self.fault or why
        self._state = _State.OFFLINE
        self._output.clear()
        self.fault = self.due = None
        if bye is not None:
            why = bye.why
        if refused or (bye is not None and bye.again is UNSET):
            return Lost(why, None)
        # The number of failures is limited only so that the power does not grow without end.
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._failures, 10))
        self._failures += 1
        # The host says after how many seconds it accepts the client again.
        if bye is not None and bye.again is not UNSET:
            pause = max(pause, bye.again)
        least, most = SPREAD
        return Lost(why, pause * (least + (most - least) * self._chance()))

    def received(self, data: bytes, now: float) -> list[m.ServerMessage]:
        """
        Take bytes from the host, and return the messages that they complete. The client's state is the state after all
        these messages.
        """
        heard: list[m.ServerMessage] = []
        if self.fault is not None:
            return heard
        self._codec.allow(self._longest_line)
        try:
            for message in self._codec.feed(data):
                assert isinstance(message, m.ServerMessage)
                # The answer to a ping of `tick` is not for the caller. A ping of the caller has an id.
                if not (isinstance(message, m.Pong) and message.id is UNSET):
                    heard.append(self._hear(message))
        except WireError as error:
            self.fault = f"what came is not the open wire: {error}"
        self.waited(now)
        return heard

    @property
    def _longest_line(self) -> int:
        """How long a line of the host may be now, in bytes."""
        if self._listens:
            return OpenClientCodec.LIMIT
        return LONGEST_LINE if self.own is None else LONGEST_MOVES

    def tick(self, now: float) -> None:
        """To be called at the time `due`: send a ping to a silent host, or give the connection up."""
        if self.due is None or now < self.due:
            return
        # The log-in was not answered in time, or the ping was not.
        if self._state is _State.ENTERING or self._pinged:
            self.fault = "the host does not answer"
            self.due = None
        else:
            self._put(m.Ping())
            self._pinged = True
            self.due = now + PONG_WITHIN

    def waited(self, now: float) -> None:
        """
        Begin to measure the silence of the host from now on, for instance after a time in which the client did not
        read.
        """
        self._pinged = False
        self.due = now + (LOG_IN_WITHIN if self._state is _State.ENTERING else PING_AFTER)

    def take_output(self) -> bytes:
        """Return the bytes to send now. Each byte is returned once."""
        output = bytes(self._output)
        self._output.clear()
        return output

    # -- to the host

    def say(self, message: m.ClientMessage) -> None:
        """
        Send a message to the host. `Lobby`, `AskMine`, `Watch` and `Seek` last over connections, and can be sent at any
        time.

        :raises NotConnected: another message needs a connection and a log-in
        :raises WireError: the host would not accept the message
        """
        # Only to raise `WireError` before anything changes. The result is not used.
        OpenClientCodec().encode(message)
        # A message that is not in `_WITHOUT_LISTS` may be answered with a long list, so lines may be longer.
        self._listens = self._listens or not isinstance(message, _WITHOUT_LISTS)
        # Store the requests that last: they are sent again on the next connection.
        match message:
            case m.Enter() | m.LogIn():
                self.login = message
                # Without a connection, it is sent on the next one.
                if self._state is not _State.OFFLINE:
                    self._state = _State.ENTERING
                    self._put(message)
                    self._flush()
                return
            case m.Lobby(on):
                self._lobby = on
            case m.AskMine(on):
                self._mine = on
            case m.Watch(table, on):
                if on:
                    self._watched[table] = message
                else:
                    self._watched.pop(table, None)
                    self.tables.forget(table)
            case m.Seek():
                self._seek = message
            case m.Stop():
                self._seek = None
        # Send the message now if possible. Requests that last can wait for the next connection.
        if self._state is _State.READY:
            self._put(message)
            self._flush()
        elif not isinstance(message, m.Lobby | m.AskMine | m.Watch | m.Seek | m.Stop):
            raise NotConnected("there is no connection, or the log-in is not answered yet")

    def act(self, action: str) -> int:
        """
        Act in the client's match.

        :param action: in the game's own notation, such as `tiger c1 c3`
        :return: the id of the message. If the host refuses the action, its `Refused` has the same id
        :raises NotSeated: there is no match
        :raises NotConnected: the connection is lost
        """
        if self.own is None:
            raise NotSeated("there is no match to act in")
        self._last_id += 1
        self.say(m.Act(self.own.number, action, self._last_id))
        return self._last_id

    def moves(self, begun: str = "") -> int:
        """
        Ask which actions the client's seat may take now. The host answers with `Moves` or `Refused`.

        :param begun: the beginning of an action, in games in which actions are chosen step by step
        :return: the id that the answer has
        :raises NotSeated: there is no match
        :raises NotConnected: the connection is lost
        """
        if self.own is None:
            raise NotSeated("there is no match to ask about")
        self._last_id += 1
        self.say(m.AskMoves(self.own.number, begun or UNSET, self._last_id))
        return self._last_id

    def _flush(self) -> None:
        """Send the output. Overridden by subclasses that have a connection."""

    def _put(self, message: m.ClientMessage) -> None:
        self._output += self._codec.encode(message)

    def _ask_again(self) -> None:
        """Send the requests that last again, on a new connection."""
        if self._lobby:
            self._put(m.Lobby())
        if self._mine:
            self._put(m.AskMine())
        for watch in self._watched.values():
            self._put(watch)
        if self._seek is not None:
            self._put(self._seek)

    # -- from the host

    def _hear(self, message: m.ServerMessage) -> m.ServerMessage:
        """Handle a message of the host, and update the requests that last."""
        match message:
            case m.Entered():
                self._entered(message)
            # Before the log-in is accepted, `sorry` is its refusal.
            case m.Sorry() if self._state is _State.ENTERING:
                self._refused()
            case m.Seated():
                self._seek = None
            case m.Stopped():
                self._seek = None
            case m.Over(table) | m.Suspended(table):
                self._watched.pop(table, None)
                # The match that the client wanted to return to has ended.
                if table == self._returns:
                    self._returns = UNSET
            case m.Back(table, view=view) if table == self._returns and view is not UNSET:
                self._returns = UNSET
            case m.Bye():
                self._bye = message
        # A client without a log-in has reached the host with its first message. Others do so by `_entered`.
        if self.login is None:
            self._failures = 0
        return self.tables.hear(message)

    def _entered(self, message: m.Entered) -> None:
        """Handle an accepted log-in: store the new key, and send the requests that last."""
        self._state = _State.READY
        self._returns = message.table
        self._failures = 0
        if message.key is not UNSET:
            # The next log-in shows the client as an agent again, if this one did.
            before = self.login.agent if isinstance(self.login, m.Enter) else UNSET
            self.login = m.Enter(message.name, message.key, before)
        self.tables.entered(message.table)
        if message.table is not UNSET:
            self._seek = None  # the match has begun while the connection was lost
        self._ask_again()

    def _refused(self) -> None:
        """Called when the host has refused the log-in. A guest with a key tries again without the key."""
        if isinstance(self.login, m.Enter) and self.login.key is not UNSET:
            self.login = replace(self.login, key=UNSET)
            self._put(self.login)
        else:
            self._state = _State.REFUSED
