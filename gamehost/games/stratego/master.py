"""
The game master of one match: first both sides set up, hidden from each other, then they move in turn. And what follows from
what one seat knows: the actions that it may take now, and its view after an event.

A seat is told where the enemy's pieces are and, once, the two kinds of a battle. An event with a hidden kind (a board, a
placement) is made for one seat. No refusal depends on a hidden kind, and no rule of moving asks for one.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from gamehost.games.base import AGREED, Cause, Chance, IllegalAction, Offer, Result, Seat, To, any_of, shuffled
from gamehost.games.stratego import rules
from gamehost.games.stratego.rules import (
    BARE,
    BOMB,
    COUNTS,
    DEPTH,
    FIRST_PLAYER,
    FLAG,
    HOME,
    OTHER,
    PIECES,
    SECOND_PLAYER,
    WAYS,
    WIDTH,
    Action,
    BadPlacement,
    Board,
    Event,
    Fought,
    Move,
    Moved,
    Opened,
    Over,
    Phase,
    Place,
    Placed,
    PlacedAll,
    PlaceRows,
    Placing,
    Playing,
    Position,
    Ready,
    ReadySet,
    Situation,
    Walk,
    codes,
    nowhere,
    opening,
    seen,
)
from gamehost.settings import Settings, from_to, milliseconds, one_of, refuse_unknown, setting

#: An enemy's piece, as its seat is shown it.
ENEMY = "#"
#: How a watcher sees the pieces of each side.
SIDES = "rb"


def board_with(squares: str, seat: Seat, kinds: Mapping[int, str]) -> bytes:
    """A seat's board with the enemy's pieces filled in. A piece without a kind is taken for a bomb."""
    board = bytearray(squares.encode("ascii"))
    for square, mark in enumerate(squares):
        if mark == ENEMY:
            board[square] = codes(OTHER[seat], kinds.get(square, BOMB))[0]
        elif mark not in ".~":
            board[square] = codes(seat, mark)[0]
    return bytes(board)


def position_of(view: Situation, seat: Seat) -> Position:
    """The position of a seat that is to move, for the rules of moving. The kinds of the enemy are made up."""
    walk = view.walk or Walk(-1, ())
    return Position(board_with(view.squares, seat, {}), seat, 0, (walk, walk))


def legal(view: Situation, seat: Seat) -> Iterator[Action] | None:
    """
    The moves of the seat whose turn it is. In the set-up: single placements, where there was one.

    :return: `None`: a whole set-up may be sent, and there are too many
    """
    if view.phase is Phase.PLAY:
        return _moves(view, seat) if view.turn == seat else iter(())
    if view.phase is Phase.OVER or (view.ready[seat] and view.singly):
        return iter(())
    return _placements(view, seat) if view.singly else None


def _moves(view: Situation, seat: Seat) -> Iterator[Action]:
    for source, target in position_of(view, seat).legal_moves():
        yield move_between(source, target)


def move_between(source: int, target: int) -> Move:
    """A move by the numbers of its squares."""
    return Move(source % WIDTH, source // WIDTH, target % WIDTH, target // WIDTH)


def _placements(view: Situation, seat: Seat) -> Iterator[Action]:
    left = COUNTS - Counter(view.squares)
    if not left:
        yield Ready()
    for square in range(HOME[seat] * WIDTH, (HOME[seat] + DEPTH) * WIDTH):
        if view.squares[square] == ".":
            for piece in left:
                yield Place(piece, square % WIDTH, square // WIDTH)


def random_action(view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
    """One of the legal actions; for a side on which nothing stands, all forty pieces in any order."""
    listed = legal(view, seat)
    if listed is not None:
        return any_of(listed, below)
    if view.ready[seat]:
        return None
    return PlaceRows(any_rows(below))


def any_rows(below: Callable[[int], int]) -> tuple[str, ...]:
    """All forty pieces of a side in any order, as rows."""
    left = list(COUNTS.elements())
    pieces = "".join(left.pop(below(len(left))) for _ in range(PIECES))
    return tuple(pieces[start : start + WIDTH] for start in range(0, PIECES, WIDTH))


def any_kinds(squares: str, seat: Seat, chance: Chance) -> Mapping[int, str]:
    """Kinds that the enemy's pieces on a board may have, by square. Who stands beyond the own rows has moved."""
    first = HOME[OTHER[seat]] * WIDTH
    enemies = [square for square, mark in enumerate(squares) if mark == ENEMY]
    home = shuffled([square for square in enemies if first <= square < first + PIECES], chance)
    away = [square for square in enemies if square not in home]
    movers = shuffled([kind for kind in COUNTS.elements() if kind not in (FLAG, BOMB)], chance)
    kinds = dict(zip(away, movers, strict=False))
    rest = shuffled([*movers[len(away) :], *BOMB * COUNTS[BOMB]], chance)
    return {**kinds, **dict(zip(home, [FLAG, *rest], strict=False))}


def follow(view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
    """The view after an event that this seat, or a watcher, was told."""
    match event:
        case Situation():
            return event
        case Opened(two_squares):
            walk = None if seat is None else nowhere(two_squares)
            return Situation(seat, Phase.SETUP, seen(BARE, seat), (False, False), None, None, walk)
        case _ if view is None:
            return None
        case Moved() | Fought():
            return _moved(view, event)
        case Over(result):
            return evolve(view, phase=Phase.OVER, turn=None, result=result)
    return _set_up(view, event)


def _moved(view: Situation, event: Moved | Fought) -> Situation:
    move, walk = event.move, view.walk
    start, end = move.y * WIDTH + move.x, move.to_y * WIDTH + move.to_x
    if event.seat == view.seat and walk is not None:
        walk = walk.on(start, end, WAYS[start][end][1])
    board = list(view.squares)
    winner = event.winner if isinstance(event, Fought) else "attacker"
    if winner != "defender":
        board[end] = "." if winner == "tie" else board[start]
    board[start] = "."
    return evolve(view, squares="".join(board), turn=event.next, walk=walk)


def _set_up(view: Situation, event: Any) -> Situation:
    match event:
        case Placed(piece, x, y):
            return evolve(view, squares=_with(view.squares, y * WIDTH + x, piece), singly=True)
        case PlacedAll(rows) if view.seat is not None:
            return evolve(view, squares=_with(view.squares, HOME[view.seat] * WIDTH, "".join(rows)))
        case ReadySet(ready):
            return evolve(view, ready=(view.ready[0] or ready == 0, view.ready[1] or ready == 1))
        case Playing():
            squares = view.squares
            for side, piece in enumerate(SIDES) if view.seat is None else ():
                squares = _with(squares, HOME[side] * WIDTH, piece * PIECES)
            return evolve(view, phase=Phase.PLAY, squares=squares, ready=(True, True), turn=event.next)
        case Board(squares):
            return evolve(view, squares=squares)
    return view


def _with(squares: str, at: int, pieces: str) -> str:
    return squares[:at] + pieces + squares[at + len(pieces) :]


_ALONE = ((FIRST_PLAYER,), (SECOND_PLAYER,))

Told: TypeAlias = Sequence[To[Event]]


class BadMove(IllegalAction):
    """A move that is refused: out of turn, out of play, or against the rules."""


@frozen
class Terms:
    """What was agreed before the match. Times in milliseconds, 0 = off."""

    move_time: int = 0
    #: For the whole set-up, both sides at once. Off: the set-up is under `move_time`, renewed by each placement.
    setup_time: int = 300_000
    two_squares: int = 3
    max_plies: int = 2_000


@define(eq=False)
class StrategoMaster:
    """One match of two seats."""

    _terms: Terms
    deadline: int | None = field(init=False, default=None)
    result: Result | None = field(init=False, default=None)
    #: `None` during the set-up.
    position: Position | None = field(init=False, default=None)
    _placings: tuple[Placing, Placing] = field(
        init=False, factory=lambda: (Placing(FIRST_PLAYER), Placing(SECOND_PLAYER))
    )

    def begin(self, now: int) -> Told:
        allowed = self._terms.setup_time or self._terms.move_time
        self.deadline = now + allowed if allowed else None
        return [To(Opened(self._terms.two_squares))]

    def act(self, seat: Seat, action: Action, now: int) -> Told:
        """
        :raises BadMove: a move is refused
        :raises BadPlacement: a placement or a ready is refused
        """
        if isinstance(action, Move):
            return self._move(seat, action, now)
        if self.result is not None:
            raise BadPlacement("the match is over")
        if self.position is not None:
            raise BadPlacement("play has begun: pieces can no longer be placed")
        return self._set_up(seat, action, now)

    def forfeit(self, seat: Seat, now: int) -> Told:
        return [self._end(Result((OTHER[seat],), Cause.LEFT, "the other side left"))]

    def expire(self, now: int) -> Told:
        if self.position is not None:
            winners: tuple[Seat, ...] = (OTHER[self.position.turn],)
            return [self._end(Result(winners, Cause.TIME, "no move in time"))]
        winners = tuple(seat for seat in (FIRST_PLAYER, SECOND_PLAYER) if self._placings[seat].ready)
        return [self._end(Result(winners, Cause.TIME, "not set up in time"))]

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """A draw can be offered as soon as play has begun."""
        if offer is not Offer.DRAW:
            return "what was seen cannot be taken back"
        return None if self.position is not None else "play has not begun"

    def agree(self, offer: Offer, seat: Seat, now: int) -> Told:
        """
        :raises IllegalAction: there is an objection
        """
        if (objection := self.objection(offer, seat)) is not None:
            raise IllegalAction(objection)
        return [self._end(AGREED)]

    def to_move(self) -> Seat | None:
        """The seat for which the match waits; `None` during the set-up, which has a time of its own."""
        return None if self.result is not None or self.position is None else self.position.turn

    def view(self, seat: Seat | None) -> Situation:
        turn = walk = None
        singly = False
        if seat is not None:
            walk = nowhere(self._terms.two_squares) if self.position is None else self.position.walks[seat]
            singly = self._placings[seat].singly
        if self.position is not None:
            phase = Phase.PLAY
            squares = seen(self.position.squares, seat)
            turn = self.position.turn if self.result is None else None
        else:
            phase = Phase.SETUP
            squares = seen(BARE if seat is None else self._placings[seat].squares, seat)
        if self.result is not None:
            phase = Phase.OVER
        first, second = self._placings
        return Situation(seat, phase, squares, (first.ready, second.ready), turn, self.result, walk, singly)

    def state(self) -> object:
        """The position with all kinds and walks; before play, what each side has placed, and how."""
        return self.position or tuple(placing.state for placing in self._placings)

    def _set_up(self, seat: Seat, action: Place | PlaceRows | Ready, now: int) -> Told:
        placing = self._placings[seat]
        was_ready = placing.ready
        told: list[To[Event]] = []
        match action:
            case Place(piece, x, y):
                placing.place(piece, x, y)
                told.append(To(Placed(piece, x, y), _ALONE[seat]))
            case PlaceRows(rows):
                placing.place_rows(rows)
                told.append(To(PlacedAll(rows), _ALONE[seat]))
            case Ready():
                placing.say_ready()
        if placing.ready and not was_ready:
            told.append(To(ReadySet(seat)))
        if self._placings[OTHER[seat]].ready and placing.ready:
            self._play(told, now)
        elif not self._terms.setup_time:
            self._allow(now)
        return told

    def _play(self, told: list[To[Event]], now: int) -> None:
        first, second = self._placings
        half = len(BARE) // 2
        position = opening(bytes(first.squares[:half] + second.squares[half:]), self._terms.two_squares)
        self.position = position
        result = position.result(self._terms.max_plies)
        told.append(To(Playing(FIRST_PLAYER, FIRST_PLAYER if result is None else None)))
        self._go_on(told, position, result, now)

    def _move(self, seat: Seat, move: Move, now: int) -> Told:
        position = self.position
        if self.result is not None:
            raise BadMove("the match is over")
        if position is None:
            raise BadMove("play has not begun: both sides must be ready first")
        if seat != position.turn:
            raise BadMove("it is the other side's turn")
        x, y, to_x, to_y = move.x, move.y, move.to_x, move.to_y
        if not (0 <= x < WIDTH and 0 <= y < WIDTH and 0 <= to_x < WIDTH and 0 <= to_y < WIDTH):
            raise BadMove("there is no such square: x and y are 0 to 9")
        source, target = y * WIDTH + x, to_y * WIDTH + to_x
        objection = position.objection(source, target)
        if objection is not None:
            raise BadMove(objection)
        position, battle = position.after(source, target)
        self.position = position
        result = position.result(self._terms.max_plies)
        turn = position.turn if result is None else None
        told: list[To[Event]] = []
        if battle is None:
            told.append(To(Moved(seat, move, turn)))
        else:
            told.append(To(Fought(seat, move, battle.attacker, battle.defender, battle.winner, turn)))
        self._go_on(told, position, result, now)
        return told

    def _go_on(self, told: list[To[Event]], position: Position, result: Result | None, now: int) -> None:
        """Show the board to both, then wait for the next decision, or end."""
        for alone in _ALONE:
            told.append(To(Board(seen(position.squares, alone[0])), alone))
        if result is None:
            self._allow(now)
        else:
            told.append(self._end(result))

    def _allow(self, now: int) -> None:
        self.deadline = now + self._terms.move_time if self._terms.move_time else None

    def _end(self, result: Result) -> To[Event]:
        self.result = result
        self.deadline = None
        position = self.position
        last = OTHER[position.turn] if position is not None and position.plies else None
        return To(Over(result, last))


_OPTIONS: Mapping[str, str] = {
    "move_time": "seconds for one move; a player who takes longer loses; 0 (the default) = off",
    "setup_time": "seconds for the set-up; a player who is not ready then loses; default 300, 0 = off",
    "two_squares": "in how many turns in a row a piece may cross the same border: 3 (default), 5, or 0 = any number",
    "max_plies": "moves of both sides together after which the match is a draw; 1 to 100000, default 2000",
}


def _terms(settings: Settings) -> Terms:
    refuse_unknown(settings, _OPTIONS)
    usual = Terms()
    return Terms(
        move_time=setting(settings, "move_time", usual.move_time, milliseconds),
        setup_time=setting(settings, "setup_time", usual.setup_time, milliseconds),
        two_squares=int(setting(settings, "two_squares", str(usual.two_squares), one_of("3", "5", "0"))),
        max_plies=setting(settings, "max_plies", usual.max_plies, from_to(1, 100_000)),
    )


@frozen
class Stratego:
    """The game, for tables and journals. It has no settings of its own: every match brings them."""

    name: str = "stratego"
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    choices: frozenset[str] = frozenset({"setup_time", "two_squares"})
    offers: frozenset[Offer] = frozenset({Offer.DRAW})
    usual: Settings = field(factory=dict)

    @property
    def options(self) -> Mapping[str, str]:
        return _OPTIONS

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """
        _terms(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        """
        :param chance: not used; nothing is drawn in this game
        :raises BadOption: as `check`
        """
        return StrategoMaster(_terms(settings))

    write = staticmethod(rules.write)
    read = staticmethod(rules.read)
    #: All moves; in the set-up, single placements once there is one.
    legal = staticmethod(legal)
    #: A move, or a whole set-up.
    random_action = staticmethod(random_action)
    #: The board as this seat may know it.
    follow = staticmethod(follow)

    def determinized(self, view: Situation, seat: Seat, chance: Chance) -> StrategoMaster:
        """
        A match in which the kinds of the enemy's pieces are drawn. Beyond its own rows stands neither its flag nor a bomb.

        A view shows neither which pieces are lost nor which have moved, so that is not kept to.
        """
        walk = view.walk or nowhere(0)
        master = StrategoMaster(Terms(setup_time=0, two_squares=len(walk.crossed)))
        own, enemy = (master._placings[side] for side in (seat, OTHER[seat]))
        if view.phase is Phase.SETUP:
            own.restore(view.squares, view.ready[seat], view.singly)
            if view.ready[OTHER[seat]]:
                enemy.place_rows(any_rows(chance.below))
        else:
            own.ready, own.singly, enemy.ready = True, view.singly, True
            kinds, others = any_kinds(view.squares, seat, chance), nowhere(len(walk.crossed))
            walks = (others, walk) if seat else (walk, others)
            board = board_with(view.squares, seat, kinds)
            master.position = Position(board, seat if view.turn is None else view.turn, 0, walks)
        return master


STRATEGO = Stratego()
