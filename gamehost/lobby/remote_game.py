"""
One remote game: the messages between its players, its table and its master.

The game sits in the master's seat. It sends to whatever connection has registered for the type of game. If that
connection is lost, the game stores its events. The next master gets all of it again, under a new id: the beginning, and
every move after the state that came before it. The states of the new master must be the same as those that were sent.
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

#: Each player by name, and whether they have won.
Results = Sequence[tuple[str, bool]]


class RemotePlayer(Contestant, Protocol):
    """A player of remote games: a conversation."""

    def deliver(self, event: Any) -> None:
        """As of a `Player`: an event of the lobby."""

    def remote_taken(self, seat: "RemoteSeat") -> None:
        """The player waits no longer: a game is about to begin, and this is the player's seat."""

    def remote_seated(self) -> None:
        """The game has begun. The master will say the first state."""

    def remote_state(self, next_player: str, content: bytes) -> None:
        """Send a state of the game."""

    def remote_over(self, results: Results, content: bytes) -> None:
        """Send the end. The seat is void."""

    def remote_vanished(self) -> None:
        """The game ended before its first state was sent. The player waits again, in front of all others."""

    def remote_refused(self, reason: str) -> None:
        """A move was refused."""

    def remote_suspended(self) -> None:
        """The game has stopped by a fault of the host. The seat is void."""


class MasterLink(Protocol):
    """The connection of a master. It is given the games by the ids that the master knows."""

    def begin_game(self, game_id: str, names: Sequence[str]) -> None:
        """A game begins."""

    def pass_move(self, game_id: str, content: bytes) -> None:
        """A player has moved."""

    def player_left(self, game_id: str, name: str) -> None:
        """A player is out of the game."""

    def own_state(self, game_id: str, next_player: str, content: bytes) -> None:
        """All players have received a state of this master."""

    def own_end(self, game_id: str, results: Results, content: bytes) -> None:
        """All players have received the end."""

    def refused(self, reason: str) -> None:
        """The master's message was refused."""


@define(eq=False)
class RemoteTable(Table[Action, Event]):
    """
    The table of a remote game. The last seat is the master's. Its context has no grace time.

    A player that disconnects loses the seat at once. A lost master is waited for: the clock of the table is stopped
    meanwhile.
    """

    _still: bool = False

    def now(self) -> int:
        return self._stopped if self._still else super().now()

    def _due(self) -> int | None:
        return None if self._still else super()._due()

    @property
    def result(self) -> Result | None:
        """The end of the game, sent or not."""
        return self._master.result

    @property
    def owes_state(self) -> bool:
        return isinstance(self._master, Referee) and self._master.owes_state

    def stand_still(self) -> None:
        """The master is lost: stop all clocks. Players may still move, and leave."""
        if not self._still:
            self._stopped = self.now()
            self._still = True
            self._set_alarm()

    def go_on(self) -> None:
        """A master is there again, and knows all that has happened."""
        if self._still:
            self._still = False
            self._origin = self._context.clock.seconds() - self._stopped / 1000
            self._set_alarm()

    def void(self) -> None:
        """End the game without a winner: there is no master for it."""
        self._forfeit(Seat(len(self.names) - 1))


@define(eq=False)
class RemoteSeat:
    """
    A player's seat in a remote game.

    :param player: the player of the seat; `None`: it has left
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
        """Move. Returns whether the move goes to the master; if not, the player receives the reason."""
        return self._handle is not None and self._handle.act(Move(content))

    def leave(self) -> None:
        """The player is out of the game, and receives nothing more of it."""
        self.player = None
        self.game.leave(self.seat)

    # -- the table calls these

    def seated(self, handle: SeatHandle[Any]) -> None:
        self._handle = handle
        if self.player is not None:
            self.player.remote_seated()

    def deliver(self, event: Any) -> None:
        """Something has happened in the game. A fault of one player's connection must not stop the others."""
        if self.player is not None:
            try:
                self._tell(self.player, event)
            except Exception:
                RemoteGame.log.failure("telling a player of remote game {game} failed", game=self.game.number)

    def _tell(self, player: RemotePlayer, event: Any) -> None:
        match event:
            case StateSaid(seat, content):
                player.remote_state(self.game.names[seat], content)
            case Ended(results, content):
                self.player = None
                player.remote_over(self.game.named(results), content)
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
    """A step of the game: a state that all have received."""

    next: Seat
    content: bytes


_Step = _Told | Moved | Gone


@frozen
class RemoteLimits:
    """Limits on masters of remote games. `None`: any number."""

    #: Masters in all: enough for the programs of a school class.
    masters: int | None = 64
    masters_per_address: int | None = 8
    #: Games of one master at once. A master has one thread, so more players wait.
    games: int | None = 256
    #: Bytes of contents, and states, in one game.
    bytes: int = 1 << 20
    states: int = 10_000


@define(eq=False)
class RemoteGame:
    """
    A game, as its master's seat.

    :param names: the players, in the order of their seats
    :param answer_time: seconds for each state while the game is rebuilt; 0: any time
    :param quiet: the master does not receive which players have left
    :param unanswered: called when the master has not answered while the game was rebuilt
    :param returned: called with players for whom this game never was
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
    #: The number of masters that have received this game.
    masters_told: int = 0
    #: The steps that the players and the master know.
    _steps: list[_Step] = field(factory=list)
    #: The next step for a new master; `None`: it has all.
    _at: int | None = None
    _timer: Timer = field(factory=Timer)
    _bytes: int = 0
    _states: int = 0
    over: bool = False
    stopped: bool = False
    #: Players that come to the front of the pool again when the game is over.
    returning: list[RemotePlayer] = field(factory=list)

    log = Logger()

    @property
    def game_id(self) -> str:
        """The id by which the present master knows the game. No master receives an id twice."""
        return str(self.number) if self.masters_told <= 1 else f"{self.number}.{self.masters_told}"

    def named(self, results: Sequence[tuple[Seat, bool]]) -> Results:
        return [(self.names[seat], won) for seat, won in results]

    # -- masters come and go

    def meet(self, master: MasterLink) -> None:
        """A master takes over the game, and receives all steps so far."""
        self.master = master
        if self._handle is not None:
            self._tell_anew()

    def lose_master(self) -> None:
        """The master is lost. The clocks are stopped until another one comes, or the game is void."""
        self.master = self._at = None
        self._timer.stop()
        if not self.over:
            self.table.stand_still()

    def _tell_anew(self) -> None:
        assert self.master is not None
        self.masters_told += 1
        self._at = 0
        self.master.begin_game(self.game_id, self.names)
        self._go_on()

    def _go_on(self) -> None:
        """Send a new master the steps, up to the next state that it has to send."""
        self._timer.stop()
        while self._at is not None and self.master is not None:
            if self._at == len(self._steps):
                self._at = None
                self.table.go_on()
                return
            step = self._steps[self._at]
            if isinstance(step, _Told):
                if self._answer_time:
                    self._timer.set(self._clock, self._answer_time, self._not_answered)
                return
            self._at += 1
            self._tell_step(step)

    def _tell_step(self, step: Moved | Gone) -> None:
        assert self.master is not None
        if isinstance(step, Moved):
            self.master.pass_move(self.game_id, step.content)
        elif not self.quiet:
            self.master.player_left(self.game_id, self.names[step.seat])

    def _not_answered(self) -> None:
        self._void("it was not rebuilt in time")
        self._unanswered()

    def _void(self, why: str) -> None:
        self.log.info("remote game {game} is void: {why}", game=self.number, why=why)
        self.table.void()

    def give_up(self) -> None:
        self._void("its master did not come back")

    def halt(self) -> None:
        self.stopped = True
        self._timer.stop()
        self.table.halt()

    # -- the master says

    @property
    def owed(self) -> bool:
        return self._at is not None or self.table.owes_state

    def say_state(self, next_player: str, results: Results, content: bytes) -> bool:
        """
        The master sends a state, or the end if there are results. A wrong message is refused, and changes nothing.

        :returns: whether the content goes into the journal
        """
        seats = {name: Seat(seat) for seat, name in enumerate(self.names)}
        named = [next_player] if next_player else [name for name, _ in results]
        if any(name not in seats for name in named):
            self._refuse("expected a player that is in the game")
        elif self._at is not None:
            self._compare(seats.get(next_player), content)
        elif self._handle is not None and self._has_room(content, state=True):
            if next_player:
                return self._handle.act(Next(seats[next_player], content))
            return self._handle.act(Finish(tuple([(seats[name], won) for name, won in results]), content))
        return False

    def put_out(self, name: str) -> None:
        if name not in self.names:
            self._refuse("expected a player that is in the game")
        elif self._at is None and self._handle is not None:
            # While the game is rebuilt, the master repeats what has happened already.
            self._handle.act(PutOut(Seat(self.names.index(name))))

    def _compare(self, next_seat: Seat | None, content: bytes) -> None:
        """Compare a state of a master that is receiving the game again."""
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
        """Count a content. If the game gets too long, it is void."""
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
        """Put a player back into the pool: the game ended before its first state."""
        player.remote_vanished()
        self.returning.append(player)
        if self.table.result is None:
            self.give_back()

    def give_back(self) -> None:
        """Let the players wait again that never received this game."""
        returning, self.returning = self.returning, []
        if returning:
            self._returned(returning)

    # -- the table calls these

    def seated(self, handle: SeatHandle[Any]) -> None:
        self._handle = handle
        if self.master is None:
            self.table.stand_still()
        else:
            self._tell_anew()

    def deliver(self, event: Any) -> None:
        """Something has happened in the game. A fault of the master's connection must not stop the players."""
        try:
            self._hear(event)
        except Exception:
            self.log.failure("telling the master of remote game {game} failed", game=self.number)

    def _hear(self, event: Any) -> None:
        match event:
            case Moved(_, content):
                if self._has_room(content, state=False):
                    self._add(event)
            case Gone():
                self._add(event)
            case StateSaid(seat, content):
                self._steps.append(_Told(seat, content))
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
        A master that has all steps receives it at once. A master that is receiving the game again gets it in its turn.
        """
        self._steps.append(step)
        if self._at is None and self.master is not None:
            self._tell_step(step)

    def end(self) -> None:
        self.over = True
        self._timer.stop()
        self._steps.clear()
