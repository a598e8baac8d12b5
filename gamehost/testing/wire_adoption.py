"""
What a wire that spreads does with a client that has logged in at another host of the cluster.

Each test does the same with a client that has logged in and waits on its connection, and with one that was adopted. From
there on everybody must be told the same, byte for byte.
"""

from collections.abc import Callable
from copy import deepcopy

from gamehost.journal.records import SeatRecord
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import Unmatched
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_answers import conversation_of
from gamehost.testing.wire_hooks import Situation, WireHooks, received
from gamehost.testing.wire_owner import DRAINING
from gamehost.wires.base import Numbered

#: What is done once the client waits.
Course = Callable[[Situation], None]


def _recorded(client: Client) -> bytearray:
    """All that a client receives from now on, as far as it was read."""
    read, record = client.transport.read, bytearray()

    def recording() -> bytes:
        data = read()
        record.extend(data)
        return data

    client.transport.read = recording  # type: ignore[method-assign]
    return record


def _told(course: Course, situation: Situation) -> list[bytearray]:
    """What the client of a situation, and those who connect later, are told."""
    host = situation.host
    connect, clients = host.connect, [situation.client]
    records = [_recorded(situation.client)]

    def connected(wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        client = connect(wire, address)
        clients.append(client)
        records.append(_recorded(client))
        return client

    host.connect = connected  # type: ignore[method-assign]
    course(situation)
    for client in clients:
        client.transport.read()
    return records


class AdoptionContract(WireHooks):
    """The behaviours of a wire when a waiting player comes from another host of the cluster."""

    def adopted(self, waiting: Situation) -> Situation:
        """A client that waits as the one of this situation does, but has logged in at another host."""
        session: Session = conversation_of(waiting).session
        host, client = self.connected(unlimited="yes")
        situation = Situation(host, client)
        if session.account:
            self._make_account(host, session.name)
        received(client)  # the other host has said that
        client.message_text = deepcopy(waiting.client.message_text)
        front, codec = waiting.client.protocol._codec, client.protocol._codec
        if isinstance(front, Numbered) and isinstance(codec, Numbered):
            codec.sequence = front.sequence
        record = SeatRecord(session.name, session.wire, session.address, session.account, session.key_digest)
        conversation = conversation_of(situation)
        with host.context.cork:
            conversation.adopt(host.lobby.registry.adopt(record, conversation))
        host.settle()
        return situation

    def _make_account(self, host: MemoryHost, name: str) -> None:
        """All hosts of a cluster have the same accounts."""
        client = host.connect(self.wire.name)
        self.join(client, name)
        client.drop()

    def both(self) -> tuple[Situation, Situation] | None:
        """A client that waits, and an adopted one; `None`: clients of this wire are not adopted."""
        if not self.wire.spreads:
            return None
        waiting = self.waiting()
        if not waiting.host.lobby._queues.waiting:
            return None  # it plays at the leader of a cluster
        received(waiting.client)
        return waiting, self.adopted(waiting)

    def assert_same(self, course: Course) -> None:
        """Everybody is told the same, whether the client that waits has logged in here or was adopted."""
        if (both := self.both()) is None:
            return
        waiting, adopted = both
        self.assertEqual(adopted.client.transport.read(), b"", "a client that is adopted was told something")
        expected = _told(course, waiting)
        self.assertEqual(_told(course, adopted), expected)
        self.assertEqual(adopted.client.closed, waiting.client.closed)

    def test_an_adopted_client_waits(self) -> None:
        """It is in the queue in which it would wait here, and no deadline of newcomers holds for it."""
        if (both := self.both()) is None:
            return
        waiting, adopted = both
        adopted.host.wait(61)
        self.assertFalse(adopted.client.closed)
        conversation = conversation_of(adopted)
        queues = adopted.host.lobby._queues.waiting
        self.assertEqual(queues, {key: [conversation.session] for key in waiting.host.lobby._queues.waiting})
        self.assertEqual(conversation.state, conversation_of(waiting).state)
        adopted.client.drop()
        self.assertEqual(len(adopted.host.lobby.registry), 0, "the name of a client that is gone is in use")

    def test_an_adopted_client_plays(self) -> None:
        """It meets somebody who logs in, acts, is refused, and sees the match end; then it can play another one."""

        def course(situation: Situation) -> None:
            host, ann = situation.host, situation.client
            bob = host.connect(self.wire.name)
            self.join(bob, "bob")
            self.set_up(ann, bob)
            for choose in (self.illegal_action, self.legal_action):
                actor, action = choose(ann, bob)
                actor.send(action)
            bob.drop()
            host.wait(61)
            self.join_again(ann, "ann")
            carl = host.connect(self.wire.name)
            self.join(carl, "carl")
            self.assertEqual(len(host.lobby.tables), 1)

        self.assert_same(course)

    def test_an_adopted_client_plays_in_strict_mode(self) -> None:
        """The same, with the document's messages only."""
        if "strict" in self.wire.options:
            self.host_settings = {**self.host_settings, f"{self.wire.name}.strict": "yes"}
            self.test_an_adopted_client_plays()

    def test_an_adopted_client_comes_back(self) -> None:
        """Its seat is kept if its connection is lost, and it takes the seat back."""

        def course(situation: Situation) -> None:
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
        """Somebody else who wants the name is told what such clients are told."""

        def course(situation: Situation) -> None:
            other = situation.host.connect(self.wire.name, "192.0.2.77")
            self.join(other, "ann")

        self.assert_same(course)

    def test_an_adopted_client_is_refused_as_others(self) -> None:
        """What it sends out of place, and what is no message, is answered as it is to others who wait."""
        for data in (self.log_in("carl"), self.too_long, *self.nonsense):

            def course(situation: Situation, data: bytes = data) -> None:
                situation.client.send(data)
                situation.host.wait(3)

            self.assert_same(course)

    def test_an_adopted_client_is_told_why_it_ends(self) -> None:
        """When the host drains or stops, when nobody comes, and when its message is not finished in time."""

        def drain(situation: Situation) -> None:
            situation.host.lobby.drain(DRAINING)

        def stop(situation: Situation) -> None:
            situation.host.factories[self.wire.name].close("the host is stopping")

        def end_waiting(situation: Situation) -> None:
            situation.host.lobby._end_waiting(Unmatched(), conversation_of(situation).session)

        def send_half(situation: Situation) -> None:
            situation.client.send(self.begun)

        for end in (drain, stop, end_waiting, send_half):

            def course(situation: Situation, end: Course = end) -> None:
                end(situation)
                situation.host.wait(11)
                self.assertTrue(situation.client.closed, end.__name__)

            self.assert_same(course)
