"""The course of a match of Eriantys: the set-up, planning, and turns; and actions, as the journal keeps them."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.phases import Choices, Play, chosen, dealt
from gamehost.games.eriantys.rules import (
    MODES,
    Character,
    Colour,
    Match,
    PlanningOrder,
    Position,
    Status,
    Students,
    Tower,
    drawn,
    evolve,
    refilled,
    steps_of,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.games.eriantys import (
    TOWERS,
    Dice,
    Smallest,
    at,
    circle,
    flaws,
    fresh,
    go,
    names,
    new_position,
    refusal,
    round_played,
    script,
    students,
    turns_played,
    with_islands,
    with_school,
)

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
    def test_assistants_walk_half_their_value_rounded_up(self) -> None:
        self.assertEqual([steps_of(value) for value in range(1, 11)], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])

    def test_bag_after_the_set_up(self) -> None:
        """The bag holds 106, 93 or 92 students with two, three or four players, less what lies on characters."""
        for seats, size in ((2, 106), (3, 93), (4, 92)):
            self.assertEqual(sum(dealt(choices(seats), Dice(1)).bag), size)
            for on_cards, characters in ON_CARDS.items():
                self.assertEqual(sum(new_position(seats, characters=characters).bag), size - on_cards)

    def test_boards_after_the_set_up(self) -> None:
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
    def test_every_student_is_as_likely(self) -> None:
        bag = students(3, 0, 1, 2, 4)
        counts: Students = students()
        for outcome in range(10):
            heap, rest = drawn(bag, 1, script(outcome))
            counts = tuple(map(sum, zip(counts, heap, strict=True)))
            self.assertEqual(tuple(map(sum, zip(heap, rest, strict=True))), bag)
        self.assertEqual(counts, bag)

    def test_students_are_drawn_one_by_one(self) -> None:
        chance = script(4, 0, 1)
        self.assertEqual(drawn(students(1, 1, 1, 1, 1), 3, chance), (students(1, 0, 1, 0, 1), students(0, 1, 0, 1, 0)))
        self.assertEqual(chance.unused, ())

    def test_more_than_there_are_cannot_be_drawn(self) -> None:
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
    def test_places_in_teams(self) -> None:
        for seats, places in ((2, (1, 1)), (3, (1, 1, 1)), (4, (2, 2))):
            request = Choices(Match(MODES[seats], False)).request
            self.assertEqual(request, e.AskTower(Seat(0), places, ((),) * len(places)))

    def test_teams_fill_up(self) -> None:
        """With four players a colour is there for two, and later players are told who is in."""
        made = Choices(Match(MODES[4], False), (Tower.WHITE, Tower.WHITE))
        self.assertEqual(made.request, e.AskTower(Seat(2), (2, 0), ((), (Seat(0), Seat(1)))))
        refused = self.assertRaises(e.IllegalChoice, made.with_tower, e.ChooseTower(Tower.WHITE))
        self.assertIs(refused.fault, e.RuleFault.TOWER_NOT_AVAILABLE)
        self.assertIn("BLACK", refused.detail)
        refused = self.assertRaises(e.IllegalChoice, made.with_tower, e.ChooseTower(Tower.GREY))
        self.assertIs(refused.fault, e.RuleFault.TOWER_NOT_AVAILABLE)

    def test_d_r15_the_first_in_a_team_holds_the_towers(self) -> None:
        position = dealt(
            Choices(Match(MODES[4], False), (Tower.WHITE, Tower.BLACK, Tower.BLACK, Tower.WHITE), (1, 2, 3, 4)), Dice(1)
        )
        self.assertEqual([team.seats for team in position.teams], [(1, 2), (0, 3)])
        self.assertEqual([school.towers for school in position.schools], [8, 8, 0, 0])
        self.assertEqual([school.tower_holder for school in position.schools], [True, True, False, False])

    def test_wizards_are_taken_once(self) -> None:
        made = Choices(Match(MODES[2], False), (Tower.BLACK, Tower.WHITE), (3,))
        self.assertEqual(made.request, e.AskWizard(Seat(1), (1, 2, 4)))
        refused = self.assertRaises(e.IllegalChoice, made.with_wizard, e.ChooseWizard(3))
        self.assertIs(refused.fault, e.RuleFault.WIZARD_NOT_AVAILABLE)
        for number in (0, 5, -1, 10**40):
            refused = self.assertRaises(e.IllegalChoice, made.with_wizard, e.ChooseWizard(number))
            self.assertIs(refused.fault, e.RuleFault.INVALID_INPUT)
            self.assertTrue(refused.ask_again)

    def test_other_answers_are_out_of_place(self) -> None:
        say: e.Told = []
        for action in (e.ChooseWizard(1), e.ChooseCloud(0)):
            refused = self.assertRaises(e.IllegalChoice, chosen, Choices(Match(MODES[2], False)), action, say)
            self.assertIs(refused.fault, e.RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)
        self.assertEqual(say, [])

    def test_d_r1_seats_are_shuffled_before_round_1(self) -> None:
        """D-R1: who sits where around the table, and so who is first in round 1, is drawn, every order alike."""
        firsts = [dealt(choices(3), Dice(seed)).order for seed in range(200)]
        self.assertEqual(len(set(firsts)), 6)
        for position in (dealt(choices(4), Dice(seed)) for seed in range(5)):
            self.assertEqual(position.order, position.seating)


class PlanningTests(SynchronousTestCase):
    def test_script_from_the_deal(self) -> None:
        play, say = fresh(2)
        opening = ["Board", "StartOfTurn", "Board", "PLANNING 0", "AskAssistant 0"]
        self.assertEqual(names(say), opening)
        self.assertEqual(say[1].event, e.StartOfTurn(1, Seat(0)))
        play, say = go(play, e.PlayAssistant(4))
        self.assertEqual(names(say), ["Success 0", "PlayedAssistant", "WAITING 0", "PLANNING 1", "AskAssistant 1"])
        self.assertEqual(say[1].event, e.PlayedAssistant(Seat(0), 4))
        self.assertEqual(play.request, e.AskAssistant(Seat(1), tuple(range(1, 11)), ((Seat(0), 4),)))
        play, say = go(play, e.PlayAssistant(2))
        self.assertEqual(
            names(say), ["Success 1", "PlayedAssistant", "WAITING 1", "StartOfTurn", "MOVE_1 1", "AskStudent 1"]
        )

    def test_clouds_are_full_and_the_round_counted(self) -> None:
        for seats, each in ((2, 3), (3, 4), (4, 3)):
            play, _ = fresh(seats)
            self.assertEqual([sum(cloud) for cloud in play.position.clouds], [each] * seats)
            self.assertEqual(play.position.round, 1)

    def test_assistants_not_in_the_hand(self) -> None:
        play, _ = fresh(2)
        play = round_played(play, 3, 5)
        self.assertIs(refusal(self, play, e.PlayAssistant(3)).fault, e.RuleFault.UNAVAILABLE_ASSISTANT)
        for number in (0, 11, -1, 10**30):
            self.assertIs(refusal(self, play, e.PlayAssistant(number)).fault, e.RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, e.PlayAssistant(3)).ask_again)

    def with_hands(self, first: tuple[int, ...], second: tuple[int, ...], third: tuple[int, ...]) -> Play:
        play, _ = fresh(3)
        position = evolve(play.position, hands=(first, second, third))
        request = e.AskAssistant(Seat(0), first, ())
        return evolve(play, position=position, request=request)

    def test_same_assistant_is_refused_while_another_can_be_played(self) -> None:
        play, _ = go(self.with_hands((4, 5), (4, 5), (4, 5)), e.PlayAssistant(4))
        refused = refusal(self, play, e.PlayAssistant(4))
        self.assertIs(refused.fault, e.RuleFault.INVALID_ASSISTANT)
        self.assertTrue(refused.ask_again)

    def test_same_assistant_is_allowed_when_all_in_the_hand_were_played(self) -> None:
        play, _ = go(self.with_hands((4, 5), (4, 5), (4, 5)), e.PlayAssistant(4), e.PlayAssistant(5))
        for number in (4, 5):
            after, _ = go(play, e.PlayAssistant(number))
            self.assertEqual(after.position.schools[2].played, number)

    def test_same_assistant_is_refused_though_other_cards_were_played_too(self) -> None:
        """Another card in the hand is not enough: it has to be one that nobody played."""
        play, _ = go(self.with_hands((4,), (5,), (4, 5, 6)), e.PlayAssistant(4), e.PlayAssistant(5))
        for number in (4, 5):
            self.assertIs(refusal(self, play, e.PlayAssistant(number)).fault, e.RuleFault.INVALID_ASSISTANT)
        go(play, e.PlayAssistant(6))

    def test_action_order_is_by_value(self) -> None:
        play, _ = go(fresh(4)[0], *map(e.PlayAssistant, (9, 3, 10, 1)))
        self.assertEqual(play.position.order, (3, 1, 0, 2))

    def test_equals_act_in_the_order_of_planning(self) -> None:
        play, _ = go(self.with_hands((7,), (5,), (5,)), *map(e.PlayAssistant, (7, 5, 5)))
        self.assertEqual(play.position.order, (1, 2, 0))

    def test_d_r1_next_planning_follows_the_action_order(self) -> None:
        play = round_played(fresh(4)[0], 9, 3, 10, 1)
        self.assertEqual((play.position.round, play.position.order), (2, (3, 1, 0, 2)))

    def test_d_r1_clockwise_on_request(self) -> None:
        play = round_played(fresh(4, PlanningOrder.CLOCKWISE)[0], 9, 3, 10, 1)
        self.assertEqual(play.position.order, (3, 0, 1, 2))

    def test_d_r2_of_two_lowest_the_first_to_act_is_first(self) -> None:
        """D-R2: two lowest assistants are equal: whoever acted first in that round is the first to plan."""
        for order in PlanningOrder:
            play = evolve(self.with_hands((7,), (5,), (5,)), planning_order=order)
            play, _ = go(play, *map(e.PlayAssistant, (7, 5, 5)))
            # Another card each, or the match would be over.
            play = turns_played(evolve(play, position=evolve(play.position, hands=((1,), (1,), (1,)))))
            self.assertEqual(play.position.order, (1, 2, 0))

    def test_played_assistants_are_put_away(self) -> None:
        play = round_played(fresh(2)[0], 1, 2)
        self.assertEqual([school.played for school in play.position.schools], [None, None])
        self.assertEqual([school.assistants for school in play.position.schools], [9, 9])
        self.assertEqual(play.position.hands[0], tuple(range(2, 11)))


BLACK, WHITE = Tower.BLACK, Tower.WHITE


class MoveOneTests(SynchronousTestCase):
    def test_script(self) -> None:
        play = at(new_position(), Status.MOVE_1)
        play, say = go(play, e.ChooseStudent(Colour.RED))
        self.assertEqual(names(say), ["AskDestination 0"])
        self.assertEqual(play.request, e.AskDestination(Seat(0), 12, dining_room=True))
        play, say = go(play, e.ChooseDestination(0))
        self.assertEqual(names(say), ["Success 0", "Board", "AskStudent 0"])
        play, _ = go(play, e.ChooseStudent(Colour.BLUE), e.ChooseDestination(12))
        play, say = go(play, e.ChooseStudent(Colour.BLUE), e.ChooseDestination(1))
        self.assertEqual(
            names(say), ["AskDestination 0", "Success 0", "Board", "END_MOVE_1 0", "MOVE_2 0", "AskSteps 0"]
        )
        self.assertEqual(play.position.school.dining, students(red=1))
        self.assertEqual(play.position.school.entrance, students(2, 0, 1, 0, 1))
        self.assertEqual([sum(play.position.islands[at].students) for at in (11, 0)], [2, 1])

    def test_three_players_move_four(self) -> None:
        play = at(new_position(3), Status.MOVE_1)
        for number in range(4):
            self.assertIsInstance(play.request, e.AskStudent, number)
            play, _ = go(play, e.ChooseStudent(next(c for c in Colour if play.position.school.entrance[c])))
            play, _ = go(play, e.ChooseDestination(2))
        self.assertEqual(play.request, e.AskSteps(Seat(0), 4))

    def test_students_that_are_not_there(self) -> None:
        play = at(with_school(new_position(), 0, entrance=students(7)), Status.MOVE_1)
        self.assertIs(refusal(self, play, e.ChooseStudent(Colour.RED)).fault, e.RuleFault.STUDENT_NOT_AVAILABLE)
        self.assertIs(refusal(self, play, e.ChooseStudent(None)).fault, e.RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, e.ChooseStudent(None)).ask_again)

    def test_a_destination_that_is_not_there_drops_the_student(self) -> None:
        for number in (13, -1, 10**20):
            play, _ = go(at(new_position(), Status.MOVE_1), e.ChooseStudent(Colour.RED))
            after, say = go(play, e.ChooseDestination(number))
            self.assertEqual(names(say), ["Denied 0", "AskStudent 0"])
            denied = say[0].event
            assert isinstance(denied, e.Denied)
            self.assertIs(denied.fault, e.RuleFault.INVALID_INPUT)
            self.assertEqual((after.position, after.picked), (play.position, None))

    def test_island_numbers_are_those_of_the_circle_now(self) -> None:
        islands = circle((4, WHITE), (4, None), (2, BLACK), (1, None), (1, BLACK))
        play, _ = go(at(with_islands(new_position(), islands), Status.MOVE_1), e.ChooseStudent(Colour.RED))
        after, _ = go(play, e.ChooseDestination(5))
        self.assertEqual(after.position.islands[4].students, students(red=1))
        self.assertEqual(names(go(play, e.ChooseDestination(6))[1])[0], "Denied 0")

    def test_a_full_table_drops_the_student(self) -> None:
        play, _ = go(
            at(with_school(new_position(), 0, dining=students(red=10)), Status.MOVE_1), e.ChooseStudent(Colour.RED)
        )
        after, say = go(play, e.ChooseDestination(0))
        self.assertEqual(names(say), ["Denied 0", "AskStudent 0"])
        denied = say[0].event
        assert isinstance(denied, e.Denied)
        self.assertIs(denied.fault, e.RuleFault.FULL_DINING_ROOM)
        go(after, e.ChooseStudent(Colour.RED), e.ChooseDestination(3))

    def test_other_answers_are_out_of_place(self) -> None:
        play = at(new_position(), Status.MOVE_1)
        for action in (e.ChooseDestination(1), e.ChooseSteps(1), e.ChooseCloud(0), e.PlayAssistant(1)):
            refused = refusal(self, play, action)
            self.assertIs(refused.fault, e.RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)
        chosen, _ = go(play, e.ChooseStudent(Colour.RED))
        self.assertIs(refusal(self, chosen, e.ChooseStudent(Colour.RED)).fault, e.RuleFault.INVALID_ACTION)


def walking(position: Position, assistant: int = 7) -> Play:
    """Seat 0 about to move Mother Nature, with this assistant played and every cloud full."""
    position = with_school(position, 0, played=assistant)
    return at(evolve(position, clouds=(students(3),) * len(position.clouds)), Status.MOVE_2)


class MoveTwoTests(SynchronousTestCase):
    def owned(self, *groups: tuple[int, Tower | None], heap: int = 1) -> Position:
        """A circle with yellow students on group 2, and seat 0 the yellow professor."""
        islands = circle(*groups)
        islands[1] = evolve(islands[1], students=students(yellow=heap))
        position = with_islands(new_position(), islands)
        return evolve(position, professors=(Seat(0), None, None, None, None))

    def test_script_without_a_merger(self) -> None:
        play, say = go(walking(self.owned(*[(1, None)] * 12)), e.ChooseSteps(1))
        script = ["Success 0", "Board", "IslandOwner", "Board", "END_MOVE_2 0", "MOVE_3 0", "AskCloud 0"]
        self.assertEqual(names(say), script)
        owner = say[2].event
        assert isinstance(owner, e.IslandOwner)
        self.assertEqual((owner.number, owner.owner), (2, Seat(0)))
        self.assertEqual(play.position.mother_nature, 1)

    def test_script_with_a_merger(self) -> None:
        play, say = go(walking(self.owned((1, None), (1, None), (1, BLACK), *[(1, None)] * 9)), e.ChooseSteps(1))
        self.assertEqual(names(say)[:5], ["Success 0", "Board", "IslandOwner", "Unified", "Board"])
        owner = say[2].event
        assert isinstance(owner, e.IslandOwner)
        self.assertEqual(owner.island.members, (2,))
        self.assertEqual(play.position.islands[1].members, (2, 3))

    def test_owner_is_told_though_nothing_changed(self) -> None:
        _, say = go(walking(new_position()), e.ChooseSteps(2))
        owner = say[2].event
        assert isinstance(owner, e.IslandOwner)
        self.assertIs(owner.owner, None)

    def test_the_board_before_the_island_is_resolved_says_so(self) -> None:
        """The first of the two boards, and no other one."""
        _, say = go(walking(new_position()), e.ChooseSteps(2))
        self.assertEqual([to.event.unresolved for to in say if isinstance(to.event, e.Board)], [True, False])

    def test_no_entry_tile_is_told_in_place_of_the_owner(self) -> None:
        position = self.owned(*[(1, None)] * 12)
        position = position.with_island(1, evolve(position.islands[1], no_entry_tiles=1))
        play, say = go(walking(position), e.ChooseSteps(1))
        self.assertEqual(names(say)[2:4], ["NoEntryUsed", "Board"])
        self.assertEqual(say[2].event, e.NoEntryUsed(2))
        self.assertIs(play.position.islands[1].tower, None)

    def test_steps_are_one_to_the_assistants(self) -> None:
        play = walking(new_position(), assistant=6)
        self.assertEqual(play.request, e.AskSteps(Seat(0), 3))
        for number in (0, 4, -1, 10**30, -(10**30)):
            refused = refusal(self, play, e.ChooseSteps(number))
            self.assertIs(refused.fault, e.RuleFault.INVALID_INPUT)
            self.assertTrue(refused.ask_again)

    def test_d_r16_steps_may_go_around_the_circle(self) -> None:
        position = with_islands(new_position(), circle((4, BLACK), (4, None), (3, WHITE), (1, None)), mother_nature=3)
        play, _ = go(walking(position, assistant=10), e.ChooseSteps(5))
        self.assertEqual(play.position.mother_nature, 0)

    def test_last_tower_ends_the_match_without_a_merger(self) -> None:
        position = self.owned((7, BLACK), (1, None), (1, WHITE), (3, None))
        play, say = go(walking(position), e.ChooseSteps(1))
        self.assertEqual(names(say), ["Success 0", "Board", "IslandOwner", "Board"])
        assert play.verdict is not None
        self.assertEqual((play.verdict.team, play.request), (BLACK, None))

    def test_three_groups_end_the_match(self) -> None:
        """A merger that leaves three groups (from five, or from four two) ends the match after its board."""
        for groups in (
            ((1, BLACK), (1, None), (1, BLACK), (1, WHITE), (8, None)),
            ((1, BLACK), (1, None), (1, BLACK), (9, WHITE)),
        ):
            play, say = go(walking(self.owned(*groups)), e.ChooseSteps(1))
            self.assertEqual(names(say), ["Success 0", "Board", "IslandOwner", "Unified", "Board"])
            assert play.verdict is not None
            self.assertIn("three groups", play.verdict.why)


class MoveThreeTests(SynchronousTestCase):
    def choosing(self, turn: int = 0, **changes: object) -> Play:
        """A match in which a cloud is to be chosen, by the player who acts first or last."""
        position = evolve(new_position(), turn=turn, clouds=(students(1, 1, 1), students()))
        return at(evolve(position, **changes), Status.MOVE_3)

    def test_script_between_turns(self) -> None:
        play, say = go(self.choosing(), e.ChooseCloud(0))
        script = ["EndOfTurn", "Board", "WAITING 0", "StartOfTurn", "MOVE_1 1", "AskStudent 1"]
        self.assertEqual(names(say), script)
        self.assertEqual(play.position.schools[0].entrance, students(3, 3, 2, 1, 1))
        self.assertEqual(play.position.clouds, (students(), students()))

    def test_script_between_rounds(self) -> None:
        play, say = go(self.choosing(turn=1), e.ChooseCloud(0))
        script = ["EndOfTurn", "Board", "EndOfRound", "WAITING 1", "Board", "PLANNING 0", "AskAssistant 0"]
        self.assertEqual(names(say), script)
        self.assertEqual(play.position.round, 2)

    def test_clouds_that_cannot_be_had(self) -> None:
        play = self.choosing()
        self.assertEqual(play.request, e.AskCloud(Seat(0), (0,)))
        self.assertIs(refusal(self, play, e.ChooseCloud(1)).fault, e.RuleFault.EMPTY_CLOUD)
        for number in (2, -1, 10**30):
            self.assertIs(refusal(self, play, e.ChooseCloud(number)).fault, e.RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, e.ChooseCloud(1)).ask_again)

    def test_last_round_ends_the_match_after_its_last_turn(self) -> None:
        play, say = go(self.choosing(last_round=True), e.ChooseCloud(0))
        self.assertIs(play.verdict, None)
        play, say = go(self.choosing(turn=1, last_round=True), e.ChooseCloud(0))
        self.assertEqual(names(say), ["EndOfTurn", "Board", "EndOfRound", "WAITING 1"])
        assert play.verdict is not None
        self.assertIn("students", play.verdict.why)

    def test_tenth_round_ends_the_match(self) -> None:
        play, _ = go(self.choosing(turn=1, hands=((), ())), e.ChooseCloud(0))
        assert play.verdict is not None
        self.assertIn("assistants", play.verdict.why)

    def test_d_r3_a_round_without_students_on_clouds(self) -> None:
        """D-R3: a refill that falls short says that the round is the last, and its turns end without a cloud."""
        play, say = go(self.choosing(turn=1, bag=students(red=5)), e.ChooseCloud(0))
        self.assertEqual(names(say)[4:], ["Board", "LastRound", "PLANNING 0", "AskAssistant 0"])
        play, _ = go(play, e.PlayAssistant(1), e.PlayAssistant(2))
        for number in range(3):
            colour = Colour(number)
            play, _ = go(play, e.ChooseStudent(colour), e.ChooseDestination(3 + number))
        play, say = go(play, e.ChooseSteps(1))
        script = ["END_MOVE_2 0", "MOVE_3 0", "EndOfTurn", "Board", "WAITING 0", "StartOfTurn", "MOVE_1 1"]
        self.assertEqual(names(say)[4:], [*script, "AskStudent 1"])


NUMBERED = (e.ChooseWizard, e.PlayAssistant, e.ChooseDestination, e.ChooseSteps, e.ChooseCloud, e.UseCharacter)
ACTIONS = st.one_of(
    st.sampled_from(Tower).map(e.ChooseTower),
    st.sampled_from([None, *Colour]).map(e.ChooseStudent),
    *(st.integers().map(kind) for kind in NUMBERED),
)


class NotationTests(PropertyCase):
    @given(ACTIONS)
    def test_reads_back(self, action: e.Action) -> None:
        notation = e.write(action)
        self.assertEqual(e.read(notation), action)
        self.assertTrue(notation.decode("ascii").isprintable())
        self.assertEqual(len(notation.split(b" ")), 2)

    def test_words(self) -> None:
        for action, notation in (
            (e.ChooseTower(Tower.GREY), b"tower grey"),
            (e.ChooseWizard(4), b"wizard 4"),
            (e.PlayAssistant(10), b"assistant 10"),
            (e.ChooseStudent(Colour.PINK), b"student pink"),
            (e.ChooseStudent(None), b"student none"),
            (e.ChooseDestination(0), b"destination 0"),
            (e.ChooseSteps(3), b"steps 3"),
            (e.ChooseCloud(2), b"cloud 2"),
            (e.UseCharacter(12), b"character 12"),
        ):
            self.assertEqual(e.write(action), notation)
            self.assertEqual(e.read(notation), action)

    def test_what_is_no_notation(self) -> None:
        for notation in (
            b"",
            b"tower",
            b"tower red",
            b"tower BLACK",
            b"student",
            b"student grey",
            b"student none ",
            b"wizard 1 2",
            b"wizard  1",
            b"wizard 01",
            b"wizard +1",
            b"wizard 1_0",
            b"wizard -2",
            b"wizard 100",
            b"wizard \xd9\xa3",
            b"wizard 1\n",
            b"move 1",
            b"\xff\xfe",
        ):
            error = self.assertRaises(ValueError, e.read, notation)
            self.assertIn("expected", str(error))


class NumberTests(SynchronousTestCase):
    def test_far_numbers_are_brought_near(self) -> None:
        """A number beyond anything to choose is taken for one that is just as impossible, and stays short."""
        for kind in NUMBERED:
            self.assertEqual(kind(10**5000), kind(99))
            self.assertEqual(kind(-(10**5000)), kind(-1))
            self.assertNotEqual(kind(12), kind(13))
