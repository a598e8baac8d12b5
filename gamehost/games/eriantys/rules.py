"""
The rules of Eriantys: the parts of the game, and how many of them are used with each number of players. Also a position of
islands, school boards, clouds, cards and the bag, and the functions that change it. All numbers are those of the rulebook.

All values are immutable. A `Position` contains everything, also hidden values (hands and bag). The events in `events` are made
from it. Students of the same colour are equal, so a heap of students (a bag, a cloud, an entrance) is five counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, IntEnum, StrEnum

from msgspec import Struct
from msgspec.structs import replace

from gamehost.games.base import Cause, Chance, Seat


class Colour(IntEnum):
    """The five kinds of students. The value is the index of the colour in a heap."""

    YELLOW = 0
    BLUE = 1
    GREEN = 2
    RED = 3
    PINK = 4


class Tower(IntEnum):
    """The colours of towers. A team is named by this colour."""

    BLACK = 0
    WHITE = 1
    GREY = 2


class Character(IntEnum):
    """The twelve characters, with their numbers in the rulebook."""

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
    """The present phase of a player; at the end, whether the player has won. The words are those of the protocol."""

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
    """The rule that decides which player begins the planning phase, from the second round on (D-R1)."""

    #: The order of turns of the round before.
    PREVIOUS = "previous"
    #: As in the rulebook: clockwise from the player that acted first in the round before.
    CLOCKWISE = "clockwise"


#: A heap of students: the number of students of each colour.
Students = tuple[int, ...]

NO_STUDENTS: Students = (0, 0, 0, 0, 0)
STUDENTS_OF_A_COLOUR = 26
#: The number of students of each colour from which the students on the islands are drawn. All others are in the bag.
STUDENTS_FOR_ISLANDS = 2
ISLANDS = 12
ASSISTANTS = tuple(range(1, 11))
WIZARDS = (1, 2, 3, 4)
#: The number of seats at each table of a dining room.
TABLE_SEATS = 10
#: A student on one of these seats earns a coin.
COIN_SEATS = frozenset((3, 6, 9))
COINS = 20
#: The number of characters in an expert game.
CHARACTERS_IN_PLAY = 3
#: The match ends when the number of island groups is this or less.
LAST_GROUPS = 3


class Mode(Struct, frozen=True, gc=False):
    """The quantities that depend on the number of players."""

    seats: int
    #: The number of places in each team, by tower colour.
    places: tuple[int, ...]
    #: The number of towers of each team.
    towers: int
    #: The number of students in an entrance between turns.
    entrance: int
    #: How many students a player moves in a turn, and how many students are put on each cloud.
    moves: int


MODES: Mapping[int, Mode] = {
    2: Mode(seats=2, places=(1, 1), towers=8, entrance=7, moves=3),
    3: Mode(seats=3, places=(1, 1, 1), towers=6, entrance=9, moves=4),
    4: Mode(seats=4, places=(2, 2), towers=8, entrance=7, moves=3),
}


def plus(students: Students, colour: Colour, count: int = 1) -> Students:
    """Returns a heap with more students of one colour; fewer, if the count is negative."""
    counts = list(students)
    counts[colour] += count
    return tuple(counts)


def together(one: Students, other: Students) -> Students:
    """Returns the sum of two heaps."""
    return tuple(map(sum, zip(one, other, strict=True)))


def steps_of(assistant: int) -> int:
    """Returns the most steps of Mother Nature that an assistant allows."""
    return (assistant + 1) // 2


#: Returns a changed copy of a value.
evolve = replace


# Positions


class Match(Struct, frozen=True, gc=False):
    """The settings of a match."""

    mode: Mode
    expert: bool


class Team(Struct, frozen=True, gc=False):
    """
    The seats that play for a tower colour: one, or two in a match of four. The towers are on the first seat's board (D-R15).
    """

    tower: Tower
    seats: tuple[Seat, ...]


class Island(Struct, frozen=True, gc=False):
    """A group of merged islands. At first each group is one island."""

    #: The original islands of the group, 1 to 12, in ascending order.
    members: tuple[int, ...]
    students: Students = NO_STUDENTS
    tower: Tower | None = None
    towers: int = 0
    no_entry_tiles: int = 0


class School(Struct, frozen=True, gc=False):
    """A player's school board, and all visible pieces beside it."""

    tower: Tower
    wizard: int
    #: How many towers are still to be built; 0 for the partner of the player with the team's towers.
    towers: int
    tower_holder: bool
    entrance: Students
    #: Students in the dining room.
    dining: Students = NO_STUDENTS
    #: 0 in the normal game.
    coins: int = 0
    #: The number of assistants in the hand.
    assistants: int = 10
    #: The assistant that the player has played in this round; `None`: none yet.
    played: int | None = None


class Card(Struct, frozen=True, gc=False):
    """A character card, and the things on it."""

    character: Character
    cost: int
    used: bool = False
    students: Students = NO_STUDENTS
    no_entry_tiles: int = 0


class Position(Struct, frozen=True, gc=False):
    """
    The whole state of the game between two decisions. A student that was chosen without its destination, and the choices for a
    character, are not in it: see `phases.Play`.
    """

    match: Match
    teams: tuple[Team, ...]
    #: The seats in their order around the table, clockwise.
    seating: tuple[Seat, ...]
    schools: tuple[School, ...]
    #: The assistants that each seat can still play.
    hands: tuple[tuple[int, ...], ...]
    islands: tuple[Island, ...]
    clouds: tuple[Students, ...]
    bag: Students
    cards: tuple[Card, ...] = ()
    supply: int = 0
    #: The index in `islands` of the group with Mother Nature.
    mother_nature: int = 0
    #: The seat that has the professor of each colour.
    professors: tuple[Seat | None, ...] = (None, None, None, None, None)
    #: 0 until the first planning phase.
    round: int = 0
    #: The order of the seats in the present phase, and the index of the player to move in this order.
    order: tuple[Seat, ...] = ()
    turn: int = 0
    #: The character that was used in this turn; `None`: none.
    character: Character | None = None
    #: The colour that gives no influence in this turn, because of the harvester.
    banned: Colour | None = None
    #: Whether the match ends with this round. It never becomes false again.
    last_round: bool = False

    @property
    def seat(self) -> Seat:
        """The seat to move."""
        return self.order[self.turn]

    @property
    def school(self) -> School:
        """The board of the player to move."""
        return self.schools[self.order[self.turn]]

    def with_school(self, seat: Seat, school: School) -> "Position":
        """Returns a position with another school board for a seat."""
        schools = list(self.schools)
        schools[seat] = school
        return evolve(self, schools=tuple(schools))

    def with_island(self, place: int, island: Island) -> "Position":
        """Returns a position with another island group at this index."""
        islands = list(self.islands)
        islands[place] = island
        return evolve(self, islands=tuple(islands))

    def card(self, character: Character) -> Card | None:
        """Returns the card of a character; `None`: the character is not in this match."""
        for card in self.cards:
            if card.character is character:
                return card
        return None

    def with_card(self, card: Card) -> "Position":
        """Returns a position in which this card replaces the one of the same character."""
        return evolve(self, cards=tuple(card if old.character is card.character else old for old in self.cards))

    def team_of(self, tower: Tower) -> Team:
        """Returns the team that plays for this tower colour."""
        for team in self.teams:
            if team.tower is tower:
                return team
        raise ValueError("no team plays for these towers")


def drawn(bag: Students, count: int, chance: Chance) -> tuple[Students, Students]:
    """
    Draws students from a bag at random, one by one. Returns the drawn students, and the bag without them.

    :raises ValueError: the bag has too few students
    """
    left = sum(bag)
    if count > left:
        raise ValueError(f"{count} students were to be drawn from a bag of {left}")
    counts, taken = list(bag), [0] * len(bag)
    # `size`: the number of students that are still in the bag.
    for size in range(left, left - count, -1):
        # Each student in the bag is equally likely: find the colour of the student with this number.
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
    Returns the position after the clouds were filled for a round (A.9, D-R3).

    If there are too few students for all clouds, the clouds remain empty, the students remain in the bag, and the round is the
    last one. The round is also the last one if the last student is drawn now.
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
    """Returns the position after a student of the active player's entrance was put on an island."""
    school, island = position.school, position.islands[place]
    schools, islands = list(position.schools), list(position.islands)
    schools[position.seat] = evolve(school, entrance=plus(school.entrance, colour, -1))
    islands[place] = evolve(island, students=plus(island.students, colour))
    return evolve(position, schools=tuple(schools), islands=tuple(islands))


# Dining rooms. All changes of dining rooms are made by these functions, so that the professors always have the right owners


def has_room(school: School, colour: Colour) -> bool:
    """Whether there is a free seat at the table of this colour (A.4)."""
    return school.dining[colour] < TABLE_SEATS


def with_professors(position: Position, colours: Iterable[Colour] = tuple(Colour)) -> Position:
    """
    Returns the position with the right owners of these professors (A.5, D-R5, D-R17).

    A professor belongs to the only player with the most students of the colour. While the farmer is in use, the player to move
    also gets it with equally many students. In all other cases of a tie, the professor keeps its owner.
    """
    professors = list(position.professors)
    for colour in colours:
        professors[colour] = _holder(position, colour, [school.dining[colour] for school in position.schools])
    after = tuple(professors)
    # Most moves change no professor: then no copy is made.
    return position if after == position.professors else evolve(position, professors=after)


def _holder(position: Position, colour: Colour, counts: Sequence[int]) -> Seat | None:
    """
    Returns the seat that has the professor of a colour now.

    :param counts: the number of students of this colour in each dining room
    """
    most = max(counts)
    holder = position.professors[colour]
    if most == 0:
        # Nobody has a student of this colour any more: the professor stays.
        return holder
    if position.character is Character.FARMER and counts[position.seat] == most:
        return position.seat
    if (holder is not None and counts[holder] == most) or counts.count(most) > 1:
        return holder
    return Seat(counts.index(most))


def seated(position: Position, school: School, colour: Colour) -> Position:
    """
    Returns the position after one more student was put into the active player's dining room. The student may earn a coin (A.10,
    D-R7, D-R8) or bring a professor.

    :param school: the player's board, from which the caller has removed the student; the table has a free seat
    """
    dining = plus(school.dining, colour)
    # `COIN_SEATS` are counted from 1, so this student's seat has the number of students at the table.
    earned = int(position.match.expert and position.supply > 0 and dining[colour] in COIN_SEATS)
    position = position.with_school(position.seat, evolve(school, dining=dining, coins=school.coins + earned))
    if earned:
        position = evolve(position, supply=position.supply - earned)
    return with_professors(position, (colour,))


def moved_to_table(position: Position, colour: Colour) -> Position:
    """Returns the position after a student was moved from the active player's entrance to the table of its colour."""
    school = position.school
    return seated(position, evolve(school, entrance=plus(school.entrance, colour, -1)), colour)


def swapped(position: Position, leaves: Colour, enters: Colour) -> Position:
    """
    Returns the position after the active player has exchanged a student of the dining room with one of the entrance (the
    minstrel). The student that enters the dining room may earn a coin (D-R6). An exchange of equal colours changes nothing.
    """
    if leaves is enters:
        return position
    school = position.school
    entrance = plus(plus(school.entrance, enters, -1), leaves)
    school = evolve(school, entrance=entrance, dining=plus(school.dining, leaves, -1))
    # `seated` finds the owner of the professor of the colour that enters; the other colour has lost a student.
    return with_professors(seated(position, school, enters), (leaves,))


def emptied(position: Position, colour: Colour, most: int) -> Position:
    """
    Returns the position after all players have returned students of this colour from the dining room to the bag (the thief).

    :param most: the most students that each player returns
    """
    schools, returned = [], 0
    for school in position.schools:
        going = min(most, school.dining[colour])
        schools.append(evolve(school, dining=plus(school.dining, colour, -going)))
        returned += going
    after = evolve(position, schools=tuple(schools), bag=plus(position.bag, colour, returned))
    return with_professors(after, (colour,))


# Islands


#: The influence that the knight adds for the team of the player that uses it.
KNIGHT = 2


class Resolution(Struct, frozen=True, gc=False):
    """The result of counting the influence on an island."""

    position: Position
    #: The number of the island group in the circle, from 1, before islands merge.
    number: int
    #: The island after the count and before islands merge; `None`: influence was not counted, because of a no-entry tile.
    island: Island | None = None
    #: The seat with the towers of the team that owns the island.
    owner: Seat | None = None
    #: Whether islands have merged.
    merged: bool = False


def influences(position: Position, island: Island) -> tuple[int, ...]:
    """Returns the influence of each team on an island (A.6), in the order of the teams."""
    worth = [0] * len(position.schools)
    for colour, count in enumerate(island.students):
        if count and (holder := position.professors[colour]) is not None and colour != position.banned:
            # The students of a colour count for the player with its professor.
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
    """
    Returns the team that alone has the most influence; `None`: there is no such team. (Without any influence all teams are
    equal.)
    """
    counts = influences(position, island)
    most = max(counts)
    if counts.count(most) > 1:
        return None
    return position.teams[counts.index(most)].tower


def resolved(position: Position, place: int) -> Resolution:
    """
    Counts the influence on an island, as at the end of Mother Nature's move (A.6, A.7).

    Each call uses one no-entry tile if there is one on the island (D-R10, D-R11). If a team builds its last tower, the match is
    over, and no islands merge any more.
    """
    island = position.islands[place]
    if island.no_entry_tiles:
        # The tile prevents the count. `number` counts from 1.
        return Resolution(_tile_returned(position, place), place + 1)
    winner = strongest(position, island)
    if winner is None or winner is island.tower:
        # A tie, or the owner is the strongest: nothing changes.
        return Resolution(position, place + 1, island, _island_holder(position, island))
    position = _conquered(position, place, winner)
    island = position.islands[place]
    holder = _island_holder(position, island)
    calculated = Resolution(position, place + 1, island, holder)
    if holder is None or not position.schools[holder].towers:
        # The last tower is built: the match is over.
        return calculated
    merged = _merged(position, place)
    return calculated if merged is position else evolve(calculated, position=merged, merged=True)


def _island_holder(position: Position, island: Island) -> Seat | None:
    """Returns the seat with the towers of the island's owner; `None`: nobody owns the island."""
    return None if island.tower is None else position.team_of(island.tower).seats[0]


def _tile_returned(position: Position, place: int) -> Position:
    """Returns the position after a no-entry tile has gone back from an island to its card."""
    island = position.islands[place]
    position = position.with_island(place, evolve(island, no_entry_tiles=island.no_entry_tiles - 1))
    herbalist = position.card(Character.HERBALIST)
    if herbalist is None:
        return position  # cannot be: without the herbalist there are no tiles
    return position.with_card(evolve(herbalist, no_entry_tiles=herbalist.no_entry_tiles + 1))


def _conquered(position: Position, place: int, tower: Tower) -> Position:
    """Returns the position after a team has built its towers on an island, instead of another team's towers."""
    island = position.islands[place]
    if island.tower is not None:
        # The other team gets its towers back.
        position = _with_towers(position, island.tower, island.towers)
    holder = position.team_of(tower).seats[0]
    # One tower for each island of the group, if the team has so many.
    built = min(len(island.members), position.schools[holder].towers)
    position = _with_towers(position, tower, -built)
    return position.with_island(place, evolve(island, tower=tower, towers=built))


def _with_towers(position: Position, tower: Tower, more: int) -> Position:
    """Returns the position after a team has got more towers to build, or fewer."""
    holder = position.team_of(tower).seats[0]
    school = position.schools[holder]
    return position.with_school(holder, evolve(school, towers=school.towers + more))


def _merged(position: Position, place: int) -> Position:
    """
    Returns the position after an island has merged with the neighbours that have the same towers. If there are none, it is the
    same object.
    """
    islands = position.islands
    tower = islands[place].tower
    # The islands are a circle.
    around = ((place - 1) % len(islands), (place + 1) % len(islands))
    group = {place, *(neighbour for neighbour in around if islands[neighbour].tower is tower)}
    if len(group) == 1:
        return position
    # The new group gets the lowest index of its parts. A group of the last and the first island gets the index 0.
    stands = min(group)
    # Only the two neighbours can join: all other neighbours with equal towers have merged before.
    whole = islands[place]
    for neighbour in group - {place}:
        whole = _grown(whole, islands[neighbour])
    circle = [whole if at == stands else island for at, island in enumerate(islands) if at == stands or at not in group]
    mother_nature = position.mother_nature
    if mother_nature in group:
        mother_nature = stands
    # The indices after each removed group are lower by one.
    mother_nature -= sum(1 for at in group if at != stands and at < mother_nature)
    return evolve(position, islands=tuple(circle), mother_nature=mother_nature)


def _grown(one: Island, other: Island) -> Island:
    """Returns the group of two merged island groups."""
    return Island(
        members=tuple(sorted(one.members + other.members)),
        students=together(one.students, other.students),
        # Both groups have the same towers, or they would not merge.
        tower=one.tower,
        towers=one.towers + other.towers,
        no_entry_tiles=one.no_entry_tiles + other.no_entry_tiles,
    )


# The winners


class Verdict(Struct, frozen=True, gc=False):
    """The winners of a match, and the reason."""

    #: The team that has won; `None`: a shared victory, or there were no teams yet.
    team: Tower | None
    #: The winners. In a team, the player with the towers is first.
    winners: tuple[Seat, ...]
    #: A short sentence without its full stop.
    why: str
    cause: Cause = Cause.RULES


def ended_at_once(position: Position) -> Verdict | None:
    """
    Returns the verdict if a team has built its last tower, or few island groups are left (A.8); `None`: the match continues.

    The last tower is checked first: the team that has built it wins, even if few groups are left.
    """
    for team in position.teams:
        # The towers of a team are on the board of its first seat.
        if not position.schools[team.seats[0]].towers:
            return Verdict(team.tower, team.seats, "the last tower is built")
    if len(position.islands) <= LAST_GROUPS:
        return counted(position.teams, position, "only three groups of islands are left")
    return None


def ended_with_round(position: Position) -> Verdict | None:
    """
    Returns the verdict at the end of a round, if it was the last one or the assistants are used up (A.8, A.9); `None`: the
    match continues.
    """
    if position.last_round:
        return counted(position.teams, position, "the students have run out")
    if not all(position.hands):
        # A player has an empty hand.
        return counted(position.teams, position, "the assistants are used up")
    return None


def counted(teams: Sequence[Team], position: Position, why: str, cause: Cause = Cause.RULES) -> Verdict:
    """
    Finds the winner among these teams: the team with the fewest towers left to build. Of teams with equally few, the one with
    the most professors wins. Teams that are equal in both share the victory (D-R9).
    """
    # The first seat of a team has its towers.
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
    """Returns the number of professors of a team."""
    return sum(1 for holder in position.professors if holder in team.seats)


def left(position: Position, leaver: Seat, cause: Cause) -> Verdict:
    """
    Returns the verdict after a player has left (A.11). Of two teams, the other one wins. Of three players, the two others are
    compared.
    """
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    others = [team for team in position.teams if leaver not in team.seats]
    if len(others) == 1:
        return Verdict(others[0].tower, others[0].seats, why, cause)
    return counted(others, position, why, cause)


def left_before_deal(seats: int, chosen: Sequence[Tower], leaver: Seat, cause: Cause) -> Verdict:
    """
    Returns the verdict after a player has left before the deal.

    :param chosen: the towers chosen so far, in the order of the seats

    There are no towers to count yet. So all seats win except the player that has left and the other members of this player's
    team, if it has chosen one.
    """
    why = "a player ran out of time" if cause is Cause.TIME else "a player left"
    # The seats choose in order, so a seat behind the last choice has not chosen yet.
    lost = chosen[leaver] if leaver < len(chosen) else None
    winners = tuple(
        Seat(seat)
        for seat in range(seats)
        if seat != leaver and (lost is None or seat >= len(chosen) or chosen[seat] is not lost)
    )
    return Verdict(_shared_colour(winners, chosen), winners, why, cause)


def _shared_colour(winners: Iterable[Seat], chosen: Sequence[Tower]) -> Tower | None:
    """Returns the team of the winners, if all of them have chosen the same; otherwise `None`."""
    colours = {chosen[seat] if seat < len(chosen) else None for seat in winners}
    # One `None` means that none of the winners has chosen.
    return colours.pop() if len(colours) == 1 else None
