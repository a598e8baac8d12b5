"""Nothing is wider than the screen, also with the longest names: all pages, on narrow phones."""

from pathlib import Path
from typing import Any

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


class NarrowTests(PlayCase):
    """Two people whose names are as wide as names can be."""

    timeout = 180
    wires: tuple[str, ...] = ()

    def setUp(self) -> None:
        """Everything is looked at before the test says what is wrong."""
        self.found: list[str] = []
        super().setUp()

    def tearDown(self) -> None:
        """Nothing was too wide."""
        self.assertEqual(self.found, [])
        super().tearDown()

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def check(self, page: Page, what: str) -> None:
        """Look at a page as it is now, in all widths."""
        for width in WIDTHS:
            await page.look((width, 740))
            await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.found += [f"{what} at {width} px: {one}" for one in await page.run(BEYOND % width)]

    async def match(self, game: str) -> list[Page]:
        """Both at a table."""
        pages = []
        for name in NAMES:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game)
        for page in pages:
            await page.until("document.querySelector('.middle .board[aria-label]')")
        return pages

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
