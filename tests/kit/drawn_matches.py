"""Records of random matches, their pictures as programs see them, and what every picture must be."""

import random
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.journal.notation import picture
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.testing.cases import Mixin
from gamehost.testing.master_contract import MasterContract

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("ann", "bob", "clara", "dan")
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | st.text(
    "<>&'\"]-!?/ \x00\x1b\ud800\ufffe", max_size=9
)


def record_of(
    player: MasterContract, seed: int, steps: int, seats: int = 2, names: Sequence[str] = NAMES, **settings: str
) -> TableRecord:
    """A random match of at most so many actions."""
    master, played = player.play(seats, random.Random(seed), steps, **settings)
    entries = [
        Entry(EntryKind.ACTED if number else EntryKind.BEGAN, step.now, step.seat, step.notation, step.drawn)
        for number, step in enumerate(played)
    ]
    return finished(player, entries, master, names[:seats], {**player.settings, **settings})


def finished(
    player: MasterContract, entries: list[Entry], master: Any, names: Sequence[str], settings: dict[str, str]
) -> TableRecord:
    """A record of these entries, with the outcome in the last one if there is one."""
    if master.result is not None:
        last = entries[-1]
        entries[-1] = Entry(last.kind, last.at, last.seat, last.notation, last.drawn, master.result.words(names))
    opening = TableHeader(
        player.game.name, player.game.version, tuple(SeatRecord(name, "open") for name in names), settings
    )
    return TableRecord(TableId(7), opening, tuple(entries))


def parsed(drawn: str) -> ElementTree.Element:
    """A picture as a program sees it; it must be well-formed."""
    return ElementTree.fromstring(drawn)


def words(drawn: str) -> list[str]:
    return ["".join(text.itertext()) for text in parsed(drawn).iter(f"{SVG}text")]


def titles(drawn: str) -> list[str]:
    """What is shown where one points."""
    return [title.text or "" for title in parsed(drawn).iter(f"{SVG}title")]


class PictureContract(Mixin):
    """The behaviours shared by the pictures of all games. Subclasses set `player`, which knows how to play the game."""

    player: MasterContract
    seat_counts: Sequence[int] = (2,)
    most_steps = 60

    def drawn(self, seed: int, **changes: Any) -> str:
        seats = self.seat_counts[seed % len(self.seat_counts)]
        record = record_of(self.player, seed, seed % (self.most_steps + 1), seats)
        return picture(self.player.game, record, **changes)

    @settings(max_examples=8)
    @given(st.integers(0, 10_000))
    def test_any_match_is_well_formed_and_the_same_each_time(self, seed: int) -> None:
        """For a watcher and each seat, with and without moves, in ASCII."""
        for changes in ({}, {"seat": Seat(1)}, {"moves": False}):
            drawn = self.drawn(seed, **changes)
            root = parsed(drawn)
            self.assertEqual(drawn, self.drawn(seed, **changes))
            self.assertTrue(drawn.isascii())
            self.assertEqual(root.attrib["viewBox"], f"0 0 {root.attrib['width']} {root.attrib['height']}")
            self.assertIn("table 7", words(drawn))
        self.assertLessEqual(len(words(self.drawn(seed, moves=False))), len(words(self.drawn(seed))))

    @settings(max_examples=8)
    @given(st.integers(0, 60), ANY_TEXT)
    def test_names_are_harmless(self, seed: int, name: str) -> None:
        """Whatever somebody is called, the picture is well-formed, has no other elements, and nothing from elsewhere."""
        names = [name, *NAMES[1:]]
        plain = [element.tag for element in parsed(self.drawn(seed, moves=False)).iter()]
        drawn = self.drawn(seed, names=names[: self.seat_counts[seed % len(self.seat_counts)]], moves=False)
        self.assertEqual({element.tag for element in parsed(drawn).iter()}, set(plain))
        self.assertEqual(
            re.findall(r"href|url\(|@import|script", drawn.replace("script", "", name.count("script"))), []
        )

    def test_the_date(self) -> None:
        """Beside the number of the table."""
        self.assertIn("table 7, 2026-01-31", words(self.drawn(5, date="2026-01-31")))
