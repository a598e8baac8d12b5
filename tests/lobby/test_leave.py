"""Leave: no slow match ends while the player to move is away, and owners give time to a match. Clocks are moved."""

from typing import Any

from gamehost.accounts.names import place_of
from gamehost.journal.records import EntryKind, TableId
from gamehost.testing.memory_host import Client, MemoryHost
from tests.lobby.test_slow import DAY, GRACE, MOVES, SlowCase

DAY_MS = 86_400_000


class LeaveCase(SlowCase):
    def take(self, host: MemoryHost, days: int, name: str = "olga") -> dict[str, Any]:
        """A player comes, takes a leave, and goes."""
        client = self.player(host, name)
        answer = self.ask(client, do="holiday", days=days)[-1]
        client.drop()
        return answer

    def row(self, client: Client, table: int) -> dict[str, Any]:
        (mine,) = self.ask(client, do="mine")
        found: dict[str, Any] = next(row for row in mine["matches"] if row["table"] == table)
        return found

    def ended(self, host: MemoryHost, table: int) -> bool:
        return self.entries(host, table)[-1] is EntryKind.EXPIRED


class HolidayTests(LeaveCase):
    def test_no_match_ends_while_its_player_is_away(self) -> None:
        """Whoever sits there, and over the end of the host: the deadline counts once, at the end of the leave."""
        for sits, restarts in ((False, False), (True, False), (False, True)):
            host = self.host()
            self.keys.clear()
            table = self.away(host, days=1)
            answer = self.take(host, 10)
            until = round((host.clock.seconds() + 10 * DAY) * 1000)
            self.assertEqual((answer["is"], answer["left"]), ("holiday", 18))
            self.assertAlmostEqual(answer["until"], until, delta=1000)
            if sits:
                seated = self.ask(self.player(host, "ben"), do="sit", table=table)[0]
                self.assertEqual(seated["by"], answer["until"])
            if restarts:
                host = self.again(host)
            host.wait(10 * DAY - 60)
            self.assertFalse(self.ended(host, table))
            if not sits:
                self.assertEqual(self.row(self.player(host, "ben"), table)["by"], answer["until"])
            host.wait(61)
            self.assertEqual(self.entries(host, table).count(EntryKind.EXPIRED), 1)

    def test_only_the_player_to_move(self) -> None:
        """The leave of who waits changes nothing, until that player is to move."""
        host = self.host()
        table, late = self.away(host), self.away(host, days=1)
        self.take(host, 9, "ben")
        host.wait(DAY)
        self.assertTrue(self.ended(host, late))
        olga = self.player(host, "olga")
        self.ask(olga, do="sit", table=table)
        self.ask(olga, do="act", table=table, action=MOVES[2])
        host.wait(7 * DAY)
        self.assertFalse(self.ended(host, table))
        host.wait(DAY)
        self.assertTrue(self.ended(host, table))

    def test_who_moves_is_back_and_has_a_day_for_the_rest(self) -> None:
        """The days that are not used come back. The other matches are not lost in the moment of the move."""
        host = self.host()
        table, other = self.away(host, days=1), self.away(host, days=1)
        self.take(host, 10)
        host.wait(4 * DAY)
        olga = self.player(host, "olga")
        self.ask(olga, do="mine")
        self.ask(olga, do="sit", table=table)
        told = self.ask(olga, do="act", table=table, action=MOVES[2])
        told += self.told(olga)
        (holiday,) = [one for one in told if one["is"] == "holiday"]
        self.assertEqual((holiday["left"], holiday["until"]), (23, round((host.clock.seconds() + DAY) * 1000)))
        self.assertEqual([one["by"] for one in told if one.get("table") == other], [holiday["until"]])
        host.wait(DAY - 60)
        self.assertFalse(self.ended(host, other))
        host.wait(61)
        self.assertTrue(self.ended(host, other))

    def test_the_days_of_a_year(self) -> None:
        """A begun day counts, two leaves are not longer than one, and the next year has its own days."""
        host = self.host()
        self.assertEqual(self.take(host, 14)["left"], 14)
        host.wait(1)
        self.assertEqual(self.take(host, 14)["left"], 13)
        host.wait(3 * DAY)
        self.assertEqual(self.take(host, 0)["left"], 23)
        host.wait(2 * DAY)
        olga = self.player(host, "olga")
        self.assertEqual(self.ask(olga, do="holiday"), [{"is": "holiday", "left": 23}])
        for days in (15, 10**6):
            self.assertIn("expected 1 to 14 days", self.ask(olga, do="holiday", days=days)[0]["why"])
        self.ask(olga, do="holiday", days=14)
        host.wait(14 * DAY)
        self.assertIn("28 days of holiday a year you have 9 left", self.ask(olga, do="holiday", days=10)[0]["why"])
        host.wait(365 * DAY)
        self.assertEqual(self.ask(self.player(host, "olga"), do="holiday")[0]["left"], 28)

    def test_a_kill_between_the_leave_and_the_deadline(self) -> None:
        """What the list of unfinished tables has is older than the leave, which is longer or shorter: a start looks."""
        for days, due, over in ((10, DAY, 10 * DAY), (0, 14 * DAY, DAY)):
            host = self.host()
            self.keys.clear()
            table = TableId(self.away(host, days=1))
            self.take(host, 14)
            self.take(host, days)
            host.journal.due[table] = round((host.clock.seconds() + due) * 1000)
            host = self.again(host)
            host.wait(max(over, GRACE) - 60)
            self.assertFalse(self.ended(host, table))
            host.wait(61)
            self.assertTrue(self.ended(host, table))

    def test_strangers(self) -> None:
        """A guest of the same name has neither the leave nor its days."""
        host = self.host()
        self.assertEqual(self.take(host, 14)["left"], 14)
        self.keys.clear()
        self.assertEqual(self.take(host, 1)["left"], 27)


class ExtensionTests(LeaveCase):
    def test_an_owner_gives_time_to_a_match(self) -> None:
        """Both players have it, asleep or awake, also after another start."""
        host = self.host()
        table, sat = TableId(self.away(host, days=1)), TableId(self.away(host, days=1))
        ben = self.player(host, "ben")
        self.ask(ben, do="sit", table=sat)
        durable: list[int] = []
        for number in (table, sat):
            self.assertTrue(host.lobby.slow_matches().extend(number, 5, durable.append))
        until = 5 * DAY_MS + round(host.clock.seconds() * 1000)
        self.assertEqual((durable, host.journal.leaves[place_of(table)].until), ([until, until], until))
        host = self.again(host)
        host.wait(5 * DAY - 60)
        for number in (table, sat):
            self.assertFalse(self.ended(host, number))
        host.wait(61)
        for number in (table, sat):
            self.assertTrue(self.ended(host, number))
        self.assertFalse(host.lobby.slow_matches().extend(table, 5, durable.append))
