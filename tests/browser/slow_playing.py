"""Longer tests of playing in a real browser: by keyboard alone, by touch, and over lost connections."""

from tests.browser.playing import CAN, ONITAMA, Finger, Hand, Keys, PlayCase
from tests.kit.axe import findings
from tests.kit.browser import DESKTOP, Page

NARROW = (360, 740)


class HandTests(PlayCase):
    """Each game by each hand that `test_playing` leaves out."""

    async def test_onitama_by_keyboard(self) -> None:
        """Without a mouse, from the page of tables to the end."""
        hand, bob = await self.onitama(Keys)
        await self.play_onitama(hand, bob)

    async def test_onitama_by_touch(self) -> None:
        """On a phone; the choice between two cards too."""
        hand, bob = await self.onitama(Finger)
        await self.play_onitama(hand, bob)

    async def test_onitama_by_dragging(self) -> None:
        """A piece is dragged to its square."""
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        await hand.page.drag("[data-cell=c1]", "[data-cell=c2]")
        await hand.cell("with ox")
        await bob.heard("MOVE_WAS_MADE|ox|c1|c2")

    async def test_paper_soccer_by_mouse(self) -> None:
        """On a desktop."""
        await self.play_paper_soccer(Hand)

    async def test_paper_soccer_by_keyboard(self) -> None:
        """Without a mouse."""
        await self.play_paper_soccer(Keys)


class LostTests(PlayCase):
    """Connections that are lost in the middle of a match."""

    async def played_one(self) -> tuple[Hand, object]:
        """A match in which each has moved once."""
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        for cell in ONITAMA[0][0]:
            await hand.cell(cell)
        await bob.heard("MOVE_WAS_MADE|ox|c1|c2")
        bob.say(f"MAKE_MOVE|{ONITAMA[0][1]}")
        await bob.heard("MOVE_WAS_MADE|crab")
        await hand.page.until(CAN)
        return hand, bob

    async def test_reload(self) -> None:
        """A page that is loaded again has its seat, the position and the moves back, and plays on to the end."""
        hand, bob = await self.played_one()
        await hand.page.ask("Page.reload")
        await hand.page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        await hand.page.until("document.querySelectorAll('.rows button').length === 2")
        await self.play_onitama(hand, bob, ONITAMA[1:])  # type: ignore[arg-type]

    async def test_lost_socket(self) -> None:
        """The page connects again by itself, and plays on to the end."""
        hand, bob = await self.played_one()
        for connection in tuple(self.host.sites[0].sockets.connections):
            connection.transport.abortConnection()
        await hand.page.until("document.querySelector('.board').dataset.can === 'no'")
        await self.play_onitama(hand, bob, ONITAMA[1:])  # type: ignore[arg-type]

    async def test_second_tab(self) -> None:
        """A second tab with the same key takes the seat over, and the first one says so and connects again on a press."""
        hand, _ = await self.played_one()
        saved = await hand.page.run("sessionStorage.getItem('gamehost')")
        other = await self.browser.page()
        await other.open("/api/schema.json")
        await other.until("document.body")
        await other.run(f"sessionStorage.setItem('gamehost', {saved!r})")
        await other.open("/")
        await other.until(CAN)
        await hand.page.click("#link button")
        await hand.page.until(CAN)
        await other.until("document.querySelector('#link button')")


class AccessibleTests(PlayCase):
    """axe finds nothing on the pages of tables and of a table: light, dark, wide, narrow."""

    async def nothing_found(self, page: Page) -> None:
        """In four looks. Nothing is wider than the window."""
        for dark in (False, True):
            for size in (DESKTOP, NARROW):
                await page.look(size, dark=dark)
                self.assertEqual(await findings(page), [])
                wider = await page.run("document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(wider, 0)
        await page.look()

    async def test_tables(self) -> None:
        """With a match that goes on, the log-in, and one who waits."""
        await self.onitama(Hand)
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('.live .board[aria-label]')")
        await self.nothing_found(page)
        await page.click("[data-play=stratego]")
        await page.until("document.querySelector('dialog[open] input')")
        await self.nothing_found(page)
        await page.press("Enter")
        await page.until("document.querySelector('.seeking .dots')")
        await self.nothing_found(page)
        await page.click("[aria-label='More ways to play Eriantys']")
        await page.until("document.querySelector('dialog[open] select')")
        await self.nothing_found(page)

    async def test_tables_of_play(self) -> None:
        """A player's page: a piece picked up, the choice of a card, the question before resigning, and the end."""
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        await hand.cell("c1")
        await self.nothing_found(hand.page)
        await hand.cell("c2")
        await self.nothing_found(hand.page)
        await hand.cell("with ox")
        await bob.heard("MOVE_WAS_MADE")
        await hand.page.click(".buttons button:nth-child(2)")
        await self.nothing_found(hand.page)
        await hand.page.click("dialog .go")
        await bob.heard("GAME_OVER|bob")
        await hand.page.until("document.querySelector('.buttons a')")
        await self.nothing_found(hand.page)

    async def test_paper_soccer(self) -> None:
        """After the end of a match."""
        hand = await self.play_paper_soccer(Hand)
        await self.nothing_found(hand.page)
