"""A wire for a game that exists, written from CONTRIBUTING and the pages of the games alone: it passes the contract."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from gamehost.games.onitama.master import ONITAMA
from gamehost.tables.interfaces import Back
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.base import Wire, common_wire
from gamehost.wires.conversation import BackWithEvents
from tests.kit.plain_wire import WIRE, PlainCodec, PlainConversation, Words


class TellingConversation(BackWithEvents[Any], PlainConversation):
    """Tells a player who is back what kinds of events there were."""

    def tell_back(self, event: Back[Any]) -> None:
        super().tell_back(event)
        self.peer.say(Words(" ".join(["after", *(type(one).__name__.lower() for one in event.events)])))

    TELLS: ClassVar[Any] = {**PlainConversation.TELLS, Back: tell_back}


TELLING: Wire[Any] = common_wire("plain", "", "", ONITAMA, PlainCodec, TellingConversation)


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = Path(__file__).parents[1] / "testing" / "transcripts"
    host_settings = {"onitama.deal": "boar,ox/crab,eel/tiger"}
    begun = b"name aaaa"
    too_long = b"name " + b"a" * 76 + b"\n"
    streams_in_suite = 200
    socket_streams = 60

    def log_in(self, name: str) -> bytes:
        return f"name {name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"play boar c1 c2\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"play boar c1 c3\n"

    def test_back_has_the_events(self) -> None:
        """With one more base of the conversation. What is played while they are read comes behind `Back`."""
        host = MemoryHost(self.host_settings, wires=(TELLING,))
        ann, bob = host.connect(WIRE.name), host.connect(WIRE.name)
        ann.say("name ann")
        bob.say("name bob")
        ann.say("play boar c1 c2")
        bob.say("play crab c5 c4")
        bob.drop()
        reads: list[Callable[[], None]] = []
        read = host.journal.read
        self.patch(host.journal, "read", lambda table, found: reads.append(partial(read, table, found)))
        again = host.connect(WIRE.name)
        again.say("name bob")
        ann.say("play ox c2 c3")
        self.assertEqual(again.heard(), [])
        reads.pop()()
        host.until_idle()
        deal, after, moved = again.heard()
        self.assertEqual((after, moved), ("after dealt moved moved", "moved 0 ox c2 c3"))
        self.assertTrue(deal.startswith("deal 1 "))

    def test_it_is_short(self) -> None:
        """At most 250 lines for codec, conversation and token."""
        source = Path(__file__).parents[1] / "kit" / "plain_wire.py"
        self.assertLess(source.read_text("utf-8").count("\n"), 250)
