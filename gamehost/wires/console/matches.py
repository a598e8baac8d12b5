"""
The matches that a person sees: the own one, one of others while it is played, one that is replayed, and lists of them.

All sentences about one entry of the own match's record are written together, with one prompt behind them. They are
collected, and written before the next output or at the end of the turn. So text never depends on how quickly events
follow each other.

Several watchers of a match receive the same sentences, which are made once. The board after them is drawn once for each
style that one of them uses.
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

#: The most moves that are listed.
MOVES = 60
#: How many moves are searched for those that a person wants to see.
LOOKED_THROUGH = 2_000
#: The time for a move is shown at the beginning of a match if it is at most so many milliseconds.
TOLD_TIME = 600_000


@define(eq=False)
class _Group:
    """The sentences about one entry of the record."""

    n: int
    #: The earlier question to this person, without the example; empty: none.
    asked: str
    sentences: list[str] = field(factory=list)
    #: Whether the board is drawn whoever is to move.
    draw: bool = False
    #: The lines behind the board when the match is over.
    end: list[str] = field(factory=list)


@define(eq=False)
class OwnMatch:
    """
    The match of one person.

    :param alarm: calls a function after so many seconds
    :param way_back: the advice to a guest for a lost connection; empty: none
    """

    handle: SeatHandle[Any]
    screen: Screen[Any]
    _played: PlayedGame
    _printer: Printer
    _alarm: Callable[[float, Callable[[], None]], None]
    _way_back: str
    #: Whether the end was shown.
    over: bool = False
    #: Whether this person has given the match up.
    resigned: bool = False
    _group: _Group | None = None
    #: The offer of the opponent.
    _offered: Offer | None = None
    #: Whether no event of the match has come since the seat was taken.
    _fresh: bool = True
    #: The entry of the record that completes the last typed line. No new question is shown before it.
    _answered_at: int = 0
    #: The number of refused moves with a refusal that was not shown yet.
    _refusals_due: int = 0
    #: Whether a move is being judged at this moment, and no event has come for it.
    _judging: bool = False

    @property
    def names(self) -> Sequence[str]:
        """The players as they are shown, in the order of the seats."""
        return as_shown(self.handle.names, self.handle.shown_as)

    # -- from the table

    def hear(self, event: Any) -> None:
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
        group.draw = group.draw or moves_undone(told) > 0

    def _beginning(self) -> Sequence[str]:
        handle = self.handle
        against = opponents(self.names, handle.seat)
        lines = [f"Match {handle.table}: {title(handle.game)}. You play against {against}.", self._way_back]
        if handle.due is not None and handle.due[1] <= TOLD_TIME:
            lines.append(f"{due_line(handle.due, acts=True)} Type clock to see what is left.")
        return list(filter(None, lines))

    def _group_of(self, n: int) -> _Group:
        """The group that collects the sentences of entry `n`. The group of another entry is written first."""
        if self._group is not None and self._group.n != n:
            self.flush()
        if self._group is None:
            self._group = _Group(n, self._question())
            # Outside of a command of this client, write the group after all events of this turn of the reactor.
            if not self._printer.hearing:
                self._alarm(0, self.flush)
        return self._group

    def _question(self) -> str:
        """The current question to this person, without the example; empty: none."""
        return self.screen.prompt_line().rpartition(": ")[0] if self.screen.turn else ""

    def flush(self) -> None:
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
        if self._group is not None:
            self.flush()

    def back(self, event: Back[Any]) -> None:
        """Show the state of the match to this person, after a return."""
        handle = self.handle
        self._fresh = self._printer.awaiting = False
        self.screen.show(event.view)
        self.write_collected()
        against = opponents(self.names, handle.seat)
        self._printer.print(f"You are back in match {handle.table}: {title(handle.game)} against {against}.")
        self.show_board()
        self._printer.prompt()

    def end(self, event: Over, closed: str | None, slow: int | None = None) -> None:
        """
        The match is over.

        :param closed: why there will be no other one; `None`: there may be
        :param slow: its number, if it was slow
        """
        handle = self.handle
        group = self._group_of(handle.n)
        group.draw = bool(group.sentences)  # the last move; the board has not changed if a player left
        group.end = [ended(event.result, self.names, handle.seat, self.resigned)]
        if self._refusals_due:
            group.end.append("What you typed after the end was not played.")
        another = (
            f"For another match, type: play {handle.game}" if slow is None else f"For a rematch, type: rematch {slow}"
        )
        group.end.append(another if closed is None else sentence(closed))
        self._refusals_due = 0
        self._judging = False

    # -- done by the person

    def play(self, actions: Sequence[bytes], act: Callable[[Any], bool], seated: Callable[[], bool]) -> None:
        """
        Let the table judge actions in the game's notation, one after the other.

        :param act: acts at the table, and says whether the action was accepted
        :param seated: whether the person still has the seat
        """
        self._answered_at = self.handle.n + len(actions)
        for done, notation in enumerate(actions):
            if not seated():
                return
            if not self.ask(partial(act, self._played.game.read(notation))):
                self._answered_at -= len(actions) - done
                return

    def ask(self, table: Callable[[], bool]) -> bool:
        """
        Ask the table for something. Whether it was accepted.

        :param table: asks, and says whether it was accepted
        """
        self._judging = self._printer.awaiting = True
        accepted = table()
        if not accepted and self._judging:
            self._refusals_due += 1
        self._judging = False
        return accepted

    def offer(self, offer: Offer) -> None:
        self.ask(partial(self.handle.offer, offer))

    def answer(self, accepted: bool) -> None:
        """Accept or decline what the opponent offers."""
        if self._offered is None:
            raise NotNow("Nothing is offered to you.")
        self.ask(partial(self.handle.answer, self._offered, accepted))

    def offered(self, event: Offered) -> str:
        """The sentence about an offer: the own one, or the opponent's."""
        self._judging = self._printer.awaiting = False
        draw, names, seat = event.offer is Offer.DRAW, self.handle.names, self.handle.seat
        if event.seat == seat:
            words = "You offer a draw." if draw else "You ask to take your move back."
            return f"{words} {names[1 - seat]} has to agree."
        self._offered = event.offer
        words = "offers a draw" if draw else "asks to take a move back"
        return f"{names[event.seat]} {words}. Type accept or decline, or play on."

    def declined(self, event: Declined) -> str:
        """The sentence about an offer that has ended."""
        self._offered = None
        self._judging = self._printer.awaiting = False
        if event.offer is Offer.TAKEBACK:
            return "The move stands."
        return "Your draw is declined." if event.seat == self.handle.seat else "The draw is not offered any more."

    def show_board(self) -> None:
        self._printer.show(framed(self.screen.draw(self._printer.style)))
        self._printer.print(self.screen.prompt_line())

    def show_moves(self, wanted: Sequence[str]) -> None:
        """
        List legal moves.

        :param wanted: only moves with these words in them; none: all
        """
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
        clocks, due = self.handle.clocks, self.handle.due
        if clocks is not None:
            self._printer.print(clock_line(self.names, clocks))
        if due is not None:
            self._printer.print(due_line(due, acts=self.screen.turn))
        elif clocks is None:
            self._printer.print("This match has no clocks. To play with them, type: play onitama game_time=300")


#: The number of moves that `history` shows by default, and at most.
USUAL, MOST = 20, 200
#: `next` and `back` go so far at most.
FAR = 10_000

_ASKING = "A record is being read. Wait for it."
_NO_REPLAY = "You go through no match. Type replay and the number of one."


class Replay:
    """
    A match, and the step up to which it is shown. Each step is a move; the events before the first one are the
    beginning.

    :param new_screen: makes a watcher's screen
    :param told: the public history
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
        #: The entry of each step.
        self._entries: list[int] = []
        self._opening: list[tuple[Any, Any]] = []
        self._steps: list[list[tuple[Any, Any]]] = []
        self._follow = played.game.follow
        self._all_events = told.all_events
        #: The views of all seats, and how many of all events are in them.
        self._views: list[Any] = []
        self._followed = 0
        # Sort the events of each entry: a move taken back removes steps, a move is a new step, and other events belong
        # to the step before them.
        for number, group in groupby(pairs, itemgetter(0)):
            events = [event for _, event in group]
            undone = sum(moves_undone(message) for _, message in events)
            if undone:
                del self._entries[-undone:], self._steps[-undone:]
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
        """Go to the place after a number of steps. Return the sentences of the last one."""
        self.at = at
        screen = self.screen = self._new_screen()
        said: list[str] = []
        for event in self._opening:
            screen.hear(*event)
        for events in self._steps[:at]:
            said = [sentence for event in events for sentence in screen.hear(*event)]
        return said

    def go(self, steps: int) -> list[str]:
        """Go forward by a number of steps, or back; not beyond the ends. Return the sentences of the last one."""
        at = max(0, min(self.length, self.at + steps))
        if at == self.at + 1:
            self.at = at
            return [sentence for event in self._steps[at - 1] for sentence in self.screen.hear(*event)]
        return self._show(at)

    def lines(self, style: Style) -> list[str]:
        if self._all_events:
            self.screen.revealed = self._views_of_all()
        return framed(self.screen.draw(style))

    def _views_of_all(self) -> list[Any]:
        """The views of all seats at this step. A step forward handles only the new events."""
        end = self._entries[self.at] if self.at < self.length else FAR + self._all_events[-1][0]
        if not self._followed or self._all_events[self._followed - 1][0] >= end:
            self._views, self._followed = [None] * len(self.names), 0
        for number, to in self._all_events[self._followed :]:
            if number >= end:
                break
            self._followed += 1
            for seat in map(Seat, range(len(self.names))):
                if to.audience is None or seat in to.audience:
                    self._views[seat] = self._follow(self._views[seat], to.event, seat)
        return self._views

    def move_of(self, entry: int) -> int:
        """The number of the move to which an entry of the record belongs."""
        return min(bisect_left(self._entries, entry) + 1, self.length)

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


class WatchedTable:
    """
    The encoder of a gallery, for one table.

    :param games: by their names
    :param screens: by the same names
    """

    def __init__(self, games: Mapping[str, PlayedGame], screens: Mapping[str, NewScreen]) -> None:
        self._games = games
        self._screens = screens
        self._screen: Screen[Any] | None = None
        #: The player to move; empty: none, the match is over.
        self._waits_for = ""
        #: The boards that have been drawn since this changed.
        self._boards: dict[Style, list[str]] = {}

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """The state of the match, for new watchers."""
        game = table.game.name
        names = as_shown(table.names, table.shown_as)
        screen = self._screen = self._screens[game](None, names)
        screen.show(look.view)
        self._wait_for(screen.prompt_line())
        sentences = [f"You watch match {table.id}: {title(game)}, {versus(names)}."]
        if delay:
            sentences.append(f"You see everything {delay:g} s later than the players.")
        if look.away is None:
            sentences.append("Another host of the cluster plays this match. It is not known here who is away.")
        else:
            sentences += [f"{names[seat]} is away." for seat in look.away]
        return _lines(sentences)

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        """The sentences about an event. Nothing, if there are none."""
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
                self._waits_for = ""
                return _lines([ended(result, names, None), f"To go through the moves, type: replay {table.id}"])
        if self._screen is None:
            return b""
        told = self._games[table.game.name].messages.event(event)
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
        """The board, and the player to move. Until the player to move changes, it is the same list."""
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
    """The games of a listener, and the shared parts of watchers."""

    #: The wire's name, for the lobby.
    wire: str
    #: By their names.
    games: Mapping[str, PlayedGame]
    #: The functions that make their screens, by the same names.
    screens: Mapping[str, NewScreen] = field(
        init=False,
        default=Factory(lambda self: {name: screen_of(one.game) for name, one in self.games.items()}, takes_self=True),
    )
    #: One for each table that is watched.
    _watched: "WeakValueDictionary[TableId, WatchedTable]" = field(factory=WeakValueDictionary)

    def watched(self, table: TableId) -> WatchedTable:
        found = self._watched.get(table)
        if found is None:
            found = self._watched[table] = WatchedTable(self.games, self.screens)
        return found


@define(eq=False)
class Looking:
    """
    The lists and matches that one person looks at, besides the own match.

    :param address: where the client is
    :param write_collected: writes what is collected of the own match
    :param seat: the seat in the own match; `None`: there is none
    """

    _printer: Printer
    _directory: MatchDirectory
    _studies: Studies
    _options: ConsoleOptions
    address: str
    _write_collected: Callable[[], None]
    _seat: Callable[[], SeatHandle[Any] | None]
    #: The own match, that of now or the last one, and its code.
    played: tuple[TableId, str] | None = None
    #: The match of others that is being watched.
    _watching: TableId | None = None
    _code: str = ""
    _watched: WatchedTable | None = None
    #: Its board, as it was shown last.
    _board: list[str] = field(factory=list)
    _replay: Replay | None = None
    _replayed: str = ""
    #: Whether a question is running, and the function that cancels it.
    _asking: bool = False
    _withdraw: Callable[[], None] = lambda: None

    def board(self) -> list[str] | None:
        """The board of the match that is replayed or watched; `None`: there is none."""
        if self._replay is not None:
            return self._replay.lines(self._printer.style)
        return None if self._watched is None else self._watched.board(self._printer.style)

    def stop(self) -> None:
        self._replay = None
        self.stop_watching()

    def state(self) -> dict[str, Any] | None:
        """
        The state that another host of a cluster needs to continue; `None`: an answer is being computed. A replay is not
        continued.
        """
        return None if self._asking else {"played": self.played, "watching": self._watching, "code": self._code}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Continue for another host. The match that is watched is shown again."""
        self.played = None if state["played"] is None else tuple(state["played"])
        if state["watching"] is not None:
            self.watch([f"{state['watching']}-{state['code']}" if state["code"] else str(state["watching"])])

    # -- a match of others

    def watch(self, words: list[str]) -> None:
        """Watch a match, and stop watching any other one."""
        table, code = table_and_code(words, "watch 3")
        handle = self._seat()
        if handle is not None and handle.table == table:
            self._printer.refuse("You play in this match yourself. Type board to see it.")
            return
        self.stop_watching()
        self._watched = self._options.watched(table)
        self._watching, self._code, self._board = table, code, []
        self._printer.awaiting = True
        try:
            self._directory.watch(table, self, self._watched, code)
        except WatchRefused as refusal:
            self._watching = self._watched = None
            self._printer.awaiting = False
            self._printer.refuse(f"{sentence(str(refusal))} Type tables to see what is played.")

    def unwatch(self, words: list[str]) -> None:
        if self._watching is None:
            raise NotNow("You look on at no match. Type tables to see what is played.")
        self.stop_watching()
        self._printer.print("You look on no longer.")

    def stop_watching(self) -> None:
        """Stop watching the match of others."""
        if self._watching is not None:
            table, self._watching, self._watched = self._watching, None, None
            self._directory.unwatch(table, self)

    def tell(self, data: bytes) -> None:
        """Show an event in the match of others; called by its gallery."""
        watched = self._watched
        if watched is None:
            return
        self._write_collected()
        self._printer.awaiting = False
        playing = self._seat() is not None
        before = f"Match {self._watching}: " if playing else ""
        self._printer.print(*(before + text for text in data.decode("utf-8").splitlines()))
        board = watched.board(self._printer.style)
        # A player is shown the board of others once, and then what happens there in a line.
        if board is not self._board and not (playing and self._board):
            self._board = board
            self._printer.show(board)
        self._printer.prompt()

    def closed(self, table: TableId) -> None:
        """The match of others is over, or has stopped."""
        if table == self._watching:
            self._watching = self._watched = None

    # -- what has been played

    def history(self, words: list[str]) -> None:
        """The moves of the own match, that of now or the last one, or of the one that is watched or replayed."""
        count = count_of(words, USUAL, MOST)
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
        moves = replay.sentences()
        if not moves:
            self._printer.print("Nothing has been played yet.")
        if len(moves) > count:
            self._printer.print(f"The last {count} of {len(moves)}; for all of them, type: history {len(moves)}")
        self._printer.show(moves[-count:] if count else [])

    def replay(self, words: list[str]) -> None:
        """Go through a match from its beginning; without a number, through the last one."""
        table, code = self.played if self.played and not words else table_and_code(words, "replay 3")
        self._ask_record(table, code, partial(self._begin_replay, table))

    def _begin_replay(self, table: TableId, replay: Replay) -> None:
        self._replay = replay
        # Nobody is a winner before the end is shown: the first words are the names alone.
        self._printer.print(
            f"Match {table}: {self._replayed}, {counted(replay.length, 'move')}. Type next, or next 5; back goes back."
        )
        self._printer.show(replay.lines(self._printer.style))

    def study(self, words: list[str]) -> None:
        """The turning point of a finished match; without a number, of the last one."""
        table, code = self.played if self.played and not words else table_and_code(words, "study 3")
        self._ask_record(table, code, partial(self._begin_study, table, code))

    def _begin_study(self, table: TableId, code: str, replay: Replay) -> None:
        games = {name: played.game for name, played in self._options.games.items()}

        def tell(study: Study) -> None:
            self._printer.listing(study_page(study, replay.names, replay.move_of, table))

        if replay.result is not None:
            self._printer.print("A house player looks at each move. This takes some seconds.")
        self._withdraw = self._studies.ask(self.address, table, code, games, *self._waiting_for(tell))

    def step(self, words: list[str], way: int = 1) -> None:
        """Go forward or back in the match that is replayed."""
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
        """Finished matches, of all players or of one."""
        finished, name = self._directory.finished, sought_key(words[0]) if words else ""

        async def found() -> Found:
            matches, _ = await finished.newest(None, RECORDS, name=name)
            return _listing(records(matches), LIST_SECONDS)

        self._ask(("records", finished.ended, name), found, self._printer.listing)

    def ladder(self, words: list[str]) -> None:
        """
        Show the ladder: how often each player has won.

        :raises NotUnderstood: there is no such game
        """
        game = game_named(list(words), self._options.games) if words else ""

        async def found() -> Found:
            tally = await self._directory.finished.tally()
            lines = await self._directory.questions.in_slices(ladder(tally, game))
            return _listing(lines, self._directory.finished.seconds_left(tally))

        self._ask(("ladder", self._directory.finished.edition, game), found, self._printer.listing)

    def _ask(self, key: Hashable, work: Work, answer: Callable[[Any], None]) -> None:
        """Start a question. Only one is allowed at a time, and each has to wait for its turn."""
        if self._asking:
            raise NotNow(_ASKING)
        tell = self._directory.questions.tell
        self._withdraw = tell(self.address, ("console", key), work, *self._waiting_for(answer))

    def _waiting_for(
        self, answer: Callable[[Any], None]
    ) -> tuple[Callable[[Any], None], Callable[[NotAnswered], None]]:
        """The two callbacks of a question: for its answer, and for the reason why there is none."""
        self._asking = self._printer.awaiting = True

        def told(tell: Callable[[Any], None], found: Any) -> None:
            self._asking = self._printer.awaiting = False
            tell(found)
            self._printer.prompt()

        return partial(told, answer), partial(told, lambda refusal: self._printer.refuse(sentence(str(refusal))))

    def _ask_record(self, table: TableId, code: str, done: Callable[[Replay], None]) -> None:
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            asked = self._directory.history(table, None, code, games)
        except WatchRefused as refusal:
            self._tell_record(done, ("", refusal))
            return

        async def found() -> Found:
            told = await asked.read()
            lasting = asked.lasting and not isinstance(told[1], WatchRefused)
            return Found(told, EVENT_BYTES * len(told[1].events) if lasting else 0)  # type: ignore[union-attr]

        self._ask(asked.key, found, partial(self._tell_record, done))

    def _tell_record(self, done: Callable[[Replay], None], found: Told) -> None:
        game, told = found
        if isinstance(told, WatchRefused):
            self._printer.refuse(
                f"{sentence(str(told))} Type tables for those that are played, or records for finished ones."
            )
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
