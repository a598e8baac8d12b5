"""The twelve characters of Eriantys."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import Character, Colour, Status, Tower, evolve, influences
from tests.kit.games.eriantys import (
    acting,
    at,
    circle,
    flaws,
    go,
    names,
    new_position,
    on_card,
    refusal,
    rich,
    script,
    students,
    with_dining,
    with_islands,
    with_on_card,
    with_school,
)

RED, BLUE, YELLOW, PINK = Colour.RED, Colour.BLUE, Colour.YELLOW, Colour.PINK
BLACK, WHITE = Tower.BLACK, Tower.WHITE
C = Character
RESUMED = ["Success 0", "Board", "AskStudent 0"]


class PayingTests(SynchronousTestCase):
    prices = (1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3)

    def test_prices(self) -> None:
        self.assertEqual(tuple(EFFECTS[character].price for character in C), self.prices)

    def test_price_rises_once_for_all(self) -> None:
        position = rich(C.CENTAUR, coins=10)
        expected = [(3, 4, 2), (4, 4, 4), (4, 4, 4)]
        for paid, cost, returned in expected:
            play, _ = go(acting(position), e.UseCharacter(6))
            after = play.position
            self.assertEqual(position.schools[0].coins - after.schools[0].coins, paid)
            self.assertEqual(after.supply - position.supply, returned)
            self.assertEqual((after.cards[0].cost, after.cards[0].used), (cost, True))
            self.assertEqual(flaws(play), [])
            position = evolve(after, character=None, clouds=position.clouds, bag=position.bag)

    def test_not_enough_coins(self) -> None:
        position = rich(C.CENTAUR, coins=1)
        play, _ = go(acting(position), e.ChooseStudent(RED))
        refused = refusal(self, play, e.UseCharacter(6))
        self.assertIs(refused.fault, e.RuleFault.NOT_ENOUGH_COINS)
        self.assertTrue(refused.ask_again)
        self.assertIsInstance(play.request, e.AskDestination)
        go(play, e.ChooseDestination(0))


class RefusalTests(SynchronousTestCase):
    def test_d_r14_not_in_the_planning_phase(self) -> None:
        play = evolve(acting(rich(C.KNIGHT)), stage=Status.PLANNING, request=e.AskAssistant(Seat(0), (1, 2), ()))
        refused = refusal(self, play, e.UseCharacter(8))
        self.assertIs(refused.fault, e.RuleFault.INVALID_ACTION)
        self.assertFalse(refused.ask_again)

    def test_not_while_another_effect_asks(self) -> None:
        play, _ = go(acting(rich(C.HERALD, C.KNIGHT)), e.UseCharacter(3))
        refused = refusal(self, play, e.UseCharacter(8))
        self.assertIs(refused.fault, e.RuleFault.INVALID_ACTION)
        self.assertIn("asks first", str(refused))
        self.assertFalse(refused.ask_again)

    def test_not_in_the_normal_game(self) -> None:
        for number in (1, 12, 0, 99):
            refused = refusal(self, acting(new_position()), e.UseCharacter(number))
            self.assertIs(refused.fault, e.RuleFault.NOT_EXPERT_MODE)
            self.assertTrue(refused.ask_again)

    def test_not_one_of_the_three(self) -> None:
        play = acting(rich(C.KNIGHT, C.FARMER, C.THIEF))
        self.assertIs(refusal(self, play, e.UseCharacter(1)).fault, e.RuleFault.CHARACTER_NOT_IN_GAME)
        for number in (0, 13, -1, 10**30):
            self.assertIs(refusal(self, play, e.UseCharacter(number)).fault, e.RuleFault.INVALID_INPUT)

    def test_one_a_turn(self) -> None:
        """A second character in the same turn is refused before anything else about it is looked at."""
        play, _ = go(acting(rich(C.KNIGHT, C.MINSTREL)), e.UseCharacter(8))
        for number in (8, 10):
            refused = refusal(self, play, e.UseCharacter(number))
            self.assertIs(refused.fault, e.RuleFault.ALREADY_PLAYED_CHARACTER)
            self.assertTrue(refused.ask_again)

    def test_usable_again_in_the_next_turn(self) -> None:
        play, _ = go(acting(rich(C.KNIGHT), Status.MOVE_3), e.UseCharacter(8), e.ChooseCloud(0))
        self.assertIs(play.position.character, None)
        play = evolve(play, position=with_school(play.position, 1, coins=5))
        play, _ = go(play, e.UseCharacter(8))
        self.assertIs(play.position.character, C.KNIGHT)

    def test_possible_before_affordable(self) -> None:
        position = with_school(rich(C.MINSTREL), 0, coins=0)
        self.assertIs(refusal(self, acting(position), e.UseCharacter(10)).fault, e.RuleFault.CHARACTER_NOT_USABLE)

    def test_d_r13_an_effect_without_effect_is_allowed(self) -> None:
        """D-R13: the messenger after Mother Nature walked, or any in move 3, is paid and allowed."""
        play, say = go(acting(rich(C.MESSENGER), Status.MOVE_3), e.UseCharacter(4))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "Board", "AskCloud 0"])
        self.assertEqual(play.position.school.coins, 6)


class QuietCharacterTests(SynchronousTestCase):
    def test_script(self) -> None:
        for number in (2, 4, 6, 8):
            play, _ = go(acting(rich(C(number))), e.ChooseStudent(RED))
            play, say = go(play, e.UseCharacter(number))
            self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "Board", "AskStudent 0"])
            self.assertEqual(say[1].event, e.PlayedCharacter(Seat(0), C(number)))
            board = say[2].event
            assert isinstance(board, e.Board)
            self.assertIs(board.active_character, C(number))
            self.assertIs(play.picked, None)

    def test_d_r4_farmer_works_at_once_and_on_later_moves(self) -> None:
        position = with_dining(with_dining(rich(C.FARMER), 0, students(red=2)), 1, students(red=2, blue=1))
        position = evolve(position, professors=(None, Seat(1), None, Seat(1), None))
        play, _ = go(acting(position), e.UseCharacter(2))
        self.assertEqual(play.position.professors, (None, 1, None, 0, None))
        play, _ = go(play, e.ChooseStudent(BLUE), e.ChooseDestination(0))
        self.assertEqual(play.position.professors, (None, 0, None, 0, None))

    def test_messenger_adds_two_steps(self) -> None:
        play = acting(with_school(rich(C.MESSENGER), 0, played=10), Status.MOVE_2)
        self.assertEqual(play.request, e.AskSteps(Seat(0), 5))
        play, say = go(play, e.UseCharacter(4))
        self.assertEqual(say[-1].event, e.AskSteps(Seat(0), 7))
        self.assertEqual(go(play, e.ChooseSteps(7))[0].position.mother_nature, 7)

    def test_messenger_before_move_2(self) -> None:
        play, _ = go(acting(rich(C.MESSENGER)), e.UseCharacter(4))
        for _ in range(2):
            play, _ = go(play, e.ChooseStudent(YELLOW), e.ChooseDestination(2))
        play, _ = go(play, e.ChooseStudent(BLUE), e.ChooseDestination(2))
        self.assertEqual(play.request, e.AskSteps(Seat(0), 6))

    def test_centaur_and_knight_count_in_this_turn(self) -> None:
        islands = circle((1, None), (1, WHITE, students(yellow=1)), *[(1, None)] * 10)
        position = evolve(rich(C.CENTAUR, C.KNIGHT), islands=tuple(islands), professors=(Seat(0),) + (None,) * 4)
        for number, owner in ((6, Seat(0)), (8, Seat(0)), (None, Seat(1))):
            play = acting(with_islands(position, islands), Status.MOVE_2)
            if number is not None:
                play, _ = go(play, e.UseCharacter(number))
            _, say = go(play, e.ChooseSteps(1))
            told = [to.event for to in say if isinstance(to.event, e.IslandOwner)]
            self.assertEqual([event.owner for event in told], [owner])


class ResumingTests(SynchronousTestCase):
    def test_every_stage_resumes_with_its_own_question(self) -> None:
        for stage, asked in (
            (Status.MOVE_1, "AskStudent 0"),
            (Status.MOVE_2, "AskSteps 0"),
            (Status.MOVE_3, "AskCloud 0"),
        ):
            _, say = go(acting(rich(C.THIEF), stage), e.UseCharacter(12), e.ChooseStudent(PINK))
            self.assertEqual(names(say)[-1], asked)

    def test_moved_students_still_count(self) -> None:
        play, _ = go(acting(rich(C.KNIGHT)), e.ChooseStudent(RED), e.ChooseDestination(1), e.UseCharacter(8))
        self.assertIsInstance(play.request, e.AskStudent)
        play, _ = go(play, e.ChooseStudent(BLUE), e.ChooseDestination(1), e.ChooseStudent(BLUE), e.ChooseDestination(1))
        self.assertIsInstance(play.request, e.AskSteps)

    def test_other_answers_are_out_of_place(self) -> None:
        play, _ = go(acting(rich(C.THIEF)), e.UseCharacter(12))
        for action in (e.ChooseDestination(1), e.ChooseSteps(1), e.ChooseCloud(0), e.PlayAssistant(1)):
            refused = refusal(self, play, action)
            self.assertIs(refused.fault, e.RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)


class IslandCharacterTests(SynchronousTestCase):
    def test_monk(self) -> None:
        position = with_on_card(rich(C.MONK), C.MONK, students(blue=3, red=1))
        play, say = go(acting(position), e.UseCharacter(1))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "AskCardStudent 0"])
        self.assertEqual(play.request, e.AskCardStudent(Seat(0), students(blue=3, red=1)))
        play, say = go(play, e.ChooseStudent(RED))
        self.assertEqual(say[-1].event, e.AskDestination(Seat(0), 12, dining_room=False))
        chance = script(0)
        before = play.position
        play, say = go(play, e.ChooseDestination(12), chance=chance)
        self.assertEqual(names(say), RESUMED)
        self.assertEqual(chance.unused, ())
        self.assertEqual(play.position.islands[11].students[RED], before.islands[11].students[RED] + 1)
        self.assertEqual(on_card(play.position, C.MONK), students(yellow=1, blue=3))
        self.assertEqual(flaws(play), [])

    def test_monk_refusals(self) -> None:
        play, _ = go(acting(with_on_card(rich(C.MONK), C.MONK, students(blue=4))), e.UseCharacter(1))
        self.assertIs(refusal(self, play, e.ChooseStudent(RED)).fault, e.RuleFault.STUDENT_NOT_AVAILABLE)
        self.assertIs(refusal(self, play, e.ChooseStudent(None)).fault, e.RuleFault.INVALID_INPUT)
        self.assertIs(refusal(self, play, e.ChooseDestination(1)).fault, e.RuleFault.INVALID_ACTION)
        play, _ = go(play, e.ChooseStudent(BLUE))
        for number in (0, 13, -1):
            refused = refusal(self, play, e.ChooseDestination(number))
            self.assertIs(refused.fault, e.RuleFault.INVALID_INPUT)
            self.assertTrue(refused.ask_again)

    def test_monk_with_an_empty_bag(self) -> None:
        """Without students in the bag the card holds fewer, and with none it cannot be used."""
        position = evolve(acting(rich(C.MONK)).position, bag=students(), last_round=True)
        play, say = go(at(position, Status.MOVE_1), e.UseCharacter(1))
        colour = next(colour for colour in Colour if on_card(position, C.MONK)[colour])
        play, say = go(play, e.ChooseStudent(colour), e.ChooseDestination(1))
        self.assertEqual(sum(on_card(play.position, C.MONK)), 3)
        self.assertEqual(names(say)[1:], RESUMED)
        empty = position.with_card(evolve(position.cards[0], students=students()))
        self.assertIs(
            refusal(self, at(empty, Status.MOVE_1), e.UseCharacter(1)).fault, e.RuleFault.CHARACTER_NOT_USABLE
        )

    def test_last_student_drawn_for_a_card_makes_the_round_the_last(self) -> None:
        position = evolve(acting(rich(C.MONK)).position, bag=students(pink=1))
        play, _ = go(at(position, Status.MOVE_1), e.UseCharacter(1))
        colour = next(colour for colour in Colour if on_card(position, C.MONK)[colour])
        play, say = go(play, e.ChooseStudent(colour), e.ChooseDestination(1))
        self.assertEqual(names(say)[1:], ["Success 0", "Board", "LastRound", "AskStudent 0"])
        self.assertTrue(play.position.last_round)

    def heralded(self, *groups: tuple[int, Tower | None], place: int) -> Play:
        islands = circle(*groups)
        islands[place] = evolve(islands[place], students=students(yellow=9))
        position = with_islands(rich(C.HERALD), islands, mother_nature=len(islands) - 1)
        position = evolve(position, professors=(Seat(0), None, None, None, None))
        return go(acting(position), e.UseCharacter(3))[0]

    def test_herald(self) -> None:
        play = self.heralded(*[(1, None)] * 12, place=4)
        self.assertEqual(play.request, e.AskDestination(Seat(0), 12, dining_room=False))
        self.assertIs(refusal(self, play, e.ChooseDestination(0)).fault, e.RuleFault.INVALID_INPUT)
        play, say = go(play, e.ChooseDestination(5))
        self.assertEqual(names(say), ["Success 0", "IslandOwner", "Board", "AskStudent 0"])
        self.assertIs(play.position.islands[4].tower, BLACK)
        self.assertEqual(play.position.mother_nature, 11)

    def test_herald_merges_and_does_not_move_her(self) -> None:
        play = self.heralded((1, None), (1, BLACK), (1, None), (9, None), place=2)
        play, say = go(play, e.ChooseDestination(3))
        self.assertEqual(names(say)[:4], ["Success 0", "IslandOwner", "Unified", "Board"])
        self.assertEqual(play.position.islands[play.position.mother_nature].members, tuple(range(4, 13)))

    def test_herald_can_end_the_match(self) -> None:
        for groups in (((7, BLACK), (1, None), (1, WHITE), (3, None)), ((1, BLACK), (1, None), (2, WHITE), (8, None))):
            play = self.heralded(*groups, place=1)
            play, say = go(play, e.ChooseDestination(2))
            self.assertEqual(names(say)[-1], "Board")
            self.assertIsNot(play.verdict, None)
            self.assertIs(play.request, None)

    def test_d_r11_herald_uses_a_tile_up(self) -> None:
        play = self.heralded(*[(1, None)] * 12, place=4)
        position = play.position.with_island(4, evolve(play.position.islands[4], no_entry_tiles=1))
        play, say = go(evolve(play, position=position), e.ChooseDestination(5))
        self.assertEqual(names(say), ["Success 0", "NoEntryUsed", "Board", "AskStudent 0"])
        self.assertEqual((play.position.islands[4].tower, play.position.islands[4].no_entry_tiles), (None, 0))

    def test_herbalist(self) -> None:
        position = rich(C.HERBALIST, coins=15)
        for left in (3, 2, 1, 0):
            play, say = go(acting(position), e.UseCharacter(5))
            self.assertEqual(names(say)[-1], "AskDestination 0")
            self.assertIs(refusal(self, play, e.ChooseDestination(0)).fault, e.RuleFault.INVALID_INPUT)
            play, say = go(play, e.ChooseDestination(7))
            self.assertEqual(names(say), RESUMED)
            self.assertEqual(play.position.cards[0].no_entry_tiles, left)
            self.assertEqual(play.position.islands[6].no_entry_tiles, 4 - left)
            self.assertEqual(flaws(play), [])
            position = evolve(play.position, character=None, clouds=position.clouds, bag=position.bag)
        refused = refusal(self, acting(position), e.UseCharacter(5))
        self.assertIs(refused.fault, e.RuleFault.ZERO_NO_ENTRY_TILES_LEFT)


class ColourCharacterTests(SynchronousTestCase):
    def test_harvester(self) -> None:
        play, say = go(acting(rich(C.HARVESTER), Status.MOVE_3), e.UseCharacter(9))
        self.assertEqual(say[-1].event, e.AskColour(Seat(0)))
        self.assertIs(refusal(self, play, e.ChooseStudent(None)).fault, e.RuleFault.INVALID_INPUT)
        play, say = go(play, e.ChooseStudent(RED))
        self.assertEqual(names(say), ["Success 0", "Board", "AskCloud 0"])
        self.assertEqual([to.event.banned for to in say if isinstance(to.event, e.Board)], [RED])
        position = evolve(play.position, professors=(Seat(0),) * 5)
        island = evolve(position.islands[0], students=students(red=3, blue=1))
        self.assertEqual(influences(position, island), (1, 0))
        play, _ = go(play, e.ChooseCloud(0))
        self.assertIs(play.position.banned, None)

    def test_thief(self) -> None:
        position = with_dining(with_dining(rich(C.THIEF), 0, students(red=5, blue=1)), 1, students(red=2))
        before = acting(position)
        play, say = go(before, e.UseCharacter(12))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "AskColour 0"])
        play, say = go(play, e.ChooseStudent(RED))
        self.assertEqual(names(say), RESUMED)
        dining = [school.dining for school in play.position.schools]
        self.assertEqual(dining, [students(red=2, blue=1), students()])
        self.assertEqual(play.position.bag[RED], before.position.bag[RED] + 5)

    def test_last_round_stays_the_last(self) -> None:
        position = with_dining(rich(C.THIEF), 0, students(red=5))
        position = evolve(position, last_round=True, turn=0)
        play, _ = go(acting(position), e.UseCharacter(12), e.ChooseStudent(RED))
        self.assertTrue(play.position.last_round)


class SwappingCharacterTests(SynchronousTestCase):
    def test_jester_swaps_three(self) -> None:
        position = with_on_card(rich(C.JESTER), C.JESTER, students(red=6))
        play, say = go(acting(position), e.UseCharacter(7))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "AskCardStudent 0"])
        for number in range(3):
            self.assertEqual(play.request, e.AskCardStudent(Seat(0), on_card(play.position, C.JESTER), may_stop=True))
            play, say = go(play, e.ChooseStudent(RED))
            self.assertEqual(say[-1].event, e.AskCardStudent(Seat(0), play.position.school.entrance))
            play, say = go(play, e.ChooseStudent((YELLOW, YELLOW, BLUE)[number]))
            self.assertEqual(names(say), ["Board", "AskCardStudent 0" if number < 2 else "AskStudent 0"])
        self.assertEqual(play.position.school.entrance, students(0, 1, 1, 4, 1))
        self.assertEqual(on_card(play.position, C.JESTER), students(2, 1, 0, 3, 0))
        self.assertEqual(flaws(play), [])

    def test_jester_stops(self) -> None:
        """ "None" to the first question ends the effect at any number of swaps; without a swap, a board shows the price."""
        position = with_on_card(rich(C.JESTER), C.JESTER, students(red=6))
        play, _ = go(acting(position), e.UseCharacter(7))
        stopped, say = go(play, e.ChooseStudent(None))
        self.assertEqual(names(say), ["Board", "AskStudent 0"])
        self.assertIs(stopped.effect, None)
        play, say = go(play, e.ChooseStudent(RED), e.ChooseStudent(BLUE), e.ChooseStudent(None))
        self.assertEqual(
            names(say)[-3:], ["Board", "AskCardStudent 0", "AskStudent 0"], "no board after the last swap's"
        )
        self.assertEqual(on_card(play.position, C.JESTER), students(red=5, blue=1))

    def test_jester_refusals(self) -> None:
        position = with_on_card(rich(C.JESTER), C.JESTER, students(red=6))
        play, _ = go(acting(with_school(position, 0, entrance=students(blue=7))), e.UseCharacter(7))
        self.assertIs(refusal(self, play, e.ChooseStudent(BLUE)).fault, e.RuleFault.STUDENT_NOT_AVAILABLE)
        play, _ = go(play, e.ChooseStudent(RED))
        self.assertIs(refusal(self, play, e.ChooseStudent(RED)).fault, e.RuleFault.STUDENT_NOT_AVAILABLE)
        refused = refusal(self, play, e.ChooseStudent(None))
        self.assertIs(refused.fault, e.RuleFault.INVALID_INPUT)
        self.assertTrue(refused.ask_again)

    def test_minstrel_swaps_two(self) -> None:
        play, say = go(acting(with_dining(rich(C.MINSTREL), 0, students(green=2))), e.UseCharacter(10))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "AskCardStudent 0"])
        for number, enters in enumerate((RED, YELLOW)):
            self.assertEqual(play.request, e.AskCardStudent(Seat(0), play.position.school.entrance, may_stop=True))
            play, say = go(play, e.ChooseStudent(enters))
            self.assertEqual(say[-1].event, e.AskCardStudent(Seat(0), play.position.school.dining))
            play, say = go(play, e.ChooseStudent(Colour.GREEN))
            self.assertEqual(names(say), ["Board", "AskStudent 0" if number else "AskCardStudent 0"])
        self.assertEqual(play.position.school.dining, students(yellow=1, red=1))
        self.assertEqual(play.position.school.entrance, students(1, 2, 3, 0, 1))
        self.assertEqual(play.position.professors, (0, None, 0, 0, None))
        self.assertEqual(flaws(play), [])

    def test_minstrel_stops(self) -> None:
        """ "None" to the first question ends the effect; to the second it is refused."""
        play, _ = go(acting(with_dining(rich(C.MINSTREL), 0, students(green=2))), e.UseCharacter(10))
        self.assertEqual(names(go(play, e.ChooseStudent(None))[1]), ["Board", "AskStudent 0"])
        play, _ = go(play, e.ChooseStudent(RED))
        self.assertIs(refusal(self, play, e.ChooseStudent(None)).fault, e.RuleFault.INVALID_INPUT)

    def test_minstrel_needs_somebody_in_the_dining_room(self) -> None:
        refused = refusal(self, acting(rich(C.MINSTREL)), e.UseCharacter(10))
        self.assertIs(refused.fault, e.RuleFault.CHARACTER_NOT_USABLE)

    def test_minstrel_and_a_full_table(self) -> None:
        play, _ = go(acting(with_dining(rich(C.MINSTREL), 0, students(red=10, green=1))), e.UseCharacter(10))
        play, _ = go(play, e.ChooseStudent(RED))
        refused = refusal(self, play, e.ChooseStudent(Colour.GREEN))
        self.assertIs(refused.fault, e.RuleFault.FULL_DINING_ROOM)
        self.assertTrue(refused.ask_again)
        after, say = go(play, e.ChooseStudent(RED))
        self.assertEqual(names(say), ["Board", "AskCardStudent 0"])
        self.assertEqual(after.position, play.position)

    def test_d_r17_minstrel_can_leave_two_level_above_the_holder(self) -> None:
        position = rich(C.MINSTREL, seats=3)
        for seat, count in enumerate((3, 2, 2)):
            position = with_dining(position, seat, students(red=count))
        position = evolve(position, professors=(None, None, None, Seat(0), None))
        play, _ = go(acting(position), e.UseCharacter(10))
        for enters in (BLUE, PINK):
            play, _ = go(play, e.ChooseStudent(enters), e.ChooseStudent(RED))
        self.assertEqual([school.dining[RED] for school in play.position.schools], [1, 2, 2])
        self.assertEqual(play.position.professors[RED], Seat(0))


class PrincessTests(SynchronousTestCase):
    def test_princess(self) -> None:
        position = with_on_card(rich(C.PRINCESS), C.PRINCESS, students(blue=3, red=1))
        position = with_dining(position, 0, students(red=2))
        play, say = go(acting(position), e.UseCharacter(11))
        self.assertEqual(play.request, e.AskCardStudent(Seat(0), students(blue=3, red=1)))
        coins = play.position.school.coins
        play, say = go(play, e.ChooseStudent(RED), chance=script(0))
        self.assertEqual(names(say), RESUMED)
        self.assertEqual(play.position.school.dining, students(red=3))
        self.assertEqual(play.position.school.coins, coins + 1)
        self.assertEqual(play.position.professors[RED], Seat(0))
        self.assertEqual(on_card(play.position, C.PRINCESS), students(yellow=1, blue=3))
        self.assertEqual(flaws(play), [])

    def test_only_students_with_room_are_offered(self) -> None:
        """Students whose table is full are not offered; with no other the princess cannot be used."""
        position = with_on_card(rich(C.PRINCESS), C.PRINCESS, students(blue=3, red=1))
        position = with_dining(position, 0, students(blue=10))
        play, _ = go(acting(position), e.UseCharacter(11))
        self.assertEqual(play.request, e.AskCardStudent(Seat(0), students(red=1)))
        self.assertIs(refusal(self, play, e.ChooseStudent(BLUE)).fault, e.RuleFault.STUDENT_NOT_AVAILABLE)
        self.assertIs(refusal(self, play, e.ChooseStudent(None)).fault, e.RuleFault.INVALID_INPUT)
        position = with_on_card(position, C.PRINCESS, students(blue=4))
        self.assertIs(refusal(self, acting(position), e.UseCharacter(11)).fault, e.RuleFault.CHARACTER_NOT_USABLE)
