"""The Eriantys master: what all masters do, whole games at random, what each seat is told, pictures and messages."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat, To
from gamehost.games.eriantys import events
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
    StartOfTurn,
    UseCharacter,
    Won,
    read,
)
from gamehost.games.eriantys.master import ERIANTYS, Eriantys, EriantysMaster
from gamehost.games.eriantys.messages import MESSAGES
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import ASSISTANTS, Character, Colour, Island, Status, Tower, evolve
from gamehost.journal.notation import picture
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract, Step
from gamehost.testing.messages_contract import MessagesContract
from tests import share
from tests.kit.drawn_matches import NAMES, PictureContract, record_of, words
from tests.kit.games.eriantys import Dice, acting, any_action, flaws, names, rich, students, with_dining

FAR = 10**30


class EriantysContract(MasterContract):
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
    pass


class ExpertMasterTests(EriantysContract, PropertyCase):
    settings: Mapping[str, str] = {"expert": "yes"}


class ClockwiseMasterTests(EriantysContract, PropertyCase):
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
            master._state, master.result = play, None
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
        full = students(yellow=10, blue=10, green=4, red=0, pink=1)
        for character in Character:
            for coins in (1, 6):
                position = with_dining(rich(character, coins=coins), 0, full)
                for stage in (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3):
                    self.check(acting(position, stage))

    def test_empty_cards(self) -> None:
        for character in Character:
            position = with_dining(rich(character), 0, students())
            card = position.card(character)
            assert card is not None
            position = position.with_card(evolve(card, students=students(), no_entry_tiles=0))
            if character is not Character.JESTER:
                self.check(acting(position))


class WholeGamesTests(SynchronousTestCase):
    def play(self, seats: int, seed: int, **settings: str) -> EriantysMaster:
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
        for seats in (2, 3, 4):
            for expert in ("no", "yes"):
                for seed in range(share(3, 12)):
                    master = self.play(seats, seed, expert=expert)
                    result = master.result
                    assert result is not None
                    self.assertTrue(result.winners)
                    self.assertTrue(result.why)
                    self.assertIs(master.request, None)


class ViewTests(SynchronousTestCase):
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
    def test_set_up_word_for_word(self) -> None:
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
        error = self.refused(self.begun(expert="yes"), 0, UseCharacter(3))
        self.assertEqual((error.fault, error.ask_again), (RuleFault.INVALID_ACTION, False))

    def test_after_the_end(self) -> None:
        master = self.begun()
        master.forfeit(Seat(0), 5)
        error = self.refused(master, 1, ChooseTower(Tower.BLACK))
        self.assertEqual((error.fault, error.ask_again), (RuleFault.INVALID_ACTION, False))

    def test_seats_out_of_range(self) -> None:
        for seats in (0, 1, 5):
            error = self.assertRaises(BadOption, Eriantys().new_master, seats, {}, Dice(1))
            self.assertIn("seats", str(error))

    def test_settings_are_read(self) -> None:
        for name, text in (("expert", "maybe"), ("planning_order", "random"), ("planning_order", "")):
            error = self.assertRaises(BadOption, Eriantys().check, {name: text})
            self.assertIn(name, str(error))


class DeadlineTests(SynchronousTestCase):
    def test_half_a_student_move_buys_no_time(self) -> None:
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
        master = Eriantys().new_master(2, {"move_time": "10"}, Dice(1))
        master.begin(0)
        master.act(Seat(0), ChooseTower(Tower.BLACK), 5)
        self.assertEqual(names(master.expire(10_005)), ["WIN 0", "LOSE 1", "Won", "Closing"])
        result = master.result
        assert result is not None
        self.assertEqual((result.winners, result.cause), ((0,), Cause.TIME))


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
    def story(self, seats: int, seed: int) -> list[str]:
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, {}, Dice(seed))
        said = [*master.begin(0)]
        while (choice := any_action(master, rng)) is not None:
            said += master.act(*choice, now=0)
        return [name.split()[0] for name in names(said)]

    def test_every_match_follows_the_scenario(self) -> None:
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
        for seed in range(8):
            story = self.story(2, seed)
            self.assertNotIn("LastRound", story)
            self.assertLessEqual(story.count("EndOfRound"), 10)

    def test_turns_are_told_with_their_round(self) -> None:
        master = Eriantys().new_master(2, {}, Dice(4))
        rng = random.Random(4)
        rounds = []
        while (choice := any_action(master, rng)) is not None:
            said = master.act(*choice, now=0)
            rounds += [to.event.round for to in said if isinstance(to.event, StartOfTurn)]
        self.assertEqual(rounds, sorted(rounds))
        self.assertEqual([rounds.count(number) for number in (1, 2, 3)], [3, 2, 2])


class PictureTests(PictureContract, PropertyCase):
    player = ExpertMasterTests()
    seat_counts = (2, 3, 4)

    def test_before_the_deal(self) -> None:
        drawn = picture(ERIANTYS, record_of(self.player, 1, 1))
        self.assertIn("Nothing is dealt yet: the players choose teams and wizards.", words(drawn))
        self.assertIn("bob is to move.", words(drawn))

    def test_everything_visible(self) -> None:
        for seats in (2, 3, 4):
            shown = words(picture(ERIANTYS, record_of(self.player, seats, 60, seats)))
            for name in NAMES[:seats]:
                self.assertIn(name, shown)
            self.assertTrue(any("students in the bag" in line for line in shown))
            self.assertEqual(sum("coin" in line and ":" in line for line in shown), 3, "characters")
            self.assertIn("1", shown, "an island")

    def test_the_story(self) -> None:
        shown = words(picture(ERIANTYS, record_of(self.player, 2, 60)))
        self.assertTrue(any(": assistant " in line for line in shown))
        self.assertTrue(any("mother " in line for line in shown))

    def test_the_end(self) -> None:
        shown = words(picture(ERIANTYS, record_of(self.player, 2, 600)))
        self.assertTrue(any(" won: " in line for line in shown), shown)
        self.assertTrue(any(line.endswith(", won") for line in shown))


ONE = Seat(1)


def text(event: Any) -> str:
    return msgspec.json.encode(MESSAGES.event(event)).decode()


#: The set-up goes from seat to seat by questions.
SET_UP: Mapping[type, str] = {
    kind: "the next question names the teams, or the first board all; who waits has nothing to do before"
    for kind in (events.TowerChosen, events.WizardChosen)
}


class NormalMessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = NormalMasterTests()
    untold = SET_UP


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = ExpertMasterTests()
    untold = SET_UP

    def test_requests(self) -> None:
        heap = (0, 1, 0, 2, 0)
        for ask, expected in (
            (
                events.AskTower(ONE, (1, 0), ((), (Seat(0),))),
                '{"kind":"ask-tower","seat":1,"availableTowers":{"black":1,"white":0},'
                '"currentTeams":{"black":[],"white":[0]}}',
            ),
            (events.AskWizard(ONE, (2, 4)), '{"kind":"ask-wizard","seat":1,"availableWizards":[2,4]}'),
            (
                events.AskAssistant(ONE, (3, 9), ((Seat(0), 5),)),
                '{"kind":"ask-assistant","seat":1,"availableAssistants":[3,9],"playedAssistants":[[0,5]]}',
            ),
            (events.AskStudent(ONE, heap), '{"kind":"ask-student","seat":1,"students":["blue","red","red"]}'),
            (
                events.AskDestination(ONE, 12, True),
                '{"kind":"ask-destination","seat":1,"islands":12,"diningRoom":true}',
            ),
            (events.AskSteps(ONE, 3), '{"kind":"ask-steps","seat":1,"maxStepsAllowed":3}'),
            (events.AskCloud(ONE, (0, 1)), '{"kind":"ask-cloud","seat":1,"clouds":[0,1]}'),
            (
                events.AskCardStudent(ONE, heap, True),
                '{"kind":"ask-card-student","seat":1,"students":["blue","red","red"],"mayStop":true}',
            ),
            (events.AskColour(ONE), '{"kind":"ask-colour","seat":1}'),
        ):
            self.assertEqual(text(ask), expected)
        for answer in ("tower black", "wizard 2", "assistant 3", "student red", "student none", "steps 1", "cloud 0"):
            self.assertTrue(read(answer.encode()))

    def test_events(self) -> None:
        island = Island((3, 4), (0, 0, 0, 1, 0), Tower.GREY, 2)
        students = '{"yellow":0,"blue":0,"green":0,"red":1,"pink":0}'
        shown = f'"number":3,"members":[3,4],"students":{students},"tower":"grey","towers":2,"noEntryTiles":0'
        for event, expected in (
            (events.MatchStarted(3, True), '{"kind":"started","seats":3,"expert":true}'),
            (events.Success(ONE), '{"kind":"success","seat":1}'),
            (
                events.Denied(ONE, RuleFault.FULL_DINING_ROOM, "full"),
                '{"kind":"denied","seat":1,"error":"FULL_DINING_ROOM","detail":"full"}',
            ),
            (events.PlayerStatus(ONE, Status.MOVE_2), '{"kind":"status","seat":1,"playerStatus":"MOVE_2"}'),
            (events.StartOfTurn(4, ONE), '{"kind":"start-of-turn","round":4,"seat":1}'),
            (events.PlayedAssistant(ONE, 9), '{"kind":"played-assistant","seat":1,"assistant":9}'),
            (events.PlayedCharacter(ONE, Character.MONK), '{"kind":"played-character","seat":1,"character":1}'),
            (events.IslandOwner(3, island, None), f'{{"kind":"island-owner","island":{{{shown}}},"owner":null}}'),
            (events.NoEntryUsed(7), '{"kind":"no-entry-used","island":7}'),
            (events.Unified(), '{"kind":"unified"}'),
            (events.LastRound(), '{"kind":"last-round"}'),
            (events.EndOfTurn(4, ONE), '{"kind":"end-of-turn","round":4,"seat":1}'),
            (events.EndOfRound(4), '{"kind":"end-of-round","round":4}'),
            (
                events.Won(Tower.WHITE, (ONE,), "towers", ONE),
                '{"kind":"won","team":"white","seats":[1],"why":"towers"}',
            ),
        ):
            self.assertEqual(text(event), expected)
        self.assertIs(MESSAGES.event(events.Closing()), None)
        self.assertIs(MESSAGES.event(events.Situation(events.MatchStarted(2, False))), None)

    def test_before_the_deal(self) -> None:
        master = Eriantys().new_master(3, {}, Dice(1))
        master.begin(0)
        master.act(Seat(0), ChooseTower(Tower.WHITE), 0)
        self.assertEqual(
            self.shown(master),
            {
                **{"seats": 3, "expert": False, "board": None, "turn": 1, "statuses": ["WAITING"] * 3},
                **{"teams": {"black": [], "white": [0], "grey": []}, "request": None, "won": None},
            },
        )
        situation: Any = master.view(ONE)
        self.assertEqual(
            getattr(MESSAGES.view(situation).request, "availableTowers", None), {"black": 1, "white": 0, "grey": 1}
        )

    def test_after_the_deal(self) -> None:
        shown = self.shown(self.player.play(2, random.Random(1), 8)[0])
        board = shown["board"]
        self.assertEqual((len(board["players"]), len(board["islands"]), len(board["clouds"])), (2, 12, 2))
        self.assertEqual([len(card) for card in board["characters"]], [5, 5, 5])
        self.assertEqual((sorted(board["order"]), board["coinsSupply"]), ([0, 1], 18))
        self.assertEqual(shown["statuses"].count("WAITING"), 1)

    def test_the_end(self) -> None:
        master = Eriantys().new_master(3, {}, Dice(1))
        master.begin(0)
        master.forfeit(ONE, 0)
        shown = self.shown(master)
        self.assertEqual((shown["turn"], shown["statuses"]), (None, ["WIN", "LOSE", "WIN"]))
        self.assertEqual((shown["won"]["kind"], shown["won"]["seats"]), ("won", [0, 2]))

    @given(st.integers(0, 10_000), st.sampled_from((2, 3, 4)))
    def test_a_watcher_sees_what_all_players_were_told_of_their_turns(self, seed: int, seats: int) -> None:
        """`statuses` are those last told to each player, and `turn` is who has the open request."""
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, {"expert": "yes"}, Dice(seed))
        statuses = ["WAITING"] * seats
        said = list(master.begin(0))
        for _ in range(60):
            for to in said:
                if isinstance(to.event, events.PlayerStatus):
                    statuses[to.event.seat] = to.event.status.value
            situation: Any = master.view(None)
            view = MESSAGES.view(situation)
            request = master.request
            self.assertEqual((view.statuses, view.turn), (statuses, None if request is None else request.seat))
            choice = any_action(master, rng)
            if choice is None:
                break
            said = list(master.act(*choice, now=0))


del MessagesContract, PictureContract
