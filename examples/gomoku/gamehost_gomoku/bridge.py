"""
Gomoku in the protocol of Gomocup (https://gomocup.org), by which its programs play on a host:

    gamehost bridge gomocup --to 127.0.0.1:8889 --name ann -- ./pbrain-ann
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import Result, Seat
from gamehost.games.messages import NOTHING, BadAnswer, Bridge, Prompt
from gamehost_gomoku.master import Begun, Played
from gamehost_gomoku.position import Point


@define(eq=False)
class GomocupDialogue:
    """One match, as one seat has it."""

    seat: Seat
    #: What is said before the next question.
    first: tuple[str, ...] = field(init=False, default=())

    def begin(self) -> Prompt:
        return NOTHING

    def hear(self, event: Any) -> Prompt:
        match event:
            case Begun(size):
                self.first = (f"START {size}",)
                if self.seat == 0:
                    return self._ask("BEGIN")
            case Played(seat, Point(x, y)) if seat != self.seat:
                return self._ask(f"TURN {x},{y}")
        return NOTHING

    def _ask(self, line: str) -> Prompt:
        """The bot answers START with OK, and the other line with a move."""
        lines, self.first = (*self.first, line), ()
        return Prompt(lines, answers=len(lines))

    def answer(self, lines: Sequence[str]) -> Point:
        x, _, y = lines[-1].partition(",")
        if not (x.isdecimal() and y.isdecimal()):
            raise BadAnswer("no move; expected X,Y such as 7,7")
        return Point(int(x), int(y))

    def illegal(self, again: bool) -> Prompt:
        return NOTHING

    def over(self, result: Result | None) -> Sequence[str]:
        return ("END",)


BRIDGES = (Bridge("gomocup", lambda seat, names: GomocupDialogue(seat), hears=(Begun, Played)),)
