"""
The files that a tutorial in reStructuredText tells its reader to write.

A file stands behind a line ``File ``NAME``::`` as a literal block. A line ``File ``NAME`` is empty.`` stands for an empty file.
`python -m tests.kit.tutorial` copies the example's files into the tutorial again, after they have changed.
"""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.kit.process import ROOT

PAGE = ROOT / "CONTRIBUTING.rst"
EXAMPLE = ROOT / "examples" / "gomoku"

_BLOCK = re.compile(r"^File ``(?P<name>[^`]+)``::\n\n(?P<text>(?:    .*\n|\n)*)", re.MULTILINE)
_EMPTY = re.compile(r"^File ``(?P<name>[^`]+)`` is empty\.$", re.MULTILINE)


def files_of(page: str) -> Mapping[str, str]:
    """Name -> text, for all files of a tutorial."""
    files = {match["name"]: "" for match in _EMPTY.finditer(page)}
    for match in _BLOCK.finditer(page):
        files[match["name"]] = textwrap.dedent(match["text"]).rstrip("\n") + "\n"
    return files


def refreshed(page: str, folder: Path) -> str:
    """The tutorial with the texts of the files in this folder."""

    def block(match: re.Match[str]) -> str:
        text = (folder / match["name"]).read_text("utf-8")
        return f"File ``{match['name']}``::\n\n{textwrap.indent(text, '    ')}\n"

    return _BLOCK.sub(block, page)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8"), EXAMPLE), "utf-8")
