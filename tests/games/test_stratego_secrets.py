"""
What is hidden stays hidden: two games that differ only in the kinds of pieces that never fought are one game to the
opponent, event for event, refusal for refusal, view for view.

The one thing that a hidden kind decides by the rules is whether its side can move at all; pairs in which that ended a
game are left out.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import IllegalAction, Result, Seat, SystemChance, To
from gamehost.games.stratego.master import STRATEGO, StrategoMaster, Terms
from gamehost.games.stratego.rules import (
    MOVERS,
    OTHER,
    SCOUT,
    Action,
    Board,
    Move,
    Place,
    PlaceRows,
    Ready,
)
from gamehost.journal.notation import picture
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.testing.cases import PropertyCase
from tests.games.test_stratego_master import MasterTests
from tests.kit.drawn_matches import NAMES, PictureContract, record_of, titles, words
from tests.kit.games.stratego import as_action, rows_of, shuffled_rows, told

NewMaster = Callable[[Terms], StrategoMaster]
TERMS = Terms(move_time=30_000)


#: What both players try, in order.
Script = tuple[tuple[Seat, Action], ...]


def set_up(seat: Seat, rows: Sequence[str], order: Sequence[int]) -> list[Action]:
    """A side's placements: all at once if no order of squares is given, else one by one."""
    if not order:
        return [PlaceRows(tuple(rows))]
    low = 6 if seat else 0
    pieces = "".join(rows)
    return [*(Place(pieces[home], home % 10, low + home // 10) for home in order), Ready()]


def probe(rng: random.Random) -> Move:
    """A move at random, most likely refused, now and then not even on the board."""
    return Move(rng.randint(0, 9), rng.randint(0, 10), rng.randint(0, 9), rng.randint(-1, 9))


class Follower:
    """Keeps count of what one side's pieces have done, by the place (0..39) they were set up on."""

    def __init__(self, seat: Seat) -> None:
        low = 60 if seat else 0
        self.at = {low + home: home for home in range(40)}
        self.moved: set[int] = set()
        self.ran: set[int] = set()
        self.fought: set[int] = set()

    def follow(self, own: bool, source: int, target: int, squares: bytes) -> None:
        home = self.at.pop(source) if own else self.at.get(target)
        if home is None:
            return
        if own:
            self.moved.add(home)
            if abs(source - target) not in (1, 10):
                self.ran.add(home)
            self.at[target] = home
        if not own or squares[target] != ord("."):
            self.fought.add(home)

    def other_rows(self, rows: Sequence[str], rng: random.Random) -> tuple[str, ...]:
        """A set-up whose pieces could have done the same, those that fought being as they were."""
        pieces = list("".join(rows))
        hidden = [home for home in range(40) if home not in self.fought]
        kinds = [pieces[home] for home in hidden]
        rng.shuffle(kinds)
        kinds.sort(key=lambda kind: kind in MOVERS)
        # Who ran gets a scout, who moved anything that moves, the rest what is left.
        for home in sorted(hidden, key=lambda home: (home not in self.ran, home not in self.moved)):
            if home in self.ran:
                kinds.remove(SCOUT)
                pieces[home] = SCOUT
            elif home in self.moved:
                pieces[home] = kinds.pop()
            else:
                pieces[home] = kinds.pop(rng.randrange(len(kinds)))
        return rows_of("".join(pieces))


def pair(rng: random.Random) -> tuple[Seat, Script, Script]:
    """Who listens, and two games that only the other player can tell apart."""
    spy = Seat(rng.randint(0, 1))
    hider = OTHER[spy]
    rows = shuffled_rows(rng)
    order = rng.sample(range(40), 40) if rng.random() < 0.3 else []
    spy_rows = shuffled_rows(rng)
    spy_first = rng.random() < 0.5

    def opened(rows: Sequence[str]) -> Script:
        sides = [(hider, action) for action in set_up(hider, rows, order)]
        sides.insert(0 if spy_first else len(sides), (spy, PlaceRows(spy_rows)))
        return tuple(sides)

    master = heard(StrategoMaster(TERMS), spy, opened(rows))[0]
    follower = Follower(hider)
    steps: list[tuple[Seat, Action]] = []
    for _ in range(rng.randint(1, 150)):
        position = master.position
        assert position is not None
        if master.result is not None:
            break
        moves = list(position.legal_moves())
        question = probe(rng)
        if position.turn != spy or question not in map(as_action, moves):
            steps.append((spy, question))
        strikes = [move for move in moves if position.squares[move[1]] != ord(".")]
        source, target = rng.choice(strikes if strikes and rng.random() < 0.4 else moves)
        steps.append((position.turn, as_action((source, target))))
        follower.follow(position.turn == hider, source, target, position.squares)
        master.act(*steps[-1], 0)
    return spy, (*opened(rows), *steps), (*opened(follower.other_rows(rows, rng)), *steps)


def heard(master: StrategoMaster, spy: Seat, script: Script) -> tuple[StrategoMaster, list[object]]:
    """A master that the script was played to, and all that could be seen by one player and by a watcher."""
    seen: list[object] = [told(master.begin(0), spy)]
    for now, (seat, action) in enumerate(script):
        if master.result is not None:
            break
        try:
            events = master.act(seat, action, now)
        except IllegalAction as refusal:
            # Whoever hides something only does what was legal in both games.
            assert seat == spy, refusal
            seen.append((type(refusal), str(refusal)))
        else:
            seen.append((told(events, spy), told(events, None)))
        seen.append((master.view(spy), master.view(None), master.deadline, master.result))
    return master, seen


def shut_in(result: Result | None) -> bool:
    return result is not None and result.why in ("no move left", "neither side can move")


def differences(count: int, first_seed: int, new_master: NewMaster = StrategoMaster) -> Iterator[int]:
    """The seeds of those, out of so many pairs of games, in which the player who listens could tell the two apart."""
    compared = 0
    for seed in itertools.count(first_seed):
        if compared == count:
            return
        spy, script, other = pair(random.Random(seed))
        master, one = heard(new_master(TERMS), spy, script)
        twin, two = heard(new_master(TERMS), spy, other)
        if shut_in(master.result) or shut_in(twin.result):
            continue
        compared += 1
        if one != two:
            yield seed


class PlacedForAll(StrategoMaster):
    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Any]]:
        events = super().act(seat, action, now)
        return [replace(to, audience=None) if not isinstance(to.event, Board) else to for to in events]


class KindInOrder(StrategoMaster):
    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Any]]:
        events = super().act(seat, action, now)
        squares = self.position.squares if self.position is not None else b""
        return list(reversed(events)) if squares.find(b"F") % 2 else events


class SecretTests(SynchronousTestCase):
    def test_nothing_leaks(self) -> None:
        """In none of 300 pairs could a player, or a watcher, tell the two games apart."""
        self.assertEqual(list(differences(300, first_seed=0)), [])

    def test_pairs_differ_for_the_one_who_hides(self) -> None:
        """The pairs are worth comparing: their set-ups differ, battles happen, and games come to an end."""
        fought = ended = 0
        for seed in range(30):
            spy, script, other = pair(random.Random(seed))
            self.assertNotEqual(script, other)
            self.assertEqual([step for step in script if step[0] == spy], [step for step in other if step[0] == spy])
            master, seen = heard(StrategoMaster(TERMS), spy, script)
            fought += "Fought" in repr(seen)
            ended += master.result is not None
        self.assertGreater(fought, 20)
        self.assertGreater(ended, 3)


# The picture of Stratego: what it shows, and to whom.


_LINES = {"setup_time": "0"}


def record(script: Script, resigned: Seat | None = None) -> TableRecord:
    master = STRATEGO.new_master(2, _LINES, SystemChance())
    master.begin(0)
    entries = [Entry(EntryKind.BEGAN, 0)]
    for seat, action in script:
        try:
            master.act(seat, action, 1)
        except IllegalAction:
            continue
        outcome = "" if master.result is None else master.result.why
        entries.append(Entry(EntryKind.ACTED, 1, seat, STRATEGO.write(action), outcome=outcome))
    if resigned is not None and master.result is None:
        entries.append(Entry(EntryKind.FORFEITED, 2, resigned, outcome="left"))
    opening = TableHeader("stratego", 1, (SeatRecord("ann", "open"), SeatRecord("bob", "open")), _LINES)
    return TableRecord(TableId(7), opening, tuple(entries))


class PictureTests(PictureContract, PropertyCase):
    player = MasterTests()

    def test_what_is_hidden(self) -> None:
        script = pair(random.Random(4))[1][:20]
        live = record(script)
        for seat, hidden in ((None, True), (Seat(0), True), (Seat(1), True)):
            shown = titles(picture(STRATEGO, live, seat=seat))
            pieces = [title for title in shown if " on " in title]
            backs = [title for title in pieces if title.startswith("hidden piece")]
            self.assertEqual(bool(backs), hidden)
            self.assertEqual(len(backs) == len(pieces), seat is None)
        over = record(script, resigned=Seat(0))
        self.assertFalse([title for title in titles(picture(STRATEGO, over)) if "hidden" in title])
        self.assertTrue([title for title in titles(picture(STRATEGO, over, reveal=False)) if "hidden" in title])
        self.assertIn("bob won: ann left the match.", words(picture(STRATEGO, over)))

    def test_noninterference(self) -> None:
        for seed in range(12):
            listener, one, other = pair(random.Random(seed))
            for seat in (listener, None):
                first, second = (picture(STRATEGO, record(script), seat=seat, reveal=False) for script in (one, other))
                self.assertEqual(first, second)
        hider = Seat(1 - listener)
        first, second = (picture(STRATEGO, record(script), seat=hider, reveal=False) for script in (one, other))
        self.assertNotEqual(first, second)

    def test_the_set_up(self) -> None:
        drawn = picture(STRATEGO, record_of(self.player, 1, 0))
        self.assertEqual([title for title in titles(drawn) if " on " in title], [])
        self.assertIn(f"{NAMES[0]} and {NAMES[1]} still placing pieces.", words(drawn))

    def test_fights(self) -> None:
        drawn = picture(STRATEGO, record_of(self.player, 1, 400))
        self.assertTrue([line for line in words(drawn) if line.endswith((" wins", " loses", " both lost"))])


del MasterTests
