"""The index of the sleeping tables."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import SeatRecord, TableId
from gamehost.lobby.sessions import Place, Sleepers, SleepingTable
from gamehost.testing.cases import PropertyCase


def table(number: int, names: Sequence[str], since: int = 0, address: str = "192.0.2.1") -> SleepingTable:
    """A sleeping table of these players, all of one address."""
    places = [
        Place(TableId(number), Seat(seat), SeatRecord(name, "onitama", address), 7.5) for seat, name in enumerate(names)
    ]
    return SleepingTable(TableId(number), "onitama", since, None, places, (address,) * len(names))


class SleepersTests(SynchronousTestCase):
    """By name, by address and by age."""

    def setUp(self) -> None:
        self.sleepers = Sleepers()

    def test_a_seat_is_found_by_its_players_name(self) -> None:
        """As names are compared; nothing is found of a table that was taken out."""
        ours = table(3, ("Ann", "bob"))
        self.sleepers.add([ours, table(4, ("cid", "dan"))])
        self.assertEqual(self.sleepers.find("ann"), ours.places[0])
        self.assertEqual((len(self.sleepers), self.sleepers.names, self.sleepers.tables()), (2, 4, [3, 4]))
        self.assertEqual(self.sleepers.remove(TableId(3)), ours)
        self.assertIsNone(self.sleepers.find("ann"))
        self.assertEqual((len(self.sleepers), self.sleepers.names, self.sleepers.tables()), (1, 2, [4]))
        self.assertRaises(KeyError, self.sleepers.remove, TableId(3))

    def test_a_name_belongs_to_the_newer_table(self) -> None:
        """The other table has a seat less."""
        self.sleepers.add([table(1, ("ann", "bob")), table(2, ("cid", "ann"))])
        found = self.sleepers.find("ann")
        assert found is not None
        self.assertEqual((found.table, found.seat), (2, 1))
        self.assertEqual([one and one.player.name for one in self.sleepers.table(TableId(1)).places], [None, "bob"])

    def test_the_oldest_is_found(self) -> None:
        """And those that have slept since some time, a limited number of them."""
        self.assertIsNone(self.sleepers.oldest)
        self.sleepers.add([table(number, (f"p{number}",), since=100 - number) for number in range(1, 6)])
        self.assertEqual(self.sleepers.oldest, 95)
        self.assertEqual(self.sleepers.overdue(97, 10), [5, 4, 3])
        self.assertEqual(self.sleepers.overdue(97, 2), [5, 4])

    def test_the_oldest_tables_of_an_address_go_first(self) -> None:
        """An IPv6 address counts as its network. Tables of other addresses stay."""
        here, there = "2001:db8::1", "192.0.2.2"
        self.sleepers.add([table(number, (f"p{number}",), number, here) for number in range(1, 6)])
        self.sleepers.add([table(number, (f"p{number}",), number, there) for number in range(11, 14)])
        self.sleepers.limit(3, "2001:db8::2")
        self.assertEqual(self.sleepers.overdue(0, 10), [1, 2])
        self.sleepers.limit(2)
        self.assertEqual(self.sleepers.overdue(0, 10), [1, 2, 3, 11])


ADDRESSES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")


class SharesTests(PropertyCase):
    """The limit of an address, while tables fall asleep and are woken in any order."""

    @given(st.lists(st.tuples(st.sets(st.sampled_from(ADDRESSES), min_size=1), st.integers(0, 3)), max_size=30))
    def test_a_table_goes_when_none_of_its_addresses_keeps_it(self, steps: list[tuple[set[str], int]]) -> None:
        """And never while one of them has it among its newest two."""
        sleepers, stay = Sleepers(), dict[int, set[str]]()
        for number, (addresses, woken) in enumerate(steps, 1):
            sleepers.add([of_addresses(number, addresses)])
            stay[number] = addresses
            for address in addresses:
                sleepers.limit(2, address)
            newest = {one for address in ADDRESSES for one in [n for n in stay if address in stay[n]][-2:]}
            gone = set(sleepers.overdue(0, 100))
            self.assertEqual(gone, stay.keys() - newest)
            for one in gone:
                self.assertEqual(sleepers.begin_end(TableId(one)).table, one)
                self.assertIsNotNone(sleepers.find(f"p{one}.0"))
                sleepers.remove(TableId(one))
                del stay[one]
            if woken and stay:
                wakes = sorted(stay)[-woken % len(stay)]
                sleepers.remove(TableId(wakes))
                del stay[wakes]
        whole = Sleepers()
        whole.add([of_addresses(number, addresses) for number, (addresses, _) in enumerate(steps, 1)])
        whole.limit(2)
        having = {a: [n for n, (these, _) in enumerate(steps, 1) if a in these][-2:] for a in ADDRESSES}
        newest = {one for some in having.values() for one in some}
        self.assertEqual(set(whole.overdue(0, 100)), set(range(1, len(steps) + 1)) - newest)

    def test_a_table_that_is_about_to_end(self) -> None:
        """It is found by name alone: neither its age nor its addresses count."""
        sleepers = Sleepers()
        sleepers.add([of_addresses(1, set(ADDRESSES[:1])), of_addresses(2, set(ADDRESSES[:1]))])
        sleepers.begin_end(TableId(1))
        sleepers.limit(1, ADDRESSES[0])
        self.assertEqual((sleepers.overdue(100, 10), sleepers.oldest), ([2], 2))
        self.assertEqual((sleepers.tables_of(ADDRESSES[0]), sleepers.ending), (1, {1}))
        sleepers.remove(TableId(1))
        self.assertEqual((sleepers.find("p1.0"), sleepers.ending), (None, set()))


def of_addresses(number: int, addresses: set[str]) -> SleepingTable:
    """A table with a player at each of these addresses, which has slept since the second of its number."""
    seats = enumerate(sorted(addresses))
    places = [
        Place(TableId(number), Seat(seat), SeatRecord(f"p{number}.{seat}", "w", address, False, ""), 0.0)
        for seat, address in seats
    ]
    return SleepingTable(TableId(number), "toy", number, None, places, tuple(sorted(addresses)))
