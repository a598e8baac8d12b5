"""The referee: turns, goals, what an illegal move costs, and everything that every master must do."""

import random
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import (
    Cause,
    Game,
    GameMaster,
    IllegalAction,
    Result,
    ScriptedChance,
    Seat,
    SystemChance,
    To,
    act_carefully,
)
from gamehost.games.drawing import Scene
from gamehost.games.paper_soccer.master import (
    PAPER_SOCCER,
    Ended,
    Event,
    Kickoff,
    Move,
    Moved,
    PaperSoccer,
    Situation,
)
from gamehost.games.paper_soccer.messages import MESSAGES, moves_of
from gamehost.games.paper_soccer.rules import BORDER, Foul, Point, Position
from gamehost.games.paper_soccer.svg import HEIGHT, INKS, UNIT, WIDTH, picture
from gamehost.games.play import picture_of
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.testing.messages_contract import MessagesContract
from tests.kit.drawn_matches import SVG, PictureContract, parsed, titles, words
from tests.kit.games.paper_soccer import Move as Points
from tests.kit.games.paper_soccer import as_move, random_move, recorded

ANN, BOB = Seat(0), Seat(1)


def situation(master: GameMaster[Move, Event]) -> Situation:
    seen = master.view(None)
    assert isinstance(seen, Situation)
    return seen


def position(master: GameMaster[Move, Event]) -> Position:
    here = Position()
    for point in situation(master).points:
        here = here.step(point)
    return here


def opened(first: Seat = ANN, **settings: str) -> GameMaster[Move, Event]:
    master = PAPER_SOCCER.new_master(2, settings, ScriptedChance([first]))
    master.begin(0)
    return master


def play(master: GameMaster[Move, Event], moves: Sequence[Points]) -> Sequence[To[Event]]:
    events: Sequence[To[Event]] = ()
    for move in moves:
        seat = situation(master).next
        assert seat is not None
        events = master.act(seat, Move(move), 0)
    return events


class ContractTests(MasterContract, PropertyCase):
    game: Game[Any, Any] = PaperSoccer()
    most_steps = 65

    def legal(self, master: Any, rng: random.Random) -> tuple[Seat, Any] | None:
        seat = situation(master).next
        return None if seat is None else (seat, Move(random_move(position(master), rng)))

    def illegal(self, master: Any, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        seat = situation(master).next
        if seat is None:
            return [(ANN, Move(((0, 1),))), (BOB, Move(((0, 1),)))]
        misplaced = Seat(1 - seat)
        move = Move(random_move(position(master), rng))
        return [(misplaced, move), (misplaced, Move(((9, 9),))), (misplaced, Move(())), (seat, Move(()))]


class MatchTests(PropertyCase):
    def test_first_player_is_drawn(self) -> None:
        for first in (ANN, BOB):
            master = PAPER_SOCCER.new_master(2, {}, ScriptedChance([first]))
            self.assertEqual(master.begin(0), (To(Kickoff(first)),))
            self.assertEqual(master.view(None), Situation(first, (), first, None))

    def test_moves_alternate(self) -> None:
        master = opened(BOB)
        self.assertEqual(play(master, [((0, 1),)]), (To(Moved(BOB, ((0, 1),), ANN)),))
        self.assertEqual(play(master, [((-1, 0),)]), (To(Moved(ANN, ((-1, 0),), BOB)),))
        self.assertEqual(play(master, [((0, 0), (1, 1))]), (To(Moved(BOB, ((0, 0), (1, 1)), ANN)),))
        everything = ((0, 1), (-1, 0), (0, 0), (1, 1))
        for seat in (ANN, BOB, None):
            self.assertEqual(master.view(seat), Situation(BOB, everything, ANN, None))

    def test_goal_is_for_the_seat_that_attacks_it(self) -> None:
        for first in (ANN, BOB):
            second = Seat(1 - first)
            master = opened(first)
            up = [((0, y),) for y in range(1, 6)]
            events = play(master, [*up, ((0, 6),)])
            self.assertEqual(events, (To(Ended(first, second, ((0, 6),), Cause.RULES, "own goal")),))
            self.assertEqual(master.result, Result((first,), Cause.RULES, "own goal"))
            self.assertIs(situation(master).next, None)

    def test_dead_end_loses(self) -> None:
        master = opened()
        events = play(master, [((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),), ((4, 5),)])
        self.assertEqual(events, (To(Ended(BOB, ANN, ((4, 5),), Cause.RULES, "dead end")),))

    def test_illegal_move_loses(self) -> None:
        master = opened(move_time="1")
        play(master, [((0, 1),)])
        [said] = master.act(BOB, Move(((0, 0),)), 5)
        why = "illegal move: no step from (0, 1) to (0, 0): that line is drawn already"
        self.assertEqual(said, To(Ended(ANN, BOB, (), Cause.VIOLATION, why)))
        self.assertEqual(master.result, Result((ANN,), Cause.VIOLATION, why))
        self.assertEqual(master.view(ANN), Situation(ANN, ((0, 1),), None, master.result))
        self.assertIs(master.deadline, None)

    def test_a_foul_can_be_refused_instead(self) -> None:
        """For clients that ask first. A legal move is played, and a move out of turn is refused as always."""
        master, foul = opened(), Move(((5, 5),))
        [said] = opened().act(ANN, foul, 0)
        error = self.assertRaises(IllegalAction, act_carefully, master, ANN, foul, 0)
        self.assertEqual(said, To(Ended(BOB, ANN, (), Cause.VIOLATION, str(error))))
        for seat, move, why in (
            (BOB, foul, "it is the other player's turn"),
            (ANN, Move(()), "the move has no points; one point or more was expected"),
        ):
            error = self.assertRaises(IllegalAction, act_carefully, master, seat, move, 0)
            self.assertEqual(str(error), why)
        self.assertIs(master.result, None)
        self.assertEqual(act_carefully(master, ANN, Move(((0, 1),)), 0), (To(Moved(ANN, ((0, 1),), BOB)),))

    def test_what_loses_nothing(self) -> None:
        master = opened()
        self.assertIn("other player", str(self.assertRaises(IllegalAction, master.act, BOB, Move(((9, 9),)), 0)))
        self.assertIn("no points", str(self.assertRaises(IllegalAction, master.act, ANN, Move(()), 0)))
        self.assertIs(master.result, None)
        play(master, [((0, 1),)])

    def test_game_is_for_two(self) -> None:
        for seats in (0, 1, 3):
            self.assertRaises(ValueError, PAPER_SOCCER.new_master, seats, {}, SystemChance())


class RecordedTests(PropertyCase):
    def test_games(self) -> None:
        """In each recorded game every move goes round and the last one ends it, whoever was drawn to move first."""
        for number, game in enumerate(recorded("paper_soccer_games.jsonl")):
            first = Seat(number % 2)
            master = opened(first)
            moves = [as_move(move) for move in game["moves"]]
            play(master, moves[:-1])
            [said] = play(master, moves[-1:])
            winner = first if game["winner"] == 1 else Seat(1 - first)
            assert isinstance(said.event, Ended)
            self.assertEqual((said.event.winner, said.event.points), (winner, moves[-1]))
            self.assertEqual(master.result, Result((winner,), Cause.RULES, said.event.why))

    def test_fouls(self) -> None:
        for foul in recorded("paper_soccer_illegal.jsonl"):
            master = opened()
            play(master, [as_move(move) for move in foul["history"]])
            loser, action = Seat(foul["loser"] - 1), Move(as_move(foul["move"]))
            if not action.points:
                self.assertRaises(IllegalAction, master.act, loser, action, 0)
                self.assertIs(master.result, None)
                continue
            [said] = master.act(loser, action, 0)
            assert isinstance(said.event, Ended)
            self.assertEqual((said.event.loser, said.event.cause), (loser, Cause.VIOLATION))


COORDINATES = st.integers(-999, 999) | st.integers(-6, 6)
POINT_LISTS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=320).map(tuple)


class PropertyTests(PropertyCase):
    @given(st.randoms(use_true_random=False), st.integers(0, 60), POINT_LISTS, st.integers(0, 3))
    def test_any_points_move_or_lose(self, rng: random.Random, steps: int, junk: Points, kept: int) -> None:
        master = opened()
        for _ in range(steps):
            move = random_move(position(master), rng)
            if position(master).after(move).ending is None:
                play(master, [move])
        before = position(master)
        legal = random_move(before, rng)
        points = legal if kept == 3 else (*legal[:kept], *junk)
        seat = situation(master).next
        assert seat is not None
        events = master.act(seat, Move(points), 0)
        try:
            after = before.after(points)
        except Foul:
            self.assertEqual(master.result and master.result.cause, Cause.VIOLATION)
            self.assertEqual(len(events), 1)
        else:
            self.assertEqual(position(master), after)

    def test_notation(self) -> None:
        self.assertEqual(PAPER_SOCCER.write(Move(((0, 0), (-1, 1)))), b"0,0 -1,1")

    def test_other_notations(self) -> None:
        bad = [b"", b" ", b"0", b"0,", b"0,0 ", b" 0,0", b"0,0  1,1", b"0,0,1", b"-0,0", b"+1,0", b"01,0", b"1.0,0"]
        for notation in [*bad, b"1000,0", b"0,0\n", b"0,0;1,1", b"(0,0)", b"\xff", "٣,0".encode()]:
            error = self.assertRaises(ValueError, PAPER_SOCCER.read, notation)
            self.assertIn("0,0 1,1", str(error))


# Paper soccer as other programs see it.


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = ContractTests()

    def test_messages(self) -> None:
        for event, text in (
            (Kickoff(Seat(1)), '{"kind":"kickoff","first":1}'),
            (Moved(Seat(1), ((0, 1),), Seat(0)), '{"kind":"moved","seat":1,"points":[[0,1]],"next":0}'),
            (
                Ended(Seat(0), Seat(1), ((0, 6),), Cause.RULES, "goal"),
                '{"kind":"ended","points":[[0,6]],"why":"goal"}',
            ),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)

    def test_points_are_cut_into_moves(self) -> None:
        self.assertEqual(moves_of([]), [])
        self.assertEqual(moves_of([(0, 1), (1, 1), (0, 0), (-1, 0)]), [[(0, 1)], [(1, 1)], [(0, 0), (-1, 0)]])


# The picture of Paper Soccer: complete, with the place where an illegal move was tried, and the same each time.


NUMBERS = re.compile(r"-?[0-9.]+")


def drawn(moves: Sequence[Sequence[Point]], following: int | None = None, **changes: object) -> str:
    points = tuple(point for move in moves for point in move)
    following = (1 + len(moves)) % 2 if following is None else following
    situation = Situation(Seat(1), points, Seat(following), None)
    return picture(Scene(names=["ann", "bob"], view=situation, **changes))  # type: ignore[arg-type]


def path(element: object) -> list[tuple[Point, Point]]:
    """The lines of a path, as points of the pitch."""
    numbers = [float(one) for one in NUMBERS.findall(element.attrib["d"])]  # type: ignore[attr-defined]
    points = [
        (round((x - WIDTH / 2) / UNIT), round((HEIGHT / 2 - y) / UNIT))
        for x, y in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    return list(zip(points[::2], points[1::2], strict=True))


class PictureTests(PictureContract, PropertyCase):
    player = ContractTests()

    def test_recorded_games(self) -> None:
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            moves = [as_move(move) for move in game["moves"]]
            text = drawn(moves)
            start: Point = (0, 0)
            expected = []
            for number, move in enumerate(moves):
                kind = ("first", "second")[number % 2]
                expected += [(kind, line) for line in zip((start, *move), move, strict=False)]
                start = move[-1]
            found = [
                (element.attrib["class"].split()[0], line)
                for element in parsed(text).iter(f"{SVG}path")
                if element.attrib["class"].split()[0] in ("first", "second") and element.attrib["d"] != "M-11 0H11"
                for line in path(element)
            ]
            self.assertEqual(found, expected)
            told = [title for title in titles(text) if title[0].isdigit()]
            self.assertEqual(told[0], f"1. bob: {' '.join(f'{x},{y}' for x, y in moves[0])}")
            counts = [
                element.text for element in parsed(text).iter(f"{SVG}text") if element.attrib.get("class") == "count"
            ]
            self.assertEqual(counts, [str(number) for number in range(1, len(moves) + 1)])

    def test_the_sides_differ(self) -> None:
        """In colour, and in the gap in the lines of the second one. Names are in the ink of their side."""
        text = drawn([[(0, 1)], [(1, 1)]])
        self.assertNotEqual(*INKS)
        self.assertIn(f".second {{ stroke: {INKS[1]}; stroke-dasharray: 41 18 41 }}", text)
        self.assertIn(f'<tspan fill="{INKS[0]}">bob</tspan>', text)
        self.assertIn(f'<tspan fill="{INKS[1]}">ann</tspan>', text)

    def test_the_border(self) -> None:
        [element] = [one for one in parsed(drawn([])).iter(f"{SVG}path") if one.attrib["class"] == "border"]
        self.assertEqual(set(path(element)), set(BORDER))

    def test_who_is_who(self) -> None:
        shown = words(drawn([[(0, 1)]]))
        self.assertIn("annscores at y = -6", shown)
        self.assertIn("bobscores at y = 6", shown)
        self.assertIn("ann is to move.", shown)
        turned = words(drawn([[(0, 1)]], seat=Seat(0)))
        self.assertLess(turned.index("bobscores at y = 6"), turned.index("annscores at y = -6"))

    def test_illegal_moves(self) -> None:
        lost = Result((Seat(1),), Cause.VIOLATION, "illegal move: no step")
        for points, dashed in (
            (((0, 0),), [((0, 1), (0, 0))]),
            (((0, 2), (0, 3)), [((0, 1), (0, 2))]),
            (((999, -999),), []),
        ):
            text = drawn([((0, 1),)], foul=Move(points), result=lost)
            lines = [
                line for one in parsed(text).iter(f"{SVG}path") if one.attrib["class"] == "tried" for line in path(one)
            ]
            self.assertEqual(lines, dashed)
            self.assertEqual(text.count('class="cross"'), 1)
            self.assertIn("bob won: ann tried an illegal move: no step.", words(text))

    def test_nothing_is_fetched_or_run(self) -> None:
        text = drawn([((0, 1),)])
        self.assertEqual(re.findall(r"https?://[^\"]*", text), ["http://www.w3.org/2000/svg"])
        for word in ("script", "href", "url(", "@import", "onload", "<!"):
            self.assertNotIn(word, text)

    def test_a_game_draws(self) -> None:
        scene = Scene(names=["ann", "bob"], view=Situation(Seat(0), (), Seat(0), None))
        self.assertEqual(picture_of(PAPER_SOCCER, scene), picture(scene))
