"""
Games of other packages, without installing them: the examples.

The entry point of `gamehost_kuhn` is in the folder `INSTALLED`, which only processes that tests start have on their path.
"""

import sys
from pathlib import Path

_EXAMPLES = Path(__file__).parents[2] / "examples"
PLUGINS = str(_EXAMPLES / "kuhn")
INSTALLED = str(Path(__file__).parent / "plugins" / "installed")
_FOLDERS = (PLUGINS, *(str(_EXAMPLES / name) for name in ("gomoku", "fleet", "towers")))

sys.path += [folder for folder in _FOLDERS if folder not in sys.path]

from gamehost_fleet.master import FLEET as FLEET  # noqa: E402
from gamehost_fleet.master import FleetMaster as FleetMaster  # noqa: E402
from gamehost_fleet.tests import test_fleet as fleet_tests  # noqa: E402
from gamehost_gomoku.master import GOMOKU as GOMOKU  # noqa: E402
from gamehost_gomoku.messages import MESSAGES as GOMOKU_MESSAGES  # noqa: E402
from gamehost_gomoku.tests import test_master as gomoku_master_tests  # noqa: E402
from gamehost_gomoku.tests import test_wire as gomoku_tests  # noqa: E402
from gamehost_gomoku.wire import checks, client  # noqa: E402
from gamehost_gomoku.wire.conversation import WIRE as GOMOKU_WIRE  # noqa: E402
from gamehost_gomoku.wire.conversation import GomokuConversation as GomokuConversation  # noqa: E402
from gamehost_gomoku.wire.messages import Refused as Refused  # noqa: E402
from gamehost_kuhn.master import KUHN as KUHN  # noqa: E402
from gamehost_kuhn.master import KuhnMaster as KuhnMaster  # noqa: E402
from gamehost_kuhn.messages import MESSAGES as KUHN_MESSAGES  # noqa: E402
from gamehost_kuhn.messages import Dealt as Dealt  # noqa: E402
from gamehost_kuhn.messages import Say as Say  # noqa: E402
from gamehost_kuhn.messages import View as View  # noqa: E402
from gamehost_kuhn.tests import test_kuhn as kuhn_tests  # noqa: E402
from gamehost_towers.master import TOWERS as TOWERS  # noqa: E402
from gamehost_towers.master import TowersMaster as TowersMaster  # noqa: E402
from gamehost_towers.tests import test_towers as towers_tests  # noqa: E402

__all__ = [
    "FLEET",
    "GOMOKU",
    "GOMOKU_MESSAGES",
    "GOMOKU_WIRE",
    "KUHN",
    "KUHN_MESSAGES",
    "PLUGINS",
    "TOWERS",
    "Dealt",
    "FleetMaster",
    "GomokuConversation",
    "KuhnMaster",
    "Refused",
    "Say",
    "TowersMaster",
    "View",
    "fleet_tests",
    "gomoku_master_tests",
    "gomoku_tests",
    "kuhn_tests",
    "towers_tests",
]

#: The other end of the example's wire, and its judges.
GOMOKU_CLIENT, GOMOKU_JUDGES = client.CLIENT, checks.JUDGES
