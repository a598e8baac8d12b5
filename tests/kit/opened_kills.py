"""
kill -9 while tables are opened, joined and given up, and their players come and go: is what anybody was told of there later?

    python -m tests.kit.opened_kills 100 [SEED]

What was asked for, and of which nobody was told, may be there or not.
"""

import json
import random
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from tests.kit.kills import Lost
from tests.kit.model_clients.open import text
from tests.kit.process import HostProcess, Socket

#: Who opens tables, and who joins them.
NAMES = ("olga", "ben", "tom")
#: A host is killed after at most so many steps.
MOST_STEPS = 12
#: The reasons of refusals at a table where a match has begun just now, is about to, or has ended.
OVERTAKEN = ("in a match", 'wait for "seated"', "no table of this number waits for you", "you have no seat")
#: Seconds in which a host tells of a table that begins: on any machine that is not broken.
PATIENCE = 60.0
OPTIONS = ("--resume=never", "--set", "limits.open_tables=1000")


@define(eq=False)
class Person:
    name: str
    key: str = ""
    socket: Socket | None = None
    #: The tables at which this one has a seat, as it was told: number -> names and code.
    waits: dict[int, tuple[list[str], str]] = field(factory=dict)
    #: The match that this one was told of.
    table: int = 0
    #: What was asked for and not answered.
    asked: str = ""


@define(eq=False)
class Company:
    """Some guests, and what they know. Each of them learns all that happens at its tables, sooner or later."""

    rng: random.Random
    people: list[Person] = field(factory=lambda: [Person(name) for name in NAMES])
    #: How much was told.
    told: int = 0

    def enter(self, host: HostProcess, one: Person) -> None:
        """Log in, and be told of the same tables, or of a match that has begun at one of them."""
        one.socket = host.connect("open")
        one.socket.say(text(do="enter", name=one.name, **({"key": one.key} if one.key else {})))
        before, asked, match = dict(one.waits), one.asked, one.table
        one.waits, one.asked, one.table = {}, "", 0
        entered = self.hear(one, "entered")
        one.key = entered["key"]
        missed = {row["table"] for row in entered.get("missed", ())}  # begun and over while this one was away
        if match and entered.get("table") != match and match not in missed and asked != "leave":
            raise Lost(f"{one.name} was told of match {match}, and has a seat at {entered.get('table')}")
        self.settle(one)
        if asked != "stop":
            self.find(one, set(before) - missed)
        for table, (names, code) in before.items():
            now = one.waits.get(table)
            if now is not None and (now[1] != code or not set(names) <= set(now[0]) | self.gone):
                raise Lost(f"table {table} had {names}, and has {now[0]}")

    def find(self, one: Person, tables: set[int]) -> None:
        """
        Be told of each of these tables.

        A table that has all its players begins a moment after the last of them came: until then it is in no message.

        :raises Lost: one of them does not come
        """
        until = time.monotonic() + PATIENCE
        while lost := tables - set(one.waits) - {one.table}:
            if time.monotonic() > until:
                raise Lost(f"{one.name} is not told of the tables {sorted(lost)}")
            self.settle(one)

    @property
    def gone(self) -> set[str]:
        """Who has perhaps given a seat up just now."""
        return {one.name for one in self.people if one.asked == "stop"}

    def hear(self, one: Person, kind: str) -> dict[str, Any]:
        while True:
            assert one.socket is not None
            line = one.socket.hear()
            if not line:
                raise ConnectionError("the host is gone")
            message: dict[str, Any] = json.loads(line)
            self.take(one, message)
            if message["is"] == kind:
                return message
            if message["is"] == "bye":
                raise ConnectionError(message["why"])
            if message["is"] == "sorry" and any(words in message["why"] for words in OVERTAKEN):
                return message
            if message["is"] == "sorry":
                raise Lost(f"{one.name}: {message['why']}")

    def take(self, one: Person, message: dict[str, Any]) -> None:
        """Note what was told."""
        self.told += 1
        kind = message["is"]
        if kind == "entered":
            one.table = message.get("table", 0)
        elif kind == "seeking" and "table" in message:
            one.waits[message["table"]] = (message["names"], message["code"])
        elif kind == "stopped":
            one.waits.clear()  # those that are left are told again
        elif kind == "seated":
            one.waits.pop(message["table"], None)
            one.table = message["table"]
        elif kind == "over":
            one.table = 0

    def settle(self, one: Person) -> None:
        """Hear all that was told until now."""
        assert one.socket is not None
        one.socket.say(text(do="ping", id=7))
        self.hear(one, "pong")

    def step(self, host: HostProcess, wait: bool) -> None:
        """Somebody does something. `wait`: until it was answered."""
        one = self.rng.choice(self.people)
        if one.socket is None:
            if wait:
                self.enter(host, one)
            return
        for other in self.people if wait else ():
            if other.socket is not None:
                self.settle(other)
        what = self.rng.random()
        if one.table:
            ask, answer, one.asked = text(do="leave"), "over", "leave"
        elif what < 0.3 and len(one.waits) < 4:
            ask, answer = text(do="seek", game="onitama", private=True), "seeking"
        elif what < 0.45 and one.waits:
            ask, answer, one.asked = text(do="stop", table=min(one.waits)), "stopped", "stop"
        elif what < 0.6:
            one.socket.close()
            one.socket = None
            return
        elif open_ones := self.joinable(one):
            table, code = self.rng.choice(open_ones)
            ask, answer = text(do="join", table=table, code=code), "seeking"
        else:
            return
        one.socket.say(ask)
        if wait:
            self.hear(one, answer)
            self.settle(one)
            one.asked = ""

    def joinable(self, one: Person) -> list[tuple[int, str]]:
        """The tables that have a seat for this one, as far as their players know."""
        found = {}
        for other in self.people:
            for table, (names, code) in other.waits.items():
                found[table] = (code, len(names) < 2 and one.name not in names and other.socket is not None)
        return [(table, code) for table, (code, free) in sorted(found.items()) if free]

    def close(self) -> None:
        """The host is gone: hear what it has still said."""
        for one in self.people:
            if one.socket is not None:
                with suppress(OSError):
                    while (line := one.socket.hear()) != "":
                        self.take(one, json.loads(line))
                one.socket.close()
                one.socket = None


def kill_at_random(times: int, seed: int, folder: Path, module: str = "gamehost") -> int:
    """
    Kill a host so often, and compare what its players were told with what it knows afterwards.

    :returns: how many messages were heard
    :raises Lost: a table, a seat or a match is missing
    """
    company = Company(random.Random(seed))
    for _ in range(times):
        with HostProcess(*OPTIONS, wires=["open"], folder=folder, store="store.sqlite", module=module) as host:
            for one in company.people:
                company.enter(host, one)
            for one in company.people:
                one.asked = ""
                company.settle(one)
            for _ in range(company.rng.randrange(MOST_STEPS)):
                company.step(host, wait=True)
            for one in company.people:
                if one.socket is not None:
                    company.settle(one)
            company.step(host, wait=False)
            if company.rng.random() < 0.5:
                time.sleep(company.rng.random() / 50)
            host.kill()
            company.close()
    return company.told


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(kill_at_random(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, Path(made)))
