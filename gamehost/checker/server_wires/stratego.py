"""
What the checks of servers of both Stratego wires have in common: set-ups with which a game is short, and secrets.
"""

from collections.abc import Iterator, Sequence

from gamehost.checker.base import Grade
from gamehost.checker.server_base import Script
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_scripts import log_in, meet, once_more
from gamehost.checker.server_user import User
from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move, PlaceRows

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
        await run.say(user, *run.speech.says(_placed(front, seat), seat, ""))
    for number, move in enumerate(moves):
        user = users[number % 2]
        await run.say(user, *run.speech.says(move, user.seat.seat, ""))
        run.moves += 1


def short_game(moves: Sequence[Move]) -> Script:
    """A game that these moves end, and the next one on the same connections."""

    async def script(run: ServerRun) -> None:
        users = await meet(run)
        await _scripted(run, users, moves)
        if run.speech.again(users[0].name, ""):
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
        yield words, run.speech.says(move, user.seat.seat, "")


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
