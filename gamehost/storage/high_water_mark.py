"""
The high-water mark: a file beside the journal that says how much of it was durable.

SQLite silently drops the end of a damaged write-ahead log, and an old copy of a journal looks like a journal. So the mark
has the number of the last row, the number of rows, and a hash of both and of the last row's hash. A journal that holds
less is refused. The mark also has the number of accounts. Changes to an account's row are not covered.
"""

import json
from hashlib import sha256

from attrs import frozen

from gamehost.storage.database import Connection, Loss, has_table
from gamehost.storage.record_check import count_rows, read_checked

SUFFIX = ".hwm"


@frozen
class Mark:
    """How much a journal held at some moment."""

    #: The last row's `seq`; 0: there was none.
    last: int
    #: How many rows were ever added. Those that were moved to archives count too.
    count: int
    #: Of the two numbers and the last row's hash.
    seal: str
    #: How many accounts. Older releases did not count them.
    accounts: int = 0
    #: Whether a write-ahead log was beside the store, as while a host runs.
    log: bool = False
    #: A random name for one run of a host; empty for a copy.
    run: str = ""

    @property
    def empty(self) -> bool:
        """Whether the journal was empty."""
        return not self.count and not self.accounts

    @property
    def held(self) -> str:
        """The numbers in words."""
        return f"{self.count} rows of it" + (f" and {self.accounts} accounts" if self.accounts else "")


def mark_of(last: int, count: int, h: bytes, accounts: int) -> Mark:
    """
    :param h: of the row whose `seq` is `last`
    """
    if not count:
        return Mark(0, 0, "", accounts)
    return Mark(last, count, sha256(f"{last} {count} ".encode("ascii") + h).hexdigest(), accounts)


def write_mark(mark: Mark) -> str:
    """The text of the file."""
    fields: dict[str, object] = {"max_seq": mark.last, "count": mark.count, "sha": mark.seal, "accounts": mark.accounts}
    if mark.log:
        fields["log"] = True
    if mark.run:
        fields["run"] = mark.run
    return json.dumps(fields) + "\n"


def read_mark(text: str) -> Mark:
    """
    :raises Loss: not what `write_mark` writes
    """
    try:
        fields = json.loads(text)
        last, count, seal = fields["max_seq"], fields["count"], fields["sha"]
        accounts, log, run = fields.get("accounts", 0), fields.get("log", False), fields.get("run", "")
    except (ValueError, KeyError, TypeError, RecursionError):
        last = count = seal = accounts = log = run = None
    numbers = (last, count, accounts)
    if (
        any(type(number) is not int or number < 0 for number in numbers)
        or type(seal) is not str
        or type(log) is not bool
    ):
        raise Loss(f"the file {SUFFIX} beside the journal cannot be read, so the journal cannot be checked with it")
    return Mark(last, count, seal, accounts, log, str(run))


def accounts_in(connection: Connection) -> int:
    """How many accounts a store holds; a store of a release without accounts holds none."""
    if not has_table(connection, "account"):
        return 0
    return int(connection.execute("SELECT count(*) FROM account").fetchone()[0])


def held(connection: Connection) -> Mark:
    """The mark of a store as it is now. Reads the rows that were not checked before."""
    row = connection.execute("SELECT seq, h FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, b"")
    return mark_of(row[0], count_rows(connection, read_checked(connection)), row[1], accounts_in(connection))


def check(connection: Connection, mark: Mark | None, count: int) -> None:
    """
    Check that a store holds at least as much as its mark says.

    :param mark: `None` if there is no file
    :param count: of all rows that were ever added to the store
    :raises Loss: the store holds less, or something else
    """
    last = connection.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
    if mark is None:
        if last or accounts_in(connection):
            raise Loss("the journal's file .hwm, which says how long the journal was, is missing")
        return
    if mark.accounts and (accounts := accounts_in(connection)) < mark.accounts:
        raise Loss(f"the journal has {accounts} accounts, and {mark.accounts} were durable")
    if mark.count == 0:
        return
    if last < mark.last:
        raise Loss(f"the journal is shorter than recorded: it ends at row {last}, and row {mark.last} was durable")
    count -= connection.execute("SELECT count(*) FROM event WHERE seq > ?", (mark.last,)).fetchone()[0]
    if count != mark.count:
        raise Loss(f"the journal has {count} rows up to row {mark.last}, and {mark.count} were durable")
    h = connection.execute("SELECT h FROM event WHERE seq = ?", (mark.last,)).fetchone()
    if h is None or mark_of(mark.last, mark.count, h[0], mark.accounts).seal != mark.seal:
        raise Loss(f"row {mark.last} is not the one that was recorded: this is another journal, or it was changed")
