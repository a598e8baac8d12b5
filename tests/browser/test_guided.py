"""A guided first game: whoever does what the page says plays a match to its end, in every game."""

from typing import Any

from msgspec import json

from tests.browser.playing import PlayCase
from tests.kit.browser import OVER, PHONE, enter, findings

#: Does what the line says, and nothing else, until the match is over. Gives how often something was pressed.
_FOLLOW = """(async () => {
    let pressed = 0;
    for (const end = performance.now() + 100_000; !(%s) && performance.now() < end;) {
        const line = document.querySelector(".guide p")?.textContent ?? "";
        const [, label] = /press “(.*)”[.]$/.exec(line) ?? [];
        const cell = label && [...document.querySelectorAll(".board .cell")].find((one) => one.ariaLabel === label);
        if (cell) {
            cell.click();
            pressed += 1;
        }
        await new Promise((done) => setTimeout(done, 2));
    }
    return pressed;
})()"""

#: The host's own players may not be ready in its first seconds. Then the button is pressed again.
SEATED = """(async () => {
    for (let time = 0; time < 60 && !document.querySelector(".guide"); time += 1) {
        await new Promise((done) => setTimeout(done, 1_000));
        document.querySelector("[data-guided=" + %s + "]")?.click();
    }
})()"""


class GuidedTests(PlayCase):
    """Against the host's easy player."""

    timeout = 170
    house = True
    wires: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    async def guided(self, game: str) -> None:
        """From the rules to the end of a match. How long a match is depends on the moves of the host's player."""
        page = await self.browser.page()
        await page.open("/")
        await page.click(f"a[href='/rules/{game}']")
        await page.click(f"[data-guided={game}]")
        await enter(page, "ann")
        await page.run(SEATED % json.encode(game).decode())
        await page.until("document.querySelector('.guide p')?.textContent")
        self.assertEqual(await findings(page), [])
        pressed = await page.run(_FOLLOW % OVER)
        self.assertGreater(pressed, 0)
        await page.until(OVER)
        words = await page.run("document.querySelector('.guide p').textContent")
        self.assertIn("That was a whole match", words)

    async def test_onitama(self) -> None:
        await self.guided("onitama")

    async def test_paper_soccer(self) -> None:
        await self.guided("paper-soccer")

    async def test_stratego(self) -> None:
        await self.guided("stratego")

    async def test_eriantys(self) -> None:
        await self.guided("eriantys")


class RulesTests(PlayCase):
    """The pages "How to play"."""

    wires: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    async def test_each_game_has_one(self) -> None:
        """With the rules, a picture, and what signs mean; on a phone in the dark, and without what is typed elsewhere."""
        page: Any = await self.browser.page(PHONE, dark=True)
        said = {
            "onitama": ("You hold two cards", "ox c1–c2"),
            "stratego": ("The lower number wins", "spy: beats the marshal"),
            "paper-soccer": ("the ball bounces", "0,0 is the middle"),
            "eriantys": ("Mother Nature", "a green student"),
        }
        for game, words in said.items():
            await page.open(f"/rules/{game}")
            await page.until("document.querySelector('.legend') && document.querySelector('.rules .board svg')")
            text = await page.run("document.querySelector('main').innerText")
            for one in words:
                self.assertIn(one, text)
            self.assertNotIn("type", text)
            self.assertEqual(await findings(page), [])
