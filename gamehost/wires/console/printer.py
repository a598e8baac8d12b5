"""
What is written to one client, so that prompts stand right.

A prompt has no line end: what is written behind it, before the client has typed a line, begins on a line of its own.
"""

from collections.abc import Callable, Iterable

from gamehost.wires.console.messages import Message, Prompt, Text
from gamehost.wires.console.screens.base import Style, wrapped

_PROMPT = Prompt()


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
        self.show(wrapped(sentences, self.style.width))

    def show(self, lines: Iterable[str]) -> None:
        """Write lines as they are."""
        written = tuple(lines)
        if written:
            self._say(self._text(written))

    def refuse(self, sentence: str) -> None:
        """Say why a line had no effect."""
        self._refuse(self._text(tuple(wrapped((sentence,), self.style.width))))

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
