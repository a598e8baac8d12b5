"""
A private host for one scenario, with the checker's own players at its tables. Also the replica, a private host that knows which
messages a server under test must send.

A private host has one wire, stores nothing on disk, and does not limit rates. The opponents of the client under test have no
connections.
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

#: Limits of a host without limits on rates. The checker judges a client by the document, and not by its speed.
UNLIMITED = {"unlimited": "yes", "keyless_resume_seconds": "0"}


class ClientWatcher(Watcher):
    """Receives the events of the client under test. Subclasses override what they need."""

    def of(self, player: Player[Any, Any]) -> "ClientWatcher":
        """Returns the watcher of a conversation; by default the same for all."""
        return self

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Called when the client gets a seat."""

    def delivered(self, event: Any) -> None:
        """Called after the client's conversation has received an event of its table."""

    def waits(self, queue: Queue) -> None:
        """Called when the client begins to wait for an opponent in a queue."""

    def opened(self, table: OpenTable, queue: Queue) -> None:
        """Called when the client begins to wait at a table of its own."""


class WatchedPlayer:
    """Stands between a table and the conversation of the client under test, and reports the events of the table."""

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
    """A lobby that reports what the client under test does: it logs in, waits, or opens a table."""

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
        """See `Lobby.play`. If a client under test has to wait, the watcher is called, so that an opponent can come."""
        seated = super().play(session, queue, wish)
        if not seated and isinstance(session.player, WatchedPlayer):
            self.watcher.waits(queue)
        return seated

    def open_table(self, session: Session, queue: Queue, *more: Any, **named: Any) -> OpenTable:
        """
        See `Lobby.open_table`. If a client under test has opened the table, the watcher is called, so that opponents
        can come.
        """
        table = super().open_table(session, queue, *more, **named)
        if isinstance(session.player, WatchedPlayer):
            self.watcher.opened(table, queue)
        return table

    def leave(self, session: Session, player: Player[Any, Any]) -> None:
        """
        See `Lobby.leave`. The conversation of a client under test is wrapped by a `WatchedPlayer`, which the session
        knows. The conversation calls this with itself, so it is replaced by its wrapper.
        """
        watched = session.player
        if isinstance(watched, WatchedPlayer) and watched.player is player:
            player = watched
        super().leave(session, player)

    def _watched(self, player: Player[Any, Any]) -> Player[Any, Any]:
        """Wraps the conversation of a client. The checker's own players are not wrapped."""
        return player if isinstance(player, Opponent) else WatchedPlayer(player, self.watcher.of(player))


class PrivateHost:
    """
    A host for one scenario.

    :param watcher: receives the events of the client under test
    :param settings: settings by their full names, as for `--set`
    :param strict: whether the host sends only messages of the document, and no extensions
    :param grace: for how many seconds a lost seat is reserved
    :param seed: the seed of all random numbers on this host
    :param below: draws the random numbers instead, whole numbers from 0 to n-1
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
        """
        Makes a host for the check of one client or for a replica.

        :param watcher: called with all that the client sends and receives
        :param settings: the settings of games and wire, by their full names
        :param strict: whether the wire sends no extensions
        :param grace: how many seconds an absent player has to come back
        :param seed: the seed of all chance
        :param below: returns a random number below its argument; `None`: the seed decides
        """
        self.wire = wire
        #: The wire's games by name, and the game that is played unless a client asks for another one.
        self.games = {one.name: one for one in wire.games}
        self.game = wire.games[0]
        journal = MemoryJournal()
        context = TableContext(clock, journal, grace, claim=0.0, rng=below or SeededChance(seed).below)
        # Without time limits for moves: the check has deadlines of its own.
        of_games = {name: settings_of(name, settings, one.options, move_time="0") for name, one in self.games.items()}
        strictly = {f"{wire.name}.strict": "yes"} if strict else {}
        of_wire = settings_of(wire.name, {**settings, **strictly}, wire.options)
        new_lobby = partial(WatchedLobby, watcher=watcher)
        self.lobby, self.factory = private_lobby(
            new_lobby, wire, journal, context=context, limits=UNLIMITED, of_wire=of_wire, of_games=of_games
        )
        self.factory.config = RecordingConfig(self.factory.config, watcher)
        self.queue = Queue(self.game)


#: The events of tables that are not events of a game.
_OF_TABLES = (Away, Left, Suspended, OpenTable, Refused, Over)
#: The address of the opponents.
ADDRESS = "192.0.2.2"
#: An opponent gives up after so many refused actions, so that a fault of its own never makes a scenario endless.
MOST_REFUSED = 100


def hear(player: GamePlayer, event: Any, seat: int) -> bool:
    """
    Passes an event of a table to a game's player.

    :param seat: the seat of the player
    :returns: whether it may be the player's turn now
    """
    # Such events do not change the position.
    if isinstance(event, _OF_TABLES):
        return False
    # `Back` has a view of the match, which is only for the player that is back.
    if not isinstance(event, Back):
        player.hear(event)
    elif event.seat == seat:
        player.hear(event.view)
    return True


@define(eq=False)
class Opponent:
    """
    An opponent of the client under test. It takes part in the match directly, without a connection.

    :param new_player: makes the player of the game that chooses the moves, from the game's name and the seat
    :param think: returns whether the opponent may move now. It is called again after `go_on`.
    :param over: called at the end of the match
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
    #: The last action, in the game's notation.
    _last: bytes = b""
    _table: TableId | None = None
    #: Whether `_act` will be called soon.
    _called: bool = False
    #: How many actions of this opponent were refused.
    _refused: int = 0

    def come(self) -> Session:
        """Logs in, or takes the seat back. Returns the session."""
        # The opponent may still be logged in from its last match.
        if self.handle is None:
            self.drop()
        self.session = self._host.lobby.enter(self.name, self._host.wire.name, ADDRESS, self)
        return self.session

    def drop(self) -> None:
        """Leaves the host, as if the connection were lost. The seat is reserved for the grace time."""
        session, self.session = self.session, None
        if session is not None:
            self._host.lobby.leave(session, self)
        self.handle = None

    def come_back(self) -> None:
        """Takes the seat in the match back, after `drop`."""
        if self.session is None:
            self._host.lobby.reconnect(self.come())

    def resign(self) -> None:
        """Resigns the match, if there is one."""
        if self.handle is not None:
            self.handle.resign()

    def act(self, notation: bytes) -> None:
        """Sends an action to the table, in the game's notation."""
        if self.handle is not None:
            self.handle.act(self._host.games[self.handle.game].read(notation))

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Called when this opponent gets a seat. For a new match, a new player is made."""
        self.handle = handle
        if self._player is None or handle.table != self._table:
            self._table = handle.table
            self._player = self._new_player(handle.game, Seat(handle.seat))

    def deliver(self, event: Any) -> None:
        """
        Called with each event of the table: passes it to the player that thinks for this opponent, and acts if it is
        its turn.
        """
        player = self._player
        if isinstance(event, Over):
            self.handle = self._player = None
            self._over()
            return
        if player is None or self.handle is None:
            return
        # The player must choose another action than its last one.
        if isinstance(event, Refused):
            self._refused += 1
            player.refused(self._last)
        elif not hear(player, event, self.handle.seat):
            return
        self.go_on()

    def go_on(self) -> None:
        """Acts in the next turn of the reactor, if it is the player's turn."""
        # `_called`: a call of `_act` is under way already.
        if not self._called:
            self._called = True
            self._clock.callLater(0, self._act)

    def _act(self) -> None:
        """Asks the player for its action, and sends it to the table."""
        self._called = False
        # The player finds no action that the rules accept.
        if self._refused > MOST_REFUSED:
            self.resign()
        # `_think` returns whether the scenario lets the opponent move now.
        if self.handle is None or self._player is None or not self._think():
            return
        notation = self._player.answer()
        if notation is not None:
            self._last = notation
            self.act(notation)


# The replica judges a server. It is a private host that receives the messages of both clients, and makes the messages that the
# server must send to each client.


#: For how many seconds a lost seat is reserved. The replica's clock does not run, so the seat is reserved during the whole
#: scenario.
GRACE = 3600.0


class SeatOfUser(ClientWatcher):
    """
    The seat of a player at the replica's table. A house player receives its events, so that a legal action is always known.

    :param seed: the seed of the house player
    """

    def __init__(self, seed: int) -> None:
        """
        Makes the seat of a client that the checker plays.

        :param seed: the seed of the house player that chooses the moves
        """
        self._seed = seed
        self._table: TableId | None = None
        self.seat = Seat(0)
        #: The house player; `None`: there is no match.
        self.player: GamePlayer | None = None

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Called when the client has a seat at a table of the replica. For a new match, a new player is made."""
        self.seat = Seat(handle.seat)
        if self._table != handle.table:
            self._table = handle.table
            self.player = new_player(handle.game, self.seat, Level.RANDOM, self._seed)

    def delivered(self, event: Any) -> None:
        """Called with each event of the replica's table: the player follows the match."""
        if isinstance(event, Over):
            self.player = None
        elif self.player is not None:
            hear(self.player, event, self.seat)

    @property
    def match_id(self) -> str:
        """The id of the match at the replica."""
        return str(self._table)


class _Watcher(ClientWatcher):
    """
    Finds the seat of a conversation. A player that logs in belongs to the connection that the replica is reading at that
    moment.
    """

    #: The seat of that connection.
    speaker: SeatOfUser

    def of(self, player: Any) -> ClientWatcher:
        return self.speaker


class ReplicaConnection:
    """
    A player's connection to the replica. It is also the peer of the replica's conversation: a message that the conversation
    sends is one that the server must send.

    :param expect: called with each message that the server must send, as a client reads it
    """

    address = "192.0.2.2"

    def __init__(self, replica: "Replica", seat: SeatOfUser, expect: Callable[[Any], None]) -> None:
        """
        Connects a client that the checker plays to the replica, a host of our own with the server's match.

        :param seat: the client's seat
        :param expect: called with each message that the server must send, as a client reads it
        """
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
        # The replica's lobby finds out by this for which client a conversation is made.
        replica.watcher.speaker = seat
        self._conversation.begin()

    def hear(self, data: bytes) -> None:
        """Passes bytes of the player's client to the replica. All answers are made before this method returns."""
        self._replica.watcher.speaker = self._seat
        try:
            for message in self._codec.feed(data):
                if not self.closed:
                    self._conversation.hear(message)
        except WireError as error:
            self._conversation.wire_error(error)
            self.closed = True
        # Runs what the host does in the next turn of the reactor.
        self._replica.clock.advance(0)

    def lose(self) -> None:
        """Ends the connection to the replica, as if it were lost."""
        if not self.closed:
            self.closed = True
        # Also if the replica has closed the connection: the conversation ends only by this call.
        self._conversation.end()
        self._replica.clock.advance(0)

    # -- the peer

    def say(self, message: Any) -> None:
        """Called with a message that the server must send. Reports it as a client reads it."""
        if not self.closed:
            for read in self._reads.feed(self._codec.encode(message)):
                self._expect(read)

    refuse = say_past = say

    def say_newest(self, message: Any, key: str) -> None:
        """
        Called with a message that may replace an older message that was not sent yet. Here every message is reported at
        once, so there is none to replace: this does the same as `say`.
        """
        self.say(message)

    def say_and_hold(self, message: Any, seconds: float) -> None:
        """
        Called with a message that delays the next one. The server under test chooses its own delays, so this does the
        same as `say`.
        """
        self.say(message)

    #: No messages are delayed.
    hold_seconds = 0.0

    def unsay(self, unwanted: Callable[[Any], bool]) -> bool:
        return False

    def hang_up(self, reason: str = "") -> None:
        """Called when the replica closes the connection. Then the server may close its connection, too."""
        self.closed = True

    def _ignored(self, *_: Any, **__: Any) -> None:
        """Does nothing: a replica has no rates, its clock does not run, and it does not answer telnet."""

    say_bytes = hold = logged_in = logged_out = alarm = no_alarm = pulse = _ignored
    exempt_from_rate = move_accepted = journaled = _ignored


class Replica:
    """
    A private host that receives the same messages as the server under test. Its clock does not run.

    :param settings: settings of the game and the wire, by their full names
    :param strict: whether only messages of the document are expected, and no extensions
    :param seed: the seed of its random numbers
    """

    def __init__(self, wire: Wire[Any], settings: Mapping[str, str], strict: bool, seed: int) -> None:
        """
        Makes a host that plays the same match as the server under test. What it sends is what the server must send.
        """
        self.clock = Clock()
        self.watcher = _Watcher()
        self._chance = SeededChance(seed)
        #: The next random numbers, which the server has chosen.
        self._draws: deque[int] = deque()
        self.host = PrivateHost(
            self.clock, wire, self.watcher, settings=settings, strict=strict, grace=GRACE, seed=seed, below=self._below
        )

    def _below(self, n: int) -> int:
        """Draws the host's random numbers: first those of the server, then others."""
        return min(self._draws.popleft(), n - 1) if self._draws else self._chance.below(n)

    def draw_next(self, draws: Iterable[int]) -> None:
        """Sets the next random numbers of the host."""
        self._draws = deque(draws)

    def begin_with(self, settings: Mapping[str, str]) -> None:
        """Adds settings of the game for the next match."""
        before, game = self.host.lobby.settings, self.host.game.name
        self.host.lobby.settings = {**before, game: {**before[game], **settings}}
