"""The wire as the host knows it."""

from attrs import frozen

from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.remote.master import REMOTE
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queue import Queue
from gamehost.settings import Settings, refuse_unknown, setting, yes_or_no
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.conversation import Peer
from gamehost.wires.paper_soccer_xml.client_codec import XmlClientCodec
from gamehost.wires.paper_soccer_xml.codec import XmlCodec
from gamehost.wires.paper_soccer_xml.messages import Message
from gamehost.wires.paper_soccer_xml.remote_conversation import RemoteConversation
from gamehost.wires.paper_soccer_xml.remote_rules import OPTIONS as REMOTE_OPTIONS
from gamehost.wires.paper_soccer_xml.remote_rules import RemoteRules, remote_rules

NAME = "paper-soccer"

OPTIONS = {
    **COMMON_OPTIONS,
    **REMOTE_OPTIONS,
    "declaration": "yes: an XML declaration in front of each message; default no",
}


@frozen
class XmlWireConfig:
    """How connections of this wire are set up."""

    strict: bool
    declaration: bool
    queue: Queue
    rules: RemoteRules

    def new_codec(self) -> XmlCodec:
        """A codec for one connection."""
        return XmlCodec(self.declaration, self.strict, self.rules.loose, self.rules.line_ends)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> RemoteConversation:
        """A conversation for one connection."""
        return RemoteConversation(peer, lobby, NAME, self.queue, self.strict, self.rules)


def configure(settings: Settings) -> XmlWireConfig:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, PAPER_SOCCER)
    declaration = setting(settings, "declaration", False, yes_or_no)
    return XmlWireConfig(strict, declaration, queue, remote_rules(settings))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Paper Soccer, XML messages",
    endpoint="tcp:8894:interface=127.0.0.1",
    games=(PAPER_SOCCER, REMOTE),
    configure=configure,
    options=OPTIONS,
    flags=("declaration",),
    values=("championship",),
    client_codec=XmlClientCodec,
    spreads=True,
)
