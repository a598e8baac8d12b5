"""
What a person is told about the match in which they play, and what they do there.

All that one entry of the match's record says is written together, with one prompt behind it: `deliver` collects it, and it is
written when something else comes, or at the end of the turn. So text never depends on how quickly events follow each other.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar

from attrs import define, field

from gamehost.games.face import Face
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import (
    Away,
    Back,
    Displaced,
    Left,
    NoNewMatches,
    OpenTable,
    Over,
    Refused,
    SeatHandle,
    Suspended,
    TableClosed,
    Unmatched,
)
from gamehost.wires.console.listings import waiting_line
from gamehost.wires.console.messages import Line, Message
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.printer import Printer, framed
from gamehost.wires.console.screens.base import Screen
from gamehost.wires.console.words import clock_line, ended, in_columns, opponents, sentence, title
from gamehost.wires.conversation import AccountConversation, Peer
from gamehost.wires.framing import UndecodableLine

#: So many moves are listed at most.
MOVES = 60


class State(Enum):
    """What a connection can do next."""

    #: Without a name.
    OUTSIDE = "outside"
    #: A password is awaited.
    PASSWORD = "password"
    #: It is being checked.
    CHECKING = "checking"
    #: With a name, and without a match.
    LOBBY = "lobby"
    #: Waits for opponents.
    WAITING = "waiting"
    #: Has a seat, or is about to get it back.
    PLAYING = "playing"


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


class MatchSide(AccountConversation[Message]):
    """
    The match of one person.

    :param options: the wire's games
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, State.OUTSIDE)
        self._options = options
        self._printer = Printer(peer.say, peer.refuse)
        self._face: Face | None = None
        self._screen: Screen | None = None
        self._group: _Group | None = None
        #: The match that is played, or was played last, and its code.
        self._played: tuple[TableId, str] | None = None
        #: Whether nothing of the match has been told since the seat was taken.
        self._fresh = False
        #: Whether a line of this person is being handled: the prompt comes after it.
        self._hearing = False
        #: Whether an answer will come by itself, so that no prompt is due.
        self._awaiting = False
        #: The entry with which all that was typed last is done: nothing more is asked for before it.
        self._answered_at = 0
        #: Moves that were not accepted, and whose refusals have not been told.
        self._refusals_due = 0
        #: Whether a move is being judged at this moment, and nothing was told of it.
        self._judging = False

    # -- lines and prompts

    def hear(self, message: Message) -> None:
        """Act on what the client says, and let it type the next line."""
        self._flush()
        if not isinstance(message, Line | UndecodableLine):
            super().hear(message)
            return
        self._printer.typed()
        self._hearing, self._awaiting = True, False
        try:
            super().hear(message)
            self._flush()
        finally:
            self._hearing = False
        self._prompt()

    def _prompt(self) -> None:
        if not (self._hearing or self._awaiting) and self.state not in (State.PASSWORD, State.CHECKING):
            self._printer.prompt()

    def _tell(self, *sentences: str) -> None:
        """Write what is no answer to a line."""
        self._flush()
        self._printer.print(*sentences)
        self._prompt()

    def _refuse(self, words: str) -> None:
        self._printer.refuse(words)

    # -- the seat

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The person has a seat. The events follow."""
        self._flush()
        super().seated(handle)
        self.set_state(State.PLAYING)
        self._face = self._options.games[handle.game].face
        self._screen = self._options.screens[handle.game].new(handle.seat, handle.names)
        self._fresh = True
        self._refusals_due = self._answered_at = 0
        table = None if self.session is None else self.session.table
        self._played = (handle.table, "" if table is None else table.code)

    def tell_other(self, event: Any) -> None:
        """Tell an event of the game through its face and its screen."""
        if self.handle is None or self._face is None or self._screen is None:
            return
        told = self._face.event(event)
        if told is None:
            self._screen.hear(event, None)
            return
        self._judging = False
        group = self._group_of(self.handle.n)
        if self._fresh:
            self._fresh = False
            group.draw = True
            group.sentences += self._beginning(self.handle)
        group.sentences += self._screen.hear(event, told)

    def _beginning(self, handle: SeatHandle[Any]) -> Sequence[str]:
        name = handle.names[handle.seat]
        lines = [
            f"Match {handle.table}: {title(handle.game)}. You play against {opponents(handle.names, handle.seat)}."
        ]
        if self.session is not None and not self.session.account:
            lines.append(f"If your connection is lost, connect again and type: name {name}")
        return lines

    def _group_of(self, n: int) -> _Group:
        """What is collected for an entry."""
        if self._group is not None and self._group.n != n:
            self._flush()
        if self._group is None:
            self._group = _Group(n, self._question())
            if not self._hearing:
                self.peer.alarm(0, self._end_of_turn)
        return self._group

    def _question(self) -> str:
        """What this person is asked now, without the example; empty: nothing."""
        screen = self._screen
        return screen.prompt_line().rpartition(": ")[0] if screen is not None and screen.turn else ""

    def _end_of_turn(self) -> None:
        self._flush()
        self._prompt()

    def _flush(self) -> None:
        """Write what is collected."""
        group, self._group = self._group, None
        if group is None:
            return
        self._awaiting = False
        printer, screen = self._printer, self._screen
        printer.print(*group.sentences)
        if screen is None:
            return
        if group.n < self._answered_at and not group.end:
            self._awaiting = True
            return
        question = self._question()
        board = screen.draw(printer.style) if group.draw or question not in ("", group.asked) else []
        if board and board != [screen.prompt_line()]:  # before a board there is nothing else to draw
            printer.show(framed(board))
        if group.end:
            printer.print(*group.end)
            self._screen = self._face = None
        elif screen.turn or group.draw:
            printer.print(screen.prompt_line())
        self._prompt()

    # -- told by the table

    def tell_refused(self, event: Refused) -> None:
        """The host refuses a move that this side took for legal."""
        if not self._judging:
            self._refusals_due -= 1
        self._judging = False
        self._flush()
        self._awaiting = False
        self._refuse(sentence(str(event.error)))
        self._prompt()

    def tell_away(self, event: Away) -> None:
        """Another player has lost the connection."""
        if self.handle is not None:
            self._tell(f"{self.name_of(event.seat)} is away. The seat is kept for a while.")

    def tell_left(self, event: Left) -> None:
        """Another player has left for good."""
        if self.handle is not None:
            self._tell(f"{self.name_of(event.seat)} has left the match.")

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back. The one who is back is told how the match stands."""
        handle, screen = self.handle, self._screen
        if handle is None or screen is None:
            return
        if event.seat != handle.seat:
            self._tell(f"{self.name_of(event.seat)} is back.")
            return
        self._fresh = self._awaiting = False
        screen.show(event.view)
        against = opponents(handle.names, handle.seat)
        self._flush()
        self._printer.print(f"You are back in match {handle.table}: {title(handle.game)} against {against}.")
        self.show_board()
        self._prompt()

    def tell_suspended(self, event: Suspended) -> None:
        """A fault of the host has stopped the match."""
        self._awaiting = False
        self._tell("The match is suspended by a fault of the host. Its record is kept.")

    def tell_over(self, event: Over) -> None:
        """The match is over. The person keeps the name, and may play again."""
        handle = self.handle
        assert handle is not None
        group = self._group_of(handle.n)
        group.draw = bool(group.sentences)  # the last move; nothing is new on the board if somebody left
        group.end = [ended(event.result, handle.names, handle.seat)]
        if self._refusals_due:
            group.end.append("What you typed after the end was not played.")
        group.end.append(f"For another match, type: play {handle.game}")
        self._refusals_due = 0
        self._judging = False
        self.leave_table(State.LOBBY)

    # -- told by the lobby

    def tell_gathered(self, event: OpenTable) -> None:
        """Somebody has come to the table where this person waits, or has gone."""
        if len(event.names) < event.seats:  # otherwise the match begins, which says more
            self._tell(waiting_line(event))

    def tell_closed(self, event: TableClosed) -> None:
        """The players of an open table have waited too long."""
        self.set_state(State.LOBBY)
        self._tell("Nobody came in time. You do not wait any more.")

    def tell_displaced(self, event: Displaced) -> None:
        """The same person has come in on another connection, which has everything from now on."""
        self.session = self.handle = None
        self.say_closing("You have logged in on another connection.")
        self.peer.hang_up("displaced by another connection")

    def tell_unmatched(self, event: Unmatched) -> None:
        """The person has waited for a day."""
        self.set_state(State.LOBBY)
        self._tell("Nobody came for a day. You do not wait any more.")

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """The host begins no more matches. The person can stay and watch."""
        self.set_state(State.LOBBY)
        self._tell(sentence(event.why))

    def say_notice(self, text: str) -> bool:
        """A line of its own."""
        self._tell(f"The owner of this host says: {text}")
        return True

    # -- done by the person

    def play_actions(self, actions: Sequence[bytes]) -> None:
        """Have the table judge actions in the game's notation, one after the other."""
        if self.handle is not None:
            self._answered_at = self.handle.n + len(actions)
        for done, notation in enumerate(actions):
            if self.handle is None:
                return
            action = self._options.games[self.handle.game].game.read(notation)
            self._judging = self._awaiting = True
            accepted = self.act(action, careful=True)
            if not accepted and self._judging:
                self._refusals_due += 1
            self._judging = False
            if not accepted:
                self._answered_at -= len(actions) - done
                return

    def show_board(self) -> None:
        """The board as it is, and what to do."""
        assert self._screen is not None
        self._printer.show(framed(self._screen.draw(self._printer.style)))
        self._printer.print(self._screen.prompt_line())

    def show_moves(self) -> None:
        """What this person can play."""
        assert self._screen is not None
        moves = self._screen.moves(MOVES)
        if moves:
            self._printer.print("You can type:")
            self._printer.show(in_columns(moves, self._printer.style.width))
        self._printer.print(self._screen.prompt_line())

    def show_clock(self) -> None:
        """How much time is left."""
        assert self.handle is not None
        clocks = self.handle.clocks
        if clocks is None:
            self._printer.print("This match has no clocks. To play with them, type: play onitama game_time=300")
        else:
            self._printer.print(clock_line(self.handle.names, clocks))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        self._flush()
        self._printer.print(sentence(reason))

    TELLS: ClassVar[Any] = {
        Refused: tell_refused,
        Away: tell_away,
        Left: tell_left,
        Back: tell_back,
        Suspended: tell_suspended,
        Over: tell_over,
        OpenTable: tell_gathered,
        TableClosed: tell_closed,
        Displaced: tell_displaced,
        Unmatched: tell_unmatched,
        NoNewMatches: tell_no_new_matches,
    }
