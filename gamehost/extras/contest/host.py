"""
The private host of a contest: it is there for all games, in memory, and games are tables on it.

An entrant may play several games at once, and a name has one seat at a time. So the host has rooms, each with a port and one
game at a time: as many as games are played at once. A room is used again when its game is over and everybody has left it.
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

#: For programs of one machine, which may log in again at once. All other limits of a host stay: they are what stops a flood.
LIMITS = {"keyless_resume_seconds": "0"}
#: Seconds for a program to come back after its connection was lost.
RETURNS = 5.0
#: What a program is told in whose room no game is played.
OVER = "this game is over"


class RoomGame(Protocol):
    """A game, as its room sees it."""

    #: In the order of the seats, and the password that each needs.
    names: Sequence[str]
    passwords: Sequence[str]

    def waits(self, name: str) -> None:
        """Called when a player has asked for a seat and waits for the others."""

    def over(self) -> None:
        """The record of the match says how it ended, or has as many moves as there may be."""

    def failed(self) -> None:
        """The host has stopped the match, because of a fault."""

    def comes(self, peer: Any) -> int | None:
        """The seat of the program that has a new connection; `None`: it has another one, or it is not known."""

    def claim(self, name: str, transport: Any) -> str | None:
        """
        Why a connection does not get the seat of this name; `None`: it does.

        :param transport: of the connection; `None`: it has shown a key that only the player has
        """


@define(eq=False)
class FirstMatch:
    """
    The record of the first match in a room since a game began there. That one is the game: some wires begin the next match at
    once.

    :param over: called when it is over
    :param most_moves: so many moves end it, too; 0: they do not
    """

    _over: Callable[[], None]
    _most_moves: int
    table: TableId | None = None
    _opening: TableHeader | None = None
    _entries: list[Entry] = field(factory=list)
    _moves: int = 0

    def open(self, table: TableId, opening: TableHeader) -> None:
        if self.table is None:
            self.table, self._opening = table, opening

    def append(self, table: TableId, entry: Entry) -> None:
        if table != self.table:
            return
        self._entries.append(entry)
        self._moves += entry.kind is EntryKind.ACTED
        if entry.outcome or 0 < self._most_moves <= self._moves:
            self._over()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        if self.table is None or self._opening is None or not self._entries:
            return None
        return TableRecord(self.table, self._opening, tuple(self._entries))


class RoomJournal(MemoryJournal):
    """The journal of a room."""

    #: `None`: no game is played.
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
    """A lobby for the players of one game: each has the seat that the contest gave it, and nobody else comes in."""

    #: What is played, by its name.
    game: str = field(kw_only=True)
    #: The game that is being played; `None`: none is.
    now: RoomGame | None = None
    #: The conversation to which the lobby listens now.
    speaker: "RoomConversation | None" = None
    #: What was said on the connections of this game.
    heard: list[HeardBytes] = field(factory=list)

    def _refusal(self, name: Name) -> NameRefused | None:
        if self.now is None:
            return NameRefused(NameFault.BUSY, OVER)
        return super()._refusal(name)

    def _claimed(self, name: str) -> str | None:
        """Why this connection cannot log in under a name; `None`: it can."""
        speaker = self.speaker
        why = OVER if self.now is None else self.now.claim(name, None if speaker is None else speaker.transport)
        if why is None and speaker is not None and speaker.heard is not None:
            speaker.heard.name = name
        return why

    def listen(self, connection: Any) -> HeardBytes | None:
        """Store what is said on a connection that is not made yet; `None`: there were many in this game."""
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
        if (why := self._claimed(name)) is not None:
            answer(LoginRefused(why))
            return None
        return super().log_in_by_key(name, key, wire, address, player, answer)

    #: For tokens and the like: the seed is for the game alone.
    below = staticmethod(secrets.randbelow)  # type: ignore[assignment]

    def _seat_of(self, name: str) -> int:
        return 0 if self.now is None else [*self.now.names].index(name)

    def _waits(self, session: Session) -> None:
        if self.now is not None:
            self.now.waits(session.name)

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        wish = self._planned(session, wish)
        session.second = wish == 1
        seated = super().play(session, queue, wish)
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
        expected = 0 if self.now is None else len(self.now.names)
        if seats != expected or queue.game.name != self.game:
            raise TooManyTables(f"this contest is {self.game}, with {expected} at a table")
        table = super().open_table(session, queue, seats, settings, self._planned(session, wish), terms)
        self._waits(session)
        return table

    def _planned(self, session: Session, wish: Seat | None) -> Seat | None:
        """The seat of a player in a game of two; in other games players have no wish."""
        two = self.now is not None and len(self.now.names) == 2
        return Seat(self._seat_of(session.name)) if two else wish

    def _seat(self, game: Game[Any, Any], number: TableId, settings: Settings, players: Sequence[Session]) -> None:
        # Programs come in any order, by a queue or to a table. The seats are those of the plan.
        super()._seat(game, number, settings, sorted(players, key=lambda one: self._seat_of(one.name)))

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        super().join(session, queue, table, code)
        if session.table_id is None:
            self._waits(session)

    def clear(self) -> None:
        """Forget the last game after all its players have left: its seats, accounts and unsent ends."""
        now, self.now = self.now, None
        accounts = self.login_service.accounts
        for key in () if now is None else map(key_of, now.names):
            if (session := self.registry.find(key)) is not None:
                self.give_up(session)
            if (account := accounts.find(key)) is not None:
                accounts.delete(account, lambda: None)
        self.registry.ended = SleepingIndex()


@define(eq=False)
class RoomConversation:
    """A conversation of a room. It tells the lobby which connection acts."""

    _lobby: ContestLobby
    _connection: Any
    _conversation: Any
    #: What was said on its connection; `None`: that is not stored.
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
        before, self._lobby.speaker = self._lobby.speaker, self
        try:
            self._conversation.hear(message)
        finally:
            self._lobby.speaker = before

    def wire_error(self, error: Any) -> None:
        self._conversation.wire_error(error)


def address_of(seat: int) -> IPv4Address:
    """The address under which the host's limits count the program of a seat. Each seat has its own."""
    return IPv4Address("TCP", f"127.0.0.{seat + 2}", 0)


class DoorFactory(Factory[Any]):
    """Connections by a Unix socket, from the program of a seat in its sandbox."""

    noisy = False

    def __init__(self, factory: Any, seat: int) -> None:
        self._admit = partial(factory.admit, address_of(seat).host)

    def buildProtocol(self, addr: Any) -> Any:
        return self._admit()


@define(eq=False)
class Room:
    """A part of the host, with a port of its own and one game at a time."""

    _journal: RoomJournal
    _context: TableContext
    _lobby: ContestLobby
    #: Makes the connections.
    factory: Any
    #: Where programs connect.
    port: int
    free: bool = True
    #: What is played here; `None`: nothing is.
    game: Any = None
    #: The paths of the sockets of programs in sandboxes, in the order of the seats; empty: they are in none.
    sockets: Sequence[str] = ()

    def __attrs_post_init__(self) -> None:
        self.factory.buildProtocol = partial(self._admit, self.factory.buildProtocol)

    def _admit(self, admit: Callable[[Any], Any], peer: Any) -> Any:
        seat = None if self.game is None else self.game.comes(peer)
        return admit(peer if seat is None else address_of(seat))

    def begin(self, game: RoomGame, seed: int, most_moves: int) -> FirstMatch:
        """
        Let a game be played here. The room must be free.

        :param seed: of the cards, the bag and whatever else chance decides
        """
        self.free, self.game = False, game
        first = self._journal.first = FirstMatch(game.over, most_moves)
        self._context.rng = SeededChance(seed).below
        self._context.suspended = lambda table, name: game.failed() if table == first.table else None
        self._lobby.now, self._lobby.heard = game, []
        return first

    @property
    def heard(self) -> Sequence[HeardBytes]:
        """The bytes of the game's connections."""
        return self._lobby.heard

    def door(self, seat: int) -> Door | None:
        """The address of the host for the program of a seat in a sandbox; `None`: there is no sandbox."""
        return Door(self.port, self.sockets[seat]) if self.sockets else None

    def seat_at(self, transport: Any) -> int | None:
        """The seat of a connection from a sandbox; `None`: it comes from none."""
        end = transport.getHost() if self.sockets else None
        return self.sockets.index(os.fsdecode(end.name or b"")) if isinstance(end, UNIXAddress) else None

    def session(self, name: str) -> Session | None:
        return self._lobby.registry.get(name)

    def is_absent(self, name: str) -> bool:
        """Whether nobody is logged in under a name."""
        session = self.session(name)
        return session is None or session.player is None

    def is_waiting(self, name: str) -> bool:
        """Whether a player has asked for a seat, and waits for the others."""
        session = self.session(name)
        waiting = [*self._lobby.queues.everybody(), *self._lobby.waiting_tables.everybody()]
        return session is not None and session in waiting

    def give_up(self, name: str) -> None:
        """Give up the seat of a program that has ended, whether its connection is closed already or not."""
        session = self.session(name)
        if session is None:
            return
        handle = getattr(session.player, "handle", None)
        if handle is not None:
            # The connection is about to be closed. Without this, a match that both leave at once would sleep for ever.
            handle.leave()
        else:
            self._lobby.give_up(session)

    def leave(self) -> None:
        """The game is over. The connections that are left are closed, and then the room is free."""
        self._journal.first = None
        self._context.suspended = lambda table, name: None
        self.factory.close(OVER).addCallback(self._left)

    def _left(self, result: None) -> None:
        self._lobby.clear()
        self.free, self.game = True, None


@define(eq=False)
class ContestHost:
    """All rooms. There are more of them when more games are played at once."""

    _reactor: Any
    _wire: Wire[Any]
    _game: Game[Any, Any]
    _plan: Plan
    #: Finds the process at the other end of a connection; `None`: this machine does not show it, and the name decides.
    owners: Owners | None = None
    rooms: list[Room] = field(factory=list)
    #: Of the sockets for sandboxes; empty: there are none.
    _folder: str = ""

    def room(self) -> Room:
        """One that is free."""
        found = next((one for one in self.rooms if one.free), None)
        if found is None:
            found = self._new_room()
            self.rooms.append(found)
        return found

    def _new_room(self) -> Room:
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
        for other in wire.games:
            if other.name != self._game.name:
                lobby.closed_games[other.name] = f"this contest is {self._game.name}"
        port = self._reactor.listenTCP(0, factory, interface="127.0.0.1")
        return Room(journal, context, lobby, factory, port.getHost().port, sockets=self._new_sockets(factory))

    def _new_sockets(self, factory: Any) -> list[str]:
        """The sockets of a room for programs in sandboxes, one for each seat."""
        if self._plan.isolate != "bubblewrap":
            return []
        if not self._folder:
            self._folder = mkdtemp(prefix="gamehost-contest-")
            self._reactor.addSystemEventTrigger("after", "shutdown", rmtree, self._folder, True)
        paths = [f"{self._folder}/{len(self.rooms)}-{seat}" for seat in range(self._plan.seats)]
        for seat, path in enumerate(paths):
            self._reactor.listenUNIX(path, DoorFactory(factory, seat))
        return paths
