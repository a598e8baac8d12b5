"""
Stratego: every move is tried on sampled boards, with the exchanges that may follow.

To the value on the boards comes a bonus for what a board does not show: coming nearer to pieces that can be taken, learning
the kind of a piece, hiding the own kinds, and not going in circles.
"""

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows, Ready, write
from gamehost.games.stratego.events import Board, Fought, Moved, Opened, Phase, Situation
from gamehost.games.stratego.game import STRATEGO
from gamehost.games.stratego.pieces import FLAG, KINDS, survivor
from gamehost.games.stratego.position import EMPTY, OTHER, STEPS, WIDTH, Position, codes, nowhere
from gamehost.games.stratego.views import ENEMY, board_with, move_between
from gamehost.players.base import Budget, Level, SeededChance, Thinking
from gamehost.players.determinized import best_on_average
from gamehost.players.search import FORCED, WIN, Search
from gamehost.players.stratego_knowledge import Knowledge, ends_of
from gamehost.players.stratego_setups import any_set_up, set_up

#: What a piece is worth in an exchange.
WORTH: Mapping[str, int] = dict(zip("123456789SFB", (400, 250, 150, 90, 60, 40, 30, 55, 25, 80, 0, 45), strict=True))
#: What the flag counts for on one sampled board: much, but not everything, because the flag may be elsewhere.
FLAG_WORTH = 900

Step = tuple[int, int]


@frozen
class Style:
    """How a level plays."""

    #: Sampled boards at most.
    worlds: int
    nodes: int
    seconds: float
    #: Whether kinds that were seen are kept in mind, and whether the enemy's answers are looked at.
    remembers: bool
    looks_ahead: bool
    noise: int


STYLE: Mapping[Level, Style] = {
    Level.RANDOM: Style(worlds=0, nodes=0, seconds=0.1, remembers=False, looks_ahead=False, noise=0),
    Level.EASY: Style(worlds=2, nodes=3_000, seconds=0.3, remembers=False, looks_ahead=False, noise=45),
    Level.MEDIUM: Style(worlds=6, nodes=3_000, seconds=0.4, remembers=True, looks_ahead=False, noise=4),
    Level.HARD: Style(worlds=12, nodes=12_000, seconds=1.0, remembers=True, looks_ahead=True, noise=0),
}


def _table(seat: Seat) -> tuple[int, ...]:
    """The worth of each byte of a board to a seat."""
    table = [0] * 256
    for kind in KINDS:
        table[codes(seat, kind)[0]] = WORTH[kind]
        table[codes(OTHER[seat], kind)[0]] = -WORTH[kind]
    return tuple(table)


_TABLES = (_table(Seat(0)), _table(Seat(1)))
_FLAGS = tuple(codes(Seat(seat), FLAG)[0] for seat in (0, 1))


class StrategoRules:
    """A board with all kinds, as the search sees it. Only exchanges are followed."""

    def outcome(self, position: Position) -> int | None:
        return None if _FLAGS[position.turn] in position.squares else -WIN

    def moves(self, position: Position) -> Sequence[Step]:
        return list(position.legal_moves())

    def forcing(self, position: Position) -> Sequence[Step]:
        squares = position.squares
        return [step for step in position.legal_moves() if squares[step[1]] != EMPTY]

    def after(self, position: Position, move: Step) -> Position:
        return position.after(*move)[0]

    def evaluate(self, position: Position) -> int:
        return sum(map(_TABLES[position.turn].__getitem__, position.squares))

    def key(self, position: Position) -> Hashable:
        return position


RULES = StrategoRules()


def paths_to(target: int, squares: str) -> Mapping[int, int]:
    """How many steps it is to a square from each square. Own pieces may step aside; enemies and lakes do not."""
    far = {target: 0}
    queue = deque([target])
    while queue:
        here = queue.popleft()
        for there, _ in STEPS[here]:
            if there not in far:
                far[there] = far[here] + 1
                if squares[there] not in f"{ENEMY}FB":
                    queue.append(there)
    return far


def battle_value(attacker: str, defender: str) -> int:
    """What an attack brings to the attacker."""
    if defender == FLAG:
        return FLAG_WORTH
    match survivor(attacker, defender):
        case "attacker":
            return WORTH[defender]
        case "tie":
            return WORTH[defender] - WORTH[attacker]
    return -WORTH[attacker]


@define(eq=False)
class Judge:
    """What moves are worth beyond the boards, in one position."""

    squares: str
    knowledge: Knowledge
    #: Sampled kinds of the enemy's pieces.
    samples: Sequence[Mapping[int, str]]
    #: Own moves since the last battle.
    calm: int
    _gains: dict[tuple[str, int], float] = field(factory=dict)
    _paths: dict[int, Mapping[int, int]] = field(factory=dict)

    def gain(self, kind: str, target: int) -> float:
        """What an attack on an enemy piece brings on average. To learn its kind is worth more the longer nothing happens."""
        known = self._gains.get((kind, target))
        if known is None:
            suspect = self.knowledge.suspects[target]
            values = [battle_value(kind, sample.get(target, "B")) for sample in self.samples]
            known = sum(values) / max(1, len(values))
            if suspect.kind is None:
                known += 12 + min(self.calm, 100)
            self._gains[kind, target] = known
        return known

    def pull(self, kind: str, square: int) -> float:
        """How good it is to stand here, because of what can be reached."""
        best = 0.0
        for target in self.knowledge.suspects:
            gain = self.gain(kind, target)
            if gain > 0:
                paths = self._paths.get(target)
                if paths is None:
                    paths = self._paths[target] = paths_to(target, self.squares)
                if square in paths:
                    best = max(best, gain / (paths[square] + 1))
        return best

    def bonus(self, step: Step, seen: Mapping[str, int]) -> float:
        """What a move is worth beside the exchange that it begins."""
        start, end = step
        kind = self.squares[start]
        if self.squares[end] == ENEMY:
            hidden = start not in self.knowledge.shown
            unknown = self.knowledge.suspects[end].kind is None
            return (12 + min(self.calm, 100)) * unknown - 0.15 * WORTH[kind] * hidden
        after = self.squares[:start] + "." + self.squares[start + 1 :]
        after = after[:end] + kind + after[end + 1 :]
        value = 0.6 * (self.pull(kind, end) - self.pull(kind, start)) - 25 * seen.get(after, 0)
        if abs(start - end) not in (1, WIDTH):
            value -= 4
        return value


@define(eq=False)
class StrategoPlayer:
    """A player of one match."""

    seat: Seat
    level: Level
    thinking: Thinking
    knowledge: Knowledge = field(init=False)
    view: Situation | None = field(init=False, default=None)
    #: Moves that were refused in this turn.
    _refused: set[bytes] = field(init=False, factory=set)
    #: How often a board came about by an own move.
    _seen: dict[str, int] = field(init=False, factory=dict)
    _calm: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self.knowledge = Knowledge(self.seat, STYLE[self.level].remembers)

    @property
    def squares(self) -> str:
        """The board of this seat; empty: the match has not begun."""
        return "" if self.view is None else self.view.squares

    def hear(self, event: Any) -> None:
        self._refused.clear()
        before, self.view = self.view, STRATEGO.follow(self.view, event, self.seat)
        match event:
            case Situation():
                self._come_in(event, before)
            case Board(squares):
                self.knowledge.look(squares)
            case Moved() | Fought():
                self._note(event)

    def refused(self, notation: bytes) -> None:
        """The host refused an answer, because of moves that this player has not seen. The next answer is another one."""
        self._refused.add(notation)

    def answer(self) -> bytes | None:
        view = self.view
        if view is None or view.phase is Phase.OVER:
            return None
        if not view.ready[self.seat]:
            return write(self._set_up())
        return write(move_between(*self._step())) if view.turn == self.seat else None

    def _come_in(self, situation: Situation, before: Situation | None) -> None:
        """A view that was read from a message does not say what a piece has crossed."""
        if situation.walk is None:
            walk = None if before is None else before.walk
            self.view = evolve(situation, walk=walk or nowhere(Opened().two_squares))
        if situation.phase is not Phase.SETUP:
            self.knowledge.look(situation.squares)

    def _note(self, event: Moved | Fought) -> None:
        """Remember what an enemy's move shows, and where an own move led to."""
        if isinstance(event, Moved):
            self.knowledge.moved(event)
            if event.seat == self.seat:
                self._seen[self.squares] = self._seen.get(self.squares, 0) + 1
                self._calm += 1
        else:
            self.knowledge.fought(event)
            self._seen.clear()
            self._calm = 0

    def _set_up(self) -> Action:
        """All pieces at once; if some were placed already, the others one by one."""
        chance = self.thinking.chance
        mine = [mark for mark in self.squares if mark not in ".~"]
        if not mine:
            return PlaceRows(any_set_up(chance) if self.level is Level.RANDOM else set_up(self.seat, chance))
        left = [kind.id for kind in reversed(list(KINDS.values())) for _ in range(kind.count - mine.count(kind.id))]
        if not left:
            return Ready()
        home = range(40) if self.seat == 0 else range(99, 59, -1)
        square = next(square for square in home if self.squares[square] == ".")
        kind = FLAG if FLAG in left else chance.one_of(left)
        return Place(kind, square % WIDTH, square // WIDTH)

    def _position(self, view: Situation, kinds: Mapping[int, str]) -> Position:
        walk = view.walk or nowhere(Opened().two_squares)
        enemy = nowhere(len(walk.crossed))
        walks = (walk, enemy) if self.seat == 0 else (enemy, walk)
        return Position(board_with(view.squares, self.seat, kinds), self.seat, 0, walks)

    def _steps(self) -> list[Step]:
        """The legal moves that were not refused."""
        view = self.view
        assert view is not None
        legal = [move for move in STRATEGO.legal(view, self.seat) or () if isinstance(move, Move)]
        allowed = [move for move in legal if write(move) not in self._refused] if self._refused else legal
        return [ends_of(move) for move in allowed or legal]

    def _step(self) -> Step:
        chance: SeededChance = self.thinking.chance
        style = STYLE[self.level]
        steps = self._steps()
        if not style.worlds:
            return chance.one_of(steps)
        samples = [self.knowledge.sample(chance) for _ in range(style.worlds)]
        judge = Judge(self.squares, self.knowledge, samples, self._calm)
        noise = style.noise
        bonus = {
            step: judge.bonus(step, self._seen) + (chance.below(2 * noise + 1) - noise if noise else 0)
            for step in steps
        }
        steps.sort(key=lambda step: -bonus[step])
        budget = self.thinking.budget(style.nodes, style.seconds)
        assert self.view is not None
        worlds = iter([(self._position(self.view, kinds), kinds) for kinds in samples])

        def value(world: tuple[Position, Mapping[int, str]], step: Step) -> float:
            return bonus[step] + exchange(*world, step, budget, style.looks_ahead)

        return best_on_average(steps, lambda: next(worlds), value, len(samples), least=6)


def exchange(position: Position, kinds: Mapping[int, str], step: Step, budget: Budget, looks_ahead: bool) -> float:
    """What a move and the captures after it bring, on a sampled board."""
    start, end = step
    if not looks_ahead:
        budget.spend()
        attacker = chr(position.squares[start] & 0x7F)
        return battle_value(attacker, kinds[end]) if end in kinds else 0
    before = RULES.evaluate(position)
    after = RULES.after(position, step)
    outcome = RULES.outcome(after)
    value = -(Search(RULES, budget).value(after, 0) if outcome is None else outcome)
    if value > FORCED:
        return FLAG_WORTH
    return -FLAG_WORTH if value < -FORCED else value - before
