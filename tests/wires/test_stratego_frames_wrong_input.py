"""Wrong input and lost seats on the wire of frames."""

import struct
from collections.abc import Iterator

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import Client, MemoryHost, client_frames, frame
from tests.kit.wires.stratego_frames import (
    ANN,
    BOB,
    CONNECTED,
    EMPTY_ROWS,
    HIDDEN_ROWS,
    INVALID,
    MOVE_INVALID,
    VALID,
    WAIT,
    again,
    board,
    connected,
    in_play,
    rows,
    set_up,
    setups,
    signed_on,
    the_master,
)

OPEN = {"limits.unlimited": "yes"}


class FramingTests(SynchronousTestCase):
    def assert_ended(self, world: MemoryHost, client: Client, data: bytes) -> None:
        client.heard()
        client.send(data + client_frames("Move (0,3) (0,4)", 0)[0])
        told = client.heard()
        self.assertEqual([line.partition(" ")[0] for line in told], ["Error"])
        self.assertTrue(client.closed)
        self.assertEqual(the_master(world).result, None)

    def test_types_that_clients_do_not_send(self) -> None:
        """The server's own types, 0 and 255 end the connection; the seat is kept."""
        for kind in (0, *range(5, 11), 15, 255):
            world = MemoryHost()
            ann, bob = in_play(world)
            self.assert_ended(world, ann, frame(kind, b"\x00\x04wait"))
            self.assertEqual(bob.heard(), [])
            _, told = again(world, "ann")
            self.assertEqual(told[0], 'Playing "ann"')

    def test_sizes(self) -> None:
        for kind, size in ((1, 0), (1, 257), (1, 0x8000), (1, 0xFFFF), (2, 0), (2, 11), (4, 15), (4, 0xFFFF), (3, 0)):
            world = MemoryHost()
            ann, _ = in_play(world)
            ann.send(struct.pack(">BBHH", 0x2A, kind, 0, size))
            self.assertTrue(ann.closed, (kind, size))
            self.assertEqual(len(ann.heard()), 1)

    def test_truncated_frame(self) -> None:
        world = MemoryHost()
        ann, bob = in_play(world)
        ann.send(client_frames("Move (0,3) (0,4)", 0)[0][:-1])
        ann.drop()
        self.assertEqual(bob.heard(), [])
        _, told = again(world, "ann")
        self.assertEqual(told, ['Playing "ann"', board(ANN, HIDDEN_ROWS)])


class SignOnTests(SynchronousTestCase):
    def test_names_in_use(self) -> None:
        """The second is refused, however the name is written; the live seat hears nothing of it."""
        world = MemoryHost()
        ann, bob = in_play(world)
        for name in ("bob", "BOB", "ann", "Ann", "\uff41nn"):
            _, told = again(world, name)
            self.assertEqual(told, ['Error "this name is in use"'])
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        strict = MemoryHost(strict=True)
        again(strict, "ann")
        other, told = again(strict, "ann")
        self.assertEqual((told, other.closed), ([], True))

    def test_names_that_cannot_be(self) -> None:
        """Refused in words, and another one may be tried on the same connection."""
        client = connected(MemoryHost(OPEN))
        for name in ("", "an n", "tie", "TIE", "draw", "none", "a" * 21, "a|b", "a\\u0000", "\\u202eann", "\U0001f600"):
            told = client.ask(f'Sign On "{name}"')
            self.assertEqual([line.partition(" ")[0] for line in told], ["Error"], name)
        for payload in (b"\x00\x03an\xff", b"\x00\x09ann", b"\x00\x01ann", "\x00\x04\U00010400".encode()):
            client.send(frame(1, payload))
            self.assertEqual(client.heard(), ['Error "a user name is a String in modified UTF-8"'])
        self.assertEqual(client.ask('Sign On "\U00010400\U00010401"'), [WAIT])

    def test_names_come_back_as_they_are_written(self) -> None:
        for written, said in (("\U00010400\U00010401", "\U00010400\U00010401"), ("ane\u0301", "ané")):
            world = MemoryHost()
            first, _ = again(world, written)
            second, _ = again(world, "bob")
            first.heard()
            set_up(first, ANN, 0)
            told = set_up(second, BOB, 6)
            self.assertEqual(told[-2], f'Playing "{said}"')


class SetUpTests(SynchronousTestCase):
    def test_squares_off_the_board(self) -> None:
        ann, _ = signed_on(MemoryHost(OPEN))
        for x, y in ((10, 0), (-1, 3), (0, -1), (2**31 - 1, 2**31 - 1), (-(2**31), 0), (0, 10), (13, -1), (-10, 1)):
            self.assertEqual(ann.ask(f"Setup 9 ({x},{y})"), [INVALID])
        self.assertEqual(set_up(ann, ANN, 0), [VALID] * 40)

    def test_squares_of_others_and_taken_ones(self) -> None:
        world = MemoryHost(OPEN)
        ann, bob = signed_on(world)
        self.assertEqual(ann.ask("Setup 9 (0,0)"), [VALID])
        for square in ("(0,6)", "(0,9)", "(0,4)", "(2,4)", "(7,5)", "(0,0)"):
            self.assertEqual(ann.ask(f"Setup 8 {square}"), [INVALID])
        for square in ("(0,3)", "(0,0)", "(2,5)"):
            self.assertEqual(bob.ask(f"Setup 9 {square}"), [INVALID])
        ann.drop()
        _, told = again(world, "ann")
        self.assertEqual(told[1], board(("9.........", *EMPTY_ROWS[1:]), EMPTY_ROWS))

    def test_pieces(self) -> None:
        ann, _ = signed_on(MemoryHost(OPEN))
        self.assertEqual(ann.ask("Setup F (0,0)", "Setup F (1,0)"), [VALID, INVALID])
        self.assertEqual(ann.ask("Setup BBBBBB (0,1)", "Setup B (6,1)"), [VALID] * 6 + [INVALID])
        for piece in ("0", "A", "a", '"\\u0000"', "#", ".", "~", "s", "f", "\uff11", '"\\ud800"', "é"):
            self.assertEqual(ann.ask(f"Setup {piece} (0,3)"), [INVALID], piece)
        # Of the rest, what does not fall on one of these seven, and is no bomb.
        self.assertEqual(set_up(ann, ANN, 0).count(VALID), 40 - 7 - 6)

    def test_the_41st(self) -> None:
        ann, _ = signed_on(MemoryHost(OPEN))
        self.assertEqual(ann.ask(*setups(ANN, 0)), [VALID] * 40)
        self.assertEqual(ann.ask("Setup 9 (0,0)", "Setup 9 (0,4)", "Setup 8 (9,3)"), [INVALID] * 3)

    def test_ready_too_early(self) -> None:
        for missing in ("F", "9"):
            world = MemoryHost(OPEN)
            ann, bob = signed_on(world)
            set_up(bob, BOB, 6)
            pieces = "".join(ANN).replace(missing, "", 1)
            self.assertEqual(ann.ask(*setups(rows(pieces), 0)), [VALID] * 39)
            self.assertEqual(ann.ask('Ready "ready"'), [INVALID])
            self.assertEqual(bob.heard(), [])
            told = ann.ask(f"Setup {missing} (9,3)", 'Ready "ready"')
            self.assertEqual(told[:2], [VALID, 'Playing "ann"'])

    def test_ready_and_after(self) -> None:
        ann, bob = signed_on(MemoryHost(OPEN))
        ann.ask(*setups(ANN, 0))
        for payload in ('"Ready"', '"ready "', '"READY"', '""', '"re\\u0000ady"', '"steady"'):
            self.assertEqual(ann.ask(f"Ready {payload}"), [INVALID], payload)
        ann.send(frame(3, b"\x00\x09ready") + frame(3, b"\x00\x05rea\xffy"))
        self.assertEqual(ann.heard(), [INVALID, INVALID])
        self.assertEqual(ann.ask('Ready "ready"'), [])
        self.assertEqual(ann.ask('Ready "ready"', "Setup 9 (0,3)", "Setup 9 (0,4)"), [INVALID] * 3)
        set_up(bob, BOB, 6)
        self.assertEqual(ann.heard()[0], 'Playing "ann"')
        self.assertEqual(ann.ask('Ready "ready"', "Setup 9 (0,4)"), [INVALID] * 2)


class MoveTests(SynchronousTestCase):
    def refused_moves(self) -> Iterator[str]:
        yield "Move (0,4) (0,5)"  # from an empty square
        yield "Move (0,6) (0,5)"  # an enemy piece
        yield "Move (1,6) (1,5)"  # the enemy's flag
        yield "Move (4,3) (4,4)"  # a bomb
        yield "Move (0,0) (0,1)"  # the flag
        yield "Move (2,3) (2,4)"  # onto a lake
        yield "Move (2,4) (2,3)"  # from a lake
        yield "Move (0,3) (1,4)"  # diagonally
        yield "Move (0,3) (0,7)"  # through pieces
        yield "Move (0,3) (1,3)"  # onto an own piece
        yield "Move (0,3) (0,3)"  # nowhere
        yield "Move (0,3) (0,10)"  # off the board
        yield "Move (-1,3) (0,4)"
        yield "Move (0,3) (2147483647,-2147483648)"

    def test_moves_that_cannot_be(self) -> None:
        world = MemoryHost(OPEN)
        ann, bob = in_play(world)
        for move in self.refused_moves():
            self.assertEqual(ann.ask(move), [MOVE_INVALID], move)
        self.assertEqual(bob.heard(), [])
        self.assertEqual(ann.ask("Move (0,3) (0,4)")[0], "Move (0,3) (0,4)")

    def test_numbers_of_another_make(self) -> None:
        """Little-endian ints and the bits of floats are numbers off the board."""
        world = MemoryHost(OPEN)
        ann, _ = in_play(world)
        for payload in (struct.pack("<iiii", 0, 3, 0, 4), struct.pack(">ffff", 0, 3, 0, 4), b"\xff" * 16):
            ann.send(frame(4, payload))
            self.assertEqual(ann.heard(), [MOVE_INVALID])
        first, _ = signed_on(MemoryHost(OPEN))
        for payload in (struct.pack("<Hii", 0x39, 0, 3), struct.pack(">Hff", 0x39, 0, 3), b"9\0" + b"\x7f" * 8):
            first.send(frame(2, payload))
            self.assertEqual(first.heard(), [INVALID])


class TableTests(SynchronousTestCase):
    def test_both_at_once(self) -> None:
        """Both Ready, then both Move, in one turn of the reactor: in the order in which they came, one Playing each."""
        for ann_first in (True, False):
            world = MemoryHost(OPEN)
            ann, bob = signed_on(world)
            ann.ask(*setups(ANN, 0))
            bob.ask(*setups(BOB, 6))
            players = [(ann, "Move (0,3) (0,5)"), (bob, "Move (0,6) (0,5)")]
            for player, move in players if ann_first else reversed(players):
                player.transport.receive(player.message_text.said('Ready "ready"') + player.message_text.said(move))
            world.until_idle()
            for told in (ann.heard(), bob.heard()):
                self.assertEqual(told.count('Playing "ann"'), 1)
                # Whoever moves before play has begun is refused, and nothing of it is kept for later.
                self.assertEqual("Move (0,3) (0,5)" in told, not ann_first)

    def test_a_third(self) -> None:
        world = MemoryHost()
        ann, bob = in_play(world)
        cat, told = again(world, "cat")
        self.assertEqual(told, [WAIT])
        _, told = again(world, "dan")
        self.assertEqual((told, cat.heard()), ([CONNECTED], [CONNECTED]))
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        self.assertEqual(len(world.lobby.tables), 2)

    def test_gone_during_the_set_up(self) -> None:
        world = MemoryHost(OPEN)
        ann, bob = signed_on(world)
        self.assertEqual(bob.ask(*setups(BOB[:1], 6)), [VALID] * 10)
        bob.drop()
        self.assertEqual(ann.heard(), [WAIT])
        self.assertEqual(set_up(ann, ANN, 0), [VALID] * 40)
        world.wait(59)
        back, told = again(world, "bob")
        self.assertEqual(told, [CONNECTED, board(EMPTY_ROWS, (BOB[0], *EMPTY_ROWS[1:]))])
        self.assertEqual(ann.heard(), [CONNECTED])
        told = set_up(back, BOB[1:], 7)
        self.assertEqual(told, [VALID] * 30 + ['Playing "ann"', board(HIDDEN_ROWS, BOB)])


class ComingBackTests(SynchronousTestCase):
    def test_who_was_ready_when_the_line_broke_is_ready(self) -> None:
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


class EndTests(SynchronousTestCase):
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

    def test_battles_name_the_winner_of_the_battle(self) -> None:
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
