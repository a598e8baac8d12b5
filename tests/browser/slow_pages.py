"""Longer tests in a real browser: finished matches, watching, private tables, and all pages in all sizes."""

import os
from pathlib import Path

from msgspec import json

from tests.browser.looks import RATED
from tests.browser.playing import CAN, ONITAMA, TITLE, Hand, PlayCase
from tests.browser.slow_narrow import BEYOND, NAMES, WideCase
from tests.kit.browser import ASKED, DESKTOP, NARROW, PHONE, BrowserCase, Page, enter, findings, play_on

# Longer tests in a real browser: finished matches, players and results, and what the first page costs.


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
    options = ("--set=onitama.deal=boar,ox/crab,eel/tiger", "--house=0")

    async def finished(self) -> Page:
        page = await self.browser.page()
        await page.open("/matches")
        await page.until("document.querySelector('h1')")
        self.assertEqual(await page.run(MATCH), [0])
        return page

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
        """With headers, and with what is read after the first paint: `tests.web.test_files` bounds what is read before it."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        await page.until("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        kinds = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        sizes = await page.run(f"{kinds}.map((one) => one.transferSize)")
        paint = await page.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"the first page: {len(sizes)} files, {sum(sizes) / 1024:.1f} KiB, painted after {paint:.0f} ms")
        self.assertLessEqual(len(sizes), 22)
        self.assertLessEqual(sum(sizes), 69 * 1024)


class StudyTests(RecordTests):
    """Where a match turned. House players think in a process of their own."""

    options = ("--set=onitama.deal=boar,ox/crab,eel/tiger", "--house=20")
    house = True
    timeout = 120

    async def test_a_study(self) -> None:
        """A button below the match; then the curve, the moves that gave most away, and what would have been better."""
        page = await self.finished()
        await page.open("/match/1#1")
        await page.until("document.querySelector('.buttons .go')?.textContent === 'Find the mistakes'")
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


# Longer tests in a real browser: watching, earlier positions, private tables, the next match, and long names.


MOVES = "document.querySelectorAll('.rows button').length"
WIDE_NAME = "W" * 20


class WatchingTests(PlayCase):
    async def watcher(self, path: str) -> Page:
        page = await self.browser.page()
        await page.open(path)
        return page

    async def test_a_whole_match(self) -> None:
        """The page of tables shows the match; a watcher follows it to the end, and sees who is away."""
        hand, bob = await self.onitama(Hand)
        page = await self.watcher("/")
        await page.click("a.live")
        await page.until(f"{TITLE} === 'ann to move'")
        self.assertEqual(await page.run("document.querySelectorAll('[data-can=yes]').length"), 0)
        for cells, answer in ONITAMA[:2]:
            await hand.page.until(CAN)
            for cell in cells:
                await hand.cell(cell)
            await bob.heard("MOVE_WAS_MADE")
            bob.say(f"MAKE_MOVE|{answer}")
            await bob.heard(f"MOVE_WAS_MADE|{answer}")
        await page.until(f"{MOVES} === 4")
        said = await page.run("document.getElementById('said').textContent")
        self.assertIn("bob: eel, b5 to a5.", said)
        bob.close()
        await page.until("[...document.querySelectorAll('.away')].some((one) => one.textContent === 'away')")
        await self.play_end(hand)
        await page.until(f"{TITLE} === 'ann has won'")
        self.assertIn("The master is taken", await page.run("document.querySelector('.panel').innerText"))

    async def play_end(self, hand: Hand) -> None:
        """White takes the master."""
        await hand.page.until(CAN)
        for cell in ONITAMA[2][0]:
            await hand.cell(cell)
        await hand.page.until(f"{TITLE} === 'You have won'")

    async def test_earlier_positions(self) -> None:
        """A press on a move shows the position after it, also to one who comes late; then the match goes on."""
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        for cell in ONITAMA[0][0]:
            await hand.cell(cell)
        await bob.heard("MOVE_WAS_MADE")
        bob.say(f"MAKE_MOVE|{ONITAMA[0][1]}")
        page = await self.watcher("/table/1")
        await page.until(f"{MOVES} === 2")
        await page.click(".rows button:first-of-type")
        await page.until(f"{TITLE} === 'An earlier position'")
        await page.until("document.querySelector('[data-cell=a5]').ariaLabel === 'a5: Black pupil'")
        await page.click(".back button")
        await page.until(f"{TITLE} === 'ann to move'")
        await page.until("document.querySelector('[data-cell=a5]').ariaLabel === 'a5: empty'")

    async def test_table_that_is_not(self) -> None:
        """The host's reason is shown, and ways on."""
        page = await self.watcher("/table/77")
        await page.until("document.querySelector('h1').textContent === 'There is no table 77 now'")
        await page.click("a[href='/']:not(.brand):not(nav a)")
        await page.until("document.querySelector('.games')")


class AbsenceTests(PlayCase):
    """A player with a display name does not come back: both pages count, and the one that is there decides."""

    options = (*PlayCase.options, "--grace=3")

    async def test_claim(self) -> None:
        jan, ann = Hand(await self.browser.page()), Hand(await self.browser.page())
        await self.seek(jan, "onitama", "Jan van der Meer")
        await ann.page.open("/")
        await ann.use("[data-play=onitama]")
        await ann.page.until("document.activeElement.name === 'name'")
        await ann.page.press("Control+a")
        await ann.page.type("ann")
        await ann.page.press("Enter")
        await ann.page.until("document.querySelector('.panel')?.innerText.includes('Jan van der Meer')")
        await jan.page.close()
        await ann.page.until(
            "[...document.querySelectorAll('.away')].some((one) => one.textContent.includes('kept for 2'))"
        )
        await ann.page.until("document.querySelector('.absence p').textContent.includes('the match ends in 9:')")
        words = await ann.page.run("document.querySelector('.absence').innerText")
        for part in ("Jan van der Meer has not come back in time", "Claim the win", "Call it a draw"):
            self.assertIn(part, words)
        await ann.page.click("[data-claim=win]")
        await ann.page.until(f"{TITLE} === 'You have won'")


class TablesTests(PlayCase):
    """Private tables, and one match after the other."""

    async def test_private_table(self) -> None:
        """One opens a private table and sends its address. The other takes a seat there."""
        ann = await self.browser.page()
        await ann.open("/")
        await ann.click("[aria-label='More ways to play Onitama']")
        await self.log_in(ann, "ann")
        await ann.until("document.querySelector('dialog select')")
        await ann.run("document.querySelector('[name=private]').value = 'true'")
        await ann.click("dialog .go")
        address = await ann.until("document.querySelector('.seeking code')?.textContent")
        bob = await self.browser.page()
        await bob.open(address)
        await bob.click(".centre .go")
        await self.log_in(bob, "bob")
        await ann.until(CAN)
        await bob.until(f"{TITLE} === 'ann to move'")
        watcher = await self.browser.page()
        await watcher.open("/")
        await watcher.until("document.querySelector('main').innerText.includes('No match is going on')")
        await watcher.open(address)
        await watcher.until(f"{TITLE} === 'ann to move'")

    async def log_in(self, page: Page, name: str) -> None:
        await page.until("document.activeElement.name === 'name'")
        await page.press("Control+a")
        await page.type(name)
        await page.press("Enter")

    async def test_the_next_match(self) -> None:
        """After the end the page looks for the next match, which it shows."""
        hand, bob = await self.onitama(Hand)
        await self.play_onitama(hand, bob)
        await hand.page.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'New opponent').click()"
        )
        await hand.page.until("document.querySelector('.buttons').innerText.includes('waiting for an opponent')")
        bob.say("LOGIN|bob")
        await hand.page.until(f"location.pathname === '/table/2' && {CAN}")

    async def test_refused_name(self) -> None:
        """The host's reason stands in the dialog, and another name is accepted."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('.games')")
        await page.click("#me")
        await self.log_in(page, "help")
        await page.until("document.querySelector('dialog .why').textContent.includes('tie or help')")
        await page.click("dialog input[name=name]")
        await self.log_in(page, "ann")
        await page.until("document.getElementById('me').textContent === 'ann'")
        await page.click("#me")
        await page.click("dialog .row button:first-of-type")
        await page.until("document.getElementById('me').textContent === 'Guest'")

    async def test_wide_names(self) -> None:
        """Names of twenty wide letters, also of those that are written from the right, break no page."""
        hand = Hand(await self.browser.page((360, 740)))
        await self.seek(hand, "onitama", WIDE_NAME)
        other = await self.netcat("onitama")
        other.say("LOGIN|\u05d0\u05d1\u05d2\u05d3")
        await hand.page.until(CAN)
        watcher = await self.browser.page((360, 740))
        await watcher.open("/")
        await watcher.until("document.querySelector('.live')")
        for page in (hand.page, watcher):
            self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)


# All pages in all sizes, light and dark, with the widest names: nothing overlaps or is too wide, and axe finds nothing.


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
            // Of texts in one line, the boxes of those that go on in the next line cover each other.
            const inLine = [one, other].every((it) => getComputedStyle(it).display === "inline");
            if ((inLine && one.parentNode === other.parentNode) || one.contains(other) || other.contains(one)) continue;
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            const said = (it) => `${it.tagName}.${it.className} ${it.textContent.slice(0, 20)}`;
            if (wide > 2 && high > 2) found.push(`${said(one)} and ${said(other)} cover each other`);
        }
    }
    return found.slice(0, 5);
})()"""


class SizeTests(WideCase):
    timeout = 3600
    #: The page that is not there is opened on purpose.
    expected_errors = ("/nothing",)

    async def check(self, page: Page, what: str) -> None:
        """Look at a page as it is now, in all sizes, light and dark."""
        for size in SIZES:
            for dark in (False, True):
                await self.draw(page, what, size, dark=dark)
                faults = await findings(page)
                if not dark:
                    faults += [*await page.run(BEYOND % size[0]), *await page.run(COVERED)]
                self.found += [f"{what}, {size[0]} px, {'dark' if dark else 'light'}: {one}"[:400] for one in faults]

    async def match(self, game: str) -> list[Page]:
        pages = await super().match(game)
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
        await self.check(pages[0], f"{game}, the question whether to resign")
        await pages[0].run("document.querySelector('dialog .go')?.click()")
        await pages[1].until("/has|have|Draw/.test(document.querySelector('.panel h1').textContent)")
        await self.check(pages[1], f"{game}, the end")
        await watcher.open("/match/1")
        # Nothing is kept of a match of Stratego that ends while the pieces are placed.
        await watcher.until(f"document.querySelector('{'h1' if game == 'stratego' else '.steps'}')")
        await self.check(watcher, f"{game}, the record")
        await pages[1].run("document.querySelector('#me').click()")
        await self.check(pages[1], "the own name")

    async def test_lists(self) -> None:
        """With a match in them."""
        ann, bob = await self.match("onitama")
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.click("dialog .go")
        await bob.until("document.querySelector('.panel h1').textContent.includes('won')")
        for path, there in (("/matches", ""), ("/results", ""), (f"/player/{NAMES[0]}", ".matches")):
            await bob.open(path)
            await bob.until(f"document.querySelector('.list{there}')")
            await self.check(bob, path)

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
