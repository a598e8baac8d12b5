"""
Eriantys: a beam search over the own turn; assistants by sampled hands of the others.

What a seat sees is nearly everything: only the order of the bag and the others' next assistants are unknown. Every request has
an answer, also one that a player meets in the middle of a decision because it has just come back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    Action,
    ChooseDestination,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    PlayAssistant,
    write,
)
from gamehost.games.eriantys.events import (
    Ask,
    AskAssistant,
    AskColour,
    AskDestination,
    AskSteps,
    AskTower,
    AskWizard,
    Denied,
)
from gamehost.games.eriantys.influence import resolved
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Character, Tower, steps_of
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.views import usable
from gamehost.players.base import Level, Thinking
from gamehost.players.determinized import best_on_average
from gamehost.players.eriantys_turn import Beam, options, turn_lines, worth
from gamehost.players.eriantys_view import Seen


@frozen
class Style:
    """How a level plays."""

    beam: Beam
    #: Sampled hands of the others for the choice of an assistant; 0: the choice is by chance.
    worlds: int
    nodes: int


STYLE: Mapping[Level, Style] = {
    Level.EASY: Style(Beam(1, characters=False, noise=25), worlds=0, nodes=2_000),
    Level.MEDIUM: Style(Beam(1, characters=True, noise=6), worlds=2, nodes=3_000),
    Level.HARD: Style(Beam(12, characters=True), worlds=8, nodes=12_000),
}
_SECONDS = 1.0


@define(eq=False)
class EriantysPlayer:
    """A player of one match."""

    seat: Seat
    level: Level
    thinking: Thinking
    seen: Seen = field(init=False)
    #: What this turn's search has decided, and is not asked yet.
    _plan: tuple[Action, ...] = field(init=False, default=())
    #: The request that was answered last, and the answer.
    _answered: tuple[Ask, Action] | None = field(init=False, default=None)
    _refused: set[bytes] = field(init=False, factory=set)

    def __attrs_post_init__(self) -> None:
        self.seen = Seen(self.seat)

    def hear(self, event: Any) -> None:
        before = self.seen.request
        self.seen.hear(event)
        if isinstance(event, Denied):
            self._plan, self._answered = (), None
        elif self.seen.request is not before:
            self._refused.clear()
            if self._answered is not None:
                _, action = self._answered
                self._plan = self._plan[1:] if self._plan[:1] == (action,) else ()
                self._answered = None

    def refused(self, notation: bytes) -> None:
        """The host refused an answer to a question in the middle of a decision. The next answer is another one."""
        self._refused.add(notation)
        self._plan, self._answered = (), None

    def answer(self) -> bytes | None:
        request = self.seen.request
        if request is None or self.seen.over:
            return None
        if self._answered is None or self._answered[0] is not request:
            self._answered = (request, self._action(request))
        action = self._answered[1]
        if isinstance(request, AskColour) and isinstance(action, ChooseStudent):
            board = self.seen.board
            if board is not None and board.active_character is Character.HARVESTER:
                self.seen.banned = action.colour
        return write(action)

    def _action(self, request: Ask) -> Action:
        match request:
            case AskTower(_, left, _):
                return ChooseTower(Tower(max(range(len(left)), key=lambda tower: (left[tower], -tower))))
            case AskWizard(_, wizards):
                return ChooseWizard(wizards[self.thinking.chance.below(len(wizards))])
        play = self.seen.play()
        if play is None or self.level is Level.RANDOM or (self._refused and not self._plan):
            return self._any(request, play)
        if isinstance(request, AskAssistant):
            return self._assistant(play, request)
        allowed = set(options(play, characters=True, once=False))
        if not self._plan or (self._plan[0] not in allowed and not isinstance(request, AskDestination)):
            if isinstance(request, AskDestination) or not _begins(request):
                return self._any(request, play)
            self._plan = self._turn(play)
        return self._plan[0] if self._plan else self._any(request, play)

    def _any(self, request: Ask, play: Play | None) -> Action:
        """Any answer that the request offers, now and then a character."""
        chance = self.thinking.chance
        if play is None:
            return ChooseDestination(1)
        if isinstance(request, AskDestination) and request.dining_room and not chance.below(2):
            found: list[Action] = [ChooseDestination(0)]
        else:
            found = list(options(play, characters=False, once=False))
        if isinstance(request, AskSteps) and not chance.below(3):
            found += usable(play.position)
        found = [action for action in found if write(action) not in self._refused] or found
        return chance.one_of(found)

    def _turn(self, play: Play) -> tuple[Action, ...]:
        """The rest of the turn."""
        style, chance = STYLE[self.level], self.thinking.chance
        budget = self.thinking.budget(style.nodes, _SECONDS)
        lines = turn_lines(play, style.beam, chance, budget)
        return lines[0].actions if lines else ()

    def _assistant(self, play: Play, request: AskAssistant) -> PlayAssistant:
        """The assistant that brings most, over what the others may play."""
        style, chance = STYLE[self.level], self.thinking.chance
        cards = [action.assistant for action in options(play, characters=False) if isinstance(action, PlayAssistant)]
        if not style.worlds:
            return PlayAssistant(chance.one_of(cards))
        position = play.position
        known = dict(request.played)

        def sample() -> dict[Seat, int]:
            return {
                seat: known.get(seat) or chance.one_of(position.hands[seat] or (10,))
                for seat in position.order
                if seat != self.seat
            }

        def value(others: dict[Seat, int], card: int) -> float:
            return round_value(position, self.seat, {**others, self.seat: card})

        return PlayAssistant(best_on_average(cards, sample, value, style.worlds, least=3))


def _begins(request: Ask) -> bool:
    """Whether a request is at the beginning of a decision."""
    return type(request).__name__ in ("AskStudent", "AskSteps", "AskCloud")


def round_value(position: Position, seat: Seat, cards: Mapping[Seat, int]) -> float:
    """What a round would bring if all only moved Mother Nature, each to the best island in reach."""
    order: Sequence[Seat] = sorted(cards, key=lambda one: (cards[one], one != seat))
    for number, mover in enumerate(order):
        reached = []
        for steps in range(1, steps_of(cards[mover]) + 1):
            place = (position.mother_nature + steps) % len(position.islands)
            there = evolve(position, mother_nature=place, order=tuple(order), turn=number)
            reached.append(resolved(there, place).position)
        position = max(reached, key=lambda one: worth(one, mover))
    # A low card lost is a choice less for later.
    return worth(position, seat) + 0.8 * cards[seat]
