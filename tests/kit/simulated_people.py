"""
The people of a simulation: guests who play, and those who watch. These come to any table and go again, and what each of them
was told is what the journal of the table says, and what the open wire says is its history.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from attrs import define, field
from twisted.internet.task import Clock

from gamehost.journal.records import TableId
from gamehost.journal.replay import history
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.table import Table
from tests.kit.journal_oracle import (
    Archive,
    JournalOracle,
)
from tests.kit.memory_host import Client, MemoryHost, MessageText
from tests.kit.model_clients.base import ModelClient
from tests.kit.simulated_attackers import SimulatedAttackers
from tests.kit.simulated_scripts import Script, Scripts
from tests.kit.watching import MESSAGES, MessagesEncoder, Stream, written

# A network that is drawn: segments are cut anywhere and take their time, connections are reset with what is on its way, ends
# vanish without a word, and readers stop reading. Each direction keeps its order, as TCP does.


#: Seconds until a host's kernel gives up on somebody who has vanished.
GIVEN_UP = 30.0


@define(eq=False)
class Link:
    """
    One connection, from a guest to a run of the host.

    :param clock: of everything but the host
    :param hear: called with what has come to the guest
    :param lost: called when the guest finds that the connection has ended
    """

    number: int
    clock: Clock
    rng: random.Random
    client: Client
    witness: JournalOracle
    _hear: Callable[[bytes], None]
    _lost: Callable[[], None]
    #: Whether the guest's end is there; the host's is `client`.
    up: bool = True
    #: Whether the host's end belongs to a run that is over.
    dead: bool = False
    reading: bool = True
    #: On its way to the host, in order; `None`: the guest's end.
    _there: deque[bytes | None] = field(factory=deque)
    #: On its way to the guest; `None`: the host's end.
    _back: deque[bytes | None] = field(factory=deque)
    _there_at: float = 0.0
    _back_at: float = 0.0
    _ended: bool = False
    #: What the host has written since the last look, whether it can be sent yet or not.
    _written: list[bytes] = field(factory=list)
    _unsent: bytes = b""

    def __attrs_post_init__(self) -> None:
        transport: Any = self.client.transport
        self._unsent = transport.read()
        self._written.append(self._unsent)
        write = transport.write

        def overheard(data: bytes) -> None:
            self._written.append(data)
            write(data)

        transport.write = overheard

    def _delay(self) -> float:
        rng = self.rng
        return rng.uniform(0.2, 3.0) if rng.random() < 0.02 else rng.uniform(0.001, 0.05)

    def _later(self, not_before: float, call: Callable[[], None]) -> float:
        at = max(not_before, self.clock.seconds() + self._delay())
        self.clock.callLater(at - self.clock.seconds(), call)
        return at

    def _pieces(self, data: bytes) -> list[bytes]:
        """Mostly as it was written, sometimes cut anywhere."""
        if len(data) < 2 or self.rng.random() < 0.7:
            return [data]
        cut = self.rng.randrange(1, len(data))
        return [data[:cut], *self._pieces(data[cut:])]

    # -- the guest's end

    def send(self, data: bytes) -> None:
        for piece in self._pieces(data):
            self._there.append(piece)
            self._there_at = self._later(self._there_at, self._arrive)

    def finish(self) -> None:
        """The guest goes, and what it sent arrives."""
        self.up = False
        self._there.append(None)
        self._there_at = self._later(self._there_at, self._arrive)

    def reset(self) -> None:
        """The connection is cut, and all that is on its way is lost."""
        self._forget()
        self._later(0.0, self._host_sees_the_end)
        self._guest_sees_the_end()

    def vanish(self) -> None:
        self._forget()
        self.client.transport.reads = self.reading = False
        self.clock.callLater(GIVEN_UP, self._host_sees_the_end)
        self._guest_sees_the_end()

    def stall(self, seconds: float) -> None:
        self.client.transport.reads = self.reading = False
        self.clock.callLater(seconds, self._read_on)

    def _read_on(self) -> None:
        if self.up:
            self.client.transport.reads = self.reading = True

    def _forget(self) -> None:
        self.up = False
        self._there.clear()
        self._back.clear()

    # -- the host's end

    def collect(self) -> bytes:
        """After a turn of the host: what it wrote in it. It is held against the journal at once, and sent on its way."""
        transport = self.client.transport
        if self.dead or not (
            self._written or self._unsent or transport._buffer or transport.disconnecting or transport.disconnected
        ):
            return b""
        written = b"".join(self._written)
        if written:
            self._written.clear()
            self.witness.hear(written)
        if self.reading:
            data = self._unsent + self.client.transport.read()
            self._unsent = b""
            if data and self.up:
                for piece in self._pieces(data):
                    self._back.append(piece)
                    self._back_at = self._later(self._back_at, self._come)
        if self.client.closed:
            self.host_is_gone()
        return written

    def host_is_gone(self) -> None:
        if not self.dead:
            self.dead = True
            self._back.append(None)
            self._back_at = self._later(self._back_at, self._come)

    # -- arrivals

    def _arrive(self) -> None:
        if not self._there or self.dead:
            return
        data = self._there.popleft()
        if data is None:
            self._host_sees_the_end()
        elif not self.client.closed:
            self.client.transport.receive(data)

    def _host_sees_the_end(self) -> None:
        if not self.dead and not self.client.closed:
            self.client.transport.hang_up()

    def _come(self) -> None:
        if not self._back:
            return
        data = self._back.popleft()
        if data is None:
            self._guest_sees_the_end()
        elif self.up:
            self._hear(data)

    def _guest_sees_the_end(self) -> None:
        self.up = False
        if not self._ended:
            self._ended = True
            self._lost()


#: Where those are who watch on the open wire.
WATCHER = "203.0.113.20"


@define(eq=False)
class Guest:
    client_model: ModelClient
    address: str
    link: Link | None = None
    #: Not before this does it come back.
    away_until: float = 0.0
    #: When it asked to be let in; it asks again if nothing comes of it.
    asked: float = -1e9
    message_text: MessageText = field(init=False)

    def say(self, lines: Sequence[str]) -> None:
        if lines and self.link is not None and self.link.up:
            self.link.send(b"".join(map(self.message_text.said, lines)))

    def log_in(self) -> None:
        assert self.link is not None
        self.say(self.client_model.log_in())
        self.link.witness.name = self.client_model.name


@define(eq=False)
class SimulatedWatchers:
    """The watchers of one run of a host. They have chance of their own, so that nothing else changes with them."""

    world: MemoryHost
    rng: random.Random
    #: How many streams were compared.
    compared: int = 0
    _there: list[tuple[Table[Any, Any], Stream]] = field(factory=list)

    def turn(self) -> None:
        """Somebody comes, or somebody goes."""
        tables = list(self.world.lobby.tables.values())
        if self._there and self.rng.random() < 0.4:
            self._go()
        elif tables:
            table, stream = self.rng.choice(tables), Stream()
            try:
                self.world.lobby.galleries.watch(table, stream, MessagesEncoder(MESSAGES[table.game.name]))
            except WatchRefused:
                return
            self._there.append((table, stream))

    def _go(self) -> None:
        table, stream = self._there.pop(self.rng.randrange(len(self._there)))
        self.world.lobby.galleries.unwatch(table.id, stream)
        self.check(table, stream)

    def end(self) -> None:
        """This run of the host has ended."""
        while self._there:
            self._go()

    def check(self, table: Table[Any, Any], stream: Stream) -> None:
        """A stream has what the journal has behind its look, up to where it ends, and nothing else."""
        if not stream.data:
            return
        self.compared += 1
        journal: Any = self.world.journal
        messages = MESSAGES[table.game.name]
        whole = written(messages, history(table.game, journal.openings[table.id], journal.entries[table.id]))
        n = msgspec.json.decode(stream.lines[0])[1]
        told = [line for line in stream.lines[1:] if line.startswith(b'["event"')]
        expected = [line for line in whole if msgspec.json.decode(line)[1] > n]
        if told != (expected if stream.ended else expected[: len(told)]):
            raise AssertionError(f"table {table.id}: a watcher was told {told}, and the journal has {expected}")


class OpenWatchers(Scripts):
    """Those who watch on the open wire, in one run of a host."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.watching: list[Client] = []

    def begin(self) -> None:
        """Two at a time."""
        self.run(self.look_on, self.look_on)

    def look_on(self) -> Script:
        """Somebody watches a table for a while, and then asks for its history, which must have the same events."""
        tables = list(self.world.lobby.tables)
        if not tables:
            return
        table = self.rng.choice(tables)
        client = self.world.connect("open", WATCHER)
        self.watching.append(client)
        _say(client, do="watch", table=table, on=True)
        seen: list[dict[str, Any]] = []
        for _ in range(self.rng.randrange(1, 60)):
            yield 0.5
            seen += map(msgspec.json.decode, client.heard())
        _say(client, do="watch", table=table, on=False)
        seen += map(msgspec.json.decode, client.heard())
        if seen and seen[0]["is"] == "shown":
            played = table in self.world.lobby.tables
            _say(client, do="history", table=table)
            told: list[dict[str, Any]] = []
            while not told and not client.closed:
                yield 0.5
                told += map(msgspec.json.decode, client.heard())
            if told:
                self.compare(table, seen, told[0], played)
                self.done["histories"] += 1
        client.drop()
        self.watching.remove(client)

    def compare(self, table: TableId, seen: Sequence[dict[str, Any]], told: dict[str, Any], played: bool) -> None:
        """What was seen live is what the history says. Of a table that sleeps there may be none."""
        if told["is"] == "sorry":
            if played:
                raise AssertionError(f"table {table}: no history: {told}")
            return
        live = [(one["n"], one["event"]) for one in seen if one["is"] == "event"]
        whole = [(one["n"], one["event"]) for one in told["events"] if one["n"] > seen[0]["n"]]
        if live != whole[: len(live)]:
            raise AssertionError(f"table {table}: a watcher was told {live}, and the history says {whole}")

    @property
    def clients(self) -> list[Client]:
        return self.watching

    def leave(self) -> None:
        self.end()
        for client in self.watching:
            client.drop()


def _say(client: Client, **message: Any) -> None:
    if not client.closed:
        client.send(msgspec.json.encode(message) + b"\n")


class Company:
    def __init__(
        self,
        world: MemoryHost,
        archive: Archive,
        seed: int,
        later: Callable[..., None],
        new_name: Callable[[], str],
    ) -> None:
        self.watchers = SimulatedWatchers(world, random.Random(seed))
        self.attackers = SimulatedAttackers(world, archive, random.Random(seed + 1), later, new_name)
        self.on_open = OpenWatchers(world, archive, random.Random(seed + 2), later, new_name)
        self.attackers.begin()
        self.on_open.begin()

    @property
    def clients(self) -> list[Client]:
        return [*self.attackers.clients, *self.on_open.clients]

    def turn(self) -> None:
        """The disk has written something."""
        self.watchers.turn()

    def end(self) -> Counter[str]:
        self.watchers.end()
        self.attackers.end()
        self.on_open.end()
        done = Counter(streams=self.watchers.compared) + self.attackers.done + self.on_open.done
        self.watchers.compared = 0
        self.attackers.done, self.on_open.done = Counter(), Counter()
        return done

    def leave(self) -> None:
        self.attackers.leave()
        self.on_open.leave()
