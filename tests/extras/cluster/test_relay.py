"""Connections that are passed on, and what one member tells another one of them."""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import cycle
from struct import pack
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json as msgspec_json
from msgspec.json import schema_components
from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.protocols.basic import Int32StringReceiver
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.cluster import claiming, membership
from gamehost.extras.cluster.relay import (
    LONGEST,
    LONGEST_FRAME,
    MOST_UNANSWERED,
    PATIENCE,
    FramedTransport,
    Preamble,
    Relays,
    Return,
    read_preamble,
)
from gamehost.journal.records import SeatRecord
from gamehost.limits import Limits
from gamehost.lobby.lists import Page
from gamehost.net.limiter import ConnectionLimiter
from gamehost.storage.names import INTERFACE, Member
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import BUFFER, StrictTransport
from gamehost.testing.transcript import Hears, Transcript, play, read_transcripts
from gamehost.wires.framing import WireError
from tests.kit.litama import tokens_differ
from tests.kit.memory_cluster import World
from tests.kit.memory_host import WORDED, Client
from tests.kit.sources import ROOT

TRANSCRIPTS = ROOT / "tests" / "transcripts"
SPREADING = ("onitama", "onitama-final", "stratego-frames", "stratego-lines", "paper-soccer")


class Doors:
    """The members of a cluster as the one host of a transcript: connections come to them in turn."""

    def __init__(self, world: World, *numbers: int) -> None:
        self.world = world
        self._next = cycle(world.hosts[number] for number in numbers)

    def connect(self, wire: str) -> Client:
        return next(self._next).connect(wire)

    def wait(self, seconds: float) -> None:
        self.world.wait(seconds)


def transcripts(wire: str) -> Iterator[Transcript]:
    """Those of a wire. The names of guests, and those that are proposed, have the number of the member."""
    for transcript in read_transcripts(TRANSCRIPTS / wire, wire in WORDED):
        steps = [
            evolve(step, line=re.sub(r"(guest|\bann)\.([12])\b", r"\1.2.\2", step.line))
            if isinstance(step, Hears)
            else step
            for step in transcript.steps
        ]
        yield evolve(transcript, steps=tuple(steps))


class TranscriptTests(SynchronousTestCase):
    """Clients do not notice that they are relayed: all transcripts of the project are the same at another member."""

    def play(self, wire: str, *doors: int, but: Sequence[str] = ()) -> None:
        self.patch(membership, "AMONG_THEMSELVES", 0.0)
        self.patch(claiming, "LOOK_AGAIN", 0.0)
        for transcript in transcripts(wire):
            if transcript.name not in but:
                host: Any = Doors(World(settings=transcript.settings, **tokens_differ(wire)), *doors)
                play(transcript, host)

    def test_all_at_another_member(self) -> None:
        """All clients at a member that does not lead. Times of Eriantys' pings differ; slow matches are for hosts alone."""
        for wire in sorted(folder.name for folder in TRANSCRIPTS.iterdir()):
            self.play(wire, 1, but=("pace", "slow"))

    def test_at_both(self) -> None:
        """Every second client at another member. In one transcript both wait then, and meet only a moment later."""
        for wire in SPREADING:
            self.play(wire, 0, 1, but=("coming-back" if wire == "paper-soccer" else "", "slow"))


class Home(Protocol):
    def __init__(self) -> None:
        self.heard = b""

    def dataReceived(self, data: bytes) -> None:
        self.heard += data


class RelayCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        limits = Limits()
        self.limiter = ConnectionLimiter(limits)
        self.homes: list[StrictTransport] = []
        self.reached = True
        here: Any = self
        self.relays = Relays(lambda address: here, self.clock, self.limiter)
        self.relays.search, self.relays.keep = here.search, here.keep
        self.found: Member | bool | None = Member(2, "b", "memory:2", "secret")
        self.searched: list[tuple[str, int]] = []
        self.kept: list[tuple[Any, Preamble, bytes]] = []
        self.ended = 0
        self.client = StrictTransport(self.clock)
        self.limiter.admit("192.0.2.1", 0.0)

    def connect(self, factory: Any) -> Deferred[Any]:
        if not self.reached:
            return fail(ConnectionRefusedError())
        transport = StrictTransport(self.clock)
        transport.protocol = protocol = factory.buildProtocol(None)
        self.homes.append(transport)
        protocol.makeConnection(transport)
        return succeed(protocol)

    def keep(self, *connection: Any) -> None:
        self.kept.append(connection)

    def search(self, key: str, home: int) -> "RelayCase":
        self.searched.append((key, home))
        return self

    def find(self) -> Member | bool | None:
        return self.found

    def end(self) -> None:
        self.ended += 1

    def pass_on(self, adopt: SeatRecord | None = None, client: StrictTransport | None = None) -> None:
        self.relays.pass_on(client, "ann", 2, Preamble("", "onitama", "192.0.2.1", adopt=adopt), b"first")

    def say(self, data: bytes, home: int = -1) -> None:
        """The other member sends a frame."""
        self.homes[home].receive(pack(">I", len(data)) + data)

    def advance(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.05)):
            self.clock.advance(0.05)

    def assert_over(self) -> None:
        self.assertEqual((self.relays.all, self.limiter.count, self.clock.getDelayedCalls()), (set(), 0, []))
        self.assertGreater(self.ended, 0)


class BytesTests(RelayCase):
    def setUp(self) -> None:
        super().setUp()
        self.pass_on(client=self.client)
        [self.home] = self.homes
        line, _, rest = self.home.read().partition(b"\n")
        self.assertIn(b'"token":"secret"', line)
        self.assertEqual(rest, b"first")

    def test_a_frame_that_is_too_long(self) -> None:
        """Nobody collects it."""
        self.home.receive(pack(">I", LONGEST_FRAME + 1))
        self.assertTrue(self.home.disconnecting)

    def test_a_client_that_does_not_read(self) -> None:
        """Of 10 MB that the other member has for a client that does not read, hardly more than one buffer is kept here."""
        self.client.reads = False
        for _ in range(160):
            self.say(b"x" * 65_536)
        self.assertLessEqual(self.client.queued, BUFFER + 65_536)
        self.client.reads = True
        got = 0
        while data := self.client.read():
            got += len(data)
            self.clock.advance(0)
        self.assertEqual(got, 160 * 65_536)

    def test_a_member_that_does_not_read(self) -> None:
        self.home.reads = False
        for _ in range(160):
            self.client.receive(b"x" * 65_536)
        self.assertLessEqual(self.home.queued, BUFFER + 65_536)

    def test_the_client_goes(self) -> None:
        """What it has sent goes out before the other connection is closed."""
        self.home.reads = False
        self.client.receive(b"the last words")
        self.client.hang_up()
        self.assertFalse(self.home.disconnected)
        self.assertEqual(self.home.read(), b"the last words")
        self.clock.advance(0)
        self.assertTrue(self.home.disconnected)
        self.assert_over()

    def test_the_home_closes(self) -> None:
        self.client.reads = False
        self.say(b"bye")
        self.home.hang_up()
        self.assertEqual(self.client.read(), b"bye")
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected)
        self.assert_over()

    def test_the_home_is_dead(self) -> None:
        """Both connections end at once, also that of a client that does not read."""
        self.client.reads = False
        self.say(b"bye")
        self.relays.cut_all_but({1, 2})
        self.assertEqual(len(self.relays.all), 1)
        self.relays.cut_all_but({1})
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected)
        self.assertTrue(self.home.disconnected)
        self.assert_over()


class DiallingTests(RelayCase):
    def test_it_is_reached_late(self) -> None:
        """It is tried again and again, and nothing is read from the client meanwhile."""
        self.reached = False
        self.pass_on(client=self.client)
        self.client.receive(b"more")
        self.advance(PATIENCE - 1)
        self.relays.cut_all_but({1})
        self.reached = True
        self.advance(0.2)
        self.assertTrue(self.homes[0].read().endswith(b"\nfirstmore"))

    def test_it_is_never_reached(self) -> None:
        self.found = None
        self.pass_on(client=self.client)
        self.advance(PATIENCE + 0.2)
        self.assertTrue(self.client.disconnected)
        self.assert_over()

    def test_the_client_goes_before(self) -> None:
        self.reached = False
        self.pass_on(client=self.client)
        self.client.hang_up()
        self.assert_over()

    def test_the_host_stops(self) -> None:
        self.reached = False
        self.pass_on(client=self.client)
        self.relays.close()
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected)
        self.assert_over()

    def test_it_is_this_host(self) -> None:
        """Then the connection stays, with the bytes that have come, and is read again."""
        self.found = None
        self.pass_on(client=self.client)
        self.client.protocol.dataReceived(b"decrypted")
        self.found = False
        self.advance(0.2)
        [(transport, preamble, data)] = self.kept
        self.assertEqual((transport, preamble.wire, data), (self.client, "onitama", b"firstdecrypted"))
        self.assertTrue(self.client._reading)
        self.assert_over()


class LossTests(RelayCase):
    def setUp(self) -> None:
        super().setUp()
        self.pass_on(client=self.client)
        self.client.receive(b" word")

    def lose(self) -> None:
        """The connection is reset, and another member is the one that is meant."""
        self.found = Member(3, "c", "memory:3", "another")
        self.homes[0].abortConnection()
        self.advance(0.3)

    def test_it_has_said_nothing(self) -> None:
        """The next one gets all that the client has sent, and goes on."""
        self.lose()
        line, _, rest = self.homes[1].read().partition(b"\n")
        self.assertIn(b'"token":"another"', line)
        self.assertEqual(rest, b"first word")
        self.client.receive(b"ping")
        self.say(b"pong")
        self.assertEqual((self.homes[1].read(), self.client.read()), (b"ping", b"pong"))

    def test_it_has_answered(self) -> None:
        self.say(b"hello")
        self.lose()
        self.assertEqual((self.client.disconnected, len(self.homes)), (True, 1))
        self.assert_over()

    def test_it_has_heard_too_much(self) -> None:
        """What a client sends to somebody who says nothing is not kept without end."""
        self.client.receive(bytes(MOST_UNANSWERED))
        self.lose()
        self.assertEqual((self.client.disconnected, len(self.homes)), (True, 1))

    def test_it_was_silent_for_long(self) -> None:
        """Who waits there for an opponent is told nothing. Nobody else can go on with that."""
        self.advance(PATIENCE + 1)
        self.lose()
        self.assertEqual((self.client.disconnected, len(self.homes)), (True, 1))
        self.assert_over()


class StopTests(RelayCase):
    def test_what_was_said_goes_out(self) -> None:
        """The client hears the last words of the other member before the end."""
        self.pass_on(client=self.client)
        self.say(b"bye")
        self.relays.close()
        self.clock.advance(0)
        self.assertFalse(self.client.aborted or self.homes[0].aborted)
        self.assertEqual(self.client.read(), b"bye")
        self.clock.advance(0)
        self.assert_over()


class AdoptionTests(RelayCase):
    record = SeatRecord("bob", "onitama", "192.0.2.1", False, "")

    def lost(self) -> bool:
        """Whether the other member was told that the client is lost."""
        [home] = self.homes
        line = home.read().partition(b"\n")[0]
        self.assertIn(b'"name":"bob"', line)
        self.clock.advance(0)
        return b'"lost":true' in line

    def test_the_client_was_lost(self) -> None:
        self.limiter.leave("192.0.2.1")
        self.pass_on(self.record)
        self.assertTrue(self.lost())
        self.assert_over()

    def test_the_client_goes_before(self) -> None:
        """The other member is told so when it is reached."""
        self.reached = False
        self.pass_on(self.record, self.client)
        self.client.hang_up()
        self.assertEqual(self.limiter.count, 0)
        self.reached = True
        self.advance(0.2)
        self.assertTrue(self.lost())
        self.assert_over()

    def test_it_is_reached_too_late(self) -> None:
        """The client's connection ends, and the other member is told so whenever it is reached: it has the name."""
        self.reached = False
        self.pass_on(self.record, self.client)
        self.advance(PATIENCE + 0.2)
        self.assertTrue(self.client.disconnected)
        self.assertEqual(self.limiter.count, 0)
        self.advance(3 * PATIENCE)
        self.reached = True
        self.advance(PATIENCE)
        self.assertTrue(self.lost())
        self.assert_over()


class ReturnTests(RelayCase):
    """The other member gives a connection back."""

    record = SeatRecord("bob", "onitama", "192.0.2.1", False, "")

    def give_back(self, adopt: SeatRecord | None, *more: bytes) -> None:
        """All but the last frame."""
        self.pass_on(client=self.client)
        [self.home] = self.homes
        self.say(b"bye")
        self.mark = read_preamble(self.home.read().partition(b"\n")[0]).mark.encode()
        returned = Return("place", 3, Preamble("", "onitama", "192.0.2.1", skip=1, adopt=adopt))
        for frame in (b"", msgspec_json.encode(returned), *more):
            self.say(frame)
        self.found = Member(3, "c", "memory:3", "another")

    def end_back(self) -> None:
        self.say(b"", 0)
        self.home.loseConnection()
        self.advance(0.3)

    def test_it_goes_on(self) -> None:
        """The third member gets what the second one has not heard, and what the client has sent meanwhile, in order."""
        self.give_back(None, b"kept", b"unheard")
        self.client.protocol.dataReceived(b"decrypted")
        self.assertEqual((self.home.read(), self.client.read()), (self.mark, b"bye"))
        self.end_back()
        self.assertEqual(self.searched, [("ann", 2), ("place", 3)])
        line, _, rest = self.homes[1].read().partition(b"\n")
        preamble = read_preamble(line)
        self.assertEqual((preamble.token, preamble.skip, rest), ("another", 1, b"keptunhearddecrypted"))
        self.assertNotIn(preamble.mark.encode(), ("", self.mark))
        self.client.receive(b"ping")
        self.say(b"pong")
        self.assertEqual((self.homes[1].read(), self.client.read()), (b"ping", b"pong"))
        self.assertEqual(self.limiter.count, 1)

    def test_it_is_this_host(self) -> None:
        self.give_back(self.record, b"kept")
        self.found = False
        self.end_back()
        [(transport, preamble, data)] = self.kept
        self.assertEqual((transport, preamble.adopt, preamble.lost, data), (self.client, self.record, False, b"kept"))
        self.assertTrue(self.client._reading)
        self.assert_over()

    def test_the_client_goes_meanwhile(self) -> None:
        """The third member has the name, and is told; if nobody has logged in, there is nothing to tell."""
        self.give_back(self.record)
        self.client.hang_up()
        self.assertEqual(self.limiter.count, 0)
        self.end_back()
        self.assertIn(b'"lost":true', self.homes[1].read())
        self.clock.advance(0)
        self.assert_over()

    def test_a_stranger_goes_meanwhile(self) -> None:
        self.give_back(None)
        self.client.hang_up()
        self.end_back()
        self.assertEqual(len(self.homes), 1)
        self.assert_over()

    def test_this_host_keeps_the_name(self) -> None:
        """The client is lost, and the name has its home here."""
        self.give_back(self.record)
        self.client.hang_up()
        self.found = False
        self.end_back()
        [(transport, preamble, _)] = self.kept
        self.assertEqual((transport, preamble.lost), (None, True))
        self.assert_over()

    def test_this_host_stops_meanwhile(self) -> None:
        """Nobody is looked for then."""
        self.give_back(self.record)
        self.say(b"", 0)
        self.relays.close()
        self.advance(0.3)
        self.assertEqual((self.searched, len(self.homes)), ([("ann", 2)], 1))
        self.assert_over()

    def test_it_ends_meanwhile(self) -> None:
        """Some bytes may be missing then, so nobody goes on with the connection."""
        self.give_back(self.record, b"kept")
        self.home.loseConnection()
        self.advance(0.3)
        self.assertEqual((self.client.disconnected, len(self.homes)), (True, 1))
        self.assert_over()


class GivingBackTests(RelayCase):
    """This host gives a connection back to the member that relays it."""

    def give_back(self, adopt: SeatRecord | None = None) -> None:
        preamble = Preamble("", "onitama", "192.0.2.1", adopt=adopt)
        self.relays.pass_on(FramedTransport(self.client, "the mark"), "ann", 3, preamble, b"kept")

    def test_what_nobody_has_heard(self) -> None:
        self.give_back()
        self.assertEqual(self.limiter.count, 0)
        for data in (b" more", b" the ma", b"rk"):
            self.client.receive(data)
        nothing, line, rest, end = Frames().read(self.client.read())
        self.assertEqual((nothing, rest, end), (b"", b"kept more ", b""))
        self.assertEqual((json.loads(line)["key"], json.loads(line)["home"]), ("ann", 3))
        self.clock.advance(0)
        self.assertTrue(self.client.disconnected)
        self.assertEqual(self.homes, [])

    def test_the_other_member_ends(self) -> None:
        """The home of the name must know that nobody comes."""
        self.give_back(AdoptionTests.record)
        self.client.hang_up()
        self.assertEqual(self.searched, [("ann", 3)])
        self.assertIn(b'"lost":true', self.homes[0].read())
        self.clock.advance(0)
        self.assert_over()

    def test_long_answers(self) -> None:
        """They come in frames of a bounded length."""
        FramedTransport(self.client, "").writeSequence([bytes(LONGEST_FRAME), bytes(LONGEST_FRAME + 1)])
        sizes: list[int] = []
        while data := self.client.read():
            sizes += map(len, Frames().read(data))
            self.clock.advance(0)
        self.assertEqual(sizes, [LONGEST_FRAME, LONGEST_FRAME, 1])


class Frames(Int32StringReceiver):
    """What frames have, for tests."""

    def __init__(self) -> None:
        self.strings: list[bytes] = []

    def stringReceived(self, string: bytes) -> None:
        self.strings.append(string)

    def read(self, data: bytes) -> list[bytes]:
        self.dataReceived(data)
        return self.strings


WAITING = SeatRecord("Ann", "onitama", "192.0.2.1", True, "d" * 64)
FULL = Preamble("a token", "onitama", "2001:db8::1", tls=True, skip=3, sequence=4, hops=2, adopt=WAITING)


class PreambleTests(PropertyCase):
    def test_there_and_back(self) -> None:
        for preamble in (FULL, replace(FULL, adopt=None), Preamble("", "web", "")):
            line = preamble.line()
            self.assertTrue(line.endswith(b"\n"))
            self.assertLess(len(line), LONGEST)
            self.assertEqual(read_preamble(line[:-1]), preamble)

    def test_secrets(self) -> None:
        self.assertNotIn("a token", repr(FULL))
        self.assertNotIn("ddd", repr(FULL))

    @given(st.sampled_from(["token", "wire", "address", "tls", "skip", "sequence", "hops", "mark", "adopt"]), st.data())
    def test_other_kinds(self, name: str, data: st.DataObject) -> None:
        facts = json.loads(FULL.line())
        kind = type(facts[name])
        kinds: tuple[object, ...] = ("x", 1, -1, 1.5, True, None, [], {})
        others = [value for value in kinds if type(value) is not kind or value == -1]
        if name == "adopt":
            others.remove(None)
        facts[name] = data.draw(st.sampled_from(others))
        self.assertRaises(WireError, read_preamble, json.dumps(facts).encode())

    @given(st.binary(max_size=80))
    def test_garbage(self, line: bytes) -> None:
        self.assertRaises(WireError, read_preamble, line)

    def test_another_interface(self) -> None:
        """A member of another release is named as one, whatever else its preamble has. Older ones have no number."""
        facts: dict[str, object] = json.loads(FULL.line())
        older = {key: value for key, value in facts.items() if key not in ("interface", "hops")}
        for changed, number in (({**facts, "interface": INTERFACE + 1, "more": []}, INTERFACE + 1), (older, 0)):
            wrong = self.assertRaises(WireError, read_preamble, json.dumps(changed).encode())
            words = f"it comes from a member with interface {number} between members, and this release has {INTERFACE}"
            self.assertEqual(str(wrong), words)

    def test_the_number_of_the_interface(self) -> None:
        """Who changes what members say to each other gives it the next number, and the new sum here."""
        _, parts = schema_components([Preamble, Return, Page])
        for part in parts.values():
            part.pop("description", None)
        found = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
        self.assertEqual((INTERFACE, found), (5, "5618d6c437da69fe"))

    def test_other_names(self) -> None:
        """Facts that are missing, and facts that nobody knows, are refused."""
        facts: dict[str, object] = json.loads(FULL.line())
        less = {key: value for key, value in facts.items() if key != "token"}
        cases: list[object] = [{**facts, "more": 1}, less, [], "x", 3]
        for changed in cases:
            self.assertRaises(WireError, read_preamble, json.dumps(changed).encode())
        self.assertRaises(WireError, read_preamble, b"[" * 3000)
