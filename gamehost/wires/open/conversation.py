"""
The course of a connection, `->` from the client, `<-` from the host; each line is one JSON object::

    -> {"do":"enter","name":"ann"}                <- {"is":"entered",...} with a key, to come back with
    -> {"do":"log-in",...}                        or this, with the password of an account
    -> {"do":"seek","game":"onitama"}             <- {"is":"seeking",...}  nobody is there yet
    -> {"do":"seek",...}     (another)            <- {"is":"seated",...}   to both, then the events of the match
    -> {"do":"act","table":3,"action":"...",...}  <- {"is":"event",...}    to all, or {"is":"refused",...} to the sender alone
    -> {"do":"moves","table":3}                   <- {"is":"moves",...}    what can be done now, or {"is":"refused",...}
    -> {"do":"leave"}                             <- {"is":"over",...}     to all; then `seek` begins the next match
    connection lost                               <- {"is":"away",...}     to the others
    -> {"do":"enter",...,"key":"..."}             <- {"is":"entered",...}, {"is":"seated",...}, {"is":"back",...} with the view
                                                  <- {"is":"bye",...}      before the host closes a connection

A message that does not fit now, or is malformed, is answered `sorry`. `ping` is answered `pong` in every state.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Literal

from msgspec import UNSET, UnsetType

from gamehost.accounts.bans import ADDRESS_BANNED
from gamehost.accounts.login import LoginRefused
from gamehost.accounts.names import NameFault, NameRefused, checked_name
from gamehost.games.base import Game, HasSteps, IllegalAction, Seat
from gamehost.games.face import Face
from gamehost.journal.records import TableId
from gamehost.lobby.house import HouseRefused
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.questions import NotAnswered
from gamehost.lobby.queues import CannotJoin, TooManyTables
from gamehost.lobby.sessions import IssuedKey, Session
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.claims import claim_of_account
from gamehost.wires.conversation import Claim, Peer
from gamehost.wires.framing import UndecodableLine
from gamehost.wires.guidance import for_people
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import EXAMPLES, HELP, SPOKEN
from gamehost.wires.open.options import OpenOptions
from gamehost.wires.open.table_side import State, TableSide
from gamehost.wires.open.watching import SharedEncoder
from gamehost.wires.seeking import PlayedGame, SeekRefused, Sought, Wanted, find_table, join_table, play_house, wanted

_NOT_NOW: Mapping[Enum, str] = {
    State.OUTSIDE: f"log in first, with a line such as {EXAMPLES['enter']}",
    State.CHECKING: 'your password is being checked: wait for "entered"',
    State.LOBBY: f"you have no seat; {EXAMPLES['seek']} finds an opponent",
    State.WAITING: f'the match has not begun: wait for "seated", or give up with {EXAMPLES["stop"]}',
    State.PLAYING: f"you are in a match; give it up with {EXAMPLES['leave']}",
}
#: A guest's key: so many random bits, in hexadecimal.
KEY_BITS = 128
_KEY = re.compile(rf"[0-9a-f]{{{KEY_BITS // 4}}}", re.ASCII)

_NO_SEAT = "you have no seat at this table"
_NOT_ASCII = "an action is written in ASCII"

#: So many actions are listed at most.
MOST_MOVES = 1_000

_WISHES: Mapping[str, Seat | None] = {"first": Seat(0), "second": Seat(1), "any": None}


def _asked(message: m.Seek) -> Sought:
    """What a message asks for."""
    seats = None if message.seats is UNSET else message.seats
    settings = {name: _text(value) for name, value in message.settings.items()}
    return Sought(message.game, seats, settings, message.private, _WISHES[message.seat])


def _text(value: m.SettingValue) -> str:
    """A setting as the host writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def listed(played: PlayedGame, view: Any, seat: Seat, begun: str | None) -> list[m.Listed]:
    """
    The actions that a seat may take, as a message has them: whole ones, or those that are one step longer than `begun`.

    :raises IllegalAction: there are too many, or no action of the game begins so
    """
    game, face = played.game, played.face
    if begun is not None and not (begun.isascii() and isinstance(game, HasSteps)):
        raise IllegalAction("in this game actions are listed whole, without what is begun")
    if isinstance(game, HasSteps):
        try:
            steps = game.steps(view, seat, None if begun is None else game.read(begun.encode("ascii")))
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        return [_listed(game, face, action, UNSET if whole else True) for action, whole in steps]
    legal = game.legal(view, seat)
    moves = None if legal is None else [_listed(game, face, action) for action in islice(legal, MOST_MOVES + 1)]
    if moves is None or len(moves) > MOST_MOVES:
        raise IllegalAction("there are too many actions to list them")
    return moves


def _listed(game: Game[Any, Any], face: Face, action: Any, more: Literal[True] | UnsetType = UNSET) -> m.Listed:
    return m.Listed(game.write(action).decode("ascii"), face.action(action), more)


class OpenConversation(TableSide):
    """
    The conversation on one connection: what the client says, and what follows from it.

    :param encoder: makes what is told to all who look on; the same for all connections of a listener
    """

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: OpenOptions, encoder: SharedEncoder) -> None:
        super().__init__(peer, lobby, options)
        self._spectators = lobby.spectators
        self._house = lobby.house
        self._encoder = encoder
        #: The matches that this client watches.
        self._watched: set[TableId] = set()
        #: Whether an answer to `history` is on its way, and what is called to wait for it no longer.
        self._asking = False
        self._withdraw: Callable[[], None] = lambda: None
        self._begun = False
        #: Whether an answer to `moves` is on its way.
        self._asks_moves = False

    def begin(self) -> None:
        """There is a place for this connection."""
        self._begun = True
        super().begin()

    # -- logging in

    def enter(self, message: m.Enter) -> None:
        """Log in as a guest, or take the seat back that is kept for this one."""
        try:
            name = checked_name(message.name)
            key = self._key_of(message)
            session = self.lobby.enter(name, self._options.wire, self.peer.address, self, issued=key)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        # Who takes a seat back without its key gets none: the first one counts as long as the match lasts.
        self._entered(session, key.text if session.key_digest == key.digest else UNSET)

    def _key_of(self, message: m.Enter) -> IssuedKey:
        """
        The key that the client shows, or a new one.

        :raises NameRefused: the host makes no such keys
        """
        if message.key is UNSET:
            return IssuedKey(f"{self.lobby.below(1 << KEY_BITS):0{KEY_BITS // 4}x}", shown=False)
        if not _KEY.fullmatch(message.key):
            raise NameRefused(NameFault.INVALID, 'a key is the one that "entered" had')
        return IssuedKey(message.key, shown=True)

    def claim_of_enter(self, message: m.Enter) -> Claim | None:
        """What a guest claims."""
        if message.key is not UNSET and not _KEY.fullmatch(message.key):
            return None
        return claim_of_account(message.name)

    def claim_of_log_in(self, message: m.LogIn) -> Claim | None:
        """What an account claims."""
        return claim_of_account(message.name)

    def log_in(self, message: m.LogIn) -> None:
        """Have the password of an account checked."""
        self.check_password(State.CHECKING, message.name, message.password, self._options.wire, strong=True)

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Let the client in, or say why not."""
        if isinstance(outcome, Session):
            self._entered(outcome)
            return
        self.set_state(State.OUTSIDE)
        self.peer.logged_out()
        self._refuse(outcome.reason)

    def _entered(self, session: Session, key: str | UnsetType = UNSET) -> None:
        self.logged_in(session)
        table, account = session.table_id, True if session.account else UNSET
        self.peer.say(m.Entered(session.name, key, UNSET if table is None else table, account))
        if table is None:
            # An earlier connection of the same player may have left a place in a queue.
            self.lobby.stop_waiting(session)
            self.set_state(State.LOBBY)
        else:
            self.set_state(State.PLAYING)
            self.lobby.reconnect(session)

    # -- finding opponents

    def seek(self, message: m.Seek) -> None:
        """Look for opponents: in the game's queue, at a table that waits, or at a table of one's own."""
        try:
            sought = wanted(_asked(message), self._options.games, self.lobby.settings_for)
        except SeekRefused as refusal:
            self._refuse(str(refusal))
            return
        if self.lobby.no_tables is not None:
            self._refuse(self.lobby.no_tables)
            return
        assert self.session is not None
        if message.house is not UNSET:
            self._play_house(self.session, sought, message.house)
            return
        if self._game_finished:
            self._game_finished = False
            self.peer.exempt_from_rate()
        self._sought = (message.game, "")
        self.set_state(State.WAITING)
        if not sought.in_queue:
            self._find_table(self.session, sought)
        elif not self.lobby.play(self.session, sought.queue, sought.wish):
            self.peer.say(m.Seeking(message.game, sought.seats, [self.session.name], dict(sought.settings)))

    def _play_house(self, session: Session, sought: Wanted, level: str) -> None:
        self.set_state(State.WAITING)
        try:
            play_house(self.lobby, session, sought, level)
        except HouseRefused as refusal:
            self.set_state(State.LOBBY)
            self._refuse(str(refusal))

    def ask_house(self, message: m.House) -> None:
        """Have house players take all empty seats, or the seat of a player who is away."""
        assert self.session is not None
        try:
            if self.state is State.WAITING:
                self._house.wanted(self.session, message.level)
            elif message.seat is UNSET or self.handle is None:
                self._refuse('expected "seat", the seat of a player who is away')
            else:
                self._house.take_over(self.session, self.handle, message.seat, message.level)
        except HouseRefused as refusal:
            self._refuse(str(refusal))

    def _find_table(self, session: Session, sought: Wanted) -> None:
        try:
            opened = find_table(self.lobby, session, sought)
        except TooManyTables as error:
            self.set_state(State.LOBBY)
            self._refuse(str(error))
            return
        if opened is not None:
            self._sought = (sought.played.game.name, opened.code)
            self.tell_gathered(opened.table)

    def stop(self, message: m.Stop) -> None:
        """Look for opponents no longer."""
        assert self.session is not None
        if self.session.table_id is not None:
            self.unexpected(message)  # the match begins just now
            return
        self.lobby.stop_waiting(self.session)
        self.set_state(State.LOBBY)
        self.peer.say(m.Stopped())

    def join(self, message: m.Join) -> None:
        """Wait at a table that somebody has opened, on whatever wire."""
        assert self.session is not None
        code = message.code or ""

        def trying(game: str) -> None:
            self._sought = (game, code)

        self.set_state(State.WAITING)
        try:
            join_table(self.lobby, self.session, self._options.games, TableId(message.table), code, trying)
        except CannotJoin as error:
            self.set_state(State.LOBBY)
            self._refuse(str(error))

    # -- playing

    def seated(self, handle: SeatHandle[Any]) -> None:
        """The player has a seat. A question that an earlier seat left open is not answered any more."""
        self._asks_moves = False
        super().seated(handle)

    def play(self, message: m.Act) -> None:
        """Have the table judge an action in the game's own notation."""
        handle = self.handle
        if handle is None or message.table != handle.table:
            self.peer.refuse(m.Refused(_NO_SEAT, message.id))
            return
        if not message.action.isascii():
            self.peer.refuse(m.Refused(_NOT_ASCII, message.id))
            return
        try:
            action = self._options.games[handle.game].game.read(message.action.encode("ascii"))
        except ValueError as error:
            self.peer.refuse(m.Refused(str(error), message.id))
            return
        self.judge(action, message.id)

    def ask_moves(self, message: m.AskMoves) -> None:
        """Say which actions this player may take. One question at a time: each holds a view until it is answered."""
        handle = self.handle
        why = None
        if handle is None or message.table != handle.table:
            why = _NO_SEAT
        elif self._asks_moves:
            why = 'wait for "moves"'
        else:
            self._asks_moves = True
            if not handle.look(partial(self._tell_moves, handle, message)):
                self._asks_moves = False
                why = "the table is suspended"
        if why is not None:
            self.peer.refuse(m.Refused(why, message.id))

    def _tell_moves(self, handle: SeatHandle[Any], message: m.AskMoves, view: Any) -> None:
        self._asks_moves = False
        try:
            moves = listed(self._options.games[handle.game], view, handle.seat, message.begun or None)
        except IllegalAction as refusal:
            self.peer.refuse(m.Refused(str(refusal), message.id))
        except Exception:
            self.log.failure("listing the moves of {game} failed", game=handle.game)
            self.peer.hang_up("a fault of the host")
        else:
            self.peer.say(m.Moves(handle.table, handle.n, moves, message.id))

    def leave(self, message: m.Leave) -> None:
        """Resign. `over` follows, once the journal has it."""
        if self.handle is None:
            self._refuse('wait for "seated"')
        else:
            self.handle.resign()

    # -- always

    def ping(self, message: m.Ping) -> None:
        """Answer at once."""
        self.peer.say(m.Pong(message.id))

    # -- looking on

    def look(self, message: m.Lobby) -> None:
        """Show the board, or show it no longer."""
        if message.on:
            self.peer.logged_in()
            self._spectators.board.look(self, self._encoder)
        else:
            self._spectators.board.look_away(self)

    def watch(self, message: m.Watch) -> None:
        """Show a match, or show it no longer."""
        table = TableId(message.table)
        if not message.on:
            self._watched.discard(table)
            self._spectators.unwatch(table, self)
            return
        if self.handle is not None and table == self.handle.table:
            self._refuse("you play in this match")
            return
        try:
            self._spectators.watch(table, self, self._encoder, message.code or "")
        except WatchRefused as refusal:
            self._refuse(str(refusal))
            return
        self._watched.add(table)
        self.peer.logged_in()

    def tell(self, data: bytes) -> None:
        """Pass on what was made for all who look on."""
        self.peer.say(m.Encoded(data))

    def closed(self, table: TableId) -> None:
        """A match is over, or cannot go on."""
        self._watched.discard(table)

    def ask_history(self, message: m.AskHistory) -> None:
        """What has happened in a match. One question at a time: each is read from the disk."""
        if self._asking:
            self._refuse('wait for "history"')
            return
        until, table = None if message.until is UNSET else message.until, TableId(message.table)
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            if self.handle is not None and table == self.handle.table:
                asked = self._spectators.own_history(table, until)
            else:
                asked = self._spectators.history(table, until, message.code or "", games)
        except WatchRefused as refusal:
            self._refuse(str(refusal))
            return
        self._asking = True
        work = partial(self._encoder.answer_history, table, asked)
        key = (self._encoder, asked.key)
        self._withdraw = self._spectators.questions.tell(
            self.peer.address, key, work, self._tell_history, self._history_refused
        )

    def _tell_history(self, told: bytes | WatchRefused) -> None:
        self._asking = False
        if isinstance(told, WatchRefused):
            self._refuse(str(told))
        else:
            self.peer.logged_in()
            self.peer.say(m.Encoded(told))

    def _history_refused(self, refusal: NotAnswered) -> None:
        self._asking = False
        self._refuse(str(refusal))

    def unexpected(self, message: m.Message) -> None:
        """Say what was expected instead."""
        match message:
            case m.Malformed(reason) | UndecodableLine(reason):
                self._refuse(reason + for_people(self.by_hand) if message is HELP else reason)
            case m.Enter() | m.LogIn() if self.state is not State.CHECKING:
                self._refuse("you have logged in already")
            case _:
                self._refuse(_NOT_NOW[self.state])

    def _refuse(self, reason: str) -> None:
        self.peer.refuse(m.Sorry(reason))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends. Somebody who was not let in, for want of room, may try again."""
        self.forget_attempt()
        if self._may_try_again(reason):
            self.say_shutdown(reason)
        else:
            super().say_closing(reason)

    def _may_try_again(self, reason: str) -> bool:
        """Whether somebody who is turned away for this reason may come back soon."""
        return not self._begun and not reason.startswith(ADDRESS_BANNED)

    def end(self) -> None:
        """The connection is gone: nothing is watched any more, and a seat is kept."""
        self._withdraw()
        self._spectators.board.look_away(self)
        for table in tuple(self._watched):
            self._spectators.unwatch(table, self)
        self._watched.clear()
        super().end()

    SPEAKS = SPOKEN
    WRITTEN_IN = "JSON"
    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Ping) for state in State), ping),
        **dict.fromkeys(((state, m.Act) for state in State), play),
        **dict.fromkeys(((state, m.AskMoves) for state in State), ask_moves),
        **dict.fromkeys(((state, m.Lobby) for state in State), look),
        **dict.fromkeys(((state, m.Watch) for state in State), watch),
        **dict.fromkeys(((state, m.AskHistory) for state in State), ask_history),
        (State.OUTSIDE, m.Enter): enter,
        (State.OUTSIDE, m.LogIn): log_in,
        (State.LOBBY, m.Seek): seek,
        (State.LOBBY, m.Join): join,
        (State.WAITING, m.Stop): stop,
        (State.WAITING, m.House): ask_house,
        (State.PLAYING, m.House): ask_house,
        (State.PLAYING, m.Leave): leave,
    }
    CLAIMS: ClassVar[Any] = {(State.OUTSIDE, m.Enter): claim_of_enter, (State.OUTSIDE, m.LogIn): claim_of_log_in}
