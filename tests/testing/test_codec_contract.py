"""The contracts of codecs, on both sides of a wire: a sound codec passes them, and each fault is found by a test of them."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import WIRES
from gamehost.programs.clients import clients
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract, CodecContract
from gamehost.wires.framing import ClientLineCodec, LineCodec, WireError
from tests.kit.example_game import ToyCodec


class EscapingCodec(ToyCodec):
    """Lines in which a backslash stands for a line end as `\\\\n`, and for itself as `\\\\\\\\`."""

    def feed(self, data: bytes) -> Iterator[str]:
        for line in super().feed(data):
            yield line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")

    def encode(self, message: str) -> bytes:
        return super().encode(message.replace("\\", "\\\\").replace("\n", "\\n"))


class EscapingHooks(CodecContract):
    spreads = True
    codec: type[ToyCodec] = EscapingCodec
    streams = (b"hi ann\n+1\n", b"a\\\\b\\nc\n\n" + b"x" * 41 + b"\n")
    read = ((b"hi ann\n", "hi ann"), (b"a\\\\nb\n", "a\\nb"), (b"a\\nb\r\n", "a\nb"))
    sent = (("hi ann", "hi ann"), ("a\\nb", "a\\\\nb"), ("a\nb", "a\\nb"))

    def new_codec(self) -> ToyCodec:
        return self.codec()


class SoundCodecTests(EscapingHooks, PropertyCase):
    pass


def failed_tests(codec: type[ToyCodec]) -> set[str]:
    case: Any = type("FaultyCodecTests", (EscapingHooks, PropertyCase), {"codec": codec})
    failed = set()
    for name in sorted(name for name in dir(case) if name.startswith("test_")):
        result = TestResult()
        case(name).run(result)
        if not result.wasSuccessful():
            failed.add(name)
    return failed


class FaultTests(SynchronousTestCase):
    def test_a_sound_codec_passes(self) -> None:
        self.assertEqual(failed_tests(EscapingCodec), set())

    def test_state_in_a_local_variable(self) -> None:
        class Codec(EscapingCodec):
            def feed(self, data: bytes) -> Iterator[str]:
                return EscapingCodec().feed(data) if b"\n" in data else iter(())

        self.assertIn("test_byte_by_byte_and_every_cut_hear_the_same", failed_tests(Codec))

    def test_earlier_messages_are_remembered(self) -> None:
        """A message is read in another way behind an earlier one, or a part of it has come when nothing is unfinished."""

        class Counting(EscapingCodec):
            count = 0

            def feed(self, data: bytes) -> Iterator[str]:
                for line in super().feed(data):
                    self.count += 1
                    yield f"{self.count} {line}"

        class Denying(EscapingCodec):
            unfinished = False

        for codec in (Counting, Denying):
            self.assertIn("test_a_new_codec_goes_on_between_messages", failed_tests(codec))

    def test_text_is_not_escaped(self) -> None:
        class Codec(EscapingCodec):
            def encode(self, message: str) -> bytes:
                return ToyCodec.encode(self, message)

        self.assertIn("test_messages_of_the_host_are_written", failed_tests(Codec))

    def test_escapes_are_not_undone(self) -> None:
        """What was escaped is read in another way than it was written."""

        class Codec(EscapingCodec):
            def feed(self, data: bytes) -> Iterator[str]:
                for line in ToyCodec.feed(self, data):
                    yield line.replace("\\n", "\n").replace("\\\\", "\\")

        self.assertIn("test_messages_of_clients_are_read", failed_tests(Codec))

    def test_missing_end(self) -> None:
        class Codec(EscapingCodec):
            def encode(self, message: str) -> bytes:
                return super().encode(message).rstrip(b"\n")

        self.assertIn("test_messages_of_the_host_are_written", failed_tests(Codec))


@frozen
class Said:
    text: str


@frozen
class Asked:
    text: str


class ServerCodec(LineCodec[Any]):
    """Reads questions and writes answers; in both, a backslash stands for a line end as `\\\\n`, for itself as `\\\\\\\\`."""

    LIMIT = 40
    UNREADABLE = "not used"

    def read(self, line: bytes) -> Asked:
        return Asked(line.decode("utf-8", "replace").replace(" ", ""))

    def encode(self, message: Said) -> bytes:
        return message.text.replace("\\", "\\\\").replace("\n", "\\n").encode() + b"\n"


class SoundCodec(ClientLineCodec[Any]):
    LIMIT = 200
    CLIENT_LIMIT = 40

    def read(self, line: bytes) -> Said:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise WireError("not UTF-8") from None
        return Said(text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\"))

    def line(self, message: Asked) -> bytes:
        if type(message) is not Asked or " " in message.text:
            raise WireError("expected a question without spaces")
        return message.text.encode()


CHARACTER = st.sampled_from("\\\n ") | st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")
TEXT = st.lists(CHARACTER, min_size=1, max_size=12).map("".join)


class Hooks(ClientCodecContract):
    codec: type[Any] = SoundCodec
    server_messages = {Said: st.builds(Said, TEXT)}
    client_messages = {Asked: st.builds(Asked, TEXT | st.just("x" * 41))}

    def new_codec(self) -> ServerCodec:
        return ServerCodec()

    def new_client_codec(self) -> Any:
        return self.codec()


class SoundClientCodecTests(Hooks, PropertyCase):
    pass


def fails(codec: type[Any], name: str) -> bool:
    case: Any = type("FaultyCodecTests", (Hooks, PropertyCase), {"codec": codec})
    result = TestResult()
    with not_shrunk(inspect.unwrap(getattr(case, name))):
        case(name).run(result)
    return not result.wasSuccessful()


@contextmanager
def not_shrunk(test: Any) -> Iterator[None]:
    """Have a property fail with the first example that is found. To look for a smaller one takes seconds."""
    name = "_hypothesis_internal_use_settings"
    before = getattr(test, name, None)
    if before is not None:
        setattr(test, name, settings(before, phases=(Phase.explicit, Phase.generate)))
    try:
        yield
    finally:
        if before is not None:
            setattr(test, name, before)


class ClientFaultTests(SynchronousTestCase):
    def test_one_segment_is_taken_for_one_message(self) -> None:

        class Codec(SoundCodec):
            def feed(self, data: bytes) -> Iterator[Said]:
                yield from list(SoundCodec().feed(data))[:1]

        self.assertTrue(fails(Codec, "test_what_the_server_writes_is_read"))

    def test_escapes_are_not_undone(self) -> None:
        class Codec(SoundCodec):
            def read(self, line: bytes) -> Said:
                return Said(line.decode("utf-8", "replace"))

        self.assertTrue(fails(Codec, "test_each_message_of_the_server_is_read"))

    def test_another_error(self) -> None:
        """Bytes that are not text raise Python's own error."""

        class Codec(SoundCodec):
            def read(self, line: bytes) -> Said:
                return Said(line.decode("ascii"))

        self.assertTrue(fails(Codec, "test_nearly_right_bytes_raise_nothing_but_wire_error"))

    def test_what_the_server_reads_otherwise_is_written(self) -> None:
        class Codec(SoundCodec):
            def line(self, message: Asked) -> bytes:
                return message.text.encode()

        self.assertTrue(fails(Codec, "test_what_a_client_writes_is_read"))

    def test_a_server_s_message_is_written(self) -> None:
        class Codec(SoundCodec):
            def line(self, message: Any) -> bytes:
                return str(message.text).replace(" ", "").encode()

        self.assertTrue(fails(Codec, "test_what_a_server_says_is_not_written"))

    def test_nothing_can_be_written(self) -> None:
        class Codec(SoundCodec):
            def line(self, message: Any) -> bytes:
                raise WireError("no")

        self.assertTrue(fails(Codec, "test_each_message_of_a_client_is_written"))

    def test_never_unfinished(self) -> None:
        class Codec(SoundCodec):
            unfinished = False

        self.assertTrue(fails(Codec, "test_each_message_of_the_server_is_read"))


class WiresTests(SynchronousTestCase):
    def test_each_has_a_client_s_codec(self) -> None:
        """Each makes a new one for each connection. The console has none, because people read it."""
        self.assertEqual([wire.name for wire in WIRES if wire.name not in clients()], ["console"])
        for client in clients().values():
            self.assertIsNot(client.codec(), client.codec())


class Planted:
    """A mixin with a property that is false."""

    @given(st.integers())
    def test_small(self, number: int) -> None:
        assert number < 1000


def outcome(case: type[PropertyCase]) -> str:
    result: Any = TestResult()
    case("test_small").run(result)
    [(_, failure)] = result.failures + result.errors
    return str(failure)


class TellingTests(SynchronousTestCase):
    def test_planted_property_fails_and_names_its_example(self) -> None:

        class Case(PropertyCase):
            test_small = Planted.test_small

        self.assertIn("number=1000", outcome(Case))

    def test_property_from_a_mixin_is_told_too(self) -> None:
        class Case(Planted, PropertyCase):
            pass

        self.assertIn("number=1000", outcome(Case))


# What suites of other packages get from `gamehost.testing.cases`.

ASK = """
from hypothesis import settings
{}
from gamehost.testing import cases
print(settings().deadline)
"""
OWN = "settings.register_profile('own', deadline=500); settings.load_profile('own')"


class ProfileTests(SynchronousTestCase):
    def test_no_test_depends_on_how_fast_the_machine_is(self) -> None:
        """Unless the suite has chosen a profile of its own. Hypothesis has one for CI, which has no limit either."""
        for chosen, expected in (("", "None"), (OWN, "0:00:00.500000")):
            told = subprocess.run(
                [sys.executable, "-c", ASK.format(chosen)], capture_output=True, text=True, timeout=60, check=True
            )
            self.assertEqual(told.stdout.strip(), expected)
