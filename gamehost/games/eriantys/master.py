"""
The referee of an Eriantys match, and the token by which tables and journals name the game.

There is exactly one open request at any time. It is a value, so it can be sent again: after a refusal, after a character, and
to a player who comes back. An action either answers it, or is refused and changes nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, field, frozen

from gamehost.games.base import Cause, Result, Seat, To, any_of
from gamehost.games.chance import Chance
from gamehost.games.eriantys import actions, views
from gamehost.games.eriantys.actions import Action, IllegalChoice, RuleFault, UseCharacter
from gamehost.games.eriantys.events import (
    Ask,
    Closing,
    Denied,
    Event,
    MatchStarted,
    PlayerStatus,
    Situation,
    Told,
    Won,
    board_of,
)
from gamehost.games.eriantys.phases import Choices, Play, answered, character_used, chosen, dealt, members, opened
from gamehost.games.eriantys.pieces import MODES, PlanningOrder, Status
from gamehost.games.eriantys.rules import Match, Position, Verdict, left, left_before_deal
from gamehost.settings import BadOption, Settings, milliseconds, one_of, refuse_unknown, setting, yes_or_no


@frozen
class Rules:
    """The settings of a match."""

    expert: bool = False
    planning_order: PlanningOrder = PlanningOrder.PREVIOUS
    #: Milliseconds for a decision; 0: no limit.
    move_time: int = 0


@define(eq=False)
class EriantysMaster:
    """The referee of one match."""

    _match: Match
    _rules: Rules
    _chance: Chance
    #: The choices until the deal; after it, the match itself.
    _state: Choices | Play = field(init=False)
    _deadline: int | None = field(init=False, default=None)
    _result: Result | None = field(init=False, default=None)
    _won: Won | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._state = Choices(self._match)

    @property
    def deadline(self) -> int | None:
        return self._deadline

    @property
    def result(self) -> Result | None:
        return self._result

    @property
    def request(self) -> Ask | None:
        """The open request; `None`: the match is over."""
        return None if self._result is not None else self._state.request

    @property
    def position(self) -> Position | None:
        """The whole position, hidden things included; `None` before the deal."""
        return self._state.position if isinstance(self._state, Play) else None

    def begin(self, now: int) -> Sequence[To[Event]]:
        self._renew(now)
        request = self._state.request
        return [To(self._started), *([] if request is None else [To(request, (request.seat,))])]

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Event]]:
        """
        Do what a seat wants.

        :raises IllegalChoice: the rules refuse; nothing has changed
        """
        request = self.request
        if request is None:
            raise IllegalChoice(RuleFault.INVALID_ACTION, "the match is over", ask_again=False)
        if seat != request.seat:
            raise IllegalChoice(RuleFault.WRONG_TURN, "another player is asked now", ask_again=False)
        say: Told = []
        self._state = self._after(action, say)
        if self._result is None and not self._half_done(say):
            self._renew(now)
        return say

    def _after(self, action: Action, say: Told) -> Choices | Play:
        state = self._state
        if isinstance(state, Choices):
            state = chosen(state, action, say)
            if not state.complete:
                return state
            play = opened(self._laid(state), self._rules.planning_order, self._chance, say)
        elif isinstance(action, UseCharacter):
            play = character_used(state, action, say)
        else:
            play = answered(state, action, self._chance, say)
        if play.verdict is not None:
            self._end(play.verdict, say)
        return play

    def _laid(self, choices: Choices) -> Position:
        """The table for complete choices."""
        return dealt(choices, self._chance)

    def _half_done(self, say: Told) -> bool:
        """
        Whether a student was chosen without a destination, or the destination was refused. Such half decisions do not
        renew the time, because a player could repeat them for ever.
        """
        picked = isinstance(self._state, Play) and self._state.picked is not None
        return picked or isinstance(say[0].event, Denied)

    def _renew(self, now: int) -> None:
        if self._rules.move_time:
            self._deadline = now + self._rules.move_time

    def _end(self, verdict: Verdict, say: Told) -> None:
        self._deadline = None
        self._result = Result(verdict.winners, verdict.cause, verdict.why)
        for number in range(self._match.mode.seats):
            seat = Seat(number)
            status = Status.WIN if seat in verdict.winners else Status.LOSE
            say.append(To(PlayerStatus(seat, status), (seat,)))
        alone = verdict.team is not None or len(verdict.winners) == 1
        self._won = Won(verdict.team, verdict.winners, verdict.why, verdict.winners[0] if alone else None)
        say.append(To(self._won))
        say.append(To(Closing()))

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        return self._left(seat, Cause.LEFT)

    def expire(self, now: int) -> Sequence[To[Event]]:
        request = self.request
        return [] if request is None else self._left(request.seat, Cause.TIME)

    def to_move(self) -> Seat | None:
        """The seat for which the match waits."""
        return None if self.request is None else self.request.seat

    def view(self, seat: Seat | None) -> Event:
        request, position, state = self.request, self.position, self._state
        return Situation(
            match=self._started,
            board=None if position is None else board_of(position),
            request=None if request is None or request.seat != seat else request,
            won=self._won,
            turn=None if request is None else request.seat,
            statuses=self._statuses(),
            teams=self._teams(),
            picked=state.about if isinstance(state, Play) and request is not None and request.seat == seat else None,
        )

    def _statuses(self) -> tuple[Status, ...]:
        seats, request, state = map(Seat, range(self._match.mode.seats)), self.request, self._state
        if self._result is not None:
            return tuple(Status.WIN if seat in self._result.winners else Status.LOSE for seat in seats)
        asked = request.seat if request is not None and isinstance(state, Play) else None
        stage = state.stage if isinstance(state, Play) else Status.WAITING
        return tuple(stage if seat == asked else Status.WAITING for seat in seats)

    def _teams(self) -> tuple[tuple[Seat, ...], ...]:
        state = self._state
        towers = [school.tower for school in state.position.schools] if isinstance(state, Play) else state.towers
        return members(self._match, towers)

    def state(self) -> object:
        """The whole position, the bag included, and the choices of an unfinished decision."""
        return self._state

    @property
    def _started(self) -> MatchStarted:
        position = self.position
        return MatchStarted(self._match.mode.seats, self._match.expert, None if position is None else position.seating)

    def _left(self, seat: Seat, cause: Cause) -> Sequence[To[Event]]:
        state, say = self._state, list[To[Event]]()
        if isinstance(state, Play):
            self._end(left(state.position, seat, cause), say)
        else:
            self._end(left_before_deal(self._match.mode.seats, state.towers, seat, cause), say)
        return say


@frozen
class Eriantys:
    """The game's token for tables and journals."""

    name: ClassVar[str] = "eriantys"
    version: ClassVar[int] = 1
    master: ClassVar[type[EriantysMaster]] = EriantysMaster
    least_seats: ClassVar[int] = min(MODES)
    most_seats: ClassVar[int] = max(MODES)
    choices: ClassVar[frozenset[str]] = frozenset({"expert", "planning_order"})
    usual: ClassVar[Settings] = {"expert": "no"}
    options: ClassVar[Mapping[str, str]] = {
        "expert": "whether the twelve characters and coins are in the game: yes or no (no)",
        "planning_order": (
            "who plays an assistant first from the second round on: previous, the order of the round before, or "
            "clockwise, around the table from the player who acted first in it (previous)"
        ),
        "move_time": "seconds for one decision, 0 for no limit (0); a player whose time runs out has left the match",
    }

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """
        self._rules(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> EriantysMaster:
        """
        :raises BadOption: a setting is unknown or cannot be used, or nobody can play with so many seats
        """
        rules = self._rules(settings)
        if seats not in MODES:
            raise BadOption(f"seats: expected from {self.least_seats} to {self.most_seats}, got {seats}")
        return self.master(Match(MODES[seats], rules.expert), rules, chance)

    def write(self, action: Action) -> bytes:
        return actions.write(action)

    def read(self, notation: bytes) -> Action:
        """
        :raises ValueError: not an action of this game
        """
        return actions.read(notation)

    def legal(self, view: Situation, seat: Seat) -> Iterator[Action]:
        """What answers the open request and would not be denied, and the characters that can be used."""
        return views.legal(view, seat)

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
        """One of the legal actions."""
        return any_of(self.legal(view, seat), below)

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """The board, whose turn it is, and what this seat is asked."""
        return views.follow(view, event, seat)

    def determinized(self, view: Situation, seat: Seat, chance: Chance) -> EriantysMaster:
        """
        A match with what nobody sees: what others hold, and, unless assistants are asked for, what this seat holds. The bag
        can be counted. How far an unfinished character has come is not known, so it is at its beginning.
        """
        match = Match(MODES[view.match.seats], view.match.expert)
        master = self.master(match, Rules(match.expert), chance)
        master._state = (
            views.begun(view, match, chance) if view.board is None else views.playing(view, view.board, chance)
        )
        return master

    def _rules(self, settings: Settings) -> Rules:
        refuse_unknown(settings, self.options)
        return Rules(
            expert=setting(settings, "expert", False, yes_or_no),
            planning_order=PlanningOrder(
                setting(settings, "planning_order", PlanningOrder.PREVIOUS.value, one_of(*_PLANNING_ORDERS))
            ),
            move_time=setting(settings, "move_time", 0, milliseconds),
        )


_PLANNING_ORDERS = tuple(order.value for order in PlanningOrder)
ERIANTYS = Eriantys()
