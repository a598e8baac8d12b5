"""The rate of accepted moves, of a connection and of an address: it slows clients down, and refuses nothing."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import MemoryHost


class QuickTable:
    """Two bots that play each other; each moves as soon as it is its turn."""

    def __init__(self, world: MemoryHost, name: str, address: str) -> None:
        self.players = [world.connect("toy", address) for _ in range(2)]
        self.moves = 0
        for seat, player in enumerate(self.players):
            player.say(f"hi {name}{seat}")
        for player in self.players:
            player.heard()
        self.send()

    def send(self) -> None:
        """The player whose turn it is moves."""
        self.players[self.moves % 2].transport.receive(b"+2\n")

    def play(self, most: int = 1_000) -> int:
        """Move until a move is not answered; the number of moves that were."""
        before = self.moves
        while self.moves - before < most:
            both = [player.heard() for player in self.players]
            if not any(line.startswith("count") for line in both[self.moves % 2]):
                break
            self.moves += 1
            self.send()
        return self.moves - before

    @property
    def closed(self) -> bool:
        return any(player.closed for player in self.players)


class MoveRateTests(SynchronousTestCase):
    """Bots that move at once when they are told of a move."""

    def host(self, **limits: str) -> MemoryHost:
        settings = {"moves_per_second": "20", "moves_per_second_per_address": "200", **limits}
        return MemoryHost(
            {"toy.goal": "1000000", **{f"limits.{name}": text for name, text in settings.items()}}, wires=(TOY_WIRE,)
        )

    def test_a_connection_is_slowed_down(self) -> None:
        """A hundred moves of each player at once, then twenty a second; nothing is refused."""
        world = self.host()
        table = QuickTable(world, "bot", "192.0.2.1")
        self.assertTrue(200 <= table.play() <= 202)
        begun = table.moves
        for _ in range(1_000):
            world.wait(0.01)
            table.play()
        self.assertTrue(390 <= table.moves - begun <= 402, table.moves - begun)
        self.assertFalse(table.closed)

    def test_moves_of_one_segment_are_slowed_down(self) -> None:
        """What a player sends ahead is heard later, in order, also if it came in one segment with an accepted move."""
        world = self.host(moves_per_second="0.2")
        table = QuickTable(world, "bot", "192.0.2.1")
        ann, bob = table.players
        ann.heard()
        bob.say("+1")
        ann.heard()
        ann.transport.receive(b"+1\nsay 3\nsay 4\n")
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], [])
        world.wait(4.9)
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], [])
        world.wait(0.2)
        self.assertEqual([line for line in ann.heard() if line.startswith("x")], ["xx", "xxx"])

    def test_an_address_is_slowed_down_and_others_are_not(self) -> None:
        """Thirty-one tables of one address share its rate; a table elsewhere is answered at once, move by move."""
        world = self.host(new_burst="64")
        quick = [QuickTable(world, f"bot{number}x", "192.0.2.1") for number in range(31)]
        honest = QuickTable(world, "ann", "198.51.100.7")
        for table in quick:
            table.play()
        begun = sum(table.moves for table in quick)
        self.assertTrue(1_000 <= begun <= 1_062, begun)
        for tick in range(1_000):
            world.wait(0.01)
            for table in quick:
                table.play()
            if tick % 25 == 0:
                self.assertEqual(honest.play(most=1), 1)
        moves = sum(table.moves for table in quick) - begun
        self.assertTrue(1_950 <= moves <= 2_050, moves)
        self.assertFalse(any(table.closed for table in quick))

    def test_unlimited_lifts_the_rates(self) -> None:
        """For benchmarks."""
        table = QuickTable(self.host(unlimited="yes"), "bot", "192.0.2.1")
        self.assertEqual(table.play(5_000), 5_000)

    def test_a_paused_connection_that_is_lost_leaves_nothing(self) -> None:
        """Its pause ends with it."""
        world = self.host(moves_per_second="0.2")
        table = QuickTable(world, "bot", "192.0.2.1")
        table.play()
        self.assertTrue(all(player.protocol.deadlines for player in table.players))
        for player in table.players:
            player.drop()
        self.assertEqual(world.context.limiter.count, 0)
        self.assertFalse(any(player.protocol.deadlines for player in table.players))
