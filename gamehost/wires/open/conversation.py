"""
The course of a connection, `->` from the client, `<-` from the host; each line is one JSON object::

    -> {"do":"enter","name":"ann"}                <- {"is":"entered",...} with a key, to come back with
    -> {"do":"log-in",...}                        or this, with the password of an account
    -> {"do":"seek","game":"onitama"}             <- {"is":"seeking",...}  nobody is there yet
    -> {"do":"seek",...}     (another)            <- {"is":"seated",...}   to both, then the events of the match
    -> {"do":"act","table":3,"action":"...",...}  <- {"is":"event",...}    to all, or {"is":"refused",...} to the sender alone
    -> {"do":"moves","table":3}                   <- {"is":"moves",...}    what can be done now, or {"is":"refused",...}
    -> {"do":"draw","step":"offer",...}           <- {"is":"offered",...}  to both; the other one accepts or declines
    -> {"do":"leave"}                             <- {"is":"over",...}     to all; then `seek` begins the next match
    connection lost                               <- {"is":"away",...}     to the others, and {"is":"claim",...} after a minute
    -> {"do":"claim","table":3,"as":"win"}        <- {"is":"over",...}     or "draw", "house", or no answer
    -> {"do":"sit","table":5}                     <- {"is":"seated",...}   at a slow match, then `back`; `rise` ends it
    -> {"do":"enter",...,"key":"..."}             <- {"is":"entered",...}, {"is":"seated",...}, {"is":"back",...} with the view
                                                  <- {"is":"bye",...}      before the host closes a connection

A message that does not fit now, or is malformed, is answered `sorry`. `ping` is answered `pong` in every state.
"""

from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import Factory, field, frozen
from msgspec import UNSET, UnsetType

from gamehost.accounts.bans import ADDRESS_BANNED
from gamehost.accounts.login import LOG_IN_WAITS
from gamehost.entries import imported
from gamehost.games.base import Game, HasSequels, HasSteps, IllegalAction, Offer, Seat
from gamehost.games.drawing import Scene
from gamehost.games.messages import Messages
from gamehost.games.play import picture_of
from gamehost.journal.records import TableId
from gamehost.lobby.queues import PHRASES, CannotJoin, HouseRefused, OnLeave, Played, RematchWanted, Said, TooManyTables
from gamehost.lobby.sessions import Queue, Session
from gamehost.settings import Settings, refuse_unknown
from gamehost.tables.interfaces import (
    Back,
    Declined,
    Displaced,
    Left,
    NoNewMatches,
    Offered,
    OpenTable,
    Over,
    Player,
    Refused,
    Replaced,
    SeatHandle,
    Suspended,
    TableClosed,
)
from gamehost.wires.base import Peer, Wire
from gamehost.wires.framing import UndecodableLine, for_people
from gamehost.wires.open import messages as m
from gamehost.wires.open.absence import DecidesAbsences
from gamehost.wires.open.codec import EXAMPLES, HELP, SPOKEN, OpenCodec
from gamehost.wires.open.logging_in import INSIDE, NO_SEAT, LogsIn
from gamehost.wires.open.messages import Message
from gamehost.wires.open.values import OfferName, told_shown
from gamehost.wires.open.watching import (
    LookingOn,
    OpenOptions,
    OpenState,
    SharedEncoder,
    asked_for,
    of_table,
    told_clocks,
    told_due,
)
from gamehost.wires.seeking import (
    PLAYED,
    PlayedGame,
    SeekRefused,
    Wanted,
    find_table,
    join_table,
    play_house,
)

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby


#: After the host has stopped, a client may connect again after this number of seconds.
AGAIN = 5.0

#: How many milliseconds a seat is reserved, if the message `seated` contains no other time.
_USUAL_GRACE = 60_000
#: The names of the offers between players.
_OFFERS: Mapping[Offer, OfferName] = {Offer.DRAW: "draw", Offer.TAKEBACK: "takeback"}

#: The answer to an action that comes after the end of the match.
MATCH_OVER = "the match is over"

Id = int | UnsetType


_NOT_NOW: Mapping[Enum, str] = {
    OpenState.OUTSIDE: f"log in first, with a line such as {EXAMPLES['enter']}",
    OpenState.CHECKING: 'your log-in is being checked: wait for "entered"',
    OpenState.LOBBY: f"you have no seat; {EXAMPLES['seek']} finds an opponent",
    OpenState.WAITING: f'the match has not begun: wait for "seated", or give up with {EXAMPLES["stop"]}',
    OpenState.PLAYING: f"you are in a match; give it up with {EXAMPLES['leave']}",
}
_NOT_ASCII = "an action is written in ASCII"

#: These modules are imported when they are first used: most clients have no slow match, and ask for no advice.
_SLOW_SEATS = imported("gamehost.wires.open.slow:SlowSeats")
_ADVISED = imported("gamehost.wires.open.advice:AdvisedSeat")

#: The most actions in one list.
MOST_MOVES = 1_000


def listed(played: PlayedGame, view: Any, seat: Seat, begun: str | None) -> list[m.Listed]:
    """
    Returns the actions that a seat may take.

    :param begun: the beginning of an action, in the game's notation. In games with actions of several steps, only its
        continuations by one step are returned; in games with sequels, the actions that may follow it. `None`: all whole
        actions, or all first steps
    :raises IllegalAction: there are too many actions, or no action of the game begins with `begun`
    """
    game, messages = played.game, played.messages
    if begun is not None and not (begun.isascii() and isinstance(game, HasSteps | HasSequels)):
        raise IllegalAction("in this game actions are listed whole, without what is begun")
    try:
        # The action that was begun, as a value of the game.
        first = None if begun is None else game.read(begun.encode("ascii"))
    except ValueError as error:
        raise IllegalAction(str(error)) from None
    if isinstance(game, HasSteps):
        steps = game.steps(view, seat, first)
        # The mark `True`: the action is not whole, another step must follow.
        return [_listed(game, messages, action, UNSET if whole else True) for action, whole in steps]
    if first is not None and isinstance(game, HasSequels):
        return [_listed(game, messages, action) for action in game.sequels(view, seat, first)]
    legal = game.legal(view, seat)
    # `legal` is `None` if the game does not list its actions. If there is no random action either, none is possible.
    if legal is None and game.random_action(view, seat, lambda below: 0) is None:
        return []  # the match does not wait for this seat: it may only place its pieces anew
    # One more than the limit is read, to notice that there are too many.
    moves = None if legal is None else [_listed(game, messages, action) for action in islice(legal, MOST_MOVES + 1)]
    if moves is None or len(moves) > MOST_MOVES:
        raise IllegalAction("there are too many actions to list them")
    return moves


def _listed(game: Game[Any, Any], messages: Messages, action: Any, more: Literal[True] | UnsetType = UNSET) -> m.Listed:
    return m.Listed(game.write(action).decode("ascii"), messages.action(action), more)


class OpenConversation(DecidesAbsences):
    """
    The conversation on one connection of the open wire: handles all messages of a client, and sends it the events of its match.

    :param encoder: makes the messages for all watchers; the same for all connections of a listener
    """

    declines: bool = False

    def __init__(self, peer: Peer[m.Message], lobby: "Lobby", options: OpenOptions, encoder: SharedEncoder) -> None:
        super().__init__(peer, lobby, options, encoder)
        #: The messages of the game of this client's match; `None`: there was no match so far.
        self._messages: Messages | None = None
        #: The number of phrases that this player has sent since the last match began.
        self._phrases = 0
        #: The ids of refused actions, if their refusals were not sent yet.
        self._refused: deque[Id] = deque()
        #: The id of the action that the table is checking; `None`: it checks none, or has refused it.
        self._judged: tuple[Id] | None = None
        self._house = lobby.house
        # Whether the host has accepted the connection.
        self._begun = False
        #: Whether an answer to `moves` is being prepared.
        self._asks_moves = False
        #: Answers requests for advice; `None`: the client has asked for none so far.
        self._advised: Any = None

    def begin(self) -> None:
        self._begun = True
        super().begin()

    # -- finding opponents

    def seek(self, message: m.Seek) -> None:
        """Looks for opponents: in the game's queue, at a waiting table, or at a new table."""
        try:
            asked = asked_for(message)
            sought = self._wanted(asked)
        except SeekRefused as refusal:
            self._refuse(str(refusal))
            return
        if (closed := self.lobby.why_no_match(sought.played.game.name)) is not None:
            self._refuse(closed)
            return
        assert self.session is not None
        # House players begin the match at once.
        if message.house is not UNSET:
            self._play_house(self.session, sought, message.house)
            return
        if not self._may_seek(message):
            return
        # A client needs one `seek` for each match, so the first one after a match does not count against the rate
        # limit.
        if self._game_finished:
            self._game_finished = False
            self.peer.exempt_from_rate()
        # Otherwise the player waits in the queue or at a table.
        self._seeks = asked
        self.set_state(OpenState.WAITING)
        if not self._wait(self.session, sought) and sought.in_queue:
            shown = {self.session.name: self.session.identity.shown} if self.session.identity.shown else {}
            settings = dict(sought.settings)
            self.peer.say(
                m.Seeking(message.game, sought.seats, [self.session.name], settings, shown_as=told_shown(shown))
            )

    def _may_seek(self, message: m.Message) -> bool:
        """Whether the player may seek: it waits nowhere, or only at tables that last. If it may not, it is sent a refusal."""
        may = self.session is not None and self.lobby.may_seek(self.session)
        if not may:
            self.unexpected(message)
        return may

    def _rest(self) -> None:
        """
        Returns to the state of a client without a match: waiting, if a table of the player still waits, otherwise in
        the lobby.
        """
        waits = self.session is not None and self.lobby.waits_at_table(self.session)
        self.set_state(OpenState.WAITING if waits else OpenState.LOBBY)

    def _wait(self, session: Session, sought: Wanted) -> bool:
        """
        Begins to wait in the game's queue, or at a table. Returns whether a match has begun at once. At a table this is
        always `False`: messages about the table follow by themselves.
        """
        if sought.in_queue:
            return self.lobby.play(session, sought.queue, sought.wish)
        self._find_table(session, sought)
        return False

    def _wait_no_longer(self, why: str) -> None:
        self._rest()
        self._refuse(why)

    def _play_house(self, session: Session, sought: Wanted, level: str) -> None:
        """Begins a match against house players, or sends why this is not possible."""
        self.set_state(OpenState.WAITING)
        try:
            play_house(self.lobby, session, sought, level)
        except HouseRefused as refusal:
            self._wait_no_longer(str(refusal))

    def ask_house(self, message: m.House) -> None:
        """Lets house players take all empty seats, or the seat of an absent player."""
        assert self.session is not None
        try:
            if self.state is OpenState.WAITING:
                # The client waits at a table or in a queue: house players come there.
                self._house.wanted(self.session, message.level)
            elif message.seat is UNSET or self.handle is None:
                self._refuse('expected "seat", the seat of a player who is away')
            else:
                self._house.take_over(self.session, self.handle, message.seat, message.level)
        except HouseRefused as refusal:
            self._refuse(str(refusal))

    def _find_table(self, session: Session, sought: Wanted) -> TableId | None:
        """Lets the player join a fitting table, or opens a new one and returns its number. `None`: joined, or refused."""
        try:
            found = find_table(self.lobby, session, sought, self.tell_gathered)
        except (TooManyTables, CannotJoin) as error:
            self._wait_no_longer(str(error))
            return None
        # The player has joined a table. If it is one for a slow match, it may look for other matches, too.
        if found is None:
            self.rests()
        return found

    def stop(self, message: m.Stop) -> None:
        """Stops waiting: in a queue, at a table that would not last, or at one table that lasts."""
        assert self.session is not None
        table = None if message.table is UNSET else TableId(message.table)
        # There is nothing to stop: the client has a match, or waits nowhere.
        if table is None and (self.session.table_id is not None or self.state is OpenState.LOBBY):
            self.unexpected(message)
            return
        # `may_seek` is false while the player is in a queue, or at a table that does not last. Otherwise it gives up
        # one of its lasting tables; `_given_up` is called when this is stored.
        if table is None and not self.lobby.may_seek(self.session):
            self.lobby.stop_waiting(self.session)
            self._stopped()
        elif not self.lobby.give_up_table(self.session, table, self._given_up):
            self._refuse("no table of this number waits for you")

    def _given_up(self, table: TableId) -> None:
        if self.session is not None:
            self._stopped()

    def _stopped(self, why: str | UnsetType = UNSET) -> None:
        """Informs the client that it has stopped waiting, and of the tables at which it still waits."""
        if self.handle is None:
            self._rest()
        self.peer.say(m.Stopped(why))
        if self.session is not None:
            self.lobby.tell_tables(self.session)

    def join(self, message: m.Join) -> None:
        """Takes a seat at a table that another player has opened, on any wire."""
        assert self.session is not None
        code = message.code or ""
        if not self._may_seek(message):
            return
        # Another player has opened the table, so the client has no wish of its own that could move to another host.
        self._seeks = None
        self.set_state(OpenState.WAITING)
        try:
            join_table(self.lobby, self.session, self._options.games, TableId(message.table), code)
        except CannotJoin as error:
            self._wait_no_longer(str(error))
        else:
            # At a table for a slow match, the player may look for other matches, too.
            self.rests()

    def ask_rematch(self, message: m.AskRematch) -> None:
        """Joins the player that already waits for a rematch of the last match, or opens a table and asks the others."""
        assert self.session is not None
        played, session = self._played, self.session
        # A rematch of a slow match.
        if message.table is not UNSET:
            self.ask_again(session, TableId(message.table))
        elif played is None:
            self._refuse("you have played no match on this connection")
        elif self._may_seek(message) and not self._join_rematch(session, played):
            sought = self.wanted_again(played)
            if played.house:
                # The name of a house player begins with its level.
                self._play_house(session, sought, played.house.partition(".")[0])
            else:
                self._offer_rematch(session, played, sought)

    def rematch_refused(self, why: str) -> None:
        self._refuse(why)

    def _join_rematch(self, session: Session, played: Played) -> bool:
        """Joins the table that waits for the rematch. Returns `False` if no table waits for it any more."""
        # The wish of the other player is used only once.
        asked, self._rematch = self._rematch, None
        if asked is None or asked.table is None:
            return False
        self.set_state(OpenState.WAITING)
        self._seeks = None
        try:
            self.lobby.join(session, Queue(self._options.games[played.game].game), asked.table, asked.code)
        # The table was closed meanwhile.
        except CannotJoin:
            self._rest()
            return False
        return True

    def _offer_rematch(self, session: Session, played: Played, sought: Wanted) -> None:
        """Opens a table for the rematch, and asks the other players of the last match to come."""
        why = self.lobby.why_no_rematch(session, played) or self.lobby.no_tables
        if why is not None:
            self._refuse(why)
            return
        self.set_state(OpenState.WAITING)
        opened = self._find_table(session, sought)
        # `None`: the client has received why no table was opened.
        if opened is not None:
            self.lobby.ask_rematch(session, played, opened)

    def say_phrase(self, message: m.Say) -> None:
        """Sends a phrase to the players of the present or last match. The lobby limits their number."""
        why = self.lobby.say(self._played, message.phrase, self._phrases)
        if why is None:
            self._phrases += 1
        else:
            self._refuse(why)

    def ask_invitation(self, message: m.AskInvitation) -> None:
        """Sends the players that wait at a table, to a client that may want to take a seat there."""
        found = self.lobby.invitation(TableId(message.table), message.code or "")
        if found is None or found[0].name not in self._options.games:
            self._refuse("no table of this number waits for players")
            return
        game, opened = found
        self.peer.logged_in()
        names, settings, away = list(opened.names), dict(opened.settings), list(opened.away) or UNSET
        self.peer.say(
            m.Invitation(
                opened.table,
                game.name,
                opened.seats,
                names=names,
                settings=settings,
                away=away,
                shown_as=told_shown(opened.shown_as),
            )
        )

    # -- playing

    def play(self, message: m.Act) -> None:
        """Passes an action in the game's own notation to the table."""
        handle = self.handle
        if handle is None or message.table != handle.table:
            # The table is that of a slow match, or not one of the client.
            self._do_elsewhere(message)
            return
        if not message.action.isascii():
            self.peer.refuse(m.Refused(_NOT_ASCII, message.id))
            return
        try:
            action = self._options.games[handle.game].game.read(message.action.encode("ascii"))
        # The text is not an action of this game at all.
        except ValueError as error:
            self.peer.refuse(m.Refused(str(error), message.id))
            return
        self.judge(action, message.id)

    def ask_moves(self, message: m.AskMoves) -> None:
        """
        Sends the actions that this player may take. Only one request at a time: each needs a view until it is answered.

        A request counts against the rate limit of moves, because programs that do not know the rules ask before each action.
        """
        handle, why = self.handle, None
        if handle is None or message.table != handle.table:
            self._do_elsewhere(message)
        elif message.advice is not UNSET:
            # Made at the first request. House players think about the position, so the answer comes later.
            self._advised = self._advised or _ADVISED(self, self._options, self._directory, self._house)
            why = self._advised.ask(handle, message, "" if self._played is None else self._played.house)
        elif self._asks_moves:
            why = 'wait for "moves"'
        else:
            # Set before `look`, because the view may come at once.
            self._asks_moves = True
            if not handle.look(partial(self._tell_moves, handle, message)):
                self._asks_moves = False
                why = "the table is suspended"
            else:
                self.peer.move_accepted()
        if why is not None:
            self.peer.refuse(m.Refused(why, message.id))

    def _tell_moves(self, handle: SeatHandle[Any], message: m.AskMoves, view: Any) -> None:
        """
        Sends the answer to `moves`: the actions, and the view and the picture if they were asked for.

        :param view: the view of the client's seat
        """
        self._asks_moves = False
        played = self._options.games[handle.game]
        moves: list[m.Listed] = []
        why: str | UnsetType = UNSET
        picture: str | UnsetType = UNSET
        shown: Any = UNSET
        try:
            if message.view is not UNSET:
                shown = played.messages.view(view)
            if message.picture is not UNSET:
                picture = picture_of(played.game, Scene(handle.names, view, handle.seat, moves=False))
            moves = listed(played, view, handle.seat, message.begun or None)
        except IllegalAction as refusal:
            why = str(refusal)
        # A fault in the code of a game ends only this connection.
        except Exception:
            self.log.failure("listing the moves of {game} failed", game=handle.game)
            self.peer.hang_up("a fault of the host")
            return
        # A request for a view or a picture is answered even if there is no list: `why` says then why not.
        if why is not UNSET and picture is UNSET and shown is UNSET:
            self.peer.refuse(m.Refused(why, message.id))
        else:
            self.peer.say(m.Moves(handle.table, handle.n, moves, id=message.id, picture=picture, why=why, view=shown))

    def offer(self, message: m.Draw | m.Takeback) -> None:
        """Offers a draw or a takeback, or accepts or declines the offer of the other player."""
        handle = self.handle
        if handle is None or message.table != handle.table:
            self._do_elsewhere(message)
            return
        offer = Offer.DRAW if isinstance(message, m.Draw) else Offer.TAKEBACK
        if message.step == "offer":
            self._judge(partial(handle.offer, offer), message.id)
        else:
            self._judge(partial(handle.answer, offer, message.step == "accept"), message.id)

    def leave(self, message: m.Leave) -> None:
        """Resigns. `over` follows when the journal contains the resignation."""
        handle = self.handle
        # A slow match, or not a match of this client.
        if message.table is not UNSET and (handle is None or message.table != handle.table):
            seat = self._slow_seat(message.table)
            if seat is None:
                self._refuse(NO_SEAT)
            else:
                seat.handle.resign()
        elif self.state is not OpenState.PLAYING:
            self.unexpected(message)
        elif handle is None:
            # The client is about to get its seat back.
            self._refuse('wait for "seated"')
        else:
            handle.resign()

    # -- slow matches

    def sit(self, message: m.Sit) -> None:
        """Opens a slow match."""
        if (why := self._slow_seats().sit(TableId(message.table))) is not None:
            self._refuse(why)

    def rise(self, message: m.Rise) -> None:
        """Closes a slow match that the client has opened."""
        if self._slow is not None and self._slow.rise(TableId(message.table)):
            self.peer.say(m.Risen(message.table))
        else:
            self._refuse("you do not sit at a slow match of this number")

    def slow_seat(self, table: TableId) -> Player[Any, Any] | None:
        """
        Returns the receiver for the events of a slow match that begins, as in `SitsDown`; `None`: there is no room for it.
        """
        # The client has another match, or is not logged in yet.
        if self.state not in (OpenState.LOBBY, OpenState.WAITING):
            return None
        seat: Player[Any, Any] | None = self._slow_seats().new(table)
        if seat is None:
            self._refuse(f"match {table} has begun: sit down there when you have risen from another one")
        return seat

    def _slow_seats(self) -> Any:
        if self._slow is None:
            self._slow = _SLOW_SEATS(self, self._options, self._encoder)
        return self._slow

    def _do_elsewhere(self, message: m.Act | m.AskMoves | m.Draw | m.Takeback) -> None:
        """Handles a message about a table that is not the client's main match: a slow match, or no match of the client."""
        seat = self._slow_seat(message.table)
        if seat is None:
            self.peer.refuse(m.Refused(NO_SEAT, message.id))
        else:
            seat.hear(message)

    def parcel(self) -> str | None:
        """
        See `GoesElsewhere.parcel`. A client with open slow matches cannot move, because these seats stay at this host.
        """
        return None if self._slow is not None and self._slow.sits else super().parcel()

    def rests(self) -> None:
        """Called when the client has a seat at a slow match. It may still look for another match."""
        session = self.session
        if session is None or self.state is not OpenState.WAITING:
            return
        # No match is about to begin, and the player waits only at tables that last.
        if session.table_id is None and self.lobby.may_seek(session):
            self._rest()

    def end(self) -> None:
        """Closes all slow matches, cancels a request for advice, and leaves the lobby."""
        if self._slow is not None:
            self._slow.rise_everywhere()
        if self._advised is not None:
            self._advised.leave()
        super().end()

    # -- always

    def ping(self, message: m.Ping) -> None:
        self.peer.say(m.Pong(message.id))

    def unexpected(self, message: m.Message) -> None:
        """Refuses a message that is malformed, or that this state does not accept, with the reason."""
        match message:
            case m.Malformed(reason) | UndecodableLine(reason):
                self._refuse(reason + for_people(self.by_hand) if message is HELP else reason)
            case m.Enter() | m.LogIn() if self.state is not OpenState.CHECKING:
                self._refuse("you have logged in already")
            case _:
                self._refuse(_NOT_NOW[self.state])

    def say_closing(self, reason: str) -> None:
        """Sends the reason for closing. A client that was refused because the host is full may try again."""
        self.forget_attempt()
        if self._may_try_again(reason):
            self.say_shutdown(reason)
        else:
            self.peer.say(m.Bye(reason))

    def _may_try_again(self, reason: str) -> bool:
        """Whether a client that is refused for this reason may connect again soon."""
        # The host had no room for the connection. A banned address has no reason to try again.
        return not self._begun and not reason.startswith(ADDRESS_BANNED)

    SPEAKS = SPOKEN
    WRITTEN_IN = "JSON"
    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Ping) for state in OpenState), ping),
        **dict.fromkeys(((state, m.Act) for state in OpenState), play),
        **dict.fromkeys(((state, m.AskMoves) for state in OpenState), ask_moves),
        **dict.fromkeys(((state, kind) for state in OpenState for kind in (m.Draw, m.Takeback)), offer),
        **{(state, kind): method for state in OpenState for kind, method in LookingOn.LOOKS.items()},
        **dict.fromkeys(((state, m.AskInvitation) for state in OpenState), ask_invitation),
        **{(state, kind): method for state in INSIDE for kind, method in LogsIn.MINE.items()},
        **LogsIn.ACCOUNT,
        **dict.fromkeys(((state, m.Seek) for state in (OpenState.LOBBY, OpenState.WAITING)), seek),
        **dict.fromkeys(((state, m.Join) for state in (OpenState.LOBBY, OpenState.WAITING)), join),
        **dict.fromkeys(((state, m.AskRematch) for state in (OpenState.LOBBY, OpenState.WAITING)), ask_rematch),
        **dict.fromkeys(((state, m.Claim) for state in OpenState), DecidesAbsences.claim_match),
        **dict.fromkeys(((state, m.Stop) for state in INSIDE), stop),
        (OpenState.WAITING, m.House): ask_house,
        (OpenState.PLAYING, m.House): ask_house,
        **dict.fromkeys(((state, m.Say) for state in INSIDE), say_phrase),
        **dict.fromkeys(((state, m.Leave) for state in INSIDE), leave),
        **dict.fromkeys(((state, m.Sit) for state in INSIDE), sit),
        **dict.fromkeys(((state, m.Rise) for state in INSIDE), rise),
    }
    # -- the seat

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Informs the client of its seat. The events follow. A request at an earlier seat is not answered any more."""
        self._asks_moves = False
        super().seated(handle)
        self.set_state(OpenState.PLAYING)
        # Refusals at an earlier seat are not sent any more.
        self._refused.clear()
        self._rematch = None
        self._phrases = 0
        self._played = None if self.session is None else Played.of(self.session)
        self._messages = self._options.games[handle.game].messages
        names, wires = list(handle.names), list(handle.wires)
        self.peer.say(
            m.Seated(
                handle.table,
                handle.game,
                handle.seat,
                names=names,
                wires=wires,
                n=handle.n,
                clocks=told_clocks(handle.clocks),
                due=told_due(handle.due),
                shown_as=told_shown(handle.shown_as),
                grace=UNSET if handle.grace == _USUAL_GRACE else handle.grace,
            )
        )

    def tell_other(self, event: Any) -> None:
        """Sends an event of the game as one of its messages. The message is made once for all players on this wire."""
        handle, last = self.handle, self._last_said
        if handle is None or self._messages is None:
            return
        table, n = handle.table, handle.n
        # The last message can be used for this player, too, if it is about the same event of the same table.
        if last.event is not event or last.message.table != table or last.message.n != n:
            told = self._messages.event(event)
            # No message of the game is made for this event.
            if told is None:
                return
            last.message = m.Event(table, n, told, told_clocks(handle.clocks), told_due(handle.due))
            last.event = event
        self.peer.say(last.message)

    def judge(self, action: Any, number: Id) -> None:
        """Lets the table check an action. A refusal follows in the order of the actions, by `tell_refused`."""
        self._judge(partial(self.act, action, careful=True), number)

    def _judge(self, ask: Callable[[], bool], number: Id) -> None:
        """Passes an action or an offer to the table. `ask` performs it, and returns whether it was accepted."""
        # `tell_refused` takes the number, if the table refuses at once.
        self._judged = (number,)
        accepted = ask()
        judged, self._judged = self._judged, None
        # The refusal has not come yet: it follows as an event, or the match is over.
        if not accepted and judged is not None:
            if self.handle is None:
                self.peer.refuse(m.Refused(MATCH_OVER, number))
            else:
                self._refused.append(number)

    # -- from the table

    def tell_refused(self, event: Refused) -> None:
        """Sends the refusal of an action by the rules. Refusals come in the order of the actions."""
        number: Id = UNSET
        # The refusal of an earlier action comes first.
        if self._refused:
            number = self._refused.popleft()
        elif self._judged is not None:
            (number,), self._judged = self._judged, None
        self.peer.refuse(m.Refused(str(event.error), number))

    def tell_all(self, event: Any) -> None:
        """Sends an event that all players and watchers receive."""
        if self.handle is not None:
            self.peer.say(of_table(event, self.handle.table, self.handle.n))

    def tell_back(self, event: Back[Any]) -> None:
        """Informs the client that a player is back. The player that is back also receives the state of the match."""
        handle, messages = self.handle, self._messages
        if handle is not None and messages is not None:
            view = messages.view(event.view) if event.seat == handle.seat else UNSET
            self.peer.say(m.Back(handle.table, handle.n, event.seat, view))

    def tell_replaced(self, event: Replaced) -> None:
        if self.handle is not None:
            self.peer.say(m.Replaced(self.handle.table, self.handle.n, event.seat, event.name))

    def tell_offered(self, event: Offered) -> None:
        self.look_at_match_soon()
        if self.handle is not None:
            self.peer.say(m.Offered(self.handle.table, self.handle.n, event.seat, _OFFERS[event.offer]))

    def tell_declined(self, event: Declined) -> None:
        self.look_at_match_soon()
        if self.handle is not None:
            self.peer.say(m.Declined(self.handle.table, self.handle.n, event.seat, _OFFERS[event.offer]))

    def tell_over(self, event: Over) -> None:
        """Sends the end of the match. The player remains logged in, and may seek again."""
        self._tell_last(event)

    def tell_suspended(self, event: Suspended) -> None:
        """Informs the client that a fault of the host has stopped the match. The player may seek again."""
        self._tell_last(event)

    def _tell_last(self, event: Over | Suspended) -> None:
        """Sends the last event of the match, and returns to the lobby. Actions without an answer are refused."""
        self.tell_all(event)
        self.leave_table(OpenState.LOBBY)
        # A table may still wait for the player.
        self._rest()
        for number in self._refused:
            self.peer.refuse(m.Refused(MATCH_OVER, number))
        self._refused.clear()

    # -- from the lobby

    def tell_gathered(self, event: OpenTable) -> None:
        """Sends the players and the terms of the table where the client waits."""
        # A client that has not received `entered` yet must receive it first.
        self.enter_before_its_key()
        if self.state is OpenState.LOBBY:
            self.set_state(OpenState.WAITING)
        settings, code, away = dict(event.settings), event.code or UNSET, list(event.away) or UNSET
        names = list(event.names)
        lasts: Literal[True] | UnsetType = True if event.lasts else UNSET
        told = (event.game, event.seats, names, settings, event.table, code, away, lasts)
        played = UNSET if event.played is None else event.played
        self.peer.say(m.Seeking(*told, played=played, shown_as=told_shown(event.shown_as)))

    def tell_rematch(self, event: RematchWanted) -> None:
        """Informs the client that a player wants a rematch, or does not want it any more."""
        # A rematch of a quick match concerns only the client's last match.
        ours = self._played is not None and self._played.table == event.played and self.handle is None
        # For `rematch` without a number. A table of `None`: the other player does not wait any more.
        if ours and not event.slow:
            self._rematch = event if event.table is not None else None
        if ours or event.slow:
            shown = told_shown({event.name: event.shown} if event.shown else {})
            on: Literal[False] | UnsetType = UNSET if event.table is not None else False
            self.peer.say(m.Rematch(event.played, event.name, on, shown))

    def tell_said(self, event: Said) -> None:
        # A phrase of another match comes too late.
        if self._played is not None and self._played.table == event.table:
            self.peer.say(m.Said(event.table, event.seat, event.phrase, PHRASES[event.phrase]))

    def tell_closed(self, event: TableClosed) -> None:
        self._stopped(event.why)

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """Informs the client that the host begins no more matches. The client can stay and watch."""
        self._stopped(event.why)

    def say_notice(self, text: str) -> bool:
        self.peer.say(m.Notice(text))
        return True

    def tell_log_in_waits(self, seconds: float) -> None:
        self.peer.say(m.Notice(LOG_IN_WAITS.format(seconds=ceil(seconds))))

    def tell_displaced(self, event: Displaced) -> None:
        """Ends this connection: the same player has logged in on another one, which receives everything from now on."""
        self.say_closing("you have logged in on another connection")
        self.peer.hang_up("displaced by another connection")

    def say_shutdown(self, reason: str) -> None:
        self.peer.say(m.Bye(reason, AGAIN))

    TELLS: ClassVar[Any] = {
        Refused: tell_refused,
        **DecidesAbsences.TELLS,
        Left: tell_all,
        Suspended: tell_suspended,
        Back: tell_back,
        Replaced: tell_replaced,
        Offered: tell_offered,
        Declined: tell_declined,
        Over: tell_over,
        OpenTable: tell_gathered,
        RematchWanted: tell_rematch,
        OnLeave: LogsIn.tell_leave,
        Said: tell_said,
        TableClosed: tell_closed,
        NoNewMatches: tell_no_new_matches,
        Displaced: tell_displaced,
    }


NAME = "open"

#: The same for all ports, with lines and with WebSocket.
OPTIONS = OpenOptions(NAME, {played.game.name: played for played in PLAYED})


@frozen
class OpenConfig:
    options: OpenOptions
    conversation: Callable[[Peer[Message], "Lobby", OpenOptions, SharedEncoder], OpenConversation] = OpenConversation
    encoder: SharedEncoder = field(
        init=False, default=Factory(lambda self: SharedEncoder(self.options), takes_self=True)
    )

    new_codec = OpenCodec

    def new_conversation(self, peer: Peer[Message], lobby: "Lobby") -> OpenConversation:
        return self.conversation(peer, lobby, self.options, self.encoder)


def configure(settings: Settings) -> OpenConfig:
    refuse_unknown(settings, ())
    return OpenConfig(OPTIONS)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="All games, one JSON object a line",
    endpoint="tcp:8889:interface=127.0.0.1",
    games=tuple(played.game for played in PLAYED),
    configure=configure,
    options={},
    must_listen=False,
    spreads=True,
)
