"""
The house player of Stratego: it tries every move on sampled boards, with the captures that may follow.

A sampled board has random kinds for the enemy's pieces. The kinds agree with everything that this seat has seen. To the value
of a move on these boards, the player adds a bonus for four things that a board does not show: coming nearer to pieces that can
be taken, finding out the kind of a piece, hiding the own kinds, and not repeating positions.

The player's set-up is one of a library, mirrored at random and with some pieces exchanged. In these set-ups, bombs protect the
flag in the last row, scouts and some strong pieces stand in front, and most miners stand in the rear.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from gamehost.games.base import Seat, shuffled
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import ENEMY, STRATEGO, board_with, move_between
from gamehost.players.base import (
    FORCED,
    WIN,
    Budget,
    Level,
    Search,
    SeededChance,
    Thinking,
    Weighed,
    best_on_average,
    expected,
)

# Set-ups


#: The rows of each set-up, from the last one to the front.
LIBRARY: Sequence[tuple[str, str, str, str]] = (
    ("9BFB8898B7", "87B7S45B78", "5692639654", "91594B3969"),
    ("FB8978B898", "B776S27B68", "954B935456", "699194B935"),
    ("8978BFB897", "7B687BS58B", "6492596354", "93B9169459"),
    ("789878B8BF", "6B8B757S9B", "5936492645", "949519B396"),
)

_SWAPS = 4


def set_up(seat: int, chance: SeededChance) -> tuple[str, ...]:
    """Returns a good set-up: four rows by ascending y, as in `PlaceRows`."""
    rows = [list(row) for row in chance.one_of(LIBRARY)]
    if chance.below(2):
        # Half of the set-ups are mirrored.
        rows = [row[::-1] for row in rows]
    for _ in range(_SWAPS):
        row = chance.one_of(rows)
        one, other = chance.below(len(row)), chance.below(len(row))
        if not {row[one], row[other]} & {rules.FLAG, rules.BOMB}:
            # Flag and bombs stay, because they belong together.
            row[one], row[other] = row[other], row[one]
    lines = tuple("".join(row) for row in rows)
    # The library's rows begin with the last one. For the first side this is the lowest row, for the second the
    # highest.
    return lines if seat == 0 else lines[::-1]


def any_set_up(chance: SeededChance) -> tuple[str, ...]:
    """Returns a set-up with all pieces in random order."""
    pieces = shuffled([kind.id for kind in rules.KINDS.values() for _ in range(kind.count)], chance)
    return tuple("".join(pieces[start : start + 10]) for start in range(0, 40, 10))


# Knowledge about the enemy's pieces


@frozen
class Suspect:
    """An enemy's piece, as far as this seat knows it."""

    #: The square on which the piece was first seen.
    start: int
    #: The kind of the piece; `None`: it is not known.
    kind: str | None = None
    #: Whether the piece has moved. Then it is neither bomb nor flag.
    moved: bool = False


def ends_of(move: rules.Move) -> tuple[int, int]:
    """Returns the numbers of the two squares of a move."""
    return move.y * rules.WIDTH + move.x, move.to_y * rules.WIDTH + move.to_x


@define(eq=False)
class Knowledge:
    """The knowledge of one seat about the other side."""

    seat: Seat
    #: Whether the player remembers the kinds that battles have shown.
    remembers: bool = True
    #: The enemy's pieces, by square.
    suspects: dict[int, Suspect] = field(factory=dict)
    #: The number of lost enemy pieces, by kind.
    lost: dict[str, int] = field(factory=dict)
    #: Squares of own pieces that the enemy has seen in a battle.
    shown: set[int] = field(factory=set)

    def look(self, squares: str) -> None:
        """Takes over a board as this seat sees it. Each new enemy piece on it begins on its square."""
        enemies = {square for square, mark in enumerate(squares) if mark == ENEMY}
        for square in enemies - set(self.suspects):
            # The squares of the enemy's own rows. A piece outside of them must have moved.
            rows = range(60, 100) if self.seat == 0 else range(40)
            self.suspects[square] = Suspect(square, moved=square not in rows)
        for square in set(self.suspects) - enemies:
            # The piece was lost.
            del self.suspects[square]

    def moved(self, event: rules.Moved) -> None:
        """Notes a move to an empty square. A piece that moves more than one square is a scout."""
        start, end = ends_of(event.move)
        if event.seat == self.seat:
            self._own_goes(start, end)
        elif (suspect := self.suspects.pop(start, None)) is not None:
            # A step goes to a neighbour: 1 in the row, 10 in the column.
            far = abs(start - end) not in (1, rules.WIDTH)
            self.suspects[end] = evolve(suspect, moved=True, kind=rules.SCOUT if far else suspect.kind)

    def fought(self, event: rules.Fought) -> None:
        """Notes a battle: the kind of the enemy's piece, and which pieces were lost."""
        start, end = ends_of(event.move)
        mine = event.seat == self.seat
        # The enemy's piece: its kind, and its square before the battle.
        kind, square = (event.defender, end) if mine else (event.attacker, start)
        # A piece that was not seen before begins here.
        suspect = self.suspects.pop(square, Suspect(square))
        if event.winner == ("defender" if mine else "attacker"):
            # The enemy's piece has survived. If it was the attacker, it has moved.
            known = evolve(suspect, kind=kind if self.remembers else suspect.kind, moved=suspect.moved or not mine)
            self.suspects[end] = known
            # The own piece is lost.
            self.shown.discard(start if mine else end)
            return
        # The enemy's piece is lost.
        self.lost[kind] = self.lost.get(kind, 0) + 1
        if event.winner == "tie":
            # The own piece is lost, too.
            self.shown.discard(start if mine else end)
        elif mine:
            # The own piece has won, and the enemy has seen its kind.
            self._own_goes(start, end)
            self.shown.add(end)
        else:
            self.shown.add(end)

    def _own_goes(self, start: int, end: int) -> None:
        """Notes that an own piece has moved to another square, with whether the enemy knows its kind."""
        if start in self.shown:
            self.shown.discard(start)
            self.shown.add(end)

    def unknown_kinds(self) -> list[str]:
        """Returns the kinds of the enemy's pieces that are neither lost nor known."""
        known = [suspect.kind for suspect in self.suspects.values()]
        return [
            kind.id
            for kind in rules.KINDS.values()
            # Each kind as often as it has pieces that are neither lost nor known.
            for _ in range(kind.count - self.lost.get(kind.id, 0) - known.count(kind.id))
        ]

    def sample(self, chance: SeededChance) -> Mapping[int, str]:
        """Returns a random kind for every enemy piece. The kinds agree with this knowledge."""
        kinds = {square: suspect.kind for square, suspect in self.suspects.items() if suspect.kind is not None}
        unknown = sorted(square for square in self.suspects if square not in kinds)
        still = [square for square in unknown if not self.suspects[square].moved]
        left = self.unknown_kinds()
        movers = [kind for kind in left if kind not in (rules.FLAG, rules.BOMB)]
        # First the flag and the bombs: only pieces that have not moved can be these.
        if rules.FLAG in left and still:
            flag = self._drawn(still, None, chance)
            still.remove(flag)
            kinds[flag] = rules.FLAG
            # Bombs that are left, as far as there are pieces that have not moved.
            for _ in range(min(left.count(rules.BOMB), len(still))):
                bomb = self._drawn(still, flag, chance)
                still.remove(bomb)
                kinds[bomb] = rules.BOMB
        rest = [square for square in unknown if square not in kinds]
        # The other pieces. A player that has seen a board without its history may have more kinds than pieces.
        kinds.update(zip(rest, shuffled(movers, chance), strict=False))
        return kinds

    def _drawn(self, squares: list[int], flag: int | None, chance: SeededChance) -> int:
        """
        Returns a random square for the flag (`flag` is `None`), or for a bomb. Squares in the rear are more likely for the
        flag, and squares beside the flag for a bomb.
        """
        weights = []
        for square in squares:
            # The number of the row, counted from the enemy's last one.
            behind = 9 - square // rules.WIDTH if self.seat == 0 else square // rules.WIDTH
            weight = (24, 6, 2, 1)[behind] if flag is None else (4, 4, 2, 2)[behind]
            if flag is not None and abs(square - flag) in (1, rules.WIDTH):
                # Beside the flag.
                weight *= 6
            weights.append(weight)
        # Each square is as likely as its weight says.
        place = chance.below(sum(weights))
        here = 0
        while place >= weights[here]:
            place -= weights[here]
            here += 1
        return squares[here]


# The search


#: The value of each kind of piece in an exchange.
WORTH: Mapping[str, int] = dict(zip("123456789SFB", (400, 250, 150, 90, 60, 40, 30, 55, 25, 80, 0, 45), strict=True))
#: The value of the flag on one sampled board. It is high, but not infinite, because on the real board the flag may be on
#: another square.
FLAG_WORTH = 900

Step = tuple[int, int]


@frozen
class Style:
    """How a player of one level searches."""

    #: The most sampled boards.
    worlds: int
    nodes: int
    seconds: float
    #: `remembers`: whether the player remembers the kinds that it has seen. `looks_ahead`: whether it examines the enemy's
    #: answers.
    remembers: bool
    looks_ahead: bool
    noise: int


STYLE: Mapping[Level, Style] = {
    Level.RANDOM: Style(worlds=0, nodes=0, seconds=0.1, remembers=False, looks_ahead=False, noise=0),
    Level.EASY: Style(worlds=2, nodes=3_000, seconds=0.3, remembers=False, looks_ahead=False, noise=45),
    Level.MEDIUM: Style(worlds=6, nodes=3_000, seconds=0.4, remembers=True, looks_ahead=False, noise=4),
    Level.HARD: Style(worlds=12, nodes=12_000, seconds=1.0, remembers=True, looks_ahead=True, noise=0),
}
#: The style for studies, and the value of a clear lead.
STUDIED, LEAD = Style(worlds=12, nodes=1_000_000, seconds=0.0, remembers=True, looks_ahead=True, noise=0), 200


def _table(seat: Seat) -> tuple[int, ...]:
    """Returns the value of each byte of a board for a seat."""
    table = [0] * 256
    for kind in rules.KINDS:
        table[rules.codes(seat, kind)[0]] = WORTH[kind]
        table[rules.codes(rules.OTHER[seat], kind)[0]] = -WORTH[kind]
    return tuple(table)


_TABLES = (_table(Seat(0)), _table(Seat(1)))
_FLAGS = tuple(rules.codes(Seat(seat), rules.FLAG)[0] for seat in (0, 1))


class StrategoRules:
    """The rules for `Search`, on a board with all kinds. The search follows only captures."""

    def outcome(self, position: rules.Position) -> int | None:
        return None if _FLAGS[position.turn] in position.squares else -WIN

    def moves(self, position: rules.Position) -> Sequence[Step]:
        return list(position.legal_moves())

    def forcing(self, position: rules.Position) -> Sequence[Step]:
        squares = position.squares
        return [step for step in position.legal_moves() if squares[step[1]] != rules.EMPTY]

    def after(self, position: rules.Position, move: Step) -> rules.Position:
        return position.after(*move)[0]

    def evaluate(self, position: rules.Position) -> int:
        return sum(map(_TABLES[position.turn].__getitem__, position.squares))

    def key(self, position: rules.Position) -> Hashable:
        return position


RULES = StrategoRules()


#: The marks of squares that never become free.
_IN_THE_WAY = frozenset((ENEMY, rules.FLAG, rules.BOMB))


def paths_to(target: int, squares: str) -> Mapping[int, int]:
    """
    Returns square -> number of steps to `target`. Own pieces can step aside, so only enemies, flags, bombs and lakes block the
    way.
    """
    far = {target: 0}
    queue = [target]
    # New squares are appended while the queue is read.
    for here in queue:
        steps = far[here] + 1
        for there, _ in rules.STEPS[here]:
            if there not in far:
                far[there] = steps
                if squares[there] not in _IN_THE_WAY:
                    # A blocked square can be reached, but not passed.
                    queue.append(there)
    return far


def _battle_value(attacker: str, defender: str) -> int:
    """Returns the value of an attack for the attacker."""
    if defender == rules.FLAG:
        return FLAG_WORTH
    match rules.survivor(attacker, defender):
        case "attacker":
            return WORTH[defender]
        case "tie":
            return WORTH[defender] - WORTH[attacker]
    return -WORTH[attacker]


#: Kind of the attacker -> kind of the defender -> value of the attack.
BATTLE_VALUES: Mapping[str, Mapping[str, int]] = {
    attacker: {defender: _battle_value(attacker, defender) for defender in rules.KINDS} for attacker in rules.MOVERS
}


@define(eq=False)
class Judge:
    """Computes the bonuses of moves in one position: the values that sampled boards do not show."""

    squares: str
    knowledge: Knowledge
    #: Samples of the kinds of the enemy's pieces, by square.
    samples: Sequence[Mapping[int, str]]
    #: The number of own moves since the last battle.
    calm: int
    _gains: dict[str, list[tuple[float, int]]] = field(factory=dict)
    _paths: dict[int, Mapping[int, int]] = field(factory=dict)

    def gains(self, kind: str) -> Sequence[tuple[float, int]]:
        """
        Returns the average gain of an attack on each enemy piece by a piece of this kind, and the square of the enemy piece:
        only positive gains, the highest first. If the last battle was long ago, finding out a kind counts more.
        """
        if (found := self._gains.get(kind)) is None:
            values, learned = BATTLE_VALUES[kind], 12 + min(self.calm, 100)
            found = self._gains[kind] = []
            for target, suspect in self.knowledge.suspects.items():
                # A piece without a kind in a sample counts as a bomb. `learned`: the value of finding out an unknown
                # kind.
                gains = [values[sample.get(target, rules.BOMB)] for sample in self.samples]
                gain = sum(gains) / max(1, len(gains)) + learned * (suspect.kind is None)
                if gain > 0:
                    found.append((gain, target))
            found.sort(reverse=True)
        return found

    def pull(self, kind: str, square: int) -> float:
        """
        Returns the value of a square for a piece of this kind: the gain of the pieces that it can reach from there, less for
        more steps.
        """
        best = 0.0
        for gain, target in self.gains(kind):
            if gain <= 2 * best:
                break  # the target is at least one step away, so the gain counts at most half
            if (paths := self._paths.get(target)) is None:
                paths = self._paths[target] = paths_to(target, self.squares)
            if square in paths:
                best = max(best, gain / (paths[square] + 1))
        return best

    def bonus(self, step: Step, seen: Mapping[str, int]) -> float:
        """
        Returns the value of a move without the captures that it begins.

        :param seen: how often each board has occurred after an own move
        """
        start, end = step
        kind = self.squares[start]
        if self.squares[end] == ENEMY:
            hidden = start not in self.knowledge.shown
            unknown = self.knowledge.suspects[end].kind is None
            # An attack finds out the enemy's kind, but shows the own one.
            return (12 + min(self.calm, 100)) * unknown - 0.15 * WORTH[kind] * hidden
        # The board after the move. A board that has occurred before is worth less, so that the player does not go to
        # and fro.
        after = self.squares[:start] + "." + self.squares[start + 1 :]
        after = after[:end] + kind + after[end + 1 :]
        value = 0.6 * (self.pull(kind, end) - self.pull(kind, start)) - 25 * seen.get(after, 0)
        if abs(start - end) not in (1, rules.WIDTH):
            # A long move shows that the piece is a scout.
            value -= 4
        return value


@define(eq=False)
class StrategoPlayer:
    """The house player of one seat."""

    seat: Seat
    level: Level
    thinking: Thinking
    knowledge: Knowledge = field(init=False)
    view: rules.Situation | None = field(init=False, default=None)
    #: The moves that the host has refused in this turn.
    _refused: set[bytes] = field(init=False, factory=set)
    #: Board -> how often an own move has led to it since the last battle.
    _seen: dict[str, int] = field(init=False, factory=dict)
    _calm: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self.knowledge = Knowledge(self.seat, STYLE[self.level].remembers)

    @property
    def squares(self) -> str:
        """The board of this seat; empty: the match has not begun."""
        return "" if self.view is None else self.view.squares

    def hear(self, event: Any) -> None:
        """Updates the view and the knowledge by an event of the match."""
        # After any event, a refused move may be legal.
        self._refused.clear()
        before, self.view = self.view, STRATEGO.follow(self.view, event, self.seat)
        match event:
            case rules.Situation():
                self._come_in(event, before)
            case rules.Board(squares):
                self.knowledge.look(squares)
            case rules.Moved() | rules.Fought():
                self._note(event)

    def refused(self, notation: bytes) -> None:
        """
        Notes a move that the host has refused, because of earlier moves that this player has not seen. The next answer is
        another move.
        """
        self._refused.add(notation)

    def answer(self) -> bytes | None:
        """The next action of this seat, in the game's notation; `None`: the seat has nothing to do."""
        view = self.view
        if view is None or view.phase is rules.Phase.OVER:
            return None
        if not view.ready[self.seat]:
            return rules.write(self._set_up())
        return rules.write(move_between(*self._step())) if view.turn == self.seat else None

    def _come_in(self, situation: rules.Situation, before: rules.Situation | None) -> None:
        """
        Takes over a view, after the player has come back.

        A view that was read from a message does not contain the memory of the two-squares rule, so it is taken from the view
        before.
        """
        if situation.walk is None:
            walk = None if before is None else before.walk
            self.view = evolve(situation, walk=walk or rules.nowhere(rules.Opened().two_squares))
        if situation.phase is not rules.Phase.SETUP:
            # During the set-up, the enemy's pieces are not on the board.
            self.knowledge.look(situation.squares)

    def _note(self, event: rules.Moved | rules.Fought) -> None:
        """Notes what a move shows about the enemy's pieces, and counts the board after an own move."""
        if isinstance(event, rules.Moved):
            self.knowledge.moved(event)
            if event.seat == self.seat:
                self._seen[self.squares] = self._seen.get(self.squares, 0) + 1
                self._calm += 1
        else:
            self.knowledge.fought(event)
            # After a battle, no earlier board can occur again.
            self._seen.clear()
            self._calm = 0

    def _set_up(self) -> rules.Action:
        """Places all pieces at once. If some are placed already, places the others one by one."""
        chance = self.thinking.chance
        # Before the play, the board of this seat has only own pieces.
        mine = [mark for mark in self.squares if mark not in ".~"]
        if not mine:
            return rules.PlaceRows(any_set_up(chance) if self.level is Level.RANDOM else set_up(self.seat, chance))
        left = [
            kind.id for kind in reversed(list(rules.KINDS.values())) for _ in range(kind.count - mine.count(kind.id))
        ]
        if not left:
            return rules.Ready()
        # From the last row to the front, so that the flag, which comes first, is in the last row.
        home = range(40) if self.seat == 0 else range(99, 59, -1)
        square = next(square for square in home if self.squares[square] == ".")
        kind = rules.FLAG if rules.FLAG in left else chance.one_of(left)
        return rules.Place(kind, square % rules.WIDTH, square // rules.WIDTH)

    def _position(self, view: rules.Situation, kinds: Mapping[int, str]) -> rules.Position:
        """Returns the position with these kinds for the enemy's pieces."""
        # An unknown memory of the two-squares rule is empty, as for the enemy.
        walk = view.walk or rules.nowhere(rules.Opened().two_squares)
        enemy = rules.nowhere(len(walk.crossed))
        walks = (walk, enemy) if self.seat == 0 else (enemy, walk)
        return rules.Position(board_with(view.squares, self.seat, kinds), self.seat, 0, walks)

    def _steps(self) -> list[Step]:
        """Returns the legal moves that the host has not refused."""
        view = self.view
        assert view is not None
        # Some servers do not send the limit of the two-squares rule. If this rule would leave no move, it is ignored, because a
        # player that is asked to move has a move.
        known = list(STRATEGO.legal(view, self.seat) or ())
        known = known or list(STRATEGO.legal(evolve(view, walk=None), self.seat) or ())
        legal = [move for move in known if isinstance(move, rules.Move)]
        allowed = [move for move in legal if rules.write(move) not in self._refused] if self._refused else legal
        # If all moves were refused, they are all tried again.
        return [ends_of(move) for move in allowed or legal]

    def _step(self) -> Step:
        """Chooses a move at this level."""
        style = STYLE[self.level]
        if not style.worlds:
            return self.thinking.chance.one_of(self._steps())
        return self.tried(style).best()

    def tried(self, style: Style) -> "Tried":
        """Returns the legal moves with their bonuses and sampled boards, ready for comparison."""
        chance: SeededChance = self.thinking.chance
        steps = self._steps()
        samples = [self.knowledge.sample(chance) for _ in range(style.worlds)]
        judge = Judge(self.squares, self.knowledge, samples, self._calm)
        noise = style.noise
        bonus = {
            # Noise makes weaker levels err.
            step: judge.bonus(step, self._seen) + (chance.below(2 * noise + 1) - noise if noise else 0)
            for step in steps
        }
        # The most promising first: see `Tried`.
        steps.sort(key=lambda step: -bonus[step])
        budget = self.thinking.budget(style.nodes, style.seconds)
        assert self.view is not None
        worlds = [(self._position(self.view, kinds), kinds) for kinds in samples]
        return Tried(steps, bonus, worlds, budget, style.looks_ahead)

    def weigh(self, action: bytes) -> Weighed | None:
        """
        Compares a move with the best one, for a study, with the knowledge of this seat. The lost pieces decide which side is
        ahead.
        """
        view, move = self.view, rules.read(action)
        if view is None or view.phase is not rules.Phase.PLAY or not isinstance(move, rules.Move):
            return None
        tried = self.tried(STUDIED)
        half, taken = STUDIED.worlds // 2, ends_of(move)
        if taken not in tried.bonus:
            # By the knowledge of this seat, the move is not legal.
            return None
        # Choose the best move on one half of the boards, and compare both moves on the other half. On the first half, the best
        # move may have been lucky.
        best = evolve(tried, worlds=tried.worlds[:half]).best()
        tried = evolve(tried, worlds=tried.worlds[half:])
        lead = self._lead()
        before, after = expected(lead, LEAD), expected(lead - max(0.0, tried.mean(best) - tried.mean(taken)), LEAD)
        shares = (before, 1 - before) if self.seat == 0 else (1 - before, before)
        return Weighed(shares, rules.write(move_between(*best)), before - after)

    def _lead(self) -> int:
        """Returns the value of the enemy's lost pieces minus that of the own lost pieces."""
        lost = sum(WORTH[kind] * number for kind, number in self.knowledge.lost.items())
        all_pieces = sum(WORTH[kind.id] * kind.count for kind in rules.KINDS.values())
        # What is missing on the board from all own pieces, is lost.
        return lost - (all_pieces - sum(WORTH.get(mark, 0) for mark in self.squares))


World = tuple[rules.Position, Mapping[int, str]]


@define(eq=False)
class Tried:
    """Compares moves on sampled boards. The most promising moves come first."""

    steps: Sequence[Step]
    bonus: Mapping[Step, float]
    worlds: Sequence[World]
    budget: Budget
    looks_ahead: bool

    def best(self) -> Step:
        """Returns the move with the best average value."""
        worlds = iter(self.worlds)
        return best_on_average(self.steps, lambda: next(worlds), self.value, len(self.worlds), least=6)

    def value(self, world: World, step: Step) -> float:
        """
        Returns the value of a move on one board.

        :raises OutOfBudget: the time or the nodes are used up
        """
        return self.bonus[step] + exchange(*world, step, self.budget, self.looks_ahead)

    def mean(self, step: Step) -> float:
        """Returns the average value of a move on all boards."""
        return sum(self.value(world, step) for world in self.worlds) / len(self.worlds)


def exchange(
    position: rules.Position, kinds: Mapping[int, str], step: Step, budget: Budget, looks_ahead: bool
) -> float:
    """Returns the value of a move and the captures after it, on a sampled board."""
    start, end = step
    if not looks_ahead:
        budget.spend()
        # Without the top bit, which marks the second player's pieces, the byte is the kind of the piece.
        attacker = chr(position.squares[start] & 0x7F)
        return BATTLE_VALUES[attacker][kinds[end]] if end in kinds else 0
    before = RULES.evaluate(position)
    after = RULES.after(position, step)
    outcome = RULES.outcome(after)
    if outcome is None:
        # 0 plies: only captures are searched.
        outcome = Search(RULES, budget).value(after, 0)
    # The values are those of the other side, which is to move then.
    value = -outcome
    if value > FORCED:
        return FLAG_WORTH
    return -FLAG_WORTH if value < -FORCED else value - before


# Coming back to a match


def recalled(known: rules.Situation, told: Sequence[Any], seat: Seat) -> Sequence[Any]:
    """
    Returns the events of the match from its first move, with the boards that this seat has received. The player learns from
    each board.

    :param known: the present view
    :param told: the public events so far
    """
    if known.phase is rules.Phase.SETUP:
        return []
    moves = [event for event in told if isinstance(event, rules.Moved | rules.Fought)]
    # The boards of the past are found by undoing the moves, from the last one to the first.
    boards = [known.squares]
    for move in reversed(moves):
        boards.append(_undone(boards[-1], move, seat))
    boards.reverse()
    # `ReadySet`: this seat has placed its pieces.
    start = [rules.Opened(), rules.ReadySet(seat), rules.Board(boards[0])]
    return [*start, *(one for pair in zip(moves, map(rules.Board, boards[1:]), strict=True) for one in pair)]


def _undone(squares: str, event: rules.Moved | rules.Fought, seat: Seat) -> str:
    """Returns a seat's board before a move."""
    start, end = ends_of(event.move)
    board = list(squares)
    mine = event.seat == seat
    if isinstance(event, rules.Moved):
        board[start], board[end] = board[end], "."
    else:
        # Before the battle both pieces stood on the board. The seat knows only the kind of its own piece.
        board[start] = event.attacker if mine else ENEMY
        board[end] = ENEMY if mine else event.defender
    return "".join(board)


PLAYER = StrategoPlayer
#: Whether the strength of the levels was measured. The table in docs/house-players has the results.
MEASURED = True
