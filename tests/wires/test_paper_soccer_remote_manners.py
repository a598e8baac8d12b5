"""How remote games are written for programs that differ from the document, and how many messages and bytes count."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.wires.paper_soccer_talk import DECLARATION, login, message
from tests.kit.wires.remote_talk import ACCEPTED, World, begin, element, master_login, move, over, state, thanks


class WritingTests(SynchronousTestCase):
    """What is sent, byte by byte."""

    def test_no_line_ends(self) -> None:
        """Some programs take a line end for the beginning of the next message."""
        world = World({"paper-soccer.line_ends": "no"})
        client = world.connect()
        client.say(master_login())
        self.assertEqual(client.transport.read(), ACCEPTED.encode())
        client.say(login("ann"))
        self.assertTrue(client.transport.read().endswith(b"</message>"))

    def test_declarations(self) -> None:
        """In front of each message, for masters and players."""
        world = World({"paper-soccer.declaration": "yes"})
        client = world.connect()
        self.assertEqual(client.ask(DECLARATION + master_login()), [DECLARATION + ACCEPTED])

    def test_one_game(self) -> None:
        """A master that takes a segment for a message gets one game, and time between its messages."""
        world = World({"paper-soccer.one_game": "nim", "paper-soccer.types": "nim"})
        for name in ("a1", "b2", "c3", "d4"):
            world.player(name)
        master = world.connect()
        self.assertEqual(master.ask(master_login()), [ACCEPTED])
        world.host.wait(0.1)
        self.assertEqual(master.heard(), [begin(1, "a1", "b2")])
        master.say(over(1, {"a1": True, "b2": False}))
        world.host.wait(0.1)
        self.assertEqual(master.heard(), [begin(2, "c3", "d4")])

    def test_nothing_of_a_content_is_written_otherwise(self) -> None:
        """References, quotes, line ends and spaces go through."""
        for content in ("&#65;&amp;", "<a b='\"'/>", "\r\n\t ", "<x:a xmlns:x='u' x:b=\"1\" />", "<a></a>"):
            master, (ann, bob) = World().game("ann", "bob")
            ann.say(move(1, content))
            self.assertEqual(master.transport.read().decode(), move(1, content) + "\n")
            master.say(state(1, "bob", content))
            for client in (ann, bob):
                self.assertEqual(client.transport.read().decode(), state(1, "bob", content) + "\n")


class RateTests(SynchronousTestCase):
    """What counts towards the rates of a connection."""

    def world(self, **limits: str) -> World:
        return World({"limits.unlimited": "no", **{f"limits.{name}": text for name, text in limits.items()}})

    def test_states_that_are_owed_do_not_count(self) -> None:
        """A master of many games is not too fast for the host."""
        world = self.world(messages_burst="10")
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(100):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other))
        self.assertEqual(len(ann.heard()), 100)
        self.assertFalse(master.closed)

    def test_long_states_pause_a_master(self) -> None:
        """Their bytes count. A master is not cut off for the moves of its players: it is read more slowly."""
        world = self.world(bytes_burst="40000")
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(30):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other, "x" * 15_000))
            world.host.wait(1)
            ann.heard(), bob.heard()
        self.assertFalse(master.transport.disconnecting or master.closed)
        self.assertGreater(master.protocol.input._bytes.missing, 0)

    def test_an_address_has_a_budget_of_the_journal(self) -> None:
        """Above it, what comes from there is read more slowly; nobody is cut off."""
        world = self.world(journal_bytes_per_second_per_address="1000", remote_bytes="100000000")
        master, (ann, bob) = world.game("ann", "bob")
        told = 0
        for number in range(200):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other, "y" * 5_000))
            told += sum(line.count("y") for line in ann.heard())
            bob.heard()
            world.host.wait(1)
        self.assertGreater(told, 200_000)
        self.assertLessEqual(told, 64_000 + 200 * 1_000 + 5_000)
        self.assertFalse(master.closed or ann.closed)
        limiter = world.host.context.limiter
        self.assertIs(master.protocol.input._address_journal, limiter.journal_of("192.0.2.200"))

    def test_states_unasked_count(self) -> None:
        """A master that floods its players is cut off, and its games wait for another one."""
        world = self.world(messages_burst="10")
        master, (ann, _) = world.game("ann", "bob")
        for _ in range(12):
            master.say(state(1, "ann"))
        world.host.wait(3)
        self.assertTrue(master.closed)
        self.assertEqual(len(ann.heard()), 9)
        self.assertEqual(world.master().heard(), [begin("1.2", "ann", "bob")])

    def test_thanks_do_not_count(self) -> None:
        """A player of many short games is not too fast."""
        world = self.world(messages_burst="5")
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(1, 30):
            master.say(over(number, {"ann": True, "bob": False}))
            ann.say(thanks(number))
            bob.say(thanks(number))
        self.assertFalse(ann.closed or bob.closed)
        ann.say(*[message("error")] * 6)
        world.host.wait(3)
        self.assertTrue(ann.closed)

    def test_a_master_that_does_not_read(self) -> None:
        """It is cut off like anyone, and its games wait for another one."""
        world = self.world(queue_bytes="1024")
        master, players = world.game("ann", "bob")
        master.transport.reads = False
        for number in range(60):
            players[number % 2].say(move(1, element("x", "y" * 3_000)))
            master.say(state(1, ("bob", "ann")[number % 2]))
            for player in players:
                player.heard()
        world.host.wait(13)
        self.assertTrue(master.closed)
        self.assertEqual(world.master().heard(), [begin("1.2", "ann", "bob")])
