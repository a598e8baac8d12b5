"""The times that each side of a quick match sees on its page, beside what the host does."""

import random
from collections import Counter
from math import isnan, nan
from typing import Any

from gamehost.journal.records import TableId
from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.browser import STATIC, evaluate
from tests.kit.wires.open import OpenCase, line

#: The most by which a page may be wrong, and the most that a message is under way, in seconds.
WRONG, UNDER_WAY = 2.0, 1.0
STEP, STORIES = 0.5, 6
TABLE = TableId(1)

#: The page of a side: what comes in, and what the page says at each moment. Its clock is another one than the host's.
PAGES = """await (async () => {
    const text = (node) => (node.hidden ? "" : node.textContent);
    globalThis.document = {
        createElement: () => ({ hidden: false, classList: { toggle() {} }, getAttribute() {}, setAttribute() {}, append() {} }),
        getElementById: () => null, querySelector: () => null,
    };
    let clock = 0;
    performance.now = () => clock * 1000 + 77;
    Date.now = () => clock * 1000 + 1e12;
    const [{ Deadline }, { claimWords, lostWords, ownTime }, { awayWords }] = await Promise.all(
        data.modules.map((one) => import(one)));
    const { state, hear, disconnected, known } = module, empty = structuredClone(state);
    return data.sides.map((side) => {
        const deadline = new Deadline();
        deadline.close();
        Object.assign(state, structuredClone(empty));
        return side.map(([at, what]) => {
            clock = at;
            if (what === "new") Object.assign(state, structuredClone(empty));
            else if (what === "lost") disconnected("connecting");
            else if (what === "open") Object.assign(state, { link: "open", entering: true });
            else if (what) hear(what);
            const table = state.tables.get(1);
            if (what !== "" || !table || table.seat === null) return null;
            const turns = table.over ? [] : [(table.n + 1) % 2];
            deadline.show(table, turns, known());
            return {
                due: text(deadline.element), away: awayWords(table, 1 - table.seat),
                claim: known() && !table.over ? claimWords(table, performance.now()) : "",
                own: state.link === "open" || table.over ? ""
                    : lostWords(table, state.lostAt + table.grace - Date.now(), ownTime(table, turns)),
                over: table.over?.cause ?? "",
            };
        });
    });
})()"""


def seconds(words: str) -> float | None:
    """The time in a sentence of a page; `None`: there is none."""
    for word in reversed(words.replace(",", "").rstrip(".").split()):
        minutes, colon, rest = word.partition(":")
        if colon and minutes.isdigit():
            return int(minutes) * 60 + float(rest)
        if not colon and word.count(".") == 1 and word.replace(".", "").isdigit():
            return float(word)
    return None


def fits(says: float | None, true: float | None) -> bool:
    if true is not None and isnan(true):
        return True
    if says is None or true is None:
        return (says or 0.0) <= WRONG and (true or 0.0) <= WRONG
    return abs(says - true) <= WRONG


class Side:
    """A player with a page. What reaches the page is written down with its time."""

    def __init__(self, case: "ShownTimesTests", name: str) -> None:
        self.case, self.name, self.key = case, name, ""
        self.client: Client | None = None
        self.feed: list[tuple[float, Any]] = []
        #: What is true at each moment: the time that the own page must show.
        self.truths: list[dict[str, float | None]] = []
        #: Whether the other one was there all the time since the connection was lost.
        self.watched = False
        #: At the end: whether the page has a connection, and whether this side has lost.
        self.here = self.lost = False
        self.arrived = 0.0

    def come(self, *, fresh: bool) -> None:
        self.note("new" if fresh else "open")
        self.note("open")
        self.client = self.case.world.connect("open")
        self.say(do="enter", name=self.name, **({"key": self.key} if self.key else {}))

    def say(self, **message: Any) -> None:
        assert self.client is not None
        self.client.send(line(**message))

    def note(self, what: Any) -> None:
        self.arrived = max(self.arrived, self.case.now + self.case.rng.random() * UNDER_WAY)
        self.feed.append((self.arrived, what))

    def hear(self) -> list[dict[str, Any]]:
        told = [] if self.client is None else self.case.told(self.client)
        self.note(None)  # what comes together is under way together
        for message in told:
            self.key = message.get("key", self.key)
            self.feed.append((self.arrived, message))
        return told

    def drop(self, other: "Side") -> None:
        assert self.client is not None
        self.hear()
        self.client.drop()
        self.client = None
        self.watched = other.client is not None
        self.note("lost")


class ShownTimesTests(OpenCase):
    """Messages are late by up to a second, and pages lose their connections, at random."""

    world: MemoryHost
    rng: random.Random

    @property
    def now(self) -> float:
        return self.world.clock.seconds()

    def story(self, seed: int) -> list[Side]:
        """A match until its end, which nobody claims before it comes by itself."""
        self.rng, self.world = random.Random(seed), self.host(grace=20.0)
        self.world.lobby.context.claim = 45.0
        sides = [Side(self, "ann"), Side(self, "bob")]
        settings = {"move_time": self.rng.choice((25, 70, 300))}
        for side in sides:
            side.come(fresh=True)
            side.say(do="seek", game="onitama", settings=settings)
        for side, action in zip(sides, ("ox c1 c2", "crab a5 a4"), strict=True):
            side.say(do="act", table=1, action=action)
        while TABLE in self.world.unfinished:
            self.step(sides)
            self.world.wait(STEP)
            for side in sides:
                side.hear()
                side.feed.append((self.now, ""))
                side.truths.append(self.truth(sides, side))
        self.look_at_end(sides)
        return sides

    def look_at_end(self, sides: list[Side]) -> None:
        """Who has lost finds out how and when at the next visit."""
        ended, winners = self.now, self.world.journal.record(TABLE).entries[-1].outcome
        for side in sides:
            side.here, side.lost = side.client is not None, not winners.startswith(side.name)
            if side.here:
                continue  # it was told, and `pages` shows it
            client, _ = self.enter(self.world, side.name, key=side.key)
            [row] = self.ask(client, do="mine")[0]["matches"]
            self.assertEqual((row["state"], 1 - row["seat"] in row["winners"]), ("over", side.lost))
            self.assertLess(abs(row["ended"] / 1000 - ended), WRONG)
            self.assertIn(row["cause"], ("time", "left"))

    def step(self, sides: list[Side]) -> None:
        side = self.rng.choice(sides)
        other = sides[side is sides[0]]
        what = self.rng.random()
        if side.client is None:
            if what < 0.03:
                side.come(fresh=what < 0.015)
        elif what < 0.03:
            side.drop(other)
            other.watched = False
        elif what < 0.07 and self.now < 200:
            side.say(do="moves", table=1, id=1)
            moves: list[dict[str, Any]] = next((one["moves"] for one in side.hear() if one["is"] == "moves"), [])
            if moves:
                side.say(do="act", table=1, action=self.rng.choice(moves)["action"])

    def truth(self, sides: list[Side], side: Side) -> dict[str, float | None]:
        table: Any = self.world.lobby.tables.get(TABLE)
        own, other = sides.index(side), 1 - sides.index(side)
        if table is None or table.result is not None:
            return {"due": None, "away": None, "claim": None, "own": nan}
        here = side.client is not None
        kept, claim = table.kept(other), table.claimable(other)
        # Who is not connected cannot know that the other one has gone, too, and that the match sleeps.
        lost = None if here else table.kept(own) if side.watched else nan
        times = {
            "due": table.due[0] if here and table.due else None,
            "away": kept if here else None,
            "claim": claim.ends if here and claim is not None else None,
            "own": lost if lost is None or isnan(lost) or table._master.to_move() != own else min(lost, table.due[0]),
        }
        return {name: None if value is None else value / 1000 for name, value in times.items()}

    def test_each_number_is_right(self) -> None:
        """And nobody loses without having been shown when, nor without being told how at the next visit."""
        sides = [side for seed in range(STORIES) for side in self.story(seed)]
        feeds = [sorted(side.feed, key=lambda one: one[0]) for side in sides]
        modules = [(STATIC / name).as_uri() for name in ("countdown.js", "absence.js", "seats.js")]
        told = evaluate("store.js", PAGES, {"modules": modules, "sides": feeds})
        seen, losers = Counter[str](), 0
        for side, feed, answers in zip(sides, feeds, told, strict=True):
            pages = [page for (_, what), page in zip(feed, answers, strict=True) if what == ""]
            for place, page in enumerate(pages):
                near = side.truths[max(0, place - round(UNDER_WAY / STEP) - 1) : place + 1]
                for name in ("due", "away", "claim", "own") if page is not None else ():
                    says = seconds(page[name])
                    seen[name] += says is not None
                    self.assertTrue(any(fits(says, truth[name]) for truth in near), (side.name, page, near))
            if side.lost and (side.here or side.watched):
                losers += 1
                last = pages[-1]
                self.assertTrue(
                    last["over"] or (seconds(last["due"] if side.here else last["own"]) or 0.0) <= WRONG, last
                )
        self.assertGreater(min(seen.values()), 20, seen)
        self.assertGreater(losers, STORIES / 2)
