"""The longer matches of people who do not see the page."""

import random
import re

from tests.browser.playing import BLUE, PAPER_SOCCER, LargeGameCase
from tests.browser.test_heard import MOVE, HeardCase
from tests.kit.heard import Heard

#: What a press would do stands first in the names of what can be pressed.
CHOICES = r"^(Team|Wizard|Play assistant|Pick up|Put here|Take\.|Use\.|Choose|No more|\d+ steps? to here)"
OVER = "^(You have won|You have lost|Draw)$"


class EriantysTests(HeardCase):
    timeout = 400
    wires: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    async def test_whole(self) -> None:
        """To the end. The tree alone says whose turn it is, and what can be done."""
        people = [await self.seek_by_ear("Eriantys", name) for name in ("ann", "bob")]
        random.seed(2)
        turns = 0
        while not all([await self.is_over(heard) for heard in people]):
            for heard in people:
                turns += await self.act(heard)
        self.assertGreater(turns, 100)

    async def is_over(self, heard: Heard) -> bool:
        return re.search(OVER, (await heard.until("heading", ".")).name) is not None

    async def act(self, heard: Heard) -> bool:
        """Press something that can be pressed; whether there was anything."""
        found = [node for node in await heard.tree() if node.role == "button" and re.search(CHOICES, node.name)]
        best = [node for node in found if node.name.startswith("Put here")] or found
        if best:
            await heard.press(f"^{re.escape(random.choice(best).name)}$")
        return bool(best)


class PaperSoccerTests(HeardCase):
    async def test_whole(self) -> None:
        """Up the pitch, whoever moves first."""
        heard = await self.seek_by_ear("Paper Soccer")
        bob = await self.netcat("paper-soccer")
        bob.say('<message type="playerLogin"><playerLogin nick="bob" gameType="paper soccer"/></message>')
        first = "ann" if "ann" in await bob.heard("<gameState/></message>") else "bob"
        for number, points in enumerate(PAPER_SOCCER):
            if (number % 2 == 0) == (first == "ann"):
                await heard.until("heading", MOVE)
                await self.press_all(heard, points)
            else:
                told = "".join('<point x="{}" y="{}"/>'.format(*point.split(",")) for point in points)
                bob.say(f'<message type="move"><gameId id="1"/><move>{told}</move></message>')
            x, y = points[-1].split(",")
            await bob.heard(f'<point x="{x}" y="{y}"/></gameState>')
        await heard.until("heading", f"^You have {'won' if first == 'ann' else 'lost'}$")
        # Where lines end.
        await heard.until("button", "^0,0, .*lines to 0,1 and -1,0 and 1,1$")


class StrategoTests(HeardCase, LargeGameCase):
    async def test_whole(self) -> None:
        """The set-up, and the marshal's walk to the flag."""
        heard = await self.seek_by_ear("Stratego")
        bob = await self.netcat("stratego-lines")
        await bob.heard("auth-req")
        bob.say("bob\nbobs password")
        await bob.heard("color blue")
        await heard.until("button", "^Ready, .*: 40 to place$")
        await heard.press("^Set-up: Attack$")
        await heard.press("^Ready$")
        bob.say(BLUE)
        for start, end, answer in (("E4", "E5", "J7-J6"), ("E5", "E6", "J6-J5"), ("F4", "F7", "")):
            await heard.until("heading", MOVE)
            await self.press_all(heard, (start, end))
            await bob.heard(f"{start}-{end}" if answer else "winner red")
            if answer:
                bob.say(answer)
        await heard.until("heading", "^You have won$")
        await heard.until("button", "^C5, lake$")
