"""
The master of a match of Onitama: deals the cards, checks turns and moves, exchanges cards, and finds the winner.

White is the first seat and moves first, whatever the spare card is. Cards are face up: all seats receive every event.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import define, field, frozen
from msgspec import Struct

from gamehost.games.base import (
    AGREED,
    CLAIMED,
    TAKEN_BACK_AT_MOST,
    Cause,
    Chance,
    IllegalAction,
    Offer,
    Result,
    Seat,
    To,
    any_of,
    shuffled,
)
from gamehost.games.onitama.rules import SQUARE_NAMED, VECTORS, Card, Exchange, Move, Position, card_named
from gamehost.settings import BadOption, Settings, from_to, milliseconds, one_of, refuse_unknown, setting

Action = Move | Exchange


class Dealt(Struct, frozen=True, gc=False):
    """Event: the match begins with this position."""

    position: Position


class Moved(Struct, frozen=True, gc=False):
    """Event: a seat has moved a piece. The card that it played is the new spare card."""

    seat: Seat
    move: Move


class Exchanged(Struct, frozen=True, gc=False):
    """Event: a seat could not move. It gave the card `old` and got `new`, from the pack or the spare card. The other moves."""

    seat: Seat
    old: Card
    new: Card


class TakenBack(Struct, frozen=True, gc=False):
    """Event: a seat has taken its last move back, and all moves after it, because the players agreed."""

    seat: Seat
    #: The number of moves that were taken back.
    moves: int
    #: The position now.
    position: Position


class Situation(Struct, frozen=True, gc=False):
    """A view: the whole position."""

    position: Position


Event = Dealt | Moved | Exchanged | TakenBack | Situation


@frozen
class Rules:
    """The settings of a match, converted from their texts."""

    deal: tuple[Card, ...] | None
    max_plies: int
    move_time: int
    #: `pack` or `spare`: what a player gets for a card that it gives.
    exchange: str

    @classmethod
    def read(cls, settings: Settings) -> "Rules":
        """Reads the settings of a match. Raises `BadOption` if a setting is unknown, or its value not valid."""
        refuse_unknown(settings, ONITAMA.options)
        return cls(
            setting(settings, "deal", None, _deal),
            setting(settings, "max_plies", 1000, from_to(1, 1_000_000)),
            setting(settings, "move_time", 0, milliseconds),
            setting(settings, "exchange", "pack", one_of("pack", "spare")),
        )


def _deal(name: str, text: str) -> tuple[Card, ...]:
    """Reads the setting `deal`: two cards of White, two of Black, and the spare card."""
    # Missing parts become empty, and fail the check below.
    white, black, spare = (*text.split("/"), "", "")[:3]
    cards = [card_named(word) for word in (*white.split(","), *black.split(","), spare)]
    # `None`: no card has this name.
    dealt = tuple(card for card in cards if card is not None)
    if text.count("/") != 2 or white.count(",") != 1 or black.count(",") != 1 or len(set(dealt)) != 5:
        raise BadOption(
            f"{name}: expected white's, black's and the spare card, all different, as in"
            f" boar,ox/elephant,horse/crab; got {text!r}. The cards are {', '.join(VECTORS)}"
        )
    return dealt


@define(eq=False)
class OnitamaMaster:
    """One match of two seats, White (0) and Black (1)."""

    _rules: Rules
    _chance: Chance
    position: Position = field(init=False)
    result: Result | None = None
    deadline: int | None = None
    _pack: list[Card] = field(factory=list)
    _plies: int = 0
    #: The positions before the last moves, for takebacks. Drawing a card empties the list, because it cannot be undone.
    _before: list[Position] = field(factory=list)

    def begin(self, now: int) -> Sequence[To[Event]]:
        """Deals the cards: five of sixteen at random, or the cards in the settings."""
        # The first two cards are White's, the next two Black's, the fifth is the spare card. All others are in the
        # pack.
        cards = list(self._rules.deal or shuffled(VECTORS, self._chance))
        self._pack = [card for card in VECTORS if card not in cards[:5]]
        self.position = Position(((cards[0], cards[1]), (cards[2], cards[3])), cards[4])
        self._wait(now)
        return (To(Dealt(self.position)),)

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Event]]:
        """
        Performs a move, or an exchange of a card.

        :raises IllegalAction: it is not this seat's turn, or the rules forbid the action
        """
        position = self.position
        if self.result is not None:
            raise IllegalAction("the match is over")
        if seat != position.turn:
            raise IllegalAction("it is the other player's turn")
        if isinstance(action, Move):
            event = self._move(seat, action)
        else:
            event = self._exchange(seat, action)
        self._plies += 1
        if self.result is None and self._plies >= self._rules.max_plies:
            # A move that wins is no draw, even if it is the last one that is allowed.
            self.result = Result((), Cause.RULES, f"drawn after {self._plies} plies")
        self._wait(now)
        return (To(event),)

    def _move(self, seat: Seat, move: Move) -> Event:
        """Performs a move, and finds out whether it wins."""
        reason = self.position.why_not(move)
        if reason is not None:
            raise IllegalAction(reason)
        # Store the position before the move, so that the move can be taken back.
        before = self._before
        before.append(self.position)
        if len(before) > TAKEN_BACK_AT_MOST:
            del before[0]
        self.position = position = self.position.after(move)
        if (why := position.won) is not None:
            self.result = Result((seat,), Cause.RULES, why)
        return Moved(seat, move)

    def _exchange(self, seat: Seat, exchange: Exchange) -> Event:
        """Performs an exchange, which is legal only if no move is possible."""
        position = self.position
        if exchange.card not in position.hands[seat]:
            raise IllegalAction("that card is not in your hand")
        if next(position.moves(), None) is not None:
            raise IllegalAction("you can move, so you must")
        if self._rules.exchange == "spare":
            new = position.spare
        else:
            # The given card goes into the pack, after the new one was drawn.
            new = self._pack.pop(self._chance.below(len(self._pack)))
            self._pack.append(exchange.card)
        self.position = position.exchanged(exchange.card, new)
        # The moves before cannot be taken back: the player has seen a new card.
        self._before.clear()
        return Exchanged(seat, exchange.card, new)

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Event]]:
        self.result = Result((Seat(1 - seat),), Cause.LEFT, "a player left")
        self.deadline = None
        return ()

    def expire(self, now: int) -> Sequence[To[Event]]:
        self.result = Result((Seat(1 - self.position.turn),), Cause.TIME, "a player ran out of time")
        self.deadline = None
        return ()

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """Returns the reason why a seat cannot make an offer. A move can be taken back only if no card was drawn after it."""
        # A draw can be offered or claimed at any time.
        if offer is Offer.TAKEBACK and all(position.turn != seat for position in self._before):
            return "you have no move that can be taken back"
        return None

    def agree(self, offer: Offer, seat: Seat, now: int) -> Sequence[To[Event]]:
        """Performs an accepted offer: ends the match, or goes back to the position before the seat's last move."""
        if (objection := self.objection(offer, seat)) is not None:
            raise IllegalAction(objection)
        if offer is not Offer.TAKEBACK:
            self.result, self.deadline = AGREED if offer is Offer.DRAW else CLAIMED, None
            return ()
        before, plies = self._before, len(self._before)
        # Go back at least one move, to a position in which the seat is to move.
        while self.position.turn != seat or len(before) == plies:
            self.position = before.pop()
        # `plies - len(before)`: the number of moves that were taken back.
        self._plies -= plies - len(before)
        self._wait(now)
        return (To(TakenBack(seat, plies - len(before), self.position)),)

    def to_move(self) -> Seat | None:
        return None if self.result is not None else Seat(self.position.turn)

    def view(self, seat: Seat | None) -> Event:
        """Returns the whole position, because nothing is hidden in this game."""
        return Situation(self.position)

    def state(self) -> object:
        """Returns the position, the pack in its order, and the number of plies (moves of one side)."""
        return (self.position, self._pack, self._plies)

    def _wait(self, now: int) -> None:
        """
        Sets the time at which the next decision is due; no deadline if the time is not limited, or the match is over.
        """
        on_clock = self._rules.move_time and self.result is None
        self.deadline = now + self._rules.move_time if on_clock else None


@frozen
class Onitama:
    """The token of Onitama: the game as the host uses it."""

    name: str = "onitama"
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    choices: frozenset[str] = frozenset({"deal"})
    offers: frozenset[Offer] = frozenset(Offer)
    usual: Settings = field(factory=dict)
    options: Mapping[str, str] = field(
        factory=lambda: {
            "deal": "the cards of white, black and the spare, as in boar,ox/elephant,horse/crab; default: at random",
            "max_plies": "moves of both sides after which the match is a draw, a number; default 1000",
            "move_time": "seconds for one decision; default 0, no limit",
            "exchange": "what a player without a move gets for a card, pack or spare; default pack",
        }
    )

    def check(self, settings: Settings) -> None:
        Rules.read(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> OnitamaMaster:
        return OnitamaMaster(Rules.read(settings), chance)

    def write(self, action: Action) -> bytes:
        """Returns an action in the notation: `tiger c1 c3`, or `stalemate tiger`."""
        return str(action).encode("ascii")

    @staticmethod
    @lru_cache(maxsize=10_000)
    def read(notation: bytes) -> Action:
        """Returns the action in a notation. A cache helps the host, which reads all unfinished matches at its start."""
        match notation.decode("ascii").split(" "):
            case ["stalemate", card] if card in VECTORS:
                return Exchange(Card(card))
            case [card, start, end] if card in VECTORS and start in SQUARE_NAMED and end in SQUARE_NAMED:
                return Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end])
        raise ValueError("expected a card and two squares, or stalemate and a card")

    def legal(self, view: Situation, seat: Seat) -> Iterator[Action]:
        """Yields all moves of the seat to move. If there are none, yields the exchanges of its cards."""
        position = view.position
        # A position in which a side has won has no more moves.
        if position.turn != seat or position.won is not None:
            return
        moves = position.moves()
        # The moves are found one by one, so the first one tells whether there are any.
        first = next(moves, None)
        if first is None:
            yield from map(Exchange, position.hands[seat])
        else:
            yield first
            yield from moves

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """Returns the position after an event. It is the same for all seats."""
        match event:
            case Situation():
                return event
            case Dealt(position):
                return Situation(position)
            case Moved(_, move) if view is not None:
                return Situation(view.position.after(move))
            case Exchanged(_, old, new) if view is not None:
                return Situation(view.position.exchanged(old, new))
            case TakenBack(_, _, position):
                return Situation(position)
        # Without a view before it, a move cannot be followed.
        return view

    def determinized(self, view: Situation, seat: Seat, chance: Chance) -> OnitamaMaster:
        """Returns a master that continues from this position. Only the order of the pack is hidden, so it is drawn."""
        position = view.position
        master = OnitamaMaster(Rules(None, 1000, 0, "pack"), chance)
        # The cards that everybody sees. All others are in the pack.
        held = {position.spare, *position.hands[0], *position.hands[1]}
        master.position, master._pack = position, shuffled([card for card in VECTORS if card not in held], chance)
        return master


ONITAMA = Onitama()
