"""Offers in slow matches: they wait in the record for a player who is away, over the end of the host."""

from typing import Any

from gamehost.journal.records import EntryKind, TableId
from gamehost.testing.memory_host import Client, MemoryHost
from tests.lobby.test_slow import DAY, MOVES, SlowCase


class OfferTests(SlowCase):
    def sits(self, host: MemoryHost, name: str, table: int) -> Client:
        client = self.player(host, name)
        self.ask(client, do="sit", table=table)
        return client

    def row(self, client: Client, table: int) -> dict[str, Any]:
        (mine,) = self.ask(client, do="mine")
        found: dict[str, Any] = next(row for row in mine["matches"] if row["table"] == table)
        return found

    def offered(self, host: MemoryHost, kind: str) -> int:
        """Olga has moved and offers something. Nobody is there now."""
        table = self.away(host)
        olga = self.sits(host, "olga", table)
        self.ask(olga, do="act", table=table, action=MOVES[2])
        told = self.ask(olga, do=kind, table=table, step="offer")
        self.assertEqual(told, [{"is": "offered", "table": table, "n": 5, "seat": 0, "offer": kind}])
        olga.drop()
        return table

    def test_a_draw_is_accepted_on_another_day(self) -> None:
        host = self.host()
        table = self.offered(host, "draw")
        host.wait(DAY)
        host = self.again(host)
        ben = self.player(host, "ben")
        row = self.row(ben, table)
        self.assertEqual((row["state"], row["offer"], row["turn"], row["by"]), ("offer", "draw", True, 3 * 86_400_000))
        told = self.ask(ben, do="sit", table=table)
        self.assertEqual(self.kinds(told), ["seated", "back", "offered"])
        told = self.ask(ben, do="draw", table=table, step="accept")
        self.assertEqual([(one["is"], one.get("winners")) for one in told if one["is"] == "over"], [("over", [])])
        self.assertEqual(self.entries(host, table)[-2:], [EntryKind.DRAW_OFFERED, EntryKind.DRAWN])

    def test_a_move_is_taken_back_on_another_day(self) -> None:
        host = self.host()
        table = self.offered(host, "takeback")
        ben = self.sits(host, "ben", table)
        told = self.ask(ben, do="takeback", table=table, step="accept")
        self.assertEqual(self.kinds(told), ["event"])
        host = self.again(host)
        olga = self.sits(host, "olga", table)
        self.assertEqual(self.row(olga, table)["state"], "turn")
        self.assertEqual(self.kinds(self.ask(olga, do="act", table=table, action=MOVES[2])), ["row", "event"])
        self.assertEqual(self.kinds(self.ask(olga, do="draw", table=table, step="offer")), ["offered"])

    def test_it_is_declined_once(self) -> None:
        """The other one may offer nothing else before the own next move, also after another start."""
        host = self.host()
        table = self.offered(host, "draw")
        ben = self.sits(host, "ben", table)
        told = self.ask(ben, do="draw", table=table, step="decline")
        self.assertEqual([(one["is"], one["seat"]) for one in told], [("declined", 0)])
        self.assertEqual(self.row(ben, table)["state"], "turn")
        self.assertIn("no draw is offered", self.ask(ben, do="draw", table=table, step="accept")[0]["why"])
        host = self.again(host)
        olga = self.player(host, "olga")
        self.assertEqual(self.kinds(self.ask(olga, do="sit", table=table)), ["seated", "back"])
        self.assertIn("since your last move", self.ask(olga, do="draw", table=table, step="offer")[0]["why"])

    def test_a_move_ends_it(self) -> None:
        for kind in ("draw", "takeback"):
            host = self.host()
            table = self.offered(host, kind)
            olga, ben = self.sits(host, "olga", table), self.sits(host, "ben", table)
            olga.heard()
            self.assertEqual(self.kinds(self.ask(ben, do="act", table=table, action=MOVES[3])), ["event", "declined"])
            self.assertEqual(self.kinds(self.told(olga)), ["event", "declined"])
            host = self.again(host)
            self.assertEqual(self.row(self.player(host, "ben"), table)["state"], "wait")
            self.keys.clear()

    def test_going_and_coming_change_nothing(self) -> None:
        host = self.host()
        table = self.offered(host, "draw")
        olga, ben = self.sits(host, "olga", table), self.sits(host, "ben", table)
        for client in (olga, ben):
            self.ask(client, do="rise", table=table)
            self.assertEqual(self.kinds(self.ask(client, do="sit", table=table)), ["seated", "back", "offered"])
        self.assertIn("has asked first", self.ask(ben, do="draw", table=table, step="offer")[0]["why"])
        self.assertEqual(self.ask(olga, do="draw", table=table, step="accept")[0]["is"], "refused")

    def test_it_is_told_to_nobody_before_it_is_durable(self) -> None:
        host = self.host()
        table = self.away(host, moves=3)
        olga = self.sits(host, "olga", table)
        host.journal.late = True
        self.assertEqual(self.ask(olga, do="draw", table=table, step="offer"), [])
        self.assertEqual(host.journal.entries[TableId(table)][-1].kind, EntryKind.DRAW_OFFERED)
        host.journal.release()
        self.assertEqual(self.kinds(self.told(olga)), ["offered"])
