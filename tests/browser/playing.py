"""
Matches between a page and somebody with netcat on a document's wire.

A page is used by a hand: the mouse, the keyboard alone, or a finger.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import json
from twisted.internet import reactor as this_reactor

from tests.kit.browser import ASKED, DESKTOP, PHONE, BrowserCase, Netcat, Page, netcat, sit_down

#: White takes the master at the third move.
ONITAMA_DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"
#: The cells that White presses, move by move, and Black's answers on the wire.
ONITAMA = ((("c1", "c2", "with ox"), "crab|a5|a4"), (("c2", "c4"), "eel|b5|a5"), (("card boar", "c4", "c5"), ""))
#: The points of each move: who moves first wins. Nobody's move here depends on who that is.
PAPER_SOCCER = (
    *(("0,1",), ("-1,0",), ("0,0", "1,1"), ("1,2",), ("1,3",), ("1,4",)),
    ("1,5", "0,6"),
)

CAN = "document.querySelector('.board')?.dataset.can === 'yes'"
TITLE = "document.querySelector('.panel h1')?.textContent"

#: The host's own players may not be ready in its first seconds. Then the button is pressed again.
SEATED = """(async () => {
    for (let time = 0; time < 60 && !document.querySelector(".guide"); time += 1) {
        await new Promise((done) => setTimeout(done, 1_000));
        document.querySelector("[data-guided=" + %s + "]")?.click();
    }
})()"""


class Hand:
    size = DESKTOP

    def __init__(self, page: Page) -> None:
        self.page = page

    async def use(self, selector: str) -> None:
        await self.page.click(selector)

    async def cell(self, name: str) -> None:
        await self.use(f"[data-cell={json.encode(name).decode()}]")


class Finger(Hand):
    size = PHONE

    async def use(self, selector: str) -> None:
        await self.page.tap(selector)


class Keys(Hand):
    async def use(self, selector: str) -> None:
        await self.page.until(f"document.querySelector({json.encode(selector).decode()})")
        await self.tab_to(f"document.activeElement.matches({json.encode(selector).decode()})")
        await self.page.press("Enter")

    async def tab_to(self, reached: str) -> None:
        """Press Tab until an expression is true."""
        for _ in range(60):
            if await self.page.run(reached):
                return
            await self.page.press("Tab")
        raise AssertionError(f"the Tab key never led to {reached}")

    async def cell(self, name: str) -> None:
        await self.page.until(f"document.querySelector('[data-cell={json.encode(name).decode()}]')")
        await self.tab_to("document.activeElement.classList.contains('cell')")
        for _ in range(40):
            way = await self.page.run(_WAY % json.encode(name).decode())
            if not way:
                break
            await self.page.press(way)
        await self.page.press("Enter")


#: The arrow key that leads towards a cell, or "" if the focus is there.
_WAY = """(() => {
    const box = (cell) => cell.getBoundingClientRect();
    const here = box(document.activeElement), there = box(document.querySelector(`[data-cell="${%s}"]`));
    const x = there.left + there.width / 2 - here.left - here.width / 2;
    const y = there.top + there.height / 2 - here.top - here.height / 2;
    if (Math.abs(x) < 4 && Math.abs(y) < 4) return "";
    if (Math.abs(y) >= Math.abs(x)) return y > 0 ? "ArrowDown" : "ArrowUp";
    return x > 0 ? "ArrowRight" : "ArrowLeft";
})()"""


async def begin_eriantys(ann: Hand, bob: Hand) -> None:
    """Two pages at one table, up to the first board: both have a team and a wizard."""
    await sit_down(ann.page, "ann", "eriantys")
    await ann.page.until("document.querySelector('.seeking .dots')")
    await sit_down(bob.page, "bob", "eriantys")
    for hand, cell in ((ann, "tower black"), (bob, "tower white"), (ann, "wizard 1"), (bob, "wizard 2")):
        await hand.page.until(ASKED)
        await hand.cell(f"answer {cell}")
    await ann.page.until("document.querySelector('[data-cell=\"school 0\"]')")


class PlayCase(BrowserCase):
    wires: tuple[str, ...] = ("onitama", "paper-soccer")
    options: tuple[str, ...] = (ONITAMA_DEAL,)

    async def netcat(self, wire: str) -> Netcat:
        other = await netcat(this_reactor, self.port(wire))
        self.addCleanup(other.close)
        return other

    async def seek(self, hand: Hand, game: str, name: str = "ann") -> None:
        """Log in from the page of tables, and look for an opponent."""
        page = hand.page
        await page.open("/")
        await hand.use(f"[data-play={game}]")
        await page.until("document.activeElement.name === 'name'")
        await page.press("Control+a")
        await page.type(name)
        await page.press("Enter")
        await page.until("document.querySelector('.seeking .dots')")

    async def onitama(self, hand_class: type[Hand]) -> tuple[Hand, Netcat]:
        """A page that has a match of Onitama against netcat, and moves first."""
        hand = hand_class(await self.browser.page(hand_class.size))
        await self.seek(hand, "onitama")
        bob = await self.netcat("onitama")
        bob.say("LOGIN|bob")
        await bob.heard("START|ann|bob")
        return hand, bob

    async def play_onitama(self, hand: Hand, bob: Netcat, moves: Sequence[Any] = ONITAMA) -> None:
        """Play these moves, which end the match."""
        for cells, answer in moves:
            await hand.page.until(CAN)
            for cell in cells:
                await hand.cell(cell)
            card = cells[2][5:] if cells[2:] and cells[2].startswith("with") else ""
            await bob.heard(f"MOVE_WAS_MADE|{card}")
            if answer:
                bob.say(f"MAKE_MOVE|{answer}")
                await bob.heard(f"MOVE_WAS_MADE|{answer}")
        await bob.heard("GAME_OVER|ann")
        await hand.page.until(f"{TITLE} === 'You have won'")

    async def play_paper_soccer(self, hand_class: type[Hand]) -> Hand:
        """A match of Paper Soccer against netcat, to the end."""
        hand = hand_class(await self.browser.page(hand_class.size))
        await self.seek(hand, "paper-soccer")
        bob = await self.netcat("paper-soccer")
        bob.say('<message type="playerLogin"><playerLogin nick="bob" gameType="paper soccer"/></message>')
        first = "ann" if "ann" in await bob.heard("<gameState/></message>") else "bob"
        for number, points in enumerate(PAPER_SOCCER):
            if (number % 2 == 0) == (first == "ann"):
                await hand.page.until(CAN)
                for point in points:
                    await hand.cell(point)
            else:
                pairs = [point.split(",") for point in points]
                told = "".join(f'<point x="{x}" y="{y}"/>' for x, y in pairs)
                bob.say(f'<message type="move"><gameId id="1"/><move>{told}</move></message>')
            x, y = points[-1].split(",")
            await bob.heard(f'<point x="{x}" y="{y}"/></gameState>')
        self.assertIn(f'<player nick="{first}" result="winner"/>', bob.all)
        won = "You have won" if first == "ann" else "You have lost"
        await hand.page.until(f"{TITLE} === '{won}'")
        return hand


#: The slider of the page of a match.
STEPS = "document.querySelector('.steps input')"

#: A set-up as ASCII lines, from row 10 to row 7. The flag stands in front of a scout of the preset `Attack`.
BLUE = "\n".join(("BBBBBBMGKK", "JJJPPPPLLL", "LSSSSIIIII", "RRRRRVRRRO"))


class LargeGameCase(PlayCase):
    wires = ("stratego-lines", "eriantys")
    options: tuple[str, ...] = ()

    async def stratego(self, hand_class: type[Hand]) -> tuple[Hand, Netcat]:
        """A page that sets up red, and netcat that is to set up blue."""
        hand = hand_class(await self.browser.page(hand_class.size))
        await self.seek(hand, "stratego")
        bob = await self.netcat("stratego-lines")
        await bob.heard("auth-req")
        bob.say("bob\nbobs password")
        await bob.heard("color blue")
        await hand.page.until("document.querySelector('[data-cell=ready]')")
        return hand, bob

    async def place_some(self, hand: Hand) -> None:
        """Put some pieces on their squares, move one, and take one back."""
        dragged = "[...document.querySelectorAll('[data-drag]')]"
        placed = f"{dragged}.filter((one) => one.dataset.cell >= 0).map((one) => one.ariaLabel)"
        await hand.cell("kind 9")
        for square in ("30", "31", "32"):
            await hand.cell(square)
        await hand.cell("kind 9")
        await hand.cell("32")
        await hand.cell("22")
        await hand.cell("31")
        await hand.cell("kind 9")
        await hand.page.until(f"{placed}.join() === 'A4, scout,C3, scout'")
