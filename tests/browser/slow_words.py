"""The pages in each language: axe finds nothing in all sizes, nothing is wider than a phone, and words fit their buttons."""

from tests.browser.playing import TITLE
from tests.browser.slow_narrow import BEYOND, WideCase
from tests.browser.slow_pages import GAMES, SIZES
from tests.kit.browser import ASKED, NARROW, Page, enter, findings, play_on, sit_down

#: A page of tables in each language has this heading.
HEADINGS = {
    "en": "Play, or watch others play",
    "cs": "Hrajte, nebo se dívejte",
    "it": "Gioca, o guarda giocare",
    "nl": "Speel, of kijk mee",
    "pl": "Graj albo oglądaj",
}
#: Words on a board that are wider than the button or the card that they stand on.
TOO_LONG = """[...document.querySelectorAll(".board :is(.st-button, .er-card, .er-tag, .oni-card) > text")].flatMap((text) => {
    const [box, rect] = [text, text.parentNode.querySelector("rect")].map((one) => one.getBoundingClientRect());
    const words = text.textContent;
    return words && (box.left < rect.left - 1 || box.right > rect.right + 1) ? [`${words} is too long`] : [];
})"""


class LanguageTests(WideCase):
    timeout = 3600

    async def checked(self, page: Page, what: str, number: int) -> None:
        """In all sizes. Half of them are dark, the other half in the next language."""
        for place, size in enumerate(SIZES):
            await self.draw(page, what, size, dark=(number + place) % 2 == 0)
            faults = [*await findings(page), *await page.run(BEYOND % size[0]), *await page.run(TOO_LONG)]
            self.found += [f"{what}, {size[0]} px: {one}"[:400] for one in faults]

    async def test_lists_and_lessons(self) -> None:
        for number, (language, heading) in enumerate(HEADINGS.items()):
            page = await self.browser.page(NARROW)
            await page.speak(language)
            await page.open("/")
            await page.until(f"document.querySelector('main h1')?.textContent === {heading!r}")
            self.assertEqual(await page.run("document.documentElement.lang"), language)
            await self.checked(page, f"{language} /", number)
            for path in ("/matches", "/results", "/mine", "/player/ann"):
                await page.open(path)
                await page.until("document.querySelector('main h1')")
                await self.checked(page, f"{language} {path}", number)
            await page.open("/rules/eriantys")
            await page.click("[data-lessons]")
            await page.until("document.querySelector('.lesson .board[data-can=yes]')")
            await self.checked(page, f"{language} lesson", number)
            await page.close()

    async def at_table(self, game: str, languages: tuple[str, str], number: int) -> None:
        """Two people who read different languages: at the beginning and after some moves."""
        pages = [await self.browser.page(), await self.browser.page()]
        for page, language in zip(pages, languages, strict=True):
            await page.speak(language)
            await page.open("/")
            await page.until("document.querySelectorAll('.game .board svg').length === 4")
            # Not with the mouse: the page still moves while it loads.
            await page.run(f"document.querySelector('[data-play={game}]{' + button' * (game == 'eriantys')}').click()")
            await enter(page, f"{language}-{game}")
            if game == "eriantys":
                await page.until("document.querySelector('#play-title')")
                await page.run("document.querySelector('dialog [name=expert]').value = 'true'")
                await page.click("dialog .go")
            await page.until("document.querySelector('.seeking .dots, .board[data-can]')")
        for page in pages:
            await page.until("document.querySelector('.board[data-can]')")
        for turns in (0, 12) if game == "stratego" else (12,):
            for seed in range(turns):
                for page in pages:
                    if await page.run(f"!!{ASKED}"):
                        await play_on(page, seed + 1, 40, once=True)
            for place, (page, language) in enumerate(zip(pages, languages, strict=True)):
                await self.checked(page, f"{language} {game}", number + place)
        for page in pages:
            await page.close()

    async def test_tables(self) -> None:
        for number, game in enumerate(GAMES):
            await self.at_table(game, ("pl", "cs"), number)
            await self.at_table(game, ("it", "nl"), number)

    async def test_the_title(self) -> None:
        one, other = await self.browser.page(NARROW), await self.browser.page(NARROW)
        for page, language, name in ((one, "pl", "ann"), (other, "cs", "bob")):
            await page.speak(language)
            await sit_down(page, name, "onitama")
        for page in (one, other):
            await page.until("document.querySelector('.panel h1')?.textContent")
        first = f"{TITLE} === 'Twój ruch'"
        await one.until(f"{first} || {TITLE} === 'Ruch: bob'")
        await other.until(f"{TITLE} === '{'Na tahu: ann' if await one.run(first) else 'Jste na tahu'}'")
        # The dialog of the own name has a catalogue of its own.
        await one.run("document.querySelector('#me').click()")
        await one.until(
            "document.querySelector('dialog[open]')?.textContent.includes('Jesteś gościem. Ta przeglądark')"
        )
