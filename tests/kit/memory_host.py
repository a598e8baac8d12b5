"""A whole host in memory, which knows how this project's own wires are written."""

from typing import Any

from gamehost.tables.table import Table
from gamehost.testing import memory_host
from gamehost.testing.memory_host import CHEAP as CHEAP
from gamehost.testing.memory_host import Client as Client
from gamehost.testing.memory_host import at_once as at_once
from tests.kit.message_text import WORDED


def only_table(world: "MemoryHost") -> Table[Any, Any]:
    """The only table of a host; one that sleeps is loaded for that, and sleeps again."""
    [number] = world.unfinished
    if number in world.lobby.tables:
        return world.lobby.tables[number]
    sleeping, registry = world.lobby.seats.sleeping, world.lobby.registry
    if number not in sleeping._in_memory:
        sleeping.load(registry.wake(number))
        # A long record is followed in slices, one in each turn of the reactor.
        world.settle()
    return sleeping._in_memory[number]


class MemoryHost(memory_host.MemoryHost):
    """A host with this project's wires."""

    texts = WORDED
