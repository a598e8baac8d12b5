"""Text of strangers, made fit for a line of a log or of a terminal. Imports nothing, because quick commands need it too."""


def escaped(text: str) -> str:
    """A text in which everything that Python does not count as printable is an escape, such as `\\n` or `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
