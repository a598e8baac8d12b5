"""
All messages of the open wire, one struct each.

A client's message has the key `do`, and the host's have the key `is`; its value is the tag of the struct. The other keys are
the fields. A field that is `UNSET` is left out. Clients' messages with keys that are not listed here are refused. Clients must
ignore unknown keys in the host's messages, so that a later host may say more.

Numbers of tables, entries and requests are whole numbers that every JSON library can hold exactly. Seats count from 0.
`view` and `event` are the structs of a game (`gamehost.games.messages`).
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


# -- what a client says


class Enter(ClientMessage, frozen=True, tag="enter"):
    """
    Log in as a guest, or come back. `key` is the key that an earlier `entered` gave: it takes the seat of that time back, or
    logs in to the account. `agent`: a language model plays, or the like. Others are told so: its wire is `agent`.
    """

    name: str
    key: str | UnsetType = UNSET
    agent: Literal[True] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Enter(...)"  # the key is a secret


class LogIn(ClientMessage, frozen=True, tag="log-in"):
    """
    Log in to an account. A free name becomes an account with this password. `keep`: `entered` gives a key, with which `enter`
    logs in to the account. The key counts until 90 days have passed without its use, or it is ended by `log-out`, or the
    password is changed. `device` names the device in the list of these log-ins.
    """

    name: str
    password: str
    keep: Literal[True] | UnsetType = UNSET
    device: Annotated[str, Meta(max_length=MOST_DEVICE)] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "LogIn(...)"  # the password is a secret


class AskLogIns(ClientMessage, frozen=True, tag="log-ins"):
    """Ask on which devices a key logs in to the own account."""


class LogOut(ClientMessage, frozen=True, tag="log-out"):
    """
    End the key that this connection has logged in with, and the connection. With `id`, end the key of that device instead, and
    with `everywhere` all keys of the account; then the answer is `log-ins`.
    """

    id: str | UnsetType = UNSET
    everywhere: Literal[True] | UnsetType = UNSET


class ChangePassword(ClientMessage, frozen=True, tag="password"):
    """Change the password of the own account. All keys of the account end."""

    old: str
    new: str

    def __repr__(self) -> str:
        return "ChangePassword(...)"  # both are secrets


class SetNotices(ClientMessage, frozen=True, tag="notices"):
    """
    Ask how you are told what happens while you are away. With `by` and `set`, change one of the ways in the answer, such as
    `push`. An empty `set` ends it. Without a log-in, `set` has a proof from a mail.
    """

    by: str | UnsetType = UNSET
    set: dict[str, str] | UnsetType = UNSET

    def __repr__(self) -> str:
        return "SetNotices(...)"  # an endpoint, a code and an address are secrets


class Lobby(ClientMessage, frozen=True, tag="lobby"):
    """Be told which tables there are and who waits, or be told so no longer. Needs no log-in."""

    on: bool = True


class Seek(ClientMessage, frozen=True, tag="seek"):
    """
    Look for opponents. The match begins as soon as there are enough.

    Without `seats`, the game's least number. `settings` are the game's, such as `{"move_time": 60}`. With `{"move_days": 3}`
    the match is slow: it begins when the last seat is taken, and goes on, whoever is connected. With `house`, the host's own
    players of this level (`random`, `easy`, `medium` or `hard`) take the other seats at once. `private`: only clients that
    know the code can join. `seat`: in games of two.
    """

    game: str
    seats: Whole | UnsetType = UNSET
    settings: dict[str, SettingValue] = {}
    house: str | UnsetType = UNSET
    private: bool = False
    seat: SeatWish = "any"


class Stop(ClientMessage, frozen=True, tag="stop"):
    """
    Look for opponents no longer. `table`: wait there no longer, or refuse the rematch that is offered there; without it, at the
    last one.
    """

    table: Whole | UnsetType = UNSET


class House(ClientMessage, frozen=True, tag="house"):
    """Have house players take all empty seats; in a match, the `seat` of a player who is away and does not come back."""

    level: str
    seat: Whole | UnsetType = UNSET


class Claim(ClientMessage, frozen=True, tag="claim"):
    """
    Decide what becomes of a match with a player who has not come back in time (the host's `claim`). `win`: the absent player
    loses as one who leaves. `house`: a house player of this `level` goes on. `id` comes back in `refused`.
    """

    table: Whole
    as_: ClaimName = field(name="as")
    level: str = "easy"
    id: Whole | UnsetType = UNSET


class AskRematch(ClientMessage, frozen=True, tag="rematch"):
    """
    Play the last opponents again, with colours changed. The match begins when all of them have asked. With `table`, those of
    this slow match of yours: your wish waits for two weeks, whoever is connected.
    """

    table: Whole | UnsetType = UNSET


class Join(ClientMessage, frozen=True, tag="join"):
    """Take a seat at a table that waits for players. A private table needs its code."""

    table: Whole
    code: str | UnsetType = UNSET


class AskInvitation(ClientMessage, frozen=True, tag="invitation"):
    """Ask who waits at a table for more players. Needs no log-in. A private table needs its code."""

    table: Whole
    code: str | UnsetType = UNSET


class Watch(ClientMessage, frozen=True, tag="watch"):
    """Look on at a table, or look on no longer. Needs no log-in. A private table needs its code."""

    table: Whole
    on: bool = True
    code: str | UnsetType = UNSET


class AskHistory(ClientMessage, frozen=True, tag="history"):
    """Ask what has happened at a table, up to entry `until` of its journal or all of it. The match may be over."""

    table: Whole
    until: Whole | UnsetType = UNSET
    code: str | UnsetType = UNSET


class AskLadder(ClientMessage, frozen=True, tag="ladder"):
    """Ask who has which rating in a game. Needs no log-in."""

    game: str


class AskStudy(ClientMessage, frozen=True, tag="study"):
    """
    Ask who was ahead in a finished match, and where it turned. Needs no log-in. A private match needs its code. The answer may
    take some seconds.
    """

    table: Whole
    code: str | UnsetType = UNSET


class Act(ClientMessage, frozen=True, tag="act"):
    """Act at the own table: `action` is the game's own notation. `id` comes back in `refused`."""

    table: Whole
    action: str
    id: Whole | UnsetType = UNSET


class AskMine(ClientMessage, frozen=True, tag="mine"):
    """Ask for the list of your matches, and be told each change of it with `row`; or be told so no longer."""

    on: bool = True


class MarkSeen(ClientMessage, frozen=True, tag="seen"):
    """You have seen how the match at a `table` has ended; without it, how all in your list have."""

    table: Whole | UnsetType = UNSET


class TakeHoliday(ClientMessage, frozen=True, tag="holiday"):
    """
    Be away for 1 to 14 `days`: no slow match ends because you do not move. 0: you are back. Without it, ask. The answer is
    `holiday`.
    """

    days: Whole | UnsetType = UNSET


class Keep(ClientMessage, frozen=True, tag="keep"):
    """
    Let the host keep a `text` of your account, in place of the last one: about a `game`, or until its end about the match at
    the `table` where you sit. Only you can read it. An empty text removes it. Without `text`, ask for it. The answer is `kept`,
    or `refused` with `id`.
    """

    game: str | UnsetType = UNSET
    table: Whole | UnsetType = UNSET
    text: str | UnsetType = UNSET
    id: Whole | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Keep(...)"  # the text is a secret


class AskMoves(ClientMessage, frozen=True, tag="moves"):
    """
    Ask which actions the own seat may take now. `id` comes back in `moves`, or in `refused`.

    `begun`: of a game whose actions are shown step by step, the beginning of one. `picture` and `view`: show how the match
    stands, too. `advice`: say what a stronger house player than the opponents would do, against house players.
    """

    table: Whole
    begun: str | UnsetType = UNSET
    id: Whole | UnsetType = UNSET
    picture: Literal[True] | UnsetType = UNSET
    view: Literal[True] | UnsetType = UNSET
    advice: Literal[True] | UnsetType = UNSET


class Draw(ClientMessage, frozen=True, tag="draw"):
    """Offer the other player a draw, or answer such an offer. `id` comes back in `refused`."""

    table: Whole
    step: OfferStep
    id: Whole | UnsetType = UNSET


class Takeback(ClientMessage, frozen=True, tag="takeback"):
    """
    Ask the other player whether you may take your last move back, or answer such a question. `id` comes back in `refused`.
    """

    table: Whole
    step: OfferStep
    id: Whole | UnsetType = UNSET


class Say(ClientMessage, frozen=True, tag="say"):
    """Say one of a few phrases to the other players of your match, that of now or the last one: `hello`, for instance."""

    phrase: str


class Leave(ClientMessage, frozen=True, tag="leave"):
    """Resign the match; with `table`, the slow match at which you sit."""

    table: Whole | UnsetType = UNSET


class Sit(ClientMessage, frozen=True, tag="sit"):
    """
    Sit down at a slow match of yours, to look and to move. The answer is `seated` with `by`, then `back`. A connection sits at
    8 of them at most, besides another match.
    """

    table: Whole


class Rise(ClientMessage, frozen=True, tag="rise"):
    """Rise from a slow match. It goes on, and so does the time for your move."""

    table: Whole


class Ping(ClientMessage, frozen=True, tag="ping"):
    """Ask for a `pong`."""

    id: Whole | UnsetType = UNSET


# -- what the host says


class Tables(ServerMessage, frozen=True, tag="tables"):
    """The answer to `lobby`: all tables that are not private, and all who wait."""

    tables: list[TableRow]
    waiting: list[WaitingRow]
    shown_as: ShownAs = UNSET


class TableChanged(ServerMessage, frozen=True, tag="table"):
    """A table is new, or has changed."""

    table: int
    game: str
    names: list[str]
    wires: list[str]
    turn: list[int]
    moves: int
    watchers: int
    shown_as: ShownAs = UNSET


class Gone(ServerMessage, frozen=True, tag="gone"):
    """A table's match is over."""

    table: int


class Waiting(ServerMessage, frozen=True, tag="waiting"):
    """The players that wait for one game now. This list replaces the earlier list of the same game."""

    game: str
    waiting: list[WaitingRow]
    shown_as: ShownAs = UNSET


class Mine(ServerMessage, frozen=True, tag="mine"):
    """
    The answer to `mine`: the match at which you sit, your tables that wait, what you are offered, and matches that have
    ended while you were away. Those stay in the list until you say `seen`, for 14 days.
    """

    matches: list[OwnRow]
    shown_as: ShownAs = UNSET


class OwnChanged(OwnRow, ServerMessage, frozen=True, tag="row"):
    """A match in your list is new, or has changed."""

    shown_as: ShownAs = UNSET


class Entered(ServerMessage, frozen=True, tag="entered"):
    """
    Logged in. A guest gets a `key`: with it, `enter` takes the seat back after a lost connection. So does an account that asked
    for one, or has come with one. `table` is the table where a
    seat was kept. `account` is there for accounts alone. `missed`: matches that have ended while you were away.
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
    """The devices on which a key logs in to the own account, the one that was used last first."""

    log_ins: list[LogInRow]


class PasswordChanged(ServerMessage, frozen=True, tag="password-changed"):
    """The password was changed. A connection that had a key gets another one."""

    key: str | UnsetType = UNSET

    def __repr__(self) -> str:
        return "PasswordChanged(...)"  # the key is a secret


class NoticeWays(ServerMessage, frozen=True, tag="notices"):
    """
    How you are told what happens while you are away: the ways that this host has, and what is set for you. It answers
    `notices`, when a change is durable. Without a log-in, `ways` is empty.
    """

    ways: dict[str, dict[str, Any]]

    def __repr__(self) -> str:
        return "NoticeWays(...)"  # an address is a secret


class Seeking(ServerMessage, frozen=True, tag="seeking"):
    """
    No opponent yet, or not enough. `names` are all who have a seat at this table, and it is said again when they change.
    `table` and `code` are what others need for `join`; there is no code at a table that is not private. `away`: those of them
    who are not connected now. The match begins when all seats are taken and nobody is away; a slow one, whoever is away.
    `lasts`: the table waits for a day, of a slow match for two weeks, whoever is connected. `played`: it is for the rematch of
    this slow match.
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
    A table waits for players: `names` are those who have a seat, the one who opened it first; `away` are those of them who are
    not connected now.
    """

    table: int
    game: str
    seats: int
    names: list[str]
    settings: dict[str, str]
    away: list[str] | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Rematch(ServerMessage, frozen=True, tag="rematch"):
    """
    A player of the match that you have played at `table` wants a rematch, and waits for yours. If `on` is there, it is false:
    the player does not wait any more.
    """

    table: int
    name: str
    on: Literal[False] | UnsetType = UNSET
    shown_as: ShownAs = UNSET


class Holiday(ServerMessage, frozen=True, tag="holiday"):
    """
    You are on holiday until `until`, in milliseconds since 1970, or not. `left`: the days that you may still take in this
    year. It comes without a question when you move: the holiday ends then, a day later.
    """

    left: int
    until: int | UnsetType = UNSET


class Kept(ServerMessage, frozen=True, tag="kept"):
    """
    The answer to `keep`: the host keeps your text, and a crash does not lose it; or the `text` that you have asked for, empty
    if there is none.
    """

    game: str | UnsetType = UNSET
    table: int | UnsetType = UNSET
    text: str | UnsetType = UNSET

    def __repr__(self) -> str:
        return "Kept(...)"  # the text is a secret


class Stopped(ServerMessage, frozen=True, tag="stopped"):
    """
    The answer to `stop`. The host also says it if nobody comes within the time limit, or for a rematch; then with `why`.
    The tables at which you wait on are told again, by `seeking`.
    """

    why: str | UnsetType = UNSET


class Seated(ServerMessage, frozen=True, tag="seated"):
    """
    You have a seat. The events of the match follow. `n` is the number of the last entry before them. `grace`: if you lose the
    connection while another person is there, your seat is kept for so many milliseconds; without it, for 60,000. `by`: of a
    slow match, when the time of the seat to move is over, in milliseconds since 1970.
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
    """The answer to `rise`."""

    table: int


class Shown(ServerMessage, frozen=True, tag="shown"):
    """
    You look on at a table, and this is how the match stands. `delay`: you see everything so many seconds later. `presence` is
    there, and false, if another host of a cluster plays the match: then it is not known who is away.
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
    """An event and the number of its entry."""

    n: int
    event: Any


class History(ServerMessage, frozen=True, tag="history"):
    """What has happened at a table up to entry `n`, as everybody may know it."""

    table: int
    n: int
    events: list[Numbered]


class Ladder(ServerMessage, frozen=True, tag="ladder"):
    """Who has a rating in a game, the best one first: no more than 100."""

    game: str
    ladder: list[LadderRow]
    shown_as: ShownAs = UNSET


class Study(ServerMessage, frozen=True, tag="study"):
    """
    A house player has walked through a match. `standings`: what each seat might expect to win after some entries, in percent.
    `turns`: the worst actions, in their order.
    """

    table: int
    standings: list[Standing]
    turns: list[TurningPoint]


class Event(ServerMessage, frozen=True, tag="event"):
    """Something happened at a table. Its entry in the journal has the number `n`; the first one after the opening has 1."""

    table: int
    n: int
    event: Any
    clocks: Clocks = UNSET
    due: Due = UNSET


class Listed(Struct, frozen=True):
    """
    An action that can be taken: in the game's own notation, and in parts. `more`: it is the beginning of one, and needs more.
    """

    action: str
    parts: Any
    more: Literal[True] | UnsetType = UNSET


class Moves(ServerMessage, frozen=True, tag="moves"):
    """
    The actions that your seat may take after entry `n`: none if it has nothing to do. `id` is the one of the question.

    `picture` and `view`, if they were asked for, are an SVG document of what your seat knows, and the same as in `back`. `why`
    says then that there are too many actions for a list. `advice`: actions to take one after the other, `because` of this.
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
    """An action, or a question for moves, had no effect. `id` is the one of the action or question."""

    why: str
    id: int | UnsetType = UNSET


class Offered(ServerMessage, frozen=True, tag="offered"):
    """A player offers a draw, or asks to take the last move back. `declined` follows, or `over`, or the event `taken-back`."""

    table: int
    n: int
    seat: int
    offer: OfferName


class Declined(ServerMessage, frozen=True, tag="declined"):
    """
    What a seat has offered stands no longer: it was declined, or the match went on, or one of the players is away. In a slow
    match it waits for players who are away.
    """

    table: int
    n: int
    seat: int
    offer: OfferName


class Said(ServerMessage, frozen=True, tag="said"):
    """The player of a seat has said something; `words` is the `phrase` in English."""

    table: int
    seat: int
    phrase: str
    words: str


class Away(ServerMessage, frozen=True, tag="away"):
    """
    The player of a seat has lost the connection. `kept`: for so many milliseconds the seat is kept. After that comes `claim`,
    or the player loses. Without it, nobody has to wait, or it is not known.
    """

    table: int
    n: int
    seat: int
    kept: int | UnsetType = UNSET


class Claimable(ServerMessage, frozen=True, tag="claim"):
    """
    The player of a seat has not come back in time, and you may claim what `as` names. Otherwise the player loses in `ends`
    milliseconds, or before that when the own time runs out. If `as` is empty, nothing can be claimed any more: the player is
    back, or was replaced.
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
    """The player of a seat is back. With `view` it is your own seat, and this is how the match stands."""

    table: int
    n: int
    seat: int
    view: Any = UNSET


class Replaced(ServerMessage, frozen=True, tag="replaced"):
    """The player of a seat did not come back, and another one has it now."""

    table: int
    n: int
    seat: int
    name: str


class Suspended(ServerMessage, frozen=True, tag="suspended"):
    """
    A fault of the host stopped the match, and its players are free. `why` says so in words, and what comes of the match.
    """

    table: int
    why: str = ""


class Over(ServerMessage, frozen=True, tag="over"):
    """
    The match is over. `winners` are seats: none after a draw, several after a shared victory. `cause` is `rules`, `left`,
    `time` or `violation`, and `why` says it in words.
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
    """The last message had no effect: it is malformed, or it does not fit now."""

    why: str


class Notice(ServerMessage, frozen=True, tag="notice"):
    """The owner of the host says something to all. It changes nothing."""

    text: str


class Bye(ServerMessage, frozen=True, tag="bye"):
    """The host closes this connection. `again`: connect again in so many seconds; without it, do not."""

    why: str
    again: float | UnsetType = UNSET


# -- what only a codec says


class Malformed(Struct, frozen=True):
    """A line of JSON that is not a client's message. `reason` says what was expected, and repeats nothing of the line."""

    reason: str


class Encoded(Struct, frozen=True):
    """Messages of the host that were made for several clients: whole lines."""

    data: bytes


#: All messages of each side, for decoders.
CLIENT_UNION, SERVER_UNION = union_of(ClientMessage), union_of(ServerMessage)
#: Everything that a codec passes to a conversation, or takes from it.
Message: TypeAlias = ClientMessage | ServerMessage | Encoded | Malformed | UndecodableLine | Blank
