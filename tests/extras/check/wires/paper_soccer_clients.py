"""Clients for Paper Soccer in XML, with one fault each."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from gamehost.games.paper_soccer.rules import Position
from gamehost.wires.paper_soccer import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.kit.checker import changed, instead, with_fault

Points = tuple[tuple[int, int], ...]


class SoundClient(ProgramClient):
    wire = "paper-soccer"
    matches = 3
    #: The points of this match.
    way: Points = ()

    def hear(self, message: Any) -> None:
        self.way = self.way + message.points if isinstance(message, m.GameState) else ()
        super().hear(message)


def back(client: Any, move: m.Move) -> list[m.Move]:
    """The last line once more."""
    return [replace(move, points=((0, 0), *client.way)[-2:-1])] if client.way else [move]


def first_game(client: Any, move: m.Move) -> list[m.Move]:
    client.first = getattr(client, "first", move.game_id)
    return [replace(move, game_id=client.first)]


def without_the_border(client: Any, move: m.Move) -> list[m.Move]:
    """Bounces from drawn lines only, and not from the border."""
    touched = {(0, 0), *client.way}
    stops = next((number for number, point in enumerate(move.points) if point not in touched), len(move.points))
    return [replace(move, points=move.points[: stops + 1])]


def into_a_corner(client: Any, move: m.Move) -> list[m.Move]:
    """Likes corners, and looks for a way out of them."""
    position = Position()
    for point in client.way:
        position = position.step(point)
    mover, points = position.turn, []
    while position.turn == mover:
        steps = sorted(position.steps())
        points.append(max(steps, key=lambda step: (abs(step[0]) == 4 and abs(step[1]) == 5, client.rng.random())))
        position = position.step(points[-1])
    return [replace(move, points=tuple(points))]


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "first-in", joined="joined", wins="wins"),
    with_fault(WholeSegments, SoundClient): "bytes",
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("ForgetsBounces", "first-in", changed(m.Move, points=lambda one: one.points[:1])),
            ("DrawsALineTwice", "first-in", instead(m.Move, back)),
            ("TurnsThePitch", "second-in", changed(m.Move, points=lambda one: tuple((x, -y) for x, y in one.points))),
            ("MovesOutOfTurn", "first-in", instead(m.Move, lambda client, move: [move, move])),
            ("NoGameId", "first-in", changed(m.Move, game_id=lambda move: None)),
            ("FirstGameId", "three-games", instead(m.Move, first_game)),
            ("ForgetsTheBorder", "bounces", instead(m.Move, without_the_border)),
            ("GoesOnInACorner", "bounces", instead(m.Move, into_a_corner)),
        )
    ),
    **dict(
        fault(SoundClient, name, "first-in", writes=lambda client, data, at=at, put=put: re.sub(at, put, data))
        for name, at, put in (
            ("BareMoves", rb'.*"move".*<move>(.*)</move>.*', rb"\1"),
            ("ByteOrderMark", rb"(.*playerLogin)", b"\xef\xbb\xbf\\1"),
            ("OpenTag", rb"(<point[^>]*)/>", rb"\1>"),
            ("PlusSigns", rb'(<point x=")(\d)', rb"\1+\2"),
            ("OtherNames", rb'x="(.*?)" y=', rb'xPos="\1" yPos='),
            ("OtherGameType", rb"paper soccer", rb"Paper_Football"),
            ("UnknownGameType", rb' gameType="[^"]*"', rb""),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            (
                "ForgetsTheOthersMove",
                "first-in",
                instead(
                    m.GameState, lambda client, one: [replace(one, points=()) if one.next_player == "tester" else one]
                ),
            ),
            (
                "EndsWhenTheOtherLeaves",
                "drop-in-clients-turn",
                instead(m.PlayerLeftGame, lambda client, _: client.end() or []),
            ),
            # Takes it that a goal is won by the player who has moved last.
            (
                "WaitsAfterAnOwnGoal",
                "own-goal",
                instead(m.GameOver, lambda client, one: [] if one.winner == "tester" and one.points else [one]),
            ),
        )
    ),
}
