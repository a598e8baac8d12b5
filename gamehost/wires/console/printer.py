"""
The output of one client: the prompts, and the style, as the person sets it and as telnet reports it.

A prompt has no line end: output after it, before the client has typed a line, begins on a line of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import evolve

from gamehost.games.screen import NARROWEST, WIDEST, Style, wrapped
from gamehost.wires.console import codec as m
from gamehost.wires.console.codec import ASK_CHARSET, ASK_TERMINAL, CHARSET, PROBE, TERMINAL_TYPE
from gamehost.wires.console.commands import NotUnderstood, beginning, nearest
from gamehost.wires.console.languages import LANGUAGES, told

_PROMPT = m.Prompt()

#: A line to copy is not cut in two if it is no longer than this.
_EXAMPLE = 40
#: The space at which a line is not cut.
_NO_BREAK = chr(0xA0)
#: A taller board stands without empty lines around it, so that it fits a terminal of 24 lines with what is asked below it.
_TALL = 18
#: Names of terminals that show no colours.
_PLAIN = frozenset({"", "dumb", "unknown", "network"})

_NAMES = ("prompt", "colour", "color", "board", "width")


def framed(board: Sequence[str]) -> list[str]:
    """A board with empty lines around it, if there is room for them."""
    return ["", *board, ""] if len(board) <= _TALL else list(board)


class Printer:
    """
    Writes to one client.

    :param say: sends a message
    :param refuse: sends a message that counts as a refusal
    """

    def __init__(self, say: Callable[[m.Message], None], refuse: Callable[[m.Message], None]) -> None:
        self._say = say
        self._refuse = refuse
        self.style = Style(charset="ascii")
        #: Whether the client is telnet, so that its options can be used.
        self.telnet = False
        #: Whether a line of this person is being handled. The prompt comes after the answer.
        self.hearing = False
        #: Whether an answer follows later, so that there is no prompt now.
        self.awaiting = False
        #: Whether a password is awaited or checked, which has a prompt of its own.
        self.secret = False
        #: The language of pages of help.
        self.language = LANGUAGES[0]
        #: Whether the person wants prompts.
        self._prompts = True
        #: Whether a prompt is on the client's last line.
        self._prompted = False
        #: Whether telnet has named a terminal, which can show colours.
        self._can_colour = False
        #: The names of the settings that the person has chosen. Telnet's reports no longer change them.
        self._chosen: set[str] = set()
        #: The options that were agreed on. Each is answered once.
        self._agreed: set[int] = set()

    # -- another host of a cluster continues

    def state(self) -> dict[str, Any]:
        """The state that the other host needs."""
        style = self.style
        return {
            "style": {"charset": style.charset, "colour": style.colour, "words": style.words, "width": style.width},
            "telnet": self.telnet,
            "prompts": self._prompts,
            "prompted": self._prompted,
            "can_colour": self._can_colour,
            "chosen": sorted(self._chosen),
            "agreed": sorted(self._agreed),
        }

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Continue for another host."""
        self.style = evolve(self.style, **state["style"])
        self.telnet, self._prompts, self._prompted = state["telnet"], state["prompts"], state["prompted"]
        self._can_colour, self._chosen, self._agreed = state["can_colour"], set(state["chosen"]), set(state["agreed"])

    # -- text

    def typed(self) -> None:
        """The client has sent a line. Later output begins on a new one."""
        self._prompted = False

    def print(self, *sentences: str) -> None:
        """Write sentences. Long ones continue in the next line."""
        self.show(_lines(sentences, self.style.width))

    def show(self, lines: Iterable[str]) -> None:
        written = tuple(lines)
        if written:
            self._say(self._text(written))

    def listing(self, lines: Iterable[str]) -> None:
        """Write a list. Its entries are not changed. A sentence between entries is wrapped to the width of the terminal."""
        self.show(_listed(tuple(lines), self.style.width))

    def refuse(self, sentence: str) -> None:
        self._refuse(self._text(tuple(_lines((sentence,), self.style.width))))

    def prompt(self) -> None:
        """Send a prompt, if the client may type now."""
        if self._prompts and not (self._prompted or self.hearing or self.awaiting or self.secret):
            self._say(_PROMPT)
            self._prompted = True

    def ask(self, words: str) -> None:
        self._say(m.Prompt(words))
        self._prompted = True

    def negotiate(self, message: m.Negotiation) -> None:
        """Ask telnet to hide typed text, or to show it again."""
        if self.telnet:
            self._say(message)

    def _text(self, lines: tuple[str, ...]) -> m.Text:
        before = ("",) if self._prompted else ()
        self._prompted = False
        return m.Text((*before, *lines))

    # -- from telnet

    def told(self, message: m.Told) -> None:
        """
        Handle a message of the client's telnet: that it is telnet, an option that it agrees to, or its answer to one.
        """
        match message:
            case m.Telnet() if not self.telnet:
                self.telnet = True
                self._say(PROBE)
            case m.Agreed(option) if option not in self._agreed:
                self._agreed.add(option)
                if option in (TERMINAL_TYPE, CHARSET):
                    self._say(ASK_TERMINAL if option == TERMINAL_TYPE else ASK_CHARSET)
            case m.Window(columns) if columns:
                self._learn(width=columns)
            case m.Terminal(name):
                self._can_colour = name not in _PLAIN
                self._learn(colour=self._can_colour)
            case m.Charset(name):
                self._learn(charset="unicode" if name == "UTF-8" else "ascii")

    def _learn(self, **told: Any) -> None:
        self.style = evolve(self.style, **{name: value for name, value in told.items() if name not in self._chosen})

    # -- set by the person

    def set(self, words: list[str]) -> None:
        """
        Change how things are shown.

        :raises NotUnderstood: there is no such setting, or no such value
        """
        if not words:
            self.show(self._settings())
            return
        # Find the setting.
        found = beginning(words[0].casefold(), _NAMES)
        name = "colour" if found and found[0] in ("color", "colour") else found[0] if len(found) == 1 else ""
        if not name:
            near = nearest(words[0].casefold(), _NAMES)
            hint = f"Did you mean {near}? " if near else ""
            raise NotUnderstood(f"There is no such setting. {hint}Type set alone to see them all.")
        # Read and set its value.
        value = words[1].casefold() if len(words) == 2 else ""
        match name:
            case "prompt":
                self._prompts = _on_or_off(name, value)
            case "colour":
                on = _on_or_off(name, value)
                if on and not self._can_colour:
                    raise NotUnderstood(
                        "Colours need a client that tells of its terminal, such as telnet. Yours has not."
                    )
                self._choose(colour=on)
            case "board" if value == "words":
                self._choose(words=True)
            case "board" if value in ("unicode", "ascii"):
                self._choose(words=False, charset=value)
            case "board":
                raise NotUnderstood("A board is drawn as unicode, ascii or words. For example: set board ascii")
            case _:
                self._choose(width=_width(value))
        self.print(f"The setting {name} is {value} now.")

    def speak(self, words: list[str]) -> None:
        """
        Choose the language of help.

        :raises NotUnderstood: there is none with this name
        """
        name = words[0].casefold() if len(words) == 1 else ""
        if name not in LANGUAGES:
            raise NotUnderstood(f"Say which one: {', '.join(LANGUAGES)}. For example: language cs")
        self.language = name
        self.print(told(name, "language"))

    def _choose(self, **chosen: Any) -> None:
        self._chosen.update(chosen)
        self.style = evolve(self.style, **chosen)

    def _settings(self) -> list[str]:
        style = self.style
        return [
            f"  prompt  {'on' if self._prompts else 'off'}",
            f"  colour  {'on' if style.colour else 'off'}",
            f"  board   {'words' if style.words else style.charset}",
            f"  width   {style.width}",
            "To change one, type for example: set board words",
        ]


def _on_or_off(name: str, value: str) -> bool:
    if value not in ("on", "off"):
        raise NotUnderstood(f"Type on or off behind it. For example: set {name} off")
    return value == "on"


def _width(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 4 and NARROWEST <= int(value) <= WIDEST):
        raise NotUnderstood(f"A width is {NARROWEST} to {WIDEST} columns. For example: set width 60")
    return int(value)


@lru_cache(maxsize=64)
def _listed(lines: tuple[str, ...], width: int) -> tuple[str, ...]:
    """A list in so many columns. Many people ask for the same one, and this takes longer than all else that they cost."""
    return tuple(part for line in lines for part in ((line,) if line.startswith(" ") else _lines((line,), width)))


def _lines(sentences: Iterable[str], width: int) -> Iterator[str]:
    """
    Sentences in lines of at most so many columns. The example after the last colon is there to be copied, and is not
    divided.
    """
    for sentence in sentences:
        before, colon, example = sentence.rpartition(": ")
        if colon and len(example) <= min(_EXAMPLE, width):
            sentence = f"{before}{colon}{example.replace(' ', _NO_BREAK)}"
        yield from (line.replace(_NO_BREAK, " ") for line in wrapped((sentence,), width))
