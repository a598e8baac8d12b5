"""A match with days for a move in two real browsers, which are never open at the same time but at the beginning."""

from tests.browser.playing import CAN, ONITAMA, Hand, PlayCase
from tests.kit.browser import enter, sit_down


class DaysTests(PlayCase):
    async def test_friends_move_while_the_other_is_away(self) -> None:
        """A friend takes the seat of a page that is closed. Each page shows the match as the other one has left it."""
        ann, bob = [await self.browser.page() for _ in range(2)]
        await sit_down(ann, "ann", "onitama", private="true", clock="days 3")
        invitation = await ann.until("document.querySelector('.seeking code')?.textContent")
        await ann.open("/rules/onitama")
        await bob.open(invitation)
        await bob.until("document.querySelector('.invited')?.innerText.includes('3 days a move')")
        await bob.click(".centre .go")
        await enter(bob, "bob")
        await bob.until("document.querySelector('.deadline')?.innerText.includes('71 h')")
        await bob.open("/rules/onitama")
        await ann.open("/table/1")
        await ann.until(CAN)
        for cell in ONITAMA[0][0]:
            await Hand(ann).cell(cell)
        await ann.until("document.querySelector('.rows button')")
        await ann.open("/")
        await bob.open("/table/1")
        await bob.until(CAN)
        await bob.until("document.querySelectorAll('.rows button').length === 1")
        for cell in ("a5", "a4"):
            await Hand(bob).cell(cell)
        await bob.ask("Page.reload")
        await bob.until("document.querySelectorAll('.rows button').length === 2")
        await ann.open("/table/1")
        await ann.until(CAN)
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.click("dialog .go")
        await bob.until("document.querySelector('.panel h1')?.textContent === 'You have won'")
