"""Settings that are read again: what changes, what cannot, and that nobody notices who plays."""

import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.config import Options
from gamehost.limits import LIMITS
from gamehost.lobby.sessions import ResumePolicy
from gamehost.players.base import Level
from gamehost.settings import Reload
from gamehost.tap import house_service
from tests.kit.admin import AdminHost

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class ReloadTests(SynchronousTestCase):
    """A host with a file."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "gamehost.toml"
        self.write("")
        self.world = AdminHost(f"--config={self.file}", "--set=onitama.max_plies=20")
        self.host = self.world.host
        self.lobby = self.host.context.lobby

    def write(self, *lines: str) -> None:
        self.file.write_text("\n".join(lines))

    def reload(self, *lines: str) -> tuple[list[str], list[str]]:
        """What changed, and what needs a restart."""
        self.write(*lines)
        answer = self.world.ask("reload")
        return sorted(answer["changed"]), sorted(answer["need_a_restart"])

    def test_nothing_is_different(self) -> None:
        """Nor the second time."""
        for _ in range(2):
            self.assertEqual(self.reload(), ([], []))

    def test_options(self) -> None:
        """They are used from now on, and a second look finds nothing new; without their lines, the defaults are back."""
        lines = ("grace = 5", 'resume = "any"', 'web-origin = ["https://games.example.org"]', "move-time = 60")
        games = sorted(f"{game}.move_time" for game in self.lobby.settings)
        changed = sorted(["grace", "resume", "web-origin", *games])
        self.assertEqual(self.reload(*lines), (changed, []))
        self.assertEqual((self.lobby.grace, self.lobby.registry.resume), (5.0, ResumePolicy.ANY))
        self.assertEqual([site.access.origins for site in self.host.sites], [["https://games.example.org"]])
        self.assertEqual(self.lobby.settings["onitama"], {"move_time": "60", "max_plies": "20"})
        self.assertEqual(self.reload(*lines), ([], []))
        self.assertEqual(self.reload(), (changed, []))
        self.assertEqual(self.lobby.grace, 60.0)

    def test_settings_of_games(self) -> None:
        """For matches that begin from now on. The command line has priority."""
        ann, _ = self.world.match()
        lines = (
            "[set]",
            '"onitama.deal" = "boar,ox/crab,eel/tiger"',
            '"onitama.max_plies" = 30',
            '"onitama.watch_delay" = 3',
        )
        self.assertEqual(self.reload(*lines), (["onitama.deal", "onitama.watch_delay"], []))
        self.assertEqual(self.lobby.settings["onitama"]["max_plies"], "20")
        self.assertEqual(self.lobby.galleries.delay("onitama"), 3.0)
        self.assertFalse(ann.closed)
        carl, _ = self.world.match("carl", "dora")
        self.assertEqual(self.reload(), (["onitama.deal", "onitama.watch_delay"], []))
        self.assertNotIn("deal", self.lobby.settings["onitama"])
        self.assertIn("MOVE_WAS_MADE", "".join(carl.ask("MAKE_MOVE|ox|c1|c2")))

    def test_limits(self) -> None:
        """Each one that can change is used."""
        values = {
            name: max(1, int(limit.default) // 2) for name, limit in LIMITS.items() if limit.reload is Reload.USED
        } | {"bytes_burst": 2048, "queue_bytes": 2048, "remote_bytes": 2048}
        changed, fixed = self.reload("[set]", *(f'"limits.{name}" = {value}' for name, value in values.items()))
        self.assertEqual((changed, fixed), (sorted(f"limits.{name}" for name in values), []))
        used = self.host.context.limits
        self.assertEqual({name: getattr(used, name) for name in values}, values)
        self.assertEqual(self.lobby.registry.keyless_wait, values["keyless_resume_seconds"])
        self.assertEqual(self.lobby.waiting_tables.patience, values["open_table_seconds"])

    def test_what_needs_a_restart(self) -> None:
        """It is named each time; the rest changes. A host without house players cannot have them later."""
        lines = ("grace = 5", 'onitama = "tcp:1"', 'house-level = "hard"')
        settings = ('"limits.password_work" = 15', '"onitama.strict" = "yes"', '"stratego.house" = 5')
        fixed = ["house-level", "limits.password_work", "onitama", "onitama.strict", "stratego.house"]
        self.assertEqual(self.reload(*lines, "[set]", *settings), (["grace"], fixed))
        self.assertEqual(self.reload(*lines, "[set]", *settings), ([], fixed))

    def test_house_players(self) -> None:
        """When they come, and how well they play."""
        self.host.house = house_service(Options(), self.world.reactor)
        changed = ["house-level", "limits.house_tables", "stratego.house"]
        lines = ('house-level = "hard"', "[set]", '"stratego.house" = 5', '"limits.house_tables" = 7')
        self.assertEqual(self.reload(*lines), (changed, []))
        rules = self.lobby.house.rules
        self.assertEqual((rules.seconds["stratego"], rules.level, rules.tables), (5.0, Level.HARD, 7))

    def test_a_file_that_cannot_be_used(self) -> None:
        """Nothing changes, and the fault is named."""
        for lines, words in (
            (("grace = 5", "[set]", '"onitama.deal" = "nonsense"'), "onitama.deal"),
            (("grace = 5", "nonsense = 1"), "unknown option 'nonsense'"),
            (("grace =",), "--config"),
        ):
            self.write(*lines)
            self.assertIn(words, self.world.error("reload"))
            self.assertEqual(self.lobby.grace, 60.0)
        self.file.unlink()
        self.assertIn("--config", self.world.error("reload"))

    def test_rates_change_for_those_who_are_here(self) -> None:
        """An address that is known begins with full buckets of the new size."""
        world = AdminHost(f"--config={self.file}", "--set=limits.unlimited=no")
        for _ in range(20):
            world.connect()
        self.assertIn("too many new connections", "".join(world.connect().heard()))
        self.write("[set]", '"limits.new_burst" = 30')
        world.ask("reload")
        self.assertEqual(world.connect().heard(), [])
