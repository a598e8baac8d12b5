"""What the frames say beyond the document: reasons, sides, resignations; and that strict mode says none of it."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.transcript import Hears, transcripts
from tests.kit.wires.stratego_frames_table import (
    ANN,
    BOB,
    CONNECTED,
    EMPTY_ROWS,
    HIDDEN_ROWS,
    INVALID,
    MOVE_INVALID,
    VALID,
    WAIT,
    WIRE,
    all_heard,
    board,
    in_play,
    set_up,
    setups,
    signed_on,
)
from tests.kit.wires.stratego_frames_words import SERVER_FRAMES

OPEN = {"limits.unlimited": "yes"}


class ReasonTests(SynchronousTestCase):
    """An Error with the reason comes before every Placement Invalid and Move Invalid."""

    def refused(self, client: Client, line: str, reason: str, refusal: str) -> None:
        self.assertEqual(client.ask(line), [f'Error "{reason}"', refusal], line)

    def test_placements(self) -> None:
        """What was wrong with a placement or a Ready."""
        ann, _ = signed_on(MemoryHost(OPEN))
        all_heard(ann)
        self.assertEqual(ann.ask("Setup F (0,0)"), [VALID])
        for line, reason in (
            ("Setup 9 (0,6)", "your pieces are placed on x 0 to 9, y 0 to 3"),
            ("Setup 0 (0,1)", "there is no such piece; expected one of 1 2 3 4 5 6 7 8 9 S F B"),
            ("Setup B (0,0)", "one of your pieces is already on that square"),
            ("Setup F (1,0)", "no piece of that kind is left: a side has 1"),
            ('Ready "ready"', "39 of your 40 pieces are not placed yet"),
            ('Ready "steady"', "the payload of Ready is the String ready"),
        ):
            self.refused(ann, line, reason, INVALID)

    def test_moves(self) -> None:
        """What was wrong with a move; out of turn and before the game, too."""
        world = MemoryHost(OPEN)
        waiting = world.connect(WIRE)
        waiting.say('Sign On "ann"')
        waiting.heard()
        self.refused(waiting, "Move (0,3) (0,4)", "the game has not begun: wait for Connected", MOVE_INVALID)
        ann, bob = in_play(MemoryHost(OPEN))
        all_heard(ann, bob)
        self.refused(bob, "Move (0,6) (0,5)", "it is the other side's turn", MOVE_INVALID)
        for line, reason in (
            ("Move (4,3) (4,4)", "bombs and flags cannot move"),
            ("Move (0,4) (0,5)", "there is no piece of yours on that square"),
            ("Move (0,3) (0,10)", "there is no such square: x and y are 0 to 9"),
        ):
            self.refused(ann, line, reason, MOVE_INVALID)

    def test_reason_keeps_its_place(self) -> None:
        """Each answer stands where its question stood, with its reason right before it."""
        ann, _ = signed_on(MemoryHost(OPEN))
        all_heard(ann)
        told = ann.ask("Setup F (0,0)", "Setup F (1,0)", 'Ready "no"', "Setup 1 (1,0)")
        self.assertEqual([line.partition(' "')[0] for line in told], [
            "Placement Valid", "Error", "Placement Invalid", "Error", "Placement Invalid", "Placement Valid",
        ])  # fmt: skip

    def test_one_mistake_is_one_refusal(self) -> None:
        """The Error is not counted: it takes twenty refused moves to end the connection."""
        ann, _ = in_play(MemoryHost())
        all_heard(ann)
        told = ann.ask(*["Move (0,4) (0,5)"] * 19)
        self.assertEqual((len(told), ann.closed), (38, False))


class SideTests(SynchronousTestCase):
    """Which rows are whose."""

    def test_behind_connected(self) -> None:
        """Both are told, right behind Connected."""
        world = MemoryHost()
        ann, bob = world.connect(WIRE), world.connect(WIRE)
        self.assertEqual(ann.ask('Sign On "ann"'), [WAIT])
        self.assertEqual(bob.ask('Sign On "bob"'), [CONNECTED, "Side 2"])
        self.assertEqual(ann.heard(), [CONNECTED, "Side 1"])

    def test_after_coming_back(self) -> None:
        """During the set-up behind Connected; in play first."""
        world = MemoryHost()
        ann, bob = signed_on(world)
        bob.drop()
        bob = world.connect(WIRE)
        self.assertEqual(bob.ask('Sign On "bob"'), [CONNECTED, "Side 2", board(EMPTY_ROWS, EMPTY_ROWS)])
        set_up(ann, ANN, 0)
        set_up(bob, BOB, 6)
        bob.drop()
        bob = world.connect(WIRE)
        self.assertEqual(bob.ask('Sign On "bob"'), ["Side 2", 'Playing "ann"', board(HIDDEN_ROWS, BOB)])


class ResignTests(SynchronousTestCase):
    """Giving up."""

    def test_in_play(self) -> None:
        """On the own turn or not: Game Over with the other's name, to both; each may sign on again."""
        for who in (0, 1):
            world = MemoryHost()
            players = in_play(world)
            winner = ("bob", "ann")[who]
            self.assertEqual(players[who].ask("Resign"), [f'Game Over "{winner}"'])
            self.assertEqual(players[1 - who].heard(), [f'Game Over "{winner}"'])
            self.assertEqual(players[who].ask('Sign On "ann"'), [WAIT])

    def test_during_the_set_up(self) -> None:
        """With no piece placed, or when ready."""
        for lines in ((), (*setups(ANN, 0), 'Ready "ready"')):
            ann, bob = signed_on(MemoryHost())
            ann.ask(*lines)
            self.assertEqual(ann.ask("Resign"), ['Game Over "bob"'])
            self.assertEqual(bob.heard()[-1], 'Game Over "bob"')

    def test_nobody_hears_of_it_before_it_is_durable(self) -> None:
        """As with a move."""
        journal = RecordingJournal()
        ann, bob = in_play(MemoryHost(journal=journal))
        journal.late = True
        self.assertEqual((ann.ask("Resign"), bob.heard()), ([], []))
        journal.release()
        self.assertEqual((ann.heard(), bob.heard()), (['Game Over "bob"'], ['Game Over "bob"']))

    def test_with_no_game(self) -> None:
        """Refused, with the reason."""
        client = MemoryHost().connect(WIRE)
        self.assertEqual(client.ask("Resign"), ['Error "sign on first"'])
        self.assertEqual(
            client.ask('Sign On "ann"', "Resign")[1:], ['Error "the game has not begun: wait for Connected"']
        )


class LateTests(SynchronousTestCase):
    """A move that crosses Game Over."""

    def test_first_move_after_the_end_has_no_answer(self) -> None:
        """Its sender could not know of the end. The second move is refused."""
        world = MemoryHost()
        ann, bob = in_play(world)
        all_heard(ann, bob)
        self.assertEqual(ann.ask("Move (1,3) (1,6)")[-1], 'Game Over "ann"')
        bob.heard()
        for player in (ann, bob):
            self.assertEqual(player.ask("Move (0,6) (0,5)"), [])
            told = player.ask("Move (0,6) (0,5)")
            self.assertEqual(told, ['Error "the game is over: sign on again for a new one"', MOVE_INVALID])

    def test_resignations_that_cross(self) -> None:
        """Both resign at once: the first decides, and the second has no answer."""
        ann, bob = in_play(MemoryHost())
        ann.transport.receive(ann.message_text.said("Resign"))
        bob.transport.receive(bob.message_text.said("Resign"))
        ann.world.settle()
        self.assertEqual((ann.heard(), bob.heard()), (['Game Over "bob"'], ['Game Over "bob"']))

    def test_board_and_end_arrive_together(self) -> None:
        """The Board behind the last Battle goes out with Game Over: no client is asked to move in between."""
        ann, bob = in_play(MemoryHost())
        for player in (ann, bob):
            player.transport.read()
        ann.say("Move (1,3) (1,6)")
        for player in (ann, bob):
            self.assertEqual([line.split(" ")[0] for line in player.heard()], ["Battle", "Board", "Game"])


class StrictTests(SynchronousTestCase):
    """The document's frames only."""

    def test_no_reason_and_no_side(self) -> None:
        """Refusals and Connected stand alone."""
        world = MemoryHost(OPEN, strict=True)
        ann, bob = world.connect(WIRE), world.connect(WIRE)
        self.assertEqual(ann.ask('Sign On "ann"', "Move (0,3) (0,4)"), [WAIT, MOVE_INVALID])
        self.assertEqual(bob.ask('Sign On "bob"'), [CONNECTED])
        self.assertEqual(ann.heard(), [CONNECTED])
        self.assertEqual(ann.ask("Setup 9 (0,6)", 'Ready "no"', "Move (0,3) (0,4)"), [INVALID, INVALID, MOVE_INVALID])

    def test_resign_is_unknown(self) -> None:
        """The connection ends, as with any type that the document does not have; the seat is kept."""
        world = MemoryHost(strict=True)
        ann, bob = in_play(world)
        self.assertEqual((ann.ask("Resign"), ann.closed, bob.heard()), ([], True, []))

    def test_move_after_the_end_is_refused(self) -> None:
        """The document has a frame for it."""
        ann, _ = in_play(MemoryHost(strict=True))
        ann.ask("Move (1,3) (1,6)")
        self.assertEqual(ann.ask("Move (0,3) (0,4)"), [MOVE_INVALID])

    def test_strict_transcript_has_no_extension(self) -> None:
        """Every frame in it is of type 1 to 10."""
        [strict] = [one for one in transcripts(WIRE) if one.name == "strict"]
        extensions = tuple(name for name, kind in SERVER_FRAMES.items() if kind > 10)
        heard = [step.line for step in strict.steps if isinstance(step, Hears)]
        self.assertEqual([line for line in heard if line.startswith(extensions)], [])
