"""The boards of the games, run by node: what they show, and what a press on them does."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import msgspec
from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import IllegalAction, Offer, Seat, offers_of
from gamehost.games.eriantys.events import AskStudent, Situation
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.onitama.rules import VECTORS
from gamehost.games.stratego.rules import KINDS, PlaceRows, read
from gamehost.players.base import SeededChance
from gamehost.wires.open.conversation import listed
from gamehost.wires.seeking import PLAYED, PlayedGame
from tests import share
from tests.kit.browser import STATIC, evaluate
from tests.web import test_words

#: Of each game, and of each match.
MATCHES = share(2, 6)
MOMENTS = 60
#: What gives the boards their words.
WORDS = (STATIC / "words.js").as_uri()
BOARDS = STATIC.parents[1] / "games"
#: So many actions are offered at least.
OFFERED = 100 * MATCHES
#: Follows what a seat is told. After each action it compares the picture with that of the host's own view, and presses whatever
#: can be pressed, in all ways, until an action comes out. `unheard`: the picture has changed, and no word of it.
#: `odd`: what is drawn as an element and is none.
PLAY = """
await (async () => {
  globalThis.fetch = async () => ({ json: async () => ({ cards: data.cards }) });
  const game = module.default;
  await game.load?.((await import(data.words)).t);
  const actions = (view, options) => {
    const found = new Set();
    const seen = new Set();
    const choices = [null];
    while (choices.length) {
      const choice = choices.pop();
      if (seen.has(JSON.stringify(choice))) continue;
      seen.add(JSON.stringify(choice));
      const begun = (choice && game.begun?.(choice)) || "";
      if (begun) { found.add(begun); continue; }
      for (const cell of game.draw(view, { ...options, choice }).cells.filter((one) => one.can)) {
        const pressed = game.press(view, { ...options, choice }, cell.id);
        if (pressed?.act) found.add([pressed.act].flat()[0]);
        else if (pressed?.choice) choices.push(pressed.choice);
      }
    }
    return [...found].sort();
  };
  const SVG = "svg g rect circle ellipse line path polygon polyline text tspan title defs clipPath pattern image use";
  const strange = (tag) => (SVG.split(" ").includes(tag) ? [] : [String(tag)]);
  const odd = (shape) => (Array.isArray(shape) ? [...strange(shape[0]), ...shape.slice(1).flatMap(odd)] : []);
  return data.lookers.map(({ seat, moments, names }) => {
    let view = null;
    let before = {};
    return moments.map(({ told, shown, moves }) => {
      for (const event of told) view = game.after(view, event, seat);
      const can = moves !== null;
      const options = { seat: seat ?? 0, mine: seat, can, moves: moves ?? [], choice: null, wide: true, names, last: null };
      const pieces = (known) => JSON.stringify(game.draw(known, options).pieces);
      const { pieces: drawn, marks, over, label, cells } = game.draw(view, options);
      const now = { seen: JSON.stringify([drawn, marks, over]), heard: JSON.stringify([label, cells.map((one) => one.label)]) };
      const unheard = now.heard === before.heard && now.seen !== before.seen;
      before = now;
      return {
        unheard, odd: [...marks, ...over, ...drawn.flatMap((one) => one.shape)].flatMap(odd),
        same: pieces(view) === pieces(shown), turns: [game.turn(view), game.turn(shown)].map(String),
        actions: moves && actions(view, options),
      };
    });
  });
})()
"""
#: From each cell of a board to each that can be pressed, by the arrow key of the larger distance: where that leads nowhere.
LOST = """
await (async () => {
  const { neighbour } = await import(data.board);
  globalThis.fetch = async () => ({ json: async () => ({ cards: data.cards }) });
  const game = module.default;
  await game.load?.((await import(data.words)).t);
  const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];
  const arrives = (cells, from, to) => {
    for (let at = from, step = 0; at && step < 40; step += 1) {
      if (at === to) return true;
      const [x, y] = middle(to).map((value, axis) => value - middle(at)[axis]);
      at = neighbour(cells, at, Math.abs(y) >= Math.abs(x) ? [0, Math.sign(y)] : [Math.sign(x), 0]);
    }
    return false;
  };
  const lost = ({ view, moves }, wide) => {
    const options = { seat: 0, mine: 0, can: moves !== null, moves: moves ?? [], choice: null, wide, names: data.names };
    const { cells } = game.draw(view, { ...options, last: null });
    return cells.flatMap((from) => cells.filter((to) => to.can && !arrives(cells, from, to)).map((to) => [from.id, to.id]));
  };
  return data.views.flatMap((one) => [...lost(one, true), ...lost(one, false)]);
})()
"""
PRESS = """
data.presses.map((ids) => {
  let choice = null;
  let pressed = null;
  for (const id of ids) {
    pressed = module.default.press(data.view, { mine: 0, can: true, choice, moves: data.moves }, id);
    choice = pressed?.choice ?? null;
  }
  return pressed;
})
"""


def plain(message: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(message))


@define
class Looker:
    seat: Seat | None
    told: list[Any] = field(factory=list)
    #: What was told, how the match stands, and what can be done; after each action.
    moments: list[dict[str, Any]] = field(factory=list)


def match(played: PlayedGame, seed: int, seats: int) -> list[Looker]:
    game, rng = played.game, random.Random(seed)
    master: Any = game.new_master(seats, {"expert": "yes"} if "expert" in game.options else {}, SeededChance(seed))
    lookers = [Looker(seat) for seat in (*map(Seat, range(seats)), None)]
    told = master.begin(0)
    while True:
        for looker in lookers:
            heard = [to.event for to in told if to.audience is None or looker.seat in to.audience]
            looker.told += [plain(event) for event in map(played.messages.event, heard) if event is not None]
        if master.result is not None or len(lookers[0].moments) > MOMENTS:
            return lookers
        if all(game.legal(master.view(seat), seat) is not None for seat in map(Seat, range(seats))):
            for looker in lookers:
                note(played, master, looker)
        chosen = (
            (seat, game.random_action(master.view(seat), seat, rng.randrange)) for seat in map(Seat, range(seats))
        )
        seat, action = next((seat, action) for seat, action in chosen if action is not None)
        told = master.act(seat, action, 0)
        if Offer.TAKEBACK in offers_of(game) and master.result is None and not rng.randrange(4):
            takers = [taker for taker in (Seat(0), Seat(1)) if master.objection(Offer.TAKEBACK, taker) is None]
            for taker in takers[rng.randrange(2) :][:1]:
                told = [*told, *master.agree(Offer.TAKEBACK, taker, 0)]


def note(played: PlayedGame, master: Any, looker: Looker) -> None:
    view = master.view(looker.seat)
    try:
        moves = [] if looker.seat is None else plain(listed(played, view, looker.seat, None))
    except IllegalAction:
        moves = []
    looker.moments.append({"told": looker.told, "shown": plain(played.messages.view(view)), "moves": moves or None})
    looker.told = []


class EachGame:
    """A check of one game, for all four."""

    check: Callable[..., None]

    def test_onitama(self) -> None:
        self.check("onitama")

    def test_paper_soccer(self) -> None:
        self.check("paper-soccer")

    def test_stratego(self) -> None:
        self.check("stratego")

    def test_eriantys(self) -> None:
        self.check("eriantys", 3)


class PlayTests(EachGame, SynchronousTestCase):
    """Boards hold no rules: they follow what they are told, and offer what the host lists."""

    def check(self, name: str, seats: int = 2) -> None:
        played = next(one for one in PLAYED if one.game.name == name)
        lookers = [one for seed in range(MATCHES) for one in match(played, seed, seats)]
        names = ["ann", "bob", "cid", "dan"]
        told = [{"seat": one.seat, "moments": one.moments, "names": names} for one in lookers]
        data = {"cards": VECTORS, "lookers": told, "words": WORDS}
        offered = 0
        for looker, found in zip(lookers, evaluate(name, PLAY, data), strict=True):
            for number, (moment, one) in enumerate(zip(looker.moments, found, strict=True)):
                self.assertEqual(one["odd"], [], (looker.seat, number))
                self.assertTrue(one["same"], (looker.seat, number))
                self.assertFalse(one["unheard"], (looker.seat, number))
                if moment["shown"].get("board", "") is not None:
                    # Before the islands of Eriantys are dealt, a page is not told who of the others chooses.
                    followed, shown = one["turns"]
                    self.assertEqual(followed, shown, (looker.seat, number))
                if moment["moves"]:
                    self.assertEqual(one["actions"], sorted(move["action"] for move in moment["moves"]), number)
                    offered += len(one["actions"])
        self.assertGreater(offered, OFFERED)


#: The seats on turn when a match is over, to each who looks on.
ENDS = """
data.map(({ seat, told }) => module.default.turn(told.reduce((view, event) => module.default.after(view, event, seat), null)))
"""


class EndTests(EachGame, SynchronousTestCase):
    """After the action that ends a match nobody is on turn, so that a page asks no more what can be done."""

    def check(self, name: str, seats: int = 2) -> None:
        played = next(one for one in PLAYED if one.game.name == name)
        game, ends = played.game, []
        for seed in range(4):
            rng = random.Random(seed)
            master: Any = game.new_master(seats, {}, SeededChance(seed))
            told = list(master.begin(0))
            while master.result is None:
                chosen = (
                    (seat, game.random_action(master.view(seat), seat, rng.randrange))
                    for seat in map(Seat, range(seats))
                )
                seat, action = next((seat, action) for seat, action in chosen if action is not None)
                told += master.act(seat, action, 0)
            for looker in (*map(Seat, range(seats)), None):
                heard = (to.event for to in told if to.audience is None or looker in to.audience)
                events = [plain(event) for event in map(played.messages.event, heard) if event is not None]
                ends.append({"seat": looker, "told": events})
        self.assertEqual(evaluate(name, ENDS, ends), [[]] * len(ends))


class KeyTests(EachGame, SynchronousTestCase):
    """A person without a mouse comes to every cell by the arrow keys that point there."""

    def check(self, name: str, seats: int = 2) -> None:
        played = next(one for one in PLAYED if one.game.name == name)
        moments = match(played, 1, seats)[0].moments
        views = [{**moments[at], "view": moments[at]["shown"]} for at in (0, len(moments) // 2, -1)]
        board, names = (STATIC / "board.js").as_uri(), ["ann", "bob", "cid", "dan"]
        data = {"cards": VECTORS, "words": WORDS}
        self.assertEqual(evaluate(name, LOST, {**data, "views": views, "board": board, "names": names}), [])


#: What a board says in a language of its own, in which each text stands in brackets. `asked`: the texts. `rest`: what stands
#: beside them. Cards, presets and the notation of moves have no other names in any language.
SPEAK = """
await (async () => {
  globalThis.fetch = async () => ({ json: async () => ({ cards: data.cards }) });
  const { t } = await import(data.words);
  const [asked, rest] = [new Set(), new Set()];
  const game = module.default;
  await game.load((text, values) => {
    asked.add(text);
    return `\u27e6${t(text, values)}\u27e7`;
  });
  const bare = (text) => {
    for (let before = null; before !== text;) [before, text] = [text, text.replace(/\u27e6[^\u27e6\u27e7]*\u27e7/g, "")];
    return text;
  };
  const say = (said) => {
    const text = String(said ?? "");
    if (/undefined|null|NaN|[{}]/.test(text)) rest.add(text);
    for (const word of bare(text).match(/[A-Za-z]{2,}/g) ?? []) rest.add(word);
  };
  const textOf = (shape) => (Array.isArray(shape) ? shape.slice(2).map(textOf).join(" ") : shape || "");
  for (const { seat, moments, names } of data.lookers) {
    let view = null;
    for (const { told, moves } of moments) {
      for (const event of told) {
        say(game.words(event, names, view));
        say(game.move(event, view)?.text);
        view = game.after(view, event, seat);
      }
      const options = { seat: seat ?? 0, mine: seat, can: moves !== null, moves: moves ?? [], names, table: 1, log: [] };
      const choices = [null];
      for (const cell of game.draw(view, { ...options, choice: null, wide: true }).cells.filter((one) => one.can).slice(0, 2)) {
        choices.push(game.press(view, { ...options, choice: null }, cell.id)?.choice ?? null);
      }
      for (const choice of choices) {
        for (const wide of [true, false]) {
          const { label, cells, ground, marks, over } = game.draw(view, { ...options, choice, wide });
          [label, ...cells.map((one) => one.label)].forEach(say);
          say([ground, marks, over].flat().map(textOf).join(" "));
        }
        Object.values(game.status(view, { ...options, choice })).forEach(say);
      }
      [...(game.sides?.(view) ?? []), game.doing?.(view) ?? ""].forEach(say);
    }
    const log = moments.flatMap(({ told }) => told.map((event) => ({ event })));
    game.lost?.(log).forEach(say);
  }
  return { asked: [...asked].filter(Boolean), rest: [...rest] };
})()
"""
#: Names that are the same in all languages.
NAMES = {"ann", "bob", "cid", "Onitama", "Paper", "Soccer", "Stratego", "Eriantys"}


class SpokenTests(EachGame, SynchronousTestCase):
    """All that a board says and draws in words goes through its catalogues, with a value in each place."""

    def check(self, name: str, seats: int = 2) -> None:
        played = next(one for one in PLAYED if one.game.name == name)
        lookers = match(played, 1, seats)
        told = [
            {"seat": one.seat, "moments": one.moments, "names": ["ann", "bob", "cid"]}
            for one in (lookers[0], lookers[-1])
        ]
        found = evaluate(name, SPEAK, {"cards": VECTORS, "lookers": told, "words": WORDS})
        cards = {word for card in VECTORS for word in (card, card.title())} if name == "onitama" else set[str]()
        self.assertEqual(set(found["rest"]) - NAMES - cards, set())
        for language in test_words.LANGUAGES:
            there = test_words.read(BOARDS / name.replace("-", "_") / f"board-words-{language}.json").keys()
            self.assertEqual(set(found["asked"]) - there, set(), language)


class HeardTests(SynchronousTestCase):
    """What the labels say to somebody who does not see the board."""

    def test_the_lines_of_paper_soccer(self) -> None:
        """From the labels alone it is known which lines are drawn, and where the ball bounces."""
        view = {"first": 0, "moves": [[[0, 1]], [[1, 1], [0, 0], [1, 0]]], "next": 0}
        options = {
            "seat": 0,
            "mine": 0,
            "can": True,
            "choice": [[2, 0]],
            "names": ["ann", "bob"],
            "wide": True,
            "moves": [],
        }
        script = (
            "(await module.default.load((await import(data.words)).t), Object.fromEntries("
            "module.default.draw(data.view, data.options).cells.map(({ id, label }) => [id, label])))"
        )
        labels = evaluate("paper-soccer", script, {"view": view, "options": options, "words": WORDS})
        expected = {
            "0,0": "0,0, lines to 0,1 and 1,1 and 1,0",
            "0,1": "0,1, lines to 0,0 and 1,1",
            "1,1": "1,1, lines to 0,1 and 0,0",
            "2,0": "2,0, the ball, take the last line back, lines to 1,0",
            "4,1": "4,1, at the border",
            "0,5": "0,5",
            "1,5": "1,5, at the border",
            "3,3": "3,3",
        }
        self.assertEqual({point: labels[point] for point in expected}, expected)


class PressTests(SynchronousTestCase):
    def test_onitama(self) -> None:
        view = {
            "board": "PPKPP...............ppkpp",
            "hands": [["boar", "ox"], ["crab", "eel"]],
            "spare": "tiger",
            "turn": 0,
        }
        moves = [
            {"action": f"{card} c1 c2", "parts": {"kind": "move", "card": card, "from": "c1", "to": "c2"}}
            for card in ("boar", "ox")
        ]
        event = {"kind": "moved", "seat": 0, "from": "c1", "to": "c2"}
        expected = {
            ("c1", "c2"): {"choice": {"from": "c1", "to": "c2"}},
            ("c1", "c2", "with ox"): {"act": "ox c1 c2", "event": {**event, "card": "ox"}},
            ("card boar", "c1", "c2"): {"act": "boar c1 c2", "event": {**event, "card": "boar"}},
            ("c1", "card ox", "c2"): {"act": "ox c1 c2", "event": {**event, "card": "ox"}},
            ("c1", "c1"): {"choice": None},
            ("a5",): None,
            ("c1", "d4"): {"choice": None},
            ("c1", "cancel"): {"choice": None},
        }
        self.check("onitama", view, moves, expected)

    def test_paper_soccer(self) -> None:
        view = {"first": 0, "moves": [[[0, 1]], [[1, 1]]], "next": 0}
        moves = [
            {"action": "0,2", "parts": {"kind": "move", "points": [[0, 2]]}},
            {"action": "0,0", "parts": {"kind": "move", "points": [[0, 0]]}, "more": True},
            {"action": "0,0 1,0", "parts": {"kind": "move", "points": [[0, 0], [1, 0]]}},
        ]
        event = {"kind": "moved", "seat": 0, "next": 1}
        expected = {
            ("0,2",): {"act": "0,2", "event": {**event, "points": [[0, 2]]}},
            ("0,0",): {"choice": [[0, 0]]},
            ("0,0", "1,0"): {"act": "0,0 1,0", "event": {**event, "points": [[0, 0], [1, 0]]}},
            ("0,0", "0,0"): {"choice": []},
            ("3,3",): None,
            ("0,0", "cancel"): {"choice": []},
            ("1,1",): None,
        }
        self.check("paper-soccer", view, moves, expected)

    def test_eriantys(self) -> None:
        played = next(one for one in PLAYED if one.game.name == "eriantys")
        master = ERIANTYS.new_master(2, {}, SeededChance(1))
        master.begin(0)
        while not isinstance(master.request, AskStudent):
            seat = master.to_move()
            assert seat is not None
            master.act(seat, next(ERIANTYS.legal(cast(Situation, master.view(seat)), seat)), 0)
        view, (first, second, *_) = master.view(master.request.seat), self.actions(played, master, None)
        colour, other = first.split(" ")[1], second.split(" ")[1]
        listed = plain([one for one in self.listed(played, master, first) if one.action != "destination 3"])
        event = {"kind": "student-moved", "colour": colour, "destination": 2, "seat": 0}
        hall = {"kind": "student-moved", "colour": colour, "destination": 0, "seat": 0}
        expected: dict[tuple[str, ...], Any] = {
            (f"entrance {colour}", "island 2"): {"act": [first, "destination 2"], "event": event},
            (f"entrance {colour}", f"dining {colour}"): {"act": [first, "destination 0"], "event": hall},
            (f"entrance {colour}", f"dining {other}"): {"choice": None},
            (f"entrance {colour}", "island 3"): {"choice": None},
            (f"entrance {colour}", f"entrance {other}"): {"choice": {"student": other}},
            (f"entrance {colour}", f"entrance {colour}"): {"choice": None},
        }
        # The first press is one on what the host lists first.
        both = [{"action": first, "parts": {}}, *listed]
        self.check("eriantys", plain(played.messages.view(view)), both, expected)

    def listed(self, played: PlayedGame, master: Any, begun: str | None) -> Any:
        return listed(played, master.view(master.request.seat), master.request.seat, begun)

    def actions(self, played: PlayedGame, master: Any, begun: str | None) -> list[str]:
        return [one.action for one in self.listed(played, master, begun)]

    def check(self, game: str, view: Any, moves: Any, expected: dict[tuple[str, ...], Any]) -> None:
        found = evaluate(game, PRESS, {"view": view, "moves": moves, "presses": list(expected)})
        for presses, one in zip(expected, found, strict=True):
            self.assertEqual(one, expected[presses], presses)


class SetUpTests(SynchronousTestCase):
    def test_set_ups_are_whole(self) -> None:
        counts = Counter({kind.id: kind.count for kind in KINDS.values()})
        for seat in (0, 1):
            for rows, action in evaluate(
                "stratego/board-setup.js",
                f"[...Object.keys(module.PRESETS).map((name) => module.presetRows(name, {seat})),"
                f" ...Array.from({{length: 50}}, () => module.shuffledRows({seat}))]"
                ".map((rows) => [rows, module.rowsAction([...rows.join('')])])",
            ):
                self.assertEqual(Counter("".join(rows)), counts)
                self.assertEqual(read(action.encode()), PlaceRows(tuple(rows)))


KEEP_MODULES = [(BOARDS / "stratego" / "board.js").as_uri(), WORDS]
KEEP = """
await (async () => {
  const kept = { game: ["another release", "9".repeat(40)], keep: (what, words) => (kept[what] = words) };
  const { pressSetup, trayCells, rowsAction } = module;
  const [board, { t }] = await Promise.all(data.modules.map((one) => import(one)));
  await board.default.load(t);
  const view = { board: Array(100).fill(""), phase: "setup", ready: [false, false] };
  const brought = [];
  for (const [seat, ...ids] of data.presses) {
    let choice = null;
    for (const id of ids) choice = pressSetup(view, { mine: seat, can: true, choice, kept }, id).choice;
    const names = trayCells(view, { mine: seat, can: true, choice, kept }).map((cell) => cell.label);
    brought.push([rowsAction(choice.placing), names.filter((name) => /kept|Keep/.test(name))]);
  }
  return [brought, kept.game.length];
})()
"""
MARK = """
(() => {
  const kept = { table: ["another release"], keep: (what, words) => (kept[what] = words) };
  const board = Array(100).fill("");
  Object.assign(board, { 65: "1?", 66: "1?", 30: "09" });
  const view = { phase: "play", board };
  const log = [{ n: 3, event: { kind: "playing" } }];
  const options = { mine: 0, kept, log, choice: null };
  const places = () => Object.fromEntries(module.marksOf(options));
  const mark = (square, kind) => {
    const { choice } = module.pressMark(view, options, square);
    return module.pressMark(view, { ...options, choice }, `mark ${kind}`);
  };
  const seen = [module.pressMark(view, options, "30"), mark("65", "2"), mark("65", "B"), mark("66", "1"), places()];
  for (const [n, event] of Object.entries(data)) {
    log.push({ n: Number(n), event });
    seen.push(places());
  }
  return [...seen, kept.table];
})()
"""


class KeptTests(SynchronousTestCase):
    """What Stratego keeps for its player. Words of another release are passed over."""

    def test_set_ups(self) -> None:
        """Kept by one side and brought by the other, turned; the one before at the next press; five of them."""
        presses = [[0, "preset Corner", "keep"], [0, "preset Attack", "keep"], [1, "kept"], [1, "kept", "kept"]]
        found, count = evaluate("stratego/board-setup.js", KEEP, {"presses": presses, "modules": KEEP_MODULES})
        rows = evaluate("stratego/board-setup.js", "[module.presetRows('Attack', 1), module.presetRows('Corner', 1)]")
        self.assertEqual([action for action, _ in found[2:]], ["/".join(one) for one in rows])
        self.assertEqual(found[1][1], ["Set-up: kept, 2 of 5"])
        self.assertEqual(count, 2)
        many = [[0, "shuffle", "keep"] for _ in range(7)]
        self.assertEqual(evaluate("stratego/board-setup.js", KEEP, {"presses": many, "modules": KEEP_MODULES})[1], 5)

    def test_marks_follow_their_pieces(self) -> None:
        """Through moves and fights; own pieces have none, and the last mark of a piece counts."""
        events = {
            4: {"kind": "moved", "from": "F7", "to": "F6"},
            5: {"kind": "fought", "from": "A4", "to": "G7", "winner": "defender"},
            6: {"kind": "fought", "from": "F6", "to": "F5", "winner": None},
        }
        both, later = {"F7": "B", "G7": "1"}, {"F6": "B", "G7": "1"}
        found = evaluate("stratego/board-marks.js", MARK, events)
        words = ["another release", "3F7B", "3G71"]
        self.assertEqual(found[1:], [*[{"choice": None}] * 3, both, later, later, {"G7": "1"}, words])
