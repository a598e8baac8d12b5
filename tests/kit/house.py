"""House players for tests: rules for all games, processes that only note who is to sit down, and one that plays in memory."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from attrs import define, field

from gamehost.client.core import ClientCore
from gamehost.limits import Limits
from gamehost.lobby.house import HouseRules
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.players.base import Level, SeededChance, Thinking
from gamehost.players.registry import PLAYERS
from gamehost.programs.open import OpenProgram
from gamehost.wires.open import messages as m
from gamehost.wires.open.house import house_wire
from tests.kit.memory_host import Client, MemoryHost

GAMES = ("eriantys", "onitama", "paper-soccer", "stratego")
SECRET = "5ec2e7"

#: Who waits alone for 20 seconds gets an opponent.
RULES = HouseRules(dict.fromkeys(GAMES, 20.0))


@define
class NotedPrograms:
    """Programs that never come."""

    games: Collection[str] = GAMES
    #: Who was to sit down.
    called: list[str] = field(factory=list)
    #: The groups that were named then.
    groups: list[int] = field(factory=list)

    def sit(self, name: str, group: int) -> None:
        self.called.append(name)
        self.groups.append(group)


def house_host(
    settings: Mapping[str, str] = {}, rules: HouseRules = RULES, **more: object
) -> tuple[MemoryHost, NotedPrograms]:
    """A host with house players whose programs never come."""
    host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger", **settings}, house_rules=rules, **more)  # type: ignore[arg-type]
    programs = NotedPrograms()
    host.lobby.house.started(programs)
    return host, programs


def house_factory(host: MemoryHost) -> WireFactory[Any]:
    """The private listener of a host in memory."""
    limits = Limits(unlimited=True)
    shared = HostContext(host.clock, host.lobby, limits, ConnectionLimiter(limits), host.context.cork)
    return WireFactory(house_wire(SECRET.__eq__), {}, shared)


class HousePlayer:
    """One program and its connection."""

    def __init__(self, process: "HouseProcess", name: str) -> None:
        self.name = name
        self.process = process
        self.core = ClientCore(m.Enter(name, SECRET), lambda: 0.5)
        level = Level(name.partition(".")[0])
        #: The answers that the host refused.
        self.refused: list[m.Refused] = []
        self.acts: list[str] = []
        #: All bytes that it was told.
        self.told = b""
        #: Keeps the program from thinking.
        self.asleep = False

        def new_player(game: str, seat: Any) -> Any:
            return PLAYERS[game](seat, level, Thinking(SeededChance(process.seed), effort=process.effort))

        self.program = OpenProgram(new_player)
        self.link = Client(process.host, process.factory, "")
        self.core.connection_made(process.host.clock.seconds())

    @property
    def over(self) -> bool:
        return self.program.over is not None or self.link.closed

    def exchange(self) -> bool:
        """Hear and say what there is. Whether there was anything."""
        said = self.core.take_output()
        if said:
            self.link.send(said)
        told = self.link.transport.read()
        self.told += told
        for message in self.core.received(told, self.process.host.clock.seconds()):
            if isinstance(message, m.Refused):
                self.refused.append(message)
            for answer in self.program.hear(message):
                self.core.say(answer)
        match = self.program.match
        work = None if match is None or self.asleep else match.work()
        if match is not None and work is not None:
            for act in self.program.act(match, work()):
                assert isinstance(act, m.Act)
                self.acts.append(act.action)
                self.core.say(act)
        return bool(said or told or work)


class HouseProcess:
    """The process of the house players, in memory and without threads."""

    def __init__(self, host: MemoryHost, seed: int = 1, effort: float = 0.05) -> None:
        self.host, self.seed, self.effort = host, seed, effort
        self.factory = house_factory(host)
        self.games: Collection[str] = GAMES
        self.players: dict[str, HousePlayer] = {}
        #: All that there were.
        self.seen: list[HousePlayer] = []
        #: Called with each that comes.
        self.came: Callable[[HousePlayer], None] = lambda player: None
        host.lobby.house.started(self)

    def sit(self, name: str, group: int) -> None:
        if name not in self.players or self.players[name].link.closed:
            player = self.players[name] = HousePlayer(self, name)
            self.seen.append(player)
            self.came(player)

    def settle(self) -> bool:
        """Let all do what there is to do. Whether anybody did anything."""
        any_did = False
        while any([player.exchange() for player in list(self.players.values()) if not player.over]):
            any_did = True
        for name, player in list(self.players.items()):
            if player.over and not player.link.closed:
                player.link.drop()
                del self.players[name]
        return any_did

    def kill(self) -> None:
        """The process ends, and another one begins."""
        self.games = ()
        players, self.players = self.players, {}
        for player in players.values():
            player.link.drop()

    def restart(self) -> None:
        """A new process is there."""
        self.games = GAMES
        self.host.lobby.house.started(self)
