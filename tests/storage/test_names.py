"""What requests do to the names of a cluster."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.names import (
    NEW,
    Claim,
    Home,
    Offer,
    Release,
    Request,
    Rows,
    Transfer,
    Wait,
    WaitNoLonger,
    carry_out,
    keys_of,
    meeting_place,
)

QUEUE = ("onitama", "")
OTHER = ("onitama", "final")


def offer(key: str, home: int, order: int, movable: bool = True) -> Offer:
    """Somebody who waits."""
    return Offer(key, QUEUE, home, movable, order)


class NamesTests(SynchronousTestCase):
    """Groups of requests of member 1. Member 2 lives, and member 9 does not."""

    def rows(self, *offers: Offer, **homes: Home) -> Rows:
        return Rows(homes, {one.key: one for one in offers}, {1, 2})

    def check(
        self,
        requests: list[Request],
        rows: Rows,
        results: list[int | bool | None],
        homes: dict[str, Home],
        offers: list[Offer],
    ) -> None:
        """Carry out a group, once and again."""
        found, after = carry_out(requests, rows, 1)
        self.assertEqual((found, after.homes, list(after.offers.values())), (results, homes, offers))
        again, twice = carry_out(requests, after, 1)
        self.assertEqual((again, twice), (results, after))

    def test_claims(self) -> None:
        """A name that nobody has is at home here; any other one where it is, if that member lives and knows it."""
        rows = self.rows(there=Home(2), gone=Home(9), inherited=Home(2, False), ours=Home(1, False))
        claims: list[Request] = [Claim(key, QUEUE) for key in ("free", "there", "gone", "inherited", "ours", "free")]
        results: list[int | bool | None] = [1, 2, None, None, None, 1]
        self.check(claims, rows, results, {**rows.homes, "free": Home(1)}, [])

    def test_claims_of_somebody_with_an_opponent_elsewhere(self) -> None:
        """The opponent's member is the answer if nobody waits here, and nothing is noted."""
        there, gone, here = offer("ann", 2, 4), offer("old", 9, 3), offer("bob", 1, 5)
        for offers, queue, home in (
            ((there,), QUEUE, 2),
            ((there,), OTHER, 1),
            ((there,), None, 1),
            ((gone,), QUEUE, 1),
            ((there, here), QUEUE, 1),
        ):
            noted = {"new": Home(1)} if home == 1 else {}
            self.check([Claim("new", queue)], self.rows(*offers), [home], noted, list(offers))
        known = self.rows(there, new=Home(1))
        self.check([Claim("new", QUEUE)], known, [1], {"new": Home(1)}, [there])

    def test_releases(self) -> None:
        """Only names that are at home here and known here are free then. They do not wait any more."""
        rows = self.rows(offer("ann", 1, 1), offer("bob", 2, 2), ann=Home(1), bob=Home(2), eve=Home(1, False))
        left = {"bob": Home(2), "eve": Home(1, False)}
        self.check([Release(["ann", "bob", "eve", "nobody"])], rows, [None], left, [offer("bob", 2, 2)])

    def test_transfers(self) -> None:
        """A name goes to a member that lives. A transfer that was carried out is carried out again."""
        rows = self.rows(offer("ann", 1, 1), ann=Home(1), bob=Home(2), eve=Home(1, False), tom=Home(9))
        self.check([Transfer("ann", 2)], rows, [True], {**rows.homes, "ann": Home(2)}, [])
        self.check([Transfer("lost", 2)], rows, [True], {**rows.homes, "lost": Home(2)}, [offer("ann", 1, 1)])
        self.check([Transfer("bob", 2)], rows, [True], dict(rows.homes), [offer("ann", 1, 1)])
        for transfer in (Transfer("ann", 9), Transfer("eve", 2), Transfer("tom", 2)):
            self.check([transfer], rows, [False], dict(rows.homes), [offer("ann", 1, 1)])

    def test_waiting(self) -> None:
        """Whoever waits again keeps the place; whoever waits elsewhere has a new one."""
        rows = self.rows(offer("ann", 1, 1), offer("bob", 2, 2), ann=Home(1), bob=Home(2), eve=Home(1))
        homes = dict(rows.homes)
        both = [offer("ann", 1, 1), offer("bob", 2, 2)]
        new = Offer("eve", QUEUE, 1, False, NEW)
        self.check([Wait("eve", QUEUE, False)], rows, [None], homes, [*both, new])
        self.check([Wait("ann", QUEUE, False)], rows, [None], homes, [offer("ann", 1, 1, False), both[1]])
        moved = Offer("ann", OTHER, 1, True, NEW)
        self.check([Wait("ann", OTHER, True)], rows, [None], homes, [both[1], moved])
        self.check([WaitNoLonger("ann"), WaitNoLonger("bob")], rows, [None, None], homes, [both[1]])
        self.check([Wait("bob", QUEUE, True), Wait("nobody", QUEUE, True)], rows, [None, None], homes, both)

    def test_a_group_sees_its_own_changes(self) -> None:
        """A name can be claimed, wait and be free again in one group."""
        claims: list[Request] = [Claim("ann", QUEUE), Wait("ann", QUEUE, True), Claim("bob", QUEUE), Release(["ann"])]
        self.check(claims, self.rows(), [1, None, 1, None], {"bob": Home(1)}, [])
        self.assertEqual(keys_of(claims), {"ann", "bob"})

    def test_where_players_meet(self) -> None:
        """At the member of a player who cannot be moved, else at that of the oldest offer."""
        self.assertIsNone(meeting_place([]))
        self.assertEqual(meeting_place([offer("ann", 1, 7), offer("bob", 2, 3)]), 2)
        self.assertEqual(meeting_place([offer("ann", 1, 7, False), offer("bob", 2, 3)]), 1)
        self.assertEqual(meeting_place([offer("ann", 1, NEW), offer("bob", 2, 3)]), 2)
