"""What messages of the open wire list: one struct for each row. The fields are as in `gamehost.wires.open.messages`."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType


class TableRow(Struct, frozen=True):
    """
    A table with a match. `turn`: the seats that may act now. `moves`: entries of its journal so far. `watchers`: how many
    clients watch it, without those that look at the lobby.
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
    Players who wait for `seats` players in all. With `table`, join them there; without it, `seek` the same game. `away`: those
    who are not connected now.
    """

    game: str
    seats: int
    names: list[str]
    settings: dict[str, str] = {}
    table: int | UnsetType = UNSET
    away: list[str] | UnsetType = UNSET


#: What a row offers.
OwnOffer: TypeAlias = Literal["draw", "takeback", "rematch"]


class OwnRow(Struct, frozen=True):
    """
    A match in your list. `seat` is yours, and `names` are the players so far. `by`: when it ends by itself, in
    milliseconds since 1970. `state`:

    - `turn`: it is your turn, and `wait`: it is not;
    - `open`: it has not begun, and waits for players;
    - `offer`: another player offers a `draw`, or wants to take a move back (`takeback`), as `offer` says; `turn` is there if it
      is your turn, too. Or another player wants a `rematch` at this table: `join` it with the `code`;
    - `over`: it has ended, at the time `ended`. `winners`, `cause` and `why` are as in `over`. Without a `cause` no match
      has begun;
    - `gone`, in `row`: it is not in the list any more.

    `slow` is there for slow matches alone.
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
    A device on which a key logs in to an account. `since` and `seen` are the days of its first and its last use, such as
    `2024-05-17`. `here` is there for the own connection alone.
    """

    id: str
    device: str
    since: str
    seen: str
    here: Literal[True] | UnsetType = UNSET


class LadderRow(Struct, frozen=True):
    """
    A rating, and how many rated matches it comes from. It is between `low` and `high` with a probability of 95 %. `kind` is
    `account`, or `house` for a level of house players, whose rating is fixed.
    """

    name: str
    kind: Literal["account", "house"]
    rating: int
    low: int
    high: int
    matches: int
