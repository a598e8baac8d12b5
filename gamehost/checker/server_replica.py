"""
The judge of a server: a private host that hears what both clients say, and says what the server must say to each.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from twisted.internet.task import Clock

from gamehost.checker.private_host import ClientWatcher, PrivateHost, hear
from gamehost.games.base import Game, Seat
from gamehost.games.play import new_player
from gamehost.journal.records import TableId
from gamehost.players.base import Level, Player, SeededChance
from gamehost.tables.interfaces import Over, SeatHandle
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: Seconds for which a lost seat is kept. The replica's clock stands still, so it is kept for the whole scenario.
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
        self.player: Player | None = None

    def seated(self, handle: SeatHandle[Any]) -> None:
        """A match begins, or goes on."""
        self.seat = Seat(handle.seat)
        if self._table != handle.table:
            self._table = handle.table
            self.player = new_player(handle.game, self.seat, Level.RANDOM, self._seed)

    def delivered(self, event: Any) -> None:
        """Something has happened at the table."""
        if isinstance(event, Over):
            self.player = None
        elif self.player is not None:
            hear(self.player, event, self.seat)

    @property
    def match_id(self) -> str:
        """The replica's own id of the match."""
        return str(self._table)


class _Watcher(ClientWatcher):
    """Tells each seat what concerns it. The player who logs in is that of the connection which is heard."""

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
        config, wire = replica.host.factory.config, replica.host.wire
        assert wire.client_codec is not None
        self._replica = replica
        self._seat = seat
        self._expect = expect
        self._codec: Any = config.new_codec()
        self._reads = wire.client_codec()
        self._conversation = config.new_conversation(self, replica.host.lobby)
        #: Whether the replica has closed the connection.
        self.closed = False
        replica.watcher.speaker = seat
        self._conversation.begin()

    def hear(self, data: bytes) -> None:
        """The client has sent these bytes."""
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
        """The connection is lost."""
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

    def say_and_hold(self, message: Any, seconds: float) -> None:
        """The server must send this message, at its own pace."""
        self.say(message)

    def hold(self, seconds: float) -> None: ...

    @property
    def hold_seconds(self) -> float:
        """Nothing is held back."""
        return 0.0

    def unsay(self, unwanted: Callable[[Any], bool]) -> bool:
        """Nothing is held back."""
        return False

    def hang_up(self, reason: str = "") -> None:
        """The server may close the connection."""
        self.closed = True

    def logged_in(self) -> None: ...

    def logged_out(self) -> None: ...

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None: ...

    def no_alarm(self) -> None: ...

    def pulse(self, seconds: float, beat: Callable[[float], None]) -> None: ...

    def exempt_from_rate(self) -> None: ...

    def move_accepted(self) -> None: ...

    def journaled(self, size: int) -> None: ...


class Replica:
    """
    The private host.

    :param settings: of the game and the wire, by their full names
    :param strict: the document's messages only
    :param game: plays instead of the wire's own game
    """

    def __init__(
        self, wire: Wire[Any], settings: Mapping[str, str], strict: bool, seed: int, game: Game[Any, Any] | None = None
    ) -> None:
        self.clock = Clock()
        self.watcher = _Watcher()
        self._chance = SeededChance(seed)
        self._draws: deque[int] = deque()
        self.host = PrivateHost(self.clock, wire, self.watcher, settings, strict, GRACE, seed, self._below, game)

    def _below(self, n: int) -> int:
        return min(self._draws.popleft(), n - 1) if self._draws else self._chance.below(n)

    def draw_next(self, draws: Iterable[int]) -> None:
        """The next random numbers are these."""
        self._draws = deque(draws)

    def begin_with(self, settings: Mapping[str, str]) -> None:
        """The next match has these settings too."""
        before, game = self.host.lobby.settings, self.host.game.name
        self.host.lobby.settings = {**before, game: {**before[game], **settings}}

    def close(self) -> None:
        """Stop all clocks."""
        self.host.close()
