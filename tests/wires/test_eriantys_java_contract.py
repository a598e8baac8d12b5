"""What all wires do, asked of the Java objects."""

from collections.abc import Callable, Mapping
from typing import Any

from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_answers import SAMPLES
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation, received
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.conversation import WIRE
from gamehost.wires.eriantys_java.stream import HEADER
from gamehost.wires.eriantys_java.values import Assistant, CharacterEnum, Color, Tower
from tests.kit.transcript import HOME
from tests.kit.wires.eriantys_java_hostile import BEFORE_NAME, HOSTILE, said
from tests.kit.wires.eriantys_java_words import JavaWords

NOT_AWAITED = "the published programs have no message for it"


class GreetingHost(memory_host.MemoryHost):
    """A host whose clients have sent the header of their streams."""

    def connect(self, wire: str = "eriantys-java", address: str = "192.0.2.1") -> Client:
        client = super().connect(wire, address)
        assert isinstance(client.message_text, JavaWords)
        client.message_text.greeted = True
        client.send(HEADER)
        return client


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = HOME
    text = JavaWords
    host_class = GreetingHost
    streams_in_suite = 200
    host_settings: Mapping[str, str] = {
        "eriantys-java.pace": "0",
        "eriantys-java.ack_seconds": "0",
        "eriantys-java.ping": "0",
    }
    begun = BEFORE_NAME + b"\x74\x01\x00x"
    too_long = BEFORE_NAME + b"\x74\x01\x01" + b"x" * 257 + b"\x79"
    silent = {
        "back": "in a match the published clients do not stand a message about it",
        "suspended": NOT_AWAITED,
        "closing": NOT_AWAITED,
        "shutdown": NOT_AWAITED,
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        *(b"canary\n", b"\x1b[2Jcanary\n", b"\x73\x72\x00\x06canary", b"\x74\x00\x06canary\x79"),
        *(said(m.LoginMessage(name)) for name in ("canary\x1b[2J", "canary\x07", "canary canary", "canary/" * 9)),
        *(data[:300] + b"canary" for data in list(HOSTILE.values())[::10]),
    )
    log_out = said(m.Disconnect())

    def log_in(self, name: str) -> bytes:
        return said(m.LoginMessage(name))

    def join(self, client: Client, name: str) -> None:
        client.send(self.log_in(name))
        self.join_again(client, name)

    def join_again(self, client: Client, name: str) -> None:
        client.send(said(m.RequestGames()))
        games = client.protocol._conversation._queue  # type: ignore[attr-defined]
        waiting = client.world.lobby.waiting(games)
        client.send(said(m.JoinAvailableGame(waiting[0].table) if waiting else m.SetGame(False, 2)))

    def come_back(self, client: Client, name: str) -> None:
        client.send(self.log_in(name) + said(m.JoinAvailableGame(1)))

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, said(m.ChosenTower(Tower.BLACK))

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, said(m.ChosenTower(Tower.GREY))

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {**super().situations(), "lobby": self.in_lobby}

    def in_lobby(self) -> Situation:
        """A client that has logged in, and is at no table."""
        situation = self.connected_only()
        situation.client.send(self.log_in("ann"))
        return situation

    def samples(self) -> dict[type, list[Any]]:
        """As in the contract, read behind the stream's header."""
        found: dict[type, list[Any]] = {}
        for stream in self.corpus():
            for message in WIRE.configure({}).new_codec().feed(HEADER + stream):
                found.setdefault(type(message), []).append(message)
        return {kind: sorted(set(messages), key=str)[:SAMPLES] for kind, messages in found.items()}

    def test_no_match_follows_while_the_host_drains(self) -> None:
        """There is a message for this: a refused game is one, but without the reason."""
        over = self.after_match()
        over.host.lobby.drain("the host drains")
        self.join_again(over.client, "ann")
        self.assertEqual(received(over.client)[-1], "ErrorMessage INVALID_ACTION")

    def corpus(self) -> list[bytes]:
        """Short streams, since each is cut in many ways: into a game with the opponent, and everything else."""
        join: list[m.Message] = [m.LoginMessage("a"), m.JoinAvailableGame(1)]
        answers: list[m.Message] = [
            *(m.Ack(), m.Pong(), m.Disconnect(), m.RequestGames(), m.SetGame(True, 3), m.ChosenTower(Tower.BLACK)),
            *(m.ChosenWizard(1), m.PlayAssistant(Assistant.FOX), m.ChosenStudent(Color.RED), m.ChosenStudent(None)),
            *(m.ChosenDestination(0), m.ChosenSteps(1), m.ChosenCloud(0), m.UseCharacterEffect(CharacterEnum.Char4)),
        ]
        streams = [[*join, answer] for answer in answers]
        streams += [[join[0], m.RequestGames()], [join[0], m.SetGame(False, 2)]]
        return [b"".join(map(said, stream)) for stream in streams]
