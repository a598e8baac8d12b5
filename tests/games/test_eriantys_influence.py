"""Islands: who has influence, who builds, what grows together."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.influence import influences, resolved
from gamehost.games.eriantys.pieces import Character, Colour, Students, Tower
from gamehost.games.eriantys.position import Island, Position
from gamehost.games.eriantys.values import evolve
from gamehost.testing.cases import PropertyCase
from tests.kit.games.eriantys_table import circle, new_position, students, with_islands

BLACK, WHITE, GREY = Tower.BLACK, Tower.WHITE, Tower.GREY


def with_holders(position: Position, *holders: int | None) -> Position:
    """The professors, from yellow on, with these seats; the others with nobody."""
    seats = [None if seat is None else Seat(seat) for seat in holders]
    return evolve(position, professors=tuple([*seats, *[None] * (5 - len(seats))]))


def twelve(*heaps: tuple[Tower | None, Students], seats: int = 2) -> Position:
    """Single islands with these towers and students, the rest empty; professors: yellow 0, blue 1, green 2 or none."""
    rest = [(1, None)] * (12 - len(heaps))
    position = with_islands(new_position(seats), circle(*((1, tower, heap) for tower, heap in heaps), *rest))
    return with_holders(position, 0, 1, 2 if seats > 2 else None, None, None)


def built(position: Position) -> list[tuple[Tower | None, int]]:
    return [(island.tower, island.towers) for island in position.islands]


class InfluenceTests(SynchronousTestCase):
    """Counting influence (A.6)."""

    def test_students_count_for_the_professor(self) -> None:
        """Only students whose professor somebody holds count, for the holder."""
        position = twelve((None, students(yellow=2, blue=1, red=5)))
        self.assertEqual(influences(position, position.islands[0]), (2, 1))

    def test_towers_count_for_their_colour(self) -> None:
        """Each tower of a group is worth one to its team."""
        position = with_holders(with_islands(new_position(), circle((3, WHITE, students(yellow=2)), (9, None))), 0)
        self.assertEqual(influences(position, position.islands[0]), (2, 3))

    def test_partners_count_together(self) -> None:
        """Four players: professors of both partners count, and the towers once."""
        position = with_islands(new_position(4), circle((2, BLACK, students(1, 2, 3, 4, 0)), (10, None)))
        position = with_holders(position, 0, 1, 2, 3, None)
        self.assertEqual(influences(position, position.islands[0]), (1 + 4 + 2, 2 + 3))

    def test_knight_is_worth_two_once_a_team(self) -> None:
        """The knight adds two to the team of the player who called, on whatever island."""
        position = evolve(twelve((None, students(blue=1)), seats=3), character=Character.KNIGHT)
        self.assertEqual(influences(position, position.islands[0]), (2, 1, 0))
        four = evolve(new_position(4), character=Character.KNIGHT)
        self.assertEqual(influences(four, four.islands[0]), (2, 0))

    def test_d_r12_centaur_makes_all_towers_nothing(self) -> None:
        """D-R12: with the centaur no tower counts, the own ones neither."""
        position = evolve(twelve((BLACK, students(yellow=1))), character=Character.CENTAUR)
        self.assertEqual(influences(position, position.islands[0]), (1, 0))
        other = evolve(twelve((WHITE, students(yellow=1))), character=Character.CENTAUR)
        self.assertEqual(influences(other, other.islands[0]), (1, 0))

    def test_harvested_colour_counts_for_nobody(self) -> None:
        """The colour that the harvester named gives no influence."""
        position = evolve(twelve((None, students(yellow=5, blue=1))), banned=Colour.YELLOW)
        self.assertEqual(influences(position, position.islands[0]), (0, 1))


class ConquestTests(SynchronousTestCase):
    """Building and rebuilding towers (A.6)."""

    def test_strongest_builds(self) -> None:
        """The team with the most influence on a free island builds one tower from its board."""
        resolution = resolved(twelve((None, students(yellow=2, blue=1))), 0)
        self.assertEqual(resolution.position.islands[0].tower, BLACK)
        self.assertEqual(resolution.position.schools[0].towers, 7)
        self.assertEqual((resolution.number, resolution.owner, resolution.merged), (1, Seat(0), False))
        self.assertEqual(resolution.island, resolution.position.islands[0])

    def test_a_tie_for_the_top_changes_nothing(self) -> None:
        """Equal influence: a free island stays free and an owner stays the owner."""
        for tower, heap in ((None, students(1, 1)), (BLACK, students(1, 2))):
            position = twelve((tower, heap))
            resolution = resolved(position, 0)
            self.assertEqual(resolution.position, position)
            self.assertEqual(resolution.owner, None if tower is None else Seat(0))

    def test_two_challengers_level_above_the_owner_change_nothing(self) -> None:
        """Three players: a tie for the top above the owner leaves the owner."""
        position = twelve((GREY, students(yellow=3, blue=3)), seats=3)
        self.assertEqual(resolved(position, 0).position, position)

    def test_no_influence_builds_nothing(self) -> None:
        """Where nobody has any influence nothing is built."""
        position = twelve((None, students(red=4)))
        self.assertEqual(resolved(position, 0).position, position)

    def test_conquered_towers_go_home(self) -> None:
        """A stronger team replaces all towers of a group, and the old ones go back to their board."""
        position = with_islands(new_position(), circle((2, WHITE, students(yellow=3)), (10, None)))
        after = resolved(with_holders(position, 0), 0).position
        self.assertEqual(built(after)[0], (BLACK, 2))
        self.assertEqual([school.towers for school in after.schools], [6, 8])

    def test_partners_build_from_one_board(self) -> None:
        """Four players: a partner's influence builds with the tower-holder's towers."""
        position = with_holders(
            with_islands(new_position(4), circle((1, WHITE, students(red=2)), (11, None))), *[None] * 3, 3
        )
        resolution = resolved(position, 0)
        self.assertEqual([school.towers for school in resolution.position.schools], [7, 8, 0, 0])
        self.assertEqual(resolution.owner, Seat(0))

    def test_too_few_towers_build_what_there_is(self) -> None:
        """A group larger than the towers left gets those, and nothing grows together any more."""
        islands = circle((3, WHITE, students(yellow=9)), (1, BLACK), (6, None), (1, BLACK), (1, None))
        position = with_holders(with_islands(new_position(3), islands), 0)
        position = position.with_school(Seat(0), evolve(position.schools[0], towers=2))
        resolution = resolved(position, 0)
        self.assertEqual(built(resolution.position)[0], (BLACK, 2))
        self.assertEqual(resolution.position.schools[0].towers, 0)
        self.assertFalse(resolution.merged)
        self.assertEqual(len(resolution.position.islands), len(islands))


class TileTests(SynchronousTestCase):
    """No-entry tiles."""

    def test_d_r10_tiles_stack_and_go_one_by_one(self) -> None:
        """D-R10: each resolution of an island with several tiles returns one to the card and counts nothing."""
        position = evolve(new_position(characters=[Character.HERBALIST]), professors=(Seat(0),) * 5)
        herbalist = position.cards[0]
        position = position.with_card(evolve(herbalist, no_entry_tiles=2))
        island = Island((1,), students(yellow=3), no_entry_tiles=2)
        position = position.with_island(0, island)
        for left in (1, 0):
            resolution = resolved(position, 0)
            position = resolution.position
            self.assertIs(resolution.island, None)
            self.assertEqual(position.islands[0], evolve(island, no_entry_tiles=left))
            self.assertEqual(position.cards[0].no_entry_tiles, 4 - left)
        self.assertEqual(resolved(position, 0).position.islands[0].tower, BLACK)


class MergingTests(SynchronousTestCase):
    """Islands that grow together (A.7)."""

    def merged(self, *groups: tuple[int, Tower | None], place: int, mother_nature: int = 0) -> Position:
        """A circle in which black conquers the group at a place."""
        heap = students(yellow=12)
        islands = [evolve(i, students=heap) if at == place else i for at, i in enumerate(circle(*groups))]
        position = with_holders(with_islands(new_position(), islands, mother_nature), 0)
        resolution = resolved(position, place)
        self.assertTrue(resolution.merged)
        self.assertEqual(resolution.number, place + 1)
        return resolution.position

    def members(self, position: Position) -> list[tuple[int, ...]]:
        return [island.members for island in position.islands if len(island.members) > 1]

    def test_one_neighbour(self) -> None:
        """The right neighbour of the same colour joins, and the group stands where the first of them stood."""
        position = self.merged((1, None), (1, None), (1, BLACK), (9, None), place=1)
        self.assertEqual([island.members for island in position.islands[:2]], [(1,), (2, 3)])
        self.assertEqual(built(position)[1], (BLACK, 2))

    def test_both_neighbours(self) -> None:
        """Both neighbours join, with students, towers and tiles."""
        position = self.merged((1, None), (2, BLACK), (1, WHITE), (3, BLACK), (5, None), place=2)
        self.assertEqual(position.islands[1].members, (2, 3, 4, 5, 6, 7))
        self.assertEqual(built(position), [(None, 0), (BLACK, 6), (None, 0)])
        self.assertEqual([school.towers for school in position.schools], [2, 8])

    def test_other_colours_and_free_islands_stay_apart(self) -> None:
        """A neighbour with other towers, or none, does not join."""
        islands = circle((1, WHITE), (1, None, students(yellow=1)), (10, None))
        resolution = resolved(with_holders(with_islands(new_position(), islands), 0), 1)
        self.assertFalse(resolution.merged)
        self.assertEqual(len(resolution.position.islands), 3)

    def test_across_the_end_of_the_circle(self) -> None:
        """The last and the first island grow together at the beginning."""
        for place in (0, 4):
            first, last = (BLACK, None) if place else (None, BLACK)
            groups = ((1, first), (1, None), (1, None), (8, None), (1, last))
            position = self.merged(*groups, place=place)
            self.assertEqual(self.members(position), [(1, 12), (4, 5, 6, 7, 8, 9, 10, 11)])
            self.assertEqual(position.islands[0].members, (1, 12))

    def test_both_neighbours_across_the_end(self) -> None:
        """The last, the first and the second island grow together at the beginning."""
        position = self.merged((1, None), (1, BLACK), (1, None), (1, None), (7, None), (1, BLACK), place=0)
        self.assertEqual(position.islands[0].members, (1, 2, 12))
        position = self.merged((1, BLACK), (1, None), (1, None), (7, None), (1, BLACK), (1, None), place=5)
        self.assertEqual(position.islands[0].members, (1, 11, 12))

    def test_mother_nature_goes_with_her_group(self) -> None:
        """Wherever she stands, she stands on the same original island after others have grown together."""
        for place, black in ((1, (2,)), (1, (0, 2)), (0, (11,)), (11, (0, 10)), (0, (1, 11)), (6, (5,))):
            for stands in range(12):
                groups = [(1, BLACK if at in black else None) for at in range(12)]
                position = self.merged(*groups, place=place, mother_nature=stands)
                self.assertIn(stands + 1, position.islands[position.mother_nature].members)

    def test_tiles_are_carried_over(self) -> None:
        """A group carries the tiles of all its parts."""
        islands = circle((1, None, students(yellow=1)), (1, BLACK), (10, None))
        islands[1] = evolve(islands[1], no_entry_tiles=2)
        after = resolved(with_holders(with_islands(new_position(), islands), 0), 0).position
        self.assertEqual(after.islands[0].no_entry_tiles, 2)


class CirclePropertyTests(PropertyCase):
    """Circles of any kind."""

    @given(st.lists(st.sampled_from([None, BLACK, WHITE]), min_size=12, max_size=12), st.integers(0, 11))
    def test_nothing_is_lost_and_neighbours_differ(self, towers: list[Tower | None], place: int) -> None:
        """After a conquest students and islands are all there, and the new group's neighbours have other towers."""
        for at in range(12):
            if towers[at] is not None and towers[at] is towers[at - 1]:
                towers[at] = None
        towers[place] = None
        islands = [
            Island((at + 1,), students(red=at), tower, int(tower is not None)) for at, tower in enumerate(towers)
        ]
        islands[place] = evolve(islands[place], students=students(yellow=3))
        after = resolved(with_holders(with_islands(new_position(), islands), 0), place).position
        if not after.schools[0].towers:
            return
        self.assertEqual(sorted(m for island in after.islands for m in island.members), list(range(1, 13)))
        self.assertEqual(sum(sum(i.students) for i in after.islands), sum(sum(i.students) for i in islands))
        for at, island in enumerate(after.islands):
            self.assertEqual(island.members[0], min(island.members))
            if island.tower is not None and len(after.islands) > 1:
                self.assertIsNot(island.tower, after.islands[at - 1].tower)
