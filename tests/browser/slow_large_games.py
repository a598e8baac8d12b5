"""Longer tests of Stratego and Eriantys in a real browser: whole matches against bots, by keyboard, and after a reload."""

import contextlib
import sys
from pathlib import Path
from typing import Any

from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol

from tests.browser.large_games import BLUE, LargeGameCase
from tests.browser.playing import CAN, TITLE, Hand, Keys
from tests.kit.browser import ASKED, DESKTOP, OVER, PHONE, Page, enter, findings, play_on, sit_down
from tests.kit.sources import ROOT

NARROW = (360, 740)


class Bot(ProcessProtocol):
    """A bot of the documentation, as a process."""

    def __init__(self, *command: str) -> None:
        self.printed = ""
        self.ended: Deferred[None] = Deferred()
        self._process: Any = this_reactor.spawnProcess(self, sys.executable, [sys.executable, *command], env=None)

    def outReceived(self, data: bytes) -> None:
        self.printed += data.decode()

    def errReceived(self, data: bytes) -> None:
        self.printed += data.decode()

    def processEnded(self, reason: Any) -> None:
        self.ended.callback(None)

    async def stop(self) -> None:
        """Stop it, if it has not ended by itself."""
        with contextlib.suppress(ProcessExitedAlready):
            self._process.signalProcess("KILL")
        await self.ended


class BotTests(LargeGameCase):
    """Whole matches against the bots of the documentation."""

    timeout = 240
    options = ("--set=stratego.max_plies=300",)

    def bot(self, name: str, *words: str) -> Bot:
        """Start one."""
        bot = Bot(str(ROOT / "docs" / "bots" / f"{name}_bot.py"), *words)
        self.addCleanup(lambda: Deferred.fromCoroutine(bot.stop()))
        return bot

    async def test_stratego(self) -> None:
        """Every piece that can attack does, and both are told the same end."""
        page = await self.browser.page()
        await self.seek(Hand(page), "stratego")
        bot = self.bot("stratego_lines", "bob", "bobs password", "--port", str(self.port("stratego-lines")))
        await Hand(page).cell("shuffle")
        await Hand(page).cell("ready")
        await page.until(ASKED)
        await play_on(page, 1, better=("can be attacked", "can be moved to"))
        await bot.ended
        title = await page.run(TITLE)
        winner = {"You have won": "red", "bob has won": "blue", "Draw": "none"}[title]
        self.assertIn(f"won by {winner}", bot.printed)

    async def test_eriantys(self) -> None:
        """Ten rounds, or less."""
        page = await self.browser.page()
        await sit_down(page, "ann", "eriantys")
        await page.until("document.querySelector('.seeking .dots')")
        # A bot on this wire asks for games that wait; the page waits in the queue that they share.
        bot = self.bot("eriantys", "bob", "--port", str(self.port("eriantys")))
        await page.until(ASKED)
        await play_on(page, 2, better=("Put here",))
        await bot.ended
        title = await page.run(TITLE)
        winner = {"You have won": "ann", "bob has won": "bob"}.get(title, "ann and bob")
        self.assertIn(winner, bot.printed)


class KeyTests(LargeGameCase):
    """Without a mouse."""

    async def test_stratego(self) -> None:
        """The set-up, and the move that takes the flag."""
        hand, bob = await self.stratego(Keys)
        await self.place_some(hand)
        await hand.cell("preset Attack")
        await hand.cell("ready")
        bob.say(BLUE)
        await hand.page.until(CAN)
        await hand.cell("35")
        await hand.page.press("ArrowUp", "ArrowUp", "ArrowUp", "Enter")
        await bob.heard("winner red")

    async def test_eriantys(self) -> None:
        """Team, wizard, assistant, and a student to an island."""
        ann, bob = Keys(await self.browser.page()), Hand(await self.browser.page())
        await sit_down(ann.page, "ann", "eriantys")
        await ann.page.until("document.querySelector('.seeking .dots')")
        await sit_down(bob.page, "bob", "eriantys")
        for hand, cell in ((ann, "tower black"), (bob, "tower white"), (ann, "wizard 1"), (bob, "wizard 2")):
            await hand.page.until(ASKED)
            await hand.cell(f"answer {cell}")
        await ann.page.until("document.querySelector('[data-cell=\"school 0\"]')")
        while not await ann.page.run(f"({TITLE} ?? '') === 'Move a student'"):
            if await bob.page.run(f"!!{ASKED}"):
                await play_on(bob.page, 3, once=True)
            elif await ann.page.run(f"!!{ASKED}"):
                await ann.cell(await ann.page.run("document.querySelector('.cell[data-can]').dataset.cell"))
        await ann.cell(await ann.page.run("document.querySelector('.cell[data-can]').dataset.cell"))
        await ann.cell("island 3")
        await ann.page.until("document.querySelector('.panel .head p').textContent.startsWith('2 of 3')")


class PrivateTests(LargeGameCase):
    """A private table, and its record."""

    def setUp(self) -> None:
        """Finished matches are kept."""
        self.options = (f"--store={Path(self.mktemp()).absolute()}",)
        super().setUp()

    async def test_who_has_the_code_steps_through(self) -> None:
        """The one who has opened the table, and the one who was invited. Without the code there is nothing."""
        ann, bob = [await self.browser.page() for _ in range(2)]
        await sit_down(ann, "ann", "eriantys", private="true")
        invitation = await ann.until("document.querySelector('.seeking code')?.textContent")
        await bob.open(invitation)
        await bob.click(".centre .go")
        await enter(bob, "bob")
        await ann.until(ASKED)
        await Hand(ann).cell("answer tower black")
        await bob.until(ASKED)
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.click("dialog .go")
        for page in (ann, bob):
            await page.click(".buttons a[href^='/match/1?code=']")
            await page.until("document.querySelector('.steps')")
        stranger = await self.browser.page()
        await stranger.open("/match/1")
        await stranger.until("document.querySelector('main').innerText.includes('There is no such match')")


class LookTests(LargeGameCase):
    """Reloads, widths, and what axe finds."""

    timeout = 120

    async def fit(self, page: Page) -> None:
        """Nothing is found in any size and light, and nothing scrolls sideways."""
        for size in (DESKTOP, PHONE, NARROW):
            for dark in (False, True):
                await page.look(size, dark=dark)
                await page.until("true")
                self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0, size)
                self.assertEqual(await findings(page), [], (size, dark))

    async def test_stratego(self) -> None:
        """During the set-up and in play; after a reload the board is the same."""
        hand, bob = await self.stratego(Hand)
        page = hand.page
        await self.fit(page)
        await page.look()
        await hand.cell("shuffle")
        await hand.cell("ready")
        bob.say(BLUE)
        await page.until(CAN)
        labels = "[...document.querySelectorAll('.cell')].map((one) => one.ariaLabel).join()"
        before = await page.run(labels)
        await page.ask("Page.reload")
        await page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        await page.until(CAN)
        self.assertEqual(await page.run(labels), before)
        await self.fit(page)

    async def test_eriantys(self) -> None:
        """Three players with characters; a player, and somebody who looks on."""
        pages = [await self.browser.page() for _ in range(3)]
        for page, name in zip(pages, ("ann", "W" * 20, "carl"), strict=True):
            await sit_down(page, name, "eriantys", seats="3", expert="true")
            await page.until("document.querySelector('.seeking .dots, .board')")
        for number in range(10):
            await self.turn(pages, number)
        await self.fit(pages[0])
        watcher = await self.browser.page()
        await watcher.open("/")
        await watcher.click(".live")
        await watcher.until("document.querySelector('[data-cell=\"school 0\"]')")
        await self.fit(watcher)
        self.assertFalse(await watcher.run(OVER))

    async def turn(self, pages: list[Page], seed: int) -> None:
        """Whoever is asked answers."""
        while True:
            for page in pages:
                if await page.run(f"!!{ASKED}"):
                    await play_on(page, seed + 1, 60, ("Put here", "Use"), once=True)
                    return
