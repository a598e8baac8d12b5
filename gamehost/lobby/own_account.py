"""
The settings of a player's own account: its password, the devices that log in without one, the texts that it keeps, and
the notices for an absent player.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from attrs import frozen

from gamehost.accounts.login import LoginAttempt, LoginService
from gamehost.accounts.passwords import Account
from gamehost.accounts.remembered import RememberedLogin
from gamehost.journal.records import Journal, KeptText

if TYPE_CHECKING:
    from gamehost.lobby.notices import Notices

#: By the name of the notifier: the player's settings there, and the values that a client needs to change them.
Ways = Mapping[str, Mapping[str, Any]]

NO_WAY = "this host has no such way to tell you what happens while you are away"

#: The most bytes of a stored text, in UTF-8. Any such text fits into a line of the open wire.
MOST_KEPT = 2_000

_EPOCH = date(1970, 1, 1)


@frozen
class Device:
    """A device that logs in to an account without its password."""

    #: Identifies the device among those of its account.
    id: str
    #: The name that its program has given; it may be empty.
    name: str
    #: The days of its first and its last use, such as `2024-05-17`.
    since: str
    seen: str


@frozen
class OwnAccount:
    """
    Changes a player's own account, for one request of the player. The request is refused if the account has changed since this
    object was made.
    """

    _account: Account
    _service: LoginService
    _journal: Journal

    @property
    def key(self) -> str:
        """The account's name as names are compared."""
        return self._account.key

    def remember(self, key: str, device: str, remembered: Callable[[], None]) -> None:
        """Let a device log in with a key, as `RememberedLogins.remember` does."""
        self._service.remembered.remember(self._account, key, device, remembered)

    def devices(self, found: Callable[[Sequence[Device]], None]) -> None:
        """Find the devices that log in without the password. The one with the latest use is the first."""

        def listed(logins: Sequence[RememberedLogin]) -> None:
            found([Device(login.id, login.device, day_text(login.made), day_text(login.seen)) for login in logins])

        self._service.remembered.of(self._account, listed)

    def end(self, device: str, ended: Callable[[], None]) -> None:
        """
        Remove a device, so that it cannot log in without the password any more.

        :param device: its `Device.id`. An unknown id is ignored
        :param ended: called when the removal is durable
        """
        self._service.remembered.end(self._account, [device], ended)

    def end_all(self, ended: Callable[[], None]) -> None:
        """Remove all devices, so that none of them can log in without the password any more."""
        self._service.remembered.end_all(self._account.key, ended)

    def keep(self, place: str, text: str, kept: Callable[[], None]) -> None:
        """
        Store a text of the player, such as notes about a match. It replaces an earlier text about the same place. Nobody
        else may read it.

        :param place: what the text is about: the name of a game, or the place of a match, as in `KeptText`
        :param text: at most `MOST_KEPT` bytes in UTF-8; empty: only remove the earlier text
        :param kept: called when the change is durable
        """
        self._journal.put_kept(KeptText(self.key, place, text), kept)

    def find_kept(self, place: str, found: Callable[[str], None]) -> None:
        """Call `found` with the stored text about a place, as in `keep`; empty: there is none."""
        self._journal.find_kept(self.key, place, found)

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


@frozen
class OwnNotices:
    """
    Shows and changes the settings of one player for notices: messages outside the game to a player that is away. Made for
    one request.

    :param account: the account's key; `None`: the client has not logged in, but may prove its identity otherwise
    :param login: the `RememberedLogin.id` of the device; empty: it has none
    """

    _notices: "Notices | None"
    _account: str | None
    _login: str

    def state(self, told: Callable[[Ways], None]) -> None:
        """Call `told` with all notifiers of this host, and the player's settings at each; empty for a guest."""
        # No notifiers on this host, or the client has not logged in with an account.
        if self._notices is None or self._account is None:
            told({})
        else:
            self._notices.state(self._account, self._login, told)

    def change(self, way: str, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        """
        Change the player's settings at one notifier.

        :param values: the values that the notifier needs; empty: send nothing more in this way
        :param done: called with the reason why nothing is changed, or with `None` when the change is durable
        """
        if self._notices is None or way not in self._notices.notifiers:
            done(NO_WAY)
        else:
            self._notices.change(way, self._account, self._login, values, done)


def day_text(days: int) -> str:
    """A number of days since 1970 as people write it, such as `2024-05-17`."""
    return (_EPOCH + timedelta(days)).isoformat()
