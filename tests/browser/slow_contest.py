"""The pages of a contest in a browser: each column can be read, on a phone, a laptop and a projector."""

import json
from pathlib import Path
from typing import Any

from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred

from gamehost.extras.contest import results
from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Dropped, Played
from gamehost.extras.contest.files import TRACES, replace_file
from gamehost.extras.contest.page import ContestSite, page_access
from gamehost.extras.contest.plan import Entrant, Plan
from gamehost.extras.contest.standings import standings
from gamehost.extras.contest.traffic import worst_game
from gamehost.games.onitama.master import ONITAMA
from tests.kit.browser import Browser, BrowserCase, findings

SIZES = ((390, 844), (1280, 800), (1920, 1080))
#: Why a player is out: longer than a column.
WHY = "it ended with status 1: ModuleNotFoundError: No module named 'numpy.core._multiarray', in /home/students/my_bot.py:17"
#: What is over an edge: of the window, or of its own cell.
OVER_AN_EDGE = """[...document.querySelectorAll('td, dd, p, h1, .plot span, th')].filter((one) => {
    const box = one.getBoundingClientRect(), hidden = getComputedStyle(one.closest('thead') ?? one).position === 'absolute'
    return !hidden && (box.right > innerWidth + 1 || box.left < -1 || one.scrollWidth > one.clientWidth + 1)
}).map((one) => one.textContent.slice(0, 40))"""


class ContestPageTests(BrowserCase):
    timeout = 600

    def start_host(self) -> Any:
        """The page of a contest in the place of a host."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.players = 20
        names = [f"{'W' * 18}{number:02}" if number < 4 else f"bot{number}" for number in range(self.players)]
        plan = Plan("onitama", "onitama", tuple(Entrant(name, ("run",)) for name in names), title="Evening")
        contest = Contest(plan, began="2026-11-29 00:10+00:00", machine="lab-7.school.example")
        for one in contest.games:
            if 2 not in one.players:
                words = f"{names[one.players[0]]} won (crash): {names[one.players[1]]}: {WHY}"
                contest.note(Played(one.id, one.round, one.players, (1.0, 0.0), "crash", words, moves=23, notation="x"))
        contest.note(Dropped(2, 1, WHY))
        worst = worst_game(contest, 19)
        assert worst is not None
        lines = ["...", f"   0.376  {names[3]} > host  MAKE_MOVE|{'x' * 200}  BREACH: {WHY}", "   0.377"]
        replace_file(self.folder / TRACES, json.dumps({names[19]: {"game": worst.id, "lines": lines}}))
        results.write(contest, standings(contest), self.folder, ONITAMA)
        site = ContestSite(this_reactor, lambda: contest, dict, self.folder, ONITAMA)
        reactor: Any = this_reactor
        port = reactor.listenTCP(0, site, interface="127.0.0.1")
        site.access = page_access(port.getHost().port)
        self.addCleanup(site.close_channels)
        self.addCleanup(port.stopListening)
        self.address = f"http://127.0.0.1:{port.getHost().port}"
        return site

    def new_browser(self) -> Browser:
        browser = Browser(self.address, this_reactor)
        self.addCleanup(lambda: Deferred.fromCoroutine(browser.close()))
        return browser

    async def test_each_column_can_be_read(self) -> None:
        for path in ("/contest", "/players/3.html", "/players/20.html"):
            page = await self.browser.page()
            await page.open(path)
            await page.until("document.readyState === 'complete' && document.querySelector('h2')")
            for size in SIZES:
                for dark in (False, True):
                    await page.look(size, dark=dark)
                    with self.subTest(path=path, size=size, dark=dark):
                        self.assertEqual(await page.run(OVER_AN_EDGE), [])
                        self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)
                        self.assertEqual(await findings(page), [])
