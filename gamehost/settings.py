"""
Declares settings, and reads them: from text to a checked value, or a `BadOption` with a message about the expected
value.

Settings are text on the command line, in TOML files and in the header of a table. They are read where they are used.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

#: Settings as they are written: name to text.
Settings = Mapping[str, str]
#: From the name and the text of a setting to its value; raises `BadOption`.
Reader = Callable[[str, str], Any]

_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)


class BadOption(ValueError):
    """A setting that cannot be used; the message names it and says what was expected."""


def as_text(name: str, text: str) -> str:
    return text


class Reload(Enum):
    """The effect of a new value on a running host that reads its settings again."""

    #: It has no effect before the next start.
    RESTART = "needs a restart"
    USED = "is used from now on"
    WITH_HOUSE = "is used from now on, if the host has house players"


class Setting(Struct, frozen=True):
    """
    One setting of the host, as it is declared. The option or the name for `--set`, its check, its help and what a reload
    does with it come from here.
    """

    default: Any
    #: One sentence, with the unit.
    words: str
    read: Reader = as_text
    reload: Reload = Reload.RESTART
    #: Whether it is an option that can be given several times; its value is a list then.
    many: bool = False
    #: The default in words; `None`: as it is written.
    default_words: str | None = None

    @property
    def shown_default(self) -> str:
        """The default, for a person; empty: there is none to speak of."""
        match self.default:
            case _ if self.default_words is not None:
                return self.default_words
            case None | False:
                return ""
            case () | []:
                return "none"
            case [first]:
                return str(first)
            case float(number):
                return f"{number:g}"
            case Enum(value=value) | value:
                return str(value)


def setting(settings: Settings, name: str, default: T, read: Callable[[str, str], T]) -> T:
    """
    The value of one setting.

    :param read: called with the name and the text, for instance `yes_or_no`
    :raises BadOption: the text is not what the setting takes
    """
    text = settings.get(name)
    return default if text is None else read(name, text)


def refuse_unknown(settings: Settings, known: Iterable[str]) -> None:
    """
    :raises BadOption: a setting is not among the known names
    """
    names = sorted(known)
    for name in settings:
        if name not in names:
            raise BadOption(f"{name}: unknown setting; expected one of {', '.join(names)}")


def whole_number(name: str, text: str) -> int:
    """
    :raises BadOption: not a whole number in ASCII digits
    """
    if _WHOLE.fullmatch(text) is None:
        raise BadOption(f"{name}: expected a whole number, got {text!r}")
    return int(text)


def from_to(least: int, most: int) -> Callable[[str, str], int]:
    """A reader of whole numbers between two bounds, both included."""

    def read(name: str, text: str) -> int:
        number = whole_number(name, text)
        if not least <= number <= most:
            raise BadOption(f"{name}: expected a whole number from {least} to {most}, got {text!r}")
        return number

    return read


def seconds(name: str, text: str) -> float:
    """
    :raises BadOption: not a decimal number of seconds, 0 or more
    """
    if _DECIMAL.fullmatch(text) is None:
        raise BadOption(f"{name}: expected seconds, such as 60 or 2.5, got {text!r}")
    return float(text)


def milliseconds(name: str, text: str) -> int:
    """
    Seconds as written, milliseconds as used.

    :raises BadOption: not a decimal number of seconds, 0 or more
    """
    return round(seconds(name, text) * 1000)


def yes_or_no(name: str, text: str) -> bool:
    """
    :raises BadOption: neither yes nor no
    """
    match text.lower():
        case "yes" | "true" | "on" | "1":
            return True
        case "no" | "false" | "off" | "0":
            return False
    raise BadOption(f"{name}: expected yes or no, got {text!r}")


def one_of(*choices: str) -> Callable[[str, str], str]:
    """A reader of one word out of several."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise BadOption(f"{name}: expected one of {', '.join(choices)}, got {text!r}")
        return text

    return read


def member_of(kind: type[E]) -> Callable[[str, str], E]:
    """A reader of the members of an enumeration, by their values."""
    read = one_of(*(member.value for member in kind))
    return lambda name, text: kind(read(name, text))


def as_written(read: Reader) -> Callable[[str, str], str]:
    """A reader that checks a text as another one does, and leaves it as it is."""

    def checked(name: str, text: str) -> str:
        read(name, text)
        return text

    return checked


def settings_of(owner: str, settings: Settings, known: Collection[str], **otherwise: str) -> dict[str, str]:
    """
    The settings of one owner, by their names without the owner's prefix.

    :param settings: by their full names, as for `--set`
    :param known: the names that are this owner's: a game and a wire may share a prefix
    :param otherwise: the values of this owner's settings that are not set
    """
    prefix = owner + "."
    mine = {name.removeprefix(prefix): text for name, text in settings.items() if name.startswith(prefix)}
    return {name: text for name, text in {**otherwise, **mine}.items() if name in known}
