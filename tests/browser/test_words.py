"""The pages in other languages: each in its own, and nothing wider than the narrowest phone."""

from tests import long
from tests.browser.slow_narrow import BEYOND
from tests.kit.browser import BrowserCase, Page, enter

#: The narrowest window of the pages.
SMALL = (320, 640)
#: The pages that need nothing played, and the texts of their headings in Italian, the longest language.
PAGES = {
    "/": "Gioca, o guarda giocare",
    "/matches": "Partite",
    "/results": "Risultati",
    "/mine": "Le tue partite",
    "/rules/stratego": "Come si gioca a Stratego",
    "/match/99": "Questa partita non c'è",
}
HEADING = "document.querySelector('main h1')?.textContent"


class WordTests(BrowserCase):
    @long
    async def test_the_longest_language_on_the_narrowest_phone(self) -> None:
        page = await self.browser.page(SMALL)
        await page.speak("it-CH,de")
        found = list[str]()
        for path, heading in PAGES.items():
            await page.open(path)
            await page.until(f"{HEADING} === {heading!r}")
            self.assertEqual(await page.run("document.documentElement.lang"), "it")
            found += [f"{path}: {one}" for one in await page.run(BEYOND % SMALL[0])]
        await page.open("/rules/stratego")
        await page.until("document.querySelector('.rules-text p')?.textContent.startsWith('Stratego: quaranta pezzi')")
        await page.click("[data-lessons]")
        await page.until(
            "document.querySelector('.lesson h2')?.textContent === 'Lezione 1 di 3: Quale prende la bomba?'"
        )
        found += [f"a lesson: {one}" for one in await page.run(BEYOND % SMALL[0])]
        await self.sit(page)
        found += [f"a table: {one}" for one in await page.run(BEYOND % SMALL[0])]
        self.assertEqual(found, [])

    async def sit(self, page: Page) -> None:
        """At a private table, which shows an invitation."""
        await page.open("/")
        await page.click("[data-play=onitama] + button")
        await enter(page, "ann")
        await page.until("document.querySelector('#play-title')?.textContent === 'Gioca a Onitama'")
        await page.run("document.querySelector('dialog [name=private]').value = 'true'")
        await page.click("dialog .go")
        await page.until("document.querySelector('.invite code')")

    async def test_the_switch(self) -> None:
        """The language that is chosen goes before the browser's, and is kept."""
        page = await self.browser.page()
        await page.open("/")
        await page.until(f"{HEADING} === 'Play, or watch others play'")
        choices = "[...document.querySelectorAll('#language option')].map((one) => one.textContent)"
        self.assertEqual(await page.run(choices), ["English", "čeština", "italiano", "Nederlands", "polski"])
        choose = "(one) => { one.value = 'cs'; one.dispatchEvent(new Event('change')); }"
        await page.run(f"({choose})(document.querySelector('#language'))")
        await page.until(f"{HEADING} === 'Hrajte, nebo se dívejte'")
        await page.open("/matches")
        await page.until(f"{HEADING} === 'Partie'")
        self.assertEqual(await page.run("document.querySelector('.skip').textContent"), "Přejít k obsahu")
        self.assertEqual(await page.run("document.querySelector('#theme').ariaLabel"), "Světlý nebo tmavý vzhled")
