"""
A match that is gone through move by move, as everybody may know it. Pure.

A step is one entry of the record that has events for everybody.
"""

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import Any

from gamehost.games.face import Face
from gamehost.journal.history import History
from gamehost.wires.console.printer import framed
from gamehost.wires.console.screens.base import Screen, Style


class Replay:
    """
    A match, and how far it is shown.

    :param new_screen: makes a watcher's screen
    :param face: of the game
    :param told: what everybody may know
    """

    def __init__(self, new_screen: Callable[[], Screen], face: Face, told: History[Any]) -> None:
        self._new_screen = new_screen
        self.result = told.result
        self.names = told.names
        pairs = ((number, (one, message)) for number, one in told.events if (message := face.event(one)) is not None)
        steps = [(number, [event for _, event in events]) for number, events in groupby(pairs, itemgetter(0))]
        #: What the match began with: its first entry.
        self._opening = [event for number, events in steps if number == 1 for event in events]
        self._steps = [events for number, events in steps if number > 1]
        self._show(0)

    @property
    def length(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    def _show(self, at: int) -> list[str]:
        """Go to the place behind so many steps. What the last of them says."""
        self.at = at
        screen = self.screen = self._new_screen()
        said: list[str] = []
        for event in self._opening:
            screen.hear(*event)
        for events in self._steps[:at]:
            said = [sentence for event in events for sentence in screen.hear(*event)]
        return said

    def go(self, steps: int) -> list[str]:
        """Go forward by so many steps, or back; not beyond the ends. What the last one says."""
        at = max(0, min(self.length, self.at + steps))
        if at == self.at + 1:
            self.at = at
            return [sentence for event in self._steps[at - 1] for sentence in self.screen.hear(*event)]
        return self._show(at)

    def lines(self, style: Style) -> list[str]:
        """The board at this place."""
        return framed(self.screen.draw(style))

    def sentences(self) -> list[str]:
        """The whole match in sentences, with the numbers of the steps."""
        screen = self._new_screen()
        for event in self._opening:
            screen.hear(*event)
        return [
            f"{number:>4}. {sentence}"
            for number, events in enumerate(self._steps, 1)
            for sentence in [" ".join(said for event in events for said in screen.hear(*event))]
            if sentence
        ]
