"""Using characters: prices, refusals, those that ask for nothing, and what is asked afterwards."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    PlayAssistant,
    RuleFault,
    UseCharacter,
)
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import (
    AskAssistant,
    AskDestination,
    AskSteps,
    AskStudent,
    Board,
    IslandOwner,
    PlayedCharacter,
)
from gamehost.games.eriantys.pieces import Character, Colour, Status, Tower
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_player import flaws
from tests.kit.games.eriantys_table import (
    acting,
    circle,
    go,
    names,
    new_position,
    refusal,
    rich,
    students,
    with_dining,
    with_islands,
    with_school,
)

RED, BLUE, YELLOW, PINK = Colour.RED, Colour.BLUE, Colour.YELLOW, Colour.PINK
BLACK, WHITE = Tower.BLACK, Tower.WHITE
C = Character
RESUMED = ["Success 0", "Board", "AskStudent 0"]


class PayingTests(SynchronousTestCase):
    """Prices and coins (A.10)."""

    prices = (1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3)

    def test_prices(self) -> None:
        """The twelve cost 1 2 3, four times over."""
        self.assertEqual(tuple(EFFECTS[character].price for character in C), self.prices)

    def test_price_rises_once_for_all(self) -> None:
        """The first use leaves a coin on the card and raises the price by one; later uses pay back in full."""
        position = rich(C.CENTAUR, coins=10)
        expected = [(3, 4, 2), (4, 4, 4), (4, 4, 4)]
        for paid, cost, returned in expected:
            play, _ = go(acting(position), UseCharacter(6))
            after = play.position
            self.assertEqual(position.schools[0].coins - after.schools[0].coins, paid)
            self.assertEqual(after.supply - position.supply, returned)
            self.assertEqual((after.cards[0].cost, after.cards[0].used), (cost, True))
            self.assertEqual(flaws(play), [])
            position = evolve(after, character=None, clouds=position.clouds, bag=position.bag)

    def test_not_enough_coins(self) -> None:
        """One coin too few is refused, nothing is charged, and the open question stays as it was."""
        position = rich(C.CENTAUR, coins=1)
        play, _ = go(acting(position), ChooseStudent(RED))
        refused = refusal(self, play, UseCharacter(6))
        self.assertIs(refused.fault, RuleFault.NOT_ENOUGH_COINS)
        self.assertTrue(refused.ask_again)
        self.assertIsInstance(play.request, AskDestination)
        go(play, ChooseDestination(0))


class RefusalTests(SynchronousTestCase):
    """When a character cannot be used, in the order of the checks."""

    def test_d_r14_not_in_the_planning_phase(self) -> None:
        """D-R14: while assistants are played a character is out of place, and nothing is asked again."""
        play = evolve(acting(rich(C.KNIGHT)), stage=Status.PLANNING, request=AskAssistant(Seat(0), (1, 2), ()))
        refused = refusal(self, play, UseCharacter(8))
        self.assertIs(refused.fault, RuleFault.INVALID_ACTION)
        self.assertFalse(refused.ask_again)

    def test_not_while_another_effect_asks(self) -> None:
        """While a character's question is open a second one is out of place."""
        play, _ = go(acting(rich(C.HERALD, C.KNIGHT)), UseCharacter(3))
        refused = refusal(self, play, UseCharacter(8))
        self.assertIs(refused.fault, RuleFault.INVALID_ACTION)
        self.assertIn("asks first", str(refused))
        self.assertFalse(refused.ask_again)

    def test_not_in_the_normal_game(self) -> None:
        """Without the expert rules every number is refused alike."""
        for number in (1, 12, 0, 99):
            refused = refusal(self, acting(new_position()), UseCharacter(number))
            self.assertIs(refused.fault, RuleFault.NOT_EXPERT_MODE)
            self.assertTrue(refused.ask_again)

    def test_not_one_of_the_three(self) -> None:
        """A character that is not on the table, and a number that is no character."""
        play = acting(rich(C.KNIGHT, C.FARMER, C.THIEF))
        self.assertIs(refusal(self, play, UseCharacter(1)).fault, RuleFault.CHARACTER_NOT_IN_GAME)
        for number in (0, 13, -1, 10**30):
            self.assertIs(refusal(self, play, UseCharacter(number)).fault, RuleFault.INVALID_INPUT)

    def test_one_a_turn(self) -> None:
        """A second character in the same turn is refused before anything else about it is looked at."""
        play, _ = go(acting(rich(C.KNIGHT, C.MINSTREL)), UseCharacter(8))
        for number in (8, 10):
            refused = refusal(self, play, UseCharacter(number))
            self.assertIs(refused.fault, RuleFault.ALREADY_PLAYED_CHARACTER)
            self.assertTrue(refused.ask_again)

    def test_usable_again_in_the_next_turn(self) -> None:
        """The next player may use a character again, and the effect of the last turn is over."""
        play, _ = go(acting(rich(C.KNIGHT), Status.MOVE_3), UseCharacter(8), ChooseCloud(0))
        self.assertIs(play.position.character, None)
        play = evolve(play, position=with_school(play.position, 1, coins=5))
        play, _ = go(play, UseCharacter(8))
        self.assertIs(play.position.character, C.KNIGHT)

    def test_possible_before_affordable(self) -> None:
        """Whether the effect is possible is checked before the coins."""
        position = with_school(rich(C.MINSTREL), 0, coins=0)
        self.assertIs(refusal(self, acting(position), UseCharacter(10)).fault, RuleFault.CHARACTER_NOT_USABLE)

    def test_d_r13_an_effect_without_effect_is_allowed(self) -> None:
        """D-R13: the messenger after Mother Nature walked, or any in move 3, is paid and allowed."""
        play, say = go(acting(rich(C.MESSENGER), Status.MOVE_3), UseCharacter(4))
        self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "Board", "AskCloud 0"])
        self.assertEqual(play.position.school.coins, 6)


class QuietCharacterTests(SynchronousTestCase):
    """The characters that ask for nothing."""

    def test_script(self) -> None:
        """Paid, told to all, the board, and the interrupted question again; a half-made choice is dropped."""
        for number in (2, 4, 6, 8):
            play, _ = go(acting(rich(C(number))), ChooseStudent(RED))
            play, say = go(play, UseCharacter(number))
            self.assertEqual(names(say), ["Success 0", "PlayedCharacter", "Board", "AskStudent 0"])
            self.assertEqual(say[1].event, PlayedCharacter(Seat(0), C(number)))
            board = say[2].event
            assert isinstance(board, Board)
            self.assertIs(board.active_character, C(number))
            self.assertIs(play.picked, None)

    def test_d_r4_farmer_works_at_once_and_on_later_moves(self) -> None:
        """D-R4: professors on equality come when the farmer is played, and with every student seated afterwards."""
        position = with_dining(with_dining(rich(C.FARMER), 0, students(red=2)), 1, students(red=2, blue=1))
        position = evolve(position, professors=(None, Seat(1), None, Seat(1), None))
        play, _ = go(acting(position), UseCharacter(2))
        self.assertEqual(play.position.professors, (None, 1, None, 0, None))
        play, _ = go(play, ChooseStudent(BLUE), ChooseDestination(0))
        self.assertEqual(play.position.professors, (None, 0, None, 0, None))

    def test_messenger_adds_two_steps(self) -> None:
        """The question for steps comes again with two more, up to seven in all."""
        play = acting(with_school(rich(C.MESSENGER), 0, played=10), Status.MOVE_2)
        self.assertEqual(play.request, AskSteps(Seat(0), 5))
        play, say = go(play, UseCharacter(4))
        self.assertEqual(say[-1].event, AskSteps(Seat(0), 7))
        self.assertEqual(go(play, ChooseSteps(7))[0].position.mother_nature, 7)

    def test_messenger_before_move_2(self) -> None:
        """Played in move 1 it counts when Mother Nature walks."""
        play, _ = go(acting(rich(C.MESSENGER)), UseCharacter(4))
        for _ in range(2):
            play, _ = go(play, ChooseStudent(YELLOW), ChooseDestination(2))
        play, _ = go(play, ChooseStudent(BLUE), ChooseDestination(2))
        self.assertEqual(play.request, AskSteps(Seat(0), 6))

    def test_centaur_and_knight_count_in_this_turn(self) -> None:
        """What they change is counted when Mother Nature stops."""
        islands = circle((1, None), (1, WHITE, students(yellow=1)), *[(1, None)] * 10)
        position = evolve(rich(C.CENTAUR, C.KNIGHT), islands=tuple(islands), professors=(Seat(0),) + (None,) * 4)
        for number, owner in ((6, Seat(0)), (8, Seat(0)), (None, Seat(1))):
            play = acting(with_islands(position, islands), Status.MOVE_2)
            if number is not None:
                play, _ = go(play, UseCharacter(number))
            _, say = go(play, ChooseSteps(1))
            told = [to.event for to in say if isinstance(to.event, IslandOwner)]
            self.assertEqual([event.owner for event in told], [owner])


class ResumingTests(SynchronousTestCase):
    """What is asked after an effect."""

    def test_every_stage_resumes_with_its_own_question(self) -> None:
        """After a character in move 1, 2 or 3 the question of that move comes again."""
        for stage, asked in (
            (Status.MOVE_1, "AskStudent 0"),
            (Status.MOVE_2, "AskSteps 0"),
            (Status.MOVE_3, "AskCloud 0"),
        ):
            _, say = go(acting(rich(C.THIEF), stage), UseCharacter(12), ChooseStudent(PINK))
            self.assertEqual(names(say)[-1], asked)

    def test_moved_students_still_count(self) -> None:
        """A character between two moved students does not start move 1 over."""
        play, _ = go(acting(rich(C.KNIGHT)), ChooseStudent(RED), ChooseDestination(1), UseCharacter(8))
        self.assertIsInstance(play.request, AskStudent)
        play, _ = go(play, ChooseStudent(BLUE), ChooseDestination(1), ChooseStudent(BLUE), ChooseDestination(1))
        self.assertIsInstance(play.request, AskSteps)

    def test_other_answers_are_out_of_place(self) -> None:
        """While an effect asks, answers to other questions are refused and nothing is asked again."""
        play, _ = go(acting(rich(C.THIEF)), UseCharacter(12))
        for action in (ChooseDestination(1), ChooseSteps(1), ChooseCloud(0), PlayAssistant(1)):
            refused = refusal(self, play, action)
            self.assertIs(refused.fault, RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)
