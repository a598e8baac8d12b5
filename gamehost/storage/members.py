"""
A cluster: several hosts on one database. This is what they share beside the journal.

Each host is a *member*. It has a number, its *epoch*, and holds the lock of that number as long as it lives. A later member
has a higher number. The living member with the lowest number is the *leader*.

A name has at most one *home*: the member where its session is, or the table of its seat.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from attrs import field, frozen

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import UnfinishedTable

#: A game's name, and the pool of players who meet only each other; as `gamehost.lobby.queue.Queue.key`.
QueueKey = tuple[str, str]


@frozen
class Member:
    """A living member of a cluster."""

    epoch: int
    #: Of the machine, for people.
    name: str
    #: Where the other members reach it: the words of a client endpoint such as `tcp:10.0.0.1:8990`.
    address: str
    #: What a connection to it must begin with. It changes with each life.
    token: str = field(repr=False)


@frozen
class Answer:
    """The answer to a claim."""

    #: The member that is the home of the name.
    home: int
    #: The account of the name as the database has it; `None`: there is none.
    account: Account | None = None


@frozen
class Offer:
    """Somebody who waits for an opponent."""

    key: str
    queue: QueueKey
    home: int
    #: Whether the player's connection can be given to another member.
    movable: bool
    #: In the order in which they came, cluster-wide.
    order: int


class Watcher(Protocol):
    """What a registry tells its host. All of it is told on the reactor's thread."""

    def members_are(self, members: Sequence[Member]) -> None:
        """These members live now, the leader first. Told at the start, and at each change."""

    def offers_are(self, offers: Sequence[Offer]) -> None:
        """Those who wait in all of the cluster, in order. Told several times a second while somebody waits."""

    def inherited(self, tables: Sequence[UnfinishedTable], taken: Callable[[Collection[str]], None]) -> None:
        """
        The unfinished tables of a member that has ended are this host's from now on.

        :param taken: to be called when all names are known here, with the keys of all seats that are kept: they can log in
            again from then on, and all other names of that member are free
        """

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        """
        Another member has changed accounts or bans.

        :param accounts: by key; `None`: there is none any more
        :param bans: all bans as they are now; `None`: they are as they were
        """


class Registry(Protocol):
    """
    The names, the members and those who wait, in all of a cluster. Every call returns at once.

    Its requests are carried out in the order in which they are made.
    """

    @property
    def epoch(self) -> int:
        """The number of this host."""

    def start(self, watcher: Watcher) -> None:
        """Begin to watch the other members."""

    def claim(self, key: str, queue: QueueKey | None, answer: Callable[[Answer | None], None]) -> None:
        """
        Find the home of a name. A name that nobody has gets its home here, but for one case: if somebody waits in this queue
        at another member and nobody here, that member is the answer, and nothing is noted.

        If the home has just ended, the answer waits until another member has inherited its names.

        :param queue: where the player would wait; `None`: somewhere else
        :param answer: called once, on the reactor's thread; with `None` if there is no answer after ten seconds
        """

    def release(self, keys: Collection[str]) -> None:
        """These names have no session and no seat here any more. Names with another home stay as they are."""

    def transfer(self, key: str, home: int, done: Callable[[bool], None]) -> None:
        """
        Make another member the home of a name whose home is here.

        :param done: called on the reactor's thread; with `False` if that member does not live, and nothing has changed
        """

    def waits(self, key: str, queue: QueueKey, movable: bool) -> None:
        """A player waits for an opponent here."""

    def waits_no_longer(self, key: str) -> None:
        """The player does not wait any more."""

    def new_numbers(self, count: int, given: Callable[[range], None]) -> None:
        """Ask for numbers of new tables that no member gets again."""

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Carry out all earlier requests, and end.

        :param stopped: called on the reactor's thread
        """
