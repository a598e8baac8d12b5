"""The wire as the host knows it."""

from attrs import frozen

from gamehost.conversation import Line
from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby import Lobby, Queue
from gamehost.options import Settings, refuse_unknown
from gamehost.wire import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.onitama_pipes.codec import PipesCodec
from gamehost.wires.onitama_pipes.conversation import PipesConversation
from gamehost.wires.onitama_pipes.messages import Message

NAME = "onitama"


@frozen
class PipesScript:
    """What is played on each connection."""

    strict: bool
    queue: Queue

    def new_codec(self) -> PipesCodec:
        """A codec for one connection."""
        return PipesCodec()

    def new_conversation(self, line: Line[Message], lobby: Lobby) -> PipesConversation:
        """A conversation for one connection."""
        return PipesConversation(line, lobby, NAME, self.queue, self.strict)


def script(settings: Settings) -> PipesScript:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return PipesScript(*common_settings(settings, NAME, ONITAMA))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Onitama, pipe-separated lines",
    endpoint="tcp:8893:interface=127.0.0.1",
    game=ONITAMA,
    script=script,
    options=COMMON_OPTIONS,
)
