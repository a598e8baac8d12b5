"""Seats of the frames: lost and taken back, until the game ends in one of its ways; strict mode, and faults of the host."""

from collections.abc import Mapping, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, To
from gamehost.games.stratego.master import StrategoMaster
from gamehost.lobby.sessions import ResumePolicy
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.stratego_frames_table import (
    ANN,
    BOB,
    CONNECTED,
    EMPTY_ROWS,
    HIDDEN_ROWS,
    INVALID,
    MOVE_INVALID,
    WAIT,
    WIRE,
    again,
    board,
    connected,
    in_play,
    set_up,
    signed_on,
    the_master,
)
from tests.kit.wires.stratego_frames_words import client_frames

OPEN = {"limits.unlimited": "yes"}


class ComingBackTests(SynchronousTestCase):
    """Who comes back, and what both are told."""

    def test_in_play_to_one_alone(self) -> None:
        """The one who is back hears whose turn it is, and the board; the other nothing at all."""
        world = MemoryHost()
        ann, bob = in_play(world)
        ann.ask("Move (0,3) (0,5)")
        bob.heard()
        ann.drop()
        back, told = again(world, "ann")
        middle = ("..~~..~~..", "9.~~..~~..")
        self.assertEqual(told, ['Playing "bob"', board((*ANN[:3], ".99SBBBBBB"), HIDDEN_ROWS, middle)])
        self.assertEqual(bob.heard(), [])
        self.assertEqual(bob.ask("Move (0,6) (0,5)")[0], 'Battle "tie" 9 9')
        self.assertEqual(back.heard()[0], 'Battle "tie" 9 9')

    def test_a_move_whose_answer_was_lost(self) -> None:
        """Rows 15 and 17: it is made, and is on the board that comes back; again it is out of turn."""
        world = MemoryHost()
        ann, bob = in_play(world)
        ann.transport.receive(client_frames("Move (0,3) (0,4)", 0)[0])
        ann.drop()
        self.assertEqual(bob.heard()[0], "Move (0,3) (0,4)")
        back, told = again(world, "ann")
        self.assertEqual(told[0], 'Playing "bob"')
        self.assertEqual(back.ask("Move (0,3) (0,4)"), [MOVE_INVALID])

    def test_a_ready_stands(self) -> None:
        """Who was ready when the line broke is ready."""
        world = MemoryHost()
        ann, bob = signed_on(world)
        set_up(ann, ANN, 0)
        ann.drop()
        back, told = again(world, "ann")
        self.assertEqual(told, [CONNECTED, board(ANN, EMPTY_ROWS)])
        self.assertEqual(back.ask('Ready "ready"'), [INVALID])
        set_up(bob, BOB, 6)
        self.assertEqual(back.heard()[0], 'Playing "ann"')

    def test_both_gone(self) -> None:
        """The table sleeps; who is back first during the set-up is told to wait."""
        world = MemoryHost()
        ann, bob = signed_on(world)
        set_up(ann, ANN, 0)
        ann.drop()
        bob.drop()
        world.wait(3600)
        ann, told = again(world, "ann")
        self.assertEqual(told, [CONNECTED, board(ANN, EMPTY_ROWS), WAIT])
        _, told = again(world, "bob")
        self.assertEqual((told, ann.heard()), ([CONNECTED, board(EMPTY_ROWS, EMPTY_ROWS)], [CONNECTED]))

    def test_from_elsewhere(self) -> None:
        """A seat is kept for the address it was lost from, unless the host says otherwise."""
        for resume, kept in ((ResumePolicy.SAME_ADDRESS, True), (ResumePolicy.ANY, False)):
            world = MemoryHost(resume=resume)
            ann, _ = in_play(world)
            ann.drop()
            other = connected(world, "192.0.2.66")
            told = other.ask('Sign On "ann"')
            self.assertEqual(told[0].partition(" ")[0], "Error" if kept else "Playing")

    def test_nobody_takes_a_seat_while_its_connection_lives(self) -> None:
        """However sure they are of the name."""
        world = MemoryHost(resume=ResumePolicy.ANY)
        ann, _ = in_play(world)
        _, told = again(world, "ann")
        self.assertEqual(told, ['Error "this name is in use"'])
        self.assertEqual(ann.ask("Move (0,3) (0,4)")[0], "Move (0,3) (0,4)")

    def test_too_late(self) -> None:
        """After the grace time the other has won, in the document's frame; the name is free."""
        world = MemoryHost(grace=30)
        ann, bob = in_play(world)
        ann.drop()
        world.wait(29)
        self.assertEqual(bob.heard(), [])
        world.wait(1)
        self.assertEqual(bob.heard(), ['Game Over "bob"'])
        self.assertEqual(again(world, "ann")[1], [WAIT])
        self.assertEqual(bob.ask('Sign On "bob"'), [CONNECTED])

    def test_no_grace(self) -> None:
        """With no grace a lost connection is a lost game."""
        world = MemoryHost(grace=0)
        ann, bob = in_play(world)
        ann.drop()
        self.assertEqual(bob.heard(), ['Game Over "bob"'])

    def test_who_waits_and_drops_is_gone(self) -> None:
        """Nobody is seated opposite an empty chair."""
        world = MemoryHost()
        again(world, "ann")[0].drop()
        self.assertEqual(again(world, "bob")[1], [WAIT])

    def test_back_after_the_end_was_decided(self) -> None:
        """The last move is made but not yet safe when a player comes back: the board, then Game Over."""
        journal = RecordingJournal()
        world = MemoryHost(journal=journal)
        ann, bob = in_play(world)
        bob.drop()
        journal.late = True
        ann.ask("Move (1,3) (1,6)")
        back, told = again(world, "bob")
        self.assertEqual((told, ann.heard()), ([], []))
        journal.release()
        self.assertEqual(ann.heard()[-1], 'Game Over "ann"')
        self.assertEqual([line.partition(" ")[0] for line in back.heard()], ["Board", "Game"])


class EndTests(SynchronousTestCase):
    """How games end on this wire."""

    def drawn(self, strict: bool, settings: Mapping[str, str] = {}) -> list[str]:
        """What ann hears at the end of a game that is a draw after two moves."""
        world = MemoryHost({"stratego.max_plies": "2", **settings}, strict=strict)
        ann, bob = in_play(world)
        ann.ask("Move (0,3) (0,5)")
        bob.ask("Move (0,6) (0,5)")
        return ann.heard()

    def test_draw(self) -> None:
        """Nobody's name; in strict mode that of the side that moved last."""
        self.assertEqual(self.drawn(strict=False)[-1], 'Game Over "tie"')
        self.assertEqual(self.drawn(strict=True)[-1], 'Game Over "bob"')

    def test_draw_before_anybody_moved(self) -> None:
        """Neither is ready in time: a tie; in strict mode there are no words for it, and the host hangs up."""
        for strict, words in ((False, ['Game Over "tie"']), (True, [])):
            world = MemoryHost(strict=strict)
            ann, _ = signed_on(world)
            world.wait(301)
            self.assertEqual((ann.heard(), ann.closed), (words, strict))

    def test_nobody_can_move_at_all(self) -> None:
        """Two sides shut in by their own bombs: Playing, Board and the end at once."""
        shut = ("BB99BB99BB", "F123344455", "5566667777", "888889999S")
        world = MemoryHost()
        ann, bob = signed_on(world)
        set_up(ann, tuple(reversed(shut)), 0)
        told = set_up(bob, shut, 6)[40:]
        self.assertEqual([line.partition(" ")[0] for line in told], ["Playing", "Board", "Game"])
        self.assertEqual(told[-1], 'Game Over "tie"')

    def test_time(self) -> None:
        """Whoever does not move in time loses; whoever is not ready in time, too."""
        world = MemoryHost(move_time="30")
        ann, bob = in_play(world)
        world.wait(30)
        self.assertEqual((ann.heard(), bob.heard()), (['Game Over "bob"'],) * 2)
        world = MemoryHost()
        ann, bob = signed_on(world)
        set_up(ann, ANN, 0)
        world.wait(300)
        self.assertEqual((ann.heard(), bob.heard()), (['Game Over "ann"'],) * 2)

    def test_row_130_battles_name_the_winner_of_the_battle(self) -> None:
        """Attacker, defender or nobody; the flag is taken like a piece."""
        world = MemoryHost()
        ann, bob = in_play(world)
        self.assertEqual(ann.ask("Move (1,3) (1,6)")[0], 'Battle "ann" 9 F')
        for first, told in ((BOB, 'Battle "bob" 9 2'), (ANN, 'Battle "tie" 9 9')):
            world = MemoryHost()
            second = ("299SBBBBBB", "8888899999", "5566667777", "F193344455") if first is BOB else BOB
            ann, bob = in_play(world, second=second)
            self.assertEqual(ann.ask("Move (0,3) (0,6)")[0], told)
            self.assertEqual(bob.heard()[0], told)

    def test_another_game_on_the_same_connections(self) -> None:
        """Who waits first is the first player; sequence numbers go on."""
        world = MemoryHost(OPEN)
        ann, bob = in_play(world)
        ann.ask("Move (1,3) (1,6)")
        bob.heard()
        self.assertEqual(bob.ask('Sign On "bo"'), [WAIT])
        self.assertEqual(ann.ask('Sign On "ann"'), [CONNECTED])
        self.assertEqual(bob.heard(), [CONNECTED])
        set_up(ann, BOB, 6)
        self.assertEqual(set_up(bob, ANN, 0)[-2:], ['Playing "bo"', board(ANN, HIDDEN_ROWS)])


class StrictTests(SynchronousTestCase):
    """The document's frames only."""

    def test_nothing_is_said_before_a_hang_up(self) -> None:
        """A name that cannot be, a broken frame, a silent client, a host that stops: closed without a word."""
        for line in ('Sign On "an n"', "bytes 2B", "bytes 2A 05 00 00 00 02"):
            client = connected(MemoryHost(strict=True))
            self.assertEqual(client.ask(line), [])
            self.assertTrue(client.closed)
        world = MemoryHost(strict=True)
        silent = connected(world)
        world.wait(11)
        self.assertEqual((silent.heard(), silent.closed), ([], True))

    def test_a_drop_during_the_set_up_is_not_told(self) -> None:
        """The other hears nothing of it; the one who is back hears documented frames."""
        world = MemoryHost(strict=True)
        ann, bob = signed_on(world)
        ann.drop()
        self.assertEqual(again(world, "ann")[1], [CONNECTED, board(EMPTY_ROWS, EMPTY_ROWS)])
        self.assertEqual(bob.heard(), [])

    def test_refusals_are_counted(self) -> None:
        """Twenty within twenty seconds end the connection, without a word of why."""
        world = MemoryHost(strict=True)
        ann, _ = in_play(world)
        self.assertEqual(ann.ask(*["Move (0,4) (0,5)"] * 25), [MOVE_INVALID] * 20)
        self.assertTrue(ann.closed)


class LobbyTests(SynchronousTestCase):
    """This wire among others."""

    def test_the_queue_is_the_games(self) -> None:
        """Players wait where all players of Stratego do, unless this wire is set apart."""
        for settings, pool in (({}, ""), ({"stratego-frames.separate": "yes"}, WIRE)):
            world = MemoryHost(settings)
            again(world, "ann")
            self.assertEqual(list(world.lobby._queues.waiting), [("stratego", pool)])

    def test_suspended(self) -> None:
        """A fault of the referee: both are told, and hung up on; the record is kept for the host's next life."""
        world = MemoryHost()
        ann, bob = in_play(world)
        world.lobby.tables[next(iter(world.lobby.tables))]._master = Broken(the_master(world)._terms)
        ann.say("Move (0,3) (0,4)")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        for client in (ann, bob):
            self.assertEqual([line.partition(" ")[0] for line in client.heard()], ["Error"])
            self.assertTrue(client.closed)
        again_here, told = again(world, "ann")
        self.assertEqual((len(told), again_here.closed), (1, True))
        after = MemoryHost(journal=world.journal.restarted())
        self.assertEqual(again(after, "ann")[1], ['Playing "ann"', board(ANN, HIDDEN_ROWS)])


class Broken(StrategoMaster):
    """A referee with a fault."""

    def act(self, seat: Seat, action: Any, now: int) -> Sequence[To[Any]]:
        raise RuntimeError("planted")
