"""What somebody meets who has never been here, in a real browser."""

from typing import Any

from tests.browser.playing import TITLE, PlayCase
from tests.kit.browser import sit_down

DEADLINE = "document.querySelector('.deadline')"


class SetUpTimeTests(PlayCase):
    """A set-up that must not last for ever."""

    options: tuple[str, ...] = ("--set=stratego.setup_time=5",)

    async def test_the_time_is_seen_before_it_costs_the_match(self) -> None:
        """In the dialog, while an opponent is sought, and on the board, where it is counted down."""
        page = await self.browser.page()
        await sit_down(page, "ann", "stratego", private="")
        words = "You have 5 seconds to set up, and 1 hour for a move. Who takes longer loses."
        await page.until(f"document.querySelector('.seeking').innerText.includes('{words}')")
        other = await self.browser.page()
        await other.open("/")
        await other.click("[data-play=stratego] + button")
        await other.until("document.querySelector('dialog input[name=name]')")
        await other.run("document.querySelector('dialog input[name=name]').value = 'bob'")
        await other.click("dialog .go")
        await other.until(f"document.querySelector('dialog')?.innerText.includes('{words}')")
        await other.click("dialog .go")
        await page.until(f"{DEADLINE}?.classList.contains('short')")
        self.assertIn("left, or you lose", await page.run(f"{DEADLINE}.textContent"))
        await page.until(f"{TITLE} === 'Draw'")
        self.assertTrue(await page.run(f"{DEADLINE}.hidden"))


class MoveTimeTests(PlayCase):
    """The time for a move."""

    async def test_it_stands_above_the_moves(self) -> None:
        """Also in a game without clocks, for both."""
        pages: list[Any] = []
        for name in ("ann", "bob"):
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, "onitama")
        for page in pages:
            await page.until(
                f"/^(You have|ann has|bob has) (1:00:00|60 min|59 min) left$/.test({DEADLINE}?.textContent)"
            )
