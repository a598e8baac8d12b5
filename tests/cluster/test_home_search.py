"""Where a connection goes whose home ends on the way."""

from gamehost.cluster.claiming import HomeSearch
from gamehost.storage.names import Member
from tests.kit.cluster_case import ClusterCase


class HomeSearchTests(ClusterCase):
    """Seen from the second of three members."""

    members = 3

    def search(self, home: int) -> HomeSearch:
        return HomeSearch(self.second.cluster, "ann", home)

    def epoch(self, found: Member | bool | None) -> int | None:
        """The number of the member that was found."""
        return found.epoch if isinstance(found, Member) else None

    def test_the_home(self) -> None:
        """The home that was known at first, as long as it lives; nothing is claimed for that."""
        search = self.search(3)
        self.assertEqual(self.epoch(search.find()), 3)
        self.assertEqual(self.second.cluster._claims, {})

    def test_here(self) -> None:
        """This member itself."""
        self.assertIs(self.search(2).find(), False)

    def test_it_has_ended(self) -> None:
        """The name is claimed again, once, and it is here then until the search ends."""
        self.world.hosts[2].kill()
        self.world.wait(1)
        search = self.search(3)
        for _ in range(3):
            self.assertIsNone(search.find())
        self.world.wait(0.1)
        self.assertIs(search.find(), False)
        self.world.wait(1)
        self.assertEqual(self.homes(), {"ann": 2})
        search.end()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})

    def test_the_heir_has_it(self) -> None:
        """The name has another home by then, and nothing stays claimed here."""
        self.world.hosts[2].kill()
        self.world.wait(1)
        self.log_in(self.first, "ann")
        search = self.search(3)
        search.find()
        self.world.wait(0.1)
        self.assertEqual(self.epoch(search.find()), 1)
        search.end()
        self.assertEqual((self.second.cluster._claims, self.second.cluster._elsewhere), ({}, set()))

    def test_it_is_over_before_the_answer(self) -> None:
        """The name that the answer brings is free again."""
        self.world.hosts[2].kill()
        self.world.wait(1)
        search = self.search(3)
        search.find()
        search.end()
        self.world.wait(0.1)
        self.assertEqual(self.homes(), {})
