"""What a trace marks: each refusal of the host and each wrong message of the client, and no legal move."""

import random
import re
from collections.abc import Callable
from typing import Any, ClassVar

from attrs import define, field
from msgspec.structs import replace
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.check.base import Outcome, Scenario
from gamehost.extras.check.run import ClientRun
from gamehost.extras.check.trace import Trace, TraceLine
from gamehost.games.onitama.rules import SQUARES, VECTORS, Position
from gamehost.games.onitama.rules import Move as OnitamaMove
from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import Move
from gamehost.players.base import Level
from gamehost.plugins import WIRES
from gamehost.testing.cases import Mixin
from gamehost.wires.eriantys import messages as eriantys
from gamehost.wires.onitama import messages as onitama
from gamehost.wires.paper_soccer import messages as paper_soccer
from gamehost.wires.stratego_frames import messages as stratego_frames
from gamehost.wires.stratego_lines import messages as stratego_lines
from tests import share
from tests.extras.check.wires import (
    eriantys_clients,
    onitama_clients,
    paper_soccer_clients,
    stratego_frames_clients,
    stratego_lines_clients,
)
from tests.extras.check.wires.program_clients import ProgramClient
from tests.kit.checker import CHECKS, LONG_STEP, MemoryClient, MemoryLauncher, forgotten

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
    level = Level.EASY
    last: OnitamaMove | None = None
    #: A refusal of a log-in is of what was planted.
    hears = forgotten(onitama.Error)

    def wrong_move(self, position: Position) -> OnitamaMove | None:
        """One that is wrong now, many of them onto an own piece; `None`: not this time."""
        own = "PK" if position.turn == 0 else "pk"
        wrong = [
            move
            for card in VECTORS
            for start in range(25)
            for end in range(25)
            if position.why_not(move := OnitamaMove(card, start, end)) is not None
        ]
        friendly = [one for one in wrong if position.board[one.end] in own]
        chosen = self.chance.choice([self.chance.choice(wrong), self.chance.choice(friendly), self.last or wrong[0]])
        return chosen if chosen in wrong else None

    def say_one(self, message: Any) -> None:
        def say(move: OnitamaMove) -> None:
            planted = onitama.MakeMove(move.card, SQUARES[move.start], SQUARES[move.end])
            self.wrong(lambda: super(OnitamaPlanter, self).say_one(planted))

        if not isinstance(message, onitama.MakeMove):
            super().say_one(message)
            return
        match = self.program.match
        assert match is not None
        position: Position = match.player.position  # type: ignore[attr-defined]
        if self.plants() and (move := self.wrong_move(position)) is not None:
            self.last = move
            say(move)
            return
        super().say_one(message)
        if self.plants():
            # The second move is sent before the first one is answered.
            say(self.chance.choice(list(position.moves())))
            if self.plants():
                self.wrong(lambda: super(OnitamaPlanter, self).say_one(onitama.Login(self.name)))


class OnitamaMarks(MarksContract, SynchronousTestCase):
    planter = OnitamaPlanter
    settings: ClassVar[dict[str, str]] = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class PaperPlanter(Planter, paper_soccer_clients.SoundClient):
    matches = 1
    #: A refusal is of what was planted.
    hears = forgotten(paper_soccer.Error)  # type: ignore[assignment]

    def say_one(self, message: Any) -> None:
        say = super().say_one
        if isinstance(message, paper_soccer.Move):
            if self.plants():
                self.wrong(lambda: say(paper_soccer.ThankYou(message.game_id)))
            if self.plants():
                self.wrong(lambda: say(replace(message, game_id="99")))
        say(message)
        if isinstance(message, paper_soccer.Move) and self.plants():
            self.wrong(lambda: say(replace(message, points=message.points[::-1])))


class PaperMarks(MarksContract, SynchronousTestCase):
    planter = PaperPlanter


class StrictPaperMarks(MarksContract, SynchronousTestCase):
    planter = PaperPlanter
    strict = True


class StrategoPlanter(Planter, ProgramClient):
    matches = 1
    last: Move | None = None

    def wrong_move(self) -> Move | None:
        """One of those that are wrong now, most of them to a square that is near; `None`: not this time."""
        match = self.program.match
        assert match is not None
        view: Any = match.player.view  # type: ignore[attr-defined]
        squares, legal = range(100), set(STRATEGO.legal(view, view.seat) or ())
        wrong = [
            move
            for start in squares
            if view.squares[start] not in ".~#9"
            for end in squares
            if (move := Move(start % 10, start // 10, end % 10, end // 10)) not in legal
        ]
        near = [one for one in wrong if abs(one.x - one.to_x) < 2 and abs(one.y - one.to_y) < 2]
        chosen = self.chance.choice([self.chance.choice(wrong), *self.chance.sample(near, 3), self.last or wrong[0]])
        return chosen if chosen in wrong else None


class FramesPlanter(StrategoPlanter, stratego_frames_clients.SoundClient):
    #: A refusal is of what was planted.
    hears = forgotten(stratego_frames.PlacementInvalid)  # type: ignore[assignment]

    def say_one(self, message: Any) -> None:
        say = super().say_one
        moves = isinstance(message, stratego_frames.Move)
        if moves and (move := self.wrong_move() if self.plants() else None) is not None:
            self.last = move
            planted = stratego_frames.Move(move.x, move.y, move.to_x, move.to_y)
            self.wrong(lambda: say(planted))
            return
        say(message)
        again = moves or (isinstance(message, stratego_frames.Setup) and self.chance.random() < 0.1)
        if again and self.plants():
            self.wrong(lambda: say(message))


class FramesMarks(MarksContract, SynchronousTestCase):
    planter = FramesPlanter
    settings: ClassVar[dict[str, str]] = {"stratego.two_squares": "0"}
    most = 120


class StrictFramesMarks(FramesMarks):
    strict = True


class LinesPlanter(StrategoPlanter, stratego_lines_clients.SoundClient):
    is_strict = False

    def say_one(self, message: Any) -> None:
        if stratego_lines.read_move(message.text) is None:
            super().say_one(message)
        elif (move := self.wrong_move() if self.plants() else None) is not None:
            self.last = move
            start, end = (stratego_lines.square(*one) for one in ((move.x, move.y), (move.to_x, move.to_y)))
            self.say_wrong(f"{start}-{end}")
        elif self.plants() and not self.is_strict:
            self.say_wrong("hello")
        else:
            super().say_one(message)
            if self.plants() and not self.is_strict:
                self.say_wrong(message.text)

    def say_wrong(self, text: str) -> None:
        say = super().say_one
        self.wrong(lambda: say(stratego_lines.Text(text)))


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
    #: A refusal is of what was planted, and what was asked is asked again.
    hears = forgotten(eriantys.ErrorMessage)  # type: ignore[assignment]

    def say_one(self, message: Any) -> None:
        say = super().say_one
        number = re.search(rb'("\w+)":\d+}', data := self.codec.encode(message))
        if (
            number is not None
            and not isinstance(message, eriantys.SetGame | eriantys.JoinAvailableGame)
            and self.plants()
        ):
            other = self.chance.choice([b'%s":99}', b'%s_number":1}']) % number[1]
            self.wrong(lambda: self.send(data.replace(number[0], other)))
            return
        say(message)
        if isinstance(message, eriantys.ChosenSteps | eriantys.PlayAssistant) and self.plants():
            self.wrong(lambda: say(message))


class EriantysMarks(MarksContract, SynchronousTestCase):
    planter = EriantysPlanter
    settings: ClassVar[dict[str, str]] = {"eriantys.ping": "0"}
    most = 150
