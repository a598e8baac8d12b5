"""Clients for Litama's protocol over WebSocket, with one fault each."""

import json
import re
from collections.abc import Mapping
from typing import Any

from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.rendering import BLUE_CARDS
from tests.extras.check.wires.program_clients import ProgramClient, common, fault
from tests.kit.checker import changed, forgotten, instead
from tests.kit.web_host import frame


class SoundClient(ProgramClient):
    wire = "litama"
    matches = 3


class DocumentedClient(SoundClient):
    """Comes back without the extension: it spectates as anybody does, and its next move takes the seat."""

    def writes(self, data: bytes) -> bytes:
        return re.sub(rb"^(spectate \w+) \w+", rb"\1", data)


class BinaryFrames(SoundClient):
    def say_one(self, message: Any) -> None:
        self.send(frame(2, self.codec.encode(message).rstrip(b"\n")))


class NoMask(SoundClient):
    def say_one(self, message: Any) -> None:
        self.send(frame(1, self.codec.encode(message).rstrip(b"\n"), mask=b""))


class WholeSegments(SoundClient):
    def received(self, data: bytes) -> None:
        if not data.startswith(b"HTTP/"):
            json.loads(data[data.index(b"{") :])
        super().received(data)


class ComesAsSomebodyElse(SoundClient):
    def connected(self) -> None:
        self.begun = False
        super().connected()


def own_colour(colour: Any) -> Any:
    """Takes the creator of a match for this colour."""

    def taken(one: m.Standing) -> Any:
        blue = colour(one.fields) == "blue"
        return {**one.fields, "indices": {"blue": int(not blue), "red": int(blue)}}

    return changed(m.Standing, fields=taken)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "creator-is-white", joined="joined", wins="wins"),
    BinaryFrames: "blue-begins",
    NoMask: "blue-begins",
    WholeSegments: "bytes",
    ComesAsSomebodyElse: "own-drop-in-turn",
    **dict(
        fault(SoundClient, name, "blue-begins", writes=lambda client, data, at=at, put=put: re.sub(at, put, data))
        for name, at, put in (
            ("TurnsTheBoard", rb"(?<= .\d.)\d$|(?<= [a-e])\d", lambda found: b"%d" % (6 - int(found[0]))),
            ("CapitalLetters", rb" ..[a-e]\d$", lambda found: found[0].upper()),
            ("ForgetsTheToken", rb"^(move \w+) \w+", rb"\1"),
            ("ForgetsTheCard", rb"^(move \w+ \w+) \w+", rb"\1"),
            ("SendsJson", rb"^create (.*)$", rb'{"messageType":"create","username":"\1"}'),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            ("IsAlwaysBlue", "creator-is-black", own_colour(lambda fields: "blue")),
            (
                "CreatorBegins",
                "creator-is-black",
                own_colour(lambda fields: "blue" if fields["startingCards"]["side"] in BLUE_CARDS else "red"),
            ),
            (
                "EndsAtAnError",
                "invalid-move",
                instead(m.Failed, lambda client, error: client.end(1, error.error) or []),
            ),
            ("IgnoresErrors", "invalid-move", forgotten(m.Failed)),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("MovesOutOfTurn", "patience", instead(m.MakeMove, lambda client, move: [move, move])),
            ("NeverSpectates", "creator-is-white", forgotten(m.Spectate)),
        )
    ),
}
