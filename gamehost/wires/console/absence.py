"""
Absent players in the match of a person at the console: how long their seats are reserved, and what the person can claim
after this time. Lines of text count down both times.
"""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import HouseRefused
from gamehost.tables.interfaces import Away, Claimable, Replaced, SeatHandle
from gamehost.wires.base import Peer
from gamehost.wires.console import codec as m
from gamehost.wires.console.commands import NotNow, NotUnderstood, beginning, minutes, sentence
from gamehost.wires.console.elsewhere import GoesElsewhere
from gamehost.wires.console.matches import ConsoleOptions, OwnMatch

#: A line is shown when this number of seconds is left.
TOLD = (300, 60, 30, 10)
#: Times below this number of seconds are shown in seconds, not in minutes.
SHORT = 100


def absence_words(name: str, left: float, claims: tuple[str, ...]) -> str:
    """
    Returns the line about an absent player.

    :param name: the player's name
    :param left: how many seconds the seat is still reserved; if something can be claimed, in how many seconds the
        player loses
    :param claims: what the person can claim; empty: nothing yet
    """
    left = max(0.0, left)  # the clock may have been changed
    time = f"{left:.0f} s" if left < SHORT else minutes(round(left * 1000))
    if not claims:
        return f"{name} is away. The seat is kept for {time}."
    ways = [f"claim {way}" for way in claims]
    last = f"{', '.join(ways[:-1])} or {ways[-1]}" if len(ways) > 1 else ways[0]
    return (
        f"{name} has not come back in time. Type {last}, or wait. "
        f"If nobody decides, {name} loses in {time}, or when the own time has run out."
    )


class HearsAbsences(GoesElsewhere):
    """The part of a conversation about absent players of the own match."""

    claims: bool = True

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, options)
        #: Absent player's seat -> what can be claimed because of this player; empty: nothing yet, the seat is still
        #: reserved.
        self._absent: dict[Seat, tuple[str, ...]] = {}

    @property
    def _on(self) -> OwnMatch:
        """
        Returns the present match.

        :raises NotNow: the person has no match
        """
        raise NotImplementedError

    def _tell(self, *sentences: str) -> None:
        """Writes sentences, and then a prompt."""
        raise NotImplementedError

    def seated(self, handle: SeatHandle[Any]) -> None:
        self._absent.clear()
        super().seated(handle)

    def leave_table(self, state: Enum) -> None:
        self._absent.clear()
        super().leave_table(state)

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """
        Like `Peer.alarm`, for the match. A connection has only one alarm, and the countdown needs it too: it starts
        again after the call.
        """

        def both() -> None:
            ring()
            self._count_down()

        self.peer.alarm(seconds, both)

    def _left(self, seat: Seat) -> str:
        """Returns the line about the absent player of a seat."""
        assert self.handle is not None
        return absence_words(self.name_of(seat), self.handle.kept_for(seat), self._absent[seat])

    def _count_down(self) -> None:
        """Sets the alarm for the next line about a remaining time."""
        handle = self.handle
        if handle is None:
            return
        waits = []
        for seat in self._absent:
            left = handle.kept_for(seat)
            # The next time of `TOLD`. Half a second is added, so that the line just written is not written again.
            told = next((seconds for seconds in TOLD if left > seconds + 0.5), None)
            if told is not None:
                waits.append((left - told, seat))
        if waits:
            seconds, seat = min(waits)
            self.peer.alarm(seconds, partial(self._tell_left, seat))

    def _tell_left(self, seat: Seat) -> None:
        """Writes the line about an absent player, and sets the alarm for the next one."""
        if self.handle is not None and seat in self._absent:
            self._tell(self._left(seat))
            self._count_down()

    def tell_away(self, event: Away) -> None:
        """Informs the person that a player is away. If the seat is reserved, the countdown begins."""
        if self.handle is None:
            return
        # No time is known for which the seat is reserved, so there is nothing to count down.
        if event.kept is None:
            self._tell(f"{self.name_of(event.seat)} is away.")
        else:
            # Empty: nothing can be claimed yet.
            self._absent[event.seat] = ()
            self._tell_left(event.seat)

    def tell_claimable(self, event: Claimable) -> None:
        """Informs the person what can be claimed, because a player has not come back; or forgets the absence."""
        handle, session, seat = self.handle, self.session, event.seat
        if handle is None or session is None:
            return
        # The player is back, or was replaced: nothing can be claimed any more.
        if event.ends is None:
            self._absent.pop(seat, None)
            return
        # Whether a house player can take over the seat.
        house = self._house.why_no_take_over(session, handle, seat) is None
        self._absent[seat] = ("win", *(["draw"] if event.draw else []), *(["house"] if house else []))
        self._tell_left(seat)

    def tell_replaced(self, event: Replaced) -> None:
        """Informs the person that a house player has taken the seat."""
        self._tell(f"{event.name}, a player of the host, goes on.")

    def claim_match(self, words: list[str]) -> None:
        """Performs the command `claim`, after a player has not come back in time."""
        found = beginning(words[0].casefold(), ("win", "draw", "house")) if len(words) == 1 else []
        if len(found) != 1:
            raise NotUnderstood("Say what you claim: claim win, claim draw or claim house.")
        own, session = self._on, self.session
        # Seats with an empty tuple are still reserved for their players.
        seats = sorted(seat for seat, claims in self._absent.items() if claims)
        if not seats or session is None:
            raise NotNow("Nobody has been away for so long that you can claim the match. To see how long, type: clock")
        if found != ["house"]:
            # The argument of `claim`: whether a draw is claimed, instead of a victory.
            own.ask(partial(own.handle.claim, found == ["draw"]))
            return
        try:
            for seat in seats:
                self._house.take_over(session, own.handle, seat, "easy")
        except HouseRefused as refusal:
            raise NotNow(sentence(str(refusal))) from None

    def show_clock(self, words: list[str]) -> None:
        """Performs the command `clock`: shows the clocks of the match, and the absent players."""
        self._on.show_clock()
        self._printer.print(*map(self._left, self._absent))

    TELLS: ClassVar[Any] = {Away: tell_away, Claimable: tell_claimable, Replaced: tell_replaced}
