"""
The rules for player names: which texts are names, and when two names count as the same one.
"""

import unicodedata
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


#: Words that two wires use where a name stands, and words that people type who look for help.
RESERVED = frozenset({"tie", "none", "draw", "help", "quit", "exit"})


LONGEST_NAME = 20


#: Hangul's fillers: Unicode counts them among the letters, and they show nothing.
_FILLERS = "\u115f\u1160\u3164\uffa0"


_LETTERS_AND_DIGITS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


class NameFault(Enum):
    """What was wrong with a name."""

    TOO_LONG = "too long"
    INVALID = "invalid"
    TAKEN = "taken"
    #: Nothing is wrong with the name: nobody is let in now.
    BUSY = "busy"


class NameRefused(Exception):
    """
    A log-in that cannot be; the message says why, for its player.

    :param kept: the session whose seat is kept under this name, where the client has shown that it is its own: it may be
        given up with `Lobby.give_up`
    """

    def __init__(self, fault: NameFault, reason: str, kept: Any = None) -> None:
        super().__init__(reason)
        self.fault = fault
        self.kept = kept


def checked_name(text: str) -> str:
    """
    A name as it is used from now on: in normal form C.

    :raises NameRefused: not 1 to 20 letters, decimal digits, `_`, `-` or `.`, or a reserved word
    """
    name = unicodedata.normalize("NFC", text)
    if len(name) > LONGEST_NAME:
        raise NameRefused(NameFault.TOO_LONG, f"a name has at most {LONGEST_NAME} characters")
    if not name or not all(_fits(character) for character in name):
        raise NameRefused(NameFault.INVALID, "a name has 1 to 20 letters, digits, _ - or . and nothing else")
    if key_of(name) in RESERVED:
        raise NameRefused(NameFault.INVALID, "a name is not a word such as tie or help")
    return name


def _fits(character: str) -> bool:
    if character in _FILLERS:
        return False
    return character in "_-." or unicodedata.category(character) in _LETTERS_AND_DIGITS


def key_of(name: str) -> str:
    """What two names must differ in: case and compatibility forms do not count."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
