"""
Declares settings, and reads them. A reader turns a text into a checked value, or raises `BadOption` with a message
about the expected value.

Settings are texts on the command line, in TOML files and in the opening of a table.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

#: Settings as they are written: the texts, by the names of the settings.
Settings = Mapping[str, str]
#: Reads the value of a setting from its name and its text; raises `BadOption`.
Reader = Callable[[str, str], Any]

_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)


class BadOption(ValueError):
    """A setting cannot be used. The message has the name of the setting, and what was expected."""


def as_text(name: str, text: str) -> str:
    """A reader that accepts any text."""
    return text


class Reload(Enum):
    """What happens with a new value if a running host reads its settings again."""

    #: The new value is used after the next start.
    RESTART = "needs a restart"
    USED = "is used from now on"
    WITH_HOUSE = "is used from now on, if the host has house players"


class Setting(Struct, frozen=True):
    """
    The declaration of a setting or an option of the host: its default, its text in the help, its check, and what a
    reload does.
    """

    default: Any
    #: The meaning in one sentence, with the unit.
    words: str
    read: Reader = as_text
    reload: Reload = Reload.RESTART
    #: Whether the option can be given several times. Its value is a list then.
    many: bool = False
    #: The text about the default in the help; `None`: the default itself.
    default_words: str | None = None

    @property
    def shown_default(self) -> str:
        """The text about the default in the help; empty: none is shown."""
        match self.default:
            case _ if self.default_words is not None:
                return self.default_words
            case None | False:
                return ""
            case () | []:
                return "none"
            case [first]:
                # A list of one value, such as an endpoint.
                return str(first)
            case float(number):
                return f"{number:g}"
            case Enum(value=value) | value:
                return str(value)


def setting(settings: Settings, name: str, default: T, read: Callable[[str, str], T]) -> T:
    """
    Read one setting, or return its default.

    :param read: called with the name and the text, for instance `yes_or_no`
    :raises BadOption: the text is not a value of this setting
    """
    text = settings.get(name)
    return default if text is None else read(name, text)


def refuse_unknown(settings: Settings, known: Iterable[str]) -> None:
    """
    Check that all settings are known.

    :raises BadOption: a setting is not among the known names
    """
    names = sorted(known)
    for name in settings:
        if name not in names:
            raise BadOption(f"{name}: unknown setting; expected one of {', '.join(names)}")


def whole_number(name: str, text: str) -> int:
    """
    A reader for a whole number.

    :raises BadOption: the text is not a whole number in ASCII digits
    """
    if _WHOLE.fullmatch(text) is None:
        raise BadOption(f"{name}: expected a whole number, got {text!r}")
    return int(text)


def from_to(least: int, most: int) -> Callable[[str, str], int]:
    """Make a reader for whole numbers from `least` to `most`."""

    def read(name: str, text: str) -> int:
        """Read the number, and check its range."""
        number = whole_number(name, text)
        if not least <= number <= most:
            raise BadOption(f"{name}: expected a whole number from {least} to {most}, got {text!r}")
        return number

    return read


def seconds(name: str, text: str) -> float:
    """
    A reader for a time in seconds.

    :raises BadOption: the text is not a decimal number of seconds, 0 or more
    """
    if _DECIMAL.fullmatch(text) is None:
        raise BadOption(f"{name}: expected seconds, such as 60 or 2.5, got {text!r}")
    return float(text)


def milliseconds(name: str, text: str) -> int:
    """
    A reader for a time that is written in seconds. Returns milliseconds.

    :raises BadOption: the text is not a decimal number of seconds, 0 or more
    """
    return round(seconds(name, text) * 1000)


def yes_or_no(name: str, text: str) -> bool:
    """
    A reader for yes or no.

    :raises BadOption: the text is neither yes nor no
    """
    match text.lower():
        case "yes" | "true" | "on" | "1":
            return True
        case "no" | "false" | "off" | "0":
            return False
    raise BadOption(f"{name}: expected yes or no, got {text!r}")


def one_of(*choices: str) -> Callable[[str, str], str]:
    """Make a reader for one of several words."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise BadOption(f"{name}: expected one of {', '.join(choices)}, got {text!r}")
        return text

    return read


def member_of(kind: type[E]) -> Callable[[str, str], E]:
    """Make a reader for the members of an enumeration, which are written as their values."""
    read = one_of(*(member.value for member in kind))
    return lambda name, text: kind(read(name, text))


def as_written(read: Reader) -> Callable[[str, str], str]:
    """Make a reader that checks a text with another reader, and returns the text itself."""

    def checked(name: str, text: str) -> str:
        read(name, text)
        return text

    return checked


def settings_of(owner: str, settings: Settings, known: Collection[str], **otherwise: str) -> dict[str, str]:
    """
    The settings of one owner, which is a game, a wire or `limits`. Their names are without the owner's prefix.

    :param settings: all settings, by their full names, as for `--set`
    :param known: the names of this owner's settings: a game and a wire may have the same prefix
    :param otherwise: values for settings of this owner that are not set
    """
    prefix = owner + "."
    mine = {name.removeprefix(prefix): text for name, text in settings.items() if name.startswith(prefix)}
    # Settings of this owner replace the values in `otherwise`.
    return {name: text for name, text in {**otherwise, **mine}.items() if name in known}
