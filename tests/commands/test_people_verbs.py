"""The verbs about people, and how their answers are shown."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.people_verbs import PEOPLE_VERBS as VERBS
from tests.kit.admin import AdminHost


class ShownTests(SynchronousTestCase):
    """Each answer of a host, as text."""

    def test_say_and_drain(self) -> None:
        """What came of them."""
        world = AdminHost()
        world.match()
        world.connect("console")
        for command, arguments, words in (
            ("say", {"text": "hello"}, "told: 1; not told, because their wire has no words for it: 2"),
            ("drain", {}, "no new matches begin; the host ends after the last of 1"),
            ("drain", {"cancel": True}, "the host goes on, and new matches begin"),
        ):
            self.assertEqual(list(VERBS[command].end(world.ask(command, **arguments))), [words])
        self.assertEqual(list(VERBS["drain"].end(AdminHost().ask("drain"))), ["no match is played; the host ends now"])
        facts = {"draining": True, "tables": 1, "remote_games": 2}
        lines = list(VERBS["drain"].end(facts))
        self.assertEqual(lines, ["no new matches begin; the host ends after the last of 3"])

    def test_reload(self) -> None:
        """One line for each name."""
        lines = VERBS["reload"].end({"changed": ["grace"], "need_a_restart": ["onitama"]})
        self.assertEqual(list(lines), ["changed: grace", "needs a restart: onitama"])
        self.assertEqual(list(VERBS["reload"].end(AdminHost().ask("reload"))), ["nothing is different"])

    def test_bans(self) -> None:
        """What came of them, and the list."""
        world = AdminHost()
        world.match()
        for command, arguments, words in (
            ("kick", {"name": "bob"}, "bob: the connection is closed; the seat at table 1 is kept"),
            ("ban", {"target": "ann"}, "ann is banned for ever; connections closed: 1"),
            ("ban", {"target": "192.0.2.9", "seconds": 60}, "192.0.2.9 is banned until 20"),
            ("unban", {"target": "ann"}, "ann is not banned any more"),
        ):
            [line] = VERBS[command].end(world.ask(command, **arguments))
            self.assertTrue(line.startswith(words), line)
        [line] = [line for item in world.items("bans") for line in VERBS["bans"].item(item)]
        self.assertRegex(line, r"192.0.2.9  address  since 20\S+Z  until 20\S+Z")
        [line] = VERBS["bans"].item({"target": "ann", "kind": "name", "since": 0, "until": None})
        self.assertEqual(line, "ann  name  since 1970-01-01T00:00:00Z  for ever")
