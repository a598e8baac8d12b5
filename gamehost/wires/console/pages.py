"""The pages of help: one for all commands, one for each command, one for each game. Pure."""

from collections.abc import Mapping

from gamehost.wires.console.asking import chosen_settings
from gamehost.wires.console.commands import BY_WORD, COMMANDS, Command, NotUnderstood, beginning, find_command, nearest
from gamehost.wires.console.screens.base import ScreenKind, wrapped
from gamehost.wires.seeking import PlayedGame

#: Commands that stand in the line of another one.
_TOGETHER = frozenset({"unwatch", "back"})


def overview(games: Mapping[str, ScreenKind]) -> list[str]:
    """All commands, in one screen."""
    lines = [f"  {command.word:9} {command.summary}" for command in COMMANDS if command.word not in _TOGETHER]
    return [*lines, f"Type help and a command, or a game: {', '.join(games)}."]


def page(words: list[str], games: Mapping[str, ScreenKind], played: Mapping[str, PlayedGame]) -> list[str]:
    """
    The page about a command or a game.

    :raises NotUnderstood: it is neither
    """
    word = "-".join(words).casefold().replace("_", "-")
    if word in BY_WORD:
        return command_page(BY_WORD[word])
    found = beginning(word, games)
    if len(found) == 1:
        return game_page(found[0], games[found[0]], played[found[0]])
    command = find_command(word)
    if command is not None:
        return command_page(BY_WORD[command])
    near = nearest(word, (*BY_WORD, *games))
    hint = f"Did you mean {near}? Type: help {near}" if near else "Type help to see them all."
    raise NotUnderstood(f"No command and no game has this name. {hint}")


def command_page(command: Command) -> list[str]:
    """The page of a command."""
    lines = [command.usage, f"  {command.summary[:1].upper()}{command.summary[1:]}."]
    lines += [f"  {line}" for line in command.page]
    return [*lines, f"  For example: {command.example}"] if command.example else lines


def game_page(game: str, kind: ScreenKind, played: PlayedGame) -> list[str]:
    """The rules of a game, and how to begin."""
    return [*kind.rules, f"To begin: play {game} easy", *wrapped([f"Settings: {chosen_settings(played)}"], 79)]
