"""
One scenario with one client, at the table: its opponents, whose turn it is, and the end of a match.
"""

from typing import Any

from gamehost.checker.base import Grade
from gamehost.checker.opponent import Opponent
from gamehost.checker.run_base import CLOSES, BaseRun, Phase
from gamehost.games.base import Cause, Seat
from gamehost.lobby.queue import Queue
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.players.registry import new_player
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Refused, SeatHandle, Suspended

#: Seconds for an answer that the client owes.
ANSWERS = 10.0
#: Matches that are played with a client beyond those of the scenario, if it asks for them.
MORE = 2
#: The share of a level's thinking that an opponent uses.
EFFORT = 0.25

_OF_TABLES = (Away, Left, Suspended, OpenTable)


class MatchRun(BaseRun):
    """A scenario with what happens at the table."""

    #: Until when the opponents think, on the clock.
    _held_until = 0.0

    # -- what happens at the table

    def waits(self, queue: Queue) -> None:
        """The client waits in a queue: its opponents come."""
        self._logged_in()
        self._later(0, self._meet, queue)

    def _meet(self, queue: Queue) -> None:
        wanted = self.scenario.matches
        more = self._matches < wanted or (self._said_since_over and self._matches < wanted + MORE)
        if self._phase is Phase.DONE or self._handle is not None or not more:
            return
        opponent = self._opponents[0] if self._opponents else self._new_opponent(0)
        self._host.lobby.play(opponent.come(), queue)

    def opened(self, table: OpenTable, queue: Queue) -> None:
        """The client waits at a table of its own: its opponents come."""
        self._logged_in()
        self._later(0, self._fill, table, queue)

    def _fill(self, table: OpenTable, queue: Queue) -> None:
        if self._phase is Phase.DONE:
            return
        for opponent in self._opponents:
            opponent.drop()
        for number in range(table.seats - 1):
            if number == len(self._opponents):
                self._new_opponent(number)
            self._host.join(self._opponents[number].come(), table.table, queue)

    def _opponents_first(self) -> None:
        lobby, queue, opponent = self._host.lobby, self._host.queue, self._new_opponent(0)
        if self._host.game.most_seats == 2:
            lobby.play(opponent.come(), queue)
            return
        table = lobby.open_table(opponent.come(), queue, self.scenario.seats, self.scenario.table)
        for number in range(1, self.scenario.seats - 1):
            self._host.join(self._new_opponent(number).come(), table.table, queue)

    def _new_opponent(self, number: int) -> Opponent:
        names = self.scenario.opponents
        name = names[number] if number < len(names) else f"{names[0]}{number + 1}"
        seed, level = self._chance.below(2**32), self.scenario.level

        def player(game: str, seat: Seat) -> Player:
            if self.scenario.opponent is None:
                return new_player(game, seat, level, seed, effort=EFFORT)
            return self.scenario.opponent(seat, level, Thinking(SeededChance(seed), None, EFFORT))

        opponent = Opponent(self._host, self.clock, name, player, self._may_think, self._opponent_over)
        self._opponents.append(opponent)
        return opponent

    def _may_think(self) -> bool:
        return self.clock.seconds() >= self._held_until

    def _logged_in(self) -> None:
        if self._phase is Phase.CONNECTING:
            self._no_deadline()

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The client has a seat."""
        self._handle = handle
        self._was_seated = True
        if self._shadow is None:
            self._shadow = new_player(handle.game, Seat(handle.seat), Level.RANDOM, self.seed)
        self._phase = Phase.PLAYING

    def delivered(self, event: Any) -> None:
        """The client was told an event of its table. While there is no host or no connection, it is told nothing."""
        if self._host_is_gone or self._phase is Phase.RETURNING:
            return
        if isinstance(event, Over):
            self._over(event)
            return
        if self._phase is not Phase.PLAYING or self._shadow is None or self._handle is None:
            return
        if isinstance(event, Back):
            if event.seat == self._handle.seat:
                self._shadow.hear(event.view)
                self._client_is_back()
        elif not isinstance(event, (*_OF_TABLES, Refused)):
            owed = self._cannot_know and self._owes
            self._shadow.hear(event)
            self._has_acted = self._has_acted or (owed and not self._owes)
        if not isinstance(event, Refused):
            self._later(0, self._look)

    @property
    def _owes(self) -> bool:
        return self._shadow is not None and self._shadow.answer() is not None

    def _look(self) -> None:
        """See what is to be done now, after something has happened."""
        if self._phase is not Phase.PLAYING or self._handle is None:
            return
        owes = self._owes
        if owes:
            self._deadline(ANSWERS, self._silent)
        else:
            self._no_deadline()
        if self._handle.n >= self.scenario.most:
            self._opponents[0].resign()
            return
        self._take_step(owes)

    def _silent(self) -> None:
        self._found(
            *(Grade.BREACH, "no answer", "turn"),
            f"It was the client's turn, and it sent nothing that was accepted for {ANSWERS:g} s.",
        )
        self._finish()

    def _over(self, event: Over) -> None:
        handle, self._handle, self._shadow = self._handle, None, None
        self._matches += 1
        self._said_since_over = False
        self._no_deadline()
        result = event.result
        law = "Move" if "Move" in self.checks.laws else "turn"
        if result.cause in (Cause.VIOLATION, Cause.TIME) and handle is not None and handle.seat not in result.winners:
            self._found(
                Grade.BREACH, f"the client lost by its own fault: {result.why.split(':')[0]}", law, f"{result.why}."
            )
        self._phase = Phase.CONNECTING if self._matches < self.scenario.matches else Phase.CLOSING
        if self._phase is Phase.CLOSING:
            self._deadline(CLOSES, self._close)
        else:
            self._deadline(CLOSES, self._no_next_match)

    def _opponent_over(self) -> None:
        """The match is over. A client whose connection is lost never hears that, and may well wait for another match."""
        if self._phase is Phase.RETURNING:
            self._matches += 1
            self._later(0, self._finish)

    def _client_is_back(self) -> None:
        """The client has taken its seat again."""

    def _take_step(self, owes: bool) -> None:
        """Do what the scenario does now."""
        raise NotImplementedError
