"""The rules of Eriantys: dining rooms, islands, the bag, and who has won."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys.master import Eriantys
from gamehost.games.eriantys.rules import (
    Character,
    Colour,
    Island,
    Position,
    Students,
    Tower,
    counted,
    emptied,
    ended_at_once,
    ended_with_round,
    evolve,
    has_room,
    influences,
    left,
    left_before_deal,
    moved_to_table,
    resolved,
    seated,
    swapped,
    with_professors,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.games.eriantys import Dice, circle, new_position, students, with_islands, with_school

RED = Colour.RED


def with_red(*counts: int, holder: int | None = None, seats: int = 3, expert: bool = False) -> Position:
    """A table with so many red students in the dining rooms, by seat, and the red professor with this holder."""
    position = new_position(seats, expert=expert)
    for seat, count in enumerate(counts):
        position = with_school(position, seat, dining=students(red=count))
    professors = tuple(None if holder is None or colour is not RED else Seat(holder) for colour in Colour)
    return evolve(position, professors=professors)


class ProfessorTests(SynchronousTestCase):
    """Professors follow the most students (A.5)."""

    def holder(self, position: Position) -> Seat | None:
        return with_professors(position).professors[RED]

    def test_first_student_of_a_colour_brings_the_professor(self) -> None:
        self.assertEqual(moved_to_table(with_red(), RED).professors[RED], Seat(0))

    def test_a_tie_changes_nothing(self) -> None:
        self.assertEqual(self.holder(with_red(2, 2, 0, holder=1)), Seat(1))
        self.assertEqual(self.holder(with_red(2, 2, 0, holder=0)), Seat(0))
        self.assertEqual(self.holder(with_red(3, 2, 0, holder=1)), Seat(0))

    def test_nobody_counts_for_a_partner(self) -> None:
        """Four players: two partners with two and two do not outweigh an opponent's three."""
        self.assertEqual(self.holder(with_red(2, 3, 0, 2, holder=1, seats=4)), Seat(1))

    def test_d_r4_farmer_takes_on_a_tie_and_keeps(self) -> None:
        position = with_red(2, 2, 0, holder=1)
        taken = with_professors(evolve(position, character=Character.FARMER))
        self.assertEqual(taken.professors[RED], Seat(0))
        self.assertEqual(self.holder(evolve(taken, character=None)), Seat(0))

    def test_farmer_needs_students(self) -> None:
        nobody = evolve(with_red(0, 0, 0), character=Character.FARMER)
        self.assertIs(self.holder(nobody), None)
        self.assertEqual(self.holder(evolve(with_red(1, 2, 0, holder=1), character=Character.FARMER)), Seat(1))

    def test_farmer_is_for_the_active_player(self) -> None:
        position = evolve(with_red(1, 2, 2, holder=2), character=Character.FARMER)
        self.assertEqual(self.holder(position), Seat(2))

    def test_d_r5_a_holder_with_nothing_left_keeps_the_professor(self) -> None:
        self.assertEqual(self.holder(with_red(0, 0, 0, holder=1)), Seat(1))

    def test_d_r5_students_gone_can_hand_it_over(self) -> None:
        """D-R5: a holder who gave students away loses it to whoever now alone has the most."""
        self.assertEqual(self.holder(with_red(1, 2, 0, holder=0)), Seat(1))

    def test_d_r17_everybody_has_to_be_beaten(self) -> None:
        """D-R17: two players level above a holder who gave students away: nobody takes the professor."""
        self.assertEqual(self.holder(with_red(1, 2, 2, holder=0)), Seat(0))

    def test_d_r5_thief_never_overturns(self) -> None:
        """D-R5: after three (or all) students of each went back, every professor stays: for all counts up to ten."""
        for mine in range(11):
            for yours in range(11):
                position = with_professors(
                    with_red(mine, yours, holder=1 if yours >= mine and yours else None, seats=2)
                )
                after = emptied(position, RED, 3)
                self.assertEqual(after.professors, position.professors)
                self.assertEqual(after.bag[RED] - position.bag[RED], min(3, mine) + min(3, yours))


class ProfessorPropertyTests(PropertyCase):
    @given(st.lists(st.integers(0, 10), min_size=4, max_size=4), st.sampled_from([None, 0, 1, 2, 3]))
    def test_alone_with_the_most_has_the_professor(self, counts: list[int], holder: int | None) -> None:
        after = with_professors(with_red(*counts, holder=holder, seats=4)).professors[RED]
        most = max(counts)
        if most and counts.count(most) == 1:
            self.assertEqual(after, counts.index(most))
        else:
            self.assertEqual(after, holder)


class CoinTests(SynchronousTestCase):
    """Coins for the third, sixth and ninth seat (A.10)."""

    def earned(self, before: int, expert: bool = True, supply: int = 17) -> tuple[int, int]:
        position = evolve(with_red(before, expert=expert), supply=supply)
        after = seated(position, position.schools[0], RED)
        return after.schools[0].coins - position.schools[0].coins, after.supply - supply

    def test_every_third_seat_earns_a_coin(self) -> None:
        self.assertEqual([self.earned(before)[0] for before in range(10)], [0, 0, 1, 0, 0, 1, 0, 0, 1, 0])
        self.assertEqual(self.earned(2), (1, -1))

    def test_no_coins_in_the_normal_game(self) -> None:
        self.assertEqual(self.earned(2, expert=False, supply=0), (0, 0))

    def test_d_r8_an_empty_supply_pays_nothing(self) -> None:
        self.assertEqual(self.earned(2, supply=0), (0, 0))

    def test_d_r7_a_seat_covered_again_pays_again(self) -> None:
        position = with_red(3, expert=True)
        emptier = emptied(position, RED, 1)
        after = seated(emptier, emptier.schools[0], RED)
        self.assertEqual(after.schools[0].coins - position.schools[0].coins, 1)

    def test_d_r6_a_swap_earns_its_coin(self) -> None:
        position = with_school(with_red(2, expert=True), 0, dining=students(yellow=1, red=2))
        after = swapped(position, leaves=Colour.YELLOW, enters=RED)
        self.assertEqual(after.schools[0].coins - position.schools[0].coins, 1)
        self.assertEqual(after.schools[0].dining, students(red=3))
        self.assertEqual(after.schools[0].entrance, students(3, 2, 2, 1, 1))

    def test_d_r6_a_swap_of_equals_earns_nothing(self) -> None:
        """D-R6: a red student for a red one on the third seat is no swap at all."""
        position = with_red(3, expert=True)
        self.assertEqual(swapped(position, leaves=RED, enters=RED), position)


class RoomTests(SynchronousTestCase):
    """Ten seats at a table (A.4)."""

    def test_ten_seats(self) -> None:
        self.assertTrue(has_room(with_red(9).schools[0], RED))
        self.assertFalse(has_room(with_red(10).schools[0], RED))
        self.assertTrue(has_room(with_red(10).schools[0], Colour.BLUE))


BLACK, WHITE, GREY = Tower.BLACK, Tower.WHITE, Tower.GREY


def with_holders(position: Position, *holders: int | None) -> Position:
    seats = [None if seat is None else Seat(seat) for seat in holders]
    return evolve(position, professors=tuple([*seats, *[None] * (5 - len(seats))]))


def twelve(*heaps: tuple[Tower | None, Students], seats: int = 2) -> Position:
    rest = [(1, None)] * (12 - len(heaps))
    position = with_islands(new_position(seats), circle(*((1, tower, heap) for tower, heap in heaps), *rest))
    return with_holders(position, 0, 1, 2 if seats > 2 else None, None, None)


def built(position: Position) -> list[tuple[Tower | None, int]]:
    return [(island.tower, island.towers) for island in position.islands]


class InfluenceTests(SynchronousTestCase):
    """Counting influence (A.6)."""

    def test_students_count_for_the_professor(self) -> None:
        position = twelve((None, students(yellow=2, blue=1, red=5)))
        self.assertEqual(influences(position, position.islands[0]), (2, 1))

    def test_towers_count_for_their_colour(self) -> None:
        position = with_holders(with_islands(new_position(), circle((3, WHITE, students(yellow=2)), (9, None))), 0)
        self.assertEqual(influences(position, position.islands[0]), (2, 3))

    def test_partners_count_together(self) -> None:
        """Four players: professors of both partners count, and the towers once."""
        position = with_islands(new_position(4), circle((2, BLACK, students(1, 2, 3, 4, 0)), (10, None)))
        position = with_holders(position, 0, 1, 2, 3, None)
        self.assertEqual(influences(position, position.islands[0]), (1 + 4 + 2, 2 + 3))

    def test_knight_is_worth_two_once_a_team(self) -> None:
        position = evolve(twelve((None, students(blue=1)), seats=3), character=Character.KNIGHT)
        self.assertEqual(influences(position, position.islands[0]), (2, 1, 0))
        four = evolve(new_position(4), character=Character.KNIGHT)
        self.assertEqual(influences(four, four.islands[0]), (2, 0))

    def test_d_r12_centaur_makes_all_towers_nothing(self) -> None:
        position = evolve(twelve((BLACK, students(yellow=1))), character=Character.CENTAUR)
        self.assertEqual(influences(position, position.islands[0]), (1, 0))
        other = evolve(twelve((WHITE, students(yellow=1))), character=Character.CENTAUR)
        self.assertEqual(influences(other, other.islands[0]), (1, 0))

    def test_harvested_colour_counts_for_nobody(self) -> None:
        position = evolve(twelve((None, students(yellow=5, blue=1))), banned=Colour.YELLOW)
        self.assertEqual(influences(position, position.islands[0]), (0, 1))


class ConquestTests(SynchronousTestCase):
    """Building and rebuilding towers (A.6)."""

    def test_strongest_builds(self) -> None:
        resolution = resolved(twelve((None, students(yellow=2, blue=1))), 0)
        self.assertEqual(resolution.position.islands[0].tower, BLACK)
        self.assertEqual(resolution.position.schools[0].towers, 7)
        self.assertEqual((resolution.number, resolution.owner, resolution.merged), (1, Seat(0), False))
        self.assertEqual(resolution.island, resolution.position.islands[0])

    def test_a_tie_for_the_top_changes_nothing(self) -> None:
        for tower, heap in ((None, students(1, 1)), (BLACK, students(1, 2))):
            position = twelve((tower, heap))
            resolution = resolved(position, 0)
            self.assertEqual(resolution.position, position)
            self.assertEqual(resolution.owner, None if tower is None else Seat(0))

    def test_two_challengers_level_above_the_owner_change_nothing(self) -> None:
        position = twelve((GREY, students(yellow=3, blue=3)), seats=3)
        self.assertEqual(resolved(position, 0).position, position)

    def test_no_influence_builds_nothing(self) -> None:
        position = twelve((None, students(red=4)))
        self.assertEqual(resolved(position, 0).position, position)

    def test_conquered_towers_go_home(self) -> None:
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
        islands = circle((3, WHITE, students(yellow=9)), (1, BLACK), (6, None), (1, BLACK), (1, None))
        position = with_holders(with_islands(new_position(3), islands), 0)
        position = position.with_school(Seat(0), evolve(position.schools[0], towers=2))
        resolution = resolved(position, 0)
        self.assertEqual(built(resolution.position)[0], (BLACK, 2))
        self.assertEqual(resolution.position.schools[0].towers, 0)
        self.assertFalse(resolution.merged)
        self.assertEqual(len(resolution.position.islands), len(islands))


class TileTests(SynchronousTestCase):
    def test_d_r10_tiles_stack_and_go_one_by_one(self) -> None:
        position = evolve(new_position(characters=[Character.HERBALIST]), professors=(Seat(0),) * 5)
        herbalist = position.cards[0]
        position = position.with_card(evolve(herbalist, no_entry_tiles=2))
        island = Island((1,), students(yellow=3), no_entry_tiles=2)
        position = position.with_island(0, island)
        for still_left in (1, 0):
            resolution = resolved(position, 0)
            position = resolution.position
            self.assertIs(resolution.island, None)
            self.assertEqual(position.islands[0], evolve(island, no_entry_tiles=still_left))
            self.assertEqual(position.cards[0].no_entry_tiles, 4 - still_left)
        self.assertEqual(resolved(position, 0).position.islands[0].tower, BLACK)


class MergingTests(SynchronousTestCase):
    """Islands that grow together (A.7)."""

    def merged(self, *groups: tuple[int, Tower | None], place: int, mother_nature: int = 0) -> Position:
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
        position = self.merged((1, None), (1, None), (1, BLACK), (9, None), place=1)
        self.assertEqual([island.members for island in position.islands[:2]], [(1,), (2, 3)])
        self.assertEqual(built(position)[1], (BLACK, 2))

    def test_both_neighbours(self) -> None:
        position = self.merged((1, None), (2, BLACK), (1, WHITE), (3, BLACK), (5, None), place=2)
        self.assertEqual(position.islands[1].members, (2, 3, 4, 5, 6, 7))
        self.assertEqual(built(position), [(None, 0), (BLACK, 6), (None, 0)])
        self.assertEqual([school.towers for school in position.schools], [2, 8])

    def test_other_colours_and_free_islands_stay_apart(self) -> None:
        islands = circle((1, WHITE), (1, None, students(yellow=1)), (10, None))
        resolution = resolved(with_holders(with_islands(new_position(), islands), 0), 1)
        self.assertFalse(resolution.merged)
        self.assertEqual(len(resolution.position.islands), 3)

    def test_across_the_end_of_the_circle(self) -> None:
        for place in (0, 4):
            first, last = (BLACK, None) if place else (None, BLACK)
            groups = ((1, first), (1, None), (1, None), (8, None), (1, last))
            position = self.merged(*groups, place=place)
            self.assertEqual(self.members(position), [(1, 12), (4, 5, 6, 7, 8, 9, 10, 11)])
            self.assertEqual(position.islands[0].members, (1, 12))

    def test_both_neighbours_across_the_end(self) -> None:
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
        islands = circle((1, None, students(yellow=1)), (1, BLACK), (10, None))
        islands[1] = evolve(islands[1], no_entry_tiles=2)
        after = resolved(with_holders(with_islands(new_position(), islands), 0), 0).position
        self.assertEqual(after.islands[0].no_entry_tiles, 2)


class CirclePropertyTests(PropertyCase):
    @given(st.lists(st.sampled_from([None, BLACK, WHITE]), min_size=12, max_size=12), st.integers(0, 11))
    def test_nothing_is_lost_and_neighbours_differ(self, towers: list[Tower | None], place: int) -> None:
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


class BagTests(SynchronousTestCase):
    def test_the_bag_has_no_order(self) -> None:
        """There is no next student before one is drawn: the bag is five counts, for the host itself, too."""
        bag = new_position().bag
        self.assertEqual(len(bag), 5)
        self.assertTrue(all(type(count) is int for count in bag))

    def test_events_hold_its_size_alone(self) -> None:
        found = []
        for name, kind in vars(events).items():
            if isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == events.__name__:
                for field in fields(kind):
                    self.assertIsNot(field.type, Position, name)
                    if "bag" in field.name:
                        found.append((name, field.type))
        self.assertEqual(found, [("Board", int)])


def with_left(*towers: int, holders: tuple[int, ...] = (), seats: int | None = None) -> Position:
    """A table with so many towers left, by seat, and the first professors with these holders."""
    position = new_position(seats or len(towers))
    for seat, count in enumerate(towers):
        position = with_school(position, seat, towers=count)
    professors = [Seat(holder) for holder in holders]
    return evolve(position, professors=tuple([*professors, *[None] * (5 - len(professors))]))


class AtOnceTests(SynchronousTestCase):
    """The two ends that come in the middle of a round (A.8)."""

    def test_last_tower(self) -> None:
        """A team with no towers left on its board has won, in four both partners."""
        verdict = ended_at_once(with_left(3, 0, 2))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.winners), (WHITE, (Seat(1),)))
        verdict = ended_at_once(with_left(3, 0, 0, 0))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.winners), (WHITE, (Seat(1), Seat(2))))

    def test_a_partner_without_towers_is_not_a_winner(self) -> None:
        """Four players: the partners' boards are always empty, and that ends nothing."""
        self.assertIs(ended_at_once(with_left(3, 4, 0, 0)), None)

    def test_three_groups(self) -> None:
        self.assertIs(
            ended_at_once(with_islands(new_position(), circle((4, BLACK), (4, None), (2, WHITE), (2, None)))), None
        )
        for groups in (((4, BLACK), (4, None), (4, None)), ((6, WHITE), (6, None))):
            verdict = ended_at_once(with_islands(new_position(), circle(*groups)))
            assert verdict is not None
            self.assertEqual(verdict.team, groups[0][1])
            self.assertIn("three groups", verdict.why)

    def test_last_tower_beats_three_groups(self) -> None:
        position = with_islands(new_position(3), circle((7, BLACK), (4, WHITE), (1, GREY)))
        position = with_school(with_school(position, 0, towers=3), 2, towers=0)
        verdict = ended_at_once(position)
        assert verdict is not None
        self.assertEqual(verdict.team, GREY)
        self.assertIn("last tower", verdict.why)


class WithRoundTests(SynchronousTestCase):
    """The ends that wait for the end of the round (A.8, A.9)."""

    def test_a_round_like_others_ends_nothing(self) -> None:
        self.assertIs(ended_with_round(with_left(3, 4)), None)

    def test_students_have_run_out(self) -> None:
        verdict = ended_with_round(evolve(with_left(3, 4), last_round=True))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.why), (BLACK, "the students have run out; most towers"))

    def test_assistants_are_used_up(self) -> None:
        verdict = ended_with_round(evolve(with_left(5, 4), hands=((), ())))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.why), (WHITE, "the assistants are used up; most towers"))


class CountTests(SynchronousTestCase):
    """Who is ahead (A.8, D-R9)."""

    def test_fewest_towers_left(self) -> None:
        position = with_left(4, 3, 5, holders=(0, 0, 0))
        self.assertEqual(counted(position.teams, position, "why").winners, (Seat(1),))

    def test_equal_towers_go_by_professors(self) -> None:
        position = with_left(3, 3, 4, holders=(2, 2, 1))
        verdict = counted(position.teams, position, "why")
        self.assertEqual(verdict.winners, (Seat(1),))
        self.assertIn("professors", verdict.why)

    def test_partners_count_their_professors_together(self) -> None:
        position = with_left(3, 3, 0, 0, holders=(0, 3, 1))
        self.assertEqual(counted(position.teams, position, "why").winners, (Seat(0), Seat(3)))

    def test_d_r9_equal_in_both_share_the_victory(self) -> None:
        """D-R9: equal in towers and professors is a shared victory, and the reason says that it is a tie."""
        position = with_left(3, 3, 4, holders=(0, 1))
        verdict = counted(position.teams, position, "why")
        self.assertEqual((verdict.team, verdict.winners), (None, (Seat(0), Seat(1))))
        self.assertIn("tie", verdict.why)
        four = with_left(3, 3, 0, 0)
        self.assertEqual(counted(four.teams, four, "why").winners, (Seat(0), Seat(3), Seat(1), Seat(2)))


class LeavingTests(SynchronousTestCase):
    """A player who is gone (A.11)."""

    def test_of_two_teams_the_other_wins(self) -> None:
        self.assertEqual(left(with_left(1, 8), Seat(0), Cause.LEFT).winners, (Seat(1),))
        verdict = left(with_left(1, 8, 0, 0), Seat(3), Cause.LEFT)
        self.assertEqual((verdict.team, verdict.winners, verdict.cause), (WHITE, (Seat(1), Seat(2)), Cause.LEFT))

    def test_of_three_players_two_are_counted(self) -> None:
        self.assertEqual(left(with_left(1, 5, 4), Seat(0), Cause.TIME).winners, (Seat(2),))
        tie = left(with_left(1, 5, 5), Seat(0), Cause.LEFT)
        self.assertEqual(tie.winners, (Seat(1), Seat(2)))
        self.assertIn("tie", tie.why)

    def test_before_the_deal(self) -> None:
        for seats, chosen, leaver, winners, team in (
            (2, (), 0, (1,), None),
            (2, (BLACK, WHITE), 0, (1,), WHITE),
            (3, (BLACK,), 2, (0, 1), None),
            (4, (BLACK, BLACK), 0, (2, 3), None),
            (4, (BLACK, WHITE, BLACK, WHITE), 2, (1, 3), WHITE),
            (4, (BLACK,), 1, (0, 2, 3), None),
        ):
            verdict = left_before_deal(seats, chosen, Seat(leaver), Cause.LEFT)
            self.assertEqual((verdict.winners, verdict.team), (winners, team))

    def test_master_says_it(self) -> None:
        master = Eriantys().new_master(2, {"move_time": "60"}, Dice(1))
        master.begin(0)
        said = [type(to.event).__name__ for to in master.forfeit(Seat(0), 5)]
        self.assertEqual(said, ["PlayerStatus", "PlayerStatus", "Won", "Closing"])
        self.assertIs(master.request, None)
        self.assertIs(master.deadline, None)
        result = master.result
        assert result is not None
        self.assertEqual(result.winners, (Seat(1),))
