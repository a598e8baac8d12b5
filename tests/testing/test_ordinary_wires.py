"""Protocols that most wires are not like, and that pass the contract with its hooks all the same."""

from pathlib import Path
from typing import Any, ClassVar

from attrs import evolve
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import NameRefused
from gamehost.lobby.sessions import Queue
from gamehost.settings import Settings
from gamehost.tables.interfaces import Over
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, Lines
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.base import Claim, Wire
from tests.kit.example_game import TOY, TOY_WIRE, ToyCodec, ToyConfig, ToyConversation, ToyState
from tests.kit.plugin_games import GOMOKU_WIRE, GomokuConversation, Refused, gomoku_tests
from tests.testing.test_wire_contract import ToyHooks


class RawCodec(ToyCodec):
    """Lines that end in CR and LF."""

    def encode(self, message: str) -> bytes:
        return message.encode("ascii") + b"\r\n"


class RawConversation(ToyConversation):
    """`welcome` first; a client is anybody, cannot come back, and is closed after its match."""

    def begin(self) -> None:
        self.peer.say("welcome")

    def heard(self, message: str) -> None:
        match message.split():
            case ["hi"] if self.state is ToyState.OUT:
                try:
                    self.session = self.lobby.enter_as("", "toy", self.peer.address, self)
                except NameRefused as refusal:
                    self.peer.refuse(f"no {refusal}")
                    return
                self.peer.logged_in()
                self.set_state(ToyState.IN)
                self.lobby.play(self.session, Queue(TOY))
            case _:
                self.unexpected(message)

    def claimed(self, message: str) -> Claim | None:
        return None

    def tell(self, event: Any) -> None:
        super().tell(event)
        if isinstance(event, Over):
            self.peer.hang_up("the match is over")

    HEARS: ClassVar[Any] = {**ToyConversation.HEARS, (ToyState.OUT, str): heard}
    CLAIMS: ClassVar[Any] = {(ToyState.OUT, str): claimed}
    TELLS: ClassVar[Any] = dict.fromkeys(ToyConversation.TELLS, tell)


def configure(settings: Settings) -> ToyConfig:
    TOY_WIRE.configure(settings)
    return ToyConfig(RawCodec, RawConversation)


RAW_WIRE: Wire[str] = evolve(TOY_WIRE, configure=configure)


class RawLines(Lines):
    END = b"\r\n"


class RawHooks(WireContract):
    wire = RAW_WIRE
    transcripts = Path(__file__).parent / "transcripts" / "raw"
    text = RawLines
    begun = b"hi"
    too_long = b"hi " + b"a" * 38 + b"\r\n"
    impossible_names = ()
    nonsense = (b"canary\r\n", b"\x1b[2Jcanary\r\n", b"canary\x07\x00canary\r\n")
    nameless = "whoever connects is another player"
    no_return = "nothing says who comes back"
    closes_after_match = "a connection has one match"

    def log_in(self, name: str) -> bytes:
        return b"hi\r\n"

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"+1\r\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"+7\r\n"


class RawWireTests(RawHooks, PropertyCase):
    streams_in_suite = socket_streams = 20


class FaultTests(SynchronousTestCase):
    """A reason that is not true is found, and so are faults of such wires."""

    def fails(self, hooks: type[WireContract], test: str, wire: Wire[str] | None = None, **planted: Any) -> str:
        case: Any = type("FaultyWireTests", (hooks, PropertyCase), {**planted, "wire": wire or hooks.wire})
        result = TestResult()
        case(test).run(result)
        return "".join(str(getattr(one, "value", one)) for _, one in (*result.failures, *result.errors))

    def spoken(self, codec: type[ToyCodec] = RawCodec, **methods: Any) -> Wire[str]:
        conversation: Any = type("FaultyConversation", (RawConversation,), methods)
        return evolve(RAW_WIRE, configure=lambda _: ToyConfig(codec, conversation))

    def test_a_wire_has_what_it_says_that_it_lacks(self) -> None:
        test = "test_what_the_protocol_lacks_is_not_there"
        self.assertIn("`log_in` says a name", self.fails(ToyHooks, test, nameless="none"))
        self.assertIn("the seat is taken back", self.fails(ToyHooks, test, no_return="none"))
        after = "test_after_the_end_another_match_can_be_played"
        self.assertIn("the connection is open", self.fails(ToyHooks, after, closes_after_match="always"))

    def test_a_wire_does_not_say_that_it_closes(self) -> None:
        after = "test_after_the_end_another_match_can_be_played"
        self.assertIn("set `closes_after_match`", self.fails(RawHooks, after, closes_after_match=""))

    def test_one_message_ends_in_lf_alone(self) -> None:
        class Codec(RawCodec):
            def encode(self, message: str) -> bytes:
                return super().encode(message).replace(b"\r", b"" if message.startswith("no") else b"\r")

        told = self.fails(RawHooks, "test_every_message_is_written_whole", self.spoken(Codec))
        self.assertIn("is not a whole message", told)

    def test_a_mistake_can_be_made_for_ever(self) -> None:
        class Endless(GomokuConversation):
            def _refuse(self, reason: str) -> None:
                self.peer.say(Refused(reason))

        def configure(settings: Settings) -> Any:
            configured: Any = GOMOKU_WIRE.configure(settings)
            return evolve(configured, conversation=Endless)

        wire: Any = evolve(GOMOKU_WIRE, configure=configure)
        told = self.fails(gomoku_tests.WireTests, "test_a_message_out_of_place_is_refused", wire)
        self.assertIn("answer with `peer.refuse`", told)

    def test_the_server_does_not_speak_first(self) -> None:
        told = self.fails(RawHooks, "test_transcripts", self.spoken(begin=lambda self: None))
        self.assertIn("first-game", told)

    def test_a_second_player_of_one_connection(self) -> None:
        def again(self: RawConversation, message: str) -> None:
            if message == "hi":
                self.state = ToyState.OUT
                self.heard(message)
            else:
                self.played(message)

        hears = {**RawConversation.HEARS, (ToyState.IN, str): again}
        self.assertIn(
            "a second time", self.fails(RawHooks, "test_a_second_log_in_is_refused", self.spoken(HEARS=hears))
        )
