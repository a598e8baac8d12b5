"""
Which members of a cluster live, who is the leader, and who is to be cut off. Data in, data out.

A member lives as long as it holds its lock and its life was not ended. A host whose own connection was lost judges nobody
for a while: the database may have been away for all of them.
"""

from collections.abc import Iterable, Sequence

from attrs import define, field, frozen

from gamehost.storage.members import Member

#: A member whose number of notes stands still for so many seconds and looks hangs.
HANGS_AFTER, HANGS_LOOKS = 3.0, 6
#: For so many seconds after its own connection was lost, a host judges nobody.
RESTRAINT = 5.0


@frozen
class Seen:
    """A member as the database shows it. It has not ended, or nobody has inherited it."""

    epoch: int
    #: Of the machine, for people.
    name: str
    #: Where other members reach it, and what a connection to it must begin with; empty for a host that was alone.
    address: str
    token: str = field(repr=False)
    #: It rises with each beat.
    noted: int
    #: Whether its end is noted: by itself, or by its heir.
    ended: bool
    #: Whether somebody holds its lock. If nobody does and its end is not noted, it is dead.
    locked: bool

    @property
    def member(self) -> Member:
        return Member(self.epoch, self.name, self.address, self.token)


@frozen
class Verdict:
    """What one look at the members has shown."""

    #: Those that live, the leader first. A leader that is gone stays the first until its end is noted: before that it can
    #: come back, and there would be two.
    members: Sequence[Member]
    #: Those that are gone, as far as this host judges, in the order in which it may inherit them: the old leader comes after
    #: those that would lead instead of this host if they came back. What is played at the leader must come to the next one.
    dead: Sequence[int]
    #: Those that live and hang.
    hanging: Sequence[int]
    #: Whether this host's own life has not been ended.
    am_alive: bool
    #: Whether this host is the leader, and may judge.
    may_inherit: bool


@define(eq=False)
class Judge:
    """
    :param me: this host's own number
    """

    me: int
    _silent_until: float = float("-inf")
    #: By epoch: the notes that were seen, when they were first seen, and how often since then.
    _notes: dict[int, tuple[int, float, int]] = field(factory=dict)

    def line_lost(self, now: float) -> None:
        """The host's own connection to the database was lost, or is lost now."""
        self._silent_until = now + RESTRAINT
        self._notes.clear()

    def look(self, seen: Sequence[Seen], now: float) -> Verdict:
        """
        Judge what was seen.

        :param seen: by epoch
        :param now: in seconds, monotonic
        """
        own = next((one for one in seen if one.epoch == self.me), None)
        if own is not None and not own.locked:
            self.line_lost(now)
        silent = now < self._silent_until
        living = [one for one in seen if not one.ended and (one.locked or silent or one.epoch == self.me)]
        first = living[0].epoch if living else self.me
        shown = [one for one in seen if one in living or (not one.ended and one.epoch < first)]
        am_alive = own is not None and not own.ended
        return Verdict(
            [one.member for one in shown],
            [] if silent else self._in_order(one.epoch for one in seen if one not in living),
            [] if silent else self._hanging(living, now),
            am_alive,
            am_alive and not silent and living[0].epoch == self.me,
        )

    def _in_order(self, dead: Iterable[int]) -> list[int]:
        return sorted(dead, key=lambda epoch: (epoch > self.me, -epoch))

    def _hanging(self, living: Sequence[Seen], now: float) -> list[int]:
        notes: dict[int, tuple[int, float, int]] = {}
        for one in living:
            noted, since, looks = self._notes.get(one.epoch, (-1, now, 0))
            notes[one.epoch] = (noted, since, looks + 1) if noted == one.noted else (one.noted, now, 1)
        self._notes = notes
        return [
            epoch
            for epoch, (_, since, looks) in notes.items()
            if epoch != self.me and now - since >= HANGS_AFTER and looks > HANGS_LOOKS
        ]
