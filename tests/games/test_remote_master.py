"""The referee of remote games, and the notation."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Cause, IllegalAction, Result, ScriptedChance, Seat, To
from gamehost.games.remote.master import (
    REMOTE,
    Action,
    Ended,
    Finish,
    Gone,
    Move,
    Moved,
    NeverWas,
    Next,
    PutOut,
    Referee,
    StateSaid,
)
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract

ANN, BOB, CID = Seat(0), Seat(1), Seat(2)


class MasterTests(MasterContract, PropertyCase):
    game = REMOTE
    seat_counts = (3, 4, 6)
    settings = {"answer_time": "0"}
    most_steps = 40
    knows_rules = False
    unwatched = "the master of such a match addresses everything itself"

    def legal(self, master: Any, rng: random.Random) -> tuple[Seat, Any] | None:
        """A move of the player whose turn it is, or something that the master may say at any time."""
        view = master.view(None)
        if view.result is not None:
            return None
        content = rng.choice((b"", b"<x/>", "\u00e4{\n".encode()))
        choice = rng.randrange(12)
        if view.turn is not None and choice < 8:
            return view.turn, Move(content)
        if choice == 11:
            results = [(seat, rng.random() < 0.5) for seat in view.inside]
            rng.shuffle(results)
            return master.master, Finish(tuple(results), content)
        if choice == 10:
            return master.master, PutOut(rng.choice(view.inside))
        return master.master, Next(rng.choice(view.inside), content)

    def illegal(self, master: Any, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        view = master.view(None)
        players = [Seat(seat) for seat in range(master.master)]
        out = [seat for seat in players if seat not in view.inside]
        tried: list[tuple[Seat, Any]] = [(seat, Move(b"")) for seat in players if seat != view.turn]
        tried += [(master.master, Next(seat, b"")) for seat in (*out, Seat(63))]
        tried += [(master.master, PutOut(seat)) for seat in (*out, Seat(63))]
        tried += [(master.master, Finish(tuple((seat, True) for seat in view.inside[1:]), b""))]
        tried += [(master.master, Finish(tuple((seat, True) for seat in (*view.inside, view.inside[0])), b""))]
        return [*tried, (master.master, Move(b"")), (ANN, Next(ANN, b"")), (ANN, PutOut(BOB))]

    @given(st.data(), st.randoms(use_true_random=False))
    def test_deadline_is_move_time_after_each_decision(self, data: st.DataObject, rng: random.Random) -> None:
        """As the contract has it while a player has the turn. Then that player alone is out, which may be no end."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        master, played = self.play(seats, rng, data.draw(st.integers(0, self.most_steps)), move_time="2.5")
        view = master.view(None)
        if view.turn is None:
            self.assertIs(master.deadline, None)
            return
        assert master.deadline is not None
        self.assertLessEqual(master.deadline, played[-1].now + 2500)
        master.expire(master.deadline)
        self.assertNotIn(view.turn, master.view(None).inside)
        self.assertEqual(master.result is not None, len(view.inside) == 2)


def begun(players: int = 2, **settings: str) -> Referee:
    master = REMOTE.new_master(players + 1, settings, ScriptedChance())
    assert isinstance(master, Referee)
    master.begin(0)
    master.act(master.master, Next(ANN, b"<s/>"), 0)
    return master


class RefereeTests(PropertyCase):
    def test_a_move_and_a_state(self) -> None:
        master = begun()
        self.assertEqual(master.act(ANN, Move(b"m"), 1), (To(Moved(ANN, b"m"), (Seat(2),)),))
        self.assertRaises(IllegalAction, master.act, ANN, Move(b"m"), 1)
        said = master.act(Seat(2), Next(BOB, b"s"), 2)
        self.assertEqual(said, (To(StateSaid(BOB, b"s"), (ANN, BOB, Seat(2))),))

    def test_the_last_next_player_counts(self) -> None:
        """A master may say states unasked."""
        master = begun()
        master.act(Seat(2), Next(BOB, b""), 1)
        self.assertRaises(IllegalAction, master.act, ANN, Move(b"m"), 1)
        master.act(BOB, Move(b"m"), 1)

    def test_the_end_has_any_number_of_winners_in_the_master_s_order(self) -> None:
        master = begun(3)
        results = ((CID, True), (ANN, False), (BOB, True))
        self.assertEqual(
            master.act(Seat(3), Finish(results, b"x"), 1), (To(Ended(results, b"x"), (ANN, BOB, CID, Seat(3))),)
        )
        self.assertEqual(master.result, Result((BOB, CID), Cause.RULES, "as the master says"))

    def test_one_player_is_left(self) -> None:
        master = begun()
        told = master.forfeit(ANN, 5)
        ended = Ended(((ANN, False), (BOB, True)))
        self.assertEqual(told, [To(Gone(ANN), (Seat(2),)), To(ended, (ANN, BOB, Seat(2)))])
        self.assertEqual(master.result, Result((BOB,), Cause.LEFT, "the others have left"))

    def test_two_players_are_left(self) -> None:
        """It is the master's to go on. If it does not, the rest have won."""
        master = begun(3, answer_time="30")
        told = master.forfeit(ANN, 5)
        self.assertEqual(told, [To(Gone(ANN), (Seat(3),)), To(Ended(((ANN, False),)), (ANN,))])
        self.assertEqual(master.deadline, 30_005)
        self.assertEqual(
            master.expire(30_005), (To(Ended(((ANN, False), (BOB, True), (CID, True))), (BOB, CID, Seat(3))),)
        )
        self.assertEqual(master.forfeit(ANN, 6), ())

    def test_somebody_else_leaves(self) -> None:
        master = begun(3, move_time="10")
        master.forfeit(CID, 5)
        self.assertEqual((master.view(None).turn, master.deadline), (ANN, 10_000))

    def test_a_move_on_its_way(self) -> None:
        master = begun(3)
        master.act(ANN, Move(b""), 1)
        master.forfeit(ANN, 2)
        self.assertEqual(master.deadline, 30_001)
        self.assertEqual(master.expire(30_001)[0].audience, (BOB, CID, Seat(3)))
        self.assertEqual(master.result, Result((), Cause.TIME, "the master has not answered"))

    def test_who_does_not_move_in_time_is_out_and_told_so(self) -> None:
        master = begun(3, move_time="10")
        self.assertEqual(master.expire(10_000), [To(Gone(ANN), (Seat(3),)), To(Ended(((ANN, False),)), (ANN,))])

    def test_without_a_master_nobody_wins_and_all_are_told(self) -> None:
        for end in (
            lambda master: master.forfeit(Seat(2), 1),
            lambda master: master.act(ANN, Move(b""), 1) and master.expire(9),
        ):
            master = begun()
            self.assertEqual(end(master), (To(Ended(((ANN, False), (BOB, False))), (ANN, BOB, Seat(2))),))
            assert master.result is not None
            self.assertEqual(master.result.winners, ())

    def test_a_game_that_ends_before_the_first_state_never_was(self) -> None:
        for end in (
            lambda master: master.forfeit(ANN, 1),
            lambda master: master.forfeit(Seat(2), 1),
            lambda master: master.expire(1),
        ):
            master = REMOTE.new_master(3, {}, ScriptedChance())
            master.begin(0)
            self.assertEqual(end(master)[-1], To(NeverWas(), (ANN, BOB, Seat(2))))
            assert master.result is not None
            self.assertEqual(master.result.winners, ())
        three = REMOTE.new_master(4, {}, ScriptedChance())
        three.begin(0)
        self.assertEqual(three.forfeit(ANN, 1), [To(Gone(ANN), (Seat(3),)), To(NeverWas(), (ANN,))])

    def test_numbers_of_players(self) -> None:
        for seats in (2, 66):
            self.assertRaises(ValueError, REMOTE.new_master, seats, {}, ScriptedChance())
        REMOTE.new_master(65, {}, ScriptedChance())


SEATS = st.integers(0, 63).map(Seat)
CONTENTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("\\{}\n\r\t \x00\x7f\u2028\U0001f600"))).map(
    str.encode
)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Move, CONTENTS),
    st.builds(Next, SEATS, CONTENTS),
    st.builds(Finish, st.lists(st.tuples(SEATS, st.booleans()), min_size=1).map(tuple), CONTENTS),
    st.builds(PutOut, SEATS),
)


class NotationTests(PropertyCase):
    def test_words(self) -> None:
        for action, written in (
            (Move(b"<take n='3'/>"), "move <take n='3'/>"),
            (Move(b""), "move"),
            (Next(Seat(0), b"a\\\r\n\t{b} "), r"next 0 a\\\r\n\t\x7bb\x7d\x20"),
            (Next(Seat(12), b""), "next 12"),
            (Finish(((Seat(0), True), (Seat(1), False)), b" "), r"over 0+,1- \x20"),
            (PutOut(Seat(1)), "out 1"),
        ):
            self.assertEqual(REMOTE.write(action), written.encode())
            self.assertEqual(REMOTE.read(written.encode()), action)

    @given(ACTIONS)
    def test_inverse(self, action: Action) -> None:
        notation = REMOTE.write(action)
        text = notation.decode()
        self.assertTrue(text.isprintable() and text == text.strip() and not set(text) & set("{}"), text)
        self.assertEqual(REMOTE.read(notation), action)

    def test_others_are_refused(self) -> None:
        for notation in (
            b"",
            b"move ",
            b"jump",
            b"next",
            b"next x",
            b"over",
            b"over 0",
            b"over 0+,",
            b"out",
            b"out 1 x",
        ):
            self.assertRaises(ValueError, REMOTE.read, notation)
        for content in ("\\", "\\q", "\\x4", "\\ud800", "\\U00110000"):
            self.assertRaises(ValueError, REMOTE.read, f"move {content}".encode())
        self.assertRaises(ValueError, REMOTE.read, b"move \xff")
