"""Who plays with whom."""

from typing import Any

_single: list["Pair"] = []


class Pair:
    """Two who take turns."""

    count = 0

    def __init__(self) -> None:
        Pair.count += 1
        self.number = Pair.count
        #: Connections of any kind, in the order in which they move.
        self.members: list[Any] = []
        self._turn = 0

    def moves(self, member: Any) -> bool:
        """Whether it is this member's turn; then it is the other one's."""
        if len(self.members) < 2 or self.members[self._turn] is not member:
            return False
        self._turn ^= 1
        return True


def seated(member: Any) -> Pair:
    """The pair of a new connection: the one that waits for a second member, or a new one."""
    pair = _single.pop() if _single else Pair()
    pair.members.append(member)
    if len(pair.members) == 1:
        _single.append(pair)
    return pair
