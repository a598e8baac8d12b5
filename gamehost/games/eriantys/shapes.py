"""
How things of Eriantys look in a picture, each around (0, 0): students, professors, towers, islands, clouds.

Each colour has a shape of its own, a white tower is hollow, and a grey one has a band.
"""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin

from gamehost.games.drawing import at, number, tag, text
from gamehost.games.eriantys.pieces import Colour, Students, Tower

_SIGNS = {
    Colour.GREEN: "M-4.2-4.2H4.2V4.2H-4.2Z",
    Colour.RED: "M0-5.4 5.2-1.6 3.2 4.5H-3.2L-5.2-1.6Z",
    Colour.YELLOW: "M0-5.6 5.4 4H-5.4Z",
    Colour.PINK: "M0 5.2C-7.4-.4-4.6-5.6-1.6-4.6-.6-4.2 0-3 0-3S.6-4.2 1.6-4.6C4.6-5.6 7.4-.4 0 5.2Z",
    Colour.BLUE: "M0-5.8 4.8 0 0 5.8-4.8 0Z",
}
CLOUD = "M-44 24C-58 24-60 4-44 2-46-18-24-24-14-14-6-32 22-30 24-12 40-18 52-4 46 6 58 10 56 24 44 24Z"
_LOBES = 9

STYLE = """\
.sea { fill: #aad3e3 }
.wave { fill: none; stroke: #e2f1f7; stroke-width: 2.2; stroke-linecap: round }
.shore { fill: #f3e3b4; stroke: #f3e3b4; stroke-width: 9; stroke-linejoin: round }
.here .shore { fill: #f0a63c; stroke: #f0a63c }
.land { fill: #b9cf8a }
.number { fill: #3c4a1e; font-size: 12.5px; font-weight: 700; text-anchor: middle }
.cloud { fill: #ffffff; stroke: #9db7c4; stroke-width: 2 }
.bag { fill: #16404f; font-weight: 700; text-anchor: middle }
.disc { stroke: #1b2125; stroke-width: 1.8 }
.sign { fill: #ffffff; stroke: #1b2125; stroke-width: 1; stroke-linejoin: round }
.yellow { fill: #f0b92d }
.blue { fill: #2f86c8 }
.green { fill: #2f9a62 }
.red { fill: #cf3f31 }
.pink { fill: #e58fc0 }
.seat { fill: none; stroke: #b9ab8c; stroke-width: 1.4 }
.coins { fill: #edb550 }
.count circle { fill: #1b2125; stroke: #ffffff; stroke-width: 1 }
.count text { fill: #ffffff; font-size: 10.5px; font-weight: 700; text-anchor: middle }
.wall { stroke-width: 1.8; stroke-linejoin: round; stroke: #3a4248 }
.black .wall { fill: #23292e; stroke: #101417 }
.white .wall { fill: #ffffff }
.grey .wall { fill: #99a1a8 }
.band { stroke: #3a4248; stroke-width: 2.4 }
.mother { fill: #e07b26; stroke: #7b3a08; stroke-width: 1.8 }
.tile circle { fill: #c3342b; stroke: #ffffff; stroke-width: 1.6 }
.tile path { stroke: #ffffff; stroke-width: 3.4 }
.part { fill: #f8f0e0 }"""


def student(colour: Colour) -> str:
    """A student: a disc with the sign of its colour."""
    return tag("g", tag("circle", class_=f"disc {_name(colour)}", r=10), tag("path", class_="sign", d=_SIGNS[colour]))


def _name(colour: Colour) -> str:
    return colour.name.lower()


def professor(colour: Colour, here: bool) -> str:
    """A professor, or the place of one who is elsewhere: a hexagon."""
    corners = [(12.5 * cos(pi / 3 * place - pi / 2), 12.5 * sin(pi / 3 * place - pi / 2)) for place in range(6)]
    outline = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"
    if not here:
        return tag("path", class_="seat", d=outline)
    disc = tag("path", class_=f"disc {_name(colour)}", d=outline)
    return tag("g", disc, tag("path", class_="sign", d=_SIGNS[colour]))


def seat(coin: bool) -> str:
    """An empty seat of a table; some give a coin in the expert game."""
    middle = (tag("circle", class_="coins", r=3.6),) if coin else ()
    return tag("g", tag("circle", class_="seat", r=8.6), *middle)


def count(many: int) -> str:
    """A number on a dark disc, for the corner of something that is there more than once."""
    return tag("g", tag("circle", r=7.4), text(str(many), 0, 3.9), class_="count")


def tower(colour: Tower) -> str:
    """A tower."""
    band = (tag("path", class_="band", d="M-6.6 3.5H6.6"),) if colour is Tower.GREY else ()
    wall = tag("path", class_="wall", d="M-10-13h5v4h3v-4h4v4h3v-4h5V-4l-3 4 2 13H-9L-7 0l-3-4Z")
    return tag("g", wall, *band, class_=colour.name.lower())


def mother_nature() -> str:
    """Mother Nature."""
    return tag(
        "path", class_="mother", d="M0-14C5-14 6-9 5-6 5 0 13 3 12 10Q11 15 0 15T-12 10C-13 3-5 0-5-6-6-9-5-14 0-14Z"
    )


def no_entry() -> str:
    """A no-entry tile."""
    return tag("g", tag("circle", r=10), tag("path", d="M-5.5 0H5.5"), class_="tile")


def heap(students: Students, per_row: int, gap: float = 25) -> Iterator[str]:
    """Students in rows: each colour once, with its number if there are several."""
    colours = [colour for colour in Colour if students[colour]]
    for place, colour in enumerate(colours):
        row, column = divmod(place, per_row)
        in_row = min(per_row, len(colours) - row * per_row)
        x, y = (column - (in_row - 1) / 2) * gap, row * 22.0
        yield at(x, y, student(colour))
        if students[colour] > 1:
            yield at(x + 8, y + 7, count(students[colour]))


def outline(island: int, radius: float) -> str:
    """A closed line, of another shape for each island, and the same one each time."""
    points = []
    for place in range(_LOBES):
        far = radius * (0.94 + 0.14 * ((island * 37 + place * place * 29) % 17) / 17)
        points.append((far * cos(2 * pi * place / _LOBES), far * sin(2 * pi * place / _LOBES)))
    curves = [_curve(points, place) for place in range(_LOBES)]
    return f"M{_pair(points[0])}{''.join(curves)}Z"


def _curve(points: Sequence[tuple[float, float]], place: int) -> str:
    """From one point to the next one, through the directions of their neighbours."""
    before, start, end, after = (points[(place + step) % len(points)] for step in (-1, 0, 1, 2))
    first = (start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6)
    second = (end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6)
    return f"C{_pair(first)} {_pair(second)} {_pair(end)}"


def _pair(point: tuple[float, float]) -> str:
    return f"{number(point[0])} {number(point[1])}"
