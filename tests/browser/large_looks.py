"""Takes pictures of Stratego and Eriantys for players, and of the lists: `make looks`. `looks.py` says how."""

from pathlib import Path
from typing import Any

from tests.browser.large_games import LargeGameCase
from tests.browser.looks import PHONE, LookCase
from tests.kit.browser import ASKED, DESKTOP, OVER, Page, play_on, sit_down

BETTER = ("can be attacked", "can be moved to", "Put here", "Use")


class PlayerLooks(LookCase):
    """What players see."""

    wires = LargeGameCase.wires
    options: tuple[str, ...] = ("--house=0",)

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def seat(self, game: str, names: tuple[str, ...], **wishes: str) -> list[Page]:
        """Pages at one table."""
        pages = []
        for name in names:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game, **wishes)
            await pages[-1].until("document.querySelector('.seeking .dots, .board[data-can]')")
        for page in pages:
            await page.until("document.querySelector('.board[data-can]')")
        return pages

    async def play(self, pages: list[Page], turns: int, first: int = 0) -> Page:
        """Play on at random, from another seed in each turn, and give the page that is asked then."""
        for seed in range(first, first + turns + 1):
            asked: list[Page] = []
            while not asked:
                asked = [page for page in pages if await page.run(f"!!{ASKED}")]
            if seed < first + turns:
                await play_on(asked[0], seed + 3, 60, BETTER, once=True)
        return asked[0]

    async def test_stratego(self) -> None:
        """The set-up on a phone, a fight, and the list of finished matches."""
        ada, linus = await self.seat("stratego", ("ada", "linus"))
        await linus.look(PHONE, dark=True)
        for cell in ("kind 9", "60", "61", "62"):
            await linus.tap(f"[data-cell='{cell}']")
        await self.keep(linus, "stratego-set-up-phone-dark")
        await linus.look(DESKTOP)
        for page, preset in ((ada, "Attack"), (linus, "Corner")):
            await page.click(f"[data-cell='preset {preset}']")
            await page.click("[data-cell=ready]")
        await self.play([ada, linus], 14)
        played = 14
        while not await ada.run("!!document.querySelector('.st-fight')"):
            await self.play([ada, linus], 1, played)
            played += 1
        await self.keep(ada, "stratego-fight-desktop-light")
        await linus.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await linus.click("dialog .go")
        await ada.until(OVER)
        await ada.open("/matches")
        await ada.until("document.querySelector('.list')")
        await self.keep(ada, "matches-desktop-light")

    async def test_eriantys(self) -> None:
        """A player has picked up a student."""
        pages = await self.seat("eriantys", ("anna", "bruno", "clara"), seats="3", expert="true")
        page = await self.play(pages, 30)
        while await page.run("!document.querySelector('[data-cell^=entrance][data-can]')"):
            page = await self.play(pages, 1)
        await page.run("document.querySelector('[data-cell^=entrance][data-can]').click()")
        await page.look((390, 1500), dark=True)
        await self.keep(page, "eriantys-phone-dark")
