"""What groups of requests read and write."""

from gamehost.storage.changes import StoreFailed
from gamehost.storage.names import Claim, Release, Request, Rows, Transfer, Wait, WaitNoLonger
from gamehost.storage.postgresql import registry as name_rows
from gamehost.storage.postgresql.registry import carry_out_group, read_offers
from tests.kit.postgresql_registry import RegistryCase

QUEUE = ("onitama", "")


class GroupTests(RegistryCase):
    """Groups of two members, 1 and 2."""

    def setUp(self) -> None:
        super().setUp()
        self.sessions = {number: self.begin_life().store.session for number in (1, 2)}

    def do(self, me: int, *requests: Request, gone: tuple[int, ...] = ()) -> list[int | bool | None]:
        """The results of a group."""
        return carry_out_group(self.sessions[me], requests, me, gone)[0]

    def rows(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        """Everything in the tables."""
        homes = self.sql("SELECT key, home, settled FROM session ORDER BY key")
        return homes, self.sql("SELECT key, game, pool, home, movable, id FROM seeking ORDER BY id")

    def test_groups_can_be_carried_out_again(self) -> None:
        """The results are the same, and the rows too."""
        for me, group in (
            (1, [Claim("ann", None), Claim("bob", QUEUE), Wait("ann", QUEUE, True), Release(["bob"])]),
            (2, [Claim("eve", QUEUE), Claim("ann", None), Claim("tom", None)]),
            (2, [Wait("tom", QUEUE, False)]),
            (1, [Wait("ann", QUEUE, False), WaitNoLonger("tom"), Release(["tom"])]),
            (2, [Transfer("tom", 1), Claim("tim", None), Transfer("tim", 7)]),
            (1, [Wait("tom", ("onitama", "final"), True)]),
        ):
            results = self.do(me, *group)
            rows = self.rows()
            self.assertEqual((self.do(me, *group), self.rows()), (results, rows))
        homes, offers = self.rows()
        self.assertEqual(homes, [("ann", 1, True), ("tim", 2, True), ("tom", 1, True)])
        waiting = [("ann", "onitama", "", 1, False, 1), ("tom", "onitama", "final", 1, True, 3)]
        self.assertEqual((offers, [offer.key for offer in read_offers(self.sessions[2])]), (waiting, ["ann", "tom"]))

    def test_who_lives(self) -> None:
        """A claim has no answer if the home has ended, or is known to be gone; nor is a name moved to such a member."""
        self.do(1, Claim("ann", None))
        self.assertEqual(self.do(2, Claim("ann", None), Claim("bob", None)), [1, 2])
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1), gone=(1,)), [None, False])
        self.sql("UPDATE member SET ended = now() WHERE epoch = 1")
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1)), [None, False])
        self.assertRaises(StoreFailed, self.do, 1, Claim("tom", None))
        self.assertEqual(self.rows()[0], [("ann", 1, True), ("bob", 2, True)])

    def test_a_row_that_was_not_read(self) -> None:
        """If somebody writes without the lock, the group is refused. Nothing of it is left."""
        read = name_rows._read

        def and_be_late(*arguments: object) -> Rows:
            rows = read(*arguments)  # type: ignore[arg-type]
            self.sql("INSERT INTO session VALUES ('ann', 2)")
            return rows

        self.patch(name_rows, "_read", and_be_late)
        self.assertRaises(StoreFailed, self.do, 1, Claim("bob", None), Claim("ann", None))
        self.assertEqual(self.rows()[0], [("ann", 2, True)])
