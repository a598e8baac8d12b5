"""
The client's side of the wire: reads what the server says, and writes what a client says.
"""

from collections.abc import Iterator

from msgspec.structs import astuple

from gamehost.wires.framing import WireError
from gamehost.wires.onitama_final import messages as m
from gamehost.wires.onitama_final.codec import MESSAGE_LIMIT, MessageBuffer, parse

#: The number of fields of the `RECONNECT` that a player hears who is back.
RESTORE_FIELDS = 34

_SIMPLE = {
    command: kind
    for kind, command in m.SERVER_COMMANDS.items()
    if kind not in (m.Start, m.Restore, m.Ping, m.Reconnect)
}
_SAID = {kind: command for command, (kind, _, _) in m.CLIENT_COMMANDS.items()}


def read_server(text: str) -> m.Message:
    """
    The server's message in a text.

    :raises WireError: it is none
    """
    command, *words = text.split("|")
    match command, words:
        case m.PING, [m.PING]:
            return m.Ping()
        case "START", [black, white, *cards] if len(cards) == 5:
            return m.Start(black, white, _five(cards))
        case "RECONNECT", [name]:
            return m.Reconnect(name)
        case "RECONNECT", [black, white, *rest] if len(words) == RESTORE_FIELDS:
            return m.Restore(black, white, _five(rest[:5]), _flag(rest[5]), _flag(rest[6]), tuple(rest[7:]))
    kind = _SIMPLE.get(command)
    if kind is None or len(words) != len(kind.__struct_fields__):
        raise WireError("not a message of the server")
    message: m.Message = kind(*words)
    return message


def _five(cards: list[str]) -> tuple[str, str, str, str, str]:
    one, two, three, four, five = cards
    return one, two, three, four, five


def _flag(word: str) -> bool:
    if word not in ("0", "1"):
        raise WireError("expected 1 or 0")
    return word == "1"


class FinalClientCodec:
    """The codec of one connection, on the client's side. A message that cannot be read is an error at once."""

    def __init__(self) -> None:
        self._messages = MessageBuffer()

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""
        return self._messages.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """
        The messages of the server that are complete now.

        :raises WireError: one that is too long, not UTF-8, or no message of the server
        """
        for message in self._messages.feed(data):
            try:
                text = message.decode("utf-8")
            except UnicodeDecodeError:
                raise WireError("a message that is not UTF-8") from None
            yield read_server(text)

    def encode(self, message: m.Message) -> bytes:
        """
        A message of a client as bytes.

        :raises WireError: not a client's message, or a field that a server would read otherwise; the codec can be used
            further
        """
        match message:
            case m.Ping():
                text = f"{m.PING}|{m.PING}"
            case m.Login() | m.MakeMove() | m.MakePass():
                text = "|".join((_SAID[type(message)], *astuple(message)))
            case _:
                raise WireError(f"a client does not say {type(message).__name__}")
        if parse(text) != message or "\0" in text:
            raise WireError("a field has a pipe, a zero byte or white space")
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise WireError("a field cannot be written in UTF-8") from None
        if len(data) > MESSAGE_LIMIT:
            raise WireError(f"a message longer than {MESSAGE_LIMIT} bytes")
        return data + b"\0"
