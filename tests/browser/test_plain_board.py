"""Games without a board of their own on the pages: those of other packages, which know nothing of browsers."""

import os
import random
import tomllib
from pathlib import Path
from typing import Any

from msgspec import json

from tests import long
from tests.browser.playing import CAN, TITLE, Finger, Hand, Keys, PlayCase
from tests.kit.browser import OVER, Page, findings, sit_down
from tests.kit.plugin_games import INSTALLED, PLUGINS
from tests.kit.process import ROOT, HostProcess

GOMOKU = ROOT / "examples" / "gomoku"

#: Black has five in a row.
BLACK, WHITE = ("h8", "i8", "j8", "k8", "l8"), ("a1", "o15", "c3", "h9")
STEPS = "document.querySelector('.steps input')"
MOVES = "document.querySelectorAll('.rows button').length"
#: The own card in the words of a picture.
CARD = "/card: ([a-zA-Z]+)/"
#: What the picture says.
PICTURE = "decodeURIComponent(document.querySelector('.board image')?.getAttribute('href') ?? '')"


def install(folder: Path) -> dict[str, str]:
    """Have a process find the example as if it were installed: what its environment needs for that."""
    project: Any = tomllib.loads((GOMOKU / "pyproject.toml").read_text("utf-8"))["project"]
    about = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = [
        "\n".join((f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())))
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n\n".join(groups) + "\n")
    path = (str(ROOT), str(GOMOKU), str(folder), PLUGINS, INSTALLED)
    return {"PYTHONPATH": os.pathsep.join(path)}


class PlainBoardTests(PlayCase):
    """Pages of a host that has the example, and a game of cards."""

    wires = ()

    def start_host(self) -> Any:
        folder = Path(self.mktemp()).absolute()
        options, store = ("--web=tcp:0:interface=127.0.0.1", "--set=kuhn.rounds=3"), str(folder / "store.sqlite")
        process = HostProcess(*options, wires=[], store=store, environment=install(folder))
        self.addCleanup(process.__exit__, None, None, None)
        return process.__enter__()

    def port(self, name: str) -> int:
        process: Any = self.host
        return int(process.ports[name])

    async def seats(self, first: type[Hand], second: type[Hand], game: str = "gomoku") -> list[Hand]:
        hands = [one(await self.browser.page(one.size)) for one in (first, second)]
        await sit_down(hands[0].page, "ann", game)
        await hands[0].page.until("document.querySelector('.seeking .dots')")
        await sit_down(hands[1].page, "bob", game)
        await hands[0].page.until(f"/move$/.test({TITLE})")
        if await hands[0].page.run(f"{TITLE} !== 'Your move'"):
            hands.reverse()
        return hands

    async def play(self, black: Hand, white: Hand) -> None:
        for number in range(len(BLACK)):
            for hand, points in ((black, BLACK), (white, WHITE)):
                for point in points[number : number + 1]:
                    await hand.page.until(CAN)
                    await hand.cell(point)
                    await hand.page.until(f"!({CAN})")
        await black.page.until(f"{TITLE} === 'You have won'")
        await white.page.until(f"{TITLE} === 'You have lost'")

    async def nothing_found_now(self, page: Page) -> None:
        self.assertEqual(await findings(page), [])
        self.assertLessEqual(await page.run("document.documentElement.scrollWidth - innerWidth"), 0)

    @long
    async def test_by_mouse_and_by_touch(self) -> None:
        """A whole match; a third page looks on, steps back, and finds the record afterwards."""
        black, white = await self.seats(Hand, Finger)
        watcher = await self.browser.page()
        await watcher.open("/")
        await watcher.click("a.live")
        await watcher.until(f"{PICTURE}.includes('ann')")
        for hand in (black, white):
            await self.nothing_found_now(hand.page)
        await self.play(black, white)
        await watcher.until(f"/has won$/.test({TITLE})")
        await watcher.until(f"{MOVES} === 9")
        await watcher.click(".buttons a[href^='/match/']")
        await watcher.until(f"{STEPS}?.value === {STEPS}?.max && {STEPS}.max === '9'")
        await watcher.until(f"{PICTURE}.includes('won')")
        await watcher.press("Home", "ArrowRight")
        await watcher.until(f"location.hash === '#1' && !{PICTURE}.includes('won')")
        await self.nothing_found_now(watcher)

    @long
    async def test_by_keyboard(self) -> None:
        """Without a mouse; a page that is loaded again goes on."""
        black, white = await self.seats(Keys, Keys)
        await black.page.until(CAN)
        label = f"document.querySelector('[data-cell={json.encode('h8').decode()}]')?.ariaLabel"
        self.assertEqual(await black.page.run(label), "h8")
        await white.page.ask("Page.reload")
        await white.page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
        await self.play(black, white)

    @long
    async def test_cards(self) -> None:
        """A match at random, by buttons. Each sees the own card, and a watcher sees none."""
        hands = await self.seats(Hand, Finger, "kuhn")
        watcher = await self.browser.page()
        await watcher.open("/table/1")
        await watcher.until(f"{PICTURE}.includes('chips')")
        cards = [await hand.page.run(f"{CARD}.exec({PICTURE})?.[1]") for hand in hands]
        self.assertEqual(len(set(cards)), 2, cards)
        self.assertIsNone(await watcher.run(f"{CARD}.exec({PICTURE})?.[1]"))
        rng = random.Random(4)
        while not await hands[0].page.run(OVER):
            for hand in hands:
                words = await hand.page.run(
                    "[...document.querySelectorAll('.cell[data-can]')].map((one) => one.dataset.cell)"
                )
                if words:
                    made = await hand.page.run(MOVES)
                    await hand.cell(rng.choice(words))
                    # It may be the same player's turn again at once, in the next round.
                    await hand.page.until(f"{MOVES} > {made}")
        await watcher.until(f"/won|Draw/.test({TITLE})")

    async def test_squares_in_the_picture(self) -> None:
        """Elements with the attribute `data-action` are pressed in place of a button, wherever they were moved to."""
        page = await self.browser.page()
        await page.open("/")
        await page.until("document.querySelector('.games')")
        shapes = (
            '<g transform="translate(10 20)">'
            '<rect data-action="take left" x="5" y="5" width="30" height="40" style="fill:red"/>'
            '<g transform="scale(2)"><circle data-action="take right" cx="30" cy="20" r="10"/></g></g>'
        )
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><style>rect {{ fill: red }}</style>{shapes}</svg>'
        options = {"mine": 0, "can": True, "wide": True, "picture": svg, "choice": None}
        moves: Any = [{"action": action, "parts": {}} for action in ("take left", "take right", "pass")]
        drawn = await page.run(
            "import(document.querySelector('script[src]').src.replace('app.js', 'plain.js')).then(({plainGame}) => {"
            f" const game = plainGame('toy'), options = {json.encode({**options, 'moves': moves}).decode()};"
            " const {cells} = game.draw({number: 1, n: 1}, options);"
            ' const empty = \'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"/>\';'
            " const long = Array.from({length: 60}, (_, n) => ({action: `set-up ${n}`, parts: {}}));"
            " const listed = (more) => game.draw({number: 2, n: 1}, {...options, picture: empty, moves: long, ...more});"
            " const chosen = listed({filter: 'Up 1'}), ended = listed({ended: true}).cells.length;"
            " const found = chosen.cells.map(({id}) => id), {many} = chosen;"
            " return {cells, many, found, ended, pressed: cells.map(({id}) => game.press(null, options, id))};"
            "})"
        )
        places = {cell["id"]: [cell[key] for key in "xywh"] for cell in drawn["cells"]}
        self.assertEqual(places["take left"], [15, 25, 30, 40])
        self.assertEqual(places["take right"], [50, 40, 40, 40])
        self.assertGreater(places["pass"][1], 100)
        self.assertEqual([one["act"] for one in drawn["pressed"]], list(places))
        self.assertEqual(drawn["found"], ["set-up 1", *(f"set-up 1{n}" for n in range(10))])
        self.assertEqual((drawn["many"], drawn["ended"]), (True, 0))
