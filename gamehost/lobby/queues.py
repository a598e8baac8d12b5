"""
The queues: players who wait for anybody, in the order in which they came.
"""

from collections.abc import Callable, Sequence
from itertools import islice

from attrs import define, field

from gamehost.games.base import Seat
from gamehost.lobby.membership import Membership
from gamehost.lobby.sessions import Session

#: A game's name, and the pool of players who meet only each other; empty: all the others.
Key = tuple[str, str]


@define(eq=False)
class Queues:
    """
    The queues of all games.

    :param membership: what other hosts of a cluster are told of those who wait
    """

    _membership: Membership = field(factory=Membership)

    #: Those who wait; queues in which nobody waits are left out.
    waiting: dict[Key, list[Session]] = field(factory=dict)
    #: The seat that somebody wants.
    _wishes: dict[Session, Seat] = field(factory=dict)

    def join(self, key: Key, session: Session, wish: Seat | None) -> bool:
        """
        Have a player wait. `False`: the player waits there already.

        :param wish: the seat that the player wants in a game of two; `None`: any
        """
        waiting = self.waiting.setdefault(key, [])
        if session in waiting:
            return False
        waiting.append(session)
        if wish is not None:
            self._wishes[session] = wish
        self._membership.waits(session, key)
        return True

    def match(
        self, key: Key, session: Session, seats: int, may_begin: Callable[[Session], bool] = lambda other: True
    ) -> Sequence[Session] | None:
        """
        Find those who have waited longest to play with one who has just come.

        :param seats: how many players there are
        :param may_begin: whether one who waits may play now
        :returns: all of them, in the order of their seats; `None`: there are too few
        """
        # Players with the same wish do not meet. All others do, the first one first.
        wish = self._wishes.get(session)
        fits = (one for one in self.waiting[key] if one is not session)
        wanted = (one for one in fits if wish is None or self._wishes.get(one) != wish)
        others = list(islice(filter(may_begin, wanted), seats - 1))
        if len(others) < seats - 1:
            return None
        players = [*others, session]
        if wish == 0 or self._wishes.get(others[0]) == 1:
            players.reverse()
        return players

    def leave(self, session: Session) -> None:
        """Have a player wait no longer. Nothing happens to one who does not wait."""
        self._wishes.pop(session, None)
        for key, waiting in list(self.waiting.items()):
            if session in waiting:
                waiting.remove(session)
                self._membership.waits_no_longer(session)
                if not waiting:
                    del self.waiting[key]

    def everybody(self) -> list[Session]:
        """All who wait."""
        return [session for waiting in self.waiting.values() for session in waiting]
