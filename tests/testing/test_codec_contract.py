"""The codec contract: a sound codec passes it, and each of these faults is found by a test of it."""

from collections.abc import Iterator
from typing import Any

from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from tests.kit.example_game import ToyCodec


class EscapingCodec(ToyCodec):
    """Lines in which a backslash stands for a line end as `\\\\n`, and for itself as `\\\\\\\\`."""

    def feed(self, data: bytes) -> Iterator[str]:
        for line in super().feed(data):
            yield line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")

    def encode(self, message: str) -> bytes:
        return super().encode(message.replace("\\", "\\\\").replace("\n", "\\n"))


class EscapingHooks(CodecContract):
    """What the codec reads and writes."""

    spreads = True
    codec: type[ToyCodec] = EscapingCodec
    streams = (b"hi ann\n+1\n", b"a\\\\b\\nc\n\n" + b"x" * 41 + b"\n")
    read = ((b"hi ann\n", "hi ann"), (b"a\\\\nb\n", "a\\nb"), (b"a\\nb\r\n", "a\nb"))
    sent = (("hi ann", "hi ann"), ("a\\nb", "a\\\\nb"), ("a\nb", "a\\nb"))

    def new_codec(self) -> ToyCodec:
        return self.codec()


class SoundCodecTests(EscapingHooks, PropertyCase):
    """The codec has no fault."""


def failed_tests(codec: type[ToyCodec]) -> set[str]:
    """The names of the contract's tests that find a fault in a codec."""
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
        """The way of running tests that is used here finds nothing wrong in the codec itself."""
        self.assertEqual(failed_tests(EscapingCodec), set())

    def test_state_in_a_local_variable(self) -> None:
        """What is left of a line at the end of a segment is forgotten."""

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
        """A line end within a text ends the message."""

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
        """A message is written without its end."""

        class Codec(EscapingCodec):
            def encode(self, message: str) -> bytes:
                return super().encode(message).rstrip(b"\n")

        self.assertIn("test_messages_of_the_host_are_written", failed_tests(Codec))
