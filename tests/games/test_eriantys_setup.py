"""Setting up: numbers for each number of players, choices, the deal, and what it draws from chance."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import ChooseCloud, ChooseTower, ChooseWizard, IllegalChoice, RuleFault
from gamehost.games.eriantys.events import AskTower, AskWizard, Told
from gamehost.games.eriantys.pieces import MODES, Character, Status, Students, Tower, steps_of
from gamehost.games.eriantys.position import Match, Position, drawn, refilled
from gamehost.games.eriantys.setup import Choices, chosen, dealt
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_player import flaws
from tests.kit.games.eriantys_table import TOWERS, Dice, Smallest, at, new_position, script, students

C = Character
#: Sets of characters by how many students lie on them.
ON_CARDS = {
    0: (C.FARMER, C.HERALD, C.MESSENGER),
    4: (C.MONK, C.HERALD, C.HERBALIST),
    6: (C.JESTER, C.KNIGHT, C.THIEF),
    8: (C.MONK, C.PRINCESS, C.CENTAUR),
    10: (C.JESTER, C.PRINCESS, C.MINSTREL),
    14: (C.MONK, C.JESTER, C.PRINCESS),
}


def choices(seats: int, expert: bool = False) -> Choices:
    return Choices(Match(MODES[seats], expert), TOWERS[seats], tuple(range(1, seats + 1)))


class NumbersTests(SynchronousTestCase):
    """What the rulebook's tables say."""

    def test_assistants_walk_half_their_value_rounded_up(self) -> None:
        """The ten assistants allow 1 1 2 2 3 3 4 4 5 5 steps."""
        self.assertEqual([steps_of(value) for value in range(1, 11)], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])

    def test_bag_after_the_set_up(self) -> None:
        """The bag holds 106, 93 or 92 students with two, three or four players, less what lies on characters."""
        for seats, size in ((2, 106), (3, 93), (4, 92)):
            self.assertEqual(sum(dealt(choices(seats), Dice(1)).bag), size)
            for on_cards, characters in ON_CARDS.items():
                self.assertEqual(sum(new_position(seats, characters=characters).bag), size - on_cards)

    def test_boards_after_the_set_up(self) -> None:
        """Entrances, towers, hands and coins are those of the number of players, normal and expert."""
        for seats, entrance, towers in ((2, 7, [8, 8]), (3, 9, [6, 6, 6]), (4, 7, [8, 8, 0, 0])):
            for expert in (False, True):
                position = dealt(choices(seats, expert), Dice(2))
                self.assertEqual([sum(school.entrance) for school in position.schools], [entrance] * seats)
                self.assertEqual([school.towers for school in position.schools], towers)
                self.assertEqual([school.coins for school in position.schools], [int(expert)] * seats)
                self.assertEqual(position.supply, 20 - seats if expert else 0)
                self.assertEqual(len(position.cards), 3 if expert else 0)
                self.assertEqual(len(position.clouds), seats)
                self.assertEqual(position.hands, (tuple(range(1, 11)),) * seats)
                self.assertEqual(flaws(at(evolve(position, round=1), Status.PLANNING)), [])

    def test_islands_after_the_set_up(self) -> None:
        """Ten islands have a student each, two of every colour in all; Mother Nature's and the one across have none."""
        position = dealt(choices(2), Dice(3))
        counts = [sum(island.students) for island in position.islands]
        self.assertEqual(counts, [0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
        self.assertEqual(tuple(map(sum, zip(*(i.students for i in position.islands), strict=True))), (2,) * 5)
        self.assertEqual(position.mother_nature, 0)

    def test_characters_are_three_different_ones(self) -> None:
        """Each match has three different characters, and every character comes up."""
        seen = set()
        for seed in range(60):
            cards = {card.character for card in dealt(choices(2, expert=True), Dice(seed)).cards}
            self.assertEqual(len(cards), 3)
            seen |= cards
        self.assertEqual(seen, set(Character))

    def test_characters_bring_their_students_and_tiles(self) -> None:
        """Characters 1, 7 and 11 begin with 4, 6 and 4 students, 5 with four tiles, all others with nothing."""
        position = new_position(4, characters=Character)
        on_cards = {card.character: sum(card.students) for card in position.cards if any(card.students)}
        self.assertEqual(on_cards, {C.MONK: 4, C.JESTER: 6, C.PRINCESS: 4})
        tiles = {card.character: card.no_entry_tiles for card in position.cards if card.no_entry_tiles}
        self.assertEqual(tiles, {C.HERBALIST: 4})
        self.assertEqual([card.cost for card in position.cards], [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])


class BagTests(SynchronousTestCase):
    """How students are drawn."""

    def test_every_student_is_as_likely(self) -> None:
        """Of all outcomes of a draw, each colour has as many as it has students in the bag."""
        bag = students(3, 0, 1, 2, 4)
        counts: Students = students()
        for outcome in range(10):
            heap, rest = drawn(bag, 1, script(outcome))
            counts = tuple(map(sum, zip(counts, heap, strict=True)))
            self.assertEqual(tuple(map(sum, zip(heap, rest, strict=True))), bag)
        self.assertEqual(counts, bag)

    def test_students_are_drawn_one_by_one(self) -> None:
        """Each draw is from what the draws before it left."""
        chance = script(4, 0, 1)
        self.assertEqual(drawn(students(1, 1, 1, 1, 1), 3, chance), (students(1, 0, 1, 0, 1), students(0, 1, 0, 1, 0)))
        self.assertEqual(chance.unused, ())

    def test_more_than_there_are_cannot_be_drawn(self) -> None:
        """A draw of more students than the bag holds is the caller's fault."""
        self.assertRaises(ValueError, drawn, students(1), 2, Smallest())

    def rounds(self, position: Position) -> tuple[int, int]:
        """In which round the clouds mark the last one, and what is in the bag then; every round they are emptied."""
        for number in range(1, 20):
            position = refilled(position, Dice(number))
            if position.last_round:
                return number, sum(position.bag)
            position = evolve(position, clouds=(students(),) * len(position.clouds))
        self.fail("a bag without a bottom")

    def test_round_in_which_the_students_run_out(self) -> None:
        """With three and four players the bag is short in round 7 or 8, with as many left as the numbers say."""
        short = {
            3: {0: (8, 9), 4: (8, 5), 6: (8, 3), 8: (8, 1), 10: (7, 11), 14: (7, 7)},
            4: {0: (8, 8), 4: (8, 4), 6: (8, 2), 8: (7, 0), 10: (7, 10), 14: (7, 6)},
        }
        for seats, by_cards in short.items():
            self.assertEqual(self.rounds(dealt(choices(seats), Dice(1))), by_cards[0])
            for on_cards, expected in by_cards.items():
                self.assertEqual(self.rounds(new_position(seats, characters=ON_CARDS[on_cards])), expected)

    def test_two_players_never_run_out_in_ten_rounds(self) -> None:
        """Ten rounds, 14 students on characters and 20 more drawn for them leave two players students in the bag."""
        position = new_position(2, characters=ON_CARDS[14])
        self.assertGreater(self.rounds(position)[0], 10)
        self.assertGreater(sum(position.bag) - 10 * 6 - 20, 0)

    def test_the_last_students_fill_the_clouds(self) -> None:
        """A bag that is just enough fills all clouds, and the round is the last all the same."""
        position = refilled(evolve(new_position(2), bag=students(2, 1, 0, 0, 3)), Smallest())
        self.assertEqual([sum(cloud) for cloud in position.clouds], [3, 3])
        self.assertTrue(position.last_round)
        self.assertEqual(position.bag, students())

    def test_d_r3_short_refill_leaves_the_clouds_empty(self) -> None:
        """D-R3: with one student too few no cloud gets any, the students stay in the bag, the round is the last."""
        position = refilled(evolve(new_position(2), bag=students(2, 1, 0, 0, 2)), Smallest())
        self.assertEqual(position.clouds, (students(), students()))
        self.assertEqual(position.bag, students(2, 1, 0, 0, 2))
        self.assertTrue(position.last_round)


class ChoicesTests(SynchronousTestCase):
    """Choosing teams and wizards, in the order in which the players came."""

    def test_places_in_teams(self) -> None:
        """There is one place for each colour with two and three players, two with four, and grey with three only."""
        for seats, places in ((2, (1, 1)), (3, (1, 1, 1)), (4, (2, 2))):
            request = Choices(Match(MODES[seats], False)).request
            self.assertEqual(request, AskTower(Seat(0), places, ((),) * len(places)))

    def test_teams_fill_up(self) -> None:
        """With four players a colour is there for two, and later players are told who is in."""
        made = Choices(Match(MODES[4], False), (Tower.WHITE, Tower.WHITE))
        self.assertEqual(made.request, AskTower(Seat(2), (2, 0), ((), (Seat(0), Seat(1)))))
        refused = self.assertRaises(IllegalChoice, made.with_tower, ChooseTower(Tower.WHITE))
        self.assertIs(refused.fault, RuleFault.TOWER_NOT_AVAILABLE)
        self.assertIn("BLACK", refused.detail)
        refused = self.assertRaises(IllegalChoice, made.with_tower, ChooseTower(Tower.GREY))
        self.assertIs(refused.fault, RuleFault.TOWER_NOT_AVAILABLE)

    def test_d_r15_the_first_in_a_team_holds_the_towers(self) -> None:
        """D-R15: of two partners the one who chose the colour first keeps the towers and is named first."""
        position = dealt(
            Choices(Match(MODES[4], False), (Tower.WHITE, Tower.BLACK, Tower.BLACK, Tower.WHITE), (1, 2, 3, 4)), Dice(1)
        )
        self.assertEqual([team.seats for team in position.teams], [(1, 2), (0, 3)])
        self.assertEqual([school.towers for school in position.schools], [8, 8, 0, 0])
        self.assertEqual([school.tower_holder for school in position.schools], [True, True, False, False])

    def test_wizards_are_taken_once(self) -> None:
        """A wizard that somebody has is not to be had; numbers other than 1 to 4 are nobody."""
        made = Choices(Match(MODES[2], False), (Tower.BLACK, Tower.WHITE), (3,))
        self.assertEqual(made.request, AskWizard(Seat(1), (1, 2, 4)))
        refused = self.assertRaises(IllegalChoice, made.with_wizard, ChooseWizard(3))
        self.assertIs(refused.fault, RuleFault.WIZARD_NOT_AVAILABLE)
        for number in (0, 5, -1, 10**40):
            refused = self.assertRaises(IllegalChoice, made.with_wizard, ChooseWizard(number))
            self.assertIs(refused.fault, RuleFault.INVALID_INPUT)
            self.assertTrue(refused.ask_again)

    def test_other_answers_are_out_of_place(self) -> None:
        """A wizard for a tower, or a move, is no answer, and the question is not put again."""
        say: Told = []
        for action in (ChooseWizard(1), ChooseCloud(0)):
            refused = self.assertRaises(IllegalChoice, chosen, Choices(Match(MODES[2], False)), action, say)
            self.assertIs(refused.fault, RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)
        self.assertEqual(say, [])

    def test_d_r1_seats_are_shuffled_before_round_1(self) -> None:
        """D-R1: who sits where around the table, and so who is first in round 1, is drawn, every order alike."""
        firsts = [dealt(choices(3), Dice(seed)).order for seed in range(200)]
        self.assertEqual(len(set(firsts)), 6)
        for position in (dealt(choices(4), Dice(seed)) for seed in range(5)):
            self.assertEqual(position.order, position.seating)
