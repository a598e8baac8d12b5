"""
What players and the master of a remote game do, and how that is written in the journal.

A content is what the program of a player or a master has sent. The host knows that it is UTF-8, and nothing else of it. In the
journal it stands in one line: characters that cannot be printed, braces and backslashes are written as escapes.
"""

import re

from attrs import frozen

from gamehost.games.base import Seat


@frozen
class Move:
    """A player: a move."""

    content: bytes


@frozen
class Next:
    """The master: a state, and whose turn it is."""

    seat: Seat
    content: bytes


@frozen
class Finish:
    """The master: the last state, and who has won, in the master's order."""

    results: tuple[tuple[Seat, bool], ...]
    content: bytes


@frozen
class PutOut:
    """The master: this player is out of the game."""

    seat: Seat


Action = Move | Next | Finish | PutOut

#: What can be printed, and is an escape all the same.
_PRINTABLE = str.maketrans({"\\": "\\\\", "{": "\\x7b", "}": "\\x7d"})
_SHORT = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
_ESCAPE = re.compile(r"\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*+", re.DOTALL)
_NOTATION = re.compile(
    r"(move)(?: (.+))?|(next) ([0-9]{1,2})(?: (.+))?|(over) ([0-9]{1,2}[+-](?:,[0-9]{1,2}[+-])*)(?: (.+))?|(out) ([0-9]{1,2})"
)


def _escaped(content: bytes) -> str:
    text = content.decode("utf-8").translate(_PRINTABLE)
    if not text.isprintable():
        text = "".join([one if one.isprintable() else ascii(one)[1:-1] for one in text])
    # A line of the journal as text has no spaces at its ends.
    if text.startswith(" "):
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def _unescaped(text: str | None) -> bytes:
    def read(match: re.Match[str]) -> str:
        return _SHORT.get(match[0]) or chr(int(match[0][2:], 16))

    if text is None:
        return b""
    if _ESCAPED.fullmatch(text) is None:
        raise ValueError("a backslash that begins no escape")
    return _ESCAPE.sub(read, text).encode("utf-8")


def write(action: Action) -> bytes:
    """An action in the notation."""
    match action:
        case Move(content):
            words, content = "move", content
        case Next(seat, content):
            words, content = f"next {seat}", content
        case Finish(results, content):
            words = "over " + ",".join([f"{seat}{'+' if won else '-'}" for seat, won in results])
        case PutOut(seat):
            words, content = f"out {seat}", b""
    return (f"{words} {_escaped(content)}" if content else words).encode("utf-8")


def read(notation: bytes) -> Action:
    """
    The inverse of `write`.

    :raises ValueError: this is not the notation
    """
    found = _NOTATION.fullmatch(notation.decode("utf-8"))
    if found is None:
        raise ValueError("not an action of a remote game; expected move, next, over or out")
    if found[1]:
        return Move(_unescaped(found[2]))
    if found[3]:
        return Next(Seat(int(found[4])), _unescaped(found[5]))
    if found[6]:
        results = [(Seat(int(one[:-1])), one[-1] == "+") for one in found[7].split(",")]
        return Finish(tuple(results), _unescaped(found[8]))
    return PutOut(Seat(int(found[10])))
