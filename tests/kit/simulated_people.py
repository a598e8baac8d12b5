"""
The people of a simulation: guests who play, and those who watch. These come to any table and go again, and what each of them
was told is what the journal of the table says.
"""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from attrs import define, field

from gamehost.journal.history import history
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.table import Table
from tests.kit.memory_host import MemoryHost
from tests.kit.message_text import MessageText
from tests.kit.model_clients.base import ModelClient
from tests.kit.network import Link
from tests.kit.watching import FACES, FaceEncoder, Stream, written


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
