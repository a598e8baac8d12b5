"""The pages in each language: axe finds nothing on a narrow phone, and nothing is wider than it."""

from tests.browser.playing import TITLE, PlayCase
from tests.kit.browser import NARROW, Page, findings, sit_down

#: A page of tables in each language has this heading.
HEADINGS = {
    "en": "Play, or watch others play",
    "cs": "Hrajte, nebo se dívejte",
    "it": "Gioca, o guarda giocare",
    "nl": "Speel, of kijk mee",
    "pl": "Graj albo oglądaj",
}


class LanguageTests(PlayCase):
    timeout = 300

    async def checked(self, page: Page) -> None:
        self.assertEqual(await findings(page), [])
        self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)

    async def test_every_language(self) -> None:
        """The page of tables, rules with a lesson, and a match."""
        for language, heading in HEADINGS.items():
            page = await self.browser.page(NARROW)
            await page.speak(language)
            await page.open("/")
            await page.until(f"document.querySelector('main h1')?.textContent === {heading!r}")
            self.assertEqual(await page.run("document.documentElement.lang"), language)
            await self.checked(page)
            await page.open("/rules/eriantys")
            await page.click("[data-lessons]")
            await page.until("document.querySelector('.lesson .board[data-can=yes]')")
            await self.checked(page)
        one, other = await self.browser.page(NARROW), await self.browser.page(NARROW)
        for page, language, name in ((one, "pl", "ann"), (other, "cs", "bob")):
            await page.speak(language)
            await sit_down(page, name, "onitama")
        for page in (one, other):
            await page.until("document.querySelector('.panel h1')?.textContent")
        first = f"{TITLE} === 'Twój ruch'"
        await one.until(f"{first} || {TITLE} === 'Ruch: bob'")
        await other.until(f"{TITLE} === '{'Na tahu: ann' if await one.run(first) else 'Jste na tahu'}'")
        await self.checked(one)
