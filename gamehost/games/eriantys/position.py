"""
A position of Eriantys: islands, school boards, clouds, cards and the bag, as immutable values. A `Position` holds everything,
hidden things (hands and bag) included. What players are told is made from it in `events`.
"""

from attrs import frozen

from gamehost.games.base import Seat
from gamehost.games.chance import Chance
from gamehost.games.eriantys.pieces import NO_STUDENTS, Character, Colour, Mode, Students, Tower, plus
from gamehost.games.eriantys.values import evolve


@frozen
class Match:
    """What is settled before the first choice."""

    mode: Mode
    expert: bool


@frozen
class Team:
    """The seats that play for a tower colour: one, or two with four players. The first holds the towers (D-R15)."""

    tower: Tower
    seats: tuple[Seat, ...]


@frozen
class Island:
    """A group of merged islands. At first each group is one island."""

    #: The original islands it is made of, 1 to 12, in ascending order.
    members: tuple[int, ...]
    students: Students = NO_STUDENTS
    tower: Tower | None = None
    towers: int = 0
    no_entry_tiles: int = 0


@frozen
class School:
    """A player's school board, with everything visible beside it."""

    tower: Tower
    wizard: int
    #: Towers still to be built; 0 for the partner of a tower-holder.
    towers: int
    tower_holder: bool
    entrance: Students
    #: Students in the dining room.
    dining: Students = NO_STUDENTS
    #: 0 in the normal game.
    coins: int = 0
    #: How many assistants are in the hand.
    assistants: int = 10
    #: The assistant played in this round.
    played: int | None = None


@frozen
class Card:
    """A character card on the table, and what lies on it."""

    character: Character
    #: What using it costs now.
    cost: int
    used: bool = False
    students: Students = NO_STUDENTS
    no_entry_tiles: int = 0


@frozen
class Position:
    """The whole state of the game between two decisions, without the choices of an unfinished one."""

    match: Match
    teams: tuple[Team, ...]
    #: Seats as they sit around the table, clockwise.
    seating: tuple[Seat, ...]
    schools: tuple[School, ...]
    #: Assistants still to be played, by seat.
    hands: tuple[tuple[int, ...], ...]
    islands: tuple[Island, ...]
    clouds: tuple[Students, ...]
    bag: Students
    cards: tuple[Card, ...] = ()
    #: Coins in the supply.
    supply: int = 0
    #: The place of Mother Nature's group in `islands`.
    mother_nature: int = 0
    #: The holder of each colour's professor.
    professors: tuple[Seat | None, ...] = (None, None, None, None, None)
    #: 0 until the first planning phase.
    round: int = 0
    #: The order of the current phase, and the place in it of the player whose turn it is.
    order: tuple[Seat, ...] = ()
    turn: int = 0
    #: The character played in this turn.
    character: Character | None = None
    #: The colour that the harvester took out of this turn.
    banned: Colour | None = None
    #: Whether the match ends with this round. It never becomes false again.
    last_round: bool = False

    @property
    def seat(self) -> Seat:
        """Whose turn it is."""
        return self.order[self.turn]

    @property
    def school(self) -> School:
        """The board of the player whose turn it is."""
        return self.schools[self.order[self.turn]]

    def with_school(self, seat: Seat, school: School) -> "Position":
        schools = list(self.schools)
        schools[seat] = school
        return evolve(self, schools=tuple(schools))

    def with_island(self, place: int, island: Island) -> "Position":
        islands = list(self.islands)
        islands[place] = island
        return evolve(self, islands=tuple(islands))

    def card(self, character: Character) -> Card | None:
        """The character's card, if it is in this match."""
        for card in self.cards:
            if card.character is character:
                return card
        return None

    def with_card(self, card: Card) -> "Position":
        return evolve(self, cards=tuple(card if old.character is card.character else old for old in self.cards))

    def team_of(self, tower: Tower) -> Team:
        for team in self.teams:
            if team.tower is tower:
                return team
        raise ValueError("no team plays for these towers")


def drawn(bag: Students, count: int, chance: Chance) -> tuple[Students, Students]:
    """
    So many students drawn blindly, one by one, and the bag without them.

    :raises ValueError: there are not so many in the bag
    """
    left = sum(bag)
    if count > left:
        raise ValueError(f"{count} students were to be drawn from a bag of {left}")
    counts, taken = list(bag), [0] * len(bag)
    for size in range(left, left - count, -1):
        place = chance.below(size)
        colour = 0
        while place >= counts[colour]:
            place -= counts[colour]
            colour += 1
        counts[colour] -= 1
        taken[colour] += 1
    return tuple(taken), tuple(counts)


def refilled(position: Position, chance: Chance) -> Position:
    """
    The clouds laid out for a round (A.9, D-R3).

    With too few students for all clouds they stay empty, the students stay in the bag, and the round is the last; it
    is the last too when this refill takes the last student.
    """
    per_cloud = position.match.mode.moves
    need = per_cloud * len(position.clouds)
    if sum(position.bag) < need:
        return evolve(position, last_round=True)
    bag = position.bag
    clouds = []
    for _ in position.clouds:
        cloud, bag = drawn(bag, per_cloud, chance)
        clouds.append(cloud)
    return evolve(position, clouds=tuple(clouds), bag=bag, last_round=position.last_round or not any(bag))


def moved_to_island(position: Position, colour: Colour, place: int) -> Position:
    """A student from the active player's entrance put on an island."""
    school, island = position.school, position.islands[place]
    schools, islands = list(position.schools), list(position.islands)
    schools[position.seat] = evolve(school, entrance=plus(school.entrance, colour, -1))
    islands[place] = evolve(island, students=plus(island.students, colour))
    return evolve(position, schools=tuple(schools), islands=tuple(islands))
