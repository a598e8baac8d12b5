"""The commands by their names."""

from collections.abc import Mapping

from gamehost.admin.host import backup, cluster, drain, status, who
from gamehost.admin.matches import ends, rows, show, tables
from gamehost.admin.people import ban, delete, kick, list_accounts, list_bans, rename, reset, say, unban
from gamehost.admin.reload import reload_settings
from gamehost.admin.requests import Command

COMMANDS: Mapping[str, Command] = {
    "status": Command(status),
    "who": Command(who),
    "tables": Command(tables),
    "show": Command(show),
    "cluster": Command(cluster),
    "backup": Command(backup, acts=True),
    "account list": Command(list_accounts),
    "account reset": Command(reset, acts=True),
    "account rename": Command(rename, acts=True),
    "account delete": Command(delete, acts=True),
    "kick": Command(kick, acts=True),
    "ban": Command(ban, acts=True),
    "unban": Command(unban, acts=True),
    "bans": Command(list_bans),
    "say": Command(say, acts=True),
    "drain": Command(drain, acts=True),
    "reload": Command(reload_settings, acts=True),
}

#: The commands that `gamehost journal` uses, and that have no verb.
JOURNAL_COMMANDS: Mapping[str, Command] = {
    "journal ends": Command(ends),
    "journal rows": Command(rows),
}
