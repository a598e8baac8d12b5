"""The console: what all wires do."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_connections import CONTROL
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.console.conversation import WIRE, ConsoleState
from tests.kit.memory_host import HOME, SAID, ConsoleWords, without_options
from tests.kit.wires.open import DEAL

#: So many lines of a transcript are one stream for the fuzzer.
PIECE = 5


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

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
    streams_in_suite = 500
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
        """Somebody who has typed this."""
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
