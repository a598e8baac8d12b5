"""The checks of servers, by the wire's name."""

from collections.abc import Mapping

from gamehost.checker.server_base import ServerChecks
from gamehost.checker.server_wires import eriantys, onitama, paper_soccer, stratego_frames, stratego_lines

_ALL = (eriantys.CHECKS, onitama.CHECKS, paper_soccer.CHECKS, stratego_frames.CHECKS, stratego_lines.CHECKS)

SERVER_CHECKS: Mapping[str, ServerChecks] = {checks.wire: checks for checks in _ALL}
