"""
Names and strangers at several members at once: one of those who say one name is let in, and two who wait for an opponent at
two members meet.
"""

import random
import select
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from attrs import define, field

from tests.kit.cluster import OPTIONS, Cluster, Member
from tests.kit.cluster_crowd import HANDSHAKE, SPOKEN
from tests.kit.frames import FrameText
from tests.kit.message_text import MessageText, message_text_of
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient
from tests.kit.process import Socket

#: Whoever goes has lost, so that nothing is left of a meeting.
MEETING = (*OPTIONS, "--grace=0")

#: On which wires two strangers are.
PAIRS = (
    *(("onitama", "onitama"), ("onitama", "onitama-final"), ("stratego-frames", "stratego-frames")),
    *(("stratego-lines", "stratego-lines"), ("stratego-frames", "stratego-lines"), ("paper-soccer", "paper-soccer")),
    *(("onitama", "console"), ("open", "onitama"), ("web", "onitama-final"), ("console", "open")),
)
#: Seconds within which two strangers meet.
MEET_WITHIN = 5.0


class Missed(AssertionError):
    """Nobody or several were let in, or two who wait do not meet."""


def one_name(cluster: Cluster, times: int) -> None:
    """
    Say one name at all members at the same moment, so often with another name each time.

    :raises Missed: nobody or several were let in
    """
    with ThreadPoolExecutor(cluster.size) as pool:
        for number in range(times):
            name = f"same{number}"
            try:
                sockets = [member.connect("onitama") for member in cluster.members.values()]
                answers = list(pool.map(partial(_log_in, name), sockets))
            except OSError as error:
                raise Missed(f"a member does not answer: {error}") from error
            for one in sockets:
                one.close()
            if sum(answer.startswith(("WAITING|", "START|")) for answer in answers) != 1:
                raise Missed(f"{name} was said at {len(answers)} members, and these were the answers: {answers}")


def _log_in(name: str, one: Socket) -> str:
    one.say(f"LOGIN|{name}")
    return one.hear()


@define(eq=False)
class Stranger:
    """Somebody new who looks for a match."""

    client: ModelClient
    socket: "socket.socket"
    text: MessageText
    seated: bool = False
    heard: list[str] = field(factory=list)

    def come(self) -> None:
        """Log in."""
        self.say(self.client.log_in())

    def say(self, lines: Sequence[str]) -> None:
        """Send lines."""
        with suppress(OSError):
            self.socket.sendall(b"".join(map(self.text.said, lines)))

    def hear(self, rng: random.Random) -> None:
        """Hear what there is, and answer."""
        try:
            data = self.socket.recv(65_536)
        except BlockingIOError:
            return
        for line in self.text.heard(data):
            self.heard.append(line)
            if not line.startswith("HTTP/1.1 101"):
                self.client.hear(line)
                self.seated |= not (self.client.chatter(line) or self.client.waits(line))
        self.say(self.client.replies(rng))


def stranger(member: Member, port: str, name: str) -> Stranger:
    """Somebody at a member, who has said nothing yet."""
    wire = SPOKEN.get(port, port)
    connected = socket.create_connection((member.address, member.ports[port]), timeout=10)
    if port in SPOKEN:
        connected.sendall(HANDSHAKE)
    client = MODEL_CLIENTS[wire](name)
    client.connected()
    connected.setblocking(False)
    return Stranger(client, connected, FrameText() if port in SPOKEN else message_text_of(wire))


def strangers(cluster: Cluster, times: int, seed: int, pairs: Sequence[tuple[str, str]] = PAIRS) -> list[float]:
    """
    Two come to two members, nearly at once; how many seconds it took until both had a table, each time.

    :raises Missed: they do not meet
    """
    rng, took = random.Random(seed), []
    for number in range(times):
        places = rng.sample(cluster.alive, 2)
        both = [
            stranger(member, port, f"{'ab'[side]}{number}")
            for side, (member, port) in enumerate(zip(places, pairs[number % len(pairs)], strict=True))
        ]
        both[0].come()
        time.sleep(rng.choice((0.0, 0.0, rng.random() * 0.02)))
        both[1].come()
        began = time.monotonic()
        while not all(one.seated for one in both):
            select.select([one.socket for one in both], [], [], 0.1)
            for one in both:
                one.hear(rng)
            if time.monotonic() - began > MEET_WITHIN:
                told = {f"{one.client.name} on {one.client.wire}": one.heard[-4:] for one in both}
                raise Missed(f"they did not meet within {MEET_WITHIN:g} s; they heard {told}")
        took.append(time.monotonic() - began)
        for one in both:
            one.socket.close()
    return took
