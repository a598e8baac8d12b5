"""A sound client for Paper Soccer in XML, and clients with one fault each."""

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from gamehost.games.paper_soccer.rules import Position
from tests.kit.checker import (
    MemoryLauncher,
    MessageClient,
    NeverEnds,
    NeverGivesUp,
    OneMessageASegment,
    WholeSegments,
    with_fault,
)

Points = list[tuple[int, int]]


class SoundClient(MessageClient):
    wire = "paper-soccer"
    matches = 3

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.game = ""

    def connected(self) -> None:
        super().connected()
        self.way: Points = []
        self.log_in()

    def log_in(self) -> None:
        self.say("playerLogin", f'<playerLogin nick="{self.name}" gameType="paper soccer"/>')

    def say(self, kind: str, content: str) -> None:
        self.send(f'<message type="{kind}">{content}</message>'.encode())

    def read(self, message: bytes) -> None:
        self.hear(etree.fromstring(message))

    def hear(self, message: Any) -> None:
        kind = message.get("type")
        game = message.find("gameId")
        if game is not None:
            self.game = f'<gameId id="{game.get("id")}"/>'
        if kind == "gameState" and message.find("gameOver") is not None:
            self.hear_over()
        elif kind == "gameState":
            points = [(int(point.get("x")), int(point.get("y"))) for point in message.iter("point")]
            self.hear_state(points, message.find("nextPlayer").get("nick"))
        elif kind == "playerLeftGame":
            self.hear_left()
        elif kind == "serverShutdown":
            self.hear_shutdown()

    def hear_state(self, points: Points, following: str) -> None:
        self.in_match = True
        self.way += points
        if following == self.name:
            self.say_move(self.choose())

    def hear_over(self) -> None:
        self.over += 1
        self.way = []
        self.in_match = False
        self.say("thank you", self.game)
        if self.over < self.matches:
            self.log_in()
        else:
            self.end()

    def hear_left(self) -> None:
        pass

    def hear_shutdown(self) -> None:
        pass

    def choose(self) -> Points:
        position = self.position()
        mover, points = position.turn, []
        while position.turn == mover and position.ending is None:
            point = self.rng.choice(sorted(position.steps()))
            points.append(point)
            position = position.step(point)
        return points

    def position(self) -> Position:
        position = Position()
        for point in self.way:
            position = position.step(point)
        return position

    def say_move(self, points: Points) -> None:
        self.say("move", f"{self.game}<move>{self.written(points)}</move>")

    def written(self, points: Points) -> str:
        return "".join(f"<point x='{x}' y='{y}'/>" for x, y in points)


class ForgetsBounces(SoundClient):
    """Plays one line only, whether the ball bounces or not."""

    def choose(self) -> Points:
        return super().choose()[:1]


class DrawsALineTwice(SoundClient):
    def choose(self) -> Points:
        return [self.way[-2] if len(self.way) > 1 else (0, 0)] if self.way else super().choose()


class TurnsThePitch(SoundClient):
    def written(self, points: Points) -> str:
        return super().written([(x, -y) for x, y in points])


class ForgetsTheOthersMove(SoundClient):
    def hear_state(self, points: Points, following: str) -> None:
        super().hear_state(points if following != self.name else [], following)


class MovesOutOfTurn(SoundClient):
    def hear_state(self, points: Points, following: str) -> None:
        super().hear_state(points, self.name)


class NoGameId(SoundClient):
    def say_move(self, points: Points) -> None:
        self.say("move", f"<move>{self.written(points)}</move>")


class FirstGameId(SoundClient):
    first = ""

    def say_move(self, points: Points) -> None:
        self.first = self.first or self.game
        self.say("move", f"{self.first}<move>{self.written(points)}</move>")


class BareMoves(SoundClient):
    def say_move(self, points: Points) -> None:
        self.send(self.written(points).encode() + b"\n")


class ByteOrderMark(SoundClient):
    def log_in(self) -> None:
        self.send(b"\xef\xbb\xbf")
        super().log_in()


class OpenTag(SoundClient):
    def written(self, points: Points) -> str:
        return "".join(f"<point x='{x}' y='{y}'>" for x, y in points)


class PlusSigns(SoundClient):
    def written(self, points: Points) -> str:
        return re.sub("'([0-9])", r"'+\1", super().written(points))


class OtherNames(SoundClient):
    def written(self, points: Points) -> str:
        return "".join(f"<point xPos='{x}' yPos='{y}'/>" for x, y in points)


class OtherGameType(SoundClient):
    def log_in(self) -> None:
        self.say("playerLogin", f'<playerLogin nick="{self.name}" gameType="Paper_Football"/>')


class UnknownGameType(SoundClient):
    def log_in(self) -> None:
        self.say("playerLogin", f'<playerLogin nick="{self.name}"/>')


class EndsWhenTheOtherLeaves(SoundClient):
    def hear_left(self) -> None:
        self.end()


class ForgetsTheBorder(SoundClient):
    """Bounces from drawn lines only, and not from the border."""

    def choose(self) -> Points:
        position, points = self.position(), Points()
        touched = {(0, 0), *self.way}
        for point in super().choose():
            points.append(point)
            position = position.step(point)
            if point not in touched:
                break
            touched.add(point)
        return points


class GoesOnInACorner(SoundClient):
    """Likes corners, and looks for a way out of them."""

    def choose(self) -> Points:
        position = self.position()
        mover, points = position.turn, []
        while position.turn == mover:
            steps = sorted(position.steps())
            point = max(steps, key=lambda step: (abs(step[0]) == 4 and abs(step[1]) == 5, self.rng.random()))
            points.append(point)
            position = position.step(point)
        return points


class WaitsAfterAnOwnGoal(SoundClient):
    """Takes it that a goal is won by the player who has moved last, and waits if that is not so."""

    def hear(self, message: Any) -> None:
        winner = message.find("gameOver/player[@result='winner']")
        own_goal = winner is not None and winner.get("nick") == self.name and self.others_turn
        if not own_goal or message.find(".//point") is None:
            super().hear(message)

    def hear_state(self, points: Points, following: str) -> None:
        self.others_turn = following == self.name
        super().hear_state(points, following)
        self.others_turn = True

    others_turn = False


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    with_fault(OneMessageASegment, SoundClient): "joined",
    with_fault(WholeSegments, SoundClient): "bytes",
    ForgetsBounces: "second-in",
    DrawsALineTwice: "first-in",
    TurnsThePitch: "first-in",
    ForgetsTheOthersMove: "first-in",
    MovesOutOfTurn: "first-in",
    NoGameId: "first-in",
    FirstGameId: "three-games",
    BareMoves: "first-in",
    ByteOrderMark: "first-in",
    OpenTag: "first-in",
    PlusSigns: "first-in",
    OtherNames: "first-in",
    OtherGameType: "first-in",
    UnknownGameType: "first-in",
    EndsWhenTheOtherLeaves: "drop-in-clients-turn",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    ForgetsTheBorder: "bounces",
    GoesOnInACorner: "bounces",
    WaitsAfterAnOwnGoal: "own-goal",
}
