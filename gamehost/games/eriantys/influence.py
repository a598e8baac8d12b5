"""
Who owns an island. Influence is counted when Mother Nature stops on it or the herald is used on it, and at no other time. The
consequences are computed in one step: the no-entry tile, the towers, and the merging of islands.
"""

from attrs import frozen

from gamehost.games.base import Seat
from gamehost.games.eriantys.pieces import Character, Tower, together
from gamehost.games.eriantys.position import Island, Position
from gamehost.games.eriantys.values import evolve

#: The influence that the knight gives to the team of the player who uses it.
KNIGHT = 2


@frozen
class Resolution:
    """The result of resolving an island."""

    position: Position
    #: The number of the island in the circle, from 1, before any merge.
    number: int
    #: The island after the count and before any merge; `None`: a no-entry tile stopped the count.
    island: Island | None = None
    #: The seat that holds the towers of the island's owner.
    owner: Seat | None = None
    #: Whether islands have merged.
    merged: bool = False


def influences(position: Position, island: Island) -> tuple[int, ...]:
    """Each team's influence on an island (A.6), in the order of the teams."""
    worth: dict[Seat, int] = {}
    for colour, count in enumerate(island.students):
        holder = position.professors[colour]
        if count and holder is not None and colour != position.banned:
            worth[holder] = worth.get(holder, 0) + count
    towers = 0 if position.character is Character.CENTAUR else island.towers
    knighted = position.seat if position.character is Character.KNIGHT else None
    return tuple(
        sum(worth.get(seat, 0) for seat in team.seats)
        + (towers if team.tower is island.tower else 0)
        + (KNIGHT if knighted is not None and knighted in team.seats else 0)
        for team in position.teams
    )


def strongest(position: Position, island: Island) -> Tower | None:
    """The team that alone has the most influence, if there is one. (Without any influence all teams are equal.)"""
    counts = influences(position, island)
    most = max(counts)
    if counts.count(most) > 1:
        return None
    return position.teams[counts.index(most)].tower


def resolved(position: Position, place: int) -> Resolution:
    """
    An island resolved: as if Mother Nature had just stopped there (A.6, A.7).

    Each call uses up one no-entry tile if there is one (D-R10, D-R11). When a team's last tower is built the match is
    over, and nothing grows together any more.
    """
    island = position.islands[place]
    if island.no_entry_tiles:
        return Resolution(_tile_returned(position, place), place + 1)
    winner = strongest(position, island)
    if winner is None or winner is island.tower:
        return Resolution(position, place + 1, island, _holder(position, island))
    position = _conquered(position, place, winner)
    island = position.islands[place]
    holder = _holder(position, island)
    calculated = Resolution(position, place + 1, island, holder)
    if holder is None or not position.schools[holder].towers:
        return calculated
    merged = _merged(position, place)
    return calculated if merged is position else evolve(calculated, position=merged, merged=True)


def _holder(position: Position, island: Island) -> Seat | None:
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
    """The island with those neighbours that have the same towers; the same position where there are none."""
    islands = position.islands
    tower = islands[place].tower
    around = ((place - 1) % len(islands), (place + 1) % len(islands))
    group = {place, *(neighbour for neighbour in around if islands[neighbour].tower is tower)}
    if len(group) == 1:
        return position
    # The group stands where its first island stood. A group of the last and the first island stands at the beginning.
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
