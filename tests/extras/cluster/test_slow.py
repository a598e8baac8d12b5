"""Slow matches in a cluster: their players come to any member, and each deadline counts once."""

import json
from typing import Any

from gamehost.accounts.names import place_of
from gamehost.journal.records import EntryKind, TableId
from gamehost.limits import Limits
from gamehost.lobby.slow import LOOK_EVERY
from tests.kit.memory_cluster import ClusterCase, MemberHost
from tests.kit.memory_host import Client

DAY = 86_400.0
#: Onitama: the cards are always dealt like this.
DEAL = {"onitama.deal": "ox,boar,horse,elephant,crab"}
MOVES = ("ox c1 c2", "crab c5 c4", "boar c2 c3", "ox a5 a4")


class SlowCase(ClusterCase):
    members = 2
    settings = {"limits.new_burst": "1000", "limits.messages_per_second": "1000"}

    def setUp(self) -> None:
        super().setUp()
        self.keys: dict[str, str] = {}
        #: By how many seconds the wall's clock differs from the reactors'.
        self.jumped = 0.0
        for host in self.world.hosts:
            self.use_clock(host)

    def use_clock(self, host: MemberHost) -> None:
        host.lobby.context.wall = host.lobby.own._wall = lambda: self.world.clock.seconds() + self.jumped
        host.lobby.slow_matches().grace = 0.0

    def jump(self, seconds: float) -> None:
        self.jumped += seconds
        self.world.wait(LOOK_EVERY + 2.0)

    def told(self, client: Client) -> list[dict[str, Any]]:
        self.world.wait(0.35)
        return [json.loads(line) for line in client.heard()]

    def ask(self, client: Client, **message: Any) -> list[dict[str, Any]]:
        client.heard()
        client.say(json.dumps(message))
        return self.told(client)

    def enter(self, host: MemberHost, name: str) -> Client:
        """A guest with a key."""
        client = host.connect("open")
        key = {"key": self.keys[name]} if name in self.keys else {}
        told = self.ask(client, do="enter", name=name, **key)
        self.keys[name] = next(one["key"] for one in told if one["is"] == "entered")
        return client

    def log_in_open(self, host: MemberHost, name: str) -> Client:
        client = host.connect("open")
        told = self.ask(client, do="log-in", name=name, password="correct horse")
        self.assertEqual(told[0]["is"], "entered", told)
        return client

    def begin(self, days: int = 3) -> tuple[Client, Client, int]:
        """Olga, who has opened a table at the first member, and Ben, who has come to the second one and joined."""
        olga, ben = self.log_in_open(self.first, "olga"), self.log_in_open(self.second, "ben")
        told = self.ask(olga, do="seek", game="onitama", private=True, settings={"move_days": days})
        seeking = next(one for one in told if one["is"] == "seeking")
        told = self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        self.assertEqual(told[0]["is"], "seated", told)
        return olga, ben, seeking["table"]

    def away(self, days: int = 3) -> int:
        """A match in which both have moved, and nobody is there."""
        olga, ben, table = self.begin(days)
        for client in (olga, ben):
            self.move(client, table)
        for client in (olga, ben):
            client.drop()
        self.world.wait(0.4)
        return table

    def sit(self, host: MemberHost, name: str, table: int) -> Client:
        client = self.log_in_open(host, name)
        told = self.ask(client, do="sit", table=table)
        self.assertEqual([one["is"] for one in told], ["seated", "back"], told)
        return client

    def move(self, client: Client, table: int) -> list[dict[str, Any]]:
        moves = self.ask(client, do="moves", table=table)[-1]["moves"]
        return self.ask(client, do="act", table=table, action=moves[0]["action"])

    def owner(self, table: int) -> int:
        return self.world.database.tables[TableId(table)][0]

    def kinds(self, table: int) -> list[EntryKind]:
        return [entry.kind for entry in self.world.journal.entries[TableId(table)]]


class SeatTests(SlowCase):
    def test_a_sleeping_table_is_taken_over_where_its_player_sits(self) -> None:
        """Both are gone, and each moves at another member than the last one."""
        table = self.away()
        self.assertNotIn(place_of(TableId(table)), self.homes())
        for number, (name, host) in enumerate((("olga", self.second), ("ben", self.first))):
            client = self.sit(host, name, table)
            self.assertEqual(self.owner(table), host.registry.epoch)
            self.assertEqual([(one["is"], one["n"]) for one in self.move(client, table)], [("event", number + 4)])
            client.drop()
            self.world.wait(0.4)
        self.assertEqual(self.kinds(table).count(EntryKind.ACTED), 4)

    def test_who_comes_while_the_other_sits_goes_there(self) -> None:
        table = self.away()
        ben = self.sit(self.second, "ben", table)
        olga = self.sit(self.first, "olga", table)
        self.assertEqual(self.homes()["olga"], self.second.registry.epoch)
        self.move(olga, table)
        self.assertEqual([one["is"] for one in self.told(ben)], ["event"])

    def test_the_texts_of_an_account_are_at_every_member(self) -> None:
        """Also those of a match, wherever it is. They are gone with its end, and those of the other player, too."""
        olga, ben, table = self.begin()
        for client, text in ((olga, "hers"), (ben, "his")):
            for about in ({"game": "onitama"}, {"table": table}):
                self.assertEqual(self.ask(client, do="keep", **about, text=text), [{"is": "kept", **about}])
        for client in (olga, ben):
            client.drop()
        self.world.wait(0.4)
        olga, ben = self.sit(self.second, "olga", table), self.sit(self.first, "ben", table)
        for client, text in ((olga, "hers"), (ben, "his")):
            for about in ({"game": "onitama"}, {"table": table}):
                self.assertEqual(self.ask(client, do="keep", **about)[-1]["text"], text)
        self.ask(olga, do="leave", table=table)
        self.assertEqual(self.world.journal.kept, {"onitama": {"olga": "hers", "ben": "his"}})

    def test_who_cannot_go_there_is_told_why(self) -> None:
        table = self.away()
        ben = self.sit(self.second, "ben", table)
        olga = self.log_in_open(self.first, "olga")
        self.ask(olga, do="seek", game="onitama", private=True)
        self.assertIn("at another host of the cluster", self.ask(olga, do="sit", table=table)[0]["why"])
        self.ask(ben, do="rise", table=table)
        self.assertEqual(self.ask(olga, do="sit", table=table)[0]["is"], "seated")

    def test_a_stranger_does_not_sit(self) -> None:
        table = self.away()
        tom = self.log_in_open(self.first, "tom")
        self.assertIn("no slow match of this number", self.ask(tom, do="sit", table=table)[0]["why"])
        self.assertNotIn(place_of(TableId(table)), self.homes())

    def test_a_member_that_joins_later_knows_the_matches(self) -> None:
        table = self.away()
        host = self.world.join()
        self.use_clock(host)
        self.world.wait(0.4)
        self.sit(host, "olga", table)

    def test_a_guest_keeps_the_name_at_all_members(self) -> None:
        self.log_in_open = self.enter  # type: ignore[method-assign]
        table = self.away()
        key = self.keys.pop("olga")
        client = self.second.connect("open")
        self.assertEqual(self.ask(client, do="enter", name="olga", key="0" * 32)[0]["is"], "sorry")
        self.keys["olga"] = key
        self.sit(self.second, "olga", table)


class ClockTests(SlowCase):
    def test_a_deadline_counts_once(self) -> None:
        """Each member has had the table, and knows a deadline."""
        table = self.away(days=1)
        for host in self.world.hosts:
            self.sit(host, "olga", table).drop()
            self.world.wait(0.4)
        self.jump(DAY - 600.0)
        self.assertNotIn(EntryKind.EXPIRED, self.kinds(table))
        self.jump(1200.0)
        self.assertEqual(self.kinds(table).count(EntryKind.EXPIRED), 1)
        for host in self.world.hosts:
            self.assertEqual(len(host.lobby.slow_matches()), 0)

    def test_the_tables_of_a_member_that_dies(self) -> None:
        """One is asleep, at the other one a player sits: both go on, and neither loses its time."""
        asleep, awake = self.away(days=1), self.away(days=1)
        for table in (asleep, awake):
            self.sit(self.first, "olga", table).drop()
            self.world.wait(0.4)
        self.sit(self.first, "olga", awake)
        self.first.kill()
        self.world.wait(8.0)
        for table in (asleep, awake):
            self.assertNotEqual(self.owner(table), self.first.registry.epoch)
        ben = self.sit(self.second, "ben", asleep)
        self.assertEqual(self.ask(ben, do="sit", table=awake)[0]["is"], "seated")
        ben.drop()
        self.jump(DAY - 600.0)
        for table in (asleep, awake):
            self.assertNotIn(EntryKind.EXPIRED, self.kinds(table))
        self.jump(1200.0)
        for table in (asleep, awake):
            self.assertEqual(self.kinds(table).count(EntryKind.EXPIRED), 1)


class ListTests(SlowCase):
    def test_a_row_comes_for_a_move_at_another_member(self) -> None:
        table = self.away()
        olga = self.log_in_open(self.second, "olga")
        self.assertEqual(self.ask(olga, do="mine")[0]["matches"][0]["table"], table)
        ben = self.sit(self.second, "ben", table)
        told = self.ask(ben, do="leave", table=table)
        self.assertEqual(told[-1]["is"], "over")
        self.assertEqual([(one["is"], one["state"]) for one in self.told(olga)], [("row", "over")])

    def test_the_limit_counts_the_matches_of_all_members(self) -> None:
        self.away()
        self.second.lobby.slow_matches().limits = Limits(slow_matches_per_account=1)
        olga = self.log_in_open(self.second, "olga")
        told = self.ask(olga, do="seek", game="onitama", private=True, settings={"move_days": 1})
        self.assertIn("you have 1 slow matches", told[0]["why"])


class LeaveTests(SlowCase):
    def test_a_leave_counts_at_all_members(self) -> None:
        """One match sleeps, and at another one a player sits at the other member."""
        asleep, awake = self.away(days=1), self.away(days=1)
        ben = self.sit(self.second, "ben", awake)
        olga = self.log_in_open(self.first, "olga")
        told = self.ask(olga, do="holiday", days=5)
        until = told[-1]["until"]
        ben_sees = {one["table"]: one["by"] for one in self.ask(ben, do="mine")[-1]["matches"]}
        self.assertEqual(ben_sees, {asleep: until, awake: until})
        self.jump(4 * DAY)
        for table in (asleep, awake):
            self.assertNotIn(EntryKind.EXPIRED, self.kinds(table))
        self.ask(olga, do="holiday", days=0)
        self.jump(DAY + 120.0)
        for table in (asleep, awake):
            self.assertEqual(self.kinds(table).count(EntryKind.EXPIRED), 1)

    def test_the_owner_gives_time_at_any_member(self) -> None:
        table = TableId(self.away(days=1))
        ben = self.sit(self.second, "ben", table)
        self.assertTrue(self.first.lobby.slow_matches().extend(table, 3, lambda until: None))
        self.jump(2 * DAY)
        self.assertNotIn(EntryKind.EXPIRED, self.kinds(table))
        ben.drop()
        self.jump(DAY)
        self.assertEqual(self.kinds(table).count(EntryKind.EXPIRED), 1)


class OpenedTests(SlowCase):
    def test_a_public_table_is_in_the_lists_of_all_members(self) -> None:
        """Also when its player is away. Who seeks the same at another member takes the seat."""
        olga, ben = self.log_in_open(self.first, "olga"), self.log_in_open(self.second, "ben")
        wish = {"do": "seek", "game": "onitama", "settings": {"move_days": 3}}
        opened = self.ask(olga, **wish)[-1]
        olga.drop()
        self.world.wait(2.0)
        told = self.ask(ben, do="lobby")[-1]
        [waiting] = told["waiting"]
        self.assertEqual((waiting["table"], waiting["names"], waiting["away"]), (opened["table"], ["olga"], ["olga"]))
        seated = [one["table"] for one in self.ask(ben, **wish) if one["is"] == "seated"]
        self.assertEqual(seated, [opened["table"]])
