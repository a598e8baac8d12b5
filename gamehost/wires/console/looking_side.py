"""What a person looks at: the lists, the moves of a match, a match of others while it is played, and one that is replayed."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from gamehost.accounts.names import key_of
from gamehost.journal.records import TableId
from gamehost.lobby.finished import LIST_SECONDS
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.questions import Found, NotAnswered, Work
from gamehost.lobby.watching import EVENT_BYTES, Told
from gamehost.tables.gallery import WatchRefused
from gamehost.wires.console import listings
from gamehost.wires.console.asking import count_of, table_and_code
from gamehost.wires.console.commands import game_named
from gamehost.wires.console.match_side import MatchSide
from gamehost.wires.console.messages import Message
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.replay import Replay
from gamehost.wires.console.watched_table import WatchedTable
from gamehost.wires.console.words import counted, ended, sentence, title
from gamehost.wires.conversation import Peer

#: So many moves `history` shows unless it is told otherwise, and at most.
USUAL, MOST = 20, 200
#: `next` and `back` go so far at most.
FAR = 10_000

_ASKING = "A record is being read. Wait for it."
_NO_REPLAY = "You go through no match. Type replay and the number of one."


class LookingSide(MatchSide):
    """What a person looks at, beside the own match."""

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, options)
        self._spectators = lobby.spectators
        #: The match of others that is told.
        self._watching: TableId | None = None
        self._code = ""
        self._watched: WatchedTable | None = None
        #: Its board, as it was shown last.
        self._board: list[str] = []
        self._replay: Replay | None = None
        self._replayed = ""
        #: Whether something is looked up, and what is called to wait for it no longer.
        self._asking = False
        self._withdraw: Callable[[], None] = lambda: None

    # -- lists

    def who(self, words: list[str]) -> None:
        """Who is here."""
        self._printer.listing(listings.people(self._directory.people(), self._directory.waiting()))

    def list_tables(self, words: list[str]) -> None:
        """Which matches are played."""
        self._printer.listing(listings.tables(self._directory.tables()))

    def list_waiting(self, words: list[str]) -> None:
        """Who waits for opponents."""
        self._printer.listing(listings.waiting(self._directory.waiting(), list(self._options.games)))

    # -- a match of others

    def watch(self, words: list[str]) -> None:
        """Look on at a match, and at no other one any more."""
        table, code = table_and_code(words, "watch 3")
        if self.handle is not None and self.handle.table == table:
            self._refuse("You play in this match yourself. Type board to see it.")
            return
        self.stop_watching()
        self._watched = self._options.watched(table)
        self._watching, self._code, self._board = table, code, []
        self._awaiting = True
        try:
            self._spectators.watch(table, self, self._watched, code)
        except WatchRefused as refusal:
            self._watching = self._watched = None
            self._awaiting = False
            self._refuse(f"{sentence(str(refusal))} Type tables to see what is played.")

    def unwatch(self, words: list[str]) -> None:
        """Look on no longer."""
        if self._watching is None:
            self._refuse("You look on at no match. Type tables to see what is played.")
            return
        self.stop_watching()
        self._printer.print("You look on no longer.")

    def stop_watching(self) -> None:
        """Be told nothing more of the match of others."""
        if self._watching is not None:
            table, self._watching, self._watched = self._watching, None, None
            self._spectators.unwatch(table, self)

    def tell(self, data: bytes) -> None:
        """What happened in the match of others; told by its gallery."""
        watched = self._watched
        if watched is None:
            return
        self._flush()
        self._awaiting = False
        playing = self.handle is not None
        before = f"Match {self._watching}: " if playing else ""
        self._printer.print(*(before + text for text in data.decode("utf-8").splitlines()))
        board = watched.board(self._printer.style)
        if board is not self._board and not playing:
            self._board = board
            self._printer.show(board)
        self._prompt()

    def closed(self, table: TableId) -> None:
        """The match of others is over, or cannot go on."""
        if table == self._watching:
            self._watching = self._watched = None

    # -- what has been played

    def history(self, words: list[str]) -> None:
        """The moves of the own match, that of now or the last one, or of the one that is watched or replayed."""
        count = count_of(words, USUAL, MOST)
        if self._replay is not None and self.handle is None:
            self._tell_moves(count, self._replay)
            return
        played = self._played
        if self._watching is not None and self.handle is None:
            played = (self._watching, self._code)
        if played is None:
            self._refuse("No match is on. Type records to see finished ones, or play onitama to begin one.")
            return
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
        table, code = self._played if self._played and not words else table_and_code(words, "replay 3")
        self._ask_record(table, code, partial(self._begin_replay, table))

    def _begin_replay(self, table: TableId, replay: Replay) -> None:
        self._replay = replay
        # Nobody is a winner before the end is shown: the first words are the names alone.
        self._printer.print(
            f"Match {table}: {self._replayed}, {counted(replay.length, 'move')}. Type next, or next 5; back goes back."
        )
        self._printer.show(replay.lines(self._printer.style))

    def step(self, words: list[str], way: int = 1) -> None:
        """Go on in the match that is replayed."""
        replay = self._replay
        if replay is None:
            self._refuse(_NO_REPLAY)
            return
        before = replay.at
        said = replay.go(way * count_of(words, 1, FAR))
        if replay.at == before:
            self._refuse("This is the last move. Type back." if way > 0 else "This is the beginning. Type next.")
            return
        where = f"Move {replay.at} of {replay.length}." if replay.at else "The beginning."
        self._printer.print(" ".join((where, *said)))
        self._printer.show(replay.lines(self._printer.style))
        if replay.at == replay.length and replay.result is not None:
            self._printer.print(ended(replay.result, replay.names, None))

    def step_back(self, words: list[str]) -> None:
        """Go back in the match that is replayed."""
        self.step(words, -1)

    def records(self, words: list[str]) -> None:
        """Finished matches, of all players or of one."""
        finished, name = self._spectators.finished, key_of(words[0]) if words else ""

        async def found() -> Found:
            matches, _ = await finished.newest(None, listings.RECORDS, name=name)
            return _listing(listings.records(matches), LIST_SECONDS)

        self._ask(("records", finished.ended, name), found, self._list)

    def ladder(self, words: list[str]) -> None:
        """
        Who has won how often.

        :raises NotUnderstood: there is no such game
        """
        game = game_named(list(words), self._options.games) if words else ""

        async def found() -> Found:
            tally = await self._spectators.finished.tally()
            return _listing(listings.ladder(tally, game), self._spectators.finished.seconds_left(tally))

        self._ask(("ladder", self._spectators.finished.edition, game), found, self._list)

    def _list(self, lines: list[str]) -> None:
        self._printer.listing(lines)

    def _ask(self, key: Hashable, work: Work, answer: Callable[[Any], None]) -> None:
        """Have something looked up. One question at a time, and each has to wait for its turn."""
        if self._asking:
            self._refuse(_ASKING)
            return
        self._asking = self._awaiting = True

        def answered(found: Any) -> None:
            self._asking = self._awaiting = False
            answer(found)
            self._prompt()

        def refused(refusal: NotAnswered) -> None:
            self._asking = self._awaiting = False
            self._refuse(sentence(str(refusal)))
            self._prompt()

        self._withdraw = self._spectators.questions.tell(self.peer.address, ("console", key), work, answered, refused)

    def _ask_record(self, table: TableId, code: str, done: Callable[[Replay], None]) -> None:
        """Have a record read."""
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            asked = self._spectators.history(table, None, code, games)
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
            self._refuse(f"{sentence(str(told))} Type tables for those that are played, or records for finished ones.")
        elif told.events and told.events[0][0] > 1:
            self._refuse("This match is too long to be gone through here.")
        else:
            self._replayed = title(game)
            kind, face = self._options.screens[game], self._options.games[game].face
            done(Replay(lambda: kind.new(None, told.names), face, told))

    def end(self) -> None:
        """The connection is gone: nothing is told to it any more."""
        self._withdraw()
        self.stop_watching()
        super().end()


def _listing(lines: list[str], seconds: float) -> Found:
    return Found(lines, sum(map(len, lines)), seconds)
