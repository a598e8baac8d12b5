"""The changes of a store."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.changes import AddAccount
from tests.kit.accounts_contract import account


class AddAccountTests(SynchronousTestCase):
    """The change that has an answer."""

    def test_the_key_is_free_unless_the_store_says_otherwise(self) -> None:
        """A store writes the owner only if the key was taken."""
        ann = account("ann")
        self.assertIs(AddAccount(ann).owner, ann)
