"""
Those who attack the host of a simulation, while others play there. Each script is one attack, and says what must hold then.
The disk may be slow, and the host may die in the middle of one.
"""

from collections.abc import Generator
from typing import Any

from twisted.internet.task import Clock

from gamehost._twisted import without_standstills
from gamehost.journal.records import TableId
from gamehost.net.context import ConnectionBounds
from tests.kit.journal_oracle import Disorder
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.players import NotedPrograms
from tests.kit.simulated_scripts import Script, Scripts, Visitor
from tests.kit.web_host import WebClient, WebHost, frame, handshake, message, part, request

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
    "limits.accounts_per_address": "10000",
    "limits.new_burst": "100000",
    "limits.connections_per_address": "10000",
}

ATTACK_BOUNDS = ConnectionBounds(bytes_at_once=BYTES_AT_ONCE)

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
FLOODER, GUESSER, SELF_PLAYER, OPENER = "203.0.113.14", "203.0.113.15", "203.0.113.16", "203.0.113.17"
#: What telnet sends when it offers to echo. The wires ignore it: it makes no message.
TELNET_OFFER = b"\xff\xfb\x01"
#: Seconds that the owner of an account waits at most for guesses from the same address, or from one other.
LONGEST_LOG_IN = 30
#: Entries of a match of Onitama before the first move.
OPENING_ENTRIES = 1
#: Seconds for which a slow disk may keep somebody waiting.
SLOW_DISK = 6.0
#: Where somebody is who looks things up, and pages of other sites, and those who want house players.
READER = "203.0.113.30"
#: Seconds between two looks at something that takes its time.
STEP = 0.1


class SimulatedAttackers(Scripts):
    """The attackers in one run of a host."""

    def begin(self) -> None:
        floods = self.flood, self.answer_unasked
        self.run(self.abandon, self.steal, *floods, self.guess_password, self.play_oneself, self.freeze)
        self.run(self.open_without_end, self.look_up, self.ask_as_another_site, self.meet_the_house)
        self.readers: list[WebClient] = []
        self.house = NotedPrograms()
        self.world.lobby.house.started(self.house)

    def end(self) -> None:
        super().end()
        while self.readers:
            self.readers.pop().transport.hang_up()

    def abandon(self) -> Script:
        """
        Two players at one address begin a match, mostly move once, and are gone; then the next two do so. Nothing is left of a
        match in which nobody has moved.
        """
        for _ in range(2 * MOST_SLEEPING + IN_THE_LAST_SECOND):
            pair = yield from self.match("", ABANDONER, ABANDONER)
            if pair is None:
                return
            table = self.table_of(pair[0].client_model.name)
            moved = self.rng.random() < 0.8
            if moved:
                yield from self.move_once(pair)
            for visitor in pair:
                self.hang_up(visitor)
            yield ABANDON_EVERY
            if not moved:
                yield from self.written()
            if not moved and self.table_of(pair[0].client_model.name) == table is not None:
                raise Disorder("a match that nobody played is left")
            asleep = self.world.lobby.registry.sleeping.tables_of(ABANDONER)
            if asleep > MOST_SLEEPING + IN_THE_LAST_SECOND:
                raise Disorder(f"{asleep} tables of one address sleep, and {MOST_SLEEPING} may")
        self.done["abandon"] += 1

    def steal(self) -> Script:
        """Others try the name of a guest with a key: while the guest is there, and while the seat is kept."""
        pair = yield from self.match(":secret", OWNER, OPPONENT)
        if pair is None:
            return
        owner = pair[0]
        name = owner.client_model.name
        table = self.table_of(name)
        for seconds in (0.0, 0.5, 4.0):
            if seconds:
                self.hang_up(owner)
                yield seconds
            if self.table_of(name) != table:
                return  # the guest was away for too long, and the match is over
            holder = self.session(name).player
            for text in (name, f"{name}:wrong"):
                for address in (OWNER, OPPONENT):
                    thief = self.stranger("onitama", address, name)
                    self.say(thief, f"LOGIN|{text}")
                    if self.table_of(name) == table and self.session(name).player is not holder:
                        raise Disorder("a seat was given to a thief")
                    self.hang_up(thief)
        if self.table_of(name) == table:
            self.come_back(owner)
            self.say(owner, f"LOGIN|{name}:secret")
            yield 3.0  # a slow disk may hold up what is heard
            if self.table_of(name) == table and self.session(name).player is None:
                raise Disorder("a guest with the right key does not get the seat back")
        for visitor in pair:
            self.hang_up(visitor)
        self.done["steal"] += 1

    def flood(self) -> Script:
        """Somebody sends telnet's option negotiation without end."""
        flooder = self.stranger(self.rng.choice(tuple(MODEL_CLIENTS)), FLOODER)
        if self.rng.random() < 0.5:
            self.say(flooder, *flooder.client_model.log_in())
        client, sent = flooder.client, 0
        assert client is not None
        segment = TELNET_OFFER * 1_024
        while not (client.closed or client.protocol.closing):
            if sent > 1.5 * BYTES_AT_ONCE:
                raise Disorder(f"{sent} bytes without a message, and the connection goes on")
            client.send(segment)
            sent += len(segment)
            yield 0.01
        self.hang_up(flooder)
        self.done["flood"] += 1

    def answer_unasked(self) -> Script:
        """A browser sends frames that say nothing: answers to questions that nobody has asked, or pieces of one message."""
        yield self.rng.uniform(0.0, 10.0)
        client = WebHost(self.world).browser(FLOODER).client
        pieces = frame(10) if self.rng.random() < 0.5 else part("")
        client.send(message("", fin=False))
        for _ in range(10):
            client.send(pieces * 100)
        protocol = client.protocol._successor
        ended = client.closed or protocol is None or protocol.closing
        client.transport.hang_up()
        if not ended:
            raise Disorder("a thousand frames that say nothing, and the connection goes on")
        self.done["answer unasked"] += 1

    def guess_password(self) -> Script:
        """Others try wrong passwords for an account, here or elsewhere; its owner logs in, from here or from elsewhere."""
        number = self.rng.randrange(60_000)
        home = f"198.51.{number // 250}.{number % 250}"
        owner = self.stranger("stratego-lines", home)
        name = owner.client_model.name
        self.say(owner, name, "secret")
        for _ in range(round(SLOW_DISK / STEP)):
            if not owner.client_model.inside:
                yield STEP
        self.hang_up(owner)
        if self.world.journal.find(name) is None:
            raise Disorder("a new account was refused")
        if self.table_of(name) is not None:
            return  # a guest waited for an opponent, and now the seat is kept
        address = self.rng.choice((home, GUESSER))
        guessers = [self.stranger("stratego-lines", address, name) for _ in range(20)]
        for guesser in guessers:
            self.say(guesser, name, "wrong")
        longest = 0.5 * len(guessers)
        if self.rng.random() < 0.5:
            owner = self.stranger("stratego-lines", home.replace("198.51", "198.52"), name)
            longest = LONGEST_LOG_IN
        else:
            self.come_back(owner)
        self.say(owner, name, "secret")
        for _ in range(round((longest + SLOW_DISK) / STEP)):
            yield STEP
            if owner.client_model.inside:
                break
        else:
            raise Disorder("the owner of an account was refused because others guessed")
        for visitor in (owner, *guessers):
            self.hang_up(visitor)
        self.done["guess password"] += 1

    def play_oneself(self) -> Script:
        """Somebody has both seats of a match, and moves as fast as the host answers."""
        pair = yield from self.match("", SELF_PLAYER, SELF_PLAYER)
        if pair is None:
            return
        began = self.world.clock.seconds()
        table: Any = self.table_of(pair[0].client_model.name)
        for _ in range(100):
            for visitor in pair:
                self.say(visitor, *visitor.client_model.move(self.rng))
            yield 0.02
            accepted = len(self.world.journal.entries.get(table, ())) - OPENING_ENTRIES
            # A move is handled before its token is taken; each connection may be ahead by one.
            most = MOVES_AT_ONCE + MOVES_A_SECOND * (self.world.clock.seconds() - began) + len(pair)
            if accepted > most:
                raise Disorder(f"{accepted} moves of one address, and {most:.0f} may be")
        for visitor in pair:
            self.hang_up(visitor)
        self.done["play oneself"] += 1

    def open_without_end(self) -> Script:
        """
        Two players at one address begin a match and leave it, and then the next two do so, as fast as they can. If others
        wait for a match, each gets into one with them.
        """
        # On a slow disk the openings of earlier matches may be written later than now, but their numbers are lower.
        began, first = self.world.clock.seconds(), self.world.journal.new_table()
        for _ in range(60):
            pair = [self.stranger("onitama", OPENER) for _ in range(2)]
            for visitor in pair:
                self.say(visitor, *visitor.client_model.log_in())
            if self.table_of(pair[0].client_model.name) is not None:
                yield 0.05
            for visitor in pair:
                self.hang_up(visitor)
            yield 0.01
            most = MATCHES_AT_ONCE + MATCHES_A_SECOND * (self.world.clock.seconds() - began) + 1
            begun = self.matches_of(OPENER, first)
            if begun > most:
                raise Disorder(f"{begun} new matches of one address, and {most:.0f} may be")
        self.done["open without end"] += 1

    def matches_of(self, address: str, first: TableId) -> int:
        """How many matches have begun since this number in which somebody at this address plays."""
        openings = self.world.journal.openings.items()
        late = [opening for number, opening in openings if number > first]
        return sum(any(seat.address == address for seat in opening.seats) for opening in late)

    def look_up(self) -> Script:
        """Somebody without a log-in asks for lists, records and results, as many at once as may wait, and then is gone."""
        web = WebHost(self.world)
        paths = ["/api/results", "/api/matches", *(f"/api/matches?name=zed{number}" for number in range(10))]
        paths += [f"/api/matches/{table}.json" for table in list(self.world.journal.openings)[-10:]]
        for path in self.rng.sample(paths, 6):
            self.readers.append(web.connect(READER))
            self.readers[-1].send(request(path))
        yield self.rng.uniform(0.0, 30.0)
        for reader in self.readers:
            reader.transport.hang_up()
        self.readers.clear()
        self.done["look up"] += 1

    def ask_as_another_site(self) -> Script:
        """A page of another site asks, with a name of that site that somebody has pointed at this machine, and without it."""
        yield self.rng.uniform(0.0, 10.0)
        web = WebHost(self.world)
        name, origin = {"Host": "evil.example"}, {"Origin": "http://evil.example"}
        for asked, status in (
            (request("/api/results", **name), 421),
            (handshake(**name, **origin), 421),
            (handshake(**origin), 403),
        ):
            client = web.connect(READER)
            client.send(asked)
            answer = client.transport.read()
            client.transport.hang_up()
            if not answer.startswith(b"HTTP/1.1 %d " % status):
                raise Disorder(f"a page of another site was not refused with {status}: {answer[:40]!r}")
        self.done["ask as another site"] += 1

    def meet_the_house(self) -> Script:
        """People want house players and go, one after the other. No program is taken for that of an earlier match."""
        for _ in range(5):
            guest = self.world.connect("open", READER)
            name = self.new_name()
            guest.say(f'{{"do":"enter","name":"{name}"}}', '{"do":"seek","game":"onitama","house":"easy"}')
            guest.drop()
            yield self.rng.uniform(0.0, 5.0)
        if len(set(self.house.called)) < len(self.house.called):
            raise Disorder(f"two house players of a run have one name: {self.house.called}")
        self.done["meet the house"] += bool(self.house.called)

    def freeze(self) -> Script:
        """The process stands still. The reactor's clock does not show it, so nobody loses a seat or a match by it."""
        yield self.rng.uniform(0.0, 30.0)
        journal: Any = self.world.journal
        before = journal.queued, self.world.context.limiter.count
        process = Clock()
        steady = without_standstills(process.seconds)
        process.advance(self.rng.choice((5.0, 90.0)))
        self.world.clock.advance(steady())
        if (journal.queued, self.world.context.limiter.count) != before:
            raise Disorder("somebody was charged for a standstill")
        self.done["freeze"] += 1

    # -- what the scripts have in common

    def match(self, key: str, *addresses: str) -> Generator[float, None, list[Visitor] | None]:
        """Two strangers begin a match of Onitama, the first with this key. `None`: others wait, and would get into it."""
        for _ in range(50):
            if not self.world.lobby.queues.waiting:
                break
            yield 2 * STEP
        else:
            return None
        pair = [self.stranger("onitama", address) for address in addresses]
        for visitor in pair:
            self.say(visitor, f"LOGIN|{visitor.client_model.name}{key}")
            key = ""
        for _ in range(round(SLOW_DISK / STEP)):
            if all(self.table_of(visitor.client_model.name) is not None for visitor in pair):
                return pair
            yield STEP
        for visitor in pair:
            self.hang_up(visitor)
        return None

    def move_once(self, pair: list[Visitor]) -> Script:
        """One of them moves, and the disk has it after a while."""
        for visitor in pair:
            self.say(visitor, *visitor.client_model.move(self.rng))
        yield from self.written()

    def written(self) -> Script:
        """Until the disk has everything, and the host has heard of it."""
        journal: Any = self.world.journal
        for _ in range(round(SLOW_DISK / STEP)):
            yield STEP
            if not journal.queued and not journal.unanswered:
                return
