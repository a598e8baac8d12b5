"""
One remote game: the messages between its players, its table and its master. The master of a remote game is a program on
another machine that knows the rules.

`RemoteGame` has the master's seat at the table, and passes messages to the connection of the master. If that connection
is lost, the game stores its events. The next master receives all of them again, under a new id: the beginning, and then
each move after the state to which it belongs. The states of the new master must equal those that the players received.
Then the game continues.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.games.base import Result, Seat
from gamehost.games.remote.master import (
    Action,
    Ended,
    Event,
    Finish,
    Gone,
    Move,
    Moved,
    NeverWas,
    Next,
    PutOut,
    Referee,
    StateSaid,
)
from gamehost.journal.records import TableId
from gamehost.lobby.sessions import Contestant
from gamehost.tables.interfaces import Refused, SeatHandle, Suspended
from gamehost.tables.table import Table

#: Each player by name, and whether the player has won.
Results = Sequence[tuple[str, bool]]


class RemotePlayer(Contestant, Protocol):
    """A connected player of remote games. The conversations of the wires with such games provide it."""

    def deliver(self, event: Any) -> None:
        """Send an event of the lobby to the client, as `Player.deliver` does."""

    def remote_taken(self, seat: "RemoteSeat") -> None:
        """Note the player's seat: the player does not wait any more, because a game is about to begin."""

    def remote_seated(self) -> None:
        """Note that the game has begun. The first state comes later, from the master."""

    def remote_state(self, next_player: str, content: bytes) -> None:
        """Send a state of the game to the client."""

    def remote_over(self, results: Results, content: bytes) -> None:
        """Send the end of the game to the client. The player has no seat any more."""

    def remote_vanished(self) -> None:
        """
        Note that the game has ended before its first state was sent. The player has no seat any more, and waits again,
        before all others.
        """

    def remote_refused(self, reason: str) -> None:
        """Send the client the reason why its move was refused."""

    def remote_suspended(self) -> None:
        """Send the client that a fault of the host has stopped the game. The player has no seat any more."""


class MasterLink(Protocol):
    """The connection of a master. Games are named by the ids that this master knows."""

    def begin_game(self, game_id: str, names: Sequence[str]) -> None:
        """Send the master that a game begins, with its players."""

    def pass_move(self, game_id: str, content: bytes) -> None:
        """Send the master the move of a player."""

    def player_left(self, game_id: str, name: str) -> None:
        """Send the master that a player is out of the game."""

    def own_state(self, game_id: str, next_player: str, content: bytes) -> None:
        """Confirm to the master that all players have received a state that it has sent."""

    def own_end(self, game_id: str, results: Results, content: bytes) -> None:
        """Confirm to the master that all players have received the end that it has sent."""

    def refused(self, reason: str) -> None:
        """Send the master the reason why its message was refused."""


@define(eq=False)
class RemoteTable(Table[Action, Event]):
    """
    The table of a remote game. The last seat is the master's.

    There is no grace time: a player that disconnects loses its seat at once. If the master disconnects, the table waits
    for the next master, with its clock stopped.
    """

    #: Whether the clock is stopped.
    _still: bool = False

    def now(self) -> int:
        """The time on the clock of the match, in milliseconds. It does not advance while the master is lost."""
        return self._stopped if self._still else super().now()

    def _due(self) -> int | None:
        return None if self._still else super()._due()

    @property
    def result(self) -> Result | None:
        """The result of the game, even if the players have not received it yet; `None`: the game is not over."""
        return self._master.result

    @property
    def owes_state(self) -> bool:
        """Whether the master must send the next state now."""
        return isinstance(self._master, Referee) and self._master.owes_state

    def stand_still(self) -> None:
        """Stop all clocks, because the master is lost. Players may still move and leave."""
        if not self._still:
            self._stopped = self.now()
            self._still = True
            self._set_alarm()

    def go_on(self) -> None:
        """Let the clocks continue, because a new master has received everything."""
        if self._still:
            self._still = False
            self._origin = self._context.clock.seconds() - self._stopped / 1000
            self._set_alarm()

    def void(self) -> None:
        """End the game without a winner, by a forfeit of the master's seat."""
        self._forfeit(Seat(len(self.names) - 1))


@define(eq=False)
class RemoteSeat:
    """
    A player's seat in a remote game: passes the player's moves to the table, and the table's events to the player.

    :param player: the player of the seat; `None`: the player has left
    """

    game: "RemoteGame"
    seat: Seat
    player: RemotePlayer | None
    _handle: SeatHandle[Any] | None = None

    @property
    def game_id(self) -> str:
        """The id by which the players know the game."""
        return str(self.game.number)

    def move(self, content: bytes) -> bool:
        """Make a move. Returns whether it goes to the master; if not, the player receives the reason."""
        return self._handle is not None and self._handle.act(Move(content))

    def leave(self) -> None:
        """Take the player out of the game. It receives nothing more of the game."""
        self.player = None
        self.game.leave(self.seat)

    # -- the table calls these

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Note the handle of the seat, and inform the player that the game has begun."""
        self._handle = handle
        if self.player is not None:
            self.player.remote_seated()

    def deliver(self, event: Any) -> None:
        """Send an event of the game to the player. A fault of its connection is only logged, and does not disturb others."""
        if self.player is not None:
            try:
                self._tell(self.player, event)
            except Exception:
                RemoteGame.log.failure("telling a player of remote game {game} failed", game=self.game.number)

    def _tell(self, player: RemotePlayer, event: Any) -> None:
        """Call the player's method for an event of the game. At the end of the game, the player loses its seat."""
        match event:
            case StateSaid(seat, content):
                player.remote_state(self.game.names[seat], content)
            case Ended(results, content):
                self.player = None
                player.remote_over(self.game.named(results), content)
            # The game has ended before its first state, so this player waits again.
            case NeverWas():
                self.player = None
                self.game.vanished(player)
            case Refused(error):
                player.remote_refused(str(error))
            case Suspended():
                self.player = None
                player.remote_suspended()


@frozen
class _Told:
    """A step of the game: a state that all players have received. `next` is the seat that moves next."""

    next: Seat
    content: bytes


_Step = _Told | Moved | Gone


@frozen
class RemoteLimits:
    """Limits on masters of remote games. `None`: no limit."""

    #: The most masters in all: enough for the programs of a school class.
    masters: int | None = 64
    masters_per_address: int | None = 8
    #: The most games of one master at once. Further players wait, because a master usually has only one thread.
    games: int | None = 256
    #: The most bytes of moves and states in one game.
    bytes: int = 1 << 20
    #: The most states in one game.
    states: int = 10_000


@define(eq=False)
class RemoteGame:
    """
    A remote game. For the table it is the player in the master's seat: it passes messages between the table and the
    connection of the current master. A new master receives the steps of the game again: the game is *rebuilt*.

    :param names: the players, in the order of their seats
    :param quiet: whether the master receives no message when a player leaves
    :param answer_time: how many seconds the master has for each state while the game is rebuilt; 0: any time
    :param unanswered: called when the master was too slow while the game was rebuilt
    :param returned: called with players that wait again, because the game ended before they received anything
    """

    number: TableId
    names: Sequence[str]
    limits: RemoteLimits
    quiet: bool
    _clock: IReactorTime
    _answer_time: float
    _unanswered: Callable[[], None]
    _returned: Callable[[Sequence[RemotePlayer]], None]
    seats: Sequence[RemoteSeat] = ()
    table: RemoteTable = field(init=False)
    master: MasterLink | None = None
    _handle: SeatHandle[Any] | None = None
    #: How many masters have received this game, one after the other.
    masters_told: int = 0
    #: The steps of the game up to now.
    _steps: list[_Step] = field(factory=list)
    #: While the game is rebuilt: the index of the next step for the new master. `None`: the master has received all steps.
    _at: int | None = None
    _timer: Timer = field(factory=Timer)
    #: How many bytes of moves and states there were, and how many states.
    _bytes: int = 0
    _states: int = 0
    #: Whether the game is over.
    over: bool = False
    #: Whether the host stops.
    stopped: bool = False
    #: Players that are put back to the front of the pool when the game is over.
    returning: list[RemotePlayer] = field(factory=list)

    log = Logger()

    @property
    def game_id(self) -> str:
        """The id by which the current master knows the game. It is another one for each master that receives the game."""
        return str(self.number) if self.masters_told <= 1 else f"{self.number}.{self.masters_told}"

    def named(self, results: Sequence[tuple[Seat, bool]]) -> Results:
        """Return the results with the players' names instead of their seats."""
        return [(self.names[seat], won) for seat, won in results]

    # -- masters come and go

    def meet(self, master: MasterLink) -> None:
        """Give the game to a master, which receives all steps up to now."""
        self.master = master
        # Before the match has begun, `seated` does this.
        if self._handle is not None:
            self._tell_anew()

    def lose_master(self) -> None:
        """Note that the master is lost: the clocks stop until another master takes over the game."""
        self.master = None
        self._at = None  # the rebuilding of the game has ended, too
        self._timer.stop()
        if not self.over:
            self.table.stand_still()

    def _tell_anew(self) -> None:
        """Begin to send the game to its current master, from its beginning."""
        assert self.master is not None
        self.masters_told += 1
        self._at = 0
        self.master.begin_game(self.game_id, self.names)
        self._go_on()

    def _go_on(self) -> None:
        """Send the new master the next steps, up to the next state, which the master itself must send now."""
        self._timer.stop()
        # The master may be lost, or the game void, while a step is sent.
        while self._at is not None and self.master is not None:
            # The master has received all steps: the game continues.
            if self._at == len(self._steps):
                self._at = None
                self.table.go_on()
                return
            step = self._steps[self._at]
            # The master must send this state: `_compare` continues when it has come.
            if isinstance(step, _Told):
                if self._answer_time:
                    self._timer.set(self._clock, self._answer_time, self._not_answered)
                return
            self._at += 1
            self._tell_step(step)

    def _tell_step(self, step: Moved | Gone) -> None:
        """Send the master one step that came from a player."""
        assert self.master is not None
        if isinstance(step, Moved):
            self.master.pass_move(self.game_id, step.content)
        elif not self.quiet:
            self.master.player_left(self.game_id, self.names[step.seat])

    def _not_answered(self) -> None:
        """End the game without a winner, because the new master has sent an earlier state too late."""
        self._void("it was not rebuilt in time")
        self._unanswered()

    def _void(self, why: str) -> None:
        self.log.info("remote game {game} is void: {why}", game=self.number, why=why)
        self.table.void()

    def give_up(self) -> None:
        """End the game without a winner, because no new master has come in time."""
        self._void("its master did not come back")

    def halt(self) -> None:
        """Stop the timers of the game and of its table, because the host stops."""
        self.stopped = True
        self._timer.stop()
        self.table.halt()

    # -- messages of the master

    @property
    def owed(self) -> bool:
        """Whether the master must send a state now: the next one, or an earlier one while the game is rebuilt."""
        return self._at is not None or self.table.owes_state

    def say_state(self, next_player: str, results: Results, content: bytes) -> bool:
        """
        Process a state that the master has sent, or the end of the game. A wrong message is refused, and changes nothing.

        :param next_player: the player that moves next; empty: the game is over
        :param results: of all players, if the game is over; otherwise empty
        :returns: whether the content is written to the journal
        """
        seats = {name: Seat(seat) for seat, name in enumerate(self.names)}
        named = [next_player] if next_player else [name for name, _ in results]
        if any(name not in seats for name in named):
            self._refuse("expected a player that is in the game")
        # The game is being rebuilt: the state must be one that the players have received.
        elif self._at is not None:
            self._compare(seats.get(next_player), content)
        elif self._handle is not None and self._has_room(content, state=True):
            if next_player:
                return self._handle.act(Next(seats[next_player], content))
            return self._handle.act(Finish(tuple([(seats[name], won) for name, won in results]), content))
        return False

    def put_out(self, name: str) -> None:
        """Take a player out of the game, as its master demands."""
        if name not in self.names:
            self._refuse("expected a player that is in the game")
        elif self._at is None and self._handle is not None:
            # While the game is rebuilt, the master repeats what has happened already.
            self._handle.act(PutOut(Seat(self.names.index(name))))

    def _compare(self, next_seat: Seat | None, content: bytes) -> None:
        """
        Compare a state from a new master with the state that the players have received at this point of the game. If they
        differ, the game is void; otherwise the master receives the next steps.

        :param next_seat: the seat to move; `None`: the master says that the game is over, which it was not
        """
        assert self._at is not None
        if next_seat is None or self._steps[self._at] != _Told(next_seat, content):
            self._void("the new master has another state than the players")
            return
        self._at += 1
        self._go_on()

    def _refuse(self, reason: str) -> None:
        if self.master is not None:
            self.master.refused(reason)

    def _has_room(self, content: bytes, state: bool) -> bool:
        """Count the bytes of a move or a state. Returns whether the game is within its limits; otherwise it is void now."""
        self._bytes += len(content)
        self._states += state
        if self._bytes <= self.limits.bytes and self._states <= self.limits.states:
            return True
        self._void("it is too long")
        return False

    # -- players

    def leave(self, seat: Seat) -> None:
        if not self.stopped:
            self.table.disconnect(seat)

    def vanished(self, player: RemotePlayer) -> None:
        """Put a player back into the pool, because the game ended before its first state was sent."""
        player.remote_vanished()
        self.returning.append(player)
        # If the game is over, `RemoteGames` puts all players back together. Otherwise only this player is out of it.
        if self.table.result is None:
            self.give_back()

    def give_back(self) -> None:
        """Put the players in `returning` back into the pool."""
        returning, self.returning = self.returning, []
        if returning:
            self._returned(returning)

    # -- the table calls these

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Begin the game with its master; without one, stop the clocks until a master comes."""
        self._handle = handle
        if self.master is None:
            self.table.stand_still()
        else:
            self._tell_anew()

    def deliver(self, event: Any) -> None:
        """Pass an event of the game to the master. A fault of its connection is only logged, and does not disturb players."""
        try:
            self._hear(event)
        except Exception:
            self.log.failure("telling the master of remote game {game} failed", game=self.number)

    def _hear(self, event: Any) -> None:
        """Store an event of the table as a step of the game, and send it to the master if the master needs it now."""
        match event:
            case Moved(_, content):
                if self._has_room(content, state=False):  # otherwise the game is void now
                    self._add(event)
            case Gone():
                self._add(event)
            case StateSaid(seat, content):
                self._steps.append(_Told(seat, content))
                # While the game is rebuilt, the new master must not receive confirmations of what the old one has sent.
                if self.master is not None and self._at is None:
                    self.master.own_state(self.game_id, self.names[seat], content)
            case Ended(results, content):
                if self.master is not None:
                    self.master.own_end(self.game_id, self.named(results), content)
            case Refused(error):
                self._refuse(str(error))
            case Suspended():
                self.end()

    def _add(self, step: Moved | Gone) -> None:
        """
        Add a step. The master receives it at once; while the game is rebuilt, it receives this step after the earlier ones.
        """
        self._steps.append(step)
        if self._at is None and self.master is not None:
            self._tell_step(step)

    def end(self) -> None:
        """Note that the game is over, or was stopped by a fault, and free its memory."""
        self.over = True
        self._timer.stop()
        self._steps.clear()
