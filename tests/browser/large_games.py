"""Stratego and Eriantys between a page and somebody on a document's wire."""

from tests.browser.playing import Hand, PlayCase
from tests.kit.browser import Netcat

#: The slider of the page of a match.
STEPS = "document.querySelector('.steps input')"

#: A set-up as ASCII lines, from row 10 to row 7. The flag stands in front of a scout of the preset `Attack`.
BLUE = "\n".join(("BBBBBBMGKK", "JJJPPPPLLL", "LSSSSIIIII", "RRRRRVRRRO"))


class LargeGameCase(PlayCase):
    """Matches of the two large games."""

    wires = ("stratego-lines", "eriantys")
    options: tuple[str, ...] = ()

    async def stratego(self, hand_class: type[Hand]) -> tuple[Hand, Netcat]:
        """A page that sets up red, and netcat that is to set up blue."""
        hand = hand_class(await self.browser.page(hand_class.size))
        await self.seek(hand, "stratego")
        bob = await self.netcat("stratego-lines")
        await bob.heard("auth-req")
        bob.say("bob\nbobs password")
        await bob.heard("color blue")
        await hand.page.until("document.querySelector('[data-cell=ready]')")
        return hand, bob

    async def place_some(self, hand: Hand) -> None:
        """Put some pieces on their squares, move one, and take one back."""
        dragged = "[...document.querySelectorAll('[data-drag]')]"
        placed = f"{dragged}.filter((one) => one.dataset.cell >= 0).map((one) => one.ariaLabel)"
        await hand.cell("kind 9")
        for square in ("30", "31", "32"):
            await hand.cell(square)
        await hand.cell("kind 9")
        await hand.cell("32")
        await hand.cell("22")
        await hand.cell("31")
        await hand.cell("kind 9")
        await hand.page.until(f"{placed}.join() === 'A4, scout,C3, scout'")
