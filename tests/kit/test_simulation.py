"""The simulations of a host and of a cluster: some seeds of each, and that faults are seen within a few seeds."""

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from itertools import count
from typing import Any

from attrs import define, evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost import _twisted
from gamehost.accounts.proofs import ProvenLogins
from gamehost.extras.cluster import claiming, front
from gamehost.extras.cluster.membership import Cluster
from gamehost.extras.cluster.relay import Relays
from gamehost.games.base import Seat
from gamehost.journal.records import TableRecord
from gamehost.journal.replay import history_in_steps
from gamehost.lobby import directory, sleeping
from gamehost.lobby.house import HousePlayers
from gamehost.lobby.queues import NewMatches
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import SessionRegistry
from gamehost.lobby.sleeping import SleepingIndex
from gamehost.net.connection import WireProtocol
from gamehost.net.context import Deadlines
from gamehost.net.limiter import ConnectionLimiter
from gamehost.net.streams import Input
from gamehost.plugins import WIRES
from gamehost.rates import TokenBucket, moves_bucket
from gamehost.tables.interfaces import Back, Look
from gamehost.tables.outbox import Outbox, _Arrival
from gamehost.tables.table import Table
from gamehost.web.http import Access
from gamehost.wires.eriantys.conversation import JsonConversation
from gamehost.wires.eriantys_conversation import Gate
from gamehost.wires.open.websocket import SocketConversation
from gamehost.wires.websocket import Pong
from tests.kit import memory_registry
from tests.kit.cluster_simulation import ClusterSimulation
from tests.kit.journal_oracle import Archive, Contradiction, JournalOracle
from tests.kit.journals import CommittedJournal
from tests.kit.litama import BLUE, LitamaHost, ask
from tests.kit.memory_registry import MemoryRegistry
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.process import ROOT
from tests.kit.simulation import Simulation, main

#: So many worlds, from this one on: those in which each kind of trouble happens.
SEEDS, FIRST = 3, 41


class SimulationTests(SynchronousTestCase):
    def test_seeds(self) -> None:
        """The host keeps its word under every seed, and much has happened: ends of all kinds, resumes, matches, attacks."""
        counts: Counter[str] = Counter()
        for seed in range(FIRST, FIRST + SEEDS):
            counts += Simulation(seed).run().counts
        attacks = ["abandon", "steal", "flood", "answer unasked", "guess password", "play oneself", "freeze"]
        attacks += ["open without end", "look up", "ask as another site", "meet the house"]
        for kind in ("now", "before", "half", "after", "stop", "histories", *attacks):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 200 * SEEDS)
        self.assertGreater(counts["finished"], 3 * SEEDS)
        self.assertGreater(counts["connections"], 20 * SEEDS)
        self.assertGreater(counts["streams"], 20 * SEEDS)

    def test_every_wire_has_a_model_client(self) -> None:
        self.assertEqual({wire.name for wire in WIRES}, set(MODEL_CLIENTS))

    def test_a_refused_answer_is_given_again(self) -> None:
        """Whatever its person is asked to do in between."""
        client, rng = MODEL_CLIENTS["eriantys-java"]("ann"), random.Random(1)
        client.hear("AvailableAssistants availableAssistants=[FOX DOG] playedAssistants={bob:FOX}")
        self.assertEqual(client.replies(rng), ["PlayAssistant assistant=FOX"])
        self.assertEqual(client.move(rng), [])
        client.hear("ErrorMessage INVALID_ASSISTANT")
        self.assertIn("PlayAssistant", client.replies(rng)[0])

    def test_a_seed_is_one_run(self) -> None:
        """The same bytes at the same times, in a process that has run others, and in one whose sets are in another order."""
        with redirect_stdout(StringIO()) as here:
            main(1, 0.5)
        there = subprocess.run(
            [sys.executable, "-m", "tests.kit.simulation", "1", "0.5"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"},
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )
        self.assertIn("all traces", there.stdout)
        self.assertEqual(here.getvalue().splitlines()[:2], there.stdout.splitlines()[:2])


class OracleTests(SynchronousTestCase):
    def test_two_connections_have_one_seat(self) -> None:
        """What both are told in one turn has no order between them. What is told later is not older than that."""
        host = LitamaHost(BLUE)
        first, second, bob = (host.connect("litama") for _ in range(3))
        (entered,) = ask(first, "create ann")
        ask(bob, f"join {entered['matchId']} bob")
        first.say(f"spectate {entered['matchId']}")
        second.say(f"spectate {entered['matchId']} {entered['token']}")
        older = second.heard()
        first.say(f"move {entered['matchId']} {entered['token']} boar c1c2")
        newer = first.heard()
        archive = Archive(host.journal)
        ahead, level, behind = (JournalOracle(archive, "litama", "ann") for _ in range(3))
        for oracle, lines in ((ahead, newer), (level, older)):
            for line in lines:
                oracle.hear_line(line)
        archive.turn_is_over()
        with self.assertRaises(Contradiction):
            for line in older:
                behind.hear_line(line)


def with_late_views(case: SynchronousTestCase) -> None:
    """Plant a fault: what somebody who comes back is shown is not made when they come, but when it is told."""

    @define
    class Late:
        table: Table[Any, Any]

        def __iter__(self) -> Iterator[object]:
            return iter([self.table._master.view(Seat(seat)) for seat in range(len(self.table.names))])

    def reconnect(table: Table[Any, Any], seat: Seat, player: Any) -> None:
        coming.append(table)
        real_come_back(table, seat, player)
        coming.pop()

    def admit(outbox: Outbox[Any, Any], handle: Any, views: Any, missed: bool = True) -> None:
        real_admit(outbox, handle, views if views is None else Late(coming[-1]), missed)  # type: ignore[arg-type]

    coming: list[Table[Any, Any]] = []
    real_come_back, real_admit = Table.reconnect, Outbox.admit
    case.patch(Table, "reconnect", reconnect)
    case.patch(Outbox, "admit", admit)


class PlantedCase(SynchronousTestCase):
    """Faults that must be seen, each within so many seeds: of one minute, where it is one host."""

    FIRST = 0
    simulated: Callable[[int], Any] = partial(Simulation, minutes=1)

    def caught(self, owner: Any, name: str, planted: Any, within: int, first: int | None = None) -> str:
        self.patch(owner, name, planted)
        return self.seen(within, first)

    def seen(self, within: int, first: int | None = None) -> str:
        first = self.FIRST if first is None else first
        for seed in range(first, first + within):
            try:
                self.simulated(seed).run()
            except AssertionError as error:
                self.flushLoggedErrors()
                return str(error)
        self.fail(f"not seen within {within} seeds")


class PlantedTests(PlantedCase):
    def test_acknowledged_before_durable(self) -> None:
        def append(journal: CommittedJournal, table: Any, entry: Any, durable: Callable[[], None]) -> None:
            real(journal, table, entry, lambda: None)
            durable()

        real = CommittedJournal.append
        words = self.caught(CommittedJournal, "append", append, 1)
        self.assertIn("does not follow from the journal", words)

    def test_arrival_that_overtakes(self) -> None:
        """Who comes back is told so at once, before what is not durable yet."""

        def admit(outbox: Outbox[Any, Any], *words: Any) -> None:
            outbox._queue.insert(0, (0, outbox._arrive, _Arrival(*words)))
            outbox.deliver()

        self.assertIn("follow from the journal", self.caught(Outbox, "admit", admit, 10))

    def test_told_before_the_arrival(self) -> None:
        def admit(outbox: Outbox[Any, Any], handle: Any, *words: Any) -> None:
            real(outbox, handle, *words)
            place = outbox.places[handle.seat]
            if place.coming is handle:
                place.handle = handle
                handle.player.seated(handle)

        real = Outbox.admit
        self.caught(Outbox, "admit", admit, 10)

    def test_a_view_of_the_moment(self) -> None:
        """Who comes back is shown how it stands when that is told: what happened since is told twice, or too early."""
        with_late_views(self)
        self.assertIn("follow from the journal", self.seen(30, first=42))

    def test_a_question_waits_for_ever(self) -> None:
        """A client that does not acknowledge holds up the others of its table without end."""
        self.assertIn("without end", self.caught(Gate, "give_up", lambda gate: None, 20, first=20))

    def test_the_last_entry_is_forgotten(self) -> None:
        def restore(table: Table[Any, Any], record: TableRecord, *more: Any, **named: Any) -> Iterator[None]:
            shorter = record.entries[:-1] if len(record.entries) > 1 else record.entries
            return real(table, evolve(record, entries=shorter), *more, **named)

        real = Table.restore
        self.assertIn("follow from the journal", self.caught(Table, "restore", restore, 3, first=3))

    def test_grace_is_not_ended(self) -> None:
        def new_handle(table: Table[Any, Any], seat: Seat, player: Any) -> Any:
            ends = table._outbox.places[seat].grace_ends
            handle = real(table, seat, player)
            table._outbox.places[seat].grace_ends = ends
            return handle

        real = Table._new_handle
        self.caught(Table, "_new_handle", new_handle, 5)

    def test_a_timer_is_left(self) -> None:
        """A connection that is lost leaves its deadlines."""

        def lost(connection: WireProtocol[Any], reason: Any = None) -> None:
            context, left = connection.context, connection.deadlines
            connection.deadlines = Deadlines(context.clock, context.cork)
            real(connection, reason)
            connection.deadlines = left

        real = WireProtocol.connectionLost
        self.assertIn("timers", self.caught(WireProtocol, "connectionLost", lost, 3, first=7))

    def test_a_question_is_not_asked_again(self) -> None:
        """Whoever comes back is not told what they are asked."""

        def back(talk: Any, event: Any) -> None:
            talk._ask_again = lambda: None
            real(talk, event)
            del talk._ask_again

        real = JsonConversation.tell_back
        self.patch(JsonConversation, "TELLS", {**JsonConversation.TELLS, Back: back})
        self.assertIn("on eriantys was told", self.seen(3, first=6))

    def test_a_watcher_is_told_twice(self) -> None:
        """Those who watch are told what is behind their look, and what is in it but not durable yet."""

        def show(outbox: Outbox[Any, Any], audience: Any, view: Any) -> None:
            if audience not in outbox.audience:
                outbox.audience.append(audience)
            audience.shown(Look(outbox.appended - 1, (), view))

        self.assertIn("a watcher was told", self.caught(Outbox, "show", show, 10))


class PlantedAttackTests(PlantedCase):
    """Faults that those who attack must see, and those who watch."""

    FIRST = 5  # the disk is quick under this one

    def test_abandoned_matches_are_not_counted(self) -> None:
        """An address can have any number of sleeping tables."""
        self.assertIn("tables of one address sleep", self.caught(SleepingIndex, "limit", lambda *_: None, 3, first=0))

    def test_the_end_of_sleeping_tables_is_put_off(self) -> None:
        """Each table that falls asleep puts off the end of those that are too many."""

        def put_to_sleep(seats: Seats, *words: Any) -> None:
            seats._alarm.stop()
            real(seats, *words)

        real = Seats.put_to_sleep
        words = self.caught(Seats, "put_to_sleep", put_to_sleep, 5, first=17)
        self.assertIn("tables of one address sleep", words)

    def test_a_match_without_a_move_sleeps(self) -> None:
        """A table counts as played from its beginning."""

        def opened(table: Table[Any, Any], *words: Any) -> None:
            real(table, *words)
            table._acted = True

        real = Table.open
        self.assertIn("a match that nobody played is left", self.caught(Table, "open", opened, 3, first=0))

    def test_a_key_is_not_asked_for(self) -> None:
        """The name is enough to get a lost seat."""
        words = self.caught(SessionRegistry, "_check_resume", lambda *_, **named: None, 3, first=1)
        self.assertIn("given to a thief", words)

    def test_a_flood_is_not_counted(self) -> None:
        def handled(received: Input[Any], count: int) -> None:
            received._bytes.give_back(10**9)
            real(received, count)

        real: Callable[[Input[Any], int], None] = Input._all_handled
        self.assertIn("without a message", self.caught(Input, "_all_handled", handled, 3, first=4))

    def test_answers_of_browsers_are_not_counted(self) -> None:
        """A browser may answer as often as it likes."""

        def pong(conversation: SocketConversation, message: Any) -> None:
            conversation.peer.exempt_from_rate()

        heard = {state: {**kinds, Pong: pong} for state, kinds in SocketConversation._HEARD_IN.items()}
        self.patch(SocketConversation, "_HEARD_IN", heard)
        self.assertIn("frames that say nothing", self.seen(3))

    def test_an_owner_is_treated_as_a_guesser(self) -> None:
        """An address that is known for an account counts as any other."""
        self.assertIn("because others guessed", self.caught(ProvenLogins, "knows", lambda *_: False, 10, first=6))

    def test_moves_of_an_address_are_not_counted(self) -> None:
        """Each connection has a bucket of its own."""

        def moves_of(limiter: ConnectionLimiter, address: str) -> TokenBucket:
            return moves_bucket(limiter._limits.moves_per_second_per_address, 0.0)

        self.assertIn("moves of one address", self.caught(ConnectionLimiter, "moves_of", moves_of, 20))

    def test_new_matches_are_not_counted(self) -> None:
        """An address can begin any number of matches."""
        self.assertIn("new matches of one address", self.caught(NewMatches, "begin", lambda *_: None, 10))

    def test_another_address_ends_a_match(self) -> None:
        """
        With its share alone, which is none here, so that it happens often; and the names are free before the end is durable: a
        player waits while the match goes on.
        """
        planted = sleeping._EXCESS_OF_ONE.replace("min(place)", "max(place)").replace(":most", "0")
        self.patch(sleeping, "_EXCESS_OF_ONE", planted)
        self.patch(SleepingIndex, "begin_end", SleepingIndex.remove)
        error = self.assertRaises(AssertionError, Simulation(29, 2).run)
        self.flushLoggedErrors()
        self.assertIn("goes on", str(error))

    def test_a_question_counts_as_a_change(self) -> None:
        """Its age is taken for that of the disk: somebody who asks for a long answer ends the host."""

        def tell(journal: CommittedJournal, answer: Callable[[], None]) -> None:
            def answered() -> None:
                waiting.pop(0)
                answer()

            waiting = asked.setdefault(journal, [])
            waiting.append(0.0 if journal.clock is None else journal.clock())
            real(journal, answered)

        def age(journal: CommittedJournal) -> float:
            waiting = asked.get(journal)
            return journal.clock() - waiting[0] if waiting and journal.clock is not None else 0.0

        asked: dict[CommittedJournal, list[float]] = {}
        real: Callable[[CommittedJournal, Callable[[], None]], None] = CommittedJournal._tell
        self.patch(CommittedJournal, "_tell", tell)
        self.assertIn("the disk has not answered", self.caught(CommittedJournal, "age", property(age), 3))

    def test_a_question_is_for_the_writer(self) -> None:
        """The changes behind it wait until it is answered."""

        def commit(journal: CommittedJournal, number: int | None = None) -> int:
            return 0 if journal.asked else real(journal, number)

        real: Callable[[CommittedJournal, int | None], int] = CommittedJournal.commit
        self.assertIn("the disk has not answered", self.caught(CommittedJournal, "commit", commit, 3))

    def test_another_site_has_a_name_here(self) -> None:
        """Whoever points a name at this machine reads what the host answers, and opens sockets."""
        self.assertIn("not refused with 421", self.caught(Access, "wrong_host", lambda *_: None, 3, first=0))

    def test_another_site_opens_a_socket(self) -> None:
        """From a browser that is here."""
        self.assertIn("not refused with 403", self.caught(Access, "foreign", lambda *_: False, 3, first=0))

    def test_a_house_player_has_the_number_of_an_earlier_one(self) -> None:
        """As soon as that has no seat any more."""

        def free_name(house: HousePlayers, level: str) -> str:
            return next(name for n in count(1) if house._registry.get(name := f"{level}.{n}") is None)

        self.assertIn("have one name", self.caught(HousePlayers, "_free_name", free_name, 3))

    def test_a_standstill_counts_as_time(self) -> None:
        self.assertIn("charged for a standstill", self.caught(_twisted, "STANDSTILL", 1e9, 3, first=7))

    def test_a_history_has_a_gap(self) -> None:
        """One entry of a match is not told."""

        def with_gap(*words: Any) -> Any:
            told = yield from history_in_steps(*words)
            events: Sequence[Any] = told.events
            return evolve(told, events=tuple(one for one in events if one[0] != events[-1][0] - 1))

        self.assertIn("the history says", self.caught(directory, "history_in_steps", with_gap, 5, first=9))


#: So many worlds, from this one on: those in which each kind of trouble happens.
CLUSTER_SEEDS, CLUSTER_FIRST = 2, 7


class ClusterSimulationTests(SynchronousTestCase):
    def test_seeds(self) -> None:
        counts: Counter[str] = Counter()
        for seed in range(CLUSTER_FIRST, CLUSTER_FIRST + CLUSTER_SEEDS):
            counts += ClusterSimulation(seed).run()
        for kind in ("kill", "hang", "line", "stop", "joined", "moved", "found"):
            self.assertGreater(counts[kind], 0, kind)
        self.assertGreater(counts["entries"], 50 * CLUSTER_SEEDS)
        self.assertGreater(counts["log-ins"], 10 * CLUSTER_SEEDS)


class PlantedClusterTests(PlantedCase):
    simulated = ClusterSimulation

    def test_relays_are_not_cut(self) -> None:
        """If the home of relays hangs, nobody cuts them."""
        self.patch(Relays, "cut_all_but", lambda relays, living: None)
        self.assertIn("passed on to nobody", self.seen(10))

    def test_a_move_without_a_transfer(self) -> None:
        """A player is given to another member, the database does not know, and the other member does not ask."""

        def transfer(registry: MemoryRegistry, key: str, home: int, done: Callable[[bool], None]) -> None:
            done(True)

        def adopt(cluster: Cluster, connection: Any, record: Any, parcel: str) -> None:
            claiming._adopted(cluster, connection, record, parcel, cluster.epoch)

        self.patch(MemoryRegistry, "transfer", transfer)
        self.patch(front, "adopt", adopt)
        self.assertIn("a session of", self.seen(10))

    def test_a_name_is_released_while_its_seat_sleeps(self) -> None:
        """A name is free as soon as nobody is there."""

        def freed(cluster: Cluster, key: str) -> None:
            if key not in cluster.lobby.registry.sessions.by_key:
                cluster.here.discard(key)
                cluster.registry.release([key])
            real(cluster, key)

        real = Cluster.freed
        self.patch(Cluster, "freed", freed)
        self.seen(10)

    def test_claims_are_answered_without_asking(self) -> None:
        """Every member takes itself for the home of every name."""

        def is_here(cluster: Cluster, connection: Any, claim: Any) -> bool:
            cluster.here.add(claim.key)
            return True

        self.patch(Cluster, "is_here", is_here)
        self.assertIn("a session of", self.seen(10))

    def test_seats_that_are_taken_over_without_their_names(self) -> None:
        """All names of a member that has ended are free at once, and the host asks for those with a seat later."""

        def taken_over(cluster: Cluster, tables: Sequence[Any], keys: Collection[str]) -> None:
            cluster.clock.callLater(0.5, cluster.restore, tables)

        self.patch(memory_registry, "keys_of_table", lambda table, spreading: ())
        self.patch(Cluster, "taken_over", taken_over)
        self.seen(10)
