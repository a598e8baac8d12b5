"""
The master of a match of Stratego: first both sides place their pieces, hidden from each other, and then they move in turn. Also
the functions that compute from the knowledge of one seat: its legal actions, and its view after an event.

A seat can see the squares of the enemy's pieces. It learns the kind of an enemy's piece only from a battle. An event with a
hidden kind (a board, a placement) is made for one seat. No refusal depends on a hidden kind, and neither do the rules of moves.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from gamehost.games.base import AGREED, CLAIMED, Cause, Chance, IllegalAction, Offer, Result, Seat, To, any_of, shuffled
from gamehost.games.stratego import rules
from gamehost.settings import Settings, from_to, milliseconds, one_of, refuse_unknown, setting

#: The mark of an enemy's piece on the board that a seat sees.
ENEMY = "#"
#: The marks of the pieces of each side on a watcher's board.
SIDES = "rb"


def board_of_set_up(seat: Seat, rows: Sequence[str]) -> str:
    """
    Returns the squares before the first move, as the player that has placed these rows sees them. Rows are in ascending order.
    """
    # The enemy has forty pieces, in four rows.
    bare, enemies = rules.BARE.decode("ascii"), ENEMY * 4 * rules.WIDTH
    own = "".join(rows)
    # The two rows in the middle are squares 40 to 59.
    return own + bare[40:60] + enemies if seat == 0 else enemies + bare[40:60] + own


def _as_pieces(seat: Seat) -> bytes:
    """Returns a table for `bytes.translate` that turns a seat's board into a board of pieces. Enemy pieces become bombs."""
    own, enemy = "".join(rules.KINDS), rules.codes(rules.OTHER[seat], rules.BOMB)
    return bytes.maketrans(f"{own}{ENEMY}".encode("ascii"), rules.codes(seat, own) + enemy)


_AS_PIECES = (_as_pieces(rules.FIRST_PLAYER), _as_pieces(rules.SECOND_PLAYER))


def board_with(squares: str, seat: Seat, kinds: Mapping[int, str]) -> bytes:
    """
    Returns a seat's board with kinds for the enemy's pieces. A piece without a kind becomes a bomb.

    :param kinds: square -> kind of the enemy's piece there
    """
    board = bytearray(squares.encode("ascii").translate(_AS_PIECES[seat]))
    # The top bit of the enemy's pieces, if the enemy is the second player.
    second = rules.SECOND * rules.OTHER[seat]
    for square, kind in kinds.items():
        if squares[square] == ENEMY:
            board[square] = ord(kind) | second
    return bytes(board)


def position_of(view: rules.Situation, seat: Seat) -> rules.Position:
    """
    Returns the position for the rules of moves, with `seat` to move. These rules need no enemy kinds, so all enemy pieces are
    bombs.
    """
    # Without a memory of the two-squares rule, no move is barred by it.
    walk = view.walk or rules.Walk(-1, ())
    return rules.Position(board_with(view.squares, seat, {}), seat, 0, (walk, walk))


def legal(view: rules.Situation, seat: Seat) -> Iterator[rules.Action] | None:
    """
    Returns the legal actions of a seat: its moves; or, during the set-up, single placements, if the seat has already placed a
    single piece.

    :return: `None`: the seat may send a whole set-up, and there are too many of these
    """
    if view.phase is rules.Phase.PLAY:
        return _moves(view, seat) if view.turn == seat else iter(())
    if view.phase is rules.Phase.OVER or (view.ready[seat] and view.singly):
        # Ready, or the match is over: nothing to do. A seat that has sent a whole set-up may send another one.
        return iter(())
    return _placements(view, seat) if view.singly else None


def _moves(view: rules.Situation, seat: Seat) -> Iterator[rules.Action]:
    for source, target in position_of(view, seat).legal_moves():
        yield move_between(source, target)


def move_between(source: int, target: int) -> rules.Move:
    """Returns the move between two squares, from their numbers."""
    return rules.Move(source % rules.WIDTH, source // rules.WIDTH, target % rules.WIDTH, target // rules.WIDTH)


def _placements(view: rules.Situation, seat: Seat) -> Iterator[rules.Action]:
    """Yields the possible placements of single pieces, or `Ready` if all are placed."""
    # Kinds that are not placed yet. `Counter` drops those of which none is left.
    left = rules.COUNTS - Counter(view.squares)
    if not left:
        yield rules.Ready()
    for square in range(rules.HOME[seat] * rules.WIDTH, (rules.HOME[seat] + rules.DEPTH) * rules.WIDTH):
        if view.squares[square] == ".":
            for piece in left:
                yield rules.Place(piece, square % rules.WIDTH, square // rules.WIDTH)


def random_action(view: rules.Situation, seat: Seat, below: Callable[[int], int]) -> rules.Action | None:
    """Returns one of the legal actions. For a side without a placed piece, this is a whole set-up in random order."""
    listed = legal(view, seat)
    if listed is not None:
        return any_of(listed, below)
    if view.ready[seat]:
        # The seat has sent its set-up, and need not send another one.
        return None
    return rules.PlaceRows(any_rows(below))


def any_rows(below: Callable[[int], int]) -> tuple[str, ...]:
    """Returns all forty pieces of a side in random order, as rows."""
    left = list(rules.COUNTS.elements())
    pieces = "".join(left.pop(below(len(left))) for _ in range(rules.PIECES))
    return tuple(pieces[start : start + rules.WIDTH] for start in range(0, rules.PIECES, rules.WIDTH))


def any_kinds(squares: str, seat: Seat, chance: Chance) -> Mapping[int, str]:
    """
    Returns random kinds for the enemy's pieces on a board, by square. A piece outside its own rows has moved, so it is neither
    bomb nor flag.
    """
    # The first square of the enemy's own rows.
    first = rules.HOME[rules.OTHER[seat]] * rules.WIDTH
    enemies = [square for square, mark in enumerate(squares) if mark == ENEMY]
    home = shuffled([square for square in enemies if first <= square < first + rules.PIECES], chance)
    away = [square for square in enemies if square not in home]
    movers = shuffled([kind for kind in rules.COUNTS.elements() if kind not in (rules.FLAG, rules.BOMB)], chance)
    # Pieces that have moved get kinds that can move. Not strict: there are fewer pieces than kinds, if some were
    # lost.
    kinds = dict(zip(away, movers, strict=False))
    rest = shuffled([*movers[len(away) :], *rules.BOMB * rules.COUNTS[rules.BOMB]], chance)
    # The first of the shuffled squares gets the flag.
    return {**kinds, **dict(zip(home, [rules.FLAG, *rest], strict=False))}


def follow(view: rules.Situation | None, event: Any, seat: Seat | None) -> rules.Situation | None:
    """Returns the view of a seat or a watcher after an event that it has received."""
    match event:
        case rules.Situation():
            return event
        case rules.Opened(two_squares):
            # Only a player has a memory of the two-squares rule.
            walk = None if seat is None else rules.nowhere(two_squares)
            return rules.Situation(
                seat,
                rules.Phase.SETUP,
                rules.seen(rules.BARE, seat),
                ready=(False, False),
                turn=None,
                result=None,
                walk=walk,
            )
        case _ if view is None:
            return None
        case rules.Moved() | rules.Fought():
            return _moved(view, event)
        case rules.Over(result):
            return evolve(view, phase=rules.Phase.OVER, turn=None, result=result)
    return _set_up(view, event)


def _moved(view: rules.Situation, event: rules.Moved | rules.Fought) -> rules.Situation:
    """Returns the view after a move."""
    move, walk = event.move, view.walk
    start, end = move.y * rules.WIDTH + move.x, move.to_y * rules.WIDTH + move.to_x
    if event.seat == view.seat and walk is not None:
        # The borders between squares that this move has crossed.
        walk = walk.on(start, end, rules.WAYS[start][end][1])
    board = list(view.squares)
    # A piece that moves to an empty square takes its place like one that wins.
    winner = event.winner if isinstance(event, rules.Fought) else "attacker"
    if winner != "defender":
        board[end] = "." if winner == "tie" else board[start]
    board[start] = "."
    return evolve(view, squares="".join(board), turn=event.next, walk=walk)


def _set_up(view: rules.Situation, event: Any) -> rules.Situation:
    """Returns the view after an event of the set-up."""
    match event:
        case rules.Placed(piece, x, y):
            return evolve(view, squares=_with(view.squares, y * rules.WIDTH + x, piece), singly=True)
        case rules.PlacedAll(rows) if view.seat is not None:
            return evolve(view, squares=_with(view.squares, rules.HOME[view.seat] * rules.WIDTH, "".join(rows)))
        case rules.ReadySet(ready):
            return evolve(view, ready=(view.ready[0] or ready == 0, view.ready[1] or ready == 1))
        # A watcher now sees that each side has forty pieces in its rows.
        case rules.Playing():
            squares = view.squares
            for side, piece in enumerate(SIDES) if view.seat is None else ():
                squares = _with(squares, rules.HOME[side] * rules.WIDTH, piece * rules.PIECES)
            return evolve(view, phase=rules.Phase.PLAY, squares=squares, ready=(True, True), turn=event.next)
        case rules.Board(squares):
            return evolve(view, squares=squares)
    return view


def _with(squares: str, at: int, pieces: str) -> str:
    """Returns a board with these pieces from a square on."""
    return squares[:at] + pieces + squares[at + len(pieces) :]


_ALONE = ((rules.FIRST_PLAYER,), (rules.SECOND_PLAYER,))

Told: TypeAlias = Sequence[To[rules.Event]]


class BadMove(IllegalAction):
    """A move is refused: it is out of turn, play has not begun or is over, or the rules forbid it."""


@frozen
class Terms:
    """The settings of a match. Times are in milliseconds; 0 means off."""

    move_time: int = 0
    #: The time for the whole set-up of both sides. If it is off, `move_time` applies, and starts again with each placement.
    setup_time: int = 300_000
    two_squares: int = 3
    max_plies: int = 2_000


@define(eq=False)
class StrategoMaster:
    """The referee of one match."""

    _terms: Terms
    deadline: int | None = field(init=False, default=None)
    result: Result | None = field(init=False, default=None)
    #: The position; `None` during the set-up.
    position: rules.Position | None = field(init=False, default=None)
    _placings: tuple[rules.Placing, rules.Placing] = field(
        init=False, factory=lambda: (rules.Placing(rules.FIRST_PLAYER), rules.Placing(rules.SECOND_PLAYER))
    )

    def begin(self, now: int) -> Told:
        """Begins the set-up, in which both sides place their pieces."""
        # Without a time for the set-up, the time for a move applies.
        allowed = self._terms.setup_time or self._terms.move_time
        self.deadline = now + allowed if allowed else None
        return [To(rules.Opened(self._terms.two_squares))]

    def act(self, seat: Seat, action: rules.Action, now: int) -> Told:
        """
        Performs an action of a seat.

        :raises BadMove: a move is refused
        :raises BadPlacement: a placement or a ready is refused
        """
        if isinstance(action, rules.Move):
            return self._move(seat, action, now)
        if self.result is not None:
            raise rules.BadPlacement("the match is over")
        if self.position is not None:
            raise rules.BadPlacement("play has begun: pieces can no longer be placed")
        return self._set_up(seat, action, now)

    def forfeit(self, seat: Seat, now: int) -> Told:
        return [self._end(Result((rules.OTHER[seat],), Cause.LEFT, "a player left"))]

    def expire(self, now: int) -> Told:
        """Ends the match because of time. During the set-up, a player that is ready wins against one that is not."""
        if self.position is not None:
            winners: tuple[Seat, ...] = (rules.OTHER[self.position.turn],)
            return [self._end(Result(winners, Cause.TIME, "no move in time"))]
        winners = tuple(seat for seat in (rules.FIRST_PLAYER, rules.SECOND_PLAYER) if self._placings[seat].ready)
        return [self._end(Result(winners, Cause.TIME, "not set up in time"))]

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """Returns the reason why a seat cannot make an offer. A draw can be offered as soon as play has begun."""
        if offer is Offer.TAKEBACK:
            return "what was seen cannot be taken back"
        return None if self.position is not None else "play has not begun"

    def agree(self, offer: Offer, seat: Seat, now: int) -> Told:
        if (objection := self.objection(offer, seat)) is not None:
            raise IllegalAction(objection)
        return [self._end(AGREED if offer is Offer.DRAW else CLAIMED)]

    def to_move(self) -> Seat | None:
        """Returns the seat for which the match waits; `None` during the set-up, which has a time of its own."""
        return None if self.result is not None or self.position is None else self.position.turn

    def view(self, seat: Seat | None) -> rules.Situation:
        """Returns the view of a seat, or of a watcher (`None`)."""
        # A watcher has no memory of the two-squares rule, and places no pieces.
        turn = walk = None
        singly = False
        if seat is not None:
            walk = rules.nowhere(self._terms.two_squares) if self.position is None else self.position.walks[seat]
            singly = self._placings[seat].singly
        if self.position is not None:
            phase = rules.Phase.PLAY
            squares = rules.seen(self.position.squares, seat)
            turn = self.position.turn if self.result is None else None
        else:
            phase = rules.Phase.SETUP
            squares = rules.seen(rules.BARE if seat is None else self._placings[seat].squares, seat)
        if self.result is not None:
            phase = rules.Phase.OVER
        first, second = self._placings
        return rules.Situation(
            seat,
            phase,
            squares,
            ready=(first.ready, second.ready),
            turn=turn,
            result=self.result,
            walk=walk,
            singly=singly,
        )

    def state(self) -> object:
        """
        Returns the position: the kinds of all pieces of both sides, and the earlier moves that matter for the two-squares
        rule. Before play begins, returns the placed pieces of each side instead.
        """
        return self.position or tuple(placing.state for placing in self._placings)

    def _set_up(self, seat: Seat, action: rules.Place | rules.PlaceRows | rules.Ready, now: int) -> Told:
        """Performs an action of the set-up. When both sides are ready, play begins."""
        placing = self._placings[seat]
        was_ready = placing.ready
        told: list[To[rules.Event]] = []
        match action:
            case rules.Place(piece, x, y):
                placing.place(piece, x, y)
                told.append(To(rules.Placed(piece, x, y), _ALONE[seat]))
            case rules.PlaceRows(rows):
                placing.place_rows(rows)
                told.append(To(rules.PlacedAll(rows), _ALONE[seat]))
            case rules.Ready():
                placing.say_ready()
        if placing.ready and not was_ready:
            # A new whole set-up of a seat that was ready does not make it ready again.
            told.append(To(rules.ReadySet(seat)))
        if self._placings[rules.OTHER[seat]].ready and placing.ready:
            self._play(told, now)
        elif not self._terms.setup_time:
            # Without a time for the set-up, each placement renews the time.
            self._allow(now)
        return told

    def _play(self, told: list[To[rules.Event]], now: int) -> None:
        """Begins the play. A side may have no legal first move: then the match ends at once."""
        first, second = self._placings
        half = len(rules.BARE) // 2
        # Each side has its own half of the board.
        position = rules.opening(bytes(first.squares[:half] + second.squares[half:]), self._terms.two_squares)
        self.position = position
        result = position.result(self._terms.max_plies)
        told.append(To(rules.Playing(rules.FIRST_PLAYER, rules.FIRST_PLAYER if result is None else None)))
        self._go_on(told, position, result, now)

    def _move(self, seat: Seat, move: rules.Move, now: int) -> Told:
        """Carries out a move of a seat, and ends the match if it is over then."""
        position = self.position
        if self.result is not None:
            raise BadMove("the match is over")
        if position is None:
            raise BadMove("play has not begun: both sides must be ready first")
        if seat != position.turn:
            raise BadMove("it is the other side's turn")
        # Is the move legal?
        x, y, to_x, to_y = move.x, move.y, move.to_x, move.to_y
        if not (0 <= x < rules.WIDTH and 0 <= y < rules.WIDTH and 0 <= to_x < rules.WIDTH and 0 <= to_y < rules.WIDTH):
            raise BadMove("there is no such square: x and y are 0 to 9")
        source, target = y * rules.WIDTH + x, to_y * rules.WIDTH + to_x
        objection = position.objection(source, target)
        if objection is not None:
            raise BadMove(objection)
        # Perform it, and make the events.
        position, battle = position.after(source, target)
        self.position = position
        result = position.result(self._terms.max_plies)
        turn = position.turn if result is None else None
        told: list[To[rules.Event]] = []
        if battle is None:
            told.append(To(rules.Moved(seat, move, turn)))
        else:
            told.append(To(rules.Fought(seat, move, battle.attacker, battle.defender, battle.winner, turn)))
        self._go_on(told, position, result, now)
        return told

    def _go_on(self, told: list[To[rules.Event]], position: rules.Position, result: Result | None, now: int) -> None:
        """Sends a board to each seat, and then waits for the next move, or ends the match."""
        for alone in _ALONE:
            told.append(To(rules.Board(rules.seen(position.squares, alone[0])), alone))
        if result is None:
            self._allow(now)
        else:
            told.append(self._end(result))

    def _allow(self, now: int) -> None:
        """Sets the deadline for the next decision."""
        self.deadline = now + self._terms.move_time if self._terms.move_time else None

    def _end(self, result: Result) -> To[rules.Event]:
        """Ends the match, and returns the last event."""
        self.result = result
        self.deadline = None
        position = self.position
        # After a move it is the other side's turn.
        last = rules.OTHER[position.turn] if position is not None and position.plies else None
        return To(rules.Over(result, last))


_OPTIONS: Mapping[str, str] = {
    "move_time": "seconds for one move; a player who takes longer loses; 0 (the default) = off",
    "setup_time": "seconds for the set-up; a player that is not ready then loses; default 300, 0 = off",
    "two_squares": "in how many turns in a row a piece may cross the same border: 3 (default), 5, or 0 = any number",
    "max_plies": "moves of both sides together after which the match is a draw; 1 to 100000, default 2000",
}


def _terms(settings: Settings) -> Terms:
    """
    Reads the settings of a match.

    :raises BadOption: a setting is unknown, or its value is not valid
    """
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
    """The token of Stratego: the game as tables and journals use it. Every match has its own settings."""

    name: str = "stratego"
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    choices: frozenset[str] = frozenset({"setup_time", "two_squares"})
    offers: frozenset[Offer] = frozenset({Offer.DRAW, Offer.CLAIM})
    usual: Settings = field(factory=dict)

    @property
    def options(self) -> Mapping[str, str]:
        return _OPTIONS

    def check(self, settings: Settings) -> None:
        _terms(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        return StrategoMaster(_terms(settings))

    write = staticmethod(rules.write)
    read = staticmethod(rules.read)
    #: Lists all moves. During the set-up, it lists single placements as soon as a single piece was placed.
    legal = staticmethod(legal)
    #: Returns a random move, or a random whole set-up.
    random_action = staticmethod(random_action)
    #: Returns the view of a seat after an event.
    follow = staticmethod(follow)

    def determinized(self, view: rules.Situation, seat: Seat, chance: Chance) -> StrategoMaster:
        """
        Returns a master of a match with random kinds for the enemy's pieces. A piece outside the enemy's own rows is neither
        flag nor bomb.

        A view shows neither which pieces were lost nor which have moved, so the random kinds do not depend on this.
        """
        # The limit of the two-squares rule is the length of the memory; 0: no limit.
        walk = view.walk or rules.nowhere(0)
        master = StrategoMaster(Terms(setup_time=0, two_squares=len(walk.crossed)))
        own, enemy = (master._placings[side] for side in (seat, rules.OTHER[seat]))
        if view.phase is rules.Phase.SETUP:
            own.restore(view.squares, view.ready[seat], view.singly)
            if view.ready[rules.OTHER[seat]]:
                # The enemy's set-up is hidden, so it is random.
                enemy.place_rows(any_rows(chance.below))
        else:
            own.ready = enemy.ready = True
            own.singly = view.singly
            kinds = any_kinds(view.squares, seat, chance)
            # The enemy's memory of the two-squares rule is not known, so it is empty.
            others = rules.nowhere(len(walk.crossed))
            walks = (others, walk) if seat else (walk, others)
            board = board_with(view.squares, seat, kinds)
            master.position = rules.Position(board, seat if view.turn is None else view.turn, 0, walks)
        return master


STRATEGO = Stratego()
