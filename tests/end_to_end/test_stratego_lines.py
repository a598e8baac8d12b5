"""Stratego as ASCII lines over real sockets: a host with a store, people and bots, a kill and a return."""

import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import ROOT, HostProcess, Socket
from tests.kit.transcript import HOME, Hears, Says, Transcript
from tests.kit.wires.stratego_lines_table import BLUE, RED, WIRE

BOT = ROOT / "docs" / "bots" / "stratego_lines_bot.py"
CANARY = "canary-4711"


def bot(name: str, port: int, password: str = "secret") -> "subprocess.Popen[str]":
    """The documentation's bot."""
    command = [sys.executable, str(BOT), name, password, "127.0.0.1", str(port)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


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

    def test_the_documentation_s_bots_play_to_the_end(self) -> None:
        """Two of them, and they agree on who won; a third one with a wrong password does not get in."""
        with HostProcess(wires=[WIRE]) as host:
            bots = [bot(name, host.ports[WIRE]) for name in ("ann", "bob")]
            said = [one.communicate(timeout=60)[0].strip() for one in bots]
            self.assertIn(said[0], ("won by red", "won by blue", "won by none"))
            self.assertEqual(said[0], said[1])
            wrong, _ = bot("ann", host.ports[WIRE], "guess").communicate(timeout=60)
            self.assertEqual(wrong.strip(), "wrong password")

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
        self.assertIn("tables resumed: 1", host.log)
        for path in folder.iterdir():
            self.assertNotIn(CANARY.encode(), path.read_bytes(), path.name)
