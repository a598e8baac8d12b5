"""The metrics: their names and labels, and values that agree with what a model client does."""

from typing import Any

from attrs import define
from twisted.trial.unittest import SynchronousTestCase

from gamehost.measures import Histogram
from gamehost.metrics.readers import METRICS, Kind, Values, backlog_of
from gamehost.net.connection import KINDS
from gamehost.storage.memory import MemoryJournal
from tests.kit.memory_host import only_table
from tests.kit.reactors import MeasuredHost


@define
class Counted:
    """The readings of one moment."""

    values: dict[str, Values]

    def of(self, name: str, *labels: str) -> float:
        found = self.values[name].get(labels, 0)
        assert not isinstance(found, Histogram)
        return found


class ValuesTests(SynchronousTestCase):
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
        for _ in range(35):  # 20 are admitted, and fewer are told why they are not
            self.world.connect()
        found = self.read()
        refused = sum(self.host.context.limiter.refusals.values())
        self.assertGreater(refused, 0)
        self.assertEqual(found.of("gamehost_connections_refused_total", "address_rate"), refused)
        self.assertEqual(found.of("gamehost_connections_total", "onitama"), 35 - refused)

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


#: Every label that there is. Each has few values: the names of wires, games, and words of the host.
LABELS = {"game", "identity", "kind", "phase", "reason", "result", "version", "wire"}


class NamesTests(SynchronousTestCase):
    def test_conventions(self) -> None:
        """A prefix; counters end with `_total` and others do not; no name twice; units are base units."""
        names = [metric.name for metric in METRICS]
        self.assertEqual(len(set(names)), len(names))
        for metric in METRICS:
            self.assertRegex(metric.name, r"^gamehost_[a-z]+(_[a-z]+)*$")
            self.assertEqual(metric.name.endswith("_total"), metric.kind is Kind.COUNTER, metric.name)
            self.assertNotRegex(metric.name, r"(milli|ms_|_ms|kilo|count$|_sum$|_bucket$|info_)")
            self.assertRegex(metric.words, r"^[a-z0-9].*[^.]$")

    def test_labels(self) -> None:
        """No label is for a player or an address."""
        self.assertEqual({label for metric in METRICS for label in metric.labels}, LABELS)
