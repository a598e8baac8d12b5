"""
The picture of a match of Eriantys: the islands in a circle with the clouds in its middle; below them the characters and the
school boards.

Each colour has its own shape. A white tower is hollow, and a grey tower has a band.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import cos, hypot, pi, sin

from gamehost.games.base import Seat
from gamehost.games.drawing import GO, INK, Board, Scene, at, caption, number, page, tag, text
from gamehost.games.eriantys import events, rules

# Single pieces, each around (0, 0)


_SIGNS = {
    rules.Colour.GREEN: "M-4.2-4.2H4.2V4.2H-4.2Z",
    rules.Colour.RED: "M0-5.4 5.2-1.6 3.2 4.5H-3.2L-5.2-1.6Z",
    rules.Colour.YELLOW: "M0-5.6 5.4 4H-5.4Z",
    rules.Colour.PINK: "M0 5.2C-7.4-.4-4.6-5.6-1.6-4.6-.6-4.2 0-3 0-3S.6-4.2 1.6-4.6C4.6-5.6 7.4-.4 0 5.2Z",
    rules.Colour.BLUE: "M0-5.8 4.8 0 0 5.8-4.8 0Z",
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


def student(colour: rules.Colour) -> str:
    return tag("g", tag("circle", class_=f"disc {_name(colour)}", r=10), tag("path", class_="sign", d=_SIGNS[colour]))


def _name(colour: rules.Colour) -> str:
    return colour.name.lower()


def professor(colour: rules.Colour, here: bool) -> str:
    """Returns a professor as a hexagon, or the empty place of a professor."""
    # Six corners on a circle, the first one at the top.
    corners = [(12.5 * cos(pi / 3 * place - pi / 2), 12.5 * sin(pi / 3 * place - pi / 2)) for place in range(6)]
    outline = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"
    if not here:
        return tag("path", class_="seat", d=outline)
    disc = tag("path", class_=f"disc {_name(colour)}", d=outline)
    return tag("g", disc, tag("path", class_="sign", d=_SIGNS[colour]))


def seat(coin: bool) -> str:
    """Returns an empty seat at a table. In the expert game, some seats give a coin."""
    middle = (tag("circle", class_="coins", r=3.6),) if coin else ()
    return tag("g", tag("circle", class_="seat", r=8.6), *middle)


def count(many: int) -> str:
    """Returns a number on a dark disc, for the corner of a piece that stands for several pieces."""
    return tag("g", tag("circle", r=7.4), text(str(many), 0, 3.9), class_="count")


def tower(colour: rules.Tower) -> str:
    band = (tag("path", class_="band", d="M-6.6 3.5H6.6"),) if colour is rules.Tower.GREY else ()
    wall = tag("path", class_="wall", d="M-10-13h5v4h3v-4h4v4h3v-4h5V-4l-3 4 2 13H-9L-7 0l-3-4Z")
    return tag("g", wall, *band, class_=colour.name.lower())


def mother_nature() -> str:
    return tag(
        "path", class_="mother", d="M0-14C5-14 6-9 5-6 5 0 13 3 12 10Q11 15 0 15T-12 10C-13 3-5 0-5-6-6-9-5-14 0-14Z"
    )


def no_entry() -> str:
    return tag("g", tag("circle", r=10), tag("path", d="M-5.5 0H5.5"), class_="tile")


def heap(students: rules.Students, per_row: int, gap: float = 25) -> Iterator[str]:
    """Yields students in rows: each colour once, with its number if there are several."""
    colours = [colour for colour in rules.Colour if students[colour]]
    for place, colour in enumerate(colours):
        row, column = divmod(place, per_row)
        in_row = min(per_row, len(colours) - row * per_row)
        # Each row is in the middle, also a last row with fewer students.
        x, y = (column - (in_row - 1) / 2) * gap, row * 22.0
        yield at(x, y, student(colour))
        if students[colour] > 1:
            yield at(x + 8, y + 7, count(students[colour]))


def outline(island: int, radius: float) -> str:
    """Returns the coast of an island as a closed line. Each island has its own shape, which is always the same."""
    points = []
    for place in range(_LOBES):
        # The distance of a corner from the middle is 0.94 to 1.07 of the radius. The primes only mix the numbers.
        far = radius * (0.94 + 0.14 * ((island * 37 + place * place * 29) % 17) / 17)
        points.append((far * cos(2 * pi * place / _LOBES), far * sin(2 * pi * place / _LOBES)))
    curves = [_curve(points, place) for place in range(_LOBES)]
    return f"M{_pair(points[0])}{''.join(curves)}Z"


def _curve(points: Sequence[tuple[float, float]], place: int) -> str:
    """Returns a curve from one point to the next. Its directions at both ends follow from the points before and after."""
    before, start, end, after = (points[(place + step) % len(points)] for step in (-1, 0, 1, 2))
    first = (start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6)
    second = (end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6)
    return f"C{_pair(first)} {_pair(second)} {_pair(end)}"


def _pair(point: tuple[float, float]) -> str:
    return f"{number(point[0])} {number(point[1])}"


# The table


_WIDTH, _SEA = 700, 500
_RADII = (286, 186)
_ISLAND = 47
#: The distance between the islands of a group; 1 is the distance between separate islands.
_MERGED = 0.56
#: Sizes of a school board in pixels: its height, the height of its head, the height of a row; and for each of its four parts
#: the left edge and the width.
_SCHOOL, _HEAD, _ROW = 166, 34, 25
_PARTS = ((8, 118), (134, 330), (472, 44), (524, 168))
_CARD = 86

_STYLE = f"""{STYLE}
.school {{ fill: #fffdf8; stroke: #d9d2c3; stroke-width: 1.5 }}
.asked {{ stroke: {GO}; stroke-width: 3 }}"""


def picture(scene: Scene) -> str:
    """Draws the board, and below it a line about each turn."""
    situation: events.Situation = scene.view
    board = situation.board
    words = [caption(scene, situation.turn)]
    if board is None:
        below = [text("Nothing is dealt yet: the players choose teams and wizards.", 20, 40)]
        return page(
            scene,
            "Eriantys",
            _STYLE,
            board=Board(_WIDTH, 60, below),
            players=(),
            below=[", ".join(scene.names), *words],
            moves=(),
        )
    parts = [tag("rect", class_="sea", width=_WIDTH, height=_SEA, rx=12), *_waves(), *_islands(board), *_clouds(board)]
    y: float = _SEA + 12
    if board.cards:
        width = (_WIDTH - 12 * (len(board.cards) - 1)) / len(board.cards)
        for place, card in enumerate(board.cards):
            parts.append(at(place * (width + 12), y, *_character(card, width, board)))
        y += _CARD + 12
    for place, school in enumerate(board.schools):
        asked = scene.result is None and situation.turn == place
        parts.append(at(0, y, *_school(scene, Seat(place), school, board, asked)))
        y += _SCHOOL + 10
    return page(
        scene,
        "Eriantys",
        _STYLE,
        board=Board(_WIDTH, y - 10, parts),
        players=(),
        below=words,
        moves=list(_story(scene)),
    )


def _waves() -> Iterator[str]:
    """Yields the waves of the sea."""
    for place in range(26):
        # The factors spread the waves over the sea without a visible pattern.
        x, y = 12 + place * 137 % (_WIDTH - 44), 14 + place * 89 % (_SEA - 26)
        yield tag("path", class_="wave", d=f"M{x} {y}q6-6 12 0t12 0")


@cache
def _circle() -> list[tuple[float, float]]:
    """Returns points of the ellipse at equal distances along it, clockwise from its top: 60 for each island."""
    fine = []
    for step in range(3601):
        angle = 2 * pi * step / 3600 - pi / 2
        fine.append((_WIDTH / 2 + _RADII[0] * cos(angle), _SEA / 2 + _RADII[1] * sin(angle)))
    # The distance of each fine point from the first one, along the ellipse.
    far = [0.0]
    for (x, y), (x2, y2) in pairwise(fine):
        far.append(far[-1] + hypot(x2 - x, y2 - y))
    points, step = [], 0
    for place in range(60 * rules.ISLANDS):
        # The next fine point that is far enough along the ellipse.
        while far[step] < far[-1] * place / (60 * rules.ISLANDS):
            step += 1
        points.append(fine[step])
    return points


def _on_circle(place: float) -> tuple[float, float]:
    """Returns the point of the ellipse for this place; places count from 0 to 12, and may lie between two islands."""
    points = _circle()
    return points[round(place * 60) % len(points)]


def _lobes(island: rules.Island) -> tuple[tuple[float, float], list[tuple[int, tuple[float, float]]]]:
    """
    Returns the position of the middle of a group, and for each of its islands the number and the position. A group may
    contain the last and the first island of the circle, such as 11, 12 and 1.
    """
    members = island.members
    # The place of the first island of the group, clockwise: the island before it (12 before 1) is not in the group. If all
    # islands are in the group, it is the first one of the circle.
    first = next((one for one in members if (one - 2) % rules.ISLANDS + 1 not in members), 1) - 1
    # Places within the group, counted from its first island.
    places = [(member - 1 - first) % rules.ISLANDS for member in members]
    middle = first + (min(places) + max(places)) / 2
    # The islands of a group are nearer to its middle than separate islands would be.
    lobes = [
        (member, _on_circle(middle + (first + place - middle) * _MERGED))
        for member, place in zip(members, places, strict=True)
    ]
    return _on_circle(middle), lobes


def _islands(board: events.Board) -> Iterator[str]:
    """Yields the islands with the pieces on them."""
    for place, island in enumerate(board.islands, 1):
        (x, y), lobes = _lobes(island)
        here = board.mother_nature == place
        # All shores first, so that the land of merged islands has no shore between them.
        for kind in ("shore", "land"):
            shapes = [at(left, top, tag("path", class_=kind, d=outline(one, _ISLAND))) for one, (left, top) in lobes]
            yield tag("g", *shapes, class_="here" if here else "island")
        # A merged group has room for one more student in a row.
        yield at(x, y - 1, *heap(island.students, 4 if len(lobes) > 1 else 3))
        yield at(x, y - 26, *_buildings(island, here))
        yield text(str(place), x, y + _ISLAND - 4, "number")


def _buildings(island: rules.Island, here: bool) -> Iterator[str]:
    """Yields Mother Nature, towers and no-entry tiles on an island."""
    things = [(mother_nature(), 1)] if here else []
    if island.tower is not None:
        things.append((tower(island.tower), island.towers))
    if island.no_entry_tiles:
        things.append((no_entry(), island.no_entry_tiles))
    for place, (thing, many) in enumerate(things):
        # The things stand side by side, around the middle.
        x = (place - (len(things) - 1) / 2) * 26
        yield at(x, 0, thing)
        if many > 1:
            yield at(x + 9, 8, count(many))


def _clouds(board: events.Board) -> Iterator[str]:
    """Yields the clouds with their students."""
    middle = _WIDTH / 2
    for place, students in enumerate(board.clouds):
        # Side by side, around the middle of the sea.
        x = middle + (place - (len(board.clouds) - 1) / 2) * 108
        yield at(x, _SEA / 2 - 8, tag("path", class_="cloud", d=CLOUD), at(0, -6, *heap(students, 3)))
        yield text(str(place + 1), x, _SEA / 2 + 36, "number")
    yield text(f"round {board.round}, {board.bag} students in the bag", middle, _SEA / 2 + 62, "bag")


def _character(card: rules.Card, width: float, board: events.Board) -> Iterator[str]:
    """Yields a character card with the things on it."""
    yield tag("rect", class_="school", x=1, y=1, width=width - 2, height=_CARD - 2, rx=9)
    at_work = ", at work" if board.active_character is card.character else ""
    name = card.character.name.capitalize()
    yield text(
        f"{card.character.value} {name}: {card.cost} coin{'s' if card.cost > 1 else ''}{at_work}", 12, 24, "caption"
    )
    yield at(width / 2, 54, *heap(card.students, 5))
    for place in range(card.no_entry_tiles):
        yield at(width / 2 + (place - (card.no_entry_tiles - 1) / 2) * 25, 54, no_entry())


def _school(scene: Scene, owner: Seat, school: rules.School, board: events.Board, asked: bool) -> Iterator[str]:
    """Yields a player's school board."""
    kind = "school asked" if asked else "school"
    yield tag("rect", class_=kind, x=1, y=1, width=_WIDTH - 2, height=_SCHOOL - 2, rx=10)
    yield at(20, _HEAD / 2, tower(school.tower), scale=0.75)
    yield text(scene.names[owner], 38, _HEAD / 2 + 6, "name", fill=INK)
    notes = [f"team {school.tower.name.lower()}"]
    if school.played is not None:
        notes.append(f"played assistant {school.played}")
    if board.expert:
        notes.append(f"{school.coins} coin{'' if school.coins == 1 else 's'}")
    if scene.result is not None and owner in scene.result.winners:
        notes.append("won")
    yield text(", ".join(notes), _WIDTH - 14, _HEAD / 2 + 5, "soft end")
    height = 5 * _ROW + 2
    # Four parts from left to right: entrance, dining room, professors and towers.
    for left, width in _PARTS:
        yield tag("rect", class_="part", x=left, y=_HEAD, width=width, height=height - 1, rx=6)
    for colour in rules.Colour:
        yield at(0, _HEAD + _ROW * (colour + 0.5) + 1, *_row(owner, school, board, colour))
    for place in range(school.towers):
        row, column = divmod(place, 4)
        yield at(_PARTS[3][0] + 24 + 40 * column, _HEAD + 30 + 44 * row, tower(school.tower))


def _row(owner: Seat, school: rules.School, board: events.Board, colour: rules.Colour) -> Iterator[str]:
    """Yields the students of one colour on a school board: in the entrance and at the table; and the professor."""
    (entrance, _), (hall, _), (professors, width), _ = _PARTS
    many = school.entrance[colour]
    # More than four students do not fit: one is drawn, with the number.
    for place in range(many if many <= 4 else 1):
        yield at(entrance + 18 + 27 * place, 0, student(colour))
    if many > 4:
        yield at(entrance + 26, 7, count(many))
    for place in range(rules.TABLE_SEATS):
        taken = place < school.dining[colour]
        coin = board.expert and place + 1 in rules.COIN_SEATS
        yield at(hall + 21 + 32 * place, 0, student(colour) if taken else seat(coin))
    yield at(professors + width / 2, 0, professor(colour, board.professors[colour] == owner))


# The moves


def _story(scene: Scene) -> Iterator[str]:
    """Yields a line for each assistant and each turn, such as `ann: green to 3, red to hall, mother 2, cloud 1`."""
    board: events.Board | None = None
    mover: Seat | None = None
    done: list[str] = []
    for event in (event for turn in scene.turns for event in turn.events):
        match event:
            case events.PlayedAssistant(owner, assistant):
                yield f"{scene.names[owner]}: assistant {assistant}"
            case events.PlayedCharacter(_, character):
                done.append(character.name.lower())
            case events.StartOfTurn(_, owner):
                mover = owner
            case events.EndOfTurn(_, owner):
                # The board that follows shows which cloud the player has taken.
                mover = owner
            case events.Board():
                if board is not None and mover is not None:
                    done += _changes(board, event)
                    # A turn ends with a cloud.
                    if any("cloud" in words for words in done[-1:]):
                        yield f"{scene.names[mover]}: {', '.join(done)}"
                        done = []
                board = event
    # The last turn of a match may end without a cloud.
    if done and mover is not None:
        yield f"{scene.names[mover]}: {', '.join(done)}"


def _changes(old: events.Board, new: events.Board) -> Iterator[str]:
    """Yields the moves between two boards, in the words of the console: a student with its destination."""
    student = ""
    for action in events.answers_between(old, new):
        if isinstance(action, events.ChooseStudent):
            # A student is followed by its destination.
            student = f"{events.typed(action)} "
        else:
            yield student + events.typed(action)
            student = ""
