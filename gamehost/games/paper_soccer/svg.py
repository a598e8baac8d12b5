"""
A game as a picture: SVG that needs nothing from elsewhere, the same text for the same game.

One unit of the pitch is `UNIT` pixels, y grows upwards on the pitch and downwards in the picture. Only legal moves are
drawn: an illegal one may lead anywhere. Names and captions come from players, so they are escaped, and what XML cannot
hold is replaced.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from html import escape

from gamehost.games.paper_soccer.pitch import BORDER, GOAL, LENGTH, POST, SIDE, START, Point, Segment
from gamehost.games.paper_soccer.position import Foul, Position

UNIT = 40
WIDTH = 520
HEIGHT = 620
#: Where the centre of the pitch is.
_MIDDLE = (WIDTH // 2, HEIGHT // 2 - 10)
#: So many characters fit on a line below, in most fonts, and so many lines; the first one is this high, in pixels.
_LINE = 74
_LINES = 2
_BELOW = HEIGHT - 24

#: By side: who moved first in blue, the other in red.
INKS = ("#1f5fa8", "#c0392b")

_STYLE = f"""\
text {{ font: 13px sans-serif; text-anchor: middle; fill: #333333 }}
.paper {{ fill: #fdfcf7 }}
.squares {{ stroke: #d5dde5; stroke-width: 1; fill: none }}
.border {{ stroke: #333333; stroke-width: 4; stroke-linecap: round; fill: none }}
.first, .second {{ stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; fill: none }}
.first {{ stroke: {INKS[0]} }}
.second {{ stroke: {INKS[1]} }}
.goal {{ stroke: none; opacity: 0.2 }}
.start {{ fill: #111111 }}
.ball {{ fill: #ffffff; stroke: #111111; stroke-width: 2.5 }}"""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(moves: Iterable[Sequence[Point]], names: tuple[str, str] = ("first", "second"), caption: str = "") -> str:
    """
    Draw a game, finished or not.

    :param moves: from the first on, each as its points; what comes after an illegal one is left out with it
    :param names: who moved first (and attacks the upper goal), and the other
    :param caption: the words below, such as how the game ended; without it, the picture says what the moves tell
    :returns: an XML document without declaration, ended by a line end
    """
    position, played = _legal(moves)
    title = _text(f"Paper soccer: {names[0]} - {names[1]}")
    below = caption or _standing(position, names)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f"<title>{title}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<path class="squares" d="{_path(_squares())}"/>',
        *_goals(names),
        f'<path class="border" d="{_path(BORDER)}"/>',
        *_moves(played, names),
        _circle(START, 3, "start"),
        _circle(position.ball, 6, "ball"),
        *_below(below),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legal(moves: Iterable[Sequence[Point]]) -> tuple[Position, list[Sequence[Point]]]:
    """The moves before the first illegal one, and where they lead."""
    position = Position()
    played: list[Sequence[Point]] = []
    for move in moves:
        try:
            position = position.after(move)
        except Foul:
            break
        played.append(move)
    return position, played


def _standing(position: Position, names: tuple[str, str]) -> str:
    if position.ending is None:
        return f"{names[position.turn]} to move"
    return f"{names[position.ending.winner]} won: {position.ending.how.value}"


def _squares() -> list[Segment]:
    """The ruling of the paper, as far as the field goes."""
    columns = [((x, -LENGTH), (x, LENGTH)) for x in range(-SIDE, SIDE + 1)]
    rows = [((-SIDE, y), (SIDE, y)) for y in range(-LENGTH, LENGTH + 1)]
    return columns + rows


def _below(words: str) -> list[str]:
    """The words below the pitch; what does not fit is left out."""
    wrapped = textwrap.wrap(words, _LINE, max_lines=_LINES, placeholder=" ...") or [""]
    return [f'<text x="{_MIDDLE[0]}" y="{_BELOW + 16 * n}">{_text(line)}</text>' for n, line in enumerate(wrapped)]


def _goals(names: tuple[str, str]) -> list[str]:
    """Both goals in the ink of the side that attacks them, and its name beside."""
    drawn = []
    for side, (name, top, beyond) in enumerate(((names[0], GOAL, GOAL + 0.4), (names[1], -LENGTH, -GOAL - 0.7))):
        x, y = _place((-POST, top))
        ink = INKS[side]
        drawn.append(f'<rect class="goal" x="{x}" y="{y}" width="{2 * POST * UNIT}" height="{UNIT}" fill="{ink}"/>')
        height = _MIDDLE[1] - round(beyond * UNIT)
        drawn.append(f'<text x="{_MIDDLE[0]}" y="{height}">{_text(name)} attacks here</text>')
    return drawn


def _moves(played: Sequence[Sequence[Point]], names: tuple[str, str]) -> list[str]:
    """One line a move in its side's ink; pointing at it shows its number, player and points."""
    drawn = []
    ball = START
    for number, move in enumerate(played):
        side = number % 2
        way = " ".join("{},{}".format(*_place(point)) for point in (ball, *move))
        words = " ".join(f"({x}, {y})" for x, y in move)
        drawn.append(
            f'<polyline class="{("first", "second")[side]}" points="{way}">'
            f"<title>{number + 1}. {_text(names[side])}: {words}</title></polyline>"
        )
        ball = move[-1]
    return drawn


def _place(point: Point) -> tuple[int, int]:
    """Where a point of the pitch is in the picture, in pixels."""
    return (_MIDDLE[0] + point[0] * UNIT, _MIDDLE[1] - point[1] * UNIT)


def _path(segments: Iterable[Segment]) -> str:
    return "".join("M{},{}L{},{}".format(*_place(start), *_place(end)) for start, end in segments)


def _circle(point: Point, radius: int, kind: str) -> str:
    x, y = _place(point)
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius}"/>'


def _text(words: str) -> str:
    """Words from outside as XML may hold them, in ASCII: the picture is the same in whatever encoding it is kept."""
    return escape(_NOT_XML.sub("\ufffd", words)).encode("ascii", "xmlcharrefreplace").decode("ascii")
