"""The Eriantys master: what all masters do, whole games at random, and what each seat is told."""

import random
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat, To
from gamehost.games.eriantys.events import (
    Action,
    AskAssistant,
    AskCloud,
    AskDestination,
    AskSteps,
    AskStudent,
    AskTower,
    AskWizard,
    Board,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    Denied,
    IllegalChoice,
    PlayAssistant,
    RuleFault,
    Situation,
    UseCharacter,
    Won,
)
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import ASSISTANTS, Character, Colour, Status, Tower, evolve
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract, Step
from tests.kit.games.eriantys import Dice, acting, any_action, flaws, names, rich, students, with_dining

FAR = 10**30


class EriantysContract(MasterContract):
    """How Eriantys is played at random, rightly and wrongly."""

    game = Eriantys()
    seat_counts: Sequence[int] = (2, 3, 4)
    most_steps = 250

    def legal(self, master: Any, rng: random.Random) -> tuple[Seat, Any] | None:
        return any_action(master, rng)

    def match(self, seats: int, rng: random.Random, steps: int, **more: str) -> Iterator[tuple[Any, Step]]:
        # A game takes hundreds of choices: drawn one by one as part of the example they would take most of the time.
        return super().match(seats, random.Random(rng.getrandbits(32)), steps, **more)

    def denied(self, events: Sequence[To[Any]]) -> bool:
        return any(isinstance(to.event, Denied) for to in events)

    def twins(self, master: EriantysMaster, seat: Seat, rng: random.Random) -> Sequence[Any]:
        """The others have other assistants, as many as they had."""
        twin, state = deepcopy(master), master._state
        if isinstance(state, Play):
            hands = [
                hand if other == seat else tuple(sorted(rng.sample(ASSISTANTS, len(hand))))
                for other, hand in enumerate(state.position.hands)
            ]
            twin._state = evolve(state, position=evolve(state.position, hands=tuple(hands)))
        return [twin]

    def illegal(self, master: EriantysMaster, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        request = master.request
        right = any_action(master, rng, liking=0)
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


#: All that can be said at all.
EVERYTHING: Sequence[Action] = (
    *map(ChooseTower, Tower),
    *map(ChooseWizard, range(6)),
    *map(PlayAssistant, range(12)),
    *map(ChooseStudent, (*Colour, None)),
    *map(ChooseDestination, range(-1, 14)),
    *map(ChooseSteps, range(9)),
    *map(ChooseCloud, range(-1, 5)),
    *map(UseCharacter, range(14)),
)


class LegalTests(SynchronousTestCase):
    """What is legal, of everything that can be said, where a game at random seldom comes."""

    def check(self, play: Play) -> None:
        """In a position, and wherever one or two of the listed actions lead to in the same turn."""
        master = Eriantys().new_master(2, {"expert": "yes"}, Dice(1))
        self.look(master, play, deep=2)

    def look(self, master: EriantysMaster, play: Play, deep: int) -> None:
        legal = []
        for action in EVERYTHING:
            master._state, master._result = play, None
            seat = play.position.seat
            view: Any = master.view(seat)
            listed = list(Eriantys().legal(view, seat))
            try:
                accepted = not any(isinstance(to.event, Denied) for to in master.act(seat, action, 0))
            except IllegalChoice:
                accepted = False
            self.assertEqual(action in listed, accepted, action)
            if accepted and isinstance(master._state, Play) and master._state.position.seat == seat:
                legal.append(master._state)
        for following in legal[:: 1 + len(legal) // 5] if deep else ():
            self.look(master, following, deep - 1)

    def test_full_tables(self) -> None:
        """No student sits down at a full table, not by a swap either; coins and students on cards run out."""
        full = students(yellow=10, blue=10, green=4, red=0, pink=1)
        for character in Character:
            for coins in (1, 6):
                position = with_dining(rich(character, coins=coins), 0, full)
                for stage in (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3):
                    self.check(acting(position, stage))

    def test_empty_cards(self) -> None:
        """A character that needs something on its card, or in the dining room, cannot be used without."""
        for character in Character:
            position = with_dining(rich(character), 0, students())
            card = position.card(character)
            assert card is not None
            position = position.with_card(evolve(card, students=students(), no_entry_tiles=0))
            if character is not Character.JESTER:
                self.check(acting(position))


class WholeGamesTests(SynchronousTestCase):
    """Games at random to their ends, every position looked at."""

    def play(self, seats: int, seed: int, **settings: str) -> EriantysMaster:
        """A whole game; every position and every board on the way is checked."""
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, settings, Dice(seed))
        said = list(master.begin(0))
        for _ in range(2000):
            for to in said:
                if isinstance(to.event, Board):
                    self.assertEqual(self.students_on(to.event), 130)
            state = master._state
            if isinstance(state, Play):
                self.assertEqual(flaws(state), [])
            choice = any_action(master, rng)
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
        rng = random.Random(3)
        master = Eriantys().new_master(3, {"expert": "yes"}, Dice(3))
        said = list(master.begin(0))
        for _ in range(120):
            for to in said:
                if isinstance(to.event, AskAssistant):
                    self.assertEqual(to.audience, (to.event.seat,))
            choice = any_action(master, rng)
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


class ScriptTests(SynchronousTestCase):
    """What is said from the beginning to the first move, and at the end."""

    def test_set_up_word_for_word(self) -> None:
        """Teams and wizards are asked for in the order of the seats; the last answer deals and opens round 1."""
        master = Eriantys().new_master(2, {}, Dice(5))
        self.assertEqual(names(master.begin(0)), ["MatchStarted", "AskTower 0"])
        self.assertEqual(names(master.act(Seat(0), ChooseTower(Tower.WHITE), 1)), ["Success 0", "AskTower 1"])
        self.assertEqual(names(master.act(Seat(1), ChooseTower(Tower.BLACK), 2)), ["Success 1", "AskWizard 0"])
        self.assertEqual(names(master.act(Seat(0), ChooseWizard(2), 3)), ["Success 0", "AskWizard 1"])
        say = master.act(Seat(1), ChooseWizard(1), 4)
        first = master.request
        assert first is not None
        asked = [f"PLANNING {first.seat}", f"AskAssistant {first.seat}"]
        self.assertEqual(names(say), ["Success 1", "Board", "StartOfTurn", "Board", *asked])
        boards = [to.event for to in say if isinstance(to.event, Board)]
        self.assertEqual([(board.round, board.bag) for board in boards], [(0, 106), (1, 100)])
        self.assertEqual(boards[0].mother_nature, 1)

    def test_end_word_for_word(self) -> None:
        """A match that ends by the rules: every seat's outcome, the winner, and that was it."""
        rng = random.Random(8)
        master = Eriantys().new_master(4, {"expert": "yes"}, Dice(8))
        said = list(master.begin(0))
        while (choice := any_action(master, rng)) is not None:
            said = list(master.act(*choice, now=0))
        result = master.result
        assert result is not None
        outcomes = [f"{'WIN' if seat in result.winners else 'LOSE'} {seat}" for seat in range(4)]
        self.assertEqual(names(said)[-6:], [*outcomes, "Won", "Closing"])
        won = said[-2].event
        assert isinstance(won, Won)
        self.assertEqual((won.seats, won.why, won.seat), (result.winners, result.why, result.winners[0]))
        self.assertIs(result.cause, Cause.RULES)

    def test_shared_victory_names_nobody_alone(self) -> None:
        """D-R9: a shared victory has no team and no single winner, and all tied seats win."""
        master = Eriantys().new_master(3, {}, Dice(1))
        master.begin(0)
        said = master.forfeit(Seat(1), 0)
        self.assertEqual(names(said), ["WIN 0", "LOSE 1", "WIN 2", "Won", "Closing"])
        won = said[3].event
        assert isinstance(won, Won)
        self.assertEqual((won.team, won.seat, won.seats), (None, None, (0, 2)))


class RefusalTests(SynchronousTestCase):
    """Refusals that are the master's own."""

    def begun(self, **settings: str) -> EriantysMaster:
        master = Eriantys().new_master(2, settings, Dice(2))
        master.begin(0)
        return master

    def refused(self, master: EriantysMaster, seat: int, action: Any) -> IllegalChoice:
        error = self.assertRaises(IllegalChoice, master.act, Seat(seat), action, 9)
        assert isinstance(error, IllegalChoice)
        return error

    def test_wrong_turn(self) -> None:
        """Whoever is not asked is told so, whatever they want, and nothing is asked again."""
        for action in (ChooseTower(Tower.BLACK), UseCharacter(3), ChooseStudent(None)):
            error = self.refused(self.begun(), 1, action)
            self.assertEqual((error.fault, error.ask_again), (RuleFault.WRONG_TURN, False))

    def test_characters_are_out_of_place_before_the_deal(self) -> None:
        """While teams are chosen a character is no answer."""
        error = self.refused(self.begun(expert="yes"), 0, UseCharacter(3))
        self.assertEqual((error.fault, error.ask_again), (RuleFault.INVALID_ACTION, False))

    def test_after_the_end(self) -> None:
        """When the match is over nothing is accepted and nothing is asked."""
        master = self.begun()
        master.forfeit(Seat(0), 5)
        error = self.refused(master, 1, ChooseTower(Tower.BLACK))
        self.assertEqual((error.fault, error.ask_again), (RuleFault.INVALID_ACTION, False))

    def test_seats_out_of_range(self) -> None:
        """Nobody plays alone or in fives."""
        for seats in (0, 1, 5):
            error = self.assertRaises(BadOption, Eriantys().new_master, seats, {}, Dice(1))
            self.assertIn("seats", str(error))

    def test_settings_are_read(self) -> None:
        """What is neither yes nor no, and an order that is none, are refused by name."""
        for name, text in (("expert", "maybe"), ("planning_order", "random"), ("planning_order", "")):
            error = self.assertRaises(BadOption, Eriantys().check, {name: text})
            self.assertIn(name, str(error))


class DeadlineTests(SynchronousTestCase):
    """Time for decisions."""

    def test_half_a_student_move_buys_no_time(self) -> None:
        """Neither choosing a student nor losing the choice renews the time; a student that arrives does."""
        rng = random.Random(1)
        master = Eriantys().new_master(2, {"move_time": "10"}, Dice(1))
        master.begin(0)
        now = 0
        while not isinstance(master.request, AskStudent):
            choice = any_action(master, rng)
            assert choice is not None
            now += 1
            master.act(*choice, now=now)
            self.assertEqual(master.deadline, now + 10_000)
        due = now + 10_000
        for _ in range(3):
            request = master.request
            assert isinstance(request, AskStudent)
            colour = next(colour for colour in Colour if request.students[colour])
            master.act(request.seat, ChooseStudent(colour), now + 500)
            self.assertEqual(master.deadline, due)
            said = master.act(request.seat, ChooseDestination(13), now + 1000)
            self.assertEqual(names(said), [f"Denied {request.seat}", f"AskStudent {request.seat}"])
            self.assertEqual(master.deadline, due)
        master.act(request.seat, ChooseStudent(colour), now + 1500)
        master.act(request.seat, ChooseDestination(1), now + 2000)
        self.assertEqual(master.deadline, now + 12_000)

    def test_who_runs_out_of_time_has_left(self) -> None:
        """The seat that was asked loses when the deadline passes."""
        master = Eriantys().new_master(2, {"move_time": "10"}, Dice(1))
        master.begin(0)
        master.act(Seat(0), ChooseTower(Tower.BLACK), 5)
        self.assertEqual(names(master.expire(10_005)), ["WIN 0", "LOSE 1", "Won", "Closing"])
        result = master.result
        assert result is not None
        self.assertEqual((result.winners, result.cause), ((0,), Cause.TIME))
