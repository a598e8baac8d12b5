"""
What is written to one client, so that prompts stand right.

A prompt has no line end: what is written behind it, before the client has typed a line, begins on a line of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from gamehost.wires.console.messages import Message, Prompt, Text
from gamehost.wires.console.screens.base import Style, wrapped

_PROMPT = Prompt()

#: A line to copy is not cut in two if it is no longer than this.
_EXAMPLE = 40
#: The space at which a line is not cut.
_NO_BREAK = chr(0xA0)


#: A taller board stands without empty lines around it, so that it fits a terminal of 24 lines with what is asked below it.
_TALL = 18


def framed(board: Sequence[str]) -> list[str]:
    """A board with empty lines around it, if there is room for them."""
    return ["", *board, ""] if len(board) <= _TALL else list(board)


class Printer:
    """
    Writes to one client.

    :param say: sends a message
    :param refuse: sends a message that counts as a refusal
    """

    def __init__(self, say: Callable[[Message], None], refuse: Callable[[Message], None]) -> None:
        self._say = say
        self._refuse = refuse
        self.style = Style(charset="ascii")
        #: Whether the person wants prompts.
        self.prompts = True
        #: Whether a prompt stands on the client's last line.
        self._prompted = False

    def typed(self) -> None:
        """The client has sent a line. What follows stands on a new one."""
        self._prompted = False

    def print(self, *sentences: str) -> None:
        """Write sentences. Long ones go on in the next line."""
        self.show(_lines(sentences, self.style.width))

    def show(self, lines: Iterable[str]) -> None:
        """Write lines as they are."""
        written = tuple(lines)
        if written:
            self._say(self._text(written))

    def listing(self, lines: Iterable[str]) -> None:
        """Write the lines of a list as they are, and sentences between them, which go on in the next line."""
        width = self.style.width
        self.show([part for line in lines for part in ((line,) if line.startswith(" ") else _lines((line,), width))])

    def refuse(self, sentence: str) -> None:
        """Say why a line had no effect."""
        self._refuse(self._text(tuple(_lines((sentence,), self.style.width))))

    def prompt(self) -> None:
        """Let the client type."""
        if self.prompts and not self._prompted:
            self._say(_PROMPT)
            self._prompted = True

    def ask(self, words: str) -> None:
        """Ask for something that is not a command."""
        self._say(Prompt(words))
        self._prompted = True

    def _text(self, lines: tuple[str, ...]) -> Text:
        before = ("",) if self._prompted else ()
        self._prompted = False
        return Text((*before, *lines))


def _lines(sentences: Iterable[str], width: int) -> Iterator[str]:
    """Sentences in lines of so many columns. What stands behind the last colon is there to be copied, and stays together."""
    for sentence in sentences:
        before, colon, example = sentence.rpartition(": ")
        if colon and len(example) <= min(_EXAMPLE, width):
            sentence = f"{before}{colon}{example.replace(' ', _NO_BREAK)}"
        yield from (line.replace(_NO_BREAK, " ") for line in wrapped((sentence,), width))
