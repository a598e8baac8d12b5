"""The picture of a match of Onitama: the board with coordinates, the cards beside it, and a mark on the last move."""

from collections.abc import Iterator, Sequence

from gamehost.games.drawing import INK, SOFT, Board, PlayerLine, Scene, at, caption, number, numbered, page, tag, text
from gamehost.games.onitama.master import Exchanged, Moved, TakenBack
from gamehost.games.onitama.rules import SIDE, SQUARES, TEMPLE, VECTORS, Card, Position

#: Sizes in pixels: a square with its gap, the frame, and the column of numbers beside the board; then a card, and a cell of a
#: card.
_UNIT, _FRAME, _LEFT = 83, 7, 26
_BOARD = SIDE * _UNIT - 3 + 2 * _FRAME
_CARD, _CELL = 104, 12
#: The upper edges of the five cards: two of the upper player, the spare card, and two of the lower player.
_TOPS = (0, 80, 172, 276, 356)

_TORII = "M-36 -28Q0 -40 36 -28M-30 -18H30M-22 -18V32M22 -18V32M0 -31V-18"
_PUPIL = "M-28 38Q-28 -2 0 -4Q28 -2 28 38Z"
_MASTER = "M-33 38L-31 33Q-27 -2 0 -4Q27 -2 31 33L33 38Z"
_HAT = "M-32 -14Q0 -6 32 -14Q8 -24 0 -43Q-8 -24 -32 -14Z"

_STYLE = f"""\
.frame {{ fill: #b78f5b }}
.even {{ fill: #f3e6c8 }}
.odd {{ fill: #ead9b5 }}
.temple {{ fill: none; stroke: #b99a5a; stroke-width: 4.5; stroke-linecap: round }}
.white {{ fill: #fffaf0; stroke: #64543b; stroke-width: 3.5; stroke-linejoin: round }}
.black {{ fill: #2c3136; stroke: #0e1113; stroke-width: 3.5; stroke-linejoin: round }}
.white .hat {{ fill: #dba442 }}
.black .hat {{ fill: #b33437 }}
.way {{ stroke: {INK}; stroke-width: 4; stroke-dasharray: 1 8; stroke-linecap: round; fill: none }}
.no {{ fill: #efe8d9 }}
.here {{ fill: #3d454c }}
.leads {{ fill: #b8862b }}
.card {{ font-weight: 600; text-anchor: middle }}
.note {{ font-size: 12px; fill: {SOFT}; text-anchor: middle }}"""

_COLOURS = ("White", "Black")


def picture(scene: Scene) -> str:
    """Draws the position, with all moves below it."""
    position: Position = scene.view.position
    # The reader's side is at the bottom; White's for a watcher.
    below = scene.seat or 0
    made = _made(scene)
    # An exchange of a card has no squares to mark.
    last = next((event for event in reversed(made) if isinstance(event, Moved)), None)
    parts = [
        *_ground(below, last),
        *_pieces(position, below),
        *_cards(position, below),
    ]
    board = Board(_LEFT + _BOARD + 18 + _CARD, _BOARD + 24, parts)
    players = [
        PlayerLine(seat, INK, at(0, 0, *_piece("kK"[seat == 0]), scale=0.26), _COLOURS[seat])
        for seat in (1 - below, below)
    ]
    turn = None if scene.result is not None else position.turn
    return page(
        scene,
        "Onitama",
        _STYLE,
        board=board,
        players=players,
        below=[caption(scene, turn)],
        moves=numbered(map(_words, made)),
    )


def _made(scene: Scene) -> list[Moved | Exchanged]:
    """Returns the moves and exchanges of the match that were not taken back."""
    made: list[Moved | Exchanged] = []
    for event in (event for turn in scene.turns for event in turn.events):
        if isinstance(event, TakenBack):
            # Removes the moves that were taken back.
            del made[-event.moves :]
        elif isinstance(event, Moved | Exchanged):
            made.append(event)
    return made


def _words(event: Moved | Exchanged) -> str:
    return str(event.move) if isinstance(event, Moved) else f"{event.old} given for {event.new}"


def _place(square: int, below: int) -> tuple[float, float]:
    """
    Returns the middle of a square in the picture.

    :param below: the side at the bottom of the picture
    """
    # Row 0 of the picture is at the top.
    column, row = square % SIDE, SIDE - 1 - square // SIDE
    if below:
        # Black sees the board turned by 180 degrees.
        column, row = SIDE - 1 - column, SIDE - 1 - row
    return _LEFT + _FRAME + column * _UNIT + _UNIT / 2 - 1.5, _FRAME + row * _UNIT + _UNIT / 2 - 1.5


def _ground(below: int, last: Moved | None) -> Iterator[str]:
    """Yields the empty board: its squares, the marks of the last move, and the coordinates."""
    yield tag("rect", class_="frame", x=_LEFT, y=0, width=_BOARD, height=_BOARD, rx=10)
    marked = () if last is None else (last.move.start, last.move.end)
    for square in range(SIDE * SIDE):
        x, y = _place(square, below)
        size = {
            "x": x - _UNIT / 2 + 1.5,
            "y": y - _UNIT / 2 + 1.5,
            "width": _UNIT - 3.0,
            "height": _UNIT - 3.0,
            "rx": 5.0,
        }
        yield tag("rect", class_="odd" if square % 2 else "even", **size)
        if square in marked:
            yield tag("rect", class_="last", **size)
        if square in TEMPLE:
            yield at(x, y, tag("path", class_="temple", d=_TORII), scale=0.8)
    # The letters below the board, from the names of the first row; then the numbers at its left.
    for name in SQUARES[:SIDE]:
        yield text(name[0], _place(SQUARES.index(name), below)[0], _BOARD + 20, "axis")
    for name in SQUARES[::SIDE]:
        yield text(name[1], 10, _place(SQUARES.index(name), below)[1] + 5, "axis")
    if last is not None:
        (x, y), (x2, y2) = (_place(square, below) for square in marked)
        yield tag("path", class_="way", d=f"M{number(x)} {number(y)}L{number(x2)} {number(y2)}")


def _piece(piece: str) -> Sequence[str]:
    """Returns a piece around (0, 0). A master has a hat."""
    master = piece in "Kk"
    shapes = [tag("path", d=_MASTER if master else _PUPIL), tag("circle", cx=0, cy=-16, r=16)]
    if master:
        shapes.append(tag("path", class_="hat", d=_HAT))
    return [tag("g", *shapes, class_="white" if piece.isupper() else "black")]


def _pieces(position: Position, below: int) -> Iterator[str]:
    """All pieces, each with its name and square as a title."""
    for square, piece in enumerate(position.board):
        if piece != ".":
            x, y = _place(square, below)
            name = f"{'master' if piece in 'Kk' else 'pupil'} on {SQUARES[square]}"
            yield at(x, y, tag("title", name), *_piece(piece), scale=0.85)


def _cards(position: Position, below: int) -> Iterator[str]:
    """Yields the five cards. Each is drawn as its player uses it on this board."""
    x = _LEFT + _BOARD + 18
    # From the top: the other player's cards (turned: -1), the spare card, and the cards of the player at the bottom.
    shown = [(card, -1, "") for card in position.hands[1 - below]]
    shown.append((position.spare, 1, "next"))
    shown += [(card, 1, "") for card in position.hands[below]]
    for top, (card, way, note) in zip(_TOPS, shown, strict=True):
        yield at(x, top, *_card(card, way, note))


def _card(card: Card, way: int, note: str) -> Iterator[str]:
    """
    Yields the drawing of a card.

    :param way: 1 for a card of the player below; -1 for a card of the other player, which is turned
    """
    left = (_CARD - 5 * _CELL) / 2
    for row in range(5):
        for column in range(5):
            # The middle of the card is the square of the piece. `2 - row`: forward is up.
            vector = ((column - 2) * way, (2 - row) * way)
            kind = "here" if vector == (0, 0) else "leads" if vector in VECTORS[card] else "no"
            yield tag(
                "rect",
                class_=kind,
                x=left + column * _CELL + 1,
                y=row * _CELL + 1,
                width=_CELL - 2,
                height=_CELL - 2,
                rx=2,
            )
    yield text(card, _CARD / 2, 5 * _CELL + 13, "card")
    if note:
        yield text(note, _CARD / 2, 5 * _CELL + 28, "note")
