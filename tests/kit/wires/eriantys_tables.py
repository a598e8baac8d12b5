"""Tables of the JSON wire as tests need them: two players at any request there is, and positions laid by hand."""

import random
from collections.abc import Mapping
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import Ask
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Character, Status
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_table import acting, new_position, rich, students, with_dining
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.eriantys_players import Player, everything, play, seated

OPEN = {"limits.unlimited": "yes", "eriantys.ping": "0"}

#: Answers by type, one that may fit and one that does not whatever is asked.
ANSWERS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ChosenTower": ({"tower": "WHITE"}, {"tower": "GREY"}),
    "ChosenWizard": ({"wizardId": 1}, {"wizardId": 5}),
    "PlayAssistant": ({"assistant": 3}, {"assistant": 11}),
    "ChosenStudent": ({"color": "PINK"}, {"color": "NONE"}),
    "ChosenDestination": ({"destination": 1}, {"destination": 13}),
    "ChosenSteps": ({"steps": 1}, {"steps": 0}),
    "ChosenCloud": ({"cloud": 0}, {"cloud": -1}),
}

#: What answers each request.
ANSWERED_BY: Mapping[str, str] = {
    "AvailableTowers": "ChosenTower",
    "AvailableWizards": "ChosenWizard",
    "AvailableAssistants": "PlayAssistant",
    "MovableStudents": "ChosenStudent",
    "WhereToMove": "ChosenDestination",
    "MotherNatureSteps": "ChosenSteps",
    "SelectCloud": "ChosenCloud",
    "MovableStudentsChar": "ChosenStudent",
    "SelectColor": "ChosenStudent",
}


def pair(settings: Mapping[str, str] = {}, expert: bool = False, **more: Any) -> tuple[MemoryHost, Player, Player]:
    """A host, and Ann and Bob at a table of it, with everything acknowledged: Ann is asked for a team."""
    world = MemoryHost({**OPEN, **settings}, **more)
    ann, bob = (Player(world, name, random.Random(number), everything) for number, name in enumerate(("ann", "bob")))
    seated(world, (ann, bob), expert)
    ann.hear(), bob.hear()
    return world, ann, bob


def master_of(world: MemoryHost) -> Any:
    """The master of the only table."""
    [table] = world.lobby.tables.values()
    return table._master


def laid_out(world: MemoryHost, player: Player, other: Player, state: Play) -> None:
    """Have the match go on from here; the player who is asked in it drops and comes back, and so is asked."""
    master_of(world)._state = state
    player.client.drop()
    player.connect()
    other.hear()
    player.hear()


def dealt() -> tuple[MemoryHost, Player, Player]:
    """Ann and Bob in an expert game after the deal: whoever is first is asked for an assistant."""
    world, ann, bob = pair(expert=True)
    play(world, (ann, bob), most=4)
    ann.hear(), bob.hear()
    return world, ann, bob


def with_effect(character: Character, stage: Status = Status.MOVE_1) -> Play:
    """Ann's turn, with this character just paid and at its first question."""
    position = evolve(rich(character, Character.KNIGHT, Character.FARMER), character=character)
    position = with_dining(position, 0, students(pink=2))
    base = acting(position, stage)
    effect = EFFECTS[character]
    request: Ask = effect.ask(position)
    return evolve(base, effect=effect, request=request)


def moves(stage: Status, *characters: Character) -> Play:
    """Ann's turn at one of the moves; in an expert game, if there are characters."""
    return acting(rich(*characters) if characters else new_position(2), stage)


def asked_for(request: str) -> tuple[MemoryHost, Player, Player]:
    """Ann, who is asked this; and Bob, who is not."""
    if request == "AvailableTowers":
        return pair()
    if request == "AvailableWizards":
        world, ann, bob = pair()
        ann.ask("ChosenTower", tower="BLACK")
        bob.hear()
        bob.ask("ChosenTower", tower="WHITE")
        ann.hear()
        return world, ann, bob
    world, ann, bob = dealt()
    match request:
        case "AvailableAssistants":
            state = master_of(world)._state
            order = (Seat(0), Seat(1))
            position = evolve(state.position, order=order)
            laid_out(world, ann, bob, evolve(state, position=position, request=evolve(state.request, seat=Seat(0))))
        case "MovableStudents" | "WhereToMove":
            laid_out(world, ann, bob, moves(Status.MOVE_1, Character.KNIGHT))
            if request == "WhereToMove":
                ann.ask("ChosenStudent", color="PINK")
        case "MotherNatureSteps":
            laid_out(world, ann, bob, moves(Status.MOVE_2, Character.KNIGHT))
        case "SelectCloud":
            laid_out(world, ann, bob, moves(Status.MOVE_3, Character.KNIGHT))
        case "MovableStudentsChar":
            laid_out(world, ann, bob, with_effect(Character.MINSTREL))
        case "SelectColor":
            laid_out(world, ann, bob, with_effect(Character.HARVESTER))
    bob.hear()
    assert ann.request is not None and ann.request["type"] == request, (ann.request, request)
    return world, ann, bob
