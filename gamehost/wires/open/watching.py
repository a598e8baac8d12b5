"""
Watching on the open wire: handles the messages of watchers, and encodes each message once for all watchers. Also the
state that another host of a cluster needs to continue a conversation.
"""

import re
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import define
from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.json import decode

from gamehost.accounts.names import key_of
from gamehost.accounts.remembered import REMEMBERED_KEY
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.journal.replay import History
from gamehost.lobby.finished import RANKED, FinishedMatches, Tally
from gamehost.lobby.lists import Waiting, WaitingByGame
from gamehost.lobby.questions import Found, NotAnswered, Questions, Work
from gamehost.lobby.queues import Played, RematchWanted, checked_code
from gamehost.lobby.sessions import Session
from gamehost.lobby.studies import Study
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.interfaces import Archived, Away, Back, Left, Look, Over, Suspended, WatchableTable
from gamehost.wires.base import SUSPENDED, Claim, Peer, claim_of_account, claim_of_table
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import to_json
from gamehost.wires.open.values import SettingValue, told_shown
from gamehost.wires.seeking import PlayedGame, SeekingConversation, SeekRefused, Sought, claim_of_slow, claim_of_sought

if TYPE_CHECKING:
    # A wire gets its lobby as an argument, so importing the wire need not import the lobby's module.
    from gamehost.lobby.board import Changes, Shown
    from gamehost.lobby.directory import HistoryQuestion
    from gamehost.lobby.lobby import Lobby


class OpenOptions(Struct, frozen=True):
    """The name of the open wire, and the games that can be played on it."""

    #: The wire's name, for the lobby.
    wire: str
    #: The games, by their names.
    games: Mapping[str, PlayedGame]


def told_clocks(clocks: Sequence[int] | None) -> list[int] | UnsetType:
    """Returns the clocks as a field of a message."""
    return UNSET if clocks is None else list(clocks)


def told_due(due: tuple[int, int] | None) -> tuple[int, int] | UnsetType:
    """Returns the time for the present decision as a field of a message."""
    return UNSET if due is None else due


#: The reason for the end of a match that all players have left for too long.
ARCHIVED = "nobody came back"


def of_table(event: Any, table: int, n: int) -> Any:
    """
    Returns the message for an event that all players and watchers of a table receive; `None`: the event is not one of
    these.

    :param n: the number of the last entry of the match's journal
    """
    match event:
        case Away(seat):
            return m.Away(table, n, seat)
        case Left(seat):
            return m.Left(table, n, seat)
        case Back(seat):
            return m.Back(table, n, seat)
        case Suspended():
            return m.Suspended(table, SUSPENDED)
        case Archived():
            return m.Over(table, n, [], "left", ARCHIVED)
        case Over(result):
            return m.Over(table, n, list(result.winners), result.cause.value, result.why)
    return None


def _shown_of(waiting: Waiting) -> Mapping[str, str]:
    """Returns the display names of the players that wait for a game."""
    named = [waiting.shown_as, *(table.shown_as for table in waiting.tables)]
    return {key: one[key] for one in named for key in one}


def ladder_of(tally: Tally, game: str) -> m.Ladder:
    """Returns the message with the ratings in a game, at most `RANKED` players."""
    rows: list[m.LadderRow] = []
    shown: dict[str, str] = {}
    for who, one in tally.ladders.get(game, [])[:RANKED]:
        if one.shown:
            shown[who.name] = one.shown
        kind: Literal["account", "house"] = "house" if who.kind == "house" else "account"
        rows.append(m.LadderRow(who.name, kind, *one.rounded, one.matches))
    return m.Ladder(game, rows, told_shown(shown))


@define(eq=False)
class SharedEncoder:
    """
    Encodes messages for watchers. The bytes are the same for all watchers on lines, or for all watchers on WebSocket.

    :param options: the wire's games
    :param carried: makes a line or a frame from the bytes of one message
    """

    _options: OpenOptions
    _carried: Callable[[bytes], bytes] = lambda text: text + b"\n"

    # -- of a match

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """Returns the message `shown` with the state of the match."""
        view = self._options.games[table.game.name].messages.view(look.view)
        names, wires = list(table.names), list(table.wires)
        away, clocks = list[int](look.away or ()), told_clocks(table.clocks)
        # `look.away` is `None` at another host of a cluster, which does not know who is away.
        presence: Any = False if look.away is None else UNSET
        return self._bytes(
            [
                m.Shown(
                    table.id,
                    table.game.name,
                    names,
                    wires=wires,
                    away=away,
                    n=look.n,
                    view=view,
                    delay=delay,
                    clocks=clocks,
                    presence=presence,
                    due=told_due(table.due),
                    shown_as=told_shown(table.shown_as),
                )
            ]
        )

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        """Returns the message for an event of the table or of its game; empty if there is no message for it."""
        message = of_table(event, table.id, n)
        if message is None:
            told = self._options.games[table.game.name].messages.event(event)
            if told is None:
                return b""
            message = m.Event(table.id, n, told, told_clocks(table.clocks), told_due(table.due))
        return self._bytes([message])

    def history(self, table: int, game: str, told: History[Any]) -> Generator[None, None, m.History]:
        """
        Makes the message `history`, without the events for which the game has no message. Each step of the generator
        makes one event, so that a long history can be made in slices.
        """
        messages, made = self._options.games[game].messages, list[m.Numbered]()
        for number, event in told.events:
            message = messages.event(event)
            if message is not None:
                made.append(m.Numbered(number, message))
            yield
        return m.History(table, told.n, made)

    async def answer_history(self, questions: Questions, table: int, asked: "HistoryQuestion") -> Found:
        """
        Finds the answer to `history` when its turn has come: the bytes of the message, or the reason why there is none.
        """
        game, told = await asked.read()
        if isinstance(told, WatchRefused):
            # Without a size, the answer is not cached.
            return Found(told)
        data = self._bytes([await questions.in_slices(self.history(table, game, told))])
        # Only the history of a match that can change no more is cached.
        return Found(data, len(data) if asked.lasting else 0)

    async def answer_ladder(self, finished: FinishedMatches, game: str) -> Found:
        """Finds the answer to `ladder` when its turn has come: the bytes of the message."""
        tally = await finished.tally()
        data = self._bytes([ladder_of(tally, game)])
        return Found(data, len(data), finished.seconds_left(tally))

    # -- of the board

    def board(self, shown: "Sequence[Shown]", waiting: WaitingByGame) -> bytes:
        """Returns the message `tables` with all matches and all waiting players."""
        # Matches of games that this wire does not have are left out.
        rows = [m.TableRow(*self._row(*one)) for one in shown if one[0].game.name in self._options.games]
        groups = [row for game, one in waiting.items() for row in self._waiting(game, one)]
        named = [one[0].shown_as for one in shown] + [_shown_of(one) for one in waiting.values()]
        return self._bytes([m.Tables(rows, groups, told_shown({key: one[key] for one in named for key in one}))])

    def changes(self, changes: "Changes") -> bytes:
        """Returns the messages with the changes of the lists since the last call."""
        known = self._options.games
        return self._bytes(
            [
                *(
                    m.TableChanged(*self._row(*one), told_shown(one[0].shown_as))
                    for one in changes.changed
                    if one[0].game.name in known
                ),
                *map(m.Gone, changes.gone),
                *(
                    m.Waiting(game, self._waiting(game, one), told_shown({} if one is None else _shown_of(one)))
                    for game, one in changes.waiting.items()
                    if game in known
                ),
            ]
        )

    def _row(
        self, table: WatchableTable, look: Look[Any] | None, watchers: int
    ) -> tuple[int, str, list[str], list[str], list[int], int, int]:
        """
        Returns the fields of a match's row in the list.

        :param look: the state of the match that everybody may see; `None`: no state is known
        """
        if look is None:
            # Without a state: no seat may act, and no entries are known.
            return table.id, table.game.name, list(table.names), list(table.wires), [], 0, watchers
        view = self._options.games[table.game.name].messages.view(look.view)
        # The view of Paper Soccer has the field `next` instead of `turn`.
        turn = getattr(view, "turn", getattr(view, "next", None))
        turns = [] if turn is None else [turn]
        return table.id, table.game.name, list(table.names), list(table.wires), turns, look.n, watchers

    def _waiting(self, name: str, waiting: Waiting | None) -> list[m.WaitingRow]:
        """Returns the rows of the players that wait for a game: one for its queue, and one for each table."""
        if waiting is None or name not in self._options.games:
            return []
        least = self._options.games[name].game.least_seats
        # The row of the queue; a queue is for the smallest number of players.
        rows = [m.WaitingRow(name, least, list(waiting.names))] if waiting.names else []
        for table in waiting.tables:
            settings, away = dict(table.settings), list(table.away) or UNSET
            rows.append(m.WaitingRow(name, table.seats, list(table.names), settings, table.table, away))
        return rows

    def _bytes(self, messages: Iterable[Struct]) -> bytes:
        """Encodes messages one after another."""
        return b"".join([self._carried(to_json(message)) for message in messages])


class LookingOn(SeekingConversation[m.Message]):
    """
    The part of a conversation for watchers: the lists of the lobby, the watched matches, histories, ratings and
    studies.

    :param options: the wire's games
    :param encoder: makes the messages for all watchers; the same for all connections of a listener
    """

    #: The client's seats at slow matches; `None`: it has not had one so far.
    _slow: Any = None

    def __init__(self, peer: Peer[m.Message], lobby: "Lobby", options: OpenOptions, encoder: SharedEncoder) -> None:
        super().__init__(peer, lobby, OpenState.OUTSIDE)
        self._options = options
        self._encoder = encoder
        #: The matches that this client watches, and their codes.
        self._watched: dict[TableId, str] = {}
        #: Whether an answer to `history` or `ladder` is being prepared. `_withdraw` cancels it.
        self._asking = False
        self._withdraw: Callable[[], None] = lambda: None
        self._studies = lobby.studies
        #: Whether a study is being prepared. `_leave_study` cancels it.
        self._studying = False
        self._leave_study: Callable[[], None] = lambda: None

    def look(self, message: m.Lobby) -> None:
        """Begins or stops sending the lists of matches and waiting players."""
        if message.on:
            # A watcher needs no log-in, so the deadline for it ends.
            self.peer.logged_in()
            self._directory.board.look(self, self._encoder)
        else:
            self._directory.board.look_away(self)

    def watch(self, message: m.Watch) -> None:
        """Begins or stops watching a match."""
        table = TableId(message.table)
        if not message.on:
            self._watched.pop(table, None)
            self._directory.unwatch(table, self)
            return
        if self.handle is not None and table == self.handle.table:
            # Otherwise the client would receive every event twice.
            self._refuse("you play in this match")
            return
        try:
            self._directory.watch(table, self, self._encoder, checked_code(message.code or ""))
        except WatchRefused as refusal:
            self._refuse(str(refusal))
            return
        self._watched[table] = checked_code(message.code or "")
        # A watcher needs no log-in, so the deadline for it ends.
        self.peer.logged_in()

    def tell(self, data: bytes) -> None:
        """Sends bytes that the encoder has made for all watchers."""
        self.peer.say(m.Encoded(data))

    def closed(self, table: TableId) -> None:
        """Forgets a watched match, which is over or cannot continue."""
        self._watched.pop(table, None)

    def _slow_seat(self, table: int) -> Any:
        """Returns the client's seat at a slow match; `None`: the client has not opened the match with this number."""
        seat = None if self._slow is None else self._slow.get(table)
        return None if seat is None or seat.handle is None else seat

    def ask_history(self, message: m.AskHistory) -> None:
        """Answers with the history of a match. Only one request at a time, because each is read from the disk."""
        # `until`: the last entry of the journal that the client wants; `None`: all entries.
        until, table = None if message.until is UNSET else message.until, TableId(message.table)
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            # A player may read more of an own match than a watcher may.
            sits = self._slow is not None and self._slow.get(table) is not None
            if sits or (self.handle is not None and table == self.handle.table):
                asked = self._directory.own_history(table, until)
            else:
                asked = self._directory.history(table, until, checked_code(message.code or ""), games)
        except WatchRefused as refusal:
            self._refuse(str(refusal))
            return
        self._ask(asked.key, partial(self._encoder.answer_history, self._directory.questions, table, asked))

    def ask_ladder(self, message: m.AskLadder) -> None:
        """Answers with the ratings in a game."""
        if message.game not in self._options.games:
            self._refuse(f"no such game; expected one of {', '.join(self._options.games)}")
            return
        finished = self._directory.finished
        work = partial(self._encoder.answer_ladder, finished, message.game)
        self._ask(("ladder", finished.edition, message.game), work)

    def _ask(self, key: Hashable, work: Work) -> None:
        """
        Queues a request for a history or for ratings. Only one at a time is allowed.

        :param key: requests with the same key get the same answer
        :param work: finds the answer
        """
        if self._asking:
            self._refuse('wait for "history" or "ladder"')
            return
        self._asking = True
        # The answer is bytes of this encoder, so other encoders' answers must not be used.
        questions, key = self._directory.questions, (self._encoder, key)
        self._withdraw = questions.tell(self.peer.address, key, work, self._tell_found, self._tell_found)

    def _tell_found(self, told: bytes | WatchRefused | NotAnswered) -> None:
        """Sends the answer to a request, or the reason of its refusal."""
        self._asking = False
        if isinstance(told, bytes):
            # A client that reads histories needs no log-in, so the deadline for it ends.
            self.peer.logged_in()
            self.peer.say(m.Encoded(told))
        else:
            self._refuse(str(told))

    def ask_study(self, message: m.AskStudy) -> None:
        """
        Answers with the study of a finished match. Only one request at a time, because each takes seconds of work.
        """
        if self._studying:
            self._refuse('wait for "study"')
            return
        table = TableId(message.table)
        games = {name: played.game for name, played in self._options.games.items()}
        self._studying = True
        told = partial(self._tell_study, table)
        # The first callback gets the study, the second one the reason why there is none.
        self._leave_study = self._studies.ask(
            self.peer.address, table, checked_code(message.code or ""), games, told, self._no_study
        )

    def _tell_study(self, table: TableId, study: Study) -> None:
        self._studying = False
        self.peer.logged_in()
        self.peer.say(m.Study(table, study.standings, study.turns))

    def _no_study(self, refusal: NotAnswered) -> None:
        self._studying = False
        self._refuse(str(refusal))

    def _refuse(self, reason: str) -> None:
        self.peer.refuse(m.Sorry(reason))

    def end(self) -> None:
        """Stops watching, cancels all requests, and leaves the lobby. A seat at a table remains reserved."""
        self._withdraw()
        self._leave_study()
        self._directory.board.look_away(self)
        for table in tuple(self._watched):
            self._directory.unwatch(table, self)
        self._watched.clear()
        super().end()

    def looks_on(self) -> dict[str, Any] | None:
        """
        Returns the lists and matches that the client watches, for another host of a cluster that continues the
        conversation; `None`: this host must first finish an answer.
        """
        if self._asking or self._studying:
            return None
        board = self._directory.board.is_looked_at_by(self)
        return {"board": board, "watched": list(self._watched.items())}

    def look_on(self, looks: Mapping[str, Any]) -> None:
        """
        Continues to watch the same lists and matches, which the client watched at another host. The client receives
        them again.
        """
        if looks["board"]:
            self.look(m.Lobby(True))
        for table, code in looks["watched"]:
            self.watch(m.Watch(table, True, code))

    #: Message -> the method that handles it. These messages are accepted in every state.
    LOOKS: ClassVar[Mapping[type, Callable[..., None]]] = {
        m.Lobby: look,
        m.Watch: watch,
        m.AskHistory: ask_history,
        m.AskLadder: ask_ladder,
        m.AskStudy: ask_study,
    }


# The part of a conversation about other hosts of a cluster: the claims of its messages, and how another host continues
# the conversation.


class OpenState(Enum):
    """The state of a connection. It decides which messages are accepted."""

    #: Not logged in. The client may watch.
    OUTSIDE = "outside"
    #: The password of an account is being checked.
    CHECKING = "checking"
    #: Logged in.
    LOBBY = "lobby"
    #: Seeks opponents in a queue, or waits at a table.
    WAITING = "waiting"
    #: Has a seat in a match, or is about to get it back.
    PLAYING = "playing"


#: The number of random bits in a guest's key. The key is written in hexadecimal.
KEY_BITS = 128
KEY = re.compile(rf"[0-9a-f]{{{KEY_BITS // 4}}}", re.ASCII)

_WISHES: Mapping[str, Seat | None] = {"first": Seat(0), "second": Seat(1), "any": None}


def asked_for(message: m.Seek) -> Sought:
    """Returns the wish in the message `seek`, not checked yet."""
    seats = None if message.seats is UNSET else message.seats
    settings = {name: _text(value) for name, value in message.settings.items()}
    return Sought(message.game, seats, settings, message.private, _WISHES[message.seat])


def _text(value: SettingValue) -> str:
    """Returns the value of a setting as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


class GoesElsewhere(LookingOn):
    """The part of a conversation that another host of a cluster can continue, unless its client plays a match."""

    #: The `RememberedLogin.id` of the key with which this connection has logged in; empty: it has none.
    _login_id = ""
    #: The client's last match, and another player's wish for a rematch of it.
    _played: Played | None = None
    _rematch: RematchWanted | None = None

    def claim_of_enter(self, message: m.Enter) -> Claim | None:
        """Returns the claim to the player's name; `None`: the key is malformed, so every host would refuse it."""
        if message.key is not UNSET and not (KEY.fullmatch(message.key) or REMEMBERED_KEY.fullmatch(message.key)):
            return None
        return claim_of_account(message.name, typed=True)

    def claim_of_log_in(self, message: m.LogIn) -> Claim | None:
        return claim_of_account(message.name, typed=True)

    def claim_of_seek(self, message: m.Seek) -> Claim | None:
        """
        Returns the claim to a fitting table that waits at another host. If such a table waits here, there is no claim.
        """
        try:
            sought = self._wanted(asked_for(message))
        except SeekRefused:
            return None
        # Matches against house players begin at this host.
        return claim_of_sought(self.lobby, sought) if message.house is UNSET else None

    def claim_of_join(self, message: m.Join | m.AskInvitation) -> Claim | None:
        """
        Returns the claim to the table, so that its host handles the message. A client that waits at a table here cannot
        move.
        """
        at_table = self.session is not None and self.lobby.waits_at_table(self.session)
        return None if at_table else claim_of_table(TableId(message.table))

    def claim_of_sit(self, message: m.Sit) -> Claim | None:
        return claim_of_slow(self.lobby, self.session, TableId(message.table))

    def claim_of_rematch(self, message: m.AskRematch) -> Claim | None:
        """
        Returns the claim for a rematch. All players move to the host of the first player that is not at this host any
        more.
        """
        played = self._played
        # A slow match, no match, house players, or a table that already waits here for the rematch: this host can do
        # it.
        if message.table is not UNSET or played is None or played.house or self._rematch is not None:
            return None
        if not (absent := self.lobby.not_here(played)):
            return None
        # The key of this player's name leads all players of the match to the same host.
        return Claim(place=key_of(absent[0]))

    def parcel(self) -> str | None:
        """
        Returns the state for another host: the watched lists and matches, the last match, and the client's wish. With
        the wish, a client that waits in a queue can continue to wait at the other host.
        """
        looks = self.looks_on()
        waits = self.state is OpenState.WAITING
        # An answer is being prepared, or a match is on.
        if looks is None or self.state in (OpenState.CHECKING, OpenState.PLAYING):
            return None
        if not self._can_go(waits):
            return None
        told = {"seeks": self._seeks if waits else None, "played": self._played, "login_id": self._login_id}
        return to_json({**looks, **told}).decode("utf-8")

    def unpack(self, parcel: str, session: Session | None) -> None:
        """
        Continues to watch the same things, and to wait in the same queue. The client has already received `seeking`.
        """
        told = decode(parcel)
        if session is not None:
            self.logged_in(session)
            self._login_id = told["login_id"]
            self.set_state(OpenState.LOBBY)
            if told["played"] is not None:
                self._played = convert(told["played"], Played)
                # The other players of this match may ask for a rematch of it.
                session.last_table = self._played.table
        # The state has the keys of `looks_on`, too.
        self.look_on(told)
        if session is not None and told["seeks"] is not None:
            self.set_state(OpenState.WAITING)
            self._seeks = convert(told["seeks"], Sought)
            self.adopt(session)

    CLAIMS: ClassVar[Any] = {
        (OpenState.OUTSIDE, m.Enter): claim_of_enter,
        (OpenState.OUTSIDE, m.LogIn): claim_of_log_in,
        (OpenState.LOBBY, m.Seek): claim_of_seek,
        (OpenState.LOBBY, m.Join): claim_of_join,
        (OpenState.LOBBY, m.AskRematch): claim_of_rematch,
        (OpenState.LOBBY, m.Sit): claim_of_sit,
        **dict.fromkeys(((state, m.AskInvitation) for state in OpenState), claim_of_join),
    }
