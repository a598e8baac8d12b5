"""What the tests of wide names share; and what is asked in Eriantys stays in sight on a phone."""

import os
import random
import re
from pathlib import Path
from typing import Any

from msgspec import json

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.eriantys.events import AskStudent, ChooseDestination, Situation, UseCharacter
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.players.base import SeededChance
from gamehost.wires.open.conversation import listed
from gamehost.wires.seeking import PLAYED, PlayedGame
from tests.browser.playing import PlayCase
from tests.kit.browser import ASKED, PHONE, Page, play_on, sit_down

#: The two longest names that the host accepts, in the widest letters.
NAMES = ("W" * 20, "M" * 20)

#: What reaches beyond a window of this width, but for what can be scrolled inside the page.
BEYOND = """((width) => [
    ...(document.documentElement.scrollWidth > width ? [`the page has ${document.documentElement.scrollWidth} px`] : []),
    ...[...document.querySelectorAll("body *")].filter((one) => {
        const {left, right, width: wide, height} = one.getBoundingClientRect();
        const inside = one.closest(".scroll, .moves, pre, svg, .unseen, .skip, [hidden]");
        return !inside && wide && height && (right > width + 0.5 || left < -0.5);
    }).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 30)}`),
])(%d)"""


class WideCase(PlayCase):
    """Two people whose names are as wide as names can be. Everything is looked at before the test says what is wrong."""

    wires: tuple[str, ...] = ()
    maxDiff = None

    def setUp(self) -> None:
        self.found: list[str] = []
        super().setUp()

    def tearDown(self) -> None:
        self.assertEqual(self.found, [])
        super().tearDown()

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def draw(self, page: Page, what: str, size: tuple[int, int], *, dark: bool) -> None:
        """
        Give a page this size and these colours, and wait until it is drawn.

        If the environment names a folder in ``GAMEHOST_PICTURES``, as `make looks` does, a picture of the page is stored there.

        :param what: the page in words; the picture's file has its name from them
        """
        await page.look(size, dark=dark)
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if folder := os.environ.get("GAMEHOST_PICTURES"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "-", what.replace("/", " at ")).strip("-")
            colours = "dark" if dark else "light"
            Path(folder, f"{name}-{size[0]}x{size[1]}-{colours}.png").write_bytes(await page.picture())

    async def match(self, game: str) -> list[Page]:
        pages = []
        for name in NAMES:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game)
        for page in pages:
            await page.until("document.querySelector('.middle .board[aria-label]')")
        return pages


class ZoomTests(WideCase):
    """On a phone the squares of a large board can be made as large as a finger, and everything works with them."""

    timeout = 180

    async def test_stratego(self) -> None:
        pages = await self.match("stratego")
        for page in pages:
            await page.look(SMALL_PHONE)
            self.assertLess(await page.run(SMALLEST), 44)
            await page.until(f"{ZOOM}")
            await page.run(f"{ZOOM}.click()")
            await page.until(f"{ZOOM}.ariaPressed === 'true'")
            self.assertGreaterEqual(await page.run(SMALLEST), 44)
            self.found += await page.run(BEYOND % SMALL_PHONE[0])
            await page.tap("[data-cell='preset Attack']")
            await page.tap("[data-cell=ready]")
        for page in pages:
            await page.until(f"{ASKED} || /to move$/.test(document.querySelector('.panel h1').textContent)")
        first, second = pages if await pages[0].run(f"!!{ASKED}") else reversed(pages)
        for moved, page in enumerate((first, second), 1):
            await page.until(ASKED)
            await page.tap(".cell[data-can]")
            await page.tap(".cell[aria-label*='can be']")
            await second.until(f"document.querySelectorAll('.moves button').length === {moved}")
        # The choice is kept, and is taken back.
        await pages[0].run(f"{ZOOM}.click()")
        await pages[0].until(f"{ZOOM}.ariaPressed === 'false'")
        self.assertLess(await pages[0].run(SMALLEST), 44)


SMALL_PHONE = (360, 640)
#: The smallest height or width of a square.
SMALLEST = """Math.min(...[...document.querySelectorAll(".cell")].filter((one) => /^[0-9]+$/.test(one.dataset.cell))
    .flatMap((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height]))"""
ZOOM = "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Zoom')"


class QuestionTests(WideCase):
    timeout = 180

    async def test_the_question_stays_in_sight(self) -> None:
        """Eriantys on a phone: what is asked, and all that answers it, are on the screen together. For each question."""
        pages = await self.match("eriantys")
        for page in pages:
            await page.look(PHONE)
        questions = set[str]()
        for seed in range(1, 400):
            for page in pages:
                if not await page.run(f"!!{ASKED}"):
                    continue
                question, outside = await page.run(OUTSIDE)
                questions.add(question)
                self.found += [f"{question} {one}" for one in outside]
                await play_on(page, seed, 1, ("Put here", "Take", "to here"), once=True)
            if len(questions) >= QUESTIONS:
                break
        self.assertGreaterEqual(len(questions), QUESTIONS, questions)


#: What is asked in a turn: a team, a wizard, an assistant, a student, where it goes, steps, a cloud.
QUESTIONS = 7
#: What is asked, and what is not in the window, or below what sticks to its top.
OUTSIDE = """new Promise((done) => requestAnimationFrame(() => {
    const head = document.querySelector(".panel .head").getBoundingClientRect();
    const cells = [...document.querySelectorAll(".cell[data-can]")].map((one) => [one.ariaLabel, one.getBoundingClientRect()]);
    const outside = cells.filter(([, box]) => box.top < head.bottom || box.bottom > innerHeight);
    const words = outside.map(([label, box]) => `${label} at ${box.top} to ${box.bottom}`);
    const title = document.querySelector(".panel h1").textContent.replace(/green|red|yellow|pink|blue/, "");
    done([title, [...words, ...(head.top < 0 || head.top > innerHeight ? [`the question at ${head.top}`] : [])]]);
}))"""


def expert_questions(seats: int, seeds: range) -> dict[str, dict[str, Any]]:
    """
    What players of expert games at random are asked, for each question and active character: the seat, its view, and what
    answers it, by what is begun.
    """
    (played,) = (one for one in PLAYED if one.game is ERIANTYS)
    found = dict[str, dict[str, Any]]()
    for seed in seeds:
        rng = random.Random(seed)
        master = ERIANTYS.new_master(seats, {"expert": "yes"}, SeededChance(seed))
        master.begin(0)
        while (seat := master.to_move()) is not None:
            view = master.view(seat)
            assert isinstance(view, Situation)
            request, board = view.request, view.board
            active = board.active_character if board is not None else None
            stops = getattr(request, "may_stop", False)
            name = f"{type(request).__name__} {active.name if active else ''}{' or no more' if stops else ''}"
            if name not in found:
                begun = [f"student {one}" for one in COLOURS] if isinstance(request, AskStudent) else []
                lists = {one: _listed(played, view, seat, one) for one in ("", *begun)}
                found[name] = {"seat": seat, "view": played.messages.view(view), "lists": lists}
            legal = list(ERIANTYS.legal(view, seat))
            # Coins are earned in dining rooms, and spent as soon as possible.
            better = [one for one in legal if isinstance(one, UseCharacter) or one == ChooseDestination(0)]
            master.act(seat, rng.choice(better or legal), 0)
    return found


def _listed(played: PlayedGame, view: Any, seat: Seat, begun: str) -> list[Any]:
    try:
        return list(listed(played, view, seat, begun or None))
    except IllegalAction:
        return []


COLOURS = ("green", "red", "yellow", "pink", "blue")
#: Makes the page a player's at a table where this is asked.
ASK = """(async ({seat, view, lists, n}) => {
    const { hear, changed, state } = await import(document.querySelector("script[src]").src.replace("app.js", "store.js"));
    const names = ["ann", "bob", "clara"].slice(0, view.seats);
    if (!state.tables.has(7)) hear({is: "entered", name: "ann"});
    if (state.tables.get(7)?.seat !== seat) {
        hear({is: "seated", table: 7, game: "eriantys", seat, names, wires: names.map(() => "open"), n: 0});
    }
    hear({is: "back", table: 7, seat, n, view});
    state.tables.get(7).moves = {n, lists: new Map(Object.entries(lists))};
    changed();
})(%s)"""


#: What characters ask: whom, and whether "no more" is an answer.
CHARACTERS = {
    *(f"AskCardStudent {name}" for name in ("MONK", "JESTER", "MINSTREL", "PRINCESS")),
    *(f"AskCardStudent {name} or no more" for name in ("JESTER", "MINSTREL")),
    *(f"AskDestination {name}" for name in ("MONK", "HERALD", "HERBALIST")),
    *(f"AskColour {name}" for name in ("HARVESTER", "THIEF")),
}


class CharacterTests(PlayCase):
    """Eriantys on a phone, in the expert game: what is asked, and all that answers it, are on the screen together."""

    timeout = 120
    wires: tuple[str, ...] = ()

    async def test_all_questions(self) -> None:
        """As in `test_the_question_stays_in_sight`. The characters themselves may lie outside: they answer no question."""
        page, found, asked = await self.browser.page(PHONE), list[str](), set[str]()
        await page.open("/")
        await page.until("document.querySelector('.game .board svg')")
        for seats in (2, 3):
            for n, (name, question) in enumerate(expert_questions(seats, range(24)).items(), 1):
                asked.add(name)
                await page.run(ASK % json.encode({**question, "n": 100 * seats + n}).decode())
                await page.until(ASKED)
                for begun in (one for one, moves in question["lists"].items() if moves):
                    pick = f"document.querySelector('[data-cell=\"{begun.replace('student', 'entrance')}\"]').click()"
                    await page.run(pick if begun else "0")
                    title, outside = await page.run(OUTSIDE)
                    await page.run(pick if begun else "0")
                    found += [
                        f"{seats} players, {name} {begun}: {title}: {one}" for one in outside if "Use. " not in one
                    ]
        self.assertEqual(found, [])
        self.assertLessEqual(CHARACTERS, asked)
