"""The picture of Stratego: what it shows, and to whom."""

import random

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.chance import SystemChance
from gamehost.games.stratego.master import STRATEGO
from gamehost.journal.pictures import picture
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.testing.cases import PropertyCase
from tests.games.test_stratego_master import MasterTests
from tests.games.test_stratego_secrets import Script, pair
from tests.kit.drawn_matches import NAMES, PictureContract, record_of, titles, words

_LINES = {"setup_time": "0"}


def record(script: Script, resigned: Seat | None = None) -> TableRecord:
    """The record of a script: what the host accepted of it."""
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
    """The contract, and what is in the picture."""

    player = MasterTests()

    def test_what_is_hidden(self) -> None:
        """A watcher sees backs, a seat its own pieces; everybody sees all pieces when the match is over."""
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
        """Two matches that differ only in hidden pieces have the same picture, for the other side and for a watcher."""
        for seed in range(12):
            listener, one, other = pair(random.Random(seed))
            for seat in (listener, None):
                first, second = (picture(STRATEGO, record(script), seat=seat, reveal=False) for script in (one, other))
                self.assertEqual(first, second)
        hider = Seat(1 - listener)
        first, second = (picture(STRATEGO, record(script), seat=hider, reveal=False) for script in (one, other))
        self.assertNotEqual(first, second)

    def test_the_set_up(self) -> None:
        """Nobody's pieces are shown to a watcher, and it is said for whom the match waits."""
        drawn = picture(STRATEGO, record_of(self.player, 1, 0))
        self.assertEqual([title for title in titles(drawn) if " on " in title], [])
        self.assertIn(f"{NAMES[0]} and {NAMES[1]} still placing pieces.", words(drawn))

    def test_fights(self) -> None:
        """They are in the list of moves with both kinds, as both players were told."""
        drawn = picture(STRATEGO, record_of(self.player, 1, 400))
        self.assertTrue([line for line in words(drawn) if line.endswith((" wins", " loses", " both lost"))])


del PictureContract, MasterTests
