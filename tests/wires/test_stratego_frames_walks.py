"""Games of frames with slow journals, broken lines and restarts of the host, most of them at random."""

import random

from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.events import Situation
from gamehost.games.stratego.master import StrategoMaster
from gamehost.testing.cases import PropertyCase
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames_table import (
    ANN,
    BOB,
    CONNECTED,
    HIDDEN_ROWS,
    INVALID,
    MOVE_INVALID,
    VALID,
    WAIT,
    again,
    board,
    moves,
    setups,
    shuffled,
    signed_on,
    the_master,
    the_position,
)

OPEN = {"limits.unlimited": "yes"}


class LateTests(PropertyCase):
    """A journal that takes its time."""

    def test_nothing_is_said_before_it_is_safe(self) -> None:
        """Connected, each placement, Playing, a move and the end: not before their entries, and nothing overtakes."""
        journal = RecordingJournal(late=True)
        world = MemoryHost(OPEN, journal=journal)
        ann, _ = again(world, "ann")
        bob, told = again(world, "bob")
        self.assertEqual((ann.heard(), told), ([], []))
        journal.release()
        self.assertEqual((ann.heard(), bob.heard()), ([CONNECTED], [CONNECTED]))
        lines = ["Setup F (0,0)", "Setup F (1,0)", 'Ready "no"', "Move (0,0) (0,1)", "Setup 1 (1,0)"]
        self.assertEqual(ann.ask(*lines), [])
        journal.release(1)
        self.assertEqual(ann.heard(), [VALID, INVALID, INVALID, MOVE_INVALID])
        journal.release()
        self.assertEqual(ann.heard(), [VALID])
        ann.say("Setup 23344455 (2,0)", *setups(ANN[1:], 1), 'Ready "ready"')
        bob.say(*setups(BOB, 6), 'Ready "ready"')
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        journal.release()
        self.assertEqual(ann.heard()[-2:], ['Playing "ann"', board(ANN, HIDDEN_ROWS)])
        bob.heard()
        self.assertEqual((ann.ask("Move (1,3) (1,6)"), bob.heard()), ([], []))
        journal.release()
        self.assertEqual(ann.heard()[-1], 'Game Over "ann"')
        self.assertEqual(bob.heard()[-1], 'Game Over "ann"')

    @given(st.integers(0, 2**32))
    def test_the_same_bytes_however_late(self, seed: int) -> None:
        """A slow journal changes when things are said, and never what or in which order."""
        streams = []
        for late in (False, True):
            rng, pace = random.Random(seed), random.Random(seed + 1)
            journal = RecordingJournal()
            world = MemoryHost(OPEN, journal=journal)
            ann, bob = signed_on(world)
            journal.late = late
            for client, low in ((ann, 0), (bob, 6)):
                client.say(*setups(shuffled(rng), low), 'Ready "ready"')
            # Play is on, though nobody may have been told; until then a move is out of place.
            journal.release()
            master = the_master(world)
            for _ in range(30):
                if late:
                    journal.release(pace.randrange(4))
                if master.result is not None:
                    break  # what is said between the end and its telling is answered by that alone
                (ann, bob)[the_position(world).turn].say(next(moves(the_position(world), rng)))
                if master.result is None:
                    (ann, bob)[rng.randrange(2)].say("Move (0,4) (4,4)")
            journal.release()
            streams.append((ann.heard(), bob.heard()))
        self.assertEqual(streams[0], streams[1])


@define(eq=False)
class Mortal:
    """A player whose connection is lost now and then."""

    name: str
    seat: Seat
    #: What is yet to be said in the set-up.
    left: list[str]
    client: Client | None = None


@define(eq=False)
class Walk:
    """
    A random game of two who drop and come back, in a host that is restarted now and then, checked at every step.

    What a table knows is taken from its referee, who has tests of his own; what is checked is who is told what of it.
    """

    case: SynchronousTestCase
    rng: random.Random
    world: MemoryHost = field(factory=lambda: MemoryHost(OPEN))
    players: list[Mortal] = field(init=False)
    happened: set[str] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.players = []
        for seat, (name, low) in enumerate((("ann", 0), ("bob", 6))):
            lines = [
                f"Setup {piece} ({x},{low + step})"
                for step, row in enumerate(shuffled(self.rng))
                for x, piece in enumerate(row)
            ]
            self.rng.shuffle(lines)
            self.players.append(Mortal(name, Seat(seat), [*lines, 'Ready "ready"']))
        self.players[0].client, self.players[1].client = signed_on(self.world)

    @property
    def master(self) -> StrategoMaster:
        return the_master(self.world)

    @property
    def placing(self) -> bool:
        return self.master.position is None

    def step(self) -> None:
        """One thing that can happen now."""
        away = [player for player in self.players if player.client is None]
        chance = self.rng.random()
        if chance < 0.02:
            self.restart()
        elif away and chance < 0.5:
            self.reconnect(self.rng.choice(away))
        elif chance < 0.1:
            self.drop(self.rng.choice(self.players))
        elif self.placing:
            self.place(self.rng.choice(self.players))
        else:
            self.move(self.players[the_position(self.world).turn])

    def other(self, player: Mortal) -> Mortal:
        return self.players[1 - player.seat]

    def check_other(self, player: Mortal, told: list[str]) -> None:
        """What the other one heard, if they are there."""
        other = self.other(player).client
        if other is not None:
            self.case.assertEqual(other.heard(), told)

    def seen(self, player: Mortal, master: StrategoMaster | None = None) -> str:
        """The board as a player may see it now, in words."""
        view: Situation = (master or self.master).view(player.seat)
        return "Board " + "/".join(view.squares[at : at + 10] for at in range(0, 100, 10))

    def drop(self, player: Mortal) -> None:
        """Lose a connection: between frames, in the middle of one, or with an answer on its way."""
        client, player.client = player.client, None
        if client is None:
            return
        if self.rng.random() < 0.3:
            client.transport.receive(b"*\x04\x00\x00\x00\x10\x00"[: self.rng.randint(1, 7)])
        elif self.placing and len(player.left) > 1 and self.rng.random() < 0.5:
            client.transport.receive(client.message_text.said(player.left.pop(0)))
        client.drop()
        self.happened.add("drop in set-up" if self.placing else "drop in play")
        self.check_other(player, [WAIT] if self.placing else [])

    def reconnect(self, player: Mortal) -> None:
        """Take a seat back."""
        player.client, told = again(self.world, player.name)
        alone = self.other(player).client is None
        if self.placing:
            expected = [CONNECTED, self.seen(player), *([WAIT] if alone else [])]
            self.check_other(player, [CONNECTED])
        else:
            on_turn = self.players[the_position(self.world).turn]
            expected = [f'Playing "{on_turn.name}"', self.seen(player)]
            self.check_other(player, [])
        self.case.assertEqual(told, expected)
        self.happened.add("back")

    def restart(self) -> None:
        """The host goes down and comes up again with its journal; everybody has to sign on anew."""
        phase = self.master.view(None)
        self.world = MemoryHost(OPEN, journal=self.world.journal.restarted())
        self.case.assertEqual(self.master.view(None), phase)
        for player in self.players:
            player.client = None
        self.happened.add("restart in set-up" if self.placing else "restart in play")

    def place(self, player: Mortal) -> None:
        """Place a piece, or be ready, now and then with something wrong before it."""
        if player.client is None or not player.left:
            return
        if self.rng.random() < 0.1:
            self.case.assertEqual(player.client.ask("Setup 9 (0,4)"), [INVALID])
        told = player.client.ask(player.left.pop(0))
        if player.left:
            self.case.assertEqual(told, [VALID])
            self.check_other(player, [])
        elif self.placing:
            self.case.assertEqual(told, [])
        else:
            self.case.assertEqual(told, ['Playing "ann"', self.seen(player)])
            self.check_other(player, ['Playing "ann"', self.seen(self.other(player))])
            self.happened.add("play")

    def move(self, player: Mortal) -> None:
        """Make a legal move."""
        if player.client is None:
            return
        master = self.master
        move = next(moves(the_position(self.world), self.rng))
        told = player.client.ask(move)
        self.case.assertTrue(told[0] == move or told[0].startswith("Battle"), told)
        end = []
        if master.result is not None:
            winner = self.players[master.result.winners[0]].name if master.result.winners else "tie"
            end = [f'Game Over "{winner}"']
            self.happened.add("end")
        self.case.assertEqual(told[1:], [self.seen(player, master), *end])
        self.check_other(player, [told[0], self.seen(self.other(player), master), *end])


class WalkTests(PropertyCase):
    """Random games with broken lines."""

    happened: set[str]

    def walk(self, seed: int, steps: int) -> set[str]:
        """So many steps of one random game, or fewer if it ends."""
        walk = Walk(self, random.Random(seed))
        for _ in range(steps):
            if not walk.world.unfinished:
                break
            walk.step()
        return walk.happened

    @given(st.integers(0, 2**32))
    def test_everybody_is_told_what_they_need(self, seed: int) -> None:
        """Whenever lines break, each board and each turn is right, and nobody hears of what is not theirs."""
        self.walk(seed, 250)

    def test_walks_get_everywhere(self) -> None:
        """Drops, returns and restarts happen in both phases, and games end."""
        happened: set[str] = set()
        for seed in range(4):
            happened |= self.walk(seed, 3000)
        everything = {"drop in set-up", "drop in play", "back", "restart in set-up", "restart in play", "play", "end"}
        self.assertEqual(happened, everything)
