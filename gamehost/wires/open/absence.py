"""
Absent players in the client's match, on the open wire: how long their seats are reserved, and what the client may claim
after that time.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import UNSET, UnsetType

from gamehost.games.base import Seat
from gamehost.lobby.queues import HouseRefused
from gamehost.tables.interfaces import Away, Claimable, SeatHandle
from gamehost.wires.base import Peer
from gamehost.wires.open import messages as m
from gamehost.wires.open.logging_in import NO_SEAT, LogsIn
from gamehost.wires.open.values import ClaimName
from gamehost.wires.open.watching import OpenOptions, SharedEncoder

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby

_NOBODY_AWAY = "nobody has been away for so long that you can claim the match"


class DecidesAbsences(LogsIn):
    """The part of a conversation about absent players in the client's own match."""

    claims: bool = True

    def __init__(self, peer: Peer[m.Message], lobby: "Lobby", options: OpenOptions, encoder: SharedEncoder) -> None:
        super().__init__(peer, lobby, options, encoder)
        self._house = lobby.house
        #: The seats of the players that have been away so long that this player may claim the match.
        self._claimable: set[Seat] = set()

    def _judge(self, ask: Callable[[], bool], number: int | UnsetType) -> None:
        raise NotImplementedError

    def seated(self, handle: SeatHandle[Any]) -> None:
        self._claimable.clear()
        super().seated(handle)

    def claim_match(self, message: m.Claim) -> None:
        """Performs a claim: the client decides how its match continues, or ends, after a player has not come back."""
        handle = self.handle
        if handle is None or message.table != handle.table or self.session is None:
            self.peer.refuse(m.Refused(NO_SEAT, message.id))
        elif message.as_ != "house":
            # The table decides, and refuses a claim that comes too early. The argument: whether a draw is claimed.
            self._judge(partial(handle.claim, message.as_ == "draw"), message.id)
        elif not self._claimable:
            self.peer.refuse(m.Refused(_NOBODY_AWAY, message.id))
        else:
            try:
                # House players take the seats of all absent players.
                for seat in sorted(self._claimable):
                    self._house.take_over(self.session, handle, seat, message.level)
            except HouseRefused as refusal:
                self.peer.refuse(m.Refused(str(refusal), message.id))

    def tell_away(self, event: Away) -> None:
        """Informs the client that a player has lost the connection."""
        if self.handle is not None:
            kept = UNSET if event.kept is None else event.kept
            self.peer.say(m.Away(self.handle.table, self.handle.n, event.seat, kept))

    def tell_claimable(self, event: Claimable) -> None:
        """
        Informs the client what it may claim, because a player has not come back in time; or that it may claim nothing
        any more.
        """
        handle = self.handle
        if handle is None or self.session is None:
            return
        if event.ends is None:
            self._claimable.discard(event.seat)
            # An empty list: nothing can be claimed any more.
            self.peer.say(m.Claimable(handle.table, handle.n, event.seat, []))
            return
        self._claimable.add(event.seat)
        claims: list[ClaimName] = ["win"]
        if event.draw:
            claims.append("draw")
        if self._house.why_no_take_over(self.session, handle, event.seat) is None:
            claims.append("house")
        self.peer.say(m.Claimable(handle.table, handle.n, event.seat, claims, event.ends))

    TELLS: ClassVar[Any] = {Away: tell_away, Claimable: tell_claimable}
