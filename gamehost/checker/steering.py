"""
Opponents that lead a game to positions in which a client's mistake is likely, and rare positions that are laid.

They do not play to win. Each is given to a scenario.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, evolve, field

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import Action, ChooseDestination, ChooseSteps, ChooseStudent, PlayAssistant
from gamehost.games.eriantys.dining import has_room
from gamehost.games.eriantys.events import Ask, AskAssistant, AskCloud, AskDestination, AskSteps, AskStudent
from gamehost.games.eriantys.influence import resolved
from gamehost.games.eriantys.pieces import Colour
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.views import answers, usable
from gamehost.games.onitama.cards import Card
from gamehost.games.onitama.position import Position as OnitamaPosition
from gamehost.games.paper_soccer.pitch import AROUND, POINTS
from gamehost.games.stratego.actions import Action as StrategoAction
from gamehost.games.stratego.actions import PlaceRows
from gamehost.games.stratego.pieces import SCOUT
from gamehost.games.stratego.position import WIDTH
from gamehost.games.stratego.views import ENEMY
from gamehost.players.eriantys import EriantysPlayer
from gamehost.players.paper_soccer import LINKS, PaperSoccerPlayer, Place, distances, turns, way_to_goal
from gamehost.players.stratego import Step, StrategoPlayer

# -- Onitama

#: All five pieces stand on the farthest row. No card of the hand leads back, and to the sides stand own pieces.
_STUCK = ("P", "P", "P", "P", "K")
_ELSEWHERE = {0: 7, 1: 17}


def stalemate(client: bool) -> Callable[[Any, Seat], None]:
    """The client is to move, or its opponent, and has no move."""

    def lay(master: Any, seat: Seat) -> None:
        stuck = seat if client else 1 - seat
        hands = [(Card("ox"), Card("horse")), (Card("ox"), Card("horse"))]
        hands[stuck] = (Card("crab"), Card("elephant"))
        squares = ["."] * 25
        for column, piece in enumerate(_STUCK):
            # Black sees the board turned by 180 degrees.
            squares[20 + column if stuck == 0 else 4 - column] = piece if stuck == 0 else piece.lower()
        other = ("K", "P") if stuck == 1 else ("k", "p")
        squares[_ELSEWHERE[stuck]], squares[12] = other
        master.position = OnitamaPosition((hands[0], hands[1]), Card("boar"), "".join(squares), int(stuck))

    return lay


# -- Paper Soccer


@define(eq=False)
class LeadsToBounces(PaperSoccerPlayer):
    """Ends its turns beside the border, and beside points that were touched: there the other side has to bounce."""

    def _points(self, place: Place) -> tuple[int, ...]:
        found = [turn for turn in turns(place, MOST_TURNS) if turn.to.winner < 0]
        if not found:
            return super()._points(place)
        return max(found, key=lambda turn: (_touched(turn.to), turn.points)).points


@define(eq=False)
class ScoresAnOwnGoal(PaperSoccerPlayer):
    """Plays the ball into its own goal, and until that can be done towards it."""

    def _points(self, place: Place) -> tuple[int, ...]:
        way = way_to_goal(evolve(place, side=1 - place.side))
        found = [turn for turn in turns(place, MOST_TURNS) if turn.to.winner < 0]
        if way is not None or not found:
            return way or super()._points(place)
        return min(
            found, key=lambda turn: (distances(turn.to.ball, turn.to.drawn)[1 - place.side], _wide(turn.to))
        ).points


def _wide(place: Place) -> int:
    """How far the ball is from the middle, and so how near to a corner, where the other side would lose."""
    return abs(POINTS[place.ball][0])


#: Positions within a turn that are looked at.
MOST_TURNS = 60


def _touched(place: Place) -> int:
    """The number of touched points to which the ball can go."""
    free = (number for number, line in LINKS[place.ball] if not line & place.drawn)
    return sum(bool(AROUND[POINTS[number]] & place.drawn) for number in free)


# -- Stratego

#: The back row first. Scouts stand in front, where there is no lake.
_SCOUTS_IN_FRONT = ("BFB8B8B8B8", "B8S7777915", "5556666924", "9943994399")


@define(eq=False)
class AttacksFromAfar(StrategoPlayer):
    """Attacks with its scouts from as far as they go, and moves them far."""

    def _set_up(self) -> StrategoAction:
        if any(mark not in ".~" for mark in self.squares):
            return super()._set_up()
        return PlaceRows(_SCOUTS_IN_FRONT if self.seat == 0 else _SCOUTS_IN_FRONT[::-1])

    def _step(self) -> Step:
        steps = [step for step in self._steps() if self.squares[step[0]] == SCOUT and _length(step) > 1]
        if not steps:
            return super()._step()
        attacks = [step for step in steps if self.squares[step[1]] == ENEMY]
        return self.thinking.chance.one_of(attacks or steps)


def _length(step: Step) -> int:
    across = abs(step[0] - step[1])
    return across // WIDTH or across


# -- Eriantys


@define(eq=False)
class KeepsTheBalance(EriantysPlayer):
    """Lets nobody build many towers, so that a game is long: it wants professors only while the others lead."""

    #: The student that has no destination yet.
    _chosen: Colour = field(init=False, default=Colour.YELLOW)

    def _action(self, request: Ask) -> Action:
        play = self.seen.play()
        if play is None:
            return super()._action(request)
        position = play.position
        if isinstance(request, AskSteps):

            def most(steps: int) -> tuple[int, int]:
                place = (position.mother_nature + steps) % len(position.islands)
                there = resolved(evolve(position, mother_nature=place), place).position
                return -_fewest_left(there), -len(there.islands)

            return ChooseSteps(min(range(1, request.most + 1), key=most))
        if isinstance(request, AskStudent):
            self._chosen = max(Colour, key=lambda one: (request.students[one] > 0, position.school.dining[one]))
            return ChooseStudent(self._chosen)
        if isinstance(request, AskDestination):
            dines = request.dining_room and has_room(position.school, self._chosen)
            dines = dines and self._wants_professors(position)
            return ChooseDestination(0 if dines else 1 + self.thinking.chance.below(request.islands))
        return self._any(request, play)

    def _wants_professors(self, position: Position) -> bool:
        return position.school.towers > _fewest_left(position)


def _fewest_left(position: Position) -> int:
    """How many towers the leading team still has to build."""
    return min(school.towers for school in position.schools if school.tower_holder)


@define(eq=False)
class UsesCharacters(KeepsTheBalance):
    """Uses a character in each turn in which it can pay one, and earns coins in its dining room."""

    def _action(self, request: Ask) -> Action:
        play = self.seen.play()
        if play is not None and isinstance(request, AskStudent | AskSteps | AskCloud):
            found = list(usable(play.position))
            if found:
                return self.thinking.chance.one_of(found)
        return super()._action(request)

    def _wants_professors(self, position: Position) -> bool:
        return True


@define(eq=False)
class PlaysTheSame(KeepsTheBalance):
    """
    Plays the assistants that the others have played, so that the last one of all is the same.

    Then nothing else is left to the others, and they may play it. At first it plays the last card but one, because most
    players keep high cards.
    """

    def _action(self, request: Ask) -> Action:
        if not isinstance(request, AskAssistant):
            return super()._action(request)
        before = {card for seat, cards in self.seen.played.items() if seat != self.seat for card in cards}
        possible = sorted(one.assistant for one in answers(request, None, None) if isinstance(one, PlayAssistant))
        known = [card for card in possible if card in before]
        return PlayAssistant(known[-1] if known else possible[-2:][0])


def few_colours(n: int) -> int:
    """Students are drawn colour by colour, so that the tables of a dining room become full."""
    return 0
