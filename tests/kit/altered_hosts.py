"""
Hosts that are started as `gamehost run` is, but altered: with a fault, for tests of the tests, or with less than they need.

`HostProcess(module="tests.kit.altered_hosts:full_disk")` starts the one of this name. In it `GAMEHOST_ALTERED` is the name.
"""

import ctypes
import hashlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

ALTERED: dict[str, Callable[[], None]] = {}


def altered(alter: Callable[[], None]) -> Callable[[], None]:
    ALTERED[alter.__name__] = alter
    return alter


# Hosts with less than they need.

#: How many files `some_files` may open.
FILES = 192
#: Bytes: room for a new store and a few moves, and for nothing after that.
ROOM = 131_072
#: Where `counts_resources` writes.
COUNTS = "counts.json"


@altered
def few_files() -> None:
    """It may open few files, and believes that it may open many."""
    from gamehost.ops import watchdog

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    watchdog.OTHER_FILES = -1000


@altered
def some_files() -> None:
    """It may open some files, and knows how many."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@altered
def full_disk() -> None:
    """It may write only small files. Python ignores SIGXFSZ, so that a write past the limit fails with EFBIG."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@altered
def no_executable_memory() -> None:
    """No memory is both written and executed, as in a sandbox; status 77: this system cannot do that."""
    set_mdwe, refuse_exec_gain = 65, 1
    if ctypes.CDLL(None).prctl(set_mdwe, refuse_exec_gain, 0, 0, 0) != 0:
        sys.exit(77)


@altered
def checks_late() -> None:
    """It checks one table before it opens its ports, and all others later, as with very many tables."""
    from gamehost.storage import contents

    contents.AT_START = 1


@altered
def behind_a_cable() -> None:
    """It is on a machine of its own: in a network name space. `GAMEHOST_SPACES` has the names, `GAMEHOST_PLACE` says which."""
    enter_name_space(os.environ["GAMEHOST_SPACES"].split(",")[int(os.environ["GAMEHOST_PLACE"])])


def enter_name_space(name: str) -> None:
    """Be in this network name space from now on, if the system lets us. No thread may have been started before."""
    clone_newnet = 0x40000000  # as linux/sched.h has it
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", name).open() as space:
        if libc.setns(space.fileno(), clone_newnet):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@altered
def counts_resources() -> None:
    """It counts its timers, tables, names and connections, and writes them into a file when it is signalled."""
    from gamehost.service import GameHostService

    start: Any = GameHostService.startService

    def start_and_count(self: GameHostService) -> None:
        start(self)

        def write_counts(number: int, frame: object) -> None:
            from twisted.internet import reactor

            counts = {
                "timers": len(reactor.getDelayedCalls()),
                "tables": len(self.context.lobby.tables),
                "names": len(self.context.lobby.registry),
                "connections": self.context.limiter.count,
            }
            Path(COUNTS + ".new").write_text(json.dumps(counts))
            os.replace(COUNTS + ".new", COUNTS)

        signal.signal(signal.SIGRTMIN, write_counts)

    GameHostService.startService = start_and_count  # type: ignore[method-assign]


@altered
def verbose_log() -> None:
    """
    It says all it can: calls that are late tell where they were made, and every so often a password cannot be worked on, so
    that a traceback is logged. For the search for passwords.
    """
    from twisted.internet import defer
    from twisted.internet.base import DelayedCall

    scrypt, calls = hashlib.scrypt, count(1)

    def fail_sometimes(*arguments: Any, **more: Any) -> bytes:
        if next(calls) % 13 == 0:
            raise MemoryError("planted")
        return scrypt(*arguments, **more)

    defer.setDebugging(True)
    DelayedCall.debug = True
    hashlib.scrypt = fail_sometimes


# Hosts with a fault.


@altered
def acknowledges_early() -> None:
    """
    It says that entries are durable before they are.

    The commit comes a little later, as on a slow disk. So the fault is found on fast machines and on slow ones.
    """
    from gamehost.storage.contents import Reading
    from gamehost.storage.durable import DurableJournal

    def answer_first(add: Any) -> Any:
        def added(self: DurableJournal, *change: Any) -> None:
            from twisted.internet import reactor

            *change_alone, durable = change
            if isinstance(change[0], Reading):  # nobody can be told what was not read
                add(self, *change)
                return
            durable()
            later: Any = reactor
            later.callLater(0.05, add, self, *change_alone, lambda: None)

        return added

    DurableJournal._put = answer_first(DurableJournal._put)  # type: ignore[method-assign]
    DurableJournal.append = answer_first(DurableJournal.append)  # type: ignore[method-assign]


@altered
def stops_without_commit() -> None:
    """It says that entries are durable before they are, and stops without them."""
    from queue import Empty

    from gamehost.storage.durable import DurableJournal

    stop = DurableJournal.stop

    def stop_without_what_waits(self: DurableJournal, stopped: Callable[[], None]) -> None:
        self.backlog.hand_over()
        with suppress(Empty):
            while True:
                self._writer._queue.get_nowait()
        stop(self, stopped)

    acknowledges_early()
    DurableJournal.stop = stop_without_what_waits  # type: ignore[method-assign]


@altered
def counts_late() -> None:
    """
    It tells the end of a match of a championship, and counts the result then. The next start does not look for what was not
    counted.
    """
    from gamehost.journal.records import Entry, EntryKind, TableId
    from gamehost.lobby.championship import RESULT, ChampionshipRecords
    from gamehost.storage.durable import DurableJournal, nothing

    append: Any = DurableJournal.append

    def tell_first(self: DurableJournal, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        if entry.kind is not EntryKind.ACTED or RESULT.fullmatch(entry.notation.decode()) is None:
            append(self, table, entry, durable)
            return
        from twisted.internet import reactor

        durable()
        later: Any = reactor
        later.callLater(0.05, append, self, table, entry, nothing)

    DurableJournal.append = tell_first  # type: ignore[method-assign]
    ChampionshipRecords.found_match = lambda self, record: None  # type: ignore[method-assign]


@altered
def forfeits_at_stop() -> None:
    """When it stops, it takes everybody for having left."""
    from gamehost.lobby.lobby import Lobby

    close = Lobby.close

    def close_and_forget(self: Lobby) -> None:
        close(self)
        self._stopping = False

    Lobby.close = close_and_forget  # type: ignore[method-assign]


# Hosts that leak passwords.


@altered
def leak_in_the_log() -> None:
    """In the log, as `repr` has them."""
    from twisted.logger import Logger

    from gamehost.lobby.lobby import Lobby

    log, log_in = Logger(), Lobby.log_in

    def log_and_log_in(self: Lobby, name: str, password: str, *more: Any) -> Any:
        log.info("{who} logs in", who=(name, password))
        return log_in(self, name, password, *more)

    Lobby.log_in = log_and_log_in  # type: ignore[method-assign, assignment]


@altered
def leak_beside_the_store() -> None:
    """In a file of their own, in UTF-16."""
    from gamehost.lobby.lobby import Lobby

    log_in = Lobby.log_in

    def note_and_log_in(self: Lobby, name: str, password: str, *more: Any) -> Any:
        Path("notes").write_bytes(password.encode("utf-16"))
        return log_in(self, name, password, *more)

    Lobby.log_in = note_and_log_in  # type: ignore[method-assign, assignment]


@altered
def leak_in_the_store() -> None:
    """In the store, in base 64."""
    import base64

    from attrs import evolve

    from gamehost.accounts.passwords import Digest

    of: Any = Digest.of

    def with_the_password(password: bytes, cost: Any) -> Any:
        return evolve(of(password, cost), salt=base64.b64encode(b"!" + password))

    Digest.of = staticmethod(with_the_password)  # type: ignore[method-assign]


@altered
def leak_of_what_was_cut() -> None:
    """In the log, what had come of a line when the connection was lost."""
    from twisted.logger import Logger

    from gamehost.net.connection import WireProtocol

    log, lost = Logger(), WireProtocol.connectionLost

    def log_what_was_cut(self: Any, reason: Any = None) -> None:
        if (lines := getattr(self._codec, "_lines", None)) is not None:
            log.info("lost with {rest}", rest=bytes(lines._rest).hex())
        lost(self, reason)

    WireProtocol.connectionLost = log_what_was_cut  # type: ignore[method-assign]


LEAKS = tuple(name for name in ALTERED if name.startswith("leak_"))


# Members of a cluster with a fault.


@altered
def take_from_the_living() -> None:
    """The oldest member takes over from the newest one, which is alive, every few seconds, and looks at no lock."""
    from gamehost.extras.cluster.postgresql import members
    from gamehost.storage import names

    looks, look_at = [0], names.look_at

    def look(seen: Any, me: int, restrained: bool) -> Any:
        living, dead = look_at(seen, me, restrained)
        looks[0] += 1
        if looks[0] < 12 or living[0].epoch != me or len(living) < 2:
            return living, dead
        looks[0] = 0
        return living[:-1], [living[-1].epoch]

    vars(names).update(look_at=look)
    vars(members).update(_has_ended=lambda session, epoch: True)


@altered
def judge_at_once() -> None:
    """After a lost connection, it does not wait before it judges others."""
    from gamehost.storage import names

    vars(names).update(RESTRAINT=float("-inf"))


@altered
def forget_the_lock() -> None:
    """After a lost connection, one member does not take the lock of its run again."""
    from gamehost.extras.cluster.postgresql import store as opening
    from gamehost.extras.cluster.postgresql.session import Session

    if os.environ["GAMEHOST_PLACE"] != "1":
        return
    take_lock: Any = Session.lock
    resumed: Any = opening.PostgresStore._resumed

    def resume_without(self: opening.PostgresStore, until: float) -> Session:
        skipped = self.epoch

        def lock(session: Session, number: int, *more: Any, **words: Any) -> bool:
            return True if number == skipped else take_lock(session, number, *more, **words)

        Session.lock = lock  # type: ignore[method-assign, assignment]
        try:
            session: Session = resumed(self, until)
        finally:
            Session.lock = take_lock  # type: ignore[method-assign]
        return session

    opening.PostgresStore._resumed = resume_without  # type: ignore[method-assign]


@altered
def claim_what_is_claimed() -> None:
    """Names that nobody had a moment ago are this member's, also if another one has claimed them meanwhile."""
    from gamehost.extras.cluster.postgresql import registry
    from gamehost.storage.names import Claim

    carry_out: Any = registry.carry_out_group

    def claim(session: Any, group: Any, me: int, gone: Any) -> Any:
        keys = [one.key for one in group if isinstance(one, Claim)]
        held = {row[0] for row in session.rows("SELECT key FROM session, pg_sleep(0.02) WHERE key = ANY(%s)", (keys,))}
        for key in set(keys) - held:
            session.run(
                "INSERT INTO session(key, home) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET home = excluded.home",
                (key, me),
            )
        return carry_out(session, group, me, gone)

    vars(registry).update(carry_out_group=claim)


@altered
def keep_relays() -> None:
    """Connections to a member that does not live any more are not cut."""
    from gamehost.extras.cluster.relay import Relays

    Relays.cut_all_but = lambda self, living: None  # type: ignore[method-assign]


@altered
def stay_silent() -> None:
    """The database is not told to end a session that is silent."""
    from gamehost.extras.cluster.postgresql import store

    vars(store).update(_SILENCE="SELECT 1")


if __name__ == "__main__":
    from gamehost.__main__ import main

    ALTERED[os.environ["GAMEHOST_ALTERED"]]()
    main()
