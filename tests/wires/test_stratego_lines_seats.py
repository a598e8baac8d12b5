"""Seats on the ASCII-lines wire: lost and taken back at any moment, over restarts, slow journals and clocks."""

import random

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.position import seen
from gamehost.testing.cases import PropertyCase
from gamehost.wires.stratego_lines.messages import board_rows, square
from gamehost.wires.stratego_lines.states import COLORS, State
from tests.kit.games.stratego_table import shuffled_rows
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.stratego_lines_table import (
    BLUE,
    RED,
    WIRE,
    connected,
    master_of,
    playing,
    seated,
    set_up_lines,
)
from tests.kit.workers import HeldWorker

NAMES = ("ann", "bob")
OPEN = {"limits.unlimited": "yes"}


def a_move(world: MemoryHost, rng: random.Random) -> str:
    """A legal move of whoever is to move, strikes more often than not."""
    position = master_of(world).position
    moves = list(position.legal_moves())
    strikes = [move for move in moves if position.squares[move[1]] != ord(".")]
    source, target = rng.choice(strikes if strikes and rng.random() < 0.6 else moves)
    return f"{square(source % 10, source // 10)}-{square(target % 10, target // 10)}"


def on_return(world: MemoryHost, seat: int) -> list[str]:
    """What a player who comes back in play is to be told."""
    position = master_of(world).position
    rows = board_rows(seen(position.squares, Seat(seat)))
    asked = ["get-move"] if position.turn == seat else []
    return ["auth-req", "auth-ok", "resume", f"color {COLORS[seat]}", "board", *rows, "endsetup", *asked]


class ComingBackTests(PropertyCase):
    """A player may be lost at any moment."""

    @given(st.randoms(use_true_random=False), st.integers(0, 60), st.sampled_from([0, 1]), st.booleans())
    def test_back_at_any_moment_with_everything_right(
        self, rng: random.Random, moves: int, leaver: int, restarted: bool
    ) -> None:
        """Board and turn are those of the match, on the old host or on a new one; and it goes on from there."""
        world = MemoryHost(OPEN)
        clients = list(playing(world, *(set_up_lines(seat, shuffled_rows(rng)) for seat in (0, 1))))
        for _ in range(moves):
            if not world.lobby.tables or master_of(world).position is None:
                return
            clients[master_of(world).position.turn].say(a_move(world, rng))
        if not world.lobby.tables or master_of(world).position is None:
            return
        other = 1 - leaver
        if restarted:
            world = MemoryHost(OPEN, journal=world.journal.restarted())
            clients[other] = connected(world, NAMES[other])
            self.assertEqual(clients[other].heard(), on_return(world, other))
        else:
            clients[leaver].drop()
            clients[other].heard()
        clients[leaver] = connected(world, NAMES[leaver])
        self.assertEqual(clients[leaver].heard(), on_return(world, leaver))
        self.assertEqual(clients[other].heard(), [], "the other is told nothing")
        turn = master_of(world).position.turn
        move = a_move(world, rng)
        self.assertIn(clients[turn].ask(move)[0], ("none", *"VMGKJPLSIROB"))
        self.assertTrue(clients[1 - turn].heard()[0].startswith(move))

    @given(st.integers(0, 7), st.sampled_from([0, 1]), st.booleans())
    def test_back_in_the_set_up(self, lines: int, leaver: int, restarted: bool) -> None:
        """`new` and the colour; the set-up is sent again, from its first line."""
        world = MemoryHost(OPEN)
        clients = list(seated(world))
        sent = [min(lines, 4), max(lines - 4, 0)]
        for client, rows, number in zip(clients, (RED, BLUE), sent, strict=True):
            client.say(*rows[:number])
        if restarted:
            world = MemoryHost(OPEN, journal=world.journal.restarted())
        for seat in (0, 1) if restarted else (leaver,):
            clients[seat].drop()
            clients[seat] = connected(world, NAMES[seat])
            self.assertEqual(clients[seat].heard(), ["auth-req", "auth-ok", "new", f"color {COLORS[seat]}"])
            sent[seat] = 0
        for client, rows, number in zip(clients, (RED, BLUE), sent, strict=True):
            client.say(*rows[number:])
        self.assertEqual([client.heard() for client in clients], [["endsetup", "get-move"], ["endsetup"]])

    def test_a_set_up_that_stood_is_enough(self) -> None:
        """Who comes back after it may just wait."""
        world = MemoryHost()
        ann, bob = seated(world)
        ann.say(*RED)
        ann.drop()
        ann = connected(world, "ann")
        self.assertEqual(ann.heard()[2:], ["new", "color red"])
        bob.say(*BLUE)
        self.assertEqual(ann.heard(), ["endsetup", "get-move"])

    def test_who_does_not_come_back_in_time_loses(self) -> None:
        """The grace time is the host's; the other is told who won, and waits again."""
        world = MemoryHost(grace=7)
        ann, bob = playing(world)
        ann.drop()
        self.assertEqual(bob.heard(), [])
        world.wait(7.1)
        self.assertEqual((bob.heard(), bob.state), (["winner blue"], State.WAITING))
        self.assertEqual(connected(world, "ann").heard(), ["auth-req", "auth-ok", "new", "color blue"])

    def test_half_a_set_up_does_not_outlive_its_game(self) -> None:
        """The other one left; the next set-up begins with its first line."""
        world = MemoryHost(grace=0)
        ann, bob = seated(world)
        ann.say(*BLUE[:3])
        bob.drop()
        self.assertEqual(ann.heard(), ["winner red"])
        carl = connected(world, "carl")
        carl.say(*BLUE)
        self.assertEqual(ann.ask(*RED), ["endsetup", "get-move"])

    def test_slow_thinker_loses_on_the_move_clock(self) -> None:
        """`--move-time`: told like any other end."""
        world = MemoryHost(move_time="30")
        ann, bob = playing(world)
        world.wait(30.1)
        self.assertEqual((ann.heard()[0], bob.heard()[0]), ("winner blue", "winner blue"))

    def test_who_is_only_waiting_and_drops_is_gone(self) -> None:
        """Nobody is paired with nobody."""
        world = MemoryHost()
        connected(world, "ann").drop()
        self.assertEqual(connected(world, "bob").heard(), ["auth-req", "auth-ok"])

    def test_who_drops_while_the_password_is_looked_at_is_gone(self) -> None:
        """Nothing comes of it, at a desk that waits neither."""
        worker = HeldWorker()
        world = MemoryHost(worker=worker)
        connected(world, "ann").drop()
        worker.release()
        self.assertEqual(
            (len(world.lobby.registry), world.journal.accounts, world.clock.getDelayedCalls()), (0, {}, [])
        )

    def test_draw_is_told_as_such(self) -> None:
        """`winner none`, an extension."""
        ann, bob = playing(MemoryHost({"stratego.max_plies": "1"}))
        self.assertEqual(ann.ask("A4-A5")[:2], ["none", "winner none"])
        self.assertEqual(bob.heard()[:2], ["A4-A5", "winner none"])

    def test_both_gone_and_back_in_the_other_order(self) -> None:
        """Colours go by name; nobody was forfeited."""
        world = MemoryHost()
        ann, bob = playing(world)
        ann.drop()
        bob.drop()
        world.wait(3600)
        bob, ann = connected(world, "bob"), connected(world, "ann")
        self.assertEqual((bob.heard()[3], ann.heard()[3]), ("color blue", "color red"))
        self.assertEqual(ann.ask("A4-A5"), ["none"])


class LateJournalTests(SynchronousTestCase):
    """Nothing is said before the journal has it."""

    def test_every_word_waits(self) -> None:
        """auth-ok of a new account, new, endsetup, none, the other's move, and winner."""
        journal = RecordingJournal(late=True)
        world = MemoryHost(journal=journal)
        ann, bob = connected(world, "ann"), connected(world, "bob")

        def heard() -> tuple[list[str], list[str]]:
            return ann.heard(), bob.heard()

        self.assertEqual(heard(), (["auth-req"], ["auth-req"]))
        journal.release(1)
        self.assertEqual(heard(), (["auth-ok"], []))
        journal.release(1)
        self.assertEqual(heard(), ([], ["auth-ok"]))
        journal.release()
        self.assertEqual(heard(), (["new", "color red"], ["new", "color blue"]))
        ann.say(*RED)
        bob.say(*BLUE)
        self.assertEqual(heard(), ([], []))
        journal.release()
        self.assertEqual(heard(), (["endsetup", "get-move"], ["endsetup"]))
        ann.say("A4-A7")
        self.assertEqual(heard(), ([], []))
        journal.release()
        self.assertEqual(heard(), (["V", "winner red"], ["A4-A7-R", "winner red"]))
        journal.release()
        self.assertEqual(heard(), (["new", "color red"], ["new", "color blue"]))

    def test_known_account_waits_for_nothing(self) -> None:
        """There is nothing to be written."""
        journal = RecordingJournal()
        connected(MemoryHost(journal=journal), "ann").drop()
        later = journal.restarted()
        later.late = True
        self.assertEqual(connected(MemoryHost(journal=later), "ann").heard(), ["auth-req", "auth-ok"])

    def test_back_while_the_own_move_is_not_durable(self) -> None:
        """The board of the return has it, and comes after it is safe."""
        journal = RecordingJournal()
        world = MemoryHost(journal=journal)
        ann, bob = playing(world)
        journal.late = True
        ann.say("A4-A5")
        ann.drop()
        ann = connected(world, "ann")
        self.assertEqual((ann.heard(), bob.heard()), (["auth-req", "auth-ok"], []))
        journal.release()
        self.assertEqual(bob.heard(), ["A4-A5", "get-move"])
        heard = ann.heard()
        self.assertEqual((heard[0], heard[2], heard[-1]), ("resume", "board", "endsetup"))
        self.assertEqual((heard[8], heard[9]), ("R.~~..~~..", ".RROBBBBBB"))


class RestartTests(SynchronousTestCase):
    """The host goes down and comes up."""

    def test_accounts_and_seats_are_there(self) -> None:
        """With the same password, and with no other; a guest does not get the name."""
        world = MemoryHost(journal=RecordingJournal())
        playing(world)
        world = MemoryHost(journal=world.journal.restarted())
        self.assertEqual(connected(world, "ann", "wrong").heard()[1], "auth-err")
        self.assertEqual(world.connect("onitama").ask("LOGIN|ann"), ["ERROR|this name belongs to an account"])
        ann = connected(world, "ann", address="198.51.100.7")
        self.assertEqual(ann.heard()[1:3], ["auth-ok", "resume"])

    def test_two_minutes_to_come_back(self) -> None:
        """The first grace time after a restart."""
        world = MemoryHost()
        playing(world)
        world = MemoryHost(journal=world.journal.restarted())
        bob = connected(world, "bob")
        bob.heard()
        world.wait(119)
        self.assertEqual(bob.heard(), [])
        world.wait(2)
        self.assertEqual(bob.heard(), ["winner blue"])

    def test_host_that_stops_says_so(self) -> None:
        """And hears nothing more: not even who was about to log in."""
        world = MemoryHost()
        ann, _ = playing(world)
        world.lobby.close()
        world.factories[WIRE].close("the host is stopping; seats at tables are kept")
        world.settle()
        self.assertEqual((ann.heard(), ann.closed), (["err the host is stopping; seats at tables are kept"], True))
