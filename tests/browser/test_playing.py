"""Matches in a real browser, from the page of tables to the end; `slow_playing.py` has more of them."""

from pathlib import Path

from tests import long
from tests.browser.playing import BLUE, CAN, STEPS, TITLE, Finger, Hand, LargeGameCase, PlayCase, begin_eriantys
from tests.kit.browser import ASKED, DESKTOP, SMALL, TOO_SMALL, findings, play_on


class PlayingTests(PlayCase):
    """A page against netcat on a document's wire. Both are told the same."""

    async def test_onitama_by_mouse(self) -> None:
        """The page plays White and takes the master."""
        hand, bob = await self.onitama(Hand)
        await self.play_onitama(hand, bob)
        moves = await hand.page.run("[...document.querySelectorAll('.rows button')].map(one => one.textContent)")
        self.assertEqual(moves, ["ox c1–c2", "crab a5–a4", "tiger c2–c4", "eel b5–a5", "boar c4–c5"])

    @long
    async def test_paper_soccer_by_touch(self) -> None:
        """On a phone, point by point."""
        hand = await self.play_paper_soccer(Finger)
        await hand.page.look(SMALL)
        self.assertEqual(await hand.page.until(OUT_OF_SIGHT), [])
        self.assertEqual(await hand.page.run(TOO_SMALL), [])
        sideways = await hand.page.run("document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(sideways, 0)


#: Of how the match has ended and what can be done then.
OUT_OF_SIGHT = """[...document.querySelectorAll(".panel .head, .buttons > *")].filter((one) => {
    const {top, bottom, right} = one.getBoundingClientRect();
    return top < 0 || bottom > innerHeight || right > innerWidth;
}).map((one) => one.textContent)"""


class StrategoTests(LargeGameCase):
    """A page against netcat on a document's wire, and its record."""

    def setUp(self) -> None:
        """Finished matches are kept."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.options = (f"--store={folder / 'host.sqlite'}",)
        super().setUp()

    @long
    async def test_by_touch_and_step_by_step(self) -> None:
        """Set up on a phone, play to the end, and look at the finished match from any of its positions."""
        hand, bob = await self.stratego(Finger)
        page = hand.page
        await self.place_some(hand)
        await hand.cell("preset Attack")
        await hand.cell("ready")
        bob.say(BLUE)
        await page.until(CAN)
        for start, end, heard in (("34", "44", "E4-E5"), ("44", "54", "E5-E6")):
            await hand.cell(start)
            await hand.cell(end)
            await bob.heard(heard)
            bob.say("J7-J6" if start == "34" else "J6-J5")
            await page.until(CAN)
        sideways = await page.run("document.documentElement.scrollWidth - innerWidth")
        self.assertLessEqual(sideways, 0)
        await hand.cell("35")
        await hand.cell("65")
        await bob.heard("winner red")
        await page.until(f"{TITLE} === 'You have won'")
        await self.step_through()

    async def step_through(self) -> None:
        """Another visitor opens the record at a position, steps to the ends, and finds it in the list."""
        page = await self.browser.page()
        await page.open("/match/1#1")
        await page.until(f"{STEPS}.value === '1'")
        self.assertIn(
            "E5, red marshal", await page.run("[...document.querySelectorAll('.cell')].map((one) => one.ariaLabel)")
        )
        await page.press("ArrowRight", "ArrowLeft", "End")
        await page.until(f"{STEPS}.value === {STEPS}.max && location.hash === '#5'")
        self.assertIn("flag", await page.run(f"{STEPS}.getAttribute('aria-valuetext')"))
        self.assertEqual(await findings(page), [])
        await page.open("/matches?name=ann")
        await page.click(".list a[href='/match/1']")
        await page.until("document.querySelector('.steps')")


class EriantysTests(LargeGameCase):
    """Two pages at one table."""

    @long
    async def test_a_round(self) -> None:
        """Teams, wizards, and a turn by mouse; then one resigns, and both are told the same."""
        ann, bob = [Hand(await self.browser.page(DESKTOP)) for _ in range(2)]
        await begin_eriantys(ann, bob)
        for _ in range(3):
            first = ann if await ann.page.until(f"{ASKED} ? 1 : ({TITLE} ?? '').startsWith('bob:') && 2") == 1 else bob
            await play_on(first.page, 7, 40, ("Put here",), once=True)
        await ann.page.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.page.click("dialog .go")
        for hand in (ann, bob):
            won = "You have won" if hand is bob else "You have lost"
            await hand.page.until(f"{TITLE} === '{won}'")
