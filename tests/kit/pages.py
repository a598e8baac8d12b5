"""The literal blocks of the pages that people read, and the commands in them."""

import csv
import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from tests.kit.sources import ROOT

#: Pages for readers.
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.rst", "CONTRIBUTING.rst")),
        *(path for path in (ROOT / "docs").rglob("*.rst") if "_build" not in path.parts),
    ]
)

#: What stands before a block that is a file of the repository: a link to it, and what is said of it.
SHOWN_FILE = re.compile(r"^`[^`<]+ <(?P<file>[^>]+)>`_.*::$", re.M)
_BEGINS = re.compile(r"(?:^|[^:])::$")
_CODE = re.compile(r"\s*\.\. (?:code-block|parsed-literal)::")
_PROGRAMS = r"gamehost(?! ready| has | \d)|make|nc|pip|pipx|twistd|twist|python|python3|python3\.11|node|javac|java"
_COMMAND = re.compile(rf"\$ |Ctrl-C|(?:\S*/)?(?:{_PROGRAMS})(?: |$)")


@frozen
class Block:
    page: str
    text: str

    @property
    def first(self) -> str:
        return self.text.split("\n", 1)[0]

    @property
    def lines(self) -> list[str]:
        """Its lines; a backslash at the end of a command joins two."""
        return [line for line in re.sub(r" *\\\n *", " ", self.text).split("\n") if line]

    @property
    def only_commands(self) -> bool:
        """Whether it shows commands, what the page says of them, and nothing that they print."""
        return all(_COMMAND.match(line) or line.startswith(" " * 12) for line in self.lines)

    def commands(self) -> Iterator[list[str]]:
        """The words of each command, without what the page says of it behind two spaces."""
        for line in self.lines:
            if _COMMAND.match(line):
                yield shlex.split(re.split(r" {2,}", line.removeprefix("$ "))[0])


def name_of(path: Path) -> str:
    """A page, as the tests name it."""
    return path.relative_to(ROOT).as_posix()


def blocks(page: str) -> list[Block]:
    """The literal blocks of a page. Files that it shows are none: `tests.kit.made_files` has them."""
    return list(read_blocks(page, (ROOT / page).read_text("utf-8")))


def read_blocks(page: str, text: str) -> Iterator[Block]:
    """The literal blocks of a text."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        begins, line = at, lines[at]
        at += 1
        if not (_CODE.match(line) or (_BEGINS.search(line) and not line.lstrip().startswith(".. "))):
            continue
        while not lines[at].strip() or lines[at].lstrip().startswith(":"):  # an option of the directive
            at += 1
        indent = _indent(lines[at])
        first = at
        while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= indent):
            at += 1
        if not lines[begins].startswith("File ``") and not SHOWN_FILE.match(lines[begins]):
            yield Block(page, textwrap.dedent("\n".join(lines[first:at])).strip("\n"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def literals(page: str) -> Iterator[str]:
    """What stands between double backticks."""
    for text in re.findall(r"``([^`]+)``", (ROOT / page).read_text("utf-8")):
        yield " ".join(text.split())


def table(page: Path, name: str) -> Iterator[list[str]]:
    """The rows of a page's table of this name, which is written as values between commas."""
    text = page.read_text("utf-8").split(f":name: {name}", 1)[1].split("\n\n")[1]
    return csv.reader((row.strip() for row in text.splitlines()), skipinitialspace=True)


def answers(page: Path, name: str, states: Iterable[str]) -> dict[str, dict[str, str]]:
    """A wire's table of answers: what is sent -> state -> answer."""
    states = list(states)
    return {sent: dict(zip(states, row, strict=True)) for sent, *row in table(page, name)}
