"""Wrong input and lost seats on the wire of lines."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.wires.stratego_lines.conversation import COLORS, LinesState
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost, master_of
from tests.kit.reactors import HeldWorker
from tests.kit.wires.stratego_lines import BLUE, RED, WIRE, connected, playing, seated

AWAY = "198.51.100.7"
NOT_YOUR_TURN = "err it is not your turn: wait for get-move"


class LogInTests(SynchronousTestCase):
    def test_wrong_password(self) -> None:
        world = MemoryHost()
        connected(world, "ann", address=AWAY)
        for _ in range(2):
            client = world.connect(WIRE)
            for _ in range(3):
                client.ask("ann", "wrong")
            if client.closed:
                continue
            self.assertEqual((client.heard(), client.state), ([], LinesState.CHECKING))
            world.wait(4.9)  # the last one of an address that tries on leaves something for others
            self.assertEqual(client.heard(), ["auth-err", "err wrong password", "auth-req"])
            client.ask("ann", "wrong")
            world.wait(11.8)
            self.assertEqual((client.heard(), client.closed), ([], False))
            world.wait(0.2)
            self.assertEqual(client.heard(), ["auth-err", "err wrong password"])
            self.assertTrue(client.closed)

    def test_no_password_no_name(self) -> None:
        worker = HeldWorker()
        for name, password, why in (
            ("ann", "", "an empty password"),
            ("   ", "secret", "a name has 1 to 20 letters, digits, _ - or . and nothing else"),
            ("a b", "secret", "a name has 1 to 20 letters, digits, _ - or . and nothing else"),
            ("ann", "x" * 129, "a password has 1 to 128 printable ASCII characters"),
            ("ann", "x\ty", "a password has 1 to 128 printable ASCII characters"),
            ("a" * 21, "secret", "a name has at most 20 characters"),
        ):
            world = MemoryHost(worker=worker)
            client = connected(world, name, password)
            self.assertEqual(client.heard(), ["auth-req", "auth-err", f"err {why}", "auth-req"])
            self.assertEqual((len(worker.held), world.journal.people), (0, {}))
        client = connected(MemoryHost(), "ann", "x" * 128)
        self.assertEqual(client.heard(), ["auth-req", "auth-ok"])
        client = connected(MemoryHost(), "ann", "x" * 161)
        self.assertEqual(client.heard(), ["auth-req", "err a line longer than 160 bytes"])
        self.assertTrue(client.closed)

    def test_blank_lines_before_the_name_are_nothing(self) -> None:
        """As anywhere else; and blanks of a password are its own."""
        world = MemoryHost()
        client = world.connect(WIRE)
        self.assertEqual(client.ask("", "", "ann", " secret "), ["auth-ok"])
        self.assertEqual(connected(world, "ann", "secret").heard()[1], "auth-err")
        self.assertEqual(connected(world, "ann", " secret ").heard()[1], "auth-ok")

    def test_flood_of_log_ins(self) -> None:
        """One password is worked on, 32 new names wait, the others are refused at once; tables play on meanwhile."""
        worker = HeldWorker()
        world = MemoryHost(worker=lambda work, done: done(work()))
        ann, bob = playing(world)
        world.lobby.login_service._worker = worker
        clients = [connected(world, f"x{number}", address=f"10.0.0.{number}") for number in range(60)]
        # Clients at no table have turns when many speak at once.
        world.wait(1)
        heard = [client.heard() for client in clients]
        self.assertEqual(sum(lines == ["auth-req"] for lines in heard), 33)
        self.assertEqual(heard[-1][1:3], ["auth-err", "err too many log-ins at once: try again in a moment"])
        self.assertEqual(len(worker.held), 1)
        self.assertEqual(ann.ask("A4-A5"), ["none"])
        self.assertEqual(bob.heard(), ["A4-A5", "get-move"])
        self.assertEqual(worker.release(), 33)

    def test_the_host_s_time_is_not_the_client_s(self) -> None:
        """A password that is worked on for a minute does not end a log-in; one that has not come in ten seconds does."""
        worker = HeldWorker()
        world = MemoryHost(worker=worker)
        client = connected(world, "ann")
        world.wait(60)
        worker.release()
        self.assertEqual((client.heard(), client.closed), (["auth-req", "auth-ok"], False))
        late = world.connect(WIRE)
        world.wait(5)
        late.say("ann", "wrong")
        world.wait(60)
        worker.release()
        self.assertEqual(late.heard()[-1], "auth-req")
        world.wait(9.9)
        self.assertFalse(late.closed)
        world.wait(0.2)
        self.assertEqual((late.heard(), late.closed), (["err not logged in within 10 s"], True))

    def test_a_busy_host_lets_nobody_in(self) -> None:
        worker = HeldWorker()
        world = MemoryHost(worker=worker)
        early = connected(world, "ann")
        world.lobby.closed = "the host is busy"
        late = connected(world, "bob")
        self.assertEqual((late.heard()[1:3], len(worker.held)), (["auth-err", "err the host is busy"], 1))
        worker.release()
        self.assertEqual(early.heard(), ["auth-req", "auth-err", "err the host is busy", "auth-req"])
        self.assertEqual(len(world.lobby.registry), 0)

    def test_newer_connection_takes_the_seat(self) -> None:
        world = MemoryHost()
        for stage in ("waiting", "set-up", "play"):
            world = MemoryHost()
            ann = connected(world, "ann")
            if stage == "set-up":
                ann.drop()
                ann, bob = seated(world)
            elif stage == "play":
                ann.drop()
                ann, bob = playing(world)
            ann.heard()
            newer = connected(world, "ann", address=AWAY)
            self.assertEqual((ann.heard(), ann.closed), (["err this account has logged in elsewhere"], True))
            heard = newer.heard()
            self.assertEqual(heard[1], "auth-ok")
            if stage == "waiting":
                bob = connected(world, "bob")
                self.assertEqual(newer.heard(), ["new", "color red"])
                continue
            self.assertEqual(heard[2], {"set-up": "new", "play": "resume"}[stage])
            if stage == "play":
                self.assertEqual(newer.ask("A4-A5"), ["none"])
                self.assertEqual(bob.heard(), ["A4-A5", "get-move"])

    def test_what_the_older_connection_still_sends_is_not_heard(self) -> None:
        world = MemoryHost()
        ann, bob = playing(world)
        ann.transport.reads = False
        newer = connected(world, "ann")
        ann.protocol.dataReceived(b"A4-A5\n")
        self.assertEqual(bob.heard(), [])
        self.assertEqual(newer.ask("A4-A5")[-1], "none")

    def test_lines_while_a_password_is_looked_at_are_refused(self) -> None:
        """Before the log-in any line is a name or a password; then, and when nobody is there yet, none is awaited."""
        worker = HeldWorker()
        world = MemoryHost(worker=worker)
        client = connected(world, "ann")
        self.assertEqual(client.ask("ann"), ["err your password is being checked: wait for auth-ok or auth-err"])
        worker.release()
        self.assertEqual(client.ask("ann"), ["err the game has not begun: wait for new"])

    def test_names_of_guests_and_accounts(self) -> None:
        world = MemoryHost()
        guest = world.connect("onitama")
        other = world.connect("onitama")
        guest.say("LOGIN|Ann")
        other.say("LOGIN|carl")
        self.assertEqual(connected(world, "ann").heard()[1:3], ["auth-err", "err this name is in use by a guest"])
        guest.drop()
        self.assertEqual(connected(world, "ann").heard()[1:3], ["auth-err", "err this name is in use by a guest"])
        connected(world, "dora").drop()
        for name in ("dora", "DORA"):
            self.assertEqual(world.connect("onitama").ask(f"LOGIN|{name}"), ["ERROR|this name belongs to an account"])


class SetUpTests(SynchronousTestCase):
    def test_bad_set_ups(self) -> None:
        ten = "is not ten letters of V M G K J P L S I R O B"
        for bad, why in (
            (("VMGKKJJJP", *RED[1:]), f"line 1 of the set-up {ten}"),
            ((RED[0] + "P", *RED[1:]), f"line 1 of the set-up {ten}"),
            ((*RED[:3], "RRRXBBBBBB"), f"line 4 of the set-up {ten}"),
            ((*RED[:3], "RRRRBBBBBB"), "the set-up has 9 R instead of 8, 0 O instead of 1"),
            (("RMGKKJJJPP", *RED[1:]), "the set-up has 0 V instead of 1, 9 R instead of 8"),
            (("VVGKKJJJPP", *RED[1:]), "the set-up has 2 V instead of 1, 0 M instead of 1"),
        ):
            world = MemoryHost()
            ann, bob = seated(world)
            for number, line in enumerate(bad):
                self.assertEqual(ann.ask(line), [] if number < 3 else [f"err {why}"])
            self.assertEqual((ann.ask(*RED), bob.ask(*BLUE)), ([], ["endsetup"]))
        ann, _ = seated(MemoryHost())
        for _ in range(3):
            self.assertFalse(ann.closed)
            self.assertEqual(len(ann.ask("a", "b", "c", "d")), 1)
        self.assertTrue(ann.closed)

    def test_set_up_lines_before_new(self) -> None:
        world = MemoryHost()
        ann = connected(world, "ann")
        ann.heard()
        self.assertEqual(ann.ask(*RED), ["err the game has not begun: wait for new"] * 4)
        bob = connected(world, "bob")
        bob.say(*BLUE)
        self.assertEqual(ann.heard(), ["new", "color red"])
        self.assertEqual(ann.ask(*RED), ["endsetup", "get-move"])

    def test_three_lines_and_silence(self) -> None:
        world = MemoryHost()
        ann, bob = seated(world)
        bob.say(*BLUE)
        ann.say(*RED[:3])
        world.wait(299)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        world.wait(1.1)
        self.assertEqual((ann.heard()[0], bob.heard()[0]), ("winner blue", "winner blue"))

    def test_blue_s_lines_in_red_s_order_are_taken_as_sent(self) -> None:
        """The first line is row 10: the wire cannot tell what was meant."""
        world = MemoryHost()
        ann, bob = seated(world)
        ann.say(*RED)
        bob.say(*reversed(BLUE))
        squares = master_of(world).view(1).squares
        self.assertEqual((squares[60:62], squares[90:92]), ("12", "F9"))


class MoveTests(SynchronousTestCase):
    def test_what_is_not_a_move(self) -> None:
        world = MemoryHost()
        ann, _ = playing(world)
        before = master_of(world).position
        for text in (
            *("A0-A1", "K1-K2", "A11-A10", "A4 -A5", "A4-A5-R", "A04-A05", "A4-A5-", "a4a5", "-", "A4", "1-2"),
            *("A4-A4", "A5-A6", "A7-A6", "E4-E5", "A1-A2", "C4-C5", "A4-B5", "B4-B8", "A3-A4"),
        ):
            world.wait(5)
            heard = ann.ask(text)
            self.assertEqual(([line.split()[0] for line in heard], heard[1]), (["err", "get-move"], "get-move"), text)
        self.assertIs(master_of(world).position, before)
        for line in ("A4–A5", "A٤-A٥"):
            ann, _ = playing(MemoryHost())
            self.assertEqual(ann.ask(line), ["err a line that is not ASCII", "get-move"])

    def test_move_when_not_asked(self) -> None:
        """Refused, and not kept for later, even where the referee would have it already."""
        journal = RecordingJournal(late=True)
        world = MemoryHost(journal=journal)
        ann, bob = playing(world)
        self.assertEqual(bob.ask("B7-B6"), [NOT_YOUR_TURN])
        ann.say("A4-A5")
        self.assertEqual(bob.ask("B7-B6"), [NOT_YOUR_TURN], "the other's move is not durable yet")
        journal.release()
        self.assertEqual((ann.heard(), bob.heard()), (["none"], ["A4-A5", "get-move"]))
        self.assertEqual(bob.ask("B7-B6"), [])

    def test_two_moves_in_one_packet(self) -> None:
        for late in (False, True):
            journal = RecordingJournal(late=late)
            world = MemoryHost(journal=journal)
            ann, bob = playing(world)
            ann.say("A4-A5", "A5-A6", "hello")
            journal.release()
            self.assertEqual(ann.heard(), ["none", NOT_YOUR_TURN, NOT_YOUR_TURN])
            bob.say("B7-B6")
            journal.release()
            self.assertEqual(ann.heard(), ["B7-B6", "get-move"])

    def test_behind_the_last_move(self) -> None:
        """The first line behind the move that ends the game has no answer; the next is refused, and no turn is promised."""
        journal = RecordingJournal(late=True)
        ann, _ = playing(MemoryHost({"stratego.max_plies": "1"}, journal=journal))
        ann.say("A4-A5", "A5-A6", "A6-A7")
        journal.release()
        self.assertEqual(ann.heard()[:3], ["none", "winner none", "err the game has not begun: wait for new"])
        self.assertNotIn("err the game has not begun: wait for new", ann.heard())

    def test_after_a_refused_one_the_next_is_played(self) -> None:
        ann, _ = playing(MemoryHost())
        self.assertEqual(ann.ask("A4-A4", "A4-A5")[1:], ["get-move", "none"])

    def test_who_stays_after_the_game_waits_again(self) -> None:
        world = MemoryHost()
        ann, bob = playing(world)
        bob.drop()
        world.wait(61)
        self.assertEqual(ann.heard(), ["winner red"])
        world.wait(3600)
        self.assertFalse(ann.closed)
        carl = connected(world, "carl")
        self.assertEqual(ann.heard(), ["new", "color red"])
        self.assertEqual(carl.heard(), ["auth-req", "auth-ok", "new", "color blue"])

    def test_the_mover_is_answered_first(self) -> None:
        world = MemoryHost()
        ann, bob = playing(world)
        written: list[bytes] = []
        for client in (ann, bob):
            real = client.transport.write
            client.transport.write = lambda data, real=real: (written.append(data), real(data))[1]  # type: ignore
        ann.say("A4-A5")
        bob.say("B7-B5")
        ann.say("A5-B5")
        self.assertEqual(
            written,
            [b"none\n", b"A4-A5\nget-move\n", b"none\n", b"B7-B5\nget-move\n", b"R\n", b"A5-B5-R\nget-move\n"],
        )


NAMES = ("ann", "bob")
OPEN = {"limits.unlimited": "yes"}


class ComingBackTests(PropertyCase):
    @given(st.integers(0, 7), st.sampled_from([0, 1]), st.booleans())
    def test_back_in_the_set_up(self, lines: int, leaver: int, restarted: bool) -> None:
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
        world = MemoryHost()
        ann, bob = seated(world)
        ann.say(*RED)
        ann.drop()
        ann = connected(world, "ann")
        self.assertEqual(ann.heard()[2:], ["new", "color red"])
        bob.say(*BLUE)
        self.assertEqual(ann.heard(), ["endsetup", "get-move"])

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

    def test_who_drops_while_the_password_is_looked_at_is_gone(self) -> None:
        worker = HeldWorker()
        world = MemoryHost(worker=worker)
        connected(world, "ann").drop()
        worker.release()
        self.assertEqual((len(world.lobby.registry), world.journal.people, world.clock.getDelayedCalls()), (0, {}, []))


class LateJournalTests(SynchronousTestCase):
    def test_known_account_waits_for_nothing(self) -> None:
        journal = RecordingJournal()
        connected(MemoryHost(journal=journal), "ann").drop()
        later = journal.restarted()
        later.late = True
        self.assertEqual(connected(MemoryHost(journal=later), "ann").heard(), ["auth-req", "auth-ok"])
