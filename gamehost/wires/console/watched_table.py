"""
A match as those who watch it are told: the same text for all who watch it in the same style, made once.

What a gallery passes on is sentences. The board is drawn once after them, however many there are.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.tables.interfaces import Archived, Away, Back, Left, Look, Over, Suspended
from gamehost.tables.table import Table
from gamehost.wires.console.screens.base import Screen, ScreenKind, Style
from gamehost.wires.console.words import ended, title
from gamehost.wires.seeking import PlayedGame


class WatchedTable:
    """
    The encoder of a gallery, for one table and one style.

    :param games: by their names
    :param screens: by the same names
    """

    def __init__(self, games: Mapping[str, PlayedGame], screens: Mapping[str, ScreenKind], style: Style) -> None:
        self._games = games
        self._screens = screens
        self._style = style
        self._screen: Screen | None = None
        self._waits_for = ""
        #: `None`: it is to be drawn.
        self._board: list[str] | None = None

    def shown(self, table: Table[Any, Any], look: Look[Any], delay: float) -> bytes:
        """Where the match stands, for those who have just come."""
        game = table.game.name
        screen = self._screen = self._screens[game].new(None, table.names)
        screen.show(self._games[game].face.view(look.view))
        self._waits_for, self._board = screen.prompt_line(), None
        sentences = [f"You watch match {table.id}: {title(game)}, {', '.join(table.names)}."]
        if delay:
            sentences.append(f"You see everything {delay:g} s later than the players.")
        sentences += [f"{table.names[seat]} is away." for seat in look.away]
        return _lines(sentences)

    def event(self, table: Table[Any, Any], event: Any, n: int) -> bytes:
        """What happened, in sentences. Nothing, if there is nothing to say of it."""
        names = table.names
        match event:
            case Away(seat):
                return _lines([f"{names[seat]} is away."])
            case Left(seat):
                return _lines([f"{names[seat]} has left."])
            case Back(seat):
                return _lines([f"{names[seat]} is back."])
            case Suspended():
                return _lines(["The match is suspended by a fault of the host. Its record is kept."])
            case Archived():
                return _lines(["The match is over: nobody came back."])
            case Over(result):
                self._board = None
                return _lines([ended(result, names, None), f"To go through the moves, type: replay {table.id}"])
        told = self._games[table.game.name].face.event(event)
        if told is None or self._screen is None:
            return b""
        sentences = self._screen.hear(told)
        waits_for = self._screen.prompt_line()
        if waits_for != self._waits_for:
            self._waits_for, self._board = waits_for, None
        return _lines(sentences)

    def board(self) -> list[str]:
        """The board, and who is to move. It is another list than before if it is another player's turn, or the end."""
        if self._board is None and self._screen is not None:
            self._board = ["", *self._screen.draw(self._style), "", self._screen.prompt_line()]
        return self._board or []


def _lines(sentences: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in sentences).encode("utf-8")
