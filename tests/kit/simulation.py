"""
A whole host in a drawn world: guests of all wires play over a drawn network, the disk commits in its own time, and the host
dies at any point, also between a commit and its callback. One seed gives one run, to the byte.

`make test-simulation` runs a thousand seeds of ten simulated minutes; the suite runs a few.
"""

import hashlib
import random
import sys
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import inf
from operator import attrgetter

from attrs import frozen
from twisted.internet.base import DelayedCall
from twisted.internet.task import Clock

from gamehost.lobby.house import HouseRules
from tests.kit.journal_oracle import (
    Archive,
    Complaints,
    JournalOracle,
    check_deserted,
    check_forgotten,
    check_house,
    check_informed,
)
from tests.kit.journals import CommittedJournal
from tests.kit.memory_host import MemoryHost, message_text_of
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.players import GAMES
from tests.kit.simulated_attackers import ATTACK_BOUNDS, ATTACK_SETTINGS, SLOW_MATCHES, SLOW_MOVES
from tests.kit.simulated_people import GIVEN_UP, Company, Guest, Link

#: Short matches: an end is worth more than a long middle.
SETTINGS = {"onitama.max_plies": "60", "stratego.max_plies": "60", **ATTACK_SETTINGS, **SLOW_MATCHES, **SLOW_MOVES}

GUESTS = 4
THINKS = 1.5
RUNS = 45.0
DAY = 86_400.0
#: Seconds after which a host ends whose disk does not answer.
GIVE_UP = 10.0


@frozen
class Report:
    seed: int
    #: The hash of every byte the host wrote, when, and to whom.
    trace: str
    #: Tables, entries, finished matches, runs, connections, and ends of runs by their kind.
    counts: Counter[str]


class OrderedClock(Clock):
    """A clock with hundreds of calls, which stay in order: Twisted's sorts all of them whenever anything happens."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: object, **named: object) -> DelayedCall:
        call = DelayedCall(self.rightNow + delay, callable, args, named, self.calls.remove, self._earlier, self.seconds)
        insort(self.calls, call, key=_TIME)
        return call

    def _earlier(self, call: DelayedCall) -> None:
        self.calls.remove(call)
        insort(self.calls, call, key=_TIME)

    def _sortCalls(self) -> None:
        """See that the first one is the next: a call that was put off stays where it was until then."""
        calls = self.calls
        while calls and calls[0].delayed_time:
            call = calls.pop(0)
            call.activate_delay()
            insort(calls, call, key=_TIME)

    @property
    def next(self) -> float:
        """When the next call is due; infinite if there is none."""
        self._sortCalls()
        return self.calls[0].time if self.calls else inf


_TIME = attrgetter("time")


class Simulation:
    """One run of so many simulated minutes, with so many guests of each wire."""

    def __init__(self, seed: int, minutes: float = 2.0, guests: int = GUESTS) -> None:
        self.seed = seed
        self.rng = rng = random.Random(seed)
        self.ends = minutes * 60
        #: Of the world, and of the host.
        self.clock, self.host_clock = OrderedClock(), OrderedClock()
        self.complaints = Complaints()
        self.journal = CommittedJournal()
        self.archive = Archive(self.journal)
        self.new_world = partial(
            MemoryHost,
            SETTINGS,
            bounds=ATTACK_BOUNDS,
            grace=rng.choice((0.0, 5.0, 60.0)),
            move_time=rng.choice(("0", "0", "5", "20")),
            house_rules=HouseRules(dict.fromkeys(GAMES, DAY)),  # those who want such an opponent ask for one
            rng=random.Random(seed + 1).randrange,
        )
        self.world: MemoryHost | None = None
        self.began = 0.0
        self.slow_disk = rng.random() < 0.5
        self.writing = self.reading = self.stopping = self.quiet = False
        self.reader = random.Random(seed + 2)
        #: What the next commit brings: the end before it, after it, or nothing special.
        self.doom = ""
        self.links: list[Link] = []
        self.guests = [
            Guest(MODEL_CLIENTS[wire](f"{wire[-6:]}{number}"), f"192.0.2.{len(MODEL_CLIENTS) * number + kind}")
            for kind, wire in enumerate(MODEL_CLIENTS)
            for number in range(guests)
        ]
        self.trace = hashlib.sha256()
        self.counts: Counter[str] = Counter()

    def run(self) -> Report:
        """From the first run to the day after; an `AssertionError` if the host broke its word."""
        with self.complaints:
            self.start()
            for guest in self.guests:
                self.later(self.rng.random() * 5, self.turn, guest)
            self.later(self.rng.expovariate(1 / RUNS), self.trouble)
            self.go_on_until(self.ends)
            self.come_to_rest()
            self.complaints.check()
        self.counts["tables"] = len(self.journal.openings)
        self.counts["entries"] = sum(map(len, self.journal.entries.values()))
        self.counts["finished"] = sum(bool(e and e[-1].outcome) for e in self.journal.entries.values())
        return Report(self.seed, self.trace.hexdigest(), self.counts)

    # -- time

    def later(self, seconds: float, call: object, *arguments: object) -> None:
        self.clock.callLater(seconds, call, *arguments)  # type: ignore[arg-type]

    def go_on_until(self, end: float) -> None:
        """Let everything happen in the order of time: the host's clock and the world's go side by side."""
        while True:
            mine, world = self.clock.next, self.world
            its = inf if world is None else self.began + self.host_clock.next
            if min(mine, its) > end:
                self.clock.rightNow = end
                if world is not None:
                    world.clock.rightNow = max(world.clock.rightNow, end - self.began)
                return
            if world is not None and its <= mine:
                self.clock.rightNow = max(self.clock.rightNow, its)
                world.clock.rightNow = max(world.clock.rightNow, self.host_clock.next)
                world.clock.advance(0)
            else:
                self.clock.rightNow = mine
                if world is not None:
                    world.clock.rightNow = max(world.clock.rightNow, mine - self.began)
                self.clock.advance(0)
            self.look()

    def look(self) -> None:
        """After each turn: hear what was written, and have the disk begin if there is something to write."""
        for link in self.links:
            data = link.collect()
            if data:
                self.trace.update(b"%d %r %b\n" % (link.number, self.clock.seconds(), data))
        self.company.attackers.listen()
        self.archive.turn_is_over()
        if self.world is not None and self.journal.age > GIVE_UP:
            raise AssertionError(f"the disk has not answered for {self.journal.age:.1f} s")
        if self.world is not None and self.journal.asked and not self.reading:
            self.reading = True
            slow = self.reader.random() < 0.1
            self.later(self.reader.uniform(*((10.0, 15.0) if slow else (0.001, 0.05))), self.read, self.world)
        if self.world is not None and self.journal.queued and not self.writing:
            self.writing = True
            slow = self.slow_disk and self.rng.random() < 0.3
            seconds = self.rng.uniform(0.1, 2.5) if slow else self.rng.uniform(0.0005, 0.01)
            self.later(seconds, self.commit, self.world)
            if slow and self.rng.random() < 0.25:
                self.hurry(seconds)

    # -- the disk

    def commit(self, world: MemoryHost) -> None:
        """What was queued when the disk began is durable now, in whole or, if the host dies of it, in part."""
        if world is not self.world:
            return
        if self.doom == "before":
            self.crash(world)
        elif self.doom == "half":
            self.journal.commit(self.rng.randrange(self.journal.queued + 1))
            self.crash(world)
        else:
            self.journal.commit()
            self.later(self.rng.uniform(0.0, 0.002), self.answer, world)

    def answer(self, world: MemoryHost) -> None:
        """The host hears of it."""
        if world is not self.world:
            return
        if self.doom == "after":
            self.crash(world)
            return
        self.writing = False
        with world.context.cork:
            self.journal.release()
        self.company.turn()
        self.counts["groups"] += 1
        if self.counts["groups"] % 16 == 0 and not self.stopping:
            check_house(world, [*(link.client for link in self.links if not link.dead), *self.company.clients])
        if self.stopping and not self.journal.queued:
            self.say_goodbye(world)

    def read(self, world: MemoryHost) -> None:
        """A question is answered. It may have taken longer than any change may take."""
        if world is self.world:
            self.reading = False
            self.journal.asked.popleft()()

    # -- runs of the host

    def trouble(self) -> None:
        self.later(self.rng.expovariate(1 / RUNS), self.trouble)
        world = self.world
        if world is None or self.stopping or self.quiet:
            return
        kind = self.rng.choice(("now", "before", "half", "after", "stop"))
        self.counts[kind] += 1
        if kind == "now":
            self.crash(world)
        elif kind == "stop":
            self.stop(world)
        else:
            self.doom = kind

    def start(self) -> None:
        """A run begins."""
        self.journal = self.journal.restarted()
        self.journal.clock = self.clock.seconds
        self.began = self.clock.seconds()
        self.writing = self.reading = self.stopping = False
        self.doom = ""
        self.host_clock = OrderedClock()
        self.world = self.new_world(journal=self.journal, clock=self.host_clock)
        seed = 1_000 * self.seed + self.counts["runs"]
        self.company = Company(self.world, self.archive, seed, self.later, self.new_name)
        self.counts["runs"] += 1

    def new_name(self) -> str:
        self.counts["strangers"] += 1
        return f"zed{self.counts['strangers']}"

    def crash(self, world: MemoryHost) -> None:
        assert world is self.world
        for link in self.links:
            link.host_is_gone()
        self.counts += self.company.end()
        self.world = None
        self.later(self.rng.uniform(0.2, 10.0), self.start)

    def stop(self, world: MemoryHost) -> None:
        self.stopping = True
        self.counts += self.company.end()
        world.lobby.close()
        for factory in world.factories.values():
            factory.stop_input()
        if not self.journal.queued and not self.writing:
            self.say_goodbye(world)

    def say_goodbye(self, world: MemoryHost) -> None:
        """All that was accepted is durable and told."""
        for factory in world.factories.values():
            factory.close("the host is stopping")
        self.later(2.5, self.stopped, world)

    def stopped(self, world: MemoryHost) -> None:
        """Nothing of a run that has stopped goes on. A question that is answered late may have it end twice."""
        if world is not self.world:
            return
        if world.clock.getDelayedCalls():
            raise AssertionError("a host that has stopped has timers")
        self.crash(world)

    # -- guests

    def turn(self, guest: Guest) -> None:
        if self.quiet:
            return
        self.later(self.rng.expovariate(1 / THINKS), self.turn, guest)
        now = self.clock.seconds()
        link = guest.link
        if link is None:
            if now >= guest.away_until:
                self.connect(guest)
            return
        rng, client_model = self.rng, guest.client_model
        what = rng.random()
        if what < 0.03:
            if client_model.inside and rng.random() < 0.5:
                guest.say(client_model.move(rng))
            rng.choice((link.finish, link.finish, link.reset, link.vanish))()
            self.lost(guest, link.number)
        elif what < 0.035:
            link.stall(rng.uniform(0.5, 15.0))
        elif what < 0.06:
            guest.say(client_model.nonsense(rng))
        elif not client_model.inside:
            if now - guest.asked > 4:
                guest.asked = now
                guest.log_in()
        else:
            guest.say(client_model.move(rng) or (client_model.guess(rng) if what > 0.8 else ()))

    def hear(self, guest: Guest, data: bytes) -> None:
        for line in guest.message_text.heard(data):
            guest.client_model.hear(line)
        if not self.quiet:
            guest.say(guest.client_model.replies(self.rng))

    def hurry(self, seconds: float) -> None:
        """
        While a slow disk writes for so long: somebody moves, is gone and back at once, and the others there move without
        having heard of it. So a view is made of what is not durable, and waits while more becomes true.
        """
        wire = self.rng.choice(tuple(MODEL_CLIENTS))
        there = [guest for guest in self.guests if guest.link is not None and guest.client_model.wire == wire]
        if self.quiet or not there:
            return
        first = self.rng.choice(there)
        assert first.link is not None
        first.say(first.client_model.move(self.rng))
        first.link.finish()
        self.lost(first, first.link.number)
        self.later(self.rng.uniform(0.06, 0.2), self.connect, first)
        for other in there:
            for _ in range(2 * (other is not first)):
                self.later(self.rng.uniform(0.0, seconds), self.blurt, other)

    def blurt(self, guest: Guest) -> None:
        """Move in turn or out of it."""
        if not self.quiet:
            guest.say(guest.client_model.move(self.rng) or guest.client_model.guess(self.rng))

    def connect(self, guest: Guest) -> None:
        """Come, or come back, and log in, mostly at once."""
        client_model, world = guest.client_model, self.world
        if world is None or self.stopping or self.quiet or guest.link is not None:
            return
        self.counts["connections"] += 1
        guest.message_text = message_text_of(client_model.wire)
        guest.asked = -1e9
        client_model.connected()
        witness = JournalOracle(self.archive, client_model.wire, client_model.name)
        client = world.connect(client_model.wire, guest.address)
        number = self.counts["connections"]
        guest.link = Link(
            number,
            self.clock,
            self.rng,
            client,
            witness,
            partial(self.hear, guest),
            partial(self.lost, guest, number),
        )
        self.links = [*(link for link in self.links if not link.dead), guest.link]
        if self.rng.random() < 0.8:
            guest.log_in()

    def lost(self, guest: Guest, number: int) -> None:
        """A guest's connection has ended: back at once, soon, or after a long while."""
        if guest.link is None or guest.link.number != number:
            return
        guest.link = None
        how = self.rng.random()
        if how < 0.5:
            guest.away_until = self.clock.seconds()
            self.later(self.rng.uniform(0.01, 0.4), self.connect, guest)
        else:
            pause = self.rng.expovariate(1 / 4) if how < 0.9 else self.rng.uniform(30, 150)
            guest.away_until = self.clock.seconds() + pause

    # -- the end

    def come_to_rest(self) -> None:
        self.quiet = True
        self.doom = ""
        # Who says nothing for longer than that may be taken for gone.
        self.go_on_until(self.ends + GIVEN_UP + 10)
        while self.writing:
            self.go_on_until(self.clock.seconds() + 0.1)
        world = self.world
        assert world is not None, "the host did not come up again"
        for link in self.links:
            if not link.dead:
                check_informed(link.client, link.witness)
        for guest in self.guests:
            if guest.link is not None:
                guest.link.reset()
        self.company.leave()
        self.go_on_until(self.clock.seconds() + 10)
        while self.writing:
            self.go_on_until(self.clock.seconds() + 0.1)
        check_deserted(world)
        world.clock.advance(DAY)
        while self.journal.queued or self.journal.unanswered or self.journal.asked:
            while self.journal.asked:
                self.journal.asked.popleft()()
            self.journal.commit()
            self.journal.release()
            world.clock.advance(0)
        self.counts += self.company.end()
        check_forgotten(world)


def main(seeds: int, minutes: float, first: int = 0, guests: int = GUESTS) -> int:
    """Run so many seeds from the first on, with so many guests of each wire; the exit status."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    traces = hashlib.sha256()
    for seed in range(first, first + seeds):
        try:
            report = Simulation(seed, minutes, guests).run()
        except AssertionError as error:
            print(f"seed {seed}: {type(error).__name__}: {error}")
            return 1
        counts += report.counts
        traces.update(report.trace.encode("ascii"))
    print(f"{seeds} seeds of {minutes:g} minutes: no contradiction; all traces {traces.hexdigest()[:16]}")
    print(", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
    print(f"in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), *map(int, sys.argv[3:5])))
