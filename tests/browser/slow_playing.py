"""Longer tests of playing in a real browser: by keyboard alone, by touch, over lost connections, and against bots."""

import contextlib
import random
import sys
from pathlib import Path
from typing import Any

from msgspec import json
from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol

from tests.browser.playing import (
    BLUE,
    CAN,
    ONITAMA,
    SEATED,
    TITLE,
    Finger,
    Hand,
    Keys,
    LargeGameCase,
    PlayCase,
    begin_eriantys,
)
from tests.kit.browser import ALL_SIZES, ASKED, OVER, PHONE, Page, enter, findings, play_on, sit_down
from tests.kit.sources import ROOT


class HandTests(PlayCase):
    """Each game by each hand that `test_playing` leaves out."""

    async def test_onitama_by_keyboard(self) -> None:
        hand, bob = await self.onitama(Keys)
        await self.play_onitama(hand, bob)

    async def test_onitama_by_touch(self) -> None:
        hand, bob = await self.onitama(Finger)
        await self.play_onitama(hand, bob)

    async def test_onitama_by_dragging(self) -> None:
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        await hand.page.drag("[data-cell=c1]", "[data-cell=c2]")
        await hand.cell("with ox")
        await bob.heard("MOVE_WAS_MADE|ox|c1|c2")

    async def test_paper_soccer_by_mouse(self) -> None:
        await self.play_paper_soccer(Hand)

    async def test_paper_soccer_by_keyboard(self) -> None:
        await self.play_paper_soccer(Keys)


class LostTests(PlayCase):
    """Connections that are lost in the middle of a match."""

    async def played_one(self) -> tuple[Hand, object]:
        hand, bob = await self.onitama(Hand)
        await hand.page.until(CAN)
        for cell in ONITAMA[0][0]:
            await hand.cell(cell)
        await bob.heard("MOVE_WAS_MADE|ox|c1|c2")
        bob.say(f"MAKE_MOVE|{ONITAMA[0][1]}")
        await bob.heard("MOVE_WAS_MADE|crab")
        await hand.page.until(CAN)
        return hand, bob

    async def test_reload(self) -> None:
        """A page that is loaded again has its seat, the position and the moves back, and plays on to the end."""
        hand, bob = await self.played_one()
        await hand.page.ask("Page.reload")
        await hand.page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        await hand.page.until("document.querySelectorAll('.rows button').length === 2")
        await self.play_onitama(hand, bob, ONITAMA[1:])  # type: ignore[arg-type]

    async def test_lost_socket(self) -> None:
        """The page connects again by itself, and plays on to the end."""
        hand, bob = await self.played_one()
        for connection in tuple(self.host.sites[0].sockets.connections):
            connection.transport.abortConnection()
        await hand.page.until("document.querySelector('.board').dataset.can === 'no'")
        await self.play_onitama(hand, bob, ONITAMA[1:])  # type: ignore[arg-type]

    async def test_second_tab(self) -> None:
        """A second tab with the same key takes the seat over, and the first one says so and connects again on a press."""
        hand, _ = await self.played_one()
        saved = await hand.page.run("localStorage.getItem('gamehost')")
        other = await self.browser.page()
        await other.open("/matches")  # a page with an icon: for any other file Chromium asks for one
        await other.until("document.body")
        await other.run(f"localStorage.setItem('gamehost', {saved!r})")
        await other.open("/")
        await other.until(CAN)
        await hand.page.click("#link button")
        await hand.page.until(CAN)
        await other.until("document.querySelector('#link button')")


class AccessibleTests(PlayCase):
    """axe finds nothing on the pages of tables and of a table: light, dark, wide, narrow."""

    timeout = 300

    async def test_tables(self) -> None:
        """With one who waits."""
        page = await self.browser.page()
        await self.seek(Hand(page), "stratego")
        await self.nothing_found(page, ALL_SIZES)
        await page.click("[aria-label='More ways to play Eriantys']")
        await page.until("document.querySelector('dialog[open] select')")
        await self.nothing_found(page)

    async def test_tables_of_play(self) -> None:
        """A player's page: a piece picked up, and the choice of a card."""
        hand, _ = await self.onitama(Hand)
        await hand.page.until(CAN)
        await hand.cell("c1")
        await self.nothing_found(hand.page, ALL_SIZES)
        await hand.cell("c2")
        await self.nothing_found(hand.page)


#: Plays at random, and notes the milliseconds from a press to the next frame that shows what it does; and from the moment at
#: which the page hears that it is its turn to the frame that shows what can be done.
ANSWERS = """(async (most) => {
    const board = () => document.querySelector('.board');
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const changed = () => new Promise((done) => {
        const watching = new MutationObserver(() => (watching.disconnect(), done()));
        watching.observe(board(), {subtree: true, childList: true, attributes: true});
    });
    const presses = [], turns = [];
    let heard = null;
    new MutationObserver(() => {
        const turn = document.querySelector('.seat.active .whose')?.textContent === 'your move';
        if (!turn) heard = null;
        else heard ??= performance.now();
    }).observe(document.querySelector('.table'), {subtree: true, childList: true, characterData: true, attributes: true});
    while (presses.length < most && !(%s)) {
        const cells = [...document.querySelectorAll('.board[data-can=yes] .cell[data-can]')];
        if (!cells.length) { await frame(); continue; }
        if (heard > 0) { turns.push(performance.now() - heard); heard = -1; }
        const pressed = performance.now();
        const seen = changed();
        cells[Math.floor(Math.random() * cells.length)].click();
        await Promise.race([seen, new Promise((done) => setTimeout(done, 500))]);
        await frame();
        presses.push(performance.now() - pressed);
    }
    const of = (list) => list.sort((one, other) => one - other);
    return [of(presses), of(turns)];
})(%d)"""


class AnswerTests(PlayCase):
    """How long a player waits for the page. The figures are printed, because they depend on the machine."""

    async def test_a_press_is_answered(self) -> None:
        """In each game, between two pages."""
        for number, game in enumerate(("onitama", "paper-soccer", "stratego", "eriantys")):
            pages = [await self.browser.page() for _ in range(2)]
            for page, name in zip(pages, ("ann", "bob"), strict=True):
                await sit_down(page, f"{name}{number}", game)
                await page.until("document.querySelector('.seeking .dots, .board[data-can]')")
            for page, preset in zip(pages, ("Attack", "Corner"), strict=True):
                await page.until("document.querySelector('.board[data-can]')")
                if game == "stratego":
                    await page.click(f"[data-cell='preset {preset}']")
                    await page.click("[data-cell=ready]")
            other = ensureDeferred(pages[1].run(ANSWERS % (OVER, 60)))
            presses, turns = await pages[0].run(ANSWERS % (OVER, 50))
            found = {"a press": presses, "a turn": turns}
            words = [f"{name} p50 {of[len(of) // 2]:.0f} ms, most {of[-1]:.0f} ms" for name, of in found.items() if of]
            print(f"{game}: {'; '.join(words)}")
            self.assertTrue(presses)
            other.addErrback(lambda _: None)
            for page in pages:
                await page.close()


class Bot(ProcessProtocol):
    def __init__(self, *command: str) -> None:
        self.printed = ""
        self.ended: Deferred[None] = Deferred()
        self._process: Any = this_reactor.spawnProcess(self, sys.executable, [sys.executable, *command], env=None)

    def outReceived(self, data: bytes) -> None:
        self.printed += data.decode()

    def errReceived(self, data: bytes) -> None:
        self.printed += data.decode()

    def processEnded(self, reason: Any) -> None:
        self.ended.callback(None)

    async def stop(self) -> None:
        with contextlib.suppress(ProcessExitedAlready):
            self._process.signalProcess("KILL")
        await self.ended


class BotTests(LargeGameCase):
    """Whole matches against the bots of the documentation."""

    timeout = 240
    options = ("--set=stratego.max_plies=300",)

    def bot(self, name: str, *words: str) -> Bot:
        bot = Bot(str(ROOT / "docs" / "bots" / f"{name}_bot.py"), *words)
        self.addCleanup(lambda: Deferred.fromCoroutine(bot.stop()))
        return bot

    async def test_stratego(self) -> None:
        """Every piece that can attack does, and both are told the same end."""
        page = await self.browser.page()
        await self.seek(Hand(page), "stratego")
        bot = self.bot("stratego_lines", "bob", "bobs password", "--port", str(self.port("stratego-lines")))
        await Hand(page).cell("shuffle")
        await Hand(page).cell("ready")
        await page.until(ASKED)
        await play_on(page, 1, better=("can be attacked", "can be moved to"))
        await bot.ended
        title = await page.run(TITLE)
        winner = {"You have won": "red", "You have lost": "blue", "Draw": "none"}[title]
        self.assertIn(f"won by {winner}", bot.printed)

    async def test_eriantys(self) -> None:
        """Ten rounds, or less."""
        page = await self.browser.page()
        await sit_down(page, "ann", "eriantys")
        await page.until("document.querySelector('.seeking .dots')")
        # A bot on this wire asks for games that wait; the page waits in the queue that they share.
        bot = self.bot("eriantys", "bob", "--port", str(self.port("eriantys")))
        await page.until(ASKED)
        await play_on(page, 2, better=("Put here",))
        await bot.ended
        title = await page.run(TITLE)
        winner = {"You have won": "ann", "You have lost": "bob"}.get(title, "ann and bob")
        self.assertIn(winner, bot.printed)


class KeyTests(LargeGameCase):
    async def test_stratego(self) -> None:
        """The set-up, and the move that takes the flag."""
        hand, bob = await self.stratego(Keys)
        await self.place_some(hand)
        await hand.cell("preset Attack")
        await hand.cell("ready")
        bob.say(BLUE)
        await hand.page.until(CAN)
        await hand.cell("35")
        await hand.page.press("ArrowUp", "ArrowUp", "ArrowUp", "Enter")
        await bob.heard("winner red")

    async def test_eriantys(self) -> None:
        """Team, wizard, assistant, and a student to an island."""
        ann, bob = Keys(await self.browser.page()), Hand(await self.browser.page())
        await begin_eriantys(ann, bob)
        while not await ann.page.run(f"({TITLE} ?? '') === 'Move a student'"):
            if await bob.page.run(f"!!{ASKED}"):
                await play_on(bob.page, 3, once=True)
            elif await ann.page.run(f"!!{ASKED}"):
                await ann.cell(await ann.page.run("document.querySelector('.cell[data-can]').dataset.cell"))
        await ann.cell(await ann.page.run("document.querySelector('.cell[data-can]').dataset.cell"))
        await ann.cell("island 3")
        await ann.page.until("document.querySelector('.panel .head p').textContent.startsWith('2 of 3')")


class WholeTests(LargeGameCase):
    """Whole matches of the two large games: one player has mouse, keyboard or finger alone, the other a script."""

    timeout = 500
    options = ("--set=stratego.max_plies=60",)

    async def whole(self, game: str, hand_class: type[Hand]) -> None:
        """Press what can be pressed, until the match is over."""
        hand, other = hand_class(await self.browser.page(hand_class.size)), await self.browser.page()
        await self.seek(hand, game)
        await sit_down(other, "bob", game)
        await hand.page.until("document.querySelector('.board[data-can]')")
        if game == "stratego":
            await hand.cell("preset Attack")
            await hand.cell("ready")
            await other.click("[data-cell='preset Corner']")
            await other.click("[data-cell=ready]")
        other_plays = ensureDeferred(play_on(other, 5, better=("can be attacked", "can be moved to", "Put here")))
        random.seed(3)
        while not await hand.page.run(f"({OVER})"):
            cells = await hand.page.until(f"({OVER}) || {self.usable}", 60)
            if cells is not True:
                await hand.cell(random.choice(cells))
        await other_plays
        await other.until(OVER)

    #: The cells that lead on, where there are any; else all that can be pressed; `null`: the page waits for the other player.
    usable = """((cells) => {
        const good = cells.filter((one) => /can be|Put here|Take|to here/.test(one.ariaLabel));
        return cells.length ? (good.length ? good : cells).map((one) => one.dataset.cell) : null;
    })([...document.querySelectorAll(".board[data-can=yes] .cell[data-can]")])"""

    async def test_stratego_by_mouse(self) -> None:
        await self.whole("stratego", Hand)

    async def test_stratego_by_touch(self) -> None:
        await self.whole("stratego", Finger)

    async def test_stratego_by_keyboard(self) -> None:
        await self.whole("stratego", Keys)

    async def test_eriantys_by_mouse(self) -> None:
        await self.whole("eriantys", Hand)

    async def test_eriantys_by_touch(self) -> None:
        await self.whole("eriantys", Finger)

    async def test_eriantys_by_keyboard(self) -> None:
        await self.whole("eriantys", Keys)


class PrivateTests(PlayCase):
    """A private table, and its record."""

    def setUp(self) -> None:
        """Finished matches are kept."""
        self.options = (*self.options, f"--store={Path(self.mktemp()).absolute()}")
        super().setUp()

    async def test_who_has_the_code_steps_through(self) -> None:
        """The one who has opened the table, and the one who was invited. Without the code there is nothing."""
        ann, bob = [await self.browser.page() for _ in range(2)]
        await sit_down(ann, "ann", "onitama", private="true")
        invitation = await ann.until("document.querySelector('.seeking code')?.textContent")
        await bob.open(invitation)
        await bob.click(".centre .go")
        await enter(bob, "bob")
        await ann.until(CAN)
        for cell in ONITAMA[0][0]:
            await Hand(ann).cell(cell)
        await bob.until(CAN)
        await ann.run(
            "[...document.querySelectorAll('.buttons button')].find((one) => one.textContent === 'Resign').click()"
        )
        await ann.click("dialog .go")
        for page in (ann, bob):
            await page.click(".buttons a[href^='/match/1?code=']")
            await page.until("document.querySelector('.steps')")
        stranger = await self.browser.page()
        await stranger.open("/match/1")
        await stranger.until("document.querySelector('main').innerText.includes('There is no such match')")


class LookTests(LargeGameCase):
    timeout = 120

    async def test_stratego(self) -> None:
        """During the set-up and in play; after a reload the board is the same."""
        hand, bob = await self.stratego(Hand)
        page = hand.page
        await self.nothing_found(page)
        await hand.cell("shuffle")
        await hand.cell("ready")
        bob.say(BLUE)
        await page.until(CAN)
        labels = "[...document.querySelectorAll('.cell')].map((one) => one.ariaLabel).join()"
        before = await page.run(labels)
        await page.ask("Page.reload")
        await page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        await page.until(CAN)
        self.assertEqual(await page.run(labels), before)
        await self.nothing_found(page)

    async def test_eriantys(self) -> None:
        """Three players with characters; a player, and somebody who looks on."""
        pages = [await self.browser.page() for _ in range(3)]
        for page, name in zip(pages, ("ann", "W" * 20, "carl"), strict=True):
            await sit_down(page, name, "eriantys", seats="3", expert="true")
            await page.until("document.querySelector('.seeking .dots, .board')")
        for number in range(10):
            await self.turn(pages, number)
        await self.nothing_found(pages[0])
        watcher = await self.browser.page()
        await watcher.open("/")
        await watcher.click(".live")
        await watcher.until("document.querySelector('[data-cell=\"school 0\"]')")
        await self.nothing_found(watcher)
        self.assertFalse(await watcher.run(OVER))

    async def turn(self, pages: list[Page], seed: int) -> None:
        while True:
            for page in pages:
                if await page.run(f"!!{ASKED}"):
                    await play_on(page, seed + 1, 60, ("Put here", "Use"), once=True)
                    return


class OfferTests(PlayCase):
    """A draw, and a move that is taken back, by mouse, by keyboard, and by touch."""

    offer = "document.querySelector('.offer').innerText"

    async def agree(self, hand_class: type[Hand]) -> None:
        pages = []
        for name in ("ann", "bob"):
            pages.append(await self.browser.page(hand_class.size))
            await sit_down(pages[-1], name, "onitama")
        ann, bob = (hand_class(page) for page in pages)
        for _ in range(2):  # the move that was taken back is made once more
            await ann.page.until(CAN)
            for cell in ("c1", "c2", "with ox"):
                await ann.cell(cell)
            await bob.page.until(CAN)
            if await ann.page.run("document.querySelector('.offer').dataset.tried"):
                break
            await ann.page.run("document.querySelector('.offer').dataset.tried = 'yes'")
            await ann.use("[data-offer=takeback]")
            await ann.page.until(f"{self.offer} === 'You have asked to take your move back. bob has to agree.'")
            await bob.page.until(f"{self.offer}.startsWith('ann wants to take the last move back.')")
            self.assertEqual(await findings(bob.page), [])
            answer = "document.querySelector('[data-answer=accept]').getBoundingClientRect()"
            self.assertTrue(await bob.page.run(f"{answer}.top > 0 && {answer}.bottom <= innerHeight"))
            await bob.use("[data-answer=accept]")
            await ann.page.until(f"{self.offer} === ''")
            self.assertEqual(await ann.page.run("document.querySelectorAll('.moves button').length"), 0)
        await ann.use("[data-offer=draw]")
        await bob.use("[data-answer=decline]")
        await ann.page.until(f"{self.offer} === 'The draw is declined.'")
        await ann.use("[data-offer=draw]")
        await ann.page.until("document.querySelector('.why').innerText.includes('since your last move')")
        await bob.use("[data-offer=draw]")
        await ann.use("[data-answer=accept]")
        for page in pages:
            await page.until(f"{TITLE} === 'Draw'")
            self.assertIsNone(await page.run("document.querySelector('[data-offer]')"))

    async def test_by_mouse(self) -> None:
        await self.agree(Hand)

    async def test_by_keyboard(self) -> None:
        await self.agree(Keys)

    async def test_by_touch(self) -> None:
        await self.agree(Finger)


#: Does what the line says, and nothing else, until the match is over. Gives how often something was pressed, the pixels by
#: which the upper edge of the board moved on the page, and the lines that were longer than their room.
_FOLLOW = """(async () => {
    let pressed = 0;
    const edges = [];
    const long = new Set();
    for (const end = performance.now() + 100_000; !(%s) && performance.now() < end;) {
        const words = document.querySelector(".guide p");
        const line = words?.textContent ?? "";
        const board = document.querySelector(".middle > .board");
        if (board && words) edges.push(board.getBoundingClientRect().top + scrollY);
        if (words && words.scrollHeight > words.clientHeight) long.add(line);
        const [, label] = /ress “(.*?)”[.]/.exec(line) ?? [];
        const cell = label && [...document.querySelectorAll(".board .cell")].find((one) => one.ariaLabel === label);
        if (cell) {
            cell.click();
            pressed += 1;
        }
        await new Promise((done) => setTimeout(done, 2));
    }
    return { pressed, moved: Math.max(...edges) - Math.min(...edges), long: [...long] };
})()"""


class LessonTests(PlayCase):
    wires: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    async def test_each_game_teaches_by_positions(self) -> None:
        """A wrong move and the right one, by touch; axe finds nothing, and the right one is said."""
        right = {
            "onitama": (("c3", "c5"), ("c3", "c4")),
            "paper-soccer": (("-1,5", "0,6"), ("0,5",)),
            "stratego": (("44", "54"), ("55", "54")),
            "eriantys": (("entrance blue", "dining blue"), ("entrance red", "dining red")),
        }
        for game, (solution, other) in right.items():
            hand = Finger(await self.browser.page(PHONE))
            await hand.page.open(f"/rules/{game}")
            await hand.use(f"[data-lessons={game}]")
            said = "document.querySelector('.lesson-answer')?.textContent"
            for cells, begins in ((other, "Not yet. "), (solution, "Right. ")):
                for cell in cells:
                    await hand.cell(cell)
                await hand.page.until(f"{said}.startsWith('{begins}')")
            self.assertEqual(await findings(hand.page), [])
            for number in (2, 3):
                await hand.use(".lesson .go")
                await hand.page.until(
                    f"document.querySelector('.lesson h2').textContent.startsWith('Lesson {number} of 3')"
                )


class GuidedTests(PlayCase):
    """Against the host's easy player."""

    timeout = 170
    house = True
    wires: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    async def guided(self, game: str) -> None:
        """From the rules to the end of a match. How long a match is depends on the moves of the host's player."""
        page = await self.browser.page(PHONE)
        await page.open("/")
        await page.click(f"a[href='/rules/{game}']")
        await page.click(f"[data-guided={game}]")
        await enter(page, "ann")
        await page.run(SEATED % json.encode(game).decode())
        await page.until("document.querySelector('.guide p')?.textContent")
        self.assertEqual(await findings(page), [])
        followed = await page.run(_FOLLOW % OVER)
        self.assertGreater(followed["pressed"], 0)
        self.assertLessEqual(followed["moved"], 2)
        self.assertEqual(followed["long"], [])
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
