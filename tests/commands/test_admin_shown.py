"""How `gamehost admin` shows the answers of a host."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin import VERBS, duration
from gamehost.storage.names import Member
from tests.admin.test_host import MEMBERS, State
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


class MatchVerbsShownTests(SynchronousTestCase):
    """Each answer of a host, as text."""

    def setUp(self) -> None:
        self.world = AdminHost("--set=onitama.deal=boar,ox/crab,eel/tiger")
        _, bob = self.world.match()
        bob.transport.hang_up()
        self.world.settle()

    def test_tables(self) -> None:
        """One line each."""
        [line] = [line for item in self.world.items("tables") for line in VERBS["tables"].item(item)]
        self.assertEqual(line, "1  onitama  ann (onitama), bob (onitama, away)  1 entry")
        [item] = self.world.items("tables")
        [line] = VERBS["tables"].item({**item, "private": True, "phase": "suspended", "entries": 2, "watchers": 3})
        self.assertTrue(line.endswith("2 entries  3 watch  (private, suspended)"))

    def test_show(self) -> None:
        """The seats, the board, and who is to move."""
        shown = self.world.ask("show", table=1)
        lines = list(VERBS["show"].end(shown))
        self.assertEqual(lines[0], "table 1: onitama, playing, after entry 1")
        self.assertEqual(lines[1], "seat 0: ann (onitama)")
        self.assertIn("seat 1: bob (onitama, away), the seat is kept for 60 s", lines)
        self.assertIn("boar", "".join(lines))
        [first, _] = shown["seats"]
        timed = list(VERBS["show"].end({**shown, "seats": [{**first, "clock_seconds": 59.5, "house": True}]}))
        self.assertEqual(timed[1], "seat 0: ann (onitama), a house player, 59.5 s on the clock")
        without = VERBS["show"].end({**shown, "board": None, "awaited": None, "private": True})
        self.assertIn("this game has no picture in text", list(without))


class PeopleVerbsShownTests(SynchronousTestCase):
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


class ClusterVerbsShownTests(SynchronousTestCase):
    """Each answer of a member, as text."""

    def setUp(self) -> None:
        self.world = AdminHost()

    def lines(self) -> list[str]:
        *items, end = self.world.owner().ask("cluster")
        verb = VERBS["cluster"]
        return [*(line for one in items for line in verb.item(one["item"])), *verb.end(end["end"])]

    def test_cluster(self) -> None:
        """One line for each member, and two about the one that is asked."""
        self.world.host.cluster = State()
        self.assertEqual(
            self.lines(),
            [
                "3  a.example  tcp:10.0.0.1:8990  (the leader)",
                "5  b.example  tcp:10.0.0.2:8990  (this member)",
                "6  c.example  tcp:10.0.0.3:8990",
                "this member: people: 0; tables: 0, and 0 asleep",
                "this member: relayed connections: 7 to other members, 2 from them",
            ],
        )

    def test_the_leader_is_asked(self) -> None:
        """Both marks stand in one line, and names from the database cannot control the terminal."""
        self.world.host.cluster = State(3, [Member(3, "a\x1b", "tcp:10.0.0.1:8990", "")])
        self.assertEqual(self.lines()[0], "3  a\\x1b  tcp:10.0.0.1:8990  (the leader, this member)")

    def test_status(self) -> None:
        """One line, but none for a host alone, or of an older release."""
        status = self.world.ask("status")
        older = {name: value for name, value in status.items() if name != "cluster"}
        for facts in (status, older):
            self.assertNotIn("cluster", "".join(VERBS["status"].end(facts)))
        relays = "relayed connections: 7 to other members, 2 from them"
        for state, words in (
            (State(), f"cluster: 3 members; this one is number 5, the leader is number 3; {relays}"),
            (State(members=MEMBERS[1:]), f"cluster: 2 members; this one is number 5, the leader; {relays}"),
        ):
            self.world.host.cluster = state
            self.assertIn(words, [*VERBS["status"].end(self.world.ask("status"))])
