"""
The people of a simulation: guests who play, and those who watch. These come to any table and go again, and what each of them
was told is what the journal of the table says, and what the open wire says is its history.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from attrs import define, field

from gamehost.journal.history import history
from gamehost.journal.records import TableId
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.table import Table
from tests.kit.journal_oracle import Archive
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.message_text import MessageText
from tests.kit.model_clients.base import ModelClient
from tests.kit.network import Link
from tests.kit.simulated_attackers import SimulatedAttackers
from tests.kit.simulated_scripts import Script, Scripts
from tests.kit.watching import FACES, FaceEncoder, Stream, written

#: Where those are who watch on the open wire.
WATCHER = "203.0.113.20"


@define(eq=False)
class Guest:
    """A player somewhere in the network."""

    client_model: ModelClient
    address: str
    link: Link | None = None
    #: Not before this does it come back.
    away_until: float = 0.0
    #: When it asked to be let in; it asks again if nothing comes of it.
    asked: float = -1e9
    message_text: MessageText = field(init=False)

    def say(self, lines: Sequence[str]) -> None:
        """Send lines, if there is anywhere to send them to."""
        if lines and self.link is not None and self.link.up:
            self.link.send(b"".join(map(self.message_text.said, lines)))


@define(eq=False)
class SimulatedWatchers:
    """The watchers of one life of a host. They have chance of their own, so that nothing else changes with them."""

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
                self.world.lobby.galleries.watch(table, stream, FaceEncoder(FACES[table.game.name]))
            except WatchRefused:
                return
            self._there.append((table, stream))

    def _go(self) -> None:
        table, stream = self._there.pop(self.rng.randrange(len(self._there)))
        self.world.lobby.galleries.unwatch(table.id, stream)
        self.check(table, stream)

    def end(self) -> None:
        """This life of the host has ended."""
        while self._there:
            self._go()

    def check(self, table: Table[Any, Any], stream: Stream) -> None:
        """
        A stream has what the journal has behind its look, up to where it ends.

        :raises AssertionError: it has something else
        """
        if not stream.data:
            return
        self.compared += 1
        journal: Any = self.world.journal
        face = FACES[table.game.name]
        whole = written(face, history(table.game, journal.openings[table.id], journal.entries[table.id]))
        n = msgspec.json.decode(stream.lines[0])[1]
        told = [line for line in stream.lines[1:] if line.startswith(b'["event"')]
        expected = [line for line in whole if msgspec.json.decode(line)[1] > n]
        if told != (expected if stream.ended else expected[: len(told)]):
            raise AssertionError(f"table {table.id}: a watcher was told {told}, and the journal has {expected}")


class OpenWatchers(Scripts):
    """Those who watch on the open wire, in one life of a host."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.watching: list[Client] = []

    def begin(self) -> None:
        """Two at a time."""
        self.run(self.look_on, self.look_on)

    def look_on(self) -> Script:
        """
        Somebody watches a table for a while, and then asks for its history.

        :raises AssertionError: that has other events
        """
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
        """
        :param played: whether the table was played when its history was asked for: others may sleep
        :raises AssertionError: what was seen live is not what the history says
        """
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
    """All but the guests, in one life of a host: those who watch, and those who attack it."""

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
        """Their connections."""
        return [*self.attackers.clients, *self.on_open.clients]

    def turn(self) -> None:
        """The disk has written something."""
        self.watchers.turn()

    def end(self) -> Counter[str]:
        """This life of the host has ended. Returns what they did in it."""
        self.watchers.end()
        self.attackers.end()
        self.on_open.end()
        done = Counter(streams=self.watchers.compared) + self.attackers.done + self.on_open.done
        self.watchers.compared = 0
        self.attackers.done, self.on_open.done = Counter(), Counter()
        return done

    def leave(self) -> None:
        """All are gone."""
        self.attackers.leave()
        self.on_open.leave()
