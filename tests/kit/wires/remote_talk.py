"""What players and masters of remote games say and hear, for tests; a master of Nim; and a host that has one."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field

from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.paper_soccer_talk import WIRE, login, message

ACCEPTED = message("loginResponse", '<response accept="yes"/>')
#: Masters may come from anywhere: all clients of a host in memory are elsewhere.
OPEN: Mapping[str, str] = {"paper-soccer.masters": "any"}

Id = int | str


def refused(number: int, reason: str | None = None) -> str:
    why = "/>" if reason is None else f">{reason}</error>"
    return message("loginResponse", f'<response accept="no"/><error id="{number}"{why}')


def master_login(game_type: str = "nim", least: Id = 2, most: Id = 2, name: str = "nim-1") -> str:
    numbers = f'playersMin="{least}" playersMax="{most}"'
    return message("gameMasterLogin", f'<gameMasterLogin id="{name}" gameType="{game_type}" {numbers}/>')


def game(game_id: Id) -> str:
    return f'<gameId id="{game_id}"/>'


def begin(game_id: Id, *names: str) -> str:
    return message("beginGame", game(game_id) + "".join(f'<player nick="{name}"/>' for name in names))


def element(tag: str, content: str) -> str:
    return f"<{tag}>{content}</{tag}>" if content else f"<{tag}/>"


def state(game_id: Id, nick: str, content: str = "") -> str:
    return message("gameState", f'{game(game_id)}<nextPlayer nick="{nick}"/>{element("gameState", content)}')


def over(game_id: Id, results: Mapping[str, bool], content: str = "") -> str:
    rows = "".join(f'<player nick="{one}" result="{"winner" if won else "loser"}"/>' for one, won in results.items())
    return message("gameState", f"{game(game_id)}<gameOver>{rows}</gameOver>{element('gameState', content)}")


def move(game_id: Id, content: str = '<take n="1"/>') -> str:
    return message("move", game(game_id) + element("move", content))


def left(game_id: Id, nick: str) -> str:
    return message("playerLeftGame", f'<player nick="{nick}"/>{game(game_id)}')


def thanks(game_id: Id) -> str:
    return message("thank you", game(game_id))


def leave(game_id: Id) -> str:
    return message("leaveGame", game(game_id))


ERROR = message("error")[: -len("></message>")] + "/>"


def is_error(line: str) -> bool:
    return line.startswith('<message type="error"')


@define
class _Nim:
    """A game of Nim: a heap, and the players who are still in."""

    names: list[str]
    heap: int = 7
    turn: int = 0


@define
class NimMaster:
    """
    A master of Nim with one heap, for any number of players. It has no luck. Who takes the last one has won; a move that takes
    none, or more than there are, loses.
    """

    #: How many there are at the beginning.
    heap: int = 7
    games: dict[str, _Nim] = field(factory=dict)

    def hear(self, line: str) -> list[str]:
        """What it says to a message of the host."""
        found = re.search(r'<gameId id="([^"]*)"/>', line)
        number = found[1] if found else ""
        nicks = re.findall(r'<player nick="([^"]*)"', line)
        if line.startswith('<message type="beginGame">'):
            self.games[number] = _Nim(nicks, self.heap)
        elif number not in self.games:
            return []
        one = self.games[number]
        if line.startswith('<message type="playerLeftGame">'):
            return self._left(number, one, one.names.index(nicks[0]))
        if line.startswith('<message type="move">'):
            taken = re.search(r'<take n="([1-3])"/>', line)
            number_taken = int(taken[1]) if taken else 0
            if not 1 <= number_taken <= one.heap:
                return [self._end(number, one, one.turn, False)]
            one.heap -= number_taken
            if not one.heap:
                return [self._end(number, one, one.turn, True)]
            one.turn = (one.turn + 1) % len(one.names)
        return [self._state(number, one)]

    def _left(self, number: str, one: _Nim, place: int) -> list[str]:
        had_turn = place == one.turn
        del one.names[place]
        if len(one.names) == 1:
            del self.games[number]
            return []
        one.turn = (one.turn - (place < one.turn)) % len(one.names)
        return [self._state(number, one)] if had_turn else []

    def _state(self, number: str, one: _Nim) -> str:
        return state(number, one.names[one.turn], f'<heap left="{one.heap}"/>')

    def _end(self, number: str, one: _Nim, place: int, won: bool) -> str:
        del self.games[number]
        results = {name: (seat == place) is won for seat, name in enumerate(one.names)}
        return over(number, results, f'<heap left="{one.heap}"/>')


class RemoteHost(MemoryHost):
    """A host with robots: masters that answer whatever they are told, as soon as they are told."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.robots: list[tuple[Client, Callable[[str], Sequence[str]]]] = []
        super().__init__(*args, **more)

    def add_master(self) -> Client:
        """A master of Nim that answers by itself."""
        client = self.connect(WIRE, "192.0.2.200")
        client.say(master_login())
        assert client.heard() == [ACCEPTED]
        self.robots.append((client, NimMaster().hear))
        self.until_idle()
        return client

    def until_idle(self) -> None:
        super().until_idle()
        again = True
        while again:
            again = False
            for client, hear in self.robots:
                if not client.closed:
                    for line in client.heard():
                        answers = hear(line)
                        again = again or bool(answers)
                        for answer in answers:
                            client.transport.receive(f"{answer}\n".encode())
            super().until_idle()


class World:
    """A host, with clients by their names."""

    def __init__(self, settings: Mapping[str, str] = {}, **more: Any) -> None:
        self.host = RemoteHost({**OPEN, "limits.unlimited": "yes", **settings}, **more)

    def master(self, *args: Any, **more: Any) -> Client:
        client = self.host.connect(WIRE, "192.0.2.200")
        client.say(master_login(*args, **more))
        accepted, *rest = client.heard()
        assert accepted == ACCEPTED
        client.transport._read[:] = "".join(f"{line}\n" for line in rest).encode()  # for the test to hear
        return client

    def connect(self) -> Client:
        return self.host.connect(WIRE)

    def player(self, name: str, game_type: str = "nim") -> Client:
        client = self.connect()
        assert client.ask(login(name, game_type))[:1] == [ACCEPTED]
        return client

    def game(self, *names: str) -> tuple[Client, list[Client]]:
        """A master, and players in a game of whom the first is to move; nothing unread."""
        master = self.master("nim", len(names), len(names))
        players = [self.player(name) for name in names]
        assert master.heard() == [begin(1, *names)]
        master.say(state(1, names[0]))
        for player in players:
            assert player.heard()[-1] == state(1, names[0])
        return master, players

    @property
    def outcomes(self) -> list[str]:
        """How the games have ended, as the journal has it."""
        journal = self.host.journal
        return [entries[-1].outcome for _, entries in sorted(journal.entries.items()) if entries]
