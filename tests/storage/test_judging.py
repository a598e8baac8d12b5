"""Which members live, and who says so."""

from collections.abc import Sequence

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.names import HANGS_AFTER, RESTRAINT, Judge, Seen, Verdict


def seen(epoch: int, *, noted: int = 0, ended: bool = False, locked: bool = True) -> Seen:
    """A member as the database shows it."""
    return Seen(epoch, "a machine", f"tcp:10.0.0.{epoch}:8990", "the token", noted, ended, locked)


class JudgeTests(SynchronousTestCase):
    """The judge of member 2."""

    def setUp(self) -> None:
        self.judge = Judge(2)

    def look(self, *members: Seen, now: float = 0.0) -> tuple[list[int], Sequence[int], bool]:
        """Who lives, who is dead, and whether this host may inherit."""
        verdict = self.judge.look(members, now)
        return [one.epoch for one in verdict.members], verdict.dead, verdict.may_inherit

    def test_who_lives(self) -> None:
        """Whoever holds a lock, and was not ended. The leader, who inherits, is the one with the lowest number."""
        self.assertEqual(self.look(seen(1), seen(2), seen(3)), ([1, 2, 3], [], False))
        self.assertEqual(self.look(seen(1, locked=False, ended=True), seen(2), seen(3)), ([2, 3], [1], True))
        self.assertEqual(self.look(seen(2), seen(3, ended=True, locked=False)), ([2], [3], True))
        self.assertEqual(self.look(seen(1), seen(2), seen(3, locked=False)), ([1, 2], [3], False))

    def test_a_leader_that_is_gone(self) -> None:
        """It can come back until its end is noted, so nobody else leads before that."""
        self.assertEqual(self.look(seen(1, locked=False), seen(2), seen(3)), ([1, 2, 3], [1], True))
        self.assertEqual(self.look(seen(1), seen(2), seen(3)), ([1, 2, 3], [], False))
        self.assertEqual(self.look(seen(1, locked=False), seen(2), seen(3, locked=False)), ([1, 2], [1, 3], True))

    def test_the_order(self) -> None:
        """The old leader is inherited after all that could be leader before this host, if they came back."""
        judge = Judge(4)
        verdict = judge.look([seen(4) if one == 4 else seen(one, locked=False) for one in range(1, 7)], 0.0)
        self.assertEqual(verdict.dead, [3, 2, 1, 6, 5])

    def test_a_host_whose_life_was_ended(self) -> None:
        """It inherits nothing, and is to end. Its row may be gone from what is looked at."""
        for members in ((seen(2, ended=True), seen(3)), (seen(3),), ()):
            verdict = self.judge.look(members, 0.0)
            self.assertEqual((verdict.am_alive, verdict.may_inherit), (False, False))

    def test_restraint(self) -> None:
        """After a lost connection nobody is judged for a while, and all count as living whose life was not ended."""
        alone = (seen(1, locked=False), seen(2), seen(3, ended=True, locked=False))
        self.judge.line_lost(10.0)
        self.assertEqual(self.look(*alone, now=10.1), ([1, 2], [], False))
        self.assertEqual(self.look(*alone, now=10.0 + RESTRAINT), ([1, 2], [1, 3], True))

    def test_the_own_lock_is_free(self) -> None:
        """Then the connection of the journal is lost, and nobody is judged neither."""
        gone = seen(1, locked=False)
        self.assertEqual(self.look(gone, seen(2, locked=False), now=1.0), ([1, 2], [], False))
        self.assertEqual(self.look(gone, seen(2), now=2.0), ([1, 2], [], False))
        self.assertEqual(self.look(gone, seen(2), now=1.0 + RESTRAINT), ([1, 2], [1], True))

    def test_who_hangs(self) -> None:
        """Whoever notes nothing for three seconds and six looks, by this host's clock; never this host itself."""
        silent, busy = seen(1), seen(3)
        verdicts: list[Verdict] = []
        for number in range(16):
            busy = evolve(busy, noted=number)
            verdicts.append(self.judge.look([silent, seen(2), busy], 100 + number * 0.25))
        first = next(number for number, verdict in enumerate(verdicts) if verdict.hanging)
        self.assertEqual((first * 0.25, verdicts[first].hanging), (HANGS_AFTER, [1]))
        self.assertEqual([one.epoch for one in verdicts[-1].members], [1, 2, 3])

    def test_few_looks_prove_nothing(self) -> None:
        """A host that stood still itself looks six times before it judges."""
        for number in range(6):
            self.assertEqual(self.judge.look([seen(1), seen(2)], number * 60.0).hanging, [])
        self.judge.line_lost(300.0)
        self.assertEqual(self.judge.look([seen(1), seen(2)], 310.0).hanging, [])

    def test_the_token_is_in_no_log(self) -> None:
        """It lets whoever has it act for another member."""
        self.assertNotIn("the token", repr(seen(1)))
        self.assertEqual(seen(1).member.token, "the token")
