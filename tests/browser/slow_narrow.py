"""Nothing is wider than the screen, also with the longest names: all pages, on narrow phones."""

import random
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
from tests.kit.browser import ASKED, PHONE, Page, enter, play_on, sit_down

WIDTHS = (320, 360, 390)
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

    async def match(self, game: str) -> list[Page]:
        pages = []
        for name in NAMES:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game)
        for page in pages:
            await page.until("document.querySelector('.middle .board[aria-label]')")
        return pages


class NarrowTests(WideCase):
    timeout = 180

    async def check(self, page: Page, what: str) -> None:
        for width in WIDTHS:
            await page.look((width, 740))
            await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.found += [f"{what} at {width} px: {one}" for one in await page.run(BEYOND % width)]

    async def test_tables_of_all_games(self) -> None:
        """Each game's table, and then the page of tables with all of them."""
        for number, game in enumerate(("onitama", "paper-soccer", "stratego", "eriantys"), 1):
            pages = await self.match(game)
            await self.check(pages[0], game)
            watcher = await self.browser.page((390, 740))
            await watcher.open(f"/table/{number}")
            await watcher.until("document.querySelector('.middle .board[aria-label]')")
            await self.check(watcher, f"{game} as a watcher sees it")
            await watcher.open("/")
            await watcher.until("document.querySelector('a.live .board[aria-label]')")
            await self.check(watcher, f"the tables with {game}")
            for page in pages:
                await page.run("document.querySelector('#me').click()")
                await self.check(page, "the own name")
                await page.close()
            await watcher.close()

    async def test_after_a_match(self) -> None:
        """The end, the record, the lists, the player's page, and pages that are not there."""
        ann, bob = await self.match("onitama")
        await ann.until("document.querySelector('.board[data-can=yes]')")
        for cell in ("c1", "c2", "with ox"):
            await ann.click(f"[data-cell='{cell}']")
        await bob.until("document.querySelector('.rows button')")
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await self.check(ann, "the question whether to resign")
        await ann.click("dialog .go")
        for page in (ann, bob):
            await page.until("document.querySelector('.panel h1').textContent.includes('won')")
            await self.check(page, "the end")
        for path, there in (
            ("/match/1", ".steps"),
            ("/matches", ".list"),
            ("/results", ".list"),
            (f"/player/{NAMES[0]}", ".list.matches"),
            ("/table/99", ".centre .button.go"),
            ("/match/99", "h1"),
        ):
            await bob.open(path)
            await bob.until(f"document.querySelector('{there}')")
            await self.check(bob, path)

    async def test_before_a_match(self) -> None:
        """The dialogs, a table that waits, and a private one."""
        page = await self.browser.page((390, 740))
        await page.open("/")
        await page.click("[data-play=stratego] + button")
        await page.until("document.querySelector('dialog[open]')")
        await self.check(page, "the log-in")
        await enter(page, NAMES[0])
        await page.until("document.querySelector('#play-title')")
        await self.check(page, "the dialog")
        await page.run("document.querySelector('[name=private]').value = 'true'")
        await page.click("dialog .go")
        address = await page.until("document.querySelector('.seeking code')?.textContent")
        await page.until("document.querySelector('.qr')")
        await self.check(page, "an own private table")
        other = await self.browser.page((390, 740))
        await other.open(address)
        await other.until("document.querySelector('.centre .go') && document.querySelector('.invited')")
        await self.check(other, "an invitation")

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
