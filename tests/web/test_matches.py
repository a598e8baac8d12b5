"""Finished matches: lists, the counts of results, and records that replay and hide what the owner wants hidden."""

import random
from typing import Any

import msgspec
from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import at_once
from gamehost.games.base import Cause, Game, JournalledChance, Result, Seat
from gamehost.games.play import screen_of
from gamehost.journal.notation import read_notation
from gamehost.journal.records import HOUSE_ADDRESS, Entry, EntryKind, FinishedMatch, SeatRecord, TableHeader, TableId
from gamehost.journal.replay import History, fingerprint, new_master, replay
from gamehost.lobby.finished import COUNTED_SECONDS
from gamehost.lobby.results import outcome
from gamehost.players.base import SeededChance
from gamehost.testing.memory_host import MemoryHost
from gamehost.web import api as records
from gamehost.web.api import Api, MatchList, Results, moment
from gamehost.web.http import Answer, Asked, Visitor
from gamehost.wires.console.matches import Replay
from gamehost.wires.open.conversation import OPTIONS
from gamehost.wires.seeking import PLAYED
from tests.kit.browser import STATIC, evaluate
from tests.kit.journals import InMemory
from tests.kit.web_host import Response, WebHost


def finish(
    journal: Any, names: tuple[str, ...], winners: tuple[int, ...], game: str = "onitama", code: str = ""
) -> None:
    table = journal.new_table()
    result = Result(tuple(map(Seat, winners)), Cause.RULES, "master taken")
    seats = tuple(SeatRecord(name, "open") for name in names)
    journal.open(table, TableHeader(game, 1, seats, {"code": code} if code else {}), lambda: None)
    journal.append(table, Entry(EntryKind.BEGAN, 0), lambda: None)
    journal.append(table, Entry(EntryKind.ACTED, 61_000, Seat(0), outcome=result.words(names)), lambda: None)


class ListTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.journal = InMemory(wall=lambda: 1_000_000.0)
        journal: Any = self.journal
        host = self.host = MemoryHost(journal=journal)
        self.clock, self.api = host.clock, Api(host.lobby.directory, OPTIONS, host.clock, at_once)

    def ask(self, what: str, **query: str) -> bytes:
        answer: Any = self.api.respond(Asked("GET", ("api", what), query, {}, Visitor("192.0.2.1", False, False)))
        body: bytes = (answer if isinstance(answer, Answer) else self.successResultOf(answer)).body
        return body

    def find(self, before: int | str = "", game: str = "", name: str = "") -> MatchList:
        return json.decode(self.ask("matches", before=str(before), game=game, name=name), type=MatchList)

    def results(self, game: str = "", name: str = "") -> Results:
        return json.decode(self.ask("results", game=game, name=name), type=Results)

    def test_answers_are_not_kept_under_what_a_client_sends(self) -> None:
        finish(self.journal, ("Ann", "Bob"), (1,))
        kept = self.host.lobby.directory.questions._kept
        for text in ("\U0001f600", "a" * 21, "a b", "\u0301" * 16_000, "no.such\n"):
            self.assertEqual(self.find(name=text), MatchList([]))
            self.assertEqual(self.find(game=text), MatchList([]))
            self.assertEqual(self.find(game="onitama", name=text), MatchList([]))
        self.assertEqual(len(kept), 0)
        for text in ("\U0001f600", "a" * 21, "a b", "\u0301" * 16_000, "no.such\n"):
            for found in (self.results(name=text), self.results(game=text)):
                self.assertEqual((found.results, found.matches), ([], 1))
        self.assertEqual(len(kept), 2)
        self.assertEqual([one.names for one in self.find(game="onitama", name="ＡＮＮ").matches], [["Ann", "Bob"]])

    def test_codes_are_not_kept_either(self) -> None:
        finish(self.journal, ("Ann", "Bob"), (1,))
        questions = self.host.lobby.directory.questions
        self.ask("matches")  # and whoever asks next waits for a turn
        for number in range(70, 80):
            for what in ("matches/1.json", "tables/1/history", "tables/1/picture"):
                query = {"code": "x" * number, "until": f"{10**number}"[:15]}
                self.api.respond(Asked("GET", ("api", *what.split("/")), query, {}, Visitor("192.0.2.1", False, False)))
        self.assertEqual(len(questions.unanswered), 3)

    def test_a_row(self) -> None:
        finish(self.journal, ("Ann", "Bob"), (1,))
        [row] = self.find().matches
        self.assertEqual((row.table, row.game, row.names, row.wires), (1, "onitama", ["Ann", "Bob"], ["open", "open"]))
        self.assertEqual((row.winners, row.cause, row.why, row.n), ([1], "rules", "master taken", 2))
        self.assertEqual((row.opened, row.ended), ("1970-01-12T13:46:40Z", "1970-01-12T13:47:41Z"))

    def test_pages(self) -> None:
        for _ in range(120):
            finish(self.journal, ("Ann", "Bob"), ())
        seen: list[int] = []
        before: Any = ""
        for length in (50, 50, 20):
            page = self.find(before)
            self.assertEqual(len(page.matches), length)
            seen += [row.table for row in page.matches]
            before = page.before
        self.assertEqual(seen, list(range(120, 0, -1)))
        self.assertNotIn(b"before", json.encode(page))

    def test_filters(self) -> None:
        finish(self.journal, ("Ann", "Bob"), (0,))
        finish(self.journal, ("Bob", "Cleo"), (0,), "stratego")
        finish(self.journal, ("Ann", "Dora"), (0,), code="SECRET")
        for game, name, tables in (
            ("", "", [2, 1]),
            ("stratego", "", [2]),
            ("", "BOB", [2, 1]),
            ("onitama", "cleo", []),
        ):
            self.assertEqual([row.table for row in self.find(game=game, name=name).matches], tables)
        self.assertEqual(self.find(name="dora").matches, [])

    def test_results(self) -> None:
        finish(self.journal, ("Ann", "Bob"), (0,))
        finish(self.journal, ("Ann", "Bob"), ())
        finish(self.journal, ("Bob", "Ann", "Cleo"), (1, 2), "eriantys")
        told = self.results()
        counts = [(row.name, row.game, row.played, row.won, row.drawn) for row in told.results]
        self.assertIn(("Ann", "onitama", 2, 1, 1), counts)
        self.assertIn(("Bob", "onitama", 2, 0, 1), counts)
        self.assertIn(("Cleo", "eriantys", 1, 1, 0), counts)
        self.assertEqual((len(counts), told.matches, told.since), (5, 3, 1))
        self.assertEqual([row.game for row in self.results("eriantys", "ann").results], ["eriantys"])
        finish(self.journal, ("Ann", "Bob"), (0,))
        self.assertEqual(self.results().matches, 3)
        self.clock.advance(COUNTED_SECONDS)
        self.assertEqual(self.results().matches, 4)

    def test_kinds_of_players(self) -> None:
        """A level of house players is one player. Accounts come first, and guests last."""
        for number, name in enumerate(("ann", "guest.1")):
            table = self.journal.new_table()
            house = SeatRecord(f"easy.{number + 1}", "open", HOUSE_ADDRESS)
            header = TableHeader("onitama", 1, (SeatRecord(name, "open", "x", name == "ann"), house), {})
            self.journal.open(table, header, lambda: None)
            words = f"easy.{number + 1} won (rules): master taken"
            self.journal.append(table, Entry(EntryKind.ACTED, 61_000, Seat(0), outcome=words), lambda: None)
        rows = [(row.name, row.kind, row.played, row.won) for row in self.results().results]
        self.assertEqual(rows, [("ann", "account", 1, 0), ("easy", "house", 2, 2), ("guest.1", "guest", 1, 0)])
        self.assertEqual([row.played for row in self.results(name="easy.2").results], [2])

    def test_masters_have_no_results(self) -> None:
        finish(self.journal, ("Ann", "Bob", "#nim-1"), (0,), "remote")
        self.assertEqual([row.name for row in self.results().results], ["Ann", "Bob"])

    def test_words_of_the_record(self) -> None:
        """Whoever has won; words that another release has written are shown as they are."""

        def of(words: str) -> tuple[list[int], str, str]:
            seats = tuple(SeatRecord(name, "open") for name in ("Ann", "Bob"))
            entry = Entry(EntryKind.ACTED, 0, outcome=words)
            return outcome(FinishedMatch(TableId(1), 0, TableHeader("x", 1, seats), 1, entry))

        for winners in ((), (Seat(0),), (Seat(0), Seat(1))):
            result = Result(winners, Cause.TIME, "too slow (won): x")
            self.assertEqual(of(result.words(("Ann", "Bob"))), (list(winners), "time", "too slow (won): x"))
        self.assertEqual(of("Ann was better"), ([], "", "Ann was better"))
        self.assertEqual(moment(0), "")


class ApiTests(SynchronousTestCase):
    def test_lists(self) -> None:
        web = WebHost()
        finish(web.host.journal, ("Ann", "Bob"), (0,))
        answer = web.get("/api/matches?game=onitama&name=ann&before=9")
        self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "no-store"))
        self.assertEqual(json.decode(answer.body)["matches"][0]["winners"], [0])
        self.assertEqual(json.decode(web.get("/api/results").body)["results"][0]["name"], "Ann")
        self.assertEqual(
            [web.get(f"/api/matches?before={before}").status for before in ("x", "-1", "")], [400, 400, 200]
        )


# The moves of a match have the same numbers on the pages, run by node, and in the console.


ENTRIES = 120
MODULES = [(STATIC / name).as_uri() for name in ("moves.js", "words.js")]
#: The entry of each position of the slider but the first one, and the lines of the list with their entries.
MOVES = """
await (async () => {
  const { addMove, stopsOf } = await import(data.moves);
  globalThis.fetch = async () => ({ json: async () => ({ cards: [] }) });
  await module.default.load?.((await import(data.words)).t);
  return data.matches.map((log) => {
    const moves = [];
    let view = null;
    log.forEach((entry, index) => {
      addMove(moves, module.default, entry, index, view);
      view = module.default.after(view, entry.event, null);
    });
    return { stops: stopsOf(module.default, log).slice(1).map((one) => one.n), lines: moves.map(({ n, text }) => [n, text]) };
  });
})()
"""


class NumberTests(SynchronousTestCase):
    """One number means one thing everywhere."""

    def check(self, name: str, seats: int = 2, **settings: str) -> list[tuple[bytes, str]]:
        """Play at random, compare the numbers, and give each action with its line in the list."""
        played = next(one for one in PLAYED if one.game.name == name)
        game, logs, records = played.game, list[Any](), list[tuple[History[Any], dict[int, bytes]]]()
        for seed in range(4):
            luck = SeededChance(seed)
            master = game.new_master(seats, settings, JournalledChance(random.Random(seed).randrange))
            told, actions = [(1, to.event) for to in master.begin(0) if to.audience is None], dict[int, bytes]()
            for n in range(2, ENTRIES):
                chosen = (
                    (Seat(seat), game.random_action(master.view(Seat(seat)), Seat(seat), luck.below))
                    for seat in range(seats)
                )
                seat, action = next((seat, action) for seat, action in chosen if action is not None)
                actions[n] = game.write(action)
                told += [(n, to.event) for to in master.act(seat, action, 0) if to.audience is None]
                if master.result is not None:
                    break
            messages = ((n, played.messages.event(event)) for n, event in told)
            log = [{"n": n, "event": event} for n, event in messages if event is not None]
            logs.append(msgspec.json.decode(msgspec.json.encode(log)))
            records.append((History(ENTRIES, tuple(told), None, ("ann", "bob", "cid")[:seats]), actions))
        screen, lines = screen_of(game), list[tuple[bytes, str]]()
        found = evaluate(name, MOVES, {"moves": MODULES[0], "words": MODULES[1], "matches": logs})
        for (told_to_all, actions), one in zip(records, found, strict=True):
            replay = Replay(lambda: screen(None, ("ann", "bob", "cid")[:seats]), played, told_to_all)
            moves = [n for n, _ in one["lines"]]
            self.assertEqual(one["stops"], moves)
            self.assertEqual(len(moves), replay.length)
            self.assertEqual([replay.move_of(n) for n in moves], list(range(1, len(moves) + 1)))
            lines += [(actions[n], text) for n, text in one["lines"]]
        return lines

    def test_every_action_is_a_move(self) -> None:
        self.assertEqual({text for _, text in self.check("onitama") if not text}, set())
        self.check("paper-soccer")

    def test_a_set_up_is_no_move(self) -> None:
        lines = self.check("stratego")
        self.assertEqual({len(action) for action, _ in lines} - {5, 6, 7}, set())

    def test_eriantys(self) -> None:
        words = {b"assistant": "assistant ", b"steps": "Mother Nature to island ", b"cloud": "cloud "}
        for seats in (2, 3):
            for action, text in self.check("eriantys", seats, expert="yes"):
                kind, _, value = action.partition(b" ")
                if kind == b"destination":
                    self.assertRegex(text, "(to dining room|to island|tile to island|tower|no change|Herald)")
                elif kind in words:
                    self.assertIn(words[kind], text, action)
                if kind == b"cloud":
                    self.assertIn(f"cloud {int(value) + 1}", text)


# Records of finished matches: they replay to the same position, and hide what the owner wants hidden.


def play(web: WebHost, game: str, *actions: tuple[int, str], **more: Any) -> int:
    guests = [web.browser(), web.browser()]
    number = len(web.host.journal.openings) + 1
    for guest, name in zip(guests, ("ann", "bob"), strict=True):
        guest.say(do="enter", name=f"{name}{number}")
        guest.told()
    seek = {"do": "seek", "game": game, "seats": 2, **more}
    guests[0].say(**seek)
    codes = [one["code"] for one in guests[0].told() if "code" in one]
    guests[1].say(**({"do": "join", "table": number, "code": codes[0]} if codes else seek))
    for seat, action in actions:
        guests[seat].say(do="act", table=number, action=action)
    refused = [one for guest in guests for one in guest.told() if one["is"] in ("refused", "sorry")]
    assert not refused, refused
    guests[1].say(do="leave")
    return number


def position(game: Game[Any, Any], record: dict[str, Any]) -> bytes:
    """The position at the end of a record, from what the answer says alone."""
    kinds = {kind.name.lower(): kind for kind in EntryKind}
    entries = [
        Entry(
            kinds[one["kind"]],
            one["at"],
            Seat(one["seat"]) if "seat" in one else None,
            one.get("action", "").encode(),
            tuple(one.get("drawn", ())),
            "over" if one["n"] == len(record["entries"]) else "",
        )
        for one in record["entries"]
    ]
    seats = tuple(SeatRecord(name, "open") for name in record["names"])
    opening = TableHeader(record["game"], record["version"], seats, record["settings"])
    chance = JournalledChance()
    return fingerprint(replay(game, new_master(game, opening, chance), chance, entries))


class RecordTests(SynchronousTestCase):
    def get(self, web: WebHost, path: str) -> Any:
        answer = web.get(path)
        self.assertEqual(answer.status, 200, answer.body)
        return json.decode(answer.body)

    def test_a_record_replays_to_the_same_position(self) -> None:
        web = WebHost(settings={"onitama.deal": "boar,ox/crab,eel/tiger"})
        for game, actions in (
            ("onitama", [(0, "ox c1 c2"), (1, "crab a5 a4")]),
            ("paper-soccer", [(1, "0,1")]),
            ("stratego", [(0, "9@A4")]),
            ("eriantys", []),
        ):
            number = play(web, game, *actions)
            record = self.get(web, f"/api/matches/{number}.json")
            self.assertEqual((record["game"], record["winners"], record["cause"]), (game, [0], "left"))
            kept = web.host.journal.record(number)  # type: ignore[arg-type]
            chance = JournalledChance()
            played = OPTIONS.games[game].game
            master = replay(played, new_master(played, kept.opening, chance), chance, kept.entries)
            self.assertEqual(position(played, record), fingerprint(master))

    def test_events_are_those_of_the_history(self) -> None:
        web = WebHost(settings={"onitama.deal": "boar,ox/crab,eel/tiger"})
        number = play(web, "onitama", (0, "ox c1 c2"))
        record = self.get(web, f"/api/matches/{number}.json")
        self.assertEqual(record["events"], self.get(web, f"/api/tables/{number}/history")["events"])
        self.assertEqual((record["hidden"], record["entries"][1]["action"]), ([], "ox c1 c2"))

    def test_what_was_hidden(self) -> None:
        for reveal in (True, False):
            web = WebHost(reveal=reveal)
            number = play(web, "stratego", (0, "9@A4"))
            record = self.get(web, f"/api/matches/{number}.json")
            self.assertEqual(("entries" in record, "hidden" in record), (reveal, reveal))
            self.assertNotIn("A4", str(record["events"]))
            if reveal:
                [placed] = [one for one in record["hidden"] if one["event"]["kind"] == "placed"]
                self.assertEqual((placed["n"], placed["seats"], placed["event"]["square"]), (2, [0], "A4"))
            else:
                self.assertNotIn("A4", str(record))

    def test_pictures(self) -> None:
        web = WebHost()
        for game in OPTIONS.games:
            number = play(web, game)
            answer = web.get(f"/api/matches/{number}.svg")
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, "image/svg+xml"), answer.body)
            self.assertTrue(answer.body.startswith(b"<svg "), answer.body[:50])
            self.assertIn("style-src 'unsafe-inline'", answer.headers["content-security-policy"])
            self.assertNotIn("script-src", answer.headers["content-security-policy"])

    def test_texts_are_read_back(self) -> None:
        web = WebHost()
        for game, one in OPTIONS.games.items():
            number = play(web, game)
            text = web.get(f"/api/matches/{number}.txt").body.decode()
            record = read_notation(text).record
            kept = web.host.journal.record(number)  # type: ignore[arg-type]
            positions = []
            for entries in (record.entries, kept.entries):
                chance = JournalledChance()
                master = new_master(one.game, kept.opening, chance)
                positions.append(fingerprint(replay(one.game, master, chance, entries)))
            self.assertEqual(positions[0], positions[1])
            self.assertNotIn("192.0.2.", text)
        hidden = WebHost(reveal=False)
        self.assertEqual(hidden.get(f"/api/matches/{play(hidden, 'onitama')}.txt").status, 404)

    def test_secrets_of_players_are_in_no_record(self) -> None:
        web = WebHost()
        number = play(web, "onitama", private=True)
        self.assertEqual(web.get(f"/api/matches/{number}.json").status, 404)
        code = web.host.journal.openings[number].code  # type: ignore[index]
        answer = web.get(f"/api/matches/{number}.json?code={code}")
        self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "no-store"))
        for secret in (code, "192.0.2.", *(seat.key_digest for seat in web.host.journal.openings[number].seats)):  # type: ignore[index]
            self.assertNotIn(secret.encode(), answer.body)
        self.assertEqual(web.get(f"/api/matches/{number}.json").status, 404)

    def test_for_ever(self) -> None:
        """A browser never asks again; the host keeps some of them as they were sent."""
        web = WebHost()
        number = play(web, "onitama")
        answers: list[Response] = [web.get(f"/api/matches/{number}.json") for _ in range(2)]
        self.assertIn("immutable", answers[0].headers["cache-control"])
        self.assertEqual(answers[0].body, answers[1].body)

    def test_what_is_not_there_has_no_record(self) -> None:
        web = WebHost()
        ann, bob = web.browser(), web.browser()
        for guest, name in ((ann, "ann"), (bob, "bob")):
            guest.say(do="enter", name=name)
            guest.say(do="seek", game="onitama")
        for path in ("1.json", "2.json", "x.json", "1.pdf", "1", ".json", "1.json.json", "01.json/x"):
            self.assertEqual(web.get(f"/api/matches/{path}").status, 404, path)

    def test_the_number_of_no_match(self) -> None:
        web = WebHost()
        number = play(web, "onitama")
        for other in (0, number + 1, number + 7, 2**63, 10**30):
            answer = web.get(f"/api/matches/{other}.json")
            self.assertEqual(answer.status, 404, other)
            self.assertNotIn("immutable", answer.headers.get("cache-control", ""))

    def test_other_rules(self) -> None:
        """A match of an older version, or one that does not fit the rules, has no record here."""
        web = WebHost()
        journal = web.host.journal
        seats = (SeatRecord("Ann", "open"), SeatRecord("Bob", "open"))
        for version, action, status in (
            (99, b"ox c1 c2", 404),
            (OPTIONS.games["onitama"].game.version, b"ox a9 a9", 500),
        ):
            table = journal.new_table()
            journal.open(table, TableHeader("onitama", version, seats), lambda: None)
            journal.append(table, Entry(EntryKind.ACTED, 0, Seat(0), action, outcome="x"), lambda: None)
            self.assertEqual(web.get(f"/api/matches/{table}.json").status, status)
        self.assertEqual(len(self.flushLoggedErrors()), 1)

    def test_long_records_are_made_on_a_thread(self) -> None:
        self.patch(records, "MANY", 2)
        web = WebHost(settings={"onitama.deal": "boar,ox/crab,eel/tiger"})
        number = play(web, "onitama", (0, "ox c1 c2"))
        given: list[Any] = []

        def worker(work: Any, done: Any) -> None:
            given.append(work)
            done(work())

        web.site._api._worker = worker
        self.get(web, f"/api/matches/{number}.json")
        self.assertEqual(len(given), 1)
