"""The tests that every store of bans must pass. Its tests derive `class BansTests(BansContract, PropertyCase)`."""

from functools import partial

from gamehost.accounts.bans import Ban, BanStore
from gamehost.testing.cases import Mixin

OLDER = Ban("name:ann", "Ann", 1, 2)
NEWER = Ban("name:ann", "ann", 3)
OTHER = Ban("network:192.0.2.0/24", "192.0.2.0/24", 5, 6)


class BansContract(Mixin):
    """The behaviours of all stores of bans. Subclasses write `new_store`, `restarted`, and `settle` if callbacks come later."""

    def new_store(self) -> BanStore:
        """A store without bans."""
        raise NotImplementedError

    def restarted(self) -> BanStore:
        """The same store in the next life of the host."""
        raise NotImplementedError

    def settle(self) -> None:
        """Wait until everything is durable."""

    def test_a_ban_is_there_in_the_next_life(self) -> None:
        """As it was put last. One that was dropped is not."""
        store = self.new_store()
        self.assertEqual(list(store.bans()), [])
        for ban in (OLDER, OTHER, NEWER):
            store.put_ban(ban, lambda: None)
        store.drop_ban(OTHER.key, lambda: None)
        store.drop_ban("name:nobody", lambda: None)
        self.assertEqual(list(self.restarted().bans()), [NEWER])

    def test_callbacks_come_once_in_the_order_of_the_calls(self) -> None:
        """For both kinds of writing."""
        store, called = self.new_store(), list[int]()
        store.put_ban(OLDER, partial(called.append, 1))
        store.drop_ban(OLDER.key, partial(called.append, 2))
        store.drop_ban(OLDER.key, partial(called.append, 3))
        self.settle()
        self.assertEqual(called, [1, 2, 3])
