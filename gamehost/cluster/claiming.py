"""
How a log-in finds the home of its name: the claim, the search for a home, and a player who moves there.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, evolve, field, frozen

from gamehost.accounts.names import key_of
from gamehost.journal.records import SeatRecord
from gamehost.lobby.sessions import Session
from gamehost.net.connection import WireProtocol
from gamehost.net.deadlines import Deadline
from gamehost.net.input import Input, PauseReason
from gamehost.storage.names import Member, Offer, QueueKey, meeting_place
from gamehost.wires.base import Codec, Numbered
from gamehost.wires.conversation import BaseConversation, Conversation
from gamehost.wires.framing import BLANK, WireError

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster


#: Bytes of the line, with its end.
LONGEST = 4_096
#: How often a connection is passed on at most: a name can get another home on the way.
MOST_HOPS = 3
#: The name under which the pages for browsers are passed on. No wire has it.
WEB = "web"


@frozen
class Preamble:
    """What is told."""

    #: Of the life that is meant, so that nobody else can pass connections on.
    token: str = field(repr=False)
    #: The wire by its name, or `WEB`.
    wire: str
    #: The client's address, without its port.
    address: str
    #: Whether the client's connection is encrypted.
    tls: bool = False
    #: How many of the messages that follow the first member has handled already.
    skip: int = 0
    #: Where the codec numbers what it writes: the number of the next message.
    sequence: int = 0
    #: How often the connection was passed on, this time included.
    hops: int = 1
    #: Who waits for an opponent on this connection, and was told so; `None`: the client has not logged in.
    adopt: SeatRecord | None = field(default=None, repr=False)
    #: Whether that connection is lost already: the name is to be free.
    lost: bool = False

    def line(self) -> bytes:
        """The line, with its end."""
        return json.dumps(asdict(self), separators=(",", ":")).encode("ascii") + b"\n"


def read_preamble(line: bytes) -> Preamble:
    """
    Read a line, without its end.

    :raises WireError: this is no preamble
    """
    try:
        facts: Any = json.loads(line)
        adopt = facts.pop("adopt", None)
        read = Preamble(**facts, adopt=None if adopt is None else SeatRecord(**adopt))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise WireError("no preamble") from None
    texts = [read.token, read.wire, read.address]
    numbers = [read.skip, read.sequence, read.hops]
    if read.adopt is not None:
        texts += [read.adopt.name, read.adopt.wire, read.adopt.address, read.adopt.key_digest]
    if (
        any(type(text) is not str for text in texts)
        or not read.token.isascii()
        or any(type(number) is not int or number < 0 for number in numbers)
        or type(read.tls) is not bool
        or type(read.lost) is not bool
        or (read.adopt is not None and type(read.adopt.account) is not bool)
    ):
        raise WireError("no preamble")
    return read


@define(eq=False)
class HomeSearch:
    """
    Where a connection is to go that is passed on because of a name. If its home ends meanwhile, the name is claimed again.

    :param home: the member that is the home now
    """

    _cluster: "Cluster"
    _key: str
    _home: int
    _asked: bool = False

    def find(self) -> Member | bool | None:
        """As of `Relay`."""
        if self._home == self._cluster.epoch:
            return False
        found = self._cluster.member(self._home)
        if found is None and not self._asked:
            self._asked = True
            self._cluster.claim_again(self, self._key, self._answered)
        return found

    def end(self) -> None:
        """The connection is with another member, or with this one, or has ended: nobody needs the name here for it."""
        self._cluster.drop_claim(self)

    def _answered(self, home: int | None) -> None:
        self._asked = False
        self._home = home or self._home


_CLAIM = PauseReason.CLAIM

#: The most bytes that are kept of a client that never pauses between two messages.
MOST_KEPT = 65_536

BUSY = "the host is busy: try again in a moment"


class ClaimingInput(Input[Any]):
    """
    What one connection receives.

    :param cluster: who knows where names are
    """

    __slots__ = ("_behind", "_claimed", "_cluster", "_handled", "_kept", "_spreads", "_to_skip", "_told", "hops")

    def __init__(
        self, cluster: "Cluster", connection: "WireProtocol[Any]", codec: Codec[Any], conversation: Conversation[Any]
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
        #: The log-in that waits to be heard.
        self._claimed: Any = None
        #: What comes behind it.
        self._behind: Iterator[Any] | None = None
        self._told = conversation
        if isinstance(conversation, BaseConversation):
            this: Any = self
            self._conversation = this  # messages come here first

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
        """Have the conversation hear a message, now or when it is known that this is the place."""
        if message is BLANK:
            # Who has handled how many messages counts those that mean something.
            if not self._to_skip:
                self._told.hear(message)
            return
        if self._to_skip:
            self._to_skip -= 1
            self._handled += 1
            return
        conversation: Any = self._told
        claim = conversation.claim(message)
        if claim is None or self._cluster.is_here(self._connection, claim):
            self._handled += 1
            conversation.hear(message)
            return
        self._claimed = message
        # What comes behind it is decoded when this was heard: it may be the fault that ends the connection.
        self._behind, self._messages = self._messages, None
        self._connection.deadlines.cancel(Deadline.MESSAGE)
        self.pause(_CLAIM)
        self._cluster.claim(self._connection, claim, self.hops, self._answered)

    def _answered(self, home: int | None) -> None:
        """It is known which member is the home of the name; `None`: it is not."""
        message, self._claimed = self._claimed, None
        connection = self._connection
        if message is None or connection.closing:
            return
        elsewhere = home != self._cluster.epoch
        with self._context.cork:
            if home is None or (elsewhere and self._spreads and (self._kept is None or self.hops >= MOST_HOPS)):
                connection.close_with(BUSY)
            elif elsewhere and self._spreads:
                self._cluster.pass_on(connection, home, self)
            else:
                self._hear_now(message)

    def _hear_now(self, message: Any) -> None:
        self._handled += 1
        self._messages, self._behind = self._behind, None
        try:
            self._told.hear(message)
        except Exception as error:
            self._failed(error)
            return
        self.paused.discard(_CLAIM)
        if not self._connection.closing:
            self.go_on()  # if there is another reason to pause, this waits for its end

    @property
    def can_be_passed_on(self) -> bool:
        """Whether another member can go on with what has come."""
        return self._spreads and self._kept is not None and self._claimed is None

    def wire_error(self, error: WireError) -> None:
        """Have the conversation say that the client sent what cannot be understood."""
        self._told.wire_error(error)

    def as_it_stands(self, preamble: Preamble) -> tuple[Preamble, bytes]:
        """What another member must know to go on, and the bytes that it reads first."""
        sequence = self._codec.sequence if isinstance(self._codec, Numbered) else 0
        return evolve(preamble, skip=self._handled, sequence=sequence), bytes(self._kept or b"")


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
