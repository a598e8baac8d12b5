"""A sound client for Eriantys in Java objects, and clients with one fault each."""

from collections.abc import Callable, Mapping
from typing import Any

from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.client import JavaClientCodec
from gamehost.extras.dialects.eriantys_java.messages import PlayerStatus
from tests.extras.check.wires.program_clients import fault
from tests.kit.checker import MemoryClient, MemoryLauncher, NeverEnds, NeverGivesUp, with_fault

_ACKNOWLEDGED = (m.UpdateBoard, m.IslandOwner)
_NOT_ACKNOWLEDGED = (PlayerStatus.END_MOVE_1, PlayerStatus.END_MOVE_2)


class SoundClient(MemoryClient):
    wire = "eriantys-java"

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.codec = JavaClientCodec()
        self.board: Any = None
        self.request: Any = None
        self.student: Any = None
        self.entered = False

    def lost(self) -> None:
        self.codec = JavaClientCodec()
        self.entered = False
        super().lost()

    def say(self, message: Any) -> None:
        self.send(self.codec.encode(message))

    def received(self, data: bytes) -> None:
        for message in self.codec.feed(data):
            if not self.ended:
                self.hear(message)

    def hear(self, message: Any) -> None:
        hears = getattr(self, f"hear_{type(message).__name__}", None)
        if hears is not None:
            hears(message)
        if isinstance(message, _ACKNOWLEDGED):
            self.acknowledge()

    def acknowledge(self) -> None:
        self.say(m.Ack())

    def hear_Ping(self, message: m.Ping) -> None:
        self.say(m.Pong())

    def hear_CommunicationMessage(self, message: m.CommunicationMessage) -> None:
        if message is m.CommunicationMessage.ENTER_NICKNAME:
            self.say(m.LoginMessage(self.name))
        elif message is m.CommunicationMessage.SUCCESS and not self.entered:
            self.entered = True
            self.say(m.RequestGames())

    def hear_AvailableGames(self, message: m.AvailableGames) -> None:
        if message.availableGames:
            self.say(m.JoinAvailableGame(message.availableGames[0].gameID))
        else:
            self.say(m.SetGame(False, 2))

    def hear_MatchStarted(self, message: m.MatchStarted) -> None:
        self.in_match = True

    def hear_UpdateBoard(self, message: m.UpdateBoard) -> None:
        self.board = message

    def hear_PlayerStatusMessage(self, message: m.PlayerStatusMessage) -> None:
        if message.playerStatus not in _NOT_ACKNOWLEDGED:
            self.acknowledge()

    def hear_ErrorMessage(self, message: m.ErrorMessage) -> None:
        if isinstance(self.request, m.MotherNatureSteps | m.SelectCloud):
            self.hear(self.request)

    def hear_AvailableTowers(self, message: m.AvailableTowers) -> None:
        self.say(m.ChosenTower(next(tower for tower, left in message.availableTowers.items() if left)))

    def hear_AvailableWizards(self, message: m.AvailableWizards) -> None:
        self.say(m.ChosenWizard(message.availableWizards[0]))

    def hear_AvailableAssistants(self, message: m.AvailableAssistants) -> None:
        played = [card for _, card in message.playedAssistants]
        hand = message.availableAssistants
        self.say(m.PlayAssistant(self.rng.choice([card for card in hand if card not in played] or list(hand))))

    def hear_MovableStudents(self, message: m.MovableStudents) -> None:
        self.student = self.rng.choice(message.students)
        self.say(m.ChosenStudent(self.student))

    def hear_WhereToMove(self, message: m.WhereToMove) -> None:
        (me,) = (player for player in self.board.players if player.nickname == self.name)
        full = me.schoolBoard.diningRoom.students.get(self.student, 0) >= 10
        self.say(m.ChosenDestination(self.rng.randint(int(full), len(self.board.dashboard.islands))))

    def hear_MotherNatureSteps(self, message: m.MotherNatureSteps) -> None:
        self.request = message
        self.say(m.ChosenSteps(self.rng.randint(1, message.maxStepsAllowed)))

    def hear_SelectCloud(self, message: m.SelectCloud) -> None:
        self.request = message
        clouds = self.board.dashboard.clouds
        self.say(m.ChosenCloud(self.rng.choice([number for number, cloud in enumerate(clouds) if cloud.students])))

    def hear_CommunicateWinner(self, message: m.CommunicateWinner) -> None:
        self.over += 1
        self.in_match = False
        self.end()


class WholeSegments(SoundClient):
    def received(self, data: bytes) -> None:
        super().received(data)
        if self.codec.unfinished:
            self.end(1, "java.io.StreamCorruptedException")


def other(says: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    """Another answer to a message, made of the client and the message."""
    return lambda client, message: client.say(says(client, message))


def same_assistant(client: Any, message: m.AvailableAssistants) -> Any:
    played = [card for _, card in message.playedAssistants if card in message.availableAssistants]
    return m.PlayAssistant(played[0] if played else message.availableAssistants[0])


def answers_twice(client: SoundClient, message: m.AvailableTowers) -> None:
    for _ in range(2):
        SoundClient.hear_AvailableTowers(client, message)


def nothing(client: Any, *message: Any) -> None:
    """Does nothing."""


NeverAcknowledges, _ = fault(SoundClient, "NeverAcknowledges", "", acknowledge=nothing)
NoStream, _ = fault(SoundClient, "NoStream", "", connected=lambda client: client.send(b"hello\n"))

#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    WholeSegments: "bytes",
    NeverAcknowledges: "creates",
    NoStream: "creates",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    **dict(
        fault(SoundClient, name, scenario, **{f"hear_{kind.__name__}": hear})
        for name, scenario, kind, hear in (
            (
                "TooFar",
                "creates",
                m.MotherNatureSteps,
                other(lambda client, steps: m.ChosenSteps(steps.maxStepsAllowed + 1)),
            ),
            (
                "CloudsFromOne",
                "creates",
                m.SelectCloud,
                other(lambda client, _: m.ChosenCloud(len(client.board.dashboard.clouds))),
            ),
            ("OtherWizard", "creates", m.AvailableWizards, other(lambda client, _: m.ChosenWizard(7))),
            ("SameAssistant", "joins", m.AvailableAssistants, other(same_assistant)),
            ("AnswersTwice", "creates", m.AvailableTowers, answers_twice),
            ("PlaysWithoutBeingAsked", "creates", m.StartOfPlayerRound, other(lambda client, _: m.ChosenSteps(1))),
            # Does not answer Ping, and says nothing else meanwhile.
            ("NeverPongs", "pings", m.Ping, lambda client, _: client.end(1, "unexpected Ping")),
            ("IgnoresErrors", "refused-answer", m.ErrorMessage, nothing),
            ("EndsAtPlayerDisconnected", "drop", m.PlayerDisconnected, lambda client, _: client.end()),
        )
    ),
}
