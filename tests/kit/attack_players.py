"""
Players of the state machine who attack the host: those attacks that depend on the order of what else happens. Each rule is
one, and says what must hold during it. `tests.kit.simulated_attackers` has the others.

All of them have names and addresses of their own. They stay connected as strangers, so later rules meet them.
"""

import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from gamehost.journal.records import TableId
from gamehost.tables.context import PAUSE
from tests.kit.journal_oracle import Archive, Disorder
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.simulated_scripts import Visitor

#: Sleeping tables of one address, and bytes of one connection at once: low, so that attacks reach them soon.
MOST_SLEEPING = 2
BYTES_AT_ONCE = 65_536

#: Accepted moves of an address, in half of the hosts: a second, and at once.
MOVES_A_SECOND = 4
MOVES_AT_ONCE = 20

#: New matches of an address: a second, and at once.
MATCHES_A_SECOND = 5
MATCHES_AT_ONCE = 20

ATTACK_SETTINGS = {
    "limits.sleeping_tables_per_address": str(MOST_SLEEPING),
    "limits.bytes_burst": str(BYTES_AT_ONCE),
    "limits.accounts_per_address": "10000",
    "limits.new_burst": "100000",
    "limits.connections_per_address": "10000",
}

SLOW_MATCHES = {
    "limits.new_matches_per_second": str(MATCHES_A_SECOND),
    "limits.new_matches_burst": str(MATCHES_AT_ONCE),
}

SLOW_MOVES = {"limits.moves_per_second_per_address": str(MOVES_A_SECOND)}

#: Seconds between two abandoned matches, and the sleeping tables of an address that may be above the limit for a moment:
#: the host ends them once a second.
ABANDON_EVERY = 0.4
IN_THE_LAST_SECOND = 4

ABANDONER, OWNER, OPPONENT = "203.0.113.11", "203.0.113.12", "203.0.113.13"

lucks = st.integers(0, 9_999).map(random.Random)


class AttackPlayers(RuleBasedStateMachine):
    """The rules. The machine that they belong to has the host, its disk and all other players."""

    world: MemoryHost
    archive: Archive
    strangers: list[Visitor]
    prompt: bool

    def __init__(self) -> None:
        super().__init__()
        self._names = 0

    @property
    @abstractmethod
    def everybody(self) -> Sequence[Visitor]:
        """All players."""

    @abstractmethod
    def until_idle(self) -> None:
        """Let everything happen that needs no time and no slow disk."""

    @abstractmethod
    def next_run(self) -> None:
        """The host was killed: a new run begins."""

    @abstractmethod
    def listen(self) -> None:
        """Have all players read what was sent to them."""

    @abstractmethod
    def say(self, visitor: Visitor, *lines: str) -> None:
        """Have a player send lines, if it is connected."""

    # -- matches that nobody plays

    @rule(times=st.sampled_from((1, 8)), rng=lucks, moved=st.booleans())
    def abandon(self, times: int, rng: random.Random, moved: bool) -> None:
        """
        Two players at one address begin a match, and both are gone; then the next two do so.

        :param moved: whether one of them moves first; if not, nothing is left of the match
        """
        prompt, self.prompt = self.prompt, True
        self.wait_for(1.2)
        for _ in range(times):
            before = self.tables_left()
            if self.match_begins("", ABANDONER, ABANDONER) is None:
                break
            pair = self.strangers[-2:]
            for visitor in pair:
                if moved:
                    self.say(visitor, *visitor.client_model.move(rng))
            for visitor in pair:
                self.hang_up(visitor)
            if not moved and self.tables_left() != before:
                raise Disorder("a match that nobody played is left")
            self.wait_for(ABANDON_EVERY)
            if self.tables_left() > MOST_SLEEPING + IN_THE_LAST_SECOND:
                raise Disorder(f"{self.tables_left()} tables of one address sleep, and {MOST_SLEEPING} may")
        self.prompt = prompt

    def tables_left(self) -> int:
        return self.world.lobby.registry.sleeping.tables_of(ABANDONER)

    # -- seats of other guests

    @rule(
        keyed=st.booleans(),
        near=st.booleans(),
        together=st.booleans(),
        restarts=st.booleans(),
        seconds=st.sampled_from((0.0, 2.9, 4.0)),
    )
    def steal(self, keyed: bool, near: bool, together: bool, restarts: bool, seconds: float) -> None:
        """
        Somebody else tries the name of a guest, who is there at first, and then away for so long.

        :param keyed: whether the guest has a key, which the thief does not know
        :param near: whether the thief has the guest's address, and not the opponent's
        :param together: whether the guest and the opponent have one address
        :param restarts: whether the host is killed while the guest is away, and so long ago is its new run
        """
        owner = self.match_begins(":secret" if keyed else "", OWNER, OWNER if together else OPPONENT)
        if owner is None:
            return
        name = owner.client_model.name
        table = self.table_of(name)
        tries = (name, f"{name}:wrong")
        self.try_names(tries, near, owner.client)
        self.hang_up(owner)
        if restarts:
            self.listen()
            self.next_run()
        self.wait_for(seconds)
        if self.table_of(name) != table:
            return  # the guest was away for too long, and the match is over; or it was not durable
        if keyed or (self.guarded and (seconds < 3 or not near or together)):
            self.try_names(tries, near, None)
        if keyed:
            if owner not in self.strangers:
                self.strangers.append(owner)
            owner.connect(self.world, self.archive)
            self.say_in_turn(owner, f"LOGIN|{name}:secret")
            if self.holder_of(name) is not owner.client:
                raise Disorder("a guest with the right key does not get the seat back")

    def try_names(self, tries: Sequence[str], near: bool, holder: object) -> None:
        """
        Log in as a guest who has a seat.

        :param holder: who has the seat now: a client, or `None`
        :raises Disorder: somebody else has it then
        """
        name = tries[0]
        for text in tries:
            thief = self.stranger("onitama", OWNER if near else OPPONENT, name)
            self.say_in_turn(thief, f"LOGIN|{text}")
            if self.holder_of(name) is not holder:
                raise Disorder("a seat was given to a thief")

    # -- what the rules have in common

    @property
    def guarded(self) -> bool:
        """Whether a guest without a key waits before a lost seat can be taken back."""
        return self.world.limits.keyless_resume_seconds > 0

    def stranger(self, wire: str, address: str, name: str = "") -> Visitor:
        self._names += 1
        visitor = Visitor(MODEL_CLIENTS[wire](name or f"zed{self._names}"), address)
        self.strangers.append(visitor)
        visitor.connect(self.world, self.archive)
        return visitor

    def match_begins(self, key: str, *addresses: str) -> Visitor | None:
        """
        Two strangers begin a match of Onitama; the first of them. `None`: others wait for a match, and would get into it.

        :param key: what the first one gives behind the name
        """
        if self.world.lobby.queues.waiting:
            return None
        for address in addresses:
            visitor = self.stranger("onitama", address)
            self.say_in_turn(visitor, f"LOGIN|{visitor.client_model.name}{key}")
            key = ""
        first = self.strangers[-2]
        if self.table_of(first.client_model.name) is None:
            raise Disorder("two guests logged in, and no match began")
        return first

    def say_in_turn(self, visitor: Visitor, line: str) -> None:
        """Send a line, and have it heard: if there were many from strangers, it waits some milliseconds for its turn."""
        self.say(visitor, line)
        scheduler = self.world.context.scheduler
        for _ in range(20):
            if not scheduler.waiting:
                return
            self.wait_for(PAUSE)

    def hang_up(self, visitor: Visitor) -> None:
        self.listen()
        if visitor.client is not None:
            visitor.client.drop()
        self.until_idle()

    def wait_for(self, seconds: float) -> None:
        self.until_idle()
        self.world.wait(seconds)
        self.until_idle()

    def table_of(self, name: str) -> TableId | None:
        session = self.world.lobby.registry.get(name)
        return None if session is None else session.table_id

    def holder_of(self, name: str) -> object:
        """Which client has the session of a guest; `None`: the guest is away."""
        session = self.world.lobby.registry.get(name)
        if session is None or session.player is None:
            return None
        talks: list[tuple[Client, Any]] = [
            (visitor.client, visitor.client.protocol.conversation)
            for visitor in self.everybody
            if visitor.client is not None
        ]
        return next((client for client, talk in talks if talk.session is session), session.player)
