"""
Notices for absent players, for example that it is their turn, that a seat was taken, or that a match is over.

`ListedMatches` makes notices from the changes in the players' lists of own matches, and `Notices` passes them to
notifiers. A notifier sends them, for example as a push to a browser or as a mail. Packages add notifiers by entry points
of the group `gamehost.notifiers`, and each notifier has options of the host. If none of these options is set, there are
no notices at all.

For each table a player receives only the newest notice. A notice about a turn waits for a minute, because most players
see the turn themselves. If the player is connected, all other notices wait for a minute, too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field, frozen
from twisted.internet.defer import Deferred, DeferredList, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import key_of
from gamehost.entries import PartUnusable
from gamehost.journal.records import OwnedMatch, OwnState, TableId
from gamehost.lobby.notifiers import NotifierKind
from gamehost.storage.durable import DurableJournal
from gamehost.storage.own import read_all_own

#: How many seconds a notice about a turn waits. It is not sent if the player sees the turn meanwhile.
TURN_AFTER = 60.0
#: A warning is sent when only a fifth of the time for a move is left.
LITTLE = 5
#: How many states of matches are stored, each for one player: enough for 100,000 matches of two.
MOST_KNOWN = 200_000
#: Warnings depend on the time of day. The host reads the time of day again after this number of seconds at the latest.
LOOK_EVERY = 600.0
#: How many notices may wait. If there are more, the oldest is sent at once.
MOST_WAITING = 10_000


class Reason(Enum):
    """The reason of a notice. A player can choose the reasons for which notices are sent, by these values."""

    TURN = "your turn"
    TIME = "little time left"
    OVER = "a match is over"
    JOINED = "somebody has taken a seat"
    OFFER = "an offer"


@frozen
class News:
    """An event at a table about which a player receives a notice."""

    table: TableId
    #: The name of the game.
    game: str
    reason: Reason
    #: The display names of the other players.
    others: Sequence[str] = ()
    #: What has happened in words, such as `ann offers a draw`; empty if the reason is enough.
    words: str = ""


@frozen
class Asker:
    """The account and the device from which a player sees or changes how it receives notices."""

    #: The account's key.
    account: str
    #: The `RememberedLogin.id` of the device; empty: the device logs in with the password.
    id: str = ""


class Notifier(Protocol):
    """
    Sends notices in one way, such as by mail, to the players that have chosen it. All functions are called in the
    reactor's thread.
    """

    def deliver(self, account: str, news: News) -> None:
        """Send news to a player, if it has chosen this way. The news replaces earlier news of the same table."""

    def seen(self, account: str, table: TableId) -> None:
        """Drop the news of a table that was not delivered yet, because the player has seen the table."""

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        """Call `told` with the settings of a device, and the values that its page needs to change them, as JSON."""

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        """
        Change how a player receives notices.

        :param asker: `None`: the client has not logged in, but the values prove its identity
        :param values: texts from an untrusted client; empty: send nothing more in this way to this device
        :param done: called with the reason why nothing is changed, or with `None` when the change is durable
        """

    def stop(self) -> Deferred[Any]:
        """Stop, because the host stops. The result fires when no notice is being sent any more."""


@frozen
class Surroundings:
    """The parts of the host that a notifier may use."""

    reactor: Any
    #: The store of the host, a `gamehost.storage.durable.DurableJournal`.
    journal: Any
    #: The prefix of the paths of the store's small files.
    beside: Path
    #: The addresses of the web pages, such as `https://games.example.org`, the main one first; empty: none is known.
    origins: Sequence[str] = ()


@define(eq=False)
class Notices:
    """
    Sends notices to absent players through all notifiers of this host, at once or after a minute.

    :param notifiers: by their names
    """

    _clock: IReactorTime
    notifiers: Mapping[str, Notifier]
    #: Whether a player is connected, by the key of the account.
    _connected: Callable[[str], bool] = lambda account: False
    #: Whether a player shows the match at a table on its screen now.
    _looks: Callable[[str, TableId], bool] = lambda account, table: False
    #: The notices that wait, by account and table: when to send each of them, and the news. The oldest is the first.
    _turns: dict[tuple[str, TableId], tuple[float, News]] = field(init=False, factory=dict)
    _timer: Timer = field(init=False, factory=Timer)

    def tell(self, account: str, news: News) -> None:
        """
        Send news of a table to an absent player, at once or later.

        :param account: the key of the player's account
        """
        self._turns.pop((account, news.table), None)  # older news of this table, if it waits
        # An absent player receives everything at once, except that it is its turn: most players see that themselves.
        if news.reason is not Reason.TURN and not self._connected(account):
            self._deliver(account, news)
            return
        self._turns[account, news.table] = self._clock.seconds() + TURN_AFTER, news
        if len(self._turns) > MOST_WAITING:
            self._tell_oldest()
        self._set_timer()

    def seen(self, account: str, table: TableId) -> None:
        """Drop the notices about a table, because the player has seen the match or has acted there."""
        self._turns.pop((account, table), None)
        for notifier in self.notifiers.values():
            notifier.seen(account, table)

    def state(self, account: str, login: str, told: Callable[[Mapping[str, Mapping[str, Any]]], None]) -> None:
        """
        Call `told` with the settings of a player at all notifiers, by the notifiers' names.

        :param account: the key of the player's account
        :param login: the id of the device, see `Asker.id`; empty: it logs in with the password
        """
        ways: dict[str, Mapping[str, Any]] = {}

        def one_told(name: str, facts: Mapping[str, Any]) -> None:
            """Store the answer of one notifier. After the last answer, pass all of them on in the notifiers' order."""
            ways[name] = facts
            if len(ways) == len(self.notifiers):
                told({known: ways[known] for known in self.notifiers})

        for name, notifier in self.notifiers.items():
            notifier.state(Asker(account, login), partial(one_told, name))

    def change(
        self, way: str, account: str | None, login: str, values: Mapping[str, str], done: Callable[[str | None], None]
    ) -> None:
        """
        Change how a player receives notices of one notifier. See `Notifier.change` for `values` and `done`.

        :param way: the name of the notifier
        :param account: the key of the account; `None`: the client has not logged in
        :param login: the id of the device, see `Asker.id`; empty: it logs in with the password
        """
        self.notifiers[way].change(None if account is None else Asker(account, login), values, done)

    def stop(self) -> Deferred[Any]:
        """Stop all notifiers and drop the notices that wait, because the host stops. Fires when this is done."""
        self._turns.clear()
        self._timer.stop()
        return DeferredList([notifier.stop() for notifier in self.notifiers.values()])

    def _set_timer(self) -> None:
        """Set the timer for the oldest notice that waits. A timer that runs already is for that notice or fires earlier."""
        if self._turns and not self._timer:
            due, _ = next(iter(self._turns.values()))
            self._timer.set(self._clock, max(0.0, due - self._clock.seconds()), self._tell_due)

    def _tell_due(self) -> None:
        """Send the notices that are due. Called by the timer."""
        now = self._clock.seconds()
        while self._turns and next(iter(self._turns.values()))[0] <= now:
            self._tell_oldest()
        self._set_timer()

    def _tell_oldest(self) -> None:
        """Send the notice that has waited longest, unless the player shows the match on its screen now."""
        (account, table), (_, news) = next(iter(self._turns.items()))
        del self._turns[account, table]
        if not self._looks(account, table):
            self._deliver(account, news)

    def _deliver(self, account: str, news: News) -> None:
        for notifier in self.notifiers.values():
            notifier.deliver(account, news)


@frozen
class _KnownMatch:
    """The state of a match for one player, as `ListedMatches` last received it."""

    state: OwnState
    #: How many seats are taken.
    players: int
    #: Whether it is the player's turn, perhaps with an offer that the player has to answer first.
    turn: bool
    #: When the player loses by time, in milliseconds since 1970; `None`: never.
    by: int | None = None
    #: When the warning about the time is due, in milliseconds since 1970; `None`: never.
    warn: int | None = None


@define(eq=False)
class ListedMatches:
    """
    Makes notices from the changes in the lists of players' own matches: compares each new entry with the earlier state.

    :param now: returns the time in milliseconds since 1970
    """

    _clock: IReactorTime
    _notices: Notices
    _now: Callable[[], int]
    #: By account and table. The state that has not changed for longest is the first.
    _standings: dict[tuple[str, TableId], _KnownMatch] = field(init=False, factory=dict)
    #: A heap of warnings about the time: when each is due, a number (equal times are compared by it), the account and the
    #: entry. Some of them belong to earlier turns and are not sent.
    _warnings: list[tuple[int, int, str, OwnedMatch]] = field(init=False, factory=list)
    _numbers: Iterator[int] = field(init=False, factory=count)
    _timer: Timer = field(init=False, factory=Timer)

    def known(self, lists: Iterable[tuple[str, OwnedMatch]]) -> None:
        """
        Take over matches that began in an earlier run. Their players have received the notices about turns, but not the
        warnings about the time.
        """
        for owner, match in lists:
            # Guests get no notices, and a state that has come meanwhile is newer.
            if _lasts(owner) and (owner, match.table) not in self._standings:
                self._note(owner, match)

    def changed(self, owner: str, match: OwnedMatch) -> None:
        """Send a notice, if it is needed, about a changed entry in the list of a player. Guests get no notices."""
        if not _lasts(owner):
            return
        before = self._standings.pop((owner, match.table), None)
        state = None if before is None else before.state  # `None`: the match is new in this list
        self._note(owner, match, before)
        if match.state == "open":
            # More players than before: somebody has joined. If nothing is known from before, the player that opened the
            # table was alone there; any other player has just joined itself.
            alone = 1 if key_of(match.names[0]) == owner else len(match.names)
            if len(match.names) > (alone if before is None else before.players):
                self._say(owner, match, Reason.JOINED, f"{match.shown[-1]} has taken a seat")
        # The player has acted, so it has seen the match. (After "open", the match has just begun.)
        elif match.state == "wait" and state != "open":
            self._notices.seen(owner, match.table)
        # The same turn with the same deadline as before.
        elif match.state == "turn" and before is not None and before.turn and before.by == match.by:
            pass  # an offer was answered or has ended
        elif match.state != state:
            self._tell(owner, match, began=state == "open")

    def learned(self, owner: str, match: OwnedMatch) -> None:
        """
        Note a changed entry without sending a notice: another member of the cluster has changed the entry and sends the notice.
        """
        if _lasts(owner):
            self._standings.pop((owner, match.table), None)  # it is added again at the end, as the newest
            if match.state != "over":
                turn = match.state == "turn" or match.turn  # `match.turn`: also during an offer
                self._standings[owner, match.table] = _KnownMatch(match.state, len(match.names), turn, match.by)
            if match.state in ("wait", "over"):
                self._notices.seen(owner, match.table)

    def _tell(self, owner: str, match: OwnedMatch, began: bool) -> None:
        """
        Send the notice about the new state of a match.

        :param began: whether the match has just begun at an open table
        """
        match match.state:
            case "over":
                self._say(owner, match, Reason.OVER, _outcome(match))
            case "offer":
                self._say(owner, match, Reason.OFFER, _offer(owner, match))
            case "turn" if not began:
                self._say(owner, match, Reason.TURN)
            # What is left: the match has just begun, and the player has the turn or waits.
            case state:
                turn = ", and it is your turn" if state == "turn" else ""
                self._say(owner, match, Reason.JOINED, f"the match has begun{turn}")

    def _say(self, owner: str, match: OwnedMatch, reason: Reason, words: str = "") -> None:
        """Send a notice about a match to the owner of a list. Empty `words`: the reason is enough."""
        others = _others(owner, match)
        self._notices.tell(owner, News(match.table, match.game, reason, others, words))

    def _note(self, owner: str, match: OwnedMatch, before: _KnownMatch | None = None) -> None:
        """Store the state of a match, and plan the warning about the time if it is the player's turn."""
        if match.state == "over":
            return
        warn = None
        turn = match.state == "turn" or match.turn  # `match.turn`: also during an offer
        if turn and match.by is not None:
            if before is not None and before.warn is not None and before.by == match.by:
                warn = before.warn  # the same turn: its warning is planned already
            else:
                # The moment when one fifth of the time from now to the deadline is left.
                warn = match.by - max(0, match.by - self._now()) // LITTLE
                heappush(self._warnings, (warn, next(self._numbers), owner, match))
                self._set_timer()
        self._standings[owner, match.table] = _KnownMatch(match.state, len(match.names), turn, match.by, warn)
        # Keep both collections small: remove warnings of earlier turns, and the oldest states.
        if len(self._warnings) > 2 * len(self._standings) + 1000:
            self._warnings = [one for one in self._warnings if self._counts(one)]
            heapify(self._warnings)
        while len(self._standings) > MOST_KNOWN:
            del self._standings[next(iter(self._standings))]

    def _set_timer(self) -> None:
        """
        Set the timer for the next warning. It runs for `LOOK_EVERY` at most, because the time of day may be corrected
        meanwhile.
        """
        if self._warnings:
            wait = (self._warnings[0][0] - self._now()) / 1000
            self._timer.set(self._clock, min(max(0.0, wait), LOOK_EVERY), self._warn)

    def _warn(self) -> None:
        """Send the warnings about the time that are due. Called by the timer."""
        while self._warnings and self._warnings[0][0] <= self._now():  # the time of the earliest warning has come
            warning = heappop(self._warnings)
            if self._counts(warning):
                _, _, owner, match = warning
                self._say(owner, match, Reason.TIME)
        self._set_timer()

    def _counts(self, warning: tuple[int, int, str, OwnedMatch]) -> bool:
        """Whether a warning belongs to the current turn, and not to an earlier one."""
        at, _, owner, match = warning
        standing = self._standings.get((owner, match.table))
        return standing is not None and standing.warn == at

    def stop(self) -> None:
        """Send no more warnings, because the host stops."""
        self._timer.stop()


def _lasts(owner: str) -> bool:
    """
    Whether the owner of a list is an account. For a guest, `owner_of` adds a colon and the digest of its key to the name.
    """
    return ":" not in owner


def _others(owner: str, match: OwnedMatch) -> tuple[str, ...]:
    """The display names of the other players."""
    named = zip(match.names, match.shown, strict=True)
    return tuple(shown for name, shown in named if key_of(name) != owner)


#: The offers of players to each other, in words that follow the player's name.
_OFFERS = {
    "draw": "offers a draw",
    "takeback": "wants to take the last move back",
    "rematch": "wants a rematch",
}


def _offer(owner: str, match: OwnedMatch) -> str:
    """The offer in a match to its player, in words; empty if the kind of offer is unknown here."""
    others = _others(owner, match)
    return f"{others[0]} {_OFFERS[match.offer]}" if match.offer in _OFFERS and others else ""


def _outcome(match: OwnedMatch) -> str:
    """The end of a match in words for its player, or the reason why an open table was closed."""
    if not match.cause:  # an open table: there was no match
        return match.why
    if not match.winners:
        return f"a draw ({match.why})"
    return f"you have {'won' if match.seat in match.winners else 'lost'} ({match.why})"


@define(eq=False)
class NoticesPart:
    """Starts and stops the notifiers of a host; a `gamehost.service.Part`. Made only if an option of a notifier is set."""

    _reactor: Any
    _kinds: Sequence[NotifierKind]
    _options: Mapping[str, Any]
    _beside: Path
    _notices: Notices | None = None
    _lists: ListedMatches | None = None

    log = Logger()

    def start(self, host: Any) -> None:
        """Start the notifiers. A notifier that cannot start is logged and left out."""
        given = Surroundings(self._reactor, host.store, self._beside, self._options["web-origin"])
        notifiers = {}
        for kind in self._kinds:
            try:
                notifiers[kind.name] = kind.start({name: self._options[name] for name in kind.options}, given)
            except PartUnusable as error:
                self.log.error("--{name} is left out: {error}", name=kind.name, error=error)
        if notifiers:
            self._begin(host, notifiers)

    def _begin(self, host: Any, notifiers: Mapping[str, Notifier]) -> None:
        """Connect the notifiers with the lists of own matches, and read the lists of the store."""
        lobby = host.context.lobby
        own, sessions = lobby.own, lobby.registry.sessions.by_key

        def connected(account: str) -> bool:
            session = sessions.get(account)
            return session is not None and session.player is not None

        # Only a slow match can be on a screen while its player waits for notices: at other tables players are connected.
        def looks(account: str, table: TableId) -> bool:
            return lobby.slow is not None and lobby.slow.sits(account, table)

        self._notices = own.notices = Notices(self._reactor, notifiers, connected, looks)
        lists = self._lists = ListedMatches(self._reactor, own.notices, lambda: own.now)
        own.listeners.append(lists.changed)
        own.learners.append(lists.learned)
        # Not in a cluster: every member would read all lists, and players would get each warning from every member.
        if self._options["cluster"] is None and isinstance(host.store, DurableJournal):
            host.store.ask_store(lambda store: read_all_own(store.database), lists.known)

    def stop(self) -> Deferred[Any]:
        """Stop the warnings and all notifiers. Fires when this is done."""
        if self._lists is not None:
            self._lists.stop()
        return succeed(None) if self._notices is None else self._notices.stop()
