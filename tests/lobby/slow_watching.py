"""
Matches of a cluster in memory, those who watch them, and members that are killed and join: `python -m twisted.trial
tests.lobby.slow_watching`. About ten seconds.
"""

import random
from typing import Any

from attrs import define, field
from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import JournalledChance
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.messages import MESSAGES
from gamehost.journal.records import TableId
from gamehost.journal.replay import history, new_master, replay
from tests.kit.memory_cluster import MemberHost, World
from tests.kit.memory_host import Client
from tests.kit.wires.open import line
from tests.tables.test_gallery import differences

NAMES = ("ann", "bob", "carl", "dora", "eve", "fred")


@define(eq=False)
class Watching:
    """Somebody who watches one match through a member, as long as that member and the leader live."""

    client: Client
    table: TableId
    member: MemberHost
    leader: MemberHost
    told: list[dict[str, Any]] = field(factory=list)

    @property
    def alive(self) -> bool:
        return not (self.member.clock.dead or self.leader.clock.dead)

    def read(self) -> None:
        if self.alive:
            self.told += [json.decode(text) for text in self.client.heard()]


class Run:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World(3)
        self.players: dict[str, tuple[Client, MemberHost]] = {}
        self.watching: list[Watching] = []
        for name in NAMES:
            self.log_in(name)
        self.world.wait(1)

    @property
    def members(self) -> list[MemberHost]:
        return [host for host in self.world.hosts if not host.clock.dead]

    def log_in(self, name: str) -> None:
        member = self.rng.choice(self.members)
        client = member.connect()
        client.say(f"LOGIN|{name}")
        self.players[name] = client, member
        self.world.wait(0.3)

    def is_there(self, name: str) -> bool:
        client, member = self.players[name]
        return not (member.clock.dead or client.transport.disconnected)

    def step(self) -> None:
        kind = self.rng.random()
        journal = self.world.journal
        tables = [one.table for one in journal.records() if one.entries and not one.entries[-1].outcome]
        if kind < 0.5 and tables:
            self.move(self.rng.choice(tables))
        elif kind < 0.62:
            name = self.rng.choice(NAMES)
            if self.is_there(name):
                self.players[name][0].drop()
                self.world.wait(0.1)
            self.log_in(name)
        elif kind < 0.75 and tables:
            member, table = self.rng.choice(self.members), self.rng.choice(tables)
            client = member.connect("open")
            client.send(line(do="watch", table=table))
            self.watching.append(Watching(client, table, member, self.members[0]))
        elif kind < 0.79 and len(self.members) > 1:
            self.kill()
        else:
            self.world.wait(self.rng.choice((0.05, 0.3, 1.2)))
        for one in self.watching:
            one.read()

    def move(self, table: TableId) -> None:
        record, chance = self.world.journal.record(table), JournalledChance()
        master: Any = replay(ONITAMA, new_master(ONITAMA, record.opening, chance), chance, record.entries)
        name = record.opening.seats[master.position.turn].name
        if self.is_there(name):
            move = ONITAMA.write(self.rng.choice(list(master.position.moves()))).decode("ascii")
            self.players[name][0].say("MAKE_MOVE|" + move.replace(" ", "|"))

    def kill(self) -> None:
        """A member is lost, and another one may join. Its players come back."""
        self.rng.choice(self.members).kill()
        self.world.wait(1)
        for name in NAMES:
            if not self.is_there(name):
                self.log_in(name)
        if self.rng.random() < 0.6:
            self.world.join()

    def events(self, table: TableId) -> list[tuple[int, Any]]:
        record = self.world.journal.record(table)
        told = history(ONITAMA, record.opening, record.entries)
        return [(n, json.decode(json.encode(MESSAGES.event(event)))) for n, event in told.events]


class WatchingTests(SynchronousTestCase):
    def test_everything_is_told_once(self) -> None:
        told = moved = 0
        for seed in range(150):
            run = Run(seed)
            for _ in range(60):
                run.step()
            run.world.wait(3)
            for one in run.watching:
                one.read()
                if not one.told or one.told[0]["is"] == "sorry":
                    continue
                events = [(message["n"], message["event"]) for message in one.told if message["is"] == "event"]
                expected = [event for event in run.events(one.table) if event[0] > one.told[0]["n"]]
                self.assertEqual(events, expected if one.alive else expected[: len(events)], (seed, one.told))
                told += len(events)
                moved += one.told[0].get("presence") is False and any(each["is"] == "back" for each in one.told)
        self.assertGreater(told, 1000)
        self.assertGreater(moved, 20, "matches that the leader has taken over while they were watched")


# What those who watch must not learn, in about ten minutes.


class ManySecretsTests(SynchronousTestCase):
    timeout = 3600

    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a watcher, or a reader of the history, learn what the rules hide."""
        self.assertEqual(list(differences(10_000, first_seed=1_000_000)), [])
