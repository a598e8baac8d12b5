"""The XML wire when more goes on than one game: stops, restarts, slow journals, strict mode, and games at random."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.paper_soccer.position import Position
from gamehost.journal.records import TableId
from gamehost.testing.cases import PropertyCase
from gamehost.wires.paper_soccer.conversation import State
from tests.kit.games.paper_soccer_walks import random_move
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    SHUTDOWN,
    TOO_FAR,
    WIRE,
    Table,
    error,
    leave,
    left,
    login,
    move,
    over,
    parse,
    points,
    refused,
    state,
    thanks,
)


class HostTests(PropertyCase):
    """Stops, restarts, and a journal that takes its time."""

    def test_a_stop_is_said_to_all(self) -> None:
        """In whatever state, serverShutdown is the last word; nobody forfeits by it."""
        table = Table()
        waiting, outside = table.come("cid"), table.world.connect(WIRE)
        waiting.heard()
        table.world.lobby.close()
        table.world.factories[WIRE].close("the host is stopping")
        for client in (table.ann, table.bob, waiting, outside):
            self.assertEqual(client.heard(), [SHUTDOWN])
        table.world.wait(100)
        self.assertTrue(all(client.closed for client in (table.ann, table.bob, waiting, outside)))
        self.assertEqual([entry.outcome for entry in table.world.journal.entries[TableId(1)]], [""])

    def test_other_farewells_are_errors(self) -> None:
        """A deadline is not a stop."""
        world = MemoryHost()
        client = world.connect(WIRE)
        world.wait(10)
        self.assertEqual(client.heard(), [error("not logged in within 10 s")])

    def test_restart(self) -> None:
        """A new life of the host goes on where the last one ended, and both are told all points so far."""
        first = Table()
        first.ann.say(move((0, 1)))
        first.bob.say(move((-1, 0)))
        second = MemoryHost(journal=first.world.journal.restarted())
        ann, bob = second.connect(WIRE), second.connect(WIRE)
        self.assertEqual(ann.ask(login("ann")), [ACCEPTED, state("ann", (0, 1), (-1, 0)), left("bob")])
        self.assertEqual(bob.ask(login("bob")), [ACCEPTED, state("ann", (0, 1), (-1, 0))])
        self.assertEqual(ann.ask(move((0, 0), (1, 1))), [state("bob", (0, 0), (1, 1))])

    def test_nothing_is_said_before_it_is_durable(self) -> None:
        """Neither the first game state, nor a move, nor an end; a refusal does not overtake."""
        journal = RecordingJournal(late=True)
        table = Table(journal=journal)
        self.assertEqual((table.ann.heard(), table.ann.state), ([], State.WAITING))
        journal.release()
        self.assertEqual(table.both(), [state("ann")])
        table.ann.say(move((0, 1)), move((0, 2)))
        table.bob.say(move((1, 3)))
        self.assertEqual(table.both(), [])
        journal.release(1)
        self.assertEqual(table.bob.heard(), [state("bob", (0, 1))])
        self.assertEqual(table.ann.heard(), [state("bob", (0, 1)), error("it is the other player's turn")])
        journal.release()
        self.assertEqual(table.illegal(table.bob), [over("ann", "bob")])

    def test_back_before_the_end_is_durable(self) -> None:
        """Who comes back while a game ends hears its end, and is free to play again."""
        journal = RecordingJournal(late=True)
        table = Table(journal=journal)
        journal.release()
        table.hush()
        table.bob.drop()
        table.ann.say(move((0, 2)))
        bob = table.come("bob")
        self.assertEqual(bob.heard(), [ACCEPTED])
        journal.release()
        self.assertEqual(table.ann.heard(), [left("bob"), error(TOO_FAR), over("bob", "ann")])
        self.assertEqual(bob.heard(), [over("bob", "ann")])
        self.assertEqual(bob.ask(thanks(), login("bob")), [ACCEPTED])

    def test_left_before_it_is_durable(self) -> None:
        """Who leaves is free at once; the other one is told when it is safe."""
        journal = RecordingJournal(late=True)
        table = Table(journal=journal)
        journal.release()
        table.hush()
        self.assertEqual(table.ann.ask(leave()), [])
        self.assertEqual(table.bob.heard(), [])
        self.assertEqual(table.ann.ask(login("eve")), [ACCEPTED])
        journal.release()
        self.assertEqual(table.bob.heard(), [left("ann"), over("bob", "ann")])

    def test_a_suspended_table_is_told(self) -> None:
        """A fault of the host ends no game silently."""
        table = Table()
        master: Any = table.world.lobby.tables[TableId(1)]._master
        del master._points
        table.ann.say(move((0, 1)))
        self.assertIn("suspended", table.both()[0])
        self.assertEqual(len(self.flushLoggedErrors(AttributeError)), 1)


class StrictTests(PropertyCase):
    """Documented messages only."""

    def test_nothing_but_the_document(self) -> None:
        """No texts, no bare moves, no message without its game's id, no playerLeftGame, no points on a return."""
        table = Table(strict=True)
        nothing = '<message type="error"/>'
        for said in (points((0, 1)), move((0, 1), game=None), leave(None), move((0, 1), game=2), "<hello/>", thanks()):
            self.assertEqual(table.ann.ask(said), [nothing], said)
        self.assertEqual(table.bob.ask(move((0, 1))), [nothing])
        self.assertEqual(table.ann.ask(move((0, 1))), [state("bob", (0, 1))])
        table.ann.drop()
        table.hush()
        self.assertEqual(table.come("ann").heard(), [ACCEPTED, state("bob")])
        self.assertEqual(table.bob.ask(move((0, 2))), [state("ann", (0, 2))])
        table.world.wait(1)
        self.assertEqual(table.bob.ask("hello"), [nothing])

    def test_the_end(self) -> None:
        """Thanks need their game's id, too."""
        table = Table(strict=True)
        table.ann.say(leave())
        self.assertEqual(table.bob.heard(), [over("bob", "ann")])
        self.assertEqual(table.bob.ask(thanks(None)), ['<message type="error"/>'])
        self.assertEqual(table.bob.ask(thanks()), [])

    def test_no_reasons_and_no_help(self) -> None:
        """An illegal move, a refused log-in, a late move and a call for help are answered as the document has it."""
        nothing = '<message type="error"/>'
        table = Table(strict=True)
        self.assertEqual(table.ann.ask(move((0, 2))), [over("bob", "ann")])
        self.assertEqual(table.ann.ask(move((0, 1))), [nothing])
        other = table.world.connect(WIRE)
        self.assertEqual(other.ask(login("bob"), login("cid", "chess")), [refused(1, ""), refused(2, "")])
        self.assertEqual(len(other.ask("<point x='0' y='1'/><pt/>")), 2)
        for opening in (b"h", b"G", b"{", b"\x16"):
            other = table.world.connect(WIRE)
            other.send(opening)
            self.assertEqual((other.heard(), other.transport.disconnecting or other.closed), ([nothing], True), opening)

    def test_a_stop(self) -> None:
        """The word for a stop is the document's."""
        table = Table(strict=True)
        table.world.factories[WIRE].close("the host is stopping")
        self.assertEqual(table.both(), [SHUTDOWN])


class RandomGamesTests(PropertyCase):
    """Games at random."""

    @given(st.randoms(use_true_random=False), st.booleans(), st.booleans())
    def test_drop_and_return_at_any_moment(self, rng: random.Random, late: bool, restarts: bool) -> None:
        """Whoever drops whenever, and whatever the host goes through: nobody misses a point or hears one twice."""
        table = Table(journal=RecordingJournal())
        table.world.journal.late = late
        world, clients, position = table.world, {"ann": table.ann, "bob": table.bob}, Position()
        #: What each client has on its board.
        boards: dict[str, list[tuple[int, int]]] = {"ann": [], "bob": []}
        played: list[tuple[int, int]] = []
        while position.ending is None:
            nick = ("ann", "bob")[position.turn]
            points = random_move(position, rng)
            position = position.after(points)
            clients[nick].say(move(*points))
            if rng.random() < 0.3 and position.ending is None:
                gone = rng.choice(("ann", "bob"))
                clients[gone].drop()
                world.wait(rng.choice((0, 1, 59)))
                clients[gone] = world.connect(WIRE)
                clients[gone].say(login(gone))
                boards[gone].clear()
            world.journal.release()
            played += points
            if restarts and rng.random() < 0.1 and position.ending is None:
                world = MemoryHost(journal=world.journal.restarted())
                world.journal.late = late
                clients = {nick: world.connect(WIRE) for nick in clients}
                for nick, client in clients.items():
                    client.say(login(nick))
                    world.journal.release()  # the table is loaded through the journal
                    boards[nick].clear()
            for nick, client in clients.items():
                self.draw(boards[nick], client)
                self.assertEqual(boards[nick], played)
        self.assertEqual({client.state for client in clients.values()}, {State.OVER})

    def draw(self, board: list[tuple[int, int]], client: Client) -> None:
        """Put on a client's board what it hears; an end must be one that the rules made."""
        for line in client.heard():
            said: Any = parse(line.encode() + b"\n")
            board.extend(getattr(said, "points", ()))
