"""The verbs of `gamehost admin`, and how answers are shown."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin_verbs import VERBS, duration
from tests.kit.admin import AdminHost


class ShownTests(SynchronousTestCase):
    """Each answer of a host, as text."""

    def test_status(self) -> None:
        """One thing a line."""
        world = AdminHost()
        world.host.context.lobby.no_room = "planted"
        status = world.ask("status")
        lines = list(VERBS["status"].end(status))
        measured = {"changes": 9, "commits": 3, "mean_commit_ms": 1.25, "waiting_changes": 1, "waiting_seconds": 0.5}
        *_, line, _ = VERBS["status"].end({**status, "journal": {**status["journal"], **measured}})
        self.assertEqual(line, "journal: 9 changes in 3 commits, 1.25 ms each; 1 changes wait, the oldest for 0.5 s")
        self.assertTrue(lines[0].startswith("gamehost "))
        for line in ("closed: planted", "connections: 0 (0 refused), HTTP 0", "people: 0, 0 of them wait"):
            self.assertIn(line, lines)

    def test_who(self) -> None:
        """One line each."""
        world = AdminHost()
        world.match()
        lines = [line for item in world.items("who") for line in VERBS["who"].item(item)]
        self.assertEqual(lines[0], "ann  guest  onitama  from 192.0.2.1  table 1 (onitama)")

    def test_duration(self) -> None:
        """The two largest units."""
        for seconds, words in ((0, "0 s"), (67, "1 min 7 s"), (90_061, "1 d 1 h")):
            self.assertEqual(duration(seconds), words)
