"""What stands behind `play` and `join`, read as what a player seeks. Pure."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from gamehost.journal.records import TableId
from gamehost.lobby.house import LEVELS
from gamehost.wires.console.commands import NotUnderstood, beginning, game_named, nearest
from gamehost.wires.seeking import PlayedGame, Sought

#: Words for the number of players. It is no setting of a game.
_SEATS = frozenset({"players", "seats"})
_NUMBER = re.compile("[0-9]{1,15}", re.ASCII)


class Asked(Struct, frozen=True):
    """What somebody wants to play."""

    sought: Sought
    #: The level of house players; empty: none is wanted.
    level: str = ""
    #: With whom; empty: with anybody.
    against: str = ""


def asked(words: Iterable[str], games: Mapping[str, PlayedGame]) -> Asked:
    """
    What stands behind `play`.

    :raises NotUnderstood: it cannot be understood
    """
    rest = list(words)
    game = game_named(rest, games)
    level, against, private = "", "", False
    settings: dict[str, str] = {}
    while rest:
        word = rest.pop(0)
        plain = word.casefold()
        if "=" in word:
            name, _, value = word.partition("=")
            settings[name.casefold()] = value
        elif plain in ("against", "with"):
            if not rest:
                raise NotUnderstood(f"Say against whom. For example: play {game} against ann")
            against = rest.pop(0)
        elif plain == "private":
            private = True
        elif _NUMBER.fullmatch(plain):
            settings["players"] = plain
        elif len(found := beginning(plain, LEVELS)) == 1:
            level = found[0]
        else:
            raise NotUnderstood(_strange(plain, game))
    if against.casefold() in LEVELS:
        level, against = against.casefold(), ""
    if level and against:
        raise NotUnderstood(f"Choose one: play {game} {level}, or against somebody.")
    return Asked(Sought(game, _seats(settings), settings, private), level, against)


def _strange(word: str, game: str) -> str:
    known = (*LEVELS, "against", "private")
    near = nearest(word, known)
    if near in LEVELS or near == "private":
        return f"Did you mean {near}? Type: play {game} {near}"
    return f"Behind the game stands a level, against NAME, private, or SETTING=VALUE. For example: play {game} easy"


def _seats(settings: dict[str, str]) -> int | None:
    """
    :raises NotUnderstood: not a number
    """
    seats: int | None = None
    for name in _SEATS & settings.keys():
        text = settings.pop(name)
        if not _NUMBER.fullmatch(text):
            raise NotUnderstood("The number of players is a number, such as players=3.")
        seats = int(text)
    return seats


def chosen_settings(played: PlayedGame) -> str:
    """The settings that can be chosen for a game, for its page of help."""
    return ", ".join(sorted(played.choices))


def table_and_code(words: Iterable[str], example: str) -> tuple[TableId, str]:
    """
    The number of a table and its code: `12`, `12-K7QF3A2B` or `12 K7QF3A2B`.

    :param example: for the refusal
    :raises NotUnderstood: there is no number
    """
    number, _, code = "-".join(words).partition("-")
    if not _NUMBER.fullmatch(number):
        raise NotUnderstood(f"Say which one by its number. For example: {example}")
    return TableId(int(number)), code.upper()


def count_of(words: Iterable[str], usual: int, most: int) -> int:
    """
    A number that may stand behind a command.

    :raises NotUnderstood: it is none
    """
    rest = list(words)
    if not rest:
        return usual
    if len(rest) > 1 or not _NUMBER.fullmatch(rest[0]):
        raise NotUnderstood("A number may stand behind this command, and nothing else. For example: next 5")
    return min(int(rest[0]), most)
