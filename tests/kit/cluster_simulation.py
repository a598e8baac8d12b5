"""
A cluster in a drawn world: guests of several wires come to any member, play, drop and come back, while members are killed,
hang, lose their lines to the database and to each other, stop, and are started. One seed gives one run.

`make test-simulation` runs a thousand seeds; the suite runs a few.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from attrs import define

from gamehost.accounts.names import key_of, place_of
from gamehost.games.base import Seat
from gamehost.journal.records import EntryKind, TableId, TableRecord
from gamehost.lobby.sessions import Session
from tests.kit.journal_oracle import Archive, Complaints, Contradiction, Disorder
from tests.kit.memory_cluster import DrawnJournal, MemberHost, World
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.simulated_scripts import Visitor

# What happens to the members of a simulated cluster.


SETTINGS = {"onitama.max_plies": "40", "stratego.max_plies": "40"}
#: Seconds between two troubles.
TROUBLES = 3.0
#: Seconds for which a lost seat is kept, and a sleeping table.
GRACE, SLEEP = 8.0, 110.0


class Troubles:
    """The members, and their troubles."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.complaints = Complaints()
        self.world = World(0, SETTINGS, grace=GRACE, rng=random.Random(seed + 1).randrange)
        self.world.new_journal = partial(DrawnJournal, rng)  # type: ignore[method-assign]
        slow = rng.choice((0.0005, 0.005, 0.05))
        self.world.database.delay = lambda: rng.uniform(0.0, slow)
        self.world.latency = lambda: rng.uniform(0.0, 0.005)
        self.counts: Counter[str] = Counter()
        self.quiet = False
        #: When a member went on that had hung.
        self.woken = -1e9

    def later(self, seconds: float, call: Callable[..., None], *arguments: Any) -> None:
        self.world.clock.callLater(seconds, call, *arguments)

    def join(self) -> None:
        self.counts["joined"] += 1
        host = self.world.start()
        host.lobby.context.sleep = SLEEP

    @property
    def living(self) -> list[MemberHost]:
        return [host for host in self.world.hosts if not host.clock.dead]

    @property
    def entitled(self) -> list[MemberHost]:
        """Those that can write: what others say is not confirmed, and they are about to end."""
        return [one for one in self.living if one.registry.row.locked and not one.registry.row.ended]

    def trouble(self) -> None:
        """Now and then something happens to a member."""
        if self.quiet:
            return
        self.later(self.rng.expovariate(1 / TROUBLES), self.trouble)
        sound = [one for one in self.entitled if not one.clock.hangs]
        kind = self.rng.choice(("kill", "hang", "pause", "line", "stop", "apart", "join"))
        if kind == "join" and len(self.living) < 4:
            self.join()
        elif kind != "join" and len(sound) > 1:
            self.counts[kind] += 1
            getattr(self, kind)(self.rng.choice(sound))

    def kill(self, host: MemberHost) -> None:
        host.kill()
        self.later(self.rng.uniform(0, 5), self.replace)

    def replace(self) -> None:
        if len(self.living) < 2:
            self.join()

    def hang(self, host: MemberHost) -> None:
        """Long enough that it is taken over."""
        host.hang()
        self.later(self.rng.uniform(2.5, 8), self.wake, host)

    def pause(self, host: MemberHost) -> None:
        host.hang()
        self.later(self.rng.uniform(0.1, 2.5), self.wake, host)

    def wake(self, host: MemberHost) -> None:
        if not host.clock.dead:
            self.woken = self.world.clock.seconds()
            host.wake()

    def line(self, host: MemberHost) -> None:
        """The line to the database is lost, for a moment or for good."""
        host.registry.lose_line()
        self.later(self.rng.choice((0.05, 1.0, 20.0)), self.find_line, host)

    def find_line(self, host: MemberHost) -> None:
        if not host.clock.dead and not host.clock.hangs:
            host.registry.find_line()

    def apart(self, host: MemberHost) -> None:
        pair = {host, self.rng.choice([one for one in self.living if one is not host])}
        self.world.apart.append(pair)
        for link in host.links:
            if link.peer.host in pair:
                for end in (link, link.peer):
                    end._to_peer(end.peer.hang_up)
        self.later(self.rng.uniform(0.1, 15), self.world.apart.remove, pair)

    def stop(self, host: MemberHost) -> None:
        journal: Any = host.lobby.context.journal
        host.lobby.close()
        journal.finish()
        host.cluster.halt()
        for factory in host.factories.values():
            factory.stop_input()
        self.say_goodbye(host)
        self.later(6, self.replace)

    def say_goodbye(self, host: MemberHost) -> None:
        for factory in host.factories.values():
            factory.close("the host is stopping")
        host.clock.callLater(0.5, host.kill)


#: How many guests there are of a wire.
GUESTS = {
    "onitama": 4,
    "onitama-final": 2,
    "stratego-lines": 2,
    "stratego-frames": 2,
    "paper-soccer": 2,
    "open": 2,
    "eriantys": 2,
    "eriantys-java": 2,
    "console": 2,
}
#: Seconds of a run, and between two things that a guest does.
LASTS, THINKS = 30.0, 0.6
#: Seconds after which everything is quiet when the last trouble is over.
QUIET = 30.0


@define(eq=False)
class Guest(Visitor):
    host: MemberHost | None = None
    asked: float = -1e9
    #: Not before this does the guest come back.
    away_until: float = 0.0
    #: When the guest was last at a match, or waiting for one. Some wires say slowly that it is over.
    inside_at: float = -1e9


class ClusterSimulation(Troubles):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        journal: Any = self.world.journal
        self.archive = Archive(journal)
        self.guests = [
            Guest(MODEL_CLIENTS[wire](f"{wire[-5:]}{number}"), f"192.0.2.{16 * kind + number + 1}")
            for kind, (wire, count) in enumerate(GUESTS.items())
            for number in range(count)
        ]

    def run(self) -> Counter[str]:
        """From the start of the members until everything is over; an `AssertionError` if the cluster broke its word."""
        with self.complaints:
            for _ in range(self.rng.choice((2, 3, 3))):
                self.join()
            for guest in self.guests:
                self.later(self.rng.choice((0.0, 0.0, self.rng.uniform(0, 2))), self.turn, guest)
            self.later(self.rng.expovariate(1 / TROUBLES), self.trouble)
            self.go_on_for(LASTS)
            self.come_to_rest()
            self.complaints.check()
        self.counts["entries"] = sum(map(len, self.world.journal.entries.values()))
        self.counts["tables"] = len(self.world.journal.openings)
        return self.counts

    def go_on_for(self, seconds: float) -> None:
        """Let everything happen in the order of time, and look at all of it."""
        clock = self.world.clock
        end = clock.seconds() + seconds
        while (due := min((call.getTime() for call in clock.getDelayedCalls()), default=end)) < end:
            clock.rightNow = max(clock.seconds(), due)
            clock.advance(0)
            self.look()
        clock.rightNow = end

    # -- guests

    def turn(self, guest: Guest) -> None:
        if self.quiet:
            return
        self.later(self.rng.expovariate(1 / THINKS), self.turn, guest)
        self.listen(guest)
        rng, client_model, now = self.rng, guest.client_model, self.world.clock.seconds()
        if guest.client is None:
            if now >= guest.away_until:
                self.come(guest)
            return
        what = rng.random()
        if guest.host is not None and guest.host.clock.hangs and what < 0.2:
            self.drop(guest)
        elif what < 0.05:
            if rng.random() < 0.5:
                self.say(guest, client_model.move(rng))
            self.drop(guest)
            guest.away_until = now + rng.choice((0.0, 0.0, 1.0, 12.0))
            if rng.random() < 0.3:
                self.come(guest)
        elif what < 0.08:
            self.say(guest, client_model.nonsense(rng))
        elif client_model.inside:
            self.say(guest, client_model.move(rng))
        elif now - max(guest.asked, guest.inside_at) > 3:
            guest.asked = now
            self.say(guest, client_model.log_in())

    def come(self, guest: Guest) -> None:
        """Connect to any member, and log in."""
        guest.host = self.rng.choice(self.living)
        if guest.host.clock.hangs or guest.host.lobby._stopping:
            return
        self.counts["connections"] += 1
        guest.connect(guest.host, self.archive)
        if guest.client is not None and not guest.client.closed:
            guest.asked = self.world.clock.seconds()
            self.say(guest, guest.client_model.log_in())

    def say(self, guest: Guest, lines: Any) -> None:
        client, rng = guest.client, self.rng
        if client is None or guest.host is None or not lines:
            return
        data = b"".join(client.message_text.said(line) for line in lines)
        cut = rng.randrange(len(data)) if rng.random() < 0.2 else 0
        for piece in filter(None, (data[:cut], data[cut:])):
            guest.host.clock.run(partial(self._arrive, client, piece))

    def _arrive(self, client: Any, data: bytes) -> None:
        if not client.closed:
            client.transport.receive(data)

    def drop(self, guest: Guest) -> None:
        client = guest.client
        if client is not None and guest.host is not None:
            if guest.witness is not None:
                self.listen(guest)
            guest.host.clock.run(partial(self._lose, client))
            guest.client = guest.witness = None

    def _lose(self, client: Any) -> None:
        if not client.closed:
            client.transport.hang_up()

    def listen(self, guest: Guest) -> None:
        """Take in what was said, and answer at once."""
        if guest.client is None:
            return
        inside = guest.client_model.inside
        if inside:
            guest.inside_at = self.world.clock.seconds()
        try:
            guest.listen()
            self.archive.turn_is_over()
        except Contradiction:
            if self.living == self.entitled and self.world.clock.seconds() > self.woken + 0.1:
                raise
            # What a member that hung has passed on comes late. One that has lost its tables, and does not know it yet, shows
            # them as they were, and confirms nothing.
            self.counts["shown by nobody"] += 1
            guest.witness = None
            self.drop(guest)
            return
        self.counts["log-ins"] += guest.client_model.inside and not inside
        self.say(guest, guest.client_model.replies(self.rng))

    # -- what must always be true

    def look(self) -> None:
        """After each turn."""
        for guest in self.guests:
            client: Any = guest.client
            if client is not None and (client.transport._read or client.closed):
                self.listen(guest)
        self.counts["moved"] += sum(len(host.cluster.leaving) for host in self.entitled) > 0
        for host in self.entitled:
            if not host.clock.hangs:
                known = {one.epoch for one in host.cluster.members}
                unknown = [one for one in host.cluster.relays.all if one.connected and one.member not in known]
                _need(not unknown, "a connection is passed on to nobody")
        owners: dict[str, MemberHost] = {}
        homes = self.world.database.homes
        for host, session in self.sessions():
            home = homes.get(session.key)
            if home != host.registry.epoch:
                # The name has gone before the player; whoever logs in with it now is the player of the new home.
                moves = session.key in host.cluster.leaving
                _need(moves, f"a session of {session.key} at {host.registry.epoch}, and {home}")
                continue
            _need(session.key not in owners, f"two members have a session of {session.key}")
            owners[session.key] = host

    def sessions(self) -> Iterator[tuple[MemberHost, Session]]:
        """The sessions of all who are here and were let in with a claim."""
        for host in self.entitled:
            for session in host.lobby.registry.present():
                if not session.key.startswith(("guest.", "quick.")):
                    yield host, session

    # -- the end

    def come_to_rest(self) -> None:
        """No more troubles: all is to be as if there had been none. Then all come back, and then all go."""
        self.quiet = True
        for host in self.living:
            if host.clock.hangs:
                host.wake()
            elif host.registry._lost_at is not None:
                host.registry.find_line()
        self.go_on_for(QUIET)
        self.look_twice()
        for guest in self.guests:
            self.drop(guest)
        self.go_on_for(0.5)
        for guest in self.guests:
            self.check_return(guest)
        self.look_twice()
        for guest in self.guests:
            self.drop(guest)
        self.go_on_for(SLEEP + 65)
        # Tables that last wait for a day, and keep the names of their players.
        waiting = set[str]().union(*(host.lobby.waiting_tables.keys() for host in self.living))
        left_over = {key: home for key, home in self.world.database.homes.items() if key not in waiting}
        _need(not left_over, f"homes are left: {left_over}")
        _need(not self.world.database.offers, f"offers are left: {self.world.database.offers}")
        for host in self.living:
            cluster = host.cluster
            left = (
                {*cluster.here} - waiting,
                cluster.elsewhere,
                {*cluster.claims} - waiting,
                {*cluster._claimed} - waiting,
                cluster.relays.all,
            )
            _need(not any(left), f"something is left at {host.registry.epoch}: {left}")
            _need(not host.context.limiter.count, "connections are counted that are gone")
            _need(not len(host.lobby.registry), "names are left")

    def look_twice(self) -> None:
        """Somebody may have been given up, for silence, in this very moment."""
        try:
            self.check_quiet()
        except Disorder:
            self.go_on_for(0.5)
            self.check_quiet()

    def check_quiet(self) -> None:
        """Nothing has happened for a while."""
        living = {host.registry.epoch: host for host in self.living}
        for key, home in self.world.database.homes.items():
            host = living.get(home)
            _need(host is not None, f"{key} is at home nowhere: {home}")
            assert host is not None
            tables = set(map(place_of, host.lobby.waiting_tables._parties))
            used = (
                host.lobby.registry.get(key)
                or host.lobby.registry.ended.find(key)
                or host.cluster._claimed[key] > (key in host.cluster.claims)
                or key in tables
            )
            _need(used, f"{key} is at home at {home}, and nobody is there")
            _need(key in host.cluster.here, f"{key} is at home at {home}, which does not know it")
        waiting: Counter[object] = Counter()
        for host in living.values():
            for relay in host.cluster.relays.all:
                _need(relay.connected and relay.member in living, "a connection is passed on to nobody")
            waiting += Counter({key: len(players) for key, players in host.lobby.queues.waiting.items()})
            offers = {key for key, one in self.world.database.offers.items() if one.home == host.registry.epoch}
            here = {one.key for queue in host.lobby.queues.waiting.values() for one in queue}
            _need(offers == here, f"offers of {offers}, and {here} wait at {host.registry.epoch}")
        _need(all(count < 2 for count in waiting.values()), f"two wait for each other: {waiting}")

    def check_return(self, guest: Guest) -> None:
        """Whoever has a seat finds it, at any member."""
        name = guest.client_model.name
        seats = {(one.table, seat) for one in self.unfinished() if (seat := _kept(one, name)) is not None}
        _need(len(seats) < 2, f"{name} sits at two tables: {seats}")
        guest.host = self.rng.choice(self.living)
        guest.connect(guest.host, self.archive)
        for number in range(2):
            if number == 0 or guest.client_model.wire == "open":  # there the second message asks for a match
                self.say(guest, guest.client_model.log_in())
            self.go_on_for(1.0)
            self.listen(guest)
        if seats and self.seats_of(name, next(iter(seats))[0]):
            session = next((one for _, one in self.sessions() if one.key == key_of(name)), None)
            _need(session is not None, f"{name} cannot come back")
            assert session is not None
            _need(session.table_id in {table for table, _ in seats}, f"{name} does not find the seat")
            self.counts["found"] += 1

    def seats_of(self, name: str, table: TableId) -> bool:
        return any(one.table == table and _kept(one, name) is not None for one in self.unfinished())

    def unfinished(self) -> list[TableRecord]:
        return [one for one in self.world.journal.records() if one.entries and not one.entries[-1].outcome]


def _kept(record: TableRecord, name: str) -> Seat | None:
    """The seat that is kept for somebody at an unfinished table."""
    given_up = {entry.seat for entry in record.entries if entry.kind is EntryKind.FORFEITED}
    for number, seat in enumerate(record.opening.seats):
        if seat.name == name and Seat(number) not in given_up:
            return Seat(number)
    return None


def _need(true: object, otherwise: str) -> None:
    if not true:
        raise Disorder(otherwise)


def main(seeds: int, first: int = 0) -> int:
    """Run so many seeds from the first on; the exit status."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    for seed in range(first, first + seeds):
        try:
            counts += ClusterSimulation(seed).run()
        except AssertionError as error:
            print(f"seed {seed}: {type(error).__name__}: {error}")
            return 1
    print(f"{seeds} seeds of a cluster: no contradiction")
    print(", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
    print(f"in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
