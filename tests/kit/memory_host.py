"""A whole host in memory, which knows how this project's own wires are written."""

from gamehost.testing import memory_host
from gamehost.testing.memory_host import CHEAP as CHEAP
from gamehost.testing.memory_host import Client as Client
from gamehost.testing.memory_host import at_once as at_once
from tests.kit.message_text import WORDED


class MemoryHost(memory_host.MemoryHost):
    """A host with this project's wires."""

    texts = WORDED
