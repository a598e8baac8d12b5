"""Longer tests in a real browser: finished matches, players and results, and what the first page costs."""

import os
from pathlib import Path

from msgspec import json

from tests.browser.looks import RATED
from tests.kit.browser import DESKTOP, BrowserCase, Page, findings

NARROW = (360, 740)

#: A match of Onitama that seat 1 gives up, played by two sockets of a page.
MATCH = """new Promise((done) => {
    const players = ["ann", "bob"].map((name) => {
        const one = new WebSocket(`ws://${location.host}/socket`);
        const say = (message) => one.send(JSON.stringify(message));
        one.onopen = () => { say({ do: "enter", name }); say({ do: "seek", game: "onitama" }); };
        one.onmessage = ({ data }) => {
            const told = JSON.parse(data);
            if (told.is === "event" && told.n === 1 && name === "ann") say({ do: "act", table: 1, action: "ox c1 c2" });
            if (told.is === "event" && told.n === 2 && name === "bob") say({ do: "act", table: 1, action: "crab a5 a4" });
            if (told.is === "event" && told.n === 3 && name === "bob") say({ do: "leave" });
            if (told.is === "over" && name === "bob") done(told.winners);
        };
        return one;
    });
})"""

#: A match against a house player, which is given up after the first move.
AGAINST_HOUSE = """new Promise((done) => {
    const one = new WebSocket(`ws://${location.host}/socket`);
    const say = (message) => one.send(JSON.stringify(message));
    const seek = () => say({ do: "seek", game: "onitama", house: "easy", seat: "first" });
    one.onopen = () => { say({ do: "enter", name: "ann" }); seek(); };
    one.onmessage = ({ data }) => {
        const told = JSON.parse(data);
        if (told.is === "sorry") setTimeout(seek, 100);
        if (told.is === "event" && told.n === 1) say({ do: "act", table: told.table, action: "ox c1 c2" });
        if (told.is === "event" && told.n === 2) say({ do: "leave" });
        if (told.is === "over") done();
    };
})"""


class RecordTests(BrowserCase):
    """Pages of what is over."""

    options = ("--set=onitama.deal=boar,ox/crab,eel/tiger", "--house=0")

    async def finished(self) -> Page:
        """A page of a host on which one match is over."""
        page = await self.browser.page()
        await page.open("/matches")
        await page.until("document.querySelector('h1')")
        self.assertEqual(await page.run(MATCH), [0])
        return page

    async def nothing_found(self, page: Page) -> None:
        """axe finds nothing: light and dark, wide and narrow. Nothing is wider than the window."""
        for dark in (False, True):
            for size in (DESKTOP, NARROW):
                await page.look(size, dark=dark)
                self.assertEqual(await findings(page), [])
                self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)
        await page.look()

    async def test_lists(self) -> None:
        """The match is in the lists, and the counts are right."""
        page = await self.finished()
        for path, words in (("/matches", "ann has won"), ("/player/ann", "ann has won"), ("/results", "ann")):
            await page.open(path)
            there = f"(one) => one.innerText.includes({json.encode(words).decode()})"
            await page.until(f"[...document.querySelectorAll('table.list')].some({there})")
            await self.nothing_found(page)
        await page.open("/matches?name=nobody")
        await page.until("document.querySelector('.found').innerText.includes('No finished match')")

    async def test_ratings(self) -> None:
        """They stand above the results."""
        page = await self.browser.page()
        await page.open("/matches")
        await page.until("document.querySelector('h1')")
        await page.run(RATED)
        await page.open("/results?game=onitama")
        await page.until("document.querySelectorAll('table.list').length === 2")
        rows = "[...document.querySelector('table.list').rows].map((row) => row.cells[0].textContent)"
        self.assertEqual(await page.run(rows), ["Player", "ann", "clara", "bob"])
        await self.nothing_found(page)

    async def test_a_match(self) -> None:
        """It steps to any move by its address and by the keys; the three files are there."""
        page = await self.finished()
        await page.open("/match/1#1")
        await page.until("document.querySelector('input[type=range]')")
        await self.nothing_found(page)
        await page.press("ArrowRight")
        await page.until("location.hash === '#2'")
        await page.press("ArrowLeft", "ArrowLeft")
        await page.until("location.hash === '#0'")
        links = await page.run("[...document.querySelectorAll('a[download]')].map((one) => one.getAttribute('href'))")
        self.assertEqual(links, [f"/api/matches/1.{ending}" for ending in ("json", "txt", "svg")])
        statuses = f"Promise.all({json.encode(links).decode()}.map((one) => fetch(one).then((it) => it.status)))"
        self.assertEqual(await page.run(statuses), [200, 200, 200])

    async def test_a_picture_in_a_page_of_its_own(self) -> None:
        """Its style is allowed, and it has no script."""
        page = await self.finished()
        await page.open("/api/matches/1.svg")
        await page.until("document.documentElement.tagName === 'svg'")
        colour = "getComputedStyle(document.querySelector('.page')).fill"
        self.assertEqual(await page.run(colour), "rgb(244, 241, 234)")

    async def test_the_first_page_is_small(self) -> None:
        """At most 60 KiB in 20 files, as they come over the network."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        await page.until("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        kinds = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        sizes = await page.run(f"{kinds}.map((one) => one.transferSize)")
        paint = await page.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"the first page: {len(sizes)} files, {sum(sizes) / 1024:.1f} KiB, painted after {paint:.0f} ms")
        self.assertLessEqual(len(sizes), 20)
        self.assertLessEqual(sum(sizes), 60 * 1024)


class StudyTests(RecordTests):
    """Where a match turned. House players think in a process of their own."""

    options = ("--set=onitama.deal=boar,ox/crab,eel/tiger", "--house=20")
    house = True
    timeout = 120

    async def test_a_study(self) -> None:
        """A button below the match; then the curve, the moves that gave most away, and what would have been better."""
        page = await self.finished()
        await page.open("/match/1#1")
        await page.until("document.querySelector('.buttons .go')?.textContent === 'Where did it turn?'")
        # The house players may not be ready yet: then the host says so, and is asked again.
        asked = "document.querySelector('.study .curve svg') || void document.querySelector('.buttons .go')?.click()"
        await page.until(asked, 30)
        told = await page.run("document.querySelector('.turns').innerText")
        self.assertEqual(told, "Move 2 bob gave away 49 % of a victory with crab a5 a4. Better: eel b5 c4.")
        await self.nothing_found(page)
        now = "document.querySelector('.curve line:last-child').getAttribute('x1')"
        self.assertEqual(await page.run(now), "200.0")
        await page.press("ArrowRight")
        await page.until(f"{now} === '400.0'")
        await page.click(".turns button")
        await page.until("location.hash === '#2'")
        if folder := os.environ.get("GAMEHOST_STUDY_LOOKS"):
            for name, size in (("desktop", DESKTOP), ("phone", NARROW)):
                await page.look(size)
                await page.run("document.querySelector('.study').scrollIntoView()")
                Path(folder, f"study-{name}.png").write_bytes(await page.picture())

    async def test_a_house_player(self) -> None:
        """Its page has its matches, and the results of its level."""
        page = await self.browser.page()
        await page.open("/matches")
        await page.until("document.querySelector('h1')")
        await page.run(AGAINST_HOUSE)
        await page.open("/player/easy.1")
        await page.until("document.querySelectorAll('table.list').length === 2")
        self.assertIn(
            "All of the level easy are one player", await page.run("document.querySelector('main').innerText")
        )
        await self.nothing_found(page)
