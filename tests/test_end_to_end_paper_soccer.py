"""The XML wire over real sockets: what a stranger with netcat sees, and what the documentation's bot does."""

import signal
from concurrent.futures import ThreadPoolExecutor

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.paper_soccer.pitch import Point
from gamehost.games.paper_soccer.position import Position
from tests.games.paper_soccer_walks import as_move, recorded
from tests.process import HostProcess, Socket
from tests.test_end_to_end_onitama import bot
from tests.wires.paper_soccer_xml_talk import ACCEPTED, SHUTDOWN, login, move

WIRE = "paper-soccer"


def first_mover(clients: dict[str, Socket]) -> str:
    """Who moves first: all hear the first game state, which says so."""
    states = {client.hear() for client in clients.values()}
    assert len(states) == 1, states
    state = states.pop()
    return next(nick for nick in clients if f'<nextPlayer nick="{nick}"/>' in state)


class PaperSoccerOverSocketsTests(SynchronousTestCase):
    """Whole games, and a stop."""

    def test_the_documentation_s_bots_play_to_the_end(self) -> None:
        """Two of them, three times: all their moves are legal, and they agree on who won."""
        play = bot("paper_soccer").play
        with HostProcess(wires=[WIRE]) as host, ThreadPoolExecutor(2) as pool:
            for _ in range(3):
                games = [pool.submit(play, nick, "127.0.0.1", host.ports[WIRE]) for nick in ("ann", "bob")]
                first, second = (game.result(60) for game in games)
                self.assertEqual(first, second)
                self.assertIn(first, ("ann", "bob"))
        self.assertNotIn("Traceback", host.log)

    def test_the_bot_knows_the_pitch(self) -> None:
        """An illegal move would end a game as well; so the bot's steps are those of the rules, in whole games."""
        steps = bot("paper_soccer").steps
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            position = Position()
            drawn: set[frozenset[Point]] = set()
            for point in (point for played in game["moves"] for point in as_move(played)):
                self.assertEqual(sorted(steps(position.ball, drawn)), sorted(position.steps()))
                drawn.add(frozenset((position.ball, point)))
                position = position.step(point)

    def test_a_stop_is_said(self) -> None:
        """SIGTERM: everyone hears serverShutdown, those who play and those who wait, and the host is gone soon."""
        with HostProcess(wires=[WIRE]) as host:
            clients = [host.connect(WIRE) for _ in range(4)]
            for nick, client in zip(("ann", "bob", "cid"), clients, strict=False):
                client.say(login(nick))
                self.assertEqual(client.hear(), ACCEPTED)
            for client in clients[:2]:
                self.assertIn("gameState", client.hear())
            status, seconds = host.stop()
            self.assertIn(status, (0, -signal.SIGTERM))
            self.assertLess(seconds, 5)
            for client in clients:
                self.assertEqual([client.hear(), client.hear()], [SHUTDOWN, ""])
        self.assertNotIn("Traceback", host.log)

    def test_an_illegal_move_loses(self) -> None:
        """Over a real socket, in pieces: the state goes to both, and the mover is the loser."""
        with HostProcess(wires=[WIRE]) as host:
            clients = {nick: host.connect(WIRE) for nick in ("ann", "bob")}
            for nick, client in clients.items():
                client.say(login(nick))
                self.assertEqual(client.hear(), ACCEPTED)
            first = first_mover(clients)
            for byte in move((0, 2), game=None).encode():
                clients[first].socket.sendall(bytes([byte]))
            ends = {client.hear() for client in clients.values()}
            self.assertEqual(len(ends), 1)
            self.assertIn(f'<player nick="{first}" result="loser"/></gameOver><gameState/>', ends.pop())
