"""The contracts of games and their messages: each of these faults of a game is found by a test of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, IllegalAction, Seat, To
from gamehost.games.messages import SameMessages
from gamehost.testing.master_contract import SeededChance
from tests.kit.plugin_games import (
    FLEET,
    GOMOKU,
    KUHN,
    KUHN_MESSAGES,
    TOWERS,
    Dealt,
    FleetMaster,
    KuhnMaster,
    Say,
    TowersMaster,
    View,
    fleet_tests,
    gomoku_master_tests,
    kuhn_tests,
    towers_tests,
)

Fleet: Any = type(FLEET)
Gomoku: Any = type(GOMOKU)
Kuhn: Any = type(KUHN)
Towers: Any = type(TOWERS)


def failure(contract: type[Any], test: str, **planted: Any) -> str:
    """What a test of a contract says of a fault; nothing: the test passes."""
    case = type("FaultyTests", (contract,), planted)
    result = TestResult()
    case(test).run(result)
    return "".join(str(getattr(one, "value", one)) for _, one in (*result.failures, *result.errors))


class LegalTests(SynchronousTestCase):
    """An action that the master takes is missing in `legal`."""

    TEST = "test_what_is_legal_is_accepted_and_nothing_else"

    def test_a_square_is_left_out(self) -> None:
        class Gap(Gomoku):  # type: ignore[misc]
            def legal(self, view: Any, seat: Seat) -> Iterator[Any]:
                return (point for point in super().legal(view, seat) if str(point) != "a1")

        told = failure(gomoku_master_tests.MasterTests, self.TEST, game=Gap())
        self.assertIn("the master takes", told)
        self.assertIn("`legal` leaves it out", told)

    def test_a_word_is_left_out_that_no_match_has(self) -> None:
        """No random match has the action, and its notation is near no other one. The messages of the game have it."""

        class Honest(Kuhn):  # type: ignore[misc]
            def legal(self, view: View, seat: Seat) -> Iterator[Say]:
                return (say for say in super().legal(view, seat) if say.word != "bet")

        self.assertIn("Say(word='bet')", failure(kuhn_tests.MasterTests, self.TEST, game=Honest()))

    def test_a_rare_action_is_left_out(self) -> None:
        """Where actions are no messages, the author names what is rare."""

        class Honest(Kuhn):  # type: ignore[misc]
            def legal(self, view: View, seat: Seat) -> Iterator[Say]:
                return (say for say in super().legal(view, seat) if say.word != "bet")

        planted = {"game": Honest(), "drawn": lambda self, data: ()}
        self.assertEqual(failure(kuhn_tests.MasterTests, self.TEST, **planted), "")
        planted["rare"] = lambda self, master: [Say("bet")]
        self.assertIn("Say(word='bet')", failure(kuhn_tests.MasterTests, self.TEST, **planted))

    def test_more_is_listed_than_the_master_takes(self) -> None:
        class Bold(Kuhn):  # type: ignore[misc]
            def legal(self, view: View, seat: Seat) -> Iterator[Say]:
                return iter(
                    [*super().legal(view, seat), *([Say("fold")] if view.turn == seat and not view.said else [])]
                )

        self.assertIn("the master refuses Say(word='fold')", failure(kuhn_tests.MasterTests, self.TEST, game=Bold()))


def played_by(master: type[KuhnMaster]) -> Any:
    """The game with another master."""

    class Planted(Kuhn):  # type: ignore[misc]
        def new_master(self, *given: Any) -> KuhnMaster:
            made = super().new_master(*given)
            return master(made.rounds, made.move_time, made.chance, made.view_of_all)

        def determinized(self, *given: Any) -> KuhnMaster:
            made = super().determinized(*given)
            return master(made.rounds, 0, made.chance, made.view_of_all, made.cards)

    return Planted()


class WatcherTests(SynchronousTestCase):
    TEST = "test_watchers_receive_what_is_public_and_no_secret"

    def planted(self, master: type[KuhnMaster]) -> str:
        game = played_by(master)

        def twins(self: Any, master: Any, seat: Seat, rng: Any) -> Sequence[Any]:
            return [game.determinized(master.view(seat), seat, SeededChance(rng.randrange(100)))]

        return failure(kuhn_tests.MasterTests, self.TEST, game=game, twins=twins)

    def test_sound_games_pass(self) -> None:
        self.assertEqual(self.planted(KuhnMaster), "")

    def test_everything_is_addressed_to_the_seats(self) -> None:
        def addressed(events: Sequence[To[Any]]) -> Sequence[To[Any]]:
            return [To(to.event, (Seat(0), Seat(1)) if to.audience is None else to.audience) for to in events]

        class Deaf(KuhnMaster):
            def begin(self, now: int) -> Any:
                return addressed(super().begin(now))

            def act(self, seat: Seat, action: Say, now: int) -> Any:
                return addressed(super().act(seat, action, now))

        self.assertIn("all events have an audience", self.planted(Deaf))

    def test_a_watcher_sees_a_secret(self) -> None:
        class Open(KuhnMaster):
            def view(self, seat: Seat | None) -> View:
                return super().view(Seat(0) if seat is None else seat)

        self.assertIn("a watcher sees what seat 1 must not know", self.planted(Open))

    def test_a_public_event_without_a_message(self) -> None:
        """Seats receive something else with it, and watchers wait for ever."""

        class Reminding(KuhnMaster):
            def act(self, seat: Seat, action: Say, now: int) -> Any:
                mine = [To(Dealt(self.cards[one]), (Seat(one),)) for one in (0, 1)]
                return [*mine, *super().act(seat, action, now)]

        class Silent(SameMessages):
            def event(self, event: Any) -> Any:
                return event if isinstance(event, Dealt) else None

        class Player(kuhn_tests.MasterTests):
            game = played_by(Reminding)

        types = (KUHN_MESSAGES.view_type, KUHN_MESSAGES.event_type, KUHN_MESSAGES.action_type)
        for messages, expected in ((KUHN_MESSAGES, ""), (Silent(*types), "a watcher sees a change")):
            told = failure(
                kuhn_tests.MessagesTests, "test_who_sees_a_change_is_told_an_event", messages=messages, player=Player()
            )
            self.assertIn(expected, told)
            self.assertEqual(bool(told), bool(expected))


class LongMatchTests(SynchronousTestCase):
    def test_a_failure_is_not_made_smaller(self) -> None:
        """A failure of a long match is printed with its actions. Looking for a shorter one would take minutes."""
        illegal = "test_refusal_changes_nothing"
        played = []

        class Wrong(gomoku_master_tests.MasterTests):
            def illegal(self, master: Any, rng: Any) -> Any:
                played.append(master)
                return [(Seat(0), GOMOKU.read(b"a1"))]

        self.assertIn("actions, each with its seat: ", failure(Wrong, illegal))
        self.assertLess(len(played), 60)


class UsualMistakesTests(SynchronousTestCase):
    """Mistakes of two whole games, one with secrets and one without. Each is found by one test of the contract."""

    def fleet(self, test: str, game: Any = FLEET, **planted: Any) -> str:
        """What the contract says of Fleet with other methods of its master."""
        planted_master: Any = type("Planted", (FleetMaster,), planted)

        class Planted(Fleet):  # type: ignore[misc]
            def new_master(self, *given: Any) -> Any:
                return self._planted(game.new_master(*given))

            def determinized(self, *given: Any) -> Any:
                return self._planted(game.determinized(*given))

            def _planted(self, made: Any) -> Any:
                return planted_master(made.move_time, made.public, made.fleets)

        one = Planted()

        def twins(contract: Any, master: Any, seat: Seat, rng: Any) -> Sequence[Any]:
            given = master.view(seat), seat, SeededChance(rng.randrange(100))
            return [one.determinized(*given)] if master.result is None else []

        return failure(fleet_tests.MasterTests, test, game=one, twins=twins)

    def towers(self, test: str, **planted: Any) -> str:
        planted_master: Any = type("Planted", (TowersMaster,), planted)

        class Planted(Towers):  # type: ignore[misc]
            def new_master(self, *given: Any) -> Any:
                made = super().new_master(*given)
                return planted_master(made.known, made.move_time)

        return failure(towers_tests.MasterTests, test, game=Planted())

    def test_the_games_are_sound(self) -> None:
        for test in (
            "test_somebody_can_act_until_the_end",
            "test_refusal_changes_nothing",
            "test_a_seat_that_gets_the_turn_has_its_whole_time",
        ):
            self.assertEqual(self.fleet(test), "")
            self.assertEqual(self.towers(test), "")

    def test_state_without_the_secret(self) -> None:
        told = self.fleet(WatcherTests.TEST, state=lambda master: master.public)
        self.assertIn("`state` lacks what a seat sees", told)

    def test_state_without_the_turn(self) -> None:
        told = self.towers("test_the_state_says_whose_turn_it_is", state=lambda master: master.known.board)
        self.assertIn("`state` lacks whose turn it is", told)

    def test_long_moves_are_left_out(self) -> None:
        class Short(Towers):  # type: ignore[misc]
            def legal(self, view: Any, seat: Seat) -> Iterator[Any]:
                return (move for move in super().legal(view, seat) if abs(int(move.way[1]) - int(move.way[4])) < 3)

        told = failure(towers_tests.MasterTests, LegalTests.TEST, game=Short())
        self.assertIn("`legal` leaves it out", told)

    def test_an_action_that_raises(self) -> None:
        def act(master: Any, seat: Seat, action: Any, now: int) -> Any:
            master.known.board[-int(action.way[1])][ord(action.way[0]) - ord("a")]
            return TowersMaster.act(master, seat, action, now)

        told = self.towers(LegalTests.TEST, act=act)
        self.assertIn("index out of range') for Move(way='", told)

    def test_a_refusal_buys_time(self) -> None:
        def act(master: Any, seat: Seat, action: Any, now: int) -> Any:
            master._set_deadline(now)
            return TowersMaster.act(master, seat, action, now)

        self.assertIn("-  10201,\n+  10000,", self.towers("test_refusal_changes_nothing", act=act))

    def test_a_refusal_tells_the_secret(self) -> None:
        def shoot(master: Any, seat: Seat, action: Any) -> Any:
            try:
                return FleetMaster._shoot(master, seat, action)
            except IllegalAction as refusal:
                raise IllegalAction(f"{refusal}: {master.fleets}") from None

        self.assertIn("a refusal tells seat", self.fleet("test_refusal_changes_nothing", _shoot=shoot))

    def test_a_refused_action_has_changed_something(self) -> None:
        def shoot(master: Any, seat: Seat, action: Any) -> Any:
            try:
                return FleetMaster._shoot(master, seat, action)
            except IllegalAction:
                master.fleets[seat] = tuple(sorted(master.fleets[seat], reverse=True))
                raise

        self.assertIn("a refused action has changed the master", self.fleet(LegalTests.TEST, _shoot=shoot))

    def test_a_determinization_that_no_match_can_have(self) -> None:
        class Blind(Fleet):  # type: ignore[misc]
            def determinized(self, view: Any, seat: Seat, chance: Any) -> Any:
                empty = tuple("." * len(row) for row in view.board)
                made = FLEET.determinized(replace(view, board=empty), seat, chance)
                made.public = FLEET.determinized(view, seat, chance).public
                return made

        told = self.fleet("test_somebody_can_act_until_the_end", Blind())
        self.assertIn("after `determinized` comes a match without an end", told)

    def test_no_end_for_one_seat(self) -> None:
        def act(master: Any, seat: Seat, action: Any, now: int) -> Any:
            told = TowersMaster.act(master, seat, action, now)
            master.result = None if seat == 1 else master.result
            return told

        self.assertIn("no seat has an action", self.towers("test_somebody_can_act_until_the_end", act=act))

    def test_who_has_no_time_left_wins(self) -> None:
        def expire(master: Any, now: int) -> Any:
            return master._lost(Seat(1 - master.known.turn), Cause.TIME, "the time ran out")

        told = self.towers("test_deadline_is_move_time_after_each_decision", expire=expire)
        self.assertIn("the seat that has not acted in time wins", told)

    def test_the_time_of_the_first_move_is_that_of_all(self) -> None:
        def once(master: Any, now: int) -> None:
            if master.deadline is None or master.result is not None:
                TowersMaster._set_deadline(master, now)

        told = self.towers("test_a_seat_that_gets_the_turn_has_its_whole_time", _set_deadline=once)
        self.assertIn("10000 not greater than or equal to", told)
