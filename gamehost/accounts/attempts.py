"""
The attempts to log in: what is known of each until it is answered, and the queue of those that wait to be worked on.
"""

from collections import deque
from collections.abc import Callable

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall

from gamehost.limits import TokenBucket


@frozen
class LoginRefused:
    """A refused log-in; the reason is for the client."""

    reason: str


#: The name of the account as it was first written, or a refusal.
LoginOutcome = str | LoginRefused


@define(eq=False)
class LoginAttempt:
    """A log-in that is not answered yet."""

    name: str
    key: str
    #: As `rate_limit_key` gives it.
    address: str
    password: bytes = field(repr=False)
    answer: Callable[[LoginOutcome], None] = field(repr=False)
    #: Tokens of quotas. If the password is wrong, they stay spent.
    guess_tokens: list[TokenBucket] = field(factory=list, repr=False)
    #: Tokens of the quotas of new accounts. Without them a new name becomes no account.
    signup_tokens: list[TokenBucket] = field(factory=list, repr=False)
    wait: IDelayedCall | None = field(default=None, repr=False)
    #: Whether the quota of failures of its address does not apply.
    exempt: bool = False
    #: Whether a token of that quota was taken.
    charged: bool = False
    over: bool = False

    def cancel(self) -> None:
        """The client has disconnected: there will be no answer."""
        if not self.over:
            self.over = True
            if self.wait is not None and self.wait.active():
                self.wait.reset(0)


class WorkQueue:
    """
    Attempts that wait for the worker, in two lines that are served in turn.

    One line is for accounts whose player has a seat in a match. So a flood of other log-ins delays them by little.

    :param longest: attempts in each line; `None`: any number
    """

    def __init__(self, longest: int | None) -> None:
        self._longest = longest
        self._lines: tuple[deque[LoginAttempt], deque[LoginAttempt]] = (deque(), deque())
        self._turn = False

    def __bool__(self) -> bool:
        return any(self._lines)

    def put(self, attempt: LoginAttempt, seated: bool) -> bool:
        """Add an attempt; `False`: its line is full."""
        line = self._lines[seated]
        if self._longest is not None and len(line) >= self._longest:
            return False
        line.append(attempt)
        return True

    def put_back(self, attempt: LoginAttempt) -> None:
        """Have an attempt come next in the line of all."""
        self._lines[False].appendleft(attempt)

    def pop(self) -> LoginAttempt:
        """The next attempt."""
        if all(self._lines):
            self._turn = not self._turn
        return (self._lines[self._turn] or self._lines[not self._turn]).popleft()

    def clear(self) -> None:
        """Forget all attempts."""
        for line in self._lines:
            line.clear()
