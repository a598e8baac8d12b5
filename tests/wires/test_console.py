"""The console: what all wires do."""

import contextlib
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.screen import Style, abridged, columns, cut, listed, padded, wrapped
from gamehost.lobby.house import HouseRules
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CONTROL
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.console import WIRE
from gamehost.wires.console.conversation import ConsoleConversation
from gamehost.wires.console.elsewhere import ConsoleState
from tests import share
from tests.kit.memory_host import HOME, SAID, ConsoleWords, MemoryHost, without_options
from tests.kit.players import house_host
from tests.kit.wires.console import ON_WIRE, Person
from tests.kit.wires.open import DEAL
from tests.kit.wires.stratego_frames import PairsContract

#: So many lines of a transcript are one stream for the fuzzer.
PIECE = 5


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = HOME
    text = ConsoleWords
    host_settings = DEAL
    begun = b"name aaaaa"
    too_long = b"name " + b"a" * 1020 + b"\n"
    nonsense = (
        *WireContract.nonsense,
        *(b"canary canary\n", b"play canary\n", b"watch canary\n", b"join 1-canary\n", b"set canary on\n"),
        *(b"set width canary\n", b"next canary\n", b"help canary\n", b'{"do":"canary"}\n', b"replay 9 canary\n"),
        *(b"play onitama canary=1\n", b"play onitama move_time=canary\n", b"\xff\xfa\x18\x00canary\xff\xf0\r\n"),
        b"\xff\xffcanary\n",
    )
    streams_in_suite = 150
    unreached = {ConsoleState.CHECKING: "passwords are checked at once in memory"}

    def log_in(self, name: str) -> bytes:
        return f"name {name}\n".encode()

    def join(self, client: Client, name: str) -> None:
        client.send(self.log_in(name) + b"play onitama\n")

    def join_again(self, client: Client, name: str) -> None:
        client.send(b"play onitama\n")

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"ox c1 c2\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"ox c1 c5\n"

    def corpus(self) -> Sequence[bytes]:
        """Short pieces of the transcripts: each line that is typed may draw a board."""
        lines = [stream.splitlines(keepends=True) for stream in super().corpus()]
        pieces = [b"".join(some[start : start + PIECE]) for some in lines for start in range(0, len(some), PIECE)]
        return [*pieces, b"".join(SAID.values()) + b"play onitama\r\nox c1 c2\r\n\xff\xfb\x1f" + b"board\n"]

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {
            **super().situations(),
            "named": partial(self.typed, b"name carl\n"),
            "asked for a password": partial(self.typed, b"login carl\n"),
            "account": partial(self.typed, b"login carl\nsecret secret\n"),
        }

    def typed(self, text: bytes) -> Situation:
        host, client = self.connected(unlimited="yes")
        client.send(text)
        return Situation(host, client)

    def _assert_no_echo(self, answer: bytes, where: str) -> None:
        super()._assert_no_echo(answer, where)
        self.assertIsNone(CONTROL.search(without_options(answer).replace(b"\r\n", b"\n")), where)

    def _answers(self, pieces: Sequence[bytes], waiting: bool = False) -> tuple[bytes, bytes]:
        first, second = super()._answers(pieces, waiting)
        colours = b"\xff\xfa\x18\x00" in b"".join(pieces)  # a terminal that is told of may get them
        for answer in () if colours else (first, second):
            self.assertIsNone(CONTROL.search(without_options(answer).replace(b"\r\n", b"\n")), pieces)
        return first, second


# Whole games by people who type only what the console suggests, also against every documented wire.


SETTINGS = {"onitama.max_plies": "40", "stratego.max_plies": "40", "limits.unlimited": "yes"}
STEPS = share(1_000, 5_000)


class SuggestionTests(SynchronousTestCase):
    def played(self, host: MemoryHost, people: Sequence[Person]) -> None:
        for _ in range(STEPS):
            if not any([person.follow() for person in people]):
                break
            host.until_idle()
        for person in people:
            person.look()
            self.assertTrue(person.over, person.seen[-12:])

    def test_who_types_what_is_suggested_plays_to_the_end(self) -> None:
        host = MemoryHost(SETTINGS, rng=random.Random(1).randrange)
        ann, bob = Person(host), Person(host, "192.0.2.2")
        self.assertEqual(ann.suggested(), "play onitama")
        ann.type("play onitama")
        self.assertEqual(ann.suggested(), "cancel")
        bob.follow()
        self.played(host, [ann, bob])

    def test_a_house_player_is_suggested(self) -> None:
        host, programs = house_host(SETTINGS)
        person = Person(host)
        self.assertEqual(person.suggested(), "play onitama")
        person.follow()
        self.assertEqual(person.suggested(), "play onitama easy")
        person.follow()
        self.assertEqual(programs.called, ["easy.1"])
        self.assertIn("Match 1: Onitama. You play against easy.1.", person.seen)

    def test_without_house_players(self) -> None:
        host, _ = house_host(SETTINGS, HouseRules({"stratego": 20.0}))
        person = Person(host)
        person.follow()
        person.type("play onitama easy")
        self.assertIn("There are no house players for onitama.", " ".join(person.seen))
        self.assertEqual(len(host.lobby.directory.waiting()["onitama"].names), 1)


# What is hidden stays hidden on the console: the enemy's pieces, and everybody's password.


class SecretTests(PairsContract, SynchronousTestCase):
    on_wire = ON_WIRE
    pairs = 8


class CanaryTests(SynchronousTestCase):
    def test_a_password_is_never_told(self) -> None:
        """Right or wrong, before and after its time, and when the conversation crashes at it."""

        def broken(*anything: object) -> None:
            raise RuntimeError("planted")

        for crash in (False, True):
            host = MemoryHost()
            client, other = host.connect("console"), host.connect("console")
            with capturedLogs() as events, contextlib.suppress(RuntimeError):
                client.say("login ann", "canary canary", "quit")
                if crash:
                    self.patch(ConsoleConversation, "_entered", broken)
                other.say("login ann", "canary-canary", "login ann", "canary canary")
            self.flushLoggedErrors()
            shown = [eventAsText(event, includeTraceback=True) for event in events]
            shown += [repr(other.protocol), repr(other.protocol.conversation), repr(host.lobby), repr(host.journal)]
            shown += [client.transport.read().decode(), other.transport.read().decode()]
            for text in shown:
                self.assertNotIn("canary", text)


# What the screens of all games share: styles, widths, lines.


class TextTests(SynchronousTestCase):
    def test_columns(self) -> None:
        self.assertEqual(columns("ab"), 2)
        self.assertEqual(columns("\u5b57a"), 3)
        self.assertEqual(columns(Style(colour=True).paint("ab", "1;32")), 2)

    def test_cutting_and_padding(self) -> None:
        self.assertEqual(cut("\u5b57\u5b57", 3), "\u5b57")
        self.assertEqual(padded("\u5b57", 4), "\u5b57  ")

    def test_wrapping(self) -> None:
        self.assertEqual(list(wrapped(["one two three", "four"], 8)), ["one two", "three", "four"])
        self.assertEqual(list(wrapped(["a 1234567890 b"], 4)), ["a", "1234", "5678", "90 b"])

    def test_lists_in_sentences(self) -> None:
        self.assertEqual(listed([]), "")
        self.assertEqual(listed(["a"]), "a")
        self.assertEqual(listed(["a", "b", "c"], "or"), "a, b or c")

    def test_long_lists_of_moves(self) -> None:
        self.assertEqual(abridged("abc", 3), ["a", "b", "c"])
        self.assertEqual(abridged("abc", 2), ["a", "b", "... and more."])


class StyleTests(SynchronousTestCase):
    def test_width(self) -> None:
        self.assertEqual([Style(width=width).width for width in (-1, 0, 40, 80, 65535)], [20, 20, 40, 80, 80])

    def test_characters(self) -> None:
        self.assertEqual(Style(charset="ascii").plain("a\u5b57"), "a?")
        self.assertEqual(Style(charset="ascii").pick("\u00b7", "."), ".")
        self.assertEqual(Style().pick("\u00b7", "."), "\u00b7")

    def test_colours(self) -> None:
        self.assertEqual(Style().paint("a", "1"), "a")
        self.assertEqual(Style(colour=True).paint("a", "1"), "\x1b[1ma\x1b[0m")
