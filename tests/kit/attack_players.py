"""
Players of the state machine who attack the host. Each rule is one attack, and says what must hold during it.

All of them have names and addresses of their own. They stay connected as strangers, so later rules meet them.
"""

import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from twisted.internet.task import Clock

from gamehost._twisted import without_standstills
from gamehost.journal.records import TableId
from gamehost.tables.scheduler import PAUSE
from tests.kit.journal_oracle import Archive, Disorder
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.simulated_scripts import Visitor

#: Sleeping tables of one address, and bytes of one connection at once: low, so that attacks reach them soon.
MOST_SLEEPING = 2
BYTES_AT_ONCE = 65_536

#: Seconds that the owner of an account waits at most for guesses from the same address, or from one other.
LONGEST_LOG_IN = 30

#: Accepted moves of an address, in half of the hosts: a second, and at once.
MOVES_A_SECOND = 4
MOVES_AT_ONCE = 20
#: Entries of a match of Onitama before the first move.
OPENING_ENTRIES = 1

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

ABANDONER, OWNER, OPPONENT, FLOODER = "203.0.113.11", "203.0.113.12", "203.0.113.13", "203.0.113.14"
GUESSER, SELF_PLAYER, OPENER = "203.0.113.15", "203.0.113.16", "203.0.113.17"

#: What telnet sends when it offers to echo. The wires ignore it: it makes no message.
TELNET_OFFER = b"\xff\xfb\x01"


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

    # -- bytes that make no message

    @rule(wire=st.sampled_from(tuple(MODEL_CLIENTS)), logged_in=st.booleans())
    def flood(self, wire: str, logged_in: bool) -> None:
        """Somebody sends telnet's option negotiation without end."""
        flooder = self.stranger(wire, FLOODER)
        if logged_in:
            self.say(flooder, *flooder.client_model.log_in())
        client = flooder.client
        # Who has not logged in may be disconnected for that.
        there = [one for one in self.everybody if one.client and one.client_model.inside and one is not flooder]
        segment = TELNET_OFFER * 1_024
        sent = 0
        while client is not None and not (client.closed or client.protocol.closing):
            if sent > 1.5 * BYTES_AT_ONCE:
                raise Disorder(f"{sent} bytes without a message, and the connection goes on")
            client.send(segment)
            sent += len(segment)
            self.wait_for(0.01)
        if any(visitor.client is None for visitor in there):
            raise Disorder("a flood closed the connection of somebody else")

    # -- passwords

    @rule(near=st.booleans(), guesses=st.sampled_from((1, 20)), travels=st.booleans())
    def guess_password(self, near: bool, guesses: int, travels: bool) -> None:
        """
        Others try wrong passwords for an account. Its owner, who was there before, logs in after that.

        :param near: whether they are at the owner's address
        :param travels: whether the owner comes from a new address
        """
        prompt, self.prompt = self.prompt, True
        self.until_idle()
        self._names += 1
        home = f"198.51.{self._names // 250}.{self._names % 250}"
        owner = self.stranger("stratego-lines", home)
        name = owner.client_model.name
        self.say(owner, name, "secret")
        self.wait_for(0.1)  # with others busy, the second line has its own turn
        if not owner.client_model.inside:
            raise Disorder("a new account was refused")
        self.hang_up(owner)
        for number in range(guesses):
            self.say(self.stranger("stratego-lines", home if near else GUESSER, name), name, f"wrong{number}")
        if travels:
            owner = self.stranger("stratego-lines", home.replace("198.51", "198.52"), name)
        else:
            owner.connect(self.world, self.archive)
        self.say(owner, name, "secret")
        self.wait_for(0.1)
        for _ in range(LONGEST_LOG_IN):
            if not owner.client_model.inside:
                self.wait_for(1)
        if not owner.client_model.inside:
            raise Disorder("the owner of an account was refused because others guessed")
        self.prompt = prompt

    # -- moves without end

    @rule(rng=lucks)
    def play_oneself(self, rng: random.Random) -> None:
        """Somebody has both seats of a match, and moves as fast as the host answers."""
        prompt, self.prompt = self.prompt, True
        self.wait_for(MOVES_AT_ONCE / MOVES_A_SECOND)
        first = self.match_begins("", SELF_PLAYER, SELF_PLAYER)
        if first is not None:
            self_played = self.table_of(first.client_model.name)
            assert self_played is not None
            pair = self.strangers[-2:]
            for visitor in pair * (MOVES_AT_ONCE + 5):
                self.say(visitor, *visitor.client_model.move(rng))
            # A move is handled before its token is taken; each connection may be ahead by one.
            # Others may play on meanwhile, with what they sent before.
            accepted = len(self.world.journal.entries[self_played]) - OPENING_ENTRIES
            if self.slow_moves and accepted > MOVES_AT_ONCE + len(pair):
                raise Disorder(f"{accepted} moves at once of one address, and {MOVES_AT_ONCE} may be")
            if any(visitor.client is None for visitor in pair):
                raise Disorder("a quick player was disconnected")
            for visitor in pair:
                self.hang_up(visitor)
        self.prompt = prompt

    def entries(self) -> int:
        return sum(map(len, self.world.journal.entries.values()))

    # -- standstills

    @rule(seconds=st.sampled_from((5.0, 30.0)))
    def freeze(self, seconds: float) -> None:
        """The process stands still. The reactor's clock does not show it, so nobody loses a seat or a match by it."""
        prompt, self.prompt = self.prompt, True
        self.until_idle()
        before = self.entries()
        there = [visitor for visitor in self.everybody if visitor.client is not None]
        process = Clock()
        steady = without_standstills(process.seconds)
        process.advance(seconds)
        self.wait_for(steady())
        if self.entries() != before or any(visitor.client is None for visitor in there):
            raise Disorder("somebody was charged for a standstill")
        self.prompt = prompt

    # -- what the rules have in common

    @property
    def slow_moves(self) -> bool:
        """Whether the moves of an address have a rate that can be reached."""
        return self.world.limits.moves_per_second_per_address == MOVES_A_SECOND

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
        """The table at which a guest has a seat."""
        session = self.world.lobby.registry.get(name)
        return None if session is None else session.table_id

    def holder_of(self, name: str) -> object:
        """Which client has the session of a guest; `None`: the guest is away."""
        session = self.world.lobby.registry.get(name)
        if session is None or session.player is None:
            return None
        talks: list[tuple[Client, Any]] = [
            (visitor.client, visitor.client.protocol._conversation)
            for visitor in self.everybody
            if visitor.client is not None
        ]
        return next((client for client, talk in talks if talk.session is session), session.player)
