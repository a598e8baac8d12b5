"""Matches as text: what is written can be read back, to the same position."""

import random

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gamehost.games.base import JournalledChance, Seat
from gamehost.journal.notation import LONGEST, NotNotation, read_notation, write_notation
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.journal.replay import fingerprint, new_master, replay
from gamehost.testing.cases import PropertyCase
from tests.client.test_core import PLAYERS
from tests.kit.drawn_matches import record_of

_TEXT = """\
[Game "onitama"]
[Rules "1"]
[Table "7"]
[Date "2026-01-31"]
[Seat "ann" "open"]
[Seat "Zo\\u00eb \\"x\\"" "onitama"]
[Setting "deal" "boar,ox/crab,eel/tiger"]
[Setting "move_time" "30"]
[Result "ann won (left): a player left"]

   1          0  -  *begin  {3 1 4}
   2       1200  0  ox c1 c2
   3       2400  1  *left
"""
RECORD = TableRecord(
    TableId(7),
    TableHeader(
        "onitama",
        1,
        (SeatRecord("ann", "open", "192.0.2.7", True, "key"), SeatRecord('Zo\u00eb "x"', "onitama")),
        {"deal": "boar,ox/crab,eel/tiger", "move_time": "30", "code": "secret"},
    ),
    (
        Entry(EntryKind.BEGAN, 0, drawn=(3, 1, 4)),
        Entry(EntryKind.ACTED, 1200, Seat(0), b"ox c1 c2", check=b"check"),
        Entry(EntryKind.FORFEITED, 2400, Seat(1), outcome="ann won (left): a player left"),
    ),
)


class NotationTests(PropertyCase):
    def test_the_text(self) -> None:
        self.assertEqual(write_notation(RECORD, "2026-01-31"), _TEXT)
        read = read_notation(_TEXT)
        self.assertEqual(read.date, "2026-01-31")
        self.assertEqual(write_notation(read.record, read.date), _TEXT)
        self.assertEqual(read.record.entries, tuple(replace(entry, check=b"") for entry in RECORD.entries))

    @settings(max_examples=12)
    @given(st.sampled_from(sorted(PLAYERS)), st.integers(0, 10_000))
    def test_any_match_is_read_back_to_the_same_position(self, game: str, seed: int) -> None:
        player = PLAYERS[game]
        seats = player.seat_counts[seed % len(player.seat_counts)]
        record = record_of(player, seed, random.Random(seed).randrange(80), seats)
        text = write_notation(record)
        read = read_notation(text).record
        self.assertTrue(text.isascii())
        self.assertEqual(read, record)
        checks = []
        for one in (record, read):
            chance = JournalledChance()
            master = replay(player.game, new_master(player.game, one.opening, chance), chance, one.entries)
            checks.append(fingerprint(master))
        self.assertEqual(*checks)

    @settings(max_examples=20)
    @given(st.text(max_size=20), st.text(max_size=20))
    def test_any_names_and_settings(self, name: str, value: str) -> None:
        opening = TableHeader("onitama", 1, (SeatRecord(name, "open"),), {value: name})
        record = TableRecord(TableId(1), opening, ())
        self.assertEqual(read_notation(write_notation(record, value)).record.opening, opening)

    def test_all_kinds_of_entries(self) -> None:
        entries = (
            Entry(EntryKind.BEGAN, 0),
            Entry(EntryKind.EXPIRED, 5, outcome="too slow"),
            Entry(EntryKind.ARCHIVED, 6),
        )
        for some in (entries[:1], entries[:2], (entries[0], entries[2])):
            record = evolve(RECORD, entries=some)
            self.assertEqual(read_notation(write_notation(record)).record.entries, some)

    def test_other_texts(self) -> None:
        for old, new, reason in (
            ('[Game "onitama"]', "onitama", 'line 1: expected a tag such as [Game "onitama"]'),
            ('[Game "onitama"]', "[Game onitama]", "line 1: expected a tag"),
            ('[Game "onitama"]', "[Game 7]", "line 1: expected a tag"),
            ('[Rules "1"]', '[Game "go"]', "line 2: expected a tag"),
            ('[Rules "1"]', "", "expected entry 1"),
            ('[Rules "1"]\n', "", "expected the tag Rules with a number"),
            ('[Table "7"]', '[Table "x"]', "expected the tag Table with a number"),
            ('[Game "onitama"]\n', "", "expected the tags Game and Seat"),
            ("   2 ", "   3 ", "line 12: expected entry 2, such as: 2  1200  0  ox c1 c2"),
            ("  0  ox c1 c2", "  -  ox c1 c2", "line 12: expected a seat from 0 to 1"),
            ("  0  ox c1 c2", "  2  ox c1 c2", "line 12: expected a seat from 0 to 1"),
            ("{3 1 4}", "{3 x}", "line 11: expected entry 1"),
            ("1200", "soon", "line 12: expected entry 2"),
        ):
            self.assertIn(old, _TEXT)
            error = self.assertRaises(NotNotation, read_notation, _TEXT.replace(old, new, 1))
            self.assertIn(reason, str(error))
        self.assertIn("too long", str(self.assertRaises(NotNotation, read_notation, " " * (LONGEST + 1))))

    def test_actions_that_cannot_be_written(self) -> None:
        """Of a game of another package: they would be read as something else."""
        for notation in (b"*begin", b"a {1}"):
            record = evolve(RECORD, entries=(Entry(EntryKind.ACTED, 0, Seat(0), notation),))
            self.assertRaises(NotNotation, write_notation, record)

    @given(st.text(st.sampled_from('[]{}"\\ \nGameSeat01-*begin'), max_size=80))
    def test_any_text(self, text: str) -> None:
        try:
            read_notation(text)
        except NotNotation as error:
            self.assertIn("expected", str(error))
