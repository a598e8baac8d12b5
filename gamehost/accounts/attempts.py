"""
The attempts to log in: what is known of each until it is answered, and the queue of those that wait to be worked on.
"""

from collections.abc import Callable

from attrs import define, field
from msgspec import Struct

from gamehost.accounts.lines import Rounds
from gamehost.limits import TokenBucket


class LoginRefused(Struct, frozen=True):
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
    #: Gives back the tokens that it has got. If the password is wrong, they stay spent.
    spent: list[Callable[[], None]] = field(factory=list, repr=False)
    #: Tokens of the quotas of new accounts. Without them a new name becomes no account.
    signup_tokens: list[TokenBucket] = field(factory=list, repr=False)
    #: Leaves the line of a quota; `None`: it is in no such line.
    leave: Callable[[], None] | None = field(default=None, repr=False)
    #: Why no account can be made now; `None`: it can.
    no_new_account: str | None = None
    #: Whether no account has the name.
    new: bool = False
    #: Whether the password was compared. Then the client may know that it is wrong, before it is told so.
    compared: bool = False
    over: bool = False

    def cancel(self) -> None:
        """The client has disconnected: there will be no answer."""
        if not self.over:
            self.over = True
            if self.leave is not None:
                self.leave()
                self.give_back()

    def give_back(self) -> None:
        """No wrong password was tried and no account was made: put all tokens back."""
        spent, self.spent = self.spent, []
        for back in spent:
            back()
        self.give_back_signup()

    def give_back_signup(self) -> None:
        """No account was made."""
        for bucket in self.signup_tokens:
            bucket.give_back()
        self.signup_tokens.clear()


class WorkQueue:
    """
    Attempts that wait for the worker, in two lines that are served in turn. In each line, addresses are served in rounds.

    One line is for accounts whose player has a seat in a match. So a flood of other log-ins delays them by little.
    Attempts with accounts are never refused here: each has got a token of a quota, and needs a connection.

    :param most_new: attempts with new names; `None`: any number
    """

    def __init__(self, most_new: int | None) -> None:
        self._most_new = most_new
        self._new = 0
        self._lines: tuple[Rounds[str, LoginAttempt], Rounds[str, LoginAttempt]] = (Rounds(), Rounds())
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
        """Have an attempt come next in the line of all."""
        self._new += attempt.new
        self._lines[False].put(attempt.address, attempt, first=True)

    def pop(self) -> LoginAttempt:
        """The next attempt."""
        if all(self._lines):
            self._turn = not self._turn
        attempt = (self._lines[self._turn] or self._lines[not self._turn]).pop()
        self._new -= attempt.new
        return attempt

    def clear(self) -> None:
        """Forget all attempts."""
        self._lines = (Rounds(), Rounds())
        self._new = 0
