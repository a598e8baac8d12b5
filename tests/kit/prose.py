"""Sentences of documentation pages, for the check that none is too long."""

import re
from collections.abc import Iterator

#: So many words at most in one sentence.
MOST_WORDS = 30

_LITERAL = re.compile(r"(?:::|\.\. (?:code-block|literalinclude|math|raw|graphviz|digraph)::.*)$")
_ITEM = re.compile(r"^\s*(?:\* - |- |\* |#\. |\d+\. |:\w[^:]*: )")


def paragraphs(page: str) -> Iterator[str]:
    """The running text of a page: paragraphs, items of lists and cells of tables, without literal blocks and markup."""
    # Simple tables have columns: their lines are no sentences.
    page = re.sub(r"(?m)^\s*=+(?: +=+)+\n(?:.*\n)*?\s*=+(?: +=+)+\n(?:(?:.+\n)*\s*=+(?: +=+)+\n)?", "\n", page)
    text: list[str] = []
    literal: int | None = None
    for line in [*page.splitlines(), ""]:
        indent = len(line) - len(line.lstrip())
        if literal is not None:
            if not line.strip() or indent > literal:
                continue
            literal = None
        stripped = line.strip()
        begins = bool(_ITEM.match(line))
        if not stripped or begins or set(stripped) <= set("=-~^\"'`#*+") or stripped.startswith((".. ", "|")):
            if text:
                yield " ".join(text)
            text = [_ITEM.sub("", line).strip()] if begins else []
            if stripped.startswith(".. ") and not _LITERAL.search(stripped):
                continue
        elif not re.fullmatch(r":[\w-]+:.*", stripped):
            text.append(stripped)
        if _LITERAL.search(stripped):
            literal = indent
    if text:
        yield " ".join(text)


def long_sentences(page: str, most: int = MOST_WORDS) -> list[str]:
    """The sentences of a page that have more words than are allowed."""
    found = []
    for paragraph in paragraphs(page):
        plain = re.sub(r"``[^`]*``", "CODE", re.sub(r"`([^`<]*?)\s*<[^>]*>`_{1,2}", r"\1", paragraph))
        for sentence in re.split(r"(?<=[.:;?!])\s+", plain):
            if len(sentence.split()) > most:
                found.append(sentence)
    return found
