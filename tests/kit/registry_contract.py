"""
The tests that every registry of a cluster must pass: the one in a database, and the one in memory that stands for it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.journal.records import Leave, OwnedMatch, TableId, UnfinishedTable
from gamehost.storage.names import Answer, Member, Offer, Registry
from gamehost.testing.cases import Mixin

QUEUE = ("onitama", "")
OTHER_QUEUE = ("onitama", "final")

#: An account with a digest that was not computed.
ANN = Account("Ann", Digest(Cost(n=2, r=1, p=1), b"salt", b"hash"), "Ann B")


@define(eq=False)
class RecordingWatcher:
    """A host that notes what its registry says."""

    members: list[Member] = field(factory=list)
    offers: list[Offer] = field(factory=list)
    tables: list[TableId] = field(factory=list)
    #: The keys that it has taken over, of each member.
    taken: list[list[str]] = field(factory=list)
    pages: Mapping[int, str] = field(factory=dict)
    accounts: dict[str, Account | None] = field(factory=dict)
    bans: Sequence[Ban] | None = None
    leaves: dict[str, Leave | None] = field(factory=dict)
    #: What was told of slow matches.
    matches: list[tuple[Any, Any, Any]] = field(factory=list)

    def members_are(self, members: Sequence[Member]) -> None:
        self.members = list(members)

    def offers_are(self, offers: Sequence[Offer]) -> None:
        self.offers = list(offers)

    def taken_over(self, tables: Sequence[UnfinishedTable], keys: Collection[str]) -> None:
        self.tables += [one.table for one in tables]
        self.taken.append(sorted(keys))

    def pages_are(self, pages: Mapping[int, str]) -> None:
        self.pages = pages

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        self.accounts.update(accounts)
        self.bans = self.bans if bans is None else bans

    def matches_changed(
        self,
        tables: Sequence[tuple[int, UnfinishedTable]],
        rows: Sequence[tuple[str, OwnedMatch]],
        over: Collection[TableId],
    ) -> None:
        self.matches.append((tables, rows, over))

    def leaves_changed(self, leaves: Mapping[str, Leave | None]) -> None:
        self.leaves.update(leaves)

    @property
    def epochs(self) -> list[int]:
        return [member.epoch for member in self.members]

    @property
    def waiting(self) -> list[str]:
        return [offer.key for offer in self.offers]


class RegistryContract(Mixin):
    """The behaviours of all registries. A test case says how members come and go."""

    def join(self) -> Registry:
        raise NotImplementedError

    def kill(self, registry: Registry) -> None:
        raise NotImplementedError

    def until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until something is so. This fails if it takes too long."""
        raise NotImplementedError

    def open_table(self, registry: Registry, *names: str) -> TableId:
        raise NotImplementedError

    def put_account(self, registry: Registry, account: Account) -> None:
        raise NotImplementedError

    def drop_account(self, registry: Registry, account: Account) -> None:
        raise NotImplementedError

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        raise NotImplementedError

    def put_leave(self, registry: Registry, leave: Leave) -> None:
        raise NotImplementedError

    def members(self, count: int) -> tuple[list[Registry], list[RecordingWatcher]]:
        registries = [self.join() for _ in range(count)]
        watchers = [RecordingWatcher() for _ in registries]
        for registry, watcher in zip(registries, watchers, strict=True):
            registry.start(watcher)
        self.until(lambda: all(len(watcher.members) == count for watcher in watchers))
        return registries, watchers

    def homes(self, registry: Registry, *keys: str, queue: tuple[str, str] | None = None) -> list[int | None]:
        """Claim names, and return their homes. Claims that have to wait are answered later than others."""
        answers: dict[int, Answer | None] = {}
        for number, key in enumerate(keys):
            registry.claim(key, queue, partial(answers.__setitem__, number))
        self.until(lambda: len(answers) == len(keys))
        return [None if (answer := answers[number]) is None else answer.home for number in range(len(keys))]

    def is_last(self, key: str, watchers: Sequence[RecordingWatcher]) -> bool:
        """Whether all were told of somebody who waits, behind all others."""
        return all(watcher.waiting[-1:] == [key] for watcher in watchers)

    def moved(self, registry: Registry, key: str, home: int) -> bool:
        answers: list[bool] = []
        registry.transfer(key, home, answers.append)
        self.until(lambda: bool(answers))
        return answers[0]

    # -- names

    def test_a_name_has_one_home(self) -> None:
        """All members that claim it at once get the same answer, and so does who claims it later, until it is free."""
        registries, _ = self.members(3)
        keys = [f"ann.{number}" for number in range(20)]
        answers: dict[str, list[Answer | None]] = {key: [] for key in ("ann", *keys)}
        for registry in registries:
            for key, found in answers.items():
                registry.claim(key, None, found.append)
        self.until(lambda: all(len(found) == 3 for found in answers.values()))
        for found in answers.values():
            self.assertEqual(len(set(found)), 1)
        [ann, *_] = answers["ann"]
        assert ann is not None
        home = next(one for one in registries if one.epoch == ann.home)
        other = next(one for one in registries if one is not home)
        self.assertEqual(self.homes(other, "ann", "ann", "bob"), [home.epoch, home.epoch, other.epoch])
        home.release(["ann", "nobody"])
        self.assertEqual(self.homes(home, "bob"), [other.epoch])
        self.assertEqual(self.homes(other, "ann"), [other.epoch])

    def test_a_release_by_somebody_else_does_nothing(self) -> None:
        (home, other), _ = self.members(2)
        self.assertEqual(self.homes(home, "ann"), [home.epoch])
        other.release(["ann"])
        self.assertEqual(self.homes(other, "ann"), [home.epoch])
        home.release(["ann"])
        self.assertEqual(self.homes(home, "ann"), [home.epoch])

    def test_a_release_outdates_a_claim(self) -> None:
        """If a host frees a name before it knows the answer of its own claim, the name is claimed again."""
        (home, other), _ = self.members(2)
        answers: list[Answer | None] = []
        home.claim("ann", None, answers.append)
        home.release(["ann"])
        self.until(lambda: bool(answers))
        self.assertEqual((answers, self.homes(other, "ann")), ([Answer(home.epoch)], [home.epoch]))

    def test_transfers(self) -> None:
        """A name goes to a member that is alive, and does not wait here any more."""
        (home, other), (watcher, _) = self.members(2)
        self.assertEqual(self.homes(home, "ann"), [home.epoch])
        home.waits("ann", QUEUE, True)
        self.until(lambda: watcher.waiting == ["ann"])
        self.assertFalse(self.moved(home, "ann", 999))
        self.assertEqual(self.homes(other, "ann"), [home.epoch])
        self.assertTrue(self.moved(home, "ann", other.epoch))
        self.assertEqual(self.homes(home, "ann"), [other.epoch])
        self.until(lambda: watcher.waiting == [])
        self.assertFalse(self.moved(home, "ann", 999))
        self.assertEqual(self.homes(home, "ann"), [other.epoch])

    def test_an_account_comes_with_the_answer(self) -> None:
        """As the database has it when the name is claimed."""
        (home, other), _ = self.members(2)
        self.put_account(other, ANN)
        answers: list[Answer | None] = []
        home.claim("ann", None, answers.append)
        home.claim("bob", None, answers.append)
        self.until(lambda: len(answers) == 2)
        self.assertEqual(answers, [Answer(home.epoch, ANN), Answer(home.epoch, None)])

    def test_pages(self) -> None:
        """A member sees what the others show, their last pages, as long as they live."""
        (first, second, _), watchers = self.members(3)
        for registry, page in ((first, "one"), (second, "two"), (first, "three")):
            registry.show(page)
        third_sees = watchers[2]
        self.until(lambda: third_sees.pages == {first.epoch: "three", second.epoch: "two"})
        self.until(lambda: watchers[0].pages == {second.epoch: "two"})
        self.kill(first)
        self.until(lambda: third_sees.pages == {second.epoch: "two"})

    # -- those who wait

    def test_offers(self) -> None:
        """All members are told who waits, in the order in which they came."""
        (first, second), watchers = self.members(2)
        for registry, key in ((first, "ann"), (second, "bob"), (first, "eve")):
            self.assertEqual(self.homes(registry, key), [registry.epoch])
            registry.waits(key, QUEUE, key != "bob")
            self.until(partial(self.is_last, key, watchers))
        offers = watchers[0].offers
        self.assertEqual([offer.key for offer in offers], ["ann", "bob", "eve"])
        self.assertEqual([offer.home for offer in offers], [first.epoch, second.epoch, first.epoch])
        self.assertEqual([offer.movable for offer in offers], [True, False, True])
        self.assertEqual({offer.queue for offer in offers}, {QUEUE})
        second.waits_no_longer("ann")
        first.waits("ann", QUEUE, False)
        second.waits_no_longer("bob")
        self.until(lambda: watchers[1].waiting == ["ann", "eve"] and not watchers[1].offers[0].movable)
        first.waits("ann", OTHER_QUEUE, True)
        self.until(lambda: watchers[1].waiting == ["eve", "ann"])
        first.release(["ann", "eve"])
        self.until(lambda: not any(watcher.offers for watcher in watchers))

    def test_a_claim_is_sent_to_an_opponent(self) -> None:
        """If somebody waits in the queue elsewhere and nobody here; then nothing is noted."""
        (first, second), watchers = self.members(2)
        self.homes(first, "ann")
        first.waits("ann", QUEUE, True)
        self.homes(first, "ann")
        self.assertEqual(self.homes(second, "bob", queue=QUEUE), [first.epoch])
        self.assertEqual(self.homes(second, "bob", queue=OTHER_QUEUE), [second.epoch])
        self.assertEqual(self.homes(second, "bob", queue=QUEUE), [second.epoch])
        second.waits("bob", QUEUE, False)
        self.assertEqual(self.homes(second, "eve", queue=QUEUE), [second.epoch])
        first.waits_no_longer("ann")
        self.until(lambda: all(watcher.waiting == ["bob"] for watcher in watchers))

    # -- members

    def test_members(self) -> None:
        """All members are told who is alive; and again when that changes."""
        (first, second), watchers = self.members(2)
        self.assertEqual([watcher.epochs for watcher in watchers], [[first.epoch, second.epoch]] * 2)
        self.assertEqual(len({member.address for member in watchers[0].members}), 2)
        third, late = self.join(), RecordingWatcher()
        third.start(late)
        everybody = [first.epoch, second.epoch, third.epoch]
        self.until(lambda: all(watcher.epochs == everybody for watcher in (*watchers, late)))
        self.kill(first)
        self.until(lambda: all(watcher.epochs == everybody[1:] for watcher in (watchers[1], late)))

    def test_a_member_takes_over(self) -> None:
        """The tables and the names of whoever has ended. Nobody who is alive is taken over, and nobody else takes over."""
        (first, second, third), watchers = self.members(3)
        self.homes(second, "ann", "bob", "eve")
        self.homes(third, "tom")
        table = self.open_table(second, "Ann", "Bob")
        self.open_table(third, "Tom", "Tim")
        second.waits("eve", QUEUE, True)
        self.until(lambda: watchers[0].waiting == ["eve"])
        self.kill(second)
        living = [first.epoch, third.epoch]
        self.until(lambda: watchers[2].epochs == living)
        successor, *homes = self.homes(third, "ann", "eve", "bob", "tom")
        self.assertEqual(homes, [third.epoch, successor, third.epoch])
        self.until(lambda: bool(watchers[0].tables or watchers[2].tables))  # the successor may not have been told yet
        tables = {first.epoch: watchers[0].tables, third.epoch: watchers[2].tables}
        self.assertEqual((tables.pop(successor or 0), *tables.values()), ([table], []))
        self.until(lambda: watchers[0].epochs == living and not watchers[0].offers)

    def test_names_that_are_taken_over(self) -> None:
        """Those with a seat, unless another member has them."""
        (first, second), (watcher, _) = self.members(2)
        third = self.join()  # it takes nobody over
        self.homes(second, "ann", "eve", "bob")
        self.assertTrue(self.moved(second, "bob", third.epoch))
        self.homes(first, "cid")
        self.open_table(second, "Ann", "Bob", "Cid", "Dan")
        self.kill(second)
        self.until(lambda: bool(watcher.taken))
        self.assertEqual(watcher.taken, [["#wire onitama", "ann", "cid", "dan"]])
        self.assertEqual(self.homes(first, "ann", "bob", "eve"), [first.epoch, third.epoch, first.epoch])

    def test_a_successor_is_taken_over(self) -> None:
        (first, second), (_, heir) = self.members(2)
        third, next_heir = self.join(), RecordingWatcher()
        self.homes(first, "ann")
        table = self.open_table(first, "Ann", "Bob")
        self.kill(first)
        self.until(lambda: bool(heir.tables))
        third.start(next_heir)
        self.kill(second)
        self.until(lambda: bool(next_heir.tables))
        self.assertEqual(self.homes(third, "ann"), [third.epoch])
        self.assertEqual(next_heir.tables, [table])

    def test_two_are_taken_over(self) -> None:
        (first, second), (watcher, _) = self.members(2)
        third = self.join()  # it takes nobody over
        tables = [self.open_table(second, "Ann", "Tim"), self.open_table(third, "Bob", "Tom")]
        for registry in (second, third):
            self.kill(registry)
        self.until(lambda: len(watcher.taken) == 2)
        self.assertEqual(sorted(watcher.tables), tables)
        self.assertEqual(self.homes(first, "ann", "tom"), [first.epoch] * 2)

    # -- everything else

    def test_numbers(self) -> None:
        (first, second), _ = self.members(2)
        given: list[int] = []
        for registry, count in ((first, 3), (second, 1), (first, 64), (second, 2)):
            registry.new_numbers(count, given.extend)
        self.until(lambda: len(given) == 70)
        self.assertEqual(len(set(given)), 70)

    def test_changes(self) -> None:
        """Accounts, bans and leaves that were changed, and accounts that are gone."""
        (first, _), (_, watcher) = self.members(2)
        self.put_account(first, ANN)
        self.until(lambda: watcher.accounts == {"ann": ANN})
        self.assertIsNone(watcher.bans)
        ban = Ban("name:eve", "Eve", 1_700_000_000)
        self.put_ban(first, ban)
        self.until(lambda: watcher.bans == [ban])
        self.drop_account(first, ANN)
        self.until(lambda: watcher.accounts == {"ann": None})
        leaves = [Leave("ann", 2**41, 2026, 3), Leave("#7", 2**41)]
        for leave in leaves:
            self.put_leave(first, leave)
        self.until(lambda: watcher.leaves == {one.key: one for one in leaves})

    def test_the_end(self) -> None:
        """What was requested before is carried out, and no callback comes later."""
        (first, second), _ = self.members(2)
        called: list[str] = []
        first.claim("ann", None, lambda answer: called.append("ann"))
        first.release(["ann"])
        first.stop(lambda: called.append("stopped"))
        self.until(lambda: "stopped" in called)
        self.assertEqual(called, ["ann", "stopped"])
        first.stop(lambda: called.append("again"))
        self.until(lambda: called[-1] == "again")
        self.assertEqual(self.homes(second, "ann"), [second.epoch])
