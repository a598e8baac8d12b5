"""Stratego as ASCII lines over real sockets: a host with a store, people and bots, a kill and a return."""

import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.bots import PATIENCE, Bots, play_through_a_kill, winners
from tests.kit.process import ROOT, HostProcess, Socket
from tests.kit.transcript import HOME, Hears, Says, Transcript
from tests.kit.wires.stratego_lines_table import BLUE, RED, WIRE

BOT = ROOT / "docs" / "bots" / "stratego_lines_bot.py"
CANARY = "canary-4711"
GAMES = 2


def bot(name: str, port: str, password: str = "secret") -> list[str]:
    """The command of the documentation's bot."""
    return [sys.executable, str(BOT), name, password, "--port", port, "--games", str(GAMES)]


class LinesOverSocketsTests(SynchronousTestCase):
    """Whole games."""

    def log_in(self, host: HostProcess, name: str) -> Socket:
        """A connection, up to its auth-ok."""
        client = host.connect(WIRE)
        self.assertEqual(client.hear(), "auth-req")
        client.say(name, CANARY)
        self.assertEqual(client.hear(), "auth-ok")
        self.addCleanup(client.close)
        return client

    def test_the_first_game_to_its_end_and_a_second_one(self) -> None:
        """The transcript of the documentation, line for line."""
        transcript = Transcript.read(HOME / WIRE / "first-game.txt")
        with HostProcess(wires=[WIRE]) as host:
            clients: dict[int, Socket] = {}
            for step in transcript.steps:
                assert isinstance(step, Says | Hears)
                if step.number not in clients:
                    clients[step.number] = host.connect(WIRE)
                    self.addCleanup(clients[step.number].close)
                if isinstance(step, Says):
                    clients[step.number].say(step.line)
                else:
                    self.assertEqual(clients[step.number].hear(), step.line)

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """The bot of the documentation, twice: two games, the host killed in the first; both know who won each."""
        folder = Path(self.mktemp()).absolute()
        printed = play_through_a_kill(WIRE, folder, bot("ann", "PORT"), bot("bob", "PORT"))
        self.assertEqual(len(winners(printed[0])), GAMES)
        self.assertEqual(winners(printed[0]), winners(printed[1]))
        self.assertLessEqual(set(winners(printed[0])), {"red", "blue", "none"})

    def test_a_bot_with_a_wrong_password(self) -> None:
        """It says so, and ends."""
        with HostProcess(wires=[WIRE]) as host:
            self.log_in(host, "ann")
            with Bots(bot("ann", str(host.ports[WIRE]), "guess")) as bots:
                [process] = bots.processes
                said, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual((said.strip(), process.returncode), ("ann: refused: wrong password", 1))

    def test_a_killed_host_knows_accounts_and_seats(self) -> None:
        """Killed in mid-game: the passwords fit, the board is there; and no password is in the log or in any file."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            ann, bob = self.log_in(host, "ann"), self.log_in(host, "bob")
            for client, color, rows in ((ann, "red", RED), (bob, "blue", BLUE)):
                self.assertEqual([client.hear(), client.hear()], ["new", f"color {color}"])
                client.say(*rows)
            self.assertEqual([ann.hear(), ann.hear()], ["endsetup", "get-move"])
            ann.say("A4-A5")
            self.assertEqual(ann.hear(), "none")
            host.kill()
        logs = host.log
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            stranger = host.connect(WIRE)
            stranger.say("ann", "guess")
            self.assertEqual([stranger.hear(), stranger.hear()], ["auth-req", "auth-err"])
            stranger.close()
            ann, bob = self.log_in(host, "ann"), self.log_in(host, "bob")
            self.assertEqual([ann.hear() for _ in range(3)], ["resume", "color red", "board"])
            self.assertEqual([ann.hear() for _ in range(11)][5:7], ["R.~~..~~..", ".RROBBBBBB"])
            self.assertEqual([bob.hear() for _ in range(15)][13:], ["endsetup", "get-move"])
            host.stop()
            self.assertEqual(bob.hear(), "err the host is stopping; seats at tables are kept")
        self.assertNotIn(CANARY, logs + host.log)
        self.assertIn("resumed 1 table", host.log)
        for path in folder.iterdir():
            self.assertNotIn(CANARY.encode(), path.read_bytes(), path.name)
