"""
Recorded games with planted faults: what the host refuses is known from the host, and what is wrong from the client.

A planter is a sound client that says something wrong now and then. It notes each wrong message by its number.
"""

import random
from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.task import Clock

from gamehost.checker.base import Scenario
from gamehost.checker.run import Outcome, ScenarioRun
from gamehost.checker.trace import Trace, TraceLine
from gamehost.plugins import WIRES
from tests.kit.checked_client import CHECKS, LONG_STEP, MemoryClient, MemoryLauncher

#: After so many wrong messages a planter stops: the checker ends a match after twenty refusals.
MOST_PLANTED = 12


class Planter(MemoryClient):
    """The base of planters: a mixin before a sound client, which calls `maybe_wrong` before it moves."""

    #: The numbers of the messages that are wrong.
    planted: set[int]
    said = 0
    chance = random.Random(0)

    def send(self, data: bytes) -> None:
        self.said += 1
        super().send(data)

    def wrong(self, say: Callable[[], None]) -> None:
        """Say something that must be marked."""
        self.planted.add(self.said)
        say()

    def plants(self) -> bool:
        """Whether something wrong is said now."""
        return len(self.planted) < MOST_PLANTED and self.chance.random() < 0.4


class TracedLauncher(MemoryLauncher):
    """Shows a trace what passes."""

    trace: Trace

    def send(self, data: bytes) -> None:
        self.trace.client_sent(data)
        super().send(data)

    def passed(self, data: bytes) -> None:
        self.trace.host_sent(data)


class WatchedRun(ScenarioRun):
    """Notes the numbers of the messages by which the host refuses something."""

    def __init__(self, *arguments: Any) -> None:
        self.refusals: set[int] = set()
        self._told = 0
        self._refuses = False
        super().__init__(*arguments)

    def refused(self, message: Any, before: Any) -> None:
        self._refuses = True
        super().refused(message, before)

    def heard(self, message: Any, raw: bytes) -> None:
        if self._refuses:
            self.refusals.add(self._told)
        self._told, self._refuses = self._told + 1, False
        super().heard(message, raw)


@define
class TracedGame:
    """A game, as the trace has shown it and as it was."""

    lines: list[TraceLine] = field(factory=list)
    #: By number: the client's wrong messages, and the host's refusals.
    planted: set[int] = field(factory=set)
    refusals: set[int] = field(factory=set)
    outcome: Outcome | None = None

    def of(self, sender: str) -> list[TraceLine]:
        """The lines of one side."""
        return [line for line in self.lines if line.sender == sender]

    def marked(self, sender: str) -> set[int]:
        """The numbers of the lines of one side that are marked."""
        return {number for number, line in enumerate(self.of(sender)) if line.grade is not None}


def traced(client: type[Planter], scenario: Scenario, seed: int) -> TracedGame:
    """Play one game."""
    clock, game = Clock(), TracedGame()
    (wire,) = (one for one in WIRES if one.name == client.wire)
    checks = CHECKS[client.wire]

    def new_client(name: str, launcher: MemoryLauncher) -> MemoryClient:
        made: Planter = client(name, launcher)
        made.planted, made.chance = game.planted, random.Random(seed)
        return made

    launcher = TracedLauncher(clock, new_client)
    launcher.trace = Trace(wire, checks, "client", lambda seconds: "", game.lines.append)
    outcomes: list[Outcome] = []
    run = WatchedRun(clock, wire, checks, scenario, launcher, seed, outcomes.append)
    run.start()
    while not outcomes:
        due = min((call.getTime() for call in clock.getDelayedCalls()), default=clock.seconds() + LONG_STEP)
        clock.advance(max(0.0, due - clock.seconds()))
    game.outcome = outcomes[0]
    game.refusals = run.refusals
    return game
