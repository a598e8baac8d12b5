"""
The private host of a contest. It runs in memory for the whole contest, and each game is a match on it.

An entrant may play several games at once, but on a host a name has only one seat at a time. So the private host consists of
rooms. Each room has a lobby and a port of its own, and one game at a time. There are as many rooms as games are played at
once. A room is used again when its game is over and all connections to it are closed.
"""

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Protocol

from attrs import define, field
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.protocol import Factory

from gamehost.accounts.login import LoginAttempt, LoginRefused
from gamehost.accounts.names import Name, NameFault, NameRefused, key_of
from gamehost.extras.contest.isolation import Door
from gamehost.extras.contest.owners import Owners
from gamehost.extras.contest.plan import Plan
from gamehost.extras.contest.traffic import MOST_CONNECTIONS, HeardBytes
from gamehost.games.base import Game, Seat
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId, TableRecord
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.opened import BRIEF, Terms
from gamehost.lobby.queues import TooManyTables, same_code
from gamehost.lobby.sessions import Queue, Session
from gamehost.lobby.sleeping import SleepingIndex
from gamehost.net.private_lobby import private_lobby
from gamehost.players.base import SeededChance
from gamehost.settings import Settings, settings_of
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import OpenTable, Player
from gamehost.wires.base import Wire

#: The limits that differ from those of an ordinary host: programs may log in again at once. All other limits remain, because
#: they stop floods.
LIMITS = {"keyless_resume_seconds": "0"}
#: How many seconds a program has to come back after its connection was lost.
RETURNS = 5.0
#: The refusal for a program that connects to a room without a game.
OVER = "this game is over"


class RoomGame(Protocol):
    """A game of a contest, as the private host on which it is played (its room) calls it."""

    #: The names of the players and their passwords, in the order of the seats.
    names: Sequence[str]
    passwords: Sequence[str]

    def waits(self, name: str) -> None:
        """Called when a player has asked for a seat and waits for the others."""

    def over(self) -> None:
        """Called when the match has ended, or has reached the most moves of the plan."""

    def failed(self) -> None:
        """Called when the host has stopped the match because of a fault."""

    def comes(self, peer: Any) -> int | None:
        """
        Called when a connection is made. Returns the seat of the program that has made it; `None`: the program has its seat
        already, or is not known.

        :param peer: the address of the program's end of the connection
        """

    def claim(self, name: str, transport: Any) -> str | None:
        """
        Called when a connection asks for the seat of a player.

        :param transport: the transport of the connection; `None`: the connection has shown a key that only the player has
        :returns: the reason why it does not get the seat; `None`: it gets the seat
        """


@define(eq=False)
class FirstMatch:
    """
    Records the first match in a room after a game of the contest has begun there. Later matches do not count: on some wires
    the programs begin another match at once.

    :param over: called when the match is over
    :param most_moves: the match is also over after so many moves; 0: the number of moves is not limited
    """

    _over: Callable[[], None]
    _most_moves: int
    table: TableId | None = None
    _opening: TableHeader | None = None
    _entries: list[Entry] = field(factory=list)
    _moves: int = 0

    def open(self, table: TableId, opening: TableHeader) -> None:
        """Takes the table as the game's table, if it is the first one."""
        if self.table is None:
            self.table, self._opening = table, opening

    def append(self, table: TableId, entry: Entry) -> None:
        """Records an entry of the game's table, and reports the end of the match. Other tables are ignored."""
        # A program may play other matches on this host. They do not count.
        if table != self.table:
            return
        self._entries.append(entry)
        self._moves += entry.kind is EntryKind.ACTED
        # 0: the number of moves is not limited.
        if entry.outcome or 0 < self._most_moves <= self._moves:
            self._over()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        if self.table is None or self._opening is None or not self._entries:
            return None
        return TableRecord(self.table, self._opening, tuple(self._entries))


class RoomJournal(MemoryJournal):
    """The journal of a room. It stores matches in memory, and passes the entries to the record of the room's game."""

    #: The record of the game that is being played; `None`: no game is played.
    first: FirstMatch | None = None

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        if self.first is not None:
            self.first.open(table, opening)
        super().open(table, opening, durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        super().append(table, entry, durable)
        if self.first is not None:
            self.first.append(table, entry)


@define(eq=False)
class ContestLobby(Lobby):
    """
    The lobby of a room: only the players of the room's game can log in, and each gets the seat that the plan of the contest
    gives it.
    """

    #: The name of the kind of game that the contest plays.
    game: str = field(kw_only=True)
    #: The contest's game that is being played in the room; `None`: none is.
    now: RoomGame | None = None
    #: The conversation with a message that is being handled at this moment.
    speaker: "RoomConversation | None" = None
    #: The recorded bytes of the connections of this game.
    heard: list[HeardBytes] = field(factory=list)

    def _refusal(self, name: Name) -> NameRefused | None:
        """Refuses all names while no game is played in the room."""
        if self.now is None:
            return NameRefused(NameFault.BUSY, OVER)
        return super()._refusal(name)

    def _claimed(self, name: str) -> str | None:
        """
        Returns the reason why the speaking connection cannot log in under a name; `None`: it can, and its recorded bytes get
        this name.
        """
        speaker = self.speaker
        # `speaker` is the conversation that has sent the message that is being handled; `None`: the call does not come
        # from a connection.
        why = OVER if self.now is None else self.now.claim(name, None if speaker is None else speaker.transport)
        if why is None and speaker is not None and speaker.heard is not None:
            speaker.heard.name = name
        return why

    def listen(self, connection: Any) -> HeardBytes | None:
        """
        Starts to record the bytes of a connection that has no transport yet.

        :returns: `None`: it is not recorded, because no game is played or the game has had too many connections
        """
        if self.now is None or len(self.heard) >= MOST_CONNECTIONS:
            return None
        heard = HeardBytes(self.context.clock.seconds)
        heard.listen(connection)
        self.heard.append(heard)
        return heard

    def enter(
        self,
        name: str | Name,
        wire: str,
        address: str,
        player: Player[Any, Any],
        *more: Any,
        **named: Any,
    ) -> Session:
        """
        Lets a guest log in, if its connection may have the seat of this name in the game.

        :raises NameRefused: it may not
        """
        # A guest's name may have a key behind a colon.
        asked = name.partition(":")[0] if isinstance(name, str) else name.text
        if (why := self._claimed(asked)) is not None:
            raise NameRefused(NameFault.INVALID, why)
        return super().enter(name, wire, address, player, *more, **named)

    def log_in(
        self,
        name: str,
        password: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
        *more: Any,
        **named: Any,
    ) -> LoginAttempt | None:
        """
        Logs in to an account, if the connection may have the seat of this name in the game, and the password is that of
        the game. Otherwise `answer` is called at once with the refusal.

        :returns: the attempt, which can be cancelled; `None`: the log-in was refused at once
        """
        why = self._claimed(name)
        if why is None and self.now is not None and not same_code(self.now.passwords[self._seat_of(name)], password):
            why = "this is not the password of this player in this game"
        if why is not None:
            answer(LoginRefused(why))
            return None
        return super().log_in(name, password, wire, address, player, answer, *more, **named)

    def log_in_by_key(
        self,
        name: str,
        key: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        answer: Callable[[Session | LoginRefused], None],
    ) -> LoginAttempt | None:
        """
        Logs in by an account's key, if the connection may have the seat of this name in the game.

        :returns: `None`: the log-in was refused at once
        """
        if (why := self._claimed(name)) is not None:
            answer(LoginRefused(why))
            return None
        return super().log_in_by_key(name, key, wire, address, player, answer)

    #: The source of chance for tokens and the like. They must be secret, so the contest's seed is not used for them.
    below = staticmethod(secrets.randbelow)  # type: ignore[assignment]

    def _seat_of(self, name: str) -> int:
        return 0 if self.now is None else [*self.now.names].index(name)

    def _waits(self, session: Session) -> None:
        """Reports to the game that a player waits, so that the game starts the next program."""
        if self.now is not None:
            self.now.waits(session.name)

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        """See `Lobby.play`. The player always gets the seat of the plan, whatever seat it asks for."""
        wish = self._planned(session, wish)
        session.second = wish == 1
        seated = super().play(session, queue, wish)
        # Otherwise it was seated at once, because the other players waited.
        if session in self.queues.waiting.get(queue.key, ()):
            self._waits(session)
        return seated

    def open_table(
        self,
        session: Session,
        queue: Queue,
        seats: int,
        settings: Mapping[str, str],
        wish: Seat | None = None,
        terms: Terms = BRIEF,
    ) -> OpenTable:
        """
        See `Lobby.open_table`. The player always gets the seat of the plan, whatever seat it asks for.

        :raises TooManyTables: the player asks for another game or another number of seats than the contest has
        """
        # 0: no game is played now, so no table can be opened.
        expected = 0 if self.now is None else len(self.now.names)
        if seats != expected or queue.game.name != self.game:
            raise TooManyTables(f"this contest is {self.game}, with {expected} at a table")
        table = super().open_table(session, queue, seats, settings, self._planned(session, wish), terms)
        self._waits(session)
        return table

    def _planned(self, session: Session, wish: Seat | None) -> Seat | None:
        """Returns the seat that the plan gives to a player in a game of two; in other games, the wish of the player."""
        two = self.now is not None and len(self.now.names) == 2
        return Seat(self._seat_of(session.name)) if two else wish

    def _seat(self, game: Game[Any, Any], number: TableId, settings: Settings, players: Sequence[Session]) -> None:
        # Programs come in any order, to a queue or a table. Sort them, so that they get the seats of the plan.
        super()._seat(game, number, settings, sorted(players, key=lambda one: self._seat_of(one.name)))

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        super().join(session, queue, table, code)
        if session.table_id is None:
            self._waits(session)

    def clear(self) -> None:
        """
        Removes all that the last game has left in the lobby: seats, accounts, and the ends of matches that were not sent to
        absent players. All connections must be closed.
        """
        now, self.now = self.now, None
        accounts = self.login_service.accounts
        # Programs of the next game may have the names of this one, and need new passwords.
        for key in () if now is None else map(key_of, now.names):
            if (session := self.registry.find(key)) is not None:
                self.give_up(session)
            if (account := accounts.find(key)) is not None:
                # Nothing waits for the deletion.
                accounts.delete(account, lambda: None)
        self.registry.ended = SleepingIndex()


@define(eq=False)
class RoomConversation:
    """
    Wraps a conversation of a wire. While the conversation handles a message, the lobby knows by `speaker` which connection
    has sent it.
    """

    _lobby: ContestLobby
    _connection: Any
    _conversation: Any
    #: The recorded bytes of the connection; `None`: they are not recorded.
    heard: HeardBytes | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.heard = self._lobby.listen(self._connection)

    @property
    def transport(self) -> Any:
        return self._connection.transport

    @property
    def at_table(self) -> bool:
        at_table: bool = self._conversation.at_table
        return at_table

    def hear(self, message: Any) -> None:
        """
        Passes a message to the wrapped conversation. The lobby knows meanwhile from which connection the message is.
        Calls may be nested, so the former value is restored.
        """
        before, self._lobby.speaker = self._lobby.speaker, self
        try:
            self._conversation.hear(message)
        finally:
            self._lobby.speaker = before

    def wire_error(self, error: Any) -> None:
        self._conversation.wire_error(error)


def address_of(seat: int) -> IPv4Address:
    """
    Returns the address under which the host's limits count the connections of a seat's program. Each seat has an address of
    its own, so one program cannot use up the limits of another.
    """
    # 127.0.0.1 is the address of connections that belong to no seat.
    return IPv4Address("TCP", f"127.0.0.{seat + 2}", 0)


class DoorFactory(Factory[Any]):
    """Accepts the connections of a program in a sandbox, which come through the Unix socket of its seat."""

    noisy = False

    def __init__(self, factory: Any, seat: int) -> None:
        self._admit = partial(factory.admit, address_of(seat).host)

    def buildProtocol(self, addr: Any) -> Any:
        return self._admit()


@define(eq=False)
class Room:
    """A part of the private host: a lobby with a port of its own, in which one game is played at a time."""

    _journal: RoomJournal
    _context: TableContext
    _lobby: ContestLobby
    #: Makes the connections of the port.
    factory: Any
    #: The port to which programs connect.
    port: int
    #: Whether another game can begin in this room.
    free: bool = True
    #: The game that is played in the room; `None`: none is.
    game: Any = None
    #: The paths of the Unix sockets of programs in sandboxes, in the order of the seats; empty: there are no sandboxes.
    sockets: Sequence[str] = ()

    def __attrs_post_init__(self) -> None:
        self.factory.buildProtocol = partial(self._admit, self.factory.buildProtocol)

    def _admit(self, admit: Callable[[Any], Any], peer: Any) -> Any:
        """
        Makes a connection. If its program is known, the host's limits count it under the address of the program's seat.

        :param admit: makes a connection for an address
        """
        seat = None if self.game is None else self.game.comes(peer)
        return admit(peer if seat is None else address_of(seat))

    def begin(self, game: RoomGame, seed: int, most_moves: int) -> FirstMatch:
        """
        Begins a game in this room, which must be free.

        :param seed: the seed of the cards, the bag and all other chance in the game
        :returns: the record of the game's match, which grows while the match is played
        """
        self.free, self.game = False, game
        first = self._journal.first = FirstMatch(game.over, most_moves)
        # All chance of the match comes from the seed of the game.
        self._context.rng = SeededChance(seed).below
        # Called when the host cannot continue a match. That is a failure of the game, if it is the game's match.
        self._context.suspended = lambda table, name: game.failed() if table == first.table else None
        self._lobby.now, self._lobby.heard = game, []
        return first

    @property
    def heard(self) -> Sequence[HeardBytes]:
        """The recorded bytes of the game's connections."""
        return self._lobby.heard

    def door(self, seat: int) -> Door | None:
        """Returns the socket by which a seat's program reaches the host from its sandbox; `None`: there is no sandbox."""
        return Door(self.port, self.sockets[seat]) if self.sockets else None

    def seat_at(self, transport: Any) -> int | None:
        """Returns the seat of a connection that comes from a sandbox; `None`: it does not come from a sandbox."""
        end = transport.getHost() if self.sockets else None
        return self.sockets.index(os.fsdecode(end.name or b"")) if isinstance(end, UNIXAddress) else None

    def session(self, name: str) -> Session | None:
        """Returns the session of a player; `None`: the player has never logged in during this game."""
        return self._lobby.registry.get(name)

    def is_absent(self, name: str) -> bool:
        """Returns whether no connection is logged in under a name."""
        session = self.session(name)
        return session is None or session.player is None

    def is_waiting(self, name: str) -> bool:
        """Returns whether a player has asked for a seat, and waits for the other players in a queue or at a table."""
        session = self.session(name)
        # On some wires players wait in a queue, on others at open tables.
        waiting = [*self._lobby.queues.everybody(), *self._lobby.waiting_tables.everybody()]
        return session is not None and session in waiting

    def give_up(self, name: str) -> None:
        """Gives up the seat of a program that has ended. Its connection may be closed already or not."""
        session = self.session(name)
        if session is None:
            return
        # A player that sits at a table has a handle.
        handle = getattr(session.player, "handle", None)
        if handle is not None:
            # The player leaves the match at once, although its connection will close soon: if both programs end at the
            # same time and neither player has left, the host puts the match to sleep and never ends it.
            handle.leave()
        else:
            self._lobby.give_up(session)

    def leave(self) -> None:
        """Ends the game of this room: closes the remaining connections, and then makes the room free."""
        self._journal.first = None
        self._context.suspended = lambda table, name: None
        self.factory.close(OVER).addCallback(self._left)

    def _left(self, result: None) -> None:
        self._lobby.clear()
        self.free, self.game = True, None


@define(eq=False)
class ContestHost:
    """The private host of a contest: its rooms. A new room is made when a game begins and no room is free."""

    _reactor: Any
    _wire: Wire[Any]
    _game: Game[Any, Any]
    _plan: Plan
    #: Finds the process at the other end of a connection; `None`: this machine does not show it, and the name decides.
    owners: Owners | None = None
    rooms: list[Room] = field(factory=list)
    #: The folder of the Unix sockets for sandboxes; empty: it was not made.
    _folder: str = ""

    def room(self) -> Room:
        """Returns a free room. Makes a new one if all rooms are in use."""
        found = next((one for one in self.rooms if one.free), None)
        if found is None:
            found = self._new_room()
            self.rooms.append(found)
        return found

    def _new_room(self) -> Room:
        """Makes a room: a journal, tables and a lobby of its own, and a port of this machine."""
        wire, settings, journal = self._wire, self._plan.settings, RoomJournal()
        context = TableContext(self._reactor, journal, RETURNS, claim=0.0)
        of_games = {
            one.name: settings_of(one.name, settings, {*one.options, "game_time", "increment"}) for one in wire.games
        }
        of_wire = settings_of(wire.name, settings, wire.options)
        new_lobby = partial(ContestLobby, game=self._game.name)
        lobby, factory = private_lobby(
            new_lobby,
            wire,
            journal,
            context,
            limits=LIMITS,
            of_wire=of_wire,
            of_games=of_games,
            around=RoomConversation,
        )
        # On a wire with several games, only the game of the contest can be played.
        for other in wire.games:
            if other.name != self._game.name:
                lobby.closed_games[other.name] = f"this contest is {self._game.name}"
        port = self._reactor.listenTCP(0, factory, interface="127.0.0.1")
        return Room(journal, context, lobby, factory, port.getHost().port, sockets=self._new_sockets(factory))

    def _new_sockets(self, factory: Any) -> list[str]:
        """
        Makes the Unix sockets of a new room for programs in sandboxes, which have no network: one for each seat.
        Returns their paths; empty: there are no sandboxes.
        """
        if self._plan.isolate != "bubblewrap":
            return []
        if not self._folder:
            self._folder = mkdtemp(prefix="gamehost-contest-")
            self._reactor.addSystemEventTrigger("after", "shutdown", rmtree, self._folder, True)
        paths = [f"{self._folder}/{len(self.rooms)}-{seat}" for seat in range(self._plan.seats)]
        for seat, path in enumerate(paths):
            self._reactor.listenUNIX(path, DoorFactory(factory, seat))
        return paths
