"""The wire of Java objects over real sockets: a Java virtual machine, and a host that is killed in the middle of a game."""

import shutil
import socket
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java import values as v
from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.wires.eriantys_java.messages import CommunicationMessage, Message
from gamehost.wires.eriantys_java.stream import HEADER
from tests.kit.process import HostProcess
from tests.kit.wires.eriantys_java_players import is_acknowledged
from tests.kit.wires.eriantys_java_words import compiled, recorded, run

WIRE = "eriantys-java"


class JavaVirtualMachineTests(SynchronousTestCase):
    """Java's own object streams, with the listed classes."""

    if shutil.which("javac") is None or shutil.which("java") is None:
        skip = "there is no JDK: javac and java are needed"

    def test_both_ways_and_a_log_in(self) -> None:
        """The JVM's messages are read, those of the host are read by the JVM, and a client in the JVM logs in."""
        classes = compiled(Path(self.mktemp()))
        self.assert_written(run(classes, "write"))
        self.assert_copied(classes)
        with HostProcess(wires=[WIRE]) as host:
            told = run(classes, "log-in", str(host.ports[WIRE])).decode().split("\n")
        self.assertEqual(told, ["ENTER_NICKNAME", "SUCCESS", "AvailableGames", "WaitingForPlayers 1", ""])

    def assert_written(self, data: bytes) -> None:
        """One message of each class, the same bytes that our own client writes."""
        messages = list(JavaCodec(BoardCache()).feed(data))
        self.assertEqual({type(message) for message in messages}, set(m.CLIENT_TYPES.values()))
        self.assertEqual(messages[3], m.LoginMessage("Zden\u011bk \N{MUSICAL SYMBOL G CLEF}"))
        self.assertEqual(messages[5:7], [m.SetGame(True, 4), m.JoinAvailableGame(7)])
        client = JavaClientCodec()
        self.assertEqual(b"".join(map(client.encode, messages)), data)

    def assert_copied(self, classes: Path) -> None:
        """Every recorded message of the server, boards among them, survives a Java virtual machine."""
        data = b"".join(data for _, data, _ in recorded("S"))
        messages = list(JavaClientCodec().feed(HEADER + data))
        codec = JavaCodec(BoardCache())
        said = b"".join(map(codec.encode, messages))
        self.assertEqual(said, HEADER + data)
        self.assertEqual(list(JavaClientCodec().feed(run(classes, "copy", given=said))), messages)


class Client:
    """A client over a real socket, which answers every Ping, and Acks what is to be acknowledged."""

    def __init__(self, host: HostProcess) -> None:
        self._socket = socket.create_connection(("127.0.0.1", host.ports[WIRE]), timeout=15)
        self._codec = JavaClientCodec()
        self._heard: list[Message] = []

    def say(self, message: Message) -> None:
        """Send a message."""
        self._socket.sendall(self._codec.encode(message))

    def hear(self, kind: Any) -> Any:
        """The next message of this type, or this constant. What comes before it is passed over."""
        while True:
            while self._heard:
                message = self._heard.pop(0)
                if isinstance(message, m.Ping):
                    self.say(m.Pong())
                elif is_acknowledged(message):
                    self.say(m.Ack())
                if message is kind or (isinstance(kind, type) and isinstance(message, kind)):
                    return message
            data = self._socket.recv(65_536)
            assert data, f"the connection ended before {kind}"
            self._heard += self._codec.feed(data)

    def log_in(self, name: str) -> None:
        """Be in the lobby."""
        self.hear(CommunicationMessage.ENTER_NICKNAME)
        self.say(m.LoginMessage(name))
        self.hear(CommunicationMessage.SUCCESS)

    def close(self) -> None:
        """Be gone."""
        self._socket.close()


class KillTests(SynchronousTestCase):
    """kill -9."""

    def test_killed_in_mid_game_and_on(self) -> None:
        """Both players come back through the menu, find every move, and are asked for what was open."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            players = self.begun(host)
            host.kill()
            for player in players:
                player.close()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            self.assertIn("resumed 1 table", host.log)
            self.gone_on(host)

    def begun(self, host: HostProcess) -> list[Client]:
        """A game in which Ann has played an assistant and Bob is asked for one."""
        ann, bob = Client(host), Client(host)
        ann.log_in("ann")
        ann.say(m.SetGame(True, 2))
        game = ann.hear(m.WaitingForPlayers).gameID
        bob.log_in("bob")
        bob.say(m.JoinAvailableGame(game))
        for player, tower in ((ann, v.Tower.BLACK), (bob, v.Tower.WHITE)):
            player.hear(m.AvailableTowers)
            player.say(m.ChosenTower(tower))
        for player, wizard in ((ann, 1), (bob, 2)):
            player.hear(m.AvailableWizards)
            player.say(m.ChosenWizard(wizard))
        first = ann.hear(m.StartOfPlayerRound).nickname
        order = [ann, bob] if first == "ann" else [bob, ann]
        order[0].hear(m.AvailableAssistants)
        order[0].say(m.PlayAssistant(v.Assistant.EAGLE))
        self.assertEqual(order[0].hear(m.PlayedAssistant).assistant, v.Assistant.EAGLE)
        order[1].hear(m.AvailableAssistants)
        self.order = ["ann", "bob"] if first == "ann" else ["bob", "ann"]
        return [ann, bob]

    def gone_on(self, host: HostProcess) -> None:
        """The same two, on the host's next life."""
        players = {}
        for name in self.order:
            player = players[name] = Client(host)
            player.log_in(name)
            player.say(m.RequestGames())
            [game] = player.hear(m.AvailableGames).availableGames
            self.assertEqual((game.numOfWaitingPlayers, game.numOfTotalPlayers), (1, 2))
            player.say(m.JoinAvailableGame(game.gameID))
            joined = player.hear(m.JoinAlreadyExistingGame).gameInfo
            self.assertEqual((joined.expertGame, joined.numOfWaitingPlayers), (True, 2))
            board = player.hear(m.UpdateBoard)
            played = {one.nickname: one.playedAssistant for one in board.players}
            self.assertEqual(played, {self.order[0]: v.Assistant.EAGLE, self.order[1]: None})
        request = players[self.order[1]].hear(m.AvailableAssistants)
        self.assertEqual([assistant for _, assistant in request.playedAssistants], [v.Assistant.EAGLE])
        players[self.order[1]].say(m.PlayAssistant(v.Assistant.TURTLE))
        players[self.order[0]].hear(m.MovableStudents)
        for player in players.values():
            player.close()
