"""The lessons of each game: their positions are legal, and the named action alone reaches the goal."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import convert, json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Game, Seat
from gamehost.games.eriantys import rules as eriantys
from gamehost.games.installed import files_of, installed
from gamehost.games.onitama.rules import Position
from gamehost.games.paper_soccer import rules as soccer
from gamehost.games.paper_soccer.master import position_of
from gamehost.games.play import messages_of
from gamehost.games.stratego import rules as stratego
from gamehost.wires.open.conversation import listed
from gamehost.wires.seeking import PlayedGame
from tests.kit.players import GAMES

BOARD = "board-lessons.json"


def lessons_of(game: Game[Any, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.decode(files_of(game, "board")[BOARD])
    return found


def view_of(game: Game[Any, Any], lesson: dict[str, Any]) -> Any:
    messages = messages_of(game)
    assert messages is not None
    return messages.read_view(convert(lesson["view"], messages.view_type), Seat(0))


def whole(lesson: dict[str, Any]) -> Iterator[list[str]]:
    """Everything that can be done: whole actions, each with what belongs to it."""
    for begun, actions in lesson["lists"].items():
        for one in actions:
            leads = one["action"] in lesson["lists"]
            if not one.get("more") and not (begun == "" and leads):
                yield [begun, one["action"]] if begun.startswith("student") else [one["action"]]


# What reaches the goal, by the rules.


def wins_onitama(view: Any, acts: list[Any]) -> bool:
    after: Position = view.position.after(acts[0])
    return after.won is not None


def saves(view: Any, acts: list[Any]) -> bool:
    after: Position = view.position.after(acts[0])
    return all(after.after(answer).won is None for answer in after.moves())


def scores(view: Any, acts: list[Any]) -> bool:
    ending = position_of(view).after(acts[0].points).ending
    return ending is not None and ending.winner == 0


def ways_on(position: soccer.Position) -> Iterator[soccer.Position]:
    """The position after each turn."""
    waiting = [position]
    while waiting:
        here = waiting.pop()
        for point in here.steps():
            after = here.step(point)
            if after.ending is None and after.turn == position.turn:
                waiting.append(after)
            else:
                yield after


def keeps_out(view: Any, acts: list[Any]) -> bool:
    after = position_of(view).after(acts[0].points)
    return after.ending is None and all(one.ending is None or one.ending.winner == 0 for one in ways_on(after))


def beats(enemy: str, where: str) -> Callable[[Any, list[Any]], bool]:
    """Attack a piece, and survive."""

    def reached(view: Any, acts: list[Any]) -> bool:
        move = acts[0]
        if stratego.square_name(move.to_x, move.to_y) != where:
            return False
        return stratego.survivor(view.squares[move.y * stratego.WIDTH + move.x], enemy) == "attacker"

    return reached


def earns(view: Any, acts: list[Any]) -> bool:
    mine, other = view.board.schools
    colour = acts[0].colour
    most = mine.dining[colour] + 1 > other.dining[colour]
    return bool(most and acts[1].destination == 0 and view.board.professors[colour] != 0)


def builds(view: Any, acts: list[Any]) -> bool:
    board = view.board
    island = board.islands[(board.mother_nature - 1 + acts[0].steps) % len(board.islands)]
    mine, other = (
        sum(island.students[colour] for colour in eriantys.Colour if board.professors[colour] == seat)
        + (island.towers if island.tower == board.schools[seat].tower else 0)
        for seat in (0, 1)
    )
    return bool(mine > other and island.tower != board.schools[0].tower)


def brings(view: Any, acts: list[Any]) -> bool:
    cloud = view.board.clouds[acts[0].cloud]
    return any(cloud[colour] and view.board.professors[colour] == 0 for colour in eriantys.Colour)


GOALS: Mapping[str, tuple[Callable[[Any, list[Any]], bool], ...]] = {
    "onitama": (wins_onitama, wins_onitama, saves),
    "paper-soccer": (scores, scores, keeps_out),
    "stratego": (beats("B", "E6"), beats("1", "B6"), beats("F", "E10")),
    "eriantys": (earns, builds, brings),
}


class LessonTests(SynchronousTestCase):
    def test_positions_are_legal(self) -> None:
        """The host lists the same actions there as the lesson does."""
        for name in GAMES:
            game = installed().games[name]
            messages = messages_of(game)
            assert messages is not None
            for lesson in lessons_of(game):
                view = view_of(game, lesson)
                for begun, actions in lesson["lists"].items():
                    found = listed(PlayedGame(game, messages, frozenset()), view, Seat(0), begun or None)
                    self.assertEqual(json.decode(json.encode(found)), actions, lesson["title"])
                    more = {one["action"] for one in actions if one.get("more")}
                    self.assertLessEqual(more, lesson["lists"].keys())

    def test_paper_soccer_is_reached_by_legal_moves(self) -> None:
        for lesson in lessons_of(installed().games["paper-soccer"]):
            position = soccer.Position()
            for points in lesson["view"]["moves"]:
                before = position.turn
                position = position.after(tuple(map(tuple, points)))
                self.assertEqual((position.turn, position.ending), (1 - before, None))

    def test_pieces_are_those_of_the_game(self) -> None:
        for lesson in lessons_of(installed().games["stratego"]):
            squares = lesson["view"]["squares"]
            self.assertTrue(all(squares.count(kind) <= piece.count for kind, piece in stratego.KINDS.items()))
            self.assertEqual(
                [place for place, one in enumerate(squares) if one == "~"], [42, 43, 46, 47, 52, 53, 56, 57]
            )
        for lesson in lessons_of(installed().games["onitama"]):
            board = lesson["view"]["board"]
            self.assertEqual((len(board), board.count("K"), board.count("k")), (25, 1, 1))
            self.assertLessEqual(max(board.count("P"), board.count("p")), 4)

    def test_the_named_action_alone_reaches_the_goal(self) -> None:
        for name, goals in GOALS.items():
            game = installed().games[name]
            lessons = lessons_of(game)
            self.assertEqual(len(lessons), len(goals))
            for lesson, goal in zip(lessons, goals, strict=True):
                view = view_of(game, lesson)
                reached = [one for one in whole(lesson) if goal(view, [game.read(act.encode()) for act in one])]
                self.assertEqual(reached, lesson["solved"], lesson["title"])
