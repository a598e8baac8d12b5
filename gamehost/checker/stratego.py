"""
What the checks of both Stratego wires have in common: the board as one player may see it, an opponent that attacks from afar,
set-ups with which a game is short, and secrets.

What the rules say about a move does not depend on what the player cannot see.
"""

from collections.abc import Iterable, Iterator, Sequence

from attrs import define, field

from gamehost.checker.base import Grade
from gamehost.checker.server_run import Script, ServerRun, User
from gamehost.checker.server_scripts import log_in, meet, once_more
from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action as StrategoAction
from gamehost.games.stratego.actions import Move, PlaceRows
from gamehost.games.stratego.player import Step, StrategoPlayer
from gamehost.games.stratego.rules import (
    BARE,
    FIRST_PLAYER,
    KINDS,
    LAKES,
    MOVERS,
    SCOUT,
    SECOND_PLAYER,
    WAYS,
    WIDTH,
    Walk,
    codes,
    opening,
    survivor,
)
from gamehost.games.stratego.views import ENEMY

#: In so many turns in a row a piece may cross the same border, where the Two-Squares rule is played as the game has it.
TWO_SQUARES = 3
#: Stands for every enemy piece.
_ENEMY = codes(SECOND_PLAYER, "B")[0]
_OFF = "no such square"


@define(eq=False)
class Sight:
    """The client's pieces and the squares of the enemy's. A square is a number from 0 to 99, as in the game's board."""

    own: dict[int, str] = field(factory=dict)
    enemy: set[int] = field(factory=set)
    _walk: Walk = field(init=False, default=Walk(-1, (0,) * TWO_SQUARES))

    def clear(self) -> None:
        """Nothing is known any more."""
        self.own.clear()
        self.enemy.clear()
        self._walk = Walk(-1, (0,) * TWO_SQUARES)

    def show(self, squares: Iterable[str]) -> None:
        """A board, A1 first: own pieces by their kinds, and `#` for each enemy piece."""
        self.own.clear()
        self.enemy.clear()
        for square, mark in enumerate(squares):
            if mark in KINDS:
                self.own[square] = mark
            elif mark == "#":
                self.enemy.add(square)

    def wrong(self, source: int, target: int) -> str | None:
        """What is wrong with a move of the client; `None`: nothing that the document has."""
        if not (0 <= source < 100 and 0 <= target < 100):
            return _OFF
        squares = bytearray(BARE)
        for square, kind in self.own.items():
            squares[square] = codes(FIRST_PLAYER, kind)[0]
        for square in self.enemy - LAKES:
            squares[square] = _ENEMY
        return opening(bytes(squares), 0).objection(source, target)

    def crosses_again(self, source: int, target: int) -> bool:
        """Whether the Two-Squares rule refuses this move where it is played."""
        way = WAYS[source].get(target)
        return way is not None and bool(way[1] & self._walk.barred(source))

    def walked(self, source: int, target: int) -> None:
        """The client has made a move. The board is told in another way."""
        way = WAYS[source].get(target)
        if way is not None:
            self._walk = self._walk.on(source, target, way[1])

    def step(self, source: int, target: int) -> None:
        """A piece has gone to an empty square."""
        if source in self.own:
            self.own[target] = self.own.pop(source)
        else:
            self.enemy.discard(source)
            self.enemy.add(target)

    def meet(self, source: int, target: int, met: str | None) -> None:
        """The client has moved, and has met this kind of enemy piece; `None`: the square was empty."""
        kind = self.own.pop(source, None)
        if met is not None and kind is not None:
            left = survivor(kind, met) if kind in MOVERS else "tie"
            if left != "defender":
                self.enemy.discard(target)
            if left != "attacker":
                return
        if kind is not None:
            self.own[target] = kind

    def attacked(self, source: int, target: int, attacker: str) -> None:
        """The enemy has attacked the client's piece on a square."""
        self.enemy.discard(source)
        mine = self.own.get(target)
        left = survivor(attacker, mine) if mine is not None and attacker in MOVERS else "tie"
        if left != "defender":
            self.own.pop(target, None)
        if left == "attacker":
            self.enemy.add(target)


#: The back row first. Scouts stand in front, where there is no lake.
_SCOUTS_IN_FRONT = ("BFB8B8B8B8", "B8S7777915", "5556666924", "9943994399")


@define(eq=False)
class AttacksFromAfar(StrategoPlayer):
    """Attacks with its scouts from as far as they go, and moves them far."""

    def _set_up(self) -> StrategoAction:
        if any(mark not in ".~" for mark in self.squares):
            return super()._set_up()
        return PlaceRows(_SCOUTS_IN_FRONT if self.seat == 0 else _SCOUTS_IN_FRONT[::-1])

    def _step(self) -> Step:
        steps = [step for step in self._steps() if self.squares[step[0]] == SCOUT and _length(step) > 1]
        if not steps:
            return super()._step()
        attacks = [step for step in steps if self.squares[step[1]] == ENEMY]
        return self.thinking.chance.one_of(attacks or steps)


def _length(step: Step) -> int:
    across = abs(step[0] - step[1])
    return across // WIDTH or across


#: Set-ups, the back row first. In the front row the flag and a scout are in the columns A and B, behind no lake.
FLAG_IN_A = ("BBBBBB1233", "4445555666", "6777788888", "F9S9999999")
FLAG_IN_B = ("BBBBBB1233", "4445555666", "6777788888", "9FS9999999")
#: The same to an enemy until a piece of the back rows fights.
FLAG_IN_B_TOO = ("3321BBBBBB", "6665555444", "8888877776", "9FS9999999")

#: The scout in column B takes the flag at once.
FIRST_WINS = (Move(1, 3, 1, 6),)
#: The first player moves in column J; then the second player's scout in column A takes the flag.
SECOND_WINS = (Move(9, 3, 9, 4), Move(0, 6, 0, 3))
#: Moves without a battle.
QUIET_MOVES = (Move(9, 3, 9, 4), Move(8, 6, 8, 5), Move(9, 4, 9, 5), Move(8, 5, 8, 4))


def _placed(front: Sequence[str], seat: Seat) -> PlaceRows:
    """The set-up of a seat, by ascending rows of the board."""
    return PlaceRows(tuple(front) if seat == 0 else tuple(reversed(front)))


async def _scripted(
    run: ServerRun, users: tuple[User, User], moves: Sequence[Move], second: Sequence[str] = FLAG_IN_B
) -> None:
    """Set up, and make these moves."""
    for user, front in zip(users, (FLAG_IN_A, second), strict=True):
        seat = user.seat.seat
        await run.say(user, *run.spelling.says(_placed(front, seat), seat, ""))
    for number, move in enumerate(moves):
        user = users[number % 2]
        await run.say(user, *run.spelling.says(move, user.seat.seat, ""))
        run.moves += 1


def short_game(moves: Sequence[Move]) -> Script:
    """A game that these moves end, and the next one on the same connections."""

    async def script(run: ServerRun) -> None:
        users = await meet(run)
        await _scripted(run, users, moves)
        if run.spelling.again(users[0].name, ""):
            await once_more(run, *users)
        await run.play(6)

    return script


def faults(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[object]]]:
    """What nobody may do, wherever the pieces are."""
    own, enemy = (3, 6) if user.seat.seat == 0 else (6, 3)
    onward = 1 if user.seat.seat == 0 else -1
    back = own - onward
    for words, move in (
        ("a move that ends where it began", Move(4, own, 4, own)),
        ("a move from an empty square", Move(0, own + 2 * onward, 1, own + 2 * onward)),
        ("a move of the enemy's piece", Move(0, enemy, 0, enemy - onward)),
        ("a move onto an own piece", Move(4, back, 4, own)),
        ("a move into a lake", Move(2, own, 2, own + onward)),
        ("a diagonal move", Move(4, own, 5, own + onward)),
    ):
        yield words, run.spelling.says(move, user.seat.seat, "")


def refused(first: bool) -> Script:
    """Illegal moves of the first or the second player, before the first move of each."""

    async def script(run: ServerRun) -> None:
        users = await meet(run)
        await _scripted(run, users, () if first else SECOND_WINS[:1])
        user = users[0] if first else users[1]
        for words, messages in faults(run, user):
            await run.say(user, *messages, trying=words)
        await run.play(6)

    return script


async def alike(run: ServerRun) -> None:
    """Two games that differ in what the first player cannot see must look alike to that player."""
    heard = []
    for names, second in ((("ann", "bob"), FLAG_IN_B), (("amy", "bud"), FLAG_IN_B_TOO)):
        users = (run.new_user(names[0]), run.new_user(names[1]))
        await run.connect(users[0])
        await log_in(run, users[0])
        await run.connect(users[1])
        await log_in(run, users[1], users[0])
        await _scripted(run, users, QUIET_MOVES, second)
        words = str(users[0].heard).replace(users[0].name, "FIRST").replace(users[1].name, "SECOND")
        heard.append(words)
    if heard[0] != heard[1]:
        run.found(
            *(Grade.BREACH, "the first player can tell two hidden set-ups apart", "secret"),
            "Two games differed only in what the first player may not see, and the server sent that player other messages.",
        )
