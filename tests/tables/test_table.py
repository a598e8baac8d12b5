"""A table: what becomes true, in which order it is told, and whose clock runs when."""

from collections.abc import Callable
from typing import Any, NoReturn

from attrs import define, evolve, field
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.remote.master import REMOTE, Move, Next
from gamehost.journal.records import EntryKind, SeatRecord, TableHeader, TableId
from gamehost.lobby import seats
from gamehost.lobby.remote_game import RemoteTable
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import SeatHandle
from gamehost.testing.journals import RecordingJournal
from tests.kit.example_game import TOY_WIRE, Toy, ToyMaster
from tests.kit.memory_host import Client, MemoryHost


class TableCase(SynchronousTestCase):
    def seat(self, world: MemoryHost) -> tuple[Client, Client]:
        ann, bob = world.connect("toy"), world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        return ann, bob

    def back(self, world: MemoryHost, name: str) -> Client:
        client = world.connect("toy")
        client.say(f"hi {name}")
        return client

    def world(self, **more: object) -> MemoryHost:
        return MemoryHost(wires=(TOY_WIRE,), **more)  # type: ignore[arg-type]


class Noting:
    def __init__(self, client: Client, said: list[Client]) -> None:
        self._client = client
        self._said = said

    def say(self, message: object) -> None:
        self._said.append(self._client)

    def move_accepted(self) -> None:
        pass


class PlayingTests(TableCase):
    def test_both_are_told_of_a_move(self) -> None:
        ann, bob = self.seat(self.world())
        self.assertEqual((ann.heard(), bob.heard()), (["count 0 9"], ["count 0 9"]))
        ann.say("+2")
        self.assertEqual((ann.heard(), bob.heard()), (["count 2 9"], ["count 2 9"]))

    def test_the_mover_is_answered_before_the_other_is_told(self) -> None:
        """Whoever acts hears first, whatever the seat: the answers leave the host in this order."""
        ann, bob = self.seat(self.world())
        said: list[Client] = []
        for client in (ann, bob):
            client.protocol.conversation.peer = Noting(client, said)  # type: ignore[attr-defined]
        ann.say("+2")
        bob.say("+1")
        self.assertEqual(said, [ann, bob, bob, ann])

    def test_a_refusal_is_told_to_the_sender_alone_and_journalled_not(self) -> None:
        """Law 5: nothing has changed, for nobody."""
        world = self.world()
        ann, bob = self.seat(world)
        bob.heard()
        self.assertEqual(bob.ask("+1"), ["no not your turn"])
        self.assertEqual(ann.ask("+7"), ["no add 1 or 2"])
        self.assertEqual(bob.heard(), [])
        self.assertEqual([entry.kind for entry in world.journal.entries[1]], [EntryKind.BEGAN])  # type: ignore[index]

    def test_end_is_told_after_the_last_move_and_frees_everybody(self) -> None:
        world = self.world(settings={"toy.goal": "3"})
        ann, bob = self.seat(world)
        ann.say("+2")
        bob.heard()
        self.assertEqual(bob.ask("+1"), ["count 3 9", "over (1,) rules"])
        self.assertEqual(len(world.lobby.registry), 0)
        self.assertEqual(world.unfinished, [])
        self.assertEqual(bob.ask("hi bob"), [])
        self.assertEqual(ann.ask("hi ann"), ["count 0 9"])

    def test_journal_holds_every_accepted_thing_and_the_outcome(self) -> None:
        world = self.world(settings={"toy.goal": "3"})
        ann, bob = self.seat(world)
        world.wait(1.5)
        ann.say("+2")
        world.wait(1)
        bob.say("+1")
        began, first, second = world.journal.entries[1]  # type: ignore[index]
        self.assertEqual((began.kind, began.at, began.drawn), (EntryKind.BEGAN, 0, (9,)))
        self.assertEqual((first.seat, first.notation, first.at, first.drawn), (0, b"+2", 1500, (9,)))
        self.assertEqual((second.seat, second.at, second.outcome), (1, 2500, "bob won (rules): reached the goal"))

    def test_leaving_gives_the_match_to_the_other(self) -> None:
        ann, bob = self.seat(self.world())
        ann.heard()
        bob.say("bye")
        self.assertEqual(ann.heard(), ["over (0,) left"])

    def test_broken_master_suspends_its_table_alone(self) -> None:
        world = self.world()
        ann, bob = self.seat(world)
        carl = world.connect("toy")
        carl.say("hi carl")
        dora = self.back(world, "dora")
        bob.heard()
        ann.say("+0")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.assertEqual(bob.heard(), ["suspended"])
        dora.heard()
        carl.say("+1")
        self.assertEqual(dora.heard(), ["count 1 9"])
        world.wait(100_000)
        self.assertEqual(world.unfinished, [2])
        self.assertEqual([len(entries) for entries in world.journal.entries.values()], [1, 2])

    def test_an_event_that_cannot_be_told_ends_that_connection_alone(self) -> None:
        world = self.world(settings={"toy.goal": "50"})
        clients = self.seat(world)
        for turn in range(11):
            clients[turn % 2].say("+1")
        clients[1].heard()
        clients[1].say("+2")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 2)
        self.assertIn(1, world.unfinished)


class LateJournalTests(TableCase):
    """Law 2: journal, then speak; law 3: nothing overtakes."""

    def test_nothing_is_said_before_it_is_durable(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal, settings={"toy.goal": "2"})
        ann, bob = self.seat(world)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        journal.release(1)
        self.assertEqual((ann.heard(), bob.heard()), ([], []), "the opening alone is no match")
        journal.release(1)
        self.assertEqual((ann.heard(), bob.heard()), (["count 0 9"], ["count 0 9"]))
        ann.say("+2")
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        self.assertEqual(len(world.lobby.registry), 2, "nobody is free before the end is durable")
        journal.release()
        self.assertEqual(ann.heard(), ["count 2 9", "over (0,) rules"])
        self.assertEqual(len(world.lobby.registry), 0)

    def test_a_refusal_does_not_overtake_an_earlier_confirmation(self) -> None:
        """Even a no waits for what was said yes to before."""
        journal = RecordingJournal(late=True)
        ann, _ = self.seat(self.world(journal=journal))
        journal.release()
        self.assertEqual(ann.ask("+1", "+1"), [])
        journal.release()
        self.assertEqual(ann.heard(), ["count 1 9", "no not your turn"])

    def test_coming_back_while_a_move_is_not_durable_shows_one_position(self) -> None:
        """The view holds what is told before it, and not what is told after it."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        journal.release()
        ann.heard()
        ann.say("+1")
        bob.drop()
        again = self.back(world, "bob")
        self.assertEqual((ann.heard(), again.heard()), ([], []))
        journal.release()
        self.assertEqual(again.heard(), ["back 1 1 9"])
        self.assertEqual(ann.heard(), ["count 1 9", "away 1", "back 1 1 9"])
        again.say("+2")
        journal.release()
        self.assertEqual(again.heard(), ["count 3 9"])

    def test_gone_again_before_being_let_in(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        journal.release()
        ann.say("+1")
        bob.drop()
        self.back(world, "bob").drop()
        again = self.back(world, "bob")
        ann.heard()
        journal.release()
        self.assertEqual(ann.heard(), ["count 1 9", "away 1", "back 1 1 9"])
        self.assertEqual(again.heard(), ["back 1 1 9"])

    def test_coming_back_to_a_match_that_ends_meanwhile(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal, settings={"toy.goal": "2"})
        ann, bob = self.seat(world)
        journal.release()
        bob.drop()
        ann.say("+2")
        again = self.back(world, "bob")
        journal.release()
        self.assertEqual(again.heard(), ["back 1 2 9", "over (0,) rules"])
        self.assertEqual(len(world.lobby.registry), 0)

    def test_dropping_before_the_match_is_durable(self) -> None:
        """Who is gone before the first word keeps the seat like anybody else."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        bob.drop()
        journal.release()
        self.assertEqual(ann.heard(), ["count 0 9"])
        self.assertEqual(self.back(world, "bob").heard(), ["back 1 0 9"])


class ClockTests(TableCase):
    def test_lost_seat_is_forfeited_when_the_grace_ends(self) -> None:
        world = self.world()
        ann, bob = self.seat(world)
        bob.drop()
        ann.heard()
        world.wait(59.9)
        self.assertEqual(ann.heard(), [])
        world.wait(0.2)
        self.assertEqual(ann.heard(), ["over (0,) left"])
        ann.drop()  # ends the time for her next log-in
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_no_grace_loses_at_once(self) -> None:
        world = self.world(grace=0)
        ann, bob = self.seat(world)
        ann.heard()
        bob.drop()
        self.assertEqual(ann.heard(), ["away 1", "over (0,) left"])

    def test_grace_starts_anew_with_each_loss(self) -> None:
        world = self.world()
        ann, bob = self.seat(world)
        for _ in range(3):
            bob.drop()
            world.wait(50)
            bob = self.back(world, "bob")
        ann.heard()
        world.wait(1000)
        self.assertEqual(ann.heard(), [])

    def test_deserted_table_sleeps_and_nobody_forfeits(self) -> None:
        """Whoever comes first finds everything as it was; the other has the whole grace from then."""
        world = self.world()
        ann, bob = self.seat(world)
        ann.say("+2")
        ann.drop()
        world.wait(30)
        bob.drop()
        world.wait(10_000)
        again = self.back(world, "bob")
        self.assertEqual(again.heard(), ["back 1 2 9", "away 0 already"])
        world.wait(59)
        self.assertEqual(again.heard(), [])
        world.wait(1.1)
        self.assertEqual(again.heard(), ["over (1,) left"])

    def test_a_match_in_which_nobody_has_acted_ends_with_its_last_player(self) -> None:
        """There is nothing to come back for: it is archived, and the names are free. Also after a restart."""
        world = self.world()
        ann, bob = self.seat(world)
        ann.drop()
        world.wait(1)
        self.assertEqual(len(world.lobby.registry), 2, "the other player is there")
        restarted = world.journal.restarted()
        bob.drop()
        self.assertEqual((world.unfinished, len(world.lobby.registry)), ([], 0))
        last = world.journal.entries[1][-1]  # type: ignore[index]
        self.assertEqual((last.kind, last.at), (EntryKind.ARCHIVED, 1000))
        self.assertEqual(world.clock.getDelayedCalls(), [])
        self.assertEqual(world.journal.restarted().records(), [])
        again = self.world(journal=restarted)
        self.back(again, "ann").drop()
        self.assertEqual((again.unfinished, len(again.lobby.registry)), ([], 0))

    def test_deserted_table_is_archived_after_a_day(self) -> None:
        """It is put away unfinished, and the names are free."""
        world = self.world()
        ann, bob = self.seat(world)
        ann.say("+1")
        ann.drop()
        bob.drop()
        world.wait(86_399)
        self.assertEqual(len(world.lobby.registry), 2)
        world.wait(1.1)
        self.assertEqual(len(world.lobby.registry), 0)
        self.assertEqual(world.journal.entries[1][-1].kind, EntryKind.ARCHIVED)  # type: ignore[index]
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_move_clock_runs_for_each_decision_and_loses(self) -> None:
        world = self.world(move_time="10")
        ann, bob = self.seat(world)
        world.wait(9)
        ann.say("+1")
        world.wait(9.9)
        ann.heard()
        self.assertEqual(bob.heard(), ["count 0 9", "count 1 9"])
        world.wait(0.2)
        self.assertEqual(ann.heard(), ["over (0,) time"])

    def test_move_clock_stands_still_while_nobody_is_there(self) -> None:
        world = self.world(move_time="10")
        ann, bob = self.seat(world)
        ann.say("+1")
        world.wait(4)
        ann.drop()
        bob.drop()
        world.wait(500)
        again = self.back(world, "ann")
        world.wait(5.9)
        self.assertEqual(again.heard(), ["back 0 1 9", "away 1 already"])
        world.wait(0.2)
        self.assertEqual(again.heard(), ["over (0,) time"])

    def test_a_move_at_the_deadline_is_too_late(self) -> None:
        world = self.world(move_time="10")
        ann, _ = self.seat(world)
        world.clock.rightNow += 10  # the time is up; the reactor has not come round to the alarm
        ann.heard()
        self.assertEqual(ann.ask("+1"), ["over (1,) time"])
        self.assertEqual([entry.kind for entry in world.journal.entries[1]], [EntryKind.BEGAN, EntryKind.EXPIRED])  # type: ignore[index]

    def test_the_shorter_of_grace_and_move_time_counts(self) -> None:
        """An alarm that was set for later rings in time for what comes sooner."""
        world = self.world(move_time="100", grace=5)
        ann, bob = self.seat(world)
        bob.drop()
        ann.heard()
        world.wait(5.1)
        self.assertEqual(ann.heard(), ["over (0,) left"])


# A master that breaks, wherever it does: its table stops, both are told, the record stays right, and others play on.


def planted(*args: object) -> NoReturn:
    raise RuntimeError("planted")


class FaultCase(SynchronousTestCase):
    def world(self, **settings: Any) -> MemoryHost:
        world = MemoryHost(wires=(TOY_WIRE,), **settings)
        self.suspended: list[int] = []
        world.lobby.context.suspended = lambda table, game: self.suspended.append(table)
        return world

    def enter(self, world: MemoryHost, *names: str) -> list[Client]:
        clients = []
        for name in names:
            client = world.connect("toy")
            client.say(f"hi {name}")
            clients.append(client)
        return clients

    def break_down(self, what: str, on: type = ToyMaster) -> Callable[[], None]:
        mend: Callable[[], None] = self.patch(on, what, planted).restore
        return mend

    def assert_one_fault(self) -> None:
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.assertEqual(self.suspended, [1])


class FaultTests(FaultCase):
    """For each thing that a master does."""

    def test_beginning(self) -> None:
        world = self.world()
        mend = self.break_down("begin")
        ann, bob = self.enter(world, "ann", "bob")
        self.assert_one_fault()
        self.assertEqual((ann.heard(), bob.heard()), (["suspended"], ["suspended"]))
        self.assertFalse(ann.closed or bob.closed)
        mend()
        again = MemoryHost(journal=world.journal.restarted(), wires=(TOY_WIRE,))
        self.assertEqual(again.lobby.tables, {})

    def test_nothing_of_an_act_is_recorded(self) -> None:
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.say("+2")
        mend = self.break_down("act")
        bob.say("+1")
        self.assert_one_fault()
        self.assertEqual(ann.heard()[-1], "suspended")
        mend()
        again = MemoryHost(journal=world.journal.restarted(), wires=(TOY_WIRE,))
        bob = again.connect("toy")
        self.assertEqual(bob.ask("hi bob"), ["back 1 2 9", "away 0 already"])

    def test_notation(self) -> None:
        """An action that the master took, and that cannot be written down, stops the table: the record would not fit."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("write", Toy)
        bob.heard()
        ann.say("+2")
        self.assert_one_fault()
        self.assertEqual(bob.heard(), ["suspended"])
        self.assertEqual([entry.kind for entry in world.journal.entries[1]], [EntryKind.BEGAN])  # type: ignore[index]

    def test_time(self) -> None:
        world = self.world(move_time="10")
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("expire")
        world.wait(10.1)
        self.assert_one_fault()
        self.assertEqual((ann.heard()[-1], bob.heard()[-1]), ("suspended", "suspended"))
        ann.drop()  # ends the time for the next log-in
        bob.drop()
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_time_found_by_a_late_move(self) -> None:
        """The move is refused: it is not given to a master that has just broken."""
        world = self.world(move_time="10")
        ann, _ = self.enter(world, "ann", "bob")
        self.break_down("expire")
        ann.heard()
        world.clock.rightNow += 10  # the time is up; the reactor has not come round to the alarm
        self.assertEqual(ann.ask("+1"), ["suspended"])
        self.assert_one_fault()
        self.assertEqual(len(world.journal.entries[1]), 1)  # type: ignore[index]

    def test_forfeit(self) -> None:
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        self.break_down("forfeit")
        bob.heard()
        ann.say("bye")
        self.assert_one_fault()
        self.assertEqual(bob.heard()[-1], "suspended")

    def test_view(self) -> None:
        """Who comes back to a master that cannot say where the match stands is seated, and told the same as the other."""
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.heard()
        bob.drop()
        self.break_down("view")
        [bob] = self.enter(world, "bob")
        self.assert_one_fault()
        self.assertEqual((ann.heard(), bob.heard()), (["away 1", "suspended"], ["suspended"]))
        self.assertFalse(bob.closed)
        self.assertEqual(dict(world.lobby.tables), {})

    def test_the_players_are_free_at_once(self) -> None:
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.say("+0")
        self.assert_one_fault()
        carl, _ = self.enter(world, "carl", "bob")
        self.assertEqual((bob.heard()[-1], carl.heard()), ("suspended", ["count 0 9"]))
        self.assertEqual([(one.id, list(one.names)) for one in world.lobby.tables.values()], [(2, ["carl", "bob"])])

    def test_who_leaves_before_it_is_told_is_free_as_well(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.enter(world, "ann", "bob")
        journal.release()
        bob.say("+1")  # nobody is told of the fault before this is on disk
        ann.say("+0")
        self.assert_one_fault()
        ann.say("bye")
        journal.release()
        self.assertEqual((bob.heard()[-1], len(world.lobby.registry)), ("suspended", 0))

    def test_a_match_that_has_not_begun_leaves_nothing_to_resume(self) -> None:
        world = self.world()
        self.break_down("begin")
        self.enter(world, "ann", "bob")
        self.assert_one_fault()
        self.assertEqual(world.lobby.seats.faulty, {})
        self.assertEqual(world.journal.restarted().records(), [])

    def stopped(self) -> MemoryHost:
        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        ann.say("+2")
        mend = self.break_down("act")
        bob.say("+1")
        self.assert_one_fault()
        mend()
        return world

    def test_a_stopped_match_can_go_on(self) -> None:
        world = self.stopped()
        [(table, (sleeping, fault))] = world.lobby.seats.faulty.items()
        self.assertEqual((sleeping.game, fault), ("toy", "RuntimeError: planted"))
        world.lobby.seats.resume_stopped(table)
        [bob] = self.enter(world, "bob")
        self.assertEqual(bob.heard(), ["back 1 2 9", "away 0 already"])
        bob.say("+1")
        self.assertEqual((bob.heard()[-1], world.lobby.seats.faulty), ("count 3 9", {}))

    def test_a_seat_of_a_name_that_somebody_else_has_by_now(self) -> None:
        world = self.stopped()
        client = world.connect("toy", address="192.0.2.99")
        client.say("hi ann")
        self.assertEqual(world.lobby.seats.players_here(TableId(1)), [])
        world.lobby.seats.resume_stopped(TableId(1))
        [bob] = self.enter(world, "bob")
        self.assertEqual((bob.heard()[0], client.heard()), ("back 1 2 9", []))

    def test_a_stopped_match_can_be_given_up(self) -> None:
        world = self.stopped()
        world.lobby.seats.end_stopped(TableId(1))
        self.assertEqual(world.journal.entries[TableId(1)][-1].kind, EntryKind.ARCHIVED)
        self.assertEqual((world.lobby.seats.faulty, world.journal.restarted().records()), ({}, []))

    def test_so_many_stopped_matches_are_known(self) -> None:
        self.patch(seats, "MOST_STOPPED", 1)
        world = self.world()
        self.break_down("act")
        for names in (("ann", "bob"), ("carl", "dora")):
            self.enter(world, *names)[0].say("+1")
        self.flushLoggedErrors(RuntimeError)
        self.assertEqual(list(world.lobby.seats.faulty), [2])

    def test_others_play_on(self) -> None:
        world = self.world()
        ann, _, carl, dora = self.enter(world, "ann", "bob", "carl", "dora")
        ann.say("+0")
        self.assert_one_fault()
        carl.say("+1")
        self.assertEqual(dora.heard(), ["count 0 9", "count 1 9"])
        ann.drop()
        world.wait(100_000)
        self.assertEqual(list(world.lobby.tables), [2])


# A player who gives the match up: the end is told to both players, once the journal has it.


class ResigningTests(TableCase):
    def test_both_players_hear_the_end(self) -> None:
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        journal.release()
        ann.heard()
        bob.heard()
        ann.protocol.conversation.handle.resign()  # type: ignore[attr-defined]
        world.until_idle()
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        journal.release()
        world.until_idle()
        self.assertEqual((ann.heard(), bob.heard()), (["over (1,) left"],) * 2)
        self.assertEqual(world.journal.entries[1][-1].kind, EntryKind.FORFEITED)  # type: ignore[index]

    def test_a_second_time_changes_nothing(self) -> None:
        world = self.world()
        ann, _ = self.seat(world)
        ann.heard()
        handle = ann.protocol.conversation.handle  # type: ignore[attr-defined]
        handle.resign()
        handle.resign()
        world.until_idle()
        self.assertEqual(ann.heard(), ["over (1,) left"])


# A table in a later run of the host.


class RestartTests(TableCase):
    def test_everything_is_as_it_was(self) -> None:
        world = self.world(rng=lambda n: 3)
        ann, _ = self.seat(world)
        ann.say("+2")
        again = self.world(journal=world.journal.restarted(), rng=lambda n: 3)
        bob = self.back(again, "bob")
        self.assertEqual(bob.heard(), ["back 1 2 3", "away 0 already"])
        ann = self.back(again, "ann")
        self.assertEqual(ann.heard(), ["back 0 2 3"])
        self.assertEqual(bob.ask("+1"), ["count 3 3"])

    def test_first_grace_is_two_minutes_at_least(self) -> None:
        """Everybody must find their way back; later losses have the usual grace."""
        world = self.world()
        self.seat(world)
        again = self.world(journal=world.journal.restarted())
        again.wait(3600)
        ann = self.back(again, "ann")
        ann.heard()
        again.wait(119.9)
        bob = self.back(again, "bob")
        bob.drop()
        ann.heard()
        again.wait(60.1)
        self.assertEqual(ann.heard(), ["over (0,) left"])

    def test_down_time_is_charged_to_nobody(self) -> None:
        """The move clock goes on from the last entry, on a machine whose clock starts at 0 again."""
        world = self.world(move_time="10")
        ann, _ = self.seat(world)
        world.wait(6)
        ann.say("+1")
        again = self.world(journal=world.journal.restarted(), move_time="10")
        again.wait(7200)
        bob = self.back(again, "bob")
        again.wait(9.9)
        self.assertEqual(bob.heard(), ["back 1 1 9", "away 0 already"])
        again.wait(0.2)
        self.assertEqual(bob.heard(), ["over (0,) time"])

    def test_a_table_that_nobody_was_told_of_is_put_away(self) -> None:
        journal = RecordingJournal(late=True)
        self.seat(self.world(journal=journal))
        journal.entries[1].clear()  # type: ignore[index]
        again = self.world(journal=journal.restarted())
        self.assertEqual(again.unfinished, [])
        again.journal.release()
        self.assertEqual(again.journal.entries[1][-1].kind, EntryKind.ARCHIVED)  # type: ignore[index]

    def ended_untold(self) -> MemoryHost:
        """The next run of a host that ended between the commit of the last move and the telling of it."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = (world.connect("toy") for _ in range(2))
        ann.say("hi ann")
        bob.say("hi bob")
        journal.release()
        for number in range(10):
            if not journal.entries[TableId(1)][-1].outcome:
                (ann, bob)[number % 2].say("+2")
        self.assertTrue(journal.entries[TableId(1)][-1].outcome, "the match has ended")
        self.assertFalse([line for line in ann.heard() + bob.heard() if line.startswith("over")])
        return self.world(journal=journal.restarted())

    def test_an_end_that_nobody_heard_of_is_told_to_each_who_comes_back(self) -> None:
        """Once; then the player is free to play again, and the table is forgotten when all have been told."""
        world = self.ended_untold()
        world.journal.late = False
        ann = self.back(world, "ann")
        self.assertEqual([line.split()[0] for line in ann.heard()], ["back", "over"])
        self.assertEqual(world.unfinished, [1])
        ann.say("hi ann")
        self.assertNotIn("over", " ".join(ann.heard()))
        bob = self.back(world, "bob")
        self.assertEqual([line.split()[0] for line in bob.heard()], ["back", "over"])
        self.assertEqual(world.unfinished, [])
        self.assertEqual(world.journal.restarted().records(), [])

    def test_an_end_is_told_to_nobody_twice(self) -> None:
        """A player who heard it in one run of the host does not hear it in the next one, whoever else is missing."""
        world = self.ended_untold()
        world.journal.late = False
        self.assertIn("over", " ".join(self.back(world, "ann").heard()))
        again = self.world(journal=world.journal.restarted())
        ann = again.connect("toy")
        ann.say("hi ann")
        self.assertNotIn("over", " ".join(ann.heard()))
        self.assertEqual([line.split()[0] for line in self.back(again, "bob").heard()], ["back", "over"])
        self.assertEqual((again.unfinished, again.journal.restarted().records()), ([], []))

    def test_the_end_is_noted_once(self) -> None:
        world = self.ended_untold()
        noted: list[tuple[int, int | None]] = []
        self.patch(world.journal, "told", lambda table, seat=None: noted.append((table, seat)))
        world.journal.late = False
        for name in ("ann", "bob"):
            self.back(world, name)
        self.assertEqual(noted, [(1, 0), (1, None)])

    def test_an_end_that_nobody_asks_for_is_kept_for_a_day(self) -> None:
        world = self.ended_untold()
        world.wait(86_398)
        self.assertEqual(world.unfinished, [1])
        world.wait(2)
        world.journal.release()
        self.assertEqual((world.unfinished, len(world.lobby.registry)), ([], 0))
        self.assertEqual(world.journal.restarted().records(), [])

    def test_an_end_that_was_told_is_not_told_again(self) -> None:
        world = self.world()
        ann, bob = self.seat(world)
        for _ in range(3):
            ann.say("+2")
            bob.say("+2")
        self.assertIn("over", " ".join(ann.heard()))
        self.assertEqual(world.journal.restarted().records(), [])

    def test_a_record_that_cannot_be_followed_keeps_only_its_table_down(self) -> None:
        world = self.world()
        ann, _ = self.seat(world)
        ann.say("+2")
        self.seat_more(world)
        journal = world.journal.restarted()
        journal.entries[1].append(journal.entries[1][-1])  # type: ignore[index]
        again = self.world(journal=journal)
        self.assertEqual(self.back(again, "ann").heard(), ["suspended"])
        self.assertEqual(self.back(again, "carl").heard()[0].split()[0], "back")
        self.assertEqual(again.unfinished, [2])
        self.assertEqual(len(journal.entries[1]), 3)  # type: ignore[index]

    def seat_more(self, world: MemoryHost) -> None:
        for name in ("carl", "dora"):
            world.connect("toy").say(f"hi {name}")


# The table of a remote game: its clock stands still without a master, and a lost player is out at once.


MASTER = Seat(2)


@define(eq=False)
class Sitter:
    handle: SeatHandle[Any] | None = None
    heard: list[str] = field(factory=list)

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        self.heard.append(type(event).__name__)


class RemoteTableTests(SynchronousTestCase):
    """Ann, Bob and a master, in a game with ten seconds for a move and five for an answer."""

    def setUp(self) -> None:
        self.clock, self.journal, self.ended = Clock(), RecordingJournal(), 0
        context = evolve(TableContext(self.clock, self.journal), grace=0.0)
        seats = tuple(SeatRecord(name, "paper-soccer") for name in ("ann", "bob", "#nim"))
        opening = TableHeader("remote", 1, seats, {"type": "nim", "move_time": "10", "answer_time": "5"})
        self.table = RemoteTable.prepare(context, TableId(1), REMOTE, opening, self.over, lambda table, seat: None)
        self.sitters = [Sitter(), Sitter(), Sitter()]
        self.table.open(opening, self.sitters)
        self.act(2, Next(Seat(0), b""))

    def over(self, table: Any) -> None:
        self.ended += 1

    def act(self, seat: int, action: Any) -> None:
        handle = self.sitters[seat].handle
        assert handle is not None and handle.act(action)

    @property
    def outcome(self) -> str:
        return self.journal.entries[TableId(1)][-1].outcome

    def test_a_lost_player_is_out(self) -> None:
        self.table.disconnect(Seat(0))
        self.assertEqual(self.outcome, "bob won (left): the others have left")
        self.assertEqual((self.ended, self.table.result is None), (1, False))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_time_stands_still(self) -> None:
        self.clock.advance(6)
        self.table.stand_still()
        self.table.stand_still()
        self.clock.advance(100)
        self.assertEqual((self.table.now(), self.clock.getDelayedCalls()), (6000, []))
        self.table.go_on()
        self.table.go_on()
        self.clock.advance(3.9)
        self.assertEqual(self.ended, 0)
        self.clock.advance(0.2)
        self.assertEqual(self.outcome, "bob won (time): the others have not moved in time")

    def test_a_move_while_it_stands(self) -> None:
        """It is taken, and the master owes a state from the moment when time goes on."""
        self.table.stand_still()
        self.act(0, Move(b""))
        self.assertTrue(self.table.owes_state)
        self.clock.advance(60)
        self.table.go_on()
        self.clock.advance(4.9)
        self.assertIsNone(self.table.result)
        self.clock.advance(0.2)
        self.assertEqual(self.outcome, "nobody won (time): the master has not answered")

    def test_nobody_wins_a_game_without_a_master(self) -> None:
        self.table.void()
        self.assertEqual(self.outcome, "nobody won (left): the master is gone")
        self.assertEqual([sitter.heard[-2:] for sitter in self.sitters], [["Ended", "Over"]] * 3)
        self.table.void()
        self.assertEqual(self.ended, 1)
