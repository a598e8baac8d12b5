"""
The rules of Eriantys: the parts of the game, and how much of it each number of players uses. Also a position of
islands, school boards, clouds, cards and the bag, and the functions that change it. All numbers are the rulebook's.

All values are immutable. A `Position` contains everything, hidden values (hands and bag) included. The events in
`events` are made from it. Students of one colour are equal, so any heap of them (a bag, a cloud, an entrance) is five
counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, IntEnum, StrEnum

from msgspec import Struct
from msgspec.structs import replace

from gamehost.games.base import Cause, Chance, Seat


class Colour(IntEnum):
    """The five kinds of students; the value is the place of its count in a heap."""

    YELLOW = 0
    BLUE = 1
    GREEN = 2
    RED = 3
    PINK = 4


class Tower(IntEnum):
    """The colours of towers, which are the names of the teams."""

    BLACK = 0
    WHITE = 1
    GREY = 2


class Character(IntEnum):
    """The twelve characters, numbered as the rulebook shows them."""

    MONK = 1
    FARMER = 2
    HERALD = 3
    MESSENGER = 4
    HERBALIST = 5
    CENTAUR = 6
    JESTER = 7
    KNIGHT = 8
    HARVESTER = 9
    MINSTREL = 10
    PRINCESS = 11
    THIEF = 12


class Status(StrEnum):
    """The stage of a player in the turn, or the end of the match for it, in the words of the protocol."""

    WAITING = "WAITING"
    PLANNING = "PLANNING"
    MOVE_1 = "MOVE_1"
    END_MOVE_1 = "END_MOVE_1"
    MOVE_2 = "MOVE_2"
    END_MOVE_2 = "END_MOVE_2"
    MOVE_3 = "MOVE_3"
    WIN = "WIN"
    LOSE = "LOSE"


class PlanningOrder(Enum):
    """How the first player of the planning phase is found from the second round on (D-R1)."""

    #: The action order of the round before.
    PREVIOUS = "previous"
    #: The rulebook's own: clockwise from the player that acted first in the round before.
    CLOCKWISE = "clockwise"


#: Students by colour: five counts.
Students = tuple[int, ...]

NO_STUDENTS: Students = (0, 0, 0, 0, 0)
STUDENTS_OF_A_COLOUR = 26
#: The students of the islands are drawn from this many of each colour. The others go into the bag.
STUDENTS_FOR_ISLANDS = 2
ISLANDS = 12
ASSISTANTS = tuple(range(1, 11))
WIZARDS = (1, 2, 3, 4)
#: Seats of one table in a dining room.
TABLE_SEATS = 10
#: A student placed on one of these seats earns a coin.
COIN_SEATS = frozenset((3, 6, 9))
COINS = 20
#: Characters laid out for an expert game.
CHARACTERS_IN_PLAY = 3
#: The match ends when there are this many groups of islands, or fewer.
LAST_GROUPS = 3


class Mode(Struct, frozen=True, gc=False):
    """The quantities that depend on the number of players."""

    seats: int
    #: Places in each team, by tower colour.
    places: tuple[int, ...]
    #: Towers of each team.
    towers: int
    #: Students in an entrance between turns.
    entrance: int
    #: Students moved in a turn, and students laid on each cloud.
    moves: int


MODES: Mapping[int, Mode] = {
    2: Mode(seats=2, places=(1, 1), towers=8, entrance=7, moves=3),
    3: Mode(seats=3, places=(1, 1, 1), towers=6, entrance=9, moves=4),
    4: Mode(seats=4, places=(2, 2), towers=8, entrance=7, moves=3),
}


def plus(students: Students, colour: Colour, count: int = 1) -> Students:
    """A heap with more (or fewer: a negative count) students of one colour."""
    counts = list(students)
    counts[colour] += count
    return tuple(counts)


def together(one: Students, other: Students) -> Students:
    return tuple(map(sum, zip(one, other, strict=True)))


def steps_of(assistant: int) -> int:
    """The most steps of Mother Nature that an assistant allows."""
    return (assistant + 1) // 2


#: A changed copy of a value.
evolve = replace


# A position


class Match(Struct, frozen=True, gc=False):
    """The settings of a match."""

    mode: Mode
    expert: bool


class Team(Struct, frozen=True, gc=False):
    """
    The seats that play for a tower colour: one, or two with four players. The towers are on the first seat's board
    (D-R15).
    """

    tower: Tower
    seats: tuple[Seat, ...]


class Island(Struct, frozen=True, gc=False):
    """A group of merged islands. At first each group is one island."""

    #: The original islands it is made of, 1 to 12, in ascending order.
    members: tuple[int, ...]
    students: Students = NO_STUDENTS
    tower: Tower | None = None
    towers: int = 0
    no_entry_tiles: int = 0


class School(Struct, frozen=True, gc=False):
    """A player's school board, with all visible pieces beside it."""

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


class Card(Struct, frozen=True, gc=False):
    """A character card on the table, and what lies on it."""

    character: Character
    cost: int
    used: bool = False
    students: Students = NO_STUDENTS
    no_entry_tiles: int = 0


class Position(Struct, frozen=True, gc=False):
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
    supply: int = 0
    #: The place of Mother Nature's group in `islands`.
    mother_nature: int = 0
    #: The holder of each colour's professor.
    professors: tuple[Seat | None, ...] = (None, None, None, None, None)
    #: 0 until the first planning phase.
    round: int = 0
    #: The order of the current phase, and the index in it of the player to move.
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
        return self.order[self.turn]

    @property
    def school(self) -> School:
        """The board of the player to move."""
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
    A number of students drawn blindly, one by one, and the bag without them.

    :raises ValueError: there are fewer in the bag
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

    With too few students for all clouds the clouds remain empty, the students remain in the bag, and the round is the
    last. The round is also the last if this refill takes the last student.
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


# Dining rooms: every change to one goes through these functions, so that professors are always up to date


def has_room(school: School, colour: Colour) -> bool:
    """Whether one more student finds a seat at the table of its colour (A.4)."""
    return school.dining[colour] < TABLE_SEATS


def with_professors(position: Position, colours: Iterable[Colour] = tuple(Colour)) -> Position:
    """
    The professors of these colours with their new owners (A.5, D-R5, D-R17).

    A professor goes to the only player with the most students of the colour. With the farmer in use, the player to move
    also gets it for equally many. In all other cases the professor does not move, so on a tie its owner keeps it.
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

    :param school: the player's board, from which the caller has removed the student; the table has a free seat
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
    Swap a student of the active player's dining room with one of the entrance (the minstrel). The student that enters the
    dining room earns its coin (D-R6). A swap of equal colours changes nothing.
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


# Islands


#: The influence that the knight adds for the team of its user.
KNIGHT = 2


class Resolution(Struct, frozen=True, gc=False):
    position: Position
    #: The number of the island in the circle, from 1, before any merge.
    number: int
    #: The island after the count and before any merge; `None`: a no-entry tile stopped the count.
    island: Island | None = None
    #: The seat that has the towers of the island's owner.
    owner: Seat | None = None
    #: Whether islands have merged.
    merged: bool = False


def influences(position: Position, island: Island) -> tuple[int, ...]:
    """Each team's influence on an island (A.6), in the order of the teams."""
    worth = [0] * len(position.schools)
    for colour, count in enumerate(island.students):
        if count and (holder := position.professors[colour]) is not None and colour != position.banned:
            worth[holder] += count
    if position.character is Character.KNIGHT:
        worth[position.seat] += KNIGHT
    towers = 0 if position.character is Character.CENTAUR else island.towers
    counts = []
    for team in position.teams:
        count = towers if team.tower is island.tower else 0
        for seat in team.seats:
            count += worth[seat]
        counts.append(count)
    return tuple(counts)


def strongest(position: Position, island: Island) -> Tower | None:
    """The team that alone has the most influence, if there is one. (Without any influence all teams are equal.)"""
    counts = influences(position, island)
    most = max(counts)
    if counts.count(most) > 1:
        return None
    return position.teams[counts.index(most)].tower


def resolved(position: Position, place: int) -> Resolution:
    """
    Resolve an island, as Mother Nature does where she stops (A.6, A.7).

    Each call uses up one no-entry tile if there is one (D-R10, D-R11). When a team's last tower is built the match is
    over, and no islands merge any more.
    """
    island = position.islands[place]
    if island.no_entry_tiles:
        return Resolution(_tile_returned(position, place), place + 1)
    winner = strongest(position, island)
    if winner is None or winner is island.tower:
        return Resolution(position, place + 1, island, _island_holder(position, island))
    position = _conquered(position, place, winner)
    island = position.islands[place]
    holder = _island_holder(position, island)
    calculated = Resolution(position, place + 1, island, holder)
    if holder is None or not position.schools[holder].towers:
        return calculated
    merged = _merged(position, place)
    return calculated if merged is position else evolve(calculated, position=merged, merged=True)


def _island_holder(position: Position, island: Island) -> Seat | None:
    return None if island.tower is None else position.team_of(island.tower).seats[0]


def _tile_returned(position: Position, place: int) -> Position:
    island = position.islands[place]
    position = position.with_island(place, evolve(island, no_entry_tiles=island.no_entry_tiles - 1))
    herbalist = position.card(Character.HERBALIST)
    if herbalist is None:
        return position
    return position.with_card(evolve(herbalist, no_entry_tiles=herbalist.no_entry_tiles + 1))


def _conquered(position: Position, place: int, tower: Tower) -> Position:
    island = position.islands[place]
    if island.tower is not None:
        position = _with_towers(position, island.tower, island.towers)
    holder = position.team_of(tower).seats[0]
    built = min(len(island.members), position.schools[holder].towers)
    position = _with_towers(position, tower, -built)
    return position.with_island(place, evolve(island, tower=tower, towers=built))


def _with_towers(position: Position, tower: Tower, more: int) -> Position:
    holder = position.team_of(tower).seats[0]
    school = position.schools[holder]
    return position.with_school(holder, evolve(school, towers=school.towers + more))


def _merged(position: Position, place: int) -> Position:
    """The position after an island has merged with the neighbours that have the same towers, if there are any."""
    islands = position.islands
    tower = islands[place].tower
    around = ((place - 1) % len(islands), (place + 1) % len(islands))
    group = {place, *(neighbour for neighbour in around if islands[neighbour].tower is tower)}
    if len(group) == 1:
        return position
    # A group has the index of its first island. A group of the last and the first island has index 0.
    stands = min(group)
    whole = islands[place]
    for neighbour in group - {place}:
        whole = _grown(whole, islands[neighbour])
    circle = [whole if at == stands else island for at, island in enumerate(islands) if at == stands or at not in group]
    mother_nature = position.mother_nature
    if mother_nature in group:
        mother_nature = stands
    mother_nature -= sum(1 for at in group if at != stands and at < mother_nature)
    return evolve(position, islands=tuple(circle), mother_nature=mother_nature)


def _grown(one: Island, other: Island) -> Island:
    return Island(
        members=tuple(sorted(one.members + other.members)),
        students=together(one.students, other.students),
        tower=one.tower,
        towers=one.towers + other.towers,
        no_entry_tiles=one.no_entry_tiles + other.no_entry_tiles,
    )


# The winners


class Verdict(Struct, frozen=True, gc=False):
    #: The colour that won; `None`: a shared victory, or there were no teams yet.
    team: Tower | None
    #: The winners, a tower-holder before the partner.
    winners: tuple[Seat, ...]
    #: A short sentence without its full stop.
    why: str
    cause: Cause = Cause.RULES


def ended_at_once(position: Position) -> Verdict | None:
    """
    The verdict on a position in which a team has built its last tower, or few groups of islands are left (A.8).

    The last tower is checked first: the team that built it has won, even if few groups are left.
    """
    for team in position.teams:
        if not position.schools[team.seats[0]].towers:
            return Verdict(team.tower, team.seats, "the last tower is built")
    if len(position.islands) <= LAST_GROUPS:
        return counted(position.teams, position, "only three groups of islands are left")
    return None


def ended_with_round(position: Position) -> Verdict | None:
    """The verdict at the end of a round that was the last, or after which the assistants are used up (A.8, A.9)."""
    if position.last_round:
        return counted(position.teams, position, "the students have run out")
    if not all(position.hands):
        return counted(position.teams, position, "the assistants are used up")
    return None


def counted(teams: Sequence[Team], position: Position, why: str, cause: Cause = Cause.RULES) -> Verdict:
    """
    The winner among these teams: the team with the fewest towers left to build, and of equal ones the team with most
    professors. Teams that are equal in both share the victory (D-R9).
    """
    fewest = min(position.schools[team.seats[0]].towers for team in teams)
    first = [team for team in teams if position.schools[team.seats[0]].towers == fewest]
    if len(first) == 1:
        return Verdict(first[0].tower, first[0].seats, f"{why}; most towers", cause)
    most = max(_professors(position, team) for team in first)
    first = [team for team in first if _professors(position, team) == most]
    if len(first) == 1:
        return Verdict(first[0].tower, first[0].seats, f"{why}; equal towers, most professors", cause)
    winners = tuple(seat for team in first for seat in team.seats)
    return Verdict(None, winners, f"{why}; a tie in towers and professors", cause)


def _professors(position: Position, team: Team) -> int:
    return sum(1 for holder in position.professors if holder in team.seats)


def left(position: Position, leaver: Seat, cause: Cause) -> Verdict:
    """The verdict when a player has left (A.11). Of two teams, the other one wins. Of three players, the others compare."""
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    others = [team for team in position.teams if leaver not in team.seats]
    if len(others) == 1:
        return Verdict(others[0].tower, others[0].seats, why, cause)
    return counted(others, position, why, cause)


def left_before_deal(seats: int, chosen: Sequence[Tower], leaver: Seat, cause: Cause) -> Verdict:
    """
    The verdict when a player has left before the deal.

    :param chosen: the towers chosen so far, in the order of the seats

    There are no towers to count yet. So all seats win except the leaver and, if chosen already, the leaver's team.
    """
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    lost = chosen[leaver] if leaver < len(chosen) else None
    winners = tuple(
        Seat(seat)
        for seat in range(seats)
        if seat != leaver and (lost is None or seat >= len(chosen) or chosen[seat] is not lost)
    )
    return Verdict(_shared_colour(winners, chosen), winners, why, cause)


def _shared_colour(winners: Iterable[Seat], chosen: Sequence[Tower]) -> Tower | None:
    colours = {chosen[seat] if seat < len(chosen) else None for seat in winners}
    return colours.pop() if len(colours) == 1 else None
