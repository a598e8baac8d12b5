"""
The runs of a cluster's members in the database: finds the living ones, begins a run, and takes over the tables and names of a
run that has ended. A run is the time from a start of a host to its end. Each run has a number, its *epoch*.

Every function blocks. It raises `LineLost` if the connection is lost, and `StoreFailed` for any other error. After
`LineLost` it may be called again in another session, with the same arguments: steps that are done already are not done
twice.

The database has a list of the unfinished tables. A start must detect changes of this list that were made while no host ran.
So the count of the tables and the sum of their numbers are stored with each change of the list. The newest row of each table
is noted about once a second and at the end of a run. A note for each entry would cost as much as the entry.
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

#: The second number of the cluster's lock. It is taken to begin a run, to take a member over, and to record a loss, and is free
#: again at the end of the transaction.
CLUSTER_LOCK = -2
#: The first number of the locks of members' names, which step 7 of the schema explains. The second one is the member's number.
#: Stores in other schemas have the same first number, so they may wait for each other's transactions.
_NAMES_CLASS = LOCK_CLASS + 1

#: Why a host must end: another member has taken over its tables.
TAKEN_OVER = "another host has taken the journal over"

#: Finds the numbers of the runs that have their lock.
_LOCKS = """
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = %s::bigint::oid AND objsubid = 2"""
_SEEN = f"""
    SELECT epoch, name, coalesce(address, ''), coalesce(token, ''), ended IS NOT NULL,
    epoch IN ({_LOCKS}) FROM member WHERE heir IS NULL ORDER BY epoch"""
#: Finds a living member with another number of the interface between members.
_SPEAKS_OTHERWISE = f"""
    SELECT name, address, interface FROM member WHERE heir IS NULL AND ended IS NULL AND address IS NOT NULL
    AND interface <> %s AND epoch IN ({_LOCKS}) ORDER BY epoch LIMIT 1"""
#: Finds row 0 of unfinished tables, with the notes about each table, and whether it has more rows.
_OPENINGS = f"""
    SELECT coalesce(since, 0), told, due,
    lost OR EXISTS (SELECT 1 FROM event AS later WHERE later.game = live.game AND later.n = 1),
    {EVENT.postgresql} FROM live JOIN event ON event.game = live.game AND event.n = 0
    WHERE owner = %s AND {{}} ORDER BY live.game"""
#: Finds the same for tables of all owners that are in players' lists of own matches.
_SLOW = f"""
    SELECT owner, coalesce(since, 0), told, due,
    EXISTS (SELECT 1 FROM event AS later WHERE later.game = live.game AND later.n = 1),
    {EVENT.postgresql} FROM live JOIN event ON event.game = live.game AND event.n = 0
    WHERE live.game IN (SELECT own.game FROM own WHERE ended IS NULL) AND {{}} ORDER BY live.game"""

#: Compares the list of unfinished tables with its noted count and sum.
_NOTED = """
    SELECT noted.tables, found.tables, (noted.tables, noted.numbers) = (found.tables, found.numbers)
    FROM (SELECT coalesce(sum(tables), 0)::bigint AS tables, coalesce(sum(numbers), 0) AS numbers FROM member) AS noted,
    (SELECT count(*) AS tables, coalesce(sum(game), 0) AS numbers FROM live) AS found"""
#: Notes the count and sum of the list of unfinished tables, while no other session changes the list.
NOTE_LIST = """
    UPDATE member SET (tables, numbers) = (SELECT count(*), coalesce(sum(game), 0) FROM live WHERE owner = epoch)"""
#: Makes this member the owner of a sleeping table of another member.
_TAKE = f"""
    WITH changed AS (
        UPDATE live SET owner = %(me)s, inherited = owner WHERE game = %(game)s RETURNING inherited AS owner, game
    )
    UPDATE member SET tables = member.tables + sign * counted.tables, numbers = member.numbers + sign * counted.numbers
    FROM {COUNTED} CROSS JOIN (VALUES (%(me)s::bigint, 1), (%(owner)s::bigint, -1)) AS two(run, sign) WHERE epoch = run"""
#: Finds whether a third member has taken over a member.
_TAKEN_BY_ANOTHER = "SELECT 1 FROM member WHERE epoch = %s AND heir <> %s"
#: Removes tables from the list of unfinished tables.
REMOVE_ALL = REMOVE.postgresql.replace("= ?", "= ANY(?)")
#: Makes this member the owner of all tables of a dead member. They sleep then.
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
#: Finds the tables with a noted row that does not exist any more; of one run, or of all runs.
MISSING = """
    SELECT live.game, live.n FROM live LEFT JOIN event ON event.game = live.game AND event.n = live.n AND event.h = live.h
    WHERE {} AND live.n IS NOT NULL AND NOT lost AND event.game IS NULL ORDER BY live.game"""
#: Why a table without its noted row is damaged.
MISSING_ROW = "table {}: row {} was durable, and is missing or was changed"
#: Finds, among some newest rows of tables, those that the database does not have, and that were not removed on purpose.
_NOT_HELD = """
    SELECT game FROM unnest(%s::int8[], %s::int4[], %s::bytea[]) AS head(game, n, h)
    WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.game = head.game AND event.n = head.n AND event.h = head.h)
    AND NOT EXISTS (SELECT 1 FROM removed WHERE removed.game = head.game)"""
#: Forgets removed tables after an hour. No member compares such an old table with the database.
_FORGET_REMOVED = "DELETE FROM removed WHERE at < now() - interval '1 hour'"
#: Marks tables as damaged by a loss. Tables that are missing in the list of unfinished tables are added to it.
_MARK_LOST = """
    WITH marked AS (
        INSERT INTO live(game, owner, n, h, lost)
        SELECT game, %(run)s, n, h, true FROM unnest(%(games)s::int8[], %(n)s::int4[], %(h)s::bytea[]) AS head(game, n, h)
        ON CONFLICT (game) DO UPDATE SET n = excluded.n, h = excluded.h, lost = true RETURNING game, xmax = 0 AS added
    )
    UPDATE member SET tables = member.tables + counted.tables, numbers = member.numbers + counted.numbers
    FROM (SELECT count(*) AS tables, coalesce(sum(game), 0) AS numbers FROM marked WHERE added) AS counted
    WHERE epoch = %(run)s"""
#: Finds the tables of a run that are marked so, with the row that players received and the newest row in the database.
_LOST = """
    SELECT game, n, (SELECT max(event.n) FROM event WHERE event.game = live.game) FROM live
    WHERE owner = %s AND lost AND coalesce(inherited = %s, true) ORDER BY game"""

#: Makes the server end this session if it sends nothing for so long in a transaction. A process that hangs must not keep the
#: cluster's lock, for which others wait.
_SILENCE = "SET LOCAL idle_in_transaction_session_timeout = '3s'"


@frozen
class ClusterAddress:
    """
    The facts by which other members reach a member.

    :param spreading: the wires that spread: see `keys_of_table`; the other members cannot read this
    """

    #: The address to which the other members connect, such as `tcp:10.0.0.1:8990`.
    address: str
    #: The secret at the beginning of each connection to the member. It changes with each run.
    token: str = field(repr=False)
    spreading: Collection[str] = ()


def look(session: Session) -> list[Seen]:
    """Returns all runs that no other member has taken over, by their numbers: living ones, and ended ones."""
    return [Seen(*row) for row in session.rows(_SEEN, (session.lock_class,))]


def living(session: Session) -> str:
    """Returns the names and addresses of the living members, as a text for people."""
    return ", ".join(f"{one.name} at {one.address}" for one in look(session) if one.locked and not one.ended)


def lock_cluster(session: Session, say: Callable[[str], None] = lambda words: None) -> None:
    """
    Takes the lock of the cluster until the end of the transaction. Other members need it to start, to take over a
    member that has ended, or to record a loss; this function waits until they are done. If the transaction is idle for
    three seconds, the server ends the session.

    :param say: called with words for the log, if this has to wait
    """
    # A hanging process must not block the other members.
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
    Begins a run of a host, in a session that has the lock of the store. From now on the session also has the lock of the run.

    If no other member is alive, this run takes over all tables and names of earlier runs.

    :param name: the name of the machine, for people
    :param cluster: the facts for the other members; `None`: this host is alone, and shares the store with no other
    :param accept_loss: whether a changed list of unfinished tables is accepted
    :param say: called with words for the log, if this has to wait
    :returns: the number of the run
    :raises StoreUnusable: no other member is alive, and the list of unfinished tables was changed; or the lock of the run is
        taken; or a living member has another interface number
    """
    address, token = (None, None) if cluster is None else (cluster.address, cluster.token)
    with transaction(session):
        lock_cluster(session, say)
        # Check the list of unfinished tables if no member is alive, and the interface of those that are alive.
        others = living(session)
        if not (others or accept_loss):
            # There is one fault at most.
            for fault in list_faults(session):
                raise StoreUnusable(f"{fault}. {VERIFY_FIRST}")
        for other, where, its in session.rows(_SPEAKS_OTHERWISE, (INTERFACE, session.lock_class)):
            raise StoreUnusable(
                f"the member {other} at {where} is of another release: it has interface {its} between members, and this "
                f"release has {INTERFACE}; stop all members, and start them with one release"
            )
        insert = "INSERT INTO member(name, address, token, interface) VALUES (%s, %s, %s, %s) RETURNING epoch"
        epoch = int(session.rows(insert, (name, address, token, INTERFACE))[0][0])
        # Take the lock before the row is committed. A run with a visible row and a free lock counts as ended.
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
    Takes over the tables and names of a member that has ended. Its names without a seat become free. A second call gives the
    same result.

    :param me: the number of this run
    :param dead: the number of the ended run
    :param spreading: the wires that spread; see `keys_of_table`
    :returns: the unfinished tables, oldest first, which all sleep now, and the keys of their names that have their home here.
        `None`: the member is alive, or another member has taken it over, or another member has the cluster's lock now
    :raises StoreFailed: another member has ended this run
    """
    with transaction(session):
        session.run(_SILENCE)
        # False: another member has taken this run over.
        if session.rows("SELECT may_change_names(%s)", (me,)) != [(True,)]:
            raise StoreFailed(TAKEN_OVER)
        # Another member has the cluster's lock, so the caller tries again later.
        if not session.rows(f"SELECT pg_try_advisory_xact_lock({session.lock_class:d}, {CLUSTER_LOCK})")[0][0]:
            return None
        # Wait until a group of requests that the dead run has begun is carried out. No other one can begin after this.
        session.rows(f"SELECT pg_advisory_xact_lock({_NAMES_CLASS}, %s::int)", (dead,))
        if not _has_ended(session, dead) or session.rows(_TAKEN_BY_ANOTHER, (dead, me)):
            return None
        # Move its tables to this member, and remove its waiting players and its page.
        session.run("UPDATE member SET ended = coalesce(ended, now()), heir = %s WHERE epoch = %s", (me, dead))
        session.run(_MOVE, {"dead": dead, "to": me})
        session.run("UPDATE opened SET owner = %s WHERE owner = %s", (me, dead))
        session.run("DELETE FROM seeking WHERE home = %s", (dead,))
        session.run("DELETE FROM page USING member WHERE epoch = home AND ended IS NOT NULL")
        # Make this member the home of the names in these tables. All other names of the dead run become free.
        tables = list(_tables(session, me, f"inherited = {dead:d}"))
        here = take_home(session, me, tables, spreading)
        session.run("DELETE FROM session WHERE home = %s", (dead,))
    return tables, here


def take(session: Session, me: int, table: TableId) -> bool | None:
    """
    Makes this member the owner of a sleeping slow match, because a player of the match is here. A second call gives the same
    result.

    This function does not wait for any lock, so that two members cannot wait for each other for ever.

    :param me: the number of this run
    :returns: `True`: the match belongs to this member now, or is over. `False`: it is awake at another member. `None`: a lock
        was taken; try again in a moment
    :raises StoreFailed: another member has ended this run
    """
    with transaction(session):
        session.run(_SILENCE)
        # No member can be taken over meanwhile.
        if not session.rows(f"SELECT pg_try_advisory_xact_lock_shared({session.lock_class:d}, {CLUSTER_LOCK})")[0][0]:
            return None
        found = session.rows("SELECT owner, since IS NOT NULL AND NOT lost FROM live WHERE game = %s", (table,))
        # The match is over, or belongs to this member already.
        if not found or found[0][0] == me:
            return True
        [(owner, sleeps)] = found
        # Its players are at the other member, or rows of it are lost.
        if not sleeps:
            return False
        if session.rows("SELECT 1 FROM member WHERE epoch = %s AND ended IS NOT NULL", (me,)):
            raise StoreFailed(TAKEN_OVER)
        # Lock the rows of both members and of the match. A row that somebody else has locked is skipped, and missing
        # then.
        members = session.rows("SELECT 1 FROM member WHERE epoch IN (%s, %s) FOR UPDATE SKIP LOCKED", (me, owner))
        asleep = "SELECT 1 FROM live WHERE game = %s AND owner = %s AND since IS NOT NULL FOR UPDATE SKIP LOCKED"
        if len(members) < 2 or not session.rows(asleep, (table, owner)):
            return None
        session.run(_TAKE, {"me": me, "owner": owner, "game": table})
    return True


def slow_matches(session: Session, tables: Sequence[int] | None = None) -> list[tuple[int, UnfinishedTable]]:
    """
    Returns the unfinished slow matches of all members, oldest first, each with the number of its owner.

    :param tables: the numbers of the tables to look for; `None`: all tables
    """
    which = "true" if tables is None else "live.game = ANY(%s)"
    found: list[tuple[int, UnfinishedTable]] = []
    for owner, since, told, due, begun, *columns in session.rows(
        _SLOW.format(which), () if tables is None else (tables,)
    ):
        row = Row._make(columns)
        # Another release has written a match that this one cannot read.
        with suppress(Undecodable):
            table = UnfinishedTable(TableId(row.game), read_opening(row), begun, since, seats_of(told), due)
            if table.opening.slow is not None:
                found.append((owner, table))
    return found


def take_home(session: Session, me: int, tables: Iterable[UnfinishedTable], spreading: Collection[str]) -> list[str]:
    """
    Makes this member the home of the names and places of some tables, and of its own tables that wait for players. A
    name that a living member has as its home does not change. It must be called within a transaction.

    :returns: the keys that have their home here now
    """
    keys = list(
        {key for table in tables for key in keys_of_table(table, spreading)}
        | {key for one in read_opened(session, me) for key in keys_of_opened(one)}
    )
    # New keys first: this may wait for other members. All insert keys in the same order, so no two wait for each other.
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
    Takes over all tables of all earlier runs, and notes that these runs have ended. No other member may be alive. It
    must be called within a transaction with the cluster's lock.

    :param me: the number of this run
    :param cluster: the facts of this member: it becomes the home of the names in all unfinished tables, and all other
        names become free; `None`: this host is no member of a cluster, and all names become free
    """
    # Wait until requests of earlier runs are carried out.
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
    # This member reads everything anew at its start.
    session.run("DELETE FROM change")
    # Set the sequence of table numbers. A host without a cluster has not used the sequence: it has counted from the
    # highest number. So the sequence may be behind.
    session.rows(
        "SELECT setval('table_number', greatest(last_value + is_called::int, "
        "(SELECT max(game) + 1 FROM event), (SELECT max(game) + 1 FROM live), (SELECT max(game) + 1 FROM opened)), false) "
        "FROM table_number"
    )


def take_numbers(session: Session, count: int) -> list[int]:
    """Takes numbers for new tables from the database. No member gets the same number again."""
    return [row[0] for row in session.rows("SELECT nextval('table_number') FROM generate_series(1, %s)", (count,))]


@frozen
class LostTable:
    """A table of which the database has lost rows that players have received."""

    table: TableId
    #: The number of the newest row that players have received.
    told: int
    #: The number of the newest row in the database; `None`: there is no row.
    held: int | None

    @property
    def why(self) -> str:
        """The reason why the table is suspended, as a sentence for the owner of the host."""
        held = "no row" if self.held is None else f"row {self.held}"
        return (
            f"table {self.table} is suspended: players received row {self.told}, and the newest one in the database is "
            f"{held}; gamehost admin lost decides"
        )


def columns_of(heads: Mapping[int, Head]) -> tuple[list[int], list[int], list[bytes]]:
    """Returns the newest rows of tables as three columns: the numbers of the tables, the row numbers, and the hashes."""
    return list(heads), [head.n for head in heads.values()], [head.h for head in heads.values()]


def note_removed(session: Session, tables: Sequence[int]) -> None:
    """
    Notes that the rows of finished tables are removed on purpose, and not lost. It must be called within the transaction that
    removes them.
    """
    session.run(_FORGET_REMOVED)
    session.run("INSERT INTO removed(game) SELECT unnest(%s::int8[]) ON CONFLICT DO NOTHING", (tables,))


def mark_lost(session: Session, run: int, heads: Mapping[int, Head]) -> list[int]:
    """
    Finds rows that players have received and the database has lost, for example since it was put back to an older
    state. Suspends the tables of these rows.

    :param run: the number of the run that becomes the owner of tables which are missing in the list of unfinished tables. The
        database may have lost the run, too; then it is added.
    :param heads: the newest row of each table that players have received
    :returns: the numbers of the suspended tables
    """
    # The tables with a newest row that the database does not have.
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
        # No number of a run or table may be given again, although the database may have forgotten them.
        session.rows(
            "SELECT setval('member_epoch_seq', greatest(last_value, %s), true) FROM member_epoch_seq "
            "UNION ALL SELECT setval('table_number', greatest(last_value, %s), true) FROM table_number",
            (run, max(games)),
        )
    return games


def lost(session: Session, epoch: int, inherited: int | None = None) -> list[LostTable]:
    """
    Returns the suspended tables of a run: those of which the database has lost rows.

    :param epoch: the number of the run
    :param inherited: only tables that were taken over from the run with this number; `None`: all
    """
    return [LostTable(*row) for row in session.rows(_LOST, (epoch, inherited))]


def go_on(session: Session, epoch: int, table: TableId) -> UnfinishedTable | None:
    """
    Resumes a suspended table with the rows that are left, because the owner of the host wants it.

    :returns: the table, which sleeps; `None`: no suspended table of this run has this number, or no row is left
    """
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
    Returns whether a run has ended: its end is noted, or its lock is free. In the second case this transaction takes the
    lock, so that the run cannot continue.
    """
    if session.rows("SELECT 1 FROM member WHERE epoch = %s AND ended IS NOT NULL", (epoch,)):
        return True
    return bool(session.rows("SELECT pg_try_advisory_xact_lock(%s::int, %s::int)", (session.lock_class, epoch))[0][0])


def _tables(session: Session, owner: int, which: str) -> Iterator[UnfinishedTable]:
    """
    Yields unfinished tables of a run, oldest first. Tables that this release cannot read are left out.

    :param which: a condition in SQL that chooses the tables
    """
    for since, told, due, begun, *columns in session.stream(_OPENINGS.format(which), (owner,)):
        row = Row._make(columns)
        try:
            yield UnfinishedTable(TableId(row.game), read_opening(row), begun, since, seats_of(told), due)
        except Undecodable:
            continue


def list_faults(session: Session) -> list[str]:
    """
    Compares the list of unfinished tables with the noted count and sum. Returns a sentence if they differ: somebody has added
    or removed a table.
    """
    [(noted, found, same)] = session.rows(_NOTED)
    if same:
        return []
    what = f"it has {found} tables, and {noted} were durable" if noted != found else "other tables are in it"
    return [f"the list of unfinished tables was changed: {what}"]


def note_faults(session: Session) -> list[str]:
    """Returns the faults in the notes about unfinished tables, which a start would find, a sentence for each."""
    missing = session.rows(MISSING.format("true"))
    return list_faults(session) + [MISSING_ROW.format(table, n) for table, n in missing]
