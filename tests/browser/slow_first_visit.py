"""Whoever comes for the first time, in a real browser: times, invitations, accounts, notices, rematches, and the rules."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import json, structs
from twisted.internet.defer import Deferred, succeed

from gamehost._twisted import this_reactor
from gamehost.journal.records import OwnedMatch, TableId
from gamehost.lobby.notices import Asker, News, Notices
from tests.browser.playing import CAN, ONITAMA_DEAL, SEATED, TITLE, Hand, PlayCase
from tests.kit.browser import DESKTOP, PHONE, BrowserCase, Page, enter, findings, sit_down

PASSWORD = "a good one"
#: What the board says of each square.
CELLS = "[...document.querySelectorAll('.board .cell')].map((cell) => cell.ariaLabel).sort().join()"

#: A button below the list of moves, by its words.
BUTTON = "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === '%s')"
HEAD = "document.querySelector('main h1')?.textContent"
DEADLINE = "document.querySelector('.deadline')"


class SetUpTimeTests(PlayCase):
    """A set-up that must not last for ever."""

    options: tuple[str, ...] = ("--set=stratego.setup_time=15",)

    async def test_the_time_is_seen_before_it_costs_the_match(self) -> None:
        """In the dialog, while an opponent is sought, and on the board, where it is counted down."""
        page = await self.browser.page()
        await sit_down(page, "ann", "stratego", private="")
        words = "You have 15 seconds to set up, and 1 hour for a move. Who takes longer loses."
        await page.until(f"document.querySelector('.seeking').innerText.includes('{words}')")
        other = await self.browser.page()
        await other.open("/")
        await other.click("[data-play=stratego] + button")
        await other.until("document.querySelector('dialog input[name=name]')")
        await other.run("document.querySelector('dialog input[name=name]').value = 'bob'")
        await other.click("dialog .go")
        await other.until(f"document.querySelector('dialog')?.innerText.includes('{words}')")
        await other.click("dialog .go")
        await page.until(f"{DEADLINE}?.classList.contains('short')")
        self.assertIn("left, or you lose", await page.run(f"{DEADLINE}.textContent"))
        await page.until(f"{TITLE} === 'Draw'")
        self.assertTrue(await page.run(f"{DEADLINE}.hidden"))


class MoveTimeTests(PlayCase):
    async def test_it_stands_above_the_moves(self) -> None:
        """Also in a game without clocks, for both."""
        pages: list[Any] = []
        for name in ("ann", "bob"):
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, "onitama")
        for page in pages:
            await page.until(
                f"/^(You have|ann has|bob has) (1:00:00|60 min|59 min) left$/.test({DEADLINE}?.textContent)"
            )


class InvitationTests(PlayCase):
    """A friend is sent an address."""

    async def test_the_invitation_is_there_after_a_reload(self) -> None:
        """Its player is told who has come, and that the page can be closed."""
        page = await self.browser.page()
        await sit_down(page, "olga", "onitama", private="true")
        shown = "document.querySelector('.seeking')?.textContent.includes('The table waits for a day')"
        await page.until(shown)
        await page.open("/")
        await page.until(shown)
        await page.until("document.querySelector('.invite code') !== null")

    async def test_an_invitation_that_is_over(self) -> None:
        """It says so, and offers no seat. Neither does a table that never was."""
        page = await self.browser.page()
        for path, head in (
            ("/table/7#ABCDEFGH", "This invitation is over"),
            ("/table/9999", "There is no table 9999 now"),
        ):
            await page.open(path)
            await page.until(f"{HEAD} === '{head}'")
            self.assertEqual(await page.run("document.querySelectorAll('main button').length"), 0)
            self.assertEqual(await findings(page), [])


class Way:
    """A way to tell players, with what it says of itself."""

    def __init__(self, **told: Any) -> None:
        self.told = told
        self.changes: list[Mapping[str, str]] = []

    def deliver(self, account: str, news: News) -> None: ...

    def seen(self, account: str, table: TableId) -> None: ...

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        told(self.told)

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        self.changes.append(values)
        done(None)

    def stop(self) -> Deferred[Any]:
        return succeed(None)


class AccountTests(PlayCase):
    options: tuple[str, ...] = (ONITAMA_DEAL,)

    async def test_another_day(self) -> None:
        """The browser is closed in mid-game. Later it has the same name, list of matches and board, and no password is kept."""
        page = await self.browser.page()
        await page.open("/")
        await page.click("[data-play=onitama]")
        await self.type_account(page)
        await page.until("document.querySelector('.seeking .dots')")
        bob = await self.netcat("onitama")
        bob.say("LOGIN|bob")
        hand = Hand(page)
        await page.until(CAN)
        for cell in ("c1", "c2", "with ox"):
            await hand.cell(cell)
        await bob.heard("MOVE_WAS_MADE|ox")
        await page.until(f"{TITLE} === 'bob to move'")
        board = await page.until(CELLS)
        # What the browser has on its disk is all that comes back on another day.
        kept = await page.run("JSON.stringify(localStorage)")
        self.assertNotIn(PASSWORD, kept)
        await self.browser.close()
        self.browser = self.new_browser()
        later = await self.browser.page(PHONE)
        await later.open("/rules/onitama")
        await later.run(f"Object.assign(localStorage, JSON.parse({json.encode(kept).decode()}))")
        await later.open("/player/ann")
        await later.until("document.querySelector('main ul a')?.textContent === 'Onitama: ann and bob'")
        await later.until("document.querySelector('#me').textContent === 'ann'")
        await later.click("main ul a")
        await later.until(f"{TITLE} === 'bob to move'")
        self.assertEqual(await later.run(CELLS), board)
        self.assertNotIn("key", await later.run("location.href"))
        await later.click("#me")
        await later.click("dialog .row button:first-of-type")
        await later.until("document.querySelector('#me').textContent === 'Guest'")

    async def type_account(self, page: Page) -> None:
        """Log in through the dialog that opens now."""
        await page.until("document.querySelector('dialog[open] input[name=password]')")
        for field, text in (("name", "ann"), ("password", PASSWORD)):
            await page.run(f"document.querySelector('dialog input[name={field}]').value = '{text}'")
        await page.click("dialog .go")

    async def logged_in(self, size: tuple[int, int] = DESKTOP) -> Page:
        page = await self.browser.page(size)
        await page.open("/")
        await page.until("document.querySelector('[data-play=onitama]')")
        await page.click("#me")
        await self.type_account(page)
        await page.until("document.querySelector('#me').textContent === 'ann'")
        return page

    async def devices(self, page: Page, count: int) -> None:
        """Open the dialog of the account, which lists so many devices."""
        await page.click("#me")
        await page.until("document.querySelector('dialog details')")
        await page.run("document.querySelectorAll('dialog details').forEach((one) => { one.open = true; })")
        await page.until(f"document.querySelectorAll('.devices li').length === {count}")

    async def told_on_this_device(self, page: Page) -> None:
        """Say in the dialog that this device tells, hear of a turn, and end it again."""
        # No push service can be reached from here, so this device tells by its pages alone, and by the worker that they bring.
        device = "document.querySelector('dialog details button')"
        await page.run(f"{device}.click()")
        await page.until(f"{device}.textContent === 'Tell me no longer'")
        scope = "navigator.serviceWorker.register('/sw.js').then(({scope}) => new URL(scope).pathname)"
        self.assertEqual(await page.run(scope), "/")
        await page.run("""
            window.Notification = class { static permission = "granted"; constructor(words) { window.shown = words; } };
            Object.defineProperty(document, "hidden", { get: () => true });""")
        own = self.host.context.lobby.own
        row = OwnedMatch(TableId(7), "onitama", ("ann", "Olga"), 0, "wait")
        for state in ("wait", "turn"):
            own.put([("ann", structs.replace(row, state=state))])
        await page.until("window.shown === 'Onitama: Your turn'")
        await page.run(f"{device}.click()")
        await page.until(f"{device}.textContent === 'Tell me on this device'")
        await page.run("window.shown = ''")
        for state in ("wait", "turn"):
            own.put([("ann", structs.replace(row, state=state))])
        await page.until("document.title.startsWith('(1)')")
        self.assertEqual(await page.run("window.shown"), "")

    async def test_being_told_while_nobody_looks(self) -> None:
        """On this device, with its permission; by mail, when the address is confirmed, until the link of a mail ends that."""
        ways = {"mail": Way(address="", waits="")}
        self.host.context.lobby.own.notices = Notices(this_reactor(), ways)
        page = await self.logged_in(PHONE)
        await self.browser.chromium.ask(
            "Browser.grantPermissions", permissions=["notifications"], browserContextId=page.context
        )
        await page.click("#me")
        await page.until("document.querySelector('dialog details')")
        await page.run("document.querySelector('dialog details').open = true")
        form = "document.querySelector('dialog details form')"
        for text, expected, told in (
            ("ann@example.org", {"address": "ann@example.org"}, {"address": "", "waits": "ann@example.org"}),
            ("12345678", {"code": "12345678"}, {"address": "ann@example.org", "waits": ""}),
        ):
            await page.until(f"{form}?.querySelector('input').value === ''")
            self.assertEqual(await findings(page), [])
            ways["mail"].told = told
            await page.run(f"{form}.querySelector('input').value = '{text}'")
            await page.run(f"{form}.requestSubmit()")
            await page.until(f"!{form}?.innerText.includes('Your mail') && !{form}?.querySelector('input').value")
            self.assertEqual(ways["mail"].changes.pop(), expected)
        await page.until("document.querySelector('dialog details').innerText.includes('Mails go to ann@example.org')")
        await self.told_on_this_device(page)
        link = await self.browser.page()
        await link.open("/no-mail/YW5u.x")
        await link.until("document.querySelector('main .go')")
        self.assertEqual(await findings(link), [])
        await link.click("main .go")
        await link.until("document.querySelector('main p').textContent === 'No more mails are sent to this address.'")
        self.assertEqual(ways["mail"].changes, [{"stop": "YW5u.x"}])

    async def test_devices_and_the_password(self) -> None:
        """A lost phone is logged out from the desk; a new password logs out all others; nothing of it needs a mouse."""
        phone = await self.logged_in(PHONE)
        kept = await phone.run("localStorage.getItem('gamehost')")
        page = await self.logged_in()
        await self.devices(page, 2)
        await self.nothing_found(page)
        await page.run("[...document.querySelectorAll('.devices button')][0].click()")
        await page.until("document.querySelectorAll('.devices li').length === 1")
        words = "document.querySelector('dialog form p').textContent"
        for old, new, said in (
            ("a wrong one", "a better one", "wrong password"),
            (PASSWORD, "a better one", "Your password is changed. Other devices must log in again."),
        ):
            typed = json.encode([old, new]).decode()
            await page.run(
                f"[...document.querySelectorAll('dialog form input')].forEach((one, n) => {{ one.value = {typed}[n]; }})"
            )
            await page.click("dialog form .go")
            await page.until(f"{words} === {json.encode(said).decode()}")
        fresh = await page.run("localStorage.getItem('gamehost')")
        self.assertNotEqual(fresh, kept)
        await page.open("/matches")
        await page.until("document.querySelector('#me').textContent === 'ann'")
        later = await self.browser.page(PHONE)
        await later.open("/rules/onitama")
        await later.run(f"localStorage.setItem('gamehost', {json.encode(kept).decode()})")
        await later.open("/")
        await later.until("localStorage.getItem('gamehost') === null")


class HeardTests(PlayCase):
    """What somebody hears who does not see the page."""

    async def test_the_focus_and_the_questions(self) -> None:
        """The focus stays on the page behind a dialog, and what Eriantys asks is announced with the turn."""
        pages = [await self.browser.page() for _ in "ab"]
        for page, name in zip(pages, ("ann", "bob"), strict=True):
            await sit_down(page, name, "eriantys")
        ann = pages[0]
        await ann.until(CAN)
        self.assertNotEqual(await ann.run("document.activeElement.tagName"), "BODY")
        await ann.until("document.getElementById('said').textContent.includes('Your move: Choose a team.')")
        await ann.run("document.querySelector('.board .cell[data-can]').click()")
        await pages[1].until("document.getElementById('said').textContent.includes('Your move: Choose a team.')")


class TalkTests(PlayCase):
    """What two people can do at a table beside moves."""

    options: tuple[str, ...] = (ONITAMA_DEAL,)

    async def test_a_phrase_and_the_other_side(self) -> None:
        """A phrase is chosen from a menu, and read by both. The board is turned, and goes on. A tone is asked for."""
        pages = []
        for name, size in (("ann", DESKTOP), ("bob", PHONE)):
            pages.append(await self.browser.page(size))
            await sit_down(pages[-1], name, "onitama")
        ann, bob = pages
        await ann.until(CAN)
        menu = "document.querySelector('.said select')"
        await ann.run(f"{menu}.value = 'good-luck', {menu}.dispatchEvent(new Event('change'))")
        for page in pages:
            await page.until("document.querySelector('.said span')?.textContent === 'ann: Good luck!'")
            self.assertEqual(await findings(page), [])
            self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)
        a1 = "document.querySelector('[data-cell=a1]').getBoundingClientRect().top"
        below = await ann.run(a1)
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Flip').click()"
        )
        await ann.until(f"{a1} < {below}")
        hand = Hand(ann)
        for cell in ("c1", "c2", "with ox"):
            await hand.cell(cell)
        await bob.until(CAN)
        await ann.run(
            "void (window.tones = 0, AudioContext.prototype.createOscillator ="
            " function () { window.tones += 1; return new OscillatorNode(this); })"
        )
        sound = "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Sound')"
        self.assertEqual(await ann.run(f"{sound}.ariaPressed"), "false")
        await ann.run(f"{sound}.click()")
        self.assertEqual(await ann.run(f"{sound}.ariaPressed"), "true")
        hand = Hand(bob)
        for cell in ("a5", "a4"):
            await hand.cell(cell)
        await ann.until(CAN)
        await ann.until("window.tones === 2")


class RematchTests(PlayCase):
    """The same two again."""

    async def test_both_press(self) -> None:
        """Colours are changed. Who is asked sees by whom."""
        pages = []
        for name in ("ann", "bob"):
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, "onitama")
        ann, bob = pages
        await ann.until(CAN)
        await ann.run(f"{BUTTON % 'Resign'}.click()")
        await ann.click("dialog .go")
        for page, words in ((ann, "You have resigned"), (bob, "ann has resigned, or did not come back")):
            await page.until("document.querySelector('.buttons .go')?.textContent === 'Rematch'")
            self.assertIn(words, await page.run("document.querySelector('.panel').innerText"))
        await ann.click(".buttons .go")
        await ann.until("document.querySelector('.buttons .chip')?.textContent === 'the others are asked'")
        await bob.until("document.querySelector('.asked')?.textContent === 'ann wants a rematch.'")
        self.assertEqual(await findings(bob), [])
        await ann.run(f"{BUTTON % 'Stop waiting'}.click()")
        await bob.until("document.querySelector('.asked')?.textContent === 'ann does not want a rematch any more.'")
        await ann.until("document.querySelector('.buttons .go')?.textContent === 'Rematch'")
        await ann.click(".buttons .go")
        await bob.until("document.querySelector('.asked')?.textContent === 'ann wants a rematch.'")
        await bob.click(".buttons .go")
        await bob.until(f"{TITLE} === 'Your move'")
        await ann.until(f"{TITLE} === 'bob to move'")


class HouseRematchTests(PlayCase):
    """The host's own players always play again."""

    house = True
    wires: tuple[str, ...] = ()

    async def test_again(self) -> None:
        page = await self.browser.page()
        await page.open("/rules/onitama")
        await page.click("[data-guided=onitama]")
        await enter(page, "ann")
        await page.run(SEATED % '"onitama"')
        await page.until(CAN)
        before = await page.run("location.pathname")
        await page.run(f"{BUTTON % 'Resign'}.click()")
        await page.click("dialog .go")
        await page.until("document.querySelector('.buttons .go')?.textContent === 'Rematch'")
        await page.click(".buttons .go")
        await page.until(f"location.pathname !== '{before}' && ({CAN})")
        self.assertEqual(await page.run("document.querySelectorAll('.moves button').length"), 1)


# The pages in a real browser: they are there, and the console is empty.


class ForeignPageTests(BrowserCase):
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


# A guided first game: whoever does what the page says plays a match to its end, in every game.


class RulesTests(PlayCase):
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
