"""Matches in a real browser, from the page of tables to the end; `slow_playing.py` has more of them."""

from tests.browser.playing import Finger, Hand, PlayCase


class PlayingTests(PlayCase):
    """A page against netcat on a document's wire. Both are told the same."""

    async def test_onitama_by_mouse(self) -> None:
        """The page plays White and takes the master."""
        hand, bob = await self.onitama(Hand)
        await self.play_onitama(hand, bob)
        moves = await hand.page.run("[...document.querySelectorAll('.rows button')].map(one => one.textContent)")
        self.assertEqual(moves, ["ox c1–c2", "crab a5–a4", "tiger c2–c4", "eel b5–a5", "boar c4–c5"])

    async def test_paper_soccer_by_touch(self) -> None:
        """On a phone, point by point."""
        hand = await self.play_paper_soccer(Finger)
        sideways = await hand.page.run("document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(sideways, 0)
