"""The directory: who is here, what is played, and who waits, asked once."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby.queues import Queue
from gamehost.lobby.sessions import Session, SleepingTable, Waking
from gamehost.lobby.watching import Counts, Person, PlayedTable
from gamehost.plugins import GAMES
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.open_case import line


class DirectoryTests(SynchronousTestCase):
    """A host with people at tables and in queues."""

    def setUp(self) -> None:
        self.host = MemoryHost()
        self.directory = self.host.lobby.directory

    def enter(self, name: str, **seek: object) -> None:
        """A client of the open wire, who may seek a match."""
        client = self.host.connect("open")
        client.send(line(do="enter", name=name) + (line(do="seek", **seek) if seek else b""))

    def test_nobody_is_there(self) -> None:
        """Everything is empty."""
        self.assertEqual(self.directory.counts(), Counts(0, 0, 0))
        self.assertEqual(
            (self.directory.people(), self.directory.tables(), self.directory.waiting()),
            ([], [], {}),
        )

    def test_people_and_tables(self) -> None:
        """Who plays, where, and on which wire. Waiting players are not at a table."""
        for name in ("bob", "ann"):
            self.enter(name, game="onitama")
        self.enter("carl", game="stratego")
        self.enter("dora")
        self.assertEqual(
            self.directory.people(),
            [
                Person("ann", "open", False, "onitama", TableId(1)),
                Person("bob", "open", False, "onitama", TableId(1)),
                Person("carl", "open", False, "", None),
                Person("dora", "open", False, "", None),
            ],
        )
        self.assertEqual(
            self.directory.tables(),
            [PlayedTable(TableId(1), "onitama", ("bob", "ann"), ("open", "open"), 1, 0)],
        )
        self.assertEqual(self.directory.counts(), Counts(1, 4, 1))
        self.assertEqual(self.directory.waiting()["stratego"].names, ("carl",))

    def test_private_matches_are_not_shown(self) -> None:
        """Who plays there is seen to play, and not where."""
        session = self.host.lobby.enter("ann", "open", "192.0.2.1", self.host.connect("open").protocol._conversation)  # type: ignore[arg-type]
        queue = Queue(GAMES["onitama"])
        opened = self.host.lobby.open_table(session, queue, 2, {"code": "K7"})
        self.enter("bob")
        client = self.host.connect("open")
        client.send(line(do="enter", name="carl") + line(do="join", table=opened.table, code="K7"))
        self.assertEqual(self.directory.tables(), [])
        self.assertEqual(self.directory.people()[0], Person("ann", "open", False, "onitama", None))
        self.assertEqual(self.directory.counts().tables, 1)

    def test_names_of_guests(self) -> None:
        """Each is new. A name that is in use, or under which a seat is kept, is left out."""
        talk = self.host.connect("open").protocol._conversation
        self.host.lobby.enter("guest.2", "open", "192.0.2.1", talk, given=True)  # type: ignore[arg-type]
        self.assertEqual([self.directory.new_guest() for _ in range(2)], ["guest.1", "guest.3"])


class KeptTableTests(SynchronousTestCase):
    """The match to which a player who has logged in can come back."""

    def begun(self) -> tuple[MemoryHost, Session]:
        """Ann and Bob play, and Ann is away and has logged in again, but has not taken her seat."""
        host = MemoryHost({"eriantys.ack_seconds": "0"})
        clients = [host.connect("eriantys") for _ in range(2)]
        for client, name in zip(clients, ("ann", "bob"), strict=True):
            client.say(f'{{"type":"LoginMessage","nickname":"{name}"}}')
        clients[0].say('{"type":"SetGame","numberOfPlayers":2,"expertMode":true}')
        clients[1].say('{"type":"JoinAvailableGame","gameId":1}')
        clients[0].say('{"type":"ChosenTower","tower":"BLACK"}')
        for client in clients:
            client.drop()
        return host, self.entered(host)

    def entered(self, host: MemoryHost) -> Session:
        """Ann, who has logged in."""
        return host.lobby.enter("ann", "eriantys", "192.0.2.1", host.connect("eriantys").protocol._conversation)  # type: ignore[arg-type]

    def test_a_kept_seat(self) -> None:
        """The table is shown as one that waits for this player alone, whether it is in memory or is being loaded."""
        host, session = self.begun()
        kept = host.lobby.directory.kept_table(session)
        assert kept is not None
        self.assertEqual((kept.table, kept.seats, kept.names, kept.settings["expert"]), (1, 2, ("bob",), "yes"))
        session.table, session.asleep = None, TableId(1)
        host.lobby.registry.waking[TableId(1)] = Waking(
            SleepingTable(TableId(1), "eriantys", 0, 0, ()), [session, None]
        )
        kept = host.lobby.directory.kept_table(session)
        assert kept is not None
        self.assertEqual((kept.table, kept.seats, kept.names, kept.settings), (1, 2, ("",), {}))

    def test_no_kept_seat(self) -> None:
        """Somebody who has no seat."""
        host = MemoryHost()
        self.assertIsNone(host.lobby.directory.kept_table(self.entered(host)))
