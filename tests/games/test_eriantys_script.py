"""Whole normal games against the protocol's scenarios: every event of a match in its place."""

import random
import re

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.events import StartOfTurn
from gamehost.games.eriantys.master import Eriantys
from tests.kit.games.eriantys import Dice, any_action, names

#: A match of the normal game; `{n}` players, `{m}` students moved in a turn. A turn may be the last thing there is.
SCENARIO = r"""
MatchStarted_ (AskTower_Success_){{{n}}} (AskWizard_Success_){{{n}}} Board_StartOfTurn_
(
    Board_ (LastRound_)? (PLANNING_AskAssistant_Success_PlayedAssistant_WAITING_){{{n}}}
    (
        StartOfTurn_MOVE_1_
        (AskStudent_AskDestination_Success_Board_){{{m}}}
        END_MOVE_1_MOVE_2_
        AskSteps_Success_Board_IslandOwner_ (Unified_)? Board_
        ( END_MOVE_2_MOVE_3_ (AskCloud_)? EndOfTurn_Board_ (EndOfRound_)? WAITING_ )?
    ){{1,{n}}}
){{1,10}}
((WIN|LOSE)_){{{n}}} Won_Closing_
"""


class ScenarioTests(SynchronousTestCase):
    """The order of all that is said."""

    def story(self, seats: int, seed: int) -> list[str]:
        """All events of a random game, by name."""
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, {}, Dice(seed))
        said = [*master.begin(0)]
        while (choice := any_action(master, rng)) is not None:
            said += master.act(*choice, now=0)
        return [name.split()[0] for name in names(said)]

    def test_every_match_follows_the_scenario(self) -> None:
        """Matches of two, three and four players say exactly what the scenarios list, in their order."""
        for seats, moves in ((2, 3), (3, 4), (4, 3)):
            scenario = re.compile(SCENARIO.format(n=seats, m=moves), re.VERBOSE)
            for seed in range(8):
                story = "".join(f"{name}_" for name in self.story(seats, seed))
                self.assertIsNot(scenario.fullmatch(story), None, story)

    def test_last_round_of_three_and_four_players(self) -> None:
        """Three and four players without characters: where the students run out, the eighth round is the last."""
        for seats in (3, 4):
            reached = 0
            for seed in range(8):
                story = self.story(seats, seed)
                rounds = story.count("EndOfRound")
                self.assertLessEqual(rounds, 8)
                self.assertEqual("LastRound" in story, story.count("PLANNING") == 8 * seats)
                reached += rounds == 8
            self.assertGreater(reached, 0)

    def test_two_players_play_ten_rounds_at_most(self) -> None:
        """Two players never run out of students: ten rounds, or an end at once."""
        for seed in range(8):
            story = self.story(2, seed)
            self.assertNotIn("LastRound", story)
            self.assertLessEqual(story.count("EndOfRound"), 10)

    def test_turns_are_told_with_their_round(self) -> None:
        """The round of each turn is the number of planning phases so far, from 1."""
        master = Eriantys().new_master(2, {}, Dice(4))
        rng = random.Random(4)
        rounds = []
        while (choice := any_action(master, rng)) is not None:
            said = master.act(*choice, now=0)
            rounds += [to.event.round for to in said if isinstance(to.event, StartOfTurn)]
        self.assertEqual(rounds, sorted(rounds))
        self.assertEqual([rounds.count(number) for number in (1, 2, 3)], [3, 2, 2])
