"""
Trials of a cluster with real processes: members that are killed, stopped or hang, and a database that restarts, under play on
all wires. Every word that players heard must follow from the journal, and the tables must go on in time.

`python -m tests.kit.cluster_trials kills=20 stops=3 hangs=2 restarts=3` runs them with a server of its own.
"""

import errno
import random
import re
import select
import selectors
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from attrs import define, field

from gamehost.journal.records import SeatRecord, TableId
from tests.kit.cluster import OPTIONS, STOPPED, Cluster, Heard, Member, Referee, end
from tests.kit.memory_host import MessageText, message_text_of
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient
from tests.kit.model_clients.litama import LitamaClient
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql
from tests.kit.process import Socket
from tests.kit.web_host import FrameText, frame

# People at a cluster, over real sockets, in one thread: they play by the pages of their wires, connect to members at random,
# and come back through another one when they lose a connection. What they hear is kept with its time.


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
    """A player, on the port of a wire or of the pages."""

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
    """All people; a context manager that plays in a thread of its own. The trial changes the ports."""

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
        """What was heard since the last call, or what went wrong in the crowd."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            heard, self._heard = self._heard, []
            return heard

    def open(self, member: int, ports: Mapping[str, tuple[str, int]]) -> None:
        with self._lock:
            self.ports[member] = ports

    def shut(self, member: int) -> None:
        """Nobody connects to this member any more."""
        with self._lock:
            self.ports.pop(member, None)

    def has_lost(self, seats: Sequence[SeatRecord]) -> bool:
        """Whether one of these was never told the token that takes the seat back: the host ended before it could."""
        with self._lock:
            told = {
                name for one in self.people if isinstance(one.client, LitamaClient) for name in one.client.with_token
            }
        return any(seat.wire == LitamaClient.wire and seat.name not in told for seat in seats)

    def states(self, names: Collection[str]) -> list[str]:
        """What these people do, for whoever looks for a fault."""
        now, states = time.time(), []
        with self._lock:
            for one in (person for person in self.people if person.name in names):
                times = {"came": one.since, "asked": one.asked, "said": one.said, "heard": one.heard}
                ago = ", ".join(f"{word} {now - at:.1f} s ago" for word, at in times.items())
                states.append(
                    f"{one.name} at member {one.member}, there {one.connected}, in {one.client.inside}: {ago}"
                )
        return states

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
        now = time.time()  # something may have been said since it was clear that there was something to read
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


# Names and strangers at several members at once: one of those who say one name is let in, and two who wait for an opponent at
# two members meet.


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
    """Say one name at all members at the same moment, so often with another name each time: one is let in."""
    with ThreadPoolExecutor(cluster.size) as pool:
        for number in range(times):
            name = f"same{number}"
            try:
                sockets = [member.connect("onitama") for member in cluster.members.values()]
                answers = list(pool.map(partial(log_in, name), sockets))
            except OSError as error:
                raise Missed(f"a member does not answer: {error}") from error
            for one in sockets:
                one.close()
            if sum(answer.startswith(("WAITING|", "START|")) for answer in answers) != 1:
                raise Missed(f"{name} was said at {len(answers)} members, and these were the answers: {answers}")


def log_in(name: str, one: Socket) -> str:
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
        self.say(self.client.log_in())

    def say(self, lines: Sequence[str]) -> None:
        with suppress(OSError):
            self.socket.sendall(b"".join(map(self.text.said, lines)))

    def hear(self, rng: random.Random) -> None:
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


def strangers(cluster: Cluster, times: int, seed: int) -> list[float]:
    """Two come to two members, nearly at once; how many seconds it took until both had a table, each time."""
    rng, took = random.Random(seed), []
    for number in range(times):
        places = rng.sample(cluster.alive, 2)
        both = [
            stranger(member, port, f"{'ab'[side]}{number}")
            for side, (member, port) in enumerate(zip(places, PAIRS[number % len(PAIRS)], strict=True))
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


PORTS = (*MODEL_CLIENTS, "web")

#: Seconds after which a table that does not go on is stuck.
STUCK = 20.0
#: Seconds after which people have read what a member said before it ended.
TOLD_WITHIN = 2.0
#: Seconds that a member hangs, and within which its tables must go on elsewhere.
HANGS, TAKEN_OVER = 6.0, 5.0
#: Seconds within which tables go on when the database is back.
DATABASE_BACK = 8.0
#: Seconds after a restart of the database within which members judge each other again.
JUDGED = 6.0
#: The status of a host that may not go on.
GIVEN_UP = 70
#: After an orderly stop `twistd` sends itself the signal again.
CLEAN = (0, -signal.SIGTERM)


class Broken(AssertionError):
    """The cluster did what it must not."""


@define(eq=False)
class Trial:
    """A cluster under play; a context manager."""

    server: PostgresServer
    folder: Path
    seed: int
    module: str = "gamehost"
    ports: Sequence[str] = PORTS
    more: dict[str, Any] = field(factory=dict)
    cluster: Cluster = field(init=False)
    crowd: Crowd = field(init=False)
    referee: Referee = field(init=False)
    rng: random.Random = field(init=False)
    #: Seconds from each loss to the next move that a player was told, of each table that was lost.
    seconds: list[float] = field(factory=list)
    #: For how many seconds people go on to play after the last trouble.
    last_words: float = 0.5

    def __enter__(self) -> "Trial":
        self.rng = random.Random(self.seed)
        self.cluster = Cluster(self.server, self.folder, self.ports, module=self.module, **self.more)
        self.cluster.__enter__()
        self.referee = Referee(self.cluster.query)
        ports = {place: self.cluster.ports(member) for place, member in self.cluster.members.items()}
        self.crowd = Crowd(dict(ports), people_of(self.ports), Earnest(self.seed + 1))
        self.crowd.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.crowd.__exit__()
        self.cluster.__exit__()

    def play(self, seconds: float) -> None:
        """Play so long. The journal must have what is heard."""
        ends = time.time() + seconds
        while (left := ends - time.time()) > 0:
            time.sleep(min(left, 0.25))
            self.check()

    def check(self) -> None:
        """Compare what was heard with the journal."""
        self.referee.check(self.crowd.taken())

    def some_time(self) -> None:
        """Play for a moment, until there is a table with moves."""
        self.play(self.rng.uniform(0.3, 1.0))

    def until_on(self, entries: dict[TableId, int], since: float, within: float = STUCK) -> None:
        """Play until all these tables have gone on, each behind so many entries; `Broken` if one does not."""
        waiting = dict(entries)
        while waiting:
            self.check()
            for table, last in tuple(waiting.items()):
                if (at := self.referee.went_on(table, last)) is not None:
                    self.seconds.append(at - since)
                    del waiting[table]
                elif time.time() - since > TOLD_WITHIN and self.crowd.has_lost(self.seats(table)):
                    del waiting[table]
            if waiting and time.time() - since > within:
                logs = [member.log[-2000:] for member in self.cluster.alive]
                stuck = self.words(list(waiting))
                raise Broken("\n".join((f"{within:g} s later these tables had not gone on:", *stuck, *logs)))
            time.sleep(0.02)

    def seats(self, table: TableId) -> Sequence[SeatRecord]:
        opening = self.referee.stored.journal.openings.get(table)
        return () if opening is None else opening.seats

    def words(self, tables: Sequence[TableId]) -> list[str]:
        words = []
        for table in tables:
            names = [seat.name for seat in self.seats(table)]
            owner = self.cluster.query(f"SELECT owner, since, lost FROM live WHERE game = {table}")
            words += [f"{table} ({', '.join(names) or 'unknown'}), of {owner}", *self.crowd.states(names)]
        return words

    def victim(self) -> Member:
        """Some member; mostly one that has tables."""
        owners = [member for member in self.cluster.alive if self.cluster.owned(member)]
        return self.rng.choice(owners if owners and self.rng.random() < 0.8 else self.cluster.alive)

    def lose(self, victim: Member, sig: signal.Signals) -> tuple[int, float, dict[TableId, int]]:
        """End a member by a signal; its status, when that was, and how many entries each of its tables has."""
        self.crowd.shut(victim.number)
        tables = self.cluster.owned(victim)
        since = time.time()
        status = end(victim, sig)
        return status, since, self.cluster.last_entries(tables)

    def again(self, victim: Member) -> None:
        self.crowd.open(victim.number, self.cluster.ports(self.cluster.start(victim.number)))

    def finish(self) -> None:
        """Nobody moves any more: everybody knows everything, nobody has forfeited, all members live, the journal is sound."""
        self.play(self.last_words)
        connections = self.crowd.rest()
        self.play(1.5)
        self.referee.told_all(connections)
        if self.referee.stored.forfeited:
            raise Broken(f"somebody forfeited: {self.words(list(self.referee.stored.forfeited))}")
        if len(self.cluster.alive) < self.cluster.size:
            raise Broken("a member has ended:\n" + "\n".join(one.log for one in self.cluster.members.values()))
        if "no faults" not in (said := self.cluster.verify()):
            raise Broken(said)


# -- what happens to members


def kill(trial: Trial) -> None:
    trial.some_time()
    victim = trial.victim()
    _, since, entries = trial.lose(victim, signal.SIGKILL)
    trial.until_on(entries, since)
    trial.again(victim)


def slow_start(trial: Trial) -> None:
    """kill -9 of one member, whose next run stands still for some seconds as soon as the others see it."""
    trial.some_time()
    victim = trial.victim()
    _, since, entries = trial.lose(victim, signal.SIGKILL)
    trial.until_on(entries, since)
    standing = threading.Thread(target=_stand_still, args=(trial.cluster, victim.number), daemon=True)
    standing.start()
    trial.again(victim)
    standing.join()


def _stand_still(cluster: Cluster, number: int) -> None:
    """Stop the next run of a member when it is in the list of members, for as long as a host that hangs."""
    newest = "SELECT max(epoch) FROM member"
    before = cluster.query(newest)
    while cluster.query(newest) == before:
        time.sleep(0.001)
    process = cluster.members[number].process
    process.send_signal(signal.SIGSTOP)
    time.sleep(HANGS)
    process.send_signal(signal.SIGCONT)


def stop(trial: Trial) -> None:
    """SIGTERM, an end in order, and the next run, of one member after the other."""
    for place in range(trial.cluster.size):
        trial.some_time()
        victim = trial.cluster.members[place]
        status, since, entries = trial.lose(victim, signal.SIGTERM)
        victim.until(STOPPED)
        if status not in CLEAN:
            raise Broken(f"the status was {status}:\n{victim.log}")
        trial.until_on(entries, since)
        trial.again(victim)


def expect_end(victim: Member, seconds: float, otherwise: str) -> None:
    """Wait so long until a member that was taken over has noticed that, and has ended with the status for it."""
    try:
        status = victim.process.wait(seconds)
    except TimeoutExpired:
        raise Broken(f"{otherwise}:\n{victim.log}") from None
    if status != GIVEN_UP:
        raise Broken(f"the status was {status}:\n{victim.log}")


def hang(trial: Trial) -> None:
    """
    SIGSTOP for some seconds, then SIGCONT. Its players give up waiting at once, and keep their connections open.

    :raises Broken: its tables go on too late, or it does not end as it must
    :raises Contradiction: it tells something afterwards that is not from before
    """
    trial.some_time()
    victim = trial.victim()
    tables = trial.cluster.owned(victim)
    since = time.time()
    victim.process.send_signal(signal.SIGSTOP)
    stopped = time.time()  # on a busy machine much later: matches have begun in between
    left = trial.crowd.leave(victim.number)
    trial.referee.kept |= {one.connection for one in left}
    trial.play(0.1)  # what it had sent to the database is written
    entries = trial.cluster.last_entries(tables)
    trial.until_on(entries, since, TAKEN_OVER)
    trial.play(max(0.0, since + HANGS - time.time()))
    victim.process.send_signal(signal.SIGCONT)
    expect_end(victim, 12, "12 s after SIGCONT it was there")
    trial.play(0.1)
    trial.referee.hear_late([heard for one in left for heard in one.heard], victim.epoch, stopped, entries)
    trial.again(victim)


def restart(trial: Trial) -> None:
    """A crash of the database, and its next start: nobody loses a connection, and no member ends."""
    trial.some_time()
    lost = len(trial.crowd.lost)
    trial.server.stop()
    time.sleep(trial.rng.uniform(0.0, 1.5))
    trial.server.start()
    since = time.time()
    tables = [table for member in trial.cluster.alive for table in trial.cluster.owned(member)]
    trial.until_on(trial.cluster.last_entries(tables), since, DATABASE_BACK)
    trial.last_words = JUDGED
    if len(trial.cluster.alive) < trial.cluster.size:
        raise Broken("a member has ended:\n" + "\n".join(one.log for one in trial.cluster.members.values()))
    if len(trial.crowd.lost) > lost:
        raise Broken(f"connections were lost: {trial.crowd.lost[lost:]}")


TROUBLES: dict[str, Callable[[Trial], None]] = {
    "kills": kill,
    "starts": slow_start,
    "stops": stop,
    "hangs": hang,
    "restarts": restart,
}


def percentile(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))] if seconds else 0.0


def report(times: int, what: str, moves: int, seconds: Sequence[float]) -> str:
    """What came of a trial, in one line."""
    return (
        f"{times} {what}: {moves} entries told, none lost, none twice; {len(seconds)} tables went on after "
        f"{percentile(seconds, 0.5):.2f} s (median), {percentile(seconds, 1.0):.2f} s (longest)"
    )


def run(trouble: str, times: int, server: PostgresServer, folder: Path, seed: int = 1, **more: Any) -> str:
    """So many troubles of a kind; what came of it."""
    with Trial(server, folder, seed, **more) as trial:
        for _ in range(times):
            TROUBLES[trouble](trial)
        trial.finish()
        return report(times, trouble, trial.referee.moves, trial.seconds)


def main(words: Sequence[str]) -> None:
    require_postgresql()
    for word in words:
        trouble, _, times = word.partition("=")
        server = new_server()
        try:
            with tempfile.TemporaryDirectory() as temporary:
                print(run(trouble, int(times), server, Path(temporary)), flush=True)
        finally:
            server.remove()


if __name__ == "__main__":
    main(sys.argv[1:])
