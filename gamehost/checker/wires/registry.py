"""The checks of each wire, by the wire's name."""

from collections.abc import Mapping

from gamehost.checker.base import WireChecks
from gamehost.checker.wires import eriantys, onitama, paper_soccer, stratego_frames, stratego_lines

_ALL = (eriantys.CHECKS, onitama.CHECKS, paper_soccer.CHECKS, stratego_frames.CHECKS, stratego_lines.CHECKS)

CHECKS: Mapping[str, WireChecks] = {checks.wire: checks for checks in _ALL}
