"""The console over real sockets, a host that is killed, and the telnet that people have."""

import os
import pty
import select
import shutil
import signal
import socket
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import PATIENCE, HostProcess


class Terminal:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
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


class Telnet:
    """
    The program telnet in a terminal, as somebody types there.

    :param port: to connect to; `None`: the program asks for commands
    """

    INTERRUPT = b"\x03"

    def __init__(self, port: int | None) -> None:
        self._pid, self._terminal = pty.fork()
        if not self._pid:
            os.execvp("telnet", ["telnet", *(() if port is None else ("127.0.0.1", str(port)))])
        self._ends = time.monotonic() + PATIENCE
        self._unread = b""

    def until(self, words: bytes) -> bytes:
        while words not in self._unread:
            ready, _, _ = select.select([self._terminal], [], [], self._ends - time.monotonic())
            assert ready, f"no {words!r} in {self._unread!r}"
            self._unread += os.read(self._terminal, 65_536)
        seen, self._unread = self._unread.split(words, 1)
        return seen

    def type(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)


class TelnetTests(SynchronousTestCase):
    if shutil.which("telnet") is None:
        skip = "there is no telnet on this machine"

    def test_urgent_data(self) -> None:
        """Some telnets send half of a command behind Ctrl-C so."""
        with HostProcess(wires=["console", "onitama"]) as host:
            for wire, line, answer in (
                ("console", b"who", b"Nobody"),
                ("onitama", b"help", b"ERROR|this port is a game"),
            ):
                # The key of its commands means nothing before it has changed the terminal, which nobody sees.
                telnet = Telnet(None)
                self.addCleanup(telnet.close)
                telnet.until(b"telnet> ")
                telnet.type(b"toggle autosynch\r")
                telnet.until(b"telnet> ")
                telnet.type(f"open 127.0.0.1 {host.ports[wire]}\r".encode("ascii"))
                telnet.until(b"Escape")
                for _ in range(2):
                    telnet.type(line + b"\r")
                    telnet.until(answer)
                    telnet.type(telnet.INTERRUPT)
                telnet.type(line + b"\r")
                telnet.until(answer)

    def test_ctrl_c(self) -> None:
        """It interrupts nothing, and what the host says afterwards is shown: the second time as the first time."""
        conversations = {
            "console": (b"> ", b"who", b"Nobody"),
            "onitama": (b"Escape", b"help", b"ERROR|this port is a game host"),
            "stratego-lines": (b"auth-req", b"help", b"err this port plays Stratego"),
            "open": (b"Escape", b"help", b"this port speaks"),
            "eriantys": (b"Escape", b"help", b"this port speaks"),
            "litama": (b"Escape", b"state x", b"error"),
        }
        with HostProcess(wires=list(conversations)) as host:
            for wire, (greeting, line, answer) in conversations.items():
                telnet = Telnet(host.ports[wire])
                self.addCleanup(telnet.close)
                telnet.until(greeting)
                for _ in range(2):
                    telnet.type(line + b"\r")
                    telnet.until(answer)
                    telnet.type(telnet.INTERRUPT)
                telnet.type(line + b"\r")
                telnet.until(answer)
