"""The checks of servers, by the wire's name."""

from collections.abc import Mapping

from gamehost.checker.server_base import ServerChecks
from gamehost.checker.server_wires import onitama

_ALL = (onitama.CHECKS,)

SERVER_CHECKS: Mapping[str, ServerChecks] = {checks.wire: checks for checks in _ALL}
