"""The lists of players' own matches: what is in them, and whose they are."""

from typing import Any

from gamehost.journal.records import ENDED_KEPT_MS, OwnedMatch, SeatRecord
from gamehost.lobby.own_matches import owner_of
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
        host.wait(61)
        [match] = self.found(host)
        self.assertEqual((match.table, match.game, match.names, match.seat), (1, "onitama", ("ann", "bob"), 1))
        self.assertEqual((match.state, match.winners, match.cause, match.ended), ("over", (0,), "left", 61_000))
        self.assertEqual(self.found(host, "ann"), [])

    def test_the_next_run_has_it(self) -> None:
        host = self.host()
        _, bob = self.pair(host)
        bob.drop()
        host.wait(61)
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
