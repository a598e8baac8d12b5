"""
All messages of the open wire, one struct each.

A client's message has the key `do`, and a message of the host has the key `is`. The value of this key is the tag of the struct.
The other keys are the fields of the struct. A field that is `UNSET` is left out. The host refuses a client's message with a key
that is not listed here. A client must ignore unknown keys in the host's messages, so that a later version of the host can add
keys.

Numbers of tables, entries and requests are whole numbers that every JSON library can hold exactly. Seats count from 0. `view`
and `event` are the structs of a game (`gamehost.games.messages`). In these docstrings "you" is the player or the watcher at the
client.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from gamehost.games.messages import union_of
from gamehost.players.base import Standing, TurningPoint
from gamehost.wires.framing import Blank, UndecodableLine
from gamehost.wires.open.rows import LadderRow as LadderRow
from gamehost.wires.open.rows import LogInRow as LogInRow
from gamehost.wires.open.rows import OwnRow as OwnRow
from gamehost.wires.open.rows import TableRow as TableRow
from gamehost.wires.open.rows import WaitingRow as WaitingRow
from gamehost.wires.open.values import (
    MOST_DEVICE,
    ClaimName,
    Clocks,
    Due,
    OfferName,
    OfferStep,
    SeatWish,
    SettingValue,
    ShownAs,
    Whole,
)


class ClientMessage(Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """The base of all messages of a client."""


class ServerMessage(Struct, frozen=True, tag_field="is"):
    """The base of all messages of the host."""


# -- messages of a client


class Enter(ClientMessage, frozen=True, tag="enter"):
    """
    Log in as a guest, or come back. `key` is the key of an earlier `entered`: with this key the player gets the seat back that
    the player had then, or logs in to the account. `agent`: a language model or a similar program plays. Other players see
    this, because the wire of this player is shown as `agent`.
    """

    name: str
    key: str | UnsetType = UNSET
    agent: Literal[True] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Enter(...)"  # the key is a secret


class LogIn(ClientMessage, frozen=True, tag="log-in"):
    """
    Log in to an account. If no account has this name, the host makes one with this password. `keep`: `entered` contains a key,
    with which `enter` logs in to the account later. The key is valid until nobody has used it for 90 days, until `log-out` ends
    it, or until the password is changed. `device` is the name of the device in the list of these keys.
    """

    name: str
    password: str
    keep: Literal[True] | UnsetType = UNSET
    device: Annotated[str, Meta(max_length=MOST_DEVICE)] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "LogIn(...)"  # the password is a secret


class AskLogIns(ClientMessage, frozen=True, tag="log-ins"):
    """Ask for the devices that have a key of your account."""


class LogOut(ClientMessage, frozen=True, tag="log-out"):
    """
    End the key with which this connection has logged in, and close the connection.

    With `id`, end the key of another device instead. With `everywhere`, end all keys of the account. Then the answer is
    `log-ins`.
    """

    id: str | UnsetType = UNSET
    everywhere: Literal[True] | UnsetType = UNSET


class ChangePassword(ClientMessage, frozen=True, tag="password"):
    """Change the password of your account. All keys of the account become invalid."""

    old: str
    new: str

    def __repr__(self) -> str:
        return "ChangePassword(...)"  # both are secrets


class SetNotices(ClientMessage, frozen=True, tag="notices"):
    """
    Ask how the host notifies you while you are away. With `by` and `set`, change the settings of one kind in the answer, such
    as `push`. An empty `set` switches this kind off. Without a log-in, `set` contains a proof from a mail.
    """

    by: str | UnsetType = UNSET
    set: dict[str, str] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "SetNotices(...)"  # an endpoint, a code and an address are secrets


class Lobby(ClientMessage, frozen=True, tag="lobby"):
    """Ask for the lists of matches and waiting players, and for all changes; with `on` false, for no more. Needs no log-in."""

    on: bool = True


class Seek(ClientMessage, frozen=True, tag="seek"):
    """
    Look for opponents. The match begins as soon as enough players are there.

    `seats` is the number of players; without it, the smallest number of the game. `settings` are the settings of the game, such
    as `{"move_time": 60}`. With `{"move_days": 3}` the match is slow: it begins when the last seat is taken, and it continues
    while players are not connected. With `house`, house players of this level (`random`, `easy`, `medium` or `hard`), which the
    host itself provides, take the other seats at once. `private`: only clients that know the code can join. `seat`: the seat
    that you want, in games for two players.
    """

    game: str
    seats: Whole | UnsetType = UNSET
    settings: dict[str, SettingValue] = {}
    house: str | UnsetType = UNSET
    private: bool = False
    seat: SeatWish = "any"


class Stop(ClientMessage, frozen=True, tag="stop"):
    """
    Stop looking for opponents. With `table`, give up the seat at this table, or refuse the rematch that is offered there.
    Without it, leave the queue, or give up the seat that you took last.
    """

    table: Whole | UnsetType = UNSET


class House(ClientMessage, frozen=True, tag="house"):
    """Fill all empty seats with house players; in a match, only the `seat` of a player who does not come back in time."""

    level: str
    seat: Whole | UnsetType = UNSET


class Claim(ClientMessage, frozen=True, tag="claim"):
    """
    Decide how a match continues after a player has not come back in time (see the host's message `claim`). `win`: the absent
    player loses, as after `leave`. `draw`: nobody wins. `house`: a house player of this `level` takes the seat. A `refused`
    answer has the same `id`.
    """

    table: Whole
    as_: ClaimName = field(name="as")
    level: str = "easy"
    id: Whole | UnsetType = UNSET


class AskRematch(ClientMessage, frozen=True, tag="rematch"):
    """
    Ask your last opponents for another match; in games for two, the players change seats. The match begins when all have asked.
    With `table`, the opponents are those of this slow match of yours, and the request is valid for two weeks, even if you are
    not connected.
    """

    table: Whole | UnsetType = UNSET


class Join(ClientMessage, frozen=True, tag="join"):
    """Take a seat at a table that waits for players. A private table needs its code."""

    table: Whole
    code: str | UnsetType = UNSET


class AskInvitation(ClientMessage, frozen=True, tag="invitation"):
    """Ask for the players who wait at a table, before you join it. No log-in is needed. A private table needs its code."""

    table: Whole
    code: str | UnsetType = UNSET


class Watch(ClientMessage, frozen=True, tag="watch"):
    """Begin to watch a match, or stop with `on` false. No log-in is needed. A private table needs its code."""

    table: Whole
    on: bool = True
    code: str | UnsetType = UNSET


class AskHistory(ClientMessage, frozen=True, tag="history"):
    """Ask for the events of a match up to the entry `until` of its journal; without `until`, for all. The match may be over."""

    table: Whole
    until: Whole | UnsetType = UNSET
    code: str | UnsetType = UNSET


class AskLadder(ClientMessage, frozen=True, tag="ladder"):
    """Ask for the ratings of all players in a game. No log-in is needed."""

    game: str


class AskStudy(ClientMessage, frozen=True, tag="study"):
    """
    Ask who was ahead at each point of a finished match, and which actions changed this most. No log-in is needed. A private
    match needs its code. The answer may take some seconds.
    """

    table: Whole
    code: str | UnsetType = UNSET


class Act(ClientMessage, frozen=True, tag="act"):
    """Do an action in your match. `action` is written in the notation of the game. A `refused` answer has the same `id`."""

    table: Whole
    action: str
    id: Whole | UnsetType = UNSET


class AskMine(ClientMessage, frozen=True, tag="mine"):
    """Ask for the list of your matches. Each change of the list comes as `row`. With `on` false, no more changes come."""

    on: bool = True


class MarkSeen(ClientMessage, frozen=True, tag="seen"):
    """You have seen how the match at `table` ended (without `table`: all ended matches in your list). They leave the list."""

    table: Whole | UnsetType = UNSET


class TakeHoliday(ClientMessage, frozen=True, tag="holiday"):
    """
    Begin a holiday of 1 to 14 `days`: during this time you lose no slow match for lack of a move. With 0 days, end the holiday.
    Without `days`, only ask. The answer is `holiday`.
    """

    days: Whole | UnsetType = UNSET


class Keep(ClientMessage, frozen=True, tag="keep"):
    """
    Store a `text` for your account instead of the last one: about a `game`, or about the match at the `table` where you sit
    until the end of this match. Only you can read it. An empty text removes it. Without `text`, ask for it. The answer is
    `kept`, or `refused` with the same `id`.
    """

    game: str | UnsetType = UNSET
    table: Whole | UnsetType = UNSET
    text: str | UnsetType = UNSET
    id: Whole | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Keep(...)"  # the text is a secret


class AskMoves(ClientMessage, frozen=True, tag="moves"):
    """
    Ask for the actions that your seat may take now. The answer, `moves` or `refused`, has the same `id`.

    `begun`: the beginning of an action, in games with actions that are listed step by step. `picture` and `view`: the answer
    also contains the state of the match. `advice`: the answer also contains actions that the strongest house player advises;
    only in matches against weaker house players.
    """

    table: Whole
    begun: str | UnsetType = UNSET
    id: Whole | UnsetType = UNSET
    picture: Literal[True] | UnsetType = UNSET
    view: Literal[True] | UnsetType = UNSET
    advice: Literal[True] | UnsetType = UNSET


class Draw(ClientMessage, frozen=True, tag="draw"):
    """Offer the other player a draw, or answer such an offer. A `refused` answer has the same `id`."""

    table: Whole
    step: OfferStep
    id: Whole | UnsetType = UNSET


class Takeback(ClientMessage, frozen=True, tag="takeback"):
    """Ask the other player whether you may take your last move back, or answer this. A `refused` answer has the same `id`."""

    table: Whole
    step: OfferStep
    id: Whole | UnsetType = UNSET


class Say(ClientMessage, frozen=True, tag="say"):
    """Send one of a few fixed phrases, such as `hello`, to the other players of your present match or of your last one."""

    phrase: str


class Leave(ClientMessage, frozen=True, tag="leave"):
    """Resign the match; with `table`, the slow match at this table."""

    table: Whole | UnsetType = UNSET


class Sit(ClientMessage, frozen=True, tag="sit"):
    """
    Open a slow match of yours, to see it and to move. The answer is `seated` with `by`, then `back`. A connection can have at
    most 8 slow matches open, besides another match.
    """

    table: Whole


class Rise(ClientMessage, frozen=True, tag="rise"):
    """Close a slow match that you opened with `sit`. The match continues, and the time for your move still runs."""

    table: Whole


class Ping(ClientMessage, frozen=True, tag="ping"):
    """Ask for a `pong` with the same `id`."""

    id: Whole | UnsetType = UNSET


# -- messages of the host


class Tables(ServerMessage, frozen=True, tag="tables"):
    """The answer to `lobby`: all tables that are not private, and all waiting players."""

    tables: list[TableRow]
    waiting: list[WaitingRow]
    shown_as: ShownAs = UNSET


class TableChanged(ServerMessage, frozen=True, tag="table"):
    """A match at a table has begun, or the row of the table has changed."""

    table: int
    game: str
    names: list[str]
    wires: list[str]
    turn: list[int]
    moves: int
    watchers: int
    shown_as: ShownAs = UNSET


class Gone(ServerMessage, frozen=True, tag="gone"):
    """The match at a table has ended, so the table leaves the list."""

    table: int


class Waiting(ServerMessage, frozen=True, tag="waiting"):
    """The players that wait for one game now. This list replaces the earlier list of the same game."""

    game: str
    waiting: list[WaitingRow]
    shown_as: ShownAs = UNSET


class Mine(ServerMessage, frozen=True, tag="mine"):
    """
    The answer to `mine`: your present match, your tables that wait for players, offers to you, and matches that have ended
    while you were away. Ended matches stay in the list for 14 days, or until you send `seen`.
    """

    matches: list[OwnRow]
    shown_as: ShownAs = UNSET


class OwnChanged(OwnRow, ServerMessage, frozen=True, tag="row"):
    """A match is new in your list, or it has changed, or it has left the list."""

    shown_as: ShownAs = UNSET


class Entered(ServerMessage, frozen=True, tag="entered"):
    """
    You are logged in. A guest gets a `key`: with it, `enter` takes the seat back after a lost connection. An account gets one
    if it asked for one, or if it logged in with one. `table` is the table at which a seat is reserved for you. `account` is
    true for accounts, and is left out for guests. `missed`: matches that have ended while you were away.
    """

    name: str
    key: str | UnsetType = UNSET
    table: int | UnsetType = UNSET
    account: bool | UnsetType = UNSET
    missed: list[OwnRow] | UnsetType = UNSET
    shown_as: ShownAs = UNSET

    def __repr__(self) -> str:
        return "Entered(...)"  # the key is a secret


class LogIns(ServerMessage, frozen=True, tag="log-ins"):
    """The devices that have a key of your account, the most recently used one first."""

    log_ins: list[LogInRow]


class PasswordChanged(ServerMessage, frozen=True, tag="password-changed"):
    """Your password is changed. If this connection has logged in with a key, it gets a new one here."""

    key: str | UnsetType = UNSET

    def __repr__(self) -> str:
        return "PasswordChanged(...)"  # the key is a secret


class NoticeWays(ServerMessage, frozen=True, tag="notices"):
    """
    The answer to `notices`: the kinds of notices that this host can send, and your settings of each kind. After a change, it
    comes when the change is stored. Without a log-in, `ways` is empty.
    """

    ways: dict[str, dict[str, Any]]

    def __repr__(self) -> str:
        return "NoticeWays(...)"  # an address is a secret


class Seeking(ServerMessage, frozen=True, tag="seeking"):
    """
    You wait, because there are not enough players yet.

    `names` are all players with a seat at this table; the message comes again when they change. Other players need `table` and
    `code` for `join`; only a private table has a code. `away`: the players in `names` that are not connected now. The match
    begins when all seats are taken and nobody is away; a slow match begins even if players are away. `lasts`: the table waits
    for a day (for a slow match: two weeks), even if you are not connected. `played`: this table is for the rematch of this slow
    match.
    """

    game: str
    seats: int
    names: list[str]
    settings: dict[str, str] = {}
    table: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    away: list[str] | UnsetType = UNSET
    lasts: Literal[True] | UnsetType = UNSET
    played: int | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Invitation(ServerMessage, frozen=True, tag="invitation"):
    """
    The answer to `invitation`: a table that waits for players. `names` are the players with a seat, first the one who opened
    the table. `away` are the players in `names` that are not connected now.
    """

    table: int
    game: str
    seats: int
    names: list[str]
    settings: dict[str, str]
    away: list[str] | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Rematch(ServerMessage, frozen=True, tag="rematch"):
    """A player of your match at `table` wants a rematch, and waits for you. If `on` is there, it is false: not any more."""

    table: int
    name: str
    on: Literal[False] | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Holiday(ServerMessage, frozen=True, tag="holiday"):
    """
    The answer to `holiday`. `until`: the end of your holiday, in milliseconds since 1970; without it, you have none. `left`:
    the days that you may still take this year. It also comes when you move during a holiday, because the holiday ends a day
    later.
    """

    left: int
    until: int | UnsetType = UNSET


class Kept(ServerMessage, frozen=True, tag="kept"):
    """
    The answer to `keep`: your text is stored, even if the host crashes; or the `text` that you have asked for, empty if there
    is none.
    """

    game: str | UnsetType = UNSET
    table: int | UnsetType = UNSET
    text: str | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Kept(...)"  # the text is a secret


class Stopped(ServerMessage, frozen=True, tag="stopped"):
    """
    The answer to `stop`: you do not wait any more. It also comes, with `why`, if nobody has come within the time limit, or for
    a rematch. A `seeking` follows for each table at which you still wait.
    """

    why: str | UnsetType = UNSET


class Seated(ServerMessage, frozen=True, tag="seated"):
    """
    You have a seat. The events of the match follow. `n` is the number of the last entry before these events. `grace`: if you
    lose the connection while another person is there, the host reserves your seat for this number of milliseconds; without
    `grace`, for 60,000. `by`: in a slow match, when the time of the seat to move ends, in milliseconds since 1970.
    """

    table: int
    game: str
    seat: int
    names: list[str]
    wires: list[str]
    n: int
    clocks: Clocks = UNSET
    due: Due = UNSET
    grace: int | UnsetType = UNSET
    by: int | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Risen(ServerMessage, frozen=True, tag="risen"):
    """The answer to `rise`: the slow match at this table is closed for you."""

    table: int


class Shown(ServerMessage, frozen=True, tag="shown"):
    """
    The answer to `watch`: the present state of the match. `delay`: you see everything this number of seconds later than the
    players. `presence` is there, and false, if another host of a cluster runs the match: then this host does not know which
    players are away.
    """

    table: int
    game: str
    names: list[str]
    wires: list[str]
    away: list[int]
    n: int
    view: Any
    delay: float
    clocks: Clocks = UNSET
    presence: Literal[False] | UnsetType = UNSET
    due: Due = UNSET
    shown_as: ShownAs = UNSET


class Numbered(Struct, frozen=True):
    """An event in a history, with the number of its entry in the journal."""

    n: int
    event: Any


class History(ServerMessage, frozen=True, tag="history"):
    """The answer to `history`: all public events of a match up to entry `n`."""

    table: int
    n: int
    events: list[Numbered]


class Ladder(ServerMessage, frozen=True, tag="ladder"):
    """The answer to `ladder`: the ratings of at most 100 players in a game, the highest first."""

    game: str
    ladder: list[LadderRow]
    shown_as: ShownAs = UNSET


class Study(ServerMessage, frozen=True, tag="study"):
    """
    The answer to `study`: the analysis of a finished match by a house player. `standings`: the chance of each seat to win after
    some of the entries, in percent. `turns`: the worst actions, in the order in which they were played.
    """

    table: int
    standings: list[Standing]
    turns: list[TurningPoint]


class Event(ServerMessage, frozen=True, tag="event"):
    """Something has happened in a match. `n` is the number of its entry in the journal; the first after the opening has 1."""

    table: int
    n: int
    event: Any
    clocks: Clocks = UNSET
    due: Due = UNSET


class Listed(Struct, frozen=True):
    """
    A possible action: `action` in the notation of the game, `parts` as a struct. `more`: it is only the beginning of an action.
    """

    action: str
    parts: Any
    more: Literal[True] | UnsetType = UNSET


class Moves(ServerMessage, frozen=True, tag="moves"):
    """
    The actions that your seat may take after entry `n`. The list is empty if your seat has nothing to do. `id` is that of the
    request.

    `picture` is an SVG document of the state that your seat may see, and `view` the same state as in `back`; both only on
    request. If there are too many actions for a list, such an answer says so in `why`. `advice`: actions to take one after the
    other. `because`: the reason for this advice.
    """

    table: int
    n: int
    moves: list[Listed]
    id: int | UnsetType = UNSET
    picture: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    view: Any = UNSET
    advice: list[str] | UnsetType = UNSET
    because: str | UnsetType = UNSET


class Refused(ServerMessage, frozen=True, tag="refused"):
    """An action or a request had no effect, for the reason `why`. `id` is that of the action or request."""

    why: str
    id: int | UnsetType = UNSET


class Offered(ServerMessage, frozen=True, tag="offered"):
    """A player offers a draw, or asks to take a move back. `declined`, `over` or the event `taken-back` follows."""

    table: int
    n: int
    seat: int
    offer: OfferName


class Declined(ServerMessage, frozen=True, tag="declined"):
    """
    An offer of a seat is not valid any more: it was declined, or the match has continued, or one of the players has lost the
    connection. In a slow match an offer remains valid while players are away.
    """

    table: int
    n: int
    seat: int
    offer: OfferName


class Said(ServerMessage, frozen=True, tag="said"):
    """The player of a seat has sent a phrase. `words` is the `phrase` in English."""

    table: int
    seat: int
    phrase: str
    words: str


class Away(ServerMessage, frozen=True, tag="away"):
    """
    The player of a seat has lost the connection. `kept`: the number of milliseconds for which the host reserves the seat. After
    this time comes `claim`, or the player loses. Without `kept`, nobody has to wait, or the time is not known.
    """

    table: int
    n: int
    seat: int
    kept: int | UnsetType = UNSET


class Claimable(ServerMessage, frozen=True, tag="claim"):
    """
    The player of a seat has not come back in time, and you may claim one of the things in `as`. Without a claim, the player
    loses after `ends` milliseconds, or earlier if the player's own time for the match runs out. If `as` is empty, you can claim
    nothing any more: the player is back, or was replaced.
    """

    table: int
    n: int
    seat: int
    as_: list[ClaimName] = field(name="as")
    ends: int | UnsetType = UNSET


class Left(ServerMessage, frozen=True, tag="left"):
    """The player of a seat has left for good."""

    table: int
    n: int
    seat: int


class Back(ServerMessage, frozen=True, tag="back"):
    """The player of a seat is back. With `view`, the seat is your own, and `view` is the present state of the match."""

    table: int
    n: int
    seat: int
    view: Any = UNSET


class Replaced(ServerMessage, frozen=True, tag="replaced"):
    """The player of a seat did not come back. Another player, called `name`, has the seat now."""

    table: int
    n: int
    seat: int
    name: str


class Suspended(ServerMessage, frozen=True, tag="suspended"):
    """A fault of the host has stopped the match, and its players are free. `why` says this, and how the match may continue."""

    table: int
    why: str = ""


class Over(ServerMessage, frozen=True, tag="over"):
    """
    The match is over. `winners` are seats: none after a draw, several after a shared victory. `cause` is `rules`, `left`,
    `time` or `violation`, and `why` is the cause in words.
    """

    table: int
    n: int
    winners: list[int]
    cause: str
    why: str


class Pong(ServerMessage, frozen=True, tag="pong"):
    """The answer to `ping`."""

    id: int | UnsetType = UNSET


class Sorry(ServerMessage, frozen=True, tag="sorry"):
    """Your last message had no effect: its form is wrong, or it is not possible now. `why` says which."""

    why: str


class Notice(ServerMessage, frozen=True, tag="notice"):
    """A text for people, for example from the owner of the host to all clients. It changes nothing in a match."""

    text: str


class Bye(ServerMessage, frozen=True, tag="bye"):
    """The host closes this connection. `again`: connect again after this number of seconds; without it, do not."""

    why: str
    again: float | UnsetType = UNSET


# -- values that only a codec makes or takes


class Malformed(Struct, frozen=True):
    """A line of JSON that is not a client's message. `reason` says what was expected, and repeats nothing of the line."""

    reason: str


class Encoded(Struct, frozen=True):
    """Messages of the host that are encoded already, as whole lines, because several clients get the same."""

    data: bytes


#: All messages of each side, for decoders.
CLIENT_UNION, SERVER_UNION = union_of(ClientMessage), union_of(ServerMessage)
#: Everything that a codec passes to a conversation, or takes from it.
Message: TypeAlias = ClientMessage | ServerMessage | Encoded | Malformed | UndecodableLine | Blank
