"""The state machine over the whole host, and that it sees faults."""

import os
import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from attrs import evolve
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gamehost.journal.records import TableRecord
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import SessionRegistry
from gamehost.net.connection import WireProtocol
from gamehost.net.context import Deadlines
from gamehost.plugins import WIRES
from gamehost.tables.interfaces import Back
from gamehost.tables.outbox import SeatState
from gamehost.tables.table import Table
from gamehost.testing.cases import PropertyCase, with_notes
from gamehost.wires.eriantys.conversation import JsonConversation
from gamehost.wires.litama.matches import Match
from tests.kit.journal_oracle import Disorder
from tests.kit.journals import CommittedJournal
from tests.kit.model_clients import ALL_MODEL_CLIENTS
from tests.kit.stateful import HostMachine, TokensMachine
from tests.kit.test_simulation import with_late_views

#: So many runs of so many steps; `make test-stateful` asks for more.
RUNS = int(os.environ.get("GAMEHOST_STATEFUL", "60"))
STEPS = 50


def run(runs: int, shrink: bool = True, machine: type[HostMachine] = HostMachine) -> None:
    """
    Run a machine.

    :raises AssertionError: something is not as it must be
    """
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    wanted = settings(
        max_examples=runs,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=runs <= 400,
        database=None,
        phases=phases,
        suppress_health_check=checks,
        report_multiple_bugs=False,
    )
    try:
        run_state_machine_as_test(machine, settings=wanted)
    except Exception as error:
        raise with_notes(error) from None


class StatefulTests(PropertyCase):
    def test_every_wire_takes_part(self) -> None:
        self.assertEqual({wire.name for wire in WIRES}, set(ALL_MODEL_CLIENTS))
        self.assertEqual(len(HostMachine.people), len(TokensMachine.people))

    def test_host(self) -> None:
        """Whatever players, disk and clock do, in whatever order, the host keeps its word."""
        run(RUNS)

    def test_tokens(self) -> None:
        run(RUNS, machine=TokensMachine)


class ModelClientTests(PropertyCase):
    def test_a_refused_answer_is_given_again(self) -> None:
        """Whatever its person is asked to do in between."""
        client, rng = ALL_MODEL_CLIENTS["eriantys-java"]("ann"), random.Random(1)
        client.hear("AvailableAssistants availableAssistants=[FOX DOG] playedAssistants={bob:FOX}")
        self.assertEqual(client.replies(rng), ["PlayAssistant assistant=FOX"])
        self.assertEqual(client.move(rng), [])
        client.hear("ErrorMessage INVALID_ASSISTANT")
        self.assertIn("PlayAssistant", client.replies(rng)[0])


class PlantedTests(PropertyCase):
    """Faults that the machine must see, within so many runs."""

    #: Who looks for the fault.
    machine: type[HostMachine] = HostMachine

    def caught(self, owner: Any, name: str, planted: Callable[..., Any], runs: int = 400) -> str:
        self.patch(owner, name, planted)
        return self.seen(runs)

    def seen(self, runs: int = 400) -> str:
        error = self.assertRaises(AssertionError, run, runs, shrink=False, machine=self.machine)
        self.flushLoggedErrors()
        return str(error)

    def test_a_state_is_not_told(self) -> None:
        """Who spectates with a token is not told how the match stands after the other's move."""
        self.machine = TokensMachine

        def forgetful(match: Match, view: Any) -> None:
            if match.inner.n % 2 or view is not match.inner:
                broadcast(match, view)

        broadcast = Match.broadcast
        self.assertIn("on litama was told", self.caught(Match, "broadcast", forgetful))

    def test_acknowledged_before_durable(self) -> None:
        def append(journal: CommittedJournal, table: Any, entry: Any, durable: Callable[[], None]) -> None:
            kept(journal, table, entry, lambda: None)
            durable()

        kept = CommittedJournal.append
        self.assertIn("does not follow from the journal", self.caught(CommittedJournal, "append", append))

    def test_grace_is_not_ended(self) -> None:
        new_handle = Table._new_handle

        def forgetful(table: Table[Any, Any], seat: Any, player: Any) -> Any:
            ends = table._outbox.places[seat].grace_ends
            handle = new_handle(table, seat, player)
            place: SeatState[Any, Any] = table._outbox.places[seat]
            place.grace_ends = ends
            return handle

        self.assertIn("grace", self.caught(Table, "_new_handle", forgetful))

    def test_a_timer_is_left(self) -> None:
        """A connection that is lost leaves its deadlines."""

        def lost(connection: WireProtocol[Any], reason: Any = None) -> None:
            left, connection.deadlines = (
                connection.deadlines,
                Deadlines(connection.context.clock, connection.context.cork),
            )
            real(connection, reason)
            connection.deadlines = left

        real = WireProtocol.connectionLost
        self.assertIn("timers", self.caught(WireProtocol, "connectionLost", lost))

    def test_a_view_of_the_moment(self) -> None:
        """Who comes back is shown how it stands when that is told, not when they came."""
        with_late_views(self)
        self.assertIn("does not follow from the journal", self.seen())

    if "GAMEHOST_STATEFUL" not in os.environ:
        test_a_view_of_the_moment.skip = (  # type: ignore[attr-defined]
            "takes twenty seconds, and the simulation sees the same fault; `make test-stateful` runs it"
        )

    def test_the_last_entry_is_forgotten(self) -> None:
        def restore(table: Table[Any, Any], record: TableRecord, *more: Any, **named: Any) -> Iterator[None]:
            shorter = record.entries[:-1] if len(record.entries) > 1 else record.entries
            return real(table, evolve(record, entries=shorter), *more, **named)

        real = Table.restore
        self.assertIn("does not follow from the journal", self.caught(Table, "restore", restore))

    def test_a_question_is_kept(self) -> None:
        """Whoever comes back is not told what they are asked."""

        def back(talk: Any, event: Any) -> None:
            talk._ask_again = lambda: None
            kept(talk, event)
            del talk._ask_again

        kept = JsonConversation.tell_back
        self.patch(JsonConversation, "TELLS", {**JsonConversation.TELLS, Back: back})
        self.assertIn("although it is this player's turn", self.seen())

    if "GAMEHOST_STATEFUL" not in os.environ:
        test_a_question_is_kept.skip = "takes twenty seconds; `make test-stateful` runs it"  # type: ignore[attr-defined]

    def test_the_end_of_sleeping_tables_is_put_off(self) -> None:
        """Each table that falls asleep puts off the end of those that are too many."""

        def add(sleeping: Seats, *words: Any) -> None:
            if sleeping._alarm is not None:
                sleeping._alarm.cancel()
                sleeping._alarm = None
            real(sleeping, *words)

        real = Seats.put_to_sleep
        self.assertIn("tables of one address sleep", self.caught(Seats, "put_to_sleep", add))

    def test_a_match_without_a_move_sleeps(self) -> None:
        """A table counts as played from its beginning."""

        def opened(table: Table[Any, Any], *words: Any) -> None:
            real(table, *words)
            table._acted = True

        real = Table.open
        self.assertIn("a match that nobody played is left", self.caught(Table, "open", opened))

    def test_a_key_is_not_asked_for(self) -> None:
        """The address is enough to get a lost seat."""

        def check(registry: SessionRegistry, held: Any, *words: Any, **named: Any) -> None:
            key, held.key_digest = held.key_digest, ""
            try:
                real(registry, held, *words, **named)
            finally:
                held.key_digest = key

        real = SessionRegistry._check_resume
        self.assertIn("given to a thief", self.caught(SessionRegistry, "_check_resume", check))

    def test_a_restart_gives_seats_away(self) -> None:
        """A seat counts as away for long after a restart of the host."""

        def restore(sleeping: Seats, games: Any, found: Any) -> int:
            tables = real(sleeping, games, found)
            sleeping._registry.sleeping._database.execute("UPDATE place SET away_since = -1e9")
            return tables

        real = Seats.restore
        self.assertEqual(self.stolen_after_a_restart(), set())
        self.patch(Seats, "restore", restore)
        self.assertEqual(self.stolen_after_a_restart(), {(True, False, 0.0), (True, False, 2.9)})
        if RUNS > 60:  # to find it by chance takes long
            self.assertIn("given to a thief", self.seen(2000))

    def stolen_after_a_restart(self) -> set[tuple[bool, bool, float]]:
        """
        After a restart, from where and when a thief gets the seat of a guest who has no key: whether the thief is near, whether
        the guest and the opponent are at one address, and how many seconds after the restart.
        """
        stolen = set()
        for near, together, seconds in product((False, True), (False, True), (0.0, 2.9, 4.0)):
            machine = HostMachine()
            machine.open(grace=60.0, move_time="0", guarded=True, slow_moves=False)
            try:
                machine.steal(keyed=False, near=near, together=together, restarts=True, seconds=seconds)
            except Disorder:
                stolen.add((near, together, seconds))
            machine.complaints.__exit__(None, None, None)
        return stolen
