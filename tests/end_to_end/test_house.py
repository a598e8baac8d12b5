"""House players as processes, and remote games with their masters: killed in the match, and with a host that is killed."""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player
from gamehost.programs.wire_player import WirePlayer
from gamehost.wires.base import SeatKey
from tests.kit.players import WIRES, client_codec_of, program_of
from tests.kit.process import PATIENCE, ROOT, HostProcess, Socket
from tests.kit.remote_games import EXAMPLES, WIRE, MasterProcess, example, kill_at_results, play_at_once
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import ACCEPTED, begin, leave, master_login, move, over, state


def house_process(host: HostProcess) -> int:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    [child] = [int(pid) for pid, parent in map(str.split, listed.splitlines()) if int(parent) == host.process.pid]
    return child


class Person:
    def __init__(self, wire: str) -> None:
        self.wire = wire
        first, _, second = wire.partition("-")
        self.name = first + second[:1]
        self.result: str | None = None
        self.acted = 0
        self._silent_since = 0.0

    def new_player(self, game: str, seat: Seat) -> Player:
        return new_player(game, seat, Level.RANDOM, 1)

    def connect(self, host: HostProcess) -> None:
        """A new connection, and a program that knows nothing, unless it alone has the key to its seat."""
        key = WIRES[self.wire].seat_key
        password = "secret secret" if key is SeatKey.PASSWORD else ""
        if key is not SeatKey.TOKEN or not self.acted:
            self.program: WirePlayer = program_of(self.wire, self.name, password, self.new_player)
        self.codec: Any = client_codec_of(self.wire)
        self.socket: Socket = host.connect(self.wire)
        self.say(self.program.begin())

    def stay(self) -> None:
        """Say what a server expects from a client that has nothing to say, in time. Others may need long for their goals."""
        every = self.program.ALIVE_EVERY
        if self.result is None and every and time.monotonic() >= self._silent_since + every:
            self.say(self.program.alive())

    def say(self, messages: Any) -> None:
        self._silent_since = time.monotonic()
        self.socket.socket.sendall(b"".join(map(self.codec.encode, messages)))

    def hear(self) -> None:
        said: list[Any] = []
        for heard in self.codec.feed(self.socket.socket.recv(65_536)):
            said += self.program.hear(heard)
            self.result = self.result or self.program.result
        if self.result is None:
            thought = self.program.think()
            self.acted += bool(thought)
            self.say([*said, *thought])


def play(people: list[Person], acts: int) -> None:
    """Until everybody has acted so many times more, or knows the end."""
    goals = {person.wire: person.acted + acts for person in people}
    deadline = time.monotonic() + PATIENCE
    while waiting := [one for one in people if one.result is None and one.acted < goals[one.wire]]:
        for person in people:
            person.stay()
        ready, _, _ = select.select([one.socket.socket for one in waiting], [], [], 1.0)
        for person in waiting:
            if person.socket.socket in ready:
                person.hear()
                deadline = time.monotonic() + PATIENCE
        assert time.monotonic() < deadline, f"nothing happens on {', '.join(one.wire for one in waiting)}"


class HouseTests(SynchronousTestCase):
    def test_all_wires(self) -> None:
        """Everybody gets an opponent, who is back after `kill -9` of its process and of the host; then the match ends."""
        wires = list(WIRES)
        options = ("--house=0.2", "--house-level=random", "--resume=any")
        with HostProcess(*options, wires=wires, store="store.sqlite") as host:
            people = [Person(wire) for wire in wires]
            for person in people:
                person.connect(host)
            play(people, 2)
            killed = house_process(host)
            os.kill(killed, signal.SIGKILL)
            play(people, 2)
            self.assertNotEqual(house_process(host), killed)
            host.kill()
            with HostProcess(*options, wires=wires, store="store.sqlite", folder=host.folder) as again:
                for person in people:
                    person.socket.close()
                    person.connect(again)
                play(people, 3)
                to_end = [person for person in people if not person.wire.startswith("stratego")]
                play(to_end, 500)
                self.assertEqual([person.result is None for person in to_end], [False] * len(to_end))
                child = house_process(again)
                for person in people:
                    person.socket.close()
                again.stop()
                self.assertRaises(ProcessLookupError, os.kill, child, 0)
            self.assertFalse((host.folder / "store.sqlite-house").exists())


BOTS = ROOT / "docs" / "bots"


class RulesTests(SynchronousTestCase):
    """The example in Python, without a host."""

    def test_the_rules(self) -> None:
        """Five in a row win, a square is taken once, and a full board has no winner."""
        master = example("tictactoe_master").Master()
        self.assertEqual(
            master.answer(begin(1, "ann", "bob")), [state(1, "ann").replace("<gameState/>", "<gameState></gameState>")]
        )

        def marked(x: object, y: object) -> str:
            [answer] = master.answer(move(1, f'<mark x="{x}" y="{y}"/>'))
            return str(answer)

        for number in range(4):
            self.assertEqual(marked(number, number), state(1, "bob", f'<mark x="{number}" y="{number}"/>'))
            self.assertEqual(marked(19, number), state(1, "ann", f'<mark x="19" y="{number}"/>'))
        self.assertEqual(marked(4, 4), over(1, {"ann": True, "bob": False}, '<mark x="4" y="4"/>'))
        for wrong in ('<mark x="0" y="0"/>', '<mark x="20" y="0"/>', '<mark x="-1" y="0"/>', "", "<mark/>", "<tic/>"):
            master.answer(begin(1, "ann", "bob"))
            marked(0, 0)
            [ends] = master.answer(move(1, wrong))
            self.assertEqual(ends.replace("></gameState>", "/>"), over(1, {"ann": True, "bob": False}))


class ExamplesTests(SynchronousTestCase):
    """The master and the player of the documentation, and the examples, on one host."""

    host: HostProcess

    def test_the_examples(self) -> None:
        """One after the other, on one host, of which no master and no player is too much."""
        with HostProcess("--set=paper-soccer.types=nim", wires=[WIRE], store="store.sqlite") as self.host:
            self.play_nim()
            self.play_tictactoe()
            self.play_race()
            self.host.stop()
        self.assertNotIn("Traceback", self.host.log)

    def run_player(self, nick: str, port: int) -> "subprocess.Popen[str]":
        command = [sys.executable, str(BOTS / "nim_player.py"), nick, "--games", "3", "--port", str(port)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def play_nim(self) -> None:
        """One of two wins each, and both say the same."""
        port = self.host.ports[WIRE]
        players = [self.run_player(nick, port) for nick in ("eve", "fay")]
        command = [sys.executable, str(BOTS / "nim_master.py"), "--port", str(port)]
        master = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            told = [player.communicate(timeout=PATIENCE)[0].splitlines() for player in players]
        finally:
            master.kill()
            master.wait(PATIENCE)
        self.assertEqual([player.returncode for player in players], [0, 0])
        self.assertEqual([len(lines) for lines in told], [3, 3])
        for ann, bob in zip(*told, strict=True):
            self.assertEqual({ann.split()[1], bob.split()[1]}, {"winner", "loser"})

    def play_tictactoe(self) -> None:
        """Four at once: the master is killed, and each game has one winner and one loser."""
        crowd = play_at_once(self.host, 4, kills=1)
        self.assertEqual(sorted(crowd.results), ["loser"] * 4 + ["winner"] * 4)

    def play_race(self) -> None:
        """A whole one with three players, in which the master is killed; and one in which players are out."""
        node = shutil.which("node")
        if node is None:
            return
        with MasterProcess(node, str(EXAMPLES / "race_master.js"), str(self.host.ports[WIRE])) as master:
            nicks = ("ann", "bob", "cid")
            clients = [self.host.connect(WIRE) for _ in nicks]
            for nick, client in zip(nicks, clients, strict=True):
                client.say(login(nick, "race"))
                self.assertEqual(client.hear(), ACCEPTED)
            fields, number = [0, 0, 0], 0
            turn = 0
            while True:
                seen = "".join(f'<at nick="{nick}" field="{at}"/>' for nick, at in zip(nicks, fields, strict=True))
                if fields[turn - 1] >= 20:
                    ends = over(number, {nick: at >= 20 for nick, at in zip(nicks, fields, strict=True)})
                    self.assertEqual([client.hear() for client in clients], [ends] * 3)
                    break
                told = [client.hear() for client in clients]
                number = number or int(told[0].split('<gameId id="')[1].split('"')[0])
                self.assertEqual(told, [state(number, nicks[turn], seen)] * 3)
                if turn == 2 and 6 <= fields[2] < 9:
                    master.kill()
                    master.start()
                clients[turn].say(move(number, f'<go fields="{turn + 1}"/>'))
                fields[turn] += turn + 1
                fields = [0 if place != turn and at == fields[turn] else at for place, at in enumerate(fields)]
                turn = (turn + 1) % 3
            self.be_put_out(clients, number + 1)

    def be_put_out(self, clients: Sequence[Any], number: int) -> None:
        """In the next race the first player breaks the rules, and the second leaves."""
        ann, bob, cid = clients
        for client in clients:
            client.say(message("thank you"))
            if client is not clients[-1]:
                # The next race has the players in the order of their thanks, so those must not overtake each other.
                client.say("<x/>")
                self.assertIn('type="error"', client.hear())
        for client in clients:
            self.assertIn('<nextPlayer nick="ann"/>', client.hear())
        ann.say(move(number, "<fly/>"))
        self.assertEqual(ann.hear(), over(number, {"ann": False}))
        self.assertIn('<nextPlayer nick="bob"/>', cid.hear())
        bob.hear(), bob.say(leave(number))
        self.assertEqual(cid.hear(), over(number, {"ann": False, "bob": False, "cid": True}))


class KillTests(SynchronousTestCase):
    def folder(self) -> Path:
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        return folder

    def test_championships(self) -> None:
        """At the moments of results: each is told once and counted once."""
        figures = kill_at_results(4, 2, self.folder())
        self.assertGreaterEqual(figures.kills, 4)

    def test_a_remote_game_is_closed(self) -> None:
        """kill -9: nobody can come back, so the game has no winner, and its record has all that was told."""
        folder = self.folder()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            master, ann, bob = (host.connect(WIRE) for _ in range(3))
            master.say(master_login())
            self.assertEqual(master.hear(), ACCEPTED)
            for nick, client in (("ann", ann), ("bob", bob)):
                client.say(login(nick, "nim"))
                self.assertEqual(client.hear(), ACCEPTED)
            self.assertEqual(master.hear(), begin(1, "ann", "bob"))
            master.say(state(1, "ann", "{seven}\\"))
            self.assertEqual([ann.hear(), bob.hear()], [state(1, "ann", "{seven}\\")] * 2)
            ann.say(move(1, " x"))
            self.assertEqual(master.hear(), move(1, " x"))
            host.kill()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            again = host.connect(WIRE)
            again.say(master_login())
            self.assertEqual(again.hear(), ACCEPTED)
            ann = host.connect(WIRE)
            ann.say(login("ann", "nim"))
            self.assertEqual(ann.hear(), ACCEPTED)
            host.until("remote game 1 is closed")
            host.stop()
        command = [sys.executable, "-m", "gamehost", "journal", "show", "1", "--store", str(folder / "store.sqlite")]
        shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
        for words in (r"next 0 \x7bseven\x7d\\", r"move \x20x", "nobody won (left): the host was started again"):
            self.assertIn(words, shown)
