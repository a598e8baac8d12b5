"""
The rules of Stratego: the forty pieces of a side and their battles, the position during play, and the set-up of a side. Also
the actions of players, and the events that players receive.

A piece is named by one character: `1` (marshal) to `9` (scout), `S` (spy), `F` (flag), `B` (bomb). Lower numbers are stronger,
and the spy is the weakest.

A square is a number, `y * 10 + x`; A1 is 0 and J10 is 99. The board is 100 bytes: `.` empty, `~` lake, and a piece as the
character of its kind, with the top bit set for the second player's pieces. A move is checked without a list of all moves. The
check depends only on what the player can see.

An action contains exactly what its player has sent, valid or not. Only the master checks it. In the journal an action is
`9@A4`, forty ids with a slash between rows, `ready`, or `A4-A5`. Only actions that a master has accepted have this notation.

Each event is made for its receivers: if something is hidden, every seat gets its own event. `next` in an event of play is the
seat that has to move now; it is `None` when play is over, and then an `Over` follows.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Literal, TypeAlias

from attrs import define, field, frozen
from msgspec import Struct

from gamehost.games.base import Cause, IllegalAction, Result, Seat

# Pieces


#: Which piece survives a battle. `tie`: both pieces are removed.
Survivor = Literal["attacker", "defender", "tie"]


@frozen
class PieceKind:
    """A kind of pieces."""

    #: The character that names this kind.
    id: str
    name: str
    #: How many pieces of this kind a side has.
    count: int


#: All kinds by their ids, from the strongest to the weakest, then flag and bomb.
KINDS: Mapping[str, PieceKind] = {
    kind.id: kind
    for kind in (
        PieceKind("1", "marshal", 1),
        PieceKind("2", "general", 1),
        PieceKind("3", "colonel", 2),
        PieceKind("4", "major", 3),
        PieceKind("5", "captain", 4),
        PieceKind("6", "lieutenant", 4),
        PieceKind("7", "sergeant", 4),
        PieceKind("8", "miner", 5),
        PieceKind("9", "scout", 8),
        PieceKind("S", "spy", 1),
        PieceKind("F", "flag", 1),
        PieceKind("B", "bomb", 6),
    )
}

MARSHAL, MINER, SCOUT, SPY, FLAG, BOMB = "1", "8", "9", "S", "F", "B"

#: The kinds that can move, from the strongest to the weakest: all except bomb and flag.
MOVERS = "".join(kind for kind in KINDS if kind not in (FLAG, BOMB))


def survivor(attacker: str, defender: str) -> Survivor:
    """
    Returns which piece survives if `attacker` attacks `defender`.

    Any piece takes a flag. Only a miner removes a bomb. A spy that attacks the marshal removes it. Otherwise the stronger piece
    survives, and of two equal pieces none survives.

    :raises ValueError: the attacker cannot move, or one of the two is not a piece
    """
    if attacker not in MOVERS or defender not in KINDS:
        raise ValueError("a battle is between a piece that can move and another piece")
    if defender == FLAG:
        return "attacker"
    if defender == BOMB:
        return "attacker" if attacker == MINER else "defender"
    if attacker == defender:
        return "tie"
    if attacker == SPY and defender == MARSHAL:
        return "attacker"
    # `MOVERS` begins with the strongest kind.
    return "attacker" if MOVERS.index(attacker) < MOVERS.index(defender) else "defender"


# The position


WIDTH = 10
LAKES = frozenset(y * WIDTH + x for y in (4, 5) for x in (2, 3, 6, 7))

#: The bit that is set in the bytes of the second player's pieces.
SECOND = 0x80
EMPTY = ord(".")

#: The board before any piece is placed.
BARE = bytes(ord("~") if square in LAKES else EMPTY for square in range(WIDTH * WIDTH))

FIRST_PLAYER, SECOND_PLAYER = Seat(0), Seat(1)
OTHER = (SECOND_PLAYER, FIRST_PLAYER)


def codes(seat: Seat, kinds: str) -> bytes:
    """Returns the bytes of the board for pieces of these kinds that belong to a seat."""
    return bytes(ord(kind) | SECOND * seat for kind in kinds)


#: The way of a move: the squares between its two ends; and the borders between squares that it crosses, with one bit for each.
Way: TypeAlias = tuple[tuple[int, ...], int]


def _border(square: int, neighbour: int) -> int:
    """Returns the bit of the border between two neighbouring squares."""
    low = min(square, neighbour)
    # Borders to the right neighbour have the lower 100 bits, and borders to the neighbour above the upper ones.
    return 1 << (low if abs(square - neighbour) == 1 else WIDTH * WIDTH + low)


def _rays(square: int) -> Iterator[tuple[int, ...]]:
    """Yields, for each direction, the squares from this one to the edge or a lake, if there are any."""
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        ray = []
        x, y = square % WIDTH + dx, square // WIDTH + dy
        while 0 <= x < WIDTH and 0 <= y < WIDTH and y * WIDTH + x not in LAKES:
            ray.append(y * WIDTH + x)
            x, y = x + dx, y + dy
        if ray:
            yield tuple(ray)


def _ways(square: int) -> Iterator[tuple[int, Way]]:
    """Yields each square in a straight line from this one without a lake between, and the way to it."""
    for ray in _rays(square):
        borders, behind = 0, square
        for distance, target in enumerate(ray):
            borders |= _border(behind, target)
            behind = target
            # The squares before the target, and all borders up to it.
            yield target, (ray[:distance], borders)


# For each square: the squares in each direction, and the ways to all of them. Lakes have none, because no piece stands on a
# lake or crosses one.
RAYS = tuple(() if square in LAKES else tuple(_rays(square)) for square in range(WIDTH * WIDTH))
WAYS: tuple[Mapping[int, Way], ...] = tuple(
    {} if square in LAKES else dict(_ways(square)) for square in range(WIDTH * WIDTH)
)
#: For each square: its neighbours, and the border to each of them.
STEPS = tuple(tuple((ray[0], _border(square, ray[0])) for ray in rays) for square, rays in enumerate(RAYS))

_BATTLES: Mapping[tuple[int, int], Survivor] = {
    (ord(attacker), ord(defender)): survivor(attacker, defender) for attacker in MOVERS for defender in KINDS
}
_OWN = tuple(codes(seat, "".join(KINDS)) for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_MOVERS = tuple(codes(seat, MOVERS) for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_SCOUT = tuple(codes(seat, SCOUT)[0] for seat in (FIRST_PLAYER, SECOND_PLAYER))
_OWN_FLAG = tuple(codes(seat, FLAG)[0] for seat in (FIRST_PLAYER, SECOND_PLAYER))
_FIND_MOVERS = tuple(re.compile(b"[" + movers + b"]") for movers in _OWN_MOVERS)
#: For each seat: the bytes of squares that its pieces may move onto (empty, or an enemy piece).
_OPEN = tuple(bytes((EMPTY, *_OWN[other])) for other in OTHER)


def _sight(first: str | None, second: str | None) -> bytes:
    """
    Returns a table that translates the board for one reader.

    :param first: the mark of all pieces of the first side; `None`: the reader sees their kinds
    :param second: the same for the second side
    """
    table = bytearray(range(256))
    for seat, mark in ((FIRST_PLAYER, first), (SECOND_PLAYER, second)):
        for kind in KINDS:
            # Without a mark, a piece is shown as its kind.
            table[codes(seat, kind)[0]] = ord(mark or kind)
    return bytes(table)


_SIGHT: Mapping[Seat | None, bytes] = {
    FIRST_PLAYER: _sight(None, "#"),
    SECOND_PLAYER: _sight("#", None),
    None: _sight("r", "b"),
}


def seen(squares: bytes | bytearray, seat: Seat | None) -> str:
    """
    Returns the board as a seat may see it.

    :return: 100 characters, in the order (0,0) (1,0) (2,0) ... (9,9): own pieces by kind, `#` for every enemy piece, `.` empty,
        `~` lake. A watcher (`None`) sees the first player's pieces as `r` and the second's as `b`.
    """
    return squares.translate(_SIGHT[seat]).decode("ascii")


class Battle(Struct, frozen=True, gc=False):
    """A battle: the kinds of both pieces, and which one survives."""

    attacker: str
    defender: str
    winner: Survivor


class Walk(Struct, frozen=True, gc=False):
    """
    The memory of one side for the two-squares rule: the borders between squares that its last moved piece has crossed in its
    latest turns.
    """

    #: The last square of this piece, even if the piece was lost there: another piece must first move to this square before it
    #: can leave it. -1: no piece has moved yet.
    square: int
    #: Sets of borders. The first set has the borders that the piece crossed in its latest turn. The second set has those that
    #: it crossed in both of its latest two turns, the third set those in all of its latest three turns, and so on.
    crossed: tuple[int, ...]

    def on(self, source: int, target: int, borders: int) -> "Walk":
        """
        Returns the memory after one more turn of this side.

        :param borders: the borders that the move crosses
        """
        kept = len(self.crossed)
        if source != self.square:
            # Another piece has moved: nothing is known about its earlier turns.
            return Walk(target, (borders, 0, 0, 0, 0)[:kept])
        # A border stays in a set only if this move has crossed it, too.
        return Walk(target, (borders, *map(borders.__and__, self.crossed))[:kept])

    def barred(self, source: int) -> int:
        """Returns the borders that a piece on this square must not cross now."""
        # The last set has the borders that the piece has crossed in as many turns in a row as the rule allows.
        return self.crossed[-1] if source == self.square and self.crossed else 0


class Position(Struct, frozen=True, gc=False):
    """A position during play."""

    squares: bytes
    turn: Seat
    #: The number of moves of both sides so far.
    plies: int
    #: The memory of the two-squares rule, by seat.
    walks: tuple[Walk, Walk]

    def objection(self, source: int, target: int) -> str | None:
        """
        Returns the reason why a move is illegal for the player to move; `None`: it is legal.

        The reason depends on what this player can see, never on the kind of an enemy piece.

        :param source: the start square, from 0 to 99
        :param target: the target square, from 0 to 99
        """
        seat = self.turn
        squares = self.squares
        piece = squares[source]
        # Can this piece move at all?
        if piece not in _OWN_MOVERS[seat]:
            if piece in _OWN[seat]:
                return "bombs and flags cannot move"
            return "there is no piece of yours on that square"
        # Is there a straight way, and is it free?
        way = WAYS[source].get(target)
        if way is None:
            return "a piece moves in a straight line, and not onto or across a lake"
        between, borders = way
        if between:
            if piece != _OWN_SCOUT[seat]:
                return "only a scout moves more than one square"
            if any(squares[square] != EMPTY for square in between):
                return "a scout cannot jump: every square on its way must be empty"
        if squares[target] not in _OPEN[seat]:
            return "one of your own pieces is on the target square"
        if borders & self.walks[seat].barred(source):
            # See `Walk.barred`.
            return "two-squares rule: this piece has crossed the same border in too many turns in a row"
        return None

    def after(self, source: int, target: int) -> "tuple[Position, Battle | None]":
        """Returns the position after a legal move (`objection` returns `None` for it), and the battle if there was one."""
        seat = self.turn
        squares = bytearray(self.squares)
        piece, other = squares[source], squares[target]
        squares[source] = EMPTY
        walk = self.walks[seat].on(source, target, WAYS[source][target][1])
        battle = None
        if other == EMPTY:
            squares[target] = piece
        else:
            attacker, defender = piece & ~SECOND, other & ~SECOND
            battle = Battle(chr(attacker), chr(defender), _BATTLES[attacker, defender])
            # If the defender wins, its square stays as it is.
            if battle.winner == "attacker":
                squares[target] = piece
            elif battle.winner == "tie":
                squares[target] = EMPTY
        walks = (self.walks[0], walk) if seat else (walk, self.walks[1])
        return Position(bytes(squares), OTHER[seat], self.plies + 1, walks), battle

    def legal_moves(self) -> Iterator[tuple[int, int]]:
        """
        Yields every legal move of the player to move: (start square, target square). A border that is barred by the
        two-squares rule must not be crossed.
        """
        seat, squares = self.turn, self.squares
        walk, free, scout = self.walks[seat], _OPEN[seat], _OWN_SCOUT[seat]
        for found in _FIND_MOVERS[seat].finditer(squares):
            source = found.start()
            barred = walk.barred(source)
            if squares[source] != scout:
                for target, border in STEPS[source]:
                    if squares[target] in free and not border & barred:
                        yield source, target
                continue
            # A scout goes in each direction up to the first piece, the edge or a lake.
            for ray in RAYS[source]:
                for target in ray:
                    if squares[target] not in free or WAYS[source][target][1] & barred:
                        # All squares behind are blocked, too: by a piece, or by a barred border.
                        break
                    yield source, target
                    if squares[target] != EMPTY:
                        # An attack: the scout goes no farther.
                        break

    def can_move(self, seat: Seat) -> bool:
        """Whether this side has a legal move, or would have one if it were its turn."""
        # It is enough to look at single steps, because a longer move of a scout begins with a legal step. The piece that moved
        # last can nearly always move again, so it is tried first.
        latest = self.walks[seat].square
        if latest >= 0 and self.squares[latest] in _OWN_MOVERS[seat] and self._can_step(seat, latest):
            return True
        return any(self._can_step(seat, found.start()) for found in _FIND_MOVERS[seat].finditer(self.squares))

    def _can_step(self, seat: Seat, source: int) -> bool:
        """Whether the piece on this square can move one step."""
        barred, squares, free = self.walks[seat].barred(source), self.squares, _OPEN[seat]
        for target, border in STEPS[source]:  # noqa: SIM110 - a generator takes longer than all steps
            if squares[target] in free and not border & barred:
                return True
        return False

    def result(self, max_plies: int) -> Result | None:
        """
        Returns the result of the play; `None`: it continues. It must be checked before the first move, too: six bombs can block
        all pieces of a side.
        """
        mover = self.turn
        other = OTHER[mover]
        # The flag of the side to move can only be lost by the move before.
        if _OWN_FLAG[mover] not in self.squares:
            return Result((other,), Cause.RULES, "flag taken")
        if not self.can_move(mover):
            if not self.can_move(other):
                return Result((), Cause.RULES, "neither side can move")
            return Result((other,), Cause.RULES, "no move left")
        if self.plies >= max_plies:
            return Result((), Cause.RULES, "too many moves")
        return None


def nowhere(two_squares: int) -> Walk:
    """
    Returns the memory of a side that has not moved yet.

    :param two_squares: the number of turns in a row in which a piece may cross the same border, at most 5; 0: no limit
    """
    # -1: no piece has moved yet.
    return Walk(-1, (0,) * two_squares)


def opening(squares: bytes, two_squares: int) -> Position:
    """
    Returns the position before the first move.

    :param two_squares: the number of turns in a row in which a piece may cross the same border; 0: no limit
    """
    walk = nowhere(two_squares)
    return Position(squares, FIRST_PLAYER, 0, (walk, walk))


# The set-up


DEPTH = 4
#: For each seat: the lowest of its four rows.
HOME = (0, 6)

#: Id of a kind -> how many pieces of this kind a side has.
COUNTS = Counter({kind.id: kind.count for kind in KINDS.values()})
PIECES = sum(COUNTS.values())
_IN_WORDS = ", ".join(f"{count} of {kind}" for kind, count in COUNTS.items())


class BadPlacement(IllegalAction):
    """The rules of the set-up refuse a piece, a whole set-up or a ready."""


class NoPiece(BadPlacement):
    """A placement names no piece: its id is empty."""


class NotReady(BadPlacement):
    """A player has sent ready before all forty pieces were placed."""


@define(eq=False)
class Placing:
    """The set-up of one side while it is made: the pieces that are placed, and whether the side is ready."""

    _seat: Seat
    #: The whole board with only this side's pieces, as in a position.
    squares: bytearray = field(init=False, factory=lambda: bytearray(BARE))
    ready: bool = field(init=False, default=False)
    _left: dict[str, int] = field(init=False, factory=lambda: dict(COUNTS))
    #: Whether pieces were placed one by one.
    singly: bool = field(init=False, default=False)

    @property
    def state(self) -> object:
        """All values that decide which placements are legal next. The board shows which pieces are left."""
        return (self.squares, self.ready, self.singly)

    def restore(self, squares: str, ready: bool, singly: bool) -> None:
        """Takes the placed pieces from a board."""
        for square, piece in enumerate(squares):
            if piece in self._left:
                # Other marks are empty squares, lakes and enemies.
                self.squares[square] = codes(self._seat, piece)[0]
                self._left[piece] -= 1
        self.ready, self.singly = ready, singly

    def place(self, piece: str, x: int, y: int) -> None:
        """
        Places one piece.

        :raises NoPiece: the id is empty
        :raises BadPlacement: there is no such kind, or no piece of it is left; the square is not in the player's rows, or is
            not empty; or the player is ready already
        """
        if not piece:
            raise NoPiece("there is no such piece: the placement names none")
        if self.ready:
            raise BadPlacement("you are ready: your pieces can no longer change")
        left = self._left.get(piece)
        if left is None:
            raise BadPlacement(f"there is no such piece; expected one of {' '.join(KINDS)}")
        low = HOME[self._seat]
        if not (0 <= x < WIDTH and low <= y < low + DEPTH):
            raise BadPlacement(f"your pieces are placed on x 0 to 9, y {low} to {low + DEPTH - 1}")
        square = y * WIDTH + x
        if self.squares[square] != BARE[square]:
            # The rows of a side have no lakes.
            raise BadPlacement("one of your pieces is already on that square")
        if left == 0:
            raise BadPlacement(f"no piece of that kind is left: a side has {KINDS[piece].count}")
        self.squares[square] = codes(self._seat, piece)[0]
        self._left[piece] = left - 1
        self.singly = True

    def place_rows(self, rows: Sequence[str]) -> None:
        """
        Places all forty pieces at once. After this the player is ready. New rows replace earlier rows.

        :param rows: four rows of ten ids, by ascending y and x
        :raises BadPlacement: these are not exactly the forty pieces of a side, or pieces were placed one by one
        """
        if self.singly:
            raise BadPlacement("you have placed pieces one by one: a whole set-up must come before any single piece")
        if len(rows) != DEPTH or any(len(row) != WIDTH for row in rows):
            raise BadPlacement("a set-up is four rows of ten pieces")
        pieces = "".join(rows)
        if Counter(pieces) != COUNTS:
            raise BadPlacement(f"a set-up is exactly {_IN_WORDS}")
        low = HOME[self._seat] * WIDTH
        # These rows are exactly the squares of earlier rows.
        self.squares[low : low + PIECES] = codes(self._seat, pieces)
        self.ready = True

    def say_ready(self) -> None:
        """
        Notes that the player is ready.

        :raises NotReady: not all forty pieces are placed
        :raises BadPlacement: the player is ready already
        """
        if self.ready:
            raise BadPlacement("you have already said that you are ready")
        if missing := sum(self._left.values()):
            # The sum over all kinds of the pieces that are left.
            raise NotReady(f"{missing} of your {PIECES} pieces are not placed yet")
        self.ready = True


# The actions of players, and the events that they receive


class Place(Struct, frozen=True, gc=False):
    """Action: place one piece on a square of the player's own rows. The piece is named by the id of its kind."""

    piece: str
    #: The column and the row, each from 0 to 9. Both players use the same numbers.
    x: int
    y: int


class PlaceRows(Struct, frozen=True, gc=False):
    """Action: place all forty pieces at once. After this the player is ready."""

    #: Four rows of ten ids each, by ascending y (0 to 3, or 6 to 9), and each row by ascending x.
    rows: tuple[str, ...]


class Ready(Struct, frozen=True, gc=False):
    """Action: the player has placed all forty pieces and is ready to play."""


class Move(Struct, frozen=True, gc=False):
    """Action: move a piece, or attack with it."""

    x: int
    y: int
    to_x: int
    to_y: int


Action: TypeAlias = Place | PlaceRows | Ready | Move

_COLUMNS = "ABCDEFGHIJ"
_SQUARE = "([A-J])(10|[1-9])"
_PLACE = re.compile(f"([1-9SFB])@{_SQUARE}", re.ASCII)
_ROWS = re.compile("[1-9SFB]{10}(/[1-9SFB]{10}){3}", re.ASCII)
_MOVE = re.compile(f"{_SQUARE}-{_SQUARE}", re.ASCII)
_READY = "ready"


_NAMES = {(x, y): f"{column}{y + 1}" for y in range(10) for x, column in enumerate(_COLUMNS)}


def square_name(x: int, y: int) -> str:
    """
    Returns the name of a square for people: `A1` is x 0, y 0.

    :raises ValueError: the square is not on the board
    """
    name = _NAMES.get((x, y))
    if name is None:
        raise ValueError("there is no such square: x and y are 0 to 9")
    return name


#: Name of a square -> its number on the board.
SQUARE_NAMED: Mapping[str, int] = {name: y * 10 + x for (x, y), name in _NAMES.items()}


def write(action: Action) -> bytes:
    """
    Returns an accepted action in the notation of the journal.

    :raises ValueError: no master accepts this action: a square is not on the board
    """
    match action:
        case Move(x, y, to_x, to_y):
            text = f"{square_name(x, y)}-{square_name(to_x, to_y)}"
        case Place(piece, x, y):
            text = f"{piece}@{square_name(x, y)}"
        case PlaceRows(rows):
            text = "/".join(rows)
        case Ready():
            text = _READY
    return text.encode("ascii")


def read(notation: bytes) -> Action:
    """
    Returns the action that `write` has written.

    :raises ValueError: the text is not an action of this game
    """
    text = notation.decode("ascii")
    if found := _MOVE.fullmatch(text):
        column, row, to_column, to_row = found.groups()
        return Move(_COLUMNS.index(column), int(row) - 1, _COLUMNS.index(to_column), int(to_row) - 1)
    if found := _PLACE.fullmatch(text):
        piece, column, row = found.groups()
        return Place(piece, _COLUMNS.index(column), int(row) - 1)
    if _ROWS.fullmatch(text):
        return PlaceRows(tuple(text.split("/")))
    if text == _READY:
        return Ready()
    raise ValueError("expected a move (A4-A5), a placement (9@A4), four rows of ten pieces, or: ready")


@frozen
class Opened:
    """Event: the match has begun with the set-up, and both players place their pieces. All players and watchers receive it."""

    #: The number of turns in a row in which a piece may cross the same border; 0: no limit. No wire sends this number.
    two_squares: int = field(default=3, repr=False)


class Placed(Struct, frozen=True, gc=False):
    """Event: one piece was placed. Only the player of this piece receives it."""

    piece: str
    x: int
    y: int


class PlacedAll(Struct, frozen=True, gc=False):
    """Event: all forty pieces were placed. Only the player of these pieces receives it."""

    rows: tuple[str, ...]


class ReadySet(Struct, frozen=True, gc=False):
    """Event: a player is ready. All players and watchers receive it."""

    seat: Seat


class Playing(Struct, frozen=True, gc=False):
    """Event: both players are ready, and play begins. All players and watchers receive it. A `Board` for each seat follows."""

    first: Seat
    #: The seat to move, the same as `first`; `None`: there is no legal first move.
    next: Seat | None


class Board(Struct, frozen=True, gc=False):
    """
    Event: the board after the event before, as one seat may see it. Only this seat receives it.

    After every `Playing`, `Moved` and `Fought`, each seat gets its board.
    """

    #: 100 characters, in the order (0,0) (1,0) (2,0) ... (9,9): own pieces by id, `#` enemy, `.` empty, `~` lake.
    squares: str


class Moved(Struct, frozen=True, gc=False):
    """Event: a piece has moved to an empty square. All players and watchers receive it."""

    seat: Seat
    move: Move
    next: Seat | None


class Fought(Struct, frozen=True, gc=False):
    """
    Event: a piece has attacked another one. All players and watchers receive it.

    Only this event contains the kinds of pieces of both sides. In later boards, the surviving piece is hidden from the enemy
    again.
    """

    seat: Seat
    move: Move
    attacker: str
    defender: str
    winner: Survivor
    next: Seat | None


class Over(Struct, frozen=True, gc=False):
    """Event: the match is over. All players and watchers receive it."""

    result: Result
    #: The seat that made the last move; `None`: there was no move.
    last: Seat | None


class Phase(Enum):
    """The phase of a match."""

    SETUP = "setup"
    PLAY = "play"
    OVER = "over"


@frozen
class Situation:
    """A view: everything that one seat (`None`: a watcher) may know at this moment."""

    seat: Seat | None
    phase: Phase
    #: The board, as in `Board`. During the set-up it has only own pieces. On a watcher's board, `r` and `b` are the pieces of
    #: the two sides.
    squares: str
    #: For each seat, whether it is ready. Both are ready during play.
    ready: tuple[bool, bool]
    #: The seat to move; `None` before the play begins, and after its end.
    turn: Seat | None
    result: Result | None
    #: The seat's memory for the two-squares rule; `None`: the view of a watcher, or the memory is not known.
    walk: Walk | None = field(default=None, repr=False)
    #: Whether this seat has placed pieces one by one. Then it cannot place all of them at once.
    singly: bool = field(default=False, repr=False)


Event: TypeAlias = Opened | Placed | PlacedAll | ReadySet | Playing | Board | Moved | Fought | Over | Situation
