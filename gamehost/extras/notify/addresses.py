"""Mail addresses of players: which ones are accepted, the proof that an address is the player's, and the store's table."""

import hmac
import re
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from attrs import define, field, frozen

from gamehost.extras.notify.base64url import from_text, to_text
from gamehost.rates import KeyedBuckets, TokenBucket

#: What most addresses are, and nothing that a header or a command of SMTP would read in another way (RFC 5321, 4.1.2).
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}",
    re.ASCII,
)
LONGEST, LONGEST_LOCAL = 254, 64

#: Digits of a code, how often a wrong one may be tried, and for how many seconds it counts.
_CODE_DIGITS, _MOST_TRIES, CODE_SECONDS = 8, 5, 3600.0
#: Mails with codes: for one account and to one address in a day, and in an hour of the whole host.
CODES_A_DAY, CODES_AN_HOUR = 3, 60
#: Codes that wait at the same time.
_MOST_CODES = 1_000

WRONG_CODE = "the code is wrong, or too old: ask for another mail"
TOO_MANY_CODES = "too many mails with codes were sent: try again tomorrow"


class BadAddress(ValueError):
    """It is not accepted. The message says what was expected, and repeats nothing."""


def checked_address(text: str) -> str:
    """
    An address as a stranger has sent it.

    :raises BadAddress: it is not accepted
    """
    if len(text) > LONGEST or not _ADDRESS.fullmatch(text) or text.index("@") > LONGEST_LOCAL:
        raise BadAddress(f"expected a mail address such as ann@example.org, in ASCII, of {LONGEST} characters at most")
    return text


@frozen
class _CodeSent:
    """An address that waits for its code."""

    address: str = field(repr=False)
    code: str = field(repr=False)
    until: float
    tries: int = 0


@define(eq=False)
class Codes:
    """
    The codes that were sent to addresses, until they come back. They end with the process.

    :param seconds: the time, in seconds
    """

    _seconds: Callable[[], float]
    _asked: dict[str, _CodeSent] = field(init=False, factory=dict, repr=False)
    _rates: KeyedBuckets[str] = field(init=False)
    _rate: TokenBucket = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._rates = KeyedBuckets(CODES_A_DAY / 86_400, CODES_A_DAY)
        self._rate = TokenBucket(CODES_AN_HOUR / 3600, CODES_AN_HOUR, self._seconds())

    def ask(self, account: str, address: str) -> str:
        """
        A new code for an address. An earlier one of this account does not count any more.

        :raises BadAddress: too many were sent
        """
        now = self._seconds()
        buckets = [self._rates.of(account, now), self._rates.of(address.lower(), now), self._rate]
        if not all(bucket.has_one(now) for bucket in buckets):
            raise BadAddress(TOO_MANY_CODES)
        for bucket in buckets:
            bucket.take(now)
        self._asked.pop(account, None)
        while len(self._asked) >= _MOST_CODES:
            del self._asked[next(iter(self._asked))]
        code = f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"
        self._asked[account] = _CodeSent(address, code, now + CODE_SECONDS)
        return code

    def waiting(self, account: str) -> str | None:
        """The address of an account that waits for its code."""
        asked = self._asked.get(account)
        return None if asked is None or asked.until < self._seconds() else asked.address

    def confirm(self, account: str, code: str) -> str:
        """
        The address to which a code was sent.

        :raises BadAddress: it is not this code, or too old
        """
        asked = self._asked.pop(account, None)
        if asked is None or asked.until < self._seconds():
            raise BadAddress(WRONG_CODE)
        if not hmac.compare_digest(code.encode(), asked.code.encode()):
            if asked.tries + 1 < _MOST_TRIES:
                self._asked[account] = _CodeSent(asked.address, asked.code, asked.until, asked.tries + 1)
            raise BadAddress(WRONG_CODE)
        return asked.address

    def forget(self, account: str) -> None:
        """The account waits for no code."""
        self._asked.pop(account, None)


def stopping_proof(key: bytes, account: str, address: str) -> str:
    """The proof that ends the mails to an address without a log-in. It is in each mail."""
    proof = hmac.digest(key, f"{account}\0{address}".encode(), sha256)[:16]
    return f"{to_text(account.encode())}.{to_text(proof)}"


def account_in(proof: str) -> str:
    """
    The account of such a proof, which is not checked.

    :raises ValueError: it is none
    """
    return from_text(proof.partition(".")[0]).decode()


@frozen
class Mailbox:
    """One row of the store."""

    #: The account's key.
    account: str
    address: str = field(repr=False)
    #: When the last mail was sent, in seconds since 1970.
    mailed: int


@frozen
class StoredMailboxes:
    """
    The addresses in the store of a host. A row goes with its account: the store sees to that.

    :param journal: a `gamehost.storage.durable.DurableJournal`
    """

    _journal: Any

    def put(self, box: Mailbox, put: Callable[[], None]) -> None:
        """Add the address of an account, or replace it."""
        sql = """
            INSERT INTO mailbox(key, address, mailed) SELECT key, ?, ? FROM account WHERE key = ?
            ON CONFLICT (key) DO UPDATE SET address = excluded.address, mailed = excluded.mailed"""
        self._change(sql, (box.address, box.mailed, box.account), put)

    def of(self, account: str, found: Callable[[Mailbox | None], None]) -> None:
        """Find the address of an account."""

        def read(store: Any) -> Mailbox | None:
            rows = store.database.rows("SELECT key, address, mailed FROM mailbox WHERE key = ?", (account,))
            return Mailbox(*rows[0]) if rows else None

        self._journal.ask_store(read, found)

    def drop(self, account: str, dropped: Callable[[], None]) -> None:
        """Remove the address of an account."""
        self._change("DELETE FROM mailbox WHERE key = ?", (account,), dropped)

    def _change(self, sql: str, values: tuple[Any, ...], changed: Callable[[], None]) -> None:
        self._journal.ask_store(lambda store: store.database.run(sql, values), lambda _: changed())
