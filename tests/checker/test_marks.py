"""What a trace marks: each refusal of the host and each wrong message of the client, and no legal move."""

import random
from collections.abc import Callable
from typing import Any, ClassVar

from attrs import define, field
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Outcome, Scenario
from gamehost.checker.run import ClientRun
from gamehost.checker.trace import Trace, TraceLine
from gamehost.games.onitama.rules import VECTORS, Move
from gamehost.plugins import WIRES
from gamehost.testing.cases import Mixin
from gamehost.wires.stratego_lines.messages import COLUMNS
from tests import share
from tests.checker.wires import (
    eriantys_clients,
    onitama_clients,
    paper_soccer_clients,
    stratego_frames_clients,
    stratego_lines_clients,
)
from tests.kit.checker import CHECKS, LONG_STEP, MemoryClient, MemoryLauncher

# Recorded games with planted faults: what the host refuses is known from the host, and what is wrong from the client.
#
# A planter is a sound client that says something wrong now and then. It notes each wrong message by its number.


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
        self.planted.add(self.said)
        say()

    def plants(self) -> bool:
        return len(self.planted) < MOST_PLANTED and self.chance.random() < 0.4


class TracedLauncher(MemoryLauncher):
    trace: Trace

    def send(self, data: bytes) -> None:
        self.trace.client_sent(data)
        super().send(data)

    def passed(self, data: bytes) -> None:
        self.trace.host_sent(data)


class WatchedRun(ClientRun):
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
    lines: list[TraceLine] = field(factory=list)
    #: By number: the client's wrong messages, and the host's refusals.
    planted: set[int] = field(factory=set)
    refusals: set[int] = field(factory=set)
    outcome: Outcome | None = None

    def of(self, sender: str) -> list[TraceLine]:
        return [line for line in self.lines if line.sender == sender]

    def marked(self, sender: str) -> set[int]:
        """The numbers of the lines of one side that are marked."""
        return {number for number, line in enumerate(self.of(sender)) if line.grade is not None}


def traced(client: type[Planter], scenario: Scenario, seed: int) -> TracedGame:
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


Step = tuple[int, int, int, int]
#: Games on each wire, each with another seed.
GAMES = share(5, 10)


class MarksContract(Mixin):
    """Subclasses set `planter` and `settings`, and are test cases."""

    planter: ClassVar[type[Planter]]
    settings: ClassVar[dict[str, str]] = {}
    most = 40
    strict = False
    #: How many wrong messages all games have at least.
    least = 4 * GAMES

    def game(self, seed: int) -> TracedGame:
        about = ("marks", "Games with planted faults.", "turn", self.settings)
        first = seed % 2 == 0
        scenario = Scenario(*about, strict=self.strict, client_first=first, most=self.most, forgives=True)
        return traced(self.planter, scenario, seed)

    def test_whole_games(self) -> None:
        planted = 0
        for seed in range(GAMES):
            game = self.game(seed)
            planted += len(game.planted)
            # Where extensions are on, a frame with the reason comes before the refusal.
            reasons = {number - 1 for number in game.refusals if "Error" in game.of("host")[number - 1].text}
            for sender, expected in (("client", game.planted), ("host", game.refusals | reasons)):
                lines, marked = game.of(sender), game.marked(sender)
                self.assertEqual([lines[number] for number in sorted(marked - expected)], [], (seed, game.lines[-30:]))
                missed = [lines[number] for number in sorted(expected - marked) if number < len(lines)]
                missed = [line for line in missed if line.meaning != "is sent before the end of the game is known"]
                self.assertEqual(missed, [], (seed, game.lines[-30:]))
        self.assertGreaterEqual(planted, self.least)


class OnitamaPlanter(Planter, onitama_clients.SoundClient):
    matches = 1
    last: Move | None = None

    def say_move(self, move: Move) -> None:
        assert self.position is not None
        own = "KP" if self.me == 0 else "kp"
        if self.plants():
            wrong = [
                Move(card, start, end)
                for card in VECTORS
                for start in range(25)
                for end in range(25)
                if self.position.why_not(Move(card, start, end)) is not None
            ]
            friendly = [one for one in wrong if self.position.board[one.end] in own]
            chosen = self.chance.choice(
                [self.chance.choice(wrong), self.chance.choice(friendly), self.last or wrong[0]]
            )
            if self.position.why_not(chosen) is not None:
                self.last = chosen
                self.wrong(lambda: super(OnitamaPlanter, self).say_move(chosen))
                return
        if not self.plants():
            super().say_move(move)
            return
        # The second move is sent before the first one is answered.
        super().say_move(move)
        again = self.chance.choice([move, *self.position.moves()])
        self.wrong(lambda: super(OnitamaPlanter, self).say_move(again))
        if self.plants():
            self.wrong(lambda: self.say("LOGIN", self.name))

    def hear_game_over(self, winner: str) -> None:
        self.matches = 1
        super().hear_game_over(winner)


class OnitamaMarks(MarksContract, SynchronousTestCase):
    planter = OnitamaPlanter
    settings: ClassVar[dict[str, str]] = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class PaperPlanter(Planter, paper_soccer_clients.SoundClient):
    matches = 1

    def say_move(self, points: paper_soccer_clients.Points) -> None:
        if self.plants():
            self.wrong(lambda: self.say("thank you", self.game))
        if self.plants():
            moved = f'<gameId id="99"/><move>{self.written(points)}</move>'
            self.wrong(lambda: self.say("move", moved))
        super().say_move(points)
        if self.plants():
            self.wrong(lambda: super(PaperPlanter, self).say_move(points[::-1]))


class PaperMarks(MarksContract, SynchronousTestCase):
    planter = PaperPlanter


class StrictPaperMarks(MarksContract, SynchronousTestCase):
    planter = PaperPlanter
    strict = True


class FramesPlanter(Planter, stratego_frames_clients.SoundClient):
    matches = 1
    last: Step | None = None

    def place_one(self, piece: str, x: int, y: int) -> None:
        super().place_one(piece, x, y)
        if self.plants() and self.chance.random() < 0.1:
            self.wrong(lambda: super(FramesPlanter, self).place_one(piece, x, y))

    def say_move(self, *move: int) -> None:
        x, y, to_x, to_y = move
        if self.plants():
            legal, squares = set(self.moves()), range(10)
            ends = [(x, y) for x in squares for y in squares]
            own = [one for one in ends if self.board[one[1] * 10 + one[0]] in stratego_frames_clients.BOX]
            wrong = [
                (*start, *end)
                for start in own
                for end in ends
                if (*start, *end) not in legal and self.board[start[1] * 10 + start[0]] != "9"
            ]
            chosen = self.chance.choice([*self.chance.sample(wrong, 4), *self.near(wrong), self.last or wrong[0]])
            if chosen in wrong:
                self.last = chosen
                self.wrong(lambda: super(FramesPlanter, self).say_move(*chosen))
                return
        super().say_move(x, y, to_x, to_y)
        if self.plants():
            self.wrong(lambda: super(FramesPlanter, self).say_move(x, y, to_x, to_y))

    def near(self, wrong: list[Step]) -> list[Step]:
        steps = [one for one in wrong if abs(one[0] - one[2]) + abs(one[1] - one[3]) == 1]
        return self.chance.sample(steps, min(4, len(steps)))


class FramesMarks(MarksContract, SynchronousTestCase):
    planter = FramesPlanter
    settings: ClassVar[dict[str, str]] = {"stratego.two_squares": "0"}
    most = 120


class StrictFramesMarks(FramesMarks):
    strict = True


class LinesPlanter(Planter, stratego_lines_clients.SoundClient):
    matches = 1
    last: tuple[str, str] | None = None
    is_strict = False

    def send(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True):
            super().send(line)

    def say_move(self, start: str, end: str) -> None:
        columns = COLUMNS
        if self.plants():
            legal = set(self.moves())
            ends = [f"{column}{row}" for column in columns for row in range(1, 11)]
            wrong = [
                (one, other)
                for one, letter in self.own.items()
                for other in ends
                if (one, other) not in legal and letter != "R"
            ]
            near = [one for one in wrong if self.are_near(*one)]
            chosen = self.chance.choice(
                [self.chance.choice(wrong), *self.chance.sample(near, 3), self.last or wrong[0]]
            )
            if chosen in wrong:
                self.last, self.sent = chosen, ("", "")
                self.wrong(lambda: super(LinesPlanter, self).say_move(*chosen))
                return
        if self.plants() and not self.is_strict:
            self.sent = ("", "")
            self.wrong(lambda: self.say("hello"))
            return
        super().say_move(start, end)
        if self.plants() and not self.is_strict:
            self.wrong(lambda: self.say(f"{start}-{end}"))

    @staticmethod
    def are_near(one: str, other: str) -> bool:
        return abs(int(one[1:]) - int(other[1:])) < 2 and abs(ord(one[0]) - ord(other[0])) < 2


class LinesMarks(MarksContract, SynchronousTestCase):
    planter = LinesPlanter
    settings: ClassVar[dict[str, str]] = {"stratego.two_squares": "0"}


class StrictLinesPlanter(LinesPlanter):
    """Only what does not end the connection."""

    is_strict = True


class StrictLinesMarks(LinesMarks):
    planter = StrictLinesPlanter
    strict = True


class EriantysPlanter(Planter, eriantys_clients.SoundClient):
    matches = 1

    def say(self, kind: str, **arguments: object) -> None:
        numbers = [name for name, value in arguments.items() if isinstance(value, int)]
        if (
            kind in ("ChosenSteps", "ChosenCloud", "ChosenDestination", "PlayAssistant", "ChosenWizard")
            and self.plants()
        ):
            (name,) = numbers
            other = self.chance.choice([{name: 99}, {f"{name}_number": 1}])
            self.wrong(lambda: super(EriantysPlanter, self).say(kind, **other))
            return
        super().say(kind, **arguments)
        if kind in ("ChosenSteps", "PlayAssistant") and self.plants():
            self.wrong(lambda: super(EriantysPlanter, self).say(kind, **arguments))


class EriantysMarks(MarksContract, SynchronousTestCase):
    planter = EriantysPlanter
    settings: ClassVar[dict[str, str]] = {"eriantys.ping": "0"}
    most = 150
