"""Dining rooms: room at the tables, coins, and whose the professors are."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.dining import emptied, has_room, moved_to_table, seated, swapped, with_professors
from gamehost.games.eriantys.pieces import Character, Colour
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.values import evolve
from gamehost.testing.cases import PropertyCase
from tests.kit.games.eriantys_table import new_position, students, with_school

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
        """One student against none is strictly more."""
        self.assertEqual(moved_to_table(with_red(), RED).professors[RED], Seat(0))

    def test_a_tie_changes_nothing(self) -> None:
        """Who has it keeps it until somebody has strictly more; who draws level gets nothing."""
        self.assertEqual(self.holder(with_red(2, 2, 0, holder=1)), Seat(1))
        self.assertEqual(self.holder(with_red(2, 2, 0, holder=0)), Seat(0))
        self.assertEqual(self.holder(with_red(3, 2, 0, holder=1)), Seat(0))

    def test_nobody_counts_for_a_partner(self) -> None:
        """Four players: two partners with two and two do not outweigh an opponent's three."""
        self.assertEqual(self.holder(with_red(2, 3, 0, 2, holder=1, seats=4)), Seat(1))

    def test_d_r4_farmer_takes_on_a_tie_and_keeps(self) -> None:
        """D-R4: with the farmer a player takes professors on equality, and keeps them when the turn is over."""
        position = with_red(2, 2, 0, holder=1)
        taken = with_professors(evolve(position, character=Character.FARMER))
        self.assertEqual(taken.professors[RED], Seat(0))
        self.assertEqual(self.holder(evolve(taken, character=None)), Seat(0))

    def test_farmer_needs_students(self) -> None:
        """The farmer takes nothing where nobody has a student, and nothing from somebody with more."""
        nobody = evolve(with_red(0, 0, 0), character=Character.FARMER)
        self.assertIs(self.holder(nobody), None)
        self.assertEqual(self.holder(evolve(with_red(1, 2, 0, holder=1), character=Character.FARMER)), Seat(1))

    def test_farmer_is_for_the_active_player(self) -> None:
        """Whoever else draws level gets nothing from it."""
        position = evolve(with_red(1, 2, 2, holder=2), character=Character.FARMER)
        self.assertEqual(self.holder(position), Seat(2))

    def test_d_r5_a_holder_with_nothing_left_keeps_the_professor(self) -> None:
        """D-R5: with nobody at the table any more the professor stays where it was."""
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
    """Professors for any dining rooms."""

    @given(st.lists(st.integers(0, 10), min_size=4, max_size=4), st.sampled_from([None, 0, 1, 2, 3]))
    def test_alone_with_the_most_has_the_professor(self, counts: list[int], holder: int | None) -> None:
        """Whoever alone has the most holds the professor; without such a player it stays where it is."""
        after = with_professors(with_red(*counts, holder=holder, seats=4)).professors[RED]
        most = max(counts)
        if most and counts.count(most) == 1:
            self.assertEqual(after, counts.index(most))
        else:
            self.assertEqual(after, holder)


class CoinTests(SynchronousTestCase):
    """Coins for the third, sixth and ninth seat (A.10)."""

    def earned(self, before: int, expert: bool = True, supply: int = 17) -> tuple[int, int]:
        """Coins and supply after one more student at a table of so many."""
        position = evolve(with_red(before, expert=expert), supply=supply)
        after = seated(position, position.schools[0], RED)
        return after.schools[0].coins - position.schools[0].coins, after.supply - supply

    def test_every_third_seat_earns_a_coin(self) -> None:
        """Of ten seats the third, sixth and ninth pay one coin each, out of the supply."""
        self.assertEqual([self.earned(before)[0] for before in range(10)], [0, 0, 1, 0, 0, 1, 0, 0, 1, 0])
        self.assertEqual(self.earned(2), (1, -1))

    def test_no_coins_in_the_normal_game(self) -> None:
        """Without the expert rules nothing is earned."""
        self.assertEqual(self.earned(2, expert=False, supply=0), (0, 0))

    def test_d_r8_an_empty_supply_pays_nothing(self) -> None:
        """D-R8: when the supply is empty a coin seat earns nothing."""
        self.assertEqual(self.earned(2, supply=0), (0, 0))

    def test_d_r7_a_seat_covered_again_pays_again(self) -> None:
        """D-R7: a coin seat that was vacated and is covered again pays again."""
        position = with_red(3, expert=True)
        emptier = emptied(position, RED, 1)
        after = seated(emptier, emptier.schools[0], RED)
        self.assertEqual(after.schools[0].coins - position.schools[0].coins, 1)

    def test_d_r6_a_swap_earns_its_coin(self) -> None:
        """D-R6: a student that the minstrel seats on a third seat earns the coin."""
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
        """A tenth student finds a seat, an eleventh does not."""
        self.assertTrue(has_room(with_red(9).schools[0], RED))
        self.assertFalse(has_room(with_red(10).schools[0], RED))
        self.assertTrue(has_room(with_red(10).schools[0], Colour.BLUE))
