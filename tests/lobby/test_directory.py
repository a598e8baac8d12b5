"""The directory of matches: of this host, and of the other hosts of a cluster, on every wire."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby.board import EVERY
from gamehost.lobby.directory import NO_RECORD, Counts, PlayedTable
from gamehost.lobby.lists import Person
from gamehost.lobby.played import LIST_IDLE, READ_EVERY
from gamehost.lobby.sessions import Queue, Session, Waking
from gamehost.lobby.sleeping import SleepingTable
from gamehost.plugins import GAMES, WIRES
from gamehost.testing.memory_host import Client
from gamehost.wires.open.conversation import WIRE as OPEN
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.memory_cluster import MemberHost, World
from tests.kit.memory_host import MemoryHost
from tests.kit.web_host import WebHost, request
from tests.kit.wires.open import DEAL, OpenCase, act, line

CONSOLE = next(wire for wire in WIRES if wire.name == "console")


class ClusterCase(OpenCase):
    """Ann and Bob play Onitama at one host, and everybody else looks at another one."""

    def begin(self, **settings: str) -> None:
        played: Any = DEAL | settings
        self.first = MemoryHost(played, wires=(OPEN,))
        self.leader = MemoryHost(played, journal=self.first.journal.beside(), wires=(OPEN, CONSOLE))
        self.leader.lobby.directory.played.follow({"onitama": GAMES["onitama"]})
        self.ann, self.bob, _ = self.matched(self.first)
        self.pass_time(LIST_IDLE)

    def pass_time(self, seconds: float = READ_EVERY) -> None:
        self.first.wait(seconds)
        self.leader.wait(seconds)

    def look(self) -> Client:
        return self.leader.connect("open")


class OpenWireTests(ClusterCase):
    def test_a_match_of_another_host_is_watched_as_one_of_this_host(self) -> None:
        self.begin()
        own, client = self.first.connect("open"), self.look()
        for one in (own, client):
            one.send(line(do="watch", table=1))
        self.pass_time()
        [here], [there] = self.told(own), self.told(client)
        self.assertEqual({"presence": False, **here}, there)
        self.ann.send(act("ox c1 c2"))
        self.bob.send(act("crab a5 a4"))
        self.pass_time()
        self.ann.send(line(do="leave"))
        self.pass_time()
        told = self.told(client)
        self.assertEqual([one for one in self.told(own) if one["is"] != "left"], told)
        self.assertEqual([(one["is"], one["n"]) for one in told], [("event", 2), ("event", 3), ("over", 4)])
        self.assertEqual(self.ask(client, do="watch", table=1)[0]["is"], "sorry")

    def test_the_delay_counts_from_when_this_host_knows_of_an_event(self) -> None:
        self.begin(**{"onitama.watch_delay": "5"})
        client = self.look()
        client.send(line(do="watch", table=1))
        self.pass_time(4.5)
        self.ann.send(act("ox c1 c2"))
        self.pass_time(1)
        [shown] = self.told(client)
        self.assertEqual((shown["n"], shown["delay"]), (1, 5.0))
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 1)
        self.pass_time(3.9)
        self.assertEqual(self.told(client), [])
        self.pass_time(1.1)
        self.assertEqual([one["n"] for one in self.told(client)], [2])
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 2)

    def test_the_delay_of_a_match_that_nobody_watches(self) -> None:
        """A history does not tell earlier what has happened."""
        self.begin(**{"onitama.watch_delay": "5"})
        client = self.look()
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 0)
        self.pass_time(5)
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 1)
        self.ann.send(act("ox c1 c2"))
        self.pass_time(1)
        for n, seconds in ((1, 4.9), (2, 0.2)):
            self.pass_time(seconds)
            self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], n, seconds)

    def test_private_matches(self) -> None:
        """They are on no list, and are watched with their code only. A history needs it too, also behind the end."""
        self.begin()
        host, code = self.first, self.private()
        self.pass_time(LIST_IDLE)
        client = self.look()
        number = max(host.lobby.tables)
        refused = {"is": "sorry", "why": "no match of this number is played"}
        for wrong in ({}, {"code": "AAAAAAAA"}):
            self.assertEqual(self.ask(client, do="watch", table=number, **wrong), [refused])
            self.assertEqual(self.ask(client, do="history", table=number, **wrong)[0]["why"], NO_RECORD)
        self.assertEqual(self.ask(client, do="history", table=number, code=code)[0]["n"], 1)
        client.send(line(do="watch", table=number, code=code))
        self.pass_time()
        self.assertEqual([one["is"] for one in self.told(client)], ["shown"])
        client.send(line(do="lobby"))
        self.pass_time(EVERY)
        rows = [row["table"] for one in self.told(client) for row in one.get("tables", [one])]
        self.assertEqual(rows, [1])
        host.lobby.tables[number]._forfeit(0)  # type: ignore[arg-type]
        self.pass_time(LIST_IDLE)
        self.assertEqual(self.ask(client, do="history", table=number)[-1], {"is": "sorry", "why": NO_RECORD})
        self.assertEqual(self.ask(client, do="history", table=number, code=code)[0]["n"], 2)

    def private(self) -> str:
        (carl, _), (dora, _) = self.enter(self.first, "carl"), self.enter(self.first, "dora")
        [seeking] = self.ask(carl, do="seek", game="onitama", private=True)
        dora.send(line(do="join", table=seeking["table"], code=seeking["code"]))
        return str(seeking["code"])

    def test_what_has_happened(self) -> None:
        self.begin()
        client = self.look()
        self.ann.send(act("ox c1 c2"))
        self.pass_time(LIST_IDLE)
        [told] = self.ask(client, do="history", table=1)
        self.assertEqual([one["n"] for one in told["events"]], [1, 2])
        for player in (self.ann, self.bob):
            player.drop()
        self.pass_time(LIST_IDLE)
        self.assertEqual(self.ask(client, do="history", table=1), [{"is": "sorry", "why": NO_RECORD}])
        self.matched(self.first)
        ends = self.first.connect("open")
        ends.send(line(do="enter", name="carl") + line(do="seek", game="onitama"))
        other = self.first.connect("open")
        other.send(line(do="enter", name="dora") + line(do="seek", game="onitama"))
        ends.send(line(do="leave"))
        [told] = self.ask(client, do="history", table=max(self.first.journal.openings))
        self.assertEqual(told["n"], 2)

    def test_nothing_can_be_added_by_looking(self) -> None:
        self.begin()
        loads: list[TableId] = []
        journal: Any = self.leader.journal
        journal.load, journal.read = lambda table, loaded: loads.append(table), self.first.journal.load
        self.assertEqual(self.ask(self.look(), do="history", table=1)[0]["n"], 1)
        self.assertEqual(loads, [])


class ConsoleTests(ClusterCase):
    def test_a_match_is_watched(self) -> None:
        self.begin()
        client = self.leader.connect("console")
        self.assertIn("1 table, ", "\n".join(client.heard()))
        client.say("tables")
        self.assertIn("ann, bob", "\n".join(client.heard()))
        client.say("watch 1")
        self.pass_time()
        told = "\n".join(client.heard())
        self.assertIn("You watch match 1: Onitama, ann against bob.", told)
        self.assertIn("Another host of the cluster plays this match. It is not known here who is away.", told)
        self.ann.send(act("ox c1 c2"))
        self.pass_time()
        self.assertIn("ann", "\n".join(client.heard()))


class WebTests(ClusterCase):
    def test_the_interface(self) -> None:
        self.begin()
        web = WebHost(self.leader)
        self.ann.send(act("ox c1 c2"))
        self.pass_time(LIST_IDLE)
        answers = []
        for path in ("/api/tables", "/api/tables/1", "/api/tables/1/history"):
            client = web.connect()
            client.send(f"GET {path} HTTP/1.1\r\nHost: 192.0.2.254:8080\r\n\r\n".encode())
            self.pass_time(EVERY)
            [response] = client.responses()
            answers.append(json.decode(response.body))
        board, shown, history = answers
        self.assertEqual([(row["table"], row["moves"]) for row in board["tables"]], [(1, 2)])
        self.assertEqual((shown["n"], shown["presence"], history["n"]), (2, False, 2))


class LaterTests(OpenCase):
    def test_lists_tell_nothing_earlier(self) -> None:
        """On the open wire, on the console and over HTTP: neither whose turn it is, nor how many moves were played."""
        host = MemoryHost(DEAL | {"onitama.watch_delay": "5"}, wires=(OPEN, CONSOLE))
        ann, _, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        looking, web = host.connect("open"), WebHost(host)
        rows = [*self.ask(looking, do="lobby")[0]["tables"]]
        reader = web.connect()
        reader.send(request("/api/tables"))
        host.wait(EVERY)
        rows += json.decode(reader.responses()[0].body)["tables"]
        self.assertEqual([(row["names"], row["turn"], row["moves"]) for row in rows], [(["ann", "bob"], [], 0)] * 2)
        console = host.connect("console")
        self.assertIn("  1  Onitama       ann, bob", "\n".join(console.ask("tables")))
        for _ in range(round(6 / EVERY)):
            host.wait(EVERY)
        [told] = self.told(looking)
        self.assertEqual((told["is"], told["turn"], told["moves"]), ("table", [1], 2))


class MembersTests(OpenCase):
    def log_in(self, host: MemberHost, name: str) -> Client:
        client = host.connect()
        client.say(f"LOGIN|{name}")
        self.world.wait(0.3)
        return client

    def begin(self, members: int) -> None:
        self.world = World(members, settings=DEAL)
        self.ann, self.bob = (self.log_in(self.world.hosts[-1], name) for name in ("ann", "bob"))
        self.assertEqual([len(host.lobby.tables) for host in self.world.hosts], [0] * (members - 1) + [1])
        self.world.wait(LIST_IDLE)
        self.watcher = self.world.hosts[-1].connect("open")

    def say(self, client: Client, **message: Any) -> list[dict[str, Any]]:
        client.send(line(**message))
        self.world.wait(0.5)
        return self.told(client)

    def play(self, client: Client, move: str) -> list[tuple[str, Any]]:
        client.say(f"MAKE_MOVE|{move}")
        self.world.wait(0.5)
        return [(one["is"], one["n"]) for one in self.told(self.watcher)]

    def test_a_match_of_another_member(self) -> None:
        self.begin(2)
        leader, member = self.world.hosts
        self.watcher = leader.connect("open")
        [shown] = self.say(self.watcher, do="watch", table=1)
        self.assertEqual((shown["is"], shown["n"], shown["presence"]), ("shown", 1, False))
        self.assertEqual(self.play(self.ann, "ox|c1|c2"), [("event", 2)])
        member.kill()
        self.world.wait(1)
        bob = self.log_in(leader, "bob")
        self.assertEqual(self.play(bob, "crab|a5|a4"), [("away", 2), ("event", 3)])
        ann = self.log_in(leader, "ann")
        self.assertEqual(self.play(ann, "tiger|c2|c4"), [("back", 3), ("event", 4)])

    def test_another_leader(self) -> None:
        self.begin(3)
        first, second, _ = self.world.hosts
        [shown] = self.say(self.watcher, do="watch", table=1)
        self.assertEqual(shown["is"], "shown")
        first.kill()
        self.world.wait(LIST_IDLE + 1)
        self.watcher = second.connect("open")
        [shown] = self.say(self.watcher, do="watch", table=1)
        self.assertEqual((shown["is"], shown["presence"]), ("shown", False))
        self.assertEqual(self.play(self.ann, "ox|c1|c2"), [("event", 2)])


del OpenCase, ClusterCase


class DirectoryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost()
        self.directory = self.host.lobby.directory

    def enter(self, name: str, **seek: object) -> None:
        client = self.host.connect("open")
        client.send(line(do="enter", name=name) + (line(do="seek", **seek) if seek else b""))

    def test_people_and_tables(self) -> None:
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
            [PlayedTable(TableId(1), "onitama", ("bob", "ann"), ("open", "open"), 0)],
        )
        self.assertEqual(self.directory.counts(), Counts(1, 4, 1))
        self.assertEqual(self.directory.waiting()["stratego"].names, ("carl",))

    def test_private_matches_are_not_shown(self) -> None:
        session = self.host.lobby.enter("ann", "open", "192.0.2.1", self.host.connect("open").protocol.conversation)  # type: ignore[arg-type]
        queue = Queue(GAMES["onitama"])
        opened = self.host.lobby.open_table(session, queue, 2, {"code": "K7"})
        self.enter("bob")
        client = self.host.connect("open")
        client.send(line(do="enter", name="carl") + line(do="join", table=opened.table, code="K7"))
        self.assertEqual(self.directory.tables(), [])
        self.assertEqual(self.directory.people()[0], Person("ann", "open", False, "onitama", None))
        self.assertEqual(self.directory.counts().tables, 1)

    def test_names_of_guests(self) -> None:
        talk = self.host.connect("open").protocol.conversation
        self.host.lobby.enter("guest.2", "open", "192.0.2.1", talk, given=True)  # type: ignore[arg-type]
        self.assertEqual([self.directory.new_guest() for _ in range(2)], ["guest.1", "guest.3"])


class KeptTableTests(SynchronousTestCase):
    def begun(self) -> tuple[MemoryHost, Session]:
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
        return host.lobby.enter("ann", "eriantys", "192.0.2.1", host.connect("eriantys").protocol.conversation)  # type: ignore[arg-type]

    def test_a_kept_seat(self) -> None:
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
        host = MemoryHost()
        self.assertIsNone(host.lobby.directory.kept_table(self.entered(host)))


class AloneTests(SynchronousTestCase):
    def test_nothing_is_asked(self) -> None:
        host = MemoryHost(wires=(TOY_WIRE,))
        tables = host.lobby.directory.played
        tables.look()
        self.assertEqual((len(tables), tables.newest(9), host.clock.getDelayedCalls()), (0, [], []))
        host.come("ann", "bob")
        own = host.lobby.tables[TableId(1)]
        self.assertEqual((len(tables), tables.newest(9), tables.get(own.id)), (1, [own], own))
        tables.halt()
        tables.follow({TOY.name: TOY})
        self.assertEqual(host.clock.getDelayedCalls(), [], "the host has stopped")
