"""The wire as the host knows it."""

from attrs import frozen

from gamehost.conversation import Line
from gamehost.games.stratego import STRATEGO
from gamehost.lobby import Lobby, Queue
from gamehost.options import Settings, refuse_unknown
from gamehost.wire import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.stratego_lines.codec import LinesCodec
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.messages import Message

NAME = "stratego-lines"


@frozen
class LinesScript:
    """What is played on each connection."""

    strict: bool
    queue: Queue

    def new_codec(self) -> LinesCodec:
        """A codec for one connection."""
        return LinesCodec()

    def new_conversation(self, line: Line[Message], lobby: Lobby) -> LinesConversation:
        """A conversation for one connection."""
        return LinesConversation(line, lobby, NAME, self.queue, self.strict)


def script(settings: Settings) -> LinesScript:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return LinesScript(*common_settings(settings, NAME, STRATEGO))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Stratego, ASCII lines with accounts",
    endpoint="tcp:8890:interface=127.0.0.1",
    game=STRATEGO,
    script=script,
    options=COMMON_OPTIONS,
)
