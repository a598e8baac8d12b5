"""
What somebody meets for the first time, in a real browser: the page, an invitation, and the own match in a second tab.

What is asked less often is in `slow_first_visit`.
"""

from tests import long
from tests.browser.playing import CAN, TITLE, Hand, PlayCase
from tests.kit.browser import PHONE, BrowserCase, enter, findings, sit_down

HEAD = "document.querySelector('main h1')?.textContent"


class PageTests(BrowserCase):
    """What a visitor sees first."""

    async def test_first_paint(self) -> None:
        """The page of tables has the games, and its socket is open."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        paint = await page.until("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        self.assertGreater(paint, 0)
        loaded = await page.run("performance.getEntriesByType('resource').map(one => one.name)")
        self.assertEqual([one for one in loaded if not one.startswith(self.browser.address)], [])

    async def test_the_tables_are_accessible(self) -> None:
        """On a phone in the dark."""
        page = await self.browser.page(PHONE, dark=True)
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        self.assertEqual(await findings(page), [])


class InvitationTests(PlayCase):
    """A friend is sent an address."""

    @long
    async def test_what_the_friend_sees(self) -> None:
        """The game, who invites, the settings, the board and one button; then the match begins for both."""
        page = await self.browser.page()
        await sit_down(page, "ann", "onitama", private="true", clock="move 30", seat="second")
        address = await page.until("document.querySelector('.invite code')?.textContent")
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/table/1#\w{8}$")
        await page.until("document.querySelector('.qr[aria-label]')")
        self.assertEqual(await findings(page), [])
        await page.run("navigator.clipboard.writeText = async (text) => void (window.copied = text)")
        await page.click("[data-copy]")
        self.assertEqual(await page.until("window.copied"), address)
        friend = await self.browser.page(PHONE, dark=True)
        await friend.open(address)
        await friend.until(f"{HEAD} === 'ann invites you to Onitama'")
        words = await friend.run("document.querySelector('main').innerText")
        self.assertIn("30 seconds for a move", words)
        self.assertIn("You have 30 seconds for a move.", words)
        self.assertTrue(await friend.run("!!document.querySelector('.invited .board svg .piece')"))
        self.assertEqual(await friend.run("document.querySelectorAll('main button').length"), 1)
        self.assertEqual(await findings(friend), [])
        await friend.tap("main button.go")
        await enter(friend, "bob")
        await friend.until(f"{TITLE} === 'Your move'")
        await page.until(f"{TITLE} === 'bob to move'")


class LogInTests(PlayCase):
    """A guest is the same one in all tabs, and on the next day."""

    @long
    async def test_tabs_and_days(self) -> None:
        """The tab is closed in mid-game; another one has name, match and list of matches, until the guest logs out."""
        hand, bob = await self.onitama(Hand)
        first = hand.page
        await first.until(CAN)
        second = await self.browser.page(beside=first)
        await second.open("/table/1")
        await second.until(f"{CAN} && document.querySelector('#me').textContent === 'ann'")
        await first.until("document.querySelector('#link').textContent.startsWith('You go on in another tab.')")
        await first.run("window.dispatchEvent(new Event('focus'))")
        await first.until(CAN)
        await second.until("document.querySelector('#link button')")
        await first.close()
        await second.close()
        later = await self.browser.page(beside=first)
        await later.open("/")
        await later.until("location.pathname === '/table/1'")
        await later.until(CAN)
        hand.page = later
        await hand.cell("c1")
        await hand.cell("c2")
        await hand.cell("with ox")
        await bob.heard("MOVE_WAS_MADE|ox")
        await later.open("/player/ann")
        await later.until("document.querySelector('main').innerText.includes('Played now')")
        self.assertNotIn("key", await later.run("location.href"))
        await later.click("#me")
        await later.click("dialog .row button:first-of-type")
        await later.until("document.querySelector('#me').textContent === 'Guest'")
        self.assertIsNone(await later.run("localStorage.getItem('gamehost')"))
