"""
A state machine over a whole host in memory: players of all wires come, play, misbehave, drop and come back, in any order
that Hypothesis can think of; disks are late, hosts die and stop. What must always be true is looked at after every step.
"""

import random
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from tests.kit.attack_players import ATTACK_SETTINGS, SLOW_MOVES, AttackPlayers, lucks
from tests.kit.journal_oracle import Archive, Complaints, check_deserted, check_forgotten, check_house, check_informed
from tests.kit.journals import CommittedJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.model_clients import ALL_MODEL_CLIENTS, MODEL_CLIENTS
from tests.kit.simulated_scripts import Visitor

#: Short matches: an end is worth more than a long middle.
SETTINGS = {"onitama.max_plies": "40", "stratego.max_plies": "40", **ATTACK_SETTINGS}

WIRES = tuple(MODEL_CLIENTS)
#: Two of each wire play each other.
GUESTS = tuple((f"{wire[-6:]}{number}", wire) for wire in WIRES for number in (1, 2))

DAY = 86_400.0
#: Seconds of up-time that a kill loses at most; a table sleeps longer by them.
LOST_UPTIME = 61.0

guests = st.integers(0, len(GUESTS) - 1)


class HostMachine(AttackPlayers):
    """Everybody, the host, and its disk."""

    #: Names and wires; as many in each machine.
    people = GUESTS

    def __init__(self) -> None:
        super().__init__()
        self.complaints = Complaints()
        self.complaints.__enter__()
        self.journal = CommittedJournal()
        self.archive = Archive(self.journal)
        self.prompt = True
        self.visitors = [
            Visitor(ALL_MODEL_CLIENTS[wire](name), f"192.0.2.{number}")
            for number, (name, wire) in enumerate(self.people)
        ]
        self.strangers: list[Visitor] = []
        #: Whether the last step was without a fault, so that the end is worth a look.
        self.sound = False

    @initialize(
        grace=st.sampled_from((0.0, 5.0, 60.0)),
        move_time=st.sampled_from(("0", "20")),
        guarded=st.booleans(),
        slow_moves=st.booleans(),
    )
    def open(self, grace: float, move_time: str, guarded: bool, slow_moves: bool) -> None:
        """The host's first run."""
        self.make_world = partial(
            MemoryHost,
            {**SETTINGS, **(SLOW_MOVES if slow_moves else {})},
            grace=grace,
            move_time=move_time,
            rng=random.Random(1).randrange,
            guarded=guarded,
        )
        self.world = self.make_world(journal=self.journal)

    @property
    def everybody(self) -> list[Visitor]:
        return self.visitors + self.strangers

    # -- what players do

    @rule(guest=guests)
    def come(self, guest: int) -> None:
        """Connect and log in, in one go."""
        visitor = self.visitors[guest]
        if visitor.client is None:
            visitor.connect(self.world, self.archive)
            self.say(visitor, *visitor.client_model.log_in())

    @rule(guest=guests)
    def connect(self, guest: int) -> None:
        visitor = self.visitors[guest]
        if visitor.client is None:
            visitor.connect(self.world, self.archive)

    @rule(guest=guests, rng=lucks, times=st.sampled_from((1, 2, 4, 8)))
    def play(self, guest: int, rng: random.Random, times: int) -> None:
        """Two of a wire come if they are not there, log in if it is time to, and move."""
        for _ in range(times):
            for visitor in (self.visitors[guest], self.visitors[guest ^ 1]):
                client_model = visitor.client_model
                if visitor.client is None:
                    visitor.connect(self.world, self.archive)
                self.say(visitor, *(client_model.move(rng) if client_model.inside else client_model.log_in()))
                self.say(visitor, *client_model.replies(rng))

    @rule(guest=guests, rng=lucks)
    def misbehave(self, guest: int, rng: random.Random) -> None:
        visitor = self.visitors[guest]
        if visitor.client is not None:
            self.say(visitor, *visitor.client_model.nonsense(rng))

    @rule(guest=guests, rng=lucks)
    def guess(self, guest: int, rng: random.Random) -> None:
        """Move without knowing whose turn it is."""
        visitor = self.visitors[guest]
        if visitor.client is not None:
            self.say(visitor, *visitor.client_model.guess(rng))

    @rule(guest=guests, rng=lucks)
    def say_and_go(self, guest: int, rng: random.Random) -> None:
        """Move, and be gone before the answer."""
        visitor = self.visitors[guest]
        client = visitor.client
        if client is not None:
            lines = visitor.client_model.move(rng)
            client.transport.receive(b"".join(client.message_text.said(line) for line in lines))
            self.drop(guest)

    @rule(guest=guests, rng=lucks)
    def hurry(self, guest: int, rng: random.Random) -> None:
        """Two of a wire play, one of them is gone and back while the disk is at it, the other moves on without an answer."""
        self.play(guest, rng, 2)
        prompt, self.prompt = self.prompt, False
        here, other = self.visitors[guest], self.visitors[guest ^ 1]
        for visitor in (here, other):
            self.say(visitor, *visitor.client_model.move(rng))
        if here.client is not None:
            self.drop(guest)
            self.come(guest)
            self.say(other, *(other.client_model.move(rng) or other.client_model.guess(rng)))
        self.prompt = prompt
        self.until_idle()

    @rule(guest=guests)
    def drop(self, guest: int) -> None:
        """Be gone without a word."""
        self.listen()
        visitor = self.visitors[guest]
        if visitor.client is not None:
            visitor.client.drop()
        self.until_idle()

    @rule(guest=guests)
    def impersonate(self, guest: int) -> None:
        """A stranger from elsewhere tries a player's name."""
        stranger = Visitor(type(self.visitors[guest].client_model)(self.people[guest][0]), "203.0.113.1")
        self.strangers.append(stranger)
        stranger.connect(self.world, self.archive)
        self.say(stranger, *stranger.client_model.log_in())

    @rule()
    def strangers_go(self) -> None:
        """All strangers are gone without a word."""
        self.listen()
        for stranger in self.strangers:
            if stranger.client is not None:
                stranger.client.drop()
        self.strangers.clear()
        self.until_idle()

    def say(self, visitor: Visitor, *lines: str) -> None:
        if visitor.client is not None and lines:
            visitor.client.say(*lines)
        self.until_idle()

    # -- what happens to them

    @rule(seconds=st.sampled_from((0.1, 1.0, 4.0, 15.0, 70.0, 400.0)))
    def wait(self, seconds: float) -> None:
        self.world.wait(seconds)
        self.until_idle()

    @rule(prompt=st.booleans())
    def disk(self, prompt: bool) -> None:
        self.prompt = prompt
        self.until_idle()

    @rule(number=st.integers(1, 4))
    def commit(self, number: int) -> None:
        self.journal.commit(number)
        self.until_idle()

    @rule(number=st.integers(1, 4))
    def answer(self, number: int) -> None:
        """The host learns of so many changes that they are durable."""
        with self.world.context.cork:
            self.journal.release(number)
        self.until_idle()

    @rule()
    def crash(self) -> None:
        """kill -9, and a new run."""
        self.listen()
        self.next_run()

    @rule()
    def stop(self) -> None:
        """SIGTERM: what was accepted is told, then the host ends, and a new run begins."""
        self.world.lobby.close()
        for factory in self.world.factories.values():
            factory.stop_input()
        self.flush()
        for factory in self.world.factories.values():
            factory.close("the host is stopping")
        self.world.wait(3)
        self.listen()
        self.world.until_idle()
        if self.world.clock.getDelayedCalls():
            raise AssertionError("a host that has stopped has timers")
        self.next_run()

    def next_run(self) -> None:
        for visitor in self.everybody:
            visitor.client = visitor.witness = None
        self.strangers.clear()
        self.journal = self.journal.restarted()
        self.world = self.make_world(journal=self.journal)
        self.until_idle()

    # -- what is always true

    def until_idle(self) -> None:
        """Let everything happen that needs no time and no slow disk."""
        self.world.until_idle()
        self.listen()
        for visitor in self.everybody:
            if visitor.client is not None and (lines := visitor.client_model.answers()):
                visitor.client.say(*lines)
                self.listen()
        if self.prompt:
            self.flush()

    def flush(self) -> None:
        while self.journal.commit() or self.journal.unanswered:
            self.listen()
            with self.world.context.cork:
                self.journal.release()
            self.world.until_idle()
            self.listen()

    def listen(self) -> None:
        self.sound = False
        for visitor in self.everybody:
            visitor.listen()

    @invariant()
    def in_order(self) -> None:
        """Nothing was logged, everything in the house fits, and nobody is kept in the dark."""
        self.complaints.check()
        if hasattr(self, "world"):
            check_house(self.world, [visitor.client for visitor in self.everybody if visitor.client is not None])
            if not self.journal.queued and not self.journal.unanswered:
                self.all_told()
            self.sound = True

    def all_told(self) -> None:
        """With everything durable and answered, all who are there know all there is to know."""
        for visitor in self.everybody:
            if visitor.client is not None and visitor.witness is not None:
                check_informed(visitor.client, visitor.witness)

    def teardown(self) -> None:
        """Everybody goes, and nothing is left of them; a day later nothing at all."""
        self.complaints.__exit__(None, None, None)
        if not self.sound:
            return
        self.prompt = True
        for visitor in self.everybody:
            if visitor.client is not None:
                visitor.client.drop()
        self.world.wait(0)
        self.flush()
        self.world.wait(3)
        self.flush()
        check_deserted(self.world)
        self.world.wait(DAY + LOST_UPTIME)
        self.flush()
        check_forgotten(self.world)
        self.complaints.check()


class TokensMachine(HostMachine):
    """The same with players of the wire on which a token takes a seat back, and with others whom they meet."""

    people = tuple(
        (f"p{number}", ("litama", "onitama", "litama", "open", "litama", "console")[number % 6])
        for number in range(len(GUESTS))
    )
