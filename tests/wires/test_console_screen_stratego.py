"""Stratego in a terminal: the contract, the drawing, a person's mistakes, and what is hidden."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from attrs import evolve

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.screen import MoveRefused, Screen, Style
from gamehost.games.stratego.master import STRATEGO, StrategoMaster
from gamehost.games.stratego.messages import MESSAGES, BoardEvent, FoughtEvent, MovedEvent, View
from gamehost.games.stratego.rules import PlaceRows, Ready, nowhere, read, seen
from gamehost.games.stratego.text import SCREEN, StrategoScreen
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import SeededChance
from tests.games.test_stratego_secrets import TERMS, Script, pair
from tests.kit.games.stratego import drawn
from tests.kit.wires.console import ASCII, NAMES, STYLES, ScreenContract, ScreenMatch, hear, refused, show

_BOARD = """\
 10  .  .  .  .  .  .  .  .  .  #   bob: 2 pieces
  9  .  .  .  .  .  .  .  .  .  .
  8  .  .  .  .  .  .  .  .  .  .   your pieces:
  7  .  .  .  .  .  .  .  .  .  .   1 marshal    0   7 sergeant   0
  6  .  .  ~  ~  .  .  ~  ~  .  .   2 general    0   8 miner      1
  5  #  .  ~  ~  .  .  ~  ~  .  .   3 colonel    0   9 scout      1
  4  8  .  .  .  .  .  .  .  .  .   4 major      0   S spy        0
  3  .  9  .  .  .  .  .  .  .  .   5 captain    0   F flag       1
  2  .  .  .  .  .  .  .  .  .  .   6 lieutenant 0   B bomb       0
  1  .  .  .  .  .  .  .  .  .  F   you: 3 pieces
     a  b  c  d  e  f  g  h  i  j"""
#: With random set-ups that are the same in each run.
SEEDED = partial(StrategoScreen, chance=SeededChance(1))
_PIECES = "8A4 9B3 FJ1", "4A5 FJ10"


def screen(seat: Seat | None, turn: int | None = 0) -> Screen[Any]:
    made = SCREEN(seat, NAMES[:2])
    show(made, View("play", seen(drawn(*_PIECES).squares, seat), (True, True), turn))
    return made


class ScreenTests(ScreenContract, PropertyCase):
    game = STRATEGO
    messages = MESSAGES
    kind, example = SEEDED, "b4 b5"
    chosen = ({"setup_time": "0"},)

    def test_the_board(self) -> None:
        self.assertEqual("\n".join(screen(Seat(0)).draw(ASCII)), _BOARD)

    def test_the_second_seat_sees_it_turned(self) -> None:
        lines = screen(Seat(1)).draw(ASCII)
        self.assertEqual(lines[0], "  1  #  .  .  .  .  .  .  .  .  .   ann: 3 pieces")
        self.assertEqual(lines[-1], "     j  i  h  g  f  e  d  c  b  a")

    def test_a_watcher_sees_sides_and_no_kinds(self) -> None:
        text = "\n".join(screen(None).draw(ASCII))
        self.assertIn("  4  r  .  .", text)
        self.assertIn("r: ann", text)

    def test_in_words(self) -> None:
        lines = screen(Seat(0)).draw(Style(words=True))
        self.assertEqual(
            lines[:6],
            [
                "You: 3 pieces.",
                "bob: 2 pieces.",
                "Pieces of bob: a5 and j10.",
                "Your miner: a4.",
                "Your scout: b3.",
                "Your flag: j1.",
            ],
        )

    def test_what_is_told(self) -> None:
        ours = screen(Seat(0))
        self.assertEqual(
            hear(ours, FoughtEvent(0, "5", "B", "defender", "A4", "A5", 1)),
            ["You attacked a5 from a4: captain (5) against bomb. The bomb wins."],
        )
        self.assertEqual(hear(ours, BoardEvent("." * 100)), [])
        self.assertEqual(hear(ours, MovedEvent(1, "A7", "A6", 0)), ["bob moved a7 a6."])
        self.assertEqual(
            hear(ours, FoughtEvent(1, "5", "5", None, "A7", "A6", 0)),
            ["bob attacked a6 from a7: captain (5) against captain (5). Both are lost."],
        )

    def test_ways_to_type(self) -> None:
        for text in ("b3 b10", "B3 B10", "b3-b10", "b3b10", "b3 to b10", "b3, b10"):
            self.assertEqual(screen(Seat(0)).read(text), [b"B3-B10"], text)

    def test_mistakes(self) -> None:
        for text, part in (
            ("hello", "That is not a move of Stratego. Type a move: b3 "),
            ("b3", "That is not a move"),
            ("b3 b4 b5", "That is not a move"),
            ("b3 c4", "it can go to c3, d3,"),
            ("j1 j2", "bombs and flags cannot move. The pieces that can move are on a4 and b3."),
            ("a5 a6", "there is no piece of yours on that square"),
            ("a4 a6", "only a scout moves more than one square. From a4 it can go to b4, a5 or a3."),
            ("setup random", "Play has begun, so pieces can no longer be placed."),
        ):
            self.assertIn(part, refused(self, screen(Seat(0)), text), text)
        self.assertEqual(refused(self, screen(Seat(1)), "a5 a6"), "It is not your turn. ann is to move.")

    def test_the_two_squares_rule(self) -> None:
        """What was moved to and fro is not listed any more, while anything else can be moved."""
        ours: Any = screen(Seat(0))
        ours.known = evolve(ours.known, walk=nowhere(3))
        for number in range(3):
            start, end = ("A4", "B4") if number % 2 == 0 else ("B4", "A4")
            hear(ours, MovedEvent(0, start, end, 1))
            hear(ours, MovedEvent(1, "J9", "J8", 0))
        self.assertNotIn("b4 a4", ours.moves(100))
        self.assertIn("b4 c4", ours.moves(100))
        self.assertIn("b4 a4: two-squares rule", refused(self, ours, "b4 a4"))
        ours.known = evolve(ours.known, walk=None)
        self.assertEqual(ours.read("b4 a4"), [b"B4-A4"], "what was crossed is not known: the host decides")


class SetUpTests(PropertyCase):
    def match(self) -> ScreenMatch:
        return ScreenMatch(STRATEGO, MESSAGES, SEEDED, 2, {}, 0)

    def test_random_and_classic(self) -> None:
        match = self.match()
        first, second = (match.screens[Seat(0)].read("setup random") for _ in range(2))
        self.assertNotEqual(first, second)
        match.type(Seat(0), "setup random")
        match.type(Seat(0), "setup classic")
        self.assertEqual(match.screens[Seat(0)].prompt_line(), "Waiting for the pieces of bob.")
        match.type(Seat(1), "SETUP Classic")
        for seat in (Seat(0), Seat(1)):
            own = [line[5:33] for line in match.screens[seat].draw(ASCII)[6:10]]
            self.assertEqual(own[0], "9  1  5  9  4  B  3  9  6  9", "the front row")

    def test_rows(self) -> None:
        rows = "1233444555/5666677778/8888999999/99SFBBBBBB"
        for seat, expected in ((Seat(0), "99SFBBBBBB"), (Seat(1), "5554443321")):
            ours = self.match().screens[seat]
            for text in (rows, rows.lower(), rows.replace("/", " "), rows.replace("/", "")):
                [notation] = ours.read(f"setup {text}")
                action = read(notation)
                assert isinstance(action, PlaceRows)
                self.assertEqual(action.rows[0], expected)
            self.assertIn("You typed 42 pieces.", refused(self, ours, f"setup {rows}12"))

    def test_mistakes(self) -> None:
        ours = self.match().screens[Seat(0)]
        for text, part in (
            ("a4 a5", "Place your pieces first. Type setup random, setup classic"),
            ("setup", "Type setup random, setup classic, or setup and four rows"),
            ("setup please", "The pieces are 1 2 3 4 5 6 7 8 9 S F B."),
            ("setup " + "9" * 40, "You typed 0 of 1 (marshal), not 1"),
            ("ready", "40 of your 40 pieces are not placed yet."),
            ("place 9 a9", "Your pieces are placed on rows 1 to 4."),
        ):
            self.assertIn(part, refused(self, ours, text), text)

    def test_one_by_one(self) -> None:
        match = self.match()
        match.type(Seat(0), "f a1")
        match.type(Seat(0), "place 1 b1")
        ours = match.screens[Seat(0)]
        self.assertEqual(match.told[Seat(0)][-2:], ["You placed a flag on a1.", "You placed a marshal on b1."])
        self.assertIn("One of your pieces is already on a1.", refused(self, ours, "9 a1"))
        self.assertIn("No flag is left. Still to place: 2 (general), ", refused(self, ours, "F@c1"))
        self.assertIn("type: setup random", refused(self, ours, "setup classic"))
        self.assertIn("38 of your 40 pieces are not placed yet. To have the rest", refused(self, ours, "ready"))
        rest = [read(notation) for notation in ours.read("setup random")]
        self.assertEqual((len(rest), rest[-1]), (39, Ready()))
        self.assertEqual(ours.prompt_line(), "Place your pieces. Type: setup random.")
        self.assertEqual(ours.moves(2)[1], "place 2 c1")
        while "ready" not in ours.moves(1):
            match.type(Seat(0), ours.moves(2)[1])
        match.type(Seat(0), "ready")
        self.assertEqual(match.told[None][-1], "ann is ready.")
        self.assertIn("You are ready", refused(self, ours, "9 a1"))


def shown(screen: Screen[Any]) -> tuple[Any, ...]:
    """All that a person sees of a screen, and how it answers some mistakes and some moves."""
    answers = []
    for text in ("a4 a5", "e7 e6", "b4 b7", "j6 j5", "c4 c5", "setup classic", "9 a4"):
        try:
            answers.append(str(screen.read(text)))
        except MoveRefused as refused:
            answers.append(str(refused))
    return [screen.draw(style) for style in STYLES], screen.moves(200), screen.prompt_line(), screen.turn, answers


def history(script: Script, listener: Seat) -> Iterator[tuple[Any, ...]]:
    """What the listener and a watcher see on their screens, at times."""
    master = StrategoMaster(TERMS)
    screens = {seat: SCREEN(seat, NAMES[:2]) for seat in (listener, None)}
    events = master.begin(0)
    for number, (seat, action) in enumerate(((listener, None), *script)):
        if action is not None and master.result is None:
            try:
                events = master.act(seat, action, number)
            except IllegalAction:
                continue
        for to in events:
            message = MESSAGES.event(to.event)
            for who, screen in screens.items():
                if message is not None and (to.audience is None or who in to.audience):
                    yield tuple(hear(screen, message))
        events = ()
        if number % 12 == 0:
            yield from map(shown, screens.values())


class SecretTests(PropertyCase):
    """Two matches that differ only in pieces of one side that never fought are the same on the other side's screen."""

    def test_noninterference(self) -> None:
        for seed in range(5):
            listener, one, other = pair(random.Random(seed))
            self.assertEqual(list(history(one, listener)), list(history(other, listener)))

    def test_the_test_finds_a_leak(self) -> None:
        """The hider's own screen differs."""
        listener, one, other = pair(random.Random(1))
        hider = Seat(1 - listener)
        self.assertNotEqual(list(history(one, hider)), list(history(other, hider)))


del ScreenContract
