"""A match with days for a move in two real browsers, which are never open at the same time but at the beginning."""

from pathlib import Path

from msgspec import json
from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred

from tests.browser.playing import CAN, ONITAMA, TITLE, Finger, Hand, PlayCase
from tests.kit.browser import PHONE, Browser, BrowserCase, Page, enter, findings, sit_down
from tests.kit.process import HostProcess


class DaysTests(PlayCase):
    async def test_friends_move_while_the_other_is_away(self) -> None:
        """A friend takes the seat of a page that is closed. Each page shows the match as the other one has left it."""
        ann, bob = [await self.browser.page() for _ in range(2)]
        await sit_down(ann, "ann", "onitama", private="true", clock="days 3")
        invitation = await ann.until("document.querySelector('.seeking code')?.textContent")
        await ann.open("/rules/onitama")
        await bob.open(invitation)
        await bob.until("document.querySelector('.invited')?.innerText.includes('3 days a move')")
        await bob.click(".centre .go")
        await enter(bob, "bob")
        await bob.until("document.querySelector('.deadline')?.innerText.includes('71 h')")
        await bob.open("/rules/onitama")
        await ann.open("/table/1")
        await ann.until(CAN)
        for cell in ONITAMA[0][0]:
            await Hand(ann).cell(cell)
        await ann.until("document.querySelector('.rows button')")
        await ann.open("/")
        await bob.open("/table/1")
        await bob.until(CAN)
        await bob.until("document.querySelectorAll('.rows button').length === 1")
        for cell in ("a5", "a4"):
            await Hand(bob).cell(cell)
        await bob.ask("Page.reload")
        await bob.until("document.querySelectorAll('.rows button').length === 2")
        await ann.open("/table/1")
        await ann.until(CAN)
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.click("dialog .go")
        await bob.until("document.querySelector('.panel h1')?.textContent === 'You have won'")


DAY = 86_400
#: Twenty moves that end nothing, White's and Black's in turn. Each has one card that leads there.
STORY_DEAL = "--set=onitama.deal=frog,dragon/horse,tiger/goose"
STORY = (
    *("c1 b2", "b5 b3", "b1 a2", "b3 c3", "b2 d3", "c3 b3", "d3 d5", "a5 c4", "a1 b1", "c4 d3"),
    *("b1 b2", "b3 c3", "a2 c3", "c5 c4", "c3 d3", "c4 c2", "d3 e2", "c2 e1", "d1 c1", "e1 d1"),
)
#: The clock of a page, so many milliseconds ahead of the machine's.
AHEAD = """((now, Machine) => (globalThis.Date = class extends Machine {
    constructor(...of) { super(...(of.length ? of : [now() + %d])); }
    static now() { return now() + %d; }
}))(Date.now, Date)"""
GONE = "You have lost: you have resigned, or did not come back in time"
WORDS = "document.querySelector('main')?.innerText"
#: How many moves the page shows.
MOVES = "document.querySelectorAll('.rows button').length"


class Friend(Finger):
    """Somebody with a phone, which is closed most of the time. The next page has what the browser has kept."""

    def __init__(self, page: Page, name: str) -> None:
        super().__init__(page)
        self.name = name

    async def enter(self) -> None:
        await self.page.until("document.querySelector('dialog[open] input[name=name]')")
        await self.use("dialog input[name=name]")
        await self.page.run("document.activeElement.select()")
        await self.page.type(self.name)
        await self.use("dialog .go")

    async def press(self, words: str, within: str = "main") -> None:
        """Touch the button or the link with these words."""
        await self.page.until(_MARK % json.encode([within, words]).decode())
        await self.use("[data-touched]")

    async def choose(self, **wishes: str) -> None:
        """Choose in lists that the system shows, which are no part of the page."""
        for field, value in wishes.items():
            found = f"document.querySelector('dialog [name={field}]')"
            await self.page.until(found)
            await self.page.run(
                f"{found}.value = '{value}', {found}.dispatchEvent(new Event('change', {{bubbles: true}}))"
            )


_MARK = """(([within, words]) => {
    document.querySelector("[data-touched]")?.removeAttribute("data-touched");
    const found = [...document.querySelectorAll(`${within} a, ${within} button`)].find((one) => one.textContent === words);
    found?.setAttribute("data-touched", "");
    return found !== undefined;
})(%s)"""


class StoryTests(BrowserCase):
    """
    Two friends with phones play for weeks. The host is killed each day, and starts a day later.

    Nobody has a mouse or a keyboard.
    """

    timeout = 300

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.days = 0
        self.web = 0
        self.start()
        self.browser = Browser(f"http://127.0.0.1:{self.web}", this_reactor)
        self.addCleanup(lambda: Deferred.fromCoroutine(self.browser.close()))
        self.addCleanup(lambda: self.process.__exit__(None, None, None))

    def start(self, *options: str) -> None:
        """A host on this day, at the address of before."""
        address = f"--web=tcp:{self.web}:interface=127.0.0.1"
        self.process = HostProcess(
            *(STORY_DEAL, "--set=limits.keyless_resume_seconds=3", address, *options),
            wires=["web"],
            folder=self.folder,
            store="store.sqlite",
            module="tests.kit.later_host",
            environment={"GAMEHOST_LATER": str(self.days * DAY)},
        )
        self.process.__enter__()
        self.web = self.process.ports["web"]

    def later(self, days: int, *options: str) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)
        self.days += days
        self.start(*options)

    async def friend(self, name: str) -> Friend:
        return Friend(await self.new_page(), name)

    async def new_page(self, beside: Page | None = None) -> Page:
        page = await self.browser.page(PHONE, beside=beside)
        ahead = self.days * DAY * 1000
        await page.ask("Page.addScriptToEvaluateOnNewDocument", source=AHEAD % (ahead, ahead))
        return page

    async def take_phone(self, one: Friend) -> None:
        """A page of tables, with what the browser remembers."""
        one.page = await self.new_page(one.page)
        await one.page.open("/")

    async def invite(self, ann: Friend) -> str:
        await ann.page.open("/")
        await ann.use("[data-play=onitama] + button")
        await ann.enter()
        await ann.choose(clock="days 3", private="true", seat="first")
        await ann.use("dialog .go")
        invitation: str = await ann.page.until("document.querySelector('.seeking code')?.textContent")
        return invitation

    async def visit(self, one: Friend, number: int) -> None:
        """Find the match, and make the move of this number."""
        await one.page.until("document.querySelector('.mine')?.innerText.includes('Your turn')")
        await one.use("nav [data-page=mine]")
        await one.page.until("document.querySelector('h1')?.textContent === 'Your matches'")
        await one.use(".waits .go")
        await self.move(one, number)

    async def move(self, one: Friend, number: int) -> None:
        """Make the move of this number when it can be made, and see that it is confirmed."""
        await one.page.until(f"{CAN} && {MOVES} === {number}")
        for cell in STORY[number].split():
            await one.cell(cell)
        await one.page.until(f"{MOVES} === {number + 1} && !({CAN})")

    async def test_two_friends(self) -> None:
        ann = await self.friend("ann")
        invitation = await self.invite(ann)
        await ann.page.close()
        self.later(1)
        bob, eve = await self.friend("bob"), await self.friend("eve")
        await bob.page.open(invitation)
        await bob.page.until(f"{WORDS}?.includes('3 days a move')")
        await bob.press("Take a seat")
        await bob.enter()
        await bob.page.until("document.querySelector('.deadline')?.innerText.startsWith('ann has ')")
        await bob.page.close()
        await self.refused(eve, invitation)
        for number in range(0, len(STORY), 2):
            self.later(1)
            for one in (ann, bob):
                await self.take_phone(one)
                await self.visit(one, number + (one is bob))
                await one.page.close()
        await self.rest(ann)
        self.later(4, "--slow-after-start=0", "--grace=2")
        for one, ended in ((bob, "You have won: the time of ann was over"), (ann, "You have lost: your time was over")):
            await self.take_phone(one)
            await one.page.until(f"{WORDS}?.includes('{ended}')")
        await bob.press("Rematch")
        await bob.page.until(
            "document.querySelector('.seeking')?.innerText || document.querySelectorAll('.waits li').length > 1"
        )
        for one in (bob, ann):
            await one.page.close()
        self.later(1, "--grace=2")
        await self.take_phone(ann)
        await ann.press("Accept")
        await ann.page.until(f"!{WORDS}.includes('Accept')")
        await ann.page.close()
        await self.take_phone(bob)
        await self.visit(bob, 0)
        await bob.page.close()
        for one in (ann, bob):
            await self.take_phone(one)
        await self.play_quickly(ann, bob)

    async def rest(self, ann: Friend) -> None:
        """ann takes a holiday, and is back at once: a day is left."""
        await self.take_phone(ann)
        await ann.page.until("document.querySelector('.mine')?.innerText.includes('Your turn')")
        await ann.use("nav [data-page=mine]")
        await ann.use(".holiday summary")
        self.assertEqual(await findings(ann.page), [])
        await ann.use(".holiday form button")
        await ann.page.until(f"{WORDS}?.includes('You are on holiday until')")
        self.assertEqual(await findings(ann.page), [])
        await ann.press("I am back")
        await ann.page.until(f"{WORDS}.includes('You are on holiday until') && !{WORDS}.includes('I am back')")
        await ann.page.close()

    async def refused(self, eve: Friend, invitation: str) -> None:
        """Neither the address nor the name of a friend gives a seat to a third."""
        await eve.page.open(invitation)
        await eve.page.until(f"{WORDS}?.includes('invitation is over')")
        await eve.use("#me")
        eve.name = "ann"
        await eve.enter()
        await eve.page.until("document.querySelector('dialog .why')?.textContent")
        await eve.page.close()

    async def play_quickly(self, ann: Friend, bob: Friend) -> None:
        """ann resigns, and both want a rematch, in which bob goes away. ann claims the win; bob reads it later."""
        for one in (ann, bob):  # the list comes above the buttons, and moves them
            await one.page.until("document.querySelector('.mine')?.innerText.includes('Onitama')")
        await ann.use("[data-play=onitama]")
        await ann.page.until("document.querySelector('.seeking .dots')")  # who waits longer moves first
        await bob.use("[data-play=onitama]")
        await self.move(ann, 0)
        await self.move(bob, 1)
        await ann.page.until(CAN)  # the buttons move down with the list of moves
        await ann.press("Resign")
        await ann.use("dialog .go")
        await ann.press("Rematch")
        await bob.page.until(f"{WORDS}.includes('ann wants a rematch')")
        await bob.press("Rematch")
        await self.move(bob, 0)
        await self.move(ann, 1)
        await bob.page.close()
        await ann.use("[data-claim=win]")
        await ann.page.until(f"{TITLE} === 'You have won'")
        await self.take_phone(bob)
        await bob.page.until(f"{WORDS}?.includes('{GONE}')")
