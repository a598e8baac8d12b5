"""Records of finished matches: they replay to the same position, and hide what the owner wants hidden."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Game, Seat
from gamehost.games.chance import JournalledChance
from gamehost.journal.notation import read_notation
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader
from gamehost.journal.replay import fingerprint, new_master, replay
from gamehost.web import api as records
from gamehost.wires.open.conversation import OPTIONS
from tests.kit.web_host import Response, WebHost


def play(web: WebHost, game: str, *actions: tuple[int, str], **more: Any) -> int:
    """A match that ends when seat 1 resigns; its number."""
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
        """From the answer alone, in every game."""
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
        """It is shown when the match is over, and to nobody before; an owner can have it hidden for ever."""
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
        """And replay to the same position. They show everything, so an owner can forbid them."""
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
        """Neither addresses nor keys, nor the code of a private match."""
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

        web.site._api._records._worker = worker
        self.get(web, f"/api/matches/{number}.json")
        self.assertEqual(len(given), 1)
