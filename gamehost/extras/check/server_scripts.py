"""
The scenarios for the servers of every wire.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gamehost.extras.check.base import Cut, Scenario
from gamehost.extras.check.server_run import Script, ServerRun, User

#: A match has this many moves at most. A longer one is not finished.
LONGEST = 400

#: Seconds for which a lost connection is not replaced: a server may reserve the seat from strangers for a moment.
AWAY = 4.0

#: The fault, and the messages with it.
Faults = Callable[[ServerRun, User], Iterator[tuple[str, Sequence[Any]]]]


async def meet(run: ServerRun, *names: str) -> tuple[User, User]:
    """Two players connect and log in. The first one to do so is returned first."""
    first, second = map(run.new_user, names or ("ann", "bob"))
    for user, after in ((first, None), (second, first)):
        await run.connect(user)
        await run.spelling.enter(run, user, after)
    return first, second


async def meet_crosswise(run: ServerRun) -> tuple[User, User]:
    """Connect two players. The one that connects later logs in first."""
    second, first = run.new_user("ann"), run.new_user("bob")
    await run.connect(second)
    await run.connect(first)
    await run.spelling.enter(run, first)
    await run.spelling.enter(run, second, first)
    return first, second


def some_moves(most: int) -> Script:
    """Two players, and so many moves."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(most)

    return script


async def crosswise(run: ServerRun) -> None:
    """The other order of log-ins, and some moves."""
    await meet_crosswise(run)
    await run.play(8)


async def next_match(run: ServerRun) -> None:
    """A whole match, and the next one on the same connections."""
    first, second = await meet(run)
    if await run.play(LONGEST):
        await once_more(run, first, second)
        await run.play(6)


async def once_more(run: ServerRun, first: User, second: User) -> None:
    """Both begin the next match."""
    await run.spelling.enter_again(run, first)
    await run.spelling.enter_again(run, second, first)


def refusals(faults: Faults, moves: int) -> Script:
    """Each fault is refused, and changes nothing."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(moves)
        await try_all(run, faults)
        await run.play(4)

    return script


async def try_all(run: ServerRun, faults: Faults) -> None:
    on_turn, _ = run.on_turn()
    if on_turn is None:
        return
    for words, messages in faults(run, on_turn):
        await run.say(on_turn, *messages, trying=words)


async def out_of_turn(run: ServerRun) -> None:
    """The wrong player sends the right player's move."""
    await meet(run)
    await run.play(2)
    on_turn, action = run.on_turn()
    if on_turn is not None:
        wrong = run.other(on_turn)
        if messages := run.spelling.says(action, wrong.seat.seat, run.match_id):
            await run.say(wrong, *messages, trying="a move out of turn")
            await run.play(4)


def joined(faults: Faults) -> Script:
    """A refused move and a legal one in one segment."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(2)
        on_turn, action = run.on_turn()
        fault = None if on_turn is None else next((messages for _, messages in faults(run, on_turn)), None)
        if on_turn is not None and fault is not None:
            legal = run.spelling.says(action, on_turn.seat.seat, run.match_id)
            await run.say(on_turn, *fault, *legal, trying="an illegal move and a legal one in one segment")
            await run.play(4)

    return script


def returns(on_turn: bool) -> Script:
    """The connection of the player on turn, or of the other one, is lost after three moves, and comes back."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(3)
        user, _ = run.on_turn()
        if user is None:
            return
        lost = user if on_turn else run.other(user)
        await run.drop(lost)
        await run.pause(AWAY)
        await run.connect(lost)
        await run.say(lost, *run.spelling.log_in(lost.name, lost.password))
        await run.play(4)

    return script


def case(name: str, tries: str, law: str, script: Script, cut: Cut = Cut.NONE) -> Scenario:
    return Scenario(name, tries, law, cut=cut, script=script)
