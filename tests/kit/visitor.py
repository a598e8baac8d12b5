"""A player of the state machine: a model client with an address, and a connection or none."""

from attrs import define

from tests.kit.journal_oracle import Archive, JournalOracle
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients.base import ModelClient


@define(eq=False)
class Visitor:
    """Somebody with a name and a wire, and a connection or none."""

    client_model: ModelClient
    address: str
    client: Client | None = None
    witness: JournalOracle | None = None

    def connect(self, world: MemoryHost, archive: Archive) -> None:
        """A new connection."""
        self.client = world.connect(self.client_model.wire, self.address)
        self.witness = JournalOracle(archive, self.client_model.wire, self.client_model.name)
        self.client_model.connected()

    def listen(self) -> None:
        """Take in what was said, and notice an end."""
        if self.client is None or self.witness is None:
            return
        data = self.client.transport.read()
        self.witness.hear(data)
        for line in self.client.message_text.heard(data):
            self.client_model.hear(line)
        if self.client.closed:
            self.client = self.witness = None
