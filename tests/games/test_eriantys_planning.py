"""Planning phases: who plays which assistant when, and what is said in which order."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    PlayAssistant,
    RuleFault,
)
from gamehost.games.eriantys.events import (
    AskAssistant,
    PlayedAssistant,
    StartOfTurn,
)
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import PlanningOrder
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_table import (
    fresh,
    go,
    names,
    refusal,
    round_played,
    turns_played,
)


class PlanningTests(SynchronousTestCase):
    """The planning phase."""

    def test_script_from_the_deal(self) -> None:
        """The board and the first player, the board with clouds, then each player in turn plays an assistant."""
        play, say = fresh(2)
        opening = ["Board", "StartOfTurn", "Board", "PLANNING 0", "AskAssistant 0"]
        self.assertEqual(names(say), opening)
        self.assertEqual(say[1].event, StartOfTurn(1, Seat(0)))
        play, say = go(play, PlayAssistant(4))
        self.assertEqual(names(say), ["Success 0", "PlayedAssistant", "WAITING 0", "PLANNING 1", "AskAssistant 1"])
        self.assertEqual(say[1].event, PlayedAssistant(Seat(0), 4))
        self.assertEqual(play.request, AskAssistant(Seat(1), tuple(range(1, 11)), ((Seat(0), 4),)))
        play, say = go(play, PlayAssistant(2))
        self.assertEqual(
            names(say), ["Success 1", "PlayedAssistant", "WAITING 1", "StartOfTurn", "MOVE_1 1", "AskStudent 1"]
        )

    def test_clouds_are_full_and_the_round_counted(self) -> None:
        """Round 1 begins with three students on each cloud (four with three players)."""
        for seats, each in ((2, 3), (3, 4), (4, 3)):
            play, _ = fresh(seats)
            self.assertEqual([sum(cloud) for cloud in play.position.clouds], [each] * seats)
            self.assertEqual(play.position.round, 1)

    def test_assistants_not_in_the_hand(self) -> None:
        """Played before: not available. Never there: not a number from 1 to 10."""
        play, _ = fresh(2)
        play = round_played(play, 3, 5)
        self.assertIs(refusal(self, play, PlayAssistant(3)).fault, RuleFault.UNAVAILABLE_ASSISTANT)
        for number in (0, 11, -1, 10**30):
            self.assertIs(refusal(self, play, PlayAssistant(number)).fault, RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, PlayAssistant(3)).ask_again)

    def with_hands(self, first: tuple[int, ...], second: tuple[int, ...], third: tuple[int, ...]) -> Play:
        play, _ = fresh(3)
        position = evolve(play.position, hands=(first, second, third))
        request = AskAssistant(Seat(0), first, ())
        return evolve(play, position=position, request=request)

    def test_same_assistant_is_refused_while_another_can_be_played(self) -> None:
        """A value played in this round by another is not to be played again."""
        play, _ = go(self.with_hands((4, 5), (4, 5), (4, 5)), PlayAssistant(4))
        refused = refusal(self, play, PlayAssistant(4))
        self.assertIs(refused.fault, RuleFault.INVALID_ASSISTANT)
        self.assertTrue(refused.ask_again)

    def test_same_assistant_is_allowed_when_all_in_the_hand_were_played(self) -> None:
        """Only when every card in the hand was played by others may any of them be played."""
        play, _ = go(self.with_hands((4, 5), (4, 5), (4, 5)), PlayAssistant(4), PlayAssistant(5))
        for number in (4, 5):
            after, _ = go(play, PlayAssistant(number))
            self.assertEqual(after.position.schools[2].played, number)

    def test_same_assistant_is_refused_though_other_cards_were_played_too(self) -> None:
        """Another card in the hand is not enough: it has to be one that nobody played."""
        play, _ = go(self.with_hands((4,), (5,), (4, 5, 6)), PlayAssistant(4), PlayAssistant(5))
        for number in (4, 5):
            self.assertIs(refusal(self, play, PlayAssistant(number)).fault, RuleFault.INVALID_ASSISTANT)
        go(play, PlayAssistant(6))

    def test_action_order_is_by_value(self) -> None:
        """Low assistants act first."""
        play, _ = go(fresh(4)[0], *map(PlayAssistant, (9, 3, 10, 1)))
        self.assertEqual(play.position.order, (3, 1, 0, 2))

    def test_equals_act_in_the_order_of_planning(self) -> None:
        """Of two equal assistants the one played earlier acts first."""
        play, _ = go(self.with_hands((7,), (5,), (5,)), *map(PlayAssistant, (7, 5, 5)))
        self.assertEqual(play.position.order, (1, 2, 0))

    def test_d_r1_next_planning_follows_the_action_order(self) -> None:
        """D-R1: from round 2 on assistants are played in the action order of the round before."""
        play = round_played(fresh(4)[0], 9, 3, 10, 1)
        self.assertEqual((play.position.round, play.position.order), (2, (3, 1, 0, 2)))

    def test_d_r1_clockwise_on_request(self) -> None:
        """D-R1: with `planning_order` clockwise it goes around the table from whoever acted first."""
        play = round_played(fresh(4, PlanningOrder.CLOCKWISE)[0], 9, 3, 10, 1)
        self.assertEqual(play.position.order, (3, 0, 1, 2))

    def test_d_r2_of_two_lowest_the_first_to_act_is_first(self) -> None:
        """D-R2: two lowest assistants are equal: whoever acted first in that round is the first to plan."""
        for order in PlanningOrder:
            play = evolve(self.with_hands((7,), (5,), (5,)), planning_order=order)
            play, _ = go(play, *map(PlayAssistant, (7, 5, 5)))
            # Another card each, or the match would be over.
            play = turns_played(evolve(play, position=evolve(play.position, hands=((1,), (1,), (1,)))))
            self.assertEqual(play.position.order, (1, 2, 0))

    def test_played_assistants_are_put_away(self) -> None:
        """A new planning phase begins with no assistant played and a hand smaller by one."""
        play = round_played(fresh(2)[0], 1, 2)
        self.assertEqual([school.played for school in play.position.schools], [None, None])
        self.assertEqual([school.assistants for school in play.position.schools], [9, 9])
        self.assertEqual(play.position.hands[0], tuple(range(2, 11)))
