"""
A match as those who watch it are told: the same sentences for all, made once.

What a gallery passes on is sentences. The board is drawn once behind them, for each way of drawing it that somebody uses.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.tables.interfaces import Archived, Away, Back, Left, Look, Over, Suspended, WatchableTable
from gamehost.wires.console.printer import framed
from gamehost.wires.console.screens.base import Screen, ScreenKind, Style
from gamehost.wires.console.words import ended, title, versus
from gamehost.wires.seeking import PlayedGame


class WatchedTable:
    """
    The encoder of a gallery, for one table.

    :param games: by their names
    :param screens: by the same names
    """

    def __init__(self, games: Mapping[str, PlayedGame], screens: Mapping[str, ScreenKind]) -> None:
        self._games = games
        self._screens = screens
        self._screen: Screen | None = None
        #: Who is to move; empty: nobody, the match is over.
        self._waits_for = ""
        #: The boards that have been drawn since this changed.
        self._boards: dict[Style, list[str]] = {}

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """Where the match stands, for those who have just come."""
        game = table.game.name
        screen = self._screen = self._screens[game].new(None, table.names)
        screen.show(look.view)
        self._wait_for(screen.prompt_line())
        sentences = [f"You watch match {table.id}: {title(game)}, {versus(table.names)}."]
        if delay:
            sentences.append(f"You see everything {delay:g} s later than the players.")
        if look.away is None:
            sentences.append("Another host of the cluster plays this match. It is not known here who is away.")
        else:
            sentences += [f"{table.names[seat]} is away." for seat in look.away]
        return _lines(sentences)

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
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
                self._waits_for = ""
                return _lines([ended(result, names, None), f"To go through the moves, type: replay {table.id}"])
        if self._screen is None:
            return b""
        told = self._games[table.game.name].face.event(event)
        sentences = self._screen.hear(event, told)
        if told is None:
            return b""
        if self._screen.prompt_line() != self._waits_for:
            self._wait_for(self._screen.prompt_line())
        return _lines(sentences)

    def _wait_for(self, words: str) -> None:
        self._waits_for = words
        self._boards.clear()

    def board(self, style: Style) -> list[str]:
        """The board, and who is to move. As long as it is the same player's turn, it is the same list."""
        if self._screen is None:
            return []
        board = self._boards.get(style)
        if board is None:
            waits_for = [self._waits_for] if self._waits_for else []
            board = self._boards[style] = [*framed(self._screen.draw(style)), *waits_for]
        return board


def _lines(sentences: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in sentences).encode("utf-8")
