"""The values of the metrics agree with what a model client does, and no client can make new time series."""

from typing import Any

from attrs import define
from twisted.trial.unittest import SynchronousTestCase

from gamehost.measures import Histogram
from gamehost.metrics.readers import METRICS, Values, backlog_of
from gamehost.net.hang_ups import KINDS
from gamehost.storage.memory import MemoryJournal
from tests.kit.measured import MeasuredHost
from tests.kit.memory_host import only_table


@define
class Counted:
    """The readings of one moment."""

    values: dict[str, Values]

    def of(self, name: str, *labels: str) -> float:
        """One value; 0 if there is none."""
        found = self.values[name].get(labels, 0)
        assert not isinstance(found, Histogram)
        return found


class ValuesTests(SynchronousTestCase):
    """A host in memory and a model client that counts what it does."""

    def setUp(self) -> None:
        self.host = MeasuredHost()
        self.world = self.host.world

    def read(self) -> Counted:
        for metric in METRICS:
            for labels in metric.read(self.host):
                self.assertEqual(len(labels), len(metric.labels), metric.name)
        return Counted({metric.name: metric.read(self.host) for metric in METRICS})

    def test_a_match(self) -> None:
        """Connections, log-ins, players, tables, moves, refusals, hang-ups: each as often as it happened."""
        ann, bob, cid = (self.world.connect() for _ in range(3))
        ann.say("LOGIN|ann")
        found = self.read()
        self.assertEqual(found.of("gamehost_waiting", "onitama"), 1)
        bob.say("LOGIN|bob")
        cid.say("LOGIN|bob", "nonsense", "nonsense")
        moves = 0
        for client in (ann, bob) * 4:
            client.say(f"MAKE_MOVE|{'|'.join(self.move())}", "MAKE_MOVE|nonsense|a1|a1")
            moves += 1
        found = self.read()
        self.assertEqual(found.of("gamehost_connections", "onitama"), 3)
        self.assertEqual(found.of("gamehost_connections_total", "onitama"), 3)
        self.assertEqual(found.of("gamehost_sessions", "onitama"), 2)
        self.assertEqual(found.of("gamehost_logins_total", "onitama", "guest", "accepted"), 2)
        self.assertEqual(found.of("gamehost_logins_total", "onitama", "guest", "refused"), 1)
        self.assertEqual(found.of("gamehost_tables", "onitama", "playing"), 1)
        self.assertEqual(found.of("gamehost_matches_begun_total", "onitama"), 1)
        self.assertEqual(found.of("gamehost_moves_total", "onitama", "onitama"), moves)
        self.assertEqual(found.of("gamehost_refusals_total", "onitama"), 3 + moves)
        ann.drop()
        bob.drop()
        found = self.read()
        self.assertEqual(found.of("gamehost_connections", "onitama"), 1)
        self.assertEqual((found.of("gamehost_sleeping_tables"), found.of("gamehost_names")), (1, 2))
        self.world.wait(60)
        self.world.wait(86_401)
        found = self.read()
        self.assertEqual(found.of("gamehost_matches_ended_total", "onitama", "archived"), 1)
        self.assertEqual(found.of("gamehost_hangups_total", "onitama", "login_deadline"), 1)

    def move(self) -> list[str]:
        """A legal move of the player whose turn it is: card and squares."""
        master: Any = only_table(self.world)._master
        return str(next(master.position.moves())).split()

    def test_refused_connections(self) -> None:
        """By the kind of the reason."""
        for _ in range(50):
            self.world.connect()
        found = self.read()
        refused = sum(self.host.context.limiter.refusals.values())
        self.assertGreater(refused, 0)
        self.assertEqual(found.of("gamehost_connections_refused_total", "address_rate"), refused)
        self.assertEqual(found.of("gamehost_connections_total", "onitama"), 50 - refused)

    def test_protocol_errors(self) -> None:
        """What a client sends makes no new label."""
        for text in ("x" * 10_000, "y" * 10_000):
            self.world.connect().protocol.dataReceived(text.encode())
        found = self.read()
        hang_ups = {labels: number for labels, number in found.values["gamehost_hangups_total"].items() if number}
        self.assertEqual(hang_ups, {("onitama", "protocol"): 2})
        self.assertIn("protocol", KINDS)

    def test_a_store_in_memory_has_no_backlog(self) -> None:
        """So there is nothing to measure of it; another one says how far it is behind."""
        self.assertIsNone(backlog_of(MemoryJournal()))
        found = self.read()
        self.assertEqual(found.of("gamehost_journal_waiting_changes"), 0)
        self.assertNotIn((), found.values["gamehost_acknowledgement_seconds"])
