"""The console in tests: its screens, a person at it, and matches of which two outcomes must look alike."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.games.base import Game, Seat, To, act_carefully
from gamehost.games.messages import Messages
from gamehost.games.play import help_of
from gamehost.games.screen import MORE, MoveRefused, NewScreen, Screen, Style, columns
from gamehost.games.stratego.rules import Action, Move, Place, PlaceRows
from gamehost.testing.cases import Mixin, PropertyCase
from gamehost.testing.master_contract import SeededChance
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.console import WIRE
from tests.kit.wires.stratego_frames import WireWords

# Whole matches that are played by what people type on screens, and what every screen must do.
#
# A game's tests derive `class ScreenTests(ScreenContract, PropertyCase)`.


NAMES = ("ann", "bob", "\u5b57\u5b57", "dora.the.explorer.20")
ASCII = Style(charset="ascii")
STYLES = (
    ASCII,
    Style(),
    Style(colour=True),
    Style(words=True),
    Style(width=20),
    Style(width=40, words=True, charset="ascii"),
    Style(width=66, colour=True),
)


@define(eq=False)
class ScreenMatch:
    game: Game[Any, Any]
    messages: Messages
    kind: NewScreen
    seats: int
    settings: Mapping[str, str]
    seed: int
    screens: dict[Seat | None, Screen[Any]] = field(factory=dict)
    rng: random.Random = field(init=False)
    master: Any = field(init=False)
    #: What each screen has told.
    told: dict[Seat | None, list[str]] = field(factory=dict)
    now: int = 0

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.master = self.game.new_master(self.seats, self.settings, SeededChance(self.seed))
        for seat in (*map(Seat, range(self.seats)), None):
            self.screens[seat] = self.kind(seat, NAMES[: self.seats])
            self.told[seat] = []
        self._tell(self.master.begin(0))

    def _tell(self, events: Sequence[To[Any]]) -> None:
        for to in events:
            message = self.messages.event(to.event)
            for seat, screen in self.screens.items():
                if to.audience is None or seat in to.audience:
                    self.told[seat] += screen.hear(to.event, message)

    def shown(self, seat: Seat | None) -> Screen[Any]:
        screen = self.kind(seat, NAMES[: self.seats])
        screen.show(self.master.view(seat))
        return screen

    def asked(self) -> list[Seat]:
        return [seat for seat, screen in self.screens.items() if seat is not None and screen.turn]

    def type(self, seat: Seat, text: str) -> None:
        """Type a move at a seat; `MoveRefused` by the screen, or `IllegalAction` by the master."""
        for notation in self.screens[seat].read(text):
            self.now += 1
            self._tell(act_carefully(self.master, seat, self.game.read(notation), self.now))

    def step(self) -> bool:
        """Type one of the moves that a screen lists. `False`: the match is over."""
        asked = self.asked()
        if self.master.result is None and asked:
            seat = self.rng.choice(asked)
            listed = [move for move in self.screens[seat].moves(200) if not move.startswith(MORE)]
            self.type(seat, self.rng.choice(listed))
        return self.master.result is None


def hear(screen: Any, message: Any) -> list[str]:
    """What a screen tells of an event that is given as a message of its messages."""
    told: list[str] = screen.hear(screen.messages.read_event(message), message)
    return told


def show(screen: Any, view: Any) -> None:
    """Show a screen a view that is given as a message of its messages."""
    screen.show(screen.messages.read_view(view, screen.seat))


def assert_helps(case: PropertyCase, sentence: str) -> None:
    """A refusal is a sentence of printable characters, and not a long one."""
    case.assertTrue(sentence.endswith((".", "!")), sentence)
    case.assertTrue(sentence.isprintable(), sentence)
    case.assertLessEqual(len(sentence), 400)


def refused(case: PropertyCase, screen: Screen[Any], text: str) -> str:
    """The sentence with which a screen refuses what was typed."""
    error = case.assertRaises(MoveRefused, screen.read, text)
    assert_helps(case, str(error))
    return str(error)


class ScreenContract(Mixin):
    """The behaviours shared by all screens. Subclasses set `game`, `messages` and `kind`; `chosen` are settings."""

    game: Game[Any, Any]
    messages: Messages
    kind: NewScreen
    #: A move, as people type it.
    example: str
    seat_counts: Sequence[int] = (2,)
    chosen: Sequence[Mapping[str, str]] = ({},)
    #: A random match is played for at most so many moves.
    most_steps = 150

    def match(self, seed: int) -> ScreenMatch:
        seats = self.seat_counts[seed % len(self.seat_counts)]
        return ScreenMatch(self.game, self.messages, self.kind, seats, self.chosen[seed % len(self.chosen)], seed)

    def positions(self, seed: int) -> Iterator[ScreenMatch]:
        """A match before each move, up to its end."""
        match = self.match(seed)
        for _ in range(self.most_steps):
            yield match
            if not match.step():
                break
        yield match

    @settings(max_examples=4)
    @given(st.integers(0, 10_000))
    def test_whole_matches_by_what_the_screens_list(self, seed: int) -> None:
        """Listed moves are legal, and somebody is always asked. The screens tell every move to all."""
        for match in self.positions(seed):
            self.assertEqual(bool(match.asked()), match.master.result is None)
            mover = match.master.to_move()
            if mover is not None:
                self.assertEqual(match.asked(), [mover])
        self.assertTrue(all(match.told.values()))
        for seat, told in match.told.items():
            for sentence in told:
                self.assertTrue(sentence.endswith((".", "!")), sentence)
                self.assertEqual("you" in sentence.lower().split() and seat is None, False, sentence)

    @settings(max_examples=4)
    @given(st.integers(0, 10_000), st.integers(0, 100))
    def test_everything_that_is_listed_is_legal(self, seed: int, moves: int) -> None:
        """Each of the moves of one position, on copies of the master. A short list says that it is one."""
        match = self.match(seed)
        for _ in range(moves):
            match.step()
        for seat in match.asked():
            screen = match.screens[seat]
            listed = screen.moves(40)
            for move in listed:
                if move.startswith(MORE):
                    self.assertEqual(len(listed), 41)
                else:
                    master = deepcopy(match.master)
                    for notation in screen.read(move):
                        act_carefully(master, seat, self.game.read(notation), match.now + 1)
            self.assertEqual(len([move for move in screen.moves(1) if not move.startswith(MORE)]), 1)

    @settings(max_examples=4)
    @given(st.integers(0, 10_000))
    def test_what_is_heard_is_what_is_shown(self, seed: int) -> None:
        """A screen that heard the events looks like one that was shown the view."""
        for number, match in enumerate(self.positions(seed)):
            if number % 5 == 0 or match.master.result is not None:
                for seat, screen in match.screens.items():
                    shown = match.shown(seat)
                    self.assertEqual(screen.draw(ASCII), shown.draw(ASCII))
                    self.assertEqual(list(screen.draw(STYLES[3])), list(shown.draw(STYLES[3])))
                    self.assertEqual(screen.turn, shown.turn)
                    self.assertEqual(screen.prompt_line(), shown.prompt_line())
                    self.assertEqual(screen.moves(99), shown.moves(99))

    @settings(max_examples=3)
    @given(st.integers(0, 10_000))
    def test_lines_fit(self, seed: int) -> None:
        """No line is wider than the terminal, a drawing has at most 22 lines, and ASCII is ASCII."""
        for number, match in enumerate(self.positions(seed)):
            for seat, screen in match.screens.items() if number % 9 == 0 else ():
                for style in STYLES:
                    lines = screen.draw(style)
                    self.assertLessEqual(max(map(columns, lines)), style.width)
                    if not style.words and style.width == 80:
                        self.assertLessEqual(len(lines), 22, "\n".join(lines))
                    text = "".join(lines)
                    self.assertEqual(text.isascii() or style.charset == "unicode", True, text)
                    self.assertTrue(style.colour or "\x1b" not in text)
                    self.assertTrue(all(part.isprintable() for part in text.split("\x1b")))
                self.assertLessEqual(columns(screen.prompt_line()), 160, seat)

    @settings(max_examples=20)
    @given(
        st.integers(0, 500), st.text(max_size=20) | st.sampled_from(["", "1", "a1", "a1 a2", "1,1", "x y z", "\x1b[2J"])
    )
    def test_anything_can_be_typed(self, seed: int, text: str) -> None:
        """It is read, or refused with a sentence that repeats no strange characters."""
        match = self.match(seed)
        for _ in range(seed % 7):
            match.step()
        for screen in match.screens.values():
            try:
                for notation in screen.read(text):
                    self.game.read(notation)
            except MoveRefused as error:
                assert_helps(self, str(error))

    def test_watchers_do_not_move(self) -> None:
        """It is never their turn, and nothing that they type is read."""
        for match in self.positions(1):
            watcher = match.screens[None]
            self.assertFalse(watcher.turn)
            self.assertEqual(watcher.moves(10), [])
            self.assertRaises(MoveRefused, watcher.read, self.example)

    def test_before_the_first_event(self) -> None:
        for seat in (0, None):
            screen = self.kind(seat, NAMES[:2])
            self.assertTrue(screen.draw(ASCII))
            self.assertTrue(screen.prompt_line())
            self.assertFalse(screen.turn)
            self.assertEqual(screen.moves(10), [])
            self.assertRaises(MoveRefused, screen.read, self.example)

    def test_the_rules_fit_on_a_page(self) -> None:
        """22 lines of 80 ASCII characters, with the example in them."""
        rules = help_of(self.game)
        self.assertLessEqual(len(rules), 22)
        self.assertLessEqual(max(map(len, rules)), 80)
        self.assertTrue("".join(rules).isascii())
        self.assertIn(self.example, "\n".join(rules))


# A person at the console who types nothing but what the console suggests.


#: Lines without words: the prompt, and what is drawn.
_DRAWN = re.compile(r">|\s.*|")
#: What stands behind the last colon of a line, to be copied.
_EXAMPLE = re.compile(r"(?:.*: )(?P<example>[^:]+?)\.?")


class Person:
    """Somebody who reads the last line of words, and copies the example in it."""

    def __init__(self, host: MemoryHost, address: str = "192.0.2.1") -> None:
        self.client: Client = host.connect("console", address)
        #: All that was seen, without prompts.
        self.seen: list[str] = []
        self._words: list[str] = []

    @property
    def over(self) -> bool:
        """Whether the end of a match was seen last."""
        return any(line.startswith("For another match") for line in self._words[-1:])

    def look(self) -> None:
        lines = self.client.heard()
        self.seen += [line for line in lines if line != ">"]
        self._words += [line for line in lines if not _DRAWN.fullmatch(line)]

    def suggested(self) -> str | None:
        """What the last line tells to type; `None`: nothing, somebody else is to move."""
        self.look()
        if not self._words:
            return None
        last = self._words[-1]
        if len(self._words) > 1 and self._words[-2].endswith(":"):
            last = f"{self._words[-2]} {last}"
        found = _EXAMPLE.fullmatch(last)
        return None if found is None else found["example"]

    def type(self, text: str) -> None:
        self.seen.append(f"> {text}")
        self.client.say(text)
        self.look()

    def follow(self) -> bool:
        """Type what is suggested. Whether anything was."""
        self.look()
        text = None if self.over else self.suggested()
        if text is None:
            return False
        self.type(text)
        return True


# How people play Stratego on the console, for the pairs of games that differ in secrets only.


def square(x: int, y: int) -> str:
    return f"{chr(ord('a') + x)}{y + 1}"


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What is typed for an action. A player types rows as they are seen: the front row first."""
    match action:
        case Move(x, y, to_x, to_y):
            return (f"{square(x, y)} {square(to_x, to_y)}",)
        case Place(piece, x, y):
            return (f"place {piece} {square(x, y)}",)
        case PlaceRows(rows):
            return (f"setup {' '.join(rows[::-1] if seat == 0 else [row[::-1] for row in rows])}",)
    return ("ready",)


def log_in(name: str) -> tuple[str, ...]:
    """What is typed to come in, and to come back; `play` is refused then. The board and the moves are looked at too."""
    return f"name {name}", "play stratego", "moves", "history"


ON_WIRE = WireWords(WIRE, log_in, in_words)
