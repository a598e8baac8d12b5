"""
The rows of lists in messages of the open wire: one struct for each kind of row. Fields without an explanation are as in
`gamehost.wires.open.messages`.
"""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType


class TableRow(Struct, frozen=True):
    """
    A table with a match, in the lobby's list. `turn`: the seats that may act now. `moves`: the number of entries in its
    journal so far. `watchers`: how many clients watch the match; clients with only the lobby's list are not counted.
    """

    table: int
    game: str
    names: list[str]
    wires: list[str]
    turn: list[int]
    moves: int
    watchers: int


class WaitingRow(Struct, frozen=True):
    """
    Players who wait for more players, in the lobby's list. `seats` is the number of players that the match needs. If
    there is a `table`, `join` it; otherwise `seek` the same game. `away`: the players in `names` that are not connected
    now.
    """

    game: str
    seats: int
    names: list[str]
    settings: dict[str, str] = {}
    table: int | UnsetType = UNSET
    away: list[str] | UnsetType = UNSET


#: The kinds of offers in a row of the list of own matches.
OwnOffer: TypeAlias = Literal["draw", "takeback", "rematch"]


class OwnRow(Struct, frozen=True):
    """
    A match in the list of your own matches. `seat` is your seat, and `names` are the players so far. `by`: when the
    match ends by itself, in milliseconds since 1970. The values of `state`:

    - `turn`: it is your turn; `wait`: it is not;
    - `open`: the match has not begun, and the table waits for players;
    - `offer`: another player has made the offer in the field `offer`: a `draw`, or to take a move back (`takeback`).
      The field `turn` is there if it is also your turn. With `rematch`, another player wants a rematch at this table:
      `join` it with the `code`;
    - `over`: the match has ended, at the time `ended`. `winners`, `cause` and `why` are as in the message `over`.
      Without a `cause`, the match never began;
    - `gone`, only in the message `row`: the match is no longer in the list.

    `slow` is there only for slow matches.
    """

    table: int
    game: str
    names: list[str]
    seat: int
    state: Literal["turn", "wait", "open", "offer", "over", "gone"]
    private: bool
    by: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    ended: int | UnsetType = UNSET
    winners: list[int] | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    offer: OwnOffer | UnsetType = UNSET
    turn: Literal[True] | UnsetType = UNSET
    slow: Literal[True] | UnsetType = UNSET


class LogInRow(Struct, frozen=True):
    """
    A device that has a key of an account, in the answer `log-ins`. `since` and `seen` are the days on which the key was
    first and last used, such as `2024-05-17`. `here` marks the device of your own connection.
    """

    id: str
    device: str
    since: str
    seen: str
    here: Literal[True] | UnsetType = UNSET


class LadderRow(Struct, frozen=True):
    """
    The rating of a player in a game, in the message `ladder`. The real strength is between `low` and `high` with a
    probability of 95 %. `matches` is the number of rated matches so far. `kind` is `account`, or `house` for a level of
    house players, which has a fixed rating.
    """

    name: str
    kind: Literal["account", "house"]
    rating: int
    low: int
    high: int
    matches: int
