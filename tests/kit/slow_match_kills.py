"""
kill -9 while slow matches are opened, joined, played and left by their players, who take holidays, and claim what becomes of
quick matches: is what anybody was told of there later, and does each deadline end its match once, and not because the host did
not run?

    python -m tests.kit.slow_match_kills 100 [SEED] [file | postgresql | cluster]

The store is a file, or a PostgreSQL of its own for one host or for three members of a cluster, of which one is killed or two.

Every host gets a clock of the wall that is some hours ahead of the last one's. What was asked for, and of which nobody was
told, may be there or not.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from socket import SHUT_WR
from typing import Any

from attrs import define, field

from gamehost.journal.records import EntryKind
from gamehost.storage.copying import inspecting
from gamehost.storage.row_codec import Undecodable
from tests.kit.cluster import Cluster
from tests.kit.kills import Lost
from tests.kit.model_clients.open import text
from tests.kit.postgresql import new_server
from tests.kit.process import HostProcess, Socket

NAMES = ("olga", "ben", "tom")
MOST_STEPS = 14
DAY = 86_400
_BY_TIME = (EntryKind.EXPIRED, EntryKind.ARCHIVED)
OPTIONS = (
    "--resume=never",
    "--grace=1",
    "--set",
    "limits.open_tables=1000",
    "--set",
    "limits.slow_matches_per_guest=100000",
)


@define(eq=False)
class Match:
    """What somebody was told of a match."""

    #: The number of the last entry that was told to anybody.
    n: int = 0
    over: bool = False


@define(eq=False)
class Person:
    name: str
    key: str = ""
    socket: Socket | None = None
    #: Private tables of this one that wait: number -> code.
    waits: dict[int, str] = field(factory=dict)
    #: The matches of this one, and the tables where it sits.
    plays: set[int] = field(factory=set)
    sits: set[int] = field(factory=set)
    #: The quick match in which this one has a seat, as far as it knows; 0: none.
    quick: int = 0
    #: The end of the holiday that was told last; 0: there was none; `None`: it is asked for.
    until: int | None = 0


@define(eq=False)
class SlowCompany:
    """Some guests, and what they know of their matches."""

    rng: random.Random
    people: list[Person] = field(factory=lambda: [Person(name) for name in NAMES])
    matches: dict[int, Match] = field(factory=dict)
    #: The quick matches, and the winners of those with an end that somebody was told.
    quick: set[int] = field(factory=set)
    ends: dict[int, list[int]] = field(factory=dict)
    #: How many claims were made, and seconds by which the host's clock is ahead.
    claims: int = 0
    ahead: float = 0.0
    told: int = 0

    def enter(self, host: HostProcess, one: Person) -> None:
        one.socket = host.connect("open")
        one.sits.clear()
        one.socket.say(text(do="enter", name=one.name, **({"key": one.key} if one.key else {})))
        one.waits.clear()
        entered = self.hear(one, "entered")
        one.key = entered["key"]
        self.welcome(one, entered)
        self.settle(one)

    def welcome(self, one: Person, entered: dict[str, Any]) -> None:
        """The quick match of this one has ended as others were told, or goes on; and its holiday is as it was told."""
        table, one.quick = one.quick, 0
        missed = {row["table"]: row["winners"] for row in entered.get("missed", ())}
        if entered.get("table"):
            # The host was killed before it had noted who was told of the end; or there is none.
            if self.hear(one, "over" if table in self.ends else "back")["is"] != "over":
                self.ask(one, text(do="leave"), "over")
        elif table in self.ends and missed.get(table) != self.ends[table]:
            raise Lost(f"{one.name} has missed the end of table {table}, {self.ends[table]}, and was told {entered}")
        until = one.until
        self.ask(one, text(do="holiday"), "holiday")
        over = one.until == 0 and until is not None and until < (time.time() + self.ahead + 60) * 1000
        if until not in (None, one.until) and not over:
            raise Lost(f"{one.name} was told of a holiday until {until}, and now until {one.until}")

    def check(self, one: Person) -> None:
        """Each match that this one was told of is there, with all of which anybody was told, unless it has ended."""
        for table in sorted(one.plays):
            match = self.matches[table]
            if match.over:
                continue
            answer = self.ask(one, text(do="sit", table=table), "seated")
            if answer["is"] == "sorry":
                match.over = True  # nobody was told of the end; `ends` looks for it
            elif answer["n"] < match.n:
                raise Lost(f"table {table} has entry {answer['n']}, and {match.n} was told")
            else:
                self.settle(one)
                self.ask(one, text(do="rise", table=table), "risen")
                one.sits.discard(table)

    def ask(self, one: Person, said: str, kind: str) -> dict[str, Any]:
        assert one.socket is not None
        one.socket.say(said)
        return self.hear(one, kind)

    def hear(self, one: Person, kind: str) -> dict[str, Any]:
        while True:
            assert one.socket is not None
            line = one.socket.hear()
            if not line:
                raise ConnectionError("the host is gone")
            message: dict[str, Any] = json.loads(line)
            self.take(one, message)
            if message["is"] in (kind, "sorry", "refused"):
                return message
            if message["is"] == "bye":
                raise Lost(f"{one.name}: {message['why']}")

    def take(self, one: Person, message: dict[str, Any]) -> None:
        """Note what was told."""
        self.told += 1
        kind, table = message["is"], message.get("table", 0)
        if kind == "seeking":
            one.waits[table] = message.get("code", "")
        elif kind == "holiday":
            one.until = message.get("until", 0)
        elif table in self.quick and kind in ("seated", "event", "over"):
            one.quick = 0 if kind == "over" else table
            if kind == "over" and self.ends.setdefault(table, message["winners"]) != message["winners"]:
                raise Lost(f"table {table} has ended with {self.ends[table]} and with {message['winners']}")
        elif kind == "seated":
            for other in self.people:
                other.waits.pop(table, None)
            one.plays.add(table)
            one.sits.add(table)
            match = self.matches.setdefault(table, Match())
            match.n = max(match.n, message["n"])
        elif kind == "event":
            self.matches[table].n = max(self.matches[table].n, message["n"])
        elif kind == "over":
            self.matches[table].over = True
            one.sits.discard(table)

    def settle(self, one: Person) -> None:
        """Hear all that was told until now."""
        self.ask(one, text(do="ping", id=7), "pong")

    def step(self, one: Person, wait: bool) -> None:
        """Somebody does something. `wait`: until it was answered."""
        sits = sorted(one.sits)
        goes_on = sorted(table for table in one.plays - one.sits if not self.matches[table].over)
        open_ones = [(table, code) for other in self.people if other is not one for table, code in other.waits.items()]
        what = self.rng.random()
        if what < 0.05:
            ask, answer = text(do="holiday", days=self.rng.randrange(4)), "holiday"
        elif what < 0.2 and len(one.waits) < 4:
            ask, answer = text(do="seek", game="onitama", private=True, settings={"move_days": 1}), "seeking"
        elif what < 0.4 and open_ones:
            table, code = self.rng.choice(open_ones)
            ask, answer = text(do="join", table=table, code=code), "seated"
        elif what < 0.55 and goes_on and len(sits) < 8:
            ask, answer = text(do="sit", table=self.rng.choice(goes_on)), "back"
        elif what < 0.62 and sits:
            ask, answer = text(do="rise", table=sits[0]), "risen"
            if wait:
                one.sits.discard(sits[0])
        elif what < 0.65 and sits:
            ask, answer = text(do="leave", table=sits[-1]), "over"
        elif sits:
            table = self.rng.choice(sits)
            moves = self.ask(one, text(do="moves", table=table), "moves").get("moves")
            if not moves:
                return
            ask, answer = text(do="act", table=table, action=self.rng.choice(moves)["action"]), "event"
        else:
            return
        assert one.socket is not None
        one.socket.say(ask)
        if wait:
            self.hear(one, answer)
            self.settle(one)
        elif answer in ("holiday", "event"):
            one.until = None  # a move may end it

    def last_step(self) -> None:
        """Something of which perhaps nobody is told."""
        if self.rng.random() < 0.3:
            self.claim(*self.rng.sample(self.people, 2))
        else:
            self.step(self.rng.choice(self.people), wait=False)

    def claim(self, one: Person, other: Person) -> None:
        """Two begin a quick match, one of them goes away for too long, and the other decides what becomes of it."""
        opened = self.ask(one, text(do="seek", game="onitama", private=True), "seeking")
        if opened["is"] != "seeking":
            return
        table = opened["table"]
        self.quick.add(table)
        one.waits.pop(table, None)
        answer = self.ask(other, text(do="join", table=table, code=opened["code"]), "seated")
        if answer["is"] != "seated":
            return
        self.hear(one, "seated")
        assert one.socket is not None and other.socket is not None
        other.socket.close()
        other.socket = None
        self.hear(one, "claim")
        one.socket.say(text(do="claim", table=table, **{"as": self.rng.choice(("win", "draw"))}))
        self.claims += 1
        if self.rng.random() < 0.5:
            self.hear(one, "over")

    def live(self, host: HostProcess) -> None:
        """Come in, look whether everything is there, do something, and see the host killed meanwhile."""
        for one in self.people:
            self.enter(host, one)
        for one in self.people:
            self.check(one)
        for _ in range(self.rng.randrange(MOST_STEPS)):
            self.step(self.rng.choice(self.people), wait=True)
        self.last_step()
        if self.rng.random() < 0.5:
            time.sleep(self.rng.random() / 50)
        host.kill()
        self.close()

    def close(self) -> None:
        """The host is gone: hear what it has still said."""
        for one in self.people:
            if one.socket is not None:
                with suppress(OSError):
                    while (line := one.socket.hear()) != "":
                        self.take(one, json.loads(line))
                one.socket.close()
                one.socket = None


#: Seconds within which a match is where its player can sit: a member that was killed is taken over first.
PATIENCE = 30.0


@define(eq=False)
class Members(SlowCompany):
    """People with accounts, who come to any member of a cluster each time."""

    cluster: Any = None

    def enter(self, host: HostProcess, one: Person) -> None:
        one.sits.clear()
        one.waits.clear()
        until = time.monotonic() + PATIENCE
        while True:
            one.socket = self.rng.choice(self.cluster.alive).connect("open")
            with suppress(OSError, Busy):
                one.socket.say(text(do="log-in", name=one.name, password="correct horse"))
                entered = self.hear(one, "entered")
                if entered["is"] == "entered":
                    self.welcome(one, entered)
                    self.settle(one)
                    return
            if time.monotonic() > until:
                raise Lost(f"{one.name} does not come in")
            time.sleep(0.1)

    def hear(self, one: Person, kind: str) -> dict[str, Any]:
        try:
            return super().hear(one, kind)
        except Lost as error:
            if "busy" in str(error) or "another connection" in str(error):
                raise Busy from error
            raise

    def check(self, one: Person) -> None:
        for table in sorted(one.plays):
            until = time.monotonic() + PATIENCE
            while not (self.matches[table].over or self.sees(one, table)):
                if time.monotonic() > until:
                    raise Lost(f"{one.name} does not sit at table {table}: {self.refused}")
                time.sleep(0.1)

    #: Why nobody could sit last.
    refused: str = ""

    def sees(self, one: Person, table: int) -> bool:
        match = self.matches[table]
        answer = self.ask(one, text(do="sit", table=table), "seated")
        if answer["is"] == "seated":
            if answer["n"] < match.n:
                raise Lost(f"table {table} has entry {answer['n']}, and {match.n} was told")
            self.settle(one)
            self.ask(one, text(do="rise", table=table), "risen")
            one.sits.discard(table)
            return True
        self.refused = answer["why"]
        # Nobody was told of the end, perhaps.
        match.over = not self.cluster.last_entries([table])
        return False

    def storm(self) -> None:
        """Come in, look whether everything is there, do something, and see members killed meanwhile; those start again."""
        for one in self.people:
            self.enter(self.cluster.alive[0], one)
        for one in self.people:
            self.check(one)
        for _ in range(self.rng.randrange(MOST_STEPS)):
            self.step(self.rng.choice(self.people), wait=True)
        self.last_step()
        killed = self.rng.sample(self.cluster.alive, self.rng.choice((1, 1, 2)))
        for member in killed:
            member.kill()
        for one in self.people:
            # A member that lives says nothing more to who has gone.
            if one.socket is not None:
                with suppress(OSError):
                    one.socket.socket.shutdown(SHUT_WR)
        self.close()
        for member in killed:
            self.cluster.start(member.number)


class Busy(Exception):
    """Somebody cannot come in at this moment."""


def kill_members(times: int, seed: int, folder: Path) -> int:
    """
    As `kill_at_random`, of a cluster of three. The clock of all is some hours later each time, and deadlines count at once.

    :raises Lost: as there; or a member that was not killed has ended
    """
    later, ahead = folder / "later", 0.0
    later.write_text("0")
    environment = {"GAMEHOST_LATER": str(later), "GAMEHOST_LATER_DATABASE": "1"}
    options = (*OPTIONS, "--set", "limits.slow_matches_per_account=100000", "--slow-after-start=0")
    server = new_server()
    try:
        with Cluster(
            server, folder, ["open"], options=options, module="tests.kit.later_host", environment=environment
        ) as cluster:
            company = Members(random.Random(seed), cluster=cluster)
            for _ in range(times):
                company.storm()
                if len(cluster.alive) < 3:
                    raise Lost("a member has ended that was not killed")
                ahead += company.rng.random() * DAY / 2
                later.write_text(str(ahead))
                company.ahead = ahead
            url = server.url(cluster.database)
        check_ends((), ends(url), True)
    finally:
        server.remove()
    return company.told


def ends(path: Path | str) -> dict[int, list[tuple[EntryKind, int]]]:
    """By table that has ended by its deadline: the kinds and the times of its entries, of a store that no host has open."""
    found: dict[int, list[tuple[EntryKind, int]]] = {}
    with inspecting(str(path)) as reader:
        for summary in reader.tables():
            if isinstance(summary, Undecodable):
                raise Lost(str(summary))
            _, record = reader.table(summary.table)
            entries = [(entry.kind, entry.at) for entry in record.entries]
            if entries and entries[-1][0] in _BY_TIME:
                found[summary.table] = entries
    return found


def check_ends(before: Collection[int], after: dict[int, list[tuple[EntryKind, int]]], may_end: bool) -> None:
    """
    :raises Lost: a deadline has counted twice, too early, or although the host did not run before
    """
    for table, entries in after.items():
        if sum(kind in _BY_TIME for kind, _ in entries) != 1:
            raise Lost(f"table {table} has ended more than once: {entries}")
        if entries[-1][1] - entries[-2][1] < DAY * 1000:
            raise Lost(f"table {table} has ended too early: {entries}")
        if table not in before and not may_end:
            raise Lost(f"table {table} has ended by time, although the host did not run: {entries}")


def kill_on_postgresql(times: int, seed: int, folder: Path) -> int:
    """As `kill_at_random`, with the store in a database."""
    server = new_server()
    try:
        return kill_at_random(times, seed, folder, server.url(server.new_database()))
    finally:
        server.remove()


def kill_at_random(times: int, seed: int, folder: Path, store: str = "store.sqlite") -> int:
    """
    Kill a host so often, and compare what its players were told with what it knows afterwards. Each host is some hours later
    than the one before; in every third one deadlines count at once.

    :returns: how many messages were heard
    :raises Lost: a match, an entry or an end is missing, or a deadline has counted that must not
    """
    company, later, ended = SlowCompany(random.Random(seed)), 0.0, dict[int, list[tuple[EntryKind, int]]]()
    for _ in range(times):
        may_end = company.rng.random() < 0.33
        later += company.rng.random() * DAY / 2
        options = (*OPTIONS, f"--slow-after-start={0 if may_end else 43_200}")
        company.ahead, environment = later, {"GAMEHOST_LATER": str(later)}
        if "://" in store:
            environment["GAMEHOST_LATER_DATABASE"] = "1"
        with HostProcess(
            *options,
            wires=["open"],
            folder=folder,
            store=store,
            module="tests.kit.later_host",
            environment=environment,
        ) as host:
            company.live(host)
        after = ends(store if "://" in store else folder / store)
        check_ends(ended, after, may_end)
        ended = after
    return company.told


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        trial = {"postgresql": kill_on_postgresql, "cluster": kill_members}.get(sys.argv[-1], kill_at_random)
        print(trial(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, Path(made)))
