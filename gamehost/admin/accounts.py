"""Commands for accounts: a list, a new password, another name, and the end of an account."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from gamehost.accounts.proofs import SECONDS_PER_DAY
from gamehost.admin.people import close_key
from gamehost.admin.requests import Facts, Items, NotDone, Request
from gamehost.lobby.account_changes import AccountChanges, AccountState, Changed, ChangeRefused
from gamehost.service import GameHostService

#: Accounts that are looked at in one turn of the reactor.
_AT_ONCE = 500


def list_accounts(host: GameHostService, request: Request) -> Items:
    """The accounts whose names match `pattern`, in the order in which they were made."""
    states = _changes(host).accounts(request.text("pattern", "*"))
    for number, state in enumerate(states, 1):
        if state is not None:
            yield _facts(state)
        if number % _AT_ONCE == 0:
            yield deferLater(host.context.clock, 0)
    return {}


def reset(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` a new password: `password`, or one that the host makes and tells."""
    password = request.text("password") if "password" in request.arguments else None
    name = request.text("name")
    return _answer(lambda done, failed: _changes(host).reset(name, password, done, failed))


def rename(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Give the account `name` the name `new_name`. `force` gives up the player's seat."""
    names, force = (request.text("name"), request.text("new_name")), request.flag("force")
    return _answer(lambda done, failed: _changes(host).rename(*names, force, done))


def delete(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Delete the account `name`. `force` gives up the player's seat."""
    name, force = request.text("name"), request.flag("force")
    return _answer(lambda done, failed: _changes(host).delete(name, force, done))


def _changes(host: GameHostService) -> AccountChanges:
    return AccountChanges(host.context.lobby, partial(close_key, host))


def _answer(change: Callable[[Callable[[Changed], None], Callable[[ChangeRefused], None]], None]) -> Deferred[Facts]:
    """
    What a change is answered with, when it is durable.

    :raises NotDone: the account is not changed
    """
    answer: Deferred[Any] = Deferred()

    def done(changed: Changed) -> None:
        facts = {"name": changed.name, "connections": changed.connections, "table": changed.table}
        answer.callback(facts if changed.password is None else {**facts, "password": changed.password})

    try:
        change(done, lambda refusal: answer.errback(NotDone(str(refusal))))
    except ChangeRefused as refusal:
        raise NotDone(str(refusal)) from None
    return answer


def _facts(state: AccountState) -> Facts:
    day = state.last_day
    last = None if day is None else f"{datetime.fromtimestamp(day * SECONDS_PER_DAY, UTC):%Y-%m-%d}"
    return {"name": state.name, "present": state.present, "table": state.table, "last_log_in": last}
