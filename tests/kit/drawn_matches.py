"""Records of random matches, their pictures as programs see them, and what every picture must be."""

import random
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.messages import Messages
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


# What the messages of every game must do. Their tests derive `class MessagesTests(MessagesContract, PropertyCase)`.


class MessagesContract(Mixin):
    """The behaviours shared by all messages. Subclasses set `messages` and `player`, which knows how to play the game."""

    messages: Messages
    player: MasterContract

    @given(st.integers(0, 10_000))
    def test_everything_that_a_match_tells_is_a_message_that_reads_back_equal(self, seed: int) -> None:
        """Every event and every view, of seats and of watchers, through JSON and the published types."""
        rng = random.Random(seed)
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, steps = self.player.play(seats, rng, 60)
        for step in steps:
            for to in step.events:
                message = self.messages.event(to.event)
                if message is not None:
                    text = msgspec.json.encode(message)
                    self.assertEqual(msgspec.json.decode(text, type=self.messages.event_type), message)
        for seat in (*map(Seat, range(seats)), None):
            view = self.messages.view(master.view(seat))
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(view), type=self.messages.view_type), view)

    @given(st.integers(0, 10_000))
    def test_legal_actions_are_messages_that_read_back_equal_and_differ(self, seed: int) -> None:
        """Each action that is listed, and one that is drawn."""
        rng, game = random.Random(seed), self.player.game
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, _ = self.player.play(seats, rng, rng.randrange(60))
        for seat in map(Seat, range(seats)):
            view = master.view(seat)
            drawn = game.random_action(view, seat, rng.randrange)
            actions = [*islice(game.legal(view, seat) or (), 300), *([] if drawn is None else [drawn])]
            told: dict[bytes, set[bytes]] = {}
            for action in actions:
                text = msgspec.json.encode(self.messages.action(action))
                told.setdefault(text, set()).add(game.write(action))
                self.assertEqual(
                    msgspec.json.decode(text, type=self.messages.action_type), self.messages.action(action)
                )
            self.assertEqual({len(notations) for notations in told.values()} - {1}, set())

    @given(st.integers(0, 10_000))
    def test_equal_situations_look_alike(self, seed: int) -> None:
        """They show their argument and nothing else: no number of a process, no order of a set."""
        seats = self.player.seat_counts[0]
        first, _ = self.player.play(seats, random.Random(seed), 30)
        second, _ = self.player.play(seats, random.Random(seed), 30)
        for seat in (Seat(0), None):
            self.assertEqual(self.messages.view(first.view(seat)), self.messages.view(second.view(seat)))

    def test_the_schema_can_be_published(self) -> None:
        schema = msgspec.json.schema(self.messages.event_type)
        self.assertIn("kind", str(schema))
        self.assertTrue(msgspec.json.schema(self.messages.view_type))

    def shown(self, master: Any) -> Any:
        """What a watcher sees, as plain JSON values."""
        return msgspec.to_builtins(self.messages.view(master.view(None)))
