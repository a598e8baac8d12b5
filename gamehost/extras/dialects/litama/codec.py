"""
Reads and writes the messages of the wire. A command is a line, or a text of WebSocket. An answer is one JSON object without
spaces.
"""

from typing import Any

from msgspec import json

from gamehost.extras.dialects.litama import messages as m
from gamehost.wires.framing import LineCodec

#: The longest name in characters. A longer name is cut.
LONGEST_NAME = 40


def parse(text: str) -> m.Message:
    """
    Reads the command in a text. The name of a command must be followed by a space. It never fails: any other text
    becomes `Unknown`.
    """
    kind = next((kind for kind in m.COMMANDS if text.startswith(kind.NAME + " ")), None)
    if kind is None:
        return m.Unknown(text)
    rest = text[len(kind.NAME) + 1 :]
    match_id, _, name = rest.partition(" ")
    # A name may have spaces. A name that is too long is cut off.
    if kind is m.Create:
        return m.Create(text, "", rest[:LONGEST_NAME])
    if kind is m.Join:
        return m.Join(text, match_id, name[:LONGEST_NAME])
    if kind is m.State:
        return m.State(text, rest)
    if kind is m.MakeMove:
        token, _, words = name.partition(" ")
        return m.MakeMove(text, match_id, token, tuple(words.split(" ")))
    return m.Spectate(text, match_id, name)


class LitamaCodec(LineCodec[m.Message]):
    """
    The codec of one connection.

    :param successor: whether errors are those of the successor
    """

    LIMIT = 512
    UNREADABLE = "texts that are not UTF-8"
    parse = staticmethod(parse)

    def __init__(self, successor: bool = False) -> None:
        super().__init__()
        self._successor = successor

    def encode(self, message: m.Message) -> bytes:
        if isinstance(message, m.Standing):
            return message.text + b"\n"
        return json.encode(self._fields(message)) + b"\n"

    def _fields(self, message: m.Message) -> Any:
        """
        Returns the fields of an answer, in the protocol's order. The successor of the protocol has other fields in
        errors.
        """
        match message:
            case m.Entered(command, match_id, token, index):
                return {"messageType": command, "matchId": match_id, "token": token, "index": index}
            case m.Done(command, match_id):
                return {"messageType": command, "matchId": match_id}
            case m.Failed(_, error, _, query) if self._successor:
                return {"messageType": "error", "error": error, "query": query}
            case m.Failed(match_id, error, command):
                return {"messageType": "error", "matchId": match_id, "error": error, "command": command}
        raise TypeError(f"the host does not say {type(message).__name__}")


class SuccessorCodec(LitamaCodec):
    """A codec with the errors of Litama's successor."""

    def __init__(self) -> None:
        super().__init__(True)
