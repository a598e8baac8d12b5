"""The console over real sockets, and a host that is killed."""

import socket
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import HostProcess


class Terminal:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.seen = self.until("> ")

    def until(self, *ends: str) -> str:
        text = ""
        while not any(end in text for end in ends):
            data = self._socket.recv(65_536)
            if not data:
                return text
            text += data.decode("utf-8")
        return text

    def type(self, line: str, *ends: str) -> str:
        self._socket.sendall(f"{line}\n".encode())
        self.seen = self.until(*(ends or ("> ",)))
        return self.seen

    def close(self) -> None:
        self._socket.close()


class ConsoleTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        deal = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*deal, *options, wires=["console"], folder=self.folder, store="store.sqlite")

    def terminal(self, host: HostProcess) -> Terminal:
        terminal = Terminal(host.ports["console"])
        self.addCleanup(terminal.close)
        return terminal

    def test_a_seat_is_kept_over_a_kill(self) -> None:
        """By the name of a guest, and by the password of an account; at the position that both were told."""
        with self.host() as host:
            ann, bob = self.terminal(host), self.terminal(host)
            ann.type("login ann", "): ")
            ann.type("secret words", "You are ann.")
            bob.type("name bob", "You are bob.")
            ann.type("play onitama", "cancel")
            bob.type("play onitama", "ann is to move.")
            ann.until("Type a move")
            ann.type("ox c1 c2", "You played ox c1 c2.")
            bob.until("Type a move")
            host.kill()
        with self.host() as host:
            ann, bob = self.terminal(host), self.terminal(host)
            self.assertIn("   2  . . K . .", bob.type("name bob", "Type a move"))
            bob.type("crab a5 a4", "You played crab a5 a4.")
            ann.type("login ann", "): ")
            self.assertIn("   4  p . . . .", ann.type("secret words", "Type a move"))
            self.assertIn("2. bob played crab a5 a4.", ann.type("history", "2. "))
            host.stop()
            self.assertIn("The host is stopping; seats at tables are kept.", bob.until("kept."))
