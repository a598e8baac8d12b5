"""Those who watch: encoded once, told some at a time, and shown everything later if there is a delay."""

import itertools
import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from attrs import evolve, frozen
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Chance, Seat, To
from gamehost.games.stratego.master import STRATEGO, Stratego, StrategoMaster, Terms
from gamehost.games.stratego.rules import Action, Situation
from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.journal.replay import history
from gamehost.settings import Settings
from gamehost.tables.gallery import BATCH, WatchRefused
from gamehost.tables.interfaces import Look, WatchableTable
from gamehost.tables.outbox import Outbox, Record
from gamehost.tables.table import Table
from tests.games.test_stratego_secrets import KindInOrder, PlacedForAll, Script, pair, shut_in
from tests.kit.example_game import Add, Counted
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.watching import Stream, WatchedTable, line, written
from tests.tables.test_table import TableCase


@frozen
class Words:
    made: list[bytes]
    carrier: str = ""

    def __hash__(self) -> int:
        return hash(self.carrier)

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        return self._note(f"{look.n}: {look.view.count} away {len(look.away or ())}")

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        if isinstance(event, Counted) and event.count == 99:
            raise ValueError("planted")
        return self._note(f"{n}: {event.count if isinstance(event, Counted) else type(event).__name__}")

    def _note(self, text: str) -> bytes:
        self.made.append(f"{self.carrier}{text};".encode())
        return self.made[-1]


class Reader:
    def __init__(self, order: list["Reader"] | None = None, address: str = "") -> None:
        self.text = ""
        self.address = address
        self.ended: list[Hashable] = []
        self.order = [] if order is None else order

    def tell(self, data: bytes) -> None:
        self.text += data.decode()
        self.order.append(self)

    def closed(self, table: TableId) -> None:
        self.ended.append(table)

    def read(self) -> str:
        text, self.text = self.text, ""
        return text


class GalleryCase(TableCase):
    """Ann and bob play at table 1 of a host."""

    def open(self, *settings: str, **more: Any) -> MemoryHost:
        self.made: list[bytes] = []
        given = dict(setting.split("=") for setting in settings)
        self.host = self.world(settings={"toy.goal": "100"} | given, **more)
        self.galleries = self.host.lobby.galleries
        self.ann, self.bob = self.seat(self.host)
        return self.host

    @property
    def table(self) -> Table[Any, Any]:
        return self.host.lobby.tables[TableId(1)]

    def watch(self, reader: Reader, carrier: str = "") -> None:
        self.galleries.watch(self.table, reader, Words(self.made, carrier))

    def act(self, client: Client, number: int) -> None:
        client.protocol.conversation.handle.act(Add(number))  # type: ignore[attr-defined]

    def turn(self) -> None:
        calls = self.host.clock.calls
        for call in [call for call in calls if call.getTime() <= self.host.clock.seconds()]:
            calls.remove(call)
            call.called = 1
            call.func(*call.args, **call.kw)


class GalleryTests(GalleryCase):
    def test_a_look_and_what_happens(self) -> None:
        """In a later turn of the reactor: players are told first."""
        host = self.open()
        self.watch(reader := Reader())
        self.assertEqual(reader.text, "")
        host.until_idle()
        self.assertEqual(reader.read(), "1: 0 away 0;")
        self.act(self.ann, 1)
        self.assertEqual((self.bob.heard()[-1], reader.text), ("count 1 9", ""))
        host.until_idle()
        self.assertEqual(reader.read(), "2: 1;")
        self.bob.drop()
        self.assertEqual(reader.read(), "2: Away;")

    def test_everything_is_encoded_once(self) -> None:
        """For each carrier, however many watch; a look too, while it is what was told last."""
        host = self.open()
        readers = [Reader() for _ in range(20)]
        for number, reader in enumerate(readers):
            self.watch(reader, "ab"[number % 2])
            if number % 7 == 0:
                host.until_idle()
        host.until_idle()
        self.made.clear()
        self.ann.say("+1")
        self.assertEqual(sorted(self.made), [b"a2: 1;", b"b2: 1;"])
        self.assertEqual({reader.text for reader in readers}, {"a1: 0 away 0;a2: 1;", "b1: 0 away 0;b2: 1;"})

    def test_some_are_told_in_each_turn(self) -> None:
        """`BATCH` of them; what happens meanwhile is told behind it, in one piece if it is several events."""
        host = self.open()
        order: list[Reader] = []
        readers = [Reader(order) for _ in range(2 * BATCH + 1)]
        for reader in readers:
            self.watch(reader)
        self.turn()
        self.assertEqual(order, readers[:BATCH])
        self.act(self.ann, 1)
        self.act(self.bob, 2)
        self.watch(late := Reader(order))
        self.turn()
        self.assertEqual(order, readers[: 2 * BATCH])
        host.until_idle()
        self.assertEqual({reader.text for reader in readers}, {"1: 0 away 0;2: 1;3: 3;"})
        self.assertEqual(len(order), 2 * len(readers) + 1)
        self.assertEqual(late.text, "3: 3 away 0;")

    def test_the_end(self) -> None:
        host = self.open("toy.goal=1")
        table = self.table
        self.watch(reader := Reader())
        self.ann.say("+1")
        self.assertEqual((reader.read(), reader.ended), ("1: 0 away 0;2: 1;2: Over;", [1]))
        self.ann.drop()  # ends the time for the next log-in
        self.bob.drop()
        self.assertEqual((self.galleries._galleries, host.clock.getDelayedCalls()), ({}, []))
        refusal = self.assertRaises(WatchRefused, self.galleries.watch, table, reader, Words([]))
        self.assertEqual(str(refusal), "this match is over, or a fault of the host has stopped it")
        self.assertEqual(self.galleries._galleries, {})

    def test_one_goes(self) -> None:
        host = self.open()
        stays, goes = Reader(), Reader()
        self.watch(stays)
        self.watch(goes)
        self.galleries.unwatch(TableId(1), goes)
        host.until_idle()
        self.watch(goes)
        self.act(self.ann, 1)
        self.galleries.unwatch(TableId(1), goes)
        host.until_idle()
        self.assertEqual((stays.read(), goes.read()), ("1: 0 away 0;2: 1;", ""))
        self.galleries.unwatch(TableId(1), stays)
        self.galleries.unwatch(TableId(1), stays)
        self.assertEqual((self.galleries.watchers(TableId(1)), self.table._outbox.audience), (0, []))
        self.assertEqual((stays.ended, goes.ended), ([], []))

    def test_one_goes_while_being_told(self) -> None:
        """A watcher that is cut off because it does not read unwatches at once."""
        host = self.open()
        readers = [Reader() for _ in range(3)]

        def all_go(data: bytes) -> None:
            for reader in readers:
                self.galleries.unwatch(TableId(1), reader)

        readers[0].tell = all_go  # type: ignore[method-assign]
        for reader in readers:
            self.watch(reader)
        host.until_idle()
        self.assertEqual([reader.text for reader in readers], ["", "", ""])
        self.assertEqual((self.galleries._galleries, host.clock.getDelayedCalls()), ({}, []))

    def test_twice(self) -> None:
        host = self.open()
        reader = Reader()
        self.watch(reader)
        self.watch(reader)
        host.until_idle()
        self.watch(reader)
        host.until_idle()
        self.assertEqual(reader.read(), "1: 0 away 0;")

    def test_a_late_journal(self) -> None:
        journal = RecordingJournal(late=True)
        host = self.open(journal=journal)
        journal.release()
        self.act(self.ann, 1)
        first, second = Reader(), Reader()
        self.watch(first)
        self.act(self.bob, 1)
        self.watch(second)
        host.until_idle()
        self.assertEqual(first.text, "")
        journal.release()
        host.until_idle()
        self.assertEqual((first.text, second.text), ("2: 1 away 0;3: 2;", "2: 1 away 0;3: 2;"))

    def test_an_old_look_is_not_shown(self) -> None:
        host = self.open()
        self.watch(Reader())
        host.until_idle()
        self.table._outbox.record(Record(Entry(EntryKind.ACTED, 0), []))
        self.table._outbox.durable()
        self.watch(reader := Reader())
        host.until_idle()
        self.assertEqual(reader.text, "2: 0 away 0;")

    def test_a_table_that_was_loaded_anew(self) -> None:
        self.open()
        self.watch(old := Reader())
        again = self.world(settings={"toy.goal": "100"})
        self.seat(again)
        self.galleries.watch(again.lobby.tables[TableId(1)], new := Reader(), Words(self.made))
        self.host.until_idle()
        self.assertEqual((old.ended, new.text, self.galleries.watchers(TableId(1))), ([1], "1: 0 away 0;", 1))

    def test_a_fault_of_an_encoder(self) -> None:
        host = self.open()
        self.watch(reader := Reader())
        host.until_idle()
        self.table._master.count = 98  # type: ignore[attr-defined]
        self.ann.say("+1")
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        self.assertEqual((reader.ended, self.galleries._galleries), ([1], {}))
        self.assertEqual(self.bob.heard()[-1], "count 99 9")


class DelayTests(GalleryCase):
    def test_everything_comes_later(self) -> None:
        host = self.open("toy.watch_delay=30", "toy.goal=3")
        self.assertEqual((self.galleries.delay("toy"), self.galleries.delay("other")), (30, 0))
        self.watch(reader := Reader())
        host.wait(10)
        self.ann.say("+1")
        self.watch(late := Reader())
        host.wait(19.5)
        self.assertEqual(reader.read(), "")
        host.wait(1)
        self.assertEqual((reader.read(), late.read()), ("1: 0 away 0;", ""))
        self.bob.say("+2")
        self.watch_refused()
        host.wait(10)
        self.assertEqual((reader.read(), late.read()), ("2: 1;", "2: 1 away 0;"))
        host.wait(20)
        self.assertEqual((reader.read(), late.read()), ("3: 3;3: Over;", "3: 3;3: Over;"))
        self.ann.drop()  # ends the time for the next log-in
        self.bob.drop()
        self.assertEqual((reader.ended, late.ended, host.clock.getDelayedCalls()), ([1], [1], []))

    def watch_refused(self) -> None:
        """The table is gone from the lobby; its gallery is there until all is told."""
        self.assertEqual(self.host.lobby.tables, {})
        gallery = self.galleries._galleries[TableId(1)]
        self.assertRaises(WatchRefused, self.galleries.watch, gallery.table, Reader(), Words([]))

    def test_nothing_is_kept_for_nobody(self) -> None:
        host = self.open("toy.watch_delay=30")
        self.watch(reader := Reader())
        self.ann.say("+1")
        self.galleries.unwatch(TableId(1), reader)
        self.assertEqual(host.clock.getDelayedCalls(), [])
        host.wait(60)
        self.assertEqual(reader.text, "")


class LimitTests(GalleryCase):
    """`limits.watchers` and `limits.watchers_per_address`, and how many watch a table, or what one watches."""

    def refused(self, address: str = "") -> str:
        return str(self.assertRaises(WatchRefused, self.watch, Reader(address=address)))

    def test_of_an_address(self) -> None:
        host = self.open("limits.watchers_per_address=2")
        self.back(host, "carl"), self.back(host, "dora")
        first, *_ = readers = [Reader(address=f"2001:db8::{number}") for number in range(2)]
        self.galleries.watch(host.lobby.tables[TableId(2)], first, Words([]))
        self.watch(readers[1])
        words = "2 clients at your address watch matches, and no more can; try again later"
        self.assertEqual(self.refused("2001:db8::9"), words)
        self.watch(Reader(address="192.0.2.7"))
        for _ in range(3):
            self.watch(Reader(address="127.0.0.1"))
        self.galleries.unwatch(TableId(2), first)
        self.watch(Reader(address="2001:db8::9"))
        self.assertEqual(self.refused("2001:db8::9"), words)
        for gallery in list(self.galleries._galleries.values()):
            gallery.close()
        self.assertEqual(self.galleries._by_address, {})

    def test_at_one_table(self) -> None:
        self.open()
        self.galleries.most_per_table = 2
        self.watch(Reader())
        self.watch(goes := Reader())
        self.assertEqual(self.refused(), "2 clients watch this table, and no more can; try again later")
        self.galleries.unwatch(TableId(1), goes)
        self.watch(Reader())

    def test_of_one_watcher(self) -> None:
        host = self.open()
        self.galleries.most_per_watcher = 1
        self.back(host, "carl"), self.back(host, "dora")
        reader, words = Reader(), Words([])
        for _ in range(2):
            self.galleries.watch(host.lobby.tables[TableId(1)], reader, words)
        second = host.lobby.tables[TableId(2)]
        error = self.assertRaises(WatchRefused, self.galleries.watch, second, reader, words)
        self.assertEqual(str(error), "you watch 1 tables, and no more can be watched at once")
        self.galleries.unwatch(TableId(1), reader)
        self.galleries.watch(second, reader, words)

    def test_watchers_of_all_tables_count_together(self) -> None:
        host = self.open("limits.watchers=1")
        carl, dora = self.back(host, "carl"), self.back(host, "dora")
        self.galleries.watch(host.lobby.tables[TableId(2)], Reader(), Words([]))
        self.assertEqual(self.refused(), "this host has 1 watchers, and no more can watch; try again later")
        self.assertEqual(len(self.galleries._galleries), 1)
        carl.say("bye")
        dora.heard()
        self.watch(Reader())


del TableCase, GalleryCase


# Watching tells no secret: two matches of Stratego that differ in hidden kinds alone are the same to every watcher and in
# every history, byte for byte.
#
# Watchers come and go while the matches are played. Each of several planted leaks is found.


class LeakyGame(Stratego):
    master: type[StrategoMaster] = StrategoMaster

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        return self.master(Terms())


def seen(script: Script, seed: int, game: Stratego, world_of: type[WatchedTable] = WatchedTable) -> bytes | None:
    """All bytes that watchers and readers of the history are told of a match; `None`: the end tells who could not move."""
    rng = random.Random(seed)
    world = world_of(game, 2)
    streams: list[Stream] = []
    past: list[bytes] = []
    for seat, action in script:
        world.act(seat, action)
        if world.over:
            break
        if rng.random() < 0.1:
            streams.append(world.watch())
        if rng.random() < 0.05 and streams:
            world.galleries.unwatch(world.table.id, rng.choice(streams))
        if rng.random() < 0.5:
            world.turn()
        if rng.random() < 0.01:
            past += written(world.messages, history(game, world.opening, world.entries))
    world.until_idle()
    if shut_in(world.table._master.result):
        return None
    told = history(game, world.opening, world.entries)
    past += [*written(world.messages, told), line([told.n, told.result is None])]
    return b"".join([*(stream.data for stream in streams), *past])


def differences(
    count: int, first_seed: int, game: Stratego = STRATEGO, world_of: type[WatchedTable] = WatchedTable
) -> Iterator[int]:
    """The seeds of those, out of so many pairs of matches, that somebody could tell apart who only watched."""
    compared = 0
    for seed in itertools.count(first_seed):
        if compared == count:
            return
        _, script, other = pair(random.Random(seed))
        one, two = (seen(one, seed, game, world_of) for one in (script, other))
        if one is None or two is None:
            continue
        compared += 1
        if one != two:
            yield seed


class FlagInView(StrategoMaster):
    def view(self, seat: Seat | None) -> Situation:
        situation = super().view(seat)
        where = -1 if seat is not None or self.position is None else self.position.squares.find(b"F")
        if where < 0:
            return situation
        return evolve(situation, squares=situation.squares[:where] + "F" + situation.squares[where + 1 :])


class BoardForAll(StrategoMaster):
    """Tells one player's board to everyone."""

    def act(self, seat: Seat, action: Action, now: int) -> Sequence[To[Any]]:
        events = super().act(seat, action, now)
        return [replace(to, audience=None) if to.audience == (Seat(0),) else to for to in events]


class SecretTests(SynchronousTestCase):
    def test_nothing_leaks(self) -> None:
        self.assertEqual(list(differences(40, first_seed=0)), [])

    def test_there_is_much_to_see(self) -> None:
        """Fights and moves are told, and watchers come at all times."""
        told = [seen(pair(random.Random(seed))[1], seed, STRATEGO) or b"" for seed in range(10)]
        self.assertGreater(b"".join(told).count(b'"fought"'), 10)
        self.assertGreater(b"".join(told).count(b'["look"'), 10)

    def test_leaks_of_a_master_are_found(self) -> None:
        for leak in (FlagInView, BoardForAll, PlacedForAll, KindInOrder):
            game = type("Leak", (LeakyGame,), {"master": leak})()
            self.assertTrue(list(differences(20, 0, game)), leak.__doc__)

    def test_a_leak_of_a_table_is_found(self) -> None:
        tell_all = Outbox._tell

        def tell(outbox: Outbox[Any, Any], events: Sequence[To[Any]], first: Seat | None = None) -> None:
            tell_all(outbox, events, first)
            outbox._tell_audience([to.event for to in events])

        self.patch(Outbox, "_tell", tell)
        self.assertTrue(list(differences(10, 0)))
