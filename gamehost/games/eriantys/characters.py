"""
The twelve characters of the expert game, one class each (A.10).

An effect is a value that contains the choices made for it so far. `ask` returns its next request. `student` or `island` takes
the answer and returns a `Step`: the position, the events, and the effect after the answer. The caller has already checked that
the request offered this answer. So an effect refuses only answers that are impossible for another reason.
"""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from gamehost.games.base import Chance, To
from gamehost.games.eriantys import rules
from gamehost.games.eriantys.events import (
    Ask,
    AskCardStudent,
    AskColour,
    AskDestination,
    IllegalChoice,
    RuleFault,
    Success,
    Told,
    board_of,
    resolution_told,
)


class Step(Struct, frozen=True, gc=False):
    """The result of one part of an effect."""

    position: rules.Position
    said: Told
    #: The effect that has the next request; `None`: the effect is finished.
    more: "Effect | None" = None


class Effect(Struct, frozen=True, gc=False):
    """The effect of a character. By default it has no request: the rules check which character is active."""

    character: ClassVar[rules.Character]
    #: The number of coins for the first use. Later uses cost one more.
    price: ClassVar[int]
    #: The number of students on the card at the beginning.
    students: ClassVar[int] = 0
    no_entry_tiles: ClassVar[int] = 0

    @property
    def about(self) -> rules.Colour | None:
        """The chosen student, if the next request is about it; otherwise `None`."""
        return None

    def check(self, position: rules.Position) -> None:
        """
        Checks whether the effect is possible now.

        :raises IllegalChoice: it is not possible
        """

    def started(self, position: rules.Position) -> Step:
        """Begins the effect, after the character was paid for."""
        return Step(position, [To(board_of(position))])

    def ask(self, position: rules.Position) -> Ask:
        """Returns the next request of the effect."""
        raise NotImplementedError

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        """Takes the answer to a request for a student or a colour. `None` is possible only if the request allows it."""
        raise NotImplementedError

    def island(self, position: rules.Position, place: int, chance: Chance) -> Step:
        """Takes the answer to a request for an island: its index in the circle, from 0."""
        raise NotImplementedError

    def card(self, position: rules.Position) -> rules.Card:
        """Returns the card of this character."""
        card = position.card(self.character)
        if card is None:
            raise ValueError("an effect was asked for without its card")
        return card


class _Asking(Effect, frozen=True, gc=False):
    """A character that begins with a request, by default for an island."""

    def started(self, position: rules.Position) -> Step:
        return Step(position, [], self)

    def ask(self, position: rules.Position) -> Ask:
        return AskDestination(position.seat, len(position.islands), dining_room=False)


def _done(position: rules.Position) -> Step:
    """Returns the last step of an effect."""
    return Step(position, [To(Success(position.seat), (position.seat,)), To(board_of(position))])


def _stopped(position: rules.Position, swaps: int) -> Step:
    """
    Returns the last step after exchanges of students. A board was sent after each exchange. If there was no exchange, a board
    is sent now, because the coins and the price have changed.
    """
    return Step(position, [] if swaps else [To(board_of(position))])


def _replaced(position: rules.Position, card: rules.Card, taken: rules.Colour, chance: Chance) -> rules.Position:
    """
    Returns the position after a student was taken from a card, and another one was drawn for the card. If the bag is empty
    then, the round is the last one (A.9).
    """
    students = rules.plus(card.students, taken, -1)
    if any(position.bag):
        # If the bag is empty, the card has one student fewer from now on.
        new, bag = rules.drawn(position.bag, 1, chance)
        students = tuple(map(sum, zip(students, new, strict=True)))
        position = rules.evolve(position, bag=bag, last_round=position.last_round or not any(bag))
    return position.with_card(rules.evolve(card, students=students))


class Monk(_Asking, frozen=True, gc=False):
    """The monk: put a student of the card on an island."""

    character = rules.Character.MONK
    price = 1
    students = 4

    picked: rules.Colour | None = None

    def check(self, position: rules.Position) -> None:
        """Checks that the card still has students."""
        if not any(self.card(position).students):
            raise IllegalChoice(RuleFault.CHARACTER_NOT_USABLE, "no student is left on this card")

    def ask(self, position: rules.Position) -> Ask:
        """Asks for a student of the card, and then for an island."""
        if self.picked is None:
            return AskCardStudent(position.seat, self.card(position).students)
        return super().ask(position)

    @property
    def about(self) -> rules.Colour | None:
        return self.picked

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        return Step(position, [], Monk(colour))

    def island(self, position: rules.Position, place: int, chance: Chance) -> Step:
        """Puts the chosen student on this island, and draws another one for the card."""
        if self.picked is None:
            # Cannot happen: the first request was for a student.
            raise ValueError("an island was chosen before a student")
        island = position.islands[place]
        position = position.with_island(place, rules.evolve(island, students=rules.plus(island.students, self.picked)))
        return _done(_replaced(position, self.card(position), self.picked, chance))


class Farmer(Effect, frozen=True, gc=False):
    """The farmer: take a professor also with as many students as its holder has, now and until the end of the turn (D-R4)."""

    character = rules.Character.FARMER
    price = 2

    def started(self, position: rules.Position) -> Step:
        position = rules.with_professors(position)
        return Step(position, [To(board_of(position))])


class Herald(_Asking, frozen=True, gc=False):
    """
    The herald: count the influence on an island, as at the end of Mother Nature's move. She still moves later in the turn.
    """

    character = rules.Character.HERALD
    price = 3

    def island(self, position: rules.Position, place: int, chance: Chance) -> Step:
        """Counts the influence on this island."""
        resolution = rules.resolved(position, place)
        after = resolution.position
        # The herald counts at once. Mother Nature stays where she is.
        told = [To(Success(after.seat), (after.seat,)), *resolution_told(resolution), To(board_of(after))]
        return Step(after, told)


class Messenger(Effect, frozen=True, gc=False):
    """The messenger: Mother Nature may move up to two more steps (see `phases`)."""

    character = rules.Character.MESSENGER
    price = 1


class Herbalist(_Asking, frozen=True, gc=False):
    """The herbalist: put a no-entry tile on an island."""

    character = rules.Character.HERBALIST
    price = 2
    no_entry_tiles = 4

    def check(self, position: rules.Position) -> None:
        if not self.card(position).no_entry_tiles:
            raise IllegalChoice(RuleFault.ZERO_NO_ENTRY_TILES_LEFT, "all no-entry tiles are on islands")

    def island(self, position: rules.Position, place: int, chance: Chance) -> Step:
        card, island = self.card(position), position.islands[place]
        position = position.with_island(place, rules.evolve(island, no_entry_tiles=island.no_entry_tiles + 1))
        return _done(position.with_card(rules.evolve(card, no_entry_tiles=card.no_entry_tiles - 1)))


class Centaur(Effect, frozen=True, gc=False):
    """The centaur: towers of all players have no influence in this turn (D-R12; see `rules.influences`)."""

    character = rules.Character.CENTAUR
    price = 3


class _Swapping(_Asking, frozen=True, gc=False):
    """A character that exchanges students between two heaps, one for one."""

    #: The most exchanges.
    most: ClassVar[int]

    swaps: int = 0
    picked: rules.Colour | None = None

    @property
    def about(self) -> rules.Colour | None:
        return self.picked

    def heaps(self, position: rules.Position) -> tuple[rules.Students, rules.Students]:
        """
        Returns the two heaps. The player chooses a student of the first heap, and then a student of the second heap to exchange
        it for.
        """
        raise NotImplementedError

    def swapped(self, position: rules.Position, first: rules.Colour, second: rules.Colour) -> rules.Position:
        """
        Returns the position after one exchange.

        :raises IllegalChoice: it is not possible
        """
        raise NotImplementedError

    def ask(self, position: rules.Position) -> Ask:
        """
        Asks for a student of the first heap, and after it for one of the second heap. Only the first request can be
        answered with no student: then no more are exchanged.
        """
        first, second = self.heaps(position)
        if self.picked is None:
            return AskCardStudent(position.seat, first, may_stop=True)
        return AskCardStudent(position.seat, second)

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        """
        Takes a student of the first heap, or of the second one; then the two are exchanged. `None`: no more
        exchanges.
        """
        if colour is None:
            # The player exchanges no more students.
            return _stopped(position, self.swaps)
        if self.picked is None:
            # The first student of an exchange: the second one is asked for next.
            return Step(position, [], rules.evolve(self, picked=colour))
        position, swaps = self.swapped(position, self.picked, colour), self.swaps + 1
        # After the last exchange the effect is finished.
        return Step(position, [To(board_of(position))], type(self)(swaps) if swaps < self.most else None)


class Jester(_Swapping, frozen=True, gc=False):
    """The jester: exchange up to three students of the card with the entrance."""

    character = rules.Character.JESTER
    price = 1
    students = 6
    most = 3

    def heaps(self, position: rules.Position) -> tuple[rules.Students, rules.Students]:
        return self.card(position).students, position.school.entrance

    def swapped(self, position: rules.Position, first: rules.Colour, second: rules.Colour) -> rules.Position:
        """Exchanges a student of the card (`first`) with one of the entrance (`second`)."""
        # The student `first` goes from the card to the entrance, and `second` from the entrance to the card.
        card, school = self.card(position), position.school
        entrance = rules.plus(rules.plus(school.entrance, second, -1), first)
        students = rules.plus(rules.plus(card.students, first, -1), second)
        position = position.with_school(position.seat, rules.evolve(school, entrance=entrance))
        return position.with_card(rules.evolve(card, students=students))


class Knight(Effect, frozen=True, gc=False):
    """The knight: two more influence in this turn (see `rules.influences`)."""

    character = rules.Character.KNIGHT
    price = 2


class Harvester(_Asking, frozen=True, gc=False):
    """The harvester: a colour that gives no influence in this turn (see `rules.influences`)."""

    character = rules.Character.HARVESTER
    price = 3

    def ask(self, position: rules.Position) -> Ask:
        return AskColour(position.seat)

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        return _done(rules.evolve(position, banned=colour))


class Minstrel(_Swapping, frozen=True, gc=False):
    """The minstrel: exchange up to two students of the entrance with the dining room."""

    character = rules.Character.MINSTREL
    price = 1
    most = 2

    def check(self, position: rules.Position) -> None:
        if not any(position.school.dining):
            raise IllegalChoice(RuleFault.CHARACTER_NOT_USABLE, "there is no student in the dining room to swap")

    def heaps(self, position: rules.Position) -> tuple[rules.Students, rules.Students]:
        return position.school.entrance, position.school.dining

    def swapped(self, position: rules.Position, first: rules.Colour, second: rules.Colour) -> rules.Position:
        if second is not first and not rules.has_room(position.school, first):
            raise IllegalChoice(RuleFault.FULL_DINING_ROOM, "the table of the student from the entrance is full")
        return rules.swapped(position, second, first)


class Princess(_Asking, frozen=True, gc=False):
    """The princess: put a student of the card into the dining room."""

    character = rules.Character.PRINCESS
    price = 2
    students = 4

    def check(self, position: rules.Position) -> None:
        """Checks that a student of the card finds a free seat."""
        if not any(self._guests(position)):
            raise IllegalChoice(RuleFault.CHARACTER_NOT_USABLE, "no student of this card has a seat in the dining room")

    def ask(self, position: rules.Position) -> Ask:
        return AskCardStudent(position.seat, self._guests(position))

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        if colour is None:
            raise ValueError("no student was chosen")
        return _done(_replaced(rules.seated(position, position.school, colour), self.card(position), colour, chance))

    def _guests(self, position: rules.Position) -> rules.Students:
        """Returns the students of the card that find a free seat in the dining room."""
        students = self.card(position).students
        return tuple(students[colour] if rules.has_room(position.school, colour) else 0 for colour in rules.Colour)


class Thief(_Asking, frozen=True, gc=False):
    """The thief: all players return up to three students of a colour to the bag."""

    character = rules.Character.THIEF
    price = 3
    most: ClassVar[int] = 3

    def ask(self, position: rules.Position) -> Ask:
        return AskColour(position.seat)

    def student(self, position: rules.Position, colour: rules.Colour | None, chance: Chance) -> Step:
        if colour is None:
            raise ValueError("no colour was chosen")
        return _done(rules.emptied(position, colour, self.most))


#: Character -> its effect at the beginning.
EFFECTS: Mapping[rules.Character, Effect] = {
    effect.character: effect
    for effect in (
        Monk(),
        Farmer(),
        Herald(),
        Messenger(),
        Herbalist(),
        Centaur(),
        Jester(),
        Knight(),
        Harvester(),
        Minstrel(),
        Princess(),
        Thief(),
    )
}


def laid_out(character: rules.Character, bag: rules.Students, chance: Chance) -> tuple[rules.Card, rules.Students]:
    """Returns a character's card at the beginning of a match, and the bag after the students of the card were drawn."""
    effect = EFFECTS[character]
    students = rules.NO_STUDENTS
    if effect.students:
        students, bag = rules.drawn(bag, effect.students, chance)
    return rules.Card(character, effect.price, students=students, no_entry_tiles=effect.no_entry_tiles), bag


def paid(position: rules.Position, card: rules.Card) -> rules.Position:
    """
    Returns the position after the player to move has paid for a character. The character is then the active one of the turn.

    One coin of the first payment remains on the card; all other coins go to the supply.
    """
    school = position.school
    kept = 0 if card.used else 1
    position = position.with_school(position.seat, rules.evolve(school, coins=school.coins - card.cost))
    position = position.with_card(rules.evolve(card, used=True, cost=card.cost + kept))
    return rules.evolve(position, supply=position.supply + card.cost - kept, character=card.character)
