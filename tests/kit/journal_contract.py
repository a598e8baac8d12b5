"""
The tests that every journal must pass. A journal's test module derives `class XTests(JournalContract, PropertyCase)`. For a
journal that outlives the process it derives from `DurableJournalContract`. It says how to make a journal.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import evolve as replace_in
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gamehost.accounts.names import place_of
from gamehost.games.base import Seat
from gamehost.journal.records import (
    ENDED_KEPT_MS,
    MISSED_END,
    MOST_ENDED,
    RATED_MATCHES,
    Entry,
    EntryKind,
    FinishedMatch,
    Journal,
    KeptText,
    Leave,
    OpenedTable,
    OwnedMatch,
    SeatRecord,
    TableHeader,
    TableId,
    TableRecord,
)
from gamehost.testing.cases import Mixin

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
    place: int | None
    what: TableHeader | Entry


histories = st.lists(
    st.builds(Add, place=st.none(), what=openings)
    | st.builds(Add, place=st.integers(0, 5), what=entries(False))
    | st.builds(Add, place=st.integers(0, 5), what=entries(False))
    | st.builds(Add, place=st.integers(0, 5), what=entries(True) | archived),
    max_size=25,
)


OPENING = TableHeader("onitama", 1, (SeatRecord("Ann", "onitama"), SeatRecord("Bob", "onitama")), {"move_time": "30"})
BEGAN = Entry(EntryKind.BEGAN, 0, drawn=(3, 1, 4))
MOVE = Entry(EntryKind.ACTED, 1200, Seat(0), b"boar b1-b2")
END = Entry(EntryKind.FORFEITED, 2400, Seat(1), outcome="seat 1 was given up")
PUT_AWAY = Entry(EntryKind.ARCHIVED, 2400)


def nothing() -> None:
    """Nobody waits for this entry."""


def ours(state: Any, table: int = 3, ended: int | None = None) -> OwnedMatch:
    """A match in the list of a player."""
    names = ("Ann", "Ole\u00e9 :")
    return OwnedMatch(
        TableId(table), "onitama", names, 1, state, 9, "K7QM2X4A", ended, (0,), "left", "nobody came back"
    )


class JournalContract(Mixin):
    def new_journal(self) -> Journal:
        """A journal without tables, in a place of its own."""
        raise NotImplementedError

    def until_idle(self, journal: Journal) -> None:
        """Wait until the journal has made all its callbacks."""

    def records(self, journal: Journal) -> list[TableRecord]:
        """Load all tables that a journal, which was just opened, has unfinished."""
        found: list[TableRecord | str] = []
        tables = [one.table for one in journal.unfinished()]
        for table in tables:
            journal.load(table, found.append)
        self.until_idle(journal)
        records = [record for record in found if isinstance(record, TableRecord)]
        assert [record.table for record in records] == tables, found
        return records

    def find(
        self, journal: Journal, below: int | None, count: int, game: str = "", name: str = ""
    ) -> tuple[list[FinishedMatch], int]:
        found: list[tuple[list[FinishedMatch], int]] = []
        journal.finished(below, count, lambda matches, low: found.append((list(matches), low)), game=game, name=name)
        self.until_idle(journal)
        return found[0]

    def find_all(
        self, journal: Journal, below: int | None, count: int, game: str = "", name: str = ""
    ) -> list[FinishedMatch]:
        everything: list[FinishedMatch] = []
        while below != 1:
            found, low = self.find(journal, below, count, game, name)
            assert len(found) <= count, (count, found)
            assert low >= 1 and (below is None or low < below), (below, count, low)
            assert all(low <= one.table and (below is None or one.table < below) for one in found), found
            everything += found
            below = low
        return everything

    def match(self, journal: Journal, table: int) -> FinishedMatch | None:
        found: list[FinishedMatch | None] = []
        journal.match(TableId(table), found.append)
        self.until_idle(journal)
        return found[0]

    def add_match(self, journal: Journal, opening: TableHeader, last: Entry = END) -> TableId:
        table = journal.new_table()
        journal.open(table, opening, nothing)
        for entry in (BEGAN, MOVE, last):
            journal.append(table, entry, nothing)
        return table

    def test_finished_matches_are_found(self) -> None:
        """With a result, the newest first, and as far as was asked. Those put away are no matches with a result."""
        journal = self.new_journal()
        self.assertEqual(self.find(journal, None, 5), ([], 1))
        tables = [self.add_match(journal, OPENING, last) for last in (END, MOVE, END, PUT_AWAY, END)]
        self.until_idle(journal)
        with_result = [tables[place] for place in (4, 2, 0)]
        for below, expected in (
            (None, with_result),
            (2**62, with_result),
            (tables[4], with_result[1:]),
            (tables[2], with_result[2:]),
            (tables[0], []),
        ):
            for count in (1, 2, 9):
                self.assertEqual([one.table for one in self.find_all(journal, below, count)], expected)
        match = self.find_all(journal, tables[1], 9)[0]
        self.assertEqual((match.opening, match.entries, match.last), (OPENING, 3, END))
        loaded: list[object] = []
        journal.load(match.table, loaded.append)
        self.until_idle(journal)
        self.assertEqual(loaded, [TableRecord(match.table, OPENING, (BEGAN, MOVE, END))])

    def test_lists_by_game_and_name(self) -> None:
        """A game is compared exactly, and a name as names are. A match with a code is in no list."""
        journal = self.new_journal()
        strasse, ann, bob = (SeatRecord(name, "open") for name in ("Straße", "Ann", "Bob"))
        openings = (
            TableHeader("onitama", 1, (ann, bob)),
            TableHeader("stratego", 1, (bob, strasse)),
            TableHeader("onitama", 1, (ann, ann), {"code": "SECRET"}),
            TableHeader("onitama", 1, (strasse, strasse)),
            TableHeader("onitama", 1, (ann, bob), {"rated": "yes"}),
        )
        tables = [self.add_match(journal, opening) for opening in openings]
        self.until_idle(journal)
        for game, name, places in (
            ("", "", (4, 3, 1, 0)),
            ("onitama", "", (4, 3, 0)),
            ("Onitama", "", ()),
            ("", "ANN", (4, 0)),
            ("", "bob", (4, 1, 0)),
            ("", "STRASSE", (3, 1)),
            ("onitama", "bob", (4, 0)),
            ("", RATED_MATCHES, (4,)),
            ("stratego", RATED_MATCHES, ()),
            ("stratego", "ann", ()),
            ("", "nobody", ()),
        ):
            for count in (1, 9):
                found = self.find_all(journal, None, count, game, name)
                self.assertEqual([one.table for one in found], [tables[place] for place in places], (game, name))
        self.assertEqual(self.find_all(journal, tables[1], 9, name="bob")[0].opening, openings[0])

    def test_a_match_is_found_by_its_number(self) -> None:
        journal = self.new_journal()
        private = TableHeader("onitama", 1, OPENING.seats, {"code": "SECRET"})
        tables = [
            self.add_match(journal, *how)
            for how in ((OPENING,), (private,), (OPENING, MOVE), (OPENING, PUT_AWAY), (OPENING,))
        ]
        self.until_idle(journal)
        for table, opening in zip(tables, (OPENING, private, None, None, OPENING), strict=True):
            found = self.match(journal, table)
            if opening is None:
                self.assertIs(found, None)
            else:
                assert found is not None
                self.assertEqual((found.table, found.opening, found.entries, found.last), (table, opening, 3, END))
        for number in (0, -1, tables[0] - 1, tables[-1] + 1, tables[-1] + 7, 2**63 - 1, 2**64):
            self.assertIs(self.match(journal, number), None, number)

    def carry_out(self, journal: Journal, history: list[Add]) -> tuple[list[TableRecord], list[int], list[int]]:
        """Make the calls of a history. Returns the unfinished tables, the calls made, and the calls that were confirmed."""
        live: list[TableRecord] = []
        asked: list[int] = []
        called: list[int] = []
        for number, step in enumerate(history):
            if isinstance(step.what, TableHeader) or live:
                asked.append(number)
            durable: Callable[[], None] = partial(called.append, number)
            if isinstance(step.what, TableHeader):
                table = journal.new_table()
                journal.open(table, step.what, durable)
                live.append(TableRecord(table, step.what, ()))
            elif live:
                place = (step.place or 0) % len(live)
                record = live[place]
                journal.append(record.table, step.what, durable)
                live[place] = TableRecord(record.table, record.opening, (*record.entries, step.what))
                if step.what.outcome or step.what.kind is EntryKind.ARCHIVED:
                    del live[place]
                    journal.told(record.table)
        return live, asked, called

    def test_newest_entries(self) -> None:
        """What was added behind a number, of unfinished and of finished tables."""
        journal, found = self.new_journal(), list[object]()
        tables = [journal.new_table() for _ in range(3)]
        for table, last in zip(tables, (MOVE, END, BEGAN), strict=True):
            journal.open(table, OPENING, nothing)
            for entry in (BEGAN, MOVE, last):
                journal.append(table, entry, nothing)
        self.until_idle(journal)
        journal.entries_after(dict(zip(tables, (0, 2, 3), strict=True)), found.append)
        self.until_idle(journal)
        self.assertEqual(found, [{tables[0]: [BEGAN, MOVE, MOVE], tables[1]: [END]}])

    def test_no_other_host_plays(self) -> None:
        """Tables of this host are not among those that other hosts play."""
        journal, found = self.new_journal(), list[object]()
        journal.open(journal.new_table(), OPENING, nothing)
        journal.elsewhere((), 5, lambda tables, count: found.append((list(tables), count)))
        self.until_idle(journal)
        self.assertEqual(found, [([], 0)])

    def test_a_record_is_read(self) -> None:
        """With all that was called back for before, and it can be added to as before."""
        journal, found = self.new_journal(), list[object]()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, BEGAN, nothing)
        self.until_idle(journal)
        journal.read(table, found.append)
        self.until_idle(journal)
        journal.append(table, MOVE, nothing)
        self.until_idle(journal)
        journal.read(table, found.append)
        self.until_idle(journal)
        self.assertEqual(found, [TableRecord(table, OPENING, some) for some in ((BEGAN,), (BEGAN, MOVE))])

    def test_the_numbers_of_tables_rise(self) -> None:
        journal = self.new_journal()
        numbers = [journal.new_table() for _ in range(300)]
        self.assertGreaterEqual(numbers[0], 1)
        self.assertEqual(numbers, sorted(set(numbers)))

    @given(histories)
    def test_everything_is_called_back_once_and_in_order(self, history: list[Add]) -> None:
        """Each entry is confirmed once, in the order of the calls."""
        journal = self.new_journal()
        _, asked, called = self.carry_out(journal, history)
        self.until_idle(journal)
        self.assertEqual(called, asked)

    def test_a_callback_may_append(self) -> None:
        """An entry that is added from within a callback is confirmed after it."""
        journal = self.new_journal()
        called: list[str] = []
        table = journal.new_table()

        def opened() -> None:
            called.append("opened")
            journal.append(table, MOVE, partial(called.append, "moved"))

        journal.open(table, OPENING, opened)
        self.until_idle(journal)
        self.assertEqual(called, ["opened", "moved"])

    def test_nothing_is_added_to_a_table_that_was_never_opened(self) -> None:
        """An entry of a table that was not opened is refused at once."""
        journal = self.new_journal()
        self.assertRaises(ValueError, journal.append, TableId(7), MOVE, nothing)
        self.until_idle(journal)

    def test_nothing_is_added_to_a_finished_table(self) -> None:
        """A table's record ends with an outcome, or when it is archived."""
        for last in (END, Entry(EntryKind.ARCHIVED, 99)):
            journal = self.new_journal()
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, BEGAN, nothing)
            journal.append(table, last, nothing)
            self.assertRaises(ValueError, journal.append, table, MOVE, nothing)
            self.until_idle(journal)

    def own(self, journal: Journal, owner: str) -> list[OwnedMatch]:
        found: list[OwnedMatch] = []
        journal.find_own(owner, found.extend)
        self.until_idle(journal)
        return found

    def test_the_list_of_a_player(self) -> None:
        """Each list has a match once, as it was put in last. No other list is touched."""
        journal, called = self.new_journal(), list[str]()
        ann = ours("wait")
        journal.put_own(
            [("ann", ann), ("ann:~1", ours("open", 7)), ("ben:~2", ours("turn"))], partial(called.append, "put")
        )
        journal.put_own([("ann", replace(ann, state="turn", by=5)), ("ann", ours("turn", 2**40))], nothing)
        journal.drop_own(TableId(3), "ben:~2", partial(called.append, "dropped"))
        self.assertEqual(self.own(journal, "ann"), [replace(ann, state="turn", by=5), ours("turn", 2**40)])
        self.assertEqual(self.own(journal, "ann:~1"), [ours("open", 7)])
        self.assertEqual([self.own(journal, owner) for owner in ("ben:~2", "an", "")], [[], [], []])
        journal.drop_own(TableId(3), None, nothing)
        self.assertEqual(self.own(journal, "ann"), [ours("turn", 2**40)])
        self.assertEqual(called, ["put", "dropped"])

    def leaves(self, journal: Journal) -> list[Leave]:
        found: list[Leave] = []
        journal.find_leaves(found.extend)
        self.until_idle(journal)
        return found

    def test_leaves(self) -> None:
        """A player has one, and a new name with the list. Of a table it has a key of its own."""
        journal, called = self.new_journal(), list[str]()
        for leave in (Leave("ann", 5, 2026, 14), Leave("#7", 2**41), Leave("ben:~2", 1, 2026, 28)):
            journal.put_leave(leave, nothing)
        journal.put_leave(Leave("ann", 6, 2026, 9), partial(called.append, "put"))
        both = [Leave("#7", 2**41), Leave("ann", 6, 2026, 9), Leave("ben:~2", 1, 2026, 28)]
        self.assertEqual((self.leaves(journal), called), (both, ["put"]))
        journal.move_own("ben:~2", None)
        journal.move_own("ann", "amy")
        self.assertEqual(self.leaves(journal), [Leave("#7", 2**41), Leave("amy", 6, 2026, 9)])

    def opened(self, journal: Journal) -> TableId:
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        return table

    def kept(self, journal: Journal, key: str, place: str) -> str:
        found: list[str] = []
        journal.find_kept(key, place, found.append)
        self.until_idle(journal)
        return found[0]

    def test_texts_that_accounts_keep(self) -> None:
        """Each has one a place, as it was put in last. It has a new name with its account, and goes with it."""
        journal, called = self.new_journal(), list[str]()
        table = self.opened(journal)
        for key, place, text in (
            ("ann", "stratego", "old"),
            ("ben", "stratego", "Žofie"),
            ("ann", place_of(table), "marks"),
            ("ann", "stratego", "new"),
            ("amy", "stratego", "hers"),
            ("ben", "onitama", "more"),
            ("ben", "onitama", ""),
        ):
            journal.put_kept(KeptText(key, place, text), partial(called.append, text))
        self.assertEqual(self.kept(journal, "ben", "stratego"), "Žofie")
        self.assertEqual(called, ["old", "Žofie", "marks", "new", "hers", "more", ""])
        self.assertEqual([self.kept(journal, "ben", place) for place in ("onitama", place_of(table))], ["", ""])
        journal.move_own("ann", "amy")
        journal.move_own("ben", None)
        places = "stratego", place_of(table)
        found = [[self.kept(journal, key, place) for place in places] for key in ("amy", "ann", "ben")]
        self.assertEqual(found, [["new", "marks"], ["", ""], ["", ""]])

    def test_texts_of_a_match_go_with_its_end(self) -> None:
        """Also when nobody has come back to it. What comes later is not kept."""
        journal = self.new_journal()
        for last in (END, PUT_AWAY):
            table, other = self.opened(journal), self.opened(journal)
            for one in table, other:
                journal.put_kept(KeptText("ann", place_of(one), "marks"), nothing)
            journal.append(table, last, nothing)
            journal.told(table)
            self.assertEqual([self.kept(journal, "ann", place_of(one)) for one in (table, other)], ["", "marks"])
            journal.put_kept(KeptText("ann", place_of(table), "more"), nothing)
            journal.put_kept(KeptText("ann", place_of(2**40), "none"), nothing)
            self.assertEqual([self.kept(journal, "ann", place_of(one)) for one in (table, 2**40)], ["", ""])

    def test_a_list_has_another_owner(self) -> None:
        """It replaces a list that the new owner has, or nobody has it any more."""
        journal = self.new_journal()
        journal.put_own([("ann", ours("turn")), ("amy", ours("wait", 4)), ("bob", ours("wait"))], nothing)
        journal.move_own("ann", "amy")
        journal.move_own("bob", None)
        self.assertEqual([self.own(journal, owner) for owner in ("ann", "amy", "bob")], [[], [ours("turn")], []])

    def test_matches_that_have_ended(self) -> None:
        """The newest ones of a list stay; what goes on stays however many there are."""
        journal = self.new_journal()
        journal.put_own([("ann", ours("turn", table)) for table in range(100, 100 + MOST_ENDED)], nothing)
        for table in range(1, MOST_ENDED + 3):
            journal.put_own([("ann", ours("over", table, ended=table * 1000))], nothing)
        tables = [one.table for one in self.own(journal, "ann")]
        self.assertEqual(tables, [*range(3, MOST_ENDED + 3), *range(100, 100 + MOST_ENDED)])
        journal.drop_own(None, "ann", nothing)
        self.assertEqual(len(self.own(journal, "ann")), MOST_ENDED)


class DurableJournalContract(JournalContract):
    """The behaviours of journals that outlive the process."""

    def test_lists_of_players(self) -> None:
        """The next run has them. What has ended long ago goes with what ends later, in whatever list."""
        journal = self.new_journal()
        old, late = ours("over", ended=1), ours("over", 8, ended=1 + ENDED_KEPT_MS)
        journal.put_own([("ann", old), ("ann", ours("wait", 5)), ("amy", replace(late, ended=2))], nothing)
        journal = self.next_run(journal)
        self.assertEqual(self.own(journal, "ann"), [old, ours("wait", 5)])
        journal.put_own([("bob", late)], nothing)
        lists = [self.own(journal, owner) for owner in ("ann", "amy", "bob")]
        self.assertEqual(lists, [[ours("wait", 5)], [replace(late, ended=2)], [late]])

    def test_leaves_outlive_the_process(self) -> None:
        """Those that were over a year ago go."""
        journal, new = self.new_journal(), Leave("ann", 400 * 86_400_000, 1971, 3)
        for leave in (Leave("ben", 1, 1970, 28), Leave("carl", 40 * 86_400_000, 1970, 2), new):
            journal.put_leave(leave, nothing)
        self.assertEqual(self.leaves(self.next_run(journal)), [new, Leave("carl", 40 * 86_400_000, 1970, 2)])

    def test_texts_outlive_the_process(self) -> None:
        journal = self.new_journal()
        table, text = self.opened(journal), "x" * 2_000
        journal.append(table, MOVE, nothing)
        for place in "stratego", place_of(table):
            journal.put_kept(KeptText("ann", place, text), nothing)
        journal = self.next_run(journal)
        self.assertEqual([self.kept(journal, "ann", place) for place in ("stratego", place_of(table))], [text, text])

    def next_run(self, journal: Journal) -> Journal:
        """The same journal, closed, and opened again by the next run of the host."""
        raise NotImplementedError

    @given(histories, histories)
    def test_the_next_life_finds_what_was_unfinished(self, first: list[Add], second: list[Add]) -> None:
        """Openings and entries are read back equal, the oldest table first, in every later run."""
        journal = self.new_journal()
        live, _, _ = self.carry_out(journal, first)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), sorted(live, key=lambda record: record.table))
        more, _, _ = self.carry_out(journal, second)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), sorted(live + more, key=lambda record: record.table))
        self.until_idle(journal)

    @given(st.integers(1, 5))
    def test_a_number_is_never_used_twice(self, tables: int) -> None:
        """The numbers of the next run are higher than those of all tables before, finished ones included."""
        journal = self.new_journal()
        for _ in range(tables):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, END, nothing)
            journal.told(table)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), [])
        self.assertGreater(journal.new_table(), table)
        self.until_idle(journal)

    def test_tables_that_wait(self) -> None:
        """The next run finds them as they stood, and its numbers are higher."""
        journal: Any = self.new_journal()
        first, second = journal.new_table(), journal.new_table()
        olga = SeatRecord("Ol\u00e9", "open", "192.0.2.1", False, "~1")
        waiting = OpenedTable(first, "onitama", 3, {"move_time": "60"}, "K7QM2X4A", (olga,), True, 1_700_000_000_000)
        for one in (
            waiting,
            replace(waiting, table=second),
            replace(waiting, players=(olga, replace_in(olga, name="Ben"))),
        ):
            journal.put_opened(one, nothing)
        journal.drop_opened(second, nothing)
        journal.drop_opened(TableId(999), nothing)
        journal = self.next_run(journal)
        self.assertEqual(list(journal.unfinished()), [])
        self.assertEqual(list(journal.opened()), [replace(waiting, players=(olga, replace_in(olga, name="Ben")))])
        self.assertGreater(journal.new_table(), first)
        journal.drop_opened(first, nothing)
        journal.open(first, OPENING, nothing)
        journal = self.next_run(journal)
        self.assertEqual((list(journal.opened()), len(list(journal.unfinished()))), ([], 1))
        self.until_idle(journal)

    def test_who_was_told_the_end(self) -> None:
        """It is noted by seat, until nobody is to be told any more."""
        journal = self.new_journal()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, END, nothing)
        for told in ((), (1,), (0, 1)):
            for seat in told:
                journal.told(table, Seat(seat))
            journal = self.next_run(journal)
            [one] = journal.unfinished()
            self.assertEqual(one.told, set(told))
            found: list[TableRecord | str] = []
            journal.load(table, found.append)
            self.until_idle(journal)
            self.assertEqual(found, [TableRecord(table, OPENING, (END,), frozenset(map(Seat, told)))])
        journal.told(table)
        self.assertEqual(self.records(self.next_run(journal)), [])

    def test_an_end_that_players_have_missed(self) -> None:
        """The note that they are told later is no seat's, and the next run has it."""
        journal = self.new_journal()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, END, nothing)
        journal.told(table, Seat(1))
        journal.sleep(table, 0)
        journal = self.next_run(journal)
        [one] = journal.unfinished()
        self.assertFalse(one.over)
        journal.told(table, MISSED_END)
        journal = self.next_run(journal)
        [one] = journal.unfinished()
        self.assertEqual((one.over, one.told), (True, {1, MISSED_END}))
        journal.told(table)
        self.assertEqual(self.records(self.next_run(journal)), [])

    def test_the_deadline_of_a_slow_match(self) -> None:
        """It is there in the next run; somebody who sits there makes it unknown, as of each table that does not sleep."""
        journal = self.new_journal()
        slow, other = journal.new_table(), journal.new_table()
        for table in (slow, other):
            journal.open(table, OPENING, nothing)
            journal.append(table, BEGAN, nothing)
        self.until_idle(journal)
        journal.sleep(slow, 0, 2**63 - 1)
        journal.sleep(other, 0)
        journal = self.next_run(journal)
        self.assertEqual([one.due for one in journal.unfinished()], [2**63 - 1, None])
        journal.load(slow, lambda record: None)
        journal.wake(slow)
        journal = self.next_run(journal)
        self.assertEqual([one.due for one in journal.unfinished()], [None, None])

    def test_a_table_goes_on_in_the_next_life(self) -> None:
        """What is unfinished takes entries as before, and can be finished."""
        journal = self.new_journal()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, BEGAN, nothing)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), [TableRecord(table, OPENING, (BEGAN,))])
        journal.append(table, MOVE, nothing)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), [TableRecord(table, OPENING, (BEGAN, MOVE))])
        journal.append(table, END, nothing)
        journal = self.next_run(journal)
        ended = TableRecord(table, OPENING, (BEGAN, MOVE, END))
        self.assertEqual(self.records(journal), [ended], "its players have not been told the end")
        self.assertRaises(ValueError, journal.append, table, MOVE, nothing)
        journal.told(table)
        journal = self.next_run(journal)
        self.assertEqual(self.records(journal), [])
        self.until_idle(journal)

    def test_a_table_of_another_release_is_left_out_and_named(self) -> None:
        """A kind that is not known keeps that table from being played on, and no other."""
        journal, loaded = self.new_journal(), list[TableRecord | str]()
        tables = [journal.new_table(), journal.new_table()]
        for table, entry in zip(tables, (MOVE, replace(MOVE, kind=42)), strict=True):
            journal.open(table, OPENING, nothing)
            journal.append(table, entry, nothing)
        journal = self.next_run(journal)
        for table in tables:
            journal.load(table, loaded.append)
        self.until_idle(journal)
        why = f"table {tables[1]}: row 1 is of kind 42, which this release does not know"
        self.assertEqual(loaded, [TableRecord(tables[0], OPENING, (MOVE,)), why])
        self.assertRaises(ValueError, journal.append, tables[1], MOVE, nothing)

    def test_commits_are_measured(self) -> None:
        journal: Any = self.new_journal()
        journal.open(journal.new_table(), OPENING, nothing)
        self.until_idle(journal)
        measures = journal.backlog.measures
        self.assertEqual((sum(measures.commits.counts), measures.groups.total), (1, 1))
