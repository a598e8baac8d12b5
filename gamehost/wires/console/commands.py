"""
The commands: their words, a page of help for each, and how what stands behind them is read. Pure.

A command may be typed in any case, and cut short as long as no other command begins in the same way.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from msgspec import Struct

from gamehost.games.play import help_of
from gamehost.games.screen import wrapped
from gamehost.journal.records import TableId
from gamehost.lobby.house import LEVELS
from gamehost.wires.seeking import PlayedGame, Sought


class NotUnderstood(Exception):
    """A line that cannot be carried out. The message says why and what to type, and repeats nothing of the line."""


class Command(Struct, frozen=True):
    word: str
    #: How it is written, with all that may stand behind it. By default the word alone.
    usage: str
    #: What it does, in a line.
    summary: str
    #: The rest of its page of help.
    page: Sequence[str] = ()
    #: A line to copy.
    example: str = ""


@cache
def commands() -> Mapping[str, Command]:
    """The commands by their words, in the order in which help lists them: the file `commands.toml`, read at first need."""
    import tomllib  # a host starts without it

    text = files("gamehost.wires.console").joinpath("commands.toml").read_text("utf-8")
    return {
        word: Command(
            word, told.get("usage", word), told["summary"], told.get("page", "").splitlines(), told.get("example", "")
        )
        for word, told in tomllib.loads(text).items()
    }


#: Other words for commands.
ALIASES: Mapping[str, str] = {"?": "help", "exit": "quit", "bye": "quit", "observe": "watch"}

#: Words of games, which are no misspelled commands wherever they are typed.
_OF_GAMES = frozenset({"ready", "setup", "place"})

#: In a match these are never commands that were cut short: people type them to play.
DIRECTIONS = frozenset({"n", "ne", "e", "se", "s", "sw", "w", "nw"})


def beginning(word: str, words: Iterable[str]) -> list[str]:
    """The words that begin like this. A whole word is alone, whatever others begin with it."""
    found = sorted(one for one in words if one.startswith(word))
    return [word] if word in found else found


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that is most like a misspelled one; `None`: none is."""
    found = get_close_matches(word, list(words), 1)
    return found[0] if found and word not in _OF_GAMES else None


def find_command(word: str) -> str | None:
    """
    The command that a word means; `None`: none.

    :raises NotUnderstood: it is the beginning of several
    """
    word = word.casefold()
    if word in ALIASES:
        return ALIASES[word]
    found = beginning(word, commands()) if word else []
    if len(found) > 1:
        raise NotUnderstood(f"Several commands begin like this: {', '.join(found)}. Type one more letter.")
    return found[0] if found else None


def game_named(words: list[str], games: Iterable[str]) -> str:
    """
    Take the name of a game from the front of the words: any beginning of it, `soccer`, or `paper soccer` in two words.

    :raises NotUnderstood: it is none
    """
    names = list(games)
    if not words:
        raise NotUnderstood(f"Say which game: {', '.join(names)}. For example: play {names[0]}")
    word = words.pop(0).casefold().replace("_", "-")
    if words and f"{word}-{words[0].casefold()}" in names:
        word = f"{word}-{words.pop(0).casefold()}"
    called = {**{part: name for name in names for part in name.split("-")[1:]}, **{name: name for name in names}}
    found = {called[one] for one in beginning(word, called)}
    if len(found) == 1:
        return found.pop()
    if found:
        raise NotUnderstood(f"Several games begin like this: {', '.join(sorted(found))}. Type one more letter.")
    near = nearest(word, called)
    if near is not None:
        raise NotUnderstood(f"There is no such game. Did you mean {called[near]}? Type: play {called[near]}")
    raise NotUnderstood(f"There is no such game. The games are {', '.join(names)}. For example: play {names[0]}")


# What stands behind a command


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
            raise NotUnderstood(_no_option(plain, game))
    if against.casefold() in LEVELS:
        level, against = against.casefold(), ""
    if level and against:
        raise NotUnderstood(f"Choose one: play {game} {level}, or against somebody.")
    return Asked(Sought(game, _seats(settings), settings, private), level, against)


def _no_option(word: str, game: str) -> str:
    known = (*LEVELS, "against", "private")
    near = nearest(word, known)
    if near in LEVELS or near == "private":
        return f"Did you mean {near}? Type: play {game} {near}"
    levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
    return f"Behind the game stands a level ({levels}), against NAME, private, or SETTING=VALUE. For example: play {game} easy"


def _seats(settings: dict[str, str]) -> int | None:
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


# Pages of help


#: Commands that stand in the line of another one.
_TOGETHER = frozenset({"unwatch", "next", "back", "waiting", "cancel", "takeback", "accept", "decline"})


def overview(games: Mapping[str, PlayedGame]) -> list[str]:
    """All commands, in one screen; games for two come first."""
    names = sorted(games, key=lambda name: games[name].game.most_seats)
    lines = [
        f"  {command.word:9} {command.summary}" for command in commands().values() if command.word not in _TOGETHER
    ]
    return [*lines, f"Type help and a command, or a game: {', '.join(names)}."]


def page(words: list[str], games: Mapping[str, PlayedGame]) -> list[str]:
    """
    The page about a command or a game.

    :raises NotUnderstood: it is neither
    """
    word = "-".join(words).casefold().replace("_", "-")
    if word in commands():
        return command_page(commands()[word])
    found = beginning(word, games)
    if len(found) == 1:
        return game_page(games[found[0]])
    command = find_command(word)
    if command is not None:
        return command_page(commands()[command])
    near = nearest(word, (*commands(), *games))
    hint = f"Did you mean {near}? Type: help {near}" if near else "Type help to see them all."
    raise NotUnderstood(f"No command and no game has this name. {hint}")


def command_page(command: Command) -> list[str]:
    lines = [command.usage, f"  {command.summary[:1].upper()}{command.summary[1:]}."]
    lines += [f"  {line}" for line in command.page]
    return [*lines, f"  For example: {command.example}"] if command.example else lines


def game_page(played: PlayedGame) -> list[str]:
    """The rules of a game, and how to begin."""
    return [
        *help_of(played.game),
        f"To begin: play {played.game.name} easy",
        *wrapped([f"Settings: {chosen_settings(played)}"], 79),
    ]
