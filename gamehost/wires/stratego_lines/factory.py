"""The wire as the host knows it."""

from attrs import frozen

from gamehost.conversation import Line
from gamehost.games.stratego import STRATEGO
from gamehost.lobby import Lobby, Queue
from gamehost.options import Settings, refuse_unknown, setting, yes_or_no
from gamehost.wire import Wire
from gamehost.wires.stratego_lines.codec import LinesCodec
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.messages import Message

NAME = "stratego-lines"

OPTIONS = {
    "strict": "yes: the document's messages only, no extensions; default no",
    "separate": "yes: this wire's players meet each other only; default no",
}


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
    refuse_unknown(settings, OPTIONS)
    separate = setting(settings, "separate", False, yes_or_no)
    strict = setting(settings, "strict", False, yes_or_no)
    return LinesScript(strict, Queue(STRATEGO, NAME if separate else ""))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Stratego, ASCII lines with accounts",
    endpoint="tcp:8890:interface=127.0.0.1",
    game=STRATEGO,
    script=script,
    options=OPTIONS,
)
