"""
Where a connection is to go that is passed on because of a name.
"""

from typing import TYPE_CHECKING

from attrs import define

from gamehost.storage.members import Member

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster


@define(eq=False)
class HomeSearch:
    """
    Where a connection is to go that is passed on because of a name. If its home ends meanwhile, the name is claimed again.

    :param home: the member that is the home now
    """

    _cluster: "Cluster"
    _key: str
    _home: int
    _asked: bool = False

    def find(self) -> Member | bool | None:
        """As of `Relay`."""
        if self._home == self._cluster.epoch:
            return False
        found = self._cluster.member(self._home)
        if found is None and not self._asked:
            self._asked = True
            self._cluster.claim_again(self, self._key, self._answered)
        return found

    def end(self) -> None:
        """The connection is with another member, or with this one, or has ended: nobody needs the name here for it."""
        self._cluster.drop_claim(self)

    def _answered(self, home: int | None) -> None:
        self._asked = False
        self._home = home or self._home
