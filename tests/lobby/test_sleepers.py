"""The index of the sleeping tables."""

from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import SeatRecord, TableId
from gamehost.lobby.sleepers import Place, Sleepers, SleepingTable


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
