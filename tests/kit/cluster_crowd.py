"""
People at a cluster, over real sockets, in one thread: they play by the pages of their wires, connect to members at random,
and come back through another one when they lose a connection. What they hear is kept with its time.
"""

import errno
import random
import re
import selectors
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from attrs import define, field

from tests.kit.cluster_journal import Heard
from tests.kit.frames import FrameText, frame
from tests.kit.message_text import MessageText, message_text_of
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient

#: Where the members' ports are: by place, by wire.
Ports = Mapping[int, Mapping[str, tuple[str, int]]]

#: Seconds between a move's answer and the next move.
THINKS = 0.04
#: Seconds after which somebody whose name was in use says it again, and somebody who is not in for another reason.
ASKS_AGAIN, ASKS_ANEW = 0.3, 12.0
IN_USE = re.compile("in use|TAKEN_NICKNAME|auth-err")
#: Seconds until somebody who has moved and heard nothing moves again.
MOVES_AGAIN = 3.0
CONNECTS_WITHIN = 1.5

HANDSHAKE = (
    b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PONG = frame(10)
#: Ports, and the wire that is spoken there if it has another name.
SPOKEN = {"web": "open"}


class Earnest(random.Random):
    """What has a small chance never happens: speakers say nonsense, or leave a match, and wait until they are disconnected."""

    def random(self) -> float:
        return 0.1 + 0.9 * super().random()

    def getrandbits(self, k: int, /) -> int:
        return super().getrandbits(k)


@define(eq=False)
class Person:
    """
    A player.

    :param port: a wire's name, or `web`
    """

    client: ModelClient
    port: str
    link: socket.socket | None = None
    text: MessageText = field(factory=FrameText)
    #: Of this connection: its number, its member's place, and when it was made.
    connection: int = 0
    member: int = -1
    since: float = 0.0
    connected: bool = False
    #: Not before this anything is done.
    due: float = 0.0
    asked: float = -1e9
    refused: bool = False
    heard: float = 0.0
    said: float = 0.0

    @property
    def name(self) -> str:
        return self.client.name


@define(eq=False)
class Left:
    """A connection that its person has left for another one, and that is still open."""

    connection: int
    name: str
    wire: str
    link: socket.socket
    text: MessageText
    heard: list[Heard] = field(factory=list)


@define(eq=False)
class Crowd:
    """
    All people; a context manager that plays in a thread of its own.

    :param ports: of the members that may be connected to; the trial changes it
    """

    ports: dict[int, Mapping[str, tuple[str, int]]]
    people: Sequence[Person]
    rng: random.Random
    thinks: float = THINKS
    #: When, who, and at which member: connections that were lost. Those of Eriantys do not count, where the host ends some.
    lost: list[tuple[float, str, int]] = field(factory=list)
    left: list[Left] = field(factory=list)
    _heard: list[Heard] = field(factory=list)
    _selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)
    _lock: threading.RLock = field(factory=threading.RLock)
    _connections: int = 0
    _going: bool = True
    _quiet: bool = False
    _fault: BaseException | None = None
    _thread: threading.Thread = field(init=False)

    def __enter__(self) -> "Crowd":
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._going = False
        self._thread.join(10)
        for link in (*(person.link for person in self.people), *(one.link for one in self.left)):
            if link is not None:
                link.close()
        self._selector.close()

    # -- what the trial asks

    def taken(self) -> list[Heard]:
        """
        What was heard since the last call.

        :raises BaseException: what went wrong in the crowd
        """
        with self._lock:
            if self._fault is not None:
                raise self._fault
            heard, self._heard = self._heard, []
            return heard

    def open(self, member: int, ports: Mapping[str, tuple[str, int]]) -> None:
        """This member may be connected to."""
        with self._lock:
            self.ports[member] = ports

    def shut(self, member: int) -> None:
        """Nobody connects to this member any more."""
        with self._lock:
            self.ports.pop(member, None)

    def leave(self, member: int) -> list[Left]:
        """Everybody at this member goes to another one, and keeps the connection open. What is said there, is heard."""
        with self._lock:
            self.shut(member)
            before = len(self.left)
            for person in self.people:
                if person.member == member and person.link is not None:
                    self._selector.unregister(person.link)
                    one = Left(person.connection, person.name, person.client.wire, person.link, person.text)
                    self.left.append(one)
                    self._selector.register(one.link, selectors.EVENT_READ, one)
                    person.link = None
            return self.left[before:]

    def rest(self) -> list[int]:
        """
        Nobody moves or comes any more; the connections that are open.

        Those of Eriantys are not among them: their people answer many questions without thinking, and the host holds back
        what comes before an acknowledgement.
        """
        with self._lock:
            self._quiet = True
            there = [person for person in self.people if person.connected and not person.port.startswith("eriantys")]
            return [person.connection for person in there if person.link is not None]

    def go_on(self) -> None:
        """The end of a rest."""
        with self._lock:
            self._quiet = False

    # -- the thread

    def _run(self) -> None:
        try:
            while self._going:
                found = self._selector.select(0.01)
                with self._lock:
                    for key, events in found:
                        if isinstance(key.data, Left):
                            self._hear_late(key.data)
                        elif key.data.link is key.fileobj:
                            self._ready(key.data, events)
                    now = time.time()
                    for person in self.people:
                        if person.due <= now:
                            self._turn(person, now)
        except BaseException as error:
            self._fault = error

    def _turn(self, person: Person, now: float) -> None:
        if person.link is None:
            if not self._quiet:
                self._connect(person, now)
        elif not person.connected:
            if now - person.since > CONNECTS_WITHIN:
                self._lose(person, now)
        elif self._quiet:
            return
        elif not person.client.inside:
            if now - person.asked > (ASKS_AGAIN if person.refused else ASKS_ANEW):
                person.asked, person.refused = now, False
                self._say(person, person.client.log_in())
        elif person.heard >= person.said or now - person.said > MOVES_AGAIN:
            lines = person.client.move(self.rng)
            person.due = now + self.thinks * (0.5 + self.rng.random())
            if lines:
                person.said = now
                self._say(person, lines)

    def _connect(self, person: Person, now: float) -> None:
        places = [place for place in self.ports if place != person.member] or list(self.ports)
        if not places:
            return
        person.member = self.rng.choice(places)
        self._connections += 1
        person.connection, person.since, person.connected = self._connections, now, False
        person.text = FrameText() if person.port in SPOKEN else message_text_of(person.client.wire)
        one = person.link = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        code = one.connect_ex(self.ports[person.member][person.port])
        self._selector.register(one, selectors.EVENT_WRITE, person)
        if code not in (0, errno.EINPROGRESS):
            self._lose(person, now)

    def _ready(self, person: Person, events: int) -> None:
        now = time.time()
        assert person.link is not None
        if events & selectors.EVENT_WRITE:
            if person.link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self._lose(person, now)
                return
            person.connected = True
            self._selector.modify(person.link, selectors.EVENT_READ, person)
            person.client.connected()
            person.asked, person.heard, person.said = -1e9, now, 0.0
            person.due = now
            if person.port in SPOKEN:
                person.link.send(HANDSHAKE)
            return
        self._hear(person, now)

    def _hear(self, person: Person, now: float) -> None:
        assert person.link is not None
        try:
            data = person.link.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            if not person.port.startswith("eriantys"):
                self.lost.append((now, person.name, person.member))
            self._lose(person, now)
            return
        lines = self._words(person, data)
        self._heard.append(Heard(now, person.connection, person.client.wire, person.name, lines))
        person.heard = now
        for line in lines:
            was_in = person.client.inside
            person.client.hear(line)
            # Who comes out of a match comes in again at once.
            person.refused |= was_in > person.client.inside or IN_USE.search(line) is not None
        self._say(person, person.client.replies(self.rng))

    def _words(self, person: Person, data: bytes) -> list[str]:
        """The lines in what came. A browser answers pings by itself."""
        lines = person.text.heard(data)
        if person.port not in SPOKEN:
            return lines
        if "ping b''" in lines and person.link is not None:
            person.link.send(PONG)
        return [line for line in lines if line.startswith("{")]

    def _hear_late(self, one: Left) -> None:
        data = b""
        with suppress(OSError):
            data = one.link.recv(65_536)
        lines = [line for line in one.text.heard(data) if not isinstance(one.text, FrameText) or line[0] == "{"]
        one.heard.append(Heard(time.time(), one.connection, one.wire, one.name, lines))
        if not data:
            self._selector.unregister(one.link)
            one.link.close()

    def _lose(self, person: Person, now: float) -> None:
        assert person.link is not None
        self._selector.unregister(person.link)
        person.link.close()
        person.link = None
        person.due = now + self.rng.random() * 0.02

    def _say(self, person: Person, lines: Sequence[str]) -> None:
        if lines and person.link is not None:
            with suppress(OSError):  # the end is heard by reading
                person.link.send(b"".join(map(person.text.said, lines)))


def people_of(ports: Sequence[str]) -> list[Person]:
    """
    Enough people for each port: a match of Eriantys may be for four. These are the numbers of those who answer pings and
    acknowledge at once.
    """
    return [
        Person(MODEL_CLIENTS[SPOKEN.get(port, port)](f"{port[-6:]}{one}"), port)
        for port in ports
        for one in ((0, 1, 4, 5) if port.startswith("eriantys") else (0, 1))
    ]
