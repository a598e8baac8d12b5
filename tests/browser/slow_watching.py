"""Longer tests in a real browser: watching, earlier positions, private tables, the next match, and long names."""

from tests.browser.playing import CAN, ONITAMA, TITLE, Hand, PlayCase
from tests.kit.browser import Page

MOVES = "document.querySelectorAll('.rows button').length"
WIDE_NAME = "W" * 20


class WatchingTests(PlayCase):
    """A page that looks on."""

    async def watcher(self, path: str) -> Page:
        """A page that is not logged in."""
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
        await page.until("document.querySelector('h1').textContent === 'Table 77 cannot be shown'")
        await page.click("a[href='/']:not(.brand):not(nav a)")
        await page.until("document.querySelector('.games')")


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
        """Answer the question for the name."""
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
