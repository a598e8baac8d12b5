"""
The output for one client of the console: texts, prompts, and the style of the output. The person chooses the style, or
the client's telnet program reports what it can show.

A prompt has no line end. If the host writes something before the client has typed a line, it begins a new line first.
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

#: The longest example, in characters, that is never divided into two lines.
_EXAMPLE = 40
#: A space at which a line is not divided (a no-break space).
_NO_BREAK = chr(0xA0)
#: A board with more lines than this gets no empty lines around it. So the board and the question below it fit a
#: terminal of 24 lines.
_TALL = 18
#: Names of terminals that cannot show colours.
_PLAIN = frozenset({"", "dumb", "unknown", "network"})

_NAMES = ("prompt", "colour", "color", "board", "width")


def framed(board: Sequence[str]) -> list[str]:
    """Returns a board with empty lines around it, if it is small enough."""
    return ["", *board, ""] if len(board) <= _TALL else list(board)


class Printer:
    """
    Writes text and prompts to one client.

    :param say: sends a message
    :param refuse: sends a message that counts as a refusal
    """

    def __init__(self, say: Callable[[m.Message], None], refuse: Callable[[m.Message], None]) -> None:
        self._say = say
        self._refuse = refuse
        self.style = Style(charset="ascii")
        #: Whether the client is a telnet program, so that the options of telnet can be used.
        self.telnet = False
        #: Whether a line of this person is being handled now. The prompt is sent after the answer.
        self.hearing = False
        #: Whether the answer follows later. Until then no prompt is sent.
        self.awaiting = False
        #: Whether the host waits for a password or checks one. Then `ask` sends another prompt.
        self.secret = False
        #: The language of pages of help.
        self.language = LANGUAGES[0]
        #: Whether the person wants prompts.
        self._prompts = True
        #: Whether the client's last line is a prompt without any text behind it.
        self._prompted = False
        #: Whether telnet has reported a terminal that can show colours.
        self._can_colour = False
        #: The names of the settings that the person has chosen. Reports of telnet do not change these settings any
        #: more.
        self._chosen: set[str] = set()
        #: The options of telnet that the client has agreed to. The host reacts only to the first agreement.
        self._agreed: set[int] = set()

    # -- moving to another host of a cluster

    def state(self) -> dict[str, Any]:
        """Returns the state that another host needs to continue."""
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
        """Takes the state of the printer at another host, and continues there."""
        self.style = evolve(self.style, **state["style"])
        self.telnet = state["telnet"]
        self._prompts = state["prompts"]
        self._prompted = state["prompted"]
        self._can_colour = state["can_colour"]
        self._chosen = set(state["chosen"])
        self._agreed = set(state["agreed"])

    # -- text

    def typed(self) -> None:
        """Notes that the client has sent a line, so that its cursor is at the beginning of a line."""
        self._prompted = False

    def print(self, *sentences: str) -> None:
        """Writes sentences. Each is divided into lines that fit the terminal."""
        self.show(_lines(sentences, self.style.width))

    def show(self, lines: Iterable[str]) -> None:
        """Writes lines as they are."""
        written = tuple(lines)
        if written:
            self._say(self._text(written))

    def listing(self, lines: Iterable[str]) -> None:
        """
        Writes a list. Its entries, which begin with a space, are written as they are. Other lines are sentences, and
        are divided to fit the terminal.
        """
        self.show(_listed(tuple(lines), self.style.width))

    def refuse(self, sentence: str) -> None:
        """Writes a sentence that counts as a refusal."""
        self._refuse(self._text(tuple(_lines((sentence,), self.style.width))))

    def prompt(self) -> None:
        """Sends a prompt, if the client may type now."""
        # No prompt: the person wants none, has one already, or must wait for an answer; or a password is asked for.
        if self._prompts and not (self._prompted or self.hearing or self.awaiting or self.secret):
            self._say(_PROMPT)
            self._prompted = True

    def ask(self, words: str) -> None:
        """Sends a prompt with these words, for example for a password."""
        self._say(m.Prompt(words))
        self._prompted = True

    def negotiate(self, message: m.Negotiation) -> None:
        """Asks telnet to hide typed text, or to show it again."""
        if self.telnet:
            self._say(message)

    def _text(self, lines: tuple[str, ...]) -> m.Text:
        """Returns the message for lines. If the client's last line is a prompt, an empty line ends it first."""
        before = ("",) if self._prompted else ()
        self._prompted = False
        return m.Text((*before, *lines))

    # -- reports of telnet

    def told(self, message: m.Told) -> None:
        """
        Handles a message of the client's telnet program: that it is telnet, that it agrees to an option, or a report.
        Repeated and unknown messages are ignored.
        """
        match message:
            case m.Telnet() if not self.telnet:
                self.telnet = True
                self._say(PROBE)
            case m.Agreed(option) if option not in self._agreed:
                self._agreed.add(option)
                # The size of the window comes unasked; the other two values must be asked for.
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
        """
        Changes settings of the style after a report of telnet. Settings that the person has chosen stay as they are.
        """
        self.style = evolve(self.style, **{name: value for name, value in told.items() if name not in self._chosen})

    # -- settings that the person chooses

    def set(self, words: list[str]) -> None:
        """
        Performs the command `set`: shows or changes the settings of the output.

        :raises NotUnderstood: there is no such setting, or the value is not valid
        """
        if not words:
            self.show(self._settings())
            return
        # Find the setting.
        found = beginning(words[0].casefold(), _NAMES)
        name = found[0] if len(found) == 1 else ""
        # `color` is another spelling of `colour`: a text that fits both is not ambiguous.
        if found and found[0] in ("color", "colour"):
            name = "colour"
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
            # The only other name is `width`.
            case _:
                self._choose(width=_width(value))
        self.print(f"The setting {name} is {value} now.")

    def speak(self, words: list[str]) -> None:
        """
        Performs the command `language`: chooses the language of the pages of help.

        :raises NotUnderstood: no language has this name
        """
        name = words[0].casefold() if len(words) == 1 else ""
        if name not in LANGUAGES:
            raise NotUnderstood(f"Say which one: {', '.join(LANGUAGES)}. For example: language cs")
        self.language = name
        self.print(told(name, "language"))

    def _choose(self, **chosen: Any) -> None:
        """Changes the style because the person has chosen a setting."""
        # Only the names are stored, so that reports of telnet do not change these settings later.
        self._chosen.update(chosen)
        self.style = evolve(self.style, **chosen)

    def _settings(self) -> list[str]:
        """Returns the lines that show all settings."""
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
    """
    Divides the sentences of a list into lines of at most `width` columns. The results are cached, because many people
    ask for the same list and this work is most of its cost.
    """
    return tuple(part for line in lines for part in ((line,) if line.startswith(" ") else _lines((line,), width)))


def _lines(sentences: Iterable[str], width: int) -> Iterator[str]:
    """
    Divides sentences into lines of at most `width` columns. An example after the last colon is there to be copied, so
    it is not divided.
    """
    for sentence in sentences:
        before, colon, example = sentence.rpartition(": ")
        if colon and len(example) <= min(_EXAMPLE, width):
            sentence = f"{before}{colon}{example.replace(' ', _NO_BREAK)}"
        yield from (line.replace(_NO_BREAK, " ") for line in wrapped((sentence,), width))
