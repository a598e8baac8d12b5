"""
The pages of help in the languages of the console: those of commands are in `commands.toml` and `commands-cs.toml` and so
on, those of games in `help.rst` and in the catalogues that a game's folder has for browsers, too. Pure.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from gamehost.games.base import Game
from gamehost.games.installed import files_of
from gamehost.games.play import help_of
from gamehost.games.screen import wrapped

#: English is the first.
LANGUAGES: Sequence[str] = ("en", "cs", "it", "nl", "pl")

#: Columns of a page of help.
_WIDTH = 79
#: A table or a drawing among the paragraphs of the rules: its lines stay. `rules.js` of the pages has the same.
_DRAWN = re.compile(r"^ {2}|\S {2,}\S", re.MULTILINE)


class Command(Struct, frozen=True):
    word: str
    #: Its form, with all words that may follow. By default the word alone.
    usage: str
    #: Its effect, in a line.
    summary: str
    #: The rest of its page of help.
    page: Sequence[str] = ()
    #: A line to copy.
    example: str = ""


@cache
def _told(language: str) -> Mapping[str, Mapping[str, str]]:
    """A file of help, read at first need."""
    import tomllib  # a host starts without it

    name = "commands.toml" if language == LANGUAGES[0] else f"commands-{language}.toml"
    return tomllib.loads(files("gamehost.wires.console").joinpath(name).read_text("utf-8"))


@cache
def commands(language: str = LANGUAGES[0]) -> Mapping[str, Command]:
    """The commands by their words, in the order in which help lists them. Usages and examples are in no language."""
    english, words = _told(LANGUAGES[0]), _told(language)
    return {
        word: Command(
            word,
            of.get("usage", word),
            words[word]["summary"],
            words[word].get("page", "").splitlines(),
            of.get("example", ""),
        )
        for word, of in english.items()
        if word != "sentences"
    }


def told(language: str, sentence: str, **values: str) -> str:
    """One of the sentences around the pages, by its name."""
    return _told(language)["sentences"][sentence].format(**values)


def rules(game: Game[Any, Any], language: str) -> Sequence[str]:
    """The rules and the moves of a game; a paragraph that its catalogue does not have is in English."""
    name = f"board-words-{language}.json"
    words = files_of(game, name).get(name)
    return help_of(game) if words is None else _translated("\n".join(help_of(game)), words)


@cache
def _translated(text: str, catalogue: bytes) -> Sequence[str]:
    known = json.loads(catalogue)
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        key = paragraph if _DRAWN.search(paragraph) else paragraph.replace("\n", " ")
        translated = known.get(key, paragraph)
        lines += [
            "",
            *(translated.splitlines() if "\n" in translated or key == paragraph else wrapped([translated], _WIDTH)),
        ]
    return lines[1:]
