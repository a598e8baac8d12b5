"""
The picture of a match of Paper Soccer: the pitch with coordinates, each line in the colour of its player, and a number at the
end of each move.

Only legal moves are drawn as moves. The legal part of an illegal move is drawn as a dashed line, and a cross marks its illegal
step. The lines of the second player have a gap in the middle, so that the players can be distinguished without colours.
"""

from collections.abc import Iterable, Iterator, Sequence

from gamehost.games.drawing import SOFT, TAKE, Board, PlayerLine, Scene, at, caption, escaped, number, page, tag, text
from gamehost.games.paper_soccer import rules
from gamehost.games.paper_soccer.master import Move, Situation
from gamehost.games.paper_soccer.messages import moves_of

UNIT = 48
#: The space beside the pitch, for the coordinates, in pixels.
_EDGE = 34
WIDTH = 2 * rules.SIDE * UNIT + 2 * _EDGE
HEIGHT = 2 * rules.GOAL * UNIT + 2 * _EDGE - 12

#: The colours of the first and of the second player.
INKS = ("#1f5fa8", "#b3301f")

_STYLE = f"""\
.paper {{ fill: #fdfcf7 }}
.squares {{ stroke: #d5dde5; stroke-width: 1; fill: none }}
.border {{ stroke: #333333; stroke-width: 4; stroke-linecap: round; fill: none }}
.first, .second, .tried {{ stroke-width: 3; fill: none }}
.first {{ stroke: {INKS[0]}; stroke-linecap: round }}
.second {{ stroke: {INKS[1]}; stroke-dasharray: 41 18 41 }}
.newest {{ stroke-width: 6 }}
.tried {{ stroke: {TAKE}; stroke-dasharray: 5 5 }}
.cross {{ stroke: {TAKE}; stroke-width: 5; stroke-linecap: round; fill: none }}
.goal {{ opacity: 0.18 }}
.point {{ fill: {SOFT} }}
.start {{ fill: #111111 }}
.ball {{ fill: #ffffff; stroke: #111111; stroke-width: 3 }}
.count {{ font-size: 11.5px; font-weight: 700; text-anchor: middle }}
.count {{ stroke: #fdfcf7; stroke-width: 3.5; paint-order: stroke }}"""


def picture(scene: Scene) -> str:
    """Draws the pitch with all moves, and lists the points of the moves below."""
    situation: Situation = scene.view
    first = situation.first
    # By side: the player that moved first, and the other one.
    names = (scene.names[first], scene.names[1 - first])
    moves = moves_of(situation.points)
    # -1: the pitch is turned, because the reader attacks downwards.
    way = -1 if scene.seat is not None and scene.seat != first else 1
    pitch = _Pitch(way)
    position = rules.Position()
    for point in situation.points:
        position = position.step(point)
    parts = [
        tag("rect", class_="paper", width=WIDTH, height=HEIGHT, rx=10),
        *pitch.ground(names),
        *pitch.moves(moves, names),
        *(pitch.foul(position, scene.foul) if isinstance(scene.foul, Move) else ()),
        pitch.circle(rules.START, 4, "start"),
        pitch.circle(position.ball, 9, "ball"),
        *pitch.counts(moves),
    ]
    # Seat and side of the players, from top to bottom. Each player attacks away from the own name.
    sides = ((first, 0), (1 - first, 1)) if way == -1 else ((1 - first, 1), (first, 0))
    players = [PlayerLine(seat, INKS[side], _mark(side), _role(side)) for seat, side in sides]
    listed = [f"{place}. {' '.join(f'{x},{y}' for x, y in move)}" for place, move in enumerate(moves, 1)]
    return page(
        scene,
        "Paper Soccer",
        _STYLE,
        board=Board(WIDTH, HEIGHT, parts),
        players=players,
        below=[caption(scene, situation.next)],
        moves=listed,
    )


def _role(side: int) -> str:
    return f"scores at y = {-rules.GOAL if side else rules.GOAL}"


def _mark(side: int) -> str:
    """Returns a line as this side draws it, around (0, 0)."""
    return tag("path", class_=("first", "second")[side], d="M-11 0H11", pathLength=100)


class _Pitch:
    """Draws on the pitch of a picture. `way` is 1 if y grows upwards, and -1 if the pitch is turned."""

    def __init__(self, way: int) -> None:
        self._way = way

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        """Returns the position of a point in the picture."""
        return WIDTH / 2 + point[0] * UNIT * self._way, HEIGHT / 2 - point[1] * UNIT * self._way

    def circle(self, point: rules.Point, radius: float, kind: str) -> str:
        x, y = self.place(point)
        return tag("circle", class_=kind, cx=x, cy=y, r=radius)

    def path(self, segments: Iterable[rules.Segment]) -> str:
        return "".join(f"M{self._pair(start)}L{self._pair(end)}" for start, end in segments)

    def _pair(self, point: tuple[float, float]) -> str:
        return " ".join(map(number, self.place(point)))

    def ground(self, names: tuple[str, str]) -> Iterator[str]:
        """
        Yields the squares of the paper, both goals in the colour of the side that scores there, the border, and the
        coordinates.
        """
        columns = [((x, -rules.LENGTH), (x, rules.LENGTH)) for x in range(-rules.SIDE, rules.SIDE + 1)]
        rows = [((-rules.SIDE, y), (rules.SIDE, y)) for y in range(-rules.LENGTH, rules.LENGTH + 1)]
        yield tag("path", class_="squares", d=self.path([*columns, *rows]))
        # The lower edge of each goal; side 0 scores in the upper one.
        for side, end in enumerate((rules.LENGTH, -rules.GOAL)):
            corners = [self.place((-rules.POST, end)), self.place((rules.POST, end + 1))]
            # Sorted, because on a turned pitch the corners are exchanged.
            (x, x2), (y, y2) = (sorted(numbers) for numbers in zip(*corners, strict=True))
            title = tag("title", escaped(f"{names[side]} scores here"))
            yield tag("rect", title, class_="goal", x=x, y=y, width=x2 - x, height=y2 - y, fill=INKS[side])
        yield tag("path", class_="border", d=self.path(rules.BORDER))
        for point in rules.POINTS:
            yield self.circle(point, 2, "point")
        for x in range(-rules.SIDE, rules.SIDE + 1):
            if abs(x) > rules.POST:
                # No numbers in front of the goal.
                left, low = self.place((x, -rules.LENGTH * self._way))
                yield text(str(x), left, low + 24, "axis")
        for y in range(-rules.LENGTH, rules.LENGTH + 1):
            left, middle = self.place((-rules.SIDE * self._way, y))
            yield text(str(y), left - 20, middle + 5, "axis")

    def moves(self, moves: Sequence[Sequence[rules.Point]], names: tuple[str, str]) -> Iterator[str]:
        """Yields one path for each move. If a reader points at it, its number, player and points are shown."""
        ball = rules.START
        for place, move in enumerate(moves):
            # The players move in turn.
            side = place % 2
            kind = ("first", "second")[side] + (" newest" if place == len(moves) - 1 else "")
            words = " ".join(f"{x},{y}" for x, y in move)
            title = tag("title", escaped(f"{place + 1}. {names[side]}: {words}"))
            lines = list(zip((ball, *move), move, strict=False))
            if side == 0:
                yield tag("path", title, class_=kind, d=self.path(lines))
            else:
                # Each line is a path of its own, so that each has a gap in its middle.
                yield tag(
                    "g", title, *(tag("path", class_=kind, d=self.path([line]), pathLength=100) for line in lines)
                )
            ball = move[-1]

    def counts(self, moves: Sequence[Sequence[rules.Point]]) -> Iterator[str]:
        """Yields the number of each move, at the end of the move."""
        for place, move in enumerate(moves, 1):
            x, y = self.place(move[-1])
            newest = place == len(moves)
            yield text(str(place), x + (15 if newest else 9), y - (10 if newest else 6), "count")

    def foul(self, position: rules.Position, move: Move) -> Iterator[str]:
        """Yields an illegal move: its legal part as a dashed line, and a cross on its illegal step."""
        start, here = position.ball, position
        for point in move.points:
            if here.turn != position.turn:
                # The turn was over, and the move went on: the cross marks the point where it should have ended.
                break
            try:
                after = here.step(point)
            except rules.Foul:
                if rules.on_pitch(point) and point in rules.WAYS[here.ball]:
                    # The step can be drawn, so the cross is in its middle.
                    yield tag("path", class_="tried", d=self.path([(here.ball, point)]))
                    middle = ((here.ball[0] + point[0]) / 2, (here.ball[1] + point[1]) / 2)
                    yield self._cross(middle)
                    return
                break
            yield tag("path", class_="tried", d=self.path([(start, point)]))
            start, here = point, after
        yield self._cross(here.ball)

    def _cross(self, point: tuple[float, float]) -> str:
        x, y = self.place(point)
        return at(x, y, tag("path", class_="cross", d="M-9 -9L9 9M9 -9L-9 9"))
