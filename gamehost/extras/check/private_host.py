"""
A host for one scenario, with the checker's own players at its tables; and the replica that judges a server.

It has one wire, nothing on disk and no limits on rates. The players that the client under test meets have no connection.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Clock

from gamehost.accounts.login import LoginAttempt
from gamehost.accounts.names import Name
from gamehost.extras.check.transcript import RecordingConfig, Watcher
from gamehost.games.base import Seat
from gamehost.games.play import new_player
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Queue, Session
from gamehost.net.private_lobby import private_lobby
from gamehost.players.base import Level, SeededChance
from gamehost.players.base import Player as GamePlayer
from gamehost.programs.clients import client_of
from gamehost.settings import settings_of
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Player, Refused, SeatHandle, Suspended
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: No rate is limited: the checker judges a client by its document, and not by its speed.
UNLIMITED = {"unlimited": "yes", "keyless_resume_seconds": "0"}


class ClientWatcher(Watcher):
    """Receives the events of the client under test. Subclasses override what they need."""

    def of(self, player: Player[Any, Any]) -> "ClientWatcher":
        """The watcher of this conversation; by default the same for all."""
        return self

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The client has a seat."""

    def delivered(self, event: Any) -> None:
        """The client's conversation has received an event of its table."""

    def waits(self, queue: Queue) -> None:
        """The client waits for an opponent in a queue."""

    def opened(self, table: OpenTable, queue: Queue) -> None:
        """The client waits at a table of its own."""


class WatchedPlayer:
    """The conversation of the client under test, as a table knows it."""

    def __init__(self, player: Player[Any, Any], watcher: ClientWatcher) -> None:
        self.player = player
        self._watcher = watcher

    def seated(self, handle: SeatHandle[Any]) -> None:
        self._watcher.seated(handle)
        self.player.seated(handle)

    def deliver(self, event: Any) -> None:
        self.player.deliver(event)
        self._watcher.delivered(event)


@define(eq=False)
class WatchedLobby(Lobby):
    """A lobby that reports the acts of the client under test."""

    watcher: ClientWatcher = field(kw_only=True)

    def enter(
        self, name: str | Name, wire: str, address: str, player: Player[Any, Any], *more: Any, **named: Any
    ) -> Session:
        return super().enter(name, wire, address, self._watched(player), *more, **named)

    def log_in(
        self, name: str, password: str, wire: str, address: str, player: Player[Any, Any], *more: Any, **named: Any
    ) -> LoginAttempt | None:
        return super().log_in(name, password, wire, address, self._watched(player), *more, **named)

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        seated = super().play(session, queue, wish)
        if not seated and isinstance(session.player, WatchedPlayer):
            self.watcher.waits(queue)
        return seated

    def open_table(self, session: Session, queue: Queue, *more: Any, **named: Any) -> OpenTable:
        table = super().open_table(session, queue, *more, **named)
        if isinstance(session.player, WatchedPlayer):
            self.watcher.opened(table, queue)
        return table

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        watched = session.player
        if isinstance(watched, WatchedPlayer) and watched.player is player:
            player = watched
        super().leave(session, player)

    def _watched(self, player: Player[Any, Any]) -> Player[Any, Any]:
        # The checker's own players are not watched.
        return player if isinstance(player, Opponent) else WatchedPlayer(player, self.watcher.of(player))


class PrivateHost:
    """
    A host for one scenario.

    :param settings: as for `--set`, by their full names
    :param seed: of everything that is random on this host
    :param below: draws the random numbers instead: a whole number from 0 to n-1
    """

    def __init__(
        self,
        clock: IReactorTime,
        wire: Wire[Any],
        watcher: ClientWatcher,
        settings: Mapping[str, str],
        strict: bool,
        grace: float,
        seed: int,
        below: Callable[[int], int] | None = None,
    ) -> None:
        self.wire = wire
        #: The wire's games by name, and the one that is played unless a client seeks another one.
        self.games = {one.name: one for one in wire.games}
        self.game = wire.games[0]
        journal = MemoryJournal()
        context = TableContext(clock, journal, grace, claim=0.0, rng=below or SeededChance(seed).below)
        of_games = {name: settings_of(name, settings, one.options, move_time="0") for name, one in self.games.items()}
        strictly = {f"{wire.name}.strict": "yes"} if strict else {}
        of_wire = settings_of(wire.name, {**settings, **strictly}, wire.options)
        new_lobby = partial(WatchedLobby, watcher=watcher)
        self.lobby, self.factory = private_lobby(
            new_lobby, wire, journal, context=context, limits=UNLIMITED, of_wire=of_wire, of_games=of_games
        )
        self.factory.config = RecordingConfig(self.factory.config, watcher)
        self.queue = Queue(self.game)


#: Events of tables that are no events of a game.
_OF_TABLES = (Away, Left, Suspended, OpenTable, Refused, Over)
#: Where opponents come from.
ADDRESS = "192.0.2.2"
#: After so many refused actions an opponent gives up, so that a fault of its own never makes a scenario endless.
MOST_REFUSED = 100


def hear(player: GamePlayer, event: Any, seat: int) -> bool:
    """Pass an event of the table for this seat to a player. Returns whether it may be its turn then."""
    if isinstance(event, _OF_TABLES):
        return False
    if not isinstance(event, Back):
        player.hear(event)
    elif event.seat == seat:
        player.hear(event.view)
    return True


@define(eq=False)
class Opponent:
    """
    A player that the client under test meets. It sits at the table directly, without a connection of its own.

    :param new_player: makes its player, from the game's name and the seat
    :param think: whether it may act now; it is asked again when `go_on` is called
    :param over: called at the end of its match
    """

    _host: PrivateHost
    _clock: IReactorTime
    name: str
    _new_player: Callable[[str, Seat], GamePlayer]
    _think: Callable[[], bool]
    _over: Callable[[], None]
    session: Session | None = None
    handle: SeatHandle[Any] | None = None
    _player: GamePlayer | None = None
    _last: bytes = b""
    _table: TableId | None = None
    _called: bool = False
    #: How many of its actions were refused.
    _refused: int = 0

    def come(self) -> Session:
        """Log in again, or take the seat back."""
        if self.handle is None:
            self.drop()
        self.session = self._host.lobby.enter(self.name, self._host.wire.name, ADDRESS, self)
        return self.session

    def drop(self) -> None:
        """Lose the connection. The seat is reserved for the grace time."""
        session, self.session = self.session, None
        if session is not None:
            self._host.lobby.leave(session, self)
        self.handle = None

    def come_back(self) -> None:
        if self.session is None:
            self._host.lobby.reconnect(self.come())

    def resign(self) -> None:
        if self.handle is not None:
            self.handle.resign()

    def act(self, notation: bytes) -> None:
        """Act, whatever the player would do."""
        if self.handle is not None:
            self.handle.act(self._host.games[self.handle.game].read(notation))

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.handle = handle
        if self._player is None or handle.table != self._table:
            self._table = handle.table
            self._player = self._new_player(handle.game, Seat(handle.seat))

    def deliver(self, event: Any) -> None:
        player = self._player
        if isinstance(event, Over):
            self.handle = self._player = None
            self._over()
            return
        if player is None or self.handle is None:
            return
        if isinstance(event, Refused):
            self._refused += 1
            player.refused(self._last)
        elif not hear(player, event, self.handle.seat):
            return
        self.go_on()

    def go_on(self) -> None:
        """Act soon, if it is this player's turn."""
        if not self._called:
            self._called = True
            self._clock.callLater(0, self._act)

    def _act(self) -> None:
        self._called = False
        if self._refused > MOST_REFUSED:
            self.resign()
        if self.handle is None or self._player is None or not self._think():
            return
        notation = self._player.answer()
        if notation is not None:
            self._last = notation
            self.act(notation)


# The judge of a server: a private host that receives the messages of both clients, and makes the messages that the
# server must send to each.


#: Seconds for which a lost seat is reserved. The replica's clock does not run, so it is reserved for the whole
#: scenario.
GRACE = 3600.0


class SeatOfUser(ClientWatcher):
    """
    The seat of one player, with a house player that knows what that player may do.

    :param seed: of the house player
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._table: TableId | None = None
        self.seat = Seat(0)
        #: `None`: there is no match.
        self.player: GamePlayer | None = None

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.seat = Seat(handle.seat)
        if self._table != handle.table:
            self._table = handle.table
            self.player = new_player(handle.game, self.seat, Level.RANDOM, self._seed)

    def delivered(self, event: Any) -> None:
        if isinstance(event, Over):
            self.player = None
        elif self.player is not None:
            hear(self.player, event, self.seat)

    @property
    def match_id(self) -> str:
        return str(self._table)


class _Watcher(ClientWatcher):
    """
    Passes events to the right seat. A player that logs in belongs to the connection that the replica reads at that
    moment.
    """

    speaker: SeatOfUser

    def of(self, player: Any) -> ClientWatcher:
        return self.speaker


class ReplicaConnection:
    """
    One connection to the replica. It is the peer of its own conversation.

    :param expect: called with each message that the server must send
    """

    address = "192.0.2.2"

    def __init__(self, replica: "Replica", seat: SeatOfUser, expect: Callable[[Any], None]) -> None:
        config, client = replica.host.factory.config, client_of(replica.host.wire.name)
        assert client is not None
        self._replica = replica
        self._seat = seat
        self._expect = expect
        self._codec: Any = config.new_codec()
        self._reads = client.codec()
        self._conversation = config.new_conversation(self, replica.host.lobby)
        #: Whether the replica has closed the connection.
        self.closed = False
        replica.watcher.speaker = seat
        self._conversation.begin()

    def hear(self, data: bytes) -> None:
        self._replica.watcher.speaker = self._seat
        try:
            for message in self._codec.feed(data):
                if not self.closed:
                    self._conversation.hear(message)
        except WireError as error:
            self._conversation.wire_error(error)
            self.closed = True
        self._replica.clock.advance(0)

    def lose(self) -> None:
        if not self.closed:
            self.closed = True
        self._conversation.end()
        self._replica.clock.advance(0)

    # -- the peer

    def say(self, message: Any) -> None:
        """The server must send this message, as a client reads it."""
        if not self.closed:
            for read in self._reads.feed(self._codec.encode(message)):
                self._expect(read)

    refuse = say_past = say

    def say_newest(self, message: Any, key: str) -> None:
        """The server must send this message: clients read at once."""
        self.say(message)

    def say_and_hold(self, message: Any, seconds: float) -> None:
        """The server must send this message, at its own pace."""
        self.say(message)

    #: There are no holds.
    hold_seconds = 0.0

    def unsay(self, unwanted: Callable[[Any], bool]) -> bool:
        return False

    def hang_up(self, reason: str = "") -> None:
        """The server may close the connection."""
        self.closed = True

    def _ignored(self, *_: Any, **__: Any) -> None:
        """There are no rates, the replica's clock does not run, and no telnet is answered."""

    say_bytes = hold = logged_in = logged_out = alarm = no_alarm = pulse = _ignored
    exempt_from_rate = move_accepted = journaled = _ignored


class Replica:
    """
    The private host.

    :param settings: of the game and the wire, by their full names
    :param strict: the document's messages only
    """

    def __init__(self, wire: Wire[Any], settings: Mapping[str, str], strict: bool, seed: int) -> None:
        self.clock = Clock()
        self.watcher = _Watcher()
        self._chance = SeededChance(seed)
        self._draws: deque[int] = deque()
        self.host = PrivateHost(
            self.clock, wire, self.watcher, settings=settings, strict=strict, grace=GRACE, seed=seed, below=self._below
        )

    def _below(self, n: int) -> int:
        return min(self._draws.popleft(), n - 1) if self._draws else self._chance.below(n)

    def draw_next(self, draws: Iterable[int]) -> None:
        self._draws = deque(draws)

    def begin_with(self, settings: Mapping[str, str]) -> None:
        """The next match has these settings too."""
        before, game = self.host.lobby.settings, self.host.game.name
        self.host.lobby.settings = {**before, game: {**before[game], **settings}}
