"""
Finds the home of a name when a client logs in, and moves clients between members.

The home of a name or place is the one member that may use it. A member *claims* a name or place: it asks the registry for
the home, and becomes the home itself if there is none.
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

#: The most bytes of a client that are stored for another member. More come only from a client that never pauses.
MOST_KEPT = 65_536

#: The seconds after which a place without a home is looked up again. A table's member may claim it in this time.
LOOK_AGAIN = 0.25

BUSY = "the host is busy: try again in a moment"


class ClaimingInput(Input[Any]):
    """
    The input of one connection at a member.

    Some messages need a name (a log-in) or a place (such as a table). Such a message waits until this member is the home of
    the name, and then of the place. If another member is the home, the connection is passed on to that member.

    :param cluster: looks up the homes of names and places
    """

    __slots__ = ("_behind", "_claimed", "_cluster", "_handled", "_kept", "_spreads", "_to_skip", "_told", "hops")

    _connection: WireProtocol[Any]

    def __init__(
        self, cluster: Cluster, connection: WireProtocol[Any], codec: Codec[Any], conversation: Conversation[Any]
    ) -> None:
        """
        Makes the input of a client's connection at a member of a cluster. It finds out for each message whether this
        member may handle it.

        :param conversation: handles the messages
        """
        super().__init__(connection, codec, conversation)
        self._cluster = cluster
        self._spreads = connection.factory.wire.spreads
        #: The received bytes since the codec was between two messages; `None`: there were too many to store. Another member
        #: would begin to read with these bytes.
        self._kept: bytearray | None = bytearray()
        #: How many messages in these bytes were handled.
        self._handled = 0
        #: How many of the next messages another member has handled already.
        self._to_skip = 0
        #: How often the connection was passed on; 0: the client has connected here.
        self.hops = 0
        #: The message that waits until it is known which member must handle it, and its claim: the name and place on
        #: which this depends. `None`: no message waits.
        self._claimed: tuple[Any, Claim] | None = None
        #: The messages that came after this one.
        self._behind: Iterator[Any] | None = None
        #: The conversation that handles the messages.
        self._told = conversation
        # Other conversations have no log-in, so their messages need no claim.
        if isinstance(conversation, BaseConversation):
            this: Any = self
            self._conversation = this  # the input passes messages to this object first

    def go_on_from(self, preamble: Preamble) -> None:
        """Continues a connection that another member has passed on. Messages that it has handled are skipped."""
        self.hops, self._to_skip = preamble.hops, preamble.skip
        # The client expects the next number in the next message.
        if isinstance(self._codec, Numbered):
            self._codec.sequence = preamble.sequence

    def receive(self, data: bytes) -> None:
        """Handles received bytes, and stores them if the client may be passed on."""
        if self._spreads:
            self._keep(data)
        super().receive(data)

    def stop(self) -> None:
        """Stops handling messages, and drops all claims of this connection."""
        super().stop()
        self._claimed = self._behind = None
        self._cluster.drop_claim(self._connection)
        self._cluster.drop_claim(self)

    def _keep(self, data: bytes) -> None:
        """Stores received bytes. Earlier bytes are forgotten if all their messages were handled."""
        kept = self._kept
        # Whether a received message was not handled yet.
        waits = self._messages is not None or self._buffer or self._claimed is not None
        if not waits and not self._codec.unfinished:
            self._kept, self._handled = bytearray(data), 0
        elif kept is not None:
            kept += data
            if len(kept) > MOST_KEPT:
                self._kept = None

    def hear(self, message: Any) -> None:
        """
        Passes a message to the conversation: at once, or, if its name or place may belong to another member, after the
        registry has answered which member has it.

        :param message: a message of the client; `Blank`: an empty line
        """
        if isinstance(message, Blank):
            # Blank lines are not counted as messages.
            if not self._to_skip:
                self._told.hear(message)
            return
        # The member that has passed the connection on has handled this message.
        if self._to_skip:
            self._to_skip -= 1
            self._handled += 1
            return
        # Most messages need no claim.
        conversation: Any = self._told
        claim = conversation.claim(message)
        # This member is known to be the home of the claim's name and place.
        if claim is None or (self._has_name(claim) and self._has_place(claim)):
            self._handled += 1
            conversation.hear(message)
            return
        self._claimed = message, claim
        # The message waits. Later messages are decoded only after it was handled: a fault in them ends the connection.
        self._behind, self._messages = self._messages, None
        # The time in which the client must send a message does not run while the client waits for us.
        self._connection.deadlines.cancel(Deadline.MESSAGE)
        self.pause(_CLAIM)
        if self._has_name(claim):
            self._find_place(claim)
        else:
            self._cluster.claim(self._connection, claim, self.hops, self._name_found)

    def _has_name(self, claim: Claim) -> bool:
        """Returns whether a claim needs no name, or this member is known to be the home of the name."""
        return not claim.name or claim.by_place or self._cluster.is_here(self._connection, claim)

    def _has_place(self, claim: Claim) -> bool:
        """Returns whether a claim needs no place, or this member is known to be the home of the place."""
        return not claim.place or self._cluster.has(claim.place)

    def _name_found(self, home: int | None) -> None:
        """
        Called with the answer to a claim: which member is the home of the claimed name. Continues here, or passes the
        connection on.

        :param home: the number of the member; `None`: the home cannot be found now
        """
        # The client has gone meanwhile.
        if self._claimed is None or self._connection.closing:
            return
        _, claim = self._claimed
        with self._context.cork:
            if home is None:
                self._connection.close_with(BUSY)
            # The name has its home here; or the claim stays, so the player gets another name here; or all clients of this
            # wire are at one member.
            elif home == self._cluster.epoch or claim.stays or not self._spreads:
                self._find_place(claim)
            else:
                self._move(home, self._cluster.claims[self._connection])

    def _find_place(self, claim: Claim, again: bool = True) -> None:
        """
        Handles the waiting message if this member is the home of its place. Otherwise asks for the home.

        :param again: whether to ask once more if the place has no home
        """
        # A player with a seat here comes back to it, or is refused. The place does not matter then.
        has_name = claim.name and not claim.by_place and self._cluster.lobby.registry.find(claim.key) is not None
        if self._has_place(claim) or has_name:
            self._hear_now()
        else:
            self._cluster.claim_again(self, claim.place, partial(self._place_found, claim, again))

    def _place_found(self, claim: Claim, again: bool, home: int | None) -> None:
        """
        Called with the home of the claimed place: continues here, or passes the connection on.

        :param home: the number of the member; `None`: the home cannot be found now
        """
        # The client has gone meanwhile.
        if self._claimed is None or self._connection.closing:
            return
        with self._context.cork:
            if home != self._cluster.epoch:
                self._move(home, claim.place)
            elif again and claim.opened:
                # No other member has the place. If it was opened a moment ago, its member will claim it soon.
                self._cluster.drop_claim(self)
                self._cluster.clock.callLater(LOOK_AGAIN, self._look_again, claim)
            else:
                self._hear_now()

    def _look_again(self, claim: Claim) -> None:
        """Asks for the home of a place a second and last time."""
        if self._claimed is not None and not self._connection.closing:
            with self._context.cork:
                self._find_place(claim, again=False)

    def _move(self, home: int | None, key: str) -> None:
        """
        Moves the connection to another member, which handles the waiting message. If the client has logged in and cannot be
        moved, the message is handled here.

        :param home: the number of the member; `None`: not known
        :param key: the key of the name or place
        """
        conversation: Any = self._told
        if conversation.session is None or (self._claimed is not None and self._claimed[1].anew):
            self._pass_on(home, key)
        # The client has logged in, so it can only be given away together with its name.
        elif home is None or not (self._can_go and self._go_to(home)):
            self._hear_now()

    def _pass_on(self, home: int | None, key: str) -> None:
        """Passes a client that has not logged in on to another member, the home of the key."""
        connection, cluster = self._connection, self._cluster
        conversation: Any = self._told
        # The state of the conversation as a text; `None`: it cannot be moved now.
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
        """Whether another member could continue with this client."""
        return self._spreads and self._kept is not None

    def _go_to(self, home: int) -> bool:
        """Begins to move a client that has logged in to another member. Returns whether the move has begun."""
        conversation: Any = self._told
        return give_away(self._cluster, conversation.session, home, self._stay, self)

    def _stay(self) -> None:
        """Called if a move has failed, because the other member has ended: handles the waiting message here."""
        if self._claimed is not None:
            with self._context.cork:
                self._hear_now()

    def _hear_now(self) -> None:
        """Handles the message that waited for its claim, and continues to read."""
        assert self._claimed is not None
        # Before the conversation is called, which must find that no message waits.
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
        Returns whether another member can continue with the received bytes.

        :param asking: the input with the message that needs the other member; `None`: no message needs it
        """
        return self._spreads and self._kept is not None and (self._claimed is None or asking is self)

    @property
    def at_table(self) -> bool:
        """Whether the player of the conversation sits at a table."""
        return self._told.at_table

    def wire_error(self, error: WireError) -> None:
        """Passes an error in the received bytes to the conversation, which answers it."""
        self._told.wire_error(error)

    def as_it_stands(self, preamble: Preamble) -> tuple[Preamble, bytes]:
        """
        Returns what another member needs to continue with this client's connection: the preamble with the state of this
        input, and the received bytes that the other member reads first.
        """
        sequence = self._codec.sequence if isinstance(self._codec, Numbered) else 0
        return replace(preamble, skip=self._handled, sequence=sequence), bytes(self._kept or b"")


def _facts_of(connection: WireProtocol[Any]) -> dict[str, Any]:
    """Returns the fields of a preamble that describe a client's connection."""
    return {"wire": connection.factory.passed_on_as, "address": connection.address, "tls": connection.private}


def gather_in_queues(cluster: Cluster, offers: Sequence[Offer]) -> None:
    """
    Moves one waiting player of each queue to the member at which the other players of the queue wait.

    :param offers: all waiting players of the cluster
    """
    # Decide for each queue at which member its players meet.
    queues: dict[QueueKey, list[Offer]] = {}
    for offer in offers:
        queues.setdefault(offer.queue, []).append(offer)
    targets = {queue: meeting_place(of_queue) for queue, of_queue in queues.items()}
    # Move a player of this member to each of these members. One at a time: the target may change then.
    for offer in offers:
        if offer.home != cluster.epoch or not offer.movable:
            continue
        target = targets.get(offer.queue)
        waiting = cluster.waiting.get(offer.key)
        # The player may have left the queue since the offers were read, and the other member may have ended.
        if target is None or target == cluster.epoch or cluster.member(target) is None or waiting is None:
            continue
        session = waiting[0]
        if give_away(cluster, session, target, partial(_wait_again, cluster, session)):
            # Until the next report of offers, no other player of this queue is moved.
            del targets[offer.queue]


def gather_at_tables(cluster: Cluster) -> None:
    """Moves players that wait alone at tables to the oldest fitting tables of other members."""
    # The open tables of the other members, by their kind.
    shown: dict[object, list[OpenTable]] = {}
    for one in (one for page in cluster.pages for one in page.tables):
        shown.setdefault(_kind(one), []).append(one.table)
    tables = cluster.lobby.waiting_tables
    for session in tables.connected() if shown else ():
        player, own = session.player, tables.alone(session)
        # The player has company at its table, or is at a wire on which players do not seek tables.
        if own is None or not isinstance(player, SeekingConversation):
            continue
        # Only older tables, so that two players do not go to each other's tables.
        older = (one for one in shown.get(_kind(own), ()) if one.table < own.table.table and player.takes_seat(one))
        if (oldest := min(older, key=attrgetter("table"), default=None)) is not None:
            # An owner for the claim, which `_go_to_table` drops.
            asking = object()
            found = partial(_go_to_table, cluster, session, own.table.table, asking)
            cluster.claim_again(asking, place_of(oldest.table), found)


def _kind(waiting: WaitingTable) -> object:
    """Returns a value that is equal for tables with the same game, pool, seats and settings."""
    return waiting.game, waiting.pool, waiting.table.seats, frozenset(waiting.table.settings.items())


def _go_to_table(cluster: Cluster, session: Session, table: TableId, asking: object, home: int | None) -> None:
    """
    Moves a player to the member with another table, if the player still waits alone at its own table.

    :param table: the player's own table
    :param home: the member with the other table; `None`: not known
    """
    cluster.drop_claim(asking)
    own = cluster.lobby.waiting_tables.alone(session)
    if home not in (None, cluster.epoch) and own is not None and own.table.table == table:
        give_away(cluster, session, home, partial(_wait_again, cluster, session))


def adopt(cluster: Cluster, connection: WireProtocol[Any], record: SeatRecord, parcel: str) -> None:
    """
    Logs in a player that another member has passed on. The name is claimed first, because it may have another home by now.

    :param parcel: the state of the player's conversation
    """
    connection.input.pause(_CLAIM)
    cluster.claim_again(connection, key_of(record.name), partial(_adopted, cluster, connection, record, parcel))


def free_name(cluster: Cluster, record: SeatRecord) -> None:
    """
    Makes the name of a player free. Another member has passed the player on to this one, and the client has disconnected
    meanwhile, which only this member knows. To claim the name and to drop the claim at once makes it free.
    """
    nobody = object()
    cluster.claim_again(nobody, key_of(record.name), lambda home: cluster.drop_claim(nobody))


def _adopted(
    cluster: Cluster, connection: WireProtocol[Any], record: SeatRecord, parcel: str, home: int | None
) -> None:
    """Called with the home of a player that comes from another member. Logs the player in, if the home is this member."""
    if connection.closing:
        return
    registry, player = cluster.lobby.registry, connection.conversation
    with cluster.cork:
        # Another member has the name by now, this host stops, or the player is here already.
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
    Begins to give a player without a seat, with its name and connection, to another member. If the move cannot begin,
    nothing has changed.

    :param home: the number of the other member
    :param stay: called if the move fails, and the player is still here
    :param asking: the input with the message that needs the other member; `None`: the player only waits for an opponent
    :returns: whether the move has begun. `False`: the player cannot be moved, and remains here
    """
    # Find out whether the player can be moved.
    player: Any = session.player
    # Only a player with a connection of its own can be moved, and only if no earlier move is under way.
    connection = getattr(player, "peer", None)
    if not isinstance(connection, WireProtocol) or connection.closing or session.key in cluster.leaving:
        return False
    claiming = connection.input
    if not isinstance(claiming, ClaimingInput) or not claiming.can_be_passed_on(asking):
        return False
    parcel = player.parcel()
    if parcel is None:
        return False
    # Stop reading, and ask the registry to give the name to the other member.
    cluster.leaving.add(session.key)
    claiming.pause(_CLAIM)
    cluster.lobby.withdraw(session)
    given_away = partial(_given_away, cluster, session, connection, home=home, parcel=parcel, stay=stay)
    cluster.registry.transfer(session.key, home, given_away)
    return True


def _wait_again(cluster: Cluster, session: Session) -> None:
    """Called if a waiting player could not be given to another member: the player waits here again."""
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
    """
    Called when the registry has given a player's name to another member, or could not. Passes the connection on.

    :param done: whether the other member has the name now
    :param stay: called if it does not have the name, and the player is still here
    """
    cluster.leaving.discard(session.key)
    conversation: Any = connection.conversation
    # Whether the player is still here, with its connection.
    here = not connection.closing and session.player is conversation
    # The registry could not change the home of the name: it remains here.
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
