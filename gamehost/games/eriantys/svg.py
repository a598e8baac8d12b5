"""Eriantys as a picture: the islands in a circle with the clouds in its middle, and below them characters and school boards."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import cos, hypot, pi, sin

from gamehost.games.base import Seat
from gamehost.games.drawing import GO, INK, Board, Scene, at, caption, page, tag, text
from gamehost.games.eriantys import events
from gamehost.games.eriantys.pieces import COIN_SEATS, ISLANDS, TABLE_SEATS, Colour, Students
from gamehost.games.eriantys.position import Card, Island, School
from gamehost.games.eriantys.shapes import (
    CLOUD,
    STYLE,
    count,
    heap,
    mother_nature,
    no_entry,
    outline,
    professor,
    seat,
    student,
    tower,
)

_WIDTH, _SEA = 700, 500
_RADII = (286, 186)
_ISLAND = 47
#: How near the islands of a group are, in places of the circle.
_MERGED = 0.56
#: A school board: its height, its head, a row; the left edges of its four parts, and their widths.
_SCHOOL, _HEAD, _ROW = 166, 34, 25
_PARTS = ((8, 118), (134, 330), (472, 44), (524, 168))
_CARD = 86

_STYLE = f"""{STYLE}
.school {{ fill: #fffdf8; stroke: #d9d2c3; stroke-width: 1.5 }}
.asked {{ stroke: {GO}; stroke-width: 3 }}"""


def picture(scene: Scene) -> str:
    """The table; below it, what happened in each turn."""
    situation: events.Situation = scene.view
    board = situation.board
    words = [caption(scene, situation.turn)]
    if board is None:
        below = [text("Nothing is dealt yet: the players choose teams and wizards.", 20, 40)]
        return page(scene, "Eriantys", _STYLE, Board(_WIDTH, 60, below), (), [", ".join(scene.names), *words], ())
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
    return page(scene, "Eriantys", _STYLE, Board(_WIDTH, y - 10, parts), (), words, list(_story(scene)))


def _waves() -> Iterator[str]:
    for place in range(26):
        x, y = 12 + place * 137 % (_WIDTH - 44), 14 + place * 89 % (_SEA - 26)
        yield tag("path", class_="wave", d=f"M{x} {y}q6-6 12 0t12 0")


@cache
def _circle() -> list[tuple[float, float]]:
    """Points of the ellipse at equal distances along it, clockwise from its top, 60 for each place of an island."""
    fine = []
    for step in range(3601):
        angle = 2 * pi * step / 3600 - pi / 2
        fine.append((_WIDTH / 2 + _RADII[0] * cos(angle), _SEA / 2 + _RADII[1] * sin(angle)))
    far = [0.0]
    for (x, y), (x2, y2) in pairwise(fine):
        far.append(far[-1] + hypot(x2 - x, y2 - y))
    points, step = [], 0
    for place in range(60 * ISLANDS):
        while far[step] < far[-1] * place / (60 * ISLANDS):
            step += 1
        points.append(fine[step])
    return points


def _on_circle(place: float) -> tuple[float, float]:
    points = _circle()
    return points[round(place * 60) % len(points)]


def _lobes(island: Island) -> tuple[tuple[float, float], list[tuple[int, tuple[float, float]]]]:
    """The middle of a group, and the number and the place of each of its islands."""
    members = island.members
    first = next((one for one in members if (one - 2) % ISLANDS + 1 not in members), 1) - 1
    places = [(member - 1 - first) % ISLANDS for member in members]
    middle = first + (min(places) + max(places)) / 2
    lobes = [
        (member, _on_circle(middle + (first + place - middle) * _MERGED))
        for member, place in zip(members, places, strict=True)
    ]
    return _on_circle(middle), lobes


def _islands(board: events.Board) -> Iterator[str]:
    for place, island in enumerate(board.islands, 1):
        (x, y), lobes = _lobes(island)
        here = board.mother_nature == place
        for kind in ("shore", "land"):
            shapes = [at(left, top, tag("path", class_=kind, d=outline(one, _ISLAND))) for one, (left, top) in lobes]
            yield tag("g", *shapes, class_="here" if here else "island")
        yield at(x, y - 1, *heap(island.students, 4 if len(lobes) > 1 else 3))
        yield at(x, y - 26, *_buildings(island, here))
        yield text(str(place), x, y + _ISLAND - 4, "number")


def _buildings(island: Island, here: bool) -> Iterator[str]:
    """Mother Nature, towers and no-entry tiles, side by side."""
    things = [(mother_nature(), 1)] if here else []
    if island.tower is not None:
        things.append((tower(island.tower), island.towers))
    if island.no_entry_tiles:
        things.append((no_entry(), island.no_entry_tiles))
    for place, (thing, many) in enumerate(things):
        x = (place - (len(things) - 1) / 2) * 26
        yield at(x, 0, thing)
        if many > 1:
            yield at(x + 9, 8, count(many))


def _clouds(board: events.Board) -> Iterator[str]:
    middle = _WIDTH / 2
    for place, students in enumerate(board.clouds):
        x = middle + (place - (len(board.clouds) - 1) / 2) * 108
        yield at(x, _SEA / 2 - 8, tag("path", class_="cloud", d=CLOUD), at(0, -6, *heap(students, 3)))
        yield text(str(place + 1), x, _SEA / 2 + 36, "number")
    yield text(f"round {board.round}, {board.bag} students in the bag", middle, _SEA / 2 + 62, "bag")


def _character(card: Card, width: float, board: events.Board) -> Iterator[str]:
    yield tag("rect", class_="school", x=1, y=1, width=width - 2, height=_CARD - 2, rx=9)
    at_work = ", at work" if board.active_character is card.character else ""
    name = card.character.name.capitalize()
    yield text(
        f"{card.character.value} {name}: {card.cost} coin{'s' if card.cost > 1 else ''}{at_work}", 12, 24, "caption"
    )
    yield at(width / 2, 54, *heap(card.students, 5))
    for place in range(card.no_entry_tiles):
        yield at(width / 2 + (place - (card.no_entry_tiles - 1) / 2) * 25, 54, no_entry())


def _school(scene: Scene, owner: Seat, school: School, board: events.Board, asked: bool) -> Iterator[str]:
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
    for left, width in _PARTS:
        yield tag("rect", class_="part", x=left, y=_HEAD, width=width, height=height - 1, rx=6)
    for colour in Colour:
        yield at(0, _HEAD + _ROW * (colour + 0.5) + 1, *_row(owner, school, board, colour))
    for place in range(school.towers):
        row, column = divmod(place, 4)
        yield at(_PARTS[3][0] + 24 + 40 * column, _HEAD + 30 + 44 * row, tower(school.tower))


def _row(owner: Seat, school: School, board: events.Board, colour: Colour) -> Iterator[str]:
    """The students of a colour: in the entrance, at the table, and the professor."""
    (entrance, _), (hall, _), (professors, width), _ = _PARTS
    many = school.entrance[colour]
    for place in range(many if many <= 4 else 1):
        yield at(entrance + 18 + 27 * place, 0, student(colour))
    if many > 4:
        yield at(entrance + 26, 7, count(many))
    for place in range(TABLE_SEATS):
        taken = place < school.dining[colour]
        coin = board.expert and place + 1 in COIN_SEATS
        yield at(hall + 21 + 32 * place, 0, student(colour) if taken else seat(coin))
    yield at(professors + width / 2, 0, professor(colour, board.professors[colour] == owner))


# The moves


def _story(scene: Scene) -> Iterator[str]:
    """A line for each assistant and each turn, as in `ann: green to 3, red to hall, mother 2, cloud 1`."""
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
                # The students of the cloud are seen on the board that follows.
                mover = owner
            case events.Board():
                if board is not None and mover is not None:
                    done += _changes(board, event)
                    if any("cloud" in words for words in done[-1:]):
                        yield f"{scene.names[mover]}: {', '.join(done)}"
                        done = []
                board = event
    if done and mover is not None:
        yield f"{scene.names[mover]}: {', '.join(done)}"


def _changes(old: events.Board, new: events.Board) -> Iterator[str]:
    """What was moved between two boards, in the words that the console takes."""
    for before, after in zip(old.schools, new.schools, strict=True):
        gone = _differences(before.entrance, after.entrance)
        if list(gone.values()) != [-1]:
            continue
        [colour] = gone
        if _differences(before.dining, after.dining) == {colour: 1}:
            yield f"{colour.name.lower()} to hall"
        if len(old.islands) == len(new.islands):
            for place, (one, other) in enumerate(zip(old.islands, new.islands, strict=True), 1):
                if _differences(one.students, other.students) == {colour: 1}:
                    yield f"{colour.name.lower()} to {place}"
    if len(old.islands) == len(new.islands) and old.mother_nature != new.mother_nature:
        yield f"mother {(new.mother_nature - old.mother_nature) % len(new.islands)}"
    if old.round == new.round:
        for place, (full, rest) in enumerate(zip(old.clouds, new.clouds, strict=True), 1):
            if any(full) and not any(rest):
                yield f"cloud {place}"


def _differences(before: Students, after: Students) -> dict[Colour, int]:
    return {colour: after[colour] - before[colour] for colour in Colour if after[colour] != before[colour]}
