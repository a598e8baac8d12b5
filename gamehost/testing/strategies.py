"""
What Hypothesis draws for the journal's tests: openings, entries, and whole histories of several tables.
"""

from attrs import frozen
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader

names = st.text(max_size=12)

seat_records = st.builds(
    SeatRecord, name=names, wire=st.sampled_from(["onitama", "stratego-lines"]), address=names, account=st.booleans()
)

openings = st.builds(
    TableHeader,
    game=st.sampled_from(["onitama", "stratego", "eriantys"]),
    version=st.integers(0, 99),
    seats=st.lists(seat_records, max_size=4).map(tuple),
    settings=st.dictionaries(names, names, max_size=3),
)


def entries(finishing: bool) -> st.SearchStrategy[Entry]:
    """Entries that finish a table, or such as do not."""
    kinds = [kind for kind in EntryKind if kind is not EntryKind.ARCHIVED]
    return st.builds(
        Entry,
        kind=st.sampled_from(kinds),
        at=st.integers(0, 2**48),
        seat=st.none() | st.integers(0, 5).map(Seat),
        notation=st.binary(max_size=20) | st.binary(min_size=120, max_size=300),
        drawn=st.lists(st.integers(0, 300) | st.integers(0, 2**70), max_size=5).map(tuple),
        outcome=st.text(min_size=1, max_size=20) if finishing else st.just(""),
        check=st.just(b"") | st.binary(min_size=8, max_size=8),
    )


archived = st.integers(0, 2**48).map(lambda at: Entry(EntryKind.ARCHIVED, at))
any_entry = entries(False) | entries(True) | archived


@frozen
class Add:
    """Open a new table (`None` as number), or add to the open table at this place (counted round)."""

    place: int | None
    what: TableHeader | Entry


histories = st.lists(
    st.builds(Add, place=st.none(), what=openings)
    | st.builds(Add, place=st.integers(0, 5), what=entries(False))
    | st.builds(Add, place=st.integers(0, 5), what=entries(False))
    | st.builds(Add, place=st.integers(0, 5), what=entries(True) | archived),
    max_size=25,
)
