"""
The picture of a match of Stratego: the pieces that its reader may see, and all pieces when the match is over.

The sides differ in shape, too: pieces of the first player have battlements, and those of the second have a round top. A piece
of a hidden kind shows its back.
"""

from collections.abc import Iterator, Mapping, Sequence

from gamehost.games.drawing import LAST, Board, PlayerLine, Scene, at, caption, numbered, page, tag, text
from gamehost.games.stratego.rules import KINDS, WIDTH, Fought, Moved, Phase, Situation, square_name

_CELL, _LEFT, _FRAME = 60, 34, 6
_SIZE = _CELL * WIDTH

_SHAPES = (
    "M-23 23V-17q0-4 4-4h5v4h8v-4h12v4h8v-4h5q4 0 4 4V23q0 3-3 3H-20q-3 0-3-3Z",
    "M-23 23V-8C-22-18-12-21 0-21S22-18 23-8V23q0 3-3 3H-20q-3 0-3-3Z",
)
_STAR = "M0-5 1.3-1.7 4.8-1.5 2.1.7 3 4.1 0 2.2-3 4.1-2.1.7-4.8-1.5-1.3-1.7Z"
_INKS = ("#a8341d", "#1d5a94")

_STYLE = f"""\
.frame {{ fill: #b58f5b }}
.field {{ fill: #dfe0b2 }}
.lines {{ fill: none; stroke: #c3c58f; stroke-width: 1.2 }}
.lake {{ fill: #8fbfdb }}
.wave {{ fill: none; stroke: #eef6fb; stroke-width: 3.4; stroke-linecap: round }}
.shade {{ fill: #000000; fill-opacity: 0.25 }}
.side0 .body {{ fill: #c0432b; stroke: #7c2413; stroke-width: 2 }}
.side1 .body {{ fill: #2368a8; stroke: #123f6b; stroke-width: 2 }}
.rank {{ fill: #ffffff; font-size: 29px; font-weight: 700; text-anchor: middle }}
.mark {{ fill: #fdf3e0 }}
.line {{ fill: none; stroke: #fdf3e0; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round }}
.side0 .hole {{ fill: #a03520 }}
.side1 .hole {{ fill: #17518a }}
.side0 .back {{ fill: none; stroke: #f0a08d; stroke-width: 2.6; stroke-linecap: round }}
.side1 .back {{ fill: none; stroke: #7fb4e2; stroke-width: 2.6; stroke-linecap: round }}
.trace {{ fill: none; stroke: {LAST}; stroke-width: 5; stroke-linecap: round }}"""


def picture(scene: Scene) -> str:
    """Draws the board with a mark on the last move. Below it are the last battle and all moves."""
    situation: Situation = scene.view
    # The reader's side is at the bottom; the first player's for a watcher.
    below = scene.seat or 0
    events = [event for turn in scene.turns for event in turn.events if isinstance(event, Moved | Fought)]
    last = events[-1] if events else None
    parts = [*_ground(below), *_last(last, below), *_pieces(scene, below)]
    board = Board(_LEFT + _SIZE + 2 * _FRAME, _SIZE + 2 * _FRAME + 26, parts)
    players = [
        PlayerLine(seat, _INKS[seat], at(0, 0, _block(seat, ""), scale=0.42), _role(seat))
        for seat in (1 - below, below)
    ]
    # During the set-up no seat is to move, so the caption is empty.
    words = [caption(scene, situation.turn) or _waiting(scene, situation)]
    if isinstance(last, Fought):
        words.append(f"The last move was a fight: {_fight(last)}.")
    return page(
        scene, "Stratego", _STYLE, board=board, players=players, below=words, moves=numbered(map(_words, events))
    )


def _role(seat: int) -> str:
    """Returns the rows of a side, and whether it moves first."""
    return f"rows {'7 to 10' if seat else '1 to 4'}, moved {'second' if seat else 'first'}"


def _waiting(scene: Scene, situation: Situation) -> str:
    """Returns a sentence about the players that still place pieces."""
    missing = [scene.names[seat] for seat, ready in enumerate(situation.ready) if not ready]
    return f"{' and '.join(missing)} still placing pieces." if situation.phase is Phase.SETUP else ""


def _words(event: Moved | Fought) -> str:
    """Returns a move for the list of moves, with its battle."""
    move = event.move
    start, end = square_name(move.x, move.y), square_name(move.to_x, move.to_y)
    if isinstance(event, Moved):
        return f"{start}-{end}"
    sign = {"attacker": "wins", "defender": "loses", "tie": "both lost"}[event.winner]
    return f"{start}-{end} {event.attacker}:{event.defender} {sign}"


def _fight(event: Fought) -> str:
    """Returns a battle in words."""
    outcome = {
        "attacker": f"the {KINDS[event.attacker].name} won",
        "defender": f"the {KINDS[event.defender].name} won",
        "tie": "both are gone",
    }[event.winner]
    return f"{KINDS[event.attacker].name} against {KINDS[event.defender].name}, {outcome}"


def _place(x: int, y: int, below: int) -> tuple[float, float]:
    """
    Returns the middle of a square in the picture.

    :param below: the side at the bottom of the picture
    """
    column, row = (WIDTH - 1 - x, y) if below else (x, WIDTH - 1 - y)
    return _LEFT + _FRAME + (column + 0.5) * _CELL, _FRAME + (row + 0.5) * _CELL


def _ground(below: int) -> Iterator[str]:
    """Yields the empty board: squares, lakes, and coordinates."""
    left, top = _LEFT + _FRAME, _FRAME
    yield tag("rect", class_="frame", x=_LEFT, y=0, width=_SIZE + 2 * _FRAME, height=_SIZE + 2 * _FRAME, rx=9)
    yield tag("rect", class_="field", x=left, y=top, width=_SIZE, height=_SIZE, rx=3)
    lines = "".join(
        f"M{left + place * _CELL} {top}v{_SIZE}M{left} {top + place * _CELL}h{_SIZE}" for place in range(1, WIDTH)
    )
    yield tag("path", class_="lines", d=lines)
    # The lakes are in the middle, so a turned board looks the same.
    for column in (2, 6):
        yield at(left + column * _CELL, top + 4 * _CELL, *_lake())
    for number in range(WIDTH):
        yield text("ABCDEFGHIJ"[number], _place(number, 0, below)[0], _SIZE + 2 * _FRAME + 20, "axis")
        yield text(str(number + 1), 14, _place(0, number, below)[1] + 5, "axis")


def _lake() -> Iterator[str]:
    """Yields a lake of two by two squares, with its waves."""
    side = 2 * _CELL
    yield tag("rect", class_="lake", x=9, y=9, width=side - 18, height=side - 18, rx=26)
    for x, y in ((32, 46), (44, 70), (26, 94)):
        yield tag("path", class_="wave", d=f"M{x} {y}q11-9 22 0t22 0")


def _last(last: Moved | Fought | None, below: int) -> Iterator[str]:
    """Yields marks on both squares of the last move, and a line between them."""
    if last is None:
        return
    move = last.move
    (x, y), (x2, y2) = _place(move.x, move.y, below), _place(move.to_x, move.to_y, below)
    for left, top in ((x, y), (x2, y2)):
        yield tag("rect", class_="last", x=left - 28, y=top - 28, width=56, height=56, rx=6)
    yield tag("path", class_="trace", d=f"M{x:g} {y:g}L{x2:g} {y2:g}")


def _pieces(scene: Scene, below: int) -> Iterator[str]:
    """Yields the pieces on their squares."""
    for square, (seat, kind) in sorted(_known(scene).items()):
        x, y = _place(square % WIDTH, square // WIDTH, below)
        name = KINDS[kind].name if kind else "hidden piece"
        title = tag("title", f"{name} on {square_name(square % WIDTH, square // WIDTH)}")
        yield at(x, y, title, _block(seat, kind))


def _known(scene: Scene) -> Mapping[int, tuple[int, str]]:
    """Returns for each square with a piece its owner and its kind; an empty kind: the reader may not know it."""
    known: dict[int, tuple[int, str]] = {}
    # When the match is over, the views of both seats show all pieces.
    for situation in scene.views or [scene.view]:
        own = situation.seat
        for square, sign in enumerate(situation.squares):
            if sign in KINDS and own is not None:
                # The kind in the owner's view replaces an entry without a kind. `setdefault` never replaces one.
                known[square] = (own, sign)
            elif sign in "rb":
                known.setdefault(square, ("rb".index(sign), ""))
            elif sign == "#" and own is not None:
                known.setdefault(square, (1 - own, ""))
    return known


def _block(seat: int, kind: str) -> str:
    """Returns a piece around (0, 0)."""
    return tag(
        "g",
        tag("ellipse", class_="shade", cx=0, cy=26, rx=23, ry=3),
        tag("path", class_="body", d=_SHAPES[seat]),
        *_front(kind),
        class_=f"side{seat}",
    )


def _front(kind: str) -> Iterator[str]:
    """Yields the front of a piece: its number and emblem, or a figure. If its kind is hidden, yields chevrons."""
    match kind:
        case "":
            yield from (tag("path", class_="back", d=f"M-12 {y + 7}Q0 {y - 9} 12 {y + 7}") for y in (-8, 0, 8))
        case "S":
            yield tag("path", class_="mark", d="M-15 2Q0-12 15 2 0 16-15 2Z")
            yield tag("circle", class_="hole", cx=0, cy=2, r=5.6)
            yield tag("circle", class_="mark", cx=0, cy=2, r=2.4)
        case "F":
            yield tag("path", class_="line", d="M-11 21V-15")
            yield tag("path", class_="mark", d="M-9-14Q-2-19 4-14T15-14V2Q9 6 4 2T-9 3Z")
        case "B":
            yield tag("circle", class_="mark", cx=-2, cy=6, r=12)
            yield tag("path", class_="line", d="M3-5 6-10Q9-16 15-12")
            yield tag("rect", class_="mark", x=-1, y=-9, width=9, height=6, transform="rotate(28 3 -6)")
        case _:
            yield text(kind, 0, 7, "rank")
            yield from _emblem(int(kind))


def _emblem(rank: int) -> Sequence[str]:
    """Returns the emblem of a rank: stars, bars, or a tool."""
    if rank <= 4:
        # Four stars for the marshal (1), one for the major (4).
        return [at((place - (4 - rank) / 2) * 9, 17, tag("path", class_="mark", d=_STAR)) for place in range(5 - rank)]
    if rank <= 6:
        # Three bars for the captain (5), two for the lieutenant (6).
        count = 8 - rank
        middles = [(place - (count - 1) / 2) * 8 for place in range(count)]
        return [tag("rect", class_="mark", x=middle - 2.5, y=13, width=5, height=9) for middle in middles]
    tools = {7: "M-9 20 0 14 9 20", 8: "M-10 16Q0 10 10 16M0 13V23", 9: "M-9 21 3 15M5 14 9 12"}
    return [tag("path", class_="line", d=tools[rank])]
