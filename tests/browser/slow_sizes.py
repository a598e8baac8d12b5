"""All pages in all sizes, light and dark, with the widest names: nothing overlaps or is too wide, and axe finds nothing."""

from pathlib import Path
from typing import Any

from tests.browser.playing import PlayCase
from tests.browser.test_narrow import BEYOND, NAMES
from tests.kit.browser import ASKED, PHONE, Page, enter, findings, play_on, sit_down

SIZES = ((320, 640), (360, 740), PHONE, (768, 1024), (1280, 860), (1920, 1080))
GAMES = ("onitama", "paper-soccer", "stratego", "eriantys")
#: Texts and controls that cover each other. What lies over a board, or sticks to an edge, is meant to.
COVERED = """(() => {
    const shown = (one) => one.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
    const outside = ".board, .unseen, .skip, #notice, #link, .bare .head, svg, .moves, .scroll";
    const top = document.querySelector("dialog[open]") ?? document.body;
    const leaves = [...top.querySelectorAll("a, button, h1, h2, p, span, strong, label, td, th, code, summary, select, input")]
        .filter((one) => shown(one) && !one.closest(outside) && !one.querySelector("a, button, p, span, label, input, select"))
        .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 1 && box.height > 1);
    const found = [];
    for (const [place, [one, a]] of leaves.entries()) {
        for (const [other, b] of leaves.slice(place + 1)) {
            if (one.contains(other) || other.contains(one)) continue;
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            const said = (it) => `${it.tagName}.${it.className} ${it.textContent.slice(0, 20)}`;
            if (wide > 2 && high > 2) found.push(`${said(one)} and ${said(other)} cover each other`);
        }
    }
    return found.slice(0, 5);
})()"""


class SizeTests(PlayCase):
    """Two people whose names are as wide as names can be."""

    timeout = 900
    wires: tuple[str, ...] = ()
    #: The page that is not there is opened on purpose.
    expected_errors = ("/nothing",)

    def setUp(self) -> None:
        """Everything is looked at before the test says what is wrong."""
        self.found: list[str] = []
        super().setUp()

    def tearDown(self) -> None:
        """Nothing was wrong."""
        self.assertEqual(self.found, [])
        super().tearDown()

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def check(self, page: Page, what: str) -> None:
        """Look at a page as it is now, in all sizes, light and dark."""
        for size in SIZES:
            for dark in (False, True):
                await page.look(size, dark=dark)
                await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                faults = await findings(page)
                if not dark:
                    faults += [*await page.run(BEYOND % size[0]), *await page.run(COVERED)]
                self.found += [f"{what}, {size[0]} px, {'dark' if dark else 'light'}: {one}"[:400] for one in faults]

    async def match(self, game: str) -> list[Page]:
        """Both at a table, and some moves later."""
        pages = []
        for name in NAMES:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game)
        for page in pages:
            await page.until("document.querySelector('.middle .board[aria-label]')")
        turns = 0
        while turns < 4:
            for page in pages:
                if await page.run(f"!!{ASKED}"):
                    turns += 1
                    await play_on(page, turns, 60, ("can be moved to", "can be played to", "Put here"), once=True)
        return pages

    async def whole(self, game: str) -> None:
        """A player, somebody who looks on, the page of tables; then the end, and the record."""
        pages = await self.match(game)
        await self.check(pages[0], game)
        watcher = await self.browser.page()
        await watcher.open("/table/1")
        await watcher.until("document.querySelector('.middle .board[aria-label]')")
        await self.check(watcher, f"{game}, watched")
        await watcher.open("/")
        await watcher.until("document.querySelector('a.live .board[aria-label]')")
        await self.check(watcher, f"tables with {game}")
        resign = "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign')"
        await pages[0].run(f"{resign}?.click()")
        await pages[0].run("document.querySelector('dialog .go')?.click()")
        await pages[1].until("/has|have|Draw/.test(document.querySelector('.panel h1').textContent)")
        await self.check(pages[1], f"{game}, the end")
        await watcher.open("/match/1")
        # Nothing is kept of a match of Stratego that ends while the pieces are placed.
        await watcher.until(f"document.querySelector('{'h1' if game == 'stratego' else '.steps'}')")
        await self.check(watcher, f"{game}, the record")

    async def test_onitama(self) -> None:
        await self.whole("onitama")

    async def test_paper_soccer(self) -> None:
        await self.whole("paper-soccer")

    async def test_stratego(self) -> None:
        await self.whole("stratego")

    async def test_eriantys(self) -> None:
        await self.whole("eriantys")

    async def test_other_pages(self) -> None:
        """Rules, lists, dialogs, an invitation, and what is not there."""
        page = await self.browser.page()
        for path, there in (
            *((f"/rules/{game}", ".rules") for game in GAMES),
            ("/matches", ".found p"),
            ("/results", ".page p, table.list"),
            (f"/player/{NAMES[0]}", ".page h1"),
            ("/table/99", ".centre .button.go"),
            ("/match/99", "h1"),
            ("/nothing", "h1"),
        ):
            await page.open(path)
            await page.until(f"document.querySelector('{there}')")
            await self.check(page, path)
            # What a page says while it waits has not taken the place of the way on.
            self.assertTrue(await page.run(f"!!document.querySelector('{there}')"), path)
        await page.open("/")
        await page.click("[data-play=stratego] + button")
        await page.until("document.querySelector('dialog[open]')")
        await self.check(page, "the log-in")
        await page.look()
        await enter(page, NAMES[0])
        await page.until("document.querySelector('#play-title')")
        await self.check(page, "the dialog")
        await page.look()
        await page.run("document.querySelector('[name=private]').value = 'true'")
        await page.click("dialog .go")
        address = await page.until("document.querySelector('.seeking code')?.textContent")
        await page.until("document.querySelector('.qr')")
        await self.check(page, "an own private table")
        other = await self.browser.page()
        await other.open(address)
        await other.until("document.querySelector('.centre .go') && document.querySelector('.invited')")
        await self.check(other, "an invitation")
