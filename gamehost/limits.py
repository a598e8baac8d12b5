"""
The limits on what clients may use: the settings `limits.NAME`, and the profiles, which change several of them.

The text of each limit says its unit and the reason for its default. `limits.unlimited` switches rates and counts off,
for benchmarks and tests from one address. Sizes and deadlines remain.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.settings import BadOption, Reload, Setting, Settings, from_to, refuse_unknown, seconds, setting, yes_or_no


def _more_than_nothing(name: str, text: str) -> float:
    """
    Read a rate.

    :raises BadOption: the text is not a decimal number greater than 0
    """
    number = seconds(name, text)
    if not number:
        raise BadOption(f"{name}: expected a number a second greater than 0; limits.unlimited=yes lifts all rates")
    return number


def _switch(words: str) -> Any:
    """Declare a limit that is yes or no."""
    return Setting(False, words, yes_or_no)


def _count(default: int, words: str, reload: Reload = Reload.USED, least: int = 1, most: int = 1_000_000) -> Any:
    """Declare a limit that is a whole number."""
    return Setting(default, words, from_to(least, most), reload)


def _seconds(default: float, words: str) -> Any:
    """Declare a limit that is a time in seconds."""
    return Setting(default, words, seconds, Reload.USED)


def _rate(default: float, words: str) -> Any:
    """Declare a limit that is a number in a second."""
    return Setting(default, words, _more_than_nothing, Reload.USED)


class Limits:
    """
    The limits of a host. The class attributes declare them; an object has the values.

    :param values: the limits that differ from their defaults
    :raises TypeError: there is no limit of this name
    """

    unlimited: bool = _switch(
        "yes: no rates, counts or quotas, but sizes and deadlines; no flood is cut off, so only for benchmarks and tests"
    )
    connections: int = _count(
        10_000,
        "connections in all, or what the process may open; the last 5 % are for addresses with a seat in a match: 10 KiB each",
        reload=Reload.RESTART,
    )
    connections_per_address: int = _count(
        64, "connections from one address, or one IPv6 network of 64 bits: a class room behind one router"
    )
    new_per_second: float = _rate(
        5.0, "new connections a second from one address, on average: people and bots reconnect slower"
    )
    new_burst: int = _count(20, "new connections from one address at once: a class logs in")
    login_seconds: float = _seconds(
        10.0,
        "seconds to log in for a client that sends nothing, since it connected or logged out; one that has begun has a "
        "minute: programs log in at once",
    )
    http_connections: int = _count(
        2_000,
        "HTTP connections in all, without the sockets of pages: one that asks nothing lasts 15 s",
        reload=Reload.RESTART,
    )
    http_connections_per_address: int = _count(
        256, "HTTP connections from one address: a page opens six, and a class is thirty"
    )
    http_new_per_second: float = _rate(
        20.0, "new HTTP connections a second from one address, on average: pages that are loaded again"
    )
    http_new_burst: int = _count(300, "new HTTP connections from one address at once: a class opens the page")
    http_requests_per_second: float = _rate(
        50.0, "HTTP requests a second from one address, on average; more are answered with status 429: people who click"
    )
    http_requests_burst: int = _count(
        1_500, "HTTP requests from one address at once: a class opens the page, 30 files each"
    )
    questions_per_address: int = _count(
        32,
        "questions for finished matches and results from one address that wait for an answer: one for each of a class",
    )
    messages_per_second: float = _rate(
        5.0,
        "messages a second of one connection, on average, and 20 seconds of them at once; moves and answers to the host are "
        "not counted: 100 in 20 s, as big chess hosts allow",
    )
    moves_per_second: float = _rate(
        20.0,
        "accepted moves and questions for legal moves a second of one connection, on average; above it, the host reads more "
        "slowly, and refuses none: quick bots",
    )
    moves_per_second_per_address: float = _rate(
        200.0, "the same for all connections from one address: ten tables of quick bots, 1 GB a day"
    )
    journal_bytes_per_second_per_address: float = _rate(
        16_384.0,
        "the same of bytes that remote games of one address add to the store: 1.4 GB a day",
    )
    open_tables: int = _count(
        20,
        "tables opened from one address that wait for players; for one more, a table with nobody there closes: a class",
    )
    new_matches_per_second: float = _rate(
        2.0,
        "new matches a second from one address, this machine not counted, on average; above it, players wait: 90 MB a day",
    )
    new_matches_burst: int = _count(100, "new matches of players from one address at once: a class begins, three times")
    open_table_seconds: float = _seconds(
        86_400.0,
        "seconds for which a table waits for its players; one that goes with its connection waits 600 s at most: a day",
    )
    sleeping_tables_per_address: int = _count(
        64,
        "sleeping matches of one address; one that is among the newest of none of its addresses is archived: one for each "
        "connection, so a restart ends none",
    )
    slow_matches: int = _count(100_000, "unfinished slow matches: 1 KiB of memory each")
    slow_matches_per_address: int = _count(200, "of one address: thirty with six each")
    slow_matches_per_account: int = _count(50, "of one account: all that a person looks after")
    slow_matches_per_guest: int = _count(5, "of one guest: enough to try it")
    password_work: int = _count(
        14,
        "the cost of a password's digest, scrypt's n as a power of two: 14 is 50 ms and 16 MiB for each log-in, 15 twice that",
        least=10,
        most=20,
        reload=Reload.RESTART,
    )
    log_ins_waiting: int = _count(
        32,
        "log-ins with new names that wait for their password's digest; the next one is refused, log-ins to accounts never: "
        "two seconds of work",
        least=1,
        most=10000,
        reload=Reload.RESTART,
    )
    guesses_per_minute: int = _count(
        5,
        "wrong passwords for one account a minute; more log-ins wait, and addresses take turns: 2.6 million a year",
        reload=Reload.RESTART,
    )
    keyless_resume_seconds: float = _seconds(
        3.0,
        "seconds until a guest's seat is taken back without a key, not on this machine; 0: at once, also by another player at "
        "that address: its owner comes first",
    )
    failures_per_hour: int = _count(
        20,
        "failed log-ins from one address an hour; above it, log-ins wait, and refusals do not say why: people who "
        "mistype need fewer",
        reload=Reload.RESTART,
    )
    guest_names_per_hour: int = _count(
        1200,
        "new names of guests from one address an hour, this machine not counted; above it, no refusal shows whether an "
        "account has the name: a class of thirty comes forty times",
        reload=Reload.RESTART,
    )
    accounts_per_address: int = _count(
        60,
        "new accounts from one address an hour, this machine not counted: two classes of thirty behind one router",
        reload=Reload.RESTART,
    )
    accounts_per_hour: int = _count(
        1000, "new accounts in all an hour: they are stored until the owner deletes them", reload=Reload.RESTART
    )
    watchers: int = _count(
        5_000, "clients that watch, counted once for each table, and at most 2000 at one table: half of all connections"
    )
    watchers_per_address: int = _count(
        400,
        "clients that watch from one address, this machine not counted: a class of thirty with a page of the lobby each",
    )
    house_tables: int = _count(
        200,
        "matches with house players at once; above it, one that is idle for a minute ends: they share a core",
        least=0,
        most=1000000,
        reload=Reload.WITH_HOUSE,
    )
    house_tables_per_address: int = _count(
        32,
        "the same for people at one address, this machine not counted, who share the time to think: a class of thirty",
        reload=Reload.WITH_HOUSE,
    )
    remote_bytes: int = _count(
        1 << 20,
        "bytes of one remote game, which then ends without a winner, as after 10000 states: a thousand of 1 KiB",
        least=1024,
        most=1 << 30,
    )
    free_space: int = _count(
        1 << 30,
        "bytes free on the store's disk, or 5 % of it if that is less; below it no tables begin, below a tenth of it the host "
        "stops; 0: not looked at: an owner has a day to make room",
        least=0,
        most=1 << 50,
        reload=Reload.RESTART,
    )

    def __init__(self, **values: Any) -> None:
        """
        Set all limits: to these values, and otherwise to their defaults.

        :raises TypeError: there is no such limit
        """
        if unknown := values.keys() - LIMITS:
            raise TypeError(f"no limit is called {min(unknown)}")
        # The values of the object hide the declarations of the class.
        self.__dict__.update({name: limit.default for name, limit in LIMITS.items()} | values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limits) and vars(self) == vars(other)

    def changed(self, **values: Any) -> "Limits":
        """The same limits, with some other values."""
        return Limits(**(vars(self) | values))

    def most(self, name: str) -> int | None:
        """The value of a limit that is a count; `None`: any number, because of `limits.unlimited`."""
        count: int = getattr(self, name)
        return None if self.unlimited else count

    @classmethod
    def read(cls, settings: Settings) -> "Limits":
        """
        Read limits from settings. The names are without `limits.` in front.

        :raises BadOption: a limit is unknown or cannot be used
        """
        refuse_unknown(settings, LIMITS)
        return cls(**{name: setting(settings, name, limit.default, limit.read) for name, limit in LIMITS.items()})


#: The declarations of all limits, by name.
LIMITS: Mapping[str, Setting] = {name: limit for name, limit in vars(Limits).items() if isinstance(limit, Setting)}

#: Limits of earlier releases that are not settings any more, each with what is used instead. Most are constants now.
FORMER: Mapping[str, str] = {
    "login_patience_seconds": "it is 60 seconds on every host; limits.login_seconds is for clients that send nothing",
    "message_seconds": "it is 10 seconds on every host",
    "questions": "it is 1024 on every host; limits.questions_per_address bounds those of one address",
    "answer_bytes": "it is 33554432 bytes on every host",
    "header_connections": "it is 512 on every host",
    "header_connections_per_address": "it is 256 on every host",
    "messages_burst": "it is 20 seconds of limits.messages_per_second",
    "bytes_per_second": "it is 16384 on every host",
    "bytes_burst": "it is 262144 on every host",
    "messages_per_turn": "it is 64 on every host",
    "refusals": "it is 20 within 20 seconds on every host",
    "queue_bytes": "it is 65536 on every host",
    "stalled_seconds": "it is 10 seconds on every host",
    "close_seconds": "it is 2 seconds on every host",
    "known_guesses_per_minute": "it is 120 on every host; limits.guesses_per_minute is for all other addresses",
    "watchers_per_table": "it is 2000 on every host; limits.watchers is for all tables together",
    "watched_tables": "it is 16 on every host",
    "masters": "it is 64 on every host, and 8 from one address",
    "master_games": "it is 256 on every host; limits.remote_bytes bounds one game",
}

#: The profiles, by name: their limits that differ from the defaults. A limit that the owner sets has priority.
PROFILES: Mapping[str, Settings] = {
    # For a host on the internet. The defaults fit a class of thirty people behind one router.
    "public": {},
    # For a host on this machine or in a private network, with up to 300 people or bots behind one address that trust
    # each other.
    "class": {
        "connections_per_address": "300",
        # After a restart all of them come at once.
        "new_per_second": "100",
        "new_burst": "300",
        # A page opens six connections, and asks for thirty files.
        "http_connections_per_address": "1800",
        "http_new_per_second": "200",
        "http_new_burst": "1800",
        "http_requests_per_second": "500",
        "http_requests_burst": "9000",
        # A page that all of them open asks for three lists.
        "questions_per_address": "1000",
        # Quick bots at every second table.
        "moves_per_second_per_address": "1500",
        "journal_bytes_per_second_per_address": "131072",
        "open_tables": "150",
        # Quick bots: each of 150 tables has a new match every three seconds.
        "new_matches_per_second": "50",
        "new_matches_burst": "500",
        # As many as `house_tables`: there is no separate limit for one address.
        "house_tables_per_address": "200",
        "watchers_per_address": "4800",
        # One for each connection, so a restart ends no match of theirs.
        "sleeping_tables_per_address": "300",
        # All log in for the first time in the same lesson: 300 digests are 15 seconds of work.
        "log_ins_waiting": "300",
        "accounts_per_address": "200",
        "failures_per_hour": "300",
        # Bots with a new name for each match, at half of the tables above.
        "guest_names_per_hour": "36000",
        # A guest without a key has the address of the opponent, and could not come back otherwise.
        "keyless_resume_seconds": "0",
    },
}
