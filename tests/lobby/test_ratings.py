"""Glicko-2 against its published example, and who is rated: from the table to the ladder."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin import rating_line
from gamehost.games.base import Cause, Result, Seat
from gamehost.journal.records import (
    HOUSE_ADDRESS,
    RATED_MATCHES,
    Entry,
    EntryKind,
    FinishedMatch,
    SeatRecord,
    TableHeader,
    TableId,
)
from gamehost.lobby import finished
from gamehost.lobby import ratings as glicko
from gamehost.lobby.results import Who
from gamehost.measures import MatchCounts
from gamehost.storage.memory import MemoryJournal
from gamehost.testing.cases import PropertyCase
from tests.kit.admin import AdminHost
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.players import house_host
from tests.kit.web_host import WebHost
from tests.kit.wires.open import line

NAMES = ("ann", "bob", "carl", "dora", "easy.1", "hard.2")


def match(
    number: int, names: tuple[str, ...], winners: tuple[int, ...], week: int = 0, cause: Cause = Cause.RULES
) -> Any:
    seats = tuple(
        SeatRecord(name, "open", HOUSE_ADDRESS if "." in name else "192.0.2.1", account="." not in name)
        for name in names
    )
    words = Result(tuple(map(Seat, winners)), cause, "so").words(names)
    last = Entry(EntryKind.ACTED, 0, Seat(0), b"x", outcome=words)
    header = TableHeader("onitama", 1, seats, {"rated": "yes"})
    return FinishedMatch(TableId(number), week * glicko.WEEK, header, 9, last)


def rated(*matches: FinishedMatch) -> glicko.Ratings:
    running = glicko.RunningRatings()
    for _ in running.count(matches):
        pass
    return running.ratings


def value(ratings: glicko.Ratings, name: str) -> float:
    return ratings[Who("account", name), "onitama"].rating.value


MATCHES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True).map(tuple),
        st.integers(0, 3),
        st.integers(0, 30),
    ),
    max_size=20,
)


class GlickoTests(PropertyCase):
    def test_the_published_example(self) -> None:
        """Glickman, "Example of the Glicko-2 system": one who won against the first of three, and lost against the others."""
        games = [(glicko.Rating(1400, 30), 1.0), (glicko.Rating(1550, 100), 0.0), (glicko.Rating(1700, 300), 0.0)]
        found = glicko.Rating(1500, 200, 0.06).after(games, tau=0.5)
        self.assertEqual(round((found.value - 1500) / glicko.SCALE, 4), -0.2069)
        self.assertEqual(round(found.deviation / glicko.SCALE, 4), 0.8722)
        self.assertEqual((round(found.value), round(found.deviation, 2)), (1464, 151.52))
        self.assertTrue(0.05999 <= found.volatility < 0.06)

    def test_nobody_knows_less_than_nothing(self) -> None:
        self.assertEqual(glicko.Rating(1700, 349).after_rest(1000).deviation, glicko.UNKNOWN)
        self.assertEqual(glicko.Rating().after([]), glicko.Rating().after_rest(1))
        self.assertGreater(glicko.Rating(1500, 50).after_rest(10).deviation, 50)

    def test_a_surprise_makes_volatile(self) -> None:
        """Who loses often against the weakest: both branches of the search for the volatility."""
        expected = glicko.Rating(1500, 200).after([(glicko.Rating(1500, 30), 0.5)])
        surprising = glicko.Rating(2500, 50).after([(glicko.ANCHORS["random"], 0.0)] * 20)
        self.assertLess(expected.volatility, 0.06)
        self.assertGreater(surprising.volatility, 0.06)

    @given(MATCHES)
    def test_the_same_matches_give_the_same_ratings(self, played: list[tuple[tuple[str, ...], int, int]]) -> None:
        matches = [
            match(number, names, (winner,) if winner < len(names) else (), sum(weeks for *_, weeks in played[:number]))
            for number, (names, winner, _) in enumerate(played, 1)
        ]
        once = rated(*matches)
        self.assertEqual(
            [(key, one.rating, one.matches) for key, one in once.items()],
            [(key, one.rating, one.matches) for key, one in rated(*matches).items()],
        )
        for (who, _), one in once.items():
            self.assertTrue(0 < one.rating.deviation <= glicko.UNKNOWN)
            if who.kind == "house":
                self.assertEqual(one.rating, glicko.ANCHORS[who.name])


class RateTests(SynchronousTestCase):
    def test_house_players_are_anchors_only_where_they_were_measured(self) -> None:
        for game, anchored in (("onitama", True), ("stratego", True), ("gomoku", False)):
            with self.subTest(game):
                played = match(1, ("ann", "hard.1"), (0,))
                played = evolve(played, opening=evolve(played.opening, game=game))
                ratings = rated(played)
                hard = ratings[Who("house", "hard"), game].rating
                self.assertEqual(hard == glicko.ANCHORS["hard"], anchored)
                if not anchored:
                    self.assertLess(hard.value, 1_500)
                    self.assertAlmostEqual(ratings[Who("account", "ann"), game].rating.value + hard.value, 3_000)

    def test_a_win_and_a_draw(self) -> None:
        ratings = rated(match(1, ("ann", "bob"), (0,)))
        self.assertGreater(value(ratings, "ann"), 1500)
        self.assertAlmostEqual(value(ratings, "ann") + value(ratings, "bob"), 3000)
        self.assertEqual(value(rated(match(1, ("ann", "bob"), ())), "ann"), 1500)

    def test_a_match_without_a_result(self) -> None:
        self.assertEqual(rated(match(1, ("ann", "bob"), (), cause=Cause.LEFT)), {})

    def test_a_shared_victory(self) -> None:
        ratings = rated(match(1, ("ann", "bob", "carl"), (0, 2)))
        self.assertEqual(value(ratings, "ann"), value(ratings, "carl"))
        self.assertGreater(value(ratings, "ann"), value(ratings, "bob"))

    def test_who_rests_is_less_certain(self) -> None:
        first = match(1, ("ann", "bob"), (0,))
        soon, late = (rated(first, match(2, ("ann", "carl"), (0,), week)) for week in (0, 100))
        self.assertLess(value(soon, "ann"), value(late, "ann"))

    def test_an_anchor_draws_to_its_rating(self) -> None:
        ratings = rated(*(match(number, ("ann", "hard.1"), (number % 2,)) for number in range(1, 60)))
        self.assertTrue(1840 < value(ratings, "ann") < 1960)

    def test_the_ladder(self) -> None:
        tally = finished.Tally(0.0, ratings=rated(match(1, ("ann", "bob"), (1,)), match(2, ("ann", "easy.1"), (0,))))
        self.assertEqual([who.name for who, _ in tally.ladders.get("onitama", [])], ["bob", "ann", "easy"])
        self.assertEqual(tally.ladders.get("stratego", []), [])


class AskedJournal(MemoryJournal):
    """A journal that notes how many rated matches it was asked for; it answers when it is told to. All are of one week."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.answers: list[Callable[[], None]] = []

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        self.asked += count if name == RATED_MATCHES else 0

        def early(matches: Sequence[FinishedMatch], low: int) -> None:
            found([evolve(one, opened_ms=0) for one in matches], low)

        self.answers.append(lambda: super(AskedJournal, self).finished(below, count, early, game=game, name=name))


async def _at_once(steps: Generator[None, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


class RunningCase:
    def __init__(self) -> None:
        self.clock, self.journal, self.counts = Clock(), AskedJournal(), MatchCounts()
        self.finished = finished.FinishedMatches(
            self.journal, self.clock, self.counts, _at_once, lambda: self.aside.append(1)
        )
        #: One for each who has let others go first.
        self.aside: list[int] = []
        self.ended: list[FinishedMatch] = []

    def begin(self, names: tuple[str, ...]) -> TableId:
        table = self.journal.new_table()
        self.journal.open(table, match(0, names, (0,)).opening, lambda: None)
        return table

    def end(self, table: TableId, names: tuple[str, ...], winner: int) -> None:
        for entry in (Entry(EntryKind.BEGAN, 0), Entry(EntryKind.ACTED, 0, Seat(0), b"x")):
            self.journal.append(table, entry, lambda: None)
        found = match(table, names, (winner,))
        self.journal.append(table, found.last, lambda: None)
        self.counts.end(table, "onitama", True)
        self.ended.append(found)

    def play(self, *names: str, winner: int = 0) -> None:
        self.end(self.begin(names), names, winner)

    def ask(self, times: int = 1) -> list[finished.Tally]:
        """So many ask for the ratings at once, after those that were known hold no more."""
        self.clock.advance(finished.COUNTED_SECONDS + 1)
        asked = [ensureDeferred(self.finished.tally()) for _ in range(times)]
        while self.journal.answers:
            self.journal.answers.pop(0)()
        return [one.result for one in asked]  # type: ignore[misc]


class RunningTests(PropertyCase):
    @given(st.lists(st.tuples(st.permutations(NAMES[:4]), st.booleans(), st.booleans(), st.booleans()), max_size=12))
    def test_they_are_what_all_matches_give(self, rounds: list[tuple[tuple[str, ...], bool, bool, bool]]) -> None:
        """Whichever of two matches ends first, and whenever somebody asks; nobody plays two matches at once."""
        case = RunningCase()
        for names, winner, turned, ask in rounds:
            two = [(case.begin(pair), pair) for pair in (tuple(names[:2]), tuple(names[2:]))]
            for table, pair in reversed(two) if turned else two:
                case.end(table, pair, winner)
                if ask:
                    case.ask()
        (tally,) = case.ask()
        in_order = sorted(case.ended, key=lambda one: one.table)
        self.assertEqual(dict(tally.ratings), rated(*in_order))

    def test_what_has_been_counted_is_not_read_again(self) -> None:
        case = RunningCase()
        for number in range(5 * finished.SOME):
            case.play(NAMES[number % 2], NAMES[2])
        case.ask()
        self.assertGreaterEqual(case.journal.asked, 5 * finished.SOME)
        case.journal.asked = 0
        case.play("ann", "bob")
        (tally,) = case.ask()
        self.assertLessEqual(case.journal.asked, 2 * finished.SOME)
        self.assertEqual(dict(tally.ratings), rated(*case.ended))

    def test_a_match_that_ends_long_after_it_began(self) -> None:
        case = RunningCase()
        late = case.begin(("dora", "hard.2"))
        for number in range(3 * finished.SOME):
            case.play(NAMES[number % 2], NAMES[2])
        case.ask()
        case.end(late, ("dora", "hard.2"), 0)
        (tally,) = case.ask()
        self.assertEqual(tally.ratings[Who("account", "dora"), "onitama"].matches, 1)
        self.assertEqual(sum(one.matches for one in tally.ratings.values()), 2 * len(case.ended))

    def test_two_who_ask_at_once(self) -> None:
        case = RunningCase()
        case.play("ann", "bob")
        one, other = case.ask(times=2)
        self.assertEqual(len(case.aside), 2)
        case.ask()
        self.assertEqual(len(case.aside), 2)
        self.assertIs(one, other)
        self.assertEqual(dict(one.ratings), rated(*case.ended))

    def test_old_matches_are_forgotten(self) -> None:
        self.patch(glicko, "RATED_COUNTED", 3)
        running = glicko.RunningRatings()
        matches = [match(number, ("ann", "bob"), (number % 2,)) for number in range(1, 10)]
        for one in matches:
            for _ in running.count([one]):
                pass
        self.assertEqual((running.counted, running.too_old), ({5, 6, 7, 8, 9}, 4))
        self.assertEqual(running.missing(matches), [])
        self.assertEqual(running.ratings, rated(*matches))

    def test_who_has_not_played_for_longest_is_forgotten(self) -> None:
        self.patch(glicko, "MOST_RATINGS", 2)
        found = rated(match(1, ("ann", "bob"), (0,)), match(2, ("bob", "carl"), (0,)))
        self.assertEqual([who.name for who, _ in found], ["bob", "carl"])


def log_in(host: MemoryHost, name: str) -> Client:
    client = host.connect("open")
    client.send(line(do="log-in", name=name, password="correct horse"))
    client.heard()
    return client


def said(client: Client) -> list[dict[str, Any]]:
    return [json.decode(text) for text in client.heard()]


def seek(client: Client, **more: Any) -> list[dict[str, Any]]:
    client.send(line(do="seek", **{"game": "onitama", "settings": {"rated": True}, **more}))
    return said(client)


def play(host: MemoryHost, *players: Client) -> None:
    moves = 0
    while moves < 2:
        for one in players:
            table = int(max(host.lobby.tables))
            one.send(line(do="moves", table=table))
            host.until_idle()
            found = [told["moves"] for told in said(one) if told["is"] == "moves"]
            if found and found[0]:
                one.send(line(do="act", table=table, action=found[0][0]["action"]))
                moves += 1
    players[1].send(line(do="leave"))
    host.until_idle()


class RatedMatchTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost()
        self.ann, self.bob = log_in(self.host, "ann"), log_in(self.host, "bob")

    def ladder(self) -> list[dict[str, Any]]:
        asking = log_in(self.host, "zoe")
        asking.send(line(do="ladder", game="onitama"))
        self.host.until_idle()
        [answer] = [one for one in said(asking) if one["is"] == "ladder"]
        rows: list[dict[str, Any]] = answer["ladder"]
        return rows

    def test_both_agree(self) -> None:
        self.assertEqual(seek(self.ann)[0]["settings"]["rated"], "yes")
        seek(self.bob)
        play(self.host, self.ann, self.bob)
        first, second = self.ladder()
        self.assertEqual((first["name"], second["name"], first["matches"]), ("ann", "bob", 1))
        self.assertEqual(first["rating"] + second["rating"], 3000)
        self.assertTrue(first["low"] < first["rating"] < first["high"])

    def test_one_has_not_agreed(self) -> None:
        seek(self.ann)
        seek(self.bob, settings={})
        self.assertEqual(len(self.host.lobby.tables), 0)

    def test_an_unrated_match(self) -> None:
        for one in (self.ann, self.bob):
            seek(one, settings={"rated": False})
        play(self.host, self.ann, self.bob)
        self.assertEqual(self.ladder(), [])

    def test_guests_and_private_matches_are_not_rated(self) -> None:
        guest = self.host.connect("open")
        guest.send(line(do="enter", name="eve"))
        guest.heard()
        seek(self.ann)
        refusal = "a rated match is for accounts: log in with a password first"
        self.assertEqual(seek(guest)[0]["why"], refusal)
        guest.send(line(do="join", table=1))
        self.assertEqual(said(guest)[-1]["why"], refusal)
        self.assertEqual(seek(guest, house="easy")[0]["why"], refusal)
        self.assertEqual(seek(self.bob, private=True)[0]["why"], "a private match is not rated")
        self.assertIn("expected yes or no", seek(self.bob, settings={"rated": "perhaps"})[0]["why"])

    def test_others_do_not_play_a_rated_match_on(self) -> None:
        self.host, _ = house_host()
        self.ann, self.bob = log_in(self.host, "ann"), log_in(self.host, "bob")
        seek(self.ann)
        seek(self.bob)
        self.bob.drop()
        said(self.ann)
        self.ann.send(line(do="house", level="easy", seat=1))
        self.assertEqual(said(self.ann)[-1]["why"], "a rated match is not played on by others")

    def test_the_rematch_of_a_rated_match_is_rated(self) -> None:
        seek(self.ann)
        seek(self.bob)
        play(self.host, self.ann, self.bob)
        for one in (self.ann, self.bob):
            one.send(line(do="rematch"))
        (table,) = self.host.lobby.tables.values()
        self.assertEqual(table.settings["rated"], "yes")

    def test_the_ladder_on_the_console(self) -> None:
        seek(self.ann)
        seek(self.bob)
        play(self.host, self.ann, self.bob)
        console = self.host.connect("console")
        console.transport.read()
        console.say("ladder onitama")
        self.host.until_idle()
        shown = console.transport.read().decode()
        self.assertIn("Ratings in Onitama", shown)
        self.assertIn("  ann                   1662", shown)

    def test_the_journal_lists_rated_matches(self) -> None:
        for settings in ({"rated": True}, {"move_time": 60}):
            for one in (self.ann, self.bob):
                seek(one, settings=settings)
            play(self.host, self.ann, self.bob)
        tally: Deferred[finished.Tally] = Deferred.fromCoroutine(self.host.lobby.directory.finished.tally())
        self.host.until_idle()
        found = self.successResultOf(tally)
        self.assertEqual(
            (found.matches["onitama"], [one.matches for _, one in found.ladders.get("onitama", [])]), (2, [1, 1])
        )


class ShownTests(SynchronousTestCase):
    def finish(self, journal: Any, shown: str = "") -> None:
        found = match(1, ("ann", "easy.1"), (0,))
        ann, easy = found.opening.seats
        opening = evolve(found.opening, seats=(evolve(ann, shown=shown), easy))
        journal.open(found.table, opening, lambda: None)
        for entry in (Entry(EntryKind.BEGAN, 0), Entry(EntryKind.ACTED, 0, Seat(0), b"x"), found.last):
            journal.append(found.table, entry, lambda: None)

    def test_over_http(self) -> None:
        web = WebHost()
        self.finish(web.host.journal)
        [ladder] = json.decode(web.get("/api/results").body)["ladders"]
        self.assertEqual(
            [(one["name"], one["kind"]) for one in ladder["ladder"]], [("ann", "account"), ("easy", "house")]
        )
        self.assertEqual(json.decode(web.get("/api/results?game=stratego").body)["ladders"], [])

    def test_display_names(self) -> None:
        """In the ladder and in the results, on all ways."""
        web, shown = WebHost(MemoryHost()), {"ann": "Ann van Rijn"}
        self.finish(web.host.journal, shown["ann"])
        results = json.decode(web.get("/api/results").body)
        self.assertEqual((results["shown_as"], results["ladders"][0]["shown_as"]), (shown, shown))
        asking = web.host.connect("open")
        asking.send(line(do="ladder", game="onitama"))
        web.host.until_idle()
        self.assertEqual(said(asking)[-1]["shown_as"], shown)
        console = web.host.connect("console")
        console.transport.read()
        console.say("ladder onitama")
        web.host.until_idle()
        words = console.transport.read().decode()
        self.assertEqual((words.count("  Ann van Rijn        "), words.count("  ann ")), (2, 0))

    def test_to_the_owner(self) -> None:
        world = AdminHost()
        self.finish(world.host.store)
        ann, easy = world.items("ladder", game="onitama")
        self.assertEqual((easy["name"], easy["rating"], easy["kind"]), ("easy", 1100, "house"))
        self.assertEqual([*rating_line(easy)], ["1100  easy  fixed  matches: 1"])
        self.assertIn(f" {ann['low']} to {ann['high']} ", next(rating_line(ann)))

    def test_an_unknown_game(self) -> None:
        why = "no such game; expected one of onitama"
        self.assertIn(why, AdminHost().error("ladder", game="chess"))
        host = MemoryHost()
        asking = host.connect("open")
        asking.send(line(do="ladder", game="chess"))
        [answer] = said(asking)
        self.assertEqual((answer["is"], answer["why"][: len(why)]), ("sorry", why))

    def test_the_best_ones(self) -> None:
        host = AdminHost()
        for number in range(1, finished.RANKED + 2, 2):
            found = match(number, (f"p{number}", f"p{number + 1}"), (0,))
            host.host.store.open(found.table, found.opening, lambda: None)
            for entry in (Entry(EntryKind.BEGAN, 0), Entry(EntryKind.ACTED, 0, Seat(0), b"x"), found.last):
                host.host.store.append(found.table, entry, lambda: None)
        told = host.items("ladder", game="onitama")
        self.assertEqual((len(told), told[0]["rating"], told[-1]["rating"]), (finished.RANKED, 1662, 1338))
