"""What the owner of a member can be told about its cluster."""

from collections.abc import Sequence
from typing import Protocol

from gamehost.storage.members import Member


class ClusterState(Protocol):
    """What a member of a cluster knows of it."""

    @property
    def epoch(self) -> int:
        """The number of this member."""

    @property
    def members(self) -> Sequence[Member]:
        """Those that live, this one too, the leader first. Empty: not known yet."""

    @property
    def relays_out(self) -> int:
        """Connections of clients that this member passes on to other members."""

    @property
    def relays_in(self) -> int:
        """Connections of clients that other members pass on to this one."""
