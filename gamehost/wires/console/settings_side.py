"""How things are shown to a person: what the person sets, and what the person's telnet tells."""

from typing import Any

from attrs import evolve

from gamehost.lobby.lobby import Lobby
from gamehost.wires.console import messages as m
from gamehost.wires.console.commands import NotUnderstood, beginning, nearest
from gamehost.wires.console.looking_side import LookingSide
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.screens.base import NARROWEST, WIDEST
from gamehost.wires.console.telnet import ASK_CHARSET, ASK_TERMINAL, CHARSET, PROBE, TERMINAL_TYPE
from gamehost.wires.conversation import Peer

#: Names of terminals that show no colours.
_PLAIN = frozenset({"", "dumb", "unknown", "network"})

_NAMES = ("prompt", "colour", "color", "board", "width")


class SettingsSide(LookingSide):
    """What a person sets, and what telnet tells."""

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, options)
        #: Whether the client is telnet, so that its options can be used.
        self._telnet = False
        #: Whether telnet has named a terminal, which can show colours.
        self._can_colour = False
        #: What the person has set: telnet changes it no more.
        self._chosen: set[str] = set()
        #: The options that were agreed on. Each is answered once.
        self._agreed: set[int] = set()

    # -- told by telnet

    def is_telnet(self, message: m.Telnet) -> None:
        """The client is telnet: ask what it can tell."""
        self._telnet = True
        self.peer.say(PROBE)

    def agreed(self, message: m.Agreed) -> None:
        """The client agrees to an option."""
        if message.option in self._agreed:
            return
        self._agreed.add(message.option)
        if message.option == TERMINAL_TYPE:
            self.peer.say(ASK_TERMINAL)
        elif message.option == CHARSET:
            self.peer.say(ASK_CHARSET)

    def window(self, message: m.Window) -> None:
        """The client's window has so many columns."""
        if message.columns:
            self._learn(width=message.columns)

    def terminal(self, message: m.Terminal) -> None:
        """The client has a terminal of this name."""
        self._can_colour = message.name not in _PLAIN
        self._learn(colour=self._can_colour)

    def charset(self, message: m.Charset) -> None:
        """The client can show these characters."""
        self._learn(charset="unicode" if message.name == "UTF-8" else "ascii")

    def _learn(self, **told: Any) -> None:
        new = {name: value for name, value in told.items() if name not in self._chosen}
        self._printer.style = evolve(self._printer.style, **new)

    # -- set by the person

    def set(self, words: list[str]) -> None:
        """
        Change how things are shown.

        :raises NotUnderstood: there is no such setting, or no such value
        """
        if not words:
            self._printer.show(self._shown())
            return
        found = beginning(words[0].casefold(), _NAMES)
        name = "colour" if found and found[0] in ("color", "colour") else found[0] if len(found) == 1 else ""
        if not name:
            near = nearest(words[0].casefold(), _NAMES)
            hint = f"Did you mean {near}? " if near else ""
            raise NotUnderstood(f"There is no such setting. {hint}Type set alone to see them all.")
        value = words[1].casefold() if len(words) == 2 else ""
        match name:
            case "prompt":
                self._printer.prompts = _on_or_off(name, value)
            case "colour":
                self._set_colour(_on_or_off(name, value))
            case "board":
                self._set_board(value)
            case _:
                self._set_width(value)
        self._printer.print(f"The setting {name} is {value} now.")

    def _set_colour(self, on: bool) -> None:
        """
        :raises NotUnderstood: the client would not show colours
        """
        if on and not self._can_colour:
            raise NotUnderstood("Colours need a client that tells of its terminal, such as telnet. Yours has not.")
        self._choose(colour=on)

    def _set_board(self, value: str) -> None:
        """
        :raises NotUnderstood: not a way to draw it
        """
        if value == "words":
            self._choose(words=True)
        elif value in ("unicode", "ascii"):
            self._choose(words=False, charset=value)
        else:
            raise NotUnderstood("A board is drawn as unicode, ascii or words. For example: set board ascii")

    def _set_width(self, value: str) -> None:
        """
        :raises NotUnderstood: not a number of columns
        """
        if not (value.isascii() and value.isdigit() and len(value) < 4 and NARROWEST <= int(value) <= WIDEST):
            raise NotUnderstood(f"A width is {NARROWEST} to {WIDEST} columns. For example: set width 60")
        self._choose(width=int(value))

    def _choose(self, **chosen: Any) -> None:
        self._chosen.update(chosen)
        self._printer.style = evolve(self._printer.style, **chosen)

    def _shown(self) -> list[str]:
        style = self._printer.style
        return [
            f"  prompt  {_word(self._printer.prompts)}",
            f"  colour  {_word(style.colour)}",
            f"  board   {'words' if style.words else style.charset}",
            f"  width   {style.width}",
            "To change one, type for example: set board words",
        ]


def _on_or_off(name: str, value: str) -> bool:
    """
    :raises NotUnderstood: neither
    """
    if value not in ("on", "off"):
        raise NotUnderstood(f"Type on or off behind it. For example: set {name} off")
    return value == "on"


def _word(on: bool) -> str:
    return "on" if on else "off"
