"""House players for tests: rules for all games, and a process that only notes who is to sit down."""

from collections.abc import Collection, Mapping

from attrs import define, field

from gamehost.lobby.house import HouseRules, Programs
from gamehost.testing.memory_host import MemoryHost

GAMES = ("eriantys", "onitama", "paper-soccer", "stratego")

#: Who waits alone for 20 seconds gets an opponent.
RULES = HouseRules(dict.fromkeys(GAMES, 20.0))


@define
class NotedPrograms(Programs):
    """Programs that never come."""

    games: Collection[str] = GAMES
    #: Who was to sit down.
    called: list[str] = field(factory=list)

    def sit(self, name: str) -> None:
        self.called.append(name)


def house_host(
    settings: Mapping[str, str] = {}, rules: HouseRules = RULES, **more: object
) -> tuple[MemoryHost, NotedPrograms]:
    """A host with house players whose programs never come."""
    host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger", **settings}, house_rules=rules, **more)  # type: ignore[arg-type]
    programs = NotedPrograms()
    host.lobby.house.started(programs)
    return host, programs
