"""The wire contract: a sound wire passes it, and each of these faults of a wire is found by a test of it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from attrs import evolve
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.sessions import Queue, Session
from gamehost.tables.interfaces import Away, Back, Over, Refused, Suspended
from gamehost.testing import wire_connections
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.base import BackWithEvents, Claim, Wire, common_wire
from gamehost.wires.onitama import WIRE as PIPES
from gamehost.wires.onitama.codec import PipesCodec
from gamehost.wires.onitama.conversation import PipesConversation, PipesState
from gamehost.wires.onitama.messages import Login, Waiting
from tests.kit.example_game import TOY, TOY_WIRE, Add, Counted, ToyCodec, ToyConfig, ToyConversation, ToyState
from tests.kit.memory_host import MemoryHost
from tests.wires import test_onitama as test_onitama_contract


class ToyHooks(WireContract):
    wire = TOY_WIRE
    transcripts = Path(__file__).parent / "transcripts"
    begun = b"hi aaaa"
    too_long = b"hi " + b"a" * 38 + b"\n"

    def log_in(self, name: str) -> bytes:
        return f"hi {name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"+1\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"+7\n"


PipesHooks = test_onitama_contract.WireTests


class SoundWireTests(ToyHooks, PropertyCase):
    pass


def spoken(conversation: type[ToyConversation] = ToyConversation, codec: type[ToyCodec] = ToyCodec) -> Wire[str]:
    def configure(settings: Mapping[str, str]) -> ToyConfig:
        TOY_WIRE.configure(settings)
        return ToyConfig(codec, conversation)

    return evolve(TOY_WIRE, configure=configure)


def telling(**methods: Any) -> Wire[str]:
    return spoken(type("FaultyConversation", (ToyConversation,), methods))


def untold(event: type) -> Wire[str]:
    return telling(TELLS={kind: method for kind, method in ToyConversation.TELLS.items() if kind is not event})


def told_otherwise(event: type, method: Callable[[Any, Any], None]) -> Wire[str]:
    return telling(TELLS={**ToyConversation.TELLS, event: method})


def piped(conversation: type[PipesConversation] = PipesConversation, codec: type[PipesCodec] = PipesCodec) -> Wire[Any]:
    wire = PIPES
    return common_wire(
        *(wire.name, wire.title, wire.endpoint, wire.games[0], codec, conversation), spreads=wire.spreads
    )


def failed_tests(hooks: type[WireContract], wire: Wire[Any], *tests: str) -> set[str]:
    """Those of these tests, by default of all, that fail for a wire."""
    bases = (hooks,) if issubclass(hooks, PropertyCase) else (hooks, PropertyCase)
    case: Any = type("FaultyWireTests", bases, {"wire": wire})
    failed = set()
    for name in tests or [name for name in dir(case) if name.startswith("test_")]:
        result = TestResult()
        case(name).run(result)
        if not result.wasSuccessful():
            failed.add(name)
    return failed


def fails(hooks: type[WireContract], wire: Wire[Any], test: str) -> bool:
    return bool(failed_tests(hooks, wire, test))


class TellingConversation(BackWithEvents[str], ToyConversation):
    """Tells a player who is back what events there were."""

    def tell_back(self, event: Back[Any]) -> None:
        self.tell(event)
        self.peer.say(" ".join(["after", *(str(one.count) for one in event.events)]))

    TELLS: ClassVar[Any] = {**ToyConversation.TELLS, Back: tell_back}


class BackWithEventsTests(SynchronousTestCase):
    def test_what_comes_meanwhile_is_told_behind_it(self) -> None:
        host = MemoryHost(wires=(spoken(TellingConversation),))
        ann, bob = host.come("ann", "bob")
        ann.say("+1")
        bob.say("+2")
        bob.drop()
        reads: list[Callable[[], None]] = []
        read = host.journal.read
        self.patch(host.journal, "read", lambda table, found: reads.append(partial(read, table, found)))
        [again] = host.come("bob")
        ann.say("+1")
        self.assertEqual(again.heard(), [])
        reads.pop()()
        host.until_idle()
        self.assertEqual(again.heard(), ["back 1 3 9", "after 0 1 3", "count 4 9"])


class ClaimFaultTests(SynchronousTestCase):
    def test_a_sound_wire_passes(self) -> None:
        """This way of running tests finds nothing in wires that have no fault."""
        sound = piped()
        for test in dir(WireContract):
            if test.startswith("test_") and ("claim" in test or "adopted" in test or "another_host" in test):
                self.assertFalse(fails(ToyHooks, TOY_WIRE, test), test)
                self.assertFalse(fails(PipesHooks, sound, test), test)

    def test_no_claim(self) -> None:
        wire = telling(CLAIMS={})
        self.assertTrue(fails(ToyHooks, wire, "test_a_log_in_claims_its_name"))
        self.assertTrue(fails(ToyHooks, wire, "test_every_session_is_claimed"))
        self.assertTrue(fails(ToyHooks, wire, "test_log_ins_alone_claim"))

    def test_wrong_claims(self) -> None:
        for claim in (Claim("carl"), Claim("ann", Queue(TOY))):
            wire = telling(CLAIMS={(ToyState.OUT, str): lambda self, message, claim=claim: claim})
            self.assertTrue(fails(ToyHooks, wire, "test_a_log_in_claims_its_name"))

    def test_claims_of_what_is_no_name(self) -> None:
        wire = telling(CLAIMS={(ToyState.OUT, str): lambda self, message: Claim(message.removeprefix("hi "))})
        self.assertTrue(fails(ToyHooks, wire, "test_an_impossible_name_claims_nothing"))

    def test_claims_that_act(self) -> None:
        """To be asked changes something, or is answered."""

        def changing(self: ToyConversation, message: str) -> None:
            self.asked = True  # type: ignore[attr-defined]

        def saying(self: ToyConversation, message: str) -> None:
            self.peer.say("what?")

        for method in (changing, saying):
            wire = telling(CLAIMS={(ToyState.OUT, str): method})
            self.assertTrue(fails(ToyHooks, wire, "test_log_ins_alone_claim"))

    def test_adoption(self) -> None:
        class Talking(PipesConversation):
            def adopt(self, session: Session) -> None:
                super().adopt(session)
                self.peer.say(Waiting(session.name))

        class Hurrying(PipesConversation):
            def adopt(self, session: Session) -> None:
                super().adopt(session)
                self.peer.logged_out()

        class Idle(PipesConversation):
            def adopt(self, session: Session) -> None:
                self.logged_in(session)
                self.set_state(PipesState.WAITING)

        class Forgetful(PipesConversation):
            def adopt(self, session: Session) -> None:
                super().adopt(session)
                self.session = None

        for conversation, test in (
            (Talking, "test_an_adopted_client_plays"),
            (Hurrying, "test_an_adopted_client_waits"),
            (Idle, "test_an_adopted_client_waits"),
            (Forgetful, "test_an_adopted_client_waits"),
        ):
            self.assertTrue(fails(PipesHooks, piped(conversation), test), conversation.__name__)

    def test_handover(self) -> None:
        """A wire in which the answer to a log-in depends on what was said before, in the conversation or in the codec."""

        class Counting(PipesConversation):
            heard = 0

            def hear(self, message: Any) -> None:
                self.heard += 1
                super().hear(message)

            def log_in(self, message: Any) -> None:
                super().log_in(message)
                self.peer.say(Waiting(str(self.heard)))

            HEARS = {**PipesConversation.HEARS, (PipesState.OUTSIDE, Login): log_in}

        class Numbering(PipesCodec):
            said = 0

            def encode(self, message: Any) -> bytes:
                self.said += 1
                return b"%d %b" % (self.said, super().encode(message))

        for wire in (piped(Counting), piped(codec=Numbering)):
            self.assertTrue(fails(PipesHooks, wire, "test_a_log_in_is_heard_at_another_host"))
        self.assertTrue(fails(PipesHooks, piped(codec=Numbering), "test_the_next_log_in_is_heard_at_another_host"))


class FaultTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(wire_connections, "FUZZED", 40)

    def assert_found(self, wire: Wire[Any], *tests: str) -> None:
        """These tests fail for a wire. Others may fail, too."""
        if failed_tests(ToyHooks, wire, *tests) != set(tests):
            self.fail(f"only found by {sorted(failed_tests(ToyHooks, wire))}")

    def test_a_sound_wire_passes(self) -> None:
        """The way of running tests that is used here finds nothing wrong in the toy wire itself."""
        self.assertEqual(failed_tests(ToyHooks, TOY_WIRE), set())

    def test_missing_line_end(self) -> None:
        class Codec(ToyCodec):
            def encode(self, message: str) -> bytes:
                return message.encode("ascii") + (b"" if message.startswith("no") else b"\n")

        self.assert_found(spoken(codec=Codec), "test_every_message_is_written_whole")

    def test_beginning_untold(self) -> None:
        def tell(self: ToyConversation, event: Counted) -> None:
            if event.count:
                ToyConversation.tell(self, event)

        self.assert_found(told_otherwise(Counted, tell), "test_the_beginning_is_told_to_both")

    def test_move_untold(self) -> None:
        def tell(self: ToyConversation, event: Counted) -> None:
            if not event.count:
                ToyConversation.tell(self, event)

        self.assert_found(told_otherwise(Counted, tell), "test_a_legal_action_is_told")

    def test_over_untold(self) -> None:
        self.assert_found(untold(Over), "test_the_end_is_told")

    def test_refused_untold(self) -> None:
        self.assert_found(untold(Refused), "test_an_illegal_action_is_refused_to_its_sender_alone")

    def test_away_untold(self) -> None:
        self.assert_found(untold(Away), "test_an_absence_is_told")

    def test_suspended_untold(self) -> None:
        self.assert_found(told_otherwise(Suspended, lambda self, event: None), "test_a_suspended_match_is_told")

    def test_back_untold(self) -> None:
        self.assert_found(untold(Back), "test_a_return_is_told")

    def test_silent_closing(self) -> None:
        def say_closing(self: ToyConversation, reason: str) -> None:
            pass

        self.assert_found(telling(say_closing=say_closing), "test_silence_is_closed_at_ten_seconds")

    def test_silent_shutdown(self) -> None:
        def say_shutdown(self: ToyConversation, reason: str) -> None:
            pass

        self.assert_found(telling(say_shutdown=say_shutdown), "test_a_host_that_stops_says_so")

    def test_echo(self) -> None:
        def unexpected(self: ToyConversation, message: str) -> None:
            self.peer.refuse(f"no such command: {message}")

        self.assert_found(telling(unexpected=unexpected), "test_no_answer_holds_what_was_sent")

    def test_unchecked_settings(self) -> None:
        self.assert_found(evolve(TOY_WIRE, configure=lambda _: ToyConfig()), "test_unknown_settings_are_refused")

        def configure(settings: Mapping[str, str]) -> ToyConfig:
            return TOY_WIRE.configure({name: text for name, text in settings.items() if name != "colour"})  # type: ignore[return-value]

        coloured = evolve(TOY_WIRE, configure=configure, options={"colour": "yes or no"})
        self.assert_found(coloured, "test_settings_are_checked")

    def test_second_log_in(self) -> None:
        def played(self: ToyConversation, message: str) -> None:
            if message.startswith("hi "):
                self.state = ToyState.OUT
                self.heard(message)
            else:
                ToyConversation.played(self, message)

        hears = {**ToyConversation.HEARS, (ToyState.IN, str): played}
        self.assert_found(telling(HEARS=hears), "test_a_second_log_in_is_refused")

    def test_message_in_a_state_it_does_not_belong_to(self) -> None:
        """A wire with types of messages: one is not answered outside its state, or is acted on."""

        class Silent(PipesConversation):
            def unexpected(self, message: Any) -> None:
                pass

        class Acting(PipesConversation):
            def unexpected(self, message: Any) -> None:
                super().unexpected(message)
                self.set_state(PipesState.OUTSIDE)

        for conversation in (Silent, Acting):
            self.assertTrue(fails(PipesHooks, piped(conversation), "test_a_message_out_of_place_is_refused"))

    def test_session_not_left(self) -> None:
        """The name stays in use after the match, and its player cannot play again."""

        def tell(self: ToyConversation, event: Over) -> None:
            self.peer.say("over")
            self.handle = None
            self.set_state(ToyState.OUT)

        self.assert_found(told_otherwise(Over, tell), "test_after_the_end_another_match_can_be_played")

    def test_no_deadline_after_the_end(self) -> None:
        def tell(self: ToyConversation, event: Over) -> None:
            self.peer.say("over")
            assert self.session is not None
            self.lobby.leave(self.session, self)
            self.session = self.handle = None
            self.set_state(ToyState.OUT)

        wire = told_otherwise(Over, tell)
        self.assert_found(wire, "test_a_silent_client_is_not_connected_for_ever_after_the_end")

    def test_back_without_the_turn(self) -> None:
        class Forgetful(PipesConversation):
            def tell_back(self, event: Back[Any]) -> None:
                self.set_state(PipesState.PLAYING)
                self.peer.say(Waiting("/".join(event.view.position.rows())))

            TELLS: ClassVar[Any] = {**PipesConversation.TELLS, Back: tell_back}

        test = "test_a_return_says_whose_turn_it_is"
        self.assertFalse(fails(PipesHooks, piped(), test))
        self.assertTrue(fails(PipesHooks, piped(Forgetful), test))

    def test_an_action_that_cannot_be_read(self) -> None:
        def played(self: ToyConversation, message: str) -> None:
            if self.handle is not None and message.startswith("+"):
                self.act(Add(int(message)))
            else:
                ToyConversation.played(self, message)

        hears = {**ToyConversation.HEARS, (ToyState.IN, str): played}
        self.assert_found(telling(HEARS=hears), "test_a_damaged_action_raises_nothing")

    def test_deadline_not_stopped(self) -> None:
        def heard(self: ToyConversation, message: str) -> None:
            match message.split():
                case ["hi", name]:
                    self.session = self.lobby.enter(name, "toy", self.peer.address, self)
                    self.set_state(ToyState.IN)
                case _:
                    self.unexpected(message)

        hears = {**ToyConversation.HEARS, (ToyState.OUT, str): heard}
        self.assert_found(telling(HEARS=hears), "test_logged_in_may_be_silent")

    def test_deadline_not_stopped_after_a_return(self) -> None:
        """A player who has come back is cut off, because only the way of newcomers calls `logged_in`."""

        def heard(self: ToyConversation, message: str) -> None:
            match message.split():
                case ["hi", name] if self.state is ToyState.OUT:
                    session = self.lobby.enter(name, "toy", self.peer.address, self)
                    self.set_state(ToyState.IN)
                    if session.table_id is None:
                        self.logged_in(session)
                    self.session = session
                    self.lobby.play(session, Queue(TOY))
                case _:
                    self.unexpected(message)

        hears = {**ToyConversation.HEARS, (ToyState.OUT, str): heard}
        self.assert_found(telling(HEARS=hears), "test_who_returns_may_be_silent")

    def test_deadline_stopped_too_soon(self) -> None:
        """A client whose log-in is refused may stay for ever."""

        def heard(self: ToyConversation, message: str) -> None:
            self.peer.logged_in()
            ToyConversation.heard(self, message)

        hears = {**ToyConversation.HEARS, (ToyState.OUT, str): heard}
        self.assert_found(telling(HEARS=hears), "test_a_refused_log_in_does_not_stop_the_clock")

    def test_exception_while_waiting(self) -> None:

        def played(self: ToyConversation, message: str) -> None:
            assert self.handle is not None
            ToyConversation.played(self, message)

        hears = {**ToyConversation.HEARS, (ToyState.IN, str): played}
        wire = telling(HEARS=hears)
        self.assert_found(wire, "test_an_action_outside_a_match_is_refused", "test_fuzz_while_waiting")


def keeping(wire: Wire[str]) -> Wire[str]:
    return evolve(wire, tells_missed_end=True)


class MissedEndTests(SynchronousTestCase):
    """A wire says that it tells an end that a player has missed."""

    TEST = "test_a_missed_end_is_told_after_the_next_log_in"

    def test_a_sound_wire_passes(self) -> None:
        self.assertFalse(fails(ToyHooks, keeping(TOY_WIRE), self.TEST))

    def test_the_end_is_not_told(self) -> None:
        """The player is told where the match stood, as if it went on."""
        self.assertTrue(fails(ToyHooks, keeping(untold(Over)), self.TEST))
