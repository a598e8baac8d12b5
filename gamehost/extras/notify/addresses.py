"""
Mail addresses of players: checks addresses, proves by codes that an address belongs to the player, and stores addresses.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from attrs import define, field, frozen

from gamehost.extras.notify.base64url import from_text, to_text
from gamehost.rates import KeyedBuckets, TokenBucket

#: The form of nearly all mail addresses. It excludes all characters with a special meaning in headers or in commands of SMTP
#: (RFC 5321, 4.1.2).
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}",
    re.ASCII,
)
#: The most characters of an address, and of its part before the `@`.
LONGEST, LONGEST_LOCAL = 254, 64

#: How many digits a code has, how many tries there are, and for how many seconds a code is valid.
_CODE_DIGITS, _MOST_TRIES, CODE_SECONDS = 8, 5, 3600.0
#: The most mails with codes for one account, and to one address, in a day; and the most of the whole host in an hour.
CODES_A_DAY, CODES_AN_HOUR = 3, 60
#: The most codes that wait at the same time.
_MOST_CODES = 1_000

WRONG_CODE = "the code is wrong, or too old: ask for another mail"
TOO_MANY_CODES = "too many mails with codes were sent: try again tomorrow"


class BadAddress(ValueError):
    """A mail address or a code is not accepted. The message says what was expected, and does not repeat the input."""


def checked_address(text: str) -> str:
    """
    Checks an address that a stranger has sent, and returns it.

    :raises BadAddress: the address is not accepted
    """
    if len(text) > LONGEST or not _ADDRESS.fullmatch(text) or text.index("@") > LONGEST_LOCAL:
        raise BadAddress(f"expected a mail address such as ann@example.org, in ASCII, of {LONGEST} characters at most")
    return text


@frozen
class _CodeSent:
    """A code that was sent to an address, and has not come back yet."""

    address: str = field(repr=False)
    code: str = field(repr=False)
    #: The time at which the code expires, and how many wrong codes were tried.
    until: float
    tries: int = 0


@define(eq=False)
class Codes:
    """
    The codes that were sent to mail addresses. A player that enters the right code has proved that the address is its own.
    Codes are stored in memory only.

    :param seconds: returns the time in seconds
    """

    _seconds: Callable[[], float]
    #: The codes by account, the oldest first.
    _asked: dict[str, _CodeSent] = field(init=False, factory=dict, repr=False)
    _rates: KeyedBuckets[str] = field(init=False)
    _rate: TokenBucket = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._rates = KeyedBuckets(CODES_A_DAY / 86_400, CODES_A_DAY)
        self._rate = TokenBucket(CODES_AN_HOUR / 3600, CODES_AN_HOUR, self._seconds())

    def ask(self, account: str, address: str) -> str:
        """
        Makes a new code for an address. An earlier code of this account is not valid any more.

        :param account: the key of the account
        :raises BadAddress: too many codes were sent lately
        """
        now = self._seconds()
        buckets = [self._rates.of(account, now), self._rates.of(address.lower(), now), self._rate]
        # First look at all rates: a refused request takes a token from none.
        if not all(bucket.has_one(now) for bucket in buckets):
            raise BadAddress(TOO_MANY_CODES)
        for bucket in buckets:
            bucket.take(now)
        # A dictionary has its oldest entry first: put the new code at the end, and drop the oldest ones.
        self._asked.pop(account, None)
        while len(self._asked) >= _MOST_CODES:
            del self._asked[next(iter(self._asked))]
        code = f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"
        self._asked[account] = _CodeSent(address, code, now + CODE_SECONDS)
        return code

    def waiting(self, account: str) -> str | None:
        """Returns the address of an account to which a code was sent; `None`: no code waits."""
        asked = self._asked.get(account)
        return None if asked is None or asked.until < self._seconds() else asked.address

    def confirm(self, account: str, code: str) -> str:
        """
        Checks the code that a player has entered. Returns the address to which it was sent.

        :raises BadAddress: the code is wrong, or too old
        """
        # The code is removed. Only a wrong one with tries left is stored again.
        asked = self._asked.pop(account, None)
        if asked is None or asked.until < self._seconds():
            raise BadAddress(WRONG_CODE)
        if not hmac.compare_digest(code.encode(), asked.code.encode()):
            if asked.tries + 1 < _MOST_TRIES:
                self._asked[account] = _CodeSent(asked.address, asked.code, asked.until, asked.tries + 1)
            raise BadAddress(WRONG_CODE)
        return asked.address

    def forget(self, account: str) -> None:
        """Removes the code of an account."""
        self._asked.pop(account, None)


def stopping_proof(key: bytes, account: str, address: str) -> str:
    """
    Returns the proof with which a reader of a mail can end the mails without a log-in. It is part of a link in each mail.

    :param key: a secret of the host
    :param account: the key of the account
    """
    proof = hmac.digest(key, f"{account}\0{address}".encode(), sha256)[:16]
    return f"{to_text(account.encode())}.{to_text(proof)}"


def account_in(proof: str) -> str:
    """
    Returns the key of the account in a proof of `stopping_proof`. The proof itself is not checked.

    :raises ValueError: the text does not have the form of a proof
    """
    return from_text(proof.partition(".")[0]).decode()


@frozen
class Mailbox:
    """The mail address of an account, as it is stored."""

    #: The account's key.
    account: str
    address: str = field(repr=False)
    #: The time of the last mail, in seconds since 1970; 0: none was sent.
    mailed: int


@frozen
class StoredMailboxes:
    """
    The mail addresses in the store of a host. The store removes an address with its account.

    :param journal: a `gamehost.storage.durable.DurableJournal`
    """

    _journal: Any

    def put(self, box: Mailbox, put: Callable[[], None]) -> None:
        """
        Adds the address of an account, or replaces it. An account that was deleted meanwhile gets none. `put` is called
        when it is stored.
        """
        sql = """
            INSERT INTO mailbox(key, address, mailed) SELECT key, ?, ? FROM account WHERE key = ?
            ON CONFLICT (key) DO UPDATE SET address = excluded.address, mailed = excluded.mailed"""
        self._change(sql, (box.address, box.mailed, box.account), put)

    def of(self, account: str, found: Callable[[Mailbox | None], None]) -> None:
        """Finds the address of an account, and calls `found` with it."""

        def read(store: Any) -> Mailbox | None:
            rows = store.database.rows("SELECT key, address, mailed FROM mailbox WHERE key = ?", (account,))
            return Mailbox(*rows[0]) if rows else None

        self._journal.ask_store(read, found)

    def drop(self, account: str, dropped: Callable[[], None]) -> None:
        """Removes the address of an account. `dropped` is called when this is stored."""
        self._change("DELETE FROM mailbox WHERE key = ?", (account,), dropped)

    def _change(self, sql: str, values: tuple[Any, ...], changed: Callable[[], None]) -> None:
        """Runs a statement in the store's thread, and then calls a function."""
        self._journal.ask_store(lambda store: store.database.run(sql, values), lambda _: changed())
