"""The protocols of other communities' bots: there and back, recorded games, and answers that are damaged."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots.bridge import bridges
from gamehost.extras.bots.bridges import paper_soccer as codingame
from gamehost.extras.bots.bridges import stratego as ucc
from gamehost.games.base import Cause, Result, Seat
from gamehost.games.messages import BadAnswer, Dialogue, Prompt
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved
from gamehost.games.stratego.master import STRATEGO, any_rows
from gamehost.games.stratego.rules import Fought, Move, PlaceRows, Playing, Situation
from gamehost.games.stratego.rules import Moved as Walked
from gamehost.players.base import SeededChance
from tests.kit.sources import ROOT

VECTORS = ROOT / "tests" / "vectors"
NAMES = ("ann", "bob")
ROWS = ("FB8sB479B8", "BB31555583", "6724898974", "967B669999")


def recorded(name: str) -> list[Any]:
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


def hears(bridge: Any, dialogue: Dialogue, events: Sequence[Any]) -> list[Prompt]:
    return [dialogue.hear(event) for event in events if isinstance(event, bridge.hears)]


class CodinGameTests(SynchronousTestCase):
    [BRIDGE] = codingame.BRIDGES

    @given(st.lists(st.integers(0, 7), min_size=1, max_size=40), st.tuples(st.integers(-4, 4), st.integers(-6, 6)))
    def test_there_and_back(self, steps: list[int], ball: tuple[int, int]) -> None:
        digits = "".join(map(str, steps))
        points = codingame.points_of(digits, ball)
        self.assertEqual(codingame.digits_of(points, ball), digits)
        self.assertEqual(len(points), len(digits))

    def test_directions(self) -> None:
        self.assertEqual(codingame.points_of("4644", (0, 0)), ((0, -1), (-1, -1), (-1, -2), (-1, -3)))
        self.assertEqual(codingame.points_of("02", (0, 0)), ((0, 1), (1, 1)))
        up = codingame.CodinGameDialogue(Seat(1))
        self.assertEqual(up.hear(Kickoff(Seat(1))), Prompt(("0", "1", "-"), 1))

    def test_recorded_games(self) -> None:
        for game in recorded("paper_soccer_games.jsonl"):
            dialogues = [codingame.CodinGameDialogue(Seat(seat)) for seat in (0, 1)]
            first, second = (one.hear(Kickoff(Seat(0))) for one in dialogues)
            self.assertEqual((first, second), (Prompt(("0", "1", "-"), 1), Prompt(("1",))))
            ball = (0, 0)
            for number, move in enumerate(game["moves"]):
                points = tuple((x, y) for x, y in move)
                digits, mover = codingame.digits_of(points, ball), number % 2
                self.assertEqual(dialogues[mover].answer([digits]).points, points)
                event = Moved(Seat(mover), points, Seat(1 - mover))
                self.assertEqual(dialogues[mover].hear(event), Prompt())
                self.assertEqual(dialogues[1 - mover].hear(event), Prompt((str(len(digits)), digits), 1))
                ball = points[-1]

    def test_what_is_not_told(self) -> None:
        dialogue = codingame.CodinGameDialogue(Seat(0))
        self.assertEqual(dialogue.begin(), Prompt())
        self.assertEqual(dialogue.hear(Ended(Seat(0), Seat(1), (), Cause.TIME, "")), Prompt())
        self.assertEqual(dialogue.over(Result((Seat(0),), Cause.RULES, "goal")), ())
        self.assertFalse(self.BRIDGE.asks_again)


class _First:
    def below(self, n: int) -> int:
        return 0


class UCCTests(SynchronousTestCase):
    [BRIDGE] = ucc.BRIDGES

    @given(st.integers(0, 9), st.integers(0, 9), st.sampled_from(sorted(ucc.DIRECTIONS)), st.integers(1, 9))
    def test_moves_there_and_back(self, x: int, y: int, direction: str, squares: int) -> None:
        line = f"{x} {y} {direction}" + (f" {squares}" if squares > 1 else "")
        self.assertEqual(ucc.write_move(ucc.read_move(line)), line)
        self.assertEqual(ucc.read_move(f"{x}  {y}\t{direction} {squares}"), ucc.read_move(line))

    @given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.booleans())
    def test_moves_of_the_host(self, x: int, y: int, end: int, across: bool) -> None:
        move = Move(x, y, end, y) if across else Move(x, y, x, end)
        if (move.x, move.y) != (move.to_x, move.to_y):
            self.assertEqual(ucc.read_move(ucc.write_move(move)), move)

    @given(st.integers(0, 2**32))
    def test_set_ups_there_and_back(self, seed: int) -> None:
        rows = any_rows(SeededChance(seed).below)
        self.assertEqual(ucc.read_rows([row.translate(ucc.WRITTEN) for row in rows]), PlaceRows(rows))

    def test_the_beginning(self) -> None:
        """RED is above and begins; BLUE begins to speak when RED has moved. Enemies are not shown, lakes are `+`."""
        red, blue = (self.BRIDGE.dialogue(Seat(seat), NAMES) for seat in (0, 1))
        self.assertEqual(red.begin(), Prompt(("RED ./bob 10 10",), 4))
        self.assertEqual(blue.begin(), Prompt(("BLUE ./ann 10 10",), 4))
        self.assertEqual(red.answer(ROWS), PlaceRows(tuple(row.replace("s", "S") for row in ROWS)))
        blue.answer(ROWS[::-1])
        begun = Playing(Seat(0), Seat(0))
        middle = ["..++..++.."] * 2
        enemy = ["##########"] * 4
        self.assertEqual(red.hear(begun), Prompt(("START", *ROWS, *middle, *enemy), 1))
        self.assertEqual(blue.hear(begun), Prompt())
        move = red.answer(["4 3 DOWN"])
        moved = Walked(Seat(0), move, Seat(1))
        self.assertEqual(red.hear(moved), Prompt(("4 3 DOWN OK",)))
        shown = [*enemy[:3], "####.#####", "..++#.++..", "..++..++..", *ROWS[::-1]]
        self.assertEqual(blue.hear(moved), Prompt(("4 3 DOWN OK", *shown), 1))

    def test_outcomes(self) -> None:
        """Of a battle: both ranks, whoever moved."""
        for winner, words in (("attacker", "KILLS 9 s"), ("defender", "DIES 9 s"), ("tie", "BOTHDIE 9 s")):
            dialogue = self.BRIDGE.dialogue(Seat(1), NAMES)
            dialogue.answer(ROWS)
            event = Fought(Seat(0), Move(0, 3, 0, 6), "9", "S", winner, Seat(1))  # type: ignore[arg-type]
            told = dialogue.hear(event)
            self.assertEqual((told.lines[0], told.answers), (f"0 3 DOWN 3 {words}", 1))
            mark = {"attacker": "#", "defender": "F", "tie": "."}[winner]
            self.assertEqual((told.lines[4][0], told.lines[7][0]), (".", mark))

    def test_ends(self) -> None:
        flag = Fought(Seat(0), Move(0, 3, 0, 4), "9", "F", "attacker", None)
        last = Fought(Seat(0), Move(0, 3, 0, 4), "9", "9", "tie", None)
        walk = Walked(Seat(0), Move(0, 3, 0, 4), None)
        for event, winners, why, winner, loser in (
            (flag, (0,), "flag taken", ["0 3 DOWN VICTORY_FLAG", "QUIT VICTORY"], ["QUIT DEFEAT"]),
            (last, (0,), "no move left", ["0 3 DOWN VICTORY_ATTRITION", "QUIT VICTORY"], ["QUIT DEFEAT"]),
            (last, (), "neither side can move", ["0 3 DOWN BOTHDIE 9 9", "QUIT DRAW"], ["QUIT DRAW"]),
            (walk, (), "too many moves", ["0 3 DOWN OK", "QUIT DRAW_DEFAULT"], ["QUIT DRAW_DEFAULT"]),
        ):
            result = Result(tuple(map(Seat, winners)), Cause.RULES, why)
            for seat, expected in enumerate((winner, loser)):
                dialogue = self.BRIDGE.dialogue(Seat(seat), NAMES)
                dialogue.answer(["0 3 DOWN"])
                self.assertEqual(dialogue.hear(event), Prompt())
                self.assertEqual(list(dialogue.over(result)), expected)
        dialogue = self.BRIDGE.dialogue(Seat(0), NAMES)
        self.assertEqual(list(dialogue.over(None)), ["QUIT"])
        self.assertEqual(list(dialogue.over(Result((Seat(0),), Cause.LEFT, ""))), ["QUIT DEFAULT"])
        self.assertEqual(list(dialogue.over(Result((Seat(1),), Cause.TIME, ""))), ["QUIT ILLEGAL"])
        self.assertIsNone(dialogue.answer(["SURRENDER"]))
        self.assertEqual(list(dialogue.over(Result((Seat(1),), Cause.LEFT, ""))), ["QUIT SURRENDER"])

    def test_illegal_moves(self) -> None:
        """They are told, and asked again with the same board. A set-up that is refused has no words."""
        dialogue = self.BRIDGE.dialogue(Seat(0), NAMES)
        dialogue.answer(ROWS)
        self.assertEqual(dialogue.illegal(True), Prompt())
        asked = dialogue.hear(Playing(Seat(0), Seat(0)))
        dialogue.answer(["0 0   UP 2"])
        self.assertEqual(dialogue.illegal(False), Prompt(("0 0 UP 2 ILLEGAL",)))
        self.assertEqual(dialogue.illegal(True), Prompt(("0 0 UP 2 ILLEGAL", "0 0 UP 2 ILLEGAL", *asked.lines[1:]), 1))

    def test_recorded_games(self) -> None:
        """Both sides are shown in each turn what the master shows them, and every move is read back as it was."""
        for game in recorded("stratego_games.jsonl")[:20]:
            master = STRATEGO.new_master(2, {"two_squares": "0"}, _First())
            dialogues = [self.BRIDGE.dialogue(Seat(seat), NAMES) for seat in (0, 1)]
            told = list(master.begin(0))
            for seat, dialogue in enumerate(dialogues):
                dialogue.begin()
                action = dialogue.answer([row.replace("S", "s") for row in game[f"setup{seat}"]])
                told += master.act(Seat(seat), action, 0)
            prompts = [hears(self.BRIDGE, one, [to.event for to in told if to.audience is None]) for one in dialogues]
            for number, (x, y, to_x, to_y, _, _) in enumerate(game["plies"]):
                mover = number % 2
                asked = prompts[mover][-1]
                view: Any = master.view(Seat(mover))
                assert isinstance(view, Situation)
                self.assertEqual("".join(asked.lines[1:]), view.squares.replace("S", "s").replace("~", "+"))
                line = ucc.write_move(Move(x, y, to_x, to_y))
                action = dialogues[mover].answer([line])
                self.assertEqual(action, Move(x, y, to_x, to_y))
                told = list(master.act(Seat(mover), action, 0))
                events = [to.event for to in told if to.audience is None]
                prompts = [hears(self.BRIDGE, one, events) for one in dialogues]
                if master.result is None:
                    self.assertTrue(prompts[mover][-1].lines[0].startswith(line))
                    self.assertEqual(prompts[mover][-1].answers, 0)


class DamagedTests(SynchronousTestCase):
    def test_damaged_answers(self) -> None:
        """1,000 of each protocol: each is refused in words, or is an action that the host can judge."""
        chance = SeededChance(5)
        for _, (game, bridge) in sorted(bridges().items()):
            refused = read = 0
            while refused + read < 1_000:
                dialogue = bridge.dialogue(Seat(0), NAMES)
                answer = [damaged(chance.one_of(SOUND), chance) for _ in range(chance.one_of((1, 1, 4)))]
                if bridge.name.startswith("codingame"):
                    answer = answer[:1]
                if not all(answer):
                    continue
                try:
                    action = dialogue.answer(answer)
                except BadAnswer as error:
                    refused += 1
                    self.assertIn("expected", str(error))
                    continue
                read += 1
                try:
                    notation = b"" if action is None else game.write(action)
                except ValueError as error:
                    self.assertIn("0 to 9", str(error))
                else:
                    self.assertEqual(action, game.read(notation) if notation else None)
            self.assertGreater(min(refused, read), 10, bridge.name)


SOUND = ("4 3 DOWN", "9 9 UP 3", "SURRENDER", *ROWS, "0", "4644", "02217")


def damaged(text: str, chance: SeededChance) -> str:
    """A line with some characters changed, lost or doubled, without blanks around it."""
    for _ in range(chance.below(3)):
        at = chance.below(len(text) + 1)
        text = (
            text[:at]
            + chance.one_of(("", "", "1", "9", " ", "-", "x", "é", "\x00", text))
            + text[at + chance.below(2) :]
        )
    return text.strip()
