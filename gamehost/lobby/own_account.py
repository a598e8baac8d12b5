"""What a player does with the own account: its password, and the devices that log in to it without one."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from attrs import frozen

from gamehost.accounts.login import LoginAttempt, LoginService
from gamehost.accounts.passwords import Account
from gamehost.accounts.remembered import RememberedLogin

_EPOCH = date(1970, 1, 1)


@frozen
class Device:
    """A device that logs in to an account without its password."""

    #: Names it among those of its account.
    id: str
    #: As its program has named it; it may be empty.
    name: str
    #: The days of its first and its last use, such as `2024-05-17`.
    since: str
    seen: str


@frozen
class OwnAccount:
    """The account of a player, as it was when the player asked for something."""

    _account: Account
    _service: LoginService

    def remember(self, key: str, device: str, remembered: Callable[[], None]) -> None:
        """Let a device log in with a key, as `RememberedLogins.remember` does."""
        self._service.remembered.remember(self._account, key, device, remembered)

    def devices(self, found: Callable[[Sequence[Device]], None]) -> None:
        """Find the devices that log in, the one that was used last first."""

        def listed(logins: Sequence[RememberedLogin]) -> None:
            found([Device(login.id, login.device, day_text(login.made), day_text(login.seen)) for login in logins])

        self._service.remembered.of(self._account, listed)

    def end(self, device: str, ended: Callable[[], None]) -> None:
        """
        Let a device log in no longer.

        :param device: its `Device.id`; there need not be one
        :param ended: called when that is durable
        """
        self._service.remembered.end(self._account, [device], ended)

    def end_all(self, ended: Callable[[], None]) -> None:
        """Let no device log in any longer."""
        self._service.remembered.end_all(self._account.key, ended)

    def change_password(
        self,
        old: str,
        new: str,
        address: str,
        answer: Callable[[str | None], None],
        waits: Callable[[float], None],
    ) -> LoginAttempt | None:
        """Change the password, as `LoginService.change_password` does."""
        return self._service.change_password(self._account, old, new, address, answer, waits)


def day_text(days: int) -> str:
    """A number of days since 1970 as people write it, such as `2024-05-17`."""
    return (_EPOCH + timedelta(days)).isoformat()
