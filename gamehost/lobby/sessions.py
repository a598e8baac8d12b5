"""
Sessions: the players by name, and who may take a reserved seat back after a lost connection.

A session lasts from a log-in until its name is free again. If a player with a seat in a match disconnects, its session
remains: the player is away. A name has at most one session. The players of a sleeping table have no sessions, but their
names are reserved. They get sessions again when one of them comes back.

To take a seat back, the owner of an account logs in with the password. A guest may give a key at the first log-in, as
`NAME:KEY`, and later shows the same key. A guest without a key must come from the same address. It must also wait for
some time after the connection was lost, and no other player of the match may have this address. All these addresses are
in the match's record, so the answer is the same before and after a restart of the host.
"""

import hmac
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from attrs import define, field, frozen

from gamehost.accounts.names import LookAlikes, Name, NameFault, NameRefused, check_new_name, key_of, name_of
from gamehost.games.base import Game, Seat
from gamehost.journal.records import HOUSE_ADDRESS, SeatRecord, TableId
from gamehost.lobby.membership import Membership
from gamehost.lobby.sleeping import Place, SleepingIndex, SleepingTable
from gamehost.rates import is_loopback, rate_limit_key, same_address
from gamehost.settings import Settings
from gamehost.tables.context import Phase

if TYPE_CHECKING:
    from gamehost.tables.interfaces import Player
    from gamehost.tables.table import Table


@frozen
class Queue:
    """
    The name of a queue of waiting players. The queue is for one game on all wires, or for one game of a wire with its own pool.
    """

    game: Game[Any, Any]
    #: The name of a wire with players that meet only each other; empty: the queue is for all other wires.
    pool: str = ""
    #: Settings that every match with a player of this queue has. They replace other values.
    required: Settings = field(factory=dict, eq=False)

    @property
    def key(self) -> tuple[str, str]:
        return (self.game.name, self.pool)


#: The most characters of a guest's key.
LONGEST_KEY = 64
#: The prefix of the digest of a key that the host has made.
ISSUED = "~"


@frozen
class IssuedKey:
    """
    A random key that the host has made for a guest, too long to be guessed. A client need not use it: without the key, a
    guest can still take its seat back where `ResumePolicy` allows this.
    """

    text: str = field(repr=False)
    #: Whether the client has shown the key; otherwise the client gets it with this log-in.
    shown: bool

    @property
    def digest(self) -> str:
        return ISSUED + sha256(self.text.encode("utf-8")).hexdigest()


def split_key(text: str) -> tuple[str, str]:
    """
    Split a text such as `NAME:KEY` or `NAME`.

    :returns: the name, and the SHA-256 of the key in hex; empty: there is no colon and no key
    :raises NameRefused: nothing follows the colon, or something that cannot be a key
    """
    name, colon, key = text.partition(":")
    if not colon:
        return name, ""
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise NameRefused(NameFault.INVALID, f"a key, behind the colon of NAME:KEY, has 1 to {LONGEST_KEY} characters")
    return name, sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class SessionIndex:
    """Sessions by the keys of their names, at most one for each key, and by the last addresses of their players."""

    def __init__(self) -> None:
        """Begin without sessions."""
        #: The sessions, by the keys of their names.
        self.by_key: dict[str, Session] = {}
        #: The names, to find those that look like another one.
        self.looks = LookAlikes()
        #: The sessions, by the `rate_limit_key` of their players' last addresses.
        self._by_address: dict[str, set[Session]] = {}

    def __len__(self) -> int:
        return len(self.by_key)

    def add(self, session: "Session") -> "Session":
        """Add a session, and return it. It replaces a session with the same name."""
        replaced = self.by_key.get(session.key)
        if replaced is not None:
            self.remove(replaced)
        self.by_key[session.key] = session
        self.looks.add(session.identity)
        self._by_address.setdefault(rate_limit_key(session.address), set()).add(session)
        return session

    def remove(self, session: "Session") -> None:
        """Remove a session, if it is in the index."""
        if self.by_key.get(session.key) is session:
            del self.by_key[session.key]
            self.looks.remove(session.identity)
            self._leave_address(session)

    def move(self, session: "Session", address: str) -> None:
        """Note the new address of a session's player after a log-in from another address."""
        self._leave_address(session)
        session.address = address
        self._by_address.setdefault(rate_limit_key(address), set()).add(session)

    def seats_at(self, address: str) -> int:
        """How many players with this `rate_limit_key` as their last address have a seat in a match."""
        return sum(session.table_id is not None for session in self._by_address.get(address, ()))

    def _leave_address(self, session: "Session") -> None:
        """Remove a session from the index by address."""
        address = rate_limit_key(session.address)
        there = self._by_address[address]
        there.discard(session)
        if not there:  # an empty set would remain for ever
            del self._by_address[address]


#: The message to a client at an address with too many refused log-ins. It does not reveal which names belong to
#: accounts or which keys are wrong.
TOO_MANY_TRIED = "too many names or keys were tried from your address: try again later"


class ResumePolicy(Enum):
    """
    The addresses from which a guest without a key may take back a lost seat. A guest with a key may come from any address,
    except with `NEVER`.
    """

    SAME_ADDRESS = "same-address"
    ANY = "any"
    NEVER = "never"


@define(eq=False)
class Session:
    """A player that has logged in under a name: its name and account, its seat, and its connection, which receives events."""

    #: The name, spelled as at the first log-in; for an account, as in the account.
    identity: Name
    #: The name of the wire. A seat can be taken back only on the same wire.
    wire: str
    address: str
    #: Whether this is the session of an account, with a proved log-in.
    account: bool
    #: The connected player that receives events; `None`: the player is away.
    player: "Player[Any, Any] | None"
    table: "Table[Any, Any] | None" = None
    seat: Seat | None = None
    #: The SHA-256 of a guest's key, in hex; empty: the guest has none.
    key_digest: str = field(default="", repr=False)
    #: When the player disconnected, in seconds of the reactor.
    away_since: float = -math.inf
    #: All sessions of the current match, this one included.
    match: "Sequence[Session]" = field(default=(), repr=False)
    #: The table of its current match, or else of its last match; `None`: it has had no match.
    last_table: TableId | None = None
    #: The table of the seat while that table is not in memory.
    asleep: TableId | None = None
    #: The connected player that gets the seat when that table has been loaded.
    resuming: "Player[Any, Any] | None" = None
    #: Whether that table cannot continue because of a fault, and the player was not informed yet.
    suspended: bool = False
    #: The player's seat in a match that ended while the player was away. The player must still receive that end.
    missed: Place | None = None
    #: `Queue.required` of the queue in which the player waits.
    required: Mapping[str, str] = field(factory=dict, repr=False)
    #: A note that the wire stores with the seat, in the record of the next match. Two players that each have a `number`
    #: do not meet in a queue, because a match has only one number.
    note: str = field(default="", repr=False)
    #: The number that the table of the next match must have; `None`: any.
    number: TableId | None = None
    #: Whether a waiting player without a wish gets the second seat, if the opponent has no wish either.
    second: bool = False
    #: The text and the key of `identity`, computed once.
    name: str = field(init=False)
    key: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.name, self.key = self.identity.text, self.identity.key

    @classmethod
    def of(cls, record: SeatRecord, player: "Player[Any, Any] | None") -> "Session":
        """A session for the player that an entry in a match's record describes."""
        return cls(
            name_of(record.name, record.shown),
            record.wire,
            record.address,
            account=record.account,
            player=player,
            key_digest=record.key_digest,
        )

    @property
    def table_id(self) -> TableId | None:
        """The number of the table at which this player has a seat, in memory or not; `None`: it has no seat."""
        return self.asleep if self.table is None else self.table.id

    @property
    def record(self) -> SeatRecord:
        """The entry that describes this player in a match's record."""
        return SeatRecord(
            self.name,
            self.wire,
            self.address,
            account=self.account,
            key_digest=self.key_digest,
            shown=self.identity.shown,
        )

    def plays(self, record: SeatRecord) -> bool:
        """Whether an entry in a match's record means this player, and not another one with the same name."""
        same = key_of(record.name) == self.key and record.account == self.account
        # The owner of an account has proved that it is the owner. A guest is identified by its key.
        return same and (self.account or record.key_digest == self.key_digest)

    @property
    def shown(self) -> str:
        """The display name."""
        return self.identity.shown or self.name

    @property
    def house(self) -> bool:
        return self.address == HOUSE_ADDRESS


@define(eq=False)
class Waking:
    """A table that is being loaded, and the sessions of its players."""

    table: SleepingTable
    #: In the order of the seats; `None`: this seat was given up.
    sessions: list[Session | None]
    #: Seats that were given up meanwhile.
    given_up: list[Seat] = field(factory=list)
    #: Whether the loading has begun.
    loading: bool = False


class ForAccounts(TypedDict):
    """The parameters of a `LoginService` that ask the sessions."""

    is_seated: Callable[[str], bool]
    looks_taken: Callable[[Name], bool]
    registered: Callable[[Name], None]


@define(eq=False)
class SessionRegistry:
    """
    All sessions of a host, by name. Decides which log-in gets which session.

    :param resume: the addresses from which guests without a key may take their seats back
    :param reserved: returns whether the name with this key belongs to an account
    :param seconds: returns the time of the reactor's clock
    :param keyless_wait: the setting `limits.keyless_resume_seconds`
    :param account_looks: the names of all accounts, to find those that look like another one
    :param membership: is informed of the names that are in use here, for other hosts of a cluster
    """

    resume: ResumePolicy
    _reserved: Callable[[str], bool] = lambda key: False
    _seconds: Callable[[], float] = lambda: 0.0
    keyless_wait: float = 0.0
    account_looks: LookAlikes = field(factory=LookAlikes)
    membership: Membership = field(factory=Membership)
    sessions: SessionIndex = field(factory=SessionIndex)
    #: The sleeping tables. Their players have no sessions.
    sleeping: SleepingIndex = field(factory=SleepingIndex)
    #: The finished tables with players that were away at the end, and receive it later. Other players can take their
    #: names.
    ended: SleepingIndex = field(factory=SleepingIndex)
    #: The tables that are being loaded.
    waking: dict[TableId, Waking] = field(factory=dict)
    #: Takes the key of a name. Returns the player for whom an open table or a slow match reserves this name, or `None`.
    waits: Callable[[str], SeatRecord | None] = field(init=False, default=lambda key: None)
    #: When the ports were opened, in seconds of the reactor.
    _open_since: float = -math.inf

    def __len__(self) -> int:
        """The number of names that are in use."""
        return len(self.sessions) + self.sleeping.names

    def ports_open(self) -> None:
        """
        Count the time for which absent players are away from now on, because they could not log in before.
        """
        self._open_since = self._seconds()

    def get(self, name: str) -> Session | None:
        """The session under a name, as `find` returns it for the name's key."""
        return self.find(key_of(name))

    def present(self) -> Iterator[Session]:
        return (session for session in self.sessions.by_key.values() if session.player is not None)

    def find(self, key: str) -> Session | None:
        """
        The session under the key of a name. If the name is only reserved, for a seat at a sleeping table or an open one, the
        result is a new session of an absent player, which is not added to `sessions`.

        :returns: `None`: the name is free
        """
        held = self.sessions.by_key.get(key)
        if held is None and (place := self.sleeping.find(key)) is not None:
            return _session_of(place)
        if held is None and (record := self.waits(key)) is not None:
            return Session.of(record, None)
        return held

    def wake(self, table: TableId) -> Waking:
        """
        Remove a table from the index of sleeping tables, because it is about to be loaded, and make sessions for its
        players. All of them are away.

        :raises KeyError: this table does not sleep
        """
        sleeping = self.sleeping.remove(table)
        sessions = [None if place is None else _session_of(place) for place in sleeping.places]  # `None`: given up
        match = [session for session in sessions if session is not None]
        for session in match:
            session.match = match
            self.sessions.add(session)
        waking = self.waking[table] = Waking(sleeping, sessions)
        return waking

    def woken(self, waking: Waking) -> Sequence[Session]:
        """
        End the loading of a table, which has succeeded or failed: its players do not wait for it any more.

        :returns: the sessions of its players
        """
        del self.waking[waking.table.table]
        sessions = [session for session in waking.sessions if session is not None]
        for session in sessions:
            session.asleep = None
        return sessions

    def is_closing(self, held: Session) -> bool:
        """Whether the match of a player is being archived, so that its end is not durable yet."""
        if held.table is not None:
            return held.table.phase is Phase.CLOSING
        return held.asleep in self.sleeping.ending

    def _unless_closing(self, held: Session | None) -> Session | None:
        """
        Return the session, unless its match is being archived: no player may receive the end of a match before the end
        is durable.

        :raises NameRefused: this player's match is being archived
        """
        if held is not None and self.is_closing(held):
            raise NameRefused(NameFault.BUSY, "your last match is being closed: log in again in a moment")
        return held

    def _resume_session(self, held: Session, address: str, player: "Player[Any, Any]") -> Session:
        """
        Connect a player with the session that `find` has returned for it. A session that was not stored is stored now; if
        its table sleeps, all players of the table get sessions.
        """
        # The name was reserved for a seat at a sleeping table: take its new session instead of `held`.
        if held.asleep is not None and self.sessions.by_key.get(held.key) is not held:
            assert held.seat is not None
            session = self.wake(held.asleep).sessions[held.seat]
            assert session is not None
            held = session
        # The name was reserved for a place at an open table, or for a slow match.
        elif held.player is None and self.sessions.by_key.get(held.key) is not held:
            self.sessions.add(held)
        held.player = player
        self.sessions.move(held, address)
        return held

    def enter(
        self,
        name: Name,
        key_digest: str,
        wire: str,
        address: str,
        player: "Player[Any, Any]",
        strict: bool = False,
        issued: IssuedKey | None = None,
        given: bool = False,
        may_try: Callable[[], bool] = lambda: True,
    ) -> "tuple[Session, Player[Any, Any] | None]":
        """
        Log a guest in: make a new session, or give back the one that the guest had before.

        :param key_digest: of the key that the guest has given, from `split_key`; empty: it has given none
        :param strict: whether the wire has no keys, so that only the address decides who takes a seat back
        :param issued: a key that the host has made for the guest, now or at an earlier log-in. The key is used only if the
            session is new, or had the same key before
        :param given: whether the host has chosen the name, and not the guest
        :param may_try: called for a name that no guest has: returns whether this address may still try such names. So
            nobody can find out the names of many accounts
        :returns: the session, and the player that had the session until now; the caller must inform this player
        :raises NameRefused: the name cannot be used, or belongs to another player
        """
        key_digest = key_digest if issued is None else issued.digest
        reserved = self._reserved(name.key)
        held = None if reserved else self._unless_closing(self.find(name.key))
        # Before the answer about accounts, so that it does not depend on whether an account has the name.
        if held is None and not may_try():
            raise NameRefused(NameFault.TAKEN, TOO_MANY_TRIED)
        if reserved:
            raise NameRefused(NameFault.TAKEN, "this name belongs to an account", reveals=True)
        if held is None:
            self._check_looks(name, given)
            return self.sessions.add(Session(name, wire, address, False, player, key_digest=key_digest)), None
        self._check_owner(held, wire, address, key_digest, strict, issued)
        displaced = held.player
        # The first key remains valid: it is in the record of the match, so it is valid after a restart as well.
        return self._resume_session(held, address, player), displaced

    def _check_owner(
        self, held: Session, wire: str, address: str, key_digest: str, strict: bool, issued: IssuedKey | None
    ) -> None:
        """
        Check that a guest may take over the existing session under its name. See `enter` for the parameters.

        :raises NameRefused: the session belongs to another player, or the guest has not proved that it does not
        """
        proved = bool(held.key_digest) and hmac.compare_digest(held.key_digest, key_digest)
        wrong_key = bool(held.key_digest and key_digest) and not proved
        from_there = issued is not None or same_address(held.address, address)
        # The player is still connected, so only the right key replaces it. A guest may have chosen an easy key: it must
        # also come from the same address. A key from the host cannot be guessed.
        if held.player is not None and not (proved and from_there and held.wire == wire):
            raise NameRefused(NameFault.TAKEN, "this name is in use", reveals=wrong_key)
        if held.player is None:
            # A private open table or a slow match waits longer than an address proves anything: only the key counts.
            if not proved and self.waits(held.key) is not None:
                reason = "a table or a match is kept under this name: show its key, or take another name"
                raise NameRefused(NameFault.TAKEN, reason, reveals=wrong_key)
            # The client has shown a key from the host, and it is a wrong one.
            if issued is not None and issued.shown and not proved:
                reason = "a seat is kept under this name, and this is not its key"
                raise NameRefused(NameFault.TAKEN, reason, reveals=True)
            # The right key from the host is enough. Everything else depends on the policy of the host.
            if not (proved and issued is not None):
                self._check_resume(held, address, proved, strict, guessed=wrong_key)
        if held.wire != wire:
            raise _kept_elsewhere(held)

    def _check_resume(self, held: Session, address: str, proved: bool, strict: bool, guessed: bool) -> None:
        """
        Check that a guest may take back the seat of an absent player.

        :param proved: whether the guest has shown the right key
        :param strict: whether the wire has no keys
        :param guessed: whether the guest has shown a wrong key
        :raises NameRefused: this guest may not take the seat back, or not yet
        """
        if held.account or held.house or self.resume is ResumePolicy.NEVER:
            raise NameRefused(NameFault.TAKEN, "a seat is kept under this name, and cannot be taken back from here")
        if proved:
            return
        # The guest has chosen a key at its first log-in, and has to show it now. A key from the host is no such duty.
        if held.key_digest and not held.key_digest.startswith(ISSUED):
            raise NameRefused(
                NameFault.TAKEN, "a seat is kept under this name; log in with the key, as NAME:KEY", reveals=guessed
            )
        addresses = self._addresses_of(held)  # from the match's record
        if self.resume is ResumePolicy.SAME_ADDRESS and not same_address(addresses[held.seat or 0], address):
            raise NameRefused(NameFault.TAKEN, "a seat is kept under this name, and cannot be taken back from here")
        # A client at a Unix socket may be a proxy for many, so its address proves nothing.
        if strict or not self.keyless_wait or (address and is_loopback(address)):
            return
        if _is_of_another(address, addresses, held.seat):
            raise NameRefused(
                NameFault.TAKEN, "a seat is kept under this name; another player of the match has the same address"
            )
        # A guest without a key must wait, so that the owner of the seat can come back first.
        wait = max(held.away_since, self._open_since) + self.keyless_wait - self._seconds()
        if wait > 0:
            left = math.ceil(wait)
            reason = f"a seat is kept under this name; try again in {left} s, or use a key"
            raise NameRefused(NameFault.TAKEN, reason, wait=left)

    def has_missed(self, session: Session, place: Place) -> bool:
        """Whether a player that has just logged in is the one that had a seat in a match that has ended."""
        one, other = session, place.player
        if one.wire != other.wire or one.account != other.account:
            return False
        # A guest that has chosen a key must show it. Accounts have no such key, so both digests are empty.
        if one.account or (other.key_digest and not other.key_digest.startswith(ISSUED)):
            return one.key_digest == other.key_digest
        return self.resume is ResumePolicy.ANY or same_address(other.address, one.address)

    def comes_back(self, session: Session) -> bool:
        """
        Whether a player could take its seat back after a lost connection: with its account, with a key, or only with the
        same name and address.
        """
        if session.account or session.key_digest:
            return True
        if self.resume is ResumePolicy.NEVER:
            return False
        # Without a key, nobody takes a seat back that another player of the match could claim with the same address.
        addresses = self._addresses_of(session)
        return not self.keyless_wait or not _is_of_another(session.address, addresses, session.seat)

    def _addresses_of(self, held: Session) -> Sequence[str]:
        """The addresses of the players of a session's match at its beginning, in the order of the seats."""
        if held.table is not None:
            return held.table.addresses
        if held.asleep is None:
            return (held.address,)
        waking = self.waking.get(held.asleep)
        return (self.sleeping.table(held.asleep) if waking is None else waking.table).addresses

    def enter_house(self, name: Name, wire: str) -> Session:
        """Make a session of a house player, under a name that is free."""
        return self.sessions.add(Session(name, wire, HOUSE_ADDRESS, False, None))

    def enter_account(
        self, name: Name, wire: str, address: str, player: "Player[Any, Any]"
    ) -> "tuple[Session, Player[Any, Any] | None]":
        """
        Log an account in, after its password was checked.

        :returns: the session, and the player that had the session until now; the caller must inform this player
        :raises NameRefused: a guest has the name, or the account is in use on another wire or at another host
        """
        held = self._unless_closing(self.find(name.key))
        if held is None:
            self._check_here(name.key)  # the account may be in use at another host of the cluster
            return self.sessions.add(Session(name, wire, address, True, player)), None
        if not held.account:
            raise NameRefused(NameFault.TAKEN, "this name is in use")
        if held.wire != wire:
            if held.player is not None:
                raise NameRefused(NameFault.TAKEN, f"this account is in use on another wire, {held.wire}")
            if held.seat is not None or self.waits(held.key) is None:
                raise _kept_elsewhere(held)
            # The player only waits at an open table, or has slow matches: it may continue on any wire.
            held.wire = wire
        displaced = held.player
        return self._resume_session(held, address, player), displaced

    def adopt(self, record: SeatRecord, player: "Player[Any, Any]") -> Session:
        """Make a session of a player that has logged in at another host of the cluster. Its name is not in use here."""
        return self.sessions.add(Session.of(record, player))

    def _check_here(self, key: str) -> None:
        """
        Check that a name is not in use at another host of the cluster.

        :raises NameRefused: another host is the home of the name
        """
        if self.membership.is_elsewhere(key):
            raise NameRefused(NameFault.TAKEN, "this name is in use")

    def _check_looks(self, name: Name, given: bool) -> None:
        """
        Check that a new guest may have a name.

        :param given: whether the host has chosen the name, which may then be of a kind that guests cannot choose
        :raises NameRefused: the name is not allowed, is in use at another host, or looks like another name
        """
        if not given:
            check_new_name(name)
        self._check_here(name.key)
        if self.looks_taken(name):
            of_account = self.account_looks.match(name, self._reserved)
            reason = "this name looks like another one that is in use"
            raise NameRefused(NameFault.TAKEN, reason, reveals=of_account)

    def looks_taken(self, name: Name) -> bool:
        """Whether a name looks like another name that is in use or belongs to an account."""

        def in_use(key: str) -> bool:
            return self._reserved(key) or self.find(key) is not None

        return self.sessions.looks.match(name, in_use) or self.account_looks.match(name, in_use)

    def for_accounts(self) -> ForAccounts:
        """The parameters of a `LoginService` that ask these sessions."""
        return {"is_seated": self.has_seat, "looks_taken": self.looks_taken, "registered": self.account_looks.add}

    def is_reserved(self, key: str) -> bool:
        """Whether the name with this key belongs to an account."""
        return self._reserved(key)

    def is_guest(self, key: str) -> bool:
        """Whether a guest uses the name with this key, or a seat is reserved for a guest under it."""
        return (held := self.find(key)) is not None and not held.account

    def has_seat(self, key: str) -> bool:
        """Whether the player under the name with this key, connected or away, has a seat in a match."""
        return (held := self.find(key)) is not None and held.table_id is not None

    def seats_at(self, address: str) -> int:
        """
        How many seats in matches belong to players from one address, connected or away.

        :param address: a `rate_limit_key`; it is compared with the last address of each player
        """
        return self.sessions.seats_at(address) + self.sleeping.tables_of(address)

    def forget(self, session: Session) -> None:
        self.sessions.remove(session)
        self.membership.freed(session.key)


def _is_of_another(address: str, addresses: Sequence[str], seat: Seat | None) -> bool:
    """
    Whether another player of a match has the address of a client that wants to take back a seat. If so, the client may be
    that other player.

    This machine's own address does not count, because many clients behind one proxy may share it.

    :param addresses: of the players in the match's record
    :param seat: that the client wants to take back
    """
    others = (rate_limit_key(other) for number, other in enumerate(addresses) if number != seat)
    return not is_loopback(address) and rate_limit_key(address) in others


def _session_of(place: Place) -> Session:
    """A session for the absent player of a seat at a sleeping table."""
    session = Session.of(place.player, None)
    session.asleep, session.seat, session.away_since = place.table, place.seat, place.away_since
    return session


def _kept_elsewhere(held: Session) -> NameRefused:
    """The refusal for the owner of a seat that logs in on another wire."""
    return NameRefused(NameFault.TAKEN, "this name is in use", held if held.seat is not None else None)


class Contestant(Protocol):
    """A connected player of a championship. The conversations of the wires with championships provide it."""

    session: Session | None

    def champions(self, standing: Sequence[tuple[str, int, int]]) -> None:
        """
        Send the final standing of the championship to the client.

        :param standing: each player's name with the numbers of games won and lost, the best player first
        """
