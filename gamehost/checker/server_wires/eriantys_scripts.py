"""
What is tried with servers of Eriantys.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.checker.server_base import Script
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_scripts import log_in
from gamehost.checker.server_user import User
from gamehost.checker.server_wires.eriantys_draws import IdLesson
from gamehost.checker.server_wires.eriantys_speech import JsonSpeech
from gamehost.games.eriantys.actions import Action, ChooseStudent
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import AskAssistant, AskCloud, AskSteps, AskStudent, AskTower, AskWizard
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import ASSISTANTS, Character, Colour
from gamehost.games.eriantys.setup import Choices
from gamehost.games.eriantys.views import usable
from gamehost.wires.eriantys_json import messages as m
from gamehost.wires.eriantys_json.values import Color, Tower

_NAMES = ("ann", "bob", "cid", "dan")
#: A game that no server has.
NO_GAME = 987_654_321
#: What is wrong, and the message.
Fault = tuple[str, Any]


def state(run: ServerRun) -> Choices | Play:
    """The replica's state of the match."""
    assert isinstance(run.speech, JsonSpeech)
    return run.speech.master.play


async def come(run: ServerRun, name: str) -> User:
    """A player connects and logs in."""
    user = run.new_user(name)
    await run.connect(user)
    await log_in(run, user)
    return user


async def create(run: ServerRun, user: User, seats: int = 2, expert: bool = False) -> None:
    """A player creates a game."""
    await run.say(user, m.SetGame(seats, expert), lesson=IdLesson())


async def join(run: ServerRun, user: User) -> None:
    """A player asks for the games, and joins the one that was created last."""
    await run.say(user, m.RequestGames())
    await run.say(user, m.JoinAvailableGame(int(run.match_id)))


async def gather(run: ServerRun, seats: int = 2, expert: bool = False) -> list[User]:
    """A game of so many players, up to its first request."""
    users = [await come(run, _NAMES[0])]
    await create(run, users[0], seats, expert)
    for name in _NAMES[1:seats]:
        users.append(await come(run, name))
        await join(run, users[-1])
    return users


def some_actions(most: int, seats: int = 2, expert: bool = False) -> Script:
    """So many actions of a game."""

    async def script(run: ServerRun) -> None:
        await gather(run, seats, expert)
        await (_play_with_characters if expert else ServerRun.play)(run, most)

    return script


async def _play_with_characters(run: ServerRun, most: int) -> None:
    """Play, and use a character whenever that is possible."""
    for _ in range(most):
        user, action = run.on_turn()
        if user is None:
            return
        await run.act(user, next(iter(_characters(run)), action))


def _characters(run: ServerRun) -> Sequence[Action]:
    """The characters that the player who is asked can use now."""
    play = state(run)
    if not isinstance(play, Play) or play.effect is not None:
        return ()
    return tuple(usable(play.position)) if isinstance(play.request, AskStudent | AskSteps | AskCloud) else ()


async def crosswise(run: ServerRun) -> None:
    """The player who connects later creates the game."""
    second = await come(run, "ann")
    first = await come(run, "bob")
    await create(run, first)
    await join(run, second)
    await run.play(8)


async def next_game(run: ServerRun) -> None:
    """A player leaves for good. The other one has won, and creates the next game on the same connection."""
    first, second = await gather(run)
    await run.play(6)
    await run.say(second, m.Disconnect())
    await run.drop(second)
    await create(run, first)
    await run.connect(second)
    await log_in(run, second)
    await join(run, second)
    await run.play(6)


def leaves(actions: int, seats: int = 2) -> Script:
    """A player leaves for good after so many actions."""

    async def script(run: ServerRun) -> None:
        users = await gather(run, seats)
        await run.play(actions)
        await run.say(users[-1], m.Disconnect())

    return script


async def lobby(run: ServerRun) -> None:
    """What can be wrong before a game, and players who come and go."""
    first, second = await come(run, "ann"), run.new_user("bob")
    await run.say(first, m.RequestGames())
    await run.say(first, m.SetGame(5, False), trying="a game of five")
    await run.say(first, m.JoinAvailableGame(NO_GAME), trying="joining a game that there is not")
    await run.say(first, m.ChosenSteps(1), trying="a move before any game")
    await run.say(first, m.LoginMessage(first.name), trying="a second log-in")
    await create(run, first, 3)
    await run.say(first, m.SetGame(2, False), trying="creating a game while waiting in one")
    await run.connect(second)
    await run.say(second, m.LoginMessage(first.name), trying="a nickname that another player has")
    await log_in(run, second)
    await join(run, second)
    await run.say(second, m.Disconnect())
    await run.drop(second)
    for name in ("cid", "dan"):
        await join(run, await come(run, name))
    late = await come(run, "eve")
    await run.say(late, m.JoinAvailableGame(int(run.match_id)), trying="joining a game that has begun")
    await run.play(2)


async def acknowledges_more(run: ServerRun) -> None:
    """Acknowledgements that nothing asked for."""
    users = await gather(run)
    for number in range(12):
        user = users[number % 2]
        await run.say(user, *[m.Acknowledgement()] * 3, trying="acknowledgements that nothing asked for")
        await run.play(1)


async def out_of_turn(run: ServerRun) -> None:
    """The wrong player answers each kind of request."""
    await gather(run)
    tried: set[type] = set()
    for _ in range(24):
        on_turn, action = run.on_turn()
        if on_turn is None:
            return
        messages = run.speech.says(action, on_turn.seat.seat, run.match_id)
        kind = type(messages[0])
        if kind not in tried:
            tried.add(kind)
            await run.say(run.other(on_turn), *messages, trying=f"{kind.__name__} of a player who is not asked")
        await run.act(on_turn, action)


async def joined(run: ServerRun) -> None:
    """A refused answer and a good one in one segment."""
    await gather(run)
    while not isinstance(state(run), Play) or not isinstance(_request(run), AskStudent):
        await run.play(1)
    on_turn, action = run.on_turn()
    if on_turn is not None and isinstance(action, ChooseStudent):
        answers = run.speech.says(action, on_turn.seat.seat, run.match_id)
        messages = (m.ChosenSteps(1), *answers, m.ChosenDestination(1))
        await run.say(on_turn, *messages, trying="a refused answer and two good ones in one segment")
        await run.play(4)


def refusals(most: int, seats: int = 2, expert: bool = False) -> Script:
    """Every fault once, where it is possible first, in so many actions."""

    async def script(run: ServerRun) -> None:
        await gather(run, seats, expert)
        tried: set[str] = set()
        for _ in range(most):
            user, action = run.on_turn()
            if user is None:
                return
            fault = next((one for one in faults(run) if one[0] not in tried), None)
            if fault is not None:
                tried.add(fault[0])
                await run.say(user, fault[1], trying=fault[0])
            else:
                used = [] if len(tried) % 2 else _characters(run)
                await run.act(user, next(iter(used), action))

    return script


def _request(run: ServerRun) -> Any:
    return state(run).request


def faults(run: ServerRun) -> Iterator[Fault]:
    """What the player who is asked may not answer."""
    match _request(run):
        case AskTower(_, left, _):
            yield from (("a tower without a place", m.ChosenTower(Tower[tower])) for tower in _full(left))
            yield "a wizard while a tower is asked for", m.ChosenWizard(1)
        case AskWizard(_, wizards):
            taken = [wizard for wizard in range(1, 5) if wizard not in wizards]
            yield from (("a wizard that another player has", m.ChosenWizard(wizard)) for wizard in taken)
            yield "wizard 7", m.ChosenWizard(7)
        case AskAssistant(_, hand, played):
            yield from _wrong_assistants(hand, [card for _, card in played])
        case AskStudent(_, students):
            missing = [colour for colour in Colour if not students[colour]]
            student = "a student that is not in the entrance"
            yield from ((student, m.ChosenStudent(Color[colour.name])) for colour in missing)
            yield "steps while a student is asked for", m.ChosenSteps(1)
        case AskSteps(_, most):
            yield "no step", m.ChosenSteps(0)
            yield "one step too many", m.ChosenSteps(most + 1)
        case AskCloud(_, clouds):
            yield from (("an empty cloud", m.ChosenCloud(place)) for place in (0, 1) if place not in clouds)
            yield "cloud 9", m.ChosenCloud(9)
    play = state(run)
    if isinstance(play, Play) and play.picked is not None:
        yield "an island that there is not", m.ChosenDestination(len(play.position.islands) + 1)
    if isinstance(play, Play) and play.effect is None:
        yield from _wrong_characters(play)


def _full(left: Sequence[int]) -> list[str]:
    return [tower.name for tower, places in zip(Tower, (*left, 0), strict=False) if not places]


def _wrong_assistants(hand: Sequence[int], played: Sequence[int]) -> Iterator[Fault]:
    gone = [card for card in ASSISTANTS if card not in hand]
    yield from (("an assistant that is not in the hand", m.PlayAssistant(card)) for card in gone)
    yield from (
        ("an assistant that another has played", m.PlayAssistant(card))
        for card in played
        if card in hand and hand != (card,)
    )
    yield "assistant 11", m.PlayAssistant(11)


def _wrong_characters(play: Play) -> Iterator[Fault]:
    position = play.position
    if isinstance(play.request, AskAssistant):
        yield "a character while an assistant is asked for", m.UseCharacterEffect(1)
    elif not position.match.expert:
        yield "a character in a normal game", m.UseCharacterEffect(1)
    else:
        here = [card.character for card in position.cards]
        yield "character 13", m.UseCharacterEffect(13)
        yield (
            "a character that is not on the table",
            m.UseCharacterEffect(next(one for one in Character if one not in here)),
        )
        if position.character is not None:
            yield "a second character in one turn", m.UseCharacterEffect(here[0])
        else:
            coins = position.school.coins
            dear = [
                card.character for card in position.cards if card.cost > coins and not _has_conditions(card.character)
            ]
            yield from (("a character without enough coins", m.UseCharacterEffect(one)) for one in dear)


def _has_conditions(character: Character) -> bool:
    return type(EFFECTS[character]).check is not type(EFFECTS[Character.KNIGHT]).check
