"""Ends that players have missed: who is told them, and when they are forgotten."""

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import name_of
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.lobby.sessions import ResumePolicy
from gamehost.storage.memory import KEPT, MemoryJournal
from gamehost.testing.journals import RecordingJournal
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost

TELLING = evolve(TOY_WIRE, tells_missed_end=True)
HOME, ELSEWHERE = "192.0.2.1", "192.0.2.77"


class MissedEndsTests(SynchronousTestCase):
    def host(self, journal: RecordingJournal | None = None, **more: object) -> MemoryHost:
        return MemoryHost(wires=(TELLING,), journal=journal, **more)  # type: ignore[arg-type]

    def pair(self, host: MemoryHost, bob: str = "bob") -> tuple[Client, Client]:
        clients = host.connect("toy"), host.connect("toy")
        for client, name in zip(clients, ("ann", bob), strict=True):
            client.say(f"hi {name}")
        clients[0].say("+1")
        return clients

    def missed(self, host: MemoryHost, bob: str = "bob") -> Client:
        """A match that has ended while Bob was away; Ann is there."""
        ann, away = self.pair(host, bob)
        away.drop()
        host.wait(61)
        return ann

    def words(self, host: MemoryHost, name: str = "bob", address: str = HOME) -> list[str]:
        """What somebody is told who logs in, by the first words, and who is gone then."""
        client = host.connect("toy", address)
        client.say(f"hi {name}")
        words = [line.split()[0] for line in client.heard()]
        client.drop()
        return words

    def test_after_the_grace_time(self) -> None:
        host = self.host()
        self.missed(host)
        self.assertEqual(self.words(host), ["back", "over"])
        self.assertEqual(self.words(host), [])
        self.assertEqual(host.journal.restarted().records(), [], "nothing of it is listed any more")

    def test_after_the_other_has_left(self) -> None:
        """The one who has left is not told: the seat was given up, with all that there is to hear."""
        host = self.host()
        ann, bob = self.pair(host)
        bob.drop()
        ann.say("bye")
        self.assertEqual(self.words(host, "ann"), [])
        self.assertEqual(self.words(host), ["back", "over"])

    def test_after_the_other_has_left_with_a_late_store(self) -> None:
        journal = RecordingJournal(late=True)
        host = self.host(journal)
        ann, bob = self.pair(host)
        journal.release()
        bob.drop()
        ann.say("bye")
        journal.release()
        journal.late = False
        self.assertEqual(self.words(host, "ann"), [])
        self.assertEqual(self.words(host), ["back", "over"])

    def test_after_a_restart(self) -> None:
        """To the one who missed it, and to nobody who was told before. The name is nobody's."""
        host = self.host()
        self.missed(host)
        again = self.host(host.journal.restarted())
        self.assertEqual((again.unfinished, len(again.lobby.registry)), ([], 0))
        self.assertEqual(self.words(again, "ann"), [])
        self.assertEqual(self.words(again), ["back", "over"])
        self.assertEqual(again.journal.restarted().records(), [])

    def test_who_is_gone_before_it_is_told(self) -> None:
        """The record comes late, and the player is told after the next log-in."""
        host = self.host()
        self.missed(host)
        host.journal.late = True
        bob = host.connect("toy")
        bob.say("hi bob")
        bob.drop()
        host.journal.late = False
        host.journal.release()
        host.until_idle()
        self.assertEqual(self.words(host), ["back", "over"])

    def test_a_name_is_not_kept(self) -> None:
        """Anybody can have it. Then the end is forgotten."""
        host = self.host()
        self.missed(host).drop()
        self.assertEqual((len(host.lobby.registry), host.lobby.registry.seats_at(HOME)), (0, 0))
        self.assertFalse(host.lobby.registry.is_guest("bob"))
        self.assertFalse(host.lobby.registry.looks_taken(name_of("b0b")))
        self.assertEqual(self.words(host, address=ELSEWHERE), [])
        self.assertEqual(self.words(host), [])
        self.assertEqual(host.journal.restarted().records(), [])

    def test_a_key_proves_it_from_anywhere(self) -> None:
        for said, told in (("bob:right", ["back", "over"]), ("bob:wrong", []), ("bob", [])):
            host = self.host()
            self.missed(host, "bob:right")
            self.assertEqual(self.words(host, said, ELSEWHERE), told, said)

    def test_from_any_address_if_the_owner_wants_that(self) -> None:
        host = self.host(resume=ResumePolicy.ANY)
        self.missed(host)
        self.assertEqual(self.words(host, address=ELSEWHERE), ["back", "over"])

    def test_it_is_kept_for_a_day(self) -> None:
        host = self.host()
        self.missed(host).drop()
        for _ in range(24 * 60 + 2):
            host.wait(60)
        self.assertEqual(self.words(host), [])
        self.assertEqual((host.journal.restarted().records(), len(host.lobby.registry.ended)), ([], 0))

    def test_an_address_has_a_bounded_number(self) -> None:
        host = self.host()
        host.lobby.seats.most_sleeping = 2
        for number in range(4):
            self.missed(host, f"bob.{number}").drop()
            host.wait(61)
        host.wait(61)
        told = [bool(self.words(host, f"bob.{number}")) for number in range(4)]
        self.assertEqual(told, [False, False, True, True])

    def test_other_wires_tell_none(self) -> None:
        host = MemoryHost(wires=(TOY_WIRE,))
        self.missed(host)
        self.assertEqual(host.journal.restarted().records(), [])
        self.assertEqual(self.words(host), [])

    def test_a_record_that_cannot_be_read(self) -> None:
        """The player is told that there is a fault, and can play."""
        host = self.host()
        self.missed(host).drop()
        host.journal.load = lambda table, loaded: loaded("its rows are missing")  # type: ignore[method-assign]
        self.assertEqual(self.words(host), ["suspended"])
        self.assertEqual(self.words(host), [])


class MemoryJournalTests(SynchronousTestCase):
    def test_a_match_whose_end_was_missed_is_kept(self) -> None:
        """Longer than others, until nobody is to be told any more."""
        journal = MemoryJournal()
        seats = (SeatRecord("ann", "toy"), SeatRecord("bob", "toy"))
        tables = [journal.new_table() for _ in range(KEPT + 2)]
        for table in tables:
            journal.open(table, TableHeader("toy", 1, seats), lambda: None)
            journal.append(table, Entry(EntryKind.FORFEITED, 1, Seat(1), outcome="ann has won"), lambda: None)
            if table == tables[0]:
                journal.told(table, Seat(0))

        def read(table: TableId) -> object:
            found: list[object] = []
            journal.load(table, found.append)
            return getattr(found[0], "told", None)

        self.assertEqual([read(table) for table in (tables[0], tables[1], tables[-1])], [{0}, None, set()])
        journal.told(tables[0])
        self.assertIsNone(read(tables[0]))
