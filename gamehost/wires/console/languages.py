"""
The pages of help in the languages of the console. The pages of commands are in `commands.toml`, `commands-cs.toml` and
so on. The pages of games are in `help.rst` of a game's folder; their translations are in the same catalogues that
browsers use. No input or output besides these files.
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

#: The codes of the languages. The first one is English, which is complete.
LANGUAGES: Sequence[str] = ("en", "cs", "it", "nl", "pl")

#: The width of a page of help, in columns.
_WIDTH = 79
#: Recognizes a table or a drawing among the paragraphs of the rules. Its lines are not joined. `rules.js` in the
#: browser has the same rule.
_DRAWN = re.compile(r"^ {2}|\S {2,}\S", re.MULTILINE)


class Command(Struct, frozen=True):
    """A command of the console with its page of help."""

    word: str
    #: The command with all words that may follow it. By default the command alone.
    usage: str
    #: What the command does, in one line.
    summary: str
    #: The rest of its page of help.
    page: Sequence[str] = ()
    #: An example of the command, which a person can copy.
    example: str = ""


@cache
def _told(language: str) -> Mapping[str, Mapping[str, str]]:
    """Returns the file of help in a language. It is read when it is first needed."""
    import tomllib  # imported here because a host does not need it at its start

    name = "commands.toml" if language == LANGUAGES[0] else f"commands-{language}.toml"
    return tomllib.loads(files("gamehost.wires.console").joinpath(name).read_text("utf-8"))


@cache
def commands(language: str = LANGUAGES[0]) -> Mapping[str, Command]:
    """
    Returns the commands by their words, in the order of the help. Usages and examples are the same in all languages.
    """
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
        # This table of the file has the sentences around the pages.
        if word != "sentences"
    }


def told(language: str, sentence: str, **values: str) -> str:
    """Returns one of the sentences around the pages of help, by its name."""
    return _told(language)["sentences"][sentence].format(**values)


def rules(game: Game[Any, Any], language: str) -> Sequence[str]:
    """Returns the rules and the moves of a game. A paragraph without a translation is in English."""
    name = f"board-words-{language}.json"
    words = files_of(game, name).get(name)
    return help_of(game) if words is None else _translated("\n".join(help_of(game)), words)


@cache
def _translated(text: str, catalogue: bytes) -> Sequence[str]:
    """
    Returns a text as lines, with each paragraph translated if the catalogue has a translation.

    :param catalogue: a JSON object: English paragraph -> translation
    """
    known = json.loads(catalogue)
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        # The catalogue has a paragraph as one long line, but a drawing with its line ends.
        key = paragraph if _DRAWN.search(paragraph) else paragraph.replace("\n", " ")
        translated = known.get(key, paragraph)
        # A drawing keeps its lines; a translated paragraph is divided into lines anew.
        lines += [
            "",
            *(translated.splitlines() if "\n" in translated or key == paragraph else wrapped([translated], _WIDTH)),
        ]
    # Without the empty line in front of the first paragraph.
    return lines[1:]
