"""
The screen of Stratego in a terminal. A move is typed as two squares: `b4 b5`. A whole set-up is typed in one line: `setup
random`, `setup classic` or `setup ROWS`. Pieces can also be placed one by one.

A screen contains only information that its seat has received. So two matches that differ only in hidden pieces look the same.

Rows are typed as their player sees them: the front row first, and each row from left to right. The game's notation has rows and
columns in ascending order. So for one side the order of the rows is reversed, and for the other side the order of the pieces in
each row.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gamehost.games.base import Chance, Seat, SystemChance, shuffled
from gamehost.games.screen import MoveRefused, Screen, Style, abridged, cut, listed, padded
from gamehost.games.stratego import messages as m
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import SIDES, STRATEGO, position_of
from gamehost.games.stratego.player import LIBRARY, set_up
from gamehost.players.base import SeededChance

#: A good set-up: the rows from the last one to the front, each from left to right as its player sees it.
CLASSIC: Sequence[str] = LIBRARY[0]

_DEPTH = 4
_PIECES = _DEPTH * rules.WIDTH
_PLACE = re.compile(r"(?:PLACE\s+)?([1-9SFB])[\s@]+([A-J](?:10|[1-9]))", re.ASCII)
_REST = "To have the rest placed, type"
_ADVICE = "Type setup random, setup classic, or setup and four rows of ten pieces, the front row first"


def home_squares(seat: Seat) -> range:
    """Returns the numbers of the forty squares on which a side places its pieces."""
    first = rules.HOME[seat] * rules.WIDTH
    return range(first, first + _PIECES)


def still_to_place(view: m.View) -> Counter[str]:
    """Returns how many pieces of each kind are not placed yet."""
    left = Counter({kind.id: kind.count for kind in rules.KINDS.values()})
    left.subtract(square for square in view.squares if square in rules.KINDS)
    return left


def listed_set_ups(view: m.View, seat: Seat) -> Iterator[str]:
    """Yields the commands that can be typed during the set-up."""
    left = still_to_place(view)
    if left.total() == _PIECES:
        yield "setup random"
        yield "setup classic"
    elif left.total():
        yield "setup random"
    else:
        yield "ready"
    # Then placements on the first empty square: one for each kind that is left.
    for square in home_squares(seat) if left.total() else ():
        if view.squares[square] == ".":
            name = f"{'abcdefghij'[square % rules.WIDTH]}{square // rules.WIDTH + 1}"
            yield from (f"place {kind.lower()} {name}" for kind in rules.KINDS if left[kind])
            return


def read_set_up(text: str, view: m.View, seat: Seat, chance: Chance) -> Sequence[rules.Action]:
    """
    Reads a line that was typed during the set-up. If some pieces are placed already, `setup random` places the others.

    :param chance: for a random set-up
    :raises MoveRefused: the line is not a set-up, or does not have the forty pieces of a side
    """
    word, _, rest = text.strip().upper().partition(" ")
    rest = rest.strip()
    placed = _PIECES - still_to_place(view).total()
    if word == "READY" and not rest:
        if placed < _PIECES:
            advice = f"{_REST}: setup random." if placed else f"{_ADVICE}."
            raise MoveRefused(f"{_PIECES - placed} of your {_PIECES} pieces are not placed yet. {advice}")
        return [rules.Ready()]
    if found := _PLACE.fullmatch(text.strip().upper()):
        return [_place(found[1], found[2], view, seat)]
    if word not in ("SETUP", "SET-UP"):
        raise MoveRefused(f"Place your pieces first. {_ADVICE}.")
    if placed and not view.ready[seat]:
        # Pieces were placed one by one: a whole set-up is no longer possible.
        if rest == "RANDOM":
            return [*_rest_placed(view, seat, chance), rules.Ready()]
        raise MoveRefused(f"The pieces that you placed one by one stay. {_REST}: setup random.")
    if rest == "RANDOM":
        # `set_up` needs a generator of its own, so a random number is its seed.
        return [rules.PlaceRows(set_up(seat, SeededChance(chance.below(2**64))))]
    # `_turned` expects the row nearest to the enemy first. Players type it first, but in `CLASSIC` it is the last one.
    return [rules.PlaceRows(_turned(CLASSIC[::-1] if rest == "CLASSIC" else _rows(rest), seat))]


def _rest_placed(view: m.View, seat: Seat, chance: Chance) -> Iterator[rules.Place]:
    """Returns placements of the remaining pieces in random order, one for each empty square."""
    kinds = shuffled(list(still_to_place(view).elements()), chance)
    squares = (square for square in home_squares(seat) if view.squares[square] == ".")
    return (
        rules.Place(kind, square % rules.WIDTH, square // rules.WIDTH)
        for kind, square in zip(kinds, squares, strict=True)
    )


def _turned(rows: Sequence[str], seat: Seat) -> tuple[str, ...]:
    """
    Returns rows in the order of the game's notation.

    :param rows: the rows as the player sees them, the front row first
    """
    return tuple(rows[::-1]) if seat == 0 else tuple(row[::-1] for row in rows)


def _rows(text: str) -> list[str]:
    """
    Reads the four rows of a set-up.

    :raises MoveRefused: the text does not have the forty pieces of a side
    """
    pieces = re.sub(r"[\s/,]+", "", text)
    if len(pieces) != _PIECES or not set(pieces) <= rules.KINDS.keys():
        # The number is shown only if all characters are pieces.
        known = len(pieces) if set(pieces) <= rules.KINDS.keys() else None
        counted = "" if known in (None, 0) else f" You typed {known} pieces."
        raise MoveRefused(f"{_ADVICE}. The pieces are {' '.join(rules.KINDS)}.{counted}")
    counts = Counter(pieces)
    wrong = [
        f"{counts[kind.id]} of {kind.id} ({kind.name}), not {kind.count}"
        for kind in rules.KINDS.values()
        if counts[kind.id] != kind.count
    ]
    if wrong:
        raise MoveRefused(f"A side has forty pieces of fixed kinds. You typed {listed(wrong)}.")
    return [pieces[start : start + rules.WIDTH] for start in range(0, _PIECES, rules.WIDTH)]


def _place(piece: str, name: str, view: m.View, seat: Seat) -> rules.Place:
    """
    Returns the placement of a single piece.

    :raises MoveRefused: it is not possible
    """
    square, squares = rules.SQUARE_NAMED[name], home_squares(seat)
    left = still_to_place(view)
    if view.ready[seat]:
        raise MoveRefused("You are ready, so single pieces can no longer be placed.")
    if square not in squares:
        raise MoveRefused(
            f"Your pieces are placed on rows {squares[0] // rules.WIDTH + 1} to {squares[-1] // rules.WIDTH + 1}."
        )
    if view.squares[square] != ".":
        raise MoveRefused(f"One of your pieces is already on {name.lower()}.")
    if not left[piece]:
        kinds = [f"{kind.id} ({kind.name})" for kind in rules.KINDS.values() if left[kind.id]]
        raise MoveRefused(f"No {rules.KINDS[piece].name} is left. Still to place: {listed(kinds)}.")
    return rules.Place(piece, square % rules.WIDTH, square // rules.WIDTH)


_NAMES = {number: name.lower() for name, number in rules.SQUARE_NAMED.items()}
_COLUMNS = "abcdefghij"
#: The marks of a board: hidden pieces, empty squares and lakes. Own pieces are shown by their kinds.
_HIDDEN, _EMPTY, _LAKE = "#", ".", "~"
_NAME, _ENTRY = 20, 17
_OWN, _OTHER, _WATER = "1;32", "1;31", "34"


class StrategoScreen(Screen[m.View]):
    """The screen of Stratego: shows a match in a terminal, and reads the typed moves. See `Screen`."""

    game, messages = STRATEGO, m.MESSAGES

    def __init__(self, seat: int | None, names: Sequence[str], chance: Chance | None = None) -> None:
        super().__init__(seat, names)
        self._chance = chance or SystemChance()

    def told(self, message: Any, before: Any) -> list[str]:
        """The sentences for an event of the match."""
        match message:
            case m.OpenedEvent():
                return ["The set-up begins. Both players place their pieces, and neither sees the other's."]
            case m.PlacedEvent(piece, square):
                return [f"You placed a {rules.KINDS[piece].name} on {square.lower()}."]
            case m.PlacedAllEvent():
                return ["Your forty pieces stand."]
            case m.ReadyEvent(seat):
                return [f"{self.subject(seat)} {'are' if seat == self.seat else 'is'} ready."]
            case m.PlayingEvent():
                return ["Both sides are ready."]
            case m.MovedEvent(seat, start, end):
                return [f"{self.subject(seat)} moved {start.lower()} {end.lower()}."]
            case m.FoughtEvent():
                return [self._fight(message)]
        return []

    def _fight(self, event: m.FoughtEvent) -> str:
        """Returns the sentence about a battle."""
        attacker, defender = (
            # The numbers of ranks are shown, too.
            f"{rules.KINDS[kind].name} ({kind})" if kind.isdigit() else rules.KINDS[kind].name
            for kind in (event.attacker, event.defender)
        )
        # `None`: neither piece has survived.
        left = {"attacker": event.attacker, "defender": event.defender}.get(event.winner or "")
        outcome = "Both are lost" if left is None else f"The {rules.KINDS[left].name} wins"
        return (
            f"{self.subject(event.seat)} attacked {event.end.lower()} from {event.start.lower()}:"
            f" {attacker} against {defender}. {outcome}."
        )

    @property
    def turn(self) -> bool:
        """Whether this seat has to act now."""
        if self.known is None or (seat := self.seat) is None:
            return False
        view = self._view
        return not view.ready[seat] if view.phase == rules.Phase.SETUP.value else view.turn == seat

    def prompt(self) -> str:
        """The line that says what to type now, or for whom the match waits."""
        view = self._view
        if view.phase == rules.Phase.SETUP.value:
            if self.turn:
                return f"Place your pieces. Type: {self.moves(1)[0]}."
            # The own side is ready.
            waiting = [self.names[seat] for seat, ready in enumerate(view.ready) if not ready and seat != self.seat]
            return f"Waiting for the pieces of {listed(waiting)}."
        if view.turn is None:
            return "The match is over."
        return f"Type a move: {self.moves(1)[0]}." if self.turn else f"{self.names[view.turn]} is to move."

    def moves(self, most: int) -> list[str]:
        """
        Returns what can be typed now: commands of the set-up, or moves; none if it is not this seat's turn. See
        `Screen.moves`.
        """
        if (seat := self.seat) is None or not self.turn:
            return []
        view = self._view
        if view.phase == rules.Phase.SETUP.value:
            return abridged(listed_set_ups(view, seat), most)
        return abridged(
            (f"{_NAMES[source]} {_NAMES[target]}" for source, target in self._position(seat).legal_moves()), most
        )

    def _position(self, seat: Seat) -> rules.Position:
        """Returns the position for the rules of moves, which do not depend on the kinds of the enemy."""
        return position_of(self.known, seat)

    def read(self, text: str) -> list[bytes]:
        """Reads two squares, or during the set-up a line for `read_set_up`."""
        seat = self.seat
        # Also `b4-b5` and `b4,b5`.
        words = text.lower().replace("-", " ").replace(",", " ").split()
        if self.known is None or seat is None:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        view = self._view
        if view.phase == rules.Phase.SETUP.value:
            return [rules.write(action) for action in read_set_up(text, view, seat, self._chance)]
        if words[:1] in (["setup"], ["place"], ["ready"]):
            raise MoveRefused(f"Play has begun, so pieces can no longer be placed. {self.prompt_line()}")
        if view.turn != seat:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        squares = [rules.SQUARE_NAMED[word.upper()] for word in _squares(words)]
        if len(squares) != 2:
            raise MoveRefused(f"That is not a move of Stratego. {self.prompt_line()}")
        source, target = squares
        self._check(seat, source, target)
        return [
            rules.write(
                rules.Move(source % rules.WIDTH, source // rules.WIDTH, target % rules.WIDTH, target // rules.WIDTH)
            )
        ]

    def _check(self, seat: Seat, source: int, target: int) -> None:
        """
        Checks a typed move.

        :raises MoveRefused: the move is illegal; the message says which moves are possible
        """
        position = self._position(seat)
        objection = position.objection(source, target)
        if objection is None:
            return
        legal = list(position.legal_moves())
        able = [_NAMES[end] for start, end in legal if start == source]
        if able:
            # The piece can move, but not there.
            advice = f"From {_NAMES[source]} it can go to {listed(able, 'or')}."
        else:
            movers = sorted({_NAMES[start] for start, _ in legal})
            advice = f"The pieces that can move are on {listed(movers)}."
        raise MoveRefused(f"{_NAMES[source]} {_NAMES[target]}: {objection}. {advice}")

    def sentences(self) -> Iterator[str]:
        """The position in sentences, for readers that cannot see the drawing."""
        view = self._view
        for seat in (0, 1):
            yield self._state(view, seat)
        # Mark -> the squares of all pieces with this mark.
        places: dict[str, list[str]] = {}
        for number, square in enumerate(self._squares()):
            if square not in (_EMPTY, _LAKE):
                places.setdefault(square, []).append(_NAMES[number])
        for square, numbers in sorted(places.items()):
            yield f"{self._owner(square)}: {listed(numbers)}."
        yield "Lakes: c5, d5, c6, d6, g5, h5, g6 and h6."

    def _owner(self, square: str) -> str:
        """Returns the subject of a sentence about pieces with this mark."""
        if square in rules.KINDS:
            return f"Your {rules.KINDS[square].name}"
        if len(square) > 1:
            # After the end: a side and a kind.
            return f"{self.names[SIDES.index(square[0])]}'s {rules.KINDS[square[1]].name}"
        return f"Pieces of {self.names[1 - (self.seat or 0)] if square == _HIDDEN else self.names[SIDES.index(square)]}"

    def _state(self, view: m.View, seat: int) -> str:
        """Returns a sentence about a side: its number of pieces, or whether it is ready."""
        if view.phase != rules.Phase.SETUP.value:
            return f"{self.subject(seat)}: {self._count(view, seat)} pieces."
        if not view.ready[seat]:
            return f"{self.subject(seat)}: still to place pieces."
        return f"{self.subject(seat)}: {'are' if seat == self.seat else 'is'} ready."

    def _count(self, view: m.View, seat: int) -> int:
        """Returns the number of pieces of a side."""
        if self.seat is None:
            return view.squares.count(SIDES[seat])
        if seat != self.seat:
            return view.squares.count(_HIDDEN)
        return sum(square in rules.KINDS for square in view.squares)

    def _squares(self) -> Sequence[str]:
        """
        Returns the marks of the board. When the match is over and all pieces may be shown, a piece has two characters, such as
        `r5`: its side and its kind.
        """
        squares = list(self._view.squares)
        for side, known in zip(SIDES, self.revealed, strict=False):
            # Each view shows the kinds of its own side.
            own = enumerate(m.MESSAGES.view(known).squares)
            squares = [side + kind if kind in rules.KINDS else squares[number] for number, kind in own]
        return squares

    def drawing(self, style: Style) -> Iterable[str]:
        """The board as lines of text, with notes at the right."""
        view, squares = self._view, self._squares()
        below = self.seat or 0
        notes = self._notes(view, below, style)
        lines = []
        for line in range(rules.WIDTH):
            # The own side is at the bottom; the first player's for a watcher.
            y = line if below else rules.WIDTH - 1 - line
            row = " ".join(self._square(squares[y * rules.WIDTH + x], style) for x in _across(below))
            lines.append(f" {y + 1:>2} {row}   {notes.get(line, '')}")
        lines.append("     " + "  ".join(_COLUMNS[x] for x in _across(below)))
        return lines

    def _notes(self, view: m.View, below: int, style: Style) -> Mapping[int, str]:
        """Returns the notes beside the board: line of the drawing -> text."""
        notes = {0: self._player(view, 1 - below, style), 9: self._player(view, below, style)}
        if self.seat is None:
            # A watcher sees no kinds, so the notes say which mark is which player's.
            notes[4] = f"{SIDES[0]}: {cut(style.plain(self.names[0]), _NAME)}"
            notes[5] = f"{SIDES[1]}: {cut(style.plain(self.names[1]), _NAME)}"
            return notes
        placing = view.phase == rules.Phase.SETUP.value and not view.ready[self.seat]
        counts = still_to_place(view) if placing else Counter(view.squares)
        entries = [f"{kind.id} {kind.name:<10} {counts[kind.id]}" for kind in rules.KINDS.values()]
        notes[2] = "to place:" if placing else "your pieces:"
        for row in range(len(entries) // 2):
            # Two kinds in each line.
            notes[3 + row] = padded(entries[row], _ENTRY) + entries[row + len(entries) // 2]
        return notes

    def _player(self, view: m.View, seat: int, style: Style) -> str:
        """Returns the note about a player."""
        name = cut(style.plain(self.who(seat)), _NAME)
        if view.phase == rules.Phase.SETUP.value:
            return f"{name}: {'ready' if view.ready[seat] else 'not ready'}"
        return f"{name}: {self._count(view, seat)} pieces"

    def _square(self, square: str, style: Style) -> str:
        """Returns the two characters of a square."""
        if square == _EMPTY:
            return style.pick(" ·", " .")
        if square == _LAKE:
            return " " + style.paint(style.pick("≈", "~"), _WATER)
        # A piece with its side has two characters: see `_squares`.
        own = square in rules.KINDS or square[0] == SIDES[0]
        return " " * (2 - len(square)) + style.paint(square, _OWN if own else _OTHER)


def _across(below: int) -> Iterable[int]:
    """Returns the columns from left to right. The second player sees the board turned."""
    return reversed(range(rules.WIDTH)) if below else range(rules.WIDTH)


def _squares(words: Iterable[str]) -> list[str]:
    """Returns the typed squares, with or without spaces between them; empty if there is another word."""
    found = []
    for word in words:
        while word and word != "to":
            # A name has three characters (`a10`) or two (`a1`).
            square = next((word[:size] for size in (3, 2) if word[:size].upper() in rules.SQUARE_NAMED), None)
            if square is None:
                return []
            found.append(square)
            word = word[len(square) :]
    return found


SCREEN = StrategoScreen
