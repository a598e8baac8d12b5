"""What clients of the XML wire say and hear, for tests: messages as a client writes them, and a table for two."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from gamehost.wires.paper_soccer import messages as m
from tests.kit.memory_host import Client, MemoryHost

WIRE = "paper-soccer"
#: Segments of one byte are read as fast as they come; by default a busy connection waits between them.
READ_AT_ONCE: Mapping[str, str] = {"limits.unlimited": "yes"}


def message(kind: str, content: str = "") -> str:
    return f'<message type="{kind}">{content}</message>'


def login(nick: str, game_type: str = "paper soccer") -> str:
    return message("playerLogin", f"<playerLogin nick={quoteattr(nick)} gameType={quoteattr(game_type)}/>")


def game_id(game: int | None) -> str:
    return "" if game is None else f'<gameId id="{game}"/>'


def points(*all_points: m.Point) -> str:
    return "".join(f"<point x='{x}' y='{y}'/>" for x, y in all_points)


def move(*all_points: m.Point, game: int | None = 1) -> str:
    return message("move", f"{game_id(game)}<move>{points(*all_points)}</move>")


def thanks(game: int | None = 1) -> str:
    return message("thank you", game_id(game))


def leave(game: int | None = 1) -> str:
    return message("leaveGame", game_id(game))


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

#: The ways to write a move of a game.
SPELLINGS: Mapping[str, Callable[[Sequence[m.Point], int], str]] = {
    "envelope": lambda drawn, game: move(*drawn, game=game) + "\n",
    "no line ends": lambda drawn, game: move(*drawn, game=game),
    "no id": lambda drawn, game: move(*drawn, game=None) + "\n",
    "bare": lambda drawn, game: points(*drawn) + "\n",
    "declared": lambda drawn, game: DECLARATION + move(*drawn, game=game) + "\n",
    "joined": lambda drawn, game: message("error", "mind the gap") + DECLARATION + move(*drawn, game=game) + "\n",
}


def spelled(spelling: str, drawn: Sequence[m.Point], rng: random.Random, game: int = 1) -> str:
    """A move in one of the spellings; `mixed`: in any, as luck will have it."""
    return SPELLINGS[rng.choice(sorted(SPELLINGS)) if spelling == "mixed" else spelling](drawn, game)


def state(next_player: str, *all_points: m.Point, game: int = 1) -> str:
    return message("gameState", f'{game_id(game)}<nextPlayer nick="{next_player}"/>{_points(*all_points)}')


def over(winner: str, loser: str, *all_points: m.Point, game: int = 1) -> str:
    players = f'<player nick="{winner}" result="winner"/><player nick="{loser}" result="loser"/>'
    return message("gameState", f"{game_id(game)}<gameOver>{players}</gameOver>{_points(*all_points)}")


def left(nick: str, game: int = 1) -> str:
    return message("playerLeftGame", f'<player nick="{nick}"/>{game_id(game)}')


def _points(*all_points: m.Point) -> str:
    inside = "".join(f'<point x="{x}" y="{y}"/>' for x, y in all_points)
    return f"<gameState>{inside}</gameState>" if inside else "<gameState/>"


ACCEPTED = message("loginResponse", '<response accept="yes"/>')
SHUTDOWN = '<message type="serverShutdown"/>'


#: Why log-ins are refused, by the id of the error.
REASONS = {
    1: "a name has 1 to 20 letters, digits, _ - or . and nothing else",
    2: 'unknown type of game; expected gameType="paper soccer"',
}


def refused(error: int, reason: str | None = None) -> str:
    reason = REASONS[error] if reason is None else reason
    element = f'<error id="{error}">{reason}</error>' if reason else f'<error id="{error}"/>'
    return message("loginResponse", f'<response accept="no"/>{element}')


#: What a player hears whose first move is to (0, 2).
TOO_FAR = "illegal move: no step from (0, 0) to (0, 2): that is not a neighbouring point"


def error(text: str) -> str:
    return message("error", text)


def parse(line: bytes) -> m.Message:
    """What the server says in a line, read by a parser of somebody else's."""
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    root = ElementTree.fromstring(line.decode("utf-8"))
    assert root.tag == "message"

    def find(path: str) -> Any:
        element = root.find(path)
        assert element is not None, path
        return element.attrib

    drawn = tuple((int(point.attrib["x"]), int(point.attrib["y"])) for point in root.findall("gameState/point"))
    match root.attrib["type"]:
        case "loginResponse" if find("response") == {"accept": "yes"}:
            return m.LoginResponse()
        case "loginResponse":
            return m.LoginResponse(m.LoginError(int(find("error")["id"])), root.findtext("error") or "")
        case "gameState" if root.find("gameOver") is None:
            return m.GameState(find("gameId")["id"], find("nextPlayer")["nick"], drawn)
        case "gameState":
            winner, loser = (find(f"gameOver/player[@result='{how}']")["nick"] for how in ("winner", "loser"))
            return m.GameOver(find("gameId")["id"], winner, loser, drawn)
        case "playerLeftGame":
            return m.PlayerLeftGame(find("player")["nick"], find("gameId")["id"])
        case "serverShutdown":
            return m.ServerShutdown()
        case "error":
            return m.Error(root.text or "")
    raise AssertionError(line)


class Table:
    """A host with ann and bob at table 1: ann moves first, and nothing is unheard."""

    def __init__(self, settings: Mapping[str, str] = {}, **options: Any) -> None:
        self.world = MemoryHost(settings, **options)
        self.bob = self.come("bob")
        self.ann = self.come("ann")
        self.hush()

    def come(self, nick: str, address: str = "192.0.2.1") -> Client:
        client = self.world.connect(WIRE, address)
        client.send(login(nick).encode())
        return client

    def hush(self) -> None:
        """Read what has been said so far."""
        self.ann.heard()
        self.bob.heard()

    def illegal(self, mover: Client) -> list[str]:
        """What both hear after an illegal move, apart from the reason, which its player hears first and alone."""
        reason, *heard = mover.heard()
        assert reason.startswith('<message type="error">illegal move: '), reason
        assert heard == (self.bob if mover is self.ann else self.ann).heard(), heard
        return heard

    def both(self) -> list[str]:
        """What both hear; it must be the same."""
        heard = self.ann.heard()
        assert heard == self.bob.heard(), heard
        return heard
