"""
The offers at one table.

The two players of a match may offer each other a draw, or to take a move back. There is one offer at a time. It is open
until it is answered, until the other player moves, or until one of the two has disconnected. An offer to take a move
back is open until any player moves. After an offer, a player must move before it can make another one. Offers are only
in memory: after a restart of the host no offer is open. An accepted offer is an entry of the journal. In slow matches
every offer is an entry, too, and remains open when players disconnect.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import GameMaster, Offer, Seat, TakesOffers
from gamehost.journal.records import CHAMPIONSHIP, RATED
from gamehost.tables.interfaces import Declined, HearsOffers, Offered, Player


@define(eq=False)
class Offers:
    """The open offer of one table, and the rules of when a player may make an offer."""

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
        The reason why a seat cannot make this offer now; `None`: it can.

        :param opponent: the other player; `None`: it is away
        """
        if offer not in self.allowed or not isinstance(master, TakesOffers):
            return (
                f"this game has no offers of a {offer.value}" if offer is Offer.DRAW else "this game has no takebacks"
            )
        if self._settings.get(CHAMPIONSHIP):
            return "a match of a championship has no offers"
        if offer is Offer.TAKEBACK and self._settings.get(RATED) == "yes":
            return "a rated match has no takebacks"
        other = self._names[1 - seat]  # only games of two have offers
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
        """
        Note an offer of a seat, and return the event for it.

        :param stands: whether the offer waits for an answer; an offer to a player that declines everything does not
        """
        self._made.add(seat)
        offered = Offered(seat, offer)
        if stands:
            self.standing = offered
        return offered

    def answer(self, seat: Seat, offer: Offer, accepted: bool) -> Offered | None:
        """Close the offer that a seat answers, and return it; `None`: no such offer was made to this seat."""
        standing = self.standing
        if standing is None or standing.seat == seat or standing.offer is not offer:
            return None  # no offer is open, it is the seat's own, or it is of the other kind
        self.standing = None
        if accepted:
            self.agreed()
        return standing

    def agreed(self) -> None:
        """
        Note that an offer was accepted. Moves may have been taken back, so both seats may make an offer again at once.
        """
        self.standing = None
        self._made.clear()

    def offered_to(self, seat: Seat) -> Offer | None:
        """The open offer of the other seat to this seat; `None`: there is none."""
        standing = self.standing
        return None if standing is None or standing.seat == seat else standing.offer

    def moved(self, seat: Seat) -> Declined | None:
        """
        Note that a seat has moved. Returns the event for both players if the move has ended an offer; otherwise `None`.
        """
        self._made.discard(seat)
        standing = self.standing
        # A draw that a player has offered remains open when it moves itself; a takeback concerns the last move.
        if standing is not None and (standing.seat != seat or standing.offer is Offer.TAKEBACK):
            return self.end()
        return None

    def end(self) -> Declined | None:
        """End the open offer. Returns the event for both players; `None`: no offer was open."""
        standing, self.standing = self.standing, None
        return None if standing is None else Declined(standing.seat, standing.offer)
