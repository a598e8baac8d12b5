"""The lists of players' own matches: what is in them, and whose they are."""

from typing import Any

from gamehost.journal.records import ENDED_KEPT_MS, OwnedMatch, SeatRecord, TableId
from gamehost.lobby.own_list import owner_of
from gamehost.storage.memory import MOST_LISTS, MemoryJournal
from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.journal_contract import JournalContract, nothing, ours
from tests.kit.wires.open import OpenCase, act, line

PASSWORD = "long enough to be one"
DAY = 86_400.0


class MemoryListTests(OpenCase, JournalContract):
    """Lists of a journal in memory. The other tests of the contract are for journals in files."""

    def new_journal(self) -> Any:
        return MemoryJournal()

    def test_so_many_lists(self) -> None:
        journal = self.new_journal()
        for number in range(MOST_LISTS + 1):
            journal.put_own([(f"{number}", ours("wait"))], nothing)
        self.assertEqual((len(journal.own_matches), self.own(journal, "0")), (MOST_LISTS, []))


class ListOwnerTests(OpenCase):
    def test_owners(self) -> None:
        """A guest has a list with a key alone: the name is somebody else's tomorrow. No two players have the same one."""
        ann = SeatRecord("Ann", "open", account=True)
        guests = [SeatRecord("Ann", "open", key_digest=digest) for digest in ("~1", "~2", "")]
        self.assertEqual([owner_of(one) for one in (ann, *guests)], ["ann", "ann:~1", "ann:~2", None])


class OwnCase(OpenCase):
    """Ann plays Bob, and one of them is gone when their match ends."""

    def pair(self, host: MemoryHost, wire: str = "open", **wishes: Any) -> tuple[Client, Client]:
        """Both have moved, so that the match sleeps if both go."""
        ann, bob = host.connect(wire), host.connect(wire)
        for client, name in ((ann, "ann"), (bob, "bob")):
            client.send(line(do="log-in", name=name, password=PASSWORD) + line(do="seek", game="onitama", **wishes))
        ann.send(act("ox c1 c2"))
        return ann, bob

    def be_absent(self, host: MemoryHost) -> None:
        """The time after which an absent player has lost, if nobody claims the match before."""
        for seconds in (61, 601):
            host.wait(seconds)

    def found(self, host: MemoryHost, name: str = "bob", digest: str = "") -> list[OwnedMatch]:
        found: list[OwnedMatch] = []
        host.lobby.own.find(SeatRecord(name, "open", account=not digest, key_digest=digest), found.extend)
        return found


class MissedTests(OwnCase):
    def test_lost_by_absence(self) -> None:
        """The one who was away finds it, and how it ended; the one who was there has been told."""
        host = self.host()
        _, bob = self.pair(host)
        bob.drop()
        self.be_absent(host)
        [match] = self.found(host)
        self.assertEqual((match.table, match.game, match.names, match.seat), (1, "onitama", ("ann", "bob"), 1))
        self.assertEqual((match.state, match.winners, match.cause, match.ended), ("over", (0,), "left", 662_000))
        self.assertEqual(self.found(host, "ann"), [])

    def test_the_next_run_has_it(self) -> None:
        host = self.host()
        _, bob = self.pair(host)
        bob.drop()
        self.be_absent(host)
        again = self.host(journal=host.journal.restarted(), clock=host.clock)
        self.assertEqual(len(self.found(again)), 1)
        again.wait(ENDED_KEPT_MS / 1000)
        self.assertEqual(self.found(again), [])

    def test_a_guest_of_the_same_name(self) -> None:
        """The match is in the list of the one with the key."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        ann.drop()
        record = host.lobby.registry.sessions.by_key["ann"].record
        bob.send(line(do="leave"))
        self.assertEqual([one.seat for one in self.found(host, "ann", record.key_digest)], [0])
        self.assertEqual(self.found(host, "ann", record.key_digest + "0"), [])

    def test_nobody_came_back(self) -> None:
        """A match that slept for a day is archived, and both are told that."""
        host = self.host()
        for client in self.pair(host):
            client.drop()
        host.wait(2 * DAY)
        for name, seat in (("ann", 0), ("bob", 1)):
            [match] = self.found(host, name)
            self.assertEqual(
                (match.names, match.seat, match.winners, match.why), (("ann", "bob"), seat, (), "nobody came back")
            )


class ListChangeTests(OwnCase):
    def test_a_change_is_told_when_it_is_durable(self) -> None:
        host = self.host()
        told: list[tuple[str, OwnedMatch]] = []
        host.lobby.own.listeners.append(lambda owner, match: told.append((owner, match)))
        host.journal.late = True
        host.lobby.own.put([("ann", ours("turn")), ("bob", ours("wait"))])
        self.assertEqual(told, [])
        host.journal.release()
        self.assertEqual(told, [("ann", ours("turn")), ("bob", ours("wait"))])


class LookingTests(OwnCase):
    """A client that looks at its list is told each change."""

    def rows(self, client: Client) -> list[tuple[Any, ...]]:
        """The states that a client has been told in rows, by table."""
        return [(one["table"], one["state"]) for one in self.told(client) if one["is"] == "row"]

    def states(self, told: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        [mine] = [one for one in told if one["is"] == "mine"]
        return [(one["table"], one["state"]) for one in mine["matches"]]

    def test_a_match_of_now(self) -> None:
        """Whose turn it is, and the end. What a look costs is paid by who looks."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        [mine] = self.ask(ann, do="mine")
        row = {"table": 1, "game": "onitama", "names": ["ann", "bob"], "seat": 0, "state": "turn", "private": False}
        self.assertEqual(mine, {"is": "mine", "matches": [row]})
        ann.send(act("ox c1 c2"))
        host.wait(1)
        self.assertEqual(self.rows(ann), [(1, "wait")])
        bob.send(act("crab c5 c4"))
        host.wait(1)
        self.assertEqual(self.rows(ann), [(1, "turn")])
        bob.send(line(do="leave"))
        [row] = [one for one in self.told(ann) if one["is"] == "row"]
        self.assertEqual((row["state"], row["winners"], row["cause"]), ("over", [0], "left"))
        self.assertEqual([one["is"] for one in self.told(bob) if one["is"] in ("mine", "row")], [])
        self.assertEqual(self.ask(ann, do="seen")[-1]["state"], "gone")

    def test_nothing_for_who_has_not_asked(self) -> None:
        host = self.host()
        ann, _, _ = self.matched(host)
        table = host.lobby.tables[TableId(1)]
        self.assertFalse(table.watched)
        self.ask(ann, do="mine")
        self.assertTrue(table.watched)
        self.ask(ann, do="mine", on=False)
        self.assertFalse(table.watched)
        self.ask(ann, do="mine")
        ann.drop()
        self.assertFalse(table.watched)

    def test_the_next_match(self) -> None:
        host = self.host()
        ann, bob, _ = self.matched(host)
        self.ask(ann, do="mine")
        bob.send(line(do="leave") + line(do="seek", game="onitama"))
        ann.send(line(do="seek", game="onitama"))
        host.wait(1)
        self.assertEqual(self.rows(ann), [(1, "over"), (2, "wait")])
        self.assertEqual(self.states(self.ask(ann, do="mine")), [(2, "wait")])

    def test_what_is_offered(self) -> None:
        """Until it is answered, whoever's turn it is."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        for client in (ann, bob):
            self.ask(client, do="mine")
        self.ask(ann, do="draw", table=1, step="offer")
        host.wait(1)
        self.assertEqual((self.rows(ann), self.rows(bob)), ([], [(1, "offer")]))
        self.ask(bob, do="draw", table=1, step="decline")
        host.wait(1)
        self.assertEqual((self.rows(ann), self.rows(bob)), ([], [(1, "turn")]))

    def test_tables_that_wait(self) -> None:
        """Until when they wait, and the code; who takes a seat; and that one is given up."""
        host = self.host()
        olga, _ = self.enter(host, "olga")
        self.ask(olga, do="mine")
        told = self.ask(olga, do="seek", game="onitama", private=True)
        row = next(one for one in told if one["is"] == "row")
        self.assertEqual((row["state"], row["names"], row["private"]), ("open", ["olga"], True))
        self.assertEqual((row["code"], row["by"]), (told[-1]["code"], round(DAY * 1000)))
        olga.send(line(do="seek", game="paper-soccer", seats=2, settings={"move_time": 60}))
        self.assertEqual(self.rows(olga), [(2, "open")])
        olga.send(line(do="stop", table=2))
        self.assertEqual(self.rows(olga), [(2, "gone")])
        ben, _ = self.enter(host, "ben")
        ben.send(line(do="mine") + line(do="join", table=1, code=row["code"]))
        host.wait(1)
        self.assertEqual(self.rows(ben), [(1, "open"), (1, "wait")])
        self.assertEqual(self.rows(olga), [(1, "open"), (1, "turn")])

    def test_a_table_that_nobody_came_to(self) -> None:
        """The opener has gone, and finds that; one who is there is told at once."""
        host = self.host()
        olga, entered = self.enter(host, "olga")
        olga.send(line(do="seek", game="onitama", private=True))
        olga.drop()
        host.wait(DAY + 1)
        olga, entered = self.enter(host, "olga", key=entered["key"])
        [missed] = entered["missed"]
        self.assertEqual((missed["table"], missed["state"], missed["why"]), (1, "over", "nobody came in time"))
        self.assertNotIn("cause", missed)
        self.assertEqual(self.states(self.ask(olga, do="mine")), [(1, "over")])
        olga.send(line(do="seek", game="onitama", private=True))
        host.wait(DAY + 1)
        self.assertEqual(self.rows(olga), [(2, "open"), (2, "gone")])

    def test_a_rematch(self) -> None:
        """It is offered in the list, until it is taken or not wanted any more."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        ann.send(line(do="leave"))
        self.ask(bob, do="mine")
        ann.send(line(do="rematch"))
        [row] = [one for one in self.told(bob) if one["is"] == "row"]
        self.assertEqual((row["table"], row["state"], row["names"], row["seat"]), (2, "offer", ["ann"], 0))
        self.assertEqual(self.states(self.ask(bob, do="mine")), [(2, "offer")])
        ann.send(line(do="stop"))
        self.assertEqual(self.rows(bob), [(2, "gone")])
        ann.send(line(do="rematch"))
        bob.send(line(do="rematch"))
        host.wait(1)
        self.assertEqual(self.rows(bob), [(3, "offer"), (3, "open"), (3, "turn")])

    def test_matches_in_the_store(self) -> None:
        """Of the own owner alone, and when they are durable."""
        host = self.host()
        ann, _ = self.enter(host, "ann")
        own = host.lobby.own
        owner = owner_of(host.lobby.registry.sessions.by_key["ann"].record) or ""
        own.put([(owner, ours("wait", 70))])
        self.assertEqual(self.states(self.ask(ann, do="mine")), [(70, "wait")])
        host.journal.late = True
        own.put([(owner, ours("turn", 70)), (owner + "0", ours("turn", 71)), ("ann", ours("turn", 72))])
        self.assertEqual(self.rows(ann), [])
        host.journal.release()
        self.assertEqual(self.rows(ann), [(70, "turn")])
        own.drop(TableId(70))
        host.journal.release()
        self.assertEqual(self.rows(ann), [(70, "gone")])

    def test_the_answer_is_durable(self) -> None:
        """What changes before the answer is told in it, and what changes later in rows."""
        host = self.host()
        ann, _ = self.enter(host, "ann")
        host.journal.late = True
        ann.send(line(do="seek", game="onitama", private=True) + line(do="mine"))
        self.assertEqual(self.told(ann), [])
        ann.send(line(do="stop", table=1))
        host.journal.release(2)
        self.assertEqual(self.states(self.told(ann)), [(1, "open")])
        host.journal.release()
        self.assertEqual(self.rows(ann), [(1, "gone")])

    def test_a_fault_is_not_noticed_at_the_table(self) -> None:
        host = self.host()
        ann, bob, _ = self.matched(host)
        table = host.lobby.tables[TableId(1)]
        self.patch(type(table.game), "random_action", lambda *arguments: 1 // 0)
        self.assertEqual(self.states(self.ask(ann, do="mine")), [(1, "wait")])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.ask(bob, do="leave")[-1]["is"], "over")

    def test_another_connection_of_the_same_player(self) -> None:
        """It has the list from then on, if it asks."""
        host = self.host()
        ann, _bob, key = self.matched(host)
        self.ask(ann, do="mine")
        again, _ = self.enter(host, "ann", key=key)
        self.ask(again, do="mine")
        ann.drop()
        again.send(act("ox c1 c2"))
        host.wait(1)
        self.assertEqual(self.rows(again), [(1, "wait")])


class MissedAtLogInTests(OwnCase):
    def test_until_it_is_seen(self) -> None:
        host = self.host()
        _, bob = self.pair(host)
        bob.drop()
        self.be_absent(host)
        for _ in range(2):
            bob = host.connect("open")
            [entered] = self.ask(bob, do="log-in", name="bob", password=PASSWORD)
            [missed] = entered["missed"]
            self.assertEqual((missed["table"], missed["names"], missed["seat"]), (1, ["ann", "bob"], 1))
            self.assertEqual((missed["winners"], missed["cause"], missed["ended"]), ([0], "left", 662_000))
            bob.drop()
        bob = host.connect("open")
        self.ask(bob, do="log-in", name="bob", password=PASSWORD)
        self.assertEqual(self.ask(bob, do="seen", table=1), [])
        bob.drop()
        bob = host.connect("open")
        self.assertNotIn("missed", self.ask(bob, do="log-in", name="bob", password=PASSWORD)[0])

    def test_what_is_seen_is_gone_when_that_is_durable(self) -> None:
        host = self.host()
        client, _ = self.enter(host, "amy", key="0" * 32)
        owner = owner_of(host.lobby.registry.sessions.by_key["amy"].record) or ""
        host.lobby.own.put([(owner, ours("over", ended=1))])
        self.assertEqual(len(self.ask(client, do="mine")[0]["matches"]), 1)
        host.journal.late = True
        self.assertEqual(self.ask(client, do="seen"), [])
        host.journal.release()
        self.assertEqual([one["state"] for one in self.told(client)], ["gone"])

    def test_only_who_comes_back_is_asked_about(self) -> None:
        """A new guest waits for no answer of the store."""
        host = self.host()
        host.journal.late = True
        client = host.connect("open")
        self.assertEqual(self.ask(client, do="enter", name="ann")[0]["is"], "entered")
        self.assertEqual(self.ask(host.connect("open"), do="enter", name="amy", key="0" * 32), [])

    def test_who_goes_meanwhile(self) -> None:
        host = self.host()
        host.journal.late = True
        client = host.connect("open")
        self.ask(client, do="enter", name="amy", key="0" * 32)
        client.drop()
        host.journal.release()
        self.assertEqual(host.lobby.registry.sessions.by_key, {})
