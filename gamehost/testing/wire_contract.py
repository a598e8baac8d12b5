"""
The tests that every wire must pass. A wire's test module derives `class WireTests(WireContract, PropertyCase)`.

The hooks that it fills in are those of `gamehost.testing.wire_hooks.WireHooks`. The least that a wire of lines needs:

    class WireTests(WireContract, PropertyCase):
        wire = WIRE
        transcripts = Path(__file__).parent / "transcripts"
        begun = b"hi aaaa"
        too_long = b"hi " + b"a" * 38 + b"\\n"

        def log_in(self, name: str) -> bytes:
            return f"hi {name}\\n".encode()

        def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
            return first, b"+1\\n"

        def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
            return first, b"+7\\n"

This module tests a wire as a part of its host and of a cluster. It tests banned clients, a host that begins no new
matches, the claims of log-ins, and clients that have logged in at another host.
"""

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from gamehost.journal.records import SeatRecord
from gamehost.lobby.directory import GUEST
from gamehost.lobby.sessions import Session
from gamehost.net.connection import ban_message
from gamehost.tables.interfaces import Unmatched
from gamehost.testing.codec_contract import chunked
from gamehost.testing.codec_contract import mutated as mutated
from gamehost.testing.memory_host import Client, Lines, MemoryHost
from gamehost.testing.transcript import play, read_transcripts
from gamehost.testing.wire_connections import ConnectionContract, FuzzingContract, SocketContract
from gamehost.testing.wire_hooks import Situation, WireHooks, received
from gamehost.testing.wire_matches import AnswersContract, MatchContract, SamplesHooks, conversation_of, lobby_state
from gamehost.wires.base import Claim, Numbered, SeatKey
from gamehost.wires.framing import Blank

#: Why no new matches begin.
DRAINING = "the host is about to stop: no new matches begin"


class OwnerContract(WireHooks):
    """Tests of a wire with clients that the owner of the host refuses: banned ones, and all while the host drains."""

    def ban(self, world: MemoryHost, target: str) -> None:
        """Bans a name or an address, and closes the connections of the banned clients."""
        # `None`: the ban has no end. The function is called when the ban is stored, and does nothing here.
        world.lobby.bans.put(target, None, lambda: None)
        for factory in world.factories.values():
            factory.close_some(partial(ban_message, world.lobby.bans))
        world.until_idle()

    def test_a_banned_name_cannot_log_in(self) -> None:
        """A log-in with the name is refused in the wire's own words. Other names can log in."""
        if self.nameless:
            return
        world, client = self.connected()
        world.lobby.bans.put("ann", None, lambda: None)
        received(client)
        client.send(self.log_in("ann"))
        self.assertTrue(received(client), "a client that is banned was not told so")
        self.assertFalse(self.is_in(world, "ann"))
        other = world.connect(self.wire.name)
        other.send(self.log_in("bob"))
        self.assertTrue(self.is_in(world, "bob"))

    def test_a_banned_address_cannot_connect(self) -> None:
        """A connection from a banned address receives the reason, and is closed. Other addresses can connect."""
        world, client = self.connected()
        world.lobby.bans.put("192.0.2.77", None, lambda: None)
        banned = world.connect(self.wire.name, "192.0.2.77")
        self.assert_told("closing", received(banned))
        world.wait(2)
        self.assertTrue(banned.closed)
        self.assertFalse(client.closed)

    def test_a_player_who_is_banned_is_closed_and_the_seat_is_kept(self) -> None:
        """
        The player receives the reason. The match continues as after a lost connection, and the player cannot come back.
        """
        if self.nameless:
            return
        situation = self.in_match()
        world, players = situation.host, situation.players
        ann, _ = players
        received(ann)
        self.ban(world, "ann")
        self.assert_told("closing", received(ann))
        world.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual(len(world.lobby.tables), 1)
        again = world.connect(self.wire.name)
        again.send(self.log_in("ann"))
        world.wait(2)
        session = world.lobby.registry.get("ann")
        assert session is not None
        # The seat is still reserved, but no connection has it.
        self.assertIsNone(session.player)

    def test_an_address_that_is_banned_is_closed(self) -> None:
        """Clients of the address are closed in every state."""
        for name, reach in self.situations().items():
            situation = reach()
            if situation.client.closed:
                # On some wires the host closes the connection after a match.
                continue
            received(situation.client)
            self.ban(situation.host, "192.0.2.1")
            if name != "connected":
                # A client that has not logged in need not receive the reason.
                self.assert_told("closing", received(situation.client))
            situation.host.wait(2)
            self.assertTrue(situation.client.closed)

    def test_who_waits_is_told_that_no_match_begins(self) -> None:
        """When the host drains, waiting players leave the queue, and newcomers are refused; both receive the reason."""
        situation = self.waiting()
        world, ann = situation.host, situation.client
        received(ann)
        world.lobby.drain(DRAINING)
        world.until_idle()
        self.assert_told("closing", received(ann))
        self.assertEqual(world.lobby.directory.counts().waiting, 0)
        bob = world.connect(self.wire.name)
        received(bob)
        bob.send(self.log_in("bob"))
        self.assertTrue(received(bob), "a client was not told that no matches begin")
        self.assertFalse(self.is_in(world, "bob"))

    def test_a_match_goes_on_while_the_host_drains(self) -> None:
        """The players of a match can act, and can take their seats back, while the host begins no new matches."""
        situation = self.in_match()
        world, players = situation.host, situation.players
        world.lobby.drain(DRAINING)
        actor, action = self.legal_action(*players)
        before = self.entries(situation)
        actor.send(action)
        self.assertGreater(self.entries(situation), before)
        # The match continues; those of remote games are counted separately.
        self.assertTrue(world.lobby.seats.playing or world.lobby.remote.count)
        if "back" in self.silent or self.no_return:
            # Players of this wire cannot take a seat back.
            return
        players[0].drop()
        again = world.connect(self.wire.name)
        self.come_back(again, "ann")
        session = world.lobby.registry.get("ann")
        assert session is not None
        self.assertIsNotNone(session.player)
        # When both are away for too long, the match ends.
        players[1].drop()
        again.drop()
        world.wait(61)
        self.assertFalse(world.lobby.seats.playing)

    def test_no_match_follows_while_the_host_drains(self) -> None:
        """After the end of a match, its player receives the message that no new match begins."""
        situation = self.after_match()
        world, client = situation.host, situation.client
        if client.closed:
            return
        received(client)
        world.lobby.drain(DRAINING)
        world.until_idle()
        words = received(client)
        if not words:  # on some wires a player waits for the next match without a message
            self.join_again(client, "ann")
            words = received(client)
        self.assert_told("closing", words)
        self.assertEqual(world.lobby.directory.counts().waiting, 0)


def claims_of(conversation: Any) -> list[Claim]:
    """
    Records the claims of a client's messages from now on. For each message, the conversation says the claim before it
    handles the message.

    :returns: the list to which the claims are appended
    """
    hear = conversation.hear
    claims: list[Claim] = []

    def ask(message: Any) -> None:
        """Records the claim of a message, and then lets the conversation handle it."""
        claim = conversation.claim(message)
        if claim is not None:
            claims.append(claim)
        hear(message)

    conversation.hear = ask
    return claims


def _noting_unclaimed(unclaimed: set[str], conversation: Any) -> Any:
    """
    Changes a conversation, so that after each message the name of its session is compared with all claims so far.

    :param unclaimed: receives the name of each session that no message has claimed
    :returns: the conversation
    """
    claims = claims_of(conversation)
    hear = conversation.hear

    def compare(message: Any) -> None:
        """Lets the conversation handle a message, and then compares the name of its session."""
        hear(message)
        session = conversation.session
        # A player that comes back to a match by its id has a name with the same home as the match.
        if session is None or (session.table_id is not None and any(claim.place for claim in claims)):
            return
        if session.key not in {claim.key for claim in claims}:
            unclaimed.add(session.name)

    conversation.hear = compare
    return conversation


class ClaimsContract(SamplesHooks):
    """
    Tests of the claims of a wire's messages. A cluster uses the claim to find the host that must handle a log-in.
    """

    def test_a_log_in_claims_its_name(self) -> None:
        """The claim has the name of the session. On a wire that spreads it also has the place where the player waits."""
        if self.nameless:
            return
        for name in ("ann", "Bob"):
            world, client = self.connected(unlimited="yes")
            claims = claims_of(client.protocol.conversation)
            client.send(self.log_in(name))
            self.assertEqual(len(claims), 1, f"{name} logs in: expected one claim, got {claims}")
            [claim], session = claims, conversation_of(Situation(world, client)).session
            self.assertIsNotNone(session, f"{name} is not logged in")
            self.assertEqual(claim.key, session.key, f"{name} claims another name: {claim}")
            # The queue in which the player waits now must be the one in the claim.
            waiting = [key for key, sessions in world.lobby.queues.waiting.items() if session in sessions]
            if claim.queue is not None:
                self.assertEqual([claim.queue.key], waiting)

    def test_every_session_is_claimed(self) -> None:
        """In all transcripts every session has a name that was claimed before, except names that the host gives."""
        names: set[str] = set()
        # Every conversation of the transcripts notes names that were not claimed.
        self.watch = {"conversation": partial(_noting_unclaimed, names)}
        for transcript in read_transcripts(self.transcripts / self.wire.name, self.text is not Lines):
            play(transcript, self.new_host(settings=transcript.settings))
        self.assertEqual({name for name in names if not name.startswith(GUEST)}, set())

    def test_an_impossible_name_claims_nothing(self) -> None:
        """A log-in with an impossible name has no claim, because every host refuses it."""
        for name in self.impossible_names:
            _, client = self.connected(unlimited="yes")
            claims = claims_of(client.protocol.conversation)
            client.send(self.log_in(name))
            self.assertEqual(claims, [], f"{name!r} is refused whoever has it")

    def test_log_ins_alone_claim(self) -> None:
        """
        A message has a claim only in a state in which it is allowed. To ask for a claim changes nothing, and sends no answer.
        """
        claims = conversation_of(self.connected_only()).CLAIMS
        self.assertTrue(claims, "the wire does not say what its log-ins claim")
        # Each claim belongs to a state and a type of message that the state awaits.
        self.assertEqual(claims.keys() - conversation_of(self.connected_only()).HEARS.keys(), set())
        samples = self.samples()
        for name, reach in self.situations().items():
            situation = reach()
            conversation, clients = conversation_of(situation), [situation.client, situation.other]
            for client in clients:
                if client is not None:
                    received(client)
            # Everything that a question for a claim could change.
            before = (lobby_state(situation), dict(vars(conversation)))
            for kind, messages in samples.items():
                for message in messages:
                    claimed = conversation.claim(message)
                    if (conversation.state, kind) not in claims:
                        self.assertIsNone(claimed, f"{message!r} when {name}")
            situation.host.until_idle()
            self.assertEqual((lobby_state(situation), dict(vars(conversation))), before, f"changed when {name}")
            for client in clients:
                self.assertEqual([] if client is None else received(client), [], f"said something when {name}")


#: The steps of a test after a client has begun to wait for an opponent.
Course = Callable[[Situation], None]


def _recorded(client: Client) -> bytearray:
    """Records the bytes that a client reads from now on. Returns the record, to which they are appended."""
    read, record = client.transport.read, bytearray()

    def recording() -> bytes:
        """Reads as before, and appends the bytes to the record."""
        data = read()
        record.extend(data)
        return data

    client.transport.read = recording  # type: ignore[method-assign]
    return record


def _told(course: Course, situation: Situation) -> list[bytearray]:
    """
    Runs the steps of a test, and records the bytes that clients receive.

    :returns: the bytes for the client of the situation, and for each client that connects later
    """
    host = situation.host
    connect, clients = host.connect, [situation.client]
    records = [_recorded(situation.client)]

    def connected(wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        """Connects a client as before, and records the bytes that it receives."""
        client = connect(wire, address)
        clients.append(client)
        records.append(_recorded(client))
        return client

    host.connect = connected  # type: ignore[method-assign]
    course(situation)
    # Read what is left, so that the records are complete.
    for client in clients:
        client.transport.read()
    return records


class AdoptionContract(WireHooks):
    """
    Tests of a wire that spreads, with a client that has logged in at another host of the cluster.

    Each test takes the same steps with two clients: one has logged in at this host and waits, and the other one was adopted
    from another host. From then on both must receive the same bytes.
    """

    def adopted(self, waiting: Situation) -> Situation:
        """
        Moves a copy of a waiting client to a new host, as a cluster does.

        :returns: the situation of the new client, which has the same state as the waiting one
        """
        session: Session = conversation_of(waiting).session
        host, client = self.connected(unlimited="yes")
        situation = Situation(host, client)
        if session.account:
            self._make_account(host, session.name)
        received(client)  # the greeting is dropped, because the other host has already greeted the client
        # The copy continues where the waiting client is: with its unread bytes, and with its number of the last
        # message.
        client.message_text = deepcopy(waiting.client.message_text)
        front, codec = waiting.client.protocol._codec, client.protocol._codec
        if isinstance(front, Numbered) and isinstance(codec, Numbered):
            codec.sequence = front.sequence
        record = SeatRecord(session.name, session.wire, session.address, session.account, session.key_digest)
        conversation = conversation_of(situation)
        # As a cluster does: the session is made from its record, and the conversation gets the state of the other
        # one.
        with host.context.cork:
            conversation.unpack(conversation_of(waiting).parcel(), host.lobby.registry.adopt(record, conversation))
        host.until_idle()
        return situation

    def _make_account(self, host: MemoryHost, name: str) -> None:
        """Makes an account by a log-in, because all hosts of a cluster have the same accounts."""
        client = host.connect(self.wire.name)
        self.join(client, name)
        client.drop()

    def both(self) -> tuple[Situation, Situation] | None:
        """Returns a client that waits, and an adopted copy of it; or `None` if clients of this wire are not adopted."""
        if not self.wire.spreads:
            # A wire that does not spread: its clients are not moved.
            return None
        waiting = self.waiting()
        if not waiting.host.lobby.queues.waiting or conversation_of(waiting).parcel() is None:
            return None  # it waits at a table, and a table has one home
        received(waiting.client)
        return waiting, self.adopted(waiting)

    def assert_same(self, course: Course) -> None:
        """
        Runs the same steps twice: with a client that has logged in here, and with an adopted one. Checks that all
        clients receive the same bytes.
        """
        if (both := self.both()) is None:
            return  # clients of this wire are not adopted
        waiting, adopted = both
        self.assertEqual(adopted.client.transport.read(), b"", "a client that is adopted was told something")
        expected = _told(course, waiting)
        self.assertEqual(_told(course, adopted), expected)
        self.assertEqual(adopted.client.closed, waiting.client.closed)

    def test_an_adopted_client_waits(self) -> None:
        """An adopted client is in the same queue as a client of this host, and has no deadline for a log-in."""
        if (both := self.both()) is None:
            return
        waiting, adopted = both
        # More than the time for a log-in.
        adopted.host.wait(61)
        self.assertFalse(adopted.client.closed)
        conversation = conversation_of(adopted)
        queues = adopted.host.lobby.queues.waiting
        self.assertEqual(queues, {key: [conversation.session] for key in waiting.host.lobby.queues.waiting})
        self.assertEqual(conversation.state, conversation_of(waiting).state)
        adopted.client.drop()
        self.assertEqual(len(adopted.host.lobby.registry), 0, "the name of a client that is gone is in use")

    def test_an_adopted_client_plays(self) -> None:
        """
        An adopted client gets an opponent, acts, and receives a refusal and the end. Then it can play another match.
        """

        def course(situation: Situation) -> None:
            """Plays a match with a refusal, an action and the end, and begins another match."""
            host, ann = situation.host, situation.client
            bob = host.connect(self.wire.name)
            self.join(bob, "bob")
            self.set_up(ann, bob)
            for choose in (self.illegal_action, self.legal_action):
                actor, action = choose(ann, bob)
                actor.send(action)
            bob.drop()
            # The opponent is away for longer than the grace time, so the match ends.
            host.wait(61)
            self.join_again(ann, "ann")
            carl = host.connect(self.wire.name)
            self.join(carl, "carl")
            self.assertEqual(len(host.lobby.tables), 1)

        self.assert_same(course)

    def test_an_adopted_client_plays_in_strict_mode(self) -> None:
        """An adopted client plays a match also with the option `strict`: only messages of the protocol's document."""
        if "strict" in self.wire.options:
            self.host_settings = {**self.host_settings, f"{self.wire.name}.strict": "yes"}
            self.test_an_adopted_client_plays()

    def test_an_adopted_client_comes_back(self) -> None:
        """If an adopted client loses its connection, its seat is reserved, and it can take the seat back."""

        def course(situation: Situation) -> None:
            """Begins a match, loses the connection, and takes the seat back."""
            host, ann = situation.host, situation.client
            bob = host.connect(self.wire.name)
            self.join(bob, "bob")
            self.set_up(ann, bob)
            ann.drop()
            again = host.connect(self.wire.name)
            self.come_back(again, "ann")
            self.assertIsNotNone(conversation_of(Situation(host, again)).handle, "the seat is not taken back")

        self.assert_same(course)

    def test_the_name_of_an_adopted_client_is_in_use(self) -> None:
        """Another client that wants the name of an adopted client receives the usual refusal."""

        def course(situation: Situation) -> None:
            other = situation.host.connect(self.wire.name, "192.0.2.77")
            self.join(other, "ann")

        self.assert_same(course)

    def test_an_adopted_client_is_refused_as_others(self) -> None:
        """
        If an adopted client sends messages in the wrong state, or bytes that are no message, it gets the same answers
        as other waiting clients.
        """
        for data in (self.log_in("carl"), self.too_long, *self.nonsense):

            def course(situation: Situation, data: bytes = data) -> None:
                situation.client.send(data)
                situation.host.wait(3)

            self.assert_same(course)

    def test_an_adopted_client_is_told_why_it_ends(self) -> None:
        """
        An adopted client has connected to another host of the cluster, and this host continues the conversation. The
        client receives the reason when its wait or its connection ends: the host drains or stops, no opponent comes, or
        a message of the client is not complete in time.
        """

        def drain(situation: Situation) -> None:
            situation.host.lobby.drain(DRAINING)

        def stop(situation: Situation) -> None:
            situation.host.factories[self.wire.name].close("the host is stopping")

        def end_waiting(situation: Situation) -> None:
            situation.host.lobby._end_waiting(Unmatched(), conversation_of(situation).session)

        def send_half(situation: Situation) -> None:
            # The message never ends, so the host closes the connection.
            situation.client.send(self.begun)

        for end in (drain, stop, end_waiting, send_half):

            def course(situation: Situation, end: Course = end) -> None:
                """Lets the host end the waiting, or the connection, of a client."""
                end(situation)
                # Longer than the 10 s in which a begun message must be complete.
                situation.host.wait(11)
                # After some ends, a client remains logged in, and is not closed.
                stays = conversation_of(situation).session is not None
                self.assertTrue(situation.client.closed or stays, end.__name__)

            self.assert_same(course)


class _Front:
    """
    The first of two hosts, which has the connection of a client. It handles messages until a log-in comes, and records
    the data that the other host needs to continue.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._codec = client.protocol._codec
        self._conversation: Any = client.protocol.conversation
        self._hear = self._conversation.hear
        self._conversation.hear = self._ask  # type: ignore[method-assign]
        #: The bytes since the last place without an unfinished message, and how many of their messages were handled.
        #: Blank lines do not count, because a codec that begins may see more or fewer of them.
        self.data, self.heard = b"", 0
        #: Whether a log-in has come, and the state of the conversation for the other host.
        self.over = False
        self.parcel = ""

    def _ask(self, message: Any) -> None:
        """Handles a message, or stops reading if another host must handle it."""
        claim = self._conversation.claim(message)
        if claim is not None and (claim.by_place or not (claim.place or claim.stays)):
            # The name or the place in the message decides which host handles it. `stays`: this host, in any case.
            self.over, self.parcel = True, self._conversation.parcel()
            self._client.protocol.input.stop()  # a fault after the log-in is handled by the other host
        else:
            self.heard += not isinstance(message, Blank)
            self._hear(message)

    def send(self, piece: bytes) -> None:
        """Sends bytes of the client to this host."""
        if not self._codec.unfinished:
            # Between two messages: the other host needs nothing of what came before.
            self.data, self.heard = b"", 0
        self.data += piece
        self._client.send(piece)


def _go_on(client: Client, front: Client, heard: int, parcel: str) -> None:
    """
    Lets a new connection at a second host continue the connection at the first host.

    :param client: the new connection
    :param front: the connection at the first host
    :param heard: how many of the next messages the first host has already handled: they are skipped
    :param parcel: the state of the conversation
    """
    received(client)  # the other host has greeted the client
    codec, before = client.protocol._codec, front.protocol._codec
    if isinstance(codec, Numbered) and isinstance(before, Numbered):
        codec.sequence = before.sequence
    conversation: Any = client.protocol.conversation
    conversation.unpack(parcel, None)
    hear, left = conversation.hear, heard

    def skip(message: Any) -> None:
        """Skips the messages that the first host has handled. Blank lines do not count."""
        nonlocal left
        if left:
            left -= not isinstance(message, Blank)
        else:
            hear(message)

    conversation.hear = skip


class HandoverContract(WireHooks):
    """
    Tests of a log-in that another host of the cluster handles.

    One host has the connection, and handles its messages up to a log-in. Another host gets the bytes since the last
    place without an unfinished message. It drops the messages that were handled already, and continues. The client must
    not notice.
    """

    def assert_unnoticed(self, reach: Callable[[], Situation], pieces: Sequence[bytes]) -> bool:
        """
        Checks that a client receives the same in two cases: one host handles everything, or another host handles the
        log-in.

        :param reach: connects the client
        :param pieces: the bytes that the client sends
        :returns: whether there was a log-in
        """
        # One host handles everything.
        alone = reach()
        for piece in pieces:
            alone.client.send(piece)
        # One host handles the messages up to a log-in, and another host the rest.
        situation = reach()
        front, rest = _Front(situation.client), list(pieces)
        while rest and not front.over:
            front.send(rest.pop(0))
        told = situation.client.transport.read()
        closed = situation.client.closed
        if front.over:
            host, client = self.connected(unlimited="yes")
            _go_on(client, situation.client, front.heard, front.parcel)
            # The other host gets the bytes since the last place without an unfinished message, and then all later
            # ones.
            for piece in (front.data, *rest):
                client.send(piece)
            told += client.transport.read()
            closed = client.closed
            self.assertEqual(
                conversation_of(Situation(host, client)).state, conversation_of(alone).state, f"after {pieces!r}"
            )
        self.assertEqual((told, closed), (alone.client.transport.read(), alone.client.closed), f"told after {pieces!r}")
        return front.over

    def test_a_log_in_is_heard_at_another_host(self) -> None:
        """
        If another host handles the log-in, the client does not notice. This holds for any cuts in the client's bytes,
        and any earlier messages. On a wire with free names, connections are not passed on.
        """
        if not self.wire.spreads or self.wire.seat_key is SeatKey.TOKEN:
            return
        rng = random.Random(1)
        ann, impossible = self.log_in("ann"), b"".join(map(self.log_in, self.impossible_names[:1]))
        self.assertTrue(self.assert_unnoticed(self.connected_only, [ann]), "a log-in claims nothing")
        # Also after a refused log-in, and after messages that are refused.
        streams = [*self.corpus(), impossible + ann, *(data + ann for data in self.nonsense)]
        for stream in streams:
            for pieces in ([stream], chunked(stream, rng), [stream[:1], stream[1:]]):
                self.assert_unnoticed(self.connected_only, pieces)

    def test_a_log_in_is_heard_at_another_host_in_strict_mode(self) -> None:
        """Another host can handle a log-in also with the option `strict`: only messages of the protocol's document."""
        if "strict" in self.wire.options:
            self.host_settings = {**self.host_settings, f"{self.wire.name}.strict": "yes"}
            self.test_a_log_in_is_heard_at_another_host()

    def test_the_next_log_in_is_heard_at_another_host(self) -> None:
        """
        After a match, too, a client may continue at another host. If it is still logged in, its session moves with it.
        """
        stays = self.wire.seat_key is SeatKey.TOKEN
        if not self.wire.spreads or stays or conversation_of(self.after_match()).session is not None:
            # The client does not log in again after a match, or is not moved.
            return
        ann = self.log_in("ann")
        for pieces in ([ann], [ann[:1], ann[1:]], [self.nonsense[0] + ann]):
            self.assert_unnoticed(self.after_match, pieces)


class WireContract(
    ConnectionContract,
    MatchContract,
    AnswersContract,
    OwnerContract,
    ClaimsContract,
    AdoptionContract,
    HandoverContract,
    SocketContract,
    FuzzingContract,
):
    """All tests that every wire must pass."""
