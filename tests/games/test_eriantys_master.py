"""The Eriantys master: what all masters do, whole games at random, and what each seat is told."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.actions import (
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    PlayAssistant,
    UseCharacter,
)
from gamehost.games.eriantys.events import (
    AskAssistant,
    AskCloud,
    AskDestination,
    AskSteps,
    AskStudent,
    AskTower,
    AskWizard,
    Board,
    Situation,
)
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Tower
from gamehost.master import Seat
from tests.games.eriantys_player import any_action, flaws
from tests.games.eriantys_table import Dice
from tests.master_contract import MasterContract, Step
from tests.properties import PropertyCase

FAR = 10**30


class EriantysContract(MasterContract):
    """How Eriantys is played at random, rightly and wrongly."""

    game = Eriantys()
    seat_counts: Sequence[int] = (2, 3, 4)
    most_steps = 250

    def legal(self, master: Any, luck: random.Random) -> tuple[Seat, Any] | None:
        return any_action(master, luck)

    def play(self, seats: int, luck: random.Random, steps: int, **more: str) -> tuple[Any, list[Step]]:
        # A game takes hundreds of choices: drawn one by one as part of the example they would take most of the time.
        return super().play(seats, random.Random(luck.getrandbits(32)), steps, **more)

    def illegal(self, master: EriantysMaster, luck: random.Random) -> Sequence[tuple[Seat, Any]]:
        request = master.request
        right = any_action(master, luck, liking=0)
        if request is None or right is None:
            return [(Seat(0), ChooseStudent(None)), (Seat(1), UseCharacter(1))]
        seat, action = right
        other = Seat((seat + 1) % 2)
        wrong: list[Any] = []
        match request:
            case AskTower():
                wrong = [ChooseTower(tower) for tower in Tower if tower >= len(request.left) or not request.left[tower]]
            case AskWizard():
                wrong = [
                    ChooseWizard(number) for number in (-1, 0, 5, FAR, 1, 2, 3, 4) if number not in request.wizards
                ]
            case AskAssistant():
                wrong = [PlayAssistant(number) for number in range(-1, 13) if number not in request.hand]
            case AskStudent():
                wrong = [ChooseStudent(None), ChooseDestination(0)]
            case AskDestination():
                wrong = [ChooseStudent(None), ChooseSteps(1)]
            case AskSteps():
                wrong = [ChooseSteps(-FAR), ChooseSteps(0), ChooseSteps(request.most + 1), ChooseDestination(1)]
            case AskCloud():
                wrong = [ChooseCloud(number) for number in range(-1, 6) if number not in request.clouds]
        return [(other, action), (other, UseCharacter(1)), *((seat, each) for each in wrong), (seat, UseCharacter(13))]


class NormalMasterTests(EriantysContract, PropertyCase):
    """The master of the normal game."""


class ExpertMasterTests(EriantysContract, PropertyCase):
    """The master of the expert game."""

    settings: Mapping[str, str] = {"expert": "yes"}


class ClockwiseMasterTests(EriantysContract, PropertyCase):
    """The master of the expert game in which planning goes around the table."""

    settings: Mapping[str, str] = {"expert": "yes", "planning_order": "clockwise"}
    seat_counts = (3, 4)
    most_steps = 100


class WholeGamesTests(SynchronousTestCase):
    """Games at random to their ends, every position looked at."""

    def play(self, seats: int, seed: int, **settings: str) -> EriantysMaster:
        """A whole game; every position and every board on the way is checked."""
        luck = random.Random(seed)
        master = Eriantys().new_master(seats, settings, Dice(seed))
        said = list(master.begin(0))
        for _ in range(2000):
            for to in said:
                if isinstance(to.event, Board):
                    self.assertEqual(self.students_on(to.event), 130)
            state = master._state
            if isinstance(state, Play):
                self.assertEqual(flaws(state), [])
            choice = any_action(master, luck)
            if choice is None:
                return master
            said = list(master.act(*choice, now=0))
        self.fail("a game without an end")

    def students_on(self, board: Board) -> int:
        heaps = [island.students for island in board.islands]
        heaps += [school.entrance for school in board.schools] + [school.dining for school in board.schools]
        heaps += [*board.clouds, *(card.students for card in board.cards)]
        return board.bag + sum(map(sum, heaps))

    def test_random_games_of_all_kinds_end_well(self) -> None:
        """Games of two, three and four, normal and expert, keep every invariant and end with a winner and a reason."""
        for seats in (2, 3, 4):
            for expert in ("no", "yes"):
                for seed in range(12):
                    master = self.play(seats, seed, expert=expert)
                    result = master.result
                    assert result is not None
                    self.assertTrue(result.winners)
                    self.assertTrue(result.why)
                    self.assertIs(master.request, None)


class ViewTests(SynchronousTestCase):
    """Who may see what."""

    def test_hands_are_for_their_players(self) -> None:
        """A hand is in its own player's request and in no event for others, and a watcher has no request."""
        luck = random.Random(3)
        master = Eriantys().new_master(3, {"expert": "yes"}, Dice(3))
        said = list(master.begin(0))
        for _ in range(120):
            for to in said:
                if isinstance(to.event, AskAssistant):
                    self.assertEqual(to.audience, (to.event.seat,))
            choice = any_action(master, luck)
            assert choice is not None
            for seat in (None, Seat(0), Seat(1), Seat(2)):
                view = master.view(seat)
                assert isinstance(view, Situation)
                self.assertEqual(view.request, master.request if seat == choice[0] else None)
            said = list(master.act(*choice, now=0))

    def test_before_the_deal_there_is_no_board(self) -> None:
        """Whoever comes in while teams are chosen is told of the match and the request only."""
        master = Eriantys().new_master(2, {}, Dice(1))
        master.begin(0)
        view = master.view(Seat(0))
        assert isinstance(view, Situation)
        self.assertIs(view.board, None)
        self.assertIsInstance(view.request, AskTower)
