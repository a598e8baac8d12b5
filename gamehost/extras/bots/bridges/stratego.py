"""
A bridge to bots for Stratego in the protocol of the UCC Programming Competition 2012 (ucc/progcomp2012, manual of 2012-04-09).

RED is seat 0. In that protocol it has the rows at the top, with y from 0 to 3, and moves first. So squares have the
same x and y in both protocols. A board shows the bot's own pieces, and each enemy as `#`, also after a battle.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.messages import NOTHING, BadAnswer, Bridge, Prompt
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import ENEMY, follow

COLOURS = ("RED", "BLUE")
#: The change of x and y in one step, by the word of the protocol.
DIRECTIONS: Mapping[str, tuple[int, int]] = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
#: Tables that convert pieces and lakes into the letters of the protocol, and pieces back.
WRITTEN = str.maketrans({rules.SPY: "s", "~": "+"})
_READ = {ord("s"): rules.SPY}
_RANKS = "".join(rules.KINDS).translate(WRITTEN)

_ROW = re.compile(f"[{_RANKS}]{{{rules.WIDTH}}}")
_MOVE = re.compile(rf"([0-9]{{1,2}})\s+([0-9]{{1,2}})\s+({'|'.join(DIRECTIONS)})(?:\s+([0-9]{{1,2}}))?", re.ASCII)
_SURRENDER = "SURRENDER"
_BATTLES: Mapping[rules.Survivor, str] = {"attacker": "KILLS", "defender": "DIES", "tie": "BOTHDIE"}


def read_move(line: str) -> rules.Move:
    """
    Reads a move. It may end outside the board; then the host refuses it.

    :raises BadAnswer: the line is not a move
    """
    found = _MOVE.fullmatch(line)
    if found is None:
        raise BadAnswer("no move; expected X Y UP|DOWN|LEFT|RIGHT [N], such as 4 3 DOWN")
    x, y, squares = int(found[1]), int(found[2]), int(found[4] or 1)
    dx, dy = DIRECTIONS[found[3]]
    return rules.Move(x, y, x + dx * squares, y + dy * squares)


def write_move(move: rules.Move) -> str:
    """
    Writes a move, which must be along a row or column, as the bot reads it. The number of squares is left out if it is
    1.
    """
    x, y = move.to_x - move.x, move.to_y - move.y
    squares = max(abs(x), abs(y))
    direction = next(name for name, step in DIRECTIONS.items() if step == (x // squares, y // squares))
    words = f"{move.x} {move.y} {direction}"
    return words if squares == 1 else f"{words} {squares}"


def read_rows(lines: Sequence[str]) -> rules.PlaceRows:
    """
    Reads a set-up. Whether it has the right pieces is not checked, because the host does that.

    :param lines: the rows of the board, the upper one first
    :raises BadAnswer: the lines are not rows of ten ranks
    """
    if not all(_ROW.fullmatch(line) for line in lines):
        raise BadAnswer(f"no set-up; expected {rules.DEPTH} rows of {rules.WIDTH} pieces of {_RANKS}")
    return rules.PlaceRows(tuple(line.translate(_READ) for line in lines))


@define(eq=False)
class UCCDialogue:
    """The dialogue with a bot in one match. It follows the board, and shows it to the bot before each move."""

    seat: Seat
    #: The name of the opponent. In the competition this was the path of a program, and some bots read it as a path.
    opponent: str
    #: The match as this side sees it.
    _view: rules.Situation = field(init=False)
    #: The bot's last answer, in its own words.
    _said: str = field(init=False, default="")
    #: The event of the move that has ended the match. Its outcome is known only when the match is over.
    _last: rules.Moved | rules.Fought | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._view = rules.Situation(self.seat, rules.Phase.PLAY, rules.BARE.decode(), (True, True), None, None)

    def begin(self) -> Prompt:
        return Prompt((f"{COLOURS[self.seat]} ./{self.opponent} {rules.WIDTH} {rules.WIDTH}",), rules.DEPTH)

    def hear(self, event: Any) -> Prompt:
        """
        Converts an event of the match into lines for the program. If it is the program's turn, the prompt needs an
        answer.
        """
        match event:
            case rules.Playing(next=self.seat):
                return Prompt(("START", *self.rows()), 1)
            case rules.Moved() | rules.Fought():
                self._view = follow(self._view, event, self.seat) or self._view
                # The move has ended the match: `over` tells its outcome with the result.
                if event.next is None:
                    self._last = event
                    return NOTHING
                told = self._told(event, _outcome(event))
                # After the enemy's move, the board follows, and the program must answer.
                return Prompt((told,)) if event.seat == self.seat else Prompt((told, *self.rows()), 1)
        return NOTHING

    def rows(self) -> Sequence[str]:
        """Returns the rows of the board as this side sees it, the upper one first."""
        squares = self._view.squares.translate(WRITTEN)
        return tuple(squares[start : start + rules.WIDTH] for start in range(0, len(squares), rules.WIDTH))

    def answer(self, lines: Sequence[str]) -> rules.Action | None:
        """Returns the set-up or the move that the program has answered; or `None` if it surrenders."""
        if len(lines) == rules.DEPTH:
            return self._set_up(read_rows(lines))
        # For the end of the match, and for the outcome of this move.
        self._said = " ".join(lines[0].split())
        return None if self._said == _SURRENDER else read_move(self._said)

    def _set_up(self, placed: rules.PlaceRows) -> rules.PlaceRows:
        """Puts the bot's pieces, and unknown enemies, on the board. Returns the set-up."""
        start, own = rules.HOME[self.seat] * rules.WIDTH, "".join(placed.rows)
        squares = self._view.squares[:start] + own + self._view.squares[start + rules.PIECES :]
        start = rules.HOME[rules.OTHER[self.seat]] * rules.WIDTH
        squares = squares[:start] + ENEMY * rules.PIECES + squares[start + rules.PIECES :]
        self._view = rules.Situation(self.seat, rules.Phase.PLAY, squares, (True, True), None, None)
        return placed

    def illegal(self, again: bool) -> Prompt:
        """
        Returns the prompt after an illegal answer of the bot. After an illegal move, the prompt has the bot's move and the
        word ILLEGAL. After an illegal set-up it is `NOTHING`, because the protocol has no message for this.

        :param again: whether the bot may try again. If so, the prompt also has the board, and the bot must answer it
        """
        # The illegal answer was a set-up.
        if not self._said:
            return NOTHING
        told = f"{self._said} ILLEGAL"
        # Twice: as the result of the own move, and as the line before the next turn.
        return Prompt((told, told, *self.rows()), 1) if again else Prompt((told,))

    def over(self, result: Result | None) -> Sequence[str]:
        """
        Returns the last lines to the program: the outcome of its last move, if it made one, and the end of the match.
        """
        if result is None:
            return ("QUIT",)
        quit, last = f"QUIT {self._result(result)}", self._last
        # The side that has moved receives the outcome of its move first. The other side receives only the end.
        return (quit,) if last is None or last.seat != self.seat else (self._told(last, _outcome(last, result)), quit)

    def _told(self, event: rules.Moved | rules.Fought, outcome: str) -> str:
        """Returns the line about a move and its outcome. The bot's own move is written in the bot's words."""
        return f"{self._said if event.seat == self.seat else write_move(event.move)} {outcome}"

    def _result(self, result: Result) -> str:
        """Returns the manual's word for the result, from the view of this side."""
        won = self.seat in result.winners
        if result.cause is not Cause.RULES:
            if won:
                return "DEFAULT"
            return _SURRENDER if self._said == _SURRENDER else "ILLEGAL"
        if not result.winners:
            return "DRAW_DEFAULT" if result.why == "too many moves" else "DRAW"
        return "VICTORY" if won else "DEFEAT"


def _outcome(event: rules.Moved | rules.Fought, result: Result | None = None) -> str:
    """
    Returns the protocol's words for the outcome of a move.

    :param result: the result of the match, if the move has ended it
    """
    if isinstance(event, rules.Fought) and event.defender == rules.FLAG:
        return "VICTORY_FLAG"
    # The enemy cannot move any more.
    if result is not None and result.cause is Cause.RULES and result.winners == (event.seat,):
        return "VICTORY_ATTRITION"
    if isinstance(event, rules.Fought):
        ranks = f"{event.attacker} {event.defender}".translate(WRITTEN)
        return f"{_BATTLES[event.winner]} {ranks}"
    return "OK"


BRIDGES = (
    Bridge(
        "ucc-stratego",
        lambda seat, names: UCCDialogue(seat, names[rules.OTHER[seat]]),
        (rules.ReadySet, rules.Playing, rules.Moved, rules.Fought),
        asks_again=True,
    ),
)
