"""Slow matches: days for a move, whoever is connected, over the end of the host, with clocks that are moved."""

from collections.abc import Mapping
from typing import Any

from gamehost.journal.records import EntryKind, TableId
from gamehost.lobby.slow import LOADS, LOOK_EVERY
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.console import WIRE as CONSOLE
from gamehost.wires.eriantys import WIRE as ERIANTYS
from gamehost.wires.open.conversation import WIRE
from tests.kit.wires.open import DEAL, KEYS, OpenCase

DAY = 86_400.0
HERE = "127.0.0.1"
WIDE = {"limits.new_burst": "1000", "limits.messages_per_second": "1000"}
#: Seconds after a start in which no deadline counts.
GRACE = 43_200.0
MOVES = ("ox c1 c2", "crab c5 c4", "boar c2 c3", "ox a5 a4")


class SlowCase(OpenCase):
    def host(self, settings: Mapping[str, str] = {}, **more: Any) -> MemoryHost:
        wires = (WIRE, CONSOLE, ERIANTYS)
        host = MemoryHost({**DEAL, **WIDE, **settings}, wires=wires, rng=lambda n: next(KEYS) % n, **more)
        self.keys: dict[str, str] = getattr(self, "keys", {})
        #: By how many seconds the wall's clock differs from the reactor's.
        self.jumped = 0.0
        host.lobby.context.wall = lambda: host.clock.seconds() + self.jumped
        return host

    def again(self, host: MemoryHost, down: float = 0.0) -> MemoryHost:
        """The next run of a host that was killed, and did not run for a time."""
        journal = host.journal.restarted()
        host.clock.advance(down)
        return self.host(journal=journal, clock=host.clock)

    def ask(self, client: Client, **message: Any) -> list[dict[str, Any]]:
        """The answer, which may come in a later slice of time."""
        told = super().ask(client, **message)
        if not told:
            client.world.wait(0.01)
        return told or self.told(client)

    def player(self, host: MemoryHost, name: str) -> Client:
        key = self.keys.get(name)
        client, told = self.enter(host, name, HERE, **({} if key is None else {"key": key}))
        self.assertEqual(told["is"], "entered", told)
        self.keys[name] = told["key"]
        return client

    def seek(self, client: Client, days: object = 3, **wishes: Any) -> dict[str, Any]:
        wanted = {"game": "onitama", "settings": {"move_days": days}, "private": True, **wishes}
        return self.ask(client, do="seek", **wanted)[-1]

    def begin(self, host: MemoryHost, days: int = 3) -> tuple[Client, Client, int]:
        """Olga, Ben and their match. Both sit there."""
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        seeking = self.seek(olga, days)
        self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        return olga, ben, seeking["table"]

    def away(self, host: MemoryHost, moves: int = 2, days: int = 3) -> int:
        """A match in which so many moves were made, and nobody is there."""
        olga, ben, table = self.begin(host, days)
        for number, move in enumerate(MOVES[:moves]):
            self.ask((olga, ben)[number % 2], do="act", table=table, action=move)
        for client in (olga, ben):
            client.drop()
        return table

    def entries(self, host: MemoryHost, table: int) -> list[EntryKind]:
        return [entry.kind for entry in host.journal.entries[TableId(table)]]

    def kinds(self, told: list[dict[str, Any]]) -> list[str]:
        return [one["is"] for one in told]


class PlayTests(SlowCase):
    def test_two_friends_play_on_different_days(self) -> None:
        """The opener is away when the friend comes, the host ends, and each makes a move while the other is away."""
        host = self.host()
        olga = self.player(host, "olga")
        seeking = self.seek(olga)
        self.assertTrue(seeking["lasts"])
        olga.drop()
        host.wait(13 * DAY)
        host = self.again(host)
        ben = self.player(host, "ben")
        told = self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        self.assertEqual(self.kinds(told), ["seated", "event"])
        self.assertEqual(told[0]["by"], round((host.clock.seconds() + 3 * DAY) * 1000))
        ben.drop()
        for number, move in enumerate(MOVES):
            host.wait(2 * DAY)
            host = self.again(host)
            client = self.player(host, ("olga", "ben")[number % 2])
            told = self.ask(client, do="sit", table=seeking["table"])
            self.assertEqual(self.kinds(told), ["seated", "back"])
            told = self.ask(client, do="act", table=seeking["table"], action=move)
            self.assertEqual([(one["is"], one["n"]) for one in told], [("event", number + 2)])
            client.drop()
            self.assertEqual(host.lobby.slow_matches().tables, {})

    def test_both_look_at_the_same_time(self) -> None:
        """Each is told of the other's moves, and nothing of the other's coming and going."""
        host = self.host()
        olga, ben, table = self.begin(host)
        ben.heard()
        self.ask(olga, do="act", table=table, action=MOVES[0])
        self.assertEqual(self.kinds(self.told(ben)), ["event"])
        self.assertEqual(self.ask(olga, do="rise", table=table), [{"is": "risen", "table": table}])
        self.assertEqual(self.told(ben), [])
        self.ask(olga, do="sit", table=table)
        self.assertEqual(self.told(ben), [])

    def test_the_seat_is_beside_another_match(self) -> None:
        """A player in a quick match moves in a slow one, and each match has its own moves and its own end."""
        host = self.host()
        olga, ben, slow = self.begin(host)
        for client in (olga, ben):
            self.ask(client, do="seek", game="onitama")
        quick = self.told(olga)[-1]["table"]
        self.assertNotEqual(quick, slow)
        self.assertEqual(self.ask(olga, do="act", table=slow, action=MOVES[0])[0]["table"], slow)
        self.assertEqual(self.ask(olga, do="leave", table=slow)[-1]["is"], "over")
        self.assertEqual(self.ask(olga, do="leave")[-1]["table"], quick)

    def test_draws_and_questions_for_moves(self) -> None:
        host = self.host()
        olga, ben, table = self.begin(host)
        self.assertEqual(len(self.ask(olga, do="moves", table=table)[0]["moves"]), 10)
        self.ask(olga, do="act", table=table, action=MOVES[0])
        self.ask(ben, do="act", table=table, action=MOVES[1])
        self.assertEqual(self.ask(olga, do="draw", table=table, step="offer")[0]["is"], "offered")
        self.ask(ben, do="draw", table=table, step="accept")
        self.assertEqual(self.told(olga)[-1]["is"], "over")
        self.assertEqual(len(host.lobby.slow_matches()), 0)

    def test_three_play_eriantys(self) -> None:
        host = self.host()
        players = [self.player(host, name) for name in ("olga", "ben", "tom")]
        opened = self.seek(players[0], game="eriantys", seats=3, private=False)
        for client in players[1:]:
            self.seek(client, game="eriantys", seats=3, private=False)
        self.assertEqual(self.told(players[0])[-1]["is"], "event")
        self.assertIn(opened["table"], host.lobby.slow_matches().tables)


class ClockTests(SlowCase):
    def test_the_deadline_ends_a_match_once(self) -> None:
        host = self.host()
        table = self.away(host, days=1)
        host.wait(DAY - 1)
        self.assertEqual(self.entries(host, table)[-1], EntryKind.ACTED)
        host.wait(1)
        self.assertEqual(self.entries(host, table).count(EntryKind.EXPIRED), 1)
        self.assertEqual(host.journal.entries[TableId(table)][-1].outcome.split()[0], "ben")
        host.wait(30 * DAY)
        self.assertEqual(self.entries(host, table).count(EntryKind.EXPIRED), 1)
        self.assertIn(table, host.journal.told_tables)

    def test_who_has_never_moved_annuls_the_match(self) -> None:
        host = self.host()
        table = self.away(host, moves=1)
        ben = self.player(host, "ben")
        self.ask(ben, do="sit", table=table)
        host.wait(3 * DAY)
        over = self.told(ben)[-1]
        self.assertEqual((over["is"], over["winners"]), ("over", []))
        self.assertEqual(self.entries(host, table)[-1], EntryKind.ARCHIVED)

    def test_nobody_loses_by_the_time_in_which_no_host_ran(self) -> None:
        """After a start there are twelve hours, in which a late move counts; then the time is over."""
        host = self.host()
        table, late = self.away(host), self.away(host)
        host = self.again(host, down=10 * DAY)
        host.wait(GRACE - 10)
        olga = self.player(host, "olga")
        seated, _ = self.ask(olga, do="sit", table=table)
        self.assertEqual(seated["by"], round(1000 * (10 * DAY + GRACE)))
        self.assertEqual(self.ask(olga, do="act", table=table, action=MOVES[2])[0]["is"], "event")
        host.wait(10)
        self.assertEqual(self.entries(host, late)[-1], EntryKind.EXPIRED)
        self.assertEqual(self.entries(host, table)[-1], EntryKind.ACTED)

    def test_the_clock_of_the_wall_jumps(self) -> None:
        """Ahead: as after a start. Back: nothing ends early, and no entry is before the last one."""
        host = self.host()
        table, other = self.away(host, days=1), self.away(host, days=1)
        host.wait(LOOK_EVERY)
        self.jumped = 2 * DAY
        host.wait(LOOK_EVERY)
        olga = self.player(host, "olga")
        self.ask(olga, do="sit", table=table)
        self.assertEqual(self.ask(olga, do="act", table=table, action=MOVES[2])[0]["is"], "event")
        self.jumped = 0.0
        host.wait(LOOK_EVERY)
        ben = self.player(host, "ben")
        self.ask(ben, do="sit", table=table)
        self.assertEqual(self.ask(ben, do="act", table=table, action=MOVES[3])[0]["is"], "event")
        times = [entry.at for entry in host.journal.entries[TableId(table)]]
        self.assertEqual(times, sorted(times))
        host.wait(DAY - 4 * LOOK_EVERY)
        self.assertEqual(self.entries(host, other)[-1], EntryKind.ACTED)
        host.wait(4 * LOOK_EVERY)
        self.assertEqual(self.entries(host, other)[-1], EntryKind.EXPIRED)

    def test_a_move_at_the_deadline_is_too_late(self) -> None:
        host = self.host()
        table = self.away(host, days=1)
        olga = self.player(host, "olga")
        self.ask(olga, do="sit", table=table)
        host.clock.rightNow += DAY  # nothing has rung yet
        told = self.ask(olga, do="act", table=table, action=MOVES[2])
        self.assertEqual(self.kinds(told), ["over", "refused"])
        self.assertEqual(self.entries(host, table).count(EntryKind.EXPIRED), 1)

    def test_what_a_start_finds_of_the_deadline(self) -> None:
        """None, for somebody sat there; one that was long ago; one in another age: the record says what is right."""
        for due in (None, 5, 2**63 - 1):
            host = self.host()
            table = TableId(self.away(host))
            host.journal.due[table] = due
            host = self.again(host)
            host.wait(3 * DAY - 1)
            self.assertEqual(self.entries(host, table)[-1], EntryKind.ACTED)
            host.wait(1)
            self.assertEqual(self.entries(host, table)[-1], EntryKind.EXPIRED)

    def test_an_end_that_nobody_was_told_is_told_by_the_start(self) -> None:
        host = self.host()
        table = TableId(self.away(host))
        host.wait(3 * DAY)
        host.journal.told_tables.clear()
        host = self.again(host)
        host.wait(1)
        self.assertIn(table, host.journal.told_tables)
        self.assertEqual(len(host.lobby.slow_matches()), 0)
        self.assertEqual(self.entries(host, table).count(EntryKind.EXPIRED), 1)

    def test_few_are_read_at_once(self) -> None:
        host = self.host({"limits.slow_matches_per_guest": "100"})
        for _ in range(LOADS + 5):
            self.away(host, days=1)
        host = self.again(host)
        matches = host.lobby.slow_matches()
        host.journal.late = True
        host.wait(DAY)
        self.assertEqual(host.journal.release(), LOADS)
        while host.journal.release():
            host.until_idle()
        self.assertEqual(len(matches), 0)


class LimitTests(SlowCase):
    def test_settings_that_do_not_go_together(self) -> None:
        host = self.host()
        olga = self.player(host, "olga")
        for more in ({"move_days": 0}, {"move_days": 15}, {"move_days": 1.5}, {"move_days": "x"}, {"move_days": -3}):
            self.assertIn("move_days: expected a whole number", self.seek(olga, settings=more)["why"])
        for name in ("game_time", "increment", "move_time"):
            why = self.seek(olga, settings={"move_days": 3, name: 60})["why"]
            self.assertIn(f"leave out {name}", why)
        self.assertEqual(self.seek(olga, house="easy")["is"], "sorry")
        self.assertEqual(self.seek(olga, settings={"move_days": 3, "slow": "1"})["is"], "sorry")
        self.assertIsNone(host.lobby.slow)

    def test_seats_of_others(self) -> None:
        host = self.host()
        olga, ben, table = self.begin(host)
        tom = self.player(host, "tom")
        self.assertEqual(self.ask(tom, do="sit", table=table)[0]["is"], "sorry")
        self.assertEqual(self.ask(tom, do="act", table=table, action=MOVES[0])[0]["is"], "refused")
        self.assertEqual(self.ask(tom, do="rise", table=table)[0]["is"], "sorry")
        self.assertEqual(self.ask(tom, do="leave", table=table)[0]["is"], "sorry")
        self.ask(olga, do="rise", table=table)
        self.assertEqual(self.ask(olga, do="act", table=table, action=MOVES[0])[0]["is"], "refused")
        self.ask(ben, do="leave", table=table)
        self.assertEqual(self.ask(olga, do="sit", table=table)[0]["is"], "sorry")

    def test_the_ninth_seat_of_a_connection(self) -> None:
        host = self.host({"limits.slow_matches_per_guest": "9"})
        tables = [self.away(host) for _ in range(9)]
        olga = self.player(host, "olga")
        for table in tables[:8]:
            self.assertEqual(self.ask(olga, do="sit", table=table)[0]["is"], "seated")
        self.assertIn("8 matches", self.ask(olga, do="sit", table=tables[8])[0]["why"])
        self.ask(olga, do="rise", table=tables[0])
        self.assertEqual(self.ask(olga, do="sit", table=tables[8])[0]["is"], "seated")

    def test_joining_twice_and_a_full_table(self) -> None:
        host = self.host()
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        seeking = self.seek(olga)
        join = {"do": "join", "table": seeking["table"], "code": seeking["code"]}
        self.assertEqual(self.ask(olga, **join)[0]["is"], "sorry")
        self.ask(ben, **join)
        self.assertEqual(self.ask(ben, **join)[0]["is"], "sorry")
        self.assertEqual(self.ask(self.player(host, "tom"), **join)[0]["is"], "sorry")

    def test_how_many_matches(self) -> None:
        for name, words in (
            ("per_guest", "you have 2 slow matches"),
            ("per_address", "at this address"),
            ("", "this host"),
        ):
            host = self.host({f"limits.slow_matches{'_' * bool(name)}{name}": "2"})
            self.away(host), self.away(host)
            self.assertIn(words, self.seek(self.player(host, "olga"))["why"])
            self.keys.clear()

    def test_the_owner_allows_fewer_days(self) -> None:
        host = self.host()
        olga = self.player(host, "olga")
        host.lobby.slow_days = 2
        self.assertIn("2 days", self.seek(olga)["why"])
        self.assertEqual(self.seek(olga, 2)["is"], "seeking")


class NameTests(SlowCase):
    def test_a_guests_name_is_kept_by_its_key_alone(self) -> None:
        host = self.host()
        table = self.away(host)
        for _ in range(2):
            _, told = self.enter(host, "olga", HERE)
            self.assertIn("key", told["why"])
            _, told = self.enter(host, "olga", HERE, key="0" * 32)
            self.assertEqual(told["is"], "sorry")
            host = self.again(host)
        olga = self.player(host, "olga")
        self.assertEqual(self.ask(olga, do="sit", table=table)[0]["is"], "seated")
        self.ask(olga, do="leave", table=table)
        olga.drop()
        self.assertEqual(self.enter(host, "olga", HERE)[1]["is"], "entered")

    def test_two_connections_of_a_player(self) -> None:
        """The later one has the seats; the earlier one does not take them with it when it ends."""
        host = self.host()
        olga, _ben, table = self.begin(host)
        again = self.player(host, "olga")
        self.assertEqual(self.told(olga)[-1]["is"], "bye")
        self.ask(again, do="sit", table=table)
        host.wait(5)
        self.assertEqual(self.ask(again, do="act", table=table, action=MOVES[0])[0]["is"], "event")

    def test_documented_wires_see_none(self) -> None:
        host = self.host()
        olga = self.player(host, "olga")
        self.seek(olga, game="eriantys", private=False)
        client = host.connect("eriantys")
        self.assertNotIn("move_days", str(client.heard()))
