"""
How a log-in finds the home of its name: the claim, the search for a home, and the move of a player to it.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from gamehost.accounts.names import key_of, place_of
from gamehost.extras.cluster.membership import Cluster
from gamehost.extras.cluster.relay import MOST_HOPS, Preamble
from gamehost.journal.records import SeatRecord, TableId
from gamehost.lobby.lists import WaitingTable
from gamehost.lobby.sessions import Session
from gamehost.net.connection import WireProtocol
from gamehost.net.context import Deadline
from gamehost.net.streams import Input, PauseReason
from gamehost.storage.names import Offer, QueueKey, meeting_place
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.base import BaseConversation, Claim, Codec, Conversation, Numbered
from gamehost.wires.framing import Blank, WireError
from gamehost.wires.seeking import SeekingConversation

_CLAIM = PauseReason.CLAIM

#: The most bytes that are stored of a client that never pauses between two messages.
MOST_KEPT = 65_536

#: Seconds after which a place without a home is looked up again: long enough for its host to claim it a second time.
LOOK_AGAIN = 0.25

BUSY = "the host is busy: try again in a moment"


class ClaimingInput(Input[Any]):
    """
    The input of one connection at a member.

    A message is handled after the name that it claims has its home here, and then the place. If the name or the place
    is at another member, the connection is passed on to that member.

    :param cluster: looks up the homes of names
    """

    __slots__ = ("_behind", "_claimed", "_cluster", "_handled", "_kept", "_spreads", "_to_skip", "_told", "hops")

    _connection: WireProtocol[Any]

    def __init__(
        self, cluster: Cluster, connection: WireProtocol[Any], codec: Codec[Any], conversation: Conversation[Any]
    ) -> None:
        super().__init__(connection, codec, conversation)
        self._cluster = cluster
        self._spreads = connection.factory.wire.spreads
        #: The bytes since the codec was between two messages, and how many messages of them were handled; `None`: too many.
        self._kept: bytearray | None = bytearray()
        self._handled = 0
        #: Messages that another member has handled.
        self._to_skip = 0
        self.hops = 0
        #: The message that waits for its claim, and the claim.
        self._claimed: tuple[Any, Claim] | None = None
        #: The messages behind it.
        self._behind: Iterator[Any] | None = None
        self._told = conversation
        if isinstance(conversation, BaseConversation):
            this: Any = self
            self._conversation = this  # the input passes messages to this object first

    def go_on_from(self, preamble: Preamble) -> None:
        """The connection comes from another member, which has handled the first messages that come now."""
        self.hops, self._to_skip = preamble.hops, preamble.skip
        if isinstance(self._codec, Numbered):
            self._codec.sequence = preamble.sequence

    def receive(self, data: bytes) -> None:
        if self._spreads:
            self._keep(data)
        super().receive(data)

    def stop(self) -> None:
        super().stop()
        self._claimed = self._behind = None
        self._cluster.drop_claim(self._connection)
        self._cluster.drop_claim(self)

    def _keep(self, data: bytes) -> None:
        kept = self._kept
        waits = self._messages is not None or self._buffer or self._claimed is not None
        if not waits and not self._codec.unfinished:
            self._kept, self._handled = bytearray(data), 0
        elif kept is not None:
            kept += data
            if len(kept) > MOST_KEPT:
                self._kept = None

    def hear(self, message: Any) -> None:
        """Pass a message to the conversation, now or after it is known that this member is the right one."""
        if isinstance(message, Blank):
            # The counts of handled messages are without blank lines.
            if not self._to_skip:
                self._told.hear(message)
            return
        if self._to_skip:
            self._to_skip -= 1
            self._handled += 1
            return
        conversation: Any = self._told
        claim = conversation.claim(message)
        if claim is None or (self._has_name(claim) and self._has_place(claim)):
            self._handled += 1
            conversation.hear(message)
            return
        self._claimed = message, claim
        # Later messages are decoded after this one was handled: they may contain the fault that ends the connection.
        self._behind, self._messages = self._messages, None
        self._connection.deadlines.cancel(Deadline.MESSAGE)
        self.pause(_CLAIM)
        if self._has_name(claim):
            self._find_place(claim)
        else:
            self._cluster.claim(self._connection, claim, self.hops, self._name_found)

    def _has_name(self, claim: Claim) -> bool:
        return not claim.name or claim.by_place or self._cluster.is_here(self._connection, claim)

    def _has_place(self, claim: Claim) -> bool:
        return not claim.place or self._cluster.has(claim.place)

    def _name_found(self, home: int | None) -> None:
        """It is known which member is the home of the name; `None`: it is not."""
        if self._claimed is None or self._connection.closing:
            return
        _, claim = self._claimed
        with self._context.cork:
            if home is None:
                self._connection.close_with(BUSY)
            elif home == self._cluster.epoch or claim.stays or not self._spreads:
                self._find_place(claim)
            else:
                self._move(home, self._cluster.claims[self._connection])

    def _find_place(self, claim: Claim, again: bool = True) -> None:
        # A player with a seat here comes back to it, or is refused, wherever the place is.
        has_name = claim.name and not claim.by_place and self._cluster.lobby.registry.find(claim.key) is not None
        if self._has_place(claim) or has_name:
            self._hear_now()
        else:
            self._cluster.claim_again(self, claim.place, partial(self._place_found, claim, again))

    def _place_found(self, claim: Claim, again: bool, home: int | None) -> None:
        """It is known which member is the home of the place; `None`: it is not."""
        if self._claimed is None or self._connection.closing:
            return
        with self._context.cork:
            if home != self._cluster.epoch:
                self._move(home, claim.place)
            elif again and claim.opened:
                # Nobody has it. If it was opened a moment ago, its member is about to claim it.
                self._cluster.drop_claim(self)
                self._cluster.clock.callLater(LOOK_AGAIN, self._look_again, claim)
            else:
                self._hear_now()

    def _look_again(self, claim: Claim) -> None:
        if self._claimed is not None and not self._connection.closing:
            with self._context.cork:
                self._find_place(claim, again=False)

    def _move(self, home: int | None, key: str) -> None:
        """
        Let another member handle the message. If the client has logged in and cannot go there, it is handled here.
        """
        conversation: Any = self._told
        if conversation.session is None or (self._claimed is not None and self._claimed[1].anew):
            self._pass_on(home, key)
        elif home is None or not (self._can_go and self._go_to(home)):
            self._hear_now()

    def _pass_on(self, home: int | None, key: str) -> None:
        """Pass a client that has not logged in on to another member: the home of the key."""
        connection, cluster = self._connection, self._cluster
        conversation: Any = self._told
        parcel = conversation.parcel()
        # The home is not known, or the client has been passed on too often.
        if home is None or not self._can_go or self.hops == MOST_HOPS:
            connection.close_with(BUSY)
            return
        # The conversation cannot be moved now.
        if parcel is None:
            self._hear_now()
            return
        # Give the socket to a relay, with the bytes that the other member reads first.
        preamble = Preamble("", **_facts_of(connection), hops=self.hops + 1, parcel=parcel)
        as_it_stands = self.as_it_stands(preamble)
        cluster.relays.pass_on(connection.hand_over(), key, home, *as_it_stands)

    @property
    def _can_go(self) -> bool:
        return self._spreads and self._kept is not None

    def _go_to(self, home: int) -> bool:
        """Move a client that has logged in to the member that its message needs. Return whether the move has begun."""
        conversation: Any = self._told
        return give_away(self._cluster, conversation.session, home, self._stay, self)

    def _stay(self) -> None:
        """Continue here: the other member cannot be reached any more."""
        if self._claimed is not None:
            with self._context.cork:
                self._hear_now()

    def _hear_now(self) -> None:
        """Handle the message that waited for its claim."""
        assert self._claimed is not None
        (message, _), self._claimed = self._claimed, None
        self._handled += 1
        # The messages behind it are read next.
        self._messages, self._behind = self._behind, None
        try:
            self._told.hear(message)
        except Exception as error:
            self._failed(error)
            return
        finally:
            self._cluster.drop_claim(self)
        # Reading was paused for the claim.
        self.lift(_CLAIM)
        if not self._connection.closing:
            self.go_on()  # if there is another reason to pause, reading continues after its end

    def can_be_passed_on(self, asking: "ClaimingInput | None") -> bool:
        """
        Whether another member can continue with the received bytes.

        :param asking: the input with the message that has to be handled there
        """
        return self._spreads and self._kept is not None and (self._claimed is None or asking is self)

    @property
    def at_table(self) -> bool:
        """As of the conversation behind this input."""
        return self._told.at_table

    def wire_error(self, error: WireError) -> None:
        """Let the conversation answer bytes that cannot be understood."""
        self._told.wire_error(error)

    def as_it_stands(self, preamble: Preamble) -> tuple[Preamble, bytes]:
        """The facts that another member needs to continue, and the bytes that it reads first."""
        sequence = self._codec.sequence if isinstance(self._codec, Numbered) else 0
        return replace(preamble, skip=self._handled, sequence=sequence), bytes(self._kept or b"")


def _facts_of(connection: WireProtocol[Any]) -> dict[str, Any]:
    """The facts of a connection for its preamble."""
    return {"wire": connection.factory.passed_on_as, "address": connection.address, "tls": connection.private}


def gather_in_queues(cluster: Cluster, offers: Sequence[Offer]) -> None:
    """Send one waiting player of each queue to the member where the others of the queue wait."""
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
        session = waiting[0]
        if give_away(cluster, session, target, partial(_wait_again, cluster, session)):
            del targets[offer.queue]


def gather_at_tables(cluster: Cluster) -> None:
    """Send players that wait alone at tables to the oldest fitting tables of other members."""
    shown: dict[object, list[OpenTable]] = {}
    for one in (one for page in cluster.pages for one in page.tables):
        shown.setdefault(_kind(one), []).append(one.table)
    tables = cluster.lobby.waiting_tables
    for session in tables.connected() if shown else ():
        player, own = session.player, tables.alone(session)
        if own is None or not isinstance(player, SeekingConversation):
            continue
        older = (one for one in shown.get(_kind(own), ()) if one.table < own.table.table and player.takes_seat(one))
        if (oldest := min(older, key=attrgetter("table"), default=None)) is not None:
            asking = object()
            found = partial(_go_to_table, cluster, session, own.table.table, asking)
            cluster.claim_again(asking, place_of(oldest.table), found)


def _kind(waiting: WaitingTable) -> object:
    """The same for tables that differ only in the waiting players."""
    return waiting.game, waiting.pool, waiting.table.seats, frozenset(waiting.table.settings.items())


def _go_to_table(cluster: Cluster, session: Session, table: TableId, asking: object, home: int | None) -> None:
    cluster.drop_claim(asking)
    own = cluster.lobby.waiting_tables.alone(session)
    if home not in (None, cluster.epoch) and own is not None and own.table.table == table:
        give_away(cluster, session, home, partial(_wait_again, cluster, session))


def adopt(cluster: Cluster, connection: WireProtocol[Any], record: SeatRecord, parcel: str) -> None:
    """Take a player from another member. The name may have another home again by now, so it is claimed here."""
    connection.input.pause(_CLAIM)
    cluster.claim_again(connection, key_of(record.name), partial(_adopted, cluster, connection, record, parcel))


def free_name(cluster: Cluster, record: SeatRecord) -> None:
    """
    A player was about to come from another member, and has disconnected. No other host knows that the name is free.
    """
    nobody = object()
    cluster.claim_again(nobody, key_of(record.name), lambda home: cluster.drop_claim(nobody))


def _adopted(
    cluster: Cluster, connection: WireProtocol[Any], record: SeatRecord, parcel: str, home: int | None
) -> None:
    if connection.closing:
        return
    registry, player = cluster.lobby.registry, connection.conversation
    with cluster.cork:
        if home != cluster.epoch or cluster.halted or registry.get(record.name) is not None:
            connection.close_with("the host is busy: log in again in a moment")
        else:
            conversation: Any = player
            conversation.unpack(parcel, registry.adopt(record, conversation))
            connection.input.resume(_CLAIM)


def give_away(
    cluster: Cluster, session: Session, home: int, stay: Callable[[], None], asking: ClaimingInput | None = None
) -> bool:
    """
    Whether a player without a seat is about to be given to another member.

    :param stay: called if it fails, and the player is still here
    :param asking: the input with the message that has to be handled there; `None`: the player only waits
    """
    player: Any = session.player
    connection = getattr(player, "peer", None)
    if not isinstance(connection, WireProtocol) or connection.closing or session.key in cluster.leaving:
        return False
    claiming = connection.input
    if not isinstance(claiming, ClaimingInput) or not claiming.can_be_passed_on(asking):
        return False
    parcel = player.parcel()
    if parcel is None:
        return False
    cluster.leaving.add(session.key)
    claiming.pause(_CLAIM)
    cluster.lobby.withdraw(session)
    given_away = partial(_given_away, cluster, session, connection, home=home, parcel=parcel, stay=stay)
    cluster.registry.transfer(session.key, home, given_away)
    return True


def _wait_again(cluster: Cluster, session: Session) -> None:
    """A player that waited for an opponent, and was about to be given to another member, waits here."""
    player: Any = session.player
    with cluster.cork:
        player.adopt(session)
        player.peer.input.resume(_CLAIM)


def _given_away(
    cluster: Cluster,
    session: Session,
    connection: WireProtocol[Any],
    done: bool,
    *,
    home: int,
    parcel: str,
    stay: Callable[[], None],
) -> None:
    cluster.leaving.discard(session.key)
    conversation: Any = connection.conversation
    here = not connection.closing and session.player is conversation
    if not done:
        if here:
            stay()
        return
    cluster.here.discard(session.key)
    claiming = connection.input
    assert isinstance(claiming, ClaimingInput)
    preamble = Preamble("", **_facts_of(connection), adopt=session.record, parcel=parcel)
    if not here:
        # The client is lost. The other member must know, because it has the name now.
        cluster.relays.pass_on(None, session.key, home, preamble, b"")
        return
    as_it_stands = claiming.as_it_stands(preamble)
    conversation.session = session.player = None
    cluster.lobby.registry.forget(session)
    cluster.relays.pass_on(connection.hand_over(), session.key, home, *as_it_stands)
