"""
The log-in service: it checks a name and a password and answers once.

An attempt takes four steps. A step that refuses ends it.

1. The name and the password must be well-formed, and no guest may have the name.
2. Quotas limit how many passwords can be tried. An attempt that is over a quota waits in a line (`gamehost.accounts.lines`).
3. A password that was proved before is recognised in microseconds (`gamehost.accounts.proofs`).
4. Any other password is hashed, one at a time, in a worker thread.

A right password uses up no quota, and is never refused. It may have to wait for the guesses of others:

- From an address that is known for the account, it waits for guesses at this account from the same address only.
- From elsewhere, it waits for one round at most: one guess from each of the other addresses.
- If the guesses from its own address have used up what that address may fail, it waits for those too, three minutes each.
  An account with a seat in a match does not.

So each password that is refused was compared, and has used up its tokens. Nobody can tell a wrong one from one that was not
compared. A client that leaves after the comparison gets no tokens back, because it may know the result.

A name that no account has becomes one. If that is not allowed now, the same work is done as for a wrong password.
"""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.accounts.attempts import LoginAttempt as LoginAttempt
from gamehost.accounts.attempts import LoginOutcome as LoginOutcome
from gamehost.accounts.attempts import LoginRefused as LoginRefused
from gamehost.accounts.attempts import WorkQueue
from gamehost.accounts.lines import QuotaLines
from gamehost.accounts.lookalikes import skeleton_of
from gamehost.accounts.names import NameRefused, check_new_name, checked_name, key_of
from gamehost.accounts.passwords import (
    Account,
    Accounts,
    Cost,
    Digest,
    PasswordRefused,
    check_strong_password,
    checked_password,
)
from gamehost.accounts.proofs import MemoryProofs, ProvenLogins
from gamehost.limits import KeyedBuckets, Limits, TokenBucket, is_loopback, rate_limit_key

R = TypeVar("R")

#: Calls the first function in a thread, one at a time, and then the second one with its result, in the reactor's thread.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

_TOO_MANY_FAILURES = "too many failed log-ins from your address: try again later"
_QUEUE_FULL = "too many log-ins at once: try again in a moment"
_GUEST = "this name is in use by a guest"
_GONE = "this account was deleted or renamed just now"
_LOOKS_TAKEN = "this name looks like another one that is in use"


class _Judgement(Struct, frozen=True):
    """The result of hashing: whether the password is right, and a new digest if one is to be stored."""

    fits: bool
    digest: Digest | None


def _judge(password: bytes, digest: Digest | None, cost: Cost) -> _Judgement:
    """Hash a password. This runs in the worker thread and uses its arguments only."""
    if digest is None:
        return _Judgement(False, Digest.of(password, cost))
    fits = digest.fits(password)
    return _Judgement(fits, Digest.of(password, cost) if fits and digest.cost.time < cost.time else None)


def _safely(work: Callable[[], R]) -> R | Failure:
    try:
        return work()
    except Exception:  # such as MemoryError: this attempt fails, and the service goes on
        return Failure()


def _why_no_new_account(name: str, password: str, strong: bool) -> str | None:
    """Why there cannot be a new account with this name and this password; `None`: there can."""
    try:
        check_new_name(skeleton_of(name))
        if strong:
            check_strong_password(password, name)
    except (NameRefused, PasswordRefused) as refusal:
        return str(refusal)
    return None


class LoginService:
    """
    The log-in service.

    :param accounts: the stored accounts
    :param is_guest: whether a guest has the name with this key
    :param clock: for quotas and for attempts that wait
    :param worker: runs the hashing of passwords
    :param limits: the quotas, and the cost of a digest
    :param turn: a context that is entered around each answer
    :param cost: the cost of a digest, if it is not to be that of the limits
    :param proven: what accounts have proved before; by default nothing, and it ends with the service
    :param is_seated: whether the account with this key has a seat in a match
    :param looks_taken: whether a name looks like another one that is in use
    :param registered: called with the name of each new account
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
        *,
        proven: ProvenLogins | None = None,
        is_seated: Callable[[str], bool] = lambda key: False,
        looks_taken: Callable[[str], bool] = lambda name: False,
        registered: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.accounts = accounts
        self._is_guest = is_guest
        self._is_seated = is_seated
        self.looks_taken = looks_taken
        self._registered = registered
        self._clock = clock
        self._worker = worker
        self._limits = limits
        self._turn = turn
        self._cost = cost or Cost(2**limits.password_work)
        self.proven = proven or ProvenLogins(secrets.token_bytes(32), MemoryProofs())
        hourly, guesses = limits.failures_per_hour, limits.guesses_per_minute
        # By address. The line serves accounts in rounds.
        self._failures: QuotaLines[str, str, LoginAttempt] = QuotaLines(
            hourly / 3600, hourly, clock, turn, lambda one: self._guesses.enter(one.key, one.address, one)
        )
        # By account. All addresses that are not known for it share one quota, so that many guess no quicker than one.
        self._guesses: QuotaLines[str, str, LoginAttempt] = QuotaLines(guesses / 60, guesses, clock, turn, self._begin)
        # By account and address, if the account has logged in from there.
        self._known_guesses: QuotaLines[tuple[str, str], str, LoginAttempt] = QuotaLines(
            limits.known_guesses_per_minute / 60, guesses, clock, turn, self._begin
        )
        # By address.
        self._guest_names: KeyedBuckets[str] = KeyedBuckets(
            limits.guest_names_per_hour / 3600, limits.guest_names_per_hour
        )
        self._new_here: KeyedBuckets[str] = KeyedBuckets(
            limits.accounts_per_address / 3600, limits.accounts_per_address
        )
        self._new = TokenBucket(limits.accounts_per_hour / 3600, limits.accounts_per_hour, clock.seconds())
        self._queue = WorkQueue(None if limits.unlimited else limits.log_ins_waiting)
        self._busy = self._closed = False
        #: Accounts that are not durable yet, as they are now: key -> the answers to give when they are.
        self._unkept: dict[str, list[tuple[LoginAttempt, Account]]] = {}

    @property
    def waiting_for_quota(self) -> int:
        """Log-ins that wait because an address or an account has used up its quota."""
        return len(self._failures) + len(self._guesses) + len(self._known_guesses)

    @property
    def waiting_for_worker(self) -> int:
        """Log-ins whose passwords wait to be checked, with the one that is being checked."""
        return len(self._queue) + self._busy

    # -- for the owner of the host

    @property
    def closed(self) -> bool:
        """Whether the host stops."""
        return self._closed

    def is_being_made(self, key: str) -> bool:
        """Whether the account with this key is not durable yet, as it is now."""
        return key in self._unkept

    def changing(self, account: Account) -> Callable[[], None]:
        """
        An account is about to be as it is here. Who logs in to it is answered when that is durable.

        :returns: to be called then
        """
        self._unkept[account.key] = []
        return partial(self._kept, account)

    def make_digest(self, password: bytes, made: Callable[[Digest], None]) -> None:
        """
        Compute the digest of a password, in the worker thread.

        :param made: called with the digest; not called if the host stops, or has no memory for the work
        """

        def done(digest: Digest | Failure) -> None:
            if isinstance(digest, Failure):
                self.log.failure("a digest could not be computed", digest)
            elif not self._closed:
                with self._turn:
                    made(digest)

        self._worker(partial(_safely, partial(Digest.of, password, self._cost)), done)

    # -- quotas

    def log_in(
        self,
        name: str,
        password: str,
        address: str,
        answer: Callable[[LoginOutcome], None],
        no_new_account: str | None = None,
        strong: bool = False,
    ) -> LoginAttempt:
        """
        Check a name and a password.

        :param answer: called once, at once or later
        :param no_new_account: why a name that nobody has becomes no account now; `None`: it becomes one
        :param strong: whether a new account needs a strong password
        """
        attempt = LoginAttempt(name, "", rate_limit_key(address), b"", answer)
        try:
            attempt.name = checked_name(name)
            attempt.key = key_of(attempt.name)
            attempt.password = checked_password(password)
            attempt.no_new_account = no_new_account or _why_no_new_account(attempt.name, password, strong)
        except (NameRefused, PasswordRefused) as refusal:
            self._refuse(attempt, str(refusal))
            return attempt
        if self._is_guest(attempt.key):
            self._refuse(attempt, _GUEST)
        elif self.accounts.find(attempt.key) is None and self.looks_taken(attempt.name):
            self._refuse(attempt, _LOOKS_TAKEN if self.may_be_told(address) else _TOO_MANY_FAILURES)
        elif self._limits.unlimited:
            self._begin(attempt)
        elif self.proven.knows(attempt.key, attempt.address):
            self._failures.take(attempt.address, attempt)
            self._known_guesses.enter((attempt.key, attempt.address), attempt.address, attempt)
        elif self._is_seated(attempt.key):
            self._failures.take(attempt.address, attempt)
            self._guesses.enter(attempt.key, attempt.address, attempt)
        else:
            self._failures.enter(attempt.address, attempt.key, attempt)
        return attempt

    def may_be_told(self, address: str) -> bool:
        """
        Whether a guest may be told that an account has a name, or that a key is wrong. It counts as a failed log-in.

        `False`: the failed log-ins of this address are used up.
        """
        return self._limits.unlimited or self._failures.take(rate_limit_key(address))

    def may_try_name(self, address: str) -> bool:
        """
        Whether a guest may try a name that no guest has. The answer will tell whether an account has it, so it counts.

        `False`: the new names of this address, or its failed log-ins, are used up. An account's name must have the same
        answer as a free one then.
        """
        if self._limits.unlimited or is_loopback(address):
            return True
        key, now = rate_limit_key(address), self._clock.seconds()
        return self._failures.has_one(key) and self._guest_names.of(key, now).take(now)

    def _begin(self, attempt: LoginAttempt) -> None:
        """It is this attempt's turn. Answer, if the password was proved before; else put it into the queue for the worker."""
        account = self.accounts.find(attempt.key)
        attempt.new = account is None
        if account is None and attempt.no_new_account is not None:
            # Its tokens stay spent, as below.
            self._refuse(attempt, attempt.no_new_account)
            return
        # If digests are to cost more than that of this account, the work is done once more, and gives a new digest.
        if account is not None and account.digest.cost.time >= self._cost.time:
            attempt.compared = self.proven.has_password(account)
            if self.proven.fits(account, attempt.password):
                self._welcome(attempt, account)
                return
        if not self._queue.put(attempt, self._is_seated(attempt.key)):
            # Its tokens stay spent: the client knows now that no account has the name.
            self._refuse(attempt, _QUEUE_FULL)
            return
        if account is None and not self._limits.unlimited:
            self._take_signup_tokens(attempt)
        self._next()

    def _take_signup_tokens(self, attempt: LoginAttempt) -> None:
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
                attempt.give_back_signup()

    # -- hashing, one at a time

    def _next(self) -> None:
        while self._queue and not self._busy:
            attempt = self._queue.pop()
            if attempt.over:
                if not attempt.compared:
                    attempt.give_back()
            else:
                self._busy = True
                account = self.accounts.find(attempt.key)
                digest = None if account is None else account.digest
                work = partial(_judge, attempt.password, digest, self._cost)
                self._worker(partial(_safely, work), partial(self._judged, attempt, account))

    def close(self) -> None:
        """The host stops: no more attempts are worked on, stored or answered."""
        self._closed = True
        self._queue.clear()
        for lines in (self._failures, self._guesses, self._known_guesses):
            lines.close()

    def _judged(self, attempt: LoginAttempt, account: Account | None, outcome: _Judgement | Failure) -> None:
        self._busy = False
        if self._closed:
            return
        with self._turn:
            try:
                self._decide(attempt, account, outcome)
            except Exception:
                self.log.failure("a log-in failed by a fault of the host")
                attempt.give_back()
                self._refuse(attempt, "a fault of the host")
            self._next()

    def _decide(self, attempt: LoginAttempt, account: Account | None, outcome: _Judgement | Failure) -> None:
        if isinstance(outcome, Failure):
            outcome.raiseException()
        elif account is not None:
            now = self.accounts.find(attempt.key)
            if now is None:
                self._refuse(attempt, _GONE)
            elif now.digest != account.digest:
                self._queue.put_back(attempt)  # the password was changed meanwhile
            else:
                self._answer_guess(attempt, now, outcome)
        elif self.accounts.find(attempt.key) is not None:
            # Another client has just registered the same name: this is a guess at their password now.
            attempt.give_back_signup()
            self._queue.put_back(attempt)
        else:
            self._answer_new(attempt, outcome.digest)

    def _answer_guess(self, attempt: LoginAttempt, account: Account, judgement: _Judgement) -> None:
        if not judgement.fits:
            self._refuse(attempt, "wrong password")
            return
        if judgement.digest is not None:
            account = Account(account.name, judgement.digest)
            self.accounts.change(account, lambda: None)
        self._welcome(attempt, account)

    def _answer_new(self, attempt: LoginAttempt, digest: Digest | None) -> None:
        if attempt.over:
            attempt.give_back()
        elif self._is_guest(attempt.key):
            attempt.give_back()
            self._refuse(attempt, _GUEST)
        elif self.looks_taken(attempt.name):
            attempt.give_back()
            self._refuse(attempt, _LOOKS_TAKEN)
        elif digest is None or not (attempt.signup_tokens or self._limits.unlimited):
            self._refuse(attempt, "no new accounts from your address for now: try again in an hour")
        else:
            account = Account(attempt.name, digest)
            attempt.signup_tokens.clear()
            self._unkept[account.key] = []
            self._registered(account.name)
            self._welcome(attempt, account)
            self.accounts.add(account, self._kept)

    # -- the answer

    def _welcome(self, attempt: LoginAttempt, account: Account) -> None:
        """The password is right. The answer is given when the account is durable."""
        unkept = self._unkept.get(account.key)
        if unkept is not None:
            unkept.append((attempt, account))
            return
        attempt.give_back()
        if not self._closed:
            self.proven.note(account, attempt.password, attempt.address)
        self._say(attempt, account.name)

    def _kept(self, owner: Account) -> None:
        """An account is durable as it is now; or its key was taken, and the passwords that were welcome are guesses."""
        with self._turn:
            for attempt, account in self._unkept.pop(owner.key):
                if account.digest.salt == owner.digest.salt:
                    self._welcome(attempt, account)
                else:
                    attempt.new = False
                    self._queue.put_back(attempt)
            self._next()

    def _refuse(self, attempt: LoginAttempt, reason: str) -> None:
        self._say(attempt, LoginRefused(reason))

    def _say(self, attempt: LoginAttempt, outcome: LoginOutcome) -> None:
        attempt.password = b""
        if not attempt.over:
            attempt.over = True
            attempt.answer(outcome)
