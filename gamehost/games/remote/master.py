"""
The referee of a remote game. It knows which seat may act, and knows no rules.

The players have the first seats, in the order in which they came. The last seat is the master's: a program that knows
the rules. The master sends states, and each names the player to move. That player makes one move, and then the master
has to send the next state. A player that leaves is out. The referee ends the game when one player is left, or when the
master has left.

A content is the bytes that the program of a player or a master has sent. The host checks that they are UTF-8, and
interprets nothing in them. In the journal a content is part of one line: characters that cannot be printed, braces and
backslashes are written as escapes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import define, field, frozen

from gamehost.games.base import Cause, Chance, GameMaster, IllegalAction, Result, Seat, To
from gamehost.settings import Settings, milliseconds, refuse_unknown, setting

# Actions


@frozen
class Move:
    """A player's move."""

    content: bytes


@frozen
class Next:
    """The master sends a state, and names the seat to move."""

    seat: Seat
    content: bytes


@frozen
class Finish:
    """The master ends the game: the last state, and the winners in the master's order."""

    results: tuple[tuple[Seat, bool], ...]
    content: bytes


@frozen
class PutOut:
    """The master takes a player out of the game."""

    seat: Seat


Action = Move | Next | Finish | PutOut

#: Characters that can be printed and are written as escapes nevertheless.
_PRINTABLE = str.maketrans({"\\": "\\\\", "{": "\\x7b", "}": "\\x7d"})
_SHORT = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
_ESCAPE = re.compile(r"\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*+", re.DOTALL)
_NOTATION = re.compile(
    r"(move)(?: (.+))?|(next) ([0-9]{1,2})(?: (.+))?|(over) ([0-9]{1,2}[+-](?:,[0-9]{1,2}[+-])*)(?: (.+))?|(out) ([0-9]{1,2})"
)


def _escaped(content: bytes) -> str:
    text = content.decode("utf-8").translate(_PRINTABLE)
    if not text.isprintable():
        text = "".join([one if one.isprintable() else ascii(one)[1:-1] for one in text])
    # A line of the journal as text has no spaces at its ends.
    if text.startswith(" "):
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def _unescaped(text: str | None) -> bytes:
    def read(match: re.Match[str]) -> str:
        return _SHORT.get(match[0]) or chr(int(match[0][2:], 16))

    if text is None:
        return b""
    if _ESCAPED.fullmatch(text) is None:
        raise ValueError("a backslash that begins no escape")
    return _ESCAPE.sub(read, text).encode("utf-8")


# The referee


#: Players in one game.
LEAST, MOST = 2, 64


@frozen
class Moved:
    """To the master: a player has moved."""

    seat: Seat
    content: bytes


@frozen
class Gone:
    """To the master: this player is out of the game."""

    seat: Seat


@frozen
class StateSaid:
    """To the players, and then to the master: a state, and the seat to move."""

    next: Seat
    content: bytes


@frozen
class Ended:
    """
    The end, to the players and then to the master: the winners. A player that leaves the game earlier receives this event
    alone, with its own result.
    """

    results: tuple[tuple[Seat, bool], ...]
    content: bytes = b""


@frozen
class NeverWas:
    """To the seats that are still present: the game has ended before any state was sent."""


@frozen
class Situation:
    """The state of the game."""

    #: The players that are still in the game.
    inside: tuple[Seat, ...]
    #: The player to move; `None`: the master is to act, or the game has not begun or is over.
    turn: Seat | None
    #: The number of actions so far.
    actions: int
    result: Result | None


Event = Moved | Gone | StateSaid | Ended | NeverWas | Situation


class Owes(Enum):
    NOTHING = "nothing"
    #: The state after the beginning, or after a move.
    STATE = "state"
    #: The player to move next, after the player to move has left.
    TURN = "turn"


@define(eq=False)
class Referee:
    """
    The referee of one game. All times are in milliseconds.

    :param players: the number of players
    :param answer_time: the time in which the master has to send a state; 0: no limit
    :param move_time: the time for one move; 0: no limit
    """

    _players: int
    _move_time: int
    _answer_time: int
    result: Result | None = field(default=None, init=False)
    _inside: list[Seat] = field(init=False)
    _turn: Seat | None = field(default=None, init=False)
    _owes: Owes = field(default=Owes.STATE, init=False)
    #: The time since which the master has to act, or a player has the turn.
    _since: int = field(default=0, init=False)
    #: Whether a first state has come.
    _begun: bool = field(default=False, init=False)
    _actions: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._inside = list(map(Seat, range(self._players)))

    @property
    def master(self) -> Seat:
        return Seat(self._players)

    @property
    def deadline(self) -> int | None:
        """The time at which the answer of the master, or the move of the player, is due."""
        if self.result is not None:
            return None
        time = self._move_time if self._owes is Owes.NOTHING else self._answer_time
        return self._since + time if time else None

    @property
    def owes_state(self) -> bool:
        """Whether the game waits for the master."""
        return self._owes is not Owes.NOTHING and self.result is None

    def begin(self, now: int) -> Sequence[To[Event]]:
        """Begin without an event: the master knows the players, and sends the first state."""
        self._since = now
        return ()

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Event]]:
        """
        Pass a move on, or a state.

        :raises IllegalAction: it is not this seat's turn, or a player in the message is not in the game
        """
        if self.result is not None:
            raise IllegalAction("the game is over")
        if isinstance(action, Move) is (seat == self.master):
            raise IllegalAction("players move, and the master says states")
        match action:
            case Move(content):
                events = self._move(seat, content)
            case Next(next_seat, content):
                events = self._next(next_seat, content)
            case Finish(results, content):
                events = self._finish(results, content)
            case PutOut(out):
                self._check_inside(out)
                events = self._gone(out, now, Cause.RULES, "the master has put the others out")
        self._actions += 1
        if not isinstance(action, PutOut):
            self._since = now
        return events

    def _move(self, seat: Seat, content: bytes) -> Sequence[To[Event]]:
        if self._turn != seat:
            raise IllegalAction("it is not your turn")
        self._turn, self._owes = None, Owes.STATE
        return (To(Moved(seat, content), (self.master,)),)

    def _next(self, seat: Seat, content: bytes) -> Sequence[To[Event]]:
        self._check_inside(seat)
        self._turn, self._owes, self._begun = seat, Owes.NOTHING, True
        return (To(StateSaid(seat, content), (*self._inside, self.master)),)

    def _finish(self, results: tuple[tuple[Seat, bool], ...], content: bytes) -> Sequence[To[Event]]:
        if sorted(seat for seat, _ in results) != self._inside:
            raise IllegalAction("expected each player that is still in the game once")
        self._begun = True
        winners = tuple(sorted(seat for seat, won in results if won))
        return self._end(Result(winners, Cause.RULES, "as the master says"), results, content)

    def _check_inside(self, seat: Seat) -> None:
        if seat not in self._inside:
            raise IllegalAction("expected a player that is in the game")

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        """A player leaves and is out. Without its master the game is void, and has no winner."""
        self._actions += 1
        if seat == self.master:
            return self._void(Cause.LEFT, "the master is gone")
        if seat not in self._inside:
            return ()
        return self._gone(seat, now, Cause.LEFT, "the others have left")

    def expire(self, now: int) -> Sequence[To[Event]]:
        """A player that has not moved in time is out. A master that has not answered has lost the game."""
        self._actions += 1
        if self._owes is Owes.STATE:
            return self._void(Cause.TIME, "the master has not answered")
        if self._owes is Owes.TURN:
            result = Result(tuple(self._inside), Cause.TIME, "the master has not answered after the others had left")
            return self._end(result, self._all_results())
        assert self._turn is not None
        return self._gone(self._turn, now, Cause.TIME, "the others have not moved in time")

    def _gone(self, seat: Seat, now: int, cause: Cause, why: str) -> Sequence[To[Event]]:
        self._inside.remove(seat)
        told: list[To[Event]] = [To(Gone(seat), (self.master,))]
        if len(self._inside) == 1:
            winners = tuple(self._inside) if self._begun else ()
            return [*told, *self._end(Result(winners, cause, why), self._all_results(), others=(seat,))]
        if self._turn == seat:
            self._turn, self._owes, self._since = None, Owes.TURN, now
        told.append(To(Ended(((seat, False),)) if self._begun else NeverWas(), (seat,)))
        return told

    def _void(self, cause: Cause, why: str) -> Sequence[To[Event]]:
        nobody = tuple([(Seat(seat), False) for seat in range(self._players)])
        return self._end(Result((), cause, why), nobody)

    def _all_results(self) -> tuple[tuple[Seat, bool], ...]:
        return tuple([(Seat(seat), seat in self._inside) for seat in range(self._players)])

    def _end(
        self,
        result: Result,
        results: tuple[tuple[Seat, bool], ...],
        content: bytes = b"",
        others: tuple[Seat, ...] = (),
    ) -> Sequence[To[Event]]:
        self.result = result
        self._turn, self._owes = None, Owes.NOTHING
        event = Ended(results, content) if self._begun else NeverWas()
        return (To(event, (*sorted((*self._inside, *others)), self.master)),)

    def view(self, seat: Seat | None) -> Situation:
        """The same view for all: nothing is hidden here."""
        return Situation(tuple(self._inside), self._turn, self._actions, self.result)

    def state(self) -> object:
        """All values on which the rest of the game depends."""
        return (self._inside, self._turn, self._owes, self._since, self._begun, self._actions)


class RemoteGame:
    """Any game with a remote master, as the journal knows it."""

    name = "remote"
    version = 1
    least_seats = LEAST + 1
    most_seats = MOST + 1
    options: Mapping[str, str] = {
        "move_time": "seconds for one move, 0 for no limit; who takes longer is out of the game (default: 0)",
        "answer_time": "seconds for a state that a master owes, 0 for no limit; after that the game is void (default: 30)",
        "master_grace": "seconds for which games wait for a master that is lost (default: 20)",
        "type": "the type of game; the host sets it for each game",
    }

    def check(self, settings: Settings) -> None:
        refuse_unknown(settings, self.options)
        for name in ("move_time", "answer_time", "master_grace"):
            setting(settings, name, 0, milliseconds)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[Action, Event]:
        self.check(settings)
        if not self.least_seats <= seats <= self.most_seats:
            raise ValueError(f"a remote game has {LEAST} to {MOST} players and a master, not {seats} seats")
        move_time = setting(settings, "move_time", 0, milliseconds)
        return Referee(seats - 1, move_time, setting(settings, "answer_time", 30_000, milliseconds))

    @staticmethod
    def write(action: Action) -> bytes:
        """An action in the notation: `move C`, `next 0 C`, `over 0+,1- C` or `out 1`."""
        match action:
            case Move(content):
                words, content = "move", content
            case Next(seat, content):
                words, content = f"next {seat}", content
            case Finish(results, content):
                words = "over " + ",".join([f"{seat}{'+' if won else '-'}" for seat, won in results])
            case PutOut(seat):
                words, content = f"out {seat}", b""
        return (f"{words} {_escaped(content)}" if content else words).encode("utf-8")

    @staticmethod
    def read(notation: bytes) -> Action:
        found = _NOTATION.fullmatch(notation.decode("utf-8"))
        if found is None:
            raise ValueError("not an action of a remote game; expected move, next, over or out")
        if found[1]:
            return Move(_unescaped(found[2]))
        if found[3]:
            return Next(Seat(int(found[4])), _unescaped(found[5]))
        if found[6]:
            results = [(Seat(int(one[:-1])), one[-1] == "+") for one in found[7].split(",")]
            return Finish(tuple(results), _unescaped(found[8]))
        return PutOut(Seat(int(found[10])))

    def legal(self, view: Situation, seat: Seat) -> Iterator[Action] | None:
        """
        A player that waits has no legal action. For the player to move only the remote master knows what is legal, and
        the master may send anything.
        """
        waits = seat in view.inside and seat != view.turn
        return iter(()) if waits or view.result is not None else None

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
        """`None`: the host knows no rules, so it can choose no action."""
        return None

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """The unchanged view: only the remote master and its players know the effect of an event."""
        return view


REMOTE = RemoteGame()
