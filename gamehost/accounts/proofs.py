"""
Proofs: facts that accounts have proved in the last 30 days, stored across restarts.

An account proves its password, and the addresses from which it can be reached. The host remembers both as keyed digests
(HMAC-SHA256), so nothing in the store can be read. The key of the digests is not in the store. A copy of the store
alone does not help to guess a password more quickly than scrypt allows.
"""

import hmac
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Protocol

from attrs import define, field, frozen

from gamehost.accounts.passwords import Account

#: How many days a proof is valid after it was last shown.
PROOF_DAYS = 30
#: The most addresses that are stored for each account.
KNOWN_ADDRESSES = 8

SECONDS_PER_DAY = 86_400


@frozen
class Proof:
    """One row of the store."""

    #: The account's key.
    key: str
    #: Whether this is an address; else it is a password.
    of_address: bool
    digest: bytes = field(repr=False)
    #: When it was last shown, in days since 1970.
    day: int


class ProofStore(Protocol):
    """The store of the proofs. No caller waits until a proof is durable."""

    def proofs(self) -> Iterable[Proof]:
        """All proofs. This is called once, at the start."""

    def put_proof(self, proof: Proof) -> None:
        """Add a proof, or replace the one with the same key and digest."""

    def drop_proof(self, proof: Proof) -> None:
        """Remove a proof, if it is there."""


class MemoryProofs:
    """Proofs that end with the process, for tests and for a host without a store."""

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
    password: Proof | None = None
    #: By digest; the one that was shown least recently comes first.
    addresses: dict[bytes, Proof] = field(factory=dict)


class ProvenLogins:
    """
    The proofs of all accounts.

    :param secret: the key of the digests
    :param wall: seconds since 1970
    """

    def __init__(self, secret: bytes, store: ProofStore, wall: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._store = store
        self._wall = wall
        self._proved: dict[str, _Proved] = {}
        for proof in sorted(store.proofs(), key=lambda proof: proof.day):
            if self._counts(proof):
                self._hold(proof)
            else:
                store.drop_proof(proof)

    def fits(self, account: Account, password: bytes) -> bool:
        """
        Whether this password was proved for this account. Takes microseconds.

        `False`: it is wrong, or it was not proved in the last 30 days, or the account has a new digest.
        """
        shown = self._password(account.key)
        return shown is not None and hmac.compare_digest(shown.digest, self._of_password(account, password))

    def has_password(self, account: Account) -> bool:
        """Whether `fits` can be true for some password."""
        return self._password(account.key) is not None

    def knows(self, key: str, address: str) -> bool:
        """Whether the account has logged in from this address in the last 30 days."""
        proved = self._proved.get(key)
        proof = None if proved is None else proved.addresses.get(self._of_address(key, address))
        return proof is not None and self._counts(proof)

    def note(self, account: Account, password: bytes, address: str) -> None:
        """Remember a log-in with the right password. The store is written to once a day at most for each digest."""
        proved = self._proved.get(account.key) or _Proved()
        today = self._today
        shown = Proof(account.key, False, self._of_password(account, password), today)
        if proved.password is not None and proved.password.digest != shown.digest:
            self._store.drop_proof(proved.password)
        if proved.password != shown:
            self._store.put_proof(shown)
        here = Proof(account.key, True, self._of_address(account.key, address), today)
        if proved.addresses.get(here.digest) != here:
            self._store.put_proof(here)
        self._hold(shown)
        for oldest in self._hold(here):
            self._store.drop_proof(oldest)

    def forget(self, key: str) -> None:
        """Remove all proofs of an account, because its password was changed, or its name is not in use any more."""
        proved = self._proved.pop(key, None)
        if proved is not None:
            for proof in [*filter(None, [proved.password]), *proved.addresses.values()]:
                self._store.drop_proof(proof)

    def last_day(self, key: str) -> int | None:
        """The day of the last log-in of an account, in days since 1970; `None`: it has not logged in within 30 days."""
        shown = self._password(key)
        return None if shown is None else shown.day

    def _password(self, key: str) -> Proof | None:
        proved = self._proved.get(key)
        shown = None if proved is None else proved.password
        return shown if shown is not None and self._counts(shown) else None

    def _hold(self, proof: Proof) -> list[Proof]:
        """Add a proof. Returns the addresses that have to be removed to make room for it."""
        proved = self._proved.setdefault(proof.key, _Proved())
        if not proof.of_address:
            proved.password = proof
            return []
        proved.addresses.pop(proof.digest, None)
        proved.addresses[proof.digest] = proof
        surplus = list(proved.addresses)[:-KNOWN_ADDRESSES]
        return [proved.addresses.pop(digest) for digest in surplus]

    @property
    def _today(self) -> int:
        return int(self._wall()) // SECONDS_PER_DAY

    def _counts(self, proof: Proof) -> bool:
        return self._today - proof.day < PROOF_DAYS

    def _of_password(self, account: Account, password: bytes) -> bytes:
        """
        The digest of a proved password. It depends on the account's digest, too, so a change of the password makes it
        invalid.
        """
        return hmac.digest(self._secret, b"password" + account.digest.salt + account.digest.hash + password, sha256)

    def _of_address(self, key: str, address: str) -> bytes:
        return hmac.digest(self._secret, b"address" + key.encode() + b"\0" + address.encode(), sha256)
