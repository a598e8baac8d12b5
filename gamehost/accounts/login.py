"""
The desk where accounts log in: a name and a password in, a yes or a no out, once.

Quotas come before work: what is over one costs next to nothing. Passwords are worked on one at a time, elsewhere than
in the reactor's turn. A name that nobody has becomes an account; where it cannot, the same work is done as for a
wrong password, and the same is said. A right password is cheap to check again while the host lives.
"""

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from hashlib import sha256
from typing import Any

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.accounts.names import NameRefused, checked_name, key_of
from gamehost.accounts.passwords import Account, Accounts, Cost, Digest, PasswordRefused, checked_password
from gamehost.limits import KeyedBuckets, Limits, TokenBucket, is_loopback, rate_limit_key

#: Has the first called where it may take its time, one at a time, and then the second, with what it gave, in the
#: reactor's thread.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

#: A guess that would have to wait longer, in seconds, is not taken.
LONGEST_WAIT = 60.0

#: So many addresses from which an account has logged in are remembered.
KNOWN_ADDRESSES = 8


@frozen
class LoginRefused:
    """No; the reason is for the client."""

    reason: str


#: An account's name, or why not.
LoginOutcome = str | LoginRefused


@frozen
class _Judgement:
    """What work on a password gave: whether it fits, and a digest of it where a new one is wanted."""

    fits: bool
    digest: Digest | None


def _judge(password: bytes, digest: Digest | None, cost: Cost) -> _Judgement:
    """The work, in the worker's thread: it touches nothing but what it is given."""
    if digest is None:
        return _Judgement(False, Digest.of(password, cost))
    fits = digest.fits(password)
    return _Judgement(fits, Digest.of(password, cost) if fits and digest.cost.time < cost.time else None)


def _safely(work: Callable[[], _Judgement]) -> _Judgement | Failure:
    try:
        return work()
    except Exception:  # such as no memory: this log-in fails, the desk stays
        return Failure()


@define(eq=False)
class LoginAttempt:
    """A log-in that is being judged."""

    name: str
    key: str
    #: Whom it is counted as.
    address: str
    password: bytes = field(repr=False)
    answer: Callable[[LoginOutcome], None] = field(repr=False)
    #: Tokens taken, which a wrong password leaves spent.
    rate_tokens: list[TokenBucket] = field(factory=list, repr=False)
    #: Tokens taken for a new account, if it may become one.
    signup_tokens: list[TokenBucket] = field(factory=list, repr=False)
    wait: IDelayedCall | None = field(default=None, repr=False)
    over: bool = False

    def cancel(self) -> None:
        """The client is gone: there will be no answer."""
        if not self.over:
            self.over = True
            if self.wait is not None and self.wait.active():
                self.wait.reset(0)


@define(eq=False)
class _Proof:
    """What is remembered of an account that has logged in, while the host lives."""

    #: Of the password, under a key that nobody knows and that ends with the process.
    mac: bytes = field(repr=False)
    addresses: deque[str] = field(factory=lambda: deque(maxlen=KNOWN_ADDRESSES))


class LoginService:
    """
    The desk.

    :param accounts: the book
    :param is_guest: whether a guest has this key
    :param clock: for quotas and for making guesses wait
    :param worker: where passwords are worked on
    :param limits: the quotas, and what a digest costs
    :param turn: entered around every answer
    :param cost: what a digest costs, if not what the limits say
    """

    log = Logger()

    def __init__(
        self,
        accounts: Accounts,
        is_guest: Callable[[str], bool],
        clock: IReactorTime,
        worker: Worker,
        limits: Limits,
        turn: AbstractContextManager[object],
        cost: Cost | None = None,
    ) -> None:
        self.accounts = accounts
        self._is_guest = is_guest
        self._clock = clock
        self._worker = worker
        self._limits = limits
        self._turn = turn
        self._cost = cost or Cost(2**limits.password_work)
        self._failures: KeyedBuckets[str] = KeyedBuckets(limits.failures_per_hour / 3600, limits.failures_per_hour)
        self._guesses: KeyedBuckets[tuple[str, str]] = KeyedBuckets(
            limits.guesses_per_minute / 60, limits.guesses_per_minute
        )
        self._new_here: KeyedBuckets[str] = KeyedBuckets(
            limits.accounts_per_address / 3600, limits.accounts_per_address
        )
        self._new = TokenBucket(limits.accounts_per_hour / 3600, limits.accounts_per_hour, clock.seconds())
        self._waiting: set[tuple[str, str]] = set()
        self._queue: deque[LoginAttempt] = deque()
        self._busy = self._closed = False
        self._secret = secrets.token_bytes(32)
        self._proofs: dict[str, _Proof] = {}
        #: Accounts that are not durable yet, and what is to be done when they are.
        self._unkept: dict[str, list[Callable[[], None]]] = {}

    # -- coming in

    def log_in(self, name: str, password: str, address: str, answer: Callable[[LoginOutcome], None]) -> LoginAttempt:
        """
        Judge a log-in.

        :param answer: called once, at once or later, with the account's name as it was first written, or why not
        """
        attempt = LoginAttempt(name, "", rate_limit_key(address), b"", answer)
        try:
            attempt.name = checked_name(name)
            attempt.key = key_of(attempt.name)
            attempt.password = checked_password(password)
        except (NameRefused, PasswordRefused) as refusal:
            self._refuse(attempt, str(refusal))
            return attempt
        if self._is_guest(attempt.key):
            self._refuse(attempt, "this name is in use by a guest")
            return attempt
        refusal_words, wait = ("", 0.0) if self._limits.unlimited else self._stake(attempt)
        if refusal_words:
            self._give_back(attempt)
            self._refuse(attempt, refusal_words)
        elif wait:
            self._have_wait(attempt, wait)
        else:
            self._begin(attempt)
        return attempt

    def _stake(self, attempt: LoginAttempt) -> tuple[str, float]:
        """Take a token of every quota: why that cannot be, or how long the attempt has to wait."""
        now = self._clock.seconds()
        failures = self._failures.of(attempt.address, now)
        if not failures.take(now):
            return "too many failed log-ins from your address: try again later", 0.0
        attempt.rate_tokens.append(failures)
        proof = self._proofs.get(attempt.key)
        # Who has been here before is not kept waiting by strangers who guess.
        known = proof is not None and attempt.address in proof.addresses
        guesses = self._guesses.of((attempt.key, attempt.address if known else ""), now)
        wait = guesses.take_ahead(now)
        attempt.rate_tokens.append(guesses)
        if wait > LONGEST_WAIT or (wait and (attempt.key, attempt.address) in self._waiting):
            return "too many wrong passwords for this name: try again in a minute", 0.0
        return "", wait

    def _have_wait(self, attempt: LoginAttempt, seconds: float) -> None:
        """Make a guess later: as soon as its account is open to one more."""
        who = (attempt.key, attempt.address)
        self._waiting.add(who)

        def due() -> None:
            self._waiting.discard(who)
            if attempt.over or self._closed:
                self._give_back(attempt)
            else:
                self._begin(attempt)

        attempt.wait = self._clock.callLater(seconds, due)

    def _begin(self, attempt: LoginAttempt) -> None:
        """Judge now: by what is remembered, or in the queue for work."""
        proof = self._proofs.get(attempt.key)
        account = self.accounts.find(attempt.key)
        if proof is not None and account is not None and hmac.compare_digest(proof.mac, self._mac(attempt)):
            self._welcome(attempt, account)
            return
        if len(self._queue) >= self._limits.log_ins_waiting and not self._limits.unlimited:
            self._give_back(attempt)
            self._refuse(attempt, "too many log-ins at once: try again in a moment")
            return
        if account is None and not self._limits.unlimited:
            self._pay(attempt)
        self._queue.append(attempt)
        self._next()

    def _pay(self, attempt: LoginAttempt) -> None:
        """Take a token of both quotas of new accounts, if both have one."""
        now = self._clock.seconds()
        here = self._new_here.of(attempt.address, now)
        local = is_loopback(attempt.address)
        if local or here.take(now):
            if not local:
                attempt.signup_tokens.append(here)
            if self._new.take(now):
                attempt.signup_tokens.append(self._new)
            else:
                self._refund(attempt)

    def _mac(self, attempt: LoginAttempt) -> bytes:
        return hmac.digest(self._secret, attempt.key.encode() + b"\0" + attempt.password, sha256)

    # -- work, one at a time

    def _next(self) -> None:
        while self._queue and not self._busy:
            attempt = self._queue.popleft()
            if attempt.over:
                self._give_back(attempt)
                continue
            self._busy = True
            account = self.accounts.find(attempt.key)
            digest = None if account is None else account.digest
            work = partial(_judge, attempt.password, digest, self._cost)
            self._worker(partial(_safely, work), partial(self._judged, attempt, account))

    def close(self) -> None:
        """The host stops: nothing more is worked on, written down or answered."""
        self._closed = True
        self._queue.clear()

    def _judged(self, attempt: LoginAttempt, account: Account | None, outcome: _Judgement | Failure) -> None:
        self._busy = False
        if self._closed:
            return
        with self._turn:
            try:
                self._decide(attempt, account, outcome)
            except Exception:
                self.log.failure("a log-in could not be judged")
                self._give_back(attempt)
                self._refuse(attempt, "a fault of the host")
            self._next()

    def _decide(self, attempt: LoginAttempt, account: Account | None, outcome: _Judgement | Failure) -> None:
        if isinstance(outcome, Failure):
            outcome.raiseException()
        elif account is not None:
            self._answer_guess(attempt, account, outcome)
        elif self.accounts.find(attempt.key) is not None:
            # Somebody else was quicker with the same free name: this is a guess at their password now.
            self._refund(attempt)
            self._queue.appendleft(attempt)
        else:
            self._answer_new(attempt, outcome.digest)

    def _answer_guess(self, attempt: LoginAttempt, account: Account, judgement: _Judgement) -> None:
        if not judgement.fits:
            self._refuse(attempt, "wrong password")
            return
        if judgement.digest is not None:
            self.accounts.change(Account(account.name, judgement.digest), lambda: None)
        self._welcome(attempt, account)

    def _answer_new(self, attempt: LoginAttempt, digest: Digest | None) -> None:
        if attempt.over:
            self._give_back(attempt)
        elif self._is_guest(attempt.key):
            self._give_back(attempt)
            self._refuse(attempt, "this name is in use by a guest")
        elif digest is None or not (attempt.signup_tokens or self._limits.unlimited):
            self._refuse(attempt, "no new accounts from your address for now: try again in an hour")
        else:
            account = Account(attempt.name, digest)
            attempt.signup_tokens.clear()
            self._unkept[account.key] = []
            self.accounts.add(account, partial(self._kept, account.key))
            self._welcome(attempt, account)

    # -- the answer

    def _welcome(self, attempt: LoginAttempt, account: Account) -> None:
        """The password is right. Say so, once the account is durable."""
        self._give_back(attempt)
        proof = self._proofs.get(account.key)
        if proof is None:
            proof = self._proofs[account.key] = _Proof(self._mac(attempt))
        if attempt.address not in proof.addresses:
            proof.addresses.append(attempt.address)
        unkept = self._unkept.get(account.key)
        if unkept is None:
            self._say(attempt, account.name)
        else:
            unkept.append(partial(self._say, attempt, account.name))

    def _kept(self, key: str) -> None:
        with self._turn:
            for say in self._unkept.pop(key):
                say()

    def _refuse(self, attempt: LoginAttempt, reason: str) -> None:
        self._say(attempt, LoginRefused(reason))

    def _say(self, attempt: LoginAttempt, verdict: LoginOutcome) -> None:
        attempt.password = b""
        if not attempt.over:
            attempt.over = True
            attempt.answer(verdict)

    def _give_back(self, attempt: LoginAttempt) -> None:
        """No wrong guess was made, and no account: nothing of the quotas is used."""
        for bucket in attempt.rate_tokens:
            bucket.give_back()
        attempt.rate_tokens.clear()
        self._refund(attempt)

    def _refund(self, attempt: LoginAttempt) -> None:
        for bucket in attempt.signup_tokens:
            bucket.give_back()
        attempt.signup_tokens.clear()
