"""
The log-in service: limits how often each client may try a password, checks passwords, and makes new accounts.

A worker computes digests of passwords, one at a time. If other clients guess passwords, an attempt is never refused for
this reason: it waits for its turn.
"""

import secrets
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Generic, TypeVar

from attrs import Factory, define, evolve, field
from msgspec import Struct
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import Timer
from gamehost.accounts.names import Name, NameRefused, check_new_name, name_of
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
from gamehost.accounts.remembered import MemoryRemembered, RememberedLogins
from gamehost.limits import Limits
from gamehost.rates import KeyedBuckets, Rounds, TokenBucket, is_loopback, rate_limit_key

K = TypeVar("K", bound=Hashable)

#: The message to clients that wait. It is the same for names without an account.
LOG_IN_WAITS = "others try passwords for this name, or from your address: yours is checked in about {seconds} s"

#: So many log-ins of an address to an account in an hour are *first tries*: they are served before those of addresses with
#: more attempts. Two, for a mistyped password and the right one.
FIRST_TRIES = 2
#: The part of a token that each kind of attempt leaves unused for more urgent ones: the first try for the second one, and other
#: attempts for both. With five guesses a minute, each first try waits 9.6 s at most, if no other address has first tries.
RESERVE = 0.2
#: If only this part of a token is missing, the token counts as whole: it is less than the rounding of times.
_ROUNDING = 1e-6

#: How many log-ins a minute to one account may come from an address from which the account has logged in before. More of
#: them have to wait. The rate is high, so the owner waits at most half a minute for other clients at the same address.
KNOWN_GUESSES_PER_MINUTE = 120


class LoginRefused(Struct, frozen=True):
    """The result of a refused log-in, with the reason for the client."""

    reason: str


#: The result of a log-in: the name of the account, spelled as at its first log-in, or the refusal.
LoginOutcome = Name | LoginRefused


@define(eq=False)
class LoginAttempt:
    """A log-in with a password that waits for its answer."""

    name: Name
    #: The client's address, by `rate_limit_key`.
    address: str
    password: bytes = field(repr=False)
    answer: Callable[[LoginOutcome], None] = field(repr=False)
    #: Functions that give back the tokens which the attempt has taken. If the password is wrong, they are not called.
    spent: list[Callable[[], None]] = field(factory=list, repr=False)
    #: The quotas of new accounts from which this attempt has taken a token. Without tokens, it can make no account.
    signup_tokens: list[TokenBucket] = field(factory=list, repr=False)
    #: Takes the attempt out of the line of a quota; `None`: it waits in no such line.
    leave: Callable[[], None] | None = field(default=None, repr=False)
    #: The reason why no account can be made now; `None`: one can be made.
    no_new_account: str | None = None
    #: Whether no account has the name.
    new: bool = False
    #: Whether the password was compared with a proved one. Then a late answer shows the client that they differ, so a cancelled
    #: attempt does not get its tokens back.
    compared: bool = False
    #: Whether it was answered or cancelled.
    over: bool = False
    #: For a first try: the part of a token that it leaves for a later first try.
    leaves: float = 0.0
    #: Called with the approximate number of seconds when the attempt has to wait for others.
    waits: Callable[[float], None] = field(default=lambda seconds: None, repr=False)

    def cancel(self) -> None:
        """End the attempt without an answer, because the client has disconnected."""
        if not self.over:
            self.over = True
            # It still waits for a token: no password was tried, so its other tokens come back. If the worker has it
            # already, `LoginService._next` decides.
            if self.leave is not None:
                self.leave()
                self.give_back()

    def give_back(self) -> None:
        """Put all tokens back, because no wrong password was tried and no account was made."""
        spent, self.spent = self.spent, []
        for back in spent:
            back()
        self.give_back_signup()

    def give_back_signup(self) -> None:
        """Put the tokens for new accounts back, because no account was made."""
        for bucket in self.signup_tokens:
            bucket.give_back()
        self.signup_tokens.clear()


@define(eq=False)
class _Line:
    """The attempts that wait for a token of one quota."""

    #: The attempts that are served first.
    first: Rounds[str, LoginAttempt] = field(factory=Rounds)
    #: All other attempts.
    rounds: Rounds[str, LoginAttempt] = field(factory=Rounds)
    #: Fires when there is a token for the next attempt.
    timer: Timer = field(factory=Timer)
    #: Whether `QuotaLines._due` is serving this line now.
    served: bool = False

    def __len__(self) -> int:
        return len(self.first) + len(self.rounds)

    def remove(self, taker: str, waiter: LoginAttempt) -> None:
        self.first.remove(taker, waiter)
        self.rounds.remove(taker, waiter)


class QuotaLines(Generic[K]):
    """
    A quota for each key, and a line of the attempts that have to wait for a token of it.

    :param rate: how many tokens a second each quota gets
    :param burst: how many tokens a full quota has
    :param within: a context manager, which is entered while a timer's answers are given
    :param go_on: called with each attempt that has got its token
    :param reserve: attempts that are not served first leave this part of a token unused, so that those that are served first
        wait less. The latter leave the part `LoginAttempt.leaves`
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        clock: IReactorTime,
        within: AbstractContextManager[object],
        go_on: Callable[[LoginAttempt], None],
        reserve: float = 0.0,
    ) -> None:
        """Begin with full quotas, and without waiting attempts. The class describes the parameters."""
        self._rate = rate
        self._burst = burst
        self._reserve = reserve
        self._buckets: KeyedBuckets[K] = KeyedBuckets(rate, burst)
        self._clock = clock
        self._within = within
        self._go_on = go_on
        self._lines: dict[K, _Line] = {}

    def enter(self, key: K, taker: str, waiter: LoginAttempt, first: bool = False) -> None:
        """
        Take a token for an attempt and call `go_on`: now, or when the turn of this attempt comes.

        :param taker: attempts with the same text share one turn in a line, such as those of one address
        :param waiter: the attempt
        :param first: whether it is served before the others. A taker has this advantage for one waiting attempt: if it
            enters another one, all its attempts wait with the others
        """
        line = self._lines.get(key)
        # The part of a token that this attempt must leave for others.
        reserve = waiter.leaves if first else self._reserve
        # Nobody waits before this attempt: take a token at once, if there is one.
        if line is None or (first and not line.first):
            if self.take(key, waiter, reserve):
                self._go_on(waiter)
                return
            line = self._lines.setdefault(key, _Line())
        # Only the first waiting attempt of a taker is served before the others. With a second one, all of its attempts
        # move to the other line.
        if first and not line.rounds.count_of(taker) and not line.first.count_of(taker):
            line.first.put(taker, waiter)
        else:
            while line.first.count_of(taker):
                line.first.advance(taker)
                line.rounds.put(taker, line.first.pop())
            line.rounds.put(taker, waiter)
        # If the client disconnects, the attempt leaves the line.
        waiter.leave = partial(self._leave, key, taker, waiter)
        # Tell the client about how long it waits: for the next token, and for one token more for each attempt before it.
        ahead = len(line.first) if line.first.count_of(taker) else len(line)
        waiter.waits(self._seconds_to_token(key, reserve) + (ahead - 1) / self._rate)
        if not line.served:  # otherwise `_due` sets the timer when it has finished
            self._wait(key, line)

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def take(self, key: K, waiter: LoginAttempt | None = None, reserve: float = 0.0) -> bool:
        """
        Take a token, if there is one in addition to the reserve. Returns whether it was taken.

        :param waiter: the attempt, which can give the token back; `None`: the token cannot be given back
        """
        now = self._clock.seconds()
        bucket = self._buckets.of(key, now)
        # A time with a reserve is a fraction, which may be wrong by its rounding.
        taken = self._seconds_to_token(key, reserve) <= (_ROUNDING if reserve else 0.0) and bucket.take(now)
        if taken and waiter is not None:
            waiter.spent.append(partial(self.give_back, key))
        return taken

    def give_back(self, key: K) -> None:
        """Put a token back. The next attempt in the line gets it, in the next turn of the reactor."""
        self._buckets.of(key, self._clock.seconds()).give_back()
        line = self._lines.get(key)
        if line is not None and line.timer:
            line.timer.set(self._clock, 0, self._due, key, line)

    def close(self) -> None:
        """Drop all waiting attempts, and stop their timers."""
        for line in self._lines.values():
            line.timer.stop()
        self._lines.clear()

    def _leave(self, key: K, taker: str, waiter: LoginAttempt) -> None:
        """Take a waiting attempt out of its line, because its client has disconnected. An empty line is removed."""
        waiter.leave = None
        line = self._lines.get(key)
        if line is None:
            return
        line.remove(taker, waiter)
        if line.timer and not len(line):  # without a running timer, `_due` is serving the line, and removes it itself
            line.timer.stop()
            del self._lines[key]

    def _seconds_to_token(self, key: K, reserve: float) -> float:
        """The seconds until there is a token in addition to the reserve. (A quota never has more than its burst.)"""
        now = self._clock.seconds()
        return self._buckets.of(key, now).seconds_to_one(now, min(1.0 + reserve, self._burst))

    def _reserve_of_next(self, line: _Line) -> float:
        # The part of a token that the next attempt of the line leaves unused.
        return line.first.peek().leaves if line.first else self._reserve

    def _wait(self, key: K, line: _Line) -> None:
        wait = self._seconds_to_token(key, self._reserve_of_next(line))
        line.timer.set(self._clock, wait, self._due, key, line)

    def _due(self, key: K, line: _Line) -> None:
        """
        Let the first attempts of a queue (a line) continue, as many as there are tokens. Called by the timer of the
        queue, when there is a token for its next attempt.
        """
        # Until this is reset, `enter` and `_leave` do not set the timer of this queue and do not remove it.
        line.served = True
        try:
            # All output to the clients of these attempts is written together, at the end of this `with`.
            with self._within:
                self._serve(key, line)
        finally:
            line.served = False
            if self._lines.get(key) is not line:
                pass  # all queues were closed meanwhile
            elif len(line):
                self._wait(key, line)
            else:
                del self._lines[key]

    def _serve(self, key: K, line: _Line) -> None:
        """Take a token for the next attempt, and call `go_on` for it, as long as there are tokens."""
        while len(line):
            now = self._clock.seconds()
            if self._seconds_to_token(key, self._reserve_of_next(line)) > _ROUNDING:
                return
            self._buckets.of(key, now).take_ahead(now)  # unlike `take`, also if the rounding of times is missing
            waiter = (line.first or line.rounds).pop()
            waiter.leave = None
            waiter.spent.append(partial(self.give_back, key))
            self._go_on(waiter)


class WorkQueue:
    """
    The attempts that wait for the worker, in two lines that are served alternately. In each line, addresses take turns.

    One line is for accounts with a seat in a match, so that a flood of other log-ins delays these only a little. Attempts to
    log in to existing accounts are never refused here: quotas and the number of connections limit them already.

    :param most_new: the most waiting attempts with names that have no account; `None`: any number
    """

    def __init__(self, most_new: int | None) -> None:
        """Begin with two empty lines. `most_new` is described at the class."""
        self._most_new = most_new
        #: How many waiting attempts have names without an account.
        self._new = 0
        #: The lines: of accounts without a seat in a match, and of accounts with one.
        self._lines: tuple[Rounds[str, LoginAttempt], Rounds[str, LoginAttempt]] = (Rounds(), Rounds())
        #: The line that was served last, as an index of `_lines`.
        self._turn = False

    def __bool__(self) -> bool:
        return any(self._lines)

    def __len__(self) -> int:
        return sum(map(len, self._lines))

    def put(self, attempt: LoginAttempt, seated: bool) -> bool:
        """Add an attempt; `False`: its name is new, and too many new names wait."""
        if attempt.new:
            if self._most_new is not None and self._new >= self._most_new:
                return False
            self._new += 1
        self._lines[seated].put(attempt.address, attempt)
        return True

    def put_back(self, attempt: LoginAttempt) -> None:
        """Put an attempt at the front of the line for accounts without a seat."""
        self._new += attempt.new
        self._lines[False].put(attempt.address, attempt, first=True)

    def pop(self) -> LoginAttempt:
        """Remove and return the next attempt."""
        # The lines alternate while both have attempts; otherwise the one that has some is served.
        if all(self._lines):
            self._turn = not self._turn
        attempt = (self._lines[self._turn] or self._lines[not self._turn]).pop()
        self._new -= attempt.new
        return attempt


R = TypeVar("R")

#: Calls the first function in a thread, one at a time, and then the second one with its result, in the reactor's thread.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]


def at_once(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """Do the work at once: a `Worker` without a thread, for hosts without sockets that use cheap digests."""
    done(work())


_TOO_MANY_FAILURES = "too many failed log-ins from your address: try again later"
_QUEUE_FULL = "too many log-ins at once: try again in a moment"
_GUEST = "this name is in use by a guest"
_CHANGED_MEANWHILE = "this account was changed just now: try again"
_GONE = "this account was deleted or renamed just now"
_LOOKS_TAKEN = "this name looks like another one that is in use"


class _Judgement(Struct, frozen=True):
    """
    The result of the worker: whether the password is right, and a new digest to store; `None`: there is none.
    """

    fits: bool
    digest: Digest | None


def _judge(password: bytes, digest: Digest | None, cost: Cost) -> _Judgement:
    """
    Compare a password with the digest of its account, or compute the digest for a new one (`None`). This runs in the worker's
    thread, so it uses only its arguments.
    """
    if digest is None:
        return _Judgement(False, Digest.of(password, cost))
    fits = digest.fits(password)
    # If digests have become more expensive since this one was made, make a new one.
    return _Judgement(fits, Digest.of(password, cost) if fits and digest.cost.time < cost.time else None)


def _safely(work: Callable[[], R]) -> R | Failure:
    """Do the work, and return an exception instead of raising it."""
    try:
        return work()
    except Exception:  # such as MemoryError: only this attempt fails, and the service continues
        return Failure()


def _new_account_objection(name: Name, password: str, strong: bool) -> str | None:
    """The reason why there can be no new account with this name and this password; `None`: there can be one."""
    try:
        check_new_name(name)
        if strong:
            check_strong_password(password, name.key)
    except (NameRefused, PasswordRefused) as refusal:
        return str(refusal)
    return None


def _kept(proven: ProvenLogins | None) -> ProvenLogins:
    # The default for `LoginService.proven`: it is not stored.
    return proven or ProvenLogins(secrets.token_bytes(32), MemoryProofs())


@define(eq=False, repr=False, slots=False)
class LoginService:
    """
    Checks the passwords of log-ins, makes new accounts, and changes passwords.

    :param is_guest: returns whether a guest uses the name with this key
    :param worker: computes digests, in another thread
    :param turn: a context manager, which is entered while answers are given
    :param cost: the cost of new digests; by default that of the limits
    :param proven: the proofs of accounts; by default they are not stored
    :param remembered: the devices that log in without a password; by default they are not stored
    :param is_seated: returns whether the account with this key has a seat in a match
    :param looks_taken: returns whether a name looks like another one that is in use
    :param registered: called with the name of each new account
    """

    log = Logger()

    accounts: Accounts
    _is_guest: Callable[[str], bool]
    _clock: IReactorTime
    _worker: Worker
    _limits: Limits
    _turn: AbstractContextManager[object]
    _cost: Cost = field(default=Factory(lambda self: Cost(2**self._limits.password_work), takes_self=True))
    proven: ProvenLogins = field(default=None, converter=_kept, kw_only=True)
    _remembered: RememberedLogins | None = field(default=None, kw_only=True)
    remembered: RememberedLogins = field(init=False)
    _is_seated: Callable[[str], bool] = field(default=lambda key: False, kw_only=True)
    looks_taken: Callable[[Name], bool] = field(default=lambda name: False, kw_only=True)
    _registered: Callable[[Name], None] = field(default=lambda name: None, kw_only=True)
    closed: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        """Make the quotas, each full, and the queue for the worker. A quota has its rate in tokens a second, and its size."""
        self.remembered = self._remembered or RememberedLogins(MemoryRemembered(), self._clock.seconds)
        limits, clock, turn = self._limits, self._clock, self._turn
        hourly, guesses = limits.failures_per_hour, limits.guesses_per_minute
        # By address: failed log-ins. In a line, accounts take turns.
        self._failures: QuotaLines[str] = QuotaLines(hourly / 3600, hourly, clock, turn, self._guess)
        # By account: log-ins from all unknown addresses share one quota, so that many addresses cannot guess faster than
        # one. Addresses with few attempts are served first, so that the owner need not wait for a persistent guesser.
        reserve = FIRST_TRIES * RESERVE
        self._guesses: QuotaLines[str] = QuotaLines(guesses / 60, guesses, clock, turn, self._begin, reserve)
        # By account and address: how many first tries are left.
        self._first_tries: KeyedBuckets[tuple[str, str]] = KeyedBuckets(FIRST_TRIES / 3600, FIRST_TRIES)
        # By account and address, for addresses from which the account has logged in.
        self._known_guesses: QuotaLines[tuple[str, str]] = QuotaLines(
            KNOWN_GUESSES_PER_MINUTE / 60, guesses, clock, turn, self._begin
        )
        # By address: answers to guests that reveal something, and tried names of guests. They have quotas of their own, so
        # that guests that mistype do not delay players with a password.
        self._told: KeyedBuckets[str] = KeyedBuckets(hourly / 3600, hourly)
        self._guest_names: KeyedBuckets[str] = KeyedBuckets(
            limits.guest_names_per_hour / 3600, limits.guest_names_per_hour
        )
        # New accounts: by address, and of all addresses.
        self._new_here: KeyedBuckets[str] = KeyedBuckets(
            limits.accounts_per_address / 3600, limits.accounts_per_address
        )
        self._new = TokenBucket(limits.accounts_per_hour / 3600, limits.accounts_per_hour, clock.seconds())
        self._queue = WorkQueue(None if limits.unlimited else limits.log_ins_waiting)
        #: Whether the worker checks an attempt now.
        self._busy = False
        #: The accounts with a state that is not durable yet: key -> the answers to give when it is.
        self._unkept: dict[str, list[tuple[LoginAttempt, Account]]] = {}

    @property
    def waiting_for_quota(self) -> int:
        """How many log-ins wait because an address or an account has used up its quota."""
        return len(self._failures) + len(self._guesses) + len(self._known_guesses)

    @property
    def waiting_for_worker(self) -> int:
        """How many log-ins wait for the worker, including the one that it checks now."""
        return len(self._queue) + self._busy

    # -- for the owner of the host

    def is_being_made(self, key: str) -> bool:
        """Whether the account with this key is being made or changed, so that its state is not durable yet."""
        return key in self._unkept

    def forget(self, key: str) -> None:
        """
        Remove all proofs and remembered devices of an account, because its password or name has changed, or it was
        deleted.
        """
        self.proven.forget(key)
        self.remembered.end_all(key)

    def changing(self, account: Account) -> Callable[[], None]:
        """
        Let log-ins to an account wait, because the account is changing to this state.

        :returns: a function to call when the change is durable: it answers these log-ins
        """
        self._unkept[account.key] = []
        return partial(self._kept, account)

    def make_digest(self, password: bytes, made: Callable[[Digest], None]) -> None:
        """
        Compute the digest of a password, in the worker thread.

        :param made: called with the digest; not called if the host stops, or has no memory for the work
        """

        def done(digest: Digest | Failure) -> None:
            """Pass the digest on. After a failure, such as a lack of memory, or when the host stops, nothing is called."""
            if isinstance(digest, Failure):
                self.log.failure("a digest could not be computed", digest)
            elif not self.closed:
                # All output that `made` causes is written together, at the end of this `with`.
                with self._turn:
                    made(digest)

        self._worker(partial(_safely, partial(Digest.of, password, self._cost)), done)

    def change_digest(self, account: Account, digest: Digest, durable: Callable[[], None]) -> bool:
        """
        Give an account another password. All of its earlier proofs and remembered devices become invalid.

        :param account: the account as it was when the request came
        :param digest: of the new password
        :param durable: called when the change is durable, before log-ins that came meanwhile are answered
        :returns: `False`: the account was changed since then, so nothing is done
        """
        if self.accounts.find(account.key) != account or self.is_being_made(account.key):
            return False
        new = evolve(account, digest=digest)

        def changed() -> None:
            durable()
            kept()  # answers the log-ins that have come meanwhile

        self.forget(account.key)
        kept = self.changing(new)
        self.accounts.change(new, changed)
        return True

    def change_password(
        self,
        account: Account,
        old: str,
        new: str,
        address: str,
        answer: Callable[[str | None], None],
        waits: Callable[[float], None],
    ) -> LoginAttempt | None:
        """
        Change the password of an account for its player. The old password is checked as in a log-in.

        :param answer: called once, now or later: with the reason why nothing was changed, or with `None` when the change is
            durable
        :param waits: as for `log_in`
        :returns: the check of the old password, which the caller cancels if the player disconnects; `None`: the new password
            was refused already
        """
        try:
            wanted = checked_password(new)
            check_strong_password(new, account.key)
        except PasswordRefused as refusal:
            answer(f"the new password cannot be used: {refusal}")
            return None

        # The three steps: check the old password (`log_in`), compute the digest of the new one (`judged`), store it.
        def change(digest: Digest) -> None:
            if not self.change_digest(account, digest, partial(answer, None)):
                answer(_CHANGED_MEANWHILE)

        def judged(outcome: LoginOutcome) -> None:
            """Compute the digest of the new password if the old one was right. A name as the outcome means that it was."""
            if isinstance(outcome, LoginRefused):
                answer(outcome.reason)
            else:
                self.make_digest(wanted, change)

        return self.log_in(name_of(account.name), old, address, judged, no_new_account=_GONE, waits=waits)

    # -- quotas

    def log_in(
        self,
        name: Name,
        password: str,
        address: str,
        answer: Callable[[LoginOutcome], None],
        no_new_account: str | None = None,
        strong: bool = False,
        waits: Callable[[float], None] = lambda seconds: None,
    ) -> LoginAttempt:
        """
        Check the password of an account, or make a new account if no account has the name.

        :param answer: called once, now or later, unless the attempt is cancelled
        :param no_new_account: the reason why no account can be made now; `None`: one can be made
        :param strong: whether a new account needs a strong password
        :param waits: called with the approximate number of seconds, each time that the attempt has to wait for others
        """
        attempt = LoginAttempt(name, rate_limit_key(address), b"", answer, waits=waits)
        try:
            attempt.password = checked_password(password)
            attempt.no_new_account = no_new_account or _new_account_objection(name, password, strong)
        except (NameRefused, PasswordRefused) as refusal:
            self._refuse(attempt, str(refusal))
            return attempt
        # Refuse what is wrong in any case. Then the attempt needs tokens: those of its address limit failed log-ins, those
        # of the account limit guesses.
        if self._is_guest(attempt.name.key):
            self._refuse(attempt, _GUEST)
        elif self.accounts.find(attempt.name.key) is None and self.looks_taken(attempt.name):
            self._refuse(attempt, _LOOKS_TAKEN if self.may_be_told(address) else _TOO_MANY_FAILURES)
        elif self._limits.unlimited:
            self._begin(attempt)
        # The account has logged in from this address lately: take a token of the address if there is one, but do not wait
        # for it. The account has a quota of its own for this address.
        elif self.proven.knows(attempt.name.key, attempt.address):
            self._failures.take(attempt.address, attempt)
            self._known_guesses.enter((attempt.name.key, attempt.address), attempt.address, attempt)
        # The player has a seat in a match, and may lose it by waiting: as above, do not wait for a token of the address.
        elif self._is_seated(attempt.name.key):
            self._failures.take(attempt.address, attempt)
            self._guess(attempt)
        else:
            self._failures.enter(attempt.address, attempt.name.key, attempt)
        return attempt

    def _guess(self, attempt: LoginAttempt) -> None:
        """Let an attempt that may be a guess take a token of its account, before others if it is a first try."""
        now = self._clock.seconds()
        tries = self._first_tries.of((attempt.name.key, attempt.address), now)
        first = tries.take(now)
        # It leaves a part of a token for each first try that this address still has: the second one is more urgent.
        attempt.leaves = int(tries.left) * RESERVE
        self._guesses.enter(attempt.name.key, attempt.address, attempt, first)

    def may_be_told(self, address: str) -> bool:
        """
        Whether a refusal to a client at this address may still say that the name belongs to an account, or that the key is
        wrong. Each call counts for a quota of the address, so that nobody can find out many names and keys.

        :returns: `False`: in the last hour, this address has received as many such refusals as it may have failed log-ins
        """
        if self._limits.unlimited:
            return True
        now = self._clock.seconds()
        return self._told.of(rate_limit_key(address), now).take(now)

    def may_try_name(self, address: str) -> bool:
        """
        Whether a guest may try a name that no guest has. The result of the log-in reveals whether an account has the name, so
        each call counts for a quota of the address.

        :returns: `False`: the quota is used up, or that of `may_be_told` is. Then the caller must give the same answer for
            names of accounts and for free names
        """
        if self._limits.unlimited or is_loopback(address):
            return True
        key, now = rate_limit_key(address), self._clock.seconds()
        return self._told.of(key, now).has_one(now) and self._guest_names.of(key, now).take(now)

    def _begin(self, attempt: LoginAttempt) -> None:
        """
        Begin the check of an attempt that has its tokens. If the password was proved before, answer at once; otherwise the
        worker has to check it.
        """
        account = self.accounts.find(attempt.name.key)
        attempt.new = account is None
        if account is None and attempt.no_new_account is not None:
            # The attempt does not get its tokens back: the client knows now that no account has the name.
            self._refuse(attempt, attempt.no_new_account)
            return
        # An account with a digest that is cheaper than new ones is always checked by the worker, which makes a new digest.
        # An old proof (`fits`) answers without the worker.
        if account is not None and account.digest.cost.time >= self._cost.time:
            attempt.compared = self.proven.has_password(account)
            if self.proven.fits(account, attempt.password):
                self._welcome(attempt, account)
                return
        if not self._queue.put(attempt, self._is_seated(attempt.name.key)):
            # It does not get its tokens back, as above: only attempts with new names are refused here.
            self._refuse(attempt, _QUEUE_FULL)
            return
        if account is None and not self._limits.unlimited:
            self._take_signup_tokens(attempt)
        self._next()

    def _take_signup_tokens(self, attempt: LoginAttempt) -> None:
        """Take one token from each of the two quotas of new accounts, if both have one."""
        now = self._clock.seconds()
        here = self._new_here.of(attempt.address, now)
        local = is_loopback(attempt.address)  # this machine's own address needs no token of its own
        if local or here.take(now):
            if not local:
                attempt.signup_tokens.append(here)
            if self._new.take(now):
                attempt.signup_tokens.append(self._new)
            else:
                attempt.give_back_signup()

    # -- the worker, one attempt at a time

    def _next(self) -> None:
        """Give the next attempt to the worker, unless it is busy."""
        while self._queue and not self._busy:
            attempt = self._queue.pop()
            # Cancelled. It gets its tokens back, unless the client could know by the delay that its password is wrong.
            if attempt.over:
                if not attempt.compared:
                    attempt.give_back()
            else:
                self._busy = True
                account = self.accounts.find(attempt.name.key)
                digest = None if account is None else account.digest
                work = partial(_judge, attempt.password, digest, self._cost)
                self._worker(partial(_safely, work), partial(self._judged, attempt, account))

    def close(self) -> None:
        """Check, store and answer no more attempts, because the host stops."""
        self.closed = True
        self._queue = WorkQueue(None)
        for lines in (self._failures, self._guesses, self._known_guesses):
            lines.close()

    def _judged(self, attempt: LoginAttempt, account: Account | None, outcome: _Judgement | Failure) -> None:
        """Answer an attempt that the worker has checked, and begin the next one. `account` is as it was at the check."""
        self._busy = False
        if self.closed:
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
        """Answer an attempt, or check it again if its account has changed since the check began."""
        if isinstance(outcome, Failure):
            outcome.raiseException()  # `_judged` logs it, and refuses the attempt
        elif account is not None:
            now = self.accounts.find(attempt.name.key)
            if now is None:
                self._refuse(attempt, _GONE)
            elif now.digest != account.digest:
                self._queue.put_back(attempt)  # the password was changed meanwhile
            else:
                self._answer_guess(attempt, now, outcome)
        elif self.accounts.find(attempt.name.key) is not None:
            # Another client has just registered the same name, so this attempt is now a guess at that password.
            attempt.give_back_signup()
            self._queue.put_back(attempt)
        else:
            self._answer_new(attempt, outcome.digest)

    def _answer_guess(self, attempt: LoginAttempt, account: Account, judgement: _Judgement) -> None:
        """Answer an attempt to log in to an existing account."""
        if not judgement.fits:
            self._refuse(attempt, "wrong password")
            return
        # The digest was cheaper than new ones, so the worker has made another one.
        if judgement.digest is not None:
            account = evolve(account, digest=judgement.digest)
            self.accounts.change(account, lambda: None)
        self._welcome(attempt, account)

    def _answer_new(self, attempt: LoginAttempt, digest: Digest | None) -> None:
        """Answer an attempt with a new name: make an account, or refuse."""
        if attempt.over:  # cancelled
            attempt.give_back()
        # A guest may have taken the name, or one that looks like it, since the attempt began.
        elif self._is_guest(attempt.name.key):
            attempt.give_back()
            self._refuse(attempt, _GUEST)
        elif self.looks_taken(attempt.name):
            attempt.give_back()
            self._refuse(attempt, _LOOKS_TAKEN)
        elif digest is None or not (attempt.signup_tokens or self._limits.unlimited):
            self._refuse(attempt, "no new accounts from your address for now: try again in an hour")
        else:
            account = Account(attempt.name.text, digest, attempt.name.shown, key=attempt.name.key)
            attempt.signup_tokens.clear()  # used up: they are not given back
            self._unkept[account.key] = []
            self._registered(attempt.name)
            # The attempt is the first that waits until the account is durable. `_kept` then answers it.
            self._welcome(attempt, account)
            self.accounts.add(account, self._kept)

    # -- the answer

    def _welcome(self, attempt: LoginAttempt, account: Account) -> None:
        """Accept an attempt, because its password is right. The answer is given when the state of the account is durable."""
        unkept = self._unkept.get(account.key)
        if unkept is not None:  # it is not durable: `_kept` calls this again
            unkept.append((attempt, account))
            return
        attempt.give_back()
        if not self.closed:
            self.proven.note(account, attempt.password, attempt.address)
        self._say(attempt, attempt.name.spelled(account.name, account.shown))

    def _kept(self, owner: Account) -> None:
        """
        Answer the log-ins that wait until the state of an account is durable. If another host has made an account with the
        same key, their passwords must be checked again.

        :param owner: the account that has the key in the store now
        """
        with self._turn:
            for attempt, account in self._unkept.pop(owner.key):
                # Salts are random, so equal salts mean that this is the account for which the password was checked.
                if account.digest.salt == owner.digest.salt:
                    self._welcome(attempt, account)
                else:
                    attempt.new = False
                    self._queue.put_back(attempt)
            self._next()

    def _refuse(self, attempt: LoginAttempt, reason: str) -> None:
        self._say(attempt, LoginRefused(reason))

    def _say(self, attempt: LoginAttempt, outcome: LoginOutcome) -> None:
        """Answer an attempt, unless it was cancelled, and forget its password."""
        attempt.password = b""
        if not attempt.over:
            attempt.over = True
            attempt.answer(outcome)
