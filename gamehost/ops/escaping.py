"""Text of strangers, made fit for a line of a log or of a terminal. Imports nothing, because quick commands need it too."""

#: Characters of a long text that are shown.
MOST_SHOWN = 1_000


def escaped(text: str) -> str:
    """A text in which everything that Python does not count as printable is an escape, such as `\\n` or `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def shortened(text: str) -> str:
    """A text without its middle, if it is longer than anybody reads."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN // 2]} ... {text[-MOST_SHOWN // 2 :]}"
