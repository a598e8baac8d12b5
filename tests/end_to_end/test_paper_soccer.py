"""The XML wire over real sockets: what a stranger with netcat sees, and what the documentation's bot does."""

import random
import signal
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.paper_soccer.rules import Point, Position
from tests.end_to_end.test_onitama import BotCase, bot
from tests.kit import fork_server
from tests.kit.games.paper_soccer import as_move, recorded
from tests.kit.process import HostProcess, Socket
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    DECLARATION,
    SHUTDOWN,
    SPELLINGS,
    left,
    login,
    message,
    move,
    over,
    spelled,
    state,
    thanks,
)

WIRE = "paper-soccer"


def first_mover(clients: dict[str, Socket]) -> str:
    """Who moves first: all hear the first game state, which says so."""
    states = {client.hear() for client in clients.values()}
    assert len(states) == 1, states
    begin = states.pop()
    return next(nick for nick in clients if f'<nextPlayer nick="{nick}"/>' in begin)


def game(number: int) -> list[tuple[Point, ...]]:
    """The moves of a recorded game."""
    return [as_move(played) for played in recorded("paper_soccer_games.jsonl")[number]["moves"]]


def other(nick: str) -> str:
    """The opponent."""
    return {"ann": "bob", "bob": "ann"}[nick]


class StoreCase(SynchronousTestCase):
    """A folder with a store in it, a host that keeps it, and the command that looks into it."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self) -> HostProcess:
        return HostProcess(wires=[WIRE], folder=self.folder, store="store.sqlite")

    def journal(self, *words: str, status: int = 0) -> tuple[str, str]:
        """What `gamehost journal` says of the store, on standard output and beside."""
        done = fork_server.run("gamehost", "journal", *words, "--store", str(self.folder / "store.sqlite"))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr


class PaperSoccerOverSocketsTests(StoreCase):
    """Whole games, and a stop."""

    def test_the_bot_knows_the_pitch(self) -> None:
        """An illegal move would end a game as well; so the bot's steps are those of the rules, in whole games."""
        steps = bot("paper_soccer").steps
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            position = Position()
            way: list[Point] = [position.ball]
            for point in (point for played in game["moves"] for point in as_move(played)):
                self.assertEqual(sorted(steps(way)), sorted(position.steps()))
                way.append(point)
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
            self.assertIn(">illegal move: no step from (0, 0) to (0, 2)", clients[first].hear())
            ends = {client.hear() for client in clients.values()}
            self.assertEqual(len(ends), 1)
            self.assertIn(f'<player nick="{first}" result="loser"/></gameOver><gameState/>', ends.pop())


class PaperSoccerBotTests(BotCase):
    """The bot of the Paper Soccer page."""

    wire = WIRE

    def test_they_play_on_after_a_kill_of_the_host(self) -> None:
        """Three games: they agree on who won, and nobody lost by an illegal move."""
        ann, bob = self.play_over_a_kill("paper_soccer", "moves first")
        self.assertFalse([line for line in ann.lines + bob.lines if "illegal move" in line])


class SpellingsOverSocketsTests(SynchronousTestCase):
    """Whole games, however they are written."""

    def play(self, host: HostProcess, spelling: str, table: int, front: str = "") -> None:
        """A recorded game: with `front` before each line both hear every move, and the end."""
        rng = random.Random(spelling)
        clients = {nick: host.connect(WIRE) for nick in ("ann", "bob")}
        for nick, client in clients.items():
            client.say(login(nick))
            self.assertEqual(client.hear(), front + ACCEPTED)
        first = first_mover(clients)
        nicks = (first, other(first))
        *moves, last = game(3)
        for number, drawn in enumerate(moves):
            clients[nicks[number % 2]].socket.sendall(spelled(spelling, drawn, rng, table).encode())
            expected = front + state(nicks[1 - number % 2], *drawn, game=table)
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected], spelling)
        mover = clients[nicks[len(moves) % 2]]
        mover.socket.sendall((spelled(spelling, last, rng, table) + thanks(table) + message("logout")).encode())
        ends = {client.hear() for client in clients.values()}
        self.assertIn(ends, [{front + over(nick, other(nick), *last, game=table)} for nick in nicks])
        clients[nicks[1 - len(moves) % 2]].socket.sendall((thanks(table) + message("logout")).encode())
        for client in clients.values():
            self.wait_for_the_answer(client, front)
            client.close()

    def wait_for_the_answer(self, client: Socket, front: str) -> None:
        """Everything that a client said has been heard by the host once it refuses this: the nicks are free."""
        client.say("<hello/>")
        self.assertTrue(client.hear().startswith(front + '<message type="error">'))

    def test_games_with_and_without_declaration(self) -> None:
        """With the envelope, bare, mixed, joined, one game after the other."""
        for options, front in (((), ""), (("--declaration",), DECLARATION)):
            with HostProcess(*options, wires=[WIRE]) as host:
                for table, spelling in enumerate((*SPELLINGS, "mixed"), 1):
                    self.play(host, spelling, table, front)
            self.assertNotIn("Traceback", host.log)


class RestartOverSocketsTests(StoreCase):
    """A game whose host is killed, and what its journal holds afterwards."""

    def enter(self, host: HostProcess, nicks: Sequence[str]) -> dict[str, Socket]:
        """Connections that have logged in, one after the other."""
        clients = {nick: host.connect(WIRE) for nick in nicks}
        for nick, client in clients.items():
            client.say(login(nick))
            self.assertEqual(client.hear(), ACCEPTED)
        return clients

    def play(self, clients: dict[str, Socket], first: str, moves: Sequence[tuple[Point, ...]], done: int = 0) -> None:
        """Some moves, after so many; every one is heard by both."""
        for number, drawn in enumerate(moves, done):
            mover = first if number % 2 == 0 else other(first)
            clients[mover].say(move(*drawn))
            expected = state(other(mover), *drawn)
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected])

    def test_killed_in_mid_game_and_on_to_the_end(self) -> None:
        """kill -9: both find every point, the game goes on to its own goal, and the journal tells and draws it."""
        moves = game(0)
        with self.host() as host:
            clients = self.enter(host, ("ann", "bob"))
            first = first_mover(clients)
            self.play(clients, first, moves[:4])
            host.kill()
            self.assertEqual([client.hear() for client in clients.values()], ["", ""])
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)
            clients = self.enter(host, ("ann", "bob"))
            so_far = state(first, *(point for drawn in moves[:4] for point in drawn))
            self.assertEqual([client.hear() for client in clients.values()], [so_far, so_far])
            self.assertEqual(clients["ann"].hear(), left("bob"))
            self.play(clients, first, moves[4:-1], done=4)
            clients[first].say(move(*moves[-1]))
            expected = over(other(first), first, *moves[-1])
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected])
            host.stop()
        self.look(moves, first)

    def look(self, moves: Sequence[tuple[Point, ...]], first: str) -> None:
        """The game as the journal has it."""
        ending = f"{other(first)} won (rules): own goal"
        self.assertIn(ending, self.journal("list")[0])
        shown = self.journal("show", "1")[0]
        for drawn in moves:
            self.assertIn(f"  {' '.join(f'{x},{y}' for x, y in drawn)}\n", shown.replace("  => ", "\n"))
        self.assertIn("no faults", self.journal("verify")[0])
        picture = self.journal("draw", "1")[0]
        told = [title.text or "" for title in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}title")]
        numbered = [title for title in told if title[0].isdigit()]
        self.assertEqual(len(numbered), len(moves))
        self.assertTrue(numbered[0].startswith(f"1. {first}: "))
        self.assertIn(f">{other(first)} won: own goal.</text>", picture)
        self.journal("draw", "1", "--output", str(self.folder / "game.svg"))
        self.assertEqual((self.folder / "game.svg").read_text("utf-8"), picture)
        self.assertIn("there is no table 2", self.journal("draw", "2", status=1)[1])
