"""Players and tables of Eriantys in JSON."""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from attrs import define, field

from gamehost.games.base import Seat
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import Ask
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import Character, Status, evolve
from tests.kit.games.eriantys import acting, new_position, rich, students, with_dining
from tests.kit.memory_host import Client, MemoryHost, master_of
from tests.kit.wires.eriantys_words import COLORS, MOVED, Board

Message = dict[str, Any]

REQUESTS = frozenset(
    (
        "AvailableTowers",
        "AvailableWizards",
        "AvailableAssistants",
        "MovableStudents",
        "MovableStudentsChar",
        "WhereToMove",
        "MotherNatureSteps",
        "SelectCloud",
        "SelectColor",
    )
)
MOVES = frozenset(("MovableStudents", "WhereToMove", "MotherNatureSteps", "SelectCloud"))
#: What the sequence diagrams show an Acknowledgement of, boards apart.
DUE = frozenset(
    (
        "PlayerStatusMessage",
        "MatchStarted",
        "UpdateLobby",
        "StartOfPlayerRound",
        "IslandOwner",
        "EndOfPlayerRound",
        "EndOfRound",
        "CommunicateWinner",
        "PlayedCharacter",
    )
)

Habit = Callable[["Player", Message], bool]


def line(kind: str, **arguments: Any) -> str:
    return json.dumps({"type": kind, **arguments})


def never(player: "Player", message: Message) -> bool:
    """Acknowledges nothing."""
    return False


def everything(player: "Player", message: Message) -> bool:
    """Acknowledges all that is no question, what is never due too."""
    return message["type"] not in REQUESTS and message["type"] != "Ping"


def as_the_diagrams(player: "Player", message: Message) -> bool:
    """Acknowledges what is due, as far as a client can know it in the normal game."""
    kind = message["type"]
    if kind == "UpdateBoard":
        before = message["dashboard"]["round"] == 0
        moves = MOVED[len(message["players"])]
        player.boards += 1
        return before or (player.is_turn and player.boards <= moves)
    if kind == "CommunicationMessage":
        return message["message"] in ("UNIFIED_ISLANDS", "CLOSING_GAME")
    return kind in DUE


@define(eq=False)
class Player:
    """
    One player and their connection.

    :param habit: what they acknowledge
    :param liking: how often they use a character where they could
    :param rude: how often they say something wrong first
    """

    world: MemoryHost
    name: str
    rng: random.Random
    habit: Habit = everything
    liking: float = 0.4
    rude: float = 0.0
    client: Client = field(init=False)
    request: Message | None = None
    board: Board | None = None
    #: What has been heard, by type; errors by their name, communications too.
    heard: Counter[str] = field(factory=Counter)
    #: Boards since the turn began, for those who count them.
    boards: int = 0
    is_turn: bool = False
    picked: str | None = None
    #: Whether a character was used in this turn.
    used: bool = False
    over: bool = False

    def connect(self) -> list[Message]:
        self.client = self.world.connect("eriantys")
        self.request = None
        self.say("LoginMessage", nickname=self.name)
        return self.hear()

    def say(self, kind: str, **arguments: Any) -> None:
        self.client.say(line(kind, **arguments))

    def hear(self) -> list[Message]:
        heard, acknowledged = [], 0
        for said in self.client.heard():
            message = self._take(said)
            heard.append(message)
            acknowledged += self.habit(self, message)
        if acknowledged:
            self.client.say(*[line("Acknowledgement")] * acknowledged)
        return heard

    def ask(self, kind: str, **arguments: Any) -> list[Message]:
        self.hear()
        self.say(kind, **arguments)
        return self.hear()

    def _take(self, said: str) -> Message:
        message: Message = msgspec.json.decode(said)
        kind = message["type"]
        self.heard[kind] += 1
        if kind in REQUESTS:
            self.request = message
        elif kind == "ErrorMessage":
            self.heard[message["error"]] += 1
        elif kind == "CommunicationMessage":
            self.heard[message["message"]] += 1
            self.over = self.over or message["message"] == "CLOSING_GAME"
        elif kind == "PlayerStatusMessage":
            self.heard["won"] += message["playerStatus"] == "WIN"
        elif kind == "PlayedCharacter":
            self.heard[f"character {message['character']}"] += 1
            self.used = True
        elif kind == "UpdateBoard":
            self.board = message
        elif kind in ("StartOfPlayerRound", "EndOfPlayerRound"):
            self.is_turn = kind == "StartOfPlayerRound" and not self._is_planning()
            self.boards = 0
            self.used = False
        return message

    def _is_planning(self) -> bool:
        return self.board is None or self.board["dashboard"]["round"] == 0

    # -- playing

    @property
    def me(self) -> Any:
        assert self.board is not None
        return next(player for player in self.board["players"] if player["nickname"] == self.name)

    def act(self) -> bool:
        """Answer what is asked, or say something else; whether there was anything to say."""
        if self.over or self.request is None:
            return False
        if self.rng.random() < self.rude:
            kind, arguments = self._nonsense()
            self.say(kind, **arguments)
            return True
        request, self.request = self.request, None
        usable = self._usable(request)
        if usable and self.rng.random() < self.liking:
            self.say("UseCharacterEffect", character=self.rng.choice(usable))
        else:
            kind, arguments = self._answer(request)
            self.say(kind, **arguments)
        return True

    def _usable(self, request: Message) -> list[int]:
        if self.board is None or request["type"] not in MOVES or self.used:
            return []
        cards = self.board["dashboard"]["characters"]
        return [card["character"] for card in cards if card["cost"] <= self.me["coins"]]

    def _answer(self, request: Message) -> tuple[str, Message]:
        rng = self.rng
        match request["type"]:
            case "AvailableTowers":
                free = [tower for tower, left in request["availableTowers"].items() if left]
                return "ChosenTower", {"tower": rng.choice(free)}
            case "AvailableWizards":
                return "ChosenWizard", {"wizardId": rng.choice(request["availableWizards"])}
            case "AvailableAssistants":
                hand, taken = request["availableAssistants"], request["playedAssistants"].values()
                free = [card for card in hand if card not in taken] or hand
                return "PlayAssistant", {"assistant": rng.choice(free)}
            case "MovableStudents" | "MovableStudentsChar":
                self.picked = rng.choice(request["students"])
                stops = request["type"] == "MovableStudentsChar" and rng.random() < 0.1
                return "ChosenStudent", {"color": None if stops else self.picked}
            case "WhereToMove":
                table = rng.random() < 0.6 and self.me["diningRoom"][self.picked or "RED"] < 10
                return "ChosenDestination", {"destination": 0 if table else rng.randint(1, request["islands"])}
            case "MotherNatureSteps":
                return "ChosenSteps", {"steps": rng.randint(1, request["maxStepsAllowed"])}
            case "SelectCloud":
                return "ChosenCloud", {"cloud": rng.choice(request["clouds"])}
        return "ChosenStudent", {"color": rng.choice(COLORS)}

    def _nonsense(self) -> tuple[str, Message]:
        """Any message of a client, with arguments that may fit or not."""
        number = self.rng.randint(-1, 13)
        choices: list[tuple[str, Message]] = [
            ("ChosenTower", {"tower": self.rng.choice(("BLACK", "WHITE", "GREY"))}),
            ("ChosenWizard", {"wizardId": number}),
            ("PlayAssistant", {"assistant": number}),
            ("ChosenStudent", {"color": self.rng.choice((*COLORS, None))}),
            ("ChosenDestination", {"destination": number}),
            ("ChosenSteps", {"steps": number}),
            ("ChosenCloud", {"cloud": number}),
            ("UseCharacterEffect", {"character": number}),
            ("SetGame", {"numberOfPlayers": number, "expertMode": True}),
            ("ChosenSteps", {"steps": "1"}),
        ]
        return self.rng.choice(choices)


def seated(world: MemoryHost, players: Sequence[Player], expert: bool) -> None:
    """Log everybody in and have them sit down at one table, in this order."""
    for player in players:
        player.connect()
    first, *others = players
    [waiting] = first.ask("SetGame", numberOfPlayers=len(players), expertMode=expert)
    for player in others:
        player.say("JoinAvailableGame", gameId=waiting["gameId"])
    for player in players:
        player.hear()


def play(world: MemoryHost, players: Sequence[Player], most: int = 1_000_000, patience: int = 0) -> int:
    """Play on to the end, or so many answers; how many. So often nobody may have anything to say in time."""
    answers = 0
    while not all(player.over for player in players) and answers < most:
        spoken = 0
        for player in players:
            player.hear()
            if answers + spoken < most:
                spoken += player.act()
        answers += spoken
        if not spoken and not any([player.hear() for player in players]) and not all(player.over for player in players):
            assert patience > 0, "nobody has anything to say"
            patience -= 1
            world.wait(2)
    return answers


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
    return acting(rich(*characters) if characters else new_position(2), stage)


def asked_for(request: str) -> tuple[MemoryHost, Player, Player]:
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
