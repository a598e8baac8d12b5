"""The pages in a real browser: they are there, and the console is empty."""

from tests.kit.browser import PHONE, BrowserCase, findings


class PageTests(BrowserCase):
    """What a visitor sees first."""

    async def test_first_paint(self) -> None:
        """The page of tables has the games, and its socket is open."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        paint = await page.until("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        self.assertGreater(paint, 0)
        loaded = await page.run("performance.getEntriesByType('resource').map(one => one.name)")
        self.assertEqual([one for one in loaded if not one.startswith(self.browser.address)], [])

    async def test_the_tables_are_accessible(self) -> None:
        """On a phone in the dark."""
        page = await self.browser.page(PHONE, dark=True)
        await page.open("/")
        await page.until("document.querySelector('main').innerText.includes('Onitama')")
        self.assertEqual(await findings(page), [])


class ForeignPageTests(BrowserCase):
    """A page of another site."""

    expected_errors = ("WebSocket connection to",)

    async def test_a_foreign_page_has_no_socket(self) -> None:
        """Its browser names it, and the host refuses."""
        page = await self.browser.page()
        await page.open("data:text/html,<title>foreign</title>")
        await page.until("document.title === 'foreign'")
        address = f"127.0.0.1:{self.port('web')}"
        outcome = "onopen = () => done('open'), one.onerror = () => done('refused')"
        script = f"new Promise((done) => {{ const one = new WebSocket('ws://{address}/socket'); one.{outcome}; }})"
        self.assertEqual(await page.run(script), "refused")
        self.assertEqual(self.host.sites[0].sockets.connections, set())
