"""
The runs of the members of a cluster: which are alive, and how one of them takes the tables and the names of another
that has ended. A run of a host has a number, its epoch.

Every function blocks. It raises `LineLost` if the connection is lost, and `StoreFailed` for any other error. After
`LineLost` it may be called again in another session, with the same arguments: steps that are done already are not done
twice.

The database notes the unfinished tables, so that a start can detect changes that were made while no host ran. The
number of the tables and the sum of their numbers are changed with the list itself. The newest row of each table is
noted about once a second and at the end of a run, because a note for each entry would cost as much as the entry.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from attrs import field, frozen

from gamehost.extras.cluster.postgresql.session import LOCK_CLASS, Session, transaction
from gamehost.journal.records import StoreUnusable, TableId, UnfinishedTable
from gamehost.storage.contents import COUNTED, REMOVE, VERIFY_FIRST, StoreFailed, read_opened, seats_of
from gamehost.storage.names import INTERFACE, Seen, keys_of_opened, keys_of_table
from gamehost.storage.questions import EVENT
from gamehost.storage.row_codec import Head, Row, Undecodable, read_opening

#: The number of the lock for beginning a run, taking a member over, and recording a loss. It ends with the transaction.
CLUSTER_LOCK = -2
#: The first number of the locks of a member's names, which step 7 of the schema explains. The second one is the member's.
#: Stores in other schemas share it: they wait for each other's transactions.
_NAMES_CLASS = LOCK_CLASS + 1

#: Why a host must end that is not in the list of the living any more.
TAKEN_OVER = "another host has taken the journal over"

#: The numbers of the runs with a held lock.
_LOCKS = """
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = %s::bigint::oid AND objsubid = 2"""
_SEEN = f"""
    SELECT epoch, name, coalesce(address, ''), coalesce(token, ''), ended IS NOT NULL,
    epoch IN ({_LOCKS}) FROM member WHERE heir IS NULL ORDER BY epoch"""
#: A living member that speaks with the others in another way.
_SPEAKS_OTHERWISE = f"""
    SELECT name, address, interface FROM member WHERE heir IS NULL AND ended IS NULL AND address IS NOT NULL
    AND interface <> %s AND epoch IN ({_LOCKS}) ORDER BY epoch LIMIT 1"""
#: Row 0 of unfinished tables, with what is noted of each, and whether there is another row.
_OPENINGS = f"""
    SELECT coalesce(since, 0), told, due,
    lost OR EXISTS (SELECT 1 FROM event AS later WHERE later.game = live.game AND later.n = 1),
    {EVENT.postgresql} FROM live JOIN event ON event.game = live.game AND event.n = 0
    WHERE owner = %s AND {{}} ORDER BY live.game"""
#: The same of tables that are in the lists of players, of all owners.
_SLOW = f"""
    SELECT owner, coalesce(since, 0), told, due,
    EXISTS (SELECT 1 FROM event AS later WHERE later.game = live.game AND later.n = 1),
    {EVENT.postgresql} FROM live JOIN event ON event.game = live.game AND event.n = 0
    WHERE live.game IN (SELECT own.game FROM own WHERE ended IS NULL) AND {{}} ORDER BY live.game"""

_NOTED = """
    SELECT noted.tables, found.tables, (noted.tables, noted.numbers) = (found.tables, found.numbers)
    FROM (SELECT coalesce(sum(tables), 0)::bigint AS tables, coalesce(sum(numbers), 0) AS numbers FROM member) AS noted,
    (SELECT count(*) AS tables, coalesce(sum(game), 0) AS numbers FROM live) AS found"""
#: Notes the list of unfinished tables, while no other session changes it.
NOTE_LIST = """
    UPDATE member SET (tables, numbers) = (SELECT count(*), coalesce(sum(game), 0) FROM live WHERE owner = epoch)"""
#: One sleeping table of another member becomes this one's.
_TAKE = f"""
    WITH changed AS (
        UPDATE live SET owner = %(me)s, inherited = owner WHERE game = %(game)s RETURNING inherited AS owner, game
    )
    UPDATE member SET tables = member.tables + sign * counted.tables, numbers = member.numbers + sign * counted.numbers
    FROM {COUNTED} CROSS JOIN (VALUES (%(me)s::bigint, 1), (%(owner)s::bigint, -1)) AS two(run, sign) WHERE epoch = run"""
_TAKEN_BY_ANOTHER = "SELECT 1 FROM member WHERE epoch = %s AND heir <> %s"
#: Removes tables from the list.
REMOVE_ALL = REMOVE.postgresql.replace("= ?", "= ANY(?)")
_MOVE = f"""
    WITH changed AS (
        UPDATE live SET owner = %(to)s, inherited = owner, since = coalesce(since, (SELECT seconds FROM uptime))
        WHERE owner = %(dead)s RETURNING inherited AS owner, game
    )
    UPDATE member SET tables = member.tables + sign * counted.tables, numbers = member.numbers + sign * counted.numbers
    FROM {COUNTED} CROSS JOIN (VALUES (%(to)s::bigint, 1), (%(dead)s::bigint, -1)) AS two(run, sign) WHERE epoch = run"""
#: Notes the newest rows of tables of a run.
NEWEST = """
    UPDATE live SET n = new.n, h = new.h FROM unnest(%s::int8[], %s::int4[], %s::bytea[]) AS new(game, n, h)
    WHERE live.game = new.game AND owner = %s"""
#: The tables with a noted row that does not exist any more; of one run, or of all.
MISSING = """
    SELECT live.game, live.n FROM live LEFT JOIN event ON event.game = live.game AND event.n = live.n AND event.h = live.h
    WHERE {} AND live.n IS NOT NULL AND NOT lost AND event.game IS NULL ORDER BY live.game"""
#: Why a table without its noted row is damaged.
MISSING_ROW = "table {}: row {} was durable, and is missing or was changed"
_NOT_HELD = """
    SELECT game FROM unnest(%s::int8[], %s::int4[], %s::bytea[]) AS head(game, n, h)
    WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.game = head.game AND event.n = head.n AND event.h = head.h)
    AND NOT EXISTS (SELECT 1 FROM removed WHERE removed.game = head.game)"""
#: Nobody compares such a table with the database after an hour.
_FORGET_REMOVED = "DELETE FROM removed WHERE at < now() - interval '1 hour'"
#: Tables may be missing in the list, too, and then they are added to it.
_MARK_LOST = """
    WITH marked AS (
        INSERT INTO live(game, owner, n, h, lost)
        SELECT game, %(run)s, n, h, true FROM unnest(%(games)s::int8[], %(n)s::int4[], %(h)s::bytea[]) AS head(game, n, h)
        ON CONFLICT (game) DO UPDATE SET n = excluded.n, h = excluded.h, lost = true RETURNING game, xmax = 0 AS added
    )
    UPDATE member SET tables = member.tables + counted.tables, numbers = member.numbers + counted.numbers
    FROM (SELECT count(*) AS tables, coalesce(sum(game), 0) AS numbers FROM marked WHERE added) AS counted
    WHERE epoch = %(run)s"""
_LOST = """
    SELECT game, n, (SELECT max(event.n) FROM event WHERE event.game = live.game) FROM live
    WHERE owner = %s AND lost AND coalesce(inherited = %s, true) ORDER BY game"""

#: The server ends a session that has the cluster's lock and says nothing for so long: its process hangs, and others wait.
_SILENCE = "SET LOCAL idle_in_transaction_session_timeout = '3s'"


@frozen
class ClusterAddress:
    """
    The facts about a member that the others can read.

    :param spreading: as of `keys_of_table`; not published
    """

    #: Where they reach it: the words of a client endpoint such as `tcp:10.0.0.1:8990`.
    address: str
    #: The beginning of each connection to it. It changes with each run.
    token: str = field(repr=False)
    spreading: Collection[str] = ()


def look(session: Session) -> list[Seen]:
    """The members that are not ended, and those that no other member has taken over, by their numbers."""
    return [Seen(*row) for row in session.rows(_SEEN, (session.lock_class,))]


def living(session: Session) -> str:
    """The members that live, for people."""
    return ", ".join(f"{one.name} at {one.address}" for one in look(session) if one.locked and not one.ended)


def lock_cluster(session: Session, say: Callable[[str], None] = lambda words: None) -> None:
    """
    Wait until no other member starts, takes over or has found a loss, within a transaction.

    If nothing is done in this transaction for three seconds, the server ends the session.

    :param say: called with words for the log, if another member does so at this moment
    """
    session.run(_SILENCE)
    numbers = (session.lock_class, CLUSTER_LOCK)
    if not session.rows("SELECT pg_try_advisory_xact_lock(%s::int, %s::int)", numbers)[0][0]:
        say("another member starts, or takes one over: this one waits until that is done")
        session.rows("SELECT pg_advisory_xact_lock(%s::int, %s::int)", numbers)


def begin_run(
    session: Session,
    name: str,
    cluster: ClusterAddress | None,
    accept_loss: bool = False,
    say: Callable[[str], None] = lambda words: None,
) -> int:
    """
    Begin a run in a session that has the lock of the store. From now on the session has the lock of the run.

    If no other member is alive, this run takes everything of all others.

    :param name: of the machine, for people
    :param cluster: `None`: this host is alone, and has the lock of the store alone
    :param accept_loss: use the list of unfinished tables as it is
    :param say: called with words for the log while this waits
    :returns: the number of the run
    :raises StoreUnusable: no other member is alive, and that list is not the noted one; or the lock of the run is
        taken; or a living member has another interface
    """
    address, token = (None, None) if cluster is None else (cluster.address, cluster.token)
    with transaction(session):
        lock_cluster(session, say)
        others = living(session)
        if not (others or accept_loss):
            for fault in list_faults(session):
                raise StoreUnusable(f"{fault}. {VERIFY_FIRST}")
        for other, where, its in session.rows(_SPEAKS_OTHERWISE, (INTERFACE, session.lock_class)):
            raise StoreUnusable(
                f"the member {other} at {where} is of another release: it has interface {its} between members, and this "
                f"release has {INTERFACE}; stop all members, and start them with one release"
            )
        insert = "INSERT INTO member(name, address, token, interface) VALUES (%s, %s, %s, %s) RETURNING epoch"
        epoch = int(session.rows(insert, (name, address, token, INTERFACE))[0][0])
        # Others see this row when it is committed. If the lock is free then, they know that this run has ended.
        if not session.lock(epoch, 1.0, time.monotonic, time.sleep):
            raise StoreUnusable(
                f"the lock of this run, number {epoch}, is taken{session.owner_of_lock(epoch)}: a program that is no host uses "
                f"the advisory lock ({session.lock_class}, {epoch}) of this database"
            )
        if cluster is None or not others:
            take_everything(session, epoch, cluster)
    return epoch


def take_over(
    session: Session, me: int, dead: int, spreading: Collection[str] = ()
) -> tuple[list[UnfinishedTable], list[str]] | None:
    """
    Take everything of a member that has ended. Its names without a seat are free. A second call gives the same result.

    :param me: the number of this run
    :param dead: the number of the other one
    :param spreading: as of `keys_of_table`
    :returns: its unfinished tables, oldest first, which all sleep now, and those of their keys that are here. `None` if
        it is alive, or another member has taken it over, or another member starts or takes over at this moment
    :raises StoreFailed: this run was ended by another member
    """
    with transaction(session):
        session.run(_SILENCE)
        if session.rows("SELECT may_change_names(%s)", (me,)) != [(True,)]:
            raise StoreFailed(TAKEN_OVER)
        if not session.rows(f"SELECT pg_try_advisory_xact_lock({session.lock_class:d}, {CLUSTER_LOCK})")[0][0]:
            return None
        # A group of requests that it has begun is carried out before, and no other one after this.
        session.rows(f"SELECT pg_advisory_xact_lock({_NAMES_CLASS}, %s::int)", (dead,))
        if not _has_ended(session, dead) or session.rows(_TAKEN_BY_ANOTHER, (dead, me)):
            return None
        session.run("UPDATE member SET ended = coalesce(ended, now()), heir = %s WHERE epoch = %s", (me, dead))
        session.run(_MOVE, {"dead": dead, "to": me})  # they sleep from now on
        session.run("UPDATE opened SET owner = %s WHERE owner = %s", (me, dead))
        session.run("DELETE FROM seeking WHERE home = %s", (dead,))
        session.run("DELETE FROM page USING member WHERE epoch = home AND ended IS NOT NULL")
        tables = list(_tables(session, me, f"inherited = {dead:d}"))
        here = take_home(session, me, tables, spreading)
        session.run("DELETE FROM session WHERE home = %s", (dead,))
    return tables, here


def take(session: Session, me: int, table: TableId) -> bool | None:
    """
    Become the owner of a slow match that sleeps, for a player of it that is here. A second call gives the same result.

    This waits for nobody, because others that hold what it needs may wait for what it has.

    :returns: whether it is this member's, or is over; `False`: it is awake elsewhere. `None`: try again in a moment
    :raises StoreFailed: this run was ended by another member
    """
    with transaction(session):
        session.run(_SILENCE)
        # Nobody takes a member over meanwhile.
        if not session.rows(f"SELECT pg_try_advisory_xact_lock_shared({session.lock_class:d}, {CLUSTER_LOCK})")[0][0]:
            return None
        found = session.rows("SELECT owner, since IS NOT NULL AND NOT lost FROM live WHERE game = %s", (table,))
        if not found or found[0][0] == me:
            return True
        [(owner, sleeps)] = found
        if not sleeps:
            return False
        if session.rows("SELECT 1 FROM member WHERE epoch = %s AND ended IS NOT NULL", (me,)):
            raise StoreFailed(TAKEN_OVER)
        members = session.rows("SELECT 1 FROM member WHERE epoch IN (%s, %s) FOR UPDATE SKIP LOCKED", (me, owner))
        asleep = "SELECT 1 FROM live WHERE game = %s AND owner = %s AND since IS NOT NULL FOR UPDATE SKIP LOCKED"
        if len(members) < 2 or not session.rows(asleep, (table, owner)):
            return None
        session.run(_TAKE, {"me": me, "owner": owner, "game": table})
    return True


def slow_matches(session: Session, tables: Sequence[int] | None = None) -> list[tuple[int, UnfinishedTable]]:
    """
    The unfinished slow matches of all members, with their owners, oldest first.

    :param tables: only these; `None`: all
    """
    which = "true" if tables is None else "live.game = ANY(%s)"
    found: list[tuple[int, UnfinishedTable]] = []
    for owner, since, told, due, begun, *columns in session.rows(
        _SLOW.format(which), () if tables is None else (tables,)
    ):
        row = Row._make(columns)
        with suppress(Undecodable):
            table = UnfinishedTable(TableId(row.game), read_opening(row), begun, since, seats_of(told), due)
            if table.opening.slow is not None:
                found.append((owner, table))
    return found


def take_home(session: Session, me: int, tables: Iterable[UnfinishedTable], spreading: Collection[str]) -> list[str]:
    """
    Make this member the home of the names and places of some tables, and of its own waiting tables, within a transaction.
    Names that have a living member as their home keep it.

    :returns: the keys with their home here now
    """
    keys = list(
        {key for table in tables for key in keys_of_table(table, spreading)}
        | {key for one in read_opened(session, me) for key in keys_of_opened(one)}
    )
    # First what may wait for other members, in the same order as they do it.
    session.run(
        "INSERT INTO session(key, home) SELECT key, %s FROM unnest(%s::text[]) AS kept(key) ORDER BY key "
        "ON CONFLICT DO NOTHING",
        (me, keys),
    )
    session.run(
        "UPDATE session SET home = heir FROM member WHERE key = ANY(%s) AND epoch = home AND heir = %s", (keys, me)
    )
    return [row[0] for row in session.rows("SELECT key FROM session WHERE home = %s AND key = ANY(%s)", (me, keys))]


def take_everything(session: Session, me: int, cluster: ClusterAddress | None) -> None:
    """
    End all others, and take everything of theirs, within a transaction with the cluster's lock, when no other member is
    alive.

    :param cluster: of a member: it becomes the home of the keys of all unfinished tables, also of those of a host that
        was alone and noted no homes. All other names are free; `None`: all are
    """
    session.rows(
        f"SELECT pg_advisory_xact_lock({_NAMES_CLASS}, epoch::int) FROM member WHERE heir IS NULL AND epoch <> %s",
        (me,),
    )
    session.run(
        "UPDATE member SET ended = coalesce(ended, now()), heir = %(me)s WHERE heir IS NULL AND epoch <> %(me)s",
        {"me": me},
    )
    session.run("UPDATE live SET owner = %s, inherited = owner", (me,))
    session.run("UPDATE opened SET owner = %s", (me,))
    session.run(f"{NOTE_LIST}; DELETE FROM session; DELETE FROM seeking; DELETE FROM page")
    if cluster is None:
        return
    take_home(session, me, _tables(session, me, "inherited IS NOT NULL"), cluster.spreading)
    session.run("DELETE FROM change")
    # A host alone counts from the highest number of a table, and does not use the sequence.
    session.rows(
        "SELECT setval('table_number', greatest(last_value + is_called::int, "
        "(SELECT max(game) + 1 FROM event), (SELECT max(game) + 1 FROM live), (SELECT max(game) + 1 FROM opened)), false) "
        "FROM table_number"
    )


def take_numbers(session: Session, count: int) -> list[int]:
    """Take numbers for new tables that are never given again."""
    return [row[0] for row in session.rows("SELECT nextval('table_number') FROM generate_series(1, %s)", (count,))]


@frozen
class LostTable:
    """A table with rows that players have received, and that the database has lost."""

    table: TableId
    #: The number of the newest row that players received, and of the newest one in the database; `None`: there is none.
    told: int
    held: int | None

    @property
    def why(self) -> str:
        held = "no row" if self.held is None else f"row {self.held}"
        return (
            f"table {self.table} is suspended: players received row {self.told}, and the newest one in the database is "
            f"{held}; gamehost admin lost decides"
        )


def columns_of(heads: Mapping[int, Head]) -> tuple[list[int], list[int], list[bytes]]:
    return list(heads), [head.n for head in heads.values()], [head.h for head in heads.values()]


def note_removed(session: Session, tables: Sequence[int]) -> None:
    """Note that the rows of finished tables are removed, and not lost. Within the transaction that removes them."""
    session.run(_FORGET_REMOVED)
    session.run("INSERT INTO removed(game) SELECT unnest(%s::int8[]) ON CONFLICT DO NOTHING", (tables,))


def mark_lost(session: Session, run: int, heads: Mapping[int, Head]) -> list[int]:
    """
    Find the missing ones of these rows, and stop their tables.

    :param run: becomes the owner of tables that are not in the list of unfinished tables any more. It is added if it is
        missing, too
    :param heads: the newest rows that players have received
    """
    if not (games := [row[0] for row in session.rows(_NOT_HELD, columns_of(heads))]):
        return []
    _, n, h = columns_of({game: heads[game] for game in games})
    with transaction(session):
        lock_cluster(session)
        session.run(
            "INSERT INTO member(epoch, name, ended) OVERRIDING SYSTEM VALUE VALUES (%s, '', now()) "
            "ON CONFLICT DO NOTHING",
            (run,),
        )
        session.run(_MARK_LOST, {"run": run, "games": games, "n": n, "h": h})
        session.rows(
            "SELECT setval('member_epoch_seq', greatest(last_value, %s), true) FROM member_epoch_seq "
            "UNION ALL SELECT setval('table_number', greatest(last_value, %s), true) FROM table_number",
            (run, max(games)),
        )
    return games


def lost(session: Session, epoch: int, inherited: int | None = None) -> list[LostTable]:
    """
    The stopped tables of a run: rows of them are lost.

    :param inherited: only those that were taken over from this run
    """
    return [LostTable(*row) for row in session.rows(_LOST, (epoch, inherited))]


def go_on(session: Session, epoch: int, table: TableId) -> UnfinishedTable | None:
    """Resume a table that has lost rows with the rows that are left; `None`: it is no such table, or has no row."""
    changed = session.run(
        "UPDATE live SET lost = false, n = NULL, h = NULL, since = coalesce(since, (SELECT seconds FROM uptime)) "
        "WHERE game = %s AND owner = %s AND lost AND EXISTS (SELECT 1 FROM event WHERE event.game = live.game)",
        (table, epoch),
    )
    if not changed:
        return None
    with transaction(session):
        return next(_tables(session, epoch, f"live.game = {table:d}"), None)


def _has_ended(session: Session, epoch: int) -> bool:
    """
    Whether a run has ended, or its lock is free. Then this transaction takes the lock, and the run cannot continue.
    """
    if session.rows("SELECT 1 FROM member WHERE epoch = %s AND ended IS NOT NULL", (epoch,)):
        return True
    return bool(session.rows("SELECT pg_try_advisory_xact_lock(%s::int, %s::int)", (session.lock_class, epoch))[0][0])


def _tables(session: Session, owner: int, which: str) -> Iterator[UnfinishedTable]:
    """
    Unfinished tables, oldest first. Those that this release cannot read are left out.

    :param which: a condition
    """
    for since, told, due, begun, *columns in session.stream(_OPENINGS.format(which), (owner,)):
        row = Row._make(columns)
        try:
            yield UnfinishedTable(TableId(row.game), read_opening(row), begun, since, seats_of(told), due)
        except Undecodable:
            continue


def list_faults(session: Session) -> list[str]:
    """Whether the list of unfinished tables is the one that was noted; else a table was taken from it or added to it."""
    [(noted, found, same)] = session.rows(_NOTED)
    if same:
        return []
    what = f"it has {found} tables, and {noted} were durable" if noted != found else "other tables are in it"
    return [f"the list of unfinished tables was changed: {what}"]


def note_faults(session: Session) -> list[str]:
    """The faults that a start finds besides the rows of tables, one sentence each."""
    missing = session.rows(MISSING.format("true"))
    return list_faults(session) + [MISSING_ROW.format(table, n) for table, n in missing]
