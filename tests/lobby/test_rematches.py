"""Rematches of slow matches: asked for and accepted on different days, over the end of the host."""

from typing import Any

from gamehost.journal.records import ENDED_KEPT_MS, TableId
from gamehost.lobby.opened import SLOW_PATIENCE
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.console.mine import mine_lines
from tests.lobby.test_slow import DAY, HERE, MOVES, SlowCase


class RematchCase(SlowCase):
    def rows(self, client: Client) -> dict[int, dict[str, Any]]:
        (mine,) = self.ask(client, do="mine")
        return {row["table"]: row for row in mine["matches"]}

    def ended(self, host: MemoryHost) -> int:
        """A match that Ben has given up when both were there. Nobody is there now."""
        olga, ben, table = self.begin(host)
        self.ask(olga, do="act", table=table, action=MOVES[0])
        self.assertEqual(self.ask(ben, do="leave", table=table)[-1]["is"], "over")
        for client in (olga, ben):
            client.drop()
        return table


class RematchTests(RematchCase):
    def test_the_other_accepts_on_another_day(self) -> None:
        """The asker is away then, and has the other colour. The wish outlives the host."""
        host = self.host()
        table = self.ended(host)
        olga = self.player(host, "olga")
        (seeking,) = self.ask(olga, do="rematch", table=table)
        self.assertEqual((seeking["is"], seeking["played"], seeking["lasts"]), ("seeking", table, True))
        self.assertEqual(seeking["settings"]["move_days"], "3")
        olga.drop()
        host.wait(13 * DAY)
        host = self.again(host)
        ben = self.player(host, "ben")
        row = self.rows(ben)[seeking["table"]]
        self.assertEqual((row["state"], row["offer"], row["names"], row["seat"]), ("offer", "rematch", ["olga"], 0))
        told = self.ask(ben, do="join", table=row["table"], code=row["code"])
        self.assertEqual(self.kinds(told), ["row", "seated", "event"])
        self.assertEqual((told[1]["names"], told[1]["seat"]), (["ben", "olga"], 0))
        olga = self.player(host, "olga")
        self.assertEqual(self.rows(olga)[seeking["table"]]["state"], "wait")

    def test_both_ask(self) -> None:
        """The second wish meets the first one. Both are told, whichever connection they have."""
        host = self.host()
        table = self.ended(host)
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        (seeking,) = self.ask(ben, do="rematch", table=table)
        self.assertEqual(self.told(olga), [{"is": "rematch", "table": table, "name": "ben"}])
        self.assertIn("you have a seat at this table", self.ask(ben, do="rematch", table=table)[0]["why"])
        self.assertEqual(self.kinds(self.ask(olga, do="rematch", table=table)), ["seated", "event"])
        self.assertEqual(self.told(ben)[0]["table"], seeking["table"])
        self.assertEqual(len(host.lobby.waiting_tables), 0)

    def test_both_ask_at_once(self) -> None:
        """The second question is answered before the first one's answer is found."""
        host = self.host()
        table = self.ended(host)
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        for client in (olga, ben):
            client.send(b'{"do":"rematch","table":%d}\n' % table)
        host.until_idle()
        self.assertEqual((len(host.lobby.waiting_tables), len(host.lobby.slow_matches())), (0, 1))

    def test_it_is_private_if_the_match_was(self) -> None:
        for private in (True, False):
            host = self.host()
            olga, ben = self.player(host, "olga"), self.player(host, "ben")
            opened = self.seek(olga, private=private)
            self.ask(ben, do="join", table=opened["table"], **({"code": opened["code"]} if private else {}))
            self.ask(ben, do="leave", table=opened["table"])
            again = self.ask(ben, do="rematch", table=opened["table"])[-1]
            self.assertTrue(again["code"])  # nobody else can take the seat
            self.ask(olga, do="rematch", table=opened["table"])
            self.assertEqual(bool(host.journal.openings[TableId(again["table"])].code), private)
            self.keys.clear()

    def test_who_is_asked_refuses(self) -> None:
        host = self.host()
        table = self.ended(host)
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        (seeking,) = self.ask(olga, do="rematch", table=table)
        self.rows(ben)
        told = self.ask(ben, do="stop", table=seeking["table"])
        self.assertEqual(told, [{**told[0], "is": "row", "state": "gone"}, {"is": "stopped"}])
        self.assertEqual(self.told(olga), [{"is": "stopped", "why": "ben does not want a rematch"}])
        self.assertEqual((len(host.lobby.waiting_tables), host.journal.opened_tables), (0, {}))

    def test_who_has_asked_wants_it_no_more(self) -> None:
        host = self.host()
        table = self.ended(host)
        olga, ben = self.player(host, "olga"), self.player(host, "ben")
        (seeking,) = self.ask(olga, do="rematch", table=table)
        self.rows(ben)
        self.ask(olga, do="stop", table=seeking["table"])
        gone, ended = self.told(ben)
        self.assertEqual(
            (gone["state"], ended), ("gone", {"is": "rematch", "table": table, "name": "olga", "on": False})
        )
        self.assertEqual(self.kinds(self.ask(ben, do="rematch", table=table)), ["row", "seeking"])

    def test_nobody_comes(self) -> None:
        host = self.host()
        table = self.ended(host)
        olga = self.player(host, "olga")
        self.ask(olga, do="rematch", table=table)
        olga.drop()
        host.wait(SLOW_PATIENCE)
        self.assertEqual(len(host.lobby.waiting_tables), 0)
        self.assertNotIn("offer", [row["state"] for row in self.rows(self.player(host, "ben")).values()])

    def test_a_match_that_did_not_count(self) -> None:
        host = self.host()
        table = self.away(host, moves=1)
        host.wait(3 * DAY)
        host = self.again(host)
        self.assertEqual(self.ask(self.player(host, "olga"), do="rematch", table=table)[-1]["is"], "seeking")

    def test_bad_numbers(self) -> None:
        """Somebody else's match, one that goes on, a quick one, one that nobody knows; and a stranger with the name."""
        host = self.host()
        table, other = self.ended(host), self.away(host)
        olga, tom = self.player(host, "olga"), self.player(host, "tom")
        for client, number, words in (
            (tom, table, "no slow match"),
            (olga, 99, "no slow match"),
            (olga, other, "not over"),
        ):
            self.assertIn(words, self.ask(client, do="rematch", table=number)[0]["why"])
        for client in (olga, tom):
            self.ask(client, do="seek", game="onitama")
        quick = self.told(olga)[-1]["table"]
        self.ask(olga, do="leave")
        self.assertIn("no slow match", self.ask(olga, do="rematch", table=quick)[0]["why"])
        self.ask(olga, do="sit", table=other)
        self.ask(olga, do="leave", table=other)
        olga.drop()
        stranger, told = self.enter(host, "olga", HERE_ELSE)
        self.assertEqual(told["is"], "entered")
        self.assertIn("no slow match", self.ask(stranger, do="rematch", table=table)[0]["why"])
        self.ask(self.player(host, "ben"), do="rematch", table=table)
        self.assertEqual((self.told(stranger), self.rows(stranger)), ([], {}))

    def test_the_wish_is_known_for_as_long_as_the_end(self) -> None:
        """Two weeks after the end a player can ask still."""
        host = self.host()
        table = self.ended(host)
        host.wait(ENDED_KEPT_MS / 1000)
        self.assertEqual(self.ask(self.player(host, "ben"), do="rematch", table=table)[-1]["is"], "seeking")

    def test_another_quick_match_changes_nothing(self) -> None:
        """A quick rematch ends when the other player plays elsewhere. This one waits."""
        host = self.host()
        table = self.ended(host)
        olga, ben, tom = (self.player(host, name) for name in ("olga", "ben", "tom"))
        self.ask(olga, do="rematch", table=table)
        for client in (ben, tom):
            self.ask(client, do="seek", game="onitama")
        ben.drop()
        tom.drop()
        self.assertEqual(len(host.lobby.waiting_tables), 1)

    def test_at_the_console(self) -> None:
        host = self.host()
        olga, ben = (host.connect("console", HERE) for _ in range(2))

        def say(client: Client, line: str) -> str:
            client.heard()
            client.send(line.encode() + b"\r\n")
            host.wait(0.01)
            return " ".join(" ".join(client.heard()).split())

        for client, name in ((olga, "olga"), (ben, "ben")):
            say(client, f"name {name}:{name}-key")
        self.assertIn("Say of which", say(olga, "rematch"))
        say(olga, "play onitama private days 3")
        code = next(iter(host.journal.opened_tables.values())).code
        say(ben, f"join 1-{code}")
        self.assertIn("For a rematch, type: rematch 1", say(ben, "resign yes"))
        self.assertIn("no slow match", say(ben, "rematch 7"))
        self.assertIn("You wait at table 2", say(ben, "rematch"))
        told = " ".join(" ".join(olga.heard()).split())
        self.assertIn("ben wants a rematch of match 1. To accept, type: join 2-", told)
        self.assertIn("ben wants a rematch: join 2-", say(olga, "mine"))
        self.assertIn("You do not wait any more at table 2", say(olga, "cancel 2"))
        self.assertIn("Olga does not want a rematch.", " ".join(ben.heard()))

    def test_people_see_names_as_they_were_typed(self) -> None:
        """In rows, in the wish for a rematch, and in the list at the console."""
        host = self.host()
        jan, told = self.enter(host, "Jan van der Meer", HERE)
        name, shown = "Jan_van_der_Meer", {"Jan_van_der_Meer": "Jan van der Meer"}
        self.assertEqual(told["name"], name)
        seeking, ben = self.seek(jan), self.player(host, "ben")
        self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        (mine,) = self.ask(ben, do="mine")
        self.assertEqual((mine["matches"][0]["names"], mine["shown_as"]), ([name, "ben"], shown))
        self.ask(jan, do="leave", table=seeking["table"])
        row, _over = self.told(ben)
        self.assertEqual((row["is"], row["shown_as"]), ("row", shown))
        (again,) = self.ask(jan, do="rematch", table=seeking["table"])
        row, wanted = self.told(ben)
        self.assertEqual((row["shown_as"], wanted["name"], wanted["shown_as"]), (shown, name, shown))
        matches: list[Any] = []
        host.lobby.own.find(host.lobby.registry.sessions.by_key["ben"].record, matches.extend)
        lines = "\n".join(mine_lines(matches, "ben", 0))
        self.assertIn("Jan van der Meer against ben", lines)
        self.assertIn("You win: Jan van der Meer has left.", lines)
        self.assertNotIn(name, lines)
        self.ask(jan, do="stop", table=again["table"])
        self.assertEqual(self.told(ben)[-1]["shown_as"], shown)
        ben.drop()
        _, told = self.enter(host, "ben", HERE, key=self.keys["ben"])
        self.assertEqual((told["missed"][0]["names"], told["shown_as"]), ([name, "ben"], shown))


#: Another address than that of the players.
HERE_ELSE = "192.0.2.77"
