"""
One scenario with one client, from its start to the verdict, with what the scenario does in the middle of a match.
"""

from collections.abc import Callable
from typing import Any

from gamehost.checker.base import Act, Grade, Step
from gamehost.checker.run_base import ENDS, Phase
from gamehost.checker.run_match import MatchRun
from gamehost.games.base import Seat

#: Seconds for a client whose connection was lost to come back.
RETURNS = 10.0
#: Seconds for which a client may try to reach a host that is gone.
TRIES = 30.0
#: Seconds for which an opponent is away, and for which it thinks, where a scenario says so.
AWAY = 0.3
THINKS = 5.0
THINKS_LONG = 30.0


class ScenarioRun(MatchRun):
    """One scenario. The arguments are those of `BaseRun`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._steps = list(self.scenario.steps)

    def _take_step(self, owes: bool) -> None:
        assert self._handle is not None
        for step in self._steps:
            if self._handle.n >= step.after and step.client_owes in (None, owes):
                self._steps.remove(step)
                self._do(step)
                break

    def _do(self, step: Step) -> None:
        self.tape.note(step.act.value)
        _ACTS[step.act](self)

    def _opponent_drops(self) -> None:
        self._opponents[0].drop()
        self._later(AWAY, self._opponents[0].come_back)

    def _opponent_gone(self) -> None:
        self._opponents[0].drop()

    def _opponent_resigns(self) -> None:
        self._opponents[0].resign()

    def _opponent_fouls(self) -> None:
        self._opponents[0].act(self.checks.foul)

    def _opponent_thinks(self) -> None:
        self._think(THINKS)

    def _opponent_thinks_long(self) -> None:
        self._think(THINKS_LONG)

    def _think(self, seconds: float) -> None:
        self._held_until = self.clock.seconds() + seconds
        for opponent in self._opponents:
            self._later(seconds, opponent.go_on)

    def _client_cut(self) -> None:
        if self._line is not None:
            self._phase = Phase.RETURNING
            self._expected_refusals = 1
            self._deadline(RETURNS, self._not_back)
            self._line.cut()
            if self.scenario.lay is not None:
                self._lay(self.scenario.lay)

    def _lay(self, lay: Callable[[Any, Seat], None]) -> None:
        """Lay another position. The opponents see it too, and wait until the client is back."""
        handle = self._handle
        assert handle is not None
        lay(self._host.master(handle.table), Seat(handle.seat))
        self.tape.note("the checker lays another position")
        self._held_until = float("inf")
        for opponent in self._opponents:
            opponent.drop()
            opponent.come_back()

    def _client_is_back(self) -> None:
        if self._held_until == float("inf"):
            self._held_until = 0.0
            for opponent in self._opponents:
                opponent.go_on()

    def _not_back(self) -> None:
        self._found(
            *(Grade.BREACH, "the client does not come back", "reconnect"),
            f"The client's connection was lost, and it did not take its seat again within {RETURNS:g} s.",
        )
        self._finish()

    def _host_stops(self) -> None:
        self._host_gone(killed=False)

    def _host_killed(self) -> None:
        self._host_gone(killed=True)

    def _host_gone(self, killed: bool) -> None:
        self._matches += 1
        self._host_is_gone = True
        self._phase = Phase.ENDING
        self._no_deadline()
        self._launcher.refuse_connections()
        line = self._line
        if killed and line is not None:
            line.cut()
        else:
            self._host.factory.close("the host stops")
        self._deadline(TRIES + ENDS, self._never_ends)

    def _never_ends(self) -> None:
        self._found(
            *(Grade.BREACH, "the client hangs when the host is gone", "closing"),
            f"The host was gone, and the client still ran {TRIES + ENDS:g} s later.",
        )
        self._finish()

    def _move_refused(self) -> None:
        if self._line is None or self.checks.spoiled is None:
            return
        self._line.spoil_next(self.checks.spoiled, self._spoil_sent)

    def _spoil_sent(self) -> None:
        self._expected_refusals += 1
        self.tape.note("the checker has changed the client's move on its way; the host refuses it")


_ACTS: dict[Act, Callable[[ScenarioRun], None]] = {
    Act.OPPONENT_DROPS: ScenarioRun._opponent_drops,
    Act.OPPONENT_GONE: ScenarioRun._opponent_gone,
    Act.OPPONENT_RESIGNS: ScenarioRun._opponent_resigns,
    Act.OPPONENT_FOULS: ScenarioRun._opponent_fouls,
    Act.OPPONENT_THINKS: ScenarioRun._opponent_thinks,
    Act.OPPONENT_THINKS_LONG: ScenarioRun._opponent_thinks_long,
    Act.CLIENT_CUT: ScenarioRun._client_cut,
    Act.HOST_STOPS: ScenarioRun._host_stops,
    Act.HOST_KILLED: ScenarioRun._host_killed,
    Act.MOVE_REFUSED: ScenarioRun._move_refused,
}
