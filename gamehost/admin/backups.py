"""The command that makes a backup of the host's store."""

from pathlib import Path

from twisted.internet.defer import Deferred

from gamehost.admin.requests import Facts, NotDone, Request
from gamehost.journal.records import StoreUnusable
from gamehost.service import GameHostService
from gamehost.storage.backup import FileExists
from gamehost.storage.durable import DurableJournal
from gamehost.storage.online_backup import Backup, Backups
from gamehost.storage.postgresql.urls import BACKUP


def backup(host: GameHostService, request: Request) -> Deferred[Facts]:
    """Copy the store to `file`, an absolute path, while moves go on.

    `force` replaces an earlier backup. `accept_faults` keeps one in which the check finds faults, and tells them.
    """
    file = Path(request.text("file"))
    if not file.is_absolute():
        raise NotDone("file: expected an absolute path")
    answer: Deferred[Facts] = Deferred()

    def done(result: Backup | str) -> None:
        if isinstance(result, str):
            answer.errback(NotDone(result))
        else:
            # The mark counts those that were deleted, too.
            accounts = sum(1 for _ in host.context.lobby.login_service.accounts.names())
            facts = {"file": str(file), "rows": result.mark.count, "accounts": accounts, "bytes": result.size}
            answer.callback({**facts, "faults": [*result.faults]})

    try:
        _backups(host).begin(file, done, request.flag("force"), request.flag("accept_faults"))
    except FileExists as error:
        raise NotDone(f"{error}, or replace an earlier backup with --force") from error
    except StoreUnusable as error:
        raise NotDone(str(error)) from error
    return answer


def _backups(host: GameHostService) -> Backups:
    """
    :raises NotDone: this host cannot make any
    """
    backups = host.store.backups if isinstance(host.store, DurableJournal) else None
    if backups is None:
        only_files = "only a store that is an SQLite file can be backed up in this way"
        raise NotDone(BACKUP if isinstance(host.store, DurableJournal) else only_files)
    return backups
