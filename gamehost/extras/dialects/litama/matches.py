"""
The matches of this wire: the players of their seats, their states, and the connections that receive the states.

On this wire, a seat does not belong to a connection. Any connection that sends the token of a seat can move for it. So
the player in the lobby is a `SeatPlayer`, which exists as long as any connection that has used its token. A match is
found by its id: in memory while a connection of this wire uses it, otherwise in the journal.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hmac import compare_digest
from typing import Any, Protocol

from attrs import define, field

from gamehost.extras.dialects.litama.messages import Standing
from gamehost.extras.dialects.litama.rendering import colour_of, seat_of_blue, standing, waiting
from gamehost.extras.dialects.litama.views import View, position_after, start_of
from gamehost.games.base import Result
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, TakenBack
from gamehost.games.onitama.rules import Exchange, Position
from gamehost.journal.records import EntryKind, TableId, TableRecord
from gamehost.journal.replay import History
from gamehost.lobby.directory import MatchDirectory
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import IssuedKey, Session
from gamehost.tables.interfaces import (
    Archived,
    Back,
    Displaced,
    Look,
    NoNewMatches,
    Over,
    Refused,
    SeatHandle,
    Suspended,
    Unmatched,
)
from gamehost.wires.base import DISPLACED, SUSPENDED, UNMATCHED, Peer


class Connection(Protocol):
    """The methods of a conversation that matches and seats call."""

    peer: Peer[Any]
    handle: SeatHandle[Any] | None
    log: Any

    def lose(self, seat: "SeatPlayer") -> None:
        """Called when a seat of this connection was given up."""

    def moved(self, match_id: str) -> None:
        """Called when the move of this connection was accepted."""

    def refused(self, reason: str) -> None:
        """Called when the table has refused the move of this connection."""

    def too_late(self, match_id: str) -> None:
        """Called when the match has ended before the move of this connection."""

    def tell_state(self, match_id: str, standing: Standing) -> None:
        """Sends the state of a match."""

    def tell_failure(self, match_id: str, why: str) -> None:
        """Sends an error: a match cannot continue."""

    def go_on(self) -> None:
        """Handles the messages that have come while a command was being answered."""

    def exchange(self) -> None:
        """Exchanges a card in each match that waits for this."""

    def rest(self) -> None:
        """Called when a match of this connection has ended."""


#: The error to spectators of a match that will not begin.
GONE = "the player who waited is gone"
#: The error to all connections of a match if its record cannot be read.
NO_RECORD = "the record of this match cannot be read now"


@define(eq=False)
class SeatPlayer:
    """
    The player of a seat of a match, for the lobby and the table. It passes events to the match.

    :param name: the name as the client has sent it
    :param index: 0 for the creator of the match, 1 for the other player
    :param seat: the seat of White or Black; `None`: the match has not begun
    """

    match: "Match"
    name: str
    index: int
    seat: int | None = None
    session: Session | None = None
    handle: SeatHandle[Any] | None = None
    #: The connections that have used the token.
    owners: dict[Connection, None] = field(factory=dict, repr=False)
    #: The connection that waits for the answer to its move.
    sender: Connection | None = None
    #: Functions that continue the commands which wait until the seat has been taken back.
    ready: list[Callable[[], None]] = field(factory=list, repr=False)
    #: Whether the lobby is taking the seat back, and whether the table has reported the return meanwhile.
    returning: bool = False
    _returned: bool = False

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Called when the player has a seat at a table."""
        self.handle, self.seat = handle, handle.seat
        for owner in self.owners:
            owner.handle = handle

    def deliver(self, event: Any) -> None:
        """Called with each event of the table or the queue. An exception in it closes the seat's connections."""
        try:
            self._deliver(event)
        except Exception:
            for owner in self.owners:
                owner.log.failure("telling a {event} failed", event=type(event).__name__)
                owner.peer.hang_up("a fault of the host")

    def _deliver(self, event: Any) -> None:
        """Passes an event to the match. After events that end the match, the seat is given up."""
        match event:
            case Dealt(position):
                self.match.begin(self, position)
            case Moved() | Exchanged() | TakenBack():
                self.match.happened(self, event)
            case Refused(error):
                self.answer(lambda sender: sender.refused(str(error)))
            # This player itself is back.
            case Back(seat, view) if self.handle is not None and seat == self.handle.seat and view is not None:
                # The match was not followed while it slept.
                if self.match.outer.spectators:
                    self.match.follow()
                self.match.returned(self, view.position, self.handle.n)
            case Over(result):
                self.match.end(self, result)
                self.leave()
                self.be_ready()
            case Suspended():
                self.match.fail(SUSPENDED)
                self.leave()
                self.be_ready()
            case Displaced():  # another member of a cluster has the session
                for owner in self.owners:
                    owner.tell_failure(self.match.id, DISPLACED)
                self.leave()
                self.be_ready()
            case Unmatched():
                self.match.fail(UNMATCHED)
                self.leave()
            case NoNewMatches(why):
                self.match.fail(why)
                self.leave()

    def answer(self, say: Callable[[Connection], None]) -> None:
        """
        Answers the connection that waits for the result of its move, if there is one.

        :param say: sends the answer
        """
        sender, self.sender = self.sender, None
        if sender is not None:
            say(sender)
            sender.go_on()

    def be_ready(self) -> None:
        """
        Called when the player is back and the state of the match is known, or when the match is over. Continues the
        commands that wait for this.
        """
        self._returned = True
        # The lobby may not have answered yet: then `is_back` calls this again.
        if not self.returning:
            ready, self.ready = self.ready, []
            for go_on in ready:
                go_on()
            if self.must_exchange:
                self.match.exchange_later(self)

    def is_back(self, session: Session) -> None:
        """Called when the lobby has taken the seat back. The table may have reported the return before."""
        self.returning = False
        # The match may have ended meanwhile.
        if self in self.match.players:
            self.session = session
        else:
            self.match.lobby.leave(session, self)  # the match is over
        if self._returned:
            self.be_ready()

    def leave(self) -> None:
        """
        Removes this player from the match, because no connection with its token is left, or the match is over. The seat
        itself is reserved for some time by the table.
        """
        for owner in tuple(self.owners):
            owner.lose(self)
        self.owners.clear()
        session, self.session, self.handle = self.session, None, None
        self.match.players.remove(self)
        if session is not None:
            self.match.lobby.leave(session, self)
        self.match.forget_if_idle()

    @property
    def must_exchange(self) -> bool:
        """
        Whether it is this seat's turn, and it has no legal move. The protocol has no message for exchanging a card, so the wire
        does it.
        """
        position = self.match.inner.position
        if position is None or self.handle is None or self.match.inner.winner is not None:
            return False
        return position.turn == self.handle.seat and next(position.moves(), None) is None

    def exchange(self) -> None:
        """Exchanges a card of the seat for the spare card, if the seat must do that."""
        position = self.match.inner.position
        if self.must_exchange and position is not None and self.handle is not None:
            # The first of the two cards.
            self.handle.act(Exchange(position.hands[position.turn][0]))


@define(eq=False)
class Match:
    """A match of this wire, which waits for a second player or has begun: its players, and its state for all connections."""

    id: str
    lobby: Lobby
    registry: "Matches"
    #: The players of seats with a connection. While the match waits, this is its creator.
    players: list[SeatPlayer] = field(factory=list)
    #: The names and indices of White and Black, after the beginning.
    names: Sequence[str] = ()
    indices: Sequence[int] = ()
    #: For White and Black, the name in the lobby and the digest of the token, by which a seat is taken back.
    sessions: Sequence[tuple[str, str]] = ()
    #: The position at the beginning; `None`: the match has not begun.
    start: Position | None = None
    #: The view for the players, and the view for all other spectators. The host may delay moves for the latter.
    inner: View = field(factory=View)
    outer: View = field(factory=View)
    #: The whole record as it was read last. It may contain moves that spectators may not know yet.
    _history: History[Any] | None = field(default=None, repr=False)
    #: Functions that are called when all moves of a view are known.
    _waiting: list[tuple[View, Callable[[], None]]] = field(factory=list, repr=False)
    #: Called when the match begins: answers the player that has joined it.
    _greeting: Callable[[], None] | None = None
    #: Ends following the match for spectators; `None`: the match is not followed.
    _stop: Callable[[], None] | None = None

    @classmethod
    def of(cls, match_id: str, lobby: Lobby, registry: "Matches", record: TableRecord) -> "Match":
        """Makes a match from its record. The caller must add the events with `learn`."""
        self = cls(match_id, lobby, registry)
        self._know(record.opening.note, [(seat.name, seat.key_digest) for seat in record.opening.seats])
        return self

    def learn(self, record: TableRecord, history: History[Any], shown: int) -> None:
        """
        Adds facts from the record that are not known here.

        :param history: all events of the record
        :param shown: the number of the last entry that spectators may know
        """
        self.start = self.start or start_of(history)
        # An older record may come later.
        if self._history is None or history.n >= self._history.n:
            self._history = history
        # The state for spectators, and the end if they may know it.
        outer, position = self.outer, position_after(history, shown)
        if position is not None and (shown > outer.n or not outer.known):
            outer.jump(position, shown)
        # Spectators may know everything, so also the end.
        if shown == history.n >= outer.n:
            if history.result is not None:
                outer.end(self._winner(history.result))
            # The match was archived without an end.
            elif record.entries and record.entries[-1].kind is EntryKind.ARCHIVED:
                outer.end("none")
        # The moves of both views. Then call the functions that wait for them.
        for view in (self.inner, outer):
            view.learn(history)
        waiting, self._waiting = self._waiting, []
        for view, then in waiting:
            if view.known:
                then()
            else:
                self._waiting.append((view, then))

    def _know(self, note: Callable[[int], str], sessions: Sequence[tuple[str, str]]) -> None:
        """
        Reads names and indices from the notes of the seats. A note has the id of the match, the index, and the name as
        it was sent.

        :param note: returns the note of a seat
        :param sessions: the name and the digest of the token of each seat
        """
        notes = [note(seat).removeprefix(f"{self.id} ").partition(" ") for seat in range(len(sessions))]
        self.sessions = tuple(sessions)
        # A seat without a note belongs to a player on another wire. It has the name of its session.
        self.names = [sent if index else sessions[seat][0] for seat, (index, _, sent) in enumerate(notes)]
        # Only the creator has the index 0.
        self.indices = [0 if index == "0" else 1 for index, _, _ in notes]

    @property
    def table(self) -> TableId:
        """The number of the match's table."""
        return table_of(self.id)

    @property
    def waits(self) -> bool:
        """Whether the match has not begun."""
        return self.start is None

    def creator(self) -> SeatPlayer | None:
        """Returns the player that waits for an opponent in this match; `None`: the match has begun."""
        return self.players[0] if self.waits and self.players else None

    def seat_of(self, token: str) -> int | None:
        """Returns the seat with a token; `None`: no seat has it. While the match waits, its creator has seat 0."""
        sessions = self.sessions or [("", one.session.key_digest) for one in self.players if one.session is not None]
        digest = IssuedKey(token, True).digest
        # Compares in constant time.
        return next((seat for seat, (_, known) in enumerate(sessions) if compare_digest(known, digest)), None)

    def player_in(self, seat: int) -> SeatPlayer | None:
        """Returns the player of a seat; `None`: no connection has used its token. The seat may still be taken back now."""
        return next((one for one in self.players if one.seat == seat), None)

    def view_of(self, conversation: Connection) -> View:
        """Returns the view that a connection may see: that of the players, or that of all other spectators."""
        return self.inner if any(conversation in one.owners for one in self.players) else self.outer

    def knows(self, view: View) -> bool:
        """Returns whether the state for a view is known. If not, the record must be read."""
        # Before the match begins, only its creator is needed.
        if self.waits:
            return bool(self.players)
        # Spectators need a match that is followed.
        return view.known and (view is self.inner or self._stop is not None)

    def standing(self, view: View) -> Standing | None:
        """Returns the `state` message for a view; `None`: the state is not known yet."""
        creator = self.creator()
        if creator is not None:
            return Standing(waiting(self.id, creator.name))
        if self.start is None or view.position is None or not view.known:
            return None
        # The message is made once after each change.
        if view.told is None:
            now = (self.start, view.position, view.moves, view.winner)
            view.told = Standing(standing(self.id, self.names, self.indices, *now))
        return view.told

    def has_spectator(self, connection: Connection) -> bool:
        """Returns whether a connection receives the state of the match after each change."""
        return connection in self.inner.spectators or connection in self.outer.spectators

    def broadcast(self, view: View) -> None:
        """Sends the state of the match to all spectators of a view."""
        if view.spectators and (standing := self.standing(view)) is not None:
            for spectator in tuple(view.spectators):
                spectator.tell_state(self.id, standing)

    def when_known(self, view: View, then: Callable[[], None]) -> None:
        """Calls a function when all moves of a view are known: at once, or after the record was read."""
        if self._history is not None:
            view.learn(self._history)
        if view.known:
            then()
            return
        self._waiting.append((view, then))
        concerned = [*view.spectators, *(owner for player in self.players for owner in player.owners)]
        # The first one that waits begins the read; nobody reads for a match without connections.
        if concerned and len(self._waiting) == 1:
            directory = self.registry.directory
            # Equal keys share one read. An earlier read may be older than this view, so the key contains the view's beginning.
            key = ("litama", self.id, view.begun)
            work = directory.find(self.id, ONITAMA)
            directory.questions.tell(concerned[0].peer.address, key, work, self._read, lambda refusal: self._read(None))

    def _read(self, answer: Any) -> None:
        """Called with the record, or `None` if it cannot be read. Without the moves, the match cannot continue on this wire."""
        if answer is not None:
            self.learn(*answer)
        # Somebody still waits, so the record does not have the moves.
        if self._waiting:
            self._waiting.clear()
            self.fail(NO_RECORD)
            for player in tuple(self.players):
                for owner in tuple(player.owners):
                    owner.peer.hang_up(NO_RECORD)

    def returned(self, player: SeatPlayer, position: Position, n: int) -> None:
        """
        Called when a player is back at the table. It is ready when the moves of the match are known.

        :param n: the number of the last entry
        """
        # No other player was at the table, so this position is the newest one.
        alone = all(one is player or one.handle is None for one in self.players)
        if alone and (n > self.inner.n or not self.inner.known):
            self.inner.jump(position, n)
        self.when_known(self.inner, player.be_ready)

    # -- what the table says

    def begin(self, player: SeatPlayer, position: Position) -> None:
        """Called for each player when the match begins. The first call sends the state to all."""
        if self.start is None:
            assert player.session is not None and player.session.table is not None and player.handle is not None
            settings = player.session.table.settings
            match = [(one.name, one.key_digest) for one in player.session.match]
            self._know(lambda seat: settings.get(f"note.{seat}", ""), match)
            self.start, n = position, player.handle.n
            self._history = History(n, ((n, Dealt(position)),), None)
            self.inner.jump(position, n)
            self.inner.learn(self._history)
            if self._greeting is not None:
                self._greeting()
            self.broadcast(self.inner)
            if self.outer.spectators:
                self.follow()
        # The first player may have no move at the very beginning.
        if player.must_exchange:
            self.exchange_later(player)

    def greet(self, greeting: Callable[[], None]) -> None:
        """Sets a function that is called when the match begins, before its state is sent."""
        self._greeting = greeting

    def happened(self, player: SeatPlayer, event: Moved | Exchanged | TakenBack) -> None:
        """Called for each player after a move. Only the first call changes the view of the players."""
        assert player.handle is not None
        mover = self.player_in(event.seat)
        if mover is not None:
            mover.answer(lambda sender: sender.moved(self.id))
        view = self.inner
        if view.position is not None and player.handle.n > view.n:
            view.happen(event, player.handle.n, self._blue)
            if view.position.won is None:  # otherwise the end follows, with a state that has the winner
                self.broadcast(view)
        if player.must_exchange:
            self.exchange_later(player)

    @staticmethod
    def exchange_later(player: SeatPlayer) -> None:
        """
        Makes a player exchange a card a moment later, because a player may not act while it receives an event. One
        connection of the player does this.
        """
        for owner in player.owners:
            owner.peer.alarm(0.0, owner.exchange)
            return

    def end(self, player: SeatPlayer, result: Result) -> None:
        """Called for each player at the end of the match. The first call sends the state with the winner."""
        # A move of this player was too late.
        player.answer(lambda sender: sender.too_late(self.id))
        if self.inner.winner is None and self.start is not None:
            self.inner.end(self._winner(result))
            self.when_known(self.inner, self._told_the_end)

    def _told_the_end(self) -> None:
        self.broadcast(self.inner)
        self.inner.dismiss()

    @property
    def _blue(self) -> int:
        return 0 if self.start is None else seat_of_blue(self.start)

    def _winner(self, result: Result) -> str:
        """Returns the colour of the winner, or `none`."""
        return colour_of(self.start, result.winners[0]) if result.winners and self.start is not None else "none"

    def fail(self, why: str) -> None:
        """Sends an error to all players and spectators, because the match cannot begin or continue."""
        concerned = {one: None for player in self.players for one in player.owners}
        for one in {**concerned, **self.inner.spectators, **self.outer.spectators}:
            one.tell_failure(self.id, why)
        self.inner.dismiss()
        self.outer.dismiss()

    # -- from the table, for watchers

    def follow(self) -> bool:
        """Begins to follow the match for spectators without a seat. Returns whether it is played now."""
        if self._stop is None:
            self._stop = self.registry.directory.follow(self.table, self)
        return self._stop is not None

    def shown(self, look: Look[Any]) -> None:
        """Called with the current position for spectators."""
        # Newer than what is known.
        if look.n > self.outer.n or not self.outer.known:
            self.outer.jump(look.view.position, look.n)
            self.when_known(self.outer, partial(self.broadcast, self.outer))

    def deliver(self, event: Any, n: int) -> None:
        """
        Called with each event that spectators may know: changes their view, and sends the state.

        :param n: the number of the event's entry
        """
        view = self.outer
        match event:
            # Events up to `n` are in the view already.
            case Moved() | Exchanged() | TakenBack() if view.position is not None and n > view.n:
                view.happen(event, n, self._blue)
                # Otherwise the end follows, with a state that has the winner.
                if view.position.won is None:
                    self.broadcast(view)
            case Over(result):
                view.end(self._winner(result))
                self.when_known(view, self._over)
            case Suspended() | Archived():
                # Nothing more will come from this match.
                self._unfollow()

    def _over(self) -> None:
        self.broadcast(self.outer)
        self._unfollow()

    def _unfollow(self) -> None:
        """Stops following the match for spectators, and removes them."""
        stop, self._stop = self._stop, None
        if stop is not None:
            stop()
        self.outer.dismiss()
        self.forget_if_idle()

    def forget_if_idle(self) -> None:
        """
        Removes the match from memory if no connection of this wire uses it any more. The record in the journal is enough to
        continue the match later.
        """
        if self.waits and not self.players:
            self.lobby.show_match(self.table, waits=False)
            self.fail(GONE)
        if not self.players and not self.outer.spectators:
            self.registry.by_id.pop(self.id, None)
            if self._stop is not None:
                self._unfollow()


def table_of(match_id: str) -> TableId:
    """Returns the number of a match's table, which is in its id."""
    return TableId(int(match_id[:12], 16))


@define(eq=False)
class Matches:
    """The matches in memory, by id."""

    directory: MatchDirectory
    by_id: dict[str, Match] = field(factory=dict)


def matches_of(lobby: Lobby) -> Matches:
    """Returns the matches of a host. All listeners of this wire share them."""
    return lobby.shared("litama", lambda: Matches(lobby.directory))
