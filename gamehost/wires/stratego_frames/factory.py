"""The wire as the host knows it."""

from attrs import frozen

from gamehost.conversation import Line
from gamehost.games.stratego.game import STRATEGO
from gamehost.lobby import Lobby, Queue
from gamehost.options import Settings, refuse_unknown
from gamehost.wire import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.stratego_frames.codec import FramesCodec
from gamehost.wires.stratego_frames.conversation import FramesConversation
from gamehost.wires.stratego_frames.messages import Message

NAME = "stratego-frames"


@frozen
class FramesScript:
    """What is played on each connection."""

    strict: bool
    queue: Queue

    def new_codec(self) -> FramesCodec:
        """A codec for one connection."""
        return FramesCodec()

    def new_conversation(self, line: Line[Message], lobby: Lobby) -> FramesConversation:
        """A conversation for one connection."""
        return FramesConversation(line, lobby, NAME, self.queue, self.strict)


def script(settings: Settings) -> FramesScript:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return FramesScript(*common_settings(settings, NAME, STRATEGO))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Stratego, binary frames",
    endpoint="tcp:8891:interface=127.0.0.1",
    game=STRATEGO,
    script=script,
    options=COMMON_OPTIONS,
)
