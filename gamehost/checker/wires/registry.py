"""The checks of each wire, by the wire's name."""

from collections.abc import Mapping

from gamehost.checker.base import WireChecks
from gamehost.checker.wires import onitama, stratego_lines

CHECKS: Mapping[str, WireChecks] = {checks.wire: checks for checks in (onitama.CHECKS, stratego_lines.CHECKS)}
