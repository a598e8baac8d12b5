"""
The protocol, `->` from the client, `<-` from the server, which writes JSON::

    -> create ann                    <- create ID TOKEN 0      the match waits, for anybody who plays Onitama on this host
    -> join ID bob      (another)    <- join ID TOKEN 1        or exactly this player comes
    -> spectate ID                   <- spectate ID            and state, now and whenever the match has changed
    -> state ID                      <- state                  how it stands
    -> move ID TOKEN tiger c1c3      <- move ID                and state to all who spectate
                                     <- error                  or to the sender alone

A connection may have several matches, and a match several connections, because the token alone is the right to move. So a
conversation has only one state. If a command must wait for the journal, the commands after it wait, too.
"""

import re
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, ClassVar

from msgspec.structs import replace

from gamehost.accounts.names import NameRefused
from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.matches import Match, SeatPlayer, matches_of, table_of
from gamehost.extras.dialects.litama.rendering import read_move
from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.directory import GUEST
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import IssuedKey, Queue, Session
from gamehost.wires.base import AFTER_MATCH_SECONDS, Claim, GuestConversation, Peer, claim_of_table
from gamehost.wires.framing import BYTE_ORDER_MARK, UndecodableLine

UNKNOWN = "Invalid command sent"
NO_ID = "matchId was in an incorrect format"
NOT_FOUND = "Match not found"
NOT_WAITING = "Not allowed to join"
ENDED = "Game ended"
WRONG_TOKEN = "Token is incorrect"
NO_MOVE = "'move' or 'card' not given properly"
NOT_YOUR_TURN = "Cannot move when it is not your turn"
NOT_YOUR_PIECE = "Cannot move opponent's pieces or empty squares"
INVALID = "Invalid move"

#: The most seats that one connection may have at the same time, and the most matches that it may spectate.
MOST_SEATS = 16
MOST_SPECTATED = 64
#: The most commands that may wait after a command that is not answered yet.
MOST_WAITING = 100

_ID = re.compile(r"[0-9a-fA-F]{24}", re.ASCII)


class LitamaState(Enum):
    CONNECTED = "connected"


class LitamaConversation(GuestConversation[m.Message]):
    """
    The conversation on one connection.

    :param strict: whether no extensions are used: no reason for the end of a connection, no token in `spectate`
    :param successor: whether the host behaves as Litama's successor
    """

    FIRST = LitamaState.CONNECTED

    def __init__(
        self, peer: Peer[m.Message], lobby: Lobby, wire: str, queue: Queue, strict: bool, successor: bool
    ) -> None:
        """
        Makes the conversation.

        :param successor: whether the client speaks the successor of the protocol, which closes the connection after an
            error
        """
        super().__init__(peer, lobby, wire, queue, strict)
        self._successor = successor
        self._matches = matches_of(lobby)
        #: The seats with tokens that this connection has used.
        self._seats: list[SeatPlayer] = []
        self._spectated: list[Match] = []
        #: The command that is being answered, and the messages that wait for that.
        self._current: m.Command | None = None
        self._later: deque[m.Message] = deque()
        #: Cancels the read of a record.
        self._withdraw: Callable[[], None] = lambda: None
        #: Whether further messages are ignored.
        self._stopped = False

    # -- one after the other

    def hear(self, message: m.Message) -> None:
        """Handles a message, or stores it until the command before it is answered."""
        if self._current is None or not isinstance(message, m.Command | UndecodableLine):
            super().hear(message)
        elif len(self._later) < MOST_WAITING:
            self._later.append(message)
        else:
            self._hang_up("too many messages wait for an answer")

    def go_on(self) -> None:
        """Called when the current command is answered: handles the messages that have come meanwhile."""
        self._current = None
        # A message may be a command that has to wait again.
        while self._later and self._current is None and not self._stopped:
            super().hear(self._later.popleft())

    def _hang_up(self, reason: str) -> None:
        """Closes the connection. Further messages are ignored."""
        self._stopped = True
        self.peer.hang_up(reason)

    def _fail(self, message: m.Command, error: str) -> None:
        """Answers a command with an error. The successor also closes the connection."""
        self.peer.refuse(m.Failed(message.match_id, error, message.NAME or message.text, message.text))
        if self._successor:
            self._hang_up(error)

    def _with(self, message: m.Command, use: Callable[[Match], None]) -> None:
        """
        Calls a function with the match that a command names: at once, or after the record of the match was read.

        :param use: carries out the command
        """
        if not _ID.fullmatch(message.match_id):
            self._fail(message, NO_ID)
            return
        match_id = message.match_id.lower()
        match = self._matches.by_id.get(match_id)
        # The match is in memory, and so is its state as this connection may see it.
        if match is not None and match.knows(match.view_of(self)):
            use(match)
            return

        def found(answer: Any) -> None:
            """
            Called with the match's record, its history, and what spectators may know; `None`: there is no such match.
            """
            if answer is None:
                self._fail(message, NOT_FOUND)
            else:
                use(self._learned(match_id, *answer))
            # The command may wait for something else now.
            if self._current is message:
                self.go_on()

        def refused(refusal: Exception) -> None:
            """Called if the record cannot be read now."""
            self._fail(message, str(refusal))
            self.go_on()

        self._current = message
        questions, work = self._directory.questions, self._directory.find(match_id, ONITAMA)
        self._withdraw = questions.tell(self.address, (self._wire, match_id), work, found, refused)

    def _learned(self, match_id: str, record: Any, history: Any, shown: int) -> Match:
        """
        Returns the match of a record. If the match is in memory already, its state is completed from the record.

        :param shown: the number of the last entry that spectators may know
        """
        match = self._matches.by_id.get(match_id)
        # A match that waits in memory has begun on another host meanwhile.
        if match is None or match.waits:
            match = Match.of(match_id, self.lobby, self._matches, record)
        match.learn(record, history, shown)
        return match

    # -- from the client

    def create(self, message: m.Create) -> None:
        """Creates a match that waits. Every player of Onitama on this host may become the opponent, on any wire."""
        match = Match(self.lobby.new_match_id(), self.lobby, self._matches)
        entered = self._new_seat(message, match, 0)
        if entered is not None:
            session, answer = entered
            # `number` is the match for which the session waits. It is decided at random whether the creator gets the
            # second seat.
            session.number, session.second = match.table, bool(self.lobby.below(2))
            self.lobby.show_match(match.table, waits=True)
            self._matches.by_id[match.id] = match
            self.peer.say(answer)
            self.lobby.play(session, self._queue)

    def join(self, message: m.Join) -> None:
        """Begins the match that waits under an id."""
        self._with(message, partial(self._join, message))

    def _join(self, message: m.Join, match: Match) -> None:
        """Seats this client and the creator of a match. The answer is sent when the match has begun."""
        creator = match.creator()
        if creator is None or creator.session is None:
            self._fail(message, NOT_WAITING)
            return
        entered = self._new_seat(message, match, 1)
        if entered is None:
            return
        session, answer = entered
        players = [creator.session, session]
        self._current = message
        # Called when the match has begun.
        match.greet(partial(self._joined, answer))
        # Players are given in the order of their seats.
        if not self.lobby.meet(players[:: -1 if creator.session.second else 1], self._queue):
            # They cannot meet, for example because the host closes: take back what was prepared.
            match.greet(lambda: None)
            match.players[-1].leave()
            self._fail(message, NOT_WAITING)
            self.go_on()

    def _joined(self, answer: m.Entered) -> None:
        self.peer.say(answer)
        self.go_on()

    def _new_seat(self, message: m.Create | m.Join, match: Match, index: int) -> tuple[Session, m.Entered] | None:
        """
        Makes a seat in a match that has not begun, with a new token.

        :param index: 0 for the creator of the match, 1 for the other player
        :returns: the session, and the answer to the client; `None`: the command was refused
        """
        if len(self._seats) >= MOST_SEATS:
            self._fail(message, f"this connection has {MOST_SEATS} matches, and no more can be played on it")
            return None
        token, seat = f"{self.lobby.below(2**256):064x}", SeatPlayer(match, message.name, index)
        try:
            session = self.lobby.enter_as(message.name, self._wire, self.address, seat, IssuedKey(token, True))
        except NameRefused as refusal:
            self._fail(message, str(refusal))
            return None
        # If the match is read from its record later, this note says who has which seat.
        session.note = f"{match.id} {index} {message.name}"
        seat.session = session
        match.players.append(seat)
        self._own(seat)
        self.logged_in(session)
        return session, m.Entered(message.NAME, match.id, token, index)

    def _own(self, seat: SeatPlayer) -> None:
        """
        Notes that this connection has used the token of a seat. From now on it sees the match as a player: in the
        `inner` view, which has no delay, and not in the `outer` view of spectators.
        """
        if seat not in self._seats:
            self._seats.append(seat)
            seat.owners[self] = None
            if self in seat.match.outer.spectators:
                del seat.match.outer.spectators[self]
                seat.match.inner.spectators[self] = None
        self.session, self.handle = seat.session, seat.handle

    def claim_of_create(self, message: m.Create) -> Claim | None:
        """Returns the claim of a player's name in the lobby, which other wires will see."""
        name = self.lobby.name_for(message.name)
        return None if name.startswith(GUEST) else Claim(name, stays=True)

    def claim_of_join(self, message: m.Join) -> Claim | None:
        """
        Returns the claim of a player's name, and of the place of the match that waits. If the player gets a name from the
        host, it is only the claim of the match. `None`: the text is not the id of a match.
        """
        claim, place = self.claim_of_create(m.Create(message.name)), self.claim_of_match(message)
        return place if claim is None or place is None else replace(claim, place=place.place, opened=True)

    def claim_of_match(self, message: m.Command) -> Claim | None:
        """
        Returns the claim of the place of a match: in a cluster, the message must be handled by the host where the match
        waits or is played. A match that is over can be read at every host. `None`: the text is not the id of a match, so
        any host can refuse the message.
        """
        if not _ID.fullmatch(message.match_id):
            return None
        # Only `join` needs a match that another client has created and that some host has now.
        return claim_of_table(table_of(message.match_id), isinstance(message, m.Join))

    def parcel(self) -> str | None:
        """
        Returns the state with which another host continues the conversation, which is empty. A client with a match, or one that
        watches a match, cannot move to another host.
        """
        looks = any(match.has_spectator(self) for match in self._spectated)
        return None if self._seats or looks or self._current is not None or self._later else ""

    def state_asked(self, message: m.State) -> None:
        """Answers `state`."""
        self._with(message, partial(self._tell_match, message))

    def _tell_match(self, message: m.State, match: Match) -> None:
        """Answers a request for the state of a match."""
        standing = match.standing(match.view_of(self))
        if standing is None:  # the match has begun, but spectators may not see it yet
            self._fail(message, NOT_FOUND)
            return
        # The connection is in use, so the deadline for a log-in ends.
        self.peer.logged_in()
        self.peer.say(standing)
        self.rest()

    def spectate(self, message: m.Spectate) -> None:
        """Answers `spectate`: sends the state of a match now, and after each change."""
        self._with(message, partial(self._spectate, message))

    def _spectate(self, message: m.Spectate, match: Match) -> None:
        """Begins to spectate a match. With a token, the seat is taken back first."""
        if match.view_of(self).winner is not None and not self._successor:
            self._fail(message, ENDED)
        # Tokens are not possible here in the original protocol, which `strict` stands for.
        elif message.token and not self._strict and match.view_of(self).winner is None:
            self._by_token(message, message.token, match, lambda seat: self._look(message, seat.match))
        else:
            self._look(message, match)

    def _look(self, message: m.Spectate, match: Match) -> None:
        """Makes this connection a spectator, and sends the state of the match to it alone."""
        self.peer.logged_in()
        view = match.view_of(self)
        # A match that is over sends no more states.
        new = view.winner is None and self not in view.spectators
        if new:
            # Forget matches that are over, or that this connection does not watch any more.
            self._spectated = [one for one in self._spectated if one.has_spectator(self)]
            if len(self._spectated) >= MOST_SPECTATED:
                self._fail(message, f"this connection spectates {MOST_SPECTATED} matches, and no more can be")
                return
            self._spectated.append(match)
            view.spectators[self] = None
            self._matches.by_id.setdefault(match.id, match)
        self.peer.say(m.Done("spectate", match.id))
        # To see whether `follow` sends the state already.
        n = view.n
        if new and view is match.outer and not match.waits:
            match.follow()
        standing = match.standing(view)
        if view.n == n and standing is not None:  # otherwise the state was or will be sent to all spectators
            self.peer.say(standing)
        self.rest()

    def move(self, message: m.MakeMove) -> None:
        """Answers `move`: plays a card for the seat of the token."""
        self._with(message, partial(self._move, message))

    def _move(self, message: m.MakeMove, match: Match) -> None:
        """Finds the seat of the token, and plays the card."""
        if match.view_of(self).winner is not None:
            self._fail(message, ENDED)
        # The creator of a match that has not begun cannot move yet.
        elif match.waits and match.seat_of(message.token) is not None:
            self._fail(message, NOT_YOUR_TURN)
        else:
            self._by_token(message, message.token, match, partial(self._move_in, message))

    def _by_token(self, message: m.Command, token: str, match: Match, use: Callable[[SeatPlayer], None]) -> None:
        """
        Calls a function with the seat of a token: at once, or after the seat was taken back.

        :param use: carries out the command
        """
        number = match.seat_of(token)
        if number is None:
            self._fail(message, WRONG_TOKEN)
            return
        # The seat is in use by a connection here: use it at once.
        seat = match.players[0] if match.waits and match.players else match.player_in(number)
        if seat is not None and (match.waits or seat.handle is not None):
            self._own(seat)
            use(seat)
            return
        # The seat has to be taken back first. The command waits for that.
        self._current = message
        if (
            seat is not None
        ):  # another connection takes it back: wait with it, for a second player would displace the first
            seat.ready.append(partial(self._use_when_back, message, seat, use))
            self._own(seat)
            return
        # Take it back with a new player.
        seat = SeatPlayer(match, match.names[number], match.indices[number], number, returning=True)
        seat.ready.append(partial(self._use_when_back, message, seat, use))
        self._matches.by_id.setdefault(match.id, match)
        match.players.append(seat)
        try:
            session = self.lobby.take_back(match.sessions[number][0], token, self._wire, self.address, seat)
        except NameRefused as refusal:
            self._not_back(message, seat, str(refusal))
            return
        # The match has ended since its record was read.
        if session is None:
            self._not_back(message, seat, ENDED)
            return
        self.logged_in(session)
        # The match may have ended in the call before.
        if seat in match.players:
            seat.session = session
            self._own(seat)
        seat.is_back(session)

    def _use_when_back(self, message: m.Command, seat: SeatPlayer, use: Callable[[SeatPlayer], None]) -> None:
        """Continues a command after the seat was taken back, unless the match is over."""
        if seat.handle is None or self._stopped:
            self._fail(message, ENDED)
        else:
            use(seat)
        # A move waits for the table's answer, which calls `go_on`.
        if self._current is message and seat.sender is not self:
            self.go_on()

    def _not_back(self, message: m.Command, seat: SeatPlayer, why: str) -> None:
        """Refuses a command, because the seat cannot be taken back."""
        seat.leave()
        self._fail(message, why)
        self.go_on()

    def _move_in(self, message: m.MakeMove, seat: SeatPlayer) -> None:
        """
        Plays a card for a seat. Faults get the protocol's errors, in its order. A legal move is answered when the table has
        accepted it.
        """
        match, handle = seat.match, seat.handle
        position, start = match.inner.position, match.start
        assert handle is not None and position is not None and start is not None
        move = read_move(start, message.words)
        if move is None:
            self._fail(message, NO_MOVE)
        elif position.turn != handle.seat:
            self._fail(message, NOT_YOUR_TURN)
        # White's pieces are capital letters.
        elif position.board[move.start] not in ("KP", "kp")[handle.seat]:
            self._fail(message, NOT_YOUR_PIECE)
        elif position.why_not(move) is not None:
            self._fail(message, INVALID)
        else:
            self._current, seat.sender = message, self
            # The table has taken the move.
            if handle.act(move):
                self.peer.move_accepted()

    def unknown(self, message: m.Unknown) -> None:
        """Refuses a text that is not a command. By the protocol, the error contains the whole text."""
        self._fail(message, UNKNOWN)

    def unexpected(self, message: m.Message) -> None:
        self._fail(m.Unknown(""), BYTE_ORDER_MARK.reason if message is BYTE_ORDER_MARK else UNKNOWN)

    SPEAKS = "Litama's protocol for Onitama, by line and over WebSocket; begin with create and a name"
    HEARS: ClassVar[Any] = {
        (LitamaState.CONNECTED, m.Create): create,
        (LitamaState.CONNECTED, m.Join): join,
        (LitamaState.CONNECTED, m.State): state_asked,
        (LitamaState.CONNECTED, m.MakeMove): move,
        (LitamaState.CONNECTED, m.Spectate): spectate,
        (LitamaState.CONNECTED, m.Unknown): unknown,
    }
    CLAIMS: ClassVar[Any] = {
        (LitamaState.CONNECTED, m.Create): claim_of_create,
        (LitamaState.CONNECTED, m.Join): claim_of_join,
        **dict.fromkeys(((LitamaState.CONNECTED, kind) for kind in (m.MakeMove, m.Spectate, m.State)), claim_of_match),
    }

    # -- to the client

    def moved(self, match_id: str) -> None:
        self.peer.say(m.Done("move", match_id))

    def refused(self, reason: str) -> None:
        """Refuses a move that the table has refused, although it was legal when it came."""
        if self._current is not None:
            self._fail(self._current, INVALID)

    def too_late(self, match_id: str) -> None:
        if self._current is not None:
            self._fail(self._current, ENDED)

    def tell_state(self, match_id: str, standing: m.Standing) -> None:
        self.peer.say_newest(standing, match_id)

    def tell_failure(self, match_id: str, why: str) -> None:
        if not self._strict:
            self.peer.say_newest(m.Failed(match_id, why, ""), match_id)

    def lose(self, seat: SeatPlayer) -> None:
        """Called when a seat of this connection was given up, or its match is over."""
        self._seats.remove(seat)
        if self.session is seat.session or not self._seats:
            self.session = self.handle = None
        self._game_finished = True
        self.rest()

    def rest(self) -> None:
        """If the connection has no seat and watches no match, starts the time after which it is closed."""
        if not self._seats and not any(match.has_spectator(self) for match in self._spectated):
            self.peer.logged_out(AFTER_MATCH_SECONDS)

    def exchange(self) -> None:
        """Exchanges a card in each match that waits for this."""
        for seat in tuple(self._seats):
            seat.exchange()

    def say_closing(self, reason: str) -> None:
        self._stopped = True
        if not self._strict:
            self.peer.say(m.Failed("", reason, ""))

    def end(self) -> None:
        """Called when the connection is lost. Its seats are reserved, and its waiting matches are given up."""
        self._stopped = True
        self._withdraw()
        self._later.clear()
        for match in self._spectated:
            for view in (match.inner, match.outer):
                view.spectators.pop(self, None)
        for seat in tuple(self._seats):
            seat.owners.pop(self, None)
            # Another connection may have used the same token.
            if not seat.owners:
                seat.leave()
        for match in self._spectated:
            match.forget_if_idle()
        self.session = self.handle = None
