"""The words of the pages in all languages: each catalogue has a translation for each text, and for no other."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

import gamehost
from gamehost.lobby.queues import PHRASES
from tests.kit.browser import STATIC, evaluate

PACKAGE = Path(gamehost.__file__).parent
LANGUAGES = ("cs", "it", "nl", "pl")
#: How many forms a plural has, by language.
FORMS = {"en": 2, "cs": 3, "it": 2, "nl": 2, "pl": 3}
#: Bytes of a catalogue of the pages, packed.
MOST = 8 * 1024

#: What the page of tables says of each game, before the catalogue of the game is loaded.
_ABOUT = re.compile(r'^  about: "(.+)",$', re.MULTILINE)
BOARDS = sorted((PACKAGE / "games").glob("*/board.js"))
#: Texts that the modules get from the host or from a game, or have in a list.
TOLD = {
    *PHRASES.values(),
    *("easy", "medium", "hard", "random"),
    *(_ABOUT.findall(board.read_text("utf-8"))[0] for board in BOARDS),
}

_CALL = re.compile(r"(?<![\w.])t\(")
_TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"|[()\[\]{},]|`')


def texts_of(source: str) -> Iterator[str]:
    """The texts in the first arguments of the calls of `t` in a module."""
    for call in _CALL.finditer(source):
        depth = 0
        for token in _TOKEN.finditer(source, call.end()):
            if token[1] is not None:
                yield token[1].replace('\\"', '"')
            elif token[0] == "`" or (depth == 0 and token[0] in ",)"):
                break
            else:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token[0], 0)


def texts_of_shell() -> set[str]:
    """What `words.js` translates in the shell: texts and labels of the head, and the link that skips it."""
    shell = (STATIC / "index.html").read_text("utf-8")
    head = shell[shell.index('<a class="skip"') : shell.index("</header>")]
    found = {*re.findall(r'aria-label="([^"]+)"', head), *re.findall(r">([^<>\n]+)<", head)}
    return found - {"gamehost"}


#: A part of the pages that has a catalogue of its own, and its modules. They are loaded when somebody looks at the own name.
PART = "account"
PART_MODULES = {"account.js", "notices.js"}


def texts() -> dict[str, set[str]]:
    """All texts of the pages, by catalogue."""
    found = {path.name: set(texts_of(path.read_text("utf-8"))) for path in STATIC.glob("*.js")}
    part = set[str]().union(*(found.pop(name) for name in PART_MODULES))
    usual = texts_of_shell().union(TOLD, *found.values())
    return {"words": usual, f"words-{PART}": part - usual}


def places(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


def read(path: Path) -> dict[str, str]:
    return json.decode(path.read_bytes(), type=dict[str, str])


class CatalogueTests(SynchronousTestCase):
    def test_all_texts_and_no_others(self) -> None:
        for name, wanted in texts().items():
            for language in LANGUAGES:
                there = read(STATIC / f"{name}-{language}.json").keys()
                self.assertEqual((wanted - there, there - wanted), (set(), set()), (name, language))

    def test_placeholders_and_plurals(self) -> None:
        """Each form of a translation has the placeholders of the text. A plural has the forms of the language."""
        for language in LANGUAGES:
            part = read(STATIC / f"words-{PART}-{language}.json")
            for text, translated in {**read(STATIC / f"words-{language}.json"), **part}.items():
                forms = translated.split("|")
                self.assertEqual(len(forms), FORMS[language] if "|" in text else 1, (language, text))
                for form in forms:
                    self.assertTrue(form.strip(), (language, text))
                    self.assertEqual(places(form), places(text), (language, text))

    def test_size(self) -> None:
        for path in STATIC.glob("words-*.json"):
            self.assertLessEqual(len(gzip.compress(path.read_bytes())), MOST, path.name)


#: A sentence in a game's module, such as one of `advice`.
_SENTENCE = re.compile(r'"([A-Z][a-z]* [^"\n]+\.)"')
#: A table of words in a game's module: its values go to `t` by their names.
_TABLE = re.compile(
    r"^(?:export )?const (?:KIND_NAMES|COLOURS|[A-Z]+_WORDS) = [{\[]\n?(.*?)[}\]];$", re.MULTILINE | re.DOTALL
)
_STRING = re.compile(r'"([^"\n]+)"(:?)')
#: A table or a drawing among the paragraphs of the rules: its spaces and lines stay. `rules.js` has the same.
_DRAWN = re.compile(r"^ {2}|\S {2,}\S", re.MULTILINE)
_LEFT = ("a player left", "a player ran out of time")
_AGREED = ("the players agreed on a draw", "a player did not come back, and the other one took a draw")
#: Why a match ends, as masters say it.
ENDS = {
    "onitama": (*_LEFT, *_AGREED, "the master is taken", "the master stands on the enemy master's start square"),
    "paper_soccer": (*_AGREED, "goal", "own goal", "dead end", "left the game", "ran out of time"),
    "stratego": (
        *("a player left", *_AGREED, "flag taken", "neither side can move", "no move left", "too many moves"),
        *("no move in time", "not set up in time"),
    ),
    "eriantys": (
        *(*_LEFT, "the last tower is built", "only three groups of islands are left", "the students have run out"),
        *("the assistants are used up", "most towers", "equal towers, most professors"),
        "a tie in towers and professors",
    ),
}


def texts_of_game(folder: Path) -> set[str]:
    """All texts of the catalogues in the folder of a game that the pages do not have."""
    source = "".join(path.read_text("utf-8") for path in folder.glob("board*.js"))
    lessons = json.decode((folder / "board-lessons.json").read_bytes())
    found = {lesson[part] for lesson in lessons for part in ("title", "goal", "answer", "wrong")}
    legend = f"{folder.name.replace('_', '-')}/board-legend.js"
    found |= set(evaluate(legend, "module.legend.map((one) => one.words)"))
    paragraphs = re.split(r"\n\s*\n", (folder / "help.rst").read_text("utf-8").rstrip())
    found |= {one if _DRAWN.search(one) else one.replace("\n", " ") for one in paragraphs}
    found |= {one for one in _SENTENCE.findall(source) if one.count(" ") > 2}
    found |= {text for text in texts_of(source) if text}
    found |= {text for table in _TABLE.findall(source) for text, key in _STRING.findall(table) if not key}
    return found | set(ENDS[folder.name])


class GameCatalogueTests(SynchronousTestCase):
    """The catalogues in the folders of the games: rules, lessons, signs, labels, events, ends and the like."""

    def test_all_texts_and_no_others(self) -> None:
        for board in BOARDS:
            folder = board.parent
            wanted = texts_of_game(folder)
            source = "".join(path.read_text("utf-8") for path in folder.glob("board*.js"))
            for language in LANGUAGES:
                there = read(folder / f"board-words-{language}.json")
                unknown = {one for one in there.keys() - wanted if f'"{one}"' not in source}
                self.assertEqual((wanted - there.keys(), unknown), (set(), set()), f"{folder.name} {language}")
                self.check_places(language, there)

    def check_places(self, language: str, there: dict[str, str]) -> None:
        for text, translated in there.items():
            forms = translated.split("|")
            self.assertEqual(len(forms), FORMS[language] if "|" in text else 1, (language, text))
            for form in forms:
                self.assertEqual(places(form), places(text), (language, text))

    def test_a_text_is_the_same_in_all_games(self) -> None:
        """All catalogues that a page has loaded are one."""
        for language in LANGUAGES:
            known = read(STATIC / f"words-{language}.json")
            for board in BOARDS:
                for text, translated in read(board.parent / f"board-words-{language}.json").items():
                    self.assertEqual(known.setdefault(text, translated), translated, (board.parent.name, text))

    def test_ends_are_those_of_the_masters(self) -> None:
        for board in BOARDS:
            source = "".join(path.read_text("utf-8") for path in board.parent.glob("*.py"))
            source += (PACKAGE / "games" / "base.py").read_text("utf-8")
            self.assertEqual([one for one in ENDS[board.parent.name] if one not in source], [])

    def test_size(self) -> None:
        for board in BOARDS:
            for language in LANGUAGES:
                packed = gzip.compress((board.parent / f"board-words-{language}.json").read_bytes())
                self.assertLessEqual(len(packed), MOST, (board.parent.name, language))

    def test_drawn_rules_fit_a_terminal(self) -> None:
        for board in BOARDS:
            for language in LANGUAGES:
                for text, translated in read(board.parent / f"board-words-{language}.json").items():
                    lines = translated.splitlines() if "\n" in text else []
                    self.assertEqual([line for line in lines if len(line) > 79], [], language)
