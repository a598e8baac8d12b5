"""The tests that every store of accounts must pass. Its tests derive `class BookTests(AccountsContract, PropertyCase)`."""

from functools import partial

from gamehost.accounts.passwords import Account, Accounts, Cost, Digest
from gamehost.testing.cases import Mixin

CHEAP = Cost(n=2, r=1, p=1)


def account(name: str, password: bytes = b"secret") -> Account:
    """An account whose digest costs next to nothing."""
    return Account(name, Digest.of(password, CHEAP))


def nobody(owner: Account) -> None:
    """Nobody waits for this account."""


class AccountsContract(Mixin):
    """The behaviours of all stores of accounts. Subclasses write `new_book` and, if callbacks come later, `settle`."""

    def new_book(self) -> Accounts:
        """A store without accounts."""
        raise NotImplementedError

    def settle(self) -> None:
        """Wait until everything is durable."""

    def test_what_was_added_is_found(self) -> None:
        """Under its key, which all spellings of its name share; at once."""
        book = self.new_book()
        self.assertIsNone(book.find("ann"))
        ann = account("Ann")
        book.add(ann, nobody)
        self.assertEqual(book.find("ann"), ann)
        self.assertIsNone(book.find("Ann"))

    def test_a_key_is_taken_once(self) -> None:
        """A second account of a key is not added. Whoever adds it is told which one has the key."""
        book = self.new_book()
        ann = account("ann")
        owners: list[Account] = []
        book.add(ann, owners.append)
        book.add(account("ANN"), owners.append)
        self.settle()
        self.assertEqual(owners, [ann, ann])
        self.assertEqual(book.find("ann"), ann)

    def test_changed_digest_takes_the_place_of_the_old(self) -> None:
        """Only of an account that is there."""
        book = self.new_book()
        self.assertRaises(ValueError, book.change, account("ann"), self.fail)
        book.add(account("ann"), nobody)
        newer = account("ann", b"other")
        book.change(newer, lambda: None)
        self.assertEqual(book.find("ann"), newer)

    def test_another_name(self) -> None:
        """The password stays; the old key is free, and the new one must be."""
        book = self.new_book()
        ann, bob = account("ann"), account("bob")
        self.assertRaises(ValueError, book.rename, ann, "carl", self.fail)
        book.add(ann, nobody)
        book.add(bob, nobody)
        self.assertRaises(ValueError, book.rename, ann, "BOB", self.fail)
        carl = book.rename(ann, "Carl", lambda: None)
        self.assertEqual((carl.name, carl.digest), ("Carl", ann.digest))
        self.assertEqual((book.find("ann"), book.find("carl")), (None, carl))
        book.rename(carl, "CARL", lambda: None)
        self.assertEqual(sorted(book.names()), ["CARL", "bob"])
        self.settle()

    def test_a_deleted_account(self) -> None:
        """Its key is free, for another account too."""
        book = self.new_book()
        self.assertRaises(ValueError, book.delete, account("ann"), self.fail)
        ann, other = account("ann"), account("ANN", b"other")
        book.add(ann, nobody)
        book.delete(ann, lambda: None)
        self.assertIsNone(book.find("ann"))
        owners: list[Account] = []
        book.add(other, owners.append)
        self.settle()
        self.assertEqual((owners, list(book.names())), ([other], ["ANN"]))

    def test_callbacks_come_once_in_the_order_of_the_calls(self) -> None:
        """For all kinds of writing."""
        book = self.new_book()
        called: list[str] = []
        book.add(account("ann"), lambda owner: called.append(owner.name))
        book.add(account("bob"), lambda owner: called.append(owner.name))
        changed = account("ann")
        book.change(changed, partial(called.append, "ann again"))
        book.delete(book.rename(changed, "carl", partial(called.append, "carl")), partial(called.append, "nobody"))
        self.settle()
        self.assertEqual(called, ["ann", "bob", "ann again", "carl", "nobody"])
