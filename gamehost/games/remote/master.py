"""
The referee of a remote game. It knows which seat may act, but it does not know the rules of the game.

The players have the first seats, in the order in which they joined. The last seat is the master's: a program that knows the
rules. The master sends states, and each state names the player to move. This player makes one move, and then the master must
send the next state. A player that leaves is out of the game. The referee ends the game when only one player is left, or when
the master has left.

A content is the bytes that the program of a player or a master has sent. The host checks that they are UTF-8, and does not
interpret them. In the journal a content is part of one line: unprintable characters, braces and backslashes are written as
escapes.
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
    """Action: a player makes a move."""

    content: bytes


@frozen
class Next:
    """Action: the master sends a state, and names the seat to move."""

    seat: Seat
    content: bytes


@frozen
class Finish:
    """
    Action: the master ends the game, with the last state. Each result is a seat, and whether it has won, in the master's order.
    """

    results: tuple[tuple[Seat, bool], ...]
    content: bytes


@frozen
class PutOut:
    """Action: the master removes a player from the game."""

    seat: Seat


Action = Move | Next | Finish | PutOut

#: Printable characters that are written as escapes all the same.
_PRINTABLE = str.maketrans({"\\": "\\\\", "{": "\\x7b", "}": "\\x7d"})
_SHORT = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
_ESCAPE = re.compile(r"\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*+", re.DOTALL)
_NOTATION = re.compile(
    r"(move)(?: (.+))?|(next) ([0-9]{1,2})(?: (.+))?|(over) ([0-9]{1,2}[+-](?:,[0-9]{1,2}[+-])*)(?: (.+))?|(out) ([0-9]{1,2})"
)


def _escaped(content: bytes) -> str:
    """Returns a content as printable text for the notation."""
    text = content.decode("utf-8").translate(_PRINTABLE)
    if not text.isprintable():
        # `ascii` writes the escape between quotation marks, which are cut off.
        text = "".join([one if one.isprintable() else ascii(one)[1:-1] for one in text])
    # A line of the journal as text has no spaces at its ends.
    if text.startswith(" "):
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def _unescaped(text: str | None) -> bytes:
    """
    Returns the content that `_escaped` has written.

    :raises ValueError: the text is not valid
    """

    def read(match: re.Match[str]) -> str:
        # A short escape such as `\n`, or the number of the character after `\x`, `\u` or `\U`.
        return _SHORT.get(match[0]) or chr(int(match[0][2:], 16))

    if text is None:
        # The notation of an empty content has no text.
        return b""
    if _ESCAPED.fullmatch(text) is None:
        raise ValueError("a backslash that begins no escape")
    return _ESCAPE.sub(read, text).encode("utf-8")


# The referee


#: The fewest and the most players of one game.
LEAST, MOST = 2, 64


@frozen
class Moved:
    """Event for the master: a player has moved."""

    seat: Seat
    content: bytes


@frozen
class Gone:
    """Event for the master: this player is out of the game."""

    seat: Seat


@frozen
class StateSaid:
    """Event for the players, and then for the master: a state, and the seat to move."""

    next: Seat
    content: bytes


@frozen
class Ended:
    """
    Event for the players, and then for the master: the end of the game, and whether each seat has won. A player that leaves the
    game earlier receives this event with only its own result.
    """

    results: tuple[tuple[Seat, bool], ...]
    content: bytes = b""


@frozen
class NeverWas:
    """Event for the seats that are still present: the game has ended before its first state."""


@frozen
class Situation:
    """The view of the game. It is the same for all seats."""

    #: The players that are still in the game.
    inside: tuple[Seat, ...]
    #: The player to move; `None`: the master must act, or the game has not begun, or it is over.
    turn: Seat | None
    #: The number of actions so far.
    actions: int
    result: Result | None


Event = Moved | Gone | StateSaid | Ended | NeverWas | Situation


class Owes(Enum):
    """What the master must send now."""

    NOTHING = "nothing"
    #: The first state, or the state after a move.
    STATE = "state"
    #: A state with another player to move, because the player to move has left.
    TURN = "turn"


@define(eq=False)
class Referee:
    """
    The referee of one game. All times are in milliseconds.

    :param players: the number of players
    :param answer_time: the time in which the master must send a state; 0: no limit
    :param move_time: the time for one move; 0: no limit
    """

    _players: int
    _move_time: int
    _answer_time: int
    result: Result | None = field(default=None, init=False)
    _inside: list[Seat] = field(init=False)
    _turn: Seat | None = field(default=None, init=False)
    _owes: Owes = field(default=Owes.STATE, init=False)
    #: The time since which the master must act, or since which a player has the turn.
    _since: int = field(default=0, init=False)
    #: Whether the master has sent the first state.
    _begun: bool = field(default=False, init=False)
    _actions: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._inside = list(map(Seat, range(self._players)))

    @property
    def master(self) -> Seat:
        """The seat of the master."""
        return Seat(self._players)

    @property
    def deadline(self) -> int | None:
        """The time at which the master's state, or the player's move, is due; `None`: no limit."""
        if self.result is not None:
            return None
        time = self._move_time if self._owes is Owes.NOTHING else self._answer_time
        return self._since + time if time else None

    @property
    def owes_state(self) -> bool:
        """Whether the game waits for the master."""
        return self._owes is not Owes.NOTHING and self.result is None

    def begin(self, now: int) -> Sequence[To[Event]]:
        """Begins the game. There is no event: the master knows the players, and sends the first state."""
        self._since = now
        return ()

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Event]]:
        """
        Performs an action: passes on a move or a state, ends the game, or removes a player.

        :raises IllegalAction: it is not this seat's turn, or a player in the action is not in the game
        """
        if self.result is not None:
            raise IllegalAction("the game is over")
        if isinstance(action, Move) is (seat == self.master):
            # A move of the master, or another action of a player.
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
        # The removal of a player does not extend the time for the master's state or for a move.
        if not isinstance(action, PutOut):
            self._since = now
        return events

    def _move(self, seat: Seat, content: bytes) -> Sequence[To[Event]]:
        """Passes a move on to the master."""
        if self._turn != seat:
            raise IllegalAction("it is not your turn")
        self._turn, self._owes = None, Owes.STATE
        return (To(Moved(seat, content), (self.master,)),)

    def _next(self, seat: Seat, content: bytes) -> Sequence[To[Event]]:
        """Passes a state on to the players."""
        self._check_inside(seat)
        self._turn, self._owes, self._begun = seat, Owes.NOTHING, True
        return (To(StateSaid(seat, content), (*self._inside, self.master)),)

    def _finish(self, results: tuple[tuple[Seat, bool], ...], content: bytes) -> Sequence[To[Event]]:
        """Ends the game with the master's results."""
        if sorted(seat for seat, _ in results) != self._inside:
            raise IllegalAction("expected each player that is still in the game once")
        self._begun = True
        winners = tuple(sorted(seat for seat, won in results if won))
        return self._end(Result(winners, Cause.RULES, "as the master says"), results, content)

    def _check_inside(self, seat: Seat) -> None:
        if seat not in self._inside:
            raise IllegalAction("expected a player that is in the game")

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        """Handles the loss of a seat. A player is out of the game. Without its master the game is void, and has no winner."""
        self._actions += 1
        if seat == self.master:
            return self._void(Cause.LEFT, "the master is gone")
        if seat not in self._inside:
            # The player was out of the game before.
            return ()
        return self._gone(seat, now, Cause.LEFT, "the others have left")

    def expire(self, now: int) -> Sequence[To[Event]]:
        """
        Handles the end of the time. A player that has not moved in time is out. If the master has not sent a state in time, the
        game ends.
        """
        self._actions += 1
        if self._owes is Owes.STATE:
            return self._void(Cause.TIME, "the master has not answered")
        if self._owes is Owes.TURN:
            result = Result(tuple(self._inside), Cause.TIME, "the master has not answered after the others had left")
            return self._end(result, self._all_results())
        # The master owes nothing, so it was a player's turn.
        assert self._turn is not None
        return self._gone(self._turn, now, Cause.TIME, "the others have not moved in time")

    def _gone(self, seat: Seat, now: int, cause: Cause, why: str) -> Sequence[To[Event]]:
        """Removes a player, who receives its own end. If only one player is left, the game ends."""
        self._inside.remove(seat)
        told: list[To[Event]] = [To(Gone(seat), (self.master,))]
        if len(self._inside) == 1:
            # Before the first state the game counts as never played, and has no winner.
            winners = tuple(self._inside) if self._begun else ()
            return [*told, *self._end(Result(winners, cause, why), self._all_results(), others=(seat,))]
        if self._turn == seat:
            # The master must now name another player to move.
            self._turn, self._owes, self._since = None, Owes.TURN, now
        told.append(To(Ended(((seat, False),)) if self._begun else NeverWas(), (seat,)))
        return told

    def _void(self, cause: Cause, why: str) -> Sequence[To[Event]]:
        """Ends the game without a winner."""
        nobody = tuple([(Seat(seat), False) for seat in range(self._players)])
        # No seat has won.
        return self._end(Result((), cause, why), nobody)

    def _all_results(self) -> tuple[tuple[Seat, bool], ...]:
        """Returns the result of each player: those that are still in the game have won."""
        return tuple([(Seat(seat), seat in self._inside) for seat in range(self._players)])

    def _end(
        self,
        result: Result,
        results: tuple[tuple[Seat, bool], ...],
        content: bytes = b"",
        others: tuple[Seat, ...] = (),
    ) -> Sequence[To[Event]]:
        """
        Ends the game, and returns the last event. `others` are players that receive it although they are out of the
        game.
        """
        self.result = result
        self._turn, self._owes = None, Owes.NOTHING
        event = Ended(results, content) if self._begun else NeverWas()
        return (To(event, (*sorted((*self._inside, *others)), self.master)),)

    def view(self, seat: Seat | None) -> Situation:
        """Returns the view, which is the same for all seats because nothing is hidden."""
        return Situation(tuple(self._inside), self._turn, self._actions, self.result)

    def state(self) -> object:
        """Returns all values on which the rest of the game depends."""
        return (self._inside, self._turn, self._owes, self._since, self._begun, self._actions)


class RemoteGame:
    """All games with remote masters. In the journal they are one game, called `remote`."""

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
        """Checks the names of the settings, and the values of those that are times."""
        refuse_unknown(settings, self.options)
        # Only tried: `setting` raises `BadOption` for a wrong value.
        for name in ("move_time", "answer_time", "master_grace"):
            setting(settings, name, 0, milliseconds)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[Action, Event]:
        """Makes the referee of one game. One of the seats is the master's."""
        self.check(settings)
        if not self.least_seats <= seats <= self.most_seats:
            raise ValueError(f"a remote game has {LEAST} to {MOST} players and a master, not {seats} seats")
        move_time = setting(settings, "move_time", 0, milliseconds)
        return Referee(seats - 1, move_time, setting(settings, "answer_time", 30_000, milliseconds))

    @staticmethod
    def write(action: Action) -> bytes:
        """Returns an action in the notation: `move C`, `next 0 C`, `over 0+,1- C` or `out 1`."""
        match action:
            case Move(content):
                words, content = "move", content
            case Next(seat, content):
                words, content = f"next {seat}", content
            case Finish(results, content):
                words = "over " + ",".join([f"{seat}{'+' if won else '-'}" for seat, won in results])
            case PutOut(seat):
                words, content = f"out {seat}", b""
        # An action without a content has no space at its end.
        return (f"{words} {_escaped(content)}" if content else words).encode("utf-8")

    @staticmethod
    def read(notation: bytes) -> Action:
        """
        The inverse of `write`.

        :raises ValueError: this is no action of a remote game
        """
        # The groups of the pattern: each action is a word and its arguments. Groups of other actions are `None`.
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
        Returns no actions for a player that waits for another one, and for all seats after the end. Otherwise `None`
        (unknown), for the player to move and for the remote master: only that program knows the rules.
        """
        # `inside` has the seats of the players that are still in the match. The seat of the remote master is not among them.
        waits = seat in view.inside and seat != view.turn
        return iter(()) if waits or view.result is not None else None

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
        """Returns `None`: the host does not know the rules, so it cannot choose an action."""
        return None

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """Returns the view unchanged: only the remote master and its players know the effect of an event."""
        return view


REMOTE = RemoteGame()
