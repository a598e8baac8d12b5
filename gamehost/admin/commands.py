"""The commands by their names."""

from collections.abc import Mapping

from gamehost.admin.looks import status, who
from gamehost.admin.requests import Command

COMMANDS: Mapping[str, Command] = {
    "status": Command(status),
    "who": Command(who),
}
