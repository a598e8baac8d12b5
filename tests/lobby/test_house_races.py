"""People who come and go in any order while house players sit down: nobody is seated twice, and nothing is left behind."""

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from tests.kit.house import RULES, HouseProcess
from tests.kit.invariants import check_house
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.open_case import line

PEOPLE = 4
#: More of them: `GAMEHOST_RACES=5000`.
EXAMPLES = int(os.environ.get("GAMEHOST_RACES", "60"))

STEPS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from((0.0, 0.001, 5.0, 9.999, 10.0, 19.999, 20.0, 60.0))),
    st.tuples(st.sampled_from(("onitama", "open", "third", "house", "asks", "drop")), st.integers(0, PEOPLE - 1)),
    st.tuples(st.sampled_from(("kill", "restart", "late", "release")), st.none()),
)


class Crowd:
    """A host, its house players and some people."""

    def __init__(self) -> None:
        self.host = MemoryHost({"onitama.max_plies": "4"}, house_rules=RULES)
        self.process = HouseProcess(self.host)
        self.clients: list[Client | None] = [None] * PEOPLE

    def step(self, kind: str, value: Any) -> None:
        """Do one thing."""
        match kind:
            case "wait":
                self.host.wait(value)
            case "kill":
                self.process.kill()
            case "restart":
                self.process.restart()
            case "late":
                self.host.journal.late = True
            case "release":
                self.release()
            case _:
                self.of_person(kind, value)
        if self.process.games:
            self.process.settle()
        self.check()

    def release(self) -> None:
        """Everything is durable now."""
        self.host.journal.late = False
        with self.host.context.cork:
            self.host.journal.release()

    def of_person(self, kind: str, number: int) -> None:
        """Somebody does something."""
        client = self.clients[number]
        if client is not None and (kind == "drop" or client.closed):
            client.drop() if not client.closed else None
            self.clients[number] = client = None
        if kind == "asks" and client is not None:
            client.say('{"do":"house","level":"random"}')
        if client is not None or kind in ("asks", "drop"):
            return
        name = f"guest{number}"
        client = self.clients[number] = self.host.connect("onitama" if kind == "onitama" else "open")
        if kind == "onitama":
            client.say(f"LOGIN|{name}")
            return
        more = {"house": "random"} if kind == "house" else {"seats": 3, "game": "eriantys"} if kind == "third" else {}
        client.send(line(do="enter", name=name) + line(do="seek", **{"game": "onitama", **more}))

    def check(self) -> None:
        """Sessions and tables fit each other; those who wait have no seat, and house players have one."""
        links = [
            *(one for one in self.clients if one is not None),
            *(one.link for one in self.process.players.values()),
        ]
        check_house(self.host, links)
        house = self.host.lobby.house
        for session, waiting in house._waiting.items():
            assert session.player is not None, "somebody who has gone waits"
            if session.table is not None:
                raise AssertionError(f"{session.name} waits for {waiting.game.name}, and has a seat")
        for session in house._seats:
            assert session.house, "a person among the house players"
            assert session.table is not None, f"{session.name} has no seat"
            assert self.host.lobby.registry.get(session.name) is session, "a house player without a name"
        for table in self.host.lobby.tables.values():
            assert not all(session.house for session in self.host.lobby.seats._seated[table.id]), "nobody to play with"

    def leave(self) -> None:
        """All people go, and a day later nothing is left."""
        self.release()
        for number in range(PEOPLE):
            self.of_person("drop", number)
        self.process.settle()
        for _ in range(30):
            self.host.wait(3_600)
            self.process.settle()
        assert not self.host.lobby.house._seats, "a house player is left"
        assert not self.host.lobby.house._waiting, "somebody waits"
        assert self.host.unfinished == [], "a match is left"
        assert len(self.host.lobby.registry) == 0, "a name is left"
        assert self.host.clock.getDelayedCalls() == [], "a timer is left"


class RaceTests(PropertyCase):
    """Any order."""

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.lists(STEPS, min_size=8, max_size=40))
    def test_any_order(self, steps: list[tuple[str, Any]]) -> None:
        """Whoever comes in whatever instant, and whatever happens to the process of the house players."""
        crowd = Crowd()
        for kind, value in steps:
            crowd.step(kind, value)
        crowd.leave()
