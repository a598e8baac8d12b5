"""
Proofs: the passwords and addresses with which accounts have logged in during the last 30 days. With them the next log-in is
quick. They are stored, so they remain after a restart.

Passwords and addresses are stored only as keyed digests (HMAC-SHA256), and the key is not in the store. So with a copy of the
store, nobody can read them, or guess passwords more quickly than scrypt allows.
"""

import hmac
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Protocol

from attrs import define, field, frozen

from gamehost.accounts.passwords import Account

#: How many days a proof is valid after the last log-in with it.
PROOF_DAYS = 30
#: The most addresses that are stored for each account.
KNOWN_ADDRESSES = 8

SECONDS_PER_DAY = 86_400


@frozen
class Proof:
    """A password or an address with which an account has logged in: one row of the store."""

    #: The key of the account's name.
    key: str
    #: Whether this is an address; otherwise it is a password.
    of_address: bool
    #: The keyed digest of the address or the password.
    digest: bytes = field(repr=False)
    #: The day of the last log-in with it, in days since 1970.
    day: int


class ProofStore(Protocol):
    """The store of the proofs. No caller waits until a proof is durable."""

    def proofs(self) -> Iterable[Proof]:
        """Read all proofs. This is called once, at the start."""

    def put_proof(self, proof: Proof) -> None:
        """Store a proof, in place of the one with the same key and digest if there is one."""

    def drop_proof(self, proof: Proof) -> None:
        """Remove a proof, if it is there."""


class MemoryProofs:
    """A store of proofs in memory, for tests and for a host without a store. They are lost when the process ends."""

    def __init__(self) -> None:
        self._proofs: dict[tuple[str, bytes], Proof] = {}

    def proofs(self) -> Iterable[Proof]:
        return list(self._proofs.values())

    def put_proof(self, proof: Proof) -> None:
        self._proofs[proof.key, proof.digest] = proof

    def drop_proof(self, proof: Proof) -> None:
        self._proofs.pop((proof.key, proof.digest), None)


@define(eq=False)
class _Proved:
    """The proofs of one account."""

    password: Proof | None = None
    #: By digest. The address that was used longest ago is the first.
    addresses: dict[bytes, Proof] = field(factory=dict)


class ProvenLogins:
    """
    The proofs of all accounts: stores the password and the address of each log-in, and checks later log-ins by them.

    :param secret: the key of the digests
    :param wall: returns the time in seconds since 1970
    """

    def __init__(self, secret: bytes, store: ProofStore, wall: Callable[[], float] = time.time) -> None:
        """Read the proofs from the store, and drop those that are too old. The class describes the parameters."""
        self._secret = secret
        self._store = store
        self._wall = wall
        self._proved: dict[str, _Proved] = {}
        # The oldest first, because `_hold` regards the last one as the newest.
        for proof in sorted(store.proofs(), key=lambda proof: proof.day):
            if self._counts(proof):
                self._hold(proof)
            else:
                store.drop_proof(proof)

    def fits(self, account: Account, password: bytes) -> bool:
        """
        Whether an account has logged in with this password in the last 30 days. This takes only microseconds.

        :returns: `False`: the password may be wrong, or it was not used in this time, or the account has a new digest
        """
        shown = self._password(account.key)
        return shown is not None and hmac.compare_digest(shown.digest, self._of_password(account, password))

    def has_password(self, account: Account) -> bool:
        """Whether a valid password proof of an account is stored, so that `fits` can return `True`."""
        return self._password(account.key) is not None

    def knows(self, key: str, address: str) -> bool:
        """Whether the account with this key has logged in from an address in the last 30 days."""
        proved = self._proved.get(key)
        proof = None if proved is None else proved.addresses.get(self._of_address(key, address))
        return proof is not None and self._counts(proof)

    def note(self, account: Account, password: bytes, address: str) -> None:
        """
        Store the password and the address of a log-in, after the password was checked. For each of them, the store is written
        to at most once a day.
        """
        proved = self._proved.get(account.key) or _Proved()
        today = self._today
        # The password: an account has only one proof of it. An equal proof was stored today already.
        shown = Proof(account.key, False, self._of_password(account, password), today)
        if proved.password is not None and proved.password.digest != shown.digest:
            self._store.drop_proof(proved.password)
        if proved.password != shown:
            self._store.put_proof(shown)
        # The address: of these, an account has several.
        here = Proof(account.key, True, self._of_address(account.key, address), today)
        if proved.addresses.get(here.digest) != here:
            self._store.put_proof(here)
        self._hold(shown)
        for oldest in self._hold(here):
            self._store.drop_proof(oldest)

    def forget(self, key: str) -> None:
        """Remove all proofs of the account with this key, because its password was changed, or its name is free now."""
        proved = self._proved.pop(key, None)
        if proved is not None:
            for proof in [*filter(None, [proved.password]), *proved.addresses.values()]:
                self._store.drop_proof(proof)

    def last_day(self, key: str) -> int | None:
        """The day of the last log-in of an account, in days since 1970; `None`: it has not logged in within 30 days."""
        shown = self._password(key)
        return None if shown is None else shown.day

    def _password(self, key: str) -> Proof | None:
        """The valid password proof of an account; `None`: there is none."""
        proved = self._proved.get(key)
        shown = None if proved is None else proved.password
        return shown if shown is not None and self._counts(shown) else None

    def _hold(self, proof: Proof) -> list[Proof]:
        """Add a proof in memory. If the account has too many addresses then, remove the oldest ones, and return them."""
        proved = self._proved.setdefault(proof.key, _Proved())
        if not proof.of_address:
            proved.password = proof
            return []
        proved.addresses.pop(proof.digest, None)  # so that it stands last, as the newest
        proved.addresses[proof.digest] = proof
        surplus = list(proved.addresses)[:-KNOWN_ADDRESSES]
        return [proved.addresses.pop(digest) for digest in surplus]

    @property
    def _today(self) -> int:
        return int(self._wall()) // SECONDS_PER_DAY

    def _counts(self, proof: Proof) -> bool:
        """Whether a proof is still valid."""
        return self._today - proof.day < PROOF_DAYS

    def _of_password(self, account: Account, password: bytes) -> bytes:
        """
        The keyed digest of a password. It depends also on the account's digest, so that it becomes invalid when the password is
        changed.
        """
        return hmac.digest(self._secret, b"password" + account.digest.salt + account.digest.hash + password, sha256)

    def _of_address(self, key: str, address: str) -> bytes:
        return hmac.digest(self._secret, b"address" + key.encode() + b"\0" + address.encode(), sha256)
