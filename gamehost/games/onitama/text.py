"""The screen of Onitama in a terminal. A move is typed as a card and two squares: `ox c1 c2`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.games.onitama import rules
from gamehost.games.onitama.master import ONITAMA, Action, Situation
from gamehost.games.onitama.messages import MESSAGES, ExchangedEvent, MovedEvent, TakenBackEvent, View
from gamehost.games.screen import MoveRefused, Screen, Style, abridged, cut, listed, padded

_COLOURS = ("White", "Black")
_PIECES = ("KP", "kp")
_KINDS: Mapping[str, str] = {"k": "master", "p": "pupil"}
#: The width of a card in columns, and the middle of its five by five points.
_CARD, _MIDDLE = 13, 2
_NAME = 20
_OWN, _OTHER = "1;32", "1;31"


class OnitamaScreen(Screen[View]):
    """The screen of Onitama: shows a match in a terminal, and reads the typed moves. See `Screen`."""

    game, messages = ONITAMA, MESSAGES

    def told(self, message: Any, before: Situation | None) -> list[str]:
        """The sentences for an event of the match."""
        match message:
            case MovedEvent(seat, card, start, end):
                # The board before the move shows whether a piece was taken.
                taken = before.position.board[rules.SQUARE_NAMED[end]] if before is not None else "."
                took = "" if taken == "." else f" and took a {_KINDS[taken.lower()]}"
                return [f"{self.subject(seat)} played {card} {start} {end}{took}."]
            case ExchangedEvent(seat, old, new):
                return [f"{self.subject(seat)} could not move, gave {old} and got {new}."]
            case TakenBackEvent(seat, moves):
                return [self.taken_back(seat, moves)]
        return []

    @property
    def _position(self) -> rules.Position:
        """The position as it is drawn: the cards of each hand are in alphabetical order."""
        position: rules.Position = self.known.position
        white, black = ((min(hand), max(hand)) for hand in position.hands)
        return replace(position, hands=(white, black))

    @property
    def turn(self) -> bool:
        return self.known is not None and self._position.turn == self.seat and self._position.won is None

    def prompt(self) -> str:
        """The line that says what to type now, or for whom the match waits."""
        position = self._position
        if position.won is not None:
            return "The match is over."
        if position.turn != self.seat:
            return f"{self.names[position.turn]} is to move."
        # The first legal move is the example.
        move = next(position.moves(), None)
        if move is None:
            return f"You cannot move. Give a card and get another one: stalemate {position.hands[self.seat][0]}."
        return f"Type a move as CARD FROM TO: {move}."

    def moves(self, most: int) -> list[str]:
        begun, seat = self.known is not None, self.seat
        legal = ONITAMA.legal(Situation(self._position), seat) if begun and seat is not None else ()
        return abridged(map(str, legal), most)

    def read(self, text: str) -> list[bytes]:
        """Reads a card and two squares, only two squares, or `stalemate` and a card."""
        if not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        return [ONITAMA.write(_read(self._position, text))]

    def sentences(self) -> Iterator[str]:
        """The position in sentences, for readers that cannot see the drawing."""
        position = self._position
        for seat, colour in enumerate(_COLOURS):
            masters, pupils = (
                [rules.SQUARES[square] for square, there in enumerate(position.board) if there == piece]
                for piece in _PIECES[seat]
            )
            yield (
                f"{self.subject(seat)} ({colour}): master {listed(masters) or 'taken'}, pupils {listed(pupils) or 'none'};"
                f" cards {listed(position.hands[seat])}."
            )
        yield f"The next card is {position.spare}."
        for card in (*position.hands[0], *position.hands[1], position.spare):
            yield f"{card.capitalize()} leads {listed([_steps(*vector) for vector in rules.VECTORS[card]], 'or')}."

    def drawing(self, style: Style) -> Iterable[str]:
        """The board as lines of text, with notes at the right, and the cards below it."""
        position = self._position
        # The own side is at the bottom; White's for a watcher.
        below = self.seat or 0
        # Line of the board -> the note beside it.
        notes = {0: self._player(position, 1 - below, style), 2: f"next: {position.spare}"}
        notes[4] = self._player(position, below, style)
        lines = []
        for line in range(rules.SIDE):
            row = line if below else rules.SIDE - 1 - line
            places = [row * rules.SIDE + column for column in _across(below)]
            squares = " ".join(_piece(position, place, below, style) for place in places)
            lines.append(f"   {row + 1}  {squares}     {notes.get(line, '')}")
        lines.append(f"      {' '.join('abcde'[column] for column in _across(below))}")
        legend = f"{style.pick('□', '_')} is where a master began."
        return [*lines, "", *self._cards(position, below, style), "", f"   K P: White, k p: Black. {legend}"]

    def _player(self, position: rules.Position, seat: int, style: Style) -> str:
        """Returns the text beside the board about a player: the name, the colour and the cards."""
        name = cut(style.plain(self.who(seat)), _NAME)
        return f"{name} ({_COLOURS[seat]}): {', '.join(position.hands[seat])}"

    def _cards(self, position: rules.Position, below: int, style: Style) -> Iterator[str]:
        """Yields the lines of the five cards side by side. Each is drawn as its player uses it on this board."""
        # A watcher reads the names of the sides.
        own, other = ("yours", "theirs") if self.seat is not None else _COLOURS
        shown = [(own, card, 1) for card in position.hands[below]]
        shown.append(("next", position.spare, 1))
        shown += [(other, card, -1) for card in position.hands[1 - below]]
        yield "   " + "".join(padded(card, _CARD) for _, card, _ in shown)
        yield "   " + "".join(padded(f"({whose})", _CARD) for whose, _, _ in shown)
        for line in range(rules.SIDE):
            rows = (" ".join(_points(card, line, way, style)) for _, card, way in shown)
            yield "   " + "".join(padded(row, _CARD) for row in rows)


def _across(below: int) -> Iterable[int]:
    """Returns the columns from left to right. Black sees the board turned."""
    return reversed(range(rules.SIDE)) if below else range(rules.SIDE)


def _piece(position: rules.Position, square: int, below: int, style: Style) -> str:
    """
    Returns the character for a square: its piece, in the colour of the own or the other side; a temple; or an empty
    square.
    """
    piece = position.board[square]
    if piece != ".":
        return style.paint(piece, _OWN if piece in _PIECES[below] else _OTHER)
    return style.pick("□", "_") if square in rules.TEMPLE else style.pick("·", ".")


def _points(card: rules.Card, line: int, way: int, style: Style) -> Iterator[str]:
    """
    Yields the points of one of the five rows of a card, counted from the top.

    :param way: 1 for a card of the player below; -1 for a card of the other player, which is turned
    """
    for column in range(rules.SIDE):
        vector = ((column - _MIDDLE) * way, (_MIDDLE - line) * way)
        if vector == (0, 0):
            yield "o"
        else:
            yield "x" if vector in rules.VECTORS[card] else style.pick("·", ".")


def _steps(right: int, forward: int) -> str:
    """Returns a card's vector in words: `2 forward`, `1 forward 1 left`."""
    parts = [f"{abs(forward)} {'forward' if forward > 0 else 'back'}"] if forward else []
    if right:
        parts.append(f"{abs(right)} {'right' if right > 0 else 'left'}")
    return " ".join(parts)


def _read(position: rules.Position, text: str) -> Action:
    """
    Reads a typed action.

    :raises MoveRefused: it is not a legal action
    """
    # Words of letters, and squares such as `a1`, also without spaces between them.
    words = re.findall("[a-z]+(?![0-9])|[a-e][1-5]", text.lower())
    if re.sub("[ ,;:-]+", "", text.lower()) != "".join(words):
        # The text contains something else, such as the square `f7`, so it is no move.
        words = []
    hand = position.hands[position.turn]
    example = next(map(str, position.moves()), None)
    match words:
        # An exchange is legal only if there is no legal move, and thus no example.
        case ["stalemate" | "give", word]:
            if example is not None:
                raise MoveRefused(f"You can move, so you must: for example {example}.")
            return rules.Exchange(_card(word, hand))
        case _ if example is None:
            raise MoveRefused(f"You cannot move. Give one of your cards: stalemate {' or stalemate '.join(hand)}.")
        # `word not in`: three squares are no move.
        case [word, start, end] if (
            start in rules.SQUARE_NAMED and end in rules.SQUARE_NAMED and word not in rules.SQUARE_NAMED
        ):
            return _checked(position, rules.Move(_card(word, hand), rules.SQUARE_NAMED[start], rules.SQUARE_NAMED[end]))
        case [start, end] if start in rules.SQUARE_NAMED and end in rules.SQUARE_NAMED:
            return _with_either_card(position, rules.SQUARE_NAMED[start], rules.SQUARE_NAMED[end])
    # Not a move: say which of the typed squares does not exist.
    outside = [one for one in re.findall("[a-z][0-9]+", text.lower()) if one not in rules.SQUARE_NAMED]
    if outside:
        raise MoveRefused(f"There is no square {outside[0][:4]}: columns are a to e, and rows 1 to 5.")
    raise MoveRefused(f"That is not a move of Onitama. Type CARD FROM TO: {example}.")


def _card(word: str, hand: Sequence[rules.Card]) -> rules.Card:
    """
    Returns the card with this name in the player's hand.

    :raises MoveRefused: the card does not exist, or is not in the hand
    """
    card = rules.card_named(word)
    if card is None:
        raise MoveRefused(f"There is no such card. Your cards are {listed(hand)}.")
    if card not in hand:
        raise MoveRefused(f"You do not hold {card}. Your cards are {listed(hand)}.")
    return card


def _with_either_card(position: rules.Position, start: int, end: int) -> rules.Move:
    """
    Returns the move between two squares, if only one of the player's cards can make it.

    :raises MoveRefused: no card can, or both can
    """
    first, second = (rules.Move(card, start, end) for card in position.hands[position.turn])
    legal = [move for move in (first, second) if position.why_not(move) is None]
    if len(legal) == 2:
        raise MoveRefused(f"Both of your cards lead there. Name one: {first} or {second}.")
    if legal:
        # Exactly one card.
        return legal[0]
    _checked_start(position, start)
    # No card: say where the piece can go.
    leads = [move for move in position.moves() if move.start == start]
    able = f"It can do {listed([str(move) for move in leads], 'or')}." if leads else "It cannot move now."
    raise MoveRefused(f"None of your cards leads from {rules.SQUARES[start]} to {rules.SQUARES[end]}. {able}")


def _checked(position: rules.Position, move: rules.Move) -> rules.Move:
    """
    Returns a move, if it is legal.

    :raises MoveRefused: it is not; the message says which squares are possible
    """
    if position.why_not(move) is None:
        return move
    start, end = rules.SQUARES[move.start], rules.SQUARES[move.end]
    _checked_start(position, move.start)
    own = _PIECES[position.turn]
    # The squares to which this card can lead the piece.
    able = [square for square in rules.LEADS[position.turn][move.card][move.start] if position.board[square] not in own]
    leads = (
        f"it can lead to {listed([rules.SQUARES[square] for square in able], 'or')}" if able else "it leads nowhere now"
    )
    if position.board[move.end] in own:
        raise MoveRefused(f"A piece of yours is on {end}. With {move.card} from {start} {leads}.")
    raise MoveRefused(f"{move.card.capitalize()} does not lead from {start} to {end}. From {start} {leads}.")


def _checked_start(position: rules.Position, start: int) -> None:
    """
    Checks that one of the player's pieces is on the start square of a move.

    :raises MoveRefused: none of the player's pieces is on this square
    """
    own = _PIECES[position.turn]
    if position.board[start] not in own:
        yours = [rules.SQUARES[square] for square, piece in enumerate(position.board) if piece in own]
        raise MoveRefused(f"None of your pieces is on {rules.SQUARES[start]}. Yours are on {listed(yours)}.")


SCREEN = OnitamaScreen
