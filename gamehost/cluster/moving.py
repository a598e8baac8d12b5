"""
Players of one queue who wait at several members: they are brought together at one of them.

First the database makes the other member the home of the name. Then the connection is passed on, and the other member
adopts the player: the client has logged in already, waits, and notices nothing.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field

from gamehost.accounts.names import key_of
from gamehost.cluster.claiming import ClaimingInput
from gamehost.cluster.preamble import Preamble
from gamehost.journal.records import SeatRecord
from gamehost.lobby.sessions import Session
from gamehost.net.connection import WireProtocol
from gamehost.net.input import PauseReason
from gamehost.storage.members import Offer, QueueKey
from gamehost.storage.names import meeting_place

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster

_CLAIM = PauseReason.CLAIM


@define(eq=False)
class Moves:
    """The players that this member gives to others, and takes from them."""

    _cluster: "Cluster"
    #: The names of those who are about to be given to another member.
    keys: set[str] = field(factory=set)

    def offers_are(self, offers: Sequence[Offer]) -> None:
        """As of `Watcher`: of each queue, one player who waits here goes to where the others of the queue wait."""
        cluster = self._cluster
        queues: dict[QueueKey, list[Offer]] = {}
        for offer in offers:
            queues.setdefault(offer.queue, []).append(offer)
        targets = {queue: meeting_place(of_queue) for queue, of_queue in queues.items()}
        for offer in offers:
            if offer.home != cluster.epoch or not offer.movable:
                continue
            target = targets.get(offer.queue)
            waiting = cluster.waiting.get(offer.key)
            if target is None or target == cluster.epoch or cluster.member(target) is None or waiting is None:
                continue
            if self._move(waiting[0], target):
                del targets[offer.queue]

    def adopt(self, connection: WireProtocol[Any], record: SeatRecord) -> None:
        """Take a player from another member. The name may have another home again by now, so it is claimed here."""
        connection.input.pause(_CLAIM)
        answer = partial(self._claimed, connection, record)
        self._cluster.claim_again(connection, key_of(record.name), answer)

    def free(self, record: SeatRecord) -> None:
        """A player was about to come from another member, and is gone. Nobody else knows that the name is free."""
        cluster, nobody = self._cluster, object()
        cluster.claim_again(nobody, key_of(record.name), lambda home: cluster.drop_claim(nobody))

    def _claimed(self, connection: WireProtocol[Any], record: SeatRecord, home: int | None) -> None:
        cluster, conversation = self._cluster, connection.conversation
        if connection.closing:
            return
        registry: Any = cluster.lobby.registry
        player: Any = conversation
        with cluster.cork:
            if home != cluster.epoch or cluster.halted or registry.get(record.name) is not None:
                connection.close_with("the host is busy: log in again in a moment")
            else:
                player.adopt(registry.adopt(record, player))
                connection.input.resume(_CLAIM)

    def _move(self, session: Session, home: int) -> bool:
        """Whether a player is about to be given to another member."""
        player: Any = session.player
        connection = getattr(player, "peer", None)
        if not isinstance(connection, WireProtocol) or connection.closing or session.key in self.keys:
            return False
        claiming = connection.input
        if not isinstance(claiming, ClaimingInput) or not claiming.can_be_passed_on:
            return False
        self.keys.add(session.key)
        claiming.pause(_CLAIM)
        self._cluster.lobby.stop_waiting(session)
        self._cluster.registry.transfer(session.key, home, partial(self._moved, session, connection, home))
        return True

    def _moved(self, session: Session, connection: WireProtocol[Any], home: int, done: bool) -> None:
        self.keys.discard(session.key)
        cluster = self._cluster
        conversation: Any = connection.conversation
        here = not connection.closing and session.player is conversation
        if not done:
            if here:
                with cluster.cork:
                    conversation.adopt(session)  # to wait again
                    connection.input.resume(_CLAIM)
            return
        cluster.disown(session.key)
        record = SeatRecord(session.name, session.wire, session.address, session.account, session.key_digest)
        preamble = Preamble("", session.wire, connection.address, adopt=record)
        if not here:
            # The client is lost. The other member must know, because it has the name now.
            cluster.relay(None, session.key, home, preamble, b"")
            return
        claiming = connection.input
        assert isinstance(claiming, ClaimingInput)
        as_it_stands = claiming.as_it_stands(preamble)
        conversation.session = session.player = None
        cluster.lobby.registry.forget(session)
        cluster.relay(connection.hand_over(), session.key, home, *as_it_stands)
