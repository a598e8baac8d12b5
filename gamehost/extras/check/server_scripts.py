"""
The parts of scenarios for servers that all wires share. A script plays a scenario: it connects clients, and sends messages.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gamehost.extras.check.base import Cut, Scenario
from gamehost.extras.check.server_run import Script, ServerRun, User

#: The most moves that are played in a match. A longer match is not finished.
LONGEST = 400

#: The seconds between the loss of a connection and the next connection of the same player. Some servers refuse a new connection
#: for a moment, to reserve the seat.
AWAY = 4.0

#: A function that returns, for the user on turn, wrong moves: the name of each fault, and the messages with the fault.
Faults = Callable[[ServerRun, User], Iterator[tuple[str, Sequence[Any]]]]


async def meet(run: ServerRun, *names: str) -> tuple[User, User]:
    """Connects two players, and logs them in, so that a match begins. Returns the players in the order of their log-ins."""
    first, second = map(run.new_user, names or ("ann", "bob"))
    for user, after in ((first, None), (second, first)):
        await run.connect(user)
        await run.spelling.enter(run, user, after)
    return first, second


async def meet_crosswise(run: ServerRun) -> tuple[User, User]:
    """Does what `meet` does, in another order: the player that connects last logs in first. Returns that player first."""
    second, first = run.new_user("ann"), run.new_user("bob")
    await run.connect(second)
    await run.connect(first)
    await run.spelling.enter(run, first)
    await run.spelling.enter(run, second, first)
    return first, second


def some_moves(most: int) -> Script:
    """Returns a script that plays a match with at most so many moves."""

    async def script(run: ServerRun) -> None:
        """Plays the match."""
        await meet(run)
        await run.play(most)

    return script


async def crosswise(run: ServerRun) -> None:
    """A script: two players log in in the other order, and play some moves."""
    await meet_crosswise(run)
    await run.play(8)


async def next_match(run: ServerRun) -> None:
    """A script: two players play a whole match, and then begin another one on the same connections."""
    first, second = await meet(run)
    if await run.play(LONGEST):
        await once_more(run, first, second)
        await run.play(6)


async def once_more(run: ServerRun, first: User, second: User) -> None:
    """Makes both players begin the next match."""
    await run.spelling.enter_again(run, first)
    await run.spelling.enter_again(run, second, first)


def refusals(faults: Faults, moves: int) -> Script:
    """
    Returns a script that sends wrong moves in the middle of a match. The server must refuse each one, and the match continues.

    :param faults: the wrong moves
    :param moves: how many moves are played before
    """

    async def script(run: ServerRun) -> None:
        """Plays some moves, sends each wrong move, and plays on."""
        await meet(run)
        await run.play(moves)
        await try_all(run, faults)
        await run.play(4)

    return script


async def try_all(run: ServerRun, faults: Faults) -> None:
    """Sends all wrong moves of the user on turn, one after the other."""
    on_turn, _ = run.on_turn()
    if on_turn is None:
        return
    for words, messages in faults(run, on_turn):
        await run.say(on_turn, *messages, trying=words)


async def out_of_turn(run: ServerRun) -> None:
    """A script: the player that is not on turn sends the move of the other player."""
    await meet(run)
    await run.play(2)
    on_turn, action = run.on_turn()
    if on_turn is not None:
        wrong = run.other(on_turn)
        if messages := run.spelling.says(action, wrong.seat.seat, run.match_id):
            await run.say(wrong, *messages, trying="a move out of turn")
            await run.play(4)


def joined(faults: Faults) -> Script:
    """Returns a script that sends a wrong move and a legal move in one segment."""

    async def script(run: ServerRun) -> None:
        """Sends both moves in one segment, and plays on."""
        await meet(run)
        await run.play(2)
        on_turn, action = run.on_turn()
        # The first wrong move of the list.
        fault = None if on_turn is None else next((messages for _, messages in faults(run, on_turn)), None)
        if on_turn is not None and fault is not None:
            legal = run.spelling.says(action, on_turn.seat.seat, run.match_id)
            await run.say(on_turn, *fault, *legal, trying="an illegal move and a legal one in one segment")
            await run.play(4)

    return script


def returns(on_turn: bool) -> Script:
    """
    Returns a script in which a player loses its connection after three moves, and comes back.

    :param on_turn: whether it is the player on turn
    """

    async def script(run: ServerRun) -> None:
        """Plays three moves, cuts a connection, and comes back."""
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
    """Returns a scenario for servers. The parameters are the fields of `Scenario`."""
    return Scenario(name, tries, law, cut=cut, script=script)
