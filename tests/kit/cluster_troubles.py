"""What happens to the members of a simulated cluster."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.kit.drawn_journals import DrawnJournal
from tests.kit.invariants import Complaints
from tests.kit.memory_cluster import MemberHost, World

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
        """Have something done in so many seconds."""
        self.world.clock.callLater(seconds, call, *arguments)

    def join(self) -> None:
        """Start a member."""
        self.counts["joined"] += 1
        host = self.world.start()
        host.lobby.context.sleep = SLEEP

    @property
    def living(self) -> list[MemberHost]:
        """The members whose processes run."""
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
        """Not long enough for that."""
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
        """Two members cannot reach each other."""
        pair = {host, self.rng.choice([one for one in self.living if one is not host])}
        self.world.apart.append(pair)
        for link in host.links:
            if link.peer.host in pair:
                for end in (link, link.peer):
                    end._to_peer(end.peer.hang_up)
        self.later(self.rng.uniform(0.1, 15), self.world.apart.remove, pair)

    def stop(self, host: MemberHost) -> None:
        """SIGTERM."""
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
