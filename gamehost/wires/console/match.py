"""
The match that a person plays: what is told of it, and what is typed to play it.

All that one entry of the match's record says is written together, with one prompt behind it: it is collected, and written when
something else comes, or at the end of the turn. So text never depends on how quickly events follow each other.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from gamehost.games.screen import Screen
from gamehost.tables.interfaces import Back, Over, Refused, SeatHandle
from gamehost.wires.console.listings import clock_line, ended, in_columns, opponents, sentence, title
from gamehost.wires.console.printer import Printer, framed
from gamehost.wires.seeking import PlayedGame

#: So many moves are listed at most.
MOVES = 60


@define(eq=False)
class _Group:
    """What one entry of the record says."""

    n: int
    #: What this person was asked before, without the example; empty: nothing.
    asked: str
    sentences: list[str] = field(factory=list)
    #: Whether the board is drawn whoever is to move.
    draw: bool = False
    #: What stands behind the board when the match is over.
    end: list[str] = field(factory=list)


@define(eq=False)
class OwnMatch:
    """
    The match of one person.

    :param alarm: calls a function after so many seconds
    :param account: whether the person has an account, and not a name alone
    """

    handle: SeatHandle[Any]
    screen: Screen
    _played: PlayedGame
    _printer: Printer
    _alarm: Callable[[float, Callable[[], None]], None]
    _account: bool
    #: Whether the end was told.
    over: bool = False
    _group: _Group | None = None
    #: Whether nothing of the match has been told since the seat was taken.
    _fresh: bool = True
    #: The entry with which all that was typed last is done: nothing more is asked for before it.
    _answered_at: int = 0
    #: Moves that were not accepted, and whose refusals have not been told.
    _refusals_due: int = 0
    #: Whether a move is being judged at this moment, and nothing was told of it.
    _judging: bool = False

    # -- told by the table

    def hear(self, event: Any) -> None:
        """Take an event of the game."""
        told = self._played.messages.event(event)
        if told is None:
            self.screen.hear(event, None)
            return
        self._judging = False
        group = self._group_of(self.handle.n)
        if self._fresh:
            self._fresh = False
            group.draw = True
            group.sentences += self._beginning()
        group.sentences += self.screen.hear(event, told)

    def _beginning(self) -> Sequence[str]:
        handle = self.handle
        against = opponents(handle.names, handle.seat)
        lines = [f"Match {handle.table}: {title(handle.game)}. You play against {against}."]
        if not self._account:
            lines.append(f"If your connection is lost, connect again and type: name {handle.names[handle.seat]}")
        return lines

    def _group_of(self, n: int) -> _Group:
        """What is collected for an entry."""
        if self._group is not None and self._group.n != n:
            self.flush()
        if self._group is None:
            self._group = _Group(n, self._question())
            if not self._printer.hearing:
                self._alarm(0, self.flush)
        return self._group

    def _question(self) -> str:
        """What this person is asked now, without the example; empty: nothing."""
        return self.screen.prompt_line().rpartition(": ")[0] if self.screen.turn else ""

    def flush(self) -> None:
        """Write what is collected."""
        group, self._group = self._group, None
        printer, screen = self._printer, self.screen
        if group is None:
            printer.prompt()
            return
        printer.awaiting = False
        printer.print(*group.sentences)
        if group.n < self._answered_at and not group.end:
            printer.awaiting = True
            return
        question = self._question()
        board = screen.draw(printer.style) if group.draw or question not in ("", group.asked) else []
        if board and board != [screen.prompt_line()]:  # before a board there is nothing else to draw
            printer.show(framed(board))
        if group.end:
            printer.print(*group.end)
            self.over = True
        elif screen.turn or group.draw:
            printer.print(screen.prompt_line())
        printer.prompt()

    def refused(self, event: Refused) -> None:
        """The host refuses a move that this side took for legal."""
        if not self._judging:
            self._refusals_due -= 1
        self._judging = False
        self.write_collected()
        self._printer.awaiting = False
        self._printer.refuse(sentence(str(event.error)))
        self._printer.prompt()

    def write_collected(self) -> None:
        """Write what is collected, if anything is."""
        if self._group is not None:
            self.flush()

    def back(self, event: Back[Any]) -> None:
        """This person is back, and is told how the match stands."""
        handle = self.handle
        self._fresh = self._printer.awaiting = False
        self.screen.show(event.view)
        self.write_collected()
        against = opponents(handle.names, handle.seat)
        self._printer.print(f"You are back in match {handle.table}: {title(handle.game)} against {against}.")
        self.show_board()
        self._printer.prompt()

    def end(self, event: Over) -> None:
        """The match is over."""
        handle = self.handle
        group = self._group_of(handle.n)
        group.draw = bool(group.sentences)  # the last move; nothing is new on the board if somebody left
        group.end = [ended(event.result, handle.names, handle.seat)]
        if self._refusals_due:
            group.end.append("What you typed after the end was not played.")
        group.end.append(f"For another match, type: play {handle.game}")
        self._refusals_due = 0
        self._judging = False

    # -- done by the person

    def play(self, actions: Sequence[bytes], act: Callable[[Any], bool], seated: Callable[[], bool]) -> None:
        """
        Have the table judge actions in the game's notation, one after the other.

        :param act: acts at the table, and says whether the action was accepted
        :param seated: whether the person still has the seat
        """
        self._answered_at = self.handle.n + len(actions)
        for done, notation in enumerate(actions):
            if not seated():
                return
            action = self._played.game.read(notation)
            self._judging = self._printer.awaiting = True
            accepted = act(action)
            if not accepted and self._judging:
                self._refusals_due += 1
            self._judging = False
            if not accepted:
                self._answered_at -= len(actions) - done
                return

    def show_board(self) -> None:
        """The board as it is, and what to do."""
        self._printer.show(framed(self.screen.draw(self._printer.style)))
        self._printer.print(self.screen.prompt_line())

    def show_moves(self) -> None:
        """What this person can play."""
        moves = self.screen.moves(MOVES)
        if moves:
            self._printer.print("You can type:")
            self._printer.show(in_columns(moves, self._printer.style.width))
        self._printer.print(self.screen.prompt_line())

    def show_clock(self) -> None:
        """How much time is left."""
        clocks = self.handle.clocks
        if clocks is None:
            self._printer.print("This match has no clocks. To play with them, type: play onitama game_time=300")
        else:
            self._printer.print(clock_line(self.handle.names, clocks))
