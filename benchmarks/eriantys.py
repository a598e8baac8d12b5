"""
Matches of Eriantys as a script: two bots play them in memory, and the tables of a benchmark repeat their messages.

The random numbers are the same each time (`benchmarks.lucky`), so a match goes as it was recorded. A step is everything that
one player answers to the last messages: acknowledgements and at most one decision, in one segment.
"""

import json
import random
import re
from typing import Any

from benchmarks.scripts import GAME, ME, Script, Step, highest
from tests.kit.memory_host import Client, MemoryHost

#: A table that rests between two runs is waited for, and nobody is pinged meanwhile.
SETTINGS = {"eriantys.ping": "0", "eriantys.ack_seconds": "3600", "limits.unlimited": "yes"}

NAMES = (b"a00000", b"b00000")


def _line(**message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


_LOG_IN = _line(type="LoginMessage", nickname="{name}")

ARRIVAL = (Step(0, b"", (1, 1)), Step(0, _LOG_IN, (1, 0)), Step(1, _LOG_IN, (0, 1)))
OPENING = (
    Step(0, _line(type="SetGame", numberOfPlayers=2, expertMode=False), (1, 0)),
    Step(1, b'{"type":"JoinAvailableGame","gameId":%b}\n' % GAME, (2, 2)),
)


class Bot:
    """Answers what it is asked, and acknowledges the rest."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)

    def answer(self, message: Any) -> bytes:
        choice = self._luck.choice
        match message["type"]:
            case "AvailableTowers":
                places = message["availableTowers"]
                return _line(type="ChosenTower", tower=max(places, key=places.get))
            case "AvailableWizards":
                return _line(type="ChosenWizard", wizardId=choice(message["availableWizards"]))
            case "AvailableAssistants":
                taken = message["playedAssistants"].values()
                free = [one for one in message["availableAssistants"] if one not in taken]
                return _line(type="PlayAssistant", assistant=choice(free or message["availableAssistants"]))
            case "MovableStudents":
                return _line(type="ChosenStudent", color=choice(message["students"]))
            case "WhereToMove":
                return _line(type="ChosenDestination", destination=choice((0, 1 + choice(range(message["islands"])))))
            case "MotherNatureSteps":
                return _line(type="ChosenSteps", steps=1 + choice(range(message["maxStepsAllowed"])))
            case "SelectCloud":
                return _line(type="ChosenCloud", cloud=choice(message["clouds"]))
        return _line(type="Acknowledgement")


class Recording:
    """Two bots at a table in memory, and what they have said so far. Bots of another seed make other decisions."""

    def __init__(self, seed: int) -> None:
        self._bots = (Bot(2 * seed + 1), Bot(2 * seed + 2))
        self.world = MemoryHost(SETTINGS, rng=highest)
        self.clients: list[Client] = [self.world.connect("eriantys") for _ in NAMES]
        self.steps: list[Step] = []
        self.relayed: list[bytes] = []

    def say(self, step: Step) -> list[bytes]:
        """One step; what each is told in answer."""
        said = step.said.replace(ME, NAMES[step.sender]).replace(GAME, b"1")
        if said:
            self.clients[step.sender].send(said)
        return [client.transport.read() for client in self.clients]

    def play(self) -> None:
        """From the first question to the last acknowledgement."""
        unheard = [b"", b""]
        for step in (*ARRIVAL, *OPENING):
            unheard = self.say(step)
        while any(unheard):
            sender = 0 if unheard[0] else 1
            messages = [json.loads(line) for line in unheard[sender].splitlines()]
            said = b"".join(map(self._bots[sender].answer, messages))
            unheard[sender] = b""
            told = self.say(Step(sender, said, (0, 0)))
            self.steps.append(Step(sender, said, (told[0].count(b"\n"), told[1].count(b"\n"))))
            self.relayed.append(max(told, key=len))
            unheard = [before + now for before, now in zip(unheard, told, strict=True)]


def recorded() -> Script:
    """The matches."""
    recordings = [Recording(seed) for seed in range(16)]
    for recording in recordings:
        recording.play()
    (play, relayed), *others = [(tuple(recording.steps), tuple(recording.relayed)) for recording in recordings]
    return Script(
        "eriantys",
        ARRIVAL,
        play,
        relayed,
        SETTINGS,
        opening=OPENING,
        number=re.compile(rb'"gameId":(?P<game>\d+)'),
        lucky=True,
        others=tuple(others),
    )
