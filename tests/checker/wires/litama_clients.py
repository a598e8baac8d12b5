"""A sound client for Litama's protocol over WebSocket, and clients with one fault each."""

import json
from collections.abc import Mapping
from typing import Any

from wsproto.frame_protocol import FrameProtocol, Opcode

from tests.kit.checker import MemoryClient, MemoryLauncher, NeverEnds, NeverGivesUp, with_fault
from tests.kit.web_host import frame, handshake


class SocketClient(MemoryClient):
    def connected(self) -> None:
        self.opening = b""
        self.frames = FrameProtocol(client=True, extensions=[])
        self.text = ""
        self.send(handshake())

    def opened(self) -> None:
        pass

    def heard(self, text: str) -> None:
        pass

    def say(self, *words: str) -> None:
        self.send(frame(1, " ".join(words).encode()))

    def received(self, data: bytes) -> None:
        if b"\r\n\r\n" not in self.opening:
            self.opening += data
            head, end, data = self.opening.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 101")
            self.opened()
        self.frames.receive_bytes(data)
        for one in self.frames.received_frames():
            if one.opcode is Opcode.TEXT:
                self.text += str(one.payload)
                if one.message_finished and not self.ended:
                    text, self.text = self.text, ""
                    self.heard(text)


class SoundClient(SocketClient):
    """Plays at random, one match after another on one connection, and takes its seat back."""

    wire = "litama"
    matches = 3

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.match_id = self.token = ""
        self.index = 0

    def opened(self) -> None:
        if self.token:
            self.say("spectate", self.match_id, self.token)
        else:
            self.create()

    def create(self) -> None:
        self.say("create", self.name)

    def heard(self, text: str) -> None:
        self.hear(json.loads(text))

    def hear(self, fields: Any) -> None:
        getattr(self, f"hear_{fields['messageType']}")(fields)

    def hear_create(self, fields: Any) -> None:
        self.match_id, self.token, self.index = fields["matchId"], fields["token"], fields["index"]
        self.say("spectate", self.match_id)

    def hear_spectate(self, fields: Any) -> None:
        self.in_match = True

    def hear_move(self, fields: Any) -> None:
        """The move is made; `state` follows."""

    def hear_error(self, fields: Any) -> None:
        if fields["command"] == "move" and fields["error"] != "Game ended":
            self.say("state", self.match_id)

    def hear_state(self, fields: Any) -> None:
        if fields["gameState"] == "ended":
            self.over_now()
        elif fields["gameState"] == "in progress" and self.is_own(fields, fields["currentTurn"]):
            self.move(fields)

    def is_own(self, fields: Any, colour: str) -> bool:
        return bool(fields["indices"][colour] == self.index)

    def move(self, fields: Any) -> None:
        if fields["moves"]:
            self.say_move(*self.rng.choice(fields["moves"]).split(":"))

    def say_move(self, card: str, squares: str) -> None:
        self.say("move", self.match_id, self.token, card, squares)

    def over_now(self) -> None:
        self.over += 1
        self.in_match, self.token = False, ""
        if self.over < self.matches:
            self.create()
        else:
            self.end()


class DocumentedClient(SoundClient):
    """Comes back without the extension: it spectates as anybody does, and its next move takes the seat."""

    def opened(self) -> None:
        if self.token:
            self.say("spectate", self.match_id)
        else:
            self.create()


class OneFrameASegment(SoundClient):
    def received(self, data: bytes) -> None:
        if data.startswith(b"\x81"):
            length = data[1] if data[1] < 126 else int.from_bytes(data[2:4], "big") + 2
            data = data[: 2 + length]
        super().received(data)


class WholeSegments(SoundClient):
    def received(self, data: bytes) -> None:
        if b"\r\n\r\n" not in self.opening:
            super().received(data)
        else:
            start = data.index(b"{")
            self.hear(json.loads(data[start:]))


class IsAlwaysBlue(SoundClient):
    def is_own(self, fields: Any, colour: str) -> bool:
        return colour == "blue"


class CreatorBegins(SoundClient):
    def is_own(self, fields: Any, colour: str) -> bool:
        begins = "blue" if fields["startingCards"]["side"] == "tiger" else "red"
        return colour == begins


class MovesOutOfTurn(SoundClient):
    def is_own(self, fields: Any, colour: str) -> bool:
        return True


class TurnsTheBoard(SoundClient):
    def say_move(self, card: str, squares: str) -> None:
        super().say_move(card, "".join(str(6 - int(one)) if one.isdigit() else one for one in squares))


class CapitalLetters(SoundClient):
    def say_move(self, card: str, squares: str) -> None:
        super().say_move(card, squares.upper())


class ForgetsTheToken(SoundClient):
    def say_move(self, card: str, squares: str) -> None:
        self.say("move", self.match_id, card, squares)


class ForgetsTheCard(SoundClient):
    def say_move(self, card: str, squares: str) -> None:
        self.say("move", self.match_id, self.token, squares)


class NeverSpectates(SoundClient):
    def hear_create(self, fields: Any) -> None:
        self.match_id, self.token, self.index = fields["matchId"], fields["token"], fields["index"]


class EndsAtAnError(SoundClient):
    def hear_error(self, fields: Any) -> None:
        self.end(1, f"Error: {fields['error']}")


class IgnoresErrors(SoundClient):
    def hear_error(self, fields: Any) -> None:
        pass


class NeverReads(SoundClient):
    def hear(self, fields: Any) -> None:
        pass


class ComesAsSomebodyElse(SoundClient):
    def opened(self) -> None:
        self.create()


class BinaryFrames(SoundClient):
    def say(self, *words: str) -> None:
        self.send(frame(2, " ".join(words).encode()))


class NoMask(SoundClient):
    def say(self, *words: str) -> None:
        self.send(frame(1, " ".join(words).encode(), mask=b""))


class SendsJson(SoundClient):
    def create(self) -> None:
        self.say(json.dumps({"messageType": "create", "username": self.name}))


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    OneFrameASegment: "joined",
    WholeSegments: "bytes",
    IsAlwaysBlue: "creator-is-black",
    CreatorBegins: "creator-is-black",
    MovesOutOfTurn: "patience",
    TurnsTheBoard: "blue-begins",
    CapitalLetters: "blue-begins",
    ForgetsTheToken: "blue-begins",
    ForgetsTheCard: "blue-begins",
    NeverSpectates: "creator-is-white",
    EndsAtAnError: "invalid-move",
    IgnoresErrors: "invalid-move",
    NeverReads: "creator-is-white",
    ComesAsSomebodyElse: "own-drop-in-turn",
    BinaryFrames: "blue-begins",
    NoMask: "blue-begins",
    SendsJson: "blue-begins",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
}
