"""What a trace marks: each refusal of the host and each wrong message of the client, and no legal move."""

from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Scenario
from gamehost.games.onitama.cards import VECTORS
from gamehost.games.onitama.position import Move
from gamehost.testing.cases import Mixin
from gamehost.wires.stratego_lines.messages import COLUMNS
from tests.checker.wires import (
    eriantys_clients,
    onitama_clients,
    paper_soccer_clients,
    stratego_frames_clients,
    stratego_lines_clients,
)
from tests.kit.traced_games import Planter, TracedGame, traced

Step = tuple[int, int, int, int]
#: Games on each wire, each with another seed.
GAMES = 10


class MarksContract(Mixin):
    """Subclasses set `planter` and `settings`, and are test cases."""

    planter: ClassVar[type[Planter]]
    settings: ClassVar[dict[str, str]] = {}
    most = 40
    strict = False
    #: How many wrong messages all games have at least.
    least = 5 * GAMES

    def game(self, seed: int) -> TracedGame:
        """One game."""
        about = ("marks", "Games with planted faults.", "turn", self.settings)
        first = seed % 2 == 0
        scenario = Scenario(*about, strict=self.strict, client_first=first, most=self.most, forgives=True)
        return traced(self.planter, scenario, seed)

    def test_ten_games(self) -> None:
        """With every fault, at random moments."""
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
    """Moves out of turn, onto its own pieces, by cards that it has not; and twice at once."""

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
    """With the deal in START."""

    planter = OnitamaPlanter
    settings: ClassVar[dict[str, str]] = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class PaperPlanter(Planter, paper_soccer_clients.SoundClient):
    """Moves twice at once, in another game, and thanks too early."""

    games = 1

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
    """With reasons."""

    planter = PaperPlanter


class StrictPaperMarks(MarksContract, SynchronousTestCase):
    """Without reasons."""

    planter = PaperPlanter
    strict = True


class FramesPlanter(Planter, stratego_frames_clients.SoundClient):
    """Moves bombs and enemy pieces, onto its own, into lakes, and over others; twice at once, and again what was refused."""

    games = 1
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
        """Bombs, lakes and own pieces: wrong moves of one step."""
        steps = [one for one in wrong if abs(one[0] - one[2]) + abs(one[1] - one[3]) == 1]
        return self.chance.sample(steps, min(4, len(steps)))


class FramesMarks(MarksContract, SynchronousTestCase):
    """With reasons."""

    planter = FramesPlanter
    settings: ClassVar[dict[str, str]] = {"stratego.two_squares": "0"}
    most = 120


class StrictFramesMarks(FramesMarks):
    """Without reasons."""

    strict = True


class LinesPlanter(Planter, stratego_lines_clients.SoundClient):
    """The same faults in lines, and lines that are no moves."""

    games = 1
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
        """Whether two squares are neighbours, or the same."""
        return abs(int(one[1:]) - int(other[1:])) < 2 and abs(ord(one[0]) - ord(other[0])) < 2


class LinesMarks(MarksContract, SynchronousTestCase):
    """With reasons."""

    planter = LinesPlanter
    settings: ClassVar[dict[str, str]] = {"stratego.two_squares": "0"}


class StrictLinesPlanter(LinesPlanter):
    """Only what does not end the connection."""

    is_strict = True


class StrictLinesMarks(LinesMarks):
    """Without reasons."""

    planter = StrictLinesPlanter
    strict = True


class EriantysPlanter(Planter, eriantys_clients.SoundClient):
    """Answers with values that no request offers, twice at once, and with keys that the document does not have."""

    games = 1

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
    """Each answer is refused in its own words."""

    planter = EriantysPlanter
    settings: ClassVar[dict[str, str]] = {"eriantys.ping": "0"}
    most = 150
