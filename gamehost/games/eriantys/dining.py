"""
Dining rooms: whether a student finds a seat, the coins it earns, and which professors move. Every change to a dining room goes
through this module, so that professors are always up to date.
"""

from collections.abc import Iterable, Sequence

from gamehost.games.base import Seat
from gamehost.games.eriantys.pieces import COIN_SEATS, TABLE_SEATS, Character, Colour, plus
from gamehost.games.eriantys.position import Position, School
from gamehost.games.eriantys.values import evolve


def has_room(school: School, colour: Colour) -> bool:
    """Whether one more student finds a seat at the table of its colour (A.4)."""
    return school.dining[colour] < TABLE_SEATS


def with_professors(position: Position, colours: Iterable[Colour] = tuple(Colour)) -> Position:
    """
    The professors of these colours with the players who hold them now (A.5, D-R5, D-R17).

    A professor goes to the player who alone has the most students of the colour; with the farmer at work a player whose turn
    it is and who equals the most is enough. Otherwise nobody moves: a holder keeps it on a tie.
    """
    professors = list(position.professors)
    for colour in colours:
        professors[colour] = _holder(position, colour, [school.dining[colour] for school in position.schools])
    after = tuple(professors)
    return position if after == position.professors else evolve(position, professors=after)


def _holder(position: Position, colour: Colour, counts: Sequence[int]) -> Seat | None:
    most = max(counts)
    holder = position.professors[colour]
    if most == 0:
        return holder
    if position.character is Character.FARMER and counts[position.seat] == most:
        return position.seat
    if (holder is not None and counts[holder] == most) or counts.count(most) > 1:
        return holder
    return Seat(counts.index(most))


def seated(position: Position, school: School, colour: Colour) -> Position:
    """
    One more student of the colour in the active player's dining room, with the coin it may earn (A.10, D-R7, D-R8)
    and the professor it may bring.

    :param school: the player's board, on which the student has already left where it came from, and finds room
    """
    dining = plus(school.dining, colour)
    earned = int(position.match.expert and position.supply > 0 and dining[colour] in COIN_SEATS)
    position = position.with_school(position.seat, evolve(school, dining=dining, coins=school.coins + earned))
    if earned:
        position = evolve(position, supply=position.supply - earned)
    return with_professors(position, (colour,))


def moved_to_table(position: Position, colour: Colour) -> Position:
    """A student moved from the active player's entrance to the table of its colour."""
    school = position.school
    return seated(position, evolve(school, entrance=plus(school.entrance, colour, -1)), colour)


def swapped(position: Position, leaves: Colour, enters: Colour) -> Position:
    """
    A student of the active player's dining room for one of the entrance (the minstrel). The one that enters earns its
    coin (D-R6). A swap of equal colours changes nothing.
    """
    if leaves is enters:
        return position
    school = position.school
    entrance = plus(plus(school.entrance, enters, -1), leaves)
    school = evolve(school, entrance=entrance, dining=plus(school.dining, leaves, -1))
    return with_professors(seated(position, school, enters), (leaves,))


def emptied(position: Position, colour: Colour, most: int) -> Position:
    """All players return up to so many students of the colour from the dining room to the bag (the thief)."""
    schools, returned = [], 0
    for school in position.schools:
        going = min(most, school.dining[colour])
        schools.append(evolve(school, dining=plus(school.dining, colour, -going)))
        returned += going
    after = evolve(position, schools=tuple(schools), bag=plus(position.bag, colour, returned))
    return with_professors(after, (colour,))
