"""
Reads and writes the lines of the Onitama wire: UTF-8, with fields separated by pipes.

Spaces around a field are removed; the server sends none. The first line that is not UTF-8 is refused. The second one
ends the connection.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import astuple

from gamehost.wires.framing import BLANK, LastEncoded, LineCodec, asks_for_help, wrong_port
from gamehost.wires.onitama import messages as m

#: The longest line, in bytes. The longest message of a client has 90 bytes, if its name has letters of four bytes.
LINE_LIMIT = 256

_SERVER_ONLY = frozenset(m.SERVER_COMMANDS.values())
#: Message -> its command. The server sends the two client's messages as examples to a person that asks for help.
_COMMANDS: Mapping[type[Any], str] = {**m.SERVER_COMMANDS, m.Login: "LOGIN", m.MakeMove: "MAKE_MOVE"}


def parse(line: str) -> m.Message:
    """
    Returns the message in a line. It never fails: a line that is not a valid message of a client becomes another
    message with the reason.
    """
    words = line.split("|")
    # Most lines have no spaces, so the fields need not be stripped.
    if " " in line or "\t" in line:
        words = [word.strip(" \t") for word in words]
    command, *words = words
    known = m.CLIENT_COMMANDS.get(command)
    if known is None:
        # An empty line.
        if not command and not words:
            return BLANK
        if command in _SERVER_ONLY:
            return m.NotForServer(command)
        return _unknown(line, command)
    message, count, shape = known
    if len(words) != count:
        return m.WrongFields(command, shape)
    return message(*words)


def _unknown(line: str, command: str) -> m.Message:
    """
    Returns the message for a line that does not begin with a command of this wire: a call for help, another protocol,
    or an unknown command. If upper case would make it a command, the result says so.
    """
    if asks_for_help(line):
        return m.HelpAsked()
    sentence = wrong_port(line.encode("utf-8"), m.SPOKEN)
    if sentence is not None:
        return m.OtherLanguage(sentence)
    upper = command.upper()
    return m.Unknown(upper if upper in m.CLIENT_COMMANDS else "")


def _encode(message: m.Message) -> bytes:
    """Returns a message of the server as a line. A field that is `None` is an extension that is left out."""
    words = astuple(message)
    if None in words:
        words = tuple(word for word in words if word is not None)
    return ("|".join((_COMMANDS[type(message)], *words)) + "\n").encode("utf-8")


#: The last message and its bytes. A message to both players is encoded only once.
_LAST: LastEncoded[m.Message] = LastEncoded()


class PipesCodec(LineCodec[m.Message]):
    """The codec of one connection on the host's side: reads the client's lines, and writes the host's messages."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not UTF-8"
    parse = staticmethod(parse)

    def encode(self, message: m.Message) -> bytes:
        return _LAST.bytes_of(message, _encode)
