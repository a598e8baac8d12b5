"""
The screen of Paper Soccer in a terminal. A move is typed as directions on the screen, or as points: `n ne e` or `0,1 1,1`.

The seat that attacks the lower goal sees the pitch turned, so that everybody plays upwards. The coordinates of points are not
turned.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move, Situation, position_of
from gamehost.games.paper_soccer.messages import MESSAGES, EndedEvent, KickoffEvent, MovedEvent, TakenBackEvent, View
from gamehost.games.paper_soccer.rules import BORDER_LINES, GOAL, LENGTH, SIDE, START, WAYS, Foul, Point, Position
from gamehost.games.screen import MoveRefused, Screen, Style, abridged, cut, listed, wrapped

#: Directions on the screen, clockwise -> steps to the right and up.
_STEPS: Mapping[str, Point] = {
    "n": (0, 1),
    "ne": (1, 1),
    "e": (1, 0),
    "se": (1, -1),
    "s": (0, -1),
    "sw": (-1, -1),
    "w": (-1, 0),
    "nw": (-1, 1),
}
_NAMED = {step: name for name, step in _STEPS.items()}
_WORD = re.compile(r"\(?(-?[0-9]{1,3})\s*,\s*(-?[0-9]{1,3})\)?|[^\s,;]+", re.ASCII)
#: The most unfinished moves that are stored while moves are listed by their length. If there are more, the longest one is
#: completed first.
_KEPT = 500
#: The most moves that are tried to find an example by which the player does not lose at once.
_TRIED = 60
#: Sizes in the drawing: the columns and the lines of a unit of the pitch, the columns of the numbers at the left, and those of
#: the notes at the right.
_WIDE, _HIGH, _LEFT, _NOTES = 4, 2, 5, 36
#: The diagonal lines among the box-drawing characters of Unicode.
_RISING, _FALLING, _CROSS = "\u2571", "\u2572", "\u2573"
_LATEST, _BALL = "1;33", "1;32"


class PaperSoccerScreen(Screen[View]):
    """The screen of paper soccer: shows a match in a terminal, and reads the typed moves. See `Screen`."""

    game, messages = PAPER_SOCCER, MESSAGES

    def told(self, message: Any, before: Situation | None) -> list[str]:
        """The sentences for an event of the match."""
        match message:
            case KickoffEvent(first):
                return [f"{self.subject(first)} {'move' if first == self.seat else 'moves'} first."]
            case MovedEvent(seat, points):
                return [f"{self.subject(seat)} played {_text(points)}."]
            # A last move. The seat that has made it was to move in the view before.
            case EndedEvent(points) if points and before is not None and before.next is not None:
                return [f"{self.subject(before.next)} played {_text(points)}."]
            case TakenBackEvent(seat, moves):
                return [self.taken_back(seat, moves)]
        return []

    @property
    def _way(self) -> int:
        """The direction in which this seat attacks on the pitch: 1, or -1 for the seat that sees the pitch turned."""
        return 1 if self.known is None or self.seat in (None, self._view.first) else -1

    @property
    def turn(self) -> bool:
        return self.known is not None and self.seat is not None and self._view.next == self.seat

    def prompt(self) -> str:
        """The line that says what to type now, or for whom the match waits."""
        view = self._view
        if view.next is None:
            return "The match is over."
        if not self.turn:
            return f"{self.names[view.next]} is to move."
        return f"Type a move, all its steps: {self._example(position_of(self.known))}."

    def moves(self, most: int) -> list[str]:
        """Returns legal moves as directions; none if it is not this seat's turn."""
        if not self.turn:
            return []
        position = position_of(self.known)
        return abridged((self._directions(position.ball, move) for move in _complete(position)), most)

    def _example(self, position: Position) -> str:
        """Returns a short move as an example, if possible one by which the player does not lose at once."""
        first = None
        for number, move in enumerate(_complete(position)):
            ending = position.after(move).ending
            if ending is None or ending.winner == position.turn:
                # The match continues, or this player has won.
                return self._directions(position.ball, move)
            # If all moves lose, the first one is the example.
            first = first or move
            if number > _TRIED:
                break
        return self._directions(position.ball, first or ())

    def _directions(self, ball: Point, points: Iterable[Point]) -> str:
        """Returns the directions of a move that begins at `ball`."""
        words = []
        for point in points:
            words.append(self._direction(ball, point))
            ball = point
        return " ".join(words)

    def _direction(self, ball: Point, point: Point) -> str:
        """Returns the direction on the screen from the ball to a neighbouring point."""
        return _NAMED[(point[0] - ball[0]) * self._way, (point[1] - ball[1]) * self._way]

    def _ways_on(self, position: Position) -> str:
        """Returns the possible steps of the ball, as part of a sentence: `n (0,1), ne (1,1) or e (1,0)`."""
        ways = {self._direction(position.ball, point): point for point in position.steps()}
        return listed([f"{name} ({_text([ways[name]])})" for name in _STEPS if name in ways], "or")

    def read(self, text: str) -> list[bytes]:
        """Reads directions, or points."""
        if not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        position = position_of(self.known)
        points = self._points(position, text)
        if not points:
            raise MoveRefused(f"That is not a move of paper soccer. Type all its steps: {self._example(position)}.")
        # Play the steps one by one, to say exactly which one is wrong.
        here = position
        for number, point in enumerate(points):
            if here.turn != position.turn:
                done = self._directions(position.ball, points[:number])
                raise MoveRefused(f"The ball stops at {_text([here.ball])}, so your move ends there: {done}.")
            try:
                here = here.step(point)
            except Foul as foul:
                able = f" From {_text([here.ball])} you can go {self._ways_on(here)}." if here.ending is None else ""
                raise MoveRefused(f"{str(foul).capitalize()}.{able}") from None
        if here.turn == position.turn and here.ending is None:
            # The last step does not end the turn.
            raise MoveRefused(
                f"The ball bounces at {_text([here.ball])}, so your move must go on. Type all its steps, and then"
                f" {self._ways_on(here)}."
            )
        return [PAPER_SOCCER.write(Move(tuple(points)))]

    def _points(self, position: Position, text: str) -> list[Point]:
        """Returns the typed points; empty if the text is not a move."""
        ball, points = position.ball, list[Point]()
        for word in _WORD.finditer(text.lower()):
            if word[1] is not None:
                # Numbers: a point. Otherwise a direction on the screen, which may be turned.
                ball = (int(word[1]), int(word[2]))
            elif word[0] in _STEPS:
                right, up = _STEPS[word[0]]
                ball = (ball[0] + right * self._way, ball[1] + up * self._way)
            else:
                return []
            points.append(ball)
        return points

    def sentences(self) -> Iterator[str]:
        """The position in sentences, for readers that cannot see the drawing."""
        view = self._view
        position = position_of(self.known)
        for seat in (view.first, 1 - view.first):
            verb = "play" if seat == self.seat else "plays"
            yield f"{self.subject(seat)} {verb} towards the goal at y = {GOAL if seat == view.first else -GOAL}."
        yield f"The ball is at {_text([position.ball])}."
        if position.ending is None:
            yield f"From there it can go {self._ways_on(position)}."
        for number, points in enumerate(view.moves):
            # The seats move in turn.
            seat = view.first if number % 2 == 0 else 1 - view.first
            yield f"Move {number + 1}, {self.who(seat)}: {_text(points)}."

    def drawing(self, style: Style) -> Iterable[str]:
        """The pitch as lines of text, with notes at the right."""
        view = self._view
        width, height = 2 * SIDE * _WIDE + 1, 2 * LENGTH * _HIGH + 1
        cells = self._cells(view, style)
        notes = self._notes(view, style)
        lines = []
        # A ball in a goal is drawn above or below the field. Then there are rows before row 0, or behind the last
        # one.
        for row in range(min(0, *(row for row, _ in cells)), max(height, *(row + 1 for row, _ in cells))):
            y = (LENGTH - row // _HIGH) * self._way
            # The lines between the points have no number.
            number = f"{y:>{_LEFT - 2}}  " if row % _HIGH == 0 else " " * _LEFT
            drawn = "".join(cells.get((row, column), " ") for column in range(width))
            lines.append(f"{number}{drawn}   {notes.get(row, '')}")
        numbers = "".join(f"{x * self._way:<{_WIDE}}" for x in range(-SIDE, SIDE + 1))
        return [*lines, " " * _LEFT + numbers]

    def _notes(self, view: View, style: Style) -> Mapping[int, str]:
        """Returns the notes beside the pitch: line of the drawing -> text."""
        # The seat that scores in the goal above.
        above = view.first if self._way == 1 else 1 - view.first
        last = 2 * LENGTH * _HIGH
        notes = {}
        for row, seat, sign in ((0, above, "^"), (last, 1 - above, "v")):
            y = GOAL if seat == view.first else -GOAL
            verb = "score" if seat == self.seat else "scores"
            notes[row] = f"{sign} y = {y}: {cut(style.plain(self.who(seat)), 20)} {verb}"
        position = position_of(self.known)
        words = [f"The ball {style.pick('●', 'O')} is at {_text([position.ball])}."]
        if view.moves:
            # The seats move in turn, so an odd number of moves ends with the first seat's.
            mover = view.first if len(view.moves) % 2 else 1 - view.first
            words += ["", f"Move {len(view.moves)}, {self.who(mover)}:", _text(view.moves[-1])]
        if position.ending is None:
            ways = {self._direction(position.ball, point) for point in position.steps()}
            words += ["", f"Free steps: {' '.join(name for name in _STEPS if name in ways)}"]
        # From line 4 on, between the two notes about the goals. What does not fit is left out.
        for row, line in zip(range(4, last - 2), wrapped(words, _NOTES), strict=False):
            notes[row] = style.plain(line)
        return notes

    def _cells(self, view: View, style: Style) -> Mapping[tuple[int, int], str]:
        """
        Returns the characters of the drawing, by row and column. A goal takes two more rows, so it is drawn only when the ball
        is in it.
        """
        position = position_of(self.known)
        cells: dict[tuple[int, int], str] = {}
        ball_y = position.ball[1]

        def drawn(point: Point) -> bool:
            """Whether a point is on the field, or in the goal that the ball is in."""
            return abs(point[1]) <= LENGTH or point[1] == ball_y

        latest = _segments(view.moves[-1:], _ball_before(view.moves))
        for point, ways in WAYS.items():
            for other, line in ways.items():
                # `point < other`: each line is in `WAYS` twice, once from each end.
                if point < other and line & position.drawn and drawn(point) and drawn(other):
                    colour = _LATEST if (point, other) in latest else ""
                    self._line(cells, point, other, bool(line & BORDER_LINES), colour, style)
        for point in WAYS:
            if drawn(point):
                cells[self._cell(point)] = _dot(point, position, style)
        return cells

    def _cell(self, point: Point) -> tuple[int, int]:
        """Returns the row and column of a point in the drawing."""
        return (LENGTH - point[1] * self._way) * _HIGH, (point[0] * self._way + SIDE) * _WIDE

    def _line(
        self, cells: dict[tuple[int, int], str], one: Point, other: Point, border: bool, colour: str, style: Style
    ) -> None:
        """Draws a line between two neighbouring points."""
        (row, column), (row2, column2) = sorted((self._cell(one), self._cell(other)))
        if row == row2:
            character = style.pick("━", "=") if border else style.pick("─", "-")
            for at in range(min(column, column2) + 1, max(column, column2)):
                cells[row, at] = style.paint(character, colour) if colour else character
            return
        middle = (row + 1, (column + column2) // 2)
        if column == column2:
            character = style.pick("┃", "#") if border else style.pick("│", "|")
        else:
            character = style.pick(_FALLING, "\\") if column < column2 else style.pick(_RISING, "/")
            if middle in cells:
                # Another diagonal line crosses this one.
                character = style.pick(_CROSS, "X")
        cells[middle] = style.paint(character, colour) if colour else character


def _dot(point: Point, position: Position, style: Style) -> str:
    """
    Returns the character of a point: the ball, a touched point where the ball would bounce, or a point where it would stop.
    """
    if point == position.ball:
        return style.paint(style.pick("●", "O"), _BALL)
    touched = any(line & position.drawn for line in WAYS[point].values())
    return style.pick("•", "+") if touched else style.pick("·", ".")


def _ball_before(moves: Sequence[Sequence[Point]]) -> Point:
    """Returns the point of the ball before the last move."""
    return moves[-2][-1] if len(moves) > 1 else START


def _segments(moves: Sequence[Sequence[Point]], ball: Point) -> set[tuple[Point, Point]]:
    """Returns the lines of these moves, each with the smaller point first."""
    found = set()
    for point in (point for points in moves for point in points):
        found.add((min(ball, point), max(ball, point)))
        ball = point
    return found


def _complete(position: Position) -> Iterator[tuple[Point, ...]]:
    """Yields complete legal moves. Short ones come first, as long as there are few unfinished ones."""
    unfinished: deque[tuple[tuple[Point, ...], Position]] = deque([((), position)])
    while unfinished:
        # The shortest unfinished move is the oldest one in the queue, and the longest one the newest.
        points, here = unfinished.pop() if len(unfinished) > _KEPT else unfinished.popleft()
        for point in here.steps():
            after = here.step(point)
            if after.turn != position.turn or after.ending is not None:
                yield (*points, point)
            else:
                unfinished.append(((*points, point), after))


def _text(points: Iterable[Point]) -> str:
    """Returns points as they are typed: `0,1 1,1`."""
    return " ".join(f"{x},{y}" for x, y in points)


SCREEN = PaperSoccerScreen
