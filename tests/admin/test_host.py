"""Commands about the host as a whole: how it is, its cluster, new settings, backups, and its end."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from attrs import define, field, frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin import host as under_test
from gamehost.commands.admin import REQUESTS
from gamehost.config import Options
from gamehost.extras.cluster.claiming import ClaimingInput
from gamehost.journal.records import SeatRecord, StoreUnusable, TableHeader, TableId, UnfinishedTable
from gamehost.limits import LIMITS
from gamehost.lobby.membership import Membership
from gamehost.lobby.sessions import ResumePolicy
from gamehost.players.base import Level
from gamehost.service import DRAINING
from gamehost.settings import Reload
from gamehost.storage.backup import Backup, FileExists
from gamehost.storage.contents import Told
from gamehost.storage.durable import Backlog, DurableJournal
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.names import Member
from gamehost.storage.row_codec import Row, row_from_json
from gamehost.storage.sidecar import Mark
from gamehost.tap import house_service
from tests.kit.admin import AdminHost
from tests.kit.wires.paper_soccer_talk import login
from tests.kit.wires.remote_talk import master_login, over, state


class Durable(MemoryJournal):
    """A store with a backlog, as stores on disk have it."""

    def __init__(self, backlog: Backlog) -> None:
        super().__init__()
        self.backlog = backlog


class StatusTests(SynchronousTestCase):
    def test_status(self) -> None:
        world = AdminHost("--console=tcp:1", "--onitama=tcp:2")
        world.match()
        world.connect().ask("LOGIN|carl")
        world.wait(5)
        status = world.ask("status")
        self.assertEqual((status["people"], status["waiting"], status["tables"]), (3, 1, 1))
        self.assertEqual((status["connections"], status["uptime_seconds"]), (3, 5))
        self.assertIn("onitama", [one["name"] for one in status["listeners"]])
        self.assertEqual(status["journal"], {"pressure": "none", "room": "enough"})
        self.assertIsNone(status["closed"])
        self.assertEqual(status["connections_by_wire"]["onitama"], 3)
        self.assertEqual((status["bans"], status["remote_games"]), (0, 0))

    def test_a_store_on_disk_has_figures_of_its_commits(self) -> None:
        world = AdminHost()
        backlog = Backlog(lambda: 5.0)
        backlog.add(Told(TableId(1), None), 10, lambda: None)
        for store, commits in ((Durable(backlog), (0, None)), (Durable(backlog), (2, 2.5))):
            if commits[0]:
                for seconds in (0.002, 0.003):
                    backlog.measures.commits.observe(seconds)
                    backlog.measures.groups.observe(3)
            world.host.store = store
            journal = world.ask("status")["journal"]
            self.assertEqual((journal["commits"], journal["mean_commit_ms"]), commits)
            self.assertEqual((journal["waiting_changes"], journal["changes"]), (1, 3 * commits[0]))


class WhoTests(SynchronousTestCase):
    def test_who(self) -> None:
        world = AdminHost()
        world.match("bob", "ann")
        world.connect().ask("LOGIN|carl")
        people = world.items("who")
        seated = [(one["name"], one["table"], one["game"]) for one in people[:2]]
        self.assertEqual(seated, [("ann", 1, "onitama"), ("bob", 1, "onitama")])
        self.assertEqual(people[2]["address"], "192.0.2.1")
        self.assertIsNone(people[2]["table"])


#: Three members. The one that is asked is the second.
MEMBERS = (
    Member(3, "a.example", "tcp:10.0.0.1:8990", "secret-3"),
    Member(5, "b.example", "tcp:10.0.0.2:8990", "secret-5"),
    Member(6, "c.example", "tcp:10.0.0.3:8990", "secret-6"),
)


def _passed_on() -> Any:
    claiming = ClaimingInput.__new__(ClaimingInput)
    claiming.hops = 1
    return SimpleNamespace(input=claiming)


@frozen
class _State:
    epoch: int = 5
    members: Sequence[Member] = MEMBERS
    relays_out: int = 7
    relay_counts: Mapping[str, int] = {"relays_out": 7, "relays_in": 2}


#: In the place of a `Cluster`.
State: Any = _State


class ClusterTests(SynchronousTestCase):
    def test_members(self) -> None:
        world = AdminHost()
        world.match()
        world.host.cluster = State()
        items = world.items("cluster")
        marks = [(one["epoch"], one["this"]) for one in items]
        self.assertEqual(marks, [(3, False), (5, True), (6, False)])
        self.assertEqual((items[1]["name"], items[1]["address"]), ("b.example", "tcp:10.0.0.2:8990"))
        figures = {"epoch": 5, "people": 2, "tables": 1, "tables_asleep": 0, "relays_out": 7, "relays_in": 2}
        self.assertEqual(world.ask("cluster"), figures)

    def test_a_member_has_figures_of_the_cluster_and_a_host_alone_has_none(self) -> None:
        world = AdminHost()
        self.assertIsNone(world.ask("status")["cluster"])
        world.host.cluster = State()
        figures = {"epoch": 5, "members": 3, "relays_out": 7, "relays_in": 2}
        self.assertEqual(world.ask("status")["cluster"], figures)

    def test_tokens_of_members_are_not_told(self) -> None:
        world = AdminHost()
        world.host.cluster = State()
        self.assertNotIn("secret", json.dumps([world.owner().ask(command) for command in ("cluster", "status")]))

    def test_alone(self) -> None:
        refused = AdminHost().error("cluster")
        self.assertEqual(refused, "this host is no member of a cluster: it was started without --cluster")

    def test_what_another_member_may_have(self) -> None:
        """A player or a match that is not here may be there."""
        world = AdminHost()
        asked: Sequence[tuple[str, dict[str, Any]]] = (("kick", {"name": "ann"}), ("show", {"table": 7}))
        for command, arguments in asked:
            world.host.cluster = Membership()
            self.assertNotIn("cluster", world.error(command, **arguments))
            world.host.cluster = State()
            self.assertIn("other members of the cluster", world.error(command, **arguments))


DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class DrainTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.ended: list[bool] = []
        self.world = AdminHost(DEAL)
        self.world.host.on_drained = lambda: self.ended.append(True)

    def test_a_host_without_matches_ends_soon_after_the_answer(self) -> None:
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 0, "remote_games": 0})
        self.assertEqual(self.ended, [])
        for _ in range(3):
            self.world.wait(0.1)
        self.assertEqual(self.ended, [True])

    def test_the_last_match(self) -> None:
        ann, bob = self.world.match()
        carl = self.world.connect()
        carl.ask("LOGIN|carl")
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 1, "remote_games": 0})
        self.assertIn(DRAINING, "".join(carl.heard()))
        self.assertTrue(carl.closed)
        self.assertIn(DRAINING, "".join(self.world.connect().ask("LOGIN|dora")))
        self.assertIn("MOVE_WAS_MADE", "".join(ann.ask("MAKE_MOVE|ox|c1|c2")))
        ann.transport.hang_up()
        self.world.wait(4)
        ann = self.world.connect()
        self.assertIn("RECONNECT", "".join(ann.ask("LOGIN|ann")))
        self.world.wait(1)
        self.assertEqual(self.ended, [])
        status = self.world.ask("status")
        self.assertEqual((status["draining"], status["closed"]), (True, DRAINING))
        bob.transport.hang_up()
        self.world.wait(61)
        self.world.wait(0.1)
        self.assertEqual(self.ended, [True])

    def test_the_last_remote_game(self) -> None:
        master = self.world.connect("paper-soccer", "127.0.0.1")
        master.ask(master_login())
        for name in ("ann", "bob"):
            self.world.connect("paper-soccer").ask(login(name, "nim"))
        self.assertEqual(self.world.ask("status")["remote_games"], 1)
        self.assertEqual(self.world.ask("drain"), {"draining": True, "tables": 0, "remote_games": 1})
        self.world.wait(1)
        self.assertEqual(self.ended, [])
        master.ask(state(1, "ann"), over(1, {"ann": True, "bob": False}))
        self.world.wait(1)
        self.assertEqual(self.ended, [True])

    def test_new_matches_begin_again_after_a_change_of_mind(self) -> None:
        self.world.match()
        self.world.ask("drain")
        self.assertEqual(self.world.ask("drain", cancel=True), {"draining": False, "tables": 1, "remote_games": 0})
        self.world.match("carl", "dora")
        self.assertEqual(len(self.world.host.context.lobby.tables), 2)
        self.world.wait(1)
        self.assertEqual(self.ended, [])

    def test_people_who_look_on_stay(self) -> None:
        console, client = self.world.connect("console"), self.world.connect("open")
        self.world.match("carl", "dora")
        console.ask("name ann", "play onitama")
        client.ask('{"do":"enter","name":"bob"}', '{"do":"seek","game":"stratego"}')
        self.world.ask("drain")
        self.assertIn("The host is about to stop", "".join(console.heard()))
        self.assertIn('{"is":"stopped","why":"the host is about to stop', "".join(client.heard()))
        self.assertIn("The host is about to stop", "".join(console.ask("play onitama")))
        self.assertIn(
            '{"is":"sorry","why":"the host is about to stop', "".join(client.ask('{"do":"seek","game":"onitama"}'))
        )
        self.assertFalse(console.closed or client.closed)
        self.assertIn("carl", "".join(console.ask("watch 1")))


@define(eq=False)
class Backups:
    begun: list[Any] = field(factory=list)

    def begin(self, target: Path, done: Any, force: bool = False, accept_faults: bool = False) -> None:
        self.begun.append((target, force, accept_faults, done))
        if target.name == "refused":
            raise StoreUnusable("planted")
        if target.name == "there":
            raise FileExists("this file exists")


class BackupTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost()
        self.backups = Backups()

    def use(self) -> None:
        journal = DurableJournal.__new__(DurableJournal)
        journal.backups = self.backups  # type: ignore[assignment]
        self.world.host.store = journal

    def test_answer(self) -> None:
        self.use()
        for result, line in (
            (
                Backup(Path("/a"), Mark(3, 3, "", 2), 9, ["planted"]),
                {"end": {"file": "/a", "rows": 3, "accounts": 0, "bytes": 9, "faults": ["planted"]}},
            ),
            ("planted", {"error": "planted", "status": 1}),
        ):
            owner = self.world.owner()
            self.assertEqual(owner.ask("backup", file="/a", force=True, accept_faults=True), [])
            [(*begun, done)] = self.backups.begun
            self.assertEqual(begun, [Path("/a"), True, True])
            self.backups.begun.clear()
            done(result)
            self.assertEqual(owner.heard(), [line])

    def test_refusals(self) -> None:
        self.assertIn("only a store that is an SQLite file", self.world.error("backup", file="/a"))
        self.use()
        self.assertEqual(self.world.error("backup", file="a"), "file: expected an absolute path")
        self.assertEqual(self.world.error("backup", file="/refused"), "planted")
        there = self.world.error("backup", file="/there")
        self.assertEqual(there, "this file exists, or replace an earlier backup with --force")
        assert isinstance(self.world.host.store, DurableJournal)
        self.world.host.store.backups = None
        self.assertIn("copy it with pg_dump", self.world.error("backup", file="/a"))


class CommandsTests(SynchronousTestCase):
    def test_the_host_has_what_each_verb_asks_for(self) -> None:
        factory = AdminHost().factory
        for name in REQUESTS:
            self.assertTrue(callable(factory.run_of(name)), name)


class ReloadTests(SynchronousTestCase):
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
        self.write(*lines)
        answer = self.world.ask("reload")
        return sorted(answer["changed"]), sorted(answer["need_a_restart"])

    def test_nothing_is_different(self) -> None:
        for _ in range(2):
            self.assertEqual(self.reload(), ([], []))

    def test_options(self) -> None:
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
        values = {
            name: max(1, int(limit.default) // 2) for name, limit in LIMITS.items() if limit.reload is Reload.USED
        } | {"remote_bytes": 2048}
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
        self.host.house = house_service(Options(), self.world.reactor)
        changed = ["house-level", "limits.house_tables", "stratego.house"]
        lines = ('house-level = "hard"', "[set]", '"stratego.house" = 5', '"limits.house_tables" = 7')
        self.assertEqual(self.reload(*lines), (changed, []))
        rules = self.lobby.house.rules
        self.assertEqual((rules.seconds["stratego"], rules.level, rules.tables), (5.0, Level.HARD, 7))

    def test_a_file_that_cannot_be_used_changes_nothing(self) -> None:
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
        world = AdminHost(f"--config={self.file}", "--set=limits.unlimited=no")
        for _ in range(20):
            world.connect()
        self.assertIn("too many new connections", "".join(world.connect().heard()))
        self.write("[set]", '"limits.new_burst" = 30')
        world.ask("reload")
        self.assertEqual(world.connect().heard(), [])


class TablesTests(SynchronousTestCase):
    def test_tables(self) -> None:
        world = AdminHost(DEAL)
        _, bob = world.match()
        world.match("carl", "dora")
        bob.transport.hang_up()
        world.until_idle()
        first, second = world.items("tables")
        self.assertEqual((first["table"], first["game"], first["entries"], first["watchers"]), (1, "onitama", 1, 0))
        self.assertEqual([(seat["name"], seat["here"]) for seat in first["seats"]], [("ann", True), ("bob", False)])
        self.assertEqual(first["seats"][1]["kept_seconds"], 60)
        self.assertEqual(second["table"], 2)


class ShowTests(SynchronousTestCase):
    def test_show(self) -> None:
        world = AdminHost(DEAL)
        ann, _ = world.match()
        before = world.ask("show", table=1)
        self.assertEqual(before["entries"], 1)
        self.assertIn("ann", before["awaited"])
        ann.ask("MAKE_MOVE|ox|c1|c2")
        after = world.ask("show", table=1)
        self.assertEqual(after["entries"], 2)
        self.assertNotEqual(before["board"], after["board"])
        self.assertIn("bob", after["awaited"])

    def test_no_secret_is_shown(self) -> None:
        """In Stratego the ranks of the pieces on the board are the players' own: two set-ups look the same."""
        boards = []
        for ranks in ("FBBBBBBS12/3344455556/6667777888/8899999999", "9BBBBBBS12/3344455556/6667777888/889999999F"):
            world = AdminHost()
            players = [world.connect("open") for _ in range(2)]
            for name, player in zip(("ann", "bob"), players, strict=True):
                player.ask(f'{{"do":"enter","name":"{name}"}}', '{"do":"seek","game":"stratego"}')
            rows = ranks.split("/")
            for own, player in zip((rows, rows[::-1]), players, strict=True):
                answer = "".join(player.ask(f'{{"do":"act","table":1,"action":"{"/".join(own)}"}}'))
                self.assertIn("placed-all", answer)
            shown = world.ask("show", table=1)
            self.assertEqual(shown["entries"], 3)
            boards.append(shown["board"])
        self.assertEqual(*boards)

    def test_what_is_not_played(self) -> None:
        world = AdminHost(DEAL)
        self.assertIn("no match with the number 1 is played", world.error("show", table=1))
        self.assertIn("table: expected a whole number", world.error("show", table="1"))
        self.assertIn("no match with the number 1000", world.error("show", table=10**20))
        self.assertIn("no match with the number -1000", world.error("show", table=-(10**20)))
        ann, bob = world.match()
        ann.ask("MAKE_MOVE|ox|c1|c2")
        for one in (ann, bob):
            one.transport.hang_up()
        world.until_idle()
        self.assertIn("table 1 sleeps", world.error("show", table=1))
        self.assertEqual(world.items("tables"), [])
        self.assertEqual(world.ask("tables"), {"played": 0, "asleep": 1})


def row(table: int, n: int) -> Row:
    return Row(10 * table + n, table, n, 0, 0, None, b"body", b"hash")


@define(eq=False)
class Journal(DurableJournal):
    kept: list[Row] = field(factory=list)
    asked: list[tuple[int, int]] = field(factory=list)

    def read_rows(self, table: TableId, found: Callable[[Sequence[Row]], None]) -> None:
        found([one for one in self.kept if one.game == table])

    def read_ends(self, low: int, below: int, found: Callable[[Sequence[Row]], None]) -> None:
        self.asked.append((low, below))
        found([one for one in self.kept if low <= one.game < below])

    def read_newest(self, most: int, found: Callable[[Sequence[Row], int], None]) -> None:
        found(self.kept[-2 * most :], 5)


@define(eq=False)
class LossyStore(Journal):
    """A store of a database that has lost rows of table 1."""

    is_lost: bool = True

    def ask_store(self, ask: Callable[[Any], Any], answered: Callable[[Any], None]) -> None:
        answered(ask(self))

    def lost(self) -> Sequence[Any]:
        return [SimpleNamespace(table=1, told=3, held=None)] if self.is_lost else []

    def go_on(self, table: TableId) -> UnfinishedTable | None:
        found, self.is_lost = self.is_lost and table == 1, False
        seats = (SeatRecord("ann", "onitama"), SeatRecord("bob", "onitama"))
        return UnfinishedTable(table, TableHeader("onitama", 1, seats), True, 0) if found else None

    def end_lost(self, table: TableId) -> bool:
        found, self.is_lost = self.is_lost and table == 1, False
        return found


class LostTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost()
        self.store = LossyStore.__new__(LossyStore)
        self.store.is_lost = True
        self.world.host.store = self.store

    def test_go_on(self) -> None:
        self.assertEqual(self.world.items("lost list"), [{"table": 1, "told": 3, "held": None}])
        for _ in range(2):
            self.assertEqual(self.world.ask("lost resume", table=1), {"table": 1})
            self.assertTrue(self.world.host.context.lobby.seats.sleeps(TableId(1)))
            self.assertIn("table 1 has lost nothing", self.world.error("lost resume", table=1))
            self.store.is_lost = True

    def test_who_plays_at_a_table_that_is_given_up_is_free(self) -> None:
        self.world.ask("lost resume", table=1)
        self.assertIn("table 1 has lost nothing", self.world.error("lost end", table=1))
        self.store.is_lost = True
        self.assertEqual(self.world.ask("lost end", table=1), {"table": 1})
        self.assertFalse(self.world.host.context.lobby.seats.sleeps(TableId(1)))
        self.assertEqual(self.world.items("lost list"), [])
        self.store.is_lost = True
        self.assertEqual(self.world.ask("lost end", table=1), {"table": 1})

    def test_a_match_that_a_fault_has_stopped(self) -> None:
        world = AdminHost()
        ann, _ = world.match()
        [table] = world.host.context.lobby.tables.values()
        planted = self.patch(type(table._master), "forfeit", lambda *_: 1 // 0)
        ann.ask("RESIGN")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        planted.restore()
        fault = "ZeroDivisionError: integer division or modulo by zero"
        stopped = {"table": 1, "game": "onitama", "players": ["ann", "bob"], "fault": fault}
        self.assertEqual(world.items("lost list"), [stopped])
        self.assertEqual(world.ask("lost resume", table=1), {"table": 1})
        self.assertEqual(world.items("lost list"), [])
        world.wait(10)
        world.connect().ask("LOGIN|ann")
        self.assertEqual(list(world.host.context.lobby.tables), [1])
        self.assertIn("no fault has stopped it", world.error("lost end", table=1))

    def test_a_game_is_opened_again(self) -> None:
        world = AdminHost()
        self.assertIn("onitama is not closed; no game is", world.error("game open", game="onitama"))
        world.host.context.lobby.close_game("onitama", "closed")
        self.assertEqual(world.ask("status")["closed_games"], ["onitama"])
        self.assertEqual(world.ask("game open", game="onitama"), {"game": "onitama"})

    def test_a_player_of_a_stopped_match_plays_another_one(self) -> None:
        world = AdminHost()
        ann, _ = world.match()
        [table] = world.host.context.lobby.tables.values()
        self.patch(type(table._master), "forfeit", lambda *_: 1 // 0)
        ann.ask("RESIGN")
        self.flushLoggedErrors(ZeroDivisionError)
        world.match("ann", "carl")
        self.assertIn("ann plays at table 2: resume table 1 when", world.error("lost resume", table=1))
        self.assertEqual(world.ask("lost end", table=1), {"table": 1})
        self.assertEqual(world.items("lost list"), [])

    def test_an_owner_gives_time_to_a_slow_match(self) -> None:
        world = AdminHost()
        self.assertIn("no slow match with the number 1 goes on", world.error("slow extend", table=1, days=3))
        slow = world.host.context.lobby.slow_matches()
        players = [SeatRecord(name, "open", "192.0.2.1", True) for name in ("ann", "bob")]
        slow.begin(world.host.games["onitama"], TableId(1), {"move_days": "1"}, players)
        until = slow.wall // 1000 + 3 * 86_400
        extended = world.ask("slow extend", table=1, days=3)
        self.assertAlmostEqual(extended["until"], until, delta=60)
        self.assertIn("1 does not end by time before 2", next(iter(REQUESTS["slow extend"].end(extended))))
        for days in (0, 366):
            self.assertIn("days: expected 1 to 365", world.error("slow extend", table=1, days=days))
        slow.halt()

    def test_no_such_table(self) -> None:
        for table in (0, 1 << 70):
            self.assertIn(f"there is no table {table}", self.world.error("lost end", table=table))


class RecordsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost()
        self.journal = Journal.__new__(Journal)
        self.journal.kept = [row(table, n) for table in (1, 2, 7) for n in (0, 3)]
        self.journal.asked = []
        self.journal._tables = 7

    def use(self) -> None:
        self.world.host.store = self.journal

    def rows(self, command: str, **arguments: int) -> list[Row]:
        return [row_from_json(item["row"]) for item in self.world.items(command, **arguments)]

    def test_rows(self) -> None:
        self.use()
        self.assertEqual(self.rows("journal rows", table=2), [row(2, 0), row(2, 3)])
        for table in (3, 0, -1, 1 << 70):
            self.assertEqual(self.rows("journal rows", table=table), [])

    def test_ends(self) -> None:
        self.use()
        self.patch(under_test, "_TABLES_AT_ONCE", 3)
        self.assertEqual(self.rows("journal ends"), self.journal.kept)
        self.assertEqual(self.journal.asked, [(1, 4), (4, 7), (7, 10)])

    def test_the_newest(self) -> None:
        self.use()
        self.assertEqual(self.rows("journal newest", most=1), [row(7, 0), row(7, 3)])
        self.assertEqual(self.world.ask("journal newest", most=2)["older"], 5)

    def test_no_journal(self) -> None:
        self.assertIn("has its matches in memory", self.world.error("journal ends"))
