"""
Changes of accounts by the owner of a host: a new password, another name, the end of an account.

All changes go through the journal's writer, and are answered when they are durable. They are safe against a log-in at the same
time: the log-in service compares its result with the account as it is then.

The records of earlier matches are never changed: they keep the old name.
"""

import fnmatch
import re
import secrets
from collections.abc import Callable, Iterator, Sequence

from attrs import define, frozen

from gamehost.accounts.names import NameRefused, check_new_name, checked_name, key_of, name_of
from gamehost.accounts.passwords import Account, Digest, PasswordRefused, checked_password
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.own_account import Device, OwnAccount
from gamehost.lobby.sessions import Session

#: Letters and digits that cannot be mistaken for others. A password of `_LENGTH` of them has 78 bits.
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_LENGTH = 16

RESET = "the owner of this host has changed your password: log in with the new one"
RENAMED = "the owner of this host has renamed your account"
DELETED = "the owner of this host has deleted your account"
GONE = "the owner of this host has renamed or deleted your account"


#: Closes connections with a reason, and returns how many there were.
Closing = Callable[[str], int]


class ChangeRefused(Exception):
    """An account is not changed. The message is for the owner of the host, and says why."""


@frozen
class AccountState:
    """What the owner of the host sees of one account: whether its player is connected, and where it has a seat."""

    name: str
    #: Whether the player is connected now.
    present: bool
    #: The table at which the player has a seat, also if the match is asleep; `None`: the player has no seat.
    table: TableId | None
    #: When the account has last logged in, in days since 1970; `None`: not in the last 30 days.
    last_day: int | None


@frozen
class Changed:
    """A change of an account that is done and durable."""

    #: The name of the account after the change.
    name: str
    #: How many connections were closed.
    connections: int
    #: After a new password, the table at which the player still has a seat. After other changes, the table at which the
    #: player has lost its seat. `None`: the player has had no seat.
    table: TableId | None
    #: The new password, if the host has made it.
    password: str | None = None

    def __repr__(self) -> str:
        return f"Changed({self.name!r})"


@define(eq=False)
class AccountChanges:
    """
    Lists and changes the accounts of a running host, for its owner.

    A player is informed of a change only when the change is durable. Log-ins to an account that is changing are answered
    at that moment, too.

    :param stop: called with the key of a player's name: ignores further input of this player. It returns a function that
        closes the player's connections with a reason, and returns how many there were
    """

    _lobby: Lobby
    _stop: Callable[[str], Closing]

    def accounts(self, pattern: str = "*") -> Iterator[AccountState | None]:
        """
        Find all accounts with names that match a pattern of the shell, such as `a*`. The iterator yields `None` for each
        other account, so that the caller can do other work in between.
        """
        matches = re.compile(fnmatch.translate(key_of(pattern))).match
        service = self._lobby.login_service
        for name in list(service.accounts.names()):  # a copy: accounts may change between two steps
            key = key_of(name)
            if not matches(key):
                yield None
                continue
            session = self._session(key, name)
            present = session is not None and session.player is not None
            table = None if session is None else session.table_id
            yield AccountState(name, present, table, service.proven.last_day(key))

    def devices(self, name: str, found: Callable[[Sequence[Device]], None]) -> None:
        """
        Find the devices that log in to an account without its password.

        :param found: called with the devices; the one with the latest use is the first
        :raises ChangeRefused: there is no such account
        """
        OwnAccount(self._account(name), self._lobby.login_service, self._lobby.context.journal).devices(found)

    def reset(
        self,
        name: str,
        password: str | None,
        done: Callable[[Changed], None],
        refused: Callable[[ChangeRefused], None],
    ) -> None:
        """
        Give an account a new password, and close the player's connections. The player keeps a seat that it has.

        :param password: the new password; `None`: the host makes a random one
        :param refused: called instead of `done` if the account has changed while the digest was computed
        :raises ChangeRefused: there is no such account, or the password cannot be used
        """
        # Check the password, or make one. `made` is sent back to the owner: nobody else knows it.
        account = self._account(name)
        made = None if password is not None else "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        try:
            checked = checked_password(made or password or "")
        except PasswordRefused as refusal:
            raise ChangeRefused(f"the password cannot be used: {refusal}") from None

        def durable() -> None:
            """Close the player's connections, and report to the owner of the host."""
            # `_stop` ignores further input of the player, and returns the function that closes the connections. That one
            # is called with the reason, and returns how many there were.
            closed = self._stop(account.key)(RESET)
            session = self._session(account.key, account.name)
            table = None if session is None else session.table_id
            done(Changed(account.name, closed, table, made))

        def change(digest: Digest) -> None:
            # False: the account was changed or deleted while the digest was computed.
            if not self._lobby.login_service.change_digest(account, digest, durable):
                refused(ChangeRefused(f"the account {account.name} was changed meanwhile; nothing was done"))

        # A thread computes the digest, which takes long. Then `change` stores it.
        self._lobby.login_service.make_digest(checked, change)

    def rename(self, name: str, new_name: str, force: bool, done: Callable[[Changed], None]) -> None:
        """
        Give an account another name, and close the player's connections.

        :param force: whether to rename also a player that has a seat in a match; the player loses that seat
        :raises ChangeRefused: the account cannot get this name, or its player has a seat and `force` is `False`
        """
        account = self._account(name)
        registry, service = self._lobby.registry, self._lobby.login_service
        # Is the new name allowed and free? If only the spelling changes, the key of the name remains, and nobody else can
        # have it.
        try:
            checked = checked_name(new_name)
            if checked.key != account.key:
                check_new_name(checked)
        except NameRefused as refusal:
            raise ChangeRefused(f"the new name cannot be used: {refusal}") from None
        new_name, key = checked.text, checked.key
        if new_name == account.name:
            raise ChangeRefused(f"the account has the name {new_name} already")
        if key != account.key:
            if service.accounts.find(key) is not None:
                raise ChangeRefused(f"another account has the name {new_name}")
            if registry.find(key) is not None:
                raise ChangeRefused(f"a guest has the name {new_name} now")
            if registry.looks_taken(checked):
                raise ChangeRefused(f"the name {new_name} looks like another one that is in use")
        # Stop the use of the old name, and store the new one.
        close, table = self._release(account, force)

        def durable() -> None:
            """Close the player's connections, answer the log-ins that wait, and report to the owner of the host."""
            closed = close(RENAMED)
            answer_log_ins()
            done(Changed(new_name, closed, table))

        # Log-ins under the new name wait until the change is durable.
        answer_log_ins = service.changing(Account(new_name, account.digest))
        if key != account.key:
            self._move_lists(account.key, key)
        renamed = service.accounts.rename(account, new_name, durable)
        service.forget(account.key)  # nobody logs in under the old name by an earlier proof or a device
        registry.account_looks.remove(name_of(account.name))
        registry.account_looks.add(name_of(renamed.name))

    def delete(self, name: str, force: bool, done: Callable[[Changed], None]) -> None:
        """
        Delete an account, and close the player's connections. Afterwards another player may use the name.

        :param force: whether to delete also the account of a player that has a seat in a match; the player loses that seat
        :raises ChangeRefused: there is no such account, or its player has a seat and `force` is `False`
        """
        account = self._account(name)
        close, table = self._release(account, force)
        service = self._lobby.login_service
        self._move_lists(account.key, None)
        service.accounts.delete(account, lambda: done(Changed(account.name, close(DELETED), table)))
        service.forget(account.key)  # nobody logs in by an earlier proof or a device
        self._lobby.registry.account_looks.remove(name_of(account.name))

    def learn(self, before: Account | None, after: Account | None) -> None:
        """
        Follow a change of an account that the owner has made at another host of the cluster: close the player's
        connections to this host. After a deletion, give up the player's seat too, because another player may get the
        name soon.

        :param before: the account before the change; `None`: it is new
        :param after: the account after the change; `None`: it was deleted
        """
        looks = self._lobby.registry.account_looks
        if before is not None:
            looks.remove(name_of(before.name))
        if after is not None:
            looks.add(name_of(after.name))
        if before is None:
            return  # nobody has used a new account here
        self._lobby.login_service.proven.forget(before.key)
        if after is None:
            close, _ = self._release(before, force=True)
            close(GONE)
        # An unchanged digest means that the name was changed, otherwise the password.
        elif self._session(before.key, before.name) is not None:
            self._stop(before.key)(RENAMED if before.digest == after.digest else RESET)

    def _move_lists(self, before: str, after: str | None) -> None:
        """Move a player's list of matches and its leave to another key of a name; `None`: delete both."""
        self._lobby.own.move(before, after)
        if self._lobby.slow is not None:
            self._lobby.slow.leaves.move(before, after)

    def _account(self, name: str) -> Account:
        """
        Find the account with this name, for a change.

        :raises ChangeRefused: there is no such account, or it cannot be changed now
        """
        service, key = self._lobby.login_service, key_of(name)
        if service.closed:
            raise ChangeRefused("the host is stopping; nothing was done")
        account = service.accounts.find(key)
        if account is None:
            raise ChangeRefused(f"there is no account {name!r}; gamehost admin account list shows all")
        if service.is_being_made(key):
            raise ChangeRefused(f"the account {account.name} is being made or changed just now; try again")
        return account

    def _session(self, key: str, name: str) -> Session | None:
        """The session of an account's player; `None`: the player is not connected and has no seat."""
        session = self._lobby.registry.get(name)
        # The session under this name may belong to a guest: the host may have reserved fewer names for accounts before.
        return session if session is not None and session.account and session.key == key else None

    def _release(self, account: Account, force: bool) -> tuple[Closing, TableId | None]:
        """
        Stop all use of an account's name: ignore further input, give up all seats, and log out.

        :returns: a function that closes the player's connections, and the table at which the player had a seat
        :raises ChangeRefused: the player has a seat in a match, and `force` is `False`
        """
        session = self._session(account.key, account.name)
        table = None if session is None else session.table_id
        if table is not None and not force:
            raise ChangeRefused(
                f"{account.name} has a seat at table {table}; wait until the match is over, "
                "or give the seat up with --force: the player loses it then, and the other players are told"
            )
        slow = self._lobby.slow
        matches = [] if slow is None else slow.tables_of(account.key)
        if matches and not force:
            raise ChangeRefused(
                f"{account.name} has {len(matches)} slow matches, the first of them at table {matches[0]}; wait until they are "
                "over, or give their seats up with --force: the player loses them then"
            )
        close = self._stop(account.key)
        if slow is not None:
            slow.give_up_all(account.key)
        self._lobby.waiting_tables.withdraw(account.key)
        if session is not None:
            seat = session.seat  # read before the session loses it
            # The player must count as disconnected, because only the seat of an absent player can be given up.
            if session.player is not None:
                self._lobby.leave(session, session.player)
            if table is not None and seat is not None:
                self._lobby.give_up(session)
                # After a restart, no player gets this seat: another player may have the name by then.
                self._lobby.context.journal.told(table, seat)
        return close, table
