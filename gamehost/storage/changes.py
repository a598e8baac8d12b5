"""
What can be committed to a store. A store carries out the changes of a group in the order in which they were added.

Each store writes them in its own way: these classes say what changes, and have no SQL.
"""

from typing import TypeAlias

from attrs import define, field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, TableHeader, TableId
from gamehost.storage.questions import Reading


@frozen
class Sleep:
    """The last player of an unfinished table is gone, or one has come back."""

    table: TableId
    #: In seconds of up-time; `None`: a player is there.
    since: int | None


@frozen
class Told:
    """A player has been told the end of a finished table."""

    table: TableId
    #: `None`: nobody else is to be told.
    seat: Seat | None


@frozen
class Uptime:
    """For how many seconds hosts have run on the store."""

    seconds: int


@define(eq=False)
class Beat:
    """A member of a cluster shows that it lives, and finds out whether it still does."""

    #: The highest number of a table of any member, as it is at the commit; 0: there is none.
    last_table: int = 0


@define(eq=False)
class AddAccount:
    """Add an account, if its key is free."""

    account: Account
    #: The account that has the key after the commit: this one, or the one that had it before.
    owner: Account = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.owner = self.account


@frozen
class ChangeAccount:
    """Replace the digest of an account."""

    account: Account


@frozen
class RenameAccount:
    """Give an account another name, whose key is free."""

    #: Under its new name.
    account: Account
    #: The key that it had.
    key: str


@frozen
class DeleteAccount:
    """Delete an account: its name and its digest."""

    key: str


@frozen
class PutProof:
    """Add a proof, or replace the one with the same key and digest."""

    proof: Proof


@frozen
class DropProof:
    """Remove a proof, if it is there."""

    proof: Proof


@frozen
class PutBan:
    """Add a ban, or replace the one with the same key."""

    ban: Ban


@frozen
class DropBan:
    """Remove a ban, if it is there."""

    key: str


#: A table's opening, or one of its entries.
Record: TypeAlias = tuple[TableId, TableHeader | Entry]

#: A change that is no row of a table's record.
AccountNote: TypeAlias = AddAccount | ChangeAccount | RenameAccount | DeleteAccount | PutProof | DropProof
Note: TypeAlias = Sleep | Told | Uptime | Beat | AccountNote | PutBan | DropBan

#: All changes, and what is read in order with them.
Change: TypeAlias = Record | Note | Reading


@frozen
class UnreadableRow:
    """A table that is unfinished and cannot be continued, with the reason."""

    table: TableId
    why: str


class StoreFailed(Exception):
    """A write has failed before; the disk must be read again."""
