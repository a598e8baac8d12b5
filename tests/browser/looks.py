"""
Takes the pictures of the documentation, with a real browser: `make looks`.

They are not compared with anything, because fonts differ between machines. Look at them before you keep them.
"""

import importlib.util
import os
import random
from pathlib import Path
from typing import Any

from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred, ensureDeferred

from gamehost.client.twisted_client import Client
from gamehost.wires.open.messages import Enter, Refused, Seek
from tests.browser.playing import CAN, ONITAMA, ONITAMA_DEAL, Hand, LargeGameCase, PlayCase
from tests.kit.browser import ASKED, DESKTOP, OVER, Page, play_on, sit_down
from tests.kit.process import ROOT

FOLDER = ROOT / "docs" / "looks"
PHONE = (390, 780)

#: Who plays what, and how many actions each of the two makes before they stop and think.
PAIRS = (
    ("keeper", "striker", "paper-soccer", 6),
    ("pawnstar", "zen-bot", "onitama", 4),
    ("caesar", "redbot", "stratego", 14),
    ("anna", "bruno", "eriantys", 40),
    ("lena", "tomek", "paper-soccer", 5),
    ("maria", "kaito", "onitama", 3),
)


def choices() -> Any:
    """What the documentation's bot for all games can do, by game."""
    spec = importlib.util.spec_from_file_location("bot", ROOT / "docs" / "bots" / "all_games_bot.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CHOICES


class LookCase(PlayCase):
    """Takes pictures of pages."""

    timeout = 900

    def setUp(self) -> None:
        """Take no pictures in other runs of the tests."""
        if os.environ.get("GAMEHOST_LOOKS") != "yes":
            self.skipTest("`make looks` takes the pictures")
        random.seed(11)
        super().setUp()

    async def keep(self, page: Page, name: str) -> None:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.png").write_bytes(await page.picture())

    def bot(self, name: str, game: str, most: int) -> None:
        client = Client(this_reactor, f"tcp:127.0.0.1:{self.port('open')}", Enter(name))
        self.addCleanup(client.close)
        client.say(Seek(game))
        ensureDeferred(self._play(client, choices()[game], most))

    async def _play(self, client: Client, choose: Any, most: int) -> None:
        acted = -1
        async for message in client:
            table = client.own
            if table is None or table.view is None or (table.n == acted and not isinstance(message, Refused)):
                continue
            actions = choose(table.view, table.seat)
            if actions and most > 0:
                client.act(random.choice(actions))
                acted, most = table.n, most - (not isinstance(message, Refused))

    async def pause(self, seconds: float) -> None:
        """Let the page come to rest."""
        waited: Deferred[None] = Deferred()
        reactor: Any = this_reactor
        reactor.callLater(seconds, waited.callback, None)
        await waited


class LiveLooks(LookCase):
    """The page of tables, and tables of each game."""

    wires: tuple[str, ...] = ("onitama", "open")
    options: tuple[str, ...] = (ONITAMA_DEAL, "--house=0")

    async def test_tables(self) -> None:
        """Six matches that stand still, and what a watcher sees of four of them."""
        for first, second, game, most in PAIRS:
            self.bot(first, game, most)
            self.bot(second, game, most)
            await self.pause(0.5)
        await self.pause(6)
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelectorAll('.live .board[aria-label]').length >= 5")
        await self.pause(1)
        await self.keep(page, "tables-desktop-light")
        await page.look(PHONE, dark=True)
        await self.keep(page, "tables-phone-dark")
        for number, name, dark in ((1, "paper-soccer", True), (3, "stratego", False), (4, "eriantys", False)):
            await page.look(DESKTOP if name != "eriantys" else (1400, 900), dark=dark)
            await page.open(f"/table/{number}")
            # The times are there, and so are the moves.
            await page.until("/ left/.test(document.querySelector('.deadline')?.textContent)")
            await page.until("document.querySelector('.rows li')")
            await self.pause(0.5)
            await self.keep(page, f"{name}-desktop-{'dark' if dark else 'light'}")

    async def test_onitama(self) -> None:
        """A player's page: a piece is picked up, and two cards lead to the square."""
        hand, bob = await self.onitama(Hand)
        for cells, answer in ONITAMA[:1]:
            await hand.page.until(CAN)
            for cell in cells:
                await hand.cell(cell)
            await bob.heard("MOVE_WAS_MADE")
            bob.say(f"MAKE_MOVE|{answer}")
        await hand.page.until(CAN)
        await hand.cell("d1")
        await self.keep(hand.page, "onitama-desktop-light")
        await hand.page.look(PHONE, dark=True)
        await self.keep(hand.page, "onitama-phone-dark")


class VisitorLooks(LookCase):
    """What somebody sees who is new here."""

    async def test_an_invitation(self) -> None:
        """The one who invites, and the friend."""
        page = await self.browser.page()
        await sit_down(page, "ann", "onitama", private="true", clock="move 30")
        address = await page.until("document.querySelector('.invite code')?.textContent")
        await page.until("document.querySelector('.qr')")
        await self.keep(page, "inviting-desktop-light")
        friend = await self.browser.page(PHONE)
        await friend.open(address)
        await friend.until("document.querySelector('.invited .board svg')")
        await self.keep(friend, "invitation-phone-light")

    async def test_a_guided_game(self) -> None:
        """The rules, and the first step of a match."""
        hand, _ = await self.onitama(Hand)
        await hand.page.until(CAN)
        await hand.page.look(DESKTOP, dark=True)
        await hand.page.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Help').click()"
        )
        await hand.page.until("document.querySelector('.guide p')?.textContent.includes('press')")
        await self.keep(hand.page, "guided-desktop-dark")
        await hand.page.look(PHONE, dark=True)
        await self.keep(hand.page, "guided-phone-dark")
        page = await self.browser.page()
        await page.open("/rules/stratego")
        await page.until("document.querySelector('.legend')")
        await self.keep(page, "rules-desktop-light")


class RecordLooks(LookCase):
    options: tuple[str, ...] = ()

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (ONITAMA_DEAL, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def test_match(self) -> None:
        hand, bob = await self.onitama(Hand)
        await self.play_onitama(hand, bob)
        await hand.page.open("/match/1#3")
        await hand.page.until("document.querySelector('.board[aria-label]')")
        await self.keep(hand.page, "match-desktop-light")


#: Rated matches of three people with passwords. Each pair is the one who wins and the one who resigns after the first moves.
RATED = """(async () => {
    const enter = (name) => new Promise((done) => {
        const one = new WebSocket(`ws://${location.host}/socket`);
        one.say = (message) => one.send(JSON.stringify(message));
        one.onopen = () => one.say({ do: "log-in", name, password: `password of ${name}` });
        one.onmessage = ({ data }) => JSON.parse(data).is === "entered" && done(one);
    });
    const match = (winner, loser) => new Promise((done) => {
        for (const one of [winner, loser]) {
            one.onmessage = ({ data }) => {
                const told = JSON.parse(data);
                if (told.is === "seated") one.seat = told.seat;
                if (told.is === "event" && told.n < 3 && told.n === one.seat + 1) {
                    one.say({ do: "act", table: told.table, action: ["ox c1 c2", "crab a5 a4"][one.seat] });
                }
                if (told.is === "event" && told.n === 3 && one === loser) one.say({ do: "leave" });
                if (told.is === "over" && one === winner) done();
            };
            one.say({ do: "seek", game: "onitama", settings: { rated: true } });
        }
    });
    const people = { ann: await enter("ann"), bob: await enter("bob"), clara: await enter("clara") };
    for (const pair of "ann bob,ann clara,bob clara,ann bob,clara bob,ann clara,bob ann,clara bob".split(",")) {
        await match(...pair.split(" ").map((name) => people[name]));
    }
})()"""


class StudyLooks(LookCase):
    """Where a match turned, and the ratings."""

    wires: tuple[str, ...] = ("open",)
    options: tuple[str, ...] = (ONITAMA_DEAL, "--house=20")
    house = True

    async def test_a_study(self) -> None:
        """Of a whole match between two who play at random."""
        for name in ("zen-bot", "pawnstar"):
            self.bot(name, "onitama", 1_000)
        page = await self.browser.page((1280, 1000))
        await page.open("/")
        found = "fetch('/api/matches').then((it) => it.json()).then((it) => it.matches.length)"
        while not await page.run(found):
            await self.pause(0.5)
        await page.open("/match/1")
        await page.until("document.querySelector('.buttons .go')")
        asked = "document.querySelector('.study .curve svg') || void document.querySelector('.buttons .go')?.click()"
        await page.until(asked, 60)
        await page.run("document.querySelector('.turns button')?.click()")
        await page.run("document.querySelector('#notice').textContent = ''")
        await page.run("window.scrollTo(0, document.body.scrollHeight)")
        await self.keep(page, "study-desktop-light")

    async def test_a_ladder(self) -> None:
        """After some rated matches."""
        page = await self.browser.page((1280, 620))
        await page.open("/rules/onitama")
        await page.run(RATED)
        await page.open("/results?game=onitama")
        await page.until("document.querySelectorAll('table.list').length === 2")
        await self.keep(page, "ladder-desktop-light")


BETTER = ("can be attacked", "can be moved to", "Put here", "Use")


class PlayerLooks(LookCase):
    wires = LargeGameCase.wires
    options: tuple[str, ...] = ("--house=0",)

    def start_host(self) -> Any:
        """With a store, which keeps finished matches."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        return super().start_host()

    async def seat(self, game: str, names: tuple[str, ...], **wishes: str) -> list[Page]:
        """Pages at one table."""
        pages = []
        for name in names:
            pages.append(await self.browser.page())
            await sit_down(pages[-1], name, game, **wishes)
            await pages[-1].until("document.querySelector('.seeking .dots, .board[data-can]')")
        for page in pages:
            await page.until("document.querySelector('.board[data-can]')")
        return pages

    async def play(self, pages: list[Page], turns: int, first: int = 0) -> Page:
        """Play on at random, from another seed in each turn, and give the page that is asked then."""
        for seed in range(first, first + turns + 1):
            asked: list[Page] = []
            while not asked:
                asked = [page for page in pages if await page.run(f"!!{ASKED}")]
            if seed < first + turns:
                await play_on(asked[0], seed + 3, 60, BETTER, once=True)
        return asked[0]

    async def test_stratego(self) -> None:
        """The set-up on a phone, a fight, and the list of finished matches."""
        ada, linus = await self.seat("stratego", ("ada", "linus"))
        await linus.look(PHONE, dark=True)
        for cell in ("kind 9", "60", "61", "62"):
            await linus.tap(f"[data-cell='{cell}']")
        await self.keep(linus, "stratego-set-up-phone-dark")
        await linus.look(DESKTOP)
        for page, preset in ((ada, "Attack"), (linus, "Corner")):
            await page.click(f"[data-cell='preset {preset}']")
            await page.click("[data-cell=ready]")
        await self.play([ada, linus], 14)
        played = 14
        while not await ada.run("!!document.querySelector('.st-fight')"):
            await self.play([ada, linus], 1, played)
            played += 1
        await self.keep(ada, "stratego-fight-desktop-light")
        await linus.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await linus.click("dialog .go")
        await ada.until(OVER)
        await ada.open("/matches")
        await ada.until("document.querySelector('.list')")
        await self.keep(ada, "matches-desktop-light")

    async def test_eriantys(self) -> None:
        """A player has picked up a student."""
        pages = await self.seat("eriantys", ("anna", "bruno", "clara"), seats="3", expert="true")
        page = await self.play(pages, 30)
        while await page.run("!document.querySelector('[data-cell^=entrance][data-can]')"):
            page = await self.play(pages, 1)
        await page.run("document.querySelector('[data-cell^=entrance][data-can]').click()")
        await page.look((390, 1500), dark=True)
        await self.keep(page, "eriantys-phone-dark")
