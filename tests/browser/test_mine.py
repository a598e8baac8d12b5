"""Your matches in a real browser: the number in the head and in the title, and what has ended while you were away."""

import os
from pathlib import Path

from tests import long
from tests.browser.playing import ONITAMA_DEAL, PlayCase
from tests.kit.browser import DESKTOP, PHONE, Page, findings, sit_down

NUMBER = "document.querySelector('nav [data-page=mine]:not([hidden]) b')?.textContent"
MINE = "document.querySelector('.mine:not([hidden]), .page')?.innerText"


class MineTests(PlayCase):
    #: Who goes has lost at once.
    options: tuple[str, ...] = (ONITAMA_DEAL, "--grace=0")

    async def keep(self, page: Page, name: str) -> None:
        if folder := os.environ.get("MINE46_LOOKS"):
            for size in (DESKTOP, PHONE):
                for dark in (False, True):
                    await page.look(size, dark=dark)
                    Path(folder, f"{name}-{size[0]}{'-dark' * dark}.png").write_bytes(await page.picture())

    @long
    async def test_from_the_turn_to_the_end(self) -> None:
        page = await self.browser.page(PHONE)
        await sit_down(page, "ann", "onitama")
        await page.until("document.querySelector('.seeking .dots')")
        bob = await self.netcat("onitama")
        bob.say("LOGIN|bob")
        await page.until("document.querySelector('.board[data-can=yes]')")
        await page.run("document.querySelector('nav [data-page=results]').click()")
        await page.until(f"{NUMBER} === ' 1' && document.title === '(1) Results - gamehost'")
        await self.keep(page, "results")
        later = await self.browser.page(PHONE, beside=page)
        await page.close()
        await bob.heard("GAME_OVER|bob")
        page = later
        await page.open("/table/1")
        await page.until("document.querySelector('h1')?.textContent === 'You have lost'")
        await page.open("/")
        await page.until(f"{MINE}.includes('You have lost: you have resigned, or did not come back in time')")
        await page.until("document.title === 'Tables - gamehost'")
        self.assertEqual(await findings(page), [])
        await self.keep(page, "tables")
        await page.run("document.querySelector('nav [data-page=mine]').click()")
        await page.until("document.querySelector('h1')?.textContent === 'Your matches'")
        self.assertEqual(await findings(page), [])
        await self.keep(page, "mine")
        await page.tap(".waits button")
        await page.until(f"{MINE}.includes('You play no match')")
        self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)
