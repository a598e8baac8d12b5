"""What a page remembers of the host's messages, its small calculations and its QR codes, run by node."""

from hashlib import sha256
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.browser import evaluate

#: Hears messages one after the other, and then shows a part of the state.
HEAR = """
(data.forEach(module.hear), ((state) => {
  const table = state.tables.get(3);
  return {
    own: state.own, seeking: state.seeking?.game ?? null, sorry: state.sorry.why, me: state.me?.name ?? null,
    rows: [...state.rows.keys()], waiting: Object.fromEntries(state.waiting),
    table: table && { names: table.names, seat: table.seat, n: table.n, away: [...table.away], over: table.over?.why ?? null,
      log: table.log.map((one) => one.n), complete: table.complete, fresh: table.fresh.length, view: table.view,
      presence: table.presence },
  };
})(module.state))
"""

ENTERED = {"is": "entered", "name": "ann", "key": "0" * 32}
SEATED = {
    "is": "seated",
    "table": 3,
    "game": "onitama",
    "seat": 0,
    "names": ["ann", "bob"],
    "wires": ["open", "open"],
    "n": 0,
}
SHOWN = {
    "is": "shown",
    "table": 3,
    "game": "onitama",
    "names": ["ann", "bob"],
    "wires": ["open", "open"],
    "away": [1],
    "n": 5,
}


def event(n: int) -> dict[str, Any]:
    return {"is": "event", "table": 3, "n": n, "event": {"kind": "moved"}}


class StoreTests(SynchronousTestCase):
    def after(self, *messages: dict[str, Any]) -> Any:
        return evaluate("store.js", HEAR, messages)

    def test_notice(self) -> None:
        self.assertEqual(self.after({"is": "notice", "text": "We stop at 8."})["sorry"], "We stop at 8.")

    def test_match(self) -> None:
        seeking = {"is": "seeking", "game": "onitama", "seats": 2, "names": ["ann"]}
        known = self.after(ENTERED, seeking)
        self.assertEqual((known["me"], known["seeking"], known["own"]), ("ann", "onitama", None))
        away, back = {"is": "away", "table": 3, "n": 2, "seat": 1}, {"is": "back", "table": 3, "n": 2, "seat": 1}
        known = self.after(ENTERED, seeking, SEATED, event(1), event(2), away)
        self.assertEqual((known["seeking"], known["own"]), (None, 3))
        expected = {
            "names": ["ann", "bob"],
            "seat": 0,
            "n": 2,
            "away": [1],
            "over": None,
            "log": [1, 2],
            "complete": True,
            "fresh": 2,
            "view": None,
            "presence": True,
        }
        self.assertEqual(known["table"], expected)
        over = {"is": "over", "table": 3, "n": 2, "winners": [0], "cause": "left", "why": "bob left"}
        known = self.after(ENTERED, SEATED, event(1), event(2), away, back, over)
        self.assertEqual((known["own"], known["table"]["over"], known["table"]["away"]), (None, "bob left", []))

    def test_coming_back(self) -> None:
        known = self.after(
            ENTERED, {**SEATED, "n": 4}, {"is": "back", "table": 3, "n": 4, "seat": 0, "view": {"turn": 1}}
        )
        self.assertEqual((known["table"]["view"], known["table"]["complete"]), ({"turn": 1}, False))
        told = [{"n": n, "event": {"kind": "moved"}} for n in (1, 2, 3, 4)]
        history = {"is": "history", "table": 3, "n": 4, "events": told}
        known = self.after(ENTERED, {**SEATED, "n": 4}, event(5), history)
        self.assertEqual((known["table"]["log"], known["table"]["complete"]), ([1, 2, 3, 4, 5], True))

    def test_house_player(self) -> None:
        """A house player who has taken the seat of somebody else is named, and is not away."""
        replaced = {"is": "replaced", "table": 3, "n": 5, "seat": 1, "name": "easy.1"}
        known = self.after({**SHOWN, "view": {}, "delay": 0}, replaced)
        self.assertEqual((known["table"]["names"], known["table"]["away"]), (["ann", "easy.1"], []))

    def test_watching(self) -> None:
        known = self.after({**SHOWN, "view": {"turn": 0}, "delay": 0}, event(6), {**event(7), "table": 4})
        self.assertIs(known["table"]["presence"], True)
        elsewhere = self.after({**SHOWN, "view": {}, "delay": 0, "presence": False})
        self.assertIs(elsewhere["table"]["presence"], False)
        self.assertEqual(
            (known["own"], known["table"]["seat"], known["table"]["n"], known["table"]["away"]), (None, None, 6, [1])
        )

    def test_lobby(self) -> None:
        row = {
            "table": 3,
            "game": "onitama",
            "names": ["ann", "bob"],
            "wires": ["open", "open"],
            "turn": [0],
            "moves": 1,
            "watchers": 2,
        }
        waits = {"game": "stratego", "seats": 2, "names": ["cid"]}
        known = self.after({"is": "tables", "tables": [row], "waiting": [waits]}, {"is": "table", **row, "table": 4})
        self.assertEqual((known["rows"], known["waiting"]), ([3, 4], {"stratego": [waits]}))
        known = self.after(
            {"is": "tables", "tables": [row], "waiting": [waits]},
            {"is": "gone", "table": 3},
            {"is": "waiting", "game": "stratego", "waiting": []},
        )
        self.assertEqual((known["rows"], known["waiting"]), ([], {"stratego": []}))

    def test_refusals_and_later_hosts(self) -> None:
        known = self.after(ENTERED, {"is": "sorry", "why": "no such table"}, {"is": "weather", "table": 3, "sun": True})
        self.assertEqual((known["me"], known["sorry"]), ("ann", "no such table"))

    def test_claims(self) -> None:
        """They are there until the host takes them back, or counts another grace time."""
        known = (
            "(data.forEach((one) => one.length ? one.forEach(module.hear) : null), ((table) => [[...table.claims.keys()],"
            " [...table.claims.values()].map((one) => one.as), [...table.kept.keys()], table.grace])"
            "(module.state.tables.get(3)))"
        )
        away = {"is": "away", "table": 3, "n": 2, "seat": 1, "kept": 60_000}
        claim = {"is": "claim", "table": 3, "n": 2, "seat": 1, "as": ["win"], "ends": 600_000}
        self.assertEqual(evaluate("store.js", known, [[SEATED, away]]), [[], [], [1], 60_000])
        self.assertEqual(evaluate("store.js", known, [[SEATED, away, claim]]), [[1], [["win"]], [], 60_000])
        for more in ({**claim, "as": []}, away):
            seated = {**SEATED, "grace": 5000}
            self.assertEqual(evaluate("store.js", known, [[seated, away, claim, more]])[0::3], [[], 5000])

    def test_a_question_that_crosses_the_end(self) -> None:
        """The refusal of a question for moves is no error over the result: the match was over meanwhile."""
        crossed = (
            "(data.slice(0, 1).forEach(module.hear), module.state.tables.get(3).asked = {id: 7, begun: ''},"
            " data.slice(1).forEach(module.hear), [module.state.sorry.count, module.state.tables.get(3).asked])"
        )
        over = {"is": "over", "table": 3, "n": 2, "winners": [1], "cause": "rules", "why": "so it is"}
        refused = {"is": "refused", "id": 7, "why": "you have no seat at this table"}
        self.assertEqual(evaluate("store.js", crossed, [SEATED, event(1), over, refused]), [0, None])


#: A row of the own matches, and moments in milliseconds.
ROW = {"table": 3, "game": "onitama", "names": ["ann", "bob"], "seat": 0, "state": "turn", "private": False}
MINUTE, DAY = 60_000, 86_400_000


class MineTests(SynchronousTestCase):
    """The list of the own matches."""

    def row(self, **changes: Any) -> dict[str, Any]:
        return {**ROW, **changes}

    def test_what_is_told(self) -> None:
        """The whole list, and then each change; the next log-in begins without one."""
        shown = (
            "(data.forEach(module.hear), module.state.mine && [...module.state.mine.values()].map((row) => row.state))"
        )
        mine = {"is": "mine", "matches": [ROW, self.row(table=4, state="open")]}
        changes = [
            {"is": "row", **self.row(state=state, table=table)}
            for state, table in (("wait", 3), ("gone", 4), ("offer", 5))
        ]
        self.assertEqual(evaluate("store.js", shown, [ENTERED, *changes, mine, *changes]), ["wait", "offer"])
        self.assertIsNone(evaluate("store.js", shown, [ENTERED, mine, ENTERED]))

    def test_the_order(self) -> None:
        """Your turn with the least time first, offers, waiting, opened, and what has ended last."""
        rows = [
            self.row(table=1, state="over", ended=5),
            self.row(table=2, state="over", ended=9),
            self.row(table=3, state="open"),
            self.row(table=4, state="wait"),
            self.row(table=5, state="offer"),
            self.row(table=6),
            self.row(table=7),
            self.row(table=8, by=900),
            self.row(table=9, by=100),
        ]
        ordered = evaluate("mine.js", "module.ordered(data).map((row) => row.table)", rows)
        self.assertEqual(ordered, [9, 8, 6, 7, 5, 4, 3, 2, 1])
        self.assertEqual(evaluate("mine.js", "module.wanted(data)", rows), 5)

    def test_the_words(self) -> None:
        over = {"state": "over", "ended": 5}
        said = (
            (self.row(), "Your turn"),
            (self.row(by=2 * DAY + 5), "Your turn: 2 days left"),
            (self.row(by=90 * MINUTE), "Your turn: 90 minutes left"),
            (self.row(by=-5), "Your turn: 1 minute left"),
            (self.row(state="wait", by=47 * 60 * MINUTE), "bob plays: 47 hours left"),
            (self.row(state="open", names=["ann"], by=DAY), "It waits for players, for 24 hours"),
            (self.row(state="open"), "ann and bob have seats. It waits for players"),
            (self.row(state="offer"), "An offer waits for your answer"),
            (self.row(state="offer", offer="takeback", by=DAY), "bob wants to take the last move back"),
            (self.row(state="offer", offer="draw", turn=True, by=2 * DAY), "bob offers a draw: 2 days left"),
            (self.row(state="offer", names=["bob"], seat=1), "bob wants a rematch"),
            (
                self.row(**over, winners=[1], cause="left", why="a player left"),
                "You have lost: you have resigned, or did not come back in time",
            ),
            (
                self.row(**over, winners=[0], cause="left", why="a player left"),
                "You have won: bob has resigned, or did not come back",
            ),
            (self.row(**over, winners=[1], cause="time", why="a player ran out"), "You have lost: your time was over"),
            (self.row(**over, winners=[0], cause="time", why="a player"), "You have won: the time of bob was over"),
            (self.row(**over, winners=[], cause="time", why="never moved"), "A draw: never moved"),
            (
                self.row(**over, winners=[0], cause="rules", why="the master is taken"),
                "You have won: the master is taken",
            ),
            (self.row(**over, winners=[], cause="rules", why="agreed"), "A draw: agreed"),
            (self.row(**over, winners=[], cause="left", why="nobody came back"), "It was put away: nobody came back"),
            (self.row(**over, winners=[], why="nobody came in time"), "It did not begin: nobody came in time"),
        )
        words = evaluate("mine.js", "data.map((row) => module.stateWords(row, 'ann', 0))", [row for row, _ in said])
        self.assertEqual(words, [text for _, text in said])

    def test_where_a_match_is(self) -> None:
        """A private one needs its code. What was put away, or did not begin, has no record."""
        over = {"state": "over", "ended": 5, "code": "K7"}
        rows = [self.row(), self.row(code="K7"), self.row(**over, winners=[0], cause="left")]
        rows += [self.row(**over, winners=[], cause="left"), self.row(**over, winners=[])]
        places = ["/table/3", "/table/3#K7", "/match/3?code=K7", None, None]
        self.assertEqual(evaluate("mine.js", "data.map(module.placeOf)", rows), places)


class CalculationTests(SynchronousTestCase):
    def test_pause(self) -> None:
        pauses = evaluate(
            "socket.js", "[0, 1, 2, 5, 50].map((failed) => [module.pause(failed, 0), module.pause(failed, 1)])"
        )
        expected = [[350, 650], [700, 1300], [1400, 2600], [7000, 13000], [7000, 13000]]
        for found, right in zip(pauses, expected, strict=True):
            self.assertEqual([round(one) for one in found], right)

    def test_clock(self) -> None:
        """Minutes and seconds; tenths at the end; never less than nothing."""
        texts = evaluate("seats.js", "[600000, 125400, 9340, 0, -50].map(module.clockText)")
        self.assertEqual(texts, ["10:00", "2:05", "9.3", "0.0", "0.0"])

    def test_absences(self) -> None:
        """Both sides see how long they have, and what comes then."""
        table = {"names": ["ann", "bob"], "wires": ["open", "open"], "seat": 0}
        words = (
            "data.map(([away, wires, left]) => module.lostWords("
            "{ names: ['ann', 'bob'], seat: 0, wires, left: new Set(), away: new Set(away) }, left))"
        )
        people, house = ["open", "open"], ["open", "house"]
        lost = evaluate("absence.js", words, [[[], people, 59_000], [[], people, -1], [[1], people, 1], [[], house, 1]])
        waits = "The connection is lost. The match waits for you."
        self.assertEqual([lost[0], *lost[2:]], ["The connection is lost. Your seat is kept for 0:59.", waits, waits])
        self.assertIn("the others can end the match now", lost[1])
        claimed = "module.claimWords({ ...data, claims: new Map([[1, { as: ['win'], ends: 700000 }]]) }, 100000)"
        self.assertIn(
            "bob has not come back in time. You decide, or wait: the match ends in 10:00",
            evaluate("absence.js", claimed, table),
        )

    def test_ends(self) -> None:
        ends = evaluate(
            "seats.js",
            "data.map(([seat, winners]) =>"
            " Object.values(module.endWords({ seat, names: ['ann', 'bob', 'cid'], over: { winners, why: 'so it is' } })))",
            [[0, [0]], [1, [0]], [None, [1]], [None, []], [0, [0, 2]], [1, [0, 2]]],
        )
        expected = [
            ["You have won", "So it is"],
            ["You have lost", "ann has won: so it is"],
            ["bob has won", "So it is"],
            ["Draw", "So it is"],
            ["ann and cid have won", "So it is"],
            ["You have lost", "ann and cid have won: so it is"],
        ]
        self.assertEqual(ends, expected)

    def test_the_loser_of_two(self) -> None:
        over = {"winners": [0], "why": "so it is"}
        ends = evaluate("seats.js", "module.endWords(data)", {"seat": 1, "names": ["ann", "bob"], "over": over})
        self.assertEqual(ends, {"title": "You have lost", "detail": "So it is"})

    def test_who_has_left(self) -> None:
        ends = evaluate(
            "seats.js",
            "data.map(([seat, resigned]) => module.endWords({ seat, resigned, names: ['ann', 'bob'],"
            " over: { winners: [1], cause: 'left', why: 'a player left' } }).detail)",
            [[0, True], [0, False], [1, False], [None, False]],
        )
        left = "ann has resigned, or did not come back"
        self.assertEqual(ends, ["You have resigned", "You did not come back in time", left, left])

    def test_ways_in_words(self) -> None:
        """Of players who do not come by the browser or the open wire, which it speaks."""
        words = evaluate("seats.js", "data.map(module.wireWords)", ["open", "console", "agent", "gomoku-xml"])
        self.assertEqual(words, ["", "by the console", "by an agent", "by gomoku xml"])

    def test_wishes(self) -> None:
        chosen = {"house": "", "seats": "3", "expert": "true", "clock": "game 180 2", "private": "true"}
        asked = evaluate("play.js", "module.wishes('eriantys', data)", chosen)
        settings = {"game_time": 180, "increment": 2, "expert": True}
        self.assertEqual(asked, {"game": "eriantys", "settings": settings, "seats": 3, "private": True})
        asked = evaluate(
            "play.js", "module.wishes('onitama', data)", {"house": "easy", "seat": "any", "clock": "move 30"}
        )
        self.assertEqual(asked, {"game": "onitama", "settings": {"move_time": 30}, "house": "easy"})

    def test_a_guess_holds_until_the_last_of_its_actions(self) -> None:
        """What the host says of the first action alone does not take the guess away; a later entry does."""
        guessed = (
            "(data.forEach(module.hear), module.state.tables.get(3).guess = {id: 1, event: {}, actions: 2},"
            " [1, 1, 2].map((n) => { module.hear({is: 'event', table: 3, n, event: {}});"
            " return module.state.tables.get(3).guess !== null; }))"
        )
        self.assertEqual(evaluate("store.js", guessed, [SEATED]), [True, True, False])

    def test_arrow_keys(self) -> None:
        cells = [{"id": f"{x}{y}", "x": 10 * x, "y": 10 * y, "w": 10, "h": 10} for x in range(3) for y in range(3)]
        found = evaluate(
            "board.js",
            "[[1, 0], [-1, 0], [0, 1], [0, -1]].map((way) => ['11', '00'].map((id) =>"
            " module.neighbour(data, data.find((cell) => cell.id === id), way)?.id ?? null))",
            cells,
        )
        self.assertEqual(found, [["21", "10"], ["01", None], ["12", "01"], ["10", None]])


# An address as a QR code.


ROWS = "data.map((text) => module.qrCode(text)?.map((row) => row.map(Number).join('')).join('') ?? null)"


class NameTests(SynchronousTestCase):
    def test_names_are_shown_as_they_were_typed(self) -> None:
        """In messages, and in rows of finished matches; what is no name stays as it is."""
        shown = {"Jan_van_der_Meer": "Jan van der Meer"}
        seated = {**SEATED, "names": ["ann", "Jan_van_der_Meer"], "shown_as": shown}
        entered = {**ENTERED, "name": "Jan_van_der_Meer", "shown_as": shown}
        row = {"table": 4, "game": "onitama", "names": ["Jan_van_der_Meer", "ann"]}
        tables = {"is": "tables", "tables": [row], "waiting": [], "shown_as": shown}
        found = evaluate(
            "store.js",
            "(data.forEach(module.hear), ((s) => [s.tables.get(3).names, s.me.name, s.me.shown, s.rows.get(4).names,"
            " s.rows.get(4).game])(module.state))",
            [entered, seated, tables],
        )
        both = ["ann", "Jan van der Meer"]
        self.assertEqual(found, [both, "Jan_van_der_Meer", "Jan van der Meer", both[::-1], "onitama"])
        result = {"names": ["Jan_van_der_Meer", "ann"], "winners": [0], "why": "so it is", "shown_as": shown}
        self.assertEqual(
            evaluate("record.js", "module.resultWords(data)", result), "Jan van der Meer has won: so it is"
        )


class QrTests(SynchronousTestCase):
    def test_codes_of_another_program(self) -> None:
        """The same squares as the package `qrcode` 8.2 gives, at level M and with mask 0."""
        [code] = evaluate("qr.js", ROWS, ["https://games.example.org/table/12345#ABCDEFGH"])
        self.assertEqual(len(code), 33 * 33)
        self.assertEqual(
            sha256(code.encode()).hexdigest(), "d43b6186c8fc7685fb51741e0093d718481fb972337830392c855e8d154342e4"
        )

    def test_sizes(self) -> None:
        """Of 106 bytes at most, in the smallest version that holds them."""
        codes = evaluate("qr.js", ROWS, ["x" * size for size in (14, 15, 26, 27, 106, 107)])
        sides = [len(code) ** 0.5 if code else None for code in codes]
        self.assertEqual(sides, [21, 25, 25, 29, 41, None])
