"""What an account keeps in one real browser is in the next one, though the host was killed in between."""

from pathlib import Path

from msgspec import json
from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred

from tests.browser.playing import BLUE, CAN, TITLE, Hand
from tests.kit.browser import Browser, BrowserCase, Netcat, Page, netcat
from tests.kit.process import HostProcess

PASSWORD = "a good one"
#: What the squares of the red side are said to have.
PLACED = """JSON.stringify([...document.querySelectorAll('.cell')].filter((one) => one.dataset.cell < 40)
    .map((one) => one.ariaLabel))"""


def label(cell: str) -> str:
    return f"document.querySelector('[data-cell={json.encode(cell).decode()}]')?.ariaLabel"


class KeepingTests(BrowserCase):
    timeout = 300

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.web = 0
        self.start()
        self.browser = Browser(f"http://127.0.0.1:{self.web}", this_reactor)
        self.addCleanup(lambda: Deferred.fromCoroutine(self.browser.close()))
        self.addCleanup(lambda: self.process.__exit__(None, None, None))

    def start(self) -> None:
        """A host at the address of before."""
        address = f"--web=tcp:{self.web}:interface=127.0.0.1"
        wires = ["web", "stratego-lines"]
        self.process = HostProcess(address, wires=wires, folder=self.folder, store="store.sqlite")
        self.process.__enter__()
        self.web = self.process.ports["web"]

    def killed(self) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)
        self.start()

    async def ann(self) -> Page:
        """A browser that remembers nothing, in which ann logs in."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('[data-play=stratego]')")
        await page.click("#me")
        await page.until("document.querySelector('dialog[open] input[name=password]')")
        for field, text in (("name", "ann"), ("password", PASSWORD)):
            await page.run(f"document.querySelector('dialog input[name={field}]').value = '{text}'")
        await page.click("dialog .go")
        await page.until("document.querySelector('#me').textContent === 'ann'")
        return page

    async def begun(self, page: Page) -> Netcat:
        """A match between the page, which is to set up red, and netcat."""
        await page.open("/")
        await page.click("[data-play=stratego]")
        await page.until("document.querySelector('.seeking .dots')")
        bob = await netcat(this_reactor, self.process.ports["stratego-lines"])
        self.addCleanup(bob.close)
        await bob.heard("auth-req")
        bob.say("bob\nbobs password")
        await bob.heard("color blue")
        await page.until("document.querySelector('[data-cell=ready]')")
        return bob

    async def test_a_set_up_and_marks_in_another_browser(self) -> None:
        # In one browser, ann keeps a set-up, and marks a piece.
        first = await self.ann()
        bob, hand = await self.begun(first), Hand(first)
        await hand.cell("preset Attack")
        placed = await first.until(f"!{PLACED}.includes('empty') && {PLACED}")
        await hand.cell("keep")
        await first.until(f"{label('kept')} === 'Set-up: kept, 1 of 5'")
        await hand.cell("ready")
        bob.say(BLUE)
        await first.until(CAN)
        for cell in ("65", "mark B", "34", "44"):
            await hand.cell(cell)
        await bob.heard("E4-E5")  # what was kept is on the disk before the move
        self.assertIsNone(await first.run("Object.keys(localStorage).find((key) => key.startsWith('kept'))"))
        await first.close()
        self.killed()
        # In the next one, the mark is there, and the set-up in the next match.
        second = await self.ann()
        await second.open("/table/1")
        await second.until(f"{label('65')}?.includes('marked bomb')")
        await second.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await second.click("dialog .go")
        await second.until(f"{TITLE} === 'You have lost'")
        await self.begun(second)
        await second.until(f"{label('kept')} === 'Set-up: kept, 1 of 5'")
        await Hand(second).cell("kept")
        await second.until(f"{PLACED} === {json.encode(placed).decode()}")
