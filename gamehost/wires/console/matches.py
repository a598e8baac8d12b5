"""
The matches that a person at the console sees: the own match, a watched match, a replayed match, and lists of finished matches.

All sentences about one entry of the own match's journal are written together, with one prompt after them. They are collected,
and written before the next output, or at the end of the reactor's present turn. So the text never depends on how quickly events
follow each other.

All watchers of a match receive the same sentences, which are made once. The board after them is drawn once for each style that
a watcher uses.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any
from weakref import WeakValueDictionary

from attrs import Factory, define, field, frozen

from gamehost.accounts.names import sought_key
from gamehost.games.base import Offer, Seat
from gamehost.games.messages import moves_undone
from gamehost.games.play import is_move, screen_of
from gamehost.games.screen import NewScreen, Screen, Style, abridged
from gamehost.journal.records import TableId
from gamehost.journal.replay import History
from gamehost.lobby.directory import EVENT_BYTES, MatchDirectory, Told
from gamehost.lobby.finished import LIST_SECONDS
from gamehost.lobby.questions import Found, NotAnswered, Work
from gamehost.lobby.studies import Studies, Study
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.interfaces import (
    Archived,
    Away,
    Back,
    Declined,
    Left,
    Look,
    Offered,
    Over,
    Refused,
    SeatHandle,
    Suspended,
    WatchableTable,
)
from gamehost.wires.console.commands import (
    RECORDS,
    NotNow,
    as_shown,
    clock_line,
    count_of,
    counted,
    due_line,
    ended,
    game_named,
    in_columns,
    ladder,
    opponents,
    records,
    sentence,
    study_page,
    table_and_code,
    title,
    versus,
)
from gamehost.wires.console.printer import Printer, framed
from gamehost.wires.seeking import PlayedGame

#: The most moves that are listed at once.
MOVES = 60
#: The most moves that are searched for the words of a person.
LOOKED_THROUGH = 2_000
#: The time for each move is shown at the beginning of a match if it is at most this number of milliseconds.
TOLD_TIME = 600_000


@define(eq=False)
class _Group:
    """The collected sentences about one entry of the journal."""

    n: int
    #: The question that this person was asked before the entry, without its example; empty: none.
    asked: str
    sentences: list[str] = field(factory=list)
    #: Whether the board must be drawn. Otherwise it is drawn only if the question has changed.
    draw: bool = False
    #: The lines behind the board when the match is over.
    end: list[str] = field(factory=list)


@define(eq=False)
class OwnMatch:
    """
    The match of one person, as it is shown in the terminal.

    :param alarm: calls a function after a number of seconds
    :param way_back: the sentence that says to a guest how to come back after a lost connection; empty: none
    """

    handle: SeatHandle[Any]
    screen: Screen[Any]
    _played: PlayedGame
    _printer: Printer
    _alarm: Callable[[float, Callable[[], None]], None]
    _way_back: str
    #: Whether the end of the match was shown.
    over: bool = False
    #: Whether this person has resigned.
    resigned: bool = False
    _group: _Group | None = None
    #: The opponent's offer that this person can answer.
    _offered: Offer | None = None
    #: Whether no event has come yet since this person took the seat.
    _fresh: bool = True
    #: The number of the entry that completes the last typed line. No new question is shown before this entry.
    _answered_at: int = 0
    #: How many moves were refused, and their refusals not shown yet.
    _refusals_due: int = 0
    #: Whether the table is checking a move now, and no event has come for this move yet.
    _judging: bool = False

    @property
    def names(self) -> Sequence[str]:
        """The display names of the players, in the order of the seats."""
        return as_shown(self.handle.names, self.handle.shown_as)

    # -- events of the table

    def hear(self, event: Any) -> None:
        """Adds the sentences about an event of the game to the current group."""
        told = self._played.messages.event(event)
        # Only the screen needs this event; there is no sentence about it.
        if told is None:
            self.screen.hear(event, None)
            return
        # An event has come, so the table did not refuse the move.
        self._judging = False
        group = self._group_of(self.handle.n)
        # The first event: describe the match, and draw the board.
        if self._fresh:
            self._fresh = False
            group.draw = True
            group.sentences += self._beginning()
        group.sentences += self.screen.hear(event, told)
        group.draw = group.draw or moves_undone(told) > 0

    def _beginning(self) -> Sequence[str]:
        """Returns the sentences at the beginning of a match: against whom, how to come back, and a short time limit."""
        handle = self.handle
        against = opponents(self.names, handle.seat)
        lines = [f"Match {handle.table}: {title(handle.game)}. You play against {against}.", self._way_back]
        # The second value of `due` is the whole time for a move, in milliseconds.
        if handle.due is not None and handle.due[1] <= TOLD_TIME:
            lines.append(f"{due_line(handle.due, acts=True)} Type clock to see what is left.")
        return list(filter(None, lines))

    def _group_of(self, n: int) -> _Group:
        """Returns the group that collects the sentences of entry `n`. A group of another entry is written first."""
        if self._group is not None and self._group.n != n:
            self.flush()
        if self._group is None:
            # The question before the events: the board is drawn again if it changes.
            self._group = _Group(n, self._question())
            # The answer to a line of this client writes the group. At other times an alarm does, after all events of this turn.
            if not self._printer.hearing:
                self._alarm(0, self.flush)
        return self._group

    def _question(self) -> str:
        """Returns the current question to this person, without its example; empty: the person is not asked anything."""
        return self.screen.prompt_line().rpartition(": ")[0] if self.screen.turn else ""

    def flush(self) -> None:
        """Writes the collected sentences, then the board if it has changed, and a prompt."""
        group, self._group = self._group, None
        printer, screen = self._printer, self.screen
        if group is None:
            printer.prompt()
            return
        printer.awaiting = False
        printer.print(*group.sentences)
        # More entries of the same typed line follow: no board and no question yet.
        if group.n < self._answered_at and not group.end:
            printer.awaiting = True
            return
        # Draw the board if the group needs it, or if there is another question now.
        question = self._question()
        board = screen.draw(printer.style) if group.draw or question not in ("", group.asked) else []
        if board and board != [screen.prompt_line()]:  # a screen without a board draws only the question
            printer.show(framed(board))
        # Write the end of the match, or the next question.
        if group.end:
            printer.print(*group.end)
            self.over = True
        elif screen.turn or group.draw:
            printer.print(screen.prompt_line())
        printer.prompt()

    def refused(self, event: Refused) -> None:
        """Shows that the host has refused a move that the screen had taken for legal."""
        # A refusal that comes after `ask` has returned was counted there.
        if not self._judging:
            self._refusals_due -= 1
        self._judging = False
        self.write_collected()
        self._printer.awaiting = False
        self._printer.refuse(sentence(str(event.error)))
        self._printer.prompt()

    def write_collected(self) -> None:
        if self._group is not None:
            self.flush()

    def back(self, event: Back[Any]) -> None:
        """Shows the state of the match to this person, who has come back."""
        handle = self.handle
        # The match is described here, so its first event need not do it.
        self._fresh = self._printer.awaiting = False
        self.screen.show(event.view)
        self.write_collected()
        against = opponents(self.names, handle.seat)
        self._printer.print(f"You are back in match {handle.table}: {title(handle.game)} against {against}.")
        self.show_board()
        self._printer.prompt()

    def end(self, event: Over, closed: str | None, slow: int | None = None) -> None:
        """
        Collects the sentences about the end of the match.

        :param closed: why no other match can begin; `None`: another match can begin
        :param slow: the number of the match, if it was a slow one
        """
        handle = self.handle
        group = self._group_of(handle.n)
        # draw the board after the last move; it has not changed if the match ended without a move
        group.draw = bool(group.sentences)
        group.end = [ended(event.result, self.names, handle.seat, self.resigned)]
        if self._refusals_due:
            group.end.append("What you typed after the end was not played.")
        another = (
            f"For another match, type: play {handle.game}" if slow is None else f"For a rematch, type: rematch {slow}"
        )
        group.end.append(another if closed is None else sentence(closed))
        self._refusals_due = 0
        self._judging = False

    # -- commands of the person

    def play(self, actions: Sequence[bytes], act: Callable[[Any], bool], seated: Callable[[], bool]) -> None:
        """
        Passes actions in the game's notation to the table, one after the other, until one is refused.

        :param act: performs an action at the table, and returns whether it was accepted
        :param seated: returns whether the person still has the seat
        """
        # Each accepted action makes one entry of the journal.
        self._answered_at = self.handle.n + len(actions)
        for done, notation in enumerate(actions):
            if not seated():
                return
            if not self.ask(partial(act, self._played.game.read(notation))):
                # This action and those behind it make no entries.
                self._answered_at -= len(actions) - done
                return

    def ask(self, table: Callable[[], bool]) -> bool:
        """
        Passes an action or an offer to the table, and counts a refusal. Returns whether it was accepted.

        :param table: performs the action, and returns whether it was accepted
        """
        self._judging = self._printer.awaiting = True
        accepted = table()
        # Refused, but the event `Refused` has not come yet.
        if not accepted and self._judging:
            self._refusals_due += 1
        self._judging = False
        return accepted

    def offer(self, offer: Offer) -> None:
        self.ask(partial(self.handle.offer, offer))

    def answer(self, accepted: bool) -> None:
        """Accepts or declines the opponent's offer."""
        if self._offered is None:
            raise NotNow("Nothing is offered to you.")
        self.ask(partial(self.handle.answer, self._offered, accepted))

    def offered(self, event: Offered) -> str:
        """Notes an offer, and returns the sentence about it."""
        self._judging = self._printer.awaiting = False
        draw, names, seat = event.offer is Offer.DRAW, self.handle.names, self.handle.seat
        if event.seat == seat:
            words = "You offer a draw." if draw else "You ask to take your move back."
            return f"{words} {names[1 - seat]} has to agree."
        self._offered = event.offer
        words = "offers a draw" if draw else "asks to take a move back"
        return f"{names[event.seat]} {words}. Type accept or decline, or play on."

    def declined(self, event: Declined) -> str:
        """Notes that an offer has ended, and returns the sentence about it."""
        self._offered = None
        self._judging = self._printer.awaiting = False
        if event.offer is Offer.TAKEBACK:
            return "The move stands."
        # The seat of the event is the one that made the offer.
        return "Your draw is declined." if event.seat == self.handle.seat else "The draw is not offered any more."

    def show_board(self) -> None:
        self._printer.show(framed(self.screen.draw(self._printer.style)))
        self._printer.print(self.screen.prompt_line())

    def show_moves(self, wanted: Sequence[str]) -> None:
        """Lists legal moves: all of them, or only those that contain the wanted words."""
        moves: Sequence[str] = self.screen.moves(LOOKED_THROUGH if wanted else MOVES)
        if wanted:
            words = " ".join(wanted).casefold()
            moves = abridged((move for move in moves if words in move.casefold()), MOVES)
            if not moves:
                self._printer.print("There is no such move now.")
        if moves:
            self._printer.print("You can type:")
            self._printer.show(in_columns(moves, self._printer.style.width))
        self._printer.print(self.screen.prompt_line())

    def show_clock(self) -> None:
        """
        Performs the command `clock`: shows the clock of each player, the time for the present move, or that the match
        has no clocks.
        """
        clocks, due = self.handle.clocks, self.handle.due
        if clocks is not None:
            self._printer.print(clock_line(self.names, clocks))
        if due is not None:
            self._printer.print(due_line(due, acts=self.screen.turn))
        elif clocks is None:
            self._printer.print("This match has no clocks. To play with them, type: play onitama game_time=300")


#: The number of moves that `history` shows by default, and at most.
USUAL, MOST = 20, 200
#: The most steps of one command `next` or `back`.
FAR = 10_000

_ASKING = "A record is being read. Wait for it."
_NO_REPLAY = "You go through no match. Type replay and the number of one."


class Replay:
    """
    A match that a person goes through step by step. Each step is a move. The events before the first move are the beginning.

    :param new_screen: makes a watcher's screen
    :param told: the public history of the match
    """

    def __init__(self, new_screen: Callable[[], Screen[Any]], played: PlayedGame, told: History[Any]) -> None:
        self._new_screen = new_screen
        self.result = told.result
        self.names = told.names
        pairs = (
            (number, (one, message))
            for number, one in told.events
            if (message := played.messages.event(one)) is not None
        )
        #: The number of the journal's entry for each step.
        self._entries: list[int] = []
        #: The events before the first move, each with its message.
        self._opening: list[tuple[Any, Any]] = []
        #: The events of each step, each with its message.
        self._steps: list[list[tuple[Any, Any]]] = []
        self._follow = played.game.follow
        self._all_events = told.all_events
        #: The views of all seats at the present step, and how many of all events these views contain.
        self._views: list[Any] = []
        self._followed = 0
        # Divide the events into steps, entry by entry. A takeback removes steps, a move is a new step, and other events belong
        # to the step before them.
        for number, group in groupby(pairs, itemgetter(0)):
            events = [event for _, event in group]
            undone = sum(moves_undone(message) for _, message in events)
            if undone:
                del self._entries[-undone:], self._steps[-undone:]
            # The first entry of the journal begins the match.
            elif number > 1 and is_move(played.game, [message for _, message in events]):
                self._entries.append(number)
                self._steps.append(events)
            else:
                (self._steps[-1] if self._steps else self._opening).extend(events)
        self._show(0)

    @property
    def length(self) -> int:
        return len(self._steps)

    def _show(self, at: int) -> list[str]:
        """Goes to the position after this number of steps. Returns the sentences about the last step."""
        self.at = at
        screen = self.screen = self._new_screen()
        said: list[str] = []
        # A screen cannot go back, so a new one gets all events up to this step.
        for event in self._opening:
            screen.hear(*event)
        for events in self._steps[:at]:
            said = [sentence for event in events for sentence in screen.hear(*event)]
        return said

    def go(self, steps: int) -> list[str]:
        """Goes forward by a number of steps, or back; not beyond the ends. Returns the sentences about the last step."""
        at = max(0, min(self.length, self.at + steps))
        # One step forward: the present screen only needs the new events.
        if at == self.at + 1:
            self.at = at
            return [sentence for event in self._steps[at - 1] for sentence in self.screen.hear(*event)]
        return self._show(at)

    def lines(self, style: Style) -> list[str]:
        """Returns the board at the present step as lines. If hidden information may be shown, all seats' pieces are shown."""
        if self._all_events:
            self.screen.revealed = self._views_of_all()
        return framed(self.screen.draw(style))

    def _views_of_all(self) -> list[Any]:
        """Returns the views of all seats at this step. A step forward adds only the new events."""
        # The first entry that is not shown; after the last step, a number above all entries.
        end = self._entries[self.at] if self.at < self.length else FAR + self._all_events[-1][0]
        # After a step back, begin again with empty views.
        if not self._followed or self._all_events[self._followed - 1][0] >= end:
            self._views = [None] * len(self.names)
            self._followed = 0
        for number, to in self._all_events[self._followed :]:
            if number >= end:
                break
            self._followed += 1
            for seat in map(Seat, range(len(self.names))):
                # An audience of `None`: all seats receive the event.
                if to.audience is None or seat in to.audience:
                    self._views[seat] = self._follow(self._views[seat], to.event, seat)
        return self._views

    def move_of(self, entry: int) -> int:
        """Returns the number of the move to which an entry of the journal belongs."""
        return min(bisect_left(self._entries, entry) + 1, self.length)

    def sentences(self) -> list[str]:
        """Returns the whole match in sentences, each with the number of its step."""
        screen = self._new_screen()
        # The screen needs the events of the beginning, but they have no number.
        for event in self._opening:
            screen.hear(*event)
        lines: list[str] = []
        for number, events in enumerate(self._steps, 1):
            sentence = " ".join(said for event in events for said in screen.hear(*event))
            if sentence:
                lines.append(f"{number:>4}. {sentence}")
        return lines


class WatchedTable:
    """
    Makes the sentences and boards of a watched match, for all its watchers. It is the gallery's encoder.

    :param games: the games, by their names
    :param screens: the functions that make their screens, by the same names
    """

    def __init__(self, games: Mapping[str, PlayedGame], screens: Mapping[str, NewScreen]) -> None:
        self._games = games
        self._screens = screens
        # A watcher's screen of the match; `None`: nobody has received the state yet.
        self._screen: Screen[Any] | None = None
        #: The sentence that names the player to move; empty: the match is over.
        self._waits_for = ""
        #: The boards that were drawn since the player to move changed, by style.
        self._boards: dict[Style, list[str]] = {}

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """Returns the sentences about the present state of the match, for a new watcher."""
        game = table.game.name
        names = as_shown(table.names, table.shown_as)
        screen = self._screen = self._screens[game](None, names)
        screen.show(look.view)
        self._wait_for(screen.prompt_line())
        sentences = [f"You watch match {table.id}: {title(game)}, {versus(names)}."]
        if delay:
            sentences.append(f"You see everything {delay:g} s later than the players.")
        # Only the host that plays the match knows which players are connected.
        if look.away is None:
            sentences.append("Another host of the cluster plays this match. It is not known here who is away.")
        else:
            sentences += [f"{names[seat]} is away." for seat in look.away]
        return _lines(sentences)

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        """Returns the sentences about an event; empty, if there are none."""
        names = as_shown(table.names, table.shown_as)
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
                # No player is to move any more.
                self._waits_for = ""
                return _lines([ended(result, names, None), f"To go through the moves, type: replay {table.id}"])
        # No watcher has received the state yet.
        if self._screen is None:
            return b""
        told = self._games[table.game.name].messages.event(event)
        # The screen follows every event; only some of them have sentences.
        sentences = self._screen.hear(event, told)
        if told is None:
            return b""
        if self._screen.prompt_line() != self._waits_for:
            self._wait_for(self._screen.prompt_line())
        return _lines(sentences)

    def _wait_for(self, words: str) -> None:
        """Notes the player to move. The board has changed, so the drawn boards are dropped."""
        self._waits_for = words
        self._boards.clear()

    def board(self, style: Style) -> list[str]:
        """Returns the board and the player to move as lines. It is the same list object until the player to move changes."""
        if self._screen is None:
            return []
        board = self._boards.get(style)
        if board is None:
            waits_for = [self._waits_for] if self._waits_for else []
            board = self._boards[style] = [*framed(self._screen.draw(style)), *waits_for]
        return board


def _lines(sentences: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in sentences).encode("utf-8")


@frozen
class ConsoleOptions:
    """The games of a console's port, and the objects that its watchers share."""

    #: The wire's name, for the lobby.
    wire: str
    #: The games, by their names.
    games: Mapping[str, PlayedGame]
    #: The functions that make the screens of these games, by the same names.
    screens: Mapping[str, NewScreen] = field(
        init=False,
        default=Factory(lambda self: {name: screen_of(one.game) for name, one in self.games.items()}, takes_self=True),
    )
    #: One `WatchedTable` for each table that is watched.
    _watched: "WeakValueDictionary[TableId, WatchedTable]" = field(factory=WeakValueDictionary)

    def watched(self, table: TableId) -> WatchedTable:
        """
        Returns the sentences and boards of a watched table, which all its watchers share. Makes them for the first
        watcher.
        """
        found = self._watched.get(table)
        if found is None:
            found = self._watched[table] = WatchedTable(self.games, self.screens)
        return found


@define(eq=False)
class Looking:
    """
    The lists and matches that one person looks at, besides the own match.

    :param address: the client's address
    :param write_collected: writes the sentences that were collected for the own match
    :param seat: returns the seat in the own match; `None`: the person has none
    """

    _printer: Printer
    _directory: MatchDirectory
    _studies: Studies
    _options: ConsoleOptions
    address: str
    _write_collected: Callable[[], None]
    _seat: Callable[[], SeatHandle[Any] | None]
    #: The number and the code of the person's present match, or of the last one.
    played: tuple[TableId, str] | None = None
    #: The match that the person watches, and its code.
    _watching: TableId | None = None
    _code: str = ""
    _watched: WatchedTable | None = None
    #: The board of the watched match, as it was shown last.
    _board: list[str] = field(factory=list)
    _replay: Replay | None = None
    _replayed: str = ""
    #: Whether an answer is being prepared. `_withdraw` cancels it.
    _asking: bool = False
    _withdraw: Callable[[], None] = lambda: None

    def board(self) -> list[str] | None:
        """Returns the board of the match that the person replays or watches; `None`: there is none."""
        if self._replay is not None:
            return self._replay.lines(self._printer.style)
        return None if self._watched is None else self._watched.board(self._printer.style)

    def stop(self) -> None:
        self._replay = None
        self.stop_watching()

    def state(self) -> dict[str, Any] | None:
        """
        Returns the state that another host of a cluster needs to continue; `None`: this host must first finish an answer. A
        replay does not continue at another host.
        """
        return None if self._asking else {"played": self.played, "watching": self._watching, "code": self._code}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Continues with the state of another host. The watched match is shown again."""
        self.played = None if state["played"] is None else tuple(state["played"])
        if state["watching"] is not None:
            self.watch([f"{state['watching']}-{state['code']}" if state["code"] else str(state["watching"])])

    # -- watching a match

    def watch(self, words: list[str]) -> None:
        """Performs the command `watch`: begins to watch a match, and stops watching another one."""
        table, code = table_and_code(words, "watch 3")
        handle = self._seat()
        if handle is not None and handle.table == table:
            self._printer.refuse("You play in this match yourself. Type board to see it.")
            return
        self.stop_watching()
        self._watched = self._options.watched(table)
        self._watching = table
        self._code = code
        self._board = []
        self._printer.awaiting = True
        try:
            self._directory.watch(table, self, self._watched, code)
        except WatchRefused as refusal:
            self._watching = self._watched = None
            self._printer.awaiting = False
            self._printer.refuse(f"{sentence(str(refusal))} Type tables to see what is played.")

    def unwatch(self, words: list[str]) -> None:
        """Performs the command `unwatch`: stops watching a match."""
        if self._watching is None:
            raise NotNow("You look on at no match. Type tables to see what is played.")
        self.stop_watching()
        self._printer.print("You look on no longer.")

    def stop_watching(self) -> None:
        """Stops watching, if the person watches a match."""
        if self._watching is not None:
            table = self._watching
            self._watching = self._watched = None
            self._directory.unwatch(table, self)

    def tell(self, data: bytes) -> None:
        """Shows an event of the watched match. Called by its gallery."""
        watched = self._watched
        if watched is None:
            return
        self._write_collected()
        self._printer.awaiting = False
        playing = self._seat() is not None
        before = f"Match {self._watching}: " if playing else ""
        self._printer.print(*(before + text for text in data.decode("utf-8").splitlines()))
        board = watched.board(self._printer.style)
        # A person with an own match sees the board of a watched match only once, and after that only the sentences.
        if board is not self._board and not (playing and self._board):
            self._board = board
            self._printer.show(board)
        self._printer.prompt()

    def closed(self, table: TableId) -> None:
        """Forgets the watched match, which is over or has stopped."""
        if table == self._watching:
            self._watching = self._watched = None

    # -- matches of the past

    def history(self, words: list[str]) -> None:
        """Shows the moves of the replayed or watched match, or else of the own match (the present one or the last one)."""
        count = count_of(words, USUAL, MOST)
        # A present match of the person comes first, then the replayed match, the watched one, and the last own match.
        if self._replay is not None and self._seat() is None:
            self._tell_moves(count, self._replay)
            return
        played = self.played
        if self._watching is not None and self._seat() is None:
            played = (self._watching, self._code)
        if played is None:
            raise NotNow("No match is on. Type records to see finished ones, or play onitama to begin one.")
        self._ask_record(*played, partial(self._tell_moves, count))

    def _tell_moves(self, count: int, replay: Replay) -> None:
        """
        Shows the last moves of a match in sentences.

        :param count: how many moves the person wants to see
        """
        moves = replay.sentences()
        if not moves:
            self._printer.print("Nothing has been played yet.")
        if len(moves) > count:
            self._printer.print(f"The last {count} of {len(moves)}; for all of them, type: history {len(moves)}")
        # A slice from -0 would show all moves.
        self._printer.show(moves[-count:] if count else [])

    def replay(self, words: list[str]) -> None:
        """Begins to go through a match; without a number, through the own last match."""
        table, code = self.played if self.played and not words else table_and_code(words, "replay 3")
        self._ask_record(table, code, partial(self._begin_replay, table))

    def _begin_replay(self, table: TableId, replay: Replay) -> None:
        """Shows the beginning of a match that was read; `next` and `back` go through its moves."""
        self._replay = replay
        # The first sentence names only the players, not the winner.
        self._printer.print(
            f"Match {table}: {self._replayed}, {counted(replay.length, 'move')}. Type next, or next 5; back goes back."
        )
        self._printer.show(replay.lines(self._printer.style))

    def study(self, words: list[str]) -> None:
        """Shows the turning points of a finished match; without a number, of the own last match."""
        table, code = self.played if self.played and not words else table_and_code(words, "study 3")
        self._ask_record(table, code, partial(self._begin_study, table, code))

    def _begin_study(self, table: TableId, code: str, replay: Replay) -> None:
        """Asks a house player for the study of a match that was read."""
        games = {name: played.game for name, played in self._options.games.items()}

        def tell(study: Study) -> None:
            self._printer.listing(study_page(study, replay.names, replay.move_of, table))

        if replay.result is not None:
            self._printer.print("A house player looks at each move. This takes some seconds.")
        self._withdraw = self._studies.ask(self.address, table, code, games, *self._waiting_for(tell))

    def step(self, words: list[str], way: int = 1) -> None:
        """Performs the commands `next` and `back`: goes forward (`way` is 1) or back (-1) in the replayed match."""
        replay = self._replay
        if replay is None:
            raise NotNow(_NO_REPLAY)
        before = replay.at
        said = replay.go(way * count_of(words, 1, FAR))
        if replay.at == before:
            raise NotNow("This is the last move. Type back." if way > 0 else "This is the beginning. Type next.")
        where = f"Move {replay.at} of {replay.length}." if replay.at else "The beginning."
        self._printer.print(" ".join((where, *said)))
        self._printer.show(replay.lines(self._printer.style))
        if replay.at == replay.length and replay.result is not None:
            self._printer.print(ended(replay.result, replay.names, None))

    def records(self, words: list[str]) -> None:
        """Performs the command `records`: lists finished matches, of all players or of one."""
        finished, name = self._directory.finished, sought_key(words[0]) if words else ""

        async def found() -> Found:
            matches, _ = await finished.newest(None, RECORDS, name=name)
            return _listing(records(matches), LIST_SECONDS)

        self._ask(("records", finished.ended, name), found, self._printer.listing)

    def ladder(self, words: list[str]) -> None:
        """
        Performs the command `ladder`: shows the ratings and the number of victories of each player.

        :raises NotUnderstood: no game has this name
        """
        game = game_named(list(words), self._options.games) if words else ""

        async def found() -> Found:
            tally = await self._directory.finished.tally()
            lines = await self._directory.questions.in_slices(ladder(tally, game))
            return _listing(lines, self._directory.finished.seconds_left(tally))

        self._ask(("ladder", self._directory.finished.edition, game), found, self._printer.listing)

    def _ask(self, key: Hashable, work: Work, answer: Callable[[Any], None]) -> None:
        """
        Puts a question about stored matches to the host. A person can wait for only one answer at a time.

        :param key: questions with the same key get the same answer
        :param answer: called with the answer, at once or later
        :raises NotNow: the person still waits for another answer
        """
        if self._asking:
            raise NotNow(_ASKING)
        tell = self._directory.questions.tell
        self._withdraw = tell(self.address, ("console", key), work, *self._waiting_for(answer))

    def _waiting_for(
        self, answer: Callable[[Any], None]
    ) -> tuple[Callable[[Any], None], Callable[[NotAnswered], None]]:
        """
        Begins to wait for an answer; until it comes, no prompt is sent. Returns two callbacks: one for the answer, and
        one for its refusal.
        """
        self._asking = self._printer.awaiting = True

        def told(tell: Callable[[Any], None], found: Any) -> None:
            self._asking = self._printer.awaiting = False
            tell(found)
            self._printer.prompt()

        return partial(told, answer), partial(told, lambda refusal: self._printer.refuse(sentence(str(refusal))))

    def _ask_record(self, table: TableId, code: str, done: Callable[[Replay], None]) -> None:
        """Reads the history of a match, and calls `done` with its replay."""
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            asked = self._directory.history(table, None, code, games)
        except WatchRefused as refusal:
            # The match cannot be read at all, so there is nothing to wait for.
            self._tell_record(done, ("", refusal))
            return

        async def found() -> Found:
            """Reads the history from the store when this question has its turn."""
            told = await asked.read()
            # The record of a finished match never changes, so it is cached. A size of 0: not cached.
            lasting = asked.lasting and not isinstance(told[1], WatchRefused)
            return Found(told, EVENT_BYTES * len(told[1].events) if lasting else 0)  # type: ignore[union-attr]

        self._ask(asked.key, found, partial(self._tell_record, done))

    def _tell_record(self, done: Callable[[Replay], None], found: Told) -> None:
        """Calls `done` with the replay of a match that was read, or shows why it cannot be replayed."""
        game, told = found
        if isinstance(told, WatchRefused):
            self._printer.refuse(
                f"{sentence(str(told))} Type tables for those that are played, or records for finished ones."
            )
        # The first entries are missing, because the history has only the last ones.
        elif told.events and told.events[0][0] > 1:
            self._printer.refuse("This match is too long to be gone through here.")
        else:
            self._replayed = title(game)
            new = self._options.screens[game]
            done(Replay(lambda: new(None, told.names), self._options.games[game], told))

    def end(self) -> None:
        self._withdraw()
        self.stop_watching()


def _listing(lines: list[str], seconds: float) -> Found:
    return Found(lines, sum(map(len, lines)), seconds)
