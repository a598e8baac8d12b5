"""
The offers at one table.

The two players of a match may offer each other a draw, or to take a move back. There is one offer at a time. It is open
until it is answered, until the other player moves, or until one of the two has disconnected. An offer to take a move
back is open until any player moves. After an offer a player makes no other one before the own next move. Offers are in
memory alone: after a restart of the host none is open. An agreement is an entry of the journal. In slow matches offers are
entries, too, and are open whoever is connected.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import GameMaster, Offer, Seat, TakesOffers
from gamehost.journal.records import CHAMPIONSHIP, RATED
from gamehost.tables.interfaces import Declined, HearsOffers, Offered, Player


@define(eq=False)
class Offers:
    """The offers at one table."""

    allowed: frozenset[Offer]
    _settings: Mapping[str, str]
    _names: Sequence[str]
    #: The open offer.
    standing: Offered | None = None
    #: The seats that have made an offer since their last move.
    _made: set[Seat] = field(factory=set)

    def objection(
        self, master: GameMaster[Any, Any], seat: Seat, offer: Offer, opponent: Player[Any, Any] | None
    ) -> str | None:
        """
        Why a seat cannot offer this now; `None`: it can.

        :param opponent: `None`: they are away
        """
        if offer not in self.allowed or not isinstance(master, TakesOffers):
            return (
                f"this game has no offers of a {offer.value}" if offer is Offer.DRAW else "this game has no takebacks"
            )
        if self._settings.get(CHAMPIONSHIP):
            return "a match of a championship has no offers"
        if offer is Offer.TAKEBACK and self._settings.get(RATED) == "yes":
            return "a rated match has no takebacks"
        other = self._names[1 - seat]
        if self.standing is not None and self.standing.seat != seat:
            return f"{other} has asked first: accept or decline"
        if seat in self._made:
            return "you have made an offer since your last move: move before you make another one"
        if opponent is None:
            return f"{other} is away"
        if not isinstance(opponent, HearsOffers):
            return f"{other} cannot be asked on that wire"
        return master.objection(offer, seat)

    def make(self, seat: Seat, offer: Offer, stands: bool) -> Offered:
        """A seat has made an offer. `stands`: it waits for an answer."""
        self._made.add(seat)
        offered = Offered(seat, offer)
        if stands:
            self.standing = offered
        return offered

    def answer(self, seat: Seat, offer: Offer, accepted: bool) -> Offered | None:
        """The offer that a seat has answered; it is not open any more. `None`: this was not offered to it."""
        standing = self.standing
        if standing is None or standing.seat == seat or standing.offer is not offer:
            return None
        self.standing = None
        if accepted:
            self.agreed()
        return standing

    def agreed(self) -> None:
        """An offer was accepted. Moves may have been taken back: another offer can be made at once."""
        self.standing = None
        self._made.clear()

    def offered_to(self, seat: Seat) -> Offer | None:
        """The offer of the other seat to this one; `None`: there is none."""
        standing = self.standing
        return None if standing is None or standing.seat == seat else standing.offer

    def moved(self, seat: Seat) -> Declined | None:
        """A seat has moved. Returns the event for all if this has ended an offer."""
        self._made.discard(seat)
        standing = self.standing
        if standing is not None and (standing.seat != seat or standing.offer is Offer.TAKEBACK):
            return self.end()
        return None

    def end(self) -> Declined | None:
        """End the open offer. Returns the event for all; `None`: there was none."""
        standing, self.standing = self.standing, None
        return None if standing is None else Declined(standing.seat, standing.offer)
