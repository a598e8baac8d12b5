"""The cluster in memory."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.storage.names import Answer, Claim, Member, Offer, Registry, Request, look_at
from gamehost.testing.cases import PropertyCase
from tests.kit import memory_registry
from tests.kit.memory_registry import Group, MemoryCluster, MemoryRegistry
from tests.kit.registry_contract import RecordingWatcher, RegistryContract


def table(number: int, *names: str) -> UnfinishedTable:
    return UnfinishedTable(
        TableId(number), TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names)), True, 0
    )


class ContractTests(RegistryContract, PropertyCase):
    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.numbers = count(1)

    def join(self) -> Registry:
        return self.cluster.join()

    def kill(self, registry: Registry) -> None:
        assert isinstance(registry, MemoryRegistry)
        registry.kill()

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            self.cluster.advance(0.01)
        self.fail("this takes more than ten seconds")

    def open_table(self, registry: Registry, *names: str) -> TableId:
        opened = table(next(self.numbers), *names)
        self.cluster.open_table(registry.epoch, opened)
        return opened.table

    def put_account(self, registry: Registry, account: Account) -> None:
        self.cluster.put_account(account)

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.cluster.drop_account(account.key)

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.cluster.put_ban(ban)


class MemoryRegistryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.broken: list[str] = []

    def join(self) -> tuple[MemoryRegistry, RecordingWatcher]:
        registry, host = self.cluster.join(broken=self.broken.append), RecordingWatcher()
        registry.start(host)
        self.cluster.advance(0)
        return registry, host

    def test_a_member_hangs(self) -> None:
        """It is cut off after three seconds, its names and tables are taken over, and it ends when it wakes up."""
        first, _ = self.join()
        second, host = self.join()
        answers: list[Answer | None] = []
        first.claim("ann", None, answers.append)
        self.cluster.advance(0)
        self.cluster.open_table(1, table(7))
        first.hang()
        second.claim("ann", None, answers.append)
        self.cluster.advance(2.9)
        self.assertEqual(host.epochs, [1, 2])
        second.claim("ann", None, answers.append)
        self.cluster.advance(1)
        self.assertEqual((host.epochs, host.tables), ([2], [7]))
        self.assertEqual(answers, [Answer(1), Answer(1), Answer(1)])
        second.claim("ann", None, answers.append)
        self.cluster.advance(0)
        self.assertEqual((answers[3], self.broken), (Answer(2), []))
        first.wake()
        self.assertEqual(self.broken, ["another host has taken the journal over"])

    def test_a_claim_without_an_answer(self) -> None:
        """If nobody knows the home for ten seconds, the claim is given up."""
        self.patch(MemoryCluster, "take_over", lambda *dead: None)
        first, _ = self.join()
        second, _ = self.join()
        answers: list[Answer | None] = []
        second.claim("ann", None, answers.append)
        self.cluster.advance(0)
        second.kill()
        self.cluster.advance(0.3)
        first.claim("ann", None, answers.append)
        self.cluster.advance(9.9)
        self.assertEqual(answers, [Answer(2)])
        self.cluster.advance(0.2)
        self.assertEqual(answers, [Answer(2), None])

    def test_the_database_is_away(self) -> None:
        """Nobody acts meanwhile. When it is back, nobody is judged for five seconds, and the living go on."""
        (first, host), (second, _), (third, _) = self.join(), self.join(), self.join()
        for registry in (first, second, third):
            registry.lose_line()
        third.kill()
        answers: list[Answer | None] = []
        second.claim("ann", None, answers.append)
        self.cluster.advance(9)
        self.assertEqual(answers, [])
        first.find_line()
        self.cluster.advance(0.5)
        second.find_line()
        self.cluster.advance(4.4)
        self.assertEqual((host.epochs, answers, host.taken), ([1, 2, 3], [Answer(2)], []))
        self.cluster.advance(1)
        self.assertEqual((host.epochs, host.taken, self.broken), ([1, 2], [[]], []))

    def test_the_database_stays_away(self) -> None:
        first, _ = self.join()
        first.lose_line()
        self.cluster.advance(9.7)
        self.assertEqual(self.broken, [])
        self.cluster.advance(0.6)
        self.assertEqual(self.broken, ["the connection to the database was lost, and is not back"])

    def test_by_hand(self) -> None:
        """The test says when requests are carried out, and when the host is told."""
        self.cluster.by_hand = True
        first, _ = self.join()
        answers: list[Answer | None] = []
        for key in ("ann", "bob"):
            first.claim(key, None, answers.append)
        self.cluster.advance(1)
        self.assertEqual((answers, self.cluster.homes), ([], {}))
        first.commit()
        self.assertEqual((answers, list(self.cluster.homes)), ([], ["ann", "bob"]))
        first.deliver(2)  # the first one: who the members are
        self.assertEqual(answers, [Answer(1)])
        first.deliver()
        self.assertEqual(answers, [Answer(1)] * 2)


#: What is done, by which member, to which name, and which other member takes part.
Step = tuple[str, int, str, int]

KEYS = ("ann", "bob")
QUEUE = ("onitama", "")


class WatchedCluster(MemoryCluster):
    def carry_out(self, requests: Sequence[Request], me: int, gone: Any) -> list[int | bool | None]:
        results = super().carry_out(requests, me, gone)
        for request, result in zip(requests, results, strict=True):
            if isinstance(request, Claim) and result is not None:
                assert not self.members[result].ended, f"{request} is sent to {result}, which was taken over"
        return results


@define(eq=False)
class ModelHost:
    cluster: MemoryCluster
    registry: MemoryRegistry = field(init=False)
    mine: set[str] = field(factory=set)
    #: Names that are about to be those of another member.
    moving: set[str] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.registry = self.cluster.join(broken=lambda why: None)
        self.registry.start(self)

    @property
    def counts(self) -> bool:
        return not self.registry.row.ended

    def members_are(self, members: Sequence[Member]) -> None:
        assert [one.epoch for one in members] == sorted({one.epoch for one in members})

    def pages_are(self, pages: Mapping[int, str]) -> None:
        """Nobody shows anything."""

    def offers_are(self, offers: Sequence[Offer]) -> None:
        assert len({one.key for one in offers}) == len(offers)
        assert [one.order for one in offers] == sorted(one.order for one in offers)

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        self.mine.update(key for key in keys if key in KEYS)

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        """Nobody changes any."""

    # -- what a host does

    def claim(self, key: str, queue: tuple[str, str] | None = None) -> None:
        if self.registry.runs:
            self.registry.claim(key, queue, partial(self._answered, key))

    def log_in(self, key: str) -> None:
        self.claim(key)
        self.registry.commit()
        self.registry.deliver()

    def claim_and_go(self, key: str) -> None:
        """Somebody comes and the last one of this name goes."""
        self.claim(key)
        self.release(key)

    def _answered(self, key: str, answer: Answer | None) -> None:
        if answer is not None and answer.home == self.registry.epoch:
            self.mine.add(key)

    def release(self, key: str) -> None:
        if self.can_give_away(key):
            self.mine.discard(key)
            self.registry.release([key])

    def release_of_others(self, key: str) -> None:
        if self.registry.runs and key not in self.mine and key not in self.moving:
            self.registry.release([key])

    def can_give_away(self, key: str) -> bool:
        seated = {seat.name for _, table in self.cluster.tables.values() for seat in table.opening.seats}
        return self.registry.runs and key in self.mine and key not in seated

    def sit_down(self, key: str) -> None:
        """The player begins a match. From then on a seat is kept."""
        if self.can_give_away(key) and self.counts:
            number = TableId(len(self.cluster.tables) + 1)
            header = TableHeader("onitama", 1, (SeatRecord(key, "onitama"),))
            self.cluster.open_table(self.registry.epoch, UnfinishedTable(number, header, True, 0))

    def wait(self, key: str) -> None:
        if self.registry.runs and key in self.mine:
            self.registry.waits(key, QUEUE, True)

    def move(self, key: str, other: "ModelHost") -> None:
        """The player is given to another member, where the name is claimed again."""
        if self.can_give_away(key) and other is not self:
            self.mine.discard(key)
            self.moving.add(key)
            self.registry.transfer(key, other.registry.epoch, partial(self._moved, key, other))

    def _moved(self, key: str, other: "ModelHost", done: bool) -> None:
        self.moving.discard(key)
        if done:
            other.claim(key)
        else:
            self.mine.add(key)


@define(eq=False)
class Run:
    cluster: MemoryCluster = field(factory=lambda: WatchedCluster(by_hand=True))
    hosts: list[ModelHost] = field(factory=list)

    def do(self, what: str, who: int, key: str, other: int) -> None:
        host, second = self.hosts[who % len(self.hosts)], self.hosts[other % len(self.hosts)]
        registry = host.registry
        steps: dict[str, Callable[[], object]] = {
            "claim": lambda: host.claim(key),
            "log in": lambda: host.log_in(key),
            "claim and go": lambda: host.claim_and_go(key),
            "careless release": lambda: host.release_of_others(key),
            "claim to play": lambda: host.claim(key, QUEUE),
            "release": lambda: host.release(key),
            "sit down": lambda: host.sit_down(key),
            "wait": lambda: host.wait(key),
            "move": lambda: host.move(key, second),
            "commit": registry.commit,
            "deliver": lambda: registry.deliver(1),
            "deliver all": registry.deliver,
            "look": lambda: self.cluster.clock.advance(0.25),
            "kill": registry.kill,
            "all": self.everybody,
            "hang": registry.hang,
            "wake": registry.wake,
            "lose": registry.lose_line,
            "find": registry.find_line,
            "join": self.join,
            "time": lambda: self.cluster.advance(4.0),
        }
        steps[what]()
        self.check()

    def everybody(self) -> None:
        """All requests are carried out, and all answers are given."""
        for host in self.hosts:
            host.registry.commit()
            host.registry.deliver()

    def join(self) -> None:
        if len(self.hosts) < 4:
            self.hosts.append(ModelHost(self.cluster))

    def check(self) -> None:
        """No name is the own one of two members that have not ended; and the database knows where it is."""
        for key in KEYS:
            owners = [host.registry.epoch for host in self.hosts if host.counts and key in host.mine]
            assert len(owners) <= 1, f"{key} is at home at {owners}"
            if owners:
                assert self.cluster.homes.get(key) == owners[0], f"{key} has no row"

    def end(self) -> None:
        """When all goes well again, every name can be claimed, and its home is alive."""
        self.hosts[0].registry.kill()
        self.hosts.append(ModelHost(self.cluster))
        for host in self.hosts:
            if host.registry.runs:
                host.registry.wake()
                host.registry.find_line()
        self.cluster.by_hand = False
        for _ in range(15):
            self.cluster.advance(1.0)
        answers: list[Answer | None] = []
        for key in KEYS:
            self.hosts[-1].registry.claim(key, None, answers.append)
        self.cluster.advance(0.1)
        for answer in answers:
            assert answer is not None and self.cluster.members[answer.home].locked, answers
        assert len(answers) == len(KEYS)
        self.check()


#: How often each step is done.
WEIGHTS = {
    **dict.fromkeys(("log in", "claim", "sit down", "all", "look"), 4),
    **dict.fromkeys(
        (
            "claim to play",
            "claim and go",
            "move",
            "wait",
            "commit",
            "deliver",
            "kill",
            "careless release",
        ),
        2,
    ),
    **dict.fromkeys(("release", "deliver all", "hang", "wake", "lose", "find", "join", "time"), 1),
}
STEPS = [step for step, weight in WEIGHTS.items() for _ in range(weight)]

steps = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 2), st.sampled_from(KEYS), st.integers(0, 2)),
    min_size=10,
    max_size=40,
)


class ClusterPropertyTests(PropertyCase):
    # Three times as many as of other properties, in the search too.
    @settings(max_examples=3 * settings().max_examples)
    @given(steps)
    def test_a_name_has_one_home(self, steps: list[Step]) -> None:
        """At every moment, whatever happens to the members."""
        self.play(steps)

    def play(self, steps: Sequence[Step]) -> None:
        run = Run()
        for _ in range(2):
            run.join()
        for step in steps:
            run.do(*step)
        run.end()

    def test_faults_are_found(self) -> None:
        """A release that ignores the home, a claim that ignores it, and a successor that looks at no lock."""
        seated: list[Step] = [("log in", 1, "ann", 0), ("sit down", 1, "ann", 0)]
        released: list[Step] = [*seated, ("careless release", 0, "ann", 0), ("all", 0, "ann", 0)]
        claimed: list[Step] = [*seated, ("log in", 0, "ann", 0)]
        taken_over: list[Step] = [*seated, ("look", 0, "ann", 0), ("all", 0, "ann", 0)]

        def take(this: MemoryCluster, me: int, dead: int) -> Any:
            this.members[dead].locked = False
            return take_over(this, me, dead)

        def all_others_are_dead(*seen: Any) -> tuple[list[Member], list[int]]:
            members, _ = look_at(*seen)
            return members, [member.epoch for member in members[1:]]

        take_over = MemoryCluster.take_over
        no_lock = ((memory_registry, "look_at", all_others_are_dead), (MemoryCluster, "take_over", take))
        faults: list[tuple[list[Step], Any]] = [
            (released, [(Group, "_is_mine", lambda this, key: key in this.homes)]),
            (claimed, [(Group, "_claim", lambda this, key, queue: this.me)]),
            (taken_over, no_lock),
        ]
        for steps, fault in faults:
            patches = [self.patch(*one) for one in fault]
            self.assertRaises(AssertionError, self.play, steps)
            for patch in patches:
                patch.restore()
            self.play(steps)
