"""
The set-up: teams and wizards are chosen in the order in which the players came, then the table is laid (A.2).
"""

from collections.abc import Sequence

from attrs import frozen

from gamehost.games.base import Seat, To
from gamehost.games.chance import Chance, shuffled
from gamehost.games.eriantys.actions import Action, ChooseTower, ChooseWizard, IllegalChoice, RuleFault
from gamehost.games.eriantys.characters import laid_out
from gamehost.games.eriantys.events import Ask, AskTower, AskWizard, Success, Told, TowerChosen, WizardChosen
from gamehost.games.eriantys.pieces import (
    CHARACTERS_IN_PLAY,
    COINS,
    ISLANDS,
    NO_STUDENTS,
    STUDENTS_FOR_ISLANDS,
    STUDENTS_OF_A_COLOUR,
    WIZARDS,
    Character,
    Students,
    Tower,
)
from gamehost.games.eriantys.position import Card, Island, Match, Position, School, Team, drawn
from gamehost.games.eriantys.values import evolve


@frozen
class Choices:
    """What has been chosen before the deal, in the order of the seats."""

    match: Match
    towers: tuple[Tower, ...] = ()
    wizards: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.wizards) == self.match.mode.seats

    @property
    def request(self) -> Ask:
        """The next question, while there is one."""
        if len(self.towers) < self.match.mode.seats:
            return AskTower(Seat(len(self.towers)), self._places_left(), members(self.match, self.towers))
        return AskWizard(Seat(len(self.wizards)), tuple(wizard for wizard in WIZARDS if wizard not in self.wizards))

    def with_tower(self, action: ChooseTower) -> "Choices":
        """
        :raises IllegalChoice: there is no place in this team
        """
        left = self._places_left()
        if action.tower >= len(left) or not left[action.tower]:
            free = ", ".join(tower.name for tower in Tower if tower < len(left) and left[tower])
            raise IllegalChoice(
                RuleFault.TOWER_NOT_AVAILABLE, f"there is no place in this team; expected one of {free}"
            )
        return evolve(self, towers=(*self.towers, action.tower))

    def with_wizard(self, action: ChooseWizard) -> "Choices":
        """
        :raises IllegalChoice: there is no such wizard, or another player has it
        """
        if action.wizard not in WIZARDS:
            raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such wizard; expected a number from 1 to 4")
        if action.wizard in self.wizards:
            free = ", ".join(str(wizard) for wizard in WIZARDS if wizard not in self.wizards)
            raise IllegalChoice(
                RuleFault.WIZARD_NOT_AVAILABLE, f"another player has this wizard; expected one of {free}"
            )
        return evolve(self, wizards=(*self.wizards, action.wizard))

    def _places_left(self) -> tuple[int, ...]:
        places = self.match.mode.places
        return tuple(places[tower] - self.towers.count(Tower(tower)) for tower in range(len(places)))


def members(match: Match, towers: Sequence[Tower]) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each team, by tower colour, if the seats chose these towers."""
    return tuple(
        tuple(Seat(seat) for seat, chosen in enumerate(towers) if chosen == tower)
        for tower in range(len(match.mode.places))
    )


def chosen(choices: Choices, action: Action, say: Told) -> Choices:
    """
    The choices after the next player's, and the next question if there is one.

    :raises IllegalChoice: the action does not answer this question, or the choice is not available
    """
    asked = choices.request
    made: TowerChosen | WizardChosen
    match asked, action:
        case AskTower(), ChooseTower(tower):
            choices, made = choices.with_tower(action), TowerChosen(asked.seat, tower)
        case AskWizard(), ChooseWizard():
            choices, made = choices.with_wizard(action), WizardChosen(asked.seat)
        case _:
            raise IllegalChoice(RuleFault.INVALID_ACTION, "this does not answer what was asked", ask_again=False)
    say += (To(Success(asked.seat), (asked.seat,)), To(made))
    if not choices.complete:
        say.append(To(choices.request, (choices.request.seat,)))
    return choices


def dealt(choices: Choices, chance: Chance) -> Position:
    """
    The table laid for complete choices.

    Chance decides, in this order: the islands' students, the entrances by seat, in the expert game the characters and
    their students, and last how the players sit around the table, the first player first.
    """
    match = choices.match
    islands = _islands(chance)
    bag: Students = (STUDENTS_OF_A_COLOUR - STUDENTS_FOR_ISLANDS,) * len(NO_STUDENTS)
    teams = tuple(
        Team(Tower(tower), members) for tower, members in enumerate(members(match, choices.towers)) if members
    )
    holders = {team.seats[0] for team in teams}
    schools = []
    for number, (tower, wizard) in enumerate(zip(choices.towers, choices.wizards, strict=True)):
        entrance, bag = drawn(bag, match.mode.entrance, chance)
        holds = Seat(number) in holders
        towers = match.mode.towers if holds else 0
        schools.append(School(tower, wizard, towers, holds, entrance, coins=int(match.expert)))
    cards: list[Card] = []
    if match.expert:
        for character in shuffled(Character, chance)[:CHARACTERS_IN_PLAY]:
            card, bag = laid_out(character, bag, chance)
            cards.append(card)
    seating = tuple(shuffled((Seat(number) for number in range(match.mode.seats)), chance))
    return Position(
        match=match,
        teams=teams,
        seating=seating,
        schools=tuple(schools),
        hands=(tuple(range(1, 11)),) * match.mode.seats,
        islands=islands,
        clouds=(NO_STUDENTS,) * match.mode.seats,
        bag=bag,
        cards=tuple(cards),
        supply=COINS - match.mode.seats if match.expert else 0,
        order=seating,
    )


def _islands(chance: Chance) -> tuple[Island, ...]:
    """
    Twelve islands, with a student on each except Mother Nature's and the one opposite.

    Mother Nature's island is always the first: the places of a circle are equal, so it need not be drawn.
    """
    bag: Students = (STUDENTS_FOR_ISLANDS,) * len(NO_STUDENTS)
    islands = []
    for place in range(ISLANDS):
        students = NO_STUDENTS
        if place % (ISLANDS // 2):
            students, bag = drawn(bag, 1, chance)
        islands.append(Island((place + 1,), students))
    return tuple(islands)
