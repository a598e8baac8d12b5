"""A sound client for Eriantys in JSON, and clients with one fault each."""

import json
from collections.abc import Mapping
from typing import Any

from tests.kit.checker import (
    MemoryLauncher,
    MessageClient,
    NeverEnds,
    NeverGivesUp,
    OneMessageASegment,
    WholeSegments,
    with_fault,
)

Message = dict[str, Any]


class SoundClient(MessageClient):
    wire = "eriantys"
    matches = 2

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.board: Message = {}
        self.student = ""

    def connected(self) -> None:
        super().connected()
        self.logged_in = False

    def say(self, kind: str, **arguments: Any) -> None:
        self.send(json.dumps({"type": kind, **arguments}).encode() + b"\n")

    def acknowledge(self) -> None:
        self.say("Acknowledgement")

    def read(self, message: bytes) -> None:
        self.hear(json.loads(message))

    def hear(self, message: Message) -> None:
        hears = getattr(self, "hear_" + message["type"], None)
        if hears is not None:
            hears(message)
        else:
            self.acknowledge()

    def hear_Ping(self, message: Message) -> None:
        self.say("Pong")

    def hear_ErrorMessage(self, message: Message) -> None:
        pass

    def hear_CommunicationMessage(self, message: Message) -> None:
        word = message["message"]
        if word == "ENTER_NICKNAME":
            self.log_in()
        elif word == "SUCCESS" and not self.logged_in:
            self.logged_in = True
            if not self.in_match:
                self.say("RequestGames")
        elif word == "CLOSING_GAME":
            self.acknowledge()
            self.in_match = False
            self.over += 1
            if self.over < self.matches:
                self.say("RequestGames")
            else:
                self.end()
        else:
            self.acknowledge()

    def log_in(self) -> None:
        self.say("LoginMessage", nickname=self.name)

    def hear_AvailableGames(self, message: Message) -> None:
        if message["availableGames"]:
            self.say("JoinAvailableGame", gameId=message["availableGames"][0]["gameId"])
        else:
            self.create()

    def create(self) -> None:
        self.say("SetGame", numberOfPlayers=2, expertMode=False)

    def hear_MatchStarted(self, message: Message) -> None:
        self.in_match = True
        self.acknowledge()

    def hear_UpdateBoard(self, message: Message) -> None:
        self.board = message
        self.acknowledge()

    def hear_AvailableTowers(self, message: Message) -> None:
        self.say("ChosenTower", tower=next(tower for tower, left in message["availableTowers"].items() if left))

    def hear_AvailableWizards(self, message: Message) -> None:
        self.say("ChosenWizard", wizardId=message["availableWizards"][0])

    def hear_AvailableAssistants(self, message: Message) -> None:
        played = message["playedAssistants"].values()
        hand = message["availableAssistants"]
        self.say("PlayAssistant", assistant=self.rng.choice([card for card in hand if card not in played] or hand))

    def hear_MovableStudents(self, message: Message) -> None:
        self.student = self.rng.choice(message["students"])
        self.say("ChosenStudent", color=self.student)

    def hear_WhereToMove(self, message: Message) -> None:
        (me,) = (player for player in self.board["players"] if player["nickname"] == self.name)
        full = me["diningRoom"][self.student] >= 10
        self.say("ChosenDestination", destination=self.rng.randint(int(full), len(self.board["dashboard"]["islands"])))

    def hear_MotherNatureSteps(self, message: Message) -> None:
        self.say("ChosenSteps", steps=self.rng.randint(1, message["maxStepsAllowed"]))

    def hear_SelectCloud(self, message: Message) -> None:
        clouds = self.board["dashboard"]["clouds"]
        left = [number for number, cloud in enumerate(clouds) if any(cloud.values())]
        self.say("ChosenCloud", cloud=left[0])


class NumbersAsText(SoundClient):
    def hear_MotherNatureSteps(self, message: Message) -> None:
        self.say("ChosenSteps", steps=str(self.rng.randint(1, message["maxStepsAllowed"])))


class OtherKeys(SoundClient):
    def hear_AvailableWizards(self, message: Message) -> None:
        self.say("ChosenWizard", wizardID=message["availableWizards"][0])


class SmallLetters(SoundClient):
    def hear_MovableStudents(self, message: Message) -> None:
        self.student = self.rng.choice(message["students"])
        self.say("ChosenStudent", color=self.student.lower())


class TooFar(SoundClient):
    def hear_MotherNatureSteps(self, message: Message) -> None:
        self.say("ChosenSteps", steps=message["maxStepsAllowed"] + 1)


class EmptyClouds(SoundClient):
    def hear_SelectCloud(self, message: Message) -> None:
        self.say("ChosenCloud", cloud=0)


class CloudsFromOne(SoundClient):
    def hear_SelectCloud(self, message: Message) -> None:
        self.say("ChosenCloud", cloud=len(self.board["dashboard"]["clouds"]))


class SameAssistant(SoundClient):
    def hear_AvailableAssistants(self, message: Message) -> None:
        hand = message["availableAssistants"]
        played = [card for card in message["playedAssistants"].values() if card in hand]
        self.say("PlayAssistant", assistant=(played or hand)[0])


class PlaysWithoutBeingAsked(SoundClient):
    def hear_StartOfPlayerRound(self, message: Message) -> None:
        self.acknowledge()
        self.say("PlayAssistant", assistant=1)


class IgnoresErrors(SoundClient):
    error = False

    def hear_ErrorMessage(self, message: Message) -> None:
        self.error = True

    def hear(self, message: Message) -> None:
        if not self.error or message["type"] == "ErrorMessage":
            super().hear(message)


class NeverPongs(SoundClient):
    def hear_Ping(self, message: Message) -> None:
        pass

    def acknowledge(self) -> None:
        pass


class SpeaksFirst(SoundClient):
    def connected(self) -> None:
        super().connected()
        self.log_in()


class NoLineEnd(SoundClient):
    def say(self, kind: str, **arguments: Any) -> None:
        self.send(json.dumps({"type": kind, **arguments}).encode() + b"\0")


class NeedsTheExtension(SoundClient):
    """Cannot play without the key `clouds`."""

    def hear_SelectCloud(self, message: Message) -> None:
        self.say("ChosenCloud", cloud=message["clouds"][0])


class EndsAtPlayerDisconnected(SoundClient):
    def hear_PlayerDisconnected(self, message: Message) -> None:
        self.end()


class CreatesAnew(SoundClient):
    def connected(self) -> None:
        super().connected()
        self.in_match = False

    def hear_MatchStarted(self, message: Message) -> None:
        super().hear_MatchStarted(message)
        self.say("RequestGames")


class KnowsNoCharacters(SoundClient):
    def hear_PlayedCharacter(self, message: Message) -> None:
        self.end(1, "KeyError: 'PlayedCharacter'")


class FillsTheDiningRoom(SoundClient):
    def hear_WhereToMove(self, message: Message) -> None:
        self.say("ChosenDestination", destination=0)


class AlwaysAnotherAssistant(SoundClient):
    """Does not know that there may be no other assistant."""

    def hear_AvailableAssistants(self, message: Message) -> None:
        played = message["playedAssistants"].values()
        self.say("PlayAssistant", assistant=min(card for card in message["availableAssistants"] if card not in played))


class WaitsForTheClouds(SoundClient):
    waits = False

    def hear(self, message: Message) -> None:
        self.waits = (self.waits or message.get("playerStatus") == "MOVE_3") and message["type"] != "SelectCloud"
        if self.waits:
            self.acknowledge()
        else:
            super().hear(message)


class AcknowledgesEveryThird(SoundClient):
    count = 0

    def acknowledge(self) -> None:
        self.count += 1
        if self.count % 3 == 0:
            super().acknowledge()


class NeverAcknowledges(SoundClient):
    """Leaves out what the host does not need."""

    def acknowledge(self) -> None:
        pass


class SpellsKeysItsOwnWay(SoundClient):
    """Writes keys as other languages do."""

    def create(self) -> None:
        self.say("SetGame", number_of_players=2, expertMode=False)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    with_fault(OneMessageASegment, SoundClient): "creates",
    with_fault(WholeSegments, SoundClient): "random-cuts",
    NumbersAsText: "creates",
    OtherKeys: "creates",
    SmallLetters: "creates",
    TooFar: "creates",
    EmptyClouds: "creates",
    CloudsFromOne: "creates",
    SameAssistant: "creates",
    PlaysWithoutBeingAsked: "creates",
    IgnoresErrors: "refused-answer",
    NeverPongs: "pings",
    SpeaksFirst: "creates",
    NoLineEnd: "creates",
    NeedsTheExtension: "strict",
    EndsAtPlayerDisconnected: "drop",
    CreatesAnew: "own-drop",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    KnowsNoCharacters: "expert",
    FillsTheDiningRoom: "full-table",
    AlwaysAnotherAssistant: "same-assistants",
    WaitsForTheClouds: "empty-clouds",
    AcknowledgesEveryThird: "creates",
    SpellsKeysItsOwnWay: "creates",
}
